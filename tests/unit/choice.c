/* Which engine backend=auto chooses: the rule by itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "harness.h"

#include "engine/meter.h"

/* The most channels at @rate for which the CPU is chosen; 0: none. Checks that more channels never
 * bring the CPU back. */
static guint
most_channels (guint rate)
{
  guint most = 0;

  for (guint channels = 1; channels <= 4096; channels++) {
    if (!histo_meter_cpu_is_for_sound (channels, rate))
      continue;
    fail_unless_equals_int (channels, most + 1);
    most = channels;
  }
  return most;
}

TEST (test_usual_sound_is_for_the_cpu)
{
  static const guint rates[] = { 8000, 44100, 48000, 96000, 192000 };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    fail_unless (histo_meter_cpu_is_for_sound (1, rates[i]));
    fail_unless (histo_meter_cpu_is_for_sound (2, rates[i]));
  }
  fail_unless (histo_meter_cpu_is_for_sound (8, 48000));
}

TEST (test_much_sound_is_for_the_gpu)
{
  fail_if (histo_meter_cpu_is_for_sound (64, 48000));
  fail_if (histo_meter_cpu_is_for_sound (2, 2000000));
  /* No product overflows. */
  fail_if (histo_meter_cpu_is_for_sound (G_MAXUINT, G_MAXINT));
  fail_if (histo_meter_cpu_is_for_sound (4096, G_MAXINT));
}

/* The crossover lies where both take the same time, and a higher rate has fewer channels there. */
TEST (test_crossover)
{
  guint before = G_MAXUINT;

  for (guint rate = 48000; rate <= 768000; rate *= 2) {
    const guint most = most_channels (rate);
    const gdouble samples = rate * HISTO_METER_BUFFER_TIME / 1000.0;
    const gdouble time = samples * HISTO_METER_CPU_TIME_OF_1000 / 1000.0;

    fail_unless (most < before);
    fail_unless (most * time <= HISTO_METER_GPU_TIME);
    fail_unless ((most + 1) * time > HISTO_METER_GPU_TIME);
    before = most;
  }
}

TEST_MAIN (60)
