/* The drawn overlay; see picture.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/picture.h"

/* ---- Where the panels are ---------------------------------------------------------- */

/* The panels lie in one row or one column that begins in a corner. If they do not fit, all become
 * smaller. The alerts are on the same side, at the opposite edge. The checks are there, too, on the other side; if the
 * alerts reach as far, nearer to the middle. */

typedef struct
{
  const HistoPanelType *type;
  guint number;                 /* among those of the type */
  gboolean is_left_out;
  HistoBox box;                 /* in the picture; width 0: not shown */
} Place;

typedef struct
{
  gint panel_height;            /* in pixels */
  Place places[HISTO_MOST_PANELS];
  Place alerts, checks;
} Layout;

/* If there is room, panels are not lower than this, so that they can be read in small pictures. */
#define LEAST_HEIGHT 72
/* Where text has its least size, it does not become smaller with a panel. So if the panels of the default flags do not
 * fit with this height, those that show what the waveform shows, too, are left out. */
#define LEAST_LEGIBLE_HEIGHT 120
/* Distance between panels as a share of their height. */
#define GAP_SHARE 0.03

static gint
find_gap (gint height)
{
  return MAX ((gint) (height * GAP_SHARE), 2);
}

static void
set_types (Layout * layout, guint n_sounds)
{
  static const HistoPanelType *const types[] = {
    &histo_waveform_panel, &histo_vectorscope_panel, &histo_histogram_panel, &histo_levels_panel
  };

  memset (layout, 0, sizeof *layout);
  layout->alerts.type = &histo_alerts_panel;
  layout->checks.type = &histo_checks_panel;
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
set_sizes (Layout * layout, const HistoScene * scene, gint height)
{
  const gint gap = find_gap (height);
  gint length = 0;

  layout->panel_height = height;
  for (guint i = 0; i < HISTO_MOST_PANELS; i++) {
    Place *place = &layout->places[i];
    HistoSize size = { 0, 0 };

    if (place->type == NULL)
      continue;
    if (!place->is_left_out)
      size = place->type->find_size (scene, place->number, height);
    place->box.width = size.width;
    place->box.height = size.height;
    if (size.width > 0)
      length += (scene->settings->is_column ? size.height : size.width) + gap;
  }
  return length > 0 ? length - gap : 0;
}

/* Returns: the wanted height of panels in pixels, in a picture of this height without its margins */
static gint
find_wanted_height (const HistoScene * scene, gint height)
{
  const gint panel = MAX ((gint) (scene->settings->size * scene->height), LEAST_HEIGHT);

  return CLAMP (panel, 1, MIN (height, HISTO_MOST_PANEL_PIXELS));
}

/* Sets the sizes of panels that fit into the picture without its margins. */
static void
fit_sizes (Layout * layout, const HistoScene * scene, gint width, gint height)
{
  const gint available = scene->settings->is_column ? height : width;
  gint panel = find_wanted_height (scene, height);
  gint length = set_sizes (layout, scene, panel);

  while (length > available && panel > 1) {
    panel = MIN (panel - 1, (gint) ((gint64) panel * available / length));
    panel = MAX (panel, 1);
    length = set_sizes (layout, scene, panel);
  }
}

/* Fits sizes at which texts are legible. The levels, and then the histogram, of the default flags are left out if the
 * panels are not legible with them. */
static void
fit_legible_sizes (Layout * layout, const HistoScene * scene, gint width, gint height)
{
  static const HistoPanelType *const types[] = { &histo_levels_panel, &histo_histogram_panel };
  const gint least = MIN (find_wanted_height (scene, height), LEAST_LEGIBLE_HEIGHT);

  fit_sizes (layout, scene, width, height);
  if (scene->settings->show != HISTO_SHOW_ALL
      || histo_waveform_panel.find_size (scene, 0, least).width == 0)
    return;
  for (guint t = 0; t < G_N_ELEMENTS (types) && layout->panel_height < least; t++) {
    for (guint i = 0; i < HISTO_MOST_PANELS; i++)
      layout->places[i].is_left_out |= layout->places[i].type == types[t];
    fit_sizes (layout, scene, width, height);
  }
}

/* Where a box of this size lies from the edges of the picture. */
static gint
align (gboolean at_end, gint size, gint whole, gint margin)
{
  return at_end ? MAX (whole - margin - size, 0) : margin;
}

static void
set_checks_position (Layout * layout, const HistoScene * scene, gboolean right, gboolean bottom, gint margin)
{
  const HistoBox *alerts = &layout->alerts.box;
  HistoBox *box = &layout->checks.box;
  gint offset = margin;

  box->x = align (right, box->width, scene->width, margin);
  if (alerts->width > 0 && box->x < alerts->x + alerts->width && alerts->x < box->x + box->width)
    offset += alerts->height + find_gap (layout->panel_height);
  box->y = align (bottom, box->height, scene->height, offset);
}

static void
set_positions (Layout * layout, const HistoScene * scene, gint margin)
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
  set_checks_position (layout, scene, !right, !bottom, margin);
}

