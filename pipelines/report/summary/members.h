/* Tables of the members of an object in JSON. One table says how each member is written, read and checked, how it adds
 * up, and what docs/report.schema.json says of it. schema.c has the tables of a summary, and walks through them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_MEMBERS_H
#define REPORT_MEMBERS_H

#include "cudahisto/cudahisto.h"

G_BEGIN_DECLS

typedef enum
{
  INT,                          /* gint or guint, up to G_MAXINT; -1: absent */
  COUNT,                        /* guint64 */
  SIZE,                         /* guint64; G_MAXUINT64: absent */
  TIME,                         /* guint64 in ns; GST_CLOCK_TIME_NONE, which is G_MAXUINT64: absent */
  END,                          /* the same behind the field of a start, which is not later */
  NUMBER,                       /* gdouble; NaN: absent */
  TEXT,                         /* gchar *, owned; NULL: absent. With names: one of them, as this version writes it */
  TEXTS,                        /* gchar **, owned; NULL or empty: absent */
  BOOLEAN,
  NAME,                         /* an enumeration, as its name */
  CHOICE,                       /* guint, as its name in `choice` */
  FLAGS,                        /* guint, as the array of the names of its flags */
  COUNTS,                       /* an array of `n` guint64 */
  CHOICES,                      /* guint64 for each name of `choice`: an object of counts */
  FIGURES,                      /* a structure of figures, of which `infos` has `n`: each is a member here */
  NUMBERS,                      /* `n` gdouble, named by `infos`: each is a member here; NaN: absent */
  RANGE,                        /* HistoRange; n is 0: absent */
  RANGES,                       /* `n` HistoRange, named by `infos`: each is a member here */
  OBJECT,                       /* a structure */
  OBJECTS,                      /* GPtrArray * of structures; fewer than `n`: absent */
  INLINE,                       /* a pointer to a structure whose members stand here */
  SPECIAL,                      /* one or more members that `special` makes */
  /* Only for the schema, in what a special or a line looks like: */
  LIST,                         /* an array of objects; fewer than `n`: absent */
  INTEGERS,                     /* an array of counts */
  RATIO,                        /* a text: two numbers with a colon between them */
  DEFINED,                      /* what the schema defines by the name `definition` */
  NATIVE_COMPONENTS,            /* an object for each native component, by its name */
  GROUP,                        /* the components and figures of the group `n` */
  GROUPS,                       /* an object for each group of video, but for the flags `n` */
  GROUP_RANGES,                 /* an object for each group of video that has figures: of the range of each */
  JOINTS,                       /* the joint components of the group `n`, each an object */
  ARRAYS                        /* an array of a number for each channel, named by `infos` */
} ReportType;

/* How a member of several inputs follows from theirs. */
typedef enum
{
  NOT,                          /* it does not, or not by itself */
  SUM,
  GREATEST,                     /* of counts; of numbers */
  INSIDE,                       /* the members of an object, each by itself */
  ANY, ALL,                     /* of flags; of booleans */
  LATEST,                       /* of those that have one */
  SAME,                         /* if all have the same */
  EACH                          /* ranges */
} ReportMerge;

enum
{
  NEEDED = 1 << 0,              /* a file without it is no summary */
  ALWAYS = 1 << 1,              /* it is always written, but files of earlier versions may be without it */
  OF_VIDEO = 1 << 2,            /* of streams of this medium only */
  OF_AUDIO = 1 << 3,
  OF_PLACE = 1 << 4,            /* written for regions that have a place only */
  NOT_ZERO = 1 << 5,            /* a number that is written only if it is greater than 0 */
  WRITTEN = 1 << 6              /* it follows from others: it is not read */
};

typedef struct _ReportWalk ReportWalk;
typedef struct _ReportMember ReportMember;

/* What an object looks like. */
typedef struct
{
  const gchar *name;            /* that the schema gives it; NULL: the schema has it where it is used */
  const gchar *text;            /* what the schema says of it; NULL: nothing */
  const ReportMember *members;  /* up to one without a name */
  /* Of an OBJECT: whether it is written. @owner: of the member. NULL: always */
  gboolean (*is_there) (const ReportWalk * walk, gconstpointer owner);
  /* Of OBJECTS: adds a new one. @owner: of the member */
  gpointer (*add) (gpointer owner);
  /* Checks an object whose members have been read; NULL: it is good */
  gboolean (*check) (ReportWalk * walk, gpointer object);
  guint most;                   /* of OBJECTS: so many may be in a file; 0: any number */
} ReportShape;

typedef struct
{
  void (*write) (ReportWalk * walk, gconstpointer owner);
  gboolean (*read) (ReportWalk * walk, gpointer owner); /* NULL: it follows from others */
  const ReportMember *looks;    /* members of the same object, by their names and types */
} ReportSpecial;

struct _ReportMember
{
  const gchar *name;            /* NULL: the end of the table */
  ReportType type;
  gsize offset;
  guint flags;
  ReportMerge merge;
  const gchar *what;            /* of a sum: what there is too much of */
  guint n;
  /* As the type needs it. */
  union
  {
    const gchar *const *names;  /* `n` */
    const HistoFigureInfo *infos;       /* `n` */
    guint choice;               /* HISTO_GROUP_FIGURE_… */
    const ReportShape *shape;
    const ReportSpecial *special;
    const gchar *definition;
  };
  const gchar *text;            /* what the schema says of it; NULL: nothing */
};

#define AT(type, field) .offset = G_STRUCT_OFFSET (type, field)
#define NAMED(names_of) .names = names_of, .n = G_N_ELEMENTS (names_of)
#define NO_MEMBER {.name = NULL}

/* schema.c */
extern const gchar *const report_backend_names[2];
extern const ReportShape report_summary_shape;

G_END_DECLS

#endif /* REPORT_MEMBERS_H */
