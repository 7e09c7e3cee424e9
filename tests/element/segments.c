/* What lies outside of the segment passes unmeasured and unchanged; of sound that lies across an edge only the
 * samples inside are measured.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"

#define MS GST_MSECOND

static void
push_segment (GstHarness * harness, const GstSegment * segment)
{
  fail_unless (gst_harness_push_event (harness,
          gst_event_new_segment (segment)));
}

/* @start, @stop: in ms; @stop < 0: none */
static GstSegment
new_segment (gdouble rate, gint64 start, gint64 stop)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = rate;
  segment.start = segment.time = start * MS;
  if (stop >= 0)
    segment.stop = stop * MS;
  return segment;
}

/* The buffer leaves as it entered. Returns: whether it has a result */
static gboolean
pass (GstHarness * harness, GstBuffer * in)
{
  GstBuffer *copy = gst_buffer_copy_deep (in), *out;
  gboolean has_result;
  GstMapInfo map;

  out = gst_harness_push_and_pull (harness, in);
  fail_unless (out != NULL);
  has_result = test_has_result (out);
  fail_unless (gst_buffer_map (copy, &map, GST_MAP_READ));
  fail_unless (gst_buffer_get_size (out) == map.size && (map.size == 0
          || gst_buffer_memcmp (out, 0, map.data, map.size) == 0));
  gst_buffer_unmap (copy, &map);
  fail_unless (GST_BUFFER_PTS (out) == GST_BUFFER_PTS (copy)
      && GST_BUFFER_DURATION (out) == GST_BUFFER_DURATION (copy)
      && GST_BUFFER_FLAGS (out) == GST_BUFFER_FLAGS (copy));
  gst_buffer_unref (copy);
  gst_buffer_unref (out);
  return has_result;
}

/* Frame n, 40 ms long. */
static gboolean
pass_frame (GstHarness * harness, guint n)
{
  return pass (harness, test_frame_new (n));
}

/* The times of the latest message, in ns. */
static void
check_times (GstHarness * harness, guint64 timestamp, guint64 stream_time,
    guint64 running_time, guint64 duration)
{
  GstMessage *message = test_wait_message (harness, GST_MESSAGE_ELEMENT);
  const GstStructure *result = gst_message_get_structure (message);

  fail_unless_equals_uint64 (test_get_uint64 (result, "timestamp"), timestamp);
  fail_unless_equals_uint64 (test_get_uint64 (result, "stream-time"),
      stream_time);
  fail_unless_equals_uint64 (test_get_uint64 (result, "running-time"),
      running_time);
  fail_unless_equals_uint64 (test_get_uint64 (result, "duration"), duration);
  gst_message_unref (message);
}

/* ---- Video ---------------------------------------------------------------------------------- */

/* Frames of 40 ms, a segment from 100 to 250 ms: frames 2 (80 to 120) and 6 (240 to 280) lie across its edges. The
 * rate does not matter, nor does the order of the frames. */
TEST (test_video)
{
  static const gdouble rates[] = { 1, -1, 0.5, 4 };

  for (guint r = 0; r < G_N_ELEMENTS (rates); r++) {
    const GstSegment segment = new_segment (rates[r], 100, 250);
    GstHarness *harness = test_gray_harness_new (NULL);

    push_segment (harness, &segment);
    for (guint i = 0; i < 10; i++) {
      const guint n = rates[r] < 0 ? 9 - i : i;

      fail_unless_equals_int (pass_frame (harness, n), n >= 2 && n <= 6);
    }
    fail_unless_equals_uint64 (test_get_stat (harness, "frames"), 5);
    fail_unless_equals_uint64 (test_get_stat (harness, "bytes"),
        5 * GRAY_SIZE);
    fail_unless_equals_uint64 (test_get_stat (harness, "dropped"), 0);
    test_harness_free (harness);
  }
}

