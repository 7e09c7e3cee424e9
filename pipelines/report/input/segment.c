/* Segments of Matroska begin with the first block that the demuxer has seen, and say that this is stream time 0. A block that
 * lies earlier, of another stream, is followed by another segment: the stream time jumps, and the distance between the
 * streams is lost. In Matroska timestamps are the times of the container, so they are the stream times here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/segment.h"

/* @segment: (out): of the event, corrected
 * Returns: whether there was something to correct */
gboolean
report_segment_get (GstEvent * event, GstSegment * segment)
{
  gst_event_copy_segment (event, segment);
  if (segment->format != GST_FORMAT_TIME || segment->rate != 1
      || segment->time != 0 || segment->base != 0)
    return FALSE;
  segment->start = segment->position = 0;
  return TRUE;
}

/* A pad probe for events of streams of Matroska. A segment that says nothing new is dropped: to cudahisto it would be a break. */
GstPadProbeReturn
report_segment_correct (GstPad * pad, GstPadProbeInfo * info)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info), *previous, *corrected;
  GstSegment segment, before;
  guint32 seqnum;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT || !report_segment_get (event, &segment))
    return GST_PAD_PROBE_OK;
  previous = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  if (previous != NULL) {
    gst_event_copy_segment (previous, &before);
    gst_event_unref (previous);
    if (gst_segment_is_equal (&segment, &before))
      return GST_PAD_PROBE_DROP;
  }
  seqnum = gst_event_get_seqnum (event);
  corrected = gst_event_new_segment (&segment);
  gst_event_set_seqnum (corrected, seqnum);
  gst_event_unref (event);
  GST_PAD_PROBE_INFO_DATA (info) = corrected;
  return GST_PAD_PROBE_OK;
}
