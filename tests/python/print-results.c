/* Prints what the library cudahisto-1.0 reads of the results of a file's streams, one value a line:
 *
 *   print-results FILE MEASURES REGIONS
 *
 *   MEDIA TIME PATH VALUE: "video 40000000 Y.mean 16", "audio 0 ch0.rms -20.5"
 *
 * A histogram is printed as the sum of i * counts[i]. The test of the Python module compares.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cudahisto/cudahisto.h>

typedef struct
{
  const gchar *media;
  guint64 time;                 /* stream time, ns */
  const gchar *region;          /* NULL: the whole picture */
} Place;

static void
print_name (const Place * place, const gchar * group, const gchar * component,
    const gchar * name)
{
  g_print ("%s %" G_GUINT64_FORMAT " ", place->media, place->time);
  if (place->region != NULL)
    g_print ("regions.%s.", place->region);
  if (group != NULL)
    g_print ("%s.", group);
  if (component != NULL)
    g_print ("%s.", component);
  g_print ("%s ", name);
}

/* @base: the struct of which @info tells the offset */
static void
print_figure (gconstpointer base, const HistoFigureInfo * info)
{
  gconstpointer member = G_STRUCT_MEMBER_P (base, info->offset);

  if (info->type == HISTO_FIGURE_UINT64)
    g_print ("%" G_GUINT64_FORMAT "\n", *(const guint64 *) member);
  else if (info->type == HISTO_FIGURE_UINT)
    g_print ("%u\n", *(const guint *) member);
  else
    g_print ("%.17g\n", *(const gdouble *) member);
}

static void
print_component (const Place * place, const HistoComponentResult * component)
{
  const gchar *group = component->group == HISTO_GROUP_BASIC ? NULL :
      histo_groups[component->group].name;
  const guint n = component->figures.bins;
  guint64 *counts = g_new0 (guint64, n), sum = 0;

  for (guint i = 0; i < HISTO_N_FIGURES; i++) {
    print_name (place, group, component->name, histo_figures[i].name);
    print_figure (&component->figures, &histo_figures[i]);
  }
  if (component->depth > 0) {
    print_name (place, group, component->name, "depth");
    g_print ("%u\n", component->depth);
  }
  g_assert_true (histo_component_add_counts (component, counts));
  for (guint i = 0; i < n; i++)
    sum += i * counts[i];
  print_name (place, group, component->name, "histogram");
  g_print ("%" G_GUINT64_FORMAT "\n", sum);
  g_free (counts);
}

/* As the field of the result: a choice by its name. */
static void
print_value (const HistoGroupFigureInfo * info, gdouble value)
{
  if (info->type == HISTO_FIGURE_CHOICE)
    g_print ("%s\n", histo_choice_name (info, value));
  else
    g_print ("%.17g\n", value);
}

static void
print_zones (const Place * place, const HistoGroupFigures * figures)
{
  static const HistoGroupFigureInfo *const state =
      &histo_group_figures[HISTO_GROUP_FIGURE_FLASH_state];

  for (guint i = 0; i < figures->n_zones; i++) {
    const HistoZone *zone = &figures->zones[i];
    gchar *path = g_strdup_printf ("zones.%u", i);

    print_name (place, "flash", path, "transitions");
    g_print ("%u\n", zone->transitions);
    print_name (place, "flash", path, "red-transitions");
    g_print ("%u\n", zone->red_transitions);
    print_name (place, "flash", path, "state");
    print_value (state, zone->state);
    g_free (path);
  }
}

static void
print_region (const Place * place, const HistoResult * result, guint r)
{
  const HistoComponentResult *components =
      histo_result_region_components (result, r);
  const HistoRegionResult *region = &result->regions[r];

  for (guint i = 0; i < result->n_region_components; i++) {
    if (components[i].group != HISTO_GROUP_MOTION || region->has_motion)
      print_component (place, &components[i]);
  }
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    const HistoGroupFigureInfo *info = &histo_group_figures[i];
    gdouble value = *(const gdouble *) G_STRUCT_MEMBER_P (&region->figures,
        info->offset);

    if (!histo_result_has_group (result, info->group) || value != value)
      continue;
    print_name (place, histo_groups[info->group].name, NULL, info->name);
    print_value (info, value);
  }
  print_zones (place, &region->figures);
}

