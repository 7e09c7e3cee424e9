/* What --compare compares, and how exactly; see tolerance.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/tolerance.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "cudahisto/comparison.h"

/* What the names of figures of whole streams begin with. */
#define WHOLE "whole."
/* The most seconds of --offset: about 31 years. */
#define MOST_OFFSET 1e9

const gchar *const report_tolerance_names[REPORT_N_TOLERANCES + 1] = {
#define NAME(identifier, name, ...) name,
  REPORT_TOLERANCES (NAME)
#undef NAME
  NULL
};

static const gdouble defaults[REPORT_N_TOLERANCES] = {
#define DEFAULT(identifier, name, number, ...) number,
  REPORT_TOLERANCES (DEFAULT)
#undef DEFAULT
};

const gboolean report_tolerance_is_limit[REPORT_N_TOLERANCES + 1] = {
#define IS_LIMIT(identifier, name, number, unit, is_limit) is_limit,
  REPORT_TOLERANCES (IS_LIMIT)
#undef IS_LIMIT
  TRUE
};

/* The units of the tables of figures. */
static const ReportUnit units[] = {
  {"sample", REPORT_TOLERANCE_SAMPLE, -INFINITY, INFINITY},
  {"samples", REPORT_TOLERANCE_SHARE, -INFINITY, INFINITY},     /* of all samples */
  {"crossings", REPORT_TOLERANCE_SHARE, -INFINITY, INFINITY},   /* of all samples */
  {"share of pixels", REPORT_TOLERANCE_SHARE, -INFINITY, INFINITY},
  {"share", REPORT_TOLERANCE_SHARE, -INFINITY, INFINITY},
  {"1", REPORT_TOLERANCE_SHARE, -INFINITY, INFINITY},
  {"percent", REPORT_TOLERANCE_PERCENT, -INFINITY, INFINITY},
  /* A bit of 16 bits is -90 dB; a PSNR of 60 dB is less than a step of 8 bits. */
  {"dB", REPORT_TOLERANCE_LEVEL, -90, 60},
  {"dBFS", REPORT_TOLERANCE_LEVEL, -90, 60},
  {"dBTP", REPORT_TOLERANCE_LEVEL, -90, 60},
  {"LUFS", REPORT_TOLERANCE_LEVEL, -70, 60},    /* BS.1770 leaves out what is below -70 */
  {"LU", REPORT_TOLERANCE_LEVEL, -INFINITY, INFINITY},
  {"cd/m²", REPORT_TOLERANCE_LIGHT, -INFINITY, INFINITY},
  {"degree", REPORT_TOLERANCE_DEGREE, -INFINITY, INFINITY},
  {"bit", REPORT_TOLERANCE_BIT, -INFINITY, INFINITY},
  {"0 or 1", REPORT_TOLERANCE_NUMBER, -INFINITY, INFINITY},
  {"transitions", REPORT_TOLERANCE_NUMBER, -INFINITY, INFINITY},
  {"frames", REPORT_TOLERANCE_NUMBER, -INFINITY, INFINITY},
  {"runs", REPORT_TOLERANCE_NUMBER, -INFINITY, INFINITY},
  {"holes", REPORT_TOLERANCE_NUMBER, -INFINITY, INFINITY},
  /* Units of what is in no table: */
  {"alerts", REPORT_TOLERANCE_NUMBER, -INFINITY, INFINITY},
  {"pixels", REPORT_TOLERANCE_SIZE, -INFINITY, INFINITY},
  {"s", REPORT_TOLERANCE_TIME, -INFINITY, INFINITY}
};

/* EITHER: of the frames, or of the whole stream if there are only summaries. */
enum
{ FRAMES = 1, WHOLE_STREAM = 2, EITHER = 3 };

/* What is compared by default: figures that people can use, once, and that stay as they are if a picture or a
 * sound is encoded well. Others follow from these, or jump with the smallest change, such as `mode`. */
