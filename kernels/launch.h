/* Launch parameters: what the plan and the kernels must agree on.
 *
 * A launch of a frame has a HistoVideoLaunch as its only parameter, a launch of audio a
 * HistoAudioLaunch. If a frame or buffer needs two launches, both have the same parameters.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_KERNEL_LAUNCH_H
#define HISTO_KERNEL_LAUNCH_H

#include "kernels/binning.h"
#include "kernels/families.h"
#include "kernels/halves.h"
#include "kernels/planes.h"
#include "kernels/shared.h"

/* ---- Video: copies of the counters ------------------------------------------------- */

/* A block counts in 2^n copies of the plane's counters in shared memory. Instead of n, a
 * plane can have one of these two. */

/* A packed copy: one copy of 16-bit counters, for one component of 16 bits. */
#define HISTO_PACKED_COPY 0xfe
/* 32 copies of 16-bit counters, for the kernel `tens`. */
#define HISTO_HALF_COPIES 0xfd
/* No copy fits in shared memory: the blocks count in global memory. */
#define HISTO_NO_COPIES 0xff

/* The most units of 16 bytes that a thread of the kernel `tens` may count: then none of the
 * 16-bit counters overflows. One thread of each warp adds to a counter.
 * most: samples of one component in a unit */
HISTO_SHARED_FUNCTION uint32_t
histo_tens_most_units (uint32_t n_threads, uint32_t most)
{
  return UINT16_MAX / (n_threads / 32 * most);
}

/* Whether the counts of a plane are complete only after the second kernel. */
HISTO_SHARED_FUNCTION int
histo_needs_second_launch (uint32_t copies_log2)
{
  return copies_log2 >= HISTO_PACKED_COPY;
}

/* With so few copies (as log2), lanes of a warp share a copy, and values that are equal modulo
 * 32 meet in one bank. The kernel `shorts` then permutes the counters. */
#define HISTO_PERMUTED_COPIES_LOG2 3

/* The place of a bin among permuted bins: higher bits of the bin exchange neighbours, so
 * that values which are equal modulo 32 are in different banks. */
HISTO_SHARED_FUNCTION uint32_t
histo_permute_bin (uint32_t bin, uint32_t copies_log2)
{
  return bin ^ (bin >> 5 & ((32u >> copies_log2) - 1));
}

/* ---- Video: the second launch ------------------------------------------------------ */

/* If shared memory is too small for the counters of all bins, a block counts a range of them:
 * one of 2^ranges_log2 ranges of successive bins. As many blocks read the same samples, and
 * their numbers follow each other, so that all but one find the samples in the L2 cache. */
#define HISTO_MAX_RANGES_LOG2 2

/* Bins of a range. A block's table has one byte for each of them. */
HISTO_SHARED_FUNCTION uint32_t
histo_range_bins (uint32_t ranges_log2)
{
  return HISTO_PACKED_BINS >> ranges_log2;
}

/* A block of the second kernel sums this many 16-byte vectors of every table. They hold
 * the counters of a group of bins: HISTO_HALVES_BLOCK bins in the lower half of a range, and
 * as many in its upper half. */
#define HISTO_PACKED_COLUMNS (HISTO_HALVES_BLOCK / 8)
#define HISTO_PACKED_SUM_THREADS 256
#define HISTO_N_HALVES_GROUPS (HISTO_N_HALVES_BLOCKS / 2)

/* The first bin of a group. Half a range of bins further is the first one of its other
 * HISTO_HALVES_BLOCK bins. */
HISTO_SHARED_FUNCTION uint32_t
histo_first_bin_of_group (uint32_t group, uint32_t ranges_log2)
{
  const uint32_t n_groups = HISTO_N_HALVES_GROUPS >> ranges_log2;       /* of a range */

  return group / n_groups * histo_range_bins (ranges_log2)
      + group % n_groups * HISTO_HALVES_BLOCK;
}

/* ---- Video: parameters ------------------------------------------------------------- */

/* How a kernel's threads go through a plane of a family. The host computes all of it once
 * for all threads, in one place: a small frame takes no longer than a few accesses to
 * memory. A unit is what a thread loads at once (see HISTO_PLANE_FAMILIES). */
