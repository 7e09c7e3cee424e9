/* Pictures whose gamut, flashes, cadence and light are known: bars, letterboxes, fields, flashes, repeated frames,
 * primaries, greys. The expected numbers come from the definitions, not from the reference.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"

#include <math.h>

/* ---- Frames ------------------------------------------------------------------------------- */

/* A rectangle of one colour. The first one of a frame is the whole picture. */
typedef struct
{
  guint x, y, width, height;
  guint codes[3];               /* of the format's components */
} Patch;

typedef struct
{
  GstHarness *harness;
  GstVideoInfo info;
  guint n;                      /* frames so far */
} Clip;

static void
clip_open (Clip * clip, const gchar * properties, const gchar * caps)
{
  GstCaps *parsed = gst_caps_from_string (caps);

  fail_unless (gst_video_info_from_caps (&clip->info, parsed));
  gst_caps_unref (parsed);
  clip->harness = test_harness_new (properties);
  gst_harness_set_src_caps_str (clip->harness, caps);
  clip->n = 0;
}

static void
clip_close (Clip * clip)
{
  test_harness_free (clip->harness);
}

/* Samples @first to @end - 1 of a component's row. */
static void
paint_row (GstVideoFrame * frame, guint c, guint y, guint first, guint end, guint code)
{
  const guint word = code << GST_VIDEO_FORMAT_INFO_SHIFT (frame->info.finfo, c);
  guint8 *row = GST_VIDEO_FRAME_COMP_DATA (frame, c);

  row += (gsize) y * GST_VIDEO_FRAME_COMP_STRIDE (frame, c);
  /* GStreamer 1.22 says that V of P010 begins at byte 1. */
  if (GST_VIDEO_FRAME_COMP_DEPTH (frame, c) > 8)
    row += GST_VIDEO_FRAME_COMP_POFFSET (frame, c) % 2;
  for (guint x = first; x < end; x++) {
    guint8 *p = row + (gsize) x * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, c);

    if (GST_VIDEO_FRAME_COMP_DEPTH (frame, c) > 8)
      GST_WRITE_UINT16_LE (p, word);
    else
      *p = word;
  }
}

static void
paint (GstVideoFrame * frame, const Patch * patch)
{
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (frame) && c < 3; c++)
    for (guint y = patch->y; y < patch->y + patch->height; y++)
      paint_row (frame, c, y, patch->x, patch->x + patch->width, patch->codes[c]);
}

/* Pushes a buffer, and pulls it.
 * @time: ns
 * Returns: (transfer full): with its result */
static GstBuffer *
push_buffer (Clip * clip, GstBuffer * buffer, guint64 time)
{
  GST_BUFFER_PTS (buffer) = time;
  GST_BUFFER_DURATION (buffer) = GST_SECOND / GST_VIDEO_INFO_FPS_N (&clip->info);
  clip->n++;
  buffer = gst_harness_push_and_pull (clip->harness, buffer);
  fail_unless (buffer != NULL);
  return buffer;
}

/* The same of a frame of these patches. */
static GstBuffer *
push_at (Clip * clip, const Patch * patches, guint n_patches, guint64 time)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, clip->info.size, NULL);
  GstVideoFrame frame;

  fail_unless (gst_video_frame_map (&frame, &clip->info, buffer, GST_MAP_WRITE));
  for (guint i = 0; i < n_patches; i++)
    paint (&frame, &patches[i]);
  gst_video_frame_unmap (&frame);
  return push_buffer (clip, buffer, time);
}

static GstBuffer *
push (Clip * clip, const Patch * patches, guint n_patches)
{
  return push_at (clip, patches, n_patches, gst_util_uint64_scale (clip->n,
          GST_SECOND, GST_VIDEO_INFO_FPS_N (&clip->info)));
}

static const GstStructure *
group_of (GstBuffer * buffer, const gchar * group)
{
  return test_component (test_result (buffer), group);
}

static guint
get_uint (const GstStructure * structure, const gchar * name)
{
  guint value = 0;

  fail_unless (gst_structure_get_uint (structure, name, &value), "no %s", name);
  return value;
}

static void
check_near (const gchar * what, gdouble found, gdouble expected, gdouble tolerance)
{
  fail_unless (fabs (found - expected) <= tolerance, "%s: %g, not %g", what, found, expected);
}

/* ---- Gamut -------------------------------------------------------------------------------- */

#define GAMUT "measures=gamut+gamut-filter histogram=false"
#define BARS_WIDTH 128
#define BARS_HEIGHT 16
#define BARS_CAPS \
  "width=(int)128, height=(int)16, framerate=(fraction)25/1, colorimetry=(string)"

/* Y, U and V of R, G and B from 0 to 1, in limited range. */
static void
encode (guint codes[3], const gdouble rgb[3], gdouble kr, gdouble kb, gint depth)
{
  const gdouble f = 1 << (depth - 8);
  const gdouble y = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2];

  codes[0] = (guint) (f * (16 + 219 * y) + 0.5);
  codes[1] = (guint) (f * (128 + 112 * (rgb[2] - y) / (1 - kb)) + 0.5);
  codes[2] = (guint) (f * (128 + 112 * (rgb[0] - y) / (1 - kr)) + 0.5);
}