static const struct
{
  HistoGroup group;
  gboolean is_audio;
  const gchar *pattern;         /* without the name of the group */
  guint of;
} default_figures[] = {
  {HISTO_GROUP_BASIC, FALSE, "duration", WHOLE_STREAM},
  {HISTO_GROUP_BASIC, TRUE, "duration", WHOLE_STREAM},
  {HISTO_GROUP_BASIC, FALSE, "alerts.*", WHOLE_STREAM},
  {HISTO_GROUP_BASIC, TRUE, "alerts.*", WHOLE_STREAM},
  {HISTO_GROUP_BASIC, FALSE, "*.mean", EITHER},
  {HISTO_GROUP_BASIC, FALSE, "*.std-dev", EITHER},
  {HISTO_GROUP_BASIC, FALSE, "*.p1", EITHER},
  {HISTO_GROUP_BASIC, FALSE, "*.p99", EITHER},
  {HISTO_GROUP_SIGNAL, FALSE, "saturation.mean", EITHER},
  {HISTO_GROUP_SIGNAL, FALSE, "saturation.p99", EITHER},
  {HISTO_GROUP_SIGNAL, FALSE, "brng", EITHER},
  {HISTO_GROUP_SIGNAL, FALSE, "tout", EITHER},
  {HISTO_GROUP_MOTION, FALSE, "*.mean", EITHER},
  {HISTO_GROUP_COLOR, FALSE, "*.mean", EITHER},
  {HISTO_GROUP_HDR, FALSE, "max", FRAMES},
  {HISTO_GROUP_HDR, FALSE, "fall", FRAMES},
  {HISTO_GROUP_HDR, FALSE, "max-cll", WHOLE_STREAM},
  {HISTO_GROUP_HDR, FALSE, "max-fall", WHOLE_STREAM},
  {HISTO_GROUP_DETAIL, FALSE, "si", EITHER},
  {HISTO_GROUP_DETAIL, FALSE, "ti", EITHER},
  {HISTO_GROUP_DETAIL, FALSE, "sharpness", EITHER},
  {HISTO_GROUP_AREA, FALSE, "*", WHOLE_STREAM},
  {HISTO_GROUP_GAMUT, FALSE, "any", EITHER},
  {HISTO_GROUP_GAMUT_FILTER, FALSE, "any", EITHER},
  {HISTO_GROUP_FLASH, FALSE, "state", EITHER},
  {HISTO_GROUP_FIELD, FALSE, "comb", EITHER},
  {HISTO_GROUP_LEVEL, TRUE, "*.rms", FRAMES},
  {HISTO_GROUP_LEVEL, TRUE, "*.peak", FRAMES},
  {HISTO_GROUP_LEVEL, TRUE, "*.dc-offset", EITHER},
  {HISTO_GROUP_LEVEL, TRUE, "*.clipped", FRAMES},
  {HISTO_GROUP_LEVEL, TRUE, "*.inverted", FRAMES},
  {HISTO_GROUP_LEVEL, TRUE, "*.dual-mono", FRAMES},
  {HISTO_GROUP_LEVEL, TRUE, "*.correlation", WHOLE_STREAM},
  {HISTO_GROUP_LEVEL, TRUE, "*.mono-loss", WHOLE_STREAM},
  {HISTO_GROUP_LEVEL, TRUE, "*.balance", WHOLE_STREAM},
  {HISTO_GROUP_LOUDNESS, TRUE, "momentary", FRAMES},
  {HISTO_GROUP_LOUDNESS, TRUE, "short-term", FRAMES},
  {HISTO_GROUP_LOUDNESS, TRUE, "integrated", WHOLE_STREAM},
  {HISTO_GROUP_LOUDNESS, TRUE, "range", WHOLE_STREAM},
  {HISTO_GROUP_LOUDNESS, TRUE, "true-peak.*", WHOLE_STREAM}
};

/* Returns: (nullable): NULL of a unit that has no kind, such as bins */
const ReportUnit *
report_tolerance_find_unit (const gchar * unit)
{
  for (guint i = 0; i < G_N_ELEMENTS (units); i++) {
    if (g_str_equal (units[i].unit, unit))
      return &units[i];
  }
  return NULL;
}

/* ---- Settings ----------------------------------------------------------------------------------- */

G_GNUC_PRINTF (2, 3)
static gboolean
wrong (GError ** error, const gchar * format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  *error = g_error_new_valist (G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, format,
      arguments);
  va_end (arguments);
  return FALSE;
}

