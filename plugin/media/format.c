/* The one table of formats, and how a caps becomes planes of samples.
 *
 * GstVideoFormatInfo tells where the samples lie for every format with one sample
 * per 8- or 16-bit word, so nothing of that is typed again here. The table holds the
 * formats that the info does not (or not rightly) describe: samples packed across
 * words, and the few whose offsets or byte order the info leaves out. What neither
 * describes (tiles, palettes, formats newer than this file) goes through GStreamer's
 * own unpack function.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "media/format.h"

/* Component indices, as GstVideoFormatInfo has them. */
enum
{ Y = 0, U = 1, V = 2, R = 0, G = 1, B = 2, A = 3 };

typedef struct
{
  GstVideoFormat format;
  guint8 plane;
  guint8 period_bytes;
  gboolean big_endian;
  guint8 n_samples;
  struct
  {
    guint8 component, offset, bytes, shift, depth;
  } samples[HISTO_MAX_SAMPLES];
} HistoPattern;

#define LE FALSE
#define BE TRUE

/* Chroma of the P01x family: two words, U then V, the bits at the top. */
#define SEMI_PLANAR_CHROMA(format, endian, depth) \
  { GST_VIDEO_FORMAT_ ## format, 1, 4, endian, 2, { \
    {U, 0, 2, 16 - depth, depth}, {V, 2, 2, 16 - depth, depth} } }
/* 4:2:2 in four words. */
#define YUYV_WORDS(format, endian, depth) \
  { GST_VIDEO_FORMAT_ ## format, 0, 8, endian, 4, { \
    {Y, 0, 2, 16 - depth, depth}, {U, 2, 2, 16 - depth, depth}, \
    {Y, 4, 2, 16 - depth, depth}, {V, 6, 2, 16 - depth, depth} } }
/* 4:4:4:4 in four words. */
#define UYVA_WORDS(format, endian, depth) \
  { GST_VIDEO_FORMAT_ ## format, 0, 8, endian, 4, { \
    {U, 0, 2, 16 - depth, depth}, {Y, 2, 2, 16 - depth, depth}, \
    {V, 4, 2, 16 - depth, depth}, {A, 6, 2, 16 - depth, depth} } }
/* 16-bit RGB: first, second and third from the top bit down. */
#define RGB_WORD(format, first, second, third, green_depth) \
  { GST_VIDEO_FORMAT_ ## format, 0, 2, LE_IS_HOST, 3, { \
    {first, 0, 2, green_depth + 5, 5}, {second, 0, 2, 5, green_depth}, \
    {third, 0, 2, 0, 5} } }
/* Three 10-bit samples in a 32-bit word, the lowest bits first. */
#define LUMA_10LE32(format) \
  { GST_VIDEO_FORMAT_ ## format, 0, 4, LE, 3, { \
    {Y, 0, 4, 0, 10}, {Y, 0, 4, 10, 10}, {Y, 0, 4, 20, 10} } }
#define CHROMA_10LE32(format) \
  { GST_VIDEO_FORMAT_ ## format, 1, 8, LE, 6, { \
    {U, 0, 4, 0, 10}, {V, 0, 4, 10, 10}, {U, 0, 4, 20, 10}, \
    {V, 4, 4, 0, 10}, {U, 4, 4, 10, 10}, {V, 4, 4, 20, 10} } }

/* RGB16 and its kin are words in the host's byte order. */
#define LE_IS_HOST (G_BYTE_ORDER == G_BIG_ENDIAN)

