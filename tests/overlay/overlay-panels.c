/* What the panels draw: pixels at their places, and only if something has changed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay.h"

#include "cudahisto/depth.h"
#include "cudahisto/read.h"
#include "overlay/checks.h"
#include "overlay/panel.h"
#include "overlay/plots.h"

#include <math.h>

#define GRAY(width, height) \
  "format=GRAY8, width=" #width ", height=" #height ", framerate=25/1"

/* ---- Histogram --------------------------------------------------------------------- */

/* A grey frame whose first @n bytes have a value, and the others another one. */
static GstBuffer *
make_halves (gsize size, gsize n, guint8 first, guint8 second)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (buffer, 0, first, n);
  gst_buffer_memset (buffer, n, second, size - n);
  return buffer;
}

/* Whether a pixel is white, and whether the height of the column of a value is right. */
static gint
find_height (const OverlayRectangle * panel, HistoBox box, gint x)
{
  gint height = 0;

  while (height < box.height && (panel->pixels[(box.y + box.height - 1
                  - height) * panel->width + box.x + x] & 0xff) > 0xb0)
    height++;
  return height;
}

/* Column of the bin of a value, as the panel's comment defines it. */
static gint
find_column (HistoBox box, gint value, gint n_bins)
{
  for (gint c = 0; c < box.width; c++) {
    const gint first = c * n_bins / box.width;
    const gint end = MAX ((c + 1) * n_bins / box.width, first + 1);

    if (value >= first && value < end)
      return c;
  }
  fail ("no column");
  return 0;
}

/* How many bins the column shows the mean of. */
static gint
count_bins (HistoBox box, gint column, gint n_bins)
{
  return MAX ((column + 1) * n_bins / box.width
      - column * n_bins / box.width, 1);
}

/* @value: of a quarter of the pixels; the others have 40
 * @n_bins: of the column of this value. That of 40 has one */
static void
check_histogram (const gchar * properties, const gchar * caps, gsize size,
    gboolean is_logarithmic, guint8 value, gint n_bins)
{
  GstHarness *harness = overlay_harness_new ("", properties, caps, TRUE);
  GstBuffer *buffer = overlay_push (harness, 0, make_halves (size,
          size * 3 / 4, 40, value));
  const gdouble most = size * 3 / 4, fewer = size / 4 / (gdouble) n_bins;
  OverlayRectangle panel;
  gint n_drawn = 0;
  HistoBox box;

  fail_unless_equals_int (overlay_count (buffer), 1);
  panel = overlay_get_rectangle (buffer, 0);
  box = histo_histogram_box ((HistoSize) { panel.width, panel.height }, 0, 1);
  fail_unless_equals_int (find_height (&panel, box,
          find_column (box, 40, 256)), box.height);
  fail_unless_equals_int (count_bins (box, find_column (box, 40, 256), 256), 1);
  fail_unless_equals_int (count_bins (box, find_column (box, value, 256), 256),
      n_bins);
  fail_unless_equals_int (find_height (&panel, box,
          find_column (box, value, 256)), (gint) (box.height * (is_logarithmic ?
              log1p (fewer) / log1p (most) : fewer / most) + 0.5));
  for (gint x = 0; x < box.width; x++)
    n_drawn += find_height (&panel, box, x) > 0;
  /* If columns are narrower than bins, a bin has several. */
  fail_unless (n_drawn >= 2 && n_drawn <= 2 * (1 + box.width / 256 + 1), "%d",
      n_drawn);
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
}

TEST (test_histogram)
{
  check_histogram ("show=histogram size=0.5", GRAY (640, 480), 640 * 480,
      FALSE, 200, 1);
  check_histogram ("show=histogram size=1 margin=0", GRAY (640, 480), 640 * 480,
      FALSE, 200, 1);
  check_histogram ("show=histogram size=0.9 scale=logarithmic",
      GRAY (640, 480), 640 * 480, TRUE, 200, 1);
  /* Less than 256 columns: a column shows the mean of its bins. */
  for (guint8 value = 202; value < 204; value++) {
    check_histogram ("show=histogram size=0.25", GRAY (640, 480), 640 * 480,
        FALSE, value, 2);
    check_histogram ("show=histogram size=0.25 scale=logarithmic",
        GRAY (640, 480), 640 * 480, TRUE, value, 2);
  }
}

/* The columns of a frame whose values below @end are equally frequent. */
static void
check_flat (const gchar * edges, guint begin, guint end, guint plot_begin, guint plot_end)
{
  static const gchar *const scales[] = { "linear", "logarithmic" };
  g_autofree gchar *measuring = g_strconcat ("bin-edges=", edges, NULL);

  for (guint s = 0; s < G_N_ELEMENTS (scales); s++) {
    g_autofree gchar *properties = g_strconcat ("show=histogram size=0.9 scale=", scales[s], NULL);
    GstHarness *harness = overlay_harness_new (measuring, properties, GRAY (640, 480), TRUE);
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 640 * 480, NULL);
    OverlayRectangle panel;
    GstMapInfo map;
    HistoBox box;

    gst_buffer_map (buffer, &map, GST_MAP_WRITE);
    for (gsize i = 0; i < map.size; i++)
      map.data[i] = begin + i % (end - begin);
    gst_buffer_unmap (buffer, &map);
    buffer = overlay_push (harness, 0, buffer);
    panel = overlay_get_rectangle (buffer, 0);
    box = histo_histogram_box ((HistoSize) { panel.width, panel.height }, 0, 1);
    for (gint x = 0; x < box.width; x++) {
      const gdouble value = plot_begin + (x + 0.5) * (plot_end - plot_begin) / box.width;
      /* A column may have the end of one bin and the begin of the next one. */
      const gboolean is_at_end = fabs (value - begin) < 1 || fabs (value - end) < 1;

      if (!is_at_end)
        fail_unless_equals_int (find_height (&panel, box, x), value > begin && value < end ? box.height : 0);
    }
    gst_buffer_unref (buffer);
    gst_harness_teardown (harness);
  }
}

/* Bins of any widths are drawn as wide as they are, and no higher for their width. */
TEST (test_unequal_bins)
{
  check_flat ("0,1,3,10,64,200,255,256", 0, 256, 0, 256);
  check_flat ("0,100,156,180,1e300", 0, 100, 0, 256);
  check_flat ("-1e9,20,21,50,60,128", 20, 60, 0, 128);
  check_flat ("64,65,100,200", 65, 100, 64, 200);
  /* Nothing can be in these. */
  check_flat ("300,400,500", 0, 256, 256, 256);
}

/* A frame of which 1 - @share of the pixels are 16, and the others 40 to 40 + @n - 1, alike. */
static GstBuffer *
make_spike (gdouble share, guint n)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 640 * 480, NULL);
  const guint n_others = (guint) (640 * 480 * share);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint i = 0; i < map.size; i++)
    map.data[i] = i < n_others ? 40 + i % n : 16;
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* How many pixels of the plot's highest row are those of caps over columns that are off scale. They have the colour of
 * text. */
static guint
count_caps (const OverlayRectangle * panel, HistoBox box)
{
  guint n = 0;

  for (gint x = box.x; x < box.x + box.width; x++)
    n += panel->pixels[box.y * panel->width + x] == 0xffeceff4;
  return n;
}

/* Draws the histogram of such a frame.
 * Returns: the height of the column of 41, as a share of the plot; @n_caps: (out): pixels of caps */
static gdouble
draw_spike (const gchar * properties, gdouble share, guint n, guint * n_caps)
{
  GstHarness *harness = overlay_harness_new ("", properties, GRAY (640, 480), TRUE);
  GstBuffer *buffer = overlay_push (harness, 0, make_spike (share, n));
  const OverlayRectangle panel = overlay_get_rectangle (buffer, 0);
  const HistoBox box = histo_histogram_box ((HistoSize) { panel.width, panel.height }, 0, 1);
  const gdouble height = find_height (&panel, box, find_column (box, 41, 256)) / (gdouble) box.height;

  *n_caps = count_caps (&panel, box);
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
  return height;
}

/* One value of most pixels is off scale, and has a cap: the others reach two thirds of the height. With the logarithmic
 * scale, and if the others are hardly there, nothing is off scale. */
