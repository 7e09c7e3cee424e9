/* Alerts: conditions that begin and end, found in the results in stream order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_ALERTS_H
#define HISTO_ALERTS_H

#include "result/result.h"

G_BEGIN_DECLS

/* ALERT (IDENTIFIER, name, group that it needs, description); the names are those of the
 * property `alerts` and of the field `type`. */
#define HISTO_ALERTS(ALERT) \
  ALERT (BLACK, "black", BASIC, "The picture is black, as blackdetect has it") \
  ALERT (FREEZE, "freeze", MOTION, "The picture does not change, as freezedetect has it") \
  ALERT (SCENE, "scene", MOTION, "A new scene begins, as scdet has it") \
  ALERT (RANGE, "range", SIGNAL, "Too many pixels are out of the limited range") \
  ALERT (SILENCE, "silence", BASIC, "All channels are silent, as silencedetect has it") \
  ALERT (CLIPPING, "clipping", LEVEL, "Samples are clipped") \
  ALERT (LOUDNESS, "loudness", LOUDNESS, "The short-term loudness is far from the target")

typedef enum
{
#define ALERT_NUMBER(identifier, name, group, description) HISTO_ALERT_##identifier,
  HISTO_ALERTS (ALERT_NUMBER)
#undef ALERT_NUMBER
  HISTO_N_ALERTS
} HistoAlert;

#define HISTO_ALERT_FLAG(alert) (1u << (alert))

/* As the properties of the same names. */
typedef struct
{
  guint alerts;                 /* flags */
  gdouble black_level;          /* share of the range, 0 to 1 */
  gdouble black_ratio;          /* share of the pixels, 0 to 1 */
  guint64 black_duration;       /* ns, as all durations here */
  gdouble freeze_noise;         /* share of the range, 0 to 1 */
  guint64 freeze_duration;
  gdouble scene_threshold;      /* percent */
  gdouble range_ratio;          /* share of the pixels, 0 to 1 */
  gdouble silence_level;        /* dB of full scale */
  guint64 silence_duration;
  guint clipping_samples;       /* consecutive samples at full scale */
  gdouble loudness_target;      /* LUFS */
  gdouble loudness_tolerance;   /* LU */
} HistoAlertSettings;

G_END_DECLS

#endif /* HISTO_ALERTS_H */
