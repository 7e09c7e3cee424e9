/* Makes a page about a set of images: what lies far outside of the set, with pictures; histograms; mean and standard deviation.
 * html/images.js draws it.
 *
 * The pictures are decoded once more, in the end: which ones are shown is known only then.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "images/image-page.h"

#include <math.h>
#include <string.h>

#include "base/describe.h"
#include "base/interrupt.h"
#include "base/names.h"
#include "images/image-list.h"
#include "images/image-writer.h"
#include "summary/json.h"
#include "writers/html-template.h"

/* Columns and rows of a picture. */
#define MOST_PIXELS 200
/* So many images of a list are shown. */
#define MOST_UNLIKE 12
#define MOST_RANKED 5
#define MOST_PROBLEMS 20
/* Of fewer images nothing is said to be unlike the others. */
#define LEAST_IMAGES 10
/* Images are unlike the others beyond the quartiles by so many times the distance of both: the far-out values of J. W. Tukey,
 * Exploratory Data Analysis, 1977. */
#define FENCE 3
/* Classes of the distributions. */
#define N_CLASSES 64

/* ---- What is unlike the rest --------------------------------------------------------------------- */

static gdouble
brightness_of (const ReportKeptImage * image)
{
  return image->brightness;
}

static gdouble
std_of (const ReportKeptImage * image)
{
  return image->std;
}

/* In octaves. */
static gdouble
size_of (const ReportKeptImage * image)
{
  return log2 ((gdouble) image->width * image->height);
}

/* The figures by which images are unlike the others. The distance of the quartiles counts as at least @least: sets whose images
 * are nearly alike have no outliers by rounding. */
static const struct
{
  const gchar *key, *title, *brief;
  gdouble (*value) (const ReportKeptImage * image);
  gdouble least;
} kinds[] = {
  {"brightness", "Brightness unlike the others", "of unlike brightness", brightness_of, 0.02},
  {"contrast", "Contrast unlike the others", "of unlike contrast", std_of, 0.02},
  {"size", "Size unlike the others", "of unlike size", size_of, 1.0 / 3},
};

#define N_UNLIKE G_N_ELEMENTS (kinds)

typedef struct
{
  gdouble low, high;            /* the fences; infinite: nothing is beyond them */
  GArray *images;               /* (element-type ReportOutlier): beyond them, the farthest first; value: how far */
} Unlike;

static gint
compare_values (gconstpointer a, gconstpointer b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return x < y ? -1 : x > y;
}

/* Of images that are equally far the first one stands first. */
static gint
compare_outliers (gconstpointer a, gconstpointer b)
{
  const ReportOutlier *x = a, *y = b;

  return x->value > y->value ? -1 : x->value < y->value;
}

static void
find_unlike (const ReportImageSet * set, guint kind, Unlike * unlike)
{
  const guint n = set->kept->len;
  g_autofree gdouble *values = g_new (gdouble, n);
  gdouble first, third, distance;

  *unlike = (Unlike) { -INFINITY, INFINITY, g_array_new (FALSE, FALSE, sizeof (ReportOutlier)) };
  if (n < LEAST_IMAGES)
    return;
  for (guint i = 0; i < n; i++)
    values[i] = kinds[kind].value (&g_array_index (set->kept, ReportKeptImage, i));
  qsort (values, n, sizeof *values, compare_values);
  first = values[(n - 1) / 4];
  third = values[(n - 1) - (n - 1) / 4];
  distance = FENCE * MAX (third - first, kinds[kind].least);
  unlike->low = first - distance;
  unlike->high = third + distance;
  for (guint i = 0; i < n; i++) {
    const ReportKeptImage *image = &g_array_index (set->kept, ReportKeptImage, i);
    const gdouble value = kinds[kind].value (image);
    const ReportOutlier outlier = { image->path, MAX (unlike->low - value, value - unlike->high) };

    if (outlier.value > 0)
      g_array_append_val (unlike->images, outlier);
  }
  g_array_sort (unlike->images, compare_outliers);
}

/* ---- The images ---------------------------------------------------------------------------------- */

typedef struct
{
  const ReportImageSet *set;
  ReportImageDecoder *decoder;
  Unlike unlike[N_UNLIKE];
  GHashTable *images;           /* path → ReportKeptImage */
  ReportJson *json;
} Page;

/* Returns: (transfer full) (nullable): a picture of the image as JPEG in base64; NULL: it can no longer be read, or a signal has
 * come */
