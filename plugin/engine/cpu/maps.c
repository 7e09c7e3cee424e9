/* What the maps count and add up in each region of a frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/maps.h"

#include "engine/cpu/rows.h"
#include "media/load.h"

/* ---- U and V together --------------------------------------------------------------------- */

/* Of 8 bits the pairs of U and V are counted first; few different ones occur in a picture. The
 * table of saturation and hue is then read once for each, and the sums of the pairs with the same
 * U or V are the histograms of U and V. Small regions and up to 10 bits read the table for each
 * sample. Above, the formulas are evaluated for each sample. */

/* Counters of U and V. */
typedef struct
{
  guint32 *first, *second;      /* of the two samples; only if suits_joint(); NULL: these
                                 * are not wanted */
  guint32 *saturation, *hue;
} ChromaTargets;

/* What one thread needs; the joint histogram is 0 between two passes. */
typedef struct
{
  const HistoPlan *plan;
  guint32 *joint;               /* histogram of U and V together; NULL: not wanted */
  gboolean counts_joint;        /* in this pass */
  ChromaTargets targets;
  /* More counters of entries of the table; 0 between two passes. */
  guint32 odd_saturation[1 << HISTO_MOST_TABLE_DEPTH], odd_hue[HISTO_N_HUES];
} Chroma;

/* Neighbouring pairs are counted in different copies: an increment right after another one of the
 * same counter must wait for it. */
#define N_PAIRS 65536
#define COPIES 2
/* From one copy to the next: if equal pairs were a multiple of 4096 bytes apart, loads from one copy
 * would wait for stores to the other. */
#define COPY_DISTANCE (N_PAIRS + 16)
/* With fewer samples it takes longer to go through all pairs than to read the table. */
#define LEAST_SAMPLES_FOR_PAIRS 65536

/* Whether @n pairs of samples are counted in the joint histogram. */
static gboolean
suits_joint (const HistoPlan * plan, guint64 n)
{
  return plan->maps.has_chroma && plan->maps.depth == 8
      && n >= LEAST_SAMPLES_FOR_PAIRS;
}

/* Returns: FALSE if there is no memory */
static gboolean
init_chroma (Chroma * chroma, const HistoPlan * plan)
{
  memset (chroma, 0, sizeof *chroma);
  chroma->plan = plan;
  if (!suits_joint (plan, G_MAXUINT64))
    return TRUE;
  chroma->joint = g_try_new0 (guint32, COPIES * COPY_DISTANCE);
  return chroma->joint != NULL;
}

static void
clear_chroma (Chroma * chroma)
{
  g_clear_pointer (&chroma->joint, g_free);
}

/* @n: how many pairs the region has. The counters are complete after end_chroma(). */
static void
begin_joint (Chroma * chroma, guint64 n, const ChromaTargets * targets)
{
  chroma->targets = *targets;
  chroma->counts_joint = suits_joint (chroma->plan, n);
}

static void
count_entry (Chroma * chroma, guint32 entry, guint32 n)
{
  chroma->targets.saturation[HISTO_CHROMA_SATURATION (entry)] += n;
  chroma->targets.hue[HISTO_CHROMA_HUE (entry)] += n;
}

/* Samples that are counted together, and pairs in a load. */
#define CHUNK 512
#define PAIRS_PER_LOAD 4
#define PAIRS_PER_STEP (2 * PAIRS_PER_LOAD)

/* Whether both loads hold one pair over and over. */
static gboolean
are_equal_pairs (guint64 first, guint64 second)
{
  return first == second && first == (first >> 16 | first << 48);
}

/* Content whose samples are equal is counted by one addition for each step. */
static void
count_chunk (guint32 * even, guint32 * odd, const guint16 * chunk, guint n)
{
  guint i = 0;

  for (; i + PAIRS_PER_STEP <= n; i += PAIRS_PER_STEP) {
    guint64 words[2];

    memcpy (words, chunk + i, sizeof words);
    if (are_equal_pairs (words[0], words[1])) {
      even[words[0] & 0xffff] += PAIRS_PER_STEP;
      continue;
    }
    for (guint k = 0; k < 2; k++) {
      even[words[k] & 0xffff]++;
      odd[words[k] >> 16 & 0xffff]++;
      even[words[k] >> 32 & 0xffff]++;
      odd[words[k] >> 48]++;
    }
  }
  for (; i < n; i++)
    even[chunk[i]]++;
}

