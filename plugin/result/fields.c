/* Field order and repeated fields; see fields.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result/fields.h"

#include <string.h>

/* @fields: (out): no frame has been decided */
void
histo_fields_forget (HistoFields * fields)
{
  fields->has_sums = FALSE;
  for (guint i = 0; i < HISTO_N_FIELD_RESULTS; i++)
    fields->singles[i] = HISTO_FIELD_UNDETERMINED;
  fields->multi = HISTO_FIELD_UNDETERMINED;
}

/* The sums are whole numbers: with factors that are whole numbers, too, nothing is rounded. The thresholds are idet's
 * defaults: 1.04 for the order, 1.5 for progressive, 3 for repeated fields. */
static guint
find_single (const HistoFieldSums * sums)
{
  const gdouble tff = sums->previous[0] + sums->next[1];
  const gdouble bff = sums->previous[1] + sums->next[0];
  const gdouble current = sums->current[0] + sums->current[1];

  if (100 * tff > 104 * bff)
    return HISTO_FIELD_TFF;
  if (100 * bff > 104 * tff)
    return HISTO_FIELD_BFF;
  if (2 * bff > 3 * current)
    return HISTO_FIELD_PROGRESSIVE;
  return HISTO_FIELD_UNDETERMINED;
}

static guint
find_repeated (const HistoFieldSums * sums)
{
  if (sums->change[1] > 3 * sums->change[0])
    return HISTO_REPEATED_TOP;
  if (sums->change[0] > 3 * sums->change[1])
    return HISTO_REPEATED_BOTTOM;
  return HISTO_REPEATED_NEITHER;
}

/* The first result is taken at once. Another one must come three times, without one that contradicts it among the
 * latest ones. */
static guint
find_multi (const HistoFields * fields)
{
  guint newest = HISTO_FIELD_UNDETERMINED, n = 0;

  for (guint i = 0; i < HISTO_N_FIELD_RESULTS; i++) {
    if (fields->singles[i] == HISTO_FIELD_UNDETERMINED)
      continue;
    if (newest == HISTO_FIELD_UNDETERMINED)
      newest = fields->singles[i];
    if (fields->singles[i] != newest)
      return fields->multi;
    n++;
  }
  return n > 2 || fields->multi == HISTO_FIELD_UNDETERMINED ? newest : fields->multi;
}

/**
 * histo_fields_decide:
 * @sums: of the next frame, whole numbers
 * @decision: (out): of that frame
 */
void
histo_fields_decide (HistoFields * fields, const HistoFieldSums * sums,
    HistoFieldDecision * decision)
{
  memmove (fields->singles + 1, fields->singles,
      (HISTO_N_FIELD_RESULTS - 1) * sizeof *fields->singles);
  fields->singles[0] = decision->single = find_single (sums);
  fields->multi = decision->multi = find_multi (fields);
  decision->repeated = find_repeated (sums);
}
