/* The chain of parts of Matroska, MP4, MXF, AVI, WAV, W64, AIFF, AU, FLV, Ogg, MPEG program streams, DV, AAC and MP3;
 * see structure.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/structure.h"

#include <string.h>

#include "base/interrupt.h"
#include "base/sorted.h"

/* Read at once: enough for the heads of some small parts. */
#define WINDOW 4096
/* Parts lie within each other at most this deep. */
#define MOST_DEPTH 8
/* Signals are looked at after so many parts. */
#define PARTS_BETWEEN_SIGNALS 4096

const ReportStructureLimits report_structure_limits = {
  .parts = G_GUINT64_CONSTANT (1) << 28,
  .tracks = 1024
};

typedef struct
{
  GInputStream *stream;
  guint64 size;                 /* of the file */
  guint64 at;                   /* of the window */
  gsize n;                      /* bytes in the window */
  guint8 window[WINDOW];
  const ReportStructureLimits *limits;
  guint64 n_parts;              /* that were begun */
  guint64 end_of_parts;         /* of the chunks that were looked at */
  ReportStructure *structure;
} File;

/* Returns: (nullable): @n bytes, at most WINDOW; NULL: the file ends before */
static const guint8 *
peek (File * file, guint64 at, gsize n)
{
  file->structure->n_steps++;
  if (at > file->size || n > file->size - at)
    return NULL;
  if (at < file->at || at + n > file->at + file->n) {
    file->structure->n_steps += REPORT_STEPS_OF_READING;
    file->at = at;
    file->n = 0;
    if (!g_seekable_seek (G_SEEKABLE (file->stream), (goffset) at, G_SEEK_SET,
            NULL, NULL)
        || !g_input_stream_read_all (file->stream, file->window, WINDOW,
            &file->n, NULL, NULL) || file->n < n)
      return NULL;
  }
  return file->window + (at - file->at);
}

/* Returns: FALSE: nothing behind this place is looked at */
static gboolean
damaged (File * file, guint64 offset)
{
  file->structure->state = REPORT_STRUCTURE_DAMAGED;
  file->structure->offset = offset;
  return FALSE;
}

/* @end: where the file should end; 0: unknown */
static gboolean
cut_off (File * file, guint64 end)
{
  file->structure->state = REPORT_STRUCTURE_CUT_OFF;
  file->structure->offset = file->size;
  file->structure->missing = end > file->size ? end - file->size : 0;
  return FALSE;
}

/* The same check within a part, behind which there may be others. */
static gboolean
cut_off_within (File * file, guint64 end)
{
  file->structure->is_least = TRUE;
  return cut_off (file, end);
}

/* Whether nothing is in the rest of the file, or what may be there: zeros fill up, and tags may be added. */
static gboolean
is_harmless (File * file, guint64 at)
{
  static const gchar *const tags[] = { "TAG", "ID3", "APETAG", "LYRICS" };
  const gsize n = (gsize) MIN (WINDOW, file->size - MIN (at, file->size));
  const guint8 *rest = n > 1 ? peek (file, at, n) : NULL;

  if (rest == NULL)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (tags); i++) {
    const gsize length = strlen (tags[i]);

    if (n >= length && memcmp (rest, tags[i], length) == 0)
      return TRUE;
  }
  for (gsize i = 0; i < n; i++) {
    if (rest[i] != 0)
      return FALSE;
  }
  return TRUE;
}

/* Bytes behind the last part belong to none: if bytes were inserted before, these were moved there. */
static gboolean
look_at_rest (File * file, guint64 at)
{
  if (is_harmless (file, at))
    return TRUE;
  file->structure->rest = file->size - at;
  return damaged (file, at);
}

/* @of_what: static: what there are too many of; NULL: a signal came
 * Returns: FALSE: nothing behind this place is looked at */
static gboolean
give_up (File * file, guint64 offset, const gchar * of_what, guint64 most)
{
  file->structure->state = REPORT_STRUCTURE_GIVEN_UP;
  file->structure->offset = offset;
  file->structure->too_many = of_what;
  file->structure->count = most;
  return FALSE;
}

/* Each walk calls it for each part. Parts may have two bytes, so a file can have far more of them than any film.
 *
 * Returns: FALSE if the part is not looked at, nor what follows it */
static gboolean
begin_part (File * file, guint64 at)
{
  if (file->n_parts >= file->limits->parts)
    return give_up (file, at, "parts", file->limits->parts);
  if (file->n_parts++ % PARTS_BETWEEN_SIGNALS == 0
      && report_interrupt_signal () != 0)
    return give_up (file, at, NULL, 0);
  return TRUE;
}

/* Adds an entry, if there is none with its key yet.
 *
 * @entries: sorted, see sorted.h
 * @entry: begins with its key
 * Returns: (nullable): the entry of @entries; NULL: there are too many */
