/* The options of the command line; see options.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "options.h"

#include "images/image-writer.h"
#include "base/names.h"
#include "facts/programmes.h"
#include "base/thumbnail.h"
#include "facts/sequence.h"
#include "policy/policy.h"

#include <string.h>

static const gchar summary_text[] =
    "Measures the video and the sound of files and prints a report: levels, legal\n"
    "range, saturation, black and frozen sections, scene changes, active picture,\n"
    "light levels of HDR, gamut, flashes, field order, repeated frames, timestamps,\n"
    "clipping, silence and loudness of each stream.\n"
    "\n"
    "An INPUT is a file, a folder or a URI. After -- names may begin with -.\n"
    "With --images the INPUTs are one set of images: mean and standard deviation of\n"
    "each channel, histograms, outliers.";

static const gchar description_text[] =
    "Exit status: 0 if all inputs were measured completely; 1 if one was not, or if\n"
    "a report could not be written; 2 if the options or a policy are wrong; 3 if all\n"
    "were measured completely, and one fails a policy, or they differ and\n"
    "--fail-on-difference is given; 130 or 143 after SIGINT or SIGTERM. The report of\n"
    "what was measured until then is written (of --compare nothing), and the program\n"
    "ends within a second.\n"
    "\n"
    "Examples:\n"
    "  cudahisto-report film.mkv\n"
    "  cudahisto-report --json film.mkv | jq 'select(.type == \"summary\").streams[0].alerts'\n"
    "  cudahisto-report --policy ebu-r128 --junit verdicts.xml film.mkv\n"
    "  cudahisto-report check --for upload film.mp4 | jq .verdict\n"
    "  cudahisto-report --jobs 4 --results results/ season-1/\n"
    "  cudahisto-report --merge --results results/ season-1/\n"
    "  cudahisto-report --images photos/\n"
    "  cudahisto-report --serve 8080 srt://192.0.2.7:9000 rtsp://camera/live\n"
    "  cudahisto-report --compare master.mov encode.mp4\n"
    "  cudahisto-report --images --json-summary 'scan/frame-%04d.dpx'\n"
    "  cudahisto-report --sequence 24 --html scan.html 'scan/frame-%04d.dpx'\n";

/* Each is a process with a decoder. */
#define MOST_JOBS 1024
/* Only the workers of --jobs have this. */
#define WORKER "worker-for-jobs"
/* Only tests of days have this: the clock of inputs that go on runs so many times faster. */
#define SERVE_RATE "serve-rate"
/* An option with a number that is not there. */
#define ABSENT G_MININT

/* All entries: those below, one for each format, and the inputs. */
#define MOST_ENTRIES (40 + REPORT_N_CHECK_FORMATS + 2 * REPORT_MOST_FORMATS)

typedef struct
{
  gboolean is_wanted[REPORT_MOST_FORMATS];      /* of report_formats */
  gboolean is_version, is_list;
  gchar **policies;             /* (nullable) */
  gchar *purpose;               /* (nullable) */
  gchar *shard;
  gint csv_names;
  gchar *csv_columns;           /* (nullable) */
  gint serve_rate;
  gchar **serve_token;          /* (nullable) */
  guint n_entries;
  GOptionEntry entries[MOST_ENTRIES];
  ReportArgument arguments[MOST_ENTRIES];       /* of each entry */
} Parser;

/* What the parser of GLib makes of an argument. */
static const GOptionArg types[] = {
  [REPORT_ARGUMENT_NONE] = G_OPTION_ARG_NONE,
  [REPORT_ARGUMENT_NUMBER] = G_OPTION_ARG_INT,
  [REPORT_ARGUMENT_LARGE_NUMBER] = G_OPTION_ARG_INT64,
  [REPORT_ARGUMENT_TEXT] = G_OPTION_ARG_STRING,
  [REPORT_ARGUMENT_TEXTS] = G_OPTION_ARG_STRING_ARRAY,
  [REPORT_ARGUMENT_INPUTS] = G_OPTION_ARG_FILENAME_ARRAY,
  [REPORT_ARGUMENT_READ_FILES] = G_OPTION_ARG_FILENAME_ARRAY,
  [REPORT_ARGUMENT_FILE] = G_OPTION_ARG_FILENAME,
  [REPORT_ARGUMENT_FILE_OR_FOLDER] = G_OPTION_ARG_FILENAME,
  [REPORT_ARGUMENT_RESULTS] = G_OPTION_ARG_FILENAME,
};

static void
add_entry (Parser * parser, const gchar * name, gchar letter,
    ReportArgument argument, gpointer to, const gchar * description,
    const gchar * value)
{
  const GOptionEntry entry = {
    name, letter, 0, types[argument], to, description, value
  };

  g_assert (parser->n_entries < MOST_ENTRIES - 1);
  parser->arguments[parser->n_entries] = argument;
  parser->entries[parser->n_entries++] = entry;
}

