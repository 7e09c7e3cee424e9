/* checkhisto: every kernel against plain C, at random sizes, strides, alignments,
 * contents and limits of the device.
 *
 *   checkhisto [OPTION...] [SEED]
 *
 * It plans and launches the kernels by the functions that the engine calls. It runs on the
 * libcuda.so.1 that the loader finds: a GPU's driver or the mock. Exit status: 0; 1 if a test
 * failed; 2 if the arguments are wrong; 77 if there is no device.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "checkhisto.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static GArray *tests;           /* CheckTest */

static gchar *test_pattern, *bench_pattern;
static gboolean list, quick;
static gint effort = 0, repeats = 0, only_case = -1, most_cases = G_MAXINT;

static gboolean
parse_bench (const gchar * name, const gchar * value, gpointer data,
    GError ** error)
{
  bench_pattern = g_strdup (value != NULL ? value : "*");
  return TRUE;
}

static const GOptionEntry options[] = {
  {"test", 't', 0, G_OPTION_ARG_STRING, &test_pattern,
      "Run the tests of these names only; * and ? stand for what they do in a shell",
      "NAME,..."},
  {"case", 0, 0, G_OPTION_ARG_INT, &only_case,
      "Run only the case of this number of each test", "N"},
  {"cases", 0, 0, G_OPTION_ARG_INT, &most_cases,
      "Run at most the first N cases of each test", "N"},
  {"quick", 'q', 0, G_OPTION_ARG_NONE, &quick,
      "Few and small cases, for slow tools", NULL},
  {"slow", 0, 0, G_OPTION_ARG_NONE, &check_device.is_slow,
      "Sounds that take few blocks, for tools that are slow at these", NULL},
  {"effort", 'e', 0, G_OPTION_ARG_INT, &effort,
      "Cases of each test in percent of the default", "PERCENT"},
  {"repeats", 'r', 0, G_OPTION_ARG_INT, &repeats,
      "Launches of the tests that compare one run with the next", "N"},
  {"bench", 'b', G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK, parse_bench,
      "Time what was tested, if it passed", "NAME"},
  {"list", 'l', 0, G_OPTION_ARG_NONE, &list, "List the tests", NULL},
  {NULL}
};

/* ---- Random numbers -------------------------------------------------------------------- */

static guint64 random_state;

/* Each case has numbers of its own, so that it can be run alone. */
void
check_random_seed (guint32 seed, const gchar * test, guint number)
{
  random_state = ((guint64) seed << 32 | g_str_hash (test)) +
      number * G_GUINT64_CONSTANT (0xd1342543de82ef95);
  check_random64 ();
}

/* S. Vigna's splitmix64. */
guint64
check_random64 (void)
{
  guint64 z = (random_state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15));

  z = (z ^ z >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ z >> 31;
}

guint
check_random (guint below)
{
  return (guint) ((check_random64 () >> 32) * below >> 32);
}

guint
check_random_range (guint least, guint most)
{
  return least + check_random (most - least + 1);
}

gboolean
check_chance (guint n)
{
  return check_random (n) == 0;
}

void
check_random_fill (guint8 * data, gsize size)
{
  for (gsize i = 0; i < size; i += sizeof (guint64)) {
    guint64 word = check_random64 ();

    memcpy (data + i, &word, MIN (sizeof word, size - i));
  }
}

/* ---- What tests say --------------------------------------------------------------------- */

void
check_add_test (const CheckTest * test)
{
  g_array_append_val (tests, *test);
}

gboolean
check_fail (CheckCase * c, const gchar * format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_string_append (c->text, "\n      ");
  g_string_append_vprintf (c->text, format, arguments);
  va_end (arguments);
  return FALSE;
}

