/* The audio pads: meters that belong to the frame, waiting, and what ends it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay.h"

#include "overlay/panel.h"
#include "pipeline.h"
#include "probes.h"

#include <math.h>

#define VIDEO_CAPS "video/x-raw, format=GRAY8, width=640, height=480, framerate=25/1"
#define AUDIO_CAPS "audio/x-raw, format=S16LE, layout=interleaved, rate=48000, channels=2"
/* Samples of a channel in 40 ms. */
#define N_SAMPLES 1920
/* A frame that waits until the end waits so long, in ns. It is at least LEAST_WAIT in us. */
#define SHORT_WAIT 300000000
#define LEAST_WAIT 290000
/* A frame that must not wait could wait so long, in ns; it takes less than MOST_TIME in us on any machine. */
#define LONG_WAIT 50000000000
#define MOST_TIME 20000000

/* An overlay with one audio pad, and a cudahisto that measures its sound. */
typedef struct
{
  GstElement *overlay;
  gboolean knows_latency, is_live;      /* upstream of the video */
  gint was_asked;               /* for its latency: the frame comes to its sound next. Atomic */
  GstHarness *video, *audio, *histo;
} Pads;

/* A harness says that it is live. */
static GstPadProbeReturn
answer_latency (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  Pads *pads = data;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return GST_PAD_PROBE_OK;
  g_atomic_int_set (&pads->was_asked, TRUE);
  if (!pads->knows_latency)
    return GST_PAD_PROBE_DROP;
  if (pads->is_live)
    return GST_PAD_PROBE_OK;
  gst_query_set_latency (query, FALSE, 0, GST_CLOCK_TIME_NONE);
  return GST_PAD_PROBE_HANDLED;
}

static void
pads_open (Pads * pads, const gchar * properties)
{
  gchar *description = g_strdup_printf ("cudahistooverlay %s", properties);

  pads->overlay = gst_parse_launch (description, NULL);
  gst_object_ref_sink (pads->overlay);
  pads->knows_latency = TRUE;
  pads->is_live = FALSE;
  pads->was_asked = FALSE;
  pads->video = gst_harness_new_with_element (pads->overlay, "sink", "src");
  gst_pad_add_probe (pads->video->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
      answer_latency, pads, NULL);
  pads->audio = gst_harness_new_with_element (pads->overlay, "audio_%u", NULL);
  pads->histo =
      gst_harness_new_parse ("cudahisto backend=cpu measures=level+loudness");
  gst_harness_add_propose_allocation_meta (pads->video,
      GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  gst_harness_set_src_caps_str (pads->video, VIDEO_CAPS);
  gst_harness_set_src_caps_str (pads->audio, AUDIO_CAPS);
  gst_harness_set_src_caps_str (pads->histo, AUDIO_CAPS);
  g_free (description);
}

/* The sound is measured with these properties instead. */
static void
pads_measure_with (Pads * pads, const gchar * properties)
{
  gchar *description = g_strdup_printf ("cudahisto backend=cpu %s", properties);

  gst_harness_teardown (pads->histo);
  pads->histo = gst_harness_new_parse (description);
  gst_harness_set_src_caps_str (pads->histo, AUDIO_CAPS);
  g_free (description);
}

/* Begins the next run of the element that was stopped: a harness is no element that stops and starts, too. */
static void
pads_begin_again (Pads * pads)
{
  for (guint i = 0; i < 2; i++) {
    GstHarness *harness = i ? pads->audio : pads->video;

    gst_harness_push_event (harness, gst_event_new_stream_start ("again"));
    gst_harness_set_src_caps_str (harness, i ? AUDIO_CAPS : VIDEO_CAPS);
  }
}

static void
pads_close (Pads * pads)
{
  gst_harness_teardown (pads->histo);
  gst_harness_teardown (pads->audio);
  gst_harness_teardown (pads->video);
  gst_object_unref (pads->overlay);
}

/* 40 ms of sound, number @n, of a square wave with these levels. (transfer full) */
static GstBuffer *
measure (Pads * pads, guint n, gint16 left, gint16 right)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, N_SAMPLES * 4, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint i = 0; i < N_SAMPLES; i++) {
    GST_WRITE_UINT16_LE (map.data + 4 * i, i & 16 ? left : -left);
    GST_WRITE_UINT16_LE (map.data + 4 * i + 2, i & 16 ? right : -right);
  }
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = n * 40 * GST_MSECOND;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  return gst_harness_push_and_pull (pads->histo, buffer);
}

static void
push_sound (Pads * pads, guint n, gint16 left, gint16 right)
{
  fail_unless_equals_int (gst_harness_push (pads->audio, measure (pads, n, left,
              right)), GST_FLOW_OK);
}

/* How many pixels of the first rectangle are bright and green, yellow or red, as the bars are. */
static guint
count_colored (GstBuffer * frame)
{
  const OverlayRectangle panel = overlay_get_rectangle (frame, 0);
  guint n = 0;

  for (gint i = 0; i < panel.width * panel.height; i++) {
    const gint red = panel.pixels[i] >> 16 & 255, blue = panel.pixels[i] & 255;
    const gint green = panel.pixels[i] >> 8 & 255;

    n += MAX (red, green) > blue + 60;
  }
  return n;
}

/* The same of frame @n, which is pushed; 0: it has no panel */
static guint
count_in_frame (Pads * pads, guint n)
{
  GstBuffer *frame = overlay_push_value (pads->video, n, 50);
  const guint count = overlay_count (frame) > 0 ? count_colored (frame) : 0;

  gst_buffer_unref (frame);
  return count;
}

/* The true peak of both channels. */
static void
set_true_peaks (GstStructure * loudness, gdouble number)
{
  GValue array = G_VALUE_INIT, value = G_VALUE_INIT;

  g_value_init (&array, GST_TYPE_ARRAY);
  g_value_init (&value, G_TYPE_DOUBLE);
  g_value_set_double (&value, number);
  for (guint c = 0; c < 2; c++)
    gst_value_array_append_value (&array, &value);
  gst_structure_take_value (loudness, "true-peak", &array);
}

/* The result of a buffer. */
static GstStructure *
result_of (GstBuffer * buffer)
{
  return gst_custom_meta_get_structure (gst_buffer_get_custom_meta (buffer,
          "cudahisto"));
}

/* A frame with the panel of sound whose loudness has this figure, after @n_samples; of the others, the integrated loudness
 * is known. @name: "" for no change. NULL: built without libebur128 */
static GstBuffer *
draw_figure_after (guint64 n_samples, const gchar * name, gdouble number)
{
  GstBuffer *buffer, *frame = NULL;
  GstStructure *loudness = NULL;
  Pads pads;

  pads_open (&pads, "show=loudness size=0.5 loudness-target=-23");
  buffer = measure (&pads, 0, 3000, 3000);
  gst_structure_get (result_of (buffer), "loudness", GST_TYPE_STRUCTURE,
      &loudness, NULL);
  fail_unless_equals_int (loudness != NULL, test_has_loudness ());
  if (loudness != NULL) {
    gst_structure_set (result_of (buffer), "samples", G_TYPE_UINT64, n_samples, NULL);
    gst_structure_set (loudness, "integrated", G_TYPE_DOUBLE, -20.0, NULL);
    if (gst_structure_has_field_typed (loudness, name, G_TYPE_DOUBLE))
      gst_structure_set (loudness, name, G_TYPE_DOUBLE, number, NULL);
    else if (name[0] != '\0')
      set_true_peaks (loudness, number);
    gst_structure_set (result_of (buffer), "loudness", GST_TYPE_STRUCTURE,
        loudness, NULL);
    gst_structure_free (loudness);
    gst_harness_push (pads.audio, gst_buffer_ref (buffer));
    frame = overlay_push_value (pads.video, 0, 50);
  }
  gst_buffer_unref (buffer);
  pads_close (&pads);
  return frame;
}

/* The same after 3 s, when all figures are known. */
static GstBuffer *
draw_figure (const gchar * name, gdouble number)
{
  return draw_figure_after (3 * 48000, name, number);
}

/* Figures that are too great for the panel, and infinite ones, keep their sign. */
TEST (test_infinite_figures)
{
  const gdouble infinity = g_strtod ("inf", NULL);
  const gdouble ranges[] = { infinity, 1e6, -infinity, -1e6 };
  OverlayRectangle panels[4];
  GstBuffer *frames[4];

  for (guint i = 0; i < 4; i++) {
    frames[i] = draw_figure ("range", ranges[i]);
    if (frames[i] == NULL)
      return;
    panels[i] = overlay_get_rectangle (frames[i], 0);
  }
  fail_unless_equals_int (overlay_count_differences (&panels[0], &panels[1]),
      0);
  fail_unless_equals_int (overlay_count_differences (&panels[2], &panels[3]),
      0);
  fail_unless (overlay_count_differences (&panels[0], &panels[2]) > 2);
  for (guint i = 0; i < 4; i++)
    gst_buffer_unref (frames[i]);
}

