/* Loaders: how four pixels of a row come from memory into quads. What is loaded is regular: the values in the
 * low bits of words, in the device's order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/strip-launch.h"
#include "kernels/strip/quads.cuh"

/* The address of byte `offset` of row y of plane p. Strides fit in 32 bits, so that this is one instruction, which the
 * compiler does not find everywhere. */
__device__ __forceinline__ uint8_t *
strip_address (const HistoStripPlanes &planes, uint32_t p, uint32_t y, uint32_t offset)
{
  const uint64_t row = planes.data[p] + offset;

#ifdef __CUDA_ARCH__
  uint64_t address;

  asm ("mad.wide.s32 %0, %1, %2, %3;" : "=l" (address) : "r" (y), "r" ((int32_t) planes.stride[p]), "l" (row));
  return (uint8_t *) address;
#else
  return (uint8_t *) (row + (int64_t) (int32_t) y * planes.stride[p]);
#endif
}

/* @LOADER: the launch's, or HISTO_LOADER_ANY if the compiler does not know it. */
template <typename Quad, uint32_t LOADER = HISTO_LOADER_ANY>
struct Loader
{
  const HistoStripLaunch &launch;
  uint32_t x;                   /* of the first pixel; a multiple of 4 */

  __device__ __forceinline__ uint32_t
  kind () const
  {
    return LOADER == HISTO_LOADER_ANY ? launch.loader : LOADER;
  }

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

    if (kind () == HISTO_LOADER_PLANES) {
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
    if (kind () == HISTO_LOADER_PLANES)
      return value (Quad::in_turn (raw.u.w[0], raw.v));
    /* In planes of words U is first. */
    if constexpr (Quad::BYTES == 1)
      return launch.selectors[0] == 0 ? raw.u : raw.u.exchanged ();
    else
      return value (raw.u);
  }

  /* Luma and chroma in turn: v210, or periods of four words for two pixels. What is fetched is taken apart when it is
   * needed: until then it may be on its way. */
  __device__ __forceinline__ void
  fetch_packed (uint32_t y, uint32_t v[4]) const
  {
    if constexpr (Quad::BYTES == 1) {
      fetch_two (strip_address (launch.now, 0, y, 2 * x), v);
    } else if (kind () == HISTO_LOADER_STREAM) {
      const uint32_t word = 2 * x / 3;
      const uint32_t *words = (const uint32_t *) strip_address (launch.now, 0, y, 4 * word);

      v[0] = __ldg (words);
      v[1] = __ldg (words + 1);
      v[2] = __ldg (words + 2);
      /* If the fields begin with the last one of a word, they end in a fourth word. */
      v[3] = __ldg (words + (2 * x - 3 * word == 2 ? 3 : 2));
    } else {
      fetch_four (strip_address (launch.now, 0, y, 4 * x), v);
    }
  }

  __device__ __forceinline__ void
  packed_of (const uint32_t v[4], Quad &luma, Quad &chroma) const
  {
    if (Quad::BYTES == 2 && kind () == HISTO_LOADER_STREAM) {
      stream_of (v, luma, chroma);
    } else {
      luma = value (Quad::select (v, launch.selectors[0]));
      chroma = value (Quad::select (v, launch.selectors[1]));
    }
  }

  /* v210: words of three fields of ten bits, which are U, Y, V and Y in turn. */
  __device__ __forceinline__ void
  stream_of (const uint32_t v[4], Quad &luma, Quad &chroma) const
  {
    /* Four pixels are eight fields, from field `first` of a word on. */
    const uint32_t first = 2 * x % 3, shift = 10 * first;
    /* The upper two bits of a word mean nothing. */
    const uint32_t fields = 0x3fffffff >> shift;
    const uint32_t a = (v[0] >> shift & fields) | v[1] << (30 - shift),
        b = (v[1] >> shift & fields) | v[2] << (30 - shift), c = (v[2] >> shift & fields) | v[3] << (30 - shift);

    luma = Quad::of (a >> 10 & 0x3ff, b & 0x3ff, b >> 20 & 0x3ff, c >> 10 & 0x3ff);
    chroma = Quad::of (a & 0x3ff, a >> 20 & 0x3ff, b >> 10 & 0x3ff, c & 0x3ff);
  }