static void
add_entries (Parser * parser, ReportOptions * options)
{
  ReportSettings *settings = &options->settings;

  add_entry (parser, "output", 'o', REPORT_ARGUMENT_FILE, &options->output,
      "Write the report to FILE instead of the standard output", "FILE");
  for (guint i = 0; report_formats[i].description != NULL; i++) {
    if (report_formats[i].option != NULL)
      add_entry (parser, report_formats[i].option, 0, REPORT_ARGUMENT_NONE,
          &parser->is_wanted[i], report_formats[i].description, NULL);
  }
  add_entry (parser, "csv-names", 0, REPORT_ARGUMENT_NUMBER,
      &parser->csv_names, "With --csv: 2 (default) names figures as rules do: "
      "regions.logo.Y.mean, pairs.ch0+ch1.balance, loudness.true-peak.ch0; 1 as "
      "before version 1.0.0: logo.Y.mean, ch0-ch1.balance, ch0.true-peak", "1|2");
  add_entry (parser, "csv-columns", 0, REPORT_ARGUMENT_TEXT,
      &parser->csv_columns, "With --csv: write a column for each figure that "
      "rules can name, also for the zones of flashes and the bits used", "all");
  for (guint i = 0; report_file_formats[i].description != NULL; i++)
    add_entry (parser, report_file_formats[i].option, 0,
        REPORT_ARGUMENT_FILE_OR_FOLDER, &options->file_paths[i],
        report_file_formats[i].description, "PATH");
  add_entry (parser, "thumbnails", 0, REPORT_ARGUMENT_TEXT, &options->thumbnails,
      "With --html: at most N pictures of the film in even steps, and those of the "
      "worst frames; auto: one of a second, and at most "
      G_STRINGIFY (REPORT_THUMBNAILS_AUTO) " (default); none: no picture", "auto|none|N");
  add_entry (parser, "policy", 'p', REPORT_ARGUMENT_READ_FILES,
      &parser->policies, "Check the inputs against the rules of a preset or of a "
      "FILE. May be given several times", "NAME|FILE");
  add_entry (parser, "for", 0, REPORT_ARGUMENT_TEXT, &parser->purpose,
      "Check the inputs against the presets for an upload to a video platform, a podcast, or the "
      "delivery to a broadcaster", REPORT_PURPOSES);
  add_entry (parser, "list-policies", 0, REPORT_ARGUMENT_NONE, &parser->is_list,
      "Print the names and the titles of the presets", NULL);
  add_entry (parser, "show-policy", 0, REPORT_ARGUMENT_TEXT,
      &options->show_policy, "Print a preset, to be copied and changed", "NAME");
  for (guint i = 0; report_check_formats[i].option != NULL; i++)
    add_entry (parser, report_check_formats[i].option, 0,
        REPORT_ARGUMENT_FILE, &options->check_paths[i],
        report_check_formats[i].description, "FILE");
  add_entry (parser, WORKER, 0, REPORT_ARGUMENT_NONE, &options->is_worker, NULL, NULL);
  parser->entries[parser->n_entries - 1].flags = G_OPTION_FLAG_HIDDEN;
  add_entry (parser, "measures", 'm', REPORT_ARGUMENT_TEXT,
      &settings->measures, "Groups to measure, joined by +: signal, motion, "
      "color, hdr, detail, area, gamut, gamut-filter, flash, field, level, "
      "loudness (default: "
      REPORT_DEFAULT_MEASURES ", and hdr for PQ and HLG)", "GROUPS");
  add_entry (parser, "alerts", 'a', REPORT_ARGUMENT_TEXT, &settings->alerts,
      "Conditions to watch, joined by +: black, freeze, scene, range, "
      "silence, clipping, loudness; or none (default: "
      REPORT_DEFAULT_ALERTS ")", "ALERTS");
  add_entry (parser, "regions", 'r', REPORT_ARGUMENT_TEXT, &settings->regions,
      "Parts of the picture to measure, too: "
      "\"NAME=X,Y,WIDTH,HEIGHT; ...\" in pixels or with %", "REGIONS");
  add_entry (parser, "programme", 0, REPORT_ARGUMENT_TEXT,
      &settings->programme, "Measure mono tracks that are heard together as "
      "one: 1+2,3+4,5+6+7+8+9+10. Tracks of sound count from 1. Two are L R, six are "
      "L R C LFE Ls Rs, unless the file says it (default: the tracks that the file "
      "places, or the only two mono tracks)", "TRACKS");
  add_entry (parser, "sequence", 0, REPORT_ARGUMENT_TEXT,
      &settings->sequence, "Measure each INPUT, a pattern such as "
      "'scan/frame-%04d.dpx', as a film of so many frames in a second: 24, "
      "24000/1001", "RATE");
  add_entry (parser, "set", 's', REPORT_ARGUMENT_TEXTS,
      &settings->properties, "Set another property of cudahisto, such as "
      "backend=cpu or black-duration=1000000000", "NAME=VALUE");
  add_entry (parser, "max-pixels", 0, REPORT_ARGUMENT_LARGE_NUMBER,
      &settings->max_pixels, "Decode no picture of more than N pixels (default: "
      G_STRINGIFY (REPORT_MAX_PIXELS) ")", "N");
  add_entry (parser, "jobs", 'j', REPORT_ARGUMENT_NUMBER, &options->jobs,
      "Measure N inputs at the same time, spread over the GPUs; of --images N "
      "images (default: as many as there are processors)", "N");
  add_entry (parser, "split", 0, REPORT_ARGUMENT_NUMBER, &settings->split,
      "Have N decoders share the pictures of each film, which is cut at key frames: "
      "the report is the same. 0: as many as there are processors, at most "
      G_STRINGIFY (REPORT_MOST_AUTOMATIC) " (default: 1)", "N");
  add_entry (parser, "results", 0, REPORT_ARGUMENT_RESULTS, &options->results,
      "Keep a result file of each input in FOLDER. Inputs whose result is "
      "complete are not measured again", "FOLDER");
  add_entry (parser, "shard", 0, REPORT_ARGUMENT_TEXT, &parser->shard,
      "Measure only each N-th input, from number I on, counted from 0: for "
      "tasks on several machines", "I/N");
  add_entry (parser, "merge", 0, REPORT_ARGUMENT_NONE, &options->is_merge,
      "Add up the summaries in the INPUTs, which are files that --json or "
      "--json-summary wrote; with --results the results of the INPUTs", NULL);
  add_entry (parser, "images", 0, REPORT_ARGUMENT_NONE, &options->is_images,
      "Measure the INPUTs as one set of images. An INPUT is a folder, an image, "
      "a pattern such as frame-%04d.png, a text file with a path on each line, "
      "or - for such a text on the standard input", NULL);
  add_entry (parser, "every", 0, REPORT_ARGUMENT_NUMBER, &options->every,
      "With --images: measure one image in N", "N");
  add_entry (parser, "before", 0, REPORT_ARGUMENT_TEXT, &options->before,
      "With --images: elements of GStreamer that each image passes before it is "
      "measured, such as \"videoscale ! video/x-raw,width=224,height=224\"",
      "ELEMENTS");
  add_entry (parser, "compare", 0, REPORT_ARGUMENT_NONE,
      &options->compare.is_wanted, "Compare the pictures and the sound of two INPUTs, and "
      "their figures; of files that --json or --json-summary wrote, the figures alone",
      NULL);
  add_entry (parser, "tolerance", 0, REPORT_ARGUMENT_TEXTS,
      &options->compare.tolerances, "With --compare: how much the inputs may differ: "
      "default, or by kind, such as psnr=40,level=1,share=0.05 (without it pictures and "
      "sound must be equal)", "KIND=NUMBER,...");
  add_entry (parser, "compare-measures", 0, REPORT_ARGUMENT_TEXT,
      &options->compare.measures, "With --compare: what cudahistocompare measures, too: xpsnr", "MEASURES");
  add_entry (parser, "figures", 0, REPORT_ARGUMENT_TEXT,
      &options->compare.figures, "With --compare: the figures to compare, "
      "joined by +, named as in rules or as columns of CSV, with * for any text", "FIGURES");
  add_entry (parser, "offset", 0, REPORT_ARGUMENT_TEXT,
      &options->compare.offset, "With --compare: the time in the second INPUT "
      "at which the first one begins, in seconds", "SECONDS");
  add_entry (parser, "fail-on-difference", 0, REPORT_ARGUMENT_NONE,
      &options->compare.fails, "With --compare: end with status 3 if they differ",
      NULL);
  add_entry (parser, "serve", 0, REPORT_ARGUMENT_TEXT, &options->serve.address,
      "Measure the INPUTs as long as they go on, connect again those that are lost, and serve pages, notices and metrics about "
      "them by HTTP. An INPUT is a file, a URI, or test (default ADDRESS: 127.0.0.1)", "[ADDRESS:]PORT");
  add_entry (parser, "serve-token", 0, REPORT_ARGUMENT_READ_FILES, &parser->serve_token,
      "With --serve: only clients that know the first line of FILE may read", "FILE");
  add_entry (parser, "serve-open", 0, REPORT_ARGUMENT_NONE, &options->serve.is_open,
      "With --serve on another address than the loopback: everybody who reaches it may read", NULL);
  add_entry (parser, SERVE_RATE, 0, REPORT_ARGUMENT_NUMBER, &parser->serve_rate, NULL, "N");
  parser->entries[parser->n_entries - 1].flags = G_OPTION_FLAG_HIDDEN;
  add_entry (parser, "quiet", 'q', REPORT_ARGUMENT_NONE, &options->is_quiet,
      "Show no progress, and no still images that were left out", NULL);
  add_entry (parser, "version", 0, REPORT_ARGUMENT_NONE, &parser->is_version,
      "Print the version", NULL);
  add_entry (parser, G_OPTION_REMAINING, 0, REPORT_ARGUMENT_INPUTS,
      &options->inputs, NULL, NULL);
}

