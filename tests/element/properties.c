/* Properties: types, defaults, refused values, counters, and changes while frames are in flight.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"

/* ---- The properties ------------------------------------------------------------------------- */

/* Each property as the documentation has it. */
static const struct
{
  const gchar *name, *type, *preset, *other;    /* `other`: a value that differs; NULL: read-only */
  gdouble least, most;          /* of numbers; 0, 0: the whole type, or no number */
} properties[] = {
  {"backend", "GstCudaHistoBackend", "auto", "cpu", 0, 0},
  {"active-backend", "gchararray", NULL, NULL, 0, 0},
  {"cuda-device-id", "gint", "-1", "3", -1, G_MAXINT},
  {"meta", "gboolean", "true", "false", 0, 0},
  {"audio-level-meta", "gboolean", "false", "true", 0, 0},
  {"post-messages", "gboolean", "false", "true", 0, 0},
  {"message-interval", "guint64", "0", "12345678901234567890", 0, 0},
  {"interval", "guint64", "0", "12345678901234567890", 0, 0},
  {"histogram", "gboolean", "true", "false", 0, 0},
  {"region-histograms", "gboolean", "false", "true", 0, 0},
  {"bins", "guint", "0", "17", 0, 65536},
  {"range-min", "gdouble", "0", "-7.5", -G_MAXDOUBLE, G_MAXDOUBLE},
  {"range-max", "gdouble", "0", "7.5", -G_MAXDOUBLE, G_MAXDOUBLE},
  {"bin-edges", "gchararray", NULL, "-7.5, 0,1e3", 0, 0},
  {"measures", "GstCudaHistoMeasures", "basic", "basic+signal+level", 0, 0},
  {"regions", "gchararray", NULL, "a=1,2,3%,4; b=0,0,9,9", 0, 0},
  {"rules", "gchararray", NULL, "a: Y.mean < 3; b: ch*.rms < -3 dB for 2 s", 0, 0},
  {"result-name", "gchararray", NULL, "camera-1", 0, 0},
  {"mask", "gchararray", NULL, "alpha", 0, 0},
  {"roi-meta", "gboolean", "false", "true", 0, 0},
  {"window", "guint64", "0", "1000000000", 0, 0},
  {"every", "guint", "1", "25", 1, G_MAXUINT},
  {"alerts", "GstCudaHistoAlerts", "", "black+clipping", 0, 0},
  {"black-level", "gdouble", "0.10", "0.2", 0, 1},
  {"black-ratio", "gdouble", "0.98", "0.5", 0, 1},
  {"black-duration", "guint64", "2000000000", "0", 0, 0},
  {"freeze-noise", "gdouble", "0.001", "0.01", 0, 1},
  {"freeze-duration", "guint64", "2000000000", "1", 0, 0},
  {"scene-threshold", "gdouble", "10", "20.5", 0, 100},
  {"range-ratio", "gdouble", "0.01", "0.1", 0, 1},
  {"silence-level", "gdouble", "-60", "-90.3", -1000, 0},
  {"silence-duration", "guint64", "2000000000", "5", 0, 0},
  {"clipping-samples", "guint", "3", "1", 1, G_MAXUINT},
  {"loudness-target", "gdouble", "-23", "-16", -70, 0},
  {"loudness-tolerance", "gdouble", "1", "0.5", 0, 100},
  {"max-in-flight", "guint", "4", "64", 1, 64},
  {"hold-previous", "gboolean", "false", "true", 0, 0},
  {"qos", "gboolean", "false", "true", 0, 0},
  {"stats", "GstStructure", NULL, NULL, 0, 0},
  {"page-lock-upstream", "gboolean", "false", "true", 0, 0},
  {"page-lock-limit", "guint64", "268435456", "4096", 0, 0},
};

