/* Which components the histogram and the levels show; see plots.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/plots.h"

#include "cudahisto/colorimetry.h"

#include <math.h>

#define RED 0xffff5a4fu
#define GREEN 0xff4fd66bu
#define BLUE 0xff5c9dffu

static const HistoComponentResult *
find (const HistoResult * result, const gchar * name)
{
  const HistoComponentResult *component =
      histo_result_find_component (result, 0, HISTO_GROUP_BASIC, name);

  return component != NULL ? component :
      histo_result_find_component (result, 0, HISTO_GROUP_COLOR, name);
}

/* Components of the group `color` have bins for all values. Those of the format may have others. A
 * format that is not of video says nothing about them. */
static gdouble
find_end (const HistoResult * result, const HistoComponentResult * component)
{
  const GstVideoFormat format = gst_video_format_from_string (result->format);
  const GstVideoFormatInfo *info = gst_video_format_get_info (format);

  if (component->source != HISTO_SOURCE_SAMPLE
      || format == GST_VIDEO_FORMAT_UNKNOWN)
    return component->figures.range_max;
  return ldexp (1, component->native < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info)
      ? GST_VIDEO_FORMAT_INFO_DEPTH (info, component->native) :
      GST_VIDEO_FORMAT_INFO_DEPTH (info, 0));
}

/* Whether the component's values have the limited range of YUV. Those that the group `color`
 * computes have full range, and so has luma of RGB. */
static gboolean
is_limited (const HistoResult * result, const HistoComponentResult * component)
{
  const gboolean is_rgb = FALSE;
  GstVideoColorimetry colorimetry;

  if (component->source != HISTO_SOURCE_SAMPLE
      || histo_result_find_component (result, 0, HISTO_GROUP_BASIC, "Y")
      == NULL)
    return FALSE;
  histo_colorimetry_read (result->colorimetry, is_rgb, &colorimetry);
  return histo_colorimetry_is_limited (&colorimetry, is_rgb);
}

static void
set (HistoPlot * plot, const HistoResult * result,
    const HistoComponentResult * component, const gchar * label, guint32 color)
{
  memset (plot, 0, sizeof *plot);
  plot->component = component;
  g_strlcpy (plot->label, label, sizeof plot->label);
  plot->color = color;
  plot->end = find_end (result, component);
  if (is_limited (result, component)) {
    plot->black = 16 * plot->end / 256;
    plot->white = 235 * plot->end / 256;
  }
}

static guint
choose_luma (const HistoResult * result, guint32 color, HistoPlot * plots)
{
  const HistoComponentResult *component = find (result, "Y");

  if (component == NULL)
    component = find (result, "luma");
  if (component == NULL)
    return 0;
  set (&plots[0], result, component, "Y", color);
  return 1;
}

static guint
choose_rgb (const HistoResult * result, HistoPlot * plots)
{
  static const gchar *const names[] = { "R", "G", "B" };
  static const guint32 colors[] = { RED, GREEN, BLUE };

  for (guint i = 0; i < 3; i++) {
    const HistoComponentResult *component = find (result, names[i]);

    if (component == NULL)
      return 0;
    set (&plots[i], result, component, names[i], colors[i]);
  }
  return 3;
}

static guint
choose_native (const HistoResult * result, guint32 luma_color,
    HistoPlot * plots)
{
  const guint32 colors[] = { luma_color, BLUE, RED };
  guint n = 0;

  for (guint i = 0; i < result->n_region_components && n < 3; i++) {
    const HistoComponentResult *component = &result->components[i];

    if (component->source == HISTO_SOURCE_SAMPLE
        && !g_str_equal (component->name, "A")) {
      set (&plots[n], result, component, component->name, colors[n]);
      n++;
    }
  }
  return n;
}

/**
 * histo_plots_choose:
 * @result: of video
 * @luma_color: 0xAARRGGBB
 * @plots: (out): the first ones are set; valid as long as the result
 *
 * Returns: how many plots there are; 0 only if the result has no components
 */
guint
histo_plots_choose (const HistoResult * result, HistoPlotMode mode,
    guint32 luma_color, HistoPlot plots[HISTO_MOST_PLOTS])
{
  guint n = 0;

  if (mode == HISTO_PLOT_LUMA)
    n = choose_luma (result, luma_color, plots);
  if (n == 0)
    n = choose_rgb (result, plots);
  if (n == 0 && mode == HISTO_PLOT_AUTO)
    n = choose_luma (result, luma_color, plots);
  return n > 0 ? n : choose_native (result, luma_color, plots);
}
