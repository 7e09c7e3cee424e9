/* Where the reports go; see targets.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "targets.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/inputs.h"
#include "base/names.h"
#include "policy/policy.h"
#include "results.h"
#include "writers/html-index.h"

/* The mark of an index is within its first bytes. */
#define MOST_INDEX_HEAD 4096

static const gchar standard_output[] = "the standard output";

/* A file of its own for each input lies in a folder, if the path is one. */
static gboolean
is_folder (const gchar * path)
{
  return g_str_has_suffix (path, G_DIR_SEPARATOR_S)
      || g_file_test (path, G_FILE_TEST_IS_DIR);
}

/* Returns: (transfer full): where the file of a format goes, for an input */
static gchar *
path_of (const ReportOptions * options, guint format, const gchar * input)
{
  const gchar *path = options->file_paths[format];
  g_autofree gchar *name = NULL;

  if (!is_folder (path))
    return g_strdup (path);
  name = report_name_of_file (input, report_file_formats[format].suffix);
  return g_build_filename (path, name, NULL);
}

/* Whether each input gets a file of its own in a folder. */
static gboolean
are_many (const ReportOptions * options, const GPtrArray * inputs)
{
  gboolean are_many = inputs->len > 1;

  if (options->compare.is_wanted || options->is_images)
    return FALSE;
  /* A folder may have more than one file the next time. */
  for (gchar ** input = options->inputs; *input != NULL; input++)
    are_many = are_many || g_file_test (*input, G_FILE_TEST_IS_DIR);
  return are_many;
}

/* ---- The index -------------------------------------------------------------------------------- */

/* Returns: the format whose files an index leads to; the row behind the last one, which no option names: there is none */
static guint
find_index_format (void)
{
  guint format = 0;

  while (report_file_formats[format].description != NULL && !report_file_formats[format].has_index)
    format++;
  return format;
}

/* Returns: (transfer full) (nullable): the name of the page of an input, to which the index leads; NULL: no pages are wanted */
gchar *
report_targets_page (const ReportOptions * options, const gchar * input)
{
  const guint format = find_index_format ();
  g_autofree gchar *path = options->file_paths[format] != NULL ? path_of (options, format, input) : NULL;

  return path != NULL ? g_path_get_basename (path) : NULL;
}

/**
 * report_targets_index:
 * @inputs: (element-type filename): all, with those of other shards
 *
 * Returns: (transfer full) (nullable): the path of the index; NULL: none is wanted. No input has a page of this name: that would
 *   have a checksum
 */
gchar *
report_targets_index (const ReportOptions * options, const GPtrArray * inputs)
{
  const guint format = find_index_format ();
  g_autofree gchar *name = NULL;

  if (options->file_paths[format] == NULL || !is_folder (options->file_paths[format]) || !are_many (options, inputs))
    return NULL;
  name = options->n_shards > 1 ? g_strdup_printf ("index.%u-of-%u%s", options->shard, options->n_shards,
      report_file_formats[format].suffix) : g_strconcat ("index", report_file_formats[format].suffix, NULL);
  return g_build_filename (options->file_paths[format], name, NULL);
}

/* Whether there is no such file, or it is an index of this program. */
static gboolean
is_index (const gchar * path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) from = NULL;
  gchar head[MOST_INDEX_HEAD + 1] = "";
  struct stat info;

  if (lstat (path, &info) != 0)
    return TRUE;
  if (S_ISREG (info.st_mode))
    from = g_file_read (file, NULL, NULL);
  if (from != NULL)
    g_input_stream_read_all (G_INPUT_STREAM (from), head, MOST_INDEX_HEAD, NULL, NULL, NULL);
  return strstr (head, REPORT_INDEX_MARK) != NULL;
}

/* ---- Checking -------------------------------------------------------------------------------- */

typedef struct
{
  GHashTable *inputs;           /* set of identities */
  GHashTable *outputs;          /* identity → what writes it */
} Check;

/* @path: (nullable): NULL: the standard output
 * @writer: the option, always the same text. The files of one option have different names already */
static gboolean
add_output (Check * check, const gchar * path, const gchar * writer,
    GError ** error)
{
  gchar *identity = report_output_identity (path);
  const gchar *other;
  g_autofree gchar *name = NULL;

  if (identity == NULL)
    return TRUE;
  name = path != NULL ? report_name_for_people (path) : g_strdup (writer);
  other = g_hash_table_lookup (check->outputs, identity);
  if (g_hash_table_contains (check->inputs, identity))
    report_fail (error, "%s is an input, which the report would overwrite", name);
  /* A forgotten argument: --html FILM FILM. */
  else if (path != NULL && report_inputs_is_film (path))
    report_fail (error, "%s is a film, a recording or a picture, which the report "
        "would overwrite", name);
  else if (other != NULL && other != writer)
    report_fail (error, "%s%s and --%s would write the same file, %s",
        other == standard_output ? "" : "--", other, writer, name);
  g_hash_table_insert (check->outputs, identity, (gpointer) writer);
  return *error == NULL;
}

static void
add_input (Check * check, const gchar * path)
{
  gchar *identity = path != NULL ? report_output_identity (path) : NULL;

  if (identity != NULL)
    g_hash_table_add (check->inputs, identity);
}