/* *INDENT-OFF* */
static const HistoPattern patterns[] = {
  { GST_VIDEO_FORMAT_v210, 0, 16, LE, 12, {
      {U, 0, 4, 0, 10}, {Y, 0, 4, 10, 10}, {V, 0, 4, 20, 10},
      {Y, 4, 4, 0, 10}, {U, 4, 4, 10, 10}, {Y, 4, 4, 20, 10},
      {V, 8, 4, 0, 10}, {Y, 8, 4, 10, 10}, {U, 8, 4, 20, 10},
      {Y, 12, 4, 0, 10}, {V, 12, 4, 10, 10}, {Y, 12, 4, 20, 10} } },
  { GST_VIDEO_FORMAT_v216, 0, 8, LE, 4, {
      {U, 0, 2, 0, 16}, {Y, 2, 2, 0, 16}, {V, 4, 2, 0, 16}, {Y, 6, 2, 0, 16} } },
  /* 40 bits big endian, read as the two bytes that hold each sample. */
  { GST_VIDEO_FORMAT_UYVP, 0, 5, BE, 4, {
      {U, 0, 2, 6, 10}, {Y, 1, 2, 4, 10}, {V, 2, 2, 2, 10}, {Y, 3, 2, 0, 10} } },
  { GST_VIDEO_FORMAT_IYU1, 0, 6, LE, 6, {
      {U, 0, 1, 0, 8}, {Y, 1, 1, 0, 8}, {Y, 2, 1, 0, 8},
      {V, 3, 1, 0, 8}, {Y, 4, 1, 0, 8}, {Y, 5, 1, 0, 8} } },
  { GST_VIDEO_FORMAT_r210, 0, 4, BE, 3, {
      {R, 0, 4, 20, 10}, {G, 0, 4, 10, 10}, {B, 0, 4, 0, 10} } },
  { GST_VIDEO_FORMAT_Y410, 0, 4, LE, 4, {
      {U, 0, 4, 0, 10}, {Y, 0, 4, 10, 10}, {V, 0, 4, 20, 10}, {A, 0, 4, 30, 2} } },
  { GST_VIDEO_FORMAT_BGR10A2_LE, 0, 4, LE, 4, {
      {B, 0, 4, 0, 10}, {G, 0, 4, 10, 10}, {R, 0, 4, 20, 10}, {A, 0, 4, 30, 2} } },
  { GST_VIDEO_FORMAT_RGB10A2_LE, 0, 4, LE, 4, {
      {R, 0, 4, 0, 10}, {G, 0, 4, 10, 10}, {B, 0, 4, 20, 10}, {A, 0, 4, 30, 2} } },
  RGB_WORD (RGB16, R, G, B, 6),
  RGB_WORD (BGR16, B, G, R, 6),
  RGB_WORD (RGB15, R, G, B, 5),
  RGB_WORD (BGR15, B, G, R, 5),
  /* The info has U and V the other way round. */
  { GST_VIDEO_FORMAT_VYUY, 0, 4, LE, 4, {
      {V, 0, 1, 0, 8}, {Y, 1, 1, 0, 8}, {U, 2, 1, 0, 8}, {Y, 3, 1, 0, 8} } },
  YUYV_WORDS (Y210, LE, 10),
  YUYV_WORDS (Y212_LE, LE, 12),
  YUYV_WORDS (Y212_BE, BE, 12),
  UYVA_WORDS (Y412_LE, LE, 12),
  UYVA_WORDS (Y412_BE, BE, 12),
  SEMI_PLANAR_CHROMA (P010_10LE, LE, 10),
  SEMI_PLANAR_CHROMA (P010_10BE, BE, 10),
  SEMI_PLANAR_CHROMA (P012_LE, LE, 12),
  SEMI_PLANAR_CHROMA (P012_BE, BE, 12),
  SEMI_PLANAR_CHROMA (P016_LE, LE, 16),
  SEMI_PLANAR_CHROMA (P016_BE, BE, 16),
  LUMA_10LE32 (GRAY10_LE32),
  LUMA_10LE32 (NV12_10LE32),
  CHROMA_10LE32 (NV12_10LE32),
  LUMA_10LE32 (NV16_10LE32),
  CHROMA_10LE32 (NV16_10LE32),
  /* 40 bits little endian, read as the two bytes that hold each sample. */
  { GST_VIDEO_FORMAT_NV12_10LE40, 0, 5, LE, 4, {
      {Y, 0, 2, 0, 10}, {Y, 1, 2, 2, 10}, {Y, 2, 2, 4, 10}, {Y, 3, 2, 6, 10} } },
  { GST_VIDEO_FORMAT_NV12_10LE40, 1, 5, LE, 4, {
      {U, 0, 2, 0, 10}, {V, 1, 2, 2, 10}, {U, 2, 2, 4, 10}, {V, 3, 2, 6, 10} } },
};
/* *INDENT-ON* */

