/* The figures of a result, one after the other; see visit.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/visit.h"

#include <math.h>
#include <string.h>

#include "cudahisto/fields.h"

#define FIELD(identifier) histo_field_names[HISTO_FIELD_##identifier]

/* ---- The table ---------------------------------------------------------------------------- */

/* Rows that follow one another. */
typedef struct
{
  HistoGroup group;             /* of a component */
  const gchar *component;       /* NULL: native ones with other names */
  guint first, n;
} Section;

/* Made once, and kept for ever. */
static struct
{
  GArray *rows;                 /* (element-type HistoFigureRow) */
  GArray *components;           /* (element-type Section) */
  Section groups[HISTO_N_GROUPS];       /* their own figures; of loudness those of all channels */
  Section bits_used, zones, area, channels, levels, pairs, arrays;
} table;

#define ROW(i) (&g_array_index (table.rows, HistoFigureRow, i))

static void
begin (Section * section)
{
  section->first = table.rows->len;
}

static void
end (Section * section)
{
  section->n = table.rows->len - section->first;
}

/* @prefix: (nullable): of the path; NULL: the row has none. @suffix: (nullable): what follows the name */
static HistoFigureRow *
add_row (HistoFigureStruct in, HistoGroup group, const gchar * prefix, const gchar * name, const gchar * suffix)
{
  const HistoFigureRow row = {
    .path = prefix != NULL ? g_strconcat (prefix, name, suffix, NULL) : NULL,
    .name = name,
    .in = in,
    .group = group,
    .is_audio = histo_groups[group].is_audio,
    .unit = "1",
  };

  g_array_append_val (table.rows, row);
  return ROW (table.rows->len - 1);
}

static void
add_infos (HistoFigureStruct in, HistoGroup group, const gchar * prefix, const gchar * suffix, HistoFigureItem item,
    const HistoFigureInfo * infos, guint n)
{
  for (guint i = 0; i < n; i++) {
    HistoFigureRow *row = add_row (in, group, prefix, infos[i].name, suffix);

    row->item = item;
    row->type = infos[i].type;
    row->offset = infos[i].offset;
    row->unit = infos[i].unit;
    row->info = &infos[i];
  }
}

static void
add_component (HistoGroup group, const gchar * name)
{
  const gboolean is_basic = group == HISTO_GROUP_BASIC;
  Section section = { group, name, table.rows->len, HISTO_N_FIGURES };
  g_autofree gchar *prefix = name == NULL ? NULL : is_basic ? g_strconcat (name, ".", NULL) :
      g_strconcat (histo_groups[group].name, ".", name, ".", NULL);

  add_infos (HISTO_IN_COMPONENT, group, prefix, NULL, HISTO_ITEM_NONE, histo_figures, HISTO_N_FIGURES);
  for (guint i = 0; i < section.n; i++)
    ROW (section.first + i)->component = name;
  g_array_append_val (table.components, section);
}

static const Section *
find_component (HistoGroup group, const gchar * name)
{
  const Section *sections = (const Section *) table.components->data;

  for (guint i = 0; i < table.components->len; i++) {
    if (sections[i].group == group && g_strcmp0 (sections[i].component, name) == 0)
      return &sections[i];
  }
  return NULL;
}

static void
add_components (HistoGroup group)
{
  static const gchar *const natives[] = { HISTO_YUV_NAMES, HISTO_RGB_NAMES, HISTO_BAYER_NAMES };

  for (guint s = 0; s < HISTO_N_SOURCES; s++) {
    if (histo_components[s].group != group)
      continue;
    if (histo_components[s].name != NULL) {
      add_component (group, histo_components[s].name);
      continue;
    }
    for (guint i = 0; i < G_N_ELEMENTS (natives); i++) {
      if (find_component (group, natives[i]) == NULL)
        add_component (group, natives[i]);
    }
  }
}

