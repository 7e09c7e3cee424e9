/* Four pixels of a row of a regular picture, whatever its loader is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/strip/loaders.cuh"

/* @KNOWN: HISTO_CHECKED_… */
template <typename Quad, uint32_t KNOWN>
struct RegularPixels
{
  /* Whether chroma has fewer samples in a row than luma, or there is none. */
  static constexpr bool is_half = KNOWN <= HISTO_CHECKED_HALF;

  const HistoStripLaunch &launch;
  const HistoFormulas &formulas;
  Loader<Quad, KNOWN == HISTO_CHECKED_TWO ? HISTO_LOADER_IN_TURN : HISTO_LOADER_ANY> loader;

  /* @x: of the first pixel */
  __device__ __forceinline__
  RegularPixels (const HistoStripLaunch &of, uint32_t x) : launch (of), formulas (of.formulas), loader { of, x }
  {
  }

  __device__ __forceinline__ bool
  has_chroma () const
  {
    return KNOWN != HISTO_CHECKED_HALF || formulas.has_chroma;
  }

  /* If is_half: whether luma and chroma are loaded together. */
  __device__ __forceinline__ bool
  is_packed () const
  {
    return loader.kind () > HISTO_LOADER_IN_TURN;
  }

  /* ---- Rows of pixels, and of chroma that has fewer samples in a row than luma. What is fetched is taken apart when it
   * is needed: until then it may be on its way, while other rows are fetched. ---- */

  typedef typename decltype (loader)::Row Row;

  __device__ __forceinline__ void
  fetch (uint32_t y, bool with_chroma, Row &row) const
  {
    if (!is_half) {
      loader.fetch_pixels (y, row);
    } else if (is_packed ()) {
      loader.fetch_packed (y, row.w);
    } else {
      row.put (0, loader.load_plane (launch.now, 0, y));
      if (with_chroma && has_chroma ())
        row.put_chroma (loader.load_chroma (histo_chroma_row (&launch.scan, y)));
      if (!with_chroma && launch.n_components > 3)
        row.put (3, loader.load_plane (launch.now, 3, y));
    }
  }

  /* Luma alone, where it is not loaded together with chroma. */
  __device__ __forceinline__ void
  fetch_luma (uint32_t y, Row &row) const
  {
    if (is_packed ())
      fetch (y, false, row);
    else
      row.put (0, loader.load_plane (launch.now, 0, y));
  }

  __device__ __forceinline__ Quad
  luma_of (const Row &row) const
  {
    Quad c[4];

    if (!is_packed ())
      return loader.value (row.get (0));
    samples_of (row, c);
    return c[0];
  }

  __device__ __forceinline__ void
  fetch_previous (uint32_t y, bool with_chroma, Row &row) const
  {
    if (!is_half) {
      loader.fetch_previous_pixels (y, row);
    } else {
      row.put (0, loader.load_plane (launch.previous, 0, y));
      if (with_chroma && has_chroma ())
        row.put (1, loader.load_plane (launch.previous, 1, histo_chroma_row (&launch.previous_scan, y)));
      if (!with_chroma && launch.n_components > 3)
        row.put (3, loader.load_plane (launch.previous, 3, y));
    }
  }

  /* Sets luma, and alpha as [3], of a row without chroma; all components of full pixels. */
  __device__ __forceinline__ void
  samples_of (const Row &row, Quad c[4]) const
  {
    if (!is_half) {
      loader.pixels_of (row, c);
    } else if (is_packed ()) {
      Quad chroma;

      loader.packed_of (row.w, c[0], chroma);
    } else {
      c[0] = loader.value (row.get (0));
      if (launch.n_components > 3)
        c[3] = loader.value (row.get (3));
    }
  }

  __device__ __forceinline__ void
  previous_samples_of (const Row &row, Quad c[4]) const
  {
    if (!is_half) {
      loader.previous_pixels_of (row, c);
      return;
    }
    c[0] = row.get (0);
    if (launch.n_components > 3)
      c[3] = row.get (3);
  }

  /* Chroma, @y: its row. */
  __device__ __forceinline__ void
  fetch_chroma (uint32_t y, Row &row) const
  {
    if (is_packed ())
      loader.fetch_packed (y, row.w);
    else
      row.put_chroma (loader.load_chroma (y));
  }

  __device__ __forceinline__ Quad
  chroma_of (const Row &row) const
  {
    Quad luma, chroma;

    if (is_packed ())
      loader.packed_of (row.w, luma, chroma);
    else
      chroma = loader.chroma_of (row.chroma ());
    return chroma;
  }

  /* ---- Y, U and V, or R, G and B of each pixel at the depth of the formulas: of a row with chroma ---- */

  __device__ __forceinline__ void
  pixels_of (const Row &row, Quad c[4]) const
  {
    if (!is_half) {
      loader.pixels_of (row, c);
      if (KNOWN == HISTO_CHECKED_RGB)
        loader.scale (c, c);
    } else {
      Quad chroma;

      if (is_packed ()) {
        loader.packed_of (row.w, c[0], chroma);
      } else {
        c[0] = loader.value (row.get (0));
        if (has_chroma ())
          chroma = loader.chroma_of (row.chroma ());
      }
      spread (chroma, c);
    }
  }

  __device__ __forceinline__ void
  previous_pixels_of (const Row &row, Quad c[4]) const
  {
    if (!is_half) {
      loader.previous_pixels_of (row, c);
      if (KNOWN == HISTO_CHECKED_RGB)
        loader.scale (c, c);
    } else {
      c[0] = row.get (0);
      spread (row.get (1), c);
    }
  }

  __device__ __forceinline__ void
  spread (const Quad &chroma, Quad c[3]) const
  {
    c[1] = has_chroma () ? chroma.spread_u () : Quad::all (1u << (formulas.depth - 1));
    c[2] = has_chroma () ? chroma.spread_v () : c[1];
  }
};
