/* The properties' values, shared by all threads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_SETTINGS_H
#define HISTO_SETTINGS_H

#include "engine/meter.h"
#include "result/alerts.h"

G_BEGIN_DECLS

typedef struct
{
  HistoBackend backend;
  gint device_id;               /* -1: that of the pipeline's context */
  gboolean meta;
  gboolean post_messages;
  guint64 interval;             /* ns of running time */
  gboolean histogram;
  HistoBinSettings bins;
  guint groups;                 /* flags, see HISTO_GROUP_FLAG() */
  guint64 window;               /* ns of stream time; 0: no windows */
  HistoAlertSettings alerts;
  guint max_in_flight;          /* 1 to 64 */
  gboolean qos;
  gboolean page_lock_upstream;
  guint64 page_lock_limit;      /* bytes */
} HistoSettings;

typedef struct
{
  GMutex lock;                  /* of all below */
  HistoSettings values;
  gboolean must_configure;      /* what the engines are configured for has changed */
  gboolean has_rejected_bins;   /* no warning has been posted about them yet */
  HistoBinSettings rejected_bins;
} HistoSharedSettings;

void histo_settings_init (HistoSharedSettings * shared,
    const HistoSettings * values);
void histo_settings_clear (HistoSharedSettings * shared);
gboolean histo_settings_get (HistoSharedSettings * shared,
    HistoSettings * values);
void histo_settings_get_to_configure (HistoSharedSettings * shared,
    HistoSettings * values);
void histo_settings_request_configure (HistoSharedSettings * shared);

HistoSettings *histo_settings_begin_change (HistoSharedSettings * shared);
gboolean histo_settings_end_change (HistoSharedSettings * shared,
    const HistoSettings * old);
gboolean histo_settings_get_rejected (HistoSharedSettings * shared,
    gboolean forget, HistoBinSettings * rejected);

/* Whether results are attached or posted. If not, buffers pass as if there were no element. */
static inline gboolean
histo_settings_want_results (const HistoSettings * values)
{
  return values->meta || values->post_messages;
}

G_END_DECLS

#endif /* HISTO_SETTINGS_H */
