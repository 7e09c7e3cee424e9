/* What all writers do; see writer.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writers/writer.h"

#include "notices/notices.h"

/**
 * report_writer_new:
 * @size: of a structure that begins with a ReportWriter
 *
 * Returns: (transfer full): all zero, but its stream; for the functions of one format
 */
gpointer
report_writer_new (gsize size, GOutputStream * to)
{
  ReportWriter *writer = g_malloc0 (size);

  writer->to = g_object_ref (to);
  return writer;
}

gboolean
report_writer_begin (ReportWriter * writer, const ReportInput * input,
    GError ** error)
{
  g_clear_pointer (&writer->order, report_order_free);
  if (writer->write != NULL)
    writer->order = report_order_new (input->n_streams, REPORT_ORDER_LIMIT,
        writer->write, writer);
  return writer->begin == NULL || writer->begin (writer, input, error);
}

gboolean
report_writer_frame (ReportWriter * writer, const ReportStream * stream,
    const HistoResult * result, const HistoTimes * times, GError ** error)
{
  return writer->frame == NULL
      || writer->frame (writer, stream, result, times, error);
}

/* A stream has ended, or goes on after its end, in a chained file. */
gboolean
report_writer_set_ended (ReportWriter * writer, guint stream,
    gboolean has_ended, GError ** error)
{
  return writer->order == NULL
      || report_order_set_ended (writer->order, stream, has_ended, error);
}

gboolean
report_writer_end (ReportWriter * writer, ReportSummary * summary,
    GError ** error)
{
  if (writer->end != NULL)
    report_notices_find (summary);
  return (writer->order == NULL || report_order_end (writer->order, error))
      && (writer->end == NULL || writer->end (writer, summary, error))
      && g_output_stream_flush (writer->to, NULL, error);
}

/* Begins and ends with a summary, without its frames. */
gboolean
report_writer_tell (ReportWriter * writer, ReportSummary * summary,
    GError ** error)
{
  const ReportInput input = { summary->name, summary->duration, 0, NULL };

  return report_writer_begin (writer, &input, error)
      && report_writer_end (writer, summary, error);
}

/* Writes to the stream. */
gboolean
report_writer_write (ReportWriter * writer, const gchar * text, gsize length,
    GError ** error)
{
  return g_output_stream_write_all (writer->to, text, length, NULL, NULL,
      error);
}

void
report_writer_free (ReportWriter * writer)
{
  if (writer->clear != NULL)
    writer->clear (writer);
  g_clear_pointer (&writer->order, report_order_free);
  g_object_unref (writer->to);
  g_free (writer->refusal);
  g_free (writer);
}
