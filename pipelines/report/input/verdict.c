/* Judges streams and files; see integrity.h.
 *
 * A gap in the times of video is no damage by itself: a variable frame rate may have any. It is one
 * if a frame entered the decoder and did not leave it, or if the rate is constant otherwise and the
 * structure of the file does not show that nothing is missing. Sound has no gaps in any case.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/integrity.h"

#include <math.h>

#include "base/describe.h"
#include "base/sorted.h"
#include "cudahisto/clock.h"
#include "input/timing.h"

/* The share that stands for REPORT_CONSTANT_SHARE if single other distances are damage. */
#define STRICT_SHARE 0.98
/* The rate in the caps is that of the frames if it is off by less than this share. */
#define RATE_TOLERANCE 0.03
/* If more of the frames that leave a decoder have times of their own, nothing follows from times. */
#define UNKNOWN_SHARE 0.1
/* Damage that is closer together is one problem. */
#define TOGETHER GST_SECOND
/* An input that ends earlier than its container says, by more than this share of its duration and
 * by more than a second, is probably cut off. */
#define MISSING_SHARE 0.02
/* The same limit if the container knows the number of samples, of which decoders leave out some at the ends, or
 * if the file is damaged. */
#define EXACT_TOLERANCE (GST_SECOND / 10)
/* So many problems of a kind and a stream are reported one by one. */
#define MOST_SPANS 20

/* Returns: (transfer full): "0:00:08.1" */
static gchar *
describe_time (guint64 ns)
{
  gchar time[32];

  return g_strdup (histo_clock_print (time, sizeof time, (ns + 50 * GST_MSECOND) / (100 * GST_MSECOND), 1));
}

/* ---- Telling ---------------------------------------------------------------------------------- */

/* How a problem is reported. */
typedef struct
{
  const gchar *type;
  const gchar *one, *many;      /* of what: "frame is missing", "frames are missing" */
  const gchar *unknown;         /* if the number is unknown */
} Kind;

static const Kind missing_frames = { REPORT_PROBLEM_MISSING, "frame is missing",
  "frames are missing", NULL
};
static const Kind missing_samples = { REPORT_PROBLEM_MISSING,
  "sample is missing", "samples are missing", NULL
};
static const Kind damaged_frames = { REPORT_PROBLEM_DAMAGED,
  "frame is marked as damaged", "frames are marked as damaged", NULL
};
static const Kind damaged_sound = { REPORT_PROBLEM_DAMAGED,
  "buffer of sound is marked as damaged",
  "buffers of sound are marked as damaged", NULL
};
static const Kind wrong_times = { REPORT_PROBLEM_DAMAGED,
  "time is not where it should be", "times are not where they should be", NULL
};
static const Kind lost_data = { REPORT_PROBLEM_DAMAGED, NULL, NULL,
  "data is missing or damaged"
};

typedef struct
{
  ReportSummary *summary;
  guint index;                  /* of the stream */
  guint64 base;                 /* time of its first frame or sample */
} Teller;

static guint64
since (const Teller * teller, guint64 time)
{
  if (!GST_CLOCK_TIME_IS_VALID (time))
    return GST_CLOCK_TIME_NONE;
  return time > teller->base ? time - teller->base : 0;
}

static gchar *
describe_span (const Kind * kind, guint64 start, guint64 end, guint64 count)
{
  g_autofree gchar *from = describe_time (start), *to = describe_time (end);
  const gboolean is_short = g_str_equal (from, to);
  const gchar *middle = is_short ? "" : " to ";
  gchar *text;

  if (count == 0)
    text = g_strdup_printf ("%s%s%s: %s", from, middle, is_short ? "" : to,
        kind->unknown);
  else
    text = g_strdup_printf ("%s%s%s: %" G_GUINT64_FORMAT " %s", from, middle,
        is_short ? "" : to, count, count == 1 ? kind->one : kind->many);
  return text;
}

