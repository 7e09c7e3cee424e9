/* Tests of the kernels that evaluate groups: groups, regions and the previous frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "checkhisto.h"

#include <string.h>

#include "expected-counts.h"
#include "frame.h"

/* ---- A plan --------------------------------------------------------------------------------- */

static guint
random_length (guint most)
{
  switch (check_random (4)) {
    case 0:
      return 1 + check_random (8);
    case 1:
      return 1 + check_random (most);
    default:
      return 1 + check_random (MAX (most / 4, 1));
  }
}

/* Caps of any other colorimetry. */
static HistoFormat *
new_format_of (GstVideoFormat number, guint width, guint height, GstVideoTransferFunction transfer)
{
  gchar *colorimetry = g_strdup_printf ("%u:%u:%u:%u", check_random (3), check_random (7), transfer, check_random (3));
  GstCaps *caps = gst_caps_new_simple ("video/x-raw",
      "format", G_TYPE_STRING, gst_video_format_to_string (number),
      "width", G_TYPE_INT, width, "height", G_TYPE_INT, height,
      "colorimetry", G_TYPE_STRING, colorimetry,
      "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
  HistoFormat *format = histo_format_new (caps, NULL);

  g_free (colorimetry);
  gst_caps_unref (caps);
  return format;
}

static HistoFormat *
new_format (GstVideoFormat number, guint width, guint height)
{
  /* Of the transfer functions only PQ and HLG make a difference. */
  static const GstVideoTransferFunction transfers[] = { GST_VIDEO_TRANSFER_UNKNOWN, GST_VIDEO_TRANSFER_ARIB_STD_B67,
    GST_VIDEO_TRANSFER_SMPTE2084, GST_VIDEO_TRANSFER_ARIB_STD_B67
  };

  return new_format_of (number, width, height, transfers[check_random (G_N_ELEMENTS (transfers))]);
}

/* A rectangle near the picture, as text would give it. */
static HistoRegionSpec
random_spec (const HistoFormat * format)
{
  HistoRegionSpec spec = {.name = g_intern_static_string ("region") };

  spec.numbers[0] = (gint) check_random (format->width + 4) - 2;
  spec.numbers[1] = (gint) check_random (format->height + 4) - 2;
  spec.numbers[2] = check_random (format->width + 2);
  spec.numbers[3] = check_random (format->height + 2);
  return spec;
}

static guint
random_groups (void)
{
  const guint all = (1u << HISTO_N_GROUPS) - 1;
  const guint some = HISTO_GROUP_FLAG (HISTO_GROUP_SIGNAL)
      | HISTO_GROUP_FLAG (HISTO_GROUP_MOTION);

  switch (check_random (5)) {
    case 0:
      return all;
    case 1:
      return some;
    case 2:
      return HISTO_GROUP_FLAG (check_random (HISTO_N_GROUPS));
    default:
      return check_random (all + 1);
  }
}

/* A plan that has groups: of these groups, or of others if these and the regions have none. @least: regions
 * beside the picture */
static HistoPlan *
new_plan_with_regions (HistoFormat * format, guint groups, guint least)
{
  GArray *specs = g_array_new (FALSE, TRUE, sizeof (HistoRegionSpec));
  /* On the mock many regions of deep samples take long. groups.many-regions tests them. */
  const gboolean takes_long = check_device.is_simulated && format->formula_depth > HISTO_MATRIX_SHIFT_DEPTH;
  const guint any = check_chance (2) ? 0 : check_random (check_chance (12) && !takes_long ? 41 : 5);
  const guint n = MAX (any, least);
  HistoPlanSettings settings = {.groups = groups,.regions = specs };
  HistoPlan *plan;

  /* On the mock scopes take long. groups.scopes tests them. */
  if (!check_chance (10))
    settings.groups &= ~HISTO_GROUP_FLAG (HISTO_GROUP_SCOPES);
  for (guint i = 0; i < n; i++) {
    HistoRegionSpec spec = random_spec (format);

    g_array_append_val (specs, spec);
  }
  settings.n_rois = check_chance (3) ? check_random (4) : 0;
  plan = histo_plan_new (format, &settings);
  while (!plan->has_groups) {
    histo_plan_unref (plan);
    settings.groups = random_groups ();
    plan = histo_plan_new (format, &settings);
  }
  g_array_unref (specs);
  return plan;
}

static HistoPlan *
new_plan (HistoFormat * format, guint groups)
{
  return new_plan_with_regions (format, groups, 0);
}

/* Progressive or interlaced, all of the frame or a part of it. Rectangles for some of the plan's ROIs: free
 * info->rois. */
static void
random_info (const HistoPlan * plan, HistoFrameInfo * info)
{
  const HistoFormat *format = plan->format;

  info->is_interlaced = check_chance (3);
  info->first_row = check_chance (2) ? check_random (9) : 0;
  info->n_rois = check_random (plan->n_rois + 1);
  info->rois = g_new0 (HistoRegion, MAX (info->n_rois, 1));
  for (guint i = 0; i < info->n_rois; i++) {
    const HistoRegionSpec spec = random_spec (format);

    histo_region_resolve (&spec, format->width, format->height,
        &info->rois[i]);
  }
}

/* ---- Memory ------------------------------------------------------------------------------------ */

typedef struct
{
  HistoPlan *plan;
  HistoCudaKernels kernels;     /* with the limits of the case */
  HistoCudaGroupsPlan groups;
  CheckResult counters, tallies, joint_halves;
  CUdeviceptr scratch, sums, chroma_table, linear, hlg, pictures[2], joint_sums, packed_tables;
  gsize scratch_size;
  HistoScan scan;               /* of the frame before */
} Launch;

static void
launch_init (Launch * launch, HistoPlan * plan, const HistoCudaLimits * limits)
{
  launch->plan = plan;
  launch->kernels = check_device.kernels;
  launch->kernels.limits = *limits;
  histo_cuda_plan_groups (limits, plan, &launch->groups);
  launch->scratch_size =
      histo_cuda_plan_video_counters (limits, plan->n_counters);
  launch->scratch = check_alloc_zeroed (launch->scratch_size);
  launch->sums = check_alloc_zeroed (launch->groups.sums_bytes);
  check_result_init (&launch->counters, plan->n_counters * sizeof (guint32));
  check_result_init (&launch->tallies, plan->n_tallies * sizeof (guint64));
  check_result_init (&launch->joint_halves, plan->n_joints * sizeof (HistoHalves));
  launch->joint_sums = check_alloc_zeroed (launch->groups.joint_sums_bytes);
  launch->packed_tables = check_alloc_poisoned (launch->groups.packed_tables_bytes);
  launch->chroma_table = plan->chroma_table == NULL ? 0 :
      check_upload (plan->chroma_table,
      sizeof (guint32) << (2 * plan->formulas.depth));
  launch->linear = plan->linear == NULL ? 0 :
      check_upload (plan->linear, sizeof (guint16) << plan->formulas.depth);
  launch->hlg = plan->hlg == NULL ? 0 : check_upload (plan->hlg,
      sizeof (guint16) * ((1u << plan->formulas.depth) + 2 * HISTO_HLG_NUMBERS));
  for (guint i = 0; i < 2; i++)
    launch->pictures[i] = launch->groups.picture_bytes == 0 ? 0 :
        check_alloc_poisoned (launch->groups.picture_bytes);
  check_device_wait ();
}

static void
launch_clear (Launch * launch)
{
  check_device_wait ();
  check_free (launch->scratch);
  check_free (launch->sums);
  check_result_clear (&launch->counters);
  check_result_clear (&launch->tallies);
  check_result_clear (&launch->joint_halves);
  check_free (launch->joint_sums);
  check_free (launch->packed_tables);
  if (launch->chroma_table != 0)
    check_free (launch->chroma_table);
  if (launch->linear != 0)
    check_free (launch->linear);
  if (launch->hlg != 0)
    check_free (launch->hlg);
  for (guint i = 0; i < 2; i++) {
    if (launch->pictures[i] != 0)
      check_free (launch->pictures[i]);
  }
}

/* Launches frame number n. */
static void
launch_frame (Launch * launch, const Frame * frame, guint n,
    gboolean has_previous, const HistoFrameInfo * info)
{
  const HistoScan scan = histo_plan_scan (launch->plan, info);
  const HistoCudaGroupsFrame parameters = {
    .planes = frame->planes,
    .info = info,
    .scan = scan,
    .previous_scan = launch->scan,
    .picture = launch->pictures[n % 2],
    .previous = has_previous ? launch->pictures[1 - n % 2] : 0,
    .scratch = launch->scratch,
    .result = launch->counters.device,
    .sums = launch->sums,
    .tallies = launch->tallies.device,
    .chroma_table = launch->chroma_table,
    .linear = launch->linear,
    .hlg = launch->hlg,
    .joint_sums = launch->joint_sums,
    .packed_tables = launch->packed_tables,
    .joint_halves = launch->joint_halves.device,
  };
  GError *error = NULL;

  check_result_poison (&launch->counters);
  check_result_poison (&launch->tallies);
  check_result_poison (&launch->joint_halves);
  if (!histo_cuda_launch_groups (&launch->kernels, &launch->groups, &parameters,
          check_chance (2), check_device.stream, &error))
    g_error ("%s", error->message);
  check_device_wait ();
  launch->scan = scan;
}

/* ---- Comparing ----------------------------------------------------------------------------------- */

static gboolean
equal_tallies (CheckCase * c, guint r, const gchar * what,
    const guint64 * found, const guint64 * expected, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    if (found[i] != expected[i])
      return check_fail (c, "region %u: %s %zu is %" G_GUINT64_FORMAT
          ", not %" G_GUINT64_FORMAT, r, what, i, found[i], expected[i]);
  }
  return TRUE;
}