/* The property has the value that the text describes; NULL: it is not looked at. */
static void
check_value (GstElement * element, GParamSpec * spec, const gchar * text)
{
  GValue value = G_VALUE_INIT, expected = G_VALUE_INIT;

  g_value_init (&value, spec->value_type);
  g_value_init (&expected, spec->value_type);
  g_object_get_property (G_OBJECT (element), spec->name, &value);
  if (text != NULL && G_VALUE_HOLDS_STRING (&value)) {
    fail_unless_equals_string (g_value_get_string (&value), text);
  } else if (text != NULL) {
    gchar *its_text = gst_value_serialize (&value);

    fail_unless (*text == '\0' || gst_value_deserialize (&expected, text));
    fail_unless (gst_value_compare (&value, &expected) == GST_VALUE_EQUAL,
        "%s is %s, not %s", spec->name, its_text, text);
    g_free (its_text);
  }
  g_value_unset (&value);
  g_value_unset (&expected);
}

/* The class has these properties and no more, with these types, bounds and defaults. Each has a
 * description. */
TEST (test_defaults)
{
  GstElement *element = gst_element_factory_make ("cudahisto", NULL);
  GObjectClass *klass = G_OBJECT_GET_CLASS (element);
  GParamSpec **specs;
  guint n_specs, n_own = 0;

  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    GParamSpec *spec =
        g_object_class_find_property (klass, properties[i].name);

    fail_unless (spec != NULL, "no %s", properties[i].name);
    fail_unless_equals_string (g_type_name (spec->value_type),
        properties[i].type);
    fail_unless (strlen (g_param_spec_get_blurb (spec)) > 20);
    fail_unless (strlen (g_param_spec_get_nick (spec)) > 1);
    fail_unless_equals_int ((spec->flags & G_PARAM_WRITABLE) != 0,
        properties[i].other != NULL);
    check_value (element, spec, properties[i].preset);
    if (properties[i].preset != NULL) {
      GValue value = G_VALUE_INIT;

      g_value_init (&value, spec->value_type);
      g_object_get_property (G_OBJECT (element), spec->name, &value);
      fail_unless (g_param_value_defaults (spec, &value), "%s", spec->name);
      g_value_unset (&value);
    }
    if (G_IS_PARAM_SPEC_DOUBLE (spec)) {
      fail_unless (G_PARAM_SPEC_DOUBLE (spec)->minimum == properties[i].least);
      fail_unless (G_PARAM_SPEC_DOUBLE (spec)->maximum == properties[i].most);
    } else if (G_IS_PARAM_SPEC_UINT (spec)) {
      fail_unless (G_PARAM_SPEC_UINT (spec)->minimum == properties[i].least);
      fail_unless (G_PARAM_SPEC_UINT (spec)->maximum == properties[i].most);
    } else if (G_IS_PARAM_SPEC_UINT64 (spec)) {
      fail_unless (G_PARAM_SPEC_UINT64 (spec)->minimum == 0);
      fail_unless (G_PARAM_SPEC_UINT64 (spec)->maximum == G_MAXUINT64);
    }
  }
  specs = g_object_class_list_properties (klass, &n_specs);
  for (guint i = 0; i < n_specs; i++)
    n_own += specs[i]->owner_type == G_OBJECT_TYPE (element);
  fail_unless_equals_int (n_own, G_N_ELEMENTS (properties));
  g_free (specs);
  gst_object_unref (element);
}

/* Two names of one setting, or the same name. */
static gboolean
are_one_setting (const gchar * a, const gchar * b)
{
  const gboolean are_intervals = g_str_has_suffix (a, "interval") && g_str_has_suffix (b, "interval");

  return g_str_equal (a, b) || are_intervals;
}

/* A property that is set has its new value, and the others keep theirs. */
TEST (test_set_and_get)
{
  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    GstElement *element;

    if (properties[i].other == NULL)
      continue;
    element = gst_element_factory_make ("cudahisto", NULL);
    gst_util_set_object_arg (G_OBJECT (element), properties[i].name,
        properties[i].other);
    for (guint k = 0; k < G_N_ELEMENTS (properties); k++)
      check_value (element,
          g_object_class_find_property (G_OBJECT_GET_CLASS (element),
              properties[k].name),
          are_one_setting (properties[k].name, properties[i].name) ? properties[k].other : properties[k].preset);
    gst_object_unref (element);
  }
}

