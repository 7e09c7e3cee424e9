/* The drawn overlay; see picture.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/picture.h"

/* ---- One panel --------------------------------------------------------------------- */

static void
clear_panel (HistoDrawnPanel * panel)
{
  g_clear_pointer (&panel->description, g_free);
  g_clear_pointer (&panel->next, g_free);
  g_clear_pointer (&panel->base, g_free);
  g_clear_pointer (&panel->rectangle, gst_video_overlay_rectangle_unref);
}

static gsize
bytes_of (HistoSize size)
{
  return (gsize) 4 * size.width * size.height;
}

/* Draws the base, if it has changed. Returns: FALSE if cairo has failed, or there is no memory */
static gboolean
draw_base (HistoDrawnPanel * panel, const HistoPlace * place,
    const HistoStyle * style, HistoSize size)
{
  const HistoPanelType *type = place->type;
  HistoCanvas canvas;
  gboolean ok;

  if (panel->base != NULL && panel->size.width == size.width
      && panel->size.height == size.height
      && memcmp (panel->description, panel->next, type->base_size) == 0)
    return TRUE;
  g_free (panel->base);
  panel->base = g_try_malloc (bytes_of (size));
  if (panel->base == NULL)
    return FALSE;
  ok = histo_canvas_init (&canvas, style, size, panel->base);
  histo_canvas_clear (&canvas);
  type->draw_base (&canvas, panel->next);
  return histo_canvas_finish (&canvas) && ok;
}

/* Returns: (transfer full) (nullable): the pixels of the panel; NULL if cairo has failed, or there is no
 * memory */
static GstBuffer *
draw_pixels (const HistoDrawnPanel * panel, const HistoPlace * place,
    const HistoStyle * style, HistoSize size)
{
  guint8 *pixels = g_try_malloc (bytes_of (size));
  HistoCanvas canvas;
  gboolean ok;

  if (pixels == NULL)
    return NULL;
  memcpy (pixels, panel->base, bytes_of (size));
  ok = histo_canvas_init (&canvas, style, size, pixels);
  place->type->draw (&canvas, panel->next);
  histo_canvas_apply_opacity (&canvas);
  if (histo_canvas_finish (&canvas) && ok)
    return gst_buffer_new_wrapped (pixels, bytes_of (size));
  g_free (pixels);
  return NULL;
}

/* Draws the panel as its next description says. */
static void
draw_panel (HistoDrawnPanel * panel, const HistoPlace * place,
    const HistoStyle * style)
{
  const HistoSize size = { place->box.width, place->box.height };
  GstBuffer *pixels = NULL;

  g_clear_pointer (&panel->rectangle, gst_video_overlay_rectangle_unref);
  if (draw_base (panel, place, style, size))
    pixels = draw_pixels (panel, place, style, size);
  if (pixels == NULL) {
    clear_panel (panel);
    return;
  }
  panel->rectangle = histo_canvas_to_rectangle (pixels, size, place->box.x,
      place->box.y);
  panel->size = size;
  memcpy (panel->description, panel->next, place->type->description_size);
}

static gboolean
is_unchanged (const HistoDrawnPanel * panel, const HistoPlace * place)
{
  return panel->rectangle != NULL && panel->size.width == place->box.width
      && panel->size.height == place->box.height
      && memcmp (panel->description, panel->next,
      place->type->description_size) == 0;
}

/* Returns: whether the rectangle is another one, at this place */
static gboolean
move_panel (HistoDrawnPanel * panel, const HistoPlace * place)
{
  GstVideoOverlayRectangle *moved;
  gint x, y;

  gst_video_overlay_rectangle_get_render_rectangle (panel->rectangle, &x, &y,
      NULL, NULL);
  if (x == place->box.x && y == place->box.y)
    return FALSE;
  moved = gst_video_overlay_rectangle_copy (panel->rectangle);
  gst_video_overlay_rectangle_set_render_rectangle (moved, place->box.x,
      place->box.y, place->box.width, place->box.height);
  gst_video_overlay_rectangle_unref (panel->rectangle);
  panel->rectangle = moved;
  return TRUE;
}

