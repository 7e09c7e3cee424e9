/* Where films can be cut; see cuts.h.
 *
 * H.264: at pictures that reset the decoder (IDR). After another recovery point pictures may need earlier ones.
 * HEVC: at each random access picture. Leading pictures may need earlier ones, and no other picture needs those.
 * MPEG-1 and MPEG-2: at I pictures behind a sequence header. B pictures are no references.
 * Codecs whose pictures are all key pictures, and FFV1: at key pictures.
 *
 * Parameter sets in packets stay in force. A decoder that begins later has not seen them: so all that have come so far and
 * are not in the caps must come again with the picture at which it begins.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/cuts.h"

#include <string.h>

/* A stream has few parameter sets. One with more changes them. */
#define MOST_SETS 32

typedef enum
{
  NONE,
  H264,
  HEVC,
  MPEG_VIDEO,
  KEYS                          /* flags of packets tell it */
} Codec;

/* By the names of caps. */
static const struct
{
  const gchar *name;
  Codec codec;
} codecs[] = {
  {"video/x-h264", H264},
  {"video/x-h265", HEVC},
  {"video/mpeg", MPEG_VIDEO},
  {"video/x-prores", KEYS},
  {"video/x-dnxhd", KEYS},
  {"video/x-ffv", KEYS},
};

struct _ReportCuts
{
  Codec codec;
  guint n_length;               /* bytes of the length before each NAL unit; 0: start codes */
  GHashTable *given;            /* (element-type GBytes): parameter sets that caps give each decoder */
  GHashTable *sets;             /* (element-type GBytes): others, which have come in packets */
};

static Codec
codec_of (const GstCaps * caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  gint version;

  for (guint i = 0; i < G_N_ELEMENTS (codecs); i++) {
    if (!gst_structure_has_name (structure, codecs[i].name))
      continue;
    return codecs[i].codec != MPEG_VIDEO || (gst_structure_get_int (structure,
            "mpegversion", &version) && version <= 2) ? codecs[i].codec : NONE;
  }
  return NONE;
}

/* Returns: whether films of this codec can be cut at all */
gboolean
report_cuts_know (const GstCaps * caps)
{
  return !gst_caps_is_any (caps) && !gst_caps_is_empty (caps)
      && codec_of (caps) != NONE;
}

static GHashTable *
new_sets (void)
{
  return g_hash_table_new_full (g_bytes_hash, g_bytes_equal,
      (GDestroyNotify) g_bytes_unref, NULL);
}

ReportCuts *
report_cuts_new (void)
{
  ReportCuts *cuts = g_new0 (ReportCuts, 1);

  cuts->given = new_sets ();
  cuts->sets = new_sets ();
  return cuts;
}

void
report_cuts_free (ReportCuts * cuts)
{
  g_hash_table_unref (cuts->given);
  g_hash_table_unref (cuts->sets);
  g_free (cuts);
}

/* Takes units, each behind its length in 2 bytes.
 *
 * @from: (inout): NULL: the data are too short */
static void
take_given (ReportCuts * cuts, guint n, const guint8 ** from, const guint8 * end)
{
  for (guint i = 0; i < n && *from != NULL; i++) {
    const gsize size = end - *from >= 2 ? GST_READ_UINT16_BE (*from) : 0;

    if (size == 0 || size > (gsize) (end - *from - 2)) {
      *from = NULL;
      return;
    }
    g_hash_table_add (cuts->given, g_bytes_new (*from + 2, size));
    *from += 2 + size;
  }
}

/* An AVCDecoderConfigurationRecord: the sequence parameter sets, then the picture parameter sets. */
static void
take_avc_record (ReportCuts * cuts, const guint8 * data, gsize size)
{
  const guint8 *from = data + 6, *end = data + size;

  if (size < 7)
    return;
  take_given (cuts, data[5] & 0x1f, &from, end);
  if (from == NULL || from == end)
    return;
  from++;
  take_given (cuts, from[-1], &from, end);
}