static gboolean
region_is_right (CheckCase * c, const Launch * launch, guint r,
    const HistoRegion * region, const guint32 * counters,
    const guint64 * tallies)
{
  const HistoPlan *plan = launch->plan;
  const HistoComponent *components = histo_plan_region_components (plan, r);
  const guint64 *found = launch->tallies.host;
  const gsize first = plan->first_tally[r];

  for (guint i = r == 0 && !launch->groups.counts_samples ?
      plan->format->n_components : 0;
      i < plan->n_region_components; i++) {
    const gsize bin = components[i].first_bin;

    if (!check_equal_counters (c, components[i].name,
            (const guint32 *) launch->counters.host + bin, counters + bin,
            components[i].n_values))
      return check_fail (c, "of source %u, region %u", components[i].source, r);
  }
  if (plan->n_light_bins > 0) {
    const gsize bin = histo_plan_first_light_bin (plan, r);

    if (!check_equal_counters (c, "light of HLG", (const guint32 *) launch->counters.host + bin, counters + bin,
            plan->n_light_bins))
      return check_fail (c, "of region %u", r);
  }
  if (plan->n_tallies > 0
      && !equal_tallies (c, r, "tally", found + first, tallies + first,
          HISTO_N_TALLIES))
    return FALSE;
  if (r == 0 && plan->first_cell > 0
      && !equal_tallies (c, r, "number of the cells", found + plan->first_cell,
          tallies + plan->first_cell, HISTO_N_CELLS_NUMBERS))
    return FALSE;
  return !histo_plan_has_group (plan, HISTO_GROUP_AREA)
      || (equal_tallies (c, r, "row", found + first + HISTO_N_TALLIES,
          tallies + first + HISTO_N_TALLIES, region->height)
      && equal_tallies (c, r, "column",
          found + first + HISTO_N_TALLIES + plan->regions[r].height,
          tallies + first + HISTO_N_TALLIES + plan->regions[r].height,
          region->width));
}

