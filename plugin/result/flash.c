/* Flashes; see flash.h.
 *
 * The source of the rule is IRIS of Electronic Arts (Flash.cpp, TransitionTracker.cpp), with its thresholds. IRIS counts
 * in frames, this code in time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result/flash.h"

#include <math.h>
#include <string.h>

#include "kernels/formulas.h"

#define SECOND G_GUINT64_CONSTANT (1000000000)

/* A flash has two transitions; more than three flashes in a second fail. */
#define MOST_TRANSITIONS 6
#define WARNING_TRANSITIONS 4

/* The share of an area that must flash, as in IRIS; here of each of the two parts. */
#define COUNTER_SHARE 0.25

/* Warnings for 4 of the last 5 seconds fail, too. */
#define EXTENDED_WINDOW (5 * SECOND)
#define EXTENDED_LENGTH (4 * SECOND)

/* Times are rounded: a frame may lie so many ns less than a window's length before another one, and is still out of the
 * window. */
#define MOST_TOLERANCE (SECOND / 1000)

/* Times come from outside, and all may be alike. This is enough for 5 s of 1000 frames a second. */
#define MOST_MOMENTS 5000

typedef struct
{
  guint64 time;                 /* ns */
  gdouble value;
} Moment;

static const struct
{
  gdouble step;                 /* the least change that is a transition */
  gdouble dark;                 /* the darker state must lie below */
} thresholds[HISTO_N_FLASHES] = {
  [HISTO_FLASHES_OF_LUMINANCE] = {HISTO_FLASH_STEP, HISTO_FLASH_DARK},
  [HISTO_FLASHES_OF_RED] = {HISTO_FLASH_RED_STEP, INFINITY},
};

/* @flash: (inout): all zero, or an earlier one: the next frame has no previous one. Frees what it holds */
void
histo_flash_forget (HistoFlash * flash)
{
  g_clear_pointer (&flash->changes, g_array_unref);
  g_clear_pointer (&flash->transitions, g_array_unref);
  g_clear_pointer (&flash->warnings, g_array_unref);
  memset (flash, 0, sizeof *flash);
}

/* ---- Moments ------------------------------------------------------------------------------ */

static void
add_moment (GArray ** moments, guint64 time, gdouble value)
{
  const Moment moment = { time, value };

  if (*moments == NULL)
    *moments = g_array_new (FALSE, FALSE, sizeof moment);
  if ((*moments)->len == MOST_MOMENTS)
    g_array_remove_index (*moments, 0);
  g_array_append_val (*moments, moment);
}

/* Drops those that are @length ns old or older. Returns: how many are left */
static guint
drop_old (GArray * moments, guint64 time, guint64 step, guint64 length)
{
  const guint64 least = length - MIN (step / 2, MOST_TOLERANCE);
  guint n = 0;

  if (moments == NULL)
    return 0;
  while (n < moments->len
      && time - g_array_index (moments, Moment, n).time >= least)
    n++;
  if (n > 0)
    g_array_remove_range (moments, 0, n);
  return moments->len;
}

/* It is added up anew each time, so that no rounding error is left when the moments are gone. */
static gdouble
sum_of (const GArray * moments)
{
  gdouble sum = 0;

  for (guint i = 0; moments != NULL && i < moments->len; i++)
    sum += g_array_index (moments, Moment, i).value;
  return sum;
}

/* ---- One frame ---------------------------------------------------------------------------- */

/* Zero has both signs. */
static gboolean
have_same_sign (gdouble a, gdouble b)
{
  return (a <= 0 && b <= 0) || (a >= 0 && b >= 0);
}

/* Follows the mean. Returns: whether there is a transition */
static gboolean
follow (HistoFlash * flash, HistoFlashQuantity quantity, gdouble mean,
    gboolean is_wide, guint64 time, guint64 step)
{
  const gdouble threshold = thresholds[quantity].step;
  const gdouble previous = flash->change;
  const gdouble difference = is_wide ? mean - flash->mean : 0;

  if (!have_same_sign (previous, difference))
    g_clear_pointer (&flash->changes, g_array_unref);
  if (difference != 0)
    add_moment (&flash->changes, time, difference);
  drop_old (flash->changes, time, step, SECOND);
  flash->change = sum_of (flash->changes);
  /* The transition goes on. */
  if (have_same_sign (previous, flash->change) && fabs (previous) >= threshold)
    return FALSE;
  return fabs (flash->change) >= threshold
      && MIN (mean, flash->mean) < thresholds[quantity].dark;
}

/* @step: half of it is added, because times are rounded: 4 s are 4 s of whole frames */
static guint
find_state (HistoFlash * flash, guint64 time, guint64 step)
{
  const guint n = flash->n_transitions;

  if (n >= WARNING_TRANSITIONS && n <= MOST_TRANSITIONS)
    add_moment (&flash->warnings, time, step);
  drop_old (flash->warnings, time, step, EXTENDED_WINDOW);
  if (n > MOST_TRANSITIONS)
    return HISTO_FLASH_FAIL;
  if (n < WARNING_TRANSITIONS)
    return HISTO_FLASH_PASS;
  return sum_of (flash->warnings) + step / 2. >= EXTENDED_LENGTH ?
      HISTO_FLASH_EXTENDED : HISTO_FLASH_WARNING;
}

/**
 * histo_flash_pass:
 * @area: in the next frame. Without pixels there are no transitions
 * @time: of the frame in ns, at any origin; not less than that of the frame before
 * @step: ns since the frame before
 *
 * Sets the transitions of the last second and the state.
 */
void
histo_flash_pass (HistoFlash * flash, HistoFlashQuantity quantity,
    const HistoFlashArea * area, guint64 time, guint64 step)
{
  gdouble mean;

  if (area->n_pixels == 0)
    return;
  mean = (gdouble) area->sum / area->n_pixels;
  if (flash->has_previous && follow (flash, quantity, mean,
          area->n_changed >= area->n_pixels / 4, time, step))
    add_moment (&flash->transitions, time, 1);
  flash->has_previous = TRUE;
  flash->mean = mean;
  flash->n_transitions = drop_old (flash->transitions, time, step, SECOND);
  flash->state = find_state (flash, time, step);
}

/* ---- Parts that flash against each other ------------------------------------------------ */

/* @flash: (inout): all zero, or an earlier one. Frees what it holds */
void
histo_counter_flash_forget (HistoCounterFlash * flash)
{
  g_clear_pointer (&flash->moments, g_array_unref);
  flash->has_previous = FALSE;
}

/**
 * histo_counter_flash_pass:
 * @up: the share of the next frame's pixels that have become brighter by a flash's step, 0 to 1; NaN: unknown
 * @down: the same of those that have become darker
 * @time: of the frame in ns, as in histo_flash_pass()
 * @step: ns since the frame before
 *
 * Returns: the number of frames of the last second in which both are above COUNTER_SHARE. The first frame is none of them,
 * as it is no transition: the frame before it is of another scene
 */
guint
histo_counter_flash_pass (HistoCounterFlash * flash, gdouble up, gdouble down,
    guint64 time, guint64 step)
{
  if (flash->has_previous && up > COUNTER_SHARE && down > COUNTER_SHARE)
    add_moment (&flash->moments, time, 1);
  flash->has_previous = TRUE;
  return drop_old (flash->moments, time, step, SECOND);
}