/* White, yellow, cyan, green, magenta, red, blue and black, of this level from 0 to 1. @share: of pixels that are
 * outside: the bars that have a channel above. */
static void
check_bars (const gchar * format, gint depth, const gchar * colorimetry, gdouble kr, gdouble kb,
    gdouble level, gdouble share)
{
  static const guint colors[8] = { 7, 6, 3, 2, 5, 4, 1, 0 };
  gchar *caps = g_strdup_printf ("video/x-raw, format=%s, " BARS_CAPS "%s", format, colorimetry);
  /* A code of chroma is up to 2.2 codes of R, G and B: half of one, and half of Y's. */
  const gdouble tolerance = 1.7 * 100 / 219 / (1 << (depth - 8));
  const GstStructure *gamut;
  Patch patches[8];
  GstBuffer *buffer;
  Clip clip;

  for (guint i = 0; i < 8; i++) {
    const gdouble rgb[3] = { colors[i] & 4 ? level : 0, colors[i] & 2 ? level : 0, colors[i] & 1 ? level : 0 };

    patches[i] = (Patch) {i * 16, 0, 16, BARS_HEIGHT, {0}};
    encode (patches[i].codes, rgb, kr, kb, depth);
  }
  clip_open (&clip, GAMUT, caps);
  buffer = push (&clip, patches, 8);
  gamut = group_of (buffer, "gamut");
  for (guint i = 0; i < 4; i++) {
    static const gchar *const names[] = { "r", "g", "b", "y" };
    gchar *most = g_strconcat (names[i], "-max", NULL), *least = g_strconcat (names[i], "-min", NULL);

    check_near (most, test_get_double (gamut, most), 100 * level, tolerance);
    check_near (least, test_get_double (gamut, least), 0, tolerance);
    check_near (names[i], test_get_double (gamut, names[i]), i < 3 ? share * 4 / 7 : share / 7, 0);
    g_free (most);
    g_free (least);
  }
  fail_unless_equals_float (test_get_double (gamut, "any"), share);
  if (share == 0)
    fail_unless_equals_float (test_get_double (group_of (buffer, "gamut-filter"), "any"), 0);
  gst_buffer_unref (buffer);
  clip_close (&clip);
  g_free (caps);
}

/* Bars of 75 and 100 % are legal with each matrix; of 110 %, all but black lie outside. */
TEST (test_bars)
{
  static const struct
  {
    const gchar *colorimetry;
    gdouble kr, kb;
  } matrices[] = {
    {"bt601", 0.299, 0.114}, {"bt709", 0.2126, 0.0722}, {"bt2020", 0.2627, 0.0593}
  };

  for (guint m = 0; m < G_N_ELEMENTS (matrices); m++) {
    const gdouble kr = matrices[m].kr, kb = matrices[m].kb;

    for (guint level = 75; level <= 100; level += 25) {
      check_bars ("Y444", 8, matrices[m].colorimetry, kr, kb, level / 100., 0);
      check_bars ("Y444_10LE", 10, matrices[m].colorimetry, kr, kb, level / 100., 0);
    }
    check_bars ("Y444_10LE", 10, matrices[m].colorimetry, kr, kb, 1.06, 7 / 8.);
  }
}

/* The limits themselves are inside, one code beyond is outside: in R, G and B, and in the Y of YUV. */
TEST (test_limits)
{
  static const struct
  {
    const gchar *format;
    guint least, most, middle;
  } depths[] = {
    {"GBR", 5, 246, 126}, {"GBR_10LE", 20, 984, 502}, {"GBR_12LE", 81, 3935, 2008},
    {"Y444", 5, 246, 128}, {"Y444_10LE", 20, 984, 512}, {"Y444_12LE", 81, 3935, 2048},
  };

  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    const gboolean is_rgb = depths[d].format[0] == 'G';
    const guint middle = depths[d].middle;
    gchar *caps = g_strdup_printf ("video/x-raw, format=%s, " BARS_CAPS "2:%d:5:1", depths[d].format,
        is_rgb ? 1 : 3);

    for (guint c = 0; c < (is_rgb ? 3 : 1); c++) {
      const guint codes[] = { depths[d].least, depths[d].most, depths[d].least - 1, depths[d].most + 1 };
      static const gchar *const names[] = { "r", "g", "b" };
      Patch patches[5] = { {0, 0, BARS_WIDTH, BARS_HEIGHT, {middle, middle, middle}} };
      const GstStructure *gamut;
      GstBuffer *buffer;
      Clip clip;

      for (guint i = 0; i < 4; i++) {
        patches[1 + i] = (Patch) {i * 32, 0, 32, BARS_HEIGHT, {middle, middle, middle}};
        patches[1 + i].codes[c] = codes[i];
      }
      clip_open (&clip, GAMUT, caps);
      buffer = push (&clip, patches, 5);
      gamut = group_of (buffer, "gamut");
      fail_unless_equals_float (test_get_double (gamut, "any"), 0.5);
      for (guint k = 0; k < 3; k++)
        fail_unless_equals_float (test_get_double (gamut, names[k]), is_rgb && k != c ? 0 : 0.5);
      gst_buffer_unref (buffer);
      clip_close (&clip);
    }
    g_free (caps);
  }
}