static void
set_group_info (HistoFigureRow * row, const HistoGroupFigureInfo * info)
{
  row->unit = info->unit;
  row->group_info = info;
  row->choice = info->type == HISTO_FIGURE_CHOICE ? info : NULL;
}

static void
add_zones (const gchar * prefix)
{
  g_autofree gchar *of_zone = g_strconcat (prefix, FIELD (zones), ".*.", NULL);

  begin (&table.zones);
  for (guint i = 0; i < HISTO_N_ZONE_FIGURES; i++) {
    const HistoGroupFigureInfo *info = &histo_group_figures[histo_zone_figures[i].figure];
    HistoFigureRow *row = add_row (HISTO_IN_ZONE, HISTO_GROUP_FLASH, of_zone, info->name, NULL);

    set_group_info (row, info);
    row->item = HISTO_ITEM_ZONE;
    row->type = HISTO_FIGURE_UINT;
    row->offset = histo_zone_figures[i].offset;
  }
  end (&table.zones);
}

static void
add_area (const gchar * prefix)
{
  const struct
  {
    const gchar *name;
    gsize offset;
  } sides[] = {
    {FIELD (x), G_STRUCT_OFFSET (HistoGroupFigures, area_x)},
    {FIELD (y), G_STRUCT_OFFSET (HistoGroupFigures, area_y)},
    {FIELD (width), G_STRUCT_OFFSET (HistoGroupFigures, area_width)},
    {FIELD (height), G_STRUCT_OFFSET (HistoGroupFigures, area_height)},
  };

  begin (&table.area);
  for (guint i = 0; i < G_N_ELEMENTS (sides); i++) {
    HistoFigureRow *row = add_row (HISTO_IN_GROUP, HISTO_GROUP_AREA, prefix, sides[i].name, NULL);

    row->type = HISTO_FIGURE_UINT;      /* an int that is not negative */
    row->offset = sides[i].offset;
    row->unit = "pixels";
  }
  end (&table.area);
}

static void
add_group (HistoGroup group)
{
  g_autofree gchar *prefix = g_strconcat (histo_groups[group].name, ".", NULL);

  begin (&table.groups[group]);
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    const HistoGroupFigureInfo *info = &histo_group_figures[i];
    HistoFigureRow *row = info->group == group ? add_row (HISTO_IN_GROUP, group, prefix, info->name, NULL) : NULL;

    if (row == NULL)
      continue;
    set_group_info (row, info);
    row->type = HISTO_FIGURE_DOUBLE;    /* the member */
    row->offset = info->offset;
  }
  end (&table.groups[group]);
  add_components (group);
  if (group == HISTO_GROUP_FLASH)
    add_zones (prefix);
  if (group == HISTO_GROUP_SIGNAL) {
    HistoFigureRow *row;

    begin (&table.bits_used);
    row = add_row (HISTO_IN_BITS_USED, group, prefix, FIELD (bits_used), ".*");
    row->item = HISTO_ITEM_COMPONENT;
    row->type = HISTO_FIGURE_UINT;
    row->unit = "bit";
    end (&table.bits_used);
  }
  if (group == HISTO_GROUP_AREA)
    add_area (prefix);
}