/* Each figure has a row of its own: if it changes, only this row does. The bar of the momentary loudness is in
 * the left half. */
TEST (test_figures)
{
  static const gchar *const names[] = { "momentary", "short-term", "integrated",
    "range", "true-peak"
  };
  GstBuffer *frame = draw_figure ("", 0);
  OverlayRectangle before;
  HistoBox box;

  if (frame == NULL)
    return;
  before = overlay_get_rectangle (frame, 0);
  box = histo_plot_box ((HistoSize) { before.width, before.height }, 0, 1);
  /* Labels of meters would be below. */
  box.height -= histo_font_size (before.height);
  for (gint row = 0; row < (gint) G_N_ELEMENTS (names); row++) {
    GstBuffer *changed = draw_figure (names[row], -38.4);
    const OverlayRectangle after = overlay_get_rectangle (changed, 0);
    gint n = 0;

    for (gint i = 0; i < before.width * before.height; i++) {
      const gint x = i % before.width, y = i / before.width;

      if (x < before.width / 2 || before.pixels[i] == after.pixels[i])
        continue;
      n++;
      fail_unless_equals_int ((y - box.y) * 5 / box.height, row);
    }
    fail_unless (n > 20, "%s: %d", names[row], n);
    gst_buffer_unref (changed);
  }
  gst_buffer_unref (frame);
}

/* How many pixels of a figure's row differ. */
static guint
count_row_differences (const OverlayRectangle * a, const OverlayRectangle * b, gint row)
{
  const HistoBox box = histo_plot_box ((HistoSize) { a->width, a->height }, 0, 1);
  const gint height = box.height - histo_font_size (a->height);
  guint n = 0;

  fail_unless_equals_int (a->width, b->width);
  for (gint y = box.y; y < box.y + height; y++)
    for (gint x = a->width / 2; x < a->width; x++)
      n += (y - box.y) * 5 / height == row && a->pixels[y * a->width + x] != b->pixels[y * b->width + x];
  return n;
}

/* Figures that need more sound than there has been are dashes, which do not depend on the number in the result. */
TEST (test_unknown_figures)
{
  static const struct
  {
    const gchar *name;
    guint64 least;              /* samples */
  } figures[] = {
    {"momentary", 48000 * 4 / 10}, {"short-term", 48000 * 3}, {"integrated", 0}, {"range", 48000 * 3},
    {"true-peak", 0},
  };

  for (guint i = 0; i < G_N_ELEMENTS (figures); i++)
    for (guint is_known = figures[i].least == 0; is_known < 2; is_known++) {
      OverlayRectangle panels[2];
      GstBuffer *frames[2];

      for (guint k = 0; k < 2; k++) {
        frames[k] = draw_figure_after (MAX (figures[i].least, 1) - !is_known, figures[i].name, k == 0 ? -30.5 : -24.7);
        if (frames[k] == NULL)
          return;
        panels[k] = overlay_get_rectangle (frames[k], 0);
      }
      fail_unless_equals_int (overlay_count_differences (&panels[0], &panels[1]) > 0, is_known);
      if (!is_known) {
        /* A dash is not the sign of silence. */
        GstBuffer *silent = draw_figure (figures[i].name, -INFINITY);
        const OverlayRectangle panel = overlay_get_rectangle (silent, 0);

        fail_unless (count_row_differences (&panels[0], &panel, i) > 4);
        gst_buffer_unref (silent);
      }
      for (guint k = 0; k < 2; k++)
        gst_buffer_unref (frames[k]);
    }
}

/* Louder sound gives longer bars, in the frame to which it belongs. */
TEST (test_meters)
{
  guint colored[3];
  Pads pads;

  pads_open (&pads, "show=meters size=0.5 peak-falloff=1000 peak-ttl=0");
  push_sound (&pads, 0, 100, 100);
  push_sound (&pads, 1, 30000, 30000);
  push_sound (&pads, 2, 0, 0);
  for (guint n = 0; n < 3; n++)
    colored[n] = count_in_frame (&pads, n);
  fail_unless (colored[1] > colored[0] + 1000 && colored[0] > 100
      && colored[2] < colored[1], "%u %u %u", colored[0], colored[1],
      colored[2]);
  pads_close (&pads);
}

/* `alert-color`, opaque */
#define PHASE_COLOR 0xb3261e

/* Colored pixels in the lowest tenth of a panel: of the bar of a pair. @n: (out): those left and right of the meters'
 * middle */
static void
count_pair (Pads * pads, guint frame_number, guint n[2], guint32 * color)
{
  GstBuffer *frame = overlay_push_value (pads->video, frame_number, 50);
  const OverlayRectangle panel = overlay_get_rectangle (frame, 0);
  /* The meters lie between the scale and the pad at the right. */
  const gint middle = panel.height * (0.05 + 0.19 + 0.11);

  n[0] = n[1] = 0;
  for (gint y = panel.height * 9 / 10; y < panel.height; y++) {
    for (gint x = 0; x < panel.width; x++) {
      const guint32 pixel = panel.pixels[y * panel.width + x];

      /* The middle may be rounded. Text is grey. */
      if (ABS (x - middle) < 4)
        continue;
      if (ABS ((gint) (pixel >> 16 & 255) - (gint) (pixel & 255)) < 60
          && ABS ((gint) (pixel >> 8 & 255) - (gint) (pixel & 255)) < 60)
        continue;
      n[x > middle]++;
      *color = pixel & 0xffffff;
    }
  }
  gst_buffer_unref (frame);
}

/* The bar of a pair goes from the middle to the right if the channels are alike, and to the left if they are opposite;
 * after 2 s a warning is in its place. */
TEST (test_correlation)
{
  guint n[2];
  guint32 color = 0;
  Pads pads;

  pads_open (&pads, "show=meters size=0.5");
  push_sound (&pads, 0, 20000, 10000);
  count_pair (&pads, 0, n, &color);
  fail_unless (n[0] == 0 && n[1] > 50, "%u %u", n[0], n[1]);
  fail_unless_equals_int (color, 0x35c46a);
  for (guint i = 1; i <= 50; i++) {
    push_sound (&pads, i, 20000, -10000);
    count_pair (&pads, i, n, &color);
    fail_unless (n[0] > 50 && (n[1] > 50) == (i == 50), "%u: %u %u", i, n[0], n[1]);
    fail_unless_equals_int (color, i < 50 ? 0xe8c33c : PHASE_COLOR);
  }
  /* One channel is silent: there is no correlation. */
  push_sound (&pads, 51, 20000, 0);
  count_pair (&pads, 51, n, &color);
  fail_unless (n[0] == 0 && n[1] == 0, "%u %u", n[0], n[1]);
  pads_close (&pads);
}

/* The warning of an inverted pair is seen from a distance: its area and its word, in panels of all heights. */
TEST (test_phase_warning)
{
  static const gint heights[] = { 30, 54, 108, 150, 216, 324 };

  for (guint i = 0; i < G_N_ELEMENTS (heights); i++) {
    gchar *caps = g_strdup_printf ("video/x-raw, format=GRAY8, width=1200, height=%d, framerate=25/1", heights[i]);
    guint n_warning = 0, n_light = 0;
    OverlayRectangle panel;
    GstBuffer *frame;
    Pads pads;

    pads_open (&pads, "show=meters size=1 margin=0");
    gst_harness_set_src_caps_str (pads.video, caps);
    for (guint n = 0; n <= 50; n++)
      push_sound (&pads, n, 20000, -10000);
    frame = overlay_push_value (pads.video, 50, 50);
    panel = overlay_get_rectangle (frame, 0);
    fail_unless_equals_int (panel.height, heights[i]);
    for (gint y = 0; y < panel.height; y++)
      for (gint x = 0; x < panel.width; x++) {
        const guint32 pixel = panel.pixels[y * panel.width + x] & 0xffffff;

        n_warning += pixel == PHASE_COLOR;
        n_light += y > heights[i] * 9 / 10 && (pixel & 255) > 0xa0;
      }
    /* The bar alone had less than 1 % of the panel's area. */
    fail_unless (n_warning * 100 > 3 * (guint) (panel.width * panel.height), "%d: %u of %d x %d", heights[i], n_warning,
        panel.width, panel.height);
    fail_unless (heights[i] < 100 || n_light > 10, "%d: %u", heights[i], n_light);
    gst_buffer_unref (frame);
    pads_close (&pads);
    g_free (caps);
  }
}

