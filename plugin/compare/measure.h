/* Measures pairs of pictures with the engine that the settings, the memory of the frames and the device allow.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_COMPARE_MEASURE_H
#define HISTO_COMPARE_MEASURE_H

#include "compare/device.h"
#include "engine/meter.h"

G_BEGIN_DECLS

typedef struct _HistoPairMeter HistoPairMeter;

/* @element: the source of messages; contexts are shared in its name. It has the property active-backend */
HistoPairMeter *histo_pair_meter_new (GstElement * element);
void histo_pair_meter_free (HistoPairMeter * meter);

/* Called in state changes, while no pair is measured. */
gboolean histo_pair_meter_open (HistoPairMeter * meter, HistoBackend backend, gint device_id, GError ** error);
void histo_pair_meter_close (HistoPairMeter * meter);
void histo_pair_meter_reset_stats (HistoPairMeter * meter);

/* Called in the thread that measures. */
gboolean histo_pair_meter_measure (HistoPairMeter * meter, const HistoComparedPair * pair, HistoCompared * compared,
    GError ** error);
void histo_pair_meter_post_warning (HistoPairMeter * meter);
/* The same, or in state changes: lets go of all buffers. */
void histo_pair_meter_forget (HistoPairMeter * meter);

/* Called in any thread. */
const gchar *histo_pair_meter_active_backend (HistoPairMeter * meter);
void histo_pair_meter_get_stats (HistoPairMeter * meter, guint64 * n_fallbacks, guint64 * gpu_time);
void histo_pair_meter_set_context (HistoPairMeter * meter, gint device_id, GstContext * context);
gboolean histo_pair_meter_answer_context_query (HistoPairMeter * meter, GstQuery * query);

G_END_DECLS

#endif /* HISTO_COMPARE_MEASURE_H */
