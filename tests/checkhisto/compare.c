/* Tests of the kernels that compare two pictures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "checkhisto.h"

#include <math.h>
#include <string.h>

#include "compare/blocks.h"
#include "engine/cuda/compare.h"
#include "frame.h"

/* ---- Formats ---------------------------------------------------------------------------------------- */

static HistoFormat *
new_format (GstVideoFormat number, guint width, guint height)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, gst_video_format_to_string (number),
      "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, NULL);
  HistoFormat *format = histo_format_new (caps, NULL);

  gst_caps_unref (caps);
  if (format != NULL && format->needs_unpack)
    g_clear_pointer (&format, histo_format_unref);
  return format;
}

/* Whether each sample of one has one of the other. */
static gboolean
are_alike (const HistoFormat * a, const HistoFormat * b)
{
  gboolean alike = a->n_components == b->n_components && a->colors == b->colors
      && a->chroma_w_sub == b->chroma_w_sub && a->chroma_h_sub == b->chroma_h_sub;

  for (guint c = 0; c < a->n_components && alike; c++)
    alike = a->components[c].depth == b->components[c].depth;
  return alike;
}

/* Any other format with the same samples, or the same format. */
static HistoFormat *
new_format_like (const HistoFormat * format)
{
  guint n;
  const GstVideoFormat *formats = gst_video_formats_raw (&n);
  const guint first = check_random (n);

  for (guint i = 0; i < n; i++) {
    HistoFormat *other = new_format (formats[(first + i) % n], format->width, format->height);

    if (other != NULL && are_alike (format, other))
      return other;
    g_clear_pointer (&other, histo_format_unref);
  }
  g_assert_not_reached ();
}

/* ---- Content ---------------------------------------------------------------------------------------- */

/* Sample x of row y of a component of a frame, and where it lies. */
static guint8 *
find_sample (const Frame * frame, guint c, guint x, guint y, const HistoPlane ** plane, const HistoSample ** sample)
{
  HistoComponentSamples found;

  histo_format_find_samples (&frame->format, c, &found);
  *plane = &frame->planes[found.plane];
  *sample = &(*plane)->samples[found.samples[x % found.n_samples]];
  return frame->slabs[found.plane].host + frame->slabs[found.plane].first + (gint64) y * (*plane)->stride
      + (gsize) (x / found.n_samples) * (*plane)->period_bytes + (*sample)->offset;
}

static guint
byte_of (const HistoPlane * plane, const HistoSample * sample, guint i)
{
  return plane->big_endian ? sample->bytes - 1 - i : i;
}

static void
write_sample (const Frame * frame, guint c, guint x, guint y, guint32 value)
{
  const HistoPlane *plane;
  const HistoSample *sample;
  guint8 *at = find_sample (frame, c, x, y, &plane, &sample);
  guint32 word = 0;

  for (guint i = 0; i < sample->bytes; i++)
    word |= (guint32) at[byte_of (plane, sample, i)] << 8 * i;
  word = (word & ~(sample->mask << sample->shift)) | (value & sample->mask) << sample->shift;
  for (guint i = 0; i < sample->bytes; i++)
    at[byte_of (plane, sample, i)] = word >> 8 * i;
}

/* A picture, and the samples of a row of each component. In some formats the last V of a row may be missing. */
typedef struct
{
  ReferencePicture picture;
  guint columns[HISTO_MAX_COMPONENTS];
} Samples;

static void
samples_init (Samples * samples, const Frame * frame)
{
  frame_read (frame, &samples->picture);
  for (guint c = 0; c < frame->format.n_components; c++) {
    HistoComponentSamples found;

    histo_format_find_samples (&frame->format, c, &found);
    samples->columns[c] = found.width;
  }
}

static guint32
sample_of (const Samples * samples, guint c, guint x, guint y)
{
  return samples->picture.samples[c][(gsize) y * samples->columns[c] + x];
}

/* Makes the samples of @frame those of another picture but for some, which differ by a little or by anything. */
static void
fill_like (const Frame * frame, const Samples * samples)
{
  const guint of_ten = check_random (12), most = check_chance (2) ? 3 : 0xffff;

  for (guint c = 0; c < frame->format.n_components; c++) {
    const guint32 mask = (1u << frame->format.components[c].depth) - 1;
    HistoComponentSamples found;

    histo_format_find_samples (&frame->format, c, &found);
    for (guint y = 0; y < found.height; y++)
      for (guint x = 0; x < found.width; x++) {
        const gboolean changes = of_ten > 0 && (check_random (10) < of_ten - 1 || check_chance (100));

        write_sample (frame, c, x, y, (sample_of (samples, c, MIN (x, samples->columns[c] - 1), y)
                + (changes ? check_random (most + 1) : 0)) & mask);
      }
  }
}

