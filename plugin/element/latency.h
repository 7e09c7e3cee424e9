/* What the element answers to LATENCY queries, and when it has changed.
 *
 * To upstream's maximum the element adds max-in-flight × frame duration: the frames that it can hold
 * back. To the minimum of a live upstream it adds how long the CPU engine holds a buffer to which a
 * result is attached. This delay is measured. It changes seldom, because each change interrupts the playback:
 * - it rises if three buffers of a few hundred took longer, to a quarter more than the slowest one;
 * - it falls if no buffer has taken half as long for ten seconds;
 * - less than 1 ms counts as nothing, and what is added to the maximum is the limit.
 * The maximum of sound, and of video of unknown rate, is not known: what is added to the minimum is added to it.
 *
 * All functions may be called in any thread.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_LATENCY_H
#define HISTO_LATENCY_H

#include "element/settings.h"

G_BEGIN_DECLS

typedef struct
{
  HistoSharedSettings *settings;        /* not owned */

  GMutex lock;                  /* of all below */
  HistoSettingsCopy settings_copy;
  GstClockTime frame_duration;  /* ns; 0: unknown */

  GstClockTime delay;           /* for the minimum, in ns */
  guint n_over, n_since_over;   /* buffers that took longer; buffers since the latest of them */
  GstClockTime most_over;       /* of these */
  gint64 low_since;             /* since then all have taken at most half of it; monotonic, us; < 0: no */
  GstClockTime most_low;        /* of these */

  gboolean was_asked;           /* since the latest message */
  gboolean is_live;             /* upstream */
  GstClockTime told_min, told_max;      /* what the latest answer added */
} HistoLatency;

/* @settings: outlives the latency */
void histo_latency_init (HistoLatency * latency,
    HistoSharedSettings * settings);
void histo_latency_clear (HistoLatency * latency);

/* At a start: nothing has been measured or asked. */
void histo_latency_restart (HistoLatency * latency);

void histo_latency_set_frame_duration (HistoLatency * latency,
    GstClockTime duration);

/* @delay: how long the CPU engine has held a buffer, in ns; @now: monotonic time, us */
void histo_latency_note_delay (HistoLatency * latency, GstClockTime delay,
    gint64 now);

/* @query: with upstream's answer */
void histo_latency_complete (HistoLatency * latency, GstQuery * query);

/* To be called when what the answer depends on may have changed, the settings included: posts a LATENCY message if
 * the latest answer is not valid any more. Its handler may stop @element. */
void histo_latency_post_change (HistoLatency * latency, GstElement * element);

G_END_DECLS

#endif /* HISTO_LATENCY_H */
