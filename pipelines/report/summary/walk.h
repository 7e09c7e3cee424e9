/* Writes and reads JSON by tables of members; see base/members.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_WALK_H
#define REPORT_WALK_H

#include "base/members.h"
#include "summary/json.h"

G_BEGIN_DECLS

/* What follows from a stream of a summary, and is written with it. */
typedef struct
{
  guint64 delay, early_end;     /* see report_summary_delay(), report_summary_early_end() */
  const gchar *field_order;     /* see report_answers_field_order() */
  gchar *headline;              /* see report_answer_sound() */
  guint picture_state, zones_state;     /* see report_answers_flashes() */
  gchar **hints;                /* NULL: there are none */
  guint unchecked;              /* flags of alerts that were watched and could not be checked */
} ReportStreamAnswers;

/* A walk through a summary that is written, or through the JSON of one that is read. */
struct _ReportWalk
{
  ReportJson *json;         /* of what is written */
  JsonObject *object;           /* the one that is read */
  GError **error;               /* of reading */
  const ReportSummary *summary; /* that is written */
  ReportStreamAnswers answers;  /* of the stream that is written */
  gboolean is_page;             /* what is written is part of a page, so its size is bounded */
  gboolean is_audio;            /* the stream that is written or read */
  guint64 version;              /* of what is read */
};

void report_walk_write (ReportWalk * walk, const ReportMember * members, gconstpointer owner);
gboolean report_walk_read (ReportWalk * walk, const ReportMember * members, gpointer owner);
gboolean report_walk_read_shape (ReportWalk * walk, const ReportShape * shape, gpointer object);

/* For specials. @add: adds a number of its kind. */
void report_walk_write_range (ReportWalk * walk, const gchar * key, const HistoRange * range,
    void (*add) (ReportJson * json, const gchar * key, gdouble number));
void report_walk_write_choices (ReportWalk * walk, const gchar * key, guint figure, const guint64 * counts);

/* These return FALSE, or NULL, with an error if the member is something else, or not there. */
gboolean report_walk_fail (const ReportWalk * walk, const gchar * key, const gchar * what);
gboolean report_walk_get_int (const ReportWalk * walk, const gchar * key, guint64 most, guint64 * number);
const gchar *report_walk_get_text (const ReportWalk * walk, const gchar * key);
JsonArray *report_walk_get_array (const ReportWalk * walk, const gchar * key);
gboolean report_walk_get_counts (const ReportWalk * walk, const gchar * key, guint64 * counts, guint n);
JsonObject *report_walk_enter (ReportWalk * walk, const gchar * key);
gboolean report_walk_read_range (ReportWalk * walk, const gchar * key, HistoRange * range);
gboolean report_walk_read_choices (ReportWalk * walk, const gchar * key, guint figure, guint64 * counts);
gboolean report_walk_read_objects (ReportWalk * walk, const ReportMember * member, gpointer owner);

G_END_DECLS

#endif /* REPORT_WALK_H */
