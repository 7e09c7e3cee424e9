/* Caps: changes, queries and the pad templates.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"

/* ---- Changes -------------------------------------------------------------------------------- */

typedef struct
{
  const gchar *caps;
  const gchar *format;
  guint size;
  const gchar *component;
  guint64 count;                /* samples of that component */
  gdouble unit;                 /* value of a sample whose bytes are all 1 */
} MediaCase;

static const MediaCase cases[] = {
  /* *INDENT-OFF* */
  { "video/x-raw, format=GRAY8, width=16, height=8, framerate=25/1", "GRAY8",
      128, "Y", 128, 1 },
  { "video/x-raw, format=GRAY8, width=32, height=4, framerate=25/1", "GRAY8",
      128, "Y", 128, 1 },
  { "video/x-raw, format=NV12, width=16, height=8, framerate=0/1", "NV12", 192,
      "V", 32, 1 },
  { "video/x-raw, format=RGBA, width=4, height=4, framerate=25/1", "RGBA", 64,
      "A", 16, 1 },
  { "audio/x-raw, format=S16LE, rate=48000, channels=2, layout=interleaved",
      "S16LE", 400, "ch1", 100, 257 },
  { "video/x-raw, format=GRAY16_LE, width=20, height=6, framerate=25/1",
      "GRAY16_LE", 240, "Y", 120, 257 },
  { "audio/x-raw, format=U8, rate=8000, channels=1, layout=interleaved", "U8",
      77, "ch0", 77, 1 },
  { "audio/x-raw, format=S8, rate=8000, channels=3, layout=interleaved, "
        "channel-mask=(bitmask)7", "S8", 99, "ch2", 33, 1 },
  /* *INDENT-ON* */
};

/* The result of a buffer whose bytes all have this value. */
static void
check_media (GstBuffer * buffer, const MediaCase * media, guint value)
{
  const GstStructure *result = test_result (buffer);
  const GstStructure *component = test_component (result, media->component);
  GstCaps *caps = gst_caps_from_string (media->caps);
  const GstStructure *structure = gst_caps_get_structure (caps, 0);

  fail_unless_equals_string (gst_structure_get_string (result, "format"),
      media->format);
  fail_unless_equals_uint64 (test_get_uint64 (component, "count"),
      media->count);
  fail_unless_equals_float (test_get_double (component, "min"),
      value * media->unit);
  fail_unless_equals_float (test_get_double (component, "max"),
      value * media->unit);
  if (g_str_has_prefix (media->caps, "video")) {
    fail_unless_equals_string (gst_structure_get_string (result, "media"),
        "video");
    fail_unless_equals_int (test_get_int (result, "width"),
        test_get_int (structure, "width"));
    fail_unless_equals_int (test_get_int (result, "height"),
        test_get_int (structure, "height"));
    fail_if (gst_structure_has_field (result, "samples"));
  } else {
    fail_unless_equals_string (gst_structure_get_string (result, "media"),
        "audio");
    fail_unless_equals_int (test_get_int (result, "rate"),
        test_get_int (structure, "rate"));
    fail_unless_equals_int (test_get_int (result, "channels"),
        test_get_int (structure, "channels"));
    fail_unless_equals_uint64 (test_get_uint64 (result, "samples"),
        media->count);
    fail_if (gst_structure_has_field (result, "width"));
  }
  gst_caps_unref (caps);
}

/* Each buffer is measured with its own caps, even if they change with every buffer. */
TEST (test_caps_change)
{
  static const guint runs[] = { 1, 3, 9 };      /* buffers of the same caps */

  for (guint r = 0; r < G_N_ELEMENTS (runs); r++) {
    GstHarness *harness = test_harness_new (NULL);
    const guint n = 24 * runs[r];

    for (guint i = 0; i < n; i++) {
      const MediaCase *media = &cases[(i / runs[r]) % G_N_ELEMENTS (cases)];

      if (i % runs[r] == 0)
        gst_harness_set_src_caps_str (harness, media->caps);
      fail_unless_equals_int (gst_harness_push (harness,
              test_buffer_new (media->size, i % 128, i * GRAY_DURATION)),
          GST_FLOW_OK);
    }
    for (guint i = 0; i < n; i++) {
      GstBuffer *buffer = gst_harness_pull (harness);

      /* Not above 127: S8 and S16LE samples would be negative. */
      check_media (buffer, &cases[(i / runs[r]) % G_N_ELEMENTS (cases)],
          i % 128);
      gst_buffer_unref (buffer);
    }
    test_harness_free (harness);
  }
}