/* Each result has a stream time, and its duration is that of the part inside. */
TEST (test_times)
{
  GstHarness *harness = test_gray_harness_new ("post-messages=true");
  GstSegment segment = new_segment (1, 100, 210);

  segment.time = 5000 * MS;
  segment.base = 700 * MS;
  push_segment (harness, &segment);
  for (guint n = 0; n < 8; n++)
    pass_frame (harness, n);
  check_times (harness, 80 * MS, 5000 * MS, 700 * MS, 20 * MS);
  check_times (harness, 120 * MS, 5020 * MS, 720 * MS, 40 * MS);
  check_times (harness, 160 * MS, 5060 * MS, 760 * MS, 40 * MS);
  check_times (harness, 200 * MS, 5100 * MS, 800 * MS, 10 * MS);
  test_check_no_message (harness);

  /* At half speed, by the sender: stream time runs at half the speed. In reverse the part inside begins later. */
  segment.applied_rate = 0.5;
  segment.rate = -1;
  push_segment (harness, &segment);
  pass_frame (harness, 5);
  pass_frame (harness, 2);
  check_times (harness, 200 * MS, 5050 * MS, 710 * MS, 10 * MS);
  check_times (harness, 80 * MS, 5000 * MS, 810 * MS, 20 * MS);
  test_harness_free (harness);
}

static gboolean
pass_times (GstHarness * harness, GstClockTime pts, GstClockTime duration)
{
  GstBuffer *buffer = test_buffer_new (GRAY_SIZE, 7, pts);

  GST_BUFFER_DURATION (buffer) = duration;
  return pass (harness, buffer);
}

/* What has no place in time is inside, as for a sink. */
TEST (test_unknown_times)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstSegment segment = new_segment (1, 100, 250);

  push_segment (harness, &segment);
  fail_unless (pass_times (harness, GST_CLOCK_TIME_NONE, GRAY_DURATION));
  fail_unless (pass_times (harness, GST_CLOCK_TIME_NONE,
          GST_CLOCK_TIME_NONE));
  /* The caps have the duration of a frame. */
  fail_unless (pass_times (harness, 61 * MS, GST_CLOCK_TIME_NONE));
  fail_if (pass_times (harness, 60 * MS, GST_CLOCK_TIME_NONE));
  fail_unless (pass_times (harness, 249 * MS, GST_CLOCK_TIME_NONE));
  fail_if (pass_times (harness, 250 * MS, GST_CLOCK_TIME_NONE));
  /* Frames without a duration, and the longest ones. */
  fail_unless (pass_times (harness, 100 * MS, 0));
  fail_if (pass_times (harness, 99 * MS, 0));
  fail_unless (pass_times (harness, 1, G_MAXUINT64 - 1));
  fail_if (pass_times (harness, G_MAXUINT64 - 1, G_MAXUINT64 - 1));

  /* An open end, and a segment of one moment. */
  segment = new_segment (1, 100, -1);
  push_segment (harness, &segment);
  fail_if (pass_frame (harness, 1));
  fail_unless (pass_frame (harness, 1000000));
  segment = new_segment (1, 100, 100);
  push_segment (harness, &segment);
  fail_unless (pass_times (harness, 100 * MS, GRAY_DURATION));
  fail_if (pass_times (harness, 101 * MS, GRAY_DURATION));
  fail_if (pass_times (harness, 60 * MS, GRAY_DURATION));

  gst_segment_init (&segment, GST_FORMAT_BYTES);
  segment.start = 100 * MS;
  segment.stop = 250 * MS;
  push_segment (harness, &segment);
  for (guint n = 0; n < 10; n++)
    fail_unless (pass_frame (harness, n));
  test_harness_free (harness);
}