TEST (test_off_scale)
{
  static const gchar *const shows[] = { "show=histogram size=0.9", "show=histogram size=0.4" };
  gdouble before = 0;
  guint n_caps;

  for (guint i = 0; i < G_N_ELEMENTS (shows); i++) {
    gdouble height = draw_spike (shows[i], 0.4, 64, &n_caps);

    fail_unless (fabs (height - 2 / 3.) < 0.03, "%f", height);
    fail_unless (n_caps >= 6, "%u", n_caps);
    height = draw_spike (shows[i], 0.008, 64, &n_caps);
    fail_unless (height < 0.01 && n_caps == 0, "%f %u", height, n_caps);
    height = draw_spike (shows[i], 0.99, 64, &n_caps);
    fail_unless (height > 0.9 && n_caps == 0, "%f %u", height, n_caps);
  }
  draw_spike ("show=histogram size=0.9 scale=logarithmic", 0.4, 64, &n_caps);
  fail_unless_equals_int (n_caps, 0);
  /* Three values of a graphic are no spikes, and of eight four are not enough. */
  draw_spike (shows[0], 0.4, 2, &n_caps);
  fail_unless_equals_int (n_caps, 0);
  /* The scale does not jump. */
  for (gdouble share = 0; share < 0.1; share += 0.002) {
    const gdouble height = draw_spike (shows[0], share, 20, &n_caps);

    fail_unless (height >= before - 0.01 && height < before * 1.35 + 0.02, "%f: %f, %f", share, before, height);
    before = height;
  }
  fail_unless (before > 0.6);
}

/* The light of a cap over a column that is @ratio times as high as the top of the scale, 0 to 255. */
static gint
find_cap (gdouble ratio)
{
  /* Of 64 values with this share of the pixels, each has 1/64; the top is 1.5 times as high. */
  const gdouble share = 64 / (64 + 1.5 * ratio);
  GstHarness *harness = overlay_harness_new ("", "show=histogram size=0.9", GRAY (640, 480), TRUE);
  GstBuffer *buffer = overlay_push (harness, 0, make_spike (share, 64));
  const OverlayRectangle panel = overlay_get_rectangle (buffer, 0);
  const HistoBox box = histo_histogram_box ((HistoSize) { panel.width, panel.height }, 0, 1);
  /* The cap is wider than the column. */
  const gint light = panel.pixels[box.y * panel.width + box.x + find_column (box, 16, 256) - 2] & 255;

  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
  return light;
}

/* A column that is a little higher than the top has a faint cap, so that film does not make caps flicker. */
TEST (test_faint_caps)
{
  const gint none = find_cap (0.9), all = find_cap (2.1);
  gint before = none;

  fail_unless (all == 0xf4 && none < 0x40, "%d %d", none, all);
  fail_unless_equals_int (find_cap (3), all);
  for (gdouble ratio = 0.95; ratio < 2.1; ratio += 0.1) {
    const gint light = find_cap (ratio);

    fail_unless (light >= before && light <= before + (all - none) / 8, "%f: %d, %d", ratio, before, light);
    before = light;
  }
}

/* The column of the greatest value is two pixels wide, too, if it has a colour; so are columns of the levels. */
TEST (test_wide_colours)
{
  static const gchar *const drawings[] = { "show=histogram size=0.3", "show=levels size=0.3" };

  for (guint i = 0; i < G_N_ELEMENTS (drawings); i++) {
    GstBuffer *buffer = overlay_draw ("", drawings[i], "format=RGB, width=1280, height=480, framerate=25/1", 255);
    const OverlayRectangle panel = overlay_get_rectangle (buffer, 0);
    const HistoSize size = { panel.width, panel.height };

    for (guint plot = 0; plot < 3; plot++) {
      const HistoBox box = i == 0 ? histo_histogram_box (size, plot, 3) : histo_plot_box (size, plot, 3);
      const gint shift = 16 - 8 * plot, y = i == 0 ? box.y + box.height / 2 + 2 : box.y;

      for (gint x = 1; x <= 3; x++)
        fail_unless_equals_int ((panel.pixels[y * panel.width + box.x + box.width - x] >> shift & 255) > 0x80, x < 3);
    }
    gst_buffer_unref (buffer);
  }
}

/* Where the panel has marks at the ends of the limited range: there it differs from that of the full range.
 * @format: of the caps, with the colorimetry behind its range
 * @plot: of @n_plots
 * @places: (out): two columns of the histogram's plot, or rows of the levels' from below
 * Returns: how many columns or rows differ */
static guint
find_marks_of (const gchar * format, const gchar * colorimetry, const gchar * show, const gchar * measuring, guint plot,
    guint n_plots, gint places[2], HistoBox * box)
{
  gchar *properties = g_strdup_printf ("show=%s size=0.9", show);
  const gboolean is_histogram = g_str_has_prefix (show, "histogram");
  OverlayRectangle panels[2];
  GstBuffer *frames[2];
  gboolean differs[640] = { FALSE };
  guint n = 0;

  for (guint i = 0; i < 2; i++) {
    gchar *caps = g_strdup_printf ("format=%s, width=640, height=480, framerate=25/1, colorimetry=%u:%s", format, 2 - i,
        colorimetry);

    frames[i] = overlay_draw (measuring, properties, caps, 100);
    panels[i] = overlay_get_rectangle (frames[i], 0);
    g_free (caps);
  }
  *box = (is_histogram ? histo_histogram_box :
      histo_plot_box) ((HistoSize) { panels[0].width, panels[0].height }, plot, n_plots);
  for (gint i = 0; i < panels[0].width * panels[0].height; i++) {
    const gint x = i % panels[0].width - box->x;
    const gint y = box->y + box->height - 1 - i / panels[0].width;

    /* The scale beside the plot differs, too. */
    if (x >= 0 && x < box->width && y >= 0 && y < box->height
        && panels[0].pixels[i] != panels[1].pixels[i])
      differs[is_histogram ? x : y] = TRUE;
  }
  for (gint i = 0; i < 640; i++) {
    if (differs[i] && n++ < 2)
      places[n - 1] = i;
  }
  for (guint i = 0; i < 2; i++)
    gst_buffer_unref (frames[i]);
  g_free (properties);
  return n;
}

static guint
find_marks (const gchar * show, const gchar * measuring, gint places[2], HistoBox * box)
{
  return find_marks_of ("GRAY8", "4:7:1", show, measuring, 0, 1, places, box);
}

/* The marks are before the bin of the blackest value, and after that of the whitest; lines of the levels
 * are at these values. */
TEST (test_marks)
{
  gint places[2];
  HistoBox box;

  fail_unless_equals_int (find_marks ("histogram", "", places, &box), 2);
  fail_unless_equals_int (places[0], 16 * box.width / 256);
  fail_unless_equals_int (places[1], 236 * box.width / 256);
  fail_unless_equals_int (find_marks ("histogram", "bins=64 range-min=0 "
          "range-max=128", places, &box), 1);
  fail_unless_equals_int (places[0], 16 * box.width / 128);
  fail_unless_equals_int (find_marks ("histogram", "bin-edges=0,4,100,128", places, &box), 1);
  fail_unless_equals_int (places[0], 16 * box.width / 128);
  /* The plot ends where the values do. */
  fail_unless_equals_int (find_marks ("histogram", "bin-edges=-1e9,4,200,1e300", places, &box), 2);
  fail_unless_equals_int (places[1], 236 * box.width / 256);
  fail_unless_equals_int (find_marks ("levels", "", places, &box), 2);
  fail_unless_equals_int (places[0], (gint) (16 / 255. * (box.height - 1) + 0.5));
  fail_unless_equals_int (places[1], (gint) (235 / 255. * (box.height - 1)
          + 0.5));
}

