/* Regular pictures: which loader of the strip reads a format's planes, and the picture that the engine writes
 * itself, where no loader can read a buffer or where a later frame needs it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cuda/plan-strip.h"

#include <string.h>

/* ---- The components of a format ------------------------------------------------------------ */

static const HistoPlane *
plane_of (const HistoCudaGroupsPlan * groups, guint c)
{
  return &groups->plan->format->planes[groups->extract.components[c].plane];
}

/* Its first sample in a period. */
static const HistoSample *
sample_of (const HistoCudaGroupsPlan * groups, guint c)
{
  return &plane_of (groups, c)->samples[groups->extract.components[c].samples[0]];
}

/* The place of the component's first sample among the words of a period. */
static guint
word_of (const HistoCudaGroupsPlan * groups, guint c)
{
  return sample_of (groups, c)->offset / sample_of (groups, c)->bytes;
}

/* ---- Loaders --------------------------------------------------------------------------------- */

/* Whether the component has a plane, in which each period of @n_words words holds it once. */
static gboolean
has_words (const HistoCudaGroupsPlan * groups, guint c, guint n_words)
{
  return plane_of (groups, c)->n_words == n_words
      && groups->extract.components[c].n_samples == 1;
}

static gboolean
share_plane (const HistoCudaGroupsPlan * groups, guint c, guint d)
{
  return groups->extract.components[c].plane == groups->extract.components[d].plane;
}

/* Whether all samples are bytes or words of the device's order, that hold the sample at the same place. */
static gboolean
has_one_word (const HistoCudaGroupsPlan * groups)
{
  const HistoSample *first = sample_of (groups, 0);

  for (guint c = 0; c < groups->plan->format->n_components; c++) {
    const HistoPlane *plane = plane_of (groups, c);
    const HistoSample *sample = sample_of (groups, c);

    if (plane->kind == HISTO_PLANE_PACKED
        || (plane->kind == HISTO_PLANE_WORDS && plane->big_endian)
        || sample->bytes != first->bytes || sample->shift != first->shift
        || sample->mask != first->mask)
      return FALSE;
  }
  return TRUE;
}

/* Words of three fields of ten bits, and one of two. */
static gboolean
has_fields (const HistoCudaGroupsPlan * groups)
{
  const HistoFormat *format = groups->plan->format;
  const HistoPlane *plane = &format->planes[0];

  if (format->n_planes != 1 || plane->kind != HISTO_PLANE_PACKED
      || plane->period_bytes != 4 || plane->big_endian
      || plane->n_samples != format->n_components || format->n_components < 3)
    return FALSE;
  for (guint c = 0; c < format->n_components; c++) {
    const HistoSample *sample = sample_of (groups, c);

    if (sample->bytes != 4 || sample->mask != (c < 3 ? 0x3ff : 3))
      return FALSE;
  }
  return TRUE;
}

/* v210: fields of ten bits, three in a word, are U, Y, V and Y in turn. */
static gboolean
has_stream (const HistoCudaGroupsPlan * groups)
{
  static const guint8 components[] = { 1, 0, 2, 0 };
  const HistoPlane *plane = &groups->plan->format->planes[0];

  if (groups->plan->format->n_planes != 1 || plane->period_bytes != 16
      || plane->n_samples != 12 || plane->big_endian)
    return FALSE;
  for (guint i = 0; i < plane->n_samples; i++) {
    const HistoSample *sample = &plane->samples[i];

    if (sample->bytes != 4 || sample->mask != 0x3ff
        || sample->offset != i / 3 * 4 || sample->shift != i % 3 * 10
        || sample->component != components[i % 4])
      return FALSE;
  }
  return TRUE;
}

/* The selector of __byte_perm () that takes these bytes of two words. */
static guint32
select_bytes (guint a, guint b, guint c, guint d)
{
  return a | b << 4 | c << 8 | d << 12;
}

