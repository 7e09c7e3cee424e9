/* Sizes, strides, offsets and tile counts that do not fit. Each must end in one clear error or
 * in the right result, and no byte outside the buffer may be read: most buffers here lie between
 * pages that nobody can read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "frames.h"



#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

__extension__ typedef __int128 Int128;

/* ---- Buffers between pages that cannot be read ------------------------------------------ */

typedef enum
{ BEFORE_GUARD, AFTER_GUARD, N_PLACES } Place;

typedef struct
{
  gpointer pages;
  gsize size;
} Mapping;

static void
free_mapping (gpointer data)
{
  Mapping *mapping = data;

  munmap (mapping->pages, mapping->size);
  g_free (mapping);
}

/* A buffer of zeros that ends at a page that cannot be read, or begins after one. Pages that
 * nobody writes take no memory, so that it can be larger than the machine. */
static GstBuffer *
new_guarded (gsize size, Place place)
{
  const gsize page = sysconf (_SC_PAGESIZE);
  const gsize inner = (size + page - 1) / page * page;
  Mapping *mapping = g_new (Mapping, 1);
  guint8 *pages;
  gsize offset = place == BEFORE_GUARD ? inner - size : 0;

  mapping->size = inner + 2 * page;
  mapping->pages = pages = mmap (NULL, mapping->size, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  fail_unless (pages != MAP_FAILED);
  fail_unless (mprotect (pages, page, PROT_NONE) == 0);
  fail_unless (mprotect (pages + page + inner, page, PROT_NONE) == 0);
  return gst_buffer_new_wrapped_full (0, pages + page + offset, size, 0, size,
      mapping, free_mapping);
}

/* The same, with random content. */
static GstBuffer *
new_random (gsize size, Place place, GRand * random)
{
  GstBuffer *buffer = new_guarded (size, place);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  test_fill_random (random, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* ---- What a buffer must end in ----------------------------------------------------------- */

/* There is one error, and it has this domain and code. */
static void
check_error (GstHarness * harness, GQuark domain, gint code,
    const gchar * label)
{
  GstMessage *message = test_pop_message (harness, GST_MESSAGE_ERROR);
  GError *error = NULL;

  fail_unless (message != NULL, "%s: no error was posted", label);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (error->domain == domain && error->code == code,
      "%s: %s %d: %s", label, g_quark_to_string (error->domain), error->code,
      error->message);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless (test_pop_message (harness, GST_MESSAGE_ERROR) == NULL,
      "%s: more than one error was posted", label);
}

/* Takes the buffer. */
static void
check_refused (GstHarness * harness, GstBuffer * buffer, const gchar * label)
{
  fail_unless (gst_harness_push (harness, buffer) < GST_FLOW_OK,
      "%s: no error", label);
  check_error (harness, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, label);
  fail_unless (gst_harness_try_pull (harness) == NULL, "%s: a buffer", label);
}

/* ---- Caps ------------------------------------------------------------------------------- */

typedef struct
{
  const gchar *format;
  gint width, height;
} Size;

static void
check_caps_refused (const Size * size)
{
  gchar *label = g_strdup_printf ("%s %dx%d", size->format, size->width,
      size->height);
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      size->format, "width", G_TYPE_INT, size->width, "height", G_TYPE_INT,
      size->height, "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
  const gsize most = G_GUINT64_CONSTANT (1) << 34;
  GstHarness *harness = test_harness_new (NULL);
  GstVideoInfo info;
  gsize bytes = 4096;

  /* Where GStreamer's size is not negative, the buffer holds as much. */
  if (gst_video_info_from_caps (&info, caps) && info.size < most)
    bytes = info.size;
  gst_harness_set_src_caps (harness, caps);
  check_refused (harness, new_guarded (bytes, BEFORE_GUARD), label);
  test_harness_free (harness);
  g_free (label);
}

/* The number of tiles in a row has 16 bits, that of rows of tiles 15. */
GST_START_TEST (test_too_many_tiles)
{
  static const Size sizes[] = {
    {"NV12_4L4", 262144, 4}, {"NV12_4L4", 262141, 1},
    {"NV12_4L4", 262144 + 16, 4}, {"NV12_4L4", 4, 131069},
    {"NV12_4L4", 4, 131072}, {"NV12_4L4", 16, 262144},
    {"NV12_4L4", 16, 393216},
    {"NV12_64Z32", 4194304, 1}, {"NV12_64Z32", 4194304, 32},
    {"NV12_64Z32", 64, 1048576}, {"NV12_64Z32", 64, 2097152},
    {"NV12_16L32S", 1048576, 1}, {"NV12_16L32S", 16, 1048576},
    {"NV12_32L32", 2097152, 1}, {"NV12_32L32", 32, 2097152},
    {"NV12_8L128", 524288, 1}, {"NV12_8L128", 8, 4194304},
    {"NV12_10BE_8L128", 419431, 1}, {"NV12_10BE_8L128", 6, 4194304},
    /* So wide that the bytes of a row of unpacked pixels do not fit in 32 bits. */
    {"NV12_4L4", 1073741760, 1}, {"NV12_4L4", 1100000000, 1},
  };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    check_caps_refused (&sizes[i]);
}

GST_END_TEST;

/* The largest numbers of tiles that there can be. */
GST_START_TEST (test_many_tiles)
{
  static const Size sizes[] = {
    {"NV12_4L4", 262140, 1}, {"NV12_4L4", 1, 131068},
    {"NV12_16L32S", 1048560, 1}, {"NV12_8L128", 524280, 1},
    {"NV12_10BE_8L128", 419424, 1}, {"NV12_10BE_8L128", 419411, 3},
  };
  GRand *random = test_random ();

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    GstHarness *harness = test_harness_new ("max-in-flight=1");
    const guint8 *data[4] = { NULL, };
    GstVideoInfo info;
    GstBuffer *buffer;
    GstMapInfo map;

    fail_unless (gst_video_info_set_format (&info,
            gst_video_format_from_string (sizes[i].format), sizes[i].width,
            sizes[i].height));
    gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
    buffer = gst_harness_push_and_pull (harness, new_random (info.size,
            BEFORE_GUARD, random));
    fail_unless (buffer != NULL, "%s %dx%d", sizes[i].format, sizes[i].width,
        sizes[i].height);
    gst_buffer_map (buffer, &map, GST_MAP_READ);
    for (guint p = 0; p < 2; p++)
      data[p] = map.data + info.offset[p];
    test_compare_video (test_result (buffer), &info, data, 0, 0, 0);
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
    test_harness_free (harness);
  }
  g_rand_free (random);
}

GST_END_TEST;

/* Rows so long that GStreamer's strides, of 31 bits, wrap to smaller or negative numbers. */
GST_START_TEST (test_rows_too_long)
{
  static const Size sizes[] = {
    /* Smaller ones. */
    {"BGRx", 1094929989, 1}, {"BGRx", 1073741824, 1}, {"xRGB", 1431655600, 1},
    {"Y412_BE", 547160155, 1}, {"Y412_LE", 536870912, 1},
    /* Negative ones. */
    {"BGRx", 600000000, 1}, {"RGBA", 600000000, 1}, {"Y412_BE", 300000000, 1},
    {"ARGB64", 300000000, 1}, {"GRAY8", 2147483646, 1},
    {"GRAY16_LE", 1073741824, 1}, {"RGB", 800000000, 1},
    {"v210", 900000000, 1}, {"NV24", 1200000000, 1},
    {"GRAY10_LE32", 2000000000, 1}, {"RGB8P", 2147483646, 1},
  };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    check_caps_refused (&sizes[i]);
}

GST_END_TEST;

/* AddressSanitizer needs more addresses than any limit that would be of use. */
#ifdef __SANITIZE_ADDRESS__
static const gboolean can_limit_addresses = FALSE;
#else
static const gboolean can_limit_addresses = TRUE;
#endif

/* A frame that can be unpacked, but for which there is not enough memory: 0.8 GB, which become
 * 3.2 GB, and as much for the row of unpacked pixels. */
GST_START_TEST (test_no_memory)
{
  const rlim_t limit = G_GUINT64_CONSTANT (5) << 30;
  GstHarness *harness = test_harness_new ("max-in-flight=1");
  GstVideoInfo info;
  GstBuffer *buffer;
  struct rlimit old, new;

  fail_unless (gst_video_info_set_format (&info, GST_VIDEO_FORMAT_RGB8P,
          800000000, 1));
  buffer = new_guarded (info.size, BEFORE_GUARD);
  fail_unless (getrlimit (RLIMIT_AS, &old) == 0);
  new = old;
  new.rlim_cur = MIN (limit, old.rlim_max);
  fail_unless (setrlimit (RLIMIT_AS, &new) == 0);
  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
  fail_unless (gst_harness_push (harness, buffer) < GST_FLOW_OK);
  fail_unless (setrlimit (RLIMIT_AS, &old) == 0);
  check_error (harness, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "RGB8P");
  test_harness_free (harness);
}

GST_END_TEST;

/* ---- The layout of the caps -------------------------------------------------------------- */

/* Frames in GStreamer's own layout, that end where the buffer does. */
GST_START_TEST (test_nothing_outside_is_read)
{
  static const gint widths[] = { 1, 2, 3, 5, 7, 17, 19, 25, 33, 51, 57, 97 };
  static const gint heights[] = { 1, 3, 6 };
  GRand *random = test_random ();
  guint n_formats = 0;
  const GstVideoFormat *formats = gst_video_formats_raw (&n_formats);

  for (guint i = 0; i < n_formats; i++) {
    GstHarness *harness = test_harness_new ("max-in-flight=1");

    for (guint j = 0; j < G_N_ELEMENTS (widths); j++) {
      const gint width = widths[j];
      const gint height = heights[j % G_N_ELEMENTS (heights)];
      const guint8 *data[4] = { NULL, };
      GstVideoInfo info;
      GstBuffer *buffer;
      GstMapInfo map;

      fail_unless (gst_video_info_set_format (&info, formats[i], width,
              height));
      gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
      buffer = gst_harness_push_and_pull (harness, new_random (info.size,
              j % N_PLACES, random));
      fail_unless (buffer != NULL, "%s %dx%d",
          gst_video_format_to_string (formats[i]), width, height);
      gst_buffer_map (buffer, &map, GST_MAP_READ);
      for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&info); p++)
        data[p] = map.data + info.offset[p];
      test_compare_video (test_result (buffer), &info, data, 0, 0, 0);
      gst_buffer_unmap (buffer, &map);
      gst_buffer_unref (buffer);
    }
    test_harness_free (harness);
  }
  g_rand_free (random);
}

