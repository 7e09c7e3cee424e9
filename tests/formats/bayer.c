/* Bayer video compared with a plain reader: every format, odd sizes, regions anywhere, windows; and caps and buffers
 * that are refused.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "frames.h"
#include "guarded.h"
#include "pipeline.h"

/* ---- The reader ---------------------------------------------------------------------------- */

/* Components of the pixels (0, 0), (1, 0), (0, 1), (1, 1), as docs/result.md has them. */
static const struct
{
  const gchar *name;
  const gchar *components[4];
} orders[] = {
  {"bggr", {"B", "Gb", "Gr", "R"}},
  {"rggb", {"R", "Gr", "Gb", "B"}},
  {"grbg", {"Gr", "R", "B", "Gb"}},
  {"gbrg", {"Gb", "B", "R", "Gr"}},
};

static const struct
{
  const gchar *suffix;
  guint bits;
  gboolean is_big;
} depths[] = {
  {"", 8, FALSE},
  {"10le", 10, FALSE}, {"10be", 10, TRUE}, {"12le", 12, FALSE}, {"12be", 12, TRUE},
  {"14le", 14, FALSE}, {"14be", 14, TRUE}, {"16le", 16, FALSE}, {"16be", 16, TRUE},
};

#define N_ORDERS G_N_ELEMENTS (orders)
#define N_DEPTHS G_N_ELEMENTS (depths)

typedef struct
{
  guint order, depth;           /* of the tables */
  guint width, height;
  gsize offset;                 /* bytes, as the stride */
  gssize stride;
  const guint8 *mask;           /* a number for each pixel; NULL: all take part */
} Frame;

typedef struct
{
  const gchar *name;
  guint x, y, width, height;
} Region;

static gchar *
name_of (const Frame * frame)
{
  return g_strconcat (orders[frame->order].name, depths[frame->depth].suffix, NULL);
}

static guint
bytes_of (const Frame * frame)
{
  return depths[frame->depth].bits == 8 ? 1 : 2;
}

static Frame
frame_of (guint order, guint depth, guint width, guint height)
{
  Frame frame = { order, depth, width, height, 0, 0, NULL };

  frame.stride = (width + 3) / 4 * 4 * bytes_of (&frame);
  return frame;
}

static gsize
size_of (const Frame * frame)
{
  return frame->offset + frame->stride * frame->height;
}

/* Bits above the depth mean nothing. */
static guint
sample_at (const Frame * frame, const guint8 * data, guint x, guint y)
{
  const guint8 *p = data + frame->offset + (gssize) y * frame->stride + x * bytes_of (frame);
  const guint bits = depths[frame->depth].bits;

  if (bits == 8)
    return p[0];
  return (depths[frame->depth].is_big ? p[0] << 8 | p[1] : p[1] << 8 | p[0]) % (1u << bits);
}

/* Appends the samples of a component in a region. */
static void
append_samples (const Frame * frame, const guint8 * data, const Region * region, const gchar * component,
    GArray * samples)
{
  for (guint y = region->y; y < region->y + region->height; y++) {
    for (guint x = region->x; x < region->x + region->width; x++) {
      const guint32 sample = sample_at (frame, data, x, y);

      if (g_str_equal (orders[frame->order].components[y % 2 * 2 + x % 2], component)
          && (frame->mask == NULL || frame->mask[y * frame->width + x] != 0))
        g_array_append_val (samples, sample);
    }
  }
}

/* ---- Comparing ------------------------------------------------------------------------------- */

/* @structure: a result, a region of it, or a window of @n_frames frames */
static void
check_components (const GstStructure * structure, const Frame * frame, const guint8 * const *data, guint n_frames,
    const Region * region, guint bins)
{
  static const gchar *const names[] = { "R", "Gr", "Gb", "B" };
  gchar *name = name_of (frame);

  for (guint c = 0; c < G_N_ELEMENTS (names); c++) {
    GArray *samples = g_array_new (FALSE, FALSE, sizeof (guint32));
    gchar *label = g_strdup_printf ("%s %ux%u, %ux%u at %u,%u, %s", name, frame->width, frame->height,
        region->width, region->height, region->x, region->y, names[c]);
    ReferenceStatistics expected;

    for (guint n = 0; n < n_frames; n++)
      append_samples (frame, data[n], region, names[c], samples);
    reference_video_statistics ((const guint32 *) (gpointer) samples->data, samples->len,
        depths[frame->depth].bits, bins, 0, 0, &expected);
    test_compare_component (test_component (structure, names[c]), &expected, FALSE, label);
    test_compare_depth (test_component (structure, names[c]), depths[frame->depth].bits, label);
    reference_statistics_clear (&expected);
    g_array_unref (samples);
    g_free (label);
  }
  g_free (name);
}