/* ---- A plain reference ------------------------------------------------------------------------------ */

typedef struct
{
  guint64 sse, different, max_difference, n_windows;
  guint first_x, first_y, after_x, after_y;
  gdouble ssim;
} Expected;

static gdouble
window_of (const Samples * a, const Samples * b, guint c, guint depth, guint x, guint y)
{
  gdouble of_a = 0, of_b = 0, squares = 0, products = 0;

  for (guint i = 0; i < 64; i++) {
    const gdouble p = sample_of (a, c, x + i % 8, y + i / 8), q = sample_of (b, c, x + i % 8, y + i / 8);

    of_a += p;
    of_b += q;
    squares += p * p + q * q;
    products += p * q;
  }
  return histo_ssim (of_a, of_b, squares, products, histo_ssim_constant (depth, 1), histo_ssim_constant (depth, 2));
}

static void
expect (const Samples * a, const Samples * b, guint c, guint depth,
    const HistoCompareRectangle * r, Expected * expected)
{
  memset (expected, 0, sizeof *expected);
  for (guint y = r->y; y < r->y + r->height; y++)
    for (guint x = r->x; x < r->x + r->width; x++) {
      const gint64 change = (gint64) sample_of (a, c, x, y) - sample_of (b, c, x, y);

      if (change == 0)
        continue;
      expected->first_x = expected->different == 0 ? x : MIN (expected->first_x, x);
      expected->first_y = expected->different == 0 ? y : MIN (expected->first_y, y);
      expected->after_x = MAX (expected->after_x, x + 1);
      expected->after_y = MAX (expected->after_y, y + 1);
      expected->different++;
      expected->sse += change * change;
      expected->max_difference = MAX (expected->max_difference, (guint64) ABS (change));
    }
  for (guint y = r->y; y + 8 <= r->y + r->height; y += 4)
    for (guint x = r->x; x + 8 <= r->x + r->width; x += 4) {
      expected->ssim += window_of (a, b, c, depth, x, y);
      expected->n_windows++;
    }
}

static gboolean
is_right (CheckCase * c, guint region, guint component, const HistoCompareRectangle * r, const HistoCompareSums * found,
    const Expected * expected, gboolean has_ssim)
{
  const gdouble ssim = (gdouble) (gint64) found->ssim / (1ull << HISTO_COMPARE_SSIM_SHIFT);

  if (found->sse != expected->sse || found->different != expected->different
      || found->max_difference != expected->max_difference)
    return check_fail (c, "region %u, component %u: sse %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " different, at most %"
        G_GUINT64_FORMAT "; not %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT, region, component,
        found->sse, found->different, found->max_difference, expected->sse, expected->different,
        expected->max_difference);
  if (expected->different > 0 && (r->x + r->width - found->before_x != expected->first_x
          || r->y + r->height - found->before_y != expected->first_y || r->x + found->after_x != expected->after_x
          || r->y + found->after_y != expected->after_y))
    return check_fail (c, "region %u, component %u: the rectangle is wrong", region, component);
  if (has_ssim ? fabs (ssim - expected->ssim) > 1e-10 * expected->n_windows : found->ssim != 0)
    return check_fail (c, "region %u, component %u: the sum of %" G_GUINT64_FORMAT " windows is %.12g, not %.12g", region,
        component, expected->n_windows, ssim, expected->ssim);
  return TRUE;
}

/* ---- A pair ----------------------------------------------------------------------------------------- */

typedef struct
{
  HistoCudaKernels kernels;     /* with the limits of the case */
  HistoCudaComparePlan plan;
  Frame frames[2];
  CUdeviceptr extracted[2];
  HistoCudaCompareFrame launches;
  CheckResult result;
} Pair;

