/* What the waveform and the vectorscope draw: each value at its place, with the brightness of its count.
 *
 * The panels have a size at which a box has one pixel for each of the 256 values, so the places follow from the values.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay.h"

#include "cudahisto/read.h"
#include "overlay/panel.h"
#include "overlay/scopes.h"

#include <math.h>

#define FOREGROUND 0xffeceff4u
#define LIMIT 0xffff3b30u

typedef struct
{
  guint8 y, u, v;
} Color;

/* ---- Pictures -------------------------------------------------------------------------------- */

/* The height of a waveform's panel whose plot has 256 rows. */
static gint
find_waveform_height (void)
{
  gint height = 256;

  while (histo_plot_box ((HistoSize) { 2 * height, height }, 0, 1).height != 256)
    height++;
  return height;
}

#define WAVEFORM_HEIGHT (find_waveform_height ())
/* The pad is 1/40 of the height. */
#define VECTORSCOPE_HEIGHT 268
#define VECTORSCOPE_PAD 6

/* (transfer full): caps of a picture that one panel fills */
static gchar *
make_caps (const gchar * rest, gint height)
{
  return g_strdup_printf ("%s, width=1024, height=%d, framerate=25/1", rest, height);
}

/* A 4:4:4 picture: the colour of the upper rows, and of the lower ones. */
static GstBuffer *
make_parts (gint height, Color upper, gint n_upper, Color lower)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 3 * 1024 * height, NULL);
  const guint8 values[3][2] = { {upper.y, lower.y}, {upper.u, lower.u}, {upper.v, lower.v} };

  for (gint p = 0; p < 3; p++) {
    gst_buffer_memset (buffer, p * 1024 * height, values[p][0], 1024 * n_upper);
    gst_buffer_memset (buffer, (p * height + n_upper) * 1024, values[p][1], 1024 * (height - n_upper));
  }
  return buffer;
}

/* Draws the panel of a picture of two parts. @rest: of Y444's caps */
static GstBuffer *
draw_parts (const gchar * drawing, const gchar * rest, gint height, Color upper, gint n_upper, Color lower)
{
  gchar *format = g_strconcat ("format=Y444", rest, NULL), *caps = make_caps (format, height);
  gchar *properties = g_strconcat ("size=1 margin=0 ", drawing, NULL);
  GstHarness *harness = overlay_harness_new ("measures=scopes+color", properties, caps, TRUE);
  GstBuffer *buffer = overlay_push (harness, 0, make_parts (height, upper, n_upper, lower));

  fail_unless_equals_int (overlay_count (buffer), 1);
  gst_harness_teardown (harness);
  g_free (properties);
  g_free (format);
  g_free (caps);
  return buffer;
}

static guint32
get_pixel (const OverlayRectangle * panel, gint x, gint y)
{
  fail_unless (x >= 0 && y >= 0 && x < panel->width && y < panel->height);
  return panel->pixels[y * panel->width + x];
}

/* The row of a value in the waveform. */
static gint
row_of (const OverlayRectangle * panel, gint code)
{
  const HistoBox box = histo_plot_box ((HistoSize) { panel->width, panel->height }, 0, 1);

  fail_unless_equals_int (box.height, 256);
  return box.y + 255 - code;
}

/* How many pixels of a row have the colour. */
static gint
count_in_row (const OverlayRectangle * panel, gint y, guint32 color)
{
  gint n = 0;

  for (gint x = 0; x < panel->width; x++)
    n += get_pixel (panel, x, y) == color;
  return n;
}

/* The longest run of pixels in a row that are lighter than any line but a trace. Text has short ones. */
static gint
find_run (const OverlayRectangle * panel, gint y)
{
  gint longest = 0, n = 0;

  for (gint x = 0; x < panel->width; x++) {
    n = (get_pixel (panel, x, y) & 255) > 0xa0 ? n + 1 : 0;
    longest = MAX (longest, n);
  }
  return longest;
}

/* The alpha of a cell with @r times the mean count of the cells that are not empty. */
static gdouble
find_alpha (gdouble r, gboolean is_logarithmic)
{
  return 0.3 + 0.7 * (is_logarithmic ? (log10 (r) + 3) / 4 : r / (r + 0.4));
}

/* A colour over another one. */
static guint32
mix (guint32 below, guint32 color, gdouble alpha)
{
  guint32 pixel = 0;

  for (gint shift = 24; shift >= 0; shift -= 8)
    pixel |= (guint32) lrint ((below >> shift & 255) * (1 - alpha) + (color >> shift & 255) * alpha) << shift;
  return pixel;
}

/* Whether two pixels differ by what is rounded. */
static gboolean
is_near (guint32 a, guint32 b)
{
  for (gint shift = 0; shift < 32; shift += 8)
    if (ABS ((gint) (a >> shift & 255) - (gint) (b >> shift & 255)) > 3)
      return FALSE;
  return TRUE;
}

/* ---- Waveform -------------------------------------------------------------------------------- */

static const Color black = { 16, 128, 128 }, grey = { 126, 128, 128 };

/* The black bars of a letterbox are a line at 16, over the whole width of the plot. Nothing is below it, and the values
 * between black and the picture are empty. */
TEST (test_letterbox)
{
  const gint height = WAVEFORM_HEIGHT;
  GstBuffer *buffer = draw_parts ("show=waveform", "", height, black, height / 4, grey);
  const OverlayRectangle panel = overlay_get_rectangle (buffer, 0);
  const gint y = row_of (&panel, 16), middle = row_of (&panel, 126);
  gint width;

  fail_unless_equals_int (panel.height, height);
  fail_unless_equals_int (panel.width, 2 * height);
  width = find_run (&panel, middle);
  fail_unless (width > panel.width * 3 / 4, "%d", width);
  fail_unless_equals_int (find_run (&panel, y), width);
  for (gint code = 0; code < 256; code++)
    if (code != 16 && ABS (code - 126) > 3 && code != 17)
      fail_unless (find_run (&panel, row_of (&panel, code)) < 20, "%d", code);
  gst_buffer_unref (buffer);
}

