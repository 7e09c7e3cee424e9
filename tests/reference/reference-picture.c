/* reference-picture.c: the pixels of a picture, for the reference of the measures.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include <string.h>

#include "reference-measures.h"

static gboolean
init_shape (ReferencePicture * picture, GstVideoFormat format, guint width,
    guint height, const GstVideoColorimetry * colorimetry)
{
  memset (picture, 0, sizeof (*picture));
  picture->width = width;
  picture->height = height;
  picture->row_step = 1;
  if (!reference_video_shape (format, width, height, &picture->shape))
    return FALSE;

  reference_color_init (&picture->color, &picture->shape, colorimetry, height);
  return TRUE;
}

gboolean
reference_picture_init (ReferencePicture * picture, const GstVideoInfo * info,
    const guint8 * const data[4])
{
  GstVideoFormat format = GST_VIDEO_INFO_FORMAT (info);
  guint c;

  if (!init_shape (picture, format, info->width, info->height,
          &info->colorimetry))
    return FALSE;

  /* In the mode mixed the buffer's flags decide. */
  if (GST_VIDEO_INFO_INTERLACE_MODE (info)
      == GST_VIDEO_INTERLACE_MODE_INTERLEAVED)
    picture->row_step = 2;
  for (c = 0; c < picture->shape.n_components; c++) {
    picture->samples[c] = g_new (guint32,
        (gsize) picture->shape.widths[c] * picture->shape.heights[c]);
    if (!reference_video_samples (format, info->width, info->height, data,
            info->stride, c, picture->samples[c]))
      return FALSE;
  }
  return TRUE;
}

gboolean
reference_picture_init_samples (ReferencePicture * picture,
    GstVideoFormat format, guint width, guint height,
    const GstVideoColorimetry * colorimetry, const guint32 * const samples[4])
{
  guint c;

  if (!init_shape (picture, format, width, height, colorimetry))
    return FALSE;

  for (c = 0; c < picture->shape.n_components; c++)
    picture->samples[c] = g_memdup2 (samples[c],
        sizeof (guint32) * picture->shape.widths[c]
        * picture->shape.heights[c]);
  return TRUE;
}

void
reference_picture_clear (ReferencePicture * picture)
{
  guint c;

  for (c = 0; c < 4; c++)
    g_clear_pointer (&picture->samples[c], g_free);
}

static gboolean
is_chroma (const ReferencePicture * picture, guint component)
{
  return picture->color.family == REFERENCE_YUV
      && (component == 1 || component == 2);
}

ReferenceRectangle
reference_picture_samples_of (const ReferencePicture * picture,
    guint component, const ReferenceRectangle * region)
{
  ReferenceRectangle samples = *region;
  guint last_column, last_row;

  if (!is_chroma (picture, component))
    return samples;
  if (region->width == 0 || region->height == 0) {
    samples.width = samples.height = 0;
    return samples;
  }

  samples.x = region->x / picture->shape.chroma_x;
  samples.y = region->y / picture->shape.chroma_y;
  last_column = (region->x + region->width - 1) / picture->shape.chroma_x;
  last_row = (region->y + region->height - 1) / picture->shape.chroma_y;
  if (last_column >= picture->shape.widths[component])
    last_column--;
  samples.width = last_column + 1 - samples.x;
  samples.height = last_row + 1 - samples.y;
  return samples;
}

guint32
reference_picture_native (const ReferencePicture * picture, guint component,
    guint x, guint y)
{
  guint width = picture->shape.widths[component];

  if (is_chroma (picture, component)) {
    x /= picture->shape.chroma_x;
    y /= picture->shape.chroma_y;
    if (x >= width)
      x = width - 1;
  }
  return picture->samples[component][(gsize) y * width + x];
}

/* @chroma_y: a row of pixels that the row of chroma belongs to in a progressive
 * frame */
static void
make_pixel (const ReferencePicture * picture, guint x, guint y, guint chroma_y,
    gint64 values[3])
{
  const ReferenceColor *color = &picture->color;
  guint c;

  values[1] = values[2] = color->mid;
  for (c = 0; c < (color->family == REFERENCE_GRAY ? 1 : 3); c++)
    values[c] = reference_color_scale (color,
        reference_picture_native (picture, c, x,
            is_chroma (picture, c) ? chroma_y : y), picture->shape.depths[c]);
}

