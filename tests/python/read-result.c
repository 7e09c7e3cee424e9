/* What the library for C says of a structure, and the figures it has, for the test of the Python module, which loads this.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cudahisto/cudahisto.h>

__attribute__ ((visibility ("default")))
     gchar *read_error (const GstStructure * structure);

__attribute__ ((visibility ("default")))
     gchar *read_figures (const GstStructure * structure);

/* @structure: of a result, a window or an alert
 * Returns: (nullable): why it cannot be read; NULL: it can */
gchar *
read_error (const GstStructure * structure)
{
  HistoResult result = { 0 };
  HistoAlertEvent event = { 0 };
  GArray *alerts = g_array_new (FALSE, FALSE, sizeof event);
  GError *error = NULL;
  gchar *text = NULL;

  g_array_set_clear_func (alerts, histo_alert_event_clear);
  if (gst_structure_has_name (structure, HISTO_ALERT_NAME))
    histo_read_alert (structure, &event, &error);
  else if (histo_read_result (structure, &result, &error))
    histo_read_alerts (structure, alerts, &error);
  if (error != NULL)
    text = g_strdup (error->message);
  g_clear_error (&error);
  histo_alert_event_clear (&event);
  g_array_unref (alerts);
  histo_result_clear (&result);
  return text;
}

static void
add_figure (const HistoVisit * visit, gpointer text)
{
  const gdouble number = histo_result_get_figure (visit->result, &visit->figure);
  const HistoGroupFigureInfo *choice = visit->figure.row->choice;
  gchar *path = histo_visit_path (visit);

  if (choice != NULL)
    g_string_append_printf (text, "%s %s\n", path, number >= 0 ? histo_choice_name (choice, (guint) number) : "nan");
  else
    g_string_append_printf (text, "%s %.17g\n", path, number);
  g_free (path);
}

/* @structure: of a result or a window
 * Returns: a line with the path and the value of each figure; a figure that is absent is "nan" */
gchar *
read_figures (const GstStructure * structure)
{
  static const HistoVisitor visitor = { NULL, add_figure, NULL };
  GString *text = g_string_new (NULL);
  HistoResult result = { 0 };

  if (histo_read_result (structure, &result, NULL))
    histo_result_visit (&result, 0, NULL, &visitor, text);
  histo_result_clear (&result);
  return g_string_free (text, FALSE);
}