gboolean
check_equal_counters (CheckCase * c, const gchar * what, const guint32 * found,
    const guint32 * expected, gsize n)
{
  gsize n_wrong = 0, first = 0;

  for (gsize i = 0; i < n; i++) {
    if (found[i] != expected[i] && n_wrong++ == 0)
      first = i;
  }
  return n_wrong == 0 || check_fail (c,
      "%zu of %zu counters of %s are wrong; the first, %zu: %u, not %u",
      n_wrong, n, what, first, found[first], expected[first]);
}

/* ---- Running --------------------------------------------------------------------------- */

static void
print_outcome (const gchar * name, CheckOutcome outcome)
{
  static const struct
  {
    const gchar *word, *colour;
  } outcomes[] = { {"OK", "32"}, {"FAILED", "31"}, {"SKIPPED", "33"} };

  if (isatty (STDOUT_FILENO))
    g_print (" - %-28s [\033[%sm%s\033[0m]\n", name, outcomes[outcome].colour,
        outcomes[outcome].word);
  else
    g_print (" - %-28s [%s]\n", name, outcomes[outcome].word);
}

static gboolean
is_wanted (const CheckTest * test, const gchar * patterns)
{
  gchar **list_of_patterns = g_strsplit (patterns, ",", -1);
  gboolean found = FALSE;

  for (guint i = 0; !found && list_of_patterns[i] != NULL; i++)
    found = g_pattern_match_simple (list_of_patterns[i], test->name);
  g_strfreev (list_of_patterns);
  return found;
}

static guint
cases_of (const CheckTest * test)
{
  return test->all_cases ? test->n_cases
      : MAX (MAX (1, test->least_cases), test->n_cases * effort / 100);
}

static CheckOutcome
run_test (const CheckTest * test, guint32 seed)
{
  CheckOutcome outcome = CHECK_OK;
  guint n = MIN (cases_of (test), (guint) most_cases);

  for (guint i = 0; i < n && outcome == CHECK_OK; i++) {
    CheckCase c = { test->data, i, repeats, NULL };

    if (only_case >= 0 && (guint) only_case != i)
      continue;
    c.text = g_string_new (NULL);
    check_random_seed (seed, test->name, i);
    check_device_set_schedule (check_chance (3) ? 0 : 1 + check_random (1000));
    outcome = test->run (&c);
    if (outcome != CHECK_OK)
      g_print ("   %s, case %u:%s\n", test->name, i, c.text->str);
    g_string_free (c.text, TRUE);
  }
  print_outcome (test->name, outcome);
  return outcome;
}

static int
compare_times (const void *a, const void *b)
{
  gfloat x = *(const gfloat *) a, y = *(const gfloat *) b;

  return (x > y) - (x < y);
}

/* Median of the microseconds of a launch, by events around some of them. */
static gdouble
time_launches (const CheckTest * test, gpointer bench)
{
  const guint n_launches = check_device.is_simulated ? 1 : 20;
  gfloat times[9];
  CUevent begin, end;

  CHECK_CALL (cuEventCreate (&begin, CU_EVENT_DEFAULT));
  CHECK_CALL (cuEventCreate (&end, CU_EVENT_DEFAULT));
  test->bench_launch (bench);
  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    CHECK_CALL (cuEventRecord (begin, check_device.stream));
    for (guint k = 0; k < n_launches; k++)
      test->bench_launch (bench);
    CHECK_CALL (cuEventRecord (end, check_device.stream));
    CHECK_CALL (cuEventSynchronize (end));
    CHECK_CALL (cuEventElapsedTime (&times[i], begin, end));
  }
  CHECK_CALL (cuEventDestroy (begin));
  CHECK_CALL (cuEventDestroy (end));
  qsort (times, G_N_ELEMENTS (times), sizeof times[0], compare_times);
  return 1000.0 * times[G_N_ELEMENTS (times) / 2] / n_launches;
}

