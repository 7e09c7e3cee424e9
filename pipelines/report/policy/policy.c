/* Reads policies; see policy.h.
 *
 * A preset is a file in one of the folders below. A program that was not installed has them beside it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "policy/policy.h"

#include <gio/gio.h>
#include <string.h>

#include "base/names.h"
#include "base/sorted.h"

#define ENDING ".policy"
/* A longer file is no policy. */
#define MOST_BYTES (1 << 20)

static void
policy_free (gpointer data)
{
  ReportPolicy *policy = data;

  g_free (policy->name);
  g_free (policy->option);
  g_free (policy->path);
  g_free (policy->checksum);
  if (policy->rules != NULL)
    histo_rules_unref (policy->rules);
  g_free (policy);
}

/* Returns: (transfer full) (element-type ReportPolicy): none */
GPtrArray *
report_policies_new (void)
{
  return g_ptr_array_new_with_free_func (policy_free);
}

/* ---- Presets ------------------------------------------------------------------------------------ */

/* Returns: (transfer full) (nullable): the folder of the presets; NULL: there is none */
static gchar *
find_folder (void)
{
  return report_name_of_own ("policies", "../share/cudahisto/policies",
      REPORT_POLICIES);
}

/* Returns: (transfer full) (element-type utf8): the names of the presets, sorted */
static GPtrArray *
list_names (void)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autofree gchar *path = find_folder ();
  g_autoptr (GDir) folder = path != NULL ? g_dir_open (path, 0, NULL) : NULL;
  const gchar *file;

  while (folder != NULL && (file = g_dir_read_name (folder)) != NULL) {
    if (g_str_has_suffix (file, ENDING))
      g_ptr_array_add (names, g_strndup (file, strlen (file)
              - strlen (ENDING)));
  }
  g_ptr_array_sort (names, report_sorted_compare_texts);
  return names;
}

/* Returns: (transfer full) (nullable): the path of a preset; NULL: there is none of this name */
static gchar *
find_preset (const gchar * name)
{
  g_autofree gchar *folder = NULL, *file = NULL, *path = NULL;

  if (strchr (name, G_DIR_SEPARATOR) != NULL)
    return NULL;
  folder = find_folder ();
  if (folder == NULL)
    return NULL;
  file = g_strconcat (name, ENDING, NULL);
  path = g_build_filename (folder, file, NULL);
  return g_file_test (path, G_FILE_TEST_IS_REGULAR) ? g_steal_pointer (&path) : NULL;
}

/* ---- Purposes ------------------------------------------------------------------------------------ */

/* What inputs are for, and the presets that are checked then. */
static const struct
{
  const gchar *name, *presets[4];
} purposes[] = {
  {"upload", {"upload", "web-flash", NULL}},
  {"podcast", {"streaming-16", NULL}},
  {"delivery", {"ebu-r128", "ebu-r103", "web-flash", NULL}},
};

/* Returns: (transfer none) (nullable) (array zero-terminated): the names of presets; NULL: there is no such purpose */
const gchar *const *
report_purpose_presets (const gchar * purpose)
{
  for (guint i = 0; i < G_N_ELEMENTS (purposes); i++) {
    if (g_str_equal (purposes[i].name, purpose))
      return purposes[i].presets;
  }
  return NULL;
}

/* ---- Reading ------------------------------------------------------------------------------------ */

/* Returns: (transfer full) (nullable): the text of a file; NULL with a %G_IO_ERROR_INVALID_ARGUMENT */
static gchar *
read_text (const gchar * path, GError ** error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) problem = NULL;
  g_autoptr (GInputStream) from = G_INPUT_STREAM (g_file_read (file, NULL, &problem));
  gchar *text = g_malloc (MOST_BYTES + 1);
  g_autofree gchar *shown = NULL;
  gsize length = 0;

  if (from != NULL)
    g_input_stream_read_all (from, text, MOST_BYTES + 1, &length, NULL,
        &problem);
  shown = report_name_for_people (path);
  if (problem != NULL)
    report_fail (error, "--policy %s: %s", shown, problem->message);
  else if (length > MOST_BYTES)
    report_fail (error, "--policy %s: a policy is not that long", shown);
  else if (!g_utf8_validate (text, length, NULL))
    report_fail (error, "--policy %s: is no text in UTF-8", shown);
  else
    text[length] = '\0';
  if (problem != NULL || length > MOST_BYTES
      || !g_utf8_validate (text, length, NULL))
    g_clear_pointer (&text, g_free);
  return text;
}

