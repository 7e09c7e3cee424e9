/* What the element costs a pipeline, in whole pipelines on a GPU.
 *
 *   cudahisto-pipelines [--list] [--only ROW] [--device N] [--in-place-limit BYTES]
 *       [--piece BYTES] [FILE.h264]
 *
 * Each row is a line: PASS, FAIL, SKIP or INFO; its name; what was measured; the target.
 * The exit status is 1 where a row failed. The element is the plugin's own, linked in, so
 * that the two constants of upload.c can be set.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "element/cudahisto.h"
#include "engine/cuda/page-lock.h"
#include "engine/cuda/kernels.h"
#include "engine/cuda/upload.h"
#include "log.h"
#include "result/write.h"

#include "bench-counting.h"
#include "bench-floor.h"
#include "bench-flow.h"
#include "bench-products.h"
#include "bench-quantile.h"
#include "bench-source.h"

#include <stdlib.h>
#include <string.h>

static const HistoDriver *driver;
static GstCudaContext *context;
static gint device = 0;
static GBytes *clip;
static gboolean any_failed = FALSE;

/* ---- Rows ------------------------------------------------------------------------------- */

typedef struct
{
  const gchar *name;
  void (*run) (const gchar * name);
  gboolean needs_no_device;
  guint limit;                  /* s that it may take */
} Row;

static void
report (const gchar * verdict, const gchar * name, const gchar * target,
    const gchar * format, ...) G_GNUC_PRINTF (4, 5);

static void
report (const gchar * verdict, const gchar * name, const gchar * target,
    const gchar * format, ...)
{
  gchar *text;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_print ("%-4s | %-16s | %s | %s\n", verdict, name, text, target);
  any_failed |= g_str_equal (verdict, "FAIL");
  g_free (text);
}

static const gchar *
verdict (gboolean passed)
{
  return passed ? "PASS" : "FAIL";
}

static void
report_broken (const gchar * name, const gchar * what)
{
  report ("FAIL", name, "", "%s", what);
}

/* ---- What rows share ------------------------------------------------------------------ */

/* The same, of a pipeline that is made for it. */
static Speed
measure_raw (const gchar * format, guint width, guint height, MemoryKind kind,
    guint frames_per_second, GstElement * histo, gdouble seconds)
{
  Flow flow;
  Speed speed;

  flow_init_raw (&flow, format, width, height, kind, frames_per_second, histo,
      context);
  speed = flow_measure (&flow, seconds);
  if (kind == OFFERED && !bench_source_has_offered_pool (flow.source)) {
    g_print ("# no pool was offered\n");
    speed.frames_per_second = 0;
  }
  flow_clear (&flow);
  return speed;
}

/* ---- Decoding ------------------------------------------------------------------------------- */

/* The filter by its name: caps as the last thing of a description are not taken for one. */
static GstElement *
new_decoder (void)
{
  GError *error = NULL;
  GstElement *decoder = gst_parse_bin_from_description ("h264parse ! nvh264dec "
      "! capsfilter caps=video/x-raw(" HISTO_CAPS_FEATURE_CUDA ")", TRUE,
      &error);

  if (error != NULL) {
    g_print ("# %s\n", error->message);
    g_clear_error (&error);
    gst_clear_object (&decoder);
  }
  return decoder;
}

/* @measures: the property's value; NULL: without the element */
static Speed
measure_decoder (const gchar * measures)
{
  GstCaps *caps =
      gst_caps_from_string ("video/x-h264, stream-format=byte-stream");
  Flow flow = { NULL, };
  Speed speed = { 0, };
  GstElement *decoder = new_decoder (), *histo = NULL;

  if (decoder != NULL) {
    if (measures != NULL) {
      histo = flow_histo_new ("cuda", -1, 4);
      gst_util_set_object_arg (G_OBJECT (histo), "measures", measures);
    }
    flow_init (&flow, bench_source_new (caps, NULL, clip, 0), decoder, histo);
    flow_share_context (&flow, context);
    speed = flow_measure (&flow, 1.2);
    flow_clear (&flow);
  }
  gst_caps_unref (caps);
  return speed;
}

static void
compare_with_decoder (const gchar * name, const gchar * measures)
{
  const gchar *target = ">= 99 %";
  GArray *ratios = g_array_new (FALSE, FALSE, sizeof (gdouble));
  Speed with = { 0, }, without = { 0, };

  if (clip == NULL) {
    report ("SKIP", name, target, "no clip was given");
  } else {
    for (guint i = 0; i < 3; i++) {
      gdouble ratio;

      without = measure_decoder (NULL);
      with = measure_decoder (measures);
      if (with.frames_per_second == 0 || without.frames_per_second == 0)
        break;
      ratio = with.frames_per_second / without.frames_per_second;
      g_array_append_val (ratios, ratio);
    }
    if (ratios->len < 3)
      report_broken (name, "it does not play");
    else
      report (verdict (quantile (ratios, 0.5) >= 0.99), name, target,
          "%.1f %% (%.0f of %.0f frames/s; worst %.1f %%)",
          100 * quantile (ratios, 0.5), with.frames_per_second,
          without.frames_per_second, 100 * quantile (ratios, 0));
  }
  g_array_unref (ratios);
}

