/* How a launch is shaped: threads, blocks and copies of the counters.
 *
 * The copies follow from the shared memory; the rest from the table, whose rows say
 * what they were measured on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cuda-tuning.h"

#include <string.h>

#include "formats.h"

typedef struct
{
  gint compute_capability;      /* and all above it, up to the next row's */
  guint video_threads;
  /* Bytes of a plane that are worth a block: a block costs a clear and a fold. */
  guint video_bytes_per_block;
  guint audio_threads;
  guint audio_samples_per_block;
  guint audio_shared_bytes;     /* that a block's counters should not exceed */
  const gchar *measured;
} TuningRow;

/* In descending order. */
static const TuningRow rows[] = {
  {100, 1024, 16384, 512, 8192, 56 * 1024, "not measured"},
  {90, 1024, 16384, 512, 8192, 56 * 1024, "H200, see docs/measurements.md"},
  {89, 1024, 16384, 512, 8192, 56 * 1024, "not measured"},
  {86, 1024, 16384, 512, 8192, 56 * 1024, "not measured"},
  {80, 1024, 16384, 512, 8192, 56 * 1024, "not measured"},
  {0, 1024, 16384, 512, 8192, 56 * 1024, "not measured"},
};

#define MAX_COPIES_LOG2 5       /* one per lane */

static const TuningRow *
row_for (const HistoDeviceLimits * limits)
{
  const TuningRow *row = rows;

  while (limits->compute_capability < row->compute_capability)
    row++;
  return row;
}

static guint64
shared_room (const HistoDeviceLimits * limits)
{
  return MAX (limits->shared_memory_per_block - HISTO_SHARED_RESERVE, 0);
}

/* As many copies of n_bins counters as a block's shared memory holds. */
static guint8
choose_copies (const HistoDeviceLimits * limits, guint32 n_bins)
{
  for (gint log2 = MAX_COPIES_LOG2; log2 >= 0; log2--) {
    if (((guint64) n_bins * sizeof (guint32)) << log2 <= shared_room (limits))
      return log2;
  }
  return HISTO_NO_COPIES;
}

/* Whether 16-bit counters, with an even number of bins, fit where 32-bit ones do not. */
static gboolean
packed_copy_fits (const HistoDeviceLimits * limits, guint32 n_bins)
{
  return n_bins * sizeof (guint16) <= shared_room (limits) && n_bins % 8 == 0;
}

static guint
counters_bytes (guint32 n_bins, guint copies_log2)
{
  if (copies_log2 == HISTO_NO_COPIES)
    return 0;
  if (copies_log2 == HISTO_PACKED_COPY)
    return n_bins * sizeof (guint16);
  /* Cleared by 16-byte stores. */
  return (((n_bins * sizeof (guint32)) << copies_log2) + 15) & ~15u;
}

/* Components that share a plane share its blocks' counters, so that the plane is read
 * once. Where these do not fit, each component is counted by blocks of its own. */
static void
split_planes (const HistoDeviceLimits * limits, HistoVideoTask * task)
{
  HistoPlane whole[HISTO_MAX_PLANES];
  guint n_whole = task->n_planes, n = 0;

  memcpy (whole, task->planes, sizeof whole);
  for (guint p = 0; p < n_whole; p++) {
    guint components = 0;       /* a bit for each */

    if (choose_copies (limits, whole[p].n_bins) != HISTO_NO_COPIES) {
      task->planes[n++] = whole[p];
      continue;
    }
    for (guint i = 0; i < whole[p].n_samples; i++)
      components |= 1u << whole[p].samples[i].component;
    for (guint c = 0; c < HISTO_MAX_COMPONENTS; c++) {
      if (components & 1u << c)
        histo_plane_take_component (&whole[p], c, &task->planes[n++]);
    }
  }
  task->n_planes = n;
}

static guint8
choose_counters (const HistoDeviceLimits * limits, guint32 n_bins)
{
  guint8 copies = choose_copies (limits, n_bins);

  if (copies == HISTO_NO_COPIES && packed_copy_fits (limits, n_bins))
    return HISTO_PACKED_COPY;
  return copies;
}

