/* Controls the exposure of a camera from the percentiles of luma:
 *
 *   auto-exposure [OPTION...] PIPELINE
 *
 * PIPELINE is written as for gst-launch-1.0. It has the camera and an element cudahisto. Once in
 * 100 ms, the program reads luma's median and 99th percentile, and changes a property of another
 * element until the median is at the target. It darkens earlier if the brightest pixels would clip.
 *
 * A test picture, and videobalance as the camera's control:
 *
 *   auto-exposure --control=camera.brightness "videotestsrc pattern=ball \
 *     ! videobalance name=camera ! cudahisto ! videoconvert ! autovideosink"
 *
 * A camera. v4l2src passes the fields of its property extra-controls to the driver. "v4l2-ctl -L"
 * lists the names and ranges of the driver's controls; the range is given here:
 *
 *   auto-exposure --control=camera.extra-controls.exposure_time_absolute --least=3 --most=2047 \
 *     "v4l2src name=camera extra-controls=c,auto_exposure=1 ! videoconvert ! cudahisto \
 *     ! autovideosink"
 *
 * The properties brightness and contrast of v4l2src do not tell the range either.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cudahisto/cudahisto.h>
#include <glib-unix.h>
#include <math.h>

/* Share of luma's range: the brightest pixels shall stay below, as far as the median allows. */
#define HIGHLIGHTS 0.95

typedef struct
{
  /* What is controlled. */
  GstElement *element;
  GParamSpec *spec;
  gchar *field;                 /* of a property that is a GstStructure; NULL: it is a number */
  gdouble least, most, value;

  /* Options. */
  gdouble target, tolerance, speed;     /* shares: of luma's range, of the control's range */
  gint delay;                   /* results until a change shows in the picture */

  gint n_to_skip;               /* results of pictures that are older than the last change */
  guint n_changes;
  gdouble median;               /* of the latest result */
  gboolean is_settled;
  GMainLoop *loop;
  gint status;
} Control;

/* ---- The camera's control ------------------------------------------------------------------ */

/* Sets the number, or the field of the structure. The structure's other fields stay. */
static void
set_value (Control * control, gdouble value)
{
  GObject *object = G_OBJECT (control->element);
  GValue number = G_VALUE_INIT, as_property = G_VALUE_INIT;
  GstStructure *controls = NULL;

  control->value = CLAMP (value, control->least, control->most);
  if (control->field == NULL) {
    g_value_init (&number, G_TYPE_DOUBLE);
    g_value_set_double (&number, control->value);
    g_value_init (&as_property, control->spec->value_type);
    g_value_transform (&number, &as_property);
    g_object_set_property (object, control->spec->name, &as_property);
    g_value_unset (&as_property);
    return;
  }
  g_object_get (object, control->spec->name, &controls, NULL);
  if (controls == NULL)
    controls = gst_structure_new_empty ("controls");
  gst_structure_set (controls, control->field, G_TYPE_INT,
      (gint) rint (control->value), NULL);
  g_object_set (object, control->spec->name, controls, NULL);
  gst_structure_free (controls);
}

/* Reads the range of a property that is a number, unless the options have given one. A property
 * that takes every number of its type does not tell its range. */
static void
read_range (Control * control)
{
  gdouble least = NAN, most = NAN;

  if (G_IS_PARAM_SPEC_DOUBLE (control->spec)) {
    least = G_PARAM_SPEC_DOUBLE (control->spec)->minimum;
    most = G_PARAM_SPEC_DOUBLE (control->spec)->maximum;
  } else if (G_IS_PARAM_SPEC_FLOAT (control->spec)) {
    least = G_PARAM_SPEC_FLOAT (control->spec)->minimum;
    most = G_PARAM_SPEC_FLOAT (control->spec)->maximum;
  } else if (G_IS_PARAM_SPEC_INT (control->spec)
      && G_PARAM_SPEC_INT (control->spec)->minimum > G_MININT) {
    least = G_PARAM_SPEC_INT (control->spec)->minimum;
    most = G_PARAM_SPEC_INT (control->spec)->maximum;
  } else if (G_IS_PARAM_SPEC_UINT (control->spec)
      && G_PARAM_SPEC_UINT (control->spec)->maximum < G_MAXUINT) {
    least = G_PARAM_SPEC_UINT (control->spec)->minimum;
    most = G_PARAM_SPEC_UINT (control->spec)->maximum;
  }
  /* The difference of the ends of all doubles is infinite. */
  if (!isfinite (most - least))
    least = most = NAN;
  if (isnan (control->least))
    control->least = least;
  if (isnan (control->most))
    control->most = most;
}

/* Finds ELEMENT.PROPERTY or ELEMENT.PROPERTY.FIELD. Returns: whether it can be controlled; prints
 * why not */