/* A file of the machine may be given as a URI. Another URI is no name of a file: "file:" and "http:" would become
 * folders.
 *
 * @path: (inout): may name no file
 * Returns: FALSE with an error if it is empty, or another URI */
static gboolean
take_path (gchar ** path, const gchar * option, GError ** error)
{
  g_autofree gchar *taken = NULL, *host = NULL, *name = NULL;
  const gboolean is_file = g_ascii_strncasecmp (*path, "file:", 5) == 0;

  if (**path != '\0' && !is_file && (strstr (*path, "://") == NULL
          || !gst_uri_is_valid (*path)))
    return TRUE;
  if (is_file)
    taken = g_filename_from_uri (*path, &host, NULL);
  /* With two slashes a name would be that of a machine, and its path begin at the root. */
  if (host != NULL && g_ascii_strcasecmp (host, "localhost") != 0)
    g_clear_pointer (&taken, g_free);
  if (taken == NULL) {
    name = report_name_for_people (*path);
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        **path == '\0' ? "--%s needs a path%s" :
        "--%s needs a path or a URI such as file:///tmp/name, and not %s",
        option, name);
    return FALSE;
  }
  g_free (*path);
  *path = g_steal_pointer (&taken);
  return TRUE;
}

/* Collects all options that name files, and makes paths of what they say.
 * Returns: FALSE with an error if one is no path */