/* Returns: whether the rectangle is another one now, or there is none any more */
static gboolean
update_panel (HistoPicture * picture, HistoDrawnPanel * panel,
    const HistoPlace * place, const HistoScene * scene)
{
  const HistoSize size = { place->box.width, place->box.height };

  if (place->type == NULL || place->box.width <= 0) {
    const gboolean was_shown = panel->rectangle != NULL;

    clear_panel (panel);
    return was_shown;
  }
  if (panel->description == NULL) {
    panel->description = g_malloc0 (place->type->description_size);
    panel->next = g_malloc (place->type->description_size);
  }
  memset (panel->next, 0, place->type->description_size);
  place->type->describe (scene, place->number, size, panel->next);
  if (is_unchanged (panel, place))
    return move_panel (panel, place);
  draw_panel (panel, place, &picture->style);
  picture->n_drawn++;
  return TRUE;
}

/* ---- All panels -------------------------------------------------------------------- */

/* @picture: (inout): all zero afterwards */
void
histo_picture_clear (HistoPicture * picture)
{
  for (guint i = 0; i < G_N_ELEMENTS (picture->panels); i++)
    clear_panel (&picture->panels[i]);
  histo_region_frames_clear (&picture->regions);
  g_clear_pointer (&picture->composition,
      gst_video_overlay_composition_unref);
  memset (picture, 0, sizeof *picture);
}

/* After a change of the style, nothing that was drawn is of use. */
static gboolean
set_style (HistoPicture * picture, const HistoStyle * style)
{
  const guint64 n_drawn = picture->n_drawn;

  if (memcmp (&picture->style, style, sizeof *style) == 0)
    return FALSE;
  histo_picture_clear (picture);
  picture->style = *style;
  picture->n_drawn = n_drawn;
  return TRUE;
}

/* The frames of the regions lie below the panels. */
static void
compose (HistoPicture * picture)
{
  const GPtrArray *frames = picture->regions.rectangles;
  GstVideoOverlayComposition *composition =
      gst_video_overlay_composition_new (NULL);

  for (guint i = 0; frames != NULL && i < frames->len; i++)
    gst_video_overlay_composition_add_rectangle (composition,
        g_ptr_array_index (frames, i));
  for (guint i = 0; i < G_N_ELEMENTS (picture->panels); i++) {
    if (picture->panels[i].rectangle != NULL)
      gst_video_overlay_composition_add_rectangle (composition,
          picture->panels[i].rectangle);
  }
  if (gst_video_overlay_composition_n_rectangles (composition) > 0)
    picture->composition = composition;
  else
    gst_video_overlay_composition_unref (composition);
}

/**
 * histo_picture_update:
 * @picture: (inout): all zero, or of an earlier scene
 *
 * Draws the panels that have changed.
 *
 * Returns: (transfer none) (nullable): the overlay of the scene, valid until the next call; %NULL:
 * nothing is to be shown. If nothing has changed it is the same object as before
 */
GstVideoOverlayComposition *
histo_picture_update (HistoPicture * picture, const HistoScene * scene)
{
  gboolean has_changed = set_style (picture, &scene->settings->style);
  HistoLayout layout;

  histo_layout_find (&layout, scene);
  for (guint i = 0; i < HISTO_MOST_PANELS; i++)
    has_changed |= update_panel (picture, &picture->panels[i],
        &layout.places[i], scene);
  has_changed |= update_panel (picture, &picture->panels[HISTO_MOST_PANELS],
      &layout.alerts, scene);
  has_changed |= histo_region_frames_update (&picture->regions, scene);
  if (!has_changed)
    return picture->composition;
  g_clear_pointer (&picture->composition,
      gst_video_overlay_composition_unref);
  compose (picture);
  return picture->composition;
}
