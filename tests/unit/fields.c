/* Field order and repeated fields: decisions from sums, and pictures of known fields.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"

#include "result/fields.h"

#include <math.h>

/* ---- Decisions ---------------------------------------------------------------------------- */

/* a0 = Pe + No, a1 = Po + Ne, D */
static HistoFieldSums
sums_of (gdouble a0, gdouble a1, gdouble current)
{
  return (HistoFieldSums) {
    .previous = {floor (a0 / 2), floor (a1 / 3)},
    .next = {a1 - floor (a1 / 3), a0 - floor (a0 / 2)},
    .current = {floor (current / 4), current - floor (current / 4)},
  };
}

static void
check_single (gdouble a0, gdouble a1, gdouble current, guint expected)
{
  const HistoFieldSums sums = sums_of (a0, a1, current);
  HistoFields fields;
  HistoFieldDecision decision;

  histo_fields_forget (&fields);
  histo_fields_decide (&fields, &sums, &decision);
  fail_unless_equals_int (decision.single, expected);
  fail_unless_equals_int (decision.multi, expected);
  fail_unless_equals_int (decision.repeated, HISTO_REPEATED_NEITHER);
}

TEST (test_single)
{
  check_single (0, 0, 0, HISTO_FIELD_UNDETERMINED);
  check_single (105, 100, 0, HISTO_FIELD_TFF);
  check_single (104, 100, 1000, HISTO_FIELD_UNDETERMINED);
  check_single (104, 100, 60, HISTO_FIELD_PROGRESSIVE);
  check_single (100, 105, 0, HISTO_FIELD_BFF);
  check_single (100, 104, 60, HISTO_FIELD_PROGRESSIVE);
  check_single (100, 102, 67, HISTO_FIELD_PROGRESSIVE);
  check_single (100, 102, 68, HISTO_FIELD_UNDETERMINED);
  /* Sums of large pictures. */
  check_single (104e12, 100e12, 60e12, HISTO_FIELD_PROGRESSIVE);
  check_single (104e12 + 2, 100e12, 60e12, HISTO_FIELD_TFF);
}

static void
check_repeated (gdouble even, gdouble odd, guint expected)
{
  const HistoFieldSums sums = {.change = {even, odd} };
  HistoFields fields;
  HistoFieldDecision decision;

  histo_fields_forget (&fields);
  histo_fields_decide (&fields, &sums, &decision);
  fail_unless_equals_int (decision.repeated, expected);
}

TEST (test_repeated)
{
  check_repeated (0, 0, HISTO_REPEATED_NEITHER);
  check_repeated (10, 30, HISTO_REPEATED_NEITHER);
  check_repeated (10, 31, HISTO_REPEATED_TOP);
  check_repeated (0, 1, HISTO_REPEATED_TOP);
  check_repeated (31, 10, HISTO_REPEATED_BOTTOM);
  check_repeated (30, 10, HISTO_REPEATED_NEITHER);
}

/* The results of several frames: t, b, p, or - (undetermined). */
static void
check_multi (const gchar * singles, const gchar * expected)
{
  static const gchar letters[] = "tbp-";
  static const gdouble numbers[][3] = {
    {200, 100, 0}, {100, 200, 0}, {100, 100, 10}, {100, 100, 100}
  };
  HistoFields fields;
  HistoFieldDecision decision;

  histo_fields_forget (&fields);
  for (guint i = 0; singles[i] != '\0'; i++) {
    const gdouble *row = numbers[strchr (letters, singles[i]) - letters];
    const HistoFieldSums sums = sums_of (row[0], row[1], row[2]);

    histo_fields_decide (&fields, &sums, &decision);
    fail_unless_equals_int (letters[decision.single], singles[i]);
    fail_unless (letters[decision.multi] == expected[i], "%s: %c at %u", singles,
        letters[decision.multi], i);
  }
}

TEST (test_multi)
{
  check_multi ("---", "---");
  check_multi ("-t-", "-tt");
  check_multi ("tppp", "tttt");
  check_multi ("tpppp", "ttttp");
  check_multi ("ttb-bb", "tttttb");
  check_multi ("ttbb-bb", "tttttbb");
  check_multi ("tpppbpppp", "ttttttttp");
  check_multi ("tp---", "ttttt");
  check_multi ("tp-p-p", "tttttt");
  check_multi ("p----bbb", "pppppppb");
  /* What contradicts has been forgotten, but few are left. */
  check_multi ("pb----", "pppppp");
}

/* ---- Pictures ----------------------------------------------------------------------------- */

#define WIDTH 24
#define HEIGHT 16

typedef struct
{
  guint8 rows[HEIGHT][WIDTH];
} Picture;

