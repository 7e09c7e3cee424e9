/* What --compare compares: the figures, and how much each may differ.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_TOLERANCE_H
#define REPORT_TOLERANCE_H

#include "cudahisto/cudahisto.h"

G_BEGIN_DECLS

/* The kinds of figures: TOLERANCE (identifier, name, default, unit of the tolerance, is_limit). A figure differs if it
 * differs by more than this. docs/report.md explains them.
 *
 * is_limit: it says on which side of a limit samples lie. Such a figure jumps when samples pass the limit by little,
 * so it is listed after the others. */
#define REPORT_TOLERANCES(TOLERANCE) \
  TOLERANCE (MEAN, "mean", 1, "% of the range", 0) \
  TOLERANCE (SAMPLE, "sample", 2, "% of the range", 0) \
  TOLERANCE (SHARE, "share", 0.01, "", 1) \
  TOLERANCE (PERCENT, "percent", 1, "", 0) \
  TOLERANCE (LEVEL, "level", 0.5, "dB, LU", 0) \
  TOLERANCE (CORRELATION, "correlation", 0.1, "", 1) \
  TOLERANCE (LIGHT, "light", 5, "%", 0) \
  TOLERANCE (DEGREE, "degree", 5, "degrees", 0) \
  TOLERANCE (BIT, "bit", 0.25, "bits", 0) \
  TOLERANCE (SIZE, "size", 1, "% of the width or height", 0) \
  TOLERANCE (NUMBER, "number", 0, "", 1) \
  TOLERANCE (TIME, "time", 0.2, "s", 0) \
  /* Not of figures: the least PSNR and SSIM of a frame, and the most level of the difference of two sounds. */ \
  TOLERANCE (PSNR, "psnr", 35, "dB", 0) \
  TOLERANCE (SSIM, "ssim", 0.95, "", 0) \
  TOLERANCE (SOUND, "sound", -50, "dB", 0)

typedef enum
{
#define IDENTIFIER(identifier, ...) REPORT_TOLERANCE_##identifier,
  REPORT_TOLERANCES (IDENTIFIER)
#undef IDENTIFIER
  /* Names: they are equal or not. It has no number. */
  REPORT_TOLERANCE_NAME,
  REPORT_N_TOLERANCES = REPORT_TOLERANCE_NAME
} ReportTolerance;

extern const gboolean report_tolerance_is_limit[REPORT_N_TOLERANCES + 1];       /* also of names */
extern const gchar *const report_tolerance_names[REPORT_N_TOLERANCES + 1];     /* the last one is NULL */

/* What a unit of the tables of figures says. */
typedef struct
{
  const gchar *unit;
  ReportTolerance kind;
  /* Beyond these all values are alike: no one hears, or sees, the difference. */
  gdouble floor, ceiling;
} ReportUnit;

typedef struct
{
  gboolean is_wanted;           /* --compare */
  gboolean fails;               /* the exit status reports differences */
  gchar **tolerances;           /* (nullable): as given: "default", "KIND=NUMBER,…"; NULL: pictures and sound must be equal */
  gchar *measures;              /* of cudahistocompare, as given; from report_tolerances_parse() on not NULL */
  gchar *figures;               /* (nullable): as given: patterns, joined by + */
  gchar *offset;                /* (nullable): as given: seconds */
  /* From report_tolerances_parse() on: */
  gdouble limits[REPORT_N_TOLERANCES];
  gchar **patterns;             /* NULL: the default figures */
  gint64 begin;                 /* ns: the time in B at which A begins */
} ReportToleranceSettings;

gboolean report_tolerances_parse (ReportToleranceSettings * settings,
    GError ** error);
void report_tolerances_clear (ReportToleranceSettings * settings);
const ReportUnit *report_tolerance_find_unit (const gchar * unit);
gchar *report_tolerance_path (const gchar * region, const gchar * figure);
gboolean report_tolerance_matches (const gchar * pattern,
    const gchar * region, const gchar * figure);
gboolean report_tolerance_wants (const ReportToleranceSettings * settings,
    gboolean is_audio, HistoGroup group, const gchar * region,
    const gchar * figure, gboolean is_whole, gboolean has_frames);

G_END_DECLS

#endif /* REPORT_TOLERANCE_H */
