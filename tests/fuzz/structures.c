/* Structures for fuzzers; see structures.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "structures.h"

#include "../unit/results.h"
#include "cudahisto/alert.h"
#include "cudahisto/fields.h"
#include "result/write.h"

#define N_BASES 24
/* Of the structures to begin with: to copy large ones takes most of the time. The last N_LARGE may have
 * more, and are chosen rarely. Of the others only FUZZ_STRUCTURE_WITH_LOUDNESS has loudness of a channel:
 * the report counts its blocks in many bins. */
#define MOST_COMPONENTS 4
#define MOST_BINS 8
#define N_LARGE 4
#define MOST_COMPONENTS_OF_LARGE 12
#define MOST_CHANGES 12
#define MOST_DEPTH 4

static GstStructure *bases[N_BASES];

/* ---- Results of random numbers -------------------------------------------------------------- */

static void
add_alerts (GRand * random, GstStructure * structure)
{
  GArray *alerts = g_array_new (FALSE, TRUE, sizeof (HistoAlertEvent));

  for (guint i = 0; i < 2; i++) {
    const HistoAlertEvent event = {
      .alert = g_rand_int_range (random, 0, HISTO_N_ALERTS),
      .is_end = i,
      .component = i == 0 ? "Y" : NULL,
      .start = 5,
      .end = 7,
      .value = 0.5,
    };

    g_array_append_val (alerts, event);
  }
  histo_write_alerts (alerts, structure);
  g_array_unref (alerts);
}

/* Makes a histogram of few bins, of which the figures tell. */
static void
simplify_component (GRand * random, HistoComponentResult * component)
{
  HistoFigures *figures = &component->figures;
  const gboolean is_wide = g_rand_boolean (random);
  guint64 wide[MOST_BINS];
  guint32 narrow[MOST_BINS];

  figures->bins = g_rand_int_range (random, 1, MOST_BINS + 1);
  figures->underflow = g_rand_int_range (random, 0, 9);
  figures->overflow = g_rand_int_range (random, 0, 9);
  figures->nan = g_rand_int_range (random, 0, 9);
  figures->inf = g_rand_int_range (random, 0, 9);
  figures->count = figures->underflow + figures->overflow + figures->nan;
  if (component->histogram == NULL)
    return;
  for (guint i = 0; i < figures->bins; i++) {
    wide[i] = narrow[i] = g_rand_int_range (random, 0, 999);
    figures->count += wide[i];
  }
  g_bytes_unref (component->histogram);
  component->histogram = is_wide ?
      g_bytes_new (wide, figures->bins * sizeof *wide) :
      g_bytes_new (narrow, figures->bins * sizeof *narrow);
}

/* Whether the result is one for small structure @n. */
static gboolean
is_wanted (const HistoResult * result, guint n)
{
  const gboolean has_loudness = result->peaks != NULL;

  if (n == FUZZ_STRUCTURE_WITH_LOUDNESS)
    return has_loudness && result->n_components == 1;
  if (n == FUZZ_STRUCTURE_WITHOUT_CHANNELS)
    return has_loudness && result->n_components == 0;
  return !has_loudness && result->n_components <= MOST_COMPONENTS;
}

void
fuzz_structures_init (void)
{
  GRand *random = g_rand_new_with_seed (1);

  histo_write_init ();
  for (guint n = 0; n < N_BASES;) {
    const gboolean is_large = n >= N_BASES - N_LARGE;
    HistoResult result = { 0, };

    test_fill_result (random, n % 3 == 0, 0, &result);
    for (guint i = 0; !is_large && i < result.n_components; i++)
      simplify_component (random, &result.components[i]);
    if (is_large ? result.n_components <= MOST_COMPONENTS_OF_LARGE :
        is_wanted (&result, n)) {
      bases[n] = test_write_result (&result);
      gst_structure_set (bases[n], "timestamp", G_TYPE_UINT64, (guint64) 1,
          "stream-time", G_TYPE_UINT64, (guint64) 2, "running-time",
          G_TYPE_UINT64, (guint64) 3, "duration", G_TYPE_UINT64, (guint64) 4,
          "buffers", G_TYPE_UINT64, (guint64) 5, NULL);
      if (n % 4 == 0)
        add_alerts (random, bases[n]);
      n++;
    }
    histo_result_clear (&result);
  }
  g_rand_free (random);
}

static const GstStructure *
choose_base (FuzzBytes * bytes)
{
  const guint choice = fuzz_u8 (bytes);

  return bases[choice < 248 ? choice % (N_BASES - N_LARGE) :
      N_BASES - N_LARGE + choice % N_LARGE];
}

/* ---- Changes ---------------------------------------------------------------------------------- */