static void
run_decode (const gchar * name)
{
  compare_with_decoder (name, "basic");
}

static void
run_decode_groups (const gchar * name)
{
  compare_with_decoder (name, "basic+signal+motion");
}

/* ---- The processor's time ---------------------------------------------------------------------- */

static void
run_cpu (const gchar * name)
{
  /* Paced, as a camera is: nothing is awake that need not be. */
  const guint rates[] = { 250, 0 };
  const gdouble limits[] = { 40, 25 };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    Speed without = measure_raw ("NV12", 1920, 1080, CUDA, rates[i], NULL, 2);
    Speed with = measure_raw ("NV12", 1920, 1080, CUDA, rates[i],
        flow_histo_new ("cuda", -1, 4), 2);

    if (with.frames_per_second == 0 || without.frames_per_second == 0)
      report_broken (name, "it does not play");
    else
      report (verdict (with.cpu_us - without.cpu_us <= limits[i]), name,
          i == 0 ? "<= 40 us" : "<= 25 us",
          "%.1f us a frame at %.0f frames/s (%.1f - %.1f; upstream's thread "
          "%.1f - %.1f, the element's %.1f, others %.1f)",
          with.cpu_us - without.cpu_us, with.frames_per_second, with.cpu_us,
          without.cpu_us, with.upstream_us, without.upstream_us, with.element_us,
          with.cpu_us - with.upstream_us - with.element_us);
  }
}

/* ---- From the host's memory ---------------------------------------------------------------------- */

#define UHD_BYTES (3840 * 2160 * 3 / 2)

/* GB/s of copies of a UHD frame from page-locked memory, one after the other. */
static gdouble
copy_bandwidth (void)
{
  enum { N = 4, COPIES = 400 };
  HistoPinned from[N] = { {NULL, 0}, };
  CUdeviceptr to[N];
  CUstream stream;
  gint64 begin = 0;

  gst_cuda_context_push (context);
  bench_must (driver->cuStreamCreateWithPriority (&stream,
          CU_STREAM_NON_BLOCKING, 0), "stream");
  for (guint i = 0; i < N; i++) {
    if (!histo_pinned_alloc (&from[i], driver, UHD_BYTES, NULL))
      g_error ("no page-locked memory");
    memset (from[i].host, i, UHD_BYTES);
    bench_must (driver->cuMemAlloc (&to[i], UHD_BYTES), "memory");
  }
  for (gint i = -8; i < COPIES; i++) {
    if (i == 0) {
      bench_must (driver->cuStreamSynchronize (stream), "copy");
      begin = g_get_monotonic_time ();
    }
    bench_must (driver->cuMemcpyHtoDAsync (to[i & 3], from[i & 3].host, UHD_BYTES,
            stream), "copy");
  }
  bench_must (driver->cuStreamSynchronize (stream), "copy");
  begin = g_get_monotonic_time () - begin;
  for (guint i = 0; i < N; i++) {
    histo_pinned_free (&from[i], driver);
    bench_must (driver->cuMemFree (to[i]), "memory");
  }
  bench_must (driver->cuStreamDestroy (stream), "stream");
  gst_cuda_context_pop (NULL);
  return COPIES * (gdouble) UHD_BYTES / (begin * 1e3);
}

/* GB/s of one thread that copies frames of ordinary memory to page-locked memory. */
static gdouble
memcpy_bandwidth (void)
{
  enum { STAGES = 4, COPIES = 100 };
  HistoPinned to[STAGES] = { {NULL, 0}, };
  guint8 *from[FLOW_N_BUFFERS];
  gint64 begin;

  gst_cuda_context_push (context);
  for (guint i = 0; i < STAGES; i++) {
    if (!histo_pinned_alloc (&to[i], driver, UHD_BYTES, NULL))
      g_error ("no page-locked memory");
    memset (to[i].host, 0, UHD_BYTES);
  }
  for (guint i = 0; i < FLOW_N_BUFFERS; i++) {
    from[i] = g_malloc (UHD_BYTES);
    memset (from[i], i, UHD_BYTES);
  }
  begin = g_get_monotonic_time ();
  for (guint i = 0; i < COPIES; i++)
    memcpy (to[i % STAGES].host, from[i % FLOW_N_BUFFERS], UHD_BYTES);
  begin = g_get_monotonic_time () - begin;
  for (guint i = 0; i < FLOW_N_BUFFERS; i++)
    g_free (from[i]);
  for (guint i = 0; i < STAGES; i++)
    histo_pinned_free (&to[i], driver);
  gst_cuda_context_pop (NULL);
  return COPIES * (gdouble) UHD_BYTES / (begin * 1e3);
}

