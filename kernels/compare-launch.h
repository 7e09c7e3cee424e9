/* Launch parameters of the kernels that compare two pictures: what the plan and the kernels must agree on.
 *
 * A pair of pictures needs these launches, in this order:
 * 1. `extract_planes`, for each of the two whose samples the other kernels cannot read where they lie.
 * 2. One of HISTO_COMPARE_KERNELS for each HISTO_COMPARE_PLANES planes of all regions, or fewer.
 * 3. With XPSNR one of `xpsnr_bytes` and `xpsnr_words` for each region.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_KERNEL_COMPARE_LAUNCH_H
#define HISTO_KERNEL_COMPARE_LAUNCH_H

#include "kernels/formulas.h"
#include "kernels/planes.h"
#include "kernels/shared.h"
#include "kernels/xpsnr.h"

/* X (name, class of kernels/compare/samples.cuh): samples of up to 8 bits in bytes; in words, of up to 12 bits, and of
 * more. */
#define HISTO_COMPARE_KERNELS(X) \
  X (bytes, ComparedBytes) \
  X (words, ComparedWords) \
  X (deep, ComparedDeep)

#define HISTO_COMPARE_KERNEL_ID(name, samples) HISTO_COMPARE_##name,
enum
{
  HISTO_COMPARE_KERNELS (HISTO_COMPARE_KERNEL_ID)
  HISTO_N_COMPARE_KERNELS
};

#define HISTO_COMPARE_THREADS 256
#define HISTO_COMPARE_WARPS (HISTO_COMPARE_THREADS / 32)

/* Bytes of a row that a lane loads of each picture, and lanes of a warp whose samples it counts: the last lane has the
 * neighbours of the others, except at the end of a row. */
#define HISTO_COMPARE_LANE_BYTES 16
#define HISTO_COMPARE_LANES 31

/* The side of a block of samples, in samples. Windows of SSIM are 2 x 2 blocks, one at each block. */
#define HISTO_COMPARE_BLOCK 4

/* A warp compares so many rows of blocks at most. The squared differences of bytes that a warp adds up then fit in 32
 * bits. */
#define HISTO_COMPARE_MOST_BLOCK_ROWS 8

/* Windows are added up in units of 2^-36: integers, whose sum does not depend on the order. A window is at most 1, and
 * so many of them fit in 63 bits. */
#define HISTO_COMPARE_SSIM_SHIFT 36
#define HISTO_COMPARE_MOST_WINDOWS (1u << 26)

/* What is counted of a component. All is zero if nothing differs and there are no windows. */
typedef struct
{
  uint64_t sse, different;
  uint64_t ssim;                /* of all windows, in two's complement */
  uint64_t max_difference;
  uint64_t before_x, before_y;  /* columns of the rectangle from the first one that differs on; rows */
  uint64_t after_x, after_y;    /* behind the last one that differs */
} HistoCompareSums;

#define HISTO_COMPARE_N_SUMS (sizeof (HistoCompareSums) / sizeof (uint64_t))
/* The first ones of these are sums; of the others the greatest one counts. */
#define HISTO_COMPARE_N_ADDED 3

/* One number of two parts of a component together. */
HISTO_SHARED_FUNCTION uint64_t
histo_compare_join (uint32_t i, uint64_t a, uint64_t b)
{
  return i < HISTO_COMPARE_N_ADDED ? a + b : a > b ? a : b;
}

/* The same rectangle of a plane of both pictures: of one component, or of two whose samples are in turn. */
typedef struct
{
  uint64_t data[2];             /* addresses of the rectangle's first row */
  int64_t stride[2];            /* bytes */
  int64_t c1, c2;               /* histo_ssim_constant () */
  uint32_t width, height;       /* samples of each component; rows */
  uint32_t n_strips;            /* HISTO_COMPARE_LANES lanes, or for the last one up to one more */
  uint32_t block_rows;          /* rows of blocks of a warp; the last one may have fewer than four rows of samples */
  uint32_t n_longer;            /* so many warps, the upper ones, have one more */
  uint8_t is_pair;              /* two components, in turn */
  uint8_t is_aligned;           /* all rows of both pictures begin at multiples of HISTO_COMPARE_LANE_BYTES */
} HistoComparePlane;

#define HISTO_COMPARE_PLANES 32

typedef struct
{
  uint64_t result;              /* in page-locked host memory: HistoCompareSums[2] for each block. The host adds them
                                 * up: a last block that did would begin when all others have ended */
  uint32_t n_planes;
  uint32_t has_ssim;
  /* A sample of words: (word, with its bytes in the order of the selector of __byte_perm (), >> shift) & mask, two words
   * at once. Of each picture. */
  uint32_t selector[2], shift[2], mask[2];
  uint32_t first_block[HISTO_COMPARE_PLANES + 1];
  HistoComparePlane planes[HISTO_COMPARE_PLANES];
} HistoCompareLaunch;

/* Lanes of a row. */
HISTO_SHARED_FUNCTION uint32_t
histo_compare_lanes (uint64_t row_bytes)
{
  return (uint32_t) ((row_bytes + HISTO_COMPARE_LANE_BYTES - 1) / HISTO_COMPARE_LANE_BYTES);
}

/* ---- XPSNR ------------------------------------------------------------------------- */

#define HISTO_XPSNR_THREADS 256

/* A region: the same rectangle of both pictures, and of the two of the reference before. */
typedef struct
{
  HistoXpsnrGrid grid;          /* a block of threads for each of its blocks */
  uint32_t n_components;        /* without alpha */
  uint32_t leading;             /* the component that has the activity */
  uint32_t is_second;           /* the change is that of the change */
  uint32_t is_aligned;          /* all words lie at even addresses */
  uint32_t selector[2], shift[2], mask[2];      /* as in HistoCompareLaunch, for one word */
  uint32_t period[HISTO_XPSNR_COMPONENTS];      /* bytes from a sample to the next one */
  uint32_t width[HISTO_XPSNR_COMPONENTS], height[HISTO_XPSNR_COMPONENTS];       /* samples of the region */
  uint32_t side_x[HISTO_XPSNR_COMPONENTS], side_y[HISTO_XPSNR_COMPONENTS];      /* of a block */
  uint32_t has_words[HISTO_XPSNR_COMPONENTS];   /* bytes, without others between them, of which four can be read at once */
  uint64_t data[2][HISTO_XPSNR_COMPONENTS];     /* addresses of the region's first row, in the picture and in the reference */
  int64_t stride[2][HISTO_XPSNR_COMPONENTS];    /* bytes */
  uint64_t before[2];           /* of the leading component in the frames before; 0: none, which counts as zeros */
  int64_t before_stride[2];
  uint64_t result;              /* in page-locked host memory: a HistoXpsnrBlock for each block */
} HistoXpsnrLaunch;

/* ---- Extraction -------------------------------------------------------------------- */

#define HISTO_EXTRACT_PLANES_THREADS 256

/* Writes a plane of bytes or of 16-bit words for each component of a picture. */
typedef struct
{
  uint32_t n_components;
  uint32_t bytes;               /* of a sample of the planes */
  uint64_t data[HISTO_MAX_COMPONENTS];  /* addresses; multiples of 8 */
  uint32_t stride[HISTO_MAX_COMPONENTS];        /* bytes: multiples of 8, with room for whole quads */
  HistoComponentSamples components[HISTO_MAX_COMPONENTS];
  HistoPlane planes[HISTO_MAX_PLANES];
} HistoExtractPlanesLaunch;

#endif /* HISTO_KERNEL_COMPARE_LAUNCH_H */
