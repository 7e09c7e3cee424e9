/* Interleaved audio into channels, step by step: a matrix of frames by channels is turned.
 * What each step teaches is in the table in ladder-steps.c.
 *
 * A block takes 32 frames of 32 channels by 32 x 8 threads: blockIdx.x numbers the frames,
 * blockIdx.y the channels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "primitives.cuh"

/* A thread's place in its block's tile, and the tile's in the data. */
struct Tile
{
  uint32_t lane, row, first_frame, first_channel, n_frames;
  const uint32_t *interleaved;
  uint32_t *channels;

  __device__ __forceinline__
  explicit Tile (const LadderTask &task)
  {
    lane = threadIdx.x % LADDER_TILE;
    row = threadIdx.x / LADDER_TILE;
    first_frame = blockIdx.x * LADDER_TILE;
    first_channel = blockIdx.y * LADDER_TILE;
    n_frames = task.n / LADDER_CHANNELS;
    interleaved = (const uint32_t *) task.data;
    channels = (uint32_t *) task.result;
  }

  /* Calls `take (frame, channel, word)`: the lanes of a warp are neighbouring channels. */
  template <typename Take>
  __device__ __forceinline__ void
  read (const Take &take) const
  {
#pragma unroll
    for (uint32_t frame = row; frame < LADDER_TILE; frame += LADDER_TILE_ROWS) {
      if (first_frame + frame < n_frames)
        take (frame, lane, __ldg (interleaved
                + (first_frame + frame) * LADDER_CHANNELS + first_channel + lane));
    }
  }

  /* Writes what `give (frame, channel)` has: the lanes are neighbouring frames. */
  template <typename Give>
  __device__ __forceinline__ void
  write (const Give &give) const
  {
#pragma unroll
    for (uint32_t channel = row; channel < LADDER_TILE; channel += LADDER_TILE_ROWS) {
      if (first_frame + lane < n_frames)
        channels[(first_channel + channel) * n_frames + first_frame + lane] =
            give (lane, channel);
    }
  }
};

__device__ __forceinline__ void
split_directly (const LadderTask &task)
{
  const Tile tile (task);

  tile.read ([&] (uint32_t frame, uint32_t channel, uint32_t word) {
    tile.channels[(tile.first_channel + channel) * tile.n_frames + tile.first_frame + frame] =
        word;
  });
}

/* Through shared memory, where a row has WIDTH words; SWIZZLED: a row's words are permuted
 * by its number. */
template <uint32_t WIDTH, bool SWIZZLED>
__device__ __forceinline__ void
split_by_tile (const LadderTask &task)
{
  __shared__ uint32_t words[LADDER_TILE * WIDTH];
  const Tile tile (task);
  const auto place = [] (uint32_t frame, uint32_t channel) {
    return frame * WIDTH + (SWIZZLED ? channel ^ frame : channel);
  };

  tile.read ([&] (uint32_t frame, uint32_t channel, uint32_t word) {
    words[place (frame, channel)] = word;
  });
  __syncthreads ();
  tile.write ([&] (uint32_t frame, uint32_t channel) {
    return words[place (frame, channel)];
  });
}

#define LADDER_SPLITTING(step, ...) \
  LADDER_KERNEL (ladder_##step, LADDER_TILE * LADDER_TILE_ROWS, 1, __VA_ARGS__)

LADDER_SPLITTING (split_directly, split_directly (task))
LADDER_SPLITTING (split_plain_tile, split_by_tile<LADDER_TILE, false> (task))
LADDER_SPLITTING (split_padded_tile, split_by_tile<LADDER_TILE + 1, false> (task))
LADDER_SPLITTING (split_swizzled_tile, split_by_tile<LADDER_TILE, true> (task))