  __device__ __forceinline__ void
  load_packed (uint32_t y, Quad &luma, Quad &chroma) const
  {
    uint32_t v[4];

    fetch_packed (y, v);
    packed_of (v, luma, chroma);
  }

  /* ---- Three or four components of each pixel ---- */

  /* A row of pixels before it is taken apart. */
  struct Row
  {
    uint32_t w[4 * Quad::BYTES];

    __device__ __forceinline__ void
    put (uint32_t i, const Quad &quad)
    {
#pragma unroll
      for (uint32_t k = 0; k < Quad::N_WORDS; k++)
        w[Quad::N_WORDS * i + k] = quad.w[k];
    }

    __device__ __forceinline__ Quad
    get (uint32_t i) const
    {
      Quad quad;

#pragma unroll
      for (uint32_t k = 0; k < Quad::N_WORDS; k++)
        quad.w[k] = w[Quad::N_WORDS * i + k];
      return quad;
    }

    /* Chroma takes the words behind luma. */
    __device__ __forceinline__ void
    put_chroma (const RawChroma &raw)
    {
      put (1, raw.u);
      w[2 * Quad::N_WORDS] = raw.v;
    }

    __device__ __forceinline__ RawChroma
    chroma () const
    {
      return { get (1), w[2 * Quad::N_WORDS] };
    }
  };

  __device__ __forceinline__ static void
  fetch_two (const uint8_t *address, uint32_t *v)
  {
    const uint2 two = __ldg ((const uint2 *) address);

    v[0] = two.x;
    v[1] = two.y;
  }

  __device__ __forceinline__ static void
  fetch_four (const uint8_t *address, uint32_t *v)
  {
    const uint4 four = __ldg ((const uint4 *) address);

    v[0] = four.x;
    v[1] = four.y;
    v[2] = four.z;
    v[3] = four.w;
  }

  __device__ __forceinline__ void
  fetch_planes (const HistoStripPlanes &planes, uint32_t y, Row &row) const
  {
    for (uint32_t i = 0; i < 3; i++)
      row.put (i, load_plane (planes, i, y));
    if (launch.n_components > 3)
      row.put (3, load_plane (planes, 3, y));
  }

  /* Words of three fields of ten bits and one of two. A selector is the field's shift. */
  __device__ __forceinline__ Quad
  field_of (const Row &row, uint32_t i) const
  {
    const uint32_t shift = launch.selectors[i], mask = i < 3 ? 0x3ff : 3;

    return Quad::of (row.w[0] >> shift & mask, row.w[1] >> shift & mask, row.w[2] >> shift & mask,
        row.w[3] >> shift & mask);
  }

  __device__ __forceinline__ void
  fields_of (const Row &row, Quad c[4]) const
  {
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      c[i] = field_of (row, i);
  }

  /* Periods of four words of 16 bits. A selector is the word's place. */
  __device__ __forceinline__ Quad
  words_of (const Row &row, uint32_t i) const
  {
    const uint32_t half = (launch.selectors[i] & 1) != 0 ? 0x7632 : 0x5410;
    const bool is_upper = (launch.selectors[i] & 2) != 0;
    Quad quad;

#pragma unroll
    for (uint32_t k = 0; k < 2; k++)
      quad.w[k] = __byte_perm (is_upper ? row.w[4 * k + 1] : row.w[4 * k],
          is_upper ? row.w[4 * k + 3] : row.w[4 * k + 2], half);
    return value (quad);
  }

  /* Calls use (loader) with the constant of the launch's loader of full pixels. */
  template <typename Use>
  __device__ __forceinline__ void
  with_full_loader (const Use &use) const
  {
    if (kind () == HISTO_LOADER_PLANES) {
      use (std::integral_constant<uint32_t, HISTO_LOADER_PLANES> ());
    } else if constexpr (Quad::BYTES == 1) {
      if (kind () == HISTO_LOADER_IN_TURN)
        use (std::integral_constant<uint32_t, HISTO_LOADER_IN_TURN> ());
      else if (kind () == HISTO_LOADER_THREE)
        use (std::integral_constant<uint32_t, HISTO_LOADER_THREE> ());
      else
        use (std::integral_constant<uint32_t, HISTO_LOADER_FOUR> ());
    } else {
      if (kind () == HISTO_LOADER_FIELDS)
        use (std::integral_constant<uint32_t, HISTO_LOADER_FIELDS> ());
      else
        use (std::integral_constant<uint32_t, HISTO_LOADER_FOUR> ());
    }
  }

