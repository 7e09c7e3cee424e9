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
 * U or V are the histograms of U and V. Small regions and 10 bits read the table for each
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

HISTO_SPECIALISED guint
sample_at (gconstpointer row, guint i, gboolean is_wide)
{
  return is_wide ? ((const guint16 *) row)[i] : ((const guint8 *) row)[i];
}

HISTO_SPECIALISED void
count_by_table (Chroma * chroma, gconstpointer u, gconstpointer v,
    guint n, gboolean is_wide)
{
  const guint depth = chroma->plan->maps.depth;

  for (guint i = 0; i < n; i++)
    count_entry (chroma, chroma->plan->chroma_table[
            (gsize) sample_at (u, i, is_wide) << depth
            | sample_at (v, i, is_wide)], 1);
}

static void
count_by_formula (Chroma * chroma, const guint16 * u,
    const guint16 * v, guint n)
{
  const gint mid = 1 << (chroma->plan->maps.depth - 1);
  guint32 entry = 0;

  for (guint i = 0; i < n; i++) {
    /* Neighbours are often equal. */
    if (i == 0 || u[i] != u[i - 1] || v[i] != v[i - 1])
      entry = HISTO_CHROMA_ENTRY (histo_saturation (u[i] - mid, v[i] - mid),
          histo_hue (u[i] - mid, v[i] - mid));
    count_entry (chroma, entry, 1);
  }
}

/* Counts @n pairs of samples, of the depth of the maps. */
static void
count_chroma_row (Chroma * chroma, gconstpointer u,
    gconstpointer v, guint n, gboolean is_wide)
{
  if (chroma->counts_joint)
    count_joint (chroma, u, v, n);
  else if (chroma->plan->chroma_table == NULL)
    count_by_formula (chroma, u, v, n);
  else if (is_wide)
    count_by_table (chroma, u, v, n, TRUE);
  else
    count_by_table (chroma, u, v, n, FALSE);
}

