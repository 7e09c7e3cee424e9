/* Launch parameters of the strip: what the plan and the kernels that measure groups and regions must
 * agree on.
 *
 * A frame whose plan has groups or regions needs these launches, in this order, after those that count
 * the samples (mostly the strip counts them itself: then there are no others):
 * 1. `extract`, if no loader can read the buffer's planes: writes a regular picture.
 * 2. The checks, for the same regions: one launch for `gamut`, `flash`, HLG's light and `field`, and one for
 *    `gamut-filter`. They add to the tallies.
 * 3. The scopes: a launch that counts the joint components of the picture, and a second one that adds up what its
 *    blocks have counted.
 * 4. If components are owned by blocks: a launch of their owners, and a second one that adds up what the owners have
 *    counted.
 * 5. The strip: one launch for each HISTO_STRIP_REGIONS regions of the frame, or fewer. If the counters of
 *    all components do not fit in shared memory together, each of these becomes several launches, which
 *    count different components.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_KERNEL_STRIP_LAUNCH_H
#define HISTO_KERNEL_STRIP_LAUNCH_H

#include "kernels/formulas.h"
#include "kernels/planes.h"
#include "kernels/shared.h"

/* ---- The kernels ------------------------------------------------------------------- */

/* What a strip reads: its form. */
enum
{
  HISTO_FORM_ROWS,              /* YUV: a sample of chroma belongs to two pixels of a row, or to more */
  HISTO_FORM_TWO_ROWS,             /* YUV 4:2:0, two rows at a time; and gray */
  HISTO_FORM_FULL,              /* YUV 4:4:4 */
  HISTO_FORM_RGB
};

/* The kernels of the strip: X (name, quad, counters, form, all groups, threads of a block).
 *
 * quad, counters: classes of kernels/strip/. Bytes has samples of up to 8 bits, Words of up to 12, Deep of
 * up to 16. RowCounters have a row of counters for each value, so that one permutation makes a counter's
 * address; they need much shared memory. CopiedCounters have as many copies of each counter as there is room
 * for. With HueCounters the strip counts hue alone: other blocks own the other components.
 * all groups: else `signal` and `motion` only, which need fewer registers. */
#define HISTO_STRIP_KERNELS(X) \
  X (bytes_rows, Bytes, RowCounters, HISTO_FORM_ROWS, 0, 1024) \
  X (bytes_two_rows, Bytes, RowCounters, HISTO_FORM_TWO_ROWS, 0, 1024) \
  X (bytes_full, Bytes, RowCounters, HISTO_FORM_FULL, 0, 1024) \
  X (bytes_rgb, Bytes, RowCounters, HISTO_FORM_RGB, 0, 1024) \
  X (all_bytes_rows, Bytes, RowCounters, HISTO_FORM_ROWS, 1, 896) \
  X (all_bytes_two_rows, Bytes, RowCounters, HISTO_FORM_TWO_ROWS, 1, 768) \
  X (all_bytes_full, Bytes, RowCounters, HISTO_FORM_FULL, 1, 896) \
  X (all_bytes_rgb, Bytes, RowCounters, HISTO_FORM_RGB, 1, 768) \
  X (few_bytes_rows, Bytes, CopiedCounters, HISTO_FORM_ROWS, 1, 512) \
  X (few_bytes_two_rows, Bytes, CopiedCounters, HISTO_FORM_TWO_ROWS, 1, 512) \
  X (few_bytes_full, Bytes, CopiedCounters, HISTO_FORM_FULL, 1, 512) \
  X (few_bytes_rgb, Bytes, CopiedCounters, HISTO_FORM_RGB, 1, 512) \
  X (words_rows, Words, CopiedCounters, HISTO_FORM_ROWS, 0, 896) \
  X (words_two_rows, Words, CopiedCounters, HISTO_FORM_TWO_ROWS, 0, 896) \
  X (words_full, Words, CopiedCounters, HISTO_FORM_FULL, 0, 896) \
  X (words_rgb, Words, CopiedCounters, HISTO_FORM_RGB, 0, 896) \
  X (all_words_rows, Words, CopiedCounters, HISTO_FORM_ROWS, 1, 640) \
  X (all_words_two_rows, Words, CopiedCounters, HISTO_FORM_TWO_ROWS, 1, 640) \
  X (all_words_full, Words, CopiedCounters, HISTO_FORM_FULL, 1, 640) \
  X (all_words_rgb, Words, CopiedCounters, HISTO_FORM_RGB, 1, 640) \
  X (deep_rows, Deep, HueCounters, HISTO_FORM_ROWS, 1, 768) \
  X (deep_two_rows, Deep, HueCounters, HISTO_FORM_TWO_ROWS, 1, 768) \
  X (deep_full, Deep, HueCounters, HISTO_FORM_FULL, 1, 768) \
  X (deep_rgb, Deep, HueCounters, HISTO_FORM_RGB, 1, 768)