/* The compiler makes vectors of this loop. */
static void
make_chunk (const guint8 * restrict u, const guint8 * restrict v,
    guint16 * restrict chunk, guint n)
{
  for (guint i = 0; i < n; i++)
    chunk[i] = u[i] << 8 | v[i];
}

static void
count_joint (Chroma * chroma, const guint8 * u, const guint8 * v, guint n)
{
  for (guint first = 0; first < n; first += CHUNK) {
    const guint length = MIN (n - first, CHUNK);
    guint16 chunk[CHUNK];

    make_chunk (u + first, v + first, chunk, length);
    count_chunk (chroma->joint, chroma->joint + COPY_DISTANCE, chunk, length);
  }
}

/* Most pairs do not occur. */
#define PAIRS_PER_BLOCK 16

static void
fold_block (Chroma * chroma, guint first)
{
  const ChromaTargets *targets = &chroma->targets;
  const guint32 *even = chroma->joint + first, *odd = even + COPY_DISTANCE;
  guint32 counts[PAIRS_PER_BLOCK], any = 0;

  for (guint i = 0; i < PAIRS_PER_BLOCK; i++) {
    counts[i] = even[i] + odd[i];
    any |= counts[i];
  }
  if (any == 0)
    return;
  for (guint i = 0; i < PAIRS_PER_BLOCK; i++) {
    if (counts[i] == 0)
      continue;
    if (targets->first != NULL) {
      targets->first[first >> 8] += counts[i];
      targets->second[(first & 0xff) + i] += counts[i];
    }
    count_entry (chroma, chroma->plan->chroma_table[first + i], counts[i]);
  }
}

static void
fold_joint (Chroma * chroma)
{
  for (guint first = 0; first < N_PAIRS; first += PAIRS_PER_BLOCK)
    fold_block (chroma, first);
  memset (chroma->joint, 0, COPIES * COPY_DISTANCE * sizeof *chroma->joint);
}

HISTO_SPECIALISED guint32
entry_of (const Chroma * chroma, gconstpointer u, gconstpointer v, guint i, gboolean is_wide)
{
  const guint depth = chroma->plan->maps.depth;

  if (is_wide)
    return chroma->plan->chroma_table[(gsize) ((const guint16 *) u)[i] << depth
        | ((const guint16 *) v)[i]];
  return chroma->plan->chroma_table[((const guint8 *) u)[i] << 8 | ((const guint8 *) v)[i]];
}

/* Every second entry is counted apart: neighbours are often equal, and two increments of one counter cannot
 * overlap. */
HISTO_SPECIALISED void
count_by_table (Chroma * chroma, gconstpointer u, gconstpointer v, guint n, gboolean is_wide)
{
  guint i = 0;

  for (; i + 2 <= n; i += 2) {
    const guint32 entry = entry_of (chroma, u, v, i + 1, is_wide);

    count_entry (chroma, entry_of (chroma, u, v, i, is_wide), 1);
    chroma->odd_saturation[HISTO_CHROMA_SATURATION (entry)]++;
    chroma->odd_hue[HISTO_CHROMA_HUE (entry)]++;
  }
  if (i < n)
    count_entry (chroma, entry_of (chroma, u, v, i, is_wide), 1);
}

static void
fold_odd (Chroma * chroma)
{
  for (guint i = 0; i < G_N_ELEMENTS (chroma->odd_saturation); i++)
    if (chroma->odd_saturation[i] > 0)
      chroma->targets.saturation[i] += chroma->odd_saturation[i];
  for (guint i = 0; i < G_N_ELEMENTS (chroma->odd_hue); i++)
    chroma->targets.hue[i] += chroma->odd_hue[i];
  memset (chroma->odd_saturation, 0, sizeof chroma->odd_saturation);
  memset (chroma->odd_hue, 0, sizeof chroma->odd_hue);
}

static void
end_chroma (Chroma * chroma)
{
  if (chroma->counts_joint)
    fold_joint (chroma);
  else if (chroma->targets.hue != NULL && chroma->plan->chroma_table != NULL)
    fold_odd (chroma);
}

/* ---- The tallies of a region that no counted component gives --------------------------------- */