/* A column of the picture is the same column of the plot. */
TEST (test_columns)
{
  const gint height = WAVEFORM_HEIGHT;
  gchar *caps = make_caps ("format=GRAY8", height);
  GstHarness *harness = overlay_harness_new ("measures=scopes", "show=waveform size=1 margin=0", caps, TRUE);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 1024 * height, NULL);
  OverlayRectangle panel;
  gint left = -1, right = -1;
  GstMapInfo map;
  guint32 lit;

  /* The third quarter of the columns is lighter. */
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = i % 1024 / 256 == 2 ? 200 : 100;
  gst_buffer_unmap (buffer, &map);
  buffer = overlay_push (harness, 0, buffer);
  panel = overlay_get_rectangle (buffer, 0);
  /* All cells have the mean count. */
  lit = mix (get_pixel (&panel, panel.width / 2, row_of (&panel, 150)), FOREGROUND, find_alpha (1, FALSE));
  for (gint x = 0; x < panel.width; x++) {
    const gboolean is_lit = is_near (get_pixel (&panel, x, row_of (&panel, 200)), lit);
    const gboolean other = is_near (get_pixel (&panel, x, row_of (&panel, 100)), lit);

    fail_if (is_lit && other, "%d", x);
    if (!is_lit && !other)
      continue;
    left = left < 0 ? x : left;
    right = x;
  }
  for (gint x = left; x <= right; x++) {
    const gint column = (x - left) * 1024 / (right - left + 1);

    if (column > 516 && column < 764)
      fail_unless (is_near (get_pixel (&panel, x, row_of (&panel, 200)), lit));
    if (column < 508 || column > 772)
      fail_unless (is_near (get_pixel (&panel, x, row_of (&panel, 100)), lit));
  }
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
  g_free (caps);
}

/* The brightness of the counts, with each scale: of one value, and of two values of which one has a quarter of the rows. */
TEST (test_brightness)
{
  const Color lighter = { 200, 128, 128 }, darker = { 90, 128, 128 };
  const gint height = WAVEFORM_HEIGHT;

  for (guint is_logarithmic = 0; is_logarithmic < 2; is_logarithmic++) {
    const gchar *drawing = is_logarithmic ? "show=waveform scale=logarithmic" : "show=waveform scale=linear";
    GstBuffer *buffer = draw_parts (drawing, "", height, lighter, 0, darker);
    OverlayRectangle panel = overlay_get_rectangle (buffer, 0);
    const gint x = panel.width / 2;
    const guint32 empty = get_pixel (&panel, x, row_of (&panel, 200));

    fail_unless (is_near (get_pixel (&panel, x, row_of (&panel, 90)), mix (empty, FOREGROUND,
                find_alpha (1, is_logarithmic))));
    gst_buffer_unref (buffer);
    buffer = draw_parts (drawing, "", height, lighter, height / 4, darker);
    panel = overlay_get_rectangle (buffer, 0);
    /* The height may be no multiple of 4. */
    fail_unless (is_near (get_pixel (&panel, x, row_of (&panel, 200)), mix (empty, FOREGROUND,
                find_alpha (0.5, is_logarithmic))));
    fail_unless (is_near (get_pixel (&panel, x, row_of (&panel, 90)), mix (empty, FOREGROUND,
                find_alpha (1.5, is_logarithmic))));
    gst_buffer_unref (buffer);
  }
}

/* Each count is brighter than the half of it, from a hundredth to many times the mean count, so that structure is seen
 * everywhere; the least alpha is that of 30 %. The logarithmic scale shows rare values brighter. */
TEST (test_curve)
{
  guint32 *counts = g_new0 (guint32, HISTO_SCOPE_BINS);
  HistoComponentResult component = { 0 };
  HistoTrace *traces = g_new0 (HistoTrace, 2);
  gdouble mean;

  /* Powers of 2 in the first row; the other cells have one pixel each. */
  for (guint i = 0; i < 256 * 64; i++)
    counts[i] = i < 20 ? 1 << i : 1;
  mean = ((1 << 20) - 1 + 256 * 64 - 20) / (256.0 * 64);
  component.figures.bins = HISTO_SCOPE_BINS;
  component.histogram = g_bytes_new_take (counts, HISTO_SCOPE_BINS * sizeof *counts);
  for (guint i = 0; i < 2; i++)
    histo_trace_set (&traces[i], &component, i);
  fail_unless (mean > 60 && mean < 70);
  for (guint i = 0; i < 20; i++) {
    const gdouble r = (1 << i) / mean;

    for (guint k = 0; k < 2; k++)
      fail_unless (ABS (traces[k].cells[0][i] - 255 * MIN (find_alpha (r, k), 1)) < 2, "%u %u", i, k);
    fail_unless (r > 0.9 || traces[1].cells[0][i] > traces[0].cells[0][i], "%u", i);
    fail_unless (i == 0 || r > 100 || traces[0].cells[0][i] > traces[0].cells[0][i - 1], "%u", i);
  }
  fail_unless (traces[0].cells[0][0] >= 0x4c);
  fail_unless_equals_int (traces[0].cells[255][0], 0);
  g_bytes_unref (component.histogram);
  g_free (traces);
}

/* One pixel of a million can be seen, on the lines of white and black, too. */
TEST (test_one_pixel)
{
  static const guint8 values[] = { 100, 250, 235, 16 };
  const gint height = 1024;
  GstHarness *harness = overlay_harness_new ("measures=scopes", "show=waveform size=0.3 margin=0",
      "format=GRAY8, colorimetry=2:4:7:1, width=1024, height=1024, framerate=25/1", TRUE);
  GstBuffer *frames[G_N_ELEMENTS (values)];
  OverlayRectangle panels[G_N_ELEMENTS (values)];

  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 1024 * height, NULL);

    gst_buffer_memset (buffer, 0, 100, 1024 * height);
    gst_buffer_memset (buffer, 512 * 1024 + 512, values[i], 1);
    frames[i] = overlay_push (harness, i, buffer);
    panels[i] = overlay_get_rectangle (frames[i], 0);
  }
  for (guint n = 1; n < G_N_ELEMENTS (values); n++) {
    fail_unless (overlay_count_differences (&panels[0], &panels[n]) >= 2, "%u", values[n]);
    for (gint i = 0; i < panels[0].width * panels[0].height; i++)
      if (panels[0].pixels[i] != panels[n].pixels[i])
        fail_unless ((panels[n].pixels[i] & 255) >= (panels[0].pixels[i] & 255) + 50, "%u", values[n]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    gst_buffer_unref (frames[i]);
  gst_harness_teardown (harness);
}

/* Where the trace is on a red line, it replaces all its rows, and has the same colour as beside the line. */
TEST (test_trace_on_limits)
{
  static const guint8 values[] = { 5, 4, 246, 245 };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    const Color lighter = { 100, 128, 128 }, value = { values[i], 128, 128 };
    const gint height = WAVEFORM_HEIGHT;
    GstBuffer *buffer = draw_parts ("show=waveform", ", colorimetry=bt709", height, value, height / 4, lighter);
    const OverlayRectangle panel = overlay_get_rectangle (buffer, 0);
    const gint x = panel.width / 2;
    const guint32 empty = get_pixel (&panel, x, row_of (&panel, 150));

    fail_unless (is_near (get_pixel (&panel, x, row_of (&panel, values[i])), mix (empty, FOREGROUND,
                find_alpha (0.5, FALSE))), "%u", values[i]);
    for (gint code = 0; code < 256; code++)
      fail_if ((code < 100) == (values[i] < 100) && get_pixel (&panel, x, row_of (&panel, code)) == LIMIT, "%u: %d",
          values[i], code);
    gst_buffer_unref (buffer);
  }
}