/* What the checks know of the pixels. */
enum
{
  HISTO_CHECKED_TWO,            /* chroma has a sample for two pixels, U and V in turn in a plane of their own */
  HISTO_CHECKED_HALF,           /* the same in another loader, or there is no chroma */
  HISTO_CHECKED_FULL,
  HISTO_CHECKED_RGB,
  HISTO_N_CHECKED
};

/* The checks (kernels/strip/checks.cuh): X (name, quad, HISTO_CHECKED_…, checks, , threads of a block), for Bytes, Words
 * and Deep in this order, each with what is known in its order. */
#define HISTO_CHECK_KERNELS(X) \
  X (checks_bytes_two, Bytes, HISTO_CHECKED_TWO, FrameChecks, , 640) \
  X (checks_bytes_half, Bytes, HISTO_CHECKED_HALF, FrameChecks, , 640) \
  X (checks_bytes_full, Bytes, HISTO_CHECKED_FULL, FrameChecks, , 640) \
  X (checks_bytes_rgb, Bytes, HISTO_CHECKED_RGB, FrameChecks, , 640) \
  X (checks_words_two, Words, HISTO_CHECKED_TWO, FrameChecks, , 512) \
  X (checks_words_half, Words, HISTO_CHECKED_HALF, FrameChecks, , 512) \
  X (checks_words_full, Words, HISTO_CHECKED_FULL, FrameChecks, , 512) \
  X (checks_words_rgb, Words, HISTO_CHECKED_RGB, FrameChecks, , 512) \
  X (checks_deep_two, Deep, HISTO_CHECKED_TWO, FrameChecks, , 512) \
  X (checks_deep_half, Deep, HISTO_CHECKED_HALF, FrameChecks, , 512) \
  X (checks_deep_full, Deep, HISTO_CHECKED_FULL, FrameChecks, , 512) \
  X (checks_deep_rgb, Deep, HISTO_CHECKED_RGB, FrameChecks, , 512) \
  X (filter_bytes_two, Bytes, HISTO_CHECKED_TWO, FilterChecks, , 768) \
  X (filter_bytes_half, Bytes, HISTO_CHECKED_HALF, FilterChecks, , 640) \
  X (filter_bytes_full, Bytes, HISTO_CHECKED_FULL, FilterChecks, , 768) \
  X (filter_bytes_rgb, Bytes, HISTO_CHECKED_RGB, FilterChecks, , 512) \
  X (filter_words_two, Words, HISTO_CHECKED_TWO, FilterChecks, , 512) \
  X (filter_words_half, Words, HISTO_CHECKED_HALF, FilterChecks, , 512) \
  X (filter_words_full, Words, HISTO_CHECKED_FULL, FilterChecks, , 512) \
  X (filter_words_rgb, Words, HISTO_CHECKED_RGB, FilterChecks, , 512) \
  X (filter_deep_two, Deep, HISTO_CHECKED_TWO, FilterChecks, , 512) \
  X (filter_deep_half, Deep, HISTO_CHECKED_HALF, FilterChecks, , 512) \
  X (filter_deep_full, Deep, HISTO_CHECKED_FULL, FilterChecks, , 512) \
  X (filter_deep_rgb, Deep, HISTO_CHECKED_RGB, FilterChecks, , 512) \
  X (hlg_bytes_two, Bytes, HISTO_CHECKED_TWO, HlgChecks, , 640) \
  X (hlg_bytes_half, Bytes, HISTO_CHECKED_HALF, HlgChecks, , 640) \
  X (hlg_bytes_full, Bytes, HISTO_CHECKED_FULL, HlgChecks, , 640) \
  X (hlg_bytes_rgb, Bytes, HISTO_CHECKED_RGB, HlgChecks, , 640) \
  X (hlg_words_two, Words, HISTO_CHECKED_TWO, HlgChecks, , 512) \
  X (hlg_words_half, Words, HISTO_CHECKED_HALF, HlgChecks, , 512) \
  X (hlg_words_full, Words, HISTO_CHECKED_FULL, HlgChecks, , 512) \
  X (hlg_words_rgb, Words, HISTO_CHECKED_RGB, HlgChecks, , 512) \
  X (hlg_deep_two, Deep, HISTO_CHECKED_TWO, HlgChecks, , 512) \
  X (hlg_deep_half, Deep, HISTO_CHECKED_HALF, HlgChecks, , 512) \
  X (hlg_deep_full, Deep, HISTO_CHECKED_FULL, HlgChecks, , 512) \
  X (hlg_deep_rgb, Deep, HISTO_CHECKED_RGB, HlgChecks, , 512)