static const gchar *
nick_of (GstElement * element, const gchar * property, guint i)
{
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), property);

  if (G_IS_PARAM_SPEC_FLAGS (spec)) {
    GFlagsClass *flags = G_PARAM_SPEC_FLAGS (spec)->flags_class;

    fail_unless (i >= flags->n_values || flags->values[i].value == 1u << i);
    return i < flags->n_values ? flags->values[i].value_nick : NULL;
  } else {
    GEnumClass *enums = G_PARAM_SPEC_ENUM (spec)->enum_class;

    return i < enums->n_values ? enums->values[i].value_nick : NULL;
  }
}

/* The names of backends, groups and alerts, in the order of their numbers. */
TEST (test_nicks)
{
  static const gchar *const lists[][16] = {
    {"backend", "auto", "cuda", "cpu"},
    {"measures", "basic", "signal", "motion", "color", "hdr", "detail",
        "area", "level", "loudness", "gamut", "gamut-filter", "flash", "field", "scopes"},
    {"alerts", "black", "freeze", "scene", "range", "silence", "clipping",
        "loudness"},
  };
  GstElement *element = gst_element_factory_make ("cudahisto", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    for (guint k = 0; k == 0 || lists[i][k] != NULL; k++)
      fail_unless_equals_string (nick_of (element, lists[i][0], k),
          lists[i][k + 1]);
  }
  gst_object_unref (element);
}

/* The group `basic` is always on. */
TEST (test_basic_is_always_on)
{
  GstElement *element = gst_element_factory_make ("cudahisto", NULL);
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), "measures");

  g_object_set (element, "measures", 0, NULL);
  check_value (element, spec, "basic");
  gst_util_set_object_arg (G_OBJECT (element), "measures", "hdr+area");
  check_value (element, spec, "basic+hdr+area");
  gst_object_unref (element);
}

/* ---- Values that are refused ---------------------------------------------------------------- */

/* This message is a warning about settings, and the only warning. Its details contain this word.
 * Takes the message. */
static void
check_one_warning (GstHarness * harness, GstMessage * message,
    const gchar * word)
{
  GError *error = NULL;
  gchar *details = NULL;

  gst_message_parse_warning (message, &error, &details);
  fail_unless (g_error_matches (error, GST_LIBRARY_ERROR,
          GST_LIBRARY_ERROR_SETTINGS));
  fail_unless (strstr (error->message, "previous value is kept") != NULL);
  fail_unless (strstr (details, word) != NULL, "%s", details);
  g_error_free (error);
  g_free (details);
  gst_message_unref (message);
  fail_unless (test_pop_message (harness, GST_MESSAGE_WARNING) == NULL);
}

/* One warning, about settings, has been posted. Its details contain this word. */
static void
check_warning (GstHarness * harness, const gchar * word)
{
  GstMessage *message = test_pop_message (harness, GST_MESSAGE_WARNING);

  fail_unless (message != NULL, "no warning about %s", word);
  check_one_warning (harness, message, word);
}

/* A text that describes no regions: one warning, and the old regions are kept. */
TEST (test_refused_regions)
{
  GstHarness *harness = test_gray_harness_new ("regions=\"a=1,2,3,4\"");
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (harness->element),
      "regions");

  g_object_set (harness->element, "regions", "b=1,2,3", NULL);
  check_warning (harness, "four numbers");
  check_value (harness->element, spec, "a=1,2,3,4");
  test_push_frame (harness, 1);
  test_pull_frame (harness, 1);
  g_object_set (harness->element, "regions", "c", NULL);
  check_warning (harness, "\"c\"");
  check_value (harness->element, spec, "a=1,2,3,4");
  g_object_set (harness->element, "regions", "d=1,2,3,4", NULL);
  check_value (harness->element, spec, "d=1,2,3,4");
  test_push_frame (harness, 2);
  test_pull_frame (harness, 2);
  g_object_set (harness->element, "regions", NULL, NULL);
  fail_unless (test_pop_message (harness, GST_MESSAGE_WARNING) == NULL);
  test_push_frame (harness, 3);
  test_pull_frame (harness, 3);
  test_harness_free (harness);
}

