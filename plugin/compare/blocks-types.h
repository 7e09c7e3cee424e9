/* The loops of compare/blocks.c for each type of samples. TARGET and WITH(x) are of a set of instructions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Two rows that become one of cells: sums of two columns.
 *
 * @inner: the sums of the rows of the cell; @next: of those next to it; @outer: of those two away from it. They have
 * @n columns and one more. The cells at both ends, of @step columns, get nothing. */
static TARGET void
WITH (add_detail_of_cells) (const gint32 * restrict inner, const gint32 * restrict next, const gint32 * restrict outer,
    guint n, guint32 * restrict columns)
{
  for (gsize i = 2; i + 2 < n; i += 2) {
    const gint32 detail = histo_xpsnr_detail_of_cell (inner[i] + inner[i + 1],
        next[i] + next[i + 1] + inner[i - 1] + inner[i + 2], next[i - 1] + next[i + 2],
        outer[i - 1] + outer[i] + outer[i + 1] + outer[i + 2] + inner[i - 2] + next[i - 2] + inner[i + 3] + next[i + 3]);

    columns[i] += (guint32) (detail < 0 ? -detail : detail);
  }
}

/* @before_that: (nullable): NULL: the change itself, else its change */
static TARGET void
WITH (add_change_of_cells) (const gint32 * restrict frame, const gint32 * restrict before,
    const gint32 * restrict before_that, guint n, guint32 * restrict columns)
{
  for (gsize i = 0; i < n; i += 2) {
    const gint32 of_frame = frame[i] + frame[i + 1], of_before = before[i] + before[i + 1];
    const gint32 change = before_that == NULL ? histo_xpsnr_change (of_frame, of_before) :
        histo_xpsnr_second_change (of_frame, of_before, before_that[i] + before_that[i + 1]);

    columns[i] += (guint32) (change < 0 ? -change : change);
  }
}

#define SAMPLE guint8
#define VALUE(sample) (sample)
#define NUMBER gint16
#define SQUARES guint32
#define NAME(name) WITH (name##_of_bytes)
#include "compare/blocks-body.h"
#undef NAME
#undef VALUE
#undef SAMPLE

#define SAMPLE guint16
#define VALUE(sample) ((SAMPLE) ((sample) & mask))
#define NAME(name) WITH (name##_of_words)
#include "compare/blocks-body.h"
#undef NAME
#undef SQUARES
#undef NUMBER

#define NUMBER gint32
#define SQUARES guint64
#define NAME(name) WITH (name##_of_deep_words)
#include "compare/blocks-body.h"
#undef NAME
#undef SQUARES
#undef NUMBER
#undef VALUE
#undef SAMPLE
