/* Rows of a picture as arrays of numbers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/rows.h"

#include "media/load.h"

/* Rows begin at multiples of so many bytes. The loops of a row may be followed by others' rows. */
#define ROW_ALIGNMENT 64

/* ---- The format -------------------------------------------------------------------------- */

static void
find_component (HistoCpuRows * rows, guint c)
{
  const HistoFormat *format = rows->format;
  HistoCpuComponent *component = &rows->components[c];

  component->w_sub = format->video.finfo->w_sub[c];
  component->h_sub = format->video.finfo->h_sub[c];
  for (guint p = 0; p < format->n_planes; p++) {
    const HistoPlane *plane = &format->planes[p];

    for (guint i = 0; i < plane->n_samples; i++) {
      if (plane->samples[i].component != c)
        continue;
      component->plane = p;
      component->step = plane->period_bytes;
      component->samples[component->n++] = i;
      component->count += plane->samples[i].count;
    }
  }
}

/* Two samples of a period that lie like those of two periods of half the length are
 * described as such. */
static void
simplify_component (HistoCpuRows * rows, HistoCpuComponent * component)
{
  const HistoPlane *plane = &rows->format->planes[component->plane];
  const HistoSample *first = &plane->samples[component->samples[0]];

  for (guint k = 0; k < component->n; k++) {
    const HistoSample *sample = &plane->samples[component->samples[k]];

    if (sample->shift != first->shift || sample->bytes != first->bytes
        || (sample->offset - first->offset) * component->n !=
        k * component->step)
      return;
  }
  component->step /= component->n;
  component->n = 1;
}

static guint16 *
scale_table_new (guint depth, guint map_depth)
{
  guint16 *table = g_new (guint16, (gsize) 1 << depth);

  for (guint v = 0; v < 1u << depth; v++)
    table[v] = histo_scale_sample (v, depth, map_depth);
  return table;
}

static guint16 *
stretch_table_new (guint depth)
{
  guint16 *table = g_new (guint16, (gsize) 1 << depth);

  for (guint v = 0; v < 1u << depth; v++)
    table[v] = histo_stretch_rgb (v, depth);
  return table;
}

/**
 * histo_cpu_rows_init:
 * @rows: (out):
 * @format: of video; used until histo_cpu_rows_clear(), as @maps
 * @is_plain: see histo_loops_choose()
 *
 * Returns: FALSE if there is no memory. histo_cpu_rows_clear() is to be called then, too
 */
gboolean
histo_cpu_rows_init (HistoCpuRows * rows, const HistoFormat * format,
    const HistoMaps * maps, gboolean is_plain)
{
  gsize bytes;

  memset (rows, 0, sizeof *rows);
  rows->format = format;
  rows->maps = maps;
  for (guint c = 0; c < format->n_components; c++) {
    find_component (rows, c);
    simplify_component (rows, &rows->components[c]);
    rows->is_wide |= format->components[c].depth > 8;
  }
  rows->loops = histo_loops_choose (rows->is_wide, is_plain);
  for (guint c = 0; c < MIN (format->n_components, 3); c++) {
    if (maps->depths[c] != maps->depth)
      rows->scale[c] = scale_table_new (maps->depths[c], maps->depth);
  }
  if (maps->is_rgb && maps->is_limited)
    rows->stretch_rgb = stretch_table_new (maps->depth);
  bytes = (gsize) format->width * histo_cpu_rows_sample_bytes (rows);
  rows->row_bytes = (bytes / ROW_ALIGNMENT + 1) * ROW_ALIGNMENT;
  rows->memory =
      g_try_malloc_n (HISTO_N_ROWS * HISTO_KEPT_ROWS, rows->row_bytes);
  return rows->memory != NULL;
}

void
histo_cpu_rows_clear (HistoCpuRows * rows)
{
  for (guint c = 0; c < 3; c++)
    g_free (rows->scale[c]);
  g_free (rows->stretch_rgb);
  g_free (rows->memory);
  memset (rows, 0, sizeof *rows);
}

/* ---- Extracting the samples of a row ------------------------------------------------------- */

