/* The element: negotiation, times, alerts, events, foreign metas and hostile results.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay.h"

#define CAPS "format=GRAY8, width=320, height=240, framerate=25/1"
#define SIZE (320 * 240)

/* ---- Properties -------------------------------------------------------------------- */

/* Sets the least or the greatest value of the property. */
static void
set_bound (const GParamSpec * spec, gboolean most, GValue * value)
{
  if (G_IS_PARAM_SPEC_DOUBLE (spec))
    g_value_set_double (value, most ? G_PARAM_SPEC_DOUBLE (spec)->maximum :
        G_PARAM_SPEC_DOUBLE (spec)->minimum);
  else if (G_IS_PARAM_SPEC_UINT (spec))
    g_value_set_uint (value, most ? G_MAXUINT : 0);
  else if (G_IS_PARAM_SPEC_UINT64 (spec))
    g_value_set_uint64 (value, most ? G_MAXUINT64 : 0);
  else if (G_IS_PARAM_SPEC_ENUM (spec))
    g_value_set_enum (value, most ? G_PARAM_SPEC_ENUM (spec)->enum_class->maximum :
        G_PARAM_SPEC_ENUM (spec)->enum_class->minimum);
  else if (G_IS_PARAM_SPEC_FLAGS (spec))
    /* By default all, without the old name of one. */
    g_value_set_flags (value, most ? G_PARAM_SPEC_FLAGS (spec)->default_value : 0);
  else
    g_value_set_string (value, most ? "serif" : "sans");
}

/* A name that no result can have is refused with a warning, also one of before there is a bus. */
TEST (test_refused_name)
{
  GstElement *element = gst_element_factory_make ("cudahistooverlay", NULL);
  GstBus *bus = gst_bus_new ();
  gchar *name;

  g_object_set (element, "result-name", "a name", NULL);
  gst_element_set_bus (element, bus);
  gst_element_set_state (element, GST_STATE_READY);
  for (guint i = 0; i < 2; i++) {
    GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);

    fail_unless (message != NULL, "%u", i);
    gst_message_unref (message);
    fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
    if (i == 0)
      g_object_set (element, "result-name", "another name", NULL);
  }
  g_object_get (element, "result-name", &name, NULL);
  fail_unless (name == NULL || *name == '\0', "%s", name);
  g_free (name);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
}

/* Each property has a text, and keeps what is set, also at its bounds. */
TEST (test_properties)
{
  GstElement *element = gst_element_factory_make ("cudahistooverlay", NULL);
  GParamSpec **specs;
  gchar *font;
  guint n;

  specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
  for (guint i = 0; i < n; i++) {
    GValue preset = G_VALUE_INIT, value = G_VALUE_INIT;

    if (!g_str_has_prefix (g_type_name (specs[i]->owner_type), "GstCuda"))
      continue;
    fail_unless (strlen (g_param_spec_get_blurb (specs[i])) > 10);
    /* A control binding has no values of flags and texts. */
    fail_unless_equals_int ((specs[i]->flags & GST_PARAM_CONTROLLABLE) != 0,
        !G_IS_PARAM_SPEC_FLAGS (specs[i]) && !G_IS_PARAM_SPEC_STRING (specs[i]));
    g_value_init (&preset, specs[i]->value_type);
    g_value_init (&value, specs[i]->value_type);
    g_object_get_property (G_OBJECT (element), specs[i]->name, &value);
    g_param_value_set_default (specs[i], &preset);
    fail_unless (gst_value_compare (&preset, &value) == GST_VALUE_EQUAL, "%s",
        specs[i]->name);
    for (guint most = 0; most < 2; most++) {
      set_bound (specs[i], most, &preset);
      g_object_set_property (G_OBJECT (element), specs[i]->name, &preset);
      g_object_get_property (G_OBJECT (element), specs[i]->name, &value);
      fail_unless (gst_value_compare (&preset, &value) == GST_VALUE_EQUAL,
          "%s, bound %u", specs[i]->name, most);
    }
    g_value_unset (&preset);
    g_value_unset (&value);
  }
  g_free (specs);
  gst_util_set_object_arg (G_OBJECT (element), "show", "histogram+meters");
  g_object_set (element, "font",
      "a family with a name of more than sixty-three bytes \303\244\303\244\303\244\303\244\303\244",
      NULL);
  g_object_get (element, "font", &font, NULL);
  fail_unless (g_utf8_validate (font, -1, NULL));
  g_free (font);
  /* Of this name, 63 bytes end within a letter. */
  font = g_strnfill (64, 'a');
  memcpy (font + 62, "\303\244", 2);
  g_object_set (element, "font", font, NULL);
  g_free (font);
  g_object_get (element, "font", &font, NULL);
  fail_unless (g_utf8_validate (font, -1, NULL));
  fail_unless_equals_string (font, "Sans");
  g_free (font);
  for (guint i = 0; i < 3; i++) {
    static const gchar *const fonts[] = { NULL, "", "\xff\xfe" };

    g_object_set (element, "font", "Serif", NULL);
    g_object_set (element, "font", fonts[i], NULL);
    g_object_get (element, "font", &font, NULL);
    fail_unless_equals_string (font, "Sans");
    g_free (font);
  }
  gst_object_unref (element);
}

/* An object may be disposed of more than once. */
TEST (test_disposed_twice)
{
  GstElement *element = gst_element_factory_make ("cudahistooverlay", NULL);

  gst_object_ref_sink (element);
  fail_unless (gst_element_request_pad_simple (element, "audio_0") != NULL);
  for (guint i = 0; i < 2; i++)
    g_object_run_dispose (G_OBJECT (element));
  fail_unless_equals_int (element->numpads, 0);
  gst_object_unref (element);
}

/* ---- Negotiation ------------------------------------------------------------------- */

static gboolean
has_feature (GstHarness * harness)
{
  GstCaps *caps = gst_pad_get_current_caps (harness->sinkpad);
  const gboolean has = gst_caps_features_contains (gst_caps_get_features (caps,
          0), GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION);

  gst_caps_unref (caps);
  return has;
}

/* Whether not all bytes have this value. */
static gboolean
is_changed (GstBuffer * buffer, guint8 value)
{
  gboolean changed = FALSE;
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  for (gsize i = 0; i < map.size; i++)
    changed |= map.data[i] != value;
  gst_buffer_unmap (buffer, &map);
  return changed;
}

