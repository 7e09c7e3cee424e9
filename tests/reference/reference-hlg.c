/* reference-hlg.c: the light of HLG in integers; see reference-color.h.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sources: ITU-R BT.2100 (inverse OETF, OOTF of a display of 1000 cd/m²), SMPTE ST 2084 (PQ).
 */

#include <math.h>

#include "reference-color.h"

/* cd/m² of 65535 */
#define PEAK 1000

gint64
reference_hlg_scene (const ReferenceColor * color, gint64 code)
{
  const gdouble signal = (gdouble) code / color->max;
  gdouble scene;

  if (signal <= 0.5)
    scene = signal * signal / 3;
  else
    scene = (exp ((signal - 0.55991073) / 0.17883277) + 0.28466892) / 12;

  return llround (65535 * MIN (scene, 1));
}

void
reference_hlg_light (const gint64 scene[3], gint64 light[3])
{
  /* 0.2627, 0.6780 and 0.0593 of 65536, rounded to the nearest */
  const gint64 luminance =
      (17216 * scene[0] + 44433 * scene[1] + 3887 * scene[2] + 32768) / 65536;
  const gint64 power = llround (65535 * pow (luminance / 65535.0, 0.2));
  guint i;

  for (i = 0; i < 3; i++)
    light[i] = power * scene[i] / 65536;
}

/* The inverse of the EOTF of SMPTE ST 2084, equation 5.2 */
static gdouble
signal_of_pq (gdouble cd)
{
  const gdouble m1 = 0.1593017578125;
  const gdouble m2 = 78.84375;
  const gdouble y = pow (cd / 10000, m1);

  return pow ((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y), m2);
}

guint
reference_hlg_bin (gint64 light)
{
  return lround ((REFERENCE_N_LIGHT_BINS - 1)
      * signal_of_pq (reference_hlg_cd (light)));
}

gdouble
reference_hlg_cd (gint64 light)
{
  return PEAK * (light / 65535.0);
}
