/* The writers of dynamic metadata of HDR: the JSON of HDR10+, and the light of each scene for Dolby Vision's level 1;
 * see formats.h.
 *
 * Scenes are known when the input has ended, so what a frame needs is kept until then: 88 bytes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "writers/formats.h"

#include <math.h>
#include <string.h>

#include "cudahisto/light.h"
#include "base/describe.h"
#include "summary/hdr.h"
#include "summary/json.h"

/* HDR10+ has light in 0.1 cd/m², up to the greatest light of PQ. */
#define STEPS 10
#define MOST_STEPS (STEPS * HISTO_PQ_MOST)
/* The value with index 10 counts pixels up to this, in cd/m². */
#define DARK 100
/* Dolby Vision has codes of PQ with 12 bits, and in level 5 numbers of 13 bits. */
#define PQ_CODES 4095
#define MOST_OFFSET 8191

/* DistributionIndex and what its value is: the light that this share of the pixels does not exceed, in 1/10000. The
 * shares of 5 and 99 are those that makers of displays use, not those of their names. */
enum
{ OF_DARK = 0, NEAR_MAX = 9999 };
static const struct
{
  guint index, share;
} distribution[] = {
  {1, 100}, {5, NEAR_MAX}, {10, OF_DARK}, {25, 2500}, {50, 5000}, {75, 7500},
  {90, 9000}, {95, 9500}, {99, 9998}
};

#define N_VALUES G_N_ELEMENTS (distribution)

typedef struct
{
  guint64 time;                 /* ns from the start of the stream */
  gdouble mean;                 /* of the light of maxrgb, in cd/m² */
  gdouble near_max;             /* 99.99 % of the pixels are not brighter, in cd/m² */
  gdouble dark;                 /* share of the pixels up to DARK, in per cent */
  guint32 max[3];               /* of R, G and B, in steps */
  guint32 values[N_VALUES];     /* in steps; that of OF_DARK is set at the end of its scene */
  guint16 min_pq, max_pq;       /* codes of PQ of maxrgb */
} Frame;

/* Frames of one scene, and what they have together. */
typedef struct
{
  guint first, n;
  Frame light;                  /* all of its values are set */
} Scene;

typedef struct
{
  ReportWriter writer;
  const gchar *option;
  gboolean (*write) (GOutputStream * to, const GArray * scenes, guint n_frames,
      const ReportStreamSummary * stream, GError ** error);
  gint stream;                  /* index of the one that is exported; -1: there is no video */
  GArray *frames;               /* (element-type Frame) */
  gdouble *light;               /* in cd/m² of each bin of maxrgb */
  guint64 *counts;              /* its histogram */
  guint n_bins;
  gchar *problem;               /* why the stream cannot be exported; NULL: it can */
} ExportWriter;

/* ---- Frames ----------------------------------------------------------------------------------- */

/* Returns: rounded; 0 of a number that is none */
static guint32
to_nearest (gdouble number, guint32 most)
{
  return number > 0 ? (guint32) floor (MIN (number, most) + 0.5) : 0;
}

static guint32
in_steps (gdouble light)
{
  return to_nearest (STEPS * light, MOST_STEPS);
}

static guint16
in_pq (gdouble light)
{
  return (guint16) to_nearest (PQ_CODES * histo_pq_of_light (light), PQ_CODES);
}

/* The bins are the codes of full range. */
static void
set_bins (ExportWriter * self, guint n)
{
  if (n == self->n_bins)
    return;
  self->n_bins = n;
  self->light = g_renew (gdouble, self->light, n);
  self->counts = g_renew (guint64, self->counts, n);
  for (guint i = 0; i < n; i++)
    self->light[i] = histo_light_of_signal (GST_VIDEO_TRANSFER_SMPTE2084,
        (gdouble) i / (n - 1));
}