/* A text that is no rules: one warning that has the place and what is allowed there, and the old rules are kept. */
TEST (test_refused_rules)
{
  GstHarness *harness = test_gray_harness_new ("rules=\"a: Y.mean < 3\"");
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (harness->element), "rules");
  static const gchar *const refused[][2] = {
    {"a: Y.maen < 3", "line 1, column 6: \"Y.maen\" is no figure; the nearest: Y.mean"},
    {"a: Y.mean < 3;\n b: Y", "line 2, column 6: \"Y\" is no figure; after \"Y.\" there may be: count, min"},
    {"a: Y.mean < 3 in 3 %", "line 1, column 15: the property has no in"},
    {"a: Y.mean < 3 frames 3", "line 1, column 15: the property has no in and no frames"},
    {"a: whole.Y.mean < 3", "line 1, column 4: the property has no figures \"whole.\""},
    {"a: fact.width < 3", "line 1, column 4: the property has no figures \"fact.\""},
  };

  for (guint i = 0; i < G_N_ELEMENTS (refused); i++) {
    g_object_set (harness->element, "rules", refused[i][0], NULL);
    check_warning (harness, refused[i][1]);
    check_value (harness->element, spec, "a: Y.mean < 3");
  }
  test_push_frame (harness, 1);
  test_pull_frame (harness, 1);
  g_object_set (harness->element, "rules", "b: Y.mean > 3", NULL);
  check_value (harness->element, spec, "b: Y.mean > 3");
  g_object_set (harness->element, "rules", NULL, NULL);
  check_value (harness->element, spec, NULL);
  fail_unless (test_pop_message (harness, GST_MESSAGE_WARNING) == NULL);
  test_harness_free (harness);
}

/* Values that are refused while there is no bus: each kind has one warning, which is posted when
 * the element is started, and is not posted at the next start. */
TEST (test_refused_before_start)
{
  GstHarness *harness =
      test_harness_new ("regions=nothing bins=70000 regions=nothing2 rules=nothing");
  guint n_warnings = 0;
  GstMessage *message;

  while ((message = test_pop_message (harness, GST_MESSAGE_WARNING)) != NULL) {
    n_warnings++;
    gst_message_unref (message);
  }
  fail_unless_equals_int (n_warnings, 3);
  test_set_state (harness->element, GST_STATE_READY);
  test_set_state (harness->element, GST_STATE_PLAYING);
  fail_unless (test_pop_message (harness, GST_MESSAGE_WARNING) == NULL);
  test_harness_free (harness);
}

/* A value that needs loudness is accepted, or it is refused with one warning that names the library,
 * and the property keeps its old value. Returns whether it is accepted. */
static gboolean
set_loudness (const gchar * property, const gchar * before,
    const gchar * after)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (harness->element),
      property);
  GstMessage *message;
  gboolean accepted;

  gst_util_set_object_arg (G_OBJECT (harness->element), property, before);
  fail_unless (test_pop_message (harness, GST_MESSAGE_WARNING) == NULL);
  gst_util_set_object_arg (G_OBJECT (harness->element), property, after);
  /* Only a warning says that the value is refused: the element's thread may post other messages. */
  message = test_pop_message (harness, GST_MESSAGE_WARNING);
  accepted = message == NULL;
  if (!accepted)
    check_one_warning (harness, message, "libebur128");
  check_value (harness->element, spec, accepted ? after : before);
  test_push_frame (harness, 1);
  test_pull_frame (harness, 1);
  test_harness_free (harness);
  return accepted;
}

/* The group, the alert and a rule are accepted or refused together. */
TEST (test_loudness)
{
  const gboolean accepted = set_loudness ("measures", "basic+level", "basic+loudness");

  fail_unless_equals_int (set_loudness ("alerts", "clipping", "black+loudness"), accepted);
  fail_unless_equals_int (set_loudness ("rules", "a: ch0.rms < 3", "a: loudness.integrated < -23"), accepted);
}

/* ---- The active backend --------------------------------------------------------------------- */

