// The groups and regions of video, for cudahisto-bench.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bench-groups.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "bench.cuh"

extern "C" {
#include "engine/engine.h"
#include "media/pack.h"
}

static void
require (gboolean ok, GError *&error)
{
  if (ok)
    return;
  fprintf (stderr, "%s\n", error->message);
  exit (1);
}

static GArray *
grid_of_regions (unsigned n, unsigned width, unsigned height, const HistoFormat *format)
{
  GArray *specs = g_array_new (FALSE, TRUE, sizeof (HistoRegionSpec));

  for (unsigned i = 0; i < n; i++) {
    HistoRegionSpec spec = {};

    spec.name = g_intern_static_string ("region");
    spec.numbers[0] = i % 4 * ((format->width - width) / 3);
    spec.numbers[1] = i / 4 % 4 * ((format->height - height) / 3);
    spec.numbers[2] = width;
    spec.numbers[3] = height;
    g_array_append_val (specs, spec);
  }
  return specs;
}

GroupsFrames::GroupsFrames (const HistoCudaKernels &with, CUstream on, HistoFormat *format,
    unsigned flags, unsigned n_regions, unsigned region_width, unsigned region_height, HistoMask *mask)
: kernels (with), stream (on), groups ()
{
  GArray *specs = grid_of_regions (n_regions, region_width, region_height, format);
  HistoPlanSettings settings = {};
  const HistoCudaLimits *limits = &kernels.limits;

  settings.groups = flags;
  settings.regions = specs;
  settings.mask = mask;
  plan = histo_plan_new (format, &settings);
  g_array_unref (specs);
  if (plan->has_groups && mask == nullptr)
    histo_cuda_plan_groups (limits, plan, &groups);

  const size_t scratch_bytes = histo_cuda_plan_video_scratch (limits, format, plan->n_counters);

  result_bytes = histo_cuda_plan_video_result (limits, format, plan->n_counters);
  BENCH_CHECK (cudaMallocHost (&result, result_bytes));
  BENCH_CHECK (cudaMallocHost (&tallies, plan->n_tallies * 8 + 8));
  BENCH_CHECK (cudaMalloc (&scratch, scratch_bytes));
  BENCH_CHECK (cudaMemsetAsync (scratch, 0, scratch_bytes, stream));
  BENCH_CHECK (cudaMalloc (&sums, groups.sums_bytes + 8));
  BENCH_CHECK (cudaMemsetAsync (sums, 0, groups.sums_bytes + 8, stream));
  if (plan->n_joints > 0) {
    BENCH_CHECK (cudaMallocHost (&joint_halves, plan->n_joints * sizeof (HistoHalves)));
    BENCH_CHECK (cudaMalloc (&joint_sums, groups.joint_sums_bytes));
    BENCH_CHECK (cudaMemsetAsync (joint_sums, 0, groups.joint_sums_bytes, stream));
  }
  if (groups.packed_tables_bytes > 0)
    BENCH_CHECK (cudaMalloc (&packed_tables, groups.packed_tables_bytes));
  upload (plan->chroma_table, sizeof (guint32) << (2 * plan->formulas.depth), &chroma_table);
  upload (plan->linear, sizeof (guint16) << plan->formulas.depth, &linear);
  if (mask != nullptr) {
    upload (mask->pixels, (size_t) mask->width * mask->height, &pixels);
    BENCH_CHECK (cudaMalloc (&masked_counters, plan->n_counters * 4));
    BENCH_CHECK (cudaMalloc (&masked_tallies, plan->n_tallies * 8 + 8));
  }
  for (void *&picture : pictures) {
    if (groups.picture_bytes > 0)
      BENCH_CHECK (cudaMalloc (&picture, groups.picture_bytes));
  }
  BENCH_CHECK (cudaStreamSynchronize (stream));
}

// A table of the plan, if it has that.
void
GroupsFrames::upload (const void *table, size_t bytes, void **to)
{
  if (table == nullptr)
    return;
  BENCH_CHECK (cudaMalloc (to, bytes));
  BENCH_CHECK (cudaMemcpyAsync (*to, table, bytes, cudaMemcpyHostToDevice, stream));
}

