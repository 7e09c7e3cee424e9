/* What is known of a stream beside its frames, and who says so.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_FACTS_H
#define REPORT_FACTS_H

#include "base/stream.h"
#include "cudahisto/facts.h"
#include "facts/said.h"

G_BEGIN_DECLS

/* Who says a fact. */
#define REPORT_BY_CONTAINER "container"
#define REPORT_BY_BITSTREAM "bitstream"
#define REPORT_BY_CAPS "caps"           /* GStreamer, which reads or decodes it; it may have guessed if nobody could read the file itself */
#define REPORT_BY_GUESS "guess"         /* nobody: GStreamer takes it for granted */

/* What is not said is no fact. */
typedef struct
{
  gchar *name;                  /* as in rules: `fact.NAME` */
  gchar *value;                 /* what the stream was measured by */
  gchar *source;                /* one of the above */
  gchar *container, *bitstream; /* what they say, if that differs; else NULL */
} ReportFact;

typedef struct _ReportShape ReportShape;

extern const ReportShape report_fact_shape;

void report_facts_read (GPtrArray * facts, const ReportSaidStream * said,
    const ReportStream * stream);
void report_facts_set (GPtrArray * facts, HistoFact which,
    const gchar * source, gchar * value);
const ReportFact *report_facts_find (const GPtrArray * facts,
    HistoFact which);
const gchar *report_facts_value (const GPtrArray * facts, HistoFact which);
gdouble report_fact_parse (const gchar * text);
gboolean report_facts_ask (const GPtrArray * facts,
    const ReportStream * stream, HistoFact which, gdouble * number,
    const gchar ** word);

G_END_DECLS

#endif /* REPORT_FACTS_H */
