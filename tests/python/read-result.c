/* What the library for C says of a structure, for the test of the Python module, which loads this.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cudahisto/cudahisto.h>

__attribute__ ((visibility ("default")))
     gchar *read_error (const GstStructure * structure);

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