/* The scopes (kernels/strip/scopes.cuh), in the same order: X (name, quad, HISTO_CHECKED_…, , , threads of a block). */
#define HISTO_SCOPE_KERNELS(X) \
  X (scopes_bytes_two, Bytes, HISTO_CHECKED_TWO, , , 1024) \
  X (scopes_bytes_half, Bytes, HISTO_CHECKED_HALF, , , 1024) \
  X (scopes_bytes_full, Bytes, HISTO_CHECKED_FULL, , , 1024) \
  X (scopes_bytes_rgb, Bytes, HISTO_CHECKED_RGB, , , 1024) \
  X (scopes_words_two, Words, HISTO_CHECKED_TWO, , , 1024) \
  X (scopes_words_half, Words, HISTO_CHECKED_HALF, , , 1024) \
  X (scopes_words_full, Words, HISTO_CHECKED_FULL, , , 1024) \
  X (scopes_words_rgb, Words, HISTO_CHECKED_RGB, , , 1024) \
  X (scopes_deep_two, Deep, HISTO_CHECKED_TWO, , , 1024) \
  X (scopes_deep_half, Deep, HISTO_CHECKED_HALF, , , 1024) \
  X (scopes_deep_full, Deep, HISTO_CHECKED_FULL, , , 1024) \
  X (scopes_deep_rgb, Deep, HISTO_CHECKED_RGB, , , 1024)

/* The owners of components (kernels/strip/owners.cuh), in the order of what is known of the pixels: X (name, quad,
 * HISTO_CHECKED_…, , , threads of a block). */
#define HISTO_OWNER_KERNELS(X) \
  X (owners_two, Deep, HISTO_CHECKED_TWO, , , 1024) \
  X (owners_half, Deep, HISTO_CHECKED_HALF, , , 1024) \
  X (owners_full, Deep, HISTO_CHECKED_FULL, , , 1024) \
  X (owners_rgb, Deep, HISTO_CHECKED_RGB, , , 1024)

#define HISTO_REGION_KERNELS(X) \
  HISTO_STRIP_KERNELS (X) \
  HISTO_CHECK_KERNELS (X) \
  HISTO_SCOPE_KERNELS (X) \
  HISTO_OWNER_KERNELS (X) \
  /* 8 bits, a period has each component once: samples of regions without groups. */ \
  X (samples, , , , , 1024)

#define HISTO_REGION_KERNEL_ID(name, ...) HISTO_REGION_KERNEL_##name,
enum
{
  HISTO_REGION_KERNELS (HISTO_REGION_KERNEL_ID)
  HISTO_N_REGION_KERNELS
};

#define HISTO_REGION_KERNEL_THREADS(name, quad, counters, form, all, threads) \
  HISTO_REGION_THREADS_##name = threads,
enum
{
  HISTO_REGION_KERNELS (HISTO_REGION_KERNEL_THREADS)
};

/* Counters of a column of a waveform in shared memory: 32 bits for each code. */
#define HISTO_WAVEFORM_BYTES 1024

/* Of a column of all of a block's waveforms. Counters of neighbouring columns and of the same code lie in different banks. */
HISTO_SHARED_FUNCTION uint32_t
histo_waveform_column_bytes (uint32_t n_waveforms)
{
  return n_waveforms * HISTO_WAVEFORM_BYTES + 16;
}

