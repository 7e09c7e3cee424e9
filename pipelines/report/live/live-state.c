/* How an input is; see live-state.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "live/live-state.h"

#include <math.h>

#include "notices/verdict-line.h"
#include "summary/json.h"

/* Digits behind the point that are enough for all figures. */
#define DECIMALS 4
/* Notices in the state of an input; /notices.json has all. */
#define MOST_SHOWN 6
/* A notice gets the first picture after its begin, if there is one so soon; in µs. */
#define MOST_LATE_PICTURE (3 * G_USEC_PER_SEC)

#define NAME(identifier, name) name,
const gchar *const report_live_state_names[REPORT_N_LIVE_STATES] = {
  REPORT_LIVE_STATES (NAME)
};
#undef NAME

typedef struct
{
  gint64 time;                  /* µs since 1970 */
  GBytes *jpeg;
} Picture;

struct _ReportLive
{
  gchar *name;                  /* UTF-8, may have any characters */
  guint index;
  ReportLiveTell tell;
  gpointer data;
  GMutex lock;                  /* of all that follows */
  guint64 version;
  ReportLiveState state;
  gchar *text;                  /* (nullable): why */
  gint64 since, next;           /* µs since 1970: of the state, and of the next try; 0: none */
  guint64 n_connections;
  gint64 latest;
  gchar *word, *line;           /* the verdict line; word NULL: it has none */
  ReportHistory *history;
  ReportJournal *journal;
  GQueue pictures;              /* of Picture: the oldest one first */
  ReportLiveStream streams[REPORT_MOST_PLAYED];
  guint n_streams;
};

/* ---- JSON ------------------------------------------------------------------------------------- */

static void
write_text (ReportJson * json, const gchar * name, const gchar * text)
{
  g_autofree gchar *valid = text != NULL ? g_utf8_make_valid (text, -1) : NULL;

  report_json_set_key (json, name);
  if (valid != NULL)
    report_json_put_text (json, valid);
  else
    report_json_put_null (json);
}

static void
write_number (ReportJson * json, const gchar * name, gdouble value)
{
  report_json_set_key (json, name);
  report_json_put_rounded (json, value, DECIMALS);
}

/* @time: in µs since 1970; 0: null */
static void
write_time (ReportJson * json, const gchar * name, gint64 time)
{
  g_autoptr (GDateTime) whole = NULL;
  g_autofree gchar *start = NULL, *text = NULL;

  if (time != 0)
    whole = g_date_time_new_from_unix_utc (time / G_USEC_PER_SEC);
  if (whole != NULL) {
    start = g_date_time_format (whole, "%Y-%m-%dT%H:%M:%S");
    text = g_strdup_printf ("%s.%03dZ", start, (gint) (time % G_USEC_PER_SEC / 1000));
  }
  write_text (json, name, text);
}

/* @json: (transfer full): Returns: (transfer full): what it has, in one line */
static gchar *
finish_json (ReportJson * json)
{
  return g_string_free (report_json_finish (json), FALSE);
}

static void
write_entry (ReportJson * json, const ReportEntry * entry)
{
  report_json_add_int (json, "number", entry->number);
  write_text (json, "kind", report_notice_kind_names[report_checks[entry->check].kind]);
  write_text (json, "severity", report_severity_names[entry->severity]);
  write_text (json, "text", entry->text);
  if (entry->stream >= 0)
    report_json_add_int (json, "stream", (guint64) entry->stream);
  write_time (json, "begin", entry->begin);
  write_time (json, "end", entry->end);
  if (entry->end != 0 && !entry->is_moment)
    write_number (json, "seconds", (gdouble) (entry->end - entry->begin) / G_USEC_PER_SEC);
  report_json_set_key (json, "picture");
  report_json_put_boolean (json, entry->picture != NULL);
}

/* ---- Writing ---------------------------------------------------------------------------------- */

/* Tells of a notice. Under the lock. */
static void
tell_entry (gpointer data, ReportEntry * entry, gboolean has_ended)
{
  ReportLive *live = data;
  ReportJson *json = report_json_new (FALSE);
  g_autofree gchar *line = NULL;

  report_json_begin_object (json, NULL);
  write_text (json, "type", "notice");
  write_text (json, "event", has_ended ? "end" : "begin");
  write_text (json, "input", live->name);
  write_entry (json, entry);
  report_json_end_object (json);
  line = finish_json (json);
  live->tell (live->data, line);
}

/* @name: of the input, UTF-8 */
ReportLive *
report_live_new (const gchar * name, guint index, ReportLiveTell tell, gpointer data)
{
  ReportLive *live = g_new0 (ReportLive, 1);

  live->name = g_strdup (name);
  live->index = index;
  live->tell = tell;
  live->data = data;
  g_mutex_init (&live->lock);
  live->since = g_get_real_time ();
  live->history = report_history_new ();
  live->journal = report_journal_new (tell_entry, live);
  g_queue_init (&live->pictures);
  return live;
}

