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

/* The numbers U << 8 | V of 8 bits. With fewer samples it takes longer to go through all of them than to read the table
 * of saturation and hue for each. */
#define N_UV 65536
#define LEAST_SAMPLES_FOR_UV 65536

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

/* The numbers of a row are counted in turn from so many places in it: an increment that follows another increment of
 * the same counter must wait for its store, and neighbours are often the same. */
#define NUMBERS_IN_TURN 8

/* Rows of one component that are counted together. */
typedef struct
{
  HistoCpuPixels *pixels;
  guint8 *memory;
  HistoPlane plane;             /* describes the rows to `pixels` */
  gboolean is_used;             /* in this pass */
  guint n;                      /* rows that wait */
} Block;

/* How a row of a pass is evaluated, or several. @y, @first: of the pass */
typedef void (*MeasureRow) (HistoCpuGroups * groups, guint y);
typedef void (*MeasureRows) (HistoCpuGroups * groups, guint first, guint n_rows);

/* A pass over a region. All 0: nothing is to be done. */
typedef struct
{
  MeasureRow measure_row;       /* NULL: `measure_rows` is used */
  MeasureRows measure_rows;
  guint first_row, n_rows;      /* of the picture or of the native component */
  guint length;                 /* numbers in a row */
  HistoRow kind;                /* of the rows that are counted */
} Pass;

struct _HistoCpuGroups
{
  const HistoPlan *plan;
  HistoCpuRows current, previous;       /* previous: only if the plan needs it */
  gsize block_bytes;
  Block blocks[N_BLOCKS];
  guint32 *uv;                  /* histogram of U and V together, 0 between two passes; NULL: not wanted */
  guint8 *flags, *pixel_flags;  /* a row: chroma out of range, for each sample and for each pixel */
  guint8 *part_flags;           /* the same for each pixel that takes part */
  guint8 *mask;                 /* a row of histo_mask_make_row(); NULL without a mask, as part_flags */
  guint32 *columns;             /* sums of the columns of the region, 0 between two passes */
  guint8 *scope_columns;        /* of a waveform, for each column of the picture; NULL: there are no joint components,
                                 * as below */
  guint16 *numbers;             /* a row of numbers that are made of two, before they are counted */

  /* What is measured. */
  const HistoCpuFrame *frame;
  HistoRegion region;
  guint number;                 /* of the region */
  guint64 *tallies;             /* the region's */
  Pass pass;
  /* For the passes that measure chroma, and the area. */
  gboolean counts_uv;
  guint flags_row;              /* of chroma, in the picture, that the flags are of; G_MAXUINT: none */
  gboolean has_flags;           /* any in that row */
  guint column_rows;            /* rows in the sums of columns */
  HistoPlane bayer[2];          /* of Bayer video with a mask: the plane of the pass in the region, and its mask */
  /* Of the latest rows: unfiltered. */
  struct
  {
    guint y;                    /* of the picture; G_MAXUINT: none */
    HistoGamutCounts counts;
  } gamut[HISTO_KEPT_ROWS];
};

/* ---- Memory --------------------------------------------------------------------------------- */

/* Whether @n samples of chroma are counted in a histogram of U and V together. */
static gboolean
suits_uv (const HistoPlan * plan, guint64 n)
{
  return plan->formulas.has_chroma && plan->formulas.depth == 8 && n >= LEAST_SAMPLES_FOR_UV && plan->mask == NULL;
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
  if (suits_uv (plan, G_MAXUINT64)) {
    groups->uv = g_try_new0 (guint32, N_UV);
    ok &= groups->uv != NULL;
  }
  groups->flags = g_try_malloc (row_bytes);
  groups->pixel_flags = g_try_malloc (row_bytes);
  if (plan->mask != NULL) {
    groups->part_flags = g_try_malloc (row_bytes);
    groups->mask = g_try_malloc (2 * row_bytes);
    ok &= groups->part_flags != NULL && groups->mask != NULL;
  }
  groups->columns = g_try_new0 (guint32, plan->format->width);
  if (plan->n_joints > 0) {
    groups->scope_columns = g_try_malloc (plan->format->width);
    ok &= groups->scope_columns != NULL;
    for (guint x = 0; groups->scope_columns != NULL && x < plan->format->width; x++)
      groups->scope_columns[x] = histo_scope_column (x, plan->format->width);
  }
  groups->numbers = g_try_new (guint16, plan->format->width);
  ok &= groups->numbers != NULL;
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
  g_free (groups->uv);
  g_free (groups->flags);
  g_free (groups->pixel_flags);
  g_free (groups->part_flags);
  g_free (groups->mask);
  g_free (groups->columns);
  g_free (groups->scope_columns);
  g_free (groups->numbers);
  g_free (groups);
}

/* ---- Blocks ------------------------------------------------------------------------------------ */

