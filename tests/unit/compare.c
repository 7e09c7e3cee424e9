/* Comparing planes against a plain reference, and finding pairs of frames against a plain model.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"

#include "compare/compared.h"
#include "compare/count.h"
#include "compare/pairs.h"

#include <math.h>

/* ---- Planes ---------------------------------------------------------------------------------------- */

typedef struct
{
  guint depth, width, height;
  gboolean is_wide;
  gssize stride;                /* in bytes */
  guint8 *a, *b;
} Planes;

static guint
sample_of (const Planes * planes, const guint8 * data, guint x, guint y)
{
  const guint8 *row = data + (gssize) y * planes->stride;

  return planes->is_wide ? ((const guint16 *) row)[x] & ((1u << planes->depth) - 1) : row[x];
}

static void
set_sample (const Planes * planes, guint8 * data, guint x, guint y, guint value)
{
  guint8 *row = data + (gssize) y * planes->stride;

  if (planes->is_wide)
    ((guint16 *) row)[x] = value | (x % 5 == 0 ? 0xffffu << planes->depth : 0);  /* other bits mean nothing */
  else
    row[x] = value;
}

/* Two planes that are equal, differ in a few samples by a little, or everywhere. */
static void
make_planes (Planes * planes, GRand * random)
{
  static const guint depths[] = { 8, 8, 9, 10, 12, 14, 16 };
  const guint max = (1u << (planes->depth = depths[g_rand_int_range (random, 0, G_N_ELEMENTS (depths))])) - 1;
  const guint of_ten = g_rand_int_range (random, 0, 12);        /* so many samples of ten differ; 11: by anything */
  const gboolean extreme = g_rand_boolean (random);

  planes->is_wide = planes->depth > 8;
  planes->width = g_rand_int_range (random, 1, 600);
  planes->height = g_rand_int_range (random, 1, 40);
  planes->stride = (planes->width + g_rand_int_range (random, 0, 9)) * 2;
  planes->a = g_malloc (planes->stride * planes->height);
  planes->b = g_malloc (planes->stride * planes->height);
  for (guint y = 0; y < planes->height; y++)
    for (guint x = 0; x < planes->width; x++) {
      const guint value = extreme ? (g_rand_boolean (random) ? max : 0) : (guint) g_rand_int_range (random, 0, max + 1);
      guint other = value;

      if (of_ten == 11)
        other = extreme ? max - value : (guint) g_rand_int_range (random, 0, max + 1);
      else if (g_rand_int_range (random, 0, 40) < (gint) of_ten)
        other = MIN (value + 3, max);
      set_sample (planes, planes->a, x, y, value);
      set_sample (planes, planes->b, x, y, other);
    }
}

/* FFmpeg's window, word by word. */
static gfloat
plain_window (const Planes * planes, guint x, guint y)
{
  const gdouble max = (1u << planes->depth) - 1;
  const gint64 c1 = .01 * .01 * max * max * 64 + .5, c2 = .03 * .03 * max * max * 64 * 63 + .5;
  gint64 s1 = 0, s2 = 0, ss = 0, s12 = 0, vars, covar;

  for (guint j = y; j < y + 8; j++)
    for (guint i = x; i < x + 8; i++) {
      const gint64 a = sample_of (planes, planes->a, i, j), b = sample_of (planes, planes->b, i, j);

      s1 += a;
      s2 += b;
      ss += a * a + b * b;
      s12 += a * b;
    }
  vars = ss * 64 - s1 * s1 - s2 * s2;
  covar = s12 * 64 - s1 * s2;
  return (gfloat) (2 * s1 * s2 + c1) * (gfloat) (2 * covar + c2)
      / ((gfloat) (s1 * s1 + s2 * s2 + c1) * (gfloat) (vars + c2));
}

