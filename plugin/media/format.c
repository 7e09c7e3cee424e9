/* What caps describe: the components, and where their samples lie in planes or channels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "media/format.h"

#include "cudahisto/colorimetry.h"
#include "kernels/families.h"
#include "media/patterns.h"
#include "media/unpack.h"

/* Bits of a sample at most: a component has 2^depth counters. */
#define MAX_DEPTH 16

/* The value of GST_VIDEO_FORMAT_FLAG_FLOAT, which only GStreamer 1.30 and later define. */
#define FLAG_FLOAT (1 << 10)

/* ---- What the engines read of a plane ------------------------------------------------- */

/**
 * histo_plane_sample_end:
 * @sample: one of the plane's
 *
 * Returns: the bytes from the begin of a row to the end of the sample's last occurrence in it; 0
 *   if it does not occur
 */
guint64
histo_plane_sample_end (const HistoPlane * plane, const HistoSample * sample)
{
  if (sample->count == 0)
    return 0;
  return (guint64) (sample->count - 1) * plane->period_bytes + sample->offset
      + sample->bytes;
}

/**
 * histo_format_find_samples:
 * @format: of video
 * @found: (out): where the samples of @component are
 */
void
histo_format_find_samples (const HistoFormat * format, guint component,
    HistoComponentSamples * found)
{
  memset (found, 0, sizeof *found);
  for (guint p = 0; p < format->n_planes; p++) {
    const HistoPlane *plane = &format->planes[p];

    for (guint i = 0; i < plane->n_samples; i++) {
      if (plane->samples[i].component != component)
        continue;
      found->plane = p;
      found->samples[found->n_samples++] = i;
      found->width += plane->samples[i].count;
      found->height = plane->rows;
    }
  }
}

/**
 * histo_plane_select_component:
 * @part: (out): @plane with the samples of one component alone, in the same places
 */
