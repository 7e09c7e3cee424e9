/* cudahisto: what the host and the device agree on.
 *
 * The one header that is shared by the plugin's C code, the CUDA kernels and the
 * tests' kernel harness: how samples lie in memory, which numbers come out, and the
 * few formulas that both engines must evaluate alike to the last bit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_H
#define HISTO_H

#include <stdint.h>

#ifdef __CUDACC__
#define HISTO_SHARED_FUNCTION static inline __host__ __device__
#else
#define HISTO_SHARED_FUNCTION static inline
#endif

#define HISTO_MAX_COMPONENTS 4
#define HISTO_MAX_PLANES 4
/* v210 has the longest period: 12 samples in 16 bytes. */
#define HISTO_MAX_SAMPLES 12
/* Words of a period with a fast path: of Y, U, Y, V, alpha and what there may be. */
#define HISTO_MAX_WORDS 8
/* 32-bit words of a period whose samples are fields of them. */
#define HISTO_MAX_FIELD_WORDS 4

/* ---- Video: planes of periods of samples -------------------------------------- */

/* Where one sample of a period lies: `bytes` bytes (1, 2 or 4) at `offset`, in the
 * plane's byte order, hold a word whose bits `shift` .. are the sample. */
typedef struct
{
  uint8_t component;            /* of the frame */
  uint8_t offset;               /* bytes from the start of the period */
  uint8_t bytes;
  uint8_t shift;
  uint32_t mask;                /* after the shift: 2^depth - 1 */
  uint32_t first_bin;           /* of its component, in the frame's counters */
  uint32_t count;               /* periods of a row that have this sample */
} HistoSample;

/* How a plane is counted. Every plane can be counted as HISTO_PLANE_PACKED; the
 * other kinds are those of one word per sample. */
typedef enum
{
  HISTO_PLANE_PACKED,           /* samples anywhere in the period */
  HISTO_PLANE_BYTES,            /* n_words bytes a period, depth 8 */
  HISTO_PLANE_WORDS             /* n_words 16-bit words a period, one depth */
} HistoPlaneKind;

/* One plane: `rows` rows, `stride` bytes apart, of `periods` periods of
 * `period_bytes` bytes. Only the last period of a row may lack some of its samples
 * (odd widths); the first `full_periods` have all. */
typedef struct
{
  uint64_t data;                /* address of row 0, in host or device memory */
  int64_t stride;
  uint32_t rows;
  uint32_t periods;
  uint32_t full_periods;
  uint32_t first_bin;           /* the plane's own components' counters are the */
  uint32_t n_bins;              /* frame's [first_bin, first_bin + n_bins) */
  uint16_t period_bytes;
  uint8_t kind;                 /* HistoPlaneKind */
  uint8_t big_endian;
  uint8_t n_samples;
  uint8_t n_words;              /* of a period, for the kinds with a fast path */
  /* Word of the period -> index in samples[], or HISTO_NO_SAMPLE (the x of RGBx). */
  uint8_t word_sample[HISTO_MAX_WORDS];
  HistoSample samples[HISTO_MAX_SAMPLES];
} HistoPlane;

#define HISTO_NO_SAMPLE 0xff

/* A plane with a fast path, as its threads go through it: worked out once for all of them,
 * and together at one place, because a small frame takes no longer than a few accesses to
 * memory. A unit is what a thread takes at once: whole periods, whole 16-byte vectors. */
typedef struct
{
  uint64_t data;
  int64_t stride;
  int64_t step_bytes;           /* from one of a thread's units to its next */
  int64_t wrap_bytes;           /* more, from the end of a row to the begin of the next */
  uint32_t columns;             /* units in a row; 0: none */
  uint32_t columns_reciprocal;  /* floor (2^32 / columns), less than 2^32 */
  uint32_t step_columns;
  uint32_t n_steps;             /* units of each thread; */
  uint32_t n_more;              /* the first so many threads of the plane have one more */
  uint32_t byte_order;          /* selects the bytes of two 16-bit words */
  uint32_t mask;                /* of a value at its place in its counter's offset */
  uint32_t present;             /* a bit for each word of the period that holds a sample */
  uint8_t rotations[4];         /* of a 32-bit load, so that its k-th word is at that place */
  /* Of each word of the period: byte offset of its component's first counter. Where words
   * have fields, four of these for each word, and the rotations and these masks are the
   * fields'. */
  uint32_t bases[4 * HISTO_MAX_FIELD_WORDS];
  uint32_t masks[4];
} HistoUnits;