/* Columns of a strip of a warp: four for each lane but the first and the last. */
#define HISTO_STRIP_COLUMNS 120

#define HISTO_EXTRACT_THREADS 256

/* What the sum of a row has from this bit on: its pixels for which histo_is_step() holds. Below: Σ of its differences
 * from the row four rows above. HISTO_MOST_COLUMNS pixels of 16 bits fit. */
#define HISTO_STEPS_SHIFT 40
#define HISTO_MOST_COLUMNS (1u << 24)

/* The copies of the table of linear light of bytes. */
#define HISTO_LINEAR_BYTE_COPIES_LOG2 5

/* ---- Planes ------------------------------------------------------------------------ */

/* How four pixels lie in memory: what the loaders of kernels/strip/loaders.cuh can read. From the third one on all
 * components are in one plane. */
enum
{
  HISTO_LOADER_PLANES,          /* a plane for each component */
  HISTO_LOADER_IN_TURN,           /* U and V in turn in one plane */
  HISTO_LOADER_THREE,           /* periods of three bytes: a pixel */
  HISTO_LOADER_FOUR,            /* periods of four words: a pixel, or two whose chroma is shared */
  HISTO_LOADER_STREAM,          /* periods of 16 bytes: v210 */
  HISTO_LOADER_FIELDS,          /* periods of 32 bits: a pixel, three fields of ten bits and one of two */
  HISTO_LOADER_ANY              /* one of these */
};

/* Where the rows of the components lie; of several components in one plane the first one. */
typedef struct
{
  uint64_t data[HISTO_MAX_COMPONENTS];  /* addresses */
  int32_t stride[HISTO_MAX_COMPONENTS]; /* bytes */
} HistoStripPlanes;

/* Numbers that follow from the depth of the formulas. */
typedef struct
{
  uint32_t depth;
  uint32_t black;               /* of limited range */
  uint32_t luma_range, chroma_range;    /* from black to the greatest values of limited range */
  uint32_t outlier;             /* a pixel is an outlier if |a - b| + |b - c| - 2 |a - c| is at least this */
  uint32_t stretch;             /* what histo_stretch () adds to luma above black: in 2^-32, rounded up */
  float fixed_scale;            /* of histo_gradient_fixed () */
} HistoStripDepth;

HISTO_SHARED_CONSTANT HistoStripDepth
histo_strip_depth (uint32_t depth)
{
  HistoStripDepth numbers = { 0, 0, 0, 0, 0, 0, 0 };

  numbers.depth = depth;
  numbers.black = 16u << (depth - 8);
  numbers.luma_range = 219u << (depth - 8);
  numbers.chroma_range = 224u << (depth - 8);
  numbers.outlier = (8u << (depth - 8)) + 2;
  numbers.stretch = (uint32_t) ((((uint64_t) ((1u << depth) - 1 - numbers.luma_range) << 32) + numbers.luma_range - 1)
      / numbers.luma_range);
  numbers.fixed_scale = (float) (1u << (16 - depth));
  return numbers;
}

/* What a strip of bytes multiplies with: floating-point numbers, because most multiprocessors have twice as many
 * lanes for them as for integers. */
typedef struct
{
  /* R, G and B of YUV, or Y, U and V of RGB, and luma are [0] a + [1] b + [2] c + [3], where 1 means 256 and above.
   * Each product and each sum is an integer below 2^24 times 2^-22, so that nothing is rounded. */
  float rows[4][4];
  /* [0] (HISTO_STRIP_BYTE_BIAS + y) + [1], clipped to 0 .. 1, is a little more than histo_stretch () / 255 before
   * that is rounded down. */
  float stretch[2];
} HistoStripFactors;

/* A byte plus this is a floating-point number that one permutation of bytes makes. */
#define HISTO_STRIP_BYTE_BIAS 32768

/* ---- Extraction -------------------------------------------------------------------- */

/* Writes a picture as a strip reads it: fields, or a plane for each component; where chroma has fewer samples
 * than luma in a row, a plane with U and V in turn that has one of each for two pixels. */
