/* How inputs are measured: the properties of cudahisto that the options set.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SETTINGS_H
#define REPORT_SETTINGS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Most decoders that may share a film, and that do if nobody says how many. */
#define REPORT_MOST_SPLIT 64
#define REPORT_MOST_AUTOMATIC 16

typedef struct
{
  gchar *measures;              /* NULL: what the summary needs */
  gchar *alerts;                /* NULL: REPORT_DEFAULT_ALERTS */
  gchar *regions;               /* NULL: none */
  gchar **properties;           /* (nullable): "NAME=VALUE" */
  gchar *programme;             /* NULL: tracks are joined where the file says so, or by a guess */
  gchar *sequence;              /* frames in a second: inputs are numbered images; NULL: they are files */
  gint split;                   /* so many decoders share a film; 1: none do; 0: as many as the machine has use for */
  gint64 max_pixels;            /* larger pictures are not decoded */
  guint thumbnails;             /* in even steps, of a stream of video; 0: no frame is kept */
  gboolean has_sparse_thumbnails;       /* not more than one of a second */
  GPtrArray *policies;          /* (element-type ReportPolicy): whose groups are measured, too; empty: none */
} ReportSettings;

/* What the summary shows and what costs little. The group hdr is added for PQ and HLG. */
#define REPORT_MEASURES_WITHOUT_LOUDNESS "signal+motion+area+gamut+gamut-filter+flash+field+level"
#define REPORT_DEFAULT_MEASURES REPORT_MEASURES_WITHOUT_LOUDNESS "+loudness"
#define REPORT_DEFAULT_ALERTS "black+freeze+scene+silence+clipping"

void report_settings_clear (ReportSettings * settings);
gboolean report_settings_check (const ReportSettings * settings,
    GError ** error);
gboolean report_settings_check_light (const ReportSettings * settings,
    const gchar * option, GError ** error);
guint report_settings_alerts (const ReportSettings * settings);
gchar *report_settings_describe (const ReportSettings * settings);
void report_settings_describe_properties (const ReportSettings * settings,
    GString * text);
GstElement *report_settings_make_element (const ReportSettings * settings,
    const GstCaps * caps);
gboolean report_settings_count_alone (const ReportSettings * settings);
void report_settings_make_exact (GstElement * decoder);
GstElement *report_settings_make_splitter (const GstCaps * caps);

G_END_DECLS

#endif /* REPORT_SETTINGS_H */
