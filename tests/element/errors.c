/* Bad buffers, bad caps and bad settings: one clear message, never a crash or a wrong number.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "frames.h"

#include <dlfcn.h>
#include <math.h>

#define NV12_CAPS \
    "video/x-raw, format=NV12, width=16, height=8, framerate=25/1"
#define NV12_SIZE (16 * 12)
#define AUDIO_CAPS "audio/x-raw, format=S16LE, rate=8000, channels=2, " \
    "layout=interleaved"
#define PLANAR_CAPS "audio/x-raw, format=S16LE, rate=8000, channels=2, " \
    "layout=non-interleaved"

/* ---- Errors and what follows them ----------------------------------------------------------- */

/* All bytes are 7. */
static GstBuffer *
make_buffer (gsize size)
{
  return test_buffer_new (size, 7, 0);
}

/* The buffer has a result. @buffer: (transfer full) */
static void
check_result (GstBuffer * buffer, const gchar * component)
{
  fail_unless (buffer != NULL);
  fail_unless_equals_float (test_get_double (test_component (test_result
              (buffer), component), "max"),
      g_str_has_prefix (component, "ch") ? 0x0707 : 7);
  gst_buffer_unref (buffer);
}

/* Stops and starts the element. */
static void
start_again (GstHarness * harness, const gchar * caps)
{
  fail_unless_equals_int (gst_element_set_state (harness->element,
          GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  fail_unless_equals_int (gst_element_set_state (harness->element,
          GST_STATE_PLAYING), GST_STATE_CHANGE_SUCCESS);
  test_restart_stream (harness, caps);
}

/* Pushes two good buffers of this size and then the bad one, twice, with a restart after each. The
 * good buffers must leave the element, the bad one must not. @bad: (transfer full) */
static void
check_bad_buffer (const gchar * caps, gsize size, const gchar * component,
    GstBuffer * bad)
{
  GstHarness *harness = test_harness_new (NULL);

  gst_harness_set_src_caps_str (harness, caps);
  for (guint round = 0; round < 2; round++) {
    for (guint i = 0; i < 2; i++)
      fail_unless_equals_int (gst_harness_push (harness, make_buffer (size)),
          GST_FLOW_OK);
    fail_unless_equals_int (gst_harness_push (harness, gst_buffer_ref (bad)),
        GST_FLOW_ERROR);
    test_check_error (harness, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, caps);
    for (guint i = 0; i < 2; i++)
      check_result (gst_harness_pull (harness), component);
    start_again (harness, caps);
    fail_unless (gst_harness_try_pull (harness) == NULL);
  }
  gst_buffer_unref (bad);
  test_harness_free (harness);
}

/* ---- Video buffers -------------------------------------------------------------------------- */

static const gsize good_offsets[GST_VIDEO_MAX_PLANES] = { 0, 16 * 8 };
static const gint good_strides[GST_VIDEO_MAX_PLANES] = { 16, 16 };

static GstBuffer *
with_meta (gsize size, GstVideoFormat format, guint width, guint height,
    guint n_planes, const gsize * offsets, const gint * strides)
{
  GstBuffer *buffer = make_buffer (size);
  GstVideoMeta *meta = gst_buffer_add_video_meta_full (buffer, 0,
      GST_VIDEO_FORMAT_NV12, width, height, 2, (gsize *) good_offsets,
      (gint *) good_strides);

  meta->format = format;
  meta->n_planes = n_planes;
  for (guint p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    meta->offset[p] = offsets[p];
    meta->stride[p] = strides[p];
  }
  return buffer;
}

/* Buffers smaller than their picture. */
TEST (test_video_too_small)
{
  static const gsize sizes[] = { NV12_SIZE - 1, 16 * 8, 1, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    check_bad_buffer (NV12_CAPS, NV12_SIZE, "Y", make_buffer (sizes[i]));
    check_bad_buffer (NV12_CAPS, NV12_SIZE, "V", with_meta (sizes[i],
            GST_VIDEO_FORMAT_NV12, 16, 8, 2, good_offsets, good_strides));
  }
  check_bad_buffer (NV12_CAPS, NV12_SIZE, "U", gst_buffer_new ());
}

/* GStreamer unpacks tiles and palettes. It must not read beyond the buffer. */
TEST (test_unpacked_too_small)
{
  static const gchar *const formats[] = { "NV12_64Z32", "RGB8P", "NV12_4L4",
    "NV12_10BE_8L128"
  };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    gchar *caps = g_strdup_printf ("video/x-raw, format=%s, width=70, "
        "height=40, framerate=25/1", formats[i]);
    GstCaps *parsed = gst_caps_from_string (caps);
    GstVideoInfo info;

    if (gst_video_info_from_caps (&info, parsed)) {
      GstBuffer *bad = make_buffer (info.size - 1);
      GstHarness *harness = test_harness_new (NULL);
      gint stride[GST_VIDEO_MAX_PLANES] = { 1, 1, 1, 1 };

      gst_harness_set_src_caps_str (harness, caps);
      fail_unless_equals_int (gst_harness_push (harness, bad), GST_FLOW_ERROR);
      test_check_error (harness, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
          caps);
      start_again (harness, caps);
      bad = make_buffer (info.size);
      gst_buffer_add_video_meta_full (bad, 0, GST_VIDEO_INFO_FORMAT (&info), 70,
          40, GST_VIDEO_INFO_N_PLANES (&info), info.offset, stride);
      fail_unless_equals_int (gst_harness_push (harness, bad), GST_FLOW_ERROR);
      test_check_error (harness, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
          caps);
      start_again (harness, caps);
      fail_unless_equals_int (gst_harness_push (harness,
              make_buffer (info.size)), GST_FLOW_OK);
      gst_buffer_unref (gst_harness_pull (harness));
      test_harness_free (harness);
    }
    gst_caps_unref (parsed);
    g_free (caps);
  }
}

/* Offsets and strides that point outside the buffer, before it or after it. */
TEST (test_video_meta_outside)
{
  static const struct
  {
    gsize offsets[GST_VIDEO_MAX_PLANES];
    gint strides[GST_VIDEO_MAX_PLANES];
  } layouts[] = {
    /* *INDENT-OFF* */
    { { 0, 16 * 8 + 1 }, { 16, 16 } },
    { { 0, NV12_SIZE }, { 16, 16 } },
    { { 0, NV12_SIZE - 1 }, { 16, 16 } },
    { { 0, G_MAXSIZE }, { 16, 16 } },
    { { G_MAXSIZE - 8, 16 * 8 }, { 16, 16 } },
    { { (gsize) 1 << 63, 16 * 8 }, { 16, 16 } },
    { { 0, 16 * 8 }, { 16, 17 } },
    { { 0, 16 * 8 }, { 28, 16 } },
    { { 0, 16 * 8 }, { G_MAXINT, 16 } },
    { { 0, 16 * 8 }, { 16, G_MAXINT } },
    { { 0, 16 * 8 }, { -16, 16 } },
    { { 16 * 7 - 1, 16 * 8 }, { -16, 16 } },
    { { 0, 16 * 8 }, { G_MININT, 16 } },
    { { 0, 16 * 2 }, { 16, -16 } },
    /* *INDENT-ON* */
  };

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    check_bad_buffer (NV12_CAPS, NV12_SIZE, "Y", with_meta (NV12_SIZE,
            GST_VIDEO_FORMAT_NV12, 16, 8, 2, layouts[i].offsets,
            layouts[i].strides));
}

/* A video meta whose format or size is not that of the caps. */
TEST (test_video_meta_contradicts)
{
  static const struct
  {
    GstVideoFormat format;
    guint width, height, n_planes;
  } metas[] = {
    {GST_VIDEO_FORMAT_NV21, 16, 8, 2},
    {GST_VIDEO_FORMAT_UNKNOWN, 16, 8, 2},
    {GST_VIDEO_FORMAT_NV12, 15, 8, 2},
    {GST_VIDEO_FORMAT_NV12, 16, 7, 2},
    {GST_VIDEO_FORMAT_NV12, 0, 0, 2},
    {GST_VIDEO_FORMAT_NV12, 16, 8, 1},
    {GST_VIDEO_FORMAT_NV12, 16, 8, 0},
    {GST_VIDEO_FORMAT_NV12, 16, 8, 4},
    {GST_VIDEO_FORMAT_NV12, 16, 8, G_MAXUINT},
  };

  for (guint i = 0; i < G_N_ELEMENTS (metas); i++)
    check_bad_buffer (NV12_CAPS, NV12_SIZE, "Y", with_meta (NV12_SIZE,
            metas[i].format, metas[i].width, metas[i].height,
            metas[i].n_planes, good_offsets, good_strides));
}

/* A crop meta that leaves nothing of the frame. */
TEST (test_crop_meta)
{
  static const guint crops[][4] = {
    {16, 0, 1, 1}, {0, 8, 1, 1}, {G_MAXUINT, G_MAXUINT, 2, 2}, {0, 0, 0, 8},
    {3, 3, 4, 0}
  };

  for (guint i = 0; i < G_N_ELEMENTS (crops); i++) {
    GstBuffer *buffer = with_meta (NV12_SIZE, GST_VIDEO_FORMAT_NV12, 16, 8, 2,
        good_offsets, good_strides);
    GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);

    crop->x = crops[i][0];
    crop->y = crops[i][1];
    crop->width = crops[i][2];
    crop->height = crops[i][3];
    check_bad_buffer (NV12_CAPS, NV12_SIZE, "Y", buffer);
  }
}

