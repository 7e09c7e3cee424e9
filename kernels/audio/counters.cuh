/* Where the counters of a block of audio go: to the host, to a table or to scratch memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/audio/totals.cuh"
#include "kernels/tables.cuh"

/* The index of a counter in a table, in scratch memory, and in a fold.
 *
 * Channel after channel: index = channel * n_rows + row.
 *
 * Row after row, for interleaved channels that are measured by vectors: if each channel has
 * exactly one place in the lanes' pattern, a row's channels are in the order in which a warp
 * has their counters, so that a warp stores neighbouring sums. Place p of lane l has channel
 * l * n_places + p, which is counter p * n_lanes + l of its row. With 8 channels and 4 places
 * there are 2 lanes, and a row has the channels 0 4 1 5 2 6 3 7. Otherwise a row's channels
 * are in their own order. */
struct CounterLayout
{
  uint32_t n_rows, n_channels;
  bool by_row;
  uint32_t n_lanes, n_places;

  __device__ __forceinline__
  explicit CounterLayout (const HistoAudioLaunch &launch)
  {
    n_rows = launch.binning.n_bins + HISTO_OUTSIDE_ROWS;
    n_channels = launch.n_channels;
    by_row = launch.by_row;
    n_places = histo_audio_thread_channels (n_channels);
    n_lanes = launch.lane_period;
    if (n_lanes * n_places != n_channels) {
      n_lanes = n_channels;
      n_places = 1;
    }
  }

  /* The channel of counter i of a row. */
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

/* The buffer that this block of a measuring kernel has. */
__device__ __forceinline__ const HistoAudioBuffer &
buffer_of_block (const HistoAudioLaunch &launch)
{
  return launch.buffers[blockIdx.z];
}

/* A sink that writes sums to the host. */
struct PublishRow
{
  CounterLayout layout;
  uint32_t *result;             /* of first_channel, as `totals` */
  HistoTotals *totals;
  uint32_t n_bins;