/* The element's GB/s between two measurements of the peer's. */
static void
run_bandwidth (const gchar * name, MemoryKind kind, gdouble (*peer) (void),
    const gchar * peer_name, gdouble least)
{
  gchar *target = g_strdup_printf (">= %.0f %%", 100 * least);
  GArray *ratios = g_array_new (FALSE, FALSE, sizeof (gdouble));
  gdouble own = 0, theirs = 0;

  for (guint i = 0; i < 3; i++) {
    const gdouble before = peer ();
    const Speed speed = measure_raw ("NV12", 3840, 2160, kind, 0,
        flow_histo_new ("cuda", -1, 4), 1);
    gdouble ratio;

    own = speed.frames_per_second * UHD_BYTES * 1e-9;
    theirs = (before + peer ()) / 2;
    ratio = own / theirs;
    if (own == 0)
      break;
    g_array_append_val (ratios, ratio);
  }
  if (ratios->len < 3)
    report_broken (name, "it does not play");
  else
    report (verdict (quantile (ratios, 0.5) >= least), name, target,
        "%.1f %% (%.1f of %.1f GB/s by %s; worst %.1f %%)",
        100 * quantile (ratios, 0.5), own, theirs, peer_name,
        100 * quantile (ratios, 0));
  g_array_unref (ratios);
  g_free (target);
}

static void
run_page_locked (const gchar * name)
{
  run_bandwidth (name, OFFERED, copy_bandwidth, "cuMemcpyHtoDAsync", 0.95);
}

static void
run_ordinary (const gchar * name)
{
  run_bandwidth (name, ORDINARY, copy_bandwidth, "cuMemcpyHtoDAsync", 0.9);
}

static void
run_ordinary_once (const gchar * name)
{
  run_bandwidth (name, ORDINARY_ONCE, memcpy_bandwidth, "memcpy", 0.9);
}

/* ---- Latency ------------------------------------------------------------------------------------------- */

/* The first find cold caches and clocks, and those after them each of the pool's memories for
 * the second time: it is page-locked then. */
#define N_COLD FLOW_N_BUFFERS
#define N_FIRST (2 * FLOW_N_BUFFERS)
/* More than are ever inside. */
#define N_ENTRIES 256

typedef struct
{
  gint64 entered[N_ENTRIES];    /* ns, by the buffer's number */
  GArray *delays;               /* us, until the result's buffer is pushed */
  GArray *chains;               /* us, until upstream's thread has its own way again */
  gdouble worst_second;         /* us, of those after N_COLD, which are not among these */
  gdouble gpu_us;               /* a frame, by the element's stats */
  GstPadChainFunction chain;    /* the element's */
} Delays;

static gint64 *
entry_of (Delays * delays, GstPadProbeInfo * info)
{
  /* The source numbers its buffers in milliseconds. */
  return &delays->entered[GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info))
      / GST_MSECOND % N_ENTRIES];
}

static GstPadProbeReturn
enter (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  *entry_of (user_data, info) = bench_now_ns ();
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
leave (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Delays *delays = user_data;
  const gdouble delay = (bench_now_ns () - *entry_of (delays, info)) * 1e-3;

  g_array_append_val (delays->delays, delay);
  return GST_PAD_PROBE_OK;
}

static GstFlowReturn
timed_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  Delays *delays = g_object_get_data (G_OBJECT (pad), "delays");
  const gint64 begin = bench_now_ns ();
  const GstFlowReturn flow = delays->chain (pad, parent, buffer);
  const gdouble chain = (bench_now_ns () - begin) * 1e-3;

  g_array_append_val (delays->chains, chain);
  return flow;
}

static gdouble
gpu_us_per_frame (GstElement * histo)
{
  GstStructure *stats = NULL;
  guint64 time = 0, frames = 0;

  g_object_get (histo, "stats", &stats, NULL);
  gst_structure_get (stats, "gpu-time", G_TYPE_UINT64, &time, "frames",
      G_TYPE_UINT64, &frames, NULL);
  gst_structure_free (stats);
  return frames > 0 ? time * 1e-3 / frames : 0;
}

static void
delays_init (Delays * delays)
{
  delays->worst_second = 0;
  delays->delays = g_array_new (FALSE, FALSE, sizeof (gdouble));
  delays->chains = g_array_new (FALSE, FALSE, sizeof (gdouble));
}

static void
delays_clear (Delays * delays)
{
  g_array_unref (delays->delays);
  g_array_unref (delays->chains);
}

/* Of frames that come one by one; FALSE where they do not.
 * @delays: to be cleared in either case */
