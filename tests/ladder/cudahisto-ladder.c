/* The classic course on reductions and histograms, measured on the device at hand.
 *
 *   cudahisto-ladder [--json] [--check | --once] [--only TEXT] [--content TEXT]
 *                    [--sizes FROM:TO]
 *
 * Every step is compared with the host's own result before it is timed. --check compares
 * only, at awkward sizes; --once launches each step once and looks at nothing, for a
 * profiler. Sizes are powers of two, 12:28 if nothing is said. TEXT is a part of a step's
 * name, or the name of a content. Exits with 77 where there is no device.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ladder-elimination.h"
#include "ladder-selfcheck.h"
#include "ladder-steps.h"

static gboolean as_json, check_only, once;
static gchar *only, *only_content, *sizes_text;
static guint first_log2 = 12, last_log2 = 28;

static const GOptionEntry options[] = {
  {"json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print JSON", NULL},
  {"check", 0, 0, G_OPTION_ARG_NONE, &check_only, "Compare, time nothing", NULL},
  {"once", 0, 0, G_OPTION_ARG_NONE, &once, "Launch each step once, no more", NULL},
  {"only", 0, 0, G_OPTION_ARG_STRING, &only, "Steps with TEXT in their name", "TEXT"},
  {"content", 0, 0, G_OPTION_ARG_STRING, &only_content, "This content", "TEXT"},
  {"sizes", 0, 0, G_OPTION_ARG_STRING, &sizes_text, "2^FROM to 2^TO elements", "FROM:TO"},
  {NULL, 0, 0, 0, NULL, NULL, NULL}
};

static guint n_rows, n_inexact;
static guint call_number;       /* goes on from step to step: the cache never has the data */

/* ---- Output --------------------------------------------------------------------- */

static void
print_head (const LadderDevice *device)
{
  GDateTime *now = g_date_time_new_now_utc ();
  gchar *date = g_date_time_format (now, "%Y-%m-%d");

  if (as_json)
    printf ("{\"device\": \"%s\", \"multiprocessors\": %d, \"compute_capability\": %d, "
        "\"driver\": %d, \"date\": \"%s\",\n\"steps\": [", device->name,
        device->n_multiprocessors, device->compute_capability, device->driver_version,
        date);
  else
    printf ("%s, %d multiprocessors, driver's CUDA %d.%d, %s\n", device->name,
        device->n_multiprocessors, device->driver_version / 1000,
        device->driver_version / 10 % 100, date);
  for (guint i = 0; as_json && i < ladder_n_steps; i++) {
    const LadderStep *step = &ladder_steps[i];

    printf ("%s\n  {\"family\": \"%s\", \"step\": \"%s\", \"title\": \"%s\", "
        "\"lesson\": \"%s\"}", i == 0 ? "" : ",", ladder_families[step->family].name,
        step->id, step->title, step->lesson);
  }
  if (as_json)
    printf ("],\n\"rows\": [");
  g_free (date);
  g_date_time_unref (now);
}

static void
print_tail (void)
{
  if (as_json)
    printf ("]}\n");
  else
    printf ("%u rows, %u not exact\n", n_rows, n_inexact);
}

/* Times are in microseconds; before_us is 0 for the first step of a ladder. */
static void
print_row (const LadderCase *c, gboolean is_exact, gdouble us, gdouble roofline_us,
    gdouble before_us)
{
  const gdouble bytes = (gdouble) c->n * ladder_element_bytes (c->content)
      * c->family->bytes_moved;
  const gchar *step = c->step != NULL ? c->step->id : c->family->roofline;
  const gchar *content = ladder_content_name (c->content);
  const gdouble rate = us > 0 ? bytes / us / 1000 : 0, share = us > 0 ? roofline_us / us : 0;
  const gdouble speedup = us > 0 ? before_us / us : 0;

  n_rows++;
  n_inexact += !is_exact;
  if (as_json)
    printf ("%s\n  {\"family\": \"%s\", \"content\": \"%s\", \"step\": \"%s\", "
        "\"elements\": %u, \"us\": %.3f, \"gbs\": %.2f, \"share\": %.4f, "
        "\"speedup\": %.3f, \"exact\": %s}", n_rows == 1 ? "" : ",", c->family->name,
        content, step, c->size, us, rate, share, speedup, is_exact ? "true" : "false");
  else
    printf ("%-21s %-11s %-22s %10u  %11.2f us %8.1f GB/s  %5.1f %%  x %-7.2f %s\n",
        c->family->name, content, step, c->size, us, rate, 100 * share, speedup,
        is_exact ? "exact" : "NOT EXACT");
  fflush (stdout);
}