typedef struct
{
  uint32_t n_components;
  uint32_t bytes;               /* of a word of the picture */
  uint32_t form, loader;
  uint32_t w_sub, h_sub;
  uint32_t width, height;
  uint32_t selectors[HISTO_MAX_COMPONENTS];
  HistoStripPlanes picture;
  HistoComponentSamples components[HISTO_MAX_COMPONENTS];
  HistoPlane planes[HISTO_MAX_PLANES];
} HistoExtractLaunch;

/* ---- What is measured ---------------------------------------------------------------- */

/* Flags. */
/* Samples of native components: of all regions, but of the picture only if n_native_bins is 0. */
#define HISTO_FLAG_SAMPLES 0x1
#define HISTO_FLAG_SIGNAL 0x2
#define HISTO_FLAG_MOTION 0x4
#define HISTO_FLAG_COLOR 0x8
#define HISTO_FLAG_HDR 0x10
#define HISTO_FLAG_DETAIL 0x20
#define HISTO_FLAG_AREA 0x40
/* What only the kernels for all groups measure. */
#define HISTO_FLAGS_MORE (HISTO_FLAG_COLOR | HISTO_FLAG_HDR | HISTO_FLAG_DETAIL | HISTO_FLAG_AREA)
/* There is a previous frame. MOTION and the temporal information of DETAIL need it. */
#define HISTO_FLAG_PREVIOUS 0x80
/* What is read is also stored, as the next frame's previous one. */
#define HISTO_FLAG_COPY 0x100
/* There are tallies. */
#define HISTO_FLAG_TALLIES 0x200
/* What the checks measure. */
#define HISTO_FLAG_GAMUT 0x400
#define HISTO_FLAG_FILTER 0x800
#define HISTO_FLAG_FLASH 0x1000
#define HISTO_FLAG_FIELD 0x2000
#define HISTO_FLAG_LIGHT 0x4000         /* of HLG */
#define HISTO_FLAG_FLASH_OF_HLG 0x10000 /* FLASH, of HLG */
/* The strip: the greatest R, G and B of YUV, which it does not count. */
#define HISTO_FLAG_GREATEST 0x8000

/* ---- Samples alone ----------------------------------------------------------------- */

/* Log2 of the bytes that a thread loads at once. */
#define HISTO_SAMPLES_VECTOR_LOG2 4

/* A plane of bytes for kernel `samples`. A period belongs to 2^w_sub x 2^h_sub pixels. */
typedef struct
{
  uint64_t data;                /* address of row 0 */
  int64_t stride;
  uint8_t number;               /* in the buffer */
  uint8_t period;               /* bytes: 1 to 4 */
  uint8_t w_sub, h_sub;
  /* After 2^phases_log2 rows a row begins at the same distance from a multiple of 16 again. */
  uint8_t phases_log2;
  uint8_t places[4];            /* of a period's bytes in a row of counters */
} HistoBytesPlane;

/* What the warps of a block count from the previous share's end_warp to this one's. Two planes of the same
 * size: the lower half of each warp's lanes counts the first one, the upper half the second one. Or one
 * plane: planes[1] is the same, perhaps with other places. */
typedef struct
{
  uint32_t end_warp;
  uint32_t has_two_planes;
  HistoBytesPlane planes[2];
} HistoBytesShare;

typedef struct
{
  HistoBytesShare shares[HISTO_MAX_PLANES];
  uint8_t component_places[HISTO_MAX_COMPONENTS];
  uint32_t joined;              /* bit p: the counters of place p + 1 belong to those of place p */
} HistoBytes;

/* ---- Counters ------------------------------------------------------------------------ */

/* HISTO_STRIP_SAMPLE, …: the sources of numbers, as the table of measures lists them. */
enum
{
#define HISTO_STRIP_SOURCE(group, source, ...) HISTO_STRIP_##source,
  HISTO_COMPONENTS (HISTO_STRIP_SOURCE)
#undef HISTO_STRIP_SOURCE
  HISTO_STRIP_N_SOURCES
};

/* HISTO_STRIP_JOINT_WAVEFORM, …: the joint components. */
enum
{
#define HISTO_STRIP_JOINT(group, joint, ...) HISTO_STRIP_JOINT_##joint,
  HISTO_JOINTS (HISTO_STRIP_JOINT)
#undef HISTO_STRIP_JOINT
  HISTO_STRIP_N_JOINTS
};

