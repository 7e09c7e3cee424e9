/* The properties' values; see settings.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/settings.h"

#include <math.h>

void
histo_settings_init (HistoSharedSettings * shared, const HistoSettings * values)
{
  g_mutex_init (&shared->lock);
  shared->values = *values;
  shared->must_configure = TRUE;
  shared->has_rejected_bins = FALSE;
}

void
histo_settings_clear (HistoSharedSettings * shared)
{
  g_mutex_clear (&shared->lock);
}

/* Returns: whether the engines must be configured before the next buffer */
gboolean
histo_settings_get (HistoSharedSettings * shared, HistoSettings * values)
{
  gboolean must_configure;

  g_mutex_lock (&shared->lock);
  *values = shared->values;
  must_configure = shared->must_configure;
  g_mutex_unlock (&shared->lock);
  return must_configure;
}

/* For a thread that configures the engines now: a change from now on is another one. */
void
histo_settings_get_to_configure (HistoSharedSettings * shared,
    HistoSettings * values)
{
  g_mutex_lock (&shared->lock);
  *values = shared->values;
  shared->must_configure = FALSE;
  g_mutex_unlock (&shared->lock);
}

void
histo_settings_request_configure (HistoSharedSettings * shared)
{
  g_mutex_lock (&shared->lock);
  shared->must_configure = TRUE;
  g_mutex_unlock (&shared->lock);
}

/* ---- Changes ------------------------------------------------------------------------ */

/* Whether these bins are on the way from one range to another. An application sets one bound
 * after the other. The first one may lie on the wrong side of the other bound, which is still
 * unset (0). It is kept until the other bound follows. */
static gboolean
are_half_a_range (const HistoBinSettings * wanted, const HistoBinSettings * old)
{
  return (wanted->range_max == 0 && old->range_max == 0
      && isfinite (wanted->range_min) && wanted->range_min > 0)
      || (wanted->range_min == 0 && old->range_min == 0
      && isfinite (wanted->range_max) && wanted->range_max < 0);
}

static gboolean
are_equal_bins (const HistoBinSettings * a, const HistoBinSettings * b)
{
  return a->bins == b->bins && a->range_min == b->range_min
      && a->range_max == b->range_max;
}

/**
 * histo_settings_begin_change:
 *
 * Returns: (transfer none): the values. The calling thread alone may read and change them
 * until histo_settings_end_change().
 */
HistoSettings *
histo_settings_begin_change (HistoSharedSettings * shared)
{
  g_mutex_lock (&shared->lock);
  return &shared->values;
}

/**
 * histo_settings_end_change:
 * @old: the values at histo_settings_begin_change()
 *
 * Returns: %FALSE if the bins are impossible. They are put back to the old ones, and
 * histo_settings_get_rejected() tells of them.
 */
gboolean
histo_settings_end_change (HistoSharedSettings * shared,
    const HistoSettings * old)
{
  HistoBinSettings *bins = &shared->values.bins;
  gboolean accepted = TRUE;

  if (shared->values.max_in_flight != old->max_in_flight)
    shared->must_configure = TRUE;
  if (!are_equal_bins (bins, &old->bins)) {
    accepted = histo_bin_settings_valid (bins)
        || (bins->bins <= HISTO_MAX_BINS
        && are_half_a_range (bins, &old->bins));
    if (accepted) {
      shared->must_configure = TRUE;
    } else {
      shared->rejected_bins = *bins;
      shared->has_rejected_bins = TRUE;
      *bins = old->bins;
    }
  }
  g_mutex_unlock (&shared->lock);
  return accepted;
}

/**
 * histo_settings_get_rejected:
 * @forget: whether this was the last time that they are asked for
 * @rejected: (out): the latest impossible bins
 *
 * Returns: whether there are any
 */
gboolean
histo_settings_get_rejected (HistoSharedSettings * shared, gboolean forget,
    HistoBinSettings * rejected)
{
  gboolean any;

  g_mutex_lock (&shared->lock);
  any = shared->has_rejected_bins;
  *rejected = shared->rejected_bins;
  if (forget)
    shared->has_rejected_bins = FALSE;
  g_mutex_unlock (&shared->lock);
  return any;
}
