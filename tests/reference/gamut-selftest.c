/* gamut-selftest.c: checks the reference's groups gamut and gamut-filter on tiny pictures.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include <string.h>

#include "measures-selftest.h"

/* A picture of one pixel, and what the reference finds. */
static ReferenceGamut
gamut_of_pixel (GstVideoFormat format, GstVideoColorMatrix matrix,
    gboolean full, guint32 a, guint32 b, guint32 c)
{
  const guint32 *samples[4] = { &a, &b, &c, NULL };
  GstVideoColorimetry described = colorimetry (full
      ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235, matrix,
      GST_VIDEO_TRANSFER_BT709);
  ReferencePicture picture;
  ReferenceMeasures m;

  check_int ("the format is known", reference_picture_init_samples (&picture,
          format, 1, 1, &described, samples), TRUE);
  m = measures_of (&picture, NULL);
  /* The filter does not change a single pixel. */
  check_int ("filtered", memcmp (m.gamut_filter.n_out, m.gamut.n_out,
          sizeof m.gamut.n_out), 0);
  reference_measures_clear (&m);
  reference_picture_clear (&picture);
  return m.gamut;
}

/* @out: r, g, b, y and any, as digits */
static void
check_pixel (const gchar * what, const ReferenceGamut * found, gint r, gint g,
    gint b, gint y, const gchar * out)
{
  const gint codes[4] = { r, g, b, y };
  guint i;

  for (i = 0; i < 4; i++) {
    check_int (what, found->least[i], codes[i]);
    check_int (what, found->greatest[i], codes[i]);
  }
  for (i = 0; i < 5; i++) {
    check_int (what, found->n_out[i], out[i] - '0');
    check_near (what, found->out[i], out[i] - '0', 0);
  }
}

static void
check_codes (void)
{
  const GstVideoColorMatrix bt601 = GST_VIDEO_COLOR_MATRIX_BT601;
  const GstVideoColorMatrix bt709 = GST_VIDEO_COLOR_MATRIX_BT709;
  const GstVideoFormat yuv = GST_VIDEO_FORMAT_Y444;
  ReferenceGamut g = gamut_of_pixel (yuv, bt709, FALSE, 235, 240, 240);

  check_pixel ("BT.709", &g, 407, 163, 438, 235, "10101");
  check_near ("R's per cent", g.max[REFERENCE_GAMUT_R], 178.5, 0.05);
  check_near ("G's per cent", g.min[REFERENCE_GAMUT_G], 67.1, 0.05);
  check_near ("B's per cent", g.max[REFERENCE_GAMUT_B], 192.7, 0.05);
  check_near ("Y's per cent", g.max[REFERENCE_GAMUT_Y], 100, 0);
  g = gamut_of_pixel (yuv, bt601, FALSE, 235, 240, 240);
  check_pixel ("BT.601", &g, 389, 119, 429, 235, "10101");
  g = gamut_of_pixel (yuv, bt709, FALSE, 63, 102, 240);
  check_pixel ("red", &g, 235, 17, 16, 63, "00000");
  g = gamut_of_pixel (yuv, bt709, FALSE, 0, 16, 16);
  check_pixel ("below", &g, -172, 72, -203, 0, "10111");

  g = gamut_of_pixel (yuv, bt709, FALSE, 246, 128, 128);
  check_pixel ("246", &g, 246, 246, 246, 246, "00000");
  g = gamut_of_pixel (yuv, bt709, FALSE, 247, 128, 128);
  check_pixel ("247", &g, 247, 247, 247, 247, "11111");
  g = gamut_of_pixel (yuv, bt709, FALSE, 5, 128, 128);
  check_pixel ("5", &g, 5, 5, 5, 5, "00000");
  g = gamut_of_pixel (yuv, bt709, FALSE, 4, 128, 128);
  check_pixel ("4", &g, 4, 4, 4, 4, "11111");
  check_near ("less than black", g.min[REFERENCE_GAMUT_R], -1200 / 219.0,
      1e-12);

  /* Full range cannot lie outside without chroma; 179 = 128 + 51 of 255: R is 15.5 + 219 / 255 * 1.5748 * 51 */
  g = gamut_of_pixel (yuv, bt709, TRUE, 0, 128, 128);
  check_pixel ("full black", &g, 16, 16, 16, 16, "00000");
  g = gamut_of_pixel (yuv, bt709, TRUE, 255, 128, 128);
  check_pixel ("full white", &g, 235, 235, 235, 235, "00000");
  g = gamut_of_pixel (yuv, bt709, TRUE, 255, 128, 179);
  check_pixel ("full red", &g, 304, 214, 235, 235, "10001");

  /* 0.2126 * 247 + 0.7874 * 16 = 65.1 */
  g = gamut_of_pixel (GST_VIDEO_FORMAT_RGB, bt709, FALSE, 247, 16, 16);
  check_pixel ("RGB", &g, 247, 16, 16, 65, "10001");
  g = gamut_of_pixel (GST_VIDEO_FORMAT_RGB, bt709, FALSE, 16, 4, 246);
  check_pixel ("RGB with G", &g, 16, 4, 246, 24, "01001");
  g = gamut_of_pixel (GST_VIDEO_FORMAT_RGB, bt709, TRUE, 0, 255, 255);
  check_pixel ("full RGB", &g, 16, 235, 235, 188, "00000");
  g = gamut_of_pixel (GST_VIDEO_FORMAT_RGB, bt709, FALSE, 255, 255, 255);
  check_pixel ("white RGB", &g, 255, 255, 255, 255, "11111");
}

