/* Feeds the writer of the page with an artificial clip: video with faults, and
 * stereo sound. Prints the figures of some frames, so that a test can compare what the page shows.
 *
 *   feed-html FILE FRAMES TITLE
 *
 * 25 frames and 10 windows of sound a second. The pictures have noise, so that the page is not
 * smaller than that of a film. Lines: `frame N KEY VALUE`, `window N KEY VALUE`, and `histogram N`
 * with the share of each value.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writers/formats.h"
#include "base/output.h"
#include "summary/summary.h"

#include <math.h>
#include <stdlib.h>

#define BINS 256
#define PIXELS (1920 * 1080)
#define RATE 25
#define PRINTED 997             /* one frame or window in so many is printed */

typedef struct
{
  ReportWriter *writer;
  ReportSummary *summary;
  ReportStream streams[2];
  GRand *random;
  HistoResult video, audio;
  guint32 counts[BINS];
  gdouble peaks[4];
} Feed;

static void
check (gboolean ok, GError * error)
{
  if (!ok) {
    g_printerr ("%s\n", error->message);
    exit (1);
  }
}

/* ---- Video ------------------------------------------------------------------------------------ */

static void
prepare_component (HistoComponentResult * component, const gchar * name,
    HistoGroup group, HistoSource source)
{
  component->quark = g_quark_from_string (name);
  component->name = g_quark_to_string (component->quark);
  component->group = group;
  component->source = source;
  component->figures.bins = BINS;
  component->figures.range_max = BINS;
  component->figures.count = PIXELS;
}

static void
prepare_video (Feed * feed)
{
  HistoResult *result = &feed->video;

  result->format = "I420";
  result->colorimetry = "bt709";
  result->backend = "cpu";
  result->width = 1920;
  result->height = 1080;
  result->groups = HISTO_GROUP_FLAG (HISTO_GROUP_BASIC)
      | HISTO_GROUP_FLAG (HISTO_GROUP_SIGNAL)
      | HISTO_GROUP_FLAG (HISTO_GROUP_MOTION);
  histo_result_set_n_components (result, 3);
  result->n_region_components = 3;
  histo_result_set_n_regions (result, 1);
  result->regions[0].region.width = 1920;
  result->regions[0].region.height = 1080;
  prepare_component (&result->components[0], "Y", HISTO_GROUP_BASIC,
      HISTO_SOURCE_SAMPLE);
  prepare_component (&result->components[1], "saturation", HISTO_GROUP_SIGNAL,
      HISTO_SOURCE_SATURATION);
  prepare_component (&result->components[2], "Y", HISTO_GROUP_MOTION,
      HISTO_SOURCE_DIFFERENCE);
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++)
    *(gdouble *) G_STRUCT_MEMBER_P (&result->regions[0].figures,
        histo_group_figures[i].offset) = NAN;
}

/* Two hills of values that wander, with noise. From 60 s to 65 s the picture is black. */
static void
make_counts (Feed * feed, guint n)
{
  const guint scene = n / 110;
  const gdouble centre = 60 + 50 * sin (scene * 2.1) + 12 * sin (n * .011);
  const gdouble other = 150 + 60 * sin (scene * 1.3 + 1) + 9 * sin (n * .017);
  guint32 left = PIXELS;

  for (guint b = 0; b < BINS; b++) {
    gdouble share = .6 * exp (-pow ((b - centre) / 18, 2)) / 31.9
        + .4 * exp (-pow ((b - other) / 11, 2)) / 19.5;

    share *= g_rand_double_range (feed->random, .93, 1.07);
    if (n >= 60 * RATE && n < 65 * RATE)
      share = b == 16 ? 1 : 0;
    feed->counts[b] = MIN (left, (guint32) (share * PIXELS));
    left -= feed->counts[b];
  }
  feed->counts[16] += left;
}

static void
set_percentiles (HistoFigures * figures, const guint32 * counts)
{
  guint64 sum = 0, weighted = 0;
  guint p = 0;

  figures->min = NAN;
  for (guint b = 0; b < BINS; b++) {
    sum += counts[b];
    weighted += (guint64) counts[b] * b;
    if (counts[b] > 0 && isnan (figures->min))
      figures->min = b;
    if (counts[b] > 0)
      figures->max = b;
    while (p < HISTO_N_PERCENTILES
        && sum * 100 >= (guint64) histo_percents[p] * PIXELS)
      figures->percentiles[p++] = b;
  }
  figures->sum = weighted;
  figures->mean = (gdouble) weighted / PIXELS;
}

