/* The result tree, written to a GstStructure and read again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"

#include "result/read.h"
#include "result/write.h"

/* ---- Random results ------------------------------------------------------------------- */

static gdouble
random_double (GRand * random)
{
  const guint64 bits =
      (guint64) g_rand_int (random) << 32 | g_rand_int (random);
  gdouble number;

  memcpy (&number, &bits, sizeof number);
  return number;
}

static void
fill_component (GRand * random, HistoComponentResult * component,
    const gchar * name)
{
  component->quark = g_quark_from_string (name);
  component->name = g_quark_to_string (component->quark);
  for (guint i = 0; i < HISTO_N_FIGURES; i++) {
    const HistoFigureInfo *info = &histo_figures[i];
    gpointer member = G_STRUCT_MEMBER_P (&component->figures, info->offset);

    switch (info->type) {
      case HISTO_FIGURE_UINT64:
        *(guint64 *) member = (guint64) g_rand_int (random) << 20;
        break;
      case HISTO_FIGURE_UINT:
        *(guint *) member = g_rand_int_range (random, 1, 300);
        break;
      case HISTO_FIGURE_DOUBLE:
        *(gdouble *) member = random_double (random);
        break;
    }
  }
  if (g_rand_boolean (random)) {
    const gsize size = component->figures.bins * sizeof (guint32);
    guint8 *data = g_malloc (size);

    test_fill_random (random, data, size);
    component->histogram = g_bytes_new_take (data, size);
  }
}

static void
fill_result (GRand * random, HistoResult * result)
{
  static const gchar *const names[] = { "Y", "U", "V", "A", "ch0", "ch10" };

  result->is_audio = g_rand_boolean (random);
  result->format = result->is_audio ? "F32LE" : "NV12";
  result->colorimetry = g_rand_boolean (random) ? "bt709" : NULL;
  result->backend = g_rand_boolean (random) ? "cuda" : "cpu";
  if (result->is_audio) {
    result->rate = g_rand_int_range (random, 1, 192000);
    result->channels = g_rand_int_range (random, 1, 64);
    result->n_samples = (guint64) g_rand_int (random) << 8;
  } else {
    result->width = g_rand_int_range (random, 1, 100000);
    result->height = g_rand_int_range (random, 1, 100000);
  }
  histo_result_set_n_components (result, g_rand_int_range (random, 0, 7));
  for (guint i = 0; i < result->n_components; i++)
    fill_component (random, &result->components[i], names[i]);
}

static gboolean
same_figures (const HistoFigures * a, const HistoFigures * b)
{
  for (guint i = 0; i < HISTO_N_FIGURES; i++) {
    static const gsize sizes[] = {
      [HISTO_FIGURE_UINT64] = sizeof (guint64),
      [HISTO_FIGURE_UINT] = sizeof (guint),
      [HISTO_FIGURE_DOUBLE] = sizeof (gdouble),
    };
    const gsize offset = histo_figures[i].offset;

    if (memcmp (G_STRUCT_MEMBER_P (a, offset), G_STRUCT_MEMBER_P (b, offset),
            sizes[histo_figures[i].type]) != 0)
      return FALSE;
  }
  return TRUE;
}

static void
check_equal (const HistoResult * a, const HistoResult * b)
{
  fail_unless_equals_int (a->is_audio, b->is_audio);
  fail_unless_equals_string (a->format, b->format);
  fail_unless (g_strcmp0 (a->colorimetry, b->colorimetry) == 0);
  fail_unless_equals_string (a->backend, b->backend);
  fail_unless_equals_int (a->width, b->width);
  fail_unless_equals_int (a->height, b->height);
  fail_unless_equals_int (a->rate, b->rate);
  fail_unless_equals_int (a->channels, b->channels);
  fail_unless_equals_uint64 (a->n_samples, b->n_samples);
  fail_unless_equals_int (a->n_components, b->n_components);
  for (guint i = 0; i < a->n_components; i++) {
    const HistoComponentResult *x = &a->components[i], *y = &b->components[i];

    fail_unless_equals_string (x->name, y->name);
    fail_unless (same_figures (&x->figures, &y->figures));
    fail_unless ((x->histogram == NULL) == (y->histogram == NULL));
    fail_unless (x->histogram == NULL
        || g_bytes_equal (x->histogram, y->histogram));
  }
}

static GstStructure *
write_structure (const HistoResult * result)
{
  GstStructure *structure = gst_structure_new_empty (HISTO_RESULT_NAME);

  histo_write_result (result, structure);
  return structure;
}

/* ---- Tests ---------------------------------------------------------------------------- */

/* What is read is what was written, bit for bit, also into a result that is used again. */
GST_START_TEST (test_round_trip)
{
  GRand *random = test_random ();
  HistoResult again = { 0, };

  for (guint i = 0; i < 1000; i++) {
    HistoResult result = { 0, }, read = { 0, };
    GError *error = NULL;
    GstStructure *structure;

    fill_result (random, &result);
    structure = write_structure (&result);
    fail_unless (histo_read_result (structure, &read, &error), "%s",
        error != NULL ? error->message : "");
    check_equal (&result, &read);
    if (i == 0 || again.is_audio == result.is_audio) {
      fail_unless (histo_read_result (structure, &again, NULL));
      check_equal (&result, &again);
    }
    /* The read result does not depend on the structure. */
    gst_structure_free (structure);
    check_equal (&result, &read);
    histo_result_clear (&result);
    histo_result_clear (&read);
  }
  histo_result_clear (&again);
  g_rand_free (random);
}

GST_END_TEST;

