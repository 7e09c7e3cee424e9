/* One order for the texts of several streams; see order.h.
 *
 * Each stream has a queue. Its first texts are in memory, the others in the file of the stream, if
 * there is one. So a text is added at the end and taken from the front, wherever it is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/order.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <gst/gst.h>
#include <string.h>
#include <unistd.h>

/* Where a text stands among all texts. */
typedef struct
{
  guint part;                   /* how often its stream had ended before */
  guint64 time;
  gsize length;
} Key;

typedef struct
{
  Key key;
  gchar text[];                 /* key.length bytes */
} Item;

typedef struct
{
  GQueue items;                 /* of Item: the first ones */
  gint file;                    /* of the others: Key and text in turn; -1: none yet */
  guint64 n_in_file, read_at, write_at;
  guint part;                   /* of the next text */
  guint64 latest;               /* time of the latest text of this part */
  gboolean has_ended;
} Line;

struct _ReportOrder
{
  ReportOrderFunc release;
  gpointer data;
  gsize limit, in_memory;       /* bytes of items */
  guint n_lines;
  Line *lines;                  /* one for each stream */
};

/**
 * report_order_new:
 * @limit: bytes of text in memory, see %REPORT_ORDER_LIMIT
 *
 * Returns: (transfer full): to be freed with report_order_free()
 */
ReportOrder *
report_order_new (guint n_streams, gsize limit, ReportOrderFunc release,
    gpointer data)
{
  ReportOrder *order = g_new0 (ReportOrder, 1);

  order->release = release;
  order->data = data;
  order->limit = limit;
  order->n_lines = n_streams;
  order->lines = g_new0 (Line, MAX (n_streams, 1));
  for (guint i = 0; i < n_streams; i++) {
    g_queue_init (&order->lines[i].items);
    order->lines[i].file = -1;
  }
  return order;
}

/* Texts that still wait are lost; see report_order_end(). */
void
report_order_free (ReportOrder * order)
{
  for (guint i = 0; i < order->n_lines; i++) {
    g_queue_clear_full (&order->lines[i].items, g_free);
    if (order->lines[i].file >= 0)
      close (order->lines[i].file);
  }
  g_free (order->lines);
  g_free (order);
}

/* ---- The temporary file ----------------------------------------------------------------------- */

static gboolean
fail (gint code, GError ** error)
{
  g_autofree gchar *name = g_filename_display_name (g_get_tmp_dir ());

  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code),
      "cannot keep lines in %s: %s", name, g_strerror (code));
  return FALSE;
}

/* The file has no name once it is open, so that it cannot remain. */
static gboolean
open_file (Line * line, GError ** error)
{
  gchar *name;

  line->file = g_file_open_tmp ("cudahisto-report-XXXXXX", &name, error);
  if (line->file < 0)
    return FALSE;
  g_unlink (name);
  g_free (name);
  return TRUE;
}

static gboolean
write_bytes (Line * line, gconstpointer bytes, gsize length, GError ** error)
{
  const gchar *from = bytes;

  while (length > 0) {
    const gssize n = pwrite (line->file, from, length, line->write_at);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return fail (n < 0 ? errno : ENOSPC, error);
    from += n;
    length -= n;
    line->write_at += n;
  }
  return TRUE;
}

static gboolean
read_bytes (Line * line, gpointer bytes, gsize length, GError ** error)
{
  gchar *to = bytes;

  while (length > 0) {
    const gssize n = pread (line->file, to, length, line->read_at);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return fail (n < 0 ? errno : EIO, error);
    to += n;
    length -= n;
    line->read_at += n;
  }
  return TRUE;
}

/* ---- The queue of a stream -------------------------------------------------------------------- */

static void
push_item (ReportOrder * order, Line * line, Item * item)
{
  g_queue_push_tail (&line->items, item);
  order->in_memory += sizeof *item + item->key.length;
}

static gboolean
push (ReportOrder * order, Line * line, const Key * key, const gchar * text,
    GError ** error)
{
  const gboolean is_first = line->items.length == 0 && line->n_in_file == 0;
  Item *item;

  /* What follows a text in the file goes to the file. */
  if (line->n_in_file > 0 || (!is_first
          && order->in_memory + sizeof *item + key->length > order->limit)) {
    line->n_in_file++;
    return (line->file >= 0 || open_file (line, error))
        && write_bytes (line, key, sizeof *key, error)
        && write_bytes (line, text, key->length, error);
  }
  item = g_malloc (sizeof *item + key->length);
  item->key = *key;
  memcpy (item->text, text, key->length);
  push_item (order, line, item);
  return TRUE;
}

