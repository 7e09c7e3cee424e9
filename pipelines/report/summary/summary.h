/* What is known of an input after all of its results: per stream the counts, the merged histograms,
 * and the extremes and means of the figures.
 *
 * Summaries add up: report_summary_merge() gives what one input with all the frames would have
 * given. Counts, histograms, sums, extremes and all that follows from them are exact.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include "cudahisto/cudahisto.h"
#include "measures/loudness-blocks.h"

#include "summary/notice.h"
#include "summary/policy-result.h"
#include "base/short-faults.h"
#include "base/sound.h"
#include "base/stream.h"
#include "base/thumbnail.h"
#include "facts/facts.h"

G_BEGIN_DECLS

/* A component over all results. */
typedef struct
{
  gchar *name;                  /* "Y", "saturation", "ch0" */
  HistoGroup group;
  /* The figures are those of all samples together. Until report_summary_finish() the mean, the variance and what follows
   * from the histogram are not valid. */
  HistoFigures figures;
  guint64 *counts;              /* the merged histogram: figures.bins numbers */
  gdouble squares;              /* Σ (x − mean)² of audio, which has no histogram of all values */
  HistoRange means;            /* of the single results: the darkest and the brightest frame */
} ReportComponent;

/* The sides of a picture, and how far inside the outermost position of a side frames are counted. */
enum
{ REPORT_LEFT, REPORT_TOP, REPORT_RIGHT, REPORT_BOTTOM, REPORT_N_SIDES };
#define REPORT_NEAR 3

/* Group `area`: the smallest box that has all active pictures; width 0: none is known. */
typedef struct
{
  gint x, y, width, height;
  guint64 n;                    /* results that have an active picture; 0: unknown */
  /* So many of these have their side 0, 1 and 2 pixels inside the side of the box. */
  guint64 near[REPORT_N_SIDES][REPORT_NEAR];
} ReportArea;

/* More names of a choice are not counted. */
#define REPORT_MOST_NAMES 4

/* Group `gamut-filter`: what is outside of EBU R 103. */
typedef struct
{
  guint64 n_above;              /* results with more than HISTO_R103_ALLOWED */
  gdouble worst;                /* the greatest share */
  /* Number of the result in the stream, from 0 on; G_MAXUINT64: unknown, or of several inputs */
  guint64 worst_frame;
  guint64 worst_time;           /* ns from the start of the stream; GST_CLOCK_TIME_NONE: unknown */
} ReportR103;

/* The result with the greatest value of a figure. */
typedef struct
{
  gdouble value;
  guint64 frame, time;          /* as worst_frame and worst_time of ReportR103 */
} ReportWorst;

/* A region of video, or all channels of audio. */
typedef struct
{
  gchar *name;                  /* NULL: the whole picture */
  gboolean has_place;           /* FALSE: of parts of several sizes, where it has others */
  guint x, y, width, height;    /* in pixels, of the first result */
  GPtrArray *components;        /* (element-type ReportComponent) */
  /* The figures of the groups of video, as histo_group_figures. A choice has no range: how many results have each name. */
  HistoRange figures[HISTO_N_GROUP_FIGURES];
  guint64 choices[HISTO_N_GROUP_FIGURES][REPORT_MOST_NAMES];
  ReportR103 r103;
  ReportWorst worst_range;      /* SIGNAL_brng */
  guint n_bits_used;            /* of native components; 0: unknown */
  guint bits_used[HISTO_MAX_COMPONENTS];        /* the greatest */
  ReportArea area;
  guint64 *joints[HISTO_N_JOINTS];      /* HISTO_SCOPE_BINS counts of each joint component; NULL: not measured */
} ReportRegion;

/* A channel of audio. */
typedef struct
{
  HistoRange levels[HISTO_N_LEVEL_FIGURES];    /* of the windows, as histo_level_figures */
  gdouble arrays[HISTO_N_LOUDNESS_ARRAYS];      /* true peak and sample peak; NaN: unknown */
} ReportChannel;