/* After the end of the sound all bars fall, also if the segment ends within the last buffer. */
TEST (test_bars_after_the_sound)
{
  GstSegment segment;
  guint colored[2];
  Pads pads;

  pads_open (&pads, "show=meters size=0.5 audio-wait=0 peak-ttl=0");
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.stop = 30 * GST_MSECOND;
  gst_harness_push_event (pads.audio, gst_event_new_segment (&segment));
  push_sound (&pads, 0, 30000, 30000);
  for (guint i = 0; i < 2; i++)
    colored[i] = count_in_frame (&pads, i * 250);
  fail_unless (colored[0] > 1000 && colored[1] < colored[0] / 10, "%u %u",
      colored[0], colored[1]);
  pads_close (&pads);
}

/* The loudness has a panel of its own width. */
TEST (test_loudness)
{
  OverlayRectangle panel;
  GstBuffer *frame;
  gint widths[2];
  Pads pads;

  pads_open (&pads, "size=0.5");
  push_sound (&pads, 0, 3000, 3000);
  for (guint i = 0; i < 2; i++) {
    gst_util_set_object_arg (G_OBJECT (pads.overlay), "show",
        i ? "meters+loudness" : "meters");
    frame = overlay_push_value (pads.video, 0, 50);
    panel = overlay_get_rectangle (frame, 0);
    widths[i] = panel.width;
    gst_buffer_unref (frame);
  }
  fail_unless_equals_int (widths[1] > widths[0] + 100, test_has_loudness ());
  pads_close (&pads);
}

/* How many pixels of a panel have this colour, from a share of its width to the right. */
static guint
count_color_from (GstBuffer * frame, gdouble share, guint32 color)
{
  OverlayRectangle panel;
  guint n = 0;

  panel = overlay_get_rectangle (frame, 0);
  for (gint i = 0; i < panel.width * panel.height; i++)
    n += i % panel.width >= share * panel.width && panel.pixels[i] == color;
  return n;
}

static guint
count_color (GstBuffer * frame, guint32 color)
{
  return count_color_from (frame, 0, color);
}

/* How many rows of the figures have pixels of this colour. */
static guint
count_rows (GstBuffer * frame, guint32 color)
{
  const OverlayRectangle panel = overlay_get_rectangle (frame, 0);
  const HistoBox box = histo_plot_box ((HistoSize) { panel.width, panel.height }, 0, 1);
  const gint height = box.height - histo_font_size (panel.height);
  gboolean has_color[5] = { FALSE };
  guint n = 0;

  for (gint y = box.y; y < box.y + height; y++)
    for (gint x = panel.width / 2; x < panel.width; x++)
      if (panel.pixels[y * panel.width + x] == color)
        has_color[(y - box.y) * 5 / height] = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (has_color); i++)
    n += has_color[i];
  return n;
}

/* The height of the bar of the momentary loudness in pixels, and its colour. */
static gint
find_bar (GstBuffer * frame, guint32 * color)
{
  const OverlayRectangle panel = overlay_get_rectangle (frame, 0);
  const HistoBox box = histo_plot_box ((HistoSize) { panel.width, panel.height }, 0, 1);
  /* In the middle of the bar, which begins after the pad and the scale; labels of meters would be below. */
  const gint x = panel.height * (0.05 + 0.17 + 0.04);
  const gint bottom = box.y + box.height - histo_font_size (panel.height) - 1;
  gint top = bottom;

  *color = panel.pixels[(bottom - 2) * panel.width + x];
  for (gint y = bottom; y > box.y; y--)
    if (panel.pixels[y * panel.width + x] == *color)
      top = y;
  return bottom - top + 1;
}

/* The bar of the momentary loudness begins 18 LU below the target, and is as high as the loudness. It has one colour, which
 * is grey: no target is set for the momentary loudness. */
TEST (test_momentary_bar)
{
  static const gdouble above[] = { -5, 0, 5, 8 };
  guint32 color = 0;
  gint heights[4];

  for (guint i = 0; i < G_N_ELEMENTS (above); i++) {
    GstBuffer *frame = draw_figure ("momentary", -23 + above[i]);
    guint32 own;

    if (frame == NULL)
      return;
    heights[i] = find_bar (frame, &own);
    fail_unless (ABS ((gint) (own >> 16 & 255) - (gint) (own & 255)) < 20 && (own & 255) > 0x80, "%08x", own);
    fail_unless (i == 0 || own == color);
    color = own;
    gst_buffer_unref (frame);
  }
  for (guint i = 0; i < G_N_ELEMENTS (above); i++)
    fail_unless (fabs (heights[i] - heights[1] * (18 + above[i]) / 18) < 3, "%d of %d", heights[i], heights[1]);
}

/* The integrated loudness is yellow more than 1 LU below the target, green at it and red above; the true peak is red above
 * -1 dBTP. If it is not known, it has no such colour. */
TEST (test_judged_figures)
{
  static const struct
  {
    const gchar *name;
    gdouble number;
    gint color;                 /* number of it; -1: none */
  } cases[] = {
    {"integrated", -24.1, 0}, {"integrated", -23.9, 1}, {"integrated", -22.1, 1}, {"integrated", -21.9, 2},
    {"integrated", -INFINITY, -1}, {"true-peak", -0.9, 2}, {"true-peak", -1, -1}, {"true-peak", -INFINITY, -1},
    {"momentary", -10, -1}, {"short-term", -10, -1}, {"range", 40, -1}
  };
  static const guint32 colors[] = { 0xffe8c33c, 0xff35c46a, 0xfff0503c };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const gboolean is_integrated = g_str_equal (cases[i].name, "integrated");
    GstBuffer *frame = draw_figure (cases[i].name, cases[i].number);

    if (frame == NULL)
      return;
    /* The integrated loudness of the others is too high. */
    for (gint k = 0; k < (gint) G_N_ELEMENTS (colors); k++)
      fail_unless_equals_int (count_rows (frame, colors[k]), (k == cases[i].color) + (k == 2 && !is_integrated));
    gst_buffer_unref (frame);
  }
}

/* The right meter of two begins at this share of the width, after the gap. */
#define RIGHT_METER 0.69

/* A lamp above the bar of a channel that was clipped, and only there: the other one is quiet, and green. */
TEST (test_clipped)
{
  guint red[2];
  Pads pads;

  pads_open (&pads, "show=meters size=0.5");
  for (guint i = 0; i < 2; i++) {
    GstBuffer *frame;

    push_sound (&pads, i, i ? 32767 : 32000, 100);
    frame = overlay_push_value (pads.video, i, 50);
    red[i] = count_color (frame, 0xfff0503c);
    fail_unless_equals_int (count_color_from (frame, RIGHT_METER, 0xfff0503c), 0);
    gst_buffer_unref (frame);
  }
  fail_unless (red[1] > red[0] + 30, "%u %u", red[0], red[1]);
  pads_close (&pads);
}

/* The mark of the highest peak stays when the sound and its bar have gone; a channel that was always silent
 * has none. */
TEST (test_peak_marks)
{
  static const guint32 color = 0xffeceff4;
  guint n_pixels[2];
  Pads pads;

  pads_open (&pads, "show=meters size=0.5 peak-falloff=1000 "
      "peak-ttl=60000000000");
  for (guint i = 0; i < 2; i++) {
    GstBuffer *frame;

    push_sound (&pads, 10 * i, i ? 0 : 10000, 0);
    frame = overlay_push_value (pads.video, 10 * i, 50);
    n_pixels[i] = count_color (frame, color);
    fail_unless_equals_int (count_color_from (frame, RIGHT_METER, color), 0);
    fail_unless_equals_int (count_colored (frame) > 100, i == 0);
    gst_buffer_unref (frame);
  }
  fail_unless (n_pixels[0] > 10 && n_pixels[1] == n_pixels[0], "%u %u",
      n_pixels[0], n_pixels[1]);
  pads_close (&pads);
}

