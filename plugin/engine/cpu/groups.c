/* What the groups count and add up in each region of a frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/groups.h"

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
  PASS_SIGNAL,                  /* saturation and hue; HISTO_TALLY_BRNG, TOUT, VREP and VREP_DETAIL */
  PASS_COLOR,                   /* R, G, B of YUV and gray, and the greatest of them */
  PASS_AREA,
  PASS_GAMUT,                   /* gamut and gamut-filter */
  PASS_FLASH,
  PASS_HLG,                     /* the light of HLG */
  PASS_WAVEFORM,                /* the joint components */
  PASS_VECTORSCOPE,
  PASS_PARADE,                  /* waveforms of R, G and B */
  PASS_FIELD                    /* the last ones: one for each native component */
};

/* The pairs of a row are counted in turn from so many places in it: an increment that follows another increment of the
 * same counter must wait for its store, and neighbours are often the same. */
#define PAIRS_IN_TURN 8

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
typedef void (*MeasureRow) (HistoCpuGroups * groups, guint y);
typedef void (*MeasureRows) (HistoCpuGroups * groups, guint first, guint n_rows);

struct _HistoCpuGroups
{
  const HistoPlan *plan;
  HistoCpuRows current, previous;       /* previous: only if the plan needs it */
  gsize block_bytes;
  Block blocks[N_BLOCKS];
  guint32 *pairs;               /* histogram of U and V together, 0 between two passes; NULL: not wanted */
  guint8 *flags, *pixel_flags;  /* a row: chroma out of range, for each sample and for each pixel */
  guint32 *columns;             /* sums of the columns of the region, 0 between two passes */
  guint8 *scope_columns;        /* of a waveform, for each column of the picture; NULL: there are no joint components,
                                 * as below */
  guint16 *row_of_pairs;        /* the pairs of one row, before they are counted */

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
  return plan->formulas.has_chroma && plan->formulas.depth == 8 && n >= LEAST_SAMPLES_FOR_PAIRS;
}

/* Returns: (nullable): the column of a waveform that each column of the picture counts in */
static guint8 *
scope_columns_new (guint width)
{
  guint8 *columns = g_try_malloc (width);

  for (guint x = 0; columns != NULL && x < width; x++)
    columns[x] = histo_scope_column (x, width);
  return columns;
}

/**
 * histo_cpu_groups_new:
 * @plan: of video; used until histo_cpu_groups_free(), as @regular
 *
 * Returns: (nullable): NULL if there is no memory
 */
HistoCpuGroups *
histo_cpu_groups_new (const HistoPlan * plan, const HistoCpuRegular * regular)
{
  HistoCpuGroups *groups = g_new0 (HistoCpuGroups, 1);
  gboolean ok;
  gsize row_bytes;

  groups->plan = plan;
  ok = histo_cpu_rows_init (&groups->current, regular, plan);
  if (plan->needs_previous)
    ok &= histo_cpu_rows_init (&groups->previous, regular, plan);
  row_bytes = groups->current.row_bytes;
  /* Rows of words may be made of bytes. */
  groups->block_bytes = MAX (BLOCK_BYTES, sizeof (guint16) * row_bytes);
  for (guint i = 0; i < N_BLOCKS; i++) {
    groups->blocks[i].pixels = histo_cpu_pixels_new ();
    groups->blocks[i].memory = g_try_malloc (groups->block_bytes);
    ok &= groups->blocks[i].memory != NULL;
  }
  if (suits_pairs (plan, G_MAXUINT64)) {
    groups->pairs = g_try_new0 (guint32, N_PAIRS);
    ok &= groups->pairs != NULL;
  }
  groups->flags = g_try_malloc (row_bytes);
  groups->pixel_flags = g_try_malloc (row_bytes);
  groups->columns = g_try_new0 (guint32, plan->format->width);
  if (plan->n_joints > 0) {
    groups->scope_columns = scope_columns_new (plan->format->width);
    ok &= groups->scope_columns != NULL;
  }
  groups->row_of_pairs = g_try_new (guint16, plan->format->width);
  ok &= groups->row_of_pairs != NULL;
  if (ok && groups->flags != NULL && groups->pixel_flags != NULL && groups->columns != NULL)
    return groups;
  histo_cpu_groups_free (groups);
  return NULL;
}

void
histo_cpu_groups_free (HistoCpuGroups * groups)
{
  histo_cpu_rows_clear (&groups->current);
  histo_cpu_rows_clear (&groups->previous);
  for (guint i = 0; i < N_BLOCKS; i++) {
    histo_cpu_pixels_free (groups->blocks[i].pixels);
    g_free (groups->blocks[i].memory);
  }
  g_free (groups->pairs);
  g_free (groups->flags);
  g_free (groups->pixel_flags);
  g_free (groups->columns);
  g_free (groups->scope_columns);
  g_free (groups->row_of_pairs);
  g_free (groups);
}

/* ---- Blocks ------------------------------------------------------------------------------------ */

/* Rows of groups->length numbers are counted in block @i, as words or bytes. */
static void
begin_block (HistoCpuGroups * groups, guint i, const HistoComponent * component, gboolean is_wide,
    guint32 * counters)
{
  Block *block = &groups->blocks[i];

  histo_cpu_plane_init (&block->plane, component, is_wide, groups->length, groups->n_rows);
  block->plane.data = (guint64) (guintptr) block->memory;
  block->plane.stride = (is_wide && !groups->current.is_wide ? 2 : 1) * groups->current.row_bytes;
  block->is_used = TRUE;
  block->n = 0;
  histo_cpu_pixels_begin (block->pixels, &block->plane, counters);
}

static void
begin_component_block (HistoCpuGroups * groups, guint i, const HistoComponent * component)
{
  begin_block (groups, i, component, groups->current.is_wide, groups->frame->counters);
}

