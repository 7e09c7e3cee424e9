/* Extracts one component's samples from a row of a plane.
 *
 * The steps of the usual formats are constants of their loops, so that the compiler makes vectors
 * of these.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/extract.h"

#include "media/load.h"

HISTO_SPECIALISED void
extract_bytes (const HistoExtraction * extraction, guint step)
{
  const guint8 *restrict from = extraction->from;
  guint8 *restrict to = extraction->to;
  const guint n = extraction->n;

  for (guint i = 0; i < n; i++)
    to[i] = from[i * (gsize) step];
}

HISTO_SPECIALISED void
extract_words (const HistoExtraction * extraction, const HistoSample * sample,
    guint step, gboolean big_endian)
{
  const guint8 *restrict from = extraction->from;
  guint16 *restrict to = extraction->to;
  const guint n = extraction->n, shift = sample->shift;
  const guint16 mask = sample->mask;

  for (guint i = 0; i < n; i++) {
    guint16 word;

    memcpy (&word, from + i * (gsize) step, sizeof word);
    if (big_endian != (G_BYTE_ORDER == G_BIG_ENDIAN))
      word = GUINT16_SWAP_LE_BE (word);
    to[i] = word >> shift & mask;
  }
}

/* Any sample. */
HISTO_SPECIALISED void
extract_any (const HistoExtraction * extraction, const HistoSample * sample,
    guint bytes, gboolean big_endian, gboolean is_wide)
{
  const guint8 *from = extraction->from;
  const gsize step = extraction->step, to_step = extraction->to_step;
  const guint n = extraction->n, shift = sample->shift, mask = sample->mask;
  guint8 *narrow = extraction->to;
  guint16 *wide = extraction->to;

  for (guint i = 0; i < n; i++, from += step) {
    const guint32 value =
        histo_load_word (from, bytes, big_endian) >> shift & mask;

    if (is_wide)
      wide[i * to_step] = value;
    else
      narrow[i * to_step] = value;
  }
}

static void
extract_slowly (const HistoExtraction * extraction, const HistoSample * sample,
    gboolean big_endian, gboolean is_wide)
{
#define ANY(bytes, endian, wide) extract_any (extraction, sample, bytes, endian, wide)
  switch (sample->bytes << 2 | big_endian << 1 | is_wide) {
    case 1 << 2:
    case 1 << 2 | 2:
      ANY (1, FALSE, FALSE);
      break;
    case 1 << 2 | 1:
    case 1 << 2 | 3:
      ANY (1, FALSE, TRUE);
      break;
    case 2 << 2:
      ANY (2, FALSE, FALSE);
      break;
    case 2 << 2 | 2:
      ANY (2, TRUE, FALSE);
      break;
    case 2 << 2 | 1:
      ANY (2, FALSE, TRUE);
      break;
    case 2 << 2 | 3:
      ANY (2, TRUE, TRUE);
      break;
    case 4 << 2 | 1:
      ANY (4, FALSE, TRUE);
      break;
    case 4 << 2 | 3:
      ANY (4, TRUE, TRUE);
      break;
    default:
      extract_any (extraction, sample, sample->bytes, big_endian, is_wide);
  }
#undef ANY
}

/**
 * histo_extract:
 * @sample: the mask of a sample that becomes a guint8 is at most 0xff
 * @is_wide: to guint16, else to guint8
 */
void
histo_extract (const HistoExtraction * extraction, const HistoSample * sample,
    gboolean big_endian, gboolean is_wide)
{
  const guint bytes = sample->bytes, step = extraction->step;
  const gboolean is_whole = sample->shift == 0 && sample->mask == 0xff;

  if (extraction->to_step != 1)
    extract_slowly (extraction, sample, big_endian, is_wide);
  else if (bytes == 1 && !is_wide && is_whole && step == 1)
    extract_bytes (extraction, 1);
  else if (bytes == 1 && !is_wide && is_whole && step == 2)
    extract_bytes (extraction, 2);
  else if (bytes == 1 && !is_wide && is_whole && step == 3)
    extract_bytes (extraction, 3);
  else if (bytes == 1 && !is_wide && is_whole && step == 4)
    extract_bytes (extraction, 4);
  else if (bytes == 2 && is_wide && step == 2 && !big_endian)
    extract_words (extraction, sample, 2, FALSE);
  else if (bytes == 2 && is_wide && step == 2)
    extract_words (extraction, sample, 2, TRUE);
  else if (bytes == 2 && is_wide && step == 4 && !big_endian)
    extract_words (extraction, sample, 4, FALSE);
  else if (bytes == 2 && is_wide && step == 8 && !big_endian)
    extract_words (extraction, sample, 8, FALSE);
  else
    extract_slowly (extraction, sample, big_endian, is_wide);
}