static void
picture_free (gpointer data)
{
  Picture *picture = data;

  g_bytes_unref (picture->jpeg);
  g_free (picture);
}

static void
clear_streams (ReportLiveStream * streams, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_clear_pointer (&streams[i].title, g_free);
    g_clear_pointer (&streams[i].facts, g_free);
  }
}

void
report_live_free (ReportLive * live)
{
  g_free (live->name);
  g_free (live->text);
  g_free (live->word);
  g_free (live->line);
  clear_streams (live->streams, live->n_streams);
  report_history_free (live->history);
  report_journal_free (live->journal);
  g_queue_clear_full (&live->pictures, picture_free);
  g_mutex_clear (&live->lock);
  g_free (live);
}

/**
 * report_live_set_state:
 * @text: (nullable): why
 * @next: µs since 1970 of the next try; 0: there is none
 */
void
report_live_set_state (ReportLive * live, ReportLiveState state, const gchar * text, gint64 next)
{
  ReportJson *json = report_json_new (FALSE);
  g_autofree gchar *line = NULL;
  gboolean is_new;

  g_mutex_lock (&live->lock);
  is_new = live->state != state || g_strcmp0 (live->text, text) != 0;
  if (live->state != state)
    live->since = g_get_real_time ();
  live->state = state;
  g_free (live->text);
  live->text = g_strdup (text);
  live->next = next;
  live->version++;
  report_json_begin_object (json, NULL);
  write_text (json, "type", "state");
  write_text (json, "input", live->name);
  write_text (json, "state", report_live_state_names[state]);
  write_text (json, "text", text);
  write_time (json, "time", g_get_real_time ());
  report_json_end_object (json);
  line = finish_json (json);
  if (is_new)
    live->tell (live->data, line);
  g_mutex_unlock (&live->lock);
}

/* A connection begins. */
void
report_live_connect (ReportLive * live)
{
  g_mutex_lock (&live->lock);
  live->n_connections++;
  g_mutex_unlock (&live->lock);
}

/* @time: µs since 1970; @values: NaN: there is none */
void
report_live_add (ReportLive * live, gint64 time, const gdouble values[REPORT_N_LIVE_FIGURES])
{
  g_mutex_lock (&live->lock);
  for (guint i = 0; i < REPORT_N_LIVE_FIGURES; i++)
    report_history_add (live->history, time, i, values[i]);
  g_mutex_unlock (&live->lock);
}

/* Gives the picture to notices that have none and began a short time before. */
static void
give_picture (ReportLive * live, const Picture * picture)
{
  const GPtrArray *entries = report_journal_entries (live->journal);

  for (guint i = 0; i < entries->len; i++) {
    ReportEntry *entry = entries->pdata[i];

    if (entry->picture != NULL || picture->time < entry->begin || picture->time - entry->begin > MOST_LATE_PICTURE)
      continue;
    entry->picture = g_bytes_ref (picture->jpeg);
    entry->picture_time = picture->time;
  }
}

/* @jpeg: (transfer full): of the frame of this time, in µs since 1970 */
void
report_live_add_picture (ReportLive * live, gint64 time, GBytes * jpeg)
{
  Picture *picture = g_new (Picture, 1);

  *picture = (Picture) { time, jpeg };
  g_mutex_lock (&live->lock);
  g_queue_push_tail (&live->pictures, picture);
  if (live->pictures.length > REPORT_MOST_LIVE_PICTURES)
    picture_free (g_queue_pop_head (&live->pictures));
  give_picture (live, picture);
  live->version++;
  g_mutex_unlock (&live->lock);
}

static void
copy_streams (ReportLiveStream * to, const ReportLiveStream * from, guint n)
{
  for (guint i = 0; i < n; i++) {
    to[i] = from[i];
    to[i].title = g_strdup (from[i].title);
    to[i].facts = g_strdup (from[i].facts);
  }
}

/* @streams: are copied; @n: at most REPORT_MOST_PLAYED; @latest: µs since 1970 of the latest result; 0: as before */
void
report_live_set_streams (ReportLive * live, const ReportLiveStream * streams, guint n, gint64 latest)
{
  g_mutex_lock (&live->lock);
  clear_streams (live->streams, live->n_streams);
  copy_streams (live->streams, streams, n);
  live->n_streams = n;
  if (latest != 0)
    live->latest = latest;
  live->version++;
  g_mutex_unlock (&live->lock);
}

