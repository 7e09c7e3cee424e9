/* Rows of a picture as arrays of numbers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/rows.h"

#include "media/load.h"

/* Rows begin at multiples of so many bytes. The loops of a row may be followed by others' rows. */
#define ROW_ALIGNMENT 64
/* The bytes before and behind rows of other types. */
#define WIDE_MARGIN 64

/* ---- Memory -------------------------------------------------------------------------------- */

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

/* In the memory of rows; row @i of the kind. HISTO_N_ROWS: the end. */
static gsize
offset_of_row (const HistoCpuRows * rows, guint kind, guint i)
{
  const gsize row = (gsize) kind * HISTO_KEPT_ROWS + i, first_wide = HISTO_ROW_GAMUT * HISTO_KEPT_ROWS;

  return row < first_wide ? row * rows->row_bytes :
      first_wide * rows->row_bytes + (row - first_wide) * rows->wide_row_bytes;
}

/**
 * histo_cpu_rows_init:
 * @rows: (out):
 * @regular: of the format; used until histo_cpu_rows_clear(), as @plan
 *
 * Returns: FALSE if there is no memory. histo_cpu_rows_clear() is to be called then, too
 */
gboolean
histo_cpu_rows_init (HistoCpuRows * rows, const HistoCpuRegular * regular,
    const HistoPlan * plan)
{
  const HistoFormat *format = regular->format;
  const HistoFormulas *formulas = &plan->formulas;
  gsize bytes;

  memset (rows, 0, sizeof *rows);
  rows->regular = regular;
  rows->formulas = formulas;
  rows->linear = plan->linear;
  rows->hlg = plan->hlg;
  rows->is_wide = regular->is_wide;
  /* Sums are made for all pixels of a row of chroma, whichever take part. */
  rows->is_gamut_sum = plan->mask == NULL && histo_gamut_is_sum (&formulas->gamut, formulas->is_rgb);
  rows->is_gamut_narrow = rows->is_gamut_sum && formulas->depth <= HISTO_NARROW_GAMUT_DEPTH;
  rows->loops = regular->loops;
  for (guint c = 0; c < MIN (format->n_components, 3); c++) {
    const guint depth = formulas->depths[c];

    if (depth == formulas->depth)
      continue;
    rows->scale[c] = g_new (guint16, (gsize) 1 << depth);
    for (guint v = 0; v < 1u << depth; v++)
      rows->scale[c][v] = histo_scale_sample (v, depth, formulas->depth);
  }
  if (formulas->is_rgb && formulas->is_limited) {
    rows->stretch_rgb = g_new (guint16, (gsize) 1 << formulas->depth);
    for (guint v = 0; v < 1u << formulas->depth; v++)
      rows->stretch_rgb[v] = histo_stretch_rgb (v, formulas->depth);
  }
  bytes = (gsize) format->width * histo_cpu_rows_sample_bytes (rows);
  rows->row_bytes = (bytes / ROW_ALIGNMENT + 1) * ROW_ALIGNMENT;
  rows->wide_row_bytes = 2 * rows->row_bytes + 2 * WIDE_MARGIN;
  rows->memory = g_try_malloc (rows->row_bytes + 3 * rows->wide_row_bytes + offset_of_row (rows, HISTO_N_ROWS, 0));
  if (rows->memory == NULL)
    return FALSE;
  rows->neutral = rows->memory + offset_of_row (rows, HISTO_N_ROWS, 0);
  for (guint i = 0; i < 2; i++)
    rows->own_light[i] = (guint16 *) (rows->neutral + rows->row_bytes + i * rows->wide_row_bytes);
  rows->no_red = memset (rows->neutral + rows->row_bytes + 2 * rows->wide_row_bytes, 0, rows->wide_row_bytes);
  fill (rows, rows->neutral, 1u << (formulas->depth - 1), 0, format->width);
  return TRUE;
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

/* NULL if there is no memory */
HistoCpuLight *
histo_cpu_light_new (guint width, guint height)
{
  HistoCpuLight *light = g_new0 (HistoCpuLight, 1);

  *light = (HistoCpuLight) {.width = width,.height = height };
  light->luminance = g_try_malloc_n ((gsize) width * height, sizeof *light->luminance);
  light->red = g_try_malloc_n ((gsize) width * height, sizeof *light->red);
  light->states = g_try_new0 (gint, height);
  if (light->luminance != NULL && light->red != NULL && light->states != NULL)
    return light;
  histo_cpu_light_free (light);
  return NULL;
}

/* @light: (nullable): */
void
histo_cpu_light_free (HistoCpuLight * light)
{
  if (light == NULL)
    return;
  g_free (light->luminance);
  g_free (light->red);
  g_free (light->states);
  g_free (light);
}

/* It will be that of another picture. */
void
histo_cpu_light_forget (HistoCpuLight * light)
{
  memset (light->states, 0, light->height * sizeof *light->states);
}

/* ---- Native samples ------------------------------------------------------------------------ */

/* The first sample of the component that the rectangle uses. */
static guint
first_sample (const HistoCpuRows * rows, guint c)
{
  return rows->x >> histo_cpu_regular_w_sub (rows->regular, c);
}

static gconstpointer
native_samples (const HistoCpuRows * rows, guint c, guint y)
{
  const HistoPlane *plane = &rows->planes[c];

  return (const guint8 *) (guintptr) plane->data + (gint64) y * plane->stride
      + (gsize) first_sample (rows, c) * histo_cpu_rows_sample_bytes (rows);
}

/* The number of samples of which the rectangle uses one or more pixels, whether they exist. */
static guint
grid_length (const HistoCpuRows * rows, guint w_sub)
{
  return rows->width == 0 ? 0 :
      ((rows->x + rows->width - 1) >> w_sub) - (rows->x >> w_sub) + 1;
}

/* ---- Masks ---------------------------------------------------------------------------------- */

/* So many pixels of a mask are looked at together. */
#define PIXELS_AT_ONCE 8

/* Returns: how many numbers are picked. @out: (out): may be @from */
HISTO_SPECIALISED guint
pick (const guint8 * mask, gconstpointer from, gpointer out, guint width, guint bytes)
{
  const guint8 *in = from;
  guint8 *to = out;
  guint n = 0, i = 0;

  while (i < width) {
    const guint end = MIN (i + PIXELS_AT_ONCE, width);
    guint64 together = 0;

    if (i + PIXELS_AT_ONCE <= width) {
      memcpy (&together, mask + i, sizeof together);
      /* Most are alike. */
      if (together == G_MAXUINT64) {
        memmove (to + n * bytes, in + i * bytes, PIXELS_AT_ONCE * bytes);
        n += PIXELS_AT_ONCE;
      }
      if (together == 0 || together == G_MAXUINT64) {
        i = end;
        continue;
      }
    }
    for (; i < end; i++) {
      memmove (to + n * bytes, in + i * bytes, bytes);
      n += mask[i] & 1;
    }
  }
  return n;
}

static const guint8 *
mask_of_pixels (const HistoCpuRows * rows, guint y)
{
  return rows->mask->pixels + (gsize) y * rows->mask->width + rows->x;
}

/**
 * histo_cpu_rows_pick:
 * @y: of the picture
 * @from: a number for each pixel of the rectangle's row
 * @out: (out): room for as many: those of the pixels that take part, one behind the other. It may be @from
 */
void
histo_cpu_rows_pick (const HistoCpuRows * rows, guint y, gconstpointer from, gpointer out)
{
  if (rows->is_wide)
    pick (mask_of_pixels (rows, y), from, out, rows->width, 2);
  else
    pick (mask_of_pixels (rows, y), from, out, rows->width, 1);
}

/* @mask: (nullable): of the picture, used until histo_cpu_rows_begin(). The rows of pixels, and all that follow from them,
 * then have the histo_cpu_rows_n_pixels() pixels alone that take part; rows of chroma have all samples */
void
histo_cpu_rows_use_mask (HistoCpuRows * rows, const HistoMaskView * mask)
{
  rows->mask = mask;
  for (guint i = 0; i < HISTO_KEPT_ROWS; i++)
    rows->parts[i].y = G_MAXUINT;
}

/* Returns: how many pixels of a row take part */
guint
histo_cpu_rows_n_pixels (HistoCpuRows * rows, guint y)
{
  const guint i = y % HISTO_KEPT_ROWS;

  if (rows->mask == NULL)
    return rows->width;
  if (rows->parts[i].y != y) {
    rows->parts[i].y = y;
    rows->parts[i].n = histo_mask_count (rows->mask, 0, 0, rows->x, rows->width, y, 1);
  }
  return rows->parts[i].n;
}

/* ---- Pixels --------------------------------------------------------------------------------- */

/* The samples of a component for the formulas: scaled, and where the last one of the row is missing,
 * the one before it instead. */
static gconstpointer
make_samples (HistoCpuRows * rows, guint c, guint y, gpointer out)
{
  const guint n = grid_length (rows, histo_cpu_regular_w_sub (rows->regular, c));
  const guint exist = histo_cpu_rows_length (rows, HISTO_ROW_NATIVE + c), last = MAX (exist, 1) - 1;
  const guint bytes = histo_cpu_rows_sample_bytes (rows);
  const guint8 *samples = native_samples (rows, c, y);

  if (exist == n && rows->scale[c] == NULL)
    return samples;
  /* Then the one before lies left of the rectangle. */
  if (exist == 0)
    samples -= bytes;
  memcpy (out, samples, (gsize) (last + 1) * bytes);
  fill (rows, out, rows->is_wide ? ((const guint16 *) out)[last] : ((const guint8 *) out)[last], last + 1, n);
  if (rows->scale[c] != NULL)
    rows->loops->look_up (out, rows->scale[c], out, n);
  return out;
}

static gconstpointer
make_all_pixels (HistoCpuRows * rows, guint c, guint y, gpointer out)
{
  const HistoFormulas *formulas = rows->formulas;
  const guint sub = formulas->w_sub;

  if (formulas->is_rgb || c == 0)
    return make_samples (rows, c, y, out);
  if (rows->mask != NULL)
    y = histo_chroma_row (&rows->scan, y);
  if (!formulas->has_chroma)
    return rows->neutral;
  if (sub == 0)
    return histo_cpu_rows_get (rows, HISTO_ROW_YUV + c, y);
  rows->loops->repeat (histo_cpu_rows_get (rows, HISTO_ROW_YUV + c, y),
      rows->x & ((1u << sub) - 1), sub, out, rows->width);
  return out;
}

static gconstpointer
make_pixels (HistoCpuRows * rows, guint c, guint y, gpointer out)
{
  gconstpointer pixels = make_all_pixels (rows, c, y, out);

  if (rows->mask == NULL)
    return pixels;
  histo_cpu_rows_pick (rows, y, pixels, out);
  return out;
}

/* The three rows of pixels. */
static void
get_pixels (HistoCpuRows * rows, guint y, gconstpointer pixels[3])
{
  for (guint i = 0; i < 3; i++)
    pixels[i] = histo_cpu_rows_get (rows, HISTO_ROW_PIXEL + i, y);
}

static gconstpointer
make_luma (HistoCpuRows * rows, guint y, gpointer out)
{
  gconstpointer pixels[3];

  if (!rows->formulas->is_rgb)
    return histo_cpu_rows_get (rows, HISTO_ROW_PIXEL, y);
  get_pixels (rows, y, pixels);
  rows->loops->matrix (&rows->formulas->luma, 0, pixels[0], pixels[1], pixels[2],
      out, histo_cpu_rows_n_pixels (rows, y));
  return out;
}

static gconstpointer
make_maxrgb (HistoCpuRows * rows, guint y, gpointer out)
{
  const guint n = histo_cpu_rows_n_pixels (rows, y);
  gconstpointer pixels[3];

  get_pixels (rows, y, pixels);
  rows->loops->maximum (pixels[0], pixels[1], pixels[2], out, n);
  /* The greatest one stays the greatest when all are stretched. */
  if (rows->stretch_rgb != NULL)
    rows->loops->look_up (out, rows->stretch_rgb, out, n);
  return out;
}

/**
 * histo_cpu_rows_make_matrix:
 * @out: (array fixed-size=4): room for rows; the last one may be NULL
 *
 * Makes R, G, B of YUV or gray, in full range, or Y, U, V of RGB, in limited range, of each pixel, and the
 * greatest of them.
 */
void
histo_cpu_rows_make_matrix (HistoCpuRows * rows, guint y, gpointer const out[4])
{
  gconstpointer pixels[3];

  get_pixels (rows, y, pixels);
  rows->loops->matrices (&rows->formulas->matrix, pixels[0], pixels[1], pixels[2],
      out, histo_cpu_rows_n_pixels (rows, y));
}

/* ---- Rows of other types ------------------------------------------------------------------- */

/* @chroma: (out): what chroma adds to Y in the pixels of row @y, if is_gamut_sum */
void
histo_cpu_rows_get_gamut_of_chroma (HistoCpuRows * rows, guint y, const gint16 * chroma[3])
{
  for (guint i = 0; i < 3; i++)
    chroma[i] = histo_cpu_rows_get (rows, HISTO_ROW_GAMUT_OF_CHROMA + i, y);
}

static void
make_gamut (HistoCpuRows * rows, guint y, gpointer const out[4])
{
  const gsize bytes = 2 * histo_cpu_rows_sample_bytes (rows);
  const guint n = histo_cpu_rows_n_pixels (rows, y);
  gconstpointer pixels[3];

  if (rows->is_gamut_sum) {
    const gint16 *chroma[3];

    histo_cpu_rows_get_gamut_of_chroma (rows, y, chroma);
    rows->loops->add_gamut (histo_cpu_rows_get (rows, HISTO_ROW_PIXEL, y), chroma, out, n);
  } else {
    get_pixels (rows, y, pixels);
    rows->loops->gamut (&rows->formulas->gamut, rows->formulas->is_rgb, pixels[0], pixels[1], pixels[2],
        out, n);
  }
  /* The first numbers are repeated to the left of the row, and the last ones to its right. */
  for (guint i = 0; i < 4; i++) {
    guint8 *row = out[i], *end = row + n * bytes;

    for (guint k = 0; k < HISTO_GAMUT_REACH; k++) {
      memcpy (row - (k + 1) * bytes, row, bytes);
      memcpy (end + k * bytes, end - bytes, bytes);
    }
  }
}

/* @i: of R, G, B and Y */
static void
make_gamut_across (HistoCpuRows * rows, guint i, guint y, gpointer out)
{
  const gint16 *chroma[4] = { NULL, };

  if (rows->is_gamut_narrow) {
    histo_cpu_rows_get_gamut_of_chroma (rows, y, chroma);
    rows->loops->gamut_across_of_sums (histo_cpu_rows_get (rows, HISTO_ROW_PIXEL, y), chroma[i], out, rows->width);
  } else {
    rows->loops->gamut_across (histo_cpu_rows_get (rows, HISTO_ROW_GAMUT + i, y), out, rows->width);
  }
}

/* @y: of chroma */
static void
make_gamut_of_chroma (HistoCpuRows * rows, guint y, gpointer const out[3])
{
  const gboolean has_chroma = rows->formulas->has_chroma;
  const guint sub = has_chroma ? rows->formulas->w_sub : 0;
  gint16 *const sums[3] = { out[0], out[1], out[2] };

  rows->loops->gamut_of_chroma (&rows->formulas->gamut,
      has_chroma ? histo_cpu_rows_get (rows, HISTO_ROW_YUV + 1, y) : rows->neutral,
      has_chroma ? histo_cpu_rows_get (rows, HISTO_ROW_YUV + 2, y) : rows->neutral,
      rows->x & ((1u << sub) - 1), sub, sums, rows->width);
}

/* Returns whether any pixel has saturated red. */
static gboolean
make_light (HistoCpuRows * rows, guint y, guint16 * luminance, guint16 * red)
{
  const HistoRow kind = rows->formulas->is_rgb ? HISTO_ROW_PIXEL : HISTO_ROW_RGB;
  gconstpointer rgb[3];

  for (guint i = 0; i < 3; i++)
    rgb[i] = histo_cpu_rows_get (rows, kind + i, y);
  return rows->hlg != NULL ?
      rows->loops->light_of_hlg (rows->hlg, rows->hlg + (1u << rows->formulas->depth), rgb[0], rgb[1], rgb[2],
      luminance, red, rows->width) :
      rows->loops->light (rows->linear, rgb[0], rgb[1], rgb[2], luminance, red, rows->width);
}

/**
 * histo_cpu_rows_get_light:
 *
 * Returns: the light of a row of pixels, valid until the next call
 */
HistoCpuLightRow
histo_cpu_rows_get_light (HistoCpuRows * rows, guint y)
{
  HistoCpuLight *light = rows->light;
  const gsize at = light == NULL ? 0 : y * light->width + rows->x;
  const HistoCpuLightState state = light == NULL ? HISTO_CPU_LIGHT_UNKNOWN :
      (HistoCpuLightState) __atomic_load_n (&light->states[y], __ATOMIC_ACQUIRE);
  guint16 *luminance = rows->own_light[0], *red = rows->own_light[1];

  if (state != HISTO_CPU_LIGHT_UNKNOWN)
    return (HistoCpuLightRow) { light->luminance + at, state == HISTO_CPU_LIGHT_WITH_RED ? light->red + at : NULL };
  if (rows->fills_light)
    luminance = light->luminance + at;
  if (!make_light (rows, y, luminance, red))
    red = NULL;
  if (rows->fills_light) {
    if (red != NULL)
      memcpy (light->red + at, red, rows->width * sizeof *red);
    /* g_atomic_int_set() would wait until the row has left the store buffer. */
    __atomic_store_n (&light->states[y], red != NULL ? HISTO_CPU_LIGHT_WITH_RED : HISTO_CPU_LIGHT_WITHOUT_RED,
        __ATOMIC_RELEASE);
  }
  return (HistoCpuLightRow) { luminance, red };
}

/* ---- Rows ---------------------------------------------------------------------------------- */

/* Goes to a rectangle. @planes: of the picture, used until the next call. @x, @width: its pixels,
 * inside the picture */
void
histo_cpu_rows_begin (HistoCpuRows * rows, const HistoPlane * planes,
    const HistoScan * scan, guint x, guint width)
{
  rows->planes = planes;
  rows->scan = *scan;
  rows->x = x;
  rows->width = width;
  histo_cpu_rows_use_mask (rows, NULL);
  for (guint kind = 0; kind < HISTO_N_ROWS; kind++) {
    for (guint i = 0; i < HISTO_KEPT_ROWS; i++)
      rows->lines[kind][i].y = G_MAXUINT;
  }
}

/* @light: (nullable): of the picture, used until the next call. @fill: keep there what is computed; the rectangle is the
 * picture's, and nobody else fills the rows that are asked for */
void
histo_cpu_rows_use_light (HistoCpuRows * rows, HistoCpuLight * light, gboolean fill)
{
  rows->light = light;
  rows->fills_light = light != NULL && fill;
}

/* Returns: the numbers in a row of this kind, in the rectangle */
guint
histo_cpu_rows_length (const HistoCpuRows * rows, HistoRow kind)
{
  if (kind < HISTO_ROW_PIXEL) {
    const guint count = rows->planes[kind].periods;
    const guint first = first_sample (rows, kind);

    return MIN (grid_length (rows, histo_cpu_regular_w_sub (rows->regular, kind)),
        count > first ? count - first : 0);
  }
  if ((kind == HISTO_ROW_YUV + 1 || kind == HISTO_ROW_YUV + 2)
      && !rows->formulas->is_rgb)
    return grid_length (rows, rows->formulas->w_sub);
  return rows->width;
}

/**
 * histo_cpu_rows_make:
 * @y: of the picture's row, or of the component's (see #HistoRow)
 * @out: room for a row
 *
 * Makes a row of the rectangle, which is not empty. Rows that are made together are made by histo_cpu_rows_get()
 * alone.
 *
 * Returns: @out, or where the numbers lie already. That place is valid until
 *   %HISTO_KEPT_ROWS rows of any kind have been asked for
 */
gconstpointer
histo_cpu_rows_make (HistoCpuRows * rows, HistoRow kind, guint y, gpointer out)
{
  gconstpointer luma;

  switch ((guint) kind) {
    case HISTO_ROW_PIXEL:
    case HISTO_ROW_PIXEL + 1:
    case HISTO_ROW_PIXEL + 2:
      return make_pixels (rows, kind - HISTO_ROW_PIXEL, y, out);
    case HISTO_ROW_YUV:
      return histo_cpu_rows_get (rows, HISTO_ROW_PIXEL, y);
    case HISTO_ROW_YUV + 1:
    case HISTO_ROW_YUV + 2:
      return make_samples (rows, kind - HISTO_ROW_YUV, y, out);
    case HISTO_ROW_LUMA:
      return make_luma (rows, y, out);
    case HISTO_ROW_STRETCHED:
      luma = histo_cpu_rows_get (rows, HISTO_ROW_LUMA, y);
      if (!rows->formulas->is_limited)
        return luma;
      rows->loops->stretch (luma, out, rows->width, rows->formulas->depth);
      return out;
    case HISTO_ROW_MAXRGB:
      return make_maxrgb (rows, y, out);
    case HISTO_ROW_GAMUT_ACROSS:
    case HISTO_ROW_GAMUT_ACROSS + 1:
    case HISTO_ROW_GAMUT_ACROSS + 2:
    case HISTO_ROW_GAMUT_ACROSS + 3:
      make_gamut_across (rows, kind - HISTO_ROW_GAMUT_ACROSS, y, out);
      return out;
    default:
      return native_samples (rows, kind, y);
  }
}

static gpointer
line_memory (const HistoCpuRows * rows, HistoRow kind, guint i)
{
  return rows->memory + offset_of_row (rows, kind, i) + (kind >= HISTO_ROW_GAMUT ? WIDE_MARGIN : 0);
}

/* Kinds of rows that are made together. */
typedef struct
{
  HistoRow first;
  guint n;                      /* 0: it is made alone */
  void (*make) (HistoCpuRows * rows, guint y, gpointer const out[4]);
} Together;

static Together
made_together (const HistoCpuRows * rows, HistoRow kind)
{
  if (kind >= HISTO_ROW_GAMUT_OF_CHROMA)
    return (Together) { HISTO_ROW_GAMUT_OF_CHROMA, 3, make_gamut_of_chroma };
  if (kind >= HISTO_ROW_GAMUT && kind < HISTO_ROW_GAMUT_ACROSS)
    return (Together) { HISTO_ROW_GAMUT, 4, make_gamut };
  if (kind >= HISTO_ROW_RGB && kind < HISTO_ROW_GAMUT)
    return (Together) { HISTO_ROW_RGB, 3, histo_cpu_rows_make_matrix };
  if (rows->formulas->is_rgb && kind >= HISTO_ROW_YUV && kind < HISTO_ROW_LUMA)
    return (Together) { HISTO_ROW_YUV, 3, histo_cpu_rows_make_matrix };
  return (Together) { kind, 0, NULL };
}

/**
 * histo_cpu_rows_get:
 *
 * Returns: the row, as histo_cpu_rows_make(), in memory of @rows. Row y stays valid until row
 *   y + %HISTO_KEPT_ROWS of this kind is asked for, or another one if only the latest row is kept
 */
gconstpointer
histo_cpu_rows_get (HistoCpuRows * rows, HistoRow kind, guint y)
{
  HistoCpuLine *line;
  Together together;
  gboolean keeps_one;
  guint i;

  /* The chroma of several rows of pixels is one row, unless other pixels take part in each of them. */
  if (((kind == HISTO_ROW_PIXEL + 1 || kind == HISTO_ROW_PIXEL + 2) && !rows->formulas->is_rgb && rows->mask == NULL)
      || (kind >= HISTO_ROW_GAMUT_OF_CHROMA))
    y = histo_chroma_row (&rows->scan, y);
  /* Fewer rows stay in the caches. */
  keeps_one = kind >= HISTO_ROW_RGB && kind < HISTO_ROW_GAMUT;
  i = keeps_one ? 0 : y % HISTO_KEPT_ROWS;
  line = &rows->lines[kind][i];
  if (line->y == y)
    return line->samples;
  together = made_together (rows, kind);
  if (together.n > 0) {
    gpointer out[4] = { NULL, };

    for (guint k = 0; k < together.n; k++) {
      out[k] = line_memory (rows, together.first + k, i);
      rows->lines[together.first + k][i] = (HistoCpuLine) { y, out[k] };
    }
    together.make (rows, y, out);
  } else {
    line->samples = histo_cpu_rows_make (rows, kind, y, line_memory (rows, kind, i));
    line->y = y;
  }
  return line->samples;
}