/* Plans and launches the comparison of the rectangles. */
static void
pair_launch (Pair * pair, const HistoCompareRectangle * rectangles, guint n_regions, gboolean has_ssim)
{
  const HistoCudaPicture pictures[] = { {pair->frames[0].planes, pair->extracted[0]},
  {pair->frames[1].planes, pair->extracted[1]}
  };
  GError *error = NULL;

  if (pair->launches.launches == NULL) {
    histo_cuda_compare_frame_init (&pair->launches);
    histo_cuda_compare_plan_frame (&pair->plan, pictures, rectangles, n_regions, has_ssim,
        &pair->launches);
    check_result_init (&pair->result, histo_cuda_compare_result_bytes (&pair->launches));
  }
  for (guint p = 0; p < 2; p++)
    if (!histo_cuda_compare_extract (&pair->kernels, &pair->plan, p, pictures[p].planes, pictures[p].extracted,
            check_device.stream,
            &error))
      g_error ("%s", error->message);
  if (!histo_cuda_compare_launch (&pair->kernels, &pair->plan, &pair->launches, pair->result.device, check_device.stream,
          &error))
    g_error ("%s", error->message);
}

/* @formats: alike */
static void
pair_init (Pair * pair, HistoFormat * const formats[2], Strides strides, const HistoCudaLimits * limits)
{
  GError *error = NULL;

  memset (pair, 0, sizeof *pair);
  pair->kernels = check_device.kernels;
  pair->kernels.limits = *limits;
  if (!histo_cuda_compare_plan (limits, formats[0], formats[1], &pair->plan, &error))
    g_error ("%s", error->message);
  for (guint p = 0; p < 2; p++) {
    frame_init (&pair->frames[p], formats[p], strides);
    pair->extracted[p] = pair->plan.is_extracted[p] ? check_alloc_poisoned (pair->plan.extracted_bytes) : 0;
  }
}

static void
pair_clear (Pair * pair)
{
  check_device_wait ();
  for (guint p = 0; p < 2; p++) {
    frame_clear (&pair->frames[p]);
    if (pair->extracted[p] != 0)
      check_free (pair->extracted[p]);
  }
  if (pair->launches.launches != NULL)
    check_result_clear (&pair->result);
  histo_cuda_compare_frame_clear (&pair->launches);
}

/* Rectangles of all components: of the picture, and of any others. Some have no samples. */
static HistoCompareRectangle *
new_rectangles (const Samples pictures[2], const HistoFormat * format, guint n_regions)
{
  HistoCompareRectangle *rectangles = g_new0 (HistoCompareRectangle, n_regions * format->n_components);

  for (guint r = 0; r < n_regions; r++) {
    ReferenceRectangle region = { 0, 0, format->width, format->height };

    if (r > 0) {
      region.x = check_random (format->width);
      region.y = check_random (format->height);
      region.width = check_random (format->width - region.x + 1);
      region.height = check_random (format->height - region.y + 1);
    }
    for (guint c = 0; c < format->n_components && region.width > 0 && region.height > 0; c++) {
      const ReferenceRectangle of_component = reference_picture_samples_of (&pictures[0].picture, c, &region);
      const guint columns = MIN (pictures[0].columns[c], pictures[1].columns[c]);

      rectangles[r * format->n_components + c] = (HistoCompareRectangle) { of_component.x, of_component.y,
        MIN (of_component.width, columns - MIN (of_component.x, columns)), of_component.height };
    }
  }
  return rectangles;
}

/* Random pictures of the formats. */
static CheckOutcome
check_pair (CheckCase * c, HistoFormat * const formats[2])
{
  const guint n_regions = check_chance (2) ? 1 : check_chance (6) ? 40 : 1 + check_random (4);
  const guint n_components = formats[0]->n_components;
  const gboolean has_ssim = !check_chance (4);
  const HistoCudaLimits limits = check_random_limits ();
  HistoCompareSums *sums = g_new0 (HistoCompareSums, n_regions * n_components);
  HistoCompareRectangle *rectangles;
  Samples pictures[2];
  gboolean ok = TRUE;
  Pair pair;

  pair_init (&pair, formats, check_chance (4) ? STRIDES_NONE : STRIDES_ANY, &limits);
  for (guint p = 0; p < 2; p++)
    frame_fill (&pair.frames[p], check_random (N_CONTENTS));
  samples_init (&pictures[0], &pair.frames[0]);
  if (!check_chance (4))
    fill_like (&pair.frames[1], &pictures[0]);
  samples_init (&pictures[1], &pair.frames[1]);
  for (guint p = 0; p < 2; p++)
    frame_upload (&pair.frames[p]);
  rectangles = new_rectangles (pictures, formats[0], n_regions);
  for (guint i = 0; i < (check_chance (4) ? 2 : 1); i++)
    pair_launch (&pair, rectangles, n_regions, has_ssim);
  check_device_wait ();
  histo_cuda_compare_join (&pair.launches, pair.result.host, sums);
  for (guint r = 0; r < n_regions && ok; r++)
    for (guint k = 0; k < n_components && ok; k++) {
      const HistoCompareRectangle *rectangle = &rectangles[r * n_components + k];
      Expected expected;

      expect (&pictures[0], &pictures[1], k, formats[0]->components[k].depth, rectangle, &expected);
      ok = is_right (c, r, k, rectangle, &sums[r * n_components + k], &expected, has_ssim);
      if (!ok)
        check_fail (c, "at %u,%u, %ux%u", rectangle->x, rectangle->y, rectangle->width, rectangle->height);
    }
  if (ok && !check_result_intact (&pair.result))
    ok = check_fail (c, "the memory around the result was written to");
  for (guint p = 0; p < 2; p++) {
    if (!ok) {
      check_fail (c, "%s %s", p == 0 ? "picture" : "reference", pair.plan.is_extracted[p] ? "(extracted)" : "");
      frame_describe (&pair.frames[p], c->text);
    }
    reference_picture_clear (&pictures[p].picture);
  }
  pair_clear (&pair);
  g_free (rectangles);
  g_free (sums);
  return ok ? CHECK_OK : CHECK_FAILED;
}