static gboolean
map_behind (GstVideoMeta * meta, guint plane, GstMapInfo * info,
    gpointer * data, gint * stride, GstMapFlags flags)
{
  if (!gst_buffer_map (meta->buffer, info, flags))
    return FALSE;
  *data = info->data + info->size + 1;
  *stride = meta->stride[plane];
  return TRUE;
}

/* Without an address, and without a size. */
static gboolean
map_nothing (GstVideoMeta * meta, guint plane, GstMapInfo * info,
    gpointer * data, gint * stride, GstMapFlags flags)
{
  *data = NULL;
  *stride = meta->stride[plane];
  return TRUE;
}

static gboolean
map_before (GstVideoMeta * meta, guint plane, GstMapInfo * info,
    gpointer * data, gint * stride, GstMapFlags flags)
{
  /* Without the flags that only GStreamer's own function keeps. */
  if (!gst_buffer_map (meta->buffer, info, GST_MAP_READ))
    return FALSE;
  *data = info->data - 1;
  *stride = meta->stride[plane];
  return TRUE;
}

static gboolean
unmap_buffer (GstVideoMeta * meta, guint plane, GstMapInfo * info)
{
  if (info->memory != NULL)
    gst_buffer_unmap (meta->buffer, info);
  return TRUE;
}

