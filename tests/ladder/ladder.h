/* The ladder: what its host program and its kernels agree on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LADDER_H
#define LADDER_H

#include "kernels/shared.h"

/* The orders of matrices: with the right-hand side a row has whole warps of elements. */
#define LADDER_ORDERS(X) X (31) X (127) X (511)

/* What the data are. The first three hold the same small integers, so that every sum of
 * any of them is exact in each type, in whatever order it is taken. */
typedef enum
{
  LADDER_INT,                   /* int32_t */
  LADDER_FLOAT,
  LADDER_HALF,
  LADDER_UNIFORM_8,             /* bytes: all values alike often */
  LADDER_RUNS_8,                /* 16 equal neighbours each time, as in drawn pictures */
  LADDER_CONSTANT_8,
  LADDER_UNIFORM_16,            /* the same of 16 bits */
  LADDER_RUNS_16,
  LADDER_CONSTANT_16,
  LADDER_SAMPLES,               /* 32-bit words, of which none is like another by rule */
#define X(order) LADDER_ORDER_##order,  /* double: matrices, see elimination.cuh */
  LADDER_ORDERS (X)
#undef X
  LADDER_N_CONTENTS
} LadderContent;

/* The upper half of a slot whose lower half is a block's sum. */
#define LADDER_ARRIVED 1u

/* All that a kernel is told. Addresses are of device memory. */
typedef struct
{
  uint64_t data;                /* n elements, aligned to 16 bytes */
  /* One sum; or a uint32_t for each bin; or n words, channel by channel. */
  uint64_t result;
  uint64_t partials;            /* room for a sum from each block */
  uint64_t slots;               /* a uint64_t for each block: none has a sum between launches */
  uint64_t ticket;              /* a uint32_t or uint64_t: zero between launches */
  uint32_t n;
  uint32_t content;             /* LadderContent; for ladder_fill alone */
} LadderTask;

/* Threads of a block: of the steps that take an element or two each, and of those that go
 * on until all is read. */
#define LADDER_SMALL_BLOCK 256
#define LADDER_LARGE_BLOCK 1024
/* How many of the large ones a multiprocessor holds. */
#define LADDER_LARGE_BLOCKS 2
/* Vectors that each thread of a lone block reads, at most, before the last-block steps take
 * more blocks: one alone has no one to meet. */
#define LADDER_ALONE_VECTORS 4

#define LADDER_BINS_8 256
#define LADDER_BINS_16 65536
/* Blocks that share the counters of 65536 bins. */
#define LADDER_CLUSTER 4
#define LADDER_CLUSTER_BINS (LADDER_BINS_16 / LADDER_CLUSTER)

/* Percent, in the order of the plugin's own. */
#define LADDER_PERCENTILES { 1, 10, 50, 90, 99 }
#define LADDER_N_PERCENTILES 5
/* Numbers that each thread of ladder_primitives leaves. */
#define LADDER_FINDINGS 8

/* Interleaved audio: words of a frame. */
#define LADDER_CHANNELS 64
#define LADDER_TILE 32
#define LADDER_TILE_ROWS 8      /* threads: a tile's width times this */

/* Bits that look random; a different word for each i. */
HISTO_SHARED_FUNCTION uint32_t
ladder_hash (uint32_t i)
{
  i ^= i >> 16;
  i *= 0x7feb352du;
  i ^= i >> 15;
  i *= 0x846ca68bu;
  return i ^ i >> 16;
}

/* Where row i of a matrix begins, in elements; see elimination.cuh. */
HISTO_SHARED_FUNCTION uint32_t
ladder_row (uint32_t i)
{
  return i * (i + 5) / 2;
}

/* The last row ends at the diagonal. */
HISTO_SHARED_FUNCTION uint32_t
ladder_matrix_elements (uint32_t order)
{
  return ladder_row (order) - 1;
}

/* Element i of the matrices: from -1 to 1, and now and then 0 or 1, so that pivots are zero or alike. */
HISTO_SHARED_FUNCTION double
ladder_matrix_value (uint32_t i)
{
  const uint32_t bits = ladder_hash (i);

  return (bits & 15) == 0 ? (double) (bits >> 4 & 1) : (double) (int32_t) bits / 2147483648.0;
}

/* Element i of another content: a number of -2, -1, 1, 2 for sums, of which none can be lost
 * unnoticed; else the sample. */
HISTO_SHARED_FUNCTION int32_t
ladder_value (uint32_t content, uint32_t i)
{
  switch (content) {
    case LADDER_UNIFORM_8: return ladder_hash (i) & 0xff;
    case LADDER_RUNS_8: return ladder_hash (i / 16) & 0xff;
    case LADDER_CONSTANT_8: return 77;
    case LADDER_UNIFORM_16: return ladder_hash (i) & 0xffff;
    case LADDER_RUNS_16: return ladder_hash (i / 16) & 0xffff;
    case LADDER_CONSTANT_16: return 12345;
    case LADDER_SAMPLES: return (int32_t) ladder_hash (i);
    default: {
      const uint32_t bits = ladder_hash (i);
      const int32_t magnitude = 1 + (int32_t) (bits & 1);

      return bits & 2 ? magnitude : -magnitude;
    }
  }
}

#endif /* LADDER_H */
