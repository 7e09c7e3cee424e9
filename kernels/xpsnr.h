/* XPSNR: PSNR whose squared errors are weighed, block by block, by how active the reference is there, in space and in
 * time, as FFmpeg's filter xpsnr computes it (libavfilter/vf_xpsnr.c; C. R. Helmrich et al., "XPSNR: a low-complexity
 * extension of the perceptually weighted PSNR", ICASSP 2020).
 *
 * 1. The leading component (Y, or G of RGB) is divided into blocks of side x side samples, from the first sample on. The
 *    blocks of other components cover the same part of the picture. What is left at the right and below is a block, too.
 * 2. An engine adds up integers in each block: HistoXpsnrBlock.
 * 3. The host makes the weights of the blocks, and adds up the weighed errors. So both engines give equal results.
 *
 * Pictures of more than HISTO_XPSNR_MOST_SAMPLES samples are filtered in cells of 2 x 2 samples. The original reads
 * beyond the picture if its width or height is odd then. Here the samples at the edge are repeated.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_KERNEL_XPSNR_H
#define HISTO_KERNEL_XPSNR_H

#include <math.h>

#include "kernels/shared.h"

/* Components that have an XPSNR: the native ones but alpha. */
#define HISTO_XPSNR_COMPONENTS 3
/* A bit more than HD. */
#define HISTO_XPSNR_MOST_SAMPLES (2048u * 1152u)
/* From so many frames a second on, the change is that of the change. */
#define HISTO_XPSNR_HIGH_RATE 32
/* Weights count with those of their neighbours in pictures of up to so many samples. */
#define HISTO_XPSNR_SMOOTH_SAMPLES (640u * 480u)
/* The original loses the detail of blocks that are filtered in cells and have so few columns or less. */
#define HISTO_XPSNR_LOST_COLUMNS 12

/* What an engine adds up in a block. */
typedef struct
{
  uint64_t detail;              /* |histo_xpsnr_detail ()|, or |histo_xpsnr_detail_of_cell ()| of its cells */
  uint64_t change;              /* |histo_xpsnr_change ()|, or |histo_xpsnr_second_change ()|, of samples or sums of cells */
  uint64_t errors[HISTO_XPSNR_COMPONENTS];      /* squared */
} HistoXpsnrBlock;

/* How a picture is divided. */
typedef struct
{
  uint32_t width, height;       /* of the leading component, in samples */
  uint32_t side;                /* of a block, in these; 0: so small a picture is one block that is not weighed */
  uint32_t columns, rows;       /* blocks */
  uint32_t step;                /* 2: filtered in cells of 2 x 2 samples; else 1 */
} HistoXpsnrGrid;

HISTO_SHARED_FUNCTION HistoXpsnrGrid
histo_xpsnr_grid (uint32_t width, uint32_t height)
{
  HistoXpsnrGrid grid = { width, height, 0, 1, 1, 1 };

  if (width == 0 || height == 0)
    return grid;
  grid.side = 4 * (uint32_t) (32.0 * sqrt ((double) (width * height) / (3840.0 * 2160.0)) + 0.5);
  grid.step = width * height > HISTO_XPSNR_MOST_SAMPLES ? 2 : 1;
  if (grid.side > 0) {
    grid.columns = (width + grid.side - 1) / grid.side;
    grid.rows = (height + grid.side - 1) / grid.side;
  }
  return grid;
}

/* The side of a block in another component. @side: of the leading one; @n: of the other one's columns or rows, of which
 * the leading one has @of */
HISTO_SHARED_FUNCTION uint32_t
histo_xpsnr_side (uint32_t side, uint32_t n, uint32_t of)
{
  return side * n / of;
}

/* A block's columns or rows that are filtered, from *@begin to before *@end, of those of the picture. The filter does not
 * read beyond the picture: @step at its edges have no detail. @i: of the block; @n: of the picture */
HISTO_SHARED_FUNCTION void
histo_xpsnr_filtered (const HistoXpsnrGrid *grid, uint32_t i, uint32_t n, uint32_t *begin, uint32_t *end)
{
  const uint32_t first = i * grid->side;
  const uint32_t left = n - first > grid->step ? n - grid->step : first;

  *begin = i == 0 ? grid->step : first;
  *end = n - first > grid->side ? first + grid->side : left;
}

/* ---- Formulas ---------------------------------------------------------------------- */

/* High-pass. @sides, @corners: the sums of the four neighbours */
HISTO_SHARED_FUNCTION int32_t
histo_xpsnr_detail (int32_t sample, int32_t sides, int32_t corners)
{
  return 12 * sample - 2 * sides - corners;
}

/* High-pass of a cell. @cell: the sum of its samples; @sides: of the 8 next to it in its rows and columns; @corners: of
 * the 4 next to its corners; @around: of the 16 that are two away from it, without their corners */
HISTO_SHARED_FUNCTION int32_t
histo_xpsnr_detail_of_cell (int32_t cell, int32_t sides, int32_t corners, int32_t around)
{
  return 12 * cell - 3 * sides - 2 * corners - around;
}

