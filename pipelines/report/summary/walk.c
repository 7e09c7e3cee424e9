/* Writes and reads JSON by tables of members; see walk.h.
 *
 * A file that is read may come from anywhere: each member is checked for presence, type and size. Members with other
 * names are ignored, because later versions add some.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "summary/walk.h"

#include <gio/gio.h>
#include <string.h>

typedef ReportWalk Walk;
typedef ReportMember Member;
typedef ReportShape Shape;

/* The most bins of a histogram, and the most elements of a list, on a page. */
#define PAGE_BINS 1024
#define PAGE_OBJECTS 5000

/* ---- Values of JSON ----------------------------------------------------------------------------- */

gboolean
report_walk_fail (const Walk * walk, const gchar * key, const gchar * what)
{
  g_set_error (walk->error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "not a summary: \"%s\" %s", key, what);
  return FALSE;
}

/* Returns: the type of a number, a text or a boolean; G_TYPE_INVALID: it is something else, or not there */
static GType
type_of (JsonNode * node)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_INVALID;
}

/* Returns: the number; NaN if there is none */
static gdouble
get_double (const Walk * walk, const gchar * key)
{
  return report_json_to_number (json_object_get_member (walk->object, key));
}

/* @most: greatest number. Returns: FALSE if there is none, or if it is out of range */
gboolean
report_walk_get_int (const Walk * walk, const gchar * key, guint64 most, guint64 * number)
{
  JsonNode *node = json_object_get_member (walk->object, key);

  if (type_of (node) != G_TYPE_INT64)
    return report_walk_fail (walk, key, "is no integer");
  if (json_node_get_int (node) < 0 || (guint64) json_node_get_int (node) > most)
    return report_walk_fail (walk, key, "is out of range");
  *number = json_node_get_int (node);
  return TRUE;
}

/* Returns: (transfer none) (nullable): without an error */
const gchar *
report_walk_get_text (const Walk * walk, const gchar * key)
{
  return report_json_to_text (json_object_get_member (walk->object, key));
}

/* Returns: (transfer none) (nullable) */
JsonArray *
report_walk_get_array (const Walk * walk, const gchar * key)
{
  JsonNode *node = json_object_get_member (walk->object, key);

  if (node != NULL && JSON_NODE_HOLDS_ARRAY (node))
    return json_node_get_array (node);
  report_walk_fail (walk, key, "is no array");
  return NULL;
}

/* Goes into an object. Returns: (nullable): the one that was read; NULL: there is no such object, and it stays */
JsonObject *
report_walk_enter (Walk * walk, const gchar * key)
{
  JsonNode *node = json_object_get_member (walk->object, key);
  JsonObject *outer = walk->object;

  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return NULL;
  walk->object = json_node_get_object (node);
  return outer;
}

/* @counts: (array length=n) */
gboolean
report_walk_get_counts (const Walk * walk, const gchar * key, guint64 * counts, guint n)
{
  JsonArray *array = report_walk_get_array (walk, key);

  if (array == NULL)
    return FALSE;
  if (json_array_get_length (array) != n)
    return report_walk_fail (walk, key, "has another size");
  for (guint i = 0; i < n; i++) {
    JsonNode *node = json_array_get_element (array, i);

    if (type_of (node) != G_TYPE_INT64 || json_node_get_int (node) < 0)
      return report_walk_fail (walk, key, "holds something else than counts");
    counts[i] = json_node_get_int (node);
  }
  return TRUE;
}

/* Returns: the number of the text among the names; -1: it is none of them */
static gint
find_name (const gchar * text, const gchar * const *names, guint n)
{
  for (guint i = 0; i < n; i++) {
    if (g_strcmp0 (text, names[i]) == 0)
      return i;
  }
  return -1;
}

/* Returns: (nullable): the name of a number; NULL: there is none */
static const gchar *
choice_name (guint figure, guint number)
{
  return number < REPORT_MOST_NAMES ? histo_choice_name (&histo_group_figures[figure], number) : NULL;
}

/* ---- Ranges and choices ------------------------------------------------------------------------- */