/* Shapes the launch for task's planes, splits them if need be, and sets first_block and
 * copies_log2.
 * The planes share the multiprocessors in proportion to their bytes. */
HistoLaunch
histo_tune_video (const HistoDeviceLimits * limits, HistoVideoTask * task)
{
  const TuningRow *row = row_for (limits);
  HistoLaunch launch = { 0, 1, row->video_threads, 0 };
  guint64 bytes[HISTO_MAX_PLANES], total = 0, before = 0, begin = 0;

  split_planes (limits, task);
  for (guint p = 0; p < task->n_planes; p++) {
    const HistoPlane *plane = &task->planes[p];

    bytes[p] = (guint64) plane->rows * plane->periods * plane->period_bytes;
    total += bytes[p];
  }
  for (guint p = 0; p < task->n_planes; p++) {
    const HistoPlane *plane = &task->planes[p];
    guint64 worth = bytes[p] / row->video_bytes_per_block + 1;
    guint64 share, end;

    /* Boundaries are rounded, not shares: a block more than there are multiprocessors
     * would wait for all others. */
    before += bytes[p];
    end = total == 0 ? 0 :
        (before * limits->n_multiprocessors + total / 2) / total;
    share = end - begin;
    begin = end;

    task->first_block[p] = launch.blocks;
    launch.blocks += MAX (1, MIN (share, worth));
    task->copies_log2[p] = choose_counters (limits, plane->n_bins);
    launch.shared_bytes = MAX (launch.shared_bytes,
        counters_bytes (plane->n_bins, task->copies_log2[p]));
  }
  for (guint p = task->n_planes; p <= HISTO_MAX_PLANES; p++)
    task->first_block[p] = launch.blocks;
  return launch;
}

/* The most blocks that histo_tune_audio() gives a channel; fewer where there are many
 * channels, which bounds the memory for what the blocks hand on. */
guint
histo_tune_audio_max_blocks (const HistoDeviceLimits * limits, guint n_channels)
{
  const guint few_channels = 64;
  guint most = 4 * limits->n_multiprocessors;

  return n_channels <= few_channels ? most :
      MAX (1, most * few_channels / n_channels);
}

/* Whether all channels are measured by the same blocks: interleaved ones, whose samples
 * lie side by side, as far as their counters fit. */
static gboolean
channels_share_blocks (const HistoDeviceLimits * limits,
    const HistoAudioTask * task, guint threads)
{
  return task->channel_stride == task->sample.bytes
      && task->n_channels <= threads
      && (guint64) task->n_channels * task->binning.n_bins * sizeof (guint32)
      <= shared_room (limits);
}

/* Shapes the launch for task's channels, and sets its copies_log2. */
HistoLaunch
histo_tune_audio (const HistoDeviceLimits * limits, HistoAudioTask * task)
{
  const TuningRow *row = row_for (limits);
  HistoLaunch launch = { 0, 0, row->audio_threads, 0 };
  guint channels = 1;           /* of a block */
  guint64 worth, room;

  launch.channel_blocks = task->n_channels;
  if (channels_share_blocks (limits, task, launch.threads)) {
    channels = task->n_channels;
    launch.channel_blocks = 1;
  }
  worth = task->n_samples * channels / row->audio_samples_per_block + 1;
  launch.blocks = MIN (worth, histo_tune_audio_max_blocks (limits,
          task->n_channels));

  task->copies_log2 = choose_copies (limits, channels * task->binning.n_bins);
  /* Several blocks to a multiprocessor hide more latency than more copies save. */
  while (task->copies_log2 != HISTO_NO_COPIES && task->copies_log2 > 2
      && counters_bytes (channels * task->binning.n_bins, task->copies_log2) >
      row->audio_shared_bytes)
    task->copies_log2--;

  room = counters_bytes (channels * task->binning.n_bins, task->copies_log2);
  launch.shared_bytes =
      MAX (room, launch.threads * HISTO_TOTALS_OF_THREAD);
  return launch;
}
