/* What the maps count and add up in each region of a frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/maps.h"

#include "engine/cpu/pairs.h"
#include "engine/cpu/rows.h"
#include "engine/cpu/tallies.h"

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
  HistoCpuPairs pairs;
  guint8 *block;                /* rows to be counted */
  HistoCpuTallies of_region;

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
  ok &= histo_cpu_pairs_init (&maps->pairs, plan);
  row_bytes = maps->current.row_bytes;
  ok &= histo_cpu_tallies_init (&maps->of_region, plan, &maps->current);
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
  histo_cpu_pairs_clear (&maps->pairs);
  histo_cpu_tallies_clear (&maps->of_region);
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
    histo_cpu_pairs_row (&maps->pairs,
        histo_cpu_rows_get (rows, HISTO_ROW_YUV + 1, y),
        histo_cpu_rows_get (rows, HISTO_ROW_YUV + 2, y), maps->length,
        rows->is_wide);
}

/* Whether the samples of U and V in the region are counted in pairs. */
static gboolean
has_native_pairs (const HistoPlan * plan, const HistoRegion * region)
{
  const HistoFormat *format = plan->format;
  const guint64 pixels = (guint64) region->width * region->height;

  return format->colors == HISTO_COLORS_YUV && format->components[1].depth == 8
      && format->components[2].depth == 8 && histo_cpu_pairs_suit (plan,
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
      || !has_native_pairs (plan, &plan->regions[0]))
    return FALSE;
  for (guint i = 0; i < samples->n_samples; i++) {
    if (samples->samples[i].component != 1 && samples->samples[i].component != 2)
      return FALSE;
  }
  return TRUE;
}

/* Whether U and V of the region are counted together with saturation and hue. */
static gboolean
pairs_have_samples (const HistoCpuMaps * maps, guint region)
{
  const HistoCpuComponent *components = maps->current.components;

  if (region == 0)
    return histo_cpu_maps_count_plane (maps->plan, components[1].plane)
        && histo_cpu_maps_count_plane (maps->plan, components[2].plane);
  return histo_plan_has_group (maps->plan, HISTO_GROUP_SIGNAL)
      && has_native_pairs (maps->plan, &maps->region);
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
  HistoCpuPairTargets targets = {
    .saturation = counters_of (maps, &component[0]),
    .hue = counters_of (maps, &component[1]),
  };

  if (pairs_have_samples (maps, component->region)) {
    targets.first = counters_of (maps, &native[1]);
    targets.second = counters_of (maps, &native[2]);
  }
  maps->count_rows = count_chroma;
  histo_cpu_pairs_begin (&maps->pairs, (guint64) maps->length * maps->n_rows,
      &targets);
}

/* ---- Tallies alone ------------------------------------------------------------------------------- */

static void
add_signal (HistoCpuMaps * maps, guint first, guint n_rows)
{
  histo_cpu_tallies_add_signal (&maps->of_region, first, n_rows);
}

static void
add_area (HistoCpuMaps * maps, guint first, guint n_rows)
{
  histo_cpu_tallies_add_area (&maps->of_region, first, n_rows);
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
          && pairs_have_samples (maps, component->region));
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
  histo_cpu_tallies_begin (&maps->of_region, &maps->region, maps->tallies,
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
    histo_cpu_pairs_end (&maps->pairs);
  else if (maps->count_rows == add_area)
    histo_cpu_tallies_end (&maps->of_region);
  maps->count_rows = NULL;
}
