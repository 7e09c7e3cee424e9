/* The keys of ffmpeg's filters for video: signalstats, cropdetect and entropy; see ffmpeg-keys.h.
 *
 * All are those of the whole picture. Sources of the definitions: libavfilter of FFmpeg 5.1.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writers/ffmpeg-keys.h"

#include <math.h>

static const gchar *const planes[] = { "Y", "U", "V" };

/* Prints a number as ffmpeg does, whatever the locale is. @format: of printf, for a double */
void
report_keys_emit (const ReportKeySink * sink, const gchar * key,
    const gchar * format, gdouble value)
{
  /* The longest: %f of DBL_MAX */
  gchar text[400];

  g_ascii_formatd (text, sizeof text, format, value);
  sink->func (sink->data, key, text);
}

/* ---- signalstats ----------------------------------------------------------------------- */

static void
emit (const ReportKeySink * sink, const gchar * plane, const gchar * name,
    const gchar * format, gdouble value)
{
  gchar key[64];

  g_snprintf (key, sizeof key, "signalstats.%s%s", plane, name);
  report_keys_emit (sink, key, format, value);
}

/* Returns: (transfer full): the histogram; NULL if there is none, or not one bin for each value */
static guint64 *
get_counts (const HistoComponentResult * component)
{
  const HistoFigures *figures = &component->figures;
  guint64 *counts;

  if (component->histogram == NULL || figures->range_min != 0
      || figures->range_max != figures->bins)
    return NULL;
  counts = g_new0 (guint64, figures->bins);
  histo_component_add_counts (component, counts);
  return counts;
}

/* Returns: the first bin at which at least @wanted samples are counted */
static guint
find_bin (const guint64 * counts, guint n, guint64 wanted)
{
  guint64 sum = 0;

  for (guint i = 0; i < n; i++) {
    sum += counts[i];
    if (sum >= wanted)
      return i;
  }
  return n > 0 ? n - 1 : 0;
}

/* LOW and HIGH: where 10 % and 90 % of the samples are reached, rounded to the nearest sample. */
static void
emit_share (const ReportKeySink * sink, const gchar * plane,
    const gchar * name, const HistoComponentResult * component, guint percent)
{
  g_autofree guint64 *counts = get_counts (component);
  const gdouble wanted = component->figures.count * percent / 100.;

  if (counts != NULL)
    emit (sink, plane, name, "%g", find_bin (counts, component->figures.bins,
            (guint64) llrint (wanted)));
}

static void
emit_component (const ReportKeySink * sink, const gchar * plane,
    const HistoComponentResult * component)
{
  emit (sink, plane, "MIN", "%.0f", component->figures.min);
  emit_share (sink, plane, "LOW", component, 10);
  emit (sink, plane, "AVG", "%g", component->figures.mean);
  emit_share (sink, plane, "HIGH", component, 90);
  emit (sink, plane, "MAX", "%.0f", component->figures.max);
}

/* The first frame of a stream has no differences: signalstats prints 0. */
static void
emit_differences (const ReportKeySink * sink, const HistoResult * result,
    gboolean is_first)
{
  for (guint p = 0; p < G_N_ELEMENTS (planes); p++) {
    const HistoComponentResult *difference =
        histo_result_find_component (result, 0, HISTO_GROUP_MOTION, planes[p]);

    if (difference != NULL && result->regions[0].has_motion)
      emit (sink, planes[p], "DIF", "%g", difference->figures.mean);
    else if (is_first && histo_result_find_component (result, 0,
            HISTO_GROUP_BASIC, planes[p]) != NULL)
      emit (sink, planes[p], "DIF", "%g", 0);
  }
}

