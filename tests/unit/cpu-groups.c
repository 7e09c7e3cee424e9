/* The groups and regions of the CPU engine, with all that its plan counts, against the reference.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "expected-counts.h"
#include "formats.h"
#include "frames.h"

#include "engine/engine.h"

#define ALL_GROUPS ((1u << HISTO_N_GROUPS) - 1)
#define IN_FLIGHT 3

/* The samples of a frame. */
static void
read_picture (const HistoFormat * format, GstBuffer * buffer, const HistoFrameInfo * frame_info, ReferencePicture * out)
{
  GstVideoInfo info = format->video;
  GstVideoFrame frame;

  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  fail_unless (reference_picture_init (out, &frame.info, (const guint8 * const *) frame.data));
  gst_video_frame_unmap (&frame);
  out->row_step = frame_info->is_interlaced ? 2 : 1;
  out->first_row = frame_info->first_row;
}

/* ---- Comparing ------------------------------------------------------------------------------------ */

/* Only failures call functions of check, because they take long. @tallies: those of the region */
static void
check_region (const HistoPlan * plan, guint r, const HistoRegion * region, const HistoCounts * counts,
    const guint32 * counters, const guint64 * tallies)
{
  const HistoComponent *components = histo_plan_region_components (plan, r);
  const gsize end = r + 1 < plan->n_regions ? plan->first_tally[r + 1] : plan->n_tallies;
  gchar *label = g_strdup_printf ("%s %ux%u, region %ux%u at %u, %u", histo_format_name (plan->format),
      plan->format->width, plan->format->height, region->width, region->height, region->x, region->y);

  for (guint i = 0; i < plan->n_region_components; i++) {
    const gsize first = components[i].first_bin;

    for (guint v = 0; v < components[i].n_values; v++)
      if (counts->counters[first + v] != counters[first + v])
        ck_abort_msg ("%s, %s of group %u: value %u occurs %u times, not %u", label, components[i].name,
            components[i].group, v, counts->counters[first + v], counters[first + v]);
  }
  for (guint bin = 0; bin < plan->n_light_bins; bin++) {
    const gsize place = histo_plan_first_light_bin (plan, r) + bin;

    if (counts->counters[place] != counters[place])
      ck_abort_msg ("%s, light of HLG: bin %u occurs %u times, not %u", label, bin, counts->counters[place],
          counters[place]);
  }
  for (gsize t = plan->first_tally[r]; t < end; t++)
    if (counts->tallies[t] != tallies[t])
      ck_abort_msg ("%s, tally %u is %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT, label,
          (guint) (t - plan->first_tally[r]), counts->tallies[t], tallies[t]);
  g_free (label);
}

/* @previous: (nullable): */
static void
check_counts (const HistoPlan * plan, const HistoFrameInfo * info, const HistoCounts * counts,
    const ReferencePicture * current, const ReferencePicture * previous)
{
  guint32 *counters = g_new0 (guint32, plan->n_counters);
  guint64 *tallies = plan->n_tallies > 0 ? g_new0 (guint64, plan->n_tallies) : NULL;
  guint32 *joints = g_new0 (guint32, histo_plan_joint_counters (plan));

  fail_unless_equals_uint64 (counts->n_frames, 1);
  fail_unless_equals_uint64 (counts->n_with_previous, plan->needs_previous && previous != NULL);
  for (guint r = 0; r < histo_plan_used_regions (plan, info); r++) {
    const HistoRegion *region = histo_plan_region (plan, info, r);

    expected_counts (plan, r, region, current, previous, counters, tallies, joints);
    check_region (plan, r, region, counts, counters, tallies);
  }
  for (gsize i = 0; i < histo_plan_joint_counters (plan); i++)
    if (counts->joints[i] != joints[i])
      ck_abort_msg ("%s %ux%u, %s: bin %u occurs %u times, not %u", histo_format_name (plan->format),
          plan->format->width, plan->format->height, histo_joints[plan->joints[i / HISTO_SCOPE_BINS]].name,
          (guint) (i % HISTO_SCOPE_BINS), counts->joints[i], joints[i]);
  g_free (joints);
  g_free (counters);
  g_free (tallies);
}

/* ---- Frames ---------------------------------------------------------------------------------------- */