void
histo_plane_select_component (const HistoPlane * plane, guint component,
    HistoPlane * part)
{
  *part = *plane;
  part->n_samples = 0;
  part->periods = 0;
  /* No more full periods than the plane has: this component may have all its samples in the last
   * period of a row, but the row may end before that period does. */
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

/**
 * histo_plane_row_bytes:
 *
 * Every check of sizes and every copy of rows asks this function what the engines read.
 *
 * Returns: the bytes from the begin of a row to the last byte of it that an engine reads; 0 if
 *   the plane has no samples. The fast paths read whole periods, also the x of RGBx.
 */
guint64
histo_plane_row_bytes (const HistoPlane * plane)
{
  guint64 bytes = plane->kind == HISTO_PLANE_PACKED ? 0 :
      (guint64) plane->full_periods * plane->period_bytes;

  for (guint i = 0; i < plane->n_samples; i++)
    bytes = MAX (bytes, histo_plane_sample_end (plane, &plane->samples[i]));
  return bytes;
}

/**
 * histo_plane_extent:
 * @plane: with its stride set
 *
 * Returns: the bytes from the lowest to the highest address that an engine reads, with the
 *   padding between rows; 0 if the plane has no samples
 */
guint64
histo_plane_extent (const HistoPlane * plane)
{
  const guint64 row_bytes = histo_plane_row_bytes (plane);
  const guint64 stride = plane->stride < 0 ? -plane->stride : plane->stride;

  return row_bytes > 0 && plane->rows > 0 ?
      (plane->rows - 1) * stride + row_bytes : 0;
}

/**
 * histo_format_has_pixel_periods:
 *
 * Returns: whether each period of each plane is a pixel
 */
gboolean
histo_format_has_pixel_periods (const HistoFormat * format)
{
  for (guint p = 0; p < format->n_planes; p++)
    if (format->planes[p].periods != format->width || format->planes[p].rows != format->height)
      return FALSE;
  return TRUE;
}

/* ---- Kinds of planes ------------------------------------------------------------------- */

/* Sets word_sample if each sample of the period is a word of its own, and all words and
 * samples are alike. Returns a bit for each word that holds a sample, or 0. */
static guint32
find_word_samples (HistoPlane * plane)
{
  const HistoSample *first = &plane->samples[0];
  guint32 present = 0;

  if (plane->period_bytes > HISTO_MAX_WORDS * first->bytes)
    return 0;
  memset (plane->word_sample, HISTO_NO_SAMPLE, sizeof plane->word_sample);
  for (guint i = 0; i < plane->n_samples; i++) {
    const HistoSample *sample = &plane->samples[i];
    const guint word = sample->offset / first->bytes;

    /* The kernels make a counter's address of disjoint bits. */
    if ((sample->first_bin - plane->first_bin) & sample->mask)
      return 0;
    if (sample->bytes != first->bytes || sample->shift != first->shift
        || sample->mask != first->mask || sample->offset % first->bytes != 0
        || (present & 1u << word) != 0)
      return 0;
    plane->word_sample[word] = i;
    present |= 1u << word;
  }
  return present;
}

/* Sets kind, n_words and word_sample: HISTO_PLANE_PACKED unless the plane belongs to a
 * family of bytes or words (kernels/families.h). */
static void
choose_kind (HistoPlane * plane)
{
  const HistoSample *first = &plane->samples[0];
  const HistoPlaneKind kind =
      first->bytes == 1 ? HISTO_PLANE_BYTES : HISTO_PLANE_WORDS;
  const HistoFamily *family = NULL;
  guint32 present;

  plane->kind = HISTO_PLANE_PACKED;
  if (first->bytes > 2)
    return;
  present = find_word_samples (plane);
  if (present != 0)
    family = histo_family_find (kind, plane->period_bytes, present);
  if (family == NULL || (family->depth > 0 && (first->shift != 0
              || first->mask != (1u << family->depth) - 1)))
    return;
  plane->n_words = family->n_words;
  plane->kind = kind;
}

/* ---- Planes of samples ---------------------------------------------------------------- */

/* Sets the plane's samples, and how often each of them occurs in a row. */
static void
place_samples (HistoPlane * plane, const HistoFormat * format,
    const HistoPattern * pattern)
{
  guint in_period[HISTO_MAX_COMPONENTS] = { 0, };
  guint seen[HISTO_MAX_COMPONENTS] = { 0, };

  plane->period_bytes = pattern->period_bytes;
  plane->big_endian = pattern->big_endian;
  plane->n_samples = pattern->n_samples;
  for (guint i = 0; i < pattern->n_samples; i++)
    in_period[pattern->samples[i].component]++;

  for (guint i = 0; i < pattern->n_samples; i++) {
    const HistoPatternSample *from = &pattern->samples[i];
    const guint c = from->component, ordinal = seen[c]++;
    guint width = 0;

    if (histo_format_is_bayer (format)) {
      histo_bayer_component_size (&format->bayer, c, format->width, format->height, &width, &plane->rows);
    } else {
      width = GST_VIDEO_FORMAT_INFO_SCALE_WIDTH (format->video.finfo, c, format->width);
      plane->rows = GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT (format->video.finfo, c, format->height);
    }
    plane->samples[i] = (HistoSample) {
      .component = c,
      .offset = from->offset,
      .bytes = from->bytes,
      .shift = from->shift,
      .mask = (1u << from->depth) - 1,
      .first_bin = format->components[c].first_bin,
      .count = width > ordinal ?
          (width - ordinal + in_period[c] - 1) / in_period[c] : 0,
    };
  }
}

/* Drops the last occurrence of each sample for which a row of @row_bytes bytes has no room.
 *
 * At some odd widths GStreamer's strides for packed 10-bit formats have no room for the last V
 * of a row. GStreamer's pack functions leave that V out, and the next row begins where it would
 * lie.
 *
 * Returns: FALSE if there is room for even less. @row_bytes is then no stride of such a row. */
static gboolean
fit_samples (HistoPlane * plane, guint64 row_bytes)
{
  for (guint i = 0; i < plane->n_samples; i++) {
    HistoSample *sample = &plane->samples[i];

    if (histo_plane_sample_end (plane, sample) > row_bytes)
      sample->count--;
    if (histo_plane_sample_end (plane, sample) > row_bytes)
      return FALSE;
  }
  return TRUE;
}

/* Sets what follows from the plane's samples. */
static void
sum_up_samples (HistoPlane * plane)
{
  guint last_bin = 0;

  plane->periods = 0;
  plane->full_periods = G_MAXUINT32;
  plane->first_bin = G_MAXUINT32;
  for (guint i = 0; i < plane->n_samples; i++) {
    const HistoSample *sample = &plane->samples[i];

    plane->periods = MAX (plane->periods, sample->count);
    plane->full_periods = MIN (plane->full_periods, sample->count);
    plane->first_bin = MIN (plane->first_bin, sample->first_bin);
    last_bin = MAX (last_bin, sample->first_bin + sample->mask);
  }
  plane->n_bins = last_bin + 1 - plane->first_bin;
}

/* Makes a plane of the frame: the pattern, repeated along rows of the frame's width.
 * @row_bytes: the room of a row */
static gboolean
fill_plane (HistoPlane * plane, const HistoFormat * format,
    const HistoPattern * pattern, guint64 row_bytes)
{
  memset (plane, 0, sizeof *plane);
  place_samples (plane, format, pattern);
  if (!fit_samples (plane, row_bytes))
    return FALSE;
  sum_up_samples (plane);
  choose_kind (plane);
  return TRUE;
}

static gboolean
set_format_error (const HistoFormat * format, GError ** error)
{
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "%s has no samples that can be measured", histo_format_name (format));
  return FALSE;
}