static gpointer
add_entry (File * file, GArray * entries, guint64 at, gconstpointer entry)
{
  const guint64 key = *(const guint64 *) entry;
  const guint place = report_sorted_find (entries, key,
      &file->structure->n_steps);

  if (!report_sorted_has (entries, place, key)) {
    if (entries->len >= file->limits->tracks) {
      give_up (file, at, "tracks", file->limits->tracks);
      return NULL;
    }
    g_array_insert_vals (entries, place, entry, 1);
  }
  return report_sorted_get (entries, place);
}

/* ---- Matroska ------------------------------------------------------------------------------- */

#define EBML_UNKNOWN G_MAXUINT64
#define EBML_HEADER 0x1A45DFA3
#define EBML_SEGMENT 0x18538067
#define EBML_TRACKS 0x1654AE6B
#define EBML_TRACK 0xAE
#define EBML_TRACK_NUMBER 0xD7
#define EBML_CLUSTER 0x1F43B675
#define EBML_BLOCK_GROUP 0xA0
#define EBML_BLOCK 0xA1
#define EBML_SIMPLE_BLOCK 0xA3

/* The other elements of a segment: SeekHead, Info, Cues, Tags, Chapters, Attachments. */
static const guint32 of_segment[] = { 0x114D9B74, 0x1549A966, 0x1C53BB6B,
  0x1254C367, 0x1043A770, 0x1941A469, EBML_TRACKS, EBML_CLUSTER, 0
};

/* In a cluster: Timestamp, SilentTracks, Position, PrevSize, EncryptedBlock. */
static const guint32 of_cluster[] = { 0xE7, 0x5854, 0xA7, 0xAB, 0xAF,
  EBML_SIMPLE_BLOCK, EBML_BLOCK_GROUP, 0
};

/* In a group: BlockVirtual, BlockAdditions, BlockDuration, ReferencePriority, ReferenceBlock,
 * ReferenceVirtual, CodecState, DiscardPadding, Slices, ReferenceFrame. */
static const guint32 of_group[] = { EBML_BLOCK, 0xA2, 0x75A1, 0x9B, 0xFA, 0xFB,
  0xFD, 0xA4, 0x75A2, 0x8E, 0xC8, 0
};

/* Everywhere: Void, CRC-32. */
static const guint32 of_all[] = { 0xEC, 0xBF, 0 };

typedef struct
{
  guint32 id;
  guint64 start;                /* of the content */
  guint64 size;                 /* of the content; EBML_UNKNOWN: up to the next one */
} Element;

typedef struct
{
  File *file;
  GArray *tracks;               /* of guint64: their numbers, sorted */
  guint64 end;                  /* of the segment; 0: unknown */
} Matroska;

static gboolean
is_one_of (guint32 id, const guint32 * ids)
{
  for (; *ids != 0; ids++) {
    if (*ids == id)
      return TRUE;
  }
  return FALSE;
}

/* A number of 1 to 8 bytes, whose first byte has its length.
 * Returns: its length; 0: there is none */
static guint
read_number (File * file, guint64 at, gboolean with_mark, guint64 * number)
{
  const guint8 *bytes = peek (file, at, 1);
  guint length = 1;

  if (bytes == NULL || bytes[0] == 0)
    return 0;
  while ((bytes[0] & 0x80 >> (length - 1)) == 0)
    length++;
  bytes = peek (file, at, length);
  if (bytes == NULL)
    return 0;
  *number = with_mark ? bytes[0] : bytes[0] & (0xff >> length);
  for (guint i = 1; i < length; i++)
    *number = *number << 8 | bytes[i];
  if (!with_mark && *number == (G_GUINT64_CONSTANT (1) << (7 * length)) - 1)
    *number = EBML_UNKNOWN;
  return length;
}

static gboolean
read_element (File * file, guint64 at, Element * element)
{
  guint64 id;
  const guint n = read_number (file, at, TRUE, &id);
  const guint n_size =
      n > 0 && n <= 4 ? read_number (file, at + n, FALSE, &element->size) : 0;

  element->id = id;
  element->start = at + n + n_size;
  return n_size > 0;
}

/* Returns: FALSE if there are too many */
static gboolean
read_tracks (Matroska * matroska, guint64 at, guint64 end, guint depth)
{
  Element element;

  for (; at < end && read_element (matroska->file, at, &element)
      && element.size <= end - element.start;
      at = element.start + element.size) {
    if (!begin_part (matroska->file, at))
      return FALSE;
    if (element.id == EBML_TRACK && depth == 0) {
      if (!read_tracks (matroska, element.start, element.start + element.size,
              1))
        return FALSE;
    } else if (element.id == EBML_TRACK_NUMBER && element.size > 0
        && element.size <= 8) {
      const guint8 *bytes = peek (matroska->file, element.start, element.size);
      guint64 number = 0;

      if (bytes != NULL) {
        for (guint i = 0; i < element.size; i++)
          number = number << 8 | bytes[i];
      }
      if (add_entry (matroska->file, matroska->tracks, at, &number) == NULL)
        return FALSE;
    }
  }
  return TRUE;
}