/* Results of another name are not drawn. */
TEST (test_result_names)
{
  static const struct
  {
    const gchar *drawn, *measured;
    gboolean is_drawn;
  } cases[] = { {"", "", TRUE}, {"result-name=a", "result-name=a", TRUE},
    {"", "result-name=a", FALSE}, {"result-name=b", "result-name=a", FALSE},
    {"result-name=a", "", FALSE}
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *launch = g_strdup_printf ("cudahisto backend=cpu %s ! "
        "cudahistooverlay show=histogram %s", cases[i].measured, cases[i].drawn);
    GstHarness *harness = gst_harness_new_parse (launch);
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIZE, NULL);

    gst_harness_set_src_caps_str (harness, "video/x-raw, " CAPS);
    gst_buffer_memset (buffer, 0, 100, SIZE);
    GST_BUFFER_PTS (buffer) = 0;
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
    buffer = gst_harness_pull (harness);
    fail_unless_equals_int (is_changed (buffer, 100), cases[i].is_drawn);
    gst_buffer_unref (buffer);
    gst_harness_teardown (harness);
  }
}

static void
check_negotiation (const gchar * sink_caps, gboolean proposes, gboolean draws)
{
  GstHarness *harness =
      gst_harness_new_parse ("cudahisto backend=cpu ! cudahistooverlay");
  GstBuffer *buffer;

  if (proposes)
    gst_harness_add_propose_allocation_meta (harness,
        GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  if (sink_caps != NULL)
    gst_harness_set_sink_caps_str (harness, sink_caps);
  gst_harness_set_src_caps_str (harness, PLAIN_CAPS (CAPS));
  buffer = overlay_push_value (harness, 0, 70);
  fail_unless_equals_int (has_feature (harness), draws);
  fail_unless_equals_int (overlay_count (buffer) > 0, draws);
  fail_unless_equals_int (is_changed (buffer, 70), !draws);
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
}

/* The overlay is attached only if downstream takes the feature and the meta. */
TEST (test_negotiation)
{
  check_negotiation (NULL, FALSE, FALSE);
  check_negotiation (NULL, TRUE, TRUE);
  check_negotiation (PLAIN_CAPS (CAPS), FALSE, FALSE);
  check_negotiation (PLAIN_CAPS (CAPS), TRUE, FALSE);
  check_negotiation (PLAIN_CAPS (CAPS) "; " FEATURE_CAPS (CAPS), FALSE, FALSE);
  check_negotiation (PLAIN_CAPS (CAPS) "; " FEATURE_CAPS (CAPS), TRUE, TRUE);
  /* Downstream wants the feature. */
  check_negotiation (FEATURE_CAPS (CAPS), FALSE, TRUE);
}

/* Refuses caps with the feature, which the answer to the query for caps has. */
static GstPadProbeReturn
refuse_feature (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  GstCaps *caps;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ACCEPT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_query_parse_accept_caps (query, &caps);
  gst_query_set_accept_caps_result (query,
      !gst_caps_features_contains (gst_caps_get_features (caps, 0),
          GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION));
  return GST_PAD_PROBE_HANDLED;
}

/* Downstream that refuses the feature after all gets blended frames. */
TEST (test_refused_feature)
{
  GstHarness *harness = overlay_harness_new ("", "", CAPS, TRUE);
  GstBuffer *buffer;

  gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      refuse_feature, NULL, NULL);
  gst_harness_push_upstream_event (harness, gst_event_new_reconfigure ());
  for (guint n = 0; n < 2; n++) {
    buffer = overlay_push_value (harness, n, 70);
    fail_if (has_feature (harness));
    fail_unless (overlay_get (buffer) == NULL && is_changed (buffer, 70));
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (harness);
}

/* Downstream that takes no such frames at all: an error, and no crash. So is an allocation query that
 * has no caps. */
TEST (test_not_negotiated)
{
  GstHarness *harness = gst_harness_new ("cudahistooverlay");
  GstQuery *query = gst_query_new_allocation (NULL, FALSE);
  GstBuffer *buffer = test_buffer_new (SIZE, 70, 0);

  gst_harness_set_sink_caps_str (harness, PLAIN_CAPS ("format=I420"));
  gst_harness_set_src_caps_str (harness, PLAIN_CAPS (CAPS));
  fail_unless_equals_int (gst_harness_push (harness, buffer),
      GST_FLOW_NOT_NEGOTIATED);
  gst_pad_peer_query (harness->srcpad, query);
  gst_query_unref (query);
  gst_harness_teardown (harness);
}

/* Video without a size is refused. Complete caps work afterwards. */
TEST (test_incomplete_caps)
{
  GstHarness *harness = gst_harness_new ("cudahistooverlay");
  GstPad *pad = gst_pad_get_peer (harness->srcpad);
  GstCaps *caps =
      gst_caps_from_string ("video/x-raw, format=GRAY8, framerate=25/1");

  gst_harness_push_event (harness, gst_event_new_stream_start ("x"));
  fail_if (gst_pad_send_event (pad, gst_event_new_caps (caps)));
  gst_harness_set_src_caps_str (harness, PLAIN_CAPS (CAPS));
  gst_buffer_unref (overlay_push_value (harness, 0, 70));
  gst_caps_unref (caps);
  gst_object_unref (pad);
  gst_harness_teardown (harness);
}

/* Downstream with a size, but without a pool. */
static GstPadProbeReturn
propose_size (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_add_allocation_pool (query, NULL, SIZE + 64, 3, 7);
  return GST_PAD_PROBE_HANDLED;
}

/* Upstream learns them. */
TEST (test_proposed_size)
{
  GstHarness *harness = gst_harness_new ("cudahistooverlay");
  GstCaps *caps = gst_caps_from_string (PLAIN_CAPS (CAPS));
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstBufferPool *pool;
  guint size, least, most;

  gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      propose_size, NULL, NULL);
  gst_harness_set_src_caps (harness, gst_caps_ref (caps));
  fail_unless (gst_pad_peer_query (harness->srcpad, query));
  fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 1);
  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &least, &most);
  fail_unless (pool == NULL);
  fail_unless_equals_int (size, SIZE + 64);
  fail_unless_equals_int (least, 3);
  fail_unless_equals_int (most, 7);
  gst_query_unref (query);
  gst_caps_unref (caps);
  gst_harness_teardown (harness);
}

