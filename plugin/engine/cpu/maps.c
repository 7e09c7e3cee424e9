/* What the maps count and add up in each region of a frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/maps.h"

#include "engine/cpu/rows.h"
#include "media/load.h"

/* Rows are counted in blocks of about so many bytes, which stay in the caches. */
#define BLOCK_BYTES (64 * 1024)
/* Components that are counted at the same time. */
#define N_BLOCKS 4

/* Pairs of U and V of 8 bits. With fewer samples it takes longer to go through all pairs than to read the table
 * of saturation and hue for each. */
#define N_PAIRS 65536
#define LEAST_SAMPLES_FOR_PAIRS 65536

/* The sums of columns of so many rows fit in 32 bits: R + G + B of 16 bits. */
#define COLUMN_ROWS 16384

/* All rows of a group are kept. */
G_STATIC_ASSERT (HISTO_SUM_ROWS <= HISTO_KEPT_ROWS);

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
  gsize block_bytes;
  Block blocks[N_BLOCKS];
  guint32 *pairs;               /* histogram of U and V together, 0 between two passes; NULL: not wanted */
  guint8 *flags, *pixel_flags;  /* a row: chroma out of range, for each sample and for each pixel */
  guint32 *columns;             /* sums of the columns of the region, 0 between two passes */

  /* The pass. */
  const HistoCpuFrame *frame;
  HistoRegion region;
  guint number;                 /* of the region */
  guint64 *tallies;             /* the region's */
  MeasureRows measure_rows;     /* NULL: nothing is to be done */
  MeasureRow measure_row;       /* used by measure_each_row() */
  HistoRow kind;                /* of the rows that are counted */
  guint first_row, n_rows;      /* of the picture or of the native component */
  guint length;                 /* numbers in a row */
  gboolean counts_pairs;
  guint flags_row;              /* of chroma, in the picture, that the flags are of; G_MAXUINT: none */
  gboolean has_flags;           /* any in that row */
  guint column_rows;            /* rows in the sums of columns */
};

/* ---- Memory --------------------------------------------------------------------------------- */

/* Whether @n pairs of samples are counted in a histogram of pairs. */
static gboolean
suits_pairs (const HistoPlan * plan, guint64 n)
{
  return plan->maps.has_chroma && plan->maps.depth == 8 && n >= LEAST_SAMPLES_FOR_PAIRS;
}

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
  gsize row_bytes;

  maps->plan = plan;
  ok = histo_cpu_rows_init (&maps->current, regular, &plan->maps);
  if (plan->needs_previous)
    ok &= histo_cpu_rows_init (&maps->previous, regular, &plan->maps);
  row_bytes = maps->current.row_bytes;
  /* Rows of words may be made of bytes. */
  maps->block_bytes = MAX (BLOCK_BYTES, sizeof (guint16) * row_bytes);
  for (guint i = 0; i < N_BLOCKS; i++) {
    maps->blocks[i].pixels = histo_cpu_pixels_new ();
    maps->blocks[i].memory = g_try_malloc (maps->block_bytes);
    ok &= maps->blocks[i].memory != NULL;
  }
  if (suits_pairs (plan, G_MAXUINT64)) {
    maps->pairs = g_try_new0 (guint32, N_PAIRS);
    ok &= maps->pairs != NULL;
  }
  maps->flags = g_try_malloc (row_bytes);
  maps->pixel_flags = g_try_malloc (row_bytes);
  maps->columns = g_try_new0 (guint32, plan->format->width);
  if (ok && maps->flags != NULL && maps->pixel_flags != NULL && maps->columns != NULL)
    return maps;
  histo_cpu_maps_free (maps);
  return NULL;
}

void
histo_cpu_maps_free (HistoCpuMaps * maps)
{
  histo_cpu_rows_clear (&maps->current);
  histo_cpu_rows_clear (&maps->previous);
  for (guint i = 0; i < N_BLOCKS; i++) {
    histo_cpu_pixels_free (maps->blocks[i].pixels);
    g_free (maps->blocks[i].memory);
  }
  g_free (maps->pairs);
  g_free (maps->flags);
  g_free (maps->pixel_flags);
  g_free (maps->columns);
  g_free (maps);
}

/* ---- Blocks ------------------------------------------------------------------------------------ */

/* Rows of maps->length numbers are counted in block @i, as words or bytes. */
static void
begin_block (HistoCpuMaps * maps, guint i, const HistoComponent * component, gboolean is_wide,
    guint32 * counters)
{
  Block *block = &maps->blocks[i];

  histo_cpu_plane_init (&block->plane, component, is_wide, maps->length, maps->n_rows);
  block->plane.data = (guint64) (guintptr) block->memory;
  block->plane.stride = (is_wide && !maps->current.is_wide ? 2 : 1) * maps->current.row_bytes;
  block->is_used = TRUE;
  block->n = 0;
  histo_cpu_pixels_begin (block->pixels, &block->plane, counters);
}