static const HistoPattern *
find_pattern (GstVideoFormat format, guint plane)
{
  for (guint i = 0; i < G_N_ELEMENTS (patterns); i++) {
    if (patterns[i].format == format && patterns[i].plane == plane)
      return &patterns[i];
  }
  return NULL;
}

/* The pattern of a plane with one sample per 8- or 16-bit word, as the info has it.
 * FALSE when the info's samples cannot be so: that format must be unpacked. */
static gboolean
derive_pattern (const GstVideoFormatInfo * info, guint plane,
    HistoPattern * pattern)
{
  guint32 bytes_taken = 0;

  memset (pattern, 0, sizeof *pattern);
  pattern->plane = plane;
  pattern->big_endian = !(info->flags & GST_VIDEO_FORMAT_FLAG_LE);

  for (guint c = 0; c < info->n_components; c++) {
    if (info->plane[c] == plane && info->pixel_stride[c] > 0)
      pattern->period_bytes = MAX (pattern->period_bytes,
          info->pixel_stride[c]);
  }
  if (pattern->period_bytes == 0 || pattern->period_bytes > 8)
    return FALSE;

  for (guint c = 0; c < info->n_components; c++) {
    guint bytes = (info->shift[c] + info->depth[c] + 7) / 8;
    gint step = info->pixel_stride[c];

    if (info->plane[c] != plane)
      continue;
    if (step <= 0 || bytes > 2 || info->depth[c] == 0)
      return FALSE;
    for (guint offset = info->poffset[c];
        offset + bytes <= pattern->period_bytes; offset += step) {
      guint32 taken = ((1u << bytes) - 1) << offset;

      /* Samples that share a byte: the info does not tell how they do. */
      if ((bytes_taken & taken) || pattern->n_samples == HISTO_MAX_SAMPLES)
        return FALSE;
      bytes_taken |= taken;
      pattern->samples[pattern->n_samples].component = c;
      pattern->samples[pattern->n_samples].offset = offset;
      pattern->samples[pattern->n_samples].bytes = bytes;
      pattern->samples[pattern->n_samples].shift = info->shift[c];
      pattern->samples[pattern->n_samples].depth = info->depth[c];
      pattern->n_samples++;
    }
  }
  return pattern->n_samples > 0;
}

/* The plane of one component that histo_pack() writes. */
static void
unpacked_pattern (const HistoFormat * format, guint component,
    HistoPattern * pattern)
{
  guint bytes = format->components[component].depth > 8 ? 2 : 1;

  memset (pattern, 0, sizeof *pattern);
  pattern->period_bytes = bytes;
  pattern->big_endian = G_BYTE_ORDER == G_BIG_ENDIAN;
  pattern->n_samples = 1;
  pattern->samples[0].component = component;
  pattern->samples[0].bytes = bytes;
  pattern->samples[0].depth = format->components[component].depth;
}

/* Which fast path fits the plane's samples, if one does. */
static void
choose_kind (HistoPlane * plane)
{
  const HistoSample *first = &plane->samples[0];
  guint n_words = plane->period_bytes / first->bytes;

  plane->kind = HISTO_PLANE_PACKED;
  if (first->bytes > 2 || plane->period_bytes % first->bytes != 0)
    return;
  if (first->bytes == 1 && n_words != 1 && n_words != 2 && n_words != 3
      && n_words != 4 && n_words != 6)
    return;
  if (first->bytes == 2 && n_words != 1 && n_words != 2 && n_words != 4)
    return;

  memset (plane->word_sample, HISTO_NO_SAMPLE, sizeof plane->word_sample);
  for (guint i = 0; i < plane->n_samples; i++) {
    const HistoSample *sample = &plane->samples[i];
    guint word = sample->offset / first->bytes;

    /* The kernels make a counter's address of disjoint bits. */
    if ((sample->first_bin - plane->first_bin) & sample->mask)
      return;
    if (sample->bytes != first->bytes || sample->shift != first->shift
        || sample->mask != first->mask || sample->offset % first->bytes != 0
        || plane->word_sample[word] != HISTO_NO_SAMPLE)
      return;
    plane->word_sample[word] = i;
  }
  if (first->bytes == 1 && (first->shift != 0 || first->mask != 0xff))
    return;
  /* The fast path for bytes knows a gap only where RGBx and xRGB have it. */
  for (guint w = 0; w < n_words; w++) {
    if (plane->word_sample[w] == HISTO_NO_SAMPLE && first->bytes == 1
        && (n_words != 4 || (w != 0 && w != 3) || plane->n_samples != 3))
      return;
  }
  plane->n_words = n_words;
  plane->kind = first->bytes == 1 ? HISTO_PLANE_BYTES : HISTO_PLANE_WORDS;
}