/* Twice as many pixels of each value: the same picture of waveform and vectorscope. */
TEST (test_twice_the_counts)
{
  static const gchar *const shows[] = { "waveform", "vectorscope" };
  static const gchar *const scales[] = { "linear", "logarithmic" };

  for (guint i = 0; i < 4; i++) {
    OverlayRectangle panels[2];
    GstBuffer *frames[2];

    for (guint twice = 0; twice < 2; twice++) {
      const gint height = 240 << twice;
      gchar *drawing = g_strdup_printf ("show=%s scale=%s size=%g margin=0", shows[i / 2], scales[i % 2],
          0.75 / (1 << twice));
      gchar *caps = g_strdup_printf ("format=Y444, width=640, height=%d, framerate=25/1, colorimetry=bt709", height);
      GstHarness *harness = overlay_harness_new ("measures=scopes", drawing, caps, TRUE);
      GstBuffer *buffer = gst_buffer_new_allocate (NULL, 3 * 640 * height, NULL);
      GstMapInfo map;

      gst_buffer_map (buffer, &map, GST_MAP_WRITE);
      for (gint p = 0; p < 3; p++)
        for (gint y = 0; y < height; y++)
          for (gint x = 0; x < 640; x++)
            map.data[(p * height + y) * 640 + x] = 60 + 50 * p + (y >> twice) * (y >> twice) / 700 % 90 + x % 7;
      gst_buffer_unmap (buffer, &map);
      frames[twice] = overlay_push (harness, 0, buffer);
      panels[twice] = overlay_get_rectangle (frames[twice], 0);
      fail_unless_equals_int (panels[twice].height, 180);
      gst_harness_teardown (harness);
      g_free (drawing);
      g_free (caps);
    }
    fail_unless_equals_int (overlay_count_differences (&panels[0], &panels[1]), 0);
    for (guint twice = 0; twice < 2; twice++)
      gst_buffer_unref (frames[twice]);
  }
}

/* Whether a row has a line: lighter than the rows around it, in a column where there is no trace. */
static gboolean
has_line (const OverlayRectangle * panel, gint code)
{
  const gint x = panel->width / 2;
  const guint32 pixel = get_pixel (panel, x, row_of (panel, code));

  return (pixel & 255) > (get_pixel (panel, x, row_of (panel, code) - 4) & 255) + 10;
}

/* The lines of a picture whose only value is @value; codes of 8 bits that end with -1 */
static void
check_lines (const gchar * rest, Color value, const gint * codes, gboolean has_limits)
{
  GstBuffer *buffer = draw_parts ("show=waveform", rest, WAVEFORM_HEIGHT, value, 0, value);
  const OverlayRectangle panel = overlay_get_rectangle (buffer, 0);

  for (guint i = 0; codes[i] >= 0; i++)
    fail_unless (has_line (&panel, codes[i]), "%s: %d", rest, codes[i]);
  for (gint code = 1; code < 250; code++) {
    gboolean expected = FALSE;

    for (guint i = 0; codes[i] >= 0; i++)
      expected |= ABS (codes[i] - code) < 2;
    if (!expected && code != value.y && ABS (code - 5) > 3 && ABS (code - 246) > 3 && ABS (code - value.y) > 4)
      fail_if (has_line (&panel, code), "%s: %d", rest, code);
  }
  for (guint i = 0; i < 2; i++)
    fail_unless_equals_int (count_in_row (&panel, row_of (&panel, i ? 246 : 5), LIMIT) > panel.width / 2, has_limits);
  gst_buffer_unref (buffer);
}

/* Black, white, the quarters between them, and the limits of R 103; or those of the full range. */
TEST (test_lines)
{
  static const gint limited[] = { 16, 71, 126, 180, 235, -1 }, full[] = { 64, 128, 191, -1 };
  const Color value = { 100, 128, 128 };

  check_lines (", colorimetry=bt709", value, limited, TRUE);
  check_lines (", colorimetry=1:3:5:1", value, full, FALSE);
}

static gboolean find_text (const OverlayRectangle * panel, HistoBox box, gint * top, gint * bottom);

/* Whether the line of a value has a label at the right. */
static gboolean
has_label (const OverlayRectangle * panel, gint code)
{
  const gint font = histo_font_size (panel->height), y = row_of (panel, code);
  gint top, bottom;

  return find_text (panel, (HistoBox) { panel->width - 3 * font, y - font / 4, 5 * font / 2, font / 2}, &top, &bottom);
}

/* Lines of light: PQ has 100, 203, 1000 and 10000 cd/m² at the codes 509, 573, 723 and 940 of 10 bits; HLG has 203 at 75 %,
 * and 100 where the inverse of BT.2100's OOTF and OETF says. 203 is labelled. */
TEST (test_lines_of_light)
{
  static const gint pq[] = { 127, 143, 181, 235, -1 };
  const Color value = { 200, 128, 128 };
  const gdouble scene = pow (0.1, 1 / 1.2);
  const gdouble signal = 0.17883277 * log (12 * scene - 0.28466892) + 0.55991073;
  GstBuffer *buffer = draw_parts ("show=waveform", ", colorimetry=2:6:14:7", WAVEFORM_HEIGHT, value, 0, value);
  OverlayRectangle panel = overlay_get_rectangle (buffer, 0);

  for (guint i = 0; pq[i] >= 0; i++)
    fail_unless (has_line (&panel, pq[i]), "%d", pq[i]);
  fail_if (has_line (&panel, 71));
  fail_unless (has_label (&panel, 143));
  fail_if (has_label (&panel, 160));
  gst_buffer_unref (buffer);
  buffer = draw_parts ("show=waveform", ", colorimetry=2:6:15:7", WAVEFORM_HEIGHT, value, 0, value);
  panel = overlay_get_rectangle (buffer, 0);
  fail_unless (has_line (&panel, (gint) (16 + 219 * signal + 0.5)));
  fail_unless (has_line (&panel, 235));
  fail_unless (has_line (&panel, 180) && has_label (&panel, 180));
  fail_if (has_line (&panel, 126));
  gst_buffer_unref (buffer);
}