/* Brings the next text from the file, if there is none in memory. */
static gboolean
load (ReportOrder * order, Line * line, GError ** error)
{
  Item *item;
  Key key;

  if (line->items.length > 0 || line->n_in_file == 0)
    return TRUE;
  if (!read_bytes (line, &key, sizeof key, error))
    return FALSE;
  item = g_malloc (sizeof *item + key.length);
  item->key = key;
  push_item (order, line, item);
  if (!read_bytes (line, item->text, key.length, error))
    return FALSE;
  line->n_in_file--;
  if (line->n_in_file == 0) {
    line->read_at = line->write_at = 0;
    /* The place on the disk is free again. If this fails, it is used again. */
    (void) !ftruncate (line->file, 0);
  }
  return TRUE;
}

/* ---- The order -------------------------------------------------------------------------------- */

static gboolean
is_before (const Key * one, const Key * other)
{
  return one->part != other->part ? one->part < other->part :
      one->time < other->time;
}

/* Whether a stream that has ended may still get a text of the same part as the first one of @next: in a chained file the
 * streams go on one after the other. */
static gboolean
may_go_on (const ReportOrder * order, const Line * next)
{
  const Item *first = g_queue_peek_head ((GQueue *) &next->items);

  for (guint i = 0; i < order->n_lines; i++) {
    const Line *line = &order->lines[i];

    if (line->items.length == 0 && line->part < first->key.part)
      return TRUE;
  }
  return FALSE;
}

/* Returns: (nullable): the stream that has the first of all texts that wait; NULL: a stream may
 * still get an earlier one, or nothing waits */
static Line *
find_next (ReportOrder * order)
{
  Line *next = NULL;

  for (guint i = 0; i < order->n_lines; i++) {
    Line *line = &order->lines[i];
    const Item *item = g_queue_peek_head (&line->items);

    if (item == NULL && !line->has_ended)
      return NULL;
    if (item != NULL && (next == NULL || is_before (&item->key,
                &((Item *) g_queue_peek_head (&next->items))->key)))
      next = line;
  }
  return next == NULL || may_go_on (order, next) ? NULL : next;
}

static gboolean
release_all (ReportOrder * order, GError ** error)
{
  Line *line;
  gboolean ok = TRUE;

  while (ok && (line = find_next (order)) != NULL) {
    g_autofree Item *item = g_queue_pop_head (&line->items);

    order->in_memory -= sizeof *item + item->key.length;
    ok = order->release (order->data, item->text, item->key.length, error)
        && load (order, line, error);
  }
  return ok;
}

/**
 * report_order_set_ended:
 *
 * A stream has ended: the others need not wait for it. Or it goes on after its end, in a chained
 * file: then its next texts come after all those before the end. report_order_add() does the same;
 * but until then the others do not wait for it.
 *
 * Returns: FALSE with an error if a text cannot be released
 */
gboolean
report_order_set_ended (ReportOrder * order, guint stream, gboolean has_ended,
    GError ** error)
{
  Line *line = &order->lines[stream];

  if (line->has_ended && !has_ended) {
    line->part++;
    line->latest = 0;
  }
  line->has_ended = has_ended;
  return !has_ended || release_all (order, error);
}

/**
 * report_order_add:
 * @time: in ns; %GST_CLOCK_TIME_NONE: that of the text before it
 * @text: @length bytes; copied
 *
 * Returns: FALSE with an error if a text cannot be released or kept
 */
gboolean
report_order_add (ReportOrder * order, guint stream, guint64 time,
    const gchar * text, gsize length, GError ** error)
{
  Line *line = &order->lines[stream];
  Key key = { 0 };

  report_order_set_ended (order, stream, FALSE, NULL);
  if (GST_CLOCK_TIME_IS_VALID (time))
    line->latest = MAX (line->latest, time);
  key.part = line->part;
  key.time = line->latest;
  key.length = length;
  return push (order, line, &key, text, error) && release_all (order, error);
}

/* All streams have ended: releases all texts that wait. */
gboolean
report_order_end (ReportOrder * order, GError ** error)
{
  for (guint i = 0; i < order->n_lines; i++) {
    order->lines[i].has_ended = TRUE;
    /* None goes on. */
    order->lines[i].part = G_MAXUINT;
  }
  return release_all (order, error);
}
