/* Runs a fuzzer without libFuzzer: repeats the inputs of files and folders, then makes inputs at
 * random from them.
 *
 *   PROGRAM [--seconds=N] [--seed=N] PATH...
 *
 * N seconds of processor time; 0, the default, only repeats. An input that ends the process is
 * written to the file `finding` in the current folder. What a sanitizer finds must abort (abort_on_error=1).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fuzz.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST_BYTES 4096
/* No input takes as long. */
#define MOST_SECONDS 60

static const guint8 *current;   /* NULL: no input is being run */
static gsize current_size;

/* ---- One input --------------------------------------------------------------------------------- */

static void
keep_finding (int number)
{
  const int file = current == NULL ? -1 :
      open ("finding", O_CREAT | O_TRUNC | O_WRONLY, 0644);

  if (file >= 0 && write (file, current, current_size) == (gssize) current_size)
    close (file);
  signal (number, SIG_DFL);
  raise (number);
}

static void
run (const guint8 * data, gsize size)
{
  /* Exactly as large as the input, for the tools that find accesses outside. */
  guint8 *copy = g_malloc (MAX (size, 1));

  if (size > 0)
    memcpy (copy, data, size);
  current = copy;
  current_size = size;
  alarm (MOST_SECONDS);
  LLVMFuzzerTestOneInput (copy, size);
  alarm (0);
  current = NULL;
  g_free (copy);
}

/* ---- Files ------------------------------------------------------------------------------------- */

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const gchar * const *) a, *(const gchar * const *) b);
}

/* Runs the input in the file, or those in the folder. @inputs: (element-type GBytes): added to */
static void
run_path (const gchar * path, GPtrArray * inputs)
{
  GDir *folder = g_dir_open (path, 0, NULL);
  GPtrArray *names;
  const gchar *name;
  gchar *text;
  gsize size;

  if (folder == NULL) {
    if (!g_file_get_contents (path, &text, &size, NULL))
      fuzz_fail ("%s cannot be read", path);
    run ((const guint8 *) text, size);
    g_ptr_array_add (inputs, g_bytes_new_take (text, size));
    return;
  }
  /* In the same order everywhere, so that a seed gives the same inputs. */
  names = g_ptr_array_new_with_free_func (g_free);
  while ((name = g_dir_read_name (folder)) != NULL)
    g_ptr_array_add (names, g_build_filename (path, name, NULL));
  g_dir_close (folder);
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    run_path (names->pdata[i], inputs);
  g_ptr_array_unref (names);
}

/* ---- Random inputs ------------------------------------------------------------------------------ */

static void
add_random_bytes (GByteArray * input, GRand * random, guint n)
{
  for (guint i = 0; i < n; i++) {
    const guint8 byte = g_rand_int (random) >> 13;

    g_byte_array_append (input, &byte, 1);
  }
}

static void
change (GByteArray * input, GPtrArray * inputs, GRand * random)
{
  static const guint8 bytes[] = { 0, 1, 127, 128, 255 };
  const guint place = input->len > 0 ? g_rand_int_range (random, 0,
      input->len) : 0;
  const GBytes *other = g_ptr_array_index (inputs, g_rand_int_range (random, 0,
          inputs->len));
  gconstpointer data;
  gsize size;
  guint n;

  switch (input->len > 0 ? g_rand_int_range (random, 0, 6) : 5) {
    case 0:
      input->data[place] ^= 1 << g_rand_int_range (random, 0, 8);
      break;
    case 1:
      input->data[place] = g_rand_int (random) >> 13;
      break;
    case 2:
      input->data[place] = bytes[g_rand_int_range (random, 0,
              G_N_ELEMENTS (bytes))];
      break;
    case 3:
      n = g_rand_int_range (random, 1, 9);
      g_byte_array_remove_range (input, place, MIN (n, input->len - place));
      break;
    case 4:
      data = g_bytes_get_data ((GBytes *) other, &size);
      for (gsize i = place; i < MIN (size, input->len)
          && i < (gsize) place + 32; i++)
        input->data[i] = ((const guint8 *) data)[i];
      break;
    default:
      add_random_bytes (input, random, g_rand_int_range (random, 1, 33));
  }
}

/* Returns: how many inputs were run */
static guint64
run_random (GPtrArray * inputs, GRand * random, gdouble seconds)
{
  const clock_t end = clock () + (clock_t) (seconds * CLOCKS_PER_SEC);
  guint64 n = 0;

  for (; clock () < end; n++) {
    GByteArray *input = g_byte_array_new ();
    GBytes *from = g_ptr_array_index (inputs, g_rand_int_range (random, 0,
            inputs->len));
    gsize size;
    gconstpointer data = g_bytes_get_data (from, &size);

    g_byte_array_append (input, data, size);
    for (gint i = g_rand_int_range (random, 0, 9); i >= 0; i--)
      change (input, inputs, random);
    run (input->data, MIN (input->len, MOST_BYTES));
    g_byte_array_unref (input);
  }
  return n;
}

int
main (int argc, char **argv)
{
  static const int signals[] = {
    SIGABRT, SIGALRM, SIGBUS, SIGFPE, SIGILL, SIGSEGV
  };
  GPtrArray *inputs =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  guint32 seed = g_random_int ();
  gdouble seconds = 0;
  guint64 n;

  LLVMFuzzerInitialize (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    signal (signals[i], keep_finding);
  run (NULL, 0);
  for (gint i = 1; i < argc; i++) {
    if (sscanf (argv[i], "--seconds=%lf", &seconds) != 1
        && sscanf (argv[i], "--seed=%u", &seed) != 1)
      run_path (argv[i], inputs);
  }
  n = inputs->len;
  g_ptr_array_add (inputs, g_bytes_new (NULL, 0));
  if (seconds > 0) {
    GRand *random = g_rand_new_with_seed (seed);

    printf ("--seed=%u\n", seed);
    fflush (stdout);
    printf ("%" G_GUINT64_FORMAT " random inputs\n", run_random (inputs, random,
            seconds));
    g_rand_free (random);
  }
  printf ("%" G_GUINT64_FORMAT " kept inputs\n", n);
  g_ptr_array_unref (inputs);
  return 0;
}
