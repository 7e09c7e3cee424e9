/* How samples are sorted into bins: from the settings to bins and their edges.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/binning.h"

#include <gst/gst.h>
#include <math.h>
#include <string.h>

#include "cudahisto/inner.h"

/* Beyond this, neighbouring integers of a double differ by more than one. */
#define EXACT_INTEGERS 9007199254740992.0       /* 2^53 */

gboolean
histo_bin_settings_valid (const HistoBinSettings * settings)
{
  gdouble width = settings->range_max - settings->range_min;

  if (settings->bins > HISTO_MAX_BINS)
    return FALSE;
  if (settings->range_min == 0 && settings->range_max == 0)
    return TRUE;
  return isfinite (settings->range_min) && isfinite (settings->range_max)
      && isfinite (width) && width > 0;
}

/* ---- The edges of the settings --------------------------------------------------------------- */

/* Bytes of a wrong number that the error shows. */
#define MOST_SHOWN 40

/* Reads the next number. g_ascii_strtod() also takes hexadecimal numbers, and words for what is no number.
 *
 * @text: (inout): moved behind the number, and behind the spaces around it */
static gboolean
read_edge (const gchar ** text, gdouble * edge)
{
  const gchar *begin = *text + strspn (*text, " \t\n\r");
  gchar *end;

  if (strspn (begin, "+-.0123456789") == 0 || begin[strspn (begin, "+-0")] == 'x'
      || begin[strspn (begin, "+-0")] == 'X')
    return FALSE;
  *edge = g_ascii_strtod (begin, &end) + 0.0;   /* no -0 */
  if (end == begin || !isfinite (*edge))
    return FALSE;
  *text = end + strspn (end, " \t\n\r");
  return TRUE;
}

/* The text from @begin to the next comma, short enough for an error. */
static gchar *
show_edge (const gchar * begin)
{
  const gsize n = strcspn (begin, ",");
  g_autofree gchar *text = g_strndup (begin, MIN (n, MOST_SHOWN));
  g_autofree gchar *valid = g_utf8_make_valid (g_strstrip (text), -1);

  return g_strconcat ("\"", valid, n > MOST_SHOWN ? "\342\200\246" : "", "\"", NULL);
}

/**
 * histo_bin_edges_parse:
 * @text: (nullable): ascending numbers, separated by commas; %NULL or empty: none
 * @edges: (out) (transfer full) (nullable): 2 to %HISTO_MAX_EDGES numbers: ascending, finite gdoubles
 *
 * Numbers have a decimal point in every locale.
 *
 * Returns: %FALSE with a %GST_LIBRARY_ERROR_SETTINGS if the text has no edges
 */
gboolean
histo_bin_edges_parse (const gchar * text, GBytes ** edges, GError ** error)
{
  g_autoptr (GArray) numbers = NULL;
  gdouble last = -INFINITY;

  *edges = NULL;
  if (text == NULL || *text == '\0')
    return TRUE;
  numbers = g_array_new (FALSE, FALSE, sizeof (gdouble));
  for (const gchar * at = text;; at++) {
    const gchar *begin = at;
    gdouble edge;

    if (!read_edge (&at, &edge) || (*at != ',' && *at != '\0')) {
      g_autofree gchar *shown = show_edge (begin);

      g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
          "edge %u, %s, is no finite decimal number", numbers->len + 1, shown);
      return FALSE;
    }
    if (edge <= last) {
      g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
          "edge %u, %.17g, is not above edge %u, %.17g", numbers->len + 1, edge, numbers->len, last);
      return FALSE;
    }
    if (numbers->len == HISTO_MAX_EDGES) {
      g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "there are more than %u edges",
          HISTO_MAX_EDGES);
      return FALSE;
    }
    g_array_append_val (numbers, edge);
    last = edge;
    if (*at == '\0')
      break;
  }
  if (numbers->len < 2) {
    g_set_error_literal (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "there is one edge; a bin has two");
    return FALSE;
  }
  *edges = g_bytes_new (numbers->data, numbers->len * sizeof (gdouble));
  return TRUE;
}

/* ---- Bins ------------------------------------------------------------------------------------ */

/* The range of the format itself. */
static void
own_range (const HistoFormat * format, guint n_values, gdouble * min,
    gdouble * max)
{
  const guint depth = format->sample.depth;

  if (!format->is_audio) {
    *min = 0;
    *max = n_values;
  } else if (format->sample.kind == HISTO_AUDIO_UNSIGNED) {
    *min = 0;
    *max = ldexp (1, depth);
  } else if (format->sample.kind == HISTO_AUDIO_SIGNED) {
    *min = -ldexp (1, depth - 1);
    *max = ldexp (1, depth - 1);
  } else {
    *min = -1;
    *max = 1;
  }
}

/* Chooses the exact shortcut where the width of the bins is a power of two and range_min a
 * multiple of it. */
