// The groups and regions of video, for cudahisto-bench: what the engine launches for a frame.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda.h>
#include <gst/video/video.h>

extern "C" {
#include "engine/cuda/launch.h"
#include "measures/plan.h"
}

// A plan for frames of a format, and the memory that the engine has for them. Frame i is measured
// with frame i - 1 as the previous one. Errors end the program.
class GroupsFrames
{
public:
  // flags: of groups; 0: the samples alone. n_regions: they lie in a grid of four columns and four rows.
  // mask: a file's, or NULL
  GroupsFrames (const HistoCudaKernels &kernels, CUstream stream, HistoFormat *format,
      unsigned flags, unsigned n_regions, unsigned region_width, unsigned region_height, HistoMask *mask);
  ~GroupsFrames ();

  // All launches for a frame. planes: of the buffer, packed
  void launch (const HistoPlane *planes, int number);
  // Whether all counters and tallies of the second one of two frames are those of the CPU engine. Tells on
  // stderr the first one that is not. buffers: in device memory; the planes are those of histo_packed_locate()
  bool is_exact (const uint8_t *const buffers[2], const HistoPlane *const planes[2]);

private:
  HistoCudaKernels kernels;
  CUstream stream;
  HistoPlan *plan;
  HistoCudaGroupsPlan groups;       // if the plan has groups
  size_t result_bytes;
  void *result = nullptr, *tallies = nullptr;   // page-locked
  void *scratch = nullptr, *sums = nullptr, *chroma_table = nullptr, *linear = nullptr;
  void *joint_sums = nullptr, *packed_tables = nullptr, *joint_halves = nullptr;         // the last is page-locked
  void *pictures[2] = { nullptr, nullptr };
  void *pixels = nullptr, *masked_counters = nullptr, *masked_tallies = nullptr;       // with a mask

  void upload (const void *table, size_t bytes, void **to);
  void launch_samples (const HistoPlane *planes);
  void launch_groups (const HistoPlane *planes, int number);
  void launch_masked (const HistoPlane *planes);
  GstBuffer *copy_to_host (const uint8_t *buffer);
  bool equals (const HistoCounts &found, const HistoCounts &expected);
};