/* What one thread needs for them. */
typedef struct
{
  const HistoPlan *plan;
  HistoCpuRows *rows;           /* of the frame, in the columns of the region */
  guint8 *flags, *pixel_flags;  /* a row: chroma out of range, for each sample and for each pixel */
  guint flags_row;              /* of chroma, in the picture; G_MAXUINT: none */
  gboolean has_flags;           /* any in that row */
  guint32 *columns;             /* sums of the columns of the region */
  guint column_rows;            /* rows in these sums */

  HistoRegion region;
  guint64 *sums;                /* the region's tallies */
  guint first_column_sum;
} Tallies;

/* All rows of a group are kept. */
G_STATIC_ASSERT (HISTO_SUM_ROWS <= HISTO_KEPT_ROWS);

/* The sums of columns of so many rows fit in 32 bits: R + G + B of 16 bits. */
#define COLUMN_ROWS 16384

/* @tallies: (out):
 * @rows: initialised; used until clear_tallies(), as @plan
 *
 * Returns: FALSE if there is no memory. clear_tallies() is to be called then, too
 */
static gboolean
init_tallies (Tallies * tallies, const HistoPlan * plan, HistoCpuRows * rows)
{
  tallies->plan = plan;
  tallies->rows = rows;
  tallies->flags = g_try_malloc (rows->row_bytes);
  tallies->pixel_flags = g_try_malloc (rows->row_bytes);
  tallies->columns = g_try_new0 (guint32, plan->format->width);
  return tallies->flags != NULL && tallies->pixel_flags != NULL
      && tallies->columns != NULL;
}

static void
clear_tallies (Tallies * tallies)
{
  g_free (tallies->flags);
  g_free (tallies->pixel_flags);
  g_free (tallies->columns);
}

/* @region: not empty; the rows are in its columns
 * @sums: the region's tallies, which are added to
 * @n_row_sums: how many sums of rows the plan has for this region
 */
static void
begin_tallies (Tallies * tallies,
    const HistoRegion * region, guint64 * sums, guint n_row_sums)
{
  tallies->region = *region;
  tallies->sums = sums;
  tallies->first_column_sum = HISTO_N_TALLIES + n_row_sums;
  tallies->flags_row = G_MAXUINT;
}

/* ---- Range, outliers, repeated lines -------------------------------------------------------------- */

/* A flag for each pixel of the row whose chroma is out of range. NULL: there is none. */
static gconstpointer
find_chroma_flags (Tallies * tallies, guint y)
{
  HistoCpuRows *rows = tallies->rows;
  const HistoMaps *formulas = &tallies->plan->maps;
  const guint row = formulas->is_rgb ? y : y >> formulas->h_sub;

  if (!formulas->has_chroma)
    return NULL;
  if (row != tallies->flags_row) {
    tallies->flags_row = row;
    tallies->has_flags = rows->loops->chroma_out_of_range
        (histo_cpu_rows_get (rows, HISTO_ROW_YUV + 1, row),
        histo_cpu_rows_get (rows, HISTO_ROW_YUV + 2, row), tallies->flags,
        histo_cpu_rows_length (rows, HISTO_ROW_YUV + 1), formulas->depth);
    if (tallies->has_flags && formulas->w_sub > 0)
      rows->loops->repeat (tallies->flags,
          tallies->region.x & ((1u << formulas->w_sub) - 1), formulas->w_sub,
          tallies->pixel_flags, tallies->region.width);
  }
  if (!tallies->has_flags)
    return NULL;
  return formulas->w_sub > 0 ? tallies->pixel_flags : tallies->flags;
}

static guint
count_outliers (Tallies * tallies, guint y)
{
  const guint row = tallies->region.y + y, height = tallies->region.height;
  gconstpointer rows[5] = { NULL, };

  if (y < 1 || y + 1 >= height)
    return 0;
  for (guint i = 0; i < 5; i++) {
    if ((y >= 2 && y + 2 < height) || (i >= 1 && i <= 3))
      rows[i] = histo_cpu_rows_get (tallies->rows, HISTO_ROW_YUV, row + i - 2);
  }
  return tallies->rows->loops->count_outliers (rows, tallies->region.width,
      tallies->plan->maps.depth);
}