GST_END_TEST;

/* ---- Layouts of video metas --------------------------------------------------------------- */

/* How a plane of the formats below lies in memory, in this test's own words. */
typedef struct
{
  guint rows;
  guint row_bytes;
  guint tile_bytes;             /* 0 if it has no tiles */
  gboolean is_unpacked;         /* by GStreamer, which reads whole rows of the caps' stride */
} PlaneShape;

static PlaneShape
rows_shape (guint rows, guint row_bytes)
{
  return (PlaneShape) {.rows = rows,.row_bytes = row_bytes };
}

static PlaneShape
tiles_shape (guint tile_bytes)
{
  return (PlaneShape) {.tile_bytes = tile_bytes };
}

static PlaneShape
plane_shape (const GstVideoInfo * info, guint p)
{
  const guint width = info->width, height = info->height;
  PlaneShape shape;

  switch (GST_VIDEO_INFO_FORMAT (info)) {
    case GST_VIDEO_FORMAT_NV12:
      return p == 0 ? rows_shape (height, width) :
          rows_shape ((height + 1) / 2, (width + 1) / 2 * 2);
    case GST_VIDEO_FORMAT_RGBA:
      return rows_shape (height, 4 * width);
    case GST_VIDEO_FORMAT_GRAY16_LE:
      return rows_shape (height, 2 * width);
    case GST_VIDEO_FORMAT_RGB8P:
      shape = p == 0 ? rows_shape (height, info->stride[0]) :
          rows_shape (1, 256 * 4);
      shape.is_unpacked = p == 0;
      return shape;
    case GST_VIDEO_FORMAT_NV12_4L4:
      return tiles_shape (4 * 4);
    case GST_VIDEO_FORMAT_NV12_64Z32:
      return tiles_shape (64 * 32);
    default:
      fail_unless_equals_int (GST_VIDEO_INFO_FORMAT (info),
          GST_VIDEO_FORMAT_NV12_10BE_8L128);
      return tiles_shape (8 * 128);
  }
}

