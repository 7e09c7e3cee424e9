/* The inputs that the command line names: files, URIs, and the media files in folders.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_INPUTS_H
#define REPORT_INPUTS_H

#include <gio/gio.h>

#include "base/progress.h"

G_BEGIN_DECLS

GPtrArray *report_inputs_expand (gchar ** names, ReportProgress * progress,
    gboolean is_quiet, gboolean * is_all);
gboolean report_inputs_is_film (const gchar * path);
gboolean report_inputs_is_named_picture (const gchar * path);
void report_inputs_take_shard (GPtrArray * inputs, guint shard,
    guint n_shards);

G_END_DECLS

#endif /* REPORT_INPUTS_H */