/* A picture that is outside between black bars: half of the whole, all of its own region. Behind the filter its outermost
 * row is (3 * 250 + 16) / 4: inside. The bars count as black, which is legal, or as what lies below black. */
TEST (test_letterbox)
{
  static const guint bars[] = { 16, 0 };

  for (guint i = 0; i < 2; i++) {
    const Patch patches[] = {
      {0, 0, BARS_WIDTH, BARS_HEIGHT, {bars[i]}}, {0, 4, BARS_WIDTH, 8, {250}}
    };
    const GValue *regions;
    const GstStructure *region;
    GstBuffer *buffer;
    Clip clip;

    clip_open (&clip, GAMUT " regions=picture=0,4,128,8",
        "video/x-raw, format=GRAY8, " BARS_CAPS "bt709");
    buffer = push (&clip, patches, 2);
    fail_unless_equals_float (test_get_double (group_of (buffer, "gamut"), "any"), i == 0 ? 0.5 : 1);
    /* (3 * 0 + 250) / 4 = 62.5 and (3 * 250 + 0) / 4 = 187.5 are inside, too. */
    fail_unless_equals_float (test_get_double (group_of (buffer, "gamut-filter"), "any"),
        i == 0 ? 6 / 16. : 12 / 16.);
    regions = gst_structure_get_value (test_result (buffer), "regions");
    region = gst_value_get_structure (gst_value_array_get_value (regions, 0));
    fail_unless_equals_float (test_get_double (test_component (region, "gamut"), "any"), 1);
    fail_unless_equals_float (test_get_double (test_component (region, "gamut-filter"), "any"), 1);
    gst_buffer_unref (buffer);
    clip_close (&clip);
  }
}

/* ---- Fields ------------------------------------------------------------------------------- */

#define FIELDS_WIDTH 32
#define FIELDS_MEASURES "measures=gamut+gamut-filter+color+hdr+flash"
#define FIELDS_CAPS "video/x-raw, format=%s, width=32, height=%u, framerate=25/1, colorimetry=bt601, interlace-mode=%s"

/* A frame whose fields lie on both sides of a cut, as in telecine: in each plane, the rows of one field are red, and
 * those of the other one are green. Both are legal. What a plane has behind its last row is 0. */
static GstBuffer *
fields_new (const GstVideoInfo * info)
{
  static const gdouble colors[2][3] = { {1, 0, 0}, {0, 1, 0} };
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info->size, NULL);
  guint codes[2][3];
  GstVideoFrame frame;

  for (guint i = 0; i < 2; i++)
    encode (codes[i], colors[i], 0.299, 0.114, GST_VIDEO_INFO_COMP_DEPTH (info, 0));
  gst_buffer_memset (buffer, 0, 0, -1);
  fail_unless (gst_video_frame_map (&frame, info, buffer, GST_MAP_WRITE));
  for (guint c = 0; c < 3; c++)
    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, c); y++)
      paint_row (&frame, c, y, 0, GST_VIDEO_FRAME_COMP_WIDTH (&frame, c), codes[y % 2][c]);
  gst_video_frame_unmap (&frame);
  /* Of the mode mixed this is what the frame's flag says. */
  GST_BUFFER_FLAG_UNSET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
  return buffer;
}

static gdouble
entropy_of (GstBuffer * buffer, const gchar * group, const gchar * component)
{
  return test_get_double (test_component (group_of (buffer, group), component), "entropy");
}

/* @height: of which half the rows are red */
static void
check_separate_fields (GstBuffer * buffer, const gchar * format, guint height)
{
  const gdouble red = (height + 1) / 2 / (gdouble) height, green = 1 - red;

  fail_unless (test_get_double (group_of (buffer, "gamut"), "any") == 0, "%s, %u rows: gamut", format, height);
  fail_unless (test_get_double (group_of (buffer, "gamut-filter"), "any") == 0, "%s, %u rows: filter", format, height);
  /* Two colours, and no mixture of them. */
  check_near (format, entropy_of (buffer, "color", "G"), -(red * log2 (red) + green * log2 (green)), 1e-12);
  fail_unless (entropy_of (buffer, "hdr", "maxrgb") <= 1);
  check_near (format, test_get_double (group_of (buffer, "flash"), "luminance"), 0.2126 * red + 0.7152 * green, 0.005);
}

/* The same rows, if they are those of a progressive frame: of four, two have the chroma of the other colour. */
static void
check_mixed_fields (GstBuffer * buffer, const gchar * format, guint height)
{
  fail_unless (test_get_double (group_of (buffer, "gamut"), "any") > 0.4, "%s, %u rows: gamut", format, height);
  fail_unless (test_get_double (group_of (buffer, "gamut-filter"), "any") > 0.4, "%s, %u rows: filter", format, height);
  fail_unless (entropy_of (buffer, "color", "G") > 1.4, "%s, %u rows: G", format, height);
}