static void
print_sound (const Place * place, const HistoResult * result)
{
  for (gint c = 0; c < result->channels; c++) {
    print_component (place, &result->components[c]);
    for (guint i = 0; result->levels != NULL && i < HISTO_N_LEVEL_FIGURES; i++) {
      print_name (place, NULL, result->components[c].name,
          histo_level_figures[i].name);
      print_figure (&result->levels[c], &histo_level_figures[i]);
    }
  }
  for (guint i = 0; i < result->n_pairs; i++) {
    gchar *path = g_strdup_printf ("pairs.%u", i);

    for (guint f = 0; f < HISTO_N_PAIR_FIGURES; f++) {
      const HistoFigureInfo *info = &histo_pair_figures[f];
      const gdouble figure = info->type == HISTO_FIGURE_DOUBLE ?
          G_STRUCT_MEMBER (gdouble, &result->pairs[i].figures, info->offset) :
          0;

      if (figure != figure)
        continue;
      print_name (place, NULL, path, info->name);
      print_figure (&result->pairs[i].figures, info);
    }
    g_free (path);
  }
  for (guint i = 0; i < HISTO_N_LOUDNESS_FIGURES; i++) {
    print_name (place, "loudness", NULL, histo_loudness_figures[i].name);
    print_figure (&result->loudness, &histo_loudness_figures[i]);
  }
  for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++) {
    const gdouble *array = *(const gdouble *const *)
        G_STRUCT_MEMBER_P (&result->loudness, histo_loudness_arrays[i].offset);

    for (gint c = 0; c < result->channels; c++) {
      print_name (place, "loudness", histo_loudness_arrays[i].name,
          c == 0 ? "0" : "1");
      g_print ("%.17g\n", array[c]);
    }
  }
}

static void
print_result (const GstStructure * structure)
{
  HistoResult result = { 0 };
  HistoTimes times;
  Place place = { NULL, 0, NULL };

  g_assert_true (histo_read_result (structure, &result, NULL));
  g_assert_true (histo_read_times (structure, &times));
  place.media = result.is_audio ? "audio" : "video";
  place.time = times.stream_time;
  if (result.is_audio)
    print_sound (&place, &result);
  for (guint r = 0; r < result.n_regions; r++) {
    place.region = r == 0 ? NULL : result.regions[r].region.name;
    print_region (&place, &result, r);
  }
  histo_result_clear (&result);
}

int
main (int argc, char **argv)
{
  GstElement *pipeline, *source;
  GError *error = NULL;
  GstMessage *message;
  gboolean is_done = FALSE;
  gchar *text;

  gst_init (&argc, &argv);
  g_assert_cmpint (argc, ==, 4);
  text = g_strdup_printf ("filesrc name=source ! decodebin name=decoder "
      "decoder. ! video/x-raw ! cudahisto post-messages=true meta=false "
      "measures=%s regions=\"%s\" region-histograms=true ! fakesink async=false "
      "decoder. ! audio/x-raw ! cudahisto post-messages=true meta=false "
      "measures=%s ! fakesink async=false", argv[2], argv[3], argv[2]);
  pipeline = gst_parse_launch (text, &error);
  g_assert_no_error (error);
  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_object_set (source, "location", argv[1], NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!is_done) {
    message = gst_bus_timed_pop_filtered (GST_ELEMENT_BUS (pipeline),
        GST_CLOCK_TIME_NONE, GST_MESSAGE_ELEMENT | GST_MESSAGE_EOS
        | GST_MESSAGE_ERROR);
    g_assert_true (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR);
    if (gst_message_has_name (message, HISTO_RESULT_NAME))
      print_result (gst_message_get_structure (message));
    is_done = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    gst_message_unref (message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (source);
  gst_object_unref (pipeline);
  g_free (text);
  return 0;
}
