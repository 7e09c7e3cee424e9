/* Comparing two pictures on the device; see compare.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/compare.h"

#include <string.h>

/* Bytes between rows of an extracted plane, and between planes, are a multiple of this. */
#define EXTRACTED_ALIGNMENT 64

/* The registers of a multiprocessor have room for so many blocks. */
#define BLOCKS_OF_MULTIPROCESSOR 2

/* Longer rows do not fit in the kernels' numbers. */
#define MOST_COLUMNS (1u << 28)

/* Rows of blocks that a warp compares at least. */
#define LEAST_BLOCK_ROWS 1

/* To compare a byte of a plane with two components takes 4/3 of the time that it takes in others. */
#define PAIR_WEIGHT 4
#define SINGLE_WEIGHT 3

/* ---- The plan of two formats ------------------------------------------------------------------------ */

static const HistoPlane *
plane_of (const HistoCudaComparePlan * plan, guint picture, guint c)
{
  return &plan->planes[picture][plan->components[picture][c].plane];
}

/* Whether the kernels can read a picture where it lies: a plane has one component or two in turn, each sample in a byte
 * of its own or in a word, all words alike. Then how words are read is set. */
static gboolean
can_read (HistoCudaComparePlan * plan, guint picture)
{
  const HistoPlane *first = plane_of (plan, picture, 0);

  for (guint p = 0; p < plan->n_planes[picture]; p++) {
    const HistoPlane *plane = &plan->planes[picture][p];

    if (plane->kind != (plan->bytes == 1 ? HISTO_PLANE_BYTES : HISTO_PLANE_WORDS) || plane->n_words > 2
        || plane->n_samples != plane->n_words || plane->big_endian != first->big_endian
        || plane->samples[0].shift != first->samples[0].shift || plane->samples[0].mask != first->samples[0].mask)
      return FALSE;
    for (guint i = 0; i < plane->n_words; i++)
      if (plane->word_sample[i] == HISTO_NO_SAMPLE)
        return FALSE;
    if (plane->n_words == 2 && plane->samples[0].component == plane->samples[1].component)
      return FALSE;
  }
  plan->selectors[picture] = first->big_endian ? 0x2301 : 0x3210;
  plan->shifts[picture] = first->samples[0].shift;
  plan->masks[picture] = first->samples[0].mask * 0x10001;
  return TRUE;
}

/* The component of word @i of the plane that has component @c; that of other planes than pairs is @c. */
static guint
component_of_word (const HistoCudaComparePlan * plan, guint picture, guint c, guint i)
{
  const HistoPlane *plane = plane_of (plan, picture, c);

  return plan->is_extracted[picture] || plane->n_words < 2 ? c : plane->samples[plane->word_sample[i]].component;
}

/* The component is in a plane with another one. */
static gboolean
is_in_pair (const HistoCudaComparePlan * plan, guint picture, guint c)
{
  return !plan->is_extracted[picture] && plane_of (plan, picture, c)->n_words == 2;
}

/* Whether the components of both pictures lie in the same way. */
static gboolean
lie_alike (const HistoCudaComparePlan * plan)
{
  for (guint c = 0; c < plan->n_components; c++)
    for (guint i = 0; i < 2; i++)
      if (is_in_pair (plan, 0, c) != is_in_pair (plan, 1, c)
          || component_of_word (plan, 0, c, i) != component_of_word (plan, 1, c, i))
        return FALSE;
  return TRUE;
}

/* The picture is written to planes of its own. */
static void
extract (HistoCudaComparePlan * plan, guint picture)
{
  plan->is_extracted[picture] = TRUE;
  plan->selectors[picture] = 0x3210;
  plan->shifts[picture] = 0;
  plan->masks[picture] = 0xffffffff;
}

static void
plan_extracted (HistoCudaComparePlan * plan)
{
  for (guint c = 0; c < plan->n_components; c++) {
    /* In some formats the last V of a row may be missing. */
    const guint width = MAX (plan->components[0][c].width, plan->components[1][c].width);

    plan->strides[c] = (width * plan->bytes + EXTRACTED_ALIGNMENT - 1) / EXTRACTED_ALIGNMENT * EXTRACTED_ALIGNMENT;
    plan->extracted_bytes += (gsize) plan->strides[c] * plan->components[0][c].height;
  }
}

