// The CPU engine's pass over a plane against OpenCV's, on one thread, in one run.
//
// Both deliver the histogram, mean, standard deviation, minimum and maximum of a 4K
// 8-bit plane: ours by one counting pass, OpenCV's by calcHist, meanStdDev and
// minMaxLoc. Prints medians and their ratio for uniform, smooth and constant contents.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

extern "C" {
#include "engine/cpu/count.h"
#include "measures/statistics.h"
}

static const int width = 3840, height = 2160;

static double
median_ms (const std::function<void ()> &work)
{
  std::vector<double> times;

  for (int i = 0; i < 21; i++) {
    const auto begin = std::chrono::steady_clock::now ();

    work ();
    times.push_back (std::chrono::duration<double, std::milli>
        (std::chrono::steady_clock::now () - begin).count ());
  }
  std::sort (times.begin (), times.end ());
  return times[times.size () / 2];
}

static cv::Mat
make_plane (const char *content)
{
  cv::Mat plane (height, width, CV_8UC1);
  std::mt19937 random (1);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      plane.at<uchar> (y, x) = content[0] == 'u' ? random ()
          : content[0] == 's' ? (x / 16 + y / 9 + random () % 7) : 77;
  return plane;
}

int
main ()
{
  GstCaps *caps;
  HistoFormat *format;
  HistoBins bins;
  const HistoBinSettings settings = { 0, 0, 0 };
  HistoCpuPixels *pixels = histo_cpu_pixels_new ();

  gst_init (nullptr, nullptr);
  cv::setNumThreads (1);
  caps = gst_caps_from_string ("video/x-raw,format=GRAY8,width=3840,height=2160,framerate=25/1");
  format = histo_format_new (caps, nullptr);
  histo_bins_init (&bins, format, 256, &settings);

  printf ("%-10s %10s %10s %8s\n", "content", "ours, ms", "OpenCV, ms", "ratio");
  for (const char *content : { "uniform", "smooth", "constant" }) {
    const cv::Mat plane = make_plane (content);
    std::vector<guint32> counters (256), histogram (256);
    HistoFigures statistics;
    HistoHistogram native;
    HistoPlane ours = format->planes[0];

    ours.data = (uint64_t) (uintptr_t) plane.data;
    ours.stride = plane.step;
    const double a = median_ms ([&] {
      std::fill (counters.begin (), counters.end (), 0);
      histo_cpu_pixels_begin (pixels, &ours, counters.data ());
      histo_cpu_pixels_rows (pixels, 0, ours.rows);
      histo_cpu_pixels_end (pixels);
      histo_histogram_init (&native, counters.data (), 256);
      histo_statistics_from_native (&statistics, &native, &bins, histogram.data ());
    });
    cv::Mat hist;
    cv::Scalar mean, deviation;
    double lowest, highest;
    const double b = median_ms ([&] {
      const int channels[] = { 0 }, size[] = { 256 };
      const float range[] = { 0, 256 };
      const float *ranges[] = { range };

      cv::calcHist (&plane, 1, channels, cv::Mat (), hist, 1, size, ranges);
      cv::meanStdDev (plane, mean, deviation);
      cv::minMaxLoc (plane, &lowest, &highest);
    });
    bool equal = statistics.min == lowest && statistics.max == highest;

    for (int i = 0; i < 256; i++)
      equal = equal && hist.at<float> (i) == (float) histogram[i];
    printf ("%-10s %10.2f %10.2f %8.2f%s\n", content, a, b, b / a,
        equal ? "" : "  DIFFERENT");
    if (!equal)
      return 1;
  }
  histo_cpu_pixels_free (pixels);
  histo_bins_clear (&bins);
  histo_format_unref (format);
  gst_caps_unref (caps);
  return 0;
}
