/* reference-loudness.h: the plain reference of the group `loudness`.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gdouble momentary, short_term, integrated;    /* LUFS; -inf for silence */
  gdouble momentary_max, short_term_max;        /* LUFS, looked for each 10 ms */
  /* What `integrated` is if the relative gate lies 0.1 LU lower or higher: libebur128 counts blocks in bins of 0.1 LU, and
   * counts those of the bin that the gate cuts, or not. */
  gdouble integrated_least, integrated_most;
  gdouble range;                /* LU */
} ReferenceLoudness;

/**
 * reference_loudness:
 * @samples: @n samples of each of @channels channels, interleaved; full scale is 1
 * @weights: of each channel: 1, 1.41 for surround channels, 0 for LFE channels
 * @rate: in Hz, a multiple of 100
 * @out: (out): as of the last multiple of 10 ms; gates and percentiles as of the last multiple of 100 ms, and exact
 */
void reference_loudness (const gdouble * samples, gsize n, guint channels,
    const gdouble * weights, guint rate, ReferenceLoudness * out);

/**
 * reference_true_peak:
 * @samples: @n samples of one channel, @stride apart; before them there is silence
 *
 * Returns: the greatest magnitude of the signal at four times the rate, by the filter of BS.1770-4, annex 2, and of the
 * samples themselves
 */
gdouble reference_true_peak (const gdouble * samples, gsize n, guint stride);

G_END_DECLS
