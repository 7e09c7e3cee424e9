/* Compares the two results of each buffer of a pipeline.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_SOAK_COMPARE_H
#define TESTS_SOAK_COMPARE_H

#include <gst/gst.h>

typedef struct
{
  GMutex lock;
  GQueue results;               /* of the element "tested", not compared yet */
  guint n_without;              /* buffers since the last result */
} SoakCheck;

/* @pipeline: has the elements "tested" and "reference" */
void soak_check_begin (SoakCheck * check, GstElement * pipeline);

/* After the pipeline is freed. */
void soak_check_end (SoakCheck * check);

/* Of all pipelines. */
gint soak_n_compared (void);
gint soak_n_different (void);
gint soak_n_missing (void);

#endif /* TESTS_SOAK_COMPARE_H */