/* Adds BRNG, TOUT and VREP of a row of the region. */
static void
add_signal_row (Tallies * tallies, guint y)
{
  HistoCpuRows *rows = tallies->rows;
  const guint width = tallies->region.width, row = tallies->region.y + y;
  gconstpointer luma = histo_cpu_rows_get (rows, HISTO_ROW_YUV, row);

  tallies->sums[HISTO_TALLY_BRNG] += rows->loops->count_out_of_range (luma,
      find_chroma_flags (tallies, row), width, tallies->plan->maps.depth);
  tallies->sums[HISTO_TALLY_TOUT] += count_outliers (tallies, y);
  if (y >= 4 && rows->loops->is_repeated (luma,
          histo_cpu_rows_get (rows, HISTO_ROW_YUV, row - 4), width))
    tallies->sums[HISTO_TALLY_VREP] += width;
}

/* ---- Area ----------------------------------------------------------------------------------------- */

static void
flush_columns (Tallies * tallies)
{
  guint64 *sums = tallies->sums + tallies->first_column_sum;

  if (tallies->column_rows == 0)
    return;
  for (guint x = 0; x < tallies->region.width; x++) {
    sums[x] += tallies->columns[x];
    tallies->columns[x] = 0;
  }
  tallies->column_rows = 0;
}

/* Adds the sums of rows and columns. The latter are complete after flush_columns(). */
static void
add_area_rows (Tallies * tallies, guint first, guint n_rows)
{
  HistoCpuRows *rows = tallies->rows;
  const guint n_components = tallies->plan->maps.is_rgb ? 3 : 1;
  const guint after = first + n_rows;
  guint n;

  for (guint y = first; y < after; y += n) {
    n = MIN (after - y, HISTO_SUM_ROWS);
    for (guint c = 0; c < n_components; c++) {
      gconstpointer group[HISTO_SUM_ROWS];

      for (guint i = 0; i < n; i++)
        group[i] = histo_cpu_rows_get (rows, HISTO_ROW_PIXEL + c,
            tallies->region.y + y + i);
      rows->loops->add_columns (group, n, tallies->columns,
          &tallies->sums[HISTO_N_TALLIES + y], tallies->region.width);
    }
    tallies->column_rows += n;
    if (tallies->column_rows > COLUMN_ROWS - HISTO_SUM_ROWS)
      flush_columns (tallies);
  }
}

/* ---- The maps -------------------------------------------------------------------------------- */

/* Rows are counted in blocks of about so many bytes, which stay in the caches. */
#define BLOCK_BYTES (64 * 1024)
/* Components that are counted at the same time. */
#define N_BLOCKS 4

/* The passes after those of the components. */
enum
{
  PASS_SIGNAL,                  /* saturation and hue; HISTO_TALLY_BRNG, TOUT and VREP */
  PASS_COLOR,                   /* R, G, B of YUV and gray, and the greatest of them */
  PASS_AREA,
  N_COMMON_PASSES
};

/* Rows of one component that are counted together. */
typedef struct
{
  HistoCpuPixels *pixels;
  guint8 *memory;
  HistoPlane plane;             /* describes the rows to `pixels` */
  gboolean is_used;             /* in this pass */
  guint n;                      /* rows that wait */
} Block;

/* How a row of a pass is evaluated, and rows. @y, @first: in the region */
typedef void (*MeasureRow) (HistoCpuMaps * maps, guint y);
typedef void (*MeasureRows) (HistoCpuMaps * maps, guint first, guint n_rows);

struct _HistoCpuMaps
{
  const HistoPlan *plan;
  HistoCpuRows current, previous;       /* previous: only if the plan needs it */
  Chroma chroma;
  Tallies of_region;
  gsize block_bytes;
  Block blocks[N_BLOCKS];

  /* The pass. */
  const HistoCpuFrame *frame;
  HistoRegion region;
  guint64 *tallies;             /* the region's */
  const HistoComponent *component;
  MeasureRows measure_rows;     /* NULL: nothing is to be done */
  MeasureRow measure_row;       /* used by measure_each_row() */
  HistoRow kind;                /* of the rows that are counted */
  guint first_row, n_rows;      /* of the picture or of the native component */
  guint length;                 /* numbers in a row */
};

/* ---- Memory --------------------------------------------------------------------------------- */

/**
 * histo_cpu_maps_new:
 * @plan: of video; used until histo_cpu_maps_free(), as @regular
 *
 * Returns: (nullable): NULL if there is no memory
 */