/* @counts has at least one pixel. */
static void
read_histogram (const ExportWriter * self, guint64 count, Frame * frame)
{
  guint64 below = 0, dark = 0;
  gdouble least = -1, light = 0;
  guint found = 0;              /* flags of the values */

  for (guint i = 0; i < self->n_bins; i++) {
    if (self->counts[i] == 0)
      continue;
    light = self->light[i];
    below += self->counts[i];
    if (least < 0)
      least = light;
    if (light <= DARK)
      dark = below;
    for (guint v = 0; v < N_VALUES; v++) {
      /* So many pixels may be brighter. */
      const guint64 rest = count / 10000 * (10000 - distribution[v].share)
          + count % 10000 * (10000 - distribution[v].share) / 10000;

      if ((found & 1u << v) != 0 || below < MAX (count - rest, 1))
        continue;
      found |= 1u << v;
      frame->values[v] = in_steps (light);
      if (distribution[v].share == NEAR_MAX)
        frame->near_max = light;
    }
  }
  frame->dark = 100. * dark / count;
  frame->min_pq = in_pq (least);
  frame->max_pq = in_pq (light);
}

/* Returns: (nullable): why the frame cannot be exported */
static const gchar *
read_frame (ExportWriter * self, const HistoResult * result,
    const HistoTimes * times, Frame * frame)
{
  const HistoComponentResult *maxrgb = result->n_regions > 0 ?
      histo_result_find_component (result, 0, HISTO_GROUP_HDR, "maxrgb") : NULL;
  const ReportStream said = {.format = (gchar *) result->format,
    .colorimetry = (gchar *) result->colorimetry
  };
  const GstVideoTransferFunction transfer = report_stream_transfer (&said);
  const HistoGroupFigures *figures;
  guint64 count = 0;

  if (transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67)
    return "is HLG, whose light depends on the display";
  if (transfer != GST_VIDEO_TRANSFER_SMPTE2084)
    return "is not PQ";
  if (!GST_CLOCK_TIME_IS_VALID (times->stream_time))
    return "has no timestamp, so the scenes are unknown";
  if (self->frames->len > 0 && times->stream_time
      < g_array_index (self->frames, Frame, self->frames->len - 1).time)
    return "is earlier than the one before, so the scenes are unknown";
  if (maxrgb == NULL || maxrgb->figures.bins < 2)
    return "has no measured light";
  set_bins (self, maxrgb->figures.bins);
  memset (self->counts, 0, self->n_bins * sizeof *self->counts);
  if (!histo_component_add_counts (maxrgb, self->counts))
    return "has no measured light";
  for (guint i = 0; i < self->n_bins; i++)
    count += self->counts[i];
  if (count == 0)
    return "has no pixel";
  figures = &result->regions[0].figures;
  frame->time = times->stream_time;
  frame->mean = figures->HDR_fall;
  frame->max[0] = in_steps (figures->HDR_r_max);
  frame->max[1] = in_steps (figures->HDR_g_max);
  frame->max[2] = in_steps (figures->HDR_b_max);
  read_histogram (self, count, frame);
  return NULL;
}

static gboolean
add_frame (ReportWriter * writer, const ReportStream * stream,
    const HistoResult * result, const HistoTimes * times, GError ** error)
{
  ExportWriter *self = (ExportWriter *) writer;
  Frame frame = { 0 };
  const gchar *problem;

  if ((gint) stream->index != self->stream || self->problem != NULL)
    return TRUE;
  problem = read_frame (self, result, times, &frame);
  if (problem != NULL)
    self->problem = g_strdup_printf ("frame %u of %s %s", self->frames->len,
        stream->title, problem);
  else
    g_array_append_val (self->frames, frame);
  return TRUE;
}

/* The first stream of video that is PQ; without one, the first stream of video, whose frames show why not. */
static gboolean
begin (ReportWriter * writer, const ReportInput * input, GError ** error)
{
  ExportWriter *self = (ExportWriter *) writer;

  self->stream = -1;
  for (guint i = input->n_streams; i > 0; i--) {
    const ReportStream *stream = &input->streams[i - 1];

    if (!stream->is_audio)
      self->stream = stream->index;
  }
  for (guint i = input->n_streams; i > 0; i--) {
    const ReportStream *stream = &input->streams[i - 1];

    if (!stream->is_audio
        && report_stream_transfer (stream) == GST_VIDEO_TRANSFER_SMPTE2084)
      self->stream = stream->index;
  }
  return TRUE;
}

/* ---- Scenes ----------------------------------------------------------------------------------- */