/* Bytes of a unit of periods of so many bytes. */
HISTO_SHARED_FUNCTION uint32_t
histo_unit_bytes (uint32_t period_bytes)
{
  return 16 % period_bytes == 0 ? 16 : 48;
}

/* One launch counts one frame: the grid's blocks are dealt to the planes. */
typedef struct
{
  /* What every block asks for comes first. */
  uint32_t first_block[HISTO_MAX_PLANES + 1];
  uint32_t n_planes;
  /* Copies of the plane's counters in shared memory, as a power of two, or one of the
   * two below. */
  uint8_t copies_log2[HISTO_MAX_PLANES];
  uint8_t kernels[HISTO_MAX_PLANES];    /* of HISTO_COUNT_KERNELS */
  uint32_t n_bins;              /* counters of all components together */
  /* How far the sums in scratch memory lie apart, from bin to bin, as a power of two. */
  uint32_t spread_log2;
  /* Device memory that is zero between launches: n_bins sums of 64 bits, so far apart. */
  uint64_t scratch;
  /* Device memory of any content, a table for each block: where a plane's copy is a
   * packed one, its blocks leave it there for the second launch. */
  uint64_t tables;
  uint64_t result;              /* n_bins uint32_t in page-locked host memory */
  /* HistoHalves of each component, those with a packed copy: the host has to make their
   * counters of the result from these. */
  uint64_t halves;
  HistoUnits units[HISTO_MAX_PLANES];
  HistoPlane planes[HISTO_MAX_PLANES];
} HistoVideoTask;

/* The kernels that count planes: X (name, threads of a block). One for each family of planes,
 * because what a kernel does not know need not be fetched: the way to a few instructions
 * among many takes as long as counting a small frame. Where planes of a frame differ, each
 * kernel passes over those of others. */
#define HISTO_COUNT_KERNELS(X) \
  X (bytes, 1024)               /* 1 or 2 bytes a period */ \
  X (pixels, 1024)              /* 3, 4 or 6 */ \
  X (shorts, 1024)              /* 1, 2 or 4 words of 16 bits */ \
  X (packed, 1024)              /* the same, and a packed copy */ \
  X (fields, 512)               /* 1, 2 or 4 words of 32 bits, of up to four fields each */ \
  X (any, 1024)

#define HISTO_COUNT_KERNEL_ID(name, threads) HISTO_COUNT_##name,
enum
{
  HISTO_COUNT_KERNELS (HISTO_COUNT_KERNEL_ID)
  HISTO_N_COUNT_KERNELS
};

/* One copy, of 16-bit counters: for one component whose counters do not fit otherwise. */
#define HISTO_PACKED_COPY 0xfe
/* Shared memory holds none: counted in global memory. */
#define HISTO_NO_COPIES 0xff
/* With so few copies the counters of 16-bit words are permuted against bank conflicts. */
#define HISTO_PERMUTED_COPIES_LOG2 3
#define HISTO_ARE_PERMUTED(kind, copies_log2) \
  ((kind) == HISTO_PLANE_WORDS && (copies_log2) <= HISTO_PERMUTED_COPIES_LOG2)
/* Planes of these two are complete only after a second launch. */
#define HISTO_NEEDS_SUMMING(copies_log2) ((copies_log2) >= HISTO_PACKED_COPY)

/* A packed copy is of so many bins; a block's table of them has a byte for each. */
#define HISTO_PACKED_BINS 65536
#define HISTO_PACKED_TABLE_BYTES HISTO_PACKED_BINS
/* A block of the second launch takes so many 16-byte vectors of all tables, by so many
 * threads: of so many bins of the lower half of all, and as many of the upper half. */
