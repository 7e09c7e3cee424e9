/* The result of one buffer, in plain C: what is measured, the figures and histograms of
 * its components, and its times. read.h reads it from the GstStructure of a meta or a message.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_RESULT_H
#define HISTO_RESULT_H

#include "figures.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* The field `schema`. Fields are added, never removed or renamed. `schema` grows if the
 * meaning of a field changes. Results of which a component has `edges` have the greater one, so that readers of
 * earlier versions refuse them; all others have the lesser one. */
#define HISTO_RESULT_SCHEMA 1
#define HISTO_RESULT_SCHEMA_EDGES 2

/* A rectangle inside the picture; of audio all 0. A region without pixels has width 0 or
 * height 0. */
typedef struct
{
  const gchar *name;            /* valid as long as the result; NULL for the whole picture */
  guint x, y, width, height;    /* in pixels */
} HistoRegion;

typedef struct
{
  const gchar *name;            /* valid as long as the result */
  GQuark quark;                 /* of the name; 0 in a result that was read */
  HistoGroup group;
  HistoSource source;           /* HISTO_N_SOURCES of a joint component */
  guint native;                 /* of native components and their differences: number of the native one */
  /* Of a native component: bits of a sample, 1 to HISTO_MAX_DEPTH. Full scale is 2^depth - 1, of signed audio
   * 2^(depth - 1); the range of the bins is a setting. 0: the samples are floats, full scale is 1; or it is another
   * component, or the result of an earlier version. */
  guint depth;
  HistoFigures figures;
  /* figures.bins counts, little endian: guint32 each, or guint64 each if one of a window needs
   * more than 32 bits; the size tells. NULL: not wanted */
  GBytes *histogram;
  /* The edges of the bins, if they were given, and need not be of one width: figures.bins + 1 finite doubles, ascending,
   * little endian; range_min and range_max are then NaN. NULL: the bins have one width. histo_component_get_edges()
   * has the edges of both. Of a joint component NULL */
  GBytes *edges;
  /* Of a joint component: the histogram has columns * rows counts, that of a bin is at row * columns + column, and
   * of the figures there are `count` and `bins` alone; x and y are what columns and rows are: "column", "Y", "U".
   * Of other components columns is 0. */
  guint columns, rows;
  const gchar *x, *y;
} HistoComponentResult;

/* What is measured of a region beside its components. */
typedef struct
{
  HistoRegion region;           /* in pixels, clipped; name NULL for the whole picture */
  gboolean is_roi;              /* a meta of this buffer describes it; FALSE of a result that was read */
  /* There was a previous frame. If not, the components of the group `motion` have no figures
   * and no histogram. */
  gboolean has_motion;
  HistoGroupFigures figures;    /* NaN: absent */

  /*< private > */
  gchar *name;                  /* of a result that was read: region.name points to it */
} HistoRegionResult;

/* Two channels that belong together: left and right. */
typedef struct
{
  guint first, second;          /* numbers of the channels */
  HistoPairFigures figures;     /* NaN: absent */
} HistoPairResult;

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
  /* Valid as long as the result. One that was read may have any texts. */
  const gchar *format;          /* as in caps: "NV12", "F32LE" */
  const gchar *colorimetry;     /* of video; NULL where unknown */
  const gchar *backend;         /* "cuda", "cpu" */
  gint width, height;           /* video */
  const gchar *mask;            /* of video with a mask: "file", "alpha"; else NULL */
  guint64 mask_pixels;          /* then: pixels of the picture that took part */
  gint rate, channels;          /* audio */
  guint64 n_samples;            /* audio: of one channel */
  guint groups;                 /* flags of the groups that were measured */
  /* Region by region: region r has the n_region_components from r * n_region_components on, in
   * the order of the groups. Audio has one region, and a component for each channel. */
  guint n_components, n_region_components;
  HistoComponentResult *components;
  guint n_joints;               /* joint components of the picture, in the order of HISTO_JOINTS */
  HistoComponentResult joints[HISTO_N_JOINTS];
  guint n_regions;              /* of video; 0 for audio */
  HistoRegionResult *regions;   /* [0] is the whole picture */
  HistoLevelFigures *levels;    /* group `level`: one for each channel; NULL if a result that was read has none */
  guint n_pairs;                /* the same group */
  HistoPairResult *pairs;
  /* Group `loudness`. The arrays have a number for each channel. While the figures are not set, the
   * arrays are NULL; in a result that was read, the figures are then NaN. */
  HistoLoudnessFigures loudness;

  /*< private > */
  /* Of a result that was read: what its texts and the arrays of its loudness point to. */
  gchar *own_format, *own_colorimetry, *own_backend, *own_mask;
  gchar **own_names;            /* of the native components */
  gdouble *peaks;
  guint n_allocated;            /* components */
  guint n_regions_allocated, n_levels_allocated, n_pairs_allocated;
  GHashTable *absent;           /* the members that the structure lacks, by their addresses; NULL: it has all */
} HistoResult;

/* ---- Reading ------------------------------------------------------------------------------ */

/**
 * histo_result_clear:
 * @result: (nullable): that was read, or that is all zero
 *
 * Frees what the result holds and leaves it all zero.
 */