/* What has one description: the stream from one of its changes to the next. The parts of merged summaries are
 * those of all inputs; those with one description are one part. */
typedef struct
{
  ReportStream *stream;         /* the description; title, codec and what is not of its medium are not set */
  guint64 start, end;           /* ns from the start of the stream; GST_CLOCK_TIME_NONE: unknown */
  guint64 n_results, n_samples; /* as in ReportStreamSummary */
  GPtrArray *regions;           /* (element-type ReportRegion); [0] is the whole picture */
  GPtrArray *channels;          /* audio; (element-type ReportChannel) */
  GPtrArray *pairs;             /* audio; (element-type ReportPair) */
} ReportPart;

/* A stream that changes more often has no more parts: a result that fits none of them is counted, and its
 * figures are left out. */
#define REPORT_MOST_PARTS 256

typedef struct
{
  HistoAlert alert;
  gchar *rule;                  /* of HISTO_ALERT_RULE: its id; else NULL */
  gchar *place;                 /* component, channel, pair, zone or region; NULL: it has none */
  guint64 start;                /* in ns from the start of the stream; GST_CLOCK_TIME_NONE: unknown */
  guint64 end;                  /* the same; GST_CLOCK_TIME_NONE: the input ended before */
  gdouble value, threshold;     /* of the begin; of a rule: the worst */
  guint64 value_time;           /* as start: of a rule's value; else unknown */
  gchar *input;                 /* of merged summaries: the name of the input; NULL: the only one */
} ReportAlert;

/* Results that follow each other in which there are more flashes than WCAG 2.3.1 allows, or nearly so many. */
typedef struct
{
  guint64 start, end;           /* ns from the start of the stream; GST_CLOCK_TIME_NONE: unknown */
  guint state, zones_state;     /* the worst one of the picture and that of its zones: HISTO_FLASH_PASS, … */
  guint32 zones;                /* flags of the zones that have zones_state */
  guint64 transitions, red_transitions; /* the most in a second, of the picture or of a zone */
  gchar *input;                 /* of merged summaries: the name of the input; NULL: the only one */
} ReportFlashes;

#define REPORT_N_FLASH_STATES (HISTO_FLASH_FAIL + 1)
/* Periods of cadences are 1 to this. */
#define REPORT_MOST_PERIOD 30

/* Frames that are equal to the one before. */
typedef struct
{
  guint64 longest;              /* of them in a row */
  guint64 longest_start;        /* ns from the start of the stream; GST_CLOCK_TIME_NONE: unknown, or of several inputs */
  guint64 run, run_start;       /* the one that the latest result belongs to */
  /* Results with a cadence, by its period and the frames of a period that are no repeats. */
  guint64 cadences[REPORT_MOST_PERIOD + 1][REPORT_MOST_PERIOD + 1];
} ReportRepeats;

/* What may be wrong with a timestamp, as it follows the one before. */
typedef enum
{
  REPORT_GAP,                   /* it is later than the end of the buffer before */
  REPORT_OVERLAP,               /* it is earlier */
  REPORT_JUMP_BACK,             /* it is earlier than that buffer's timestamp */
  REPORT_N_TIME_FAULTS
} ReportTimeFault;

extern const gchar *const report_time_fault_names[REPORT_N_TIME_FAULTS];

typedef struct
{
  ReportTimeFault fault;
  guint64 start;                /* ns from the start of the stream */
  guint64 end;                  /* of a gap, as start; GST_CLOCK_TIME_NONE: unknown, or no gap */
  guint64 count;                /* of a gap: frames or samples that have room in it */
  gboolean is_fault;            /* neither a variable rate nor a picture that is held explains it */
  gchar *input;                 /* of merged summaries: the name of the input; NULL: the only one */
} ReportTimePlace;

/* So many places of a kind and an input are listed; all are counted. */
#define REPORT_MOST_TIME_PLACES 100

