/* What a file itself says of its streams, as the module that reads it with libavformat gives it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SAID_H
#define REPORT_SAID_H

#include <glib.h>

G_BEGIN_DECLS

/* How a frame's fields follow each other. */
typedef enum
{
  REPORT_ORDER_UNSAID,
  REPORT_ORDER_PROGRESSIVE,
  REPORT_ORDER_TOP_FIRST,
  REPORT_ORDER_BOTTOM_FIRST
} ReportFieldOrder;

typedef enum
{
  REPORT_RANGE_UNSAID,
  REPORT_RANGE_LIMITED,
  REPORT_RANGE_FULL
} ReportSaidRange;

typedef struct
{
  gint64 numerator, denominator;        /* denominator 0: not said */
} ReportRational;

/* What one source says. What it does not say is 0 or NULL. */
typedef struct
{
  guint matrix, transfer, primaries;    /* code points of ISO/IEC 23091-2, where 2 says nothing, too */
  gboolean is_rgb;              /* the matrix is 0, that of R, G and B */
  ReportSaidRange range;
  ReportFieldOrder field_order;
  guint64 channel_mask;         /* GStreamer's, in the order of the channels */
  gboolean has_light;           /* MaxCLL and MaxFALL, in cd/m² */
  guint max_cll, max_fall;
  gboolean has_mastering;
  ReportRational primary[3][2], white[2];       /* x and y of red, green, blue */
  ReportRational mastering_max, mastering_min;  /* in cd/m² */
  gboolean has_rotation;
  gint rotation;                /* degrees, counterclockwise, by which a player turns the picture; as ffprobe has it */
  gchar *timecode, *language, *title;   /* UTF-8 */
  ReportRational frame_rate;    /* frames in a second */
  guint width, height;          /* of the picture */
  guint rate, channels;         /* of the sound */
  guint depth;                  /* bits of a sample as it is stored */
  const gchar *chroma;          /* "4:2:2", "RGB", "grey"; static */
  const gchar *encoding, *profile;      /* as libav calls them: "h264", "High 4:2:2 Intra"; static */
} ReportSaid;

static inline void
report_said_clear (ReportSaid * said)
{
  g_free (said->timecode);
  g_free (said->language);
  g_free (said->title);
}

/* @x_shift, @y_shift: of chroma: 1 is half of the samples
 * Returns: (nullable): "4:2:2"; NULL: it has no name */
static inline const gchar *
report_said_chroma (guint x_shift, guint y_shift)
{
  static const gchar *const names[3][3] = {
    {"4:4:4", "4:4:0", NULL}, {"4:2:2", "4:2:0", NULL}, {"4:1:1", NULL, "4:1:0"}
  };

  return x_shift < 3 && y_shift < 3 ? names[x_shift][y_shift] : NULL;
}

/* Numbered images that are a stream. */
typedef struct _ReportSequence ReportSequence;

/* A stream of a file. */
typedef struct
{
  ReportSequence *sequence;     /* NULL: it is in a file */
  gboolean is_audio;
  gint number;                  /* as GStreamer's demuxers count: that of the track, the PID, or the place from 1 on; -1: unknown */
  gint index;                   /* libavformat's */
  gboolean is_probed;           /* libav knows the format of the decoded pictures: the data has been looked at */
  gchar *codec;                 /* libav's name: "h264" */
  gchar *codec_title, *profile; /* libav's names for people; profile NULL: unknown */
  gint width, height;           /* of video; 0: unknown */
  guint bits;                   /* of a sample of video; 0: unknown */
  gboolean is_of_other_program; /* than the first one, which GStreamer reads alone */
  gboolean is_decodable;        /* libav has a decoder, and GStreamer a format for what it gives */
  gboolean is_shifted;          /* the first frame has a time after the begin of the file, whose tables are complete */
  gboolean is_reordered;        /* pictures are not shown in the order in which they are decoded */
  gboolean is_cut;              /* frames before the first one that is shown, or behind the last one, are in the file */
  gint64 duration;              /* ns: of the file, as it says; 0: unknown */
  gboolean tells_fields;        /* pictures of this codec say themselves how their fields follow each other */
  gint rate, channels;          /* of sound; 0: unknown */
  gint64 length;                /* ns, as the container says; -1: unknown */
  gboolean has_decoder;         /* libav can decode it */
  gboolean has_own_use;         /* the container says that it is heard in place of another one: a comment, a dub */
  ReportSaid container;         /* by its tables, before any data was read */
  ReportSaid bitstream;         /* what the data says beyond, or otherwise */
} ReportSaidStream;

/* The module's function, REPORT_READ_SAID_NAME.
 *
 * @fd: of a file that can be read and seeked; its place is changed
 * @must_stop: called now and then with @data; reading ends when it returns TRUE
 * @streams: (element-type ReportSaidStream): gets the streams of video and sound, in the order of the container
 *
 * Returns: (transfer full) (nullable): the name of the container; NULL: libavformat does not read the file */
typedef gboolean (*ReportMustStop) (gpointer data);
typedef gchar *(*ReportReadSaid) (gint fd, ReportMustStop must_stop, gpointer data, GArray * streams);

#define REPORT_READ_SAID_NAME "report_libav_read_said"

/* A packet of a stream, as the container has it. Times are ns of stream time; REPORT_NO_TIME: unknown. */
#define REPORT_NO_TIME G_MININT64