/* `active-backend` is set from the first caps until the element is stopped. */
TEST (test_active_backend)
{
  GstHarness *harness = test_harness_new (NULL);
  gchar *active = NULL;

  g_object_get (harness->element, "active-backend", &active, NULL);
  fail_unless (active == NULL);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  test_push_frame (harness, 1);
  test_pull_frame (harness, 1);
  g_object_get (harness->element, "active-backend", &active, NULL);
  fail_unless_equals_string (active, test_backend ());
  g_free (active);
  test_set_state (harness->element, GST_STATE_NULL);
  g_object_get (harness->element, "active-backend", &active, NULL);
  fail_unless (active == NULL);
  test_harness_free (harness);
}

/* ---- The counters in `stats` ---------------------------------------------------------------- */

/* They start at zero and count frames and bytes. */
TEST (test_stats)
{
  static const gchar *const counters[] = { "frames", "bytes", "dropped",
    "fallbacks", "gpu-time", "cpu-time"
  };
  GstHarness *harness = test_gray_harness_new (NULL);
  GstStructure *stats = NULL;

  g_object_get (harness->element, "stats", &stats, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (counters); i++)
    fail_unless_equals_uint64 (test_get_uint64 (stats, counters[i]), 0);
  fail_unless (gst_structure_has_field_typed (stats, "queue-level",
          G_TYPE_UINT));
  gst_structure_free (stats);
  for (guint n = 0; n < 10; n++) {
    test_push_frame (harness, n);
    test_pull_frame (harness, n);
  }
  fail_unless_equals_uint64 (test_get_stat (harness, "frames"), 10);
  fail_unless_equals_uint64 (test_get_stat (harness, "bytes"), 10 * GRAY_SIZE);
  fail_unless_equals_uint64 (test_get_stat (harness, "dropped"), 0);
  fail_unless_equals_uint64 (test_get_stat (harness, "fallbacks"), 0);
  fail_unless (test_get_stat (harness, "cpu-time") > 0);
  test_harness_free (harness);
}

/* After a restart they count from zero; the first frame is counted. */
TEST (test_stats_after_restart)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  guint n;

  for (n = 0; n < 20; n++) {
    test_push_frame (harness, n);
    test_pull_frame (harness, n);
  }
  test_set_state (harness->element, GST_STATE_READY);
  test_set_state (harness->element, GST_STATE_PLAYING);
  gst_harness_push_event (harness, gst_event_new_stream_start ("again"));
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  test_check_flow_after_flush (harness, n);
  fail_unless_equals_uint64 (test_get_stat (harness, "frames"), 1);
  fail_unless (test_get_stat (harness, "cpu-time") > 0);
  test_harness_free (harness);
}

/* They keep their values after a stop and are reset at the next start. */
TEST (test_stats_are_reset)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  guint64 cpu_time;

  test_push_frame (harness, 0);
  test_pull_frame (harness, 0);
  gst_element_set_state (harness->element, GST_STATE_READY);
  cpu_time = test_get_stat (harness, "cpu-time");
  fail_unless (cpu_time > 0);
  gst_element_set_state (harness->element, GST_STATE_NULL);
  fail_unless_equals_uint64 (test_get_stat (harness, "frames"), 1);
  fail_unless_equals_uint64 (test_get_stat (harness, "cpu-time"), cpu_time);
  gst_element_set_state (harness->element, GST_STATE_PAUSED);
  fail_unless_equals_uint64 (test_get_stat (harness, "frames"), 0);
  fail_unless_equals_uint64 (test_get_stat (harness, "cpu-time"), 0);
  fail_unless_equals_uint64 (test_get_stat (harness, "gpu-time"), 0);
  test_harness_free (harness);
}

/* ---- Changes while it runs ------------------------------------------------------------------ */

