/* Tests of the kernels that count frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "checkhisto.h"

#include <math.h>
#include <string.h>

#include "engine/cuda/tuning.h"
#include "frame.h"
#include "measures/statistics.h"

/* ---- A launch and what it must leave ------------------------------------------------- */

typedef struct
{
  Frame *frame;
  HistoCudaKernels kernels;     /* with the limits of the case */
  CheckResult result;
  CUdeviceptr scratch;
  gsize counters_size;          /* of scratch, zero between launches */
} Launch;

static void
launch_init (Launch * launch, Frame * frame, const HistoCudaLimits * limits)
{
  gsize scratch_size;

  launch->frame = frame;
  launch->kernels = check_device.kernels;
  launch->kernels.limits = *limits;
  scratch_size = histo_cuda_plan_video_scratch (&launch->kernels.limits,
      &frame->format, frame->format.n_bins);
  launch->counters_size =
      histo_cuda_plan_video_counters (&launch->kernels.limits,
      frame->format.n_bins);
  launch->scratch = check_alloc_zeroed (scratch_size);
  check_poison (launch->scratch + launch->counters_size,
      scratch_size - launch->counters_size);
  check_result_init (&launch->result,
      histo_cuda_plan_video_result (&launch->kernels.limits, &frame->format,
          frame->format.n_bins));
  check_device_wait ();
}

static void
launch_clear (Launch * launch)
{
  check_device_wait ();
  check_free (launch->scratch);
  check_result_clear (&launch->result);
}

static void
launch_once (Launch * launch)
{
  HistoVideoLaunch parameters = {
    .n_planes = launch->frame->format.n_planes,
    .n_bins = launch->frame->format.n_bins,
    .scratch = launch->scratch,
    .result = launch->result.device,
  };
  GError *error = NULL;

  memcpy (parameters.planes, launch->frame->planes, sizeof parameters.planes);
  if (histo_cuda_launch_video (&launch->kernels, &parameters,
          check_device.stream, &error))
    return;
  g_error ("%s", error->message);
}

/* The totals of the blocks of a component's counters, and all figures that follow from them: these are
 * equal to the last bit to those that the host finds in the counters. */
static gboolean
check_totals (CheckCase * c, const HistoHalves * halves, const guint32 * expected)
{
  const HistoBins bins = { .native_bin = NULL };
  HistoFigures figures, expected_figures;
  HistoHistogram histogram;

  histo_histogram_init (&histogram, expected, HISTO_PACKED_BINS);
  histo_statistics_from_native (&expected_figures, &histogram, &bins, NULL);
  for (guint b = 0; b < HISTO_N_HALVES_BLOCKS; b++) {
    const HistoBlockTotals *found = &halves->blocks[b];
    HistoBlockTotals plain = { 0, };

    for (guint i = 0; i < HISTO_HALVES_BLOCK; i++) {
      const guint64 n = expected[b * HISTO_HALVES_BLOCK + i];

      plain.count += n;
      plain.most = MAX (plain.most, n);
      plain.sum += i * n;
      plain.squares += i * i * n;
      plain.entropy += n == 0 ? 0 : n * log2 ((gdouble) histogram.count / n);
    }
    if (plain.count != found->count || plain.most != found->most
        || plain.sum != found->sum || plain.squares != found->squares
        || !(fabs (plain.entropy - found->entropy) <= 1e-12 * plain.entropy))
      return check_fail (c, "the totals of block %u are wrong: %u samples, entropy "
          "%.17g, not %u, %.17g", b, found->count, found->entropy, plain.count, plain.entropy);
  }
  histo_histogram_init_halves (&histogram, halves);
  histo_statistics_from_native (&figures, &histogram, &bins, NULL);
  return memcmp (&figures, &expected_figures, sizeof figures) == 0
      || check_fail (c, "figures of totals differ: entropy %.17g, not %.17g",
      figures.entropy, expected_figures.entropy);
}

/* What is wrong with the last launch, if anything. */
static gboolean
launch_is_right (CheckCase * c, const Launch * launch, const guint32 * expected)
{
  const HistoFormat *format = &launch->frame->format;
  guint32 *result = (guint32 *) launch->result.host;
  HistoHalves *halves[HISTO_MAX_COMPONENTS];

  check_device_wait ();
  histo_cuda_find_halves (&launch->kernels, format, format->n_bins, result,
      halves);
  for (guint i = 0; i < HISTO_MAX_COMPONENTS; i++) {
    if (halves[i] == NULL)
      continue;
    if (!check_totals (c, halves[i], expected + format->components[i].first_bin))
      return FALSE;
    histo_halves_join (halves[i], result + format->components[i].first_bin);
  }
  return check_equal_counters (c, "the frame", launch->result.host, expected,
      launch->frame->format.n_bins)
      && (check_result_intact (&launch->result)
      || check_fail (c, "the memory around the result was written to"))
      && check_is_zero (c, "the scratch memory", launch->scratch,
      launch->counters_size);
}