/* Without a frame rate the duration of a frame that has none is unknown: a sink shows it. */
TEST (test_no_frame_rate)
{
  GstHarness *harness = test_harness_new ("post-messages=true");
  const GstSegment segment = new_segment (1, 100, 250);

  gst_harness_set_src_caps_str (harness, "video/x-raw, format=GRAY8, width=16, "
      "height=8, framerate=0/1");
  push_segment (harness, &segment);
  fail_unless (pass_times (harness, 60 * MS, GST_CLOCK_TIME_NONE));
  check_times (harness, 60 * MS, 100 * MS, 0, GST_CLOCK_TIME_NONE);
  fail_if (pass_times (harness, 60 * MS, 40 * MS));
  fail_if (pass_times (harness, 250 * MS, GST_CLOCK_TIME_NONE));
  test_harness_free (harness);
}

/* `every` counts what is inside: the first frame inside is measured. */
TEST (test_every)
{
  GstHarness *harness = test_gray_harness_new ("every=3");
  GstSegment segment = new_segment (1, 160, 600);

  push_segment (harness, &segment);
  for (guint n = 0; n < 20; n++)
    fail_unless_equals_int (pass_frame (harness, n),
        n >= 4 && n < 15 && (n - 4) % 3 == 0);
  test_harness_free (harness);
}

static gboolean
has_motion (GstHarness * harness)
{
  GstMessage *message = test_wait_message (harness, GST_MESSAGE_ELEMENT);
  const gboolean has = gst_structure_has_field (gst_message_get_structure
      (message), "motion");

  gst_message_unref (message);
  return has;
}

/* A frame outside is nobody's previous frame, and nothing is compared across it. */
TEST (test_previous_frame)
{
  GstHarness *harness =
      test_gray_harness_new ("measures=motion post-messages=true");
  const GstSegment segment = new_segment (1, 80, 400);

  push_segment (harness, &segment);
  for (guint n = 0; n < 4; n++)
    pass_frame (harness, n);
  fail_if (has_motion (harness));
  fail_unless (has_motion (harness));
  pass_frame (harness, 20);
  pass_frame (harness, 4);
  pass_frame (harness, 5);
  fail_if (has_motion (harness));
  fail_unless (has_motion (harness));
  test_check_no_message (harness);
  test_harness_free (harness);
}

/* The next message is of this name; a guint64 field of it has this value. */
static void
check_field (GstHarness * harness, const gchar * name, const gchar * field,
    guint64 value)
{
  GstMessage *message = test_wait_message (harness, GST_MESSAGE_ELEMENT);

  fail_unless (gst_message_has_name (message, name), "%" GST_PTR_FORMAT,
      message);
  fail_unless_equals_uint64 (test_get_uint64 (gst_message_get_structure
          (message), field), value);
  gst_message_unref (message);
}

/* Windows and alerts are those of the frames inside: an alert begins with the segment, and ends with it. */
TEST (test_windows_and_alerts)
{
  GstHarness *harness = test_gray_harness_new ("window=1000000000 "
      "alerts=black black-duration=100000000 meta=false");
  const GstSegment segment = new_segment (1, 100, 1000);

  push_segment (harness, &segment);
  for (guint n = 0; n < 40; n++)
    fail_unless_equals_int (gst_harness_push (harness,
            test_buffer_new (GRAY_SIZE, 0, n * GRAY_DURATION)), GST_FLOW_OK);
  test_end_stream (harness);
  check_field (harness, "cudahisto-alert", "start", 100 * MS);
  check_field (harness, "cudahisto-window", "buffers", 23);
  check_field (harness, "cudahisto-alert", "end", 1000 * MS);
  test_check_no_message (harness);
  test_drop_received (harness);
  test_harness_free (harness);
}

/* ---- Sound ---------------------------------------------------------------------------------- */

#define RATE 48000
#define N 960                   /* samples of a buffer: 20 ms */

typedef struct
{
  const gchar *format;
  guint channels;
  gboolean is_planar, has_meta;
} Sound;