static void
tell (const Teller * teller, const Kind * kind, const ReportSpan * span,
    const gchar * note)
{
  const ReportStreamSummary *stream =
      teller->summary->streams->pdata[teller->index];
  const guint64 start = since (teller, span->start);
  const guint64 end = since (teller, span->end);
  ReportProblem problem = { kind->type, teller->index, start, end, span->count,
    NULL
  };
  g_autofree gchar *text = GST_CLOCK_TIME_IS_VALID (start)
      && GST_CLOCK_TIME_IS_VALID (end) ?
      describe_span (kind, start, end, span->count) :
      g_strdup_printf ("%" G_GUINT64_FORMAT " %s", span->count,
      span->count == 1 ? kind->one : kind->many);

  problem.text = g_strdup_printf ("%s: %s%s", stream->stream->title, text,
      note);
  report_summary_add_problem (teller->summary, &problem);
  g_free (problem.text);
}

/* @spans: (element-type ReportSpan): are sorted, and those that are close together become one */
static void
tell_all (const Teller * teller, const Kind * kind, GArray * spans)
{
  ReportSpan rest = { 0 };
  guint n = 0;

  g_array_sort (spans, report_sorted_compare);
  for (guint i = 0; i < spans->len; i++) {
    const ReportSpan *span = &g_array_index (spans, ReportSpan, i);
    ReportSpan *last = n > 0 ? &g_array_index (spans, ReportSpan, n - 1) : NULL;

    if (last != NULL && span->start <= last->end + TOGETHER) {
      last->end = MAX (last->end, span->end);
      last->count += span->count;
    } else {
      g_array_index (spans, ReportSpan, n++) = *span;
    }
  }
  for (guint i = 0; i < n; i++) {
    const ReportSpan *span = &g_array_index (spans, ReportSpan, i);

    if (i < MOST_SPANS) {
      tell (teller, kind, span, "");
      continue;
    }
    rest.start = i == MOST_SPANS ? span->start : rest.start;
    rest.end = span->end;
    rest.count += span->count;
  }
  if (n > MOST_SPANS) {
    g_autofree gchar *note = g_strdup_printf (", at %u places", n - MOST_SPANS);

    tell (teller, kind, &rest, note);
  }
}

/* ---- Video ------------------------------------------------------------------------------------ */

/* Gaps are left out: they may be damage. */
static gboolean
is_constant (const ReportRate * rate, gdouble share)
{
  const guint64 n = rate->n - rate->n_gaps;

  return n >= REPORT_FEW_DISTANCES && rate->n_usual >= share * n;
}

/* Whether each frame that entered a decoder must leave it with the same time. */
static gboolean
keeps_times (const ReportDecoderWatch * decoder)
{
  return decoder != NULL && decoder->is_video && decoder->n_out > 0
      && decoder->n_unknown <= UNKNOWN_SHARE * decoder->n_out;
}

/* Frames between these times. It is asked for each gap, of which there may be as many as frames. */
static guint64
count_pending (const ReportDecoderWatch * decoder, guint64 from, guint64 to)
{
  guint first, end;

  if (!GST_CLOCK_TIME_IS_VALID (from) || to <= from)
    return 0;
  first = report_sorted_find (decoder->pending, from + 1, NULL);
  end = report_sorted_find (decoder->pending, to, NULL);
  return end > first ? end - first : 0;
}

/* Spans that can be asked whether others are near. */
typedef struct
{
  GArray *spans;                /* (element-type ReportSpan), sorted; the end is the latest one up to there */
  gboolean is_everywhere;       /* some may be anywhere */
} Places;

static void
places_init (Places * places, const GArray * spans)
{
  guint64 latest = 0;

  places->spans = g_array_copy ((GArray *) spans);
  places->is_everywhere = FALSE;
  g_array_sort (places->spans, report_sorted_compare);
  for (guint i = 0; i < spans->len; i++) {
    ReportSpan *span = &g_array_index (places->spans, ReportSpan, i);

    places->is_everywhere = places->is_everywhere
        || !GST_CLOCK_TIME_IS_VALID (span->start)
        || !GST_CLOCK_TIME_IS_VALID (span->end);
    span->end = latest = MAX (latest, span->end);
  }
}

static void
places_clear (Places * places)
{
  g_array_unref (places->spans);
}

