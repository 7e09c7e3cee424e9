/* Counts that one cudahisto gives to another one: an agreement between elements, and those that put them together.
 *
 * An element with the data HISTO_COUNTED_ONLY makes no results. It attaches to each buffer what it has counted.
 * A cudahisto that gets such a buffer does not look at its samples, which need not be there: it makes the result of the
 * counts. So several elements can count parts of one film at the same time, and one makes of the counts, in stream
 * order, what depends on the buffers before.
 *
 * Both elements have the same settings and the same caps. The one that counts has the property meta on; it posts nothing.
 * Not part of the interface for others.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CUDAHISTO_COUNTED_H
#define CUDAHISTO_COUNTED_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Data of an element, not NULL: it counts only. */
#define HISTO_COUNTED_ONLY "cudahisto-counted-only"
/* The API of the meta with the counts. */
#define HISTO_COUNTED_META_API "CudaHistoCountedMetaAPI"

typedef struct _HistoCounted HistoCounted;

typedef struct
{
  GstMeta meta;
  HistoCounted *counted;
  guint64 digest;               /* of what has been counted of the frame alone: equal frames have equal ones */
  gsize n_bytes;                /* that the counts need */
} HistoCountedMeta;

G_END_DECLS

#endif /* CUDAHISTO_COUNTED_H */