/* In 4:2:0 and 4:1:0 a pixel has the chroma of its field; heights are multiples of four, or not. */
TEST (test_cut_between_fields)
{
  static const gchar *const formats[] = {
    "I420", "YV12", "NV12", "NV21", "A420", "P010_10LE", "I420_10LE", "I420_12LE", "P016_LE", "YUV9"
  };
  static const guint heights[] = { 12, 10, 11, 9, 8 };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    for (guint h = 0; h < (i == 0 ? G_N_ELEMENTS (heights) : 2); h++) {
      for (guint is_interlaced = 0; is_interlaced < 2; is_interlaced++) {
        gchar *caps = g_strdup_printf (FIELDS_CAPS, formats[i], heights[h],
            is_interlaced ? "interleaved" : "progressive");
        GstBuffer *buffer;
        Clip clip;

        clip_open (&clip, FIELDS_MEASURES, caps);
        buffer = push_buffer (&clip, fields_new (&clip.info), 0);
        (is_interlaced ? check_separate_fields : check_mixed_fields) (buffer, formats[i], heights[h]);
        gst_buffer_unref (buffer);
        clip_close (&clip);
        g_free (caps);
      }
    }
  }
}

/* In the mode mixed each frame says whether it has fields. If it is not as the frame before, half of the rows have other
 * chroma, although all samples are equal. */
TEST (test_mixed_mode)
{
  static const gboolean has_fields[] = { TRUE, TRUE, FALSE, FALSE, TRUE };
  gchar *caps = g_strdup_printf (FIELDS_CAPS, "NV12", 32, "mixed");
  Clip clip;

  clip_open (&clip, FIELDS_MEASURES, caps);
  for (guint f = 0; f < G_N_ELEMENTS (has_fields); f++) {
    GstBuffer *buffer = fields_new (&clip.info);

    if (has_fields[f])
      GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
    buffer = push_buffer (&clip, buffer, f * 40 * GST_MSECOND);
    (has_fields[f] ? check_separate_fields : check_mixed_fields) (buffer, "mixed", 32);
    if (f > 0)
      fail_unless_equals_float (test_get_double (group_of (buffer, "flash"), "area"),
          has_fields[f] == has_fields[f - 1] ? 0 : 0.5);
    gst_buffer_unref (buffer);
  }
  clip_close (&clip);
  g_free (caps);
}

/* A crop may begin at any row of a field, and at one whose chroma lies above. */
TEST (test_cropped_fields)
{
  static const gchar *const formats[] = { "NV12", "I420_10LE", "YUV9" };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    gchar *caps = g_strdup_printf (FIELDS_CAPS, formats[i], 24, "interleaved");

    /* Eight rows of 4:1:0 have two rows of chroma. */
    for (guint y = i; y < 9; y += 1 + i) {
      const guint height = 9 + y % 5;
      GstVideoCropMeta *crop;
      GstBuffer *buffer;
      Clip clip;

      clip_open (&clip, FIELDS_MEASURES, caps);
      buffer = fields_new (&clip.info);
      crop = gst_buffer_add_video_crop_meta (buffer);
      crop->y = y;
      crop->width = FIELDS_WIDTH;
      crop->height = height;
      buffer = push_buffer (&clip, buffer, 0);
      /* At an odd row, the second colour has more rows if their number is odd. */
      if (height % 2 == 0 || y % 2 == 0)
        check_separate_fields (buffer, formats[i], height);
      fail_unless (test_get_double (group_of (buffer, "gamut"), "any") == 0, "%s, gamut of a crop at %u", formats[i], y);
      fail_unless (test_get_double (group_of (buffer, "gamut-filter"), "any") == 0, "%s, filter, crop at %u",
          formats[i], y);
      gst_buffer_unref (buffer);
      clip_close (&clip);
    }
    g_free (caps);
  }
}

/* Regions begin anywhere: at odd rows, too. */
TEST (test_regions_of_fields)
{
  gchar *caps = g_strdup_printf (FIELDS_CAPS, "I420", 32, "interleaved");
  const GValue *regions;
  GstBuffer *buffer;
  Clip clip;

  clip_open (&clip, FIELDS_MEASURES
      " region-histograms=true regions=a=3,1,9,7;b=2,2,20,21;c=0,3,32,1;d=5,5,4,27", caps);
  buffer = push_buffer (&clip, fields_new (&clip.info), 0);
  regions = gst_structure_get_value (test_result (buffer), "regions");
  fail_unless_equals_int (gst_value_array_get_size (regions), 4);
  for (guint r = 0; r < 4; r++) {
    const GstStructure *region = gst_value_get_structure (gst_value_array_get_value (regions, r));

    fail_unless_equals_float (test_get_double (test_component (region, "gamut"), "any"), 0);
    fail_unless_equals_float (test_get_double (test_component (region, "gamut-filter"), "any"), 0);
    fail_unless (test_get_double (test_component (test_component (region, "color"), "G"), "entropy") <= 1);
  }
  gst_buffer_unref (buffer);
  clip_close (&clip);
  g_free (caps);
}

