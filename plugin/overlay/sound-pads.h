/* The audio pads: sink pads that read the results of audio buffers, and drop the buffers.
 *
 * Upstream's threads of the audio pads put results into queues. The thread of the video takes those
 * that belong to its frame, and waits for them a limited time:
 *
 *   audio buffer → result with times → queue of the pad → meters at the time of a frame
 *
 * An audio pad never blocks, so that it cannot stop another branch of the pipeline. A pad whose
 * sound does not come in time is not waited for again until its sound has caught up.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_SOUND_PADS_H
#define HISTO_OVERLAY_SOUND_PADS_H

#include "overlay/panel.h"

G_BEGIN_DECLS

typedef struct
{
  GMutex lock;
  GCond changed;                /* sound has come, or nobody shall wait any more */
  GPtrArray *pads;              /* of HistoSoundPad, in the order of their numbers */
  gboolean is_flushing, is_stopping;    /* of the video: it must not wait */
  gchar *meta_name;             /* of the results that are read */
  guint64 wanted;               /* running time in ns of the end of the latest frame */
} HistoSoundPads;

void histo_sound_pads_init (HistoSoundPads * pads);
void histo_sound_pads_clear (HistoSoundPads * pads);

void histo_sound_pads_set_result_name (HistoSoundPads * pads,
    const gchar * name);
GstPad *histo_sound_pads_request (HistoSoundPads * pads, GstElement * element,
    GstPadTemplate * template, const gchar * name);
void histo_sound_pads_release (HistoSoundPads * pads, GstElement * element,
    GstPad * pad);

void histo_sound_pads_set_flushing (HistoSoundPads * pads,
    gboolean is_flushing);
void histo_sound_pads_set_stopping (HistoSoundPads * pads,
    gboolean is_stopping);

guint histo_sound_pads_collect (HistoSoundPads * pads, guint64 time,
    guint64 longest_wait, const HistoOverlaySettings * settings,
    HistoMeters * meters, HistoAlertList * alerts);

G_END_DECLS

#endif /* HISTO_OVERLAY_SOUND_PADS_H */