static gboolean
take_paths (const Parser * parser, ReportOptions * options, GError ** error)
{
  for (guint i = 0; i < parser->n_entries; i++) {
    const GOptionEntry *entry = &parser->entries[i];
    const ReportArgument argument = parser->arguments[i];
    gchar **paths;

    if (argument >= REPORT_ARGUMENT_FILE && *(gchar **) entry->arg_data != NULL) {
      ReportOutputOption *output = g_new (ReportOutputOption, 1);

      *output = (ReportOutputOption) {
      entry->long_name, argument, entry->arg_data};
      g_ptr_array_add (options->outputs, output);
      if (!take_path (entry->arg_data, entry->long_name, error))
        return FALSE;
    }
    if (argument != REPORT_ARGUMENT_READ_FILES)
      continue;
    paths = *(gchar ***) entry->arg_data;
    for (gchar ** path = paths; path != NULL && *path != NULL; path++) {
      if (!take_path (path, entry->long_name, error))
        return FALSE;
      g_ptr_array_add (options->read, g_strdup (*path));
    }
  }
  return TRUE;
}

/**
 * report_options_list:
 * @found: called for each option, also a hidden one
 *
 * What the table of the options says, for tests: each option that names a file is checked.
 */
void
report_options_list (void (*found) (const gchar * name, ReportArgument argument))
{
  ReportOptions options = { .inputs = NULL };
  g_autofree Parser *parser = g_new0 (Parser, 1);

  add_entries (parser, &options);
  for (guint i = 0; i < parser->n_entries; i++)
    found (parser->entries[i].long_name, parser->arguments[i]);
}

static ReportOptionsOutcome
wrong (GError ** error, const gchar * text)
{
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, text);
  return REPORT_OPTIONS_WRONG;
}

/* Reads "I/N". Returns: FALSE if it is something else */
static gboolean
parse_shard (const gchar * text, ReportOptions * options)
{
  guint64 shard = 0, n_shards = 1;
  g_auto (GStrv) parts = NULL;
  gboolean ok;

  if (text == NULL)
    text = "0/1";
  parts = g_strsplit (text, "/", 2);
  ok = g_strv_length (parts) == 2
      && g_ascii_string_to_unsigned (parts[0], 10, 0, G_MAXUINT - 1, &shard,
      NULL)
      && g_ascii_string_to_unsigned (parts[1], 10, 1, G_MAXUINT, &n_shards,
      NULL) && shard < n_shards;
  options->shard = (guint) shard;
  options->n_shards = (guint) n_shards;
  return ok;
}

/* Whether a page is wanted. */
static gboolean
has_page (const ReportOptions * options)
{
  for (guint i = 0; report_file_formats[i].description != NULL; i++) {
    if (options->file_paths[i] != NULL && g_str_equal (report_file_formats[i].option, "html"))
      return TRUE;
  }
  return FALSE;
}