/* Upstream learns which allocator downstream proposes. */
TEST (test_proposed_allocator)
{
  GstAllocator *allocator = gst_allocator_find (GST_ALLOCATOR_SYSMEM), *proposed;
  GstHarness *harness = gst_harness_new ("cudahistooverlay");
  GstCaps *caps = gst_caps_from_string (PLAIN_CAPS (CAPS));
  GstAllocationParams params = {.align = 127,.padding = 16 }, found;
  GstQuery *query = gst_query_new_allocation (caps, FALSE);

  gst_harness_set_propose_allocator (harness, gst_object_ref (allocator),
      &params);
  gst_harness_set_src_caps (harness, gst_caps_ref (caps));
  fail_unless (gst_pad_peer_query (harness->srcpad, query));
  fail_unless_equals_int (gst_query_get_n_allocation_params (query), 1);
  gst_query_parse_nth_allocation_param (query, 0, &proposed, &found);
  fail_unless (proposed == allocator);
  fail_unless_equals_int (found.align, 127);
  fail_unless_equals_int (found.padding, 16);
  gst_object_unref (proposed);
  gst_query_unref (query);
  gst_caps_unref (caps);
  gst_object_unref (allocator);
  gst_harness_teardown (harness);
}

/* An overlay that upstream has attached stays, below. */
TEST (test_overlay_of_upstream)
{
  GstHarness *harness =
      gst_harness_new_parse ("cudahistooverlay show=histogram");
  GstHarness *histo = gst_harness_new_parse ("cudahisto backend=cpu");
  GstVideoOverlayComposition *composition =
      gst_video_overlay_composition_new (NULL);
  GstBuffer *pixels = gst_buffer_new_allocate (NULL, 4 * 8 * 8, NULL);
  GstVideoOverlayRectangle *rectangle;
  OverlayRectangle below;
  GstBuffer *buffer;

  gst_harness_set_src_caps_str (histo, PLAIN_CAPS (CAPS));
  gst_harness_set_src_caps_str (harness, FEATURE_CAPS (CAPS));
  buffer = overlay_push_value (histo, 0, 70);
  gst_buffer_memset (pixels, 0, 255, 4 * 8 * 8);
  gst_buffer_add_video_meta (pixels, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, 8, 8);
  rectangle = gst_video_overlay_rectangle_new_raw (pixels, 3, 4, 8, 8,
      GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE);
  gst_video_overlay_composition_add_rectangle (composition, rectangle);
  gst_buffer_add_video_overlay_composition_meta (buffer, composition);
  buffer = overlay_push (harness, 0, buffer);
  fail_unless (has_feature (harness));
  fail_unless_equals_int (overlay_count (buffer), 2);
  below = overlay_get_rectangle (buffer, 0);
  fail_unless (below.x == 3 && below.y == 4 && below.width == 8);
  fail_unless_equals_int (gst_video_overlay_composition_n_rectangles
      (composition), 1);
  gst_video_overlay_rectangle_unref (rectangle);
  gst_video_overlay_composition_unref (composition);
  gst_buffer_unref (pixels);
  gst_buffer_unref (buffer);
  gst_harness_teardown (histo);
  gst_harness_teardown (harness);
}