void
reference_picture_pixel_of_frame (const ReferencePicture * picture, guint x,
    guint y, gint64 values[3])
{
  make_pixel (picture, x, y, y, values);
}

/* The row of chroma that belongs to a row of pixels. Both fields of an
 * interlaced frame lie in turn in the planes: of luma, and of chroma. What the
 * frame has there and the picture has not is the nearest row of the field. */
static guint
chroma_row_of_field (const ReferencePicture * picture, guint y)
{
  const gint sub = (gint) picture->shape.chroma_y;
  const gint n = (gint) (picture->height + sub - 1) / sub;
  const gint y_of_frame = (gint) (picture->first_row + y);
  const gint field = y_of_frame % 2, y_of_field = y_of_frame / 2;
  gint row = 2 * (y_of_field / sub) + field - (gint) picture->first_row / sub;

  while (row < 0)
    row += 2;
  while (row >= n)
    row -= 2;
  return MAX (row, 0);
}

void
reference_picture_pixel (const ReferencePicture * picture, guint x, guint y,
    gint64 values[3])
{
  const guint sub = picture->shape.chroma_y;

  if (picture->row_step == 1 || sub == 1
      || picture->color.family != REFERENCE_YUV)
    make_pixel (picture, x, y, y, values);
  else
    make_pixel (picture, x, y, sub * chroma_row_of_field (picture, y), values);
}

gboolean
reference_picture_has_pixel (const ReferencePicture * picture, guint x, guint y)
{
  return picture->mask == NULL
      || picture->mask[(gsize) y * picture->width + x] != 0;
}

/* The row of pixels for a row of chroma of a field: the first or the last row of that field that
 * the frame has for it; in the picture the nearest one of the field, or any */
static guint
row_of_field_chroma (const ReferencePicture * picture, guint chroma_row)
{
  const gint sub = (gint) picture->shape.chroma_y;
  const gint first = (gint) picture->first_row;
  const gint row = (gint) chroma_row + first / sub;
  gint best = -1, wanted = -1, y;

  for (y = 0; y <= 2 * sub * (row + 1); y++)
    if (y % 2 == row % 2 && 2 * (y / 2 / sub) + y % 2 == row
        && (wanted < 0 || row % 2 == 1))
      wanted = y;
  wanted -= first;
  for (y = 0; y < (gint) picture->height; y++)
    if ((y + first) % 2 == row % 2
        && (best < 0 || ABS (y - wanted) < ABS (best - wanted)))
      best = y;
  return best >= 0 ? best : 0;
}

gboolean
reference_picture_has_sample (const ReferencePicture * picture, guint component,
    guint x, guint y)
{
  const guint sub = picture->shape.chroma_y;

  /* The search for the row would take most of the time of the tests. */
  if (picture->mask == NULL)
    return TRUE;
  if (!is_chroma (picture, component))
    return reference_picture_has_pixel (picture, x, y);
  if (picture->row_step == 1 || sub == 1)
    return reference_picture_has_pixel (picture, x * picture->shape.chroma_x,
        y * sub);
  return reference_picture_has_pixel (picture, x * picture->shape.chroma_x,
      row_of_field_chroma (picture, y));
}

gint64
reference_picture_luma (const ReferencePicture * picture, guint x, guint y)
{
  gint64 rgb[3];

  if (picture->color.family != REFERENCE_RGB)
    return reference_color_scale (&picture->color,
        reference_picture_native (picture, 0, x, y), picture->shape.depths[0]);

  reference_picture_pixel (picture, x, y, rgb);
  return reference_color_luma (&picture->color, rgb);
}

void
reference_component_init (ReferenceComponent * component, const gchar * name,
    guint n_values)
{
  component->name = name;
  component->n_values = n_values;
  component->n = 0;
  component->counts = g_new0 (guint64, n_values);
}

void
reference_component_add (ReferenceComponent * component, guint32 value)
{
  g_assert (value < component->n_values);
  component->counts[value]++;
  component->n++;
}

guint
reference_component_highest (const ReferenceComponent * component)
{
  guint value = component->n_values - 1;

  while (component->counts[value] == 0)
    value--;
  return value;
}