/* Returns: the format of an option whose argument is a REPORT_ARGUMENT_FILE_OR_FOLDER */
static guint
find_file_format (const gchar * option)
{
  guint f = 0;

  while (!g_str_equal (report_file_formats[f].option, option))
    f++;
  return f;
}

/* What one option writes: a file, or one for each input. */
static gboolean
add_outputs (Check * check, const ReportOptions * options,
    const ReportOutputOption * output, GPtrArray * inputs, GError ** error)
{
  const gboolean is_results = output->argument == REPORT_ARGUMENT_RESULTS;

  if (output->argument == REPORT_ARGUMENT_FILE)
    return add_output (check, *output->path, output->name, error);
  if (!is_results && are_many (options, inputs) && !is_folder (*output->path)) {
    g_autofree gchar *name = report_name_for_people (*output->path);

    report_fail (error, "--%s writes a file for each of several inputs: %s "
        "must be a folder, or end with /", output->name, name);
    return FALSE;
  }
  /* A file that is no folder is the same for all images of a set. */
  for (guint i = 0; i < (is_results || is_folder (*output->path) ? inputs->len : 1); i++) {
    g_autofree gchar *path = is_results ?
        report_results_path (*output->path, inputs->pdata[i]) :
        path_of (options, find_file_format (output->name), inputs->pdata[i]);
    const gboolean ok = add_output (check, path, output->name, error);

    if (!ok)
      return FALSE;
  }
  return TRUE;
}

/* The program chose its name: what somebody else has in the folder is not replaced. */
static gboolean
add_index (Check * check, const ReportOptions * options, GPtrArray * inputs,
    GError ** error)
{
  g_autofree gchar *path = report_targets_index (options, inputs), *name = NULL;

  if (path == NULL)
    return TRUE;
  if (is_index (path))
    return add_output (check, path, "html", error);
  name = report_name_for_people (path);
  return report_fail (error, "%s is no index of this program: --html writes one into a folder of several pages", name);
}

static gboolean
check_all (Check * check, const ReportOptions * options, GPtrArray * inputs,
    GError ** error)
{
  struct stat standard_input;

  for (guint i = 0; i < inputs->len; i++) {
    g_autofree gchar *path = report_name_to_path (inputs->pdata[i]);

    add_input (check, path);
  }
  /* A list may come from there. */
  if (fstat (STDIN_FILENO, &standard_input) == 0
      && S_ISREG (standard_input.st_mode))
    add_input (check, "/dev/stdin");
  for (guint i = 0; i < options->read->len; i++)
    add_input (check, options->read->pdata[i]);
  /* Presets have other paths than names. */
  for (guint i = 0; i < options->settings.policies->len; i++) {
    const ReportPolicy *policy = options->settings.policies->pdata[i];

    add_input (check, policy->path);
  }
  if (options->output == NULL
      && !add_output (check, NULL, standard_output, error))
    return FALSE;
  for (guint i = 0; i < options->outputs->len; i++)
    if (!add_outputs (check, options, options->outputs->pdata[i], inputs, error))
      return FALSE;
  return add_index (check, options, inputs, error);
}

/* Makes the folder if there is none. Returns: FALSE with an error if no file can be made in it */
static gboolean
make_folder (const gchar * path, GError ** error)
{
  g_autofree gchar *name = NULL;

  if (g_mkdir_with_parents (path, 0777) == 0 && access (path, W_OK | X_OK) == 0)
    return TRUE;
  name = report_name_for_people (path);
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "%s: %s",
      name, g_strerror (errno));
  return FALSE;
}

/**
 * report_targets_check:
 * @inputs: (element-type filename): all, with the files of folders; with --merge files of summaries
 *
 * To be called before anything is written. Makes the folders that are not there.
 *
 * Returns: FALSE with a %G_IO_ERROR_INVALID_ARGUMENT if an output is an input or another output, or if
 * one file would have the reports of several inputs; with another error if a folder cannot be written
 */
gboolean
report_targets_check (const ReportOptions * options, GPtrArray * inputs,
    GError ** error)
{
  Check check = {
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL)
  };
  const gboolean ok = check_all (&check, options, inputs, error);

  g_hash_table_unref (check.inputs);
  g_hash_table_unref (check.outputs);
  if (!ok)
    return FALSE;
  for (guint i = 0; i < REPORT_MOST_FORMATS; i++) {
    if (options->file_paths[i] != NULL && is_folder (options->file_paths[i])
        && !make_folder (options->file_paths[i], error))
      return FALSE;
  }
  return options->results == NULL || options->is_merge
      || make_folder (options->results, error);
}

/**
 * report_targets_open:
 * @format: of report_file_formats
 *
 * Returns: (transfer full) (nullable): the file of the format, for the input
 */
ReportOutput *
report_targets_open (const ReportOptions * options, guint format,
    const gchar * input, GError ** error)
{
  g_autofree gchar *path = path_of (options, format, input);

  return report_output_open (path,
      is_folder (options->file_paths[format]) ? REPORT_OUTPUT_OWN_NAME : 0,
      error);
}