/* Leaves a panel out for which the picture is too small. */
static void
drop_what_does_not_fit (Place * place, const HistoScene * scene)
{
  const HistoBox *box = &place->box;

  if (box->x + box->width > scene->width || box->y + box->height > scene->height
      || box->height < 8)
    place->box.width = 0;
}

/* A panel of lines of text is as large as they are, but not wider than the picture. */
static void
set_size_of_text (Place * place, const HistoScene * scene, gint margin)
{
  const HistoSize size = place->type->find_size (scene, 0, CLAMP ((gint)
          (scene->settings->size * scene->height), LEAST_HEIGHT,
          HISTO_MOST_PANEL_PIXELS));

  place->box.width = CLAMP (scene->width - 2 * margin, 0, size.width);
  place->box.height = size.height;
}

/* @layout: (out)
 * @scene: of a picture of at least one pixel */
static void
find_layout (Layout * layout, const HistoScene * scene)
{
  const gint margin = (gint) (scene->settings->margin * scene->height);

  set_types (layout, scene->n_sounds);
  fit_legible_sizes (layout, scene, MAX (scene->width - 2 * margin, 1),
      MAX (scene->height - 2 * margin, 1));
  set_size_of_text (&layout->alerts, scene, margin);
  set_size_of_text (&layout->checks, scene, margin);
  set_positions (layout, scene, margin);
  for (guint i = 0; i < HISTO_MOST_PANELS; i++)
    drop_what_does_not_fit (&layout->places[i], scene);
  drop_what_does_not_fit (&layout->alerts, scene);
  drop_what_does_not_fit (&layout->checks, scene);
}

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
draw_base (HistoDrawnPanel * panel, const Place * place,
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
  if (type->draw_base != NULL)
    type->draw_base (&canvas, panel->next);
  return histo_canvas_finish (&canvas) && ok;
}

/* Returns: (transfer full) (nullable): the pixels of the panel; NULL if cairo has failed, or there is no
 * memory */
static GstBuffer *
draw_pixels (const HistoDrawnPanel * panel, const Place * place,
    const HistoStyle * style, HistoSize size)
{
  g_autofree guint8 *pixels = g_try_malloc (bytes_of (size));
  HistoCanvas canvas;
  gboolean ok;

  if (pixels == NULL)
    return NULL;
  memcpy (pixels, panel->base, bytes_of (size));
  ok = histo_canvas_init (&canvas, style, size, pixels);
  place->type->draw (&canvas, panel->next);
  histo_canvas_apply_opacity (&canvas);
  return histo_canvas_finish (&canvas) && ok ?
      gst_buffer_new_wrapped (g_steal_pointer (&pixels), bytes_of (size)) : NULL;
}

/* Draws the panel as its next description says. */
static void
draw_panel (HistoDrawnPanel * panel, const Place * place,
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
is_unchanged (const HistoDrawnPanel * panel, const Place * place)
{
  return panel->rectangle != NULL && panel->size.width == place->box.width
      && panel->size.height == place->box.height
      && memcmp (panel->description, panel->next,
      place->type->description_size) == 0;
}

/* Returns: whether the rectangle is another one, at this place */
static gboolean
move_panel (HistoDrawnPanel * panel, const Place * place)
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
    const Place * place, const HistoScene * scene)
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

/* ---- Frames around the regions ----------------------------------------------------- */

/* Each frame is four thin rectangles and one for the name: a rectangle of the region's size would
 * be almost empty, and large. */