#define HISTO_PACKED_COLUMNS 16
#define HISTO_PACKED_SUM_THREADS 256
#define HISTO_HALVES_GROUP (HISTO_PACKED_COLUMNS * 8)
#define HISTO_N_HALVES_GROUPS (HISTO_PACKED_BINS / 2 / HISTO_HALVES_GROUP)

/* The counts of a component of 16 bits, on their way to the host: most fit in 16 bits, and
 * half as many bytes take half the time. */
typedef struct
{
  uint16_t low[HISTO_PACKED_BINS];
  uint16_t high[HISTO_PACKED_BINS];     /* written only where a count of its group needs it */
  uint32_t has_high[HISTO_N_HALVES_GROUPS];
} HistoHalves;

/* Which place a bin's counters have, where they are permuted: neighbours are exchanged by
 * higher bits of the bin, so that lanes which share a copy do not meet in one bank where
 * values are alike modulo 32. */
HISTO_SHARED_FUNCTION uint32_t
histo_permute_bin (uint32_t bin, uint32_t copies_log2)
{
  return bin ^ (bin >> 5 & ((32u >> copies_log2) - 1));
}

/* ---- Audio: channels of samples ------------------------------------------------ */

typedef enum
{
  HISTO_AUDIO_SIGNED,
  HISTO_AUDIO_UNSIGNED,
  HISTO_AUDIO_FLOAT
} HistoAudioKind;

typedef struct
{
  uint8_t kind;                 /* HistoAudioKind */
  uint8_t bytes;                /* 1..4, 8: of one sample in memory */
  uint8_t depth;                /* bits that count, the low ones */
  uint8_t big_endian;
} HistoAudioSample;

/* How a sample finds its bin. The first two are exact shortcuts for bins whose width
 * is a power of two on a grid of that width; edges[] is the definition: the bin of x
 * is the greatest i with edges[i] <= x, edges[n_bins] == range_max. */
typedef enum
{
  HISTO_BINNING_SHIFT,          /* integers: (x - offset) >> shift */
  HISTO_BINNING_SCALE,          /* floats: floor (x * scale) - offset */
  HISTO_BINNING_EDGES
} HistoBinningKind;

typedef struct
{
  uint32_t kind;                /* HistoBinningKind */
  uint32_t n_bins;
  double range_min;
  double range_max;
  double scale;                 /* n_bins / (range_max - range_min) */
  int64_t offset;
  uint32_t shift;
  uint32_t reserved;
  uint64_t edges;               /* const double[n_bins + 1], in the engine's memory */
} HistoBinning;

/* What one channel of audio comes to, beside its histogram. Integers are exact:
 * the sum of squares is square_low + 2^32 square_high. Sums of floats are a double
 * and what that double lacks. NaN and infinities take no part in sums and extrema. */
typedef struct
{
  int64_t sum;
  uint64_t square_low;
  uint64_t square_high;
  int64_t min;                  /* INT64_MAX, INT64_MIN where there is no sample */
  int64_t max;
  double float_sum[2];
  double float_square[2];
  double float_min;             /* +inf, -inf where there is no finite sample */
  double float_max;
  uint64_t underflow;
  uint64_t overflow;
  uint64_t nan;
  uint64_t inf;
} HistoTotals;

/* Bytes of shared memory for each thread's part of the above, while a block adds up. */
#define HISTO_TOTALS_OF_THREAD 48

/* While counting, each channel has a row of counters for what is below its bins, one for
 * each bin, one for what is above; and for NaN and for infinities, which are none of these
 * and one of the outer two. */
#define HISTO_OUTSIDE_ROWS 4
#define HISTO_ROW_UNDERFLOW 0
#define HISTO_ROW_FIRST_BIN 1
#define HISTO_ROW_OVERFLOW(n_bins) ((n_bins) + 1)
#define HISTO_ROW_NAN(n_bins) ((n_bins) + 2)
#define HISTO_ROW_INF(n_bins) ((n_bins) + 3)

