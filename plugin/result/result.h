/* The result of one buffer, in plain C: what is measured, the figures and histograms of
 * its components, and its times. write.h turns it into a GstStructure, read.h reads it from
 * one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_RESULT_H
#define HISTO_RESULT_H

#include "measures/plan.h"

G_BEGIN_DECLS

/* The field `schema`. Fields are added, never removed or renamed. `schema` grows if the
 * meaning of a field changes. */
#define HISTO_RESULT_SCHEMA 1

typedef struct
{
  const gchar *name;            /* interned */
  GQuark quark;                 /* of the name */
  HistoFigures figures;
  GBytes *histogram;            /* figures.bins guint32, little endian; or NULL */
} HistoComponentResult;

/* In nanoseconds; GST_CLOCK_TIME_NONE where unknown. */
typedef struct
{
  guint64 timestamp;            /* of the buffer */
  guint64 stream_time, running_time;
  guint64 duration;
} HistoTimes;

typedef struct
{
  gboolean is_audio;
  /* Interned or static. */
  const gchar *format;          /* as in caps: "NV12", "F32LE" */
  const gchar *colorimetry;     /* of video; NULL where unknown */
  const gchar *backend;         /* "cuda", "cpu" */
  gint width, height;           /* video */
  gint rate, channels;          /* audio */
  guint64 n_samples;            /* audio: of one channel */
  guint n_components;
  HistoComponentResult *components;

  /*< private > */
  guint n_allocated;            /* components */
} HistoResult;

void histo_result_clear (HistoResult * result);
void histo_result_set_n_components (HistoResult * result, guint n);
void histo_result_fill (HistoResult * result, const HistoPlan * plan,
    const HistoCounts * counts, const gchar * backend,
    gboolean with_histogram);
void histo_times_from_buffer (HistoTimes * times, GstBuffer * buffer,
    const GstSegment * segment);

G_END_DECLS

#endif /* HISTO_RESULT_H */