static gboolean
set_size_error (const HistoFormat * format, GError ** error)
{
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "%s frames of %ux%u are too large: their rows do not fit in a stride of "
      "31 bits", histo_format_name (format), format->width, format->height);
  return FALSE;
}

static gboolean
fill_planes (HistoFormat * format, const HistoPattern * patterns,
    GError ** error)
{
  format->n_planes = GST_VIDEO_INFO_N_PLANES (&format->video);
  for (guint p = 0; p < format->n_planes; p++) {
    /* A stride that does not fit in its 31 bits wraps, maybe to a negative number. */
    const gint stride = GST_VIDEO_INFO_PLANE_STRIDE (&format->video, p);

    if (stride <= 0 || !fill_plane (&format->planes[p], format, &patterns[p],
            stride))
      return set_size_error (format, error);
  }
  return TRUE;
}

/* ---- Formats that must be unpacked ----------------------------------------------------- */

/* Returns: how many bytes of an unpacked row the source has samples for. In NV12_10BE_8L128 the
 *   chroma tiles of a row hold one string of 10-bit samples: U, V, U, V. It may end before the
 *   last V. All other rows have all samples. */
static guint64
unpacked_row_bytes (const HistoFormat * format, guint component)
{
  const guint v = 2, bits = 10, bytes = 2;
  const GstVideoInfo *video = &format->video;
  guint64 row_bits;

  if (GST_VIDEO_INFO_FORMAT (video) != GST_VIDEO_FORMAT_NV12_10BE_8L128
      || component != v)
    return G_MAXUINT64;
  row_bits = (guint64) GST_VIDEO_TILE_X_TILES (GST_VIDEO_INFO_PLANE_STRIDE
      (video, 1)) * GST_VIDEO_FORMAT_INFO_TILE_STRIDE (video->finfo, 1) * 8;
  return row_bits / bits / 2 * bytes;
}

/* Whether histo_unpack() knows how the unpack function writes pixels, and the function keeps all
 * bits of the samples. */