static void
add_sound (void)
{
  const guint first = table.rows->len;
  g_autofree gchar *loudness = g_strconcat (histo_groups[HISTO_GROUP_LOUDNESS].name, ".", NULL);
  g_autofree gchar *pair = g_strconcat (FIELD (pairs), ".*.", NULL);

  begin (&table.channels);
  add_infos (HISTO_IN_COMPONENT, HISTO_GROUP_BASIC, "ch*.", NULL, HISTO_ITEM_CHANNEL, histo_figures, HISTO_N_FIGURES);
  end (&table.channels);
  begin (&table.levels);
  add_infos (HISTO_IN_LEVEL, HISTO_GROUP_LEVEL, "ch*.", NULL, HISTO_ITEM_CHANNEL, histo_level_figures,
      HISTO_N_LEVEL_FIGURES);
  end (&table.levels);
  begin (&table.pairs);
  add_infos (HISTO_IN_PAIR, HISTO_GROUP_LEVEL, pair, NULL, HISTO_ITEM_PAIR, histo_pair_figures, HISTO_N_PAIR_FIGURES);
  end (&table.pairs);
  begin (&table.groups[HISTO_GROUP_LOUDNESS]);
  add_infos (HISTO_IN_LOUDNESS, HISTO_GROUP_LOUDNESS, loudness, NULL, HISTO_ITEM_NONE, histo_loudness_figures,
      HISTO_N_LOUDNESS_FIGURES);
  end (&table.groups[HISTO_GROUP_LOUDNESS]);
  begin (&table.arrays);
  add_infos (HISTO_IN_ARRAY, HISTO_GROUP_LOUDNESS, loudness, ".*", HISTO_ITEM_CHANNEL, histo_loudness_arrays,
      HISTO_N_LOUDNESS_ARRAYS);
  end (&table.arrays);
  for (guint i = first; i < table.rows->len; i++)
    ROW (i)->is_audio = TRUE;
}

static void
make_table (void)
{
  static gsize is_made;

  if (!g_once_init_enter (&is_made))
    return;
  table.rows = g_array_new (FALSE, FALSE, sizeof (HistoFigureRow));
  table.components = g_array_new (FALSE, FALSE, sizeof (Section));
  add_components (HISTO_GROUP_BASIC);
  for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++) {
    if (!histo_groups[g].is_audio)
      add_group (g);
  }
  add_sound ();
  for (guint s = 0; s < HISTO_N_SOURCES; s++) {
    if (histo_components[s].name == NULL)
      add_component (histo_components[s].group, NULL);
  }
  g_once_init_leave (&is_made, 1);
}

const HistoFigureRow *
histo_figure_rows (guint * n)
{
  g_return_val_if_fail (n != NULL, NULL);
  make_table ();
  *n = table.rows->len;
  return (const HistoFigureRow *) table.rows->data;
}

/* ---- Values ------------------------------------------------------------------------------- */

static gconstpointer
find_member (const HistoResult * result, const HistoFigureAt * figure)
{
  const HistoFigureRow *row;
  const HistoGroupFigures *figures;
  const gdouble *numbers;
  guint i;

  row = figure->row;
  i = figure->index;
  if (figure->is_absent || row == NULL
      || (row->group == HISTO_GROUP_MOTION && !result->regions[figure->region].has_motion))
    return NULL;
  switch (row->in) {
    case HISTO_IN_COMPONENT:
      return G_STRUCT_MEMBER_P (&result->components[i].figures, row->offset);
    case HISTO_IN_GROUP:
      return G_STRUCT_MEMBER_P (&result->regions[figure->region].figures, row->offset);
    case HISTO_IN_BITS_USED:
      figures = &result->regions[figure->region].figures;
      return i < figures->n_bits_used ? &figures->bits_used[i] : NULL;
    case HISTO_IN_ZONE:
      figures = &result->regions[0].figures;
      return i < figures->n_zones ? G_STRUCT_MEMBER_P (&figures->zones[i], row->offset) : NULL;
    case HISTO_IN_LEVEL:
      return result->levels != NULL ? G_STRUCT_MEMBER_P (&result->levels[i], row->offset) : NULL;
    case HISTO_IN_PAIR:
      return G_STRUCT_MEMBER_P (&result->pairs[i].figures, row->offset);
    case HISTO_IN_LOUDNESS:
      return result->loudness.true_peak != NULL ? G_STRUCT_MEMBER_P (&result->loudness, row->offset) : NULL;
    case HISTO_IN_ARRAY:
      numbers = G_STRUCT_MEMBER (const gdouble *, &result->loudness, row->offset);
      return numbers != NULL ? &numbers[i] : NULL;
    case HISTO_IN_FACTS:
    case HISTO_IN_COMPARED:
    case HISTO_IN_COMPARED_COMPONENT:
      break;
  }
  return NULL;
}

