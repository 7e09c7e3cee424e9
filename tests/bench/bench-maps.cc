// The groups and regions of video, for cudahisto-bench.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bench-maps.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench.cuh"

static void
require (gboolean ok, GError *error)
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

/* The plan of the kernel that works pixel by pixel. */
void
MapsFrames::plan_plain ()
{
  HistoCudaLimits limits = kernels.limits;

  /* Too little for the kernels that also count the picture's samples. */
  limits.shared_memory_per_block = 49152;
  histo_cuda_plan_maps (&limits, plan, &plain);
  plain.kernel = HISTO_MAPS_pixels;
}

MapsFrames::MapsFrames (const HistoCudaKernels &with, CUstream on, HistoFormat *format,
    unsigned groups, unsigned n_regions, unsigned region_width, unsigned region_height)
: kernels (with), stream (on)
{
  GArray *specs = grid_of_regions (n_regions, region_width, region_height, format);
  HistoPlanSettings settings = {};
  const HistoCudaLimits *limits = &kernels.limits;

  settings.groups = groups;
  settings.regions = specs;
  plan = histo_plan_new (format, &settings);
  g_array_unref (specs);
  histo_cuda_plan_maps (limits, plan, &maps);
  plan_plain ();

  const size_t scratch_bytes = histo_cuda_plan_video_scratch (limits, format, plan->n_counters);

  result_bytes = histo_cuda_plan_video_result (limits, format, plan->n_counters);
  BENCH_CHECK (cudaMallocHost (&result, result_bytes));
  BENCH_CHECK (cudaMallocHost (&tallies, plan->n_tallies * 8 + 8));
  BENCH_CHECK (cudaMalloc (&scratch, scratch_bytes));
  BENCH_CHECK (cudaMemsetAsync (scratch, 0, scratch_bytes, stream));
  BENCH_CHECK (cudaMalloc (&sums, maps.sums_bytes));
  BENCH_CHECK (cudaMemsetAsync (sums, 0, maps.sums_bytes, stream));
  if (plan->chroma_table != nullptr) {
    const size_t bytes = sizeof (guint32) << (2 * plan->maps.depth);

    BENCH_CHECK (cudaMalloc (&chroma_table, bytes));
    BENCH_CHECK (cudaMemcpyAsync (chroma_table, plan->chroma_table, bytes, cudaMemcpyHostToDevice,
        stream));
  }
  const size_t picture_bytes = MAX (maps.picture_bytes, plain.picture_bytes);

  for (void *&picture : pictures) {
    if (picture_bytes > 0)
      BENCH_CHECK (cudaMalloc (&picture, picture_bytes));
  }
  BENCH_CHECK (cudaStreamSynchronize (stream));
}

MapsFrames::~MapsFrames ()
{
  for (void *memory : { scratch, sums, chroma_table, pictures[0], pictures[1] })
    BENCH_CHECK (cudaFree (memory));
  BENCH_CHECK (cudaFreeHost (result));
  BENCH_CHECK (cudaFreeHost (tallies));
  histo_plan_unref (plan);
}

void
MapsFrames::launch_samples (const HistoPlane *planes)
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
MapsFrames::launch_maps (const HistoCudaMapsPlan &with, const HistoPlane *planes, int number,
    bool overlaps)
{
  const HistoFrameInfo info = {};
  HistoCudaMapsFrame frame = {};
  GError *error = nullptr;

  frame.planes = planes;
  frame.info = &info;
  frame.picture = (uint64_t) pictures[number % 2];
  frame.previous = plan->needs_previous && number > 0 ? (uint64_t) pictures[1 - number % 2] : 0;
  frame.scratch = (uint64_t) scratch;
  frame.result = (uint64_t) result;
  frame.sums = (uint64_t) sums;
  frame.tallies = (uint64_t) tallies;
  frame.chroma_table = (uint64_t) chroma_table;
  require (histo_cuda_launch_maps (&kernels, &with, &frame, overlaps, stream, &error), error);
}

void
MapsFrames::launch_all (const HistoCudaMapsPlan &with, const HistoPlane *planes, int number)
{
  if (!plan->has_maps || !with.counts_samples)
    launch_samples (planes);
  if (plan->has_maps)
    launch_maps (with, planes, number, !with.counts_samples);
}

void
MapsFrames::launch (const HistoPlane *planes, int number)
{
  launch_all (maps, planes, number);
}

std::vector<uint8_t>
MapsFrames::results ()
{
  const size_t counters = plan->n_counters * sizeof (guint32), more = plan->n_tallies * 8;
  std::vector<uint8_t> bytes (counters + more);

  BENCH_CHECK (cudaStreamSynchronize (stream));
  memcpy (bytes.data (), result, counters);
  memcpy (bytes.data () + counters, tallies, more);
  return bytes;
}

bool
MapsFrames::is_exact (const HistoPlane *first, const HistoPlane *second)
{
  const size_t tallies_bytes = plan->n_tallies * 8;
  std::vector<uint8_t> found;

  memset (result, 0x5a, result_bytes);
  memset (tallies, 0x5a, tallies_bytes);
  launch (first, 0);
  launch (second, 1);
  found = results ();
  memset (result, 0xa5, result_bytes);
  memset (tallies, 0xa5, tallies_bytes);
  launch_all (plain, first, 0);
  launch_all (plain, second, 1);
  return found == results ();
}
