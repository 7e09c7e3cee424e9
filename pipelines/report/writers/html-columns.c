/* Columns of figures and histograms; see html-columns.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writers/html-columns.h"

#include <math.h>
#include <string.h>

/* ---- Figures -------------------------------------------------------------------------- */

/* What the results give so far in the column that is not complete. */
typedef struct
{
  gdouble value;                /* sum, least or greatest */
  guint n;                      /* results that have the figure */
} Pending;

struct _ReportColumns
{
  guint most;                   /* columns, even */
  guint step;                   /* results of a column: a power of 2 */
  guint n_pending;              /* results of the column that is not complete */
  guint64 pending_time;
  GArray *series;               /* (element-type ReportSeries) */
  GArray *pending;              /* (element-type Pending), one for each series */
  GPtrArray *codes;             /* (element-type GArray of guint32), one for each series */
  GArray *times;                /* (element-type guint64): of the begins of the columns, µs */
};

/**
 * report_columns_new:
 * @most: columns that are kept; at least 2
 *
 * Returns: (transfer full): columns without series
 */
ReportColumns *
report_columns_new (guint most)
{
  ReportColumns *columns = g_new0 (ReportColumns, 1);

  columns->most = most & ~1u;
  columns->step = 1;
  columns->series = g_array_new (FALSE, FALSE, sizeof (ReportSeries));
  columns->pending = g_array_new (FALSE, TRUE, sizeof (Pending));
  columns->codes =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  columns->times = g_array_new (FALSE, FALSE, sizeof (guint64));
  return columns;
}

void
report_columns_free (ReportColumns * columns)
{
  for (guint i = 0; i < columns->series->len; i++) {
    ReportSeries *series = &g_array_index (columns->series, ReportSeries, i);

    g_free (series->key);
    g_free (series->label);
  }
  g_array_unref (columns->series);
  g_array_unref (columns->pending);
  g_ptr_array_unref (columns->codes);
  g_array_unref (columns->times);
  g_free (columns);
}

/* Adds a series, before the first column. @chart and @unit: static */
void
report_columns_add_series (ReportColumns * columns, const gchar * chart,
    const gchar * key, const gchar * label, const gchar * unit, guint digits,
    gdouble least, ReportKeep keep)
{
  const ReportSeries series = { chart, g_strdup (key), g_strdup (label), unit,
    digits, least, keep
  };

  g_array_append_val (columns->series, series);
  g_array_set_size (columns->pending, columns->series->len);
  g_ptr_array_add (columns->codes,
      g_array_new (FALSE, FALSE, sizeof (guint32)));
}

static guint32
code_of (const ReportSeries * series, gdouble value)
{
  const gdouble code =
      rint ((value - series->least) * pow (10, series->digits));

  return (guint32) CLAMP (code, 0, (gdouble) (REPORT_CODE_NONE - 1));
}

/* Merges the codes of two neighbouring columns. */
static guint32
merge_codes (ReportKeep keep, guint32 a, guint32 b)
{
  if (a == REPORT_CODE_NONE || b == REPORT_CODE_NONE)
    return MIN (a, b);
  switch (keep) {
    case REPORT_KEEP_LEAST:
      return MIN (a, b);
    case REPORT_KEEP_GREATEST:
      return MAX (a, b);
    default:
      return (guint32) (((guint64) a + b + 1) / 2);
  }
}

/* Merges the columns in pairs. */
static void
halve_columns (ReportColumns * columns)
{
  const guint half = columns->times->len / 2;
  guint64 *times = (guint64 *) columns->times->data;

  for (guint c = 0; c < half; c++)
    times[c] = times[2 * c];
  g_array_set_size (columns->times, half);
  for (guint i = 0; i < columns->codes->len; i++) {
    GArray *array = g_ptr_array_index (columns->codes, i);
    guint32 *codes = (guint32 *) array->data;
    const ReportKeep keep =
        g_array_index (columns->series, ReportSeries, i).keep;

    for (guint c = 0; c < half; c++)
      codes[c] = merge_codes (keep, codes[2 * c], codes[2 * c + 1]);
    g_array_set_size (array, half);
  }
  columns->step *= 2;
}

