// Tests the search of cudahisto-bench --tune-report, with made-up times.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bench-tune.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

static HistoCudaTuning
tuning_now (const HistoCudaLimits &limits)
{
  HistoCudaTuning tuning;

  histo_cuda_tuning_get (&limits, &tuning);
  return tuning;
}

static void
check_equal (const char *what, const std::string &found, const std::string &expected)
{
  if (found == expected)
    return;
  fprintf (stderr, "%s: found\n%s\nexpected\n%s\n", what, found.c_str (), expected.c_str ());
  exit (1);
}

int
main (void)
{
  // A T4, with which nobody has tuned.
  const HistoCudaLimits limits = { 75, 40, 64 * 1024, 1024, 64 * 1024, 0, 0, 0 };
  std::map<std::string, int> tried;
  TuneDevice device = { "Made-up T4", "2000-01-01", limits, nullptr, nullptr };

  device.time = [&] (const TuneWork &work) {
    const HistoCudaTuning tuning = tuning_now (limits);
    double time = 100;

#define TRY(name) tried[#name + std::to_string (tuning.name)]++;
    HISTO_CUDA_TUNING_FIELDS (TRY)
#undef TRY
    // Much better, and for the first work only.
    if (tuning.video_bytes_per_block == 65536 && strcmp (work.name, "1080p 8-bit plane") == 0)
      time *= 0.5;
    // Better, but by less than runs differ.
    if (tuning.audio_blocks == 2)
      time *= 0.99;
    // The second value is better, and the third is worse than the first.
    if (tuning.most_copies_log2 != 5)
      time *= tuning.most_copies_log2 == 4 ? 0.9 : 1.5;
    // Only with the value that was found for the field before.
    if (tuning.audio_small_threads == 128)
      time *= tuning.most_copies_log2 == 4 ? 0.8 : 2;
    return time;
  };
  device.share = [] (const TuneWork &work) { return work.format == nullptr ? 0.5 : 0.876; };

  check_equal ("row", tune_report (device),
      "  {75, 4, 65536, 5, 256, 512, 8192, 32768, 1, 128, 1024,\n"
      "        \"Made-up T4, 2000-01-01: 8-bit planes 0.88, 16-bit words 0.88, \"\n"
      "        \"65536 bins 0.88, audio 0.50 of the read-only kernel's speed\"},\n");

  // Each field has been tried with another value than the rule's.
  HistoCudaTuning rule = tuning_now (limits);
#define HAS_OTHERS(name) \
  tried.erase (#name + std::to_string (rule.name)); \
  if (tried.lower_bound (#name "0") == tried.end () \
      || tried.lower_bound (#name "0")->first.compare (0, strlen (#name), #name) != 0) { \
    fprintf (stderr, "%s was not tried\n", #name); \
    return 1; \
  }
  HISTO_CUDA_TUNING_FIELDS (HAS_OTHERS)
#undef HAS_OTHERS
  check_equal ("after the report", std::to_string (rule.most_copies_log2), "5");
  return 0;
}