/* Bytes from the first to the last one of a plane of so many rows. */
static Int128
extent_of (const PlaneShape * shape, gint stride)
{
  return (Int128) ABS ((Int128) stride) * (shape->rows - 1) + shape->row_bytes;
}

/* Whether the plane lies in a buffer of this size. */
static gboolean
plane_is_inside (const GstVideoInfo * caps, guint p, gsize offset, gint stride,
    gsize size)
{
  const PlaneShape shape = plane_shape (caps, p);
  const gint x_tiles = stride & 0xffff, y_tiles = stride >> 16;
  Int128 first = offset, last;

  if (shape.tile_bytes > 0)
    return x_tiles >= (caps->stride[p] & 0xffff)
        && y_tiles >= caps->stride[p] >> 16
        && first + (Int128) x_tiles * y_tiles * shape.tile_bytes <= size;
  if (shape.is_unpacked && stride < caps->stride[p])
    return FALSE;
  if (stride < 0)
    first += (Int128) stride * (shape.rows - 1);
  last = first + extent_of (&shape, stride);
  return first >= 0 && last <= size;
}

static void
add_meta (GstBuffer * buffer, const GstVideoInfo * info)
{
  GstVideoMeta *meta = gst_buffer_add_video_meta_full (buffer, 0,
      GST_VIDEO_INFO_FORMAT (info), info->width, info->height,
      GST_VIDEO_INFO_N_PLANES (info), (gsize *) info->offset,
      (gint *) info->stride);

  memcpy (meta->offset, info->offset, sizeof meta->offset);
  memcpy (meta->stride, info->stride, sizeof meta->stride);
}

