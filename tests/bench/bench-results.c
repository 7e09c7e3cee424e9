/* How long it takes to copy buffers with results, and to read these: with the static library into a struct, and with the shared one figure by
 * figure. Prints the shortest of several rounds in µs of a thread's processor time.
 *
 *   GST_PLUGIN_PATH=BUILD_DIR/plugin bench-results
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cudahisto.h>

#include <cudahisto/cudahisto.h>

#include <time.h>

#define N_ROUNDS 20
#define N_READS 2000

static GstBuffer *kept;

static GstPadProbeReturn
keep_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  gst_buffer_replace (&kept, GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_OK;
}

/* Keeps the last of a few buffers. */
static void
measure (const gchar * settings)
{
  g_autofree gchar *text = g_strdup_printf ("videotestsrc num-buffers=3 ! video/x-raw,format=I420 ! cudahisto %s "
      "! fakesink name=sink", settings);
  g_autoptr (GstElement) pipeline = gst_parse_launch (text, NULL);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, keep_buffer, NULL, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_message_unref (gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_assert (gst_buffer_get_custom_meta (kept, "cudahisto") != NULL);
}

static gdouble sum;

static void
read_into_struct (gchar ** paths)
{
  static HistoResult result;

  g_assert (histo_read_result (gst_custom_meta_get_structure (gst_buffer_get_custom_meta (kept, "cudahisto")), &result, NULL));
  sum += result.components[0].figures.mean;
}

/* The result, and each of the figures by its path. */
static void
read_by_path (gchar ** paths)
{
  CudahistoResult *result = cudahisto_result_new_from_buffer (kept, NULL);
  gdouble value;

  for (; *paths != NULL; paths++) {
    if (cudahisto_result_get_figure (result, *paths, &value))
      sum += value;
  }
  cudahisto_result_unref (result);
}

static gboolean
add (const gchar * path, gdouble value, const gchar * word, gpointer data)
{
  sum += value;
  return TRUE;
}

static void
read_by_visit (gchar ** paths)
{
  CudahistoResult *result = cudahisto_result_new_from_buffer (kept, NULL);

  cudahisto_result_visit (result, add, NULL);
  cudahisto_result_unref (result);
}

/* As an element does that changes the buffer of one branch of a tee. The metas of the buffer are copied, its memory is not. */
static void
copy_buffer (gchar ** paths)
{
  gst_buffer_unref (gst_buffer_copy (kept));
}

static gdouble
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void
bench (const gchar * name, void (*function) (gchar ** paths), gchar ** paths)
{
  gdouble best = G_MAXDOUBLE;

  for (guint round = 0; round < N_ROUNDS; round++) {
    const gdouble start = now ();

    for (guint i = 0; i < N_READS; i++)
      function (paths);
    best = MIN (best, (now () - start) / N_READS);
  }
  g_print ("  %-44s %7.3f\n", name, best);
}

int
main (int argc, char **argv)
{
  static const gchar *const settings[] = { "", "histogram=false", "measures=signal+motion", "measures=signal+motion regions=a=0,0,50%,50%;b=0,0,50,50;c=9,9,50,50;d=0,0,9,9" };
  static gchar *one[] = { "Y.mean", NULL }, *three[] = { "Y.mean", "U.mean", "V.mean", NULL }, *region[] = { "regions.d.Y.mean", NULL },
      *twice[] = { "regions.d.Y.mean", "regions.d.Y.mean", NULL };

  gst_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    g_autoptr (CudahistoResult) result = NULL;
    g_auto (GStrv) all = NULL;
    g_autofree gchar *name = NULL;

    measure (settings[i]);
    result = cudahisto_result_new_from_buffer (kept, NULL);
    all = cudahisto_result_list_paths (result);
    g_print ("cudahisto %s\n", settings[i]);
    bench ("a copy of the buffer with its result", copy_buffer, NULL);
    bench ("the struct of the static library", read_into_struct, NULL);
    bench ("a result and one figure", read_by_path, one);
    bench ("a result and three figures", read_by_path, three);
    name = g_strdup_printf ("a result and its %u figures by their paths", g_strv_length (all));
    bench (name, read_by_path, all);
    bench ("a result and a visit of all its figures", read_by_visit, NULL);
    if (strstr (settings[i], "regions") != NULL) {
      bench ("a result and one figure of a region", read_by_path, region);
      bench ("a result and this figure twice", read_by_path, twice);
    }
  }
  gst_buffer_remove_meta (kept, (GstMeta *) gst_buffer_get_custom_meta (kept, "cudahisto"));
  g_print ("without a result\n");
  bench ("a copy of the buffer", copy_buffer, NULL);
  return sum != sum;
}