/* The meta's own function says that the planes begin outside of the memory that it has mapped, or
 * nowhere. */
TEST (test_video_meta_maps_outside)
{
  static gboolean (*const maps[]) (GstVideoMeta *, guint, GstMapInfo *,
      gpointer *, gint *, GstMapFlags) = {
    map_behind, map_before, map_nothing
  };

  for (guint i = 0; i < G_N_ELEMENTS (maps); i++) {
    GstBuffer *buffer = with_meta (NV12_SIZE, GST_VIDEO_FORMAT_NV12, 16, 8, 2,
        good_offsets, good_strides);
    GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

    meta->map = maps[i];
    meta->unmap = unmap_buffer;
    check_bad_buffer (NV12_CAPS, NV12_SIZE, "Y", buffer);
  }
}

/* An allocator whose memory cannot be mapped. */
typedef GstAllocator Unmappable;
typedef GstAllocatorClass UnmappableClass;

static GType unmappable_get_type (void);
G_DEFINE_TYPE (Unmappable, unmappable, GST_TYPE_ALLOCATOR);

static GstMemory *
unmappable_alloc (GstAllocator * allocator, gsize size,
    GstAllocationParams * params)
{
  GstMemory *memory = g_new0 (GstMemory, 1);

  gst_memory_init (memory, GST_MEMORY_FLAG_NO_SHARE, allocator, NULL, size, 0,
      0, size);
  return memory;
}

static void
unmappable_free (GstAllocator * allocator, GstMemory * memory)
{
  g_free (memory);
}

static gpointer
unmappable_map (GstMemory * memory, gsize size, GstMapFlags flags)
{
  return NULL;
}

static void
unmappable_init (Unmappable * allocator)
{
  allocator->mem_map = unmappable_map;
}

static void
unmappable_class_init (UnmappableClass * klass)
{
  klass->alloc = unmappable_alloc;
  klass->free = unmappable_free;
}

/* @buffer: (transfer full). Returns: (transfer full): the buffer with so many bytes more */
static GstBuffer *
append_unmappable (GstBuffer * buffer, gsize size)
{
  GstAllocator *allocator = g_object_new (unmappable_get_type (), NULL);

  gst_buffer_append_memory (buffer, gst_allocator_alloc (allocator, size,
          NULL));
  gst_object_unref (allocator);
  return buffer;
}