/* R, G and B of RGB video may have the limited range, too, and that of chroma ends at 240. */
TEST (test_marks_of_colours)
{
  static const struct
  {
    const gchar *format, *colorimetry;
    gint whitest[3];
  } rows[] = {
    {"RGB", "1:7:1", {235, 235, 235}},
    {"Y444", "4:7:1", {235, 240, 240}},
  };
  gint places[2];
  HistoBox box;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint plot = 0; plot < 3; plot++) {
      fail_unless_equals_int (find_marks_of (rows[i].format, rows[i].colorimetry, "histogram components=parade", "", plot,
              3, places, &box), 2);
      fail_unless_equals_int (places[0], 16 * box.width / 256);
      fail_unless_equals_int (places[1], (rows[i].whitest[plot] + 1) * box.width / 256);
      fail_unless (find_marks_of (rows[i].format, rows[i].colorimetry, "levels components=parade", "", plot, 3, places,
              &box) >= 2);
      fail_unless_equals_int (places[0], (gint) (16 / 255. * (box.height - 1) + 0.5));
    }
}

static gboolean
has_marks (const gchar * measuring)
{
  gint places[2];
  HistoBox box;

  return find_marks ("histogram", measuring, places, &box) > 0;
}

/* If the bins do not have the ends of the limited range, these are not marked. */
TEST (test_marks_outside)
{
  fail_unless (has_marks (""));
  fail_if (has_marks ("bins=216 range-min=18 range-max=234"));
  fail_if (has_marks ("bins=10 range-min=16 range-max=236"));
}

/* R, G and B have a plot each. */
TEST (test_parade)
{
  GstHarness *harness = overlay_harness_new ("", "show=histogram size=0.9",
      "format=RGB, width=1280, height=480, framerate=25/1", TRUE);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 1280 * 480 * 3, NULL);
  OverlayRectangle panel;
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = 60 * (1 + i % 3);
  gst_buffer_unmap (buffer, &map);
  buffer = overlay_push (harness, 0, buffer);
  fail_unless_equals_int (overlay_count (buffer), 1);
  panel = overlay_get_rectangle (buffer, 0);
  for (gint plot = 0; plot < 3; plot++) {
    const HistoBox box = histo_histogram_box ((HistoSize) { panel.width,
          panel.height}, plot, 3);
    const gint shift = 16 - 8 * plot;
    const gint column = find_column (box, 60 * (1 + plot), 256);

    for (gint x = 0; x < box.width; x++) {
      const guint32 pixel = panel.pixels[(box.y + box.height / 2 + 5)
          * panel.width + box.x + x];

      /* Two pixels, for the chroma of 4:2:0. */
      fail_unless_equals_int ((pixel >> shift & 255) > 0xa0,
          x == column || x == column + 1);
    }
  }
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
}

/* Fills the components' members that the choice depends on. @names: after a colon, a component
 * of the group `color` */
static void
fill_components (HistoResult * result, const gchar * format, gchar ** names)
{
  histo_result_set_n_components (result, g_strv_length (names));
  result->format = format;
  result->n_region_components = result->n_components;
  for (guint i = 0; i < result->n_components; i++) {
    HistoComponentResult *component = &result->components[i];
    const gboolean is_map = names[i][0] == ':';

    component->name = g_intern_string (names[i] + is_map);
    component->group = is_map ? HISTO_GROUP_COLOR : HISTO_GROUP_BASIC;
    component->source = is_map ? HISTO_SOURCE_LUMA : HISTO_SOURCE_SAMPLE;
    component->native = i;
    component->depth = is_map ? 0 : histo_format_depth (format, -1);
    /* That of the format's own is a setting. */
    component->figures.range_max = component->depth > 0 ? 700 : 1024;
  }
}

