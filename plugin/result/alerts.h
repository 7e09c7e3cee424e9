/* The settings of the alerts, and their conditions, which are followed from buffer to buffer: which
 * alerts begin and end.
 *
 * Each condition of video is checked for the whole picture and for each region of the property
 * `regions`; those of audio for all channels together, and clipping for each channel. The regions
 * that the metas of a buffer describe have no alerts.
 *
 * - An alert with a minimum duration begins with the buffer at whose end the condition has held
 *   that long. Its start is the begin of the first buffer for which the condition held.
 * - An alert ends where the first buffer begins for which the condition does not hold.
 * - `scene` begins and ends with the same buffer.
 * - At a discontinuity, a flush, other caps and the end of the stream, and when it is switched
 *   off, an alert ends with the end of the latest buffer.
 * - A buffer without a stream time begins where the one before ends. As long as no time is known,
 *   alerts with a minimum duration do not begin; they count from the first time that is known.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_ALERTS_H
#define HISTO_ALERTS_H

#include "cudahisto/alert.h"
#include "cudahisto/inner.h"
#include "cudahisto/rules.h"
#include "cudahisto/span.h"
#include "result/passing.h"

G_BEGIN_DECLS

/* The settings of the alerts, which are properties of the same names:
 *   SETTING (type, member, name, nick, default, least, most, description), type one of
 *   DOUBLE, UINT, and TIME: ns in a guint64, without bounds. */
#define HISTO_ALERT_SETTINGS(SETTING) \
  SETTING (DOUBLE, black_level, "black-level", "Black level", 0.10, 0, 1, \
      "Alert black: a pixel is black up to this share of the range of luma") \
  SETTING (DOUBLE, black_ratio, "black-ratio", "Black ratio", 0.98, 0, 1, \
      "Alert black: a picture is black if at least this share of its pixels is") \
  SETTING (TIME, black_duration, "black-duration", "Black duration", \
      2 * GST_SECOND, 0, 0, \
      "Alert black: it begins when the picture has been black for this many ns") \
  SETTING (DOUBLE, freeze_noise, "freeze-noise", "Freeze noise", 0.001, 0, 1, \
      "Alert freeze: pictures are equal up to this mean difference, as a share of " \
      "the range") \
  SETTING (TIME, freeze_duration, "freeze-duration", "Freeze duration", \
      2 * GST_SECOND, 0, 0, \
      "Alert freeze: it begins when the picture has been frozen for this many ns") \
  SETTING (DOUBLE, scene_threshold, "scene-threshold", "Scene threshold", \
      10, 0, 100, \
      "Alert scene: a new scene begins above this scene score, 0 to 100: percent, as motion.scene-score, no share") \
  SETTING (DOUBLE, range_ratio, "range-ratio", "Range ratio", 0.01, 0, 1, \
      "Alert range: more than this share of the pixels is out of range") \
  SETTING (DOUBLE, silence_level, "silence-level", "Silence level", \
      HISTO_SILENCE_LEVEL, -1000, 0, \
      "Alert silence: samples are silent below this level, in dB of full scale") \
  SETTING (TIME, silence_duration, "silence-duration", "Silence duration", \
      2 * GST_SECOND, 0, 0, \
      "Alert silence: it begins when all channels have been silent for this many " \
      "ns") \
  SETTING (UINT, clipping_samples, "clipping-samples", "Clipping samples", \
      3, 1, G_MAXUINT, \
      "Alert clipping: at least this many consecutive samples of a channel are at " \
      "full scale") \
  SETTING (DOUBLE, loudness_target, "loudness-target", "Loudness target", \
      -23, -70, 0, \
      "Alert loudness: the target, in LUFS") \
  SETTING (DOUBLE, loudness_tolerance, "loudness-tolerance", "Loudness tolerance", \
      1, 0, 100, \
      "Alert loudness: the short-term loudness is more than this many LU from the " \
      "target")

typedef struct
{
  guint alerts;                 /* flags */
#define MEMBER_DOUBLE gdouble
#define MEMBER_UINT guint
#define MEMBER_TIME guint64
#define MEMBER(type, member, name, nick, preset, least, most, description) \
  MEMBER_##type member;
  HISTO_ALERT_SETTINGS (MEMBER)
#undef MEMBER
#undef MEMBER_TIME
#undef MEMBER_UINT
#undef MEMBER_DOUBLE
} HistoAlertSettings;

/* Returns: flags of the groups that these alerts need, see HISTO_GROUP_FLAG() */
static inline guint
histo_alerts_groups (guint alerts)
{
  guint groups = 0;

#define GROUP(identifier, name, group, description) \
  if (alerts & HISTO_ALERT_FLAG (HISTO_ALERT_##identifier)) \
    groups |= HISTO_GROUP_FLAG (HISTO_GROUP_##group);
  HISTO_ALERTS (GROUP)
#undef GROUP
  return groups;
}

/* What alerts remember between buffers. */
typedef struct
{
  HistoPlan *plan;              /* of the latest buffer; NULL before the first one */
  HistoPlan *earlier_plan;      /* the one before: events may still have its names; NULL: none */
  guint n_places;               /* of video: the picture and the fixed regions; of audio: channels */
  HistoSpan *spans;             /* of each alert at each place: of the buffers for which its condition holds */
  HistoRules *rules;            /* NULL: none */
  HistoRuleStates *rule_states; /* NULL: no rules */
  GArray *rule_events;          /* of HistoRuleEvent; for one call; NULL: no rules */
  guint64 previous_start;       /* of the buffer before; GST_CLOCK_TIME_NONE: there is none */
  guint64 previous_end;         /* of that buffer; GST_CLOCK_TIME_NONE: unknown */
} HistoAlerts;

void histo_alerts_init (HistoAlerts * alerts);
void histo_alerts_clear (HistoAlerts * alerts);

void histo_alerts_end_other_rules (HistoAlerts * alerts,
    const HistoRules * rules, GArray * events);
void histo_alerts_set_rules (HistoAlerts * alerts, HistoRules * rules);
gboolean histo_alerts_are_followed (const HistoAlerts * alerts);
void histo_alerts_pass (HistoAlerts * alerts,
    const HistoAlertSettings * settings, const HistoPassing * buffer,
    GArray * events);
void histo_alerts_skip (HistoAlerts * alerts, const HistoPassing * buffer);
void histo_alerts_end (HistoAlerts * alerts, GArray * events);
void histo_alerts_list (const HistoAlerts * alerts, const GArray * events,
    GArray * current);

G_END_DECLS

#endif /* HISTO_ALERTS_H */