/* The parade has R, G and B side by side, each with its colour; the overlay adds their light. */
TEST (test_parade_and_overlay)
{
  static const guint32 colors[] = { 0xffff5a4f, 0xff4fd66b, 0xff5c9dff };
  gchar *caps = make_caps ("format=RGB", WAVEFORM_HEIGHT);

  for (guint is_overlay = 0; is_overlay < 2; is_overlay++) {
    GstHarness *harness = overlay_harness_new ("measures=scopes", is_overlay ?
        "show=waveform waveform-mode=overlay size=1 margin=0" :
        "show=waveform waveform-mode=parade size=1 margin=0", caps, TRUE);
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 3 * 1024 * WAVEFORM_HEIGHT, NULL);
    gint begins[3] = { G_MAXINT, G_MAXINT, G_MAXINT }, ends[3] = { 0 };
    const gdouble alpha = find_alpha (1, FALSE);
    OverlayRectangle panel;
    guint32 empty;
    GstMapInfo map;

    /* All pixels are 60, 120, 180; in the right half R is 120, too. */
    gst_buffer_map (buffer, &map, GST_MAP_WRITE);
    for (gsize i = 0; i < map.size; i++)
      map.data[i] = i % 3 == 0 && i / 3 % 1024 >= 512 ? 120 : 60 * (1 + i % 3);
    gst_buffer_unmap (buffer, &map);
    buffer = overlay_push (harness, 0, buffer);
    panel = overlay_get_rectangle (buffer, 0);
    empty = get_pixel (&panel, panel.width / 2 - 4, row_of (&panel, 90));
    for (gint x = 0; x < panel.width; x++)
      for (guint c = 0; c < 3; c++)
        if (is_near (get_pixel (&panel, x, row_of (&panel, 60 * (1 + c))), mix (empty, colors[c], alpha))) {
          begins[c] = MIN (begins[c], x);
          ends[c] = x;
        }
    fail_unless (begins[0] < ends[0] && begins[1] < ends[1] && begins[2] < ends[2]);
    if (is_overlay) {
      /* In the right half red and green are one line of both. */
      const guint32 sum = get_pixel (&panel, ends[0] + 20, row_of (&panel, 120));

      fail_unless_equals_int (begins[0], begins[1]);
      fail_unless_equals_int (begins[0], begins[2]);
      fail_unless (ends[0] - begins[0] < (ends[2] - begins[2]) * 0.52);
      /* 255 + 79, 90 + 214 and 79 + 107, of 334. */
      fail_unless (is_near (sum, mix (empty, 0xffffe88e, alpha)), "%08x", sum);
    } else {
      fail_unless (ends[0] < begins[1] && ends[1] < begins[2]);
    }
    gst_buffer_unref (buffer);
    gst_harness_teardown (harness);
  }
  g_free (caps);
}

/* The rows of a text in a box: lighter than 0x80. Returns: FALSE: there is none */
static gboolean
find_text (const OverlayRectangle * panel, HistoBox box, gint * top, gint * bottom)
{
  *top = *bottom = -1;
  for (gint y = box.y; y < box.y + box.height; y++)
    for (gint x = box.x; x < box.x + box.width; x++)
      if ((get_pixel (panel, x, y) & 255) > 0x80) {
        *top = *top < 0 ? y : *top;
        *bottom = y;
      }
  return *top >= 0;
}

/* The numbers at the ends of the full range, 0 and 255, are in the middle of their lines (2 pixels off at most: there is
 * little room below the plot), and apart from the title. */
TEST (test_labels_of_ends)
{
  const Color value = { 100, 128, 128 };
  GstBuffer *buffer = draw_parts ("show=waveform", ", colorimetry=1:3:5:1", WAVEFORM_HEIGHT, value, 0, value);
  const OverlayRectangle panel = overlay_get_rectangle (buffer, 0);
  const gint font = histo_font_size (panel.height);
  /* The scale left of the plot. */
  const gint width = (gint) (4 * 0.64 * font);
  static const gint codes[] = { 0, 255 };
  gint top, bottom;

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++) {
    const gint y = row_of (&panel, codes[i]);
    const HistoBox left = { 0, y - font / 2, width, MIN (font, panel.height - y + font / 2) };

    fail_unless (find_text (&panel, left, &top, &bottom));
    fail_unless (ABS (top + bottom - 2 * y) <= 4, "%d: %d to %d, not around %d", codes[i], top, bottom, y);
  }
  fail_unless (find_text (&panel, (HistoBox) { 0, 0, width, row_of (&panel, 255) - font / 2 }, &top, &bottom));
  fail_unless (bottom < row_of (&panel, 255) - font / 2);
  gst_buffer_unref (buffer);
}