/* Memory that cannot be mapped. */
TEST (test_unmappable_memory)
{
  const gsize begin = 16 * 8 + 16 * 2;

  check_bad_buffer (NV12_CAPS, NV12_SIZE, "Y",
      append_unmappable (gst_buffer_new (), NV12_SIZE));
  /* Both planes begin in memory that can be mapped, but the second one ends in other memory. */
  check_bad_buffer (NV12_CAPS, NV12_SIZE, "V",
      append_unmappable (with_meta (begin, GST_VIDEO_FORMAT_NV12, 16, 8, 2,
              good_offsets, good_strides), NV12_SIZE - begin));
  check_bad_buffer (AUDIO_CAPS, 40, "ch1",
      append_unmappable (gst_buffer_new (), 40));
  check_bad_buffer (AUDIO_CAPS, 40, "ch1",
      append_unmappable (make_buffer (20), 20));
}

/* ---- Audio buffers -------------------------------------------------------------------------- */

/* The size is not a whole number of samples. */
TEST (test_audio_no_whole_sample)
{
  static const gsize sizes[] = { 1, 2, 3, 41 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    check_bad_buffer (AUDIO_CAPS, 40, "ch1", make_buffer (sizes[i]));
    check_bad_buffer (PLANAR_CAPS, 40, "ch1", make_buffer (sizes[i]));
  }
}

static GstBuffer *
with_audio_meta (const gchar * caps, gsize samples, gsize offset)
{
  GstBuffer *buffer = make_buffer (40);
  GstCaps *parsed = gst_caps_from_string (caps);
  GstAudioMeta *meta;
  GstAudioInfo info;

  fail_unless (gst_audio_info_from_caps (&info, parsed));
  meta = gst_buffer_add_audio_meta (buffer, &info, 40 / info.bpf, NULL);
  meta->samples = samples;
  if (meta->offsets != NULL)
    meta->offsets[info.channels - 1] = offset;
  gst_caps_unref (parsed);
  return buffer;
}

/* Channels that begin or end outside the buffer. */
TEST (test_audio_meta_outside)
{
  static const struct
  {
    gsize samples, offset;
  } layouts[] = {
    {10, 21}, {10, 22}, {10, 40}, {11, 20}, {1, 39}, {10, G_MAXSIZE},
    {10, G_MAXSIZE - 1}, {G_MAXSIZE, 20}, {G_MAXSIZE / 2 + 1, 20},
    {G_MAXSIZE / 4 + 1, 0}, {(gsize) 1 << 63, 0}
  };

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    check_bad_buffer (PLANAR_CAPS, 40, "ch0", with_audio_meta (PLANAR_CAPS,
            layouts[i].samples, layouts[i].offset));
  check_bad_buffer (AUDIO_CAPS, 40, "ch0", with_audio_meta (AUDIO_CAPS, 11, 0));
  check_bad_buffer (AUDIO_CAPS, 40, "ch0", with_audio_meta (AUDIO_CAPS,
          G_MAXSIZE / 4 + 2, 0));
}

/* An audio meta whose format or layout is not that of the caps. */
TEST (test_audio_meta_contradicts)
{
  static const gchar *const others[] = {
    "audio/x-raw, format=S16LE, rate=8000, channels=1, layout=non-interleaved",
    "audio/x-raw, format=S16LE, rate=8000, channels=4, layout=non-interleaved, "
        "channel-mask=(bitmask)0",
    "audio/x-raw, format=S16BE, rate=8000, channels=2, layout=non-interleaved",
    "audio/x-raw, format=S8, rate=8000, channels=2, layout=non-interleaved",
    AUDIO_CAPS
  };

  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    GstCaps *caps = gst_caps_from_string (others[i]);
    GstAudioInfo info;

    fail_unless (gst_audio_info_from_caps (&info, caps));
    gst_caps_unref (caps);
    check_bad_buffer (PLANAR_CAPS, 40, "ch0", with_audio_meta (others[i],
            40 / info.bpf, (info.channels - 1) * 40 / info.channels));
  }
}

/* ---- Caps ----------------------------------------------------------------------------------- */