static gboolean
is_near (const Places * places, guint64 start, guint64 end)
{
  guint n;

  if (places->is_everywhere)
    return TRUE;
  /* Those that begin before. A span begins with its start. */
  n = report_sorted_find (places->spans, end + TOGETHER + 1, NULL);
  return n > 0 && g_array_index (places->spans, ReportSpan, n - 1).end
      + TOGETHER >= start;
}

/* Returns: (transfer full) (element-type ReportSpan): before each of these places something was lost */
static GArray *
find_lost_data (const ReportDecoderWatch * decoder)
{
  GArray *lost = g_array_copy (decoder->lost_data);

  if (report_discontinuities_tell (decoder))
    g_array_append_vals (lost, decoder->discontinuities->data,
        decoder->discontinuities->len);
  return lost;
}

/* Whether frames that the container has not given are missing in a gap.
 *
 * @lost: where data was lost before the decoder */
static gboolean
container_lost (const ReportStreamWatch * stream,
    const ReportDecoderWatch * decoder, const ReportStructure * structure,
    const ReportRate * rate, const Places * lost, const ReportSpan * gap)
{
  /* Each frame begins where the one before ends: the container has authored the gap. */
  if (decoder != NULL && decoder->n_followed > 0 && decoder->n_breaks == 0)
    return FALSE;
  if (!is_constant (rate, REPORT_CONSTANT_SHARE))
    return FALSE;
  switch (structure->state) {
    case REPORT_STRUCTURE_DAMAGED:
    case REPORT_STRUCTURE_CUT_OFF:
      return TRUE;
    case REPORT_STRUCTURE_UNKNOWN:
    case REPORT_STRUCTURE_GIVEN_UP:
      /* The rate is the one that the stream says it has. */
      return stream->frame_rate > 0
          && fabs (rate->usual * stream->frame_rate / GST_SECOND - 1)
          < RATE_TOLERANCE;
    case REPORT_STRUCTURE_WHOLE:
      break;
  }
  /* A parser drops what it cannot read. */
  if (decoder != NULL && decoder->n_in < structure->n_frames)
    return TRUE;
  return decoder != NULL && is_near (lost, gap->start, gap->end);
}

/* Frames that are missing between others. */
static void
find_gaps (const ReportStreamWatch * stream, const ReportDecoderWatch * decoder,
    const ReportStructure * structure, const ReportRate * rate, GArray * missing)
{
  Places lost = { NULL, FALSE };

  if (decoder != NULL) {
    g_autoptr (GArray) spans = find_lost_data (decoder);

    places_init (&lost, spans);
  }
  for (guint i = 0; i < stream->runs->len; i++) {
    const ReportRun *run = &g_array_index (stream->runs, ReportRun, i);
    const guint64 each = run->sum / run->count;

    if (!report_rate_is_gap (rate, run))
      continue;
    for (guint64 k = 0; k < run->count; k++) {
      const guint64 start = run->start + k * each;
      /* The frame before takes its own time. */
      ReportSpan gap = { start + (guint64) rate->usual, start + each,
        MAX (1, (guint64) (each / rate->usual + 0.5)) - 1
      };
      /* Where times overlap, a decoder gives frames other times: those that entered with others are not lost. */
      const guint64 n_lost = keeps_times (decoder)
          && decoder->n_out < decoder->n_timed ? count_pending (decoder,
          start + REPORT_ROUNDING, gap.end - REPORT_ROUNDING) : 0;

      if (n_lost == 0
          && !container_lost (stream, decoder, structure, rate, &lost, &gap))
        continue;
      if (n_lost > 0 && !is_constant (rate, REPORT_CONSTANT_SHARE))
        gap.count = n_lost;
      gap.count = MAX (gap.count, n_lost);
      g_array_append_val (missing, gap);
    }
  }
  if (decoder != NULL)
    places_clear (&lost);
}

/* Frames that entered the decoder before the first one, or after the last one, that left it. A
 * stream may begin with frames that need others before it. */
