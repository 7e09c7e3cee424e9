/* reference-scopes.c: what a waveform monitor, a parade and a vectorscope show.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "reference-measures.h"

/* The 8 most significant bits of a value of the picture's depth */
static guint
code_of (const ReferencePicture * picture, gint64 value)
{
  return value * 256 / (picture->color.max + 1);
}

static void
add_pair (ReferenceComponent * scope, guint column, guint row)
{
  reference_component_add (scope, 256 * row + column);
}

static void
count_waveforms (const ReferencePicture * picture,
    const ReferenceRectangle * region, gboolean has_parade,
    ReferenceScopes * out)
{
  static const gchar *names[3] = { "waveform-r", "waveform-g", "waveform-b" };
  guint x, y, i;

  reference_component_init (&out->waveform, "waveform", 65536);
  for (i = 0; i < 3 && has_parade; i++)
    reference_component_init (&out->parade[i], names[i], 65536);

  for (y = 0; y < region->height; y++)
    for (x = 0; x < region->width; x++) {
      const guint column = (guint64) x * 256 / region->width;
      gint64 rgb[3];

      add_pair (&out->waveform, column, code_of (picture,
              reference_picture_luma (picture, region->x + x, region->y + y)));
      if (!has_parade)
        continue;
      /* R, G and B of RGB are not stretched. */
      if (picture->color.family == REFERENCE_RGB)
        reference_picture_pixel (picture, region->x + x, region->y + y, rgb);
      else
        reference_picture_full_rgb (picture, region->x + x, region->y + y,
            rgb);
      for (i = 0; i < 3; i++)
        add_pair (&out->parade[i], column, code_of (picture, rgb[i]));
    }
}

/* One pair for each sample of U; RGB: for each pixel */
static void
count_vectorscope (const ReferencePicture * picture,
    const ReferenceRectangle * region, ReferenceScopes * out)
{
  ReferenceRectangle pairs = reference_picture_samples_of (picture, 1, region);
  guint x, y;

  reference_component_init (&out->vectorscope, "vectorscope", 65536);
  for (y = pairs.y; y < pairs.y + pairs.height; y++)
    for (x = pairs.x; x < pairs.x + pairs.width; x++) {
      gint64 yuv[3];

      reference_picture_limited_yuv (picture, x * picture->shape.chroma_x,
          y * picture->shape.chroma_y, yuv);
      add_pair (&out->vectorscope, code_of (picture, yuv[1]),
          code_of (picture, yuv[2]));
    }
}

void
reference_count_scopes (const ReferencePicture * current,
    const ReferenceRectangle * region, gboolean has_color,
    ReferenceScopes * out)
{
  const ReferenceFamily family = current->color.family;

  count_waveforms (current, region, family == REFERENCE_RGB
      || (family == REFERENCE_YUV && has_color), out);
  if (family != REFERENCE_GRAY)
    count_vectorscope (current, region, out);
}
