/* Runs many pipelines for a long time. They start, stop, seek, and change caps and properties at random.
 *
 *   soak [--pipelines=64] [--seconds=60] [--seed=N] [--backend=cpu|cuda]
 *
 * Each pipeline measures its buffers twice: with the backend under test, and then with the CPU. Both
 * results of each buffer must be equal. In half of the video pipelines the overlay draws the results, if
 * it was built. Three quarters of the pipelines share a CUDA context, as in an application with many; each
 * of the others has its own. After a quarter of the time and at the end all pipelines are freed. The table
 * has three rows: begin, quarter, end. It shows memory, descriptors and threads of the process, and the
 * memory in use on the device. From the quarter to the end they may grow only within the limits of
 * soak-resources.c.
 *
 * Exit status: 1 if a result differs or is missing, nothing was compared, the overlay posted a warning, an
 * element other than a source posted an error, or something grew beyond its limit; 2 if the options are
 * wrong; 77 without the elements.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "soak-compare.h"
#include "soak-context.h"
#include "soak-resources.h"

static gint n_pipelines = 64, n_seconds = 60, seed = -1;
static gchar *backend;

static const GOptionEntry options[] = {
  {"pipelines", 0, 0, G_OPTION_ARG_INT, &n_pipelines, "how many at once", "N"},
  {"seconds", 0, 0, G_OPTION_ARG_INT, &n_seconds, "how long", "N"},
  {"seed", 0, 0, G_OPTION_ARG_INT, &seed, "of the random numbers", "N"},
  {"backend", 0, 0, G_OPTION_ARG_STRING, &backend, "under test", "NAME"},
  {NULL, 0, 0, 0, NULL, NULL, NULL}
};

static gboolean has_overlay;
static gint n_errors;

/* ---- One pipeline ------------------------------------------------------------------------- */

typedef struct
{
  GstElement *pipeline;         /* NULL: none now */
  SoakCheck check;
  gboolean is_video;
  gboolean is_sharing;          /* the CUDA context */
} Slot;

static const gchar *const video_formats[] = {
  "NV12", "I420", "RGBx", "GRAY8", "P010_10LE", "YUY2", "v210", "GRAY16_LE"
};

static const gchar *const audio_formats[] = { "S16LE", "S24LE", "F32LE", "U8" };

static const gchar *const measures[] = {
  "basic", "basic+signal", "basic+color", "basic+signal+color"
};

#define CHOOSE(random, list) (list)[g_rand_int_range (random, 0, G_N_ELEMENTS (list))]

static gchar *
random_caps (Slot * slot, GRand * random)
{
  if (slot->is_video)
    return g_strdup_printf ("video/x-raw, format=%s, width=%d, height=%d, "
        "framerate=%d/1", CHOOSE (random, video_formats),
        2 * g_rand_int_range (random, 8, 400),
        2 * g_rand_int_range (random, 4, 240),
        g_rand_int_range (random, 10, 60));
  return g_strdup_printf ("audio/x-raw, format=%s, rate=%d, channels=%d",
      CHOOSE (random, audio_formats), g_rand_int_range (random, 8000, 96000),
      g_rand_int_range (random, 1, 3));
}

/* The overlay warns if it cannot draw.
 *
 * A source's error says that downstream has failed, and whoever failed posts an error of its own. But if
 * a flush begins while capsfilter or identity pass on a segment, GStreamer tells the source of an error,
 * and no element has failed. */
static gboolean
is_error (GstMessage * message)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    return g_str_has_prefix (GST_MESSAGE_SRC_NAME (message),
        "cudahistooverlay");
  return GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR
      && !GST_OBJECT_FLAG_IS_SET (GST_MESSAGE_SRC (message),
      GST_ELEMENT_FLAG_SOURCE);
}

static void
count_error (GstMessage * message)
{
  if (is_error (message)) {
    gchar *debug = NULL;
    GError *error = NULL;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, &debug);
    else
      gst_message_parse_warning (message, &error, &debug);
    g_printerr ("%s: %s: %s (%s)\n", GST_MESSAGE_SRC_NAME (message),
        GST_MESSAGE_TYPE_NAME (message), error->message, debug);
    g_error_free (error);
    g_free (debug);
    g_atomic_int_inc (&n_errors);
  }
}

