/* Loaders: how four pixels of a row come from memory into quads. What is loaded is regular: the values in the
 * low bits of words, in the device's order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/strip-launch.h"
#include "kernels/strip/quads.cuh"

/* The address of byte `offset` of row y of plane p. Strides fit in 32 bits, so that this is one
 * multiplication. */
__device__ __forceinline__ uint8_t *
strip_address (const HistoStripPlanes &planes, uint32_t p, uint32_t y, uint32_t offset)
{
  return (uint8_t *) (planes.data[p] + offset + (int64_t) (int32_t) y * planes.stride[p]);
}

template <typename Quad>
struct Loader
{
  const HistoStripLaunch &launch;
  uint32_t x;                   /* of the first pixel; a multiple of 4 */

  /* ---- One component ---- */

  /* Samples whose words hold more than the sample. */
  __device__ __forceinline__ Quad
  value (const Quad &quad) const
  {
    if constexpr (Quad::BYTES == 1)
      return quad;
    else
      return quad.shifted (launch.shift, launch.word_mask);
  }

  /* Component c in a plane of its own. */
  __device__ __forceinline__ Quad
  load_plane (const HistoStripPlanes &planes, uint32_t c, uint32_t y) const
  {
    return Quad::load (strip_address (planes, c, y, x * Quad::BYTES));
  }

  __device__ __forceinline__ void
  store_plane (const HistoStripPlanes &planes, uint32_t c, uint32_t y, const Quad &quad) const
  {
    quad.store (strip_address (planes, c, y, x * Quad::BYTES));
  }

  /* ---- Luma, and two samples each of U and V in turn ---- */

  /* Two samples each of U and V, as they lie in planes of their own, or in one: then u has both. */
  struct RawChroma
  {
    Quad u;
    uint32_t v;
  };

  /* @y: a row of chroma */
  __device__ __forceinline__ RawChroma
  load_chroma (uint32_t y) const
  {
    RawChroma raw = { };

    if (launch.loader == HISTO_LOADER_PLANES) {
      raw.u.w[0] = Quad::load_two (strip_address (launch.now, 1, y, x / 2 * Quad::BYTES));
      raw.v = Quad::load_two (strip_address (launch.now, 2, y, x / 2 * Quad::BYTES));
    } else {
      raw.u = load_plane (launch.now, 1, y);
    }
    return raw;
  }

  /* The samples in turn. It is called when they are needed: until then they may be on their way. */
  __device__ __forceinline__ Quad
  chroma_of (const RawChroma &raw) const
  {
    if (launch.loader == HISTO_LOADER_PLANES)
      return value (Quad::in_turn (raw.u.w[0], raw.v));
    /* In planes of words U is first. */
    if constexpr (Quad::BYTES == 1)
      return launch.selectors[0] == 0 ? raw.u : raw.u.exchanged ();
    else
      return value (raw.u);
  }

  /* v210: words of three fields of ten bits, which are U, Y, V and Y in turn. */
  __device__ __forceinline__ void
  load_stream (uint32_t y, Quad &luma, Quad &chroma) const
  {
    /* Four pixels are eight fields, from field `first` of a word on. */
    const uint32_t field = 2 * x, word = field / 3, first = field - 3 * word, shift = 10 * first;
    const uint32_t *words = (const uint32_t *) strip_address (launch.now, 0, y, 4 * word);
    const uint32_t v0 = __ldg (words), v1 = __ldg (words + 1), v2 = __ldg (words + 2);
    /* If the fields begin with the last one of a word, they end in a fourth word. */
    const uint32_t v3 = __ldg (words + (first == 2 ? 3 : 2));
    /* The upper two bits of a word mean nothing. */
    const uint32_t fields = 0x3fffffff >> shift;
    const uint32_t a = (v0 >> shift & fields) | v1 << (30 - shift),
        b = (v1 >> shift & fields) | v2 << (30 - shift), c = (v2 >> shift & fields) | v3 << (30 - shift);

    luma = Quad::of (a >> 10 & 0x3ff, b & 0x3ff, b >> 20 & 0x3ff, c >> 10 & 0x3ff);
    chroma = Quad::of (a & 0x3ff, a >> 20 & 0x3ff, b >> 10 & 0x3ff, c & 0x3ff);
  }

  /* Luma and chroma in turn: v210, or periods of four words for two pixels. */
  __device__ __forceinline__ void
  load_packed (uint32_t y, Quad &luma, Quad &chroma) const
  {
    const uint8_t *address = strip_address (launch.now, 0, y, 2 * x * Quad::BYTES);

    if constexpr (Quad::BYTES == 1) {
      const uint2 two = __ldg ((const uint2 *) address);
      const uint32_t v[2] = { two.x, two.y };

      luma = Quad::select (v, launch.selectors[0]);
      chroma = Quad::select (v, launch.selectors[1]);
    } else if (launch.loader == HISTO_LOADER_STREAM) {
      load_stream (y, luma, chroma);
    } else {
      const uint4 four = __ldg ((const uint4 *) address);
      const uint32_t v[4] = { four.x, four.y, four.z, four.w };

      luma = value (Quad::select (v, launch.selectors[0]));
      chroma = value (Quad::select (v, launch.selectors[1]));
    }
  }

  /* ---- Three or four components of each pixel ---- */