gconstpointer
histo_result_member (const HistoResult * result, const HistoFigureAt * figure)
{
  gconstpointer member;

  g_return_val_if_fail (result != NULL && figure != NULL, NULL);
  member = find_member (result, figure);
  return result->absent != NULL && g_hash_table_contains (result->absent, member) ? NULL : member;
}

gdouble
histo_result_get_figure (const HistoResult * result, const HistoFigureAt * figure)
{
  gconstpointer member;

  g_return_val_if_fail (result != NULL && figure != NULL, NAN);
  member = histo_result_member (result, figure);
  return member != NULL ? histo_figure_read (figure->row->type, member) : NAN;
}

/* ---- The walk ----------------------------------------------------------------------------- */

typedef struct
{
  HistoVisit visit;
  guint groups;                 /* that are visited */
  guint n_native;               /* of a region */
  const gchar *const *regions;
  const HistoVisitor *visitor;
  gpointer data;
} Walk;

static gboolean
enter (Walk * walk, HistoPlace place, guint index, const gchar * step)
{
  HistoVisit *visit = &walk->visit;

  visit->place = place;
  visit->index = index;
  visit->steps[visit->n_steps++] = step;
  if (walk->visitor->enter == NULL || walk->visitor->enter (visit, walk->data))
    return TRUE;
  visit->n_steps--;
  return FALSE;
}

static void
leave (Walk * walk, HistoPlace place, guint index)
{
  walk->visit.place = place;
  walk->visit.index = index;
  if (walk->visitor->leave != NULL)
    walk->visitor->leave (&walk->visit, walk->data);
  walk->visit.n_steps--;
}

/* @step: (nullable): the last one; NULL: the name of the row */
static void
visit_figure (Walk * walk, const HistoFigureRow * row, guint index, const gchar * step)
{
  HistoVisit *visit = &walk->visit;

  if (walk->visitor->figure == NULL)
    return;
  visit->figure.row = row;
  visit->figure.region = visit->region;
  visit->figure.index = index;
  visit->figure.is_absent = (visit->result->groups & HISTO_GROUP_FLAG (row->group)) == 0;
  visit->member = histo_result_member (visit->result, &visit->figure);
  visit->steps[visit->n_steps++] = step != NULL ? step : row->name;
  walk->visitor->figure (visit, walk->data);
  visit->n_steps--;
}

static void
visit_section (Walk * walk, const Section * section, guint index)
{
  for (guint i = 0; i < section->n; i++)
    visit_figure (walk, ROW (section->first + i), index, NULL);
}

/* @index: among all components */
static void
visit_component (Walk * walk, const gchar * name, guint index)
{
  const HistoResult *result = walk->visit.result;
  const HistoGroup group = walk->visit.group;
  const Section *section = result->is_audio ? &table.channels : find_component (group, name);

  if (section == NULL)
    section = find_component (group, NULL);
  if (section == NULL || !enter (walk, HISTO_PLACE_COMPONENT, index, name))
    return;
  visit_section (walk, section, index);
  if (result->is_audio && (walk->groups & HISTO_GROUP_FLAG (HISTO_GROUP_LEVEL)) != 0)
    visit_section (walk, &table.levels, index);
  leave (walk, HISTO_PLACE_COMPONENT, index);
}

/* Those of a group that the result lacks: their names follow from the native ones. */
static void
visit_absent_components (Walk * walk, const HistoComponentResult * natives)
{
  const guint format = histo_components_format (natives, walk->n_native);

  for (guint s = 0; s < HISTO_N_SOURCES; s++) {
    const HistoComponentInfo *info = &histo_components[s];

    if (info->group != walk->visit.group || (info->formats & format) == 0)
      continue;
    if (info->name != NULL) {
      visit_component (walk, info->name, 0);
      continue;
    }
    for (guint i = 0; i < walk->n_native; i++)
      visit_component (walk, natives[i].name, 0);
  }
}

