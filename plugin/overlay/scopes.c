/* What the panels of the waveform and of the vectorscope share; see scopes.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/scopes.h"

#include <math.h>

/* ---- Whether there is something to show --------------------------------------------- */

/* Returns: (nullable): the joint component, which has a histogram of HISTO_SCOPE_BINS counts */
const HistoComponentResult *
histo_scope_find (const HistoResult * result, HistoJoint joint)
{
  const HistoComponentResult *component = histo_result_find_component (result,
      0, HISTO_GROUP_SCOPES, histo_joints[joint].name);

  if (component == NULL || component->histogram == NULL
      || component->columns != HISTO_SCOPE_SIZE
      || component->rows != HISTO_SCOPE_SIZE
      || component->figures.bins != HISTO_SCOPE_BINS)
    return NULL;
  return component;
}

/* A panel of the default flags is not shown if it is not measured. A panel that was chosen says what it lacks. */
gboolean
histo_scope_is_shown (const HistoScene * scene, HistoShow flag,
    HistoJoint joint)
{
  const guint show = scene->settings->show;

  if (scene->result == NULL || !(show & flag))
    return FALSE;
  return show != HISTO_SHOW_ALL || histo_scope_find (scene->result, joint) != NULL;
}

static gboolean
has_native (const HistoResult * result, const gchar * name)
{
  return histo_result_find_component (result, 0, HISTO_GROUP_BASIC, name)
      != NULL;
}

void
histo_scope_note (const HistoResult * result, HistoJoint joint,
    HistoScopeNote note)
{
  const guint format = has_native (result, "U") ? HISTO_HAS_YUV :
      has_native (result, "R") ? HISTO_HAS_RGB : HISTO_HAS_GRAY;
  const HistoJointInfo *info = &histo_joints[joint];
  const gboolean needs_color = !(info->formats & format);
  const gchar *text = "";

  if (histo_scope_find (result, joint) != NULL)
    text = "";
  else if (!((info->formats | info->formats_with_color) & format))
    text = joint == HISTO_JOINT_VECTORSCOPE ? "gray: no chroma" :
        "gray: no R, G, B";
  else if (histo_result_find_component (result, 0, HISTO_GROUP_SCOPES,
          info->name) != NULL)
    text = "needs histogram=true";
  else
    text = needs_color ? "needs measures=scopes+color" :
        "needs measures=scopes";
  g_strlcpy (note, text, sizeof (HistoScopeNote));
}

/* In the middle of the panel, in one line. */
void
histo_scope_draw_note (HistoCanvas * canvas, const HistoScopeNote note)
{
  gdouble font = histo_font_size (canvas->size.height);
  const gdouble width = histo_text_width (canvas->style, font, note);
  const gdouble room = canvas->size.width * 0.94;

  if (note[0] == '\0')
    return;
  if (width > room)
    font *= room / width;
  histo_canvas_set_color (canvas, canvas->style->color, 1);
  histo_canvas_text (canvas, font, canvas->size.width / 2.0,
      canvas->size.height / 2.0 + font * 0.36, HISTO_ALIGN_CENTER, note);
}

/* ---- Traces -------------------------------------------------------------------------- */

/* The brightness of a cell follows from r, its count divided by the mean count of the cells that are not empty. So it
 * does not depend on the size of the picture, and does not change from one frame to an equal one. It does not end
 * at the mean count. With min (1, r), small highlights would be too dark, and the structure of large areas would be flat.
 *
 *   linear       r / (r + HALF)
 *   logarithmic  from 0 to 1 between DECADES_BELOW and DECADES_ABOVE the mean count
 *
 * The alpha of the trace goes from LEAST_ALPHA, for one pixel may be what the viewer looks for, to 1. */
#define HALF 0.4
#define DECADES_BELOW 3
#define DECADES_ABOVE 1
#define LEAST_ALPHA 0.3
/* Steps of the tables of alphas, by r / (1 + r), which is below 1. */
#define N_STEPS 4096

