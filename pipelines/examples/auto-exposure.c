/* Controls the exposure of a camera from the percentiles of luma, or of Bayer video:
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
 *     "v4l2src name=camera extra-controls=c,auto_exposure=1 ! cudahisto ! videoconvert \
 *     ! autovideosink"
 *
 * The properties brightness and contrast of v4l2src do not show the range either.
 *
 * If the camera gives Bayer video, cudahisto measures what the sensor sees, before any correction: the program reads
 * the median of the green samples, and the highest 99th percentile of R, Gr, Gb and B. These samples are proportional to
 * light. So the target is 0.18, middle gray, unless --target is given. A sensor with a black level needs a higher one.
 *
 *   auto-exposure --control=camera.extra-controls.exposure --least=1 --most=1100 \
 *     "v4l2src name=camera extra-controls=c,exposure=100 ! video/x-bayer ! cudahisto ! bayer2rgb \
 *     ! videoconvert ! autovideosink"
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cudahisto/cudahisto.h>
#include <glib-unix.h>
#include <math.h>

/* Shares of the range of luma or of the samples. */
#define TARGET 0.45
#define BAYER_TARGET 0.18
/* The brightest pixels shall stay below, as far as the median allows. */
#define HIGHLIGHTS 0.95

typedef struct
{
  GstElement *meter;            /* owned by the pipeline */

  /* What is controlled. */
  GstElement *element;
  GParamSpec *spec;
  gchar *field;                 /* of a property that is a GstStructure; NULL: it is a number */
  gdouble least, most, value;   /* NaN: not known yet */

  /* Options. */
  /* Shares: of luma's range, of the control's range. The target is NaN if it follows from the format. */
  gdouble target, tolerance, speed;
  gdouble delay;                /* results until a change shows in the picture */

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

/* Doubles beyond this are no longer all whole numbers. */
#define MOST_WHOLE 9007199254740992.0

/* Reads which numbers a property takes.
 *
 * @is_range: (out): whether that is a range of its own, not all numbers of its type
 * Returns: FALSE: it is no number */
static gboolean
read_limits (const GParamSpec * spec, gdouble * least, gdouble * most,
    gboolean * is_range)
{
#define READ(TYPE, type_least, type_most) \
  if (G_IS_PARAM_SPEC_##TYPE (spec)) { \
    *is_range = (G_PARAM_SPEC_##TYPE (spec)->minimum > type_least || type_least == 0) \
        && G_PARAM_SPEC_##TYPE (spec)->maximum < type_most; \
    *least = MAX ((gdouble) G_PARAM_SPEC_##TYPE (spec)->minimum, -limit); \
    *most = MIN ((gdouble) G_PARAM_SPEC_##TYPE (spec)->maximum, limit); \
    return TRUE; \
  }
  gdouble limit = G_MAXDOUBLE;

  READ (DOUBLE, -G_MAXDOUBLE, G_MAXDOUBLE);
  READ (FLOAT, -G_MAXFLOAT, G_MAXFLOAT);
  limit = MOST_WHOLE;
  READ (INT, G_MININT, G_MAXINT);
  READ (UINT, 0, G_MAXUINT);
  READ (LONG, G_MINLONG, G_MAXLONG);
  READ (ULONG, 0, G_MAXULONG);
  READ (INT64, G_MININT64, G_MAXINT64);
  READ (UINT64, 0, G_MAXUINT64);
#undef READ
  return FALSE;
}

/* Finds the range of the control: that of the options, or that of the property. Returns: FALSE
 * after it has printed why there is none */
static gboolean
find_range (Control * control, const gchar * name)
{
  gdouble least = G_MININT, most = G_MAXINT;
  gboolean is_range = FALSE;

  if (control->field != NULL
      ? control->spec->value_type != GST_TYPE_STRUCTURE
      : !read_limits (control->spec, &least, &most, &is_range)) {
    g_printerr ("auto-exposure: --control=%s is no %s\n", name,
        control->field != NULL ? "GstStructure" : "number");
    return FALSE;
  }
  if (isnan (control->least) && is_range)
    control->least = least;
  if (isnan (control->most) && is_range)
    control->most = most;
  if (isnan (control->least) || isnan (control->most)) {
    g_printerr ("auto-exposure: --control=%s: the range is not known; set "
        "--least and --most\n", name);
    return FALSE;
  }
  /* The difference of the ends of all doubles is infinite. */
  if (control->least < least || control->most > most
      || !(control->least < control->most)
      || !isfinite (control->most - control->least)) {
    g_printerr ("auto-exposure: --control=%s: the range is %g to %g; possible "
        "are %g to %g\n", name, control->least, control->most, least, most);
    return FALSE;
  }
  return TRUE;
}

/* Finds ELEMENT.PROPERTY or ELEMENT.PROPERTY.FIELD. Returns: whether it can be controlled; prints
 * why not */
static gboolean
find_control (Control * control, GstBin * pipeline, const gchar * name)
{
  g_auto (GStrv) parts = g_strsplit (name, ".", 3);
  GValue value = G_VALUE_INIT;

  if (g_strv_length (parts) >= 2) {
    control->element = gst_bin_get_by_name (pipeline, parts[0]);
    if (control->element != NULL)
      control->spec = g_object_class_find_property (G_OBJECT_GET_CLASS
          (control->element), parts[1]);
    control->field = g_strdup (parts[2]);
  }
  if (control->spec == NULL) {
    g_printerr ("auto-exposure: --control=%s: no such element or property\n",
        name);
    return FALSE;
  }
  if (!find_range (control, name))
    return FALSE;
  control->value = (control->least + control->most) / 2;
  if (control->field == NULL) {
    g_value_init (&value, G_TYPE_DOUBLE);
    g_object_get_property (G_OBJECT (control->element), control->spec->name,
        &value);
    control->value = g_value_get_double (&value);
  }
  return TRUE;
}

/* ---- The loop -------------------------------------------------------------------------------- */

/* What the loop knows of a picture: shares of the range. */
typedef struct
{
  gdouble median, brightest;    /* the 50th and the 99th percentile */
  gdouble target;               /* where the median shall be by default */
} Brightness;

/* NULL: there is no such component, or it has no samples */
static const HistoComponentResult *
find_component (const HistoResult * result, HistoGroup group, const gchar * name)
{
  const HistoComponentResult *component =
      histo_result_find_component (result, 0, group, name);

  return component != NULL && component->figures.count > 0 ? component : NULL;
}

/* Returns a share of full scale, not of the range of the bins, which is a setting (range-max) of the components of the
 * format; those of the group `color` have bins for all values. */
static gdouble
percentile (const HistoComponentResult * component, guint which)
{
  const HistoFigures *figures = &component->figures;

  return figures->percentiles[which] / (component->depth > 0 ? ldexp (1, (gint) component->depth) : figures->range_max);
}

/* Luma of YUV and grey video, or the luma that the group `color` computes for RGB; else Bayer video.
 * Returns: FALSE if the result has none of them */
static gboolean
find_brightness (const HistoResult * result, Brightness * brightness)
{
  static const gchar *const names[] = { "R", "Gr", "Gb", "B" };
  const HistoComponentResult *luma =
      find_component (result, HISTO_GROUP_BASIC, "Y"), *component;
  guint n_green = 0;

  if (luma == NULL)
    luma = find_component (result, HISTO_GROUP_COLOR, "luma");
  if (luma != NULL) {
    *brightness = (Brightness) {
      percentile (luma, HISTO_P50), percentile (luma, HISTO_P99), TARGET
    };
    return TRUE;
  }
  *brightness = (Brightness) {.target = BAYER_TARGET };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    component = find_component (result, HISTO_GROUP_BASIC, names[i]);
    if (component == NULL)
      continue;
    brightness->brightest =
        MAX (brightness->brightest, percentile (component, HISTO_P99));
    if (names[i][0] != 'G')
      continue;
    /* The mean of one or two medians. */
    brightness->median = (n_green * brightness->median
        + percentile (component, HISTO_P50)) / (n_green + 1);
    n_green++;
  }
  return n_green > 0;
}

/* Moves the control by a share of its range that is proportional to the error of the median. */
static void
control_by (Control * control, const Brightness * brightness,
    const HistoTimes * times)
{
  const gdouble median = brightness->median, brightest = brightness->brightest;
  const gdouble target =
      isnan (control->target) ? brightness->target : control->target;
  gdouble error = target - median, before = control->value;

  control->median = median;
  /* Brighten only as far as the brightest pixels allow; darken if they clip, but not below half of
   * the target. */
  if (error > HIGHLIGHTS - brightest && median > target / 2)
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
  control->n_to_skip = (gint) control->delay;
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
  Brightness brightness;

  if (!histo_read_result (structure, &result, &error)) {
    g_printerr ("auto-exposure: %s\n", error->message);
    g_clear_error (&error);
  } else if (histo_read_times (structure, &times)
      && find_brightness (&result, &brightness)) {
    control_by (control, &brightness, &times);
  }
  histo_result_clear (&result);
}

/* Prints the error, and the cause, which is the last line of the details. */
static void
print_error (GstMessage * message)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *details = NULL;
  const gchar *cause;

  gst_message_parse_error (message, &error, &details);
  cause = details != NULL ? strrchr (details, '\n') : NULL;
  g_printerr ("auto-exposure: %s: %s", GST_MESSAGE_SRC_NAME (message),
      error->message);
  if (cause != NULL)
    g_printerr (" (%s)", cause + 1);
  g_printerr ("\n");
}

static gboolean
on_message (GstBus * bus, GstMessage * message, gpointer data)
{
  Control *control = data;

  if (GST_MESSAGE_SRC (message) == GST_OBJECT (control->meter)
      && gst_message_has_name (message, HISTO_RESULT_NAME)) {
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
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  guint interrupt = g_unix_signal_add (SIGINT, on_interrupt, control);

  control->loop = g_main_loop_new (NULL, FALSE);
  gst_bus_add_watch (bus, on_message, control);
  /* If it fails, an error message says why. */
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_main_loop_run (control->loop);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_bus_remove_watch (bus);
  g_main_loop_unref (control->loop);
  if (g_main_context_find_source_by_id (NULL, interrupt) != NULL)
    g_source_remove (interrupt);
  if (control->status == 0)
    g_print ("%s after %u changes: median %.1f %%, control %g\n",
        control->is_settled ? "Settled" : "Not settled", control->n_changes,
        100 * control->median, control->value);
}

/* ---- Options ----------------------------------------------------------------------------------- */

/* The options that are numbers. Neither NaN nor infinities are in a range. */
static const struct
{
  const gchar *name;
  gsize offset;                 /* of the member of Control */
  gdouble least, most;
  gboolean is_whole;
} numbers[] = {
  {"--least", G_STRUCT_OFFSET (Control, least), -G_MAXDOUBLE, G_MAXDOUBLE,
      FALSE},
  {"--most", G_STRUCT_OFFSET (Control, most), -G_MAXDOUBLE, G_MAXDOUBLE, FALSE},
  {"--target", G_STRUCT_OFFSET (Control, target), 0, 1, FALSE},
  {"--tolerance", G_STRUCT_OFFSET (Control, tolerance), 0, 1, FALSE},
  {"--speed", G_STRUCT_OFFSET (Control, speed), 0, 10, FALSE},
  {"--delay", G_STRUCT_OFFSET (Control, delay), 0, 1000, TRUE},
};

/* A GOptionArgFunc. */
static gboolean
on_number (const gchar * name, const gchar * text, gpointer data,
    GError ** error)
{
  gchar *end = NULL;
  gdouble value = g_ascii_strtod (text, &end);
  guint i = 0;

  while (!g_str_equal (numbers[i].name, name))
    i++;
  if (end == text || *end != '\0'
      || !(value >= numbers[i].least && value <= numbers[i].most)
      || (numbers[i].is_whole && value != rint (value))) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "%s=%s: possible are %s from %g to %g", name, text,
        numbers[i].is_whole ? "whole numbers" : "numbers", numbers[i].least,
        numbers[i].most);
    return FALSE;
  }
  *(gdouble *) G_STRUCT_MEMBER_P (data, numbers[i].offset) = value;
  return TRUE;
}

/* Finds the element cudahisto and makes it post what is needed. */
static gboolean
prepare_meter (Control * control, GstBin * pipeline)
{
  GstIterator *elements =
      gst_bin_iterate_all_by_element_factory_name (pipeline, "cudahisto");
  GValue item = G_VALUE_INIT;
  gboolean found = gst_iterator_next (elements, &item) == GST_ITERATOR_OK;

  if (found) {
    control->meter = g_value_get_object (&item);
    g_object_set (control->meter, "meta", FALSE, "post-messages", TRUE, "histogram",
        FALSE, "message-interval", 100 * GST_MSECOND, NULL);
    gst_util_set_object_arg (G_OBJECT (control->meter), "measures", "color");
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
  Control control = {.least = NAN,.most = NAN,.target = NAN,.tolerance = 0.02,
    .speed = 0.3,.delay = 1
  };
  g_autofree gchar *name = NULL;
  const GOptionEntry entries[] = {
    {"control", 'c', 0, G_OPTION_ARG_STRING, &name,
        "What is controlled", "ELEMENT.PROPERTY[.FIELD]"},
    {"least", 0, 0, G_OPTION_ARG_CALLBACK, on_number,
        "Least value of the control (default: that of the property)", "NUMBER"},
    {"most", 0, 0, G_OPTION_ARG_CALLBACK, on_number, "Greatest value",
        "NUMBER"},
    {"target", 0, 0, G_OPTION_ARG_CALLBACK, on_number,
        "Where the median shall be, 0 to 1 (default: 0.45 of luma, 0.18 of Bayer video)", "SHARE"},
    {"tolerance", 0, 0, G_OPTION_ARG_CALLBACK, on_number,
        "How far off it may be (default: 0.02)", "SHARE"},
    {"speed", 0, 0, G_OPTION_ARG_CALLBACK, on_number,
        "How much of an error one change removes, 0 to 10 (default: 0.3)", "SHARE"},
    {"delay", 0, 0, G_OPTION_ARG_CALLBACK, on_number,
        "How many results until a change shows (default: 1)", "NUMBER"},
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = g_option_context_new ("PIPELINE");
  GOptionGroup *group = g_option_group_new ("", "", "", &control, NULL);
  GstElement *pipeline = NULL;
  GError *error = NULL;

  g_option_group_add_entries (group, entries);
  g_option_context_set_main_group (context, group);
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
    if (pipeline != NULL && prepare_meter (&control, GST_BIN (pipeline))
        && find_control (&control, GST_BIN (pipeline), name))
      run (&control, pipeline);
    else
      control.status = 1;
  }
  g_option_context_free (context);
  gst_clear_object (&control.element);
  gst_clear_object (&pipeline);
  g_free (control.field);
  return control.status;
}