/* The joint components of the picture. */
static gboolean
joints_are_right (CheckCase * c, const Launch * launch, const HistoCounts * found, const guint32 * expected)
{
  const HistoPlan *plan = launch->plan;

  for (guint j = 0; j < plan->n_joints; j++) {
    if (!check_equal_counters (c, histo_joints[plan->joints[j]].name, histo_plan_join_joint (found, j),
            expected + j * HISTO_SCOPE_BINS, HISTO_SCOPE_BINS))
      return FALSE;
  }
  return (check_result_intact (&launch->joint_halves)
      || check_fail (c, "the memory around the joint components was written to"))
      && check_is_zero (c, "their sums", launch->joint_sums, launch->groups.joint_sums_bytes);
}

/* What the engine makes of the launch. @room: of the joint components */
static HistoCounts
find_counts (const Launch * launch, guint32 * room)
{
  const HistoCounts counts = {
    .counters = launch->counters.host,
    .joints = room,
    .joint_halves = launch->joint_halves.host,
    .n_frames = 1
  };

  for (guint j = 0; j < launch->plan->n_joints; j++)
    counts.joint_halves[j].is_joined = FALSE;
  histo_plan_count_axes (launch->plan, &counts);
  return counts;
}

static gboolean
launch_is_right (CheckCase * c, const Launch * launch,
    const HistoFrameInfo * info, const ReferencePicture * now,
    const ReferencePicture * before)
{
  const HistoPlan *plan = launch->plan;
  guint32 *counters = g_new0 (guint32, plan->n_counters);
  guint64 *tallies = g_new0 (guint64, MAX (plan->n_tallies, 1));
  guint32 *joints = g_new0 (guint32, histo_plan_joint_counters (plan));
  guint32 *room = g_new (guint32, histo_plan_joint_counters (plan));
  const HistoCounts found = find_counts (launch, room);
  gboolean ok = TRUE;

  for (guint r = 0; ok && r < histo_plan_used_regions (plan, info); r++) {
    const HistoRegion *region = histo_plan_region (plan, info, r);

    expected_counts (plan, r, region, now, before, counters,
        plan->n_tallies > 0 ? tallies : NULL, joints);
    ok = region_is_right (c, launch, r, region, counters, tallies);
    if (!ok)
      check_fail (c, "region %u of %u: %u x %u at %u, %u", r,
          histo_plan_used_regions (plan, info), region->width, region->height,
          region->x, region->y);
  }
  ok = ok && joints_are_right (c, launch, &found, joints);
  g_free (counters);
  g_free (tallies);
  g_free (joints);
  g_free (room);
  return ok && (check_result_intact (&launch->counters)
      || check_fail (c, "the memory around the counters was written to"))
      && (check_result_intact (&launch->tallies)
      || check_fail (c, "the memory around the tallies was written to"))
      && check_is_zero (c, "the scratch memory", launch->scratch,
      launch->scratch_size)
      && check_is_zero (c, "the sums", launch->sums, launch->groups.sums_bytes);
}

