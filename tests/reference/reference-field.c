/* reference-field.c: the measures of the group field.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sources: ffmpeg's vf_idet.c and vf_fieldmatch.c.
 */

#include <math.h>
#include <string.h>

#include "reference-measures.h"

/* The sums of row @y of a component; @columns: of the region */
static void
count_row (const ReferencePicture * current, const ReferencePicture * previous,
    guint component, const ReferenceRectangle * columns, guint y,
    ReferenceField * out)
{
  const gsize stride = current->shape.widths[component];
  const guint odd = y % 2;
  gsize i;

  for (i = y * stride + columns->x; i < y * stride + columns->x + columns->width; i++) {
    const guint32 *now = current->samples[component];
    const gint64 around = (gint64) now[i - stride] + now[i + stride];
    const gint64 own = now[i];
    gint64 old, old_around;

    out->current[odd] += ABS (around - 2 * own);
    if (previous == NULL)
      continue;
    old = previous->samples[component][i];
    old_around = (gint64) previous->samples[component][i - stride]
        + previous->samples[component][i + stride];
    out->previous[odd] += ABS (around - 2 * old);
    out->next[odd] += ABS (old_around - 2 * own);
    out->change[odd] += ABS (own - old);
  }
}

static gboolean
is_combed (const ReferencePicture * picture, guint x, guint y)
{
  const guint channel = picture->color.family == REFERENCE_RGB ? 1 : 0;
  const gint64 limit = 9 * picture->color.factor;
  gint64 rows[5];
  guint i;

  for (i = 0; i < 5; i++)
    rows[i] = reference_color_scale (&picture->color,
        reference_picture_native (picture, channel, x, y + i - 2),
        picture->shape.depths[channel]);
  return ABS (rows[2] - rows[1]) > limit && ABS (rows[2] - rows[3]) > limit
      && ABS (4 * rows[2] - 3 * (rows[1] + rows[3]) + (rows[0] + rows[4]))
      > 6 * limit;
}

void
reference_count_field (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    ReferenceField * out)
{
  ReferenceShare *comb = reference_share (&out->shares, "comb");
  guint c, x, y;

  for (c = 0; c < current->shape.n_components; c++) {
    const ReferenceRectangle samples =
        reference_picture_samples_of (current, c, region);

    for (y = samples.y + 2; y + 2 < samples.y + samples.height; y++)
      count_row (current, previous, c, &samples, y, out);
  }
  for (y = region->y + 2; y + 2 < region->y + region->height; y++)
    for (x = region->x; x < region->x + region->width; x++)
      if (is_combed (current, x, y))
        comb->n++;
}

void
reference_field_figures (ReferenceMeasures * measures)
{
  const gdouble n = (gdouble) measures->region.width
      * measures->region.height * measures->n_frames;

  reference_share_figures (&measures->field.shares, n);
}

/* Decisions */

ReferenceFieldOrder
reference_field_order (const ReferenceFieldSums * sums)
{
  const ReferenceUint128 top_first = sums->previous[0] + sums->next[1];
  const ReferenceUint128 bottom_first = sums->previous[1] + sums->next[0];
  const ReferenceUint128 own = sums->current[0] + sums->current[1];

  if (100 * top_first > 104 * bottom_first)
    return REFERENCE_FIELD_TFF;
  if (100 * bottom_first > 104 * top_first)
    return REFERENCE_FIELD_BFF;
  if (2 * bottom_first > 3 * own)
    return REFERENCE_FIELD_PROGRESSIVE;

  return REFERENCE_FIELD_UNDETERMINED;
}

ReferenceRepeatedField
reference_repeated_field (const ReferenceFieldSums * sums)
{
  const ReferenceUint128 even = sums->change[0], odd = sums->change[1];

  if (odd > 3 * even)
    return REFERENCE_REPEATED_TOP;
  if (even > 3 * odd)
    return REFERENCE_REPEATED_BOTTOM;

  return REFERENCE_REPEATED_NEITHER;
}

ReferenceFieldOrder
reference_field_add (ReferenceFieldHistory * history,
    ReferenceFieldOrder single)
{
  ReferenceFieldOrder newest = REFERENCE_FIELD_UNDETERMINED;
  guint n_equal = 0, i;

  if (history->n_singles == 0)
    history->multi = REFERENCE_FIELD_UNDETERMINED;
  history->n_singles = MIN (history->n_singles + 1, 4);
  for (i = history->n_singles - 1; i > 0; i--)
    history->singles[i] = history->singles[i - 1];
  history->singles[0] = single;

  for (i = 0; i < history->n_singles; i++) {
    if (history->singles[i] == REFERENCE_FIELD_UNDETERMINED)
      continue;
    if (newest == REFERENCE_FIELD_UNDETERMINED)
      newest = history->singles[i];
    if (history->singles[i] != newest) {
      n_equal = 0;
      break;
    }
    n_equal++;
  }
  if (n_equal > (history->multi == REFERENCE_FIELD_UNDETERMINED ? 0 : 2))
    history->multi = newest;
  return history->multi;
}

void
reference_field_history (ReferenceFieldHistory * history,
    gboolean has_previous, ReferenceField * out)
{
  guint i;

  if (!has_previous)
    memset (history, 0, sizeof (*history));
  out->has_result = has_previous && history->has_sums;
  if (out->has_result) {
    out->sums = history->sums;
    memcpy (out->sums.next, out->next, sizeof (out->next));
    out->single = reference_field_order (&out->sums);
    out->multi = reference_field_add (history, out->single);
    out->repeated = reference_repeated_field (&out->sums);
  }

  /* The first picture is its own previous one. */
  history->has_sums = TRUE;
  for (i = 0; i < 2; i++) {
    history->sums.current[i] = out->current[i];
    history->sums.previous[i] = has_previous ? out->previous[i]
        : out->current[i];
    history->sums.change[i] = 2 * out->change[i];
  }
}