/* Adds the next frame to the sums of its scene. */
static void
add_to_scene (Scene * scene, const Frame * frame)
{
  Frame *all = &scene->light;

  if (scene->n++ == 0) {
    *all = *frame;
    return;
  }
  all->mean += frame->mean;
  all->dark += frame->dark;
  for (guint c = 0; c < G_N_ELEMENTS (all->max); c++)
    all->max[c] = MAX (all->max[c], frame->max[c]);
  all->min_pq = MIN (all->min_pq, frame->min_pq);
  all->max_pq = MAX (all->max_pq, frame->max_pq);
  if (frame->near_max > all->near_max) {
    all->near_max = frame->near_max;
    memcpy (all->values, frame->values, sizeof all->values);
  }
}

/* A scene begins with the first frame at the time of a scene change of the picture. Regions have their own. With another
 * size or format begins a scene, too: its frames cannot be compared with those before.
 *
 * Returns: (transfer full) (element-type Scene) */
static GArray *
find_scenes (const GArray * frames, const ReportStreamSummary * stream)
{
  const GPtrArray *alerts = stream->alerts;
  GArray *scenes = g_array_new (FALSE, FALSE, sizeof (Scene));
  guint next = 0, next_part = 1;

  for (guint i = 0; i < frames->len; i++) {
    const Frame *frame = &g_array_index (frames, Frame, i);
    gboolean begins = i == 0;

    for (; next < alerts->len; next++) {
      const ReportAlert *alert = alerts->pdata[next];

      if (alert->alert != HISTO_ALERT_SCENE || alert->place != NULL
          || !GST_CLOCK_TIME_IS_VALID (alert->start))
        continue;
      if (alert->start > frame->time)
        break;
      begins = TRUE;
    }
    for (; next_part < stream->parts->len; next_part++) {
      const ReportPart *part = stream->parts->pdata[next_part];

      if (part->start > frame->time)
        break;
      begins = TRUE;
    }
    if (begins) {
      const Scene scene = {.first = i };

      g_array_append_val (scenes, scene);
    }
    add_to_scene (&g_array_index (scenes, Scene, scenes->len - 1), frame);
  }
  /* From sums to means. */
  for (guint s = 0; s < scenes->len; s++) {
    Scene *scene = &g_array_index (scenes, Scene, s);

    scene->light.mean /= scene->n;
    scene->light.dark /= scene->n;
    for (guint v = 0; v < N_VALUES; v++) {
      if (distribution[v].share == OF_DARK)
        scene->light.values[v] = to_nearest (scene->light.dark, 100);
    }
  }
  return scenes;
}

/* ---- Writing ---------------------------------------------------------------------------------- */

static gboolean
write_text (GOutputStream * to, const gchar * text, GError ** error)
{
  return g_output_stream_write_all (to, text, strlen (text), NULL, NULL, error);
}

/* Ends what is built, and begins anew. Returns: (transfer full): its JSON */
static gchar *
take_json (ReportJson * json)
{
  gchar *text = g_strdup (report_json_get_text (json)->str);

  report_json_clear (json);
  return text;
}

static void
add_ints (ReportJson * json, const gchar * key, const guint32 * numbers,
    guint n)
{
  report_json_begin_array (json, key);
  for (guint i = 0; i < n; i++)
    report_json_put_int (json, numbers[i]);
  report_json_end_array (json);
}

/* ---- HDR10+ ----------------------------------------------------------------------------------- */

/* Returns: (transfer full): what all frames of a scene have, as an object */
static gchar *
describe_luminance (ReportJson * json, const Frame * light)
{
  report_json_begin_object (json, NULL);
  report_json_add_int (json, "AverageRGB", in_steps (light->mean));
  report_json_begin_object (json, "LuminanceDistributions");
  report_json_begin_array (json, "DistributionIndex");
  for (guint v = 0; v < N_VALUES; v++)
    report_json_put_int (json, distribution[v].index);
  report_json_end_array (json);
  add_ints (json, "DistributionValues", light->values, N_VALUES);
  report_json_end_object (json);
  add_ints (json, "MaxScl", light->max, G_N_ELEMENTS (light->max));
  report_json_end_object (json);
  return take_json (json);
}