/* Downstream changes its mind while the stream runs. */
TEST (test_renegotiation)
{
  GstHarness *harness = overlay_harness_new ("", "", CAPS, FALSE);
  GstBuffer *buffer = overlay_push_value (harness, 0, 70);

  fail_unless (overlay_get (buffer) == NULL && is_changed (buffer, 70));
  gst_buffer_unref (buffer);
  gst_harness_add_propose_allocation_meta (harness,
      GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  for (guint n = 1; n < 4; n++) {
    gst_harness_push_upstream_event (harness, gst_event_new_reconfigure ());
    buffer = overlay_push_value (harness, n, 70);
    fail_unless (overlay_get (buffer) != NULL && !is_changed (buffer, 70));
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (harness);
}

typedef struct
{
  GstHarness *harness;
  GstQueryType type;
  gboolean has_flushed;
} FlushAtQuery;

/* A flush begins while downstream is to answer the first query of the type, so that it does not. */
static GstPadProbeReturn
flush_at_query (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  FlushAtQuery *it = data;

  if (it->has_flushed
      || GST_QUERY_TYPE (GST_PAD_PROBE_INFO_QUERY (info)) != it->type)
    return GST_PAD_PROBE_OK;
  it->has_flushed = TRUE;
  gst_harness_push_event (it->harness, gst_event_new_flush_start ());
  return GST_PAD_PROBE_DROP;
}

/* A flush while downstream is asked whether it draws, with the first caps or, `again`, after it did not
 * draw: it is asked again after the flush. */
static void
check_flush_while_asking (GstQueryType type, gboolean again)
{
  GstHarness *histo = gst_harness_new_parse ("cudahisto backend=cpu");
  GstHarness *harness = gst_harness_new ("cudahistooverlay");
  FlushAtQuery it = { harness, type, again };
  GstCaps *caps = gst_caps_from_string (PLAIN_CAPS (CAPS));
  GstBuffer *buffer;

  gst_harness_set_src_caps_str (histo, PLAIN_CAPS (CAPS));
  gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      flush_at_query, &it, NULL);
  /* The function of harnesses for caps does not take a failure. */
  gst_harness_push_event (harness, gst_event_new_stream_start ("x"));
  if (again) {
    fail_unless (gst_harness_push_event (harness, gst_event_new_caps (caps)));
    test_push_segment (harness);
    gst_buffer_unref (overlay_push (harness, 0, overlay_push_value (histo, 0,
                70)));
    fail_unless (!has_feature (harness));
  }
  gst_harness_add_propose_allocation_meta (harness,
      GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  if (again) {
    it.has_flushed = FALSE;
    gst_harness_push_upstream_event (harness, gst_event_new_reconfigure ());
    buffer = overlay_push_value (histo, 1, 70);
    fail_unless_equals_int (gst_harness_push (harness, buffer),
        GST_FLOW_FLUSHING);
  } else {
    gst_harness_push_event (harness, gst_event_new_caps (caps));
  }
  fail_unless (it.has_flushed, "%s", gst_query_type_get_name (type));
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  test_push_segment (harness);
  for (guint n = 2; n < 4; n++) {
    buffer = overlay_push (harness, n, overlay_push_value (histo, n, 70));
    fail_unless (has_feature (harness), "%s, again %d",
        gst_query_type_get_name (type), again);
    fail_unless (overlay_count (buffer) > 0);
    gst_buffer_unref (buffer);
  }
  gst_caps_unref (caps);
  gst_harness_teardown (harness);
  gst_harness_teardown (histo);
}

TEST_LOOP (test_flush_while_asking, 0, 2)
{
  check_flush_while_asking (GST_QUERY_ACCEPT_CAPS, __i__);
  check_flush_while_asking (GST_QUERY_ALLOCATION, __i__);
}

/* Caps of another size: the overlay has other places, and forgets what was before. The same caps again
 * change nothing. */
TEST (test_other_caps)
{
  static const gchar other[] =
      PLAIN_CAPS ("format=I420, width=131, height=77, framerate=25/1");
  GstHarness *histo = gst_harness_new_parse ("cudahisto backend=cpu");
  GstHarness *harness = gst_harness_new_parse ("cudahistooverlay "
      "show=histogram");
  GstBuffer *buffer;

  gst_harness_set_src_caps_str (histo, PLAIN_CAPS (CAPS));
  gst_harness_set_src_caps_str (harness, PLAIN_CAPS (CAPS));
  buffer = overlay_push (harness, 0, overlay_push_value (histo, 0, 70));
  fail_unless (is_changed (buffer, 70));
  gst_buffer_unref (buffer);
  gst_harness_set_src_caps_str (harness, PLAIN_CAPS (CAPS));
  buffer = overlay_push_value (harness, 1, 70);
  fail_unless (is_changed (buffer, 70));
  gst_buffer_unref (buffer);

  gst_harness_set_src_caps_str (harness, other);
  buffer = overlay_push_value (harness, 2, 70);
  fail_if (is_changed (buffer, 70));
  gst_buffer_unref (buffer);
  gst_harness_set_src_caps_str (histo, other);
  buffer = overlay_push (harness, 3, overlay_push_value (histo, 3, 70));
  fail_unless (is_changed (buffer, 70));
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
  gst_harness_teardown (histo);
}

/* Buffers that others hold are not changed. */
TEST (test_shared_buffer)
{
  GstHarness *harness = gst_harness_new ("cudahistooverlay");
  GstHarness *histo = gst_harness_new_parse ("cudahisto backend=cpu");
  GstBuffer *measured, *drawn;

  gst_harness_set_src_caps_str (histo, PLAIN_CAPS (CAPS));
  gst_harness_set_src_caps_str (harness, PLAIN_CAPS (CAPS));
  measured = overlay_push_value (histo, 0, 70);
  drawn = gst_harness_push_and_pull (harness, gst_buffer_ref (measured));
  fail_unless (drawn != measured);
  fail_unless (is_changed (drawn, 70));
  fail_if (is_changed (measured, 70));
  gst_buffer_unref (drawn);
  gst_buffer_unref (measured);
  gst_harness_teardown (harness);
  gst_harness_teardown (histo);
}

/* ---- Frames without a result ------------------------------------------------------- */

/* Every tenth frame has a result, which stays for 200 ms. */
TEST (test_hold)
{
  GstHarness *harness = overlay_harness_new ("every=10",
      "hold=200000000 show=histogram", CAPS, TRUE);

  for (guint n = 0; n < 21; n++) {
    GstBuffer *buffer = overlay_push_value (harness, n, 70);

    fail_unless_equals_int (overlay_count (buffer), n % 10 <= 5);
    fail_if (is_changed (buffer, 70));
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (harness);
}

/* Frames without a time follow each other: each begins where the one before it ends, and the hold counts
 * as ever. Without a frame rate, their length is unknown, and the result stays. */
static void
check_hold_without_times (const gchar * framerate, guint n_shown)
{
  GstHarness *histo = gst_harness_new_parse ("cudahisto backend=cpu");
  GstHarness *harness = gst_harness_new_parse ("cudahistooverlay "
      "hold=200000000 show=histogram");
  gchar *caps = g_strdup_printf (PLAIN_CAPS ("format=GRAY8, width=320, "
          "height=240, framerate=%s"), framerate);

  gst_harness_add_propose_allocation_meta (harness,
      GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  gst_harness_set_src_caps_str (histo, caps);
  gst_harness_set_src_caps_str (harness, caps);
  for (guint n = 0; n < 10; n++) {
    GstBuffer *buffer = n == 0 ? overlay_push_value (histo, 0, 70) :
        gst_buffer_new_allocate (NULL, SIZE, NULL);

    if (n > 0)
    GST_BUFFER_DURATION (buffer) = GST_CLOCK_TIME_NONE;
    buffer = gst_harness_push_and_pull (harness, buffer);
    fail_unless_equals_int (overlay_count (buffer), n < n_shown);
    gst_buffer_unref (buffer);
  }
  g_free (caps);
  gst_harness_teardown (harness);
  gst_harness_teardown (histo);
}

TEST (test_hold_without_times)
{
  check_hold_without_times ("25/1", 6);
  check_hold_without_times ("0/1", 10);
}

/* In a segment that is not of time nothing has a time: a result stays until the next one. Its age counts from the first
 * frame with a time, which is the third one. */
TEST (test_segment_of_bytes)
{
  GstHarness *harness = overlay_harness_new ("every=100",
      "hold=40000000 show=histogram+alerts", CAPS, TRUE);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_BYTES);
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
  for (guint n = 0; n < 8; n++) {
    overlay_check_count (harness, n, 70, n < 4);
    if (n == 1)
      test_push_segment (harness);
  }
  gst_harness_teardown (harness);
}

/* Without any result frames pass as they are, without a copy. */
TEST (test_no_result)
{
  GstHarness *harness = gst_harness_new ("cudahistooverlay");
  GstBuffer *buffer = test_buffer_new (SIZE, 70, 0), *passed;

  gst_harness_set_src_caps_str (harness, PLAIN_CAPS (CAPS));
  passed = gst_harness_push_and_pull (harness, gst_buffer_ref (buffer));
  fail_unless (passed == buffer);
  fail_if (is_changed (passed, 70));
  gst_buffer_unref (passed);
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
}

/* A flush forgets the latest result. EOS passes. */
TEST (test_after_flush)
{
  GstHarness *histo = gst_harness_new_parse ("cudahisto backend=cpu");
  GstHarness *overlay = gst_harness_new ("cudahistooverlay");
  GstBuffer *buffer;

  gst_harness_set_src_caps_str (histo, PLAIN_CAPS (CAPS));
  gst_harness_add_propose_allocation_meta (overlay,
      GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  gst_harness_set_src_caps_str (overlay, PLAIN_CAPS (CAPS));
  buffer = overlay_push (overlay, 0, overlay_push_value (histo, 0, 70));
  fail_unless (overlay_count (buffer) > 0);
  gst_buffer_unref (buffer);
  buffer = overlay_push_value (overlay, 1, 70);
  fail_unless (overlay_count (buffer) > 0);
  gst_buffer_unref (buffer);
  test_flush (overlay);
  test_push_segment (overlay);
  overlay_check_count (overlay, 1, 70, 0);
  fail_unless (gst_harness_push_event (overlay, gst_event_new_eos ()));
  fail_unless (test_has_sent (overlay, GST_EVENT_EOS));
  gst_harness_teardown (overlay);
  gst_harness_teardown (histo);
}

/* ---- Alerts ------------------------------------------------------------------------ */

/* An alert is shown from its begin until the hold after its end. */
TEST (test_alerts)
{
  GstHarness *harness = overlay_harness_new
      ("alerts=black black-duration=80000000",
      "show=alerts alert-hold=100000000", CAPS, TRUE);

  for (guint n = 0; n < 12; n++) {
    GstBuffer *buffer = overlay_push_value (harness, n, n < 5 ? 0 : 200);

    /* Frames 1 to 4 have it; frame 6 begins 80 ms after frame 4. */
    fail_unless_equals_int (overlay_count (buffer), n >= 1 && n <= 6);
    if (n == 1) {
      OverlayRectangle text;
      guint n_red = 0, n_white = 0;

      text = overlay_get_rectangle (buffer, 0);
      fail_unless (text.y < 20);
      for (gint i = 0; i < text.width * text.height; i++) {
        n_red += (text.pixels[i] >> 16 & 255) > 100
            && (text.pixels[i] & 255) < 80;
        n_white += (text.pixels[i] & 255) > 180;
      }
      fail_unless (n_red > 200 && n_white > 20, "%u %u", n_red, n_white);
    }
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (harness);
}

/* The text of the alerts of frame @n, which is black or white. */
static void
draw_alerts (GstHarness * harness, guint n, gboolean is_black,
    OverlayRectangle * text)
{
  GstBuffer *buffer = overlay_push_value (harness, n, is_black ? 0 : 200);

  fail_unless_equals_int (overlay_count (buffer), 1);
  *text = overlay_get_rectangle (buffer, 0);
  gst_buffer_unref (buffer);
}

/* Alerts of two kinds that begin at the same time have a line each. */
TEST (test_two_kinds_of_alerts)
{
  GstHarness *harness = overlay_harness_new ("alerts=black+freeze "
      "black-duration=0 freeze-duration=0", "show=alerts", CAPS, TRUE);
  OverlayRectangle texts[2];

  for (guint n = 0; n < 2; n++)
    draw_alerts (harness, n, TRUE, &texts[n]);
  fail_unless_equals_int (texts[1].height, 2 * texts[0].height);
  gst_harness_teardown (harness);
}

/* An alert of frames without times is shown without its begin. It stays as long as no frame has a
 * time. */
TEST (test_alert_without_times)
{
  gint widths[2];

  for (guint i = 0; i < 2; i++) {
    GstHarness *harness = overlay_harness_new
        ("alerts=black black-duration=0", "show=alerts alert-hold=40000000",
        CAPS, TRUE);
    OverlayRectangle text;
    GstSegment segment;

    gst_segment_init (&segment, GST_FORMAT_BYTES);
    if (i == 1)
      gst_harness_push_event (harness, gst_event_new_segment (&segment));
    draw_alerts (harness, 0, TRUE, &text);
    widths[i] = text.width;
    for (guint n = 1; i == 1 && n < 6; n++)
      draw_alerts (harness, n, FALSE, &text);
    /* Its age counts from the first frame with a time. */
    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_harness_push_event (harness, gst_event_new_segment (&segment));
    for (guint n = 6; i == 1 && n < 10; n++) {
      overlay_check_count (harness, n, 200, n < 8);
    }
    gst_harness_teardown (harness);
  }
  fail_unless (widths[1] < widths[0] - 40, "%d %d", widths[0], widths[1]);
}

/* An alert that began before any time was known has one line, which gets its begin when it is known. */
TEST (test_alert_without_first_time)
{
  GstHarness *harness = overlay_harness_new ("alerts=black black-duration=0",
      "show=alerts", CAPS, TRUE);
  OverlayRectangle texts[3];

  for (guint n = 0; n < 3; n++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIZE, NULL);

    gst_buffer_memset (buffer, 0, 0, SIZE);
    if (n > 0)
      GST_BUFFER_PTS (buffer) = n * 40 * GST_MSECOND;
    buffer = gst_harness_push_and_pull (harness, buffer);
    fail_unless_equals_int (overlay_count (buffer), 1);
    texts[n] = overlay_get_rectangle (buffer, 0);
    gst_buffer_unref (buffer);
  }
  fail_unless (texts[1].width > texts[0].width + 40, "%d %d", texts[0].width,
      texts[1].width);
  fail_unless_equals_int (texts[1].height, texts[0].height);
  fail_unless_equals_int (texts[2].width, texts[1].width);
  gst_harness_teardown (harness);
}

/* A result of a frame that begins before the segment is as old as the segment. */
TEST (test_frame_across_start)
{
  GstHarness *harness = overlay_harness_new ("every=100",
      "hold=40000000 show=histogram", CAPS, TRUE);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 20 * GST_MSECOND;
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
  for (guint n = 0; n < 4; n++) {
    /* Frame 1 begins 20 ms after the segment. */
    overlay_check_count (harness, n, 70, n < 2);
  }
  gst_harness_teardown (harness);
}

/* How large the text of the alerts is, for a black picture with so many regions.
 * @long_name: the number of the region that has a long name; others have short ones */
static OverlayRectangle
draw_alerts_of_regions (guint n_regions, guint long_name)
{
  GString *measuring = g_string_new ("alerts=black black-duration=0 regions=\"");
  OverlayRectangle text;
  GstBuffer *buffer;

  for (guint i = 0; i < n_regions; i++)
    g_string_append_printf (measuring, "%s%s%02u=0,0,8,8", i > 0 ? ";" : "",
        i == long_name ? "a-region-with-a-long-name" : "r", i);
  g_string_append_c (measuring, '"');
  buffer = overlay_draw (measuring->str, "show=alerts",
      "format=GRAY8, width=640, height=480, framerate=25/1", 0);
  fail_unless_equals_int (overlay_count (buffer), 1);
  text = overlay_get_rectangle (buffer, 0);
  gst_buffer_unref (buffer);
  g_string_free (measuring, TRUE);
  return text;
}

static gint
find_height_of_alerts (guint n_regions)
{
  return draw_alerts_of_regions (n_regions, G_MAXUINT).height;
}

/* An alert that begins again has a line of its own. */
TEST (test_alert_again)
{
  GstHarness *harness = overlay_harness_new ("alerts=black black-duration=0",
      "show=alerts alert-hold=10000000000", CAPS, TRUE);
  gint heights[3];

  for (guint n = 0; n < 3; n++) {
    GstBuffer *buffer = overlay_push_value (harness, n, n == 1 ? 200 : 0);
    OverlayRectangle text;

    fail_unless_equals_int (overlay_count (buffer), 1);
    text = overlay_get_rectangle (buffer, 0);
    heights[n] = text.height;
    gst_buffer_unref (buffer);
  }
  fail_unless_equals_int (heights[1], heights[0]);
  fail_unless_equals_int (heights[2], 2 * heights[0]);
  gst_harness_teardown (harness);
}

/* The latest six alerts have a line each. The others are counted in one more line. There may be more than
 * the list has room for. */
TEST (test_many_alerts)
{
  const gint line = find_height_of_alerts (1) / 2;
  const gint width = draw_alerts_of_regions (20, G_MAXUINT).width;

  fail_unless_equals_int (draw_alerts_of_regions (20, 12).width, width);
  for (guint i = 15; i < 20; i++)
    fail_unless (draw_alerts_of_regions (20, i).width > width + 40);
  fail_unless (line > 8);
  fail_unless_equals_int (find_height_of_alerts (5), 6 * line);
  fail_unless_equals_int (find_height_of_alerts (6), 7 * line);
  fail_unless_equals_int (find_height_of_alerts (64), 7 * line);
}

/* ---- Hostile results --------------------------------------------------------------- */

/* Which number of a result gets another value. */
typedef struct
{
  gint left;                    /* counts down to the number */
  gboolean is_negative;         /* the new value, if the type has such */
} Spoiled;

/* Gives one number anywhere in the structure another value. */
static gboolean
spoil (GQuark field, GValue * value, gpointer data)
{
  Spoiled *spoiled = data;

  if (GST_VALUE_HOLDS_STRUCTURE (value)) {
    GstStructure *inside = gst_structure_copy (gst_value_get_structure (value));

    gst_structure_map_in_place (inside, spoil, spoiled);
    g_value_take_boxed (value, inside);
  } else if (spoiled->left-- == 0) {
    switch (G_VALUE_TYPE (value)) {
      case G_TYPE_DOUBLE:
        g_value_set_double (value,
            spoiled->is_negative ? -G_MAXDOUBLE : G_MAXDOUBLE);
        break;
      case G_TYPE_INT:
        g_value_set_int (value, spoiled->is_negative ? G_MININT : G_MAXINT);
        break;
      case G_TYPE_UINT64:
        g_value_set_uint64 (value, G_MAXUINT64);
        break;
      default:
        g_value_unset (value);
        g_value_init (value, G_TYPE_UINT);
        g_value_set_uint (value, G_MAXUINT);
    }
  }
  return TRUE;
}

static void
set_all_doubles_rec (GstStructure * structure, gdouble number);

static gboolean
set_double (GQuark field, GValue * value, gpointer data)
{
  if (GST_VALUE_HOLDS_STRUCTURE (value)) {
    GstStructure *inside = gst_structure_copy (gst_value_get_structure (value));

    set_all_doubles_rec (inside, *(gdouble *) data);
    g_value_take_boxed (value, inside);
  } else if (G_VALUE_HOLDS_DOUBLE (value)) {
    g_value_set_double (value, *(gdouble *) data);
  }
  return TRUE;
}

static void
set_all_doubles_rec (GstStructure * structure, gdouble number)
{
  gst_structure_map_in_place (structure, set_double, &number);
}

/* The structure of the result of a frame. (transfer full) */
static GstStructure *
make_result (void)
{
  GstHarness *histo = gst_harness_new_parse ("cudahisto backend=cpu "
      "measures=signal+color alerts=black black-duration=0 "
      "regions=\"a=10,10,100,100\"");
  GstStructure *result;
  GstBuffer *buffer;

  gst_harness_set_src_caps_str (histo,
      PLAIN_CAPS ("format=I420, width=320, height=240, framerate=25/1"));
  buffer = overlay_push_value (histo, 0, 0);
  result = gst_structure_copy (gst_custom_meta_get_structure
      (gst_buffer_get_custom_meta (buffer, "cudahisto")));
  gst_buffer_unref (buffer);
  gst_harness_teardown (histo);
  return result;
}

static void
copy_field (const GstStructure * from, GstStructure * to, guint i)
{
  const gchar *name = gst_structure_nth_field_name (from, i);

  gst_structure_set_value (to, name, gst_structure_get_value (from, name));
}

static void
add_result (GstBuffer * buffer, const GstStructure * result)
{
  GstStructure *structure =
      gst_custom_meta_get_structure (gst_buffer_add_custom_meta (buffer,
          "cudahisto"));

  for (gint i = 0; i < gst_structure_n_fields (result); i++)
    copy_field (result, structure, i);
}

/* Pushes a frame with this result. Returns: whether something was drawn into it */
static gboolean
push_result (GstHarness * harness, guint n, const GstStructure * result)
{
  GstBuffer *buffer = test_buffer_new (SIZE * 3 / 2, 70, 0);
  gboolean is_drawn;

  add_result (buffer, result);
  buffer = overlay_push (harness, n, buffer);
  is_drawn = is_changed (buffer, 70);
  gst_buffer_unref (buffer);
  return is_drawn;
}

/* Any number may be anything. Some of these results are refused, and the others are shown. */
TEST (test_hostile)
{
  static const gdouble numbers[] = { 0, -1, 1e300, -1e300 };
  GstHarness *harness = gst_harness_new ("cudahistooverlay");
  GstStructure *result = make_result ();
  const gdouble special[] = { g_strtod ("nan", NULL), g_strtod ("inf", NULL),
    g_strtod ("-inf", NULL)
  };
  guint n = 0, n_drawn = 0;
  gboolean is_over = FALSE;

  gst_harness_set_src_caps_str (harness,
      PLAIN_CAPS ("format=I420, width=320, height=240, framerate=25/1"));
  g_object_set (harness->element, "hold", (guint64) 0, "alert-hold",
      (guint64) 0, NULL);
  for (gint i = 0; !is_over; i++) {
    GstStructure *copy = gst_structure_copy (result);
    Spoiled spoiled = { i / 2, i % 2 };

    gst_structure_map_in_place (copy, spoil, &spoiled);
    is_over = spoiled.left >= 0;
    n_drawn += push_result (harness, n++, copy);
    gst_structure_free (copy);
  }
  fail_unless (n > 300 && n_drawn > 200 && n_drawn < n, "%u of %u", n_drawn, n);
  for (guint i = 0; i < G_N_ELEMENTS (numbers) + G_N_ELEMENTS (special); i++) {
    GstStructure *copy = gst_structure_copy (result);

    set_all_doubles_rec (copy, i < G_N_ELEMENTS (numbers) ? numbers[i] :
        special[i - G_N_ELEMENTS (numbers)]);
    push_result (harness, n++, copy);
    gst_structure_free (copy);
  }
  for (gint i = 0; i < gst_structure_n_fields (result); i++) {
    GstStructure *copy = gst_structure_copy (result);

    gst_structure_remove_field (copy, gst_structure_nth_field_name (result, i));
    push_result (harness, n++, copy);
    gst_structure_free (copy);
  }
  fail_unless (push_result (harness, n++, result));
  gst_structure_free (result);
  gst_harness_teardown (harness);
}

/* ---- Memory ------------------------------------------------------------------------ */

/* Memory that can only be read is copied. */
TEST (test_read_only_memory)
{
  GstHarness *harness = overlay_harness_new ("", "", CAPS, FALSE);
  guint8 *data = g_malloc (SIZE);

  memset (data, 70, SIZE);
  for (guint n = 0; n < 3; n++) {
    GstBuffer *buffer = gst_buffer_new ();

    gst_buffer_append_memory (buffer,
        gst_memory_new_wrapped (GST_MEMORY_FLAG_READONLY, data, SIZE, 0, SIZE,
            NULL, NULL));
    buffer = overlay_push (harness, n, buffer);
    fail_unless (is_changed (buffer, 70));
    for (gsize i = 0; i < SIZE; i++)
      fail_unless (data[i] == 70);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (harness);
  g_free (data);
}

/* A buffer that is too small for its caps passes unchanged, with one warning. */
TEST (test_small_buffers)
{
  GstHarness *harness = gst_harness_new ("cudahistooverlay");
  GstStructure *result = make_result ();
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  guint n_warnings = 0;

  gst_element_set_bus (harness->element, bus);
  gst_harness_set_src_caps_str (harness,
      PLAIN_CAPS ("format=I420, width=640, height=480, framerate=25/1"));
  for (guint n = 0; n < 3; n++)
    fail_if (push_result (harness, n, result));
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING)) != NULL) {
    n_warnings++;
    gst_message_unref (message);
  }
  fail_unless_equals_int (n_warnings, 1);
  gst_structure_free (result);
  gst_element_set_bus (harness->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (harness);
}

/* ---- Video metas ------------------------------------------------------------------- */

#define GUARD 2048               /* bytes before and after a frame: more than a tile */
#define OTHER_BYTE 111

/* A frame in memory that lies between other bytes. */
typedef struct
{
  GstVideoInfo info;
  gsize size;
  guint width, height;          /* of the meta */
  guint8 *bytes;                /* GUARD, the frame, GUARD */
  gsize offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
} GuardedFrame;

static void
guarded_frame_init (GuardedFrame * frame, GstVideoFormat format, guint width,
    guint height)
{
  gst_video_info_set_format (&frame->info, format, width, height);
  frame->info.fps_n = 25;
  frame->size = frame->info.size;
  frame->width = width;
  frame->height = height;
  for (guint p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    frame->offset[p] = frame->info.offset[p];
    frame->stride[p] = frame->info.stride[p];
  }
}

/* Pushes the frame with a video meta and a result. Returns: whether something was drawn. No byte outside
 * of the frame may change. */
static gboolean
push_guarded (GuardedFrame * frame, const GstStructure * result)
{
  GstHarness *harness = gst_harness_new ("cudahistooverlay");
  GstBuffer *buffer = gst_buffer_new ();
  GstBus *bus = gst_bus_new ();
  gboolean is_drawn = FALSE;

  gst_element_set_bus (harness->element, bus);
  frame->bytes = g_malloc (frame->size + 2 * GUARD);
  memset (frame->bytes, OTHER_BYTE, frame->size + 2 * GUARD);
  memset (frame->bytes + GUARD, 70, frame->size);
  gst_buffer_append_memory (buffer, gst_memory_new_wrapped (0,
          frame->bytes + GUARD, frame->size, 0, frame->size, NULL, NULL));
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (&frame->info), frame->width, frame->height,
      frame->info.finfo->n_planes, frame->offset, frame->stride);
  add_result (buffer, result);

  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&frame->info));
  gst_buffer_unref (overlay_push (harness, 0, buffer));
  for (gsize i = 0; i < frame->size; i++)
    is_drawn |= frame->bytes[GUARD + i] != 70;
  for (const guint8 *byte = frame->bytes; byte < frame->bytes + GUARD; byte++)
    fail_unless (byte[0] == OTHER_BYTE
        && byte[GUARD + frame->size] == OTHER_BYTE);
  fail_unless (gst_bus_have_pending (bus) != is_drawn);
  gst_element_set_bus (harness->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (harness);
  g_free (frame->bytes);
  return is_drawn;
}

/* A meta may say anything: nothing outside of the frame's memory is changed. */
TEST (test_hostile_video_metas)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_GRAY8,
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_YUY2,
    GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_I420_10LE,
    GST_VIDEO_FORMAT_NV12_4L4, GST_VIDEO_FORMAT_RGB8P, GST_VIDEO_FORMAT_UYVP,
    GST_VIDEO_FORMAT_NV12_10LE32, GST_VIDEO_FORMAT_RGB
  };
  GstStructure *result = make_result ();
  GRand *random = test_random ();
  guint n_drawn = 0;

  for (guint i = 0; i < 40 * G_N_ELEMENTS (formats); i++) {
    const GstVideoFormat format = formats[i % G_N_ELEMENTS (formats)];
    const guint p = g_rand_int_range (random, 0, 3);
    GuardedFrame frame;

    guarded_frame_init (&frame, format, g_rand_int_range (random, 300, 340),
        g_rand_int_range (random, 220, 260));
    if (g_rand_int_range (random, 0, 3) == 0) {
      frame.width += g_rand_int_range (random, 0, 20) * i;
      frame.height += g_rand_int_range (random, 0, 20);
    }
    switch (g_rand_int_range (random, 0, 8)) {
      case 0:
        frame.offset[p] += g_rand_int_range (random, 0, 3);
        break;
      case 1:
        frame.offset[p] -= g_rand_int_range (random, 0, 3);
        break;
      case 2:
        frame.offset[p] = g_rand_int_range (random, 0, frame.size);
        break;
      case 3:
        frame.stride[p] += g_rand_int_range (random, -3, 4);
        break;
      case 4:
        frame.stride[p] = -frame.stride[p];
        break;
      case 5:
        frame.stride[p] = (gint) g_rand_int (random);
        break;
      case 6:
        frame.size -= g_rand_int_range (random, 0, 700);
        break;
      default:
        break;
    }
    n_drawn += push_guarded (&frame, result);
  }
  fail_unless (n_drawn > 100 && n_drawn < 400, "%u of 480", n_drawn);
  gst_structure_free (result);
  g_rand_free (random);
}