typedef struct
{
  uint64_t data;                /* address of row 0 */
  int64_t stride;               /* bytes */
  int64_t step_bytes;           /* from a thread's unit to its next one */
  int64_t wrap_bytes;           /* to add when that step passes the end of a row */
  uint32_t columns;             /* units in a row; 0: the plane is counted without units */
  uint32_t columns_reciprocal;  /* floor (2^32 / columns), less than 2^32 */
  uint32_t step_columns;        /* of the step, modulo the columns */
  uint32_t n_steps;             /* units of each thread */
  uint32_t n_more;              /* the plane's first n_more threads have one unit more */
  uint32_t byte_order;          /* __byte_perm() selector that brings words into our order */
  uint32_t mask;                /* of a value, shifted to its place in a counter's offset */
  uint32_t present;             /* bit w: word w of the period holds a sample */
  uint8_t rotations[4];         /* bits; [k] brings word k of a 32-bit load to that place */
  /* [w]: byte offset of the first counter of the component in word w of the period. For
   * the kernel `fields`: [4 * w + f] for field f of word w, and bit 4 * w + f of
   * `present`; rotations[f] and masks[f] are those of field f. */
  uint32_t bases[HISTO_MAX_FIELDS * HISTO_MAX_FIELD_WORDS];
  uint32_t masks[HISTO_MAX_FIELDS];
  /* For the kernel `tens`: the number of the plane's layout. bases[i] is then the first bin of
   * part i among the plane's bins, bases[3] that of the two bits. `present` has two bits for
   * each 1024 bins: the number of the part, or 3 for the two bits. */
  uint32_t layout;
} HistoUnits;

/* One launch counts a frame. Its blocks are divided among the planes. */
typedef struct
{
  /* Every block reads these first. Plane p has the blocks from first_block[p] to
   * first_block[p + 1] - 1. */
  uint32_t first_block[HISTO_MAX_PLANES + 1];
  uint32_t n_planes;
  /* log2 of the number of copies, HISTO_PACKED_COPY, HISTO_HALF_COPIES or HISTO_NO_COPIES. */
  uint8_t copies_log2[HISTO_MAX_PLANES];
  uint8_t kernels[HISTO_MAX_PLANES];    /* of HISTO_COUNT_KERNELS */
  uint32_t n_bins;              /* counters of all components together */
  uint32_t spread_log2;         /* log2 of the distance of two bins' sums in `scratch` */
  uint32_t ranges_log2;         /* of planes with a packed copy */
  uint32_t has_no_halves;       /* no plane gets a packed copy: all counters go to `result` */
  uint64_t n_samples[HISTO_MAX_PLANES]; /* of a plane with a packed copy: of its component */
  /* Device memory, zero between launches: n_bins 64-bit sums, 2^spread_log2 sums apart. */
  uint64_t scratch;
  /* Device memory of any content: a table for each block of a plane with a packed copy.
   * The second kernel sums the tables. */
  uint64_t tables;
  uint64_t result;              /* page-locked host memory: uint32_t[n_bins] */
  /* Page-locked host memory: HistoHalves for each component. The kernels write those of
   * components with a packed copy, and the host makes their counters in `result` if it needs them. */
  uint64_t halves;
  HistoUnits units[HISTO_MAX_PLANES];
  HistoPlane planes[HISTO_MAX_PLANES];
} HistoVideoLaunch;

/* ---- Video: masks ------------------------------------------------------------------ */

/* The kernel `mask` writes a packed copy of a frame (media/pack.h) in which the samples that take no part are 0. The kernels
 * that count then read the copy, which still is in the L2 cache. */

#define HISTO_MASK_THREADS 256
/* So many blocks of a multiprocessor have all registers that they need; then those of a 4K frame of 4:2:0 are on an H100 at the
 * same time. */
#define HISTO_MASK_BLOCKS 6
/* The vectors of 16 bytes that a thread copies. */
#define HISTO_MASK_VECTORS 4

/* Where the mask of a frame is. */
typedef enum
{
  HISTO_MASK_OF_BITS,           /* a bit for each byte of the copy: the byte has bits of one sample at most */
  HISTO_MASK_OF_BYTES,          /* as many bytes as the copy has */
  HISTO_MASK_OF_ALPHA           /* a sample of alpha in the frame for each period of each plane */
} HistoMaskKind;