/* Of one plane, by idet's definition. @previous, @next: themselves, if there is no other */
static HistoFieldSums
sums_of_pictures (const Picture * previous, const Picture * current, const Picture * next)
{
  HistoFieldSums sums = {.previous = {0,} };

  for (guint y = 2; y < HEIGHT - 2; y++) {
    for (guint x = 0; x < WIDTH; x++) {
      const gint around = current->rows[y - 1][x] + current->rows[y + 1][x];

      sums.previous[y % 2] += ABS (around - 2 * previous->rows[y][x]);
      sums.next[y % 2] += ABS (around - 2 * next->rows[y][x]);
      sums.current[y % 2] += ABS (around - 2 * current->rows[y][x]);
      sums.change[y % 2] += 2 * ABS (current->rows[y][x] - previous->rows[y][x]);
    }
  }
  return sums;
}

/* A slope that moves to the right: one pixel in each unit of time. */
static void
draw_field (Picture * picture, guint parity, guint time)
{
  for (guint y = parity; y < HEIGHT; y += 2) {
    for (guint x = 0; x < WIDTH; x++)
      picture->rows[y][x] = 128 + 100 * sin ((x + 40. - 1. * time) * 0.7 + y * 0.1);
  }
}

/* The field @earlier comes one unit of time earlier than the other one; with 2 they come together. */
static void
check_motion (guint earlier, guint expected)
{
  Picture pictures[8];
  HistoFields fields;
  HistoFieldDecision decision;

  for (guint f = 0; f < 8; f++) {
    draw_field (&pictures[f], 0, 2 * f + (earlier == 1));
    draw_field (&pictures[f], 1, 2 * f + (earlier == 0));
  }
  histo_fields_forget (&fields);
  for (guint f = 1; f < 7; f++) {
    const HistoFieldSums sums = sums_of_pictures (&pictures[f - 1], &pictures[f], &pictures[f + 1]);

    histo_fields_decide (&fields, &sums, &decision);
    fail_unless_equals_int (decision.single, expected);
    fail_unless_equals_int (decision.multi, expected);
    fail_unless_equals_int (decision.repeated, HISTO_REPEATED_NEITHER);
  }
}

TEST (test_motion)
{
  check_motion (0, HISTO_FIELD_TFF);
  check_motion (1, HISTO_FIELD_BFF);
  check_motion (2, HISTO_FIELD_PROGRESSIVE);
}

/* A flat picture; and one at rest with even rows of 0 and odd rows of 100. */
TEST (test_still)
{
  HistoFields fields;
  HistoFieldDecision decision;
  HistoFieldSums sums;
  Picture picture;

  histo_fields_forget (&fields);
  memset (&picture, 50, sizeof picture);
  sums = sums_of_pictures (&picture, &picture, &picture);
  fail_unless_equals_float (sums.current[0] + sums.current[1], 0);
  histo_fields_decide (&fields, &sums, &decision);
  fail_unless_equals_int (decision.single, HISTO_FIELD_UNDETERMINED);
  fail_unless_equals_int (decision.repeated, HISTO_REPEATED_NEITHER);
  for (guint y = 0; y < HEIGHT; y++)
    memset (picture.rows[y], y % 2 * 100, WIDTH);
  sums = sums_of_pictures (&picture, &picture, &picture);
  fail_unless_equals_float (sums.previous[0], sums.current[0]);
  fail_unless_equals_float (sums.next[1], sums.current[1]);
  fail_unless (sums.current[0] > 0);
  histo_fields_decide (&fields, &sums, &decision);
  fail_unless_equals_int (decision.single, HISTO_FIELD_UNDETERMINED);
}

/* 24 pictures a second as 60 fields, 2 and 3 of each: of 5 frames of 30 a second, one repeats the top and one the
 * bottom field. */
TEST (test_telecine)
{
  /* The picture of the top and of the bottom field of each frame. */
  static const guint tops[] = { 0, 1, 1, 2, 3 }, bottoms[] = { 0, 1, 2, 3, 3 };
  guint n[3] = { 0, };
  Picture pictures[62];
  HistoFields fields;
  HistoFieldDecision decision;

  for (guint f = 0; f < 62; f++) {
    draw_field (&pictures[f], 0, f / 5 * 4 + tops[f % 5]);
    draw_field (&pictures[f], 1, f / 5 * 4 + bottoms[f % 5]);
  }
  histo_fields_forget (&fields);
  for (guint f = 1; f < 61; f++) {
    const HistoFieldSums sums = sums_of_pictures (&pictures[f - 1], &pictures[f], &pictures[f + 1]);

    histo_fields_decide (&fields, &sums, &decision);
    n[decision.repeated]++;
    fail_unless_equals_int (decision.repeated, f % 5 == 2 ? HISTO_REPEATED_TOP :
        f % 5 == 4 ? HISTO_REPEATED_BOTTOM : HISTO_REPEATED_NEITHER);
  }
  fail_unless_equals_int (n[HISTO_REPEATED_TOP], 12);
  fail_unless_equals_int (n[HISTO_REPEATED_BOTTOM], 12);
}

TEST_MAIN (60)