static gboolean
has_policies (const Parser * parser)
{
  return parser->policies != NULL || parser->purpose != NULL;
}

/* Options that do not fit to sets of images. */
static ReportOptionsOutcome
check_images (ReportOptions * options, const Parser * parser, guint n_files,
    GError ** error)
{
  const ReportSettings *settings = &options->settings;

  if (!options->is_images && (options->every != ABSENT
          || options->before != NULL))
    return wrong (error, "--every and --before need --images");
  if (options->every == ABSENT)
    options->every = 1;
  if (options->every < 1)
    return wrong (error, "--every needs a number from 1 on");
  if (!options->is_images)
    return REPORT_OPTIONS_RUN;
  if (n_files > (has_page (options) ? 1 : 0) || !report_image_writer_has (options->format))
    return wrong (error, "the report of --images is text, JSON or CSV, and a page (--html)");
  if (options->is_merge || options->results != NULL || parser->shard != NULL)
    return wrong (error, "--images takes no --merge, --results or --shard");
  if (settings->measures != NULL || settings->alerts != NULL
      || settings->regions != NULL || settings->programme != NULL || settings->sequence != NULL)
    return wrong (error, "--images takes no --measures, --alerts, --regions, --programme or --sequence");
  if (has_policies (parser))
    return wrong (error, "--images takes no --policy or --for: rules are checked against "
        "films and sound");
  return REPORT_OPTIONS_RUN;
}

/* Options that do not fit to policies. */
static ReportOptionsOutcome
check_policies (const ReportOptions * options, const Parser * parser,
    GError ** error)
{
  const gboolean has_file = report_options_keep_verdicts (options);

  if (options->is_merge && options->results == NULL
      && has_policies (parser))
    return wrong (error, "--merge adds up the verdicts that the INPUTs have: it "
        "takes no --policy or --for");
  if (has_file && !has_policies (parser) && !options->is_merge && !options->compare.is_wanted)
    return wrong (error, "--junit and --sarif need --policy, --for or --compare");
  return REPORT_OPTIONS_RUN;
}

/* Reads the policies. Faults in them are reported before anything is measured. */
static ReportOptionsOutcome
read_policies (ReportOptions * options, const Parser * parser, GError ** error)
{
  const gboolean is_shared = options->jobs > 1 || options->results != NULL;
  const gchar *const *presets = parser->purpose != NULL ? report_purpose_presets (parser->purpose) : NULL;

  if (parser->purpose != NULL && presets == NULL)
    return wrong (error, "--for needs one of " REPORT_PURPOSES);
  for (gchar ** p = parser->policies; p != NULL && *p != NULL; p++) {
    if (is_shared && g_file_test (*p, G_FILE_TEST_EXISTS)
        && !g_file_test (*p, G_FILE_TEST_IS_REGULAR | G_FILE_TEST_IS_DIR))
      return wrong (error, "with --jobs and --results each process reads the "
          "policy: it must be a regular file");
    if (!report_policies_add (options->settings.policies, *p, error))
      return REPORT_OPTIONS_WRONG;
  }
  for (; presets != NULL && *presets != NULL; presets++) {
    if (!report_policies_add (options->settings.policies, *presets, error))
      return REPORT_OPTIONS_WRONG;
  }
  return REPORT_OPTIONS_RUN;
}

/* Options that do not fit to comparing. */
static ReportOptionsOutcome
check_compare (ReportOptions * options, const Parser * parser, guint n_files,
    GError ** error)
{
  const ReportToleranceSettings *compare = &options->compare;

  if (!compare->is_wanted)
    return compare->tolerances == NULL && compare->figures == NULL
        && compare->offset == NULL && compare->measures == NULL && !compare->fails ? REPORT_OPTIONS_RUN :
        wrong (error, "--tolerance, --figures, --offset, --compare-measures and "
        "--fail-on-difference need --compare");
  if (g_strv_length (options->inputs) != 2)
    return wrong (error, "--compare needs two INPUTs");
  if (n_files > (has_page (options) ? 1 : 0) || (options->format->option != NULL
          && !g_str_equal (options->format->option, "json")))
    return wrong (error, "the report of --compare is text or JSON (--json), and a page (--html)");
  if (options->is_merge || options->is_images || options->results != NULL
      || parser->shard != NULL || options->jobs > 1)
    return wrong (error, "--compare takes no --merge, --images, --results, "
        "--shard or --jobs");
  return report_tolerances_parse (&options->compare, error) ?
      REPORT_OPTIONS_RUN : REPORT_OPTIONS_WRONG;
}