typedef struct
{
  gint64 time, decoding_time, duration;
  gsize n_bytes;
  gboolean is_key;              /* it needs no other */
  gboolean is_damaged;          /* the container says so */
  gboolean is_hidden;           /* what it gives is not to be shown: others need it */
} ReportPacket;

typedef void (*ReportTakePacket) (const ReportPacket * packet, gpointer data);

/* Decoded sound. */
typedef struct
{
  const gchar *format;          /* as in caps: F32LE */
  gint rate, channels;
  guint64 channel_mask;         /* 0: unknown */
  gint64 time;                  /* ns of stream time */
  gint n_samples;               /* of each channel */
  const guint8 *samples;        /* interleaved */
  gsize n_bytes;
  gboolean is_damaged;          /* libav could not decode all of it, or what comes before */
} ReportSound;

/* Returns: FALSE: no more is wanted */
typedef gboolean (*ReportTakeSound) (const ReportSound * sound, gpointer data);

/* A decoded picture. */
#define REPORT_MOST_PLANES 4

typedef struct
{
  const guint8 *data;           /* the first row */
  gsize n_bytes;                /* that can be read from there on */
  gint stride;                  /* from a row to the next one, > 0 */
  gpointer owner;               /* of the memory: REPORT_RELEASE_PLANE_NAME frees it when nobody reads the plane any more */
} ReportPlane;

typedef struct
{
  const gchar *format;          /* as in caps: I420; NULL: GStreamer has none like it */
  const gchar *own_format;      /* libav's name */
  gint width, height;
  ReportRational pixel, rate;   /* the shape of a pixel; frames in a second; denominator 0: unknown */
  gint64 time, duration;        /* ns of stream time; REPORT_NO_TIME: unknown; duration 0: unknown */
  gboolean is_interlaced, is_top_first, is_repeated;
  gboolean is_damaged;          /* libav could not decode all of it, or what comes before */
  guint matrix, transfer, primaries;    /* of an image: code points as above */
  ReportSaidRange range;        /* the same */
  gboolean has_alpha;           /* which the format may leave out, or have beside colours without one */
  gdouble scale;                /* of floats: what the greatest code stands for; else 0 */
  guint64 n_negative, n_infinite;       /* samples of floats that no code stands for; what is no number is among the latter */
  guint n_planes;
  ReportPlane planes[REPORT_MOST_PLANES];
} ReportPicture;

/* @picture: its planes are (transfer full)
 *
 * Returns: FALSE: no more is wanted */
typedef gboolean (*ReportTakePicture) (const ReportPicture * picture,
    gpointer data);
typedef void (*ReportReleasePlane) (gpointer owner);

/* The module's functions, REPORT_DECODE_SOUND_NAME and REPORT_DECODE_PICTURES_NAME: decode a stream to its end.
 *
 * @index: ReportSaidStream's
 * @must_stop: as above
 * @take_packet: (nullable): called for each packet before it is decoded
 * @take: called for each frame
 * @n_threads: of the decoder at most */
typedef void (*ReportDecodeSound) (gint fd, gint index, ReportMustStop must_stop,
    ReportTakePacket take_packet, ReportTakeSound take, gpointer data);
typedef void (*ReportDecodePictures) (gint fd, gint index, ReportMustStop must_stop,
    ReportTakePacket take_packet, ReportTakePicture take, gint n_threads, gpointer data);

/* The module's function, REPORT_DECODE_IMAGE_NAME: decodes a file that is one image.
 *
 * @codec: libav's name of the decoder
 * @bytes: with REPORT_PADDING bytes of 0 behind the @n of the file
 * @picture: (inout): all 0; gets the picture. If only its size is set, it has more than @max_pixels
 *
 * Returns: (transfer full) (nullable): what is wrong; NULL: the planes of the picture are (transfer full) */
typedef gchar *(*ReportDecodeImage) (const gchar * codec, const guint8 * bytes, gsize n,
    gint64 max_pixels, ReportPicture * picture);

/* Decoders read beyond the end. */
#define REPORT_PADDING 64

#define REPORT_DECODE_IMAGE_NAME "report_libav_decode_image"
#define REPORT_DECODE_SOUND_NAME "report_libav_decode_sound"
#define REPORT_DECODE_PICTURES_NAME "report_libav_decode_pictures"
#define REPORT_RELEASE_PLANE_NAME "report_libav_release_plane"

/* A track of one channel that is joined with others. */
typedef struct
{
  gint fd;                      /* of the file, of this track alone; its place is changed */
  gint index;                   /* ReportSaidStream's */
  gint64 n_samples;             /* (out): that the track holds */
  /* (out): samples of silence that take the place of what it does not hold, while others do: before it begins, between
   * its begin and its end, behind its end */
  gint64 n_before, n_between, n_behind;
} ReportJoined;

/* The module's function, REPORT_JOIN_SOUND_NAME: decodes tracks of one rate to their ends. Each becomes a channel. They are
 * joined by their times, to a sample.
 *
 * @tracks: (inout) (array length=n_tracks): in the order of the channels
 * @channel_mask: of the channels; 0: unknown
 * @must_stop: as above
 * @take: called for each piece */
typedef void (*ReportJoinSound) (ReportJoined * tracks, guint n_tracks, guint64 channel_mask,
    ReportMustStop must_stop, ReportTakeSound take, gpointer data);

#define REPORT_JOIN_SOUND_NAME "report_libav_join_sound"

G_END_DECLS

#endif /* REPORT_SAID_H */
