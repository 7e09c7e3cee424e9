/* Launch parameters of the kernels that evaluate the maps: what the plan and these kernels must
 * agree on.
 *
 * A frame whose plan has maps needs these launches, in this order, after those that count the samples
 * (kernels `samples`, `quads`, `all_quads` and `pairs` count them themselves: then there are no others):
 * 1. `extract`, if the maps cannot read the buffer's planes or need planes that the buffer does
 *    not have: writes a plane for each component.
 * 2. One launch for each HISTO_MAPS_REGIONS regions of the frame, or fewer: evaluates the maps.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_KERNEL_MAPS_LAUNCH_H
#define HISTO_KERNEL_MAPS_LAUNCH_H

#include "kernels/maps.h"
#include "kernels/planes.h"
#include "kernels/shared.h"

/* ---- The kernels ------------------------------------------------------------------- */

/* X (name, threads of a block). kernels/maps/ has the code for each name. */
#define HISTO_MAPS_KERNELS(X) \
  X (samples, 1024)             /* 8 bits, a period has each component once: samples alone */ \
  X (quads, 1024)               /* YUV 4:2:0 of 8 bits: samples, signal, motion */ \
  X (all_quads, 1024)           /* the same: samples, all groups */ \
  X (pairs, 1024)               /* YUV 4:2:0 of 10 bits in 16-bit words: samples, signal, motion */ \
  X (bytes, 1024)               /* YUV and gray of 8 bits: samples, signal, motion */ \
  X (words, 1024)               /* the same of 16-bit words; signal needs the table of chroma */ \
  X (all_bytes, 512)            /* YUV and gray of 8 bits: all groups */ \
  X (all_words, 512)            /* the same of up to 12 bits in 16-bit words */ \
  X (pixels, 1024)              /* any format and groups, pixel by pixel */

#define HISTO_MAPS_KERNEL_ID(name, threads) HISTO_MAPS_##name,
enum
{
  HISTO_MAPS_KERNELS (HISTO_MAPS_KERNEL_ID)
  HISTO_N_MAPS_KERNELS
};

#define HISTO_MAPS_KERNEL_THREADS(name, threads) HISTO_MAPS_THREADS_##name = threads,
enum
{
  HISTO_MAPS_KERNELS (HISTO_MAPS_KERNEL_THREADS)
};

/* Columns of a strip of a warp: four for each lane but the first and the last. */
#define HISTO_STRIP_COLUMNS 120

#define HISTO_EXTRACT_THREADS 256

/* ---- Planes ------------------------------------------------------------------------ */

/* The samples of one component, which lie `step` bytes apart in rows `stride` bytes apart. A
 * sample is (word >> shift) & mask; the word has `bytes` bytes, 1 or 2, in the device's order. */
typedef struct
{
  uint64_t data;                /* address of the first sample; 0: there is no such plane */
  int64_t stride;               /* bytes */
  uint32_t width;               /* samples of a row; 0: none */
  uint32_t height;
  uint32_t mask;
  uint8_t step;
  uint8_t bytes;
  uint8_t shift;
  uint8_t is_chroma;            /* one sample for 2^w_sub x 2^h_sub pixels, else one for each */
} HistoMapsView;

/* ---- Extraction -------------------------------------------------------------------- */

/* The samples of a component in the periods of its plane, from left to right. */
typedef struct
{
  uint8_t plane;
  uint8_t n_samples;            /* in a period */
  uint8_t samples[HISTO_MAX_SAMPLES];   /* places in HistoPlane.samples */
} HistoExtractComponent;

/* Writes native components, and of RGB the planes that are made of R, G and B. The views that have
 * data are written; a sample is a whole word there. */
typedef struct
{
  uint32_t n_components;
  uint32_t width;               /* of the picture */
  uint32_t height;
  HistoMaps maps;
  HistoMapsView native[HISTO_MAX_COMPONENTS];
  HistoMapsView signal[3];      /* RGB: Y, U, V of limited range */
  HistoMapsView luma;           /* RGB */
  HistoExtractComponent components[HISTO_MAX_COMPONENTS];
  HistoPlane planes[HISTO_MAX_PLANES];
} HistoExtractLaunch;

