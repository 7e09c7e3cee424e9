/* What the library for C says of a structure, for the test of the Python module, which loads this.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cudahisto/components.h>
#include <cudahisto/cudahisto.h>

__attribute__ ((visibility ("default")))
     gchar *read_error (const GstStructure * structure);
__attribute__ ((visibility ("default")))
     gchar *list_fields (void);

/* @structure: of a result, a window or an alert
 * Returns: (nullable): why it cannot be read; NULL: it can */
gchar *
read_error (const GstStructure * structure)
{
  HistoResult result = { 0 };
  HistoAlertEvent event;
  GArray *alerts = g_array_new (FALSE, FALSE, sizeof event);
  GError *error = NULL;
  gchar *text = NULL;

  if (gst_structure_has_name (structure, HISTO_ALERT_NAME))
    histo_read_alert (structure, &event, &error);
  else if (histo_read_result (structure, &result, &error))
    histo_read_alerts (structure, alerts, &error);
  if (error != NULL)
    text = g_strdup (error->message);
  g_clear_error (&error);
  g_array_unref (alerts);
  histo_result_clear (&result);
  return text;
}

static void
add_figures (GString * text, const gchar * place, const HistoFigureInfo * infos,
    guint n)
{
  static const gchar *const types[] = {
    [HISTO_FIGURE_UINT64] = "guint64",[HISTO_FIGURE_UINT] = "guint",
    [HISTO_FIGURE_DOUBLE] = "gdouble"
  };

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s %s %s\n", place, infos[i].name,
        types[infos[i].type]);
}

/* Returns: lines of the tables of figures: place, name, type or what it needs */
gchar *
list_fields (void)
{
  static const gchar *const alerts[] = {
#define NAME(identifier, name, group, description) name,
    HISTO_ALERTS (NAME)
#undef NAME
  };
  GString *text = g_string_new (NULL);

  add_figures (text, "component", histo_figures, HISTO_N_FIGURES);
  add_figures (text, "level", histo_level_figures, HISTO_N_LEVEL_FIGURES);
  add_figures (text, "loudness", histo_loudness_figures,
      HISTO_N_LOUDNESS_FIGURES);
  for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++)
    g_string_append_printf (text, "loudness %s GstValueArray\n",
        histo_loudness_arrays[i].name);
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++)
    g_string_append_printf (text, "%s %s gdouble\n",
        histo_groups[histo_group_figures[i].group].name,
        histo_group_figures[i].name);
  for (guint i = HISTO_GROUP_BASIC + 1; i < HISTO_N_GROUPS; i++)
    g_string_append_printf (text, "group %s %s\n", histo_groups[i].name,
        histo_groups[i].is_audio ? "audio" : "video");
  for (guint i = 0; i < HISTO_N_DERIVED; i++) {
    const HistoDerivedInfo *info = &histo_derived_components[i];

    g_string_append_printf (text, "derived %s.%s %s%s%s\n",
        histo_groups[info->group].name, info->name,
        info->colors & HISTO_HAS_RGB ? "R" : "",
        info->colors & HISTO_HAS_YUV ? "U" : "",
        info->colors & HISTO_HAS_GRAY ? "Y" : "");
  }
  for (guint i = 0; i < HISTO_N_ALERTS; i++)
    g_string_append_printf (text, "alert %s\n", alerts[i]);
  g_string_append_printf (text, "most bins %d\nmost components %d\n"
      "most channels %d\nmost regions %d\n", HISTO_MAX_BINS,
      HISTO_MAX_COMPONENTS, HISTO_MAX_CHANNELS, 2 * HISTO_MAX_REGIONS);
  return g_string_free (text, FALSE);
}