/* An HEVCDecoderConfigurationRecord: arrays of units of one type each. */
static void
take_hevc_record (ReportCuts * cuts, const guint8 * data, gsize size)
{
  const guint8 *from = data + 23, *end = data + size;

  for (guint i = 0; size >= 23 && i < data[22] && from != NULL && end - from >= 3; i++) {
    from += 3;
    take_given (cuts, GST_READ_UINT16_BE (from - 2), &from, end);
  }
}

/* @caps: of the packets that follow */
void
report_cuts_set_caps (ReportCuts * cuts, const GstCaps * caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const GValue *value = gst_structure_get_value (structure, "codec_data");
  GstBuffer *data = value != NULL ? gst_value_get_buffer (value) : NULL;
  const gsize place = codec_of (caps) == H264 ? 4 : 21;
  GstMapInfo map;

  cuts->codec = codec_of (caps);
  cuts->n_length = 0;
  g_hash_table_remove_all (cuts->given);
  if (data == NULL || (cuts->codec != H264 && cuts->codec != HEVC)
      || g_strcmp0 (gst_structure_get_string (structure, "stream-format"), "byte-stream") == 0
      || !gst_buffer_map (data, &map, GST_MAP_READ))
    return;
  if (map.size > place)
    cuts->n_length = (map.data[place] & 3) + 1;
  if (cuts->codec == H264)
    take_avc_record (cuts, map.data, map.size);
  else
    take_hevc_record (cuts, map.data, map.size);
  gst_buffer_unmap (data, &map);
}

/* Whether packets come in the order in which they are shown. */
gboolean
report_cuts_are_in_order (const ReportCuts * cuts)
{
  return cuts->codec == KEYS;
}

/* ---- NAL units -------------------------------------------------------------------------------- */

/* Returns: where the next start code begins; @end: there is none */
static const guint8 *
find_start_code (const guint8 * from, const guint8 * end)
{
  for (; from + 3 <= end; from++) {
    if (from[0] == 0 && from[1] == 0 && from[2] == 1)
      return from;
  }
  return end;
}

/* Takes the next NAL unit.
 *
 * @from: (inout):
 * Returns: (nullable): its begin; NULL: there is none, or the packet is damaged */
static const guint8 *
next_unit (const ReportCuts * cuts, const guint8 ** from, const guint8 * end,
    gsize * size)
{
  const guint8 *unit;
  gsize n = 0;

  if (cuts->n_length == 0) {
    unit = find_start_code (*from, end);
    if (end - unit < 4)
      return NULL;
    unit += 3;
    *from = find_start_code (unit, end);
    *size = *from - unit;
    /* Zeros may stand before the next start code. */
    while (*size > 1 && unit[*size - 1] == 0)
      (*size)--;
    return unit;
  }
  if (end - *from < (gssize) cuts->n_length)
    return NULL;
  for (guint i = 0; i < cuts->n_length; i++)
    n = n << 8 | (*from)[i];
  unit = *from + cuts->n_length;
  if (n == 0 || n > (gsize) (end - unit))
    return NULL;
  *size = n;
  *from = unit + n;
  return unit;
}

static guint
type_of (const ReportCuts * cuts, const guint8 * unit)
{
  return cuts->codec == H264 ? unit[0] & 0x1f : unit[0] >> 1 & 0x3f;
}

static gboolean
is_set (const ReportCuts * cuts, guint type)
{
  return cuts->codec == H264 ? type == 7 || type == 8 || type == 13 || type == 15 :
      type >= 32 && type <= 34;
}

/* Whether a unit has a part of a picture. */
static gboolean
is_slice (const ReportCuts * cuts, guint type)
{
  return cuts->codec == H264 ? type >= 1 && type <= 5 : type < 32;
}

