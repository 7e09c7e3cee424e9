/* The samples of one side of a comparison, as they come, and their times.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SOUND_SIDE_H
#define REPORT_SOUND_SIDE_H

#include <gst/audio/audio.h>
#include <math.h>

G_BEGIN_DECLS

/* Frames that are made clean at once. */
#define REPORT_SOUND_CHUNK 4096

/* No sound: NaN, infinities, and what has no square. */
#define REPORT_SOUND_IS_FINITE(x) (fabs (x) <= 1e100)

/* Where the time of a frame does not follow from that of the frame before. */
typedef struct
{
  guint64 frame;
  guint64 time;                 /* ns */
  guint64 jump;                 /* ns: how far it is from the time that was expected */
} ReportSoundTime;

/* "frame": the samples of all channels at one instant. */
typedef struct
{
  GstAudioInfo info;
  gboolean has_info, has_ended;
  GstCaps *caps;                /* of info */
  guint n_channels;             /* with the mean of all as the last one, if it is wanted */
  gdouble **data;               /* of each channel */
  gsize capacity, length;       /* frames of data */
  gsize start;                  /* in data: the frame at `place` */
  guint64 place;                /* the next frame that is compared */
  guint64 n;                    /* frames that came */
  guint64 n_not_finite;         /* samples */
  GArray *times;                /* (element-type ReportSoundTime) */
  guint64 passed;               /* frame: jumps of times up to here were looked at */
  guint64 n_before;             /* frames that are left out before all others, and how many of them came */
  guint64 n_left_out;
  gdouble **clean;              /* of each channel: REPORT_SOUND_CHUNK samples */
  gdouble *unpacked;            /* what a buffer has */
  gsize unpacked_bytes;
} ReportSoundSide;

/* Returns: frames that can be compared */
static inline guint64
report_sound_side_available (const ReportSoundSide * side)
{
  return side->n - side->place;
}

/* Returns: the samples of a channel from the frame on that is @skipped frames after the next one */
static inline const gdouble *
report_sound_side_at (const ReportSoundSide * side, guint channel,
    guint64 skipped)
{
  return side->data[channel] + side->start + skipped;
}

/* The next frames are compared. */
static inline void
report_sound_side_pass (ReportSoundSide * side, guint64 n)
{
  side->start += n;
  side->place += n;
}

void report_sound_side_init (ReportSoundSide * side);
void report_sound_side_clear (ReportSoundSide * side);
void report_sound_side_prepare (ReportSoundSide * side, gboolean has_mean);
gboolean report_sound_side_append (ReportSoundSide * side, GstBuffer * buffer,
    guint64 time);
const gdouble *report_sound_side_clean (const ReportSoundSide * side,
    guint channel, guint64 skipped, gsize n, gdouble * to);
gint64 report_sound_side_to_time (const ReportSoundSide * side, gint64 frames);
gint64 report_sound_side_to_frames (const ReportSoundSide * side, gint64 time);
guint64 report_sound_side_time (const ReportSoundSide * side, guint64 frame);
const ReportSoundTime *report_sound_side_next_jump (const ReportSoundSide *
    side);

G_END_DECLS

#endif /* REPORT_SOUND_SIDE_H */