static gboolean
measure_delays (Delays * delays, const gchar * format, guint width, guint height,
    MemoryKind kind, guint frames_per_second, gdouble seconds)
{
  Flow flow;
  GstPad *sink, *src;
  Speed speed;

  delays_init (delays);
  flow_init_raw (&flow, format, width, height, kind, frames_per_second,
      flow_histo_new ("cuda", -1, 4), context);
  sink = gst_element_get_static_pad (flow.histo, "sink");
  src = gst_element_get_static_pad (flow.histo, "src");
  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER, enter, delays, NULL);
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER, leave, delays, NULL);
  delays->chain = GST_PAD_CHAINFUNC (sink);
  g_object_set_data (G_OBJECT (sink), "delays", delays);
  gst_pad_set_chain_function (sink, timed_chain);
  speed = flow_measure (&flow, seconds);
  delays->gpu_us = gpu_us_per_frame (flow.histo);
  gst_object_unref (sink);
  gst_object_unref (src);
  flow_clear (&flow);
  if (speed.frames_per_second == 0 || delays->delays->len <= 2 * N_FIRST)
    return FALSE;
  for (guint i = N_COLD; i < N_FIRST; i++)
    delays->worst_second =
        MAX (delays->worst_second, g_array_index (delays->delays, gdouble, i));
  g_array_remove_range (delays->delays, 0, N_FIRST);
  g_array_remove_range (delays->chains, 0, N_FIRST);
  return TRUE;
}

static void
report_delay (const gchar * name, MemoryKind kind, gdouble limit)
{
  gchar *target = g_strdup_printf ("<= %.0f us, p99 <= %.0f us", limit,
      2 * limit);
  Delays delays;

  if (!measure_delays (&delays, "NV12", 1920, 1080, kind, 60, 6)) {
    report_broken (name, "it does not play");
  } else {
    const gdouble median = quantile (delays.delays, 0.5);
    const gdouble p99 = quantile (delays.delays, 0.99);

    report (verdict (median <= limit && p99 <= 2 * limit), name, target,
        "%.0f us, p99 %.0f us, of %u frames (the %d before up to %.0f us; "
        "upstream's thread %.0f us, the device %.0f us)", median, p99,
        delays.delays->len, N_FIRST - N_COLD, delays.worst_second,
        quantile (delays.chains, 0.5), delays.gpu_us);
  }
  delays_clear (&delays);
  g_free (target);
}

static void
run_latency_cuda (const gchar * name)
{
  report_delay (name, CUDA, 100);
}

static void
run_latency_system (const gchar * name)
{
  report_delay (name, ORDINARY, 250);
}

static void
run_latency_once (const gchar * name)
{
  report_delay (name, ORDINARY_ONCE, 250);
}

static void
run_latency_pool (const gchar * name)
{
  report_delay (name, PAGE_LOCKED, 250);
}

/* What of these the host and its driver take for the least that there is to do: nothing is
 * wanted of that, but the rows above are to be read beside it. */
static void
run_floor (const gchar * name)
{
  const guint rates[] = { 60, 250 };
  Floor floor;

  gst_cuda_context_push (context);
  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    floor_measure (&floor, driver, rates[i], 1.5);
    report ("INFO", name, "", "at %u a second, a memset of 4 bytes: %.0f us, p99 "
        "%.0f us, polled for (%.1f us of the processor); %.0f us, p99 %.0f us, "
        "asleep (%.1f us); another thread wakes in %.0f us, p99 %.0f us",
        rates[i], quantile (floor.polled, 0.5), quantile (floor.polled, 0.99),
        floor.polled_cpu_us, quantile (floor.slept, 0.5),
        quantile (floor.slept, 0.99), floor.slept_cpu_us,
        quantile (floor.woken, 0.5), quantile (floor.woken, 0.99));
    floor_clear (&floor);
  }
  gst_cuda_context_pop (NULL);
}

/* ---- Many ------------------------------------------------------------------------------------------------- */

#define N_PIPELINES 64
/* That all pipelines share: more than fit a cache, and few enough to be made quickly. */
#define N_SHARED 32

typedef struct
{
  gdouble frames_per_second;    /* of all together; 0 where they did not play */
  gdouble begin, end;           /* s that it took to start and to stop them */
} Many;

static gdouble
seconds_since (gint64 begin)
{
  return (g_get_monotonic_time () - begin) * 1e-6;
}

/* Of one context, in CUDA memory. */
static GstBufferPool *
new_shared_frames (GstCudaContext * frames_context, GstBufferList ** frames)
{
  GstCaps *caps = flow_caps_new ("NV12", 1920, 1080, CUDA);
  GstBufferPool *pool = flow_pool_new (caps, N_SHARED, CUDA, frames_context, frames);

  gst_caps_unref (caps);
  return pool;
}

/* @histo: as of flow_init () */
static void
flow_init_shared (Flow * flow, GstBufferList * frames, guint first,
    GstElement * histo, GstCudaContext * flow_context)
{
  GstCaps *caps = flow_caps_new ("NV12", 1920, 1080, CUDA);
  GstElement *source = bench_source_new (caps, NULL, NULL, 0);

  bench_source_set_frames (source, frames, first);
  bench_source_hold (source, TRUE);
  flow->pool = NULL;
  flow_init (flow, source, NULL, histo);
  flow_share_context (flow, flow_context);
  gst_caps_unref (caps);
}

