/* Tests of the kernel that writes a copy of a frame under a mask.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "checkhisto.h"

#include <string.h>

#include "frame.h"
#include "media/mask.h"
#include "media/pack.h"

/* ---- Frames and masks ------------------------------------------------------------------------- */

static HistoFormat *
new_format (GstVideoFormat number, guint width, guint height)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw",
      "format", G_TYPE_STRING, gst_video_format_to_string (number),
      "width", G_TYPE_INT, width, "height", G_TYPE_INT, height,
      "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
  HistoFormat *format = histo_format_new (caps, NULL);

  gst_caps_unref (caps);
  return format;
}

/* The number of the component of alpha; -1: there is none, or it says nothing of single pixels of each plane. */
static gint
find_alpha (const HistoFormat * format)
{
  for (guint c = 0; c < format->n_components; c++)
    if (g_str_equal (format->components[c].name, "A") && histo_format_has_pixel_periods (format))
      return c;
  return -1;
}

static gboolean
has_alpha (const HistoFormat * format)
{
  return find_alpha (format) >= 0;
}

static gboolean
has_shared_bytes (const HistoFormat * format)
{
  return !histo_mask_is_of_bytes (format);
}

/* One of the formats that the kernels read and that @suits is true of. */
static HistoFormat *
random_format (gboolean (*suits) (const HistoFormat *), guint width, guint height)
{
  guint n;
  const GstVideoFormat *formats = gst_video_formats_raw (&n);

  while (TRUE) {
    HistoFormat *format = new_format (formats[check_random (n)], width, height);

    if (format != NULL && !format->needs_unpack && suits (format))
      return format;
    g_clear_pointer (&format, histo_format_unref);
  }
}

static guint
random_length (guint most)
{
  return 1 + check_random (check_chance (3) ? 20 : most);
}

/* Noise, runs, all or nothing. */
static void
fill_mask (guint8 * pixels, gsize n)
{
  const guint kind = check_random (4);
  gboolean takes_part = check_chance (2);

  for (gsize i = 0; i < n; i++) {
    if (kind == 0 || (kind == 1 && check_chance (40)))
      takes_part = check_chance (2);
    pixels[i] = takes_part ? HISTO_MASK_PART : 0;
  }
}

/* The mask as the host has it: a packed frame. */
static guint8 *
make_mask (const HistoFormat * format)
{
  guint8 *pixels = g_malloc ((gsize) format->width * format->height);
  const guint h_sub = format->chroma_h_sub;
  const HistoMaskView view = {
    .pixels = pixels,
    .width = format->width,
    .height = format->height,
    .scan = {.has_field_chroma = h_sub > 0 && check_chance (3),.first = check_random (2u << h_sub) },
  };
  guint8 *mask = g_malloc0 (MAX (histo_packed_size (format), 1));
  HistoPlane planes[HISTO_MAX_PLANES];

  fill_mask (pixels, (gsize) format->width * format->height);
  histo_packed_locate (format, (guint64) (guintptr) mask, planes);
  histo_mask_make_planes (&view, format, planes);
  g_free (pixels);
  return mask;
}

/* ---- A launch ------------------------------------------------------------------------------------ */

static CUdeviceptr
upload_mask (const HistoFormat * format, const guint8 * mask)
{
  const gsize size = histo_packed_size (format);
  g_autofree guint8 *bits = g_malloc (size / 8);

  if (!histo_mask_is_of_bytes (format))
    return check_upload (mask, size);
  histo_mask_pack_bits (mask, size, bits);
  return check_upload (bits, size / 8);
}

/* Bytes around the copy that the kernel must leave alone. */
#define GUARD 64

typedef struct
{
  guint8 *host;                 /* the copy, when it has been read back */
  CUdeviceptr device;
  gsize size;
} Copy;

static void
launch_mask (const Frame * frame, gint alpha, CUdeviceptr mask, Copy * copy)
{
  HistoCudaMaskFrame parameters = {.planes = frame->planes,.mask = mask };
  GError *error = NULL;

  copy->size = histo_packed_size (&frame->format);
  copy->device = check_alloc (copy->size + 2 * GUARD);
  copy->host = g_malloc (copy->size + 2 * GUARD);
  memset (copy->host, 0x5a, copy->size + 2 * GUARD);
  check_copy_to (copy->device, copy->host, copy->size + 2 * GUARD);
  parameters.copy = copy->device + GUARD;
  if (!histo_cuda_launch_mask (&check_device.kernels, &frame->format, alpha, &parameters, check_device.stream, &error))
    g_error ("%s", error->message);
  check_device_wait ();
  check_copy_from (copy->host, copy->device, copy->size + 2 * GUARD);
  check_device_wait ();
  check_free (copy->device);
}