/* The rows of the pass are counted in block @i, as words or bytes. */
static void
begin_block (HistoCpuGroups * groups, const Pass * pass, guint i, const HistoComponent * component, gboolean is_wide)
{
  Block *block = &groups->blocks[i];

  histo_cpu_plane_init (&block->plane, component, is_wide, pass->length, pass->n_rows);
  block->plane.data = (guint64) (guintptr) block->memory;
  block->plane.stride = (is_wide && !groups->current.is_wide ? 2 : 1) * groups->current.row_bytes;
  block->is_used = TRUE;
  block->n = 0;
  histo_cpu_pixels_begin (block->pixels, &block->plane, groups->frame->counters);
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

/* ---- Masks -------------------------------------------------------------------------------------- */

/* Sets the numbers of samples that take no part to 0. @row: of samples, in the picture. @numbers: the row, in the region.
 * @out: (out): may be @numbers */
static void
keep_samples (HistoCpuGroups * groups, guint w_sub, guint h_sub, guint row, gboolean is_wide, gconstpointer numbers,
    gpointer out)
{
  const guint n = groups->pass.length;

  histo_mask_make_row (groups->frame->mask, w_sub, h_sub, row, groups->region.x >> w_sub, n, is_wide, groups->mask);
  histo_mask_keep (numbers, groups->mask, out, (gsize) n * (is_wide ? 2 : 1));
}

/* The row of numbers of pixels that has been made in the block has @n of pixels that take part. The others are 0. */
static void
fill_row (const HistoCpuGroups * groups, Block * block, guint n)
{
  const gsize bytes = block->plane.period_bytes;

  memset ((guint8 *) next_row (block) + n * bytes, 0, (groups->pass.length - n) * bytes);
}

/* ---- Passes over rows --------------------------------------------------------------------------- */

/* Each row of pixels of the region is measured. */
static Pass
pass_of_pixels (const HistoCpuGroups * groups, MeasureRow measure_row)
{
  return (Pass) { measure_row, NULL, groups->region.y, groups->region.height, groups->region.width, 0 };
}

/* Each row of a native component that lies in the region is measured. */
static Pass
pass_of_native (const HistoCpuGroups * groups, guint c, MeasureRow measure_row)
{
  const guint h_sub = groups->plan->format->video.finfo->h_sub[c];
  const guint first = groups->region.y >> h_sub;

  return (Pass) { measure_row, NULL, first, ((groups->region.y + groups->region.height - 1) >> h_sub) + 1 - first,
    histo_cpu_rows_length (&groups->current, HISTO_ROW_NATIVE + c), HISTO_ROW_NATIVE + c };
}

/* ---- Fields ------------------------------------------------------------------------------------- */

/* Each row needs so many above and below it in the region. */
#define FIELD_REACH 2

/* @y: of the component in the region */
static void
measure_field (HistoCpuGroups * groups, guint y)
{
  const guint row = groups->pass.first_row + y, is_odd = row & 1;
  const guint combed = groups->plan->formulas.is_rgb ? 1 : 0;
  const gboolean has_previous = groups->frame->previous != NULL;
  gconstpointer rows[3], previous[3], five[5];
  HistoFieldRow sums = { 0, };

  if (y < FIELD_REACH || y + FIELD_REACH >= groups->pass.n_rows)
    return;
  for (guint i = 0; i < 3; i++) {
    rows[i] = histo_cpu_rows_get (&groups->current, groups->pass.kind, row + i - 1);
    if (has_previous)
      previous[i] = histo_cpu_rows_get (&groups->previous, groups->pass.kind, row + i - 1);
  }
  groups->current.loops->add_field (rows, has_previous ? previous : NULL, groups->pass.length,
      groups->plan->formulas.depth, &sums);
  groups->tallies[HISTO_TALLY_PREVIOUS_EVEN + is_odd] += sums.previous;
  groups->tallies[HISTO_TALLY_NEXT_EVEN + is_odd] += sums.next;
  groups->tallies[HISTO_TALLY_CURRENT_EVEN + is_odd] += sums.current;
  groups->tallies[HISTO_TALLY_CHANGE_EVEN + is_odd] += sums.change;
  /* This component has a sample for each pixel. */
  if (groups->pass.kind != HISTO_ROW_NATIVE + combed)
    return;
  for (guint i = 0; i < 5; i++)
    five[i] = histo_cpu_rows_get (&groups->current, HISTO_ROW_PIXEL + combed, row + i - 2);
  groups->tallies[HISTO_TALLY_COMB] += groups->current.loops->count_combed (five, groups->region.width,
      groups->plan->formulas.depth);
}

/* ---- Rows of one component --------------------------------------------------------------------- */

/* Whether the passes of differences also add up the fields: they read the same rows. */
static gboolean
has_fields_with_differences (const HistoCpuGroups * groups)
{
  return histo_plan_has_group (groups->plan, HISTO_GROUP_FIELD) && histo_plan_has_group (groups->plan, HISTO_GROUP_MOTION)
      && groups->frame->previous != NULL;
}

static void
measure_difference (HistoCpuGroups * groups, guint y)
{
  const guint row = groups->pass.first_row + y;

  groups->current.loops->difference (histo_cpu_rows_get (&groups->current,
          groups->pass.kind, row), histo_cpu_rows_get (&groups->previous, groups->pass.kind,
          row), next_row (&groups->blocks[0]), groups->pass.length);
  add_row (groups, &groups->blocks[0]);
  if (has_fields_with_differences (groups))
    measure_field (groups, y);
}

static void
count_in_place (HistoCpuGroups * groups, guint first, guint n_rows)
{
  histo_cpu_pixels_rows (groups->blocks[0].pixels, first, n_rows);
}

/* Differences, and the samples themselves of rows that are still in the caches. */
static void
measure_difference_and_samples (HistoCpuGroups * groups, guint first, guint n_rows)
{
  const guint at_once = MAX (groups->block_bytes / groups->current.row_bytes, 1), end = first + n_rows;

  for (guint begin = first; begin < end; begin += at_once) {
    const guint after = MIN (begin + at_once, end);

    for (guint y = begin; y < after; y++)
      measure_difference (groups, y);
    histo_cpu_pixels_rows (groups->blocks[1].pixels, begin, after - begin);
  }
}

static void
measure_gradient (HistoCpuGroups * groups, guint y)
{
  const guint row = groups->pass.first_row + y, width = groups->region.width;
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
  const guint row = groups->pass.first_row + y, n = histo_cpu_rows_n_pixels (&groups->current, row);

  if (n > 0)
    histo_cpu_rows_make (&groups->current, groups->pass.kind, row, next_row (&groups->blocks[0]));
  fill_row (groups, &groups->blocks[0], n);
  add_row (groups, &groups->blocks[0]);
}

/* How the rows of each source are counted that has a pass of its own, and the kind of rows, unless they are native
 * ones. */
static const struct
{
  MeasureRow measure_row;
  HistoRow kind;
} sources[HISTO_N_SOURCES] = {
  [HISTO_SOURCE_DIFFERENCE] = {measure_difference, 0},
  [HISTO_SOURCE_LUMA] = {measure_numbers, HISTO_ROW_LUMA},
  [HISTO_SOURCE_MAXRGB] = {measure_numbers, HISTO_ROW_MAXRGB},
  [HISTO_SOURCE_GRADIENT] = {measure_gradient, HISTO_ROW_STRETCHED},
};

/* ---- Saturation and hue ------------------------------------------------------------------------- */

/* U and V of 8 bits are first counted together; few different ones occur in a picture. The table of saturation
 * and hue is then read once for each, and the sums of those with the same U or V are the histograms of U and
 * V. Small regions and up to 10 bits read the table for each sample. Above, the formulas are evaluated. */

/* Whether the histograms of U and V in region @number are sums of the one of both. */
static gboolean
has_samples_in_uv (const HistoPlan * plan, guint number, const HistoRegion * region)
{
  const HistoFormat *format = plan->format;
  const guint64 pixels = (guint64) region->width * region->height;

  if (number == 0 && plan->joints_have_samples)
    return FALSE;
  return histo_plan_has_group (plan, HISTO_GROUP_SIGNAL)
      && format->colors == HISTO_COLORS_YUV && format->components[1].depth == 8
      && format->components[2].depth == 8 && suits_uv (plan,
      pixels >> (format->chroma_w_sub + format->chroma_h_sub));
}

/* Whether the native samples of the picture are counted with their differences, if there are any: while they are in the
 * caches. Bytes of YUV gain nothing. */
static gboolean
counts_with_differences (const HistoPlan * plan, guint native)
{
  return histo_plan_has_group (plan, HISTO_GROUP_MOTION) && (plan->formulas.depth > 8 || plan->formulas.is_rgb)
      && !plan->joints_have_samples && !((native == 1 || native == 2) && has_samples_in_uv (plan, 0, &plan->regions[0]));
}

/**
 * histo_cpu_groups_count_samples:
 *
 * Returns: a bit for each component whose native samples in the picture the groups count: U with V, in joint components,
 *   or with a mask by alpha
 */
guint
histo_cpu_groups_count_samples (const HistoPlan * plan)
{
  guint components = has_samples_in_uv (plan, 0, &plan->regions[0]) ? 1 << 1 | 1 << 2 : 0;

  if (plan->joints_have_samples || plan->alpha >= 0)
    return (1u << plan->format->n_components) - 1;
  for (guint c = 0; c < plan->format->n_components; c++)
    components |= counts_with_differences (plan, c) << c;
  return components;
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
  return plan->n_regions > 1 || plan->alpha >= 0 ? (1u << plan->format->n_components) - 1 : needed_by_groups (plan, FALSE);
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
make_numbers (const guint8 * restrict high, const guint8 * restrict low, guint16 * restrict numbers, guint n)
{
  for (guint i = 0; i < n; i++)
    numbers[i] = high[i] << 8 | low[i];
}

/* Counts the row of numbers. There are no copies of the counters: most counters are not used, and the others stay in the
 * caches. */
static void
count_numbers (const HistoCpuGroups * groups, guint32 * restrict counters)
{
  const guint16 *restrict numbers = groups->numbers;
  const guint distance = groups->pass.length / NUMBERS_IN_TURN;

  for (guint i = 0; i < distance; i++)
    for (guint k = 0; k < NUMBERS_IN_TURN; k++)
      counters[numbers[i + k * distance]]++;
  for (guint i = NUMBERS_IN_TURN * distance; i < groups->pass.length; i++)
    counters[numbers[i]]++;
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

/* Makes the next rows of saturation and hue, of @n samples. */
static void
make_chroma (HistoCpuGroups * groups, gconstpointer u, gconstpointer v, guint n)
{
  const HistoPlan *plan = groups->plan;
  HistoCpuRows *rows = &groups->current;
  gpointer saturation = next_row (&groups->blocks[0]), hue = next_row (&groups->blocks[1]);

  if (plan->chroma_table == NULL)
    rows->loops->chroma (u, v, saturation, hue, n, plan->formulas.depth);
  else if (rows->is_wide)
    make_chroma_by_table (plan, u, v, saturation, hue, n, TRUE);
  else
    make_chroma_by_table (plan, u, v, saturation, hue, n, FALSE);
}

/* @row: of chroma, in the picture. @n: its samples; of RGB the pixels that take part, at least 1 */
static void
measure_chroma (HistoCpuGroups * groups, guint row, guint n)
{
  const HistoFormulas *formulas = &groups->plan->formulas;
  gconstpointer u = histo_cpu_rows_get (&groups->current, HISTO_ROW_YUV + 1, row);
  gconstpointer v = histo_cpu_rows_get (&groups->current, HISTO_ROW_YUV + 2, row);

  if (groups->counts_uv) {
    make_numbers (u, v, groups->numbers, groups->pass.length);
    count_numbers (groups, groups->uv);
    return;
  }
  make_chroma (groups, u, v, n);
  for (guint i = 0; i < 2; i++) {
    fill_row (groups, &groups->blocks[i], n);
    if (groups->frame->mask != NULL && !formulas->is_rgb)
      keep_samples (groups, formulas->w_sub, formulas->h_sub, row, TRUE, next_row (&groups->blocks[i]),
          next_row (&groups->blocks[i]));
    add_row (groups, &groups->blocks[i]);
  }
}

/* No pixel of the row of RGB takes part. */
static void
skip_chroma (HistoCpuGroups * groups)
{
  for (guint i = 0; i < 2; i++) {
    fill_row (groups, &groups->blocks[i], 0);
    add_row (groups, &groups->blocks[i]);
  }
}

static guint32 *
counters_of (const HistoCpuGroups * groups, const HistoComponent * component)
{
  return groups->frame->counters + component->first_bin;
}

/* Most numbers do not occur. */
#define FOLDED 16

static void
fold_uv (HistoCpuGroups * groups)
{
  const HistoComponent *native = histo_plan_region_components (groups->plan, groups->number);
  const gboolean has_samples = has_samples_in_uv (groups->plan, groups->number, &groups->region);
  guint32 *saturation = counters_of (groups, find_source (groups, HISTO_SOURCE_SATURATION));
  guint32 *hue = counters_of (groups, find_source (groups, HISTO_SOURCE_HUE));

  for (guint first = 0; first < N_UV; first += FOLDED) {
    guint32 *counts = groups->uv + first, any = 0;

    for (guint i = 0; i < FOLDED; i++)
      any |= counts[i];
    if (any == 0)
      continue;
    for (guint i = 0; i < FOLDED; i++) {
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

/* A flag for each pixel of the row whose chroma is out of range. NULL: there is none. @row: of chroma. @n: its samples */
static gconstpointer
find_chroma_flags (HistoCpuGroups * groups, guint row, guint n)
{
  HistoCpuRows *rows = &groups->current;
  const HistoFormulas *formulas = &groups->plan->formulas;

  if (row != groups->flags_row) {
    groups->flags_row = row;
    groups->has_flags = rows->loops->chroma_out_of_range (histo_cpu_rows_get (rows, HISTO_ROW_YUV + 1, row),
        histo_cpu_rows_get (rows, HISTO_ROW_YUV + 2, row), groups->flags, n, formulas->depth);
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
  const guint n_pixels = histo_cpu_rows_n_pixels (rows, row), n = formulas->is_rgb ? n_pixels : groups->pass.length;
  gconstpointer luma, flags = NULL;

  if (n_pixels == 0 && formulas->is_rgb) {
    skip_chroma (groups);
    return;
  }
  luma = histo_cpu_rows_get (rows, HISTO_ROW_YUV, row);
  if (formulas->has_chroma) {
    /* A row of chroma is counted with the first of its rows of pixels in the region. */
    if (y == 0 || row % (1u << h_sub) == 0)
      measure_chroma (groups, row >> h_sub, n);
    flags = find_chroma_flags (groups, row >> h_sub, n);
  }
  if (groups->frame->mask != NULL) {
    if (flags != NULL && !formulas->is_rgb) {
      histo_cpu_rows_pick (rows, row, flags, groups->part_flags);
      flags = groups->part_flags;
    }
    if (n_pixels > 0)
      groups->tallies[HISTO_TALLY_BRNG] += rows->loops->count_out_of_range (luma, flags, n_pixels, formulas->depth);
    return;
  }
  groups->tallies[HISTO_TALLY_BRNG] += rows->loops->count_out_of_range (luma, flags, width, formulas->depth);
  groups->tallies[HISTO_TALLY_TOUT] += count_outliers (groups, y);
  if (y >= 4 && rows->loops->is_repeated (luma, histo_cpu_rows_get (rows, HISTO_ROW_YUV, row - 4), width)) {
    groups->tallies[HISTO_TALLY_VREP] += width;
    if (histo_row_has_detail (rows->loops->count_steps (luma, width, formulas->depth), width))
      groups->tallies[HISTO_TALLY_VREP_DETAIL] += width;
  }
}

static Pass
begin_signal (HistoCpuGroups * groups)
{
  const HistoFormulas *formulas = &groups->plan->formulas;
  const guint h_sub = formulas->is_rgb ? 0 : formulas->h_sub;
  Pass pass = pass_of_pixels (groups, measure_signal);

  groups->flags_row = G_MAXUINT;
  if (!formulas->has_chroma)
    return pass;
  pass.length = histo_cpu_rows_length (&groups->current, HISTO_ROW_YUV + 1);
  groups->counts_uv = suits_uv (groups->plan, ((guint64) pass.length * pass.n_rows) >> h_sub);
  for (guint i = 0; i < 2 && !groups->counts_uv; i++)
    begin_block (groups, &pass, i, find_source (groups, i == 0 ? HISTO_SOURCE_SATURATION : HISTO_SOURCE_HUE), TRUE);
  return pass;
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

static void
measure_color (HistoCpuGroups * groups, guint y)
{
  const guint row = groups->pass.first_row + y, n = histo_cpu_rows_n_pixels (&groups->current, row);
  gpointer out[N_BLOCKS];

  for (guint i = 0; i < N_BLOCKS; i++)
    out[i] = next_row (&groups->blocks[i]);
  if (n > 0)
    histo_cpu_rows_make_matrix (&groups->current, row, out);
  for (guint i = 0; i < N_BLOCKS; i++)
    if (groups->blocks[i].is_used)
      fill_row (groups, &groups->blocks[i], n);
  /* Without `color` nobody counts R, G and B. */
  for (guint i = 0; i < 3 && !groups->blocks[0].is_used && groups->plan->hlg == NULL; i++)
    raise_tally (groups, HISTO_TALLY_GREATEST_RED + i, (groups->current.is_wide ?
            find_greatest (out[i], n, TRUE) : find_greatest (out[i], n, FALSE)) + 1);
  for (guint i = 0; i < N_BLOCKS; i++)
    if (groups->blocks[i].is_used)
      add_row (groups, &groups->blocks[i]);
}

static Pass
begin_color (HistoCpuGroups * groups)
{
  static const guint of_blocks[N_BLOCKS] = {
    HISTO_SOURCE_RED, HISTO_SOURCE_GREEN, HISTO_SOURCE_BLUE, HISTO_SOURCE_MAXRGB
  };
  const Pass pass = pass_of_pixels (groups, measure_color);
  gboolean is_wanted = FALSE;

  for (guint i = 0; i < N_BLOCKS; i++) {
    const HistoComponent *component = find_source (groups, of_blocks[i]);

    if (component == NULL)
      continue;
    begin_block (groups, &pass, i, component, groups->current.is_wide);
    is_wanted = TRUE;
  }
  return is_wanted ? pass : (Pass) { 0, };
}

/* ---- Area --------------------------------------------------------------------------------------- */

static void
flush_columns (HistoCpuGroups * groups)
{
  guint64 *sums = groups->tallies + HISTO_N_TALLIES + groups->plan->regions[groups->number].height;

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

static const HistoGamutCounts no_gamut = {
  .least = {G_MAXINT32, G_MAXINT32, G_MAXINT32, G_MAXINT32},
  .greatest = {G_MININT32, G_MININT32, G_MININT32, G_MININT32}
};

/* Returns: the counts of a row without the filter. They stay valid as a row (histo_cpu_rows_get()) */
static const HistoGamutCounts *
count_unfiltered (HistoCpuGroups * groups, guint row)
{
  HistoCpuRows *current = &groups->current;
  const guint width = histo_cpu_rows_n_pixels (current, row);
  const guint depth = groups->plan->formulas.depth, at = row % HISTO_KEPT_ROWS;
  HistoGamutCounts *counts = &groups->gamut[at].counts;
  gconstpointer rows[4];

  if (groups->gamut[at].y == row)
    return counts;
  groups->gamut[at].y = row;
  *counts = no_gamut;
  if (current->is_gamut_sum) {
    const gint16 *chroma[3];

    histo_cpu_rows_get_gamut_of_chroma (current, row, chroma);
    current->loops->count_gamut_of_sums (histo_cpu_rows_get (current, HISTO_ROW_PIXEL, row), chroma, width, depth,
        counts);
  } else {
    for (guint i = 0; i < 4; i++)
      rows[i] = histo_cpu_rows_get (current, HISTO_ROW_GAMUT + i, row);
    current->loops->count_gamut (rows, width, depth, counts);
  }
  return counts;
}

static void
measure_unfiltered (HistoCpuGroups * groups, guint row)
{
  const HistoGamutCounts *counts = count_unfiltered (groups, row);

  add_outside (groups, HISTO_TALLY_GAMUT_R, counts);
  for (guint i = 0; i < 4; i++) {
    raise_tally (groups, HISTO_TALLY_GREATEST_R + 2 * i, counts->greatest[i] + HISTO_GAMUT_BIAS);
    raise_tally (groups, HISTO_TALLY_LEAST_R + 2 * i, HISTO_GAMUT_BIAS - counts->least[i]);
  }
}

/* Counts the filtered values of these rows. @may_be_outside: of R, G, B and Y */
static void
count_filtered (HistoCpuGroups * groups, const guint numbers[3], const gboolean may_be_outside[4], HistoGamutCounts * counts)
{
  const HistoLoops *loops = groups->current.loops;
  const guint width = groups->region.width, depth = groups->plan->formulas.depth;
  gconstpointer across[4][3] = { {NULL,}, }, rows[4], any = NULL;

  for (guint i = 0; i < 4; i++)
    for (guint k = 0; k < 3 && may_be_outside[i]; k++)
      across[i][k] = histo_cpu_rows_get (&groups->current, HISTO_ROW_GAMUT_ACROSS + i, numbers[k]);
  if (groups->current.is_gamut_narrow) {
    const guint16 *narrow[4][3];

    for (guint i = 0; i < 4 * 3; i++)
      narrow[i / 3][i % 3] = across[i / 3][i % 3];
    loops->count_filtered ((const guint16 * const (*)[3]) narrow, width, depth, counts);
    return;
  }
  for (guint i = 0; i < 4; i++) {
    /* The blocks of this pass have no rows. */
    gpointer out = groups->blocks[i].memory;

    if (!may_be_outside[i])
      continue;
    loops->gamut_filtered (across[i][0], across[i][1], across[i][2], out, width);
    rows[i] = any = out;
  }
  /* Another row in place of one that is inside changes no count of the others, nor of any. */
  for (guint i = 0; i < 4; i++)
    if (!may_be_outside[i])
      rows[i] = any;
  loops->count_gamut (rows, width, depth, counts);
  for (guint i = 0; i < 4; i++)
    if (!may_be_outside[i])
      counts->outside[i] = 0;
}

static void
measure_filtered (HistoCpuGroups * groups, guint y)
{
  const guint step = groups->frame->scan.row_step, row = groups->region.y + y;
  const guint above = y >= step ? row - step : row, below = y + step < groups->region.height ? row + step : row;
  const guint numbers[3] = { above, row, below };
  const HistoGamutCounts *unfiltered[3] = { count_unfiltered (groups, above), count_unfiltered (groups, row),
    count_unfiltered (groups, below)
  };
  HistoGamutCounts counts = no_gamut;
  gboolean may_be_outside[4], any = FALSE;

  for (guint i = 0; i < 4; i++) {
    /* A filtered value is a mean of others: it is inside if all of them are. */
    may_be_outside[i] = unfiltered[0]->outside[i] + unfiltered[1]->outside[i] + unfiltered[2]->outside[i] > 0;
    any |= may_be_outside[i];
  }
  if (!any)
    return;
  count_filtered (groups, numbers, may_be_outside, &counts);
  add_outside (groups, HISTO_TALLY_FILTERED_R, &counts);
}

static void
measure_gamut (HistoCpuGroups * groups, guint y)
{
  if (histo_plan_has_group (groups->plan, HISTO_GROUP_GAMUT)
      && histo_cpu_rows_n_pixels (&groups->current, groups->region.y + y) > 0)
    measure_unfiltered (groups, groups->region.y + y);
  if (histo_plan_has_group (groups->plan, HISTO_GROUP_GAMUT_FILTER))
    measure_filtered (groups, y);
}

/* ---- Flashes ------------------------------------------------------------------------------------ */

/* Adds the pixels of columns @first to @after - 1 of a row to the tallies of the region. @before: (nullable): of the
 * previous frame. @cell: (nullable): the tallies of their cell */
static void
add_lights (HistoCpuGroups * groups, const HistoCpuLightRow * now, const HistoCpuLightRow * before,
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
    /* The darker state of red may have any value. */
    {HISTO_TALLY_RED_SUM, HISTO_TALLY_RED_AREA, HISTO_TALLY_RED_UP, HISTO_TALLY_RED_DOWN,
        HISTO_CELL_RED, HISTO_CELL_RED_AREA, HISTO_FLASH_RED_STEP, G_MAXUINT16 + 1},
  };
  const gboolean has_red = now->red != NULL || (before != NULL && before->red != NULL);
  const guint16 *no_red = groups->current.no_red;

  for (guint i = 0; i < (has_red ? 2 : 1); i++) {
    const guint16 *row = i == 0 ? now->luminance : now->red != NULL ? now->red : no_red;
    const guint16 *row_before = before == NULL ? NULL : i == 0 ? before->luminance :
        before->red != NULL ? before->red : no_red;
    HistoLightCounts counts = { 0, };

    groups->current.loops->count_light (row + first, row_before == NULL ? NULL : row_before + first,
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
  const gboolean has_previous = groups->frame->previous != NULL;
  const HistoCpuLightRow now = histo_cpu_rows_get_light (&groups->current, row);
  const HistoCpuLightRow before = has_previous ? histo_cpu_rows_get_light (&groups->previous, row) :
      (HistoCpuLightRow) { NULL, NULL };
  guint64 *cells;

  if (groups->number > 0) {
    add_lights (groups, &now, has_previous ? &before : NULL, 0, width, NULL);
    return;
  }
  cells = groups->frame->tallies + groups->plan->first_cell
      + cell_row * HISTO_CELLS_ACROSS * HISTO_N_CELL_TALLIES;
  for (guint i = 0; i < HISTO_CELLS_ACROSS; i++)
    add_lights (groups, &now, has_previous ? &before : NULL, i * width / HISTO_CELLS_ACROSS,
        (i + 1) * width / HISTO_CELLS_ACROSS, cells + i * HISTO_N_CELL_TALLIES);
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
  const guint n = histo_cpu_rows_n_pixels (&groups->current, groups->region.y + y);
  guint32 brightest[3] = { 0, };
  gconstpointer rgb[3];

  if (n == 0)
    return;

  for (guint k = 0; k < 3; k++)
    rgb[k] = histo_cpu_rows_get (&groups->current, kind + k, groups->region.y + y);
  if (groups->current.is_wide)
    count_light_of_hlg (plan->hlg, plan->formulas.depth, rgb, n, counters, brightest, TRUE);
  else
    count_light_of_hlg (plan->hlg, plan->formulas.depth, rgb, n, counters, brightest, FALSE);
  for (guint k = 0; k < 3; k++)
    raise_tally (groups, HISTO_TALLY_GREATEST_RED + k, brightest[k]);
}

/* ---- Scopes ------------------------------------------------------------------------------------- */

/* The number of bin row * HISTO_SCOPE_SIZE + column of a joint component is made of two bytes. The compiler makes
 * vectors of these loops. */
static void
make_deep_places (const guint16 * restrict values, guint shift, const guint8 * restrict columns,
    guint16 * restrict numbers, guint n)
{
  for (guint i = 0; i < n; i++)
    numbers[i] = values[i] >> shift << 8 | columns[i];
}

static void
make_deep_numbers (const guint16 * restrict high, const guint16 * restrict low, guint shift,
    guint16 * restrict numbers, guint n)
{
  for (guint i = 0; i < n; i++)
    numbers[i] = high[i] >> shift << 8 | low[i] >> shift;
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
    make_deep_places (row, groups->plan->formulas.depth - 8, groups->scope_columns, groups->numbers,
        groups->pass.length);
  else
    make_numbers (row, groups->scope_columns, groups->numbers, groups->pass.length);
  count_numbers (groups, find_joint (groups, joint));
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
    make_deep_numbers (v, u, groups->plan->formulas.depth - 8, groups->numbers, groups->pass.length);
  else
    make_numbers (v, u, groups->numbers, groups->pass.length);
  count_numbers (groups, find_joint (groups, HISTO_JOINT_VECTORSCOPE));
}

/* @joint: the first one of the pass; nothing is done if it is not measured */
static Pass
begin_joint (const HistoCpuGroups * groups, HistoJoint joint, MeasureRow measure_row)
{
  Pass pass = pass_of_pixels (groups, measure_row);

  if (groups->number > 0 || find_joint (groups, joint) == NULL)
    return (Pass) { 0, };
  if (joint == HISTO_JOINT_VECTORSCOPE) {
    pass.length = histo_cpu_rows_length (&groups->current, HISTO_ROW_YUV + 1);
    if (!groups->plan->formulas.is_rgb)
      pass.n_rows = ((pass.n_rows - 1) >> groups->plan->formulas.h_sub) + 1;
  }
  return pass;
}

/* ---- Passes ------------------------------------------------------------------------------------- */

/* The rows of the pass are counted in block @i where they lie. */
static void
begin_samples_in_place (HistoCpuGroups * groups, const Pass * pass, guint i, const HistoComponent * component)
{
  Block *block = &groups->blocks[i];

  begin_block (groups, pass, i, component, groups->current.is_wide);
  block->plane.data = (guint64) (guintptr) histo_cpu_rows_get (&groups->current, pass->kind, pass->first_row);
  block->plane.stride = groups->frame->planes[component->native].stride;
}

static void
measure_masked_samples (HistoCpuGroups * groups, guint y)
{
  const GstVideoFormatInfo *info = groups->plan->format->video.finfo;
  const guint c = groups->pass.kind - HISTO_ROW_NATIVE, row = groups->pass.first_row + y;

  keep_samples (groups, info->w_sub[c], info->h_sub[c], row, groups->current.is_wide,
      histo_cpu_rows_get (&groups->current, groups->pass.kind, row), next_row (&groups->blocks[0]));
  add_row (groups, &groups->blocks[0]);
}

/* Native samples of a region are counted where they lie. The picture's are counted plane by plane (count.h), or with their
 * differences, and some U and V together. */
static Pass
begin_samples (HistoCpuGroups * groups, const HistoComponent * component)
{
  Pass pass = pass_of_native (groups, component->native, NULL);

  if (groups->frame->mask != NULL) {
    if (pass.length == 0 || (component->region == 0 && groups->frame->masks != NULL))
      return (Pass) { 0, };
    begin_block (groups, &pass, 0, component, groups->current.is_wide);
    pass.measure_row = measure_masked_samples;
    return pass;
  }
  if (pass.length == 0 || (component->region == 0 && (groups->frame->previous != NULL
          || !counts_with_differences (groups->plan, component->native)))
      || ((component->native == 1 || component->native == 2)
          && has_samples_in_uv (groups->plan, groups->number, &groups->region)))
    return (Pass) { 0, };
  begin_samples_in_place (groups, &pass, 0, component);
  pass.measure_rows = count_in_place;
  return pass;
}

static Pass
begin_component (HistoCpuGroups * groups, const HistoComponent * component)
{
  const guint source = component->source;
  const MeasureRow measure_row = sources[source].measure_row;
  Pass pass;

  if (source == HISTO_SOURCE_SAMPLE)
    return begin_samples (groups, component);
  if (measure_row == NULL || (source == HISTO_SOURCE_DIFFERENCE && groups->frame->previous == NULL)
      || (source == HISTO_SOURCE_MAXRGB && !groups->plan->formulas.is_rgb))
    return (Pass) { 0, };
  if (source == HISTO_SOURCE_DIFFERENCE) {
    pass = pass_of_native (groups, component->native, measure_row);
  } else {
    pass = pass_of_pixels (groups, measure_row);
    pass.kind = sources[source].kind;
    pass.length = histo_cpu_rows_length (&groups->current, pass.kind);
  }
  if (source == HISTO_SOURCE_GRADIENT)
    pass.length = MAX (pass.length, 2) - 2;
  else if (pass.length == 0)
    return (Pass) { 0, };
  begin_block (groups, &pass, 0, component, groups->current.is_wide);
  if (source == HISTO_SOURCE_DIFFERENCE && component->region == 0
      && counts_with_differences (groups->plan, component->native)) {
    begin_samples_in_place (groups, &pass, 1, &groups->plan->components[component->native]);
    pass.measure_row = NULL;
    pass.measure_rows = measure_difference_and_samples;
  }
  return pass;
}

/* @number: of those passes that come after the components */
static Pass
begin_common (HistoCpuGroups * groups, guint number)
{
  const HistoPlan *plan = groups->plan;
  Pass pass;

  switch (number) {
    case PASS_SIGNAL:
      return histo_plan_has_group (plan, HISTO_GROUP_SIGNAL) ? begin_signal (groups) : (Pass) { 0, };
    case PASS_COLOR:
      return plan->formulas.is_rgb ? (Pass) { 0, } : begin_color (groups);
    case PASS_AREA:
      pass = pass_of_pixels (groups, NULL);
      pass.measure_rows = measure_area;
      return histo_plan_has_group (plan, HISTO_GROUP_AREA) ? pass : (Pass) { 0, };
    case PASS_GAMUT:
      return histo_plan_has_group (plan, HISTO_GROUP_GAMUT) || histo_plan_has_group (plan, HISTO_GROUP_GAMUT_FILTER) ?
          pass_of_pixels (groups, measure_gamut) : (Pass) { 0, };
    case PASS_FLASH:
      return histo_plan_has_group (plan, HISTO_GROUP_FLASH) ? pass_of_pixels (groups, measure_flash) : (Pass) { 0, };
    case PASS_HLG:
      return plan->n_light_bins > 0 ? pass_of_pixels (groups, measure_hlg) : (Pass) { 0, };
    case PASS_WAVEFORM:
      return begin_joint (groups, HISTO_JOINT_WAVEFORM, measure_waveform);
    case PASS_PARADE:
      return begin_joint (groups, HISTO_JOINT_WAVEFORM_R, measure_parade);
    case PASS_VECTORSCOPE:
      return begin_joint (groups, HISTO_JOINT_VECTORSCOPE, measure_vectorscope);
    default:
      pass = pass_of_native (groups, number - PASS_FIELD, measure_field);
      return pass.length > 0 && !has_fields_with_differences (groups) ? pass : (Pass) { 0, };
  }
}

/* @y: of the plane in the region */
static void
measure_masked_bayer (HistoCpuGroups * groups, guint y)
{
  Block *block = &groups->blocks[0];
  const gint64 stride = groups->bayer[0].stride, mask_stride = groups->bayer[1].stride;

  histo_mask_keep ((const guint8 *) (guintptr) groups->bayer[0].data + y * stride,
      (const guint8 *) (guintptr) groups->bayer[1].data + y * mask_stride, next_row (block),
      histo_plane_row_bytes (&groups->bayer[0]));
  add_row (groups, block);
}

/* The rows of a plane are copied before they are counted. */
static void
use_masked_bayer (HistoCpuGroups * groups, const HistoPlane * plane, guint p)
{
  Block *block = &groups->blocks[0];
  HistoPlane masks[HISTO_N_BAYER_PLANES];

  histo_bayer_select_region (groups->frame->masks, &groups->region, masks);
  groups->bayer[0] = *plane;
  groups->bayer[1] = masks[p];
  block->plane.data = (guint64) (guintptr) block->memory;
  block->plane.stride = 2 * groups->current.row_bytes;
}

/* A plane of a Bayer region is counted where it lies. The picture's are counted as those of other video. */
static Pass
begin_bayer (HistoCpuGroups * groups, guint p)
{
  Block *block = &groups->blocks[0];
  HistoPlane planes[HISTO_N_BAYER_PLANES];
  Pass pass = {.measure_rows = count_in_place };

  if (groups->number == 0)
    return (Pass) { 0, };
  histo_bayer_select_region (groups->frame->counted, &groups->region, planes);
  if (planes[p].rows == 0)
    return (Pass) { 0, };
  block->plane = planes[p];
  pass.n_rows = planes[p].rows;
  if (groups->frame->mask != NULL) {
    use_masked_bayer (groups, &planes[p], p);
    pass.measure_row = measure_masked_bayer;
    pass.measure_rows = NULL;
  }
  block->is_used = TRUE;
  block->n = 0;
  histo_cpu_pixels_begin (block->pixels, &block->plane, groups->frame->counters
      + histo_plan_region_components (groups->plan, groups->number)->first_bin);
  return pass;
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
  groups->pass = (Pass) { 0, };
  groups->counts_uv = FALSE;
  for (guint i = 0; i < HISTO_KEPT_ROWS; i++)
    groups->gamut[i].y = G_MAXUINT;
  if (groups->region.width == 0 || groups->region.height == 0)
    return;
  if (histo_format_is_bayer (plan->format)) {
    groups->pass = begin_bayer (groups, pass);
    return;
  }
  histo_cpu_rows_begin (&groups->current, frame->planes, &frame->scan,
      groups->region.x, groups->region.width);
  histo_cpu_rows_use_light (&groups->current, frame->light, region == 0);
  histo_cpu_rows_use_mask (&groups->current, frame->mask);
  if (frame->previous != NULL) {
    histo_cpu_rows_begin (&groups->previous, frame->previous,
        &frame->previous_scan, groups->region.x, groups->region.width);
    histo_cpu_rows_use_light (&groups->previous, frame->previous_light, FALSE);
  }
  groups->pass = pass < plan->n_region_components ?
      begin_component (groups, &histo_plan_region_components (plan, region)[pass]) :
      begin_common (groups, pass - plan->n_region_components);
}

/* Returns: the rows of the pass; 0 if nothing is to be done */
guint
histo_cpu_groups_pass_rows (const HistoCpuGroups * groups)
{
  return groups->pass.n_rows;
}

/* @first: of the rows of the pass. Rows may be given in any order, each once. */
void
histo_cpu_groups_rows (HistoCpuGroups * groups, guint first, guint n_rows)
{
  if (groups->pass.measure_rows != NULL)
    groups->pass.measure_rows (groups, first, n_rows);
  else
    for (guint y = first; y < first + n_rows; y++)
      groups->pass.measure_row (groups, y);
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
  if (groups->counts_uv)
    fold_uv (groups);
  if (groups->column_rows > 0)
    flush_columns (groups);
  groups->pass = (Pass) { 0, };
}
