/* Walks two JSON reports in step; see match.h.
 *
 * Each stream of each file is read by itself, so no more than two results of each are in memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/match.h"

#include <string.h>

#include "base/interrupt.h"
#include "summary/json.h"
#include "input/watch.h"

/* A result whose length is unknown counts as so long. */
#define USUAL_LENGTH (40 * GST_MSECOND)
/* So many bytes are read at once: a line has some thousands. */
#define BUFFER_BYTES (64 << 10)
/* The text with which the program begins a summary: it need not be parsed. */
#define SUMMARY "{\"type\":\"summary\""

typedef struct
{
  JsonParser *parser;           /* holds the object; NULL: there are no more results */
  JsonObject *object;
  guint64 time, duration;       /* ns from the start of the stream; duration: 0: unknown */
  gint64 place;                 /* the shifted time */
} Result;

typedef struct
{
  const ReportMatchSide *side;
  GDataInputStream *lines;
  guint64 n_lines;              /* that were read */
  gboolean has_origin;
  guint64 origin, latest;       /* ns: time of the first result; the latest time, from there on */
  Result now, next;
} Cursor;

static gboolean
cursor_open (Cursor * cursor, const ReportMatchSide * side, GError ** error)
{
  g_autoptr (GFile) file = g_file_new_for_path (side->path);
  g_autoptr (GFileInputStream) from = g_file_read (file, NULL, error);

  cursor->side = side;
  if (from == NULL)
    return FALSE;
  cursor->lines = g_data_input_stream_new (G_INPUT_STREAM (from));
  g_buffered_input_stream_set_buffer_size (G_BUFFERED_INPUT_STREAM
      (cursor->lines), BUFFER_BYTES);
  return TRUE;
}

/* Whether a line may be of the stream. Most are of others, and need not be parsed. In a text of JSON the quotation mark
 * behind the name would have a backslash. */
static gboolean
may_be_of (const gchar * line, guint stream)
{
  const gchar *place = strstr (line, "\"stream\"");

  if (g_str_has_prefix (line, SUMMARY) || place == NULL)
    return FALSE;
  place += strlen ("\"stream\"");
  place += strspn (place, " \t");
  if (*place != ':')
    return TRUE;
  place++;
  place += strspn (place, " \t");
  return g_ascii_strtoull (place, NULL, 10) == stream;
}

/* Returns: a time in ns; GST_CLOCK_TIME_NONE: there is none */
static guint64
get_time (JsonObject * object, const gchar * key)
{
  const gdouble number =
      report_json_to_number (json_object_get_member (object, key));

  return number >= 0 && number < (gdouble) (G_MAXINT64 / 4) ?
      (guint64) json_object_get_int_member (object, key) : GST_CLOCK_TIME_NONE;
}

/* The time counts from that of the first result: in version 1 the times are those of the container. One that is
 * earlier than the one before has its time, as in the order of the lines. */
static void
set_times (Cursor * cursor, Result * result)
{
  guint64 time = get_time (result->object, "stream-time");
  const guint64 duration = get_time (result->object, "duration");

  if (!GST_CLOCK_TIME_IS_VALID (time))
    time = cursor->origin + cursor->latest;
  if (!cursor->has_origin)
    cursor->origin = time;
  cursor->has_origin = TRUE;
  if (time >= cursor->origin)
    cursor->latest = MAX (cursor->latest, time - cursor->origin);
  result->time = cursor->latest;
  result->duration = GST_CLOCK_TIME_IS_VALID (duration) ? duration : 0;
  result->place = (gint64) result->time + cursor->side->shift;
}

/* Whether the object is a result of the stream. */
static gboolean
is_result (JsonObject * object, const ReportMatchSide * side)
{
  const gchar *type =
      report_json_to_text (json_object_get_member (object, "type"));

  return g_strcmp0 (type, side->is_audio ? "window" : "frame") == 0
      && report_json_to_number (json_object_get_member (object, "stream"))
      == side->stream;
}

/* Reads the next result of the stream. Its object is NULL at the end. */
static gboolean
read_result (Cursor * cursor, Result * result, GError ** error)
{
  GError *problem = NULL;
  gchar *line;
  gsize length;

  memset (result, 0, sizeof *result);
  while (result->object == NULL && problem == NULL
      && (line = g_data_input_stream_read_line (cursor->lines, &length, NULL,
              &problem)) != NULL) {
    JsonNode *root;

    cursor->n_lines++;
    if (may_be_of (line, cursor->side->stream)) {
      result->parser = report_json_parse (line, length, &problem);
      root = result->parser != NULL ?
          json_parser_get_root (result->parser) : NULL;
      if (root != NULL && JSON_NODE_HOLDS_OBJECT (root)
          && is_result (json_node_get_object (root), cursor->side))
        result->object = json_node_get_object (root);
      else
        g_clear_object (&result->parser);
    }
    g_free (line);
  }
  if (problem != NULL) {
    g_propagate_prefixed_error (error, problem,
        "%s: line %" G_GUINT64_FORMAT ": ", cursor->side->name,
        cursor->n_lines);
    return FALSE;
  }
  if (result->object != NULL)
    set_times (cursor, result);
  return TRUE;
}

