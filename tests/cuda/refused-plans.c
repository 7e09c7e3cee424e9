/* Plans that the CUDA engine refuses before it uses the device.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/engine.h"

#include "harness.h"

/* The plan of a picture that is a thousand million pixels wide, and of so many regions of that
 * size. */
static HistoPlan *
new_wide_plan (HistoGroup group, guint n_regions)
{
  GstCaps *caps =
      gst_caps_from_string
      ("video/x-raw,format=GRAY8,width=1000000000,height=4");
  HistoFormat *format = histo_format_new (caps, NULL);
  const HistoPlanSettings settings = {
    .groups = HISTO_GROUP_FLAG (group),
    .n_rois = n_regions,
  };
  HistoPlan *plan;

  fail_unless (format != NULL);
  plan = histo_plan_new (format, &settings);
  histo_format_unref (format);
  gst_caps_unref (caps);
  return plan;
}

static void
check_refused (HistoPlan * plan)
{
  const HistoEngineConfig config = {.plan = plan,.max_in_flight = 1 };
  HistoPageLocks *page_locks = histo_page_locks_new ();
  HistoEngine *engine = histo_engine_cuda_new (page_locks);
  GError *error = NULL;

  fail_if (engine->klass->configure (engine, &config, &error));
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_SETTINGS), "%s", error->message);
  g_error_free (error);
  histo_engine_free (engine);
  histo_page_locks_unref (page_locks);
  histo_plan_unref (plan);
}

/* The kernels number the tallies with 32 bits. Six regions beside the picture have more. */
TEST (test_many_tallies)
{
  HistoPlan *plan = new_wide_plan (HISTO_GROUP_AREA, 6);

  fail_unless (plan->n_tallies > G_MAXUINT32);
  check_refused (plan);
}

/* Two sums of a row lie in one number. */
TEST (test_long_rows)
{
  check_refused (new_wide_plan (HISTO_GROUP_SIGNAL, 0));
}

TEST_MAIN (60)
