/* The packets of MPEG-TS, which count; see structure.h.
 *
 * The counter of a stream's packets has four bits. Files that were put one after the other are not
 * damaged: each begins with tables, whose counters begin with 0.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/structure.h"

#include <string.h>

#define PACKET 188
#define MARK 0x47
#define N_PIDS 8192
#define N_TABLE_PIDS 32         /* the tables of programs, services and so on, which come again and again */
#define PID_EMPTY 8191
/* So many packets in a row make a file MPEG-TS. */
#define ENOUGH 5

typedef struct
{
  guint8 counter;
  gboolean has_pes;             /* it has begun with the head of a PES packet */
  guint64 row;                  /* in which the counter was seen; 0: in none */
} Pid;

struct _ReportPackets
{
  guint64 next;                 /* offset of the next byte */
  guint64 looked_at;            /* offset up to which packets were looked at */
  gsize stride;                 /* 188, 192 or 204; 0: not known */
  gboolean is_other;            /* no MPEG-TS */
  gboolean is_lost;             /* where the next packet begins is not known */
  GByteArray *rest;             /* of the next packet */
  Pid pids[N_PIDS];
  guint64 row;                  /* of packets that follow each other; from 1 on */
  guint64 n_packets, n_damaged, first;
};

ReportPackets *
report_packets_new (void)
{
  ReportPackets *packets = g_new0 (ReportPackets, 1);

  packets->rest = g_byte_array_new ();
  packets->row = 1;
  return packets;
}

void
report_packets_free (ReportPackets * packets)
{
  g_byte_array_unref (packets->rest);
  g_free (packets);
}

/* Counters are known in their own row only, so this takes the same time however many there are. */
static void
forget_counters (ReportPackets * packets)
{
  packets->row++;
}

static void
add_damage (ReportPackets * packets, guint64 offset)
{
  if (packets->n_damaged++ == 0)
    packets->first = offset;
}

/* Whether the payload is the head of a PES packet with its fixed bits. */
static gboolean
is_pes (const guint8 * payload, gsize n)
{
  return n >= 9 && payload[0] == 0 && payload[1] == 0 && payload[2] == 1
      && payload[3] >= 0xbc;
}

static gboolean
is_damaged_pes (const guint8 * payload, gsize n)
{
  const guint8 id = payload[3];

  if (!is_pes (payload, n))
    return TRUE;
  /* Only streams of video and sound, and private ones, have the long head. */
  if (id != 0xbd && id < 0xc0)
    return FALSE;
  if (id >= 0xf0 && id != 0xfd)
    return FALSE;
  if ((payload[6] & 0xc0) != 0x80)
    return TRUE;
  /* The time's fixed bits. */
  return (payload[7] & 0x80) != 0 && n >= 14 && ((payload[9] & 0x01) == 0
      || (payload[11] & 0x01) == 0 || (payload[13] & 0x01) == 0
      || (payload[9] & 0xe0) != 0x20);
}

static void
look_at (ReportPackets * packets, const guint8 * packet, guint64 offset)
{
  const guint number = (packet[1] & 0x1f) << 8 | packet[2];
  const gboolean begins = (packet[1] & 0x40) != 0;
  const gboolean has_fields = (packet[3] & 0x20) != 0;
  const gboolean has_payload = (packet[3] & 0x10) != 0;
  const guint8 counter = packet[3] & 0x0f;
  gsize at = 4;
  Pid *pid = &packets->pids[number];
  gboolean is_known = pid->row == packets->row;

  if ((packet[1] & 0x80) != 0) {
    add_damage (packets, offset);
    return;
  }
  if (number == PID_EMPTY)
    return;
  if (has_fields) {
    if (packet[4] > PACKET - 5) {
      add_damage (packets, offset);
      return;
    }
    if (packet[4] > 0 && (packet[5] & 0x80) != 0)
      is_known = FALSE;
    at = 5 + packet[4];
  }
  pid->row = is_known ? packets->row : 0;
  if (!has_payload)
    return;
  /* Files in a row: the counters begin anew. */
  if (number < N_TABLE_PIDS && begins && is_known && counter == 0
      && pid->counter != 15) {
    forget_counters (packets);
    is_known = FALSE;
  }
  /* A packet may be sent twice. */
  if (is_known && counter != ((pid->counter + 1) & 0x0f)
      && counter != pid->counter)
    add_damage (packets, offset);
  pid->counter = counter;
  pid->row = packets->row;
  if (!begins || at >= PACKET)
    return;
  if (pid->has_pes && is_damaged_pes (packet + at, PACKET - at))
    add_damage (packets, offset);
  pid->has_pes = pid->has_pes || is_pes (packet + at, PACKET - at);
}