  /* Words of three fields of ten bits and one of two. A selector is the field's shift. */
  __device__ __forceinline__ void
  load_fields (const HistoStripPlanes &planes, uint32_t y, Quad c[4]) const
  {
    const uint4 v = __ldg ((const uint4 *) strip_address (planes, 0, y, 4 * x));

#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      const uint32_t shift = launch.selectors[i], mask = i < 3 ? 0x3ff : 3;

      c[i] = Quad::of (v.x >> shift & mask, v.y >> shift & mask, v.z >> shift & mask,
          v.w >> shift & mask);
    }
  }

  /* Pixels of four words. A selector is the word's place. */
  __device__ __forceinline__ void
  load_four_words (uint32_t y, Quad c[4]) const
  {
    const uint4 *address = (const uint4 *) strip_address (launch.now, 0, y, 8 * x);
    const uint4 v = __ldg (address), next = __ldg (address + 1);

#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      const uint32_t half = (launch.selectors[i] & 1) != 0 ? 0x7632 : 0x5410;
      const bool is_upper = (launch.selectors[i] & 2) != 0;

      c[i].w[0] = __byte_perm (is_upper ? v.y : v.x, is_upper ? v.w : v.z, half);
      c[i].w[1] = __byte_perm (is_upper ? next.y : next.x, is_upper ? next.w : next.z, half);
      c[i] = value (c[i]);
    }
  }

  /* Pixels of four bytes. A selector takes the component's bytes of two pixels. */
  __device__ __forceinline__ void
  load_four_bytes (uint32_t y, Quad c[4]) const
  {
    const uint4 v = __ldg ((const uint4 *) strip_address (launch.now, 0, y, 4 * x));

#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      c[i].w[0] = __byte_perm (__byte_perm (v.x, v.y, launch.selectors[i]),
          __byte_perm (v.z, v.w, launch.selectors[i]), 0x5410);
  }

  /* Pixels of three bytes. A selector is the byte's place. */
  __device__ __forceinline__ void
  load_three_bytes (uint32_t y, Quad c[4]) const
  {
    const uint32_t *address = (const uint32_t *) strip_address (launch.now, 0, y, 3 * x);
    const uint32_t v0 = __ldg (address), v1 = __ldg (address + 1), v2 = __ldg (address + 2);
    const uint32_t first = __byte_perm (__byte_perm (v0, v1, 0x0630), v2, 0x5210);
    const uint32_t second = __byte_perm (__byte_perm (v0, v1, 0x0741), v2, 0x6210);
    const uint32_t third = __byte_perm (__byte_perm (v0, v1, 0x0052), v2, 0x7410);

#pragma unroll
    for (uint32_t i = 0; i < 3; i++)
      c[i].w[0] = launch.selectors[i] == 0 ? first : launch.selectors[i] == 1 ? second : third;
  }

  /* Luma, and a sample each of U and V for each pixel, in turn: of bytes. */
  __device__ __forceinline__ void
  load_pairs (uint32_t y, Quad c[4]) const
  {
    const uint2 two = __ldg ((const uint2 *) strip_address (launch.now, 1, y, 2 * x));
    const uint32_t v[2] = { two.x, two.y };

    c[0] = load_plane (launch.now, 0, y);
    c[1] = Quad::select (v, launch.selectors[1]);
    c[2] = Quad::select (v, launch.selectors[2]);
  }

  __device__ __forceinline__ void
  load_pixels (uint32_t y, Quad c[4]) const
  {
    if (launch.loader == HISTO_LOADER_PLANES) {
      for (uint32_t i = 0; i < 3; i++)
        c[i] = value (load_plane (launch.now, i, y));
      if (launch.n_components > 3)
        c[3] = value (load_plane (launch.now, 3, y));
    } else if constexpr (Quad::BYTES == 1) {
      if (launch.loader == HISTO_LOADER_PAIRS)
        load_pairs (y, c);
      else if (launch.loader == HISTO_LOADER_THREE)
        load_three_bytes (y, c);
      else
        load_four_bytes (y, c);
    } else {
      if (launch.loader == HISTO_LOADER_FIELDS)
        load_fields (launch.now, y, c);
      else
        load_four_words (y, c);
    }
  }

  /* Pictures in the engine's own memory have a plane for each component, or fields where the buffer has. */
  __device__ __forceinline__ void
  load_previous_pixels (uint32_t y, Quad c[4]) const
  {
    if (Quad::BYTES == 2 && launch.loader == HISTO_LOADER_FIELDS) {
      load_fields (launch.previous, y, c);
      return;
    }
    for (uint32_t i = 0; i < 3; i++)
      c[i] = load_plane (launch.previous, i, y);
    if (launch.n_components > 3)
      c[3] = load_plane (launch.previous, 3, y);
  }

  __device__ __forceinline__ void
  store_pixels (uint32_t y, const Quad c[4]) const
  {
    if (Quad::BYTES == 2 && launch.loader == HISTO_LOADER_FIELDS) {
      uint32_t v[4];

#pragma unroll
      for (uint32_t i = 0; i < 4; i++)
        v[i] = c[0].get (i) << launch.selectors[0] | c[1].get (i) << launch.selectors[1]
            | c[2].get (i) << launch.selectors[2] | c[3].get (i) << launch.selectors[3];
      *(uint4 *) strip_address (launch.copy, 0, y, 4 * x) = make_uint4 (v[0], v[1], v[2], v[3]);
      return;
    }
    for (uint32_t i = 0; i < 3; i++)
      store_plane (launch.copy, i, y, c[i]);
    if (launch.n_components > 3)
      store_plane (launch.copy, 3, y, c[3]);
  }
};
