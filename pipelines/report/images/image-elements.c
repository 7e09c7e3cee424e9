/* Elements that measure one image after the other; see image-elements.h.
 *
 * They are made when the first image comes. A picture goes into them as one buffer from the thread of the caller, and EOS follows;
 * a flush makes them ready for the next one. So no pipeline is built for an image.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "images/image-elements.h"

#include <gst/video/video.h>
#include <math.h>

#include "base/life.h"
#include "base/names.h"
#include "policy/policy.h"

/* So many ticks without a sign of life after it is decoded, measuring an image is given up. Elements that lose an end do
 * not stop the program. */
#define MOST_TICKS 600

struct _ReportImageElements
{
  ReportSettings settings;
  gchar *before;                /* NULL: none */
  GstElement *bin;              /* NULL: none yet */
  GstCaps *caps;                /* of what was sent into it; NULL: nothing was */
  GstPad *src, *sink;           /* before and behind it */
  GMutex mutex;
  GCond cond;
  /* Of the image that is measured, under the mutex: */
  gboolean has_ended, has_result;
  HistoResult result;           /* of the first frame */
  gchar *error;
};

/* ---- Behind the elements ----------------------------------------------------------------------- */

static void
take_error (ReportImageElements * elements, const gchar * text)
{
  g_mutex_lock (&elements->mutex);
  if (elements->error == NULL)
    elements->error = g_strdup (text);
  g_cond_signal (&elements->cond);
  g_mutex_unlock (&elements->mutex);
}

/* Of their bus. */
static GstBusSyncReply
take_message (GstBus * bus, GstMessage * message, gpointer data)
{
  GError *error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    take_error (data, error->message);
    g_error_free (error);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

/* The chain function behind the bin. The first frame is the image. */
static GstFlowReturn
take_frame (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  ReportImageElements *elements = gst_pad_get_element_private (pad);
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "cudahisto");
  GError *error = NULL;

  g_mutex_lock (&elements->mutex);
  if (!elements->has_result && meta != NULL) {
    elements->has_result = histo_read_result (gst_custom_meta_get_structure (meta),
        &elements->result, &error);
    if (!elements->has_result && elements->error == NULL)
      elements->error = g_strdup (error->message);
    g_clear_error (&error);
  }
  g_mutex_unlock (&elements->mutex);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
take_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  ReportImageElements *elements = gst_pad_get_element_private (pad);

  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    g_mutex_lock (&elements->mutex);
    elements->has_ended = TRUE;
    g_cond_signal (&elements->cond);
    g_mutex_unlock (&elements->mutex);
  }
  gst_event_unref (event);
  return TRUE;
}

/* ---- The elements ------------------------------------------------------------------------------- */

static void
elements_clear (ReportImageElements * elements)
{
  if (elements->bin != NULL) {
    gst_pad_set_active (elements->src, FALSE);
    gst_element_set_state (elements->bin, GST_STATE_NULL);
    gst_pad_set_active (elements->sink, FALSE);
    gst_element_set_bus (elements->bin, NULL);
    gst_object_unref (elements->bin);
    gst_object_unref (elements->src);
    gst_object_unref (elements->sink);
    elements->bin = NULL;
    gst_clear_caps (&elements->caps);
  }
}

static GstPad *
make_pad (ReportImageElements * elements, const gchar * name, GstPadDirection direction)
{
  /* Of any caps: without a template the first caps would be the only ones. */
  GstPadTemplate *any = gst_object_ref_sink (gst_pad_template_new (name,
          direction, GST_PAD_ALWAYS, GST_CAPS_ANY));
  GstPad *pad = gst_object_ref_sink (gst_pad_new_from_template (any, name));

  gst_object_unref (any);
  gst_pad_set_element_private (pad, elements);
  if (direction == GST_PAD_SINK) {
    gst_pad_set_chain_function (pad, take_frame);
    gst_pad_set_event_function (pad, take_event);
  }
  return pad;
}

/* Of YUV, R, G and B are measured with the group color; others have them. So less is counted. */
static GstPadProbeReturn
choose_measures (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  GstVideoInfo video;
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (event, &caps);
  if (gst_video_info_from_caps (&video, caps))
    gst_util_set_object_arg (data, "measures", GST_VIDEO_INFO_IS_YUV (&video) ? "color+detail" : "detail");
  return GST_PAD_PROBE_OK;
}

/* Returns: (transfer full): measures the frames and passes them on */
static GstElement *
make_histo (const ReportSettings * settings)
{
  GstCaps *caps = gst_caps_new_empty_simple ("video/x-raw");
  GstElement *histo = report_settings_make_element (settings, caps);
  GstPad *pad;

  g_object_set (histo, "meta", TRUE, "post-messages", FALSE, "hold-previous",
      FALSE, NULL);
  gst_caps_unref (caps);
  pad = gst_element_get_static_pad (histo, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, choose_measures, histo, NULL);
  gst_object_unref (pad);
  return histo;
}