static gdouble
count_of_all (Flow * flows, guint n)
{
  gdouble sum = 0;

  for (guint i = 0; i < n; i++)
    sum += g_atomic_int_get (&flows[i].n_buffers);
  return sum;
}

static gdouble
measure_released (Flow * flows, guint n, gdouble seconds)
{
  gdouble count;
  gint64 begin;

  for (guint i = 0; i < n; i++)
    bench_source_hold (flows[i].source, FALSE);
  g_usleep (FLOW_WARM_UP);
  count = count_of_all (flows, n);
  begin = g_get_monotonic_time ();
  g_usleep (seconds * G_USEC_PER_SEC);
  count = (count_of_all (flows, n) - count) / seconds_since (begin);
  for (guint i = 0; i < n; i++)
    bench_source_hold (flows[i].source, TRUE);
  return count;
}

/* @n pipelines, in turn on each of the contexts. They start and stop with their sources
 * held: allocating among running ones takes many times as long, and is not what is
 * measured. */
static Many
measure_many (guint n, GstCudaContext ** contexts, guint n_contexts,
    guint max_in_flight, gdouble seconds)
{
  Flow *flows = g_new0 (Flow, n);
  GstBufferList *frames[2];
  GstBufferPool *pools[2];
  Many many = { 0, };
  gboolean ok = TRUE;
  gint64 begin;

  for (guint i = 0; i < n_contexts; i++)
    pools[i] = new_shared_frames (contexts[i], &frames[i]);
  begin = g_get_monotonic_time ();
  for (guint i = 0; i < n; i++)
    flow_init_shared (&flows[i], frames[i % n_contexts], 7 * i,
        flow_histo_new ("cuda", -1, max_in_flight), contexts[i % n_contexts]);
  for (guint i = 0; i < n; i++)
    gst_element_set_state (flows[i].pipeline, GST_STATE_PLAYING);
  for (guint i = 0; ok && i < n; i++)
    ok = flow_play (&flows[i]) || (g_print ("# pipeline %u\n", i), FALSE);
  many.begin = seconds_since (begin);

  if (ok)
    many.frames_per_second = measure_released (flows, n, seconds);
  begin = g_get_monotonic_time ();
  for (guint i = 0; i < n; i++) {
    if (flow_has_failed (&flows[i]))
      many.frames_per_second = 0;
    flow_clear (&flows[i]);
  }
  many.end = seconds_since (begin);
  for (guint i = 0; i < n_contexts; i++) {
    gst_buffer_list_unref (frames[i]);
    gst_buffer_pool_set_active (pools[i], FALSE);
    gst_object_unref (pools[i]);
  }
  g_free (flows);
  return many;
}

static void
run_many (const gchar * name)
{
  const guint depths[] = { 4, 8, 16 };
  gdouble best = 0;
  Many many;

  for (guint i = 0; i < G_N_ELEMENTS (depths); i++)
    best = MAX (best, measure_many (1, &context, 1, depths[i],
            1).frames_per_second);
  many = measure_many (N_PIPELINES, &context, 1, 4, 2);
  if (best == 0 || many.frames_per_second == 0)
    report_broken (name, "it does not play");
  else
    report (verdict (many.frames_per_second >= 0.9 * best), name, ">= 90 %",
        "%.1f %% (%d pipelines %.0f frames/s, one %.0f; started in %.3f s, "
        "stopped in %.3f s)", 100 * many.frames_per_second / best,
        N_PIPELINES, many.frames_per_second, best, many.begin, many.end);
}

static void
run_two_gpus (const gchar * name)
{
  const gchar *target = ">= 1.9";
  GstCudaContext *contexts[2] = { context, NULL };
  gint n_devices = 0;
  gdouble one, two;

  driver->cuDeviceGetCount (&n_devices);
  if (n_devices < 2) {
    report ("SKIP", name, target, "%d device", n_devices);
    return;
  }
  contexts[1] = gst_cuda_context_new ((device + 1) % n_devices);
  one = measure_many (4, contexts, 1, 4, 2).frames_per_second;
  two = measure_many (8, contexts, 2, 4, 2).frames_per_second;
  if (one == 0 || two == 0)
    report_broken (name, "it does not play");
  else
    report (verdict (two >= 1.9 * one), name, target,
        "%.2f (%.0f and %.0f frames/s)", two / one, two, one);
  gst_object_unref (contexts[1]);
}

/* ---- The first result --------------------------------------------------------------------- */

/* Milliseconds from the change of @n pipelines to PLAYING, which begins for all before it ends for
 * one, until each has its first buffer: from the pipeline's own change, and from the first one. They
 * share @first_context. Returns whether all have played. */