/* Where the next row is to be made. */
static gpointer
next_row (Block * block)
{
  return block->memory + block->n * (gsize) block->plane.stride;
}

static void
flush_block (const HistoCpuGroups * groups, Block * block)
{
  if (block->n > 0)
    histo_cpu_pixels_rows (block->pixels, 0, block->n);
  block->n = 0;
}

/* The next row has been made. */
static void
add_row (const HistoCpuGroups * groups, Block * block)
{
  block->n++;
  if ((block->n + 1) * (gsize) block->plane.stride > groups->block_bytes)
    flush_block (groups, block);
}

static void
measure_each_row (HistoCpuGroups * groups, guint first, guint n_rows)
{
  for (guint y = first; y < first + n_rows; y++)
    groups->measure_row (groups, y);
}

/* The rows of this pass are evaluated one by one. */
static void
set_measure_row (HistoCpuGroups * groups, MeasureRow measure_row)
{
  groups->measure_rows = measure_each_row;
  groups->measure_row = measure_row;
}

/* ---- Rows of one component --------------------------------------------------------------------- */

static void
measure_difference (HistoCpuGroups * groups, guint y)
{
  const guint row = groups->first_row + y;

  groups->current.loops->difference (histo_cpu_rows_get (&groups->current,
          groups->kind, row), histo_cpu_rows_get (&groups->previous, groups->kind,
          row), next_row (&groups->blocks[0]), groups->length);
  add_row (groups, &groups->blocks[0]);
}

static void
measure_gradient (HistoCpuGroups * groups, guint y)
{
  const guint row = groups->first_row + y, width = groups->region.width;
  gconstpointer rows[3];

  if (groups->frame->previous != NULL)
    groups->current.loops->add_changes (histo_cpu_rows_get (&groups->current,
            HISTO_ROW_STRETCHED, row), histo_cpu_rows_get (&groups->previous,
            HISTO_ROW_STRETCHED, row), width,
        (gint64 *) & groups->tallies[HISTO_TALLY_TI_SUM],
        &groups->tallies[HISTO_TALLY_TI_SQUARES]);
  if (y == 0 || y + 1 >= groups->region.height || width < 3)
    return;
  for (guint i = 0; i < 3; i++)
    rows[i] = histo_cpu_rows_get (&groups->current, HISTO_ROW_STRETCHED,
        row + i - 1);
  groups->current.loops->gradients (rows, next_row (&groups->blocks[0]), width,
      groups->plan->formulas.depth, &groups->tallies[HISTO_TALLY_GRADIENT_SUM],
      &groups->tallies[HISTO_TALLY_GRADIENT_SQUARES]);
  add_row (groups, &groups->blocks[0]);
}

