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
  REPORT_SOUND_FIT_OFFSET = 1 << 3
} ReportSoundFit;

#define REPORT_SOUND_FIT_ALL \
  (REPORT_SOUND_FIT_CHANNELS | REPORT_SOUND_FIT_POLARITY | REPORT_SOUND_FIT_GAIN | REPORT_SOUND_FIT_OFFSET)

void report_sound_sums_init (ReportSoundSums * sums, guint n_a, guint n_b);
void report_sound_sums_clear (ReportSoundSums * sums);
void report_sound_sums_reset (ReportSoundSums * sums);
void report_sound_sums_add (ReportSoundSums * sums, const gdouble * const *a,
    const gdouble * const *b, gsize n);
void report_sound_sums_match (const ReportSoundSums * sums,
    const gint * same_place, gint * sources);
gdouble report_sound_sums_fit (const ReportSoundSums * sums, gint source,
    guint channel, guint changes, gdouble * gain, gdouble * offset);
gdouble report_sound_sums_unlike (const ReportSoundSums * sums,
    const gint * sources);

G_END_DECLS

#endif /* REPORT_SOUND_SUMS_H */