/* @frame, @before, @before_that: a sample, or the sum of a cell's, in the frame and in the two before it */
HISTO_SHARED_FUNCTION int32_t
histo_xpsnr_change (int32_t frame, int32_t before)
{
  return frame - before;
}

HISTO_SHARED_FUNCTION int32_t
histo_xpsnr_second_change (int32_t frame, int32_t before, int32_t before_that)
{
  return frame - 2 * before + before_that;
}

/* ---- Weights ----------------------------------------------------------------------- */

/* How active a block is, at least what noise makes. Blocks that have no filtered samples count as 1. @x, @y: of the block */
HISTO_SHARED_FUNCTION double
histo_xpsnr_activity (const HistoXpsnrGrid *grid, const HistoXpsnrBlock *block, uint32_t x, uint32_t y, uint32_t depth)
{
  const double least = (double) (1u << (depth - 6));
  const uint32_t left = grid->width - x * grid->side, below = grid->height - y * grid->side;
  const uint32_t width = left < grid->side ? left : grid->side, height = below < grid->side ? below : grid->side;
  uint32_t begin_x, end_x, begin_y, end_y;
  double activity;

  histo_xpsnr_filtered (grid, x, grid->width, &begin_x, &end_x);
  histo_xpsnr_filtered (grid, y, grid->height, &begin_y, &end_y);
  if (end_x <= begin_x || end_y <= begin_y)
    return 1;
  activity = grid->step > 1 && end_x - x * grid->side <= HISTO_XPSNR_LOST_COLUMNS ? 0 :
      (double) block->detail / ((double) (end_x - begin_x) * (double) (end_y - begin_y));
  activity += (double) (2 * block->change) / ((double) width * (double) height);
  if (activity < least)
    activity = least;
  return activity * activity;
}

HISTO_SHARED_FUNCTION double
histo_xpsnr_greater (double a, double b)
{
  return a > b ? a : b;
}

/* Small pictures: a weight is at most the greatest of its neighbours, some of which are limited already. @i: of the block
 * whose weight was made last, in column @x; the weight before it is final then */
HISTO_SHARED_FUNCTION void
histo_xpsnr_smooth (const HistoXpsnrGrid *grid, double *weights, uint32_t i, uint32_t x)
{
  const uint32_t columns = grid->columns;
  double most;

  if (x == 0)
    most = i > 1 ? weights[i - 2] : 0;
  else
    most = x > 1 ? histo_xpsnr_greater (weights[i - 2], weights[i]) : weights[i];
  if (i > columns)
    most = histo_xpsnr_greater (most, weights[i - 1 - columns]);
  if (i > 0 && weights[i - 1] > most)
    weights[i - 1] = most;
  if (i + 1 < columns * grid->rows || i <= columns)
    return;
  most = histo_xpsnr_greater (weights[i - 1], weights[i - columns]);
  if (weights[i] > most)
    weights[i] = most;
}

/* @depth: of the leading component; @weights: (out): of all blocks, row by row */
HISTO_SHARED_FUNCTION void
histo_xpsnr_weigh (const HistoXpsnrGrid *grid, const HistoXpsnrBlock *blocks, uint32_t depth, double *weights)
{
  const int is_smooth = grid->width * grid->height <= HISTO_XPSNR_SMOOTH_SAMPLES;

  for (uint32_t i = 0; i < grid->columns * grid->rows; i++) {
    const uint32_t x = i % grid->columns;

    weights[i] = 1 / sqrt (histo_xpsnr_activity (grid, &blocks[i], x, i / grid->columns, depth));
    if (is_smooth)
      histo_xpsnr_smooth (grid, weights, i, x);
  }
}

/* The root of the weighed errors of component @c. */
HISTO_SHARED_FUNCTION double
histo_xpsnr_distance (const HistoXpsnrGrid *grid, const HistoXpsnrBlock *blocks, const double *weights, uint32_t c,
    uint32_t depth)
{
  const double share = (double) (grid->width * grid->height) / (3840.0 * 2160.0);
  const double scale =
      sqrt (16.0 * (double) ((uint64_t) 1 << (2 * depth - 9)) / sqrt (histo_xpsnr_greater (0.00001, share)));
  double sum = 0;

  if (grid->side == 0)
    return sqrt ((double) blocks[0].errors[c]);
  for (uint32_t i = 0; i < grid->columns * grid->rows; i++)
    sum += (double) blocks[i].errors[c] * weights[i];
  return sqrt ((double) (uint64_t) (sum * scale + 0.5));
}

/* In dB; infinite if the frames are equal. @distances: the sum of histo_xpsnr_distance () of @n_frames; @n: samples of
 * the component in a frame; @depth: its depth */
HISTO_SHARED_FUNCTION double
histo_xpsnr_of (double distances, uint64_t n_frames, uint64_t n, uint32_t depth)
{
  const uint64_t max = ((uint64_t) 1 << depth) - 1;
  const double mean = distances / (double) n_frames;

  return distances < (double) n_frames ? (double) INFINITY : 10 * log10 ((double) (n * max * max) / (mean * mean));
}

#endif /* HISTO_KERNEL_XPSNR_H */
