/* Holes of sound; see holes.h.
 *
 * Only some of the samples are looked at: a run of k zeros covers one of any k neighbours.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/holes.h"

#include <math.h>
#include <string.h>

/* So many of the last samples are kept at most: 5 ms up to 204.8 kHz. */
#define MOST_CLOSE 1024

void
histo_holes_init (HistoHoles * holes, guint rate, gdouble full_scale)
{
  holes->least = (guint) MAX (ceil (HISTO_HOLES_LEAST * rate), HISTO_HOLES_LEAST_SAMPLES);
  holes->most = (guint64) (HISTO_HOLES_MOST * rate);
  holes->sound = (guint64) (HISTO_HOLES_SOUND * rate);
  holes->close = (guint) CLAMP (HISTO_HOLES_CLOSE * rate, 1, MOST_CLOSE);
  holes->loud = HISTO_HOLES_LOUD * full_scale;
  holes->latest = g_new (gdouble, holes->close);
  holes->n = 0;
  histo_holes_restart (holes);
}

void
histo_holes_clear (HistoHoles * holes)
{
  g_clear_pointer (&holes->latest, g_free);
}

/* The next sample does not follow the last one. */
void
histo_holes_restart (HistoHoles * holes)
{
  holes->n_latest = 0;
  holes->zeros = holes->since = 0;
  holes->is_waiting = FALSE;
}

static gdouble
find_greatest (const gdouble * x, guint n)
{
  gdouble greatest = 0;

  for (guint i = 0; i < n; i++)
    greatest = MAX (greatest, fabs (x[i]));
  return greatest;
}

/* Keeps the last samples. @x: (nullable): NULL: they are 0 */
static void
keep (HistoHoles * holes, const gdouble * x, guint n)
{
  const guint n_new = MIN (n, holes->close);
  const guint n_old = MIN (holes->n_latest, holes->close - n_new);

  memmove (holes->latest, holes->latest + holes->n_latest - n_old, n_old * sizeof *x);
  if (x != NULL)
    memcpy (holes->latest + n_old, x + n - n_new, n_new * sizeof *x);
  else
    memset (holes->latest + n_old, 0, n_new * sizeof *x);
  holes->n_latest = n_old + n_new;
}

/* Adds samples that are in no run. @x: (nullable): NULL: they are 0 */
static void
add_sound (HistoHoles * holes, const gdouble * x, guint n, HistoHolesFound * found)
{
  if (n == 0)
    return;
  if (holes->is_waiting && x != NULL && holes->since < holes->close)
    holes->behind = MAX (holes->behind, find_greatest (x, MIN (n, holes->close - (guint) holes->since)));
  keep (holes, x, n);
  holes->since += n;
  if (!holes->is_waiting || holes->since <= MAX (holes->length, holes->sound))
    return;
  holes->is_waiting = FALSE;
  if (holes->behind >= holes->loud)
    *found = (HistoHolesFound) { found->count + 1, holes->start, holes->length };
}

/* The run of zeros ends in front of the sample @end. */
static void
end_zeros (HistoHoles * holes, guint64 end, HistoHolesFound * found)
{
  const guint64 length = holes->zeros;

  holes->zeros = 0;
  if (length < holes->least) {
    add_sound (holes, NULL, (guint) length, found);
    return;
  }
  holes->is_waiting = length < holes->most && holes->since > MAX (length, holes->sound)
      && find_greatest (holes->latest, holes->n_latest) >= holes->loud;
  holes->start = end - length;
  holes->length = length;
  holes->behind = 0;
  holes->since = 0;
  holes->n_latest = 0;
}

/* Finds the next run of at least @least zeros, or the one at the end, however short it is.
 *
 * @from: a sample that is not 0, or the first one; no run goes on there
 * @end: (out): of the run
 *
 * Returns: where it begins; @n: there is none */
static guint
find_zeros (const gdouble * x, guint from, guint n, guint least, guint * end)
{
  guint start = n;

  for (guint i = from; n - i >= least; i = *end) {
    const guint at = i + least - 1;

    *end = at + 1;
    if (x[at] != 0)
      continue;
    for (start = at; start > i && x[start - 1] == 0;)
      start--;
    while (*end < n && x[*end] == 0)
      ++*end;
    if (*end == n || *end - start >= least)
      return start;
  }
  *end = n;
  for (start = n; start > from && x[start - 1] == 0;)
    start--;
  return start;
}

/**
 * histo_holes_add:
 * @x: the next samples, all finite
 * @found: (inout): gets the holes that are known with these samples
 *
 * A hole is known when the sound behind it has lasted long enough.
 */
void
histo_holes_add (HistoHoles * holes, const gdouble * x, guint n,
    HistoHolesFound * found)
{
  guint from = 0;

  while (holes->zeros > 0 && from < n && x[from] == 0) {
    holes->zeros++;
    from++;
  }
  if (holes->zeros > 0 && from < n)
    end_zeros (holes, holes->n + from, found);
  while (from < n) {
    guint end;
    const guint start = find_zeros (x, from, n, holes->least, &end);

    add_sound (holes, x + from, start - from, found);
    holes->zeros = end - start;
    if (end < n)
      end_zeros (holes, holes->n + end, found);
    from = end;
  }
  holes->n += n;
}
