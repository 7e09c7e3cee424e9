/* reference-level.h: the plain reference of the group `level`.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Written from the definitions of GStreamer's `level` and FFmpeg's `astats`, one sample after
 * the other. Nothing here is shared with the plugin.
 */

#pragma once

#include "reference.h"

G_BEGIN_DECLS

/* The fields that the group adds to a channel. */
typedef struct
{
  gdouble rms, peak;
  gdouble dc_offset, crest_factor, flat_factor;
  guint64 peak_count, clipped, clipped_runs, zero_crossings;
  gdouble min_difference, max_difference, mean_difference, rms_difference;
  gdouble rms_peak, rms_trough, dynamic_range, noise_floor;
  guint bit_depth;
  guint64 denormals;
  gdouble level_entropy;
  guint silent;
} ReferenceLevel;

/* The peak that decays, of one channel. Zeroed at first. */
typedef struct
{
  gdouble power, base;
  guint64 age;                  /* ns */
} ReferenceDecay;

/* The figures of a pair of channels; NaN: absent. */
typedef struct
{
  gdouble correlation, mono_loss, balance;
  guint inverted, dual_mono;
  /* The squares are so small that doubles have only some of their digits, or none: the code's ratios may be anything. */
  gboolean is_subnormal;
} ReferencePair;

/* Samples for which a pair has been inverted, or its channels alike. Zeroed at first. */
typedef struct
{
  guint64 inverted, dual_mono;
} ReferencePairRun;

/**
 * reference_level:
 * @samples: values of a channel as reference_audio_samples() gives them, from the last restart on;
 *   NaN and infinities are skipped
 * @start: the first sample of the buffer or window; what lies before came before
 * @n: the end of the buffer or window
 * @format: where the samples come from
 * @clipping_samples: least length of a clipped run
 * @out: (out): of the samples from @start to @n - 1
 */
void reference_level (const gdouble * samples, gsize start, gsize n,
    GstAudioFormat format, guint rate, guint clipping_samples,
    ReferenceLevel * out);

/**
 * reference_pair:
 * @x, @y: values of the two channels as reference_audio_samples() gives them: of a buffer or window
 * @run: (inout) (nullable): NULL: of a window. Then inverted and dual_mono are not set
 */
void reference_pair (const gdouble * x, const gdouble * y, gsize n,
    GstAudioFormat format, guint rate, ReferencePairRun * run,
    ReferencePair * out);

/**
 * reference_decay:
 * @samples: the values of the next buffer of a channel
 *
 * Returns: the peak after the buffer, in dB
 */
gdouble reference_decay (ReferenceDecay * decay, const gdouble * samples,
    gsize n, GstAudioFormat format, guint rate);

G_END_DECLS
