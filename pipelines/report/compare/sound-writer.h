/* How a difference of sound is written, as text and as JSON.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SOUND_WRITER_H
#define REPORT_SOUND_WRITER_H

#include "base/json-text.h"

#include "compare/sound-difference.h"

G_BEGIN_DECLS

void report_sound_write_text (const ReportSoundDifference * difference,
    GString * text, const gchar * label);
void report_sound_write_json (const ReportSoundDifference * difference,
    ReportJson * json);

G_END_DECLS

#endif /* REPORT_SOUND_WRITER_H */