/* ---- Frames ------------------------------------------------------------------------------------------ */

/* Repeats rows, so that some of them are like those four rows above, apart from a few bytes. */
static void
repeat_rows (Frame * frame)
{
  for (guint p = 0; p < frame->format.n_planes; p++) {
    const HistoPlane *plane = &frame->planes[p];
    guint8 *first = frame->slabs[p].host + frame->slabs[p].first;
    const guint64 row_bytes = histo_plane_row_bytes (plane);

    for (guint y = 4; y < plane->rows; y++) {
      guint8 *row = first + y * plane->stride;

      if (check_chance (2))
        memcpy (row, row - 4 * plane->stride, row_bytes);
      if (check_chance (2))
        row[check_random (row_bytes)]++;
    }
  }
}

/* The contents of a frame; or some changes to those it has. @content: N_CONTENTS: any */
static void
fill_frame (Frame * frame, gboolean changes, Content content)
{
  if (content != N_CONTENTS) {
    frame_fill (frame, content);
  } else if (!changes || check_chance (4)) {
    frame_fill (frame, check_chance (3) ? CONTENT_RANDOM
        : check_random (N_CONTENTS));
    if (check_chance (2))
      repeat_rows (frame);
  } else {
    repeat_rows (frame);
  }
  frame_upload (frame);
}

/* @strides: of the frames, in turn */
static gboolean
check_frames (CheckCase * c, Launch * launch, Frame * frame,
    const HistoFormat * format, const Strides strides[2], Content content)
{
  const HistoPlan *plan = launch->plan;
  const guint n_frames = plan->needs_previous ? 3 : 1;
  ReferencePicture pictures[2];
  gboolean ok = TRUE;
  guint n;

  for (n = 0; ok && n < n_frames; n++) {
    const gboolean has_previous =
        plan->needs_previous && n > 0 && !check_chance (4);
    const gboolean is_new = n > 0 && strides[0] != strides[1];
    HistoFrameInfo info;

    if (is_new) {
      frame_clear (frame);
      frame_init (frame, format, strides[n % 2]);
    }
    random_info (plan, &info);
    fill_frame (frame, n > 0 && !is_new, content);
    if (n > 1)
      reference_picture_clear (&pictures[n % 2]);
    frame_read (frame, &pictures[n % 2]);
    pictures[n % 2].row_step = info.is_interlaced ? 2 : 1;
    pictures[n % 2].first_row = info.first_row;
    launch_frame (launch, frame, n, has_previous, &info);
    ok = launch_is_right (c, launch, &info, &pictures[n % 2],
        has_previous ? &pictures[1 - n % 2] : NULL);
    g_free (info.rois);
  }
  if (!ok)
    check_fail (c, "frame %u", n - 1);
  for (guint i = 0; i < MIN (n, 2); i++)
    reference_picture_clear (&pictures[i]);
  return ok;
}

/* ---- Tests -------------------------------------------------------------------------------------------- */

/* Frames of the format under a plan, with these limits. Frees format and plan. @strides: of the frames, in
 * turn. @content: of all frames; N_CONTENTS: any */
static CheckOutcome
run_plan_of (CheckCase * c, HistoFormat * format, HistoPlan * plan,
    const Strides strides[2], HistoCudaLimits limits, Content content)
{
  Launch launch;
  Frame frame;
  gboolean ok;

  frame_init (&frame, format, strides[0]);
  launch_init (&launch, plan, &limits);
  ok = check_frames (c, &launch, &frame, format, strides, content);
  if (!ok) {
    check_fail (c, "%s, %u x %u, groups 0x%x, %d multiprocessors, %d bytes",
        histo_format_name (format), format->width, format->height,
        plan->groups, limits.n_multiprocessors,
        limits.shared_memory_per_block);
    frame_describe (&frame, c->text);
  }
  launch_clear (&launch);
  frame_clear (&frame);
  histo_plan_unref (plan);
  histo_format_unref (format);
  return ok ? CHECK_OK : CHECK_FAILED;
}