/* Every format, in odd sizes: all bytes are in the frame. In some formats GStreamer writes more than it has
 * allocated, and nothing is drawn. */
TEST (test_sizes_of_frames)
{
  static const guint widths[] = { 318, 319, 320, 321, 322, 323, 307, 313 };
  GPtrArray *formats = test_format_names (GST_VIDEO_CAPS_MAKE
      (GST_VIDEO_FORMATS_ALL));
  GstStructure *result = make_result ();
  guint n_drawn = 0;

  for (guint i = 0; i < formats->len; i++) {
    for (guint w = 0; w < G_N_ELEMENTS (widths); w++) {
      GuardedFrame frame;

      guarded_frame_init (&frame,
          gst_video_format_from_string (formats->pdata[i]), widths[w],
          232 + w);
      n_drawn += push_guarded (&frame, result);
    }
  }
  fail_unless (n_drawn + 16 >= G_N_ELEMENTS (widths) * formats->len, "%u",
      n_drawn);
  g_ptr_array_unref (formats);
  gst_structure_free (result);
}

/* Rows without padding, rows that are cropped from a larger picture, and rows from the bottom to the top. */
TEST (test_video_metas)
{
  GstStructure *result = make_result ();
  GuardedFrame frame;

  guarded_frame_init (&frame, GST_VIDEO_FORMAT_GRAY8, 321, 240);
  frame.stride[0] = 321;
  frame.size = 321 * 240;
  fail_unless (push_guarded (&frame, result));
  frame.size--;
  fail_if (push_guarded (&frame, result));

  guarded_frame_init (&frame, GST_VIDEO_FORMAT_GRAY8, 319, 240);
  frame.offset[0] = 1;
  frame.size = 320 * 240;
  fail_unless (push_guarded (&frame, result));

  guarded_frame_init (&frame, GST_VIDEO_FORMAT_GRAY8, 320, 240);
  frame.offset[0] = 320 * 239;
  frame.stride[0] = -320;
  fail_unless (push_guarded (&frame, result));
  frame.offset[0]--;
  fail_if (push_guarded (&frame, result));
  gst_structure_free (result);
}