/* @summary: with its notices */
void
report_live_take (ReportLive * live, const ReportSummary * summary, const ReportJournalTimes * times)
{
  const gchar *word;
  gchar *line = report_verdict_line_split (summary, REPORT_VERDICT_LINE_NOTICES, &word);

  g_mutex_lock (&live->lock);
  g_free (live->word);
  g_free (live->line);
  live->word = g_strdup (word);
  live->line = line;
  report_journal_take (live->journal, summary->notices, times);
  /* A notice may be found out after the picture of its begin. */
  for (const GList * item = live->pictures.tail; item != NULL; item = item->prev) {
    const Picture *picture = item->data;

    if (times->anchor + (gint64) (times->position / 1000) - picture->time > 10 * G_USEC_PER_SEC)
      break;
    give_picture (live, picture);
  }
  live->version++;
  g_mutex_unlock (&live->lock);
}

/* ---- Reading ---------------------------------------------------------------------------------- */

const gchar *
report_live_name (const ReportLive * live)
{
  return live->name;
}

/* Returns: another number after each change */
guint64
report_live_version (ReportLive * live)
{
  guint64 version;

  g_mutex_lock (&live->lock);
  version = live->version;
  g_mutex_unlock (&live->lock);
  return version;
}

static void
write_stream (ReportJson * json, const ReportLiveStream * stream)
{
  report_json_begin_object (json, NULL);
  write_text (json, "title", stream->title);
  write_text (json, "facts", stream->facts);
  write_text (json, "media", stream->is_audio ? "audio" : "video");
  report_json_add_int (json, "results", stream->n_results);
  report_json_add_int (json, "late", stream->counts.n_late);
  report_json_add_int (json, "gaps", stream->n_gaps);
  if (!stream->is_audio) {
    write_number (json, "luma-min", stream->luma_least);
    write_number (json, "luma-mean", stream->luma_mean);
    write_number (json, "luma-max", stream->luma_most);
    report_json_end_object (json);
    return;
  }
  report_json_begin_array (json, "peaks");
  for (guint c = 0; c < stream->n_channels; c++)
    report_json_put_rounded (json, stream->peaks[c], DECIMALS);
  report_json_end_array (json);
  report_json_begin_array (json, "rms");
  for (guint c = 0; c < stream->n_channels; c++)
    report_json_put_rounded (json, stream->rms[c], DECIMALS);
  report_json_end_array (json);
  write_number (json, "momentary", stream->momentary);
  write_number (json, "short-term", stream->short_term);
  write_number (json, "integrated", stream->integrated);
  write_number (json, "range", stream->range);
  report_json_end_object (json);
}

/* @most: the latest ones; @only_open: those that go on */
static void
write_entries (ReportJson * json, const gchar * name, const GPtrArray * entries, guint most, gboolean only_open)
{
  report_json_begin_array (json, name);
  for (guint i = entries->len; i-- > 0 && most > 0;) {
    const ReportEntry *entry = entries->pdata[i];

    if (only_open && entry->end != 0)
      continue;
    report_json_begin_object (json, NULL);
    write_entry (json, entry);
    report_json_end_object (json);
    most--;
  }
  report_json_end_array (json);
}

static void
write_state (ReportJson * json, const ReportLive * live)
{
  const Picture *picture = live->pictures.tail != NULL ? live->pictures.tail->data : NULL;

  report_json_add_int (json, "index", live->index);
  write_text (json, "name", live->name);
  write_text (json, "state", report_live_state_names[live->state]);
  write_text (json, "text", live->text);
  write_time (json, "since", live->since);
  write_time (json, "next", live->next);
  write_time (json, "latest", live->latest);
  write_text (json, "word", live->word);
  write_text (json, "verdict", live->line);
  if (picture != NULL)
    report_json_add_int (json, "picture", (guint64) picture->time);
}

/* What the wall shows of the input. */
gchar *
report_live_describe (ReportLive * live)
{
  ReportJson *json = report_json_new (FALSE);

  g_mutex_lock (&live->lock);
  report_json_begin_object (json, NULL);
  write_state (json, live);
  report_json_begin_array (json, "streams");
  for (guint i = 0; i < live->n_streams; i++)
    write_stream (json, &live->streams[i]);
  report_json_end_array (json);
  write_entries (json, "open", report_journal_entries (live->journal), REPORT_MOST_ENTRIES, TRUE);
  write_entries (json, "notices", report_journal_entries (live->journal), MOST_SHOWN, FALSE);
  report_json_end_object (json);
  g_mutex_unlock (&live->lock);
  return finish_json (json);
}

/* All notices that are kept, the latest one first. */
gchar *
report_live_list_notices (ReportLive * live)
{
  ReportJson *json = report_json_new (FALSE);

  g_mutex_lock (&live->lock);
  report_json_begin_object (json, NULL);
  write_state (json, live);
  write_entries (json, "notices", report_journal_entries (live->journal), REPORT_MOST_ENTRIES, FALSE);
  report_json_end_object (json);
  g_mutex_unlock (&live->lock);
  return finish_json (json);
}

