/* A large frame in shares, which several threads count at the same time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/shares.h"

#include "media/pack.h"

/* Least size of a share. To count 1 MiB takes much longer than to wake a thread. */
#define SHARE_BYTES (1024 * 1024)
/* The least size of a share for each counter, which each thread clears and adds up. */
#define SHARE_BYTES_PER_COUNTER 64
/* Rows under a mask are counted in blocks of about so many bytes, which stay in the caches. */
#define BLOCK_BYTES (64 * 1024)
/* Least size of a share of a pass. */
#define BAND_PIXELS (512 * 1024)

/* ---- How many ------------------------------------------------------------------------------- */

/* The pixels that all passes over the picture and the regions of the settings read. */
static guint64
pass_pixels (const HistoPlan * plan)
{
  guint64 pixels = 0;

  if (!plan->has_groups)
    return 0;
  for (guint r = 0; r <= plan->n_fixed; r++)
    pixels += (guint64) plan->regions[r].width * plan->regions[r].height;
  return pixels * histo_cpu_groups_n_passes (plan);
}

void
histo_shares_choose (HistoShares * shares, const HistoPlan * plan)
{
  const guint n_regions = 1 + plan->n_fixed;
  const guint64 n_counters = histo_plan_joint_counters (plan)
      + (n_regions < plan->n_regions ?
      histo_plan_region_components (plan, n_regions)->first_bin :
      plan->n_counters);
  const guint64 least = MAX (SHARE_BYTES, SHARE_BYTES_PER_COUNTER * n_counters);

  *shares = (HistoShares) {.n_native = 1,.band_pixels = BAND_PIXELS };
  if (plan->format->is_audio || plan->format->needs_unpack)
    return;
  shares->n_native = plan->joints_have_samples ? 0 :
      MAX (histo_packed_size (plan->format) / least, 1);
  shares->is_divisible = shares->n_native > 1 || pass_pixels (plan) / least > 1;
}

/* The bands of each pass over a region; 0: the region is too small to divide. */
static guint
n_bands (const HistoShares * shares, const HistoRegion * region)
{
  return shares->is_divisible ?
      (guint64) region->width * region->height / shares->band_pixels : 0;
}

static guint
shares_of_region (const HistoShares * shares, const HistoPlan * plan,
    const HistoRegion * region)
{
  const guint bands = n_bands (shares, region);

  return bands == 0 ? 1 : bands * histo_cpu_groups_n_passes (plan);
}

/* Returns: how many shares a frame has; 1 if it is not to be divided. */
guint
histo_shares_of_frame (const HistoShares * shares, const HistoPlan * plan,
    const HistoFrameInfo * info)
{
  guint n = shares->n_native;

  if (!plan->has_groups)
    return n;
  for (guint r = 0; r < histo_plan_used_regions (plan, info); r++)
    n += shares_of_region (shares, plan, histo_plan_region (plan, info, r));
  return n;
}

/* ---- Threads ---------------------------------------------------------------------------------- */

static gsize
longest_row (const HistoFormat * format)
{
  gsize longest = 0;

  for (guint p = 0; p < format->n_planes; p++)
    longest = MAX (longest, histo_plane_row_bytes (&format->planes[p]));
  return longest;
}

HistoCpuTools *
histo_cpu_tools_new (const HistoPlan * plan, const HistoCpuRegular * regular)
{
  HistoCpuTools *tools = g_new0 (HistoCpuTools, 1);

  tools->pixels = histo_cpu_pixels_new ();
  if (plan->has_groups)
    tools->groups = histo_cpu_groups_new (plan, regular);
  if (plan->mask_frames != NULL) {
    tools->block_bytes = MAX (BLOCK_BYTES, longest_row (plan->format));
    tools->block = g_try_malloc (tools->block_bytes);
  }
  if ((tools->groups == NULL && plan->has_groups) || (tools->block == NULL && plan->mask_frames != NULL))
    g_clear_pointer (&tools, histo_cpu_tools_free);
  return tools;
}

void
histo_cpu_tools_free (HistoCpuTools * tools)
{
  histo_cpu_pixels_free (tools->pixels);
  g_clear_pointer (&tools->groups, histo_cpu_groups_free);
  g_free (tools->block);
  g_free (tools);
}

/* ---- The work of a thread --------------------------------------------------------------------- */

void
histo_share_work_begin (HistoShareWork * work, const HistoShares * shares,
    const HistoCpuTools * tools, const HistoCpuFrame * frame)
{
  *work = (HistoShareWork) {
    .shares = shares,
    .tools = tools,
    .frame = *frame,
    .plane = -1,
    .region = -1,
    .pass = -1,
  };
}

/* @plane: -1: none */
static void
go_to_plane (HistoShareWork * work, gint plane)
{
  if (plane == work->plane)
    return;
  if (work->plane >= 0)
    histo_cpu_pixels_end (work->tools->pixels);
  if (plane >= 0 && work->frame.masks != NULL) {
    work->block = work->frame.counted[plane];
    work->block.data = (guint64) (guintptr) work->tools->block;
    work->block.stride = histo_plane_row_bytes (&work->block);
    histo_cpu_pixels_begin (work->tools->pixels, &work->block, work->frame.counters);
  } else if (plane >= 0) {
    histo_cpu_pixels_begin (work->tools->pixels, &work->frame.counted[plane],
        work->frame.counters);
  }
  work->plane = plane;
}

