/* The tables in memory that are made from the table of measures, and from the lists of fields and alerts; see figures.h,
 * fields.h and alert.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/alert.h"
#include "cudahisto/fields.h"
#include "cudahisto/figures.h"

#include <math.h>

/* ---- Names ---------------------------------------------------------------------------------- */

const char *const histo_field_names[HISTO_N_FIELDS] = {
#define NAME(identifier, name) name,
  HISTO_RESULT_FIELDS (NAME)
#undef NAME
};

const gchar *const histo_alert_names[HISTO_N_ALERTS + 1] = {
#define NAME(identifier, name, group, description) name,
  HISTO_ALERTS (NAME)
#undef NAME
  [HISTO_ALERT_RULE] = HISTO_ALERT_RULE_NAME,
};

/* ---- What is counted ---------------------------------------------------------------------- */

const HistoGroupInfo histo_groups[HISTO_N_GROUPS] = {
  [HISTO_GROUP_BASIC] = {"basic", FALSE, HISTO_BASIC_DESCRIPTION},
#define GROUP(identifier, name, is_audio, description) \
  [HISTO_GROUP_##identifier] = { name, is_audio, description },
  HISTO_GROUPS (GROUP)
#undef GROUP
};

const HistoComponentInfo histo_components[HISTO_N_SOURCES] = {
#define COMPONENT(group, source, ...) \
  [HISTO_SOURCE_##source] = { HISTO_GROUP_##group, __VA_ARGS__ },
  HISTO_COMPONENTS (COMPONENT)
#undef COMPONENT
};

const HistoJointInfo histo_joints[HISTO_N_JOINTS] = {
#define JOINT(group, joint, ...) \
  [HISTO_JOINT_##joint] = { HISTO_GROUP_##group, __VA_ARGS__ },
  HISTO_JOINTS (JOINT)
#undef JOINT
};

const HistoTallyInfo histo_tallies[HISTO_N_TALLY_ROWS] = {
#define PIXELS(group, tally, figure, ...) { HISTO_GROUP_##group, HISTO_TALLY_OF_PIXELS, __VA_ARGS__ },
#define SUM(group, tally, ...) { HISTO_GROUP_##group, HISTO_TALLY_IS_SUM, __VA_ARGS__ },
#define SIGNED(group, tally, ...) { HISTO_GROUP_##group, HISTO_TALLY_IS_SIGNED, __VA_ARGS__ },
#define GREATEST(group, tally, ...) { HISTO_GROUP_##group, HISTO_TALLY_IS_GREATEST, __VA_ARGS__ },
#define LINES(group, tally, ...) { HISTO_GROUP_##group, HISTO_TALLY_OF_LINES, __VA_ARGS__ },
#define CELLS(group, tally, ...) { HISTO_GROUP_##group, HISTO_TALLY_OF_CELLS, __VA_ARGS__ },
  HISTO_TALLIES (PIXELS, SUM, SIGNED, GREATEST, LINES, CELLS)
#undef CELLS
#undef LINES
#undef GREATEST
#undef SIGNED
#undef SUM
#undef PIXELS
};

gboolean
histo_joint_is_measured (HistoJoint joint, guint groups, guint format)
{
  const HistoJointInfo *info;
  guint formats;

  g_return_val_if_fail ((guint) joint < HISTO_N_JOINTS, FALSE);
  info = &histo_joints[joint];
  formats = info->formats;
  if ((groups & HISTO_GROUP_FLAG (HISTO_GROUP_COLOR)) != 0)
    formats |= info->formats_with_color;
  return (groups & HISTO_GROUP_FLAG (info->group)) != 0
      && (formats & format) != 0;
}

/* ---- Figures ------------------------------------------------------------------------------ */

#define ROW_OF(struct_type, type, member, name, ...) \
  { name, HISTO_FIGURE_##type, G_STRUCT_OFFSET (struct_type, member), __VA_ARGS__ },

const HistoFigureInfo histo_figures[HISTO_N_FIGURES] = {
#define FIGURE(...) ROW_OF (HistoFigures, __VA_ARGS__)
#define PERCENTILE(percent) \
  ROW_OF (HistoFigures, DOUBLE, percentiles[HISTO_P##percent], "p" #percent, "sample", \
      "smallest v[i] for which at least " #percent " % of the samples are counted in " \
      "h[0] to h[i] (audio: or are below the bins); NaN if there are no samples; audio: at " \
      "least min and at most max", "")
  HISTO_FIGURES (FIGURE, PERCENTILE)
#undef PERCENTILE
#undef FIGURE
};

const guint histo_percents[HISTO_N_PERCENTILES] = {
#define PERCENT(percent) percent,
  HISTO_FIGURES (HISTO_NO_FIGURE, PERCENT)
#undef PERCENT
};

const HistoGroupFigureInfo histo_group_figures[HISTO_N_GROUP_FIGURES] = {
#define ROW(type, group, member, name, unit, window, definition, origin) \
  { HISTO_GROUP_##group, HISTO_FIGURE_##type, name, G_STRUCT_OFFSET (HistoGroupFigures, group##_##member), unit, \
      HISTO_WINDOW_##window, definition, origin },
#define FIGURE(...) ROW (DOUBLE, __VA_ARGS__)
#define COUNT(...) ROW (UINT, __VA_ARGS__)
#define CHOICE(...) ROW (CHOICE, __VA_ARGS__)
  HISTO_GROUP_FIGURES (FIGURE, COUNT, CHOICE)
#undef CHOICE
#undef COUNT
#undef FIGURE
#undef ROW
};

const HistoZoneFigure histo_zone_figures[HISTO_N_ZONE_FIGURES] = {
#define MEMBER(member) {HISTO_GROUP_FIGURE_FLASH_##member, G_STRUCT_OFFSET (HistoZone, member)}
  MEMBER (transitions), MEMBER (red_transitions), MEMBER (state)
#undef MEMBER
};

const HistoFigureInfo histo_level_figures[HISTO_N_LEVEL_FIGURES] = {
#define FIGURE(...) ROW_OF (HistoLevelFigures, __VA_ARGS__)
  HISTO_LEVEL_FIGURES (FIGURE)
#undef FIGURE
};

const HistoFigureInfo histo_pair_figures[HISTO_N_PAIR_FIGURES] = {
#define FIGURE(...) ROW_OF (HistoPairFigures, __VA_ARGS__)
  HISTO_PAIR_FIGURES (FIGURE)
#undef FIGURE
};

#define FIGURE(...) ROW_OF (HistoLoudnessFigures, __VA_ARGS__)
const HistoFigureInfo histo_loudness_figures[HISTO_N_LOUDNESS_FIGURES] = {
  HISTO_LOUDNESS_FIGURES (FIGURE)
};

const HistoFigureInfo histo_loudness_arrays[HISTO_N_LOUDNESS_ARRAYS] = {
  HISTO_LOUDNESS_ARRAYS (FIGURE)
};
#undef FIGURE

void
histo_groups_clear (HistoGroupFigures * figures)
{
  static const HistoGroupFigures none = {
#define ABSENT(group, member, ...) .group##_##member = NAN,
    HISTO_GROUP_FIGURES (ABSENT, ABSENT, ABSENT)
#undef ABSENT
    .fall_p9999 = NAN,
  };

  g_return_if_fail (figures != NULL);
  *figures = none;
}

/* ---- Choices ------------------------------------------------------------------------------ */

const gchar *const *
histo_choice_names (const HistoGroupFigureInfo * info)
{
  static GHashTable *lists;     /* a list → its names; few, and kept for ever */
  static GMutex lock;
  gchar **names;

  g_return_val_if_fail (info != NULL && info->type == HISTO_FIGURE_CHOICE, NULL);
  g_mutex_lock (&lock);
  if (lists == NULL)
    lists = g_hash_table_new (g_str_hash, g_str_equal);
  names = g_hash_table_lookup (lists, info->unit);
  if (names == NULL) {
    names = g_strsplit (info->unit, ", ", -1);
    g_hash_table_insert (lists, (gpointer) info->unit, names);
  }
  g_mutex_unlock (&lock);
  return (const gchar *const *) names;
}

const gchar *
histo_choice_name (const HistoGroupFigureInfo * info, guint number)
{
  const gchar *const *names = histo_choice_names (info);

  return names != NULL && number < g_strv_length ((gchar **) names) ? names[number] : NULL;
}

gint
histo_choice_find (const HistoGroupFigureInfo * info, const gchar * name)
{
  const gchar *const *names = histo_choice_names (info);

  for (gint i = 0; names != NULL && name != NULL && names[i] != NULL; i++) {
    if (g_str_equal (names[i], name))
      return i;
  }
  return -1;
}