/* ---- One ladder ------------------------------------------------------------------ */

static gboolean
is_wanted (const LadderStep *step)
{
  return only == NULL || strstr (step->id, only) != NULL;
}

static gdouble
time_roofline (const LadderCase *like)
{
  LadderCase c = *like;
  const gchar *why;
  gdouble us;

  c.step = NULL;
  ladder_case_init (&c, &why);
  us = ladder_time (c.device, ladder_case_call, &c, &call_number);
  print_row (&c, TRUE, us, us, 0);
  return us;
}

/* Elements that the family's cases come in: a word, or a frame, or a matrix. */
static guint
unit_of (const LadderFamilyInfo *family, LadderContent content)
{
  return family == &ladder_families[LADDER_ELIMINATION] ? ladder_matrix_elements (ladder_order (content))
      : family == &ladder_families[LADDER_SPLITTING] ? LADDER_CHANNELS : 1;
}

/* All steps of the case's family at its size. */
static void
climb (LadderCase *c, const LadderExpectation *expectation)
{
  const gboolean is_timed = !check_only && !once;
  gdouble roofline_us = is_timed ? time_roofline (c) : 0, before_us = 0;

  for (guint i = 0; i < ladder_n_steps; i++) {
    const gchar *why = NULL;
    gboolean is_exact;
    gdouble us = 0;

    c->step = &ladder_steps[i];
    if (&ladder_families[c->step->family] != c->family || !is_wanted (c->step))
      continue;
    if (!ladder_case_init (c, &why)) {
      fprintf (stderr, "%s, %s: left out, %s\n", c->step->id,
          ladder_content_name (c->content), why);
      continue;
    }
    if (once) {
      ladder_case_call (c, call_number++);
      ladder_synchronize (c->device);
      continue;
    }
    is_exact = ladder_case_is_exact (c, expectation);
    if (is_exact && is_timed)
      us = ladder_time (c->device, ladder_case_call, c, &call_number);
    print_row (c, is_exact, us, roofline_us, before_us);
    before_us = us;
  }
}

/* Neither all threads of a block, nor all of a warp, nor all words of a vector. */
static const guint awkward_sizes[] = { 1, 33, 1000, 4096, 5000, 12345, 40001, 70001 };

static GArray *
sizes_of_run (void)
{
  GArray *sizes = g_array_new (FALSE, FALSE, sizeof (guint));

  if (check_only)
    return g_array_append_vals (sizes, awkward_sizes, G_N_ELEMENTS (awkward_sizes));
  for (guint log2 = first_log2; log2 <= last_log2; log2++) {
    guint n = 1u << log2;

    g_array_append_val (sizes, n);
  }
  return sizes;
}

/* Memory for several times what the cache holds, and two calls' at least, if anything is
 * timed. */
static gsize
memory_for (const LadderDevice *device, gsize most_bytes)
{
  const gsize cold = 16 * (gsize) device->cache_bytes, limit = (gsize) 1 << 31;

  return check_only || once ? MAX (most_bytes, 256)
      : MAX (2 * most_bytes, MIN (cold, limit)) / 256 * 256;
}

