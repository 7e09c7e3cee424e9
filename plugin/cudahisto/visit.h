/* The figures of a result, one after the other: the place of each, its name, its row of the tables and its value. What
 * lists figures goes through them here, so that the shape of a result is written down once.
 *
 * The name of a figure is its path, as rules have it: the steps from the result to the figure, joined by points:
 * "Y.mean", "regions.logo.Y.mean", "pairs.ch0+ch1.correlation", "loudness.true-peak.ch0", "flash.zones.7.transitions",
 * "signal.bits-used.Y". docs/rules.md lists them.
 *
 * A program that wants the same figures of all results of a stream looks them up in the first one, and again when the
 * shape changes:
 *
 *   if (!histo_shape_fits (&shape, &result)) {
 *     histo_shape_set (&shape, &result);
 *     found = histo_result_find_figure (&result, NULL, "regions.logo.Y.mean", 0, &figure);
 *   }
 *   if (found)
 *     g_print ("%f\n", histo_result_get_figure (&result, &figure));
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_VISIT_H
#define HISTO_VISIT_H

#include "result.h"

G_BEGIN_DECLS

/* ---- The table of all figures --------------------------------------------------------------- */

/* In which struct of a result the figure is. */
typedef enum
{
  HISTO_IN_FACTS,               /* in none; see facts.h */
  HISTO_IN_COMPONENT,           /* of video, or a channel: HistoFigures */
  HISTO_IN_GROUP,               /* HistoGroupFigures */
  HISTO_IN_BITS_USED,
  HISTO_IN_ZONE,                /* HistoZone */
  HISTO_IN_LEVEL,               /* HistoLevelFigures */
  HISTO_IN_PAIR,                /* HistoPairFigures */
  HISTO_IN_LOUDNESS,            /* HistoLoudnessFigures */
  HISTO_IN_ARRAY,               /* an array of these */
  HISTO_IN_COMPARED,            /* HistoComparedRegion; see comparison.h */
  HISTO_IN_COMPARED_COMPONENT   /* HistoComparedComponent */
} HistoFigureStruct;

/* What a path names beside the region: what the `*` of a row's path stands for. */
typedef enum
{
  HISTO_ITEM_NONE,
  HISTO_ITEM_CHANNEL,
  HISTO_ITEM_PAIR,
  HISTO_ITEM_ZONE,
  HISTO_ITEM_COMPONENT
} HistoFigureItem;

/* A row of the table of all figures, which is made from those of measures.h. */
typedef struct
{
  /* Without the region: "signal.saturation.max", "ch*.rms", "pairs.*.inverted". NULL: of a native component with a name
   * that this version does not know; such figures come last in the table. */
  const gchar *path;
  const gchar *name;            /* "max"; of an array its name: "true-peak" */
  HistoFigureStruct in;
  HistoFigureItem item;
  HistoGroup group;             /* of a comparison the number of a HistoComparisonMeasure */
  gboolean is_audio;
  const gchar *component;       /* of video: its name; else NULL */
  HistoFigureType type;         /* of the member */
  gsize offset;                 /* of the member in its struct */
  const gchar *unit;            /* of a choice: its names */
  const HistoFigureInfo *info;  /* the row of its own table; NULL: it is in the next one, or in none */
  const HistoGroupFigureInfo *group_info;
  const HistoGroupFigureInfo *choice;   /* the same of a choice, whose number is the value; else NULL */
} HistoFigureRow;

/**
 * histo_figure_rows:
 * @n: (out): their number
 *
 * Returns: (transfer none) (array length=n): all rows, valid for ever
 */
const HistoFigureRow *histo_figure_rows (guint * n);

/* ---- Figures of results --------------------------------------------------------------------- */

/* Where a figure is in a result, and in all results of the same shape. */
typedef struct
{
  const HistoFigureRow *row;
  guint region;                 /* 0: the whole picture, or all channels */
  guint index;                  /* of the component, pair, zone, channel or, of bits-used, native component; else 0 */
  gboolean is_absent;           /* its group was not measured */
} HistoFigureAt;

/* The steps of the longest path: "regions", "logo", "signal", "bits-used", "Y". */
#define HISTO_MOST_STEPS 5

/* What the next figures are in. */
typedef enum
{
  HISTO_PLACE_REGIONS,          /* all but the whole picture */
  HISTO_PLACE_REGION,
  HISTO_PLACE_GROUP,            /* of video, or loudness */
  HISTO_PLACE_COMPONENT,        /* or channel, which has the group `level`, too */
  HISTO_PLACE_JOINT,            /* it has no figures */
  HISTO_PLACE_BITS_USED,
  HISTO_PLACE_ZONES,
  HISTO_PLACE_ZONE,
  HISTO_PLACE_PAIRS,
  HISTO_PLACE_PAIR,
  HISTO_PLACE_ARRAY
} HistoPlace;

