/* What a stream says of itself: the names that rules use as `fact.NAME`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_FACTS_H
#define HISTO_FACTS_H

#include <glib.h>

G_BEGIN_DECLS

/* NUMBER (IDENTIFIER, name, unit, definition), AT_END, the same of a number that is only known at the end of the stream,
 * and WORD, the same with unit ""; a fact that is unknown is absent. */
#define HISTO_FACTS(NUMBER, AT_END, WORD) \
  NUMBER (WIDTH, "width", "pixels", "width of the picture") \
  NUMBER (HEIGHT, "height", "pixels", "height of the picture") \
  NUMBER (PIXEL_ASPECT, "pixel-aspect", "1", "width of a pixel / its height") \
  NUMBER (FRAME_RATE, "frame-rate", "frames/s", "frames in a second, as the stream says") \
  AT_END (MEAN_FRAME_RATE, "mean-frame-rate", "frames/s", "the same by the times of the frames") \
  WORD (FORMAT, "format", "", "format of the picture, as in caps: NV12, I420_10LE") \
  NUMBER (DEPTH, "depth", "bits", "bits of a sample of the picture, as it is decoded") \
  NUMBER (STORED_DEPTH, "stored-depth", "bits", "bits of a sample as it is stored; lossy sound has none") \
  WORD (CHROMA, "chroma", "", "what the picture is made of: 4:2:0, 4:2:2, 4:4:4, grey, RGB") \
  WORD (CODEC, "codec", "", "the encoding of the picture, as GStreamer describes it") \
  WORD (ENCODING, "encoding", "", "the encoding, as libav calls it: h264, dnxhd, pcm_s24le") \
  WORD (PROFILE, "profile", "", "profile of the encoding, as libav calls it: High 4:2:2 Intra, DNXHR HQ, LC") \
  AT_END (BIT_RATE, "bit-rate", "bit/s", "bits of the encoded picture in a second") \
  WORD (FIELD_ORDER, "field-order", "", \
      "progressive, top-field-first, bottom-field-first, interlaced (order unknown) or mixed, as the stream says") \
  WORD (MEASURED_FIELD_ORDER, "measured-field-order", "", \
      "what the frames look like: progressive, top-field-first, bottom-field-first, telecine or undetermined") \
  WORD (MATRIX, "matrix", "", "matrix of the colorimetry, as GStreamer names it: bt709, bt2020; unknown") \
  WORD (TRANSFER, "transfer", "", "its transfer function: bt709, smpte2084, arib-std-b67; unknown") \
  WORD (PRIMARIES, "primaries", "", "its primaries: bt709, bt2020; unknown") \
  WORD (RANGE, "range", "", "its range: limited, full or unknown") \
  NUMBER (MAX_CLL, "max-cll", "cd/m²", "MaxCLL of the content light level") \
  NUMBER (MAX_FALL, "max-fall", "cd/m²", "MaxFALL of the content light level") \
  NUMBER (MASTERING_MAX, "mastering-max", "cd/m²", "highest luminance of the mastering display") \
  NUMBER (MASTERING_MIN, "mastering-min", "cd/m²", "lowest luminance of the mastering display") \
  WORD (TIMECODE, "timecode", "", "timecode of the first frame") \
  NUMBER (ROTATION, "rotation", "degrees", "by which a player turns the picture, counterclockwise") \
  NUMBER (CHANNELS, "channels", "channels", "number of channels") \
  WORD (POSITIONS, "positions", "", "where the channels stand: L R C LFE Ls Rs") \
  WORD (LANGUAGE, "language", "", "language of the stream, as the container has it: eng") \
  WORD (TITLE, "title", "", "title of the stream") \
  NUMBER (RATE, "rate", "Hz", "samples of a channel in a second") \
  WORD (SAMPLE_FORMAT, "sample-format", "", "format of the sound, as in caps: S16LE") \
  NUMBER (SAMPLE_DEPTH, "sample-depth", "bits", "bits of a sample of the sound") \
  WORD (AUDIO_CODEC, "audio-codec", "", "the encoding of the sound, as GStreamer describes it") \
  AT_END (AUDIO_BIT_RATE, "audio-bit-rate", "bit/s", "bits of the encoded sound in a second") \
  AT_END (DURATION, "duration", "s", "length of the stream, from its first result to its last one") \
  AT_END (DELAY, "delay", "s", "how much later than the first stream it starts") \
  AT_END (EARLY_END, "early-end", "s", "how much earlier than the last stream it ends") \
  AT_END (CHANGES, "changes", "changes", \
      "how often its size, format or rate changes; other facts are those of its begin") \
  AT_END (GAPS, "gaps", "gaps", \
      "gaps between the times of buffers that neither a variable frame rate nor shifted times explain") \
  AT_END (OVERLAPS, "overlaps", "overlaps", \
      "buffers that begin before the one before ends, with the same exceptions") \
  AT_END (JUMPS_BACK, "jumps-back", "jumps", "buffers that begin before the one before begins") \
  NUMBER (VIDEO_STREAMS, "video-streams", "streams", "number of streams of video; listed with the first stream") \
  NUMBER (AUDIO_STREAMS, "audio-streams", "streams", "number of streams of sound; listed with the first stream") \
  WORD (CONTAINER, "container", "", "the container, as GStreamer describes it")

