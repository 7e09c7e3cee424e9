// Finds the row of the tuning table for a device: tries values of each field, and keeps the fastest.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <string>

extern "C" {
#include "engine/cuda/tuning.h"
}

// What is timed: frames of a format, or int16 audio if the format is null.
struct TuneWork
{
  const char *name;
  const char *format;
  int width, height;
  int channels;
  size_t n_samples;             // of a channel
};

struct TuneDevice
{
  std::string name, date;
  HistoCudaLimits limits;
  // Microseconds of a launch, with the values of the fields that are forced now.
  std::function<double (const TuneWork &)> time;
  // The time of the read-only kernel, divided by that of the launch.
  std::function<double (const TuneWork &)> share;
};

// Tells on stderr what is tried. Returns the row, as plugin/engine/cuda/tuning.c wants it. No field is
// forced afterwards.
std::string tune_report (const TuneDevice &device);