static void
visit_components (Walk * walk, const HistoComponentResult * components)
{
  const HistoResult *result = walk->visit.result;
  const HistoGroup group = walk->visit.group;

  if (!histo_result_has_group (result, group))
    visit_absent_components (walk, components);
  if (components == NULL)
    return;
  for (guint i = 0; i < result->n_region_components; i++) {
    if (components[i].group == group)
      visit_component (walk, components[i].name, &components[i] - result->components);
  }
}

static void
visit_joints (Walk * walk)
{
  const HistoResult *result = walk->visit.result;

  if (walk->visit.region > 0)
    return;
  for (guint i = 0; i < result->n_joints; i++) {
    if (result->joints[i].group == walk->visit.group
        && enter (walk, HISTO_PLACE_JOINT, i, result->joints[i].name))
      leave (walk, HISTO_PLACE_JOINT, i);
  }
}

static void
visit_bits_used (Walk * walk, const HistoComponentResult * natives)
{
  if (!enter (walk, HISTO_PLACE_BITS_USED, 0, FIELD (bits_used)))
    return;
  for (guint i = 0; i < walk->n_native; i++)
    visit_figure (walk, ROW (table.bits_used.first), natives[i].native, natives[i].name);
  leave (walk, HISTO_PLACE_BITS_USED, 0);
}

static void
visit_zones (Walk * walk)
{
  gchar step[16];

  if (walk->visit.region > 0 || !enter (walk, HISTO_PLACE_ZONES, 0, FIELD (zones)))
    return;
  for (guint i = 0; i < HISTO_N_ZONES; i++) {
    g_snprintf (step, sizeof step, "%u", i);
    if (!enter (walk, HISTO_PLACE_ZONE, i, step))
      continue;
    visit_section (walk, &table.zones, i);
    leave (walk, HISTO_PLACE_ZONE, i);
  }
  leave (walk, HISTO_PLACE_ZONES, 0);
}

static void
visit_group (Walk * walk, HistoGroup group, const HistoComponentResult * components)
{
  walk->visit.group = group;
  if (!enter (walk, HISTO_PLACE_GROUP, 0, histo_groups[group].name))
    return;
  visit_components (walk, components);
  visit_joints (walk);
  visit_section (walk, &table.groups[group], 0);
  if (group == HISTO_GROUP_SIGNAL)
    visit_bits_used (walk, components);
  if (group == HISTO_GROUP_FLASH)
    visit_zones (walk);
  if (group == HISTO_GROUP_AREA)
    visit_section (walk, &table.area, 0);
  leave (walk, HISTO_PLACE_GROUP, 0);
}

static void
visit_region (Walk * walk, guint region)
{
  const HistoComponentResult *components = histo_result_region_components (walk->visit.result, region);

  walk->visit.region = region;
  walk->visit.group = HISTO_GROUP_BASIC;
  walk->n_native = 0;
  while (components != NULL && walk->n_native < walk->visit.result->n_region_components
      && components[walk->n_native].group == HISTO_GROUP_BASIC)
    walk->n_native++;
  visit_components (walk, components);
  for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++) {
    /* `scopes` is of the picture alone. */
    if ((walk->groups & HISTO_GROUP_FLAG (g)) != 0 && !histo_groups[g].is_audio && !walk->visit.result->is_audio
        && (g != HISTO_GROUP_SCOPES || region == 0))
      visit_group (walk, g, components);
  }
}

/* Returns: (transfer container): of those but the whole picture */
static const gchar **
name_regions (const HistoResult * result)
{
  const gchar **names = g_new (const gchar *, result->n_regions);

  for (guint r = 1; r < result->n_regions; r++)
    names[r - 1] = result->regions[r].region.name != NULL ? result->regions[r].region.name : "";
  return names;
}