/* The column that was pending is complete. */
static void
push_column (ReportColumns * columns)
{
  g_array_append_val (columns->times, columns->pending_time);
  for (guint i = 0; i < columns->series->len; i++) {
    const ReportSeries *series =
        &g_array_index (columns->series, ReportSeries, i);
    Pending *pending = &g_array_index (columns->pending, Pending, i);
    guint32 code = REPORT_CODE_NONE;

    if (pending->n > 0) {
      if (series->keep == REPORT_KEEP_MEAN)
        pending->value /= pending->n;
      /* The mean of both infinities is NaN. */
      if (!isnan (pending->value))
        code = code_of (series, pending->value);
    }
    g_array_append_val ((GArray *) g_ptr_array_index (columns->codes, i), code);
    pending->n = 0;
  }
  columns->n_pending = 0;
}

static void
add_value (Pending * pending, ReportKeep keep, gdouble value)
{
  if (isnan (value))
    return;
  if (pending->n++ == 0)
    pending->value = value;
  else if (keep == REPORT_KEEP_MEAN)
    pending->value += value;
  else if (keep == REPORT_KEEP_LEAST)
    pending->value = MIN (pending->value, value);
  else
    pending->value = MAX (pending->value, value);
}

/**
 * report_columns_add:
 * @microseconds: when the result begins
 * @values: one for each series; NaN: missing
 *
 * Adds a result.
 */
void
report_columns_add (ReportColumns * columns, guint64 microseconds,
    const gdouble * values)
{
  if (columns->n_pending == 0) {
    if (columns->times->len == columns->most)
      halve_columns (columns);
    columns->pending_time = microseconds;
  }
  for (guint i = 0; i < columns->series->len; i++)
    add_value (&g_array_index (columns->pending, Pending, i),
        g_array_index (columns->series, ReportSeries, i).keep, values[i]);
  if (++columns->n_pending == columns->step)
    push_column (columns);
}

/* Completes the last column. */
void
report_columns_finish (ReportColumns * columns)
{
  if (columns->n_pending > 0)
    push_column (columns);
}

guint
report_columns_get_length (const ReportColumns * columns)
{
  return columns->times->len;
}

/* Returns: how many results a column has; the last one may have less */
guint
report_columns_get_step (const ReportColumns * columns)
{
  return columns->step;
}

guint
report_columns_get_n_series (const ReportColumns * columns)
{
  return columns->series->len;
}

const ReportSeries *
report_columns_get_series (const ReportColumns * columns, guint i)
{
  return &g_array_index (columns->series, ReportSeries, i);
}

/* Returns: (transfer none): one for each column; REPORT_CODE_NONE: missing */
const guint32 *
report_columns_get_codes (const ReportColumns * columns, guint i)
{
  return (const guint32 *) ((GArray *) g_ptr_array_index (columns->codes,
          i))->data;
}

/* Returns: (transfer none): when each column begins, in µs */
const guint64 *
report_columns_get_times (const ReportColumns * columns)
{
  return (const guint64 *) columns->times->data;
}

/* ---- Histograms ------------------------------------------------------------------------ */

/* More bins are merged from the begin. */
#define MOST_BINS 256
/* Bins are not merged any more; instead, columns are. */
#define LEAST_BINS 64

struct _ReportHeat
{
  guint n_bins, most_cells;
  guint step, n_pending;        /* as of ReportColumns */
  gdouble *pending;             /* n_bins: sums of shares */
  /* (element-type gfloat): column by column the share of the samples in each bin */
  GArray *shares;
};

/**
 * report_heat_new:
 * @n_bins: bins of the histograms; at least 1
 * @most_cells: bins of all columns together that are kept
 *
 * Returns: (transfer full): a heat map without columns
 */
ReportHeat *
report_heat_new (guint n_bins, guint most_cells)
{
  ReportHeat *heat = g_new0 (ReportHeat, 1);

  heat->n_bins = MIN (n_bins, MOST_BINS);
  heat->most_cells = MAX (most_cells, 2 * MOST_BINS);
  heat->step = 1;
  heat->pending = g_new0 (gdouble, heat->n_bins);
  heat->shares = g_array_new (FALSE, FALSE, sizeof (gfloat));
  return heat;
}

void
report_heat_free (ReportHeat * heat)
{
  g_free (heat->pending);
  g_array_unref (heat->shares);
  g_free (heat);
}

guint
report_heat_get_bins (const ReportHeat * heat)
{
  return heat->n_bins;
}

guint
report_heat_get_length (const ReportHeat * heat)
{
  return heat->shares->len / heat->n_bins;
}

/* Returns: how many results a column has; the last one may have less */
guint
report_heat_get_step (const ReportHeat * heat)
{
  return heat->step;
}