GroupsFrames::~GroupsFrames ()
{
  for (void *memory : { scratch, sums, chroma_table, linear, pictures[0], pictures[1], joint_sums, packed_tables, pixels,
      masked_counters, masked_tallies })
    BENCH_CHECK (cudaFree (memory));
  BENCH_CHECK (cudaFreeHost (result));
  BENCH_CHECK (cudaFreeHost (tallies));
  if (joint_halves != nullptr)
    BENCH_CHECK (cudaFreeHost (joint_halves));
  histo_plan_unref (plan);
}

// ---- Launches -----------------------------------------------------------------------------

void
GroupsFrames::launch_samples (const HistoPlane *planes)
{
  HistoVideoLaunch parameters = {};
  GError *error = nullptr;

  parameters.n_planes = plan->format->n_planes;
  parameters.n_bins = plan->n_counters;
  parameters.scratch = (uint64_t) scratch;
  parameters.result = (uint64_t) result;
  memcpy (parameters.planes, planes, sizeof parameters.planes);
  require (histo_cuda_launch_video (&kernels, &parameters, stream, &error), error);
}

void
GroupsFrames::launch_groups (const HistoPlane *planes, int number)
{
  const HistoFrameInfo info = {};
  HistoCudaGroupsFrame frame = {};
  GError *error = nullptr;

  frame.planes = planes;
  frame.info = &info;
  frame.scan = frame.previous_scan = histo_plan_scan (plan, &info);
  frame.picture = (uint64_t) pictures[number % 2];
  frame.previous = plan->needs_previous && number > 0 ? (uint64_t) pictures[1 - number % 2] : 0;
  frame.scratch = (uint64_t) scratch;
  frame.result = (uint64_t) result;
  frame.sums = (uint64_t) sums;
  frame.tallies = (uint64_t) tallies;
  frame.chroma_table = (uint64_t) chroma_table;
  frame.linear = (uint64_t) linear;
  frame.joint_sums = (uint64_t) joint_sums;
  frame.packed_tables = (uint64_t) packed_tables;
  frame.joint_halves = (uint64_t) joint_halves;
  require (histo_cuda_launch_groups (&kernels, &groups, &frame, !groups.counts_samples, stream, &error),
      error);
}

// As histo_cuda_masks_measure().
void
GroupsFrames::launch_masked (const HistoPlane *planes)
{
  const HistoFrameInfo info = {};
  HistoCudaMaskedFrame frame = {};
  GError *error = nullptr;

  frame.planes = planes;
  frame.info = &info;
  frame.pixels = (uint64_t) pixels;
  frame.chroma_table = (uint64_t) chroma_table;
  frame.counters = (uint64_t) masked_counters;
  frame.tallies = (uint64_t) masked_tallies;
  BENCH_CHECK (cudaMemsetAsync (masked_counters, 0, plan->n_counters * 4, stream));
  BENCH_CHECK (cudaMemsetAsync (masked_tallies, 0, plan->n_tallies * 8, stream));
  require (histo_cuda_launch_masked (&kernels, plan, &frame, stream, &error), error);
  BENCH_CHECK (cudaMemcpyAsync (result, masked_counters, plan->n_counters * 4, cudaMemcpyDeviceToHost, stream));
  BENCH_CHECK (cudaMemcpyAsync (tallies, masked_tallies, plan->n_tallies * 8, cudaMemcpyDeviceToHost, stream));
}

void
GroupsFrames::launch (const HistoPlane *planes, int number)
{
  if (plan->mask != nullptr) {
    launch_masked (planes);
    return;
  }
  if (!plan->has_groups || !groups.counts_samples)
    launch_samples (planes);
  if (plan->has_groups)
    launch_groups (planes, number);
}

// ---- Checking -----------------------------------------------------------------------------

// Threads that measure a frame together.
#define N_THREADS 16