/* What a comparison with another input says of a stream: the names that rules use as `compare.NAME`. FIGURE (IDENTIFIER, name,
 * unit, definition). */
#define HISTO_COMPARED_OF(FIGURE, identifier, name, unit, definition) \
  FIGURE (identifier##_Y, name ".Y", unit, definition) \
  FIGURE (identifier##_U, name ".U", unit, definition) \
  FIGURE (identifier##_V, name ".V", unit, definition) \
  FIGURE (identifier##_R, name ".R", unit, definition) \
  FIGURE (identifier##_G, name ".G", unit, definition) \
  FIGURE (identifier##_B, name ".B", unit, definition) \
  FIGURE (identifier##_A, name ".A", unit, definition)
#define HISTO_COMPARED(FIGURE) \
  FIGURE (PSNR, "psnr", "dB", "PSNR of all pairs of frames and all components") \
  FIGURE (PSNR_MIN, "psnr.min", "dB", "the least PSNR of a pair, of all components") \
  HISTO_COMPARED_OF (FIGURE, PSNR, "psnr", "dB", "PSNR of a component in all pairs") \
  FIGURE (SSIM, "ssim", "1", "mean SSIM of the pairs, of all components") \
  FIGURE (SSIM_MIN, "ssim.min", "1", "the least SSIM of a pair, of all components") \
  HISTO_COMPARED_OF (FIGURE, SSIM, "ssim", "1", "mean SSIM of a component") \
  HISTO_COMPARED_OF (FIGURE, XPSNR, "xpsnr", "dB", "mean XPSNR of a component") \
  FIGURE (DIFFERENT, "different", "frames", "pairs of frames that differ") \
  FIGURE (MISSING, "missing", "frames", "frames of the first input without a counterpart") \
  FIGURE (ADDED, "added", "frames", "frames of the second input without a counterpart") \
  FIGURE (MAX_DIFFERENCE, "max-difference", "sample", "the largest difference of two samples") \
  FIGURE (SOUND, "sound", "dB", "the difference of the sound, of the power of the first input") \
  FIGURE (SOUND_MAX, "sound.max", "dB", "the same in the second in which the difference is greatest") \
  FIGURE (SOUND_DELAY, "sound.delay", "ms", "how much later the sound of the second input is, by its samples") \
  FIGURE (SOUND_DIFFERENT, "sound.different", "samples", "samples of all channels that differ") \
  FIGURE (SOUND_MISSING, "sound.missing", "samples", "samples of the first input that have no partner") \
  FIGURE (SOUND_ADDED, "sound.added", "samples", "samples of the second input that have no partner")

/* HISTO_COMPARED_PSNR, … */
typedef enum
{
#define COMPARED_FIGURE(identifier, name, unit, definition) HISTO_COMPARED_##identifier,
  HISTO_COMPARED (COMPARED_FIGURE)
#undef COMPARED_FIGURE
  HISTO_N_COMPARED
} HistoComparedFigure;

/* HISTO_FACT_WIDTH, … */
typedef enum
{
#define FACT_NUMBER(identifier, name, unit, definition) HISTO_FACT_##identifier,
  HISTO_FACTS (FACT_NUMBER, FACT_NUMBER, FACT_NUMBER)
#undef FACT_NUMBER
  HISTO_N_FACTS,
  /* Behind the facts, in the same order: who says each of them, "NAME.source". */
  HISTO_FIRST_COMPARED = 2 * HISTO_N_FACTS,
  /* Behind these, in the order of HistoComparedFigure: "compare.NAME". */
  HISTO_N_FACT_PATHS = HISTO_FIRST_COMPARED + HISTO_N_COMPARED
} HistoFact;

typedef struct
{
  const gchar *name;
  gboolean is_word;             /* else a number */
  const gchar *unit;
  const gchar *definition;
  gboolean is_of_end;           /* only known at the end of the stream */
} HistoFactInfo;

extern const HistoFactInfo histo_facts[HISTO_N_FACT_PATHS];

G_END_DECLS

#endif /* HISTO_FACTS_H */