/* A harness that is made anew after an error. */
typedef struct
{
  GstHarness *harness;
  GstVideoInfo caps;
  guint n_results, n_errors;
} Session;

static void
session_open (Session * session, GstVideoFormat format, gint width,
    gint height)
{
  memset (session, 0, sizeof *session);
  fail_unless (gst_video_info_set_format (&session->caps, format, width,
          height));
}

static void
session_close (Session * session)
{
  g_clear_pointer (&session->harness, test_harness_free);
}

static GstHarness *
session_harness (Session * session)
{
  if (session->harness == NULL) {
    session->harness = test_harness_new ("max-in-flight=1");
    gst_harness_set_src_caps (session->harness,
        gst_video_info_to_caps (&session->caps));
  }
  return session->harness;
}

static gchar *
describe (const GstVideoInfo * info)
{
  return g_strdup_printf ("%s %dx%d, offsets %" G_GSIZE_FORMAT " %"
      G_GSIZE_FORMAT ", strides %d %d, %" G_GSIZE_FORMAT " bytes",
      GST_VIDEO_INFO_NAME (info), info->width, info->height, info->offset[0],
      info->offset[1], info->stride[0], info->stride[1], info->size);
}

/* Measures a buffer of info->size bytes with this layout.
 * @buffer: (transfer full) */
static void
check_layout (Session * session, const GstVideoInfo * info, GstBuffer * buffer)
{
  gchar *label = describe (info);
  gboolean is_inside = TRUE;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++)
    is_inside = is_inside && plane_is_inside (&session->caps, p,
        info->offset[p], info->stride[p], info->size);
  add_meta (buffer, info);
  if (is_inside) {
    const guint8 *data[4] = { NULL, };
    GstMapInfo map;

    buffer = gst_harness_push_and_pull (session_harness (session), buffer);
    fail_unless (buffer != NULL, "%s: no buffer", label);
    gst_buffer_map (buffer, &map, GST_MAP_READ);
    for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++)
      data[p] = map.data + info->offset[p];
    test_compare_video (test_result (buffer), info, data, 0, 0, 0);
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
    session->n_results++;
  } else {
    check_refused (session_harness (session), buffer, label);
    session_close (session);
    session->n_errors++;
  }
  g_free (label);
}

/* Offsets with which the plane begins or ends where the buffer does, or just beyond, or so far
 * beyond that sums overflow. */
