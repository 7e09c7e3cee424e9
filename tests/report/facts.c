/* What the table of facts says of streams that are made here: grey and RGB, channels in any place, memory of CUDA.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>
#include <gst/video/video.h>

#include "base/describe.h"
#include "base/objects.h"
#include "facts/facts.h"
#include "facts/statements.h"
#include "facts/words.h"

typedef struct
{
  const gchar *caps;
  ReportSaid container, bitstream;
  gboolean nobody;              /* could read the file */
  const gchar *wants[6];        /* "NAME=VALUE SOURCE"; "NAME" alone: it is no fact */
  const gchar *words;
} Case;

#define L_R 0x3
#define MASK_5_1 0x3f

static const Case cases[] = {
  {"video/x-raw, format=GRAY8, width=8, height=4, framerate=25/1", {.width = 8,.height = 4}, {.depth = 8,.chroma = "grey"}, FALSE,
      {"chroma=grey bitstream", "depth=8 caps", "matrix", "range", "width=8 container", "frame-rate=25 caps"},
      "8x4 25 frames/s, grey 8 bit"},
  {"video/x-raw, format=GRAY16_LE, width=8, height=4, colorimetry=1:0:0:0", {0}, {.range = REPORT_RANGE_FULL}, FALSE,
      {"range=full bitstream", "matrix", "depth=16 caps", "stored-depth=16 caps", "chroma=grey caps"}, "8x4, grey 16 bit"},
  {"video/x-raw, format=RGB, width=8, height=4, colorimetry=sRGB", {0}, {0}, FALSE,
      {"matrix=rgb guess", "transfer=srgb guess", "chroma=RGB caps"}, "8x4, RGB 8 bit"},
  {"video/x-raw, format=GBR_10LE, width=8, height=4, colorimetry=1:1:0:0", {.is_rgb = TRUE,.range = REPORT_RANGE_LIMITED}, {0}, FALSE,
      {"matrix=rgb container", "range=limited container", "transfer"}, "8x4, RGB 10 bit"},
  /* Nobody can read the file: GStreamer is believed. */
  {"video/x-raw(memory:CUDAMemory), format=P010_10LE, width=8, height=4, framerate=30000/1001, colorimetry=bt2100-pq, "
      "pixel-aspect-ratio=4/3", {0}, {0}, TRUE,
      {"transfer=smpte2084 caps", "chroma=4:2:0 caps", "depth=10 caps", "frame-rate=30000/1001 caps", "pixel-aspect=4/3 caps"},
      "8x4 29.97 frames/s, pixels 4:3, 4:2:0 10 bit, PQ"},
  {"video/x-raw(memory:CUDAMemory), format=NV12, width=8, height=4, colorimetry=2:4:5:4", {.transfer = 16,.primaries = 9}, {.matrix = 9}, FALSE,
      {"transfer=smpte2084 container", "primaries=bt2020 container", "matrix=bt2020 bitstream", "range"}, "8x4, 4:2:0 8 bit, PQ"},
  /* The size that was measured is another one than both say: they contradict it. */
  {"video/x-raw, format=I420, width=6, height=4", {.width = 9}, {.width = 8}, FALSE, {"width=6 caps", "height=4 caps"}, "6x4, 4:2:0 8 bit"},
  {"audio/x-raw, format=S16LE, layout=interleaved, rate=44100, channels=1", {.channel_mask = 0x8}, {0}, FALSE,
      {"positions=LFE container", "channels=1 caps", "rate=44100 caps", "stored-depth"}, "44.1 kHz, mono (LFE)"},
  {"audio/x-raw, format=S16LE, layout=interleaved, rate=48000, channels=1", {.channel_mask = 0x4}, {0}, FALSE,
      {"positions=mono container"}, "48 kHz, mono"},
  {"audio/x-raw, format=S24LE, layout=interleaved, rate=48000, channels=3", {.depth = 24}, {0}, FALSE,
      {"positions", "channels=3 caps", "sample-depth=24 caps"}, "48 kHz 24 bit, 3 channels, positions unknown"},
  {"audio/x-raw, format=F32LE, layout=interleaved, rate=48000, channels=2, channel-mask=(bitmask)0x3", {.channel_mask = L_R}, {0}, FALSE,
      {"positions=L R container"}, "48 kHz, stereo"},
  {"audio/x-raw, format=F32LE, layout=interleaved, rate=48000, channels=2", {0}, {0}, FALSE, {"channels=2 caps"}, "48 kHz, stereo"},
  {"audio/x-raw, format=F32LE, layout=interleaved, rate=48000, channels=2, channel-mask=(bitmask)0x5", {.channel_mask = 0x5}, {0}, FALSE,
      {"positions=L C container"}, "48 kHz, 2.0 (L C)"},
  {"audio/x-raw, format=S16LE, layout=interleaved, rate=48000, channels=6", {.channel_mask = MASK_5_1}, {0}, FALSE,
      {"positions=L R C LFE Ls Rs container"}, "48 kHz, 5.1 (L R C LFE Ls Rs)"},
  {"audio/x-raw, format=S16LE, layout=interleaved, rate=48000, channels=6, channel-mask=(bitmask)0x3f", {0}, {0}, FALSE,
      {"positions=L R C LFE Ls Rs guess"}, "48 kHz, 5.1 (L R C LFE Ls Rs, a guess)"},
  {"audio/x-raw, format=S16LE, layout=interleaved, rate=48000, channels=6, channel-mask=(bitmask)0x3f", {0}, {0}, TRUE,
      {"positions=L R C LFE Ls Rs caps"}, "48 kHz, 5.1 (L R C LFE Ls Rs)"},
};

