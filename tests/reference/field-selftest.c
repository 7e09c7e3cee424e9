/* field-selftest.c: checks the reference's group field: sums and decisions.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include <string.h>

#include "measures-selftest.h"

#define WIDTH 8
#define HEIGHT 12

/* A gray picture of rows of @codes. */
static ReferencePicture
picture_of_rows (const guint codes[HEIGHT])
{
  guint32 samples[WIDTH * HEIGHT];
  guint i;

  for (i = 0; i < WIDTH * HEIGHT; i++)
    samples[i] = codes[i / WIDTH];
  return gray_picture (WIDTH, HEIGHT, samples);
}

static void
check_sums (const gchar * what, const guint64 found[2], guint64 even,
    guint64 odd)
{
  check_int (what, found[0], even);
  check_int (what, found[1], odd);
}

/* The field history, one picture after another. */
static ReferenceField
push (ReferenceHistory * history, const ReferencePicture * now,
    const ReferencePicture * before)
{
  const ReferenceRectangle whole = { 0, 0, now->width, now->height };
  ReferenceMeasures m;

  reference_measures (now, before, &whole, REFERENCE_GROUP_FIELD, history, &m);
  reference_measures_clear (&m);
  return m.field;
}

static void
check_still (void)
{
  static const guint flat[HEIGHT] = { 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9 };
  static const guint lines[HEIGHT] =
      { 0, 100, 0, 100, 0, 100, 0, 100, 0, 100, 0, 100 };
  ReferencePicture p = picture_of_rows (flat), q = picture_of_rows (lines);
  ReferenceHistory history = {.mafd = 0 };
  ReferenceField f = push (&history, &p, NULL);

  check_int ("no result of the first", f.has_result, FALSE);
  f = push (&history, &p, &p);
  check_int ("a result", f.has_result, TRUE);
  check_sums ("flat: previous", f.sums.previous, 0, 0);
  check_sums ("flat: next", f.sums.next, 0, 0);
  check_sums ("flat: current", f.sums.current, 0, 0);
  check_sums ("flat: change", f.sums.change, 0, 0);
  check_int ("flat: single", f.single, REFERENCE_FIELD_UNDETERMINED);
  check_int ("flat: multi", f.multi, REFERENCE_FIELD_UNDETERMINED);
  check_int ("flat: repeated", f.repeated, REFERENCE_REPEATED_NEITHER);
  check_near ("flat: comb", reference_share (&f.shares, "comb")->share, 0, 0);

  /* 4 even and 4 odd rows count; each sample is 2 * 100 off. */
  history = (ReferenceHistory) {.mafd = 0 };
  push (&history, &q, NULL);
  f = push (&history, &q, &q);
  check_sums ("lines: previous", f.sums.previous, 6400, 6400);
  check_sums ("lines: next", f.sums.next, 6400, 6400);
  check_sums ("lines: current", f.sums.current, 6400, 6400);
  check_sums ("lines: change", f.sums.change, 0, 0);
  check_int ("lines: single", f.single, REFERENCE_FIELD_UNDETERMINED);
  check_near ("lines: comb", reference_share (&f.shares, "comb")->share, (HEIGHT - 4) / (gdouble) HEIGHT, 1e-15);
  reference_picture_clear (&p);
  reference_picture_clear (&q);
}