/* The limits of each depth, as gray. */
static void
check_limits (void)
{
  static const struct
  {
    GstVideoFormat format;
    gint least, greatest;
  } depths[] = {
    {GST_VIDEO_FORMAT_GRAY8, 5, 246},
    {GST_VIDEO_FORMAT_GRAY10_LE32, 20, 984},
    {GST_VIDEO_FORMAT_Y444_12LE, 81, 3935},
    {GST_VIDEO_FORMAT_GRAY16_LE, 1293, 62963},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (depths); i++) {
    const gint least = depths[i].least, greatest = depths[i].greatest;
    gint code;

    for (code = least - 1; code <= greatest + 1;
        code = code == least ? greatest : code + 1) {
      const ReferenceGamut g = gamut_of_pixel (depths[i].format,
          GST_VIDEO_COLOR_MATRIX_BT709, FALSE, code, 2048, 2048);

      check_int ("grey", g.least[REFERENCE_GAMUT_G], code);
      check_int ("outside", g.n_out[REFERENCE_GAMUT_ANY],
          code < least || code > greatest);
    }
  }
}

static ReferenceGamutFilter
filtered (guint width, guint height, guint row_step, const guint32 * samples,
    const ReferenceRectangle * region, guint64 * n_unfiltered)
{
  ReferencePicture p = picture_of (GST_VIDEO_FORMAT_GRAY8, width, height,
      FALSE, samples, NULL, NULL);
  ReferenceMeasures m;

  p.row_step = row_step;
  reference_measures (&p, NULL, region, REFERENCE_ALL_GROUPS, NULL, &m);
  *n_unfiltered = m.gamut.n_out[REFERENCE_GAMUT_ANY];
  reference_measures_clear (&m);
  reference_picture_clear (&p);
  return m.gamut_filter;
}

#define FILTERED_WIDTH 12
#define FILTERED_HEIGHT 9