static void
describe (CheckCase * c, const Frame * frame, const HistoCudaLimits * limits)
{
  g_string_append_printf (c->text,
      "\n      sm_%d, %d multiprocessors, %d bytes of shared memory",
      limits->compute_capability, limits->n_multiprocessors,
      limits->shared_memory_per_block);
  frame_describe (frame, c->text);
}

/* One frame, uploaded, under some limits: launched once, or twice in a row. */
static gboolean
check_frame (CheckCase * c, Frame * frame, const HistoCudaLimits * limits,
    const guint32 * expected)
{
  Launch launch;
  gboolean ok;

  launch_init (&launch, frame, limits);
  launch_once (&launch);
  if (check_chance (4))
    launch_once (&launch);
  ok = launch_is_right (c, &launch, expected);
  launch_clear (&launch);
  if (!ok)
    describe (c, frame, limits);
  return ok;
}

/* Uploads a frame that has been filled, and compares with its counters. Clears the frame. */
static CheckOutcome
check_filled (CheckCase * c, Frame * frame, const HistoCudaLimits * limits)
{
  guint32 *expected = frame_count (frame);
  gboolean ok;

  frame_upload (frame);
  ok = check_frame (c, frame, limits, expected);
  g_free (expected);
  frame_clear (frame);
  return ok ? CHECK_OK : CHECK_FAILED;
}

/* Small mostly; some large enough for several blocks, or for one block to be busy for
 * long. A multiple of the periods' bytes stays near what is asked for. */
static guint
random_length (guint most)
{
  switch (check_random (6)) {
    case 0:
      return check_random (3);
    case 1:
      return check_random (20);
    case 2:
      return check_random (most + 1);
    default:
      return check_random (MAX (most / 8, 1) + 1);
  }
}

/* ---- Planes of every kind ------------------------------------------------------------- */

/* A family of planes. A property that it leaves open is random. */
typedef struct
{
  const gchar *name;
  HistoPlaneKind kind;
  guint word_bytes, n_words;
  gint gap;                     /* HISTO_GAP_*; ANY: of the words, all but one may be gaps */
} PlaneFamily;