/* A range of no result is left out. */
void
report_walk_write_range (Walk * walk, const gchar * key, const HistoRange * range,
    void (*add) (ReportJson * json, const gchar * key, gdouble number))
{
  if (range->n == 0)
    return;
  report_json_begin_object (walk->json, key);
  report_json_add_int (walk->json, "n", range->n);
  add (walk->json, "min", range->min);
  add (walk->json, "max", range->max);
  report_json_add_double (walk->json, "mean", histo_range_mean (range));
  add (walk->json, "sum", range->sum);
  add (walk->json, "last", range->last);
  report_json_end_object (walk->json);
}

gboolean
report_walk_read_range (Walk * walk, const gchar * key, HistoRange * range)
{
  JsonObject *outer = report_walk_enter (walk, key);
  gboolean ok;

  if (outer == NULL)
    return TRUE;
  range->min = get_double (walk, "min");
  range->max = get_double (walk, "max");
  range->sum = get_double (walk, "sum");
  range->last = get_double (walk, "last");
  ok = report_walk_get_int (walk, "n", G_MAXINT64, &range->n);
  walk->object = outer;
  return ok;
}

/* How many results have each name. */
void
report_walk_write_choices (Walk * walk, const gchar * key, guint figure, const guint64 * counts)
{
  const gchar *name;

  report_json_begin_object (walk->json, key);
  for (guint i = 0; (name = choice_name (figure, i)) != NULL; i++)
    report_json_add_int (walk->json, name, counts[i]);
  report_json_end_object (walk->json);
}

/* Names that are not there, or not known, count 0. */
gboolean
report_walk_read_choices (Walk * walk, const gchar * key, guint figure, guint64 * counts)
{
  JsonObject *outer = report_walk_enter (walk, key);
  const gchar *name;
  gboolean ok = TRUE;

  if (outer == NULL)
    return TRUE;
  for (guint i = 0; ok && (name = choice_name (figure, i)) != NULL; i++)
    ok = !json_object_has_member (walk->object, name)
        || report_walk_get_int (walk, name, G_MAXINT64, &counts[i]);
  walk->object = outer;
  return ok;
}

/* ---- Blocks of loudness ------------------------------------------------------------------------- */

/* The bins that have blocks: the number of a bin and its count in turn. */
static void
write_blocks (Walk * walk, const gchar * key, const HistoLoudnessBlocks * blocks)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint64));

  for (guint64 bin = 0; bin < HISTO_N_LOUDNESS_BINS; bin++) {
    const guint64 count = histo_loudness_blocks_get_count (blocks, (guint) bin);

    if (count == 0)
      continue;
    g_array_append_val (numbers, bin);
    g_array_append_val (numbers, count);
  }
  report_json_add_counts (walk->json, key, (const guint64 *) numbers->data, numbers->len);
}

/* Version 1 had 1000 counts in bins of 0.1 LU: they are taken to the middle of these. Now there are pairs: the
 * number of a bin, in rising order, and its count. */
static gboolean
read_blocks (Walk * walk, const gchar * key, HistoLoudnessBlocks * blocks)
{
  const guint n_old = 1000, width = HISTO_N_LOUDNESS_BINS / n_old;
  const gboolean is_old = walk->version == 1;
  JsonArray *array = report_walk_get_array (walk, key);
  const guint n = array != NULL ? json_array_get_length (array) : 0;
  g_autofree guint64 *numbers = g_new (guint64, MAX (n, 1));

  if (array == NULL || !report_walk_get_counts (walk, key, numbers, n))
    return FALSE;
  if (is_old ? n != n_old : n % 2 != 0)
    return report_walk_fail (walk, key, "has another size");
  for (guint i = 0; i < n; i += is_old ? 1 : 2) {
    const guint64 bin = is_old ? i * width + width / 2 : numbers[i];
    const guint64 count = is_old ? numbers[i] : numbers[i + 1];

    if (bin >= HISTO_N_LOUDNESS_BINS || (!is_old && i > 0 && bin <= numbers[i - 2]))
      return report_walk_fail (walk, key, "has a wrong bin");
    if (count > 0 && !histo_loudness_blocks_add_count (blocks, (guint) bin, count))
      return report_walk_fail (walk, key, "has too many blocks");
  }
  return TRUE;
}