static const Sound sounds[] = {
  {"U8", 1, FALSE, FALSE}, {"S16LE", 2, FALSE, FALSE},
  {"S16BE", 2, FALSE, TRUE}, {"S24LE", 3, FALSE, FALSE},
  {"S32LE", 2, TRUE, FALSE}, {"F32LE", 2, TRUE, TRUE},
  {"F64LE", 5, TRUE, TRUE}, {"S24LE", 2, TRUE, TRUE},
  {"U18BE", 7, TRUE, FALSE},
};

static GstCaps *
sound_caps (const Sound * sound, GstAudioInfo * info)
{
  GstCaps *caps = gst_caps_new_simple ("audio/x-raw", "format", G_TYPE_STRING,
      sound->format, "rate", G_TYPE_INT, RATE, "channels", G_TYPE_INT,
      sound->channels, "layout", G_TYPE_STRING,
      sound->is_planar ? "non-interleaved" : "interleaved", NULL);

  if (sound->channels > 1)
    gst_caps_set_simple (caps, "channel-mask", GST_TYPE_BITMASK,
        (guint64) 0, NULL);
  fail_unless (gst_audio_info_from_caps (info, caps));
  return caps;
}

/* Small numbers, so that no floating-point sample is NaN. With a meta the channels of planar sound lie apart, in
 * the wrong order. */
static GstBuffer *
new_sound (const Sound * sound, const GstAudioInfo * info, GRand * random,
    GstClockTime pts)
{
  const gsize channel = N * (info->bpf / info->channels);
  const gboolean is_apart = sound->has_meta && sound->is_planar;
  const gsize size = (channel + (is_apart ? 24 : 0)) * info->channels;
  GstBuffer *buffer = test_random_buffer (size, random);
  gsize offsets[8];
  GstMapInfo map;

  if (GST_AUDIO_INFO_IS_FLOAT (info)) {
    const gsize bytes = info->bpf / info->channels;

    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
    for (gsize i = 0; i < map.size; i += bytes)
      test_write_float (info->finfo, g_rand_double_range (random, -1, 1),
          map.data + i);
    gst_buffer_unmap (buffer, &map);
  }
  for (gint c = 0; c < info->channels; c++)
    offsets[c] = (info->channels - 1 - c) * (channel + 24);
  if (sound->has_meta)
    gst_buffer_add_audio_meta (buffer, info, N, is_apart ? offsets : NULL);
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = 20 * MS;
  return buffer;
}

/* Samples @first to @end - 1 of each channel, in the layout of the caps. */
static guint8 *
copy_part (GstBuffer * buffer, const GstAudioInfo * info, guint first,
    guint end)
{
  const GstAudioMeta *meta = gst_buffer_get_audio_meta (buffer);
  const gsize bytes = info->bpf / info->channels;
  guint8 *part = g_malloc ((gsize) N * info->bpf);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  if (info->layout == GST_AUDIO_LAYOUT_INTERLEAVED)
    memcpy (part, map.data + first * info->bpf,
        (gsize) (end - first) * info->bpf);
  for (gint c = 0; info->layout == GST_AUDIO_LAYOUT_NON_INTERLEAVED
      && c < info->channels; c++)
    memcpy (part + c * bytes * (end - first), map.data + (meta != NULL ?
            meta->offsets[c] : c * bytes * N) + first * bytes,
        bytes * (end - first));
  gst_buffer_unmap (buffer, &map);
  return part;
}

/* A buffer from 100 to 120 ms in segments with these edges. Times are in microseconds, a sample lasts
 * 20.8 of them. */
