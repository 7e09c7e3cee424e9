/* cudahistocompare with frames in CUDA memory, of one context and of two, and in system memory: the results are those of
 * the CPU. On the mock driver each of its calls fails in turn, too.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cuda-frames.h"
#include "faults.h"
#include "frames.h"

#include <cudahisto/comparison.h>
#include <math.h>

#define STEP (40 * GST_MSECOND)

/* ---- An element, fed by hand ------------------------------------------------------------------------- */

typedef struct
{
  GstElement *element;
  GstBus *bus;
  GstPad *to_sink, *to_reference, *from;
  GstBuffer *latest;            /* what has left */
} Bench;

static GstFlowReturn
take (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  Bench *bench = GST_PAD_ELEMENT_PRIVATE (pad);

  gst_buffer_replace (&bench->latest, buffer);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static GstPad *
link_source (Bench * bench, const gchar * name)
{
  GstPad *source = gst_pad_new (name, GST_PAD_SRC), *pad = gst_element_get_static_pad (bench->element, name);

  fail_unless (GST_PAD_LINK_SUCCESSFUL (gst_pad_link (source, pad)));
  gst_object_unref (pad);
  gst_pad_set_active (source, TRUE);
  return source;
}

/* Returns: FALSE if the element does not start; then bench_close() is called, too */
static gboolean
bench_open (Bench * bench, const gchar * properties)
{
  static GstStaticPadTemplate template = GST_STATIC_PAD_TEMPLATE ("from", GST_PAD_SINK, GST_PAD_ALWAYS,
      GST_STATIC_CAPS_ANY);
  g_autofree gchar *text = g_strdup_printf ("cudahistocompare %s", properties);
  GstPad *pad;

  memset (bench, 0, sizeof *bench);
  bench->element = gst_parse_launch (text, NULL);
  fail_unless (bench->element != NULL);
  bench->bus = gst_bus_new ();
  gst_element_set_bus (bench->element, bench->bus);
  bench->from = gst_pad_new_from_static_template (&template, "from");
  gst_pad_set_element_private (bench->from, bench);
  gst_pad_set_chain_function (bench->from, take);
  gst_pad_set_active (bench->from, TRUE);
  pad = gst_element_get_static_pad (bench->element, "src");
  fail_unless (GST_PAD_LINK_SUCCESSFUL (gst_pad_link (pad, bench->from)));
  gst_object_unref (pad);
  bench->to_sink = link_source (bench, "sink");
  bench->to_reference = link_source (bench, "reference");
  return gst_element_set_state (bench->element, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE;
}

typedef struct
{
  guint n_errors, n_warnings;
} Messages;

static Messages
count_messages (Bench * bench)
{
  Messages messages = { 0, 0 };
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (bench->bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING)) != NULL) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      messages.n_errors++;
    else
      messages.n_warnings++;
    gst_message_unref (message);
  }
  return messages;
}

static void
bench_close (Bench * bench)
{
  fail_unless (gst_element_set_state (bench->element, GST_STATE_NULL) == GST_STATE_CHANGE_SUCCESS);
  for (guint i = 0; i < 3; i++) {
    GstPad *pad = i == 0 ? bench->to_sink : i == 1 ? bench->to_reference : bench->from;

    gst_pad_set_active (pad, FALSE);
    gst_object_unref (pad);
  }
  gst_clear_buffer (&bench->latest);
  gst_bus_set_flushing (bench->bus, TRUE);
  gst_element_set_bus (bench->element, NULL);
  gst_object_unref (bench->bus);
  gst_object_unref (bench->element);
}

static void
begin_stream (GstPad * pad, GstCaps * caps)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_stream_start (GST_PAD_NAME (pad)));
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
}

/* ---- Frames ------------------------------------------------------------------------------------------ */

/* Where a frame is. */
typedef enum
{
  IN_SYSTEM_MEMORY,
  IN_CONTEXT,
  IN_OTHER_CONTEXT,
  N_PLACES
} Place;

#define N_FRAMES 4

/* A film: frames of the two streams. */
typedef struct
{
  GstVideoInfo info;
  guint n_frames;
  GstCaps *caps[2];
  GstBuffer *frames[2][N_FRAMES];
} Film;

static GstBuffer *
new_frame (GstVideoInfo * info, GstCudaContext * context, gboolean with_meta, GRand * random)
{
  GstVideoInfo with_strides = *info;
  GstBuffer *buffer;

  if (context != NULL)
    return test_cuda_buffer_new (context, &with_strides, with_meta, random);
  buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (info), NULL);
  test_fill_buffer (buffer, random);
  return buffer;
}

