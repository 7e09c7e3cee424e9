/* The groups and regions of the CPU engine against a plain evaluation of kernels/maps.h.
 *
 * The plain evaluation computes each number of each pixel by itself, from samples that the
 * reference reads. It shares the formulas with the engine, but no loop, row or share.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats.h"
#include "frames.h"
#include "reference.h"

#include "engine/engine.h"

#define ALL_GROUPS ((1u << HISTO_N_GROUPS) - 1)
#define IN_FLIGHT 3

/* ---- Samples -------------------------------------------------------------------------------- */

/* All samples of a frame. */
typedef struct
{
  ReferenceShape shape;
  guint32 *samples[4];
} Samples;

static void
read_samples (const HistoFormat * format, GstBuffer * buffer, Samples * out)
{
  GstVideoInfo info = format->video;
  GstVideoFrame frame;

  memset (out, 0, sizeof *out);
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  fail_unless (reference_video_shape (GST_VIDEO_INFO_FORMAT (&info),
          info.width, info.height, &out->shape));
  for (guint c = 0; c < out->shape.n_components; c++) {
    out->samples[c] = g_new (guint32,
        (gsize) out->shape.widths[c] * out->shape.heights[c]);
    fail_unless (reference_video_samples (GST_VIDEO_INFO_FORMAT (&info),
            info.width, info.height, (const guint8 * const *) frame.data,
            frame.info.stride, c, out->samples[c]));
  }
  gst_video_frame_unmap (&frame);
}

static void
clear_samples (Samples * samples)
{
  for (guint c = 0; c < 4; c++)
    g_clear_pointer (&samples->samples[c], g_free);
}

/* ---- The plain evaluation ---------------------------------------------------------------------- */

typedef struct
{
  const HistoPlan *plan;
  const HistoMaps *maps;
  const Samples *samples;
  HistoRegion region;
  guint32 *counters;
  guint64 *tallies;
  const HistoComponent *components;
} Plain;

static guint32
native (const Plain * plain, const Samples * samples, guint c, guint x, guint y)
{
  return samples->samples[c][(gsize) y * samples->shape.widths[c]
      + MIN (x, samples->shape.widths[c] - 1)];
}

/* Component @c of the pixel, in the depth of the maps. */
static guint32
pixel (const Plain * plain, const Samples * samples, guint c, guint x, guint y)
{
  const HistoMaps *maps = plain->maps;

  if (c > 0 && !maps->has_chroma)
    return 1u << (maps->depth - 1);
  if (c > 0 && !maps->is_rgb) {
    x >>= maps->w_sub;
    y >>= maps->h_sub;
  }
  return histo_scale_sample (native (plain, samples, c, x, y),
      maps->depths[c], maps->depth);
}

static guint32
by_matrix (const Plain * plain, const Samples * samples,
    const HistoMatrix * matrix, guint row, guint x, guint y)
{
  return histo_matrix_row (matrix, row, pixel (plain, samples, 0, x, y),
      pixel (plain, samples, 1, x, y), pixel (plain, samples, 2, x, y));
}

static guint32
yuv (const Plain * plain, guint i, guint x, guint y)
{
  return plain->maps->is_rgb ?
      by_matrix (plain, plain->samples, &plain->maps->matrix, i, x, y) :
      pixel (plain, plain->samples, i, x, y);
}

static guint32
luma (const Plain * plain, const Samples * samples, guint x, guint y)
{
  return plain->maps->is_rgb ?
      by_matrix (plain, samples, &plain->maps->luma, 0, x, y) :
      pixel (plain, samples, 0, x, y);
}

static gint32
stretched (const Plain * plain, const Samples * samples, guint x, guint y)
{
  return histo_stretch (luma (plain, samples, x, y), plain->maps->depth,
      plain->maps->is_limited);
}

static guint32
maxrgb (const Plain * plain, guint x, guint y)
{
  guint32 most = 0;

  for (guint i = 0; i < 3; i++) {
    guint32 value = plain->maps->is_rgb ?
        pixel (plain, plain->samples, i, x, y) :
        by_matrix (plain, plain->samples, &plain->maps->matrix, i, x, y);

    if (plain->maps->is_rgb && plain->maps->is_limited)
      value = histo_stretch_rgb (value, plain->maps->depth);
    most = MAX (most, value);
  }
  return most;
}

static void
count (Plain * plain, const HistoComponent * component, guint32 value)
{
  g_assert (value < component->n_values);
  plain->counters[component->first_bin + value]++;
}