/* Luma twice, U and V in a period of four words. */
static void
select_shared_chroma (HistoCudaGroupsPlan * groups)
{
  const HistoPlane *plane = plane_of (groups, 0);
  const guint8 *y = groups->extract.components[0].samples;
  const guint bytes = sample_of (groups, 0)->bytes;
  const guint first = plane->samples[y[0]].offset / bytes;
  const guint second = plane->samples[y[1]].offset / bytes;
  const guint u = word_of (groups, 1), v = word_of (groups, 2);

  if (bytes == 1) {
    groups->launch.selectors[0] =
        select_bytes (first, second, first + 4, second + 4);
    groups->launch.selectors[1] = select_bytes (u, v, u + 4, v + 4);
  } else {
    /* Two words are half of a period. */
    groups->launch.selectors[0] =
        select_bytes (2 * first, 2 * first + 1, 2 * second, 2 * second + 1);
    groups->launch.selectors[1] =
        select_bytes (2 * u, 2 * u + 1, 2 * v, 2 * v + 1);
  }
}

/* Formats whose chroma has fewer samples than luma, and gray. Returns whether a loader reads them. */
static gboolean
choose_half_loader (HistoCudaGroupsPlan * groups)
{
  const HistoFormat *format = groups->plan->format;
  HistoStripLaunch *launch = &groups->launch;

  if (groups->extract.components[0].n_samples == 2
      && plane_of (groups, 0)->n_words == 4 && format->n_components == 3
      && groups->form == HISTO_FORM_ROWS && share_plane (groups, 0, 1)
      && share_plane (groups, 0, 2)) {
    launch->loader = HISTO_LOADER_FOUR;
    select_shared_chroma (groups);
    return TRUE;
  }
  if (!has_words (groups, 0, 1)
      || (format->n_components > 3 && !has_words (groups, 3, 1)))
    return FALSE;
  launch->loader = HISTO_LOADER_PLANES;
  if (format->n_components == 1 || (has_words (groups, 1, 1)
          && has_words (groups, 2, 1)))
    return TRUE;
  launch->loader = HISTO_LOADER_IN_TURN;
  launch->selectors[0] = word_of (groups, 1);
  return has_words (groups, 1, 2) && has_words (groups, 2, 2)
      && share_plane (groups, 1, 2)
      && (groups->bytes == 1 || launch->selectors[0] == 0);
}

/* Formats whose pixels have three or four samples. */
static gboolean
choose_full_loader (HistoCudaGroupsPlan * groups)
{
  const HistoFormat *format = groups->plan->format;
  const guint n = format->n_components;
  HistoStripLaunch *launch = &groups->launch;
  gboolean has_planes = TRUE, has_four = TRUE, has_three = n == 3;

  for (guint c = 0; c < n; c++) {
    has_planes = has_planes && has_words (groups, c, 1);
    has_four = has_four && has_words (groups, c, 4) && share_plane (groups, 0, c);
    has_three = has_three && has_words (groups, c, 3)
        && share_plane (groups, 0, c) && groups->bytes == 1;
    launch->selectors[c] = word_of (groups, c);
  }
  if (has_planes) {
    launch->loader = HISTO_LOADER_PLANES;
  } else if (has_three) {
    launch->loader = HISTO_LOADER_THREE;
  } else if (has_four) {
    launch->loader = HISTO_LOADER_FOUR;
    for (guint c = 0; c < n && groups->bytes == 1; c++)
      launch->selectors[c] =
          select_bytes (word_of (groups, c), word_of (groups, c) + 4, 0, 0);
  } else if (n == 3 && groups->bytes == 1 && has_words (groups, 0, 1)
      && has_words (groups, 1, 2)
      && has_words (groups, 2, 2) && share_plane (groups, 1, 2)) {
    launch->loader = HISTO_LOADER_IN_TURN;
    for (guint c = 1; c < 3; c++) {
      const guint w = word_of (groups, c);

      launch->selectors[c] = select_bytes (w, w + 2, w + 4, w + 6);
    }
  } else {
    return FALSE;
  }
  return TRUE;
}