/* At some odd widths a row of packed 10-bit chroma has no room for its last V:
 * GStreamer's stride is that small and its pack functions drop that sample. It is not
 * there to be measured; where it would lie, the next row begins. */
static void
drop_samples_beyond (HistoPlane * plane, guint64 row_bytes)
{
  for (guint i = 0; i < plane->n_samples; i++) {
    HistoSample *sample = &plane->samples[i];

    while (sample->count > 0 && (guint64) (sample->count - 1) *
        plane->period_bytes + sample->offset + sample->bytes > row_bytes)
      sample->count--;
  }
}

/* Lays a pattern over a frame: how often each sample occurs in a row of this width.
 * @row_bytes: what the format's own stride has room for */
static void
fill_plane (HistoPlane * plane, const HistoFormat * format,
    const HistoPattern * pattern, guint64 row_bytes)
{
  const GstVideoFormatInfo *info = format->video.finfo;
  guint in_period[HISTO_MAX_COMPONENTS] = { 0, };
  guint seen[HISTO_MAX_COMPONENTS] = { 0, };
  guint last_bin = 0;

  memset (plane, 0, sizeof *plane);
  plane->period_bytes = pattern->period_bytes;
  plane->big_endian = pattern->big_endian;
  plane->n_samples = pattern->n_samples;
  plane->full_periods = G_MAXUINT32;
  plane->first_bin = G_MAXUINT32;

  for (guint i = 0; i < pattern->n_samples; i++)
    in_period[pattern->samples[i].component]++;

  for (guint i = 0; i < pattern->n_samples; i++) {
    HistoSample *sample = &plane->samples[i];
    guint c = pattern->samples[i].component;
    guint ordinal = seen[c]++;
    guint width = GST_VIDEO_FORMAT_INFO_SCALE_WIDTH (info, c, format->width);

    sample->component = c;
    sample->offset = pattern->samples[i].offset;
    sample->bytes = pattern->samples[i].bytes;
    sample->shift = pattern->samples[i].shift;
    sample->mask = (1u << pattern->samples[i].depth) - 1;
    sample->first_bin = format->components[c].first_bin;
    sample->count = width > ordinal ?
        (width - ordinal + in_period[c] - 1) / in_period[c] : 0;
    plane->rows = GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT (info, c, format->height);
  }
  drop_samples_beyond (plane, row_bytes);

  for (guint i = 0; i < pattern->n_samples; i++) {
    const HistoSample *sample = &plane->samples[i];

    plane->periods = MAX (plane->periods, sample->count);
    plane->full_periods = MIN (plane->full_periods, sample->count);
    plane->first_bin = MIN (plane->first_bin, sample->first_bin);
    last_bin = MAX (last_bin, sample->first_bin + sample->mask);
  }
  plane->n_bins = last_bin + 1 - plane->first_bin;
  choose_kind (plane);
}

static gboolean
fill_planes (HistoFormat * format)
{
  const GstVideoFormatInfo *info = format->video.finfo;
  const guint not_words = GST_VIDEO_FORMAT_FLAG_PALETTE |
      GST_VIDEO_FORMAT_FLAG_TILED;

  if (info->flags & not_words)
    return FALSE;

  format->n_planes = info->n_planes;
  for (guint p = 0; p < info->n_planes; p++) {
    const HistoPattern *pattern = find_pattern (info->format, p);
    HistoPattern derived;

    if (pattern == NULL) {
      if ((info->flags & GST_VIDEO_FORMAT_FLAG_COMPLEX)
          || !derive_pattern (info, p, &derived))
        return FALSE;
      pattern = &derived;
    }
    fill_plane (&format->planes[p], format, pattern,
        GST_VIDEO_INFO_PLANE_STRIDE (&format->video, p));
  }
  return TRUE;
}