/**
 * histo_cuda_compare_plan:
 * @picture, @reference: of video; each sample of one has one of the other
 * @plan: (out): needs the formats no more
 *
 * Returns: FALSE with a %GST_RESOURCE_ERROR_SETTINGS if the pictures are too large
 */
gboolean
histo_cuda_compare_plan (const HistoCudaLimits * limits, const HistoFormat * picture, const HistoFormat * reference,
    HistoCudaComparePlan * plan, GError ** error)
{
  const HistoFormat *const formats[] = { picture, reference };
  guint depth = 0;

  memset (plan, 0, sizeof *plan);
  plan->limits = *limits;
  plan->n_components = picture->n_components;
  for (guint c = 0; c < plan->n_components; c++) {
    plan->depths[c] = picture->components[c].depth;
    depth = MAX (depth, plan->depths[c]);
  }
  plan->bytes = depth > 8 ? 2 : 1;
  plan->kernel = depth <= 8 ? HISTO_COMPARE_bytes : depth <= 12 ? HISTO_COMPARE_words : HISTO_COMPARE_deep;
  if (picture->width > MOST_COLUMNS || (guint64) picture->width * picture->height /
      (HISTO_COMPARE_BLOCK * HISTO_COMPARE_BLOCK) > HISTO_COMPARE_MOST_WINDOWS) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "Pictures of %ux%u are too large for the CUDA engine", picture->width, picture->height);
    return FALSE;
  }
  for (guint p = 0; p < 2; p++) {
    plan->n_planes[p] = formats[p]->n_planes;
    memcpy (plan->planes[p], formats[p]->planes, sizeof plan->planes[p]);
    for (guint c = 0; c < plan->n_components; c++)
      histo_format_find_samples (formats[p], c, &plan->components[p][c]);
    if (!can_read (plan, p))
      extract (plan, p);
  }
  if (!lie_alike (plan))
    for (guint p = 0; p < 2; p++)
      for (guint c = 0; c < plan->n_components; c++)
        if (is_in_pair (plan, p, c))
          extract (plan, p);
  plan_extracted (plan);
  return TRUE;
}

/* ---- Extraction ------------------------------------------------------------------------------------- */

/**
 * histo_cuda_compare_extract:
 * @picture: 0, or 1: the reference
 * @planes: of its format, in memory of the device
 * @memory: plan->extracted_bytes bytes, where cuMemAlloc () begins
 *
 * Enqueues the kernel that writes the planes of a picture that is extracted; for others nothing.
 */
gboolean
histo_cuda_compare_extract (const HistoCudaKernels * kernels, const HistoCudaComparePlan * plan, guint picture,
    const HistoPlane * planes, CUdeviceptr memory, CUstream stream, GError ** error)
{
  HistoExtractPlanesLaunch launch = {
    .n_components = plan->n_components,
    .bytes = plan->bytes,
  };
  void *parameters[] = { &launch };
  guint64 n_quads = 0;
  guint n_blocks;

  if (!plan->is_extracted[picture])
    return TRUE;
  memcpy (launch.components, plan->components[picture], sizeof launch.components);
  memcpy (launch.planes, planes, plan->n_planes[picture] * sizeof *planes);
  for (guint c = 0; c < plan->n_components; c++) {
    launch.data[c] = memory;
    launch.stride[c] = plan->strides[c];
    memory += (gsize) plan->strides[c] * launch.components[c].height;
    n_quads += (guint64) (launch.components[c].width + 3) / 4 * launch.components[c].height;
  }
  n_blocks = MIN (n_quads / HISTO_EXTRACT_PLANES_THREADS + 1, (guint64) plan->limits.n_multiprocessors *
      (plan->limits.threads_per_multiprocessor / HISTO_EXTRACT_PLANES_THREADS));
  return HISTO_DRIVER_CHECK (kernels->driver, cuLaunchKernel (kernels->extract_planes, n_blocks, 1, 1,
          HISTO_EXTRACT_PLANES_THREADS, 1, 1, 0, stream, parameters, NULL), error);
}

