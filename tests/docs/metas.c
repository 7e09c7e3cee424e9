/* Plays pipelines whose elements copy, drop or join buffers behind cudahisto, and makes the table of docs/result.md that
 * says which results are then on a buffer.
 *
 *   metas PAGE
 *
 * Exits with 1, and prints the table, if PAGE has another one. Other versions of GStreamer may do something else: there it
 * prints the table and exits with 77, as it does if an element is missing.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>

#include <string.h>

#include "cudahisto/fields.h"

#define N_BUFFERS "10"
#define VERSION "1.22"

#define VIDEO "videotestsrc num-buffers=" N_BUFFERS " pattern=snow " \
  "! video/x-raw,format=I420,width=64,height=48,framerate=25/1"
/* Each buffer has another sum. */
#define AUDIO "audiotestsrc num-buffers=" N_BUFFERS " samplesperbuffer=960 freq=333 " \
  "! audio/x-raw,rate=48000,channels=2 ! audioconvert"

static const struct
{
  const gchar *source, *elements;
} pipelines[] = {
  /* *INDENT-OFF* */
  { VIDEO, "queue" },
  { VIDEO, "tee" },
  { VIDEO, "videoconvert ! video/x-raw,format=RGBA" },
  { VIDEO, "videoscale ! video/x-raw,width=32" },
  { VIDEO, "videocrop left=2" },
  { VIDEO, "videobox left=-2" },
  { VIDEO, "videoflip method=clockwise" },
  { VIDEO, "videobalance brightness=0.1" },
  { VIDEO, "videorate ! video/x-raw,framerate=10/1" },
  { VIDEO, "videorate ! video/x-raw,framerate=50/1" },
  { VIDEO, "textoverlay text=a" },
  { VIDEO, "deinterlace" },
  { VIDEO, "deinterlace mode=interlaced" },
  { VIDEO, "interlace" },
  { VIDEO, "compositor" },
  { VIDEO, "jpegenc ! jpegdec" },
  { VIDEO, "vp8enc ! vp8dec" },
  { VIDEO, "theoraenc ! theoradec" },
  { VIDEO, "avenc_mpeg4 ! avdec_mpeg4" },
  { VIDEO, "avenc_mpeg4 max-bframes=2 ! avdec_mpeg4" },
  { VIDEO, "matroskamux ! matroskademux" },
  { VIDEO, "rtpvrawpay" },
  { VIDEO, "rtpvrawpay ! rtpvrawdepay" },
  { VIDEO, "gdppay ! gdpdepay" },
  { AUDIO, "audioconvert ! audio/x-raw,format=F64LE" },
  { AUDIO, "audioresample ! audio/x-raw,rate=16000" },
  { AUDIO, "audiorate" },
  { AUDIO, "volume volume=0.5" },
  { AUDIO, "equalizer-10bands band0=3" },
  { AUDIO, "scaletempo" },
  { AUDIO, "audiobuffersplit output-buffer-duration=1/100" },
  { AUDIO, "audiobuffersplit output-buffer-duration=1/25" },
  { AUDIO, "audiomixer" },
  { AUDIO, "deinterleave ! interleave" },
  { AUDIO, "wavenc" },
  { AUDIO, "wavenc ! wavparse" },
  { AUDIO, "flacenc" },
  { AUDIO, "opusenc" },
  { AUDIO, "opusenc ! opusdec" },
  { AUDIO, "vorbisenc" },
  { AUDIO, "lamemp3enc" },
  { AUDIO, "avenc_aac" },
  /* *INDENT-ON* */
};

/* What the buffers behind the elements have. Those without a result, such as headers, do not count, unless all are. */
typedef enum
{
  OWN,
  AGAIN,
  SEVERAL,
  SEVERAL_AGAIN,
  SAME,
  OTHERS,
  NONE,
  N_FATES
} Fate;

static const gchar *const fates[N_FATES] = {
  [OWN] = "one result, its own",
  [AGAIN] = "one result, which other buffers have, too",
  [SEVERAL] = "several results: those of the buffers that it was joined of",
  [SEVERAL_AGAIN] = "several results, of which the buffers next to it have some, too",
  [SAME] = "the same result several times",
  [OTHERS] = "the result of another buffer",
  [NONE] = "no result",
};

/* ---- Playing ------------------------------------------------------------------------------ */

typedef struct
{
  GArray *sums;                 /* of gdouble: of the first component of each measured buffer */
  GArray *found;                /* of gint: numbers of measured buffers; -1 ends a buffer */
} Seen;

/* @state: (inout): NULL: the first one
 * Returns: FALSE: there is no other result */
static gboolean
next_sum (GstBuffer * buffer, gpointer * state, gdouble * sum)
{
  const GstMetaInfo *info = gst_meta_get_info (HISTO_RESULT_NAME);
  GstMeta *meta = gst_buffer_iterate_meta_filtered (buffer, state, info->api);
  const GstStructure *structure;
  const GValue *names;

  if (meta == NULL)
    return FALSE;
  structure = gst_custom_meta_get_structure ((GstCustomMeta *) meta);
  names = gst_structure_get_value (structure, "components");
  structure = gst_value_get_structure (gst_structure_get_value (structure,
          g_value_get_string (gst_value_array_get_value (names, 0))));
  return gst_structure_get_double (structure, "sum", sum);
}

