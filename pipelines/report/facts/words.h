/* The facts of a stream in the words of people who check films.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "facts/facts.h"

G_BEGIN_DECLS

/* What a player shows as it is stored. */
#define REPORT_NOT_ROTATED "not rotated"

gchar *report_facts_rotation (const GPtrArray * facts);
gchar *report_facts_words (const GPtrArray * facts, gboolean is_audio,
    gboolean is_variable);

G_END_DECLS

#endif /* REPORT_WORDS_H */