/* Above a plot of computed values the range is told: of luma of RGB, and of R, G and B of YUV. */
TEST (test_name_of_range)
{
  static const struct
  {
    const gchar *format, *mode;
    gboolean is_computed;
  } cases[] = {
    {"RGB", "luma", TRUE}, {"RGB", "parade", FALSE}, {"RGB", "overlay", FALSE},
    {"GRAY8", "luma", FALSE}, {"I420", "parade", TRUE}, {"I420", "overlay", TRUE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *drawing = g_strdup_printf ("show=waveform size=1 margin=0 waveform-mode=%s", cases[i].mode);
    /* Gray of limited range has limits at this place. */
    gchar *caps = g_strdup_printf ("format=%s, width=1024, height=256, framerate=25/1%s", cases[i].format,
        g_str_equal (cases[i].format, "GRAY8") ? ", colorimetry=1:4:5:1" : "");
    GstBuffer *buffer = overlay_draw ("measures=scopes+color", drawing, caps, 100);
    const OverlayRectangle panel = overlay_get_rectangle (buffer, 0);
    const gint font = histo_font_size (panel.height), y = histo_plot_box ((HistoSize) { panel.width, panel.height }, 0,
        1).y;
    gint top, bottom;
    const HistoBox box = { panel.width - 11 * font / 2, 0, 5 * font / 2, y - font / 2 };

    fail_unless_equals_int (find_text (&panel, box, &top, &bottom), cases[i].is_computed);
    gst_buffer_unref (buffer);
    g_free (drawing);
    g_free (caps);
  }
}

/* In low panels "full range" is shorter or not there: it is apart from the name of the last plot, B. */
TEST (test_room_of_range)
{
  for (gint height = 40; height < 200; height += 4) {
    gchar *caps = g_strdup_printf ("format=I420, width=1024, height=%d, framerate=25/1", height);
    GstBuffer *buffer = overlay_draw ("measures=scopes+color", "show=waveform waveform-mode=parade size=1 margin=0", caps,
        100);
    const OverlayRectangle panel = overlay_get_rectangle (buffer, 0);
    const gint font = histo_font_size (panel.height);
    const gint rows = histo_plot_box ((HistoSize) { panel.width, panel.height }, 0, 1).y - font / 4;
    gint name = -1;

    /* Blue, and not grey; the first columns are R and G. */
    for (gint x = panel.width / 2; x < panel.width && name < 0; x++)
      for (gint y = 0; y < rows; y++)
        if ((get_pixel (&panel, x, y) & 255) > 0xa0 && (get_pixel (&panel, x, y) >> 16 & 255) < 0x70)
          name = x;
    fail_unless (name > 0, "%d", height);
    for (gint x = name; x < name + font; x++)
      for (gint y = 0; y < rows; y++)
        fail_if ((get_pixel (&panel, x, y) >> 16 & 255) > 0x80, "%d: at %d, %d", height, x - name, y);
    gst_buffer_unref (buffer);
    g_free (caps);
  }
}

/* A column of the picture with another value is two pixels wide and high in a plot of colours, however small the panel. */
TEST (test_colours_of_420)
{
  GstHarness *harness = overlay_harness_new ("measures=scopes", "show=waveform waveform-mode=parade size=0.12 margin=0",
      "format=RGB, width=1024, height=1024, framerate=25/1", TRUE);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 3 * 1024 * 1024, NULL);
  gint left = G_MAXINT, right = 0, top = G_MAXINT, bottom = 0;
  OverlayRectangle panel;
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = i % 3 == 0 && i / 3 % 1024 == 600 ? 145 : 40;
  gst_buffer_unmap (buffer, &map);
  buffer = overlay_push (harness, 0, buffer);
  panel = overlay_get_rectangle (buffer, 0);
  for (gint i = 0; i < panel.width * panel.height; i++) {
    const gint x = i % panel.width, y = i / panel.width;

    /* Red, between the lines of 128 and 191, and not the letter. */
    if (y < panel.height / 3 || y > panel.height / 2 || (panel.pixels[i] >> 16 & 255) < (panel.pixels[i] & 255) + 40)
      continue;
    left = MIN (left, x);
    right = MAX (right, x);
    top = MIN (top, y);
    bottom = MAX (bottom, y);
  }
  fail_unless (right >= left + 1 && right <= left + 3, "%d to %d", left, right);
  fail_unless (bottom >= top + 1 && bottom <= top + 3, "%d to %d", top, bottom);
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
}

/* ---- Vectorscope ----------------------------------------------------------------------------- */

static gint
x_of (gint u)
{
  return VECTORSCOPE_PAD + u;
}

static gint
y_of (gint v)
{
  return VECTORSCOPE_PAD + 255 - v;
}

/* How many pixels from a place in a direction the colour of the box is; 0: nowhere near. */
static gint
find_edge (const OverlayRectangle * panel, Color place, gint dx, gint dy, const gboolean * parts)
{
  for (gint n = 2; n < 12; n++) {
    const guint32 pixel = get_pixel (panel, x_of (place.u) + n * dx, y_of (place.v) + n * dy);
    gboolean is_edge = TRUE;

    for (gint c = 0; c < 3; c++) {
      const guint part = pixel >> (16 - 8 * c) & 255;

      is_edge &= parts[c] ? part > 140 : part < 90;
    }
    if (is_edge)
      return n;
  }
  return 0;
}

/* U and V of bars of 8 bits, of 75 % and 100 %, by each matrix. Their samples are inside of their boxes: all four edges
 * are near, and as far on both sides. */
TEST (test_bars)
{
  static const gboolean parts[6][3] = { {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}, {1, 0, 1} };
  static const struct
  {
    const gchar *colorimetry;
    guint8 bars[2][6][2];       /* of 100 % and 75 %: red, yellow, green, cyan, blue, magenta */
  } matrices[] = {
    {", colorimetry=bt601", {{{90, 240}, {16, 146}, {54, 34}, {166, 16}, {240, 110}, {202, 222}},
            {{100, 212}, {44, 142}, {72, 58}, {156, 44}, {212, 114}, {184, 198}}}},
    {", colorimetry=bt709", {{{102, 240}, {16, 138}, {42, 26}, {154, 16}, {240, 118}, {214, 230}},
            {{109, 212}, {44, 136}, {63, 52}, {147, 44}, {212, 120}, {193, 204}}}},
    {", colorimetry=bt2020", {{{97, 240}, {16, 137}, {47, 25}, {159, 16}, {240, 119}, {209, 231}},
            {{105, 212}, {44, 135}, {67, 51}, {151, 44}, {212, 121}, {189, 205}}}},
  };

  for (guint m = 0; m < G_N_ELEMENTS (matrices); m++)
    for (guint b = 0; b < 2; b++)
      for (guint i = 0; i < 6; i++) {
        const Color color = { 100, matrices[m].bars[b][i][0], matrices[m].bars[b][i][1] };
        GstBuffer *buffer = draw_parts ("show=vectorscope", matrices[m].colorimetry, VECTORSCOPE_HEIGHT, color, 0,
            color);
        const OverlayRectangle panel = overlay_get_rectangle (buffer, 0);
        const gint edges[] = {
          find_edge (&panel, color, -1, 0, parts[i]), find_edge (&panel, color, 1, 0, parts[i]),
          find_edge (&panel, color, 0, -1, parts[i]), find_edge (&panel, color, 0, 1, parts[i])
        };

        fail_unless_equals_int (panel.width, VECTORSCOPE_HEIGHT);
        for (guint k = 0; k < 4; k++)
          fail_unless (edges[k] > 0, "%s: bar %u of %s, edge %u", matrices[m].colorimetry, i, b ? "75 %" : "100 %", k);
        fail_unless (ABS (edges[0] - edges[1]) <= 2 && ABS (edges[2] - edges[3]) <= 2, "%d %d %d %d", edges[0],
            edges[1], edges[2], edges[3]);
        gst_buffer_unref (buffer);
      }
}