GstBuffer *
GroupsFrames::copy_to_host (const uint8_t *buffer)
{
  const GstVideoInfo *video = &plan->format->video;
  const size_t size = histo_packed_size (plan->format);
  void *memory = g_malloc (size);
  GstBuffer *copy = gst_buffer_new_wrapped (memory, size);
  HistoPlane planes[HISTO_MAX_PLANES];
  gsize offsets[GST_VIDEO_MAX_PLANES] = {};
  gint strides[GST_VIDEO_MAX_PLANES] = {};

  BENCH_CHECK (cudaMemcpyAsync (memory, buffer, size, cudaMemcpyDeviceToHost, stream));
  BENCH_CHECK (cudaStreamSynchronize (stream));
  histo_packed_locate (plan->format, 0, planes);
  for (guint p = 0; p < plan->format->n_planes; p++) {
    offsets[p] = planes[p].data;
    strides[p] = planes[p].stride;
  }
  gst_buffer_add_video_meta_full (copy, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT (video),
      GST_VIDEO_INFO_WIDTH (video), GST_VIDEO_INFO_HEIGHT (video), GST_VIDEO_INFO_N_PLANES (video),
      offsets, strides);
  return copy;
}

bool
GroupsFrames::equals (const HistoCounts &found, const HistoCounts &expected)
{
  const uint32_t *counters = found.counters;
  const uint64_t *sums_found = (const uint64_t *) tallies;

  for (guint i = 0; i < plan->n_components; i++) {
    const HistoComponent *component = &plan->components[i];
    const gsize first = component->first_bin;

    for (gsize bin = first; bin < first + component->n_values; bin++) {
      if (counters[bin] == expected.counters[bin])
        continue;
      fprintf (stderr, "region %u, component %u (%s), value %zu: %u, not %u\n",
          i / plan->n_region_components, i % plan->n_region_components, component->name, bin - first,
          counters[bin], expected.counters[bin]);
      return false;
    }
  }
  for (guint j = 0; j < plan->n_joints; j++) {
    const guint32 *joined = histo_plan_join_joint (&found, j);

    for (guint bin = 0; bin < HISTO_SCOPE_BINS; bin++) {
      const guint32 wanted = expected.joints[j * HISTO_SCOPE_BINS + bin];

      if (joined[bin] == wanted)
        continue;
      fprintf (stderr, "%s, bin %u: %u, not %u\n", histo_joints[plan->joints[j]].name, bin, joined[bin], wanted);
      return false;
    }
  }
  for (gsize i = 0; i < plan->n_tallies; i++) {
    if (sums_found[i] == expected.tallies[i])
      continue;
    fprintf (stderr, "tally %zu: %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT "\n", i,
        sums_found[i], expected.tallies[i]);
    return false;
  }
  return true;
}

bool
GroupsFrames::is_exact (const uint8_t *const buffers[2], const HistoPlane *const planes[2])
{
  HistoEngine *cpu = histo_engine_cpu_new ();
  HistoEngineConfig config = {};
  std::vector<guint32> joints (histo_plan_joint_counters (plan));
  GError *error = nullptr;
  bool is_equal = false;

  config.plan = plan;
  config.max_in_flight = N_THREADS;
  require (cpu->klass->open (cpu, nullptr, 0, &error)
      && cpu->klass->configure (cpu, &config, &error), error);
  for (int i = 0; i < 2; i++) {
    GstBuffer *buffer = copy_to_host (buffers[i]);
    HistoFrameInfo info = {};
    HistoCounts counts = {}, found = {};

    memset (result, 0xa5, result_bytes);
    memset (tallies, 0xa5, plan->n_tallies * 8);
    launch (planes[i], i);
    BENCH_CHECK (cudaStreamSynchronize (stream));
    found.counters = (guint32 *) result;
    if (plan->mask == nullptr)
      histo_cuda_find_halves (&kernels, plan->format, plan->n_counters, (guint32 *) result,
          found.halves);
    histo_plan_join_halves (plan, &found);
    found.joints = joints.data ();
    found.joint_halves = (HistoHalves *) joint_halves;
    for (guint j = 0; j < plan->n_joints; j++)
      found.joint_halves[j].is_joined = FALSE;
    histo_plan_count_axes (plan, &found);
    info.continues = i > 0;
    HistoSlot *slot = cpu->klass->submit (cpu, buffer, &info, &error);
    require (slot != nullptr && cpu->klass->wait (cpu, slot, &counts, &error), error);
    // The first frame has no previous one: what needs it is not valid.
    is_equal = i == 0 || equals (found, counts);
    cpu->klass->release (cpu, slot);
    gst_buffer_unref (buffer);
  }
  histo_engine_free (cpu);
  return is_equal;
}