/* A buffer before the first caps is a negotiation error. */
TEST (test_buffer_before_caps)
{
  GstHarness *harness = test_harness_new (NULL);

  gst_harness_push_event (harness, gst_event_new_stream_start ("x"));
  test_push_segment (harness);
  fail_unless_equals_int (gst_harness_push (harness, make_buffer (10)),
      GST_FLOW_NOT_NEGOTIATED);
  test_check_error (harness, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      "no caps");
  /* The next one is refused without another message, also if nothing is to be measured. */
  for (guint i = 0; i < 2; i++) {
    g_object_set (harness->element, "meta", i == 0, NULL);
    fail_unless_equals_int (gst_harness_push (harness, make_buffer (10)),
        GST_FLOW_NOT_NEGOTIATED);
  }
  fail_unless (test_pop_message (harness, GST_MESSAGE_ERROR) == NULL);
  g_object_set (harness->element, "meta", TRUE, NULL);
  start_again (harness, NV12_CAPS);
  check_result (gst_harness_push_and_pull (harness, make_buffer (NV12_SIZE)),
      "Y");
  test_harness_free (harness);
}

/* The debug text of an error has the caps, and the place where the fault was met. */
TEST (test_debug_text)
{
  GstHarness *harness = test_harness_new (NULL);
  g_autofree gchar *debug = NULL;
  GstMessage *message;

  gst_harness_set_src_caps_str (harness, NV12_CAPS);
  fail_unless_equals_int (gst_harness_push (harness, make_buffer (NV12_SIZE - 1)), GST_FLOW_ERROR);
  message = test_pop_message (harness, GST_MESSAGE_ERROR);
  gst_message_parse_error (message, NULL, &debug);
  fail_unless (strstr (debug, "intake.c") != NULL && strstr (debug, "caps of sink: video/x-raw, format=(string)NV12") != NULL,
      "%s", debug);
  gst_message_unref (message);
  test_harness_free (harness);
}

/* Caps that the template accepts although they make no sense: one error. Other caps work
 * afterwards. */
TEST (test_senseless_caps)
{
  static const gchar *const senseless[] = {
    "audio/x-raw, format=S16LE, rate=8000, channels=3, layout=interleaved",
    "audio/x-raw, format=S16LE, rate=8000, channels=5000, layout=interleaved, "
        "channel-mask=(bitmask)0",
    "video/x-raw, format=RGBA, width=2147483647, height=2147483647, "
        "framerate=25/1",
  };

  for (guint i = 0; i < G_N_ELEMENTS (senseless); i++) {
    GstHarness *harness = test_harness_new (NULL);
    GstCaps *caps = gst_caps_from_string (senseless[i]);
    GstCaps *good = gst_caps_from_string (NV12_CAPS);
    GstPad *sinkpad = gst_pad_get_peer (harness->srcpad);

    gst_harness_push_event (harness, gst_event_new_stream_start ("x"));
    /* Sent to the pad, because pushing a sticky event always returns TRUE. */
    fail_if (gst_pad_send_event (sinkpad, gst_event_new_caps (caps)), "%s",
        senseless[i]);
    test_check_error (harness, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        senseless[i]);
    fail_unless (gst_harness_push_event (harness, gst_event_new_caps (good)));
    test_push_segment (harness);
    check_result (gst_harness_push_and_pull (harness,
            make_buffer (NV12_SIZE)), "Y");
    gst_caps_unref (caps);
    gst_caps_unref (good);
    gst_object_unref (sinkpad);
    test_harness_free (harness);
  }
}

/* More channels than the pad template has are an error that names the limit, not just a failed
 * negotiation. */
TEST (test_too_many_channels)
{
  static const gchar caps[] = "audio/x-raw, format=S16LE, rate=8000, "
      "channels=%d, layout=interleaved, channel-mask=(bitmask)0";
  GstHarness *harness = test_harness_new (NULL);
  GstPadTemplate *template = gst_element_get_pad_template (harness->element,
      "sink");
  GError *error = NULL;
  GstMessage *message;

  for (guint more = 0; more <= 1; more++) {
    gchar *text = g_strdup_printf (caps, 4096 + more);
    GstCaps *its_caps = gst_caps_from_string (text);
    GstCaps *allowed = gst_pad_template_get_caps (template);

    fail_unless_equals_int (gst_caps_is_subset (its_caps, allowed), !more);
    fail_unless_equals_int (gst_pad_peer_query_accept_caps (harness->srcpad,
            its_caps), TRUE);
    gst_harness_set_src_caps (harness, its_caps);
    message = test_pop_message (harness, GST_MESSAGE_ERROR);
    fail_unless_equals_int (message != NULL, more);
    gst_caps_unref (allowed);
    g_free (text);
  }
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, "4097 channels") != NULL
      && strstr (error->message, "1 to 4096 channels") != NULL, "%s",
      error->message);
  g_error_free (error);
  gst_message_unref (message);
  test_harness_free (harness);
}

