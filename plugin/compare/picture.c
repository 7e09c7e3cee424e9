/* The picture of a buffer as planes of samples; see picture.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/picture.h"

#include "media/crop.h"
#include "media/pack.h"

/* @format: (transfer full) (nullable): of the next picture; NULL: none */
static void
set_format (HistoComparedPicture * picture, HistoFormat * format)
{
  g_clear_pointer (&picture->format, histo_format_unref);
  g_clear_pointer (&picture->memory, g_free);
  g_clear_pointer (&picture->unpacked, g_free);
  picture->format = format;
  if (format != NULL)
    histo_cpu_regular_init (&picture->regular, format);
}

/* Frees all. */
void
histo_compared_picture_clear (HistoComparedPicture * picture)
{
  histo_compared_picture_unmap (picture);
  set_format (picture, NULL);
  g_clear_pointer (&picture->frame, histo_format_unref);
  gst_clear_caps (&picture->caps);
}

/* Returns: FALSE with an error, and what it was before, if the caps are no format of video */
gboolean
histo_compared_picture_set_caps (HistoComparedPicture * picture, GstCaps * caps, GError ** error)
{
  HistoFormat *frame;

  if (picture->caps != NULL && gst_caps_is_equal (picture->caps, caps))
    return TRUE;
  frame = histo_format_new (caps, error);
  if (frame == NULL)
    return FALSE;
  histo_compared_picture_clear (picture);
  picture->frame = frame;
  picture->caps = gst_caps_ref (caps);
  set_format (picture, histo_format_ref (frame));
  return TRUE;
}

/* Makes the rectangle of the crop meta the picture. */
static gboolean
follow_crop (HistoComparedPicture * picture, GstBuffer * buffer, HistoCrop * crop, GError ** error)
{
  HistoFormat *format;

  if (!histo_crop_find (picture->frame, buffer, crop, error))
    return FALSE;
  if (crop->width == picture->format->width && crop->height == picture->format->height)
    return TRUE;
  format = crop->width == picture->frame->width && crop->height == picture->frame->height ?
      histo_format_ref (picture->frame) : histo_format_new_sized (picture->caps, crop->width, crop->height, error);
  if (format != NULL)
    set_format (picture, format);
  return format != NULL;
}

/* Allocates what the format needs, once. */
static gboolean
find_memory (HistoComparedPicture * picture, GError ** error)
{
  if (picture->memory == NULL)
    picture->memory = g_try_malloc (histo_cpu_regular_room (&picture->regular));
  if (picture->unpacked == NULL && picture->format->needs_unpack)
    picture->unpacked = g_try_malloc (histo_pack_room (picture->format));
  if (picture->memory != NULL && (picture->unpacked != NULL || !picture->format->needs_unpack))
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "No memory for a picture");
  return FALSE;
}

/* Whether a component lies in words of its own, which may have other bits above its samples. */
static gboolean
is_in_words (const HistoComparedPicture * picture, guint c)
{
  const HistoCpuComponent *component = &picture->regular.components[c];
  const HistoPlane *plane = &picture->layout.planes[component->found.plane];

  return picture->regular.is_wide && !component->tens && component->field.period == 2 && component->field.shift == 0
      && !component->field.swap
      && component->field.mask == (1u << picture->format->components[c].depth) - 1
      && plane->data % 2 == 0 && plane->stride % 2 == 0;
}

/* Makes the planes of the components that @needed has a bit for. Nothing is copied to make the other bits zero: the loops
 * ignore them. */
static void
make_planes (HistoComparedPicture * picture, guint needed)
{
  guint in_words = 0;

  for (guint c = 0; c < picture->format->n_components; c++)
    in_words |= is_in_words (picture, c) ? 1u << c : 0;
  histo_cpu_regular_make (&picture->regular, picture->layout.planes, needed & ~in_words, 0, picture->memory,
      picture->planes, NULL);
  for (guint c = 0; c < picture->format->n_components; c++)
    if ((in_words >> c & 1) != 0) {
      const HistoCpuComponent *component = &picture->regular.components[c];
      const HistoPlane *plane = &picture->layout.planes[component->found.plane];

      picture->planes[c].data = plane->data + component->offset;
      picture->planes[c].stride = plane->stride;
    }
}

