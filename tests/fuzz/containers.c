/* Fuzzer: what the report reads of a file by itself: the structure of containers, and the packets of MPEG-TS.
 *
 * An input describes a file: pieces that are repeated, so that a small input can make a file of many tracks, streams,
 * blocks or packets. The steps of the check must be in proportion to the file, whatever it contains. Time is not measured.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fuzz.h"

#include <string.h>

#include "input/structure.h"

#define MOST_BYTES (256 << 10)
/* The smallest part has 2 bytes: 4 steps. A block of 6 bytes has 6, and is searched among the tracks. */
#define STEPS_PER_BYTE 8
#define FEW_STEPS 1000

/* ---- The file ------------------------------------------------------------------------------------ */

/* What one cannot guess: the mark at the begin, with what must follow it. */
static const struct
{
  const gchar *bytes;
  gsize n;
} begins[] = {
  {"", 0},
  /* A header without content, and a segment of unknown size. */
  {"\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\xff", 10},
  {"\0\0\0\x08" "ftyp", 8},
  {"RIFF\xff\xff\xff\xff" "AVI LIST\xff\xff\xff\x7fmovi", 24},
  {"RIFF\xff\xff\xff\xff" "WAVE", 12},
  {"FORM\x7f\xff\xff\xff" "AIFF", 12},
  {"RF64\xff\xff\xff\xff" "WAVEds64\x1c\0\0\0", 20},
  {"FLV\1\5\0\0\0\x09\0\0\0\0", 13},
  {"\xff\xf1", 2},
};

/* The sum of a page of Ogg. */
static void
set_sum (guint8 * page, gsize n)
{
  guint32 sum = 0;

  memset (page + 22, 0, 4);
  for (gsize i = 0; i < n; i++) {
    sum ^= (guint32) page[i] << 24;
    for (guint bit = 0; bit < 8; bit++)
      sum = sum << 1 ^ ((sum >> 31) * 0x04c11db7);
  }
  GST_WRITE_UINT32_LE (page + 22, sum);
}

/* A page without content: serial number, number of the page, flags. */
static void
add_page (GByteArray * file, guint32 serial, guint32 number, guint8 flags)
{
  guint8 page[27] = "OggS";

  page[5] = flags;
  GST_WRITE_UINT32_LE (page + 14, serial);
  GST_WRITE_UINT32_LE (page + 18, number);
  set_sum (page, sizeof page);
  g_byte_array_append (file, page, sizeof page);
}

/* Pages of streams whose serial numbers and numbers of pages grow by small steps. */
static void
add_pages (GByteArray * file, FuzzBytes * bytes)
{
  while (bytes->left > 0 && file->len < MOST_BYTES) {
    const guint repeats = fuzz_u16 (bytes) % 4096;
    const guint flags = fuzz_u8 (bytes);
    const guint serial_step = fuzz_u8 (bytes) % 4;
    const guint number_step = fuzz_u8 (bytes) % 3;
    guint32 serial = fuzz_u16 (bytes), number = fuzz_u8 (bytes);

    for (guint i = 0; i <= repeats && file->len < MOST_BYTES; i++) {
      add_page (file, serial, number, flags);
      serial += serial_step;
      number += number_step;
    }
  }
}

/* A piece of some bytes, several times; two of its bytes count, so that tracks and counters differ. */
static void
add_pieces (GByteArray * file, FuzzBytes * bytes)
{
  while (bytes->left > 0 && file->len < MOST_BYTES) {
    guint8 piece[255];
    const guint repeats = fuzz_u16 (bytes) % 16384;
    const guint at = fuzz_u8 (bytes), length = fuzz_u8 (bytes);
    const gsize n = MIN (length, bytes->left);

    memcpy (piece, bytes->data, n);
    bytes->data += n;
    bytes->left -= n;
    for (guint i = 0; i <= repeats && file->len < MOST_BYTES; i++) {
      g_byte_array_append (file, piece, n);
      if ((gsize) at + 1 < n && ++piece[at + 1] == 0)
        piece[at]++;
    }
  }
}

/* ---- Checks -------------------------------------------------------------------------------------- */

static void
check_same (const ReportStructure * a, const ReportStructure * b)
{
  fuzz_check (a->state == b->state && a->count == b->count
      && a->offset == b->offset && a->missing == b->missing, "state %d and %d, "
      "offset %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT, a->state,
      b->state, a->offset, b->offset);
}

static void
read_structure (const GByteArray * file, const ReportStructureLimits * limits,
    ReportStructure * structure)
{
  GInputStream *stream = g_memory_input_stream_new_from_data (file->data,
      file->len, NULL);

  report_structure_read (structure, stream, file->len, limits);
  fuzz_check (structure->n_steps <= (guint64) STEPS_PER_BYTE * file->len
      + FEW_STEPS, "%" G_GUINT64_FORMAT " steps for %u bytes",
      structure->n_steps, file->len);
  fuzz_check (structure->offset <= file->len, "%" G_GUINT64_FORMAT
      " is behind the end", structure->offset);
  g_object_unref (stream);
}

/* With less than it would look at, it says that it has given up, or all the same. */
static void
check_limits (const GByteArray * file, const ReportStructure * structure,
    FuzzBytes * bytes)
{
  const ReportStructureLimits limits = {
    fuzz_u8 (bytes), fuzz_u8 (bytes) % 8
  };
  ReportStructure limited;

  read_structure (file, &limits, &limited);
  if (limited.state != REPORT_STRUCTURE_GIVEN_UP)
    check_same (structure, &limited);
  else
    fuzz_check (limited.too_many != NULL, "no reason");
}

/* The packets are the same, however they are cut. */
static void
check_packets (const GByteArray * file, FuzzBytes * bytes)
{
  const guint step = 1 + fuzz_u16 (bytes);
  ReportStructure results[2] = { {0} };

  for (guint i = 0; i < 2; i++) {
    ReportPackets *packets = report_packets_new ();

    for (guint64 at = 0; at < file->len;) {
      const gsize n = MIN (i == 0 ? MAX (file->len, 1) : step,
          file->len - at);

      report_packets_feed (packets, at, file->data + at, n);
      at += n;
    }
    report_packets_finish (packets, &results[i]);
    report_packets_free (packets);
  }
  check_same (&results[0], &results[1]);
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  fuzz_init ();
  return 0;
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  FuzzBytes bytes = { data, size }, choices;
  const guint kind = fuzz_u8 (&bytes) % (G_N_ELEMENTS (begins) + 1);
  GByteArray *file = g_byte_array_new ();
  ReportStructure structure;

  choices = bytes;
  if (kind == G_N_ELEMENTS (begins)) {
    add_pages (file, &bytes);
  } else {
    g_byte_array_append (file, (const guint8 *) begins[kind].bytes,
        begins[kind].n);
    add_pieces (file, &bytes);
  }
  read_structure (file, &report_structure_limits, &structure);
  check_limits (file, &structure, &choices);
  check_packets (file, &choices);
  g_byte_array_unref (file);
  return 0;
}