/* Sound whose loudness libebur128 cannot measure: one error with the first buffer. Other caps work
 * afterwards. */
TEST (test_loudness_of_many_channels)
{
  static const gchar caps[] = "audio/x-raw, format=S16LE, rate=48000, "
      "channels=65, channel-mask=(bitmask)0, layout=interleaved";
  GstHarness *harness = test_harness_new (NULL);
  GstFlowReturn flow;
  GstMessage *message;
  GError *error;

  gst_util_set_object_arg (G_OBJECT (harness->element), "measures", "loudness");
  if (test_count_messages (harness, GST_MESSAGE_WARNING) > 0) {
    g_print ("skipped: built without libebur128\n");
    test_harness_free (harness);
    return;
  }
  gst_harness_set_src_caps_str (harness, caps);
  gst_harness_push (harness, make_buffer (65 * 2));
  message = test_wait_message (harness, GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_STREAM_ERROR,
          GST_STREAM_ERROR_FORMAT));
  g_error_free (error);
  gst_message_unref (message);
  /* The task posts the message before upstream gets the flow return. */
  do {
    flow = gst_harness_push (harness, make_buffer (65 * 2));
  } while (flow == GST_FLOW_OK);
  fail_unless_equals_int (flow, GST_FLOW_ERROR);
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_ERROR), 0);
  fail_unless (gst_harness_try_pull (harness) == NULL);
  start_again (harness, AUDIO_CAPS);
  fail_unless_equals_int (gst_harness_push (harness, make_buffer (64)),
      GST_FLOW_OK);
  check_result (gst_harness_pull (harness), "ch0");
  test_harness_free (harness);
}

/* ---- Settings ------------------------------------------------------------------------------- */

/* A warning is next on the bus. Its texts contain this word. */
static void
check_warning (GstHarness * harness, const gchar * word)
{
  GstMessage *message = test_pop_message (harness, GST_MESSAGE_WARNING);
  gchar *details = NULL, *texts;
  GError *error = NULL;

  fail_unless (message != NULL, "no warning of %s was posted", word);
  gst_message_parse_warning (message, &error, &details);
  texts = g_strconcat (error->message, " ", details, NULL);
  fail_unless (strstr (texts, word) != NULL, "no %s in: %s", word, texts);
  g_free (texts);
  g_free (details);
  g_error_free (error);
  gst_message_unref (message);
}

/* So many warnings were posted, and the properties have these values. */
static void
check_settings (GstHarness * harness, guint n_warnings, guint bins,
    gdouble range_min, gdouble range_max)
{
  guint its_bins = 0;
  gdouble min = 1, max = 1;
  GstMessage *message;

  for (guint i = 0; i < n_warnings; i++) {
    message = test_pop_message (harness, GST_MESSAGE_WARNING);
    fail_unless (message != NULL, "no warning was posted");
    gst_message_unref (message);
  }
  message = test_pop_message (harness, GST_MESSAGE_WARNING);
  fail_unless (message == NULL, "one more warning was posted");
  g_object_get (harness->element, "bins", &its_bins, "range-min", &min,
      "range-max", &max, NULL);
  fail_unless_equals_int (its_bins, bins);
  fail_unless_equals_float (min, range_min);
  fail_unless_equals_float (max, range_max);
}

/* GObject itself refuses the value, with a warning or, in newer versions, a critical. */
static void
set_refused (GstElement * element, const gchar * property, gdouble value)
{
  GLogLevelFlags fatal = g_log_set_always_fatal (G_LOG_FATAL_MASK);

  _gst_check_raised_critical = _gst_check_raised_warning = FALSE;
  _gst_check_expecting_log = TRUE;
  g_object_set (element, property, value, NULL);
  _gst_check_expecting_log = FALSE;
  g_log_set_always_fatal (fatal);
  fail_unless (_gst_check_raised_critical || _gst_check_raised_warning);
}

/* Too many bins: a warning is posted, and the previous number is kept. */
TEST (test_impossible_bins)
{
  GstHarness *harness = test_harness_new (NULL);
  GstElement *element = harness->element;

  g_object_set (element, "bins", 65536, NULL);
  check_settings (harness, 0, 65536, 0, 0);
  g_object_set (element, "bins", 65537, NULL);
  check_warning (harness, "at most 65536 bins");
  check_settings (harness, 0, 65536, 0, 0);
  g_object_set (element, "bins", G_MAXUINT, NULL);
  check_settings (harness, 1, 65536, 0, 0);
  set_refused (element, "range-max", NAN);
  set_refused (element, "range-min", NAN);
  set_refused (element, "range-min", -INFINITY);
  check_settings (harness, 0, 65536, 0, 0);
  test_harness_free (harness);
}

