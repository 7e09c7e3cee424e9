/* flash-selftest.c: checks the reference's group flash on tiny pictures.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "measures-selftest.h"

#define SIDE 10
#define N_PIXELS (SIDE * SIDE)

/* Gray, whose first @columns have another code in the second picture. */
static ReferenceFlash
flash_of (guint before, guint now, guint columns)
{
  guint32 old[N_PIXELS], changed[N_PIXELS];
  ReferencePicture p, q;
  ReferenceMeasures m;
  guint i;

  for (i = 0; i < N_PIXELS; i++) {
    old[i] = before;
    changed[i] = i % SIDE < columns ? now : before;
  }
  p = gray_picture (SIDE, SIDE, old);
  q = gray_picture (SIDE, SIDE, changed);
  m = measures_of (&q, &p);
  reference_measures_clear (&m);
  reference_picture_clear (&p);
  reference_picture_clear (&q);
  return m.flash;
}

static void
check_flash_of (const gchar * what, guint before, guint now, guint columns,
    gdouble up, gdouble down)
{
  const ReferenceFlash flash = flash_of (before, now, columns);

  check_near (what, flash.luminance.area, columns / (gdouble) SIDE, 1e-15);
  check_near (what, flash.luminance.up, up, 1e-15);
  check_near (what, flash.luminance.down, down, 1e-15);
  check_near (what, flash.red.mean, 0, 0);
  check_near (what, flash.red.area, 0, 0);
}

static void
check_luminance (void)
{
  ReferenceFlash flash = flash_of (0, 84, SIDE);

  check_near ("84", flash.luminance.mean, 0.0887, 0.00005);
  check_flash_of ("0 to 84", 0, 84, SIDE, 0, 0);
  check_flash_of ("84 to 0", 84, 0, SIDE, 0, 0);
  flash = flash_of (0, 90, SIDE);
  check_near ("90", flash.luminance.mean, 0.1022, 0.00005);
  check_flash_of ("0 to 90", 0, 90, SIDE, 1, 0);
  check_flash_of ("90 to 0", 90, 0, SIDE, 0, 1);
  check_flash_of ("20 %, up", 0, 255, 2, 0.2, 0);
  check_flash_of ("20 %, down", 255, 0, 2, 0, 0.2);
  flash = flash_of (0, 255, 2);
  check_near ("mean of 20 %", flash.luminance.mean, 0.2, 1e-15);
  /* 230: 0.7913; 231: 0.7991; 232: 0.8069 */
  check_flash_of ("dark enough", 231, 255, SIDE, 1, 0);
  check_flash_of ("not dark", 232, 255, SIDE, 0, 0);
  check_flash_of ("still", 100, 100, 0, 0, 0);
}

/* One pixel after another one. @full: of RGB */
static ReferenceFlash
flash_of_pixels (GstVideoFormat format, gboolean full,
    GstVideoTransferFunction transfer, const guint32 before[3],
    const guint32 now[3])
{
  const GstVideoColorimetry described = colorimetry (full
      ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235,
      GST_VIDEO_COLOR_MATRIX_BT709, transfer);
  const guint32 *const old[4] = { &before[0], &before[1], &before[2], NULL };
  const guint32 *const new[4] = { &now[0], &now[1], &now[2], NULL };
  ReferencePicture p, q;
  ReferenceMeasures m;

  reference_picture_init_samples (&p, format, 1, 1, &described, old);
  reference_picture_init_samples (&q, format, 1, 1, &described, new);
  m = measures_of (&q, &p);
  reference_measures_clear (&m);
  reference_picture_clear (&p);
  reference_picture_clear (&q);
  return m.flash;
}

static void
check_red (void)
{
  static const guint32 black[] = { 0, 0, 0 }, red[] = { 255, 0, 0 };
  /* 137: 0.2502, 136: 0.2462 */
  static const guint32 pale[] = { 255, 137, 0 }, saturated[] = { 255, 136, 0 };
  /* 72: 0.0648; 71: 0.0630; 70: 0.0612. The step is 20 / 320 = 0.0625. */
  static const guint32 darker[] = { 70, 0, 0 }, step[] = { 71, 0, 0 };
  const GstVideoFormat rgb = GST_VIDEO_FORMAT_RGB;
  const GstVideoTransferFunction srgb = GST_VIDEO_TRANSFER_SRGB;
  ReferenceFlash flash = flash_of_pixels (rgb, TRUE, srgb, black, red);

  check_int ("red", flash.red.sum, 65535);
  check_int ("luminance of red", flash.luminance.sum, 13933);
  check_near ("red up", flash.red.up, 1, 0);
  check_near ("red down", flash.red.down, 0, 0);
  flash = flash_of_pixels (rgb, TRUE, srgb, red, black);
  check_near ("red down", flash.red.down, 1, 0);
  check_near ("red area", flash.red.area, 1, 0);
  check_near ("red mean", flash.red.mean, 0, 0);
  flash = flash_of_pixels (rgb, TRUE, srgb, black, pale);
  check_int ("pale", flash.red.sum, 0);
  flash = flash_of_pixels (rgb, TRUE, srgb, black, saturated);
  check_near ("saturated", flash.red.mean, 1 - 0.2462, 0.0001);
  flash = flash_of_pixels (rgb, TRUE, srgb, darker, black);
  check_near ("less than a step", flash.red.down, 0, 0);
  check_near ("its area", flash.red.area, 1, 0);
  flash = flash_of_pixels (rgb, TRUE, srgb, step, black);
  check_near ("a step", flash.red.down, 1, 0);
}

