/* The texts of several streams in one order, however they arrive and wherever they wait.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/order.h"

#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <string.h>

#define MOST_STREAMS 5
#define MOST_TEXTS 200

/* A text, in the order of its stream. The end of a stream is a text, too. */
typedef struct
{
  guint stream, part, number;
  guint64 time, place;          /* as it is given; with which it is sorted */
  gboolean is_end;
  gchar *text;
} Text;

static void
text_free (gpointer data)
{
  Text *text = data;

  g_free (text->text);
  g_free (text);
}

/* Makes the texts of one stream: times mostly grow, some are missing or go back. A chained file goes on
 * with another part.
 *
 * Returns: (element-type Text) */
static GPtrArray *
make_stream (GRand * random, guint stream, guint n_parts)
{
  GPtrArray *texts = g_ptr_array_new_with_free_func (text_free);

  for (guint part = 0; part < n_parts; part++) {
    const guint n = g_rand_int_range (random, 0, MOST_TEXTS);
    guint64 time = g_rand_int_range (random, 0, 50), place = 0;

    for (guint i = 0; i <= n; i++) {
      Text *text = g_new0 (Text, 1);

      text->stream = stream;
      text->part = part;
      text->number = texts->len;
      text->is_end = i == n;
      time += g_rand_int_range (random, 0, 4);
      text->time = time;
      if (time > 0 && g_rand_int_range (random, 0, 20) == 0)
        text->time--;
      if (g_rand_int_range (random, 0, 10) == 0)
        text->time = GST_CLOCK_TIME_NONE;
      else
        place = MAX (place, text->time);
      text->place = place;
      text->text = g_strdup_printf ("%u.%u.%u%*s\n", stream, part,
          text->number, g_rand_int_range (random, 1, 100), "");
      g_ptr_array_add (texts, text);
    }
  }
  return texts;
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const Text *one = *(Text * const *) a, *other = *(Text * const *) b;

  if (one->part != other->part)
    return one->part < other->part ? -1 : 1;
  if (one->place != other->place)
    return one->place < other->place ? -1 : 1;
  if (one->stream != other->stream)
    return one->stream < other->stream ? -1 : 1;
  return one->number < other->number ? -1 : 1;
}

/* Returns: (transfer full): all texts as they must come */
static gchar *
sort (GPtrArray ** streams, guint n_streams)
{
  GPtrArray *all = g_ptr_array_new ();
  GString *sorted = g_string_new (NULL);

  for (guint s = 0; s < n_streams; s++) {
    for (guint i = 0; i < streams[s]->len; i++)
      g_ptr_array_add (all, streams[s]->pdata[i]);
  }
  g_ptr_array_sort (all, compare);
  for (guint i = 0; i < all->len; i++) {
    const Text *text = all->pdata[i];

    if (!text->is_end)
      g_string_append (sorted, text->text);
  }
  g_ptr_array_unref (all);
  return g_string_free (sorted, FALSE);
}

/* A ReportOrderFunc. */
static gboolean
take (gpointer data, const gchar * text, gsize length, GError ** error)
{
  g_string_append_len (data, text, length);
  return TRUE;
}

/* The next text of a random stream that has some left in this part.
 * Returns: (nullable): NULL: there is none */
static const Text *
choose (GRand * random, GPtrArray ** streams, guint n_streams, guint * next,
    guint part)
{
  guint candidates[MOST_STREAMS], n = 0;

  for (guint s = 0; s < n_streams; s++) {
    if (next[s] < streams[s]->len
        && ((Text *) streams[s]->pdata[next[s]])->part == part)
      candidates[n++] = s;
  }
  if (n == 0)
    return NULL;
  /* Often the same one, so that the others wait for long. */
  n = candidates[g_rand_int_range (random, 0, 3) > 0 ? 0 :
      g_rand_int_range (random, 0, n)];
  return streams[n]->pdata[next[n]++];
}

/* Adds all texts in a random order of the streams. Returns: (transfer full): what was released */
static gchar *
run (GRand * random, GPtrArray ** streams, guint n_streams, guint n_parts,
    gsize limit)
{
  GString *released = g_string_new (NULL);
  ReportOrder *order = report_order_new (n_streams, limit, take, released);
  guint next[MOST_STREAMS] = { 0 };

  for (guint part = 0; part < n_parts; part++) {
    const Text *text;

    for (guint s = 0; s < n_streams; s++)
      fail_unless (report_order_set_ended (order, s, FALSE, NULL));
    while ((text = choose (random, streams, n_streams, next, part)) != NULL) {
      if (text->is_end)
        fail_unless (report_order_set_ended (order, text->stream, TRUE, NULL));
      else
        fail_unless (report_order_add (order, text->stream, text->time,
                text->text, strlen (text->text), NULL));
    }
  }
  fail_unless (report_order_end (order, NULL));
  report_order_free (order);
  return g_string_free (released, FALSE);
}

/* Random streams come in the same order from memory and from files. */
GST_START_TEST (test_random)
{
  const gsize limits[] = { 0, 1000, REPORT_ORDER_LIMIT };
  GRand *random = g_rand_new_with_seed (42);

  for (guint round = 0; round < 100; round++) {
    const guint n_streams = g_rand_int_range (random, 1, MOST_STREAMS + 1);
    const guint n_parts = g_rand_int_range (random, 1, 4);
    GPtrArray *streams[MOST_STREAMS];
    gchar *sorted;

    for (guint s = 0; s < n_streams; s++)
      streams[s] = make_stream (random, s, n_parts);
    sorted = sort (streams, n_streams);
    for (guint i = 0; i < G_N_ELEMENTS (limits); i++) {
      gchar *released = run (random, streams, n_streams, n_parts, limits[i]);

      fail_unless_equals_string (released, sorted);
      g_free (released);
    }
    g_free (sorted);
    for (guint s = 0; s < n_streams; s++)
      g_ptr_array_unref (streams[s]);
  }
  g_rand_free (random);
}

