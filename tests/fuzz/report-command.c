/* The report's command line, shards and result files; see report-parts.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "report-parts.h"

#include "input/inputs.h"
#include "jobs.h"
#include "base/names.h"
#include "parts.h"
#include "policy/policy.h"
#include "results.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <unistd.h>

#define MOST_ARGUMENTS 16
#define MOST_SHARDS 40
#define MOST_RESULTS 2
/* A file system takes names of so many bytes. */
#define MOST_NAME_BYTES 255

/* Where result files lie. It is there for one input at a time: libFuzzer does not end its process as
 * others do. */
static gchar *folder;
static ReportProgress *progress;

static void
make_folder (void)
{
  fuzz_check (g_mkdir (folder, 0700) == 0 || errno == EEXIST,
      "%s cannot be made", folder);
}

void
fuzz_commands_init (void)
{
  folder = g_strdup_printf ("%s/fuzz-report-%d", g_get_tmp_dir (), getpid ());
  progress = report_progress_new (TRUE);
}

/* ---- Options ------------------------------------------------------------------------------------ */

/* GLib and GStreamer have options that end the program, such as --help, and others that change it. */
static gboolean
is_harmless (const gchar * argument)
{
  if (g_str_has_prefix (argument, "--"))
    return !g_str_has_prefix (argument, "--help")
        && !g_str_has_prefix (argument, "--gst");
  return argument[0] != '-' || strpbrk (argument, "h?") == NULL;
}

static void
compare_texts (const gchar * a, const gchar * b)
{
  fuzz_check (g_strcmp0 (a, b) == 0, "%s, %s", a, b);
}

/* What a worker of --jobs is told: it measures inputs as these options say. */
static void
check_passed_on (const ReportOptions * options)
{
  GPtrArray *command = report_options_command (options, "json");
  gchar **arguments = g_strdupv ((gchar **) command->pdata);
  gchar *settings = report_settings_describe (&options->settings), *again;
  GError *error = NULL;
  ReportOptions other;

  fuzz_check (report_options_parse (&other, &arguments, &error) ==
      REPORT_OPTIONS_RUN, "%s", error != NULL ? error->message : "not run");
  again = report_settings_describe (&other.settings);
  compare_texts (settings, again);
  compare_texts (other.format->option, "json");
  for (guint i = 0; i < REPORT_MOST_FORMATS; i++)
    compare_texts (other.file_paths[i], options->file_paths[i]);
  fuzz_check (other.is_worker && other.inputs[0] == NULL && other.is_quiet && other.jobs == 1
      && other.output == NULL && other.results == NULL && other.n_shards == 1, "more is passed on");
  report_options_clear (&other);
  g_free (settings);
  g_free (again);
  g_strfreev (arguments);
  g_ptr_array_unref (command);
}

static void
check_settings (const ReportSettings * settings)
{
  static const gchar *const texts[] = {
    "video/x-raw, format=NV12, width=16, height=16, colorimetry=bt2100-pq",
    "audio/x-raw, format=F32LE, rate=48000, channels=2"
  };
  GError *error = NULL;
  const gboolean ok = report_settings_check (settings, &error);

  fuzz_check (ok == (error == NULL), "no error");
  g_clear_error (&error);
  report_settings_alerts (settings);
  for (guint i = 0; ok && i < G_N_ELEMENTS (texts); i++) {
    GstCaps *caps = gst_caps_from_string (texts[i]);
    GstElement *element = report_settings_make_element (settings, caps);

    gst_object_unref (element);
    gst_caps_unref (caps);
  }
}

static void
check_accepted (const ReportOptions * options)
{
  guint n_files = 0;

  for (guint i = 0; i < REPORT_MOST_FORMATS; i++)
    n_files += options->file_paths[i] != NULL ? 1 : 0;
  fuzz_check (options->inputs != NULL && (options->is_worker || options->inputs[0] != NULL), "no input");
  fuzz_check (options->format != NULL && options->jobs >= 1
      && options->shard < options->n_shards, "jobs or shards");
  fuzz_check (n_files == 0 || (options->results == NULL
          && !options->is_merge), "a file of results");
  check_passed_on (options);
  check_settings (&options->settings);
}