/* Options of inputs that go on. */
static ReportOptionsOutcome
check_serve (ReportOptions * options, const Parser * parser, guint n_files, GError ** error)
{
  const guint n_tokens = parser->serve_token != NULL ? g_strv_length (parser->serve_token) : 0;

  if (n_tokens > 1)
    return wrong (error, "--serve-token takes one FILE");
  options->serve.token = n_tokens > 0 ? g_strdup (parser->serve_token[0]) : NULL;
  options->serve.rate = parser->serve_rate;
  if (!report_serve_check (&options->serve, error))
    return REPORT_OPTIONS_WRONG;
  if (options->serve.address == NULL)
    return REPORT_OPTIONS_RUN;
  if (n_files > 0 || options->format->option != NULL || options->output != NULL || report_options_keep_verdicts (options))
    return wrong (error, "--serve writes no reports: it takes no format, no page and no file for one");
  if (options->is_merge || options->is_images || options->compare.is_wanted || options->results != NULL || parser->shard != NULL
      || options->jobs > 1 || options->settings.split != 1 || options->settings.sequence != NULL
      || options->settings.programme != NULL || options->is_worker)
    return wrong (error, "--serve takes no --merge, --images, --compare, --results, --shard, --jobs, --split, --sequence or --programme");
  return parser->serve_rate >= 1 ? REPORT_OPTIONS_RUN : wrong (error, "--" SERVE_RATE " needs a number from 1 on");
}

/* Options of CSV. */
static ReportOptionsOutcome
check_csv (ReportOptions * options, const Parser * parser, GError ** error)
{
  const gboolean is_asked = parser->csv_names != ABSENT || parser->csv_columns != NULL;

  if (is_asked && (options->is_images || g_strcmp0 (options->format->option, "csv") != 0))
    return wrong (error, "--csv-names and --csv-columns need --csv, and no --images");
  if (parser->csv_names != ABSENT && parser->csv_names != REPORT_CSV_OLD_NAMES && parser->csv_names != REPORT_CSV_PATHS)
    return wrong (error, "--csv-names needs 1 or 2");
  if (parser->csv_columns != NULL && !g_str_equal (parser->csv_columns, "all"))
    return wrong (error, "--csv-columns needs all");
  options->csv_names = parser->csv_names != ABSENT ? (ReportCsvNames) parser->csv_names : REPORT_CSV_PATHS;
  options->csv_has_all = parser->csv_columns != NULL;
  return REPORT_OPTIONS_RUN;
}

/* Pictures are kept only for a page. */
static ReportOptionsOutcome
check_thumbnails (ReportOptions * options, GError ** error)
{
  const gchar *text = options->thumbnails;
  ReportSettings *settings = &options->settings;
  gboolean has_page = FALSE;
  guint64 n = REPORT_THUMBNAILS_AUTO;

  for (guint i = 0; report_file_formats[i].description != NULL; i++)
    has_page = has_page || (options->file_paths[i] != NULL && g_str_equal (report_file_formats[i].option, "html"));
  settings->has_sparse_thumbnails = text == NULL || g_str_equal (text, "auto");
  if (g_strcmp0 (text, "none") == 0)
    n = 0;
  else if (!settings->has_sparse_thumbnails
      && !g_ascii_string_to_unsigned (text, 10, 1, REPORT_MOST_THUMBNAILS, &n, NULL))
    return wrong (error, "--thumbnails needs auto, none, or a number from 1 to "
        G_STRINGIFY (REPORT_MOST_THUMBNAILS));
  if (text != NULL && !has_page)
    return wrong (error, "--thumbnails needs --html");
  settings->thumbnails = has_page && !options->compare.is_wanted && report_thumbnails_are_built () ? (guint) n : 0;
  return REPORT_OPTIONS_RUN;
}