static guint
hostile_offsets (const GstVideoInfo * info, guint p, gint stride,
    gsize * offsets)
{
  const PlaneShape shape = plane_shape (info, p);
  const gsize size = info->size;
  guint n = 0;
  gsize extent, first_row;

  if (shape.tile_bytes > 0) {
    extent = (gsize) (stride & 0xffff) * (stride >> 16) * shape.tile_bytes;
    first_row = 0;
  } else {
    extent = extent_of (&shape, stride);
    first_row = stride < 0 ? extent - shape.row_bytes : 0;
  }
  offsets[n++] = info->offset[p];
  offsets[n++] = first_row;
  offsets[n++] = first_row - 1;
  offsets[n++] = first_row + size - extent;
  offsets[n++] = first_row + size - extent + 1;
  offsets[n++] = size - 1;
  offsets[n++] = size;
  offsets[n++] = G_MAXUINT32;
  offsets[n++] = G_MAXINT64;
  offsets[n++] = (gsize) 1 << 63;
  offsets[n++] = G_MAXSIZE;
  offsets[n++] = -extent;
  return n;
}

static guint
hostile_strides (const GstVideoInfo * info, guint p, gint * strides)
{
  const gint usual = info->stride[p];
  const PlaneShape shape = plane_shape (info, p);
  guint n = 0;

  strides[n++] = usual;
  strides[n++] = usual - 1;
  strides[n++] = usual + 1;
  strides[n++] = -usual;
  strides[n++] = 0;
  strides[n++] = -1;
  strides[n++] = G_MAXINT;
  strides[n++] = G_MININT;
  if (shape.tile_bytes > 0) {
    strides[n++] = usual + (1 << 16);
    strides[n++] = usual & 0xffff;
    strides[n++] = (usual & 0xffff) | (gint) 0xffff0000;
    strides[n++] = (gint) 0x80000000 | (usual & 0xffff);
    strides[n++] = (usual & ~0xffff) | 0xffff;
  } else {
    strides[n++] = shape.row_bytes;
    strides[n++] = -(gint) shape.row_bytes - 3;
    strides[n++] = 1;
    strides[n++] = 1 << 30;
  }
  return n;
}

static const struct
{
  GstVideoFormat format;
  gint width, height;
} hostile_frames[] = {
  {GST_VIDEO_FORMAT_NV12, 38, 9}, {GST_VIDEO_FORMAT_NV12, 5, 1},
  {GST_VIDEO_FORMAT_RGBA, 21, 7}, {GST_VIDEO_FORMAT_GRAY16_LE, 33, 4},
  {GST_VIDEO_FORMAT_RGB8P, 19, 6}, {GST_VIDEO_FORMAT_NV12_4L4, 22, 11},
  {GST_VIDEO_FORMAT_NV12_64Z32, 130, 70},
  {GST_VIDEO_FORMAT_NV12_10BE_8L128, 19, 130},
};

/* One plane's stride and offset are hostile, in a buffer with room beside the frame. */
GST_START_TEST (test_hostile_metas)
{
  const guint width = hostile_frames[__i__].width;
  const guint height = hostile_frames[__i__].height;
  GRand *random = test_random ();
  Session session;

  session_open (&session, hostile_frames[__i__].format, width, height);
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&session.caps); p++) {
    gint strides[20];
    const guint n_strides = hostile_strides (&session.caps, p, strides);

    for (guint s = 0; s < n_strides; s++) {
      GstVideoInfo info = session.caps;
      gsize offsets[20];
      guint n_offsets;

      info.size += g_rand_int_range (random, 0, info.size);
      n_offsets = hostile_offsets (&info, p, strides[s], offsets);
      for (guint o = 0; o < n_offsets; o++) {
        info.stride[p] = strides[s];
        info.offset[p] = offsets[o];
        check_layout (&session, &info, new_random (info.size, o % N_PLACES,
                random));
      }
    }
  }
  g_print ("%s: %u results, %u errors\n", GST_VIDEO_INFO_NAME (&session.caps),
      session.n_results, session.n_errors);
  fail_unless (session.n_results > 0 && session.n_errors > 0);
  session_close (&session);
  g_rand_free (random);
}

GST_END_TEST;

static GstBuffer *
in_pieces (GstBuffer * whole, guint n_pieces)
{
  const gsize size = gst_buffer_get_size (whole);
  GstBuffer *pieces = gst_buffer_new ();

  for (guint i = 0; i < n_pieces; i++) {
    const gsize begin = size * i / n_pieces, end = size * (i + 1) / n_pieces;
    GstBuffer *piece = new_guarded (end - begin, i % N_PLACES);
    GstMapInfo map;

    gst_buffer_map (piece, &map, GST_MAP_WRITE);
    gst_buffer_extract (whole, begin, map.data, end - begin);
    gst_buffer_unmap (piece, &map);
    pieces = gst_buffer_append (pieces, piece);
  }
  gst_buffer_unref (whole);
  return pieces;
}