HistoCpuMaps *
histo_cpu_maps_new (const HistoPlan * plan, const HistoCpuRegular * regular)
{
  HistoCpuMaps *maps = g_new0 (HistoCpuMaps, 1);
  gboolean ok;

  maps->plan = plan;
  ok = histo_cpu_rows_init (&maps->current, regular, &plan->maps);
  if (plan->needs_previous)
    ok &= histo_cpu_rows_init (&maps->previous, regular, &plan->maps);
  ok &= init_chroma (&maps->chroma, plan);
  ok &= init_tallies (&maps->of_region, plan, &maps->current);
  maps->block_bytes = MAX (BLOCK_BYTES, maps->current.row_bytes);
  for (guint i = 0; i < N_BLOCKS; i++) {
    maps->blocks[i].pixels = histo_cpu_pixels_new ();
    maps->blocks[i].memory = g_try_malloc (maps->block_bytes);
    ok &= maps->blocks[i].memory != NULL;
  }
  if (ok)
    return maps;
  histo_cpu_maps_free (maps);
  return NULL;
}

void
histo_cpu_maps_free (HistoCpuMaps * maps)
{
  histo_cpu_rows_clear (&maps->current);
  histo_cpu_rows_clear (&maps->previous);
  clear_chroma (&maps->chroma);
  clear_tallies (&maps->of_region);
  for (guint i = 0; i < N_BLOCKS; i++) {
    histo_cpu_pixels_free (maps->blocks[i].pixels);
    g_free (maps->blocks[i].memory);
  }
  g_free (maps);
}

/* ---- Blocks ------------------------------------------------------------------------------------ */

/* @component: whose rows are counted in block @i; maps->length numbers each */
static void
begin_block (HistoCpuMaps * maps, guint i, const HistoComponent * component)
{
  Block *block = &maps->blocks[i];
  const gboolean is_wide = maps->current.is_wide;

  histo_cpu_plane_init (&block->plane, component, is_wide, maps->length, maps->n_rows);
  block->plane.data = (guint64) (guintptr) block->memory;
  block->plane.stride = maps->current.row_bytes;
  block->is_used = TRUE;
  block->n = 0;
  histo_cpu_pixels_begin (block->pixels, &block->plane, maps->frame->counters);
}

/* Where the next row is to be made. */
static gpointer
next_row (Block * block)
{
  return block->memory + block->n * (gsize) block->plane.stride;
}

static void
flush_block (Block * block)
{
  if (block->n > 0)
    histo_cpu_pixels_rows (block->pixels, 0, block->n);
  block->n = 0;
}

/* The next row has been made. */
static void
add_row (const HistoCpuMaps * maps, Block * block)
{
  block->n++;
  if ((block->n + 1) * (gsize) block->plane.stride > maps->block_bytes)
    flush_block (block);
}

static void
measure_each_row (HistoCpuMaps * maps, guint first, guint n_rows)
{
  for (guint y = first; y < first + n_rows; y++)
    maps->measure_row (maps, y);
}

/* The rows of this pass are evaluated one by one. */
static void
set_measure_row (HistoCpuMaps * maps, MeasureRow measure_row)
{
  maps->measure_rows = measure_each_row;
  maps->measure_row = measure_row;
}

/* ---- Rows of one component --------------------------------------------------------------------- */

static void
measure_difference (HistoCpuMaps * maps, guint y)
{
  const guint row = maps->first_row + y;

  maps->current.loops->difference (histo_cpu_rows_get (&maps->current,
          maps->kind, row), histo_cpu_rows_get (&maps->previous, maps->kind,
          row), next_row (&maps->blocks[0]), maps->length);
  add_row (maps, &maps->blocks[0]);
}

static void
measure_gradient (HistoCpuMaps * maps, guint y)
{
  const guint row = maps->first_row + y, width = maps->region.width;
  gconstpointer rows[3];

  if (maps->frame->previous != NULL)
    maps->current.loops->add_changes (histo_cpu_rows_get (&maps->current,
            HISTO_ROW_STRETCHED, row), histo_cpu_rows_get (&maps->previous,
            HISTO_ROW_STRETCHED, row), width,
        (gint64 *) & maps->tallies[HISTO_TALLY_TI_SUM],
        &maps->tallies[HISTO_TALLY_TI_SQUARES]);
  if (y == 0 || y + 1 >= maps->region.height || width < 3)
    return;
  for (guint i = 0; i < 3; i++)
    rows[i] = histo_cpu_rows_get (&maps->current, HISTO_ROW_STRETCHED,
        row + i - 1);
  maps->current.loops->gradients (rows, next_row (&maps->blocks[0]), width,
      maps->plan->maps.depth, &maps->tallies[HISTO_TALLY_GRADIENT_SUM],
      &maps->tallies[HISTO_TALLY_GRADIENT_SQUARES]);
  add_row (maps, &maps->blocks[0]);
}