/* ---- The tests -------------------------------------------------------------------------------------- */

static guint
random_length (void)
{
  const guint most = check_device.is_simulated ? 300 : 1500;

  return 1 + check_random (check_chance (3) ? 24 : check_chance (2) ? 140 : most);
}

static CheckOutcome
run_format (CheckCase * c)
{
  HistoFormat *formats[2] = { new_format (GPOINTER_TO_UINT (c->data), random_length (), random_length ()), NULL };
  CheckOutcome outcome;

  /* Too narrow for the format. */
  if (formats[0] == NULL)
    return CHECK_OK;
  formats[1] = check_chance (2) ? histo_format_ref (formats[0]) : new_format_like (formats[0]);
  outcome = check_pair (c, formats);
  for (guint p = 0; p < 2; p++)
    histo_format_unref (formats[p]);
  return outcome;
}

/* ---- XPSNR ------------------------------------------------------------------------------------------ */

/* A pair, and two frames of the reference before. */
typedef struct
{
  Pair pair;
  Frame before[2];
  CheckResult result;
  HistoXpsnrGrid grid;
} Weighed;

static void
weighed_init (Weighed * weighed, HistoFormat * format, Strides strides, const HistoCudaLimits * limits)
{
  HistoFormat *const formats[] = { format, format };

  memset (weighed, 0, sizeof *weighed);
  pair_init (&weighed->pair, formats, strides, limits);
  for (guint i = 0; i < 2; i++)
    frame_init (&weighed->before[i], format, strides);
  weighed->grid = histo_xpsnr_grid (format->width, format->height);
  check_result_init (&weighed->result, (gsize) weighed->grid.columns * weighed->grid.rows * sizeof (HistoXpsnrBlock));
}

static void
weighed_clear (Weighed * weighed)
{
  pair_clear (&weighed->pair);
  for (guint i = 0; i < 2; i++)
    frame_clear (&weighed->before[i]);
  check_result_clear (&weighed->result);
}

/* @n_before: frames before that there are */
static void
weighed_launch (Weighed * weighed, guint n_before, gboolean is_second)
{
  const HistoFormat *format = &weighed->pair.frames[0].format;
  HistoCompareRectangle rectangles[HISTO_MAX_COMPONENTS];
  HistoCudaPicture pictures[2], before[2] = { {NULL, 0}, {NULL, 0} };
  GError *error = NULL;

  for (guint i = 0; i < 2; i++) {
    pictures[i] = (HistoCudaPicture) { weighed->pair.frames[i].planes, weighed->pair.extracted[i] };
    if (i < n_before)
      before[i].planes = weighed->before[i].planes;
  }
  for (guint c = 0; c < format->n_components; c++) {
    HistoComponentSamples found;

    histo_format_find_samples (format, c, &found);
    rectangles[c] = (HistoCompareRectangle) { 0, 0, found.width, found.height };
  }
  if (!histo_cuda_compare_launch_xpsnr (&weighed->pair.kernels, &weighed->pair.plan, pictures, before, rectangles,
          &weighed->grid, 0, is_second, weighed->result.device, check_device.stream, &error))
    g_error ("%s", error->message);
}