static void
check_rectangle (const Planes * planes, HistoComparisonScratch * scratch, guint x, guint y, guint width, guint height)
{
  const HistoPlane a = {.data = (guint64) (guintptr) planes->a,.stride = planes->stride };
  const HistoPlane b = {.data = (guint64) (guintptr) planes->b,.stride = planes->stride };
  guint first_x = G_MAXUINT, first_y = G_MAXUINT, after_x = 0, after_y = 0, most = 0;
  guint64 different = 0, sse = 0, n_windows = 0;
  HistoComparisonCounts counts;
  gdouble ssim = 0;

  for (guint j = y; j < y + height; j++)
    for (guint i = x; i < x + width; i++) {
      const gint64 change = (gint64) sample_of (planes, planes->a, i, j) - sample_of (planes, planes->b, i, j);

      sse += change * change;
      if (change == 0)
        continue;
      different++;
      most = MAX (most, (guint) ABS (change));
      first_x = MIN (first_x, i);
      first_y = MIN (first_y, j);
      after_x = MAX (after_x, i + 1);
      after_y = MAX (after_y, j + 1);
    }
  for (guint j = 0; j + 8 <= height; j += 4)
    for (guint i = 0; i + 8 <= width; i += 4) {
      ssim += plain_window (planes, x + i, y + j);
      n_windows++;
    }

  histo_compare_planes (&a, &b, planes->is_wide, planes->depth, x, y, width, height, TRUE, scratch, &counts);
  fail_unless_equals_uint64 (counts.count, (guint64) width * height);
  fail_unless_equals_uint64 (counts.different, different);
  fail_unless_equals_uint64 (counts.sse, sse);
  fail_unless_equals_int (counts.max_difference, most);
  fail_unless_equals_uint64 (counts.n_windows, n_windows);
  fail_unless (fabs (counts.ssim - ssim) <= 1e-9 * MAX (fabs (ssim), 1), "%.17g, not %.17g", counts.ssim, ssim);
  if (different == 0) {
    fail_unless (counts.after_x == 0 && counts.after_y == 0);
    return;
  }
  fail_unless_equals_int (counts.first_x, first_x);
  fail_unless_equals_int (counts.first_y, first_y);
  fail_unless_equals_int (counts.after_x, after_x);
  fail_unless_equals_int (counts.after_y, after_y);
}

TEST (test_planes)
{
  HistoComparisonScratch scratch = { NULL, 0 };
  GRand *random = test_random ();

  for (guint round = 0; round < 200; round++) {
    Planes planes;
    guint x, y;

    make_planes (&planes, random);
    check_rectangle (&planes, &scratch, 0, 0, planes.width, planes.height);
    x = g_rand_int_range (random, 0, planes.width);
    y = g_rand_int_range (random, 0, planes.height);
    check_rectangle (&planes, &scratch, x, y, g_rand_int_range (random, 1, planes.width - x + 1),
        g_rand_int_range (random, 1, planes.height - y + 1));
    g_free (planes.a);
    g_free (planes.b);
  }
  histo_comparison_scratch_clear (&scratch);
  g_rand_free (random);
}

/* ---- XPSNR ----------------------------------------------------------------------------------------- */

/* A picture in any format, as GStreamer's video frame has its samples. */
typedef struct
{
  GstBuffer *buffer;
  GstVideoFrame frame;
} Picture;

static const GstMapFlags map_flags = GST_MAP_READWRITE;

static guint8 *
place_of (const Picture * picture, guint c, guint x, guint y)
{
  const GstVideoFrame *frame = &picture->frame;

  return (guint8 *) GST_VIDEO_FRAME_COMP_DATA (frame, c) + (gsize) y * GST_VIDEO_FRAME_COMP_STRIDE (frame, c)
      + x * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, c);
}

static guint
read_sample (const Picture * picture, guint c, guint x, guint y)
{
  const GstVideoFormatInfo *info = picture->frame.info.finfo;
  const guint8 *place = place_of (picture, c, x, y);

  if (info->depth[c] <= 8)
    return *place;
  return (GST_VIDEO_FORMAT_INFO_IS_LE (info) ? GST_READ_UINT16_LE (place) : GST_READ_UINT16_BE (place)) >> info->shift[c]
      & ((1u << info->depth[c]) - 1);
}

/* The other bits of a word mean nothing. */
static void
write_sample (const Picture * picture, guint c, guint x, guint y, guint value, GRand * random)
{
  const GstVideoFormatInfo *info = picture->frame.info.finfo;
  const guint max = (1u << info->depth[c]) - 1;
  guint8 *place = place_of (picture, c, x, y);

  if (info->depth[c] > 8) {
    const guint16 word = value << info->shift[c] | (g_rand_int (random) & ~(max << info->shift[c]));

    if (GST_VIDEO_FORMAT_INFO_IS_LE (info))
      GST_WRITE_UINT16_LE (place, word);
    else
      GST_WRITE_UINT16_BE (place, word);
  } else {
    *place = (guint8) value;
  }
}