/* ---- The launches of a pair ------------------------------------------------------------------------- */

void
histo_cuda_compare_frame_init (HistoCudaCompareFrame * frame)
{
  frame->launches = g_array_new (FALSE, TRUE, sizeof (HistoCompareLaunch));
  frame->owners = g_array_new (FALSE, FALSE, sizeof (guint));
  frame->n_blocks = 0;
}

void
histo_cuda_compare_frame_clear (HistoCudaCompareFrame * frame)
{
  g_clear_pointer (&frame->launches, g_array_unref);
  g_clear_pointer (&frame->owners, g_array_unref);
}

/* Samples of a component, in one of the pictures. */
typedef struct
{
  guint64 data;                 /* address of the first one */
  gint64 stride;                /* bytes */
  guint period;                 /* bytes from a sample to the next one */
} Samples;

static Samples
find_samples (const HistoCudaComparePlan * plan, guint p, const HistoCudaPicture * picture, guint c,
    const HistoCompareRectangle * rectangle)
{
  Samples samples = { picture->extracted, plan->strides[c], plan->bytes };

  if (plan->is_extracted[p]) {
    for (guint i = 0; i < c; i++)
      samples.data += (guint64) plan->strides[i] * plan->components[p][i].height;
  } else {
    const HistoPlane *plane = &picture->planes[plan->components[p][c].plane];

    samples.data = plane->data;
    samples.stride = plane->stride;
    samples.period = plan->bytes * plane->n_words;
    if (component_of_word (plan, p, c, 0) != c)
      samples.data += plan->bytes;
  }
  samples.data += (gint64) rectangle->y * samples.stride + (guint64) rectangle->x * samples.period;
  return samples;
}

/* The rectangle of the plane whose first component is @c. */
static void
plan_plane (const HistoCudaComparePlan * plan, const HistoCudaPicture pictures[2], guint c,
    const HistoCompareRectangle * rectangle, HistoComparePlane * plane)
{
  guint n_lanes = 0;

  memset (plane, 0, sizeof *plane);
  plane->width = rectangle->width;
  plane->height = rectangle->height;
  plane->is_pair = is_in_pair (plan, 0, c);
  plane->is_aligned = TRUE;
  plane->c1 = (gint64) histo_ssim_constant (plan->depths[c], 1);
  plane->c2 = (gint64) histo_ssim_constant (plan->depths[c], 2);
  for (guint p = 0; p < 2; p++) {
    const Samples samples = find_samples (plan, p, &pictures[p], c, rectangle);

    plane->data[p] = samples.data;
    plane->stride[p] = samples.stride;
    plane->is_aligned &= plane->data[p] % HISTO_COMPARE_LANE_BYTES == 0
        && plane->stride[p] % HISTO_COMPARE_LANE_BYTES == 0;
    n_lanes = histo_compare_lanes ((guint64) plane->width * samples.period);
  }
  /* The last strip has one lane more. */
  plane->n_strips = MAX (1, (n_lanes - 1 + HISTO_COMPARE_LANES - 1) / HISTO_COMPARE_LANES);
}

static guint
count_block_rows (const HistoComparePlane * plane)
{
  return (plane->height + HISTO_COMPARE_BLOCK - 1) / HISTO_COMPARE_BLOCK;
}

static guint64
weigh (const HistoComparePlane * plane)
{
  return (guint64) plane->n_strips * count_block_rows (plane) * (plane->is_pair ? PAIR_WEIGHT : SINGLE_WEIGHT);
}