/* Merges the bins in pairs. Their number is even. */
static void
halve_bins (ReportHeat * heat)
{
  gfloat *shares = (gfloat *) heat->shares->data;
  const guint n = heat->shares->len / 2;

  for (guint i = 0; i < n; i++)
    shares[i] = shares[2 * i] + shares[2 * i + 1];
  g_array_set_size (heat->shares, n);
  heat->n_bins /= 2;
}

/* Merges the columns in pairs. */
static void
halve_heat (ReportHeat * heat)
{
  gfloat *shares = (gfloat *) heat->shares->data;
  const guint n = heat->n_bins, length = report_heat_get_length (heat) / 2;

  for (guint c = 0; c < length; c++) {
    for (guint b = 0; b < n; b++)
      shares[c * n + b] =
          (shares[2 * c * n + b] + shares[(2 * c + 1) * n + b]) / 2;
  }
  g_array_set_size (heat->shares, length * n);
  heat->step *= 2;
}

static void
push_shares (ReportHeat * heat)
{
  for (guint b = 0; b < heat->n_bins; b++) {
    const gfloat share = heat->pending[b] / heat->n_pending;

    g_array_append_val (heat->shares, share);
    heat->pending[b] = 0;
  }
  heat->n_pending = 0;
}

/* There is no column that is not complete. Makes room for the next one. */
static void
make_room (ReportHeat * heat)
{
  if (heat->shares->len + heat->n_bins <= heat->most_cells)
    return;
  if (heat->n_bins > LEAST_BINS && heat->n_bins % 2 == 0) {
    halve_bins (heat);
  } else {
    /* A column that has no partner waits for the results that come. */
    const guint length = report_heat_get_length (heat);
    const gfloat *last =
        &g_array_index (heat->shares, gfloat, (length - 1) * heat->n_bins);

    if (length % 2 == 1) {
      for (guint b = 0; b < heat->n_bins; b++)
        heat->pending[b] = (gdouble) last[b] * heat->step;
      heat->n_pending = heat->step;
    }
    halve_heat (heat);
  }
}

/**
 * report_heat_add:
 * @counts: the histogram of a result
 * @n_counts: its bins: the first and the last one stand for the same values as those of the others
 */
void
report_heat_add (ReportHeat * heat, const guint64 * counts, guint n_counts)
{
  gdouble total = 0;

  if (heat->n_pending == 0)
    make_room (heat);
  for (guint i = 0; i < n_counts; i++)
    total += counts[i];
  for (guint i = 0; i < n_counts && total > 0; i++)
    heat->pending[(guint64) i * heat->n_bins / n_counts] += counts[i] / total;
  if (++heat->n_pending == heat->step)
    push_shares (heat);
}

/* Completes the last column. */
void
report_heat_finish (ReportHeat * heat)
{
  if (heat->n_pending > 0)
    push_shares (heat);
}

/**
 * report_heat_shrink:
 *
 * Halves what report_heat_finish() has completed: the bins, or the columns.
 *
 * Returns: FALSE if nothing is left to be halved
 */
gboolean
report_heat_shrink (ReportHeat * heat)
{
  if (heat->n_bins > LEAST_BINS && heat->n_bins % 2 == 0) {
    halve_bins (heat);
  } else if (report_heat_get_length (heat) > 1) {
    const guint length = report_heat_get_length (heat);

    /* Two columns of the last one make one of the last one. */
    if (length % 2 == 1) {
      g_array_set_size (heat->shares, (length + 1) * heat->n_bins);
      memcpy (&g_array_index (heat->shares, gfloat, length * heat->n_bins),
          &g_array_index (heat->shares, gfloat, (length - 1) * heat->n_bins),
          heat->n_bins * sizeof (gfloat));
    }
    halve_heat (heat);
  } else {
    return FALSE;
  }
  return TRUE;
}

/**
 * report_heat_get_cells:
 *
 * Returns: (transfer full): bin by bin the code of each column: round (255 √share), but at least 1
 * if there is a sample. The page shows code² / 255².
 */
GByteArray *
report_heat_get_cells (const ReportHeat * heat)
{
  const guint n = heat->n_bins, length = report_heat_get_length (heat);
  const gfloat *shares = (const gfloat *) heat->shares->data;
  GByteArray *cells = g_byte_array_sized_new (n * length);

  g_byte_array_set_size (cells, n * length);
  for (guint c = 0; c < length; c++) {
    for (guint b = 0; b < n; b++) {
      const gfloat share = shares[c * n + b];

      cells->data[b * length + c] =
          share > 0 ? MAX (1, (guint) rintf (255 * sqrtf (share))) : 0;
    }
  }
  return cells;
}