/* @of_noise: samples are @base of another picture, changed by less than this; (nullable) @base: by anything */
static void
make_picture (Picture * picture, const GstVideoInfo * info, const Picture * base, guint of_noise, GRand * random)
{
  picture->buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (info), NULL);
  fail_unless (gst_video_frame_map (&picture->frame, info, picture->buffer, map_flags));
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    const guint max = (1u << GST_VIDEO_INFO_COMP_DEPTH (info, c)) - 1, width = GST_VIDEO_INFO_COMP_WIDTH (info, c);
    const guint scale = 3 + g_rand_int_range (random, 0, 9);

    for (guint y = 0; y < (guint) GST_VIDEO_INFO_COMP_HEIGHT (info, c); y++)
      for (guint x = 0; x < width; x++) {
        /* Half of the picture is quiet. */
        const guint noise = of_noise == 0 ? 0 : g_rand_int (random) % of_noise >> (x * 2 < width ? scale : 0);
        const guint value = base == NULL ? (x + y) * max / 700 % (max + 1) : read_sample (base, c, x, y);

        write_sample (picture, c, x, y, MIN (value + noise, max), random);
      }
  }
}

static void
free_picture (Picture * picture)
{
  gst_video_frame_unmap (&picture->frame);
  gst_clear_buffer (&picture->buffer);
}

/* A sample of a component in a rectangle whose edges are repeated. @picture: (nullable): NULL: zeros */
typedef struct
{
  const Picture *picture;
  guint c, x, y, width, height;
} Part;

static gint64
at (const Part * part, gint64 x, gint64 y)
{
  if (part->picture == NULL)
    return 0;
  return read_sample (part->picture, part->c, part->x + CLAMP (x, 0, (gint64) part->width - 1),
      part->y + CLAMP (y, 0, (gint64) part->height - 1));
}

/* The sum of the samples that lie @ring away from the cell of @size samples, as a square; @corners: with its corners. */
static gint64
sum_ring (const Part * part, guint x, guint y, guint size, gint64 ring, gboolean sides, gboolean corners)
{
  const gint64 first = -ring, last = size - 1 + ring;
  gint64 sum = 0;

  for (gint64 j = first; j <= last; j++)
    for (gint64 i = first; i <= last; i++) {
      const gboolean on_x = i == first || i == last, on_y = j == first || j == last;

      if ((on_x && on_y) ? corners : (on_x || on_y) && sides)
        sum += at (part, x + i, y + j);
    }
  return sum;
}

/* The activity of one block of the leading component, squared: FFmpeg's filter in other words. */
static gdouble
plain_activity (const Part parts[3], guint x, guint y, guint side, gboolean is_second, guint depth)
{
  const guint step = (guint64) parts[0].width * parts[0].height > 2048 * 1152 ? 2 : 1;
  const guint width = MIN (side, parts[0].width - x), height = MIN (side, parts[0].height - y);
  const guint begin_x = x == 0 ? step : 0, begin_y = y == 0 ? step : 0;
  const gint end_x = x + side < parts[0].width ? (gint) width : (gint) width - (gint) step;
  const gint end_y = y + side < parts[0].height ? (gint) height : (gint) height - (gint) step;
  gint64 detail = 0, change = 0;
  gdouble activity = 0;

  if (end_x <= (gint) begin_x || end_y <= (gint) begin_y)
    return 1;
  for (gint j = begin_y; j < end_y; j += step)
    for (gint i = begin_x; i < end_x; i += step) {
      if (step == 1)
        detail += ABS (12 * at (&parts[0], x + i, y + j) - 2 * sum_ring (&parts[0], x + i, y + j, 1, 1, TRUE, FALSE)
            - sum_ring (&parts[0], x + i, y + j, 1, 1, FALSE, TRUE));
      else
        detail += ABS (12 * sum_ring (&parts[0], x + i, y + j, 2, 0, TRUE, TRUE)
            - 3 * sum_ring (&parts[0], x + i, y + j, 2, 1, TRUE, FALSE)
            - 2 * sum_ring (&parts[0], x + i, y + j, 2, 1, FALSE, TRUE)
            - sum_ring (&parts[0], x + i, y + j, 2, 2, TRUE, FALSE));
    }
  for (guint j = 0; j < height; j += step)
    for (guint i = 0; i < width; i += step) {
      gint64 of[3];

      for (guint k = 0; k < 3; k++)
        of[k] = sum_ring (&parts[k], x + i, y + j, step, 0, TRUE, TRUE);
      change += ABS (is_second ? of[0] - 2 * of[1] + of[2] : of[0] - of[1]);
    }
  if (step == 1 || end_x > 12)
    activity = (gdouble) detail / ((gdouble) (end_x - (gint) begin_x) * (end_y - (gint) begin_y));
  activity += 2. * change / ((gdouble) width * height);
  activity = MAX (activity, 1u << (depth - 6));
  return activity * activity;
}

