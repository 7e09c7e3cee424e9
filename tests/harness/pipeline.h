/* Whole pipelines with the element in them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_PIPELINE_H
#define TESTS_PIPELINE_H

#include "flow-check.h"
#include "harness.h"

/* ---- Any pipeline -------------------------------------------------------------------------- */

/* The pipeline of a description in gst-launch syntax, built as printf() does. */
GstElement *test_pipeline_new (const gchar * format, ...)
G_GNUC_PRINTF (1, 2);

/* Stops and frees it. */
void test_pipeline_free (GstElement * pipeline);

/* Waits for a message of one of these types and drops it. Fails the test at an error. */
void test_wait_for (GstElement * pipeline, GstMessageType types);

/* ---- How many buffers have results --------------------------------------------------------- */

typedef struct
{
  gint n_buffers, n_results;
} ResultCounts;

/* Counts from now on what arrives at the element named "sink". *counts belongs to the caller and
 * must live as long as the pipeline. */
void test_count_results (GstElement * pipeline, ResultCounts * counts);

/* ---- A pipeline whose flow is checked ------------------------------------------------------ */

/* Everything that leaves the element is checked; see flow-check.h. */
typedef struct
{
  GstElement *pipeline;
  GstElement *histo;
  GstBus *bus;
  FlowCheck *flow;
} CheckedPipeline;

/* @description is in gst-launch syntax. The element replaces the "$" in it, and gets @properties
 * (or NULL). */
void checked_open (CheckedPipeline * checked, const gchar * description,
    const gchar * properties);

/* Stops and frees the pipeline. Fails the test if it has posted an error or a warning. */
void checked_close (CheckedPipeline * checked);

/* Sets a state; does not wait. */
void checked_set_state (CheckedPipeline * checked, GstState state);

/* Sets a state and waits until it is reached. */
void checked_reach_state (CheckedPipeline * checked, GstState state);

/* Waits until the state that was set last is reached. */
void checked_wait_state (CheckedPipeline * checked);

/* Plays to the end of the stream. Everything that entered the element must have left it. Returns
 * the number of buffers. */
guint checked_play (CheckedPipeline * checked);

#endif /* TESTS_PIPELINE_H */
