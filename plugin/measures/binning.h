/* How samples are sorted into bins: from the settings to bins and their edges.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_BINNING_H
#define HISTO_BINNING_H

#include "cudahisto/measures.h"
#include "kernels/binning.h"
#include "media/format.h"

G_BEGIN_DECLS

#define HISTO_DEFAULT_AUDIO_BINS 256

/* The properties of these names. */
typedef struct
{
  guint bins;                   /* 0 = the default of the medium */
  gdouble range_min, range_max; /* both 0 = the format's own range */
} HistoBinSettings;

/* The bins of one component's result. */
typedef struct
{
  HistoBinning binning;
  gdouble *edges;               /* n_bins + 1 */
  GBytes *given_edges;          /* the same for the result, little endian, if they are those of the settings; else
                                 * NULL */
  guint32 *native_bin;          /* video: the bin of each native value, or HISTO_BIN_UNDERFLOW or
                                 * _OVERFLOW; NULL where the bins are the native ones */
} HistoBins;

#define HISTO_MAX_EDGES (HISTO_MAX_BINS + 1)

gboolean histo_bin_edges_parse (const gchar * text, GBytes ** edges,
    GError ** error);
gboolean histo_bin_settings_valid (const HistoBinSettings * settings);
gdouble *histo_binning_init (HistoBinning * binning,
    const HistoFormat * format, guint n_values,
    const HistoBinSettings * settings);
void histo_bins_init (HistoBins * bins, const HistoFormat * format,
    guint n_values, const HistoBinSettings * settings);
gdouble *histo_binning_init_edges (HistoBinning * binning, GBytes * edges);
void histo_bins_init_edges (HistoBins * bins, const HistoFormat * format,
    guint n_values, GBytes * edges);
void histo_bins_clear (HistoBins * bins);
guint32 histo_binning_find_integer (const HistoBinning * binning,
    const gdouble * edges, gint64 value);

/* What histo_binning_find_integer() returns outside the range. */
#define HISTO_BIN_UNDERFLOW (G_MAXUINT32 - 1)
#define HISTO_BIN_OVERFLOW G_MAXUINT32

G_END_DECLS

#endif /* HISTO_BINNING_H */