static void
run_content (LadderDevice *device, const LadderFamilyInfo *family, LadderContent content)
{
  GArray *sizes = sizes_of_run ();
  const guint unit = unit_of (family, content);
  /* A matrix may be larger than all sizes that are only compared. */
  const guint most = MAX (g_array_index (sizes, guint, sizes->len - 1), check_only ? unit : 1);
  const gboolean moves = family->bytes_moved > 1;
  LadderExpectation *expectation = g_new (LadderExpectation, 1);
  LadderCase c = { .device = device, .family = family };

  c.content = content;
  c.memory_bytes = memory_for (device, (gsize) most * ladder_element_bytes (content));
  c.data = ladder_alloc (device, c.memory_bytes);
  c.result = ladder_alloc (device, moves ? c.memory_bytes : LADDER_BINS_16 * 4);
  c.partials = ladder_alloc (device, ladder_partials_bytes (device));
  c.slots = ladder_alloc (device, ladder_slots_bytes (device));
  ladder_set (device, c.slots, 0, ladder_slots_bytes (device));
  c.ticket = ladder_alloc (device, sizeof (guint64));
  ladder_set (device, c.ticket, 0, sizeof (guint64));
  ladder_fill (device, c.data, c.memory_bytes, content);
  ladder_expect_nothing (expectation, content);
  for (guint i = 0; i < sizes->len; i++) {
    c.size = i == sizes->len - 1 ? most : g_array_index (sizes, guint, i);
    c.n = c.size / unit * unit;
    if (c.n == 0)
      continue;
    fprintf (stderr, "%s, %s: %u elements\n", family->name, ladder_content_name (content),
        c.n);
    if (!once && !moves)
      ladder_expect (expectation, c.n);
    climb (&c, expectation);
  }
  ladder_free (device, c.data);
  ladder_free (device, c.result);
  ladder_free (device, c.partials);
  ladder_free (device, c.slots);
  ladder_free (device, c.ticket);
  g_free (expectation);
  g_array_unref (sizes);
}

static gboolean
family_is_wanted (const LadderFamilyInfo *family)
{
  for (guint i = 0; i < ladder_n_steps; i++) {
    if (&ladder_families[ladder_steps[i].family] == family && is_wanted (&ladder_steps[i]))
      return TRUE;
  }
  return FALSE;
}

static void
run_all (LadderDevice *device)
{
  for (guint f = 0; f < LADDER_N_FAMILIES; f++) {
    const LadderFamilyInfo *family = &ladder_families[f];

    for (guint content = family->first; content <= family->last; content++) {
      if (family_is_wanted (family)
          && (only_content == NULL
              || strcmp (only_content, ladder_content_name (content)) == 0))
        run_content (device, family, content);
    }
  }
}

/* ---- All of it --------------------------------------------------------------------- */

static void
parse (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;
  gboolean is_understood;

  g_option_context_add_main_entries (context, options, NULL);
  is_understood = g_option_context_parse (context, &argc, &argv, &error) && argc == 1
      && (sizes_text == NULL
          || (sscanf (sizes_text, "%u:%u", &first_log2, &last_log2) == 2
              && first_log2 >= 12 && first_log2 <= last_log2 && last_log2 <= 28));
  if (!is_understood) {
    fprintf (stderr, "%s\n", error != NULL ? error->message
        : "Sizes are FROM:TO, within 12:28; there are no other arguments");
    exit (2);
  }
  g_option_context_free (context);
}

int
main (int argc, char **argv)
{
  LadderDevice device;
  gboolean primitives_are_right = TRUE;

  parse (argc, argv);
  ladder_device_open (&device);
  if (!once)
    primitives_are_right = ladder_primitives_are_right (&device)
        & ladder_percentiles_are_right (&device);
  print_head (&device);
  run_all (&device);
  print_tail ();
  ladder_device_close (&device);
  return n_inexact > 0 || !primitives_are_right || (n_rows == 0 && !once);
}
