/* Fuzzer: what the overlay draws: properties, sizes, hostile results of video and sound → rectangles.
 *
 * An input is a few frames. Each one changes something, and is drawn. The overlay draws only what has
 * changed since the frame before; the same must come out if everything is drawn anew. All rectangles lie in
 * the picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "structures.h"

#include "cudahisto/read.h"
#include "overlay/cudahistooverlay.h"
#include "overlay/picture.h"
#include "overlay/settings.h"

#define MOST_FRAMES 6
#define MOST_SIZE 256
/* Some pictures are higher by this factor, so that lines and text are thicker. */
#define MORE_HEIGHT 5
/* Changes of one result. */
#define MOST_STRUCTURE_BYTES 64

/* The properties of the overlay. */
static GParamSpec **specs;
static guint n_specs;

/* What the element keeps from frame to frame. */
typedef struct
{
  HistoOverlaySettings settings;
  gint width, height;
  HistoResult result;
  gboolean has_result;
  HistoHistory history;
  HistoAlertList alerts;
  HistoMeters meters[HISTO_MOST_SOUNDS];
  guint n_sounds;
  guint64 time;                 /* running time in ns */
  HistoPicture picture;
} State;

/* ---- Changes ------------------------------------------------------------------------------------ */

/* A number in the range of the property, or any number. */
static gdouble
choose_double (const GParamSpecDouble * spec, FuzzBytes * input)
{
  if (fuzz_below (input, 4) == 0)
    return fuzz_double (input);
  return spec->minimum + (spec->maximum - spec->minimum)
      * fuzz_u8 (input) / G_MAXUINT8;
}

/* Sets a property, unless GObject refuses the value. */
static void
change_property (State * state, FuzzBytes * input)
{
  static const gchar *const fonts[] = {
    "Serif", "Monospace", "", "no such font", "\xce\xa9", "a:b,c"
  };
  GParamSpec *spec = specs[fuzz_below (input, n_specs)];
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_PARAM_SPEC_VALUE_TYPE (spec));
  if (G_IS_PARAM_SPEC_FLAGS (spec))
    g_value_set_flags (&value, fuzz_u16 (input));
  else if (G_IS_PARAM_SPEC_ENUM (spec))
    g_value_set_enum (&value, fuzz_below (input, 5));
  else if (G_IS_PARAM_SPEC_UINT (spec))
    g_value_set_uint (&value, fuzz_u32 (input));
  else if (G_IS_PARAM_SPEC_UINT64 (spec))
    g_value_set_uint64 (&value, fuzz_edge (input));
  else if (G_IS_PARAM_SPEC_DOUBLE (spec))
    g_value_set_double (&value, choose_double (G_PARAM_SPEC_DOUBLE (spec),
            input));
  else
    g_value_set_static_string (&value, fonts[fuzz_below (input,
                G_N_ELEMENTS (fonts))]);
  if (!g_param_value_validate (spec, &value)) {
    g_autofree gchar *fault = NULL;

    fuzz_check (histo_overlay_settings_set (&state->settings, spec->param_id, &value, &fault), "no property %s", spec->name);
  }
  g_value_unset (&value);
}

/* A structure that a few bytes of the input describe; the rest is left. (transfer full) */
static GstStructure *
take_structure (FuzzBytes * input)
{
  const gsize n = fuzz_below (input, MOST_STRUCTURE_BYTES);
  FuzzBytes part = { input->data, MIN (n, input->left) };

  input->data += part.left;
  input->left -= part.left;
  return fuzz_structure (&part);
}

static void
take_alerts (State * state, const GstStructure * structure,
    const HistoResult * result)
{
  GArray *events = g_array_new (FALSE, FALSE, sizeof (HistoAlertEvent));

  g_array_set_clear_func (events, histo_alert_event_clear);
  if (histo_read_alerts (structure, events, NULL))
    histo_alert_list_add (&state->alerts, events, result, state->time);
  g_array_unref (events);
}