static CheckOutcome
run_plan_with (CheckCase * c, HistoFormat * format, HistoPlan * plan,
    const Strides strides[2], HistoCudaLimits limits)
{
  return run_plan_of (c, format, plan, strides, limits, N_CONTENTS);
}

static CheckOutcome
run_plan (CheckCase * c, HistoFormat * format, HistoPlan * plan,
    Strides strides)
{
  return run_plan_with (c, format, plan, (Strides[]) { strides, strides },
      check_random_limits ());
}

static CheckOutcome
run_format (CheckCase * c)
{
  HistoFormat *format = new_format (GPOINTER_TO_UINT (c->data),
      random_length (check_chance (6) ? 600 : 160),
      random_length (check_chance (20) ? 400 : 90));

  return run_plan (c, format, new_plan (format, random_groups ()),
      STRIDES_ANY);
}

/* Planes whose rows can be read four words at a time, as decoders make them, with all groups and
 * with those of the kernels for fewer groups. Of every second frame the last four words of a row
 * are not complete. */
static CheckOutcome
run_aligned (CheckCase * c)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_NV21, GST_VIDEO_FORMAT_I420,
    GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_NV16, GST_VIDEO_FORMAT_P010_10LE,
    GST_VIDEO_FORMAT_I420_12LE, GST_VIDEO_FORMAT_I422_10LE,
    GST_VIDEO_FORMAT_GRAY10_LE32, GST_VIDEO_FORMAT_YUY2,
    GST_VIDEO_FORMAT_Y210, GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_NV24,
    GST_VIDEO_FORMAT_Y444, GST_VIDEO_FORMAT_Y444_10LE, GST_VIDEO_FORMAT_RGBA,
    GST_VIDEO_FORMAT_BGR, GST_VIDEO_FORMAT_RGB10A2_LE, GST_VIDEO_FORMAT_Y410,
    GST_VIDEO_FORMAT_Y412_LE, GST_VIDEO_FORMAT_GBRA, GST_VIDEO_FORMAT_A420,
    GST_VIDEO_FORMAT_AV12, GST_VIDEO_FORMAT_A420_10LE,
    GST_VIDEO_FORMAT_GBRA_10LE,
  };
  const guint groups[] = {
    HISTO_GROUP_FLAG (HISTO_GROUP_SIGNAL) |
        HISTO_GROUP_FLAG (HISTO_GROUP_MOTION),
    HISTO_GROUP_FLAG (HISTO_GROUP_MOTION), ~0u,
  };
  const guint n = c->number / G_N_ELEMENTS (groups);
  const guint n_missing = n / G_N_ELEMENTS (formats) % 2;
  HistoFormat *format = new_format (formats[n % G_N_ELEMENTS (formats)],
      32 * check_random_range (1, 9) - n_missing, check_random_range (1, 60));

  return run_plan (c, format, new_plan (format,
          groups[c->number % G_N_ELEMENTS (groups)]), STRIDES_NONE);
}

/* Regions without groups, of formats that the kernel `samples` counts if the limits of the case allow it:
 * planes of one to four bytes a period, planes that share warps, and planes that do not. */
static CheckOutcome
run_samples (CheckCase * c)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_NV21,
    GST_VIDEO_FORMAT_NV24, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_Y42B,
    GST_VIDEO_FORMAT_Y41B, GST_VIDEO_FORMAT_YVU9, GST_VIDEO_FORMAT_Y444,
    GST_VIDEO_FORMAT_A420, GST_VIDEO_FORMAT_AV12, GST_VIDEO_FORMAT_AYUV,
    GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_xRGB, GST_VIDEO_FORMAT_BGR,
    GST_VIDEO_FORMAT_GBR, GST_VIDEO_FORMAT_GBRA, GST_VIDEO_FORMAT_RGBP,
  };
  const HistoCudaLimits *limits = &check_device.kernels.limits;
  /* A few rows have more vectors than there are threads for them. */
  const gboolean is_wide = check_chance (12);
  HistoFormat *format = new_format (formats[c->number % G_N_ELEMENTS (formats)],
      is_wide ? check_random_range (1, 6000) :
      random_length (check_chance (4) ? 600 : 160),
      random_length (is_wide ? 8 : 200));
  HistoPlan *plan = new_plan_with_regions (format, 0, 1);
  HistoCudaGroupsPlan groups;

  histo_cuda_plan_groups (limits, plan, &groups);
  if (limits->shared_memory_per_block >=
      HISTO_ROW_TABLE_BYTES + HISTO_STRIP_STATIC_BYTES
      && !groups.counts_bytes) {
    check_fail (c, "%s: kernel %u counts the regions",
        histo_format_name (format), groups.parts[0].kernel);
    histo_plan_unref (plan);
    histo_format_unref (format);
    return CHECK_FAILED;
  }
  return run_plan (c, format, plan,
      check_chance (4) ? STRIDES_NONE : STRIDES_ANY);
}

