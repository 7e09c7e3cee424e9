/* The element cudahistocompare without a pipeline: pairs of frames go in, results come out.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_COMPARER_H
#define REPORT_COMPARER_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _ReportComparer ReportComparer;

/* @structure: a result of cudahistocompare */
typedef void (*ReportComparerFound) (const GstStructure * structure, gpointer data);

ReportComparer *report_comparer_new (const gchar * measures, ReportComparerFound found, gpointer data, GError ** error);
gboolean report_comparer_push (ReportComparer * comparer, GstBuffer * const buffers[2], GstCaps * const caps[2],
    GError ** error);
void report_comparer_end (ReportComparer * comparer);
void report_comparer_free (ReportComparer * comparer);

G_END_DECLS

#endif /* REPORT_COMPARER_H */
