/* Regular pictures: a plane for each component, of bytes if no component of the format has more than 8 bits,
 * else of 16-bit words in the host's order. A sample is a whole byte or word. All other bits are 0.
 *
 * Planes of the buffer that are so already are read in place. All others are made once for each frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CPU_REGULAR_H
#define HISTO_CPU_REGULAR_H

#include "engine/cpu/loops.h"
#include "media/layout.h"

G_BEGIN_DECLS

/* Where the samples of a component lie: sample i of a row is one of the n of period i / n. */
typedef struct
{
  HistoComponentSamples found;
  /* The samples as fields of words that follow each other from byte @offset of a row on, if they are such; else
   * field.period is 0. A word of three bytes is for loops->split() alone. */
  HistoField field;
  guint offset;
  guint byte;                   /* of the field in a word */
  gboolean is_byte;             /* the field is this byte of two, three or four, for loops->split() */
  gboolean is_word;             /* the field is a word of 16 bits that begins at this byte of eight, or its upper bits, for
                                 * loops->split_words(); the same bits as of the plane's other components */
  gboolean tens;                /* these words are in what loops->split_tens() makes of the row */
} HistoCpuComponent;

/* How pictures of a format become regular. */
typedef struct
{
  const HistoFormat *format;
  const HistoLoops *loops;
  gboolean is_wide;             /* words, else bytes */
  HistoCpuComponent components[HISTO_MAX_COMPONENTS];
  HistoPlane planes[HISTO_MAX_COMPONENTS];      /* without data; the stride is that of a copy */
} HistoCpuRegular;

void histo_cpu_plane_init (HistoPlane * plane, const HistoComponent * component,
    gboolean is_wide, guint length, guint rows);

void histo_cpu_regular_init (HistoCpuRegular * regular,
    const HistoFormat * format);
gsize histo_cpu_regular_room (const HistoCpuRegular * regular);
guint histo_cpu_regular_in_place (const HistoCpuRegular * regular,
    const HistoPlane * planes);
void histo_cpu_regular_make (const HistoCpuRegular * regular,
    const HistoPlane * planes, guint needed, guint copied, guint8 * memory,
    HistoPlane * out, HistoPlane * copies);

/* Log2 of the pixels of a row for each sample of the component. */
static inline guint
histo_cpu_regular_w_sub (const HistoCpuRegular * regular, guint c)
{
  return regular->format->video.finfo->w_sub[c];
}

G_END_DECLS

#endif /* HISTO_CPU_REGULAR_H */
