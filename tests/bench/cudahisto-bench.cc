// The kernels against the memory, CUB and NPP, in one program and one run.
//
//   cudahisto-bench [--json] [--quick] [--only TEXT] [--shared-memory BYTES]
//       [--tune FIELD=VALUE]...
//   cudahisto-bench --tune-report
//
// --shared-memory: plan as for a device whose blocks can have so much. This device's memory and
// caches stay as they are.
//
// --tune-report: tries values of the tuning table, and prints the row for this device.
//
// --quick: fewer repetitions, and groups and regions with a photo and noise alone.
// --only: the rows whose name has this text. Those of groups and regions begin with "groups:"; each is
// one line, and groups-table.py makes a table of two runs.
//
// What is launched is the production's: the plugin's own formats, tuning and fatbin. Every
// case is first compared with a plain kernel, or with the CPU engine, and nothing is timed that is
// not exact. Times are medians by events over rotating buffers.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bench.cuh"
#include "bench-groups.h"
#include "bench-tune.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <cuda.h>

extern "C" {
#include "engine/cuda/compare.h"
#include "engine/cuda/driver.h"
#include "engine/cuda/launch.h"
#include "engine/cuda/tuning.h"
#include "media/format.h"
#include "media/mask.h"
#include "media/pack.h"
#include "measures/statistics.h"
}

static const HistoDriver *driver;
static cudaStream_t stream;
static HistoCudaKernels kernels;
static bool as_json = false, quick = false;
static const char *only = "";
static int n_failed = 0, n_rows = 0, n_targets = 0, n_wrong = 0;

static void
check (gboolean ok, GError *&error)
{
  if (ok)
    return;
  fprintf (stderr, "%s\n", error->message);
  exit (1);
}

// ---- Timing -------------------------------------------------------------------------------

template <typename Number>
static Number
median (std::vector<Number> numbers)
{
  std::sort (numbers.begin (), numbers.end ());
  return numbers[numbers.size () / 2];
}

