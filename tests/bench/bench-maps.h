// The groups and regions of video, for cudahisto-bench: what the engine launches for a frame.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda.h>

extern "C" {
#include "engine/cuda/launch.h"
#include "measures/plan.h"
}

// A plan for frames of a format, and the memory that the engine has for them. Frame i is measured
// with frame i - 1 as the previous one. Errors end the program.
class MapsFrames
{
public:
  HistoPlan *plan;

  // groups: flags. n_regions: of a quarter of the picture's sides (4K: 640 x 360 is a sixth); they
  // lie in a grid of four columns. Frames are counted first by the kernels that count samples.
  MapsFrames (const HistoCudaKernels &kernels, CUstream stream, HistoFormat *format,
      unsigned groups, unsigned n_regions, unsigned region_width, unsigned region_height);
  ~MapsFrames ();

  // All launches for a frame. planes: of the buffer, packed
  void launch (const HistoPlane *planes, int number);
  // Only those that count samples, with the memory of this plan.
  void launch_samples (const HistoPlane *planes);
  // Whether the kernel that was chosen and the one for any format give the same counters and
  // tallies for two frames.
  bool is_exact (const HistoPlane *first, const HistoPlane *second);

private:
  HistoCudaKernels kernels;
  CUstream stream;
  HistoCudaMapsPlan maps, plain;        // plain: pixel by pixel
  size_t result_bytes;
  void *result = nullptr, *tallies = nullptr;
  void *scratch = nullptr, *sums = nullptr, *chroma_table = nullptr;
  void *pictures[2] = { nullptr, nullptr };

  void plan_plain ();
  void launch_all (const HistoCudaMapsPlan &with, const HistoPlane *planes, int number);
  // overlaps: the launch before counts the samples of the same frame
  void launch_maps (const HistoCudaMapsPlan &with, const HistoPlane *planes, int number,
      bool overlaps);
  std::vector<uint8_t> results ();
};