/* @width, @height: even, because libgstcuda uploads not all rows of odd heights
 * Returns: FALSE if libgstcuda has no memory for the format */
static gboolean
film_init (Film * film, GstVideoFormat format, guint width, guint height, GstCudaContext * const contexts[2],
    gboolean with_crop, GRand * random)
{
  memset (film, 0, sizeof *film);
  film->n_frames = N_FRAMES;
  gst_video_info_set_format (&film->info, format, width, height);
  film->info.fps_n = 50;
  film->info.fps_d = 1;
  for (guint s = 0; s < 2; s++) {
    film->caps[s] = contexts[s] != NULL ? test_cuda_caps (&film->info) : gst_video_info_to_caps (&film->info);
    for (guint i = 0; i < N_FRAMES; i++) {
      GstBuffer *buffer = new_frame (&film->info, contexts[s], g_rand_boolean (random), random);

      if (buffer == NULL)
        return FALSE;
      if (with_crop) {
        GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);

        /* Both of the same size, at any place. */
        crop->x = 2 * g_rand_int_range (random, 0, 4);
        crop->y = 2 * g_rand_int_range (random, 0, 4);
        crop->width = width - 9;
        crop->height = height - 8;
      }
      GST_BUFFER_PTS (buffer) = i * STEP;
      GST_BUFFER_DURATION (buffer) = STEP;
      film->frames[s][i] = buffer;
    }
  }
  return TRUE;
}

static void
film_clear (Film * film)
{
  for (guint s = 0; s < 2; s++) {
    gst_clear_caps (&film->caps[s]);
    for (guint i = 0; i < N_FRAMES; i++)
      gst_clear_buffer (&film->frames[s][i]);
  }
}

/* The same film, with some samples of the reference in the other stream. */
static void
blend (Film * film, GRand * random)
{
  for (guint i = 0; i < N_FRAMES; i++) {
    GstVideoFrame from, to;
    GstVideoInfo info = film->info;

    if (g_rand_int_range (random, 0, 4) == 0)
      continue;
    fail_unless (gst_video_frame_map (&from, &info, film->frames[1][i], GST_MAP_READ));
    fail_unless (gst_video_frame_map (&to, &info, film->frames[0][i], GST_MAP_READWRITE));
    fail_unless (gst_video_frame_copy (&to, &from));
    for (guint k = 0; k < 20; k++)
      ((guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&to, 0))[g_rand_int_range (random, 0, GST_VIDEO_INFO_WIDTH (&info))] ^= 1;
    gst_video_frame_unmap (&to);
    gst_video_frame_unmap (&from);
  }
}

/* ---- Results ----------------------------------------------------------------------------------------- */

static void
check_equal_ratio (gdouble a, gdouble b, const gchar * what)
{
  fail_unless ((isnan (a) && isnan (b)) || a == b || fabs (a - b) <= 1e-9, "%s is %.15g, not %.15g", what, a, b);
}

static void
check_equal (GstBuffer * buffer, const HistoComparison * expected)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, HISTO_COMPARISON_NAME);
  HistoComparison found;

  memset (&found, 0, sizeof found);
  fail_unless (meta != NULL);
  fail_unless (histo_comparison_read (gst_custom_meta_get_structure (meta), &found, NULL));
  fail_unless_equals_int (found.n_regions, expected->n_regions);
  for (guint r = 0; r < found.n_regions; r++) {
    const HistoComparedRegion *a = &found.regions[r], *b = &expected->regions[r];

    fail_unless (a->equal == b->equal && a->x == b->x && a->y == b->y && a->width == b->width && a->height == b->height,
        "region %u: %u,%u %ux%u, not %u,%u %ux%u", r, a->x, a->y, a->width, a->height, b->x, b->y, b->width, b->height);
    check_equal_ratio (a->psnr, b->psnr, "psnr");
    check_equal_ratio (a->ssim, b->ssim, "ssim");
    for (guint c = 0; c < a->n_components; c++) {
      const HistoComparedComponent *x = &a->components[c], *y = &b->components[c];

      fail_unless_equals_uint64 (x->count, y->count);
      fail_unless_equals_uint64 (x->different, y->different);
      fail_unless_equals_uint64 (x->sse, y->sse);
      fail_unless_equals_int (x->max_difference, y->max_difference);
      check_equal_ratio (x->ssim, y->ssim, "ssim of a component");
      check_equal_ratio (x->xpsnr, y->xpsnr, "xpsnr");
    }
  }
  histo_comparison_clear (&found);
}