static GstBusSyncReply
receive_message (GstBus * bus, GstMessage * message, gpointer user_data)
{
  const Slot *slot = user_data;

  count_error (message);
  if (slot->is_sharing)
    soak_context_share (message);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static void
start (Slot * slot, GRand * random)
{
  gchar *caps, *description;
  const gchar *groups, *drawing;
  GstBus *bus;

  slot->is_video = g_rand_int_range (random, 0, 4) > 0;
  slot->is_sharing = g_rand_int_range (random, 0, 4) > 0;
  groups = slot->is_video ? CHOOSE (random, measures) : "basic";
  drawing = slot->is_video && has_overlay && g_rand_boolean (random) ?
      "cudahistooverlay ! " : "";
  caps = random_caps (slot, random);
  /* A live source would wait for the time to which it was sent by a seek. */
  description = g_strdup_printf ("%s ! capsfilter name=caps caps-change-mode=delayed caps=\"%s\" ! "
      "identity sleep-time=10000 ! cudahisto name=tested backend=%s measures=%s ! "
      "cudahisto name=reference backend=cpu measures=%s ! %s"
      "fakesink name=sink sync=false",
      slot->is_video ? "videotestsrc pattern=snow" : "audiotestsrc wave=pink-noise",
      caps, backend, groups, groups, drawing);
  slot->pipeline = gst_parse_launch (description, NULL);
  g_free (description);
  g_free (caps);
  soak_check_begin (&slot->check, slot->pipeline);
  bus = gst_element_get_bus (slot->pipeline);
  gst_bus_set_sync_handler (bus, receive_message, slot, NULL);
  gst_object_unref (bus);
  gst_element_set_state (slot->pipeline, GST_STATE_PLAYING);
}

static void
stop (Slot * slot)
{
  gst_element_set_state (slot->pipeline, GST_STATE_NULL);
  gst_clear_object (&slot->pipeline);
  soak_check_end (&slot->check);
}

static void
set_caps (Slot * slot, GRand * random)
{
  GstElement *filter = gst_bin_get_by_name (GST_BIN (slot->pipeline), "caps");
  gchar *caps = random_caps (slot, random);

  gst_util_set_object_arg (G_OBJECT (filter), "caps", caps);
  g_free (caps);
  gst_object_unref (filter);
}

/* One that does not change the results. */
static void
set_property (Slot * slot, GRand * random)
{
  GstElement *tested = gst_bin_get_by_name (GST_BIN (slot->pipeline), "tested");

  switch (g_rand_int_range (random, 0, 5)) {
    case 0:
      g_object_set (tested, "max-in-flight", g_rand_int_range (random, 1, 9),
          NULL);
      break;
    case 1:
      g_object_set (tested, "every", g_rand_int_range (random, 1, 4), NULL);
      break;
    case 2:
      g_object_set (tested, "post-messages", g_rand_boolean (random), NULL);
      break;
    case 3:
      g_object_set (tested, "page-lock-upstream", g_rand_boolean (random), NULL);
      break;
    default:
      g_object_set (tested, "window", g_rand_boolean (random) ?
          (guint64) GST_SECOND : G_GUINT64_CONSTANT (0), NULL);
      break;
  }
  gst_object_unref (tested);
}

static void
act (Slot * slot, GRand * random)
{
  static const GstState states[] = {
    GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_PLAYING
  };

  if (slot->pipeline == NULL) {
    start (slot, random);
    return;
  }
  switch (g_rand_int_range (random, 0, 10)) {
    case 0:
      stop (slot);
      break;
    case 1:
    case 2:
      gst_element_seek_simple (slot->pipeline, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH, g_rand_int_range (random, 0, 100) * GST_SECOND);
      break;
    case 3:
    case 4:
      set_caps (slot, random);
      break;
    case 5:
    case 6:
      gst_element_set_state (slot->pipeline, CHOOSE (random, states));
      break;
    default:
      set_property (slot, random);
      break;
  }
}

/* ---- All of them ---------------------------------------------------------------------------- */

/* Returns: how many actions */
static guint64
run_for (Slot * slots, GRand * random, gdouble seconds)
{
  const gint64 end = g_get_monotonic_time () + seconds * G_USEC_PER_SEC;
  guint64 n = 0;

  for (; g_get_monotonic_time () < end; n++) {
    act (&slots[g_rand_int_range (random, 0, n_pipelines)], random);
    g_usleep (g_rand_int_range (random, 0, 2000));
  }
  for (gint i = 0; i < n_pipelines; i++) {
    if (slots[i].pipeline != NULL)
      stop (&slots[i]);
  }
  soak_context_drop ();
  return n;
}

static gboolean
have_element (const gchar * name)
{
  GstElementFactory *factory = gst_element_factory_find (name);
  const gboolean ok = factory != NULL;

  gst_clear_object (&factory);
  return ok;
}

static int
soak (void)
{
  GRand *random = g_rand_new_with_seed (seed);
  Slot *slots = g_new0 (Slot, n_pipelines);
  SoakResources begin, warm, end;
  guint64 n_actions;
  gboolean ok;

  g_print ("backend=%s, %d pipelines, %s overlay, %d s, --seed=%d\n", backend,
      n_pipelines, has_overlay ? "with" : "without", n_seconds, seed);
  soak_resources_read (&begin);
  n_actions = run_for (slots, random, n_seconds * 0.25);
  soak_resources_read (&warm);
  n_actions += run_for (slots, random, n_seconds * 0.75);
  soak_resources_read (&end);
  soak_resources_print (&begin, &warm, &end);
  g_print ("%" G_GUINT64_FORMAT " actions, %d results compared, %d differ, "
      "%d are missing, %d errors\n", n_actions, soak_n_compared (),
      soak_n_different (), soak_n_missing (), n_errors);
  ok = !soak_resources_have_grown (&warm, &end) && soak_n_compared () > 0
      && soak_n_different () == 0 && soak_n_missing () == 0 && n_errors == 0;
  g_print (ok ? "passed\n" : "FAILED\n");
  g_free (slots);
  g_rand_free (random);
  return ok ? 0 : 1;
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;

  soak_resources_init ();
  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  g_option_context_free (context);
  if (backend == NULL)
    backend = g_strdup (g_getenv ("CUDAHISTO_TEST_BACKEND") != NULL ?
        g_getenv ("CUDAHISTO_TEST_BACKEND") : "cpu");
  if (n_pipelines < 1) {
    g_printerr ("--pipelines must be at least 1\n");
    return 2;
  }
  if (seed < 0)
    seed = g_random_int_range (0, G_MAXINT);
  if (!have_element ("cudahisto") || !have_element ("videotestsrc")
      || !have_element ("audiotestsrc")) {
    g_print ("an element is missing\n");
    return 77;
  }
  has_overlay = have_element ("cudahistooverlay");
  return soak ();
}