static gboolean
measure_first (guint n, gboolean has_element, GstCudaContext * first_context,
    GArray * own, gdouble * all)
{
  Flow *flows = g_new0 (Flow, n);
  gint64 *begins = g_new (gint64, n);
  GstBufferList *frames;
  GstBufferPool *pool = new_shared_frames (first_context, &frames);
  gboolean ok = TRUE;

  for (guint i = 0; i < n; i++) {
    flow_init_shared (&flows[i], frames, 7 * i,
        has_element ? flow_histo_new ("cuda", -1, 4) : NULL, first_context);
    gst_element_set_state (flows[i].pipeline, GST_STATE_READY);
  }
  for (guint i = 0; i < n; i++) {
    begins[i] = g_get_monotonic_time ();
    gst_element_set_state (flows[i].pipeline, GST_STATE_PLAYING);
  }
  *all = 0;
  for (guint i = 0; i < n; i++) {
    if (flow_play (&flows[i])) {
      const gdouble time = (flows[i].first_time - begins[i]) * 1e-3;

      g_array_append_val (own, time);
      *all = MAX (*all, (flows[i].first_time - begins[0]) * 1e-3);
    } else {
      ok = FALSE;
    }
  }
  for (guint i = 0; i < n; i++)
    flow_clear (&flows[i]);
  gst_buffer_list_unref (frames);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  g_free (begins);
  g_free (flows);
  return ok;
}

/* Each in a context of its own, where no kernels are loaded, but for "loaded". */
static void
run_first_result (const gchar * name)
{
  static const struct
  {
    const gchar *what;
    guint n;
    gboolean has_element, is_loaded;
  } cases[] = {
    {"one element", 1, TRUE, FALSE},
    {"64 elements", N_PIPELINES, TRUE, FALSE},
    {"64 elements, kernels loaded before", N_PIPELINES, TRUE, TRUE},
    {"64 pipelines without the element", N_PIPELINES, FALSE, FALSE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstCudaContext *first_context = gst_cuda_context_new (device);
    const HistoCudaKernels *kernels = NULL;
    GArray *own = g_array_new (FALSE, FALSE, sizeof (gdouble));
    gdouble all;

    if (cases[i].is_loaded) {
      gst_cuda_context_push (first_context);
      kernels = histo_cuda_kernels_share (driver, NULL);
      gst_cuda_context_pop (NULL);
    }
    if (measure_first (cases[i].n, cases[i].has_element, first_context, own, &all))
      report ("INFO", name, "", "%s: first buffer %.1f ms after the pipeline's start, "
          "slowest %.1f ms; all %.1f ms after the first start", cases[i].what,
          quantile (own, 0.5), quantile (own, 1), all);
    else
      report_broken (name, cases[i].what);
    if (kernels != NULL) {
      gst_cuda_context_push (first_context);
      histo_cuda_kernels_release (kernels);
      gst_cuda_context_pop (NULL);
    }
    g_array_unref (own);
    gst_object_unref (first_context);
  }
}

/* ---- A busy GPU --------------------------------------------------------------------------- */

/* Pipelines at 60 frames/s. */
#define N_CAMERAS 4

/* These play; FALSE if one does not. */
static gboolean
start_cameras (Flow * flows, guint n)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < n; i++) {
    flow_init_raw (&flows[i], "NV12", 1920, 1080, CUDA, 60,
        flow_histo_new ("cuda", -1, 4), context);
    ok &= flow_play (&flows[i]);
  }
  return ok;
}

static void
stop_cameras (Flow * flows, guint n)
{
  for (guint i = 0; i < n; i++)
    flow_clear (&flows[i]);
}

/* How the measurement of 4 x 1080p60 and a program that multiplies matrices in the same context disturb
 * each other. */
typedef struct
{
  GArray *ratios;               /* products of a second, with the measurement and without */
  gdouble with;                 /* products of a second in the last round */
  Delays delays;                /* of results meanwhile */
} Disturbance;

/* @alone: (inout): products of a second just before, and just after */
static gboolean
measure_products (Disturbance * disturbance, Products * products,
    gdouble * alone)
{
  Flow flows[N_CAMERAS] = { {NULL,}, };
  const gdouble before = *alone;
  gboolean ok = start_cameras (flows, N_CAMERAS);
  gdouble ratio;

  g_usleep (FLOW_WARM_UP);
  disturbance->with = products_measure (products, 1.5);
  stop_cameras (flows, N_CAMERAS);
  g_usleep (FLOW_WARM_UP);
  *alone = products_measure (products, 1.5);
  ratio = disturbance->with / ((before + *alone) / 2);
  g_array_append_val (disturbance->ratios, ratio);
  return ok;
}

static gboolean
measure_busy_delays (Disturbance * disturbance)
{
  Flow flows[N_CAMERAS - 1] = { {NULL,}, };
  gboolean ok = start_cameras (flows, N_CAMERAS - 1);

  ok = measure_delays (&disturbance->delays, "NV12", 1920, 1080, CUDA, 60, 5)
      && ok;
  stop_cameras (flows, N_CAMERAS - 1);
  return ok;
}

