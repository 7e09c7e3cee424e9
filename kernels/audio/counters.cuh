/* Where the counters of a block of audio go.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/audio/totals.cuh"
#include "kernels/tables.cuh"

/* How the counters of all channels lie in a table, in scratch memory, and as the index
 * that a fold gives them: channel after channel, or row after row where interleaved
 * channels are measured by vectors. A row's channels are in the order in which a warp has
 * their counters, if each channel has one place in the pattern of the lanes: so that what it
 * adds up, it stores side by side. */
struct CounterLayout
{
  uint32_t n_rows, n_channels;
  bool by_row;
  uint32_t n_lanes, n_places;   /* of a row: the l-th lane's p-th channel is l * n_places + p */

  __device__ __forceinline__
  explicit CounterLayout (const HistoAudioTask &task)
  {
    n_rows = task.binning.n_bins + HISTO_OUTSIDE_ROWS;
    n_channels = task.n_channels;
    by_row = task.by_row;
    n_places = histo_audio_thread_channels (n_channels);
    n_lanes = task.lane_period;
    if (n_lanes * n_places != n_channels) {
      n_lanes = n_channels;
      n_places = 1;
    }
  }

  /* Of the i-th counter of a row. */
  __device__ __forceinline__ uint32_t
  channel_of_row (uint32_t i) const
  {
    return i % n_lanes * n_places + i / n_lanes;
  }

  __device__ __forceinline__ uint32_t
  channel (uint32_t index) const
  {
    return by_row ? channel_of_row (index % n_channels) : index / n_rows;
  }

  __device__ __forceinline__ uint32_t
  row (uint32_t index) const
  {
    return by_row ? index / n_channels : index % n_rows;
  }

  __device__ __forceinline__ uint32_t
  index (uint32_t channel, uint32_t row) const
  {
    return by_row ? row * n_channels + channel % n_places * n_lanes + channel / n_places
        : channel * n_rows + row;
  }
};

/* The buffer of this block, in a launch that measures. */
__device__ __forceinline__ const HistoAudioBuffer &
buffer_of_block (const HistoAudioTask &task)
{
  return task.buffers[blockIdx.z];
}

/* To the host. */
struct PublishRow
{
  CounterLayout layout;
  uint32_t *result;             /* of the first channel */
  HistoTotals *totals;
  uint32_t n_bins;

  __device__ __forceinline__
  PublishRow (const HistoAudioTask &task, const HistoAudioBuffer &buffer,
      uint32_t first_channel) : layout (task)
  {
    n_bins = task.binning.n_bins;
    result = (uint32_t *) buffer.result + (uint64_t) first_channel * n_bins;
    totals = (HistoTotals *) buffer.totals + first_channel;
  }

  __device__ __forceinline__ void
  put (uint32_t index, uint32_t sum) const
  {
    put_row (layout.channel (index), layout.row (index), sum);
  }

  __device__ __forceinline__ void
  put_row (uint32_t channel, uint32_t row, uint32_t sum) const
  {
    if (row - HISTO_ROW_FIRST_BIN < n_bins)
      result[(uint64_t) channel * n_bins + row - HISTO_ROW_FIRST_BIN] = sum;
    else if (row == HISTO_ROW_UNDERFLOW)
      totals[channel].underflow = sum;
    else if (row == HISTO_ROW_OVERFLOW (n_bins))
      totals[channel].overflow = sum;
    else if (row == HISTO_ROW_NAN (n_bins))
      totals[channel].nan = sum;
    else
      totals[channel].inf = sum;
  }
};

/* Hands a sum on whose index, channel and row are known. */
template <typename Sum>
__device__ __forceinline__ void
put_sum (const Sum &sums, uint32_t index, uint32_t, uint32_t, uint32_t sum)
{
  sums.put (index, sum);
}

__device__ __forceinline__ void
put_sum (const PublishRow &sums, uint32_t, uint32_t channel, uint32_t row, uint32_t sum)
{
  sums.put_row (channel, row, sum);
}

/* Calls fold (sink) with the sink that the launch wants: the host, if the block has the
 * channel alone; a table for the second launch; or, where tables take too much room or
 * there is no such launch, scratch memory. */
template <typename Fold>
__device__ __forceinline__ void
put_sums (const HistoAudioTask &task, uint32_t first_channel, const Fold &fold)
{
  const uint64_t first = (uint64_t) first_channel
      * (task.binning.n_bins + HISTO_OUTSIDE_ROWS);

  if (task.n_blocks == 1)
    fold (PublishRow (task, buffer_of_block (task), first_channel));
  else if (task.tables != 0)
    fold (StoreSum { (uint32_t *) (task.tables + blockIdx.x
            * histo_audio_table_bytes (task.n_channels, task.binning.n_bins)) + first });
  else
    fold (AddSum { (uint32_t *) task.scratch + first });
}