/* A block begins with the number of its track. */
static gboolean
is_block (Matroska * matroska, const Element * element)
{
  const GArray *tracks = matroska->tracks;
  guint64 number;

  if (read_number (matroska->file, element->start, FALSE, &number) == 0
      || element->size < 4)
    return FALSE;
  return tracks->len == 0 || report_sorted_has (tracks,
      report_sorted_find (tracks, number, &matroska->file->structure->n_steps),
      number);
}

/* @end: of the element that is cut; 0: unknown */
static gboolean
cut_matroska (const Matroska * matroska, guint64 end)
{
  return matroska->end != 0 ? cut_off (matroska->file, matroska->end) :
      cut_off_within (matroska->file, end);
}

/* @at: (inout): the first element; behind the last one
 * @end: G_MAXUINT64: up to an element that does not belong to it
 * @expected: the elements that it may have */
static gboolean
walk_elements (Matroska * matroska, guint64 * at, guint64 end,
    const guint32 * expected)
{
  File *file = matroska->file;
  const gboolean is_open = end == G_MAXUINT64;

  while (*at < MIN (end, file->size)) {
    Element element;
    guint64 next;

    if (!begin_part (file, *at))
      return FALSE;
    if (!read_element (file, *at, &element))
      return file->size - *at < 12 ? cut_matroska (matroska, is_open ? 0 : end) :
          damaged (file, *at);
    if (!is_one_of (element.id, expected) && !is_one_of (element.id, of_all)) {
      if (is_open && (is_one_of (element.id, of_segment)
              || element.id == EBML_HEADER))
        return TRUE;
      return damaged (file, *at);
    }
    if (element.size == EBML_UNKNOWN && element.id != EBML_CLUSTER)
      return damaged (file, *at);
    next = element.size == EBML_UNKNOWN ? G_MAXUINT64 :
        element.start + element.size;
    if (element.size != EBML_UNKNOWN && (next < *at || next > end))
      return damaged (file, *at);
    if ((element.id == EBML_BLOCK || element.id == EBML_SIMPLE_BLOCK)
        && !is_block (matroska, &element))
      return damaged (file, *at);
    if (element.id == EBML_TRACKS
        && !read_tracks (matroska, element.start, MIN (next, file->size), 0))
      return FALSE;
    if (element.id == EBML_CLUSTER || element.id == EBML_BLOCK_GROUP) {
      guint64 inner = element.start;

      if (!walk_elements (matroska, &inner, next,
              element.id == EBML_CLUSTER ? of_cluster : of_group))
        return FALSE;
      next = inner;
    }
    if (next > file->size)
      return cut_matroska (matroska, is_open ? next : end);
    *at = next;
  }
  return *at >= end || is_open || cut_matroska (matroska, end);
}

static gboolean
walk_matroska (File * file)
{
  Matroska matroska = { file, g_array_new (FALSE, FALSE, sizeof (guint64)), 0 };
  gboolean ok = TRUE;
  guint64 at = 0;
  Element element;

  /* There may be padding behind the last segment. */
  while (ok && read_element (file, at, &element)
      && (element.id == EBML_HEADER || element.id == EBML_SEGMENT
          || is_one_of (element.id, of_all))) {
    const gboolean is_open = element.size == EBML_UNKNOWN;
    const guint64 end = is_open ? G_MAXUINT64 : element.start + element.size;

    ok = begin_part (file, at);
    at = element.start;
    if (!ok)
      break;
    if (element.id != EBML_SEGMENT)
      at = end;
    else {
      g_array_set_size (matroska.tracks, 0);
      matroska.end = is_open ? 0 : end;
      ok = walk_elements (&matroska, &at, end, of_segment);
    }
  }
  g_array_unref (matroska.tracks);
  return ok;
}

/* ---- MP4 ------------------------------------------------------------------------------------ */

static gboolean
is_name (const guint8 * name)
{
  for (guint i = 0; i < 4; i++) {
    if (!g_ascii_isprint (name[i]) && name[i] != 0xa9)
      return FALSE;
  }
  return TRUE;
}

/* A track of MP4. */
typedef struct
{
  gboolean is_video;
  guint64 n_packets;            /* in its table */
} Mp4Track;

/* Finds what the tracks are and how many packets their tables have, in the boxes in which that lies. If there is one track
 * of video, the file states how many frames it has.
 *
 * @track: (inout) (nullable): whose boxes these are; NULL: the boxes are those of all tracks
 * Returns: FALSE if there are too many parts */
