/* The processor time that an element takes for a buffer of audio: cudahisto on the CPU, and
 * GStreamer's `level`.
 *
 *   bench-audio [--rounds N] [--buffers N] [--samples N] [--channels N] [--pause MICROSECONDS]
 *       [--format FORMAT]… [--element "ELEMENT PROPERTY=VALUE…"]…
 *
 * Each round pushes the buffers through one element after the other, and through none. The figure of
 * an element is the median of the rounds: processor time of all threads for a buffer, less that of a
 * buffer that passes no element. So it has the making of the meta and its release. The buffers share
 * memory that is made before. --pause waits after each buffer, so that caches grow cold as at the
 * rate of a device.
 *
 * It runs the plugins: set GST_PLUGIN_PATH=BUILD_DIR/plugin.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/audio/audio.h>

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "bench-quantile.h"

#define RATE 48000
/* Different memories; they are used again and again. */
#define N_SOUNDS 8

static gint n_rounds = 15, n_buffers = 1000, n_samples = 1024, n_channels = 2;
static gint pause_us = 0;
static gchar **formats, **elements;

static const gchar *const default_formats[] = { "F32LE", "S16LE", NULL };

static const gchar *const default_elements[] = { "level",
  "level post-messages=false", "cudahisto backend=cpu",
  "cudahisto backend=cpu histogram=false",
  "cudahisto backend=cpu post-messages=true message-interval=100000000",
  "cudahisto backend=cpu meta=false post-messages=true message-interval=100000000",
  "cudahisto backend=cpu measures=level", NULL
};

static const GOptionEntry options[] = {
  {"rounds", 0, 0, G_OPTION_ARG_INT, &n_rounds, "of all elements", "N"},
  {"buffers", 0, 0, G_OPTION_ARG_INT, &n_buffers, "of a round", "N"},
  {"samples", 0, 0, G_OPTION_ARG_INT, &n_samples, "of a channel", "N"},
  {"channels", 0, 0, G_OPTION_ARG_INT, &n_channels, "of a buffer", "N"},
  {"pause", 0, 0, G_OPTION_ARG_INT, &pause_us, "after each buffer", "µs"},
  {"format", 0, 0, G_OPTION_ARG_STRING_ARRAY, &formats, "of samples", "NAME"},
  {"element", 0, 0, G_OPTION_ARG_STRING_ARRAY, &elements,
      "with properties", "ELEMENT"},
  {.long_name = NULL}
};

/* ---- Sounds --------------------------------------------------------------------------- */

/* The audio library converts less than 64 channels. A tone and noise, so that many bins are used. */
static gdouble
sample_at (guint64 i, guint channel)
{
  const gdouble noise = (rand () / (gdouble) RAND_MAX - 0.5) * 0.2;

  return 0.5 * sin (2 * G_PI * (440 + 110 * channel) * i / RATE) + noise;
}

/* @sounds: (out): N_SOUNDS of them */
static void
make_sounds (const GstAudioInfo * info, GstMemory ** sounds)
{
  const gsize n = (gsize) n_samples * n_channels;
  gdouble *samples = g_new (gdouble, n);

  for (guint s = 0; s < N_SOUNDS; s++) {
    GstAudioInfo doubles;
    GstAudioConverter *converter;
    gpointer in[1] = { samples }, out[1];
    GstMapInfo map;

    for (gsize i = 0; i < n; i++)
      samples[i] = sample_at (s * n_samples + i / n_channels, i % n_channels);
    sounds[s] = gst_allocator_alloc (NULL, n_samples * info->bpf, NULL);
    gst_memory_map (sounds[s], &map, GST_MAP_WRITE);
    out[0] = map.data;
    gst_audio_info_set_format (&doubles, GST_AUDIO_FORMAT_F64, RATE,
        n_channels, info->position);
    converter = gst_audio_converter_new (GST_AUDIO_CONVERTER_FLAG_NONE,
        &doubles, (GstAudioInfo *) info, NULL);
    gst_audio_converter_samples (converter, GST_AUDIO_CONVERTER_FLAG_NONE, in,
        n_samples, out, n_samples);
    gst_audio_converter_free (converter);
    gst_memory_unmap (sounds[s], &map);
  }
  g_free (samples);
}

/* ---- One element ------------------------------------------------------------------------ */

typedef struct
{
  GstElement *element;          /* NULL: none */
  GstBus *bus;
  GstPad *source, *sink;
  guint64 n_pushed;
  GArray *times;                /* us for a buffer, of each round */
} Flow;

static GstFlowReturn
release_buffer (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
drop_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  gst_event_unref (event);
  return TRUE;
}

static GstBusSyncReply
drop_message (GstBus * bus, GstMessage * message, gpointer user_data)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    g_error ("an element failed");
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static void
link_element (Flow * flow, const gchar * description)
{
  GError *error = NULL;
  GstPad *pad;

  flow->element = gst_parse_launch (description, &error);
  if (error != NULL)
    g_error ("%s", error->message);
  flow->bus = gst_bus_new ();
  gst_bus_set_sync_handler (flow->bus, drop_message, NULL, NULL);
  gst_element_set_bus (flow->element, flow->bus);
  pad = gst_element_get_static_pad (flow->element, "sink");
  gst_pad_link (flow->source, pad);
  gst_object_unref (pad);
  pad = gst_element_get_static_pad (flow->element, "src");
  gst_pad_link (pad, flow->sink);
  gst_object_unref (pad);
  gst_element_set_state (flow->element, GST_STATE_PLAYING);
}

