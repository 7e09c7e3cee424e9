/* Measures a frame without a pipeline.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "library/cudahisto.h"

#include <string.h>

#include "cudahisto/fields.h"
#include "engine/engine.h"
#include "result/fill.h"
#include "result/write.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);

/* What the plugin does when it is loaded. */
static void
init (void)
{
  static gsize is_done;

  if (!g_once_init_enter (&is_done))
    return;
  GST_DEBUG_CATEGORY_INIT (cudahisto_debug, "cudahisto", 0, "Histograms and statistics");
  histo_write_init ();
  g_once_init_leave (&is_done, 1);
}

/* @names: (nullable): "signal+color". @groups: (out): their flags */
static gboolean
find_groups (const gchar * names, guint * groups, GError ** error)
{
  g_auto (GStrv) parts = g_strsplit (names != NULL ? names : histo_groups[HISTO_GROUP_BASIC].name, "+", -1);

  *groups = HISTO_GROUP_FLAG (HISTO_GROUP_BASIC);
  for (guint i = 0; parts[i] != NULL; i++) {
    guint g = 0;

    while (g < HISTO_N_GROUPS && strcmp (parts[i], histo_groups[g].name) != 0)
      g++;
    if (g == HISTO_N_GROUPS) {
      g_set_error (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_MEASURE, "\"%s\" is no group of measures", parts[i]);
      return FALSE;
    }
    *groups |= HISTO_GROUP_FLAG (g);
  }
  return TRUE;
}

/* Returns: (transfer full) (nullable): the structure of the result */
static GstStructure *
measure (HistoEngine * engine, HistoPlan * plan, GstBuffer * buffer, GError ** error)
{
  const HistoEngineConfig config = {.plan = plan,.max_in_flight = 1,.is_awaited = TRUE };
  const HistoFrameInfo info = {.is_interlaced = histo_format_is_interlaced (plan->format, buffer) };
  GstStructure *structure = NULL;
  HistoResult result = { 0, };
  HistoCounts counts;
  HistoSlot *slot;

  if (!histo_plan_check (plan, error) || !engine->klass->open (engine, NULL, -1, error)
      || !engine->klass->configure (engine, &config, error)
      || (slot = engine->klass->submit (engine, buffer, &info, error)) == NULL)
    return NULL;
  if (engine->klass->wait (engine, slot, &counts, error)) {
    histo_result_fill (&result, plan, &counts, &info, engine->klass->name, HISTO_HISTOGRAMS_PICTURE);
    structure = gst_structure_new_empty (HISTO_RESULT_NAME);
    histo_write_result (&result, structure);
    histo_result_clear (&result);
  }
  engine->klass->release (engine, slot);
  return structure;
}

CudahistoResult *
cudahisto_measure_frame (GstVideoFrame * frame, const gchar * groups, GError ** error)
{
  HistoPlanSettings settings = { 0, };
  g_autoptr (GstCaps) caps = NULL;
  g_autoptr (GError) wrong = NULL;
  HistoFormat *format;
  CudahistoResult *self = NULL;
  GstStructure *structure = NULL;

  g_return_val_if_fail (frame != NULL && frame->buffer != NULL, NULL);
  if (!find_groups (groups, &settings.groups, error))
    return NULL;
  init ();
  caps = gst_video_info_to_caps (&frame->info);
  format = histo_format_new (caps, &wrong);
  if (format != NULL) {
    HistoPlan *plan = histo_plan_new (format, &settings);
    HistoEngine *engine = histo_engine_cpu_new ();

    structure = measure (engine, plan, frame->buffer, &wrong);
    histo_engine_free (engine);
    histo_plan_unref (plan);
    histo_format_unref (format);
  }
  if (structure == NULL) {
    g_set_error_literal (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_MEASURE, wrong->message);
    return NULL;
  }
  self = cudahisto_result_new_from_structure (structure, error);
  gst_structure_free (structure);
  return self;
}