/* Pushes the film. Returns: how many frames left */
static guint
play (Bench * bench, const Film * film, HistoComparison results[N_FRAMES], gboolean checks)
{
  for (guint s = 0; s < 2; s++)
    begin_stream (s == 0 ? bench->to_sink : bench->to_reference, film->caps[s]);
  for (guint i = 0; i < film->n_frames; i++) {
    fail_unless (gst_pad_push (bench->to_reference, gst_buffer_ref (film->frames[1][i])) == GST_FLOW_OK);
    if (gst_pad_push (bench->to_sink, gst_buffer_ref (film->frames[0][i])) != GST_FLOW_OK)
      return i;
    if (checks) {
      check_equal (bench->latest, &results[i]);
    } else {
      GstCustomMeta *meta = gst_buffer_get_custom_meta (bench->latest, HISTO_COMPARISON_NAME);

      memset (&results[i], 0, sizeof results[i]);
      fail_unless (histo_comparison_read (gst_custom_meta_get_structure (meta), &results[i], NULL));
    }
  }
  return film->n_frames;
}

static void
clear_results (HistoComparison results[N_FRAMES])
{
  for (guint i = 0; i < N_FRAMES; i++)
    histo_comparison_clear (&results[i]);
}

static gchar *
active_backend (Bench * bench)
{
  gchar *name;

  g_object_get (bench->element, "active-backend", &name, NULL);
  return name;
}

#define SETTINGS "measures=difference+psnr+ssim+xpsnr regions=\"a=3,5,11,50%; b=0,0,100%,9; c=200%,0,1,1\" "

/* What the CPU finds. */
static void
expect (const Film * film, HistoComparison results[N_FRAMES])
{
  Bench bench;
  gchar *name;

  fail_unless (bench_open (&bench, SETTINGS "backend=cpu"));
  fail_unless_equals_int (play (&bench, film, results, FALSE), film->n_frames);
  name = active_backend (&bench);
  fail_unless_equals_string (name, "cpu");
  g_free (name);
  bench_close (&bench);
}

static const GstVideoFormat formats[] = {
  GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_Y444,
  GST_VIDEO_FORMAT_BGRA, GST_VIDEO_FORMAT_I420_10LE, GST_VIDEO_FORMAT_Y444_16LE
};

/* Each format, each place of both frames, with and without a crop meta, with each backend. */
TEST_LOOP (test_places, 0, G_N_ELEMENTS (formats))
{
  GRand *random = test_random ();
  GstCudaContext *contexts[N_PLACES] = { NULL, gst_cuda_context_new (0), gst_cuda_context_new (0) };

  for (guint i = 0; i < 2 * N_PLACES * N_PLACES; i++) {
    const Place of_sink = i / 2 % N_PLACES, of_reference = i / 2 / N_PLACES;
    GstCudaContext *const used[] = { contexts[of_sink], contexts[of_reference] };
    const gboolean is_auto = g_rand_boolean (random);
    HistoComparison results[N_FRAMES];
    Messages messages;
    Bench bench;
    Film film;
    gchar *name;

    if (film_init (&film, formats[__i__], 2 * g_rand_int_range (random, 10, 35), 2 * g_rand_int_range (random, 10, 30), used,
            i % 2 == 1, random)) {
      if (of_sink == IN_SYSTEM_MEMORY && of_reference == IN_SYSTEM_MEMORY)
        blend (&film, random);
      expect (&film, results);
      fail_unless (bench_open (&bench, is_auto ? SETTINGS "backend=auto" : SETTINGS "backend=cuda"));
      fail_unless_equals_int (play (&bench, &film, results, TRUE), N_FRAMES);
      name = active_backend (&bench);
      fail_unless_equals_string (name, is_auto && of_sink == IN_SYSTEM_MEMORY && of_reference == IN_SYSTEM_MEMORY ?
          "cpu" : "cuda");
      g_free (name);
      messages = count_messages (&bench);
      fail_unless (messages.n_errors == 0 && messages.n_warnings == 0);
      bench_close (&bench);
      clear_results (results);
    }
    film_clear (&film);
  }
  for (guint i = 1; i < N_PLACES; i++)
    gst_object_unref (contexts[i]);
  g_rand_free (random);
}