/* Returns: (transfer full): the name of the file without its folder and ending */
static gchar *
name_of (const gchar * path)
{
  g_autofree gchar *base = g_path_get_basename (path);

  if (g_str_has_suffix (base, ENDING) && strlen (base) > strlen (ENDING))
    base[strlen (base) - strlen (ENDING)] = '\0';
  return report_name_for_people (base);
}

/* Returns: FALSE with a %G_IO_ERROR_INVALID_ARGUMENT: there is no such file, or it has no rule as it should be */
static gboolean
read_policy (ReportPolicy * policy, GError ** error)
{
  const gchar *path = policy->path;
  g_autoptr (GError) problem = NULL;
  guint line = 0, column = 0;
  g_autofree gchar *text = read_text (path, error);

  if (text == NULL)
    return FALSE;
  policy->name = name_of (path);
  policy->checksum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  policy->rules = histo_rules_parse (text, HISTO_RULES_OF_POLICY, &line,
      &column, &problem);
  if (policy->rules == NULL) {
    g_autofree gchar *shown = report_name_for_people (path);

    return report_fail (error, "%s:%u:%u: %s", shown, line, column, problem->message);
  }
  if (histo_rules_get_n (policy->rules) > 0)
    return TRUE;
  return report_fail (error, "--policy %s: has no rule", policy->name);
}

/**
 * report_policies_add:
 * @option: the name of a preset, or else of a file
 *
 * Returns: FALSE with a %G_IO_ERROR_INVALID_ARGUMENT of one line if it is none of them, or no policy
 */
gboolean
report_policies_add (GPtrArray * policies, const gchar * option,
    GError ** error)
{
  gchar *path = find_preset (option);
  ReportPolicy *policy;
  gboolean ok;

  if (path == NULL && !g_file_test (option, G_FILE_TEST_EXISTS)) {
    g_autofree gchar *shown = report_name_for_people (option);

    report_fail (error, "--policy %s: there is no such preset (see "
        "--list-policies) and no such file", shown);
    return FALSE;
  }
  policy = g_new0 (ReportPolicy, 1);
  policy->option = g_strdup (option);
  policy->path = path != NULL ? path : g_strdup (option);
  ok = read_policy (policy, error);
  for (guint i = 0; ok && i < policies->len; i++) {
    if (g_str_equal (((const ReportPolicy *) policies->pdata[i])->name,
            policy->name))
      ok = report_fail (error, "--policy %s: two policies have this name",
          policy->name);
  }
  g_ptr_array_add (policies, policy);
  return ok;
}

/* Returns: flags of the groups that the rules need, see HISTO_GROUP_FLAG() */
guint
report_policies_groups (const GPtrArray * policies)
{
  guint groups = 0;

  for (guint i = 0; i < policies->len; i++)
    groups |= histo_rules_groups (((const ReportPolicy *)
            policies->pdata[i])->rules);
  return groups;
}

/* ---- What people ask of presets ----------------------------------------------------------------- */

/* Returns: (transfer full) (nullable): a line with the name and the title of each preset */
gchar *
report_presets_list (GError ** error)
{
  g_autoptr (GPtrArray) names = list_names ();
  GString *text = g_string_new (NULL);
  gboolean ok = names->len > 0;

  if (!ok)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
        "the policies are not installed: there is no " REPORT_POLICIES);
  for (guint i = 0; ok && i < names->len; i++) {
    g_autoptr (GPtrArray) one = report_policies_new ();

    ok = report_policies_add (one, names->pdata[i], error);
    if (ok) {
      const ReportPolicy *policy = one->pdata[0];
      const gchar *title = histo_rules_title (policy->rules);

      g_string_append_printf (text, "%-14s %s\n", policy->name,
          title != NULL ? title : "");
    }
  }
  return g_string_free (text, !ok);
}

/* Returns: (transfer full) (nullable): the file of a preset, to be copied and changed; NULL with a
 * %G_IO_ERROR_INVALID_ARGUMENT: there is none of this name */
gchar *
report_preset_show (const gchar * name, GError ** error)
{
  g_autofree gchar *path = find_preset (name);
  gchar *text = NULL;

  if (path != NULL)
    text = read_text (path, error);
  else
    report_fail (error, "--show-policy %s: there is no such preset; "
        "--list-policies lists them", name);
  return text;
}
