/* Reads the image of the property `mask`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_MASK_FILE_H
#define HISTO_MASK_FILE_H

#include "media/mask.h"

G_BEGIN_DECLS

HistoMask *histo_mask_file_read (const gchar * name, GError ** error);

G_END_DECLS

#endif /* HISTO_MASK_FILE_H */