/* A stream whose caps, contexts and places change. */
TEST (test_changes)
{
  GRand *random = test_random ();
  GstCudaContext *contexts[N_PLACES] = { NULL, gst_cuda_context_new (0), gst_cuda_context_new (0) };
  Bench bench;

  fail_unless (bench_open (&bench, SETTINGS "pairing=order backend=cuda"));
  for (guint i = 0; i < 20; i++) {
    GstCudaContext *const used[] = { contexts[g_rand_int_range (random, 0, 3)], contexts[g_rand_int_range (random, 0, 3)] };
    HistoComparison results[N_FRAMES] = { {0,} };
    Film film;

    if (film_init (&film, formats[g_rand_int_range (random, 0, 3)], 2 * g_rand_int_range (random, 8, 45),
            2 * g_rand_int_range (random, 8, 25), used, FALSE, random)) {
      expect (&film, results);
      for (guint s = 0; s < 2; s++) {
        GstPad *pad = s == 0 ? bench.to_sink : bench.to_reference;

        gst_pad_push_event (pad, gst_event_new_flush_start ());
        gst_pad_push_event (pad, gst_event_new_flush_stop (TRUE));
      }
      fail_unless_equals_int (play (&bench, &film, results, TRUE), N_FRAMES);
      clear_results (results);
    }
    film_clear (&film);
  }
  bench_close (&bench);
  for (guint i = 1; i < N_PLACES; i++)
    gst_object_unref (contexts[i]);
  g_rand_free (random);
}

/* ---- Failures ---------------------------------------------------------------------------------------- */

typedef struct
{
  Film film;
  HistoComparison results[N_FRAMES];
  gboolean is_auto, must_succeed;
} Failing;

/* All results are right, or there is an error. With auto a single failed call is no error. */
static void
run_failing (const gchar * label, gpointer data)
{
  Failing *failing = data;
  const guint n = failing->film.n_frames;
  guint n_frames = 0;
  Messages messages;
  Bench bench;

  if (bench_open (&bench, failing->is_auto ? SETTINGS "backend=auto" : SETTINGS "backend=cuda"))
    n_frames = play (&bench, &failing->film, failing->results, TRUE);
  fail_unless (n_frames == n || !failing->must_succeed, "%s: %u frames", label, n_frames);
  messages = count_messages (&bench);
  fail_unless (messages.n_warnings <= 1 && messages.n_errors == (n_frames < n ? 1 : 0),
      "%s: %u errors, %u warnings, %u frames", label, messages.n_errors, messages.n_warnings, n_frames);
  bench_close (&bench);
}

static const struct
{
  gboolean is_auto, is_in_cuda_memory;
  Fault fault;
  guint least;                  /* calls that can fail. The frames are lost with their context */
} failures[] = {
  {TRUE, TRUE, FAULT_ONCE, 50},
  {TRUE, TRUE, FAULT_FOREVER, 50},
  {TRUE, TRUE, FAULT_EXECUTION, 1},
  {FALSE, FALSE, FAULT_ONCE, 50},
  {FALSE, FALSE, FAULT_STICKY, 50},
  {FALSE, FALSE, FAULT_EXECUTION, 4},
};

TEST_LOOP (test_failing_calls, 0, G_N_ELEMENTS (failures))
{
  const Fault fault = failures[__i__].fault;
  Failing failing = {.is_auto = failures[__i__].is_auto };
  GRand *random = test_random ();
  GstCudaContext *used[2] = { NULL, NULL };

  failing.must_succeed = failing.is_auto && fault == FAULT_ONCE;
  if (test_mock () != NULL) {
    test_mock ()->reset ();
    if (failures[__i__].is_in_cuda_memory)
      used[0] = used[1] = gst_cuda_context_new (0);
    fail_unless (film_init (&failing.film, GST_VIDEO_FORMAT_NV12, 46, 20, used, FALSE, random));
    failing.film.n_frames = 2;
    expect (&failing.film, failing.results);
    run_failing ("without failures", &failing);
    fail_unless (fault_each (fault, "compare", FALSE, run_failing, &failing) >= failures[__i__].least);
    film_clear (&failing.film);
    clear_results (failing.results);
    g_clear_object (&used[0]);
  }
  g_rand_free (random);
}

/* A picture that is filtered in cells of 2 x 2 samples, of odd width and height. */
TEST (test_cells)
{
  GstCudaContext *const used[2] = { NULL, NULL };
  HistoComparison results[N_FRAMES] = { {0,} };
  GRand *random = test_random ();
  Bench bench;
  Film film;

  fail_unless (film_init (&film, GST_VIDEO_FORMAT_GRAY8, 2101, 1131, used, FALSE, random));
  film.n_frames = 2;
  blend (&film, random);
  expect (&film, results);
  fail_unless (bench_open (&bench, SETTINGS "backend=cuda"));
  fail_unless_equals_int (play (&bench, &film, results, TRUE), film.n_frames);
  bench_close (&bench);
  clear_results (results);
  film_clear (&film);
  g_rand_free (random);
}

TEST_MAIN_IF (120, test_cuda_init (FALSE))