static gboolean
read_boxes (File * file, guint64 at, guint64 end, guint depth, Mp4Track * track)
{
  guint n_video = 0;

  while (at < end) {
    const guint8 *head = peek (file, at, 8);
    const guint64 size = head != NULL ? GST_READ_UINT32_BE (head) : 0;
    Mp4Track own = { 0 };
    guint8 name[4];

    if (!begin_part (file, at))
      return FALSE;
    if (size < 8 || size > end - at)
      return TRUE;
    memcpy (name, head + 4, sizeof name);
    if (track == NULL) {
      if (memcmp (name, "trak", 4) == 0 && !read_boxes (file, at + 8, at + size, 0, &own))
        return FALSE;
      n_video += own.is_video ? 1 : 0;
      if (own.is_video)
        file->structure->n_frames = n_video == 1 ? own.n_packets : 0;
    } else if (memcmp (name, "hdlr", 4) == 0 && size >= 20) {
      head = peek (file, at + 16, 4);
      /* That of `minf` is of the data. */
      track->is_video |= head != NULL && memcmp (head, "vide", 4) == 0;
    } else if (memcmp (name, "stsz", 4) == 0 && size >= 20) {
      head = peek (file, at + 16, 4);
      track->n_packets = head != NULL ? GST_READ_UINT32_BE (head) : 0;
    } else if (depth < MOST_DEPTH && (memcmp (name, "mdia", 4) == 0
            || memcmp (name, "minf", 4) == 0 || memcmp (name, "stbl", 4) == 0)) {
      if (!read_boxes (file, at + 8, at + size, depth + 1, track))
        return FALSE;
    }
    at += size;
  }
  return TRUE;
}

static gboolean
walk_mp4 (File * file)
{
  gboolean has_fragments = FALSE;
  guint64 at = 0;

  while (at < file->size) {
    const guint8 *head = peek (file, at, 8);
    guint64 size, least = 8;
    guint8 kind[4];

    if (!begin_part (file, at))
      return FALSE;
    if (head == NULL)
      return !has_fragments || cut_off (file, 0);
    size = GST_READ_UINT32_BE (head);
    memcpy (kind, head + 4, sizeof kind);
    /* There may be padding behind the last box. */
    if (!is_name (head + 4) || (size > 1 && size < 8))
      return at > 0 && !has_fragments ? TRUE : damaged (file, at);
    has_fragments = has_fragments || memcmp (head + 4, "moof", 4) == 0;
    if (size == 0)
      return TRUE;
    if (size == 1) {
      head = peek (file, at, 16);
      if (head == NULL)
        return cut_off (file, 0);
      size = GST_READ_UINT64_BE (head + 8);
      least = 16;
    }
    if (size < least)
      return damaged (file, at);
    if (size > file->size - at)
      return cut_off_within (file, size < G_MAXINT64 ? at + size : 0);
    if (memcmp (kind, "moov", 4) == 0
        && !read_boxes (file, at + least, at + size, 0, NULL))
      return FALSE;
    at += size;
  }
  return TRUE;
}

/* ---- AVI, WAV, AIFF ---------------------------------------------------------------------------- */

/* Programs that write to a pipe do not know the size. */
static gboolean
is_open_size (guint32 size)
{
  return size == 0 || size >= 0xfffff000
      || (size >= 0x7ffff000 && size <= 0x80000000);
}

static gboolean
walk_chunks (File * file, guint64 at, guint64 end, gboolean is_big,
    gboolean is_avi, guint depth)
{
  while (at < end) {
    const guint8 *head = peek (file, at, 8);
    guint64 size, next;

    if (!begin_part (file, at))
      return FALSE;
    if (head == NULL)
      /* One byte may fill up. */
      return file->size - at <= 1 || cut_off (file, end);
    if (!is_name (head))
      /* Padding behind the last chunk. */
      return depth == 0 || !is_avi || damaged (file, at);
    size = is_big ? GST_READ_UINT32_BE (head + 4) :
        GST_READ_UINT32_LE (head + 4);
    next = at + 8 + size;
    if (memcmp (head, "data", 4) == 0 && is_open_size (size))
      return TRUE;
    if (next > file->size && (is_avi || memcmp (head, "data", 4) == 0
            || memcmp (head, "SSND", 4) == 0))
      return next > end ? damaged (file, at) : cut_off (file, end);
    if (next > end + 1 && !is_avi)
      file->end_of_parts = MAX (file->end_of_parts, next + (size & 1));
    if (next > end + 1)
      return !is_avi || damaged (file, at);
    if (is_avi && memcmp (head, "LIST", 4) == 0 && size >= 4
        && depth < MOST_DEPTH) {
      const guint8 *kind = peek (file, at + 8, 4);

      if (kind != NULL && (memcmp (kind, "movi", 4) == 0
              || memcmp (kind, "rec ", 4) == 0)
          && !walk_chunks (file, at + 12, next, is_big, is_avi, depth + 1))
        return FALSE;
    }
    at = next + (size & 1);
    file->end_of_parts = MAX (file->end_of_parts, at);
  }
  return TRUE;
}

/* Behind sound, programs may add chunks that the size of the whole does not count. */
static gboolean
look_at_rest_of_sound (File * file, guint64 at, gboolean is_big)
{
  const guint8 *head = peek (file, at, 8);

  while (head != NULL && is_name (head)) {
    const guint64 size = is_big ? GST_READ_UINT32_BE (head + 4) :
        GST_READ_UINT32_LE (head + 4);

    if (!begin_part (file, at))
      return FALSE;
    if (size > file->size - at - 8)
      break;
    at += 8 + size + (size & 1);
    head = peek (file, at, 8);
  }
  return look_at_rest (file, at);
}