static gboolean
choose_loader (HistoCudaGroupsPlan * groups)
{
  const HistoFormulas *formulas = &groups->plan->formulas;
  const HistoSample *sample = sample_of (groups, 0);
  HistoStripLaunch *launch = &groups->launch;

  if (groups->bytes == 2 && groups->form >= HISTO_FORM_FULL && has_fields (groups)) {
    launch->loader = HISTO_LOADER_FIELDS;
    for (guint c = 0; c < groups->plan->format->n_components; c++)
      launch->selectors[c] = sample_of (groups, c)->shift;
    return TRUE;
  }
  if (groups->bytes == 2 && groups->form == HISTO_FORM_ROWS && has_stream (groups)) {
    launch->loader = HISTO_LOADER_STREAM;
    return TRUE;
  }
  if (!has_one_word (groups) || sample->bytes != groups->bytes
      || (groups->form == HISTO_FORM_ROWS && formulas->w_sub != 1))
    return FALSE;
  launch->shift = sample->shift;
  launch->word_mask = sample->mask * 0x10001;
  return groups->form >= HISTO_FORM_FULL ? choose_full_loader (groups) :
      choose_half_loader (groups);
}

/* ---- Pictures in the engine's own memory ---------------------------------------------------- */

/* Rows begin at multiples of this. */
#define ROW_ALIGNMENT 16

/* Places a plane with room for @columns words in whole fours. */
static void
append_plane (HistoCudaGroupsPlan * groups, guint c, guint columns, guint bytes,
    guint rows)
{
  const guint64 row_bytes = ((guint64) columns + 3) / 4 * 4 * bytes;
  const guint64 stride = (row_bytes + ROW_ALIGNMENT - 1)
      & ~(guint64) (ROW_ALIGNMENT - 1);

  groups->picture.data[c] = groups->picture_bytes;
  groups->picture.stride[c] = stride;
  groups->picture_bytes += stride * rows;
}

/* A picture has fields if the buffer has; else planes, and in one plane U and V if there are fewer of them
 * than of luma. */
static void
plan_picture (HistoCudaGroupsPlan * groups)
{
  const HistoFormat *format = groups->plan->format;
  const HistoFormulas *formulas = &groups->plan->formulas;
  const guint bytes = groups->bytes;
  HistoExtractLaunch *extract = &groups->extract;

  extract->loader = HISTO_LOADER_PLANES;
  if (groups->reads_buffers && groups->launch.loader == HISTO_LOADER_FIELDS) {
    extract->loader = HISTO_LOADER_FIELDS;
    append_plane (groups, 0, format->width, 4, format->height);
    return;
  }
  if (groups->form < HISTO_FORM_FULL && formulas->has_chroma)
    extract->loader = HISTO_LOADER_IN_TURN;
  for (guint c = 0; c < format->n_components; c++) {
    if (extract->loader == HISTO_LOADER_PLANES || c == 0 || c == 3)
      append_plane (groups, c, format->width, bytes, format->height);
    else if (c == 1)
      append_plane (groups, c, format->width, bytes,
          groups->extract.components[1].height);
  }
}

/* ---- Numbers of the format ----------------------------------------------------------------------- */

/* What makes a color 1 that is 256 with the coefficients of a HistoMatrix. */
#define COLOR_SCALE (1.0 / (256 << HISTO_MATRIX_SHIFT))