/* Sets a range, in both orders, and measures a frame: @n_warnings are posted, and the range in force is
 * @min to @max. */
static void
check_range (GstHarness * harness, gdouble wanted_min, gdouble wanted_max,
    guint n_warnings, gdouble min, gdouble max)
{
  for (guint i = 0; i < 2; i++) {
    if (i == 0)
      g_object_set (harness->element, "range-min", wanted_min, "range-max",
          wanted_max, NULL);
    else
      g_object_set (harness->element, "range-max", wanted_max, "range-min",
          wanted_min, "histogram", FALSE, "bins", 11, "bins", 10, NULL);
    check_result (gst_harness_push_and_pull (harness, make_buffer (NV12_SIZE)),
        "Y");
    check_settings (harness, n_warnings, 10, min, max);
  }
  fail_unless (test_pop_message (harness, GST_MESSAGE_ERROR) == NULL);
}

/* An impossible range: a warning is posted when the next buffer is measured, and the previous range stays in
 * force. At first that is the range of the format, 0 and 0. */
TEST (test_impossible_ranges)
{
  GstHarness *harness = test_harness_new ("range-min=16 bins=10");
  GstElement *element = harness->element;

  check_settings (harness, 0, 10, 16, 0);
  gst_harness_set_src_caps_str (harness, NV12_CAPS);
  check_warning (harness, "range-min=16 range-max=0");
  check_settings (harness, 0, 10, 0, 0);
  check_range (harness, 17, 0, 1, 0, 0);

  check_range (harness, 16, 235, 0, 16, 235);
  check_range (harness, 235, 235, 1, 16, 235);
  check_range (harness, 16, 15, 1, 16, 235);
  check_range (harness, 16, G_MAXDOUBLE, 0, 16, G_MAXDOUBLE);
  /* The width of this range is more than any double. */
  check_range (harness, -G_MAXDOUBLE, G_MAXDOUBLE, 1, 16, G_MAXDOUBLE);
  check_range (harness, -10, -5, 0, -10, -5);
  check_range (harness, 0, -5, 1, -10, -5);
  check_range (harness, -7, 0, 0, -7, 0);
  check_range (harness, 0, 0, 0, 0, 0);

  /* The bound that was refused waits for the other one. */
  check_range (harness, 300, 200, 1, 0, 0);
  g_object_set (element, "range-max", 400.0, NULL);
  check_settings (harness, 0, 10, 300, 400);
  check_result (gst_harness_push_and_pull (harness, make_buffer (NV12_SIZE)),
      "Y");
  check_settings (harness, 0, 10, 300, 400);

  /* An impossible range gives way to the last possible one, though no buffer had it. */
  g_object_set (element, "range-min", 20.0, "range-max", 30.0, NULL);
  check_range (harness, 30, 5, 1, 20, 30);
  test_harness_free (harness);
}

/* Texts that are no edges: a warning that says why, and the previous ones stay. */
TEST (test_impossible_edges)
{
  g_autofree gchar *huge = g_strnfill (10 << 20, '7'), *many = NULL;
  const struct
  {
    const gchar *text, *word;
  } wrong[] = {
    {"5", "one edge"}, {" ", "edge 1"}, {",", "edge 1"}, {"1,", "edge 2"}, {"1,,2", "edge 2"}, {"1,nan", "edge 2"},
    {"-inf,1", "edge 1"}, {"0,inf", "edge 2"}, {"0,+Infinity", "edge 2"}, {"0,1e999", "edge 2"}, {"2,1", "not above"},
    {"1,2,2", "edge 3, 2, is not above edge 2"}, {"0,-0", "not above"}, {"0,0x10", "0x10"}, {"0,-0X1p3", "0X1p3"},
    {"0 1", "edge 1"}, {"0;1", "edge 1"}, {"0,1 2", "edge 2"}, {"1,2,x", "edge 3"}, {"1\3770,2", "edge 1"}, {huge, "edge 1"},
    {"0,1e-400", "not above"}, {"1,5,2,5", "edge 3"}, {NULL, "more than 65537"},
  };
  GstHarness *harness = test_harness_new ("bin-edges=1,7");
  GString *text = g_string_new ("0");
  gchar *found;

  for (guint i = 1; i <= 65537; i++)
    g_string_append_printf (text, ",%u", i);
  many = g_string_free (text, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_object_set (harness->element, "bin-edges", wrong[i].text != NULL ? wrong[i].text : many, NULL);
    check_warning (harness, wrong[i].word);
    g_object_get (harness->element, "bin-edges", &found, NULL);
    fail_unless_equals_string (found, "1,7");
    g_free (found);
  }
  gst_harness_set_src_caps_str (harness, NV12_CAPS);
  check_result (gst_harness_push_and_pull (harness, make_buffer (NV12_SIZE)), "Y");
  fail_unless (test_pop_message (harness, GST_MESSAGE_ERROR) == NULL);
  test_harness_free (harness);
}