/* The class RowCounters (kernels/strip/counters.cuh): copies of a counter, bytes of a row, of a table. */
#define HISTO_ROW_COPIES 16
#define HISTO_ROW_BYTES 256
#define HISTO_ROW_TABLE_BYTES 65536
/* Alpha is counted apart, with fewer copies. */
#define HISTO_ALPHA_COPIES 4
#define HISTO_ALPHA_BYTES (256 * HISTO_ALPHA_COPIES * 4)

/* Where the parts of the shared memory begin, after the tables, and where the last one ends: in bytes. The last table
 * has one row more: colors above 255 are counted as 256 (HistoStripFactors). */
typedef struct
{
  uint32_t hue, alpha, end;
} HistoRowsLayout;

HISTO_SHARED_FUNCTION HistoRowsLayout
histo_rows_layout (uint32_t n_tables)
{
  HistoRowsLayout at;

  at.hue = n_tables * HISTO_ROW_TABLE_BYTES + HISTO_ROW_BYTES;
  at.alpha = at.hue + HISTO_N_HUES * HISTO_ROW_COPIES * 4;
  at.end = at.alpha + 2 * HISTO_ALPHA_BYTES;
  return at;
}

/* The class CopiesInShared: the byte offset of a counter among those of its component has so many bits. */
#define HISTO_PLACE_BITS 16

/* The places of three tables: more do not fit in shared memory. */
#define HISTO_N_ROW_PLACES 12

/* The place of a component among those that have rows, four in a table. The first two tables are enough for
 * `signal` and `motion`. */
HISTO_SHARED_CONSTANT uint32_t
histo_row_place (uint32_t source, uint32_t c)
{
  return source == HISTO_STRIP_SAMPLE ? 2 * c   /* COVERAGE: every source has a place (all_sources_have_places ()) */
      : source == HISTO_STRIP_DIFFERENCE ? 2 * c + 1
      : source == HISTO_STRIP_SATURATION ? 6
      : source == HISTO_STRIP_GRADIENT ? 7
      : source == HISTO_STRIP_LUMA || source == HISTO_STRIP_RED ? 8
      : source == HISTO_STRIP_GREEN ? 9
      : source == HISTO_STRIP_BLUE ? 10
      : source == HISTO_STRIP_MAXRGB ? 11
      : HISTO_N_ROW_PLACES;
}

/* The byte offset of the first copy of its first counter. */
HISTO_SHARED_CONSTANT uint32_t
histo_row_offset (uint32_t source, uint32_t c)
{
  return histo_row_place (source, c) / 4 * HISTO_ROW_TABLE_BYTES
      + histo_row_place (source, c) % 4 * HISTO_ROW_COPIES * 4;
}

/* Where the counters of a component lie in shared memory. */
typedef struct
{
  uint32_t first_bin;           /* counted from the block's first one */
  uint32_t first_byte;
  uint16_t row_bytes;           /* from a value to the next one */
  uint16_t copies_log2;         /* side by side */
} HistoStripTable;

/* Components of a region, and one that ends the list: native components and their differences have one for each
 * component, the other sources one. */
#define HISTO_STRIP_MAX_TABLES (2 * HISTO_MAX_COMPONENTS + HISTO_STRIP_N_SOURCES - 2 + 1)

/* ---- Components that blocks own ------------------------------------------------------- */

/* A block of the owners counts one component of a region, in a packed copy: so many bins have no place beside those of
 * other components. */
typedef struct
{
  uint8_t source, c;            /* HISTO_STRIP_…, and of samples and differences the native component */
  uint8_t n_equal;              /* so many successive components, from this one on, have the same counts */
  uint16_t before;              /* the work of all components before this one */
  uint32_t first_bin;           /* of the region's counters */
  uint32_t n_bins;
} HistoOwned;

/* All components of a region but hue; and one that ends the list. Samples come first. */
#define HISTO_MAX_OWNED (HISTO_STRIP_MAX_TABLES - 1)

/* ---- Regions ----------------------------------------------------------------------- */

/* Bytes of shared memory of a block that are not for counters, at most. */
#define HISTO_STRIP_STATIC_BYTES 1024