/* @description: (nullable): NULL: the pads are linked to each other */
static void
flow_init (Flow * flow, const gchar * description, const GstAudioInfo * info)
{
  GstCaps *caps = gst_audio_info_to_caps (info);
  GstSegment segment;

  *flow = (Flow) {.element = NULL };
  flow->times = g_array_new (FALSE, FALSE, sizeof (gdouble));
  flow->source = gst_pad_new ("source", GST_PAD_SRC);
  flow->sink = gst_pad_new ("sink", GST_PAD_SINK);
  gst_pad_set_chain_function (flow->sink, release_buffer);
  gst_pad_set_event_function (flow->sink, drop_event);
  gst_pad_set_active (flow->sink, TRUE);
  gst_pad_set_active (flow->source, TRUE);
  if (description != NULL)
    link_element (flow, description);
  else
    gst_pad_link (flow->source, flow->sink);

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (flow->source, gst_event_new_stream_start ("bench"));
  gst_pad_push_event (flow->source, gst_event_new_caps (caps));
  gst_pad_push_event (flow->source, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

static void
flow_clear (Flow * flow)
{
  if (flow->element != NULL)
    gst_element_set_state (flow->element, GST_STATE_NULL);
  gst_clear_object (&flow->element);
  gst_clear_object (&flow->bus);
  gst_object_unref (flow->source);
  gst_object_unref (flow->sink);
  g_array_unref (flow->times);
}

/* Processor time of all threads in µs. */
static gdouble
process_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static void
push_buffers (Flow * flow, GstMemory ** sounds, guint n)
{
  const GstClockTime duration =
      gst_util_uint64_scale_int (n_samples, GST_SECOND, RATE);

  for (guint i = 0; i < n; i++, flow->n_pushed++) {
    GstBuffer *buffer = gst_buffer_new ();

    gst_buffer_append_memory (buffer,
        gst_memory_ref (sounds[flow->n_pushed % N_SOUNDS]));
    GST_BUFFER_PTS (buffer) = flow->n_pushed * duration;
    GST_BUFFER_DURATION (buffer) = duration;
    if (gst_pad_push (flow->source, buffer) != GST_FLOW_OK)
      g_error ("a buffer was refused");
    if (pause_us > 0)
      g_usleep (pause_us);
  }
}

/* A serialized query returns when all buffers before it have passed. */
static void
flow_drain (Flow * flow)
{
  GstQuery *query = gst_query_new_drain ();

  gst_pad_peer_query (flow->source, query);
  gst_query_unref (query);
}

static void
flow_measure (Flow * flow, GstMemory ** sounds, gboolean is_counted)
{
  gdouble time;

  /* Caches, and elements that decide by what came before. */
  push_buffers (flow, sounds, MIN (n_buffers, 50));
  flow_drain (flow);
  time = process_time ();
  push_buffers (flow, sounds, n_buffers);
  flow_drain (flow);
  time = (process_time () - time) / n_buffers;
  if (is_counted)
    g_array_append_val (flow->times, time);
}

/* ---- All elements ----------------------------------------------------------------------- */

static void
measure_format (const gchar * format)
{
  const guint n = g_strv_length (elements);
  Flow *flows = g_new (Flow, n + 1);
  GstMemory *sounds[N_SOUNDS];
  GstAudioInfo info;
  gdouble none;

  gst_audio_info_set_format (&info, gst_audio_format_from_string (format), RATE,
      n_channels, NULL);
  make_sounds (&info, sounds);
  for (guint i = 0; i <= n; i++)
    flow_init (&flows[i], i < n ? elements[i] : NULL, &info);
  for (gint round = -1; round < n_rounds; round++)
    for (guint i = 0; i <= n; i++)
      flow_measure (&flows[i], sounds, round >= 0);

  none = quantile (flows[n].times, 0.5);
  for (guint i = 0; i < n; i++)
    g_print ("| %s | %d x %d | `%s` | %.1f | %.1f | %.1f |\n", format,
        n_channels, n_samples, elements[i],
        quantile (flows[i].times, 0.25) - none,
        quantile (flows[i].times, 0.5) - none,
        quantile (flows[i].times, 0.75) - none);
  for (guint i = 0; i <= n; i++)
    flow_clear (&flows[i]);
  for (guint s = 0; s < N_SOUNDS; s++)
    gst_memory_unref (sounds[s]);
  g_free (flows);
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc > 1
      || n_rounds < 1 || n_buffers < 1 || n_samples < 1 || n_channels < 1
      || n_channels > 63 || pause_us < 0) {
    g_printerr ("%s\n", error != NULL ? error->message : "bad arguments");
    return 2;
  }
  g_option_context_free (context);
  if (formats == NULL)
    formats = g_strdupv ((gchar **) default_formats);
  if (elements == NULL)
    elements = g_strdupv ((gchar **) default_elements);
  g_print ("| format | samples | element | 1st quartile, µs | median, µs | "
      "3rd quartile, µs |\n|---|---|---|---|---|---|\n");
  for (guint i = 0; formats[i] != NULL; i++)
    measure_format (formats[i]);
  g_strfreev (formats);
  g_strfreev (elements);
  return 0;
}
