/* Why the temporal stage restarts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_RESTART_H
#define HISTO_RESTART_H

/* A later reason includes what the earlier ones restart, so the maximum of several reasons stands
 * for all of them. */
typedef enum
{
  HISTO_RESTART_NONE,
  HISTO_RESTART_DISCONTINUITY,  /* a DISCONT flag, or buffers that were refused or for which no result was
                                 * wanted: the previous buffer is no neighbour of this one; running time
                                 * goes on */
  HISTO_RESTART_SEGMENT,        /* a new segment: stream time may go back */
  HISTO_RESTART_CAPS,           /* another format: the results before have other components; or
                                 * another stream: they are not part of it */
  HISTO_RESTART_FLUSH           /* a flush or a start: running time begins anew */
} HistoRestart;

#endif /* HISTO_RESTART_H */