/* Most regions of a launch: the parameters must stay below 4 KiB. */
#define HISTO_STRIP_REGIONS 32

/* A rectangle with its own counters. */
typedef struct
{
  uint32_t x, y, width, height;
  uint32_t number;              /* in the plan; 0: the whole picture */
  uint32_t n_bands;             /* see histo_band_row () */
  uint64_t half_band_rows;          /* half the rows of a band between the first and the last one, times 2^32, rounded up */
  uint32_t band_rows;           /* of kernel `samples`: the rows of a block */
  /* The region's tallies are 64-bit numbers from here on: HISTO_N_TALLIES, and with AREA the sums of
   * the rows and, from first_column on, of the columns. */
  uint32_t first_tally;
  uint32_t first_column;
  uint32_t first_row;           /* of the region among the rows of all regions */
} HistoStripRegion;

/* Rows of a region's first and last band, if it has several. They have rows of which some are above or below the
 * region, and are measured more slowly than others. */
#define HISTO_EDGE_ROWS 2

/* The row of the picture where band @b begins, and where band b - 1 ends. Bands begin at even rows. */
HISTO_SHARED_FUNCTION uint32_t
histo_band_row (const HistoStripRegion *region, uint32_t b)
{
  const uint32_t begin = region->y & ~1u;

  if (b == 0)
    return begin;
  if (b == region->n_bands)
    return region->y + region->height;
  return begin + HISTO_EDGE_ROWS + 2 * (uint32_t) ((b - 1) * region->half_band_rows >> 32);
}

/* One launch measures regions of a frame. Its blocks are divided among the regions. */
typedef struct
{
  /* Every block reads these first. Region r has the blocks from first_block[r] to
   * first_block[r + 1] - 1: at least one, even if the region has no pixels. */
  uint32_t first_block[HISTO_STRIP_REGIONS + 1];
  uint32_t flags;
  uint32_t n_components;        /* native ones */
  /* The counters that a block has: those of a region from first_bin on. */
  uint32_t first_bin;
  uint32_t n_bins;
  uint32_t n_region_bins;       /* from a region's first counter to the next region's */
  uint32_t n_native_bins;       /* counters of region 0 that another launch counts; 0: this one counts all */
  uint64_t scratch;             /* see HistoVideoLaunch: the sums of all regions */
  uint64_t result;
  /* Device memory, zero between launches: 64-bit sums of all tallies, of the rows of all regions (see
   * HISTO_STEPS_SHIFT), and a 32-bit number for each region, which counts the blocks that have ended. */
  uint64_t tally_sums;
  uint64_t row_differences;
  uint64_t tickets;
  uint64_t tallies;             /* page-locked host memory */
  uint64_t chroma_table;        /* see histo_chroma_table_new(); 0: none */
  /* The checks. */
  uint64_t hlg;                 /* see histo_hlg_tables_new(); 0: none */
  uint32_t first_light_bin;     /* of a region's counters; 0: light is not counted */
  uint64_t linear;              /* see histo_linear_table_new(); of HLG the first table of `hlg`; 0: none */
  uint32_t linear_copies_log2;  /* in shared memory, 32-bit numbers */
  uint32_t first_cell;          /* among all tallies; 0: there are no cells */
  int32_t gamut_first, gamut_last;      /* the least and the greatest value inside, and their number */
  uint32_t gamut_range;
  uint32_t gamut_rests[4];      /* what a row adds to the products of samples */
  uint32_t gamut_codes;         /* the number of code values inside */
  /* The scopes: the joint components, HISTO_STRIP_JOINT_…. The waveforms are luma's alone, or those of luma, R, G and B. A
   * block counts all of them, of 2^waveform_columns_log2 columns and of one of n_waveform_bands bands. The blocks of a
   * band are neighbours, and then come those of the other bands. Those of the vectorscope follow. */
  uint32_t joints[HISTO_STRIP_N_JOINTS];
  uint32_t n_waveforms, waveform_columns_log2, n_waveform_bands, n_waveform_blocks;
  uint32_t n_vector_blocks, vector_ranges_log2, vector_bytes;   /* the last: of a block's counters */
  uint32_t n_chroma_rows;
  uint64_t column_step;         /* 2^63 / width, rounded up */
  uint64_t joint_samples[HISTO_STRIP_N_JOINTS];
  uint64_t joint_sums;          /* device memory: HISTO_SCOPE_BINS 32-bit counters of each, zero between launches */
  uint64_t packed_tables;       /* device memory: tables of bytes, of the scopes' and of the owners' blocks */
  uint64_t joint_halves;        /* page-locked host memory: HistoHalves of each */
  /* The picture, the previous one, and the one that is stored. */
  uint32_t form;                /* HISTO_FORM_ROWS, … */
  uint32_t width, height;
  uint32_t n_columns_of_v;      /* samples of V in a row, if there are fewer than of luma */
  uint32_t last_quad;           /* the first one of the last four columns, counted in whole fours */
  uint32_t loader;
  uint32_t shift, word_mask;    /* of two samples in a word; shift 0 and all bits: a word is a sample */
  uint32_t selectors[HISTO_MAX_COMPONENTS];
  HistoStripPlanes now, previous, copy;
  HistoScan scan, previous_scan;
  HistoFormulas formulas;
  HistoStripDepth depth;
  HistoStripFactors factors;
  /* For words: what row i of formulas.matrix, and luma's, add to the products of samples. */
  int32_t matrix_rests[4];
  /* Counters. */
  uint32_t copies_log2;
  uint32_t n_row_tables;        /* of RowCounters */
  uint32_t first_bytes[HISTO_STRIP_N_SOURCES][HISTO_MAX_COMPONENTS];    /* of the components */
  HistoStripTable tables[HISTO_STRIP_MAX_TABLES];       /* in the order of the bins */
  HistoBytes bytes;             /* of kernel `samples` */
  HistoStripRegion regions[HISTO_STRIP_REGIONS];
  int64_t deep_rests[4];        /* as matrix_rests, for deep samples */
  /* The owners of components. A region's blocks, counted in whole groups of 2^ranges_log2 that count the ranges of the
   * same pixels, are divided among the components: each has at least one. */
  uint32_t n_owned;
  uint32_t owned_of_picture;    /* the first one that region 0 has */
  uint32_t ranges_log2;         /* see HISTO_MAX_RANGES_LOG2; here there may be more */
  HistoOwned owned[HISTO_MAX_OWNED];
} HistoStripLaunch;