/* What takes the place of a second launch where there are so few counters that one block adds
 * them up sooner. All threads of the block, once it has handed on its own. */
template <typename Totals>
__device__ __forceinline__ void
sum_if_last (const HistoAudioTask &task)
{
  /* A block that has all samples needs not even ask for the ticket's address. */
  if (task.n_blocks == 1 || task.ticket == 0 || !is_last_block ((uint32_t *) task.ticket))
    return;

  const PublishRow publisher (task, task.buffers[0], 0);
  const CounterLayout &layout = publisher.layout;
  const uint32_t warp = threadIdx.x / HISTO_WARP_SIZE;

  /* Channel after channel, so that they reach the host in few pieces. */
  for (uint32_t i = threadIdx.x; i < layout.n_channels * layout.n_rows; i += blockDim.x) {
    const uint32_t channel = i / layout.n_rows, row = i % layout.n_rows;
    uint32_t *counter = (uint32_t *) task.scratch + layout.index (channel, row);

    publisher.put_row (channel, row, __ldcg (counter));
    *counter = 0;
  }
  for (uint32_t c = warp; c < task.n_channels; c += blockDim.x / HISTO_WARP_SIZE)
    sum_partials<Totals> (task, c);
}

/* Which counters a block of the second launch has, and in what order its threads hand their
 * sums on: each channel's side by side, so that they reach the host in few pieces. Either so
 * many vectors one after the other; or, of rows of many channels, so many rows of a few, the
 * first row of bins being the first of all. */
struct TablePart
{
  uint32_t n_counters, n_places;
  uint32_t n_rows, row_vectors; /* of the table, if is_tile */
  uint32_t first_vector, first_row;
  uint32_t width;               /* counters after which those of a channel come again */
  uint32_t height;              /* of a channel, at the most */
  bool is_tile;

  __device__ __forceinline__
  TablePart (const HistoAudioTask &task, uint32_t block)
  {
    const uint32_t n_block = HISTO_SUM_COLUMNS * 4;

    n_rows = task.binning.n_bins + HISTO_OUTSIDE_ROWS;
    n_counters = task.n_channels * n_rows;
    row_vectors = task.n_channels / 4;
    is_tile = histo_audio_sums_tiles (task.by_row, task.n_channels);
    if (is_tile) {
      const uint32_t across = task.n_channels / HISTO_SUM_TILE_CHANNELS;

      width = HISTO_SUM_TILE_CHANNELS;
      first_vector = block % across * (HISTO_SUM_TILE_CHANNELS / 4);
      first_row = block / across * (n_block / HISTO_SUM_TILE_CHANNELS);
    } else {
      width = task.by_row ? min (task.n_channels, n_block) : n_block;
      first_vector = block * HISTO_SUM_COLUMNS;
      first_row = 0;
    }
    height = (n_block + width - 1) / width;
    n_places = width * height;
  }

  /* The table's last, or more, if it has none. */
  __device__ __forceinline__ uint32_t
  vector (uint32_t column) const
  {
    const uint32_t tile_vectors = HISTO_SUM_TILE_CHANNELS / 4;
    const uint32_t from_first = first_row + column / tile_vectors;
    const uint32_t row = from_first + HISTO_ROW_FIRST_BIN;

    if (!is_tile)
      return first_vector + column;
    if (from_first >= n_rows)
      return UINT32_MAX / 4;
    return (row < n_rows ? row : row - n_rows) * row_vectors + first_vector
        + column % tile_vectors;
  }

  __device__ __forceinline__ uint32_t
  place (uint32_t i) const
  {
    return i % height * width + i / height;
  }
};

/* The second launch. Its first blocks take the counters, the others the totals, a warp for
 * each channel. */
template <typename Totals>
__device__ __forceinline__ void
sum_audio (const HistoAudioTask &task)
{
  const uint32_t n_counter_blocks = histo_audio_sum_blocks (task.by_row, task.n_channels,
      task.binning.n_bins);

  if (blockIdx.x < n_counter_blocks) {
    sum_tables ((const uint4 *) task.tables,
        histo_audio_table_bytes (task.n_channels, task.binning.n_bins) / 16,
        task.tables != 0 ? task.n_blocks : 0, (uint32_t *) task.scratch,
        TablePart (task, blockIdx.x), PublishRow (task, task.buffers[0], 0));
    return;
  }

  const uint32_t channel = (blockIdx.x - n_counter_blocks)
      * (blockDim.x / HISTO_WARP_SIZE) + threadIdx.x / HISTO_WARP_SIZE;

  /* A block that had a channel alone has handed its totals to the host. */
  if (channel < task.n_channels && task.n_blocks > 1)
    sum_partials<Totals> (task, channel);
}