/* @region: -1: none */
static void
go_to_region (HistoShareWork * work, gint region, gint pass)
{
  if (region == work->region && pass == work->pass)
    return;
  go_to_plane (work, -1);
  if (work->region >= 0)
    histo_cpu_groups_end (work->tools->groups);
  if (region >= 0)
    histo_cpu_groups_begin (work->tools->groups, &work->frame, region, pass);
  work->region = region;
  work->pass = pass;
}

/* ---- Native samples ---------------------------------------------------------------------------- */

static guint64
plane_bytes (const HistoPlane * plane)
{
  return histo_plane_row_bytes (plane) * plane->rows;
}

/* How many of the plane's rows begin before its byte @bytes, padding not counted. */
static guint
rows_before (const HistoPlane * plane, gint64 bytes)
{
  const gint64 row_bytes = MAX (histo_plane_row_bytes (plane), 1);

  return CLAMP ((bytes + row_bytes - 1) / row_bytes, 0, plane->rows);
}

static const guint8 *
row_of (const HistoPlane * plane, guint y)
{
  return (const guint8 *) (guintptr) plane->data + (gint64) y * plane->stride;
}

/* Counts rows of the plane that `pixels` is in. */
static void
count_rows (HistoShareWork * work, guint first, guint n_rows)
{
  const HistoPlane *plane = &work->frame.counted[work->plane];
  const gsize row_bytes = work->block.stride;
  guint at_once;

  if (work->frame.masks == NULL) {
    histo_cpu_pixels_rows (work->tools->pixels, first, n_rows);
    return;
  }
  at_once = MAX (work->tools->block_bytes / MAX (row_bytes, 1), 1);
  for (guint begin = first; begin < first + n_rows; begin += at_once) {
    const guint n = MIN (at_once, first + n_rows - begin);

    for (guint y = 0; y < n; y++)
      histo_mask_keep (row_of (plane, begin + y), row_of (&work->frame.masks[work->plane], begin + y),
          work->tools->block + y * row_bytes, row_bytes);
    histo_cpu_pixels_rows (work->tools->pixels, 0, n);
  }
}

/* Counts the samples themselves, plane by plane. */
static void
count_samples (HistoShareWork * work, guint share, guint n_shares)
{
  const HistoPlane *planes = work->frame.counted;
  const guint n_planes = work->frame.n_counted;
  gint64 total = 0, begin, end;

  for (guint p = 0; p < n_planes; p++)
    total += plane_bytes (&planes[p]);
  begin = total * share / n_shares;
  end = total * (share + 1) / n_shares;

  go_to_region (work, -1, -1);
  for (guint p = 0; p < n_planes; p++) {
    const HistoPlane *plane = &planes[p];
    const guint first = rows_before (plane, begin);
    const guint after = rows_before (plane, end);

    if (first < after) {
      go_to_plane (work, p);
      count_rows (work, first, after - first);
    }
    begin -= plane_bytes (&planes[p]);
    end -= plane_bytes (&planes[p]);
  }
}

/* ---- Groups and regions --------------------------------------------------------------------------------------- */

static void
count_band (HistoShareWork * work, guint region, guint pass, guint band,
    guint bands)
{
  guint rows, first, after;

  go_to_region (work, region, pass);
  rows = histo_cpu_groups_pass_rows (work->tools->groups);
  first = (guint64) rows * band / bands;
  after = (guint64) rows * (band + 1) / bands;
  if (first < after)
    histo_cpu_groups_rows (work->tools->groups, first, after - first);
}

/* @share: of the groups */
static void
count_groups (HistoShareWork * work, guint share)
{
  const HistoPlan *plan = work->frame.plan;
  const HistoShares *shares = work->shares;
  const HistoRegion *rectangle = &plan->regions[0];
  guint region = 0, bands, n;

  while (share >= (n = shares_of_region (shares, plan, rectangle))) {
    share -= n;
    rectangle = histo_plan_region (plan, work->frame.info, ++region);
  }
  bands = n_bands (shares, rectangle);
  if (bands > 0) {
    count_band (work, region, share / bands, share % bands, bands);
    return;
  }
  for (guint pass = 0; pass < histo_cpu_groups_n_passes (plan); pass++)
    count_band (work, region, pass, 0, 1);
}

/* @share: below histo_shares_of_frame() */
void
histo_share_work_count (HistoShareWork * work, guint share)
{
  if (share < work->shares->n_native)
    count_samples (work, share, work->shares->n_native);
  else
    count_groups (work, share - work->shares->n_native);
}

void
histo_share_work_end (HistoShareWork * work)
{
  go_to_region (work, -1, -1);
  go_to_plane (work, -1);
}
