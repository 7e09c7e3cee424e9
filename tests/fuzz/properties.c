/* Fuzzer: the element's properties, set as text.
 *
 * An input is lines NAME=VALUE, with values as gst-launch would set them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fuzz.h"

#include "element/cudahisto.h"
#include "measures/plan.h"

#include <math.h>

#define MOST_PROPERTIES 100
/* Only names of one byte. */
#define MOST_NAME_BYTES 1

static GObject *elements[2];
static GParamSpec *specs[MOST_PROPERTIES];
static guint n_specs;
static gboolean is_set[MOST_PROPERTIES];        /* by this input */
static HistoFormat *formats[2];

/* ---- The element ---------------------------------------------------------------------------- */

static gchar *
get_text (GObject * object, const gchar * name)
{
  GValue value = G_VALUE_INIT;
  gchar *text;

  g_object_get_property (object, name, &value);
  text = G_VALUE_HOLDS_STRING (&value) ? g_value_dup_string (&value) :
      gst_value_serialize (&value);
  g_value_unset (&value);
  return text;
}

/* Sets what the input has set back to the defaults. Two times: one bound of the range may need the
 * other one. */
static void
reset (void)
{
  for (guint i = 0; i < 4 * n_specs; i++) {
    const GParamSpec *spec = specs[i % n_specs];

    if (is_set[i % n_specs])
      g_object_set_property (elements[i / (2 * n_specs)], spec->name,
          g_param_spec_get_default_value ((GParamSpec *) spec));
  }
  memset (is_set, 0, sizeof is_set);
}

/* What is read from one element and set on the other one is the same there. */
static void
check_round_trip (void)
{
  for (guint i = 0; i < 2 * n_specs; i++) {
    GValue value = G_VALUE_INIT;
    const gchar *name = specs[i % n_specs]->name;

    if (!is_set[i % n_specs])
      continue;
    g_object_get_property (elements[0], name, &value);
    g_object_set_property (elements[1], name, &value);
    g_value_unset (&value);
  }
  for (guint i = 0; i < n_specs; i++) {
    gchar *a, *b;

    if (!is_set[i])
      continue;
    a = get_text (elements[0], specs[i]->name);
    b = get_text (elements[1], specs[i]->name);
    fuzz_check (g_strcmp0 (a, b) == 0, "%s: %s, %s", specs[i]->name, a, b);
    g_free (a);
    g_free (b);
  }
}

/* ---- What the values lead to ------------------------------------------------------------------ */

/* The number as text, from which strtod() makes the same number. */
static void
add_number (GString * text, gdouble number, gboolean is_percent)
{
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (text, g_ascii_dtostr (digits, sizeof digits, number));
  if (is_percent)
    g_string_append_c (text, '%');
}

static void
check_region (const HistoRegionSpec * spec, guint width, guint height)
{
  HistoRegion region;

  histo_region_resolve (spec, width, height, &region);
  fuzz_check (region.x <= width && region.width <= width - region.x
      && region.y <= height && region.height <= height - region.y,
      "%s: %u,%u,%u,%u in %ux%u", spec->name, region.x, region.y,
      region.width, region.height, width, height);
}

/* Text made of parsed regions gives these regions again. */
static void
check_regions (const GArray * regions)
{
  GString *text = g_string_new (NULL);
  GArray *again;

  fuzz_check (regions->len <= HISTO_MAX_REGIONS, "%u regions", regions->len);
  for (guint i = 0; i < regions->len; i++) {
    const HistoRegionSpec *spec = &g_array_index (regions, HistoRegionSpec, i);

    g_string_append_printf (text, "%s=", spec->name);
    for (guint n = 0; n < 4; n++) {
      add_number (text, spec->numbers[n], spec->is_percent[n]);
      g_string_append_c (text, n < 3 ? ',' : ';');
    }
    check_region (spec, 1, 1);
    check_region (spec, 1920, 1080);
    check_region (spec, G_MAXINT, G_MAXINT);
  }
  again = histo_region_specs_parse (text->str, NULL);
  fuzz_check (again != NULL && again->len == regions->len, "%s", text->str);
  for (guint i = 0; i < regions->len; i++) {
    const HistoRegionSpec *a = &g_array_index (regions, HistoRegionSpec, i);
    const HistoRegionSpec *b = &g_array_index (again, HistoRegionSpec, i);

    fuzz_check (g_str_equal (a->name, b->name), "%s, %s", a->name, b->name);
    for (guint n = 0; n < 4; n++)
      fuzz_check (a->numbers[n] == b->numbers[n]
          && a->is_percent[n] == b->is_percent[n], "%s", text->str);
  }
  g_array_unref (again);
  g_string_free (text, TRUE);
}

static void
check_bins (const HistoBins * bins)
{
  const HistoBinning *binning = &bins->binning;

  for (guint i = 0; i < binning->n_bins; i++)
    fuzz_check (bins->edges[i] <= bins->edges[i + 1],
        "edges %u: %g, %g", i, bins->edges[i], bins->edges[i + 1]);
}

