/* What the fuzzers share; see fuzz.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fuzz.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Start ---------------------------------------------------------------------------------- */

/* Warnings are what hostile input leads to. They are not printed, because that takes most of the
 * time. */
static void
log_line (const gchar * domain, GLogLevelFlags level, const gchar * text,
    gpointer user_data)
{
  if ((level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL)) != 0)
    fuzz_fail ("%s: %s", domain != NULL ? domain : "", text);
}

void
fuzz_handle_log (void)
{
  g_log_set_default_handler (log_line, NULL);
}

void
fuzz_init (void)
{
  g_setenv ("GST_REGISTRY_UPDATE", "no", TRUE);
  g_setenv ("GST_PLUGIN_SYSTEM_PATH_1_0", "", TRUE);
  g_setenv ("GST_PLUGIN_PATH_1_0", "", TRUE);
  gst_init (NULL, NULL);
  fuzz_handle_log ();
}

/* ---- Faults ----------------------------------------------------------------------------------- */

void
fuzz_fail (const gchar * format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  vfprintf (stderr, format, arguments);
  va_end (arguments);
  fputc ('\n', stderr);
  abort ();
}

/* ---- Bytes ------------------------------------------------------------------------------------- */

static guint64
take (FuzzBytes * bytes, guint n)
{
  guint64 number = 0;

  for (guint i = 0; i < n && bytes->left > 0; i++) {
    number |= (guint64) * bytes->data++ << 8 * i;
    bytes->left--;
  }
  return number;
}

guint8
fuzz_u8 (FuzzBytes * bytes)
{
  return take (bytes, 1);
}

guint16
fuzz_u16 (FuzzBytes * bytes)
{
  return take (bytes, 2);
}

guint32
fuzz_u32 (FuzzBytes * bytes)
{
  return take (bytes, 4);
}

guint64
fuzz_u64 (FuzzBytes * bytes)
{
  return take (bytes, 8);
}

guint
fuzz_below (FuzzBytes * bytes, guint n)
{
  return (n <= 256 ? fuzz_u8 (bytes) : fuzz_u16 (bytes)) % n;
}

guint64
fuzz_edge (FuzzBytes * bytes)
{
  static const guint64 edges[] = {
    0, G_MAXINT8, G_MAXUINT8, G_MAXINT16, G_MAXUINT16, G_MAXINT32, G_MAXUINT32, G_MAXINT64,
    G_MAXUINT64
  };
  const guint kind = fuzz_u8 (bytes);

  /* Around the edge of a type, or any number of some bytes. */
  if (kind < 128)
    return edges[kind % G_N_ELEMENTS (edges)] + (gint8) fuzz_u8 (bytes);
  return take (bytes, 1 + kind % 8);
}

gdouble
fuzz_double (FuzzBytes * bytes)
{
  static const gdouble edges[] = {
    0, 1, -1, 0.5, NAN, INFINITY, -INFINITY, 1e300, -1e300, 5e-324, 65536, 4294967296., 1e19
  };
  const guint kind = fuzz_u8 (bytes);
  guint64 bits;
  gdouble number;

  if (kind < 128)
    return edges[kind % G_N_ELEMENTS (edges)];
  if (kind < 192)
    return (gint32) fuzz_u32 (bytes);
  bits = fuzz_u64 (bytes);
  memcpy (&number, &bits, sizeof number);
  return number;
}

gchar *
fuzz_text (FuzzBytes * bytes, gsize most)
{
  const gsize room = MIN (bytes->left, most);
  gsize n = 0;
  gchar *text;

  while (n < room && bytes->data[n] != '\0')
    n++;
  text = g_strndup ((const gchar *) bytes->data, n);
  n = MIN (n + 1, bytes->left);
  bytes->data += n;
  bytes->left -= n;
  return text;
}

void
fuzz_fill (guint8 * data, gsize size, guint32 seed)
{
  guint32 state = seed | 1;

  for (gsize i = 0; i < size; i++) {
    /* xorshift32 */
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    data[i] = state >> 11;
  }
}
