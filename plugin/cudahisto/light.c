/* The light of a signal, and the signal of a light, by the transfer functions; see light.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/light.h"

#include <math.h>

/* Transfer functions in cd/m². Sources:
 *   PQ      SMPTE ST 2084, the EOTF, which has an absolute scale up to 10000 cd/m²
 *   HLG     ITU-R BT.2100: the inverse OETF and the OOTF of a display of 1000 cd/m², gamma 1.2
 *   sRGB    IEC 61966-2-1, white at 100 cd/m²
 *   linear  white at 100 cd/m²
 *   others  ITU-R BT.1886: a gamma of 2.4, white at 100 cd/m², black at 0 */
#define SDR_WHITE 100           /* cd/m² */

/* The constants of ST 2084. */
static const gdouble m1 = 2610 / 16384.0, m2 = 2523 / 4096.0 * 128;
static const gdouble c1 = 3424 / 4096.0, c2 = 2413 / 4096.0 * 32;
static const gdouble c3 = 2392 / 4096.0 * 32;

static gdouble
light_of_pq (gdouble signal)
{
  const gdouble root = pow (signal, 1 / m2);

  return HISTO_PQ_MOST * pow (MAX (root - c1, 0) / (c2 - c3 * root), 1 / m1);
}

/**
 * histo_pq_of_light:
 * @light: in cd/m², at least 0; more than 10000 counts as 10000
 *
 * Returns: the signal of PQ (ST 2084), 0 to 1
 */
gdouble
histo_pq_of_light (gdouble light)
{
  const gdouble root = pow (MIN (light / HISTO_PQ_MOST, 1), m1);

  return pow ((c1 + c2 * root) / (1 + c3 * root), m2);
}

/* The constants of BT.2100's OETF of HLG; its c is get_hlg_c(). */
#define HLG_A 0.17883277
#define HLG_B (1 - 4 * HLG_A)
#define HLG_GAMMA 1.2

static gdouble
get_hlg_c (void)
{
  return 0.5 - HLG_A * log (4 * HLG_A);
}

static gdouble
light_of_hlg (gdouble signal)
{
  const gdouble scene = signal <= 0.5 ? signal * signal / 3 :
      (exp ((signal - get_hlg_c ()) / HLG_A) + HLG_B) / 12;

  return HISTO_HLG_WHITE * pow (scene, HLG_GAMMA);
}

static gdouble
hlg_of_light (gdouble light)
{
  const gdouble scene = pow (MIN (light / HISTO_HLG_WHITE, 1), 1 / HLG_GAMMA);

  return scene <= 1 / 12.0 ? sqrt (3 * scene) :
      HLG_A * log (12 * scene - HLG_B) + get_hlg_c ();
}

/**
 * histo_signal_of_light:
 * @transfer: PQ or HLG
 * @light: in cd/m², at least 0; more than that of the signal 1 counts as that
 *
 * Returns: the signal, 0 to 1
 */
gdouble
histo_signal_of_light (GstVideoTransferFunction transfer, gdouble light)
{
  return transfer == GST_VIDEO_TRANSFER_SMPTE2084 ? histo_pq_of_light (light) :
      hlg_of_light (light);
}

/* @signal: 0 to 1. Returns: the light, 0 to 1 */
gdouble
histo_linear_of_srgb (gdouble signal)
{
  return signal <= 0.04045 ? signal / 12.92 : pow ((signal + 0.055) / 1.055, 2.4);
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
      return SDR_WHITE * histo_linear_of_srgb (signal);
    case GST_VIDEO_TRANSFER_GAMMA10:
      return SDR_WHITE * signal;
    default:
      return SDR_WHITE * pow (signal, 2.4);
  }
}
