/* A file that libavformat reads from a descriptor, and what bounds the reading. Part of the module.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_LIBAV_INPUT_H
#define REPORT_LIBAV_INPUT_H

#include <libavformat/avformat.h>

#include "facts/said.h"

typedef struct
{
  gint fd;
  gint64 n_bytes;               /* that were read */
  gint64 most_bytes, last_time; /* at which reading ends: bytes, and processor time of this thread in ns; 0: none */
  ReportMustStop must_stop;
  gpointer data;                /* for must_stop */
  AVIOContext *io;
  AVFormatContext *context;     /* NULL: libavformat does not read the file */
} LibavInput;

void libav_input_open (LibavInput * input, gint fd,
    ReportMustStop must_stop, gpointer data, gboolean is_short);
void libav_input_close (LibavInput * input);
gboolean libav_input_is_over (const LibavInput * input);
guint64 libav_channel_mask (const AVChannelLayout * layout);
gboolean libav_format_has_name (const AVInputFormat * format,
    const gchar * const *wanted);

#endif /* REPORT_LIBAV_INPUT_H */