static void
change_settings (GstElement * element, guint n)
{
  static const gchar *const regions[] = { "a=0,0,50%,50%", "a=1,1,2,2;b=2,2,9,9",
    NULL
  };
  static const gchar *const rules[] = { "a: Y.mean < 40; b: regions.*.Y.max <= 100",
    "c: motion.repeat = 0; d: ch*.rms < -3", NULL
  };

  switch (n % 14) {
    case 0:
      g_object_set (element, "bins", 16, NULL);
      break;
    case 1:
      g_object_set (element, "range-min", -8.0, "range-max", 200.5, NULL);
      break;
    case 2:
      g_object_set (element, "max-in-flight", 1 + n % 13, NULL);
      break;
    case 3:
      g_object_set (element, "histogram", n % 16 < 8, NULL);
      break;
    case 4:
      g_object_set (element, "range-min", 0.0, "range-max", 0.0, NULL);
      break;
    case 5:
      g_object_set (element, "bins", 0, NULL);
      break;
    case 6:
      g_object_set (element, "post-messages", n % 16 < 8, NULL);
      break;
    case 7:
      g_object_set (element, "measures", n % 256, NULL);
      break;
    case 8:
      g_object_set (element, "regions", regions[n % 3], NULL);
      break;
    case 9:
      g_object_set (element, "alerts", n % 64, "black-level", n % 10 / 10.,
          NULL);
      break;
    case 12:
      g_object_set (element, "rules", rules[n % 3], NULL);
      break;
    case 10:
      g_object_set (element, "roi-meta", n % 2 == 0, NULL);
      break;
    case 11:
      g_object_set (element, "window", (guint64) (n % 3) * GST_SECOND, NULL);
      break;
    default:
      break;
  }
}

/* Changes while frames are in flight lose no frame and post no warning. */
TEST (test_change_while_running)
{
  GstHarness *harness = test_gray_harness_new (NULL);

  for (guint n = 0; n < 200; n++) {
    change_settings (harness->element, n);
    test_push_frame (harness, n);
  }
  for (guint n = 0; n < 200; n++)
    test_pull_frame (harness, n);
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_WARNING),
      0);
  test_harness_free (harness);
}

static void
check_bins (GstHarness * harness, guint bins, gdouble min, gdouble max)
{
  GstBuffer *buffer = gst_harness_push_and_pull (harness, test_frame_new (77));
  const GstStructure *y = test_component (test_result (buffer), "Y");
  GBytes *histogram = NULL;
  guint its_bins = 0;

  fail_unless (gst_structure_get (y, "bins", G_TYPE_UINT, &its_bins,
          "histogram", G_TYPE_BYTES, &histogram, NULL));
  fail_unless_equals_int (its_bins, bins);
  fail_unless_equals_int (g_bytes_get_size (histogram), 4 * bins);
  fail_unless_equals_float (test_get_double (y, "range-min"), min);
  fail_unless_equals_float (test_get_double (y, "range-max"), max);
  fail_unless_equals_float (test_get_double (y, "p50"), 77);
  g_bytes_unref (histogram);
  test_check_frame (buffer, 77);
  gst_buffer_unref (buffer);
}

/* A change takes effect with the next frame. */
TEST (test_change_takes_effect)
{
  GstHarness *harness = test_gray_harness_new (NULL);

  check_bins (harness, 256, 0, 256);
  g_object_set (harness->element, "bins", 10, NULL);
  check_bins (harness, 10, 0, 256);
  g_object_set (harness->element, "range-min", 16.0, "range-max", 235.0, NULL);
  check_bins (harness, 10, 16, 235);
  g_object_set (harness->element, "max-in-flight", 1, NULL);
  check_bins (harness, 10, 16, 235);
  g_object_set (harness->element, "bins", 0, NULL);
  check_bins (harness, 256, 16, 235);
  g_object_set (harness->element, "range-min", 0.0, "range-max", 0.0, NULL);
  check_bins (harness, 256, 0, 256);
  test_harness_free (harness);
}

/* The edges are those of samples: components of groups, and the figures that follow from native counts, are as without.
 * Regions have them, too. */