static void
visit_regions (Walk * walk)
{
  const HistoResult *result = walk->visit.result;
  g_auto (GStrv) own = NULL;

  if (result->n_regions < 2 || !enter (walk, HISTO_PLACE_REGIONS, 0, FIELD (regions)))
    return;
  if (walk->regions == NULL) {
    g_autofree const gchar **names = name_regions (result);

    own = histo_region_steps (names, result->n_regions - 1, FALSE);
    walk->regions = (const gchar * const *) own;
  }
  for (guint r = 1; r < result->n_regions; r++) {
    walk->visit.region = r;
    walk->visit.group = HISTO_GROUP_BASIC;
    if (!enter (walk, HISTO_PLACE_REGION, r, walk->regions[r - 1]))
      continue;
    visit_region (walk, r);
    leave (walk, HISTO_PLACE_REGION, r);
  }
  walk->visit.region = 0;
  leave (walk, HISTO_PLACE_REGIONS, 0);
}

static void
visit_pairs (Walk * walk)
{
  const HistoResult *result = walk->visit.result;

  walk->visit.group = HISTO_GROUP_LEVEL;
  if (result->n_pairs == 0 || !enter (walk, HISTO_PLACE_PAIRS, 0, FIELD (pairs)))
    return;
  for (guint i = 0; i < result->n_pairs; i++) {
    const HistoPairResult *pair = &result->pairs[i];
    g_autofree gchar *step = g_strconcat (result->components[pair->first].name, "+",
        result->components[pair->second].name, NULL);

    if (enter (walk, HISTO_PLACE_PAIR, i, step)) {
      visit_section (walk, &table.pairs, i);
      leave (walk, HISTO_PLACE_PAIR, i);
    }
  }
  leave (walk, HISTO_PLACE_PAIRS, 0);
}

static void
visit_loudness (Walk * walk)
{
  const HistoResult *result = walk->visit.result;

  walk->visit.group = HISTO_GROUP_LOUDNESS;
  if ((walk->groups & HISTO_GROUP_FLAG (HISTO_GROUP_LOUDNESS)) == 0
      || !enter (walk, HISTO_PLACE_GROUP, 0, histo_groups[HISTO_GROUP_LOUDNESS].name))
    return;
  visit_section (walk, &table.groups[HISTO_GROUP_LOUDNESS], 0);
  for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++) {
    const HistoFigureRow *row = ROW (table.arrays.first + i);

    if (!enter (walk, HISTO_PLACE_ARRAY, i, row->name))
      continue;
    for (guint c = 0; c < result->n_components; c++)
      visit_figure (walk, row, c, result->components[c].name);
    leave (walk, HISTO_PLACE_ARRAY, i);
  }
  leave (walk, HISTO_PLACE_GROUP, 0);
}

void
histo_result_visit (const HistoResult * result, guint groups, const gchar * const *regions, const HistoVisitor * visitor,
    gpointer data)
{
  Walk walk = {.regions = regions,.visitor = visitor,.data = data };

  g_return_if_fail (visitor != NULL);
  if (result == NULL)
    return;
  make_table ();
  walk.visit.result = result;
  walk.groups = result->groups | groups;
  visit_region (&walk, 0);
  if (result->is_audio) {
    visit_pairs (&walk);
    visit_loudness (&walk);
  } else {
    visit_regions (&walk);
  }
}

/* ---- Names -------------------------------------------------------------------------------- */

/* Returns: (nullable): what is behind the step and its point */
static const gchar *
skip_step (const gchar * path, const gchar * step)
{
  const gsize length = strlen (step);

  return strncmp (path, step, length) == 0 && path[length] == '.' ? path + length + 1 : NULL;
}

gchar *
histo_visit_path (const HistoVisit * visit)
{
  GString *path;

  g_return_val_if_fail (visit != NULL && visit->n_steps <= HISTO_MOST_STEPS, NULL);
  path = g_string_new (NULL);
  for (guint i = 0; i < visit->n_steps; i++) {
    if (i > 0)
      g_string_append_c (path, '.');
    g_string_append (path, visit->steps[i]);
  }
  return g_string_free (path, FALSE);
}

