/* The members of a summary: tables say how each is written as JSON, read and checked, and how it adds up.
 *
 * docs/report.schema.json is made from them. A file that is read may come from anywhere: each member is checked for
 * presence, type and size. Members with other names are ignored, because later versions add some.
 *
 * Sums are at most G_MAXINT64, the greatest integer that JSON has here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "summary/json.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#include "summary/alerts.h"
#include "summary/answers.h"
#include "cudahisto/light.h"
#include "base/describe.h"
#include "summary/hdr.h"
#include "summary/members.h"
#include "summary/summary.h"

/* A walk through a summary that is written, or through the JSON of one that is read. */
struct _ReportWalk
{
  JsonBuilder *builder;         /* of what is written */
  JsonObject *object;           /* the one that is read */
  GError **error;               /* of reading */
  const ReportSummary *summary; /* that is written */
  gboolean is_page;             /* what is written is part of a page, so its size is bounded */
  gboolean is_audio;            /* the stream that is written or read */
  guint64 version;              /* of what is read */
};

typedef ReportWalk Walk;
typedef ReportMember Member;
typedef ReportShape Shape;
typedef ReportSpecial Special;

/* Lists that are searched for each element of another one have at most so many of a file: components of sound are as many
 * as its channels. */
#define MOST_SEARCHED (2 * HISTO_MAX_CHANNELS)

/* The most bins of a histogram, and the most elements of a list, on a page. */
#define PAGE_BINS 1024
#define PAGE_OBJECTS 5000

#define FIELD(type, owner, member) G_STRUCT_MEMBER (type, owner, (member)->offset)

/* ---- Values of JSON ----------------------------------------------------------------------------- */

static gboolean
fail (const Walk * walk, const gchar * key, const gchar * what)
{
  g_set_error (walk->error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
      "not a summary: \"%s\" %s", key, what);
  return FALSE;
}

/* Returns: the type of a number, a text or a boolean; G_TYPE_INVALID: it is something else, or not there */
static GType
type_of (JsonNode * node)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node) ?
      json_node_get_value_type (node) : G_TYPE_INVALID;
}

/* Returns: the number; NaN if there is none */
static gdouble
get_double (const Walk * walk, const gchar * key)
{
  return report_json_to_number (json_object_get_member (walk->object, key));
}

/* @most: greatest number. Returns: FALSE if there is none, or if it is out of range */
static gboolean
get_int (const Walk * walk, const gchar * key, guint64 most, guint64 * number)
{
  JsonNode *node = json_object_get_member (walk->object, key);

  if (type_of (node) != G_TYPE_INT64)
    return fail (walk, key, "is no integer");
  if (json_node_get_int (node) < 0
      || (guint64) json_node_get_int (node) > most)
    return fail (walk, key, "is out of range");
  *number = json_node_get_int (node);
  return TRUE;
}

/* Returns: (transfer none) (nullable) */
static const gchar *
get_text (const Walk * walk, const gchar * key)
{
  return report_json_to_text (json_object_get_member (walk->object, key));
}

/* Returns: (transfer none) (nullable) */
static JsonArray *
get_array (const Walk * walk, const gchar * key)
{
  JsonNode *node = json_object_get_member (walk->object, key);

  if (node != NULL && JSON_NODE_HOLDS_ARRAY (node))
    return json_node_get_array (node);
  fail (walk, key, "is no array");
  return NULL;
}

/* Goes into an object. Returns: (nullable): the one that was read; NULL: there is no such object, and it stays */
static JsonObject *
enter (Walk * walk, const gchar * key)
{
  JsonNode *node = json_object_get_member (walk->object, key);
  JsonObject *outer = walk->object;

  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return NULL;
  walk->object = json_node_get_object (node);
  return outer;
}

/* @counts: (array length=n) */
static gboolean
get_counts (const Walk * walk, const gchar * key, guint64 * counts, guint n)
{
  JsonArray *array = get_array (walk, key);

  if (array == NULL)
    return FALSE;
  if (json_array_get_length (array) != n)
    return fail (walk, key, "has another size");
  for (guint i = 0; i < n; i++) {
    JsonNode *node = json_array_get_element (array, i);

    if (type_of (node) != G_TYPE_INT64 || json_node_get_int (node) < 0)
      return fail (walk, key, "holds something else than counts");
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
  return number < REPORT_MOST_NAMES ?
      histo_choice_name (&histo_group_figures[figure], number) : NULL;
}

/* ---- Ranges ------------------------------------------------------------------------------------- */

/* A range of no result is left out. @add: adds a number of its kind */
static void
write_range_as (Walk * walk, const gchar * key, const HistoRange * range,
    void (*add) (JsonBuilder * builder, const gchar * key, gdouble number))
{
  if (range->n == 0)
    return;
  report_json_begin_object (walk->builder, key);
  report_json_add_int (walk->builder, "n", range->n);
  add (walk->builder, "min", range->min);
  add (walk->builder, "max", range->max);
  report_json_add_double (walk->builder, "mean", histo_range_mean (range));
  add (walk->builder, "sum", range->sum);
  add (walk->builder, "last", range->last);
  json_builder_end_object (walk->builder);
}

static void
write_range (Walk * walk, const gchar * key, const HistoRange * range)
{
  write_range_as (walk, key, range, report_json_add_double);
}

/* A summary that was read may have any number: one that is none is left out. */
static void
add_whole (JsonBuilder * builder, const gchar * key, gdouble number)
{
  if (number >= 0)
    report_json_add_int (builder, key,
        (guint64) MIN (number, (gdouble) G_MAXINT64));
}

static gboolean
read_range (Walk * walk, const gchar * key, HistoRange * range)
{
  JsonObject *outer = enter (walk, key);
  gboolean ok;

  if (outer == NULL)
    return TRUE;
  range->min = get_double (walk, "min");
  range->max = get_double (walk, "max");
  range->sum = get_double (walk, "sum");
  range->last = get_double (walk, "last");
  ok = get_int (walk, "n", G_MAXINT64, &range->n);
  walk->object = outer;
  return ok;
}

/* @sum: (inout): at most %G_MAXINT64 */
static gboolean
add_sum (guint64 * sum, guint64 number, const gchar * what, GError ** error)
{
  if (*sum > G_MAXINT64 || number > G_MAXINT64 - *sum) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "the sum of the %s is too large", what);
    return FALSE;
  }
  *sum += number;
  return TRUE;
}

static gboolean
merge_range (HistoRange * all, const HistoRange * range, GError ** error)
{
  guint64 n = all->n;

  if (!add_sum (&n, range->n, "results", error))
    return FALSE;
  histo_range_merge (all, range);
  return TRUE;
}

/* ---- Members of any table ----------------------------------------------------------------------- */

static void write_members (Walk * walk, const Member * members,
    gconstpointer owner);
static gboolean read_members (Walk * walk, const Member * members,
    gpointer owner);

static void
write_object (Walk * walk, const Member * members, gconstpointer owner)
{
  json_builder_begin_object (walk->builder);
  write_members (walk, members, owner);
  json_builder_end_object (walk->builder);
}

/* An array of texts. */
static void
write_texts (Walk * walk, const gchar * key, const gchar * const *texts,
    guint n)
{
  report_json_begin_array (walk->builder, key);
  for (guint i = 0; i < n; i++)
    json_builder_add_string_value (walk->builder, texts[i]);
  json_builder_end_array (walk->builder);
}

static void
write_member (Walk * walk, const Member * member, gconstpointer owner)
{
  JsonBuilder *builder = walk->builder;
  const gchar *name = member->name;
  const Shape *shape = member->shape;
  const GPtrArray *objects;
  gchar **texts;
  guint n;

  switch (member->type) {
    case INT:
      if (FIELD (gint, owner, member) >= 0)
        report_json_add_int (builder, name, FIELD (gint, owner, member));
      break;
    case COUNT:
      if ((member->flags & NOT_ZERO) == 0 || FIELD (guint64, owner, member) > 0)
        report_json_add_int (builder, name, FIELD (guint64, owner, member));
      break;
    case SIZE:
    case TIME:
    case END:
      report_json_add_time (builder, name, FIELD (guint64, owner, member));
      break;
    case NUMBER:
      if ((member->flags & NOT_ZERO) != 0
          && !(FIELD (gdouble, owner, member) > 0))
        break;
      report_json_add_double (builder, name, FIELD (gdouble, owner, member));
      break;
    case TEXT:
      report_json_add_text (builder, name, FIELD (gchar *, owner, member));
      break;
    case TEXTS:
      texts = FIELD (gchar **, owner, member);
      n = texts != NULL ? g_strv_length (texts) : 0;
      if (texts != NULL && n >= member->n)
        write_texts (walk, name, (const gchar * const *) texts, n);
      break;
    case BOOLEAN:
      json_builder_set_member_name (builder, name);
      json_builder_add_boolean_value (builder, FIELD (gboolean, owner, member));
      break;
    case NAME:
      report_json_add_text (builder, name,
          member->names[FIELD (guint, owner, member)]);
      break;
    case CHOICE:
      report_json_add_text (builder, name, choice_name (member->choice, FIELD (guint, owner, member)));
      break;
    case FLAGS:
      report_json_add_flags (builder, name, FIELD (guint, owner, member),
          member->names, member->n);
      break;
    case COUNTS:
      report_json_add_counts (builder, name, &FIELD (guint64, owner, member), member->n);
      break;
    case FIGURES:
      report_json_add_figures (builder, member->infos, member->n, &FIELD (gchar, owner, member));
      break;
    case NUMBERS:
      for (guint i = 0; i < member->n; i++)
        report_json_add_double (builder, member->infos[i].name, (&FIELD (gdouble, owner, member))[i]);
      break;
    case RANGE:
      write_range (walk, name, &FIELD (HistoRange, owner, member));
      break;
    case RANGES:
      for (guint i = 0; i < member->n; i++)
        write_range (walk, member->infos[i].name, &FIELD (HistoRange, owner, member) + i);
      break;
    case OBJECT:
      if (shape->is_there != NULL && !shape->is_there (walk, owner))
        break;
      json_builder_set_member_name (builder, name);
      write_object (walk, shape->members, &FIELD (gchar, owner, member));
      break;
    case OBJECTS:
      objects = FIELD (GPtrArray *, owner, member);
      if (objects->len < member->n)
        break;
      report_json_begin_array (builder, name);
      n = walk->is_page ? MIN (objects->len, PAGE_OBJECTS) : objects->len;
      for (guint i = 0; i < n; i++)
        write_object (walk, shape->members, objects->pdata[i]);
      json_builder_end_array (builder);
      break;
    case INLINE:
      write_members (walk, shape->members, FIELD (gpointer, owner, member));
      break;
    case SPECIAL:
      member->special->write (walk, owner);
      break;
    default:
      g_assert_not_reached ();
  }
}

static void
write_members (Walk * walk, const Member * members, gconstpointer owner)
{
  for (const Member * member = members; member->name != NULL; member++) {
    if ((member->flags & (walk->is_audio ? OF_VIDEO : OF_AUDIO)) != 0
        || ((member->flags & OF_PLACE) != 0
            && !((const ReportRegion *) owner)->has_place))
      continue;
    write_member (walk, member, owner);
  }
}

/* Reads the members of an object and checks it. */
static gboolean
read_shape (Walk * walk, const Shape * shape, gpointer object)
{
  return read_members (walk, shape->members, object)
      && (shape->check == NULL || shape->check (walk, object));
}