#define NAME_BYTES "bytes"
#define NAME_WORDS "words"
#define NAME_PACKED "fields"
#define NAME_NONE ""
#define NAME_ANY ""
#define NAME_FIRST "-first-gap"
#define NAME_FOURTH "-last-gap"
#define PLANE_FAMILY(kernel, kind, word_bytes, n_words, depth, gap, unit_bytes, n_coupled) \
  { "video." NAME_##kind "-" #n_words NAME_##gap, HISTO_PLANE_##kind, word_bytes, \
    n_words, HISTO_GAP_##gap },
static const PlaneFamily plane_families[] = {
  HISTO_PLANE_FAMILIES (PLANE_FAMILY)
  /* These have no row there. */
  { "video.bytes-5", HISTO_PLANE_BYTES, 1, 5, HISTO_GAP_NONE },
  { "video.words-3", HISTO_PLANE_WORDS, 2, 3, HISTO_GAP_NONE },
  { "video.packed", HISTO_PLANE_PACKED, 0, 0, HISTO_GAP_NONE },
};
#undef PLANE_FAMILY

static const PlaneFamily *
find_family (const gchar * name)
{
  for (guint i = 0; i < G_N_ELEMENTS (plane_families); i++) {
    if (g_str_equal (plane_families[i].name, name))
      return &plane_families[i];
  }
  g_error ("there is no family %s", name);
}

static void
add_sample (HistoPlane * plane, guint component, guint offset, guint bytes,
    guint shift, guint depth)
{
  HistoSample *sample = &plane->samples[plane->n_samples++];

  sample->component = component;
  sample->offset = offset;
  sample->bytes = bytes;
  sample->shift = shift;
  sample->mask = (1u << depth) - 1;
}

/* Words that are samples, of one depth. */
static void
make_words (HistoPlane * plane, const PlaneFamily * family, guint first,
    guint n_components)
{
  const guint depth = family->word_bytes == 1 ? 8 : check_random_range (1, 16);
  const guint shift =
      family->word_bytes == 1 ? 0 : check_random (16 - depth + 1);
  guint gaps = family->gap == HISTO_GAP_ANY ?
      check_random ((1 << family->n_words) - 1) :
      family->gap == HISTO_GAP_NONE ? 0 : 1u << family->gap;

  plane->kind = family->kind;
  plane->n_words = family->n_words;
  plane->period_bytes = family->n_words * family->word_bytes;
  memset (plane->word_sample, HISTO_NO_SAMPLE, sizeof plane->word_sample);
  for (guint w = 0; w < family->n_words; w++) {
    if (gaps & 1u << w)
      continue;
    plane->word_sample[w] = plane->n_samples;
    add_sample (plane, first + check_random (n_components),
        w * family->word_bytes, family->word_bytes, shift, depth);
  }
}

/* Samples anywhere, over each other even. */
static void
make_packed (HistoPlane * plane, guint first, guint n_components)
{
  static const guint words[] = { 1, 2, 4 };
  guint depths[HISTO_MAX_COMPONENTS];
  guint n = check_random_range (1, HISTO_MAX_SAMPLES);

  for (guint i = 0; i < HISTO_MAX_COMPONENTS; i++)
    depths[i] = check_chance (4) ? check_random_range (1, 16)
        : check_random_range (1, 10);
  plane->kind = HISTO_PLANE_PACKED;
  plane->period_bytes = check_random_range (4, 24);
  for (guint i = 0; i < n; i++) {
    guint component = check_random (n_components), depth = depths[component];
    guint bytes = words[check_random (G_N_ELEMENTS (words))];

    while (8 * bytes < depth)
      bytes *= 2;
    add_sample (plane, first + component,
        check_random (plane->period_bytes - bytes + 1), bytes,
        check_random (8 * bytes - depth + 1), depth);
  }
}

/* Fields of 32-bit words: of ten bits, and of two; not all of them are samples. */
static void
make_fields (HistoPlane * plane, const PlaneFamily * family, guint first,
    guint n_components)
{
  plane->kind = HISTO_PLANE_PACKED;
  plane->period_bytes = 4 * family->n_words;
  for (guint w = 0; w < family->n_words; w++) {
    for (guint f = 0; f < 3 && plane->n_samples < HISTO_MAX_SAMPLES; f++) {
      if (!check_chance (5))
        add_sample (plane, first + check_random (MAX (n_components - 1, 1)),
            4 * w, 4, 10 * f + 2 * (n_components % 2), 10);
    }
  }
  if (n_components > 1 && plane->n_samples < HISTO_MAX_SAMPLES)
    add_sample (plane, first + n_components - 1, 4 * (family->n_words - 1), 4,
        30 * (1 - n_components % 2), 2);
  if (plane->n_samples == 0)
    add_sample (plane, first, 0, 4, 0, 10);
}

static void
make_plane (HistoPlane * plane, const PlaneFamily * family, guint first,
    guint n_components)
{
  if (family->word_bytes == 4)
    make_fields (plane, family, first, n_components);
  else if (family->kind == HISTO_PLANE_PACKED)
    make_packed (plane, first, n_components);
  else
    make_words (plane, family, first, n_components);
}

/* The bins of the components, one after the other; and how often a row has each
 * sample. */
static void
finish_plane (HistoFormat * format, HistoPlane * plane)
{
  plane->first_bin = format->n_bins;
  for (guint component = 0; component < HISTO_MAX_COMPONENTS; component++) {
    guint n_bins = 0;

    for (guint i = 0; i < plane->n_samples; i++) {
      if (plane->samples[i].component == component) {
        plane->samples[i].first_bin = format->n_bins;
        n_bins = plane->samples[i].mask + 1;
      }
    }
    if (n_bins > 0)
      format->components[component].first_bin = format->n_bins;
    format->components[component].depth =
        MAX (format->components[component].depth, g_bit_storage (n_bins) - 1);
    format->n_bins += n_bins;
  }
  plane->n_bins = format->n_bins - plane->first_bin;

  plane->big_endian = check_chance (3);
  plane->full_periods = plane->periods;
  for (guint i = 0; i < plane->n_samples; i++) {
    plane->samples[i].count = plane->periods;
    if (plane->periods > 0 && i > 0 && check_chance (6)) {
      plane->samples[i].count--;
      plane->full_periods = plane->periods - 1;
    }
  }
}

static void
choose_size (HistoPlane * plane)
{
  const guint most = 40000 / plane->period_bytes;

  plane->rows = random_length (60);
  plane->periods = random_length (most / 40 + 1);
  if (check_chance (10)) {
    /* Work for many blocks, or for one with a full pipeline. */
    plane->rows = check_random_range (1, 12);
    plane->periods = check_random (most);
  } else if (check_chance (6)) {
    plane->periods = check_random (most);
    plane->rows = 1;
  }
}

/* An empty format. Its components are valid until the next one is made; a frame copies them. */
static void
init_format (HistoFormat * format)
{
  static HistoComponent components[HISTO_MAX_COMPONENTS];

  memset (format, 0, sizeof *format);
  memset (components, 0, sizeof components);
  format->components = components;
}

/* The family's planes: one mostly, up to three. */
static void
make_format (HistoFormat * format, const PlaneFamily * family)
{
  guint component = 0;

  init_format (format);
  format->n_planes = check_chance (3) ? check_random_range (1, 3) : 1;
  for (guint p = 0; p < format->n_planes; p++) {
    HistoPlane *plane = &format->planes[p];
    guint left = HISTO_MAX_COMPONENTS - component - (format->n_planes - p - 1);
    guint n = check_random_range (1, left);

    make_plane (plane, family, component, n);
    choose_size (plane);
    finish_plane (format, plane);
    component += n;
  }
  format->n_components = component;
}

static CheckOutcome
run_family (CheckCase * c)
{
  const PlaneFamily *family = c->data;
  HistoCudaLimits limits = check_random_limits ();
  HistoFormat format;
  Frame frame;

  make_format (&format, family);
  frame_init (&frame, &format, STRIDES_ANY);
  frame_fill (&frame, check_chance (2) ? CONTENT_RANDOM
      : check_random (N_CONTENTS));
  return check_filled (c, &frame, &limits);
}

/* ---- GStreamer's formats ----------------------------------------------------------------- */

static HistoFormat *
new_format (GstVideoFormat format, guint width, guint height)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw",
      "format", G_TYPE_STRING, gst_video_format_to_string (format),
      "width", G_TYPE_INT, width, "height", G_TYPE_INT, height,
      "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
  HistoFormat *result = histo_format_new (caps, NULL);

  gst_caps_unref (caps);
  return result;
}

