/* The figures that rules can name: those of results, which visit.h lists, and facts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_RULE_FIGURES_H
#define HISTO_RULE_FIGURES_H

#include "cudahisto/range.h"
#include "cudahisto/rules.h"
#include "cudahisto/visit.h"

G_BEGIN_DECLS

/* In a path: each region, channel, pair, zone or component. */
#define HISTO_EACH "*"

/* @name: (nullable): in a path */
static inline gboolean
histo_is_each (const gchar * name)
{
  return g_strcmp0 (name, HISTO_EACH) == 0;
}

struct _HistoRuleFigure
{
  gchar *text;                  /* as in the rule */
  HistoRuleSpace space;
  gboolean is_of_comparison;    /* else of results, and of facts */
  const HistoFigureRow *row;    /* of a fact one of its own, in which offset is its number */
  gchar *region;                /* NULL: the picture; "*": each region */
  gchar *item;                  /* "ch1", "7", "ch0+ch1"; NULL: none; "*": each one */
  HistoWhole whole;
  const gchar *ending;          /* of a figure of the whole: "min", "mean", "max"; NULL: none */
};

/* Returns: (nullable): what is known of a fact; NULL: the figure is none */
static inline const HistoFactInfo *
histo_rule_figure_fact (const HistoRuleFigure * figure)
{
  g_return_val_if_fail (figure != NULL, NULL);
  return figure->space == HISTO_RULE_OF_FACTS ? &histo_facts[figure->row->offset] : NULL;
}

HistoWhole histo_rule_whole_of (const HistoGroupFigureInfo * info);
guint histo_rule_distance (const gchar * one, const gchar * other);

HistoRuleFigure *histo_rule_figure_parse (const gchar * text, gsize length,
    HistoRulesKind kind, gsize * place, GError ** error);
void histo_rule_figure_free (HistoRuleFigure * figure);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HistoRuleFigure, histo_rule_figure_free)
gchar *histo_rule_figure_at (const HistoRuleFigure * figure,
    const gchar * region, const gchar * item);

gboolean histo_rule_figure_find (const HistoRuleFigure * figure,
    const HistoResult * result, const gchar * region, const gchar * item,
    HistoFigureAt * at);
gdouble histo_rule_figure_code8_of_comparison (const HistoComparison * comparison, const HistoFigureAt * at);
gdouble histo_rule_figure_code8 (const HistoResult * result,
    const HistoFigureAt * at);

G_END_DECLS

#endif /* HISTO_RULE_FIGURES_H */