  template <uint32_t FULL>
  __device__ __forceinline__ void
  fetch_full (uint32_t y, Row &row) const
  {
    if constexpr (FULL == HISTO_LOADER_PLANES) {
      fetch_planes (launch.now, y, row);
    } else if constexpr (FULL == HISTO_LOADER_IN_TURN) {
      row.put (0, load_plane (launch.now, 0, y));
      fetch_two (strip_address (launch.now, 1, y, 2 * x), row.w + 1);
    } else if constexpr (FULL == HISTO_LOADER_THREE) {
      const uint32_t *address = (const uint32_t *) strip_address (launch.now, 0, y, 3 * x);

#pragma unroll
      for (uint32_t i = 0; i < 3; i++)
        row.w[i] = __ldg (address + i);
    } else {
      const uint32_t words = FULL == HISTO_LOADER_FOUR ? Quad::BYTES : 1;
      const uint8_t *address = strip_address (launch.now, 0, y, 4 * words * x);

#pragma unroll
      for (uint32_t i = 0; i < words; i++)
        fetch_four (address + 16 * i, row.w + 4 * i);
    }
  }

  template <uint32_t FULL>
  __device__ __forceinline__ void
  full_of (const Row &row, Quad c[4]) const
  {
    if constexpr (FULL == HISTO_LOADER_PLANES) {
      for (uint32_t i = 0; i < 3; i++)
        c[i] = value (row.get (i));
      if (launch.n_components > 3)
        c[3] = value (row.get (3));
    } else if constexpr (FULL == HISTO_LOADER_IN_TURN) {
      /* Luma, and a sample each of U and V for each pixel, in turn: of bytes. */
      c[0] = row.get (0);
      c[1] = Quad::select (row.w + 1, launch.selectors[1]);
      c[2] = Quad::select (row.w + 1, launch.selectors[2]);
    } else if constexpr (FULL == HISTO_LOADER_THREE) {
      /* A selector is the byte's place. */
      const uint32_t first = __byte_perm (__byte_perm (row.w[0], row.w[1], 0x0630), row.w[2], 0x5210);
      const uint32_t second = __byte_perm (__byte_perm (row.w[0], row.w[1], 0x0741), row.w[2], 0x6210);
      const uint32_t third = __byte_perm (__byte_perm (row.w[0], row.w[1], 0x0052), row.w[2], 0x7410);

#pragma unroll
      for (uint32_t i = 0; i < 3; i++)
        c[i].w[0] = launch.selectors[i] == 0 ? first : launch.selectors[i] == 1 ? second : third;
    } else if constexpr (FULL == HISTO_LOADER_FIELDS) {
      fields_of (row, c);
    } else if constexpr (Quad::BYTES == 1) {
      /* A selector takes the component's bytes of two pixels. */
#pragma unroll
      for (uint32_t i = 0; i < 4; i++)
        c[i].w[0] = __byte_perm (__byte_perm (row.w[0], row.w[1], launch.selectors[i]),
            __byte_perm (row.w[2], row.w[3], launch.selectors[i]), 0x5410);
    } else {
#pragma unroll
      for (uint32_t i = 0; i < 4; i++)
        c[i] = words_of (row, i);
    }
  }

  __device__ __forceinline__ void
  fetch_pixels (uint32_t y, Row &row) const
  {
    with_full_loader ([&] (auto full) { fetch_full<full.value> (y, row); });
  }

  __device__ __forceinline__ void
  pixels_of (const Row &row, Quad c[4]) const
  {
    with_full_loader ([&] (auto full) { full_of<full.value> (row, c); });
  }