/* Where the visit is. All is valid during the call alone, but for the row and the members of @result. */
typedef struct
{
  const HistoResult *result;
  const gchar *steps[HISTO_MOST_STEPS]; /* of the path of the figure, or of the place, which is a part of it */
  guint n_steps;
  /* Of enter() and leave(). */
  HistoPlace place;
  HistoGroup group;
  guint region, index;          /* as of a figure; also of a joint component */
  /* Of figure(). */
  HistoFigureAt figure;
  gconstpointer member;         /* of the type of the row; NULL: the figure is absent */
} HistoVisit;

/* What is called during a visit. Each may be NULL. */
typedef struct
{
  /* Returns: FALSE: what is in the place is left out, and leave() is not called */
  gboolean (*enter) (const HistoVisit * visit, gpointer data);
  void (*figure) (const HistoVisit * visit, gpointer data);
  void (*leave) (const HistoVisit * visit, gpointer data);
} HistoVisitor;

/**
 * histo_result_visit:
 * @result: (nullable): NULL has no figures
 * @groups: flags of groups of video that are visited though the result lacks them: their figures are absent. Components
 *   of a first frame without `motion` are an example. 0: none
 * @regions: (nullable) (array): what the steps of the regions are, for each region but the whole picture, from
 *   histo_region_steps(); NULL: those of the result's own names
 *
 * Goes through all figures that rules can name, and those of native components with other names. The native components
 * come first, then the groups in the order of their numbers, with their components before their own figures; then the
 * regions, one by one, in the same order. Of audio: the channels, each with the group `level`, the pairs, the loudness.
 * Figures without value are visited, too. Results of one shape have the same figures.
 */
void histo_result_visit (const HistoResult * result, guint groups,
    const gchar * const *regions, const HistoVisitor * visitor, gpointer data);

/**
 * histo_visit_path:
 *
 * Returns: (transfer full): the path of the figure, or of the place
 */
gchar *histo_visit_path (const HistoVisit * visit);

/**
 * histo_figure_old_path:
 * @path: of a figure; of one in a region with a bare step, see histo_region_steps()
 *
 * Returns: (transfer full): the name that the figure had in CSV first: "logo.Y.mean", "ch0-ch1.correlation",
 *   "ch0.true-peak"; of other figures the path
 */
gchar *histo_figure_old_path (const gchar * path);

/**
 * histo_region_steps:
 * @names: (nullable) (array length=n): the names of the regions but the whole picture
 * @is_bare: no step "regions" comes before them, as in histo_figure_old_path()
 *
 * No two figures have one path. A region's number, of which 1 is the first, follows its name and a '#' if an earlier
 * region has the name, or if the figures of another region, or of the picture, could have these paths.
 *
 * Returns: (transfer full) (array zero-terminated): the steps that stand for the regions: "logo", "logo#2"
 */
gchar **histo_region_steps (const gchar * const *names, guint n,
    gboolean is_bare);

/**
 * histo_result_find_figure:
 * @result: (nullable):
 * @region: (nullable): the name of the region, or its step; NULL: the path has it
 * @path: (nullable): of a figure; with a region its rest behind that
 * @groups: as of histo_result_visit()
 * @figure: (out): where it is; valid for all results of the same shape
 *
 * A region that has another step than its name is found by both, unless another region has the name as its step. Regions
 * of metas are not found: the next buffer may have others.
 *
 * Returns: whether the result has such a figure, which may be absent
 */
gboolean histo_result_find_figure (const HistoResult * result,
    const gchar * region, const gchar * path, guint groups,
    HistoFigureAt * figure);

/**
 * histo_result_member:
 * @result: of the shape in which the figure was found
 *
 * Returns: (transfer none) (nullable): the member, of the type of the figure's row; NULL: the figure is absent. A member
 *   that is a double may be NaN, which is absent, too
 */
gconstpointer histo_result_member (const HistoResult * result,
    const HistoFigureAt * figure);

/**
 * histo_result_get_figure:
 * @result: of the shape in which the figure was found
 *
 * Returns: the value; whole numbers above 2^53 are rounded. Of a choice the number of its name: see
 *   histo_choice_name(). NaN: the figure is absent
 */
gdouble histo_result_get_figure (const HistoResult * result,
    const HistoFigureAt * figure);

/* ---- Shapes --------------------------------------------------------------------------------- */

/* What the places of figures depend on. Results of one stream mostly have one shape. */
typedef struct
{
  /*< private > */
  gboolean is_set, is_audio;
  guint groups, n_components, n_region_components, n_regions, n_pairs;
  gchar *format;
  gchar **components;           /* of the first region */
  gchar **regions;              /* the second one is [0] */
  guint *pairs;                 /* two channels each */
} HistoShape;

/**
 * histo_shape_fits:
 *
 * Returns: whether the result has this shape: figures that were found in another one with it are in the same places
 */
gboolean histo_shape_fits (const HistoShape * shape,
    const HistoResult * result);

/**
 * histo_shape_set:
 * @shape: (inout): all zero, or an earlier one; to be cleared with histo_shape_clear()
 */
void histo_shape_set (HistoShape * shape, const HistoResult * result);

/**
 * histo_shape_clear:
 * @shape: (nullable):
 *
 * Frees what the shape holds and leaves it all zero. It fits no result then.
 */
void histo_shape_clear (HistoShape * shape);

G_END_DECLS

#endif /* HISTO_VISIT_H */