static gboolean
walk_riff (File * file)
{
  gboolean has_parts = FALSE, was_big = FALSE;
  guint64 at = 0;

  file->structure->has_no_times = TRUE;
  /* Large AVI files have several parts. */
  while (at < file->size) {
    const guint8 *head = peek (file, at, 12);
    const gboolean is_big = head != NULL && memcmp (head, "FORM", 4) == 0;
    gboolean is_avi, is_open;
    guint32 size;
    guint64 end;

    if (!begin_part (file, at))
      return FALSE;
    if (at > 0 && !has_parts && (head == NULL
            || (memcmp (head, "RIFF", 4) != 0 && !is_big)))
      /* The size of the whole may be wrong. */
      return look_at_rest_of_sound (file, MAX (at, file->end_of_parts),
          was_big);
    if (head == NULL || (memcmp (head, "RIFF", 4) != 0 && !is_big))
      return TRUE;
    was_big = is_big;
    size = is_big ? GST_READ_UINT32_BE (head + 4) :
        GST_READ_UINT32_LE (head + 4);
    is_avi = memcmp (head + 8, "AVI", 3) == 0;
    has_parts = is_avi;
    is_open = is_open_size (size) || (!is_avi && file->size > G_MAXUINT32);
    end = is_open ? file->size : at + 8 + (guint64) size;
    if (!walk_chunks (file, at + 12, end, is_big, is_avi, 0))
      return FALSE;
    if (is_avi && end > file->size + 1)
      return cut_off (file, end);
    at = end + (end & 1);
  }
  return TRUE;
}

/* The sizes of RF64 and BW64 are in the chunk ds64. */
static gboolean
walk_rf64 (File * file)
{
  const guint8 *head = peek (file, 0, 36);
  guint64 at = 12, size;

  file->structure->has_no_times = TRUE;
  if (head == NULL || memcmp (head + 12, "ds64", 4) != 0)
    return TRUE;
  size = GST_READ_UINT64_LE (head + 28);
  while ((head = peek (file, at, 8)) != NULL) {
    if (!begin_part (file, at))
      return FALSE;
    if (memcmp (head, "data", 4) == 0) {
      if (size == 0 || size == G_MAXUINT64)
        return TRUE;
      if (size > file->size - at - 8)
        return cut_off_within (file, size < G_MAXINT64 ? at + 8 + size : 0);
      return look_at_rest_of_sound (file, at + 8 + size + (size & 1), FALSE);
    }
    at += 8 + (guint64) GST_READ_UINT32_LE (head + 4);
    at += at & 1;
  }
  return TRUE;
}

/* ---- W64, AU ------------------------------------------------------------------------------------ */

#define W64_HEAD 24

/* This is RIFF with names of 16 bytes and sizes of 8 bytes that count the head. Parts begin at multiples of 8. */
static gboolean
walk_w64 (File * file)
{
  guint64 at = W64_HEAD + 16;
  const guint8 *head;

  file->structure->has_no_times = TRUE;
  while ((head = peek (file, at, W64_HEAD)) != NULL && is_name (head)) {
    const guint64 size = GST_READ_UINT64_LE (head + 16);
    const gboolean is_data = memcmp (head, "data", 4) == 0;

    if (!begin_part (file, at))
      return FALSE;
    /* A program that writes to a pipe does not know the size. */
    if (size <= W64_HEAD || size >= G_MAXINT64)
      return is_data || damaged (file, at);
    if (size > file->size - at)
      return cut_off_within (file, at + size);
    at += (size + 7) & ~G_GUINT64_CONSTANT (7);
  }
  return look_at_rest (file, at);
}

static gboolean
walk_au (File * file)
{
  const guint8 *head = peek (file, 0, 12);
  const guint64 start = head != NULL ? GST_READ_UINT32_BE (head + 4) : 0;
  const guint64 size = head != NULL ? GST_READ_UINT32_BE (head + 8) : 0;

  if (start < 24 || size == 0 || size == G_MAXUINT32)
    return TRUE;
  return start + size > file->size ? cut_off (file, start + size) :
      look_at_rest (file, start + size);
}

/* ---- MXF -------------------------------------------------------------------------------------- */

#define MXF_KEY 16
#define MXF_HEADER_PARTITION 2
#define MXF_FOOTER_PARTITION 4

