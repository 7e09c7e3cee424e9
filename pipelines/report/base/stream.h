/* What an input and its streams are.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_STREAM_H
#define REPORT_STREAM_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* An input with more streams is not measured. Streams are searched for others, and each has threads and histograms. */
#define REPORT_MOST_STREAMS 512

/* The field order of a stream in which there are buffers of one field. */
#define REPORT_ALTERNATE "alternate"

/* What decodes a stream in place of GStreamer. */
#define REPORT_LIBAV "libav"

/* What a stream says of its light: CTA-861.3 and SMPTE ST 2086. All in cd/m²; 0, or NaN of a stream that was read:
 * unknown. */
typedef struct
{
  guint64 max_cll, max_fall;
  gdouble mastering_max, mastering_min; /* of the mastering display */
  gdouble primaries[6], white[2];       /* of it: x and y of red, green and blue; of white */
  guint64 changes;              /* of what it says, which is the first one */
} ReportCarried;

typedef struct
{
  guint index;                  /* of the stream in the input, from 0, in the order of the container */
  gboolean is_audio;
  gchar *title;                 /* what distinguishes it for people: "video 0", "audio 1 (eng)" */
  gchar *language, *name;       /* as its tags say; NULL: unknown, or of a stream that was read */
  gdouble frame_rate;           /* video: frames per second; 0: unknown */
  gint width, height;           /* video */
  gint par_n, par_d;            /* video: the width of a pixel to its height; 0: unknown */
  gint rate, channels;          /* audio */
  gchar *format, *colorimetry;  /* as in caps; colorimetry NULL: unknown */
  /* Audio: where the loudspeaker of each channel stands: "L", "R", "C", "LFE"; NULL: unknown */
  gchar **channel_names;
  gchar *codec;                 /* "H.264 (High Profile)"; NULL: unknown */
  gchar *container;             /* "Matroska"; NULL: unknown */
  /* Audio: the numbers of the tracks that are joined, "1+2", and who joins them; NULL: it is one track */
  gchar *programme, *programme_source;
  gchar *decoder;               /* REPORT_LIBAV; NULL: one of GStreamer */
  ReportCarried carried;        /* video */
  /* Stream time of the container in ns from which the times of results and alerts count: that of the first
   * result. Writers that imitate ffprobe add it. */
  guint64 origin;
  guint64 n_before;             /* results before the one that writers get */
  guint groups;                 /* flags of the groups that are asked for, see HISTO_GROUP_FLAG() */
} ReportStream;

typedef struct
{
  const gchar *name;            /* as the user wrote it: file or URI; UTF-8 */
  guint64 duration;             /* ns; GST_CLOCK_TIME_NONE: unknown */
  guint n_streams;
  const ReportStream *streams;
} ReportInput;

GTree *report_texts_new (void);
void report_append_clean (GString * to, const gchar * text);
gchar *report_clean_text (gchar * text);
void report_stream_clear (ReportStream * stream);
ReportStream *report_stream_copy (const ReportStream * stream);
void report_stream_free (ReportStream * stream);

G_END_DECLS

#endif /* REPORT_STREAM_H */