/* Bands of rows of noise, of flat areas with errors, of repeated rows, and of what the frame
 * before has there. */
static void
fill_frame (GstBuffer * buffer, GstBuffer * previous, gsize stride,
    GRand * random)
{
  GstMapInfo map, old;

  test_fill_buffer (buffer, random);
  gst_buffer_map (buffer, &map, GST_MAP_READWRITE);
  gst_buffer_map (previous, &old, GST_MAP_READ);
  for (gsize i = 0, left = 0, kind = 0; i < map.size; i++, left--) {
    if (left == 0) {
      left = g_rand_int_range (random, 1, 12) * stride;
      kind = g_rand_int_range (random, 0, 6);
    }
    if (kind == 0)
      map.data[i] = old.data[i];
    else if (kind == 1)
      map.data[i] = map.data[i] % 50 == 0 ? 200 : 100;
    else if (kind == 2)
      map.data[i] = i >= 4 * stride ? map.data[i - 4 * stride] : 0;
    else if (kind == 3)
      map.data[i] = 100 + i / stride % 3 * 20;
    else if (kind == 4)
      map.data[i] = 16 + map.data[i] % 8;
  }
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unmap (previous, &old);
}

/* Alpha is mostly the same in a picture: here in its first rows, or in all. Of the bits of other components in a word of alpha
 * nothing is changed. */
static void
fill_alpha (const HistoFormat * format, GstBuffer * buffer, GRand * random)
{
  const guint height = format->height, n_rows = g_rand_boolean (random) ? height : (guint) g_rand_int_range (random, 0, height + 1);
  const guint8 value = g_rand_boolean (random) ? 0xff : g_rand_int (random);
  GstVideoInfo info = format->video;
  GstVideoFrame frame;
  guint bytes;

  if (!GST_VIDEO_INFO_HAS_ALPHA (&info) || GST_VIDEO_INFO_N_COMPONENTS (&info) < 4 || format->components[3].depth < 8)
    return;
  bytes = format->components[3].depth > 8 ? 2 : 1;
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_WRITE));
  for (guint y = 0; y < n_rows; y++)
    for (guint x = 0; x < format->width; x++)
      memset ((guint8 *) GST_VIDEO_FRAME_COMP_DATA (&frame, 3) + y * GST_VIDEO_FRAME_COMP_STRIDE (&frame, 3)
          + x * GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, 3), value, bytes);
  gst_video_frame_unmap (&frame);
}

/* A region somewhere, maybe empty, maybe over the edge. */
static HistoRegion
random_region (const HistoFormat * format, GRand * random)
{
  HistoRegion region;

  histo_region_clip (&region, NULL, g_rand_int_range (random, -5, format->width),
      g_rand_int_range (random, -5, format->height),
      g_rand_int_range (random, 0, format->width + 10),
      g_rand_int_range (random, 0, format->height + 10), format->width,
      format->height);
  return region;
}

/* @n_random: regions; one more is the last column of the frame. At some odd widths, such as 51 in UYVP,
 * this column has no sample of V. */
static HistoPlan *
new_plan (HistoFormat * format, guint groups, guint n_random, guint n_rois,
    GRand * random)
{
  const HistoRegionSpec last_column = {.name = "last-column",
    .numbers = {format->width - 1, 0, 1, format->height}
  };
  GArray *specs = g_array_new (FALSE, TRUE, sizeof (HistoRegionSpec));
  HistoPlanSettings settings = {.groups = groups,.regions = specs,.n_rois = n_rois };
  HistoPlan *plan;

  for (guint i = 0; i < n_random; i++) {
    const HistoRegion region = random_region (format, random);
    const HistoRegionSpec spec = {.name = "region",
      .numbers = {region.x, region.y, region.width, region.height}
    };

    g_array_append_val (specs, spec);
  }
  g_array_append_val (specs, last_column);
  plan = histo_plan_new (format, &settings);
  g_array_unref (specs);
  return plan;
}