/* Compares a buffer's result, or that of the window of this buffer alone, with the samples. @regions: clipped */
static void
check_result (const GstStructure * result, GstBuffer * buffer, const Frame * frame, const Region * regions,
    guint n_regions, guint bins)
{
  const Region whole = { NULL, 0, 0, frame->width, frame->height };
  const GValue *array = gst_structure_get_value (result, "regions");
  gchar *name = name_of (frame);
  const guint8 *data;
  GstMapInfo map;

  fail_unless_equals_string (gst_structure_get_string (result, "media"), "video");
  fail_unless_equals_string (gst_structure_get_string (result, "format"), name);
  fail_unless_equals_string (gst_structure_get_string (result, "backend"), test_backend ());
  fail_unless_equals_int (test_get_int (result, "width"), frame->width);
  fail_unless_equals_int (test_get_int (result, "height"), frame->height);
  fail_if (gst_structure_has_field (result, "colorimetry"));
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  data = map.data;
  check_components (result, frame, &data, 1, &whole, bins);
  fail_unless_equals_int (array == NULL ? 0 : gst_value_array_get_size (array), n_regions);
  for (guint r = 0; r < n_regions; r++) {
    const GstStructure *region = gst_value_get_structure (gst_value_array_get_value (array, r));

    fail_unless_equals_string (gst_structure_get_string (region, "name"), regions[r].name);
    fail_unless_equals_int (test_get_int (region, "x"), regions[r].x);
    fail_unless_equals_int (test_get_int (region, "y"), regions[r].y);
    fail_unless_equals_int (test_get_int (region, "width"), regions[r].width);
    fail_unless_equals_int (test_get_int (region, "height"), regions[r].height);
    check_components (region, frame, &data, 1, &regions[r], bins);
  }
  gst_buffer_unmap (buffer, &map);
  g_free (name);
}

static void
set_caps (GstHarness * harness, const Frame * frame)
{
  gchar *name = name_of (frame);
  gchar *caps = g_strdup_printf ("video/x-bayer, format=%s, width=%u, height=%u, framerate=25/1", name, frame->width,
      frame->height);

  gst_harness_set_src_caps_str (harness, caps);
  g_free (caps);
  g_free (name);
}

static GstBuffer *
random_frame (const Frame * frame, GRand * random)
{
  return test_guarded_random_new (size_of (frame), GUARD_AFTER, random);
}

static void
push_and_check (GstHarness * harness, GstBuffer * buffer, const Frame * frame, const Region * regions,
    guint n_regions, guint bins)
{
  GstBuffer *out = gst_harness_push_and_pull (harness, buffer);

  fail_unless (out != NULL);
  check_result (test_result (out), out, frame, regions, n_regions, bins);
  gst_buffer_unref (out);
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* bggr, rows 1 2 and 3 4. */
TEST (test_vector)
{
  static const guint8 rows[] = { 1, 2, 0, 0, 3, 4, 0, 0 };
  static const struct
  {
    const gchar *name;
    gdouble value;
  } expected[] = { {"B", 1}, {"Gb", 2}, {"Gr", 3}, {"R", 4} };
  const Frame frame = frame_of (0, 0, 2, 2);
  GstHarness *harness = test_harness_new (NULL);
  GstBuffer *buffer;

  set_caps (harness, &frame);
  buffer = gst_harness_push_and_pull (harness, gst_buffer_new_memdup (rows, sizeof rows));
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    const GstStructure *component = test_component (test_result (buffer), expected[i].name);

    fail_unless_equals_uint64 (test_get_uint64 (component, "count"), 1);
    fail_unless_equals_float (test_get_double (component, "mean"), expected[i].value);
  }
  gst_buffer_unref (buffer);
  test_harness_free (harness);
}

