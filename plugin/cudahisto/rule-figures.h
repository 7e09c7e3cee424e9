/* The figures that rules can name: the paths, made from the table of measures, and what they lead to in a result.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_RULE_FIGURES_H
#define HISTO_RULE_FIGURES_H

#include "cudahisto/range.h"
#include "cudahisto/rules.h"

G_BEGIN_DECLS

/* In a path: each region, channel, pair, zone or component. */
#define HISTO_EACH "*"

/* @name: (nullable): in a path */
static inline gboolean
histo_is_each (const gchar * name)
{
  return g_strcmp0 (name, HISTO_EACH) == 0;
}

/* Where a figure is in a result. */
typedef enum
{
  HISTO_IN_FACTS,
  HISTO_IN_COMPONENT,           /* of video */
  HISTO_IN_CHANNEL,             /* as a component's */
  HISTO_IN_GROUP,
  HISTO_IN_AREA,
  HISTO_IN_BITS_USED,
  HISTO_IN_ZONE,
  HISTO_IN_LEVEL,
  HISTO_IN_PAIR,
  HISTO_IN_LOUDNESS,
  HISTO_IN_PEAKS                /* an array of the group `loudness` */
} HistoFigurePlace;

/* What `*` stands for, beside the region. */
typedef enum
{
  HISTO_ITEM_NONE,
  HISTO_ITEM_CHANNEL,
  HISTO_ITEM_PAIR,
  HISTO_ITEM_ZONE,
  HISTO_ITEM_COMPONENT
} HistoItem;

/* One path. */
typedef struct
{
  gchar *path;                  /* "signal.saturation.max", "ch*.rms", "pairs.*.inverted" */
  HistoFigurePlace place;
  HistoItem item;
  HistoGroup group;
  const gchar *component;       /* IN_COMPONENT: its name */
  gsize offset;                 /* of the member in its struct */
  HistoFigureType type;
  const gchar *unit;
  const HistoGroupFigureInfo *choice;   /* of a choice; else NULL */
  HistoWhole whole;
  gboolean is_audio;
  gboolean is_word;             /* a fact that is one */
  guint fact;
} HistoRulePath;

struct _HistoRuleFigure
{
  gchar *text;                  /* as in the rule */
  HistoRuleSpace space;
  const HistoRulePath *path;
  gchar *region;                /* NULL: the picture; "*": each region */
  gchar *item;                  /* "ch1", "7", "ch0+ch1"; NULL: none; "*": each one */
  HistoWhole whole;
  const gchar *ending;          /* of a figure of the whole: "min", "mean", "max"; NULL: none */
};

HistoWhole histo_rule_whole_of (const HistoGroupFigureInfo * info);
guint histo_rule_distance (const gchar * one, const gchar * other);

HistoRuleFigure *histo_rule_figure_parse (const gchar * text, gsize length,
    HistoRulesKind kind, gsize * place, GError ** error);
void histo_rule_figure_free (HistoRuleFigure * figure);
gchar *histo_rule_figure_at (const HistoRuleFigure * figure,
    const gchar * region, const gchar * item);

/* Where the figure is in the results of one stream. */
typedef struct
{
  HistoFigurePlace place;
  guint index;                  /* of the component, region, channel or pair */
  guint sub;                    /* of the zone or native component */
  guint region;
  gsize offset;
  HistoFigureType type;
  gboolean is_absent;
  gboolean of_motion;
} HistoAccessor;

gboolean histo_accessor_find (HistoAccessor * accessor,
    const HistoRuleFigure * figure, const HistoResult * result,
    const gchar * region, const gchar * item);
gdouble histo_accessor_get (const HistoAccessor * accessor,
    const HistoResult * result);
gdouble histo_rule_figure_code8 (const HistoRuleFigure * figure,
    const HistoResult * result, const HistoAccessor * accessor);

G_END_DECLS

#endif /* HISTO_RULE_FIGURES_H */