/* A plane. Its rows have `columns` units: vectors of the copy; with a mask of alpha, periods. */
typedef struct
{
  uint64_t data;                /* of the frame: address of row 0 */
  int64_t stride;
  uint64_t row_bytes;
  uint32_t first_vector;        /* of row 0 in the copy: vectors of 16 bytes before it */
  uint32_t row_vectors;         /* from a row of the copy to the next one */
  uint32_t rows;
  uint32_t columns;
  uint32_t period_bytes;
} HistoMaskPlane;

typedef struct
{
  uint32_t first_block[HISTO_MAX_PLANES + 1];   /* as in HistoVideoLaunch */
  uint32_t kind;                /* HistoMaskKind */
  uint64_t copy;                /* device memory: the packed frame */
  uint64_t mask;                /* device memory; 0 with a mask of alpha */
  HistoMaskPlane planes[HISTO_MAX_PLANES];
  /* Of alpha: where its plane is, and its sample in each period of it. */
  uint64_t alpha_data;
  int64_t alpha_stride;
  uint32_t alpha_period_bytes;
  uint32_t alpha_is_big_endian;
  HistoSample alpha;
} HistoMaskLaunch;

/* ---- Audio: the kernels ------------------------------------------------------------ */

/* How threads share the samples. */
typedef enum
{
  /* Sample by sample: any format, layout and bins. */
  HISTO_AUDIO_BY_SAMPLE,
  /* By vectors of interleaved channels: each lane of a warp always has the same channels.
   * For float32 with HISTO_BINNING_SCALE, if x * scale is below 2^22 for all bins; and
   * for signed 16-bit integers with HISTO_BINNING_SHIFT, if the offset is below 2^30 and a
   * bin has less than 2^16 values. */
  HISTO_AUDIO_BY_VECTOR
} HistoAudioPath;

/* Channels of a thread that measures by vectors: 1, 2 or 4. */
HISTO_SHARED_FUNCTION uint32_t
histo_audio_thread_channels (uint32_t n_channels)
{
  return n_channels > 2 ? 4 : n_channels;
}

/* Samples of a vector. From three channels on a vector has four samples, so that a thread
 * has no more than four channels. */
HISTO_SHARED_FUNCTION uint32_t
histo_audio_vector_samples (uint32_t bytes, uint32_t n_channels)
{
  return n_channels > 2 ? 4 : 16 / bytes;
}

/* The kernels by vectors: X (name, threads of a block). A name ends with the channels of a
 * thread; each kind has the kernels for 1, 2 and 4 channels in this order.
 * kernels/audio/vectors.cuh has the code for each name.
 * Measured on an H200: more threads leave a thread fewer registers than it needs; fewer
 * threads leave the memory idle. */
#define HISTO_VECTOR_KERNELS(X) \
  X (float_1, 768) \
  X (float_2, 512) \
  X (float_4, 384) \
  X (short_1, 768) \
  X (short_2, 768) \
  X (short_4, 768)

#define HISTO_VECTOR_KERNEL_ID(name, threads) HISTO_VECTOR_KERNEL_##name,
enum
{
  HISTO_VECTOR_KERNELS (HISTO_VECTOR_KERNEL_ID)
  HISTO_N_VECTOR_KERNELS
};

/* The kernel of a kind for a thread's 1, 2 or 4 channels. `first` is the kind's kernel for
 * one channel. */