static gboolean
walk_mxf (File * file)
{
  static const guint8 partition[] = { 0x06, 0x0e, 0x2b, 0x34, 0x02, 0x05, 0x01,
    0x01, 0x0d, 0x01, 0x02, 0x01, 0x01
  };
  guint64 at = 0, footer = 0;
  gboolean has_footer = FALSE;

  while (at < file->size) {
    const guint8 *head = peek (file, at, MXF_KEY + 1);
    guint64 size;
    guint n = 0;

    if (!begin_part (file, at))
      return FALSE;
    if (head == NULL)
      return has_footer || cut_off_within (file, footer);
    if (memcmp (head, partition, 4) != 0)
      return has_footer ? look_at_rest (file, at) : damaged (file, at);
    size = head[MXF_KEY];
    if (size >= 0x80) {
      n = size & 0x7f;
      if (n == 0 || n > 8)
        return damaged (file, at);
      head = peek (file, at, MXF_KEY + 1 + n);
      size = 0;
      for (guint i = 0; head != NULL && i < n; i++)
        size = size << 8 | head[MXF_KEY + 1 + i];
    }
    if (head == NULL || size > file->size - at - MXF_KEY - 1 - n)
      return cut_off_within (file, MAX (footer, size < G_MAXINT64 ?
              at + MXF_KEY + 1 + n + size : 0));
    if (memcmp (head, partition, sizeof partition) == 0 && size >= 32
        && head[13] >= MXF_HEADER_PARTITION
        && head[13] <= MXF_FOOTER_PARTITION) {
      has_footer = has_footer || head[13] == MXF_FOOTER_PARTITION;
      head = peek (file, at + MXF_KEY + 1 + n, 32);
      footer = MAX (footer, head != NULL ? GST_READ_UINT64_BE (head + 24) : 0);
    }
    at += MXF_KEY + 1 + n + size;
  }
  /* One that is not closed does not say where its footer is. */
  return has_footer || footer == 0 || cut_off_within (file, footer);
}

/* ---- MPEG program streams --------------------------------------------------------------------- */

/* The end has four bytes. */
static gboolean
is_end (File * file, guint64 at)
{
  const guint8 *head = peek (file, at, 4);

  return head != NULL && GST_READ_UINT32_BE (head) == 0x000001b9;
}

/* Packs and packets. */
static gboolean
walk_program (File * file)
{
  guint64 at = 0;

  while (at < file->size) {
    const guint8 *head = peek (file, at, 6);
    guint64 size;

    if (!begin_part (file, at))
      return FALSE;
    if (head == NULL)
      return is_end (file, at) || is_harmless (file, at)
          || cut_off (file, 0);
    if (head[0] != 0 || head[1] != 0 || head[2] != 1 || head[3] < 0xb9)
      return is_harmless (file, at) || damaged (file, at);
    size = 6 + GST_READ_UINT16_BE (head + 4);
    if (head[3] == 0xb9) {
      size = 4;
    } else if (head[3] == 0xba && (head[4] & 0xc0) == 0x40) {
      head = peek (file, at, 14);
      size = head != NULL ? 14 + (head[13] & 7) : 14;
    } else if (head[3] == 0xba) {
      size = 12;
    }
    if (size > file->size - at)
      return cut_off_within (file, at + size);
    at += size;
  }
  return TRUE;
}

/* ---- FLV -------------------------------------------------------------------------------------- */

static gboolean
walk_flv (File * file)
{
  const guint8 *head = peek (file, 0, 9);
  guint64 at = head != NULL ? GST_READ_UINT32_BE (head + 5) + 4 : 0;

  while (at < file->size) {
    guint32 size, back;

    if (!begin_part (file, at))
      return FALSE;
    head = peek (file, at, 11);
    if (head == NULL)
      return cut_off (file, 0);
    if ((head[0] & 0xdf) != 8 && (head[0] & 0xdf) != 9 && (head[0] & 0xdf) != 18)
      return damaged (file, at);
    size = 11 + GST_READ_UINT24_BE (head + 1);
    head = peek (file, at + size, 4);
    if (head == NULL)
      return cut_off_within (file, at + size + 4);
    back = GST_READ_UINT32_BE (head);
    /* Some programs write 0, or leave out the head. */
    if (back != size && back != size - 11 && back != 0)
      return damaged (file, at);
    at += size + 4;
  }
  return TRUE;
}

/* ---- Ogg -------------------------------------------------------------------------------------- */

#define OGG_FIRST 2
#define OGG_LAST 4
#define OGG_HEAD 27

typedef struct
{
  guint64 serial;               /* the key, see sorted.h */
  guint32 number;               /* of its latest page */
  gboolean has_ended;
} OggStream;

typedef struct
{
  GArray *streams;              /* (element-type OggStream): of the latest part of a chained file, sorted */
  guint n_open;                 /* of those: that have not ended */
} Ogg;

/* The sum of a page, without the four bytes that hold it: the polynomial 0x04c11db7. */
static guint32
add_to_sum (guint32 sum, const guint8 * bytes, gsize n)
{
  static gsize is_made = 0;
  static guint32 table[256];

  if (g_once_init_enter (&is_made)) {
    for (guint i = 0; i < 256; i++) {
      table[i] = i << 24;
      for (guint bit = 0; bit < 8; bit++)
        table[i] = table[i] << 1 ^ ((table[i] >> 31) * 0x04c11db7);
    }
    g_once_init_leave (&is_made, 1);
  }
  for (gsize i = 0; i < n; i++)
    sum = sum << 8 ^ table[sum >> 24 ^ bytes[i]];
  return sum;
}