/* Names that fields have in some structure of a result. */
static const gchar *const names[] = {
#define NAME(identifier, name) name,
  HISTO_RESULT_FIELDS (NAME)
#undef NAME
  "Y", "U", "V", "A", "R", "G", "B", "ch0", "ch1", "signal", "motion", "color", "hdr", "detail",
  "area", "loudness", "level", "gamut", "gamut-filter", "flash", "field", "scopes", "waveform", "columns", "rows", "vectorscope", "bins", "count", "rms", "true-peak",
  "sample-peak", "mafd", "repeat", "transitions", "red-transitions", "counter", "single", "multi", "repeated",
  "silent", "correlation", "balance", "inverted", "dual-mono"
};

static const gchar *const texts[] = {
  "", "video", "audio", "cpu", "cuda", "NV12", "F32LE", "bt709", "Y", "ch0", "begin", "end", "black",
  "pass", "extended", "tff", "progressive", "top",
  "loudness", "1:4:5:1", "\xce\xa9", "a\nb\"<&"
};

static void
init_bytes (GValue * value, FuzzBytes * bytes)
{
  const gsize size = fuzz_below (bytes, 64) * (1 + fuzz_below (bytes, 4) * 4);

  const guint kind = fuzz_below (bytes, 8);
  GBytes *all;

  g_value_init (value, G_TYPE_BYTES);
  if (kind == 0)
    return;
  /* They may begin at any address. */
  all = g_bytes_new_take (g_malloc0 (size + kind / 4), size + kind / 4);
  g_value_take_boxed (value, g_bytes_new_from_bytes (all, kind / 4, size));
  g_bytes_unref (all);
}

static void
init_structure (GValue * value, FuzzBytes * bytes)
{
  g_value_init (value, GST_TYPE_STRUCTURE);
  if (fuzz_below (bytes, 4) == 0)
    return;
  g_value_take_boxed (value, fuzz_below (bytes, 2) == 0 ?
      gst_structure_new_empty ("empty") :
      gst_structure_copy (choose_base (bytes)));
}

static void init_value (GValue * value, FuzzBytes * bytes, guint depth);

/* Appends a value. GStreamer demands that all have one type, also inside of arrays. */
static void
append_value (GValue * array, FuzzBytes * bytes, guint depth)
{
  GValue element = G_VALUE_INIT;

  init_value (&element, bytes, depth);
  if (!GST_VALUE_HOLDS_ARRAY (&element) && !GST_VALUE_HOLDS_LIST (&element)
      && (gst_value_array_get_size (array) == 0
          || G_VALUE_TYPE (gst_value_array_get_value (array, 0)) ==
          G_VALUE_TYPE (&element)))
    gst_value_array_append_and_take_value (array, &element);
  else
    g_value_unset (&element);
}

static void
init_array (GValue * value, FuzzBytes * bytes, guint depth)
{
  guint n = fuzz_below (bytes, 8);

  g_value_init (value, GST_TYPE_ARRAY);
  /* Rarely more than there may be of anything: to make so many takes most of the time. */
  if (n == 7 && fuzz_u8 (bytes) >= 250)
    n = fuzz_u16 (bytes) % 5000;
  for (guint i = 0; i < n; i++)
    append_value (value, bytes, depth);
}

/* @value: unset */
static void
init_value (GValue * value, FuzzBytes * bytes, guint depth)
{
  switch (fuzz_below (bytes, 11)) {
    case 0:
      g_value_init (value, G_TYPE_INT);
      g_value_set_int (value, fuzz_edge (bytes));
      break;
    case 1:
      g_value_init (value, G_TYPE_UINT);
      g_value_set_uint (value, fuzz_edge (bytes));
      break;
    case 2:
      g_value_init (value, G_TYPE_UINT64);
      g_value_set_uint64 (value, fuzz_edge (bytes));
      break;
    case 3:
      g_value_init (value, G_TYPE_DOUBLE);
      g_value_set_double (value, fuzz_double (bytes));
      break;
    case 4:
      g_value_init (value, G_TYPE_STRING);
      if (fuzz_below (bytes, 8) != 0)
        g_value_set_static_string (value, texts[fuzz_below (bytes,
                    G_N_ELEMENTS (texts))]);
      break;
    case 5:
      init_bytes (value, bytes);
      break;
    case 6:
      g_value_init (value, GST_TYPE_FRACTION);
      break;
    case 7:
      g_value_init (value, GST_TYPE_LIST);
      break;
    case 8:
      if (depth < MOST_DEPTH) {
        init_array (value, bytes, depth + 1);
        break;
      }
      /* fall through */
    case 9:
      init_structure (value, bytes);
      break;
    default:
      g_value_init (value, G_TYPE_BOOLEAN);
  }
}