static gchar *
make_picture (const Page * page, const gchar * path)
{
  g_autofree guint8 *bytes = NULL;
  g_autofree gchar *problem = NULL;
  g_autoptr (ReportReduced) reduced = NULL;
  g_autoptr (GBytes) jpeg = NULL;
  const ReportImageFormat *format;
  gsize n;

  if (!report_thumbnails_are_built () || report_interrupt_signal () != 0)
    return NULL;
  problem = report_image_read_file (path, &bytes, &n);
  if (problem != NULL)
    return NULL;
  format = report_image_format_find (bytes, n);
  if (format != NULL)
    reduced = report_image_decoder_show (page->decoder, format, bytes, n, MOST_PIXELS);
  if (reduced == NULL)
    return NULL;
  jpeg = report_reduced_encode (reduced, 0);
  return g_base64_encode (g_bytes_get_data (jpeg, NULL), g_bytes_get_size (jpeg));
}

static void
add_image (Page * page, const gchar * path)
{
  const ReportKeptImage *image = g_hash_table_lookup (page->images, path);
  g_autofree gchar *name = report_name_for_people (path), *picture = make_picture (page, path);

  report_json_begin_object (page->json, NULL);
  report_json_add_text (page->json, "path", name);
  report_json_add_text (page->json, "picture", picture);
  report_json_add_double (page->json, "brightness", image->brightness);
  report_json_add_double (page->json, "contrast", image->std);
  report_json_add_int (page->json, "width", image->width);
  report_json_add_int (page->json, "height", image->height);
  report_json_end_object (page->json);
}

/* Adds a list of images of which the first are shown. */
static void
add_list (Page * page, const gchar * key, const gchar * title, const ReportOutlier * images, guint n, guint most)
{
  if (n == 0)
    return;
  report_json_begin_object (page->json, NULL);
  report_json_add_text (page->json, "key", key);
  report_json_add_text (page->json, "title", title);
  report_json_add_int (page->json, "count", n);
  report_json_begin_array (page->json, "images");
  for (guint i = 0; i < MIN (n, most); i++)
    add_image (page, images[i].path);
  report_json_end_array (page->json);
  report_json_end_object (page->json);
}

static void
add_lists (Page * page)
{
  static const gchar *const titles[REPORT_N_OUTLIERS] = {
    [REPORT_DARKEST] = "Darkest",
    [REPORT_BRIGHTEST] = "Brightest",
    [REPORT_MOST_CLIPPED] = "Most clipped",
    [REPORT_LEAST_SHARP] = "Least sharp",
  };
  const ReportImageSet *set = page->set;

  report_json_begin_array (page->json, "unlike");
  for (guint k = 0; k < N_UNLIKE; k++)
    add_list (page, kinds[k].key, kinds[k].title, (const ReportOutlier *) page->unlike[k].images->data,
        page->unlike[k].images->len, MOST_UNLIKE);
  report_json_end_array (page->json);
  report_json_begin_array (page->json, "ranked");
  /* Of one image nothing is the most. */
  for (guint k = 0; k < REPORT_N_OUTLIERS && set->n_images > 1; k++) {
    guint n = MIN (set->n_outliers[k], MOST_RANKED);

    while (k == REPORT_MOST_CLIPPED && n > 0 && set->outliers[k][n - 1].value == 0)
      n--;
    add_list (page, report_outlier_names[k], titles[k], set->outliers[k], n, MOST_RANKED);
  }
  report_json_end_array (page->json);
}

/* ---- Figures ------------------------------------------------------------------------------------- */

static void
add_histograms (ReportJson * json, const ReportImageSet * set)
{
  report_json_begin_array (json, "histograms");
  for (guint c = 0; c < REPORT_CHANNELS; c++) {
    report_json_begin_array (json, NULL);
    for (guint i = 0; i < REPORT_CHANNEL_BINS; i++)
      report_json_put_int (json, (gint64) set->histograms[c][i]);
    report_json_end_array (json);
  }
  report_json_end_array (json);
}

/* How many images have each value, from 0 to @most in N_CLASSES classes, and where the fences are. */
static void
add_distribution (Page * page, guint kind, gdouble most)
{
  guint classes[N_CLASSES] = { 0 };

  for (guint i = 0; i < page->set->kept->len; i++)
    classes[(guint) CLAMP (kinds[kind].value (&g_array_index (page->set->kept, ReportKeptImage, i)) / most * N_CLASSES, 0,
            N_CLASSES - 1)]++;
  report_json_begin_object (page->json, kinds[kind].key);
  report_json_add_double (page->json, "most", most);
  report_json_begin_array (page->json, "classes");
  for (guint i = 0; i < N_CLASSES; i++)
    report_json_put_int (page->json, classes[i]);
  report_json_end_array (page->json);
  report_json_begin_array (page->json, "fences");
  if (page->unlike[kind].low > 0)
    report_json_put_double (page->json, page->unlike[kind].low);
  if (page->unlike[kind].high < most)
    report_json_put_double (page->json, page->unlike[kind].high);
  report_json_end_array (page->json);
  report_json_end_object (page->json);
}