/* The panel of a very small picture has bars, but no labels: nothing is drawn outside of it. */
TEST (test_small_panels)
{
  static const gint sizes[][2] = { {40, 30}, {60, 16}, {160, 90}, {400, 150},
  {300, 1200}, {200, 24}, {400, 32}, {2000, 1000}
  };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    gchar *caps = g_strdup_printf ("video/x-raw, format=GRAY8, width=%d, "
        "height=%d, framerate=25/1", sizes[i][0], sizes[i][1]);
    GstBuffer *frame;
    Pads pads;

    pads_open (&pads, "show=meters+loudness size=1 margin=0");
    gst_harness_set_src_caps_str (pads.video, caps);
    push_sound (&pads, 0, 30000, 30000);
    frame = overlay_push_value (pads.video, 0, 50);
    fail_unless_equals_int (overlay_count (frame), 1);
    fail_unless (count_colored (frame) > 8, "%ux%u", sizes[i][0],
        sizes[i][1]);
    gst_buffer_unref (frame);
    pads_close (&pads);
    g_free (caps);
  }
}

/* Two meters have their letters below them, however narrow they are, above the room for the correlation. */
TEST (test_narrow_stereo)
{
  OverlayRectangle panel;
  GstBuffer *frame;
  guint n_light = 0;
  Pads pads;

  pads_open (&pads, "show=meters size=1 margin=0");
  gst_harness_set_src_caps_str (pads.video, "video/x-raw, format=GRAY8, "
      "width=200, height=64, framerate=25/1");
  push_sound (&pads, 0, 0, 0);
  frame = overlay_push_value (pads.video, 0, 50);
  panel = overlay_get_rectangle (frame, 0);
  fail_unless_equals_int (panel.height, 64);
  /* The meters begin after the scale, at 0.24 of the height. */
  for (gint y = 64 - 20; y < 64 - 10; y++)
    for (gint x = 16; x < panel.width; x++)
      n_light += (panel.pixels[y * panel.width + x] & 255) > 150;
  fail_unless (n_light > 4, "%u", n_light);
  gst_buffer_unref (frame);
  pads_close (&pads);
}

/* Left of the trough of the correlation is its name, also in low panels, which have no numbers below it. */
TEST (test_name_of_correlation)
{
  static const gint heights[] = { 110, 130, 150, 200, 300 };

  for (guint i = 0; i < G_N_ELEMENTS (heights); i++) {
    gchar *caps = g_strdup_printf ("video/x-raw, format=GRAY8, width=640, height=%d, framerate=25/1", heights[i]);
    OverlayRectangle panel;
    GstBuffer *frame;
    guint n_light = 0;
    Pads pads;

    pads_open (&pads, "show=meters size=1 margin=0");
    gst_harness_set_src_caps_str (pads.video, caps);
    push_sound (&pads, 0, 1000, 1000);
    frame = overlay_push_value (pads.video, 0, 50);
    panel = overlay_get_rectangle (frame, 0);
    fail_unless_equals_int (panel.height, heights[i]);
    /* Below the least level of the scale; the meters begin at 0.24 of the height. */
    for (gint y = heights[i] - heights[i] / 9; y < heights[i]; y++)
      for (gint x = 0; x < 0.22 * heights[i]; x++)
        n_light += (panel.pixels[y * panel.width + x] & 255) > 0x70;
    fail_unless (n_light > 10, "%d: %u", heights[i], n_light);
    gst_buffer_unref (frame);
    pads_close (&pads);
    g_free (caps);
  }
}

/* @longest: ns that the frame may wait
 * Returns: the time it took in us. */
static gint64
push_frame (Pads * pads, guint n, guint64 longest, guint expected)
{
  const gint64 begin = g_get_monotonic_time ();

  g_object_set (pads->overlay, "audio-wait", longest, NULL);
  overlay_check_count (pads->video, n, 50, expected);
  return g_get_monotonic_time () - begin;
}

/* A frame that waits until it may not wait any longer. */
static void
push_waiting_frame (Pads * pads, guint n, guint expected)
{
  fail_unless (push_frame (pads, n, SHORT_WAIT, expected) >= LEAST_WAIT,
      "frame %u has not waited", n);
}

/* A frame that does not wait. */
static void
push_quick_frame (Pads * pads, guint n, guint expected)
{
  fail_unless (push_frame (pads, n, LONG_WAIT, expected) < MOST_TIME,
      "frame %u has waited", n);
}

/* A frame of this size that has the panel of sound with so many channels. @value: of all bytes of the sound */
static GstBuffer *
draw_channels (const gchar * properties, gint width, gint height,
    gint n_channels, guint8 value)
{
  gchar *video = g_strdup_printf ("video/x-raw, format=GRAY8, width=%d, "
      "height=%d, framerate=25/1", width, height);
  gchar *audio = g_strdup_printf ("audio/x-raw, format=S16LE, "
      "layout=interleaved, rate=48000, channels=%d, channel-mask=(bitmask)0",
      n_channels);
  GstBuffer *frame;
  Pads pads;

  pads_open (&pads, properties);
  gst_harness_set_src_caps_str (pads.video, video);
  gst_harness_set_src_caps_str (pads.audio, audio);
  gst_harness_set_src_caps_str (pads.histo, audio);
  gst_harness_push (pads.audio, gst_harness_push_and_pull (pads.histo,
          test_buffer_new (2 * n_channels * N_SAMPLES, value, 0)));
  frame = overlay_push_value (pads.video, 0, 50);
  pads_close (&pads);
  g_free (audio);
  g_free (video);
  return frame;
}

/* ---- Several pairs, and names -------------------------------------------------------- */

/* A frame of 640 × 480 with the panel of four channels at once: the first two are alike, the others opposite. @mask: of
 * their positions. @n_buffers: of sound, 40 ms each */
static GstBuffer *
draw_four (const gchar * properties, guint mask, guint n_buffers)
{
  gchar *caps = g_strdup_printf ("audio/x-raw, format=S16LE, layout=interleaved, rate=48000, channels=4, "
      "channel-mask=(bitmask)0x%x", mask);
  GstBuffer *frame;
  Pads pads;

  pads_open (&pads, properties);
  gst_harness_set_src_caps_str (pads.audio, caps);
  gst_harness_set_src_caps_str (pads.histo, caps);
  for (guint n = 0; n < n_buffers; n++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, N_SAMPLES * 8, NULL);
    GstMapInfo map;

    gst_buffer_map (buffer, &map, GST_MAP_WRITE);
    for (guint i = 0; i < 4 * N_SAMPLES; i++)
      GST_WRITE_UINT16_LE (map.data + 2 * i, (i / 4 & 16) == (i % 4 == 3 ? 16 : 0) ? 100 : -100);
    gst_buffer_unmap (buffer, &map);
    GST_BUFFER_PTS (buffer) = n * 40 * GST_MSECOND;
    GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
    gst_harness_push (pads.audio, gst_harness_push_and_pull (pads.histo, buffer));
  }
  frame = overlay_push_value (pads.video, n_buffers - 1, 50);
  pads_close (&pads);
  g_free (caps);
  return frame;
}

/* Left edge of the meters in a panel of this height, and of a pair's half among four channels; as in the panel's
 * comment */
#define METERS_LEFT 0.24
#define METER_WIDTH 0.12

/* Each pair has its own trough, with ticks at -1, 0 and 1: the bar of the first pair goes to the right end of its own
 * trough, that of the second one to the left end. */
TEST (test_two_pairs)
{
  GstBuffer *frame = draw_four ("show=meters size=0.5", 0x33, 1);
  const OverlayRectangle panel = overlay_get_rectangle (frame, 0);
  const gdouble left = METERS_LEFT * panel.height, width = METER_WIDTH * panel.height;
  guint halves[4] = { 0 }, n_ticks = 0;
  gint trough = -1;

  for (gint y = panel.height * 5 / 6; y < panel.height; y++)
    for (gint x = left; x < left + 4 * width; x++) {
      const guint32 pixel = panel.pixels[y * panel.width + x];
      const gint green = pixel >> 8 & 255, blue = pixel & 255;

      if (green < blue + 60)
        continue;
      halves[(gint) ((x - left) / width)]++;
      trough = trough < 0 ? y : trough;
    }
  /* The ticks lie over the middles, and a bar may reach to the end of its trough, but not further. */
  fail_unless (halves[1] > 100 && halves[2] > 100, "%u %u", halves[1], halves[2]);
  fail_unless (halves[0] < halves[1] / 8 && halves[3] < halves[2] / 8, "%u %u %u %u", halves[0], halves[1], halves[2],
      halves[3]);
  /* Above the bars are the ends of six ticks. */
  for (gint x = left; x < left + 4 * width; x++) {
    const guint32 *row = panel.pixels + (trough - 1) * panel.width;

    n_ticks += (row[x] & 255) > 0x80 && (row[x - 1] & 255) <= 0x80;
  }
  fail_unless_equals_int (n_ticks, 6);
  gst_buffer_unref (frame);
}

