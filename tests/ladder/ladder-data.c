/* What the steps are given, and what must come of it, worked out on the host.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "ladder-data.h"

#include <string.h>

static const struct
{
  const gchar *name;
  gsize element_bytes;
} contents[LADDER_N_CONTENTS] = {
  [LADDER_INT] = { "int", 4 },
  [LADDER_FLOAT] = { "float", 4 },
  [LADDER_HALF] = { "half", 2 },
  [LADDER_UNIFORM_8] = { "uniform", 1 },
  [LADDER_RUNS_8] = { "runs", 1 },
  [LADDER_CONSTANT_8] = { "constant", 1 },
  [LADDER_UNIFORM_16] = { "uniform", 2 },
  [LADDER_RUNS_16] = { "runs", 2 },
  [LADDER_CONSTANT_16] = { "constant", 2 },
  [LADDER_SAMPLES] = { "64 channels", 4 },
#define X(order) [LADDER_ORDER_##order] = { "order" #order, 8 },
  LADDER_ORDERS (X)
#undef X
};

gsize
ladder_element_bytes (LadderContent content)
{
  return contents[content].element_bytes;
}

const gchar *
ladder_content_name (LadderContent content)
{
  return contents[content].name;
}

void
ladder_expect_nothing (LadderExpectation *expectation, LadderContent content)
{
  memset (expectation, 0, sizeof *expectation);
  expectation->content = content;
}

void
ladder_expect (LadderExpectation *expectation, guint n)
{
  const LadderContent content = expectation->content;
  gboolean is_sum = content <= LADDER_HALF;

  for (; expectation->n < n; expectation->n++) {
    gint32 value = ladder_value (content, expectation->n);

    if (is_sum)
      expectation->sum += value;
    else
      expectation->counters[value & (LADDER_BINS_16 - 1)]++;
  }
}

/* Bytes that are looked at at once. */
#define PART_BYTES ((gsize) 64 << 20)

gboolean
ladder_is_split (LadderDevice *device, CUdeviceptr split, guint n)
{
  const guint n_frames = n / LADDER_CHANNELS;
  const gsize bytes = (gsize) n_frames * LADDER_CHANNELS * sizeof (guint32);
  const gsize part_bytes = MIN (bytes, PART_BYTES);
  guint32 *part = ladder_alloc_host (device, part_bytes);
  gboolean is_right = TRUE;
  guint channel = 0, frame = 0;

  for (gsize done = 0; done < bytes && is_right; done += part_bytes) {
    gsize now = MIN (part_bytes, bytes - done);

    ladder_download (device, part, split + done, now);
    for (gsize i = 0; i < now / sizeof *part; i++) {
      if (part[i] != (guint32) ladder_value (LADDER_SAMPLES,
              frame * LADDER_CHANNELS + channel))
        is_right = FALSE;
      if (++frame == n_frames) {
        frame = 0;
        channel++;
      }
    }
  }
  ladder_free_host (device, part);
  return is_right;
}

void
ladder_fill (LadderDevice *device, CUdeviceptr memory, gsize bytes,
    LadderContent content)
{
  const LadderLaunch launch = { "ladder_fill", 8 * device->n_multiprocessors, 1,
    LADDER_SMALL_BLOCK, 0, 0, FALSE };
  const LadderTask task = { .data = memory, .content = content,
    .n = bytes / ladder_element_bytes (content) };

  ladder_launch (device, &launch, &task);
  ladder_synchronize (device);
}