/* The value stays of its type. */
static void
change_number (GValue * value, FuzzBytes * bytes)
{
  if (G_VALUE_HOLDS_INT (value))
    g_value_set_int (value, fuzz_edge (bytes));
  else if (G_VALUE_HOLDS_UINT (value))
    g_value_set_uint (value, fuzz_edge (bytes));
  else if (G_VALUE_HOLDS_UINT64 (value))
    g_value_set_uint64 (value, fuzz_edge (bytes));
  else if (G_VALUE_HOLDS_DOUBLE (value))
    g_value_set_double (value, fuzz_double (bytes));
  else if (G_VALUE_HOLDS_STRING (value))
    g_value_set_static_string (value, texts[fuzz_below (bytes,
                G_N_ELEMENTS (texts))]);
}

static void change (GstStructure * structure, FuzzBytes * bytes, guint depth);

/* Changes what the value holds, or replaces it. */
static void
change_value (GValue * value, FuzzBytes * bytes, guint depth)
{
  const guint kind = fuzz_below (bytes, 8);

  if (kind < 5 && GST_VALUE_HOLDS_STRUCTURE (value)
      && gst_value_get_structure (value) != NULL && depth < MOST_DEPTH) {
    change ((GstStructure *) gst_value_get_structure (value), bytes,
        depth + 1);
  } else if (kind < 4 && GST_VALUE_HOLDS_ARRAY (value)
      && gst_value_array_get_size (value) > 0 && depth < MOST_DEPTH) {
    change_value ((GValue *) gst_value_array_get_value (value,
            fuzz_below (bytes, gst_value_array_get_size (value))), bytes,
        depth + 1);
  } else if (kind == 4 && GST_VALUE_HOLDS_ARRAY (value)) {
    append_value (value, bytes, depth);
  } else if (kind < 5) {
    change_number (value, bytes);
  } else {
    g_value_unset (value);
    init_value (value, bytes, depth);
  }
}

/* Changes one field. */
static void
change (GstStructure * structure, FuzzBytes * bytes, guint depth)
{
  const guint n = gst_structure_n_fields (structure);
  const guint place = fuzz_below (bytes, n + 1);
  const gchar *name = names[fuzz_below (bytes, G_N_ELEMENTS (names))];
  const gchar *field;
  GValue value = G_VALUE_INIT;

  if (place == n) {
    init_value (&value, bytes, depth);
    gst_structure_take_value (structure, name, &value);
    return;
  }
  field = gst_structure_nth_field_name (structure, place);
  switch (fuzz_below (bytes, 16)) {
    case 0:
      gst_structure_remove_field (structure, field);
      break;
    case 1:
      g_value_init (&value, G_VALUE_TYPE (gst_structure_get_value (structure,
                  field)));
      g_value_copy (gst_structure_get_value (structure, field), &value);
      gst_structure_take_value (structure, name, &value);
      break;
    default:
      change_value ((GValue *) gst_structure_get_value (structure, field),
          bytes, depth);
  }
}

GstStructure *
fuzz_structure (FuzzBytes * bytes)
{
  GstStructure *structure = gst_structure_copy (choose_base (bytes));

  for (guint i = 0; i < MOST_CHANGES && bytes->left > 0; i++)
    change (structure, bytes, 0);
  return structure;
}

/* ---- Comparison --------------------------------------------------------------------------------- */

static gboolean
values_equal (const GValue * a, const GValue * b)
{
  if (a == NULL || b == NULL || G_VALUE_TYPE (a) != G_VALUE_TYPE (b))
    return FALSE;
  if (GST_VALUE_HOLDS_STRUCTURE (a))
    return fuzz_structures_equal (gst_value_get_structure (a),
        gst_value_get_structure (b));
  if (GST_VALUE_HOLDS_ARRAY (a)) {
    const guint n = gst_value_array_get_size (a);

    if (n != gst_value_array_get_size (b))
      return FALSE;
    for (guint i = 0; i < n; i++) {
      if (!values_equal (gst_value_array_get_value (a, i),
              gst_value_array_get_value (b, i)))
        return FALSE;
    }
    return TRUE;
  }
  if (G_VALUE_HOLDS_DOUBLE (a)) {
    const gdouble x = g_value_get_double (a), y = g_value_get_double (b);

    return memcmp (&x, &y, sizeof x) == 0;
  }
  if (G_VALUE_HOLDS (a, G_TYPE_BYTES))
    return g_bytes_equal (g_value_get_boxed (a), g_value_get_boxed (b));
  return gst_value_compare (a, b) == GST_VALUE_EQUAL;
}

gboolean
fuzz_structures_equal (const GstStructure * a, const GstStructure * b)
{
  if (gst_structure_n_fields (a) != gst_structure_n_fields (b))
    return FALSE;
  for (gint i = 0; i < gst_structure_n_fields (a); i++) {
    const gchar *name = gst_structure_nth_field_name (a, i);

    if (!values_equal (gst_structure_get_value (a, name),
            gst_structure_get_value (b, name)))
      return FALSE;
  }
  return TRUE;
}
