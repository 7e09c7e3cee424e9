/* Frames around the regions; see regions.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/regions.h"

/* The part of the picture's height that a line is thick, and text is high. */
#define LINE_SHARE 360
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
void
histo_region_frames_clear (HistoRegionFrames * regions)
{
  g_clear_pointer (&regions->frames, g_array_unref);
  g_clear_pointer (&regions->rectangles, g_ptr_array_unref);
}

/* ---- Where the frames are ---------------------------------------------------------- */

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
  frame->thickness = MAX (scene->height / LINE_SHARE, 1);
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

/* ---- Drawing ----------------------------------------------------------------------- */

typedef void (*DrawFunction) (HistoCanvas * canvas, const Frame * frame);

/* Adds a rectangle with what the function draws, if cairo can draw it and there is memory. */
static void
add_rectangle (HistoRegionFrames * regions, const HistoStyle * style,
    const Frame * frame, HistoBox box, DrawFunction draw)
{
  const HistoSize size = { box.width, box.height };
  HistoCanvas canvas;
  const gsize bytes = (gsize) 4 * MAX (box.width, 0) * MAX (box.height, 0);
  guint8 *pixels;
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
        histo_canvas_to_rectangle (gst_buffer_new_wrapped (pixels, bytes), size,
            box.x, box.y));
  else
    g_free (pixels);
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
is_unchanged (const HistoRegionFrames * regions, const GArray * frames,
    const HistoScene * scene)
{
  return regions->frames != NULL && regions->width == scene->width
      && regions->height == scene->height && regions->frames->len == frames->len
      && (frames->len == 0 || memcmp (regions->frames->data, frames->data,
          frames->len * sizeof (Frame)) == 0);
}

/**
 * histo_region_frames_update:
 *
 * Draws the frames of the scene, if they have changed. After a change of the style,
 * histo_region_frames_clear() must be called before.
 *
 * Returns: whether there are other rectangles now
 */
gboolean
histo_region_frames_update (HistoRegionFrames * regions,
    const HistoScene * scene)
{
  GArray *frames = find_frames (scene);

  if (is_unchanged (regions, frames, scene)) {
    g_array_unref (frames);
    return FALSE;
  }
  histo_region_frames_clear (regions);
  regions->frames = frames;
  regions->width = scene->width;
  regions->height = scene->height;
  regions->rectangles = g_ptr_array_new_with_free_func ((GDestroyNotify)
      gst_video_overlay_rectangle_unref);
  for (guint i = 0; i < frames->len; i++)
    add_frame (regions, scene, &g_array_index (frames, Frame, i));
  return TRUE;
}