/* The warning and its word cover the inverted pair, but neither the other pair nor the name of the correlation. In a low panel
 * the word has no room there: it covers the name. */
TEST (test_phase_of_two_pairs)
{
  static const gchar *const drawings[] = { "show=meters size=0.5", "show=meters size=0.2" };

  for (guint i = 0; i < G_N_ELEMENTS (drawings); i++) {
    GstBuffer *frame = draw_four (drawings[i], 0x33, 51);
    const OverlayRectangle panel = overlay_get_rectangle (frame, 0);
    const gdouble left = METERS_LEFT * panel.height, width = METER_WIDTH * panel.height;
    guint n[3] = { 0 }, n_light = 0, n_green = 0;

    for (gint y = panel.height * 5 / 6; y < panel.height; y++)
      for (gint x = 0; x < left + 4 * width; x++) {
        const guint32 pixel = panel.pixels[y * panel.width + x] & 0xffffff;

        n[x < left ? 0 : x < left + 2 * width ? 1 : 2] += pixel == PHASE_COLOR;
        n_light += x > left + 2 * width + 2 && (pixel & 255) > 0xa0;
        n_green += pixel == 0x35c46a;
      }
    fail_unless (n[1] < 20 && n[2] > 30 && n_green > 10, "%u: %u %u %u, %u", i, n[0], n[1], n[2], n_green);
    fail_unless (i == 0 ? n[0] == 0 && n_light > 20 : n[0] > 20, "%u: %u, %u", i, n[0], n_light);
    gst_buffer_unref (frame);
  }
}

/* Each of six channels has its name, also in low panels: below each meter are light pixels. */
TEST (test_names_of_six)
{
  static const gint heights[] = { 76, 82, 100, 120, 240 };

  for (guint i = 0; i < G_N_ELEMENTS (heights); i++) {
    gchar *video = g_strdup_printf ("video/x-raw, format=GRAY8, width=800, height=%d, framerate=25/1", heights[i]);
    const gchar *audio = "audio/x-raw, format=S16LE, layout=interleaved, rate=48000, channels=6, "
        "channel-mask=(bitmask)0x3f";
    OverlayRectangle panel;
    GstBuffer *frame;
    HistoBox plot;
    gdouble width;
    gint font, bottom;
    Pads pads;

    pads_open (&pads, "show=meters size=1 margin=0");
    gst_harness_set_src_caps_str (pads.video, video);
    gst_harness_set_src_caps_str (pads.audio, audio);
    gst_harness_set_src_caps_str (pads.histo, audio);
    gst_harness_push (pads.audio, gst_harness_push_and_pull (pads.histo, test_buffer_new (12 * N_SAMPLES, 0, 0)));
    frame = overlay_push_value (pads.video, 0, 50);
    panel = overlay_get_rectangle (frame, 0);
    fail_unless_equals_int (panel.height, heights[i]);
    plot = histo_plot_box ((HistoSize) { panel.width, panel.height }, 0, 1);
    font = histo_font_size (panel.height);
    /* Below the names are the troughs and their numbers. */
    bottom = plot.y + plot.height - MAX (panel.height / 12, 4) - (font >= 12 ? font * 3 / 4 : 0);
    width = (panel.width - (METERS_LEFT + 0.05) * panel.height) / 6;
    for (guint c = 0; c < 6; c++) {
      guint n_light = 0;

      for (gint y = bottom - font + 1; y < bottom; y++)
        for (gint x = 1; x < width - 1; x++)
          n_light += (panel.pixels[y * panel.width + (gint) (METERS_LEFT * panel.height + c * width) + x] & 255) > 0x60;
      fail_unless (n_light >= 4, "%d rows, channel %u: %u", heights[i], c, n_light);
    }
    gst_buffer_unref (frame);
    pads_close (&pads);
    g_free (video);
  }
}

/* Names are those of the positions. Without positions channels have numbers, and are no other pairs. */
TEST (test_names_of_positions)
{
  static const guint masks[] = { 0x33, 0x107, 0 };
  OverlayRectangle panels[3];
  GstBuffer *frames[3];

  for (guint i = 0; i < 3; i++) {
    guint n = 0;

    frames[i] = draw_four ("show=meters size=0.5", masks[i], 1);
    panels[i] = overlay_get_rectangle (frames[i], 0);
    /* The row of the names. */
    for (gint k = 0; k < panels[0].width * panels[0].height; k++)
      n += k / panels[0].width > panels[0].height * 3 / 4 && panels[i].pixels[k] != panels[0].pixels[k];
    fail_unless (i == 0 || n > 40, "%u", n);
  }
  for (guint i = 0; i < 3; i++)
    gst_buffer_unref (frames[i]);
}

/* Beside the bar of the loudness are its marks in LUFS: the target, 9 LU above, 9 and 18 LU below. Other targets are other
 * numbers at the same places, and 0.5 LU is another number, too. Right of the figures are units. */
TEST (test_scale_of_loudness)
{
  static const gchar *const drawings[] = {
    "show=loudness size=0.5 loudness-target=-23", "show=loudness size=0.5 loudness-target=-16",
    "show=loudness size=0.5 loudness-target=-22.5"
  };
  static const gdouble shares[] = { 0, 1 / 3., 2 / 3., 1 };
  gboolean changes[2][480] = { {FALSE} };
  OverlayRectangle panels[3];
  GstBuffer *frames[3];
  guint n_units = 0;
  HistoBox box;

  if (!test_has_loudness ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (drawings); i++) {
    Pads pads;

    pads_open (&pads, drawings[i]);
    push_sound (&pads, 0, 0, 0);
    frames[i] = overlay_push_value (pads.video, 0, 50);
    pads_close (&pads);
    panels[i] = overlay_get_rectangle (frames[i], 0);
  }
  box = histo_plot_box ((HistoSize) { panels[0].width, panels[0].height }, 0, 1);
  box.height -= histo_font_size (panels[0].height);
  for (gint k = 0; k < panels[0].width * panels[0].height; k++) {
    const gint x = k % panels[0].width, y = k / panels[0].width;

    /* The numbers left of the bar; the title right of it. */
    for (guint i = 0; i < 2; i++)
      changes[i][y] |= x < 0.2 * panels[0].height && panels[0].pixels[k] != panels[1 + i].pixels[k];
    n_units += x > panels[0].width - 0.2 * panels[0].height && y > box.y && (panels[0].pixels[k] & 255) > 0x60;
  }
  for (guint n = 0; n < 2; n++) {
    for (guint i = 0; i < G_N_ELEMENTS (shares); i++) {
      const gint middle = box.y + (gint) (shares[i] * box.height);

      fail_unless (changes[n][middle - 3] || changes[n][middle] || changes[n][middle + 3], "%u %u", n, i);
    }
    fail_if (changes[n][box.y + box.height / 6] || changes[n][box.y + box.height / 2]
        || changes[n][box.y + box.height * 5 / 6]);
  }
  fail_unless (n_units > 100, "%u", n_units);
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    gst_buffer_unref (frames[i]);
}

/* Width of the panel in a picture of 1080 lines. */
static gint
find_width (gint n_channels)
{
  GstBuffer *frame = draw_channels ("show=meters size=0.5 audio-wait=0", 1920,
      1080, n_channels, 1);
  const OverlayRectangle panel = overlay_get_rectangle (frame, 0);

  fail_unless (panel.height > 270 && panel.height <= 540);
  gst_buffer_unref (frame);
  return panel.width;
}

/* In a small picture many meters have no names, and the panel fits. */
TEST (test_many_channels_in_small_picture)
{
  GstBuffer *frame = draw_channels ("show=meters size=1 margin=0 audio-wait=0",
      240, 180, 32, 0x70);
  const OverlayRectangle panel = overlay_get_rectangle (frame, 0);

  fail_unless (panel.width > 120 && panel.width <= 240, "%d", panel.width);
  fail_unless (count_colored (frame) > 32);
  gst_buffer_unref (frame);
}

/* Each channel has its meter, up to 32; one and two have the same room. */
TEST (test_many_channels)
{
  const gint narrow = find_width (1), eight = find_width (8);

  fail_unless_equals_int (find_width (2), narrow);
  fail_unless (eight > narrow + 540 / 4, "%d %d", narrow, eight);
  fail_unless (find_width (12) > eight + 540 / 4);
  fail_unless_equals_int (find_width (40), find_width (32));
}