/* The same in several memories, so that planes go on in the next one. */
GST_START_TEST (test_hostile_metas_of_many_memories)
{
  GRand *random = test_random ();
  Session session;

  session_open (&session, hostile_frames[__i__].format,
      hostile_frames[__i__].width, hostile_frames[__i__].height);
  for (guint n = 0; n < 60; n++) {
    const guint p = g_rand_int_range (random, 0,
        GST_VIDEO_INFO_N_PLANES (&session.caps));
    GstVideoInfo info = session.caps;
    gsize offsets[20];
    gint strides[20];

    info.size += g_rand_int_range (random, 0, info.size);
    info.stride[p] = strides[g_rand_int_range (random, 0,
            hostile_strides (&session.caps, p, strides))];
    info.offset[p] = offsets[g_rand_int_range (random, 0,
            hostile_offsets (&session.caps, p, info.stride[p], offsets))];
    check_layout (&session, &info, in_pieces (new_random (info.size,
                BEFORE_GUARD, random), g_rand_int_range (random, 2, 5)));
  }
  session_close (&session);
  g_rand_free (random);
}

GST_END_TEST;

/* A frame of so many tiles that their number is negative where it has 16 bits, with a meta whose
 * number is negative, too. */
GST_START_TEST (test_negative_tile_counts)
{
  const gint stride = (gint) 0xffff0010;
  GstHarness *harness = test_harness_new (NULL);
  GstVideoInfo info;
  GstBuffer *buffer;

  fail_unless (gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12_4L4, 64,
          393216));
  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
  buffer = new_guarded (info.size, BEFORE_GUARD);
  info.stride[0] = info.stride[1] = stride;
  add_meta (buffer, &info);
  check_refused (harness, buffer, "NV12_4L4 64x393216");
  test_harness_free (harness);
}

GST_END_TEST;

/* GStreamer's unpack function computes the third row's offset as an int, which overflows, though
 * the buffer has the third row. */
GST_START_TEST (test_rows_too_far_apart)
{
  GstHarness *harness = test_harness_new (NULL);
  GstVideoInfo info;
  GstBuffer *buffer;

  fail_unless (gst_video_info_set_format (&info, GST_VIDEO_FORMAT_RGB8P, 16,
          3));
  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
  info.size += 2 * (gsize) G_MAXINT;
  info.stride[0] = G_MAXINT;
  buffer = new_guarded (info.size, AFTER_GUARD);
  info.offset[1] = 16;
  add_meta (buffer, &info);
  check_refused (harness, buffer, "RGB8P 16x3");
  test_harness_free (harness);
}

GST_END_TEST;

/* ---- Layouts of audio metas ----------------------------------------------------------------- */

/* The channels one after the other, as the meta places them in the buffer. */
static guint8 *
copy_channels (GstBuffer * buffer, const GstAudioMeta * meta, gsize bytes)
{
  const guint channels = GST_AUDIO_INFO_CHANNELS (&meta->info);
  guint8 *copy = g_malloc (channels * meta->samples * bytes + 1);

  for (guint c = 0; c < channels; c++)
    gst_buffer_extract (buffer, meta->offsets[c],
        copy + c * meta->samples * bytes, meta->samples * bytes);
  return copy;
}

static gboolean
channels_are_inside (const GstAudioMeta * meta, gsize bytes, gsize size)
{
  for (gint c = 0; c < GST_AUDIO_INFO_CHANNELS (&meta->info); c++) {
    if (meta->samples > 0 && (Int128) meta->offsets[c] +
        (Int128) meta->samples * bytes > size)
      return FALSE;
  }
  return TRUE;
}

