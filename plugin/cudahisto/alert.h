/* Alerts: conditions that begin and end, found in the results in stream order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_ALERT_H
#define HISTO_ALERT_H

#include "figures.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* ALERT (IDENTIFIER, name, group that it needs, description); the names are those of the
 * property `alerts` and of the field `type`. */
#define HISTO_ALERTS(ALERT) \
  ALERT (BLACK, "black", BASIC, "The picture is black (compare ffmpeg's blackdetect)") \
  ALERT (FREEZE, "freeze", MOTION, "The picture does not change (compare ffmpeg's freezedetect)") \
  ALERT (SCENE, "scene", MOTION, "A new scene begins (compare ffmpeg's scdet)") \
  ALERT (RANGE, "range", SIGNAL, "Too many pixels are out of the limited range") \
  ALERT (SILENCE, "silence", BASIC, "All channels are silent (compare ffmpeg's silencedetect)") \
  ALERT (CLIPPING, "clipping", LEVEL, "Consecutive samples of a channel are at full scale") \
  ALERT (LOUDNESS, "loudness", LOUDNESS, "The short-term loudness is far from the target")

typedef enum
{
#define ALERT_NUMBER(identifier, name, group, description) HISTO_ALERT_##identifier,
  HISTO_ALERTS (ALERT_NUMBER)
#undef ALERT_NUMBER
  HISTO_N_ALERTS,
  /* A rule of the property `rules` is broken. It is none of the property `alerts`. */
  HISTO_ALERT_RULE = HISTO_N_ALERTS
} HistoAlert;

/* The field `type` of HISTO_ALERT_RULE. */
#define HISTO_ALERT_RULE_NAME "rule"

/* The names in the field `type`. */
extern const gchar *const histo_alert_names[HISTO_N_ALERTS + 1];

#define HISTO_ALERT_FLAG(alert) (1u << (alert))

/* Silence is below this peak, in dB of full scale: silencedetect's default. That of the alert can be set. */
#define HISTO_SILENCE_LEVEL -60

/* An alert that begins or ends. Its texts belong to the event: of one that was read, they are valid until
 * histo_alert_event_clear(). An assignment copies no texts: clear only one of the two events. */
typedef struct
{
  HistoAlert alert;
  gboolean is_end;              /* else the alert begins */
  /* Where it was found; each NULL if the alert has none. */
  const gchar *component, *channel, *region;
  guint64 start;                /* stream time in ns; GST_CLOCK_TIME_NONE if unknown */
  guint64 end;                  /* the same; of a begin: GST_CLOCK_TIME_NONE */
  gdouble value, threshold;     /* in the unit of the alert's setting, or of the rule's figure */

  /* Only HISTO_ALERT_RULE has these; else they are NULL, and GST_CLOCK_TIME_NONE. The value is the worst one so far, and the threshold its
   * limit; a choice is the number of its name. */
  const gchar *rule;            /* the rule's id */
  const gchar *pair, *zone;     /* as `component` */
  guint64 value_time;           /* stream time in ns of the buffer with the value; GST_CLOCK_TIME_NONE if unknown */

  /*< private > */
  gchar *own;                   /* of an event that was read: holds its texts */
} HistoAlertEvent;

G_END_DECLS

#endif /* HISTO_ALERT_H */