/* All formats. Some sizes have no row or no column of some components; rows of others are aligned to 16 bytes. */
TEST (test_every_format)
{
  static const guint sizes[][2] = {
    {3, 5}, {33, 18}, {64, 8}, {1, 1}, {2, 2}, {1, 7}, {7, 1}, {16, 16}, {130, 34}, {701, 19}
  };
  GstHarness *harness = test_harness_new (NULL);
  GRand *random = test_random ();
  const guint step = test_step (), first = g_rand_int_range (random, 0, 1000);
  guint n = first;

  for (guint order = 0; order < N_ORDERS; order++) {
    for (guint depth = 0; depth < N_DEPTHS; depth++) {
      for (guint s = 0; s < G_N_ELEMENTS (sizes); s++, n++) {
        const Frame frame = frame_of (order, depth, sizes[s][0], sizes[s][1]);

        /* Each format has the first size, and others in turn where frames take long. */
        if (s > 0 && n % step != 0)
          continue;
        set_caps (harness, &frame);
        push_and_check (harness, random_frame (&frame, random), &frame, NULL, 0, 0);
      }
    }
  }
  test_harness_free (harness);
  g_rand_free (random);
}

/* A mask has a number for each sample. */
TEST (test_masks)
{
  static const Region regions[] = { {"r", 3, 1, 20, 11}, {"column", 4, 2, 1, 9} };
  GRand *random = test_random ();
  guint8 pixels[33 * 18];

  for (gsize i = 0; i < sizeof pixels; i++)
    pixels[i] = MAX (g_rand_int_range (random, -255, 256), 0);
  for (guint i = 0; i < 2 * N_ORDERS; i++) {
    Frame frame = frame_of (i % N_ORDERS, i, 33, 18);
    gchar *file = test_mask_file_new (33, 18, pixels);
    gchar *properties = g_strdup_printf ("mask=%s regions=\"%s\" region-histograms=true", file,
        i % 2 == 0 ? "" : "r=3,1,20,11; column=4,2,1,9");
    GstHarness *harness = test_harness_new (properties);

    frame.mask = pixels;
    set_caps (harness, &frame);
    push_and_check (harness, random_frame (&frame, random), &frame, regions, i % 2 == 0 ? 0 : 2, 0);
    test_harness_free (harness);
    test_mask_file_free (file);
    g_free (properties);
  }
  g_rand_free (random);
}

/* Several blocks on the device, several shares on the CPU, for the picture and a region. */
TEST (test_large)
{
  static const guint some_depths[] = { 0, 3, 8 };
  GRand *random = test_random ();

  for (guint i = 0; i < G_N_ELEMENTS (some_depths); i++) {
    const Frame frame = frame_of (i, some_depths[i], 2013, 1189);
    const Region region = { "r", 3, 1, 2005, 1187 };
    GstHarness *harness = test_harness_new ("regions=\"r=3,1,2005,1187\" region-histograms=true");

    set_caps (harness, &frame);
    push_and_check (harness, random_frame (&frame, random), &frame, &region, 1, 0);
    test_harness_free (harness);
  }
  g_rand_free (random);
}

/* A video meta with one plane tells where the frame begins, and the stride. One of another kind is ignored. */
TEST (test_metas)
{
  GstHarness *harness = test_harness_new (NULL);
  GRand *random = test_random ();

  for (guint depth = 0; depth < 2; depth++) {
    for (guint with = 0; with < 2; with++) {
      Frame frame = frame_of (1, depth, 21, 9);
      gsize offsets[GST_VIDEO_MAX_PLANES] = { 7, 1 };
      gint strides[GST_VIDEO_MAX_PLANES] = { 51, 60 };
      GstBuffer *buffer;

      set_caps (harness, &frame);
      if (with) {
        frame.offset = 7;
        frame.stride = 51;
      }
      buffer = random_frame (&frame, random);
      gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
          with ? GST_VIDEO_FORMAT_ENCODED : GST_VIDEO_FORMAT_NV12, 21, 9, with ? 1 : 2, offsets, strides);
      push_and_check (harness, buffer, &frame, NULL, 0, 0);
    }
  }
  test_harness_free (harness);
  g_rand_free (random);
}

