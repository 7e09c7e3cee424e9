/* The true peak of a channel: the greatest magnitude of the signal between its samples, too, by the interpolation filter of
 * ITU-R BS.1770-4, annex 2.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_TRUE_PEAK_H
#define HISTO_TRUE_PEAK_H

#include <glib.h>

G_BEGIN_DECLS

/* The filter makes four signals of one, so the rate is four times as high. From this rate on the samples themselves are as
 * dense as the annex asks for. */
#define HISTO_TRUE_PEAK_ENOUGH 192000

/* So many samples before a sample take part in what is found for it. */
#define HISTO_TRUE_PEAK_HISTORY 11

gfloat histo_true_peak_find (const gfloat * x, guint n, gfloat peak);

G_END_DECLS

#endif /* HISTO_TRUE_PEAK_H */