/* What of an unpacked row is there: all of it, but for the one tiled format whose rows
 * are strings of 10-bit samples, where the last V may find no room. */
static guint64
unpacked_row_bytes (const HistoFormat * format, guint component)
{
  const guint tile_row_bytes = 8, bits = 10;
  guint tiles;

  if (GST_VIDEO_INFO_FORMAT (&format->video) !=
      GST_VIDEO_FORMAT_NV12_10BE_8L128 || component != V)
    return G_MAXUINT64;
  tiles = GST_VIDEO_TILE_X_TILES (GST_VIDEO_INFO_PLANE_STRIDE (&format->video,
          1));
  /* U and V take turns; a sample is unpacked to two bytes. */
  return (guint64) tiles * tile_row_bytes * 8 / bits / 2 * 2;
}

static void
fill_unpacked_planes (HistoFormat * format)
{
  format->needs_unpack = TRUE;
  format->n_planes = format->n_components;
  for (guint c = 0; c < format->n_components; c++) {
    HistoPattern pattern;

    unpacked_pattern (format, c, &pattern);
    fill_plane (&format->planes[c], format, &pattern,
        unpacked_row_bytes (format, c));
  }
}

static gboolean
fill_video (HistoFormat * format, GError ** error)
{
  static const gchar *const yuv_names[] = { "Y", "U", "V", "A" };
  static const gchar *const rgb_names[] = { "R", "G", "B", "A" };
  const GstVideoFormatInfo *info = format->video.finfo;
  gboolean palette = GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info);
  const gchar *const *names =
      GST_VIDEO_FORMAT_INFO_IS_RGB (info) ? rgb_names : yuv_names;
  gchar *colorimetry;

  if (info->n_components == 0 || info->unpack_func == NULL) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "%s has no samples to measure", info->name);
    return FALSE;
  }

  format->width = GST_VIDEO_INFO_WIDTH (&format->video);
  /* A buffer of alternating fields holds one field. */
  format->height = GST_VIDEO_INFO_FIELD_HEIGHT (&format->video);
  colorimetry = gst_video_colorimetry_to_string (&format->video.colorimetry);
  format->colorimetry = g_intern_string (colorimetry);
  g_free (colorimetry);

  /* A pixel of a palette format is the colour that the palette has for it. */
  format->n_components = palette ? 4 : info->n_components;
  format->components = g_new0 (HistoComponent, format->n_components);
  for (guint c = 0; c < format->n_components; c++) {
    HistoComponent *component = &format->components[c];

    component->quark = g_quark_from_static_string (names[c]);
    component->name = g_quark_to_string (component->quark);
    component->depth = palette ? 8 : info->depth[c];
    component->first_bin = format->n_bins;
    format->n_bins += 1u << component->depth;
  }
  if (!fill_planes (format))
    fill_unpacked_planes (format);
  return TRUE;
}

static gboolean
fill_audio (HistoFormat * format, GError ** error)
{
  const GstAudioFormatInfo *info = format->audio.finfo;
  guint channels = GST_AUDIO_INFO_CHANNELS (&format->audio);
  gchar name[16];

  if (channels == 0 || channels > HISTO_MAX_CHANNELS) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "%u channels of %s cannot be measured", channels, info->name);
    return FALSE;
  }
  format->n_components = channels;
  format->components = g_new0 (HistoComponent, channels);
  for (guint c = 0; c < channels; c++) {
    g_snprintf (name, sizeof name, "ch%u", c);
    format->components[c].quark = g_quark_from_string (name);
    format->components[c].name =
        g_quark_to_string (format->components[c].quark);
  }

  if (GST_AUDIO_FORMAT_INFO_IS_FLOAT (info))
    format->sample.kind = HISTO_AUDIO_FLOAT;
  else if (GST_AUDIO_FORMAT_INFO_IS_SIGNED (info))
    format->sample.kind = HISTO_AUDIO_SIGNED;
  else
    format->sample.kind = HISTO_AUDIO_UNSIGNED;
  format->sample.bytes = GST_AUDIO_FORMAT_INFO_WIDTH (info) / 8;
  format->sample.depth = GST_AUDIO_FORMAT_INFO_DEPTH (info);
  format->sample.big_endian = GST_AUDIO_FORMAT_INFO_IS_BIG_ENDIAN (info);
  return TRUE;
}

