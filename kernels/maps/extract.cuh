/* Extraction: a plane of whole words for each component of a format whose planes the maps cannot
 * read, and planes that are made of R, G and B.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/maps/views.cuh"
#include "kernels/video/samples.cuh"

/* Sample (x, y) of native component c, as the buffer has it. */
__device__ __forceinline__ uint32_t
load_native (const HistoExtractLaunch &launch, uint32_t c, uint32_t x, uint32_t y)
{
  const HistoExtractComponent &component = launch.components[c];
  const HistoPlane &plane = launch.planes[component.plane];
  const uint32_t period = x / component.n_samples;
  const uint32_t place = component.samples[x - period * component.n_samples];

  return load_sample (row_address (plane, y) + (uint64_t) period * plane.period_bytes,
      plane.samples[place], plane.big_endian);
}

/* Writes the planes that are made of the R, G and B of a pixel. */
__device__ __forceinline__ void
derive_pixel (const HistoExtractLaunch &launch, uint32_t x, uint32_t y)
{
  const HistoMaps &maps = launch.maps;
  uint32_t rgb[3];

  for (uint32_t c = 0; c < 3; c++)
    rgb[c] = histo_scale_sample (load_native (launch, c, x, y), maps.depths[c], maps.depth);
  if (launch.luma.data != 0)
    store_at (launch.luma, x, y, histo_matrix_row (&maps.luma, 0, rgb[0], rgb[1], rgb[2]));
  if (launch.signal[0].data == 0)
    return;
  for (uint32_t i = 0; i < 3; i++)
    store_at (launch.signal[i], x, y,
        histo_matrix_row (&maps.matrix, i, rgb[0], rgb[1], rgb[2]));
}

/* The kernel's body: each thread extracts pixels, and the samples that have the same number in
 * subsampled components. */
__device__ __forceinline__ void
extract_planes (const HistoExtractLaunch &launch)
{
  const PlaneBlock block = { blockIdx.x, gridDim.x };
  Walk walk (block, launch.width);

  for (; walk.row < launch.height; walk.advance ()) {
    for (uint32_t c = 0; c < launch.n_components; c++) {
      const HistoMapsView &view = launch.native[c];

      if (walk.column < view.width && walk.row < view.height)
        store_at (view, walk.column, walk.row,
            load_native (launch, c, walk.column, walk.row));
    }
    if (launch.maps.is_rgb)
      derive_pixel (launch, walk.column, walk.row);
  }
}