/* ---- Writing ------------------------------------------------------------------------------------ */

static void
write_object (Walk * walk, const Member * members, gconstpointer owner)
{
  report_json_begin_object (walk->json, NULL);
  report_walk_write (walk, members, owner);
  report_json_end_object (walk->json);
}

/* On a page each bin is the sum of its neighbours. */
static void
write_bins (Walk * walk, const gchar * key, const guint64 * counts, guint n)
{
  guint64 sums[PAGE_BINS] = { 0 };

  if (!walk->is_page || n <= PAGE_BINS) {
    report_json_add_counts (walk->json, key, counts, n);
    return;
  }
  for (guint i = 0; i < n; i++)
    sums[(guint64) i * PAGE_BINS / n] += counts[i];
  report_json_add_counts (walk->json, key, sums, PAGE_BINS);
}

static void
write_texts (Walk * walk, const Member * member, gchar ** texts)
{
  const guint n = texts != NULL ? g_strv_length (texts) : 0;

  if (texts == NULL || n < member->n)
    return;
  report_json_begin_array (walk->json, member->name);
  for (guint i = 0; i < n; i++)
    report_json_put_text (walk->json, texts[i]);
  report_json_end_array (walk->json);
}

static void
write_flags (Walk * walk, const Member * member, guint flags)
{
  if (flags == 0 && (member->flags & NOT_ZERO) != 0)
    return;
  if (member->names != NULL) {
    report_json_add_flags (walk->json, member->name, flags, member->names, member->n);
    return;
  }
  report_json_begin_array (walk->json, member->name);
  for (guint i = 0; i < member->n; i++) {
    if ((flags >> i & 1) != 0)
      report_json_put_int (walk->json, i);
  }
  report_json_end_array (walk->json);
}

static void
write_objects (Walk * walk, const Member * member, const GPtrArray * objects)
{
  const guint n = walk->is_page ? MIN (objects->len, PAGE_OBJECTS) : objects->len;

  if (objects->len < member->n)
    return;
  report_json_begin_array (walk->json, member->name);
  for (guint i = 0; i < n; i++)
    write_object (walk, member->shape->members, objects->pdata[i]);
  report_json_end_array (walk->json);
}

/* An object, or one whose members stand here. */
static void
write_shape (Walk * walk, const Member * member, gconstpointer owner)
{
  const Shape *shape = member->shape;
  g_autofree gpointer made = shape->find != NULL && shape->size > 0 ? g_malloc0 (shape->size) : NULL;

  if (shape->find != NULL && !shape->find (walk, owner, made))
    return;
  if (made != NULL)
    owner = made;
  else
    owner = member->type == INLINE ? FIELD (gpointer, owner, member) : &FIELD (gchar, owner, member);
  if (member->type == INLINE) {
    report_walk_write (walk, shape->members, owner);
    return;
  }
  report_json_set_key (walk->json, member->name);
  write_object (walk, shape->members, owner);
}