static void
find_lost_ends (const ReportStreamWatch * stream,
    const ReportDecoderWatch * decoder, const ReportRate * rate, GArray * missing)
{
  ReportSpan before = { decoder->first_key, stream->first, 0 };
  ReportSpan behind = { stream->last, decoder->last_in, 0 };

  if (GST_CLOCK_TIME_IS_VALID (decoder->first_key)
      && decoder->first_key < stream->first) {
    before.count = count_pending (decoder, decoder->first_key - MIN (1,
            decoder->first_key), stream->first);
    if (before.count > 0)
      g_array_append_val (missing, before);
  }
  behind.count = count_pending (decoder, stream->last + (guint64) (rate->usual
          * 0.6), GST_CLOCK_TIME_NONE);
  if (behind.count > 0)
    g_array_append_val (missing, behind);
}

/* In a stream of constant rate a single frame that is elsewhere: the distances before and behind it are
 * odd, and their sum is not. Where two parts were joined, only one distance is odd. */
static void
find_wrong_times (const ReportStreamWatch * stream, const ReportRate * rate,
    GArray * wrong)
{
  if (!is_constant (rate, STRICT_SHARE))
    return;
  for (guint i = 1; i < stream->runs->len; i++) {
    const ReportRun *run = &g_array_index (stream->runs, ReportRun, i);
    const ReportRun *before = run - 1;
    const ReportSpan span = { before->start, run->start + run->sum, 1 };

    if (run->count == 1 && before->count == 1
        && !report_rate_is_whole (rate, before->sum) && !report_rate_is_whole (rate, run->sum)
        && report_rate_is_whole (rate, before->sum + run->sum))
      g_array_append_val (wrong, span);
  }
}

static void
judge_video (const Teller * teller, const ReportStreamWatch * stream,
    const ReportDecoderWatch * decoder, const ReportStructure * structure,
    GArray * missing)
{
  g_autoptr (GArray) wrong = g_array_new (FALSE, FALSE, sizeof (ReportSpan));
  ReportRate rate;

  report_rate_measure (&rate, stream);
  find_gaps (stream, decoder, structure, &rate, missing);
  if (keeps_times (decoder) && GST_CLOCK_TIME_IS_VALID (stream->first))
    find_lost_ends (stream, decoder, &rate, missing);
  /* A demuxer may leave out what the file has, and say nothing. Files of which frames are not to be shown are read by libav,
   * which counts these, too. */
  if (missing->len == 0 && decoder != NULL && stream->said != NULL
      && decoder->n_in < structure->n_frames) {
    const ReportSpan left_out = { GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, structure->n_frames - decoder->n_in };

    g_array_append_val (missing, left_out);
  }
  tell_all (teller, &missing_frames, missing);
  if (missing->len == 0)
    find_wrong_times (stream, &rate, wrong);
  if (stream->backwards.count > 0)
    g_array_append_val (wrong, stream->backwards);
  tell_all (teller, &wrong_times, wrong);
}

/* ---- Sound ------------------------------------------------------------------------------------ */

/* The last packet that entered the decoder begins before the end of what left it. */
static void
find_lost_sound (const ReportStreamWatch * stream,
    const ReportDecoderWatch * decoder, GArray * missing)
{
  ReportSpan end = { stream->end, decoder->last_in, 0 };

  if (!GST_CLOCK_TIME_IS_VALID (end.start)
      || !GST_CLOCK_TIME_IS_VALID (end.end) || decoder->n_in < 2
      || end.end + REPORT_ROUNDING < end.start)
    return;
  end.end += (decoder->last_in - MIN (stream->first, decoder->last_in))
      / (decoder->n_in - 1);
  end.count = gst_util_uint64_scale (end.end > end.start ?
      end.end - end.start : 0, stream->rate, GST_SECOND);
  if (end.count > 0)
    g_array_append_val (missing, end);
}

/* ---- Streams and files -------------------------------------------------------------------------- */

/* Where a parser or a demuxer has lost data, and no gap shows it. */
static void
judge_lost_data (const Teller * teller, const ReportDecoderWatch * decoder,
    const GArray * missing)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (ReportSpan));
  g_autoptr (GArray) lost = find_lost_data (decoder);
  Places gaps;

  places_init (&gaps, missing);
  for (guint i = 0; i < lost->len; i++) {
    ReportSpan span = g_array_index (lost, ReportSpan, i);

    if (!GST_CLOCK_TIME_IS_VALID (span.start))
      span.start = teller->base;
    if (!GST_CLOCK_TIME_IS_VALID (span.end) || span.end < span.start)
      span.end = span.start;
    if (!is_near (&gaps, span.start, span.end))
      g_array_append_val (spans, span);
  }
  places_clear (&gaps);
  tell_all (teller, &lost_data, spans);
}