/* A hundredth is enough for a chart, and short. */
static void
append_number (GString * text, const gchar * before, gdouble value)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  if (isfinite (value))
    g_string_append_printf (text, "%s%s", before, g_ascii_formatd (number, sizeof number, "%.2f", value));
  else
    g_string_append_printf (text, "%snull", before);
}

/**
 * report_live_list_rows:
 * @after: rows that begin later, in seconds since 1970
 * @latest: (out): of the last row; @after: there is none
 *
 * Returns: rows as arrays: the time, then for each figure the least, mean and greatest value, or null
 */
gchar *
report_live_list_rows (ReportLive * live, ReportRowLength length, gint64 after, gint64 * latest)
{
  GString *text = g_string_new ("[");
  g_autoptr (GArray) rows = NULL;

  g_mutex_lock (&live->lock);
  rows = report_history_list (live->history, length, after);
  g_mutex_unlock (&live->lock);
  *latest = after;
  for (guint i = 0; i < rows->len; i++) {
    const ReportLiveRow *row = &g_array_index (rows, ReportLiveRow, i);

    *latest = row->time;
    g_string_append_printf (text, "%s[%" G_GINT64_FORMAT, i > 0 ? "," : "", row->time);
    for (guint f = 0; f < REPORT_N_LIVE_FIGURES; f++) {
      const ReportLiveRange *range = &row->figures[f];

      if (range->n == 0) {
        g_string_append (text, ",null");
        continue;
      }
      append_number (text, ",[", range->least);
      append_number (text, ",", range->sum / range->n);
      append_number (text, ",", range->most);
      g_string_append_c (text, ']');
    }
    g_string_append_c (text, ']');
  }
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

/* The times of all pictures, in µs since 1970. */
gchar *
report_live_list_pictures (ReportLive * live)
{
  ReportJson *json = report_json_new (FALSE);

  report_json_begin_array (json, NULL);
  g_mutex_lock (&live->lock);
  for (const GList * item = live->pictures.head; item != NULL; item = item->next)
    report_json_put_int (json, ((const Picture *) item->data)->time);
  g_mutex_unlock (&live->lock);
  report_json_end_array (json);
  return finish_json (json);
}

/* @time: of a picture; 0: the latest one. Returns: (transfer full) (nullable): JPEG */
GBytes *
report_live_picture (ReportLive * live, gint64 time)
{
  GBytes *jpeg = NULL;

  g_mutex_lock (&live->lock);
  for (const GList * item = live->pictures.tail; item != NULL && jpeg == NULL; item = item->prev) {
    const Picture *picture = item->data;

    if (time == 0 || picture->time == time)
      jpeg = g_bytes_ref (picture->jpeg);
  }
  g_mutex_unlock (&live->lock);
  return jpeg;
}

/* @number: of a notice. Returns: (transfer full) (nullable): JPEG */
GBytes *
report_live_picture_of (ReportLive * live, guint64 number)
{
  const GPtrArray *entries;
  GBytes *jpeg = NULL;

  g_mutex_lock (&live->lock);
  entries = report_journal_entries (live->journal);
  for (guint i = 0; i < entries->len; i++) {
    const ReportEntry *entry = entries->pdata[i];

    if (entry->number == number && entry->picture != NULL)
      jpeg = g_bytes_ref (entry->picture);
  }
  g_mutex_unlock (&live->lock);
  return jpeg;
}

/* Returns: (transfer full): to be freed with report_live_numbers_free() */
ReportLiveNumbers *
report_live_read (ReportLive * live)
{
  ReportLiveNumbers *numbers = g_new0 (ReportLiveNumbers, 1);
  const GPtrArray *entries;

  g_mutex_lock (&live->lock);
  numbers->state = live->state;
  numbers->n_connections = live->n_connections;
  numbers->latest = live->latest;
  numbers->n_streams = live->n_streams;
  copy_streams (numbers->streams, live->streams, live->n_streams);
  for (guint kind = 0; kind < REPORT_N_NOTICE_KINDS; kind++)
    numbers->n_begun[kind] = report_journal_begun (live->journal, kind);
  entries = report_journal_entries (live->journal);
  for (guint i = 0; i < entries->len; i++) {
    const ReportEntry *entry = entries->pdata[i];

    if (entry->end == 0)
      numbers->is_open[report_checks[entry->check].kind] = TRUE;
  }
  g_mutex_unlock (&live->lock);
  return numbers;
}

void
report_live_numbers_free (ReportLiveNumbers * numbers)
{
  clear_streams (numbers->streams, numbers->n_streams);
  g_free (numbers);
}