typedef struct
{
  guint64 n_buffers;            /* whose timestamps were looked at; 0: unknown */
  guint64 n_untimed;            /* without a timestamp */
  guint64 n[REPORT_N_TIME_FAULTS];      /* video: what neither shifted times nor a variable rate explain */
  guint64 n_shifted;            /* video: buffers whose timestamp is a frame too early or too late, for a few frames */
  HistoRange distances;         /* video of a variable rate: of timestamps, in ns, gaps left out; n is 0: it is constant */
  guint64 gap_length;           /* of all gaps: frames or samples */
  GPtrArray *places;            /* (element-type ReportTimePlace) */
} ReportTimestamps;

/* A track of a programme. */
typedef struct
{
  guint64 number;               /* of the tracks of sound of the file, from 1 on */
  guint64 n_samples;            /* that it holds; 0: it was not read to its end */
  /* Samples of silence in place of what it does not hold: before it begins, between its parts, behind its end. */
  guint64 n_before, n_between, n_behind;
} ReportTrack;

typedef struct
{
  ReportStream *stream;         /* a copy */
  guint groups;                 /* flags of the groups that some result has */
  guint64 n_results;            /* frames, or windows of sound */
  guint64 n_samples;            /* audio: of one channel */
  gdouble mean_frame_rate;      /* video: frames per second, by their times; 0: unknown, or of several inputs */
  gdouble bit_rate;             /* of the encoded data, in bits per second; 0: unknown, or of several inputs */
  /* Stereo, from report_summary_finish() on: that of its pair; NaN: unknown */
  gdouble correlation;
  gchar *field_order;           /* video: "progressive", "top-field-first", "bottom-field-first", "mixed", REPORT_ALTERNATE; NULL: unknown, or of inputs that differ */
  GPtrArray *tracks;            /* audio; (element-type ReportTrack): of a programme, in the order of the channels */
  /* Audio: a mono track that is silent from begin to end, in no programme, beside sound that is not silent. What it has of
   * silence is left out. */
  gboolean is_spare;
  GPtrArray *facts;             /* (element-type ReportFact): what the stream says of itself, and who says it */
  gdouble *compared;            /* as HistoComparedFigure: how it differs from another one; NULL: it was compared with none */
  gchar *timecode;              /* video: of the first frame; NULL: unknown, or of several inputs */
  /* Stream time of the container in ns at which the results begin and end; GST_CLOCK_TIME_NONE: unknown.
   * All other times of the stream count from start. */
  guint64 start, end;
  gchar *backend;               /* "cuda" or "cpu"; NULL: no result */
  ReportStream *next;           /* video: frame rate, colorimetry and light of the next result, as caps have them */
  ReportCarried latest_light;   /* video: that of the latest result */
  GPtrArray *parts;             /* (element-type ReportPart); several if the stream changes */
  GTree *first_parts;           /* description → index of the first part that has it, plus 1; see summary.c */
  /* All parts together, from report_summary_finish() on: what is valid for all of them. Figures that need
   * one scale, or one size, are only in the parts if those have several. */
  GPtrArray *regions;           /* (element-type ReportRegion); [0] is the whole picture */
  GPtrArray *channels;          /* audio; (element-type ReportChannel) */
  GPtrArray *pairs;             /* audio; (element-type ReportPair) */
  ReportSoundSpans sound_spans; /* audio */
  HistoRange loudness[HISTO_N_LOUDNESS_FIGURES];       /* as histo_loudness_figures */
  /* Several inputs, or the measuring of loudness began anew: integrated and range come from the blocks. */
  gboolean is_merged;
  guint64 n_samples_of_loudness;        /* since it began; of one channel */
  HistoLoudnessBlocks *momentary, *short_term;  /* of 400 ms and of 3 s; NULL: none */
  GPtrArray *alerts;            /* (element-type ReportAlert), in the order of their begins */
  /* Video: */
  GPtrArray *flashes;           /* (element-type ReportFlashes), in the order of their begins */
  gboolean has_flashes;         /* the latest result belongs to the last of them */
  guint64 zone_states[REPORT_N_FLASH_STATES];   /* results by the worst state of their zones */
  GArray *flash_times;          /* of two times: the first and the last result of flashes; see summary.c */
  gboolean is_flashing;         /* the latest result belongs to the last of them */
  guint64 n_scenes_in_flashes;  /* scene changes that were left out of the alerts */
  ReportRepeats repeats;
  GArray *held;                 /* of guint64: stream times of frames that come late, and nearly equal the one before: see summary.c */
  guint64 latest, latest_distance;      /* the stream time of the latest frame, and how long after the one before it came */
  ReportShortFaults short_faults;
  ReportTimestamps timestamps;
  GPtrArray *thumbnails;        /* (element-type ReportThumbnail): frames that were kept while they were measured; for pages
                                 * alone, no other output has them. Empty of a summary that was read or added up */
} ReportStreamSummary;

