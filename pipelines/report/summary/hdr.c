/* What an HDR stream says of its light, beside what was measured; see hdr.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "summary/hdr.h"

#include <math.h>

#include "cudahisto/light.h"
#include "base/describe.h"

/* A format that has no number of bits counts as one of so many. */
#define USUAL_DEPTH 10

/* Codes are rounded twice, by the encoder and as R, G and B of full range: the light that was meant may be a step of
 * the code lower than the light that was measured. */
static gboolean
is_more (const ReportStream * stream, gdouble measured, gdouble carried)
{
  const GstVideoFormat format = stream->format != NULL ?
      gst_video_format_from_string (stream->format) : GST_VIDEO_FORMAT_UNKNOWN;
  const guint depth = format == GST_VIDEO_FORMAT_UNKNOWN ? USUAL_DEPTH :
      GST_VIDEO_FORMAT_INFO_DEPTH (gst_video_format_get_info (format), 0);
  const gdouble step = 1 / (219 * exp2 ((gdouble) depth - 8));

  return carried > 0
      && histo_pq_of_light (measured) - histo_pq_of_light (carried) > step;
}

/**
 * report_hdr_find:
 * @hdr: (out): valid as long as @summary
 *
 * Returns: FALSE: it is no HDR from begin to end, or its light was not measured, or it is of several inputs
 */
gboolean
report_hdr_find (const ReportStreamSummary * summary, ReportHdr * hdr)
{
  const ReportStream *stream = summary->stream;
  const ReportRegion *picture = report_first_region (summary->regions);
  const GstVideoTransferFunction transfer = report_stream_transfer (stream);
  const HistoRange *figures;

  if (summary->is_merged || stream->is_audio || picture == NULL
      || (transfer != GST_VIDEO_TRANSFER_SMPTE2084
          && transfer != GST_VIDEO_TRANSFER_ARIB_STD_B67))
    return FALSE;
  for (guint i = 0; i < summary->parts->len; i++) {
    const ReportPart *part = summary->parts->pdata[i];

    if (report_stream_transfer (part->stream) != transfer)
      return FALSE;
  }
  figures = picture->figures;
  if (figures[HISTO_GROUP_FIGURE_HDR_max].n == 0)
    return FALSE;
  *hdr = (ReportHdr) {
    .is_pq = transfer == GST_VIDEO_TRANSFER_SMPTE2084,
    .carried = &stream->carried,
    .max_cll = figures[HISTO_GROUP_FIGURE_HDR_max].max,
    .max_fall = figures[HISTO_GROUP_FIGURE_HDR_fall].max,
    .p9999 = figures[HISTO_GROUP_FIGURE_HDR_p9999].max,
  };
  if (!hdr->is_pq || stream->carried.changes > 0)
    return TRUE;
  hdr->is_cll_low = is_more (stream, hdr->max_cll, stream->carried.max_cll);
  hdr->is_fall_low = is_more (stream, hdr->max_fall, stream->carried.max_fall);
  hdr->is_above_mastering =
      is_more (stream, hdr->max_cll, stream->carried.mastering_max);
  return TRUE;
}

/* Returns: whole cd/m² of 16 bits, as metadata has it: no pixel is brighter than it says */
guint64
report_hdr_round_up (gdouble light)
{
  /* No code of video is as exact as a hundredth. */
  return light > 0 ? (guint64) ceil (MIN (light, G_MAXUINT16) - 0.01) : 0;
}

static void
append_level (GString * text, const gchar * name, guint64 carried,
    gdouble measured)
{
  if (carried == 0)
    g_string_append_printf (text, "no %s, measured %.1f; ", name, measured);
  else
    g_string_append_printf (text, "%s %" G_GUINT64_FORMAT ", measured %.1f "
        "(%+.1f); ", name, carried, measured, measured - (gdouble) carried);
}

/* The text has the form of the option of x265. */
static void
append_right_values (GString * text, const ReportHdr * hdr)
{
  g_string_append_printf (text, "; right is max-cll=%" G_GUINT64_FORMAT
      ",%" G_GUINT64_FORMAT, report_hdr_round_up (hdr->max_cll),
      report_hdr_round_up (hdr->max_fall));
}

/* Returns: (transfer full) (nullable): a line for people; NULL: there is nothing to report */
gchar *
report_hdr_answer (const ReportStreamSummary * summary)
{
  GString *text;
  ReportHdr hdr;

  if (!report_hdr_find (summary, &hdr))
    return NULL;
  if (!hdr.is_pq)
    return g_strdup_printf ("HLG has none; on a display of %d cd/m2: MaxCLL "
        "%.1f, MaxFALL %.1f", HISTO_HLG_WHITE, hdr.max_cll, hdr.max_fall);
  text = g_string_new (NULL);
  if (hdr.carried->changes > 0) {
    g_string_append_printf (text, "it changes %" G_GUINT64_FORMAT " time%s, so "
        "nothing is compared; measured MaxCLL %.1f, MaxFALL %.1f",
        hdr.carried->changes, hdr.carried->changes == 1 ? "" : "s", hdr.max_cll,
        hdr.max_fall);
    append_right_values (text, &hdr);
    return g_string_free (text, FALSE);
  }
  append_level (text, "MaxCLL", hdr.carried->max_cll, hdr.max_cll);
  append_level (text, "MaxFALL", hdr.carried->max_fall, hdr.max_fall);
  if (hdr.carried->mastering_max > 0)
    g_string_append_printf (text, "mastering display %g to %g cd/m2",
        fmax (hdr.carried->mastering_min, 0), hdr.carried->mastering_max);
  else
    g_string_append (text, "no mastering display");
  if (hdr.carried->max_cll == 0 || hdr.carried->max_fall == 0
      || hdr.is_cll_low || hdr.is_fall_low)
    append_right_values (text, &hdr);
  return g_string_free (text, FALSE);
}
