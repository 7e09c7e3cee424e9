/* Tables of the members of a structure. One table says how each member is made and freed, written as JSON, read and
 * checked, how it adds up, and what docs/report.schema.json says of it. The tables stand beside their structures;
 * schema.c has those of a summary. walk.c, schema.c and merge.c walk through them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_MEMBERS_H
#define REPORT_MEMBERS_H

#include "cudahisto/cudahisto.h"

#include "base/objects.h"

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
  TEXTS,                        /* gchar **, owned; NULL or fewer than `n`: absent */
  LABEL,                        /* const gchar *: one of the names; the last one is also that of unknown ones */
  BOOLEAN,
  MEDIUM,                       /* gboolean, which is also said of the members behind it: it is a stream of sound */
  NAME,                         /* an enumeration, as its name */
  CHOICE,                       /* guint, as its name in `choice` */
  FLAGS,                        /* guint, as the array of the names of its `n` flags; of their numbers without names */
  COUNTS,                       /* an array of `n` guint64 */
  BINS,                         /* guint64 *, owned: an array as long as the guint at the offset `n` says */
  BLOCKS,                       /* HistoLoudnessBlocks *: pairs of a bin and its count */
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
  NOT,                          /* it does not, or merge.c has a function for it */
  SUM,                          /* of numbers, counts (a special is `n` of them) and ranges; too large ones are an error */
  LIMITED,                      /* the sum of counts or times, which is at most G_MAXINT64 */
  GREATEST,                     /* of numbers, counts, times and names; NaN is none */
  ANY, ALL,                     /* of flags; of booleans */
  FIRST,                        /* that of the first */
  KEY,                          /* the same: only objects in which all keys are equal add up */
  LATEST,                       /* of those that have one */
  SAME,                         /* if all have the same */
  INSIDE,                       /* the members of an object, each by itself */
  MATCHED,                      /* objects with the same keys, whose members add up */
  JOINED                        /* all objects one after the other, with the name of their input */
} ReportMerge;

enum
{
  NEEDED = 1 << 0,              /* a file without it is no summary */
  ALWAYS = 1 << 1,              /* it is always written, but files of earlier versions may be without it */
  OF_VIDEO = 1 << 2,            /* of streams of this medium only */
  OF_AUDIO = 1 << 3,
  OF_PLACE = 1 << 4,            /* written for regions that have a place only */
  OF_ONE = 1 << 5,              /* written if the summary is of one input only */
  NOT_ZERO = 1 << 6,            /* a number that is written only if it is greater than 0, flags if there are some, or what is true */
  WRITTEN = 1 << 7,             /* it follows from others: it is not read */
  ANSWER = (1 << 8) | WRITTEN   /* it is a member of ReportStreamAnswers, which are made of the stream */
};

typedef struct _ReportWalk ReportWalk;
typedef struct _ReportMember ReportMember;

/* What an object looks like. */
struct _ReportShape
{
  const gchar *name;            /* that the schema gives it; NULL: the schema has it where it is used */
  const gchar *text;            /* what the schema says of it; NULL: nothing */
  gsize size;                   /* of the structure; 0: it is not made here */
  const ReportMember *members;  /* up to one without a name */
  /* Says whether an OBJECT is written. @owner: of the member. @made: all zero: with a size, what is written instead
   * of the owner's field. NULL: always */
  gboolean (*find) (const ReportWalk * walk, gconstpointer owner, gpointer made);
  /* Adds a new one of OBJECTS. @owner: of the member. NULL: report_objects_add() does */
  gpointer (*add) (gpointer owner);
  /* Checks an object whose members have been read; NULL: it is good */
  gboolean (*check) (ReportWalk * walk, gpointer object);
  guint most;                   /* of OBJECTS: so many may be in a file; 0: any number */
};

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
  gsize n;
  /* What the type needs. */
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

/* The field of a member. @type: of C */
#define FIELD(type, owner, member) G_STRUCT_MEMBER (type, owner, (member)->offset)

/* Lists that are searched for each element of another one have at most so many of a file: components of sound are as many
 * as its channels. */
#define MOST_SEARCHED (2 * HISTO_MAX_CHANNELS)

G_END_DECLS

#endif /* REPORT_MEMBERS_H */