/* Something that is wrong with an input. */
typedef struct
{
  const gchar *type;            /* one of those below */
  gint stream;                  /* index of the stream; -1: the input, or several streams */
  guint64 start, end;           /* ns from the stream's first timestamp on; GST_CLOCK_TIME_NONE: unknown */
  guint64 count;                /* frames, samples or buffers; 0: unknown */
  gchar *text;                  /* UTF-8, a sentence without its full stop */
} ReportProblem;

/* The tags of a file that report problems in ffprobe's formats. */
#define REPORT_TAG_COMPLETE "cudahisto.complete"
#define REPORT_TAG_PROBLEMS "cudahisto.problems"

/* The types of problems; the summary lists no others. */
#define REPORT_PROBLEM_UNREADABLE "unreadable"
#define REPORT_PROBLEM_UNDECODABLE "undecodable"
#define REPORT_PROBLEM_ERROR "error"
#define REPORT_PROBLEM_MISSING "missing"
#define REPORT_PROBLEM_DAMAGED "damaged"
#define REPORT_PROBLEM_CUT_OFF "cut-off"
#define REPORT_PROBLEM_INTERRUPTED "interrupted"
#define REPORT_PROBLEM_OTHER "other"

typedef struct
{
  gchar *name;                  /* of the input, as the user wrote it */
  gchar *uri;                   /* NULL: of several inputs */
  /* Size of the file in bytes, and when it was changed, in ns since 1970; GST_CLOCK_TIME_NONE: unknown, or it
   * is no local file */
  guint64 input_size, input_mtime;
  gchar *settings;              /* with which it was measured, as text; NULL: unknown */
  guint64 n_inputs;             /* 1, or the number of merged ones */
  gboolean is_sum;              /* report_summary_merge() has added inputs */
  guint alerts;                 /* flags of the alerts that were watched */
  /* Length of the input in ns, from its first timestamp on: what was measured, or else what the container says;
   * GST_CLOCK_TIME_NONE: unknown */
  guint64 duration;
  gboolean is_complete;         /* FALSE: measuring was interrupted, or an error ended it */
  gchar *problem;               /* the first of the problems, as text; NULL: there is none */
  GPtrArray *problems;          /* (element-type ReportProblem): what is wrong with the input */
  gdouble seconds;              /* that measuring took */
  GPtrArray *policies;          /* (element-type ReportPolicyResult): those that were asked for */
  GPtrArray *streams;           /* (element-type ReportStreamSummary) */
  GPtrArray *notices;           /* (element-type ReportNotice): see notices/; empty until a writer gets the summary */
  guint watched;                /* flags of what was looked for: REPORT_CHECK_FLAG() */
  gchar *verdict_line;          /* the verdict and the notices in a line: notices/verdict-line.h; NULL until then */
} ReportSummary;

/* lists.c */
extern const ReportShape report_problem_shape;
extern const ReportShape report_alert_shape;
extern const ReportShape report_flashes_shape;
extern const ReportShape report_time_place_shape;
extern const ReportShape report_channel_shape;
extern const ReportShape report_track_shape;