static void
end_chroma (Chroma * chroma)
{
  if (chroma->counts_joint)
    fold_joint (chroma);
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

/* Adds BRNG, TOUT and VREP of rows of the region. */
static void
add_signal_rows (Tallies * tallies, guint first, guint n_rows)
{
  HistoCpuRows *rows = tallies->rows;
  const guint width = tallies->region.width, depth = tallies->plan->maps.depth;

  for (guint y = first; y < first + n_rows; y++) {
    const guint row = tallies->region.y + y;

    tallies->sums[HISTO_TALLY_BRNG] += rows->loops->count_out_of_range
        (histo_cpu_rows_get (rows, HISTO_ROW_YUV, row),
        find_chroma_flags (tallies, row), width, depth);
    tallies->sums[HISTO_TALLY_TOUT] += count_outliers (tallies, y);
    if (y >= 4 && rows->loops->is_repeated
        (histo_cpu_rows_get (rows, HISTO_ROW_YUV, row),
            histo_cpu_rows_get (rows, HISTO_ROW_YUV, row - 4), width))
      tallies->sums[HISTO_TALLY_VREP] += width;
  }
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
/* With fewer numbers for each counter they are counted one by one, because copies of the counters
 * would have to be added up. */
#define LEAST_NUMBERS_PER_COUNTER 4

/* The passes after those of the components. */
enum
{
  PASS_SIGNAL,                  /* HISTO_TALLY_BRNG, TOUT and VREP */
  PASS_AREA,
  N_TALLY_PASSES
};

/* How the rows of a pass are evaluated. @first: in the region */
typedef void (*CountRows) (HistoCpuMaps * maps, guint first, guint n_rows);

struct _HistoCpuMaps
{
  const HistoPlan *plan;
  HistoCpuRows current, previous;       /* previous: only if the plan needs it */
  Chroma chroma;
  guint8 *block;                /* rows to be counted */
  Tallies of_region;

  /* The pass. */
  const HistoCpuFrame *frame;
  HistoCpuPixels *pixels;
  HistoRegion region;
  guint64 *tallies;             /* the region's */
  const HistoComponent *component;
  CountRows count_rows;         /* NULL: nothing is to be done */
  HistoRow kind;                /* of the rows that are counted */
  guint first_row, n_rows;      /* of the picture or of the native component */
  guint length;                 /* numbers in a row */
  HistoPlane plane;             /* describes the block to `pixels` */
};

/* ---- Memory --------------------------------------------------------------------------------- */

/**
 * histo_cpu_maps_new:
 * @plan: of video; used until histo_cpu_maps_free()
 * @is_plain: see histo_loops_choose()
 *
 * Returns: (nullable): NULL if there is no memory
 */
HistoCpuMaps *
histo_cpu_maps_new (const HistoPlan * plan, gboolean is_plain)
{
  HistoCpuMaps *maps = g_new0 (HistoCpuMaps, 1);
  gboolean ok;
  gsize row_bytes;

  maps->plan = plan;
  ok = histo_cpu_rows_init (&maps->current, plan->format, &plan->maps,
      is_plain);
  if (plan->needs_previous)
    ok &= histo_cpu_rows_init (&maps->previous, plan->format, &plan->maps,
        is_plain);
  ok &= init_chroma (&maps->chroma, plan);
  row_bytes = maps->current.row_bytes;
  ok &= init_tallies (&maps->of_region, plan, &maps->current);
  maps->block = g_try_malloc (MAX (BLOCK_BYTES, row_bytes));
  if (ok && maps->block != NULL)
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
  g_free (maps->block);
  g_free (maps);
}

/* ---- Rows of numbers that are counted ---------------------------------------------------------- */

/* Makes a row of the component's numbers at @out, or returns where it lies. NULL: this row has
 * none. @y: in the region */
static gconstpointer
make_difference (HistoCpuMaps * maps, guint y, gpointer out)
{
  const guint row = maps->first_row + y;

  maps->current.loops->difference (histo_cpu_rows_get (&maps->current,
          maps->kind, row), histo_cpu_rows_get (&maps->previous, maps->kind,
          row), out, maps->length);
  return out;
}

static gconstpointer
make_gradient (HistoCpuMaps * maps, guint y, gpointer out)
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
    return NULL;
  for (guint i = 0; i < 3; i++)
    rows[i] = histo_cpu_rows_get (&maps->current, HISTO_ROW_STRETCHED,
        row + i - 1);
  maps->current.loops->gradients (rows, out, width, maps->plan->maps.depth,
      &maps->tallies[HISTO_TALLY_GRADIENT_SUM],
      &maps->tallies[HISTO_TALLY_GRADIENT_SQUARES]);
  return out;
}

static gconstpointer
make_numbers (HistoCpuMaps * maps, guint y, gpointer out)
{
  switch (maps->component->source) {
    case HISTO_SOURCE_DIFFERENCE:
      return make_difference (maps, y, out);
    case HISTO_SOURCE_GRADIENT:
      return make_gradient (maps, y, out);
    default:
      return histo_cpu_rows_make (&maps->current, maps->kind,
          maps->first_row + y, out);
  }
}

/* Counts rows block by block. */
static void
count_numbers (HistoCpuMaps * maps, guint first, guint n_rows)
{
  const gsize row_bytes = maps->plane.stride;
  const guint most = MAX (BLOCK_BYTES / row_bytes, 1);
  guint n = 0;

  for (guint y = first; y < first + n_rows; y++) {
    guint8 *out = maps->block + n * row_bytes;
    gconstpointer row = make_numbers (maps, y, out);

    if (row != NULL && row != out)
      memcpy (out, row, maps->length * histo_cpu_rows_sample_bytes
          (&maps->current));
    n += row != NULL;
    if (n == most || (n > 0 && y + 1 == first + n_rows)) {
      histo_cpu_pixels_rows (maps->pixels, 0, n);
      n = 0;
    }
  }
}

/* Makes a plane of the component's numbers. */
static void
describe_block (HistoCpuMaps * maps)
{
  const HistoComponent *component = maps->component;
  const guint bytes = histo_cpu_rows_sample_bytes (&maps->current);
  const guint64 n_numbers = (guint64) maps->n_rows * maps->length;
  HistoPlane *plane = &maps->plane;

  memset (plane, 0, sizeof *plane);
  plane->data = (guint64) (guintptr) maps->block;
  plane->stride = maps->current.row_bytes;
  plane->rows = maps->n_rows;
  plane->periods = plane->full_periods = maps->length;
  plane->period_bytes = bytes;
  plane->big_endian = G_BYTE_ORDER == G_BIG_ENDIAN;
  plane->n_samples = plane->n_words = 1;
  plane->first_bin = component->first_bin;
  plane->n_bins = component->n_values;
  plane->samples[0].bytes = bytes;
  plane->samples[0].mask = component->n_values - 1;
  plane->samples[0].first_bin = component->first_bin;
  plane->samples[0].count = maps->length;
  plane->kind = HISTO_PLANE_PACKED;
  if (bytes == 1 && component->depth == 8)
    plane->kind = HISTO_PLANE_BYTES;
  else if (bytes == 2 && n_numbers >=
      (guint64) LEAST_NUMBERS_PER_COUNTER * component->n_values)
    plane->kind = HISTO_PLANE_WORDS;
}

/* ---- Pairs of U and V --------------------------------------------------------------------------- */

static void
count_chroma (HistoCpuMaps * maps, guint first, guint n_rows)
{
  HistoCpuRows *rows = &maps->current;

  for (guint y = maps->first_row + first;
      y < maps->first_row + first + n_rows; y++)
    count_chroma_row (&maps->chroma,
        histo_cpu_rows_get (rows, HISTO_ROW_YUV + 1, y),
        histo_cpu_rows_get (rows, HISTO_ROW_YUV + 2, y), maps->length,
        rows->is_wide);
}

/* Whether the samples of U and V in the region are counted together. */
static gboolean
is_joint (const HistoPlan * plan, const HistoRegion * region)
{
  const HistoFormat *format = plan->format;
  const guint64 pixels = (guint64) region->width * region->height;

  return format->colors == HISTO_COLORS_YUV && format->components[1].depth == 8
      && format->components[2].depth == 8 && suits_joint (plan,
      pixels >> (format->chroma_w_sub + format->chroma_h_sub));
}

/**
 * histo_cpu_maps_count_plane:
 * @plane: of the format
 *
 * Returns: whether the maps count all native samples of this plane in the picture, in pairs
 */
gboolean
histo_cpu_maps_count_plane (const HistoPlan * plan, guint plane)
{
  const HistoPlane *samples = &plan->format->planes[plane];

  if (!histo_plan_has_group (plan, HISTO_GROUP_SIGNAL)
      || !is_joint (plan, &plan->regions[0]))
    return FALSE;
  for (guint i = 0; i < samples->n_samples; i++) {
    if (samples->samples[i].component != 1 && samples->samples[i].component != 2)
      return FALSE;
  }
  return TRUE;
}

/* Whether U and V of the region are counted together with saturation and hue. */
static gboolean
joint_has_samples (const HistoCpuMaps * maps, guint region)
{
  const HistoCpuComponent *components = maps->current.components;

  if (region == 0)
    return histo_cpu_maps_count_plane (maps->plan, components[1].plane)
        && histo_cpu_maps_count_plane (maps->plan, components[2].plane);
  return histo_plan_has_group (maps->plan, HISTO_GROUP_SIGNAL)
      && is_joint (maps->plan, &maps->region);
}

static guint32 *
counters_of (const HistoCpuMaps * maps, const HistoComponent * component)
{
  return maps->frame->counters + component->first_bin;
}

/* @component: saturation; hue is the next one */
static void
begin_chroma (HistoCpuMaps * maps, const HistoComponent * component)
{
  const HistoComponent *native =
      histo_plan_region_components (maps->plan, component->region);
  ChromaTargets targets = {
    .saturation = counters_of (maps, &component[0]),
    .hue = counters_of (maps, &component[1]),
  };

  if (joint_has_samples (maps, component->region)) {
    targets.first = counters_of (maps, &native[1]);
    targets.second = counters_of (maps, &native[2]);
  }
  maps->count_rows = count_chroma;
  begin_joint (&maps->chroma, (guint64) maps->length * maps->n_rows, &targets);
}

/* ---- Tallies alone ------------------------------------------------------------------------------- */

static void
add_signal (HistoCpuMaps * maps, guint first, guint n_rows)
{
  add_signal_rows (&maps->of_region, first, n_rows);
}

static void
add_area (HistoCpuMaps * maps, guint first, guint n_rows)
{
  add_area_rows (&maps->of_region, first, n_rows);
}

/* ---- Passes ----------------------------------------------------------------------------------------- */

/* The kinds of the rows that are counted for each source. Those of native samples are the
 * component's number. */
static const HistoRow row_of_source[HISTO_N_SOURCES] = {
  [HISTO_SOURCE_LUMA] = HISTO_ROW_LUMA,
  [HISTO_SOURCE_RED] = HISTO_ROW_RGB,
  [HISTO_SOURCE_GREEN] = HISTO_ROW_RGB + 1,
  [HISTO_SOURCE_BLUE] = HISTO_ROW_RGB + 2,
  [HISTO_SOURCE_MAXRGB] = HISTO_ROW_MAXRGB,
  [HISTO_SOURCE_GRADIENT] = HISTO_ROW_STRETCHED,
  [HISTO_SOURCE_SATURATION] = HISTO_ROW_YUV + 1,
};

static gboolean
is_native (const HistoComponent * component)
{
  return component->source == HISTO_SOURCE_SAMPLE
      || component->source == HISTO_SOURCE_DIFFERENCE;
}

/* Whether there is anything to count for the component. The picture's native samples are counted
 * plane by plane (count.h), hue together with saturation, and some of U and V in pairs. */
static gboolean
is_counted (const HistoCpuMaps * maps, const HistoComponent * component)
{
  switch (component->source) {
    case HISTO_SOURCE_SAMPLE:
      return component->region > 0
          && !((component->native == 1 || component->native == 2)
          && joint_has_samples (maps, component->region));
    case HISTO_SOURCE_DIFFERENCE:
      return maps->frame->previous != NULL;
    default:
      return component->source != HISTO_SOURCE_HUE;
  }
}

/* Sets the rows of a component that lie in the region. */
static void
set_rows (HistoCpuMaps * maps, guint h_sub)
{
  maps->first_row = maps->region.y >> h_sub;
  maps->n_rows = ((maps->region.y + maps->region.height - 1) >> h_sub) + 1
      - maps->first_row;
}

static void
begin_component (HistoCpuMaps * maps, const HistoComponent * component)
{
  HistoCpuRows *rows = &maps->current;

  maps->component = component;
  maps->kind = is_native (component) ? component->native :
      row_of_source[component->source];
  maps->length = histo_cpu_rows_length (rows, maps->kind);
  if (!is_counted (maps, component) || maps->length == 0)
    return;
  if (is_native (component))
    set_rows (maps, rows->components[component->native].h_sub);
  if (component->source == HISTO_SOURCE_SATURATION) {
    set_rows (maps, maps->plan->maps.h_sub);
    begin_chroma (maps, component);
    return;
  }
  if (component->source == HISTO_SOURCE_GRADIENT)
    maps->length = MAX (maps->length, 2) - 2;
  maps->count_rows = count_numbers;
  describe_block (maps);
  histo_cpu_pixels_begin (maps->pixels, &maps->plane, maps->frame->counters);
}

/* Returns: passes over each region; some of them do nothing */
guint
histo_cpu_maps_n_passes (const HistoPlan * plan)
{
  return plan->n_region_components + N_TALLY_PASSES;
}

/**
 * histo_cpu_maps_begin:
 * @frame: used until histo_cpu_maps_end(), as @pixels
 * @pixels: the thread's
 * @region: below histo_plan_used_regions()
 * @pass: below histo_cpu_maps_n_passes()
 */
void
histo_cpu_maps_begin (HistoCpuMaps * maps, const HistoCpuFrame * frame,
    HistoCpuPixels * pixels, guint region, guint pass)
{
  const HistoPlan *plan = maps->plan;

  maps->frame = frame;
  maps->pixels = pixels;
  maps->region = *histo_plan_region (plan, frame->info, region);
  maps->tallies = frame->tallies == NULL ? NULL :
      frame->tallies + plan->first_tally[region];
  maps->count_rows = NULL;
  maps->component = NULL;
  maps->n_rows = 0;
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
    maps->count_rows = add_signal;
  else if (pass == plan->n_region_components + PASS_AREA
      && histo_plan_has_group (plan, HISTO_GROUP_AREA))
    maps->count_rows = add_area;
}

/* Returns: the rows of the pass; 0 if nothing is to be done */
guint
histo_cpu_maps_pass_rows (const HistoCpuMaps * maps)
{
  return maps->count_rows == NULL ? 0 : maps->n_rows;
}

/* @first: of the rows of the pass. Rows may be given in any order, each once. */
void
histo_cpu_maps_rows (HistoCpuMaps * maps, guint first, guint n_rows)
{
  maps->count_rows (maps, first, n_rows);
}

/* The counters and tallies are complete after this. */
void
histo_cpu_maps_end (HistoCpuMaps * maps)
{
  if (maps->count_rows == count_numbers)
    histo_cpu_pixels_end (maps->pixels);
  else if (maps->count_rows == count_chroma)
    end_chroma (&maps->chroma);
  else if (maps->count_rows == add_area)
    flush_columns (&maps->of_region);
  maps->count_rows = NULL;
}
