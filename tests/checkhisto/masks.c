/* Tests of the kernels of masks: the one that writes a copy of a frame, and the one that measures samples and pixels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "checkhisto.h"

#include <string.h>

#include "expected-counts.h"
#include "frame.h"
#include "measures/masked.h"
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
  /* Some pixels have no alpha. */
  for (guint p = 0; p < format->n_planes; p++)
    for (guint y = 1; y < format->planes[p].rows; y += 3)
      memset (frame->slabs[p].host + frame->slabs[p].first + y * frame->planes[p].stride, 0,
          histo_plane_row_bytes (&frame->planes[p]));
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

/* ---- Samples and pixels ------------------------------------------------------------------------------ */

/* With any colorimetry. @number: UNKNOWN: any format that the kernels read */
static HistoFormat *
random_colors (GstVideoFormat number, guint width, guint height)
{
  /* Of the transfer functions only PQ and HLG make a difference. */
  static const GstVideoTransferFunction transfers[] = { GST_VIDEO_TRANSFER_UNKNOWN, GST_VIDEO_TRANSFER_ARIB_STD_B67,
    GST_VIDEO_TRANSFER_SMPTE2084, GST_VIDEO_TRANSFER_ARIB_STD_B67
  };
  guint n;
  const GstVideoFormat *formats = gst_video_formats_raw (&n);

  while (TRUE) {
    gchar *colorimetry = g_strdup_printf ("%u:%u:%u:%u", check_random (3), check_random (7),
        transfers[check_random (G_N_ELEMENTS (transfers))], check_random (3));
    GstCaps *caps = gst_caps_new_simple ("video/x-raw",
        "format", G_TYPE_STRING, gst_video_format_to_string (number != GST_VIDEO_FORMAT_UNKNOWN ? number :
            formats[check_random (n)]),
        "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, "colorimetry", G_TYPE_STRING, colorimetry,
        "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
    HistoFormat *format = histo_format_new (caps, NULL);

    gst_caps_unref (caps);
    g_free (colorimetry);
    if (format != NULL && !format->needs_unpack)
      return format;
    g_clear_pointer (&format, histo_format_unref);
  }
}

/* A plan with any of the groups that a mask has a meaning for. @has_all: with all of them, and with a region of the last
 * column */
static HistoPlan *
new_plan (HistoFormat * format, HistoMask * mask, guint n_regions, gboolean has_all)
{
  static const HistoGroup groups[] = { HISTO_GROUP_SIGNAL, HISTO_GROUP_COLOR, HISTO_GROUP_HDR, HISTO_GROUP_GAMUT };
  GArray *specs = g_array_new (FALSE, TRUE, sizeof (HistoRegionSpec));
  HistoPlanSettings settings = {.regions = specs,.mask = mask };
  HistoPlan *plan;

  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    if (has_all || check_chance (2))
      settings.groups |= HISTO_GROUP_FLAG (groups[i]);
  for (guint i = 0; i < n_regions; i++) {
    HistoRegionSpec spec = {.name = g_intern_static_string ("region") };

    spec.numbers[0] = (gint) check_random (format->width + 4) - 2;
    spec.numbers[1] = (gint) check_random (format->height + 4) - 2;
    spec.numbers[2] = check_random (format->width + 2);
    spec.numbers[3] = check_random (format->height + 2);
    g_array_append_val (specs, spec);
  }
  if (has_all) {
    const HistoRegionSpec last = {.name = g_intern_static_string ("last"),.numbers = {format->width - 1, 0, 1, format->height} };

    g_array_append_val (specs, last);
  }
  plan = histo_plan_new (format, &settings);
  g_array_unref (specs);
  return plan;
}

/* The tallies that have a meaning under a mask. */
static gboolean
tallies_are_right (CheckCase * c, const guint64 * found, const guint64 * expected, guint64 n_pixels)
{
  for (guint i = 0; i < HISTO_N_TALLIES; i++) {
    const gboolean is_extreme = i >= HISTO_TALLY_GREATEST_R;

    if (i != HISTO_TALLY_BRNG && !(i >= HISTO_TALLY_GAMUT_R && i <= HISTO_TALLY_GAMUT_ANY) && i < HISTO_N_SUM_TALLIES)
      continue;
    if (found[i] != (is_extreme && n_pixels == 0 ? 0 : expected[i]))
      return check_fail (c, "tally %u is %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT, i, found[i], expected[i]);
  }
  return TRUE;
}

static gboolean
regions_are_right (CheckCase * c, const HistoPlan * plan, const HistoFrameInfo * info, const ReferencePicture * picture,
    const guint32 * counters, const guint64 * tallies)
{
  const gsize n_bins = plan->n_counters / plan->n_regions;
  g_autofree guint32 *expected = g_new0 (guint32, plan->n_counters);
  g_autofree guint64 *expected_tallies = g_new0 (guint64, plan->n_tallies + 1);
  g_autofree guint64 *n_pixels = g_new0 (guint64, plan->n_regions);
  HistoCounts counts = {.counters = counters };

  histo_masked_count_pixels (plan, info, n_pixels, &counts);
  for (guint r = 0; r < histo_plan_used_regions (plan, info); r++) {
    const HistoRegion *region = histo_plan_region (plan, info, r);

    expected_counts (plan, r, region, picture, NULL, expected, plan->n_tallies > 0 ? expected_tallies : NULL, NULL);
    if (!check_equal_counters (c, "a region", counters + r * n_bins, expected + r * n_bins, n_bins)
        || (plan->n_tallies > 0 && !tallies_are_right (c, tallies + plan->first_tally[r],
                expected_tallies + plan->first_tally[r], n_pixels[r])))
      return check_fail (c, "region %u of %u: %u x %u at %u, %u; groups %x", r, plan->n_regions, region->width,
          region->height, region->x, region->y, plan->groups);
  }
  return TRUE;
}

/* Launches the kernel. @counters, @tallies: (out): the plan's */
static void
launch_masked (const Frame * frame, const HistoPlan * plan, const HistoFrameInfo * info, const HistoCudaLimits * limits,
    guint32 * counters, guint64 * tallies)
{
  const gsize counters_size = plan->n_counters * sizeof *counters, tallies_size = plan->n_tallies * sizeof *tallies;
  HistoCudaMaskedFrame parameters = {.planes = frame->planes,.info = info };
  HistoCudaKernels kernels = check_device.kernels;
  GError *error = NULL;

  kernels.limits = *limits;
  parameters.counters = check_alloc_zeroed (counters_size);
  parameters.tallies = check_alloc_zeroed (tallies_size);
  if (plan->alpha < 0)
    parameters.pixels = check_upload (plan->mask->pixels, (gsize) plan->mask->width * plan->mask->height);
  if (plan->chroma_table != NULL)
    parameters.chroma_table = check_upload (plan->chroma_table, sizeof (guint32) << (2 * plan->formulas.depth));
  if (plan->hlg != NULL)
    parameters.hlg = check_upload (plan->hlg, sizeof (guint16) * ((1u << plan->formulas.depth) + 2 * HISTO_HLG_NUMBERS));
  check_device_wait ();
  if (!histo_cuda_launch_masked (&kernels, plan, &parameters, check_device.stream, &error))
    g_error ("%s", error->message);
  check_device_wait ();
  check_copy_from (counters, parameters.counters, counters_size);
  if (tallies_size > 0)
    check_copy_from (tallies, parameters.tallies, tallies_size);
  check_device_wait ();
  check_free (parameters.counters);
  check_free (parameters.tallies);
  if (parameters.pixels != 0)
    check_free (parameters.pixels);
  if (parameters.chroma_table != 0)
    check_free (parameters.chroma_table);
  if (parameters.hlg != 0)
    check_free (parameters.hlg);
}

/* By atan2f(), which makes the hues of the table, this chroma of 10 bits has another hue than by histo_hue(). */
static void
fill_border_of_hues (Frame * frame)
{
  static const guint16 pair[2] = { GUINT16_TO_LE ((512 + 163) << 6), GUINT16_TO_LE ((512 + 152) << 6) };
  const HistoPlane *chroma = &frame->planes[1];

  for (guint y = 0; y < chroma->rows; y++)
    for (gsize i = 0; i + sizeof pair <= histo_plane_row_bytes (chroma); i += sizeof pair)
      memcpy (frame->slabs[1].host + frame->slabs[1].first + y * chroma->stride + i, pair, sizeof pair);
  frame_upload (frame);
}

/* Each of these formats has something of its own: chroma of fields; V that is missing at the end of a row; samples of another
 * depth than the formulas; no chroma; a table of hues. */
static const GstVideoFormat special_formats[] = {
  GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_NV12_10LE32, GST_VIDEO_FORMAT_RGB16, GST_VIDEO_FORMAT_GRAY8,
  GST_VIDEO_FORMAT_P010_10LE
};

/* A quarter of the cases has a special format. Rows of NV12_10LE32 with 6 n + 3 pixels lack the last V. The
 * pixel that is nearest to chroma of three rows may lie below the picture, and above it if its frame has a row more. */
static CheckOutcome
run_masked (CheckCase * c)
{
  const HistoCudaLimits limits = check_random_limits ();
  const gboolean is_special = c->number % 4 == 0;
  HistoFormat *format = random_colors (is_special ? special_formats[c->number / 4 % G_N_ELEMENTS (special_formats)] :
      GST_VIDEO_FORMAT_UNKNOWN, is_special ? 3 + 6 * check_random (5) : random_length (check_chance (8) ? 200 : 60),
      is_special ? 3 : random_length (24));
  const gsize n = (gsize) format->width * format->height;
  const HistoFrameInfo info = {
    .is_interlaced = is_special || check_chance (3),
    .first_row = is_special ? c->number / 16 % 2 : check_chance (2) ? check_random (9) : 0,
  };
  gint alpha = -1;
  g_autofree guint8 *pixels = g_malloc (n);
  g_autofree guint32 *counters = NULL;
  g_autofree guint64 *tallies = NULL;
  ReferencePicture picture;
  HistoMask *mask;
  HistoPlan *plan;
  gboolean ok;
  Frame frame;

  if (check_chance (2))
    for (guint i = 0; i < format->n_components; i++)
      if (g_str_equal (format->components[i].name, "A"))
        alpha = i;
  init_frame (&frame, format);
  if (GST_VIDEO_INFO_FORMAT (&format->video) == GST_VIDEO_FORMAT_P010_10LE)
    fill_border_of_hues (&frame);
  frame_read (&frame, &picture);
  fill_mask (pixels, n);
  mask = alpha >= 0 ? histo_mask_new_alpha () : histo_mask_new (format->width, format->height, g_memdup2 (pixels, n));
  for (gsize i = 0; i < n && alpha >= 0; i++)
    pixels[i] = picture.samples[alpha][i] != 0 ? HISTO_MASK_PART : 0;
  picture.mask = pixels;
  picture.row_step = info.is_interlaced ? 2 : 1;
  picture.first_row = info.first_row;
  plan = new_plan (format, mask, check_chance (10) ? 33 : check_random (4), is_special);
  counters = g_new (guint32, plan->n_counters);
  tallies = g_new (guint64, plan->n_tallies + 1);
  launch_masked (&frame, plan, &info, &limits, counters, tallies);
  ok = regions_are_right (c, plan, &info, &picture, counters, tallies);
  if (!ok) {
    check_fail (c, "%s, %u x %u, alpha %d", histo_format_name (format), format->width, format->height, alpha);
    frame_describe (&frame, c->text);
  }
  histo_plan_unref (plan);
  histo_mask_unref (mask);
  reference_picture_clear (&picture);
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
    {.name = (gchar *) "groups.masked", .n_cases = 200, .least_cases = 40, .run = run_masked},
  };

  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    check_add_test (&tests[i]);
}