/* Measures @n frames, of which up to IN_FLIGHT are in flight at the same time. */
static void
check_frames (HistoEngine * engine, HistoPlan * plan, guint n, GRand * random)
{
  const HistoFormat *format = plan->format;
  GstBuffer **frames = g_new (GstBuffer *, n);
  HistoFrameInfo *infos = g_new0 (HistoFrameInfo, n);
  HistoSlot **slots = g_new (HistoSlot *, n);
  const HistoEngineConfig config = {
    .plan = plan,
    .max_in_flight = IN_FLIGHT,
    .hold_previous = g_rand_boolean (random)
  };
  ReferencePicture current, previous = {.samples = {NULL} };
  GError *error = NULL;

  fail_unless (engine->klass->configure (engine, &config, &error));
  for (guint i = 0, done = 0; done < n; i++) {
    if (i < n) {
      frames[i] = gst_buffer_new_allocate (NULL, format->video.size, NULL);
      fill_frame (frames[i], frames[i > 0 ? i - 1 : 0],
          ABS (format->video.stride[0]) % 65536, random);
      fill_alpha (format, frames[i], random);
      infos[i].continues = i > 0 && i % 4 != 3;
      /* As in the mode mixed: frames and their previous ones may differ. */
      infos[i].is_interlaced = g_rand_boolean (random);
      infos[i].first_row = g_rand_boolean (random) ? g_rand_int_range (random, 0, 9) : 0;
      infos[i].n_rois = g_rand_int_range (random, 0, plan->n_rois + 1);
      infos[i].rois = g_new (HistoRegion, infos[i].n_rois);
      for (guint r = 0; r < infos[i].n_rois; r++)
        infos[i].rois[r] = random_region (format, random);
      slots[i] = engine->klass->submit (engine, frames[i], &infos[i], &error);
      fail_unless (slots[i] != NULL);
    }
    if (i + 1 >= IN_FLIGHT || i >= n) {
      HistoCounts counts;

      fail_unless (engine->klass->wait (engine, slots[done], &counts, &error));
      read_picture (format, frames[done], &infos[done], &current);
      check_counts (plan, &infos[done], &counts, &current,
          infos[done].continues ? &previous : NULL);
      engine->klass->release (engine, slots[done]);
      reference_picture_clear (&previous);
      previous = current;
      done++;
    }
  }
  reference_picture_clear (&previous);
  for (guint i = 0; i < n; i++) {
    gst_buffer_unref (frames[i]);
    g_free (infos[i].rois);
  }
  g_free (frames);
  g_free (infos);
  g_free (slots);
}

/* The reference takes seconds for such frames. */
#define MANY_PIXELS 1000000

static void
check_format (GstVideoFormat video, const GstVideoColorimetry * colorimetry,
    guint width, guint height, guint groups, GRand * random)
{
  HistoEngine *engine = histo_engine_cpu_new ();
  GstVideoInfo info;
  GstCaps *caps;
  HistoFormat *format;
  HistoPlan *plan;

  gst_video_info_set_format (&info, video, width, height);
  if (colorimetry != NULL)
    info.colorimetry = *colorimetry;
  /* Then GStreamer has room for more rows of chroma. */
  if (g_rand_boolean (random))
    info.interlace_mode = GST_VIDEO_INTERLACE_MODE_INTERLEAVED;
  caps = gst_video_info_to_caps (&info);
  format = histo_format_new (caps, NULL);
  fail_unless (format != NULL);
  plan = new_plan (format, groups, 3, 2, random);
  check_frames (engine, plan, width * height < MANY_PIXELS ? 5 : IN_FLIGHT, random);
  histo_plan_unref (plan);
  histo_format_unref (format);
  gst_caps_unref (caps);
  histo_engine_free (engine);
}

/* ---- Tests ----------------------------------------------------------------------------------------- */

static const GstVideoFormat formats[] = {
  GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_YUY2,
  GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_P010_10LE,
  GST_VIDEO_FORMAT_Y444_12LE, GST_VIDEO_FORMAT_GRAY8,
  GST_VIDEO_FORMAT_GRAY16_BE, GST_VIDEO_FORMAT_GRAY16_LE,
  GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_RGB16,
  GST_VIDEO_FORMAT_RGB15, GST_VIDEO_FORMAT_RGB10A2_LE,
  GST_VIDEO_FORMAT_AYUV64, GST_VIDEO_FORMAT_Y41B, GST_VIDEO_FORMAT_IYU1,
  GST_VIDEO_FORMAT_YVU9, GST_VIDEO_FORMAT_NV12_64Z32,
  GST_VIDEO_FORMAT_NV12_10BE_8L128, GST_VIDEO_FORMAT_RGB8P,
  GST_VIDEO_FORMAT_UYVP, GST_VIDEO_FORMAT_NV12_10LE32,
  GST_VIDEO_FORMAT_ARGB64, GST_VIDEO_FORMAT_I420_10BE,
  GST_VIDEO_FORMAT_A420, GST_VIDEO_FORMAT_GBR, GST_VIDEO_FORMAT_RGB,
  GST_VIDEO_FORMAT_Y210, GST_VIDEO_FORMAT_GBRA_12LE,
  GST_VIDEO_FORMAT_VUYA, GST_VIDEO_FORMAT_Y412_BE
};

