/* The checks, see checks.h, and their panel: one line for each.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/checks.h"
#include "overlay/panel.h"

#include <math.h>
#include <string.h>

/* ---- From figures to words --------------------------------------------------------- */

typedef struct
{
  guint n;
  HistoCheck *checks;           /* HISTO_N_CHECKS of all zero, but for the first @n */
} List;

static HistoCheck *
add (List * list, HistoCheckKind kind)
{
  list->checks[list->n].kind = kind;
  return &list->checks[list->n++];
}

static const gchar *
choice_name (guint figure, gdouble number)
{
  return histo_choice_name (&histo_group_figures[figure], (guint) number);
}

/* What EBU R 103 judges is behind its filter. Without it, all that is outside. */
static void
add_gamut (List * list, const HistoGroupFigures * figures)
{
  const gdouble share = isnan (figures->GAMUT_FILTER_any) ? figures->GAMUT_any : figures->GAMUT_FILTER_any;
  HistoCheck *line;

  if (isnan (share))
    return;
  line = add (list, HISTO_CHECK_GAMUT);
  line->is_bad = share > HISTO_R103_ALLOWED;
  if (share > 0 && share < 0.0005)
    g_strlcpy (line->text, "gamut < 0.1 %", sizeof line->text);
  else
    g_snprintf (line->text, sizeof line->text, "gamut %.1f %%", 100 * CLAMP (share, 0, 1));
}

static void
add_flash (List * list, const HistoGroupFigures * figures)
{
  guint state, worst;
  HistoCheck *line;

  if (isnan (figures->FLASH_state))
    return;
  state = worst = (guint) figures->FLASH_state;
  for (guint z = 0; z < figures->n_zones; z++)
    worst = MAX (worst, figures->zones[z].state);
  line = add (list, HISTO_CHECK_FLASH);
  line->is_bad = worst != HISTO_FLASH_PASS;
  g_snprintf (line->text, sizeof line->text, "%s %s%s", line->is_bad ? "FLASH" : "flash",
      choice_name (HISTO_GROUP_FIGURE_FLASH_state, worst), worst > state ? " in a part" : "");
  g_strlcpy (add (list, HISTO_CHECK_NOTE)->text, "A screening aid, not certified", sizeof line->text);
}

/* It is that of the frame before, and not known of the first frame. */
static void
add_field (List * list, const HistoGroupFigures * figures)
{
  static const gchar *const orders[] = {
    [HISTO_FIELD_TFF] = "interlaced tff",
    [HISTO_FIELD_BFF] = "interlaced bff",
    [HISTO_FIELD_PROGRESSIVE] = "progressive",
    [HISTO_FIELD_UNDETERMINED] = "no field order",
  };
  const gdouble repeated = figures->FIELD_repeated;
  HistoCheck *line;

  if (isnan (figures->FIELD_multi))
    return;
  line = add (list, HISTO_CHECK_FIELD);
  g_strlcpy (line->text, orders[(guint) figures->FIELD_multi], sizeof line->text);
  if (isnan (repeated) || repeated == HISTO_REPEATED_NEITHER)
    return;
  g_strlcat (line->text, ", repeated ", sizeof line->text);
  g_strlcat (line->text, choice_name (HISTO_GROUP_FIGURE_FIELD_repeated, repeated), sizeof line->text);
}

static void
add_repeat (List * list, const HistoGroupFigures * figures)
{
  const gdouble period = figures->MOTION_cadence_period, unique = figures->MOTION_cadence_unique;
  const gboolean is_repeat = figures->MOTION_repeat > 0;
  HistoCheck *line;

  /* If differences alone are measured, frames that differ are nothing to report. */
  if (isnan (figures->MOTION_repeat) || (list->n == 0 && !is_repeat && !(period > unique)))
    return;
  line = add (list, HISTO_CHECK_REPEAT);
  if (period > unique && unique > 0)
    g_snprintf (line->text, sizeof line->text, "%.0f unique of %.0f%s", unique, period, is_repeat ? ", repeat" : "");
  else
    g_strlcpy (line->text, period > unique ? "frozen" : is_repeat ? "repeat" : "no repeat", sizeof line->text);
}

/**
 * histo_checks_find:
 * @checks: (out): HISTO_N_CHECKS, of which those behind the returned number are all zero
 *
 * Returns: how many there are of the picture
 */
guint
histo_checks_find (HistoCheck * checks, const HistoGroupFigures * figures)
{
  List list = { 0, checks };

  memset (checks, 0, HISTO_N_CHECKS * sizeof *checks);
  add_gamut (&list, figures);
  add_flash (&list, figures);
  add_field (&list, figures);
  add_repeat (&list, figures);
  return list.n;
}

/* ---- The panel --------------------------------------------------------------------- */

/* The widest texts. The panel has room for them, so that it does not change its size while it plays. */
static const gchar *const widest[HISTO_N_CHECKS] = {
  [HISTO_CHECK_GAMUT] = "gamut 100.0 %",
  [HISTO_CHECK_FLASH] = "FLASH extended in a part",
  [HISTO_CHECK_NOTE] = "A screening aid, not certified",
  [HISTO_CHECK_FIELD] = "progressive, repeated bottom",
  [HISTO_CHECK_REPEAT] = "29 unique of 30, repeat",
};

typedef struct
{
  gint line_height;
  guint n;
  HistoCheck lines[HISTO_N_CHECKS];
} Description;

static void
write_lines (const HistoScene * scene, Description * d)
{
  const HistoResult *result = scene->result;

  if (result != NULL && !result->is_audio && result->n_regions > 0)
    d->n = histo_checks_find (d->lines, &result->regions[0].figures);
}

static gint
font_of (HistoCheckKind kind, gint line_height)
{
  return kind == HISTO_CHECK_NOTE ? line_height * 9 / 20 : line_height * 2 / 3;
}

static HistoSize
find_size (const HistoScene * scene, guint number, gint height)
{
  Description d = { 0 };
  HistoSize size = { 0, 0 };
  gdouble width = 0;

  if (!(scene->settings->show & HISTO_SHOW_CHECKS))
    return size;
  write_lines (scene, &d);
  if (d.n == 0)
    return size;
  d.line_height = histo_font_size (height) * 15 / 8;
  for (guint i = 0; i < d.n; i++)
    width = MAX (width, histo_text_width (&scene->settings->style,
            font_of (d.lines[i].kind, d.line_height), widest[d.lines[i].kind]));
  size.width = (gint) CLAMP (width + d.line_height * 4 / 3, 1, HISTO_MOST_PANEL_PIXELS);
  size.height = d.n * d.line_height;
  return size;
}

static void
describe (const HistoScene * scene, guint number, HistoSize size,
    gpointer description)
{
  Description *d = description;

  write_lines (scene, d);
  d->line_height = size.height / (gint) d->n;
}

static void
draw (HistoCanvas * canvas, gconstpointer description)
{
  const Description *d = description;

  for (guint i = 0; i < d->n; i++) {
    const HistoCheck *line = &d->lines[i];
    const HistoBox box = { 0, (gint) i * d->line_height, canvas->size.width, d->line_height };
    const gint font = font_of (line->kind, d->line_height);

    if (line->is_bad)
      histo_canvas_fill (canvas, box, canvas->style->alert_color);
    histo_canvas_set_color (canvas, canvas->style->color, 1);
    histo_canvas_text (canvas, font, d->line_height * 2 / 3, box.y + (d->line_height + font * 0.7) / 2,
        HISTO_ALIGN_LEFT, line->text);
  }
}

const HistoPanelType histo_checks_panel = {
  sizeof (Description), 0, find_size, describe, NULL, draw
};
