/* Columns of the page: figures and histograms over time, in whole numbers, in bounded memory.
 *
 * Each result is a column at first. When the columns are too many, neighbouring ones are merged,
 * so that a stream of any length fits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_HTML_COLUMNS_H
#define REPORT_HTML_COLUMNS_H

#include <glib.h>

G_BEGIN_DECLS

/* ---- Figures -------------------------------------------------------------------------- */

/* What merged columns keep. */
typedef enum
{
  REPORT_KEEP_MEAN,
  REPORT_KEEP_LEAST,
  REPORT_KEEP_GREATEST
} ReportKeep;

/* A figure over time. */
typedef struct
{
  const gchar *chart;           /* the chart that shows it */
  gchar *key, *label;           /* owned */
  const gchar *unit;
  /* The page shows so many decimals, and they are exact: the code of a value is
   * round ((value - least) · 10^digits). Values below least have the code 0. */
  guint digits;
  gdouble least;
  ReportKeep keep;
} ReportSeries;

/* The code of a missing value. */
#define REPORT_CODE_NONE G_MAXUINT32

typedef struct _ReportColumns ReportColumns;

ReportColumns *report_columns_new (guint most);
void report_columns_free (ReportColumns * columns);
void report_columns_add_series (ReportColumns * columns, const gchar * chart,
    const gchar * key, const gchar * label, const gchar * unit, guint digits,
    gdouble least, ReportKeep keep);
void report_columns_add (ReportColumns * columns, guint64 microseconds,
    const gdouble * values);
void report_columns_finish (ReportColumns * columns);

guint report_columns_get_length (const ReportColumns * columns);
guint report_columns_get_step (const ReportColumns * columns);
guint report_columns_get_n_series (const ReportColumns * columns);
const ReportSeries *report_columns_get_series (const ReportColumns * columns,
    guint i);
const guint32 *report_columns_get_codes (const ReportColumns * columns,
    guint i);
const guint64 *report_columns_get_times (const ReportColumns * columns);

/* ---- Histograms ------------------------------------------------------------------------ */

typedef struct _ReportHeat ReportHeat;

ReportHeat *report_heat_new (guint n_bins, guint most_cells);
void report_heat_free (ReportHeat * heat);
void report_heat_add (ReportHeat * heat, const guint64 * counts,
    guint n_counts);
void report_heat_finish (ReportHeat * heat);
gboolean report_heat_shrink (ReportHeat * heat);

guint report_heat_get_bins (const ReportHeat * heat);
guint report_heat_get_length (const ReportHeat * heat);
guint report_heat_get_step (const ReportHeat * heat);
GByteArray *report_heat_get_cells (const ReportHeat * heat);

G_END_DECLS

#endif /* REPORT_HTML_COLUMNS_H */