static gboolean
find_control (Control * control, GstBin * pipeline, const gchar * name)
{
  gchar **parts = g_strsplit (name, ".", 3);
  gboolean ok = FALSE;
  GValue value = G_VALUE_INIT;

  if (g_strv_length (parts) >= 2) {
    control->element = gst_bin_get_by_name (pipeline, parts[0]);
    if (control->element != NULL)
      control->spec = g_object_class_find_property (G_OBJECT_GET_CLASS
          (control->element), parts[1]);
    control->field = g_strdup (parts[2]);
  }
  g_strfreev (parts);
  if (control->spec == NULL) {
    g_printerr ("auto-exposure: --control=%s: no such element or property\n",
        name);
    return FALSE;
  }
  if (control->field == NULL)
    read_range (control);
  if (!(control->least < control->most) || !isfinite (control->least)
      || !isfinite (control->most)) {
    g_printerr ("auto-exposure: --control=%s: the range is not known; set "
        "--least and --most\n", name);
    return FALSE;
  }
  control->value = (control->least + control->most) / 2;
  if (control->field != NULL) {
    ok = control->spec->value_type == GST_TYPE_STRUCTURE;
  } else {
    g_value_init (&value, G_TYPE_DOUBLE);
    ok = g_value_type_transformable (control->spec->value_type, G_TYPE_DOUBLE)
        && g_object_class_find_property (G_OBJECT_GET_CLASS (control->element),
        control->spec->name) != NULL;
    if (ok) {
      g_object_get_property (G_OBJECT (control->element), control->spec->name,
          &value);
      control->value = g_value_get_double (&value);
    }
  }
  if (!ok)
    g_printerr ("auto-exposure: --control=%s is no %s\n", name,
        control->field != NULL ? "GstStructure" : "number");
  return ok;
}

/* ---- The loop -------------------------------------------------------------------------------- */

/* Luma of YUV and grey video, or the luma that the group `color` computes for RGB. */
static const HistoFigures *
find_luma (const HistoResult * result)
{
  const HistoComponentResult *luma =
      histo_result_find_component (result, 0, HISTO_GROUP_BASIC, "Y");

  if (luma == NULL)
    luma = histo_result_find_component (result, 0, HISTO_GROUP_COLOR, "luma");
  return luma != NULL ? &luma->figures : NULL;
}

/* Moves the control by a share of its range that is proportional to the error of luma. */
static void
control_by (Control * control, const HistoFigures * luma,
    const HistoTimes * times)
{
  const gdouble range = luma->range_max - luma->range_min;
  const gdouble median = luma->percentiles[HISTO_P50] / range;
  const gdouble brightest = luma->percentiles[HISTO_P99] / range;
  gdouble error = control->target - median, before = control->value;

  control->median = median;
  /* Brighten only as far as the brightest pixels allow; darken if they clip, but not below half of
   * the target. */
  if (error > HIGHLIGHTS - brightest && median > control->target / 2)
    error = MIN (error, HIGHLIGHTS - brightest);
  if (control->n_to_skip > 0) {
    control->n_to_skip--;
    return;
  }
  control->is_settled = fabs (error) <= control->tolerance;
  if (control->is_settled)
    return;
  set_value (control, before + control->speed * error
      * (control->most - control->least));
  control->n_to_skip = control->delay;
  if (control->value == before)
    return;
  control->n_changes++;
  g_print ("%8.3f s  median %5.1f %%  99 %% of the pixels below %5.1f %%  "
      "control %g\n", times->stream_time / 1e9, 100 * median, 100 * brightest,
      control->value);
}

static void
on_result (Control * control, const GstStructure * structure)
{
  HistoResult result = { 0 };
  GError *error = NULL;
  HistoTimes times;
  const HistoFigures *luma;

  if (!histo_read_result (structure, &result, &error)) {
    g_printerr ("auto-exposure: %s\n", error->message);
    g_clear_error (&error);
  } else if (histo_read_times (structure, &times)
      && (luma = find_luma (&result)) != NULL && luma->count > 0) {
    control_by (control, luma, &times);
  }
  histo_result_clear (&result);
}

/* Prints the error, and the cause, which is the last line of the details. */
static void
print_error (GstMessage * message)
{
  GError *error = NULL;
  gchar *details = NULL;
  const gchar *cause;

  gst_message_parse_error (message, &error, &details);
  cause = details != NULL ? strrchr (details, '\n') : NULL;
  g_printerr ("auto-exposure: %s: %s", GST_MESSAGE_SRC_NAME (message),
      error->message);
  if (cause != NULL)
    g_printerr (" (%s)", cause + 1);
  g_printerr ("\n");
  g_error_free (error);
  g_free (details);
}

static gboolean
on_message (GstBus * bus, GstMessage * message, gpointer data)
{
  Control *control = data;

  if (gst_message_has_name (message, HISTO_RESULT_NAME)) {
    on_result (control, gst_message_get_structure (message));
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    print_error (message);
    control->status = 1;
    g_main_loop_quit (control->loop);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS) {
    g_main_loop_quit (control->loop);
  }
  return G_SOURCE_CONTINUE;
}