/* The counters by the reference for formats, which knows nothing of planes and
 * periods. */
static guint32 *
count_by_reference (const Frame * frame)
{
  guint32 *counters = g_new0 (guint32, frame->format.n_bins), *next = counters;
  ReferencePicture picture;

  frame_read (frame, &picture);
  for (guint i = 0; i < picture.shape.n_components; i++) {
    const gsize n = (gsize) picture.shape.widths[i] * picture.shape.heights[i];

    for (gsize k = 0; k < n; k++)
      next[picture.samples[i][k]]++;
    next += (gsize) 1 << picture.shape.depths[i];
  }
  reference_picture_clear (&picture);
  return counters;
}

CheckOutcome
check_video_format (CheckCase * c, HistoFormat * format, Strides strides,
    const HistoCudaLimits * limits)
{
  guint32 *expected;
  Frame frame;
  gboolean ok;

  frame_init (&frame, format, strides);
  frame_fill (&frame, check_chance (2) ? CONTENT_RANDOM
      : check_random (N_CONTENTS));
  frame_upload (&frame);
  expected = count_by_reference (&frame);
  ok = check_frame (c, &frame, limits, expected);
  if (!ok)
    check_fail (c, "%s, %u x %u", histo_format_name (format), format->width,
        format->height);
  g_free (expected);
  frame_clear (&frame);
  histo_format_unref (format);
  return ok ? CHECK_OK : CHECK_FAILED;
}

static CheckOutcome
run_format (CheckCase * c)
{
  const HistoCudaLimits limits = check_random_limits ();
  const gboolean large = check_chance (20);
  HistoFormat *format = new_format (GPOINTER_TO_UINT (c->data),
      1 + random_length (large ? 600 : 200), 1 + random_length (large ? 300 :
          40));

  return check_video_format (c, format, STRIDES_ANY, &limits);
}

/* ---- Counters that wrap ----------------------------------------------------------------- */

/* One row of 16-bit samples, so many of each value: all of one after all of another, or one of
 * each in turn while there are any. */
