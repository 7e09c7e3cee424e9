/* How the values of alerts are shown.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_ALERT_WORDS_H
#define HISTO_ALERT_WORDS_H

#include <math.h>

#include "cudahisto/alert.h"

G_BEGIN_DECLS

/* Writes the value of an alert with its unit, as "98.0 % black". The units are those of docs/result.md.
 *
 * Returns: @text: empty: there is no value */
static inline const gchar *
histo_alert_print_value (gchar * text, gsize size, HistoAlert alert, gdouble value)
{
  static const struct
  {
    const gchar *format;
    gdouble factor;
  } formats[HISTO_N_ALERTS + 1] = {
    [HISTO_ALERT_BLACK] = {"%.1f %% black", 100},
    [HISTO_ALERT_FREEZE] = {"%.2f %% difference", 100},
    [HISTO_ALERT_SCENE] = {"score %.1f %%", 1},
    [HISTO_ALERT_RANGE] = {"%.1f %% out of range", 100},
    [HISTO_ALERT_SILENCE] = {"%.0f dB", 1},
    [HISTO_ALERT_CLIPPING] = {"%.0f runs", 1},
    [HISTO_ALERT_LOUDNESS] = {"%.1f LUFS", 1},
    [HISTO_ALERT_RULE] = {"%.4g", 1},
  };

  if (alert == HISTO_ALERT_CLIPPING && value == 1)
    g_strlcpy (text, "1 run", size);
  else if (isfinite (value))
    g_snprintf (text, size, formats[alert].format, value * formats[alert].factor);
  else
    g_strlcpy (text, value < 0 ? "\342\200\223\342\210\236" : "", size);
  return text;
}

G_END_DECLS

#endif /* HISTO_ALERT_WORDS_H */