static void
check_sound (const Sound * sound, GRand * random, guint64 start, guint64 stop)
{
  GstHarness *harness = test_harness_new (NULL);
  GstSegment segment = new_segment (1, 0, -1);
  guint from = N, to = 0;
  GstAudioInfo info;
  GstBuffer *in, *out;

  gst_harness_set_src_caps (harness, sound_caps (sound, &info));
  segment.start = start * GST_USECOND;
  segment.stop = stop * GST_USECOND;
  push_segment (harness, &segment);
  in = new_sound (sound, &info, random, 100 * MS);
  for (guint i = 0; i < N; i++) {
    /* In 1/48000 of a microsecond: times of edges are rounded, a sample belongs to the nearest one. */
    const gint64 time = 100000 * (gint64) RATE + i * G_GINT64_CONSTANT (1000000);

    if (time + 500000 > (gint64) start * RATE
        && time + 500000 <= (gint64) stop * RATE) {
      from = MIN (from, i);
      to = i + 1;
    }
  }
  out = gst_harness_push_and_pull (harness, gst_buffer_ref (in));
  fail_unless_equals_int (test_has_result (out), from < to);
  if (from < to) {
    guint8 *part = copy_part (in, &info, from, to);

    fail_unless_equals_uint64 (test_get_uint64 (test_result (out), "samples"),
        to - from);
    test_compare_audio (test_result (out), &info, part, to - from, 0, 0, 0);
    g_free (part);
  }
  fail_unless_equals_uint64 (gst_buffer_get_size (out),
      gst_buffer_get_size (in));
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  test_harness_free (harness);
}

TEST (test_sound)
{
  static const guint64 edges[][2] = {
    {100000, 120000}, {0, 1000000}, {110000, 1000000}, {0, 110000},
    {107000, 108000}, {100021, 119979}, {119980, 200000}, {0, 100021},
    {100005, 119995}, {100011, 119985}, {119995, 200000}, {0, 100005},
    {120000, 200000}, {50000, 100000}, {104000, 104000}, {111111, 111222},
  };
  GRand *random = test_random ();

  for (guint s = 0; s < G_N_ELEMENTS (sounds); s++) {
    for (guint e = 0; e < G_N_ELEMENTS (edges); e++)
      check_sound (&sounds[s], random, edges[e][0], edges[e][1]);
  }
  g_rand_free (random);
}

/* Timestamps are rounded to ns, and buffers may begin anywhere: segments that follow each other measure each sample
 * once, in either direction. */
TEST (test_adjacent_segments)
{
  static const guint rates[] = { 44100, 48000, 11025, 96000 };

  for (guint r = 0; r < G_N_ELEMENTS (rates) * 2; r++) {
    const guint rate = rates[r / 2];
    GstHarness *harness = test_harness_new (NULL);
    gchar *caps = g_strdup_printf ("audio/x-raw, format=U8, layout=interleaved, "
        "channels=1, rate=%u", rate);
    guint64 n = 0, n_measured = 0;

    gst_harness_set_src_caps_str (harness, caps);
    for (guint s = 0; s < 20; s++) {
      GstSegment segment = new_segment (r % 2 ? -1 : 1, 0, -1);

      segment.start = s * 33333333;
      segment.stop = (s + 1) * 33333333;
      push_segment (harness, &segment);
      for (guint b = 0; b < 100; b++) {
        GstBuffer *buffer = gst_buffer_new_allocate (NULL, 1000, NULL);
        const guint at = 1000 * (r % 2 ? 99 - b : b);

        gst_buffer_memset (buffer, 0, 100, 1000);
        GST_BUFFER_PTS (buffer) =
            gst_util_uint64_scale (at, GST_SECOND, rate);
        buffer = gst_harness_push_and_pull (harness, buffer);
        if (test_has_result (buffer))
          n_measured += test_get_uint64 (test_result (buffer), "samples");
        gst_buffer_unref (buffer);
      }
    }
    for (guint i = 0; i < 100000; i++)
      n += i * G_GINT64_CONSTANT (1000000000) + 500000000 <=
          20 * G_GINT64_CONSTANT (33333333) * rate;
    fail_unless_equals_uint64 (n_measured, n);
    g_free (caps);
    test_harness_free (harness);
  }
}