static gboolean
advance (Cursor * cursor, GError ** error)
{
  g_clear_object (&cursor->now.parser);
  cursor->now = cursor->next;
  return read_result (cursor, &cursor->next, error);
}

static guint64
length_of (const Cursor * cursor)
{
  if (cursor->now.duration > 0)
    return cursor->now.duration;
  return cursor->next.object != NULL && cursor->next.time > cursor->now.time ?
      cursor->next.time - cursor->now.time : USUAL_LENGTH;
}

static void
add_unmatched (ReportUnmatched * unmatched, const Cursor * cursor)
{
  const guint64 length = length_of (cursor);

  if (unmatched->n == 0)
    unmatched->first = cursor->now.time;
  unmatched->n++;
  unmatched->last = cursor->now.time + length;
  unmatched->length += length;
}

static guint64
distance (gint64 a, gint64 b)
{
  return a > b ? (guint64) a - (guint64) b : (guint64) b - (guint64) a;
}

/* Returns: the side whose result has no counterpart; -1: the two results belong together.
 *
 * They do if their times differ by at most half the shorter one's length, and the next result of the earlier one is not
 * nearer. So each result has at most one counterpart, also of streams of different rates. */
static gint
find_lonely (const Cursor * cursors)
{
  const Cursor *a = &cursors[0], *b = &cursors[1];
  const guint64 apart = distance (a->now.place, b->now.place);
  const gint earlier = a->now.place <= b->now.place ? 0 : 1;
  const Result *next = &cursors[earlier].next;

  if (apart > MIN (length_of (a), length_of (b)) / 2 + REPORT_ROUNDING)
    return earlier;
  return next->object != NULL && distance (next->place,
      cursors[1 - earlier].now.place) < apart ? earlier : -1;
}

static gboolean
is_before (const Cursor * cursor, guint64 time)
{
  return cursor->now.time + REPORT_ROUNDING < time;
}

static gboolean
is_after (const Cursor * cursor, guint64 time)
{
  return cursor->now.time > time + REPORT_ROUNDING;
}

/* The same as find_lonely(), of frames that were paired before.
 *
 * @next: (inout): the place of the next pair */
static gint
find_unpaired (const Cursor * cursors, const GArray * pairs, guint * next)
{
  const ReportMatchPair *all = (const ReportMatchPair *) pairs->data;

  while (*next < pairs->len && (is_after (&cursors[0], all[*next].times[0]) || is_after (&cursors[1], all[*next].times[1])))
    ++*next;
  for (gint i = 0; i < 2; i++) {
    if (*next == pairs->len || is_before (&cursors[i], all[*next].times[i]))
      return i;
  }
  ++*next;
  return -1;
}

static gboolean
walk (Cursor * cursors, const GArray * pairs, ReportDifferences * differences, ReportMatch * match,
    GError ** error)
{
  guint next = 0;

  for (guint i = 0; i < 2; i++) {
    if (!advance (&cursors[i], error) || !advance (&cursors[i], error))
      return FALSE;
  }
  while ((cursors[0].now.object != NULL || cursors[1].now.object != NULL)
      && report_interrupt_signal () == 0) {
    const gint lonely = cursors[0].now.object == NULL ? 1 :
        cursors[1].now.object == NULL ? 0 : pairs != NULL ? find_unpaired (cursors, pairs, &next) : find_lonely (cursors);

    if (lonely < 0) {
      report_differences_add_frames (differences, cursors[0].now.object,
          cursors[1].now.object, cursors[0].now.time);
      match->n++;
    } else {
      add_unmatched (&match->unmatched[lonely], &cursors[lonely]);
    }
    for (gint i = 0; i < 2; i++) {
      if (i == 1 - lonely)
        continue;
      match->n_results[i]++;
      if (!advance (&cursors[i], error))
        return FALSE;
    }
  }
  return TRUE;
}

/**
 * report_match:
 * @sides: (array fixed-size=2): files that were read as summaries before
 * @pairs: (nullable) (element-type ReportMatchPair): the frames that belong together, in order; NULL: those that have the same time
 * @match: (out): what has a counterpart, and what has none
 *
 * Adds the differences of all results that belong together.
 *
 * Returns: FALSE with an error if a file cannot be read
 */
gboolean
report_match (const ReportMatchSide sides[2], const GArray * pairs, ReportDifferences * differences,
    ReportMatch * match, GError ** error)
{
  Cursor cursors[2] = { 0 };
  gboolean ok;

  memset (match, 0, sizeof *match);
  ok = cursor_open (&cursors[0], &sides[0], error)
      && cursor_open (&cursors[1], &sides[1], error)
      && walk (cursors, pairs, differences, match, error);
  for (guint i = 0; i < 2; i++) {
    g_clear_object (&cursors[i].lines);
    g_clear_object (&cursors[i].now.parser);
    g_clear_object (&cursors[i].next.parser);
  }
  return ok;
}