/* ---- Flashes ------------------------------------------------------------------------------ */

#define FLASH "measures=flash histogram=false"
#define FLASH_WIDTH 60
#define FLASH_HEIGHT 36
#define FLASH_RATE 24
#define FLASH_CAPS "format=RGB, width=60, height=36, framerate=24/1, colorimetry=1:1:7:1"
#define ZONES_ACROSS 5

static const gchar *const states[] = { "pass", "warning", "extended", "fail" };

static guint
state_of (const GstStructure * structure)
{
  const gchar *name = gst_structure_get_string (structure, "state");

  for (guint i = 0; i < G_N_ELEMENTS (states); i++) {
    if (g_strcmp0 (name, states[i]) == 0)
      return i;
  }
  fail ("no state");
  return 0;
}

/* The worst of a clip. */
typedef struct
{
  guint transitions, red_transitions, counter, state;
  guint zones[ZONES_ACROSS * ZONES_ACROSS];     /* states */
} Worst;

static void
take_worst (Worst * worst, GstBuffer * buffer)
{
  const GstStructure *flash = group_of (buffer, "flash");
  const GValue *zones = gst_structure_get_value (flash, "zones");

  worst->transitions = MAX (worst->transitions, get_uint (flash, "transitions"));
  worst->red_transitions = MAX (worst->red_transitions, get_uint (flash, "red-transitions"));
  worst->counter = MAX (worst->counter, get_uint (flash, "counter"));
  worst->state = MAX (worst->state, state_of (flash));
  fail_unless_equals_int (gst_value_array_get_size (zones), G_N_ELEMENTS (worst->zones));
  for (guint z = 0; z < G_N_ELEMENTS (worst->zones); z++)
    worst->zones[z] = MAX (worst->zones[z], state_of (gst_value_get_structure
            (gst_value_array_get_value (zones, z))));
}

/* A part of the picture has two colours by turns, so often in a second; the rest has the first one. */
static Worst
flash_of (const Patch * part, const guint other[3], guint per_second, guint n_frames)
{
  const guint half = FLASH_RATE / per_second / 2;
  Patch patches[2] = { {0, 0, FLASH_WIDTH, FLASH_HEIGHT, {0}}, *part };
  Worst worst = { 0 };
  Clip clip;

  memcpy (patches[0].codes, part->codes, sizeof part->codes);
  clip_open (&clip, FLASH, "video/x-raw, " FLASH_CAPS);
  for (guint n = 0; n < n_frames; n++) {
    GstBuffer *buffer;

    memcpy (patches[1].codes, n / half % 2 == 0 ? part->codes : other, sizeof part->codes);
    buffer = push (&clip, patches, 2);
    take_worst (&worst, buffer);
    gst_buffer_unref (buffer);
  }
  clip_close (&clip);
  return worst;
}

#define WHOLE 0, 0, FLASH_WIDTH, FLASH_HEIGHT
static const guint white[3] = { 255, 255, 255 };

/* More than three flashes a second fail. Three, and two, are a warning, and an extended failure if they go on. */
TEST (test_rates)
{
  const Patch black = { WHOLE, {0, 0, 0} };

  for (guint per_second = 1; per_second <= 4; per_second++) {
    const Worst worst = flash_of (&black, white, per_second, 2 * FLASH_RATE);

    fail_unless_equals_int (worst.transitions, 2 * per_second);
    fail_unless_equals_int (worst.state, per_second > 3 ? 3 : per_second > 1);
    for (guint z = 0; z < G_N_ELEMENTS (worst.zones); z++)
      fail_unless_equals_int (worst.zones[z], worst.state);
  }
  fail_unless_equals_int (flash_of (&black, white, 3, 4 * FLASH_RATE).state, 1);
  fail_unless_equals_int (flash_of (&black, white, 3, 6 * FLASH_RATE).state, 2);
}

/* Columns at the left flash. Of the picture, a quarter must. The zones there have a third of the picture's width, so
 * they fail with all of them; the zones at the right have none. */
TEST (test_areas)
{
  for (guint percent = 20; percent <= 30; percent += 5) {
    const Patch part = { 0, 0, FLASH_WIDTH * percent / 100, FLASH_HEIGHT, {0, 0, 0} };
    const Worst worst = flash_of (&part, white, 4, 2 * FLASH_RATE);

    fail_unless_equals_int (worst.state, percent < 25 ? 0 : 3);
    for (guint z = 0; z < G_N_ELEMENTS (worst.zones); z += ZONES_ACROSS) {
      fail_unless_equals_int (worst.zones[z], 3);
      fail_unless_equals_int (worst.zones[z + 3], 0);
      fail_unless_equals_int (worst.zones[z + 4], 0);
    }
  }
}