/* ---- Maps -------------------------------------------------------------------------- */

/* What is measured: flags. */
/* Samples of native components: of all regions, but of the picture only if n_native_bins is 0. */
#define HISTO_MAPS_SAMPLES 0x1
#define HISTO_MAPS_SIGNAL 0x2
#define HISTO_MAPS_MOTION 0x4
#define HISTO_MAPS_COLOR 0x8
#define HISTO_MAPS_HDR 0x10
#define HISTO_MAPS_DETAIL 0x20
#define HISTO_MAPS_AREA 0x40
/* The views of the previous frame have data. MOTION and the temporal information of DETAIL need
 * it. */
#define HISTO_MAPS_PREVIOUS 0x80
/* What is read is also stored, as the next frame's previous one. */
#define HISTO_MAPS_COPY 0x100
/* The counters of a region do not fit in shared memory. */
#define HISTO_MAPS_GLOBAL 0x200
/* The last block of each region publishes what the blocks have left in global memory. */
#define HISTO_MAPS_TICKET 0x400
/* Four words of any row of the buffer can be loaded at once. */
#define HISTO_MAPS_ALIGNED 0x800
/* Besides, rows are whole groups of four pixels: no lane needs to read single words. And offsets in
 * planes fit in signed 32-bit numbers. */
#define HISTO_MAPS_WHOLE 0x1000

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

/* ---- Quads ------------------------------------------------------------------------- */

/* Log2 of the copies of a counter, and the bytes of a table of counters (maps/quad-counters.cuh); kernel
 * `samples` has one table of this kind. */
#define HISTO_QUADS_COPIES_LOG2 4
#define HISTO_QUADS_TABLE_BYTES 65536
#define HISTO_QUADS_ROW_BYTES 256

/* Where the tables begin in shared memory, and where the last one ends: in bytes. A table that the
 * plan does not need is empty. */
typedef struct
{
  uint32_t samples, differences, colors, hue, end;
} HistoQuadsLayout;

/* @flags: the plan's */
HISTO_SHARED_FUNCTION HistoQuadsLayout
histo_quads_layout (uint32_t flags)
{
  const uint32_t n_hues = (flags & HISTO_MAPS_SIGNAL) != 0 ? HISTO_N_HUES : 0;
  HistoQuadsLayout at;

  at.samples = 0;
  at.differences = at.samples + HISTO_QUADS_TABLE_BYTES;
  at.colors = at.differences + ((flags & (HISTO_MAPS_MOTION | HISTO_MAPS_DETAIL)) != 0 ?
      HISTO_QUADS_TABLE_BYTES : 0);
  at.hue = at.colors + ((flags & (HISTO_MAPS_COLOR | HISTO_MAPS_HDR)) != 0 ?
      HISTO_QUADS_TABLE_BYTES + HISTO_QUADS_ROW_BYTES : 0);
  at.end = at.hue + (n_hues << (HISTO_QUADS_COPIES_LOG2 + 2));
  return at;
}

/* A byte plus this is a floating-point number that one permutation of bytes makes (maps/floats.cuh). */
#define HISTO_QUADS_BYTE_BIAS 32768

/* What kernel `all_quads` multiplies with. */
typedef struct
{
  /* R, G and B are [0] Y + [1] U + [2] V + [3], where 1 means 256 and above. Each product and each sum is
   * an integer below 2^24 times 2^-22, so that nothing is rounded. */
  float colors[3][4];
  /* [0] (HISTO_QUADS_BYTE_BIAS + y) + [1], clipped to 0 .. 1, is a little more than
   * histo_stretch () / 255 before that is rounded down. */
  float stretch[2];
} HistoQuadFactors;

/* ---- Pairs ------------------------------------------------------------------------- */

/* Samples of kernel `pairs` have so many bits. */
#define HISTO_PAIRS_DEPTH 10
/* Log2 of the copies of a counter where this kernel measures strips. Its own tables have the copies that
 * the rows below have room for. */
#define HISTO_PAIRS_COPIES_LOG2 2

/* The tables of counters (maps/pair-counters.cuh): bytes of a row. */
#define HISTO_PAIRS_LUMA_ROW 64
#define HISTO_PAIRS_CHROMA_ROW 64
#define HISTO_PAIRS_ENTRY_ROW 16