/* Row @i of a matrix, as row @to of those that a strip computes with. */
static void
place_row (const HistoMatrix * matrix, guint i, guint to,
    HistoStripLaunch * launch)
{
  const gint32 *row = matrix->coefficients[i];
  gint64 rest = ((gint64) matrix->to[i] << matrix->shift) + ((gint64) 1 << matrix->shift >> 1);

  for (guint j = 0; j < 3; j++) {
    launch->factors.rows[to][j] = (gfloat) (row[j] * COLOR_SCALE);
    rest -= (gint64) row[j] * matrix->from[j];
  }
  launch->factors.rows[to][3] = (gfloat) (rest * COLOR_SCALE);
  launch->matrix_rests[to] = (gint32) rest;
  launch->deep_rests[to] = rest;
}

/* Before it is rounded down, histo_stretch () is a multiple of 1 / 73: 255 / 219 is 85 / 73. Half of
 * that keeps the rounded product on the right side of each integer. */
#define STRETCH_MARGIN (0.5 / (255 * 73))

static void
place_numbers (const HistoFormulas * formulas, HistoStripLaunch * launch)
{
  gfloat *stretch = launch->factors.stretch;

  launch->depth = histo_strip_depth (formulas->depth);
  for (guint i = 0; i < 3; i++)
    place_row (&formulas->matrix, i, i, launch);
  place_row (&formulas->luma, 0, 3, launch);
  stretch[0] = 1.f / 219;
  stretch[1] = (gfloat) (STRETCH_MARGIN - (HISTO_STRIP_BYTE_BIAS + 16) * (gdouble) stretch[0]);
}

/* ---- The plan --------------------------------------------------------------------------------- */

/**
 * histo_cuda_plan_regular:
 * @groups: has the plan; this fills in the form, the loader and its parameters, and the picture
 */
void
histo_cuda_plan_regular (HistoCudaGroupsPlan * groups)
{
  const HistoFormat *format = groups->plan->format;
  const HistoFormulas *formulas = &groups->plan->formulas;
  HistoExtractLaunch *extract = &groups->extract;

  if (formulas->is_rgb)
    groups->form = HISTO_FORM_RGB;
  else if (!formulas->has_chroma || (formulas->w_sub == 1
          && formulas->h_sub == 1))
    groups->form = HISTO_FORM_TWO_ROWS;
  else
    groups->form = formulas->w_sub > 0 ? HISTO_FORM_ROWS : HISTO_FORM_FULL;
  /* The owners of components read words. */
  groups->bytes = formulas->depth > 8 || groups->has_owners ? 2 : 1;
  for (guint c = 0; c < format->n_components; c++)
    histo_format_find_samples (format, c, &extract->components[c]);
  /* A sample of four pixels lies there twice. */
  groups->launch.n_columns_of_v = formulas->w_sub == 2 ?
      format->width : extract->components[2].width;
  place_numbers (formulas, &groups->launch);
  groups->reads_buffers = choose_loader (groups);
  plan_picture (groups);
  extract->n_components = format->n_components;
  extract->bytes = groups->bytes;
  extract->w_sub = formulas->w_sub;
  extract->h_sub = formulas->h_sub;
  extract->width = format->width;
  extract->height = format->height;
  memcpy (extract->selectors, groups->launch.selectors,
      sizeof extract->selectors);
}

/* ---- A frame ---------------------------------------------------------------------------------- */

/* The bytes of a plane that a loader loads at once for component @c. */
static guint
load_bytes (const HistoCudaGroupsPlan * groups, guint c)
{
  const guint four = 4 * groups->bytes;
  const gboolean is_half = groups->form < HISTO_FORM_FULL;

  switch (groups->launch.loader) {
    case HISTO_LOADER_THREE:
    case HISTO_LOADER_STREAM:
      return 4;
    case HISTO_LOADER_FIELDS:
      return 16;
    case HISTO_LOADER_FOUR:
      return is_half ? 2 * four : 16;
    case HISTO_LOADER_IN_TURN:
      return c == 0 || c == 3 || is_half ? four : 2 * four;
    default:
      return is_half && (c == 1 || c == 2) ? four / 2 : four;
  }
}