/* Frames of bytes in 4:2:0; a few have an odd height, and half of them any strides and addresses, so that
 * they are extracted. */
static CheckOutcome
run_byte_pairs (CheckCase * c)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_NV21, GST_VIDEO_FORMAT_I420,
    GST_VIDEO_FORMAT_YV12,
  };
  static const guint groups[] = {
    HISTO_GROUP_FLAG (HISTO_GROUP_SIGNAL),
    HISTO_GROUP_FLAG (HISTO_GROUP_MOTION),
    HISTO_GROUP_FLAG (HISTO_GROUP_SIGNAL) |
        HISTO_GROUP_FLAG (HISTO_GROUP_MOTION),
    HISTO_GROUP_FLAG (HISTO_GROUP_COLOR), HISTO_GROUP_FLAG (HISTO_GROUP_HDR),
    HISTO_GROUP_FLAG (HISTO_GROUP_DETAIL), HISTO_GROUP_FLAG (HISTO_GROUP_AREA),
    HISTO_GROUP_FLAG (HISTO_GROUP_GAMUT),
    HISTO_GROUP_FLAG (HISTO_GROUP_GAMUT_FILTER),
    HISTO_GROUP_FLAG (HISTO_GROUP_FLASH), HISTO_GROUP_FLAG (HISTO_GROUP_FIELD),
    HISTO_GROUP_FLAG (HISTO_GROUP_DETAIL) |
        HISTO_GROUP_FLAG (HISTO_GROUP_MOTION),
    ~0u, ~0u, ~0u,
  };
  const guint format = c->number / G_N_ELEMENTS (groups);
  HistoFormat *wanted = new_format (formats[format % G_N_ELEMENTS (formats)],
      4 * check_random_range (1, 80),
      2 * check_random_range (1, 45) - check_chance (8));

  return run_plan (c, wanted, new_plan (wanted,
          groups[c->number % G_N_ELEMENTS (groups)]),
      check_chance (2) ? STRIDES_NONE : STRIDES_ANY);
}

/* The same of words, with the limits of the device. */
static CheckOutcome
run_word_pairs (CheckCase * c)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_I420_10LE,
  };
  static const guint groups[] = {
    0, HISTO_GROUP_FLAG (HISTO_GROUP_SIGNAL),
    HISTO_GROUP_FLAG (HISTO_GROUP_MOTION),
    HISTO_GROUP_FLAG (HISTO_GROUP_SIGNAL) |
        HISTO_GROUP_FLAG (HISTO_GROUP_MOTION),
    HISTO_GROUP_FLAG (HISTO_GROUP_GAMUT),
    HISTO_GROUP_FLAG (HISTO_GROUP_GAMUT_FILTER),
    HISTO_GROUP_FLAG (HISTO_GROUP_FLASH), HISTO_GROUP_FLAG (HISTO_GROUP_FIELD),
  };
  const guint n = c->number / G_N_ELEMENTS (groups);
  HistoFormat *wanted = new_format (formats[n % G_N_ELEMENTS (formats)],
      4 * check_random_range (1, 80),
      2 * check_random_range (1, 45) - check_chance (8));
  Strides strides[2];

  /* In some cases a frame is extracted, and the next one is not, or the other way around. */
  strides[0] = check_chance (4) ? STRIDES_ANY : STRIDES_NONE;
  strides[1] = check_chance (4) ? STRIDES_ANY : STRIDES_NONE;
  return run_plan_with (c, wanted, new_plan (wanted,
          groups[c->number % G_N_ELEMENTS (groups)]), strides,
      check_device.kernels.limits);
}