/* The rectangle of a crop meta, whose corner is even, is a picture of its own. Also where a video meta tells the stride. */
TEST (test_crops)
{
  static const guint rectangles[][4] = { {2, 4, 9, 5}, {0, 6, 21, 3}, {20, 0, 1, 9} };
  GstHarness *harness = test_harness_new ("regions=\"r=1,1,3,2\" region-histograms=true");
  GRand *random = test_random ();

  for (guint depth = 0; depth < 2; depth++) {
    const Frame frame = frame_of (2, depth, 21, 9);

    set_caps (harness, &frame);
    for (guint i = 0; i < G_N_ELEMENTS (rectangles); i++) {
      const guint *r = rectangles[i];
      const Region region = { "r", 1, 1, MIN (3, r[2] - 1), 2 };
      Frame part = frame;
      GstBuffer *buffer;
      GstVideoCropMeta *crop;

      part.stride += i * 2;
      part.width = r[2];
      part.height = r[3];
      part.offset = r[1] * part.stride + r[0] * bytes_of (&part);
      buffer = test_random_buffer (part.stride * frame.height, random);
      if (i > 0) {
        gsize offsets[GST_VIDEO_MAX_PLANES] = { 0, };
        gint strides[GST_VIDEO_MAX_PLANES] = { part.stride, };

        gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_ENCODED, 21, 9, 1,
            offsets, strides);
      }
      crop = gst_buffer_add_video_crop_meta (buffer);
      crop->x = r[0];
      crop->y = r[1];
      crop->width = r[2];
      crop->height = r[3];
      push_and_check (harness, buffer, &part, &region, 1, 0);
    }
  }
  test_harness_free (harness);
  g_rand_free (random);
}

/* ---- Regions and windows --------------------------------------------------------------------------- */

/* In a picture of 43 x 27: at even and odd places, one pixel, one row, one column, without pixels. */
#define REGIONS "ee=2,4,8,6; oe=3,4,8,5; eo=2,5,7,6; oo=3,5,21,13; pixel=5,3,1,1; row=1,7,9,1; column=9,1,1,8; " \
  "corner=41,25,9,9; outside=50,3,4,4; all=0,0,100%,100%"
static const Region regions[] = {
  {"ee", 2, 4, 8, 6}, {"oe", 3, 4, 8, 5}, {"eo", 2, 5, 7, 6}, {"oo", 3, 5, 21, 13}, {"pixel", 5, 3, 1, 1},
  {"row", 1, 7, 9, 1}, {"column", 9, 1, 1, 8}, {"corner", 41, 25, 2, 2}, {"outside", 43, 3, 0, 4},
  {"all", 0, 0, 43, 27},
};

/* Each format with its own values as bins, and with few. */
TEST (test_regions)
{
  GstHarness *harness = test_harness_new ("regions=\"" REGIONS "\" region-histograms=true");
  GstHarness *few = test_harness_new ("regions=\"" REGIONS "\" region-histograms=true bins=50");
  GRand *random = test_random ();
  guint n = g_rand_int_range (random, 0, 1000);

  for (guint order = 0; order < N_ORDERS; order++) {
    for (guint depth = 0; depth < N_DEPTHS; depth++, n++) {
      const Frame frame = frame_of (order, depth, 43, 27);
      const gboolean has_few = n % 3 == 0;

      if (depths[depth].bits == 16 && n % test_step () != 0)
        continue;
      set_caps (has_few ? few : harness, &frame);
      push_and_check (has_few ? few : harness, random_frame (&frame, random), &frame, regions,
          G_N_ELEMENTS (regions), has_few ? 50 : 0);
    }
  }
  test_harness_free (harness);
  test_harness_free (few);
  g_rand_free (random);
}

/* Regions of interest, whose number changes from buffer to buffer. */
TEST (test_regions_of_interest)
{
  static const guint n_rois[] = { 3, 64, 0, 5 };
  GstHarness *harness = test_harness_new ("roi-meta=true region-histograms=true");
  GRand *random = test_random ();
  const Frame frame = frame_of (2, 3, 63, 37);

  set_caps (harness, &frame);
  for (guint i = 0; i < G_N_ELEMENTS (n_rois); i++) {
    GstBuffer *buffer = random_frame (&frame, random);
    Region rois[64];

    for (guint r = 0; r < n_rois[i]; r++) {
      rois[r] = (Region) { "roi", g_rand_int_range (random, 0, 62), g_rand_int_range (random, 0, 36),
        g_rand_int_range (random, 0, 62), g_rand_int_range (random, 0, 36)
      };
      gst_buffer_add_video_region_of_interest_meta (buffer, "roi", rois[r].x, rois[r].y, rois[r].width,
          rois[r].height);
      rois[r].width = MIN (rois[r].width, 63 - rois[r].x);
      rois[r].height = MIN (rois[r].height, 37 - rois[r].y);
    }
    push_and_check (harness, buffer, &frame, rois, n_rois[i], 0);
  }
  test_harness_free (harness);
  g_rand_free (random);
}