/* Native samples, and differences if there is a previous frame. */
static void
count_native (Plain * plain, const HistoComponent * component,
    const Samples * previous)
{
  const GstVideoFormatInfo *info = plain->plan->format->video.finfo;
  const guint c = component->native;
  const HistoRegion *r = &plain->region;
  const guint w_sub = info->w_sub[c], h_sub = info->h_sub[c];
  const gboolean differs = component->source == HISTO_SOURCE_DIFFERENCE;

  for (guint y = r->y >> h_sub; y <= (r->y + r->height - 1) >> h_sub; y++) {
    for (guint x = r->x >> w_sub; x <= (r->x + r->width - 1) >> w_sub; x++) {
      if (x >= plain->samples->shape.widths[c])
        continue;
      count (plain, component, !differs ? native (plain, plain->samples, c, x, y) :
          (guint32) ABS ((gint) native (plain, plain->samples, c, x, y)
              - (gint) native (plain, previous, c, x, y)));
    }
  }
}

static void
count_chroma (Plain * plain, const HistoComponent * components)
{
  const HistoMaps *maps = plain->maps;
  const HistoRegion *r = &plain->region;
  const guint w_sub = maps->w_sub, h_sub = maps->h_sub;
  const gint mid = 1 << (maps->depth - 1);

  for (guint y = r->y >> h_sub; y <= (r->y + r->height - 1) >> h_sub; y++) {
    for (guint x = r->x >> w_sub; x <= (r->x + r->width - 1) >> w_sub; x++) {
      const gint u = (gint) yuv (plain, 1, x << w_sub, y << h_sub) - mid;
      const gint v = (gint) yuv (plain, 2, x << w_sub, y << h_sub) - mid;

      count (plain, &components[0], histo_saturation (u, v));
      count (plain, &components[1], maps->depth <= HISTO_MOST_TABLE_DEPTH ?
          histo_hue_of_angle (atan2f (u, v)) : histo_hue (u, v));
    }
  }
}

static void
count_pixels (Plain * plain, const HistoComponent * component)
{
  const HistoRegion *r = &plain->region;

  for (guint y = r->y; y < r->y + r->height; y++) {
    for (guint x = r->x; x < r->x + r->width; x++) {
      if (component->source == HISTO_SOURCE_LUMA)
        count (plain, component, luma (plain, plain->samples, x, y));
      else if (component->source == HISTO_SOURCE_MAXRGB)
        count (plain, component, maxrgb (plain, x, y));
      else
        count (plain, component, by_matrix (plain, plain->samples,
                &plain->maps->matrix, component->source - HISTO_SOURCE_RED, x, y));
    }
  }
}

static void
count_gradients (Plain * plain, const HistoComponent * component,
    const Samples * previous)
{
  const HistoRegion *r = &plain->region;
  const guint depth = plain->maps->depth;

  for (guint y = 0; y < r->height; y++) {
    for (guint x = 0; x < r->width; x++) {
      gint32 near[3][3];
      gfloat magnitude;
      guint64 fixed;

      if (previous != NULL) {
        const gint64 change =
            stretched (plain, plain->samples, r->x + x, r->y + y)
            - stretched (plain, previous, r->x + x, r->y + y);

        plain->tallies[HISTO_TALLY_TI_SUM] += change;
        plain->tallies[HISTO_TALLY_TI_SQUARES] += change * change;
      }
      if (x == 0 || y == 0 || x + 1 == r->width || y + 1 == r->height)
        continue;
      for (guint i = 0; i < 9; i++)
        near[i / 3][i % 3] = stretched (plain, plain->samples,
            r->x + x + i % 3 - 1, r->y + y + i / 3 - 1);
      magnitude = sqrtf ((gfloat) histo_gradient_square (near[0], near[1], near[2]));
      fixed = histo_gradient_fixed (magnitude, depth);
      count (plain, component, histo_gradient (magnitude, depth));
      plain->tallies[HISTO_TALLY_GRADIENT_SUM] += fixed;
      plain->tallies[HISTO_TALLY_GRADIENT_SQUARES] += fixed * fixed;
    }
  }
}

/* ---- Tallies ------------------------------------------------------------------------------------ */

/* Whether a pixel and its two neighbours are outliers. @x, @y: in the region */
static gboolean
are_outliers (const Plain * plain, guint x, guint y, guint distance)
{
  for (guint i = 0; i < 3; i++) {
    const guint column = plain->region.x + x + i - 1;
    const guint row = plain->region.y + y;

    if (!histo_is_outlier (yuv (plain, 0, column, row - distance),
            yuv (plain, 0, column, row), yuv (plain, 0, column, row + distance),
            plain->maps->depth))
      return FALSE;
  }
  return TRUE;
}