// The host's time.
static double
now_us ()
{
  timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

// Microseconds per call: the median of `rounds` events around `calls` calls, which are
// given a running number to rotate their buffers by.
static double
time_us (int calls, const std::function<void (int)> &call)
{
  const int rounds = quick ? 5 : 9;
  std::vector<float> times;
  cudaEvent_t begin, end;
  int number = 0;

  BENCH_CHECK (cudaEventCreate (&begin));
  BENCH_CHECK (cudaEventCreate (&end));
  for (int i = 0; i < 3; i++)
    call (number++);
  for (int round = 0; round < rounds; round++) {
    float milliseconds;

    BENCH_CHECK (cudaEventRecord (begin, stream));
    for (int i = 0; i < calls; i++)
      call (number++);
    BENCH_CHECK (cudaEventRecord (end, stream));
    BENCH_CHECK (cudaEventSynchronize (end));
    BENCH_CHECK (cudaEventElapsedTime (&milliseconds, begin, end));
    times.push_back (milliseconds * 1000 / calls);
  }
  BENCH_CHECK (cudaEventDestroy (begin));
  BENCH_CHECK (cudaEventDestroy (end));
  return median (times);
}

// Microseconds of the fastest reader for the buffers that buffer (number) gives. With `each`,
// also of each reader.
static double
roofline_us (int calls, size_t bytes, const std::function<const void * (int)> &buffer,
    std::vector<double> *each = nullptr)
{
  double best = HUGE_VAL;
  unsigned *sum;

  BENCH_CHECK (cudaMalloc (&sum, sizeof *sum));
  for (int r = 0; r < n_readers (); r++) {
    const double us = has_reader (r)
        ? time_us (calls, [&] (int i) { read_only (r, buffer (i), bytes, sum, stream); }) : HUGE_VAL;

    best = std::min (best, us);
    if (each != nullptr)
      each->push_back (us);
  }
  BENCH_CHECK (cudaFree (sum));
  return best;
}

// ---- Output -------------------------------------------------------------------------------

struct Row
{
  std::string work, content;
  size_t bytes;
  double ours, roofline, cub, npp;      // microseconds; 0 = not measured
  std::string measure;          // what the target speaks of
  double value, target;         // a target of 0: none, told for information
  bool at_least;
};

// Whether the row meets its target; counts it.
static const char *
judge (const Row &row)
{
  const bool has_target = row.target > 0;
  const bool pass = !has_target
      || (row.at_least ? row.value >= row.target : row.value <= row.target);

  n_failed += !pass;
  n_targets += has_target;
  n_rows++;
  return !has_target ? "INFO" : pass ? "PASS" : "FAIL";
}

static void
print_row (const Row &row)
{
  const char *const result = judge (row);

  if (as_json) {
    printf ("%s\n  {\"work\": \"%s\", \"content\": \"%s\", \"bytes\": %zu, \"ours_us\": %.3f, "
        "\"roofline_us\": %.3f, \"cub_us\": %.3f, \"npp_us\": %.3f, \"measure\": \"%s\", "
        "\"value\": %.4f, \"target\": %.4f, \"result\": \"%s\"}", n_rows == 1 ? "[" : ",",
        row.work.c_str (), row.content.c_str (), row.bytes, row.ours, row.roofline, row.cub,
        row.npp, row.measure.c_str (), row.value, row.target, result);
    return;
  }
  if (n_rows == 1)
    printf ("%-34s %-9s %9s %9s %9s %9s  %-28s\n", "work", "content", "ours us", "roof us",
        "CUB us", "NPP us", "measure");
  printf ("%-34s %-9s %9.2f %9.2f %9.2f %9.2f  %-22s %6.3f (%s %.3g) %s\n", row.work.c_str (),
      row.content.c_str (), row.ours, row.roofline, row.cub, row.npp, row.measure.c_str (),
      row.value, row.at_least ? ">=" : "<=", row.target, result);
  fflush (stdout);
}

// The same work with one content after the other, as one line: the times; then, if the rows have a measure of
// their own, its values; and the target of the first one.
static void
print_contents (const std::vector<Row> &rows)
{
  static bool has_header = false;
  const Row &first = rows[0];
  const char *result = nullptr;

  if (as_json) {
    for (const Row &row : rows)
      print_row (row);
    return;
  }
  if (!has_header)
    printf ("%-52s %9s %9s %9s %9s\n", "groups and regions: us", "photo", "noise", "constant",
        "mod-32");
  has_header = true;
  printf ("%-52s", first.work.c_str ());
  for (int i = 0; i < N_CONTENTS; i++) {
    if (i < (int) rows.size ())
      printf (" %9.2f", rows[i].ours);
    else
      printf (" %9s", "-");
  }
  if (first.measure != "us a frame")
    printf ("  %s:", first.measure.c_str ());
  for (const Row &row : rows) {
    const char *const own = judge (row);

    result = result == nullptr ? own : result;
    if (row.measure != "us a frame")
      printf (" %.3f", row.value);
  }
  if (first.target > 0)
    printf ("  (photo <= %.3g) %s", first.target, result);
  printf ("\n");
  fflush (stdout);
}

static bool
is_wanted (const std::string &work)
{
  return work.find (only) != std::string::npos;
}

// ---- Frames ---------------------------------------------------------------------------------

// A format at a size, with enough buffers to be read from memory rather than from cache.
class Frames
{
public:
  HistoFormat *format;
  size_t bytes = 0;             // of samples in one buffer
  std::vector<uint8_t *> buffers;
  uint32_t *counters;           // page-locked
  uint8_t *scratch;
  std::vector<HistoVideoLaunch> launches;

  Frames (const char *name, int width, int height, size_t least_total)
  {
    char text[200];
    GstCaps *caps;

    snprintf (text, sizeof text, "video/x-raw,format=%s,width=%d,height=%d,framerate=25/1",
        name, width, height);
    caps = gst_caps_from_string (text);
    format = histo_format_new (caps, nullptr);
    gst_caps_unref (caps);
    for (guint p = 0; p < format->n_planes; p++)
      bytes += (size_t) format->planes[p].rows * format->planes[p].periods
          * format->planes[p].period_bytes;

    const size_t size = histo_packed_size (format);
    const size_t n = std::max<size_t> (2, (least_total + size - 1) / size);
    const size_t scratch_bytes = histo_cuda_plan_video_scratch (&kernels.limits, format,
        format->n_bins);

    BENCH_CHECK (cudaMallocHost (&counters, histo_cuda_plan_video_result (&kernels.limits, format,
        format->n_bins)));
    BENCH_CHECK (cudaMalloc (&scratch, scratch_bytes));
    BENCH_CHECK (cudaMemsetAsync (scratch, 0, scratch_bytes, stream));
    for (size_t i = 0; i < n; i++) {
      uint8_t *buffer;
      HistoVideoLaunch parameters = {};

      BENCH_CHECK (cudaMalloc (&buffer, size));
      buffers.push_back (buffer);
      parameters.n_planes = format->n_planes;
      parameters.n_bins = format->n_bins;
      parameters.scratch = (uint64_t) scratch;
      parameters.result = (uint64_t) counters;
      histo_packed_locate (format, (guint64) buffer, parameters.planes);
      launches.push_back (parameters);
    }
  }

  ~Frames ()
  {
    for (uint8_t *buffer : buffers)
      BENCH_CHECK (cudaFree (buffer));
    BENCH_CHECK (cudaFree (scratch));
    BENCH_CHECK (cudaFreeHost (counters));
    histo_format_unref (format);
  }

  void
  fill (Content content)
  {
    const HistoSample &sample = format->planes[0].samples[0];
    const size_t n = histo_packed_size (format) / sample.bytes;
    int bits = 0;

    for (uint32_t mask = sample.mask; mask; mask >>= 1)
      bits++;
    for (size_t i = 0; i < buffers.size (); i++) {
      if (sample.bytes == 4)
        fill_fields (buffers[i], n, content, (uint32_t) i + 1, stream);
      else
        fill_samples (buffers[i], n, sample.bytes, bits, sample.shift, content, (uint32_t) i + 1,
            stream);
    }
  }

  // Gives packed pictures the alpha of a camera's.
  void
  make_opaque ()
  {
    const HistoPlane &plane = format->planes[0];

    for (uint32_t i = 0; i < plane.n_samples; i++) {
      const HistoSample &sample = plane.samples[i];

      for (uint8_t *buffer : buffers) {
        if (sample.component == 3)
          set_bits (buffer, histo_packed_size (format) / plane.period_bytes, plane.period_bytes, sample.offset,
              sample.bytes, sample.mask << sample.shift, stream);
      }
    }
  }

  uint8_t *
  buffer (int number) const
  {
    return buffers[number % buffers.size ()];
  }

  void
  launch (int number)
  {
    GError *error = nullptr;
    HistoVideoLaunch parameters = launches[number % launches.size ()];

    check (histo_cuda_launch_video (&kernels, &parameters, (CUstream) stream, &error), error);
  }

  // Joins the halves of all components that have some.
  void
  join ()
  {
    HistoHalves *halves[HISTO_MAX_COMPONENTS];

    histo_cuda_find_halves (&kernels, format, format->n_bins, counters, halves);
    for (guint c = 0; c < format->n_components; c++) {
      if (halves[c] != nullptr)
        histo_halves_join (halves[c], counters + format->components[c].first_bin);
    }
  }

  // What the host does after a launch for a component with halves, each time with counts that have
  // just come: all figures; all figures and the histogram; the counters for those that need them.
  struct HostTimes
  {
    double figures, with_histogram, join;       // microseconds
  };

  HostTimes
  host_us ()
  {
    const HistoBins bins = {};
    std::vector<uint32_t> histogram (HISTO_PACKED_BINS);
    const auto find_figures = [&] (uint32_t *wanted) {
      HistoHalves *halves[HISTO_MAX_COMPONENTS];
      HistoHistogram native;
      HistoFigures figures;

      histo_cuda_find_halves (&kernels, format, format->n_bins, counters, halves);
      histo_histogram_init_halves (&native, halves[0]);
      histo_statistics_from_native (&figures, &native, &bins, wanted);
    };
    const auto time = [&] (const std::function<void ()> &work) {
      std::vector<double> times;

      for (int i = 0; i < 32; i++) {
        launch (i);
        BENCH_CHECK (cudaStreamSynchronize (stream));
        const double begin = now_us ();
        work ();
        times.push_back (now_us () - begin);
      }
      return median (times);
    };

    return { time ([&] { find_figures (nullptr); }), time ([&] { find_figures (histogram.data ()); }),
      time ([&] { join (); }) };
  }

  // Compares every component of some buffers with the plain kernel.
  void
  verify ()
  {
    uint32_t *device;
    std::vector<uint32_t> expected (65536);

    BENCH_CHECK (cudaMalloc (&device, 65536 * sizeof *device));
    for (int b = 0; b < (int) std::min<size_t> (buffers.size (), 3); b++) {
      memset (counters, 0xa5, histo_cuda_plan_video_result (&kernels.limits, format,
        format->n_bins));
      launch (b);
      BENCH_CHECK (cudaStreamSynchronize (stream));
      join ();
      for (guint c = 0; c < format->n_components; c++) {
        BENCH_CHECK (cudaMemsetAsync (device, 0, 65536 * sizeof *device, stream));
        for (guint p = 0; p < format->n_planes; p++)
          count_plainly (launches[b].planes[p], c, device);
        BENCH_CHECK (cudaMemcpyAsync (expected.data (), device, 65536 * sizeof *device,
                cudaMemcpyDeviceToHost, stream));
        BENCH_CHECK (cudaStreamSynchronize (stream));
        if (memcmp (expected.data (), counters + format->components[c].first_bin,
                sizeof *counters << format->components[c].depth) != 0) {
          fprintf (stderr, "%s: component %u is wrong; nothing more is timed\n",
              GST_VIDEO_INFO_NAME (&format->video), c);
          exit (1);
        }
      }
    }
    BENCH_CHECK (cudaFree (device));
  }

private:
  static void
  count_plainly (const HistoPlane &plane, guint component, uint32_t *device)
  {
    for (guint s = 0; s < plane.n_samples; s++) {
      const HistoSample &sample = plane.samples[s];
      const int period = plane.period_bytes / sample.bytes;     // words

      if (sample.component != component)
        continue;
      // Rows without gaps are one.
      const bool is_dense = sample.count == plane.periods
          && plane.stride == (int64_t) plane.periods * plane.period_bytes;
      const guint rows = is_dense ? 1 : plane.rows;
      const size_t n = (size_t) sample.count * (is_dense ? plane.rows : 1);

      for (guint y = 0; y < rows; y++)
        reference_histogram ((const void *) (plane.data + y * plane.stride + sample.offset),
            n * period, sample.bytes, period, 0, sample.shift, sample.mask, device, stream);
    }
  }
};

static const size_t cold = 192 << 20;   // of buffers to rotate: several times the cache

struct FrameCase
{
  const char *work, *format;
  int width, height;
  double target;                // share of the roofline
  int cub_channels;             // interleaved ones that CUB can count, or 0
  bool is_opaque = false;       // alpha is the greatest value
};

// Large data: what share of the roofline the counting reaches.
static void
bench_large (const FrameCase &c)
{
  uint32_t *device;

  if (!is_wanted (c.work))
    return;
  Frames frames (c.format, c.width, c.height, 0);
  BENCH_CHECK (cudaMalloc (&device, 65536 * 4 * sizeof *device));
  for (int content = 0; content < N_CONTENTS; content++) {
    Row row = { c.work, content_names[content], frames.bytes, 0, 0, 0, 0,
      "share of the roofline", 0, c.target, true };
    const guint bins = 1u << frames.format->components[0].depth;
    const size_t n = frames.bytes;

    frames.fill ((Content) content);
    if (c.is_opaque)
      frames.make_opaque ();
    frames.verify ();
    row.ours = time_us (3, [&] (int i) { frames.launch (i); });
    row.roofline = roofline_us (3, n, [&] (int i) { return frames.buffer (i); });
    if (c.cub_channels == 1 && bins == 256)
      row.cub = time_us (3, [&] (int i) { cub_histogram_8 (frames.buffer (i), n, device, stream); });
    else if (c.cub_channels == 1)
      row.cub = time_us (1, [&] (int i) {
        cub_histogram_16 (frames.buffer (i), n / 2, 65536, device, stream);
      });
    else if (c.cub_channels > 1)
      row.cub = time_us (3, [&] (int i) {
        cub_histogram_multi (frames.buffer (i), n / c.cub_channels, c.cub_channels, device,
            stream);
      });
    if (bins == 256 && c.cub_channels == 1
        && npp_histogram_8 (frames.buffer (0), c.width, c.height, (int *) device, stream))
      row.npp = time_us (3, [&] (int i) {
        npp_histogram_8 (frames.buffer (i), c.width, c.height, (int *) device, stream);
      });
    row.value = row.roofline / row.ours;
    print_row (row);
  }
  BENCH_CHECK (cudaFree (device));
}

// What each reader takes for large data: the roofline is the fastest.
static void
bench_readers (const char *work)
{
  const size_t bytes = 512 << 20;
  std::vector<double> each;
  uint8_t *buffers[2];

  if (!is_wanted (work))
    return;
  for (uint8_t *&buffer : buffers) {
    BENCH_CHECK (cudaMalloc (&buffer, bytes));
    fill_samples (buffer, bytes, 1, 8, 0, CONTENT_UNIFORM, 1, stream);
  }
  const double best = roofline_us (3, bytes, [&] (int i) { return buffers[i % 2]; }, &each);

  for (int r = 0; r < n_readers (); r++) {
    Row row = { std::string (work) + ", " + reader_name (r), "uniform", bytes, each[r], best, 0, 0,
      "of the fastest's speed", best / each[r], 0, true };

    if (has_reader (r))
      print_row (row);
  }
  for (uint8_t *buffer : buffers)
    BENCH_CHECK (cudaFree (buffer));
}

// Two frames of NV12, which lie one after the other: differences, PSNR and SSIM, against reading both.
static void
bench_pair (const char *work, int width, int height, double most_times)
{
  if (!is_wanted (work))
    return;
  Frames frames ("NV12", width, height, 0);
  const size_t size = histo_packed_size (frames.format);
  const size_t n = std::max<size_t> (2, cold / (2 * size) + 1);
  const HistoCompareRectangle rectangles[] = { { 0, 0, (guint) width, (guint) height },
    { 0, 0, (guint) width / 2, (guint) height / 2 }, { 0, 0, (guint) width / 2, (guint) height / 2 } };
  HistoCudaComparePlan plan;
  HistoCudaCompareFrame launches;
  std::vector<uint8_t *> buffers (n);
  void *result = nullptr;
  GError *error = nullptr;

  check (histo_cuda_compare_plan (&kernels.limits, frames.format, frames.format, &plan, &error), error);
  histo_cuda_compare_frame_init (&launches);
  for (uint8_t *&buffer : buffers)
    BENCH_CHECK (cudaMalloc (&buffer, 2 * size));
  for (int content = 0; content < 2; content++) {
    Row row = { work, content_names[content], 2 * size, 0, 0, 0, 0, "times reading both", 0, most_times, false };

    for (size_t i = 0; i < n; i++)
      fill_samples (buffers[i], 2 * size, 1, 8, 0, (Content) content, (uint32_t) i + 1, stream);
    row.ours = time_us (64, [&] (int i) {
      HistoPlane planes[2][HISTO_MAX_PLANES];
      const HistoCudaPicture pictures[2] = { { planes[0], 0 }, { planes[1], 0 } };

      for (int p = 0; p < 2; p++)
        histo_packed_locate (frames.format, (guint64) buffers[i % n] + p * size, planes[p]);
      histo_cuda_compare_plan_frame (&plan, pictures, rectangles, 1, TRUE, &launches);
      if (result == nullptr)
        BENCH_CHECK (cudaMallocHost (&result, histo_cuda_compare_result_bytes (&launches)));
      check (histo_cuda_compare_launch (&kernels, &plan, &launches, (CUdeviceptr) result, stream, &error), error);
    });
    row.roofline = roofline_us (64, 2 * size, [&] (int i) { return buffers[i % n]; });
    row.value = row.ours / row.roofline;
    print_row (row);
  }
  for (uint8_t *buffer : buffers)
    BENCH_CHECK (cudaFree (buffer));
  BENCH_CHECK (cudaFreeHost (result));
  histo_cuda_compare_frame_clear (&launches);
}

// One frame, complete: against reading it and against CUB's complete set, or against an empty
// kernel and the time that reading takes. Targets of 0: none.
static void
bench_frame (const char *work, const char *name, int width, int height, bool against_cub,
    double most_times, double least_times_cub)
{
  uint32_t *device;
  uint64_t *results;

  if (!is_wanted (work))
    return;
  Frames frames (name, width, height, cold);
  BENCH_CHECK (cudaMalloc (&device, 65536 * sizeof *device));
  BENCH_CHECK (cudaMalloc (&results, 3 * sizeof *results));
  const double nothing = time_us (64, [&] (int) { empty_kernel (stream); });
  for (int content = 0; content < 2; content++) {
    Row row = { work, content_names[content], frames.bytes, 0, 0, 0, 0, "", 0, 0, false };
    const size_t n = frames.bytes;
    const guint bins = 1u << frames.format->components[0].depth;

    frames.fill ((Content) content);
    frames.verify ();
    row.ours = time_us (64, [&] (int i) { frames.launch (i); });
    row.roofline = roofline_us (64, n, [&] (int i) { return frames.buffer (i); });
    if (against_cub)
      row.cub = time_us (16, [&] (int i) {
        if (bins == 256) {
          cub_histogram_8 (frames.buffer (i), n, device, stream);
          cub_sum_min_max_8 (frames.buffer (i), n, results, stream);
        } else {
          cub_histogram_16 (frames.buffer (i), n / 2, bins, device, stream);
        }
      });
    if (against_cub && most_times > 0) {
      row.measure = "times reading it";
      row.value = row.ours / row.roofline;
      row.target = most_times;
      print_row (row);
    }
    if (least_times_cub > 0) {
      row.measure = "times faster than CUB";
      row.value = row.cub / row.ours;
      row.target = least_times_cub;
      row.at_least = true;
      print_row (row);
    }
    if (bins == 65536) {
      // By the processor, while the device may have the next frame.
      const Frames::HostTimes host = frames.host_us ();

      row.roofline = row.cub = 0;
      row.measure = "us of the host";
      row.at_least = false;
      const auto print = [&] (const char *content, double us, double target) {
        row.content = content;
        row.ours = row.value = us;
        row.target = target;
        print_row (row);
      };
      print ("figures", host.figures, 15);
      print ("histogram", host.with_histogram, 0);
      print ("join", host.join, 0);
    }
    if (!against_cub) {
      const double share = 4.63e6;      // bytes a microsecond: the roofline of large data

      row.measure = "times empty + reading";
      row.value = row.ours / (nothing + n / share);
      row.target = most_times;
      print_row (row);
    }
  }
  BENCH_CHECK (cudaFree (device));
  BENCH_CHECK (cudaFree (results));
}

// ---- Masks ---------------------------------------------------------------------------------------

// A mask file in which half the pixels take part.
static HistoMask *
diamond_new (const HistoFormat *format)
{
  const int width = format->width, height = format->height;
  guint8 *pixels = g_new0 (guint8, (gsize) width * height);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      if (std::abs (2. * x / width - 1) + std::abs (2. * y / height - 1) < 1)
        pixels[(size_t) y * width + x] = HISTO_MASK_PART;
  return histo_mask_new (width, height, pixels);
}

// What the engine does with a frame under a mask: a copy for each of some frames in flight.
class MaskedFrames
{
public:
  Frames &frames;

  // is_alpha: the mask is the last byte of each period of four; else a file
  MaskedFrames (Frames &of, bool is_alpha) : frames (of), alpha (is_alpha ? 3 : -1)
  {
    const size_t size = histo_packed_size (frames.format);

    for (void *&copy : copies)
      BENCH_CHECK (cudaMalloc (&copy, size));
    if (is_alpha)
      return;
    bytes = make_bytes ();
    const bool is_of_bytes = histo_mask_is_of_bytes (frames.format);
    std::vector<uint8_t> bits (size / 8);

    if (is_of_bytes)
      histo_mask_pack_bits (bytes.data (), size, bits.data ());
    const std::vector<uint8_t> &used = is_of_bytes ? bits : bytes;
    BENCH_CHECK (cudaMalloc (&mask, used.size ()));
    BENCH_CHECK (cudaMemcpyAsync (mask, used.data (), used.size (), cudaMemcpyHostToDevice, stream));
    BENCH_CHECK (cudaStreamSynchronize (stream));
  }

  ~MaskedFrames ()
  {
    for (void *copy : copies)
      BENCH_CHECK (cudaFree (copy));
    BENCH_CHECK (cudaFree (mask));
  }

  void
  launch_mask (int number)
  {
    HistoCudaMaskFrame frame = {};
    GError *error = nullptr;

    frame.planes = frames.launches[number % frames.launches.size ()].planes;
    frame.copy = (uint64_t) copies[number % n_copies];
    frame.mask = (uint64_t) mask;
    check (histo_cuda_launch_mask (&kernels, frames.format, alpha, &frame, (CUstream) stream, &error), error);
  }

  void
  launch (int number)
  {
    HistoVideoLaunch parameters = frames.launches[number % frames.launches.size ()];
    GError *error = nullptr;

    launch_mask (number);
    histo_packed_locate (frames.format, (guint64) copies[number % n_copies], parameters.planes);
    check (histo_cuda_launch_video (&kernels, &parameters, (CUstream) stream, &error), error);
  }

  // Compares the copy of a frame with the frame. Counting itself is verified without a mask.
  void
  verify ()
  {
    const size_t size = histo_packed_size (frames.format);
    std::vector<uint8_t> frame (size), copy (size);
    HistoPlane planes[HISTO_MAX_PLANES];
    const bool is_of_bytes = histo_mask_is_of_bytes (frames.format);
    const auto kept = [&] (size_t at) -> uint8_t {
      if (alpha >= 0)
        return frame[at | 3] != 0 ? 0xff : 0;
      return is_of_bytes && bytes[at] != 0 ? 0xff : bytes[at];
    };

    launch_mask (0);
    BENCH_CHECK (cudaMemcpyAsync (frame.data (), frames.buffer (0), size, cudaMemcpyDeviceToHost, stream));
    BENCH_CHECK (cudaMemcpyAsync (copy.data (), copies[0], size, cudaMemcpyDeviceToHost, stream));
    BENCH_CHECK (cudaStreamSynchronize (stream));
    histo_packed_locate (frames.format, 0, planes);
    for (guint p = 0; p < frames.format->n_planes; p++)
      for (guint y = 0; y < planes[p].rows; y++)
        for (size_t i = 0; i < histo_plane_row_bytes (&planes[p]); i++) {
          const size_t at = planes[p].data + y * planes[p].stride + i;
          if (copy[at] == (frame[at] & kept (at)))
            continue;
          fprintf (stderr, "%s under a mask: byte %zu is wrong; nothing more is timed\n",
              GST_VIDEO_INFO_NAME (&frames.format->video), at);
          exit (1);
        }
  }

private:
  static constexpr int n_copies = 4;            // as many as max-in-flight
  void *copies[n_copies] = {}, *mask = nullptr;
  const int alpha;
  std::vector<uint8_t> bytes;   // of the mask: a packed frame

  std::vector<uint8_t>
  make_bytes () const
  {
    const HistoFormat *format = frames.format;
    HistoMask *diamond = diamond_new (format);
    std::vector<uint8_t> made (histo_packed_size (format));
    HistoMaskView view = {};
    HistoPlane planes[HISTO_MAX_PLANES];

    view.pixels = diamond->pixels;
    view.width = format->width;
    view.height = format->height;
    histo_packed_locate (format, (guint64) made.data (), planes);
    histo_mask_make_planes (&view, format, planes);
    histo_mask_unref (diamond);
    return made;
  }
};

// One frame under a mask, complete, beside the same without a mask.
static void
bench_mask (const char *work, const char *name, bool is_alpha, double most_times)
{
  if (!is_wanted (work))
    return;
  Frames frames (name, 3840, 2160, cold);
  MaskedFrames masked (frames, is_alpha);

  for (const Content content : { CONTENT_PHOTO, CONTENT_UNIFORM }) {
    Row row = { work, content_names[content], frames.bytes, 0, 0, 0, 0, "", 0, 0, false };

    frames.fill (content);
    frames.verify ();
    masked.verify ();
    row.ours = time_us (64, [&] (int i) { masked.launch (i); });
    row.measure = "times without a mask";
    row.value = row.ours / time_us (64, [&] (int i) { frames.launch (i); });
    row.target = most_times;
    print_row (row);
    row.ours = row.value = time_us (64, [&] (int i) { masked.launch_mask (i); });
    row.measure = "us of the copy";
    row.target = 0;
    print_row (row);
  }
}

// ---- Groups and regions ------------------------------------------------------------------------

#define GROUP(name) HISTO_GROUP_FLAG (HISTO_GROUP_##name)

struct GroupsCase
{
  const char *format;
  const char *what;             // of the groups
  unsigned groups, n_regions;
  double target;                // of a photo: microseconds; with regions: times the picture without
  unsigned width = 3840, height = 2160, region_width = 640, region_height = 360;
  bool is_opaque = true;        // a photo's alpha is the greatest value
  bool is_masked = false;       // half the pixels take part

  std::string
  name () const
  {
    std::string text = "groups: ";

    text += width == 3840 ? "4K" : std::to_string (width) + "x" + std::to_string (height);
    text += std::string (" ") + format + ", " + what;
    if (n_regions > 0)
      text += ", " + std::to_string (n_regions) + " regions of " + std::to_string (region_width)
          + "x" + std::to_string (region_height);
    if (is_masked)
      text += ", under a mask";
    return is_opaque ? text : text + ", changing alpha";
  }
};

// A frame with its groups or regions, complete: from the launch until the result is in the host's memory.
static void
bench_groups (const GroupsCase &c)
{
  static const Content contents[] =
      { CONTENT_PHOTO, CONTENT_UNIFORM, CONTENT_CONSTANT, CONTENT_MOD32 };
  std::vector<Row> rows;

  if (!is_wanted (c.name ()))
    return;
  Frames frames (c.format, c.width, c.height, cold);
  const auto planes = [&] (int i) { return frames.launches[i % frames.launches.size ()].planes; };
  HistoMask *mask = c.is_masked ? diamond_new (frames.format) : nullptr;
  const auto make = [&] (unsigned n_regions) {
    return std::make_unique<GroupsFrames> (kernels, (CUstream) stream, frames.format, c.groups,
        n_regions, c.region_width, c.region_height, mask);
  };
  const auto time = [&] (GroupsFrames &groups) {
    return time_us (64, [&] (int i) { groups.launch (planes (i), i + 1); });
  };
  const auto groups = make (c.n_regions), picture = c.n_regions > 0 ? make (0) : nullptr;

  for (const Content content : contents) {
    Row row = { c.name (), content_names[content], frames.bytes, 0, 0, 0, 0, "us a frame", 0, 0,
      false };
    const uint8_t *const buffers[] = { frames.buffer (0), frames.buffer (1) };
    const HistoPlane *const both[] = { planes (0), planes (1) };

    if (quick && content != CONTENT_PHOTO && content != CONTENT_UNIFORM)
      break;
    frames.fill (content);
    if (content == CONTENT_PHOTO && c.is_opaque)
      frames.make_opaque ();
    if (!groups->is_exact (buffers, both)) {
      fprintf (stderr, "%s, %s: wrong, so it is not timed\n", c.name ().c_str (),
          content_names[content]);
      n_wrong++;
      return;
    }
    row.ours = row.value = time (*groups);
    if (c.n_regions > 0) {
      row.measure = "times the picture";
      row.value = row.ours / time (*picture);
    }
    row.target = content == CONTENT_PHOTO ? c.target : 0;
    rows.push_back (row);
  }
  print_contents (rows);
  g_clear_pointer (&mask, histo_mask_unref);
}

static void
bench_all_groups ()
{
  static const char *const formats[] = {
    "NV12", "I420", "P010_10LE", "I420_10LE", "I420_12LE", "NV16", "Y42B", "I422_10LE", "YUY2",
    "UYVY", "Y210", "v210", "Y444", "Y444_10LE", "VUYA", "AYUV", "Y410", "GBR", "RGB", "BGRx",
    "RGBA", "RGB10A2_LE", "GRAY16_LE", "Y444_16LE", "ARGB64_LE", "GRAY8"
  };
  static const unsigned signal_motion = GROUP (SIGNAL) | GROUP (MOTION);
  static const unsigned every_group = signal_motion | GROUP (COLOR) | GROUP (HDR) | GROUP (DETAIL) | GROUP (AREA);
  static const unsigned three = signal_motion | GROUP (COLOR);
  static const unsigned masked = GROUP (SIGNAL) | GROUP (COLOR) | GROUP (HDR) | GROUP (GAMUT);
  static const unsigned checks = GROUP (GAMUT) | GROUP (FLASH) | GROUP (FIELD);
  static const struct { const char *format; unsigned groups; double target; } targets[] = {
    { "NV12", signal_motion, 25 }, { "P010_10LE", signal_motion, 40 }, { "NV12", every_group, 60 }
  };
  static const GroupsCase others[] = {
    { "NV12", "signal", GROUP (SIGNAL), 0, 0 },
    { "NV12", "motion", GROUP (MOTION), 0, 0 },
    { "NV12", "color", GROUP (COLOR), 0, 0 },
    { "NV12", "hdr", GROUP (HDR), 0, 0 },
    { "NV12", "detail", GROUP (DETAIL), 0, 0 },
    { "P010_10LE", "signal", GROUP (SIGNAL), 0, 0 },
    { "P010_10LE", "motion", GROUP (MOTION), 0, 0 },
    // What blocks own.
    { "Y444_16LE", "signal", GROUP (SIGNAL), 0, 0 },
    { "Y444_16LE", "motion", GROUP (MOTION), 0, 0 },
    { "Y444_16LE", "color", GROUP (COLOR), 0, 0 },
    { "Y444_16LE", "hdr", GROUP (HDR), 0, 0 },
    { "Y444_16LE", "detail", GROUP (DETAIL), 0, 0 },
    { "P016_LE", "basic", 0, 0, 0 },
    { "P016_LE", "signal+motion", signal_motion, 0, 0 },
    { "P016_LE", "all", every_group, 0, 0 },
    { "GRAY16_LE", "basic", 0, 16, 0 },
    { "GRAY16_LE", "signal+motion", signal_motion, 16, 0 },
    { "NV12", "basic", 0, 16, 1.5 },
    { "P010_10LE", "basic", 0, 16, 1.5 },
    { "NV12", "all", every_group, 16, 1.5 },
    { "P010_10LE", "all", every_group, 16, 1.5 },
    // The whole picture once more.
    { "NV12", "basic", 0, 16, 0, 3840, 2160, 960, 540 },
    { "P010_10LE", "basic", 0, 16, 0, 3840, 2160, 960, 540 },
    { "NV12", "all", every_group, 16, 0, 3840, 2160, 960, 540 },
    { "P010_10LE", "all", every_group, 16, 0, 3840, 2160, 960, 540 },
    { "I420", "basic", 0, 16, 0 },
    { "RGBA", "basic", 0, 16, 0 },
    { "RGB", "basic", 0, 16, 0 },
    { "GRAY8", "basic", 0, 16, 0 },
    { "RGBA", "signal+motion", signal_motion, 0, 0, 3840, 2160, 0, 0, false },
    { "RGBA", "all", every_group, 0, 0, 3840, 2160, 0, 0, false },
    { "RGB10A2_LE", "all", every_group, 0, 0, 3840, 2160, 0, 0, false },
    // Regions do not begin at multiples of 16 bytes.
    { "NV12", "basic", 0, 16, 0, 1080, 1920, 180, 320 },
    { "I420", "basic", 0, 16, 0, 720, 576, 120, 96 },
    { "NV12", "signal+color+hdr+gamut", masked, 0, 0, 3840, 2160, 0, 0, true, true },
    { "P010_10LE", "signal+color+hdr+gamut", masked, 0, 0, 3840, 2160, 0, 0, true, true },
    { "RGBA", "signal+color+hdr+gamut", masked, 0, 0, 3840, 2160, 0, 0, true, true },
    { "Y444_16LE", "signal+color+hdr+gamut", masked, 0, 0, 3840, 2160, 0, 0, true, true },
  };

  static const char *const checked[] = { "NV12", "P010_10LE", "I420", "YUY2", "v210", "Y444", "RGB", "RGBA", "Y444_16LE" };

  for (const char *format : formats) {
    GroupsCase cases[] = { { format, "basic", 0, 0, 0 },
      { format, "signal+motion", signal_motion, 0, 0 }, { format, "all", every_group, 0, 0 } };

    for (GroupsCase &c : cases) {
      for (const auto &t : targets) {
        if (strcmp (t.format, format) == 0 && t.groups == c.groups)
          c.target = t.target;
      }
      bench_groups (c);
    }
  }
  for (const GroupsCase &c : others)
    bench_groups (c);
  for (const char *format : checked) {
    for (const GroupsCase &c : { GroupsCase { format, "signal+motion+color", three, 0, 0 },
            GroupsCase { format, "signal+motion+color+gamut+flash+field", three | checks, 0, 0 },
            GroupsCase { format, "gamut", GROUP (GAMUT), 0, 0 }, GroupsCase { format, "flash", GROUP (FLASH), 0, 0 },
            GroupsCase { format, "field", GROUP (FIELD), 0, 0 },
            GroupsCase { format, "gamut-filter", GROUP (GAMUT_FILTER), 0, 0 },
            GroupsCase { format, "scopes", GROUP (SCOPES), 0, 0 },
            GroupsCase { format, "scopes+color", GROUP (SCOPES) | GROUP (COLOR), 0, 0 } })
      bench_groups (c);
  }
}

// ---- Audio -------------------------------------------------------------------------------------

class Audio
{
public:
  size_t bytes;
  bool is_float;
  std::vector<uint8_t *> buffers;
  uint8_t *scratch, *partials;
  uint32_t *counters;
  HistoTotals *totals;
  HistoAudioLaunch parameters = {};

  Audio (bool as_float, int channels, size_t n_samples, size_t least_total)
  : is_float (as_float)
  {
    const int sample_bytes = is_float ? 4 : 2;
    const guint n_bins = 256;

    bytes = n_samples * channels * sample_bytes;
    const size_t scratch_bytes = histo_cuda_plan_audio_scratch (channels, n_bins);
    const size_t n = std::max<size_t> (2, (least_total + bytes - 1) / bytes);

    for (size_t i = 0; i < std::min<size_t> (n, 512); i++) {
      uint8_t *buffer;

      BENCH_CHECK (cudaMalloc (&buffer, bytes));
      fill_audio (buffer, n_samples * channels, is_float, (uint32_t) i + 1, stream);
      buffers.push_back (buffer);
    }
    BENCH_CHECK (cudaMalloc (&scratch, scratch_bytes));
    BENCH_CHECK (cudaMemsetAsync (scratch, 0, scratch_bytes, stream));
    BENCH_CHECK (cudaMalloc (&partials,
            histo_cuda_plan_audio_partials (&kernels.limits, channels, n_bins)));
    BENCH_CHECK (cudaMallocHost (&counters, channels * n_bins * sizeof *counters));
    BENCH_CHECK (cudaMallocHost (&totals, channels * sizeof *totals));

    parameters.n_buffers = 1;
    parameters.sample_stride = sample_bytes * channels;
    parameters.n_channels = channels;
    parameters.sample = { (uint8_t) (is_float ? HISTO_AUDIO_FLOAT : HISTO_AUDIO_SIGNED),
      (uint8_t) sample_bytes, (uint8_t) (8 * sample_bytes), 0 };
    parameters.binning.n_bins = n_bins;
    parameters.binning.kind = is_float ? HISTO_BINNING_SCALE : HISTO_BINNING_SHIFT;
    parameters.binning.range_min = is_float ? -1 : -32768;
    parameters.binning.range_max = is_float ? 1 : 32768;
    parameters.binning.scale = is_float ? 128 : 1.0 / 256;
    parameters.binning.offset = is_float ? -128 : -32768;
    parameters.binning.shift = 8;
    parameters.scratch = (uint64_t) scratch;
    parameters.partials = (uint64_t) partials;
    parameters.buffers[0] = { 0, sample_bytes, n_samples, (uint64_t) counters, (uint64_t) totals };
  }

  ~Audio ()
  {
    for (uint8_t *buffer : buffers)
      BENCH_CHECK (cudaFree (buffer));
    BENCH_CHECK (cudaFree (scratch));
    BENCH_CHECK (cudaFree (partials));
    BENCH_CHECK (cudaFreeHost (counters));
    BENCH_CHECK (cudaFreeHost (totals));
  }

  uint8_t *
  buffer (int number) const
  {
    return buffers[number % buffers.size ()];
  }

  void
  launch (int number)
  {
    GError *error = nullptr;
    HistoAudioLaunch copy = parameters;

    copy.buffers[0].data = (uint64_t) buffer (number);
    check (histo_cuda_launch_audio (&kernels, &copy, (CUstream) stream, &error), error);
  }

  // Against plain sums on the host, of the first channel and the last.
  void
  verify ()
  {
    std::vector<uint8_t> host (bytes);

    // The second launch meets what the first has left.
    for (int i = 0; i < 2; i++) {
      memset (counters, 0xa5, parameters.n_channels * parameters.binning.n_bins * sizeof *counters);
      memset (totals, 0xa5, parameters.n_channels * sizeof *totals);
      launch (0);
      BENCH_CHECK (cudaStreamSynchronize (stream));
    }
    BENCH_CHECK (cudaMemcpyAsync (host.data (), buffers[0], bytes, cudaMemcpyDeviceToHost,
            stream));
    BENCH_CHECK (cudaStreamSynchronize (stream));
    for (guint c = 0; c < parameters.n_channels; c += std::max (1u, parameters.n_channels - 1)) {
      long double sum = 0;
      std::vector<uint32_t> bins (256);

      for (size_t i = 0; i < parameters.buffers[0].n_samples; i++) {
        const size_t at = i * parameters.n_channels + c;
        const double x = is_float ? ((const float *) host.data ())[at]
            : ((const int16_t *) host.data ())[at];
        const double bin = floor (is_float ? x * 128 + 128 : (x + 32768) / 256);

        sum += x;
        if (bin >= 0 && bin < 256)
          bins[(size_t) bin]++;
      }
      const long double ours = is_float ? (long double) totals[c].float_sum[0]
          + totals[c].float_sum[1] : (long double) totals[c].sum;

      if (fabsl (ours - sum) > 1e-9L * fabsl (sum) + 1e-6L
          || memcmp (bins.data (), counters + 256 * c, 1024) != 0) {
        fprintf (stderr, "audio: channel %u is wrong; nothing more is timed\n", c);
        exit (1);
      }
    }
  }
};

static void
bench_audio (bool is_float, int channels)
{
  char work[64];
  float *results;

  snprintf (work, sizeof work, "audio %s, %d channels", is_float ? "float32" : "int16", channels);
  if (!is_wanted (work))
    return;
  Audio audio (is_float, channels, ((size_t) (quick ? 64 : 512) << 20) / (is_float ? 4 : 2) / channels, 0);
  Row row = { work, "noise", audio.bytes, 0, 0, 0, 0, "share of the roofline", 0, 0.9, true };

  BENCH_CHECK (cudaMalloc (&results, 3 * sizeof *results));
  audio.verify ();
  row.ours = time_us (3, [&] (int i) { audio.launch (i); });
  row.roofline = roofline_us (3, audio.bytes, [&] (int i) { return audio.buffer (i); });
  if (is_float && channels == 1)
    row.cub = time_us (3, [&] (int i) {
      cub_sum_min_max_float (audio.buffer (i), audio.bytes / 4, results, stream);
    });
  row.value = row.roofline / row.ours;
  print_row (row);
  BENCH_CHECK (cudaFree (results));
}

// From one block to as many as there can be.
static void
bench_audio_buffer (int channels, size_t n_samples, double target)
{
  char work[64];

  snprintf (work, sizeof work, "audio buffer, %d x %zu float32", channels, n_samples);
  if (!is_wanted (work))
    return;
  Audio audio (true, channels, n_samples, 1 << 20);
  Row row = { work, "noise", audio.bytes, 0, 0, 0, 0, "times an empty kernel", 0, target, false };

  audio.verify ();
  row.ours = time_us (64, [&] (int i) { audio.launch (i); });
  row.roofline = time_us (64, [&] (int) { empty_kernel (stream); });
  row.value = row.ours / row.roofline;
  print_row (row);
}

// 100 bins of any widths, against as many of one width: neither has a shortcut.
static void
bench_audio_edges (bool is_float, double target)
{
  const guint n_bins = 100;
  const double low = is_float ? -1 : -32768, range = is_float ? 2 : 65536;
  double edges[n_bins + 1];
  char work[64];
  void *device;

  snprintf (work, sizeof work, "audio edges, 2 x 1024 %s", is_float ? "float32" : "int16");
  if (!is_wanted (work))
    return;
  Audio audio (is_float, 2, 1024, 1 << 20);
  Row row = { work, "noise", audio.bytes, 0, 0, 0, 0, "times bins of one width", 0, target, false };

  BENCH_CHECK (cudaMalloc (&device, sizeof edges));
  for (HistoBinningKind kind : { HISTO_BINNING_EDGES, HISTO_BINNING_SEARCH }) {
    for (guint i = 0; i <= n_bins; i++) {
      const double share = (double) i / n_bins;

      edges[i] = low + range * (kind == HISTO_BINNING_SEARCH ? share * share : share);
    }
    BENCH_CHECK (cudaMemcpy (device, edges, sizeof edges, cudaMemcpyHostToDevice));
    audio.parameters.binning.n_bins = n_bins;
    audio.parameters.binning.kind = kind;
    audio.parameters.binning.scale = n_bins / range;
    audio.parameters.binning.edges = (uint64_t) device;
    (kind == HISTO_BINNING_EDGES ? row.roofline : row.ours) = time_us (64, [&] (int i) { audio.launch (i); });
  }
  row.value = row.ours / row.roofline;
  print_row (row);
  BENCH_CHECK (cudaFree (device));
}

// ---- Launches and graphs --------------------------------------------------------------------------

// What the runtime's graphs cannot do with a kernel of the driver's.
template <typename Function>
static Function *
driver_function (const char *name)
{
  void *function = nullptr;
  cudaDriverEntryPointQueryResult found;

  BENCH_CHECK (cudaGetDriverEntryPointByVersion (name, &function, 12000, cudaEnableDefault, &found));
  return (Function *) function;
}

// One frame's work as a graph, of one kernel.
class Replay
{
public:
  explicit Replay (Frames &from) : frames (from)
  {
    auto get_nodes = driver_function<decltype (cuGraphGetNodes)> ("cuGraphGetNodes");
    auto get_params =
        driver_function<decltype (cuGraphKernelNodeGetParams)> ("cuGraphKernelNodeGetParams");
    size_t n = 1;

    set_params = driver_function<decltype (cuGraphExecKernelNodeSetParams)> (
        "cuGraphExecKernelNodeSetParams");
    BENCH_CHECK (cudaStreamBeginCapture (stream, cudaStreamCaptureModeThreadLocal));
    frames.launch (0);
    BENCH_CHECK (cudaStreamEndCapture (stream, &graph));
    BENCH_CHECK (cudaGraphInstantiate (&exec, graph, 0));
    if (get_nodes ((CUgraph) graph, &node, &n) != CUDA_SUCCESS || n != 1
        || get_params (node, &params) != CUDA_SUCCESS) {
      fprintf (stderr, "the frame's graph is not one kernel\n");
      exit (1);
    }
    parameters = *(const HistoVideoLaunch *) params.kernelParams[0];
  }

  ~Replay ()
  {
    BENCH_CHECK (cudaGraphExecDestroy (exec));
    BENCH_CHECK (cudaGraphDestroy (graph));
  }

  void
  launch ()
  {
    BENCH_CHECK (cudaGraphLaunch (exec, stream));
  }

  // As it would have to be in production: each frame lies somewhere else.
  void
  launch_with (int number)
  {
    void *pointers[] = { &parameters };

    for (guint p = 0; p < parameters.n_planes; p++) {
      const uint64_t data = frames.launches[number % frames.launches.size ()].planes[p].data;

      parameters.planes[p].data = parameters.units[p].data = data;
    }
    params.kernelParams = pointers;
    if (set_params ((CUgraphExec) exec, node, &params) != CUDA_SUCCESS) {
      fprintf (stderr, "the graph takes no other parameters\n");
      exit (1);
    }
    launch ();
  }

private:
  Frames &frames;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CUgraphNode node;
  CUDA_KERNEL_NODE_PARAMS params;
  HistoVideoLaunch parameters;
  decltype (cuGraphExecKernelNodeSetParams) *set_params;
};

static void
bench_graph (const char *work, const char *name, int width, int height)
{
  if (!is_wanted (work))
    return;
  Frames frames (name, width, height, cold);
  frames.fill (CONTENT_PHOTO);
  frames.verify ();
  Replay replay (frames);
  const double launches = time_us (64, [&] (int i) { frames.launch (i); });
  Row row = { work, "photo", frames.bytes, 0, 0, 0, 0, "times the stream's launches", 0, 0, false };

  row.content = "same";
  row.ours = time_us (64, [&] (int) { replay.launch (); });
  row.value = row.ours / launches;
  print_row (row);
  row.content = "set anew";
  row.ours = time_us (64, [&] (int i) { replay.launch_with (i); });
  row.value = row.ours / launches;
  print_row (row);
}

// ---- Upload and compute ---------------------------------------------------------------------------

// A frame's own stream, memory and result.
struct Lane
{
  cudaStream_t own;
  uint8_t *buffer, *scratch;
  uint32_t *counters;
  HistoVideoLaunch parameters = {};
};

// Frames from page-locked memory: sent and measured on some streams in turn, each waiting
// only for its own; or, on none, one after the other.
static double
upload_us (HistoFormat *format, const std::vector<uint8_t *> &host, int n_streams)
{
  const size_t size = histo_packed_size (format);
  const size_t scratch_bytes = histo_cuda_plan_video_scratch (&kernels.limits, format,
        format->n_bins);
  const int n_frames = 64;
  std::vector<Lane> lanes (std::max (n_streams, 1));
  std::vector<double> times;

  for (Lane &lane : lanes) {
    BENCH_CHECK (cudaStreamCreateWithFlags (&lane.own, cudaStreamNonBlocking));
    BENCH_CHECK (cudaMalloc (&lane.buffer, size));
    BENCH_CHECK (cudaMalloc (&lane.scratch, scratch_bytes));
    BENCH_CHECK (cudaMemsetAsync (lane.scratch, 0, scratch_bytes, lane.own));
    BENCH_CHECK (cudaMallocHost (&lane.counters,
            histo_cuda_plan_video_result (&kernels.limits, format,
        format->n_bins)));
    lane.parameters.n_planes = format->n_planes;
    lane.parameters.n_bins = format->n_bins;
    lane.parameters.scratch = (uint64_t) lane.scratch;
    lane.parameters.result = (uint64_t) lane.counters;
    histo_packed_locate (format, (guint64) lane.buffer, lane.parameters.planes);
  }
  for (int round = 0; round < 5; round++) {
    const double begin = now_us ();

    for (int i = 0; i < n_frames; i++) {
      Lane &lane = lanes[i % lanes.size ()];
      HistoVideoLaunch parameters = lane.parameters;
      GError *error = nullptr;

      BENCH_CHECK (cudaMemcpyAsync (lane.buffer, host[i % host.size ()], size,
              cudaMemcpyHostToDevice, lane.own));
      check (histo_cuda_launch_video (&kernels, &parameters, (CUstream) lane.own, &error), error);
      if (n_streams == 0)
        BENCH_CHECK (cudaStreamSynchronize (lane.own));
    }
    for (Lane &lane : lanes)
      BENCH_CHECK (cudaStreamSynchronize (lane.own));
    times.push_back ((now_us () - begin) / n_frames);
  }
  for (Lane &lane : lanes) {
    BENCH_CHECK (cudaStreamDestroy (lane.own));
    BENCH_CHECK (cudaFree (lane.buffer));
    BENCH_CHECK (cudaFree (lane.scratch));
    BENCH_CHECK (cudaFreeHost (lane.counters));
  }
  return median (times);
}

static void
bench_upload (const char *work, const char *name, int width, int height)
{
  static const struct { int n_streams; const char *content; } cases[] = {
    { 1, "1 stream" }, { 2, "2 streams" }, { 4, "4 streams" }
  };

  if (!is_wanted (work))
    return;
  Frames frames (name, width, height, 0);
  const size_t size = histo_packed_size (frames.format);
  std::vector<uint8_t *> host (4);

  for (uint8_t *&frame : host) {
    BENCH_CHECK (cudaMallocHost (&frame, size));
    memset (frame, 77, size);
  }
  const double one_by_one = upload_us (frames.format, host, 0);

  for (const auto &c : cases) {
    Row row = { work, c.content, frames.bytes, 0, 0, 0, 0, "times one after the other", 0, 0, false };

    row.ours = upload_us (frames.format, host, c.n_streams);
    row.value = row.ours / one_by_one;
    print_row (row);
  }
  for (uint8_t *frame : host)
    BENCH_CHECK (cudaFreeHost (frame));
}

// ---- All of it ------------------------------------------------------------------------------------

static void
print_header ()
{
  cudaDeviceProp properties;
  int version = 0;
  char date[32];
  const time_t now = time (nullptr);

  BENCH_CHECK (cudaGetDeviceProperties (&properties, 0));
  BENCH_CHECK (cudaDriverGetVersion (&version));
  strftime (date, sizeof date, "%Y-%m-%d", gmtime (&now));
  fprintf (as_json ? stderr : stdout, "%s, %d multiprocessors, driver's CUDA %d.%d, %s\n",
      properties.name, properties.multiProcessorCount, version / 1000, version % 1000 / 10,
      date);
}

[[noreturn]] static void
end (const char *message)
{
  fputs (message, stderr);
  exit (2);
}

// Calls `use (number of launches for a time, bytes, buffer, launch)` with the work's frames or sound,
// once they are exact.
template <typename Use>
static double
with_tune_work (const TuneWork &work, const Use &use)
{
  const auto calls = [] (size_t bytes) { return bytes > 32 << 20 ? 3 : 64; };

  if (work.format != nullptr) {
    Frames frames (work.format, work.width, work.height, cold);

    frames.fill (CONTENT_PHOTO);
    frames.verify ();
    return use (calls (frames.bytes), frames.bytes, [&] (int i) { return frames.buffer (i); },
        [&] (int i) { frames.launch (i); });
  }
  Audio sound (false, work.channels, work.n_samples, cold);

  sound.verify ();
  return use (calls (sound.bytes), sound.bytes, [&] (int i) { return sound.buffer (i); },
      [&] (int i) { sound.launch (i); });
}

static void
print_tune_report (void)
{
  TuneDevice device;
  cudaDeviceProp properties;
  char date[32];
  const time_t now = time (nullptr);

  BENCH_CHECK (cudaGetDeviceProperties (&properties, 0));
  strftime (date, sizeof date, "%Y-%m-%d", gmtime (&now));
  device.name = properties.name;
  device.date = date;
  device.limits = kernels.limits;
  device.time = [] (const TuneWork &work) {
    return with_tune_work (work, [] (int calls, size_t, const auto &, const auto &launch) {
      return time_us (calls, launch);
    });
  };
  device.share = [] (const TuneWork &work) {
    return with_tune_work (work, [] (int calls, size_t bytes, const auto &buffer, const auto &launch) {
      return roofline_us (calls, bytes, buffer) / time_us (calls, launch);
    });
  };
  fputs (tune_report (device).c_str (), stdout);
}

// "FIELD=VALUE", of the tuning table.
static void
tune (const char *setting)
{
  const char *value = strchr (setting, '=');
  guint64 number;

  if (value == nullptr || !g_ascii_string_to_unsigned (value + 1, 10, 0, G_MAXUINT, &number, nullptr)
      || !histo_cuda_tuning_force (std::string (setting, value).c_str (), guint (number)))
    end ("--tune wants FIELD=VALUE, of the fields in plugin/engine/cuda/tuning.h\n");
  fprintf (stderr, "tuned: %s\n", setting);
}

int
main (int argc, char **argv)
{
  static const FrameCase large[] = {
    { "8-bit, 256 bins", "GRAY8", 32768, 16384, 0.95, 1 },
    { "10-bit P010, 1024 bins", "P010_10LE", 16384, 10912, 0.94, 0 },
    { "10-bit I420, 1024 bins", "I420_10LE", 16384, 10912, 0.94, 0 },
    { "12-bit I420, 4096 bins", "I420_12LE", 16384, 10912, 0.91, 0 },
    { "16-bit, 65536 bins", "GRAY16_LE", 16384, 16384, 0.60, 1 },
    { "RGBA", "RGBA", 16384, 8192, 0.90, 4 },
    { "RGB", "RGB", 16384, 10912, 0.90, 3 },
    { "BGRx", "BGRx", 16384, 8192, 0.90, 0 },
    { "NV12", "NV12", 16384, 21824, 0.90, 0 },
    { "I420", "I420", 16384, 21824, 0.90, 0 },
    { "YUY2", "YUY2", 16384, 16384, 0.90, 0 },
    // Fields of 32-bit words.
    { "v210", "v210", 12288, 16384, 0.90, 0 },
    { "RGB10A2", "RGB10A2_LE", 16384, 8192, 0, 0 },
    { "RGB10A2, opaque", "RGB10A2_LE", 16384, 8192, 0.90, 0, true },
    { "NV12_10LE32", "NV12_10LE32", 16380, 16384, 0.90, 0 },
  };
  GError *error = nullptr;
  bool reports_tuning = false;
  int shared_memory = G_MAXINT;

  for (int i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--json") == 0)
      as_json = true;
    else if (strcmp (argv[i], "--quick") == 0)
      quick = true;
    else if (strcmp (argv[i], "--only") == 0 && i + 1 < argc)
      only = argv[++i];
    else if (strcmp (argv[i], "--tune-report") == 0)
      reports_tuning = true;
    else if (strcmp (argv[i], "--shared-memory") == 0 && i + 1 < argc)
      shared_memory = atoi (argv[++i]);
    else if (strcmp (argv[i], "--tune") == 0 && i + 1 < argc)
      tune (argv[++i]);
    else
      end ("usage: cudahisto-bench --tune-report\n"
          "       cudahisto-bench [--json] [--quick] [--only TEXT] [--shared-memory BYTES] "
          "[--tune FIELD=VALUE]...\n");
  }
  gst_init (nullptr, nullptr);
  driver = histo_driver_get (&error);
  if (driver == nullptr) {
    fprintf (stderr, "%s\n", error->message);
    return 77;
  }
  BENCH_CHECK (cudaSetDevice (0));
  BENCH_CHECK (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking));
  check (histo_cuda_kernels_load (&kernels, driver, &error), error);
  if (reports_tuning) {
    print_tune_report ();
    histo_cuda_kernels_unload (&kernels);
    return 0;
  }
  kernels.limits.shared_memory_per_block =
      std::min (kernels.limits.shared_memory_per_block, shared_memory);
  print_header ();

  bench_readers ("reading");
  for (const FrameCase &c : large)
    bench_large (c);
  bench_frame ("4K 16-bit plane, complete", "GRAY16_LE", 3840, 2160, true, 0, 8);
  bench_frame ("4K 8-bit plane, complete", "GRAY8", 3840, 2160, true, 1.5, 6);
  bench_frame ("1080p NV12, complete", "NV12", 1920, 1080, false, 1.5, 0);
  bench_frame ("1080p 8-bit plane, complete", "GRAY8", 1920, 1080, false, 0, 0);
  bench_frame ("1080p RGBA, complete", "RGBA", 1920, 1080, false, 0, 0);
  bench_frame ("4K NV12, complete", "NV12", 3840, 2160, false, 0, 0);
  bench_frame ("4K RGBA, complete", "RGBA", 3840, 2160, false, 0, 0);
  bench_pair ("4K NV12, two frames", 3840, 2160, 1.7);
  bench_mask ("4K NV12, basic with a mask", "NV12", false, 2);
  bench_mask ("4K P010, basic with a mask", "P010_10LE", false, 2);
  bench_mask ("4K v210, basic with a mask", "v210", false, 0);
  bench_mask ("4K RGBA, basic with a mask of alpha", "RGBA", true, 0);
  bench_all_groups ();
  for (const int channels : { 1, 2, 6, 8, 64 }) {
    bench_audio (true, channels);
    bench_audio (false, channels);
  }
  bench_audio_buffer (2, 1024, 1.3);
  bench_audio_buffer (2, 48000, 0);
  bench_audio_buffer (8, 48000, 0);
  bench_audio_edges (true, 1.3);
  bench_audio_edges (false, 1.3);
  bench_graph ("graph, 4K 8-bit plane", "GRAY8", 3840, 2160);
  bench_graph ("graph, 1080p NV12", "NV12", 1920, 1080);
  bench_upload ("upload, 1080p NV12", "NV12", 1920, 1080);
  bench_upload ("upload, 4K NV12", "NV12", 3840, 2160);

  if (as_json)
    printf ("\n]\n");
  fprintf (as_json ? stderr : stdout, "%d of %d rows pass\n", n_targets - n_failed, n_targets);
  histo_cuda_kernels_unload (&kernels);
  if (n_wrong > 0)
    fprintf (stderr, "%d rows are wrong\n", n_wrong);
  return n_wrong > 0;
}