/* A picture of one colour is one point, at its U and V; of grey it is in the middle, and white. */
TEST (test_one_point)
{
  static const Color colors[] = { {100, 128, 128}, {100, 128, 60}, {100, 60, 128}, {100, 170, 190}, {100, 0, 255} };
  GstBuffer *other = draw_parts ("show=vectorscope", "", VECTORSCOPE_HEIGHT, (Color) { 100, 255, 0 }, 0,
      (Color) { 100, 255, 0 });
  const OverlayRectangle without = overlay_get_rectangle (other, 0);

  for (guint i = 0; i < G_N_ELEMENTS (colors); i++) {
    GstBuffer *buffer = draw_parts ("show=vectorscope", "", VECTORSCOPE_HEIGHT, colors[i], 0, colors[i]);
    const OverlayRectangle panel = overlay_get_rectangle (buffer, 0);
    const gint x = x_of (colors[i].u), y = y_of (colors[i].v);
    guint n = 0;

    fail_if (get_pixel (&panel, x, y) == get_pixel (&without, x, y), "%u", i);
    for (gint k = 0; k < panel.width * panel.height; k++) {
      const gint dx = k % panel.width - x, dy = k / panel.width - y;

      /* That of the other colour is in the corner. */
      if (panel.pixels[k] == without.pixels[k] || (k % panel.width > 250 && k / panel.width > 250))
        continue;
      n++;
      fail_unless (ABS (dx) <= 1 && ABS (dy) <= 1, "%u: %d, %d", i, dx, dy);
    }
    fail_unless_equals_int (n, 9);
    for (gint k = 0; k < 9 && i == 0; k++)
      fail_unless_equals_uint64 (get_pixel (&panel, x - 1 + k % 3, y - 1 + k / 3), 0xffffffff);
    gst_buffer_unref (buffer);
  }
  gst_buffer_unref (other);
}

/* How many pixels near a value are white. */
static guint
count_white (const OverlayRectangle * panel, Color value)
{
  guint n = 0;

  for (gint k = 0; k < 49; k++)
    n += get_pixel (panel, x_of (value.u) - 3 + k % 7, y_of (value.v) - 3 + k / 7) == 0xffffffff;
  return n;
}

/* A spot needs a share of the samples: of 1 row of 268 there is none. */
TEST (test_spots)
{
  static const gint rows[] = { 1, 3, 6 };
  const Color grey_color = { 100, 128, 128 }, other = { 100, 60, 60 };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstBuffer *buffer = draw_parts ("show=vectorscope", "", VECTORSCOPE_HEIGHT, grey_color, rows[i], other);
    const OverlayRectangle panel = overlay_get_rectangle (buffer, 0);

    fail_unless_equals_int (count_white (&panel, grey_color), i == 2 ? 9 : 0);
    gst_buffer_unref (buffer);
  }
}

/* The line of the tones of skin is dark enough not to hide a trace, and is not in the middle. */
TEST (test_line_of_skin)
{
  const Color other = { 100, 200, 60 };
  GstBuffer *buffer = draw_parts ("show=vectorscope", "", VECTORSCOPE_HEIGHT, other, 0, other);
  const OverlayRectangle panel = overlay_get_rectangle (buffer, 0);
  /* Beside the line. */
  const guint32 empty = get_pixel (&panel, x_of (128 - 20), y_of (128 + 6));

  for (gint percent = 5; percent < 90; percent += 5) {
    const gdouble radius = percent * 1.12, angle = 123 * G_PI / 180;
    const guint32 pixel = get_pixel (&panel, x_of ((gint) lrint (128 + radius * cos (angle))),
        y_of ((gint) lrint (128 + radius * sin (angle))));

    if (percent < 10) {
      fail_unless_equals_uint64 (pixel, empty);
    } else if (percent > 10) {
      fail_unless ((pixel >> 16 & 255) > (pixel & 255) + 20 && (pixel >> 16 & 255) < 0x90, "%d %%: %08x", percent,
          pixel);
    }
  }
  gst_buffer_unref (buffer);
}

/* The middle of the full range is the same, but its bars are farther away: 75 % red of BT.709 is 107, 224. */
TEST (test_full_range)
{
  static const gboolean red[] = { TRUE, FALSE, FALSE };
  const gint u = (gint) lrint (128 + (109.15 - 128) * 255 / 224), v = (gint) lrint (128 + 84 * 255 / 224.);
  const Color color = { 100, u, v };
  GstBuffer *buffer = draw_parts ("show=vectorscope", ", colorimetry=1:3:5:1", VECTORSCOPE_HEIGHT, color, 0, color);
  const OverlayRectangle panel = overlay_get_rectangle (buffer, 0);

  fail_unless (find_edge (&panel, color, -1, 0, red) > 0);
  fail_unless (find_edge (&panel, color, 0, 1, red) > 0);
  gst_buffer_unref (buffer);
}

/* The larger boxes of HDR are bars of reference white, 203 cd/m²: 58 % of PQ, and 75 % of HLG. Red of BT.2020 with 100 % is
 * 97, 240. */
TEST (test_hdr_bars)
{
  static const gboolean red[] = { TRUE, FALSE, FALSE };
  static const gchar *const rests[] = { ", colorimetry=2:6:14:7", ", colorimetry=2:6:15:7", ", colorimetry=2:6:5:7" };
  static const gdouble shares[] = { 0.5807, 0.75, 0.75 };

  for (guint i = 0; i < G_N_ELEMENTS (rests); i++)
    for (guint k = 0; k < 2; k++) {
      const gdouble share = k == 0 ? shares[i] : shares[i] == 0.75 ? 0.5807 : 0.75;
      const Color color = { 100, (guint8) lrint (128 - 31 * share), (guint8) lrint (128 + 112 * share) };
      GstBuffer *buffer = draw_parts ("show=vectorscope", rests[i], VECTORSCOPE_HEIGHT, color, 0, color);
      const OverlayRectangle panel = overlay_get_rectangle (buffer, 0);

      fail_unless_equals_int (find_edge (&panel, color, -1, 0, red) > 0 && find_edge (&panel, color, 1, 0, red) > 0
          && find_edge (&panel, color, 0, -1, red) > 0 && find_edge (&panel, color, 0, 1, red) > 0, k == 0);
      gst_buffer_unref (buffer);
    }
}