static gboolean
can_be_unpacked (const HistoFormat * format)
{
  const GstVideoFormat to = format->video.finfo->unpack_format;
  guint depth = 0;

  if (to == GST_VIDEO_FORMAT_AYUV || to == GST_VIDEO_FORMAT_ARGB)
    depth = 8;
  else if (to == GST_VIDEO_FORMAT_AYUV64 || to == GST_VIDEO_FORMAT_ARGB64)
    depth = 16;
  for (guint c = 0; c < format->n_components; c++) {
    if (format->components[c].depth > depth)
      return FALSE;
  }
  return TRUE;
}

static gboolean
fill_unpacked_planes (HistoFormat * format, GError ** error)
{
  guint64 bytes;

  if (!can_be_unpacked (format))
    return set_format_error (format, error);
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&format->video); p++) {
    if (!histo_unpack_source_bytes (&format->video, p,
            GST_VIDEO_INFO_PLANE_STRIDE (&format->video, p), &bytes, error))
      return FALSE;
  }
  format->needs_unpack = TRUE;
  format->n_planes = format->n_components;
  for (guint c = 0; c < format->n_components; c++) {
    HistoPattern pattern;

    histo_pattern_of_unpacked (c, format->components[c].depth, &pattern);
    if (!fill_plane (&format->planes[c], format, &pattern,
            unpacked_row_bytes (format, c)))
      return set_size_error (format, error);
  }
  return TRUE;
}

/* ---- Video ------------------------------------------------------------------------------ */

/* Whether all components are integers of few enough bits. */
static gboolean
can_be_counted (const GstVideoFormatInfo * info)
{
  if (info->n_components == 0 || info->unpack_func == NULL
      || (info->flags & FLAG_FLOAT))
    return FALSE;
  /* The colours of a palette format are counted. Its components are the index and the palette. */
  if (GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info))
    return TRUE;
  for (guint c = 0; c < info->n_components; c++) {
    if (info->depth[c] == 0 || info->depth[c] > MAX_DEPTH)
      return FALSE;
  }
  return TRUE;
}

static void
set_component (HistoFormat * format, guint c, const gchar * name, guint depth)
{
  HistoComponent *component = &format->components[c];

  component->quark = g_quark_from_static_string (name);
  component->name = g_quark_to_string (component->quark);
  component->native = c;
  component->depth = depth;
  component->n_values = 1u << depth;
  component->first_bin = format->n_bins;
  format->n_bins += component->n_values;
}

static void
set_components (HistoFormat * format)
{
  static const gchar *const yuv_names[] = { HISTO_YUV_NAMES };
  static const gchar *const rgb_names[] = { HISTO_RGB_NAMES };
  const GstVideoFormatInfo *info = format->video.finfo;
  const gboolean palette = GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info);
  const gchar *const *names =
      GST_VIDEO_FORMAT_INFO_IS_RGB (info) ? rgb_names : yuv_names;

  /* A pixel of a palette format counts as the colour that the palette has for it. */
  format->n_components = palette ? 4 : info->n_components;
  format->components = g_new0 (HistoComponent, format->n_components);
  for (guint c = 0; c < format->n_components; c++)
    set_component (format, c, names[c], palette ? 8 : info->depth[c]);
}

/* Sets what the groups of kernels/formulas.h need to know of the components. */
static void
set_colors (HistoFormat * format)
{
  const GstVideoFormatInfo *info = format->video.finfo;

  format->colors = GST_VIDEO_FORMAT_INFO_IS_RGB (info) ? HISTO_COLORS_RGB :
      format->n_components >= 3 ? HISTO_COLORS_YUV : HISTO_COLORS_GRAY;
  format->formula_depth = HISTO_LEAST_FORMULA_DEPTH;
  for (guint c = 0; c < MIN (format->n_components, 3); c++)
    format->formula_depth = MAX (format->formula_depth, format->components[c].depth);
  if (format->colors == HISTO_COLORS_YUV) {
    format->chroma_w_sub = GST_VIDEO_FORMAT_INFO_W_SUB (info, 1);
    format->chroma_h_sub = GST_VIDEO_FORMAT_INFO_H_SUB (info, 1);
  }
}