/* The zone in the middle flashes: a ninth of the picture. The zones next to it have two of its four cells, those at its
 * corners one, which is a quarter of a zone. The outermost zones have none. */
TEST (test_one_zone)
{
  const Patch part = { 20, 12, 20, 12, {0, 0, 0} };
  const Worst worst = flash_of (&part, white, 4, 2 * FLASH_RATE);

  fail_unless_equals_int (worst.state, 0);
  fail_unless_equals_int (worst.transitions, 0);
  for (guint z = 0; z < G_N_ELEMENTS (worst.zones); z++) {
    const guint row = z / ZONES_ACROSS, column = z % ZONES_ACROSS;
    const gboolean has_cells = row > 0 && row < 4 && column > 0 && column < 4;

    fail_unless_equals_int (worst.zones[z], has_cells ? 3 : 0);
  }
}

/* The step of luminance is 0.1: grey 84 has 0.0887, 90 has 0.1022. The darker state must be below 0.8: 231 has 0.7991,
 * 232 has 0.8069. */
TEST (test_dark_and_bright)
{
  static const struct
  {
    guint a, b;
    guint state;
  } greys[] = {
    {0, 84, 0}, {0, 90, 3}, {90, 0, 3}, {231, 255, 3}, {232, 255, 0}, {255, 232, 0}
  };

  for (guint i = 0; i < G_N_ELEMENTS (greys); i++) {
    const Patch part = { WHOLE, {greys[i].a, greys[i].a, greys[i].a} };
    const guint other[] = { greys[i].b, greys[i].b, greys[i].b };
    const Worst worst = flash_of (&part, other, 4, 2 * FLASH_RATE);

    fail_unless (worst.state == greys[i].state, "%u and %u: %u", greys[i].a, greys[i].b, worst.state);
    fail_unless_equals_int (worst.red_transitions, 0);
  }
}

/* Red and a grey of the same luminance, 0.2126 and 0.2122: no flash of luminance, but one of red. Of pale red, none. */
TEST (test_red)
{
  static const guint grey[3] = { 127, 127, 127 }, pale[3] = { 255, 137, 0 };
  const Patch red = { WHOLE, {255, 0, 0} }, black = { WHOLE, {0, 0, 0} };
  Worst worst = flash_of (&red, grey, 4, 2 * FLASH_RATE);

  fail_unless_equals_int (worst.transitions, 0);
  fail_unless_equals_int (worst.red_transitions, 8);
  fail_unless_equals_int (worst.state, 3);
  worst = flash_of (&red, grey, 3, 2 * FLASH_RATE);
  fail_unless_equals_int (worst.state, 1);
  worst = flash_of (&black, pale, 4, 2 * FLASH_RATE);
  fail_unless_equals_int (worst.red_transitions, 0);
  fail_unless_equals_int (worst.transitions, 8);
}

/* Columns that change by turns: two parts of the picture flash against each other, so that its mean and the zones' are
 * constant. It counts frames with a change, of the last second; @percent of the picture takes part. */
TEST (test_counter)
{
  for (guint percent = 40; percent <= 100; percent += 20) {
    const guint width = FLASH_WIDTH * percent / 100;
    Worst worst = { 0 };
    Clip clip;

    clip_open (&clip, FLASH, "video/x-raw, " FLASH_CAPS);
    for (guint n = 0; n < 2 * FLASH_RATE; n++) {
      Patch columns[1 + FLASH_WIDTH] = { {WHOLE, {0, 0, 0}} };
      GstBuffer *buffer;

      for (guint x = 0; x < width; x++) {
        const guint code = (x + n / (FLASH_RATE / 8)) % 2 == 0 ? 255 : 0;

        columns[1 + x] = (Patch) {x, 0, 1, FLASH_HEIGHT, {code, code, code}};
      }
      buffer = push (&clip, columns, 1 + width);
      take_worst (&worst, buffer);
      gst_buffer_unref (buffer);
    }
    clip_close (&clip);
    fail_unless_equals_int (worst.transitions, 0);
    /* A quarter each is not above a quarter. */
    fail_unless (worst.counter == (percent > 50 ? 8 : 0), "%u %%: %u", percent, worst.counter);
  }
  /* All of the picture becomes brighter, and darker: no counterphase. */
  {
    const Patch black = { WHOLE, {0, 0, 0} };

    fail_unless_equals_int (flash_of (&black, white, 4, 2 * FLASH_RATE).counter, 0);
  }
}

/* From black to white and back, in @half frames each. A fade is one transition; but if luminance changes by less than
 * 0.1 in a second, none. */
