/* Measures buffers with the engine that the settings and the device allow.
 *
 * The meter owns the engines and the plan. It chooses the backend, moves the engine to
 * another context when the buffers come from there, and uses the CPU when a device fails
 * under `backend=auto`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_METER_H
#define HISTO_METER_H

#include "engine/engine.h"
#include "measures/counted.h"

G_BEGIN_DECLS

typedef enum
{
  HISTO_BACKEND_AUTO,
  HISTO_BACKEND_CUDA,
  HISTO_BACKEND_CPU
} HistoBackend;

/* What backend=auto leaves open is measured by the engine that takes less processor time. Frames of video are large,
 * and the GPU measures them. A buffer of sound is small: to have a GPU measure it takes more processor time than to
 * count its samples, unless it has many channels. The constants are for buffers at the rate of a live stream
 * (docs/figures.md, Audio on the CPU or on the GPU). At full speed a GPU takes less from fewer channels on. */

/* Processor time for the work around a GPU's counting, in ns: the copy of the samples, the launch, and
 * the wait for its end. */
#define HISTO_METER_GPU_TIME 40000
/* Processor time in which the CPU engine counts 1000 samples of 32-bit floating point, in ns. */
#define HISTO_METER_CPU_TIME_OF_1000 2000
/* How long a buffer of audio usually lasts, in ms. The caps do not say it, and elements send 10 to 25
 * ms. */
#define HISTO_METER_BUFFER_TIME 20

gboolean histo_meter_cpu_is_for_sound (guint channels, guint rate);

typedef struct _HistoMeter HistoMeter;

/* What the meter knows of a buffer in flight. */
typedef struct
{
  HistoEngine *engine;          /* NULL: another element has counted */
  HistoSlot *slot;
  HistoCounted *counted;        /* what that one has counted; else NULL */
  GstBuffer *view;              /* what is measured instead of the buffer; NULL: the buffer itself. Set by
                                 * the caller of histo_meter_submit(), which passes it as the buffer;
                                 * released as soon as the counts are there */
  HistoFrameInfo info;          /* set by the caller of histo_meter_submit(); the rois are freed with
                                 * histo_meter_release() */
  gboolean is_counted;          /* the counts are there, until histo_meter_release() */
  HistoCounts counts;
} HistoSubmission;

HistoMeter *histo_meter_new (GstElement * element);
void histo_meter_free (HistoMeter * meter);

/* Called in state changes, with no buffer in flight. */
gboolean histo_meter_open (HistoMeter * meter, HistoBackend backend,
    gint device_id, GError ** error);
gboolean histo_meter_is_open_with (HistoMeter * meter, HistoBackend backend,
    gint device_id);
void histo_meter_reset_stats (HistoMeter * meter);
void histo_meter_close (HistoMeter * meter);

/* Called in upstream's thread; those marked * with no buffer in flight. */
void histo_meter_prepare (HistoMeter * meter, const HistoFormat * format);      /* * */
gboolean histo_meter_configure (HistoMeter * meter, HistoFormat * format,       /* * */
    const HistoPlanSettings * settings, const HistoEngineConfig * config,
    GError ** error);
gboolean histo_meter_must_follow (HistoMeter * meter, GstBuffer * buffer);
gboolean histo_meter_follow (HistoMeter * meter, GstBuffer * buffer,    /* * */
    GError ** error);
gboolean histo_meter_submit (HistoMeter * meter, GstBuffer * buffer,
    HistoSubmission * submission, GError ** error);
gboolean histo_meter_take (HistoMeter * meter, HistoCounted * counted,
    HistoSubmission * submission, GError ** error);
void histo_meter_return_buffers (HistoMeter * meter, gboolean continues);

HistoPromptness histo_meter_promptness (HistoMeter * meter,
    const HistoSubmission * submission);

/* For each submitted buffer, in any thread: finish, read the counts, release; or release
 * alone. */
gboolean histo_meter_finish (HistoMeter * meter, HistoSubmission * submission,
    GstBuffer * buffer, GError ** error);
gboolean histo_meter_try_finish (HistoMeter * meter,
    HistoSubmission * submission);
void histo_meter_release (HistoMeter * meter, HistoSubmission * submission);
const gchar *histo_meter_backend_of (const HistoSubmission * submission);
const HistoPlan *histo_meter_plan (HistoMeter * meter);

/* Called in any thread that holds no submission. */
void histo_meter_post_warning (HistoMeter * meter);

/* Called in any thread. */
const gchar *histo_meter_active_backend (HistoMeter * meter);
void histo_meter_set_page_locking (HistoMeter * meter, gboolean is_on,
    guint64 limit);
void histo_meter_get_stats (HistoMeter * meter, guint64 * n_fallbacks,
    guint64 * cpu_time, guint64 * gpu_time);
void histo_meter_set_context (HistoMeter * meter, gint device_id,
    GstContext * context);
GstBufferPool *histo_meter_new_pool (HistoMeter * meter);
gboolean histo_meter_measures_at_once (HistoMeter * meter, gsize size);
gboolean histo_meter_answer_context_query (HistoMeter * meter,
    GstQuery * query);

G_END_DECLS

#endif /* HISTO_METER_H */