/* Options that do not fit together. */
static ReportOptionsOutcome
check (ReportOptions * options, const Parser * parser, GError ** error)
{
  guint n_formats = 0, n_files = 0;
  ReportRational rate;

  options->format = &report_formats[0];
  for (guint i = 0; i < REPORT_MOST_FORMATS; i++) {
    n_files += options->file_paths[i] != NULL ? 1 : 0;
    if (!parser->is_wanted[i])
      continue;
    options->format = &report_formats[i];
    n_formats++;
  }
  if (options->is_worker && options->inputs != NULL)
    return wrong (error, "a worker of --jobs gets its inputs from its parent");
  if (options->is_worker)
    options->inputs = g_new0 (gchar *, 1);
  if (options->inputs == NULL)
    return wrong (error, "no INPUT is given; see --help");
  /* Mostly a variable of a script that is not set. */
  if (g_strv_contains ((const gchar * const *) options->inputs, ""))
    return wrong (error, "the name of an INPUT is empty");
  if (n_formats > 1)
    return wrong (error, "only one format can be written to one output");
  if (!parse_shard (parser->shard, options))
    return wrong (error, "--shard needs I/N, with I from 0 to N - 1");
  if (options->jobs == ABSENT)
    options->jobs = options->is_images ? MIN (g_get_num_processors (),
        MOST_JOBS) : 1;
  if (options->settings.max_pixels < 1)
    return wrong (error, "--max-pixels needs a number from 1 on");
  if (options->settings.sequence != NULL
      && !report_sequence_read_rate (options->settings.sequence, &rate))
    return wrong (error, "--sequence needs the number of frames in a second, such as 24 or 24000/1001");
  if (options->settings.sequence != NULL && (options->is_merge || options->compare.is_wanted))
    return wrong (error, "--sequence takes no --merge or --compare");
  if (!report_programmes_check (options->settings.programme, error))
    return REPORT_OPTIONS_WRONG;
  if (options->jobs < 1 || options->jobs > MOST_JOBS)
    return wrong (error, "--jobs needs a number from 1 to "
        G_STRINGIFY (MOST_JOBS));
  if (options->settings.split < 0 || options->settings.split > REPORT_MOST_SPLIT)
    return wrong (error, "--split needs a number from 0 to " G_STRINGIFY (REPORT_MOST_SPLIT));
  if (options->settings.split != 1 && (options->is_merge || options->compare.is_wanted || options->is_images
          || options->settings.sequence != NULL))
    return wrong (error, "--split takes no --merge, --compare, --images or --sequence");
  if (n_files > 0 && (options->results != NULL || options->is_merge))
    return wrong (error, "--results and --merge write no pages, no reports for "
        "QCTools and no metadata of HDR");
  if (options->results != NULL && !options->format->is_text
      && !g_str_has_prefix (options->format->option, "json"))
    return wrong (error, "--results keeps JSON; the report is text or JSON");
  if (options->is_merge && !options->format->is_text
      && !g_str_has_prefix (options->format->option, "json"))
    return wrong (error, "--merge writes text or JSON");
  if (options->is_merge && parser->shard != NULL)
    return wrong (error, "--merge adds up all INPUTs: it takes no --shard");
  if (check_serve (options, parser, n_files, error) == REPORT_OPTIONS_WRONG
      || check_compare (options, parser, n_files, error) == REPORT_OPTIONS_WRONG
      || check_images (options, parser, n_files, error) == REPORT_OPTIONS_WRONG
      || check_csv (options, parser, error) == REPORT_OPTIONS_WRONG
      || check_thumbnails (options, error) == REPORT_OPTIONS_WRONG
      || check_policies (options, parser, error) == REPORT_OPTIONS_WRONG)
    return REPORT_OPTIONS_WRONG;
  return read_policies (options, parser, error);
}

/* GLib ignores what follows "=" of an option that takes no value: "--json=FILE" would not write FILE. */
static gboolean
check_values (const Parser * parser, gchar ** arguments, GError ** error)
{
  for (gchar ** argument = arguments + 1; arguments[0] != NULL
      && *argument != NULL && !g_str_equal (*argument, "--"); argument++) {
    const gchar *value = strchr (*argument, '=');

    if (!g_str_has_prefix (*argument, "--") || value == NULL)
      continue;
    for (guint i = 0; i < parser->n_entries; i++) {
      const gchar *name = parser->entries[i].long_name;

      if (parser->arguments[i] == REPORT_ARGUMENT_NONE
          && strlen (name) == (gsize) (value - *argument - 2)
          && g_str_has_prefix (*argument + 2, name)) {
        g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
            "--%s takes no value", name);
        return FALSE;
      }
    }
  }
  return TRUE;
}

/* `check FILE` is `--check FILE`. A file of this name is ./check. */
static void
take_command (gchar ** arguments)
{
  if (arguments[0] == NULL || g_strcmp0 (arguments[1], "check") != 0)
    return;
  g_free (arguments[1]);
  arguments[1] = g_strdup ("--check");
}

/**
 * report_options_parse:
 * @options: (out): to be cleared with report_options_clear(), also after an error
 * @arguments: (inout): of the command line
 *
 * --help prints and ends the program.
 */