static void
write_member (Walk * walk, const Member * member, gconstpointer owner)
{
  ReportJson *json = walk->json;
  const gchar *name = member->name;
  const gboolean is_positive = (member->flags & NOT_ZERO) != 0;

  switch (member->type) {
    case INT:
      if (FIELD (gint, owner, member) >= 0)
        report_json_add_int (json, name, FIELD (gint, owner, member));
      break;
    case COUNT:
      if (!is_positive || FIELD (guint64, owner, member) > 0)
        report_json_add_int (json, name, FIELD (guint64, owner, member));
      break;
    case SIZE:
    case TIME:
    case END:
      report_json_add_time (json, name, FIELD (guint64, owner, member));
      break;
    case NUMBER:
      if (!is_positive || FIELD (gdouble, owner, member) > 0)
        report_json_add_double (json, name, FIELD (gdouble, owner, member));
      break;
    case TEXT:
    case LABEL:
      report_json_add_text (json, name, FIELD (gchar *, owner, member));
      break;
    case TEXTS:
      write_texts (walk, member, FIELD (gchar **, owner, member));
      break;
    case BOOLEAN:
      if (is_positive && !FIELD (gboolean, owner, member))
        break;
      report_json_set_key (json, name);
      report_json_put_boolean (json, FIELD (gboolean, owner, member));
      break;
    case MEDIUM:
      walk->is_audio = FIELD (gboolean, owner, member);
      /* fallthrough */
    case NAME:
      report_json_add_text (json, name, member->names[FIELD (guint, owner, member)]);
      break;
    case CHOICE:
      report_json_add_text (json, name, choice_name (member->choice, FIELD (guint, owner, member)));
      break;
    case FLAGS:
      write_flags (walk, member, FIELD (guint, owner, member));
      break;
    case COUNTS:
      report_json_add_counts (json, name, &FIELD (guint64, owner, member), member->n);
      break;
    case BINS:
      write_bins (walk, name, FIELD (guint64 *, owner, member), G_STRUCT_MEMBER (guint, owner, member->n));
      break;
    case BLOCKS:
      write_blocks (walk, name, FIELD (HistoLoudnessBlocks *, owner, member));
      break;
    case CHOICES:
      report_walk_write_choices (walk, name, member->choice, &FIELD (guint64, owner, member));
      break;
    case FIGURES:
      report_json_add_figures (json, member->infos, member->n, &FIELD (gchar, owner, member));
      break;
    case NUMBERS:
      for (guint i = 0; i < member->n; i++)
        report_json_add_double (json, member->infos[i].name, (&FIELD (gdouble, owner, member))[i]);
      break;
    case RANGE:
      report_walk_write_range (walk, name, &FIELD (HistoRange, owner, member), report_json_add_double);
      break;
    case RANGES:
      for (guint i = 0; i < member->n; i++)
        report_walk_write_range (walk, member->infos[i].name, &FIELD (HistoRange, owner, member) + i,
            report_json_add_double);
      break;
    case OBJECT:
    case INLINE:
      write_shape (walk, member, owner);
      break;
    case OBJECTS:
      write_objects (walk, member, FIELD (GPtrArray *, owner, member));
      break;
    case SPECIAL:
      member->special->write (walk, owner);
      break;
    default:
      g_assert_not_reached ();
  }
}

void
report_walk_write (Walk * walk, const Member * members, gconstpointer owner)
{
  for (const Member * member = members; member->name != NULL; member++) {
    if ((member->flags & (walk->is_audio ? OF_VIDEO : OF_AUDIO)) != 0
        || ((member->flags & OF_PLACE) != 0 && !((const ReportRegion *) owner)->has_place)
        || ((member->flags & OF_ONE) != 0 && walk->summary->n_inputs != 1))
      continue;
    write_member (walk, member, (member->flags & ANSWER) == ANSWER ? &walk->answers : owner);
  }
}

/* ---- Reading ------------------------------------------------------------------------------------ */

/* Reads the members of an object and checks it. */
gboolean
report_walk_read_shape (Walk * walk, const Shape * shape, gpointer object)
{
  return report_walk_read (walk, shape->members, object)
      && (shape->check == NULL || shape->check (walk, object));
}

/* @owner: of the list, or of what the shape adds to */
gboolean
report_walk_read_objects (Walk * walk, const Member * member, gpointer owner)
{
  const Shape *shape = member->shape;
  JsonObject *outer = walk->object;
  JsonArray *array = report_walk_get_array (walk, member->name);
  const guint n = array != NULL ? json_array_get_length (array) : 0;

  if (shape->most > 0 && n > shape->most)
    return report_walk_fail (walk, member->name, "has too many");
  for (guint i = 0; i < n; i++) {
    JsonNode *node = json_array_get_element (array, i);
    gpointer object = shape->add != NULL ? shape->add (owner) :
        report_objects_add (FIELD (GPtrArray *, owner, member), shape);

    if (!JSON_NODE_HOLDS_OBJECT (node))
      return report_walk_fail (walk, member->name, "holds something else than objects");
    walk->object = json_node_get_object (node);
    if (!report_walk_read_shape (walk, shape, object))
      return FALSE;
  }
  walk->object = outer;
  return array != NULL;
}

