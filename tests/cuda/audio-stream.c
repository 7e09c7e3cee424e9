/* A stream of audio buffers; see audio-stream.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "audio-stream.h"

#include <math.h>
#include <string.h>

#include "compare.h"
#include "mock.h"
#include "probes.h"

#define RATE 48000

void
reset_counts (void)
{
  if (test_mock () != NULL)
    test_mock ()->reset ();
}

/* The element regards a push of this duration as slow. So the source pad's task pushes the buffers.
 * Upstream's thread, which is the test's, would be blocked together with a buffer that is held. */
#define SLOW_PUSH 1000          /* us */

static GstPadProbeReturn
slow_down (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  g_usleep (SLOW_PUSH);
  return GST_PAD_PROBE_OK;
}

void
audio_stream_open (AudioStream * stream, GstAudioFormat format, guint channels,
    GstAudioLayout layout, guint bins, const gchar * properties)
{
  gchar *all = g_strdup_printf ("bins=%u %s", bins, properties);
  GstCaps *caps;

  memset (stream, 0, sizeof *stream);
  gst_audio_info_set_format (&stream->info, format, RATE, channels, NULL);
  stream->info.layout = layout;
  stream->bins = bins;
  stream->random = test_random ();
  stream->harness = test_harness_new (all);
  caps = gst_audio_info_to_caps (&stream->info);
  gst_harness_set_src_caps (stream->harness, caps);
  stream->pad = test_source_pad (stream->harness);
  gst_pad_add_probe (stream->pad, GST_PAD_PROBE_TYPE_BUFFER, slow_down, NULL,
      NULL);
  g_free (all);
}

void
audio_stream_forget (AudioStream * stream)
{
  for (guint i = 0; i < stream->n_pushed; i++)
    gst_buffer_unref (stream->buffers[i]);
  stream->n_pushed = stream->n_pulled = 0;
}

void
audio_stream_close (AudioStream * stream)
{
  test_harness_free (stream->harness);
  gst_object_unref (stream->pad);
  audio_stream_forget (stream);
  g_rand_free (stream->random);
}

/* Samples of all magnitudes. Each one of the first half of a channel has its negative in the second
 * half. */
static gfloat
cancelling_sample (AudioStream * stream, const gfloat * samples, gsize n,
    gsize i)
{
  const gboolean planar =
      stream->info.layout == GST_AUDIO_LAYOUT_NON_INTERLEAVED;
  const gsize position = planar ? i % n : i / stream->info.channels;
  const gsize step = planar ? 1 : stream->info.channels;

  if (position > n / 2)
    return -samples[i - (2 * position - n) * step];
  return ldexp (g_rand_double_range (stream->random, -1, 1),
      g_rand_int_range (stream->random, -120, 120));
}

/* n random samples of each channel. */
static GstBuffer *
make_buffer (AudioStream * stream, gsize n)
{
  GstBuffer *buffer =
      test_random_buffer (n * stream->info.bpf, stream->random);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  /* Floats of random bits are mostly too large to be added. */
  for (gsize i = 0; i < n * stream->info.channels; i++) {
    gdouble sample = g_rand_double_range (stream->random, -1.25, 1.25);

    if (stream->cancels)
      sample = cancelling_sample (stream, (gfloat *) map.data, n, i);
    if (GST_AUDIO_INFO_FORMAT (&stream->info) == GST_AUDIO_FORMAT_F32)
      ((gfloat *) map.data)[i] = sample;
    else if (GST_AUDIO_INFO_FORMAT (&stream->info) == GST_AUDIO_FORMAT_F64)
      ((gdouble *) map.data)[i] = sample;
  }
  gst_buffer_unmap (buffer, &map);
  if (stream->info.layout == GST_AUDIO_LAYOUT_NON_INTERLEAVED)
    gst_buffer_add_audio_meta (buffer, &stream->info, n, NULL);
  return buffer;
}

void
audio_stream_push (AudioStream * stream, gsize n)
{
  const guint i = stream->n_pushed++;

  stream->buffers[i] = make_buffer (stream, n);
  stream->n_samples[i] = n;
  GST_BUFFER_OFFSET (stream->buffers[i]) = i;
  fail_unless_equals_int (gst_harness_push (stream->harness,
          gst_buffer_ref (stream->buffers[i])), GST_FLOW_OK);
}

/* Not 2: two floats may be so close to each other that their variance is nothing but a rounding
 * error. */
const gsize audio_stream_lengths[N_LENGTHS] = {
  480, 0, 1, 17, 1000, 3, 0, 333, 1024, 31, 7, 64, 999
};

void
audio_stream_push_lengths (AudioStream * stream)
{
  for (guint i = 0; i < N_LENGTHS; i++)
    audio_stream_push (stream, audio_stream_lengths[i]);
}

void
audio_stream_compare (AudioStream * stream, const GstStructure * result,
    guint i)
{
  GstMapInfo map;

  fail_unless_equals_string (gst_structure_get_string (result, "backend"),
      "cuda");
  fail_unless (gst_buffer_map (stream->buffers[i], &map, GST_MAP_READ));
  test_compare_audio (result, &stream->info, map.data, stream->n_samples[i],
      stream->bins, 0, 0);
  gst_buffer_unmap (stream->buffers[i], &map);
}

void
audio_stream_pull (AudioStream * stream)
{
  const guint i = stream->n_pulled++;
  GstBuffer *buffer = gst_harness_pull (stream->harness);

  fail_unless (buffer != NULL);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), i);
  audio_stream_compare (stream, test_result (buffer), i);
  gst_buffer_unref (buffer);
}

void
audio_stream_pull_all (AudioStream * stream)
{
  while (stream->n_pulled < stream->n_pushed)
    audio_stream_pull (stream);
}

void
audio_stream_hold (AudioStream * stream)
{
  stream->n_blocked = 0;
  stream->probe = test_block_buffers (stream->harness, &stream->n_blocked);
  audio_stream_push (stream, 10);
  test_wait_until_set (&stream->n_blocked);
  reset_counts ();
}

void
audio_stream_release (AudioStream * stream)
{
  test_unblock_buffers (stream->harness, stream->probe);
}