/* FFmpeg's loop, which smoothes the weights while it makes them. */
static void
plain_weights (const Part parts[3], guint side, gboolean is_second, guint depth, gdouble * weights)
{
  const guint width = parts[0].width, height = parts[0].height, columns = (width + side - 1) / side;
  guint i = 0;

  for (guint y = 0; y < height; y += side)
    for (guint x = 0; x < width; x += side, i++) {
      gdouble most;

      weights[i] = 1 / sqrt (plain_activity (parts, x, y, side, is_second, depth));
      if ((guint64) width * height > 640 * 480)
        continue;
      most = x == 0 ? (i > 1 ? weights[i - 2] : 0) : x > side ? MAX (weights[i - 2], weights[i]) : weights[i];
      if (i > columns)
        most = MAX (most, weights[i - 1 - columns]);
      if (i > 0)
        weights[i - 1] = MIN (weights[i - 1], most);
      if (x + side >= width && y + side >= height && i > columns)
        weights[i] = MIN (weights[i], MAX (weights[i - 1], weights[i - columns]));
    }
}

/* XPSNR of component @c. @leading: the parts of the frame of the reference and of those before it */
static gdouble
plain_xpsnr (const Part leading[3], const Part * a, const Part * b, gboolean is_second, guint depth)
{
  const guint width = leading[0].width, height = leading[0].height;
  const gdouble ratio = (gdouble) width * height / (3840. * 2160), max = (1u << depth) - 1;
  const guint side = 4 * (guint) (32 * sqrt (ratio) + .5);
  const guint columns = side == 0 ? 1 : (width + side - 1) / side, rows = side == 0 ? 1 : (height + side - 1) / side;
  const guint side_x = side == 0 ? a->width : side * a->width / width;
  const guint side_y = side == 0 ? a->height : side * a->height / height;
  g_autofree gdouble *weights = g_new (gdouble, columns * rows), *errors = g_new0 (gdouble, columns * rows);
  gdouble sum = 0, distance;

  for (guint y = 0; y < a->height; y++)
    for (guint x = 0; x < a->width; x++) {
      const gdouble error = (gdouble) (at (a, x, y) - at (b, x, y));

      errors[MIN (y / side_y, rows - 1) * columns + MIN (x / side_x, columns - 1)] += error * error;
    }
  if (side == 0) {
    distance = sqrt (errors[0]);
  } else {
    plain_weights (leading, side, is_second, depth, weights);
    for (guint i = 0; i < columns * rows; i++)
      sum += errors[i] * weights[i];
    distance = sqrt (floor (sum * sqrt (16. * pow (2, 2. * depth - 9) / sqrt (MAX (.00001, ratio))) + .5));
  }
  return distance < 1 ? (gdouble) INFINITY : 10 * log10 (a->width * (gdouble) a->height * max * max / (distance * distance));
}

static Part
find_part (const Picture * picture, const GstVideoInfo * info, guint c, const HistoRegion * region)
{
  const guint w_sub = info->finfo->w_sub[c], h_sub = info->finfo->h_sub[c];
  Part part = {.picture = picture,.c = c,.x = region->x >> w_sub,.y = region->y >> h_sub };

  part.width = ((region->x + region->width - 1) >> w_sub) + 1 - part.x;
  part.height = ((region->y + region->height - 1) >> h_sub) + 1 - part.y;
  return part;
}