/* A grey picture with a column, or with rows, of another code. */
static void
check_filter (void)
{
  const ReferenceRectangle whole = { 0, 0, FILTERED_WIDTH, FILTERED_HEIGHT };
  const ReferenceRectangle column = { 5, 0, 1, FILTERED_HEIGHT };
  const ReferenceRectangle row = { 0, 3, FILTERED_WIDTH, 1 };
  guint32 samples[FILTERED_WIDTH * FILTERED_HEIGHT];
  ReferenceGamutFilter f;
  guint64 n;
  guint i;

  /* 16 + 234 * 4 / 16 = 74.5, 75 when rounded */
  for (i = 0; i < G_N_ELEMENTS (samples); i++)
    samples[i] = i % FILTERED_WIDTH == 5 ? 250 : 16;
  f = filtered (FILTERED_WIDTH, FILTERED_HEIGHT, 1, samples, &whole, &n);
  check_int ("unfiltered column", n, FILTERED_HEIGHT);
  check_int ("column", f.n_out[REFERENCE_GAMUT_ANY], 0);
  check_near ("share", f.out[REFERENCE_GAMUT_ANY], 0, 0);
  /* The region has this column alone. */
  f = filtered (FILTERED_WIDTH, FILTERED_HEIGHT, 1, samples, &column, &n);
  check_int ("region", f.n_out[REFERENCE_GAMUT_ANY], FILTERED_HEIGHT);
  check_near ("region's share", f.out[REFERENCE_GAMUT_R], 1, 0);

  /* At the picture's edge the column is repeated: (4 + 3 + 2 + 1) / 16 of it. */
  for (i = 0; i < G_N_ELEMENTS (samples); i++)
    samples[i] = i % FILTERED_WIDTH == 0 ? 255 : 226;
  /* 226 + 29 * 10 / 16 = 244.1 */
  f = filtered (FILTERED_WIDTH, FILTERED_HEIGHT, 1, samples, &whole, &n);
  check_int ("edge", f.n_out[REFERENCE_GAMUT_ANY], 0);
  /* 231 + 24 * 10 / 16 = 246, 232 + 23 * 10 / 16 = 246.4, 233 + 22 * 10 / 16 = 246.75; next to it 7 / 16 */
  for (i = 0; i < G_N_ELEMENTS (samples); i++)
    samples[i] = i % FILTERED_WIDTH == 0 ? 255 : 232;
  f = filtered (FILTERED_WIDTH, FILTERED_HEIGHT, 1, samples, &whole, &n);
  check_int ("edge of 232", f.n_out[REFERENCE_GAMUT_ANY], 0);
  for (i = 0; i < G_N_ELEMENTS (samples); i++)
    samples[i] = i % FILTERED_WIDTH == 0 ? 255 : 233;
  f = filtered (FILTERED_WIDTH, FILTERED_HEIGHT, 1, samples, &whole, &n);
  check_int ("edge of 233", f.n_out[REFERENCE_GAMUT_ANY], FILTERED_HEIGHT);

  /* Odd rows of 250: (250 + 16) / 2 = 133 inside; at the ends 0 and 8, which are even, less. Inside of a field
   * nothing changes: 4 rows. */
  for (i = 0; i < G_N_ELEMENTS (samples); i++)
    samples[i] = i / FILTERED_WIDTH % 2 == 1 ? 250 : 16;
  f = filtered (FILTERED_WIDTH, FILTERED_HEIGHT, 1, samples, &whole, &n);
  check_int ("unfiltered rows", n, 4 * FILTERED_WIDTH);
  check_int ("rows", f.n_out[REFERENCE_GAMUT_ANY], 0);
  f = filtered (FILTERED_WIDTH, FILTERED_HEIGHT, 2, samples, &whole, &n);
  check_int ("rows of a field", f.n_out[REFERENCE_GAMUT_ANY],
      4 * FILTERED_WIDTH);
  f = filtered (FILTERED_WIDTH, FILTERED_HEIGHT, 1, samples, &row, &n);
  check_int ("a region's row", f.n_out[REFERENCE_GAMUT_ANY], FILTERED_WIDTH);

  /* Two rows of 250: (3 * 250 + 16) / 4 = 191.5 in each; of four, two are whole. */
  for (i = 0; i < G_N_ELEMENTS (samples); i++)
    samples[i] = i / FILTERED_WIDTH >= 3 && i / FILTERED_WIDTH < 7 ? 250 : 16;
  f = filtered (FILTERED_WIDTH, FILTERED_HEIGHT, 1, samples, &whole, &n);
  check_int ("four rows", f.n_out[REFERENCE_GAMUT_ANY], 2 * FILTERED_WIDTH);
}