static void
bench_tests (guint32 seed)
{
  for (guint i = 0; i < tests->len; i++) {
    const CheckTest *test = &g_array_index (tests, CheckTest, i);
    guint64 bytes;
    gpointer bench;
    gdouble us;

    if (test->bench_new == NULL
        || !is_wanted (test, bench_pattern) || !is_wanted (test, test_pattern))
      continue;
    check_random_seed (seed, test->name, G_MAXUINT);
    bench = test->bench_new (test->data, &bytes);
    us = time_launches (test, bench);
    test->bench_free (bench);
    g_print ("%-28s %10.2f us %10.1f GB/s\n", test->name, us,
        bytes / us / 1000);
  }
}

static int
run_tests (guint32 seed)
{
  guint n[3] = { 0, 0, 0 };

  for (guint i = 0; i < tests->len; i++) {
    const CheckTest *test = &g_array_index (tests, CheckTest, i);

    if (is_wanted (test, test_pattern))
      n[run_test (test, seed)]++;
  }

  g_print ("checkhisto: %u tests passed", n[CHECK_OK]);
  if (n[CHECK_FAILED] > 0)
    g_print (", %u failed", n[CHECK_FAILED]);
  if (n[CHECK_SKIPPED] > 0)
    g_print (", %u skipped", n[CHECK_SKIPPED]);
  g_print ("\n");

  if (n[CHECK_FAILED] > 0) {
    if (bench_pattern != NULL)
      g_print ("checkhisto: the times are left out because a test failed\n");
    return 1;
  }
  if (n[CHECK_OK] + n[CHECK_SKIPPED] == 0) {
    g_printerr ("checkhisto: there is no test %s\n", test_pattern);
    return 1;
  }
  if (bench_pattern != NULL)
    bench_tests (seed);
  return 0;
}

static gboolean
parse_seed (gint argc, gchar ** argv, guint32 * seed)
{
  guint64 value;

  *seed = g_random_int ();
  if (argc == 1)
    return TRUE;
  if (argc > 2
      || !g_ascii_string_to_unsigned (argv[1], 10, 0, G_MAXUINT32, &value,
          NULL))
    return FALSE;
  *seed = value;
  return TRUE;
}

/* Sets the options that were not given, so that a run takes less than a minute on the mock and on a
 * GPU. On a GPU a case takes milliseconds, most of them on the host. A tool that checks each memory
 * access takes many times as long: --quick is for such tools. */
static void
set_defaults (void)
{
  if (test_pattern == NULL)
    test_pattern = g_strdup ("*");
  if (effort <= 0)
    effort = quick ? 5 : check_device.is_simulated ? 100 : 200;
  if (repeats <= 0)
    repeats = quick ? 3 : check_device.is_simulated ? 10 : 100;
}

int
main (int argc, char **argv)
{
  GOptionContext *parser = g_option_context_new ("[SEED]");
  GError *error = NULL;
  guint32 seed;
  int status;

  g_option_context_add_main_entries (parser, options, NULL);
  if (!g_option_context_parse (parser, &argc, &argv, &error)
      || !parse_seed (argc, argv, &seed)) {
    g_printerr ("checkhisto: %s\n", error != NULL ? error->message :
        "the seed is a number below 2^32");
    return 2;
  }
  g_option_context_free (parser);
  gst_init (NULL, NULL);

  tests = g_array_new (FALSE, FALSE, sizeof (CheckTest));
  check_add_video_tests ();
  check_add_audio_tests ();
  check_add_groups_tests ();
  check_add_compare_tests ();
  check_add_mask_tests ();
  check_add_profile_tests ();
  if (list) {
    for (guint i = 0; i < tests->len; i++)
      g_print ("%s\n", g_array_index (tests, CheckTest, i).name);
    return 0;
  }
  if (!check_device_open (&error)) {
    g_printerr ("checkhisto: %s\n", error->message);
    return 77;
  }
  set_defaults ();
  g_print ("checkhisto: %s, seed %u\n", check_device.name, seed);
  status = run_tests (seed);
  check_device_close ();
  return status;
}