/* ---- Times and results that are missing or wrong ------------------------------------- */

/* Sound without times, and in a segment that is not of time, belongs to the next frame. */
TEST (test_sound_without_times)
{
  GstSegment segment;
  GstBuffer *frame;
  guint colored[4];
  Pads pads;

  pads_open (&pads, "show=meters size=0.5 audio-wait=0 peak-falloff=1000 "
      "peak-ttl=0");
  for (guint n = 0; n < 4; n++) {
    GstBuffer *buffer = measure (&pads, n, n % 2 ? 30000 : 100, 100);

    if (n == 3) {
      gst_segment_init (&segment, GST_FORMAT_BYTES);
      gst_harness_push_event (pads.audio, gst_event_new_segment (&segment));
    } else if (n > 0) {
      GST_BUFFER_DURATION (buffer) = GST_CLOCK_TIME_NONE;
      if (n == 2)
        GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
    }
    gst_harness_push (pads.audio, buffer);
    /* The first frame has no time, either. */
    frame = gst_buffer_new_allocate (NULL, 640 * 480, NULL);
    gst_buffer_memset (frame, 0, 50, 640 * 480);
    if (n > 0)
      GST_BUFFER_PTS (frame) = n * 40 * GST_MSECOND;
    frame = gst_harness_push_and_pull (pads.video, frame);
    fail_unless_equals_int (overlay_count (frame), 1);
    colored[n] = count_colored (frame);
    gst_buffer_unref (frame);
  }
  fail_unless (colored[1] > colored[0] + 1000, "%u %u", colored[0],
      colored[1]);
  fail_unless (colored[2] < colored[1] && colored[3] > colored[2] + 1000,
      "%u %u %u", colored[1], colored[2], colored[3]);
  pads_close (&pads);
}

/* Sound that begins before its segment is shown from the segment's start on, which here has the running time of
 * frame 3. */
TEST (test_sound_across_start)
{
  guint colored[5];
  GstSegment segment;
  Pads pads;

  pads_open (&pads, "show=meters size=0.5 audio-wait=0");
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 20 * GST_MSECOND;
  segment.base = 130 * GST_MSECOND;
  gst_harness_push_event (pads.audio, gst_event_new_segment (&segment));
  push_sound (&pads, 0, 30000, 30000);
  for (guint n = 0; n < G_N_ELEMENTS (colored); n++)
    colored[n] = count_in_frame (&pads, n);
  fail_unless (colored[2] == 0 && colored[3] > 1000, "%u %u", colored[2],
      colored[3]);
  pads_close (&pads);
}

/* A gap of unknown length lasts until its begin. */
TEST (test_gap_without_duration)
{
  Pads pads;

  pads_open (&pads, "show=meters");
  push_sound (&pads, 0, 100, 100);
  push_quick_frame (&pads, 0, 1);
  gst_harness_push_event (pads.audio, gst_event_new_gap (80 * GST_MSECOND,
          GST_CLOCK_TIME_NONE));
  push_quick_frame (&pads, 1, 1);
  push_waiting_frame (&pads, 2, 1);
  pads_close (&pads);
}

/* A frame that has the result of sound: nothing is drawn. */
static void
push_result_of_sound (Pads * pads, guint number, guint n)
{
  GstBuffer *frame = measure (pads, number, 30000, 30000);

  gst_buffer_set_size (frame, 0);
  gst_buffer_append_memory (frame, gst_allocator_alloc (NULL, 640 * 480, NULL));
  gst_buffer_memset (frame, 0, 50, 640 * 480);
  frame = overlay_push (pads->video, n, frame);
  fail_unless_equals_int (overlay_count (frame), 0);
  gst_buffer_unref (frame);
}

/* Results of video at an audio pad, results of audio at the video pad, and structures that are no
 * results are not shown; the buffers pass. */
TEST (test_other_results)
{
  GstHarness *histo = gst_harness_new_parse ("cudahisto backend=cpu");
  GstBuffer *picture, *frame;
  Pads pads;

  pads_open (&pads, "show=histogram+meters audio-wait=0");
  gst_harness_set_src_caps_str (histo, VIDEO_CAPS);
  picture = overlay_push_value (histo, 0, 50);
  for (guint n = 0; n < 2; n++) {
    GstBuffer *empty = test_buffer_new (640 * 480, 50, 0);

    fail_unless_equals_int (gst_harness_push (pads.audio,
            gst_buffer_ref (picture)), GST_FLOW_OK);
    gst_buffer_add_custom_meta (empty, "cudahisto");
    fail_unless_equals_int (gst_harness_push (pads.audio,
            gst_buffer_ref (empty)), GST_FLOW_OK);
    frame = overlay_push (pads.video, 2 * n, empty);
    fail_unless_equals_int (overlay_count (frame), 0);
    gst_buffer_unref (frame);
    push_result_of_sound (&pads, n, 2 * n + 1);
  }
  /* Right ones are shown as before. */
  push_sound (&pads, 0, 30000, 30000);
  frame = overlay_push (pads.video, 4, picture);
  fail_unless_equals_int (overlay_count (frame), 2);
  gst_buffer_unref (frame);
  gst_harness_teardown (histo);
  pads_close (&pads);
}

/* The same for the first result of a pad, of which the log warns: a structure that is no result at the
 * audio pad, and a result of audio at the video pad. */
TEST (test_other_first_results)
{
  GstBuffer *empty = gst_buffer_new_allocate (NULL, 4, NULL);
  Pads pads;

  pads_open (&pads, "show=meters audio-wait=0");
  gst_buffer_add_custom_meta (empty, "cudahisto");
  fail_unless_equals_int (gst_harness_push (pads.audio, empty), GST_FLOW_OK);
  for (guint n = 0; n < 2; n++)
    push_result_of_sound (&pads, n, n);
  push_sound (&pads, 2, 30000, 30000);
  overlay_check_count (pads.video, 2, 50, 1);
  pads_close (&pads);
}

/* Alerts that cannot be read are left out, and the meters are shown. */
TEST (test_wrong_alerts)
{
  GstBuffer *sound, *frame;
  Pads pads;

  pads_open (&pads, "show=meters+alerts audio-wait=0");
  sound = measure (&pads, 0, 1000, 1000);
  gst_structure_set (result_of (sound), "alerts", G_TYPE_INT, 5, NULL);
  gst_harness_push (pads.audio, sound);
  frame = overlay_push_value (pads.video, 0, 50);
  fail_unless_equals_int (overlay_count (frame), 1);
  fail_unless (count_colored (frame) > 100);
  gst_buffer_unref (frame);
  pads_close (&pads);
}

/* While no frame comes, the results of 8192 buffers wait; then the oldest ones are dropped. */
TEST (test_many_results)
{
  GstBuffer *silent;
  Pads pads;

  pads_open (&pads, "show=alerts audio-wait=0");
  pads_measure_with (&pads, "histogram=false alerts=silence "
      "silence-duration=0");
  silent = measure (&pads, 0, 0, 0);
  for (guint dropped = 0; dropped < 2; dropped++) {
    GstBuffer *sound = measure (&pads, 1, 1000, 1000);

    /* The end of the silence is an alert, too; the buffer after it has none. */
    gst_buffer_unref (sound);
    sound = measure (&pads, 2, 1000, 1000);
    gst_harness_push (pads.audio, gst_buffer_ref (silent));
    for (guint i = 0; i < 8191 + dropped; i++)
      gst_harness_push (pads.audio, gst_buffer_ref (sound));
    gst_buffer_unref (sound);
    overlay_check_count (pads.video, 10, 50, !dropped);
    test_flush (pads.video);
    test_push_segment (pads.video);
  }
  gst_buffer_unref (silent);
  pads_close (&pads);
}

/* ---- Waiting ----------------------------------------------------------------------- */

static gpointer
push_later (gpointer data)
{
  Pads *pads = data;

  g_usleep (300000);
  push_sound (pads, 0, 30000, 30000);
  return NULL;
}

static void
check_waiting (gboolean knows_latency)
{
  GThread *thread;
  Pads pads;

  pads_open (&pads, "show=meters");
  pads.knows_latency = knows_latency;
  thread = g_thread_new ("sound", push_later, &pads);
  push_quick_frame (&pads, 0, 1);
  g_thread_join (thread);
  pads_close (&pads);
}

/* A frame waits for its sound, which it then shows, also if upstream does not say whether it is live. */
TEST (test_waiting)
{
  check_waiting (TRUE);
  check_waiting (FALSE);
}