static gboolean
fill_video (HistoFormat * format, GError ** error)
{
  const GstVideoFormatInfo *info = format->video.finfo;
  HistoPattern patterns[GST_VIDEO_MAX_PLANES];

  if (!can_be_counted (info))
    return set_format_error (format, error);

  format->width = GST_VIDEO_INFO_WIDTH (&format->video);
  /* A buffer of alternating fields holds one field. */
  format->height = GST_VIDEO_INFO_FIELD_HEIGHT (&format->video);
  format->colorimetry =
      gst_video_colorimetry_to_string (&format->video.colorimetry);
  set_components (format);
  set_colors (format);
  for (guint p = 0; p < info->n_planes; p++)
    if (!histo_pattern_of_plane (info, p, &patterns[p]))
      return fill_unpacked_planes (format, error);
  return fill_planes (format, patterns, error);
}

/* ---- Bayer ------------------------------------------------------------------------------ */

static gboolean
fill_bayer (HistoFormat * format, GError ** error)
{
  const guint depth = format->bayer.depth;

  format->width = GST_VIDEO_INFO_WIDTH (&format->video);
  format->height = GST_VIDEO_INFO_HEIGHT (&format->video);
  /* Too large: see histo_bayer_fill_info(). */
  if (GST_VIDEO_INFO_SIZE (&format->video) == 0)
    return set_size_error (format, error);
  format->colors = HISTO_COLORS_GRAY;
  format->formula_depth = depth;
  format->n_components = HISTO_N_BAYER;
  format->components = g_new0 (HistoComponent, HISTO_N_BAYER);
  for (guint c = 0; c < HISTO_N_BAYER; c++)
    set_component (format, c, histo_bayer_components[c], depth);
  format->n_planes = HISTO_N_BAYER_PLANES;
  for (guint p = 0; p < format->n_planes; p++) {
    HistoPattern pattern;

    histo_bayer_pattern (&format->bayer, p, &pattern);
    fill_plane (&format->planes[p], format, &pattern,
        GST_VIDEO_INFO_PLANE_STRIDE (&format->video, 0));
  }
  return TRUE;
}

/* ---- Audio ------------------------------------------------------------------------------ */

static gboolean
fill_audio (HistoFormat * format, GError ** error)
{
  const GstAudioFormatInfo *info = format->audio.finfo;
  guint channels = GST_AUDIO_INFO_CHANNELS (&format->audio);
  gchar name[16];

  if (channels == 0 || channels > HISTO_MAX_CHANNELS) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "%u channels of %s cannot be measured: 1 to %u channels are possible",
        channels, info->name, HISTO_MAX_CHANNELS);
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

/* ---- Formats ---------------------------------------------------------------------------- */

static gboolean
parse_video (HistoFormat * format, const GstCaps * caps)
{
  const gchar *text = gst_structure_get_string (gst_caps_get_structure (caps,
          0), "colorimetry");
  GstVideoColorimetry colorimetry;

  if (format->is_audio || !gst_video_info_from_caps (&format->video, caps))
    return FALSE;
  /* Where the caps say nothing, GStreamer's default for the format and the height stays. */
  if (histo_colorimetry_read (text, GST_VIDEO_INFO_IS_RGB (&format->video),
          &colorimetry))
    format->video.colorimetry = colorimetry;
  return GST_VIDEO_INFO_WIDTH (&format->video) > 0
      && GST_VIDEO_INFO_HEIGHT (&format->video) > 0;
}