/* Widths at which a row has no room for its last V. */
static CheckOutcome
run_missing_chroma (CheckCase * c)
{
  HistoFormat *format = new_format (c->number % 2 == 0 ?
      GST_VIDEO_FORMAT_NV12_10LE32 : GST_VIDEO_FORMAT_NV16_10LE32,
      6 * check_random_range (1, 20) + 3, check_random_range (1, 20));

  return run_plan (c, format, new_plan (format, ~0u), STRIDES_NONE);
}

/* So little shared memory that one launch counts what the brightest of R, G and B is, and the next one the gradient. */
static CheckOutcome
run_parts (CheckCase * c)
{
  HistoFormat *format = new_format (c->number % 2 == 0 ? GST_VIDEO_FORMAT_I420_10LE : GST_VIDEO_FORMAT_GRAY10_LE32,
      check_random_range (1, 90), check_random_range (1, 60));
  HistoCudaLimits limits = check_device.kernels.limits;

  limits.shared_memory_per_block = 7694;
  return run_plan_with (c, format, new_plan (format, HISTO_GROUP_FLAG (HISTO_GROUP_HDR) |
          HISTO_GROUP_FLAG (HISTO_GROUP_DETAIL)), (Strides[]) { STRIDES_ANY, STRIDES_ANY }, limits);
}

/* A format for each kernel of the checks: of HLG all of them, with groups that need no previous frame, and without the
 * light of HLG; of other video. */
static CheckOutcome
run_checks (CheckCase * c)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_Y444, GST_VIDEO_FORMAT_RGB,
    GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_I420_12LE, GST_VIDEO_FORMAT_Y410, GST_VIDEO_FORMAT_GBR_10LE,
    GST_VIDEO_FORMAT_P016_LE, GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_Y444_16LE, GST_VIDEO_FORMAT_ARGB64_LE,
  };
  const guint checks = HISTO_GROUP_FLAG (HISTO_GROUP_GAMUT) | HISTO_GROUP_FLAG (HISTO_GROUP_GAMUT_FILTER);
  const guint groups[] = { ~0u, checks | HISTO_GROUP_FLAG (HISTO_GROUP_HDR),
    HISTO_GROUP_FLAG (HISTO_GROUP_FLASH) | HISTO_GROUP_FLAG (HISTO_GROUP_FIELD),
    checks | HISTO_GROUP_FLAG (HISTO_GROUP_FLASH)
  };
  const guint kind = c->number / G_N_ELEMENTS (formats) % G_N_ELEMENTS (groups);
  HistoFormat *format = new_format_of (formats[c->number % G_N_ELEMENTS (formats)], check_random_range (1, 300),
      check_random_range (1, 90), kind == 3 ? GST_VIDEO_TRANSFER_BT709 : GST_VIDEO_TRANSFER_ARIB_STD_B67);

  return run_plan (c, format, new_plan (format, groups[kind]), check_chance (2) ? STRIDES_NONE : STRIDES_ANY);
}

/* A format for each kernel of the scopes, without and with R, G and B of YUV, and with other groups. */
static CheckOutcome
run_scopes (CheckCase * c)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_Y444, GST_VIDEO_FORMAT_RGB,
    GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_Y410, GST_VIDEO_FORMAT_GBR_10LE,
    GST_VIDEO_FORMAT_P016_LE, GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_Y444_16LE, GST_VIDEO_FORMAT_ARGB64_LE,
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_RGB16, GST_VIDEO_FORMAT_Y41B, GST_VIDEO_FORMAT_AV12,
    GST_VIDEO_FORMAT_I422_10LE, GST_VIDEO_FORMAT_I422_12LE, GST_VIDEO_FORMAT_v216,
  };
  const guint scopes = HISTO_GROUP_FLAG (HISTO_GROUP_SCOPES), color = HISTO_GROUP_FLAG (HISTO_GROUP_COLOR);
  const guint groups[] = { scopes, scopes | color, scopes | color | HISTO_GROUP_FLAG (HISTO_GROUP_GAMUT) };
  const guint turn = c->number / G_N_ELEMENTS (formats);
  /* Every second time the rows can be read where they are. */
  const gboolean is_aligned = turn % 2 == 1;
  const Strides strides = is_aligned || check_chance (2) ? STRIDES_NONE : STRIDES_ANY;
  HistoFormat *format = new_format (formats[c->number % G_N_ELEMENTS (formats)],
      is_aligned ? 32 * check_random_range (1, 20) : check_random_range (1, 700),
      check_random_range (1, check_chance (4) ? 200 : 40));
  const HistoPlanSettings settings = {.groups = groups[turn % G_N_ELEMENTS (groups)] };
  HistoCudaLimits limits = check_random_limits ();

  /* A block counts at least one column of four waveforms. */
  limits.shared_memory_per_block = MAX (limits.shared_memory_per_block, 12 * 1024);
  return run_plan_with (c, format, histo_plan_new (format, &settings), (Strides[]) { strides, strides }, limits);
}