/* @bytes: the arguments, one in each line */
void
fuzz_check_options (FuzzBytes * bytes)
{
  gchar *text = g_strndup ((const gchar *) bytes->data, bytes->left);
  gchar **lines = g_strsplit (text, "\n", MOST_ARGUMENTS);
  GPtrArray *arguments = g_ptr_array_new ();
  gchar **parsed;
  GError *error = NULL;
  ReportOptions options;
  ReportOptionsOutcome outcome;

  g_ptr_array_add (arguments, (gpointer) "cudahisto-report");
  for (gchar ** line = lines; *line != NULL; line++) {
    if (is_harmless (*line))
      g_ptr_array_add (arguments, *line);
  }
  g_ptr_array_add (arguments, NULL);
  parsed = g_strdupv ((gchar **) arguments->pdata);
  outcome = report_options_parse (&options, &parsed, &error);
  fuzz_check ((outcome == REPORT_OPTIONS_WRONG) == (error != NULL),
      "no error");
  if (outcome == REPORT_OPTIONS_RUN)
    check_accepted (&options);
  report_options_clear (&options);
  g_clear_error (&error);
  g_strfreev (parsed);
  g_ptr_array_unref (arguments);
  g_strfreev (lines);
  g_free (text);
}

/* ---- Inputs ------------------------------------------------------------------------------------- */

/* All shards together have each input once, and each has them in their order. */
void
fuzz_check_shards (FuzzBytes * bytes)
{
  const guint n = fuzz_below (bytes, 100);
  const guint number = fuzz_edge (bytes);
  const guint n_shards = MAX (number, 1);
  guint n_kept = 0;

  for (guint s = 0; s < MIN (n_shards, MOST_SHARDS); s++) {
    const guint shard = s < MOST_SHARDS - 1 ? s : n_shards - 1;
    GPtrArray *inputs = g_ptr_array_new_with_free_func (g_free);

    for (guint i = 0; i < n; i++)
      g_ptr_array_add (inputs, g_memdup2 (&i, sizeof i));
    report_inputs_take_shard (inputs, shard, n_shards);
    for (guint i = 0; i < inputs->len; i++)
      fuzz_check (*(guint *) inputs->pdata[i] ==
          shard + (guint64) i * n_shards, "input %u of shard %u/%u is %u", i,
          shard, n_shards, *(guint *) inputs->pdata[i]);
    n_kept += inputs->len;
    g_ptr_array_unref (inputs);
  }
  fuzz_check (n_kept == n || n_shards > MOST_SHARDS, "%u of %u inputs", n_kept,
      n);
}

/* The result files of different inputs have different names, which the file system takes. */
void
fuzz_check_result_path (FuzzBytes * bytes)
{
  gchar *inputs[2], *uris[2], *paths[2];

  for (guint i = 0; i < 2; i++) {
    gchar *name, *parent;

    inputs[i] = fuzz_text (bytes, 400);
    uris[i] = report_name_address (inputs[i]);
    paths[i] = report_results_path ("/results", inputs[i]);
    name = g_path_get_basename (paths[i]);
    parent = g_path_get_dirname (paths[i]);
    fuzz_check (strlen (name) <= MOST_NAME_BYTES,
        "%s is too long", name);
    fuzz_check (g_str_has_suffix (name, ".json"), "%s", name);
    compare_texts (parent, "/results");
    g_free (parent);
    g_free (name);
  }
  fuzz_check (g_str_equal (paths[0], paths[1]) == g_str_equal (uris[0],
          uris[1]), "%s, %s: %s", inputs[0], inputs[1], paths[0]);
  for (guint i = 0; i < 2; i++) {
    g_free (inputs[i]);
    g_free (uris[i]);
    g_free (paths[i]);
  }
}

/* ---- Files -------------------------------------------------------------------------------------- */

static void
write_file (const gchar * path, const gchar * text, gsize size)
{
  FILE *file = g_fopen (path, "wb");

  fuzz_check (file != NULL && fwrite (text, 1, size, file) == size
      && fclose (file) == 0, "%s cannot be written", path);
}

void
fuzz_check_load (FuzzBytes * bytes)
{
  const ReportFormat *format = fuzz_choose_merge_format (bytes);
  GInputStream *from = g_memory_input_stream_new_from_data (bytes->data,
      bytes->left, NULL);
  GPtrArray *summaries =
      g_ptr_array_new_with_free_func ((GDestroyNotify) report_summary_free);
  GError *error = NULL;
  const gboolean ok = report_json_load (from, summaries, &error);

  fuzz_check (ok == (error == NULL) && (!ok || summaries->len > 0),
      "no error");
  for (guint i = 0; i < summaries->len; i++) {
    fuzz_check_round_trip (summaries->pdata[i]);
    fuzz_write_summary (format, summaries->pdata[i]);
  }
  g_clear_error (&error);
  g_ptr_array_unref (summaries);
  g_object_unref (from);
}