TEST (test_edges_of_groups)
{
  static const gchar *const groups[] = { "signal", "saturation", "color", "R", "hdr", "maxrgb", "detail", "gradient" };
  GstHarness *harnesses[2] = { NULL, };
  const GstStructure *results[2] = { NULL, };
  GstBuffer *frames[2] = { NULL, };
  const GstStructure *region;
  GstStructure *rest;

  for (guint i = 0; i < 2; i++) {
    g_autofree gchar *settings = g_strconcat ("measures=signal+color+hdr+detail+scopes "
        "region-histograms=true regions=\"a=0,0,50%,50%\" ", i == 0 ? NULL : "bin-edges=10,20,100,250", NULL);

    harnesses[i] = test_harness_new (settings);
    gst_harness_set_src_caps_str (harnesses[i], "video/x-raw, format=I420, width=16, height=16, framerate=25/1");
    frames[i] = gst_harness_push_and_pull (harnesses[i], test_buffer_new (384, 77, 0));
    results[i] = test_result (frames[i]);
  }
  for (guint g = 0; g < G_N_ELEMENTS (groups); g += 2)
    fail_unless (gst_structure_is_equal (test_component (results[0], groups[g]), test_component (results[1], groups[g])));
  fail_unless (gst_structure_is_equal (test_component (results[0], "scopes"), test_component (results[1], "scopes")));
  region = gst_value_get_structure (gst_value_array_get_value (gst_structure_get_value (results[1], "regions"), 0));
  for (guint i = 0; i < 2; i++) {
    const GstStructure *y = test_component (i == 0 ? results[1] : region, "Y");
    g_autoptr (GBytes) edges = NULL, histogram = NULL;

    fail_unless (gst_structure_get (y, "edges", G_TYPE_BYTES, &edges, "histogram", G_TYPE_BYTES, &histogram, NULL));
    fail_unless_equals_int (g_bytes_get_size (edges), 32);
    fail_unless_equals_int (g_bytes_get_size (histogram), 12);
    fail_if (gst_structure_has_field (y, "range-min") || gst_structure_has_field (y, "range-max"));
  }
  /* The rest of the component is that of native counts. */
  rest = gst_structure_copy (test_component (results[1], "Y"));
  gst_structure_remove_fields (rest, "edges", "bins", "histogram", NULL);
  fail_unless (gst_structure_is_subset (test_component (results[0], "Y"), rest));
  gst_structure_free (rest);
  for (guint i = 0; i < 2; i++)
    gst_buffer_unref (frames[i]);
  for (guint i = 0; i < 2; i++)
    test_harness_free (harnesses[i]);
}

static void
count_notify (GObject * object, GParamSpec * spec, gpointer user_data)
{
  gchar *backend;

  g_object_get (object, "active-backend", &backend, NULL);
  g_string_append_printf (user_data, "%s ", backend != NULL ? backend : "none");
  g_free (backend);
}

/* active-backend notifies each change, and nothing else. */
TEST (test_notify_backend)
{
  GstHarness *harness = test_harness_new (NULL);
  GString *values = g_string_new (NULL);
  gchar *once = g_strdup_printf ("%s none ", test_backend ());
  gchar *twice = g_strconcat (once, once, NULL);

  g_signal_connect (harness->element, "notify::active-backend",
      G_CALLBACK (count_notify), values);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  for (guint n = 0; n < 3; n++) {
    test_push_frame (harness, n);
    test_pull_frame (harness, n);
  }
  gst_harness_set_src_caps_str (harness,
      "video/x-raw, format=GRAY8, width=4, height=8, framerate=25/1");
  gst_buffer_unref (gst_harness_push_and_pull (harness,
          test_buffer_new (32, 0, 0)));
  /* The engine is closed, and opened on another device. */
  test_set_state (harness->element, GST_STATE_READY);
  g_object_set (harness->element, "cuda-device-id", 0, NULL);
  test_set_state (harness->element, GST_STATE_PLAYING);
  fail_unless_equals_string (values->str, once);
  test_restart_stream (harness, GRAY_CAPS);
  test_push_segment (harness);
  test_push_frame (harness, 0);
  test_pull_frame (harness, 0);
  test_set_state (harness->element, GST_STATE_NULL);
  fail_unless_equals_string (values->str, twice);
  test_harness_free (harness);
  g_string_free (values, TRUE);
  g_free (once);
  g_free (twice);
}

TEST_MAIN (5)