static void
fill_values (Frame * frame, const guint (*values)[2], guint n, gboolean in_turn)
{
  guint8 *p = frame->slabs[0].host + frame->slabs[0].first;
  guint most = 0, at_once;

  for (guint i = 0; i < n; i++)
    most = MAX (most, values[i][1]);
  at_once = in_turn ? 1 : most;
  for (guint begin = 0; begin < most; begin += at_once) {
    for (guint i = 0; i < n; i++) {
      const guint end = MIN (begin + at_once, values[i][1]);

      for (guint k = begin; k < end; k++, p += 2) {
        p[0] = values[i][0] & 0xff;
        p[1] = values[i][0] >> 8;
      }
    }
  }
}

/* Of two counters that may share a word, the upper one full when the lower one wraps; the
 * upper one wrapping; both; far more than one wrap; and each in single steps and in
 * runs. One block has them all. */
static CheckOutcome
run_wraps (CheckCase * c)
{
  static const guint cases[][3][2] = {
    {{7, 65535}, {6, 65536}},
    {{6, 65535}, {7, 65535}, {6, 1}},
    {{7, 65536}, {6, 65536}},
    {{6, 65536}, {7, 65536}},
    {{6, 65537}, {7, 65535}, {6, 65535}},
    {{65535, 65535}, {65534, 65536}, {0, 1}},
    {{9, 262144}, {8, 131072}, {9, 1}},
    {{6, 1}, {7, 65535}, {6, 65535}},
  };
  const guint (*values)[2] = cases[c->number % G_N_ELEMENTS (cases)];
  HistoCudaLimits limits = check_limits (90, 1,
      c->number / G_N_ELEMENTS (cases) % 2 == 0 ? 227 * 1024 : 64 * 1024);
  const guint n_values = G_N_ELEMENTS (cases[0]);
  guint n_samples = 0;
  HistoFormat *format;
  CheckOutcome outcome;
  Frame frame;

  for (guint i = 0; i < n_values; i++)
    n_samples += values[i][1];
  format = new_format (GST_VIDEO_FORMAT_GRAY16_LE, n_samples, 1);
  frame_init (&frame, format, STRIDES_NONE);
  fill_values (&frame, values, n_values,
      c->number >= 2 * G_N_ELEMENTS (cases));
  outcome = check_filled (c, &frame, &limits);
  histo_format_unref (format);
  return outcome;
}

/* Whether the plan for the frame's first plane is this kernel of HISTO_COUNT_KERNELS. */
static gboolean
is_counted_by (CheckCase * c, const Frame * frame,
    const HistoCudaLimits * limits, guint kernel)
{
  HistoVideoLaunch parameters = {
    .n_planes = frame->format.n_planes,
    .n_bins = frame->format.n_bins,
  };
  HistoCudaVideoPlan plan;

  memcpy (parameters.planes, frame->planes, sizeof parameters.planes);
  histo_cuda_plan_video (limits, &parameters, &plan);
  return parameters.kernels[0] == kernel
      || check_fail (c, "kernel %u, not %u", parameters.kernels[0], kernel);
}

/* Samples of 16 bits, of each content, where shared memory has room for a packed copy of all of
 * their counters, of half of them, of a quarter, and of none. */
static CheckOutcome
run_deep (CheckCase * c)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_GRAY16_LE,
    GST_VIDEO_FORMAT_GRAY16_BE, GST_VIDEO_FORMAT_ARGB64_BE,
    GST_VIDEO_FORMAT_P016_LE
  };
  static const struct
  {
    guint room, kernel;         /* room in KiB */
  } rooms[] = {
    {128, HISTO_COUNT_packed}, {64, HISTO_COUNT_ranges},
    {32, HISTO_COUNT_ranges}, {16, HISTO_COUNT_any}
  };
  const guint number = c->number % G_N_ELEMENTS (rooms);
  HistoCudaLimits limits = check_limits (90, check_random_range (1, 9),
      rooms[number].room * 1024);
  HistoFormat *format = new_format (formats[c->number / 4 % G_N_ELEMENTS (formats)],
      check_random_range (2000, 30000), check_random_range (1, 3));
  gboolean planned;
  CheckOutcome outcome;
  Frame frame;

  frame_init (&frame, format, check_chance (4) ? STRIDES_ANY : STRIDES_NONE);
  frame_fill (&frame, (c->number % 16 + c->number / 16) % N_CONTENTS);
  planned = is_counted_by (c, &frame, &limits, rooms[number].kernel);
  outcome = check_filled (c, &frame, &limits);
  if (!planned)
    outcome = CHECK_FAILED;
  histo_format_unref (format);
  return outcome;
}

/* Four components in a plane, each of which one block counts: more than 32768 equal samples. If the frame is flat, a warp
 * adds those of all its lanes at once; else a lane those of its own. */