/* The steps of the usual formats are constants of their loops, so that the compiler makes vectors
 * of these. */

/* Where the samples of one place in the period lie, and where they go. */
typedef struct
{
  const guint8 *from;           /* the first sample's word */
  guint step;                   /* bytes from one word to the next */
  gpointer to;
  guint to_step;                /* samples from one to the next */
  guint n;
} Extraction;

HISTO_SPECIALISED void
extract_bytes (const Extraction * extraction, guint step)
{
  const guint8 *restrict from = extraction->from;
  guint8 *restrict to = extraction->to;
  const guint n = extraction->n;

  for (guint i = 0; i < n; i++)
    to[i] = from[i * (gsize) step];
}

HISTO_SPECIALISED void
extract_words (const Extraction * extraction, const HistoSample * sample,
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
extract_any (const Extraction * extraction, const HistoSample * sample,
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
extract_slowly (const Extraction * extraction, const HistoSample * sample,
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

/* @sample: the mask of a sample that becomes a guint8 is at most 0xff
 * @is_wide: to guint16, else to guint8 */
static void
extract (const Extraction * extraction, const HistoSample * sample,
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

/* ---- Native samples ------------------------------------------------------------------------ */

/* Whether the samples of the row lie in memory as the rows' numbers do. */
static gboolean
is_direct (const HistoCpuRows * rows, const HistoCpuComponent * component,
    const HistoPlane * plane, const HistoSample * sample, const guint8 * row)
{
  if (component->n != 1
      || component->step != histo_cpu_rows_sample_bytes (rows)
      || sample->bytes != component->step || sample->shift != 0)
    return FALSE;
  if (!rows->is_wide)
    return sample->mask == 0xff;
  return sample->mask == 0xffff && (guintptr) row % sizeof (guint16) == 0
      && plane->big_endian == (G_BYTE_ORDER == G_BIG_ENDIAN);
}

/* The samples @first to @first + @n - 1 of a row of the component. @n: more than 0 */
static gconstpointer
native_samples (HistoCpuRows * rows, guint c, guint y, guint first, guint n,
    gpointer out)
{
  const HistoCpuComponent *component = &rows->components[c];
  const HistoPlane *plane = &rows->planes[component->plane];
  const HistoSample *samples = plane->samples;
  const guint8 *row = (const guint8 *) (guintptr) plane->data
      + (gint64) y * plane->stride;
  const guint in_period = component->n;
  const guint bytes = histo_cpu_rows_sample_bytes (rows);

  if (is_direct (rows, component, plane, &samples[component->samples[0]], row))
    return row + samples[component->samples[0]].offset + (gsize) first * bytes;
  for (guint k = 0; k < in_period; k++) {
    const HistoSample *sample = &samples[component->samples[k]];
    const guint skip = (k + in_period - first % in_period) % in_period;
    Extraction extraction = {
      .from = row + sample->offset
          + (gsize) ((first + skip) / in_period) * component->step,
      .step = component->step,
      .to = (guint8 *) out + (gsize) skip * bytes,
      .to_step = in_period,
    };

    if (skip >= n)
      continue;
    extraction.n = (n - skip + in_period - 1) / in_period;
    extract (&extraction, sample, plane->big_endian, rows->is_wide);
  }
  return out;
}

/* The first sample of the component that the rectangle uses. */
static guint
first_sample (const HistoCpuRows * rows, guint c)
{
  return rows->x >> rows->components[c].w_sub;
}

/* The number of samples of which the rectangle uses one or more pixels, whether they exist. */
static guint
grid_length (const HistoCpuRows * rows, guint w_sub)
{
  return rows->width == 0 ? 0 :
      ((rows->x + rows->width - 1) >> w_sub) - (rows->x >> w_sub) + 1;
}

/* ---- Pixels --------------------------------------------------------------------------------- */

static void
fill (const HistoCpuRows * rows, gpointer out, guint value, guint first,
    guint n)
{
  guint8 *narrow = out;
  guint16 *wide = out;

  for (guint i = first; i < n; i++) {
    if (rows->is_wide)
      wide[i] = value;
    else
      narrow[i] = value;
  }
}

static guint
sample_at (const HistoCpuRows * rows, gconstpointer row, guint i)
{
  return rows->is_wide ? ((const guint16 *) row)[i] :
      ((const guint8 *) row)[i];
}

/* The samples of a component for the maps: scaled, and where the last one of the row is missing,
 * the one before it instead. */
static gconstpointer
make_samples (HistoCpuRows * rows, guint c, guint y, gpointer out)
{
  const HistoCpuComponent *component = &rows->components[c];
  const guint n = grid_length (rows, component->w_sub);
  const guint first = MIN (first_sample (rows, c), component->count - 1);
  const guint exist = MIN (n, component->count - first);
  gconstpointer samples = native_samples (rows, c, y, first, exist, out);

  if (rows->scale[c] != NULL) {
    rows->loops->look_up (samples, rows->scale[c], out, exist);
    samples = out;
  }
  if (exist == n)
    return samples;
  if (samples != out)
    memcpy (out, samples, (gsize) exist * histo_cpu_rows_sample_bytes (rows));
  fill (rows, out, sample_at (rows, out, exist - 1), exist, n);
  return out;
}

static gconstpointer
make_pixels (HistoCpuRows * rows, guint c, guint y, gpointer out)
{
  const HistoMaps *maps = rows->maps;
  const guint sub = maps->w_sub;

  if (maps->is_rgb || c == 0)
    return make_samples (rows, c, y, out);
  if (!maps->has_chroma) {
    fill (rows, out, 1u << (maps->depth - 1), 0, rows->width);
    return out;
  }
  if (sub == 0)
    return histo_cpu_rows_get (rows, HISTO_ROW_YUV + c, y);
  rows->loops->repeat (histo_cpu_rows_get (rows, HISTO_ROW_YUV + c, y),
      rows->x & ((1u << sub) - 1), sub, out, rows->width);
  return out;
}

static gconstpointer
make_by_matrix (HistoCpuRows * rows, const HistoMatrix * matrix, guint row,
    guint y, gpointer out)
{
  gconstpointer first = histo_cpu_rows_get (rows, HISTO_ROW_PIXEL, y);
  gconstpointer others[2];

  /* A row that is multiplied by 0 need not be made. */
  for (guint i = 0; i < 2; i++)
    others[i] = matrix->coefficients[row][1 + i] == 0 ? first :
        histo_cpu_rows_get (rows, HISTO_ROW_PIXEL + 1 + i, y);
  rows->loops->matrix (matrix, row, first, others[0], others[1], out,
      rows->width);
  return out;
}

static gconstpointer
make_yuv (HistoCpuRows * rows, guint i, guint y, gpointer out)
{
  if (rows->maps->is_rgb)
    return make_by_matrix (rows, &rows->maps->matrix, i, y, out);
  if (i == 0)
    return histo_cpu_rows_get (rows, HISTO_ROW_PIXEL, y);
  return make_samples (rows, i, y, out);
}

static gconstpointer
make_luma (HistoCpuRows * rows, guint y, gpointer out)
{
  if (rows->maps->is_rgb)
    return make_by_matrix (rows, &rows->maps->luma, 0, y, out);
  return histo_cpu_rows_get (rows, HISTO_ROW_PIXEL, y);
}

static gconstpointer
make_stretched (HistoCpuRows * rows, guint y, gpointer out)
{
  gconstpointer luma = histo_cpu_rows_get (rows, HISTO_ROW_LUMA, y);

  if (!rows->maps->is_limited)
    return luma;
  rows->loops->stretch (luma, out, rows->width, rows->maps->depth);
  return out;
}

static gconstpointer
make_maxrgb (HistoCpuRows * rows, guint y, gpointer out)
{
  gconstpointer pixels[3];

  for (guint i = 0; i < 3; i++)
    pixels[i] = histo_cpu_rows_get (rows, HISTO_ROW_PIXEL + i, y);
  if (!rows->maps->is_rgb) {
    rows->loops->matrix_maximum (&rows->maps->matrix, pixels[0], pixels[1],
        pixels[2], out, rows->width);
    return out;
  }
  rows->loops->maximum (pixels[0], pixels[1], pixels[2], out, rows->width);
  /* The greatest one stays the greatest when all are stretched. */
  if (rows->stretch_rgb != NULL)
    rows->loops->look_up (out, rows->stretch_rgb, out, rows->width);
  return out;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

/* Goes to a rectangle. @planes: of the picture, used until the next call. @x, @width: its pixels,
 * inside the picture */
void
histo_cpu_rows_begin (HistoCpuRows * rows, const HistoPlane * planes, guint x,
    guint width)
{
  rows->planes = planes;
  rows->x = x;
  rows->width = width;
  for (guint kind = 0; kind < HISTO_N_ROWS; kind++) {
    for (guint i = 0; i < HISTO_KEPT_ROWS; i++)
      rows->lines[kind][i].y = G_MAXUINT;
  }
}

/* Returns: the numbers in a row of this kind, in the rectangle */
guint
histo_cpu_rows_length (const HistoCpuRows * rows, HistoRow kind)
{
  if (kind < HISTO_ROW_PIXEL) {
    const HistoCpuComponent *component = &rows->components[kind];
    const guint first = first_sample (rows, kind);
    const guint exist = component->count > first ? component->count - first : 0;

    return MIN (grid_length (rows, component->w_sub), exist);
  }
  if ((kind == HISTO_ROW_YUV + 1 || kind == HISTO_ROW_YUV + 2)
      && !rows->maps->is_rgb)
    return grid_length (rows, rows->maps->w_sub);
  return rows->width;
}

/**
 * histo_cpu_rows_make:
 * @y: of the picture's row, or of the component's (see #HistoRow)
 * @out: room for a row
 *
 * Makes a row of the rectangle, which is not empty.
 *
 * Returns: @out, or where the numbers lie already. That place is valid until
 *   %HISTO_KEPT_ROWS rows of any kind have been asked for
 */
gconstpointer
histo_cpu_rows_make (HistoCpuRows * rows, HistoRow kind, guint y, gpointer out)
{
  switch ((guint) kind) {
    case HISTO_ROW_PIXEL:
    case HISTO_ROW_PIXEL + 1:
    case HISTO_ROW_PIXEL + 2:
      return make_pixels (rows, kind - HISTO_ROW_PIXEL, y, out);
    case HISTO_ROW_YUV:
    case HISTO_ROW_YUV + 1:
    case HISTO_ROW_YUV + 2:
      return make_yuv (rows, kind - HISTO_ROW_YUV, y, out);
    case HISTO_ROW_LUMA:
      return make_luma (rows, y, out);
    case HISTO_ROW_STRETCHED:
      return make_stretched (rows, y, out);
    case HISTO_ROW_RGB:
    case HISTO_ROW_RGB + 1:
    case HISTO_ROW_RGB + 2:
      return make_by_matrix (rows, &rows->maps->matrix, kind - HISTO_ROW_RGB,
          y, out);
    case HISTO_ROW_MAXRGB:
      return make_maxrgb (rows, y, out);
    default:
      return native_samples (rows, kind, y, first_sample (rows, kind),
          histo_cpu_rows_length (rows, kind), out);
  }
}

/**
 * histo_cpu_rows_get:
 *
 * Returns: the row, as histo_cpu_rows_make(), in memory of @rows. Row y stays valid until row
 *   y + %HISTO_KEPT_ROWS of this kind is asked for
 */
gconstpointer
histo_cpu_rows_get (HistoCpuRows * rows, HistoRow kind, guint y)
{
  HistoCpuLine *line;
  guint i;

  /* The chroma of several rows of pixels is one row. */
  if ((kind == HISTO_ROW_PIXEL + 1 || kind == HISTO_ROW_PIXEL + 2)
      && !rows->maps->is_rgb)
    y >>= rows->maps->h_sub;
  i = y % HISTO_KEPT_ROWS;
  line = &rows->lines[kind][i];
  if (line->y != y) {
    line->samples = histo_cpu_rows_make (rows, kind, y, rows->memory
        + (kind * HISTO_KEPT_ROWS + i) * rows->row_bytes);
    line->y = y;
  }
  return line->samples;
}