/* @figures: (out): a structure that has the `n` figures */
static gboolean
read_figures (Walk * walk, const HistoFigureInfo * infos, guint n, gpointer figures)
{
  for (guint i = 0; i < n; i++) {
    const HistoFigureInfo *info = &infos[i];
    guint64 number = 0;

    if (info->type == HISTO_FIGURE_DOUBLE)
      G_STRUCT_MEMBER (gdouble, figures, info->offset) = get_double (walk, info->name);
    else if (!report_walk_get_int (walk, info->name, info->type == HISTO_FIGURE_UINT ?
            HISTO_MAX_BINS : G_MAXINT64, &number))
      return FALSE;
    else if (info->type == HISTO_FIGURE_UINT)
      G_STRUCT_MEMBER (guint, figures, info->offset) = (guint) number;
    else
      G_STRUCT_MEMBER (guint64, figures, info->offset) = number;
  }
  return TRUE;
}

/* @texts: (inout): replaced by the texts of the member */
static gboolean
read_texts (Walk * walk, const gchar * key, gchar *** texts)
{
  JsonArray *array = report_walk_get_array (walk, key);
  const guint n = array != NULL ? json_array_get_length (array) : 0;

  if (array == NULL)
    return FALSE;
  g_strfreev (*texts);
  *texts = g_new0 (gchar *, n + 1);
  for (guint i = 0; i < n; i++) {
    (*texts)[i] = g_strdup (report_json_to_text (json_array_get_element (array, i)));
    if ((*texts)[i] == NULL)
      return report_walk_fail (walk, key, "holds something else than texts");
  }
  return TRUE;
}

/* Names that are not known are left out. */
static gboolean
read_flags (Walk * walk, const Member * member, guint * flags)
{
  JsonArray *array = report_walk_get_array (walk, member->name);
  g_autofree gchar *others = g_strconcat ("holds something else than ", member->name, NULL);

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++) {
    JsonNode *node = json_array_get_element (array, i);
    gint64 found = -1;

    if (member->names != NULL)
      found = find_name (report_json_to_text (node), member->names, member->n);
    else if (type_of (node) == G_TYPE_INT64)
      found = json_node_get_int (node);
    if (member->names == NULL && (found < 0 || found >= (gint64) member->n))
      return report_walk_fail (walk, member->name, others);
    *flags |= found >= 0 ? 1u << found : 0;
  }
  return array != NULL;
}

/* @number: the place of the text among names; -1: it is none of them */
static gboolean
set_name (Walk * walk, const Member * member, gpointer owner, gint number)
{
  if (number < 0)
    return report_walk_fail (walk, member->name, "has an unknown value");
  FIELD (gint, owner, member) = number;
  return TRUE;
}

/* An integer, or that of an end: see there. */
static gboolean
read_int (Walk * walk, const Member * member, gpointer owner, gboolean is_there)
{
  guint64 number = 0, *time = &FIELD (guint64, owner, member);

  if (is_there && !report_walk_get_int (walk, member->name, member->type == INT ? G_MAXINT : G_MAXINT64, &number))
    return FALSE;
  if (is_there && member->type == INT)
    FIELD (gint, owner, member) = (gint) number;
  else if (is_there)
    *time = number;
  /* GST_CLOCK_TIME_NONE is the greatest number. */
  return member->type != END
      || (time[0] >= time[-1] && GST_CLOCK_TIME_IS_VALID (time[0]) == GST_CLOCK_TIME_IS_VALID (time[-1]))
      || report_walk_fail (walk, member->name, "is before the start, or one is missing");
}