void histo_result_clear (HistoResult * result);

/**
 * histo_result_find_component:
 * @result: (nullable):
 * @region: 0 is the whole picture, or all channels; then the regions, less than n_regions
 * @name: (nullable): "Y", "saturation", "ch0", "waveform"
 *
 * Returns: (transfer none) (nullable): the component, valid until the result is read or cleared again; NULL if it was not
 *   measured, or if there is no such region
 */
const HistoComponentResult *histo_result_find_component (const HistoResult *
    result, guint region, HistoGroup group, const gchar * name);

/**
 * histo_components_format:
 * @natives: (nullable) (array length=n): the native components of a picture
 *
 * Returns: the flag of the formats that have such components: HISTO_HAS_YUV, …
 */
guint histo_components_format (const HistoComponentResult * natives, guint n);

/**
 * histo_component_add_counts:
 * @counts: (inout) (array): figures.bins numbers, to which the counts of the histogram are added
 *
 * Returns: FALSE, and @counts as they were, if the component has no histogram of figures.bins counts
 */
gboolean histo_component_add_counts (const HistoComponentResult * component,
    guint64 * counts);

/**
 * histo_component_get_edges:
 * @edges: (out) (array): figures.bins + 1 numbers: bin i begins at edges[i] and ends before edges[i + 1]
 *
 * Returns: FALSE if the component has no bins, or its edges are not known; @edges is then not valid
 */
gboolean histo_component_get_edges (const HistoComponentResult * component,
    gdouble * edges);

/**
 * histo_result_has_group:
 * @result: (nullable):
 *
 * Returns: whether the group was measured
 */
static inline gboolean
histo_result_has_group (const HistoResult * result, HistoGroup group)
{
  return result != NULL && (guint) group < HISTO_N_GROUPS
      && (result->groups & HISTO_GROUP_FLAG (group)) != 0;
}

/**
 * histo_result_region_components:
 * @result: (nullable):
 * @r: 0 is the whole picture, or all channels; then the regions, less than n_regions
 *
 * Returns: (transfer none) (nullable): the n_region_components components of the region, valid until the result is read
 *   or cleared again; NULL of a result without components, and if there is no such region
 */
static inline HistoComponentResult *
histo_result_region_components (const HistoResult * result, guint r)
{
  if (result == NULL || result->components == NULL
      || ((guint64) r + 1) * result->n_region_components > result->n_components)
    return NULL;
  return &result->components[r * result->n_region_components];
}

/**
 * histo_times_from_buffer:
 * @times: (out): those of a message about the buffer's result, in ns; GST_CLOCK_TIME_NONE: unknown
 * @buffer: that has the result
 * @segment: (nullable): of the pad at which the buffer is, from its sticky event; NULL: unknown
 *
 * For programs that read metas: stream time is the position in the file, which rules and reports need. A PTS is not: it
 * may begin with any number. Stream time and running time are known only if the segment's format is time, and the PTS
 * lies in the segment. (If only a part of the buffer lies in the segment, a message has the times of this part.)
 */
void histo_times_from_buffer (HistoTimes * times, GstBuffer * buffer,
    const GstSegment * segment);

/* ---- Making a result ---------------------------------------------------------------------- */

/* histo_read_result() and the element make results with these. Other programs need them only to make results of their
 * own. Each makes room for @n items and forgets the ones before. A result can be used for one buffer after the other: it
 * then allocates only when it grows. */

/**
 * histo_result_set_n_components:
 * @n: number of components of all regions; they are without names, figures and histograms, and none is a joint one.
 *   n_region_components is the caller's
 */
void histo_result_set_n_components (HistoResult * result, guint n);

/**
 * histo_result_add_joint:
 * @joint: that the result does not have yet, behind those that it has in HISTO_JOINTS
 *
 * Returns: (transfer none): a joint component behind the other joint ones, with all but the counts
 */
HistoComponentResult *histo_result_add_joint (HistoResult * result,
    HistoJoint joint);

/**
 * histo_result_set_n_regions:
 * @n: number of regions, all of whose members are 0; the whole picture is one
 */
void histo_result_set_n_regions (HistoResult * result, guint n);

/**
 * histo_result_set_n_levels:
 * @n: number of channels, all of whose levels are 0
 */
void histo_result_set_n_levels (HistoResult * result, guint n);

/**
 * histo_result_set_n_pairs:
 * @n: number of pairs of channels, all of whose members are 0
 */
void histo_result_set_n_pairs (HistoResult * result, guint n);

/**
 * histo_result_name_fault:
 * @name: (nullable): what the property `result-name` may be set to; %NULL: no name
 *
 * Returns: (transfer full) (nullable): why results cannot have this name; %NULL: they can
 */
gchar *histo_result_name_fault (const gchar * name);

/**
 * histo_result_meta_name:
 * @name: (nullable): the property `result-name` of an element
 *
 * Returns: (transfer full): the name of the #GstCustomMeta that has the results of this element, for
 *   gst_buffer_get_custom_meta()
 */
gchar *histo_result_meta_name (const gchar * name);

G_END_DECLS

#endif /* HISTO_RESULT_H */