/* The plane of component @c as the CPU engine has it: planes of the formats here are regular. */
static HistoPlane
host_plane (const Frame * frame, guint c)
{
  HistoPlane plane = frame->planes[c];

  plane.data = (guint64) (guintptr) (frame->slabs[c].host + frame->slabs[c].first);
  return plane;
}

/* What the CPU engine counts, which has a plain reference of its own (tests/unit/compare.c). */
static HistoXpsnrBlock *
count_blocks (const Weighed * weighed, guint n_before, gboolean is_second)
{
  const HistoFormat *format = &weighed->pair.frames[0].format;
  const HistoXpsnrGrid *grid = &weighed->grid;
  HistoXpsnrBlock *blocks = g_new0 (HistoXpsnrBlock, grid->columns * grid->rows);
  HistoComparisonScratch scratch = { NULL, 0 };
  HistoPlane reference = host_plane (&weighed->pair.frames[1], 0);
  HistoPlane before = host_plane (&weighed->before[0], 0), before_that = host_plane (&weighed->before[1], 0);

  for (guint row = 0; row < grid->rows; row++)
    for (guint c = 0; c < MIN (format->n_components, HISTO_XPSNR_COMPONENTS); c++) {
      HistoXpsnrBlock *of_row = blocks + row * grid->columns;
      const HistoPlane a = host_plane (&weighed->pair.frames[0], c), b = host_plane (&weighed->pair.frames[1], c);
      HistoComponentSamples found;
      HistoBlocksPart part = {.is_wide = weighed->pair.plan.bytes == 2,.depth = format->components[c].depth };

      histo_format_find_samples (format, c, &found);
      part.width = found.width;
      part.height = found.height;
      if (c == 0)
        histo_blocks_add_activity (grid, &part, &reference, n_before > 0 ? &before : NULL,
            n_before > 1 ? &before_that : NULL, is_second, row, &scratch, of_row);
      histo_blocks_add_errors (grid, &part, &a, &b, c, row, &scratch, of_row);
    }
  histo_comparison_scratch_clear (&scratch);
  return blocks;
}

static CheckOutcome
run_xpsnr (CheckCase * c)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_Y42B, GST_VIDEO_FORMAT_Y444,
    GST_VIDEO_FORMAT_I420_10LE, GST_VIDEO_FORMAT_Y444_12LE, GST_VIDEO_FORMAT_Y444_16LE, GST_VIDEO_FORMAT_A420
  };
  /* One is filtered in cells. */
  const gboolean is_large = c->number == 0;
  HistoFormat *format = is_large ? new_format (GST_VIDEO_FORMAT_GRAY8, 2101, 1133) :
      new_format (formats[c->number % G_N_ELEMENTS (formats)], random_length (), random_length ());
  const HistoCudaLimits limits = check_random_limits ();
  const guint n_before = check_random (3);
  /* In turn: few cases have both. */
  const gboolean is_second = c->number % 2 == 0;
  HistoXpsnrBlock *expected;
  const guint64 *found;
  gboolean ok = TRUE;
  Weighed weighed;

  /* The CPU engine reads words at even addresses alone. */
  weighed_init (&weighed, format, format->components[0].depth > 8 || check_chance (3) ? STRIDES_NONE : STRIDES_ANY,
      &limits);
  for (guint i = 0; i < 2; i++) {
    frame_fill (&weighed.pair.frames[i], check_random (N_CONTENTS));
    frame_upload (&weighed.pair.frames[i]);
    frame_fill (&weighed.before[i], check_random (N_CONTENTS));
    frame_upload (&weighed.before[i]);
  }
  weighed_launch (&weighed, n_before, is_second);
  check_device_wait ();
  expected = count_blocks (&weighed, n_before, is_second);
  found = weighed.result.host;
  for (guint i = 0; i < weighed.grid.columns * weighed.grid.rows * sizeof *expected / sizeof *found && ok; i++)
    if (found[i] != ((guint64 *) expected)[i])
      ok = check_fail (c, "%s, %ux%u, %u frames before%s: number %u of block %u is %" G_GUINT64_FORMAT ", not %"
          G_GUINT64_FORMAT, histo_format_name (format), format->width, format->height, n_before,
          is_second ? ", fast" : "", i % 5, i / 5, found[i], ((guint64 *) expected)[i]);
  ok = ok && (check_result_intact (&weighed.result) || check_fail (c, "the memory around the result was written to"));
  g_free (expected);
  weighed_clear (&weighed);
  histo_format_unref (format);
  return ok ? CHECK_OK : CHECK_FAILED;
}