#define HISTO_VECTOR_KERNEL(first, n_channels) \
  (HISTO_VECTOR_KERNEL_##first + (n_channels) / 2)

/* ---- Audio: counters --------------------------------------------------------------- */

/* While the kernels count, a channel has a row of counters for each bin and four more: for
 * samples below the bins, above the bins, NaN, and infinities. An infinity is also counted
 * below or above the bins. */
#define HISTO_OUTSIDE_ROWS 4
#define HISTO_ROW_UNDERFLOW 0
#define HISTO_ROW_FIRST_BIN 1
#define HISTO_ROW_OVERFLOW(n_bins) ((n_bins) + 1)
#define HISTO_ROW_NAN(n_bins) ((n_bins) + 2)
#define HISTO_ROW_INF(n_bins) ((n_bins) + 3)

/* The most threads of a block of the kernel that measures sample by sample. */
#define HISTO_SAMPLES_THREADS 512

/* Bytes of shared memory for the totals of one thread, while a block sums them. */
#define HISTO_TOTALS_OF_THREAD 48

/* Bytes of one table: all counters of one block, a multiple of 16 bytes. */
HISTO_SHARED_FUNCTION uint64_t
histo_audio_table_bytes (uint32_t n_channels, uint32_t n_bins)
{
  return ((uint64_t) n_channels * (n_bins + HISTO_OUTSIDE_ROWS) * 4 + 15) & ~15ull;
}

/* ---- Audio: the second launch ------------------------------------------------------ */

/* A block of the second kernel sums this many 16-byte vectors of every table. It has a
 * multiple of as many threads, up to HISTO_SUM_THREADS. With fewer columns the results
 * would reach the host in smaller pieces. */
#define HISTO_SUM_COLUMNS 64
#define HISTO_SUM_THREADS 1024
/* Channels of a tile, see histo_audio_sums_tiles(). */
#define HISTO_SUM_TILE_CHANNELS 8

/* Whether a block sums a tile, several rows of a few channels, rather than successive
 * vectors: if rows follow each other and have many channels. */
HISTO_SHARED_FUNCTION uint32_t
histo_audio_sums_tiles (uint32_t by_row, uint32_t n_channels)
{
  return by_row && n_channels > HISTO_SUM_TILE_CHANNELS
      && n_channels % HISTO_SUM_TILE_CHANNELS == 0;
}

/* Blocks that the second kernel needs for all counters. */
HISTO_SHARED_FUNCTION uint32_t
histo_audio_sum_blocks (uint32_t by_row, uint32_t n_channels, uint32_t n_bins)
{
  const uint32_t n_block = HISTO_SUM_COLUMNS * 4, n_rows = n_bins + HISTO_OUTSIDE_ROWS;
  const uint32_t tile_rows = n_block / HISTO_SUM_TILE_CHANNELS;

  if (histo_audio_sums_tiles (by_row, n_channels))
    return (n_rows + tile_rows - 1) / tile_rows * (n_channels / HISTO_SUM_TILE_CHANNELS);
  return (uint32_t) (((uint64_t) n_channels * n_rows + n_block - 1) / n_block);
}

/* ---- Audio: parameters ------------------------------------------------------------- */

/* One buffer. Sample i of channel c is at data + c * channel_stride + i * sample_stride. */
typedef struct
{
  uint64_t data;
  int64_t channel_stride;       /* bytes */
  uint64_t n_samples;           /* of each channel */
  uint64_t result;              /* page-locked: uint32_t[n_channels * n_bins] */
  uint64_t totals;              /* page-locked: HistoTotals[n_channels] */
} HistoAudioBuffer;

/* Most buffers of one launch: small buffers of one format share a launch. */
#define HISTO_MAX_GATHERED 16

/* One launch measures one buffer or several. */
typedef struct
{
  /* Every block reads these first. */
  uint32_t n_buffers;           /* if more than one, n_blocks is 1 */
  uint32_t by_row;              /* counters lie row after row, else channel after channel */
  int64_t sample_stride;        /* bytes */
  uint32_t n_channels;
  uint32_t n_blocks;            /* blocks that share a channel */
  /* By sample: log2 of the number of copies in shared memory, or HISTO_NO_COPIES. */
  uint32_t copies_log2;
  /* By vector: the threads of a block that measure, a multiple of lane_period; and the
   * copies of the counters, of which each lane uses one. */
  uint32_t n_threads;
  uint32_t n_copies;
  uint32_t lane_period;         /* lanes after which the channels repeat */
  uint32_t path;                /* HistoAudioPath */
  HistoAudioSample sample;
  HistoBinning binning;
  /* Device memory, zero between launches: n_channels * (n_bins + HISTO_OUTSIDE_ROWS)
   * counters. */
  uint64_t scratch;
  /* Device memory of any content, or 0: a table of counters for each of the n_blocks. */
  uint64_t tables;
  /* Device memory, zero between launches: counts the blocks that have ended, so that the
   * last one sums what all blocks left. Or 0: the second kernel sums. */
  uint64_t ticket;
  uint64_t partials;            /* device memory: n_channels * n_blocks HistoTotals */
  HistoAudioBuffer buffers[HISTO_MAX_GATHERED];
} HistoAudioLaunch;

#endif /* HISTO_KERNEL_LAUNCH_H */