/* In the lower right corner are the name of the matrix and the share of the boxes: another share is another text. Of PQ and
 * HLG the light is there, too. */
TEST (test_share_of_boxes)
{
  static const gchar *const rests[] = { ", colorimetry=2:6:14:7", ", colorimetry=2:6:15:7", ", colorimetry=2:6:5:7" };
  const Color grey_color = { 100, 128, 128 };
  OverlayRectangle panels[3];
  GstBuffer *frames[3];
  guint n[3] = { 0 };

  for (guint i = 0; i < 3; i++) {
    frames[i] = draw_parts ("show=vectorscope", rests[i], VECTORSCOPE_HEIGHT, grey_color, 0, grey_color);
    panels[i] = overlay_get_rectangle (frames[i], 0);
    for (gint y = y_of (16) - 36; y < y_of (16); y++)
      for (gint x = x_of (165); x < x_of (239); x++)
        n[i] += get_pixel (&panels[i], x, y) != get_pixel (&panels[0], x, y);
  }
  fail_unless (n[1] > 10, "%u", n[1]);
  fail_unless (n[2] > n[1] + 100, "%u %u", n[1], n[2]);
  for (guint i = 0; i < 3; i++)
    gst_buffer_unref (frames[i]);
}

/* With the logarithmic scale, the panels say so: at the same place as nothing with the other one. */
TEST (test_name_of_scale)
{
  static const struct
  {
    const gchar *drawing;
    gdouble left, top, width, height;   /* where it is, in heights of the font */
  } cases[] = {
    {"show=waveform", 0, 0, 10, 1.2}, {"show=waveform waveform-mode=parade", 0, 0, 8, 1.2},
    {"show=waveform waveform-mode=overlay", 0, 0, 10, 1.2},
    {"show=vectorscope", 1.2, 1.2, 2, 1}, {"show=histogram components=luma", 0, 0, 4, 1.2},
  };
  const Color value = { 100, 128, 128 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstBuffer *frames[2];
    OverlayRectangle panels[2];
    guint n = 0;

    for (guint k = 0; k < 2; k++) {
      gchar *drawing = g_strdup_printf ("%s scale=%s", cases[i].drawing, k ? "logarithmic" : "linear");

      frames[k] = draw_parts (drawing, "", VECTORSCOPE_HEIGHT, value, 0, value);
      panels[k] = overlay_get_rectangle (frames[k], 0);
      g_free (drawing);
    }
    for (gint y = 0; y < panels[0].height; y++)
      for (gint x = 0; x < panels[0].width; x++) {
        const gdouble font = histo_font_size (panels[0].height);

        if (x < cases[i].left * font || x > (cases[i].left + cases[i].width) * font || y < cases[i].top * font
            || y > (cases[i].top + cases[i].height) * font)
          continue;
        n += (get_pixel (&panels[1], x, y) & 255) > (get_pixel (&panels[0], x, y) & 255) + 40;
      }
    fail_unless (n > 15, "%s: %u", cases[i].drawing, n);
    for (guint k = 0; k < 2; k++)
      gst_buffer_unref (frames[k]);
  }
}

/* Whether these rows and columns have text: light and grey. */
static gboolean
has_grey (const OverlayRectangle * panel, gdouble left, gdouble right, gdouble top, gdouble bottom)
{
  for (gint y = (gint) ceil (top); y <= bottom; y++)
    for (gint x = (gint) ceil (left); x <= right; x++)
      if ((get_pixel (panel, x, y) & 255) > 0x80 && (get_pixel (panel, x, y) >> 16 & 255) > 0x80)
        return TRUE;
  return FALSE;
}