/* ---- Benches ---------------------------------------------------------------------------------------- */

#define BENCH_WIDTH 3840
#define BENCH_HEIGHT 2160

typedef struct
{
  Pair pair;
  HistoCompareRectangle rectangles[HISTO_MAX_COMPONENTS];
} Bench;

static gpointer
bench_new (gconstpointer data, guint64 * bytes)
{
  const guint width = check_device.is_simulated ? 64 : BENCH_WIDTH, height = check_device.is_simulated ? 64 : BENCH_HEIGHT;
  HistoFormat *format = new_format (GPOINTER_TO_UINT (data), width, height);
  HistoFormat *const formats[] = { format, format };
  Bench *bench = g_new0 (Bench, 1);

  pair_init (&bench->pair, formats, STRIDES_NONE, &check_device.kernels.limits);
  *bytes = 0;
  for (guint p = 0; p < 2; p++) {
    frame_fill (&bench->pair.frames[p], CONTENT_RANDOM);
    frame_upload (&bench->pair.frames[p]);
    for (guint i = 0; i < format->n_planes; i++)
      *bytes += bench->pair.frames[p].slabs[i].size;
  }
  for (guint c = 0; c < format->n_components; c++) {
    HistoComponentSamples found;

    histo_format_find_samples (format, c, &found);
    bench->rectangles[c] = (HistoCompareRectangle) { 0, 0, found.width, found.height };
  }
  histo_format_unref (format);
  return bench;
}

static void
bench_launch (gpointer data)
{
  Bench *bench = data;

  pair_launch (&bench->pair, bench->rectangles, 1, TRUE);
}

static void
bench_free (gpointer data)
{
  Bench *bench = data;

  pair_clear (&bench->pair);
  g_free (bench);
}

/* XPSNR beside all else, with two frames before. */
static gpointer
xpsnr_bench_new (gconstpointer data, guint64 * bytes)
{
  const guint width = check_device.is_simulated ? 64 : BENCH_WIDTH, height = check_device.is_simulated ? 64 : BENCH_HEIGHT;
  HistoFormat *format = new_format (GST_VIDEO_FORMAT_NV12, width, height);
  Weighed *weighed = g_new0 (Weighed, 1);

  weighed_init (weighed, format, STRIDES_NONE, &check_device.kernels.limits);
  for (guint i = 0; i < 2; i++) {
    frame_fill (&weighed->pair.frames[i], CONTENT_RANDOM);
    frame_upload (&weighed->pair.frames[i]);
    frame_fill (&weighed->before[i], CONTENT_RANDOM);
    frame_upload (&weighed->before[i]);
  }
  *bytes = (guint64) width * height * 5;
  histo_format_unref (format);
  return weighed;
}

static void
xpsnr_bench_launch (gpointer data)
{
  Weighed *weighed = data;
  HistoCompareRectangle rectangles[HISTO_MAX_COMPONENTS];

  for (guint c = 0; c < weighed->pair.plan.n_components; c++) {
    HistoComponentSamples found;

    histo_format_find_samples (&weighed->pair.frames[0].format, c, &found);
    rectangles[c] = (HistoCompareRectangle) { 0, 0, found.width, found.height };
  }
  pair_launch (&weighed->pair, rectangles, 1, TRUE);
  weighed_launch (weighed, 2, TRUE);
}

static void
xpsnr_bench_free (gpointer data)
{
  weighed_clear (data);
  g_free (data);
}

void
check_add_compare_tests (void)
{
  static const CheckTest xpsnr = {
    .name = (gchar *) "compare.xpsnr",.n_cases = 60,.least_cases = 15,.run = run_xpsnr,
    .bench_new = xpsnr_bench_new,.bench_launch = xpsnr_bench_launch,.bench_free = xpsnr_bench_free
  };
  guint n;
  const GstVideoFormat *formats = gst_video_formats_raw (&n);

  check_add_test (&xpsnr);
  for (guint i = 0; i < n; i++) {
    HistoFormat *format = new_format (formats[i], 16, 16);
    CheckTest test = {
      .n_cases = 12, .run = run_format, .bench_new = bench_new, .bench_launch = bench_launch, .bench_free = bench_free,
      .data = GUINT_TO_POINTER (formats[i]),
    };

    if (format != NULL) {
      test.name = g_strdup_printf ("compare.%s", gst_video_format_to_string (formats[i]));
      check_add_test (&test);
    }
    g_clear_pointer (&format, histo_format_unref);
  }
}