/* A window of three frames of 40 ms. */
TEST (test_windows)
{
  GstHarness *harness = test_harness_new ("window=120000000 regions=\"oo=3,5,21,13\" region-histograms=true");
  GRand *random = test_random ();
  const Frame frame = frame_of (3, 1, 43, 27);
  const Region whole = { NULL, 0, 0, 43, 27 };
  GstMapInfo maps[3];
  GstBuffer *frames[3];
  const guint8 *data[3];
  GstMessage *message;
  const GstStructure *window;

  set_caps (harness, &frame);
  for (guint i = 0; i < 3; i++) {
    frames[i] = random_frame (&frame, random);
    GST_BUFFER_PTS (frames[i]) = i * GRAY_DURATION;
    GST_BUFFER_DURATION (frames[i]) = GRAY_DURATION;
    fail_unless (gst_buffer_map (frames[i], &maps[i], GST_MAP_READ));
    data[i] = maps[i].data;
    gst_buffer_unref (gst_harness_push_and_pull (harness, gst_buffer_ref (frames[i])));
  }
  test_end_stream (harness);
  message = test_wait_message (harness, GST_MESSAGE_ELEMENT);
  window = gst_message_get_structure (message);
  fail_unless (gst_structure_has_name (window, "cudahisto-window"));
  fail_unless_equals_uint64 (test_get_uint64 (window, "buffers"), 3);
  check_components (window, &frame, data, 3, &whole, 0);
  check_components (gst_value_get_structure (gst_value_array_get_value (gst_structure_get_value (window, "regions"),
              0)), &frame, data, 3, &regions[3], 0);
  gst_message_unref (message);
  for (guint i = 0; i < 3; i++) {
    gst_buffer_unmap (frames[i], &maps[i]);
    gst_buffer_unref (frames[i]);
  }
  test_harness_free (harness);
  g_rand_free (random);
}

/* ---- Other settings ---------------------------------------------------------------------------------- */

/* Groups do not fit, and no alert is checked: black frames would raise one. */
TEST (test_other_measures)
{
  GstHarness *harness = test_harness_new ("measures=signal+motion+color+hdr+detail+area+gamut+gamut-filter+flash+"
      "field+level+loudness alerts=black+freeze+scene+range black-duration=0");
  const Frame frame = frame_of (1, 0, 16, 8);

  set_caps (harness, &frame);
  for (guint i = 0; i < 4; i++) {
    GstBuffer *buffer = gst_harness_push_and_pull (harness, test_buffer_new (128, 0, i * GRAY_DURATION));
    const GstStructure *result = test_result (buffer);

    for (gint f = 0; f < gst_structure_n_fields (result); f++) {
      const gchar *field = gst_structure_nth_field_name (result, f);

      if (GST_VALUE_HOLDS_STRUCTURE (gst_structure_get_value (result, field)))
        fail_unless (g_str_equal (field, "R") || g_str_equal (field, "Gr") || g_str_equal (field, "Gb")
            || g_str_equal (field, "B"), "%s", field);
    }
    gst_buffer_unref (buffer);
  }
  test_end_stream (harness);
  test_check_no_message (harness);
  test_harness_free (harness);
}

/* Each buffer is measured with its own caps. */
TEST (test_other_caps)
{
  GstHarness *harness = test_harness_new ("regions=\"r=1,1,3,3\" region-histograms=true");
  const Region region = { "r", 1, 1, 3, 3 };
  GRand *random = test_random ();

  for (guint i = 0; i < 6; i++) {
    const Frame frame = frame_of (i % N_ORDERS, i % 3 == 0 ? 0 : i, 9 + i, 8);

    set_caps (harness, &frame);
    push_and_check (harness, random_frame (&frame, random), &frame, &region, 1, 0);
    gst_harness_set_src_caps_str (harness, GRAY_CAPS);
    test_push_frame (harness, i);
    test_pull_frame (harness, i);
  }
  test_harness_free (harness);
  g_rand_free (random);
}