static CheckOutcome
run_flat_words (CheckCase * c)
{
  const HistoCudaLimits limits = check_limits (90, 1, 227 * 1024);
  /* Each row has its own constant. */
  HistoFormat *format = new_format (GST_VIDEO_FORMAT_ARGB64_LE, 40000, 1);
  CheckOutcome outcome;
  Frame frame;

  frame_init (&frame, format, STRIDES_NONE);
  frame_fill (&frame, c->number == 0 ? CONTENT_CONSTANT : CONTENT_RARE);
  outcome = check_filled (c, &frame, &limits);
  histo_format_unref (format);
  return outcome;
}

/* Formats that the kernel `tens` counts, of each content: by one block with a busy pipeline or by
 * some blocks; and in the last case with so much for one block that a 16-bit counter would overflow if
 * the plan had no more blocks. */
static CheckOutcome
run_tens (CheckCase * c)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_RGB10A2_LE, GST_VIDEO_FORMAT_r210,
    GST_VIDEO_FORMAT_NV12_10LE32, GST_VIDEO_FORMAT_GRAY10_LE32,
    GST_VIDEO_FORMAT_Y410, GST_VIDEO_FORMAT_BGR10A2_LE,
    GST_VIDEO_FORMAT_NV16_10LE32, GST_VIDEO_FORMAT_v210
  };
  const guint n = G_N_ELEMENTS (formats);
  const gboolean is_full = c->number >= n * N_CONTENTS;
  const HistoCudaLimits limits = check_limits (90,
      is_full ? 1 : check_random_range (1, 3), 227 * 1024);
  HistoFormat *format = new_format (formats[is_full ? n - 1 : c->number % n],
      is_full ? 4800 : check_random_range (3000, 5000),
      is_full ? 450 : check_random_range (8, 24));
  gboolean planned;
  CheckOutcome outcome;
  Frame frame;

  frame_init (&frame, format, check_chance (4) ? STRIDES_ANY : STRIDES_NONE);
  frame_fill (&frame, is_full ? CONTENT_ZERO : c->number / n);
  planned = is_counted_by (c, &frame, &limits, HISTO_COUNT_tens);
  outcome = check_filled (c, &frame, &limits);
  histo_format_unref (format);
  return planned ? outcome : CHECK_FAILED;
}

/* So many blocks that a thread of the second launch has several of their tables, and more than it
 * loads at once. */
static CheckOutcome
run_many_tables (CheckCase * c)
{
  static const guint blocks[] = { 33, 150 };
  /* Each thread of each block has eight samples at the least. */
  const guint width = 32768, height = blocks[c->number % 2] / 4 + 1;
  HistoCudaLimits limits = check_limits (90, blocks[c->number % 2],
      c->number < 4 ? 227 * 1024 : 99 * 1024);
  CheckOutcome outcome = CHECK_FAILED;
  HistoFormat *format;
  guint32 *expected;
  Frame frame;

  if (check_device.is_slow)
    return CHECK_SKIPPED;
  histo_cuda_tuning_force ("video_bytes_per_block", 512);
  format = new_format (GST_VIDEO_FORMAT_GRAY16_LE, width, height);
  frame_init (&frame, format, STRIDES_NONE);
  frame_fill (&frame, c->number / 2 % 2 ? CONTENT_RARE : CONTENT_RANDOM);
  frame_upload (&frame);
  expected = frame_count (&frame);
  if (check_frame (c, &frame, &limits, expected))
    outcome = CHECK_OK;
  g_free (expected);
  frame_clear (&frame);
  histo_format_unref (format);
  histo_cuda_tuning_force ("video_bytes_per_block", HISTO_CUDA_TUNING_BY_TABLE);
  return outcome;
}

/* Two planes for different kernels. Each kernel has its own launch, and skips the other kernel's
 * blocks. Words have all of their 16 bits. */