/* A description of a bin may not begin or end with caps, so there are elements around them. */
static GstElement *
make_before (const gchar * description, GError ** error)
{
  gchar *full = g_strdup_printf ("identity ! %s ! identity", description);
  GstElement *bin = gst_parse_bin_from_description_full (full, TRUE, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);

  g_free (full);
  return bin;
}

/* Links a pad that has no parent, so that links are not checked for it. */
static gboolean
link_end (GstPad * end, GstElement * element, gboolean is_source)
{
  GstPad *pad = gst_element_get_static_pad (element, is_source ? "sink" : "src");
  const gboolean ok = gst_pad_link_full (is_source ? end : pad,
      is_source ? pad : end, GST_PAD_LINK_CHECK_NOTHING) == GST_PAD_LINK_OK;

  gst_object_unref (pad);
  return ok;
}

/* Returns: FALSE with an error */
static gboolean
elements_build (ReportImageElements * elements)
{
  GstElement *const histo = make_histo (&elements->settings);
  GstElement *const before = elements->before != NULL ? make_before (elements->before, NULL) : NULL;
  GstBus *bus = gst_bus_new ();
  gboolean ok = TRUE;

  elements->bin = gst_object_ref_sink (gst_bin_new (NULL));
  gst_bin_add (GST_BIN (elements->bin), histo);
  if (before != NULL) {
    gst_bin_add (GST_BIN (elements->bin), before);
    ok = gst_element_link (before, histo);
  }
  gst_object_unref (histo);
  elements->src = make_pad (elements, "src", GST_PAD_SRC);
  elements->sink = make_pad (elements, "sink", GST_PAD_SINK);
  ok = ok && link_end (elements->src, before != NULL ? before : histo, TRUE) && link_end (elements->sink, histo, FALSE);
  gst_bus_set_sync_handler (bus, take_message, elements, NULL);
  gst_element_set_bus (elements->bin, bus);
  gst_object_unref (bus);
  gst_pad_set_active (elements->sink, TRUE);
  ok = ok && gst_element_set_state (elements->bin,
      GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE;
  gst_pad_set_active (elements->src, TRUE);
  /* All images are one stream. */
  if (ok)
    gst_pad_push_event (elements->src, gst_event_new_stream_start ("image"));
  else
    take_error (elements, "the elements of --before do not fit");
  return ok;
}

/* Sends a picture, and waits for the result. */
static void
elements_run (ReportImageElements * elements, GstBuffer * buffer, GstCaps * caps)
{
  ReportLife life = { 0 };
  GstSegment segment;

  if (elements->caps == NULL || !gst_caps_is_equal (caps, elements->caps)) {
    gst_caps_replace (&elements->caps, caps);
    gst_pad_push_event (elements->src, gst_event_new_caps (caps));
  }
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (elements->src, gst_event_new_segment (&segment));
  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_DURATION (buffer) = GST_SECOND;
  gst_pad_push (elements->src, buffer);
  gst_pad_push_event (elements->src, gst_event_new_eos ());
  report_life_begin (&life);
  g_mutex_lock (&elements->mutex);
  /* The element and those of --before may have threads. Behind an error there may be no EOS. */
  while (!elements->has_ended && elements->error == NULL) {
    if (g_cond_wait_until (&elements->cond, &elements->mutex,
            g_get_monotonic_time () + REPORT_TICK))
      continue;
    report_life_tick (&life);
    if (life.n_quiet >= MOST_TICKS)
      elements->error = g_strdup ("the elements do not pass the end of the image on");
  }
  g_mutex_unlock (&elements->mutex);
  gst_pad_push_event (elements->src, gst_event_new_flush_start ());
  gst_pad_push_event (elements->src, gst_event_new_flush_stop (TRUE));
}

/* ---- The figures -------------------------------------------------------------------------------- */

/* Of YUV these are computed from Y, U and V; the range is expanded. Gray counts as R = G = B. */
static const HistoComponentResult *
find_channel (const HistoResult * result, guint channel)
{
  static const gchar *const names[REPORT_CHANNELS] = { "R", "G", "B" };
  const HistoComponentResult *found = histo_result_find_component (result, 0,
      HISTO_GROUP_BASIC, names[channel]);

  if (found == NULL)
    found = histo_result_find_component (result, 0, HISTO_GROUP_COLOR,
        names[channel]);
  if (found == NULL)
    found = histo_result_find_component (result, 0, HISTO_GROUP_BASIC, "Y");
  return found;
}

static gboolean
fill_image (ReportImage * image, const HistoResult * result)
{
  for (guint c = 0; c < REPORT_CHANNELS; c++) {
    const HistoComponentResult *component = find_channel (result, c);
    guint64 *counts;

    if (component == NULL || component->histogram == NULL)
      return FALSE;
    counts = g_new0 (guint64, component->figures.bins);
    if (!report_image_set_channel (image, c, &component->figures, counts)
        || !histo_component_add_counts (component, counts))
      return FALSE;
  }
  report_image_finish (image, result->format, result->width, result->height,
      result->n_regions == 0 ? NAN : result->regions[0].figures.DETAIL_sharpness);
  return TRUE;
}

/**
 * report_image_elements_measure:
 * @buffer: (transfer full): a picture
 * @caps: (transfer full):
 * @image: (inout): gets its figures, or a problem
 */
void
report_image_elements_measure (ReportImageElements * elements, GstBuffer * buffer,
    GstCaps * caps, ReportImage * image)
{
  gchar *late;

  g_mutex_lock (&elements->mutex);
  elements->has_ended = elements->has_result = FALSE;
  late = g_steal_pointer (&elements->error);
  g_mutex_unlock (&elements->mutex);
  /* An error that came behind the image before is not one of this image, but has left the elements in a state that is not
   * known. */
  if (late != NULL)
    elements_clear (elements);
  g_free (late);
  if (elements->bin != NULL || elements_build (elements))
    elements_run (elements, buffer, caps);
  else
    gst_buffer_unref (buffer);
  gst_caps_unref (caps);
  g_mutex_lock (&elements->mutex);
  image->problem = g_steal_pointer (&elements->error);
  if (image->problem == NULL && !elements->has_result)
    image->problem = g_strdup ("the elements give no picture");
  g_mutex_unlock (&elements->mutex);
  /* What an error leaves in an element does not reach the next image. */
  if (image->problem != NULL)
    elements_clear (elements);
  else if (!fill_image (image, &elements->result))
    image->problem = g_strdup_printf ("pixels of the format %s are not measured", elements->result.format);
}

/* ---- Making them -------------------------------------------------------------------------------- */

/* Returns: FALSE with a %G_IO_ERROR_INVALID_ARGUMENT if --before is no bin */
gboolean
report_image_elements_check (const gchar * before, GError ** error)
{
  GError *problem = NULL;
  GstElement *bin;
  gboolean ok;

  if (before == NULL)
    return TRUE;
  bin = make_before (before, &problem);
  if (bin == NULL) {
    report_fail (error, "--before: %s", problem->message);
    g_error_free (problem);
    return FALSE;
  }
  gst_object_ref_sink (bin);
  /* A bin is a sink if it has one. That could write any file, unchecked. */
  ok = GST_ELEMENT (bin)->numsinkpads == 1
      && GST_ELEMENT (bin)->numsrcpads == 1
      && !GST_OBJECT_FLAG_IS_SET (bin, GST_ELEMENT_FLAG_SINK);
  gst_object_unref (bin);
  return ok || report_fail (error, "--before needs elements with an input and "
      "an output and no sink, such as \"videoscale ! video/x-raw,width=224,height=224\"");
}

ReportImageElements *
report_image_elements_new (const ReportSettings * settings,
    const gchar * before)
{
  ReportImageElements *elements = g_new0 (ReportImageElements, 1);
  GPtrArray *properties = g_ptr_array_new ();
  gchar **property = settings->properties;

  /* Images are decoded by the CPU, and the sizes differ. --set backend=cuda comes later. */
  g_ptr_array_add (properties, g_strdup ("backend=cpu"));
  for (; property != NULL && *property != NULL; property++)
    g_ptr_array_add (properties, g_strdup (*property));
  g_ptr_array_add (properties, NULL);
  elements->settings.properties = (gchar **) g_ptr_array_free (properties, FALSE);
  elements->settings.measures = g_strdup ("color+detail");
  elements->settings.alerts = g_strdup ("none");
  elements->settings.max_pixels = settings->max_pixels;
  elements->settings.policies = report_policies_new ();
  elements->before = g_strdup (before);
  g_mutex_init (&elements->mutex);
  g_cond_init (&elements->cond);
  return elements;
}

void
report_image_elements_free (ReportImageElements * elements)
{
  elements_clear (elements);
  histo_result_clear (&elements->result);
  g_free (elements->error);
  g_mutex_clear (&elements->mutex);
  g_cond_clear (&elements->cond);
  report_settings_clear (&elements->settings);
  g_free (elements->before);
  g_free (elements);
}
