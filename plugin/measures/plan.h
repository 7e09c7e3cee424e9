/* What to count where: regions × components → offsets of counters and of tallies.
 *
 * A plan is made once for each format and its settings. Both engines allocate their
 * counters from it and fill one array of counters, which statistics.h reads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_PLAN_H
#define HISTO_PLAN_H

#include "measures/colors.h"
#include "measures/statistics.h"
#include "media/layout.h"
#include "media/mask.h"
#include "media/region.h"

G_BEGIN_DECLS

/* What is to be measured: the settings that a plan is made for. */
typedef struct
{
  HistoBinSettings bins;
  /* (transfer none) (nullable): of histo_bin_edges_parse(), instead of `bins`, which is then 0; NULL: bins of one width */
  GBytes *edges;
  guint groups;                 /* flags, see HISTO_GROUP_FLAG(); those that do not fit are ignored */
  const GArray *regions;        /* (nullable) (element-type HistoRegionSpec) */
  guint n_rois;                 /* room for regions that the metas of a buffer describe */
  HistoMask *mask;              /* (nullable): of video */
} HistoPlanSettings;

typedef struct _HistoMaskFrames HistoMaskFrames;

/* The axes of a joint component. */
enum
{
  HISTO_AXIS_COLUMNS,
  HISTO_AXIS_ROWS,
  HISTO_N_AXES
};

/* Constant once made; shared between threads by reference counts.
 *
 * Component i has its counters at counters[components[i].first_bin]: of video one for each
 * value, n_values; of audio one for each bin of the settings. Of audio component i has
 * totals[i] as well.
 *
 * Regions of video: 0 is the whole picture, then come the n_fixed regions of the settings, then
 * room for n_rois regions, which each buffer's metas describe. In `regions` those have the
 * size of the picture. All regions have the same components in the same order.
 *
 * Region r has its tallies at tallies[first_tally[r]]: HISTO_N_TALLIES of kernels/formulas.h; if the
 * group `area` is on, then the sums of luma (of RGB: of R + G + B) of regions[r].height rows, then
 * those of regions[r].width columns. If `flash` is on, HISTO_N_CELLS_NUMBERS of the picture's cells follow from
 * first_cell on: HISTO_N_CELL_TALLIES for each. */
typedef struct
{
  gint ref_count;
  HistoFormat *format;
  guint groups;                 /* flags of those that are on and fit the format */

  /* Video: what the formulas need to know. */
  HistoFormulas formulas;
  guint32 *chroma_table;        /* see histo_chroma_table_new(); NULL where it is not needed */
  gdouble *light;               /* hdr: see histo_light_table_new(), of HLG histo_hlg_bins_new(); NULL where it is not
                                 * needed */
  guint16 *hlg;                 /* hdr and flash of HLG: see histo_hlg_tables_new(); else NULL */
  guint16 *linear;              /* flash of other video: see histo_linear_table_new(); NULL where it is not needed */
  gboolean has_groups;            /* more than the native components of the picture is measured */
  gboolean needs_previous;      /* a measure follows from the previous frame, too */

  /* Video: which samples take part; see measures/masked.h. */
  HistoMask *mask;              /* NULL: all */
  gint alpha;                   /* of a mask by alpha: the native component; else -1 */
  HistoMaskFrames *mask_frames; /* of a mask file; else NULL */

  /* The bins of the result: one HistoBins for each component of a region of video, a single one
   * for all channels of audio. See histo_plan_bins(). */
  guint n_bin_sets;
  HistoBins *bins;

  guint n_regions, n_fixed, n_rois;
  HistoRegion *regions;         /* regions[0] is the whole picture; the names are the plan's */
  guint n_region_components;    /* components of one region */
  guint n_components;
  HistoComponent *components;   /* region by region; the native ones of the picture first */
  gsize n_counters;             /* guint32 each */
  /* Joint components, of the picture alone, have counters of their own: joint i the HISTO_SCOPE_BINS ones from
   * i * HISTO_SCOPE_BINS on. */
  guint n_joints;
  HistoJoint joints[HISTO_N_JOINTS];
  gint axes[HISTO_N_JOINTS][HISTO_N_AXES];      /* the native component whose samples are columns and rows; -1: none */
  gboolean joints_have_samples; /* each native component is such an axis, so that its counters in the picture follow:
                                 * histo_plan_count_axes() */
  guint n_light_bins;           /* of each region, after those of its components: hdr of HLG: HISTO_HLG_BINS; else 0 */
  gsize *first_tally;           /* of each region */
  gsize first_cell;             /* 0: none */
  gsize n_tallies;              /* guint64 each; 0: none is wanted */
} HistoPlan;

/* What the element knows of one buffer, beside its samples. */
typedef struct
{
  /* Video: the buffer follows the one that was submitted before, which may be used as the previous
   * frame. */
  gboolean continues;
  gboolean is_view;             /* the buffer shares the memory of another one, which may use it again when
                                 * this one has been measured: it is not held */
  gboolean is_interlaced;       /* its rows are those of two fields in turn */
  guint first_row;              /* the row of the buffer's frame with which the picture begins: that of a crop meta */
  guint n_rois;                 /* at most the plan's */
  HistoRegion *rois;            /* clipped to the picture */
  HistoTrim trim;               /* audio: the samples that are not measured */
} HistoFrameInfo;