/* Row 4 changes from 10 to 13, and row 7 from 10 to 30. */
static void
check_each_sum (void)
{
  static const guint before[HEIGHT] =
      { 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10 };
  static const guint now[HEIGHT] =
      { 90, 10, 10, 10, 13, 10, 10, 30, 10, 10, 10, 90 };
  const ReferenceRectangle shifted = { 2, 3, 5, 5 };
  ReferencePicture p = picture_of_rows (before), q = picture_of_rows (now);
  ReferenceHistory history = {.mafd = 0 };
  ReferenceMeasures m;
  ReferenceField f;

  push (&history, &p, NULL);
  f = push (&history, &q, &p);
  /* The first picture: it is its own previous one. */
  check_sums ("previous", f.sums.previous, 0, 0);
  check_sums ("current", f.sums.current, 0, 0);
  check_sums ("change", f.sums.change, 0, 0);
  check_sums ("next", f.sums.next, WIDTH * 6, WIDTH * 40);
  check_int ("order", f.single, REFERENCE_FIELD_TFF);
  check_int ("repeated", f.repeated, REFERENCE_REPEATED_NEITHER);
  f = push (&history, &p, &q);
  /* The second picture: rows 3 and 5 see row 4, rows 6 and 8 row 7; rows 1 and 10 do not count. */
  check_sums ("second: previous", f.sums.previous, WIDTH * 40, WIDTH * 6);
  check_sums ("second: current", f.sums.current, WIDTH * (6 + 40),
      WIDTH * (6 + 40));
  check_sums ("second: change", f.sums.change, WIDTH * 6, WIDTH * 40);
  check_sums ("second: next", f.sums.next, WIDTH * 40, WIDTH * 6);
  check_int ("second: order", f.single, REFERENCE_FIELD_UNDETERMINED);
  check_int ("second: multi", f.multi, REFERENCE_FIELD_TFF);
  check_int ("second: repeated", f.repeated, REFERENCE_REPEATED_TOP);

  /* Row 5 alone counts of the rows 3 to 7, of 5 columns, and it is odd. */
  reference_measures (&q, &p, &shifted, REFERENCE_ALL_GROUPS, NULL, &m);
  check_sums ("region: current", m.field.current, 0, 5 * 3);
  check_sums ("region: previous", m.field.previous, 0, 5 * 3);
  check_sums ("region: next", m.field.next, 0, 0);
  check_sums ("region: change", m.field.change, 0, 0);
  check_int ("no history", m.field.has_result, FALSE);
  reference_measures_clear (&m);
  reference_picture_clear (&p);
  reference_picture_clear (&q);
}

/* Every component counts, in its own depth and rows: U of 4:2:0 has 3 rows of 6 pixels, so none; of 10, one. */
static void
check_planes (void)
{
  guint32 y[4 * 10], u[2 * 5], v[2 * 5];
  const guint32 *const samples[4] = { y, u, v, y };
  const GstVideoColorimetry described = { 0, };
  const ReferenceRectangle whole = { 0, 0, 4, 10 }, six = { 0, 2, 4, 6 };
  ReferencePicture p;
  ReferenceMeasures m;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (y); i++)
    y[i] = i / 4 == 3 ? 7 : 0;
  for (i = 0; i < G_N_ELEMENTS (u); i++) {
    u[i] = i / 2 == 2 ? 100 : 0;
    v[i] = i / 2 == 3 ? 1 : 0;
  }
  reference_picture_init_samples (&p, GST_VIDEO_FORMAT_A420, 4, 10, &described,
      samples);
  reference_measures (&p, NULL, &whole, REFERENCE_GROUP_FIELD, NULL, &m);
  /* Y and A count rows 2 and 4, and row 3; U and V count row 2. */
  check_sums ("A420", m.field.current, 2 * 4 * (7 + 7) + 2 * 200 + 2,
      2 * 4 * 14);
  reference_measures_clear (&m);
  /* Rows 4 and 5 of Y and of A */
  reference_measures (&p, NULL, &six, REFERENCE_GROUP_FIELD, NULL, &m);
  check_sums ("region of A420", m.field.current, 2 * 4 * 7, 0);
  reference_measures_clear (&m);
  reference_picture_clear (&p);
}

/* Combed rows: the limits of 8 bits are 9 and 54. */
static void
check_comb (void)
{
  static const struct
  {
    guint rows[5], depth;
    guint n;
  } cases[] = {
    {{0, 0, 10, 0, 0}, 8, 0},   /* 40 */
    {{0, 0, 13, 0, 0}, 8, 0},   /* 52 */
    {{0, 0, 14, 0, 0}, 8, 1},   /* 56 */
    {{14, 14, 0, 14, 14}, 8, 1},
    {{14, 0, 14, 0, 14}, 8, 1}, /* 84 */
    {{0, 14, 14, 0, 0}, 8, 0},
    {{0, 0, 14, 5, 0}, 8, 0},   /* 41 */
    {{60, 51, 60, 51, 60}, 8, 0},       /* 9 is not more than 9, though 54 */
    {{60, 50, 60, 50, 60}, 8, 1},       /* 60 */
    {{0, 20, 40, 20, 0}, 8, 0}, /* 40 */
    {{0, 0, 54, 0, 0}, 10, 0},  /* 216 is not more than 216 */
    {{0, 0, 55, 0, 0}, 10, 1},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint32 samples[5];
    ReferencePicture p;
    ReferenceMeasures m;
    guint row;

    for (row = 0; row < 5; row++)
      samples[row] = cases[i].rows[row];
    p = picture_of (cases[i].depth == 8 ? GST_VIDEO_FORMAT_GRAY8
        : GST_VIDEO_FORMAT_GRAY10_LE32, 1, 5, TRUE, samples, NULL, NULL);
    m = measures_of (&p, NULL);
    check_int ("combed", reference_share (&m.field.shares, "comb")->n, cases[i].n);
    check_near ("comb", reference_share (&m.field.shares, "comb")->share, cases[i].n / 5.0, 1e-15);
    reference_measures_clear (&m);
    reference_picture_clear (&p);
  }
}

