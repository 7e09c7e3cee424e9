/* How inner loops on the CPU read numbers from memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_LOAD_H
#define HISTO_LOAD_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* An inner loop is written once, as a function of constants, and compiled anew for each set
 * of constants that it is called with. */
#define HISTO_SPECIALISED static inline __attribute__ ((always_inline))

/* Reads an unsigned word of 1 to 4 bytes. */
HISTO_SPECIALISED guint32
histo_load_word (const guint8 * p, guint bytes, gboolean big_endian)
{
  switch (bytes) {
    case 1:
      return p[0];
    case 2:
      return big_endian ? GST_READ_UINT16_BE (p) : GST_READ_UINT16_LE (p);
    case 3:
      return big_endian ? GST_READ_UINT24_BE (p) : GST_READ_UINT24_LE (p);
    default:
      return big_endian ? GST_READ_UINT32_BE (p) : GST_READ_UINT32_LE (p);
  }
}

/* Reads a floating-point number of 4 or 8 bytes. */
HISTO_SPECIALISED gdouble
histo_load_float (const guint8 * p, guint bytes, gboolean big_endian)
{
  if (bytes == 4)
    return big_endian ? GST_READ_FLOAT_BE (p) : GST_READ_FLOAT_LE (p);
  return big_endian ? GST_READ_DOUBLE_BE (p) : GST_READ_DOUBLE_LE (p);
}

G_END_DECLS

#endif /* HISTO_LOAD_H */