/* The raw counts of one buffer, or the sums of a window, as the plan describes them. */
typedef struct
{
  const guint32 *counters;      /* n_counters; those of unused ROIs are not valid */
  /* Video: of native components of the picture whose counters the device has left so; else NULL. Their counters
   * in `counters` are valid only after histo_plan_join_halves(). */
  HistoHalves *halves[HISTO_MAX_COMPONENTS];
  const guint64 *wide_counters; /* of a window, instead of the counters; else NULL */
  const guint32 *joints;        /* the counters of the joint components; NULL: the plan has none */
  /* If the device has left them so, these: then `joints` is room for them; see histo_plan_join_joint(). Else NULL */
  HistoHalves *joint_halves;
  const guint64 *wide_joints;   /* of a window, instead of these; else NULL */
  const guint64 *tallies;       /* n_tallies. Of a window only the lines are valid */
  const unsigned __int128 *wide_tallies;        /* of a window: region by region HISTO_N_TALLIES; else NULL.
                                                 * Squares of a few minutes of 4K video can need more than
                                                 * 64 bits */
  guint64 n_frames;             /* video: 1; of a window: the number of its buffers */
  guint64 n_with_previous;      /* of these, the frames that had a previous one. If
                                 * 0, components and tallies that need one are not valid */
  const guint64 *n_pixels;      /* of a plan with a mask: for each region, those of all frames that take part; else
                                 * NULL */
  const HistoTotals *totals;    /* audio only: one for each channel */
  const HistoWideSums *wide_sums;       /* audio only: of a window, one for each channel, instead of the integer
                                         * sums in the totals; else NULL */
  guint64 n_samples;            /* audio only: of one channel */
} HistoCounts;

HistoPlan *histo_plan_new (HistoFormat * format,
    const HistoPlanSettings * settings);
gboolean histo_plan_check (const HistoPlan * plan, GError ** error);
HistoPlan *histo_plan_ref (HistoPlan * plan);
void histo_plan_unref (HistoPlan * plan);
gboolean histo_plan_has_same_regions (const HistoPlan * plan,
    const HistoPlan * other);
gboolean histo_plan_is_alike (const HistoPlan * plan,
    const HistoPlan * other);
gboolean histo_plan_counts_as (const HistoPlan * plan,
    const HistoPlan * other);
void histo_plan_join_halves (const HistoPlan * plan,
    const HistoCounts * counts);
const guint32 *histo_plan_join_joint (const HistoCounts * counts, guint j);
void histo_plan_count_axes (const HistoPlan * plan, const HistoCounts * counts);
void histo_plan_log (const HistoPlan * plan, GstElement * element);

static inline gboolean
histo_plan_has_group (const HistoPlan * plan, HistoGroup group)
{
  return (plan->groups & HISTO_GROUP_FLAG (group)) != 0;
}

/* The rectangle of region @r for a buffer. @r: less than 1 + n_fixed + info->n_rois */
static inline const HistoRegion *
histo_plan_region (const HistoPlan * plan, const HistoFrameInfo * info, guint r)
{
  return r <= plan->n_fixed ? &plan->regions[r] :
      &info->rois[r - 1 - plan->n_fixed];
}

/* How the buffer's rows belong together. */
static inline HistoScan
histo_plan_scan (const HistoPlan * plan, const HistoFrameInfo * info)
{
  /* This is 0 for RGB and gray. */
  const guint h_sub = plan->format->chroma_h_sub;

  return (HistoScan) {
    .row_step = info->is_interlaced ? 2u : 1u,
    .h_sub = h_sub,
    .has_field_chroma = info->is_interlaced && h_sub > 0,
    .first = info->first_row % (2u << h_sub),
    .n_chroma_rows = ((plan->format->height - 1) >> h_sub) + 1,
  };
}

/* How many regions a buffer has. */
static inline guint
histo_plan_used_regions (const HistoPlan * plan, const HistoFrameInfo * info)
{
  return 1 + plan->n_fixed + info->n_rois;
}

/* The components of region @r, n_region_components. */
static inline const HistoComponent *
histo_plan_region_components (const HistoPlan * plan, guint r)
{
  return &plan->components[r * plan->n_region_components];
}

/* The first counter of the light of region @r. Only if there are n_light_bins */
static inline gsize
histo_plan_first_light_bin (const HistoPlan * plan, guint r)
{
  return (r + 1) * (plan->n_counters / plan->n_regions) - plan->n_light_bins;
}

/* The counters of all joint components. */
static inline gsize
histo_plan_joint_counters (const HistoPlan * plan)
{
  return (gsize) plan->n_joints * HISTO_SCOPE_BINS;
}

/* The bins of the component's result. */
static inline const HistoBins *
histo_plan_bins (const HistoPlan * plan, guint component)
{
  return &plan->bins[plan->format->is_audio ? 0 :
      component % plan->n_region_components];
}

/* The counters that one component has. */
static inline guint
histo_plan_component_counters (const HistoPlan * plan,
    const HistoComponent * component)
{
  return plan->format->is_audio ? plan->bins->binning.n_bins :
      component->n_values;
}

/* Returns: (nullable): the halves of the component of this number */
static inline HistoHalves *
histo_plan_halves (const HistoPlan * plan, const HistoCounts * counts,
    gsize number)
{
  return plan->format->is_audio || number >= plan->format->n_components ?
      NULL : counts->halves[number];
}

/* @histogram: (out): of the component, of which the counts are kept until the last use */
static inline void
histo_plan_open_histogram (const HistoPlan * plan,
    const HistoComponent * component, const HistoCounts * counts,
    HistoHistogram * histogram)
{
  const guint n = histo_plan_component_counters (plan, component);
  const HistoHalves *halves =
      histo_plan_halves (plan, counts, component - plan->components);

  if (halves != NULL)
    histo_histogram_init_halves (histogram, halves);
  else if (counts->wide_counters != NULL)
    histo_histogram_init_wide (histogram,
        counts->wide_counters + component->first_bin, n);
  else
    histo_histogram_init (histogram, counts->counters + component->first_bin,
        n);
}

G_END_DECLS

#endif /* HISTO_PLAN_H */