/* A meta of another picture than that of the caps: the frame goes on without an overlay. */
TEST (test_contradictory_video_meta)
{
  GstHarness *harness = overlay_harness_new ("every=2", "", CAPS, FALSE);

  gst_buffer_unref (overlay_push_value (harness, 0, 70));
  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = test_buffer_new (SIZE, 70, 0);

    gst_buffer_add_video_meta (buffer, GST_VIDEO_FRAME_FLAG_NONE, i == 0 ?
        GST_VIDEO_FORMAT_BGRx : GST_VIDEO_FORMAT_GRAY8, i == 1 ? 319 : 320,
        i == 2 ? 239 : 240);
    buffer = overlay_push (harness, 1, buffer);
    fail_if (is_changed (buffer, 70));
    gst_buffer_unref (buffer);
    gst_buffer_unref (overlay_push_value (harness, 2, 70));
  }
  gst_harness_teardown (harness);
}

/* Pushes a frame that is not measured, whose meta maps @pixels. Its own memory does not change. */
static void
push_with_own_map (GstHarness * harness, guint n, guint8 * pixels)
{
  GstBuffer *buffer = test_buffer_new (SIZE, 70, 0);
  GstVideoMeta *meta = gst_buffer_add_video_meta (buffer,
      GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 320, 240);

  test_meta_map_own_pixels (meta, pixels);
  buffer = overlay_push (harness, n, buffer);
  fail_if (is_changed (buffer, 70));
  gst_buffer_unref (buffer);
}

/* The overlay is drawn into the pixels that the meta's own function maps. If it maps none, nothing is
 * drawn. */
TEST (test_meta_with_own_map)
{
  GstHarness *harness = overlay_harness_new ("every=3", "", CAPS, FALSE);
  guint8 *pixels = g_malloc (SIZE);
  guint n_drawn = 0;

  memset (pixels, 70, SIZE);
  gst_buffer_unref (overlay_push_value (harness, 0, 70));
  push_with_own_map (harness, 1, NULL);
  push_with_own_map (harness, 2, pixels);
  for (guint i = 0; i < SIZE; i++)
    n_drawn += pixels[i] != 70;
  fail_unless (n_drawn > 100, "%u pixels", n_drawn);
  gst_harness_teardown (harness);
  g_free (pixels);
}

TEST_MAIN (60)