/* Compares two pictures of a size, and a region of them. @n_before: frames before the reference */
static void
check_xpsnr (const gchar * name, guint width, guint height, guint n_before, gboolean is_second, GRand * random)
{
  g_autofree gchar *text = g_strdup_printf ("video/x-raw, format=%s, width=%u, height=%u, framerate=25/1", name, width,
      height);
  g_autofree gchar *regions_text = g_strdup_printf ("r=%u,%u,%u,%u", g_rand_int_range (random, 0, (width + 1) / 2),
      g_rand_int_range (random, 0, (height + 1) / 2), g_rand_int_range (random, 1, width + 1),
      g_rand_int_range (random, 1, height + 1));
  GArray *regions = histo_region_specs_parse (regions_text, NULL);
  GstCaps *caps = gst_caps_from_string (text);
  HistoComparedPicture readers[4] = { 0, };
  HistoComparedHistory history = {.is_fast = is_second };
  HistoComparisonScratch scratch = { 0, };
  HistoCompared compared = { 0, };
  HistoComparison comparison;
  Picture pictures[4];
  GstVideoInfo info;
  guint leading;

  fail_unless (gst_video_info_from_caps (&info, caps));
  /* The picture, the frame of the reference, and those before it. */
  make_picture (&pictures[1], &info, NULL, g_rand_int_range (random, 0, 60), random);
  make_picture (&pictures[0], &info, &pictures[1], g_rand_int_range (random, 0, 20), random);
  make_picture (&pictures[2], &info, &pictures[1], g_rand_int_range (random, 0, 30), random);
  make_picture (&pictures[3], &info, &pictures[2], g_rand_int_range (random, 0, 30), random);
  for (guint i = 0; i < 4; i++) {
    fail_unless (histo_compared_picture_set_caps (&readers[i], caps, NULL));
    fail_unless (histo_compared_picture_map (&readers[i], pictures[i].buffer, G_MAXUINT, NULL));
  }
  history.before = n_before > 0 ? &readers[2] : NULL;
  history.before_that = n_before > 1 ? &readers[3] : NULL;
  histo_compared_begin (&compared, 1u << HISTO_COMPARISON_INDEX_XPSNR, readers[0].format, readers[0].format, regions);
  histo_compared_count (&compared, &readers[0], &readers[1], &history, &scratch);
  histo_compared_fill (&compared, &comparison);
  leading = histo_compared_leading (readers[0].format);
  for (guint r = 0; r < 2; r++) {
    const HistoRegion *region = &compared.regions[r];
    Part of_leading[3];

    for (guint k = 0; k < 3; k++)
      of_leading[k] = find_part (k <= n_before ? &pictures[1 + k] : NULL, &info, leading, region);
    for (guint c = 0; c < readers[0].format->n_components; c++) {
      const Part a = find_part (&pictures[0], &info, c, region), b = find_part (&pictures[1], &info, c, region);
      const gdouble found = comparison.regions[r].components[c].xpsnr;
      gdouble expected = NAN;

      if (c < 3)
        expected = plain_xpsnr (of_leading, &a, &b, is_second, info.finfo->depth[c]);
      fail_unless (isnan (expected) ? isnan (found) : isinf (expected) ? isinf (found) :
          fabs (found - expected) < 1e-9, "%s %u x %u region %u component %u: %.12g, not %.12g", name, width, height, r, c,
          found, expected);
    }
  }
  histo_comparison_clear (&comparison);
  histo_compared_clear (&compared);
  histo_comparison_scratch_clear (&scratch);
  for (guint i = 0; i < 4; i++) {
    histo_compared_picture_clear (&readers[i]);
    free_picture (&pictures[i]);
  }
  gst_caps_unref (caps);
  g_array_unref (regions);
}

TEST (test_xpsnr)
{
  static const gchar *const names[] = { "I420", "GRAY8", "GBR", "I420_10LE", "I422_12LE", "A420", "GRAY16_LE", "Y41B", "GRAY16_BE",
    "GBRA", "YVU9", "NV12", "I422_10LE"
  };
  GRand *random = test_random ();

  for (guint round = 0; round < 110; round++)
    check_xpsnr (names[round % G_N_ELEMENTS (names)], g_rand_int_range (random, 4, 150), g_rand_int_range (random, 4, 120),
        g_rand_int_range (random, 0, 3), g_rand_boolean (random), random);
  /* From 640 x 480 on, weights stand for themselves, and from about HD on cells of four samples are filtered. */
  check_xpsnr ("I420", 643, 481, 1, FALSE, random);
  check_xpsnr ("I420", 32767, 73, 2, TRUE, random);
  check_xpsnr ("GRAY8", 1541, 1535, 2, FALSE, random);
  check_xpsnr ("I420_10LE", 2052, 1151, 2, TRUE, random);
  g_rand_free (random);
}

/* ---- Pairs ----------------------------------------------------------------------------------------- */

#define N_FRAMES 40

static guint n_freed;

