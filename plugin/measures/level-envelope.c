/* Running power and noise floor; see level-envelope.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/level-envelope.h"

#include <math.h>

/* As astats' default `length`. */
#define SECONDS 0.05

void
histo_level_envelope_init (HistoLevelEnvelope * envelope,
    const HistoLevelLoops * loops, guint rate)
{
  envelope->loops = loops;
  envelope->length = (guint) MAX (SECONDS * rate + 0.5, 1);
  envelope->factor = exp (-1 / SECONDS / rate);
  envelope->block = envelope->tails = NULL;
  envelope->n_allocated = 0;
  histo_level_envelope_reset (envelope);
}

void
histo_level_envelope_clear (HistoLevelEnvelope * envelope)
{
  g_clear_pointer (&envelope->block, g_free);
  g_clear_pointer (&envelope->tails, g_free);
  envelope->n_allocated = 0;
}

/**
 * histo_level_envelope_reset:
 *
 * Forgets all samples.
 */
void
histo_level_envelope_reset (HistoLevelEnvelope * envelope)
{
  envelope->n = 0;
  envelope->average = 0;
  envelope->min = G_MAXDOUBLE;
  envelope->max = 0;
  envelope->n_in_block = 0;
  envelope->highest = 0;
  envelope->floor = HISTO_LEVEL_NO_FLOOR;
}

/* The arrays grow with the samples, because a span at a very high rate is long, and short
 * windows do not need it. */
static void
allocate (HistoLevelEnvelope * envelope, guint n)
{
  n = MIN (n, envelope->length);
  if (n <= envelope->n_allocated)
    return;
  n = (guint) MIN ((guint64) 2 * n, envelope->length);
  envelope->block = g_renew (guint16, envelope->block, n);
  envelope->tails = g_renew (guint16, envelope->tails, n);
  envelope->n_allocated = n;
}

static void
add_to_average (HistoLevelEnvelope * envelope, const gdouble * x, guint n)
{
  guint n_before = 0;

  if (envelope->n < envelope->length) {
    gdouble min = 0, max = 0;

    n_before = MIN (n, envelope->length - envelope->n);
    envelope->average = envelope->loops->average (x, n_before, envelope->factor,
        envelope->average, &min, &max);
  }
  envelope->average = envelope->loops->average (x + n_before, n - n_before,
      envelope->factor, envelope->average, &envelope->min, &envelope->max);
}

/* The next block begins. */
static void
finish_block (HistoLevelEnvelope * envelope)
{
  guint highest = 0;

  for (guint i = envelope->length; i-- > 0;) {
    highest = MAX (highest, envelope->block[i]);
    envelope->tails[i] = highest;
  }
  envelope->n_in_block = 0;
  envelope->highest = 0;
}

/* Bins that fit into the block. The spans that end in this block begin in the block before. */
static void
add_to_block (HistoLevelEnvelope * envelope, const guint16 * bins, guint n)
{
  guint16 *block = envelope->block + envelope->n_in_block;
  const guint16 *tails = envelope->tails + envelope->n_in_block + 1;
  guint highest = envelope->highest, lowest = envelope->floor;

  memcpy (block, bins, n * sizeof *bins);
  envelope->n_in_block += n;
  if (envelope->floor == HISTO_LEVEL_NO_FLOOR) {
    for (guint i = 0; i < n; i++)
      highest = MAX (highest, bins[i]);
  } else {
    /* The span that ends with the block's last sample has no tail: see below. */
    const guint n_tails =
        envelope->n_in_block == envelope->length ? n - 1 : n;
    guint i;

    for (i = 0; i < n_tails; i++) {
      highest = MAX (highest, bins[i]);
      lowest = MIN (lowest, MAX (highest, tails[i]));
    }
    for (; i < n; i++)
      highest = MAX (highest, bins[i]);
  }
  envelope->highest = highest;
  if (envelope->n_in_block == envelope->length) {
    lowest = MIN (lowest, highest);
    finish_block (envelope);
  }
  envelope->floor = lowest;
}

/**
 * histo_level_envelope_add:
 * @x: (array length=n): finite samples
 * @bins: (array length=n): of these samples, from find_bins()
 */
void
histo_level_envelope_add (HistoLevelEnvelope * envelope, const gdouble * x,
    const guint16 * bins, guint n)
{
  add_to_average (envelope, x, n);
  for (guint i = 0, part; i < n; i += part) {
    part = MIN (n - i, envelope->length - envelope->n_in_block);
    allocate (envelope, envelope->n_in_block + part);
    add_to_block (envelope, bins + i, part);
  }
  envelope->n += n;
}