/* Where the tables begin in shared memory, and where the last one ends: in bytes. */
#define HISTO_PAIRS_CHROMA (HISTO_PAIRS_LUMA_ROW << HISTO_PAIRS_DEPTH)
#define HISTO_PAIRS_SATURATION (HISTO_PAIRS_CHROMA + (HISTO_PAIRS_CHROMA_ROW << HISTO_PAIRS_DEPTH))
#define HISTO_PAIRS_HUE (HISTO_PAIRS_SATURATION + (HISTO_PAIRS_ENTRY_ROW << HISTO_PAIRS_DEPTH))
#define HISTO_PAIRS_END (HISTO_PAIRS_HUE + HISTO_N_HUES * HISTO_PAIRS_ENTRY_ROW)

/* ---- Regions ----------------------------------------------------------------------- */

/* Bytes of shared memory of a block that are not for counters, at most: its tallies and the sums of
 * its rows. */
#define HISTO_MAPS_SUMS_BYTES 2048

/* Most regions of a launch: the parameters must stay below 4 KiB. */
#define HISTO_MAPS_REGIONS 32

/* Rows that a block measures at a time: a band. */
#define HISTO_MAPS_BAND_ROWS 64

/* A rectangle with its own counters. */
typedef struct
{
  uint32_t x, y, width, height;
  uint32_t number;              /* in the plan; 0: the whole picture */
  /* At least 1. At most HISTO_MAPS_BAND_ROWS, but for kernel `samples`: there a block has one band. */
  uint32_t band_rows;
  /* The region's tallies are 64-bit numbers from here on: HISTO_N_TALLIES, and with AREA the sums of
   * the rows and, from first_column on, of the columns. */
  uint32_t first_tally;
  uint32_t first_column;
} HistoMapsRegion;

/* One launch measures regions of a frame. Its blocks are divided among the regions. */
typedef struct
{
  /* Every block reads these first. Region r has the blocks from first_block[r] to
   * first_block[r + 1] - 1: at least one, even if the region has no pixels. */
  uint32_t first_block[HISTO_MAPS_REGIONS + 1];
  uint32_t flags;
  uint32_t n_components;        /* native ones */
  /* The counters that a block has: those of a region from first_bin on. */
  uint32_t first_bin;
  uint32_t n_bins;
  uint32_t n_region_bins;       /* from a region's first counter to the next region's */
  uint32_t n_native_bins;       /* counters of region 0 that another launch counts; 0: this one counts all */
  uint32_t copies_log2;
  uint32_t spread_log2;         /* see HistoVideoLaunch */
  uint64_t scratch;             /* see HistoVideoLaunch: the sums of all regions */
  uint64_t result;
  /* Device memory, zero between launches: 64-bit sums of all tallies, and a 32-bit number for each
   * region, which counts the blocks that have ended. */
  uint64_t tally_sums;
  uint64_t tickets;
  uint64_t tallies;             /* page-locked host memory */
  uint64_t chroma_table;        /* see histo_chroma_table_new(); 0: none */
  /* First counters of the sources, counted from the block's first counter. */
  uint32_t sample_bins[HISTO_MAX_COMPONENTS];
  uint32_t difference_bins[HISTO_MAX_COMPONENTS];
  uint32_t saturation_bin;
  uint32_t hue_bin;
  uint32_t color_bins[3];       /* RGB: [0] of luma; else of R, G, B */
  uint32_t maxrgb_bin;
  uint32_t gradient_bin;
  HistoMaps maps;
  HistoQuadFactors quads;
  HistoBytes bytes;
  HistoMapsView native[HISTO_MAX_COMPONENTS];
  HistoMapsView previous[HISTO_MAX_COMPONENTS];
  HistoMapsView copy[HISTO_MAX_COMPONENTS];
  /* Y, U, V: of RGB extracted, else native. Without chroma U and V have no data. */
  HistoMapsView signal[3];
  HistoMapsView luma;           /* the same */
  HistoMapsView previous_luma;
  HistoMapsRegion regions[HISTO_MAPS_REGIONS];
} HistoMapsLaunch;

#endif /* HISTO_KERNEL_MAPS_LAUNCH_H */
