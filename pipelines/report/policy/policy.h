/* Policies: files of rules that inputs are checked against. docs/policies.md describes them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_POLICY_H
#define REPORT_POLICY_H

#include "cudahisto/rules.h"

G_BEGIN_DECLS

typedef struct
{
  gchar *name;                  /* of the preset; or that of the file, without its folder and ending */
  gchar *option;                /* as the user wrote it */
  gchar *path;                  /* of the file */
  gchar *checksum;              /* of its text */
  HistoRules *rules;
} ReportPolicy;

/* What --for takes. */
#define REPORT_PURPOSES "upload|podcast|delivery"

GPtrArray *report_policies_new (void);
gboolean report_policies_add (GPtrArray * policies, const gchar * option,
    GError ** error);
const gchar *const *report_purpose_presets (const gchar * purpose);
guint report_policies_groups (const GPtrArray * policies);

gchar *report_presets_list (GError ** error);
gchar *report_preset_show (const gchar * name, GError ** error);

G_END_DECLS

#endif /* REPORT_POLICY_H */