gchar *
histo_figure_old_path (const gchar * path)
{
  const gchar *rest, *last;
  gchar *old;

  g_return_val_if_fail (path != NULL, NULL);
  if ((rest = skip_step (path, FIELD (regions))) != NULL)
    return g_strdup (rest);
  if ((rest = skip_step (path, FIELD (pairs))) != NULL) {
    old = g_strdup (rest);
    if (strchr (old, '+') != NULL)
      *strchr (old, '+') = '-';
    return old;
  }
  rest = skip_step (path, histo_groups[HISTO_GROUP_LOUDNESS].name);
  last = rest != NULL ? strchr (rest, '.') : NULL;
  if (last != NULL)
    return g_strdup_printf ("%s.%.*s", last + 1, (gint) (last - rest), rest);
  return g_strdup (path);
}

/* Whether the name is that of a group, or ends in one behind a point: "a.motion" with the figure "Y.mean" has the path of
 * the region "a" with the figure "motion.Y.mean". */
static gboolean
ends_in_group (const gchar * name, gboolean is_bare)
{
  const gchar *point = strrchr (name, '.');

  if (point == NULL && !is_bare)
    return FALSE;
  for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++) {
    if (g_str_equal (point != NULL ? point + 1 : name, histo_groups[g].name))
      return TRUE;
  }
  return FALSE;
}

/* Whether it looks like a name with the number of its region. */
static gboolean
ends_in_number (const gchar * name)
{
  const gchar *sign = strrchr (name, '#');

  return sign != NULL && sign[1] != '\0' && sign[1 + strspn (sign + 1, "0123456789")] == '\0';
}

gchar **
histo_region_steps (const gchar * const *names, guint n, gboolean is_bare)
{
  gchar **steps = g_new0 (gchar *, (gsize) n + 1);
  g_autoptr (GHashTable) known = NULL;

  g_return_val_if_fail (names != NULL || n == 0, steps);
  known = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < n; i++) {
    const gchar *name = names[i] != NULL ? names[i] : "";
    const gboolean is_known = !g_hash_table_add (known, (gpointer) name);

    steps[i] = is_known || ends_in_group (name, is_bare) || ends_in_number (name) ?
        g_strdup_printf ("%s#%u", name, i + 1) : g_strdup (name);
  }
  return steps;
}

/* ---- Looking up --------------------------------------------------------------------------- */

typedef struct
{
  const gchar *region;          /* NULL: the path has it */
  const gchar *rests[HISTO_MOST_STEPS + 1];     /* of the path, behind the steps of the place */
  guint n;
  HistoFigureAt *figure;
  gboolean is_found;
} Search;

/* Regions of metas take no part: the next buffer may have others. */
static gboolean
search_place (const HistoVisit * visit, gpointer data)
{
  Search *search = data;
  const gchar *step = visit->steps[visit->n_steps - 1], *rest = search->rests[search->n];

  if (search->region == NULL || (visit->region > 0 && visit->place != HISTO_PLACE_REGION))
    rest = skip_step (rest, step);
  else if (visit->place == HISTO_PLACE_REGION ? !g_str_equal (step, search->region) : visit->place != HISTO_PLACE_REGIONS)
    rest = NULL;
  if (search->is_found || rest == NULL
      || (visit->place == HISTO_PLACE_REGION && visit->result->regions[visit->region].is_roi))
    return FALSE;
  search->rests[++search->n] = rest;
  return TRUE;
}

static void
search_figure (const HistoVisit * visit, gpointer data)
{
  Search *search = data;

  if (search->is_found || !g_str_equal (search->rests[search->n], visit->steps[visit->n_steps - 1]))
    return;
  *search->figure = visit->figure;
  search->is_found = TRUE;
}

static void
leave_place (const HistoVisit * visit, gpointer data)
{
  ((Search *) data)->n--;
}

