/* Sums over the channels of two sounds, from which it follows how the channels belong together.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SOUND_SUMS_H
#define REPORT_SOUND_SUMS_H

#include <glib.h>

G_BEGIN_DECLS

/* Samples that lie beside each other. The channels of A may have their mean as the last one. */
typedef struct
{
  guint n_a, n_b;               /* channels */
  guint64 n;                    /* samples of each channel */
  gdouble *a, *b;               /* Σ x of each channel */
  gdouble *aa, *bb;             /* Σ x² */
  gdouble *ab;                  /* Σ x y: that of the channels i and j is [i * n_b + j] */
} ReportSoundSums;

/* What may be changed in A so that it becomes B. */
typedef enum
{
  REPORT_SOUND_FIT_CHANNELS = 1 << 0,       /* other channels than those of the same place */
  REPORT_SOUND_FIT_POLARITY = 1 << 1,
  REPORT_SOUND_FIT_GAIN = 1 << 2,
  REPORT_SOUND_FIT_OFFSET = 1 << 3,
  REPORT_SOUND_FIT_CLIPPING = 1 << 4        /* the samples at the ceiling are left out */
} ReportSoundFit;

#define REPORT_SOUND_FIT_ALL \
  (REPORT_SOUND_FIT_CHANNELS | REPORT_SOUND_FIT_POLARITY | REPORT_SOUND_FIT_GAIN | REPORT_SOUND_FIT_OFFSET \
      | REPORT_SOUND_FIT_CLIPPING)

/* Two channels. */
typedef struct
{
  guint64 n;                    /* samples of each one */
  gdouble a, b, aa, bb, ab;     /* Σ x, Σ y, Σ x², Σ y², Σ x y */
} ReportSoundPair;

/* The samples at the ceiling of each channel of B: those of the largest magnitude so far. A channel of B that was clipped
 * has many, and what lies beside them in A is larger. */
typedef struct
{
  guint n_a, n_b;               /* channels */
  gdouble width;                /* samples that differ from the peak by a smaller share are at the ceiling, too */
  gdouble *floors;              /* of each channel of B: the magnitude from which on samples are at the ceiling */
  gdouble *peaks;               /* of each channel of B: the largest magnitude */
  ReportSoundPair *pairs;       /* that of the channels i and j is [i * n_b + j] */
  gdouble *least, *most;        /* of each pair: the least and the greatest sample of A, with the sign of that of B */
} ReportSoundCeiling;

void report_sound_sums_init (ReportSoundSums * sums, guint n_a, guint n_b);
void report_sound_sums_clear (ReportSoundSums * sums);
void report_sound_sums_reset (ReportSoundSums * sums);
void report_sound_sums_add (ReportSoundSums * sums, const gdouble * const *a,
    const gdouble * const *b, gsize n);
void report_sound_sums_match (const ReportSoundSums * sums,
    const gint * same_place, gint * sources);
ReportSoundPair report_sound_sums_pair (const ReportSoundSums * sums, gint source,
    guint channel);
gdouble report_sound_pair_fit (const ReportSoundPair * pair, guint changes,
    gdouble * gain, gdouble * offset);
gdouble report_sound_sums_unlike (const ReportSoundSums * sums,
    const gint * sources);

void report_sound_ceiling_init (ReportSoundCeiling * ceiling, guint n_a,
    guint n_b, gdouble step);
void report_sound_ceiling_clear (ReportSoundCeiling * ceiling);
void report_sound_ceiling_add (ReportSoundCeiling * ceiling,
    const gdouble * const *a, const gdouble * const *b, gsize n);
ReportSoundPair report_sound_ceiling_below (const ReportSoundCeiling * ceiling,
    const ReportSoundSums * sums, gint source, guint channel);
gboolean report_sound_ceiling_is_reached (const ReportSoundCeiling * ceiling,
    gint source, guint channel, gdouble gain, gdouble offset);

G_END_DECLS

#endif /* REPORT_SOUND_SUMS_H */
