/* A file that libavformat reads from a descriptor; see libav-input.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "facts/libav-input.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_BYTES (64 * 1024)
/* Files say more than this only if they are hostile: tables of films of a day have some 20 MB. */
#define MOST_BYTES (G_GINT64_CONSTANT (256) << 20)
#define MOST_SECONDS 10
#define MOST_STREAMS 512
/* So much of the data is looked at. */
#define PROBED_BYTES (2 << 20)

/* Demuxers that open other files or addresses that a file names, that take any file, or of single pictures. */
static const gchar *const refused_formats[] = {
  "alias_pix", "applehttp", "asf_o", "avisynth", "bin", "brender_pix", "concat", "dash", "data", "dvdvideo", "fbdev",
  "ffmetadata", "hls", "image2", "image2pipe", "imf", "lavfi", "mlv", "rtp", "rtsp", "sap", "sdp", "tedcaptions", "tty",
  "vapoursynth", "vobsub", "webm_dash_manifest", NULL
};

static gint64
processor_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (gint64) now.tv_sec * 1000000000 + now.tv_nsec;
}

gboolean
libav_input_is_over (const LibavInput * input)
{
  return input->must_stop (input->data) || (input->most_bytes > 0
      && (input->n_bytes > input->most_bytes
          || processor_time () > input->last_time));
}

static int
is_over (void *data)
{
  return libav_input_is_over (data);
}

static int
read_data (void *data, uint8_t * bytes, int size)
{
  LibavInput *input = data;
  gssize n;

  if (is_over (input))
    return AVERROR_EXIT;
  do
    n = read (input->fd, bytes, size);
  while (n < 0 && errno == EINTR);
  if (n > 0)
    input->n_bytes += n;
  return n < 0 ? AVERROR (errno) : n == 0 ? AVERROR_EOF : (int) n;
}

static int64_t
seek_data (void *data, int64_t offset, int whence)
{
  const LibavInput *input = data;
  const gint64 now = lseek (input->fd, 0, SEEK_CUR);
  gint64 end;

  if ((whence & AVSEEK_SIZE) == 0) {
    offset = lseek (input->fd, offset, whence & ~AVSEEK_FORCE);
    return offset < 0 ? AVERROR (errno) : offset;
  }
  end = lseek (input->fd, 0, SEEK_END);
  lseek (input->fd, now, SEEK_SET);
  return end < 0 ? AVERROR (errno) : end;
}

static int
refuse_file (AVFormatContext * context, AVIOContext ** io, const char *url,
    int flags, AVDictionary ** options)
{
  return AVERROR (EPERM);
}

/* ---- Channels --------------------------------------------------------------------------------- */

/* GStreamer's position of each of libav's channels; -1: it has none, as for Lt and Rt. */
static const gint8 positions[] = {
  [0] = 0, 1, 2, 3, 4, 5, 6, 7, 8,      /* L R C LFE Ls Rs Lc Rc Cs */
  10, 11,                       /* the sides */
  15, 12, 14, 13, 16, 20, 17,   /* above: the centre; left, centre, right of the front, and of the rear */
  [18 ... 30] = -1,
  [31] = 24, 25, 26, 27,        /* wide, surround */
  9,                            /* the second LFE */
  18, 19, 21, 22, 23            /* above the sides; below the front: centre, left, right */
};

/* In both masks, and in the samples, the channels are in the order of the bits. Where that is not the same order, the samples
 * would have to be moved.
 *
 * Returns: GStreamer's mask; 0: unknown */
guint64
libav_channel_mask (const AVChannelLayout * layout)
{
  guint64 mask = 0;
  gint last = -1;

  if (layout->order != AV_CHANNEL_ORDER_NATIVE)
    return 0;
  for (guint bit = 0; bit < 64; bit++) {
    const gint position = bit < G_N_ELEMENTS (positions) ? positions[bit] : -1;

    if ((layout->u.mask >> bit & 1) == 0)
      continue;
    if (position <= last)
      return 0;
    mask |= G_GUINT64_CONSTANT (1) << position;
    last = position;
  }
  return mask;
}

/* ---- Formats ---------------------------------------------------------------------------------- */

gboolean
libav_format_has_name (const AVInputFormat * format, const gchar * const *wanted)
{
  gchar **names = g_strsplit (format->name, ",", -1);
  gboolean found = FALSE;

  for (guint i = 0; names[i] != NULL; i++)
    found = found || g_strv_contains (wanted, names[i]);
  g_strfreev (names);
  return found;
}

static gboolean
is_refused (const AVInputFormat * format)
{
  return (format->flags & (AVFMT_NOFILE | AVFMT_NEEDNUMBER)) != 0
      || g_str_has_suffix (format->name, "_pipe")
      || libav_format_has_name (format, refused_formats);
}

/**
 * libav_input_open:
 * @input: (out): to be closed with libav_input_close()
 * @fd: must stay open; its place is changed
 * @must_stop: called now and then with @data; reading ends when it returns TRUE
 * @is_short: only the begin is looked at: what takes more is hostile
 */
void
libav_input_open (LibavInput * input, gint fd,
    ReportMustStop must_stop, gpointer data, gboolean is_short)
{
  const AVInputFormat *format = NULL;

  *input = (LibavInput) {
  .fd = fd,.must_stop = must_stop,.data = data};
  if (is_short) {
    input->most_bytes = MOST_BYTES;
    input->last_time = processor_time () + MOST_SECONDS *
        G_GINT64_CONSTANT (1000000000);
  }
  input->io = avio_alloc_context (av_malloc (BUFFER_BYTES), BUFFER_BYTES, 0,
      input, read_data, NULL, seek_data);
  input->context = avformat_alloc_context ();
  input->context->pb = input->io;
  input->context->flags |= AVFMT_FLAG_CUSTOM_IO;
  input->context->io_open = refuse_file;
  input->context->interrupt_callback = (AVIOInterruptCB) {
  is_over, input};
  /* No protocol has this name: a demuxer that opens another one in its turn hands it on. */
  input->context->protocol_whitelist = av_strdup ("none");
  input->context->max_streams = MOST_STREAMS;
  input->context->probesize = PROBED_BYTES;
  if (av_probe_input_buffer (input->io, &format, NULL, NULL, 0,
          PROBED_BYTES) < 0 || is_refused (format)) {
    avformat_free_context (input->context);
    input->context = NULL;
    /* One that cannot be opened is freed. */
  } else if (avformat_open_input (&input->context, NULL, format, NULL) < 0) {
    input->context = NULL;
  }
}

void
libav_input_close (LibavInput * input)
{
  avformat_close_input (&input->context);
  av_freep (&input->io->buffer);
  avio_context_free (&input->io);
}
