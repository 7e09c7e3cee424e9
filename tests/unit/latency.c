/* What the element adds to the minimum latency: when it rises, and when it falls again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "harness.h"

#include "element/latency.h"

#define MS GST_MSECOND
#define FRAME (40 * MS)
#define SECOND ((gint64) G_USEC_PER_SEC)

typedef struct
{
  HistoSharedSettings settings;
  HistoLatency latency;
  GstClockTime max;
} Latency;

/* Asks, as the pipeline of a live source does. Returns: what is added to the minimum */
static GstClockTime
ask (Latency * l, gboolean is_live)
{
  GstQuery *query = gst_query_new_latency ();
  GstClockTime min;

  gst_query_set_latency (query, is_live, 0, 0);
  histo_latency_complete (&l->latency, query);
  gst_query_parse_latency (query, NULL, &min, &l->max);
  gst_query_unref (query);
  return min;
}

static void
note (Latency * l, guint n, GstClockTime delay, gint64 now)
{
  for (guint i = 0; i < n; i++)
    histo_latency_note_delay (&l->latency, delay, now);
}

static void
set_meta (Latency * l, gboolean meta)
{
  HistoSettings *values = histo_settings_begin_change (&l->settings);
  const HistoSettings old = *values;
  HistoSettings now;

  values->meta = meta;
  values->post_messages = TRUE;
  histo_settings_end_change (&l->settings, &old, &now);
}

static void
open_latency (Latency * l)
{
  memset (l, 0, sizeof *l);
  histo_settings_init (&l->settings);
  histo_latency_init (&l->latency, &l->settings);
  histo_latency_set_frame_duration (&l->latency, FRAME);
  fail_unless_equals_uint64 (ask (l, TRUE), 0);
  fail_unless_equals_uint64 (l->max, 4 * FRAME);
}

static void
close_latency (Latency * l)
{
  histo_latency_clear (&l->latency);
  histo_settings_clear (&l->settings);
}

/* Three slow buffers raise it, to a quarter more than the slowest; two in 256 do not. */
TEST (test_rises)
{
  Latency l;

  open_latency (&l);
  note (&l, 2, 8 * MS, 0);
  note (&l, 256, 0, 0);
  note (&l, 2, 8 * MS, 0);
  fail_unless_equals_uint64 (ask (&l, TRUE), 0);
  note (&l, 1, 12 * MS, 0);
  fail_unless_equals_uint64 (ask (&l, TRUE), 15 * MS);
  note (&l, 100, 15 * MS, 0);
  fail_unless_equals_uint64 (ask (&l, TRUE), 15 * MS);
  note (&l, 3, 1000 * MS, 0);
  fail_unless_equals_uint64 (ask (&l, TRUE), 4 * FRAME);
  close_latency (&l);
}

/* It falls if no buffer has taken more than half of it for ten seconds, to a quarter more than the slowest of them. A
 * slow buffer begins the time anew. */
TEST (test_falls)
{
  Latency l;

  open_latency (&l);
  note (&l, 3, 16 * MS, 0);
  fail_unless_equals_uint64 (ask (&l, TRUE), 20 * MS);
  note (&l, 1, 8 * MS, 1 * SECOND);
  note (&l, 1, 10 * MS, 2 * SECOND);
  note (&l, 1, 8 * MS, 11 * SECOND - 1);
  fail_unless_equals_uint64 (ask (&l, TRUE), 20 * MS);
  note (&l, 1, 11 * MS, 11 * SECOND);
  note (&l, 1, 4 * MS, 12 * SECOND);
  note (&l, 1, 8 * MS, 13 * SECOND);
  note (&l, 1, 4 * MS, 22 * SECOND - 1);
  fail_unless_equals_uint64 (ask (&l, TRUE), 20 * MS);
  note (&l, 1, 4 * MS, 22 * SECOND);
  fail_unless_equals_uint64 (ask (&l, TRUE), 10 * MS);
  note (&l, 1, 0, 23 * SECOND);
  note (&l, 1, MS - 1, 33 * SECOND);
  fail_unless_equals_uint64 (ask (&l, TRUE), 0);
  note (&l, 1, 0, 50 * SECOND);
  fail_unless_equals_uint64 (ask (&l, TRUE), 0);
  close_latency (&l);
}

/* Without a live source, and without a result on the buffer, nothing is added. The property counts at once. */
TEST (test_only_if_buffers_wait)
{
  Latency l;

  open_latency (&l);
  fail_unless_equals_uint64 (ask (&l, FALSE), 0);
  note (&l, 3, 16 * MS, 0);
  fail_unless_equals_uint64 (ask (&l, TRUE), 0);
  note (&l, 3, 16 * MS, 0);
  fail_unless_equals_uint64 (ask (&l, TRUE), 20 * MS);
  set_meta (&l, FALSE);
  fail_unless_equals_uint64 (ask (&l, TRUE), 0);
  set_meta (&l, TRUE);
  fail_unless_equals_uint64 (ask (&l, TRUE), 20 * MS);
  close_latency (&l);
}

/* If the duration of a frame is unknown, the maximum grows by as much. */
TEST (test_unknown_duration)
{
  Latency l;

  open_latency (&l);
  histo_latency_set_frame_duration (&l.latency, 0);
  fail_unless_equals_uint64 (ask (&l, TRUE), 0);
  fail_unless_equals_uint64 (l.max, 0);
  note (&l, 3, 16 * MS, 0);
  fail_unless_equals_uint64 (ask (&l, TRUE), 20 * MS);
  fail_unless_equals_uint64 (l.max, 20 * MS);
  close_latency (&l);
}

/* Numbers that do not fit are no limit. */
TEST (test_huge_numbers)
{
  static const GstClockTime durations[] = { G_MAXUINT64, G_MAXUINT64 / 4 + 1 };
  Latency l;

  open_latency (&l);
  for (guint i = 0; i < G_N_ELEMENTS (durations); i++) {
    histo_latency_set_frame_duration (&l.latency, durations[i]);
    fail_unless_equals_uint64 (ask (&l, TRUE), 0);
    fail_unless (l.max == GST_CLOCK_TIME_NONE);
  }
  histo_latency_set_frame_duration (&l.latency, G_MAXUINT64 / 4);
  fail_unless_equals_uint64 (ask (&l, TRUE), 0);
  fail_unless_equals_uint64 (l.max, G_MAXUINT64 - 3);
  close_latency (&l);
}

TEST_MAIN (60)