static void
measure_numbers (HistoCpuMaps * maps, guint y)
{
  histo_cpu_rows_make (&maps->current, maps->kind, maps->first_row + y,
      next_row (&maps->blocks[0]));
  add_row (maps, &maps->blocks[0]);
}

/* How the rows of each source are counted that has a pass of its own, and the kind of rows. The kind of native
 * samples and their differences is the component's number. */
static const struct
{
  MeasureRow measure_row;
  HistoRow kind;
} sources[HISTO_N_SOURCES] = {
  [HISTO_SOURCE_DIFFERENCE] = {measure_difference, HISTO_ROW_NATIVE},
  [HISTO_SOURCE_LUMA] = {measure_numbers, HISTO_ROW_LUMA},
  [HISTO_SOURCE_MAXRGB] = {measure_numbers, HISTO_ROW_MAXRGB},
  [HISTO_SOURCE_GRADIENT] = {measure_gradient, HISTO_ROW_STRETCHED},
};

/* ---- Saturation, hue and signal --------------------------------------------------------------- */

/* Whether the samples of U and V in the region are counted together. */
static gboolean
is_joint (const HistoPlan * plan, const HistoRegion * region)
{
  const HistoFormat *format = plan->format;
  const guint64 pixels = (guint64) region->width * region->height;

  return histo_plan_has_group (plan, HISTO_GROUP_SIGNAL)
      && format->colors == HISTO_COLORS_YUV && format->components[1].depth == 8
      && format->components[2].depth == 8 && suits_joint (plan,
      pixels >> (format->chroma_w_sub + format->chroma_h_sub));
}

/**
 * histo_cpu_maps_count_plane:
 * @c: a component of the format
 *
 * Returns: whether the maps count all native samples of this component in the picture, in pairs
 */
gboolean
histo_cpu_maps_count_plane (const HistoPlan * plan, guint c)
{
  return (c == 1 || c == 2) && is_joint (plan, &plan->regions[0]);
}

static guint32 *
counters_of (const HistoCpuMaps * maps, const HistoComponent * component)
{
  return maps->frame->counters + component->first_bin;
}

/* The region's component of this source. NULL: there is none. */
static const HistoComponent *
find_source (const HistoCpuMaps * maps, guint region, guint source)
{
  const HistoComponent *components = histo_plan_region_components (maps->plan, region);

  for (guint i = 0; i < maps->plan->n_region_components; i++)
    if (components[i].source == source)
      return &components[i];
  return NULL;
}

static void
measure_chroma (HistoCpuMaps * maps, guint row)
{
  HistoCpuRows *rows = &maps->current;
  gconstpointer u = histo_cpu_rows_get (rows, HISTO_ROW_YUV + 1, row);
  gconstpointer v = histo_cpu_rows_get (rows, HISTO_ROW_YUV + 2, row);

  if (maps->chroma.counts_joint) {
    count_joint (&maps->chroma, u, v, maps->length);
  } else if (maps->plan->chroma_table != NULL && rows->is_wide) {
    count_by_table (&maps->chroma, u, v, maps->length, TRUE);
  } else if (maps->plan->chroma_table != NULL) {
    count_by_table (&maps->chroma, u, v, maps->length, FALSE);
  } else {
    rows->loops->chroma (u, v, next_row (&maps->blocks[0]),
        next_row (&maps->blocks[1]), maps->length, maps->plan->maps.depth);
    add_row (maps, &maps->blocks[0]);
    add_row (maps, &maps->blocks[1]);
  }
}

static void
measure_signal (HistoCpuMaps * maps, guint y)
{
  const HistoMaps *formulas = &maps->plan->maps;
  const guint h_sub = formulas->is_rgb ? 0 : formulas->h_sub;
  const guint row = maps->region.y + y;

  /* A row of chroma belongs to the first of its rows of pixels in the region. */
  if (formulas->has_chroma && (y == 0 || row % (1u << h_sub) == 0))
    measure_chroma (maps, row >> h_sub);
  add_signal_row (&maps->of_region, y);
}