static void
fill_table (guint8 * table, gboolean is_logarithmic)
{
  for (guint i = 0; i < N_STEPS; i++) {
    const gdouble share = (i + 0.5) / N_STEPS, r = share / (1 - share);
    const gdouble brightness = is_logarithmic ?
        CLAMP ((log10 (r) + DECADES_BELOW) / (DECADES_BELOW + DECADES_ABOVE), 0, 1) : r / (r + HALF);

    table[i] = (guint8) lrint (255 * (LEAST_ALPHA + (1 - LEAST_ALPHA) * brightness));
  }
}

/* The tables of both scales, made at the first call. */
static const guint8 *
get_table (gboolean is_logarithmic)
{
  static guint8 tables[2][N_STEPS];
  static gsize is_made = 0;

  if (g_once_init_enter (&is_made)) {
    fill_table (tables[FALSE], FALSE);
    fill_table (tables[TRUE], TRUE);
    g_once_init_leave (&is_made, 1);
  }
  return tables[is_logarithmic != FALSE];
}

/* The two counts' sizes have loops of their own. */
static inline void
set_cells (guint8 * cells, HistoCounts counts, gboolean is_wide,
    const guint8 * table)
{
  const HistoCounts of_size = { counts.data, is_wide };
  gdouble sum = 0, mean;
  guint n = 0;

  for (guint i = 0; i < HISTO_SCOPE_BINS; i++) {
    const guint64 count = histo_counts_get (of_size, i);

    if (count == 0)
      continue;
    sum += count;
    n++;
  }
  mean = n > 0 ? sum / n : 0;
  for (guint i = 0; i < HISTO_SCOPE_BINS; i++) {
    const guint64 count = histo_counts_get (of_size, i);

    if (count > 0)
      cells[i] = table[(guint) (N_STEPS * (count / (count + mean)))];
  }
}

/* @trace: (out): all bytes are 0
 * @component: of histo_scope_find() */
void
histo_trace_set (HistoTrace * trace, const HistoComponentResult * component,
    gboolean is_logarithmic)
{
  const HistoCounts counts = histo_counts_of (component);
  const guint8 *table = get_table (is_logarithmic);

  if (counts.is_wide)
    set_cells (trace->cells[0], counts, TRUE, table);
  else
    set_cells (trace->cells[0], counts, FALSE, table);
}

/**
 * histo_cells_new:
 * @length: of a box, in pixels
 * @dot: a cell is drawn at least so many pixels wide, at the edges, too
 *
 * Returns: (transfer full): for each pixel the cells of which it shows the brightest one
 */
HistoCells *
histo_cells_new (gint length, gint dot)
{
  HistoCells *cells = g_new (HistoCells, length);

  for (gint i = 0; i < length; i++) {
    const gint first = i < dot ? 0 : i - dot / 2;
    const gint last = i >= length - dot ? length - 1 : i + (dot - 1) / 2;

    cells[i].first = (gint64) first * HISTO_SCOPE_SIZE / length;
    cells[i].end = MAX ((gint64) (last + 1) * HISTO_SCOPE_SIZE / length,
        cells[i].first + 1);
  }
  return cells;
}

/* Returns: the pixel of the cell, from 0 to @length - 1; the middle one if there are several */
gint
histo_trace_position (guint cell, gint length)
{
  const gint n = HISTO_SCOPE_SIZE;
  const gint first = (gint) (((gint64) cell * length + n - 1) / n);
  const gint last = (gint) (((gint64) (cell + 1) * length + n - 1) / n) - 1;

  return MIN (first, last) + MAX (last - first, 0) / 2;
}

/* @rows: of the pixels' row
 * @columns: of each of the @width pixels
 * @alphas: (out): of the pixels */
void
histo_trace_get_row (const HistoTrace * trace, HistoCells rows,
    const HistoCells * columns, gint width, guint8 * alphas)
{
  guint8 row[HISTO_SCOPE_SIZE];

  memcpy (row, trace->cells[rows.first], sizeof row);
  for (guint r = rows.first + 1; r < rows.end; r++)
    for (guint c = 0; c < HISTO_SCOPE_SIZE; c++)
      row[c] = MAX (row[c], trace->cells[r][c]);
  for (gint x = 0; x < width; x++) {
    alphas[x] = row[columns[x].first];
    for (guint c = columns[x].first + 1; c < columns[x].end; c++)
      alphas[x] = MAX (alphas[x], row[c]);
  }
}