/* Above the plots of R, G and B, no text touches the name of the next one; nor below. */
TEST (test_texts_apart)
{
  static const gchar *const shows[] = { "histogram", "levels" };
  static const gdouble sizes[] = { 0.12, 0.2, 0.25, 0.4 };

  /* R, G and B that are computed, of full range, and of limited range; Y, U and V. */
  static const struct
  {
    const gchar *measuring, *format;
  } videos[] = {
    {"measures=color", "I420"},
    {"", "RGB, colorimetry=1:1:7:1"},
    {"", "RGB, colorimetry=2:1:7:1"},
    {"", "I420, colorimetry=2:3:5:1"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (shows); i++)
    for (guint k = 0; k < G_N_ELEMENTS (sizes) * G_N_ELEMENTS (videos); k++) {
      gchar *drawing = g_strdup_printf ("show=%s size=%g components=parade", shows[i], sizes[k % G_N_ELEMENTS (sizes)]);
      gchar *caps = g_strdup_printf ("format=%s, width=1920, height=1080, framerate=25/1",
          videos[k / G_N_ELEMENTS (sizes)].format);
      GstBuffer *buffer = overlay_draw (videos[k / G_N_ELEMENTS (sizes)].measuring, drawing, caps, 200);
      const OverlayRectangle panel = overlay_get_rectangle (buffer, 0);
      const HistoSize size = { panel.width, panel.height };
      const gint font = histo_font_size (panel.height);

      for (guint plot = 1; plot < 3; plot++) {
        const HistoBox box = i == 0 ? histo_histogram_box (size, plot, 3) : histo_plot_box (size, plot, 3);

        for (gint y = 0; y < panel.height; y++) {
          if (y >= box.y - 1 && y < box.y + box.height)
            continue;
          for (gint x = box.x - 2 * font / 3; x < box.x - 1; x++)
            fail_unless ((panel.pixels[y * panel.width + x] & 255) < 0x60, "%s, %s at %d, %d", caps, drawing, x, y);
        }
      }
      gst_buffer_unref (buffer);
      g_free (caps);
      g_free (drawing);
    }
}

/* Columns of the text above plot @plot of three, right of its label, from which it must be apart. */
static gint
find_header_width (const OverlayRectangle * panel, guint plot, const gchar * label)
{
  const HistoSize size = { panel->width, panel->height };
  const HistoBox box = histo_plot_box (size, plot, 3);
  HistoOverlaySettings settings;
  gint last = -1, first = -1;

  histo_overlay_settings_init (&settings);
  settings.style.pixel_aspect = 1;
  for (gint x = (gint) histo_header_right (size, plot, 3) - 1;
      x > box.x + histo_text_width (&settings.style, histo_font_size (size.height), label); x--)
    for (gint y = 0; y < box.y - 1; y++)
      if ((panel->pixels[y * panel->width + x] & 255) > 0x80) {
        last = MAX (last, x);
        first = x;
        break;
      }
  fail_unless (first < 0 || first >= box.x + histo_text_width (&settings.style, histo_font_size (size.height), label)
      + histo_font_size (size.height) / 3);
  return first < 0 ? 0 : last - first + 1;
}

/* Above the plots of R, G and B are the means, or the ranges: all three or none. Means have their sign, which takes room
 * beside the digits. */
TEST (test_headers_alike)
{
  static const gchar *const shows[] = { "histogram", "levels" };
  static const gchar *const labels[] = { "R full", "G full", "B full" };

  for (guint i = 0; i < G_N_ELEMENTS (shows); i++)
    for (gint percent = 9; percent < 45; percent++) {
      gchar *drawing = g_strdup_printf ("show=%s size=%g", shows[i], percent / 100.);
      GstBuffer *buffer = overlay_draw ("measures=color", drawing,
          "format=I420_10LE, width=1280, height=720, framerate=25/1", 2);
      const OverlayRectangle panel = overlay_get_rectangle (buffer, 0);
      gboolean has_text[3];

      for (guint plot = 0; plot < 3; plot++) {
        const gint width = find_header_width (&panel, plot, labels[plot]);

        has_text[plot] = width > 0;
        /* "ø525", not "525" */
        fail_unless (i == 1 || !has_text[plot] || width > 2.1 * histo_font_size (panel.height), "%s: %d", drawing,
            width);
      }
      fail_unless (has_text[0] == has_text[1] && has_text[1] == has_text[2], "%s: %d %d %d", drawing, has_text[0],
          has_text[1], has_text[2]);
      gst_buffer_unref (buffer);
      g_free (drawing);
    }
}

/* Which components have plots, in each mode; a plot's end is the number of its values. */
TEST (test_choice_of_plots)
{
  static const struct
  {
    const gchar *format, *components;
    const gchar *plots[3];      /* by HistoPlotMode */
    gdouble end, white;         /* of the first plot of HISTO_PLOT_PARADE */
  } cases[] = {
    {"I420", "Y U V", {"Y", "Y", "Y U V"}, 256, 235},
    {"I420_10LE", "Y U V", {"Y", "Y", "Y U V"}, 1024, 940},
    {"GRAY8", "Y", {"Y", "Y", "Y"}, 256, 235},
    {"A420", "Y U V A", {"Y", "Y", "Y U V"}, 256, 235},
    {"I420", "Y U V :R :G :B", {"R G B", "Y", "R G B"}, 1024, 0},
    {"RGB", "R G B", {"R G B", "R G B", "R G B"}, 256, 0},
    {"rggb10le", "R Gr Gb B", {"R Gr B", "R Gr B", "R Gr B"}, 1024, 0},
    {"RGB", "R G B :luma", {"R G B", "luma", "R G B"}, 256, 0},
    /* No luma and no red: the format's own, but not alpha. */
    {"ARGB64", "A G B", {"G B", "G B", "G B"}, 65536, 0},
    {"ARGB64", "A :x G :y B", {"G B", "G B", "G B"}, 65536, 0},
    {"RGB", "", {"", "", ""}, 0, 0},
    /* Not a format of video. */
    {"S16LE", "Y", {"Y", "Y", "Y"}, 1024, 940},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar **names = g_strsplit (cases[i].components, " ", -1);
    HistoResult result = { 0, };

    fill_components (&result, cases[i].format, names);
    for (HistoPlotMode mode = HISTO_PLOT_AUTO; mode <= HISTO_PLOT_PARADE;
        mode++) {
      HistoPlot plots[HISTO_MOST_PLOTS];
      const guint n = histo_plots_choose (&result, mode, 0xffffffff, plots);
      GString *chosen = g_string_new (NULL);

      for (guint k = 0; k < n; k++) {
        fail_unless (plots[k].component != NULL && plots[k].color != 0);
        /* What is computed has full range, and tells it. */
        fail_unless_equals_int (g_str_has_suffix (plots[k].label, " full"),
            plots[k].component->source != HISTO_SOURCE_SAMPLE);
        g_string_append_printf (chosen, "%s%s", k > 0 ? " " : "",
            plots[k].component->name);
      }
      fail_unless_equals_string (chosen->str, cases[i].plots[mode]);
      if (n > 0 && mode == HISTO_PLOT_PARADE) {
        fail_unless_equals_float (plots[0].end, cases[i].end);
        fail_unless_equals_float (plots[0].white, cases[i].white);
      }
      g_string_free (chosen, TRUE);
    }
    histo_result_clear (&result);
    g_strfreev (names);
  }
}

/* ---- Levels ------------------------------------------------------------------------ */

/* The median of each frame is a bright pixel in its column; the latest frame is at the right. */
TEST (test_levels)
{
  GstHarness *harness = overlay_harness_new ("", "show=levels size=0.5",
      GRAY (640, 240), TRUE);
  static const guint8 values[] = { 0, 50, 100, 200, 255 };

  for (guint n = 0; n < G_N_ELEMENTS (values); n++) {
    GstBuffer *buffer = overlay_push_value (harness, n, values[n]);
    OverlayRectangle panel;
    HistoBox box;

    panel = overlay_get_rectangle (buffer, 0);
    box = histo_plot_box ((HistoSize) { panel.width, panel.height }, 0, 1);
    for (guint age = 0; age <= n; age++) {
      const gint y = (gint) (values[n - age] / 255.0 * (box.height - 1) + 0.5);

      /* Two pixels high, for the chroma of 4:2:0. */
      for (gint row = MAX (y, 1) - 1; row <= MAX (y, 1); row++) {
        const guint32 pixel = panel.pixels[(box.y + box.height - 1 - row)
            * panel.width + box.x + box.width - 1 - (gint) age];

        fail_unless ((pixel & 255) > 0xe0, "frame %u, age %u: %08x", n, age,
            pixel);
      }
    }
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (harness);
}

/* The levels of other components begin anew: with the frame, or with the result that is held if the frame was
 * not measured. */
static void
check_other_components (const gchar * measuring, gboolean is_measured)
{
  static const gchar *const drawing[] = { "show=levels components=luma",
    "show=levels components=auto"
  };
  OverlayRectangle panels[2];
  GstBuffer *frames[2];

  for (guint i = 0; i < 2; i++) {
    GstHarness *harness = overlay_harness_new (measuring, drawing[i],
        "format=I420, width=640, height=240, framerate=25/1", TRUE);
    GstElement *overlay = overlay_of (harness);

    for (guint n = 0; n < (i == 0 ? 5 : is_measured ? 0 : 1); n++)
      gst_buffer_unref (overlay_push_value (harness, n, 30 * n + 10));
    gst_util_set_object_arg (G_OBJECT (overlay), "components", "auto");
    frames[i] = overlay_push_value (harness, 5, 100);
    panels[i] = overlay_get_rectangle (frames[i], 0);
    gst_object_unref (overlay);
    gst_harness_teardown (harness);
  }
  fail_unless_equals_int (panels[0].width, panels[1].width);
  fail_unless_equals_int (overlay_count_differences (&panels[0], &panels[1]),
      0);
  for (guint i = 0; i < 2; i++)
    gst_buffer_unref (frames[i]);
}

TEST (test_levels_of_other_components)
{
  check_other_components ("measures=color", TRUE);
  check_other_components ("measures=color every=6", FALSE);
}

/* Between the median and the extremes the columns are lighter the nearer to the median: from the minimum,
 * 1 %, 10 %, 90 % and 99 % to the maximum. */
TEST (test_bands)
{
  /* In 1/2 % of the pixels. */
  static const struct
  {
    guint8 value;
    guint share;
  } parts[] = { {10, 1}, {40, 9}, {80, 30}, {120, 120}, {160, 30}, {200, 9},
  {240, 1}
  };
  static const guint8 values[] = { 5, 25, 60, 100, 120, 140, 180, 220, 250 };
  static const guint bands[] = { 0, 1, 2, 3, 4, 3, 2, 1, 0 };
  GstHarness *harness = overlay_harness_new ("", "show=levels size=0.5",
      GRAY (640, 240), TRUE);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 640 * 240, NULL);
  guint colors[G_N_ELEMENTS (values)], by_band[5] = { 0 };
  OverlayRectangle panel;
  gsize offset = 0;
  HistoBox box;

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    const gsize n = 640 * 240 / 200 * parts[i].share;

    gst_buffer_memset (buffer, offset, parts[i].value, n);
    offset += n;
  }
  fail_unless_equals_uint64 (offset, 640 * 240);
  buffer = overlay_push (harness, 0, buffer);
  panel = overlay_get_rectangle (buffer, 0);
  box = histo_plot_box ((HistoSize) { panel.width, panel.height }, 0, 1);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    const gint y = (gint) (values[i] / 255.0 * (box.height - 1) + 0.5);

    colors[i] = panel.pixels[(box.y + box.height - 1 - y) * panel.width + box.x
        + box.width - 1] & 255;
    if (by_band[bands[i]] == 0)
      by_band[bands[i]] = colors[i];
    fail_unless_equals_int (colors[i], by_band[bands[i]]);
  }
  for (guint i = 1; i < G_N_ELEMENTS (by_band); i++)
    fail_unless (by_band[i] > by_band[i - 1] + 20, "%u: %u, %u", i, by_band[i - 1],
        by_band[i]);
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
}

/* ---- Results that differ ----------------------------------------------------------- */

/* The histograms of a component with counters of 64 bits, as those of long windows have. */
static gboolean
widen (GQuark field, GValue * value, gpointer data)
{
  if (GST_VALUE_HOLDS_STRUCTURE (value)) {
    GstStructure *inside = gst_structure_copy (gst_value_get_structure (value));

    gst_structure_map_in_place (inside, widen, NULL);
    g_value_take_boxed (value, inside);
  } else if (G_VALUE_HOLDS (value, G_TYPE_BYTES)) {
    gsize size;
    const guint32 *counters = g_bytes_get_data (g_value_get_boxed (value), &size);
    guint64 *wide = g_new (guint64, size / 4);

    for (gsize i = 0; i < size / 4; i++)
      wide[i] = GUINT64_TO_LE (GUINT32_FROM_LE (counters[i]));
    g_value_take_boxed (value, g_bytes_new_take (wide, 2 * size));
  }
  return TRUE;
}