static void
check_want (const GPtrArray * facts, const gchar * want, guint number)
{
  g_auto (GStrv) parts = g_strsplit (want, "=", 2);
  const gchar *found = NULL;
  g_autofree gchar *text = NULL;

  for (guint i = 0; i < facts->len; i++) {
    const ReportFact *fact = facts->pdata[i];

    if (g_str_equal (fact->name, parts[0])) {
      text = g_strconcat (fact->value, " ", fact->source, NULL);
      found = text;
    }
  }
  fail_unless (g_strcmp0 (found, parts[1]) == 0, "case %u: %s is %s", number, want, found);
}

GST_START_TEST (test_cases)
{
  const Case *row = &cases[__i__];
  ReportSaidStream said = {.codec = (gchar *) "pcm_s16le",.is_probed = TRUE,.container = row->container,.bitstream = row->bitstream };
  g_autoptr (GstCaps) caps = gst_caps_from_string (row->caps);
  g_autoptr (GstCaps) corrected = NULL;
  g_autoptr (GPtrArray) facts = report_objects_new ();
  g_autofree gchar *words = NULL;
  ReportStream stream = { 0 };

  fail_unless (caps != NULL, "%s", row->caps);
  said.is_audio = report_caps_are_audio (caps);
  corrected = report_statements_correct (row->nobody ? NULL : &said, NULL, caps);
  fail_unless (gst_caps_features_is_equal (gst_caps_get_features (caps, 0), gst_caps_get_features (corrected, 0)));
  report_caps_describe (&stream, corrected);
  report_facts_read (facts, row->nobody ? NULL : &said, &stream);
  for (guint i = 0; i < G_N_ELEMENTS (row->wants) && row->wants[i] != NULL; i++)
    check_want (facts, row->wants[i], __i__);
  words = report_facts_words (facts, stream.is_audio, FALSE);
  fail_unless_equals_string (words, row->words);
  report_stream_clear (&stream);
}

GST_END_TEST;

/* Sound without a word on its channels is taken by elements only if it says so. */
GST_START_TEST (test_mask)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string ("audio/x-raw, format=S16LE, layout=interleaved, rate=48000, channels=3");
  g_autoptr (GstCaps) corrected = report_statements_correct (NULL, NULL, caps);
  guint64 mask = 1;

  fail_unless (gst_structure_get (gst_caps_get_structure (corrected, 0), "channel-mask", GST_TYPE_BITMASK, &mask, NULL));
  fail_unless_equals_uint64 (mask, 0);
}

GST_END_TEST;

static Suite *
facts_suite (void)
{
  Suite *suite = suite_create ("facts");
  TCase *all = tcase_create ("all");

  tcase_add_loop_test (all, test_cases, 0, G_N_ELEMENTS (cases));
  tcase_add_test (all, test_mask);
  suite_add_tcase (suite, all);
  return suite;
}

GST_CHECK_MAIN (facts);