/* The part of the picture's height that a line is thick, and text is high. */
#define LINE_SHARE 240
#define TEXT_SHARE 45
#define LEAST_TEXT 9
/* Cairo has no larger surfaces. */
#define MOST_PIXELS 32767

/* One frame. Padding is 0. */
typedef struct
{
  HistoBox box;                 /* in the picture */
  gint thickness, font;         /* in pixels */
  gchar name[64];
} Frame;

/* @regions: all zero, or in use */
static void
clear_frames (HistoRegionFrames * regions)
{
  g_clear_pointer (&regions->frames, g_array_unref);
  g_clear_pointer (&regions->rectangles, g_ptr_array_unref);
}

/* A coordinate of the measured picture in this one, which may have another size. */
static gint
scale (guint position, gint measured, gint size)
{
  const gdouble scaled = (gdouble) position * size / measured + 0.5;

  return (gint) CLAMP (scaled, 0, size);
}

static void
set_frame (Frame * frame, const HistoScene * scene, const HistoRegion * region)
{
  const HistoResult *result = scene->result;
  const gint left = scale (region->x, result->width, scene->width);
  const gint top = scale (region->y, result->height, scene->height);

  memset (frame, 0, sizeof *frame);
  frame->box.x = left;
  frame->box.y = top;
  frame->box.width = scale (MIN (region->x + (guint64) region->width,
          G_MAXUINT), result->width, scene->width) - left;
  frame->box.height = scale (MIN (region->y + (guint64) region->height,
          G_MAXUINT), result->height, scene->height) - top;
  frame->thickness = MAX (scene->height / LINE_SHARE, HISTO_LEAST_COLORED);
  frame->font = MAX (scene->height / TEXT_SHARE, LEAST_TEXT);
  if (region->name != NULL)
    g_strlcpy (frame->name, region->name, sizeof frame->name);
}

/* Whether this picture may be the measured one, scaled. After a crop, nothing says where the regions
 * are. A scaler that keeps the proportions may round both sizes to an even number of pixels. */
static gboolean
has_proportions (const HistoResult * result, gint width, gint height)
{
  const gint64 difference = (gint64) width * result->height
      - (gint64) height * result->width;

  return ABS (difference) <= (gint64) 2 * MAX (result->width, result->height);
}

static GArray *
find_frames (const HistoScene * scene)
{
  GArray *frames = g_array_new (FALSE, FALSE, sizeof (Frame));
  const HistoResult *result = scene->result;

  if (!(scene->settings->show & HISTO_SHOW_REGIONS) || result == NULL
      || result->width <= 0 || result->height <= 0
      || !has_proportions (result, scene->width, scene->height))
    return frames;
  for (guint r = 1; r < result->n_regions; r++) {
    Frame frame;

    set_frame (&frame, scene, &result->regions[r].region);
    if (frame.box.width > 0 && frame.box.height > 0)
      g_array_append_val (frames, frame);
  }
  return frames;
}

typedef void (*DrawFunction) (HistoCanvas * canvas, const Frame * frame);

/* Adds a rectangle with what the function draws, if cairo can draw it and there is memory. */
static void
add_rectangle (HistoRegionFrames * regions, const HistoStyle * style,
    const Frame * frame, HistoBox box, DrawFunction draw)
{
  const HistoSize size = { box.width, box.height };
  HistoCanvas canvas;
  const gsize bytes = (gsize) 4 * MAX (box.width, 0) * MAX (box.height, 0);
  g_autofree guint8 *pixels = NULL;
  gboolean ok;

  if (bytes == 0 || MAX (box.width, box.height) > MOST_PIXELS)
    return;
  pixels = g_try_malloc0 (bytes);
  if (pixels == NULL)
    return;
  ok = histo_canvas_init (&canvas, style, size, pixels);
  draw (&canvas, frame);
  histo_canvas_apply_opacity (&canvas);
  if (histo_canvas_finish (&canvas) && ok)
    g_ptr_array_add (regions->rectangles,
        histo_canvas_to_rectangle (gst_buffer_new_wrapped (g_steal_pointer (&pixels), bytes), size,
            box.x, box.y));
}

static void
draw_line (HistoCanvas * canvas, const Frame * frame)
{
  const HistoBox all = { 0, 0, canvas->size.width, canvas->size.height };

  histo_canvas_fill (canvas, all, canvas->style->region_color);
}

