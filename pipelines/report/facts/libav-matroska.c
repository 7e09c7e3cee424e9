/* The numbers of the tracks of Matroska; see libav-matroska.h.
 *
 * GStreamer names a stream by the number of its track. libavformat counts the tracks that it knows. The numbers may have
 * holes, where a track was taken out, or be in any order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "facts/libav-matroska.h"

#include <unistd.h>

#define SEGMENT 0x18538067
#define TRACKS 0x1654AE6B
#define TRACK 0xAE
#define TRACK_NUMBER 0xD7
#define TRACK_TYPE 0x83
#define TRACK_CODEC 0x86

/* So many elements stand before the tracks at most, and so long are these. */
#define MOST_ELEMENTS 1000
#define MOST_BYTES (4 << 20)

/* Bytes of the file, from `place` up to `end`. */
typedef struct
{
  const guint8 *bytes;
  gsize place, end;
} Reader;

typedef struct
{
  guint64 id, size;
  Reader content;
} Element;

/* Reads a number whose first byte tells how many bytes it has. @has_mark: that bit belongs to it, as to an id */
static gboolean
read_number (Reader * reader, gboolean has_mark, guint64 * number)
{
  const guint8 first = reader->place < reader->end ? reader->bytes[reader->place] : 0;
  const guint n = first != 0 ? __builtin_clz (first) - 23 : 9;

  if (n > 8 || n > reader->end - reader->place)
    return FALSE;
  *number = has_mark ? first : first & (0xFF >> n);
  for (guint i = 1; i < n; i++)
    *number = *number << 8 | reader->bytes[reader->place + i];
  reader->place += n;
  return TRUE;
}

static gboolean
read_head (Reader * reader, Element * element)
{
  return read_number (reader, TRUE, &element->id) && read_number (reader, FALSE, &element->size);
}

/* Reads an element that is wholly there. */
static gboolean
read_element (Reader * reader, Element * element)
{
  if (!read_head (reader, element) || element->size > reader->end - reader->place)
    return FALSE;
  element->content = (Reader) { reader->bytes, reader->place, reader->place + element->size };
  reader->place += element->size;
  return TRUE;
}

static guint64
read_integer (const Element * element)
{
  guint64 number = 0;

  for (gsize i = element->content.place; i < element->content.end; i++)
    number = number << 8 | element->content.bytes[i];
  return number;
}

/* Returns: the number of a track that libavformat makes a stream of; 0: it makes none: it has an unknown type, or no codec */
static guint64
read_track (Reader track)
{
  guint64 number = 0, type = 0;
  gboolean has_codec = FALSE;
  Element element;

  while (read_element (&track, &element)) {
    if (element.id == TRACK_NUMBER)
      number = read_integer (&element);
    else if (element.id == TRACK_TYPE)
      type = read_integer (&element);
    has_codec = has_codec || (element.id == TRACK_CODEC && element.size > 0);
  }
  /* Video, sound, subtitles, metadata. */
  return has_codec && (type == 1 || type == 2 || type == 0x11 || type == 0x21) ? number : 0;
}

/* Returns: (transfer full) (nullable): the content of the tracks, of @size bytes */
static guint8 *
load_tracks (gint fd, gsize * size)
{
  guint64 place = 0;

  for (guint i = 0; i < MOST_ELEMENTS; i++) {
    guint8 bytes[16];
    const gssize n = pread (fd, bytes, sizeof bytes, (off_t) place);
    Reader reader = { bytes, 0, n > 0 ? (gsize) n : 0 };
    Element element;
    guint8 *tracks;

    if (!read_head (&reader, &element))
      return NULL;
    place += reader.place;
    /* What is inside of the segment comes next. */
    if (element.id == SEGMENT)
      continue;
    if (element.id != TRACKS) {
      if (element.size > G_MAXINT64 - place)
        return NULL;
      place += element.size;
      continue;
    }
    if (element.size > MOST_BYTES)
      return NULL;
    tracks = g_malloc (element.size + 1);
    *size = element.size;
    if (pread (fd, tracks, element.size, (off_t) place) == (gssize) element.size)
      return tracks;
    g_free (tracks);
    return NULL;
  }
  return NULL;
}

/* @streams: (element-type ReportSaidStream): get the numbers of their tracks, if these can be read */
void
libav_matroska_set_numbers (gint fd, GArray * streams)
{
  gsize size = 0;
  guint8 *tracks = load_tracks (fd, &size);
  Reader reader = { tracks, 0, size };
  Element element;
  gint index = 0;

  while (tracks != NULL && read_element (&reader, &element)) {
    const guint64 number = element.id == TRACK ? read_track (element.content) : 0;

    if (number == 0)
      continue;
    for (guint s = 0; s < streams->len; s++) {
      ReportSaidStream *stream = &g_array_index (streams, ReportSaidStream, s);

      if (stream->index == index)
        stream->number = number <= G_MAXINT ? (gint) number : -1;
    }
    index++;
  }
  g_free (tracks);
}