/* Writes the report of results that are complete, or of one that is not. */
static void
write_results (const ReportOptions * options, GPtrArray * inputs,
    gboolean are_complete)
{
  GOutputStream *to = g_memory_output_stream_new_resizable ();
  gboolean all_done = FALSE;
  GError *error = NULL;
  ReportChecks checks;
  gchar *text;

  report_checks_init (&checks, TRUE);
  if (are_complete) {
    GOutputStream *parts = report_parts_new (to, options->format,
        inputs->len > 1);

    fuzz_check (report_jobs_run (options, inputs, parts, progress, &checks,
            &all_done, &error) && report_parts_end (parts, &error), "%s", error->message);
    fuzz_check (all_done, "something was measured");
    g_object_unref (parts);
  } else {
    gchar *path = report_results_path (folder, inputs->pdata[0]);
    GFile *file = g_file_new_for_path (path);
    GFileInputStream *from = g_file_read (file, NULL, &error);

    fuzz_check (from != NULL
        && report_results_write (G_INPUT_STREAM (from), options->format, to,
            &error), "%s", error->message);
    g_object_unref (from);
    g_object_unref (file);
    g_free (path);
  }
  fuzz_check (g_output_stream_write_all (to, "", 1, NULL, NULL, NULL),
      "no output");
  fuzz_check (checks.inputs->len == (are_complete ? inputs->len : 0),
      "%u inputs", checks.inputs->len);
  report_checks_clear (&checks);
  g_output_stream_close (to, NULL, NULL);
  text = g_memory_output_stream_steal_data (G_MEMORY_OUTPUT_STREAM (to));
  fuzz_check_output (options->format, text);
  g_free (text);
  g_object_unref (to);
}

/* The file that a process wrote for the input; it may have been killed while it wrote. Most of them are
 * of this input, as it is. */
static void
write_result (const gchar * input, FuzzBytes * bytes)
{
  gchar *path = report_results_path (folder, input);
  gchar *summary = fuzz_changed_summary (bytes), *uri, *text;
  const gboolean has_line = fuzz_below (bytes, 2) == 0;
  guint64 size, mtime;

  if (summary[0] == '{' && fuzz_below (bytes, 8) != 7) {
    gchar *old = summary;

    report_name_find_version (input, &size, &mtime);
    uri = report_name_address (input);
    summary = g_strdup_printf ("{\"uri\":\"%s\",\"input-size\":%"
        G_GUINT64_FORMAT ",\"input-mtime\":%" G_GUINT64_FORMAT "%s%s", uri,
        size, mtime, old[1] == '}' ? "" : ",", old + 1);
    g_free (uri);
    g_free (old);
  }
  text = g_strconcat (has_line ? "{}\n" : "", summary, "\n", NULL);
  size = strlen (text);
  write_file (path, text, fuzz_below (bytes, 8) == 7 ?
      fuzz_u16 (bytes) % (size + 1) : size);
  g_free (text);
  g_free (summary);
  g_free (path);
}

void
fuzz_check_results (FuzzBytes * bytes)
{
  ReportOptions options = {
    .format = fuzz_choose_merge_format (bytes),
    .results = folder,
    .jobs = 1,
    .n_shards = 1,
    .settings.policies = report_policies_new (),
  };
  const guint n = 1 + fuzz_below (bytes, MOST_RESULTS);
  GPtrArray *inputs = g_ptr_array_new_with_free_func (g_free);
  gboolean are_complete = TRUE;

  make_folder ();
  for (guint i = 0; i < n; i++) {
    gchar *input = g_build_filename (folder, i == 0 ? "a" : "b", NULL), *path;
    GInputStream *found;

    path = report_results_path (folder, input);
    g_ptr_array_add (inputs, input);
    write_file (input, "film", 4);
    write_result (input, bytes);
    found = report_results_open (path, input, &options.settings,
        options.format, NULL);
    are_complete = found != NULL && are_complete;
    g_clear_object (&found);
    g_free (path);
  }
  write_results (&options, inputs, are_complete);
  for (guint i = 0; i < n; i++) {
    gchar *path = report_results_path (folder, inputs->pdata[i]);

    g_unlink (path);
    g_unlink (inputs->pdata[i]);
    g_free (path);
  }
  g_rmdir (folder);
  report_settings_clear (&options.settings);
  g_ptr_array_unref (inputs);
}