static void
set_video_figures (Feed * feed, guint n)
{
  HistoComponentResult *components = feed->video.components;
  HistoGroupFigures *figures = &feed->video.regions[0].figures;
  HistoFigures *saturation = &components[1].figures;

  set_percentiles (&components[0].figures, feed->counts);
  saturation->mean = 30 + 20 * sin (n * .003)
      + g_rand_double_range (feed->random, -1, 1);
  saturation->max = floor (saturation->mean * 2.7);
  saturation->percentiles[HISTO_P90] = floor (saturation->mean * 1.6);
  figures->MOTION_mafd = n == 0 ? NAN : n % 110 == 0 ? 24.25 :
      1 + g_rand_double_range (feed->random, 0, .6);
  figures->MOTION_scene_score = n == 0 ? NAN : n % 110 == 0 ? 22.5 : .2;
  figures->SIGNAL_brng = n >= 90 * RATE && n < 100 * RATE ? .034 : .0002;
  figures->SIGNAL_tout = g_rand_double_range (feed->random, 0, .002);
  figures->SIGNAL_vrep = 0;
}

static void
print_frame (const Feed * feed, guint n)
{
  const HistoComponentResult *components = feed->video.components;
  const HistoGroupFigures *figures = &feed->video.regions[0].figures;

  g_print ("frame %u min %.17g\n", n, components[0].figures.min);
  g_print ("frame %u p50 %.17g\n", n,
      components[0].figures.percentiles[HISTO_P50]);
  g_print ("frame %u mean %.17g\n", n, components[0].figures.mean);
  g_print ("frame %u sat-mean %.17g\n", n, components[1].figures.mean);
  g_print ("frame %u mafd %.17g\n", n, figures->MOTION_mafd);
  g_print ("frame %u tout %.17g\n", n, 100 * figures->SIGNAL_tout);
  g_print ("histogram %u", n);
  for (guint b = 0; b < BINS; b++)
    g_print (" %.9g", (gdouble) feed->counts[b] / PIXELS);
  g_print ("\n");
}

static void
give (Feed * feed, guint stream, const HistoResult * result, guint64 time,
    guint64 duration)
{
  const HistoTimes times = { time, time, time, duration };
  GError *error = NULL;

  check (report_writer_frame (feed->writer, &feed->streams[stream], result,
          &times, &error), error);
  report_summary_add_result (g_ptr_array_index (feed->summary->streams,
          stream), result, &times);
}

static void
give_frame (Feed * feed, guint n)
{
  HistoResult *result = &feed->video;
  guint32 counts[BINS];

  make_counts (feed, n);
  set_video_figures (feed, n);
  for (guint b = 0; b < BINS; b++)
    counts[b] = GUINT32_TO_LE (feed->counts[b]);
  g_clear_pointer (&result->components[0].histogram, g_bytes_unref);
  result->components[0].histogram = g_bytes_new (counts, sizeof counts);
  if (n % PRINTED == 0)
    print_frame (feed, n);
  give (feed, 0, result, gst_util_uint64_scale (n, GST_SECOND, RATE),
      GST_SECOND / RATE);
}

/* ---- Audio ------------------------------------------------------------------------------------ */

static void
prepare_audio (Feed * feed)
{
  HistoResult *result = &feed->audio;

  result->is_audio = TRUE;
  result->format = "F32LE";
  result->backend = "cpu";
  result->rate = 48000;
  result->channels = 2;
  result->n_samples = 4800;
  result->groups = HISTO_GROUP_FLAG (HISTO_GROUP_BASIC)
      | HISTO_GROUP_FLAG (HISTO_GROUP_LEVEL)
      | HISTO_GROUP_FLAG (HISTO_GROUP_LOUDNESS);
  histo_result_set_n_components (result, 2);
  result->n_region_components = 2;
  histo_result_set_n_levels (result, 2);
  histo_result_set_n_pairs (result, 1);
  result->pairs[0].second = 1;
  for (guint c = 0; c < 2; c++)
    prepare_component (&result->components[c], c == 0 ? "ch0" : "ch1",
        HISTO_GROUP_BASIC, HISTO_SOURCE_SAMPLE);
  result->loudness.true_peak = feed->peaks;
  result->loudness.sample_peak = feed->peaks + 2;
}

/* From 120 s to 125 s there is silence, and at 180 s some samples are clipped. */
static void
give_window (Feed * feed, guint n)
{
  HistoResult *result = &feed->audio;
  const gboolean is_silent = n >= 1200 && n < 1250;
  const gdouble loudness = -23 + 6 * sin (n * .002)
      + g_rand_double_range (feed->random, -2, 2);

  result->loudness.momentary = is_silent ? -INFINITY : loudness;
  result->loudness.short_term = is_silent ? -60 : loudness - .5;
  result->loudness.integrated = -23.04;
  result->loudness.range = 7.25;
  for (guint c = 0; c < 2; c++) {
    result->levels[c].rms = is_silent ? -700 : loudness - 3 + c;
    result->levels[c].peak = is_silent ? -350 : loudness + 12 + c;
    result->levels[c].clipped = n >= 1800 && n < 1805 ? 17 : 0;
    feed->peaks[c] = feed->peaks[2 + c] = -1.5;
  }
  result->pairs[0].figures.correlation = is_silent ? NAN : sin (n * .003);
  result->pairs[0].figures.mono_loss = is_silent ? NAN : -3;
  result->pairs[0].figures.balance = is_silent ? NAN : 1;
  if (n % PRINTED == 0) {
    g_print ("window %u correlation-ch0-ch1 %.17g\n", n, result->pairs[0].figures.correlation);
    g_print ("window %u momentary %.17g\n", n, result->loudness.momentary);
    g_print ("window %u rms-ch1 %.17g\n", n, result->levels[1].rms);
  }
  give (feed, 1, result, n * (GST_SECOND / 10), GST_SECOND / 10);
}