/* As an audio pad does. */
static void
take_sound (State * state, FuzzBytes * input, const HistoResult * result)
{
  HistoMeters *meters;
  HistoSoundResult sound;

  if (state->n_sounds < HISTO_MOST_SOUNDS && fuzz_below (input, 4) == 0)
    histo_meters_reset (&state->meters[state->n_sounds++]);
  if (state->n_sounds == 0)
    return;
  meters = &state->meters[fuzz_below (input, state->n_sounds)];
  histo_sound_result_set (&sound, result, NULL);
  sound.start = state->time;
  sound.end = fuzz_edge (input);
  histo_meters_add (meters, &sound, &state->settings);
}

static void
change_result (State * state, FuzzBytes * input)
{
  GstStructure *structure = take_structure (input);
  HistoResult result = { 0, };
  GError *error = NULL;

  if (histo_read_result (structure, &result, &error)) {
    take_alerts (state, structure, &result);
    if (result.is_audio) {
      take_sound (state, input, &result);
    } else {
      histo_result_clear (&state->result);
      state->result = result;
      state->has_result = TRUE;
      memset (&result, 0, sizeof result);
    }
  }
  g_clear_error (&error);
  histo_result_clear (&result);
  gst_structure_free (structure);
}

static void
change_size (State * state, FuzzBytes * input)
{
  static const gdouble aspects[] = { 1, 0.25, 16 / 11., 4 };
  const guint width = fuzz_u16 (input), height = fuzz_u16 (input);

  state->width = 1 + width % MOST_SIZE;
  state->height = 1 + height % MOST_SIZE;
  if (height / MOST_SIZE % 8 == 7)
    state->height *= MORE_HEIGHT;
  state->settings.style.pixel_aspect =
      aspects[width / MOST_SIZE % G_N_ELEMENTS (aspects)];
}

static void
change (State * state, FuzzBytes * input)
{
  switch (fuzz_below (input, 8)) {
    case 0:
      change_size (state, input);
      break;
    case 1:
    case 2:
      change_property (state, input);
      break;
    case 3:
      state->time = fuzz_edge (input);
      break;
    case 4:
      state->has_result = FALSE;
      break;
    default:
      change_result (state, input);
  }
}

/* ---- Drawing ------------------------------------------------------------------------------------ */

static GstVideoOverlayRectangle *
get_rectangle (GstVideoOverlayComposition * composition, guint i)
{
  return gst_video_overlay_composition_get_rectangle (composition, i);
}