/* ---- What is refused --------------------------------------------------------------------------------- */

TEST (test_caps)
{
  static const gchar *const refused[] = {
    "video/x-bayer, format=rggb11le, width=4, height=4",
    "video/x-bayer, format=rggb10, width=4, height=4",
    "video/x-bayer, format=rgbg, width=4, height=4",
    "video/x-bayer, format=rggb16le12, width=4, height=4",
    "video/x-bayer, format=rggb, width=0, height=4",
    "video/x-bayer, format=rggb, width=4, height=-4",
    "video/x-bayer(memory:CUDAMemory), format=rggb, width=4, height=4",
    "video/x-bayer, format=rggb",
    "video/x-bayer, format=rggb, width=4",
    "video/x-bayer, width=4, height=4",
  };
  GstElement *element = gst_element_factory_make ("cudahisto", NULL);
  GstPad *pad = gst_element_get_static_pad (element, "sink");

  for (guint i = 0; i < G_N_ELEMENTS (refused); i++) {
    GstCaps *caps = gst_caps_from_string (refused[i]);

    fail_if (gst_pad_query_accept_caps (pad, caps), "%s", refused[i]);
    gst_caps_unref (caps);
  }
  for (guint order = 0; order < N_ORDERS; order++) {
    for (guint depth = 0; depth < N_DEPTHS; depth++) {
      const Frame frame = frame_of (order, depth, 1, 1);
      gchar *name = name_of (&frame);
      GstCaps *caps = gst_caps_new_simple ("video/x-bayer", "format", G_TYPE_STRING, name, "width", G_TYPE_INT, 1,
          "height", G_TYPE_INT, 1, "framerate", GST_TYPE_FRACTION, 0, 1, NULL);

      fail_unless (gst_pad_query_accept_caps (pad, caps), "%s", name);
      gst_caps_unref (caps);
      g_free (name);
    }
  }
  gst_object_unref (pad);
  gst_object_unref (element);
}

/* Rows do not fit in 31 bits: 2147483648 bytes, and the shortest ones of words. */
TEST (test_too_large)
{
  static const gchar *const texts[] = {
    "video/x-bayer, format=rggb, width=2147483645, height=4, framerate=25/1",
    "video/x-bayer, format=rggb12le, width=1073741821, height=4, framerate=25/1",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    GstHarness *harness = test_harness_new (NULL);
    GstCaps *caps = gst_caps_from_string (texts[i]);

    gst_pad_push_event (harness->srcpad, gst_event_new_stream_start ("s"));
    gst_pad_push_event (harness->srcpad, gst_event_new_caps (caps));
    test_check_error (harness, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, texts[i]);
    gst_caps_unref (caps);
    test_harness_free (harness);
  }
}

/* A buffer without its last byte, with a meta that leaves the memory, and with a crop meta whose corner is odd. A longer
 * one is accepted. */
TEST (test_bad_buffers)
{
  const Frame frame = frame_of (0, 1, 5, 3);
  GstHarness *harness;

  fail_unless_equals_int (size_of (&frame), 48);
  for (guint i = 0; i < 4; i++) {
    GstBuffer *buffer = test_buffer_new (i == 0 ? 47 : 49, 1, 0);
    gsize offsets[GST_VIDEO_MAX_PLANES] = { 0, };
    gint strides[GST_VIDEO_MAX_PLANES] = { 20, };
    GstVideoCropMeta *crop;

    harness = test_harness_new (NULL);
    set_caps (harness, &frame);
    /* Row 2 ends 2 * 20 + 10 bytes from the first row; row 0 lies 2 * 20 bytes behind the last one. */
    if (i == 2)
      strides[0] = -20;
    if (i == 1 || i == 2)
      gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_ENCODED, 5, 3, 1, offsets,
          strides);
    if (i == 3) {
      crop = gst_buffer_add_video_crop_meta (buffer);
      crop->x = 2;
      crop->y = 1;
      crop->width = crop->height = 2;
    }
    test_check_refused (harness, buffer, i == 0 ? "short" : i == 3 ? "crop" : "meta");
    test_harness_free (harness);
  }
  harness = test_harness_new (NULL);
  set_caps (harness, &frame);
  push_and_check (harness, test_buffer_new (49, 1, 0), &frame, NULL, 0, 0);
  test_harness_free (harness);
}