/* How threads share the samples. */
typedef enum
{
  /* One at a time: any format, layout, and bins. */
  HISTO_AUDIO_BY_SAMPLE,
  /* By vectors of interleaved channels, each lane of a warp always at the same channels:
   * float32 and signed 16-bit integers, with bins by HISTO_BINNING_SCALE and
   * HISTO_BINNING_SHIFT of less than 2^22 and 2^30; these of less than 2^16 values each. */
  HISTO_AUDIO_BY_VECTOR
} HistoAudioPath;

typedef struct
{
  uint64_t data;                /* channel c, sample i: */
  int64_t channel_stride;       /* data + c * channel_stride + i * sample_stride */
  uint64_t n_samples;
  uint64_t result;              /* n_channels * n_bins uint32_t, page-locked */
  uint64_t totals;              /* n_channels HistoTotals, page-locked */
} HistoAudioBuffer;

/* Small buffers of one format share a launch, up to so many. */
#define HISTO_MAX_GATHERED 16

typedef struct
{
  /* What every block asks for comes first. */
  uint32_t n_buffers;           /* if more than one, n_blocks is 1 */
  uint32_t by_row;              /* the counters of all channels lie row after row */
  int64_t sample_stride;
  uint32_t n_channels;
  uint32_t n_blocks;            /* that share a channel */
  /* By sample: copies of the block's counters in shared memory, as in HistoVideoTask, or
   * HISTO_NO_COPIES. */
  uint32_t copies_log2;
  /* By vector: threads of a block that take part, a multiple of those after which the
   * channels repeat; and copies of the counters, one for each lane of as many. */
  uint32_t n_threads;
  uint32_t n_copies;
  uint32_t lane_period;         /* lanes after which the channels repeat */
  uint32_t path;                /* HistoAudioPath */
  HistoAudioSample sample;
  HistoBinning binning;
  /* Device memory, zero between launches: n_channels * (n_bins + HISTO_OUTSIDE_ROWS)
   * counters. */
  uint64_t scratch;
  /* Device memory of any content, or 0: as many counters for each of the n_blocks, in
   * tables of a multiple of 16 bytes. */
  uint64_t tables;
  /* Device memory, zero between launches, where the blocks that are done count themselves:
   * the last adds up what all have left. Or 0: a second launch does. */
  uint64_t ticket;
  uint64_t partials;            /* room for n_channels * n_blocks HistoTotals */
  HistoAudioBuffer buffers[HISTO_MAX_GATHERED];
} HistoAudioTask;

/* Channels of a thread that measures by vectors. */
HISTO_SHARED_FUNCTION uint32_t
histo_audio_thread_channels (uint32_t n_channels)
{
  return n_channels > 2 ? 4 : n_channels;
}

/* Samples of a vector. */
HISTO_SHARED_FUNCTION uint32_t
histo_audio_vector_samples (uint32_t bytes, uint32_t n_channels)
{
  /* Three channels and more take four samples at a time, so that a thread has no more than
   * four channels. */
  return n_channels > 2 ? 4 : 16 / bytes;
}

/* The kernels by vectors: X (name, vectors, threads of a block). Vectors<channels of a
 * thread, those on their way from memory[, which bins]>. Measured on an H200: more of either
 * costs registers, less leaves the memory idle. */
#define HISTO_VECTOR_KERNELS(X) \
  X (float_1, (FloatVectors<1, 4>), 768) \
  X (float_2, (FloatVectors<2, 8>), 512) \
  X (float_4, (FloatVectors<4, 8>), 384) \
  X (short_1, (ShortVectors<1, 4, SHORT_BINS_ANY>), 768) \
  X (short_2, (ShortVectors<2, 4, SHORT_BINS_ANY>), 768) \
  X (short_4, (ShortVectors<4, 8, SHORT_BINS_ANY>), 768) \
  X (whole_short_1, (ShortVectors<1, 4, SHORT_BINS_WHOLE>), 768) \
  X (whole_short_2, (ShortVectors<2, 4, SHORT_BINS_WHOLE>), 768) \
  X (whole_short_4, (ShortVectors<4, 8, SHORT_BINS_WHOLE>), 768) \
  X (whole_short_by_32_1, (ShortVectors<1, 4, SHORT_BINS_WHOLE_BY_32>), 768) \
  X (whole_short_by_32_2, (ShortVectors<2, 4, SHORT_BINS_WHOLE_BY_32>), 768) \
  X (whole_short_by_32_4, (ShortVectors<4, 8, SHORT_BINS_WHOLE_BY_32>), 768)