static void
begin_signal (HistoCpuMaps * maps, guint region)
{
  const HistoPlan *plan = maps->plan;
  const HistoFormat *format = plan->format;
  const HistoComponent *native = histo_plan_region_components (plan, region);
  const HistoComponent *saturation = find_source (maps, region, HISTO_SOURCE_SATURATION);
  const HistoComponent *hue = find_source (maps, region, HISTO_SOURCE_HUE);
  const guint h_sub = plan->maps.is_rgb ? 0 : plan->maps.h_sub;
  ChromaTargets targets = { NULL, };

  set_measure_row (maps, measure_signal);
  begin_joint (&maps->chroma, 0, &targets);
  if (saturation == NULL)
    return;
  maps->length = histo_cpu_rows_length (&maps->current, HISTO_ROW_YUV + 1);
  targets.saturation = counters_of (maps, saturation);
  targets.hue = counters_of (maps, hue);
  if (format->colors == HISTO_COLORS_YUV && is_joint (plan, &maps->region)) {
    targets.first = counters_of (maps, &native[1]);
    targets.second = counters_of (maps, &native[2]);
  }
  begin_joint (&maps->chroma, ((guint64) maps->length * maps->n_rows) >> h_sub, &targets);
  if (plan->chroma_table == NULL) {
    begin_block (maps, 0, saturation);
    begin_block (maps, 1, hue);
  }
}

/* ---- Colours ---------------------------------------------------------------------------------- */

static void
measure_color (HistoCpuMaps * maps, guint y)
{
  gpointer out[N_BLOCKS];

  for (guint i = 0; i < N_BLOCKS; i++)
    out[i] = next_row (&maps->blocks[i]);
  histo_cpu_rows_make_matrix (&maps->current, maps->first_row + y, out);
  for (guint i = 0; i < N_BLOCKS; i++)
    if (maps->blocks[i].is_used)
      add_row (maps, &maps->blocks[i]);
}

static void
begin_color (HistoCpuMaps * maps, guint region)
{
  static const guint of_blocks[N_BLOCKS] = {
    HISTO_SOURCE_RED, HISTO_SOURCE_GREEN, HISTO_SOURCE_BLUE, HISTO_SOURCE_MAXRGB
  };

  maps->length = maps->region.width;
  for (guint i = 0; i < N_BLOCKS; i++) {
    const HistoComponent *component = find_source (maps, region, of_blocks[i]);

    if (component == NULL)
      continue;
    begin_block (maps, i, component);
    set_measure_row (maps, measure_color);
  }
}

/* ---- Area --------------------------------------------------------------------------------------- */

static void
measure_area (HistoCpuMaps * maps, guint first, guint n_rows)
{
  add_area_rows (&maps->of_region, first, n_rows);
}

/* ---- Passes ------------------------------------------------------------------------------------- */

/* Sets the rows of a native component that lie in the region. */
static void
set_native_rows (HistoCpuMaps * maps, guint c)
{
  const guint h_sub = maps->plan->format->video.finfo->h_sub[c];

  maps->first_row = maps->region.y >> h_sub;
  maps->n_rows = ((maps->region.y + maps->region.height - 1) >> h_sub) + 1
      - maps->first_row;
}

static void
count_in_place (HistoCpuMaps * maps, guint first, guint n_rows)
{
  histo_cpu_pixels_rows (maps->blocks[0].pixels, first, n_rows);
}

/* Native samples of a region, where they lie. The picture's are counted plane by plane (count.h), and some of
 * U and V in pairs. */
static void
begin_samples (HistoCpuMaps * maps, const HistoComponent * component)
{
  Block *block = &maps->blocks[0];
  const HistoPlane *plane = &maps->frame->planes[component->native];

  if (component->region == 0 || ((component->native == 1 || component->native == 2)
          && is_joint (maps->plan, &maps->region)))
    return;
  begin_block (maps, 0, component);
  block->plane.data = (guint64) (guintptr) histo_cpu_rows_get (&maps->current, maps->kind,
      maps->first_row);
  block->plane.stride = plane->stride;
  maps->measure_rows = count_in_place;
}