static void
draw_name (HistoCanvas * canvas, const Frame * frame)
{
  draw_line (canvas, frame);
  histo_canvas_set_color (canvas, 0xff000000, 1);
  histo_canvas_text (canvas, frame->font, frame->font * 0.4,
      frame->font * 1.02, HISTO_ALIGN_LEFT, frame->name);
}

/* Above the frame, or inside if there is no room. */
static void
add_name (HistoRegionFrames * regions, const HistoScene * scene,
    const Frame * frame)
{
  const HistoStyle *style = &scene->settings->style;
  const gint height = frame->font * 4 / 3;
  HistoBox box = { frame->box.x, frame->box.y - height, 0, height };

  if (frame->name[0] == '\0')
    return;
  box.width = (gint) MIN (histo_text_width (style, frame->font, frame->name)
      + frame->font * 0.8, scene->width);
  box.x = MIN (box.x, scene->width - box.width);
  if (box.y < 0)
    box.y = frame->box.y;
  box.height = MIN (box.height, scene->height - box.y);
  add_rectangle (regions, style, frame, box, draw_name);
}

static void
add_frame (HistoRegionFrames * regions, const HistoScene * scene,
    const Frame * frame)
{
  const HistoStyle *style = &scene->settings->style;
  const HistoBox box = frame->box;
  const gint thickness = MIN (frame->thickness, MIN (box.width, box.height));
  const gint inner = box.height - 2 * thickness;
  const HistoBox lines[] = {
    {box.x, box.y, box.width, thickness},
    {box.x, box.y + MAX (box.height - thickness, thickness), box.width,
        MIN (thickness, box.height - thickness)},
    {box.x, box.y + thickness, thickness, inner},
    {box.x + MAX (box.width - thickness, thickness), box.y + thickness,
        MIN (thickness, box.width - thickness), inner},
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    add_rectangle (regions, style, frame, lines[i], draw_line);
  add_name (regions, scene, frame);
}

static gboolean
are_unchanged (const HistoRegionFrames * regions, const GArray * frames,
    const HistoScene * scene)
{
  return regions->frames != NULL && regions->width == scene->width
      && regions->height == scene->height && regions->frames->len == frames->len
      && (frames->len == 0 || memcmp (regions->frames->data, frames->data,
          frames->len * sizeof (Frame)) == 0);
}

/* Draws the frames of the scene, if they have changed. After a change of the style, clear_frames() must
 * be called before.
 *
 * Returns: whether there are other rectangles now */
static gboolean
update_frames (HistoRegionFrames * regions, const HistoScene * scene)
{
  g_autoptr (GArray) frames = find_frames (scene);

  if (are_unchanged (regions, frames, scene))
    return FALSE;
  clear_frames (regions);
  regions->frames = g_array_ref (frames);
  regions->width = scene->width;
  regions->height = scene->height;
  regions->rectangles = g_ptr_array_new_with_free_func ((GDestroyNotify)
      gst_video_overlay_rectangle_unref);
  for (guint i = 0; i < frames->len; i++)
    add_frame (regions, scene, &g_array_index (frames, Frame, i));
  return TRUE;
}

/* ---- The overlay ------------------------------------------------------------------- */

/* @picture: (inout): all zero afterwards */
void
histo_picture_clear (HistoPicture * picture)
{
  for (guint i = 0; i < G_N_ELEMENTS (picture->panels); i++)
    clear_panel (&picture->panels[i]);
  clear_frames (&picture->regions);
  g_clear_pointer (&picture->composition, gst_video_overlay_composition_unref);
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

  for (guint i = 0; i < frames->len; i++)
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
  Layout layout;

  find_layout (&layout, scene);
  for (guint i = 0; i < HISTO_MOST_PANELS; i++)
    has_changed |= update_panel (picture, &picture->panels[i],
        &layout.places[i], scene);
  has_changed |= update_panel (picture, &picture->panels[HISTO_MOST_PANELS],
      &layout.alerts, scene);
  has_changed |= update_panel (picture, &picture->panels[HISTO_MOST_PANELS + 1],
      &layout.checks, scene);
  has_changed |= update_frames (&picture->regions, scene);
  if (!has_changed)
    return picture->composition;
  g_clear_pointer (&picture->composition, gst_video_overlay_composition_unref);
  compose (picture);
  return picture->composition;
}
