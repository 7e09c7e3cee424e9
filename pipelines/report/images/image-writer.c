/* Reports of sets of images, as text, JSON and CSV; see image-writer.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "images/image-writer.h"

#include <math.h>
#include <string.h>

#include "base/describe.h"
#include "images/image-gstreamer.h"
#include "images/image-list.h"
#include "summary/json.h"
#include "base/names.h"

/* What the text tells. */
#define LABEL "  %-15s"
#define MOST_TEXT_PROBLEMS 8
#define MOST_TEXT_OUTLIERS 5

static const gchar *const channels[REPORT_CHANNELS] = { "R", "G", "B" };

/* The figures of an image that JSON and CSV have, with a number or one for each channel. */
static const struct
{
  const gchar *name;
  gsize offset;
  gboolean is_of_channels;
} figures[] = {
#define FIGURE(name, is_of_channels) \
  { #name, G_STRUCT_OFFSET (ReportImage, name), is_of_channels }
  FIGURE (mean, TRUE),
  FIGURE (std, TRUE),
  FIGURE (min, TRUE),
  FIGURE (max, TRUE),
  FIGURE (brightness, FALSE),
  FIGURE (clipped, FALSE),
  FIGURE (sharpness, FALSE),
  FIGURE (scale, FALSE),
  FIGURE (negative, FALSE),
  FIGURE (infinite, FALSE),
#undef FIGURE
};

typedef enum
{
  KIND_TEXT,
  KIND_JSON,
  KIND_JSON_HISTOGRAMS,
  KIND_JSON_SUMMARY,
  KIND_CSV,
  N_KINDS
} Kind;

/* The options of the formats. */
static const gchar *const kinds[N_KINDS] = {
  [KIND_JSON] = "json",
  [KIND_JSON_HISTOGRAMS] = "json-histograms",
  [KIND_JSON_SUMMARY] = "json-summary",
  [KIND_CSV] = "csv",
};

struct _ReportImageWriter
{
  Kind kind;
  gchar *input;
  GOutputStream *to;
  ReportJson *json;
  GString *text;
  gboolean has_lines;           /* CSV: the line of names is written */
};

/* Returns: N_KINDS: there is none */
static Kind
find_kind (const ReportFormat * format)
{
  Kind kind = 0;

  while (kind < N_KINDS && g_strcmp0 (kinds[kind], format->option) != 0)
    kind++;
  return kind;
}

gboolean
report_image_writer_has (const ReportFormat * format)
{
  return find_kind (format) < N_KINDS;
}

/**
 * report_image_writer_new:
 * @format: that report_image_writer_has()
 * @input: the name of the set; UTF-8
 */
ReportImageWriter *
report_image_writer_new (const ReportFormat * format, const gchar * input,
    GOutputStream * to)
{
  ReportImageWriter *writer = g_new0 (ReportImageWriter, 1);

  writer->kind = find_kind (format);
  writer->input = g_strdup (input);
  writer->to = g_object_ref (to);
  writer->json = report_json_new (FALSE);
  writer->text = g_string_new (NULL);
  return writer;
}

void
report_image_writer_free (ReportImageWriter * writer)
{
  g_object_unref (writer->to);
  report_json_free (writer->json);
  g_string_free (writer->text, TRUE);
  g_free (writer->input);
  g_free (writer);
}

static gboolean
write_text (ReportImageWriter * writer, GString * text, GError ** error)
{
  const gboolean ok = g_output_stream_write_all (writer->to, text->str, text->len, NULL, NULL, error);

  g_string_truncate (text, 0);
  return ok;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Writes the object that was made on a line. */
static gboolean
write_object (ReportImageWriter * writer, GError ** error)
{
  const gboolean ok = write_text (writer, g_string_append_c (report_json_get_text (writer->json), '\n'), error);

  report_json_clear (writer->json);
  return ok;
}

static void
add_flag (ReportJson * json, const gchar * key, gboolean value)
{
  report_json_set_key (json, key);
  report_json_put_boolean (json, value);
}

/* The name of a file, and its address if the name was changed to be shown. */
static void
add_path (ReportJson * json, const gchar * path)
{
  g_autofree gchar *name = report_name_for_people (path);

  report_json_add_text (json, "path", name);
  if (!g_str_equal (name, path)) {
    g_autoptr (GFile) file = g_file_new_for_path (path);
    g_autofree gchar *uri = g_file_get_uri (file);

    report_json_add_text (json, "uri", uri);
  }
}

static void
add_numbers (ReportJson * json, const gchar * key, const gdouble * numbers)
{
  report_json_begin_array (json, key);
  for (guint c = 0; c < REPORT_CHANNELS; c++)
    report_json_add_number (json, numbers[c]);
  report_json_end_array (json);
}

/* Histograms of R, G and B. */
static void
add_histograms (ReportJson * json, const guint64 * const *counts,
    const guint * n_bins)
{
  report_json_begin_array (json, "histograms");
  for (guint c = 0; c < REPORT_CHANNELS; c++) {
    report_json_begin_array (json, NULL);
    for (guint i = 0; i < n_bins[c]; i++)
      report_json_put_int (json, (gint64) counts[c][i]);
    report_json_end_array (json);
  }
  report_json_end_array (json);
}

static void
add_image (ReportImageWriter * writer, const ReportImage * image)
{
  ReportJson *json = writer->json;

  report_json_add_text (json, "type", "image");
  report_json_add_text (json, "input", writer->input);
  add_path (json, image->path);
  report_json_add_text (json, "problem", image->problem);
  if (image->problem != NULL)
    return;
  report_json_add_text (json, "file-format", image->format);
  report_json_add_text (json, "decoder", image->decoder);
  report_json_add_text (json, "format", image->pixels);
  report_json_add_int (json, "width", image->width);
  report_json_add_int (json, "height", image->height);
  add_flag (json, "alpha", image->has_alpha);
  report_json_add_text (json, "orientation", image->orientation);
  report_json_add_text (json, "transfer", image->transfer);
  for (guint i = 0; i < G_N_ELEMENTS (figures); i++) {
    const gdouble *numbers = G_STRUCT_MEMBER_P (image, figures[i].offset);

    if (figures[i].is_of_channels)
      add_numbers (json, figures[i].name, numbers);
    else
      report_json_add_double (json, figures[i].name, numbers[0]);
  }
  if (writer->kind == KIND_JSON_HISTOGRAMS)
    add_histograms (json, (const guint64 * const *) image->counts,
        image->n_bins);
}

static void
add_problems (ReportJson * json, const ReportImageSet * set)
{
  if (set->problems->len == 0)
    return;
  report_json_add_text (json, "problem",
      ((const ReportImageProblem *) set->problems->pdata[0])->text);
  report_json_begin_array (json, "problems");
  for (guint i = 0; i < set->problems->len; i++) {
    const ReportImageProblem *problem = set->problems->pdata[i];

    report_json_begin_object (json, NULL);
    report_json_add_text (json, "type", problem->type);
    if (problem->path != NULL)
      add_path (json, problem->path);
    report_json_add_text (json, "text", problem->text);
    report_json_end_object (json);
  }
  report_json_end_array (json);
}

/* Adds mean and standard deviation of R, G and B. */
void
report_image_figures_add (ReportJson * json, const gchar * key,
    const ReportImageFigures * set)
{
  report_json_begin_object (json, key);
  add_numbers (json, "mean", set->mean);
  add_numbers (json, "std", set->std);
  report_json_end_object (json);
}

static void
add_outliers (ReportJson * json, const ReportImageSet * set)
{
  report_json_begin_object (json, "outliers");
  for (guint k = 0; k < REPORT_N_OUTLIERS; k++) {
    report_json_begin_array (json, report_outlier_names[k]);
    for (guint i = 0; i < set->n_outliers[k]; i++) {
      report_json_begin_object (json, NULL);
      add_path (json, set->outliers[k][i].path);
      report_json_add_double (json, "value", set->outliers[k][i].value);
      report_json_end_object (json);
    }
    report_json_end_array (json);
  }
  report_json_end_object (json);
}

/* Returns: (transfer full): the texts of a table, sorted */
static GList *
list_texts (GHashTable * counts)
{
  return g_list_sort (g_hash_table_get_keys (counts), (GCompareFunc) strcmp);
}

static void
add_counts (ReportJson * json, const gchar * key, GHashTable * counts)
{
  GList *texts = list_texts (counts);

  report_json_begin_object (json, key);
  for (GList * text = texts; text != NULL; text = text->next)
    report_json_add_int (json, text->data,
        *(guint64 *) g_hash_table_lookup (counts, text->data));
  report_json_end_object (json);
  g_list_free (texts);
}

static void
add_range (ReportJson * json, const gchar * key, guint least,
    guint greatest)
{
  report_json_begin_object (json, key);
  report_json_add_int (json, "min", least);
  report_json_add_int (json, "max", greatest);
  report_json_end_object (json);
}

static void
add_measured (ReportJson * json, const ReportImageSet * set)
{
  const guint64 *counts[REPORT_CHANNELS];
  guint n_bins[REPORT_CHANNELS];

  report_json_add_int (json, "pixels", set->n_pixels);
  add_range (json, "width", set->least_width, set->greatest_width);
  add_range (json, "height", set->least_height, set->greatest_height);
  add_counts (json, "file-formats", set->formats);
  add_counts (json, "decoders", set->decoders);
  if (g_hash_table_size (set->transfers) > 0)
    add_counts (json, "transfers", set->transfers);
  if (set->n_turned > 0)
    report_json_add_int (json, "turned", set->n_turned);
  report_json_begin_array (json, "channels");
  for (guint c = 0; c < REPORT_CHANNELS; c++) {
    report_json_put_text (json, channels[c]);
    counts[c] = set->histograms[c];
    n_bins[c] = REPORT_CHANNEL_BINS;
  }
  report_json_end_array (json);
  report_image_figures_add (json, "pooled", &set->pooled);
  report_image_figures_add (json, "per-image", &set->per_image);
  add_histograms (json, counts, n_bins);
  add_outliers (json, set);
}

static void
add_set (ReportJson * json, const ReportImageSet * set)
{
  report_json_add_text (json, "type", "summary");
  report_json_add_int (json, "version", REPORT_JSON_VERSION);
  report_json_add_text (json, "input", set->name);
  report_json_add_text (json, "uri", set->uri);
  report_json_add_int (json, "inputs", set->n_inputs);
  add_flag (json, "complete", set->is_complete);
  add_problems (json, set);
  report_json_add_text (json, "settings", set->settings);
  report_json_add_double (json, "seconds", set->seconds);
  report_json_add_int (json, "images", set->n_images);
  report_json_add_int (json, "broken", set->n_broken);
  report_json_add_int (json, "alpha", set->n_alpha);
  if (set->n_images > 0)
    add_measured (json, set);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void
append_csv_names (GString * text)
{
  g_string_append (text, "input,path,file-format,decoder,format,width,height,alpha,orientation,transfer");
  for (guint i = 0; i < G_N_ELEMENTS (figures); i++) {
    if (!figures[i].is_of_channels)
      g_string_append_printf (text, ",%s", figures[i].name);
    for (guint c = 0; c < REPORT_CHANNELS && figures[i].is_of_channels; c++)
      g_string_append_printf (text, ",%s.%s", channels[c], figures[i].name);
  }
  g_string_append (text, ",problem\r\n");
}

static void
append_csv_text (GString * text, const gchar * value)
{
  g_autofree gchar *quoted = report_csv_quote (value);

  g_string_append (text, quoted);
}

static void
append_csv_image (ReportImageWriter * writer, const ReportImage * image)
{
  GString *text = writer->text;
  g_autofree gchar *name = report_name_for_people (image->path);
  const gboolean is_there = image->problem == NULL;

  append_csv_text (text, writer->input);
  g_string_append_c (text, ',');
  append_csv_text (text, name);
  if (is_there)
    g_string_append_printf (text, ",%s,%s,%s,%u,%u,%d,%s,%s", image->format,
        image->decoder, image->pixels, image->width, image->height, image->has_alpha ? 1 : 0,
        image->orientation != NULL ? image->orientation : "", image->transfer != NULL ? image->transfer : "");
  else
    g_string_append (text, ",,,,,,,,");
  for (guint i = 0; i < G_N_ELEMENTS (figures); i++) {
    const gdouble *numbers = G_STRUCT_MEMBER_P (image, figures[i].offset);

    for (guint c = 0; c < (figures[i].is_of_channels ? REPORT_CHANNELS : 1);
        c++) {
      gchar number[G_ASCII_DTOSTR_BUF_SIZE] = "";

      if (is_there && !isnan (numbers[c]))
        g_ascii_dtostr (number, sizeof number, numbers[c]);
      g_string_append_printf (text, ",%s", number);
    }
  }
  g_string_append_c (text, ',');
  append_csv_text (text, is_there ? "" : image->problem);
  g_string_append (text, "\r\n");
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void
append_set_figures (GString * text, const gchar * label,
    const ReportImageFigures * set)
{
  g_string_append_printf (text, LABEL "mean", label);
  for (guint c = 0; c < REPORT_CHANNELS; c++)
    g_string_append_printf (text, "  %s %.4f", channels[c], set->mean[c]);
  g_string_append (text, "   std");
  for (guint c = 0; c < REPORT_CHANNELS; c++)
    g_string_append_printf (text, "  %s %.4f", channels[c], set->std[c]);
  g_string_append_c (text, '\n');
}

static void
append_outliers (GString * text, const ReportImageSet * set)
{
  static const gchar *const labels[REPORT_N_OUTLIERS] = {
    [REPORT_DARKEST] = "darkest",
    [REPORT_BRIGHTEST] = "brightest",
    [REPORT_MOST_CLIPPED] = "most clipped",
    [REPORT_LEAST_SHARP] = "least sharp",
  };

  for (guint k = 0; k < REPORT_N_OUTLIERS; k++) {
    for (guint i = 0; i < MIN (set->n_outliers[k], MOST_TEXT_OUTLIERS); i++) {
      g_autofree gchar *name = NULL;

      /* The most clipped images may have no clipped sample. */
      if (k == REPORT_MOST_CLIPPED && set->outliers[k][i].value == 0)
        break;
      name = report_name_for_people (set->outliers[k][i].path);

      g_string_append_printf (text, LABEL "%.4f  %s\n", i == 0 ? labels[k] : "",
          set->outliers[k][i].value, name);
    }
  }
}

static void
append_problems (GString * text, const ReportImageSet * set)
{
  for (guint i = 0; i < MIN (set->problems->len, MOST_TEXT_PROBLEMS); i++) {
    const ReportImageProblem *problem = set->problems->pdata[i];
    g_autofree gchar *name = problem->path != NULL ?
        report_name_for_people (problem->path) : NULL;

    g_string_append_printf (text, LABEL "%s%s%s\n", i == 0 ? "NOT COMPLETE:" :
        "", name != NULL ? name : "", name != NULL ? ": " : "", problem->text);
  }
  if (set->problems->len > MOST_TEXT_PROBLEMS)
    g_string_append_printf (text, LABEL "and more: the standard error has all\n", "");
}

static void
append_range (GString * text, guint least, guint greatest)
{
  if (least == greatest)
    g_string_append_printf (text, "%u", least);
  else
    g_string_append_printf (text, "%u to %u", least, greatest);
}

static void
append_counts (GString * text, const gchar * label, GHashTable * counts)
{
  GList *names = list_texts (counts);

  g_string_append_printf (text, LABEL, label);
  for (GList * name = names; name != NULL; name = name->next)
    g_string_append_printf (text, "%s%s %" G_GUINT64_FORMAT,
        name == names ? "" : ", ", (const gchar *) name->data,
        *(guint64 *) g_hash_table_lookup (counts, name->data));
  g_string_append_c (text, '\n');
  g_list_free (names);
}

static void
append_measured (GString * text, const ReportImageSet * set)
{
  g_string_append_printf (text, LABEL, "width, height");
  append_range (text, set->least_width, set->greatest_width);
  g_string_append (text, ", ");
  append_range (text, set->least_height, set->greatest_height);
  g_string_append_c (text, '\n');
  append_counts (text, "formats", set->formats);
  append_counts (text, "decoders", set->decoders);
  if (g_hash_table_contains (set->decoders, REPORT_DECODER_GSTREAMER))
    g_string_append_printf (text, LABEL "without libav, damage may not be noticed\n", "");
  if (g_hash_table_size (set->transfers) > 0)
    append_counts (text, "transfer", set->transfers);
  if (set->n_turned > 0)
    g_string_append_printf (text, LABEL "%" G_GUINT64_FORMAT " by their EXIF; it is not applied\n", "turned", set->n_turned);
  if (set->n_alpha > 0)
    g_string_append_printf (text, LABEL "%" G_GUINT64_FORMAT " of the images "
        "ha%s one; it is ignored\n", "alpha", set->n_alpha,
        set->n_alpha == 1 ? "s" : "ve");
  append_set_figures (text, "pooled", &set->pooled);
  /* Of one image both are the same, and nothing is the most. */
  if (set->n_images > 1) {
    append_set_figures (text, "per image", &set->per_image);
    append_outliers (text, set);
  }
}

static void
append_set (GString * text, const ReportImageSet * set)
{
  g_string_append_printf (text, "%s: %" G_GUINT64_FORMAT " image%s", set->name,
      set->n_images, set->n_images == 1 ? "" : "s");
  if (set->n_broken > 0)
    g_string_append_printf (text, " and %" G_GUINT64_FORMAT " that cannot be "
        "measured", set->n_broken);
  g_string_append (text, ", measured in ");
  report_append_seconds (text, set->seconds);
  g_string_append_c (text, '\n');
  append_problems (text, set);
  if (set->n_images > 0)
    append_measured (text, set);
}

/* Returns: (transfer full): what the text says of the set */
gchar *
report_image_set_tell (const ReportImageSet * set)
{
  GString *text = g_string_new (NULL);

  append_set (text, set);
  return g_string_free (text, FALSE);
}

/* ---- The writer ------------------------------------------------------------------------------ */

gboolean
report_image_writer_image (ReportImageWriter * writer,
    const ReportImage * image, GError ** error)
{
  switch (writer->kind) {
    case KIND_JSON:
    case KIND_JSON_HISTOGRAMS:
      report_json_begin_object (writer->json, NULL);
      add_image (writer, image);
      report_json_end_object (writer->json);
      return write_object (writer, error);
    case KIND_CSV:
      if (!writer->has_lines)
        append_csv_names (writer->text);
      writer->has_lines = TRUE;
      append_csv_image (writer, image);
      return write_text (writer, writer->text, error);
    case KIND_TEXT:
    case KIND_JSON_SUMMARY:
    case N_KINDS:
      break;
  }
  return TRUE;
}

gboolean
report_image_writer_end (ReportImageWriter * writer,
    const ReportImageSet * set, GError ** error)
{
  switch (writer->kind) {
    case KIND_JSON:
    case KIND_JSON_HISTOGRAMS:
    case KIND_JSON_SUMMARY:
      report_json_begin_object (writer->json, NULL);
      add_set (writer->json, set);
      report_json_end_object (writer->json);
      return write_object (writer, error);
    case KIND_TEXT:
      append_set (writer->text, set);
      return write_text (writer, writer->text, error);
    case KIND_CSV:
    case N_KINDS:
      break;
  }
  return TRUE;
}