/* Ranges and transfer functions */
static void
check_light (void)
{
  static const guint32 black[] = { 16, 128, 128 }, white[] = { 235, 128, 128 };
  static const guint32 red[] = { 63, 102, 240 };
  static const guint32 limited[] = { 235, 16, 16 };
  /* PQ of 10 bits: 99.91, 203.7 cd/m² */
  static const guint32 pq_100[] = { 509, 512, 512 }, pq_203[] = { 573, 512, 512 };
  /* HLG of 0.5: 50.7 cd/m² */
  static const guint32 hlg_51[] = { 502, 512, 512 };
  static const guint32 hlg_color[] = { 191, 128, 64 }, hlg_red[] = { 128, 0, 0 };
  static const guint32 hlg_dark[] = { 0, 0, 0 };
  const GstVideoFormat yuv = GST_VIDEO_FORMAT_Y444;
  const GstVideoFormat deep = GST_VIDEO_FORMAT_Y444_10LE;
  ReferenceFlash flash = flash_of_pixels (yuv, FALSE, GST_VIDEO_TRANSFER_BT709,
      black, white);

  check_int ("white", flash.luminance.sum, 65535);
  check_near ("up", flash.luminance.up, 1, 0);
  flash = flash_of_pixels (yuv, FALSE, GST_VIDEO_TRANSFER_BT709, white, red);
  check_near ("red of YUV", flash.red.mean, 1, 0.01);
  flash = flash_of_pixels (GST_VIDEO_FORMAT_RGB, FALSE,
      GST_VIDEO_TRANSFER_BT709, limited, limited);
  check_int ("limited RGB", flash.red.sum, 65535);
  flash = flash_of_pixels (deep, FALSE, GST_VIDEO_TRANSFER_SMPTE2084, pq_100,
      pq_203);
  check_int ("more than 200 cd/m²", flash.luminance.sum, 65535);
  check_near ("from 100", flash.luminance.up, 1, 0);
  flash = flash_of_pixels (deep, FALSE, GST_VIDEO_TRANSFER_SMPTE2084, pq_203,
      pq_100);
  check_near ("100 cd/m²", flash.luminance.mean, 99.91 / 200, 0.003);
  flash = flash_of_pixels (deep, FALSE, GST_VIDEO_TRANSFER_ARIB_STD_B67,
      pq_203, hlg_51);
  check_near ("50.7 cd/m²", flash.luminance.mean, 50.7 / 200, 0.002);

  /* The light of HLG's R depends on G and B: 174.62, 55.63 and 13.91 cd/m²; 39.17 cd/m² */
  flash = flash_of_pixels (GST_VIDEO_FORMAT_RGB, TRUE,
      GST_VIDEO_TRANSFER_ARIB_STD_B67, hlg_dark, hlg_color);
  check_near ("HLG", flash.luminance.mean, 0.3896, 0.0002);
  check_near ("no red", flash.red.mean, 0, 0);
  flash = flash_of_pixels (GST_VIDEO_FORMAT_RGB, TRUE,
      GST_VIDEO_TRANSFER_ARIB_STD_B67, hlg_dark, hlg_red);
  check_near ("red of HLG", flash.red.mean, 0.19586, 0.0002);
  check_near ("its step", flash.red.up, 1, 0);
}

/* 7 x 8 pixels in 6 x 6 cells: the last cell of a row has two columns, the third and the last row of cells have two
 * rows. */
static void
check_cells (void)
{
  static const guint columns[] = { 1, 1, 1, 1, 1, 2 };
  static const guint rows[] = { 1, 1, 2, 1, 1, 2 };
  guint32 old[7 * 8], now[7 * 8];
  ReferencePicture p, q;
  ReferenceMeasures m;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (old); i++) {
    old[i] = 0;
    now[i] = i == 4 * 7 + 6 ? 255 : 0;
  }
  p = gray_picture (7, 8, old);
  q = gray_picture (7, 8, now);
  m = measures_of (&q, &p);
  for (i = 0; i < 36; i++) {
    const ReferenceCell *cell = &m.flash.cells[i];
    const gboolean has_changed = i == 3 * 6 + 5;

    check_int ("pixels", cell->n_pixels, columns[i % 6] * rows[i / 6]);
    check_int ("luminance", cell->luminance, has_changed ? 65535 : 0);
    check_int ("area", cell->luminance_area, has_changed);
    check_int ("red", cell->red, 0);
    check_int ("red's area", cell->red_area, 0);
  }
  reference_measures_clear (&m);

  /* Without a previous picture there is no change. */
  m = measures_of (&q, NULL);
  check_int ("luminance", m.flash.cells[3 * 6 + 5].luminance, 65535);
  check_int ("no area", m.flash.cells[3 * 6 + 5].luminance_area, 0);
  check_near ("mean", m.flash.luminance.mean, 1.0 / 56, 1e-15);
  check_nan ("area", m.flash.luminance.area);
  check_nan ("up", m.flash.luminance.up);
  check_nan ("red's area", m.flash.red.area);
  reference_measures_clear (&m);
  reference_picture_clear (&p);
  reference_picture_clear (&q);
}

void
check_flash (void)
{
  check_luminance ();
  check_red ();
  check_light ();
  check_cells ();
}