static CheckOutcome
run_mixed (CheckCase * c)
{
  static const gchar *const pairs[][2] = {
    {"video.words-3", "video.bytes-2"},
    {"video.words-1", "video.bytes-2"},
    {"video.words-2", "video.bytes-2"},
    {"video.words-4", "video.bytes-2"},
    {"video.bytes-3", "video.bytes-1"},
    {"video.words-1", "video.bytes-4"},
    {"video.bytes-6", "video.fields-1"},
  };
  const gchar *const *names = pairs[c->number % G_N_ELEMENTS (pairs)];
  HistoCudaLimits limits =
      check_limits (90, check_random_range (1, 4), 227 * 1024);
  HistoFormat format;
  Frame frame;

  init_format (&format);
  format.n_planes = format.n_components = 2;
  for (guint p = 0; p < format.n_planes; p++) {
    HistoPlane *plane = &format.planes[p];

    do {
      memset (plane, 0, sizeof *plane);
      make_plane (plane, find_family (names[p]), p, 1);
    } while (plane->kind == HISTO_PLANE_WORDS
        && plane->samples[0].mask != 0xffff);
    choose_size (plane);
    finish_plane (&format, plane);
  }
  frame_init (&frame, &format, STRIDES_ANY);
  frame_fill (&frame, check_random (N_CONTENTS));
  return check_filled (c, &frame, &limits);
}

/* ---- Sizes ------------------------------------------------------------------------------ */

/* Planes without samples, of one sample, one row or one column, and a little more. */
static CheckOutcome
run_thin (CheckCase * c)
{
  static const guint sizes[][2] = {
    {0, 0}, {0, 1}, {1, 0}, {0, 17}, {17, 0}, {1, 1}, {1, 2}, {2, 1}, {1, 4099},
    {4099, 1}, {33333, 1}, {1, 33333}, {15, 1}, {16, 1}, {17, 1}, {3, 1025}
  };
  const guint *size = sizes[c->number % G_N_ELEMENTS (sizes)];
  HistoCudaLimits limits = check_random_limits ();
  HistoFormat format;
  Frame frame;

  make_format (&format,
      &plane_families[check_random (G_N_ELEMENTS (plane_families))]);
  for (guint p = 0; p < format.n_planes; p++) {
    HistoPlane *plane = &format.planes[p];

    plane->periods = plane->full_periods = size[0];
    plane->rows = size[1];
    for (guint i = 0; i < plane->n_samples; i++)
      plane->samples[i].count = plane->periods;
  }
  frame_init (&frame, &format, STRIDES_ANY);
  frame_fill (&frame, CONTENT_RANDOM);
  return check_filled (c, &frame, &limits);
}

/* More than 4 GB from the first row to the last. Only the rows are filled. The bytes between them
 * belong to the same allocation, so that a wrong address finds other samples. */
static CheckOutcome
run_far_rows (CheckCase * c)
{
  const gint64 stride = G_GINT64_CONSTANT (1500000000) + 16 * check_random (64)
      + (check_chance (2) ? 0 : check_random (16));
  const guint rows = 5, row_bytes_most = 70000;
  const gsize size = (gsize) stride * (rows - 1) + row_bytes_most;
  static const gchar *const names[] = {
    "video.bytes-1", "video.bytes-3", "video.words-1", "video.fields-1",
  };
  HistoCudaLimits limits = check_random_limits ();
  const gboolean upwards = check_chance (3);
  guint8 *rows_of_host;
  HistoFormat format;
  HistoPlane *plane;
  guint32 *expected;
  gint64 row_bytes;
  Frame frame;
  gboolean ok;

  if (check_device_free_memory () < size + (size >> 4))
    return CHECK_SKIPPED;
  do {
    make_format (&format,
        find_family (names[c->number % G_N_ELEMENTS (names)]));
    format.planes[0].rows = rows;
  } while (format.n_planes != 1 || format.planes[0].periods == 0);

  /* The expected counts come from the same rows without gaps. */
  frame_init (&frame, &format, STRIDES_NONE);
  frame_fill (&frame, CONTENT_RANDOM);
  expected = frame_count (&frame);
  plane = &frame.planes[0];
  row_bytes = histo_plane_row_bytes (plane);
  rows_of_host = frame.slabs[0].host;
  check_free (frame.slabs[0].device);

  frame.slabs[0].device = check_alloc (size);
  plane->stride = upwards ? -stride : stride;
  plane->data = frame.slabs[0].device + (upwards ? stride * (rows - 1) : 0);
  for (guint y = 0; y < rows; y++)
    check_copy_to (plane->data + y * plane->stride,
        rows_of_host + y * row_bytes, row_bytes);
  check_device_wait ();

  ok = check_frame (c, &frame, &limits, expected);
  g_free (expected);
  frame_clear (&frame);
  return ok ? CHECK_OK : CHECK_FAILED;
}

/* ---- Repeated launches ---------------------------------------------------------------------- */