static gboolean
has_right_sum (File * file, guint64 at, guint64 end)
{
  guint8 head[OGG_HEAD];
  const guint8 *bytes = peek (file, at, OGG_HEAD);
  guint32 expected, sum;

  if (bytes == NULL)
    return FALSE;
  memcpy (head, bytes, OGG_HEAD);
  expected = GST_READ_UINT32_LE (head + 22);
  memset (head + 22, 0, 4);
  sum = add_to_sum (0, head, OGG_HEAD);
  for (at += OGG_HEAD; at < end; at += WINDOW) {
    const gsize n = MIN (WINDOW, end - at);

    bytes = peek (file, at, n);
    if (bytes == NULL)
      return FALSE;
    sum = add_to_sum (sum, bytes, n);
  }
  return sum == expected;
}

/* Whether the page is the next one of its stream.
 *
 * @is_next: (out): the answer
 * Returns: FALSE if there are too many streams */
static gboolean
follow_page (Ogg * ogg, File * file, guint64 at, const guint8 * head,
    gboolean * is_next)
{
  const gboolean is_first = (head[5] & OGG_FIRST) != 0;
  const gboolean is_last = (head[5] & OGG_LAST) != 0;
  const guint32 number = GST_READ_UINT32_LE (head + 18);
  const OggStream unknown = { GST_READ_UINT32_LE (head + 14), number, TRUE };
  OggStream *stream;
  guint n;

  /* A chained file: the next part has other streams. */
  if (is_first && ogg->n_open == 0)
    g_array_set_size (ogg->streams, 0);
  n = ogg->streams->len;
  stream = add_entry (file, ogg->streams, at, &unknown);
  if (stream == NULL)
    return FALSE;
  /* A chained file may use a serial number again. */
  *is_next = is_first || (ogg->streams->len == n
      && number == stream->number + 1);
  stream->number = number;
  ogg->n_open -= !stream->has_ended;
  ogg->n_open += !is_last;
  stream->has_ended = is_last;
  return TRUE;
}

static gboolean
walk_pages (File * file, Ogg * ogg)
{
  guint64 at = 0;

  while (at < file->size) {
    const guint8 *head = peek (file, at, OGG_HEAD);
    gboolean is_next;
    guint n;
    guint64 end;

    if (!begin_part (file, at))
      return FALSE;
    if (head == NULL)
      return cut_off (file, 0);
    if (memcmp (head, "OggS", 4) != 0)
      return damaged (file, at);
    if (!follow_page (ogg, file, at, head, &is_next))
      return FALSE;
    if (!is_next)
      return damaged (file, at);
    n = head[26];
    end = at + OGG_HEAD + n;
    head = peek (file, at + OGG_HEAD, n);
    if (head == NULL)
      return cut_off (file, 0);
    for (guint i = 0; i < n; i++)
      end += head[i];
    if (end > file->size)
      return cut_off_within (file, end);
    if (!has_right_sum (file, at, end))
      return damaged (file, at);
    at = end;
  }
  return ogg->n_open == 0 || cut_off (file, 0);
}

static gboolean
walk_ogg (File * file)
{
  Ogg ogg = { g_array_new (FALSE, FALSE, sizeof (OggStream)), 0 };
  const gboolean ok = walk_pages (file, &ogg);

  g_array_unref (ogg.streams);
  return ok;
}

/* ---- AAC and MP3 without a container ----------------------------------------------------------- */

/* Returns: where the sound begins, behind a tag of ID3 */
static guint64
skip_id3 (File * file)
{
  const guint8 *head = peek (file, 0, 10);

  if (head == NULL || memcmp (head, "ID3", 3) != 0)
    return 0;
  return 10 + ((guint64) (head[6] & 0x7f) << 21 | (head[7] & 0x7f) << 14
      | (head[8] & 0x7f) << 7 | (head[9] & 0x7f));
}

/* The frames of ADTS. Something else may follow them, such as a tag. */
static gboolean
walk_adts (File * file)
{
  guint64 at = skip_id3 (file);

  while (at < file->size) {
    const guint8 *head = peek (file, at, 7);
    guint size;

    if (!begin_part (file, at))
      return FALSE;
    if (head == NULL)
      return cut_off (file, 0);
    if (head[0] != 0xff || (head[1] & 0xf6) != 0xf0)
      return memcmp (head, "TAG", 3) == 0 || memcmp (head, "APETAG", 6) == 0
          || damaged (file, at);
    size = (head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5;
    if (size < 7)
      return damaged (file, at);
    if (size > file->size - at)
      return cut_off_within (file, at + size);
    at += size;
  }
  return TRUE;
}

/* Where most programs write how many frames and bytes follow: behind the side information of the first
 * frame. */
static gboolean
walk_mp3 (File * file)
{
  static const guint8 places[] = { 13, 21, 36 };
  const guint64 at = skip_id3 (file);

  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    const guint8 *head = peek (file, at + places[i], 16);
    const guint8 *bytes;
    guint32 flags, size;

    if (head == NULL || (memcmp (head, "Xing", 4) != 0
            && memcmp (head, "Info", 4) != 0))
      continue;
    flags = GST_READ_UINT32_BE (head + 4);
    file->structure->has_exact_duration = (flags & 1) != 0;
    bytes = (flags & 1) != 0 ? head + 12 : head + 8;
    size = (flags & 2) != 0 ? GST_READ_UINT32_BE (bytes) : 0;
    if (size > file->size - at)
      return cut_off (file, at + size);
    return TRUE;
  }
  return TRUE;
}