/* Finds the distance of the packets. */
static void
find_stride (ReportPackets * packets, const guint8 * data, gsize n)
{
  static const gsize strides[] = { 188, 192, 204 };

  for (guint i = 0; i < G_N_ELEMENTS (strides); i++) {
    const gsize first = strides[i] == 192 ? 4 : 0;
    guint found = 0;

    while (found < ENOUGH && first + found * strides[i] < n
        && data[first + found * strides[i]] == MARK)
      found++;
    if (found == ENOUGH) {
      packets->stride = strides[i];
      return;
    }
  }
  packets->is_other = n >= ENOUGH * 204;
}

/* Returns: the bytes that are done */
static gsize
take_packets (ReportPackets * packets, const guint8 * data, gsize n,
    guint64 offset)
{
  const gsize head = packets->stride == 192 ? 4 : 0;
  gsize at = 0;

  while (at + packets->stride <= n) {
    if (!packets->is_lost && data[at + head] == MARK) {
      look_at (packets, data + at + head, offset + at);
      packets->n_packets++;
      at += packets->stride;
      continue;
    }
    if (!packets->is_lost) {
      add_damage (packets, offset + at);
      forget_counters (packets);
      packets->is_lost = TRUE;
      at++;
    }
    /* The next place with two marks, which may be in data to come. */
    while (at + head + packets->stride < n && (data[at + head] != MARK
            || data[at + head + packets->stride] != MARK))
      at++;
    if (at + head + packets->stride >= n)
      break;
    packets->is_lost = FALSE;
  }
  return at;
}

/**
 * report_packets_feed:
 * @offset: of the data in the input
 *
 * Looks at what the demuxer reads. It reads the begin more than once.
 */
void
report_packets_feed (ReportPackets * packets, guint64 offset,
    const guint8 * data, gsize size)
{
  gsize done;

  if (packets->is_other || offset > packets->next
      || offset + size <= packets->next)
    return;
  data += packets->next - offset;
  size -= packets->next - offset;
  g_byte_array_append (packets->rest, data, (guint) size);
  offset = packets->next + size - packets->rest->len;
  packets->next += size;
  if (packets->stride == 0)
    find_stride (packets, packets->rest->data, packets->rest->len);
  if (packets->is_other)
    g_byte_array_set_size (packets->rest, 0);
  if (packets->stride == 0)
    return;
  done = take_packets (packets, packets->rest->data, packets->rest->len,
      offset);
  g_byte_array_remove_range (packets->rest, 0, (guint) done);
}

/* @structure: (inout): changed if the input is MPEG-TS */
void
report_packets_finish (ReportPackets * packets, ReportStructure * structure)
{
  if (packets->n_packets < ENOUGH)
    return;
  structure->state = REPORT_STRUCTURE_WHOLE;
  structure->offset = packets->next;
  /* A file whose streams cannot be decoded is not read to its end. */
  if (packets->rest->len > 0
      && (structure->size == 0 || packets->next >= structure->size))
    structure->state = REPORT_STRUCTURE_CUT_OFF;
  if (packets->n_damaged > 0) {
    structure->state = REPORT_STRUCTURE_DAMAGED;
    structure->offset = packets->first;
    structure->count = packets->n_damaged;
  }
}