/* Metas with any offset and stride. What lies in the buffer is measured, all else is refused and not read. */
TEST (test_hostile_metas)
{
  static const gsize offsets[] = { 0, 1, 10, 40, 43, 80, 90, 120, G_MAXSIZE - 3, (gsize) 1 << 62 };
  static const gint strides[] = { 20, -20, 0, 9, 10, -10, 37, -37, G_MAXINT, G_MININT };
  const guint n = test_backend_is_cuda () ? 16 : 100;
  GRand *random = test_random ();

  for (guint i = 0; i < n; i++) {
    Frame frame = frame_of (i % N_ORDERS, 1 + i % 8, 5, 5);
    const gsize size = 90 + i % 3;
    gsize meta_offsets[GST_VIDEO_MAX_PLANES] = { offsets[g_rand_int_range (random, 0, G_N_ELEMENTS (offsets))], };
    gint meta_strides[GST_VIDEO_MAX_PLANES] = { strides[g_rand_int_range (random, 0, G_N_ELEMENTS (strides))], };
    GstBuffer *buffer = test_guarded_random_new (size, i % N_GUARDS, random);
    GstHarness *harness = test_harness_new ("regions=\"r=1,1,4,4\" region-histograms=true");
    const Region region = { "r", 1, 1, 4, 4 };
    /* Of the first and the last row. Offsets of 2^62 and more are outside with any stride. */
    const gdouble first = meta_offsets[0], last = first + 4. * meta_strides[0];
    const gboolean is_inside = MIN (first, last) >= 0 && MAX (first, last) + 10 <= size;

    set_caps (harness, &frame);
    gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_ENCODED, 5, 5, 1,
        meta_offsets, meta_strides);
    frame.offset = meta_offsets[0];
    frame.stride = meta_strides[0];
    if (is_inside)
      push_and_check (harness, buffer, &frame, &region, 1, 0);
    else
      test_check_refused (harness, buffer, "hostile meta");
    test_harness_free (harness);
  }
  g_rand_free (random);
}

/* ---- Another implementation ------------------------------------------------------------------------------- */

static gboolean
has_rgb2bayer (void)
{
  GstElementFactory *factory = gst_element_factory_find ("rgb2bayer");
  const gboolean found = factory != NULL;

  gst_clear_object (&factory);
  return found;
}

static GstPadProbeReturn
check_color (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  static const struct
  {
    const gchar *name;
    guint value;
  } expected[] = { {"R", 0x10}, {"Gr", 0x20}, {"Gb", 0x20}, {"B", 0x30} };
  const GstStructure *result = test_result (GST_PAD_PROBE_INFO_BUFFER (info));

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    const GstStructure *component = test_component (result, expected[i].name);

    fail_unless_equals_float (test_get_double (component, "min"), expected[i].value);
    fail_unless_equals_float (test_get_double (component, "max"), expected[i].value);
  }
  (*(guint *) user_data)++;
  return GST_PAD_PROBE_OK;
}

/* What GStreamer's rgb2bayer makes of a picture of one color. */
TEST_IF (test_rgb2bayer, has_rgb2bayer ())
{
  for (guint order = 0; order < N_ORDERS; order++) {
    GstElement *pipeline = test_pipeline_new ("videotestsrc num-buffers=3 pattern=solid-color "
        "foreground-color=0xff102030 ! video/x-raw, format=ARGB, width=%u, height=213 ! rgb2bayer "
        "! video/x-bayer, format=%s ! cudahisto backend=%s ! fakesink name=sink",
        order % 2 == 0 ? 22 : 402, orders[order].name, test_backend ());
    GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
    GstPad *pad = gst_element_get_static_pad (sink, "sink");
    guint n = 0;

    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, check_color, &n, NULL);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    test_wait_for (pipeline, GST_MESSAGE_EOS);
    fail_unless_equals_int (n, 3);
    gst_object_unref (pad);
    gst_object_unref (sink);
    test_pipeline_free (pipeline);
  }
}

TEST_MAIN (120)