GST_END_TEST;

static void
add (ReportOrder * order, guint stream, guint64 time, const gchar * text)
{
  fail_unless (report_order_add (order, stream, time, text, strlen (text),
          NULL));
}

/* Texts come as soon as no earlier one can. */
GST_START_TEST (test_early)
{
  GString *released = g_string_new (NULL);
  ReportOrder *order = report_order_new (3, REPORT_ORDER_LIMIT, take, released);

  add (order, 2, 0, "a2 ");
  add (order, 1, 0, "a1 ");
  fail_unless_equals_string (released->str, "");
  add (order, 0, 0, "a0 ");
  fail_unless_equals_string (released->str, "a0 ");
  add (order, 0, 10, "b0 ");
  fail_unless_equals_string (released->str, "a0 a1 ");
  add (order, 1, GST_CLOCK_TIME_NONE, "b1 ");
  fail_unless_equals_string (released->str, "a0 a1 b1 ");
  /* Stream 1 is over: the others do not wait for it. */
  fail_unless (report_order_set_ended (order, 1, TRUE, NULL));
  fail_unless_equals_string (released->str, "a0 a1 b1 a2 ");
  add (order, 2, 9, "b2 ");
  fail_unless_equals_string (released->str, "a0 a1 b1 a2 b2 ");
  add (order, 2, 10, "c2 ");
  fail_unless_equals_string (released->str, "a0 a1 b1 a2 b2 b0 ");
  fail_unless (report_order_end (order, NULL));
  fail_unless_equals_string (released->str, "a0 a1 b1 a2 b2 b0 c2 ");
  report_order_free (order);
  g_string_free (released, TRUE);
}

GST_END_TEST;

/* Streams of a chained file go on one after the other: the first one that does waits for the others. A stream that does not
 * go on is waited for until the end. */
GST_START_TEST (test_chained)
{
  static const gchar *const texts[] = { "a0 ", "a1 ", "a2 " };
  GString *released = g_string_new (NULL);
  ReportOrder *order = report_order_new (3, REPORT_ORDER_LIMIT, take, released);

  for (guint s = 0; s < 3; s++)
    add (order, s, 1, texts[s]);
  for (guint s = 0; s < 3; s++)
    fail_unless (report_order_set_ended (order, s, TRUE, NULL));
  fail_unless_equals_string (released->str, "a0 a1 a2 ");
  add (order, 1, 3, "c1 ");
  fail_unless_equals_string (released->str, "a0 a1 a2 ");
  add (order, 0, 2, "b0 ");
  fail_unless_equals_string (released->str, "a0 a1 a2 ");
  fail_unless (report_order_end (order, NULL));
  fail_unless_equals_string (released->str, "a0 a1 a2 b0 c1 ");
  report_order_free (order);
  g_string_free (released, TRUE);
}

GST_END_TEST;

static gboolean
refuse (gpointer data, const gchar * text, gsize length, GError ** error)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, "no space");
  return FALSE;
}

/* What cannot be written or kept is an error, and a temporary file has no name. */
GST_START_TEST (test_errors)
{
  GString *released = g_string_new (NULL);
  ReportOrder *order = report_order_new (1, 0, refuse, NULL);
  GError *error = NULL;

  fail_if (report_order_add (order, 0, 0, "a", 1, &error));
  fail_unless_equals_string (error->message, "no space");
  g_clear_error (&error);
  report_order_free (order);

  order = report_order_new (2, 0, take, released);
  for (guint i = 0; i < 3; i++)
    add (order, 0, i, "text ");
  /* The folder is empty although texts wait in a file. */
  fail_unless_equals_int (g_rmdir (g_get_tmp_dir ()), 0);
  for (guint i = 0; i < 3; i++)
    add (order, 1, i, "TEXT ");
  fail_unless (report_order_end (order, NULL));
  fail_unless_equals_string (released->str, "text TEXT text TEXT text TEXT ");
  report_order_free (order);

  /* There is no folder. */
  order = report_order_new (2, 0, take, released);
  add (order, 0, 0, "text ");
  fail_if (report_order_add (order, 0, 1, "text", 4, &error));
  fail_unless (error != NULL);
  g_clear_error (&error);
  report_order_free (order);
  fail_unless_equals_int (g_mkdir (g_get_tmp_dir (), 0700), 0);
  g_string_free (released, TRUE);
}

GST_END_TEST;

static Suite *
order_suite (void)
{
  Suite *s = suite_create ("order");
  TCase *t = tcase_create ("general");

  suite_add_tcase (s, t);
  tcase_add_test (t, test_random);
  tcase_add_test (t, test_early);
  tcase_add_test (t, test_chained);
  tcase_add_test (t, test_errors);
  return s;
}

/* Temporary files are made in a folder of the test's own. */
int
main (int argc, char **argv)
{
  const gchar *parent = g_getenv ("TMPDIR");
  gchar *folder = g_build_filename (parent != NULL ? parent : "/tmp",
      "cudahisto-order-XXXXXX", NULL);
  gint n_failed;

  if (g_mkdtemp (folder) == NULL)
    return 1;
  g_setenv ("TMPDIR", folder, TRUE);
  gst_check_init (&argc, &argv);
  n_failed = gst_check_run_suite (order_suite (), "order", __FILE__);
  if (g_rmdir (folder) != 0)
    n_failed++;
  g_free (folder);
  return n_failed;
}