/* A structure without times has none; a message's have their values. */
GST_START_TEST (test_times)
{
  const HistoTimes times = { 1, GST_CLOCK_TIME_NONE, 3, 4 };
  GRand *random = test_random ();
  HistoResult result = { 0, };
  GstStructure *structure;
  GstMessage *message;
  HistoTimes read;

  fill_result (random, &result);
  structure = write_structure (&result);
  fail_if (histo_read_times (structure, &read));
  message = histo_write_message (structure, &times, NULL);
  fail_unless (histo_read_times (gst_message_get_structure (message), &read));
  fail_unless (memcmp (&times, &read, sizeof times) == 0);
  gst_message_unref (message);
  histo_result_clear (&result);
  g_rand_free (random);
}

GST_END_TEST;

/* Reading @structure must fail with an error that names @name, and leave an empty result.
 * Takes the structure. */
static void
check_refused (GstStructure * structure, const gchar * name)
{
  HistoResult result = { 0, };
  GError *error = NULL;

  fail_if (histo_read_result (structure, &result, &error));
  fail_unless (g_error_matches (error, GST_STREAM_ERROR,
          GST_STREAM_ERROR_FORMAT));
  fail_unless (strstr (error->message, name) != NULL, "%s", error->message);
  fail_unless_equals_int (result.n_components, 0);
  fail_unless (result.components == NULL);
  g_clear_error (&error);
  gst_structure_free (structure);
}

static gboolean
is_optional (const gchar * name)
{
  return g_str_equal (name, "colorimetry") || g_str_equal (name, "histogram");
}

/* Each field in turn is missing, or has another type. */
static void
check_fields (const GstStructure * structure)
{
  for (gint i = 0; i < gst_structure_n_fields (structure); i++) {
    const gchar *name = gst_structure_nth_field_name (structure, i);
    GstStructure *copy = gst_structure_copy (structure);

    if (!is_optional (name)) {
      gst_structure_remove_field (copy, name);
      check_refused (copy, name);
      copy = gst_structure_copy (structure);
    }
    gst_structure_set (copy, name, GST_TYPE_FRACTION, 1, 2, NULL);
    check_refused (copy, name);
  }
}

/* The same inside of a component's structure. */
static void
check_component_fields (const GstStructure * structure, const gchar * component)
{
  const GstStructure *fields =
      gst_value_get_structure (gst_structure_get_value (structure, component));

  for (gint i = 0; i < gst_structure_n_fields (fields); i++) {
    const gchar *name = gst_structure_nth_field_name (fields, i);

    for (guint how = is_optional (name) ? 1 : 0; how < 2; how++) {
      GstStructure *copy = gst_structure_copy (structure);
      GstStructure *inner = gst_structure_copy (fields);

      if (how == 0)
        gst_structure_remove_field (inner, name);
      else
        gst_structure_set (inner, name, GST_TYPE_FRACTION, 1, 2, NULL);
      gst_structure_set (copy, component, GST_TYPE_STRUCTURE, inner, NULL);
      gst_structure_free (inner);
      check_refused (copy, name);
    }
  }
}

GST_START_TEST (test_refused_structures)
{
  GRand *random = test_random ();
  GstStructure *structure, *copy;
  HistoResult result = { 0, };
  GBytes *bytes;
  GValue array = G_VALUE_INIT;

  do {
    fill_result (random, &result);
  } while (result.n_components == 0 || result.components[0].histogram == NULL);
  structure = write_structure (&result);
  check_fields (structure);
  check_component_fields (structure, result.components[0].name);

  copy = gst_structure_copy (structure);
  gst_structure_set (copy, "schema", G_TYPE_UINT, 2, NULL);
  check_refused (copy, "schema");
  copy = gst_structure_copy (structure);
  gst_structure_set (copy, "media", G_TYPE_STRING, "text", NULL);
  check_refused (copy, "media");
  copy = gst_structure_copy (structure);
  gst_structure_set (copy, "format", G_TYPE_STRING, NULL, NULL);
  check_refused (copy, "format");
  copy = gst_structure_copy (structure);
  gst_structure_set (copy, "format", G_TYPE_STRING, "NV13", NULL);
  check_refused (copy, "format");
  copy = gst_structure_copy (structure);
  gst_structure_set (copy, "colorimetry", G_TYPE_STRING, "none", NULL);
  check_refused (copy, "colorimetry");
  copy = gst_structure_copy (structure);
  gst_structure_set (copy, "backend", G_TYPE_STRING, "", NULL);
  check_refused (copy, "backend");

  /* An array of something else than names, and a histogram of another size. */
  copy = gst_structure_copy (structure);
  gst_value_array_init (&array, 1);
  gst_value_array_append_value (&array, gst_structure_get_value (structure,
          "schema"));
  gst_structure_take_value (copy, "components", &array);
  check_refused (copy, "components");
  bytes = g_bytes_new_static ("abc", 3);
  copy = gst_structure_copy (structure);
  {
    GstStructure *inner = gst_structure_copy (gst_value_get_structure
        (gst_structure_get_value (structure, result.components[0].name)));

    gst_structure_set (inner, "histogram", G_TYPE_BYTES, bytes, NULL);
    gst_structure_set (copy, result.components[0].name, GST_TYPE_STRUCTURE,
        inner, NULL);
    gst_structure_free (inner);
  }
  check_refused (copy, "histogram");
  g_bytes_unref (bytes);

  gst_structure_free (structure);
  histo_result_clear (&result);
  g_rand_free (random);
}

GST_END_TEST;

static Suite *
result_suite (void)
{
  Suite *suite = suite_create ("result");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  histo_write_init ();
  tcase_add_test (tcase, test_round_trip);
  tcase_add_test (tcase, test_times);
  tcase_add_test (tcase, test_refused_structures);
  return suite;
}

GST_CHECK_MAIN (result);
