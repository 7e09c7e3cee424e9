/* Judges by samples of the content how the rows of a plane of bytes are counted fastest.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CPU_CONTENT_H
#define HISTO_CPU_CONTENT_H

#include <glib.h>

#include "kernels/planes.h"

G_BEGIN_DECLS

/* What the loops load at once. */
#define HISTO_CONTENT_WORD_BYTES 8
/* Values below are low: quads of them have few counters. */
#define HISTO_CONTENT_LOW_BITS 3
#define HISTO_CONTENT_LOW_VALUES (1 << HISTO_CONTENT_LOW_BITS)
/* A joint histogram of two neighbouring bytes has so many counters. */
#define HISTO_CONTENT_PAIRS 65536
/* The content is judged about every so many bytes. */
#define HISTO_CONTENT_JUDGED_BYTES (64 * 1024)

typedef enum
{
  HISTO_CONTENT_SMOOTH,         /* neighbours are alike: few different pairs; count pairs */
  HISTO_CONTENT_REPEATED,       /* words repeat; count runs of pairs */
  HISTO_CONTENT_LOW,            /* most bytes are low; count quads */
  HISTO_CONTENT_NOISE           /* the pairs do not fit the first-level cache; count bytes, or pairs in
                                 * counters of 16 bits */
} HistoContent;

HistoContent histo_content_judge (const HistoPlane * plane, guint first,
    guint n_rows, gsize n_words, guint n_joint);

/* Whether all bytes of the word are low. */
static inline gboolean
histo_content_is_low (guint64 word)
{
  return (word & ~(G_MAXUINT64 / 0xff * (HISTO_CONTENT_LOW_VALUES - 1))) == 0;
}

G_END_DECLS

#endif /* HISTO_CPU_CONTENT_H */
