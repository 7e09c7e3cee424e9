// Finds the row of the tuning table for a device.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bench-tune.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

// ---- What is tried ------------------------------------------------------------------------

static const TuneWork large_bytes = { "8-bit, 512 MB", "GRAY8", 32768, 16384, 0, 0 };
static const TuneWork large_words = { "10 bits in 16, 358 MB", "I420_10LE", 16384, 10912, 0, 0 };
static const TuneWork large_deep = { "65536 bins, 512 MB", "GRAY16_LE", 16384, 16384, 0, 0 };
static const TuneWork large_sound = { "int16, 8 channels, 512 MB", nullptr, 0, 0, 8, 32 << 20 };
// 33 channels: by sample.
static const TuneWork odd_sound = { "int16, 33 channels, 63 MB", nullptr, 0, 0, 33, 1000000 };
static const TuneWork odd_buffer = { "int16, 33 channels, 100 ms", nullptr, 0, 0, 33, 4800 };
static const TuneWork small_sound = { "int16, 2 channels, 1024 samples", nullptr, 0, 0, 2, 1024 };
static const TuneWork middle_sound = { "int16, 2 channels, 1 s", nullptr, 0, 0, 2, 48000 };
static const TuneWork many_sounds = { "int16, 8 channels, 1 s", nullptr, 0, 0, 8, 48000 };
static const TuneWork frame_bytes = { "1080p 8-bit plane", "GRAY8", 1920, 1080, 0, 0 };
static const TuneWork frame_nv12 = { "1080p NV12", "NV12", 1920, 1080, 0, 0 };
static const TuneWork frame_rgba = { "1080p RGBA", "RGBA", 1920, 1080, 0, 0 };

struct Trial
{
  const char *field;
  std::vector<guint> values;
  std::vector<const TuneWork *> works;
};

// Later fields are tried with the values that were found for earlier ones.
static const std::vector<Trial> trials = {
  { "most_copies_log2", { 3, 4, 5 }, { &large_bytes, &frame_rgba } },
  { "video_bytes_per_block", { 8192, 16384, 32768, 65536 }, { &frame_bytes, &frame_nv12 } },
  { "video_spread_log2", { 0, 3, 5 }, { &frame_bytes } },
  { "video_spread_bins", { 0, 256, 1024 }, { &frame_bytes, &frame_nv12, &frame_rgba } },
  { "audio_threads", { 256, 384, 512 }, { &odd_sound, &odd_buffer } },
  { "audio_samples_per_block", { 4096, 8192, 16384 }, { &odd_buffer, &middle_sound, &many_sounds } },
  { "audio_shared_bytes", { 16 << 10, 32 << 10, 56 << 10, 96 << 10 }, { &odd_sound } },
  { "audio_blocks", { 1, 2 }, { &large_sound } },
  { "audio_small_threads", { 128, 256, 512 }, { &small_sound } },
  { "audio_last_block_counters", { 256, 1024, 4096 }, { &middle_sound, &many_sounds } },
};

// A value replaces the rule's only if it takes less than this of the rule's time: times of a run differ
// by as much.
static const double worth_while = 0.98;

// ---- Searching ----------------------------------------------------------------------------

// The geometric mean of the times: each work counts alike, whatever its size.
static double
mean_time (const TuneDevice &device, const std::vector<const TuneWork *> &works)
{
  double logarithms = 0;

  for (const TuneWork *work : works)
    logarithms += log (device.time (*work));
  return exp (logarithms / works.size ());
}

static guint
value_of (const TuneDevice &device, const std::string &field)
{
  HistoCudaTuning tuning;

  histo_cuda_tuning_get (&device.limits, &tuning);
#define VALUE(name) \
  if (field == #name) \
    return tuning.name;
  HISTO_CUDA_TUNING_FIELDS (VALUE)
#undef VALUE
  g_assert_not_reached ();
}

// Forces the field to the value that is fastest.
static void
try_values (const TuneDevice &device, const Trial &trial)
{
  const guint first = value_of (device, trial.field);
  const double time_of_first = mean_time (device, trial.works);
  double least = time_of_first * worth_while;
  guint best = first;

  fprintf (stderr, "%s: %u takes %.2f us", trial.field, first, time_of_first);
  for (const guint value : trial.values) {
    if (value == first)
      continue;
    histo_cuda_tuning_force (trial.field, value);
    const double time = mean_time (device, trial.works);

    fprintf (stderr, ", %u %.2f us", value, time);
    if (time < least) {
      least = time;
      best = value;
    }
  }
  fprintf (stderr, ": %u\n", best);
  histo_cuda_tuning_force (trial.field, best);
}

static std::string
text_of_share (const TuneDevice &device, const char *what, const TuneWork &work)
{
  char text[64];

  snprintf (text, sizeof text, "%s %.2f", what, device.share (work));
  return text;
}

std::string
tune_report (const TuneDevice &device)
{
  HistoCudaTuning tuning;

  for (const Trial &trial : trials)
    try_values (device, trial);

  histo_cuda_tuning_get (&device.limits, &tuning);
  std::string row = "  {" + std::to_string (device.limits.compute_capability);
#define COLUMN(name) row += ", " + std::to_string (tuning.name);
  HISTO_CUDA_TUNING_FIELDS (COLUMN)
#undef COLUMN
  row += ",\n        \"" + device.name + ", " + device.date + ": "
      + text_of_share (device, "8-bit planes", large_bytes) + ", "
      + text_of_share (device, "16-bit words", large_words) + ", \"\n        \""
      + text_of_share (device, "65536 bins", large_deep) + ", "
      + text_of_share (device, "audio", large_sound) + " of the read-only kernel's speed\"},\n";
  for (const Trial &trial : trials)
    histo_cuda_tuning_force (trial.field, HISTO_CUDA_TUNING_BY_TABLE);
  return row;
}
