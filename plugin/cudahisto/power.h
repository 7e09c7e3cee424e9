/* The power of a channel of sound.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_POWER_H
#define HISTO_POWER_H

#include "figures.h"

#include <gst/audio/audio.h>

#include <math.h>

G_BEGIN_DECLS

/* The full scale and the middle of the samples of a format: the sample at full scale, less the middle, and that of silence. */
static inline void
histo_power_find_scale (GstAudioFormat format, gdouble * scale, gdouble * middle)
{
  const GstAudioFormatInfo *info = gst_audio_format_get_info (format);

  *scale = 1;
  *middle = 0;
  if (!GST_AUDIO_FORMAT_INFO_IS_INTEGER (info))
    return;
  *scale = ldexp (1, GST_AUDIO_FORMAT_INFO_DEPTH (info) - 1);
  if (!GST_AUDIO_FORMAT_INFO_IS_SIGNED (info))
    *middle = *scale;
}

/* Returns: the square of the RMS as a share of full scale. @middle, @scale: of histo_power_find_scale() */
static inline gdouble
histo_figures_power (const HistoFigures * figures, gdouble middle, gdouble scale)
{
  const gdouble mean = (figures->mean - middle) / scale;

  return figures->variance / (scale * scale) + mean * mean;
}

G_END_DECLS

#endif /* HISTO_POWER_H */
