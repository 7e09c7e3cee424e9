/* The properties' values, shared by all threads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_SETTINGS_H
#define HISTO_SETTINGS_H

#include "engine/meter.h"
#include "result/alerts.h"
#include "result/fill.h"

G_BEGIN_DECLS

typedef struct
{
  HistoBackend backend;
  gint device_id;               /* -1: that of the pipeline's context */
  gboolean meta;
  gboolean audio_level_meta;
  gboolean post_messages;
  guint64 message_interval;     /* ns of running time */
  gboolean histogram;
  gboolean region_histograms;   /* regions carry one, too, if histogram is set */
  HistoBinSettings bins;
  guint measures;               /* flags of groups, see HISTO_GROUP_FLAG(); basic is always there */
  gboolean roi_meta;
  guint64 window;               /* ns of stream time; 0: no windows */
  guint every;                  /* at least 1: one buffer in so many is measured */
  HistoAlertSettings alerts;
  gboolean has_rules;           /* the rules themselves have references: HistoSettingsCopy has them */
  guint rule_groups;            /* flags of the groups that the rules need */
  guint max_in_flight;          /* 1 to 64 */
  gboolean hold_previous;
  gboolean qos;
  gboolean page_lock_upstream;
  guint64 page_lock_limit;      /* bytes */
} HistoSettings;

extern const HistoSettings histo_default_settings;

/* Values that are refused. The element warns of each kind by itself. */
typedef enum
{
  HISTO_REFUSED_BINS,           /* bins, range-min, range-max */
  HISTO_REFUSED_EDGES,          /* bin-edges */
  HISTO_REFUSED_REGIONS,
  HISTO_REFUSED_LOUDNESS,       /* in measures or alerts */
  HISTO_REFUSED_RULES,
  HISTO_REFUSED_NAME,           /* result-name */
  HISTO_REFUSED_MASK,
  HISTO_N_REFUSALS
} HistoRefusal;

typedef struct
{
  gint generation;              /* counts the changes; atomic, written under the lock */
  gint must_configure;          /* what the engines are configured for has changed; atomic, written
                                 * under the lock */

  GMutex lock;                  /* of all below */
  HistoSettings values;
  HistoBinSettings valid_bins;  /* the last ones whose range is possible */
  gboolean range_is_refused;    /* when the engines were configured, the range was impossible; it has not
                                 * changed since */
  gchar *regions_text;          /* NULL: none */
  GArray *regions;              /* (element-type HistoRegionSpec): of the text; never changed, but
                                 * replaced. NULL: none */
  gchar *edges_text;            /* NULL: none */
  GBytes *edges;                /* of the text, see HistoPlanSettings; NULL: none */
  gchar *rules_text;            /* NULL: none */
  HistoRules *rules;            /* of the text; NULL: none */
  gchar *name;                  /* result-name; NULL: none */
  gchar *mask_text;             /* NULL: none */
  HistoMask *mask;              /* of the text; NULL: none, or the file has not been read yet */
  gchar *refusals[HISTO_N_REFUSALS];    /* why the latest value of each kind was refused; NULL: all
                                         * warnings have been posted */
} HistoSharedSettings;

/* One thread's copy of the values. Zeroed: it has none yet. */
typedef struct
{
  HistoSettings values;
  HistoRules *rules;            /* NULL: none */
  gint generation;
} HistoSettingsCopy;

void histo_settings_init (HistoSharedSettings * shared);
void histo_settings_clear (HistoSharedSettings * shared);
void histo_settings_get (HistoSharedSettings * shared, HistoSettings * values);
gboolean histo_settings_update (HistoSharedSettings * shared,
    HistoSettingsCopy * copy);
void histo_settings_copy_clear (HistoSettingsCopy * copy);
GArray *histo_settings_get_to_configure (HistoSharedSettings * shared,
    HistoSettingsCopy * copy, HistoMask ** mask);
void histo_settings_request_configure (HistoSharedSettings * shared);

HistoSettings *histo_settings_begin_change (HistoSharedSettings * shared);
gboolean histo_settings_end_change (HistoSharedSettings * shared,
    const HistoSettings * old, HistoSettings * now);
gboolean histo_settings_set_regions (HistoSharedSettings * shared,
    const gchar * text);
gchar *histo_settings_dup_regions (HistoSharedSettings * shared);
gboolean histo_settings_set_edges (HistoSharedSettings * shared,
    const gchar * text);
gchar *histo_settings_dup_edges (HistoSharedSettings * shared);
GBytes *histo_settings_ref_edges (HistoSharedSettings * shared);
gboolean histo_settings_set_name (HistoSharedSettings * shared,
    const gchar * name, gboolean is_in_use);
gchar *histo_settings_dup_name (HistoSharedSettings * shared);
gboolean histo_settings_set_mask (HistoSharedSettings * shared,
    const gchar * text, gboolean is_in_use);
gchar *histo_settings_dup_mask (HistoSharedSettings * shared);
gboolean histo_settings_load_mask (HistoSharedSettings * shared,
    GError ** error);
void histo_settings_unload_mask (HistoSharedSettings * shared);
gboolean histo_settings_set_rules (HistoSharedSettings * shared,
    const gchar * text, HistoSettings * old, HistoSettings * now);
gchar *histo_settings_dup_rules (HistoSharedSettings * shared);
void histo_settings_warn_of_refusals (HistoSharedSettings * shared,
    GstElement * element);

/* Whether alerts are watched for. */
static inline gboolean
histo_settings_want_alerts (const HistoSettings * values)
{
  return values->alerts.alerts != 0 || values->has_rules;
}

/* Whether buffers wait for their results, because these, or a figure of them, are attached. */
static inline gboolean
histo_settings_attach (const HistoSettings * values)
{
  return values->meta || values->audio_level_meta;
}

/* Whether there is any use for results. If not, buffers pass as if there were no element. */
static inline gboolean
histo_settings_want_results (const HistoSettings * values)
{
  return histo_settings_attach (values) || values->post_messages || values->window > 0
      || histo_settings_want_alerts (values);
}

/* Returns: how many buffers the element holds at most */
static inline guint
histo_settings_depth (const HistoSettings * values)
{
  return histo_settings_want_results (values) ? values->max_in_flight : 0;
}

/* Returns: flags of the groups to be measured: those of `measures` and those that the alerts and the rules
 * need */
static inline guint
histo_settings_groups (const HistoSettings * values)
{
  return values->measures | histo_alerts_groups (values->alerts.alerts)
      | values->rule_groups;
}

/* Which regions of a result carry histograms. */
static inline HistoHistograms
histo_settings_histograms (const HistoSettings * values)
{
  if (!values->histogram)
    return HISTO_HISTOGRAMS_NONE;
  return values->region_histograms ? HISTO_HISTOGRAMS_ALL :
      HISTO_HISTOGRAMS_PICTURE;
}

G_END_DECLS

#endif /* HISTO_SETTINGS_H */