static void
begin_component (HistoCpuMaps * maps, const HistoComponent * component)
{
  const gboolean is_native = component->source == HISTO_SOURCE_SAMPLE
      || component->source == HISTO_SOURCE_DIFFERENCE;

  maps->component = component;
  maps->kind = is_native ? component->native : sources[component->source].kind;
  maps->length = histo_cpu_rows_length (&maps->current, maps->kind);
  if (component->source == HISTO_SOURCE_GRADIENT)
    maps->length = MAX (maps->length, 2) - 2;
  if (is_native)
    set_native_rows (maps, component->native);
  if (maps->length == 0 && component->source != HISTO_SOURCE_GRADIENT)
    return;
  if (component->source == HISTO_SOURCE_SAMPLE) {
    begin_samples (maps, component);
    return;
  }
  if ((component->source == HISTO_SOURCE_DIFFERENCE && maps->frame->previous == NULL)
      || (component->source == HISTO_SOURCE_MAXRGB && !maps->plan->maps.is_rgb))
    return;
  if (sources[component->source].measure_row == NULL)
    return;
  set_measure_row (maps, sources[component->source].measure_row);
  begin_block (maps, 0, component);
}

/* Returns: passes over each region; some of them do nothing */
guint
histo_cpu_maps_n_passes (const HistoPlan * plan)
{
  return plan->n_region_components + N_COMMON_PASSES;
}

/**
 * histo_cpu_maps_begin:
 * @frame: used until histo_cpu_maps_end()
 * @region: below histo_plan_used_regions()
 * @pass: below histo_cpu_maps_n_passes()
 */
void
histo_cpu_maps_begin (HistoCpuMaps * maps, const HistoCpuFrame * frame,
    guint region, guint pass)
{
  const HistoPlan *plan = maps->plan;

  maps->frame = frame;
  maps->region = *histo_plan_region (plan, frame->info, region);
  maps->tallies = frame->tallies == NULL ? NULL :
      frame->tallies + plan->first_tally[region];
  maps->measure_rows = NULL;
  maps->measure_row = NULL;
  if (maps->region.width == 0 || maps->region.height == 0)
    return;
  maps->first_row = maps->region.y;
  maps->n_rows = maps->region.height;
  histo_cpu_rows_begin (&maps->current, frame->planes, maps->region.x,
      maps->region.width);
  if (frame->previous != NULL)
    histo_cpu_rows_begin (&maps->previous, frame->previous, maps->region.x,
        maps->region.width);
  begin_tallies (&maps->of_region, &maps->region, maps->tallies,
      plan->regions[region].height);
  if (pass < plan->n_region_components)
    begin_component (maps, &histo_plan_region_components (plan, region)[pass]);
  else if (pass == plan->n_region_components + PASS_SIGNAL
      && histo_plan_has_group (plan, HISTO_GROUP_SIGNAL))
    begin_signal (maps, region);
  else if (pass == plan->n_region_components + PASS_COLOR && !plan->maps.is_rgb)
    begin_color (maps, region);
  else if (pass == plan->n_region_components + PASS_AREA
      && histo_plan_has_group (plan, HISTO_GROUP_AREA))
    maps->measure_rows = measure_area;
}

/* Returns: the rows of the pass; 0 if nothing is to be done */
guint
histo_cpu_maps_pass_rows (const HistoCpuMaps * maps)
{
  return maps->measure_rows == NULL ? 0 : maps->n_rows;
}

/* @first: of the rows of the pass. Rows may be given in any order, each once. */
void
histo_cpu_maps_rows (HistoCpuMaps * maps, guint first, guint n_rows)
{
  maps->measure_rows (maps, first, n_rows);
}

/* The counters and tallies are complete after this. */
void
histo_cpu_maps_end (HistoCpuMaps * maps)
{
  for (guint i = 0; i < N_BLOCKS; i++) {
    if (!maps->blocks[i].is_used)
      continue;
    flush_block (&maps->blocks[i]);
    histo_cpu_pixels_end (maps->blocks[i].pixels);
    maps->blocks[i].is_used = FALSE;
  }
  if (maps->measure_row == measure_signal)
    end_chroma (&maps->chroma);
  else if (maps->measure_rows == measure_area)
    flush_columns (&maps->of_region);
  maps->measure_rows = NULL;
}