TEST_LOOP (test_formats, 0, G_N_ELEMENTS (formats))
{
  static const gchar *const colorimetries[] = {
    NULL, "bt709", "bt601", "bt2020-10", "sRGB", "1:3:5:1", "2:1:5:1", "1:4:0:4", "bt2100-hlg", "1:1:15:7",
    "2:1:15:7"
  };
  GRand *random = test_random ();

  for (guint i = 0; i < 6; i++) {
    GstVideoColorimetry colorimetry;
    const gchar *name = colorimetries[g_rand_int_range (random, 0,
            G_N_ELEMENTS (colorimetries))];
    const gboolean is_narrow = i == 0;

    if (name != NULL)
      fail_unless (gst_video_colorimetry_from_string (&colorimetry, name));
    check_format (formats[__i__], name != NULL ? &colorimetry : NULL,
        g_rand_int_range (random, 1, is_narrow ? 6 : 90),
        g_rand_int_range (random, 1, is_narrow ? 6 : 60),
        i < 4 ? ALL_GROUPS : g_rand_int (random) & ALL_GROUPS,
        random);
  }
  /* At these widths the last V of a row is missing. */
  check_format (formats[__i__], NULL, 51, 9, ALL_GROUPS, random);
  check_format (formats[__i__], NULL, 33, 9, ALL_GROUPS, random);
  g_rand_free (random);
}

/* Regions that are large enough to count U and V in pairs, without the group that does so. */
TEST (test_no_pairs)
{
  GRand *random = test_random ();

  for (guint i = 0; i < 4; i++)
    check_format (GST_VIDEO_FORMAT_Y444, NULL, 450, 400,
        HISTO_GROUP_FLAG (i % 2 == 0 ? HISTO_GROUP_BASIC : HISTO_GROUP_AREA),
        random);
  g_rand_free (random);
}

/* The histograms of samples of 8 bits are sums of joint components, with the groups that would count them otherwise and
 * without. */
TEST (test_scopes)
{
  static const GstVideoFormat scope_formats[] = {
    GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_Y444, GST_VIDEO_FORMAT_VUYA, GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_RGBA,
    GST_VIDEO_FORMAT_I420_10LE
  };
  static const guint groups[] = {
    HISTO_GROUP_FLAG (HISTO_GROUP_SCOPES),
    HISTO_GROUP_FLAG (HISTO_GROUP_SCOPES) | HISTO_GROUP_FLAG (HISTO_GROUP_SIGNAL),
    HISTO_GROUP_FLAG (HISTO_GROUP_SCOPES) | HISTO_GROUP_FLAG (HISTO_GROUP_COLOR)
  };
  GRand *random = test_random ();

  for (guint i = 0; i < G_N_ELEMENTS (scope_formats); i++)
    for (guint g = 0; g < G_N_ELEMENTS (groups); g++)
      check_format (scope_formats[i], NULL, g_rand_int_range (random, 280, 300), 250, groups[g], random);
  g_rand_free (random);
}

static const GstVideoFormat large_formats[] = {
  GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_RGBA,
  GST_VIDEO_FORMAT_NV12_64Z32
};

/* Frames that several threads count. */
TEST_LOOP (test_large_frames, 0, G_N_ELEMENTS (large_formats))
{
  GRand *random = test_random ();

  check_format (large_formats[__i__], NULL,
      g_rand_int_range (random, 1300, 1400), g_rand_int_range (random, 950, 1000),
      ALL_GROUPS, random);
  g_rand_free (random);
}

TEST_MAIN (60)