/**
 * histo_format_new:
 * @caps: fixed caps, of raw video or raw audio
 *
 * Returns: (transfer full): the format, or %NULL with a %GST_STREAM_ERROR_FORMAT
 */
HistoFormat *
histo_format_new (const GstCaps * caps, GError ** error)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  HistoFormat *format = g_new0 (HistoFormat, 1);
  gboolean ok = FALSE;

  format->ref_count = 1;
  format->is_audio = gst_structure_has_name (structure, "audio/x-raw");
  format->is_in_cuda_memory =
      gst_caps_features_contains (gst_caps_get_features (caps, 0),
      HISTO_CAPS_FEATURE_CUDA);

  if (format->is_audio && gst_audio_info_from_caps (&format->audio, caps))
    ok = fill_audio (format, error);
  else if (!format->is_audio && gst_video_info_from_caps (&format->video, caps))
    ok = fill_video (format, error);
  else {
    gchar *text = gst_caps_to_string (caps);

    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "cannot make sense of the caps %s", text);
    g_free (text);
  }

  if (!ok)
    g_clear_pointer (&format, histo_format_unref);
  return format;
}

HistoFormat *
histo_format_ref (HistoFormat * format)
{
  g_atomic_int_inc (&format->ref_count);
  return format;
}

void
histo_format_unref (HistoFormat * format)
{
  if (!g_atomic_int_dec_and_test (&format->ref_count))
    return;
  g_free (format->components);
  g_free (format);
}

/* The caps' name of the format: "NV12", "F32LE". */
const gchar *
histo_format_name (const HistoFormat * format)
{
  return format->is_audio ? GST_AUDIO_INFO_NAME (&format->audio)
      : GST_VIDEO_INFO_NAME (&format->video);
}

/* Makes @part the plane with the samples of one component alone, in the same places. */
void
histo_plane_take_component (const HistoPlane * plane, guint component,
    HistoPlane * part)
{
  *part = *plane;
  part->n_samples = 0;
  part->periods = 0;
  /* Not more, though this component may have all of its samples in the plane's last
   * period: a row ends with that of all components. */
  part->full_periods = plane->full_periods;
  memset (part->word_sample, HISTO_NO_SAMPLE, sizeof part->word_sample);
  for (guint i = 0; i < plane->n_samples; i++) {
    const HistoSample *sample = &plane->samples[i];

    if (sample->component != component)
      continue;
    for (guint w = 0; w < plane->n_words; w++) {
      if (plane->word_sample[w] == i)
        part->word_sample[w] = part->n_samples;
    }
    part->samples[part->n_samples++] = *sample;
    part->periods = MAX (part->periods, sample->count);
    part->full_periods = MIN (part->full_periods, sample->count);
    part->first_bin = sample->first_bin;
    part->n_bins = sample->mask + 1;
  }
}

/* Bytes from the first to the last byte of a row that is read; 0 for no sample. The fast
 * paths read whole periods, also the x that ends RGBx. */
guint64
histo_plane_row_bytes (const HistoPlane * plane)
{
  guint64 bytes = plane->kind == HISTO_PLANE_PACKED ? 0 :
      (guint64) plane->full_periods * plane->period_bytes;

  for (guint i = 0; i < plane->n_samples; i++) {
    const HistoSample *sample = &plane->samples[i];

    if (sample->count > 0)
      bytes = MAX (bytes, (guint64) (sample->count - 1) * plane->period_bytes
          + sample->offset + sample->bytes);
  }
  return bytes;
}