static void
report_disturbance (const gchar * name, const Disturbance * disturbance,
    gboolean has_priority, gdouble alone)
{
  const gdouble ratio = quantile (disturbance->ratios, 0.5);
  const gdouble delay = quantile (disturbance->delays.delays, 0.5);

  report (has_priority ? verdict (ratio >= 0.99 && delay <= 1000) : "INFO",
      name, has_priority ? "falls by <= 1 %, a result within 1 ms" : "",
      "%s: %.2f %% (worst %.2f %%; %.1f of %.1f products/s); latency %.0f us, "
      "p99 %.0f us, worst %.0f us", has_priority ? "highest priority" :
      "lowest priority", 100 * (1 - ratio),
      100 * (1 - quantile (disturbance->ratios, 0)), disturbance->with, alone,
      delay, quantile (disturbance->delays.delays, 0.99),
      quantile (disturbance->delays.delays, 1));
}

/* With the streams' priority, and as with meta=false, in turn. */
static void
run_busy (const gchar * name)
{
  const gboolean kept = histo_device_has_priorities;
  Products *products = products_new (context);
  Disturbance disturbances[2] = { {NULL,}, };
  gboolean ok = TRUE;
  gdouble alone;

  for (guint p = 0; p < 2; p++)
    disturbances[p].ratios = g_array_new (FALSE, FALSE, sizeof (gdouble));
  products_measure (products, 0.5);
  alone = products_measure (products, 1.5);
  for (guint i = 0; i < 2 * 5; i++) {
    histo_device_has_priorities = i % 2;
    ok &= measure_products (&disturbances[i % 2], products, &alone);
  }
  for (guint p = 0; p < 2; p++) {
    histo_device_has_priorities = p;
    ok &= measure_busy_delays (&disturbances[p]);
    if (ok)
      report_disturbance (name, &disturbances[p], p, alone);
  }
  if (!ok)
    report_broken (name, "it does not play");
  for (guint p = 0; p < 2; p++) {
    delays_clear (&disturbances[p].delays);
    g_array_unref (disturbances[p].ratios);
  }
  histo_device_has_priorities = kept;
  products_free (products);
}

/* ---- The CPU engine ------------------------------------------------------------------------------------------- */

static void
run_cpu_engine (const gchar * name)
{
  const guint most = MIN (g_get_num_processors (), 16);
  gdouble one = 0;

  for (guint n = 1; n <= most; n *= 2) {
    const gdouble bare = bench_counting (n);
    const Speed speed = measure_raw ("I420", 3840, 2160, ORDINARY, 0,
        flow_histo_new ("cpu", -1, n), 1.5);

    if (speed.frames_per_second == 0) {
      report_broken (name, "it does not play");
      return;
    }
    if (n == 1)
      one = speed.frames_per_second;
    else
      report (verdict (speed.frames_per_second >= 0.85 * n * one), name,
          ">= 0.85 n", "%.2f n with %u threads (%.0f frames/s, one %.0f; threads that "
          "only count %.0f; %.0f us of processor a frame)",
          speed.frames_per_second / n / one, n, speed.frames_per_second, one,
          bare, speed.cpu_us);
  }
}

/* ---- For the constants of upload.c ------------------------------------------------------------------------------- */

/* Small frames, read by the kernel where they are, against sent first. */
static void
run_in_place (const gchar * name)
{
  const gsize kept = histo_upload_settings.in_place_limit;

  for (guint rows = 4; rows <= 1024; rows *= 4) {
    for (guint k = 0; k < 2; k++) {
      const MemoryKind kind = k == 0 ? ORDINARY_ONCE : PAGE_LOCKED;
      gdouble median[2] = { 0, 0 }, rate[2];

      for (guint sent = 0; sent < 2; sent++) {
        Delays delays;

        histo_upload_settings.in_place_limit = sent ? 0 : G_MAXSIZE;
        if (measure_delays (&delays, "GRAY8", 1024, rows, kind, 1000, 0.2))
          median[sent] = quantile (delays.delays, 0.5);
        delays_clear (&delays);
        rate[sent] = measure_raw ("GRAY8", 1024, rows, kind, 0,
            flow_histo_new ("cuda", -1, 4), 0.2).frames_per_second;
      }
      report ("INFO", name, "", "%4u KiB %-11s: read %.0f us %.0f/s, "
          "sent %.0f us %.0f/s", rows, kind == ORDINARY_ONCE ? "ordinary" :
          "page-locked", median[0], rate[0], median[1], rate[1]);
    }
  }
  histo_upload_settings.in_place_limit = kept;
}