static void
check_fade (guint half, guint n_frames, gdouble most, guint transitions, guint state)
{
  Worst worst = { 0 };
  Clip clip;

  clip_open (&clip, FLASH, "video/x-raw, " FLASH_CAPS);
  for (guint n = 0; n < n_frames; n++) {
    const guint place = n % (2 * half) < half ? n % (2 * half) : 2 * half - n % (2 * half);
    const gdouble light = most * place / half;
    const guint code = (guint) (255 * (light <= 0.0031308 ? 12.92 * light :
            1.055 * pow (light, 1 / 2.4) - 0.055) + 0.5);
    const Patch patch = { WHOLE, {code, code, code} };
    GstBuffer *buffer = push (&clip, &patch, 1);

    take_worst (&worst, buffer);
    gst_buffer_unref (buffer);
  }
  clip_close (&clip);
  fail_unless (worst.transitions == transitions && worst.state == state, "%u: %u transitions, %s", half,
      worst.transitions, states[worst.state]);
}

TEST (test_fades)
{
  check_fade (3, 3 * FLASH_RATE, 1, 8, 3);
  check_fade (4, 3 * FLASH_RATE, 1, 6, 1);
  check_fade (FLASH_RATE, 4 * FLASH_RATE, 1, 1, 0);
  check_fade (5 * FLASH_RATE, 10 * FLASH_RATE, 0.4, 0, 0);
}

/* ---- Cadence ------------------------------------------------------------------------------ */

#define CADENCE_CAPS "video/x-raw, format=GRAY8, width=16, height=8, framerate="

/* Pushes the frames of a pattern, for ever: equal letters in a row are equal frames.
 * @dropped: each frame of which this is a divisor is not there; 0: none
 * @found: the frame from which on there is a period; 0: never */
static void
check_cadence (const gchar * pattern, guint rate, guint dropped, guint found, guint period, guint unique)
{
  const guint length = strlen (pattern);
  gchar *caps = g_strdup_printf (CADENCE_CAPS "%u/1", rate);
  guint letter = 0;
  Clip clip;

  clip_open (&clip, "measures=motion histogram=false", caps);
  for (guint f = 0; f < 4 * rate; f++) {
    const GstStructure *motion;
    GstBuffer *buffer;
    Patch patch = { 0, 0, 16, 8, {0} };
    guint number;

    letter += f > 0 && pattern[f % length] != pattern[(f - 1) % length];
    patch.codes[0] = letter % 250;
    if (dropped > 0 && f % dropped == dropped - 1)
      continue;
    buffer = push_at (&clip, &patch, 1, gst_util_uint64_scale (f, GST_SECOND, rate));
    if (clip.n > 1) {
      motion = group_of (buffer, "motion");
      if (found > 0 && f >= found) {
        fail_unless (get_uint (motion, "cadence-period") == period, "%s, frame %u", pattern, f);
        fail_unless_equals_int (get_uint (motion, "cadence-unique"), unique);
      } else {
        fail_if (gst_structure_get_uint (motion, "cadence-period", &number), "%s, frame %u: %u",
            pattern, f, number);
      }
    }
    gst_buffer_unref (buffer);
  }
  clip_close (&clip);
  g_free (caps);
}

/* 24 of 60 frames by 3:2, 25 in 50, 24 in 30, and one frame for ever. The period is known behind 2 s of frames that
 * have a previous one. Missing frames make no repeats: without repeats the period stays 1. It is known one frame earlier,
 * as the frame behind a gap lasts as long as the gap. Among repeats, they break the period. */
TEST (test_cadences)
{
  check_cadence ("AAABBCCCDD", 60, 0, 120, 5, 2);
  check_cadence ("AABB", 50, 0, 100, 2, 1);
  check_cadence ("AABCD", 30, 0, 60, 5, 4);
  check_cadence ("A", 25, 0, 50, 1, 0);
  check_cadence ("AB", 25, 0, 50, 1, 1);
  check_cadence ("AB", 25, 7, 49, 1, 1);
  check_cadence ("AABB", 50, 31, 0, 0, 0);
}

/* ---- Light of HLG and PQ ------------------------------------------------------------------ */

/* BT.2100 on a display of 1000 cd/m². The greatest R, G and B are as exact as their sums, 1 / 65535; the light of
 * `max` is that of one of 4096 steps of PQ, less than 0.4 % apart. No
 * figure is more than `max`. */