/**
 * histo_compared_picture_locate:
 * @buffer: of the caps
 *
 * Finds the picture in the buffer. Nothing is mapped afterwards.
 *
 * Returns: (transfer none) (nullable): what has the picture and nothing else: a view, or the buffer itself. %NULL with an
 *   error if the buffer contradicts its caps, or if there is no memory
 */
GstBuffer *
histo_compared_picture_locate (HistoComparedPicture * picture, GstBuffer * buffer, GError ** error)
{
  const HistoFormat *frame = picture->frame;
  HistoCrop crop;

  histo_compared_picture_unmap (picture);
  if (!follow_crop (picture, buffer, &crop, error))
    return NULL;
  if (crop.x == 0 && crop.y == 0 && crop.width == frame->width && crop.height == frame->height)
    return buffer;
  picture->view = histo_crop_view (frame, picture->caps, picture->format, buffer, &crop, error);
  return picture->view;
}

/**
 * histo_compared_picture_map:
 * @buffer: of the caps; not changed until histo_compared_picture_unmap()
 * @needed: a bit for each component whose plane is read
 *
 * Maps the buffer and makes the planes: those of its picture, a plane for each component. If it is mapped already, nothing
 * is done.
 *
 * Returns: FALSE with an error if the buffer contradicts its caps, or if there is no memory
 */
gboolean
histo_compared_picture_map (HistoComparedPicture * picture, GstBuffer * buffer, guint needed, GError ** error)
{
  GstBuffer *source;

  if (picture->buffer == buffer && (needed & ~picture->made) == 0)
    return TRUE;
  source = histo_compared_picture_locate (picture, buffer, error);
  if (source == NULL)
    return FALSE;
  if (!find_memory (picture, error)
      || !histo_layout_map (&picture->layout, picture->format, source, GST_MAP_READ, error)) {
    gst_clear_buffer (&picture->view);
    return FALSE;
  }
  if (picture->format->needs_unpack) {
    histo_pack (picture->format, &picture->layout, picture->unpacked);
    histo_packed_locate (picture->format, (guint64) (guintptr) picture->unpacked, picture->layout.planes);
  }
  make_planes (picture, needed);
  picture->buffer = gst_buffer_ref (buffer);
  picture->made = needed;
  return TRUE;
}

void
histo_compared_picture_unmap (HistoComparedPicture * picture)
{
  if (picture->buffer != NULL)
    histo_layout_unmap (&picture->layout, picture->format);
  gst_clear_buffer (&picture->view);
  gst_clear_buffer (&picture->buffer);
}

/**
 * histo_compared_picture_is_like:
 *
 * Returns: whether each sample of a picture has one of the other: both have the same size, colour model, depth and
 *   subsampling. FALSE with an error that names both
 */
gboolean
histo_compared_picture_is_like (const HistoComparedPicture * picture, const HistoComparedPicture * other,
    GError ** error)
{
  const HistoFormat *a = picture->format, *b = other->format;
  gboolean is_like = a->width == b->width && a->height == b->height && a->n_components == b->n_components
      && a->colors == b->colors && a->chroma_w_sub == b->chroma_w_sub && a->chroma_h_sub == b->chroma_h_sub;

  for (guint c = 0; c < a->n_components && is_like; c++)
    is_like = a->components[c].depth == b->components[c].depth;
  if (!is_like)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The picture is %ux%u in %s, and the reference %ux%u in %s: they cannot be compared sample by sample",
        a->width, a->height, histo_format_name (a), b->width, b->height, histo_format_name (b));
  return is_like;
}
