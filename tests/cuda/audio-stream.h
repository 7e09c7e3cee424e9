/* A stream of audio buffers whose downstream can be held. Each buffer that leaves must be the
 * next one that was pushed and have the right result of the CUDA engine.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_AUDIO_STREAM_H
#define TESTS_AUDIO_STREAM_H

#include "frames.h"

#define MOST_BUFFERS 100

typedef struct
{
  GstHarness *harness;
  GstAudioInfo info;
  guint bins;
  gboolean cancels;             /* F32: the samples of a channel cancel each other, so that
                                 * its sum is nothing but rounding errors */
  GRand *random;
  GstBuffer *buffers[MOST_BUFFERS];     /* those that were pushed */
  gsize n_samples[MOST_BUFFERS];        /* of each channel */
  guint n_pushed, n_pulled;
  GstPad *pad;                  /* the element's source pad */
  gulong probe;
  gint n_blocked;
} AudioStream;

/* @properties: of the element, besides `bins` */
void audio_stream_open (AudioStream * stream, GstAudioFormat format,
    guint channels, GstAudioLayout layout, guint bins,
    const gchar * properties);
void audio_stream_close (AudioStream * stream);

/* Pushes a buffer with n random samples of each channel. */
void audio_stream_push (AudioStream * stream, gsize n);

/* Pushes buffers of various lengths, some of them empty. */
#define N_LENGTHS 13
extern const gsize audio_stream_lengths[N_LENGTHS];
void audio_stream_push_lengths (AudioStream * stream);

/* Compares the result with that of the reference for buffer number i. */
void audio_stream_compare (AudioStream * stream, const GstStructure * result,
    guint i);

/* The next buffer must be the next one that was pushed, with its result. */
void audio_stream_pull (AudioStream * stream);

/* Pulls all buffers that were pushed. */
void audio_stream_pull_all (AudioStream * stream);

/* Forgets all buffers that were pushed. */
void audio_stream_forget (AudioStream * stream);

/* Pushes a buffer and holds it downstream after it was measured. Then no buffer is in flight, and
 * the counts of the mock driver start at 0. */
void audio_stream_hold (AudioStream * stream);
void audio_stream_release (AudioStream * stream);

/* Starts the counts of the mock driver at 0. */
void reset_counts (void);

#endif /* TESTS_AUDIO_STREAM_H */
