/* What a file itself says of its streams. GStreamer's demuxers and decoders leave out some of it, and guess in its place.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_STATEMENTS_H
#define REPORT_STATEMENTS_H

#include "facts/said.h"

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  gchar *path;                  /* of the file; NULL: the stream is a sequence */
  gchar *container;             /* libavformat's names of it, with commas between them */
  GArray *streams;              /* (element-type ReportSaidStream): video and sound, in the order of the container */
} ReportStatements;

ReportStatements *report_statements_new (const gchar * container);
ReportStatements *report_statements_read (const gchar * path,
    ReportMustStop must_stop, gpointer data);
void report_statements_free (ReportStatements * statements);
gboolean report_statements_is_container (const ReportStatements * statements,
    const gchar * name);
void report_statements_decode_sound (const gchar * path, gint index,
    ReportMustStop must_stop, ReportTakePacket take_packet,
    ReportTakeSound take, gpointer data);
void report_statements_join_sound (const gchar * path,
    ReportJoined * tracks, guint n_tracks, guint64 channel_mask,
    ReportMustStop must_stop, ReportTakeSound take, gpointer data);
void report_statements_decode_pictures (const gchar * path, gint index,
    ReportMustStop must_stop, ReportTakePacket take_packet,
    ReportTakePicture take, gint n_threads, gpointer data);
gboolean report_statements_has_images (void);
gchar *report_statements_decode_image (const gchar * codec,
    const guint8 * bytes, gsize n, gint64 max_pixels, ReportPicture * picture);
void report_statements_release_plane (gpointer owner);
gboolean report_statements_are_decodable (const ReportStatements * statements);
guint64 report_statements_duration (const ReportStatements * statements);
GstTagList *report_statements_tags (const ReportSaidStream * stream);
const ReportSaidStream *report_statements_find (const ReportStatements *
    statements, const gchar * stream_id, gboolean is_audio);
GstCaps *report_statements_correct (const ReportSaidStream * stream,
    const GstCaps * first, const GstCaps * caps);

G_END_DECLS

#endif /* REPORT_STATEMENTS_H */
