/* The structure check: its work, and signals meanwhile. The fuzzer `containers` has more files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/structure.h"

#include <gst/check/gstcheck.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"

static void
append (GByteArray * file, const gchar * bytes, gsize n)
{
  g_byte_array_append (file, (const guint8 *) bytes, n);
}

/* Returns: (transfer full): Matroska with so many tracks, and twice as many blocks of the last one */
static GByteArray *
make_matroska (guint n)
{
  GByteArray *file = g_byte_array_new ();
  gchar tracks[] = "\x16\x54\xae\x6b\x10\0\0\0";
  gchar block[] = "\xa3\x86\x40\0\0\0\x80\0";

  append (file, "\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\xff", 10);
  GST_WRITE_UINT32_BE (tracks + 4, 0x10000000 | n * 6);
  append (file, tracks, 8);
  for (guint i = 0; i < n; i++) {
    const gchar track[] = { 0xae, 0x84, 0xd7, 0x82, i >> 8, i & 0xff };

    append (file, track, 6);
  }
  append (file, "\x1f\x43\xb6\x75\xff", 5);
  block[2] = 0x40 | (n - 1) >> 8;
  block[3] = (n - 1) & 0xff;
  for (guint i = 0; i < 2 * n; i++)
    append (file, block, 8);
  return file;
}

static void
check_with (const GByteArray * file, const ReportStructureLimits * limits,
    ReportStructure * structure)
{
  GInputStream *stream = g_memory_input_stream_new_from_data (file->data,
      file->len, NULL);

  report_structure_read (structure, stream, file->len, limits);
  g_object_unref (stream);
}

static void
check (const GByteArray * file, ReportStructure * structure)
{
  check_with (file, &report_structure_limits, structure);
}

/* Twice the file needs twice the steps. It needed four times as many. */
GST_START_TEST (test_linear)
{
  guint64 steps[2];

  for (guint i = 0; i < 2; i++) {
    GByteArray *file = make_matroska (500 << i);
    ReportStructure structure;

    check (file, &structure);
    fail_unless (structure.state == REPORT_STRUCTURE_WHOLE, "state %d at %"
        G_GUINT64_FORMAT, structure.state, structure.offset);
    steps[i] = structure.n_steps;
    g_byte_array_unref (file);
  }
  fail_unless (steps[1] < steps[0] * 22 / 10, "%" G_GUINT64_FORMAT " and %"
      G_GUINT64_FORMAT " steps", steps[0], steps[1]);
}

GST_END_TEST;

#define MXF_KEY "\x06\x0e\x2b\x34\x02\x05\x01\x01\0\0\0\0\0\0\0\0"
#define W64_NAME "\0\0\0\0\0\0\0\0\0\0\0\0"
#define BOX "\0\0\0\x08"

/* Each walk counts its parts: it gives up behind the limit, and takes the file for whole without one. The walks inside of
 * others begin behind two parts. */
GST_START_TEST (test_parts)
{
#define FILE_OF(begin, part) { begin, sizeof begin - 1, part, sizeof part - 1 }
  static const struct
  {
    const gchar *begin;
    gsize n_begin;
    const gchar *part;          /* comes several times */
    gsize n;
  } files[] = {
    FILE_OF (BOX "ftyp", BOX "free"),
    FILE_OF (BOX "ftyp\0\0\0\x38moov", BOX "trak"),
    FILE_OF (BOX "ftyp\0\0\0\x40moov\0\0\0\x38trak", BOX "edts"),
    FILE_OF ("RIFF\x34\0\0\0WAVE", "note\0\0\0\0"),
    FILE_OF ("RIFF\4\0\0\0WAVE", "note\0\0\0\0"),
    FILE_OF ("riff\x2e\x91\xcf\x11\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0wave" W64_NAME,
        "fact" W64_NAME "\x20\0\0\0\0\0\0\0" "12345678"),
    FILE_OF (MXF_KEY "\0", MXF_KEY "\0"),
    FILE_OF ("\0\0\1\xba\x21\0\1\0\1\0\0\0", "\0\0\1\xba\x21\0\1\0\1\0\0\0"),
  };
#undef FILE_OF
  const ReportStructureLimits limits = { 4, 1024 };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    GByteArray *file = g_byte_array_new ();
    ReportStructure structure;

    append (file, files[i].begin, files[i].n_begin);
    for (guint k = 0; k < 6; k++)
      append (file, files[i].part, files[i].n);
    check (file, &structure);
    fail_unless (structure.state == REPORT_STRUCTURE_WHOLE, "file %u: state %d at %"
        G_GUINT64_FORMAT, i, structure.state, structure.offset);
    check_with (file, &limits, &structure);
    fail_unless (structure.state == REPORT_STRUCTURE_GIVEN_UP
        && g_strcmp0 (structure.too_many, "parts") == 0, "file %u: state %d", i,
        structure.state);
    g_byte_array_unref (file);
  }
}

GST_END_TEST;

/* After a signal the rest is not looked at, and no number of parts is the reason. */
GST_START_TEST (test_signal)
{
  GByteArray *file = make_matroska (1000);
  const pid_t child = fork ();
  ReportStructure structure;
  int status = 0;

  if (child == 0) {
    report_interrupt_install ();
    raise (SIGTERM);
    check (file, &structure);
    _exit (structure.state == REPORT_STRUCTURE_GIVEN_UP
        && structure.too_many == NULL ? 0 : 1);
  }
  fail_unless (waitpid (child, &status, 0) == child);
  fail_unless (WIFEXITED (status) && WEXITSTATUS (status) == 0, "%d", status);
  g_byte_array_unref (file);
}

GST_END_TEST;

/* A thread that does not end: the timer ends the program, with the status of the signal. */
GST_START_TEST (test_timer)
{
  const pid_t child = fork ();
  int status = 0;

  if (child == 0) {
    report_interrupt_install ();
    raise (SIGINT);
    for (;;)
      pause ();
  }
  fail_unless (waitpid (child, &status, 0) == child);
  fail_unless (WIFEXITED (status) && WEXITSTATUS (status) == 128 + SIGINT,
      "%d", status);
}

GST_END_TEST;

static Suite *
structure_suite (void)
{
  Suite *suite = suite_create ("structure");
  TCase *tests = tcase_create ("structure");

  suite_add_tcase (suite, tests);
  tcase_set_timeout (tests, 60);
  tcase_add_test (tests, test_linear);
  tcase_add_test (tests, test_parts);
  tcase_add_test (tests, test_signal);
  tcase_add_test (tests, test_timer);
  return suite;
}

GST_CHECK_MAIN (structure);