/* The last result with `level` and `loudness` of one second that lies across the edges of buffers. */
static GstStructure *
measure_second (const Sound * sound, gboolean is_cut, guint32 seed)
{
  GstHarness *harness = test_harness_new ("measures=level+loudness");
  GRand *random = g_rand_new_with_seed (seed);
  GstSegment segment = new_segment (1, 30, 1030);
  GstStructure *result = NULL;
  GstAudioInfo info;
  GstCaps *caps = sound_caps (sound, &info);

  gst_harness_set_src_caps (harness, caps);
  push_segment (harness, &segment);
  for (guint b = 0; b < 60; b++) {
    GstBuffer *buffer = new_sound (sound, &info, random, b * 20 * MS);

    if (is_cut && (b == 1 || b == 51)) {
      guint8 *part = copy_part (buffer, &info, b == 1 ? N / 2 : 0,
          b == 1 ? N : N / 2);
      const gsize size = N / 2 * info.bpf;

      gst_buffer_unref (buffer);
      buffer = gst_buffer_new_memdup (part, size);
      g_free (part);
      GST_BUFFER_PTS (buffer) = b == 1 ? 30 * MS : 1020 * MS;
    } else if (is_cut && (b < 1 || b > 51)) {
      gst_buffer_unref (buffer);
      continue;
    }
    buffer = gst_harness_push_and_pull (harness, buffer);
    fail_unless_equals_int (test_has_result (buffer), b >= 1 && b <= 51);
    if (b == 51)
      result = gst_structure_copy (test_result (buffer));
    gst_buffer_unref (buffer);
  }
  g_rand_free (random);
  test_harness_free (harness);
  return result;
}

/* Level and loudness are those of a stream that was cut at the edges. */
TEST (test_level_and_loudness)
{
  for (guint s = 0; s < G_N_ELEMENTS (sounds); s++) {
    const Sound *sound = &sounds[s];
    GstStructure *whole, *cut;
    gchar *texts[2];

    if (sound->has_meta)
      continue;
    whole = measure_second (sound, FALSE, s);
    cut = measure_second (sound, TRUE, s);
    texts[0] = gst_structure_to_string (whole);
    texts[1] = gst_structure_to_string (cut);
    fail_unless_equals_string (texts[0], texts[1]);
    fail_unless (strstr (texts[0], "loudness") != NULL);
    g_free (texts[0]);
    g_free (texts[1]);
    gst_structure_free (whole);
    gst_structure_free (cut);
  }
}

/* Duration and stream time of the part inside; the samples tell the end if the buffer has no duration. */
TEST (test_times_of_sound)
{
  GstHarness *harness = test_harness_new ("post-messages=true");
  GstSegment segment = new_segment (1, 105, 205);
  GstAudioInfo info;

  gst_harness_set_src_caps (harness, sound_caps (&sounds[1], &info));
  push_segment (harness, &segment);
  for (guint i = 0; i < 8; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, N * info.bpf, NULL);

    gst_buffer_memset (buffer, 0, 1, N * info.bpf);
    GST_BUFFER_PTS (buffer) = (80 + i * 20) * MS;
    if (i % 2)
      GST_BUFFER_DURATION (buffer) = 20 * MS;
    fail_unless_equals_int (pass (harness, buffer), i >= 1 && i <= 6);
  }
  check_times (harness, 100 * MS, 105 * MS, 0, 15 * MS);
  check_times (harness, 120 * MS, 120 * MS, 15 * MS, GST_CLOCK_TIME_NONE);
  for (guint i = 3; i < 6; i++)
    check_times (harness, (80 + i * 20) * MS, (80 + i * 20) * MS,
        (i * 20 - 25) * MS, i % 2 ? 20 * MS : GST_CLOCK_TIME_NONE);
  check_times (harness, 200 * MS, 200 * MS, 95 * MS, 5 * MS);
  test_check_no_message (harness);

  /* A buffer without samples. */
  fail_unless (pass (harness, test_buffer_new (0, 0, 105 * MS)));
  fail_if (pass (harness, test_buffer_new (0, 0, 104 * MS)));
  test_harness_free (harness);
}

TEST_MAIN (20)