/* Setting the same caps again changes nothing. */
TEST (test_same_caps)
{
  GstHarness *harness = test_gray_harness_new (NULL);

  for (guint n = 0; n < 10; n++) {
    gst_harness_set_src_caps_str (harness, GRAY_CAPS);
    test_push_frame (harness, n);
  }
  for (guint n = 0; n < 10; n++)
    test_pull_frame (harness, n);
  test_harness_free (harness);
}

/* ---- Queries -------------------------------------------------------------------------------- */

/* The caps of both pads are the same, so each side gets the answer of the other side. */
TEST (test_caps_queries)
{
  GstHarness *harness = test_harness_new (NULL);
  GstCaps *yes = gst_caps_from_string (GRAY_CAPS), *caps, *no;

  gst_harness_set_sink_caps_str (harness, "video/x-raw, format=GRAY8");
  caps = gst_pad_peer_query_caps (harness->srcpad, NULL);
  fail_unless_equals_int (gst_caps_get_size (caps), 1);
  fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure
          (caps, 0), "format"), "GRAY8");
  gst_caps_unref (caps);
  no = gst_caps_from_string ("video/x-raw, format=NV12, width=16, height=8, "
      "framerate=25/1");
  fail_unless (gst_pad_peer_query_accept_caps (harness->srcpad, yes));
  fail_if (gst_pad_peer_query_accept_caps (harness->srcpad, no));
  gst_caps_unref (yes);
  gst_caps_unref (no);
  test_harness_free (harness);
}

/* ---- Pad templates -------------------------------------------------------------------------- */

static gboolean
template_accepts (GstStaticPadTemplate * template, const gchar * text)
{
  GstCaps *caps = gst_caps_from_string (text);
  GstCaps *all = gst_static_pad_template_get_caps (template);
  gboolean accepts = gst_caps_is_subset (caps, all);

  gst_caps_unref (caps);
  gst_caps_unref (all);
  return accepts;
}

static void
check_template (GstStaticPadTemplate * template)
{
  guint n = 0;
  const GstVideoFormat *formats = gst_video_formats_raw (&n);

  fail_unless (template->presence == GST_PAD_ALWAYS);
  for (guint i = 0; i < n; i++) {
    const gchar *name = gst_video_format_to_string (formats[i]);
    gchar *host = g_strdup_printf ("video/x-raw, format=%s, width=1, height=1, "
        "framerate=25/1", name);
    gchar *device = g_strdup_printf ("video/x-raw(memory:CUDAMemory), "
        "format=%s, width=1, height=1, framerate=25/1", name);

    fail_unless (template_accepts (template, host), "%s", host);
    fail_unless (template_accepts (template, device), "%s", device);
    g_free (host);
    g_free (device);
  }
  for (guint f = GST_AUDIO_FORMAT_S8; f <= GST_AUDIO_FORMAT_F64BE; f++) {
    static const gchar *const layouts[] = { "interleaved", "non-interleaved" };

    for (guint l = 0; l < G_N_ELEMENTS (layouts); l++) {
      gchar *text = g_strdup_printf ("audio/x-raw, format=%s, rate=192000, "
          "channels=64, layout=%s", gst_audio_format_to_string (f), layouts[l]);

      fail_unless (template_accepts (template, text), "%s", text);
      g_free (text);
    }
  }
}

/* The factory has the klass, rank and pad templates that the documentation promises. */
TEST (test_factory)
{
  GstElementFactory *factory = gst_element_factory_find ("cudahisto");
  GstPlugin *plugin = gst_plugin_feature_get_plugin (GST_PLUGIN_FEATURE
      (factory));
  const GList *templates =
      gst_element_factory_get_static_pad_templates (factory);

  fail_unless_equals_string (gst_element_factory_get_metadata (factory,
          GST_ELEMENT_METADATA_KLASS), "Filter/Analyzer/Video/Audio");
  fail_unless_equals_int (gst_plugin_feature_get_rank (GST_PLUGIN_FEATURE
          (factory)), GST_RANK_NONE);
  fail_unless_equals_string (gst_plugin_get_name (plugin), "cudahisto");
  fail_unless_equals_string (gst_plugin_get_license (plugin), "LGPL");
  fail_unless_equals_int (g_list_length ((GList *) templates), 2);
  for (; templates != NULL; templates = templates->next)
    check_template (templates->data);
  gst_object_unref (plugin);
  gst_object_unref (factory);
}

/* The tests wait for buffers. The time only ends a test that hangs, on a busy machine, too. */
TEST_MAIN (60)