static void
measure_numbers (HistoCpuGroups * groups, guint y)
{
  histo_cpu_rows_make (&groups->current, groups->kind, groups->first_row + y,
      next_row (&groups->blocks[0]));
  add_row (groups, &groups->blocks[0]);
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

/* Whether the histograms of U and V in region @number are sums of pairs. */
static gboolean
has_samples_in_pairs (const HistoPlan * plan, guint number, const HistoRegion * region)
{
  const HistoFormat *format = plan->format;
  const guint64 pixels = (guint64) region->width * region->height;

  if (number == 0 && plan->joints_have_samples)
    return FALSE;
  return histo_plan_has_group (plan, HISTO_GROUP_SIGNAL)
      && format->colors == HISTO_COLORS_YUV && format->components[1].depth == 8
      && format->components[2].depth == 8 && suits_pairs (plan,
      pixels >> (format->chroma_w_sub + format->chroma_h_sub));
}

/**
 * histo_cpu_groups_count_samples:
 *
 * Returns: a bit for each component whose native samples in the picture the groups count, in pairs or joint components
 */
guint
histo_cpu_groups_count_samples (const HistoPlan * plan)
{
  if (plan->joints_have_samples)
    return (1u << plan->format->n_components) - 1;
  return has_samples_in_pairs (plan, 0, &plan->regions[0]) ? 1 << 1 | 1 << 2 : 0;
}

/* A bit for each component that the groups of the plan read, in this frame or in the previous one. */
static guint
needed_by_groups (const HistoPlan * plan, gboolean in_previous)
{
  static const HistoGroup of_all[] = { HISTO_GROUP_MOTION, HISTO_GROUP_FIELD };
  static const HistoGroup of_colors[] = {
    HISTO_GROUP_FLASH, HISTO_GROUP_SIGNAL, HISTO_GROUP_COLOR, HISTO_GROUP_HDR, HISTO_GROUP_GAMUT,
    HISTO_GROUP_GAMUT_FILTER, HISTO_GROUP_SCOPES
  };
  const guint all = plan->format->n_components;

  for (guint i = 0; i < G_N_ELEMENTS (of_all); i++)
    if (histo_plan_has_group (plan, of_all[i]))
      return (1u << all) - 1;
  /* Only the first of these reads the previous frame. */
  for (guint i = 0; i < (in_previous ? 1 : G_N_ELEMENTS (of_colors)); i++)
    if (histo_plan_has_group (plan, of_colors[i]))
      return (1u << MIN (all, 3)) - 1;
  return (1u << histo_format_n_luma (plan->format)) - 1;
}

/**
 * histo_cpu_groups_needed:
 *
 * Returns: a bit for each component that the groups read in a regular picture. The regions of Bayer video are counted
 *   where they lie, and nothing else is measured
 */
guint
histo_cpu_groups_needed (const HistoPlan * plan)
{
  if (histo_format_is_bayer (plan->format))
    return 0;
  return plan->n_regions > 1 ? (1u << plan->format->n_components) - 1 : needed_by_groups (plan, FALSE);
}

/**
 * histo_cpu_groups_needed_previous:
 *
 * Returns: a bit for each component that the groups read in the previous frame, if they read that
 */
guint
histo_cpu_groups_needed_previous (const HistoPlan * plan)
{
  return needed_by_groups (plan, TRUE);
}

/* The region's component of this source. NULL: there is none. */
static const HistoComponent *
find_source (const HistoCpuGroups * groups, guint source)
{
  const HistoComponent *components = histo_plan_region_components (groups->plan, groups->number);

  for (guint i = 0; i < groups->plan->n_region_components; i++)
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

/* Counts the row of pairs. There are no copies of the counters: most counters are not used, and the others stay in the
 * caches. */
static void
count_pairs (const HistoCpuGroups * groups, guint32 * restrict counters)
{
  const guint16 *restrict pairs = groups->row_of_pairs;
  const guint distance = groups->length / PAIRS_IN_TURN;

  for (guint i = 0; i < distance; i++)
    for (guint k = 0; k < PAIRS_IN_TURN; k++)
      counters[pairs[i + k * distance]]++;
  for (guint i = PAIRS_IN_TURN * distance; i < groups->length; i++)
    counters[pairs[i]]++;
}

HISTO_SPECIALISED void
make_chroma_by_table (const HistoPlan * plan, gconstpointer u, gconstpointer v,
    guint16 * restrict saturation, guint16 * restrict hue, guint n, gboolean is_wide)
{
  const guint depth = plan->formulas.depth;

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
measure_chroma (HistoCpuGroups * groups, guint row)
{
  const HistoPlan *plan = groups->plan;
  HistoCpuRows *rows = &groups->current;
  gconstpointer u = histo_cpu_rows_get (rows, HISTO_ROW_YUV + 1, row);
  gconstpointer v = histo_cpu_rows_get (rows, HISTO_ROW_YUV + 2, row);
  gpointer saturation = next_row (&groups->blocks[0]), hue = next_row (&groups->blocks[1]);

  if (groups->counts_pairs) {
    make_pairs (u, v, groups->row_of_pairs, groups->length);
    count_pairs (groups, groups->pairs);
    return;
  }
  if (plan->chroma_table == NULL)
    rows->loops->chroma (u, v, saturation, hue, groups->length, plan->formulas.depth);
  else if (rows->is_wide)
    make_chroma_by_table (plan, u, v, saturation, hue, groups->length, TRUE);
  else
    make_chroma_by_table (plan, u, v, saturation, hue, groups->length, FALSE);
  add_row (groups, &groups->blocks[0]);
  add_row (groups, &groups->blocks[1]);
}

static void
begin_chroma (HistoCpuGroups * groups, guint h_sub)
{
  groups->length = histo_cpu_rows_length (&groups->current, HISTO_ROW_YUV + 1);
  groups->counts_pairs = suits_pairs (groups->plan, ((guint64) groups->length * groups->n_rows) >> h_sub);
  if (groups->counts_pairs)
    return;
  begin_block (groups, 0, find_source (groups, HISTO_SOURCE_SATURATION), TRUE, groups->frame->counters);
  begin_block (groups, 1, find_source (groups, HISTO_SOURCE_HUE), TRUE, groups->frame->counters);
}

static guint32 *
counters_of (const HistoCpuGroups * groups, const HistoComponent * component)
{
  return groups->frame->counters + component->first_bin;
}

/* Most pairs do not occur. */
#define FOLDED_PAIRS 16

static void
fold_pairs (HistoCpuGroups * groups)
{
  const HistoComponent *native = histo_plan_region_components (groups->plan, groups->number);
  const gboolean has_samples = has_samples_in_pairs (groups->plan, groups->number, &groups->region);
  guint32 *saturation = counters_of (groups, find_source (groups, HISTO_SOURCE_SATURATION));
  guint32 *hue = counters_of (groups, find_source (groups, HISTO_SOURCE_HUE));

  for (guint first = 0; first < N_PAIRS; first += FOLDED_PAIRS) {
    guint32 *counts = groups->pairs + first, any = 0;

    for (guint i = 0; i < FOLDED_PAIRS; i++)
      any |= counts[i];
    if (any == 0)
      continue;
    for (guint i = 0; i < FOLDED_PAIRS; i++) {
      const guint32 entry = groups->plan->chroma_table[first + i];

      saturation[HISTO_CHROMA_SATURATION (entry)] += counts[i];
      hue[HISTO_CHROMA_HUE (entry)] += counts[i];
      if (has_samples) {
        counters_of (groups, &native[1])[first >> 8] += counts[i];
        counters_of (groups, &native[2])[(first & 0xff) + i] += counts[i];
      }
      counts[i] = 0;
    }
  }
}

/* ---- Signal --------------------------------------------------------------------------------------- */

/* A flag for each pixel of the row whose chroma is out of range. NULL: there is none. @row: of chroma */
static gconstpointer
find_chroma_flags (HistoCpuGroups * groups, guint row)
{
  HistoCpuRows *rows = &groups->current;
  const HistoFormulas *formulas = &groups->plan->formulas;

  if (row != groups->flags_row) {
    groups->flags_row = row;
    groups->has_flags = rows->loops->chroma_out_of_range (histo_cpu_rows_get (rows, HISTO_ROW_YUV + 1, row),
        histo_cpu_rows_get (rows, HISTO_ROW_YUV + 2, row), groups->flags, groups->length, formulas->depth);
    if (groups->has_flags && formulas->w_sub > 0)
      rows->loops->repeat (groups->flags, groups->region.x & ((1u << formulas->w_sub) - 1),
          formulas->w_sub, groups->pixel_flags, groups->region.width);
  }
  if (!groups->has_flags)
    return NULL;
  return formulas->w_sub > 0 ? groups->pixel_flags : groups->flags;
}

static guint
count_outliers (HistoCpuGroups * groups, guint y)
{
  const guint row = groups->region.y + y, height = groups->region.height;
  gconstpointer rows[5] = { NULL, };

  if (y < 1 || y + 1 >= height)
    return 0;
  for (guint i = 0; i < 5; i++)
    if ((y >= 2 && y + 2 < height) || (i >= 1 && i <= 3))
      rows[i] = histo_cpu_rows_get (&groups->current, HISTO_ROW_YUV, row + i - 2);
  return groups->current.loops->count_outliers (rows, groups->region.width, groups->plan->formulas.depth);
}

static void
measure_signal (HistoCpuGroups * groups, guint y)
{
  const HistoFormulas *formulas = &groups->plan->formulas;
  const guint h_sub = formulas->is_rgb ? 0 : formulas->h_sub;
  const guint row = groups->region.y + y, width = groups->region.width;
  HistoCpuRows *rows = &groups->current;
  gconstpointer luma = histo_cpu_rows_get (rows, HISTO_ROW_YUV, row), flags = NULL;

  if (formulas->has_chroma) {
    /* A row of chroma is counted with the first of its rows of pixels in the region. */
    if (y == 0 || row % (1u << h_sub) == 0)
      measure_chroma (groups, row >> h_sub);
    flags = find_chroma_flags (groups, row >> h_sub);
  }
  groups->tallies[HISTO_TALLY_BRNG] += rows->loops->count_out_of_range (luma, flags, width, formulas->depth);
  groups->tallies[HISTO_TALLY_TOUT] += count_outliers (groups, y);
  if (y >= 4 && rows->loops->is_repeated (luma, histo_cpu_rows_get (rows, HISTO_ROW_YUV, row - 4), width)) {
    groups->tallies[HISTO_TALLY_VREP] += width;
    if (histo_row_has_detail (rows->loops->count_steps (luma, width, formulas->depth), width))
      groups->tallies[HISTO_TALLY_VREP_DETAIL] += width;
  }
}

static void
begin_signal (HistoCpuGroups * groups)
{
  const HistoFormulas *formulas = &groups->plan->formulas;

  set_measure_row (groups, measure_signal);
  groups->flags_row = G_MAXUINT;
  if (formulas->has_chroma)
    begin_chroma (groups, formulas->is_rgb ? 0 : formulas->h_sub);
}

/* ---- Colours ---------------------------------------------------------------------------------- */

static void
raise_tally (HistoCpuGroups * groups, guint tally, guint64 value)
{
  groups->tallies[tally] = MAX (groups->tallies[tally], value);
}

/* The compiler makes vectors of these loops. */
HISTO_SPECIALISED guint
find_greatest (gconstpointer row, guint n, gboolean is_wide)
{
  guint8 narrow = 0;
  guint16 wide = 0;

  for (guint i = 0; i < n && !is_wide; i++)
    narrow = MAX (narrow, ((const guint8 *) row)[i]);
  for (guint i = 0; i < n && is_wide; i++)
    wide = MAX (wide, ((const guint16 *) row)[i]);
  return is_wide ? wide : narrow;
}

/* The greatest R, G and B that nobody counts. */
static void
raise_greatest (HistoCpuGroups * groups, gconstpointer const rows[3])
{
  for (guint i = 0; i < 3; i++) {
    const guint greatest = groups->current.is_wide ? find_greatest (rows[i], groups->length, TRUE) :
        find_greatest (rows[i], groups->length, FALSE);

    raise_tally (groups, HISTO_TALLY_GREATEST_RED + i, greatest + 1);
  }
}

static void
measure_color (HistoCpuGroups * groups, guint y)
{
  gpointer out[N_BLOCKS];

  for (guint i = 0; i < N_BLOCKS; i++)
    out[i] = next_row (&groups->blocks[i]);
  histo_cpu_rows_make_matrix (&groups->current, groups->first_row + y, out);
  if (!groups->blocks[0].is_used && groups->plan->hlg == NULL)
    raise_greatest (groups, (gconstpointer const *) out);
  for (guint i = 0; i < N_BLOCKS; i++)
    if (groups->blocks[i].is_used)
      add_row (groups, &groups->blocks[i]);
}

static void
begin_color (HistoCpuGroups * groups)
{
  static const guint of_blocks[N_BLOCKS] = {
    HISTO_SOURCE_RED, HISTO_SOURCE_GREEN, HISTO_SOURCE_BLUE, HISTO_SOURCE_MAXRGB
  };

  groups->length = groups->region.width;
  for (guint i = 0; i < N_BLOCKS; i++) {
    const HistoComponent *component = find_source (groups, of_blocks[i]);

    if (component == NULL)
      continue;
    begin_component_block (groups, i, component);
    set_measure_row (groups, measure_color);
  }
}

/* ---- Area --------------------------------------------------------------------------------------- */

static void
flush_columns (HistoCpuGroups * groups)
{
  guint64 *sums = groups->tallies + HISTO_N_TALLIES + groups->plan->regions[groups->number].height;

  if (groups->column_rows == 0)
    return;
  for (guint x = 0; x < groups->region.width; x++) {
    sums[x] += groups->columns[x];
    groups->columns[x] = 0;
  }
  groups->column_rows = 0;
}

/* Adds the sums of rows and columns. The latter are complete after flush_columns(). */
static void
measure_area (HistoCpuGroups * groups, guint first, guint n_rows)
{
  HistoCpuRows *rows = &groups->current;
  const guint n_components = groups->plan->formulas.is_rgb ? 3 : 1;
  const guint after = first + n_rows;
  guint n;

  for (guint y = first; y < after; y += n) {
    n = MIN (after - y, HISTO_SUM_ROWS);
    for (guint c = 0; c < n_components; c++) {
      gconstpointer group[HISTO_SUM_ROWS];

      for (guint i = 0; i < n; i++)
        group[i] = histo_cpu_rows_get (rows, HISTO_ROW_PIXEL + c, groups->region.y + y + i);
      rows->loops->add_columns (group, n, groups->columns, &groups->tallies[HISTO_N_TALLIES + y],
          groups->region.width);
    }
    groups->column_rows += n;
    if (groups->column_rows > COLUMN_ROWS - HISTO_SUM_ROWS)
      flush_columns (groups);
  }
}

/* ---- Gamut -------------------------------------------------------------------------------------- */

/* @first: HISTO_TALLY_GAMUT_R or HISTO_TALLY_FILTERED_R */
static void
add_outside (HistoCpuGroups * groups, guint first, const HistoGamutCounts * counts)
{
  for (guint i = 0; i < 4; i++)
    groups->tallies[first + i] += counts->outside[i];
  groups->tallies[first + 4] += counts->any;
}

/* @counts: (out): */
static void
count_gamut (HistoCpuGroups * groups, const gconstpointer rows[4], HistoGamutCounts * counts)
{
  memset (counts, 0, sizeof *counts);
  for (guint i = 0; i < 4; i++) {
    counts->least[i] = G_MAXINT32;
    counts->greatest[i] = G_MININT32;
  }
  groups->current.loops->count_gamut (rows, groups->region.width, groups->plan->formulas.depth, counts);
}

static void
measure_unfiltered (HistoCpuGroups * groups, guint row)
{
  HistoGamutCounts counts;
  gconstpointer rows[4];

  for (guint i = 0; i < 4; i++)
    rows[i] = histo_cpu_rows_get (&groups->current, HISTO_ROW_GAMUT + i, row);
  count_gamut (groups, rows, &counts);
  add_outside (groups, HISTO_TALLY_GAMUT_R, &counts);
  for (guint i = 0; i < 4; i++) {
    raise_tally (groups, HISTO_TALLY_GREATEST_R + 2 * i, counts.greatest[i] + HISTO_GAMUT_BIAS);
    raise_tally (groups, HISTO_TALLY_LEAST_R + 2 * i, HISTO_GAMUT_BIAS - counts.least[i]);
  }
}

static void
measure_filtered (HistoCpuGroups * groups, guint y)
{
  const guint step = groups->frame->scan.row_step, row = groups->region.y + y;
  const guint above = y >= step ? row - step : row, below = y + step < groups->region.height ? row + step : row;
  HistoGamutCounts counts;
  gconstpointer rows[4];

  for (guint i = 0; i < 4; i++) {
    const HistoRow kind = HISTO_ROW_GAMUT_ACROSS + i;
    /* The blocks of this pass have no rows. */
    gpointer out = groups->blocks[i].memory;

    groups->current.loops->gamut_filtered (histo_cpu_rows_get (&groups->current, kind, above),
        histo_cpu_rows_get (&groups->current, kind, row), histo_cpu_rows_get (&groups->current, kind, below),
        out, groups->region.width);
    rows[i] = out;
  }
  count_gamut (groups, rows, &counts);
  add_outside (groups, HISTO_TALLY_FILTERED_R, &counts);
}

static void
measure_gamut (HistoCpuGroups * groups, guint y)
{
  if (histo_plan_has_group (groups->plan, HISTO_GROUP_GAMUT))
    measure_unfiltered (groups, groups->region.y + y);
  if (histo_plan_has_group (groups->plan, HISTO_GROUP_GAMUT_FILTER))
    measure_filtered (groups, y);
}

/* ---- Flashes ------------------------------------------------------------------------------------ */

/* Adds the pixels of columns @first to @after - 1 of a row to the tallies of the region. @before: of the previous
 * frame; has NULLs if there is none. @cell: (nullable): the tallies of their cell */
static void
add_lights (HistoCpuGroups * groups, const guint16 * const now[2], const guint16 * const before[2],
    guint first, guint after, guint64 * cell)
{
  static const struct
  {
    guint sum, area, up, down;
    guint cell_sum, cell_area;
    guint step, dark;
  } lights[2] = {
    {HISTO_TALLY_LUMINANCE_SUM, HISTO_TALLY_LUMINANCE_AREA, HISTO_TALLY_LUMINANCE_UP, HISTO_TALLY_LUMINANCE_DOWN,
        HISTO_CELL_LUMINANCE, HISTO_CELL_LUMINANCE_AREA, HISTO_FLASH_STEP, HISTO_FLASH_DARK},
    /* Of red the darker state may have any value. */
    {HISTO_TALLY_RED_SUM, HISTO_TALLY_RED_AREA, HISTO_TALLY_RED_UP, HISTO_TALLY_RED_DOWN,
        HISTO_CELL_RED, HISTO_CELL_RED_AREA, HISTO_FLASH_RED_STEP, G_MAXUINT16 + 1},
  };

  for (guint i = 0; i < 2; i++) {
    HistoLightCounts counts = { 0, };

    groups->current.loops->count_light (now[i] + first, before[i] == NULL ? NULL : before[i] + first,
        after - first, lights[i].step, lights[i].dark, &counts);
    groups->tallies[lights[i].sum] += counts.sum;
    groups->tallies[lights[i].area] += counts.changed;
    groups->tallies[lights[i].up] += counts.up;
    groups->tallies[lights[i].down] += counts.down;
    if (cell == NULL)
      continue;
    cell[lights[i].cell_sum] += counts.sum;
    cell[lights[i].cell_area] += counts.changed;
  }
  if (cell != NULL)
    cell[HISTO_CELL_PIXELS] += after - first;
}

static void
measure_flash (HistoCpuGroups * groups, guint y)
{
  const guint64 width = groups->region.width, row = groups->region.y + y;
  /* Row i of the cells begins at row trunc (i height / HISTO_CELLS_ACROSS). */
  const guint cell_row = (HISTO_CELLS_ACROSS * ((guint64) y + 1) - 1) / groups->region.height;
  const guint16 *now[2], *before[2] = { NULL, };
  guint64 *cells;

  for (guint i = 0; i < 2; i++) {
    now[i] = histo_cpu_rows_get (&groups->current, HISTO_ROW_LIGHT + i, row);
    if (groups->frame->previous != NULL)
      before[i] = histo_cpu_rows_get (&groups->previous, HISTO_ROW_LIGHT + i, row);
  }
  if (groups->number > 0) {
    add_lights (groups, now, before, 0, width, NULL);
    return;
  }
  cells = groups->frame->tallies + groups->plan->first_cell
      + cell_row * HISTO_CELLS_ACROSS * HISTO_N_CELL_TALLIES;
  for (guint i = 0; i < HISTO_CELLS_ACROSS; i++)
    add_lights (groups, now, before, i * width / HISTO_CELLS_ACROSS, (i + 1) * width / HISTO_CELLS_ACROSS,
        cells + i * HISTO_N_CELL_TALLIES);
}

/* ---- Light of HLG --------------------------------------------------------------------------------- */

HISTO_SPECIALISED void
count_light_of_hlg (const guint16 * tables, guint depth, gconstpointer const rgb[3], guint n, guint32 * counters,
    guint32 brightest[3], gboolean is_wide)
{
  const guint16 *powers = tables + (1u << depth), *bins = powers + HISTO_HLG_NUMBERS;

  for (guint i = 0; i < n; i++) {
    guint32 scene[3], lights[3];

    for (guint k = 0; k < 3; k++)
      scene[k] = tables[is_wide ? ((const guint16 *) rgb[k])[i] : ((const guint8 *) rgb[k])[i]];
    counters[bins[histo_hlg_light (scene[0], scene[1], scene[2], powers, lights)]]++;
    for (guint k = 0; k < 3; k++)
      brightest[k] = MAX (brightest[k], lights[k] + 1);
  }
}

static void
measure_hlg (HistoCpuGroups * groups, guint y)
{
  const HistoPlan *plan = groups->plan;
  const HistoRow kind = plan->formulas.is_rgb ? HISTO_ROW_PIXEL : HISTO_ROW_RGB;
  guint32 *counters = groups->frame->counters + histo_plan_first_light_bin (plan, groups->number);
  guint32 brightest[3] = { 0, };
  gconstpointer rgb[3];

  for (guint k = 0; k < 3; k++)
    rgb[k] = histo_cpu_rows_get (&groups->current, kind + k, groups->region.y + y);
  if (groups->current.is_wide)
    count_light_of_hlg (plan->hlg, plan->formulas.depth, rgb, groups->region.width, counters, brightest, TRUE);
  else
    count_light_of_hlg (plan->hlg, plan->formulas.depth, rgb, groups->region.width, counters, brightest, FALSE);
  for (guint k = 0; k < 3; k++)
    raise_tally (groups, HISTO_TALLY_GREATEST_RED + k, brightest[k]);
}

/* ---- Scopes ------------------------------------------------------------------------------------- */

/* Bin row * HISTO_SCOPE_SIZE + column of a joint component is a pair of bytes. The compiler makes vectors of these
 * loops. */
static void
make_deep_places (const guint16 * restrict values, guint shift, const guint8 * restrict columns,
    guint16 * restrict pairs, guint n)
{
  for (guint i = 0; i < n; i++)
    pairs[i] = values[i] >> shift << 8 | columns[i];
}

static void
make_deep_pairs (const guint16 * restrict u, const guint16 * restrict v, guint shift, guint16 * restrict pairs, guint n)
{
  for (guint i = 0; i < n; i++)
    pairs[i] = u[i] >> shift << 8 | v[i] >> shift;
}

/* The counters of a joint component. NULL: it is not measured */
static guint32 *
find_joint (const HistoCpuGroups * groups, HistoJoint joint)
{
  const HistoPlan *plan = groups->plan;

  for (guint j = 0; j < plan->n_joints; j++)
    if (plan->joints[j] == joint)
      return groups->frame->joints + j * HISTO_SCOPE_BINS;
  return NULL;
}

/* @row: of values */
static void
count_waveform (HistoCpuGroups * groups, HistoJoint joint, gconstpointer row)
{
  if (groups->current.is_wide)
    make_deep_places (row, groups->plan->formulas.depth - 8, groups->scope_columns, groups->row_of_pairs,
        groups->length);
  else
    make_pairs (row, groups->scope_columns, groups->row_of_pairs, groups->length);
  count_pairs (groups, find_joint (groups, joint));
}

static void
measure_waveform (HistoCpuGroups * groups, guint y)
{
  count_waveform (groups, HISTO_JOINT_WAVEFORM, histo_cpu_rows_get (&groups->current, HISTO_ROW_LUMA, y));
}

static void
measure_parade (HistoCpuGroups * groups, guint y)
{
  const HistoRow kind = groups->plan->formulas.is_rgb ? HISTO_ROW_PIXEL : HISTO_ROW_RGB;

  for (guint i = 0; i < 3; i++)
    count_waveform (groups, HISTO_JOINT_WAVEFORM_R + i, histo_cpu_rows_get (&groups->current, kind + i, y));
}

/* @y: of chroma */
static void
measure_vectorscope (HistoCpuGroups * groups, guint y)
{
  gconstpointer u = histo_cpu_rows_get (&groups->current, HISTO_ROW_YUV + 1, y);
  gconstpointer v = histo_cpu_rows_get (&groups->current, HISTO_ROW_YUV + 2, y);

  if (groups->current.is_wide)
    make_deep_pairs (v, u, groups->plan->formulas.depth - 8, groups->row_of_pairs, groups->length);
  else
    make_pairs (v, u, groups->row_of_pairs, groups->length);
  count_pairs (groups, find_joint (groups, HISTO_JOINT_VECTORSCOPE));
}

/* @joint: the first one of the pass; nothing is done if it is not measured */
static void
begin_joint (HistoCpuGroups * groups, HistoJoint joint, MeasureRow measure_row)
{
  if (find_joint (groups, joint) == NULL)
    return;
  groups->length = groups->region.width;
  if (joint == HISTO_JOINT_VECTORSCOPE) {
    groups->length = histo_cpu_rows_length (&groups->current, HISTO_ROW_YUV + 1);
    if (!groups->plan->formulas.is_rgb)
      groups->n_rows = ((groups->region.height - 1) >> groups->plan->formulas.h_sub) + 1;
  }
  set_measure_row (groups, measure_row);
}

/* ---- Fields ------------------------------------------------------------------------------------- */

/* Each row needs so many above and below it in the region. */
#define FIELD_REACH 2

static void
measure_comb (HistoCpuGroups * groups, HistoRow kind, guint row)
{
  gconstpointer rows[5];

  for (guint i = 0; i < 5; i++)
    rows[i] = histo_cpu_rows_get (&groups->current, kind, row + i - 2);
  groups->tallies[HISTO_TALLY_COMB] += groups->current.loops->count_combed (rows, groups->region.width,
      groups->plan->formulas.depth);
}

/* @y: of the component in the region */
static void
measure_field (HistoCpuGroups * groups, guint y)
{
  const guint row = groups->first_row + y, is_odd = row & 1;
  const guint combed = groups->plan->formulas.is_rgb ? 1 : 0;
  const gboolean has_previous = groups->frame->previous != NULL;
  gconstpointer rows[3], previous[3];
  HistoFieldRow sums = { 0, };

  if (y < FIELD_REACH || y + FIELD_REACH >= groups->n_rows)
    return;
  for (guint i = 0; i < 3; i++) {
    rows[i] = histo_cpu_rows_get (&groups->current, groups->kind, row + i - 1);
    if (has_previous)
      previous[i] = histo_cpu_rows_get (&groups->previous, groups->kind, row + i - 1);
  }
  groups->current.loops->add_field (rows, has_previous ? previous : NULL, groups->length, &sums);
  groups->tallies[HISTO_TALLY_PREVIOUS_EVEN + is_odd] += sums.previous;
  groups->tallies[HISTO_TALLY_NEXT_EVEN + is_odd] += sums.next;
  groups->tallies[HISTO_TALLY_CURRENT_EVEN + is_odd] += sums.current;
  groups->tallies[HISTO_TALLY_CHANGE_EVEN + is_odd] += sums.change;
  /* This component has a sample for each pixel. */
  if (groups->kind == HISTO_ROW_NATIVE + combed)
    measure_comb (groups, HISTO_ROW_PIXEL + combed, row);
}

/* ---- Passes ------------------------------------------------------------------------------------- */

/* Sets the rows of a native component that lie in the region. */
static void
set_native_rows (HistoCpuGroups * groups, guint c)
{
  const guint h_sub = groups->plan->format->video.finfo->h_sub[c];

  groups->first_row = groups->region.y >> h_sub;
  groups->n_rows = ((groups->region.y + groups->region.height - 1) >> h_sub) + 1
      - groups->first_row;
}

static void
count_in_place (HistoCpuGroups * groups, guint first, guint n_rows)
{
  histo_cpu_pixels_rows (groups->blocks[0].pixels, first, n_rows);
}

/* Native samples of a region, where they lie. The picture's are counted plane by plane (count.h), and some of
 * U and V in pairs. */
static void
begin_samples (HistoCpuGroups * groups, const HistoComponent * component)
{
  Block *block = &groups->blocks[0];
  const HistoPlane *plane = &groups->frame->planes[component->native];

  if (component->region == 0 || ((component->native == 1 || component->native == 2)
          && has_samples_in_pairs (groups->plan, groups->number, &groups->region)))
    return;
  begin_component_block (groups, 0, component);
  block->plane.data = (guint64) (guintptr) histo_cpu_rows_get (&groups->current, groups->kind,
      groups->first_row);
  block->plane.stride = plane->stride;
  groups->measure_rows = count_in_place;
}

static void
begin_field (HistoCpuGroups * groups, guint c)
{
  groups->kind = HISTO_ROW_NATIVE + c;
  groups->length = histo_cpu_rows_length (&groups->current, groups->kind);
  set_native_rows (groups, c);
  if (groups->length > 0)
    set_measure_row (groups, measure_field);
}

static void
begin_component (HistoCpuGroups * groups, const HistoComponent * component)
{
  const gboolean is_native = component->source == HISTO_SOURCE_SAMPLE
      || component->source == HISTO_SOURCE_DIFFERENCE;

  groups->kind = is_native ? component->native : sources[component->source].kind;
  groups->length = histo_cpu_rows_length (&groups->current, groups->kind);
  if (component->source == HISTO_SOURCE_GRADIENT)
    groups->length = MAX (groups->length, 2) - 2;
  if (is_native)
    set_native_rows (groups, component->native);
  if (groups->length == 0 && component->source != HISTO_SOURCE_GRADIENT)
    return;
  if (component->source == HISTO_SOURCE_SAMPLE) {
    begin_samples (groups, component);
    return;
  }
  if ((component->source == HISTO_SOURCE_DIFFERENCE && groups->frame->previous == NULL)
      || (component->source == HISTO_SOURCE_MAXRGB && !groups->plan->formulas.is_rgb))
    return;
  if (sources[component->source].measure_row == NULL)
    return;
  set_measure_row (groups, sources[component->source].measure_row);
  begin_component_block (groups, 0, component);
}

/* @pass: of those that come after the components */
static void
begin_common (HistoCpuGroups * groups, guint pass)
{
  const HistoPlan *plan = groups->plan;

  if (pass == PASS_SIGNAL && histo_plan_has_group (plan, HISTO_GROUP_SIGNAL))
    begin_signal (groups);
  else if (pass == PASS_COLOR && !plan->formulas.is_rgb)
    begin_color (groups);
  else if (pass == PASS_AREA && histo_plan_has_group (plan, HISTO_GROUP_AREA))
    groups->measure_rows = measure_area;
  else if (pass == PASS_GAMUT && (histo_plan_has_group (plan, HISTO_GROUP_GAMUT)
          || histo_plan_has_group (plan, HISTO_GROUP_GAMUT_FILTER)))
    set_measure_row (groups, measure_gamut);
  else if (pass == PASS_FLASH && histo_plan_has_group (plan, HISTO_GROUP_FLASH))
    set_measure_row (groups, measure_flash);
  else if (pass == PASS_HLG && plan->n_light_bins > 0)
    set_measure_row (groups, measure_hlg);
  else if (pass == PASS_WAVEFORM && groups->number == 0)
    begin_joint (groups, HISTO_JOINT_WAVEFORM, measure_waveform);
  else if (pass == PASS_PARADE && groups->number == 0)
    begin_joint (groups, HISTO_JOINT_WAVEFORM_R, measure_parade);
  else if (pass == PASS_VECTORSCOPE && groups->number == 0)
    begin_joint (groups, HISTO_JOINT_VECTORSCOPE, measure_vectorscope);
  else if (pass >= PASS_FIELD)
    begin_field (groups, pass - PASS_FIELD);
}

/* A plane of a Bayer region, where it lies. The picture's are counted as those of other video. */
static void
begin_bayer (HistoCpuGroups * groups, guint p)
{
  Block *block = &groups->blocks[0];
  HistoPlane planes[HISTO_N_BAYER_PLANES];

  if (groups->number == 0)
    return;
  histo_bayer_select_region (groups->frame->counted, &groups->region, planes);
  block->plane = planes[p];
  groups->n_rows = planes[p].rows;
  if (groups->n_rows == 0)
    return;
  block->is_used = TRUE;
  block->n = 0;
  histo_cpu_pixels_begin (block->pixels, &block->plane, groups->frame->counters
      + histo_plan_region_components (groups->plan, groups->number)->first_bin);
  groups->measure_rows = count_in_place;
}

/* Returns: passes over each region; some of them do nothing */
guint
histo_cpu_groups_n_passes (const HistoPlan * plan)
{
  if (histo_format_is_bayer (plan->format))
    return HISTO_N_BAYER_PLANES;
  return plan->n_region_components + PASS_FIELD
      + (histo_plan_has_group (plan, HISTO_GROUP_FIELD) ? plan->format->n_components : 0);
}

/**
 * histo_cpu_groups_begin:
 * @frame: used until histo_cpu_groups_end()
 * @region: below histo_plan_used_regions()
 * @pass: below histo_cpu_groups_n_passes()
 */
void
histo_cpu_groups_begin (HistoCpuGroups * groups, const HistoCpuFrame * frame,
    guint region, guint pass)
{
  const HistoPlan *plan = groups->plan;

  groups->frame = frame;
  groups->number = region;
  groups->region = *histo_plan_region (plan, frame->info, region);
  groups->tallies = frame->tallies == NULL ? NULL :
      frame->tallies + plan->first_tally[region];
  groups->measure_rows = NULL;
  groups->counts_pairs = FALSE;
  if (groups->region.width == 0 || groups->region.height == 0)
    return;
  if (histo_format_is_bayer (plan->format)) {
    begin_bayer (groups, pass);
    return;
  }
  groups->first_row = groups->region.y;
  groups->n_rows = groups->region.height;
  histo_cpu_rows_begin (&groups->current, frame->planes, &frame->scan,
      groups->region.x, groups->region.width);
  if (frame->previous != NULL)
    histo_cpu_rows_begin (&groups->previous, frame->previous,
        &frame->previous_scan, groups->region.x, groups->region.width);
  if (pass < plan->n_region_components)
    begin_component (groups, &histo_plan_region_components (plan, region)[pass]);
  else
    begin_common (groups, pass - plan->n_region_components);
}

/* Returns: the rows of the pass; 0 if nothing is to be done */
guint
histo_cpu_groups_pass_rows (const HistoCpuGroups * groups)
{
  return groups->measure_rows == NULL ? 0 : groups->n_rows;
}

/* @first: of the rows of the pass. Rows may be given in any order, each once. */
void
histo_cpu_groups_rows (HistoCpuGroups * groups, guint first, guint n_rows)
{
  groups->measure_rows (groups, first, n_rows);
}

/* The counters and tallies are complete after this. */
void
histo_cpu_groups_end (HistoCpuGroups * groups)
{
  for (guint i = 0; i < N_BLOCKS; i++) {
    if (!groups->blocks[i].is_used)
      continue;
    flush_block (groups, &groups->blocks[i]);
    histo_cpu_pixels_end (groups->blocks[i].pixels);
    groups->blocks[i].is_used = FALSE;
  }
  if (groups->counts_pairs)
    fold_pairs (groups);
  if (groups->measure_rows == measure_area)
    flush_columns (groups);
  groups->measure_rows = NULL;
}