/* Every launch gives the same result, in any order of its threads. */
static CheckOutcome
run_repeats (CheckCase * c)
{
  const guint families = G_N_ELEMENTS (plane_families);
  HistoCudaLimits limits = check_random_limits ();
  HistoFormat format;
  guint32 *expected;
  gboolean ok = TRUE;
  Launch launch;
  Frame frame;

  make_format (&format, &plane_families[c->number % families]);
  frame_init (&frame, &format, STRIDES_ANY);
  frame_fill (&frame, check_random (N_CONTENTS));
  frame_upload (&frame);
  expected = frame_count (&frame);
  launch_init (&launch, &frame, &limits);
  for (guint i = 0; ok && i < c->repeats; i++) {
    check_device_set_schedule (i);
    check_result_poison (&launch.result);
    launch_once (&launch);
    ok = launch_is_right (c, &launch, expected);
    if (!ok)
      check_fail (c, "in launch %u", i);
  }
  if (!ok)
    describe (c, &frame, &limits);
  launch_clear (&launch);
  g_free (expected);
  frame_clear (&frame);
  return ok ? CHECK_OK : CHECK_FAILED;
}

/* ---- Timing ------------------------------------------------------------------------------ */

typedef struct
{
  HistoFormat *format;
  Frame frame;
  Launch launch;
} Bench;

static gpointer
bench_new (gconstpointer data, guint64 * bytes)
{
  const gboolean small = check_device.is_simulated;
  Bench *bench = g_new0 (Bench, 1);

  bench->format = new_format (GPOINTER_TO_UINT (data), small ? 160 : 3840,
      small ? 90 : 2160);
  frame_init (&bench->frame, bench->format, STRIDES_NONE);
  frame_fill (&bench->frame, CONTENT_RANDOM);
  frame_upload (&bench->frame);
  launch_init (&bench->launch, &bench->frame, &check_device.kernels.limits);
  *bytes = 0;
  for (guint p = 0; p < bench->format->n_planes; p++)
    *bytes += bench->frame.slabs[p].size;
  return bench;
}

static void
bench_launch (gpointer data)
{
  launch_once (&((Bench *) data)->launch);
}

static void
bench_free (gpointer data)
{
  Bench *bench = data;

  launch_clear (&bench->launch);
  frame_clear (&bench->frame);
  histo_format_unref (bench->format);
  g_free (bench);
}

/* ---- All of them ------------------------------------------------------------------------- */

/* Formats that the host unpacks first have no test: the device gets planes of other formats. */
static void
add_formats (void)
{
  guint n;
  const GstVideoFormat *formats = gst_video_formats_raw (&n);

  for (guint i = 0; i < n; i++) {
    HistoFormat *format = new_format (formats[i], 64, 64);
    CheckTest test = {
      .n_cases = 25, .run = run_format, .bench_new = bench_new,
      .bench_launch = bench_launch, .bench_free = bench_free,
      .data = GUINT_TO_POINTER (formats[i]),
    };

    if (format != NULL && !format->needs_unpack) {
      test.name = g_strdup_printf ("video.%s",
          gst_video_format_to_string (formats[i]));
      check_add_test (&test);
    }
    g_clear_pointer (&format, histo_format_unref);
  }
}

void
check_add_video_tests (void)
{
  static const CheckTest others[] = {
    {.name = (gchar *) "video.thin", .n_cases = 16, .all_cases = TRUE,
        .run = run_thin},
    {.name = (gchar *) "video.wraps", .n_cases = 32, .all_cases = TRUE,
        .run = run_wraps},
    {.name = (gchar *) "video.deep", .n_cases = 16 * N_CONTENTS,
        .least_cases = 48, .run = run_deep},
    {.name = (gchar *) "video.flat-words", .n_cases = 2, .all_cases = TRUE, .run = run_flat_words},
    {.name = (gchar *) "video.tens", .n_cases = 8 * N_CONTENTS + 1,
        .all_cases = TRUE, .run = run_tens},
    {.name = (gchar *) "video.many-tables", .n_cases = 6, .all_cases = TRUE,
        .run = run_many_tables},
    {.name = (gchar *) "video.mixed", .n_cases = 14, .all_cases = TRUE,
        .run = run_mixed},
    {.name = (gchar *) "video.far-rows", .n_cases = 12, .run = run_far_rows},
    {.name = (gchar *) "video.repeats", .n_cases = 26, .run = run_repeats},
  };

  for (guint i = 0; i < G_N_ELEMENTS (plane_families); i++) {
    CheckTest test = {
      .name = (gchar *) plane_families[i].name, .n_cases = 60,
      .run = run_family, .data = &plane_families[i],
    };

    check_add_test (&test);
  }
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    check_add_test (&others[i]);
  add_formats ();
}
