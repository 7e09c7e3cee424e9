/* Figures over days; see history.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "live/history.h"

#include <math.h>

#define INFO(identifier, name, unit, words) {name, unit, words},
const ReportLiveFigureInfo report_live_figures[REPORT_N_LIVE_FIGURES] = {
  REPORT_LIVE_FIGURES (INFO)
};
#undef INFO

const struct _ReportRowLengthInfo report_row_lengths[REPORT_N_ROW_LENGTHS] = {
  [REPORT_ROWS_OF_SECONDS] = {"seconds", 1, 600},
  [REPORT_ROWS_OF_MINUTES] = {"minutes", 60, 1440},
  [REPORT_ROWS_OF_HOURS] = {"hours", 3600, 90 * 24},
};

/* The last row goes on. The ring begins at first once it is full. */
typedef struct
{
  ReportLiveRow *rows;
  guint first, n;
} Ring;

struct _ReportHistory
{
  Ring rings[REPORT_N_ROW_LENGTHS];
};

ReportHistory *
report_history_new (void)
{
  ReportHistory *history = g_new0 (ReportHistory, 1);

  for (guint i = 0; i < REPORT_N_ROW_LENGTHS; i++)
    history->rings[i].rows = g_new0 (ReportLiveRow, report_row_lengths[i].most);
  return history;
}

void
report_history_free (ReportHistory * history)
{
  for (guint i = 0; i < REPORT_N_ROW_LENGTHS; i++)
    g_free (history->rings[i].rows);
  g_free (history);
}

static ReportLiveRow *
row_at (const Ring * ring, guint i, guint most)
{
  return &ring->rows[(ring->first + i) % most];
}

/* Returns: the row that a time belongs to; of a time that is earlier than the latest row, this one: a clock was set back */
static ReportLiveRow *
find_row (Ring * ring, gint64 time, guint most)
{
  ReportLiveRow *row = ring->n > 0 ? row_at (ring, ring->n - 1, most) : NULL;

  if (row != NULL && time <= row->time)
    return row;
  if (ring->n < most)
    ring->n++;
  else
    ring->first = (ring->first + 1) % most;
  row = row_at (ring, ring->n - 1, most);
  *row = (ReportLiveRow) {.time = time };
  return row;
}

/**
 * report_history_add:
 * @time: in µs since 1970
 * @value: NaN: there is none
 */
void
report_history_add (ReportHistory * history, gint64 time, ReportLiveFigure figure, gdouble value)
{
  if (isnan (value))
    return;
  for (guint i = 0; i < REPORT_N_ROW_LENGTHS; i++) {
    const gint64 seconds = report_row_lengths[i].seconds, second = time / G_USEC_PER_SEC;
    ReportLiveRange *range = &find_row (&history->rings[i], second - second % seconds, report_row_lengths[i].most)->figures[figure];

    range->least = range->n > 0 ? fminf (range->least, (gfloat) value) : (gfloat) value;
    range->most = range->n > 0 ? fmaxf (range->most, (gfloat) value) : (gfloat) value;
    range->sum += value;
    range->n++;
  }
}

/**
 * report_history_list:
 * @after: only rows that begin after this, in seconds since 1970
 *
 * Returns: (transfer full) (element-type ReportLiveRow): the oldest one first; without the row that goes on, but for hours, of which it
 *   would be missed for long
 */
GArray *
report_history_list (const ReportHistory * history, ReportRowLength length, gint64 after)
{
  const Ring *ring = &history->rings[length];
  const guint most = report_row_lengths[length].most;
  const guint n = length == REPORT_ROWS_OF_HOURS ? ring->n : MAX (ring->n, 1) - 1;
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (ReportLiveRow));
  guint first = n;

  while (first > 0 && row_at (ring, first - 1, most)->time > after)
    first--;
  for (guint i = first; i < n; i++)
    g_array_append_vals (rows, row_at (ring, i, most), 1);
  return rows;
}
