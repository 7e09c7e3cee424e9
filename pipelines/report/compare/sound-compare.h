/* Compares the sound of two streams while it is decoded.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SOUND_COMPARE_H
#define REPORT_SOUND_COMPARE_H

#include "compare/sound-difference.h"

G_BEGIN_DECLS

typedef struct _ReportSoundCompare ReportSoundCompare;

ReportSoundCompare *report_sound_compare_new (gint64 begins);
void report_sound_compare_free (ReportSoundCompare * compare);
void report_sound_compare_push (ReportSoundCompare * compare, guint side,
    GstBuffer * buffer, const GstCaps * caps, guint64 time);
void report_sound_compare_end (ReportSoundCompare * compare, guint side);
gboolean report_sound_compare_is_ahead (const ReportSoundCompare * compare,
    guint side);
ReportSoundDifference *report_sound_compare_finish (ReportSoundCompare *
    compare);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReportSoundCompare, report_sound_compare_free)

G_END_DECLS

#endif /* REPORT_SOUND_COMPARE_H */
