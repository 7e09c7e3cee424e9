/* Whether the structure of a file is whole: every container is a chain of parts with a name and a
 * length, and a demuxer skips what does not fit without saying so.
 *
 * MPEG-TS is looked at while the pipeline reads it, the others afterwards, and of them only the heads of
 * the parts are read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_STRUCTURE_H
#define REPORT_STRUCTURE_H

#include <gio/gio.h>
#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum
{
  REPORT_STRUCTURE_UNKNOWN,     /* no container that this program knows */
  REPORT_STRUCTURE_WHOLE,
  REPORT_STRUCTURE_DAMAGED,     /* a part is not where it should be */
  REPORT_STRUCTURE_CUT_OFF,     /* the file ends within a part */
  REPORT_STRUCTURE_GIVEN_UP     /* there is more than is looked at, or a signal came */
} ReportStructureState;

typedef struct
{
  ReportStructureState state;
  gboolean has_exact_duration;  /* the container knows about how many samples there are: decoders add or leave out some */
  guint64 n_samples;            /* of each channel, that the file says it has, and that a decoder gives; 0: unknown */
  guint64 n_frames;             /* packets of the only stream of video, as the file says; 0: unknown */
  gboolean has_no_times;        /* the packets of sound have none: GStreamer estimates them from their places */
  guint64 size;                 /* of the file, in bytes; 0: unknown */
  guint64 count;                /* of the places that are damaged; 0: unknown. Given up: how many are looked at */
  guint64 offset;               /* in bytes: the first damage; the length of the file; what was not looked at any more */
  guint64 missing;              /* in bytes, of a file that is cut off; 0: unknown */
  guint64 rest;                 /* damaged: bytes from the offset on that belong to no part; 0: the parts are damaged */
  gboolean is_least;            /* more may be missing: the length of the whole file is unknown */
  const gchar *too_many;        /* given up: "parts" or "tracks"; NULL: a signal came */
  guint64 n_steps;              /* the work: accesses to the file, and comparisons */
} ReportStructure;

/* Steps that reading from the file counts as. */
#define REPORT_STEPS_OF_READING 16

/* What is beyond them is not looked at: a check takes time in proportion to the file, and little memory. */
typedef struct
{
  guint64 parts;
  guint tracks;                 /* or streams, at the same time */
} ReportStructureLimits;

extern const ReportStructureLimits report_structure_limits;

void report_structure_read (ReportStructure * structure, GInputStream * stream,
    guint64 size, const ReportStructureLimits * limits);
void report_structure_check (ReportStructure * structure, const gchar * uri);

/* MPEG-TS. */
typedef struct _ReportPackets ReportPackets;

ReportPackets *report_packets_new (void);
void report_packets_free (ReportPackets * packets);
void report_packets_feed (ReportPackets * packets, guint64 offset,
    const guint8 * data, gsize size);
void report_packets_finish (ReportPackets * packets,
    ReportStructure * structure);

G_END_DECLS

#endif /* REPORT_STRUCTURE_H */
