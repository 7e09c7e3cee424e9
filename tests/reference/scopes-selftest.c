/* scopes-selftest.c: checks the reference's scopes on tiny pictures.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "measures-selftest.h"

#define BIN(row, column) (256 * (row) + (column))

static void
check_yuv (void)
{
  static const guint32 y[] = { 16, 235, 16 };
  static const guint32 u[] = { 109, 1, 109 };
  static const guint32 v[] = { 212, 255, 212 };
  static const guint32 waveform[] = { BIN (16, 0), BIN (235, 85), BIN (16, 170) };
  static const guint32 vectors[] = { BIN (212, 109), BIN (255, 1), BIN (212, 109) };
  static const guint32 in_region[] = { BIN (235, 0), BIN (16, 128) };
  ReferencePicture p = picture_of (GST_VIDEO_FORMAT_Y444, 3, 1, FALSE, y, u, v);
  ReferenceMeasures m = measures_of (&p, NULL);
  ReferenceMeasures region = measures_of_region (&p, 1, 0, 2, 1);

  check_values ("waveform", &m.scopes.waveform, waveform, 3);
  check_values ("vectorscope", &m.scopes.vectorscope, vectors, 3);
  check_values ("waveform of a region", &region.scopes.waveform, in_region, 2);
  /* The group color is on. */
  check_int ("parade", m.scopes.parade[2].n, 3);
  reference_measures_clear (&m);
  reference_measures_clear (&region);
  reference_picture_clear (&p);
}

/* 75 % red by BT.709: RGB; and ten bits, with two pixels for each sample of chroma. */
static void
check_red (void)
{
  static const guint32 samples[] = { 180, 16, 16 };
  static const guint32 y[] = { 204, 205 };
  static const guint32 u[] = { 436 };
  static const guint32 v[] = { 848 };
  static const guint32 red[] = { BIN (212, 109) };
  static const guint32 full[] = { BIN (180, 0) };
  ReferencePicture rgb = picture_of (GST_VIDEO_FORMAT_GBR, 1, 1, FALSE,
      &samples[0], &samples[1], &samples[2]);
  ReferencePicture yuv = picture_of (GST_VIDEO_FORMAT_I422_10LE, 2, 1, FALSE,
      y, u, v);
  ReferenceMeasures m = measures_of (&rgb, NULL);

  check_values ("red", &m.scopes.vectorscope, red, 1);
  check_values ("R of red", &m.scopes.parade[0], full, 1);
  reference_measures_clear (&m);
  m = measures_of (&yuv, NULL);
  check_values ("red of YUV", &m.scopes.vectorscope, red, 1);
  check_int ("its luma", m.scopes.waveform.counts[BIN (51, 0)], 1);
  check_int ("its luma", m.scopes.waveform.counts[BIN (51, 128)], 1);
  reference_measures_clear (&m);
  reference_picture_clear (&rgb);
  reference_picture_clear (&yuv);
}

static void
check_gray (void)
{
  static const guint32 y[] = { 7 };
  ReferencePicture p = gray_picture (1, 1, y);
  ReferenceMeasures m = measures_of (&p, NULL);

  check_int ("waveform of grey", m.scopes.waveform.counts[BIN (7, 0)], 1);
  check_int ("no vectorscope", m.scopes.vectorscope.name == NULL, TRUE);
  check_int ("no parade", m.scopes.parade[0].name == NULL, TRUE);
  reference_measures_clear (&m);
  reference_picture_clear (&p);
}

void
check_scopes (void)
{
  check_yuv ();
  check_red ();
  check_gray ();
}
