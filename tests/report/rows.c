/* The tables of a summary's members: each row is one that the walks through it can make, add up and free.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>
#include <math.h>

#include "base/members.h"
#include "summary/schema.h"
#include "summary/summary.h"

typedef ReportMember Member;
typedef ReportShape Shape;

#define IS(type) (1u << (type))

/* The types of the rows that each word can add up. */
static const guint types_of[] = {
  [NOT] = G_MAXUINT,
  [SUM] = IS (NUMBER) | IS (COUNT) | IS (TIME) | IS (CHOICES) | IS (SPECIAL) | IS (RANGE) | IS (RANGES) | IS (BLOCKS),
  [LIMITED] = IS (COUNT) | IS (TIME),
  [GREATEST] = IS (NAME) | IS (COUNT) | IS (TIME) | IS (NUMBERS),
  [ANY] = IS (FLAGS),
  [ALL] = IS (BOOLEAN),
  [FIRST] = IS (TEXT) | IS (TEXTS) | IS (NAME) | IS (BOOLEAN),
  [KEY] = IS (TEXT) | IS (NAME) | IS (BOOLEAN),
  [LATEST] = IS (TEXT),
  [SAME] = IS (TEXT),
  [INSIDE] = IS (OBJECT),
  [MATCHED] = IS (OBJECTS),
  [JOINED] = IS (OBJECTS)
};

static void visit (const Shape * shape, GPtrArray * shapes);

static guint
count_rows (const Shape * shape, ReportMerge merge, guint types, const gchar * name)
{
  guint n = 0;

  for (const Member * member = shape->members; member->name != NULL; member++)
    n += (IS (member->type) & types) != 0 && (merge == NOT || member->merge == merge)
        && (name == NULL || g_str_equal (member->name, name));
  return n;
}

static void
check_row (const Shape * shape, const Member * member, GPtrArray * shapes)
{
  const guint owned = IS (TEXTS) | IS (BINS) | IS (OBJECTS);
  const gboolean is_object = member->type == OBJECT || member->type == OBJECTS || member->type == INLINE;

  fail_unless (member->merge < G_N_ELEMENTS (types_of) && (types_of[member->merge] & IS (member->type)) != 0,
      "%s: %s cannot be added up so", shape->name, member->name);
  fail_if (shape->size > 0 && (member->flags & ANSWER) != ANSWER && member->offset >= shape->size,
      "%s: %s is outside", shape->name, member->name);
  fail_if (member->merge == SUM && (member->type == CHOICES || member->type == SPECIAL) && member->n == 0,
      "%s: how many are %s", shape->name, member->name);
  fail_if (member->merge == INSIDE && member->shape->size > 0, "%s: %s is made", shape->name, member->name);
  if (member->type == OBJECTS && (member->flags & WRITTEN) == 0)
    fail_unless (member->shape->add != NULL || member->shape->size > 0, "%s: %s", shape->name, member->name);
  if (member->merge == MATCHED)
    fail_if (count_rows (member->shape, KEY, G_MAXUINT, NULL) == 0, "%s has no keys", member->name);
  /* They are copied with the name of their input. */
  if (member->merge == JOINED)
    fail_unless (count_rows (member->shape, NOT, IS (TEXT), "input") == 1
        && count_rows (member->shape, NOT, owned, NULL) == 0, "%s are no spans", member->name);
  if (is_object)
    visit (member->shape, shapes);
}

/* Of an object in which nothing is set. */
static void
check_new (const Shape * shape, const Member * member, gpointer object)
{
  const gboolean is_zero = (member->flags & NEEDED) != 0 || member->merge == SUM;

  if (member->type == INT)
    fail_unless (FIELD (gint, object, member) == (is_zero ? 0 : -1), "%s", member->name);
  if (member->type == TIME)
    fail_unless (FIELD (guint64, object, member) == (is_zero ? 0 : GST_CLOCK_TIME_NONE), "%s", member->name);
  if (member->type == NUMBER)
    fail_unless (isnan (FIELD (gdouble, object, member)) == !is_zero, "%s", member->name);
  if (member->type == TEXT)
    FIELD (gchar *, object, member) = g_strdup (member->name);
  if (member->type == TEXTS)
    FIELD (gchar **, object, member) = g_strsplit (member->name, "e", 2);
}

static void
visit (const Shape * shape, GPtrArray * shapes)
{
  if (g_ptr_array_find (shapes, shape, NULL))
    return;
  g_ptr_array_add (shapes, (gpointer) shape);
  for (const Member * member = shape->members; member->name != NULL; member++)
    check_row (shape, member, shapes);
  if (shape->size > 0 && shape->find == NULL) {
    g_autoptr (GPtrArray) list = report_objects_new ();
    gpointer object = report_objects_add (list, shape);

    for (const Member * member = shape->members; member->name != NULL; member++)
      check_new (shape, member, object);
    if (count_rows (shape, NOT, IS (TEXTS) | IS (BINS) | IS (OBJECTS), NULL) == 0) {
      gpointer copy = report_objects_add_copy (list, shape, object);

      for (const Member * member = shape->members; member->name != NULL; member++) {
        if (member->type == TEXT)
          fail_unless (FIELD (gchar *, copy, member) != FIELD (gchar *, object, member));
      }
    }
  }
}

GST_START_TEST (test_rows)
{
  g_autoptr (GPtrArray) shapes = g_ptr_array_new ();

  visit (&report_summary_shape, shapes);
  fail_unless (g_ptr_array_find (shapes, &report_breach_shape, NULL));
  fail_unless (g_ptr_array_find (shapes, &report_pair_shape, NULL));
}
GST_END_TEST;

static Suite *
rows_suite (void)
{
  Suite *suite = suite_create ("rows");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_test (tests, test_rows);
  return suite;
}

GST_CHECK_MAIN (rows);
