/* How the sound of two streams differs, and which changes explain it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SOUND_DIFFERENCE_H
#define REPORT_SOUND_DIFFERENCE_H

#include <gst/audio/audio.h>

#include "compare/sound-sums.h"

G_BEGIN_DECLS

/* The changes that are looked for: CHANGE (identifier, name). docs/report.md explains them. */
#define REPORT_SOUND_CHANGES(CHANGE) \
  CHANGE (DELAY, "delay") \
  CHANGE (SWAPPED, "swapped") \
  CHANGE (DUAL_MONO, "dual-mono") \
  CHANGE (MIX, "mix") \
  CHANGE (MISSING_CHANNEL, "missing-channel") \
  CHANGE (ADDED_CHANNEL, "added-channel") \
  CHANGE (SILENT_CHANNEL, "silent-channel") \
  CHANGE (INVERTED, "inverted") \
  CHANGE (GAIN, "gain") \
  CHANGE (CLIPPED, "clipped") \
  CHANGE (OFFSET, "offset") \
  CHANGE (MISSING, "missing") \
  CHANGE (ADDED, "added") \
  CHANGE (SILENT, "silent") \
  CHANGE (ROUNDING, "rounding") \
  CHANGE (LOSS, "loss")

typedef enum
{
#define IDENTIFIER(identifier, ...) REPORT_SOUND_##identifier,
  REPORT_SOUND_CHANGES (IDENTIFIER)
#undef IDENTIFIER
  REPORT_N_SOUND_CHANGES
} ReportSoundChange;

extern const gchar *const report_sound_change_names[REPORT_N_SOUND_CHANGES + 1];        /* the last one is NULL */

/* A change that explains the difference, or most of it. */
typedef struct
{
  ReportSoundChange change;
  gchar *text;                  /* a sentence without its full stop */
  gboolean is_guess;
  guint64 start, end;           /* ns from the start of A; GST_CLOCK_TIME_NONE: of the whole sound */
  gdouble value;                /* dB, ms, or a share of full scale; NaN: there is none */
  /* The difference in dB of A's power without and with this change; NaN: unknown; -inf: there is none */
  gdouble before, after;
} ReportSoundExplanation;

typedef struct
{
  gchar *problem;               /* why nothing was compared; NULL: it was */
  gint rate;
  guint64 n[2];                 /* samples of each channel of A and of B */
  guint64 n_compared;           /* those of each channel that have a partner */
  guint64 n_unpaired[2];        /* those that have none */
  guint n_channels;             /* that were compared */
  gboolean are_all_channels;    /* of both */
  gboolean is_equal;            /* all channels and samples have a partner, and are equal */
  guint64 n_different;          /* samples of all channels */
  guint64 n_not_finite[2];      /* they count as 0 in all powers */
  guint64 first;                /* ns from the start of A: the first difference; GST_CLOCK_TIME_NONE: there is none */
  gdouble largest;              /* share of full scale */
  gdouble relative, absolute;   /* the difference in dB of A's power, and of full scale; -inf: there is none */
  guint64 worst;                /* ns from the start of A: of the second with the largest difference */
  gdouble worst_relative, worst_absolute;       /* dB: in this second */
  GArray *seconds;              /* (element-type gfloat): the difference of each second in dBFS; -inf: there is none */
  gint64 delay;                 /* samples by which B is later than A at first */
  gboolean is_delay_open;       /* the sound repeats itself: other delays fit as well */
  gboolean has_shift;           /* both streams have times */
  gint64 shift;                 /* ns by which the same sound has later times in B than in A */
  GPtrArray *explanations;      /* (element-type ReportSoundExplanation) */
} ReportSoundDifference;

/* A stretch of time in which a side lacks something. */
typedef struct
{
  guint64 time;                 /* ns from the start of A */
  guint64 n;                    /* samples; 0: there is none */
  gdouble before, after;        /* the share of the power that has nothing in common without and with it */
  gboolean is_open;             /* the sound repeats itself: other numbers of samples fit as well */
} ReportSoundStretch;

/* What was counted. Arrays of two are of A and of B. */
typedef struct
{
  const GstCaps *caps[2];
  const gint *same_place;       /* of each channel of B: that of A; -1: none */
  ReportSoundSums sums;
  ReportSoundCeiling ceiling;
  ReportSoundStretch delay;
  GArray *jumps[2];             /* (element-type ReportSoundStretch): of samples that only this side has */
  guint64 n_jumps[2];
  ReportSoundStretch tails[2];     /* the samples of this side after the end of the other one */
  GArray *silences[2];          /* (element-type ReportSoundStretch): the side is silent, and the other one is not */
  guint64 n_silences[2];
  gdouble silent_power[2];      /* Σ (B − A)² in them */
  gdouble power;                /* Σ (B − A)² */
  guint64 n_blocks, n_different_blocks; /* seconds with sound; those with a difference */
} ReportSoundCounts;

void report_sound_explain (ReportSoundDifference * difference,
    const ReportSoundCounts * counts);
void report_sound_explanation_free (gpointer explanation);
void report_sound_difference_free (ReportSoundDifference * difference);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReportSoundDifference, report_sound_difference_free)

G_END_DECLS

#endif /* REPORT_SOUND_DIFFERENCE_H */