/* ---- Under a mask ------------------------------------------------------------------------ */

#define HISTO_MASKED_THREADS 512

/* A region. */
typedef struct
{
  uint32_t x, y, width, height;
  uint32_t number;              /* in the plan */
} HistoMaskedRegion;

/* The kernel `masked` counts what a plan has of the samples and pixels that take part, of regions of a frame. A launch has
 * HISTO_STRIP_REGIONS of them, or fewer. */
typedef struct
{
  uint32_t flags;               /* HISTO_FLAG_SIGNAL, COLOR, HDR, GREATEST, LIGHT, GAMUT, TALLIES */
  uint32_t n_components;        /* native ones */
  uint32_t width, height;
  uint64_t pixels;              /* device memory: the mask file, row by row: 0 for pixels that take no part; 0: alpha is the mask */
  uint32_t alpha;               /* its component */
  uint32_t is_shared;           /* a block counts in shared memory first */
  /* Device memory, zero before the launch: the plan's counters, n_region_bins of each region, and its tallies,
   * HISTO_N_TALLIES of each. */
  uint64_t counters, tallies;
  uint32_t n_region_bins;
  uint32_t first_bins[HISTO_STRIP_N_SOURCES][HISTO_MAX_COMPONENTS];     /* of the components, in a region's counters */
  uint32_t first_light_bin;
  uint64_t chroma_table;        /* see histo_chroma_table_new(); 0: none */
  uint64_t hlg;                 /* see histo_hlg_tables_new() */
  uint8_t w_sub[HISTO_MAX_COMPONENTS], h_sub[HISTO_MAX_COMPONENTS];     /* log2 of the pixels for each sample */
  HistoScan scan;
  HistoFormulas formulas;
  HistoComponentSamples components[HISTO_MAX_COMPONENTS];
  HistoPlane planes[HISTO_MAX_PLANES];
  HistoMaskedRegion regions[HISTO_STRIP_REGIONS];
} HistoMaskedLaunch;

#endif /* HISTO_KERNEL_STRIP_LAUNCH_H */
