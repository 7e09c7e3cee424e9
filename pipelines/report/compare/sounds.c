/* Compares sound while it is measured; see sounds.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/sounds.h"

#include "compare/sound-compare.h"

struct _ReportSounds
{
  gboolean is_lead;
  GMutex lock;                  /* of what follows */
  GCond changed;
  ReportSoundCompare *compare;
  gboolean is_open[2];          /* the side does not wait, and gives nothing any more */
  ReportSoundDifference *difference;    /* NULL: not finished */
};

/**
 * report_sounds_new:
 * @begins: the time in B at which A begins, in ns
 * @is_lead: the side that is ahead waits for the other one. Of two inputs only one pair of streams may wait: others would
 *     wait for each other
 */
ReportSounds *
report_sounds_new (gint64 begins, gboolean is_lead)
{
  ReportSounds *sounds = g_new0 (ReportSounds, 1);

  sounds->is_lead = is_lead;
  sounds->compare = report_sound_compare_new (begins);
  g_mutex_init (&sounds->lock);
  g_cond_init (&sounds->changed);
  return sounds;
}

void
report_sounds_free (ReportSounds * sounds)
{
  report_sound_compare_free (sounds->compare);
  g_clear_pointer (&sounds->difference, report_sound_difference_free);
  g_mutex_clear (&sounds->lock);
  g_cond_clear (&sounds->changed);
  g_free (sounds);
}

/**
 * report_sounds_take:
 * @side: 0: A, 1: B
 * @time: stream time
 *
 * Takes the next samples of a side. Waits while it is ahead of the other one.
 */
void
report_sounds_take (ReportSounds * sounds, guint side, GstBuffer * buffer, GstCaps * caps, guint64 time)
{
  g_mutex_lock (&sounds->lock);
  while (sounds->is_lead && !sounds->is_open[side] && report_sound_compare_is_ahead (sounds->compare, side))
    g_cond_wait (&sounds->changed, &sounds->lock);
  if (!sounds->is_open[side])
    report_sound_compare_push (sounds->compare, side, buffer, caps, time);
  g_cond_broadcast (&sounds->changed);
  g_mutex_unlock (&sounds->lock);
}

/* From now on a side does not wait: measuring it ends. What has come is compared. */
void
report_sounds_open (ReportSounds * sounds, guint side)
{
  g_mutex_lock (&sounds->lock);
  sounds->is_open[side] = TRUE;
  g_cond_broadcast (&sounds->changed);
  g_mutex_unlock (&sounds->lock);
}

/* No more samples of a side will come. */
void
report_sounds_end (ReportSounds * sounds, guint side)
{
  g_mutex_lock (&sounds->lock);
  report_sound_compare_end (sounds->compare, side);
  g_cond_broadcast (&sounds->changed);
  g_mutex_unlock (&sounds->lock);
}

/* Both sides have ended. Returns: (transfer none): what differs */
const ReportSoundDifference *
report_sounds_finish (ReportSounds * sounds)
{
  g_mutex_lock (&sounds->lock);
  if (sounds->difference == NULL)
    sounds->difference = report_sound_compare_finish (sounds->compare);
  g_mutex_unlock (&sounds->lock);
  return sounds->difference;
}