/**
 * histo_format_new:
 * @caps: fixed caps of raw video, Bayer video or raw audio
 *
 * Returns: (transfer full): the format; %NULL with a %GST_STREAM_ERROR_FORMAT if the caps are
 *   incomplete, or if their frames are too large for GStreamer's own strides
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
  else if (gst_structure_has_name (structure, HISTO_BAYER_MEDIA_TYPE)
      && histo_bayer_find (gst_structure_get_string (structure, "format"), &format->bayer)
      && histo_bayer_fill_info (&format->bayer, structure, &format->video))
    ok = fill_bayer (format, error);
  else if (parse_video (format, caps))
    ok = fill_video (format, error);
  else {
    g_autofree gchar *text = gst_caps_to_string (caps);

    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The caps describe no video or audio that can be measured: %s", text);
  }

  if (!ok)
    g_clear_pointer (&format, histo_format_unref);
  return format;
}

/**
 * histo_format_new_sized:
 * @caps: of video
 * @width: in pixels, of the frame or field in one buffer, as @height
 *
 * Returns: (transfer full): the format of a picture of this size; %NULL as for histo_format_new()
 */
HistoFormat *
histo_format_new_sized (const GstCaps * caps, guint width, guint height,
    GError ** error)
{
  g_autoptr (GstCaps) sized = gst_caps_copy (caps);
  GstStructure *structure = gst_caps_get_structure (sized, 0);
  const gboolean is_field =
      g_strcmp0 (gst_structure_get_string (structure, "interlace-mode"),
      "alternate") == 0;
  GstVideoInfo video;

  /* Without it in the caps, GStreamer concludes it from the size of the frame. */
  if (!gst_structure_has_field (structure, "colorimetry")
      && gst_video_info_from_caps (&video, caps)) {
    g_autofree gchar *colorimetry = gst_video_colorimetry_to_string (&video.colorimetry);

    if (colorimetry != NULL)
      gst_structure_set (structure, "colorimetry", G_TYPE_STRING, colorimetry,
          NULL);
  }
  gst_structure_set (structure, "width", G_TYPE_INT,
      (gint) MIN (width, G_MAXINT), "height", G_TYPE_INT,
      (gint) MIN ((guint64) height << is_field, G_MAXINT), NULL);
  return histo_format_new (sized, error);
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
  g_free (format->colorimetry);
  g_free (format->components);
  g_free (format);
}

/* Returns: the format's name in caps: "NV12", "rggb12le", "F32LE" */
const gchar *
histo_format_name (const HistoFormat * format)
{
  if (histo_format_is_bayer (format))
    return format->bayer.name;
  return format->is_audio ? GST_AUDIO_INFO_NAME (&format->audio)
      : GST_VIDEO_INFO_NAME (&format->video);
}

/* Returns: how long a buffer of video lasts, in ns: a frame, or a field if each buffer has one
 * (interlace-mode=alternate). 0: the caps do not say, or the format is audio */
GstClockTime
histo_format_frame_duration (const HistoFormat * format)
{
  const GstVideoInfo *video = &format->video;
  guint64 n_per_second;

  if (format->is_audio || GST_VIDEO_INFO_FPS_N (video) <= 0)
    return 0;
  n_per_second = GST_VIDEO_INFO_FPS_N (video);
  if (GST_VIDEO_INFO_INTERLACE_MODE (video) ==
      GST_VIDEO_INTERLACE_MODE_ALTERNATE)
    n_per_second *= 2;
  return gst_util_uint64_scale (GST_SECOND, GST_VIDEO_INFO_FPS_D (video),
      n_per_second);
}

/* Returns: whether the rows of the buffer are those of two fields in turn. In the modes `fields` and `alternate` the
 * rows of a field lie together */
gboolean
histo_format_is_interlaced (const HistoFormat * format, GstBuffer * buffer)
{
  switch (GST_VIDEO_INFO_INTERLACE_MODE (&format->video)) {
    case GST_VIDEO_INTERLACE_MODE_INTERLEAVED:
      return TRUE;
    case GST_VIDEO_INTERLACE_MODE_MIXED:
      return GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
    default:
      return FALSE;
  }
}