static gboolean
read_objects (Walk * walk, const Member * member, gpointer owner)
{
  const Shape *shape = member->shape;
  JsonObject *outer = walk->object;
  JsonArray *array = get_array (walk, member->name);
  const guint n = array != NULL ? json_array_get_length (array) : 0;

  if (shape->most > 0 && n > shape->most)
    return fail (walk, member->name, "has too many");
  for (guint i = 0; i < n; i++) {
    JsonNode *node = json_array_get_element (array, i);
    gpointer object = shape->add (owner);

    if (!JSON_NODE_HOLDS_OBJECT (node))
      return fail (walk, member->name, "holds something else than objects");
    walk->object = json_node_get_object (node);
    if (!read_shape (walk, shape, object))
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
      G_STRUCT_MEMBER (gdouble, figures, info->offset) =
          get_double (walk, info->name);
    else if (!get_int (walk, info->name, info->type == HISTO_FIGURE_UINT ?
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
  JsonArray *array = get_array (walk, key);
  const guint n = array != NULL ? json_array_get_length (array) : 0;

  if (array == NULL)
    return FALSE;
  g_strfreev (*texts);
  *texts = g_new0 (gchar *, n + 1);
  for (guint i = 0; i < n; i++) {
    JsonNode *node = json_array_get_element (array, i);

    if (type_of (node) != G_TYPE_STRING)
      return fail (walk, key, "holds something else than texts");
    (*texts)[i] = g_strdup (json_node_get_string (node));
  }
  return TRUE;
}

static gboolean
read_member (Walk * walk, const Member * member, gpointer owner)
{
  const gchar *name = member->name;
  const gboolean is_there = (member->flags & NEEDED) != 0
      || json_object_has_member (walk->object, name);
  guint64 number, *time;
  gchar **text;
  JsonObject *outer;
  JsonArray *array;
  gint found;

  switch (member->type) {
    case INT:
      if (is_there && !get_int (walk, name, G_MAXINT, &number))
        return FALSE;
      if (is_there)
        FIELD (gint, owner, member) = (gint) number;
      break;
    case COUNT:
    case SIZE:
    case TIME:
      return !is_there || get_int (walk, name, G_MAXINT64, &FIELD (guint64,
              owner, member));
    case END:
      time = &FIELD (guint64, owner, member);
      if (is_there && !get_int (walk, name, G_MAXINT64, time))
        return FALSE;
      /* GST_CLOCK_TIME_NONE is the greatest number. */
      return (time[0] >= time[-1] && GST_CLOCK_TIME_IS_VALID (time[0])
          == GST_CLOCK_TIME_IS_VALID (time[-1]))
          || fail (walk, name, "is before the start, or one is missing");
    case NUMBER:
      FIELD (gdouble, owner, member) = get_double (walk, name);
      break;
    case TEXT:
      text = &FIELD (gchar *, owner, member);
      g_free (*text);
      *text = g_strdup (get_text (walk, name));
      return *text != NULL || (member->flags & NEEDED) == 0
          || fail (walk, name, "is no text");
    case TEXTS:
      return !is_there || read_texts (walk, name, &FIELD (gchar **, owner, member));
    case BOOLEAN:
      FIELD (gboolean, owner, member) = is_there
          && type_of (json_object_get_member (walk->object, name))
          != G_TYPE_INVALID
          && json_object_get_boolean_member (walk->object, name);
      break;
    case NAME:
      found = find_name (get_text (walk, name), member->names, member->n);
      if (found < 0)
        return fail (walk, name, "has an unknown value");
      FIELD (gint, owner, member) = found;
      break;
    case CHOICE:
      found = get_text (walk, name) == NULL ? -1 :
          histo_choice_find (&histo_group_figures[member->choice], get_text (walk, name));
      if (found < 0)
        return fail (walk, name, "has an unknown value");
      FIELD (guint, owner, member) = found;
      break;
    case FLAGS:
      array = get_array (walk, name);
      if (array == NULL)
        return FALSE;
      /* Names that are not known are left out. */
      for (guint i = 0; i < json_array_get_length (array); i++) {
        JsonNode *node = json_array_get_element (array, i);

        found = type_of (node) != G_TYPE_STRING ? -1 :
            find_name (json_node_get_string (node), member->names, member->n);
        FIELD (guint, owner, member) |= found >= 0 ? 1u << found : 0;
      }
      break;
    case COUNTS:
      return get_counts (walk, name, &FIELD (guint64, owner, member),
          member->n);
    case FIGURES:
      return read_figures (walk, member->infos, member->n, &FIELD (gchar, owner, member));
    case NUMBERS:
      for (guint i = 0; i < member->n; i++)
        (&FIELD (gdouble, owner, member))[i] = get_double (walk, member->infos[i].name);
      break;
    case RANGE:
      return read_range (walk, name, &FIELD (HistoRange, owner, member));
    case RANGES:
      for (guint i = 0; i < member->n; i++) {
        if (!read_range (walk, member->infos[i].name, &FIELD (HistoRange, owner, member) + i))
          return FALSE;
      }
      break;
    case OBJECT:
      outer = enter (walk, name);
      if (outer == NULL)
        break;
      if (!read_shape (walk, member->shape, &FIELD (gchar, owner, member)))
        return FALSE;
      walk->object = outer;
      break;
    case OBJECTS:
      return !is_there || read_objects (walk, member, owner);
    case INLINE:
      return read_shape (walk, member->shape, FIELD (gpointer, owner, member));
    case SPECIAL:
      return member->special->read == NULL || member->special->read (walk, owner);
    default:
      g_assert_not_reached ();
  }
  return TRUE;
}

/* @owner: as it is made new */
static gboolean
read_members (Walk * walk, const Member * members, gpointer owner)
{
  for (const Member * member = members; member->name != NULL; member++) {
    if ((member->flags & WRITTEN) != 0
        || (member->flags & (walk->is_audio ? OF_VIDEO : OF_AUDIO)) != 0)
      continue;
    if (!read_member (walk, member, owner))
      return FALSE;
  }
  return TRUE;
}

static void
set_text (gchar ** text, const gchar * other)
{
  gchar *copy = g_strdup (other);

  g_free (*text);
  *text = copy;
}

/* @is_first: nothing has been added to @all so far */
static gboolean
merge_members (const Member * members, gpointer all, gconstpointer one,
    gboolean is_first, GError ** error)
{
  for (const Member * member = members; member->name != NULL; member++) {
    switch (member->merge) {
      case NOT:
        break;
      case GREATEST:
        if (member->type == COUNT)
          FIELD (guint64, all, member) =
              MAX (FIELD (guint64, all, member), FIELD (guint64, one, member));
        for (guint i = 0; member->type == NUMBERS && i < member->n; i++) {
          gdouble *number = &FIELD (gdouble, all, member) + i;

          *number = fmax (*number, (&FIELD (gdouble, one, member))[i]);
        }
        break;
      case INSIDE:
        if (!merge_members (member->shape->members, &FIELD (gchar, all, member),
                &FIELD (const gchar, one, member), is_first, error))
          return FALSE;
        break;
      case ANY:
        FIELD (guint, all, member) |= FIELD (guint, one, member);
        break;
      case ALL:
        FIELD (gboolean, all, member) &= FIELD (gboolean, one, member);
        break;
      case SUM:
        if (member->type == NUMBER)
          FIELD (gdouble, all, member) += FIELD (gdouble, one, member);
        else if (!GST_CLOCK_TIME_IS_VALID (FIELD (guint64, one, member)))
          FIELD (guint64, all, member) = GST_CLOCK_TIME_NONE;
        else if (GST_CLOCK_TIME_IS_VALID (FIELD (guint64, all, member))
            && !add_sum (&FIELD (guint64, all, member), FIELD (guint64, one,
                    member), member->what, error))
          return FALSE;
        break;
      case LATEST:
        if (FIELD (gchar *, one, member) != NULL)
          set_text (&FIELD (gchar *, all, member), FIELD (gchar *, one,
                  member));
        break;
      case SAME:
        if (is_first)
          set_text (&FIELD (gchar *, all, member), FIELD (gchar *, one,
                  member));
        else if (g_strcmp0 (FIELD (gchar *, all, member), FIELD (gchar *, one,
                    member)) != 0)
          set_text (&FIELD (gchar *, all, member), NULL);
        break;
      case EACH:
        for (guint i = 0; i < (member->type == RANGE ? 1 : member->n); i++) {
          if (!merge_range (&FIELD (HistoRange, all, member) + i,
                  &FIELD (HistoRange, one, member) + i, error))
            return FALSE;
        }
        break;
    }
  }
  return TRUE;
}

/* ---- Components --------------------------------------------------------------------------------- */

static void
write_histogram (Walk * walk, gconstpointer owner)
{
  const ReportComponent *component = owner;
  const guint n = component->figures.bins;

  if (walk->is_page && n > PAGE_BINS) {
    guint64 sums[PAGE_BINS] = { 0 };

    for (guint i = 0; i < n; i++)
      sums[(guint64) i * PAGE_BINS / n] += component->counts[i];
    report_json_add_counts (walk->builder, "histogram", sums, PAGE_BINS);
  } else {
    report_json_add_counts (walk->builder, "histogram", component->counts, n);
  }
}

static gboolean
read_histogram (Walk * walk, gpointer owner)
{
  ReportComponent *component = owner;

  g_free (component->counts);
  component->counts = g_new0 (guint64, component->figures.bins);
  return get_counts (walk, "histogram", component->counts,
      component->figures.bins);
}

/* Names are printed as they are. */
static gboolean
is_component_name (const gchar * name)
{
  gchar *clean = report_clean_text (g_strdup (name));
  const gboolean is_name = g_str_equal (clean, name) && strlen (name) <= 64;

  g_free (clean);
  return is_name;
}

/* The samples of a component are those in the histogram, those outside, and NaN. */
static gboolean
check_component (Walk * walk, gpointer owner)
{
  ReportComponent *component = owner;
  const HistoFigures figures = component->figures;
  const guint64 outside[] = { figures.underflow, figures.overflow, figures.nan };
  const guint n = G_N_ELEMENTS (outside);
  guint64 left = figures.count;

  if (!is_component_name (component->name))
    return fail (walk, "name", "is no name of a component");
  for (guint i = 0; i < n + figures.bins; i++) {
    const guint64 count = i < n ? outside[i] : component->counts[i - n];

    if (count > left)
      return fail (walk, "count", "is not the sum of the histogram");
    left -= count;
  }
  if (left != 0 || figures.inf > figures.count)
    return fail (walk, "count", "is not the sum of the histogram");
  report_component_clear_figures (component);
  report_component_add_figures (component, &figures);
  return TRUE;
}

static const Special histogram = {
  write_histogram, read_histogram, (const Member[]) {
      {"histogram", INTEGERS,.flags = NEEDED,.text = "The sum of the histograms of the results."}, NO_MEMBER}
};

static const Member component_members[] = {
  {"name", TEXT, AT (ReportComponent, name), NEEDED},
  {"group", NAME, AT (ReportComponent, group), NEEDED, NAMED (report_group_names)},
  {"", FIGURES, AT (ReportComponent, figures),.infos = histo_figures,.n = HISTO_N_FIGURES},
  {"means", RANGE, AT (ReportComponent, means),.text = "Of the means of the results."},
  {"histogram", SPECIAL,.special = &histogram},
  NO_MEMBER
};

static gpointer
add_component (gpointer owner)
{
  return report_region_add_component (owner, "", HISTO_GROUP_BASIC, 0, 0, 0);
}

static const Shape component_shape = {
  .name = "merged-component",
  .text = "A component over all results.",
  .members = component_members,
  .add = add_component,.check = check_component,.most = MOST_SEARCHED
};

static gboolean
merge_component (ReportRegion * all, const ReportComponent * component,
    guint hint, GError ** error)
{
  const HistoFigures *figures = &component->figures;
  ReportComponent *found = report_region_find_bins (all, component->name,
      component->group, figures, hint);
  guint64 count;

  if (found == NULL)
    found = report_region_add_component (all, component->name,
        component->group, figures->bins, figures->range_min,
        figures->range_max);
  /* No counter of a component is greater than its number of samples. */
  count = found->figures.count;
  if (!add_sum (&count, figures->count, "samples", error))
    return FALSE;
  report_component_add_figures (found, figures);
  for (guint i = 0; i < figures->bins; i++)
    found->counts[i] += component->counts[i];
  return merge_range (&found->means, &component->means, error);
}

/* ---- Regions ------------------------------------------------------------------------------------ */

/* Choices: how many results have each name. */

static void
write_choices (Walk * walk, const gchar * key, guint figure,
    const guint64 * counts)
{
  const gchar *name;

  report_json_begin_object (walk->builder, key);
  for (guint i = 0; (name = choice_name (figure, i)) != NULL; i++)
    report_json_add_int (walk->builder, name, counts[i]);
  json_builder_end_object (walk->builder);
}

/* Names that are not there, or not known, count 0. */
static gboolean
read_choices (Walk * walk, const gchar * key, guint figure, guint64 * counts)
{
  JsonObject *outer = enter (walk, key);
  const gchar *name;
  gboolean ok = TRUE;

  if (outer == NULL)
    return TRUE;
  for (guint i = 0; ok && (name = choice_name (figure, i)) != NULL; i++)
    ok = !json_object_has_member (walk->object, name)
        || get_int (walk, name, G_MAXINT64, &counts[i]);
  walk->object = outer;
  return ok;
}

static gboolean
merge_counts (guint64 * all, const guint64 * counts, guint n, GError ** error)
{
  for (guint i = 0; i < n; i++) {
    if (!add_sum (&all[i], counts[i], "results", error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
has_counts (const guint64 * counts, guint n)
{
  for (guint i = 0; i < n; i++) {
    if (counts[i] > 0)
      return TRUE;
  }
  return FALSE;
}

static void
write_group_figure (Walk * walk, const ReportRegion * region, guint i)
{
  const HistoGroupFigureInfo *info = &histo_group_figures[i];

  if (info->type == HISTO_FIGURE_CHOICE)
    write_choices (walk, info->name, i, region->choices[i]);
  else
    write_range_as (walk, info->name, &region->figures[i],
        info->type == HISTO_FIGURE_UINT ? add_whole : report_json_add_double);
}

static void
write_group_figures (Walk * walk, gconstpointer owner)
{
  const ReportRegion *region = owner;

  report_json_begin_object (walk->builder, "figures");
  for (guint group = 0; group < HISTO_N_GROUPS; group++) {
    gboolean is_open = FALSE;

    for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
      if (histo_group_figures[i].group != group || (region->figures[i].n == 0
              && !has_counts (region->choices[i], REPORT_MOST_NAMES)))
        continue;
      if (!is_open) {
        report_json_begin_object (walk->builder, report_group_names[group]);
        is_open = TRUE;
      }
      write_group_figure (walk, region, i);
    }
    if (is_open)
      json_builder_end_object (walk->builder);
  }
  json_builder_end_object (walk->builder);
}

static gboolean
read_group_figures (Walk * walk, gpointer owner)
{
  ReportRegion *region = owner;
  JsonObject *outer = enter (walk, "figures");

  if (outer == NULL)
    return TRUE;
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    const HistoGroupFigureInfo *info = &histo_group_figures[i];
    JsonObject *figures = enter (walk, report_group_names[info->group]);

    if (figures == NULL)
      continue;
    if (info->type == HISTO_FIGURE_CHOICE ?
        !read_choices (walk, info->name, i, region->choices[i]) :
        !read_range (walk, info->name, &region->figures[i]))
      return FALSE;
    walk->object = figures;
  }
  walk->object = outer;
  return TRUE;
}

static const Shape group_figures_shape = {
  .members = (const Member[]) {{.name = "",.type = GROUP_RANGES}, NO_MEMBER}
};

static const Special group_figures = {
  write_group_figures, read_group_figures, (const Member[]) {
      {"figures", OBJECT,.flags = NEEDED,.shape = &group_figures_shape}, NO_MEMBER}
};

static void
write_bits_used (Walk * walk, gconstpointer owner)
{
  const ReportRegion *region = owner;
  guint64 bits[HISTO_MAX_COMPONENTS];

  for (guint i = 0; i < region->n_bits_used; i++)
    bits[i] = region->bits_used[i];
  if (region->n_bits_used > 0)
    report_json_add_counts (walk->builder, "bits-used", bits, region->n_bits_used);
}

static gboolean
read_bits_used (Walk * walk, gpointer owner)
{
  ReportRegion *region = owner;
  guint64 bits[HISTO_MAX_COMPONENTS];
  JsonArray *array;

  if (!json_object_has_member (walk->object, "bits-used"))
    return TRUE;
  array = get_array (walk, "bits-used");
  if (array == NULL)
    return FALSE;
  if (json_array_get_length (array) > HISTO_MAX_COMPONENTS)
    return fail (walk, "bits-used", "has too many");
  region->n_bits_used = json_array_get_length (array);
  if (!get_counts (walk, "bits-used", bits, region->n_bits_used))
    return FALSE;
  for (guint i = 0; i < region->n_bits_used; i++)
    region->bits_used[i] = (guint) MIN (bits[i], 64);
  return TRUE;
}

static const Special bits_used = {
  write_bits_used, read_bits_used, (const Member[]) {{.name = "bits-used",.type = INTEGERS}, NO_MEMBER}
};

/* The frame is that of one input. */
static void
write_worst (Walk * walk, gconstpointer owner)
{
  const ReportR103 *r103 = owner;

  if (r103->has_worst && walk->summary->n_inputs == 1) {
    report_json_add_int (walk->builder, "worst-frame", r103->worst_frame);
    report_json_add_time (walk->builder, "worst-time", r103->worst_time);
  }
}

static gboolean
read_worst (Walk * walk, gpointer owner)
{
  ReportR103 *r103 = owner;

  r103->has_worst = json_object_has_member (walk->object, "worst-frame");
  r103->worst_time = GST_CLOCK_TIME_NONE;
  return (!r103->has_worst || get_int (walk, "worst-frame", G_MAXINT64,
          &r103->worst_frame))
      && (!json_object_has_member (walk->object, "worst-time")
      || get_int (walk, "worst-time", G_MAXINT64, &r103->worst_time));
}

static const Special worst_frame = {
  write_worst, read_worst, (const Member[]) {
      {.name = "worst-frame",.type = COUNT}, {.name = "worst-time",.type = TIME}, NO_MEMBER}
};

static const Member r103_members[] = {
  {"frames-above", COUNT, AT (ReportR103, n_above), NEEDED},
  {"worst", NUMBER, AT (ReportR103, worst), ALWAYS},
  {"worst-frame", SPECIAL,.special = &worst_frame},
  NO_MEMBER
};

static gboolean
has_r103 (const Walk * walk, gconstpointer owner)
{
  return ((const ReportRegion *) owner)->figures[HISTO_GROUP_FIGURE_GAMUT_FILTER_any].n > 0;
}

static const Shape r103_shape = {
  .text = "Of the group gamut-filter. The worst frame is absent in merged summaries.",
  .members = r103_members,.is_there = has_r103
};

/* ---- Joint components --------------------------------------------------------------------------- */

/* A page has none: they are large. */
static void
write_joints (Walk * walk, gconstpointer owner)
{
  const ReportRegion *region = owner;
  gboolean is_open = FALSE;

  for (guint j = 0; !walk->is_page && j < HISTO_N_JOINTS; j++) {
    const HistoJointInfo *info = &histo_joints[j];
    guint64 count = 0;

    if (region->joints[j] == NULL)
      continue;
    if (!is_open)
      report_json_begin_object (walk->builder, report_group_names[info->group]);
    is_open = TRUE;
    for (guint i = 0; i < HISTO_SCOPE_BINS; i++)
      count += region->joints[j][i];
    report_json_begin_object (walk->builder, info->name);
    report_json_add_int (walk->builder, "count", count);
    report_json_add_int (walk->builder, "columns", HISTO_SCOPE_SIZE);
    report_json_add_int (walk->builder, "rows", HISTO_SCOPE_SIZE);
    report_json_add_text (walk->builder, "x", info->x);
    report_json_add_text (walk->builder, "y", info->y);
    report_json_add_counts (walk->builder, "histogram", region->joints[j], HISTO_SCOPE_BINS);
    json_builder_end_object (walk->builder);
  }
  if (is_open)
    json_builder_end_object (walk->builder);
}

static gboolean
read_joints (Walk * walk, gpointer owner)
{
  ReportRegion *region = owner;
  JsonObject *outer = enter (walk, report_group_names[HISTO_GROUP_SCOPES]);
  gboolean ok = TRUE;

  if (outer == NULL)
    return TRUE;
  for (guint j = 0; ok && j < HISTO_N_JOINTS; j++) {
    JsonObject *scopes = enter (walk, histo_joints[j].name);
    guint64 count, sum = 0;

    if (scopes == NULL)
      continue;
    ok = get_int (walk, "count", G_MAXINT64, &count)
        && get_counts (walk, "histogram", report_region_find_joint (region, j), HISTO_SCOPE_BINS);
    /* No sum is greater than the count. */
    for (guint i = 0; ok && i < HISTO_SCOPE_BINS; i++)
      sum += MIN (region->joints[j][i], count + 1 - MIN (sum, count + 1));
    if (ok && sum != count)
      ok = fail (walk, "count", "is not the sum of the histogram");
    walk->object = scopes;
  }
  walk->object = outer;
  return ok;
}

static gboolean
merge_joints (ReportRegion * all, const ReportRegion * region, GError ** error)
{
  for (guint j = 0; j < HISTO_N_JOINTS; j++) {
    if (region->joints[j] != NULL
        && !merge_counts (report_region_find_joint (all, j), region->joints[j], HISTO_SCOPE_BINS, error))
      return FALSE;
  }
  return TRUE;
}

static const Shape joints_shape = {
  .text = "Sums of all frames, of the whole picture.",
  .members = (const Member[]) {{"", JOINTS,.n = HISTO_GROUP_SCOPES}, NO_MEMBER}
};

static const Special joints = {
  write_joints, read_joints, (const Member[]) {{"scopes", OBJECT,.shape = &joints_shape}, NO_MEMBER}
};

static const Member area_members[] = {
  {"x", INT, AT (ReportArea, x), NEEDED},
  {"y", INT, AT (ReportArea, y), NEEDED},
  {"width", INT, AT (ReportArea, width), NEEDED},
  {"height", INT, AT (ReportArea, height), NEEDED},
  NO_MEMBER
};

static gboolean
has_area (const Walk * walk, gconstpointer owner)
{
  return ((const ReportRegion *) owner)->area.width != 0;
}

static const Shape area_shape = {
  .text = "The smallest box that has all active pictures.",
  .members = area_members,
  .is_there = has_area
};

#define SIDE(name, side) {name, COUNTS, AT (ReportArea, near[side]), NEEDED, .n = REPORT_NEAR}
/* Files of earlier versions have no sides. */
static const Member side_members[] = {
  {"frames", COUNT, AT (ReportArea, n), NEEDED,.text = "Results that have an active picture."},
  SIDE ("left", REPORT_LEFT), SIDE ("top", REPORT_TOP),
  SIDE ("right", REPORT_RIGHT), SIDE ("bottom", REPORT_BOTTOM),
  NO_MEMBER
};

static gboolean
has_sides (const Walk * walk, gconstpointer owner)
{
  return has_area (walk, owner) && ((const ReportRegion *) owner)->area.n > 0;
}

static const Shape sides_shape = {
  .text = "How constant the sides of the area are.",
  .members = side_members,.is_there = has_sides
};

/* The right and lower edges are at most G_MAXINT, too. */
static gboolean
check_region (Walk * walk, gpointer owner)
{
  ReportRegion *region = owner;
  ReportArea *area = &region->area;

  if (region->width > G_MAXINT - region->x
      || area->width > G_MAXINT - area->x)
    return fail (walk, "width", "is out of range");
  if (region->height > G_MAXINT - region->y
      || area->height > G_MAXINT - area->y)
    return fail (walk, "height", "is out of range");
  if (area->width == 0 || area->height == 0)
    *area = (ReportArea) { 0, };
  return TRUE;
}

static const Member region_members[] = {
  {"name", TEXT, AT (ReportRegion, name),.text = "Absent for the whole picture."},
  {"x", INT, AT (ReportRegion, x), NEEDED | OF_PLACE},
  {"y", INT, AT (ReportRegion, y), NEEDED | OF_PLACE},
  {"width", INT, AT (ReportRegion, width), NEEDED | OF_PLACE},
  {"height", INT, AT (ReportRegion, height), NEEDED | OF_PLACE},
  {"components", OBJECTS, AT (ReportRegion, components), NEEDED,.shape = &component_shape},
  {"figures", SPECIAL,.special = &group_figures},
  {"r103", OBJECT, AT (ReportRegion, r103),.shape = &r103_shape},
  {"bits-used", SPECIAL,.special = &bits_used},
  {"scopes", SPECIAL,.special = &joints},
  {"area", OBJECT, AT (ReportRegion, area),.shape = &area_shape},
  {"area-sides", OBJECT, AT (ReportRegion, area),.shape = &sides_shape},
  NO_MEMBER
};

static gpointer
add_region (gpointer owner)
{
  return report_part_add_region (owner, NULL);
}

static const Shape region_shape = {
  .name = "merged-region",.members = region_members,
  .add = add_region,.check = check_region,.most = HISTO_MAX_REGIONS + 1
};

/* What two parts have in common: figures that need more of it are not added up. */
typedef enum
{
  SAME_SCALE = 1,               /* a sample has the same meaning: histograms, means and bits */
  SAME_SIZE = 2                 /* a pixel has the same place: rectangles */
} Common;

/* Inputs may have been measured with other regions.
 *
 * @hint: where it probably is
 * Returns: (nullable): the region with this name; NULL of the whole picture is one, too */
static ReportRegion *
find_region (const ReportPart * all, const gchar * name, guint hint)
{
  for (guint i = 0; i < all->regions->len; i++) {
    ReportRegion *region = all->regions->pdata[(hint + i) % all->regions->len];

    if (g_strcmp0 (region->name, name) == 0)
      return region;
  }
  return NULL;
}

static gboolean
merge_region (ReportPart * all, const ReportRegion * region, guint r,
    Common common, GError ** error)
{
  ReportRegion *found = find_region (all, region->name, r);

  if (found == NULL) {
    found = report_part_add_region (all, region->name);
    found->has_place = (common & SAME_SIZE) != 0 && region->has_place;
    if (found->has_place) {
      found->x = region->x;
      found->y = region->y;
      found->width = region->width;
      found->height = region->height;
    }
  }
  /* The figures of `detail` are differences of samples; those of the other groups are shares, or light. */
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    if (((common & SAME_SCALE) != 0
            || histo_group_figures[i].group != HISTO_GROUP_DETAIL)
        && !(merge_range (&found->figures[i], &region->figures[i], error)
            && merge_counts (found->choices[i], region->choices[i],
                REPORT_MOST_NAMES, error)))
      return FALSE;
  }
  report_r103_merge (&found->r103, &region->r103);
  if ((common & SAME_SIZE) != 0)
    report_area_merge (&found->area, &region->area);
  if ((common & SAME_SCALE) == 0)
    return TRUE;
  for (guint i = 0; i < region->components->len; i++) {
    if (!merge_component (found, region->components->pdata[i], i, error))
      return FALSE;
  }
  found->n_bits_used = MAX (found->n_bits_used, region->n_bits_used);
  for (guint i = 0; i < region->n_bits_used; i++)
    found->bits_used[i] = MAX (found->bits_used[i], region->bits_used[i]);
  return merge_joints (found, region, error);
}

/* ---- Channels ----------------------------------------------------------------------------------- */

static const Member channel_members[] = {
  {"", RANGES, AT (ReportChannel, levels), 0, EACH,
      .infos = histo_level_figures,.n = HISTO_N_LEVEL_FIGURES},
  {"", NUMBERS, AT (ReportChannel, arrays), 0, GREATEST,
      .infos = histo_loudness_arrays,.n = HISTO_N_LOUDNESS_ARRAYS},
  NO_MEMBER
};

static void
write_channels (Walk * walk, const ReportChannel * channels, guint n)
{
  report_json_begin_array (walk->builder, "channels");
  for (guint c = 0; c < n; c++)
    write_object (walk, channel_members, &channels[c]);
  json_builder_end_array (walk->builder);
}

static void
write_channels_of_stream (Walk * walk, gconstpointer owner)
{
  const ReportStreamSummary *stream = owner;

  write_channels (walk, stream->channels, stream->n_channels);
}

static void
write_channels_of_part (Walk * walk, gconstpointer owner)
{
  const ReportPart *part = owner;

  write_channels (walk, part->channels, part->n_channels);
}

/* @owner: the number of channels, which grows */
static gpointer
next_channel (gpointer owner)
{
  ReportChannel **next = owner;

  return (*next)++;
}

static const Shape channel_shape = {
  .name = "merged-channel",.members = channel_members,.add = next_channel
};

static const Member channels_looks[] = { {"channels", LIST,.shape = &channel_shape}, NO_MEMBER };

static gboolean
read_channels (Walk * walk, gpointer owner)
{
  ReportPart *part = owner;
  JsonArray *array = get_array (walk, "channels");
  const Member channels = {"channels", OBJECTS,.shape = &channel_shape };
  ReportChannel *next;

  if (array == NULL)
    return FALSE;
  if (json_array_get_length (array) > HISTO_MAX_CHANNELS)
    return fail (walk, "channels", "has too many");
  report_part_set_channels (part, json_array_get_length (array));
  next = part->channels;
  return read_objects (walk, &channels, &next);
}

static const Special channels_of_stream = { write_channels_of_stream, NULL, channels_looks };
static const Special channels_of_part = { write_channels_of_part, read_channels, channels_looks };

/* The figures of all windows together. */
static void
write_whole (Walk * walk, gconstpointer owner)
{
  HistoPairFigures figures;

  report_pair_get_whole (owner, &figures);
  report_json_begin_object (walk->builder, "whole");
  for (guint i = 0; i < HISTO_N_PAIR_FIGURES; i++) {
    const HistoFigureInfo *info = &histo_pair_figures[i];

    if (info->type == HISTO_FIGURE_DOUBLE)
      report_json_add_figures (walk->builder, info, 1, &figures);
  }
  json_builder_end_object (walk->builder);
}

static const Shape whole_shape = {
  .text = "Of the whole stream.",
  .members = (const Member[]) {
      {"", NUMBERS,.infos = histo_pair_figures,.n = HISTO_N_PAIR_FIGURES}, NO_MEMBER}
};

static const Special pair_whole = {
  write_whole, NULL, (const Member[]) {{"whole", OBJECT,.flags = ALWAYS,.shape = &whole_shape}, NO_MEMBER}
};

static const Member pair_members[] = {
  {"first", TEXT, AT (ReportPair, first), NEEDED},
  {"second", TEXT, AT (ReportPair, second), NEEDED},
  {"first-squares", NUMBER, AT (ReportPair, sums.first_squares), 0, SUM},
  {"second-squares", NUMBER, AT (ReportPair, sums.second_squares), 0, SUM},
  {"products", NUMBER, AT (ReportPair, sums.products), 0, SUM},
  {"sum-squares", NUMBER, AT (ReportPair, sums.sum_squares), 0, SUM},
  {"whole", SPECIAL,.special = &pair_whole},
  {"", RANGES, AT (ReportPair, figures), 0, EACH,
      .infos = histo_pair_figures,.n = HISTO_N_PAIR_FIGURES},
  NO_MEMBER
};

static gpointer
add_pair (gpointer owner)
{
  /* Its names are read next. */
  return report_pairs_find (((ReportPart *) owner)->pairs, "", "", 0);
}

static const Shape pair_shape = {
  .name = "merged-pair",.members = pair_members,.add = add_pair,.most = MOST_SEARCHED
};

static gboolean
merge_figures (ReportPart * all, const ReportPart * part, Common common,
    gboolean has_channels, GError ** error)
{
  for (guint r = 0; r < part->regions->len; r++) {
    if (!merge_region (all, part->regions->pdata[r], r, common, error))
      return FALSE;
  }
  if (!has_channels)
    return TRUE;
  report_part_set_channels (all, part->n_channels);
  for (guint c = 0; c < MIN (all->n_channels, part->n_channels); c++) {
    if (!merge_members (channel_members, &all->channels[c], &part->channels[c],
            FALSE, error))
      return FALSE;
  }
  for (guint i = 0; i < part->pairs->len; i++) {
    const ReportPair *pair = part->pairs->pdata[i];

    if (!merge_members (pair_members, report_pairs_find (all->pairs,
                pair->first, pair->second, i), pair, FALSE, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- Descriptions ------------------------------------------------------------------------------- */

/* Each channel has a name, if one has. */
static gboolean
check_channel_names (Walk * walk, gpointer owner)
{
  const ReportStream *stream = owner;
  gchar **names = stream->channel_names;

  if (names == NULL)
    return TRUE;
  if (stream->channels > HISTO_MAX_CHANNELS
      || g_strv_length (names) != (guint) stream->channels)
    return fail (walk, "channel-names", "has another size");
  for (guint c = 0; names[c] != NULL; c++) {
    if (!is_component_name (names[c]))
      return fail (walk, "channel-names", "holds something else than names");
  }
  return TRUE;
}

static void
write_pixel_shape (Walk * walk, gconstpointer owner)
{
  const ReportStream *stream = owner;
  gchar *ratio;

  if (stream->par_d == 0)
    return;
  ratio = g_strdup_printf ("%d:%d", stream->par_n, stream->par_d);
  report_json_add_text (walk->builder, "pixel-aspect-ratio", ratio);
  report_json_add_int (walk->builder, "display-width",
      report_stream_display_width (stream));
  g_free (ratio);
}

static gboolean
read_pixel_shape (Walk * walk, gpointer owner)
{
  ReportStream *stream = owner;
  const gchar *ratio = get_text (walk, "pixel-aspect-ratio");
  guint64 n = 0, d = 0;
  gchar **parts;

  if (ratio == NULL)
    return TRUE;
  parts = g_strsplit (ratio, ":", 2);
  if (g_strv_length (parts) == 2
      && g_ascii_string_to_unsigned (parts[0], 10, 1, G_MAXINT, &n, NULL)
      && g_ascii_string_to_unsigned (parts[1], 10, 1, G_MAXINT, &d, NULL)) {
    stream->par_n = (gint) n;
    stream->par_d = (gint) d;
  }
  g_strfreev (parts);
  return d > 0 || fail (walk, "pixel-aspect-ratio", "is no ratio");
}

static const Special pixel_shape = {
  write_pixel_shape, read_pixel_shape, (const Member[]) {
      {"pixel-aspect-ratio", RATIO,.text = "The width of a pixel to its height."},
      {.name = "display-width",.type = INT}, NO_MEMBER}
};

static const gchar *const media_names[] = { HISTO_MEDIA_VIDEO, HISTO_MEDIA_AUDIO };

static void
write_medium (Walk * walk, gconstpointer owner)
{
  walk->is_audio = ((const ReportStream *) owner)->is_audio;
  report_json_add_text (walk->builder, "media", media_names[walk->is_audio]);
}

static gboolean
read_medium (Walk * walk, gpointer owner)
{
  walk->is_audio = ((ReportStream *) owner)->is_audio =
      g_strcmp0 (get_text (walk, "media"), HISTO_MEDIA_AUDIO) == 0;
  return TRUE;
}

static const Special medium = {
  write_medium, read_medium, (const Member[]) {
      {"media", NAME,.flags = ALWAYS, NAMED (media_names)}, NO_MEMBER}
};

/* What may change within a stream. */
#define FACT_MEMBERS \
  {"format", TEXT, AT (ReportStream, format)}, \
  {"rate", INT, AT (ReportStream, rate), OF_AUDIO}, \
  {"n-channels", INT, AT (ReportStream, channels), OF_AUDIO}, \
  {"channel-names", TEXTS, AT (ReportStream, channel_names), OF_AUDIO}, \
  {"width", INT, AT (ReportStream, width), OF_VIDEO}, \
  {"height", INT, AT (ReportStream, height), OF_VIDEO}, \
  {"pixel-aspect-ratio", SPECIAL, 0, OF_VIDEO, .special = &pixel_shape}, \
  {"colorimetry", TEXT, AT (ReportStream, colorimetry), OF_VIDEO}, \
  {"frame-rate", NUMBER, AT (ReportStream, frame_rate), OF_VIDEO}, \
  NO_MEMBER

static const Shape facts_shape = {
  .members = (const Member[]) {FACT_MEMBERS},.check = check_channel_names
};

static const Shape description_shape = {
  .members = (const Member[]) {
      {"stream", INT, AT (ReportStream, index), NEEDED},
      {"media", SPECIAL,.special = &medium},
      {"title", TEXT, AT (ReportStream, title), NEEDED},
      {"codec", TEXT, AT (ReportStream, codec)},
      FACT_MEMBERS},.check = check_channel_names
};

/* ---- Parts -------------------------------------------------------------------------------------- */

#define PART_FIGURES \
  {"regions", OBJECTS, AT (ReportPart, regions), NEEDED, .shape = &region_shape}, \
  {"channels", SPECIAL, 0, OF_AUDIO, .special = &channels_of_part}, \
  {"pairs", OBJECTS, AT (ReportPart, pairs), OF_AUDIO, .n = 1, .shape = &pair_shape}, \
  NO_MEMBER

static const Member part_figures[] = { PART_FIGURES };

static const Member part_members[] = {
  {"start", TIME, AT (ReportPart, start)},
  {"end", END, AT (ReportPart, end)},
  {"results", COUNT, AT (ReportPart, n_results), NEEDED, SUM, "results"},
  {"samples", COUNT, AT (ReportPart, n_samples), OF_AUDIO, SUM, "samples"},
  {"", INLINE, AT (ReportPart, stream),.shape = &facts_shape},
  PART_FIGURES
};

static gpointer
add_part (gpointer owner)
{
  ReportStreamSummary *stream = owner;
  const ReportStream description = {.is_audio = stream->stream->is_audio };

  return report_stream_summary_add_part (stream, &description);
}

static const Shape part_shape = {
  .name = "part",
  .text = "A stream from one of its changes to the next one; of merged summaries all results with one description.",
  .members = part_members,.add = add_part
};

/* A stream without changes is one part. If there are several, they have all figures, and those of the stream
 * follow from them. */
static gboolean
check_parts (Walk * walk, gpointer owner)
{
  ReportStreamSummary *stream = owner;
  guint64 results = 0, samples = 0;

  if (!json_object_has_member (walk->object, "parts")) {
    ReportPart *part = report_stream_summary_add_part (stream, stream->stream);

    part->n_results = stream->n_results;
    part->n_samples = stream->n_samples;
    return read_members (walk, part_figures, part);
  }
  for (guint i = 0; i < stream->parts->len; i++) {
    const ReportPart *part = stream->parts->pdata[i];

    if (!add_sum (&results, part->n_results, "results", walk->error)
        || !add_sum (&samples, part->n_samples, "samples", walk->error))
      return FALSE;
  }
  return (results <= stream->n_results && samples <= stream->n_samples)
      || fail (walk, "parts", "have more results than the stream");
}

/* Parts with one description are added up, whatever input they are of. */
static gboolean
merge_parts (ReportStreamSummary * all, const ReportStreamSummary * summary,
    GError ** error)
{
  for (guint i = 0; i < summary->parts->len; i++) {
    const ReportPart *part = summary->parts->pdata[i];
    ReportPart *found;

    /* Nothing was measured. */
    if (part->n_results == 0 && part->regions->len == 0
        && part->n_channels == 0)
      continue;
    found = report_stream_summary_find_part (all, part->stream);
    if (found == NULL)
      found = report_stream_summary_add_part (all, part->stream);
    if (!merge_members (part_members, found, part, FALSE, error)
        || !merge_figures (found, part, SAME_SCALE | SAME_SIZE, TRUE, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- Loudness ----------------------------------------------------------------------------------- */

/* The bins that have blocks: the number of a bin and its count in turn. */
static void
write_blocks (Walk * walk, const gchar * key, const HistoLoudnessBlocks * blocks)
{
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (guint64));

  for (guint64 bin = 0; bin < HISTO_N_LOUDNESS_BINS; bin++) {
    const guint64 count = histo_loudness_blocks_get_count (blocks, (guint) bin);

    if (count == 0)
      continue;
    g_array_append_val (numbers, bin);
    g_array_append_val (numbers, count);
  }
  report_json_add_counts (walk->builder, key, (const guint64 *) numbers->data,
      numbers->len);
  g_array_unref (numbers);
}

/* Version 1 had 1000 counts in bins of 0.1 LU: they are taken to the middle of these. Now there are pairs: the
 * number of a bin, in rising order, and its count. */
static gboolean
read_blocks (Walk * walk, const gchar * key, HistoLoudnessBlocks * blocks)
{
  const guint n_old = 1000, width = HISTO_N_LOUDNESS_BINS / n_old;
  const gboolean is_old = walk->version == 1;
  JsonArray *array = get_array (walk, key);
  const guint n = array != NULL ? json_array_get_length (array) : 0;
  guint64 *numbers = g_new (guint64, MAX (n, 1));
  gboolean ok = array != NULL && get_counts (walk, key, numbers, n);

  if (ok && (is_old ? n != n_old : n % 2 != 0))
    ok = fail (walk, key, "has another size");
  for (guint i = 0; ok && i < n; i += is_old ? 1 : 2) {
    const guint64 bin = is_old ? i * width + width / 2 : numbers[i];
    const guint64 count = is_old ? numbers[i] : numbers[i + 1];

    if (bin >= HISTO_N_LOUDNESS_BINS
        || (!is_old && i > 0 && bin <= numbers[i - 2]))
      ok = fail (walk, key, "has a wrong bin");
    else if (count > 0
        && !histo_loudness_blocks_add_count (blocks, (guint) bin, count))
      ok = fail (walk, key, "has too many blocks");
  }
  g_free (numbers);
  return ok;
}

static gboolean
merge_blocks (HistoLoudnessBlocks * all, const HistoLoudnessBlocks * blocks,
    GError ** error)
{
  for (guint bin = 0; bin < HISTO_N_LOUDNESS_BINS; bin++) {
    const guint64 count = histo_loudness_blocks_get_count (blocks, bin);

    if (count > 0 && !histo_loudness_blocks_add_count (all, bin, count)) {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
          "the sum of the blocks is too large");
      return FALSE;
    }
  }
  return TRUE;
}

static void
write_all_blocks (Walk * walk, gconstpointer owner)
{
  const ReportStreamSummary *stream = owner;

  write_blocks (walk, "momentary-blocks", stream->momentary);
  write_blocks (walk, "short-term-blocks", stream->short_term);
}

static gboolean
read_all_blocks (Walk * walk, gpointer owner)
{
  ReportStreamSummary *stream = owner;
  HistoRange *loudness = stream->loudness;

  /* In version 1 the greatest loudness was that of the ends of the windows. */
  if (loudness[HISTO_LOUDNESS_FIGURE_momentary_max].n == 0)
    loudness[HISTO_LOUDNESS_FIGURE_momentary_max] =
        loudness[HISTO_LOUDNESS_FIGURE_momentary];
  if (loudness[HISTO_LOUDNESS_FIGURE_short_term_max].n == 0)
    loudness[HISTO_LOUDNESS_FIGURE_short_term_max] =
        loudness[HISTO_LOUDNESS_FIGURE_short_term];
  report_stream_summary_need_blocks (stream);
  return read_blocks (walk, "momentary-blocks", stream->momentary)
      && read_blocks (walk, "short-term-blocks", stream->short_term);
}

#define BLOCKS_TEXT "Pairs: the number of a bin of 0.001 LU from -70 LUFS on, and its count."
static const Special blocks = {
  write_all_blocks, read_all_blocks, (const Member[]) {
      {"momentary-blocks", INTEGERS,.flags = ALWAYS,.text = BLOCKS_TEXT},
      {"short-term-blocks", INTEGERS,.flags = ALWAYS,.text = BLOCKS_TEXT}, NO_MEMBER}
};

/* Of a ReportStreamSummary. */
static const Member loudness_members[] = {
  {"", RANGES, AT (ReportStreamSummary, loudness), 0, EACH,
      .infos = histo_loudness_figures,.n = HISTO_N_LOUDNESS_FIGURES},
  {"", SPECIAL,.special = &blocks},
  NO_MEMBER
};

static gboolean
has_loudness (const Walk * walk, gconstpointer owner)
{
  return ((const ReportStreamSummary *) owner)->loudness[HISTO_LOUDNESS_FIGURE_integrated].n > 0;
}

static const Shape loudness_shape = {
  .members = loudness_members,.is_there = has_loudness
};

/* @zones: flags; 0: nothing is written */
static void
write_zone_numbers (Walk * walk, guint32 zones)
{
  if (zones == 0)
    return;
  report_json_begin_array (walk->builder, "zones");
  for (guint i = 0; i < HISTO_N_ZONES; i++) {
    if ((zones >> i & 1) != 0)
      json_builder_add_int_value (walk->builder, i);
  }
  json_builder_end_array (walk->builder);
}

static gboolean
read_zone_numbers (Walk * walk, guint32 * zones)
{
  JsonArray *array = get_array (walk, "zones");

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++) {
    JsonNode *node = json_array_get_element (array, i);

    if (type_of (node) != G_TYPE_INT64 || json_node_get_int (node) < 0
        || json_node_get_int (node) >= HISTO_N_ZONES)
      return fail (walk, "zones", "holds something else than zones");
    *zones |= 1u << json_node_get_int (node);
  }
  return array != NULL;
}

/* ---- Alerts ------------------------------------------------------------------------------------- */

static const Member alert_members[] = {
  {"type", NAME, AT (ReportAlert, alert), NEEDED, NAMED (report_alert_names)},
  {"rule", TEXT, AT (ReportAlert, rule),.text = "Of the type rule: the id of the rule that is broken."},
  {"place", TEXT, AT (ReportAlert, place)},
  {"start", TIME, AT (ReportAlert, start)},
  {"end", TIME, AT (ReportAlert, end)},
  {"value", NUMBER, AT (ReportAlert, value)},
  {"value-time", TIME, AT (ReportAlert, value_time)},
  {"threshold", NUMBER, AT (ReportAlert, threshold)},
  {"input", TEXT, AT (ReportAlert, input)},
  NO_MEMBER
};

static gpointer
add_alert (gpointer owner)
{
  return report_stream_summary_add_alert (owner, 0, NULL);
}

static const Shape alert_shape = {
  .name = "alert",.members = alert_members,.add = add_alert
};

/* ---- Flashes, repeats and timestamps ------------------------------------------------------------ */

static void
write_state (Walk * walk, const gchar * key, guint state)
{
  report_json_add_text (walk->builder, key,
      choice_name (HISTO_GROUP_FIGURE_FLASH_state, state));
}

static void
write_flashes_zones (Walk * walk, gconstpointer owner)
{
  write_zone_numbers (walk, ((const ReportFlashes *) owner)->zones);
}

static gboolean
read_flashes_zones (Walk * walk, gpointer owner)
{
  return !json_object_has_member (walk->object, "zones") || read_zone_numbers (walk, &((ReportFlashes *) owner)->zones);
}

static const Special flashes_zones = {
  write_flashes_zones, read_flashes_zones, (const Member[]) {
      {"zones", INTEGERS,.text = "Numbers of the zones that have zones-state."}, NO_MEMBER}
};

static const Member flashes_members[] = {
  {"start", TIME, AT (ReportFlashes, start)},
  {"end", END, AT (ReportFlashes, end)},
  {"state", CHOICE, AT (ReportFlashes, state), NEEDED,.choice = HISTO_GROUP_FIGURE_FLASH_state},
  {"zones-state", CHOICE, AT (ReportFlashes, zones_state), NEEDED,.choice = HISTO_GROUP_FIGURE_FLASH_state},
  {"zones", SPECIAL,.special = &flashes_zones},
  {"transitions", COUNT, AT (ReportFlashes, transitions), NEEDED},
  {"red-transitions", COUNT, AT (ReportFlashes, red_transitions), NEEDED},
  {"input", TEXT, AT (ReportFlashes, input)},
  NO_MEMBER
};

static gpointer
add_flashes (gpointer owner)
{
  return report_stream_summary_add_flashes (owner);
}

static const Shape flashes_shape = {
  .members = flashes_members,.add = add_flashes
};

/* What follows from the figures, and what they do not tell of the zones. */
static void
write_flash (Walk * walk, gconstpointer owner)
{
  const ReportStreamSummary *stream = owner;
  guint picture, zones;

  if (!report_answers_flashes (stream, &picture, &zones))
    return;
  report_json_begin_object (walk->builder, "flash");
  write_state (walk, "picture", picture);
  write_state (walk, "zones", zones);
  write_choices (walk, "zone-frames", HISTO_GROUP_FIGURE_FLASH_state,
      stream->zone_states);
  json_builder_end_object (walk->builder);
}

static gboolean
read_flash (Walk * walk, gpointer owner)
{
  ReportStreamSummary *stream = owner;
  JsonObject *outer = enter (walk, "flash");
  gboolean ok;

  if (outer == NULL)
    return TRUE;
  ok = read_choices (walk, "zone-frames", HISTO_GROUP_FIGURE_FLASH_state,
      stream->zone_states);
  walk->object = outer;
  return ok;
}

static const Shape flash_shape = {
  .text = "The worst states, and how many frames have which state in their worst zone.",
  .members = (const Member[]) {
      {"picture", CHOICE,.flags = ALWAYS,.choice = HISTO_GROUP_FIGURE_FLASH_state},
      {"zones", CHOICE,.flags = ALWAYS,.choice = HISTO_GROUP_FIGURE_FLASH_state},
      {"zone-frames", CHOICES,.flags = ALWAYS,.choice = HISTO_GROUP_FIGURE_FLASH_state}, NO_MEMBER}
};

static const Special flash = {
  write_flash, read_flash, (const Member[]) {{"flash", OBJECT,.shape = &flash_shape}, NO_MEMBER}
};

static void
write_cadences (Walk * walk, gconstpointer owner)
{
  const ReportRepeats *repeats = owner;

  report_json_begin_array (walk->builder, "cadences");
  for (guint period = 1; period <= REPORT_MOST_PERIOD; period++) {
    for (guint unique = 0; unique <= period; unique++) {
      const guint64 n = repeats->cadences[period][unique];

      if (n == 0)
        continue;
      json_builder_begin_object (walk->builder);
      report_json_add_int (walk->builder, "period", period);
      report_json_add_int (walk->builder, "unique", unique);
      report_json_add_int (walk->builder, "frames", n);
      json_builder_end_object (walk->builder);
    }
  }
  json_builder_end_array (walk->builder);
}

static gboolean
read_cadence (Walk * walk, gpointer repeats)
{
  guint64 period, unique, n;

  if (!get_int (walk, "period", REPORT_MOST_PERIOD, &period)
      || !get_int (walk, "unique", period, &unique)
      || !get_int (walk, "frames", G_MAXINT64, &n))
    return FALSE;
  ((ReportRepeats *) repeats)->cadences[period][unique] = n;
  return TRUE;
}

static gpointer
same_owner (gpointer owner)
{
  return owner;
}

static const Shape cadence_shape = {
  .members = (const Member[]) {NO_MEMBER},.add = same_owner,.check = read_cadence
};

static gboolean
read_cadences (Walk * walk, gpointer owner)
{
  return read_objects (walk, &(const Member) {.name = "cadences",.shape = &cadence_shape}, owner);
}

static const Shape cadence_looks = {
  .members = (const Member[]) {
      {"period", COUNT,.flags = NEEDED}, {"unique", COUNT,.flags = NEEDED}, {"frames", COUNT,.flags = NEEDED}, NO_MEMBER}
};

static const Special cadences = {
  write_cadences, read_cadences, (const Member[]) {
      {"cadences", LIST,.flags = NEEDED,.shape = &cadence_looks}, NO_MEMBER}
};

static const Member repeats_members[] = {
  {"longest-run", COUNT, AT (ReportRepeats, longest), NEEDED, GREATEST},
  {"longest-run-start", TIME, AT (ReportRepeats, longest_start)},
  {"cadences", SPECIAL,.special = &cadences},
  NO_MEMBER
};

static gboolean
has_repeats (const Walk * walk, gconstpointer owner)
{
  const ReportRegion *picture = report_first_region (((const ReportStreamSummary *) owner)->regions);

  return picture != NULL && picture->figures[HISTO_GROUP_FIGURE_MOTION_repeat].n > 0;
}

static const Shape repeats_shape = {
  .text = "Frames that equal the one before.",
  .members = repeats_members,.is_there = has_repeats
};

static const Member time_place_members[] = {
  {"type", NAME, AT (ReportTimePlace, fault), NEEDED, NAMED (report_time_fault_names)},
  {"start", TIME, AT (ReportTimePlace, start), NEEDED},
  {"end", TIME, AT (ReportTimePlace, end)},
  {"count", COUNT, AT (ReportTimePlace, count), NOT_ZERO},
  {"input", TEXT, AT (ReportTimePlace, input)},
  NO_MEMBER
};

static gpointer
add_time_place (gpointer owner)
{
  return report_stream_summary_add_time_place (owner);
}

static const Shape time_place_shape = {
  .members = time_place_members,.add = add_time_place
};

#define TIME_FAULT(name, fault, what) \
  {name, COUNT, AT (ReportStreamSummary, timestamps.n[fault]), NEEDED, SUM, what}
/* Of a ReportStreamSummary. */
static const Member timestamps_members[] = {
  {"buffers", COUNT, AT (ReportStreamSummary, timestamps.n_buffers), NEEDED,
      SUM, "buffers"},
  TIME_FAULT ("gaps", REPORT_GAP, "gaps"),
  {"gap-length", COUNT, AT (ReportStreamSummary, timestamps.gap_length),
      NEEDED, SUM, "gaps"},
  TIME_FAULT ("overlaps", REPORT_OVERLAP, "overlaps"),
  TIME_FAULT ("jumps-back", REPORT_JUMP_BACK, "jumps"),
  {"shifted", COUNT, AT (ReportStreamSummary, timestamps.n_shifted), NOT_ZERO,
      SUM, "shifted times"},
  {"distances", RANGE, AT (ReportStreamSummary, timestamps.distances), 0, EACH},
  {"missing", COUNT, AT (ReportStreamSummary, timestamps.n_untimed), NEEDED,
      SUM, "buffers"},
  {"places", OBJECTS, AT (ReportStreamSummary, timestamps.places), NEEDED,.shape = &time_place_shape},
  NO_MEMBER
};

static gboolean
has_timestamps (const Walk * walk, gconstpointer owner)
{
  return ((const ReportStreamSummary *) owner)->timestamps.n_buffers > 0;
}

static const Shape timestamps_shape = {
  .text = "How timestamps follow each other.",
  .members = timestamps_members,
  .is_there = has_timestamps
};

/* What the tables of members do not add up. @input: the name of the input */
static gboolean
merge_answers (ReportStreamSummary * all, const ReportStreamSummary * summary,
    const gchar * input, GError ** error)
{
  for (guint i = 0; i < summary->flashes->len; i++) {
    const ReportFlashes *flashes = summary->flashes->pdata[i];
    ReportFlashes *added = report_stream_summary_add_flashes (all);

    *added = *flashes;
    added->input = g_strdup (flashes->input != NULL ? flashes->input : input);
  }
  for (guint i = 0; i < summary->timestamps.places->len; i++) {
    const ReportTimePlace *place = summary->timestamps.places->pdata[i];
    ReportTimePlace *added = report_stream_summary_add_time_place (all);

    *added = *place;
    added->input = g_strdup (place->input != NULL ? place->input : input);
  }
  for (guint i = 0; i < summary->sound_spans.spans->len; i++) {
    const ReportSoundSpan *span = summary->sound_spans.spans->pdata[i];
    ReportSoundSpan *added = report_sound_spans_add (&all->sound_spans);

    *added = *span;
    added->first = g_strdup (span->first);
    added->second = g_strdup (span->second);
    added->input = g_strdup (span->input != NULL ? span->input : input);
  }
  return merge_members (timestamps_members, all, summary, FALSE, error)
      && merge_counts (all->zone_states, summary->zone_states,
      REPORT_N_FLASH_STATES, error)
      && merge_counts (&all->repeats.cadences[0][0],
      &summary->repeats.cadences[0][0],
      sizeof all->repeats.cadences / sizeof (guint64), error);
}

/* What no alert tells, and alerts that were watched and could not be checked. Each is absent if there is none. */
static void
write_hints (Walk * walk, gconstpointer owner)
{
  const ReportSummary *summary = walk->summary;
  g_autoptr (GPtrArray) hints = report_summary_hints (summary, owner);
  const guint loudness = HISTO_ALERT_FLAG (HISTO_ALERT_LOUDNESS);

  if (hints->len > 0)
    write_texts (walk, "hints", (const gchar * const *) hints->pdata,
        hints->len);
  if (walk->is_audio && (summary->alerts & loudness) != 0
      && !report_alerts_can_check (summary, owner, HISTO_ALERT_LOUDNESS))
    report_json_add_flags (walk->builder, "unchecked-alerts", loudness,
        report_alert_names, HISTO_N_ALERTS);
}

static const Special hints = {
  write_hints, NULL, (const Member[]) {
      {"hints", TEXTS,.text = "What figures show that no alert reports."},
      {"unchecked-alerts", FLAGS,.names = report_alert_names,.n = HISTO_N_ALERTS,
            .text = "Alerts that were watched and could not be checked."}, NO_MEMBER}
};

/* ---- Metadata of HDR ---------------------------------------------------------------------------- */

static const Member carried_members[] = {
  {"max-cll", COUNT, AT (ReportCarried, max_cll), NOT_ZERO},
  {"max-fall", COUNT, AT (ReportCarried, max_fall), NOT_ZERO},
  {"mastering-max", NUMBER, AT (ReportCarried, mastering_max), NOT_ZERO},
  {"mastering-min", NUMBER, AT (ReportCarried, mastering_min), NOT_ZERO},
  {"red-x", NUMBER, AT (ReportCarried, primaries[0]), NOT_ZERO},
  {"red-y", NUMBER, AT (ReportCarried, primaries[1]), NOT_ZERO},
  {"green-x", NUMBER, AT (ReportCarried, primaries[2]), NOT_ZERO},
  {"green-y", NUMBER, AT (ReportCarried, primaries[3]), NOT_ZERO},
  {"blue-x", NUMBER, AT (ReportCarried, primaries[4]), NOT_ZERO},
  {"blue-y", NUMBER, AT (ReportCarried, primaries[5]), NOT_ZERO},
  {"white-x", NUMBER, AT (ReportCarried, white[0]), NOT_ZERO},
  {"white-y", NUMBER, AT (ReportCarried, white[1]), NOT_ZERO},
  {"changes", COUNT, AT (ReportCarried, changes), NOT_ZERO,
      .text = "How often it changes. The others are what it says first."},
  NO_MEMBER
};

static gboolean
is_carried (const ReportCarried * carried)
{
  return carried->max_cll > 0 || carried->max_fall > 0
      || carried->mastering_max > 0 || carried->changes > 0;
}

static const Shape carried_shape = {
  .text = "By the caps; what is unknown is absent. The colours are those of the mastering display.",
  .members = carried_members
};

static const gchar *const transfer_names[] = { "hlg", "pq" };

/* A difference to a number that is not carried is absent. */
static void
write_light (Walk * walk, const ReportHdr * hdr)
{
  JsonBuilder *builder = walk->builder;

  report_json_add_text (builder, "transfer", transfer_names[hdr->is_pq]);
  report_json_begin_object (builder, "measured");
  report_json_add_double (builder, "max-cll", hdr->max_cll);
  report_json_add_double (builder, "max-cll-p9999", hdr->p9999);
  report_json_add_double (builder, "max-fall", hdr->max_fall);
  if (!hdr->is_pq)
    report_json_add_int (builder, "display", HISTO_HLG_WHITE);
  json_builder_end_object (builder);
  if (!hdr->is_pq)
    return;
  /* What the stream should say. */
  report_json_begin_object (builder, "right");
  report_json_add_int (builder, "max-cll", report_hdr_round_up (hdr->max_cll));
  report_json_add_int (builder, "max-fall", report_hdr_round_up (hdr->max_fall));
  json_builder_end_object (builder);
  if (hdr->carried->changes > 0
      || (hdr->carried->max_cll == 0 && hdr->carried->max_fall == 0))
    return;
  report_json_begin_object (builder, "difference");
  if (hdr->carried->max_cll > 0)
    report_json_add_double (builder, "max-cll",
        hdr->max_cll - (gdouble) hdr->carried->max_cll);
  if (hdr->carried->max_fall > 0)
    report_json_add_double (builder, "max-fall",
        hdr->max_fall - (gdouble) hdr->carried->max_fall);
  json_builder_end_object (builder);
}

/* What a stream says, and beside it what was measured. Not of several inputs. */
static void
write_hdr (Walk * walk, gconstpointer owner)
{
  const ReportStreamSummary *stream = owner;
  const ReportCarried *carried = &stream->stream->carried;
  ReportHdr hdr;
  const gboolean has_light = report_hdr_find (stream, &hdr);

  if (stream->is_merged || !(has_light || is_carried (carried)))
    return;
  report_json_begin_object (walk->builder, "hdr-metadata");
  if (is_carried (carried)) {
    json_builder_set_member_name (walk->builder, "carried");
    write_object (walk, carried_members, carried);
  }
  if (has_light)
    write_light (walk, &hdr);
  json_builder_end_object (walk->builder);
}

static gboolean
read_hdr (Walk * walk, gpointer owner)
{
  ReportStreamSummary *stream = owner;
  JsonObject *outer = enter (walk, "hdr-metadata"), *middle;
  gboolean ok = TRUE;

  if (outer == NULL)
    return TRUE;
  middle = enter (walk, "carried");
  if (middle != NULL)
    ok = read_members (walk, carried_members, &stream->stream->carried);
  walk->object = outer;
  return ok;
}

#define HDR_PART(text_of, ...) .text = text_of,.members = (const Member[]) {__VA_ARGS__, NO_MEMBER}
static const Shape measured_shape = { HDR_PART ("Of HLG for a display of so many cd/m².",
  {"max-cll", NUMBER,.flags = ALWAYS}, {"max-cll-p9999", NUMBER,.flags = ALWAYS},
  {"max-fall", NUMBER,.flags = ALWAYS}, {.name = "display",.type = COUNT})
};
static const Shape right_shape = { HDR_PART ("Of PQ: what the stream should say.",
  {"max-cll", COUNT,.flags = ALWAYS}, {"max-fall", COUNT,.flags = ALWAYS})
};
static const Shape difference_shape = { HDR_PART ("Of PQ: measured less carried.",
  {.name = "max-cll",.type = NUMBER}, {.name = "max-fall",.type = NUMBER})
};
static const Shape hdr_shape = { HDR_PART ("What an HDR stream says of its light, beside what was measured. In cd/m².",
  {"carried", OBJECT,.shape = &carried_shape}, {"transfer", NAME, NAMED (transfer_names)},
  {"measured", OBJECT,.shape = &measured_shape}, {"right", OBJECT,.shape = &right_shape},
  {"difference", OBJECT,.shape = &difference_shape})
};
static const Special hdr_metadata = {
  write_hdr, read_hdr, (const Member[]) {{"hdr-metadata", OBJECT,.shape = &hdr_shape}, NO_MEMBER}
};

/* ---- Streams ------------------------------------------------------------------------------------ */

static void
write_delays (Walk * walk, gconstpointer owner)
{
  report_json_add_time (walk->builder, "delay",
      report_summary_delay (walk->summary, owner, NULL));
  report_json_add_time (walk->builder, "early-end",
      report_summary_early_end (walk->summary, owner, NULL));
}

static const Special delays = {
  write_delays, NULL, (const Member[]) {{.name = "delay",.type = TIME}, {.name = "early-end",.type = TIME}, NO_MEMBER}
};

static void
write_measured_order (Walk * walk, gconstpointer owner)
{
  report_json_add_text (walk->builder, "measured-field-order",
      report_answers_field_order (owner));
}

static const gchar *const measured_orders[] = {
  "progressive", "top-field-first", "bottom-field-first", "telecine", "undetermined"
};

static const Special measured_order = {
  write_measured_order, NULL, (const Member[]) {
      {"measured-field-order", TEXT, NAMED (measured_orders)}, NO_MEMBER}
};

static const Member sound_span_members[] = {
  {"state", NAME, AT (ReportSoundSpan, state), NEEDED,
      NAMED (report_sound_state_names)},
  {"first", TEXT, AT (ReportSoundSpan, first), NEEDED},
  {"second", TEXT, AT (ReportSoundSpan, second)},
  {"start", TIME, AT (ReportSoundSpan, start), NEEDED},
  {"end", END, AT (ReportSoundSpan, end), NEEDED},
  {"input", TEXT, AT (ReportSoundSpan, input)},
  NO_MEMBER
};

static gpointer
add_sound_span (gpointer owner)
{
  return report_sound_spans_add (&((ReportStreamSummary *) owner)->sound_spans);
}

static const Shape sound_span_shape = {
  .members = sound_span_members,.add = add_sound_span
};

static void
write_headline (Walk * walk, gconstpointer owner)
{
  gchar *headline = report_answer_sound (owner);

  report_json_add_text (walk->builder, "headline", headline);
  g_free (headline);
}

static const Special headline = {
  write_headline, NULL, (const Member[]) {
      {"headline", TEXT,.text = "Channels that are silent throughout, and inverted pairs, in words."}, NO_MEMBER}
};

static const gchar *const field_orders[] = {
  "progressive", "top-field-first", "bottom-field-first", "mixed", REPORT_ALTERNATE
};

const gchar *const report_backend_names[2] = { "cpu", "cuda" };

static const Member stream_members[] = {
  {"", INLINE, AT (ReportStreamSummary, stream),.shape = &description_shape},
  {"groups", FLAGS, AT (ReportStreamSummary, groups), NEEDED, ANY,
      NAMED (report_group_names)},
  {"results", COUNT, AT (ReportStreamSummary, n_results), NEEDED, SUM,
      "results"},
  {"samples", COUNT, AT (ReportStreamSummary, n_samples), OF_AUDIO, SUM,
      "samples"},
  {"mean-frame-rate", NUMBER, AT (ReportStreamSummary, mean_frame_rate),
      NOT_ZERO},
  {"field-order", TEXT, AT (ReportStreamSummary, field_order), 0, SAME, NAMED (field_orders)},
  {"measured-field-order", SPECIAL, 0, OF_VIDEO,.special = &measured_order},
  {"hdr-metadata", SPECIAL, 0, OF_VIDEO,.special = &hdr_metadata},
  {"timecode", TEXT, AT (ReportStreamSummary, timecode),.text = "Of the first frame."},
  {"bit-rate", NUMBER, AT (ReportStreamSummary, bit_rate), NOT_ZERO},
  {"correlation", NUMBER, AT (ReportStreamSummary, correlation),.text = "Of stereo."},
  {"start", TIME, AT (ReportStreamSummary, start)},
  {"end", END, AT (ReportStreamSummary, end)},
  {"delay", SPECIAL,.special = &delays},
  {"backend", TEXT, AT (ReportStreamSummary, backend), 0, LATEST, NAMED (report_backend_names)},
  {"regions", OBJECTS, AT (ReportStreamSummary, regions), WRITTEN | ALWAYS,.shape = &region_shape},
  {"channels", SPECIAL, 0, OF_AUDIO,.special = &channels_of_stream},
  {"pairs", OBJECTS, AT (ReportStreamSummary, pairs), WRITTEN | OF_AUDIO,.n = 1,
      .shape = &pair_shape},
  {"sound-spans", OBJECTS, AT (ReportStreamSummary, sound_spans.spans),
      OF_AUDIO,.n = 1,.shape = &sound_span_shape},
  {"headline", SPECIAL, 0, OF_AUDIO,.special = &headline},
  {"loudness", OBJECT, 0, OF_AUDIO,.shape = &loudness_shape},
  {"parts", OBJECTS, AT (ReportStreamSummary, parts),.n = 2,
      .shape = &part_shape,.text = "Only of a stream that changes."},
  {"alerts", OBJECTS, AT (ReportStreamSummary, alerts), NEEDED,.shape = &alert_shape},
  {"scenes-in-flashes", COUNT, AT (ReportStreamSummary, n_scenes_in_flashes),
      NOT_ZERO | OF_VIDEO, SUM, "scene changes",
      .text = "Scene changes that are left out of the alerts."},
  {"flash", SPECIAL, 0, OF_VIDEO,.special = &flash},
  {"flashes", OBJECTS, AT (ReportStreamSummary, flashes), OF_VIDEO,.n = 1,
      .shape = &flashes_shape,.text = "Where the state is not pass."},
  {"repeats", OBJECT, AT (ReportStreamSummary, repeats), OF_VIDEO, INSIDE,
      .shape = &repeats_shape},
  {"timestamps", OBJECT, 0,.shape = &timestamps_shape},
  {"hints", SPECIAL,.special = &hints},
  NO_MEMBER
};

static gpointer
add_stream (gpointer owner)
{
  const ReportStream unknown = { 0 };

  return report_summary_add_stream (owner, &unknown);
}

static const Shape stream_shape = {
  .name = "stream",.members = stream_members,
  .add = add_stream,.check = check_parts,.most = REPORT_MOST_STREAMS
};

static gboolean
merge_stream (ReportStreamSummary * all, const ReportStreamSummary * summary,
    const gchar * input, GError ** error)
{
  all->is_merged = TRUE;
  if (!merge_members (stream_members, all, summary, all->n_results == 0, error))
    return FALSE;
  /* The times of several inputs: from 0 on, one after the other. */
  if (GST_CLOCK_TIME_IS_VALID (summary->start)) {
    if (!GST_CLOCK_TIME_IS_VALID (all->start))
      all->start = all->end = 0;
    if (!add_sum (&all->end, summary->end - summary->start, "lengths", error))
      return FALSE;
  }
  for (guint i = 0; i < summary->alerts->len; i++) {
    const ReportAlert *alert = summary->alerts->pdata[i];
    ReportAlert *added = report_stream_summary_add_alert (all, alert->alert,
        alert->place);

    added->rule = g_strdup (alert->rule);
    added->start = alert->start;
    added->end = alert->end;
    added->value = alert->value;
    added->threshold = alert->threshold;
    added->input = g_strdup (alert->input != NULL ? alert->input : input);
  }
  if (!merge_answers (all, summary, input, error)
      || !merge_parts (all, summary, error))
    return FALSE;
  if (summary->momentary == NULL)
    return TRUE;
  report_stream_summary_need_blocks (all);
  return merge_members (loudness_members, all, summary, FALSE, error)
      && merge_blocks (all->momentary, summary->momentary, error)
      && merge_blocks (all->short_term, summary->short_term, error);
}

/* ---- Summaries ---------------------------------------------------------------------------------- */

static void
write_problem_type (Walk * walk, gconstpointer owner)
{
  report_json_add_text (walk->builder, "type",
      ((const ReportProblem *) owner)->type);
}

static gboolean
read_problem_type (Walk * walk, gpointer owner)
{
  ((ReportProblem *) owner)->type =
      report_problem_find_type (get_text (walk, "type"));
  return TRUE;
}

static const Special problem_type = {
  write_problem_type, read_problem_type, (const Member[]) {
      {"type", TEXT,.flags = ALWAYS,.names = report_problem_types,.n = REPORT_N_PROBLEM_TYPES}, NO_MEMBER}
};

static const Member problem_members[] = {
  {"type", SPECIAL,.special = &problem_type},
  {"stream", INT, AT (ReportProblem, stream)},
  {"start", TIME, AT (ReportProblem, start)},
  {"end", TIME, AT (ReportProblem, end)},
  {"count", COUNT, AT (ReportProblem, count), NOT_ZERO},
  {"text", TEXT, AT (ReportProblem, text), NEEDED},
  NO_MEMBER
};

static gpointer
add_problem (gpointer owner)
{
  GPtrArray *problems = ((ReportSummary *) owner)->problems;
  const ReportProblem unknown = { REPORT_PROBLEM_OTHER, -1,
    GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, 0, NULL
  };

  report_problems_add (problems, &unknown);
  return problems->pdata[problems->len - 1];
}

static const Shape problem_shape = {
  .name = "problem",
  .text = "Something that is wrong with the input. Times count from the stream's first timestamp.",
  .members = problem_members,
  .add = add_problem
};

/* A summary of an earlier version has only the text of the first one. */
static gboolean
check_problems (Walk * walk, gpointer owner)
{
  ReportSummary *summary = owner;

  if (!json_object_has_member (walk->object, "problems")
      && summary->problem != NULL)
    ((ReportProblem *) add_problem (summary))->text =
        g_strdup (summary->problem);
  set_text (&summary->problem, summary->problems->len > 0 ?
      ((ReportProblem *) summary->problems->pdata[0])->text : NULL);
  return TRUE;
}

/* ---- Policies ----------------------------------------------------------------------------------- */

static const Member breach_members[] = {
  {"start", TIME, AT (ReportBreach, start)},
  {"end", END, AT (ReportBreach, end)},
  {"worst", NUMBER, AT (ReportBreach, worst)},
  {"worst-word", TEXT, AT (ReportBreach, word)},
  {"worst-time", TIME, AT (ReportBreach, worst_time)},
  {"input", TEXT, AT (ReportBreach, input)},
  NO_MEMBER
};

static gpointer
add_breach (gpointer owner)
{
  return report_breaches_add (((ReportFinding *) owner)->breaches);
}

static const Shape breach_shape = {
  .members = breach_members,.add = add_breach
};

/* The numbers of the zones that have the verdict of the finding. */
static void
write_zones (Walk * walk, gconstpointer owner)
{
  const ReportFinding *finding = owner;

  write_zone_numbers (walk, finding->zones);
  if (finding->zones != 0)
    report_json_add_int (walk->builder, "worst-zone", finding->worst_zone);
}

static gboolean
read_zones (Walk * walk, gpointer owner)
{
  ReportFinding *finding = owner;
  guint64 worst;

  if (!json_object_has_member (walk->object, "zones"))
    return TRUE;
  if (!read_zone_numbers (walk, &finding->zones)
      || !get_int (walk, "worst-zone", HISTO_N_ZONES - 1, &worst))
    return FALSE;
  finding->worst_zone = worst;
  return TRUE;
}

static const Special zones = {
  write_zones, read_zones, (const Member[]) {
      {.name = "zones",.type = INTEGERS}, {.name = "worst-zone",.type = COUNT}, NO_MEMBER}
};

static const Member finding_members[] = {
  {"stream", INT, AT (ReportFinding, stream)},
  {"title", TEXT, AT (ReportFinding, title)},
  {"media", NAME, AT (ReportFinding, is_audio), NEEDED, NAMED (media_names)},
  {"place", TEXT, AT (ReportFinding, place)},
  {"zones", SPECIAL,.special = &zones},
  {"verdict", NAME, AT (ReportFinding, verdict), NEEDED, NAMED (report_verdict_names)},
  {"checked", COUNT, AT (ReportFinding, n_checked), NEEDED},
  {"skipped", COUNT, AT (ReportFinding, n_skipped), NEEDED},
  {"broken", COUNT, AT (ReportFinding, n_broken), NEEDED},
  {"broken-time", TIME, AT (ReportFinding, broken_time), NEEDED},
  {"longest", TIME, AT (ReportFinding, longest), NEEDED},
  {"worst", NUMBER, AT (ReportFinding, worst)},
  {"worst-word", TEXT, AT (ReportFinding, word)},
  {"worst-time", TIME, AT (ReportFinding, worst_time)},
  {"limit", NUMBER, AT (ReportFinding, limit)},
  {"breaches", COUNT, AT (ReportFinding, n_breaches), NEEDED},
  {"spans", OBJECTS, AT (ReportFinding, breaches),.n = 1,.shape = &breach_shape},
  NO_MEMBER
};

static gpointer
add_finding (gpointer owner)
{
  return report_findings_add (((ReportRuleResult *) owner)->findings);
}

static const Shape finding_shape = {
  .name = "finding",
  .text = "What a rule has found at a place of a stream. Times count from the start of the stream.",
  .members = finding_members,
  .add = add_finding,.most = MOST_SEARCHED
};

/* Earlier versions have a finding for each zone. */
static gboolean
join_zones (Walk * walk, gpointer owner)
{
  report_rule_result_join_zones (owner);
  return TRUE;
}

static const Member rule_members[] = {
  {"id", TEXT, AT (ReportRuleResult, id), NEEDED},
  {"rule", TEXT, AT (ReportRuleResult, text), NEEDED},
  {"warn", BOOLEAN, AT (ReportRuleResult, is_warning), ALWAYS},
  {"of", NAME, AT (ReportRuleResult, scope), NEEDED, NAMED (report_scope_names)},
  {"verdict", NAME, AT (ReportRuleResult, verdict), NEEDED,
      NAMED (report_verdict_names)},
  {"why", TEXT, AT (ReportRuleResult, why)},
  {"unit", TEXT, AT (ReportRuleResult, unit)},
  {"findings", OBJECTS, AT (ReportRuleResult, findings), NEEDED,.shape = &finding_shape},
  NO_MEMBER
};

static gpointer
add_rule (gpointer owner)
{
  return report_policy_result_add_rule (owner);
}

static const Shape rule_shape = {
  .name = "rule",
  .text = "The verdict of a rule.",
  .members = rule_members,
  .add = add_rule,.check = join_zones,.most = MOST_SEARCHED
};

#define VERDICT_COUNT(name, verdict) \
  {name, COUNT, AT (ReportPolicyResult, inputs[verdict]), NEEDED}
/* Of a ReportPolicyResult. */
static const Member inputs_members[] = {
  VERDICT_COUNT ("FAIL", HISTO_RULE_FAILED),
  VERDICT_COUNT ("WARN", HISTO_RULE_WARNED),
  VERDICT_COUNT ("PASS", HISTO_RULE_PASSED),
  VERDICT_COUNT ("SKIPPED", HISTO_RULE_SKIPPED),
  NO_MEMBER
};

static const Shape inputs_shape = {
  .text = "The number of inputs with each verdict.",
  .members = inputs_members
};

static const Member policy_members[] = {
  {"policy", TEXT, AT (ReportPolicyResult, name), NEEDED},
  {"title", TEXT, AT (ReportPolicyResult, title)},
  {"source", TEXT, AT (ReportPolicyResult, source)},
  {"notes", TEXTS, AT (ReportPolicyResult, notes),.n = 1},
  {"verdict", NAME, AT (ReportPolicyResult, verdict), NEEDED,
      NAMED (report_verdict_names)},
  {"inputs", OBJECT, 0, ALWAYS,.shape = &inputs_shape},
  {"rules", OBJECTS, AT (ReportPolicyResult, rules), NEEDED,.shape = &rule_shape},
  NO_MEMBER
};

static gpointer
add_policy (gpointer owner)
{
  return report_policy_results_add (((ReportSummary *) owner)->policies);
}

static const Shape policy_shape = {
  .name = "policy",
  .text = "The verdicts of an input by a policy, or of merged inputs.",
  .members = policy_members,
  .add = add_policy,.most = MOST_SEARCHED
};

/* The worst one of all policies. */
static void
write_verdict (Walk * walk, gconstpointer owner)
{
  const GPtrArray *policies = ((const ReportSummary *) owner)->policies;

  if (policies->len > 0)
    report_json_add_text (walk->builder, "verdict",
        report_verdict_names[report_policy_results_verdict (policies)]);
}

static const Special verdict = {
  write_verdict, NULL, (const Member[]) {{"verdict", TEXT, NAMED (report_verdict_names)}, NO_MEMBER}
};

/* ---- Notices ------------------------------------------------------------------------------------ */

static const Member notice_span_members[] = {
  {"start", TIME, AT (ReportNoticeSpan, start), NEEDED},
  {"end", END, AT (ReportNoticeSpan, end)},
  {"input", TEXT, AT (ReportNoticeSpan, input)},
  NO_MEMBER
};

static const Shape notice_span_shape = {
  .members = notice_span_members
};

static void
write_notice_zones (Walk * walk, gconstpointer owner)
{
  write_zone_numbers (walk, ((const ReportNotice *) owner)->zones);
}

static const Special notice_zones = {
  write_notice_zones, NULL, (const Member[]) {
      {"zones", INTEGERS,.text = "Numbers of the zones of the picture."}, NO_MEMBER}
};

static const Member notice_members[] = {
  {"kind", NAME, AT (ReportNotice, kind), NEEDED, NAMED (report_notice_kind_names)},
  {"severity", NAME, AT (ReportNotice, severity), NEEDED, NAMED (report_severity_names)},
  {"text", TEXT, AT (ReportNotice, text), NEEDED},
  {"stream", INT, AT (ReportNotice, stream)},
  {"region", TEXT, AT (ReportNotice, region)},
  {"zones", SPECIAL,.special = &notice_zones},
  {"spans", OBJECTS, AT (ReportNotice, spans), WRITTEN,.n = 1,.shape = &notice_span_shape},
  {"value", NUMBER, AT (ReportNotice, value)},
  {"limit", NUMBER, AT (ReportNotice, limit)},
  {"unit", TEXT, AT (ReportNotice, unit)},
  {"value-time", TIME, AT (ReportNotice, value_time)},
  NO_MEMBER
};

static const Shape notice_shape = {
  .name = "notice",
  .text = "What a person acts on. Times count from the start of the stream.",
  .members = notice_members
};

/* ---- The summary -------------------------------------------------------------------------------- */

static const Member summary_members[] = {
  {"input", TEXT, AT (ReportSummary, name), ALWAYS},
  {"uri", TEXT, AT (ReportSummary, uri)},
  {"input-size", SIZE, AT (ReportSummary, input_size),.text = "In bytes."},
  {"input-mtime", SIZE, AT (ReportSummary, input_mtime),.text = "In ns since 1970: when the file was changed."},
  {"inputs", COUNT, AT (ReportSummary, n_inputs), NEEDED, SUM, "inputs"},
  {"complete", BOOLEAN, AT (ReportSummary, is_complete), ALWAYS, ALL},
  {"problem", TEXT, AT (ReportSummary, problem)},
  {"problems", OBJECTS, AT (ReportSummary, problems),.n = 1,.shape = &problem_shape},
  {"verdict", SPECIAL,.special = &verdict},
  {"policies", OBJECTS, AT (ReportSummary, policies),.n = 1,.shape = &policy_shape},
  {"settings", TEXT, AT (ReportSummary, settings), 0, SAME},
  {"watched-alerts", FLAGS, AT (ReportSummary, alerts), NEEDED, ANY,
      .names = report_alert_names,.n = HISTO_N_ALERTS},
  {"duration", TIME, AT (ReportSummary, duration), 0, SUM, "lengths"},
  {"seconds", NUMBER, AT (ReportSummary, seconds), 0, SUM},
  {"streams", OBJECTS, AT (ReportSummary, streams), NEEDED,.shape = &stream_shape},
  {"notices", OBJECTS, AT (ReportSummary, notices), WRITTEN | ALWAYS,.shape = &notice_shape,
      .text = "What a person acts on, the worst first."},
  NO_MEMBER
};

const ReportShape report_summary_shape = {
  .name = "summary",
  .text = "The summary of an input, or of several that were merged.",
  .members = summary_members,.check = check_problems
};

/**
 * report_json_add_summary:
 * @builder: in an object
 * @summary: finished
 * @is_page: histograms have at most 1024 bins, each the sum of its neighbours, and lists (alerts) the first
 *   5000 elements: a page stays small
 */
void
report_json_add_summary (JsonBuilder * builder, const ReportSummary * summary,
    gboolean is_page)
{
  Walk walk = {.builder = builder,.summary = summary,.is_page = is_page };

  report_json_add_text (builder, "type", "summary");
  report_json_add_int (builder, "version", REPORT_JSON_VERSION);
  write_members (&walk, summary_members, summary);
}

/* In version 1 alerts have stream times of the container, but those of merged summaries. */
static void
correct_alerts (ReportSummary * summary)
{
  for (guint i = 0; i < summary->streams->len; i++) {
    ReportStreamSummary *stream = summary->streams->pdata[i];

    if (!GST_CLOCK_TIME_IS_VALID (stream->start))
      continue;
    for (guint a = 0; a < stream->alerts->len; a++) {
      ReportAlert *alert = stream->alerts->pdata[a];

      alert->start = report_stream_summary_count (stream, alert->start);
      alert->end = report_stream_summary_count (stream, alert->end);
    }
  }
}

/**
 * report_json_read_summary:
 * @object: of type "summary"
 *
 * Returns: (transfer full) (nullable): finished; NULL with a %G_IO_ERROR if it is no summary
 */
ReportSummary *
report_json_read_summary (JsonObject * object, GError ** error)
{
  ReportSummary *summary = report_summary_new (NULL);
  Walk walk = {.object = object,.error = error };
  gboolean ok = get_int (&walk, "version", G_MAXINT, &walk.version);

  if (ok && json_object_has_member (object, "images"))
    ok = fail (&walk, "images", "is of a set of images, and sets are not added up");
  if (ok && (walk.version < 1 || walk.version > REPORT_JSON_VERSION))
    ok = fail (&walk, "version", "is another one");
  if (!ok || !read_shape (&walk, &report_summary_shape, summary)) {
    report_summary_free (summary);
    return NULL;
  }
  if (summary->name == NULL)
    summary->name = g_strdup ("?");
  if (walk.version == 1 && summary->n_inputs == 1)
    correct_alerts (summary);
  for (guint i = 0; i < summary->streams->len; i++)
    ((ReportStreamSummary *) summary->streams->pdata[i])->is_merged =
        summary->n_inputs != 1;
  report_summary_finish (summary);
  return summary;
}

/* Streams are matched by their place among the streams of their medium: the first video of an input with the first
 * video of the others.
 *
 * Returns: the summary of the stream with this place */
static ReportStreamSummary *
find_stream (ReportSummary * all, const ReportStreamSummary * summary,
    guint place)
{
  guint before = 0;

  for (guint i = 0; i < all->streams->len; i++) {
    ReportStreamSummary *found = all->streams->pdata[i];

    if (found->stream->is_audio == summary->stream->is_audio
        && before++ == place)
      return found;
  }
  return report_summary_add_stream (all, summary->stream);
}

typedef struct
{
  ReportSummary *all;
  const ReportSummary *summary; /* that is merged */
} Merging;

/* Returns: the index in the sum of a stream of the summary */
static gint
map_stream (gpointer data, gint index, const gchar ** title)
{
  const Merging *merging = data;
  guint n_of_medium[2] = { 0, 0 };

  for (guint i = 0; i < merging->summary->streams->len; i++) {
    const ReportStreamSummary *stream = merging->summary->streams->pdata[i];
    const guint place = n_of_medium[stream->stream->is_audio ? 1 : 0]++;

    if (stream->stream->index == (guint) index) {
      const ReportStreamSummary *found =
          find_stream (merging->all, stream, place);

      *title = found->stream->title;
      return (gint) found->stream->index;
    }
  }
  return index;
}

/**
 * report_summary_merge:
 * @all: (inout): from report_summary_new(), and its earlier calls; to be finished at the end
 * @summary: of an input, finished; or of merged inputs
 *
 * Returns: FALSE with a %G_IO_ERROR if a sum is too large; then @all is of no use any more
 */
gboolean
report_summary_merge (ReportSummary * all, const ReportSummary * summary,
    GError ** error)
{
  const gboolean is_first = !all->is_sum;
  guint n_of_medium[2] = { 0, 0 };

  if (is_first) {
    all->is_sum = all->is_complete = TRUE;
    all->n_inputs = all->duration = 0;
  }
  if (!merge_members (summary_members, all, summary, is_first, error))
    return FALSE;
  for (guint i = 0; i < summary->problems->len; i++) {
    ReportProblem problem = *(ReportProblem *) summary->problems->pdata[i];

    problem.text = g_strdup_printf ("%s: %s", summary->name, problem.text);
    report_summary_add_problem (all, &problem);
    g_free (problem.text);
  }
  for (guint i = 0; i < summary->streams->len; i++) {
    const ReportStreamSummary *stream = summary->streams->pdata[i];
    const guint place = n_of_medium[stream->stream->is_audio ? 1 : 0]++;

    if (!merge_stream (find_stream (all, stream, place), stream,
            summary->name, error))
      return FALSE;
  }
  report_policy_results_merge (all->policies, summary->policies, summary->name,
      summary->is_complete, map_stream, &(Merging) {all, summary});
  return TRUE;
}

/* ---- All parts of a stream together ------------------------------------------------------------- */

/* Whether all components of the samples themselves in @a are in @b, with the same bins. */
static gboolean
has_components (const ReportRegion * b, const ReportRegion * a)
{
  for (guint i = 0; i < a->components->len; i++) {
    const ReportComponent *component = a->components->pdata[i];

    if (component->group == HISTO_GROUP_BASIC
        && report_region_find_bins (b, component->name, component->group,
            &component->figures, i) == NULL)
      return FALSE;
  }
  return TRUE;
}

/* @has_channels: (out): all parts have the same number of them */
static Common
find_common (const ReportStreamSummary * summary, gboolean * has_channels)
{
  const ReportPart *first = summary->parts->pdata[0];
  const ReportRegion *one = report_first_region (first->regions);
  Common common = SAME_SCALE | SAME_SIZE;

  *has_channels = TRUE;
  for (guint i = 1; i < summary->parts->len; i++) {
    const ReportPart *part = summary->parts->pdata[i];
    const ReportRegion *other = report_first_region (part->regions);

    *has_channels &= first->n_channels == part->n_channels;
    if (first->stream->width != part->stream->width
        || first->stream->height != part->stream->height)
      common &= ~SAME_SIZE;
    if (one == NULL || other == NULL || !has_components (one, other)
        || !has_components (other, one))
      common &= ~SAME_SCALE;
  }
  return common;
}

static gdouble
correlation_of (const ReportPair * pair)
{
  HistoPairFigures figures;

  report_pair_get_whole (pair, &figures);
  return figures.correlation;
}

/* Computes the figures that follow from all results of each part, and what is valid for all parts. If a sum is too
 * large, nothing is. */
static void
join_parts (ReportStreamSummary * summary)
{
  const gboolean is_audio = summary->stream->is_audio;
  ReportPart *whole, *joined = NULL;
  gboolean has_channels, ok = TRUE;
  Common common;

  for (guint i = 0; i < summary->parts->len; i++)
    report_part_finish (summary->parts->pdata[i], is_audio);
  if (summary->parts->len == 0)
    return;
  whole = summary->parts->pdata[0];
  if (summary->parts->len > 1) {
    whole = joined = report_part_new (NULL);
    common = find_common (summary, &has_channels);
    for (guint i = 0; ok && i < summary->parts->len; i++)
      ok = merge_figures (whole, summary->parts->pdata[i], common,
          has_channels, NULL);
    if (!ok) {
      report_part_free (whole);
      whole = joined = report_part_new (NULL);
    }
    report_part_finish (whole, is_audio);
  }
  g_ptr_array_unref (summary->regions);
  g_ptr_array_unref (summary->pairs);
  g_clear_pointer (&summary->channels, g_rc_box_release);
  summary->regions = g_ptr_array_ref (whole->regions);
  summary->pairs = g_ptr_array_ref (whole->pairs);
  if (is_audio && summary->stream->channels == 2 && whole->pairs->len == 1)
    summary->correlation = correlation_of (whole->pairs->pdata[0]);
  summary->n_channels = whole->n_channels;
  if (whole->channels != NULL)
    summary->channels = g_rc_box_acquire (whole->channels);
  g_clear_pointer (&joined, report_part_free);
}

static void
set_range (HistoRange * range, gdouble number)
{
  range->min = range->max = range->sum = range->last = number;
  range->n = 1;
}

/**
 * finish_loudness:
 *
 * Computes the integrated loudness and the loudness range of several inputs or parts from their blocks.
 */
static void
finish_loudness (ReportStreamSummary * summary)
{
  set_range (&summary->loudness[HISTO_LOUDNESS_FIGURE_integrated],
      histo_loudness_blocks_integrated (summary->momentary));
  set_range (&summary->loudness[HISTO_LOUDNESS_FIGURE_range],
      histo_loudness_blocks_range (summary->short_term));
}

/**
 * report_summary_finish:
 *
 * Computes the figures that follow from all results together. More results may be added, and
 * finished again.
 */
void
report_summary_finish (ReportSummary * summary)
{
  for (guint s = 0; s < summary->streams->len; s++) {
    ReportStreamSummary *stream = summary->streams->pdata[s];

    report_stream_summary_leave_out_scenes (stream);
    join_parts (stream);
    if (stream->is_merged && stream->momentary != NULL
        && (stream->groups & HISTO_GROUP_FLAG (HISTO_GROUP_LOUDNESS)) != 0)
      finish_loudness (stream);
  }
}

/* ---- Files of summaries ------------------------------------------------------------------------- */

/* Reads one line of a file. Lines that are no summaries are skipped. */
static gboolean
load_line (const gchar * line, gsize length, GPtrArray * summaries,
    GError ** error)
{
  JsonParser *parser;
  JsonNode *root;
  ReportSummary *summary = NULL;
  gboolean ok = TRUE;

  if (strstr (line, "\"summary\"") == NULL)
    return TRUE;
  parser = report_json_parse (line, length, error);
  if (parser == NULL)
    return FALSE;
  root = json_parser_get_root (parser);
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root)
      && g_strcmp0 (report_json_to_text (json_object_get_member (
                  json_node_get_object (root), "type")), "summary") == 0) {
    summary = report_json_read_summary (json_node_get_object (root), error);
    ok = summary != NULL;
  }
  if (summary != NULL)
    g_ptr_array_add (summaries, summary);
  g_object_unref (parser);
  return ok;
}

/**
 * report_json_load:
 * @from: what --json or --json-summary wrote
 * @summaries: (element-type ReportSummary): the summaries are appended, finished
 *
 * Returns: FALSE with an error if it cannot be read, or has no summary
 */
gboolean
report_json_load (GInputStream * from, GPtrArray * summaries,
    GError ** error)
{
  const guint before = summaries->len;
  GDataInputStream *lines = g_data_input_stream_new (from);
  GError *problem = NULL;
  gchar *line;
  gsize length;

  g_filter_input_stream_set_close_base_stream (G_FILTER_INPUT_STREAM (lines),
      FALSE);
  while (problem == NULL && (line = g_data_input_stream_read_line (lines,
              &length, NULL, &problem)) != NULL) {
    load_line (line, length, summaries, &problem);
    g_free (line);
  }
  if (problem == NULL && summaries->len == before)
    g_set_error_literal (&problem, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "has no summary: write it with --json or --json-summary");
  g_object_unref (lines);
  if (problem == NULL)
    return TRUE;
  g_propagate_error (error, problem);
  return FALSE;
}
