/* Flashes: the transitions of one quantity, luminance or saturated red, in one area of the picture, and
 * what follows from their number. It is the rule of IRIS, which is a screening aid, not certified.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_FLASH_H
#define HISTO_FLASH_H

#include "cudahisto/figures.h"

G_BEGIN_DECLS

typedef enum
{
  HISTO_FLASHES_OF_LUMINANCE,
  HISTO_FLASHES_OF_RED,
  HISTO_N_FLASHES
} HistoFlashQuantity;

/* The area in one frame. */
typedef struct
{
  guint64 n_pixels;
  guint64 sum;                  /* of the quantity, 0 to 65535 each */
  guint64 n_changed;            /* pixels of which it is not that of the previous frame */
} HistoFlashArea;

typedef struct
{
  gboolean has_previous;        /* there was a frame before */
  gdouble mean;                 /* of that frame */
  gdouble change;               /* as of that frame: since the last change of direction, at most 1 s back */
  /* Each with its time, none older than what is looked back, and never more than MOST_MOMENTS; NULL while there is
   * none. */
  GArray *changes;              /* of the mean from frame to frame */
  GArray *transitions;
  GArray *warnings;             /* how long the frames with 4 to 6 transitions have lasted, ns */

  /* The state after the latest frame. */
  guint n_transitions;          /* in the last second */
  guint state;                  /* HISTO_FLASH_PASS, … */
} HistoFlash;

/* Frames in which one part of an area has become brighter and another one darker. */
typedef struct
{
  GArray *moments;              /* of the last second; NULL: none */
  gboolean has_previous;
} HistoCounterFlash;

void histo_flash_forget (HistoFlash * flash);
void histo_flash_pass (HistoFlash * flash, HistoFlashQuantity quantity,
    const HistoFlashArea * area, guint64 time, guint64 step);
void histo_counter_flash_forget (HistoCounterFlash * flash);
guint histo_counter_flash_pass (HistoCounterFlash * flash, gdouble up,
    gdouble down, guint64 time, guint64 step);

G_END_DECLS

#endif /* HISTO_FLASH_H */
