/* Stands in for the CUDA device where it is not built.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/device.h"

HistoCompareDevice *
histo_compare_device_new (void)
{
  return NULL;
}

void
histo_compare_device_free (HistoCompareDevice * device)
{
}

void
histo_compare_device_set_context (HistoCompareDevice * device, GstElement * element, gint device_id,
    GstContext * context)
{
}

gboolean
histo_compare_device_answer_context_query (HistoCompareDevice * device, GstElement * element, GstQuery * query)
{
  return FALSE;
}

void
histo_compare_device_prefer (HistoCompareDevice * device, GstBuffer * buffer)
{
}

gboolean
histo_compare_device_open (HistoCompareDevice * device, GstElement * element, gint device_id, GError ** error)
{
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "cudahisto was built without CUDA kernels");
  return FALSE;
}

gboolean
histo_compare_device_must_follow (HistoCompareDevice * device, GstBuffer * buffer)
{
  return FALSE;
}

gboolean
histo_compare_device_follow (HistoCompareDevice * device, GstBuffer * buffer, gint device_id, GError ** error)
{
  return TRUE;
}

gboolean
histo_compare_device_count (HistoCompareDevice * device, const HistoComparedPair * pair, HistoCompared * compared,
    GError ** error)
{
  g_return_val_if_reached (FALSE);
}

void
histo_compare_device_forget (HistoCompareDevice * device)
{
}

guint64
histo_compare_device_time (HistoCompareDevice * device)
{
  return 0;
}