/* Divides the blocks that the device runs at the same time among the planes of a launch. */
static void
share_blocks (const HistoCudaComparePlan * plan, HistoCompareLaunch * launch)
{
  const guint64 all = (guint64) plan->limits.n_multiprocessors * BLOCKS_OF_MULTIPROCESSOR;
  guint64 weight = 0;

  for (guint p = 0; p < launch->n_planes; p++)
    weight += weigh (&launch->planes[p]);
  for (guint p = 0; p < launch->n_planes; p++) {
    HistoComparePlane *plane = &launch->planes[p];
    const guint n = count_block_rows (plane);
    const guint least = (n + HISTO_COMPARE_MOST_BLOCK_ROWS * HISTO_COMPARE_WARPS - 1)
        / (HISTO_COMPARE_MOST_BLOCK_ROWS * HISTO_COMPARE_WARPS);
    const guint most = (n + LEAST_BLOCK_ROWS * HISTO_COMPARE_WARPS - 1) / (LEAST_BLOCK_ROWS * HISTO_COMPARE_WARPS);
    const guint chunks = CLAMP (all * weigh (plane) / weight / plane->n_strips, least, most);
    const guint n_warps = chunks * HISTO_COMPARE_WARPS;

    plane->block_rows = n / n_warps;
    plane->n_longer = n % n_warps;
    launch->first_block[p + 1] = launch->first_block[p] + chunks * plane->n_strips;
  }
}

/**
 * histo_cuda_compare_plan_frame:
 * @pictures: planes of those that are extracted are not used
 * @rectangles: for each region one for each component; those of no samples have no launch
 */
void
histo_cuda_compare_plan_frame (const HistoCudaComparePlan * plan, const HistoCudaPicture pictures[2],
    const HistoCompareRectangle * rectangles, guint n_regions, gboolean has_ssim, HistoCudaCompareFrame * frame)
{
  HistoCompareLaunch *launch = NULL;

  g_array_set_size (frame->launches, 0);
  g_array_set_size (frame->owners, 0);
  frame->n_blocks = 0;
  for (guint r = 0; r < n_regions; r++)
    for (guint c = 0; c < plan->n_components; c++) {
      const guint number = r * plan->n_components + c, other = component_of_word (plan, 0, c, 1);
      const guint owners[] = { number, r * plan->n_components + other };

      /* A pair has the place of its first component. */
      if (rectangles[number].width == 0 || rectangles[number].height == 0
          || component_of_word (plan, 0, c, 0) != c)
        continue;
      if (launch == NULL || launch->n_planes == HISTO_COMPARE_PLANES) {
        g_array_set_size (frame->launches, frame->launches->len + 1);
        launch = &g_array_index (frame->launches, HistoCompareLaunch, frame->launches->len - 1);
        launch->has_ssim = has_ssim;
        memcpy (launch->selector, plan->selectors, sizeof launch->selector);
        memcpy (launch->shift, plan->shifts, sizeof launch->shift);
        memcpy (launch->mask, plan->masks, sizeof launch->mask);
      }
      plan_plane (plan, pictures, c, &rectangles[number], &launch->planes[launch->n_planes++]);
      g_array_append_vals (frame->owners, owners, 2);
    }
  for (guint i = 0; i < frame->launches->len; i++) {
    launch = &g_array_index (frame->launches, HistoCompareLaunch, i);
    share_blocks (plan, launch);
    launch->result = histo_cuda_compare_result_bytes (frame);
    frame->n_blocks += launch->first_block[launch->n_planes];
  }
}

/**
 * histo_cuda_compare_launch:
 * @result: histo_cuda_compare_result_bytes() bytes of page-locked memory
 */
gboolean
histo_cuda_compare_launch (const HistoCudaKernels * kernels, const HistoCudaComparePlan * plan,
    const HistoCudaCompareFrame * frame, CUdeviceptr result, CUstream stream, GError ** error)
{
  for (guint i = 0; i < frame->launches->len; i++) {
    HistoCompareLaunch launch = g_array_index (frame->launches, HistoCompareLaunch, i);
    void *parameters[] = { &launch };

    launch.result += result;
    if (!HISTO_DRIVER_CHECK (kernels->driver, cuLaunchKernel (kernels->compare[plan->kernel],
                launch.first_block[launch.n_planes], 1, 1, HISTO_COMPARE_THREADS, 1, 1, 0, stream, parameters, NULL),
            error))
      return FALSE;
  }
  return TRUE;
}

static void
join (HistoCompareSums * sums, const HistoCompareSums * part)
{
  guint64 *to = (guint64 *) sums;
  const guint64 *from = (const guint64 *) part;

  for (guint i = 0; i < HISTO_COMPARE_N_SUMS; i++)
    to[i] = histo_compare_join (i, to[i], from[i]);
}

