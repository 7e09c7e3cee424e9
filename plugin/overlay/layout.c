/* Where the panels are in the picture; see layout.h.
 *
 * The panels lie in one row or one column that begins in a corner. If they do not fit, all become
 * smaller. The alerts are on the same side, at the opposite edge.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/layout.h"

/* If there is room, panels are not lower than this, so that they can be read in small pictures. */
#define LEAST_HEIGHT 72
/* Distance between panels as a share of their height. */
#define GAP_SHARE 0.03

static gint
find_gap (gint height)
{
  return MAX ((gint) (height * GAP_SHARE), 2);
}

static void
set_types (HistoLayout * layout, guint n_sounds)
{
  static const HistoPanelType *const types[] = {
    &histo_histogram_panel, &histo_levels_panel, &histo_vectors_panel
  };

  memset (layout, 0, sizeof *layout);
  layout->alerts.type = &histo_alerts_panel;
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    layout->places[i].type = types[i];
  for (guint i = 0; i < n_sounds; i++) {
    layout->places[G_N_ELEMENTS (types) + i].type = &histo_sound_panel;
    layout->places[G_N_ELEMENTS (types) + i].number = i;
  }
}

/* Sets the sizes of panels of this height.
 * Returns: the length of the row or column, with its gaps */
static gint
set_sizes (HistoLayout * layout, const HistoScene * scene, gint height)
{
  const gint gap = find_gap (height);
  gint length = 0;

  layout->panel_height = height;
  for (guint i = 0; i < HISTO_MOST_PANELS; i++) {
    HistoPlace *place = &layout->places[i];
    HistoSize size;

    if (place->type == NULL)
      continue;
    size = place->type->find_size (scene, place->number, height);
    place->box.width = size.width;
    place->box.height = size.height;
    if (size.width > 0)
      length += (scene->settings->is_column ? size.height : size.width) + gap;
  }
  return length > 0 ? length - gap : 0;
}

/* Sets the sizes of panels that fit into the picture without its margins. */
static void
fit_sizes (HistoLayout * layout, const HistoScene * scene, gint width,
    gint height)
{
  const gint available = scene->settings->is_column ? height : width;
  gint panel = MAX ((gint) (scene->settings->size * scene->height),
      LEAST_HEIGHT);
  gint length;

  panel = CLAMP (panel, 1, MIN (height, HISTO_MOST_PANEL_PIXELS));
  length = set_sizes (layout, scene, panel);
  while (length > available && panel > 1) {
    panel = MIN (panel - 1, (gint) ((gint64) panel * available / length));
    panel = MAX (panel, 1);
    length = set_sizes (layout, scene, panel);
  }
}

/* Where a box of this size lies from the edges of the picture. */
static gint
align (gboolean at_end, gint size, gint whole, gint margin)
{
  return at_end ? MAX (whole - margin - size, 0) : margin;
}

static void
set_positions (HistoLayout * layout, const HistoScene * scene, gint margin)
{
  const HistoCorner corner = scene->settings->corner;
  const gboolean right = corner == HISTO_CORNER_TOP_RIGHT
      || corner == HISTO_CORNER_BOTTOM_RIGHT;
  const gboolean bottom = corner == HISTO_CORNER_BOTTOM_LEFT
      || corner == HISTO_CORNER_BOTTOM_RIGHT;
  const gint gap = find_gap (layout->panel_height);
  gint offset = margin;

  for (guint i = 0; i < HISTO_MOST_PANELS; i++) {
    HistoBox *box = &layout->places[i].box;
    const gboolean in_column = scene->settings->is_column;

    if (box->width == 0)
      continue;
    box->x = align (right, box->width, scene->width,
        in_column ? margin : offset);
    box->y = align (bottom, box->height, scene->height,
        in_column ? offset : margin);
    offset += (in_column ? box->height : box->width) + gap;
  }
  layout->alerts.box.x = align (right, layout->alerts.box.width, scene->width,
      margin);
  layout->alerts.box.y = align (!bottom, layout->alerts.box.height,
      scene->height, margin);
}

/* Of a picture that is too small for a panel, the panel is left out. */
static void
drop_what_does_not_fit (HistoPlace * place, const HistoScene * scene)
{
  const HistoBox *box = &place->box;

  if (box->x + box->width > scene->width || box->y + box->height > scene->height
      || box->height < 8)
    place->box.width = 0;
}

/* @layout: (out)
 * @scene: of a picture of at least one pixel */
void
histo_layout_find (HistoLayout * layout, const HistoScene * scene)
{
  const gint margin = (gint) (scene->settings->margin * scene->height);
  HistoSize size;

  set_types (layout, scene->n_sounds);
  fit_sizes (layout, scene, MAX (scene->width - 2 * margin, 1),
      MAX (scene->height - 2 * margin, 1));
  size = histo_alerts_panel.find_size (scene, 0, CLAMP ((gint)
          (scene->settings->size * scene->height), LEAST_HEIGHT,
          HISTO_MOST_PANEL_PIXELS));
  layout->alerts.box.width = CLAMP (scene->width - 2 * margin, 0, size.width);
  layout->alerts.box.height = size.height;
  set_positions (layout, scene, margin);
  for (guint i = 0; i < HISTO_MOST_PANELS; i++)
    drop_what_does_not_fit (&layout->places[i], scene);
  drop_what_does_not_fit (&layout->alerts, scene);
}