static gboolean
is_repeated (const Plain * plain, guint y)
{
  guint64 sum = 0;

  if (y < 4)
    return FALSE;
  for (guint x = 0; x < plain->region.width; x++) {
    const guint column = plain->region.x + x, row = plain->region.y + y;

    sum += ABS ((gint) yuv (plain, 0, column, row)
        - (gint) yuv (plain, 0, column, row - 4));
  }
  return sum < plain->region.width;
}

static void
add_signal (Plain * plain)
{
  const HistoRegion *r = &plain->region;
  const guint depth = plain->maps->depth;

  for (guint y = 0; y < r->height; y++) {
    if (is_repeated (plain, y))
      plain->tallies[HISTO_TALLY_VREP] += r->width;
    for (guint x = 0; x < r->width; x++) {
      const guint column = r->x + x, row = r->y + y;

      plain->tallies[HISTO_TALLY_BRNG] +=
          histo_luma_is_out_of_range (yuv (plain, 0, column, row), depth)
          || (plain->maps->has_chroma
          && (histo_chroma_is_out_of_range (yuv (plain, 1, column, row), depth)
              || histo_chroma_is_out_of_range (yuv (plain, 2, column, row),
                  depth)));
      if (x == 0 || y == 0 || x + 1 == r->width || y + 1 == r->height)
        continue;
      plain->tallies[HISTO_TALLY_TOUT] += are_outliers (plain, x, y, 1)
          && (y < 2 || y + 2 >= r->height || are_outliers (plain, x, y, 2));
    }
  }
}

static void
add_area (Plain * plain, guint n_rows)
{
  const HistoRegion *r = &plain->region;

  for (guint y = 0; y < r->height; y++) {
    for (guint x = 0; x < r->width; x++) {
      for (guint c = 0; c < (plain->maps->is_rgb ? 3 : 1); c++) {
        const guint32 value =
            pixel (plain, plain->samples, c, r->x + x, r->y + y);

        plain->tallies[HISTO_N_TALLIES + y] += value;
        plain->tallies[HISTO_N_TALLIES + n_rows + x] += value;
      }
    }
  }
}

/* Evaluates one region. @previous: (nullable) */
static void
evaluate_region (Plain * plain, guint region, const Samples * previous)
{
  const HistoPlan *plan = plain->plan;

  if (plain->region.width == 0 || plain->region.height == 0)
    return;
  for (guint i = 0; i < plan->n_region_components; i++) {
    const HistoComponent *component = &plain->components[i];

    switch (component->source) {
      case HISTO_SOURCE_DIFFERENCE:
        if (previous == NULL)
          break;
        /* fall through */
      case HISTO_SOURCE_SAMPLE:
        count_native (plain, component, previous);
        break;
      case HISTO_SOURCE_SATURATION:
        count_chroma (plain, component);
        break;
      case HISTO_SOURCE_HUE:
        break;
      case HISTO_SOURCE_GRADIENT:
        count_gradients (plain, component, previous);
        break;
      default:
        count_pixels (plain, component);
    }
  }
  if (histo_plan_has_group (plan, HISTO_GROUP_SIGNAL))
    add_signal (plain);
  if (histo_plan_has_group (plan, HISTO_GROUP_AREA))
    add_area (plain, plan->regions[region].height);
}

/* ---- Comparing ------------------------------------------------------------------------------------ */

/* For the message of a failure. */
static gchar *
describe (const Plain * plain)
{
  const HistoRegion *r = &plain->region;

  return g_strdup_printf ("%s %ux%u, region %ux%u at %u, %u",
      histo_format_name (plain->plan->format), plain->plan->format->width,
      plain->plan->format->height, r->width, r->height, r->x, r->y);
}

/* Only failures call functions of check, because they take long. */
static void
check_component (const Plain * plain, const HistoComponent * component,
    const guint32 * counters)
{
  for (gsize v = component->first_bin;
      v < component->first_bin + component->n_values; v++) {
    if (counters[v] != plain->counters[v])
      ck_abort_msg ("%s, %s of group %u: value %u occurs %u times, not %u",
          describe (plain), component->name, component->group,
          (guint) (v - component->first_bin), counters[v], plain->counters[v]);
  }
}