/* Reads a whole text. Returns: FALSE if it is no finite number */
static gboolean
parse_number (const gchar * text, gdouble * number)
{
  gchar *end;

  *number = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && isfinite (*number);
}

/* What stands for all defaults. */
#define DEFAULTS "default"
/* What is compared of pictures. */
#define DEFAULT_MEASURES "difference+psnr+ssim"

/* Reads "KIND=NUMBER". */
static gboolean
parse_tolerance (ReportToleranceSettings * settings, const gchar * text,
    GError ** error)
{
  const gchar *sign = strchr (text, '=');
  gdouble number;
  g_autofree gchar *names = NULL;

  if (g_str_equal (text, DEFAULTS))
    return TRUE;
  for (guint i = 0; sign != NULL && i < REPORT_N_TOLERANCES; i++) {
    const gchar *name = report_tolerance_names[i];

    if (strlen (name) != (gsize) (sign - text)
        || !g_str_has_prefix (text, name))
      continue;
    if (!parse_number (sign + 1, &number) || (number < 0 && i != REPORT_TOLERANCE_SOUND))
      return wrong (error, "--tolerance %s needs a number from 0 on", name);
    settings->limits[i] = number;
    return TRUE;
  }
  names = g_strjoinv (", ", (gchar **) report_tolerance_names);
  wrong (error, "--tolerance needs " DEFAULTS " or KIND=NUMBER, with KIND one of %s", names);
  return FALSE;
}

/* Returns: the figure without "whole." */
static const gchar *
without_whole (const gchar * figure)
{
  return g_str_has_prefix (figure, WHOLE) ? figure + strlen (WHOLE) : figure;
}

/* Whether it is the first half of the path of a pair: "pairs.ch0" of "pairs.ch0+ch1.balance". */
static gboolean
is_half_of_pair (const gchar * figure)
{
  const gchar *name = without_whole (figure);

  return g_str_has_prefix (name, "pairs.") && strchr (name + strlen ("pairs."), '.') == NULL;
}

/* Returns: (transfer full) (array zero-terminated): the figures that are joined by + */
static gchar **
split_figures (const gchar * text)
{
  g_auto (GStrv) parts = g_strsplit (text, "+", -1);
  g_autoptr (GStrvBuilder) figures = g_strv_builder_new ();

  for (gchar ** part = parts; *part != NULL; part++) {
    g_autofree gchar *figure = part[1] != NULL && is_half_of_pair (part[0]) ? g_strconcat (part[0], "+", part[1], NULL) : NULL;

    g_strv_builder_add (figures, figure != NULL ? figure : *part);
    part += figure != NULL ? 1 : 0;
  }
  return g_strv_builder_end (figures);
}

static gboolean
is_measure (const gchar * name)
{
#define IS_NAME(identifier, own, ...) g_str_equal (name, own) ||
  return HISTO_COMPARISON_MEASURES (IS_NAME) FALSE;
#undef IS_NAME
}

/* Names that are joined by +. What is always needed is added. */
static gboolean
parse_measures (ReportToleranceSettings * settings, GError ** error)
{
  g_auto (GStrv) names = g_strsplit (settings->measures != NULL ? settings->measures : "", "+", -1);
  g_autofree gchar *given = g_steal_pointer (&settings->measures);

  settings->measures = g_strconcat (DEFAULT_MEASURES, given != NULL ? "+" : NULL, given, NULL);
  for (gchar ** name = names; *name != NULL; name++) {
    if (!is_measure (*name))
      return wrong (error, "--compare-measures needs names of measures of cudahistocompare, joined by +, not %s", *name);
  }
  return TRUE;
}

