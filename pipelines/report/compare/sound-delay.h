/* Finds by how many samples one sound is later than another.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SOUND_DELAY_H
#define REPORT_SOUND_DELAY_H

#include <glib.h>

G_BEGIN_DECLS

/* So many delays are proposed. */
#define REPORT_SOUND_MOST_DELAYS 5

/* The scores of all delays from `first` on: how well the second sound fits the first one if it is later by so many samples.
 * 0: not at all; 1: it is the same but for its gain and its polarity. */
typedef struct
{
  gint64 first;                 /* samples */
  gsize n;
  gdouble *values;              /* of `first`, `first` + 1, … */
} ReportSoundScores;

void report_sound_scores_init (ReportSoundScores * scores, gint64 first,
    gint64 last);
void report_sound_scores_clear (ReportSoundScores * scores);
void report_sound_scores_add (ReportSoundScores * scores, const gdouble * a,
    gsize n_a, const gdouble * b, gsize n_b);
guint report_sound_scores_choose (const ReportSoundScores * scores,
    gint64 nearest, gint64 delays[REPORT_SOUND_MOST_DELAYS]);
gboolean report_sound_scores_repeat (const ReportSoundScores * scores,
    gint64 delay);

G_END_DECLS

#endif /* REPORT_SOUND_DELAY_H */