static gboolean
is_guarded (const Copy * copy)
{
  for (gsize i = 0; i < GUARD; i++)
    if (copy->host[i] != 0x5a || copy->host[GUARD + copy->size + i] != 0x5a)
      return FALSE;
  return TRUE;
}

/* @mask: a packed frame: which bits of the frame are kept */
static gboolean
copy_is_right (CheckCase * c, const Frame * frame, const guint8 * mask, const Copy * copy)
{
  HistoPlane copies[HISTO_MAX_PLANES];

  histo_packed_locate (&frame->format, 0, copies);
  for (guint p = 0; p < frame->format.n_planes; p++) {
    const HistoPlane *plane = &frame->planes[p];
    const guint8 *first = frame->slabs[p].host + frame->slabs[p].first;

    for (guint y = 0; y < plane->rows; y++)
      for (gsize i = 0; i < histo_plane_row_bytes (plane); i++) {
        const gsize place = copies[p].data + y * copies[p].stride + i;
        const guint8 expected = first[y * plane->stride + (gssize) i] & mask[place], found = copy->host[GUARD + place];

        if (found != expected)
          return check_fail (c, "%s, %u x %u, plane %u, row %u, byte %zu: %02x, not %02x",
              histo_format_name (&frame->format), frame->format.width, frame->format.height, p, y, i, found, expected);
      }
  }
  return is_guarded (copy) || check_fail (c, "the memory around the copy was written to");
}

static void
init_frame (Frame * frame, const HistoFormat * format)
{
  frame_init (frame, format, STRIDES_ANY);
  frame_fill (frame, check_chance (2) ? CONTENT_RANDOM : check_random (N_CONTENTS));
  frame_upload (frame);
}

/* ---- Tests ------------------------------------------------------------------------------------------ */

static CheckOutcome
run_file (CheckCase * c)
{
  HistoFormat *format = random_format (c->number % 4 == 0 ? has_shared_bytes : histo_mask_is_of_bytes,
      random_length (check_chance (10) ? 700 : 150), random_length (40));
  guint8 *mask = make_mask (format);
  const CUdeviceptr on_device = upload_mask (format, mask);
  gboolean ok;
  Frame frame;
  Copy copy;

  init_frame (&frame, format);
  launch_mask (&frame, -1, on_device, &copy);
  /* Of bytes that are kept all bits are, also those that no sample has. */
  for (gsize i = 0; i < copy.size && histo_mask_is_of_bytes (format); i++)
    mask[i] = mask[i] != 0 ? 0xff : 0;
  ok = copy_is_right (c, &frame, mask, &copy);
  if (!ok)
    frame_describe (&frame, c->text);
  check_free (on_device);
  g_free (copy.host);
  g_free (mask);
  frame_clear (&frame);
  histo_format_unref (format);
  return ok ? CHECK_OK : CHECK_FAILED;
}

/* Periods are pixels. */
static guint8 *
read_alpha (const Frame * frame, gint alpha)
{
  guint8 *mask = g_malloc0 (MAX (histo_packed_size (&frame->format), 1));
  HistoPlane planes[HISTO_MAX_PLANES];
  ReferencePicture picture;

  frame_read (frame, &picture);
  histo_packed_locate (&frame->format, (guint64) (guintptr) mask, planes);
  for (guint p = 0; p < frame->format.n_planes; p++)
    for (guint y = 0; y < frame->format.height; y++)
      for (guint x = 0; x < frame->format.width; x++)
        memset ((guint8 *) (guintptr) planes[p].data + y * planes[p].stride + (gsize) x * planes[p].period_bytes,
            picture.samples[alpha][(gsize) y * frame->format.width + x] != 0 ? 0xff : 0, planes[p].period_bytes);
  reference_picture_clear (&picture);
  return mask;
}

static CheckOutcome
run_alpha (CheckCase * c)
{
  HistoFormat *format = random_format (has_alpha, random_length (check_chance (10) ? 500 : 80), random_length (30));
  const gint alpha = find_alpha (format);
  guint8 *mask;
  gboolean ok;
  Frame frame;
  Copy copy;

  init_frame (&frame, format);
  launch_mask (&frame, alpha, 0, &copy);
  mask = read_alpha (&frame, alpha);
  ok = copy_is_right (c, &frame, mask, &copy);
  if (!ok)
    frame_describe (&frame, c->text);
  g_free (copy.host);
  g_free (mask);
  frame_clear (&frame);
  histo_format_unref (format);
  return ok ? CHECK_OK : CHECK_FAILED;
}

void
check_add_mask_tests (void)
{
  static const CheckTest tests[] = {
    {.name = (gchar *) "video.mask-of-file", .n_cases = 120, .least_cases = 16, .run = run_file},
    {.name = (gchar *) "video.mask-of-alpha", .n_cases = 60, .least_cases = 4, .run = run_alpha},
  };

  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    check_add_test (&tests[i]);
}