/* ---- DV --------------------------------------------------------------------------------------- */

/* Raw DV is a chain of sequences of 150 blocks. Each sequence begins with a block that is its header. */
#define DV_SEQUENCE 12000

static gboolean
walk_dv (File * file)
{
  for (guint64 at = 0; at < file->size; at += DV_SEQUENCE) {
    const guint8 *head = peek (file, at, 3);

    if (!begin_part (file, at))
      return FALSE;
    if (head == NULL)
      return cut_off (file, at + DV_SEQUENCE);
    if (head[0] != 0x1f || (head[1] & 0x07) != 0x07 || head[2] != 0)
      return damaged (file, at);
  }
  return file->size % DV_SEQUENCE == 0
      || cut_off (file, file->size - file->size % DV_SEQUENCE + DV_SEQUENCE);
}

/* ---- Which one -------------------------------------------------------------------------------- */

typedef struct
{
  const gchar *mark;
  guint at, n;                  /* of the mark */
  gboolean (*walk) (File * file);
} Container;

static const Container containers[] = {
  {"\x1a\x45\xdf\xa3", 0, 4, walk_matroska},
  {"ftyp", 4, 4, walk_mp4},
  {"moov", 4, 4, walk_mp4},
  {"mdat", 4, 4, walk_mp4},
  {"wide", 4, 4, walk_mp4},
  {"RIFF", 0, 4, walk_riff},
  {"FORM", 0, 4, walk_riff},
  {"RF64", 0, 4, walk_rf64},
  {"BW64", 0, 4, walk_rf64},
  {"riff\x2e\x91\xcf\x11", 0, 8, walk_w64},
  {".snd", 0, 4, walk_au},
  {"\x06\x0e\x2b\x34\x02\x05\x01\x01", 0, 8, walk_mxf},
  {"\x00\x00\x01\xba", 0, 4, walk_program},
  {"FLV\x01", 0, 4, walk_flv},
  {"OggS", 0, 4, walk_ogg},
  {"\x1f\x07\x00\x3f", 0, 3, walk_dv},
};

/* The first block of FLAC has the number of samples: 36 bits; 0: unknown. */
static void
read_flac (File * file)
{
  const guint64 at = skip_id3 (file);
  const guint8 *head = peek (file, at, 26);

  if (head == NULL || memcmp (head, "fLaC", 4) != 0 || (head[4] & 0x7f) != 0)
    return;
  file->structure->has_exact_duration = TRUE;
  file->structure->n_samples = GST_READ_UINT64_BE (head + 18)
      & G_GUINT64_CONSTANT (0xfffffffff);
}

/* Sound without a container begins with eleven bits that are set. MPEG layer 0 is ADTS. */
static void
check_sound (File * file)
{
  const guint8 *head = peek (file, skip_id3 (file), 4);

  if (head == NULL || head[0] != 0xff || (head[1] & 0xe0) != 0xe0)
    return;
  if ((head[1] & 0x06) == 0 ? walk_adts (file) : walk_mp3 (file))
    file->structure->state = REPORT_STRUCTURE_UNKNOWN;
}

static void
check (File * file)
{
  const guint8 *head = peek (file, 0, 12);

  if (head == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (containers); i++) {
    const Container *container = &containers[i];

    head = peek (file, 0, 12);
    if (head == NULL
        || memcmp (head + container->at, container->mark, container->n) != 0)
      continue;
    if (container->walk (file))
      file->structure->state = REPORT_STRUCTURE_WHOLE;
    return;
  }
  read_flac (file);
  check_sound (file);
}

/**
 * report_structure_read:
 * @structure: (out):
 * @stream: can be searched
 * @size: of it
 * @limits: beyond which the file is not looked at
 */
void
report_structure_read (ReportStructure * structure, GInputStream * stream,
    guint64 size, const ReportStructureLimits * limits)
{
  File file = {.stream = stream,.size = size,.limits = limits };

  memset (structure, 0, sizeof *structure);
  structure->size = size;
  file.structure = structure;
  check (&file);
}

/**
 * report_structure_check:
 * @structure: (out):
 * @uri: of a file; others are not looked at
 */
void
report_structure_check (ReportStructure * structure, const gchar * uri)
{
  g_autoptr (GFile) location = g_file_new_for_uri (uri);
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GFileInfo) info = NULL;

  memset (structure, 0, sizeof *structure);
  if (g_file_is_native (location))
    info = g_file_query_info (location, G_FILE_ATTRIBUTE_STANDARD_TYPE ","
        G_FILE_ATTRIBUTE_STANDARD_SIZE, G_FILE_QUERY_INFO_NONE, NULL, NULL);
  if (info != NULL && g_file_info_get_file_type (info) == G_FILE_TYPE_REGULAR)
    stream = G_INPUT_STREAM (g_file_read (location, NULL, NULL));
  if (stream != NULL)
    report_structure_read (structure, stream,
        (guint64) g_file_info_get_size (info), &report_structure_limits);
}