static GstPadProbeReturn
on_measured (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Seen *seen = data;
  gpointer state = NULL;
  gdouble sum;

  g_assert_true (next_sum (GST_PAD_PROBE_INFO_BUFFER (info), &state, &sum));
  for (guint i = 0; i < seen->sums->len; i++)
    g_assert_true (g_array_index (seen->sums, gdouble, i) != sum);
  g_array_append_val (seen->sums, sum);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_behind (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  const gint end = -1;
  Seen *seen = data;
  gpointer state = NULL;
  gdouble sum;

  while (next_sum (GST_PAD_PROBE_INFO_BUFFER (info), &state, &sum)) {
    for (guint i = 0; i < seen->sums->len; i++) {
      if (g_array_index (seen->sums, gdouble, i) == sum)
        g_array_append_val (seen->found, i);
    }
  }
  g_array_append_val (seen->found, end);
  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement * pipeline, const gchar * element, const gchar * name, GstPadProbeCallback callback, Seen * seen)
{
  GstElement *found = gst_bin_get_by_name (GST_BIN (pipeline), element);
  GstPad *pad = gst_element_get_static_pad (found, name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, seen, NULL);
  gst_object_unref (pad);
  gst_object_unref (found);
}

static Fate
judge (const GArray * found)
{
  Fate fate = NONE;
  gint latest = -1;             /* of the buffers before */

  for (guint i = 0, begin = 0; i < found->len; i++) {
    const gint result = g_array_index (found, gint, i);
    Fate here = i == begin ? OWN : SEVERAL;

    if (result < 0) {
      for (guint k = begin; k < i; k++)
        latest = MAX (latest, g_array_index (found, gint, k));
      begin = i + 1;
      continue;
    }
    if (i > begin && g_array_index (found, gint, i - 1) == result)
      here = SAME;
    else if (result < latest || (i > begin && g_array_index (found, gint, i - 1) > result))
      here = OTHERS;
    else if (result == latest)
      here = AGAIN;
    if ((fate == AGAIN && here == SEVERAL) || (fate == SEVERAL && here == AGAIN) || (fate == SEVERAL_AGAIN && here < SAME))
      fate = SEVERAL_AGAIN;
    else
      fate = fate == NONE ? here : MAX (fate, here);
  }
  return fate;
}

/* Returns: NONE with a text that tells why it cannot be played */
static Fate
play (const gchar * source, const gchar * elements, gchar ** why)
{
  Seen seen = { g_array_new (FALSE, FALSE, sizeof (gdouble)), g_array_new (FALSE, FALSE, sizeof (gint)) };
  gchar *text = g_strdup_printf ("%s ! cudahisto name=histo histogram=false backend=cpu ! %s ! fakesink name=sink", source,
      elements);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch_full (text, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  GstMessage *message;
  Fate fate = NONE;

  if (pipeline == NULL) {
    *why = g_strdup (error->message);
  } else {
    add_probe (pipeline, "histo", "src", on_measured, &seen);
    add_probe (pipeline, "sink", "sink", on_behind, &seen);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    message = gst_bus_timed_pop_filtered (GST_ELEMENT_BUS (pipeline), 60 * GST_SECOND,
        GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    if (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, NULL);
    if (message == NULL || error != NULL || seen.sums->len != (guint) atoi (N_BUFFERS))
      *why = g_strdup (error != NULL ? error->message : "it does not end");
    gst_clear_message (&message);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (pipeline);
    fate = judge (seen.found);
  }
  g_clear_error (&error);
  g_free (text);
  g_array_unref (seen.sums);
  g_array_unref (seen.found);
  return fate;
}

/* ---- The table ---------------------------------------------------------------------------- */

int
main (int argc, char **argv)
{
  GString *lists[N_FATES], *table = g_string_new ("| behind | a buffer has |\n|---|---|\n");
  gboolean is_complete = TRUE, is_there;
  gchar *page, *version;

  gst_init (&argc, &argv);
  g_assert_cmpint (argc, ==, 2);
  for (guint f = 0; f < N_FATES; f++)
    lists[f] = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (pipelines); i++) {
    gchar *why = NULL;
    GString *list = lists[play (pipelines[i].source, pipelines[i].elements, &why)];

    if (why != NULL) {
      g_print ("skipped: %s: %s\n", pipelines[i].elements, why);
      is_complete = FALSE;
      g_free (why);
      continue;
    }
    g_string_append_printf (list, "%s`%s`", list->len > 0 ? ", " : "", pipelines[i].elements);
  }
  for (guint f = 0; f < N_FATES; f++) {
    if (lists[f]->len > 0)
      g_string_append_printf (table, "| %s | %s |\n", lists[f]->str, fates[f]);
    g_string_free (lists[f], TRUE);
  }
  if (!g_file_get_contents (argv[1], &page, NULL, NULL))
    return 1;
  is_there = strstr (page, table->str) != NULL;
  if (!is_there)
    g_print ("%s must have:\n\n%s", argv[1], table->str);
  g_string_free (table, TRUE);
  g_free (page);
  version = gst_version_string ();
  g_print ("%s\n", version);
  if (strstr (version, " " VERSION ".") == NULL)
    is_complete = FALSE;
  g_free (version);
  return !is_complete ? 77 : !is_there;
}