/* A frame of a live source does not wait. */
TEST (test_live)
{
  Pads pads;

  pads_open (&pads, "show=meters");
  pads.is_live = TRUE;
  push_quick_frame (&pads, 0, 0);
  fail_unless (g_atomic_int_get (&pads.was_asked));
  pads_close (&pads);
}

/* An application that stops while it seeks sends FLUSH_START and sets the state READY, without
 * FLUSH_STOP. In the next run a frame waits for its sound again. */
TEST (test_waiting_after_open_flush)
{
  GThread *thread;
  GstPad *sink;
  Pads pads;

  pads_open (&pads, "show=meters");
  push_sound (&pads, 0, 100, 100);
  push_quick_frame (&pads, 0, 1);
  sink = gst_element_get_static_pad (pads.overlay, "sink");
  fail_unless (gst_pad_send_event (sink, gst_event_new_flush_start ()));
  gst_object_unref (sink);
  gst_element_set_state (pads.overlay, GST_STATE_READY);
  gst_element_set_state (pads.overlay, GST_STATE_PLAYING);
  fail_unless (gst_pad_send_event (pads.video->sinkpad,
          gst_event_new_flush_stop (TRUE)));
  pads_begin_again (&pads);
  thread = g_thread_new ("sound", push_later, &pads);
  push_quick_frame (&pads, 0, 1);
  g_thread_join (thread);
  pads_close (&pads);
}

/* The pad frees the buffer after it has read the result: that takes time. */
static void
free_slowly (gpointer is_freed)
{
  g_atomic_int_set ((gint *) is_freed, TRUE);
  g_usleep (300000);
}

static gpointer
push_slow_sound (gpointer data)
{
  Pads *pads = data;
  GstBuffer *buffer = measure (pads, 1000, 30000, 30000);

  gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (buffer),
      g_quark_from_static_string ("slow"), &pads->was_asked, free_slowly);
  gst_harness_push (pads->audio, buffer);
  return NULL;
}

/* A buffer of sound that is in the pad while the element stops is not in the next run, in which its time
 * has not come. */
TEST (test_stop_while_sound_comes)
{
  GThread *thread;
  Pads pads;

  pads_open (&pads, "show=meters");
  thread = g_thread_new ("sound", push_slow_sound, &pads);
  test_wait_until_set (&pads.was_asked);
  gst_element_set_state (pads.overlay, GST_STATE_READY);
  g_thread_join (thread);
  gst_element_set_state (pads.overlay, GST_STATE_PLAYING);
  pads_begin_again (&pads);
  push_sound (&pads, 0, 100, 100);
  push_quick_frame (&pads, 0, 1);
  pads_close (&pads);
}

/* If no sound comes, one frame waits, and the next ones do not. When the sound has caught up, frames
 * wait again. */
TEST (test_late_sound)
{
  Pads pads;

  pads_open (&pads, "show=meters");
  push_waiting_frame (&pads, 0, 0);
  push_quick_frame (&pads, 1, 0);
  push_quick_frame (&pads, 2, 0);
  push_sound (&pads, 0, 100, 100);
  push_quick_frame (&pads, 3, 1);
  for (guint n = 1; n < 4; n++)
    push_sound (&pads, n, 100, 100);
  push_waiting_frame (&pads, 4, 1);
  pads_close (&pads);
}

/* Of two pads, one has its sound, and the other one keeps the frame waiting; then it does not any
 * more. */
TEST (test_one_late_pad)
{
  GstHarness *other;
  Pads pads;

  pads_open (&pads, "show=meters");
  other = gst_harness_new_with_element (pads.overlay, "audio_%u", NULL);
  gst_harness_set_src_caps_str (other, AUDIO_CAPS);
  push_sound (&pads, 0, 100, 100);
  push_sound (&pads, 1, 100, 100);
  push_waiting_frame (&pads, 0, 1);
  push_quick_frame (&pads, 1, 1);
  gst_harness_teardown (other);
  pads_close (&pads);
}

/* No frame waits for a pad that is not linked. */
TEST (test_unlinked_pad)
{
  GstPad *pad;
  Pads pads;

  pads_open (&pads, "show=meters");
  pad = gst_element_request_pad_simple (pads.overlay, "audio_%u");
  push_sound (&pads, 0, 100, 100);
  push_quick_frame (&pads, 0, 1);
  gst_element_release_request_pad (pads.overlay, pad);
  gst_object_unref (pad);
  pads_close (&pads);
}

/* EOS and gaps say that there is no sound to wait for. Frames wait for that of another stream again. */
TEST (test_end_of_sound)
{
  Pads pads;

  pads_open (&pads, "show=meters");
  push_sound (&pads, 0, 100, 100);
  push_quick_frame (&pads, 0, 1);
  gst_harness_push_event (pads.audio, gst_event_new_gap (40 * GST_MSECOND,
          80 * GST_MSECOND));
  push_quick_frame (&pads, 1, 1);
  push_quick_frame (&pads, 2, 1);
  gst_harness_push_event (pads.audio, gst_event_new_eos ());
  push_quick_frame (&pads, 3, 1);
  push_quick_frame (&pads, 100, 1);
  gst_harness_push_event (pads.audio, gst_event_new_stream_start ("again"));
  push_waiting_frame (&pads, 101, 1);
  pads_close (&pads);
}

/* The end of a segment says so, too, until another one begins. */
TEST (test_end_of_segment)
{
  Pads pads;

  pads_open (&pads, "show=meters");
  push_sound (&pads, 0, 100, 100);
  push_quick_frame (&pads, 0, 1);
  gst_harness_push_event (pads.audio, gst_event_new_segment_done (GST_FORMAT_TIME, 40 * GST_MSECOND));
  push_quick_frame (&pads, 1, 1);
  push_quick_frame (&pads, 100, 1);
  test_push_segment (pads.audio);
  push_waiting_frame (&pads, 101, 1);
  pads_close (&pads);
}

/* ---- Events of downstream ------------------------------------------------------------ */

/* A seek and the latency reach the sources of the sound, too; QOS only that of the frames. */
TEST (test_events_of_downstream)
{
  const struct
  {
    GstEvent *event;
    gboolean is_for_sound;
  } events[] = {
    {gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0), TRUE},
    {gst_event_new_latency (GST_SECOND), TRUE},
    {gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 2, GST_SECOND, 0), FALSE},
    {gst_event_new_navigation (gst_structure_new_empty ("key")), FALSE},
  };
  Pads pads;

  pads_open (&pads, "");
  for (guint i = 0; i < G_N_ELEMENTS (events); i++) {
    const GstEventType type = GST_EVENT_TYPE (events[i].event);

    gst_harness_push_upstream_event (pads.video, events[i].event);
    fail_unless (test_has_sent_upstream (pads.video, type), "%s", gst_event_type_get_name (type));
    fail_unless_equals_int (test_has_sent_upstream (pads.audio, type), events[i].is_for_sound);
  }
  pads_close (&pads);
}

/* Between a flushing seek and the flush of the frames the sound is of after the seek, and frames of before do not take it. */
TEST (test_flushing_seek)
{
  Pads pads;

  pads_open (&pads, "show=meters");
  push_sound (&pads, 0, 100, 100);
  push_quick_frame (&pads, 0, 1);
  gst_harness_push_upstream_event (pads.video, gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
          GST_SEEK_TYPE_NONE, 0));
  gst_harness_push_event (pads.audio, gst_event_new_flush_start ());
  gst_harness_push_event (pads.audio, gst_event_new_flush_stop (TRUE));
  test_push_segment (pads.audio);
  push_sound (&pads, 0, 100, 100);
  push_quick_frame (&pads, 1, 0);
  gst_harness_push_event (pads.video, gst_event_new_flush_start ());
  gst_harness_push_event (pads.video, gst_event_new_flush_stop (TRUE));
  test_push_segment (pads.video);
  push_quick_frame (&pads, 0, 1);
  pads_close (&pads);
}

/* A gap whose end is no time reaches to the end of the segment. */
TEST (test_endless_gap)
{
  Pads pads;

  pads_open (&pads, "show=meters");
  push_sound (&pads, 0, 100, 100);
  gst_harness_push_event (pads.audio, gst_event_new_gap (5 * GST_SECOND, GST_CLOCK_TIME_NONE - 4 * GST_SECOND));
  push_quick_frame (&pads, 0, 1);
  push_quick_frame (&pads, 1000, 1);
  pads_close (&pads);
}

static gpointer
push_waiting (gpointer data)
{
  Pads *pads = data;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 640 * 480, NULL);

  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  return GINT_TO_POINTER (gst_harness_push (pads->video, buffer));
}