static void
begin_component_block (HistoCpuMaps * maps, guint i, const HistoComponent * component)
{
  begin_block (maps, i, component, maps->current.is_wide, maps->frame->counters);
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

/* ---- Saturation and hue ------------------------------------------------------------------------- */

/* Of 8 bits the pairs of U and V are counted first; few different ones occur in a picture. The table of saturation
 * and hue is then read once for each, and the sums of the pairs with the same U or V are the histograms of U and
 * V. Small regions and up to 10 bits read the table for each sample. Above, the formulas are evaluated. */

/* Whether the samples of U and V in the region are counted in pairs, too. */
static gboolean
has_samples_in_pairs (const HistoPlan * plan, const HistoRegion * region)
{
  const HistoFormat *format = plan->format;
  const guint64 pixels = (guint64) region->width * region->height;

  return histo_plan_has_group (plan, HISTO_GROUP_SIGNAL)
      && format->colors == HISTO_COLORS_YUV && format->components[1].depth == 8
      && format->components[2].depth == 8 && suits_pairs (plan,
      pixels >> (format->chroma_w_sub + format->chroma_h_sub));
}

/**
 * histo_cpu_maps_count_samples:
 *
 * Returns: a bit for each component whose native samples in the picture the maps count, in pairs
 */
guint
histo_cpu_maps_count_samples (const HistoPlan * plan)
{
  return has_samples_in_pairs (plan, &plan->regions[0]) ? 1 << 1 | 1 << 2 : 0;
}

/**
 * histo_cpu_maps_needed:
 *
 * Returns: a bit for each component that the maps read
 */
guint
histo_cpu_maps_needed (const HistoPlan * plan)
{
  const guint all = plan->format->n_components, luma = histo_format_n_luma (plan->format);

  if (plan->n_regions > 1 || histo_plan_has_group (plan, HISTO_GROUP_MOTION))
    return (1u << all) - 1;
  if (histo_plan_has_group (plan, HISTO_GROUP_SIGNAL) || histo_plan_has_group (plan, HISTO_GROUP_COLOR)
      || histo_plan_has_group (plan, HISTO_GROUP_HDR))
    return (1u << MIN (all, 3)) - 1;
  return (1u << luma) - 1;
}

/* The region's component of this source. NULL: there is none. */
static const HistoComponent *
find_source (const HistoCpuMaps * maps, guint source)
{
  const HistoComponent *components = histo_plan_region_components (maps->plan, maps->number);

  for (guint i = 0; i < maps->plan->n_region_components; i++)
    if (components[i].source == source)
      return &components[i];
  return NULL;
}

/* The compiler makes vectors of this loop. */
static void
make_pairs (const guint8 * restrict u, const guint8 * restrict v, guint16 * restrict pairs, guint n)
{
  for (guint i = 0; i < n; i++)
    pairs[i] = u[i] << 8 | v[i];
}

HISTO_SPECIALISED void
make_chroma_by_table (const HistoPlan * plan, gconstpointer u, gconstpointer v,
    guint16 * restrict saturation, guint16 * restrict hue, guint n, gboolean is_wide)
{
  const guint depth = plan->maps.depth;

  for (guint i = 0; i < n; i++) {
    const gsize place = is_wide ? (gsize) ((const guint16 *) u)[i] << depth | ((const guint16 *) v)[i] :
        (gsize) ((const guint8 *) u)[i] << 8 | ((const guint8 *) v)[i];
    const guint32 entry = plan->chroma_table[place];

    saturation[i] = HISTO_CHROMA_SATURATION (entry);
    hue[i] = HISTO_CHROMA_HUE (entry);
  }
}

/* @row: of chroma, in the picture */
static void
measure_chroma (HistoCpuMaps * maps, guint row)
{
  const HistoPlan *plan = maps->plan;
  HistoCpuRows *rows = &maps->current;
  gconstpointer u = histo_cpu_rows_get (rows, HISTO_ROW_YUV + 1, row);
  gconstpointer v = histo_cpu_rows_get (rows, HISTO_ROW_YUV + 2, row);
  gpointer saturation = next_row (&maps->blocks[0]), hue;

  if (maps->counts_pairs) {
    make_pairs (u, v, saturation, maps->length);
    add_row (maps, &maps->blocks[0]);
    return;
  }
  hue = next_row (&maps->blocks[1]);
  if (plan->chroma_table == NULL)
    rows->loops->chroma (u, v, saturation, hue, maps->length, plan->maps.depth);
  else if (rows->is_wide)
    make_chroma_by_table (plan, u, v, saturation, hue, maps->length, TRUE);
  else
    make_chroma_by_table (plan, u, v, saturation, hue, maps->length, FALSE);
  add_row (maps, &maps->blocks[0]);
  add_row (maps, &maps->blocks[1]);
}

static void
begin_chroma (HistoCpuMaps * maps, guint h_sub)
{
  static const HistoComponent pairs = {.depth = 16,.n_values = N_PAIRS };

  maps->length = histo_cpu_rows_length (&maps->current, HISTO_ROW_YUV + 1);
  maps->counts_pairs = suits_pairs (maps->plan, ((guint64) maps->length * maps->n_rows) >> h_sub);
  if (maps->counts_pairs) {
    begin_block (maps, 0, &pairs, TRUE, maps->pairs);
    return;
  }
  begin_block (maps, 0, find_source (maps, HISTO_SOURCE_SATURATION), TRUE, maps->frame->counters);
  begin_block (maps, 1, find_source (maps, HISTO_SOURCE_HUE), TRUE, maps->frame->counters);
}

static guint32 *
counters_of (const HistoCpuMaps * maps, const HistoComponent * component)
{
  return maps->frame->counters + component->first_bin;
}

/* Most pairs do not occur. */
#define FOLDED_PAIRS 16

static void
fold_pairs (HistoCpuMaps * maps)
{
  const HistoComponent *native = histo_plan_region_components (maps->plan, maps->number);
  const gboolean has_samples = has_samples_in_pairs (maps->plan, &maps->region);
  guint32 *saturation = counters_of (maps, find_source (maps, HISTO_SOURCE_SATURATION));
  guint32 *hue = counters_of (maps, find_source (maps, HISTO_SOURCE_HUE));

  for (guint first = 0; first < N_PAIRS; first += FOLDED_PAIRS) {
    guint32 *counts = maps->pairs + first, any = 0;

    for (guint i = 0; i < FOLDED_PAIRS; i++)
      any |= counts[i];
    if (any == 0)
      continue;
    for (guint i = 0; i < FOLDED_PAIRS; i++) {
      const guint32 entry = maps->plan->chroma_table[first + i];

      saturation[HISTO_CHROMA_SATURATION (entry)] += counts[i];
      hue[HISTO_CHROMA_HUE (entry)] += counts[i];
      if (has_samples) {
        counters_of (maps, &native[1])[first >> 8] += counts[i];
        counters_of (maps, &native[2])[(first & 0xff) + i] += counts[i];
      }
      counts[i] = 0;
    }
  }
}

/* ---- Signal --------------------------------------------------------------------------------------- */

/* A flag for each pixel of the row whose chroma is out of range. NULL: there is none. @row: of chroma */
static gconstpointer
find_chroma_flags (HistoCpuMaps * maps, guint row)
{
  HistoCpuRows *rows = &maps->current;
  const HistoMaps *formulas = &maps->plan->maps;

  if (row != maps->flags_row) {
    maps->flags_row = row;
    maps->has_flags = rows->loops->chroma_out_of_range (histo_cpu_rows_get (rows, HISTO_ROW_YUV + 1, row),
        histo_cpu_rows_get (rows, HISTO_ROW_YUV + 2, row), maps->flags, maps->length, formulas->depth);
    if (maps->has_flags && formulas->w_sub > 0)
      rows->loops->repeat (maps->flags, maps->region.x & ((1u << formulas->w_sub) - 1),
          formulas->w_sub, maps->pixel_flags, maps->region.width);
  }
  if (!maps->has_flags)
    return NULL;
  return formulas->w_sub > 0 ? maps->pixel_flags : maps->flags;
}

static guint
count_outliers (HistoCpuMaps * maps, guint y)
{
  const guint row = maps->region.y + y, height = maps->region.height;
  gconstpointer rows[5] = { NULL, };

  if (y < 1 || y + 1 >= height)
    return 0;
  for (guint i = 0; i < 5; i++)
    if ((y >= 2 && y + 2 < height) || (i >= 1 && i <= 3))
      rows[i] = histo_cpu_rows_get (&maps->current, HISTO_ROW_YUV, row + i - 2);
  return maps->current.loops->count_outliers (rows, maps->region.width, maps->plan->maps.depth);
}

static void
measure_signal (HistoCpuMaps * maps, guint y)
{
  const HistoMaps *formulas = &maps->plan->maps;
  const guint h_sub = formulas->is_rgb ? 0 : formulas->h_sub;
  const guint row = maps->region.y + y, width = maps->region.width;
  HistoCpuRows *rows = &maps->current;
  gconstpointer luma = histo_cpu_rows_get (rows, HISTO_ROW_YUV, row), flags = NULL;

  if (formulas->has_chroma) {
    /* A row of chroma is counted with the first of its rows of pixels in the region. */
    if (y == 0 || row % (1u << h_sub) == 0)
      measure_chroma (maps, row >> h_sub);
    flags = find_chroma_flags (maps, row >> h_sub);
  }
  maps->tallies[HISTO_TALLY_BRNG] += rows->loops->count_out_of_range (luma, flags, width, formulas->depth);
  maps->tallies[HISTO_TALLY_TOUT] += count_outliers (maps, y);
  if (y >= 4 && rows->loops->is_repeated (luma, histo_cpu_rows_get (rows, HISTO_ROW_YUV, row - 4), width))
    maps->tallies[HISTO_TALLY_VREP] += width;
}

static void
begin_signal (HistoCpuMaps * maps)
{
  const HistoMaps *formulas = &maps->plan->maps;

  set_measure_row (maps, measure_signal);
  maps->flags_row = G_MAXUINT;
  if (formulas->has_chroma)
    begin_chroma (maps, formulas->is_rgb ? 0 : formulas->h_sub);
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
begin_color (HistoCpuMaps * maps)
{
  static const guint of_blocks[N_BLOCKS] = {
    HISTO_SOURCE_RED, HISTO_SOURCE_GREEN, HISTO_SOURCE_BLUE, HISTO_SOURCE_MAXRGB
  };

  maps->length = maps->region.width;
  for (guint i = 0; i < N_BLOCKS; i++) {
    const HistoComponent *component = find_source (maps, of_blocks[i]);

    if (component == NULL)
      continue;
    begin_component_block (maps, i, component);
    set_measure_row (maps, measure_color);
  }
}

/* ---- Area --------------------------------------------------------------------------------------- */

static void
flush_columns (HistoCpuMaps * maps)
{
  guint64 *sums = maps->tallies + HISTO_N_TALLIES + maps->plan->regions[maps->number].height;

  if (maps->column_rows == 0)
    return;
  for (guint x = 0; x < maps->region.width; x++) {
    sums[x] += maps->columns[x];
    maps->columns[x] = 0;
  }
  maps->column_rows = 0;
}

/* Adds the sums of rows and columns. The latter are complete after flush_columns(). */
static void
measure_area (HistoCpuMaps * maps, guint first, guint n_rows)
{
  HistoCpuRows *rows = &maps->current;
  const guint n_components = maps->plan->maps.is_rgb ? 3 : 1;
  const guint after = first + n_rows;
  guint n;

  for (guint y = first; y < after; y += n) {
    n = MIN (after - y, HISTO_SUM_ROWS);
    for (guint c = 0; c < n_components; c++) {
      gconstpointer group[HISTO_SUM_ROWS];

      for (guint i = 0; i < n; i++)
        group[i] = histo_cpu_rows_get (rows, HISTO_ROW_PIXEL + c, maps->region.y + y + i);
      rows->loops->add_columns (group, n, maps->columns, &maps->tallies[HISTO_N_TALLIES + y],
          maps->region.width);
    }
    maps->column_rows += n;
    if (maps->column_rows > COLUMN_ROWS - HISTO_SUM_ROWS)
      flush_columns (maps);
  }
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
          && has_samples_in_pairs (maps->plan, &maps->region)))
    return;
  begin_component_block (maps, 0, component);
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
  begin_component_block (maps, 0, component);
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
  maps->number = region;
  maps->region = *histo_plan_region (plan, frame->info, region);
  maps->tallies = frame->tallies == NULL ? NULL :
      frame->tallies + plan->first_tally[region];
  maps->measure_rows = NULL;
  maps->counts_pairs = FALSE;
  if (maps->region.width == 0 || maps->region.height == 0)
    return;
  maps->first_row = maps->region.y;
  maps->n_rows = maps->region.height;
  histo_cpu_rows_begin (&maps->current, frame->planes, maps->region.x,
      maps->region.width);
  if (frame->previous != NULL)
    histo_cpu_rows_begin (&maps->previous, frame->previous, maps->region.x,
        maps->region.width);
  if (pass < plan->n_region_components)
    begin_component (maps, &histo_plan_region_components (plan, region)[pass]);
  else if (pass == plan->n_region_components + PASS_SIGNAL
      && histo_plan_has_group (plan, HISTO_GROUP_SIGNAL))
    begin_signal (maps);
  else if (pass == plan->n_region_components + PASS_COLOR && !plan->maps.is_rgb)
    begin_color (maps);
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
  if (maps->counts_pairs)
    fold_pairs (maps);
  if (maps->measure_rows == measure_area)
    flush_columns (maps);
  maps->measure_rows = NULL;
}