/* Settings of bins that exclude each other are an error, in whatever order they are set; when they no longer do, the element
 * measures. */
TEST (test_edges_exclude)
{
  static const struct
  {
    const gchar *properties, *word, *other;
    const gchar *preset;
  } all[] = {
    {"bins=10 bin-edges=1,2", "bin-edges and bins exclude", "bins", "0"},
    {"bin-edges=1,2 bins=10", "bin-edges and bins exclude", "bins", "0"},
    {"range-max=10 bin-edges=1,2", "bin-edges and range-min, range-max exclude", "range-max", "0"},
    {"bin-edges=1,2 range-min=-3 range-max=-2", "bin-edges and range-min, range-max exclude", "bin-edges", NULL},
  };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    GstHarness *harness = test_harness_new (all[i].properties);
    GstMessage *message;
    g_autoptr (GError) error = NULL;

    gst_harness_set_src_caps_str (harness, NV12_CAPS);
    fail_unless_equals_int (gst_harness_push (harness, make_buffer (NV12_SIZE)), GST_FLOW_ERROR);
    message = test_pop_message (harness, GST_MESSAGE_ERROR);
    fail_unless (message != NULL);
    gst_message_parse_error (message, &error, NULL);
    gst_message_unref (message);
    fail_unless (g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS));
    fail_unless (strstr (error->message, all[i].word) != NULL, "%s", error->message);
    fail_unless (test_pop_message (harness, GST_MESSAGE_ERROR) == NULL);
    if (all[i].preset != NULL)
      gst_util_set_object_arg (G_OBJECT (harness->element), all[i].other, all[i].preset);
    else
      g_object_set (harness->element, all[i].other, NULL, NULL);
    start_again (harness, NV12_CAPS);
    check_result (gst_harness_push_and_pull (harness, make_buffer (NV12_SIZE)), "Y");
    fail_unless (test_pop_message (harness, GST_MESSAGE_ERROR) == NULL);
    test_harness_free (harness);
  }
}

/* ---- The device ----------------------------------------------------------------------------- */

static gboolean
there_is_a_driver (void)
{
  void *library = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

  if (library != NULL)
    dlclose (library);
  return library != NULL || test_backend_is_cuda ();
}

/* Without a driver backend=cuda is an error that names what is missing, and backend=auto is no
 * error. */
TEST (test_no_device)
{
  GstElement *element = gst_element_factory_make ("cudahisto", NULL);
  GstBus *bus = gst_bus_new ();
  gchar *details = NULL;
  GError *error = NULL;
  GstMessage *message;

  if (there_is_a_driver ()) {
    g_print ("skipped: there is a CUDA driver\n");
    gst_object_unref (bus);
    gst_object_unref (element);
    return;
  }
  gst_element_set_bus (element, bus);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cuda");
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, &details);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_NOT_FOUND));
  /* gst-launch prints the text first, and the details far below. */
  fail_unless (strstr (error->message, "libcuda") != NULL
      || strstr (error->message, "without CUDA") != NULL, "%s", error->message);
  fail_unless (strstr (error->message, "backend=cuda") != NULL);
  fail_unless (strstr (details, "libcuda") != NULL
      || strstr (details, "without CUDA") != NULL, "%s", details);
  gst_message_unref (message);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);

  gst_element_set_state (element, GST_STATE_NULL);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "auto");
  test_set_state (element, GST_STATE_PAUSED);
  fail_unless (test_send_gray_caps (element));
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR
          | GST_MESSAGE_WARNING) == NULL);
  test_set_state (element, GST_STATE_READY);
  /* Also if it is set in READY, and it works again after it was set back. */
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cuda");
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_unref (message);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cpu");
  test_set_state (element, GST_STATE_PAUSED);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
  g_error_free (error);
  g_free (details);
}

TEST_MAIN (5)