/* Returns: FALSE with an error if a text is wrong */
gboolean
report_tolerances_parse (ReportToleranceSettings * settings, GError ** error)
{
  gboolean ok = TRUE;
  gdouble offset = 0;

  memcpy (settings->limits, defaults, sizeof defaults);
  for (gchar ** text = settings->tolerances; ok && text != NULL
      && *text != NULL; text++) {
    g_auto (GStrv) parts = g_strsplit (*text, ",", -1);

    /* An empty text has no parts. */
    ok = *parts != NULL || parse_tolerance (settings, "", error);
    for (gchar ** part = parts; ok && *part != NULL; part++)
      ok = parse_tolerance (settings, *part, error);
  }
  if (!ok)
    return FALSE;
  if (settings->offset != NULL && (!parse_number (settings->offset, &offset)
          || fabs (offset) > MOST_OFFSET))
    return wrong (error, "--offset needs a number of seconds");
  settings->begin = (gint64) rint (offset * 1e9);
  if (!parse_measures (settings, error))
    return FALSE;
  if (settings->figures == NULL)
    return TRUE;
  settings->patterns = split_figures (settings->figures);
  for (gchar ** pattern = settings->patterns; *pattern != NULL; pattern++) {
    if (**pattern == '\0')
      return wrong (error, "--figures needs names of figures, joined by +");
  }
  return *settings->patterns != NULL ? TRUE :
      wrong (error, "--figures needs names of figures, joined by +");
}

void
report_tolerances_clear (ReportToleranceSettings * settings)
{
  g_strfreev (settings->tolerances);
  g_strfreev (settings->patterns);
  g_free (settings->figures);
  g_free (settings->measures);
  g_free (settings->offset);
}

/* @region: (nullable):
 * Returns: (transfer full): the path of the figure: "regions.logo.Y.mean", "whole.regions.logo.Y.mean" */
gchar *
report_tolerance_path (const gchar * region, const gchar * figure)
{
  const gchar *name = without_whole (figure);

  return region == NULL ? g_strdup (figure) :
      g_strdup_printf ("%sregions.%s.%s", name != figure ? WHOLE : "", region, name);
}

/* @name: without "whole." */
static gboolean
matches (const gchar * pattern, const gchar * name, gboolean is_whole)
{
  g_autofree gchar *with_whole = is_whole ? g_strconcat (WHOLE, name, NULL) : NULL;

  return fnmatch (pattern, name, 0) == 0 || (is_whole && fnmatch (pattern, with_whole, 0) == 0);
}

/* @pattern: of --figures. It may be without "whole.", or without the region; and it may be one of the names that CSV had
 * first.
 * @region: (nullable): */
gboolean
report_tolerance_matches (const gchar * pattern, const gchar * region, const gchar * figure)
{
  const gchar *name = without_whole (figure);
  const gboolean is_whole = name != figure;
  g_autofree gchar *path = report_tolerance_path (region, name);
  g_autofree gchar *old_path = histo_figure_old_path (path);

  return matches (pattern, name, is_whole) || matches (pattern, path, is_whole)
      || matches (pattern, old_path, is_whole);
}

/**
 * report_tolerance_wants:
 * @group: that the figure belongs to; HISTO_GROUP_BASIC of what belongs to none
 * @region: (nullable): NULL: the whole picture, or all channels
 * @figure: its path in the region: "signal.brng", "ch0.rms"; with "whole." before it, if @is_whole
 * @has_frames: the frames are compared, too
 *
 * Returns: whether the figure is to be compared
 */
gboolean
report_tolerance_wants (const ReportToleranceSettings * settings,
    gboolean is_audio, HistoGroup group, const gchar * region,
    const gchar * figure, gboolean is_whole, gboolean has_frames)
{
  const guint of = is_whole ? WHOLE_STREAM : FRAMES;
  const gchar *name = is_whole ? figure + strlen (WHOLE) : figure;
  const gchar *own = name;

  for (gchar ** pattern = settings->patterns; pattern != NULL
      && *pattern != NULL; pattern++) {
    if (report_tolerance_matches (*pattern, region, figure))
      return TRUE;
  }
  if (settings->patterns != NULL)
    return FALSE;
  if (group != HISTO_GROUP_BASIC && g_str_has_prefix (name,
          histo_groups[group].name) && name[strlen (histo_groups[group].name)]
      == '.')
    own += strlen (histo_groups[group].name) + 1;
  for (guint i = 0; i < G_N_ELEMENTS (default_figures); i++) {
    if (default_figures[i].group == group
        && default_figures[i].is_audio == is_audio
        && (is_whole && has_frames ? default_figures[i].of == of :
            (default_figures[i].of & of) != 0)
        && fnmatch (default_figures[i].pattern, own, 0) == 0)
      return TRUE;
  }
  return FALSE;
}