/* A flush and a stop end the waiting. */
static void
check_end_of_waiting (gboolean stops)
{
  GThread *thread;
  gint64 begin;
  Pads pads;

  pads_open (&pads, "");
  g_object_set (pads.overlay, "audio-wait", (guint64) LONG_WAIT, NULL);
  thread = g_thread_new ("video", push_waiting, &pads);
  test_wait_until_set (&pads.was_asked);
  g_usleep (100000);
  begin = g_get_monotonic_time ();
  if (stops)
    test_set_state (pads.overlay, GST_STATE_READY);
  else
    test_flush (pads.video);
  g_thread_join (thread);
  fail_unless (g_get_monotonic_time () - begin < MOST_TIME);
  pads_close (&pads);
}

TEST (test_end_of_waiting)
{
  check_end_of_waiting (FALSE);
  check_end_of_waiting (TRUE);
}

/* A flush of the sound drops what has come. */
TEST (test_flush_of_sound)
{
  guint loud, quiet;
  Pads pads;

  pads_open (&pads, "show=meters size=0.5 audio-wait=0");
  push_sound (&pads, 0, 30000, 30000);
  loud = count_in_frame (&pads, 0);
  push_sound (&pads, 1, 30000, 30000);
  test_flush (pads.audio);
  test_push_segment (pads.audio);
  overlay_check_count (pads.video, 1, 50, 0);
  push_sound (&pads, 2, 100, 100);
  quiet = count_in_frame (&pads, 2);
  fail_unless (quiet > 0 && quiet < loud, "%u %u", quiet, loud);
  pads_close (&pads);
}

/* ---- Pads -------------------------------------------------------------------------- */

static GstPad *
request_new_pad (GstElement * overlay, const gchar * name)
{
  return GST_ELEMENT_GET_CLASS (overlay)->request_new_pad (overlay,
      gst_element_get_pad_template (overlay, "audio_%u"), name, NULL);
}

/* Names are as requested; there are at most eight; a pad that was released is free again. */
TEST (test_requests)
{
  /* No numbers of a pad: the first free one is taken. */
  static const gchar *const others[] = { "sound_3", "audio_x", "audio_4294967296" };
  GstElement *overlay = gst_element_factory_make ("cudahistooverlay", NULL);
  GstPad *pads[8];

  gst_object_ref_sink (overlay);
  /* Without a name. */
  pads[0] = gst_element_request_pad (overlay,
      gst_element_get_pad_template (overlay, "audio_%u"), NULL, NULL);
  fail_unless_equals_string (GST_PAD_NAME (pads[0]), "audio_0");
  gst_element_release_request_pad (overlay, pads[0]);
  gst_object_unref (pads[0]);
  pads[0] = gst_element_request_pad_simple (overlay, "audio_3");
  fail_unless_equals_string (GST_PAD_NAME (pads[0]), "audio_3");
  /* GStreamer itself complains about a name that exists. */
  fail_unless (request_new_pad (overlay, "audio_3") == NULL);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    GstPad *pad = request_new_pad (overlay, others[i]);

    fail_unless_equals_string (GST_PAD_NAME (pad), "audio_0");
    gst_element_release_request_pad (overlay, pad);
  }
  for (guint i = 1; i < 8; i++) {
    pads[i] = gst_element_request_pad_simple (overlay, "audio_%u");
    fail_unless (pads[i] != NULL);
  }
  fail_unless_equals_string (GST_PAD_NAME (pads[1]), "audio_0");
  fail_unless_equals_string (GST_PAD_NAME (pads[4]), "audio_4");
  fail_unless (gst_element_request_pad_simple (overlay, "audio_%u") == NULL);
  for (guint i = 0; i < 8; i++) {
    gst_element_release_request_pad (overlay, pads[i]);
    /* A pad that was released takes nothing any more. */
    fail_if (gst_pad_send_event (pads[i], gst_event_new_flush_stop (TRUE)));
    gst_object_unref (pads[i]);
  }
  pads[0] = gst_element_request_pad_simple (overlay, "audio_%u");
  fail_unless_equals_string (GST_PAD_NAME (pads[0]), "audio_0");
  gst_object_unref (pads[0]);
  gst_object_unref (overlay);
}

/* An audio pad answers the queries for caps, and that nothing is left to drain. The other queries are
 * those of the video. */
TEST (test_queries)
{
  GstQuery *queries[] = { gst_query_new_drain (),
    gst_query_new_position (GST_FORMAT_TIME), gst_query_new_latency ()
  };
  GstPad *pad;
  Pads pads;

  pads_open (&pads, "");
  pad = gst_pad_get_peer (pads.audio->srcpad);
  for (guint i = 0; i < G_N_ELEMENTS (queries); i++) {
    fail_unless_equals_int (gst_pad_query (pad, queries[i]), i == 0);
    gst_query_unref (queries[i]);
  }
  /* It cannot pull. */
  gst_pad_set_active (pad, FALSE);
  fail_if (gst_pad_activate_mode (pad, GST_PAD_MODE_PULL, TRUE));
  fail_unless (gst_pad_set_active (pad, TRUE));
  gst_object_unref (pad);
  pads_close (&pads);
}

/* Alerts of the sound are shown in the picture. */
TEST (test_alerts_of_sound)
{
  Pads pads;

  pads_open (&pads, "show=alerts");
  pads_measure_with (&pads, "alerts=silence silence-duration=0");
  push_sound (&pads, 0, 1000, 1000);
  overlay_check_count (pads.video, 0, 50, 0);
  push_sound (&pads, 1, 0, 0);
  overlay_check_count (pads.video, 1, 50, 1);
  pads_close (&pads);

  /* The alert of a channel. */
  pads_open (&pads, "show=alerts");
  pads_measure_with (&pads, "alerts=clipping");
  push_sound (&pads, 0, 100, 32767);
  overlay_check_count (pads.video, 0, 50, 1);
  pads_close (&pads);
}

/* An alert of silence names the channels. Of many it tells the number. */
TEST (test_channels_of_silence)
{
  static const gchar *const places[] = { "", "ch0, ch1", "all 64 channels" };
  const guint numbers[] = { 1, 2, 64 };
  HistoAlertEvent event = {.alert = HISTO_ALERT_SILENCE };
  GArray *events = g_array_new (FALSE, FALSE, sizeof event);

  g_array_append_val (events, event);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    HistoResult result = {.is_audio = TRUE };
    HistoAlertList list = { 0 };

    histo_result_set_n_components (&result, numbers[i]);
    for (guint c = 0; c < numbers[i]; c++)
      result.components[c].name = c == 0 ? "ch0" : "ch1";
    histo_alert_list_add (&list, events, &result, 0);
    fail_unless_equals_int (list.n, 1);
    fail_unless_equals_string (list.alerts[0].place, places[i]);
    histo_result_clear (&result);
  }
  g_array_unref (events);
}

/* ---- Pipelines --------------------------------------------------------------------- */

/* Plays to the end. */
static void
play (const gchar * description)
{
  GstElement *pipeline = test_pipeline_new ("%s", description);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  test_wait_for (pipeline, GST_MESSAGE_EOS);
  test_pipeline_free (pipeline);
}

#define VIDEO_SOURCE "videotestsrc num-buffers=50 ! " VIDEO_CAPS " ! cudahisto backend=cpu "
#define AUDIO_SOURCE "audiotestsrc num-buffers=100 samplesperbuffer=960 ! " AUDIO_CAPS \
    " ! cudahisto backend=cpu measures=level "

/* With sinks that follow the clock and those that do not, with a branch for the sound, and with sound
 * that is shorter or missing. */
TEST (test_pipelines)
{
  play (VIDEO_SOURCE "! cudahistooverlay name=o ! fakesink "
      AUDIO_SOURCE "! o.audio_0");
  play (VIDEO_SOURCE "! cudahistooverlay name=o ! fakesink sync=true "
      AUDIO_SOURCE "! tee name=t ! queue ! fakesink sync=true t. ! queue ! o.");
  play (VIDEO_SOURCE "! queue ! cudahistooverlay name=o ! videoconvert "
      "! fakesink sync=true audiotestsrc num-buffers=10 ! queue ! cudahisto "
      "! o.audio_0 " AUDIO_SOURCE "! o.audio_1");
  play ("videotestsrc is-live=true num-buffers=20 ! " VIDEO_CAPS
      " ! cudahistooverlay name=o ! fakesink sync=true "
      "audiotestsrc is-live=true num-buffers=20 ! o.");
}

TEST_MAIN (60)