ReportOptionsOutcome
report_options_parse (ReportOptions * options, gchar *** arguments,
    GError ** error)
{
  GOptionContext *context = g_option_context_new ("INPUT...");
  Parser *parser = g_new0 (Parser, 1);
  ReportOptionsOutcome outcome;

  memset (options, 0, sizeof *options);
  options->jobs = options->every = parser->csv_names = ABSENT;
  parser->serve_rate = 1;
  options->settings.policies = report_policies_new ();
  options->outputs = g_ptr_array_new_with_free_func (g_free);
  options->read = g_ptr_array_new_with_free_func (g_free);
  options->settings.max_pixels = REPORT_MAX_PIXELS;
  options->settings.split = 1;
  add_entries (parser, options);
  g_option_context_add_main_entries (context, parser->entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  g_option_context_set_summary (context, summary_text);
  g_option_context_set_description (context, description_text);
  take_command (*arguments);
  if (!check_values (parser, *arguments, error)
      || !g_option_context_parse_strv (context, arguments, error))
    outcome = REPORT_OPTIONS_WRONG;
  else if (parser->is_version)
    outcome = REPORT_OPTIONS_VERSION;
  else if (parser->is_list)
    outcome = REPORT_OPTIONS_LIST_POLICIES;
  else if (options->show_policy != NULL)
    outcome = REPORT_OPTIONS_SHOW_POLICY;
  else
    outcome = take_paths (parser, options, error) ?
        check (options, parser, error) : REPORT_OPTIONS_WRONG;
  g_option_context_free (context);
  g_strfreev (parser->policies);
  g_free (parser->purpose);
  g_free (parser->shard);
  g_free (parser->csv_columns);
  g_strfreev (parser->serve_token);
  g_free (parser);
  return outcome;
}

/* @value: (nullable): UTF-8; NULL: the option is not there */
static void
add_text (GPtrArray * arguments, const gchar * option, const gchar * value)
{
  g_autofree gchar *text = g_strdup_printf ("--%s=%s", option, value != NULL ? value : "");
  g_autofree gchar *local = g_locale_from_utf8 (text, -1, NULL, NULL, NULL);

  if (value != NULL)
    g_ptr_array_add (arguments, local != NULL ? g_steal_pointer (&local) :
        g_steal_pointer (&text));
}

/* Returns: whether files need the verdicts of all inputs */
gboolean
report_options_keep_verdicts (const ReportOptions * options)
{
  gboolean keeps = FALSE;

  for (guint i = 0; i < REPORT_N_CHECK_FORMATS; i++)
    keeps = keeps || options->check_paths[i] != NULL;
  return keeps;
}

/**
 * report_options_command:
 * @format: (nullable): the option of a format
 *
 * Returns: (transfer full) (element-type filename): the command line of a worker that measures inputs as @options say, with
 * %NULL at the end
 */
GPtrArray *
report_options_command (const ReportOptions * options, const gchar * format)
{
  const ReportSettings *settings = &options->settings;
  GPtrArray *arguments = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (arguments, report_name_to_start ());
  g_ptr_array_add (arguments, g_strdup ("--" WORKER));
  g_ptr_array_add (arguments, g_strdup ("--quiet"));
  if (format != NULL)
    g_ptr_array_add (arguments, g_strdup_printf ("--%s", format));
  if (g_strcmp0 (format, "csv") == 0) {
    g_ptr_array_add (arguments, g_strdup_printf ("--csv-names=%d", (gint) options->csv_names));
    if (options->csv_has_all)
      g_ptr_array_add (arguments, g_strdup ("--csv-columns=all"));
  }
  for (guint i = 0; report_file_formats[i].description != NULL; i++) {
    if (options->file_paths[i] != NULL)
      g_ptr_array_add (arguments, g_strdup_printf ("--%s=%s",
              report_file_formats[i].option, options->file_paths[i]));
  }
  add_text (arguments, "thumbnails", options->thumbnails);
  for (guint i = 0; i < settings->policies->len; i++)
    g_ptr_array_add (arguments, g_strdup_printf ("--policy=%s",
            ((const ReportPolicy *) settings->policies->pdata[i])->option));
  g_ptr_array_add (arguments, g_strdup_printf ("--max-pixels=%" G_GINT64_FORMAT,
          settings->max_pixels));
  if (settings->split != 1)
    g_ptr_array_add (arguments, g_strdup_printf ("--split=%d", settings->split));
  add_text (arguments, "measures", settings->measures);
  add_text (arguments, "alerts", settings->alerts);
  add_text (arguments, "regions", settings->regions);
  add_text (arguments, "programme", settings->programme);
  add_text (arguments, "sequence", settings->sequence);
  for (gchar ** p = settings->properties; p != NULL && *p != NULL; p++)
    add_text (arguments, "set", *p);
  g_ptr_array_add (arguments, NULL);
  return arguments;
}

void
report_options_clear (ReportOptions * options)
{
  g_ptr_array_unref (options->outputs);
  g_ptr_array_unref (options->read);
  g_strfreev (options->inputs);
  report_settings_clear (&options->settings);
  for (guint i = 0; i < REPORT_MOST_FORMATS; i++)
    g_free (options->file_paths[i]);
  for (guint i = 0; i < REPORT_N_CHECK_FORMATS; i++)
    g_free (options->check_paths[i]);
  g_free (options->verdicts);
  g_free (options->row);
  g_free (options->show_policy);
  g_free (options->output);
  g_free (options->results);
  g_free (options->before);
  g_free (options->thumbnails);
  g_free (options->serve.address);
  g_free (options->serve.token);
  report_tolerances_clear (&options->compare);
}