static gboolean
on_interrupt (gpointer data)
{
  g_main_loop_quit (((Control *) data)->loop);
  return G_SOURCE_REMOVE;
}

static void
run (Control * control, GstElement * pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  guint interrupt = g_unix_signal_add (SIGINT, on_interrupt, control);

  control->loop = g_main_loop_new (NULL, FALSE);
  gst_bus_add_watch (bus, on_message, control);
  /* If it fails, an error message tells why. */
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_main_loop_run (control->loop);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_bus_remove_watch (bus);
  gst_object_unref (bus);
  g_main_loop_unref (control->loop);
  if (g_main_context_find_source_by_id (NULL, interrupt) != NULL)
    g_source_remove (interrupt);
  if (control->status == 0)
    g_print ("%s after %u changes: median %.1f %%, control %g\n",
        control->is_settled ? "Settled" : "Not settled", control->n_changes,
        100 * control->median, control->value);
}

/* ---- Options ----------------------------------------------------------------------------------- */

/* Finds the element cudahisto and makes it post what is needed. */
static gboolean
prepare_meter (GstBin * pipeline)
{
  GstIterator *elements =
      gst_bin_iterate_all_by_element_factory_name (pipeline, "cudahisto");
  GValue item = G_VALUE_INIT;
  gboolean found = gst_iterator_next (elements, &item) == GST_ITERATOR_OK;

  if (found) {
    GObject *meter = g_value_get_object (&item);

    g_object_set (meter, "meta", FALSE, "post-messages", TRUE, "histogram",
        FALSE, "interval", 100 * GST_MSECOND, NULL);
    gst_util_set_object_arg (meter, "measures", "color");
    g_value_unset (&item);
  } else {
    g_printerr ("auto-exposure: the pipeline has no element cudahisto\n");
  }
  gst_iterator_free (elements);
  return found;
}

/* Returns: (transfer full) (nullable): NULL after it has printed why */
static GstElement *
make_pipeline (const gchar * description)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch_full (description, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS | GST_PARSE_FLAG_PLACE_IN_BIN, &error);
  GstElement *top;

  if (pipeline == NULL) {
    g_printerr ("auto-exposure: %s\n", error->message);
    g_clear_error (&error);
    return NULL;
  }
  g_clear_error (&error);
  if (GST_IS_PIPELINE (pipeline))
    return pipeline;
  top = gst_pipeline_new (NULL);
  gst_bin_add (GST_BIN (top), pipeline);
  return top;
}

int
main (int argc, char **argv)
{
  Control control = {.least = NAN,.most = NAN,.target = 0.45,.tolerance = 0.02,
    .speed = 0.3,.delay = 1
  };
  gchar *name = NULL;
  const GOptionEntry entries[] = {
    {"control", 'c', 0, G_OPTION_ARG_STRING, &name,
        "What is controlled", "ELEMENT.PROPERTY[.FIELD]"},
    {"least", 0, 0, G_OPTION_ARG_DOUBLE, &control.least,
        "Least value of the control (default: that of the property)", "NUMBER"},
    {"most", 0, 0, G_OPTION_ARG_DOUBLE, &control.most, "Greatest value",
        "NUMBER"},
    {"target", 0, 0, G_OPTION_ARG_DOUBLE, &control.target,
        "Where luma's median shall be, 0 to 1 (default: 0.45)", "SHARE"},
    {"tolerance", 0, 0, G_OPTION_ARG_DOUBLE, &control.tolerance,
        "How far off it may be (default: 0.02)", "SHARE"},
    {"speed", 0, 0, G_OPTION_ARG_DOUBLE, &control.speed,
        "How much of an error one change removes (default: 0.3)", "SHARE"},
    {"delay", 0, 0, G_OPTION_ARG_INT, &control.delay,
        "How many results until a change shows (default: 1)", "NUMBER"},
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = g_option_context_new ("PIPELINE");
  GstElement *pipeline = NULL;
  GError *error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("auto-exposure: %s\n", error->message);
    g_clear_error (&error);
    control.status = 2;
  } else if (argc != 2 || name == NULL) {
    g_printerr ("usage: auto-exposure --control=ELEMENT.PROPERTY PIPELINE\n");
    control.status = 2;
  } else {
    pipeline = make_pipeline (argv[1]);
    if (pipeline != NULL && prepare_meter (GST_BIN (pipeline))
        && find_control (&control, GST_BIN (pipeline), name))
      run (&control, pipeline);
    else
      control.status = 1;
  }
  g_option_context_free (context);
  gst_clear_object (&control.element);
  gst_clear_object (&pipeline);
  g_free (control.field);
  g_free (name);
  return control.status;
}