/* The pixels of a rectangle, to be unmapped. */
static void
map_pixels (GstVideoOverlayRectangle * rectangle, GstBuffer ** buffer,
    GstMapInfo * map)
{
  *buffer = gst_video_overlay_rectangle_get_pixels_unscaled_raw (rectangle,
      GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
  fuzz_check (gst_buffer_map (*buffer, map, GST_MAP_READ), "no map");
}

static void
check_rectangle (const State * state, GstVideoOverlayRectangle * rectangle)
{
  guint width, height;
  gint x, y;
  GstBuffer *buffer;
  GstMapInfo map;

  gst_video_overlay_rectangle_get_render_rectangle (rectangle, &x, &y, &width,
      &height);
  fuzz_check (x >= 0 && y >= 0 && x + (gint) width <= state->width
      && y + (gint) height <= state->height, "%ux%u at %d,%d of %dx%d", width,
      height, x, y, state->width, state->height);
  map_pixels (rectangle, &buffer, &map);
  fuzz_check (map.size == (gsize) 4 * width * height, "%" G_GSIZE_FORMAT
      " bytes of %ux%u", map.size, width, height);
  for (gsize i = 0; i < map.size; i += 4) {
    guint32 pixel;

    memcpy (&pixel, map.data + i, 4);
    fuzz_check ((pixel >> 16 & 255) <= pixel >> 24
        && (pixel >> 8 & 255) <= pixel >> 24 && (pixel & 255) <= pixel >> 24,
        "%08x is not premultiplied", pixel);
  }
  gst_buffer_unmap (buffer, &map);
}

static void
compare_rectangles (GstVideoOverlayRectangle * a, GstVideoOverlayRectangle * b)
{
  GstBuffer *buffers[2];
  GstMapInfo maps[2];
  guint width[2], height[2];
  gint x[2], y[2];

  gst_video_overlay_rectangle_get_render_rectangle (a, &x[0], &y[0], &width[0],
      &height[0]);
  gst_video_overlay_rectangle_get_render_rectangle (b, &x[1], &y[1], &width[1],
      &height[1]);
  fuzz_check (x[0] == x[1] && y[0] == y[1] && width[0] == width[1]
      && height[0] == height[1], "%ux%u at %d,%d, not %ux%u at %d,%d",
      width[0], height[0], x[0], y[0], width[1], height[1], x[1], y[1]);
  map_pixels (a, &buffers[0], &maps[0]);
  map_pixels (b, &buffers[1], &maps[1]);
  fuzz_check (memcmp (maps[0].data, maps[1].data, maps[0].size) == 0,
      "pixels of %ux%u at %d,%d differ", width[0], height[0], x[0], y[0]);
  gst_buffer_unmap (buffers[0], &maps[0]);
  gst_buffer_unmap (buffers[1], &maps[1]);
}

static guint
count_rectangles (GstVideoOverlayComposition * composition)
{
  return composition != NULL ?
      gst_video_overlay_composition_n_rectangles (composition) : 0;
}

/* Draws the frame. The kept picture, and one that is new, must have the same rectangles. */
static void
draw (State * state, const HistoScene * scene)
{
  HistoPicture anew = { 0, };
  GstVideoOverlayComposition *kept, *expected;
  guint64 n_drawn;

  kept = histo_picture_update (&state->picture, scene);
  expected = histo_picture_update (&anew, scene);
  fuzz_check (count_rectangles (kept) == count_rectangles (expected),
      "%u rectangles, not %u", count_rectangles (kept),
      count_rectangles (expected));
  for (guint i = 0; i < count_rectangles (kept); i++) {
    check_rectangle (state, get_rectangle (kept, i));
    compare_rectangles (get_rectangle (kept, i), get_rectangle (expected, i));
  }
  histo_picture_clear (&anew);
  n_drawn = state->picture.n_drawn;
  /* With a reference no new one can lie at the same address. */
  if (kept != NULL)
    gst_video_overlay_composition_ref (kept);
  fuzz_check (histo_picture_update (&state->picture, scene) == kept
      && state->picture.n_drawn == n_drawn, "drawn again without a change");
  if (kept != NULL)
    gst_video_overlay_composition_unref (kept);
}

/* As the element does for each frame. */
static void
draw_frame (State * state)
{
  HistoScene scene = {
    .settings = &state->settings,
    .width = state->width,
    .height = state->height,
    .history = &state->history,
    .alerts = &state->alerts,
    .n_sounds = state->n_sounds,
  };

  if (state->has_result) {
    scene.result = &state->result;
    scene.n_plots = histo_plots_choose (&state->result, state->settings.mode,
        state->settings.style.color, scene.plots);
    histo_history_set_plots (&state->history, scene.plots, scene.n_plots);
    histo_history_add (&state->history, scene.plots, scene.n_plots);
  }
  for (guint i = 0; i < state->n_sounds; i++) {
    histo_meters_advance (&state->meters[i], state->time, &state->settings);
    scene.sounds[i] = &state->meters[i];
  }
  histo_alert_list_expire (&state->alerts, state->time,
      state->settings.alert_hold);
  draw (state, &scene);
}

/* ---- Inputs ------------------------------------------------------------------------------------- */

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  GParamSpec **all;
  guint n;

  fuzz_init ();
  fuzz_structures_init ();
  all = g_object_class_list_properties (g_type_class_ref
      (GST_TYPE_CUDA_HISTO_OVERLAY), &n);
  specs = g_new (GParamSpec *, n);
  for (guint i = 0; i < n; i++) {
    if (all[i]->owner_type == GST_TYPE_CUDA_HISTO_OVERLAY)
      specs[n_specs++] = all[i];
  }
  g_free (all);
  return 0;
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  FuzzBytes input = { data, size };
  State *state = g_new0 (State, 1);

  histo_overlay_settings_init (&state->settings);
  state->width = 200;
  state->height = 150;
  for (guint i = 0; i < MOST_FRAMES && input.left > 0; i++) {
    for (guint n = fuzz_below (&input, 3); n > 0; n--)
      change (state, &input);
    change_result (state, &input);
    draw_frame (state);
  }
  histo_picture_clear (&state->picture);
  histo_result_clear (&state->result);
  g_free (state);
  return 0;
}
