/* The figures of a set of images; see image-set.h.
 *
 * The images are added in the order of their files. Counts are integers, and the sums of their figures are made in this
 * order, so that the figures do not depend on which image was decoded first.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "images/image-set.h"

#include <math.h>
#include <string.h>

#include "images/image-list.h"

/* So many problems are kept. */
#define MOST_PROBLEMS 1000

const gchar *const report_outlier_names[REPORT_N_OUTLIERS] = {
  [REPORT_DARKEST] = "darkest",
  [REPORT_BRIGHTEST] = "brightest",
  [REPORT_MOST_CLIPPED] = "most-clipped",
  [REPORT_LEAST_SHARP] = "least-sharp",
};

void
report_image_set_init (ReportImageSet * set)
{
  memset (set, 0, sizeof *set);
  set->is_complete = TRUE;
  set->least_width = set->least_height = G_MAXUINT;
  set->formats = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  set->decoders = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  set->transfers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  set->problems = g_ptr_array_new_with_free_func (report_image_problem_free);
}

void
report_image_set_clear (ReportImageSet * set)
{
  for (guint c = 0; c < REPORT_CHANNELS; c++) {
    for (guint bits = 0; bits <= REPORT_MOST_BITS; bits++)
      g_free (set->counts[c][bits]);
  }
  g_hash_table_unref (set->formats);
  g_hash_table_unref (set->decoders);
  g_hash_table_unref (set->transfers);
  g_ptr_array_unref (set->problems);
  g_clear_pointer (&set->kept, g_array_unref);
  g_free (set->name);
  g_free (set->settings);
  g_free (set->uri);
}

/* Something is wrong: the set is not complete. */
void
report_image_set_add_problem (ReportImageSet * set, const gchar * type,
    const gchar * path, const gchar * text)
{
  set->is_complete = FALSE;
  if (set->problems->len < MOST_PROBLEMS)
    g_ptr_array_add (set->problems, report_image_problem_new (type, path,
            text));
}

static void
count_text (GHashTable * table, const gchar * text)
{
  guint64 *count = g_hash_table_lookup (table, text);

  if (count == NULL) {
    count = g_new0 (guint64, 1);
    g_hash_table_insert (table, g_strdup (text), count);
  }
  ++*count;
}

/* Of images that are alike the first one stands first. */
static void
rank (ReportImageSet * set, ReportOutlierKind kind, const gchar * path,
    gdouble value, gboolean is_greatest)
{
  ReportOutlier *outliers = set->outliers[kind];
  guint n = set->n_outliers[kind], place = n;

  if (isnan (value))
    return;
  while (place > 0 && (is_greatest ? value > outliers[place - 1].value :
          value < outliers[place - 1].value))
    place--;
  if (place == REPORT_MOST_OUTLIERS)
    return;
  n = MIN (n + 1, REPORT_MOST_OUTLIERS);
  memmove (&outliers[place + 1], &outliers[place],
      (n - 1 - place) * sizeof outliers[0]);
  outliers[place] = (ReportOutlier) { path, value };
  set->n_outliers[kind] = n;
}

static void
keep (ReportImageSet * set, const ReportImage * image)
{
  ReportKeptImage kept = { image->path, image->brightness, 0, image->width, image->height };

  if (set->kept == NULL)
    return;
  for (guint c = 0; c < REPORT_CHANNELS; c++)
    kept.std += image->std[c] / REPORT_CHANNELS;
  g_array_append_val (set->kept, kept);
}

/* @image: path remains valid as long as the set */
void
report_image_set_add (ReportImageSet * set, const ReportImage * image)
{
  if (image->problem != NULL) {
    set->n_broken++;
    report_image_set_add_problem (set, "unreadable", image->path,
        image->problem);
    return;
  }
  set->n_images++;
  set->n_alpha += image->has_alpha ? 1 : 0;
  set->n_pixels += (guint64) image->width * image->height;
  count_text (set->formats, image->format);
  count_text (set->decoders, image->decoder);
  if (image->transfer != NULL)
    count_text (set->transfers, image->transfer);
  if (image->orientation != NULL && !g_str_equal (image->orientation, "rotate-0"))
    set->n_turned++;
  set->least_width = MIN (set->least_width, image->width);
  set->greatest_width = MAX (set->greatest_width, image->width);
  set->least_height = MIN (set->least_height, image->height);
  set->greatest_height = MAX (set->greatest_height, image->height);
  for (guint c = 0; c < REPORT_CHANNELS; c++) {
    const guint bits = g_bit_storage (image->n_bins[c] - 1);
    guint64 **counts = &set->counts[c][bits];

    if (*counts == NULL)
      *counts = g_new0 (guint64, image->n_bins[c]);
    for (guint i = 0; i < image->n_bins[c]; i++)
      (*counts)[i] += image->counts[c][i];
    set->sum.mean[c] += image->mean[c];
    set->sum.std[c] += image->std[c];
  }
  keep (set, image);
  rank (set, REPORT_DARKEST, image->path, image->brightness, FALSE);
  rank (set, REPORT_BRIGHTEST, image->path, image->brightness, TRUE);
  rank (set, REPORT_MOST_CLIPPED, image->path, image->clipped, TRUE);
  rank (set, REPORT_LEAST_SHARP, image->path, image->sharpness, FALSE);
}

/* The bin of a code in a histogram of the set. */
static guint
bin_of (guint code, guint bits)
{
  return bits >= 8 ? code >> (bits - 8) : code * (REPORT_CHANNEL_BINS - 1)
      / ((1u << bits) - 1);
}

static void
finish_channel (ReportImageSet * set, guint c)
{
  guint64 n = 0;
  gdouble sum = 0, squares = 0;

  for (guint bits = 1; bits <= REPORT_MOST_BITS; bits++) {
    const guint64 *counts = set->counts[c][bits];
    guint64 sum_of_codes = 0;

    for (guint v = 0; counts != NULL && v < 1u << bits; v++) {
      n += counts[v];
      sum_of_codes += counts[v] * v;
      set->histograms[c][bin_of (v, bits)] += counts[v];
    }
    sum += (gdouble) sum_of_codes / ((1u << bits) - 1);
  }
  set->pooled.mean[c] = sum / n;
  for (guint bits = 1; bits <= REPORT_MOST_BITS; bits++) {
    const guint64 *counts = set->counts[c][bits];

    for (guint v = 0; counts != NULL && v < 1u << bits; v++) {
      const gdouble distance = (gdouble) v / ((1u << bits) - 1)
          - set->pooled.mean[c];

      squares += counts[v] * (distance * distance);
    }
  }
  set->pooled.std[c] = sqrt (squares / n);
  set->per_image.mean[c] = set->sum.mean[c] / set->n_images;
  set->per_image.std[c] = set->sum.std[c] / set->n_images;
}

/* Computes what follows from all images; nothing if there is none. */
void
report_image_set_finish (ReportImageSet * set)
{
  for (guint c = 0; c < REPORT_CHANNELS && set->n_images > 0; c++)
    finish_channel (set, c);
}