static gboolean
read_member (Walk * walk, const Member * member, gpointer owner)
{
  const gchar *name = member->name, *text;
  const gboolean is_there = (member->flags & NEEDED) != 0 || json_object_has_member (walk->object, name);
  JsonObject *outer;
  guint64 **bins;
  gint found;
  guint n;

  switch (member->type) {
    case INT:
    case COUNT:
    case SIZE:
    case TIME:
    case END:
      return read_int (walk, member, owner, is_there);
    case NUMBER:
      FIELD (gdouble, owner, member) = get_double (walk, name);
      return TRUE;
    case TEXT:
      text = report_walk_get_text (walk, name);
      report_member_set_text (&FIELD (gchar *, owner, member), text);
      return text != NULL || (member->flags & NEEDED) == 0 || report_walk_fail (walk, name, "is no text");
    case TEXTS:
      return !is_there || read_texts (walk, name, &FIELD (gchar **, owner, member));
    case LABEL:
      found = find_name (report_walk_get_text (walk, name), member->names, member->n);
      FIELD (const gchar *, owner, member) = member->names[found < 0 ? (gint) member->n - 1 : found];
      return TRUE;
    case BOOLEAN:
      FIELD (gboolean, owner, member) = is_there
          && type_of (json_object_get_member (walk->object, name)) != G_TYPE_INVALID
          && json_object_get_boolean_member (walk->object, name);
      return TRUE;
    case MEDIUM:
      walk->is_audio = FIELD (gboolean, owner, member) =
          g_strcmp0 (report_walk_get_text (walk, name), member->names[TRUE]) == 0;
      return TRUE;
    case NAME:
      return set_name (walk, member, owner, find_name (report_walk_get_text (walk, name), member->names, member->n));
    case CHOICE:
      text = report_walk_get_text (walk, name);
      return set_name (walk, member, owner, text == NULL ? -1 :
          histo_choice_find (&histo_group_figures[member->choice], text));
    case FLAGS:
      return !is_there || read_flags (walk, member, &FIELD (guint, owner, member));
    case COUNTS:
      return report_walk_get_counts (walk, name, &FIELD (guint64, owner, member), member->n);
    case BINS:
      bins = &FIELD (guint64 *, owner, member);
      n = G_STRUCT_MEMBER (guint, owner, member->n);
      g_free (*bins);
      *bins = g_new0 (guint64, n);
      return report_walk_get_counts (walk, name, *bins, n);
    case BLOCKS:
      if (FIELD (HistoLoudnessBlocks *, owner, member) == NULL)
        FIELD (HistoLoudnessBlocks *, owner, member) = histo_loudness_blocks_new ();
      return read_blocks (walk, name, FIELD (HistoLoudnessBlocks *, owner, member));
    case CHOICES:
      return report_walk_read_choices (walk, name, member->choice, &FIELD (guint64, owner, member));
    case FIGURES:
      return read_figures (walk, member->infos, member->n, &FIELD (gchar, owner, member));
    case NUMBERS:
      for (guint i = 0; i < member->n; i++)
        (&FIELD (gdouble, owner, member))[i] = get_double (walk, member->infos[i].name);
      return TRUE;
    case RANGE:
      return report_walk_read_range (walk, name, &FIELD (HistoRange, owner, member));
    case RANGES:
      for (guint i = 0; i < member->n; i++) {
        if (!report_walk_read_range (walk, member->infos[i].name, &FIELD (HistoRange, owner, member) + i))
          return FALSE;
      }
      return TRUE;
    case OBJECT:
      outer = report_walk_enter (walk, name);
      if (outer != NULL && !report_walk_read_shape (walk, member->shape, &FIELD (gchar, owner, member)))
        return FALSE;
      walk->object = outer != NULL ? outer : walk->object;
      return TRUE;
    case OBJECTS:
      return !is_there || report_walk_read_objects (walk, member, owner);
    case INLINE:
      return report_walk_read_shape (walk, member->shape, FIELD (gpointer, owner, member));
    case SPECIAL:
      return member->special->read == NULL || member->special->read (walk, owner);
    default:
      g_assert_not_reached ();
  }
}

/* @owner: as it is made new */
gboolean
report_walk_read (Walk * walk, const Member * members, gpointer owner)
{
  for (const Member * member = members; member->name != NULL; member++) {
    if ((member->flags & WRITTEN) != 0 || (member->flags & (walk->is_audio ? OF_VIDEO : OF_AUDIO)) != 0)
      continue;
    if (!read_member (walk, member, owner))
      return FALSE;
  }
  return TRUE;
}
