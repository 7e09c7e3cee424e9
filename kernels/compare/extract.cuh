/* A plane for each component of a picture that the kernels which compare cannot read where it lies.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/compare-launch.h"
#include "kernels/video/samples.cuh"

/* Sample x of a row of a component. */
__device__ __forceinline__ uint32_t
sample_of_row (const HistoComponentSamples &component, const HistoPlane &plane, const uint8_t *row, uint32_t x)
{
  const uint32_t period = x / component.n_samples, place = component.samples[x - period * component.n_samples];

  return load_sample (row + (uint64_t) period * plane.period_bytes, plane.samples[place], plane.big_endian);
}

/* The kernel's body: each thread writes four samples at a time. Those behind the last one of a row are copies of it, for
 * which the planes have room. */
__device__ __forceinline__ void
extract_planes (const HistoExtractPlanesLaunch &launch)
{
  const PlaneBlock block = { blockIdx.x, gridDim.x };

  for (uint32_t c = 0; c < launch.n_components; c++) {
    const HistoComponentSamples &component = launch.components[c];
    const HistoPlane &plane = launch.planes[component.plane];
    Walk walk (block, (component.width + 3) / 4);

    for (; walk.row < component.height; walk.advance ()) {
      const uint8_t *row = row_address (plane, walk.row);
      uint32_t samples[4];

#pragma unroll
      for (uint32_t i = 0; i < 4; i++)
        samples[i] = sample_of_row (component, plane, row, min (4 * walk.column + i, component.width - 1));

      uint8_t *to = (uint8_t *) (launch.data[c] + (uint64_t) walk.row * launch.stride[c]
          + (uint64_t) 4 * walk.column * launch.bytes);

      if (launch.bytes == 1)
        *(uint32_t *) to = samples[0] | samples[1] << 8 | samples[2] << 16 | samples[3] << 24;
      else
        *(uint2 *) to = make_uint2 (samples[0] | samples[1] << 16, samples[2] | samples[3] << 16);
    }
  }
}