/* Of the channels of a thread: 1, 2 or 4. */
#define HISTO_VECTOR_KERNEL(first, n_channels) (HISTO_VECTOR_KERNEL_##first + (n_channels) / 2)
#define HISTO_VECTOR_KERNEL_ID(name, vectors, threads) HISTO_VECTOR_KERNEL_##name,
enum
{
  HISTO_VECTOR_KERNELS (HISTO_VECTOR_KERNEL_ID)
  HISTO_N_VECTOR_KERNELS
};

/* Bytes of one block's table of all counters. */
HISTO_SHARED_FUNCTION uint64_t
histo_audio_table_bytes (uint32_t n_channels, uint32_t n_bins)
{
  return ((uint64_t) n_channels * (n_bins + HISTO_OUTSIDE_ROWS) * 4 + 15) & ~15ull;
}

/* ---- The second launch --------------------------------------------------------- */

/* Audio's: a block takes so many 16-byte vectors of all tables, by as many threads, or a
 * multiple of that up to the first number. Fewer columns would reach the host in small
 * pieces. */
#define HISTO_SUM_THREADS 1024
#define HISTO_SUM_COLUMNS 64
/* Of audio's rows of many channels, those of so many channels. */
#define HISTO_SUM_TILE_CHANNELS 8

HISTO_SHARED_FUNCTION uint32_t
histo_audio_sums_tiles (uint32_t by_row, uint32_t n_channels)
{
  return by_row && n_channels > HISTO_SUM_TILE_CHANNELS
      && n_channels % HISTO_SUM_TILE_CHANNELS == 0;
}

/* Blocks that it takes for all counters. */
HISTO_SHARED_FUNCTION uint32_t
histo_audio_sum_blocks (uint32_t by_row, uint32_t n_channels, uint32_t n_bins)
{
  const uint32_t n_block = HISTO_SUM_COLUMNS * 4, n_rows = n_bins + HISTO_OUTSIDE_ROWS;
  const uint32_t tile_rows = n_block / HISTO_SUM_TILE_CHANNELS;

  if (histo_audio_sums_tiles (by_row, n_channels))
    return (n_rows + tile_rows - 1) / tile_rows * (n_channels / HISTO_SUM_TILE_CHANNELS);
  return (uint32_t) (((uint64_t) n_channels * n_rows + n_block - 1) / n_block);
}

/* ---- Formulas that both engines share ------------------------------------------ */

/* Adds x to the pair (sum, error): the error of the sum is exact (Knuth's TwoSum), and so
 * the pair is as good as a sum in twice the precision. Once the sum overflows, the error term means nothing: the
 * reader drops it. */
HISTO_SHARED_FUNCTION void
histo_add_compensated (double *pair, double x)
{
  double sum = pair[0] + x;
  double part = sum - pair[0];
  pair[1] += (pair[0] - (sum - part)) + (x - part);
  pair[0] = sum;
}

/* The bin of a finite x with range_min <= x < range_max, by the edges: a guess by
 * multiplication, then corrected, so that the guess's rounding is of no account. */
HISTO_SHARED_FUNCTION uint32_t
histo_bin_by_edges (const HistoBinning *binning, const double *edges, double x)
{
  double guess = (x - binning->range_min) * binning->scale;
  uint32_t last = binning->n_bins - 1;
  /* Written so that a guess of NaN, of a range too narrow for its scale, is none. */
  uint32_t bin = guess >= (double) last ? last : guess > 0 ? (uint32_t) guess : 0;

  while (bin > 0 && x < edges[bin])
    bin--;
  while (bin < last && x >= edges[bin + 1])
    bin++;
  return bin;
}

#endif /* HISTO_H */