static void
count_freed (gpointer data)
{
  n_freed++;
}

/* Times that rise by about a frame, some of which are unknown. The durations are all known, or all unknown. */
static void
make_times (HistoPairTimes * frames, guint64 step, GRand * random)
{
  const gboolean with_unknown = g_rand_int_range (random, 0, 4) == 0;
  const GstClockTime duration = g_rand_int_range (random, 0, 4) == 0 ? GST_CLOCK_TIME_NONE : step;
  const gint jitter = g_rand_boolean (random) ? step / 2 : 1;
  GstClockTime time = g_rand_int_range (random, 0, 2 * step);

  for (guint i = 0; i < N_FRAMES; i++) {
    frames[i] = (HistoPairTimes) { time, duration, i };
    if (with_unknown && g_rand_int_range (random, 0, 10) == 0)
      frames[i].time = GST_CLOCK_TIME_NONE;
    time += step - jitter / 2 + g_rand_int_range (random, 0, jitter);
  }
}

/* The partner of a frame among all that come at some time: -1: none. @taken: the last one that has a partner */
static gint
plain_partner (const HistoPairTimes * frame, const HistoPairTimes * others, gint taken, HistoPairing pairing)
{
  GstClockTime least = GST_CLOCK_TIME_NONE;
  gint nearest = -1;

  if (pairing == HISTO_PAIRING_ORDER)
    return frame->number < N_FRAMES ? (gint) frame->number : -1;
  if (frame->time == GST_CLOCK_TIME_NONE)
    return -1;
  for (gint i = taken + 1; i < N_FRAMES; i++) {
    const GstClockTime distance = frame->time > others[i].time ? frame->time - others[i].time :
        others[i].time - frame->time;

    if (others[i].time == GST_CLOCK_TIME_NONE || distance >= least)
      continue;
    least = distance;
    nearest = i;
  }
  if (nearest >= 0 && least <= (frame->duration == GST_CLOCK_TIME_NONE && others[nearest].duration ==
          GST_CLOCK_TIME_NONE ? 0 : MIN (frame->duration, others[nearest].duration) / 2))
    return nearest;
  return -1;
}

/* The reference's frames come at any time, as far as the queue and the frame that waits let them. No frame waits for ever. */
static void
check_pairs (GRand * random, HistoPairing pairing)
{
  const guint64 step = g_rand_int_range (random, 4, 1000), other_step =
      g_rand_boolean (random) ? step : (guint64) g_rand_int_range (random, 4, 1000);
  const guint limit = g_rand_int_range (random, 2, 6);
  HistoPairTimes frames[N_FRAMES], others[N_FRAMES];
  HistoPairs pairs = { G_QUEUE_INIT, 0 };
  guint n_found = 0, n_pushed = 0;
  gint taken = -1;

  n_freed = 0;
  make_times (frames, step, random);
  make_times (others, other_step, random);
  for (guint f = 0; f < N_FRAMES; f++) {
    const gint expected = plain_partner (&frames[f], others, taken, pairing);
    gpointer partner = NULL;

    for (;;) {
      HistoPairDecision decision;

      while (n_pushed < N_FRAMES && histo_pairs_length (&pairs) < limit && g_rand_boolean (random)) {
        histo_pairs_push (&pairs, &others[n_pushed], &others[n_pushed], count_freed);
        n_pushed++;
      }
      decision = histo_pairs_decide (&pairs, pairing, &frames[f], GST_CLOCK_TIME_NONE, n_pushed == N_FRAMES, &partner);
      if (decision != HISTO_PAIR_WAIT)
        break;
      fail_unless (histo_pairs_length (&pairs) < limit, "a frame waits, and the queue is full");
    }
    fail_unless (partner == (expected < 0 ? NULL : &others[expected]), "frame %u has another partner than %d", f,
        expected);
    n_found += partner != NULL;
    taken = MAX (taken, expected);
  }
  histo_pairs_drop (&pairs);
  fail_unless_equals_int (n_found + n_freed, n_pushed);
  fail_unless_equals_uint64 (pairs.n_unpaired, n_freed);
}

TEST (test_pairs)
{
  GRand *random = test_random ();

  for (guint round = 0; round < 2000; round++)
    check_pairs (random, round % 2 == 0 ? HISTO_PAIRING_TIME : HISTO_PAIRING_ORDER);
  g_rand_free (random);
}

TEST_MAIN (20)
