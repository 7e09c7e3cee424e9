/* reference-flash.c: the measures of the group flash that need no more than two pictures.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sources: IRIS (electronicarts); WCAG, success criterion 2.3.1.
 */

#include <math.h>
#include <string.h>

#include "reference-measures.h"

typedef struct
{
  gint64 luminance, red;
} Pixel;

/* The light of the scene of HLG, else linear light */
static gint64
light_of_code (const ReferenceColor * color, gint64 code)
{
  return color->transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67
      ? reference_hlg_scene (color, code)
      : reference_color_linear (color, code);
}

/* @lights: of each code; those that have not occurred yet are -1 */
static Pixel
pixel_of (const ReferencePicture * picture, gint64 * lights, guint x, guint y)
{
  gint64 rgb[3], sum, others;
  Pixel pixel;
  guint i;

  reference_picture_full_rgb (picture, x, y, rgb);
  for (i = 0; i < 3; i++) {
    gint64 *light = &lights[rgb[i]];

    if (*light < 0)
      *light = light_of_code (&picture->color, rgb[i]);
    rgb[i] = *light;
  }
  if (picture->color.transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67) {
    gint64 display[3];

    /* 1000 cd/m² to 200 cd/m² */
    reference_hlg_light (rgb, display);
    for (i = 0; i < 3; i++)
      rgb[i] = MIN (5 * display[i], 65535);
  }
  sum = rgb[0] + rgb[1] + rgb[2];
  others = rgb[1] + rgb[2];
  pixel.luminance = (13933 * rgb[0] + 46871 * rgb[1] + 4732 * rgb[2] + 32768)
      / 65536;
  pixel.red = 5 * rgb[0] >= 4 * sum ? MAX (0, rgb[0] - others) : 0;
  return pixel;
}

/* @dark: a change counts if the darker state is below */
static void
add_change (ReferenceFlashes * flashes, gint64 before, gint64 now, gint64 step,
    gint64 dark)
{
  if (now != before)
    flashes->n_area++;
  if (ABS (now - before) < step || MIN (now, before) >= dark)
    return;
  if (now > before)
    flashes->n_up++;
  else
    flashes->n_down++;
}

/* The cell that a line lies in, of 6 that share @n lines */
static guint
cell_of (guint line, guint n)
{
  guint i = 0;

  while (line >= (guint64) (i + 1) * n / 6)
    i++;
  return i;
}

void
reference_count_flash (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    ReferenceFlash * out)
{
  gint64 *lights = g_new (gint64, current->color.max + 1);
  guint x, y;

  memset (lights, 0xff, (current->color.max + 1) * sizeof (*lights));
  for (y = 0; y < region->height; y++)
    for (x = 0; x < region->width; x++) {
      Pixel now = pixel_of (current, lights, region->x + x, region->y + y);
      Pixel before = previous == NULL ? now
          : pixel_of (previous, lights, region->x + x, region->y + y);
      ReferenceCell *cell = &out->cells[6 * cell_of (y, region->height)
          + cell_of (x, region->width)];

      out->luminance.sum += now.luminance;
      out->red.sum += now.red;
      add_change (&out->luminance, before.luminance, now.luminance, 6554, 52428);
      add_change (&out->red, before.red, now.red, 4096, G_MAXINT64);
      cell->n_pixels++;
      cell->luminance += now.luminance;
      cell->red += now.red;
      cell->luminance_area += now.luminance != before.luminance;
      cell->red_area += now.red != before.red;
    }
  g_free (lights);
}

static void
find_figures (ReferenceFlashes * flashes, gdouble n, gdouble n_compared)
{
  flashes->mean = n > 0 ? flashes->sum / n / 65535 : NAN;
  flashes->area = n_compared > 0 ? flashes->n_area / n_compared : NAN;
  flashes->up = n_compared > 0 ? flashes->n_up / n_compared : NAN;
  flashes->down = n_compared > 0 ? flashes->n_down / n_compared : NAN;
}

void
reference_flash_figures (ReferenceMeasures * measures)
{
  const gdouble n = (gdouble) measures->region.width * measures->region.height;

  find_figures (&measures->flash.luminance, n * measures->n_frames,
      n * measures->n_with_previous);
  find_figures (&measures->flash.red, n * measures->n_frames,
      n * measures->n_with_previous);
}