/* Lists of these are (element-type ReportProblem), in the order in which they are shown. */
gchar *report_problems_text (GPtrArray * problems);
gchar *report_problems_join (GPtrArray * problems);

ReportSummary *report_summary_new (const gchar * name);
ReportSummary *report_summary_new_unmeasured (const gchar * input,
    const gchar * type, const gchar * problem);
void report_summary_free (ReportSummary * summary);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReportSummary, report_summary_free)
void report_summary_add_problem (ReportSummary * summary,
    const ReportProblem * problem);
void report_summary_complain (ReportSummary * summary, const gchar * type,
    guint64 count, const gchar * format, ...) G_GNUC_PRINTF (4, 5);
ReportStreamSummary *report_summary_add_stream (ReportSummary * summary,
    const ReportStream * stream);
guint64 report_stream_summary_count (ReportStreamSummary * summary,
    guint64 stream_time);
guint64 report_stream_summary_length (const ReportStreamSummary * summary);
guint64 report_summary_length (const ReportSummary * summary);
guint64 report_summary_delay (const ReportSummary * summary,
    const ReportStreamSummary * stream, const ReportStreamSummary ** first);
guint64 report_summary_early_end (const ReportSummary * summary,
    const ReportStreamSummary * stream, const ReportStreamSummary ** last);
GPtrArray *report_summary_hints (const ReportSummary * summary,
    const ReportStreamSummary * stream);
void report_summary_add_result (ReportStreamSummary * summary,
    const HistoResult * result, const HistoTimes * times);
void report_summary_add_alert (ReportStreamSummary * summary,
    const HistoAlertEvent * event);
void report_stream_summary_leave_out_scenes (ReportStreamSummary *
    summary);
gboolean report_stream_summary_is_silent (const ReportStreamSummary * summary);
void report_summary_leave_out_spares (ReportSummary * summary);

ReportPart *report_stream_summary_add_part (ReportStreamSummary * summary,
    const ReportStream * stream);
ReportPart *report_stream_summary_find_part (const ReportStreamSummary *
    summary, const ReportStream * stream);
ReportPart *report_part_new (const ReportStream * stream);
void report_part_finish (const ReportPart * part, gboolean is_audio);
ReportRegion *report_part_add_region (ReportPart * part, const gchar * name);
void report_part_set_channels (ReportPart * part, guint n_channels);
void report_part_free (ReportPart * part);

/* Returns: (nullable): the whole picture, or all channels; a summary that was read may have none */
static inline const ReportRegion *
report_first_region (const GPtrArray * regions)
{
  return regions->len > 0 ? regions->pdata[0] : NULL;
}

/* merge.c */
gboolean report_summary_merge (ReportSummary * all,
    const ReportSummary * summary, GError ** error);
void report_summary_finish (ReportSummary * summary);
void report_summary_finish_so_far (ReportSummary * summary);

guint64 *report_region_find_joint (ReportRegion * region, HistoJoint joint);
ReportComponent *report_region_add_component (ReportRegion * region,
    const gchar * name, HistoGroup group, guint bins, gdouble range_min,
    gdouble range_max);
void report_area_merge (ReportArea * all, const ReportArea * area);
void report_worst_merge (ReportWorst * all, const ReportWorst * worst);
void report_r103_merge (ReportR103 * all, const ReportR103 * r103);
HistoZone report_find_worst_zone (const HistoGroupFigures * figures);
gboolean report_area_is_constant (const ReportArea * area, guint width,
    guint height);
void report_component_clear_figures (ReportComponent * component);
void report_component_add_figures (ReportComponent * component,
    const HistoFigures * figures);
ReportComponent *report_region_find_bins (const ReportRegion * region,
    const gchar * name, HistoGroup group, const HistoFigures * figures,
    guint hint);
const ReportRegion *report_stream_summary_find_region (const
    ReportStreamSummary * summary, const gchar * name);
const ReportComponent *report_region_find (const ReportRegion * region,
    HistoGroup group, const gchar * name);

G_END_DECLS

#endif /* REPORT_SUMMARY_H */