gboolean
histo_result_find_figure (const HistoResult * result, const gchar * region, const gchar * path, guint groups,
    HistoFigureAt * figure)
{
  static const HistoVisitor visitor = { search_place, search_figure, leave_place };
  Search search = { region, {path}, 0, figure, FALSE };
  g_autofree const gchar **names = NULL;
  g_auto (GStrv) bare = NULL;

  g_return_val_if_fail (figure != NULL, FALSE);
  *figure = (HistoFigureAt) {.is_absent = TRUE };
  if (result == NULL || path == NULL)
    return FALSE;
  histo_result_visit (result, groups, NULL, &visitor, &search);
  if (search.is_found || result->n_regions < 2 || (region == NULL && skip_step (path, FIELD (regions)) == NULL))
    return search.is_found;
  names = name_regions (result);
  bare = histo_region_steps (names, result->n_regions - 1, TRUE);
  histo_result_visit (result, groups, (const gchar * const *) bare, &visitor, &search);
  if (!search.is_found)
    histo_result_visit (result, groups, names, &visitor, &search);
  return search.is_found;
}

/* ---- Shapes ------------------------------------------------------------------------------- */

/* Returns: "" of a region of a meta, which takes no part */
static const gchar *
name_of (const HistoRegionResult * region)
{
  return region->is_roi || region->region.name == NULL ? "" : region->region.name;
}

/* The texts of a result that was read are new ones each time: their addresses tell nothing. */
gboolean
histo_shape_fits (const HistoShape * shape, const HistoResult * result)
{
  g_return_val_if_fail (shape != NULL && result != NULL, FALSE);
  if (!shape->is_set || shape->is_audio != result->is_audio || shape->groups != result->groups
      || shape->n_components != result->n_components
      || shape->n_region_components != MIN (result->n_region_components, result->n_components)
      || shape->n_regions != result->n_regions || shape->n_pairs != result->n_pairs
      || g_strcmp0 (shape->format, result->format) != 0)
    return FALSE;
  for (guint i = 0; i < shape->n_region_components; i++) {
    if (g_strcmp0 (shape->components[i], result->components[i].name) != 0)
      return FALSE;
  }
  for (guint r = 1; r < result->n_regions; r++) {
    if (!g_str_equal (shape->regions[r - 1], name_of (&result->regions[r])))
      return FALSE;
  }
  for (guint i = 0; i < result->n_pairs; i++) {
    if (shape->pairs[2 * i] != result->pairs[i].first || shape->pairs[2 * i + 1] != result->pairs[i].second)
      return FALSE;
  }
  return TRUE;
}

void
histo_shape_set (HistoShape * shape, const HistoResult * result)
{
  g_return_if_fail (shape != NULL && result != NULL);
  histo_shape_clear (shape);
  shape->is_set = TRUE;
  shape->is_audio = result->is_audio;
  shape->groups = result->groups;
  shape->n_components = result->n_components;
  shape->n_region_components = MIN (result->n_region_components, result->n_components);
  shape->n_regions = result->n_regions;
  shape->n_pairs = result->n_pairs;
  shape->format = g_strdup (result->format);
  shape->components = g_new0 (gchar *, shape->n_region_components + 1);
  for (guint i = 0; i < shape->n_region_components; i++)
    shape->components[i] = g_strdup (result->components[i].name);
  shape->regions = g_new0 (gchar *, MAX (result->n_regions, 1));
  for (guint r = 1; r < result->n_regions; r++)
    shape->regions[r - 1] = g_strdup (name_of (&result->regions[r]));
  shape->pairs = g_new (guint, 2 * MAX (result->n_pairs, 1));
  for (guint i = 0; i < result->n_pairs; i++) {
    shape->pairs[2 * i] = result->pairs[i].first;
    shape->pairs[2 * i + 1] = result->pairs[i].second;
  }
}

void
histo_shape_clear (HistoShape * shape)
{
  if (shape == NULL)
    return;
  g_free (shape->format);
  g_strfreev (shape->components);
  g_strfreev (shape->regions);
  g_free (shape->pairs);
  memset (shape, 0, sizeof *shape);
}
