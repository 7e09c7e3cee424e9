/* What a caps describes: components, and where their samples lie in a plane.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_FORMATS_H
#define HISTO_FORMATS_H

#include <gst/gst.h>
#include <gst/audio/audio.h>
#include <gst/video/video.h>

#include "kernels/histo.h"

G_BEGIN_DECLS

/* Caps of both pads: every raw format, in system memory and in CUDA memory, and in
 * buffers of one field. */
#define HISTO_CAPS_FEATURE_CUDA "memory:CUDAMemory"
#define HISTO_CAPS \
    GST_VIDEO_CAPS_MAKE (GST_VIDEO_FORMATS_ALL) "; " \
    GST_VIDEO_CAPS_MAKE_WITH_FEATURES (HISTO_CAPS_FEATURE_CUDA, \
        GST_VIDEO_FORMATS_ALL) "; " \
    GST_VIDEO_CAPS_MAKE_WITH_FEATURES (GST_CAPS_FEATURE_FORMAT_INTERLACED, \
        GST_VIDEO_FORMATS_ALL) ", interlace-mode = (string) alternate; " \
    GST_AUDIO_CAPS_MAKE (GST_AUDIO_FORMATS_ALL) \
    ", layout = (string) { interleaved, non-interleaved }"

/* Far more than any interface carries; keeps sizes from absurd caps in bounds. */
#define HISTO_MAX_CHANNELS 4096

/* A named source of numbers, all of which one histogram counts. A format lists its native
 * components, a plan (measures/plan.h) all that are measured. */
typedef struct
{
  const gchar *name;            /* interned: "Y", "R", "ch0" */
  GQuark quark;                 /* of the name, so that nothing is looked up for each buffer */
  guint source;                 /* HistoSource: which map gives the numbers; 0: the sample itself */
  guint depth;                  /* video: the numbers are 0 .. 2^depth - 1 */
  gsize first_bin;              /* of its counters, in the counters of a buffer */
  guint region;                 /* index of the region of the plan; 0: the whole picture */
} HistoComponent;

/* Constant once made; shared between threads by reference counts. */
typedef struct
{
  gint ref_count;
  gboolean is_audio;
  gboolean is_in_cuda_memory;   /* if the buffers are as the caps say */

  /* The native components of video, the channels of audio, in order. Of audio only the
   * name is set: its depth is the sample's, and its bins are a setting. */
  guint n_components;
  HistoComponent *components;

  /* Video. */
  GstVideoInfo video;
  const gchar *colorimetry;     /* interned, or NULL */
  guint width, height;          /* of what one buffer holds */
  guint n_bins;                 /* 2^depth, summed over the components */
  /* The format is one that GStreamer's unpack function must first make into one
   * plane per component: the planes below describe those planes then. */
  gboolean needs_unpack;
  guint n_planes;
  HistoPlane planes[HISTO_MAX_PLANES];  /* data and stride are not set */

  /* Audio. */
  GstAudioInfo audio;
  HistoAudioSample sample;
} HistoFormat;

HistoFormat *histo_format_new (const GstCaps * caps, GError ** error);
HistoFormat *histo_format_ref (HistoFormat * format);
void histo_format_unref (HistoFormat * format);

const gchar *histo_format_name (const HistoFormat * format);
void histo_plane_take_component (const HistoPlane * plane, guint component,
    HistoPlane * part);
guint64 histo_plane_row_bytes (const HistoPlane * plane);
guint64 histo_plane_extent (const HistoPlane * plane);

G_END_DECLS

#endif /* HISTO_FORMATS_H */