TEST (test_hlg)
{
  static const struct
  {
    gdouble signal[3], light[3];
  } colors[] = {
    {{0.75, 0.75, 0.75}, {203.15, 203.15, 203.15}},
    {{1, 1, 1}, {1000, 1000, 1000}},
    {{1, 0, 0}, {765.41, 0, 0}},
    {{0, 1, 0}, {0, 925.22, 0}},
    {{0, 0, 1}, {0, 0, 568.34}},
    {{0.75, 0.5, 0.25}, {175.46, 55.18, 13.80}},
    {{0, 0, 0}, {0, 0, 0}},
  };
  static const gchar *const names[] = { "r-max", "g-max", "b-max" };
  static const gchar *const others[] = {
    "r-max", "g-max", "b-max", "fall", "p99", "p999", "p9999", "max-fall", "max-cll-p9999", "max-fall-p9999"
  };

  for (guint i = 0; i < G_N_ELEMENTS (colors); i++) {
    Patch patch = { 0, 0, 32, 8, {0} };
    const GstStructure *hdr;
    GstBuffer *buffer;
    gdouble most = 0;
    Clip clip;

    for (guint c = 0; c < 3; c++) {
      patch.codes[c] = (guint) (colors[i].signal[c] * 4095 + 0.5);
      most = fmax (most, colors[i].light[c]);
    }
    clip_open (&clip, "measures=hdr histogram=false",
        "video/x-raw, format=GBR_12LE, width=32, height=8, framerate=25/1, colorimetry=1:1:15:7");
    buffer = push (&clip, &patch, 1);
    hdr = group_of (buffer, "hdr");
    for (guint c = 0; c < 3; c++)
      check_near (names[c], test_get_double (hdr, names[c]), colors[i].light[c], 0.1 + most / 1000);
    check_near ("max", test_get_double (hdr, "max"), most, most * 0.005 + 0.01);
    check_near ("fall", test_get_double (hdr, "fall"), most, most * 0.005 + 0.01);
    for (guint k = 0; k < G_N_ELEMENTS (others); k++)
      fail_unless (test_get_double (hdr, others[k]) <= test_get_double (hdr, "max"), "%s", others[k]);
    gst_buffer_unref (buffer);
    clip_close (&clip);
  }
}

/* Light of BT.2100 in cd/m², of which 200 and more are 1 for flashes. */
static void
find_light_of_hlg (const gdouble signal[3], gdouble light[3])
{
  gdouble y;

  for (guint c = 0; c < 3; c++)
    light[c] = signal[c] <= 0.5 ? signal[c] * signal[c] / 3 :
        (exp ((signal[c] - 0.55991073) / 0.17883277) + 0.28466892) / 12;
  y = 0.2627 * light[0] + 0.6780 * light[1] + 0.0593 * light[2];
  for (guint c = 0; c < 3; c++)
    light[c] = 1000 * pow (y, 0.2) * light[c];
}

/* Flashes of HLG have the light that hdr has, with hdr and without: that of a saturated colour is less than that of a
 * grey of the same component. */
TEST (test_flashes_of_hlg)
{
  static const gdouble colors[][3] = {
    {0.5, 0.5, 0.5}, {0.75, 0.5, 0.25}, {0.5, 0, 0}, {0.6, 0.1, 0.05}, {0, 0.4, 0.5}, {0, 0, 0.6}, {1, 1, 1}, {0, 0, 0}
  };
  static const gchar *const measures[] = { "flash", "flash+hdr+gamut" };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (colors); i++) {
    gchar *properties = g_strdup_printf ("measures=%s histogram=false", measures[i % 2]);
    Patch patch = { 0, 0, 32, 8, {0} };
    gdouble light[3], linear[3];
    const GstStructure *flash;
    GstBuffer *buffer;
    Clip clip;

    find_light_of_hlg (colors[i / 2], light);
    for (guint c = 0; c < 3; c++) {
      patch.codes[c] = (guint) (colors[i / 2][c] * 4095 + 0.5);
      linear[c] = MIN (light[c] / 200, 1);
    }
    clip_open (&clip, properties,
        "video/x-raw, format=GBR_12LE, width=32, height=8, framerate=25/1, colorimetry=1:1:15:7");
    buffer = push (&clip, &patch, 1);
    flash = group_of (buffer, "flash");
    check_near ("luminance", test_get_double (flash, "luminance"),
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2], 0.001);
    check_near ("red", test_get_double (flash, "red"),
        linear[0] >= 4 * (linear[1] + linear[2]) ? linear[0] - linear[1] - linear[2] : 0, 0.001);
    if (i % 2 == 1)
      check_near ("r-max", test_get_double (group_of (buffer, "hdr"), "r-max"), light[0], 0.1 + light[0] / 500);
    gst_buffer_unref (buffer);
    clip_close (&clip);
    g_free (properties);
  }
}

/* Codes of limited range are rounded to those of full range: half of one is 0.8 %. */
TEST (test_pq)
{
  static const struct
  {
    guint code;
    gdouble light;
  } greys[] = { {64, 0}, {509, 99.91}, {573, 203.7}, {723, 1004.2}, {940, 10000} };

  for (guint i = 0; i < G_N_ELEMENTS (greys); i++) {
    const Patch patch = { 0, 0, 32, 8, {greys[i].code, 512, 512} };
    const gdouble light = greys[i].light;
    const GstStructure *hdr;
    GstBuffer *buffer;
    Clip clip;

    clip_open (&clip, "measures=hdr histogram=false",
        "video/x-raw, format=Y444_10LE, width=32, height=8, framerate=25/1, colorimetry=2:6:14:7");
    buffer = push (&clip, &patch, 1);
    hdr = group_of (buffer, "hdr");
    check_near ("max", test_get_double (hdr, "max"), light, 0.008 * light);
    check_near ("fall", test_get_double (hdr, "fall"), light, 0.008 * light);
    check_near ("max-cll", test_get_double (hdr, "max-cll"), light, 0.008 * light);
    gst_buffer_unref (buffer);
    clip_close (&clip);
  }
}

TEST_MAIN (120)