/* Profile A: no curve, and no display that it is for. */
static gboolean
write_scene (GOutputStream * to, ReportJson * json, const Scene * scene,
    guint number, gboolean is_last, GError ** error)
{
  g_autofree gchar *luminance = describe_luminance (json, &scene->light);
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < scene->n; i++) {
    g_autofree gchar *frame = g_strdup_printf ("{\"LuminanceParameters\":%s,"
        "\"NumberOfWindows\":1,\"TargetedSystemDisplayMaximumLuminance\":0,"
        "\"SceneFrameIndex\":%u,\"SceneId\":%u,\"SequenceFrameIndex\":%u}%s\n",
        luminance, i, number, scene->first + i,
        is_last && i + 1 == scene->n ? "" : ",");

    ok = write_text (to, frame, error);
  }
  return ok;
}

static gboolean
write_hdr10plus (GOutputStream * to, const GArray * scenes, guint n_frames,
    const ReportStreamSummary * stream, GError ** error)
{
  g_autoptr (ReportJson) json = report_json_new (FALSE);
  gboolean ok = write_text (to, "{\"JSONInfo\":{\"HDR10plusProfile\":\"A\","
      "\"Version\":\"1.0\"},\"SceneInfo\":[\n", error);
  g_autofree gchar *summary = NULL, *end = NULL;

  for (guint s = 0; ok && s < scenes->len; s++)
    ok = write_scene (to, json, &g_array_index (scenes, Scene, s), s,
        s + 1 == scenes->len, error);
  report_json_begin_object (json, NULL);
  report_json_begin_array (json, "SceneFirstFrameIndex");
  for (guint s = 0; s < scenes->len; s++)
    report_json_put_int (json,
        g_array_index (scenes, Scene, s).first);
  report_json_end_array (json);
  report_json_begin_array (json, "SceneFrameNumbers");
  for (guint s = 0; s < scenes->len; s++)
    report_json_put_int (json, g_array_index (scenes, Scene, s).n);
  report_json_end_array (json);
  report_json_end_object (json);
  summary = take_json (json);
  end = g_strdup_printf ("],\"SceneInfoSummary\":%s,\"ToolInfo\":{\"Tool\":"
      "\"cudahisto-report\",\"Version\":\"" PACKAGE_VERSION "\"}}\n", summary);
  ok = ok && write_text (to, end, error);
  return ok;
}

/* ---- Dolby Vision ----------------------------------------------------------------------------- */

/* Bars that are constant, by the picture; else the whole picture is active. */
static void
add_active_area (ReportJson * json, const ReportStreamSummary * stream)
{
  const ReportRegion *picture = report_first_region (stream->regions);
  const ReportArea *area = &picture->area;
  guint left = 0, right = 0, top = 0, bottom = 0;

  if (picture->has_place && area->width > 0
      && report_area_is_constant (area, picture->width, picture->height)) {
    left = area->x;
    top = area->y;
    right = picture->width - MIN (area->x + area->width, (gint) picture->width);
    bottom =
        picture->height - MIN (area->y + area->height, (gint) picture->height);
  }
  report_json_begin_object (json, "level5");
  report_json_add_int (json, "active_area_left_offset", MIN (left, MOST_OFFSET));
  report_json_add_int (json, "active_area_right_offset", MIN (right, MOST_OFFSET));
  report_json_add_int (json, "active_area_top_offset", MIN (top, MOST_OFFSET));
  report_json_add_int (json, "active_area_bottom_offset", MIN (bottom, MOST_OFFSET));
  report_json_end_object (json);
}

/* The mastering display that the stream names; 0: it names none. MaxCLL and MaxFALL are the measured ones. */
static void
add_fallback (ReportJson * json, const ReportStreamSummary * stream)
{
  const guint32 most = HISTO_PQ_MOST;
  const ReportCarried *carried = &stream->stream->carried;
  ReportHdr hdr = { 0 };

  report_hdr_find (stream, &hdr);
  report_json_begin_object (json, "level6");
  report_json_add_int (json, "max_display_mastering_luminance",
      to_nearest (carried->mastering_max, most));
  report_json_add_int (json, "min_display_mastering_luminance",
      to_nearest (10000 * carried->mastering_min, most));
  report_json_add_int (json, "max_content_light_level",
      MIN (report_hdr_round_up (hdr.max_cll), most));
  report_json_add_int (json, "max_frame_average_light_level",
      MIN (report_hdr_round_up (hdr.max_fall), most));
  report_json_end_object (json);
}