static gboolean
keep (GQuark field, GValue * value, gpointer data)
{
  return TRUE;
}

static gboolean
remove_histograms (GQuark field, GValue * value, gpointer data)
{
  if (GST_VALUE_HOLDS_STRUCTURE (value)) {
    GstStructure *inside = gst_structure_copy (gst_value_get_structure (value));

    gst_structure_filter_and_map_in_place (inside, remove_histograms, NULL);
    g_value_take_boxed (value, inside);
  }
  return !G_VALUE_HOLDS (value, G_TYPE_BYTES);
}

static gboolean
remove_colorimetry (GQuark field, GValue * value, gpointer data)
{
  return !g_str_equal (g_quark_to_string (field), "colorimetry");
}

/* Draws the result of a coloured frame after it was changed. Returns: the frame, with its overlay */
static GstBuffer *
draw_changed (const gchar * show, const gchar * size,
    GstStructureFilterMapFunc change)
{
  gchar *caps = g_strdup_printf (PLAIN_CAPS ("format=Y444, %s, framerate=25/1"),
      size);
  GstHarness *histo =
      gst_harness_new_parse ("cudahisto backend=cpu measures=scopes");
  gchar *description = g_strdup_printf ("cudahistooverlay size=0.9 margin=0 "
      "show=%s", show);
  GstHarness *harness = gst_harness_new_parse (description);
  GstBuffer *buffer;
  GstVideoInfo info;
  GstCaps *parsed = gst_caps_from_string (caps);

  fail_unless (gst_video_info_from_caps (&info, parsed));
  gst_caps_unref (parsed);
  gst_harness_add_propose_allocation_meta (harness,
      GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  gst_harness_set_src_caps_str (histo, caps);
  gst_harness_set_src_caps_str (harness, caps);
  buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  for (guint p = 0; p < 3; p++)
    gst_buffer_memset (buffer, p * info.offset[1], 60 + 70 * p, info.offset[1]);
  buffer = overlay_push (histo, 0, buffer);
  gst_structure_filter_and_map_in_place (gst_custom_meta_get_structure
      (gst_buffer_get_custom_meta (buffer, "cudahisto")), change, NULL);
  buffer = overlay_push (harness, 0, buffer);
  gst_harness_teardown (harness);
  gst_harness_teardown (histo);
  g_free (description);
  g_free (caps);
  return buffer;
}

/* In how many pixels the panels differ. */
static guint
compare_changed (const gchar * show, const gchar * size,
    GstStructureFilterMapFunc change, const gchar * other_size,
    GstStructureFilterMapFunc other_change)
{
  GstBuffer *a = draw_changed (show, size, change);
  GstBuffer *b = draw_changed (show, other_size, other_change);
  OverlayRectangle panels[2];
  guint n;

  panels[0] = overlay_get_rectangle (a, 0);
  panels[1] = overlay_get_rectangle (b, 0);
  n = overlay_count_differences (&panels[0], &panels[1]);
  gst_buffer_unref (a);
  gst_buffer_unref (b);
  return n;
}

/* Counters of 64 bits give the same picture. Without colorimetry, that of the size is used. */
TEST (test_other_results)
{
  static const gchar *const panels[] = {
    "histogram", "waveform", "vectorscope"
  };
  static const gchar sd[] = "width=400, height=400";
  static const gchar hd[] = "width=720, height=720";

  for (guint i = 0; i < G_N_ELEMENTS (panels); i++) {
    fail_unless_equals_int (compare_changed (panels[i], sd, keep, sd, widen), 0);
    fail_unless_equals_int (compare_changed (panels[i], sd, remove_colorimetry,
            "width=400, height=400, colorimetry=bt601", keep), 0);
    fail_unless_equals_int (compare_changed (panels[i], hd, remove_colorimetry,
            "width=720, height=720, colorimetry=bt709", keep), 0);
  }
}

/* Without histograms there is no panel of them, and the vectorscope says so. */
TEST (test_no_histograms)
{
  GstBuffer *buffer = draw_changed ("histogram+levels+vectorscope",
      "width=1600, height=400", remove_histograms);
  GstBuffer *complete = draw_changed ("histogram+levels+vectorscope",
      "width=1600, height=400", keep);

  fail_unless_equals_int (overlay_count (complete), 3);
  fail_unless_equals_int (overlay_count (buffer), 2);
  gst_buffer_unref (complete);
  gst_buffer_unref (buffer);
  fail_unless (compare_changed ("vectorscope", "width=400, height=400", keep,
          "width=400, height=400", remove_histograms) > 50);
}

/* Changes a component, which may be in a structure of a group. */
typedef struct
{
  const gchar *component;
  gint bins;                    /* the last ones are kept; < 0: it has no histogram */
} Bins;

static gboolean
set_bins (GQuark field, GValue * value, gpointer data)
{
  const Bins *bins = data;
  const gchar *name = g_quark_to_string (field);
  GstStructure *inside;

  if (!GST_VALUE_HOLDS_STRUCTURE (value))
    return TRUE;
  inside = gst_structure_copy (gst_value_get_structure (value));
  if (!g_str_equal (name, bins->component)) {
    gst_structure_map_in_place (inside, set_bins, data);
  } else if (bins->bins < 0) {
    gst_structure_remove_field (inside, "histogram");
  } else {
    GBytes *histogram = g_value_get_boxed (gst_structure_get_value (inside,
            "histogram"));
    const gsize size = 4 * bins->bins;
    GBytes *rest = g_bytes_new_from_bytes (histogram,
        g_bytes_get_size (histogram) - size, size);

    gst_structure_set (inside, "bins", G_TYPE_UINT, bins->bins, "histogram",
        G_TYPE_BYTES, rest, NULL);
    g_bytes_unref (rest);
  }
  g_value_take_boxed (value, inside);
  return TRUE;
}

#define SET_BINS(name, component, bins) \
static gboolean \
name (GQuark field, GValue * value, gpointer data) \
{ \
  Bins wanted = { component, bins }; \
\
  return set_bins (field, value, &wanted); \
}

SET_BINS (no_bins_of_luma, "Y", 0);
SET_BINS (no_bins_of_u, "U", 0);
SET_BINS (no_histogram_of_u, "U", -1);

/* A histogram without bins is none. */
TEST (test_other_bins)
{
  static const gchar parade[] = "histogram components=parade";
  static const gchar size[] = "width=400, height=400";
  GstBuffer *buffer = draw_changed ("histogram", size, no_bins_of_luma);

  fail_unless_equals_int (overlay_count (buffer), 0);
  gst_buffer_unref (buffer);
  fail_unless (compare_changed (parade, size, keep, size, no_bins_of_u) > 50);
  fail_unless_equals_int (compare_changed (parade, size, no_histogram_of_u,
          size, no_bins_of_u), 0);
}

/* Panels of pictures whose pixels are not square are wider or narrower, up to four times. */
TEST (test_pixel_aspect)
{
  static const gchar *const ratios[] = { "1/1", "2/1", "4/1", "8/1", "1/4",
    "1/8", "0/1"
  };
  gint widths[G_N_ELEMENTS (ratios)];

  for (guint i = 0; i < G_N_ELEMENTS (ratios); i++) {
    gchar *caps = g_strdup_printf ("format=GRAY8, width=1920, height=480, "
        "framerate=25/1, pixel-aspect-ratio=%s", ratios[i]);
    GstBuffer *buffer = overlay_draw ("", "show=histogram size=0.2",
        caps, 100);
    const OverlayRectangle panel = overlay_get_rectangle (buffer, 0);

    widths[i] = panel.width;
    gst_buffer_unref (buffer);
    g_free (caps);
  }
  fail_unless (ABS (widths[1] * 2 - widths[0]) <= 2, "%d", widths[1]);
  fail_unless (ABS (widths[2] * 4 - widths[0]) <= 4, "%d", widths[2]);
  fail_unless_equals_int (widths[3], widths[2]);
  fail_unless (ABS (widths[4] - 4 * widths[0]) <= 4, "%d", widths[4]);
  fail_unless_equals_int (widths[5], widths[4]);
  /* Unknown. */
  fail_unless_equals_int (widths[6], widths[0]);
}

/* ---- What is drawn anew ------------------------------------------------------------ */

/* A frame that gives the same picture gets the same overlay, and one that differs another one. */
TEST (test_unchanged)
{
  GstHarness *harness = overlay_harness_new ("measures=scopes",
      "show=histogram+vectorscope", "format=I420, width=640, height=480, "
      "framerate=25/1", TRUE);
  GstElement *overlay = overlay_of (harness);
  GstVideoOverlayRectangle *vectorscope;
  GstBuffer *one = overlay_push_value (harness, 0, 100);
  GstBuffer *two = overlay_push_value (harness, 1, 100);
  GstBuffer *three;

  fail_unless (overlay_get (one) == overlay_get (two));
  vectorscope = gst_video_overlay_composition_get_rectangle (overlay_get (one),
      0);
  three = gst_buffer_new_allocate (NULL, 640 * 480 * 3 / 2, NULL);
  gst_buffer_memset (three, 0, 50, 640 * 480);
  gst_buffer_memset (three, 640 * 480, 100, 640 * 480 / 2);
  three = overlay_push (harness, 2, three);
  fail_unless (overlay_get (three) != overlay_get (one));
  /* Luma has changed, but not the colours. */
  fail_unless (gst_video_overlay_composition_get_rectangle (overlay_get
          (three), 0) == vectorscope);
  fail_unless (gst_video_overlay_composition_get_rectangle (overlay_get
          (three), 1) !=
      gst_video_overlay_composition_get_rectangle (overlay_get (one), 1));
  gst_buffer_unref (three);

  g_object_set (overlay, "opacity", 0.5, NULL);
  three = overlay_push_value (harness, 3, 100);
  fail_unless (gst_video_overlay_composition_get_rectangle (overlay_get
          (three), 0) != vectorscope);
  gst_buffer_unref (three);
  g_object_set (overlay, "opacity", 0.0, NULL);
  three = overlay_push_value (harness, 4, 100);
  fail_unless_equals_int (overlay_count (three), 0);

  gst_object_unref (overlay);
  gst_buffer_unref (one);
  gst_buffer_unref (two);
  gst_buffer_unref (three);
  gst_harness_teardown (harness);
}

/* With half of the opacity, all pixels of panels and frames of regions have half of their components. */
TEST (test_opacity)
{
  GstBuffer *frames[2];

  for (guint i = 0; i < 2; i++)
    frames[i] = overlay_draw ("regions=\"a=100,80,60,40\"",
        i ? "opacity=0.5" : "", GRAY (640, 480), 100);
  fail_unless_equals_int (overlay_count (frames[0]), 7);
  for (guint r = 0; r < 7; r++) {
    const OverlayRectangle whole = overlay_get_rectangle (frames[0], r);
    const OverlayRectangle half = overlay_get_rectangle (frames[1], r);

    for (gint i = 0; i < whole.width * whole.height * 4; i++) {
      const gint a = ((const guint8 *) whole.pixels)[i];
      const gint b = ((const guint8 *) half.pixels)[i];

      if (ABS (a - 2 * b) > 2)
        fail ("rectangle %u: %d, %d", r, a, b);
    }
  }
  for (guint i = 0; i < 2; i++)
    gst_buffer_unref (frames[i]);
}

/* The pixels of rectangle @i. (transfer none) */
static GstBuffer *
get_pixels (GstBuffer * buffer, guint i)
{
  return gst_video_overlay_rectangle_get_pixels_unscaled_raw
      (gst_video_overlay_composition_get_rectangle (overlay_get (buffer), i),
      GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
}

/* A panel that moves keeps its pixels: in one direction, and in the other one. */
TEST (test_moved)
{
  static const gchar *const positions[] = { "top-right", "bottom-right" };
  GstHarness *harness = overlay_harness_new ("", "show=histogram "
      "position=top-left margin=0", GRAY (640, 480), TRUE);
  GstElement *overlay = overlay_of (harness);
  GstBuffer *before = overlay_push_value (harness, 0, 100);

  for (guint n = 0; n < G_N_ELEMENTS (positions); n++) {
    OverlayRectangle panel;
    GstBuffer *moved;

    gst_util_set_object_arg (G_OBJECT (overlay), "position", positions[n]);
    moved = overlay_push_value (harness, n + 1, 100);
    fail_unless (overlay_get (moved) != overlay_get (before));
    fail_unless_equals_int (overlay_count (moved), 1);
    fail_unless (get_pixels (moved, 0) == get_pixels (before, 0));
    panel = overlay_get_rectangle (moved, 0);
    overlay_check_place (&panel, 640 - panel.width,
        n == 0 ? 0 : 480 - panel.height, -1, -1);
    gst_buffer_unref (moved);
  }
  gst_buffer_unref (before);
  gst_object_unref (overlay);
  gst_harness_teardown (harness);
}

/* ---- Positions --------------------------------------------------------------------- */

/* Panels are in a row or a column, with a gap of 3 % of their height.
 * @forwards: to the right, or downwards */
static void
check_neighbours (gboolean is_column, gboolean forwards,
    const OverlayRectangle * last, const OverlayRectangle * panel)
{
  const OverlayRectangle *a = forwards ? last : panel;
  const OverlayRectangle *b = forwards ? panel : last;

  if (is_column) {
    fail_unless_equals_int (b->y - a->y - a->height, 8);
    fail_unless (a->x == b->x || a->x + a->width == b->x + b->width);
  } else {
    fail_unless_equals_int (b->x - a->x - a->width, 8);
    fail_unless_equals_int (a->y, b->y);
  }
}

static void
check_corner (const gchar * properties, gint left, gint top, gint right,
    gint bottom)
{
  gchar *drawing = g_strconcat ("show=waveform+vectorscope+histogram ", properties, NULL);
  GstBuffer *buffer = overlay_draw ("measures=scopes", drawing,
      "format=I420, width=1920, height=1080, framerate=25/1", 100);
  const gboolean is_column = strstr (properties, "column") != NULL;
  OverlayRectangle last = { 0 };

  fail_unless_equals_int (overlay_count (buffer), 3);
  overlay_check_inside (buffer, 1920, 1080);
  for (guint i = 0; i < 3; i++) {
    const OverlayRectangle panel = overlay_get_rectangle (buffer, i);

    fail_unless_equals_int (panel.height, 270);
    if (i == 0) {
      fail_unless (left < 0 || panel.x == left);
      fail_unless (top < 0 || panel.y == top);
      fail_unless (right < 0 || 1920 - panel.x - panel.width == right);
      fail_unless (bottom < 0 || 1080 - panel.y - panel.height == bottom);
    }
    if (i > 0)
      check_neighbours (is_column, is_column ? top >= 0 : left >= 0, &last,
          &panel);
    last = panel;
  }
  gst_buffer_unref (buffer);
  g_free (drawing);
}

TEST (test_positions)
{
  check_corner ("", 32, -1, -1, 32);
  check_corner ("position=top-left margin=0", 0, 0, -1, -1);
  check_corner ("position=top-right", -1, 32, 32, -1);
  check_corner ("position=bottom-right margin=0.01", -1, -1, 10, 10);
  check_corner ("direction=column", 32, -1, -1, 32);
  check_corner ("direction=column position=top-left", 32, 32, -1, -1);
  check_corner ("direction=column position=top-right", -1, 32, 32, -1);
  check_corner ("direction=column position=bottom-right", -1, -1, 32, 32);
}

/* Panels are made smaller until they fit; in a picture without room there are none. */
TEST (test_small_pictures)
{
  static const gint sizes[][2] = { {1, 1}, {2, 1}, {1, 200}, {16, 16},
  {40, 30}, {160, 120}, {320, 240}, {200, 1}, {4096, 16}, {17, 4000}
  };
  static const gchar *const properties[] = { "", "direction=column",
    "margin=0.45", "size=1 margin=0", "size=0.02 position=top-right"
  };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    for (guint k = 0; k < G_N_ELEMENTS (properties); k++) {
      gchar *caps = g_strdup_printf ("format=I420, width=%d, height=%d, "
          "framerate=25/1", sizes[i][0], sizes[i][1]);
      GstBuffer *buffer = overlay_draw ("measures=scopes alerts=black "
          "black-duration=0 regions=\"a=0,0,50%,50%;b=3,3,1,1\"",
          properties[k], caps, 0);

      overlay_check_inside (buffer, sizes[i][0], sizes[i][1]);
      gst_buffer_unref (buffer);
      g_free (caps);
    }
  }
}

/* ---- Regions ----------------------------------------------------------------------- */

/* A frame has four lines of the colour, and a name. */
TEST (test_regions)
{
  static const gint expected[][4] = { {100, 80, 60, 2}, {100, 118, 60, 2},
  {100, 82, 2, 36}, {158, 82, 2, 36}
  };
  GstBuffer *buffer = overlay_draw ("regions=\"a=100,80,60,40\"",
      "show=regions region-color=0xff00ff00",
      "format=I420, width=640, height=360, framerate=25/1", 100);
  guint n_colored = 0, n_dark = 0;
  OverlayRectangle part;

  fail_unless_equals_int (overlay_count (buffer), 5);
  for (guint i = 0; i < 4; i++) {
    part = overlay_get_rectangle (buffer, i);
    overlay_check_place (&part, expected[i][0], expected[i][1], expected[i][2],
        expected[i][3]);
    for (gint k = 0; k < part.width * part.height; k++)
      fail_unless (part.pixels[k] == 0xff00ff00);
  }
  part = overlay_get_rectangle (buffer, 4);
  fail_unless_equals_int (part.x, 100);
  fail_unless (part.y + part.height <= 80);
  /* The name is black on the colour. */
  for (gint k = 0; k < part.width * part.height; k++) {
    n_colored += part.pixels[k] == 0xff00ff00;
    n_dark += (part.pixels[k] >> 8 & 255) < 128;
  }
  fail_unless (n_colored > 50 && n_dark > 5, "%u %u", n_colored, n_dark);
  gst_buffer_unref (buffer);
}

/* Of regions that metas describe, one is partly and one wholly outside the picture. */
TEST (test_regions_outside)
{
  GstHarness *harness = overlay_harness_new ("roi-meta=true", "show=regions",
      GRAY (64, 48), TRUE);
  GstBuffer *buffer = test_buffer_new (64 * 48, 100, 0);

  gst_buffer_add_video_region_of_interest_meta (buffer, "partly", 50, 40, 100,
      100);
  gst_buffer_add_video_region_of_interest_meta (buffer, "outside", 100, 100,
      10, 10);
  gst_buffer_add_video_region_of_interest_meta (buffer, "huge", G_MAXUINT,
      G_MAXUINT, G_MAXUINT, G_MAXUINT);
  gst_buffer_add_video_region_of_interest_meta (buffer, "\xff\xfe", 0, 0, 1, 1);
  buffer = overlay_push (harness, 0, buffer);
  fail_unless (overlay_count (buffer) >= 5);
  overlay_check_inside (buffer, 64, 48);
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
}

/* The frame of a region that a meta describes follows the metas. */
TEST (test_region_that_moves)
{
  GstHarness *harness = overlay_harness_new ("roi-meta=true", "show=regions",
      GRAY (64, 48), TRUE);

  for (guint n = 0; n < 4; n++) {
    GstBuffer *buffer = test_buffer_new (64 * 48, 100, 0);
    OverlayRectangle part;

    gst_buffer_add_video_region_of_interest_meta (buffer, "a", 8 + 4 * n,
        10 + n, 16, 12);
    buffer = overlay_push (harness, n, buffer);
    part = overlay_get_rectangle (buffer, 0);
    overlay_check_place (&part, 8 + 4 * n, 10 + n, -1, -1);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (harness);
}

/* Cairo has no rectangles of more than 32767 pixels: these lines are not drawn, and the others are. */
TEST (test_regions_of_wide_pictures)
{
  GstBuffer *buffer = overlay_draw ("regions=\"a=0,0,40000,16\"",
      "show=regions region-color=0xff00ff00", GRAY (40000, 16), 100);

  fail_unless_equals_int (overlay_count (buffer), 3);
  for (guint i = 0; i < 2; i++) {
    const OverlayRectangle part = overlay_get_rectangle (buffer, i);

    overlay_check_place (&part, i * 39998, 2, -1, 12);
  }
  gst_buffer_unref (buffer);
}

/* The frame stays where it was when the picture becomes smaller, and its name moves into the picture. */
TEST (test_name_in_smaller_picture)
{
  GstHarness *harness = overlay_harness_new ("regions=\"a=30,20,8,8\"",
      "show=regions", GRAY (400, 300), TRUE);
  OverlayRectangle before, after;
  GstBuffer *buffer = overlay_push_value (harness, 0, 100);

  fail_unless_equals_int (overlay_count (buffer), 5);
  before = overlay_get_rectangle (buffer, 4);
  fail_unless_equals_int (before.x, 30);
  gst_buffer_unref (buffer);

  gst_harness_set_sink_caps_str (harness, FEATURE_CAPS (GRAY (40, 30)));
  gst_harness_set_src_caps_str (harness, PLAIN_CAPS (GRAY (40, 30)));
  buffer = overlay_push_value (harness, 1, 100);
  fail_unless_equals_int (overlay_count (buffer), 5);
  after = overlay_get_rectangle (buffer, 4);
  fail_unless_equals_int (after.width, before.width);
  fail_unless_equals_int (after.x, 40 - after.width);
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
}

/* Between measuring and drawing the picture changes. Returns: the rectangles of the region; the
 * first one in @part if there is one */
static guint
count_after (const gchar * element, const gchar * caps, OverlayRectangle * part)
{
  gchar *description = g_strdup_printf ("cudahisto backend=cpu "
      "regions=\"a=100,80,60,40\" ! %s ! cudahistooverlay show=regions", element);
  GstHarness *harness = gst_harness_new_parse (description);
  GstBuffer *buffer;
  guint n;

  gst_harness_add_propose_allocation_meta (harness,
      GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  gst_harness_set_sink_caps_str (harness, caps);
  gst_harness_set_src_caps_str (harness, PLAIN_CAPS (GRAY (640, 360)));
  buffer = overlay_push_value (harness, 0, 100);
  n = overlay_count (buffer);
  if (n > 0)
    *part = overlay_get_rectangle (buffer, 0);
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
  g_free (description);
  return n;
}

/* In a scaled picture the regions are scaled, too. Where they are after a crop is unknown. */
TEST (test_regions_of_another_size)
{
  OverlayRectangle part;

  fail_unless (count_after ("videoscale", FEATURE_CAPS (GRAY (320, 180)),
          &part) > 0);
  overlay_check_place (&part, 50, 40, 30, -1);
  /* 214 : 120 is not 16 : 9, but the nearest even numbers. */
  fail_unless (count_after ("videoscale", FEATURE_CAPS (GRAY (214, 120)),
          &part) > 0);
  fail_unless_equals_int (count_after ("videocrop left=100",
          FEATURE_CAPS (GRAY (540, 360)), &part), 0);
  fail_unless_equals_int (count_after ("videocrop top=40 bottom=40",
          FEATURE_CAPS (GRAY (640, 280)), &part), 0);
}

/* ---- Checks ------------------------------------------------------------------------ */

/* The texts, with a '!' before those that are bad, and '; ' between them. */
static void
check_words (const HistoGroupFigures * figures, const gchar * expected)
{
  HistoCheck checks[HISTO_N_CHECKS];
  const guint n = histo_checks_find (checks, figures);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s%s", i > 0 ? "; " : "", checks[i].is_bad ? "!" : "", checks[i].text);
  fail_unless_equals_string (text->str, expected);
  g_string_free (text, TRUE);
}

#define NOTE "; A screening aid, not certified"

TEST (test_words_of_gamut)
{
  static const struct
  {
    gdouble share;
    const gchar *text;
  } shares[] = {
    {0, "gamut 0.0 %"}, {0.0001, "gamut < 0.1 %"}, {0.0006, "gamut 0.1 %"}, {0.01, "gamut 1.0 %"},
    {0.0101, "!gamut 1.0 %"}, {0.123, "!gamut 12.3 %"}, {1, "!gamut 100.0 %"}, {INFINITY, "!gamut 100.0 %"},
    {-1e300, "gamut 0.0 %"},
  };
  HistoGroupFigures figures;

  histo_groups_clear (&figures);
  check_words (&figures, "");
  for (guint i = 0; i < G_N_ELEMENTS (shares); i++) {
    figures.GAMUT_any = shares[i].share;
    figures.GAMUT_FILTER_any = NAN;
    check_words (&figures, shares[i].text);
    /* What is behind the filter counts, if it is known. */
    figures.GAMUT_any = 0.5;
    figures.GAMUT_FILTER_any = shares[i].share;
    check_words (&figures, shares[i].text);
  }
}

TEST (test_words_of_flashes)
{
  HistoGroupFigures figures;

  histo_groups_clear (&figures);
  figures.FLASH_state = HISTO_FLASH_PASS;
  check_words (&figures, "flash pass" NOTE);
  figures.n_zones = HISTO_N_ZONES;
  check_words (&figures, "flash pass" NOTE);
  figures.zones[HISTO_N_ZONES - 1].state = HISTO_FLASH_WARNING;
  check_words (&figures, "!FLASH warning in a part" NOTE);
  figures.FLASH_state = HISTO_FLASH_WARNING;
  check_words (&figures, "!FLASH warning" NOTE);
  figures.FLASH_state = HISTO_FLASH_EXTENDED;
  check_words (&figures, "!FLASH extended" NOTE);
  figures.zones[3].state = HISTO_FLASH_FAIL;
  check_words (&figures, "!FLASH fail in a part" NOTE);
  figures.FLASH_state = HISTO_FLASH_FAIL;
  check_words (&figures, "!FLASH fail" NOTE);
}

TEST (test_words_of_fields)
{
  static const gchar *const orders[] = { "interlaced tff", "interlaced bff", "progressive", "no field order" };
  static const gchar *const repeats[] = { "", ", repeated top", ", repeated bottom" };
  HistoGroupFigures figures;

  histo_groups_clear (&figures);
  for (guint order = 0; order < G_N_ELEMENTS (orders); order++) {
    figures.FIELD_multi = order;
    figures.FIELD_repeated = NAN;
    check_words (&figures, orders[order]);
    for (guint repeated = 0; repeated < G_N_ELEMENTS (repeats); repeated++) {
      gchar *text = g_strconcat (orders[order], repeats[repeated], NULL);

      figures.FIELD_repeated = repeated;
      check_words (&figures, text);
      g_free (text);
    }
  }
}

/* Without another check, nothing tells that a frame is no repeat. */
TEST (test_words_of_repeats)
{
  static const struct
  {
    gdouble repeat, period, unique;
    const gchar *alone, *text;
  } cases[] = {
    {NAN, NAN, NAN, "", "gamut 0.0 %"},
    {0, NAN, NAN, "", "gamut 0.0 %; no repeat"},
    {0, 1, 1, "", "gamut 0.0 %; no repeat"},
    {1, NAN, NAN, "repeat", "gamut 0.0 %; repeat"},
    {1, 1, 0, "frozen", "gamut 0.0 %; frozen"},
    {0, 5, 2, "2 unique of 5", "gamut 0.0 %; 2 unique of 5"},
    {1, 2, 1, "1 unique of 2, repeat", "gamut 0.0 %; 1 unique of 2, repeat"},
  };
  HistoGroupFigures figures;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    histo_groups_clear (&figures);
    figures.MOTION_repeat = cases[i].repeat;
    figures.MOTION_cadence_period = cases[i].period;
    figures.MOTION_cadence_unique = cases[i].unique;
    check_words (&figures, cases[i].alone);
    figures.GAMUT_FILTER_any = 0;
    check_words (&figures, cases[i].text);
  }
}

/* How many pixels of a row have the alert's colour, 0xb3261e. */
static gint
count_red (const OverlayRectangle * panel, gint y)
{
  gint n = 0;

  for (gint x = 0; x < panel->width; x++) {
    const guint32 pixel = panel->pixels[y * panel->width + x];

    n += (pixel >> 16 & 255) > 2 * (pixel >> 8 & 255) && (pixel >> 16 & 255) > 100;
  }
  return n;
}

/* The panel lies in the corner that is opposite to the first panel. The lines that are bad are red, over the whole width,
 * and it keeps its size. */
TEST (test_checks)
{
  GstHarness *harness = overlay_harness_new ("measures=gamut+flash", "show=checks margin=0.05",
      GRAY (640, 480) ", colorimetry=bt709", TRUE);
  GstBuffer *good = overlay_push_value (harness, 0, 100), *bad = overlay_push_value (harness, 1, 250);
  const OverlayRectangle before = overlay_get_rectangle (good, 0), after = overlay_get_rectangle (bad, 0);
  const gint line = before.height / 3;

  fail_unless_equals_int (overlay_count (good), 1);
  fail_unless_equals_int (overlay_count (bad), 1);
  overlay_check_place (&before, 640 - 24 - before.width, 24, -1, 3 * line);
  overlay_check_place (&after, before.x, before.y, before.width, before.height);
  for (gint y = 0; y < 3 * line; y++)
    fail_unless_equals_int (count_red (&before, y), 0);
  fail_unless_equals_int (count_red (&after, 1), before.width);
  fail_unless_equals_int (count_red (&after, line - 1), before.width);
  for (gint y = line; y < 3 * line; y++)
    fail_unless_equals_int (count_red (&after, y), 0);
  gst_buffer_unref (good);
  gst_buffer_unref (bad);
  gst_harness_teardown (harness);
}

/* With differences alone, the panel tells of repeats only. Without the flag it tells nothing. */
TEST (test_repeated_frames)
{
  for (guint is_shown = 0; is_shown < 2; is_shown++) {
    GstHarness *harness = overlay_harness_new ("measures=motion",
        is_shown ? "show=checks" : "show=alerts", GRAY (640, 480), TRUE);

    overlay_check_count (harness, 0, 10, 0);
    overlay_check_count (harness, 1, 20, 0);
    overlay_check_count (harness, 2, 20, is_shown);
    overlay_check_count (harness, 3, 30, 0);
    gst_harness_teardown (harness);
  }
}

/* Alerts and checks have no pixel in common, wherever they are. */
TEST (test_checks_beside_alerts)
{
  static const gchar *const positions[] = { "top-left", "top-right", "bottom-left", "bottom-right" };

  for (guint i = 0; i < G_N_ELEMENTS (positions); i++) {
    for (guint width = 200; width <= 1000; width += 800) {
      gchar *drawing = g_strdup_printf ("show=alerts+checks position=%s", positions[i]);
      gchar *caps = g_strdup_printf ("format=GRAY8, width=%u, height=400, framerate=25/1", width);
      GstBuffer *buffer = overlay_draw ("measures=gamut+flash alerts=black black-duration=0", drawing, caps, 0);
      const gboolean is_bottom = i < 2, is_right = i % 2 == 0;
      OverlayRectangle alerts, checks;

      fail_unless_equals_int (overlay_count (buffer), 2);
      overlay_check_inside (buffer, width, 400);
      alerts = overlay_get_rectangle (buffer, 0);
      checks = overlay_get_rectangle (buffer, 1);
      if (width == 1000)
        overlay_check_place (&checks, is_right ? 1000 - 12 - checks.width : 12,
            is_bottom ? 400 - 12 - checks.height : 12, -1, -1);
      fail_unless (checks.x + checks.width <= alerts.x || alerts.x + alerts.width <= checks.x
          || checks.y + checks.height <= alerts.y || alerts.y + alerts.height <= checks.y, "%s", positions[i]);
      gst_buffer_unref (buffer);
      g_free (drawing);
      g_free (caps);
    }
  }
}

TEST_MAIN (60)