static void
check_counts (const HistoPlan * plan, const HistoFrameInfo * info,
    const HistoCounts * counts, const Samples * samples,
    const Samples * previous)
{
  guint32 *counters = g_new0 (guint32, plan->n_counters);
  /* A plan without tallies needs an address, too: C does not define NULL + 0. */
  guint64 *tallies = g_new0 (guint64, plan->n_tallies + 1);

  fail_unless_equals_uint64 (counts->n_frames, 1);
  fail_unless_equals_uint64 (counts->n_with_previous,
      plan->needs_previous && previous != NULL);
  for (guint r = 0; r < histo_plan_used_regions (plan, info); r++) {
    Plain plain = { plan, &plan->maps, samples,
      *histo_plan_region (plan, info, r), counters,
      tallies + plan->first_tally[r], histo_plan_region_components (plan, r)
    };
    const gsize n_tallies =
        (r + 1 < plan->n_regions ? plan->first_tally[r + 1] : plan->n_tallies) -
        plan->first_tally[r];

    evaluate_region (&plain, r, previous);
    for (guint i = 0; i < plan->n_region_components; i++)
      check_component (&plain, &plain.components[i], counts->counters);
    for (gsize t = 0; t < n_tallies; t++) {
      const guint64 tally = counts->tallies[plan->first_tally[r] + t];

      if (tally != plain.tallies[t])
        ck_abort_msg ("%s, tally %u is %" G_GUINT64_FORMAT ", not %"
            G_GUINT64_FORMAT, describe (&plain), (guint) t, tally,
            plain.tallies[t]);
    }
  }
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
  Samples samples, previous = {.samples = {NULL} };
  GError *error = NULL;

  fail_unless (engine->klass->configure (engine, &config, &error));
  for (guint i = 0, done = 0; done < n; i++) {
    if (i < n) {
      frames[i] = gst_buffer_new_allocate (NULL, format->video.size, NULL);
      fill_frame (frames[i], frames[i > 0 ? i - 1 : 0],
          ABS (format->video.stride[0]) % 65536, random);
      infos[i].continues = i > 0 && i % 4 != 3;
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
      read_samples (format, frames[done], &samples);
      check_counts (plan, &infos[done], &counts, &samples,
          infos[done].continues ? &previous : NULL);
      engine->klass->release (engine, slots[done]);
      clear_samples (&previous);
      previous = samples;
      done++;
    }
  }
  clear_samples (&previous);
  for (guint i = 0; i < n; i++) {
    gst_buffer_unref (frames[i]);
    g_free (infos[i].rois);
  }
  g_free (frames);
  g_free (infos);
  g_free (slots);
}

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
  caps = gst_video_info_to_caps (&info);
  format = histo_format_new (caps, NULL);
  fail_unless (format != NULL);
  plan = new_plan (format, groups, 3, 2, random);
  check_frames (engine, plan, 5, random);
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
  GST_VIDEO_FORMAT_Y210, GST_VIDEO_FORMAT_GBRA_12LE
};

GST_START_TEST (test_formats)
{
  static const gchar *const colorimetries[] = {
    NULL, "bt709", "bt601", "bt2020-10", "sRGB", "1:3:5:1", "2:1:5:1", "1:4:0:4"
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

GST_END_TEST;

/* Regions that are large enough to count U and V in pairs, without the group that does so. */
GST_START_TEST (test_no_pairs)
{
  GRand *random = test_random ();

  for (guint i = 0; i < 4; i++)
    check_format (GST_VIDEO_FORMAT_Y444, NULL, 450, 400,
        HISTO_GROUP_FLAG (i % 2 == 0 ? HISTO_GROUP_BASIC : HISTO_GROUP_AREA),
        random);
  g_rand_free (random);
}

GST_END_TEST;

static const GstVideoFormat large_formats[] = {
  GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_RGBA,
  GST_VIDEO_FORMAT_NV12_64Z32
};

/* Frames that several threads count. */
GST_START_TEST (test_large_frames)
{
  GRand *random = test_random ();

  check_format (large_formats[__i__], NULL,
      g_rand_int_range (random, 1300, 1400), g_rand_int_range (random, 950, 1000),
      ALL_GROUPS, random);
  g_rand_free (random);
}

GST_END_TEST;

static Suite *
cpu_maps_suite (void)
{
  Suite *suite = suite_create ("cpu-maps");

  tcase_add_loop_test (test_add_case (suite, "formats", 20), test_formats, 0,
      G_N_ELEMENTS (formats));
  tcase_add_test (test_add_case (suite, "no-pairs", 20), test_no_pairs);
  tcase_add_loop_test (test_add_case (suite, "large", 60), test_large_frames,
      0, G_N_ELEMENTS (large_formats));
  return suite;
}

GST_CHECK_MAIN (cpu_maps);