/* @type: of the first slice of a picture */
static ReportUnit
kind_of (const ReportCuts * cuts, guint type)
{
  if (cuts->codec == H264)
    return type == 5 ? REPORT_UNIT_KEY : REPORT_UNIT_OTHER;
  if (type >= 16 && type <= 21)
    return REPORT_UNIT_OPEN_KEY;
  return type >= 6 && type <= 9 ? REPORT_UNIT_LEADING : REPORT_UNIT_OTHER;
}

static ReportUnit
look_at_units (ReportCuts * cuts, const guint8 * data, gsize size)
{
  g_autoptr (GHashTable) own = new_sets ();
  const guint8 *from = data, *unit;
  ReportUnit kind = REPORT_UNIT_OTHER;
  gboolean has_slice = FALSE;
  gsize n;

  while ((unit = next_unit (cuts, &from, data + size, &n)) != NULL) {
    const guint type = type_of (cuts, unit);

    if (is_set (cuts, type)) {
      g_autoptr (GBytes) set = g_bytes_new (unit, n);

      if (g_hash_table_contains (cuts->given, set))
        continue;
      g_hash_table_add (own, g_bytes_ref (set));
      if (g_hash_table_size (cuts->sets) < MOST_SETS)
        g_hash_table_add (cuts->sets, g_bytes_ref (set));
    } else if (is_slice (cuts, type) && !has_slice) {
      has_slice = TRUE;
      kind = kind_of (cuts, type);
    }
  }
  if ((kind == REPORT_UNIT_KEY || kind == REPORT_UNIT_OPEN_KEY)
      && g_hash_table_size (own) != g_hash_table_size (cuts->sets))
    return REPORT_UNIT_OTHER;
  return kind;
}

/* ---- MPEG-1 and MPEG-2 ------------------------------------------------------------------------ */

#define PICTURE 0x00
#define SEQUENCE 0xb3
#define TYPE_I 1
#define TYPE_B 3

static ReportUnit
look_at_mpeg (const guint8 * data, gsize size)
{
  const guint8 *end = data + size;
  gboolean has_sequence = FALSE;

  for (const guint8 * code = find_start_code (data, end); end - code >= 6;
      code = find_start_code (code + 3, end)) {
    has_sequence = has_sequence || code[3] == SEQUENCE;
    if (code[3] != PICTURE)
      continue;
    switch (code[5] >> 3 & 7) {
      case TYPE_I:
        return has_sequence ? REPORT_UNIT_OPEN_KEY : REPORT_UNIT_OTHER;
      case TYPE_B:
        return REPORT_UNIT_LEADING;
      default:
        return REPORT_UNIT_OTHER;
    }
  }
  return REPORT_UNIT_OTHER;
}

/* ---- All -------------------------------------------------------------------------------------- */

/**
 * report_cuts_look:
 * @packet: the next one, of one picture. All of them are looked at
 *
 * Returns: what it is
 */
ReportUnit
report_cuts_look (ReportCuts * cuts, GstBuffer * packet)
{
  const gboolean is_key = !GST_BUFFER_FLAG_IS_SET (packet, GST_BUFFER_FLAG_DELTA_UNIT);
  ReportUnit unit = REPORT_UNIT_OTHER;
  GstMapInfo map;

  if (cuts->codec == KEYS)
    return is_key ? REPORT_UNIT_KEY : REPORT_UNIT_OTHER;
  if (cuts->codec == NONE || !gst_buffer_map (packet, &map, GST_MAP_READ))
    return REPORT_UNIT_OTHER;
  unit = cuts->codec == MPEG_VIDEO ? look_at_mpeg (map.data, map.size) :
      look_at_units (cuts, map.data, map.size);
  gst_buffer_unmap (packet, &map);
  if ((unit == REPORT_UNIT_KEY || unit == REPORT_UNIT_OPEN_KEY) && !is_key)
    return REPORT_UNIT_OTHER;
  return unit;
}
