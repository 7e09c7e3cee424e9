/* Pad probes: a log of what passes a pad, and a downstream that blocks or refuses buffers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_PROBES_H
#define TESTS_PROBES_H

#include "harness.h"

/* ---- A log of what passes a pad ------------------------------------------------------------ */

/* One word per item, each followed by a space: of a grey frame its number, of an event its type, of
 * a serialized query `query-` and its type. */
typedef struct
{
  GMutex lock;
  GCond changed;
  GString *text;
  GstPad *pad;
  gulong probe;
} PadLog;

void pad_log_open (PadLog * log, GstPad * pad);

/* Waits until the log contains this text. */
void pad_log_wait (PadLog * log, const gchar * text);
void pad_log_close (PadLog * log);

/* ---- A downstream that blocks or refuses --------------------------------------------------- */

/* The element's source pad. (transfer full) */
GstPad *test_source_pad (GstHarness * harness);

/* Blocks the buffers that leave the element. *n_blocked, 0 before, is counted up when a buffer is
 * blocked. Returns the number of the probe. */
gulong test_block_buffers (GstHarness * harness, gint * n_blocked);
void test_unblock_buffers (GstHarness * harness, gulong probe);

/* Waits until another thread has made the number something else than 0. */
void test_wait_until_set (gint * value);

/* Downstream answers every buffer with this flow return. Returns the number of a probe on
 * harness->sinkpad. */
gulong test_refuse_buffers (GstHarness * harness, GstFlowReturn flow);

/* Pushes grey frames, at most 1000, until the flow return is not GST_FLOW_OK. Returns the last
 * flow return. */
GstFlowReturn test_push_until_refused (GstHarness * harness);

/* A GThreadFunc that pushes grey frames until one is refused. @harness: a GstHarness. Returns the
 * flow return as a pointer. */
gpointer test_push_many (gpointer harness);

/* Blocks the pad at the next event that goes downstream, and sets *is_blocked then. Returns the
 * number of the probe. */
gulong test_block_events (GstPad * pad, gint * is_blocked);

/* How many buffers came downstream, and how many of them nothing else referenced. */
typedef struct
{
  gint n_buffers, n_writable;   /* atomic; 0 at first */
} Writability;

/* Counts the buffers that arrive at harness->sinkpad, until that pad is freed. */
void test_count_writable (GstHarness * harness, Writability * writability);

/* ---- Pads around an element ---------------------------------------------------------------- */

/* Links new pads to an element that is in no pipeline, and activates them. @chain and @event become
 * functions of *sink, whose element-private pointer is @user_data. The caller unrefs the pads. */
void test_link_pads (GstElement * element, GstPadChainFunction chain,
    GstPadEventFunction event, gpointer user_data, GstPad ** src,
    GstPad ** sink);

#endif /* TESTS_PROBES_H */
