/* What the figures of a picture say in a few words: gamut, flashes, field order and repeated frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_CHECKS_H
#define HISTO_OVERLAY_CHECKS_H

#include "cudahisto/result.h"

G_BEGIN_DECLS

typedef enum
{
  HISTO_CHECK_GAMUT,
  HISTO_CHECK_FLASH,
  HISTO_CHECK_NOTE,             /* behind that of the flashes: what it is worth */
  HISTO_CHECK_FIELD,
  HISTO_CHECK_REPEAT,
  HISTO_N_CHECKS
} HistoCheckKind;

/* Padding is 0. */
typedef struct
{
  HistoCheckKind kind;
  gboolean is_bad;
  gchar text[64];
} HistoCheck;

guint histo_checks_find (HistoCheck * checks, const HistoGroupFigures * figures);

G_END_DECLS

#endif /* HISTO_OVERLAY_CHECKS_H */
