/* Calls each function of the library with NULL and with numbers that are out of range. None may crash: it either takes
 * what it gets, or refuses it with a critical warning of GLib, and the program says which.
 *
 *   functions [--list]
 *
 * --list prints the names of the functions that are called. tests/library/functions.py compares them with the headers
 * and with the library.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cudahisto/alert-words.h>
#include <cudahisto/channels.h>
#include <cudahisto/clock.h>
#include <cudahisto/colorimetry.h>
#include <cudahisto/comparison.h>
#include <cudahisto/cudahisto.h>
#include <cudahisto/depth.h>
#include <cudahisto/inner.h>
#include <cudahisto/light.h>
#include <cudahisto/power.h>
#include <cudahisto/range.h>
#include <cudahisto/rule-figures.h>
#include <cudahisto/span.h>

#include <string.h>

/* ---- The program -------------------------------------------------------------------------- */

typedef struct
{
  const gchar *name;
  void (*call) (void);
} Function;

static Function functions[256];
static guint n_functions, n_criticals, n_failures;

/* The head of the calls of one function. */
#define FUNCTION(function) \
  static void call_##function (void); \
  static void __attribute__ ((constructor)) \
  add_##function (void) \
  { \
    g_assert (n_functions < G_N_ELEMENTS (functions)); \
    functions[n_functions++] = (Function) { #function, call_##function }; \
  } \
  static void \
  call_##function (void)

static void
check_condition (gboolean condition, gint line, const gchar * text)
{
  if (!condition)
    g_printerr ("line %d: %s\n", line, text);
  n_failures += !condition;
}

#define check(condition) check_condition (condition, __LINE__, #condition)

/* The library refuses this call, once. */
#define REFUSED(call) \
  do { \
    const guint before = n_criticals; \
    call; \
    check_condition (n_criticals == before + 1, __LINE__, "is not refused: " #call); \
    n_criticals = before; \
  } while (0)

static GLogWriterOutput
count_criticals (GLogLevelFlags level, const GLogField * fields, gsize n, gpointer data)
{
  if ((level & G_LOG_LEVEL_MASK) == G_LOG_LEVEL_CRITICAL)
    n_criticals++;
  return G_LOG_WRITER_HANDLED;
}

/* ---- What the functions get --------------------------------------------------------------- */

/* One region without anything, and one component, whose histogram has another size than it says. */
static void
make_result (HistoResult * result)
{
  memset (result, 0, sizeof *result);
  histo_result_set_n_components (result, 1);
  histo_result_set_n_regions (result, 1);
  histo_groups_clear (&result->regions[0].figures);
  result->n_region_components = 1;
  result->groups = HISTO_GROUP_FLAG (HISTO_GROUP_BASIC);
  result->format = "GRAY8";
  result->components[0].name = "Y";
  result->components[0].figures.bins = 256;
  result->components[0].histogram = g_bytes_new_static ("1234", 4);
}

static HistoRules *
make_rules (void)
{
  return histo_rules_parse ("dark: Y.mean < 40", HISTO_RULES_OF_POLICY, NULL, NULL, NULL);
}

static const HistoGroupFigureInfo *const choice = &histo_group_figures[HISTO_GROUP_FIGURE_FLASH_state];
static const HistoGroupFigureInfo *const number = &histo_group_figures[HISTO_GROUP_FIGURE_MOTION_mafd];

/* ---- read.h --------------------------------------------------------------------------------- */

FUNCTION (histo_read_known)
{
  HistoResult result;
  GError *error = NULL;

  make_result (&result);
  check (!histo_read_known (NULL, &result, &error) && error != NULL && result.components == NULL);
  g_clear_error (&error);
  REFUSED (histo_read_known (NULL, NULL, &error));
  check (error == NULL);
}

FUNCTION (histo_read_result)
{
  GstStructure *structure = gst_structure_new_empty ("cudahisto");
  HistoResult result;
  GError *error = NULL;

  make_result (&result);
  check (!histo_read_result (NULL, &result, &error) && error != NULL && result.components == NULL);
  g_clear_error (&error);
  check (!histo_read_result (NULL, &result, NULL));
  check (!histo_read_result (structure, &result, NULL));
  REFUSED (histo_read_result (structure, NULL, &error));
  REFUSED (histo_read_result (NULL, NULL, NULL));
  check (error == NULL);
  gst_structure_free (structure);
}

FUNCTION (histo_read_times)
{
  GstStructure *structure = gst_structure_new_empty ("cudahisto");
  HistoTimes times;

  check (!histo_read_times (NULL, &times));
  REFUSED (histo_read_times (structure, NULL));
  gst_structure_free (structure);
}

FUNCTION (histo_read_buffers)
{
  GstStructure *structure = gst_structure_new_empty ("cudahisto");
  guint64 n;

  check (!histo_read_buffers (NULL, &n));
  REFUSED (histo_read_buffers (structure, NULL));
  gst_structure_free (structure);
}

FUNCTION (histo_read_alert)
{
  GstStructure *structure = gst_structure_new_empty ("cudahisto-alert");
  HistoAlertEvent event;
  GError *error = NULL;

  check (!histo_read_alert (NULL, &event, &error) && error != NULL && event.own == NULL && event.region == NULL);
  g_clear_error (&error);
  check (!histo_read_alert (NULL, &event, NULL) && !histo_read_alert (structure, &event, NULL));
  REFUSED (histo_read_alert (structure, NULL, NULL));
  gst_structure_free (structure);
}

FUNCTION (histo_read_alerts)
{
  GArray *alerts = g_array_new (FALSE, FALSE, sizeof (HistoAlertEvent));
  GArray *bytes = g_array_new (FALSE, FALSE, 1);
  GstStructure *structure = gst_structure_new_empty ("cudahisto");
  GError *error = NULL;

  check (!histo_read_alerts (NULL, alerts, &error) && error != NULL);
  g_clear_error (&error);
  check (!histo_read_alerts (NULL, alerts, NULL) && alerts->len == 0);
  REFUSED (histo_read_alerts (structure, NULL, NULL));
  REFUSED (histo_read_alerts (structure, bytes, NULL));
  gst_structure_free (structure);
  g_array_unref (alerts);
  g_array_unref (bytes);
}

FUNCTION (histo_alert_event_clear)
{
  HistoAlertEvent event = {.region = "logo" };

  histo_alert_event_clear (NULL);
  histo_alert_event_clear (&event);
  histo_alert_event_clear (&event);
  check (event.region == NULL);
}

FUNCTION (histo_alert_write_place)
{
  HistoAlertEvent event = {.region = "größer" };
  gchar text[8] = "unset..";

  REFUSED (histo_alert_write_place (NULL, text, sizeof text));
  check (text[0] == '\0');
  REFUSED (histo_alert_write_place (&event, NULL, sizeof text));
  strcpy (text, "unset..");
  REFUSED (histo_alert_write_place (&event, text, 0));
  check (g_str_equal (text, "unset.."));
  /* ö and ß have two bytes. */
  histo_alert_write_place (&event, text, 6);
  check (g_str_equal (text, "grö"));
  histo_alert_write_place (&event, text, 1);
  check (text[0] == '\0');
  event.region = NULL;
  histo_alert_write_place (&event, text, sizeof text);
  check (text[0] == '\0');
}

/* ---- result.h ------------------------------------------------------------------------------- */

FUNCTION (histo_result_clear)
{
  HistoResult result = { 0, };

  histo_result_clear (NULL);
  histo_result_clear (&result);
}

FUNCTION (histo_result_find_component)
{
  HistoResult result, empty = { 0, };

  make_result (&result);
  check (histo_result_find_component (NULL, 0, HISTO_GROUP_BASIC, "Y") == NULL);
  check (histo_result_find_component (&result, 0, HISTO_GROUP_BASIC, NULL) == NULL);
  check (histo_result_find_component (&result, 0, HISTO_GROUP_BASIC, "Y") != NULL);
  check (histo_result_find_component (&result, 1, HISTO_GROUP_BASIC, "Y") == NULL);
  check (histo_result_find_component (&result, G_MAXUINT, HISTO_GROUP_BASIC, "Y") == NULL);
  check (histo_result_find_component (&result, 0, HISTO_N_GROUPS, "Y") == NULL);
  check (histo_result_find_component (&empty, 0, HISTO_GROUP_BASIC, "Y") == NULL);
  histo_result_clear (&result);
}

FUNCTION (histo_components_format)
{
  REFUSED (check (histo_components_format (NULL, 1) == HISTO_HAS_GRAY));
  check (histo_components_format (NULL, 0) == HISTO_HAS_GRAY);
}

FUNCTION (histo_component_add_counts)
{
  guint64 counts[256] = { 0, };
  HistoResult result;

  make_result (&result);
  REFUSED (histo_component_add_counts (NULL, counts));
  REFUSED (histo_component_add_counts (&result.components[0], NULL));
  check (!histo_component_add_counts (&result.components[0], counts) && counts[0] == 0);
  result.components[0].figures.bins = G_MAXUINT;
  check (!histo_component_add_counts (&result.components[0], counts) && counts[0] == 0);
  histo_result_clear (&result);
}

FUNCTION (histo_component_get_edges)
{
  gdouble edges[257] = { 7 };
  HistoResult result;

  make_result (&result);
  REFUSED (histo_component_get_edges (NULL, edges));
  REFUSED (histo_component_get_edges (&result.components[0], NULL));
  /* There is no range. */
  check (!histo_component_get_edges (&result.components[0], edges) && edges[0] == 7);
  result.components[0].figures.range_max = 512;
  check (histo_component_get_edges (&result.components[0], edges) && edges[1] == 2 && edges[256] == 512);
  result.components[0].figures.bins = G_MAXUINT;
  check (!histo_component_get_edges (&result.components[0], edges));
  result.components[0].edges = g_bytes_new_static ("12345678", 8);
  check (!histo_component_get_edges (&result.components[0], edges));
  histo_result_clear (&result);
}

FUNCTION (histo_equal_edges)
{
  gdouble edges[2];

  histo_equal_edges (-1, 1, 1, edges);
  check (edges[0] == -1 && edges[1] == 1);
}

FUNCTION (histo_edges_are_valid)
{
  static const gdouble edges[] = { -1, 1 };
  g_autoptr (GBytes) bytes = g_bytes_new_static (edges, sizeof edges);

  check (!histo_edges_are_valid (NULL, 1));
  check (!histo_edges_are_valid (bytes, 0));
  check (!histo_edges_are_valid (bytes, 2));
  check (!histo_edges_are_valid (bytes, G_MAXUINT));
  check (histo_edges_are_valid (bytes, 1) == (G_BYTE_ORDER == G_LITTLE_ENDIAN));
}

FUNCTION (histo_result_has_group)
{
  HistoResult result;

  make_result (&result);
  check (!histo_result_has_group (NULL, HISTO_GROUP_BASIC));
  check (histo_result_has_group (&result, HISTO_GROUP_BASIC));
  check (!histo_result_has_group (&result, HISTO_N_GROUPS));
  check (!histo_result_has_group (&result, (HistoGroup) 1000000));
  check (!histo_result_has_group (&result, (HistoGroup) - 1));
  histo_result_clear (&result);
}

FUNCTION (histo_result_region_components)
{
  HistoResult result, empty = { 0, };

  make_result (&result);
  check (histo_result_region_components (NULL, 0) == NULL);
  check (histo_result_region_components (&empty, 0) == NULL);
  check (histo_result_region_components (&result, 0) == result.components);
  check (histo_result_region_components (&result, 1) == NULL);
  check (histo_result_region_components (&result, G_MAXUINT) == NULL);
  histo_result_clear (&result);
}

FUNCTION (histo_result_name_fault)
{
  static const gchar *const names[] = { "", "A", "a_b", "window", "123456789-123456789-123456789-123" };

  check (histo_result_name_fault (NULL) == NULL);
  check (histo_result_name_fault ("camera-1") == NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    gchar *fault = histo_result_name_fault (names[i]);

    check (fault != NULL);
    g_free (fault);
  }
}

FUNCTION (histo_result_meta_name)
{
  gchar *without = histo_result_meta_name (NULL), *name = histo_result_meta_name ("camera-1");

  check (g_str_equal (without, "cudahisto"));
  check (g_str_equal (name, "cudahisto-camera-1"));
  g_free (without);
  g_free (name);
}

FUNCTION (histo_times_from_buffer)
{
  GstBuffer *buffer = gst_buffer_new ();
  HistoTimes times;
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  REFUSED (histo_times_from_buffer (NULL, buffer, &segment));
  REFUSED (histo_times_from_buffer (&times, NULL, &segment));
  GST_BUFFER_PTS (buffer) = 5;
  histo_times_from_buffer (&times, buffer, NULL);
  check (times.timestamp == 5 && times.stream_time == GST_CLOCK_TIME_NONE && times.running_time == GST_CLOCK_TIME_NONE);
  gst_buffer_unref (buffer);
}

FUNCTION (histo_times_clip)
{
  HistoTimes times = { 5, 5, 5, 10 };
  GstSegment segment;
  guint64 start, end;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.stop = 9;
  REFUSED (check (!histo_times_clip (NULL, 10, &segment, &start, &end)));
  REFUSED (check (!histo_times_clip (&times, 10, &segment, NULL, &end)));
  REFUSED (check (!histo_times_clip (&times, 10, &segment, &start, NULL)));
  check (histo_times_clip (&times, 10, NULL, &start, &end) && start == 5 && end == 15 && times.duration == 10);
  check (histo_times_clip (&times, 10, &segment, &start, &end) && start == 5 && end == 9 && times.duration == 4);
  check (histo_times_clip (&times, GST_CLOCK_TIME_NONE, &segment, &start, &end) && end == GST_CLOCK_TIME_NONE);
  times.timestamp = 20;
  check (!histo_times_clip (&times, 10, &segment, &start, &end));
}

FUNCTION (histo_result_set_n_components)
{
  REFUSED (histo_result_set_n_components (NULL, 3));
}

FUNCTION (histo_result_add_joint)
{
  HistoResult result = { 0, };

  REFUSED (histo_result_add_joint (NULL, HISTO_JOINT_WAVEFORM));
  REFUSED (check (histo_result_add_joint (&result, HISTO_N_JOINTS) == NULL));
  REFUSED (histo_result_add_joint (&result, (HistoJoint) - 1));
  for (guint i = 0; i < HISTO_N_JOINTS; i++)
    check (histo_result_add_joint (&result, i) != NULL);
  REFUSED (histo_result_add_joint (&result, HISTO_JOINT_WAVEFORM));
  histo_result_clear (&result);
}

FUNCTION (histo_result_set_n_regions)
{
  REFUSED (histo_result_set_n_regions (NULL, 3));
}

FUNCTION (histo_result_set_n_levels)
{
  REFUSED (histo_result_set_n_levels (NULL, 3));
}

FUNCTION (histo_result_set_n_pairs)
{
  REFUSED (histo_result_set_n_pairs (NULL, 3));
}

/* ---- figures.h ------------------------------------------------------------------------------ */

FUNCTION (histo_joint_is_measured)
{
  REFUSED (check (!histo_joint_is_measured (HISTO_N_JOINTS, G_MAXUINT, HISTO_HAS_ANY)));
  REFUSED (histo_joint_is_measured ((HistoJoint) - 1, G_MAXUINT, HISTO_HAS_ANY));
  check (!histo_joint_is_measured (HISTO_JOINT_WAVEFORM, G_MAXUINT, 0));
}

FUNCTION (histo_figure_read)
{
  REFUSED (check (isnan (histo_figure_read (HISTO_FIGURE_UINT64, NULL))));
}

FUNCTION (histo_figure_get)
{
  HistoFigures figures = { 0, };

  REFUSED (check (isnan (histo_figure_get (NULL, &figures))));
  REFUSED (check (isnan (histo_figure_get (&histo_figures[0], NULL))));
}

FUNCTION (histo_groups_clear)
{
  REFUSED (histo_groups_clear (NULL));
}

FUNCTION (histo_choice_names)
{
  REFUSED (check (histo_choice_names (NULL) == NULL));
  REFUSED (check (histo_choice_names (number) == NULL));
}

FUNCTION (histo_choice_name)
{
  REFUSED (check (histo_choice_name (NULL, 0) == NULL));
  REFUSED (check (histo_choice_name (number, 0) == NULL));
  check (g_str_equal (histo_choice_name (choice, HISTO_FLASH_FAIL), "fail"));
  check (histo_choice_name (choice, HISTO_FLASH_FAIL + 1) == NULL);
  check (histo_choice_name (choice, HISTO_FLASH_FAIL + 2) == NULL);
  check (histo_choice_name (choice, G_MAXUINT) == NULL);
}

FUNCTION (histo_choice_find)
{
  REFUSED (check (histo_choice_find (NULL, "fail") == -1));
  REFUSED (check (histo_choice_find (number, "fail") == -1));
  check (histo_choice_find (choice, NULL) == -1);
}

/* ---- rules.h -------------------------------------------------------------------------------- */

FUNCTION (histo_rules_parse)
{
  GError *error = NULL;
  HistoRules *rules;
  guint line, column;

  rules = histo_rules_parse (NULL, HISTO_RULES_OF_POLICY, NULL, NULL, NULL);
  check (rules != NULL && histo_rules_get_n (rules) == 0);
  histo_rules_unref (rules);
  check (histo_rules_parse ("a: b < 3", HISTO_RULES_OF_ELEMENT, NULL, NULL, NULL) == NULL);
  check (histo_rules_parse ("a: b < 3", HISTO_RULES_OF_ELEMENT, &line, NULL, NULL) == NULL && line == 1);
  check (histo_rules_parse ("a: b < 3", HISTO_RULES_OF_ELEMENT, NULL, &column, &error) == NULL && column == 4);
  check (error != NULL);
  g_clear_error (&error);
  rules = histo_rules_parse ("a: Y.mean < 3", (HistoRulesKind) 99, &line, &column, &error);
  check (rules != NULL && line == 0 && column == 0);
  histo_rules_unref (rules);
}

FUNCTION (histo_rules_ref)
{
  REFUSED (check (histo_rules_ref (NULL) == NULL));
}

FUNCTION (histo_rules_unref)
{
  histo_rules_unref (NULL);
}

FUNCTION (histo_rules_get_n)
{
  REFUSED (check (histo_rules_get_n (NULL) == 0));
}

FUNCTION (histo_rules_get)
{
  HistoRules *rules = make_rules ();

  REFUSED (check (histo_rules_get (NULL, 0) == NULL));
  check (histo_rules_get (rules, 0) != NULL);
  REFUSED (check (histo_rules_get (rules, 1) == NULL));
  REFUSED (check (histo_rules_get (rules, 5) == NULL));
  REFUSED (check (histo_rules_get (rules, G_MAXUINT) == NULL));
  histo_rules_unref (rules);
}

FUNCTION (histo_rules_groups)
{
  REFUSED (check (histo_rules_groups (NULL) == 0));
}

FUNCTION (histo_rules_title)
{
  REFUSED (check (histo_rules_title (NULL) == NULL));
}

FUNCTION (histo_rules_source)
{
  REFUSED (check (histo_rules_source (NULL) == NULL));
}

FUNCTION (histo_rules_notes)
{
  HistoRules *rules = make_rules ();

  REFUSED (check (histo_rules_notes (NULL) == NULL));
  check (histo_rules_notes (rules)[0] == NULL);
  histo_rules_unref (rules);
}

FUNCTION (histo_rule_figure_path)
{
  REFUSED (check (histo_rule_figure_path (NULL) == NULL));
}

FUNCTION (histo_rule_figure_space)
{
  REFUSED (histo_rule_figure_space (NULL));
}

FUNCTION (histo_rule_figure_unit)
{
  REFUSED (check (histo_rule_figure_unit (NULL) == NULL));
}

FUNCTION (histo_rule_figure_word)
{
  HistoRules *rules = histo_rules_parse ("a: flash.state != \"fail\"; b: Y.mean < 3", HISTO_RULES_OF_ELEMENT, NULL, NULL,
      NULL);
  const HistoRuleFigure *state = histo_rules_get (rules, 0)->figure;

  REFUSED (check (histo_rule_figure_word (NULL, 0) == NULL));
  check (g_str_equal (histo_rule_figure_word (state, 3), "fail"));
  check (histo_rule_figure_word (state, 4) == NULL && histo_rule_figure_word (state, -1) == NULL);
  check (histo_rule_figure_word (state, NAN) == NULL && histo_rule_figure_word (state, 1e300) == NULL);
  check (histo_rule_figure_word (state, -INFINITY) == NULL && histo_rule_figure_word (state, INFINITY) == NULL);
  check (histo_rule_figure_word (histo_rules_get (rules, 1)->figure, 0) == NULL);
  histo_rules_unref (rules);
}

FUNCTION (histo_alert_of_rule)
{
  HistoRules *rules = make_rules ();
  const HistoRulePlace place = { 0, };
  HistoRuleEvent event = {.place = &place,.value = 50 };

  REFUSED (check (histo_alert_of_rule (NULL, &event).rule == NULL));
  REFUSED (check (histo_alert_of_rule (rules, NULL).rule == NULL));
  check (histo_alert_of_rule (rules, &event).value == 50 && histo_alert_of_rule (rules, &event).rule != NULL);
  event.rule = 99;
  REFUSED (check (histo_alert_of_rule (rules, &event).rule == NULL));
  histo_rules_unref (rules);
}

FUNCTION (histo_rule_states_new)
{
  REFUSED (check (histo_rule_states_new (NULL) == NULL));
}

FUNCTION (histo_rule_states_free)
{
  histo_rule_states_free (NULL);
}

FUNCTION (histo_rule_states_set_lookup)
{
  HistoRules *rules = make_rules ();
  HistoRuleStates *states = histo_rule_states_new (rules);

  REFUSED (histo_rule_states_set_lookup (NULL, NULL, NULL));
  histo_rule_states_set_lookup (states, NULL, NULL);
  histo_rule_states_free (states);
  histo_rules_unref (rules);
}

FUNCTION (histo_rule_states_pass)
{
  HistoRules *rules = histo_rules_parse ("dark: Y.mean < 40 for 1 ms", HISTO_RULES_OF_POLICY, NULL, NULL, NULL);
  GArray *events = g_array_new (FALSE, FALSE, sizeof (HistoRuleEvent));
  GArray *findings = g_array_new (FALSE, FALSE, sizeof (HistoRuleFinding));
  HistoRuleStates *states[2] = { histo_rule_states_new (rules), histo_rule_states_new (rules) };
  HistoResult result, empty = { 0, };
  const HistoRuleFinding *found;

  make_result (&result);
  REFUSED (histo_rule_states_pass (NULL, &result, 0, 1, events));
  REFUSED (histo_rule_states_pass (states[0], NULL, 0, 1, events));
  histo_rule_states_pass (states[0], &empty, 0, 1, NULL);
  /* Without a list of events all is counted as with one. */
  result.components[0].figures.mean = 50;
  for (guint64 i = 0; i < 3; i++) {
    histo_rule_states_pass (states[0], &result, i * GST_SECOND, (i + 1) * GST_SECOND, NULL);
    histo_rule_states_pass (states[1], &result, i * GST_SECOND, (i + 1) * GST_SECOND, events);
  }
  /* A time that is unknown plus one that is known: both are unknown, and the span ends where it has. */
  histo_rule_states_pass (states[0], &result, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE + GST_SECOND, NULL);
  histo_rule_states_pass (states[0], &result, 3 * GST_SECOND, 3 * GST_SECOND + GST_CLOCK_TIME_NONE, NULL);
  histo_rule_states_end (states[0], NULL);
  histo_rule_states_end (states[1], events);
  check (events->len == 2);
  histo_rule_states_judge (states[0], findings);
  histo_rule_states_judge (states[1], findings);
  found = &g_array_index (findings, HistoRuleFinding, 0);
  check (found[0].totals.n_spans == 1 && found[1].totals.n_spans == 1);
  check (found[0].totals.longest == 3 * GST_SECOND && found[0].totals.time_broken == 3 * GST_SECOND);
  check (found[0].verdict == HISTO_RULE_FAILED && found[1].verdict == HISTO_RULE_FAILED);
  for (guint i = 0; i < 2; i++)
    histo_rule_states_free (states[i]);
  histo_result_clear (&result);
  g_array_unref (findings);
  g_array_unref (events);
  histo_rules_unref (rules);
}

FUNCTION (histo_rule_states_end)
{
  REFUSED (histo_rule_states_end (NULL, NULL));
}

FUNCTION (histo_rule_states_look_up_again)
{
  REFUSED (histo_rule_states_look_up_again (NULL));
}

FUNCTION (histo_rule_states_are_followed)
{
  REFUSED (check (!histo_rule_states_are_followed (NULL)));
}

FUNCTION (histo_rule_states_list)
{
  GArray *current = g_array_new (FALSE, FALSE, sizeof (HistoRuleEvent));
  HistoRules *rules = make_rules ();
  HistoRuleStates *states = histo_rule_states_new (rules);

  REFUSED (histo_rule_states_list (NULL, current));
  REFUSED (histo_rule_states_list (states, NULL));
  histo_rule_states_free (states);
  histo_rules_unref (rules);
  g_array_unref (current);
}

FUNCTION (histo_rule_states_judge)
{
  GArray *findings = g_array_new (FALSE, FALSE, sizeof (HistoRuleFinding));
  HistoRules *rules = make_rules ();
  HistoRuleStates *states = histo_rule_states_new (rules);

  REFUSED (histo_rule_states_judge (NULL, findings));
  REFUSED (histo_rule_states_judge (states, NULL));
  histo_rule_states_free (states);
  histo_rules_unref (rules);
  g_array_unref (findings);
}

FUNCTION (histo_rule_finding_clear)
{
  HistoRuleFinding finding = {.value_word = g_strdup ("fail") };

  histo_rule_finding_clear (NULL);
  histo_rule_finding_clear (&finding);
  histo_rule_finding_clear (&finding);
  check (finding.value_word == NULL);
}

FUNCTION (histo_rule_worse)
{
  check (histo_rule_worse (HISTO_RULE_PASSED, HISTO_RULE_FAILED) == HISTO_RULE_FAILED);
}

/* ---- Inside of the library and the plugins -------------------------------------------------- */

FUNCTION (histo_channel_names)
{
  GstCaps *caps = gst_caps_from_string ("audio/x-raw");

  REFUSED (check (histo_channel_names (NULL) == NULL));
  check (histo_channel_names (caps) == NULL);
  gst_caps_unref (caps);
}

FUNCTION (histo_colorimetry_read)
{
  GstVideoColorimetry colorimetry;

  REFUSED (check (!histo_colorimetry_read ("bt709", FALSE, NULL)));
  check (!histo_colorimetry_read (NULL, FALSE, &colorimetry));
}

FUNCTION (histo_colorimetry_is_limited)
{
  REFUSED (histo_colorimetry_is_limited (NULL, FALSE));
}

FUNCTION (histo_colorimetry_is_hdr)
{
  REFUSED (check (!histo_colorimetry_is_hdr (NULL)));
}

FUNCTION (histo_luma_weights)
{
  GstVideoColorimetry colorimetry = { 0, };
  gdouble red, blue;

  REFUSED (histo_luma_weights (NULL, 1080, &red, &blue));
  REFUSED (histo_luma_weights (&colorimetry, 1080, NULL, &blue));
  REFUSED (histo_luma_weights (&colorimetry, 1080, &red, NULL));
  histo_luma_weights (&colorimetry, -1, &red, &blue);
  check (red > 0 && blue > 0);
}

FUNCTION (histo_format_depth)
{
  check (histo_format_depth (NULL, 0) == 0);
  check (histo_format_depth ("no format", 0) == 0);
  check (histo_format_depth ("I420_10LE", G_MAXINT) == 10 && histo_format_depth ("I420_10LE", G_MININT) == 10);
  check (histo_format_depth ("rggb99le", 0) == 0);
}

FUNCTION (histo_alert_print_value)
{
  static const struct
  {
    HistoAlert alert;
    gdouble value;
    const gchar *text;
  } cases[] = {
    {HISTO_ALERT_BLACK, 0.985, "98.5 % black"}, {HISTO_ALERT_FREEZE, 0.0005, "0.05 % difference"},
    {HISTO_ALERT_SCENE, 12.34, "score 12.3 %"}, {HISTO_ALERT_RANGE, 0.02, "2.0 % out of range"},
    {HISTO_ALERT_SILENCE, -72.4, "-72 dB"}, {HISTO_ALERT_SILENCE, -INFINITY, "–∞"}, {HISTO_ALERT_CLIPPING, 1, "1 run"},
    {HISTO_ALERT_CLIPPING, 3, "3 runs"}, {HISTO_ALERT_LOUDNESS, -20.06, "-20.1 LUFS"}, {HISTO_ALERT_RULE, 16, "16"},
    {HISTO_ALERT_RULE, NAN, ""}
  };
  gchar text[40];

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check (g_str_equal (histo_alert_print_value (text, sizeof text, cases[i].alert, cases[i].value), cases[i].text));
}

FUNCTION (histo_clock_print)
{
  gchar text[32];

  check (g_str_equal (histo_clock_print (text, sizeof text, 81, 1), "0:00:08.1"));
  check (g_str_equal (histo_clock_print (text, sizeof text, 3661005, 3), "1:01:01.005"));
  check (strlen (histo_clock_print (text, sizeof text, G_MAXUINT64, 9)) < sizeof text);
}

FUNCTION (histo_figures_power)
{
  HistoFigures figures = {.mean = 192,.variance = 0 };

  check (histo_figures_power (&figures, 128, 128) == 0.25);
  figures.mean = NAN;
  check (isnan (histo_figures_power (&figures, 0, 1)));
}

FUNCTION (histo_power_find_scale)
{
  gdouble scale, middle;

  histo_power_find_scale (GST_AUDIO_FORMAT_U8, &scale, &middle);
  check (scale == 128 && middle == 128);
  histo_power_find_scale (GST_AUDIO_FORMAT_S24_32LE, &scale, &middle);
  check (scale == 8388608 && middle == 0);
  histo_power_find_scale (GST_AUDIO_FORMAT_F64BE, &scale, &middle);
  check (scale == 1 && middle == 0);
  histo_power_find_scale (GST_AUDIO_FORMAT_UNKNOWN, &scale, &middle);
  check (scale == 1 && middle == 0);
}

/* Of numbers. A transfer function that is none is taken for that of SDR, or HLG. */
FUNCTION (histo_light_of_signal)
{
  check (histo_light_of_signal ((GstVideoTransferFunction) 999, 1) == 100);
  histo_light_of_signal (GST_VIDEO_TRANSFER_SMPTE2084, NAN);
}

FUNCTION (histo_signal_of_light)
{
  check (histo_signal_of_light ((GstVideoTransferFunction) 999, 1e9) <= 1);
  histo_signal_of_light (GST_VIDEO_TRANSFER_SMPTE2084, -1);
}

FUNCTION (histo_pq_of_light)
{
  check (histo_pq_of_light (1e9) == 1);
}

FUNCTION (histo_linear_of_srgb)
{
  check (histo_linear_of_srgb (-1) < 0);
}

FUNCTION (histo_range_add)
{
  REFUSED (histo_range_add (NULL, 1));
}

FUNCTION (histo_range_mean)
{
  HistoRange range = { 0, };

  REFUSED (check (isnan (histo_range_mean (NULL))));
  check (isnan (histo_range_mean (&range)));
}

FUNCTION (histo_range_merge)
{
  HistoRange range = { 0, };

  REFUSED (histo_range_merge (NULL, &range));
  REFUSED (histo_range_merge (&range, NULL));
  histo_range_merge (&range, &range);
  check (range.n == 0);
}

FUNCTION (histo_range_whole)
{
  HistoRange range = {.n = 1,.sum = 3 };

  REFUSED (check (isnan (histo_range_whole (NULL, HISTO_WHOLE_MEAN))));
  check (isnan (histo_range_whole (&range, (HistoWhole) 99)));
}

FUNCTION (histo_is_each)
{
  check (!histo_is_each (NULL));
}

static void
tell_nothing (const HistoSpan * span, gboolean is_end, gpointer data)
{
}

FUNCTION (histo_span_follow)
{
  HistoSpan span = { 0, };
  HistoSpanFinding finding = { 0, };
  HistoSpanBuffer buffer = { 0, };

  REFUSED (histo_span_follow (NULL, &finding, &buffer, tell_nothing, NULL));
  REFUSED (histo_span_follow (&span, NULL, &buffer, tell_nothing, NULL));
  REFUSED (histo_span_follow (&span, &finding, NULL, tell_nothing, NULL));
  REFUSED (histo_span_follow (&span, &finding, &buffer, NULL, NULL));
}

FUNCTION (histo_span_end)
{
  HistoSpan span = { 0, };

  REFUSED (histo_span_end (NULL, tell_nothing, NULL));
  REFUSED (histo_span_end (&span, NULL, NULL));
}

FUNCTION (histo_rule_whole_of)
{
  REFUSED (histo_rule_whole_of (NULL));
}

FUNCTION (histo_rule_distance)
{
  gchar *text = g_strnfill (1000, 'x');

  REFUSED (histo_rule_distance (NULL, "b"));
  REFUSED (histo_rule_distance ("a", NULL));
  check (histo_rule_distance ("a", text) == G_MAXUINT);
  g_free (text);
}

FUNCTION (histo_rule_figure_parse)
{
  HistoRuleFigure *figure;
  gsize place;

  REFUSED (check (histo_rule_figure_parse (NULL, 1, HISTO_RULES_OF_POLICY, &place, NULL) == NULL));
  REFUSED (check (histo_rule_figure_parse ("Y.mean", 6, HISTO_RULES_OF_POLICY, NULL, NULL) == NULL));
  check (histo_rule_figure_parse ("Y.mean", 0, HISTO_RULES_OF_POLICY, &place, NULL) == NULL);
  figure = histo_rule_figure_parse ("Y.mean", 100, HISTO_RULES_OF_POLICY, &place, NULL);
  check (figure != NULL);
  histo_rule_figure_free (figure);
}

FUNCTION (histo_rule_figure_free)
{
  histo_rule_figure_free (NULL);
}

/* All figures that have an item are given none. */
static const gchar *const with_items[] =
    { "ch*.rms", "ch*.max", "pairs.*.correlation", "flash.zones.*.state", "signal.bits-used.*", "loudness.true-peak.*" };

FUNCTION (histo_rule_figure_at)
{
  HistoRuleFigure *figure;
  gsize place;
  gchar *path;

  REFUSED (check (histo_rule_figure_at (NULL, NULL, NULL) == NULL));
  for (guint i = 0; i < G_N_ELEMENTS (with_items); i++) {
    figure = histo_rule_figure_parse (with_items[i], strlen (with_items[i]), HISTO_RULES_OF_POLICY, &place, NULL);
    path = histo_rule_figure_at (figure, NULL, NULL);
    check (path != NULL);
    g_free (path);
    histo_rule_figure_free (figure);
  }
}

FUNCTION (histo_rule_figure_fact)
{
  HistoRules *rules = make_rules ();

  REFUSED (check (histo_rule_figure_fact (NULL) == NULL));
  check (histo_rule_figure_fact (histo_rules_get (rules, 0)->figure) == NULL);
  histo_rules_unref (rules);
}

FUNCTION (histo_rule_figure_find)
{
  HistoRuleFigure *figure;
  HistoFigureAt at;
  HistoResult result;
  gsize place;

  make_result (&result);
  for (guint i = 0; i < G_N_ELEMENTS (with_items); i++) {
    figure = histo_rule_figure_parse (with_items[i], strlen (with_items[i]), HISTO_RULES_OF_POLICY, &place, NULL);
    for (result.is_audio = FALSE; result.is_audio < 2; result.is_audio++) {
      check (!histo_rule_figure_find (figure, &result, NULL, NULL, &at));
      check (!histo_rule_figure_find (figure, &result, "no region", "no item", &at));
      check (isnan (histo_result_get_figure (&result, &at)));
    }
    REFUSED (histo_rule_figure_find (figure, NULL, NULL, NULL, &at));
    REFUSED (histo_rule_figure_find (figure, &result, NULL, NULL, NULL));
    histo_rule_figure_free (figure);
  }
  REFUSED (histo_rule_figure_find (NULL, &result, NULL, NULL, &at));
  histo_result_clear (&result);
}

FUNCTION (histo_rule_figure_code8)
{
  HistoFigureAt at = {.is_absent = TRUE };
  HistoResult result = { 0, };

  REFUSED (histo_rule_figure_code8 (NULL, &at));
  REFUSED (histo_rule_figure_code8 (&result, NULL));
  check (histo_rule_figure_code8 (&result, &at) == 1);
}

/* ---- Figures of results ------------------------------------------------------------------- */

FUNCTION (histo_figure_rows)
{
  guint n = 0;

  REFUSED (check (histo_figure_rows (NULL) == NULL));
  check (histo_figure_rows (&n) != NULL && n > 0);
}

/* Calls all that gets a visit. */
static void
count_figure (const HistoVisit * visit, gpointer n)
{
  gchar *path = histo_visit_path (visit);

  check (path != NULL);
  g_free (path);
  ++*(guint *) n;
}

/* All groups of all media are asked for, and the result has none of them. */
FUNCTION (histo_result_visit)
{
  static const HistoVisitor nobody = { NULL, NULL, NULL }, counter = { NULL, count_figure, NULL };
  HistoResult result;
  guint n = 0;

  REFUSED (histo_result_visit (NULL, 0, NULL, NULL, NULL));
  histo_result_visit (NULL, G_MAXUINT, NULL, &counter, &n);
  check (n == 0);
  make_result (&result);
  histo_result_visit (&result, 0, NULL, &nobody, NULL);
  histo_result_visit (&result, 0, NULL, &counter, &n);
  check (n == HISTO_N_FIGURES);
  for (result.is_audio = FALSE; result.is_audio < 2; result.is_audio++)
    histo_result_visit (&result, G_MAXUINT, NULL, &counter, &n);
  result.is_audio = FALSE;
  histo_result_set_n_components (&result, 0);
  histo_result_visit (&result, G_MAXUINT, NULL, &counter, &n);
  histo_result_clear (&result);
  histo_result_visit (&result, 0, NULL, &counter, &n);
}

FUNCTION (histo_visit_path)
{
  const HistoVisit many = {.n_steps = G_MAXUINT };

  REFUSED (check (histo_visit_path (NULL) == NULL));
  REFUSED (check (histo_visit_path (&many) == NULL));
}

FUNCTION (histo_figure_old_path)
{
  static const gchar *const same[] = { "", ".", "pairs", "regions", "loudness.momentary", "Y.mean" };

  REFUSED (check (histo_figure_old_path (NULL) == NULL));
  for (guint i = 0; i < G_N_ELEMENTS (same); i++) {
    gchar *path = histo_figure_old_path (same[i]);

    check (g_str_equal (path, same[i]));
    g_free (path);
  }
}

FUNCTION (histo_region_steps)
{
  const gchar *const no_name[] = { NULL };
  gchar **steps;

  REFUSED (steps = histo_region_steps (NULL, 1, FALSE));
  check (*steps == NULL);
  g_strfreev (steps);
  steps = histo_region_steps (NULL, 0, FALSE);
  check (*steps == NULL);
  g_strfreev (steps);
  steps = histo_region_steps (no_name, 1, TRUE);
  check (**steps == '\0');
  g_strfreev (steps);
}

FUNCTION (histo_result_find_figure)
{
  HistoFigureAt at;
  HistoResult result;

  make_result (&result);
  REFUSED (check (!histo_result_find_figure (&result, NULL, "Y.mean", 0, NULL)));
  check (!histo_result_find_figure (NULL, NULL, "Y.mean", 0, &at));
  check (!histo_result_find_figure (&result, NULL, NULL, 0, &at));
  check (!histo_result_find_figure (&result, NULL, "", G_MAXUINT, &at));
  check (!histo_result_find_figure (&result, NULL, "regions.logo.Y.mean", G_MAXUINT, &at));
  check (at.is_absent && histo_result_member (&result, &at) == NULL);
  check (histo_result_find_figure (&result, NULL, "Y.mean", 0, &at) && at.row->info == &histo_figures[HISTO_FIGURE_NUMBER_mean]);
  histo_result_clear (&result);
}

FUNCTION (histo_result_member)
{
  const HistoFigureAt none = { 0, };
  HistoResult result = { 0, };

  REFUSED (check (histo_result_member (NULL, &none) == NULL));
  REFUSED (check (histo_result_member (&result, NULL) == NULL));
  check (histo_result_member (&result, &none) == NULL);
}

FUNCTION (histo_result_get_figure)
{
  const HistoFigureAt none = { 0, };
  HistoResult result = { 0, };

  REFUSED (check (isnan (histo_result_get_figure (NULL, &none))));
  REFUSED (check (isnan (histo_result_get_figure (&result, NULL))));
  check (isnan (histo_result_get_figure (&result, &none)));
}

FUNCTION (histo_shape_fits)
{
  HistoShape shape = { 0, };
  HistoResult result = { 0, };

  REFUSED (check (!histo_shape_fits (NULL, &result)));
  REFUSED (check (!histo_shape_fits (&shape, NULL)));
  check (!histo_shape_fits (&shape, &result));
}

FUNCTION (histo_shape_set)
{
  HistoShape shape = { 0, };
  HistoResult result;

  make_result (&result);
  REFUSED (histo_shape_set (NULL, &result));
  REFUSED (histo_shape_set (&shape, NULL));
  histo_shape_set (&shape, &result);
  check (histo_shape_fits (&shape, &result));
  histo_shape_clear (&shape);
  histo_result_clear (&result);
}

FUNCTION (histo_shape_clear)
{
  histo_shape_clear (NULL);
}

/* A comparison of a picture and a region with two components. */
static GstStructure *
make_comparison (void)
{
  HistoComparedRegion regions[2] = {
    {.n_components = 2,.components = {{"Y", 64, 3, 7, 99, 1.5, 46, .5, 0}, {"U", 16, 0, 0, 0, 0, INFINITY, 1, 0}},
        .psnr = 44,.ssim = .6,.x = 1,.y = 2,.width = 3,.height = 4},
    {.name = (gchar *) "a",.n_components = 2,.components = {{.name = "Y",.count = 4}, {.name = "U",.count = 1}},.psnr = INFINITY,.ssim = NAN,.equal = TRUE}
  };
  const HistoComparison comparison = {.measures = 7,.format = (gchar *) "I420",.width = 8,.height = 8,
    .reference_timestamp = 5,.n_regions = 2,.regions = regions
  };
  GstStructure *structure = gst_structure_new_empty (HISTO_COMPARISON_NAME);

  histo_comparison_write (&comparison, structure);
  return structure;
}

FUNCTION (histo_comparison_clear)
{
  HistoComparison comparison = { 0, };

  histo_comparison_clear (NULL);
  histo_comparison_clear (&comparison);
}

FUNCTION (histo_comparison_write)
{
  GstStructure *structure = gst_structure_new_empty (HISTO_COMPARISON_NAME);
  const HistoComparison comparison = { 0, };

  REFUSED (histo_comparison_write (NULL, structure));
  REFUSED (histo_comparison_write (&comparison, structure));
  REFUSED (histo_comparison_write (&comparison, NULL));
  gst_structure_free (structure);
}

/* "psnr" and "*.psnr" of the picture and of a region; of equal pictures there is no rectangle, and no figure that was not
 * compared. */
FUNCTION (histo_comparison_rows)
{
  guint n = 0;

  REFUSED (check (histo_comparison_rows (NULL) == NULL));
  check (histo_comparison_rows (&n) != NULL && n == 14);
}

static const HistoFigureRow *
row_of_comparison (const gchar * path)
{
  guint n;
  const HistoFigureRow *rows = histo_comparison_rows (&n);

  for (guint i = 0; i < n; i++)
    if (g_str_equal (rows[i].path, path))
      return &rows[i];
  return NULL;
}

FUNCTION (histo_comparison_find_figure)
{
  GstStructure *structure = make_comparison ();
  const HistoFigureRow *of_region = row_of_comparison ("psnr"), *of_component = row_of_comparison ("*.psnr");
  HistoComparison comparison;
  HistoFigureAt at;

  check (histo_comparison_read (structure, &comparison, NULL));
  REFUSED (check (!histo_comparison_find_figure (NULL, of_region, NULL, NULL, &at)));
  REFUSED (check (!histo_comparison_find_figure (&comparison, NULL, NULL, NULL, &at)));
  REFUSED (check (!histo_comparison_find_figure (&comparison, of_region, NULL, NULL, NULL)));
  check (histo_comparison_find_figure (&comparison, of_region, NULL, NULL, &at) && at.region == 0);
  check (histo_comparison_find_figure (&comparison, of_region, "a", NULL, &at) && at.region == 1);
  check (histo_comparison_find_figure (&comparison, of_component, "a", "U", &at) && at.region == 1 && at.index == 1);
  check (!histo_comparison_find_figure (&comparison, of_region, "b", NULL, &at) && at.is_absent);
  check (!histo_comparison_find_figure (&comparison, of_component, NULL, "V", &at) && at.is_absent);
  check (!histo_comparison_find_figure (&comparison, of_component, NULL, NULL, &at));
  check (!histo_comparison_find_figure (&comparison, of_region, NULL, "Y", &at));
  check (histo_comparison_find_figure (&comparison, row_of_comparison ("*.xpsnr"), NULL, "Y", &at) && at.is_absent);
  histo_comparison_clear (&comparison);
  gst_structure_free (structure);
}

FUNCTION (histo_rule_figure_code8_of_comparison)
{
  const HistoComparison comparison = {.format = (gchar *) "I420_10LE" };
  const HistoFigureAt at = {.index = 1 };

  check (histo_rule_figure_code8_of_comparison (&comparison, &at) == 4);
  REFUSED (check (isnan (histo_rule_figure_code8_of_comparison (NULL, &at))));
  REFUSED (check (isnan (histo_rule_figure_code8_of_comparison (&comparison, NULL))));
}

FUNCTION (histo_comparison_get_figure)
{
  GstStructure *structure = make_comparison ();
  HistoComparison comparison;
  HistoFigureAt at;

  check (histo_comparison_read (structure, &comparison, NULL));
  check (histo_comparison_find_figure (&comparison, row_of_comparison ("*.sse"), NULL, "Y", &at));
  check (histo_comparison_get_figure (&comparison, &at) == 99);
  REFUSED (check (isnan (histo_comparison_get_figure (NULL, &at))));
  REFUSED (check (isnan (histo_comparison_get_figure (&comparison, NULL))));
  check (histo_comparison_find_figure (&comparison, row_of_comparison ("width"), NULL, NULL, &at));
  check (histo_comparison_get_figure (&comparison, &at) == 3);
  at.region = 1;
  check (isnan (histo_comparison_get_figure (&comparison, &at)));
  at.region = 9;
  check (isnan (histo_comparison_get_figure (&comparison, &at)));
  check (histo_comparison_find_figure (&comparison, row_of_comparison ("equal"), "a", NULL, &at));
  check (histo_comparison_get_figure (&comparison, &at) == 1);
  at.is_absent = TRUE;
  check (isnan (histo_comparison_get_figure (&comparison, &at)));
  histo_comparison_clear (&comparison);
  gst_structure_free (structure);
}

FUNCTION (histo_rule_states_pass_comparison)
{
  HistoRules *rules = histo_rules_parse ("a: *.sse <= 98; b: Y.max-difference < 7 code8", HISTO_RULES_OF_COMPARISON, NULL,
      NULL, NULL), *others = histo_rules_parse ("a: Y.mean < 3", HISTO_RULES_OF_ELEMENT, NULL, NULL, NULL);
  HistoRuleStates *states = histo_rule_states_new (rules), *of_results = histo_rule_states_new (others);
  GArray *events = g_array_new (FALSE, FALSE, sizeof (HistoRuleEvent));
  GstStructure *structure = make_comparison ();
  HistoComparison comparison, empty = { 0, };

  check (histo_comparison_read (structure, &comparison, NULL));
  REFUSED (histo_rule_states_pass_comparison (NULL, &comparison, 0, 1, events));
  REFUSED (histo_rule_states_pass_comparison (states, NULL, 0, 1, events));
  REFUSED (histo_rule_states_pass_comparison (states, &empty, 0, 1, events));
  histo_rule_states_pass_comparison (states, &comparison, 0, GST_SECOND, events);
  check (events->len == 2 && g_array_index (events, HistoRuleEvent, 0).value == 99);
  check (g_str_equal (g_array_index (events, HistoRuleEvent, 0).place->component, "Y"));
  check (g_array_index (events, HistoRuleEvent, 1).limit == 7);
  g_array_set_size (events, 0);
  /* Rules of results find nothing. */
  histo_rule_states_pass_comparison (of_results, &comparison, 0, GST_SECOND, events);
  check (events->len == 0);
  histo_rule_states_free (states);
  histo_rule_states_free (of_results);
  histo_rules_unref (rules);
  histo_rules_unref (others);
  histo_comparison_clear (&comparison);
  gst_structure_free (structure);
  g_array_unref (events);
}

/* What is written is read; a structure without one of its fields, or with another type, is refused. */
FUNCTION (histo_comparison_read)
{
  static const gchar *const fields[] = { "schema", "format", "picture-width", "picture-height", "components", "equal", "x" };
  GstStructure *structure = make_comparison ();
  HistoComparison comparison;
  GError *error = NULL;

  REFUSED (check (!histo_comparison_read (structure, NULL, NULL)));
  check (!histo_comparison_read (NULL, &comparison, &error) && comparison.n_regions == 0);
  check (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT));
  g_clear_error (&error);
  check (histo_comparison_read (structure, &comparison, NULL));
  check (comparison.measures == 7 && comparison.width == 8 && comparison.reference_timestamp == 5);
  check (g_str_equal (comparison.format, "I420") && comparison.n_regions == 2);
  check (comparison.regions[0].components[0].sse == 99 && comparison.regions[0].components[0].max_difference == 7);
  check (comparison.regions[0].height == 4 && isinf (comparison.regions[0].components[1].psnr));
  check (g_str_equal (comparison.regions[1].name, "a") && comparison.regions[1].equal
      && isnan (comparison.regions[1].ssim) && g_str_equal (comparison.regions[1].components[1].name, "U"));
  histo_comparison_clear (&comparison);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    for (guint k = 0; k < 2; k++) {
      GstStructure *bad = gst_structure_copy (structure);

      if (k == 0)
        gst_structure_remove_field (bad, fields[i]);
      else
        gst_structure_set (bad, fields[i], G_TYPE_DOUBLE, 1., NULL);
      /* Without `equal` it is a comparison without the measure. */
      check (histo_comparison_read (bad, &comparison, NULL) == (k == 0 && g_str_equal (fields[i], "equal")));
      histo_comparison_clear (&comparison);
      gst_structure_free (bad);
    }
  gst_structure_free (structure);
}

int
main (int argc, char **argv)
{
  const gboolean is_list = argc == 2 && g_str_equal (argv[1], "--list");

  gst_init (NULL, NULL);
  /* A function that crashes has its name before it. */
  for (guint i = 0; is_list && i < n_functions; i++)
    g_print ("%s\n", functions[i].name);
  if (is_list)
    return 0;
  g_log_set_writer_func (count_criticals, NULL, NULL);
  /* Also with G_DEBUG=fatal-criticals. */
  g_log_set_always_fatal (G_LOG_FATAL_MASK);
  for (guint i = 0; i < n_functions; i++) {
    g_print ("%s\n", functions[i].name);
    functions[i].call ();
    check (n_criticals == 0);
    n_criticals = 0;
  }
  return n_failures > 0;
}