static void
check_comb_of_green (void)
{
  static const guint32 flat[] = { 0, 0, 0, 0, 0 }, line[] = { 0, 0, 99, 0, 0 };
  ReferencePicture p =
      picture_of (GST_VIDEO_FORMAT_RGB, 1, 5, TRUE, line, flat, line);
  ReferencePicture q =
      picture_of (GST_VIDEO_FORMAT_RGB, 1, 5, TRUE, flat, line, flat);
  ReferenceMeasures m = measures_of (&p, NULL);

  check_int ("R and B", reference_share (&m.field.shares, "comb")->n, 0);
  reference_measures_clear (&m);
  m = measures_of (&q, NULL);
  check_int ("G", reference_share (&m.field.shares, "comb")->n, 1);
  reference_measures_clear (&m);
  reference_picture_clear (&p);
  reference_picture_clear (&q);
}

/* Decisions */

static void
check_order (guint64 top_first, guint64 bottom_first, guint64 own,
    ReferenceFieldOrder expected)
{
  /* Each sum has two parts. */
  const ReferenceFieldSums sums = {
    .previous = {top_first - top_first / 3, bottom_first / 4},
    .next = {bottom_first - bottom_first / 4, top_first / 3},
    .current = {own / 5, own - own / 5},
  };

  check_int ("order", reference_field_order (&sums), expected);
}

static void
check_repeated_field (guint64 even, guint64 odd, ReferenceRepeatedField expected)
{
  const ReferenceFieldSums sums = {.change = {even, odd} };

  check_int ("repeated", reference_repeated_field (&sums), expected);
}

static void
check_decisions (void)
{
  check_order (104, 100, 0, REFERENCE_FIELD_PROGRESSIVE);
  check_order (104, 100, 100, REFERENCE_FIELD_UNDETERMINED);
  check_order (105, 100, 0, REFERENCE_FIELD_TFF);
  check_order (1040001, 1000000, 9, REFERENCE_FIELD_TFF);
  check_order (100, 104, 99, REFERENCE_FIELD_UNDETERMINED);
  check_order (100, 105, 99, REFERENCE_FIELD_BFF);
  /* a1 > 1.5 D, not a0 */
  check_order (150, 150, 100, REFERENCE_FIELD_UNDETERMINED);
  check_order (150, 151, 100, REFERENCE_FIELD_PROGRESSIVE);
  check_order (151, 150, 100, REFERENCE_FIELD_UNDETERMINED);
  check_repeated_field (100, 300, REFERENCE_REPEATED_NEITHER);
  check_repeated_field (100, 301, REFERENCE_REPEATED_TOP);
  check_repeated_field (300, 100, REFERENCE_REPEATED_NEITHER);
  check_repeated_field (301, 100, REFERENCE_REPEATED_BOTTOM);
  check_repeated_field (0, 0, REFERENCE_REPEATED_NEITHER);
}

/* The orders as letters: t, b, p, u. */
static void
check_multi (const gchar * singles, const gchar * expected)
{
  static const gchar letters[] = "tbpu";
  ReferenceFieldHistory history = {.n_singles = 0 };
  guint i;

  for (i = 0; singles[i] != 0; i++) {
    const ReferenceFieldOrder single = strchr (letters, singles[i]) - letters;

    check_int (singles, letters[reference_field_add (&history, single)],
        expected[i]);
  }
}