static void
add_problems (ReportJson * json, const ReportImageSet * set)
{
  report_json_begin_array (json, "problems");
  for (guint i = 0; i < MIN (set->problems->len, MOST_PROBLEMS); i++) {
    const ReportImageProblem *problem = set->problems->pdata[i];
    g_autofree gchar *name = problem->path != NULL ? report_name_for_people (problem->path) : NULL;
    g_autofree gchar *text = name != NULL ? g_strconcat (name, ": ", problem->text, NULL) : g_strdup (problem->text);

    report_json_put_text (json, text);
  }
  if (set->problems->len > MOST_PROBLEMS)
    report_json_put_text (json, "and more: --json-summary lists them");
  report_json_end_array (json);
}

/* ---- The page ------------------------------------------------------------------------------------ */

/* The verdict line: as of films, it begins with what is worst. */
static gchar *
make_line (const Page * page)
{
  const ReportImageSet *set = page->set;
  GString *line = g_string_new (NULL);
  const gchar *separator = "";

  if (!set->is_complete)
    g_string_append (line, "NOT COMPLETE  ");
  if (set->n_broken > 0) {
    g_string_append_printf (line, "%" G_GUINT64_FORMAT " image%s cannot be measured", set->n_broken, report_plural (set->n_broken));
    separator = " \302\267 ";
  } else if (!set->is_complete && set->problems->len > 0) {
    report_append_clean (line, ((const ReportImageProblem *) set->problems->pdata[0])->text);
    separator = " \302\267 ";
  }
  for (guint k = 0; k < N_UNLIKE; k++) {
    const guint n = page->unlike[k].images->len;

    if (n == 0)
      continue;
    if (line->len == 0)
      g_string_append (line, "LOOK AT  ");
    g_string_append_printf (line, "%s%u image%s %s", separator, n, report_plural (n), kinds[k].brief);
    separator = " \302\267 ";
  }
  if (line->len == 0)
    g_string_append (line, set->n_images >= LEAST_IMAGES ? "nothing found by: broken images, unlike brightness, contrast or size" :
        "nothing found by: broken images");
  return g_string_free (line, FALSE);
}

static gchar *
describe (Page * page)
{
  ReportJson *json = page->json = report_json_new (FALSE);

  report_json_begin_object (json, NULL);
  report_json_add_text (json, "generator", "cudahisto-report " PACKAGE_VERSION);
  report_json_add_int (json, "images", page->set->n_images);
  add_problems (json, page->set);
  add_lists (page);
  report_image_figures_add (json, "pooled", &page->set->pooled);
  report_image_figures_add (json, "perImage", &page->set->per_image);
  add_histograms (json, page->set);
  add_distribution (page, 0, 1);
  add_distribution (page, 1, 0.5);
  report_json_end_object (json);
  return report_template_json (json);
}

static gboolean
put_place (const gchar * place, gpointer data, GOutputStream * to, GError ** error)
{
  Page *page = data;
  g_autofree gchar *text = NULL;

  if (g_str_equal (place, "description")) {
    text = describe (page);
    return report_template_put (to, text, error);
  }
  text = g_str_equal (place, "line") ? make_line (page) : g_str_equal (place, "text") ? report_image_set_tell (page->set) :
      g_strdup (page->set->name);
  return report_template_put_escaped (to, text, error);
}

/**
 * report_image_page_write:
 * @set: finished, with at least one image; all were kept
 * @decoder: makes the pictures
 *
 * Returns: FALSE with an error if the page could not be written
 */
gboolean
report_image_page_write (const ReportImageSet * set, ReportImageDecoder * decoder, GOutputStream * to, GError ** error)
{
  Page page = { .set = set, .decoder = decoder, .images = g_hash_table_new (g_str_hash, g_str_equal) };
  gboolean ok;

  for (guint i = 0; i < set->kept->len; i++) {
    ReportKeptImage *image = &g_array_index (set->kept, ReportKeptImage, i);

    g_hash_table_insert (page.images, (gpointer) image->path, image);
  }
  for (guint k = 0; k < N_UNLIKE; k++)
    find_unlike (set, k, &page.unlike[k]);
  ok = report_template_write ("images.html", put_place, &page, to, error);
  for (guint k = 0; k < N_UNLIKE; k++)
    g_array_unref (page.unlike[k].images);
  g_hash_table_unref (page.images);
  return ok;
}
