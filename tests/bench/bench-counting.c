/* Threads that do nothing but what the CPU engine's do with a frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "bench-counting.h"

#include "bench-flow.h"
#include "engine/cpu/count.h"

typedef struct
{
  const HistoFormat *format;
  GstBufferList *buffers;
  gint n_frames, stop;          /* atomic */
} Counting;

/* All of the buffers in turn. */
static gpointer
count_only (gpointer user_data)
{
  Counting *counting = user_data;
  const HistoFormat *format = counting->format;
  guint32 *counters = g_new0 (guint32, format->n_bins);
  HistoCpuPixels *pixels = histo_cpu_pixels_new ();

  while (!g_atomic_int_get (&counting->stop)) {
    const guint number = g_atomic_int_add (&counting->n_frames, 1)
        % gst_buffer_list_length (counting->buffers);
    HistoLayout layout = { 0, };

    if (!histo_layout_map (&layout, format, gst_buffer_list_get
            (counting->buffers, number), GST_MAP_READ, NULL))
      g_error ("a frame that cannot be mapped");
    for (guint p = 0; p < layout.n_planes; p++) {
      histo_cpu_pixels_begin (pixels, &layout.planes[p], counters);
      histo_cpu_pixels_rows (pixels, 0, layout.planes[p].rows);
      histo_cpu_pixels_end (pixels);
    }
    histo_layout_unmap (&layout, format);
  }
  histo_cpu_pixels_free (pixels);
  g_free (counters);
  return NULL;
}

gdouble
bench_counting (guint n)
{
  GstCaps *caps = flow_caps_new ("I420", 3840, 2160, ORDINARY);
  HistoFormat *format = histo_format_new (caps, NULL);
  Counting counting = {.format = format };
  GstBufferPool *pool =
      flow_pool_new (caps, MAX (FLOW_N_BUFFERS, n + 6), ORDINARY, NULL,
      &counting.buffers);
  GThread **threads = g_new (GThread *, n);
  gint64 begin;
  gdouble rate;

  for (guint i = 0; i < n; i++)
    threads[i] = g_thread_new ("counting", count_only, &counting);
  g_usleep (FLOW_WARM_UP);
  g_atomic_int_set (&counting.n_frames, 0);
  begin = g_get_monotonic_time ();
  g_usleep (G_USEC_PER_SEC / 2);
  rate = g_atomic_int_get (&counting.n_frames) * (gdouble) G_USEC_PER_SEC
      / (g_get_monotonic_time () - begin);
  g_atomic_int_set (&counting.stop, TRUE);
  for (guint i = 0; i < n; i++)
    g_thread_join (threads[i]);
  g_free (threads);
  gst_buffer_list_unref (counting.buffers);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  histo_format_unref (format);
  gst_caps_unref (caps);
  return rate;
}