/* Makes the plan for these values and checks it. */
static void
check_plan (HistoFormat * format, const HistoSettings * values,
    GBytes * edges, const GArray * regions)
{
  const HistoPlanSettings settings = {
    .bins = values->bins,
    .edges = edges,
    .groups = histo_settings_groups (values),
    .regions = regions,
  };
  HistoPlan *plan = histo_plan_new (format, &settings);
  gsize n_counters = 0;

  for (guint i = 0; i < plan->n_components; i++) {
    fuzz_check (plan->components[i].first_bin == n_counters,
        "component %u begins at counter %" G_GSIZE_FORMAT, i,
        plan->components[i].first_bin);
    n_counters += histo_plan_component_counters (plan, &plan->components[i]);
    if ((i + 1) % plan->n_region_components == 0)
      n_counters += plan->n_light_bins;
  }
  fuzz_check (n_counters == plan->n_counters, "%" G_GSIZE_FORMAT " counters",
      plan->n_counters);
  for (guint i = 0; i < plan->n_bin_sets; i++)
    check_bins (&plan->bins[i]);
  histo_plan_unref (plan);
}

static void
check_values (void)
{
  HistoSharedSettings *shared = &GST_CUDA_HISTO (elements[0])->settings;
  HistoSettingsCopy copy = { 0, };
  HistoMask *mask;
  GArray *regions = histo_settings_get_to_configure (shared, &copy, &mask);
  g_autoptr (GBytes) edges = histo_settings_ref_edges (shared);

  histo_settings_get (shared, &copy.values);
  fuzz_check (histo_bin_settings_valid (&copy.values.bins),
      "bins=%u range-min=%g range-max=%g", copy.values.bins.bins,
      copy.values.bins.range_min, copy.values.bins.range_max);
  if (regions != NULL)
    check_regions (regions);
  /* More take so long that few inputs are tried. */
  for (guint i = 0; copy.values.bins.bins <= 1024 && i < 2; i++)
    check_plan (formats[i], &copy.values, edges, regions);
  g_clear_pointer (&regions, g_array_unref);
  g_clear_pointer (&mask, histo_mask_unref);
}

/* ---- Inputs ------------------------------------------------------------------------------------- */

/* Shortens names before the equals signs, see MOST_NAME_BYTES. */
static void
shorten_names (gchar * value)
{
  gchar *to = value;
  guint length = 0;

  for (const gchar * from = value; *from != '\0'; from++) {
    length = *from == ';' || *from == '=' ? 0 : length + 1;
    if (strchr ("0123456789.,%;= +-e\t", *from) != NULL
        || length <= MOST_NAME_BYTES)
      *to++ = *from;
  }
  *to = '\0';
}

static const GParamSpec *
find_spec (const gchar * name)
{
  for (guint i = 0; i < n_specs; i++) {
    if (g_str_equal (specs[i]->name, name)) {
      is_set[i] = TRUE;
      return specs[i];
    }
  }
  return NULL;
}

/* A number out of its range becomes the nearest one in it, and NaN is left out: newer versions of GLib
 * post a critical warning for these, and the element does not see them. */
static void
set_value (const GParamSpec * spec, const gchar * text)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, spec->value_type);
  if (gst_value_deserialize (&value, text)) {
    g_param_value_validate ((GParamSpec *) spec, &value);
    if (!G_VALUE_HOLDS_DOUBLE (&value) || !isnan (g_value_get_double (&value)))
      g_object_set_property (elements[0], spec->name, &value);
  }
  g_value_unset (&value);
}

/* @line: changed */
static void
set_property (gchar * line)
{
  gchar *value = strchr (line, '=');
  const GParamSpec *spec;
  gchar *before, *after;

  if (value == NULL)
    return;
  *value++ = '\0';
  spec = find_spec (line);
  if (spec == NULL)
    return;
  if (spec->value_type != G_TYPE_STRING) {
    set_value (spec, value);
    return;
  }
  shorten_names (value);
  before = get_text (elements[0], spec->name);
  g_object_set (elements[0], spec->name, value, NULL);
  after = get_text (elements[0], spec->name);
  fuzz_check (g_strcmp0 (after, before) == 0
      || g_strcmp0 (after, value) == 0, "%s: %s, %s", spec->name, value, after);
  g_free (before);
  g_free (after);
}

static HistoFormat *
format_new (const gchar * text)
{
  GstCaps *caps = gst_caps_from_string (text);
  HistoFormat *format = histo_format_new (caps, NULL);

  fuzz_check (format != NULL, "%s", text);
  gst_caps_unref (caps);
  return format;
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  GParamSpec **all;
  guint n;

  fuzz_init ();
  for (guint i = 0; i < 2; i++)
    elements[i] = gst_object_ref_sink (g_object_new (GST_TYPE_CUDA_HISTO,
            NULL));
  all = g_object_class_list_properties (G_OBJECT_GET_CLASS (elements[0]), &n);
  for (guint i = 0; i < n && n_specs < MOST_PROPERTIES; i++) {
    if (all[i]->owner_type == GST_TYPE_CUDA_HISTO
        && (all[i]->flags & G_PARAM_WRITABLE) != 0)
      specs[n_specs++] = all[i];
  }
  g_free (all);
  formats[0] = format_new ("video/x-raw, format=GRAY8, width=16, height=8");
  formats[1] = format_new ("audio/x-raw, format=F32LE, rate=48000, channels=2, "
      "layout=interleaved, channel-mask=(bitmask)3");
  return 0;
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  gchar *text = g_strndup ((const gchar *) data, size);
  gchar **lines = g_strsplit (text, "\n", 64);

  for (guint i = 0; lines[i] != NULL; i++)
    set_property (lines[i]);
  check_round_trip ();
  if (memcmp (is_set, (gboolean[MOST_PROPERTIES]) {FALSE}, sizeof is_set) != 0)
    check_values ();
  reset ();
  g_strfreev (lines);
  g_free (text);
  return 0;
}