/* Frames before the first one that needs no other may need what is not in the input, as at the begin of
 * a part that was cut out. */
static void
judge_corrupted (const Teller * teller, const ReportStreamWatch * stream,
    const ReportDecoderWatch * decoder)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (ReportSpan));

  for (guint i = 0; i < stream->corrupted->len; i++) {
    const ReportSpan span = g_array_index (stream->corrupted, ReportSpan, i);

    if (!GST_CLOCK_TIME_IS_VALID (span.start) || decoder == NULL
        || !GST_CLOCK_TIME_IS_VALID (decoder->first_key)
        || span.start >= decoder->first_key)
      g_array_append_val (spans, span);
  }
  tell_all (teller, stream->is_audio ? &damaged_sound : &damaged_frames, spans);
}

/**
 * report_verdict_add_stream:
 * @summary: gets the problems
 * @index: of the stream
 * @decoder: (nullable): NULL: the stream needs none
 */
void
report_verdict_add_stream (ReportSummary * summary, guint index,
    ReportStreamWatch * stream, ReportDecoderWatch * decoder,
    const ReportStructure * structure)
{
  const ReportStreamSummary *measured = summary->streams->pdata[index];
  Teller teller = { summary, index, measured->start };
  g_autoptr (GArray) missing = g_array_new (FALSE, FALSE, sizeof (ReportSpan));

  report_stream_watch_finish (stream, !structure->has_no_times);
  g_mutex_lock (&stream->lock);
  if (decoder != NULL)
    g_mutex_lock (&decoder->lock);
  if (!GST_CLOCK_TIME_IS_VALID (teller.base))
    teller.base = GST_CLOCK_TIME_IS_VALID (stream->first) ? stream->first : 0;
  if (stream->is_part) {
    /* The stream that it is part of has the times and the samples. */
  } else if (stream->is_audio) {
    g_array_append_vals (missing, stream->gaps->data, stream->gaps->len);
    if (decoder != NULL && !stream->is_trimmed)
      find_lost_sound (stream, decoder, missing);
    tell_all (&teller, &missing_samples, missing);
    if (stream->backwards.count > 0 && !structure->has_no_times)
      tell (&teller, &wrong_times, &stream->backwards, "");
  } else {
    judge_video (&teller, stream, decoder, structure, missing);
  }
  if (!stream->is_part)
    judge_corrupted (&teller, stream, decoder);
  if (decoder != NULL) {
    judge_lost_data (&teller, decoder, missing);
    g_mutex_unlock (&decoder->lock);
  }
  g_mutex_unlock (&stream->lock);
}

void
report_verdict_add_structure (ReportSummary * summary,
    const ReportStructure * structure)
{
  switch (structure->state) {
    case REPORT_STRUCTURE_UNKNOWN:
    case REPORT_STRUCTURE_WHOLE:
      break;
    case REPORT_STRUCTURE_DAMAGED:
      if (structure->rest > 0)
        report_summary_complain (summary, REPORT_PROBLEM_DAMAGED, 0,
            "the last %" G_GUINT64_FORMAT " bytes of the file belong to none of "
            "its parts: bytes were inserted before them, or added",
            structure->rest);
      else if (structure->count > 1)
        report_summary_complain (summary, REPORT_PROBLEM_DAMAGED,
            structure->count, "the file is damaged at %" G_GUINT64_FORMAT
            " places, the first at byte %" G_GUINT64_FORMAT, structure->count,
            structure->offset);
      else
        report_summary_complain (summary, REPORT_PROBLEM_DAMAGED,
            structure->count, "the file is damaged at byte %" G_GUINT64_FORMAT,
            structure->offset);
      break;
    case REPORT_STRUCTURE_CUT_OFF:
      if (structure->missing > 0) {
        g_autoptr (GString) bytes = g_string_new (NULL);

        report_append_bytes (bytes, structure->missing);
        report_summary_complain (summary, REPORT_PROBLEM_CUT_OFF,
            structure->count, structure->is_least ?
            "the file is cut off: at least %s are missing at its end" :
            "the file is cut off: its last %s are missing", bytes->str);
      } else
        report_summary_complain (summary, REPORT_PROBLEM_CUT_OFF,
            structure->count, "the file is cut off: its end is missing");
      break;
    case REPORT_STRUCTURE_GIVEN_UP:
      /* After a signal, the summary says that the input was interrupted. */
      if (structure->too_many != NULL)
        report_summary_complain (summary, REPORT_PROBLEM_OTHER, 0,
            "the structure of the file was checked only up to byte %"
            G_GUINT64_FORMAT ", because it has more than %" G_GUINT64_FORMAT
            " %s", structure->offset, structure->count, structure->too_many);
      break;
  }
}