/* More regions than one launch measures, of samples whose components blocks own. */
static CheckOutcome
run_many_regions (CheckCase * c)
{
  HistoFormat *format = new_format (GST_VIDEO_FORMAT_GRAY16_LE, check_random_range (8, 90), check_random_range (8, 60));

  return run_plan (c, format, new_plan_with_regions (format, HISTO_GROUP_FLAG (HISTO_GROUP_DETAIL),
          HISTO_STRIP_REGIONS + check_random (4)), STRIDES_ANY);
}

/* Frames of which one block counts more than 32768 equal numbers in a component, so that counters of 16 bits overflow. They
 * are flat, and the saturation of one is 0; or a few samples of a row differ. And frames in which threads that count together
 * have several numbers, each of them one; and of noise, of which a few squares have a root that is rounded up too far. */
static CheckOutcome
run_full_counters (CheckCase * c)
{
  static const struct
  {
    GstVideoFormat format;
    guint groups;
    Content content;            /* each row has its own constant, unless that is 0 */
    guint width, height;
  } cases[] = {
    {GST_VIDEO_FORMAT_Y444, HISTO_GROUP_FLAG (HISTO_GROUP_SCOPES), CONTENT_ZERO, 400, 100},
    {GST_VIDEO_FORMAT_ARGB64_LE, HISTO_GROUP_FLAG (HISTO_GROUP_SIGNAL), CONTENT_ZERO, 400, 100},
    {GST_VIDEO_FORMAT_GRAY16_LE, HISTO_GROUP_FLAG (HISTO_GROUP_COLOR), CONTENT_RARE, 40000, 1},
    {GST_VIDEO_FORMAT_GRAY16_LE, HISTO_GROUP_FLAG (HISTO_GROUP_COLOR), CONTENT_RUNS, 4000, 1},
    {GST_VIDEO_FORMAT_Y444_16LE, HISTO_GROUP_FLAG (HISTO_GROUP_SIGNAL), CONTENT_RANDOM, 400, 200},
  };
  const HistoPlanSettings settings = {.groups = cases[c->number].groups };
  HistoFormat *format = new_format (cases[c->number].format, cases[c->number].width, cases[c->number].height);
  HistoCudaLimits limits = check_device.kernels.limits;

  limits.n_multiprocessors = 1;
  return run_plan_of (c, format, histo_plan_new (format, &settings), (Strides[]) { STRIDES_NONE, STRIDES_NONE }, limits,
      cases[c->number].content);
}

void
check_add_groups_tests (void)
{
  static const CheckTest others[] = {
    {.name = (gchar *) "groups.aligned", .n_cases = 200, .least_cases = 75,
        .run = run_aligned},
    {.name = (gchar *) "groups.samples", .n_cases = 216, .all_cases = TRUE,
        .run = run_samples},
    {.name = (gchar *) "groups.byte-pairs", .n_cases = 240, .least_cases = 120,
        .run = run_byte_pairs},
    {.name = (gchar *) "groups.word-pairs", .n_cases = 160, .least_cases = 48,
        .run = run_word_pairs},
    {.name = (gchar *) "groups.missing-chroma", .n_cases = 4, .all_cases = TRUE,
        .run = run_missing_chroma},
    {.name = (gchar *) "groups.checks", .n_cases = 96, .least_cases = 48, .run = run_checks},
    {.name = (gchar *) "groups.scopes", .n_cases = 114, .least_cases = 38, .run = run_scopes},
    {.name = (gchar *) "groups.many-regions", .n_cases = 1, .all_cases = TRUE, .run = run_many_regions},
    {.name = (gchar *) "groups.full-counters", .n_cases = 5, .all_cases = TRUE, .run = run_full_counters},
    {.name = (gchar *) "groups.parts", .n_cases = 4, .all_cases = TRUE, .run = run_parts},
  };
  guint n;
  const GstVideoFormat *formats = gst_video_formats_raw (&n);

  for (guint i = 0; i < n; i++) {
    HistoFormat *format = new_format (formats[i], 16, 16);
    CheckTest test = {
      .n_cases = 8, .run = run_format,
      .data = GUINT_TO_POINTER (formats[i]),
    };

    if (format != NULL && !format->needs_unpack) {
      test.name = g_strdup_printf ("groups.%s",
          gst_video_format_to_string (formats[i]));
      check_add_test (&test);
    }
    g_clear_pointer (&format, histo_format_unref);
  }
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    check_add_test (&others[i]);
}
