/* What caps describe: the components, and where their samples lie in planes or channels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_FORMAT_H
#define HISTO_FORMAT_H

#include <gst/gst.h>
#include <gst/audio/audio.h>
#include <gst/video/video.h>

#include "cudahisto/figures.h"
#include "kernels/formulas.h"
#include "kernels/planes.h"
#include "media/bayer.h"

G_BEGIN_DECLS

/* The caps of both pads: every raw format of video in system memory, in CUDA memory and as
 * alternating fields, Bayer video in system memory, and every raw format of audio. */
#define HISTO_CAPS_FEATURE_CUDA "memory:CUDAMemory"
#define HISTO_VIDEO_CAPS \
    GST_VIDEO_CAPS_MAKE (GST_VIDEO_FORMATS_ALL) "; " \
    GST_VIDEO_CAPS_MAKE_WITH_FEATURES (HISTO_CAPS_FEATURE_CUDA, \
        GST_VIDEO_FORMATS_ALL) "; " \
    GST_VIDEO_CAPS_MAKE_WITH_FEATURES (GST_CAPS_FEATURE_FORMAT_INTERLACED, \
        GST_VIDEO_FORMATS_ALL) ", interlace-mode = (string) alternate"
#define HISTO_CAPS \
    HISTO_VIDEO_CAPS "; " \
    HISTO_BAYER_CAPS "; " \
    "audio/x-raw, format = (string) " GST_AUDIO_FORMATS_ALL ", " \
    "rate = " GST_AUDIO_RATE_RANGE ", " \
    "channels = (int) [ 1, " G_STRINGIFY (HISTO_MAX_CHANNELS) " ], " \
    "layout = (string) { interleaved, non-interleaved }"

/* A named source of numbers, all of which one histogram counts. A format lists its native
 * components, a plan (measures/plan.h) all that are measured. */
typedef struct
{
  const gchar *name;            /* interned: "Y", "R", "ch0" */
  GQuark quark;                 /* of the name, so that nothing is looked up for each buffer */
  guint group;                  /* HistoGroup; 0: the basic group */
  guint source;                 /* HistoSource: which map gives the numbers; 0: the sample itself */
  guint native;                 /* of a native component and its differences: its number */
  guint depth;                  /* video: the numbers have this many bits */
  guint n_values;               /* video: the numbers are 0 .. n_values - 1 */
  gsize first_bin;              /* of its counters, in the counters of a buffer */
  guint region;                 /* index of the region of the plan; 0: the whole picture */
} HistoComponent;

/* A format does not change after histo_format_new(), so that threads can share it. */
typedef struct
{
  gint ref_count;
  gboolean is_audio;            /* else video */
  gboolean is_in_cuda_memory;   /* the caps say so; a buffer may have other memory */

  /* The native components of video, or the channels of audio, in order. A channel has only a
   * name: its depth is that of `sample`, and its number of bins is a setting. */
  guint n_components;
  HistoComponent *components;

  /* Video. */
  GstVideoInfo video;           /* of Bayer see histo_bayer_fill_info() */
  HistoBayer bayer;             /* without a name: other video */
  gchar *colorimetry;           /* NULL: unknown, or Bayer */
  guint width, height;          /* of the frame or field in one buffer */
  guint n_bins;                 /* of all components together: the sum of their 2^depth */
  HistoColors colors;
  /* Bits of the values that are made of several components (kernels/formulas.h): the greatest depth
   * of the components except A, and at least 8. */
  guint formula_depth;
  /* log2 of the pixels for each sample of U and V, in a row and in a column. */
  guint chroma_w_sub, chroma_h_sub;
  /* TRUE if the samples must first be copied to one plane for each component, because only
   * GStreamer's unpack function can read the format (unpack.h). `planes` then describes these
   * planes, else the buffer's own ones. Data and strides are not set. */
  gboolean needs_unpack;
  guint n_planes;
  HistoPlane planes[HISTO_MAX_PLANES];

  /* Audio. */
  GstAudioInfo audio;
  HistoAudioSample sample;
} HistoFormat;

HistoFormat *histo_format_new (const GstCaps * caps, GError ** error);
HistoFormat *histo_format_new_sized (const GstCaps * caps, guint width,
    guint height, GError ** error);
HistoFormat *histo_format_ref (HistoFormat * format);
void histo_format_unref (HistoFormat * format);

/* What the engines read of a plane. */
guint64 histo_plane_sample_end (const HistoPlane * plane,
    const HistoSample * sample);
guint64 histo_plane_row_bytes (const HistoPlane * plane);
guint64 histo_plane_extent (const HistoPlane * plane);
void histo_format_find_samples (const HistoFormat * format, guint component,
    HistoComponentSamples * found);
void histo_plane_select_component (const HistoPlane * plane, guint component,
    HistoPlane * part);

gboolean histo_format_has_pixel_periods (const HistoFormat * format);

const gchar *histo_format_name (const HistoFormat * format);
GstClockTime histo_format_frame_duration (const HistoFormat * format);
gboolean histo_format_is_interlaced (const HistoFormat * format,
    GstBuffer * buffer);

/* Bayer: the planes of format.planes are rows of the buffer in turn (bayer.h). */
static inline gboolean
histo_format_is_bayer (const HistoFormat * format)
{
  return format->bayer.name != NULL;
}

/* Returns: how many native components the brightness of a pixel follows from. They are the first ones: Y, or
 * R, G and B */
static inline guint
histo_format_n_luma (const HistoFormat * format)
{
  return format->colors == HISTO_COLORS_RGB ? 3 : 1;
}

G_END_DECLS

#endif /* HISTO_FORMAT_H */