static void
emit_signal (const ReportKeySink * sink, const HistoResult * result)
{
  const HistoGroupFigures *figures = &result->regions[0].figures;
  const struct
  {
    const gchar *name;
    gdouble share;
  } shares[] = {
    {"TOUT", figures->SIGNAL_tout},
    {"VREP", figures->SIGNAL_vrep},
    {"BRNG", figures->SIGNAL_brng}
  };

  for (guint p = 0; p < MIN (figures->n_bits_used, G_N_ELEMENTS (planes)); p++) {
    if (histo_result_find_component (result, 0, HISTO_GROUP_BASIC, planes[p]))
      emit (sink, planes[p], "BITDEPTH", "%.0f", figures->bits_used[p]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (shares); i++) {
    if (!isnan (shares[i].share))
      emit (sink, shares[i].name, "", "%g", shares[i].share);
  }
}

/* What the filter prints with stat=tout+vrep+brng. Components that the format lacks and groups that
 * were not measured have no keys. @n_before: results of the stream before this one */
void
report_keys_signalstats (const HistoResult * result, guint64 n_before,
    const ReportKeySink * sink)
{
  const HistoComponentResult *saturation = histo_result_find_component (result,
      0, HISTO_GROUP_SIGNAL, "saturation");
  const HistoComponentResult *hue = histo_result_find_component (result, 0,
      HISTO_GROUP_SIGNAL, "hue");

  for (guint p = 0; p < G_N_ELEMENTS (planes); p++) {
    const HistoComponentResult *component =
        histo_result_find_component (result, 0, HISTO_GROUP_BASIC, planes[p]);

    if (component != NULL)
      emit_component (sink, planes[p], component);
  }
  if (saturation != NULL)
    emit_component (sink, "SAT", saturation);
  if (hue != NULL) {
    g_autofree guint64 *counts = get_counts (hue);

    if (counts != NULL)
      emit (sink, "HUE", "MED", "%g", find_bin (counts, hue->figures.bins,
              hue->figures.count / 2 + 1));
    emit (sink, "HUE", "AVG", "%g", hue->figures.mean);
  }
  emit_differences (sink, result, n_before == 0);
  emit_signal (sink, result);
}

/* ---- cropdetect ------------------------------------------------------------------------ */

/* One direction: the first and last row or column that is not black, as the filter finds them. It begins with the last
 * and the first one and looks from both sides only up to what it has found: where all is black, and where a single row
 * or column is not, its last one is 0. */
static void
find_ends (gint begin, gint length, gint size, gint * first, gint * last)
{
  *first = length > 0 ? begin : size - 1;
  *last = length > 1 ? begin + length - 1 : 0;
}

/* The filter rounds the begin up to a multiple of 2 and the length down to one of 16. */
static void
round_crop (gint first, gint last, gint * begin, gint * length)
{
  gint rest;

  *begin = (first + 1) & ~1;
  *length = last - *begin + 1;
  rest = *length % 16;
  *length -= rest;
  *begin += (rest / 2 + 1) & ~1;
}

/* What the filter prints with reset=1:round=1, which looks at each frame alone. */
void
report_keys_cropdetect (const HistoResult * result, const ReportKeySink * sink)
{
  const HistoGroupFigures *figures = &result->regions[0].figures;
  gint x1, x2, x, width, y1, y2, y, height;

  if (!histo_result_has_group (result, HISTO_GROUP_AREA))
    return;
  find_ends (figures->area_x, figures->area_width, result->width, &x1, &x2);
  find_ends (figures->area_y, figures->area_height, result->height, &y1, &y2);
  round_crop (x1, x2, &x, &width);
  round_crop (y1, y2, &y, &height);
  report_keys_emit (sink, "cropdetect.x1", "%.0f", x1);
  report_keys_emit (sink, "cropdetect.x2", "%.0f", x2);
  report_keys_emit (sink, "cropdetect.y1", "%.0f", y1);
  report_keys_emit (sink, "cropdetect.y2", "%.0f", y2);
  report_keys_emit (sink, "cropdetect.w", "%.0f", width);
  report_keys_emit (sink, "cropdetect.h", "%.0f", height);
  report_keys_emit (sink, "cropdetect.x", "%.0f", x);
  report_keys_emit (sink, "cropdetect.y", "%.0f", y);
}

/* ---- entropy --------------------------------------------------------------------------- */

/* What the filter prints in the mode normal. */
void
report_keys_entropy (const HistoResult * result, const ReportKeySink * sink)
{
  for (guint p = 0; p < G_N_ELEMENTS (planes); p++) {
    const HistoComponentResult *component =
        histo_result_find_component (result, 0, HISTO_GROUP_BASIC, planes[p]);
    const guint depth = report_video_depth (result->format);
    gchar key[64];

    if (component == NULL || depth == 0)
      continue;
    g_snprintf (key, sizeof key, "entropy.entropy.normal.%s", planes[p]);
    report_keys_emit (sink, key, "%f", component->figures.entropy);
    g_snprintf (key, sizeof key, "entropy.normalized_entropy.normal.%s",
        planes[p]);
    report_keys_emit (sink, key, "%f", component->figures.entropy / depth);
  }
}