/**
 * histo_cuda_plan_is_regular:
 * @planes: of a buffer, with data and strides
 *
 * Returns: whether the launches read the buffer where it lies. A loader does if the rows are made of whole groups
 *   of four pixels, at addresses from which four can be loaded at once. Else the buffer must be extracted
 */
gboolean
histo_cuda_plan_is_regular (const HistoCudaGroupsPlan * groups,
    const HistoPlane * planes)
{
  if (groups->counts_bytes)
    return TRUE;
  if (!groups->reads_buffers || groups->plan->format->width % 4 != 0)
    return FALSE;
  for (guint c = 0; c < groups->plan->format->n_components; c++) {
    const HistoPlane *plane = &planes[groups->extract.components[c].plane];
    const guint64 bits = plane->data | (guint64) plane->stride;

    if ((bits & (load_bytes (groups, c) - 1)) != 0
        || plane->stride != (gint32) plane->stride)
      return FALSE;
  }
  return TRUE;
}

/* @address: of the picture; 0: there is none */
static void
place_picture (const HistoCudaGroupsPlan * groups, guint64 address,
    HistoStripPlanes * planes)
{
  *planes = groups->picture;
  for (guint c = 0; c < HISTO_MAX_COMPONENTS; c++)
    planes->data[c] += address;
}

/**
 * histo_cuda_plan_planes:
 * @frame: where the frame's planes are
 * @launch: this sets what it reads and stores
 */
void
histo_cuda_plan_planes (const HistoCudaGroupsPlan * groups,
    const HistoCudaGroupsFrame * frame, HistoStripLaunch * launch)
{
  launch->scan = frame->scan;
  launch->previous_scan = frame->previous_scan;
  place_picture (groups, frame->previous, &launch->previous);
  place_picture (groups, frame->picture, &launch->copy);
  if (frame->previous != 0)
    launch->flags |= HISTO_FLAG_PREVIOUS;
  if (!histo_cuda_plan_is_regular (groups, frame->planes)) {
    launch->now = launch->copy;
    launch->loader = groups->extract.loader;
    launch->shift = 0;
    launch->word_mask = G_MAXUINT32;
    if (launch->loader != HISTO_LOADER_FIELDS)
      memset (launch->selectors, 0, sizeof launch->selectors);
    return;
  }
  if (groups->plan->needs_previous && frame->picture != 0)
    launch->flags |= HISTO_FLAG_COPY;
  for (guint c = 0; c < launch->n_components; c++) {
    const HistoPlane *plane = &frame->planes[groups->extract.components[c].plane];

    launch->now.data[c] = plane->data;
    launch->now.stride[c] = plane->stride;
  }
}

/* Blocks of the extraction that a multiprocessor has. */
#define EXTRACT_BLOCKS 4

/**
 * histo_cuda_plan_extract_frame:
 * @launch: (out): the parameters of the extraction
 * @grid: (out):
 *
 * Returns: whether the frame needs an extraction; else nothing is set
 */
gboolean
histo_cuda_plan_extract_frame (const HistoCudaGroupsPlan * groups,
    const HistoCudaGroupsFrame * frame, HistoExtractLaunch * launch,
    HistoCudaGrid * grid)
{
  const HistoFormat *format = groups->plan->format;
  const guint64 quads = ((guint64) format->width + 3) / 4 * format->height;

  if (histo_cuda_plan_is_regular (groups, frame->planes))
    return FALSE;
  *launch = groups->extract;
  memcpy (launch->planes, frame->planes, sizeof launch->planes);
  place_picture (groups, frame->picture, &launch->picture);
  *grid = (HistoCudaGrid) {
    .blocks = MIN ((quads + HISTO_EXTRACT_THREADS - 1) / HISTO_EXTRACT_THREADS,
        (guint64) EXTRACT_BLOCKS * groups->limits.n_multiprocessors),
    .channel_blocks = 1,
    .buffers = 1,
    .threads = HISTO_EXTRACT_THREADS,
  };
  return TRUE;
}
