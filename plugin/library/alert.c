/* Alerts, with texts of their own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "library/cudahisto.h"

#include <math.h>

#include "cudahisto/fields.h"
#include "library/private.h"

#define FIELD(identifier) histo_field_names[HISTO_FIELD_##identifier]

/* The fields that cudahisto_alert_get_text() reads. */
static const guint text_fields[] = { HISTO_FIELD_component, HISTO_FIELD_channel, HISTO_FIELD_region, HISTO_FIELD_rule,
  HISTO_FIELD_pair, HISTO_FIELD_zone
};

struct _CudahistoAlert
{
  gchar *type;
  gboolean is_end;
  guint64 start, end, value_time;
  gdouble value, threshold;
  gchar *texts[G_N_ELEMENTS (text_fields)];     /* NULL: none */
};

G_DEFINE_BOXED_TYPE (CudahistoAlert, cudahisto_alert, cudahisto_alert_ref, cudahisto_alert_unref)

static void
clear_alert (CudahistoAlert * self)
{
  g_free (self->type);
  for (guint i = 0; i < G_N_ELEMENTS (self->texts); i++)
    g_free (self->texts[i]);
}

/* Returns: the alert of a rule, or of the element; the texts are copied */
CudahistoAlert *
cudahisto_alert_new (const HistoAlertEvent * event)
{
  const gchar *const texts[] = { event->component, event->channel, event->region, event->rule, event->pair, event->zone };
  CudahistoAlert *self = g_atomic_rc_box_new0 (CudahistoAlert);

  G_STATIC_ASSERT (G_N_ELEMENTS (texts) == G_N_ELEMENTS (text_fields));
  self->type = g_strdup (histo_alert_names[event->alert]);
  self->is_end = event->is_end;
  self->start = event->start;
  self->end = event->end;
  self->value = event->value;
  self->threshold = event->threshold;
  self->value_time = event->value_time;
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    self->texts[i] = g_strdup (texts[i]);
  return self;
}

CudahistoAlert *
cudahisto_alert_new_from_structure (const GstStructure * structure, GError ** error)
{
  const gchar *type = structure != NULL ? cudahisto_get_text (structure, FIELD (type)) : NULL;
  const gchar *state = structure != NULL ? cudahisto_get_text (structure, FIELD (state)) : NULL;
  CudahistoAlert *self;

  if (type == NULL || state == NULL) {
    g_set_error (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_FORMAT, "Not an alert of cudahisto: %s",
        structure == NULL ? "there is no structure" : type == NULL ? "field \"type\" is missing" :
        "field \"state\" is missing");
    return NULL;
  }
  self = g_atomic_rc_box_new0 (CudahistoAlert);
  self->type = g_strdup (type);
  self->is_end = g_str_equal (state, HISTO_STATE_END);
  self->start = cudahisto_get_time (structure, FIELD (start));
  self->end = cudahisto_get_time (structure, FIELD (end));
  self->value_time = cudahisto_get_time (structure, FIELD (value_time));
  self->value = cudahisto_get_number (structure, FIELD (value));
  self->threshold = cudahisto_get_number (structure, FIELD (threshold));
  for (guint i = 0; i < G_N_ELEMENTS (text_fields); i++)
    self->texts[i] = g_strdup (cudahisto_get_text (structure, histo_field_names[text_fields[i]]));
  return self;
}

CudahistoAlert *
cudahisto_alert_new_from_message (GstMessage * message, GError ** error)
{
  g_return_val_if_fail (GST_IS_MESSAGE (message), NULL);
  if (gst_message_has_name (message, HISTO_ALERT_NAME))
    return cudahisto_alert_new_from_structure (gst_message_get_structure (message), error);
  g_set_error_literal (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_NO_RESULT, "The message is about no alert of cudahisto");
  return NULL;
}

CudahistoAlert *
cudahisto_alert_ref (CudahistoAlert * self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return g_atomic_rc_box_acquire (self);
}

void
cudahisto_alert_unref (CudahistoAlert * self)
{
  if (self != NULL)
    g_atomic_rc_box_release_full (self, (GDestroyNotify) clear_alert);
}

const gchar *
cudahisto_alert_get_type_name (const CudahistoAlert * self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->type;
}

gboolean
cudahisto_alert_is_end (const CudahistoAlert * self)
{
  g_return_val_if_fail (self != NULL, FALSE);
  return self->is_end;
}

GstClockTime
cudahisto_alert_get_start (const CudahistoAlert * self)
{
  g_return_val_if_fail (self != NULL, GST_CLOCK_TIME_NONE);
  return self->start;
}

GstClockTime
cudahisto_alert_get_end (const CudahistoAlert * self)
{
  g_return_val_if_fail (self != NULL, GST_CLOCK_TIME_NONE);
  return self->end;
}

gdouble
cudahisto_alert_get_value (const CudahistoAlert * self)
{
  g_return_val_if_fail (self != NULL, NAN);
  return self->value;
}

gdouble
cudahisto_alert_get_threshold (const CudahistoAlert * self)
{
  g_return_val_if_fail (self != NULL, NAN);
  return self->threshold;
}

GstClockTime
cudahisto_alert_get_value_time (const CudahistoAlert * self)
{
  g_return_val_if_fail (self != NULL, GST_CLOCK_TIME_NONE);
  return self->value_time;
}

const gchar *
cudahisto_alert_get_text (const CudahistoAlert * self, const gchar * name)
{
  g_return_val_if_fail (self != NULL && name != NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (text_fields); i++) {
    if (g_str_equal (histo_field_names[text_fields[i]], name))
      return self->texts[i];
  }
  return NULL;
}
