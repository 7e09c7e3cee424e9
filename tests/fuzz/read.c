/* Fuzzer: reads results from untrusted structures.
 *
 * A structure is refused with an error, or it becomes a result. That result, written and read again,
 * is the same.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "structures.h"

#include "cudahisto/read.h"
#include "result/write.h"

static GstStructure *
write_result (const HistoResult * result)
{
  GstStructure *structure = gst_structure_new_empty (HISTO_RESULT_NAME);

  histo_write_result (result, structure);
  return structure;
}

static gboolean
read_result (const GstStructure * structure, HistoResult * result)
{
  GError *error = NULL;

  if (histo_read_result (structure, result, &error)) {
    fuzz_check (error == NULL, "an error: %s", error->message);
    return TRUE;
  }
  fuzz_check (g_error_matches (error, GST_STREAM_ERROR,
          GST_STREAM_ERROR_FORMAT), "no error");
  fuzz_check (result->n_components == 0 && result->components == NULL
      && result->n_regions == 0 && result->regions == NULL,
      "what was refused is no empty result");
  g_error_free (error);
  return FALSE;
}

/* What programs do with a result. */
static void
check_use (const HistoResult * result)
{
  for (guint i = 0; i < result->n_components; i++) {
    const HistoComponentResult *component = &result->components[i];
    guint64 *counts;

    fuzz_check (component->name != NULL, "component %u has no name", i);
    if (component->histogram == NULL)
      continue;
    fuzz_check (g_bytes_get_size (component->histogram) / 4 ==
        component->figures.bins || g_bytes_get_size (component->histogram) / 8
        == component->figures.bins, "%s: %" G_GSIZE_FORMAT " bytes of %u bins",
        component->name, g_bytes_get_size (component->histogram),
        component->figures.bins);
    counts = g_new0 (guint64, MAX (component->figures.bins, 1));
    histo_component_add_counts (component, counts);
    g_free (counts);
  }
  for (guint r = 0; r < result->n_regions; r++)
    histo_result_find_component (result, r, HISTO_GROUP_BASIC, "Y");
}

static void
check_round_trip (const HistoResult * result)
{
  GstStructure *written = write_result (result), *again;
  HistoResult other = { 0, };

  fuzz_check (read_result (written, &other), "what was written is refused");
  again = write_result (&other);
  fuzz_check (fuzz_structures_equal (written, again), "the results differ");
  histo_result_clear (&other);
  gst_structure_free (written);
  gst_structure_free (again);
}

static void
check_alerts (const GstStructure * structure)
{
  GArray *alerts = g_array_new (FALSE, TRUE, sizeof (HistoAlertEvent));
  GError *error = NULL;
  HistoAlertEvent event;
  gchar place[16];

  g_array_set_clear_func (alerts, histo_alert_event_clear);
  fuzz_check (histo_read_alerts (structure, alerts, &error) ==
      (error == NULL), "alerts");
  g_clear_error (&error);
  fuzz_check (histo_read_alert (structure, &event, &error) ==
      (error == NULL), "alert");
  g_clear_error (&error);
  histo_alert_event_clear (&event);
  for (guint i = 0; i < alerts->len; i++) {
    const HistoAlertEvent *read = &g_array_index (alerts, HistoAlertEvent, i);

    fuzz_check (read->alert <= HISTO_ALERT_RULE, "alert %u", i);
    histo_alert_write_place (read, place, sizeof place);
    fuzz_check (g_utf8_validate (place, -1, NULL), "the place of alert %u", i);
  }
  g_array_unref (alerts);
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  fuzz_init ();
  fuzz_structures_init ();
  return 0;
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  /* Read into, again and again. */
  static HistoResult kept;
  FuzzBytes bytes = { data, size };
  GstStructure *structure = fuzz_structure (&bytes);
  HistoResult result = { 0, };
  gboolean is_result = read_result (structure, &result);
  guint64 n_buffers;
  HistoTimes times;

  fuzz_check (read_result (structure, &kept) == is_result,
      "another outcome after earlier results");
  check_alerts (structure);
  histo_read_times (structure, &times);
  histo_read_buffers (structure, &n_buffers);
  if (is_result) {
    GstStructure *a = write_result (&result), *b = write_result (&kept);

    fuzz_check (fuzz_structures_equal (a, b),
        "another result after earlier ones");
    gst_structure_free (a);
    gst_structure_free (b);
    check_use (&result);
    check_round_trip (&result);
  }
  histo_result_clear (&result);
  gst_structure_free (structure);
  return 0;
}