/* ---- Alerts ------------------------------------------------------------------------------------- */

static void
give_alert (Feed * feed, guint stream, HistoAlert alert, const gchar * channel,
    gdouble start, gdouble end, gdouble value, gdouble threshold)
{
  HistoAlertEvent event = {.alert = alert,.channel = channel,.start = start * GST_SECOND,
    .end = GST_CLOCK_TIME_NONE,.value = value,.threshold = threshold
  };
  ReportStreamSummary *summary =
      g_ptr_array_index (feed->summary->streams, stream);

  for (guint i = 0; i < 2; i++) {
    report_summary_add_alert (summary, &event);
    event.is_end = TRUE;
    event.end = end * GST_SECOND;
  }
}

static void
give_alerts (Feed * feed, guint frames)
{
  give_alert (feed, 0, HISTO_ALERT_BLACK, NULL, 60, 65, 1, .98);
  give_alert (feed, 0, HISTO_ALERT_FREEZE, NULL, 60.04, 65, 0, .001);
  give_alert (feed, 0, HISTO_ALERT_RANGE, NULL, 90, 100, .034, .01);
  give_alert (feed, 1, HISTO_ALERT_SILENCE, NULL, 120, 125, -350, -60);
  give_alert (feed, 1, HISTO_ALERT_CLIPPING, "ch1", 180, 180.5, 3, 3);
  for (guint n = 110; n < frames; n += 110)
    give_alert (feed, 0, HISTO_ALERT_SCENE, NULL, (gdouble) n / RATE,
        (gdouble) n / RATE, 22.5, 10);
}

/* ---- The clip --------------------------------------------------------------------------------------- */

static void
begin (Feed * feed, const gchar * title, guint frames)
{
  ReportStream *video = &feed->streams[0], *audio = &feed->streams[1];
  const ReportInput input = { title, frames * (GST_SECOND / RATE), 2,
    feed->streams
  };
  GError *error = NULL;

  *video = (ReportStream) {
  .index = 0,.title = g_strdup ("video 0"),.frame_rate = RATE,.width = 1920,
        .height = 1080,.format = g_strdup ("I420"),.colorimetry =
        g_strdup ("bt709"),.codec = g_strdup ("H.264 (High Profile)")};
  *audio = (ReportStream) {
  .index = 1,.is_audio = TRUE,.title = g_strdup ("audio 1 (eng)"),.rate =
        48000,.channels = 2,.format = g_strdup ("F32LE")};
  feed->summary = report_summary_new (title);
  feed->summary->duration = input.duration;
  feed->summary->is_complete = TRUE;
  report_summary_add_stream (feed->summary, video);
  report_summary_add_stream (feed->summary, audio);
  check (report_writer_begin (feed->writer, &input, &error), error);
  prepare_video (feed);
  prepare_audio (feed);
}

int
main (int argc, char **argv)
{
  Feed feed = { 0, };
  ReportOutput *output;
  GError *error = NULL;
  guint frames, window = 0;

  gst_init (NULL, NULL);
  if (argc != 4) {
    g_printerr ("usage: feed-html FILE FRAMES TITLE\n");
    return 2;
  }
  frames = atoi (argv[2]);
  feed.random = g_rand_new_with_seed (1);
  output = report_output_open (argv[1], 0, &error);
  check (output != NULL, error);
  feed.writer = report_html_writer_new (report_output_stream (output));
  begin (&feed, argv[3], frames);
  for (guint n = 0; n < frames; n++) {
    give_frame (&feed, n);
    while (window * RATE < (n + 1) * 10)
      give_window (&feed, window++);
  }
  give_alerts (&feed, frames);
  report_summary_finish (feed.summary);
  check (report_writer_end (feed.writer, feed.summary, &error), error);
  report_writer_free (feed.writer);
  check (report_output_commit (output, &error), error);
  report_output_free (output);
  report_summary_free (feed.summary);
  histo_result_clear (&feed.video);
  /* Its arrays of peaks are those of Feed. */
  feed.audio.loudness = (HistoLoudnessFigures) { 0 };
  histo_result_clear (&feed.audio);
  for (guint i = 0; i < 2; i++) {
    g_free (feed.streams[i].title);
    g_free (feed.streams[i].format);
    g_free (feed.streams[i].colorimetry);
    g_free (feed.streams[i].codec);
  }
  g_rand_free (feed.random);
  return 0;
}