  /* Component i of full pixels of words; nothing else if it has a plane. */
  __device__ __forceinline__ void
  fetch_component (uint32_t i, uint32_t y, Row &row) const
  {
    if (kind () == HISTO_LOADER_PLANES)
      row.put (0, load_plane (launch.now, i, y));
    else
      fetch_pixels (y, row);
  }

  __device__ __forceinline__ Quad
  component_of (uint32_t i, const Row &row) const
  {
    return kind () == HISTO_LOADER_PLANES ? value (row.get (0)) :
        kind () == HISTO_LOADER_FIELDS ? field_of (row, i) : words_of (row, i);
  }

  __device__ __forceinline__ void
  fetch_previous_component (uint32_t i, uint32_t y, Row &row) const
  {
    if (kind () == HISTO_LOADER_FIELDS)
      fetch_four (strip_address (launch.previous, 0, y, 4 * x), row.w);
    else
      row.put (0, load_plane (launch.previous, i, y));
  }

  __device__ __forceinline__ Quad
  previous_component_of (uint32_t i, const Row &row) const
  {
    return kind () == HISTO_LOADER_FIELDS ? field_of (row, i) : row.get (0);
  }

  /* Both at once: one branch for each loader, and one for alpha, which takes fewer registers. */
  __device__ __forceinline__ void
  load_pixels (uint32_t y, Quad c[4]) const
  {
    with_full_loader ([&] (auto full) {
      if constexpr (full.value == HISTO_LOADER_PLANES) {
        for (uint32_t i = 0; i < 3; i++)
          c[i] = value (load_plane (launch.now, i, y));
        if (launch.n_components > 3)
          c[3] = value (load_plane (launch.now, 3, y));
      } else {
        Row row;

        fetch_full<full.value> (y, row);
        full_of<full.value> (row, c);
      }
    });
  }

  /* Pictures in the engine's own memory have a plane for each component, or fields where the buffer has. */
  __device__ __forceinline__ void
  fetch_previous_pixels (uint32_t y, Row &row) const
  {
    if (Quad::BYTES == 2 && kind () == HISTO_LOADER_FIELDS)
      fetch_four (strip_address (launch.previous, 0, y, 4 * x), row.w);
    else
      fetch_planes (launch.previous, y, row);
  }

  __device__ __forceinline__ void
  previous_pixels_of (const Row &row, Quad c[4]) const
  {
    if (Quad::BYTES == 2 && kind () == HISTO_LOADER_FIELDS) {
      fields_of (row, c);
      return;
    }
    for (uint32_t i = 0; i < 3; i++)
      c[i] = row.get (i);
    if (launch.n_components > 3)
      c[3] = row.get (3);
  }

  __device__ __forceinline__ void
  load_previous_pixels (uint32_t y, Quad c[4]) const
  {
    Row row;

    if (Quad::BYTES == 2 && kind () == HISTO_LOADER_FIELDS) {
      fetch_four (strip_address (launch.previous, 0, y, 4 * x), row.w);
      fields_of (row, c);
      return;
    }
    for (uint32_t i = 0; i < 3; i++)
      c[i] = load_plane (launch.previous, i, y);
    if (launch.n_components > 3)
      c[3] = load_plane (launch.previous, 3, y);
  }

  /* The samples of RGB video, scaled to the depth of the formulas. */
  __device__ __forceinline__ void
  scale (const Quad native[4], Quad rgb[3]) const
  {
#pragma unroll
    for (uint32_t c = 0; c < 3; c++) {
      rgb[c] = native[c];
      if (Quad::BYTES == 1 && launch.formulas.depths[c] != 8)
        rgb[c] = Quad::of (scaled (native[c], c, 0), scaled (native[c], c, 1), scaled (native[c], c, 2),
            scaled (native[c], c, 3));
    }
  }

  __device__ __forceinline__ void
  store_pixels (uint32_t y, const Quad c[4]) const
  {
    if (Quad::BYTES == 2 && kind () == HISTO_LOADER_FIELDS) {
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

private:
  __device__ __forceinline__ uint32_t
  scaled (const Quad &quad, uint32_t c, uint32_t i) const
  {
    return histo_scale_sample (quad.get (i), launch.formulas.depths[c], 8);
  }
};