/**
 * histo_cuda_compare_join:
 * @result: what the launches have left
 * @sums: (inout): for each rectangle, zeroed
 */
void
histo_cuda_compare_join (const HistoCudaCompareFrame * frame, const HistoCompareSums * result, HistoCompareSums * sums)
{
  const guint *owners = (const guint *) frame->owners->data;

  for (guint i = 0; i < frame->launches->len; i++) {
    const HistoCompareLaunch *launch = &g_array_index (frame->launches, HistoCompareLaunch, i);

    for (guint p = 0; p < launch->n_planes; p++, owners += 2)
      for (guint block = launch->first_block[p]; block < launch->first_block[p + 1]; block++, result += 2)
        for (guint c = 0; c < (launch->planes[p].is_pair ? 2 : 1); c++)
          join (&sums[owners[c]], &result[c]);
  }
}

/* ---- XPSNR ------------------------------------------------------------------------------------------ */

/* Whether the words of all samples lie at even addresses. */
static gboolean
is_even (const Samples * samples)
{
  return samples->data % 2 == 0 && samples->stride % 2 == 0;
}

/* Whether four bytes that are samples can be read at once, from a block's first column on. */
static gboolean
has_words (const Samples * samples, guint side_x)
{
  return samples->period == 1 && samples->data % 4 == 0 && samples->stride % 4 == 0 && side_x % 4 == 0;
}

/**
 * histo_cuda_compare_launch_xpsnr:
 * @before: of the reference, the frame before and the one before that
 * @rectangles: of all components of a region, with samples
 * @grid: of the region
 * @leading: see histo_compared_leading()
 * @is_second: the change is that of the change
 * @result: a #HistoXpsnrBlock for each block of the grid, in page-locked memory
 */
gboolean
histo_cuda_compare_launch_xpsnr (const HistoCudaKernels * kernels, const HistoCudaComparePlan * plan,
    const HistoCudaPicture pictures[2], const HistoCudaPicture before[2], const HistoCompareRectangle * rectangles,
    const HistoXpsnrGrid * grid, guint leading, gboolean is_second, CUdeviceptr result, CUstream stream, GError ** error)
{
  HistoXpsnrLaunch launch = {
    .grid = *grid,
    .n_components = MIN (plan->n_components, HISTO_XPSNR_COMPONENTS),
    .leading = leading,
    .is_second = is_second,
    .is_aligned = TRUE,
    .result = result,
  };
  void *parameters[] = { &launch };

  for (guint c = 0; c < launch.n_components; c++) {
    launch.width[c] = rectangles[c].width;
    launch.height[c] = rectangles[c].height;
    launch.side_x[c] = grid->side == 0 ? launch.width[c] : histo_xpsnr_side (grid->side, launch.width[c], grid->width);
    launch.side_y[c] = grid->side == 0 ? launch.height[c] : histo_xpsnr_side (grid->side, launch.height[c], grid->height);
    launch.has_words[c] = TRUE;
    for (guint p = 0; p < 2; p++) {
      const Samples samples = find_samples (plan, p, &pictures[p], c, &rectangles[c]);

      launch.data[p][c] = samples.data;
      launch.stride[p][c] = samples.stride;
      /* Both pictures have the same one. */
      launch.period[c] = samples.period;
      launch.is_aligned &= is_even (&samples);
      launch.has_words[c] &= has_words (&samples, launch.side_x[c]);
    }
  }
  for (guint p = 0; p < 2; p++) {
    launch.selector[p] = plan->selectors[p];
    launch.shift[p] = plan->shifts[p];
    launch.mask[p] = plan->masks[p] & 0xffff;
    if (before[p].planes != NULL) {
      const Samples samples = find_samples (plan, 1, &before[p], leading, &rectangles[leading]);

      launch.before[p] = samples.data;
      launch.before_stride[p] = samples.stride;
      launch.is_aligned &= is_even (&samples);
    }
  }
  return HISTO_DRIVER_CHECK (kernels->driver, cuLaunchKernel (plan->bytes == 1 ? kernels->xpsnr_bytes :
          kernels->xpsnr_words, grid->columns, grid->rows, 1, HISTO_XPSNR_THREADS, 1, 1, 0, stream, parameters, NULL),
      error);
}