/* U of the right pixel is that of the left one; the picture has no pixel at all. */
static void
check_regions (void)
{
  static const guint32 y[] = { 235, 16 }, u[] = { 240 }, v[] = { 240 };
  ReferencePicture p = picture_of (GST_VIDEO_FORMAT_Y42B, 2, 1, FALSE, y, u, v);
  ReferenceMeasures m = measures_of (&p, NULL);

  check_int ("greatest R", m.gamut.greatest[REFERENCE_GAMUT_R], 407);
  check_int ("least R", m.gamut.least[REFERENCE_GAMUT_R], 188);
  check_int ("both B", m.gamut.n_out[REFERENCE_GAMUT_B], 1);
  check_int ("any", m.gamut.n_out[REFERENCE_GAMUT_ANY], 2);
  reference_measures_clear (&m);
  m = measures_of_region (&p, 0, 0, 0, 1);
  check_int ("no pixel", m.gamut.n_out[REFERENCE_GAMUT_ANY], 0);
  check_nan ("its share", m.gamut.out[REFERENCE_GAMUT_ANY]);
  check_nan ("its minimum", m.gamut.min[0]);
  check_nan ("its filtered share", m.gamut_filter.out[REFERENCE_GAMUT_ANY]);
  reference_measures_clear (&m);
  reference_picture_clear (&p);
}

/* The chroma of the pixels of six rows, which the planes have in three. @rows: of chroma, as digits. R is luma and 1.54
 * times the rest of V: 128 + 1.5397 (100 - 128) = 84.9, 128, 128 + 1.5397 (150 - 128) = 161.9 */
static void
check_rows_of_chroma (guint row_step, guint first_row, const gchar * rows)
{
  static const guint32 y[] = { 128, 128, 128, 128, 128, 128 };
  static const guint32 u[] = { 128, 128, 128 }, v[] = { 100, 128, 150 };
  static const guint r[] = { 85, 128, 162 };
  ReferencePicture p = picture_of (GST_VIDEO_FORMAT_I420, 1, 6, FALSE, y, u, v);
  ReferenceMeasures m;
  guint i;

  p.row_step = row_step;
  p.first_row = first_row;
  for (i = 0; i < 6; i++) {
    m = measures_of_region (&p, 0, i, 1, 1);
    check_int (rows, m.gamut.greatest[REFERENCE_GAMUT_R], r[rows[i] - '0']);
    /* Chroma samples themselves are those of the frame's rows. */
    check_int ("a sample of V", m.native[2].counts[v[i / 2]], 1);
    check_int ("a sample of saturation", m.signal.saturation.n, 1);
    check_int ("its value", m.signal.saturation.counts[ABS ((gint) v[i / 2] - 128)], 1);
    reference_measures_clear (&m);
  }
  reference_picture_clear (&p);
}

/* Row y of an interlaced frame has the chroma of row 2 (y / 4) + y % 2, if the picture has that. */
static void
check_fields (void)
{
  check_rows_of_chroma (1, 0, "001122");
  check_rows_of_chroma (2, 0, "010121");
  check_rows_of_chroma (2, 1, "101212");
  check_rows_of_chroma (2, 2, "101212");
  check_rows_of_chroma (2, 3, "012121");
  check_rows_of_chroma (2, 4, "010121");
}

void
check_gamut (void)
{
  check_codes ();
  check_limits ();
  check_filter ();
  check_fields ();
  check_regions ();
}
