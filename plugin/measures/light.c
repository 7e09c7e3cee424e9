/* The light of a code value: transfer functions in cd/m².
 *
 * Sources:
 *   PQ      SMPTE ST 2084, the EOTF, which has an absolute scale up to 10000 cd/m²
 *   HLG     ITU-R BT.2100: the inverse OETF and the OOTF of a display of 1000 cd/m², gamma 1.2
 *   sRGB    IEC 61966-2-1, white at 100 cd/m²
 *   linear  white at 100 cd/m²
 *   others  ITU-R BT.1886: a gamma of 2.4, white at 100 cd/m², black at 0
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/light.h"

#include <math.h>

#define SDR_WHITE 100           /* cd/m² */
#define HLG_WHITE 1000
#define PQ_MOST 10000

static gdouble
light_of_pq (gdouble signal)
{
  const gdouble m1 = 2610 / 16384.0, m2 = 2523 / 4096.0 * 128;
  const gdouble c1 = 3424 / 4096.0, c2 = 2413 / 4096.0 * 32;
  const gdouble c3 = 2392 / 4096.0 * 32;
  const gdouble root = pow (signal, 1 / m2);

  return PQ_MOST * pow (MAX (root - c1, 0) / (c2 - c3 * root), 1 / m1);
}

static gdouble
light_of_hlg (gdouble signal)
{
  const gdouble a = 0.17883277, b = 1 - 4 * a, c = 0.5 - a * log (4 * a);
  const gdouble scene = signal <= 0.5 ? signal * signal / 3 :
      (exp ((signal - c) / a) + b) / 12;

  return HLG_WHITE * pow (scene, 1.2);
}

static gdouble
light_of_srgb (gdouble signal)
{
  return SDR_WHITE * (signal <= 0.04045 ? signal / 12.92 :
      pow ((signal + 0.055) / 1.055, 2.4));
}

/**
 * histo_light_of_signal:
 * @signal: 0 (black) to 1 (white)
 *
 * Returns: the light in cd/m²
 */
gdouble
histo_light_of_signal (GstVideoTransferFunction transfer, gdouble signal)
{
  switch (transfer) {
    case GST_VIDEO_TRANSFER_SMPTE2084:
      return light_of_pq (signal);
    case GST_VIDEO_TRANSFER_ARIB_STD_B67:
      return light_of_hlg (signal);
    case GST_VIDEO_TRANSFER_SRGB:
      return light_of_srgb (signal);
    case GST_VIDEO_TRANSFER_GAMMA10:
      return SDR_WHITE * signal;
    default:
      return SDR_WHITE * pow (signal, 2.4);
  }
}

/**
 * histo_light_table_new:
 * @format: of video
 *
 * Returns: (transfer full): the light in cd/m² of each code value of full range and
 *   @format's map_depth: 2^map_depth numbers, ascending
 */
gdouble *
histo_light_table_new (const HistoFormat * format)
{
  const guint max = (1u << format->map_depth) - 1;
  gdouble *table = g_new (gdouble, max + 1);

  for (guint code = 0; code <= max; code++)
    table[code] =
        histo_light_of_signal (format->video.colorimetry.transfer,
        (gdouble) code / max);
  return table;
}
