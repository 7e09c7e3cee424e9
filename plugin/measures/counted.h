/* Copies of the counts of single buffers of video, which outlive the engine that has counted; see cudahisto/counted.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_COUNTED_H
#define HISTO_COUNTED_H

#include "cudahisto/counted.h"
#include "measures/plan.h"

G_BEGIN_DECLS

/* Constant once made. */
struct _HistoCounted
{
  HistoPlan *plan;
  const gchar *backend;         /* static string: the engine that counted */
  HistoCounts counts;           /* of memory that belongs to this */
};

HistoCounted *histo_counted_ref (HistoCounted * counted);
void histo_counted_unref (HistoCounted * counted);
gboolean histo_counted_fits (const HistoCounted * counted,
    const HistoPlan * plan);

GstBuffer *histo_counted_attach (GstBuffer * buffer, const HistoPlan * plan,
    const HistoCounts * counts, const gchar * backend);
HistoCounted *histo_counted_find (GstBuffer * buffer);

G_END_DECLS

#endif /* HISTO_COUNTED_H */