/* In low panels the name of the matrix is shorter or not there: it is apart from the boxes of cyan and from its name. */
TEST (test_name_of_matrix)
{
  static const struct
  {
    const gchar *colorimetry;
    guint8 cyan[2][2];          /* of 75 % and 100 % */
  } cases[] = {
    {", colorimetry=bt601", {{156, 44}, {166, 16}}}, {", colorimetry=bt709", {{147, 44}, {154, 16}}},
    {", colorimetry=bt2020", {{151, 44}, {159, 16}}}, {", colorimetry=2:6:15:7", {{151, 44}, {159, 16}}},
  };
  const Color value = { 100, 100, 150 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (gint height = 100; height < 340; height += 6) {
      GstBuffer *buffer = draw_parts ("show=vectorscope", cases[i].colorimetry, height, value, 0, value);
      const OverlayRectangle panel = overlay_get_rectangle (buffer, 0);
      const gint font = histo_font_size (height), pad = MAX (height / 40, 2);
      const gdouble unit = (height - 2 * pad) / 256.;
      gdouble x, y, length;

      for (guint k = 0; k < 2; k++) {
        const gdouble half = (k == 0 ? 6 : 3.5) * unit + 1;

        x = pad + (cases[i].cyan[k][0] + 0.5) * unit;
        y = pad + (255.5 - cases[i].cyan[k][1]) * unit;
        fail_if (has_grey (&panel, x - half, x + half, y - half, MIN (y + half, height - 1)), "%s, %d: box %u",
            cases[i].colorimetry, height, k);
      }
      /* The name is nearer to the middle. */
      x = (cases[i].cyan[0][0] - 128) * unit;
      y = (128 - cases[i].cyan[0][1]) * unit;
      length = hypot (x, y);
      x = height / 2. + x * (1 - 1.1 * font / length) + 0.65 * font;
      y = height / 2. + y * (1 - 1.1 * font / length);
      fail_if (has_grey (&panel, x + 1, x + font / 5., y - font / 3., y + font / 3.), "%s, %d: name",
          cases[i].colorimetry, height);
      gst_buffer_unref (buffer);
    }
}

/* ---- What is not there ----------------------------------------------------------------------- */

#define HD "width=1280, height=720"
#define SD "width=720, height=576"

/* Returns: how many panels there are */
static guint
count_panels (const gchar * measuring, const gchar * drawing, const gchar * format, const gchar * size)
{
  gchar *caps = g_strdup_printf ("format=%s, %s, framerate=25/1", format, size);
  GstBuffer *buffer = overlay_draw (measuring, drawing, caps, 100);
  const guint n = overlay_count (buffer);

  gst_buffer_unref (buffer);
  g_free (caps);
  return n;
}

/* A panel that was chosen says what it lacks; with all flags, what is not measured is not shown. */
TEST (test_missing)
{
  static const gchar *const drawings[] = {
    "show=waveform", "show=vectorscope", "show=waveform waveform-mode=parade"
  };

  for (guint i = 0; i < G_N_ELEMENTS (drawings); i++) {
    fail_unless_equals_int (count_panels ("", drawings[i], "I420", HD), 1);
    fail_unless_equals_int (count_panels ("measures=scopes histogram=false", drawings[i], "I420", HD), 1);
    fail_unless_equals_int (count_panels ("measures=scopes", drawings[i], "GRAY8", HD), 1);
  }
  fail_unless_equals_int (count_panels ("", "", "I420", HD), 2);
  fail_unless_equals_int (count_panels ("measures=scopes", "", "I420", HD), 4);
  fail_unless_equals_int (count_panels ("measures=scopes", "", "GRAY8", HD), 3);
}

/* In a picture of 720 × 576, panels of the default flags are left out until the others are legible: the levels, then the
 * histogram. Chosen panels are not, and nothing replaces them without the waveform. */
TEST (test_left_out)
{
  static const gchar chosen[] = "show=waveform+vectorscope+histogram+levels";
  GstBuffer *buffer;
  OverlayRectangle panel;

  fail_unless_equals_int (count_panels ("measures=scopes", "", "I420", SD), 3);
  fail_unless_equals_int (count_panels ("measures=scopes", "size=0.3", "I420", SD), 3);
  fail_unless_equals_int (count_panels ("measures=scopes", "margin=0.1", "I420", "width=600, height=576"), 2);
  fail_unless_equals_int (count_panels ("measures=scopes", chosen, "I420", SD), 4);
  fail_unless_equals_int (count_panels ("measures=scopes", "waveform-mode=parade", "I420", SD), 3);
  fail_unless_equals_int (count_panels ("", "", "I420", "width=300, height=576"), 2);
  buffer = overlay_draw ("measures=scopes", "", "format=I420, " SD ", framerate=25/1", 100);
  panel = overlay_get_rectangle (buffer, 0);
  fail_unless (panel.height >= 120, "%d", panel.height);
  gst_buffer_unref (buffer);
}

/* The words of the notes. Of gray, no measuring helps. */
TEST (test_words_of_notes)
{
  static const struct
  {
    const gchar *format, *measures, *waveform, *parade, *vectorscope;
  } cases[] = {
    {"I420", "basic", "needs measures=scopes", "needs measures=scopes+color", "needs measures=scopes"},
    {"I420", "scopes", "", "needs measures=scopes+color", ""},
    {"GRAY8", "scopes", "", "gray: no R, G, B", "gray: no chroma"},
    {"RGB", "basic", "needs measures=scopes", "needs measures=scopes", "needs measures=scopes"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *measuring = g_strconcat ("measures=", cases[i].measures, NULL);
    gchar *caps = g_strdup_printf ("format=%s, width=64, height=48, framerate=25/1", cases[i].format);
    GstBuffer *buffer = overlay_draw (measuring, "", caps, 100);
    HistoResult result = { 0 };
    HistoScopeNote note;

    fail_unless (histo_read_result (gst_custom_meta_get_structure (gst_buffer_get_custom_meta (buffer, "cudahisto")),
            &result, NULL));
    histo_scope_note (&result, HISTO_JOINT_WAVEFORM, note);
    fail_unless_equals_string (note, cases[i].waveform);
    histo_scope_note (&result, HISTO_JOINT_WAVEFORM_R, note);
    fail_unless_equals_string (note, cases[i].parade);
    histo_scope_note (&result, HISTO_JOINT_VECTORSCOPE, note);
    fail_unless_equals_string (note, cases[i].vectorscope);
    histo_result_clear (&result);
    gst_buffer_unref (buffer);
    g_free (measuring);
    g_free (caps);
  }
}

/* What the note says is another picture for each cause. */
TEST (test_notes)
{
  static const struct
  {
    const gchar *measuring, *drawing, *format;
  } cases[] = {
    {"", "show=waveform", "I420"},      /* needs measures=scopes */
    {"measures=scopes", "show=waveform waveform-mode=parade", "I420"},  /* + color */
    {"measures=scopes histogram=false", "show=waveform", "I420"},
    {"measures=scopes", "show=waveform waveform-mode=overlay", "GRAY8"},
  };
  OverlayRectangle panels[G_N_ELEMENTS (cases)];
  GstBuffer *frames[G_N_ELEMENTS (cases)];

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *caps = g_strdup_printf ("format=%s, width=640, height=480, framerate=25/1", cases[i].format);
    guint n_light = 0;

    frames[i] = overlay_draw (cases[i].measuring, cases[i].drawing, caps, 100);
    panels[i] = overlay_get_rectangle (frames[i], 0);
    for (gint k = 0; k < panels[i].width * panels[i].height; k++)
      n_light += (panels[i].pixels[k] & 255) > 0x80;
    fail_unless (n_light > 100 && n_light < 2000, "%u", n_light);
    for (guint k = 0; k < i; k++)
      if (panels[k].width == panels[i].width)
        fail_unless (overlay_count_differences (&panels[k], &panels[i]) > 100, "%u %u", k, i);
    g_free (caps);
  }
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    gst_buffer_unref (frames[i]);
}

/* The old name of the vectorscope is still a flag. The new one is printed. */
TEST (test_old_name)
{
  GstElement *overlay = gst_element_factory_make ("cudahistooverlay", NULL);
  GFlagsClass *class = G_PARAM_SPEC_FLAGS (g_object_class_find_property (G_OBJECT_GET_CLASS (overlay),
          "show"))->flags_class;
  guint values[2];

  gst_util_set_object_arg (G_OBJECT (overlay), "show", "vectorscope");
  g_object_get (overlay, "show", &values[0], NULL);
  gst_util_set_object_arg (G_OBJECT (overlay), "show", "vectors");
  g_object_get (overlay, "show", &values[1], NULL);
  fail_unless (values[0] == values[1] && values[0] != 0);
  fail_unless_equals_string (g_flags_get_first_value (class, values[1])->value_nick, "vectorscope");
  /* gst-inspect-1.0 prints the last name of a flag. */
  for (guint i = 0; i < class->n_values; i++)
    for (guint k = 0; k < i; k++)
      fail_unless ((class->values[i].value & class->values[k].value) == 0, "%s is %s", class->values[i].value_nick,
          class->values[k].value_nick);
  gst_object_unref (overlay);
}

TEST_MAIN (60)
