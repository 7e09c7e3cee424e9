/* Makes, copies and frees objects by the tables of their members; see objects.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/members.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Stands before each object, so that a list of any objects has one function that frees them. */
typedef union
{
  const ReportShape *shape;
  max_align_t alignment;
} Head;

/* What is absent is so at first, and what a file must have, or adds up, is 0. */
static void
init_member (const ReportMember * member, gpointer object)
{
  const gboolean is_zero = (member->flags & NEEDED) != 0 || member->merge == SUM;

  if (member->type == OBJECTS)
    FIELD (GPtrArray *, object, member) = report_objects_new ();
  else if (member->type == LABEL)
    FIELD (const gchar *, object, member) = member->names[member->n - 1];
  else if (is_zero)
    return;
  else if (member->type == INT)
    FIELD (gint, object, member) = -1;
  else if (member->type == SIZE || member->type == TIME || member->type == END)
    FIELD (guint64, object, member) = GST_CLOCK_TIME_NONE;
  else if (member->type == NUMBER)
    FIELD (gdouble, object, member) = NAN;
  for (guint i = 0; member->type == NUMBERS && i < member->n; i++)
    (&FIELD (gdouble, object, member))[i] = NAN;
}

/* Returns: (transfer full): an object in which nothing is set; to be freed with report_object_free() */
gpointer
report_object_new (const ReportShape * shape)
{
  Head *head = g_malloc0 (sizeof (Head) + shape->size);

  head->shape = shape;
  for (const ReportMember * member = shape->members; member->name != NULL; member++)
    init_member (member, head + 1);
  return head + 1;
}

void
report_object_free (gpointer object)
{
  Head *head = (Head *) object - 1;

  for (const ReportMember * member = head->shape->members; member->name != NULL; member++) {
    if (member->type == TEXT)
      g_free (FIELD (gchar *, object, member));
    else if (member->type == TEXTS)
      g_strfreev (FIELD (gchar **, object, member));
    else if (member->type == BINS)
      g_free (FIELD (guint64 *, object, member));
    else if (member->type == OBJECTS)
      g_ptr_array_unref (FIELD (GPtrArray *, object, member));
  }
  g_free (head);
}

/* @text: (inout): is replaced */
void
report_member_set_text (gchar ** text, const gchar * other)
{
  gchar *copy = g_strdup (other);

  g_free (*text);
  *text = copy;
}

/* Returns: (transfer full): an empty list of objects of any shape */
GPtrArray *
report_objects_new (void)
{
  return g_ptr_array_new_with_free_func (report_object_free);
}

/* Returns: (transfer none): the new object, which is the last one */
gpointer
report_objects_add (GPtrArray * objects, const ReportShape * shape)
{
  gpointer object = report_object_new (shape);

  g_ptr_array_add (objects, object);
  return object;
}

/* @shape: has no lists
 * @object: of this shape, wherever it lies
 * Returns: (transfer none): the copy, which is the last one */
gpointer
report_objects_add_copy (GPtrArray * objects, const ReportShape * shape, gconstpointer object)
{
  gpointer copy = report_objects_add (objects, shape);

  memcpy (copy, object, shape->size);
  for (const ReportMember * member = shape->members; member->name != NULL; member++) {
    if (member->type == TEXT)
      FIELD (gchar *, copy, member) = g_strdup (FIELD (gchar *, object, member));
  }
  return copy;
}
