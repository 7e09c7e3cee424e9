/* What the fuzzers share. A fuzzer is a function of the bytes of an input; it ends the process
 * when it finds a fault.
 *
 * Two programs are made of each: with libFuzzer, which looks for inputs that reach new code
 * (long.sh builds and runs these), and with driver.c, which needs no library and repeats the
 * inputs of a folder.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <gst/gst.h>
#include <stdint.h>

/* ---- A fuzzer: the names are libFuzzer's -------------------------------------------------- */

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

/* ---- Start ---------------------------------------------------------------------------------- */

/* From now on a critical warning ends the process, and other warnings are not printed. */
void fuzz_handle_log (void);

/* The same, and initialises GStreamer, without any plugin of the system. */
void fuzz_init (void);

/* ---- Faults ----------------------------------------------------------------------------------- */

/* Prints the text and ends the process. */
void fuzz_fail (const gchar * format, ...) G_GNUC_PRINTF (1, 2) G_GNUC_NORETURN;

#define fuzz_check(condition, ...) \
  G_STMT_START { \
    if (G_UNLIKELY (!(condition))) \
      fuzz_fail (__VA_ARGS__); \
  } G_STMT_END

/* ---- Bytes ------------------------------------------------------------------------------------- */

/* What is left of an input. Behind its end there are zeros. */
typedef struct
{
  const guint8 *data;
  gsize left;
} FuzzBytes;

/* The next 1, 2, 4 and 8 bytes, little endian. */
guint8 fuzz_u8 (FuzzBytes * bytes);
guint16 fuzz_u16 (FuzzBytes * bytes);
guint32 fuzz_u32 (FuzzBytes * bytes);
guint64 fuzz_u64 (FuzzBytes * bytes);

/* A number from 0 to n - 1; n is at most 65536. */
guint fuzz_below (FuzzBytes * bytes, guint n);

/* A number that is often at the edge of a type, and a double that is often no number. */
guint64 fuzz_edge (FuzzBytes * bytes);
gdouble fuzz_double (FuzzBytes * bytes);

/* Bytes up to the next 0, at most @most: text of any kind. (transfer full) */
gchar *fuzz_text (FuzzBytes * bytes, gsize most);

/* Fills memory with bytes that follow from the seed. */
void fuzz_fill (guint8 * data, gsize size, guint32 seed);

#endif /* TESTS_FUZZ_H */