static void
check_channels (const GstAudioInfo * info, GstBuffer * buffer)
{
  const GstAudioMeta *meta = gst_buffer_get_audio_meta (buffer);
  const gsize size = gst_buffer_get_size (buffer);
  const gsize bytes = GST_AUDIO_INFO_WIDTH (info) / 8;
  GstHarness *harness = test_harness_new (NULL);
  gchar *label = g_strdup_printf ("%" G_GSIZE_FORMAT " samples at %"
      G_GSIZE_FORMAT ", %" G_GSIZE_FORMAT ", of %" G_GSIZE_FORMAT " bytes",
      meta->samples, meta->offsets[0], meta->offsets[1], size);

  gst_harness_set_src_caps (harness, gst_audio_info_to_caps (info));
  if (channels_are_inside (meta, bytes, size)) {
    guint8 *copy = copy_channels (buffer, meta, bytes);
    const gsize samples = meta->samples;

    buffer = gst_harness_push_and_pull (harness, buffer);
    fail_unless (buffer != NULL, "%s: no buffer", label);
    test_compare_audio (test_result (buffer), info, copy, samples, 0, 0, 0);
    gst_buffer_unref (buffer);
    g_free (copy);
  } else {
    check_refused (harness, buffer, label);
  }
  test_harness_free (harness);
  g_free (label);
}

/* Channels that overlap, lie in reverse order, end where the buffer does, or leave it. */
GST_START_TEST (test_hostile_audio_metas)
{
  const gsize n = 40, bytes = 3, size = 300;
  const gsize hostile[][3] = {
    {n, 0, n * bytes}, {n, n * bytes, 0}, {n, 5, 5}, {n, 7, 8},
    {n, size - n * bytes, 0}, {n, 0, size - n * bytes},
    {n, size - n * bytes + 1, 0}, {n, 0, size - n * bytes + 1},
    {0, 0, 0}, {0, G_MAXSIZE, size + 1}, {1, 0, size - bytes},
    {1, 0, size - bytes + 1}, {1, 0, G_MAXSIZE}, {1, 0, G_MAXSIZE - bytes},
    {1, 0, G_MAXSIZE - bytes + 1}, {size / bytes, 0, 0},
    {size / bytes + 1, 0, 0}, {G_MAXUINT32, 0, 0},
    {(gsize) G_MAXUINT32 + 1, 0, 0}, {G_MAXSIZE / bytes, 0, 0},
    {G_MAXSIZE / bytes + 2, 0, 0}, {G_MAXSIZE, 0, 0}, {n, (gsize) 1 << 63, 0},
    {n, 0, -(n * bytes)},
  };
  GRand *random = test_random ();
  GstAudioInfo info;

  gst_audio_info_set_format (&info, GST_AUDIO_FORMAT_S24LE, 48000, 2, NULL);
  info.layout = GST_AUDIO_LAYOUT_NON_INTERLEAVED;
  for (guint i = 0; i < G_N_ELEMENTS (hostile) * N_PLACES; i++) {
    const gsize *numbers = hostile[i / N_PLACES];
    GstBuffer *buffer = new_random (size, i % N_PLACES, random);
    GstAudioMeta *meta = gst_buffer_add_audio_meta (buffer, &info, n, NULL);

    meta->samples = numbers[0];
    meta->offsets[0] = numbers[1];
    meta->offsets[1] = numbers[2];
    check_channels (&info, buffer);
  }
  g_rand_free (random);
}

GST_END_TEST;

static Suite *
formats_sizes_suite (void)
{
  Suite *suite = suite_create ("formats-sizes");
  TCase *tcase = tcase_create ("general");

  tcase_set_timeout (tcase, 120);
  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_too_many_tiles);
  tcase_add_test (tcase, test_many_tiles);
  tcase_add_test (tcase, test_rows_too_long);
  if (g_str_equal (test_backend (), "cpu") && can_limit_addresses)
    tcase_add_test (tcase, test_no_memory);
  tcase_add_test (tcase, test_nothing_outside_is_read);
  tcase_add_loop_test (tcase, test_hostile_metas, 0,
      G_N_ELEMENTS (hostile_frames));
  tcase_add_loop_test (tcase, test_hostile_metas_of_many_memories, 0,
      G_N_ELEMENTS (hostile_frames));
  tcase_add_test (tcase, test_negative_tile_counts);
  tcase_add_test (tcase, test_rows_too_far_apart);
  tcase_add_test (tcase, test_hostile_audio_metas);
  return suite;
}

GST_CHECK_MAIN (formats_sizes);