/* Whether a time of the end, as one counts it, is that which the container says. */
static gboolean
reaches (guint64 end, guint64 duration, guint64 tolerance)
{
  return GST_CLOCK_TIME_IS_VALID (end) && end + tolerance >= duration;
}

/**
 * report_verdict_add_end:
 * @streams: (element-type ReportStreamWatch): also those that are not measured
 * @has_demuxer: the input has a container; if not, its duration is mostly estimated
 * @duration: that the container says, in ns; GST_CLOCK_TIME_NONE: none
 *
 * Whether the streams end before the container says. Containers count from 0, from the first
 * timestamp, or from their begin.
 */
void
report_verdict_add_end (ReportSummary * summary, GPtrArray * streams,
    const ReportStructure * structure, gboolean has_demuxer, guint64 duration)
{
  const gboolean is_damaged = structure->state == REPORT_STRUCTURE_DAMAGED
      || structure->state == REPORT_STRUCTURE_CUT_OFF;
  const guint64 tolerance = structure->has_exact_duration || is_damaged ?
      EXACT_TOLERANCE : MAX (GST_SECOND, (guint64) (MISSING_SHARE * duration));
  guint64 end = 0, n_samples = 0;
  gboolean is_known = FALSE, is_whole_input = FALSE;

  /* What the file says is the measure: no tolerance. */
  if (structure->n_samples > 0) {
    for (guint i = 0; i < streams->len; i++)
      n_samples += ((const ReportStreamWatch *) streams->pdata[i])->n_samples;
    if (n_samples < structure->n_samples)
      report_summary_complain (summary, REPORT_PROBLEM_CUT_OFF,
          structure->n_samples - n_samples, "%" G_GUINT64_FORMAT " of %"
          G_GUINT64_FORMAT " samples are missing",
          structure->n_samples - n_samples, structure->n_samples);
    return;
  }
  if (!GST_CLOCK_TIME_IS_VALID (duration)
      || (!has_demuxer && !structure->has_exact_duration))
    return;
  for (guint i = 0; i < streams->len; i++) {
    ReportStreamWatch *stream = streams->pdata[i];

    g_mutex_lock (&stream->lock);
    if (GST_CLOCK_TIME_IS_VALID (stream->end)) {
      /* A decoder that gives all frames the same time shows nothing. */
      is_whole_input = is_whole_input || (stream->n_buffers > 1
          && stream->last == stream->first);
      is_known = TRUE;
      end = MAX (end, stream->end - stream->first);
      is_whole_input = is_whole_input || reaches (stream->end, duration, tolerance)
          || reaches (stream->latest_timestamp, duration, tolerance);
    }
    g_mutex_unlock (&stream->lock);
  }
  if (!is_known || is_whole_input || reaches (end, duration, tolerance))
    return;
  report_summary_complain (summary, REPORT_PROBLEM_CUT_OFF, 0,
      "ends after %.1f s, but should have %.1f s%s", (gdouble) end / GST_SECOND, (gdouble) duration / GST_SECOND,
      structure->state == REPORT_STRUCTURE_CUT_OFF ? "" : ": it is probably cut off");
}