static void
choose_kind (HistoBinning * binning, gboolean is_float)
{
  gdouble width = (binning->range_max - binning->range_min) / binning->n_bins;
  gint exponent;
  gdouble on_grid;

  binning->kind = HISTO_BINNING_EDGES;
  if (frexp (width, &exponent) != 0.5
      || width * binning->n_bins != binning->range_max - binning->range_min)
    return;
  exponent--;                   /* width == 2^exponent */
  on_grid = binning->range_min / width;
  if (on_grid != floor (on_grid))
    return;

  if (is_float) {
    /* A factor below one could round the smallest values to zero. A device converts to
     * 32-bit integers and saturates at 2^31: no bin may lie there. */
    if (exponent > 0 || exponent < -1000 || fabs (on_grid) > (1 << 30))
      return;
    binning->kind = HISTO_BINNING_SCALE;
    binning->offset = (gint64) on_grid;
  } else {
    if (exponent < 0 || exponent > 32
        || fabs (binning->range_min) > EXACT_INTEGERS)
      return;
    binning->kind = HISTO_BINNING_SHIFT;
    binning->offset = (gint64) binning->range_min;
    binning->shift = exponent;
  }
}

/**
 * histo_binning_init:
 * @binning: (out): all but the address of the edges
 * @n_values: video: the component's values are 0 .. @n_values - 1; ignored for audio, all
 * channels of which have the same bins
 * @settings: valid ones
 *
 * Returns: (transfer full): n_bins + 1 edges, edges[i] = range_min + i * w rounded
 * to a double, to be freed with g_free()
 */
gdouble *
histo_binning_init (HistoBinning * binning, const HistoFormat * format,
    guint n_values, const HistoBinSettings * settings)
{
  gboolean is_float = format->is_audio
      && format->sample.kind == HISTO_AUDIO_FLOAT;
  gdouble *edges;

  memset (binning, 0, sizeof *binning);
  if (settings->bins > 0)
    binning->n_bins = settings->bins;
  else
    binning->n_bins = format->is_audio ? HISTO_DEFAULT_AUDIO_BINS :
        n_values;

  binning->range_min = settings->range_min;
  binning->range_max = settings->range_max;
  if (binning->range_min == 0 && binning->range_max == 0)
    own_range (format, n_values, &binning->range_min, &binning->range_max);
  binning->scale =
      binning->n_bins / (binning->range_max - binning->range_min);
  choose_kind (binning, is_float);

  edges = g_new (gdouble, binning->n_bins + 1);
  histo_equal_edges (binning->range_min, binning->range_max, binning->n_bins, edges);
  return edges;
}

/**
 * histo_binning_init_edges:
 * @binning: (out): all but the address of the edges
 * @edges: of histo_bin_edges_parse()
 *
 * Returns: (transfer full): the n_bins + 1 edges, to be freed with g_free()
 */
gdouble *
histo_binning_init_edges (HistoBinning * binning, GBytes * edges)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (edges, &size);
  gdouble *copy = g_memdup2 (data, size);

  memset (binning, 0, sizeof *binning);
  binning->kind = HISTO_BINNING_SEARCH;
  binning->n_bins = size / sizeof *copy - 1;
  binning->range_min = copy[0];
  binning->range_max = copy[binning->n_bins];
  return copy;
}

/* Returns: the bin of an integer sample, or HISTO_BIN_UNDERFLOW or _OVERFLOW. */
guint32
histo_binning_find_integer (const HistoBinning * binning,
    const gdouble * edges, gint64 value)
{
  if (value < binning->range_min)
    return HISTO_BIN_UNDERFLOW;
  if (value >= binning->range_max)
    return HISTO_BIN_OVERFLOW;
  if (binning->kind == HISTO_BINNING_SHIFT)
    return (guint32) ((value - binning->offset) >> binning->shift);
  if (binning->kind == HISTO_BINNING_SEARCH)
    return histo_bin_by_search (edges, binning->n_bins, (gdouble) value);
  return histo_bin_by_edges (binning, edges, (gdouble) value);
}

static void
find_native_bins (HistoBins * bins, guint n_values)
{
  bins->native_bin = g_new (guint32, n_values);
  for (guint value = 0; value < n_values; value++)
    bins->native_bin[value] =
        histo_binning_find_integer (&bins->binning, bins->edges, value);
}

/**
 * histo_bins_init:
 * @bins: (out): to be cleared with histo_bins_clear()
 * @n_values: as for histo_binning_init()
 * @settings: valid ones
 */
void
histo_bins_init (HistoBins * bins, const HistoFormat * format,
    guint n_values, const HistoBinSettings * settings)
{
  bins->edges =
      histo_binning_init (&bins->binning, format, n_values, settings);
  bins->native_bin = NULL;
  bins->given_edges = NULL;
  if (format->is_audio)
    return;

  if (bins->binning.n_bins == n_values && bins->binning.range_min == 0
      && bins->binning.range_max == n_values)
    return;
  find_native_bins (bins, n_values);
}

/**
 * histo_bins_init_edges:
 * @bins: (out): as of histo_bins_init()
 * @edges: of histo_bin_edges_parse()
 */
void
histo_bins_init_edges (HistoBins * bins, const HistoFormat * format,
    guint n_values, GBytes * edges)
{
  const gsize size = g_bytes_get_size (edges);
  guint64 *words = g_memdup2 (g_bytes_get_data (edges, NULL), size);

  for (gsize i = 0; i < size / sizeof *words; i++)
    words[i] = GUINT64_TO_LE (words[i]);
  bins->given_edges = g_bytes_new_take (words, size);
  bins->edges = histo_binning_init_edges (&bins->binning, edges);
  bins->native_bin = NULL;
  if (!format->is_audio)
    find_native_bins (bins, n_values);
}

void
histo_bins_clear (HistoBins * bins)
{
  g_clear_pointer (&bins->edges, g_free);
  g_clear_pointer (&bins->given_edges, g_bytes_unref);
  g_clear_pointer (&bins->native_bin, g_free);
}
