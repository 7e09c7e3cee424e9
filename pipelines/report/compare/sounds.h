/* Compares the sound of two streams, while both are measured.
 *
 * The samples of both come in threads of their pipelines, which compare them (sound-compare.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SOUNDS_H
#define REPORT_SOUNDS_H

#include "compare/sound-difference.h"

G_BEGIN_DECLS

typedef struct _ReportSounds ReportSounds;

ReportSounds *report_sounds_new (gint64 begins, gboolean is_lead);
void report_sounds_free (ReportSounds * sounds);
void report_sounds_take (ReportSounds * sounds, guint side, GstBuffer * buffer,
    GstCaps * caps, guint64 time);
void report_sounds_open (ReportSounds * sounds, guint side);
void report_sounds_end (ReportSounds * sounds, guint side);
const ReportSoundDifference *report_sounds_finish (ReportSounds * sounds);

G_END_DECLS

#endif /* REPORT_SOUNDS_H */