  __device__ __forceinline__
  PublishRow (const HistoAudioLaunch &launch, const HistoAudioBuffer &buffer,
      uint32_t first_channel) : layout (launch)
  {
    n_bins = launch.binning.n_bins;
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

/* Gives a sum whose index, channel and row are known to a sink. */
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

/* Calls fold (sink). The sink writes to
 * - the host, if the block has all samples of its channels;
 * - else the block's table, if the launch has tables for the second kernel;
 * - else scratch memory, for the last block or the second kernel. */
template <typename Fold>
__device__ __forceinline__ void
put_sums (const HistoAudioLaunch &launch, uint32_t first_channel, const Fold &fold)
{
  const uint64_t first = (uint64_t) first_channel
      * (launch.binning.n_bins + HISTO_OUTSIDE_ROWS);

  if (launch.n_blocks == 1)
    fold (PublishRow (launch, buffer_of_block (launch), first_channel));
  else if (launch.tables != 0)
    fold (StoreSum { (uint32_t *) (launch.tables + blockIdx.x
            * histo_audio_table_bytes (launch.n_channels, launch.binning.n_bins)) + first });
  else
    fold (AddSum { (uint32_t *) launch.scratch + first });
}

/* If this is the last block to call this, sums what all blocks left and writes it to the
 * host. It replaces the second launch for few counters, which one block sums sooner. All
 * threads of the block call it, after the block has stored its counters and totals. */
template <typename Totals>
__device__ __forceinline__ void
sum_if_last (const HistoAudioLaunch &launch)
{
  /* The number of blocks comes first: a lone block need not load the ticket's address. */
  if (launch.n_blocks == 1 || launch.ticket == 0 || !is_last_block ((uint32_t *) launch.ticket))
    return;

  const PublishRow publisher (launch, launch.buffers[0], 0);
  const CounterLayout &layout = publisher.layout;
  const uint32_t warp = threadIdx.x / HISTO_WARP_SIZE;

  /* Channel after channel, so that the result reaches the host in few pieces. */
  for (uint32_t i = threadIdx.x; i < layout.n_channels * layout.n_rows; i += blockDim.x) {
    const uint32_t channel = i / layout.n_rows, row = i % layout.n_rows;
    uint32_t *counter = (uint32_t *) launch.scratch + layout.index (channel, row);

    publisher.put_row (channel, row, __ldcg (counter));
    *counter = 0;
  }
  for (uint32_t c = warp; c < launch.n_channels; c += blockDim.x / HISTO_WARP_SIZE)
    sum_partials<Totals> (launch, c);
}

/* The part of the counters that a block of the second kernel sums (see sum_tables()), and the
 * order in which its threads write the sums: those of a channel side by side, so that they
 * reach the host in few pieces. A part is either
 * - HISTO_SUM_COLUMNS successive vectors of the table; or
 * - a tile: HISTO_SUM_TILE_CHANNELS channels of successive rows. The rows are numbered from
 *   the first row of bins on; the row of underflows comes last. */
struct TablePart
{
  uint32_t n_counters, n_places;
  uint32_t n_rows, row_vectors; /* of the table, for a tile */
  uint32_t first_vector, first_row;
  uint32_t width;               /* from a counter to the next one of its channel */
  uint32_t height;              /* most counters of one channel */
  bool is_tile;

  __device__ __forceinline__
  TablePart (const HistoAudioLaunch &launch, uint32_t block)
  {
    const uint32_t n_block = HISTO_SUM_COLUMNS * 4;

    n_rows = launch.binning.n_bins + HISTO_OUTSIDE_ROWS;
    n_counters = launch.n_channels * n_rows;
    row_vectors = launch.n_channels / 4;
    is_tile = histo_audio_sums_tiles (launch.by_row, launch.n_channels);
    if (is_tile) {
      const uint32_t across = launch.n_channels / HISTO_SUM_TILE_CHANNELS;

      width = HISTO_SUM_TILE_CHANNELS;
      first_vector = block % across * (HISTO_SUM_TILE_CHANNELS / 4);
      first_row = block / across * (n_block / HISTO_SUM_TILE_CHANNELS);
    } else {
      width = launch.by_row ? min (launch.n_channels, n_block) : n_block;
      first_vector = block * HISTO_SUM_COLUMNS;
      first_row = 0;
    }
    height = (n_block + width - 1) / width;
    n_places = width * height;
  }

  /* The vector of a column; not one of the table's if the part has no such column. */
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

  /* The counter of the part that place i has. */
  __device__ __forceinline__ uint32_t
  place (uint32_t i) const
  {
    return i % height * width + i / height;
  }
};

/* The body of the second kernel. The first blocks sum counters; each warp of the other blocks
 * sums the totals of a channel. */
template <typename Totals>
__device__ __forceinline__ void
sum_audio (const HistoAudioLaunch &launch)
{
  const uint32_t n_counter_blocks = histo_audio_sum_blocks (launch.by_row, launch.n_channels,
      launch.binning.n_bins);

  if (blockIdx.x < n_counter_blocks) {
    sum_tables ((const uint4 *) launch.tables,
        histo_audio_table_bytes (launch.n_channels, launch.binning.n_bins) / 16,
        launch.tables != 0 ? launch.n_blocks : 0, (uint32_t *) launch.scratch,
        TablePart (launch, blockIdx.x), PublishRow (launch, launch.buffers[0], 0));
    return;
  }

  const uint32_t channel = (blockIdx.x - n_counter_blocks)
      * (blockDim.x / HISTO_WARP_SIZE) + threadIdx.x / HISTO_WARP_SIZE;

  /* With one block to a channel the totals are already at the host. */
  if (channel < launch.n_channels && launch.n_blocks > 1)
    sum_partials<Totals> (launch, channel);
}