static void
add_shot (ReportJson * json, const Scene * scene)
{
  report_json_begin_object (json, NULL);
  report_json_add_int (json, "start", scene->first);
  report_json_add_int (json, "duration", scene->n);
  report_json_begin_array (json, "metadata_blocks");
  report_json_begin_object (json, NULL);
  report_json_begin_object (json, "Level1");
  report_json_add_int (json, "min_pq", scene->light.min_pq);
  report_json_add_int (json, "max_pq", scene->light.max_pq);
  report_json_add_int (json, "avg_pq", in_pq (scene->light.mean));
  report_json_end_object (json);
  report_json_end_object (json);
  report_json_end_array (json);
  report_json_end_object (json);
}

static gboolean
write_dovi_l1 (GOutputStream * to, const GArray * scenes, guint n_frames,
    const ReportStreamSummary * stream, GError ** error)
{
  g_autoptr (ReportJson) json = report_json_new (FALSE);
  g_autofree gchar *text = NULL;

  report_json_begin_object (json, NULL);
  report_json_add_text (json, "cm_version", "V40");
  report_json_add_text (json, "profile", "8.1");
  report_json_add_int (json, "length", n_frames);
  add_active_area (json, stream);
  add_fallback (json, stream);
  report_json_begin_array (json, "shots");
  for (guint s = 0; s < scenes->len; s++)
    add_shot (json, &g_array_index (scenes, Scene, s));
  report_json_end_array (json);
  report_json_end_object (json);
  text = take_json (json);
  return write_text (to, text, error) && write_text (to, "\n", error);
}

/* ---- The writers ------------------------------------------------------------------------------ */

static gboolean
end (ReportWriter * writer, const ReportSummary * summary, GError ** error)
{
  ExportWriter *self = (ExportWriter *) writer;
  const ReportStreamSummary *stream;
  g_autoptr (GArray) scenes = NULL;
  const gchar *problem = NULL;

  if (!summary->is_complete)
    problem = "the input was not measured completely";
  else if (self->problem != NULL)
    problem = self->problem;
  else if (self->stream < 0)
    problem = "the input has no video";
  else if (self->frames->len == 0)
    problem = "the video has no frame";
  if (problem != NULL) {
    writer->refusal = g_strdup_printf ("--%s writes nothing: %s", self->option, problem);
    return TRUE;
  }
  stream = summary->streams->pdata[self->stream];
  scenes = find_scenes (self->frames, stream);
  return self->write (writer->to, scenes, self->frames->len, stream, error);
}

static void
clear (ReportWriter * writer)
{
  ExportWriter *self = (ExportWriter *) writer;

  g_array_unref (self->frames);
  g_free (self->light);
  g_free (self->counts);
  g_free (self->problem);
}

static ExportWriter *
make_writer (GOutputStream * to)
{
  ExportWriter *self = report_writer_new (sizeof *self, to);

  self->writer.begin = begin;
  self->writer.frame = add_frame;
  self->writer.end = end;
  self->writer.clear = clear;
  self->stream = -1;
  self->frames = g_array_new (FALSE, FALSE, sizeof (Frame));
  return self;
}

/* Returns: (transfer full): writes the JSON that hdr10plus_tool and x265 read */
ReportWriter *
report_hdr10plus_writer_new (GOutputStream * to)
{
  ExportWriter *self = make_writer (to);

  self->option = "hdr10plus";
  self->write = write_hdr10plus;
  return &self->writer;
}

/* Returns: (transfer full): writes the JSON that `dovi_tool generate` reads */
ReportWriter *
report_dovi_l1_writer_new (GOutputStream * to)
{
  ExportWriter *self = make_writer (to);

  self->option = "dovi-l1";
  self->write = write_dovi_l1;
  return &self->writer;
}
