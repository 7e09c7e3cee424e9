/* The types and the tables in memory that are made from the table of measures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_FIGURES_H
#define HISTO_FIGURES_H

#include "measures.h"

#include <glib-object.h>
#include <math.h>

G_BEGIN_DECLS

/* ---- Groups ------------------------------------------------------------------------------- */

/* HISTO_GROUP_SIGNAL, …: the numbers of the groups. Native components belong to BASIC. */
typedef enum
{
  HISTO_GROUP_BASIC,
#define GROUP_NUMBER(identifier, name, is_audio, description) HISTO_GROUP_##identifier,
  HISTO_GROUPS (GROUP_NUMBER)
#undef GROUP_NUMBER
  HISTO_N_GROUPS
} HistoGroup;

/* The flag of a group in a set of groups, and in the property `measures`. */
#define HISTO_GROUP_FLAG(group) (1u << (group))

typedef struct
{
  const gchar *name;
  gboolean is_audio;            /* of HISTO_GROUP_BASIC: meaningless */
  const gchar *description;
} HistoGroupInfo;

extern const HistoGroupInfo histo_groups[HISTO_N_GROUPS];

/* The flags of the groups of audio. They read the samples, and count nothing. */
enum
{
#define FLAG_IF_AUDIO(identifier, name, is_audio, description) \
  | (is_audio ? HISTO_GROUP_FLAG (HISTO_GROUP_##identifier) : 0)
  HISTO_SOUND_GROUPS = 0 HISTO_GROUPS (FLAG_IF_AUDIO)
#undef FLAG_IF_AUDIO
};

/* ---- What is counted ---------------------------------------------------------------------- */

/* What the native components of video stand for. All may also have A. */
typedef enum
{
  HISTO_COLORS_YUV,             /* Y, U, V */
  HISTO_COLORS_RGB,             /* R, G, B */
  HISTO_COLORS_GRAY             /* Y */
} HistoColors;

/* The flag of such formats in HistoComponentInfo.formats: HISTO_HAS_YUV and so on. */
#define HISTO_COLORS_FLAG(colors) (1u << (colors))

/* HISTO_SOURCE_SAMPLE, …: where the numbers of a component come from. */
typedef enum
{
#define SOURCE_NUMBER(group, source, ...) HISTO_SOURCE_##source,
  HISTO_COMPONENTS (SOURCE_NUMBER)
#undef SOURCE_NUMBER
  HISTO_N_SOURCES
} HistoSource;

/* The rows of HISTO_COMPONENTS and of HISTO_TALLIES, which have the meaning of the members. */
typedef struct
{
  HistoGroup group;
  const gchar *name;            /* NULL: those of the native components */
  guint formats;                /* flags: HISTO_HAS_YUV, … */
  const gchar *formula;
  guint columns, above, below;
  gboolean needs_previous;
  guint n_values;
  const gchar *unit, *definition, *origin;
} HistoComponentInfo;

extern const HistoComponentInfo histo_components[HISTO_N_SOURCES];

/* HISTO_JOINT_WAVEFORM, …: the joint components. */
typedef enum
{
#define JOINT_NUMBER(group, joint, ...) HISTO_JOINT_##joint,
  HISTO_JOINTS (JOINT_NUMBER)
#undef JOINT_NUMBER
  HISTO_N_JOINTS
} HistoJoint;

/* The rows of HISTO_JOINTS. */
typedef struct
{
  HistoGroup group;
  const gchar *name;
  guint formats, formats_with_color;    /* flags: HISTO_HAS_YUV, … */
  const gchar *x, *y;
  const gchar *definition, *origin;
} HistoJointInfo;

extern const HistoJointInfo histo_joints[HISTO_N_JOINTS];

/**
 * histo_joint_is_measured:
 * @groups: flags of those that are on
 * @format: the flag of the format: %HISTO_HAS_YUV, …
 *
 * Returns: whether results have the joint component
 */
gboolean histo_joint_is_measured (HistoJoint joint, guint groups,
    guint format);

typedef enum
{
  HISTO_TALLY_OF_PIXELS,
  HISTO_TALLY_IS_SUM,
  HISTO_TALLY_IS_SIGNED,
  HISTO_TALLY_IS_GREATEST,
  HISTO_TALLY_OF_LINES,
  HISTO_TALLY_OF_CELLS
} HistoTallyKind;

typedef struct
{
  HistoGroup group;
  HistoTallyKind kind;
  const gchar *formula;
  guint columns, above, below;
  gboolean needs_previous;
  const gchar *definition;
} HistoTallyInfo;

enum
{
#define TALLY_ROW(group, tally, ...) HISTO_TALLY_ROW_##tally,
  HISTO_TALLIES (TALLY_ROW, TALLY_ROW, TALLY_ROW, TALLY_ROW, TALLY_ROW, TALLY_ROW)
#undef TALLY_ROW
  HISTO_N_TALLY_ROWS
};

extern const HistoTallyInfo histo_tallies[HISTO_N_TALLY_ROWS];

/* ---- Figures of a component --------------------------------------------------------------- */

/* HISTO_P1, HISTO_P10, …: the places in HistoFigures.percentiles. */
enum
{
#define PERCENTILE_PLACE(percent) HISTO_P##percent,
  HISTO_FIGURES (HISTO_NO_FIGURE, PERCENTILE_PLACE)
#undef PERCENTILE_PLACE
  HISTO_N_PERCENTILES
};

/* The percents of the percentiles, ascending: 1, 10, 50, 90, 99. */
extern const guint histo_percents[HISTO_N_PERCENTILES];

#define HISTO_TYPE_UINT64 guint64
#define HISTO_TYPE_UINT guint
#define HISTO_TYPE_DOUBLE gdouble
#define HISTO_MEMBER(type, member, ...) HISTO_TYPE_##type member;

/* The figures of one component of one buffer, in sample units: 0 .. 2^depth - 1; signed
 * audio as signed; floats as they are. Without any finite sample min, max, mean, variance,
 * std-dev, percentiles and mode are NaN. A member for each row FIGURE of HISTO_FIGURES in measures.h: count, mean, std_dev,
 * …; the percentiles are at HISTO_P1, HISTO_P50, …. */
typedef struct
{
  HISTO_FIGURES (HISTO_MEMBER, HISTO_NO_PERCENTILE)
  gdouble percentiles[HISTO_N_PERCENTILES];
} HistoFigures;

typedef enum
{
  HISTO_FIGURE_UINT64,
  HISTO_FIGURE_UINT,
  HISTO_FIGURE_DOUBLE,
  HISTO_FIGURE_CHOICE           /* of groups of video */
} HistoFigureType;

/**
 * histo_figure_read:
 * @member: of this type
 *
 * Returns: its value
 */
static inline gdouble
histo_figure_read (HistoFigureType type, gconstpointer member)
{
  g_return_val_if_fail (member != NULL, NAN);
  switch (type) {
    case HISTO_FIGURE_UINT64:
      return (gdouble) *(const guint64 *) member;
    case HISTO_FIGURE_UINT:
      return *(const guint *) member;
    case HISTO_FIGURE_DOUBLE:
    case HISTO_FIGURE_CHOICE:
      break;
  }
  return *(const gdouble *) member;
}

/* One row of a list of figures, for code that goes through all figures. */
typedef struct
{
  const gchar *name;
  HistoFigureType type;
  gsize offset;                 /* of the member in the struct of the figures */
  const gchar *unit;
  const gchar *definition;
  const gchar *origin;
} HistoFigureInfo;

/**
 * histo_figure_get:
 * @info: a row of histo_figures, histo_level_figures, histo_pair_figures or histo_loudness_figures
 * @figures: the struct that has the member
 *
 * Returns: the figure; whole numbers above 2^53 are rounded
 */
static inline gdouble
histo_figure_get (const HistoFigureInfo * info, gconstpointer figures)
{
  g_return_val_if_fail (info != NULL && figures != NULL, NAN);
  return histo_figure_read (info->type, G_STRUCT_MEMBER_P (figures, info->offset));
}

enum
{
#define ONE_FIGURE(type, member, ...) HISTO_FIGURE_NUMBER_##member,
#define ONE_PERCENTILE(percent) HISTO_FIGURE_NUMBER_p##percent,
  HISTO_FIGURES (ONE_FIGURE, ONE_PERCENTILE)
#undef ONE_PERCENTILE
#undef ONE_FIGURE
  HISTO_N_FIGURES
};

extern const HistoFigureInfo histo_figures[HISTO_N_FIGURES];

/* ---- Figures of the groups of video --------------------------------------------------------- */

/* The numbers of choices. */
enum
{
  HISTO_FLASH_PASS, HISTO_FLASH_WARNING, HISTO_FLASH_EXTENDED, HISTO_FLASH_FAIL
};
enum
{
  HISTO_FIELD_TFF, HISTO_FIELD_BFF, HISTO_FIELD_PROGRESSIVE, HISTO_FIELD_UNDETERMINED
};
enum
{
  HISTO_REPEATED_NEITHER, HISTO_REPEATED_TOP, HISTO_REPEATED_BOTTOM
};

/* A part of the picture in which flashes are looked for. */
typedef struct
{
  guint transitions, red_transitions;   /* in the last second */
  guint state;                  /* HISTO_FLASH_PASS, … */
} HistoZone;

/* A gdouble for each row of HISTO_GROUP_FIGURES in measures.h, named GROUP_member: that of FIGURE (MOTION, mafd, "mafd", …)
 * is MOTION_mafd, others are SIGNAL_brng, HDR_max_cll and GAMUT_FILTER_any. The rows have the unit and the definition.
 * NaN: absent. A choice has the number of its name: see histo_choice_name(). */
typedef struct
{
#define MEMBER(group, member, ...) gdouble group##_##member;
  HISTO_GROUP_FIGURES (MEMBER, MEMBER, MEMBER)
#undef MEMBER
  /* Not in the table, because they are no doubles. */
  guint n_bits_used;            /* SIGNAL: of native components; 0: absent */
  guint bits_used[HISTO_MAX_COMPONENTS];
  gint area_x, area_y, area_width, area_height; /* AREA: in pixels of the picture; 0 if the group was not measured */
  guint n_zones;                /* FLASH: HISTO_N_ZONES of the picture, row by row; 0: absent */
  HistoZone zones[HISTO_N_ZONES];
  /* HDR: fall if pixels brighter than p9999 count as p9999; for the temporal stage. */
  gdouble fall_p9999;
} HistoGroupFigures;

/* How the figure of a window follows from those of its buffers; see HISTO_GROUP_FIGURES. */
typedef enum
{
  HISTO_WINDOW_SUMS,
  HISTO_WINDOW_GREATEST,
  HISTO_WINDOW_LATEST
} HistoWindowFigure;

typedef struct
{
  HistoGroup group;
  HistoFigureType type;         /* in the result: DOUBLE, UINT or CHOICE; the member is a double */
  const gchar *name;
  gsize offset;                 /* of the member in HistoGroupFigures */
  const gchar *unit;            /* of a choice: its names */
  HistoWindowFigure window;
  const gchar *definition;
  const gchar *origin;
} HistoGroupFigureInfo;

enum
{
#define ONE_FIGURE(group, member, ...) HISTO_GROUP_FIGURE_##group##_##member,
  HISTO_GROUP_FIGURES (ONE_FIGURE, ONE_FIGURE, ONE_FIGURE)
#undef ONE_FIGURE
  HISTO_N_GROUP_FIGURES
};

extern const HistoGroupFigureInfo histo_group_figures[HISTO_N_GROUP_FIGURES];

/* The figures of a zone: the row of the picture's own figure in histo_group_figures, and the member of HistoZone, a
 * guint. In a window each is the greatest one. */
typedef struct
{
  guint figure;
  gsize offset;
} HistoZoneFigure;

#define HISTO_N_ZONE_FIGURES 3

extern const HistoZoneFigure histo_zone_figures[HISTO_N_ZONE_FIGURES];

/* The flags of the groups with figures that depend on earlier results. */
enum
{
#define FLAG_IF_RUNNING(group, member, name, unit, window, ...) \
  | (HISTO_WINDOW_##window == HISTO_WINDOW_SUMS ? 0 : HISTO_GROUP_FLAG (HISTO_GROUP_##group))
  HISTO_RUNNING_GROUPS = 0 HISTO_GROUP_FIGURES (FLAG_IF_RUNNING, FLAG_IF_RUNNING, FLAG_IF_RUNNING)
#undef FLAG_IF_RUNNING
};

/**
 * histo_groups_clear:
 * @figures: (out): none is present
 */
void histo_groups_clear (HistoGroupFigures * figures);

/**
 * histo_choice_names:
 * @info: of a choice
 *
 * Returns: (array zero-terminated): its names, in the order of their numbers; valid for ever
 */
const gchar *const *histo_choice_names (const HistoGroupFigureInfo * info);

/**
 * histo_choice_name:
 * @info: of a choice
 *
 * Returns: (nullable): the name of the number, valid for ever; NULL: it is the number of no name
 */
const gchar *histo_choice_name (const HistoGroupFigureInfo * info, guint number);

/**
 * histo_choice_find:
 * @info: of a choice
 * @name: (nullable):
 *
 * Returns: the number of the name; -1: it is not one of the list
 */
gint histo_choice_find (const HistoGroupFigureInfo * info, const gchar * name);

/* ---- Figures of sound ----------------------------------------------------------------------- */

/* The group `level`: of one channel of one buffer or window. A member for each row of HISTO_LEVEL_FIGURES in measures.h:
 * rms, dc_offset, …. The rows have the unit and the definition. */
typedef struct
{
  HISTO_LEVEL_FIGURES (HISTO_MEMBER)
} HistoLevelFigures;

enum
{
#define ONE_FIGURE(type, member, ...) HISTO_LEVEL_FIGURE_##member,
  HISTO_LEVEL_FIGURES (ONE_FIGURE)
#undef ONE_FIGURE
  HISTO_N_LEVEL_FIGURES
};

extern const HistoFigureInfo histo_level_figures[HISTO_N_LEVEL_FIGURES];

/* The group `level`: of a pair of channels. A member for each row of HISTO_PAIR_FIGURES: correlation, mono_loss, …. */
typedef struct
{
  HISTO_PAIR_FIGURES (HISTO_MEMBER)
} HistoPairFigures;

enum
{
#define ONE_FIGURE(type, member, ...) HISTO_PAIR_FIGURE_##member,
  HISTO_PAIR_FIGURES (ONE_FIGURE)
#undef ONE_FIGURE
  HISTO_N_PAIR_FIGURES
};

extern const HistoFigureInfo histo_pair_figures[HISTO_N_PAIR_FIGURES];

/* The group `loudness`: of a stream. A member for each row of HISTO_LOUDNESS_FIGURES: momentary, short_term, …; and an
 * array, with a number for each channel, for each row of HISTO_LOUDNESS_ARRAYS: true_peak and sample_peak. */
typedef struct
{
  HISTO_LOUDNESS_FIGURES (HISTO_MEMBER)
#define MEMBER(type, member, ...) const gdouble *member;
  HISTO_LOUDNESS_ARRAYS (MEMBER)
#undef MEMBER
} HistoLoudnessFigures;

enum
{
#define ONE_FIGURE(type, member, ...) HISTO_LOUDNESS_FIGURE_##member,
  HISTO_LOUDNESS_FIGURES (ONE_FIGURE)
  HISTO_N_LOUDNESS_FIGURES
};

enum
{
  HISTO_LOUDNESS_ARRAYS (ONE_FIGURE)
#undef ONE_FIGURE
  HISTO_N_LOUDNESS_ARRAYS
};

/* The offset of an array is that of its address. */
extern const HistoFigureInfo
    histo_loudness_figures[HISTO_N_LOUDNESS_FIGURES];
extern const HistoFigureInfo histo_loudness_arrays[HISTO_N_LOUDNESS_ARRAYS];

G_END_DECLS

#endif /* HISTO_FIGURES_H */
