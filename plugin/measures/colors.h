/* What the formulas need to know of a format's colorimetry: the matrices, the table of saturation
 * and hue, and the light of a code value.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_COLORS_H
#define HISTO_COLORS_H

#include "cudahisto/light.h"
#include "kernels/formulas.h"
#include "media/format.h"

G_BEGIN_DECLS

void histo_formulas_init (HistoFormulas * formulas, const HistoFormat * format);
guint32 *histo_chroma_table_new (guint depth);
gdouble *histo_light_table_new (const HistoFormat * format);
guint16 *histo_hlg_tables_new (const HistoFormulas * formulas);
gdouble *histo_hlg_bins_new (void);
gdouble histo_hlg_light_in_cd (guint64 light);
guint16 *histo_linear_table_new (const HistoFormulas * formulas,
    GstVideoTransferFunction transfer);

G_END_DECLS

#endif /* HISTO_COLORS_H */