static void
check_multis (void)
{
  check_multi ("uuu", "uuu");
  check_multi ("t", "t");
  check_multi ("utuuu", "utttt");
  /* Three of the last four, and the others are undetermined. */
  check_multi ("tbbb", "tttt");
  check_multi ("tbbbb", "ttttb");
  check_multi ("tuuubbb", "ttttttb");
  check_multi ("tuuububb", "tttttttb");
  check_multi ("tuuubuub", "tttttttt");
  check_multi ("pppptpttt", "ppppppppp");
  check_multi ("pppptptttt", "pppppppppt");
}

/* Film at 24 frames a second, as 30 with fields: top field first, as ffmpeg's filter telecine with the pattern 23. Each
 * picture is noise. */
static void
check_telecine (void)
{
  static const guint tops[] = { 0, 1, 1, 2, 3 }, bottoms[] = { 0, 1, 2, 3, 3 };
  guint32 random = 1, films[4 * 4][WIDTH * HEIGHT];
  ReferenceHistory history = {.mafd = 0 };
  ReferencePicture pictures[20];
  guint n_tops = 0, n_bottoms = 0, i, n;

  for (n = 0; n < G_N_ELEMENTS (films); n++)
    for (i = 0; i < WIDTH * HEIGHT; i++) {
      random = random * 1664525 + 1013904223;
      films[n][i] = random >> 24;
    }
  for (n = 0; n < G_N_ELEMENTS (pictures); n++) {
    const guint film = n / 5 * 4;
    guint32 samples[WIDTH * HEIGHT];

    for (i = 0; i < WIDTH * HEIGHT; i++)
      samples[i] = films[film + (i / WIDTH % 2 == 0 ? tops : bottoms)[n % 5]][i];
    pictures[n] = gray_picture (WIDTH, HEIGHT, samples);
  }
  for (n = 0; n < G_N_ELEMENTS (pictures); n++) {
    const ReferenceField f = push (&history, &pictures[n],
        n > 0 ? &pictures[n - 1] : NULL);

    if (!f.has_result)
      continue;
    /* Picture 2 has the top field of picture 1, picture 4 the bottom field of picture 3. */
    check_int ("repeated", f.repeated,
        (n - 1) % 5 == 2 ? REFERENCE_REPEATED_TOP
        : (n - 1) % 5 == 4 ? REFERENCE_REPEATED_BOTTOM
        : REFERENCE_REPEATED_NEITHER);
    n_tops += f.repeated == REFERENCE_REPEATED_TOP;
    n_bottoms += f.repeated == REFERENCE_REPEATED_BOTTOM;
  }
  check_int ("tops of 19 pictures", n_tops, 4);
  check_int ("bottoms of 19 pictures", n_bottoms, 3);
  for (n = 0; n < G_N_ELEMENTS (pictures); n++)
    reference_picture_clear (&pictures[n]);
}

/* A ramp that moves down by one row with each field. */
static void
check_moving (gboolean top_first, gboolean is_interlaced,
    ReferenceFieldOrder expected)
{
  ReferenceHistory history = {.mafd = 0 };
  ReferencePicture pictures[5];
  guint n, y;

  for (n = 0; n < 5; n++) {
    guint codes[HEIGHT];

    for (y = 0; y < HEIGHT; y++) {
      const guint late = is_interlaced && (y % 2 == 0) != top_first;
      const guint at = y + HEIGHT - 2 * n - late;

      codes[y] = 10 * at;
    }
    pictures[n] = picture_of_rows (codes);
  }
  for (n = 0; n < 5; n++) {
    const ReferenceField f = push (&history, &pictures[n],
        n > 0 ? &pictures[n - 1] : NULL);

    if (!f.has_result)
      continue;
    check_int ("moving", f.single, expected);
    check_int ("moving: multi", f.multi, expected);
  }
  for (n = 0; n < 5; n++)
    reference_picture_clear (&pictures[n]);
}

void
check_field (void)
{
  check_still ();
  check_each_sum ();
  check_planes ();
  check_comb ();
  check_comb_of_green ();
  check_decisions ();
  check_multis ();
  check_telecine ();
  check_moving (TRUE, TRUE, REFERENCE_FIELD_TFF);
  check_moving (FALSE, TRUE, REFERENCE_FIELD_BFF);
  check_moving (TRUE, FALSE, REFERENCE_FIELD_PROGRESSIVE);
}