/* Frames in ordinary memory, by the size of the pieces. */
static void
run_pieces (const gchar * name)
{
  const gsize kept = histo_upload_settings.piece;

  for (gsize piece = 256 * 1024; piece <= 16 * 1024 * 1024; piece *= 2) {
    gdouble median = 0;
    Delays delays;
    Speed speed;

    histo_upload_settings.piece = piece;
    if (measure_delays (&delays, "NV12", 1920, 1080, ORDINARY_ONCE, 120, 0.4))
      median = quantile (delays.delays, 0.5);
    delays_clear (&delays);
    speed = measure_raw ("NV12", 3840, 2160, ORDINARY_ONCE, 0,
        flow_histo_new ("cuda", -1, 4), 0.5);
    report ("INFO", name, "", "%5" G_GSIZE_FORMAT " KiB: 1080p %.0f us, 4K %.2f "
        "GB/s", piece / 1024, median,
        speed.frames_per_second * UHD_BYTES * 1e-9);
  }
  histo_upload_settings.piece = kept;
}

/* ---- The program ---------------------------------------------------------------------------------------------------- */

static const Row rows[] = {
  {"decode", run_decode, FALSE, 15},
  {"decode-groups", run_decode_groups, FALSE, 15},
  {"cpu-time", run_cpu, FALSE, 15},
  {"page-locked", run_page_locked, FALSE, 15},
  {"ordinary", run_ordinary, FALSE, 15},
  {"ordinary-once", run_ordinary_once, FALSE, 15},
  {"latency-cuda", run_latency_cuda, FALSE, 15},
  {"latency-system", run_latency_system, FALSE, 15},
  {"latency-once", run_latency_once, FALSE, 15},
  {"latency-pool", run_latency_pool, FALSE, 15},
  {"floor", run_floor, FALSE, 15},
  {"many", run_many, FALSE, 60},
  {"first-result", run_first_result, FALSE, 30},
  {"busy", run_busy, FALSE, 90},
  {"two-gpus", run_two_gpus, FALSE, 15},
  {"cpu-engine", run_cpu_engine, TRUE, 25},
  {"in-place", run_in_place, FALSE, 15},
  {"pieces", run_pieces, FALSE, 15},
};

static gboolean
open_device (void)
{
  GError *error = NULL;

  driver = histo_driver_get (&error);
  if (driver == NULL) {
    g_printerr ("%s\n", error->message);
    g_error_free (error);
    return FALSE;
  }
  gst_cuda_load_library ();
  gst_cuda_memory_init_once ();
  context = gst_cuda_context_new (device);
  return context != NULL;
}

static GBytes *
read_clip (const gchar * name)
{
  GError *error = NULL;
  gchar *data;
  gsize size;

  if (g_file_get_contents (name, &data, &size, &error))
    return g_bytes_new_take (data, size);
  g_printerr ("%s\n", error->message);
  g_error_free (error);
  return NULL;
}

int
main (int argc, char **argv)
{
  gchar *only = NULL, **files = NULL;
  gint64 in_place_limit = -1, piece = -1;
  gboolean list = FALSE, has_device;
  const GOptionEntry options[] = {
    {"list", 0, 0, G_OPTION_ARG_NONE, &list,
        "print the rows' names, and the s that each may take", NULL},
    {"only", 0, 0, G_OPTION_ARG_STRING, &only, "run this row alone", "ROW"},
    {"device", 0, 0, G_OPTION_ARG_INT, &device, "CUDA device", "N"},
    {"in-place-limit", 0, 0, G_OPTION_ARG_INT64, &in_place_limit,
        "read buffers of up to so many bytes in place", "BYTES"},
    {"piece", 0, 0, G_OPTION_ARG_INT64, &piece,
        "send frames in pieces of this size", "BYTES"},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &files, NULL,
        "[FILE.h264]"},
    {NULL, 0, 0, 0, NULL, NULL, NULL}
  };
  GOptionContext *parser = g_option_context_new (NULL);
  GError *error = NULL;

  g_option_context_add_main_entries (parser, options, NULL);
  g_option_context_add_group (parser, gst_init_get_option_group ());
  if (!g_option_context_parse (parser, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  g_option_context_free (parser);
  if (list) {
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
      g_print ("%s %u\n", rows[i].name, rows[i].limit);
    return 0;
  }

  histo_log_init ();
  histo_write_init ();
  if (in_place_limit >= 0)
    histo_upload_settings.in_place_limit = in_place_limit;
  if (piece > 0)
    histo_upload_settings.piece = piece;
  if (files != NULL && (clip = read_clip (files[0])) == NULL)
    return 2;
  has_device = open_device ();
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (only != NULL && !g_str_equal (only, rows[i].name))
      continue;
    if (has_device || rows[i].needs_no_device)
      rows[i].run (rows[i].name);
    else
      report_broken (rows[i].name, "no device");
  }
  g_clear_pointer (&clip, g_bytes_unref);
  gst_clear_object (&context);
  g_strfreev (files);
  g_free (only);
  return any_failed;
}
