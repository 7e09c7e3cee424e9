/* Explains differences; see explain.h.
 *
 * A candidate predicts B of A. Those whose numbers must be found (a shift, a gain, a blur) are estimated in each frame that is
 * looked at, and tried in this frame and in those that follow.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/explain.h"

#include <math.h>
#include <string.h>

#include "compare/signature.h"

/* A later change is claimed in place of an earlier one if its error is so much less. */
#define CLEARLY_BETTER 2
/* Less is no error. */
#define LEAST_ERROR 1e-12
/* Candidates that are tried. */
#define MOST_CANDIDATES 64
/* So many of the best are tried with each pair that is not looked at, until one fits. */
#define N_LEADERS 2
/* Shifts are looked for so far, in pixels. */
#define MOST_SHIFT 32
/* A blur has so many pixels beside its centre. */
#define RADIUS 4
#define N_WEIGHTS ((RADIUS + 1) * (RADIUS + 1))
/* Of taller pictures, a part of the rows is looked at: these groups of rows. Each row of cells has one. */
#define GROUP 2
#define MOST_GROUPS 192
#define MOST_CHECKED_GROUPS REPORT_SIGNATURE_SIDE
/* The weights of a blur are found with so many samples. */
#define MOST_SAMPLES 40000

const gchar *const report_change_names[REPORT_N_CHANGES] = {
#define NAME(identifier, name, ...) name,
  REPORT_CHANGES (NAME)
#undef NAME
};

static const gchar *const change_texts[REPORT_N_CHANGES] = {
#define TEXT(identifier, name, text) text,
  REPORT_CHANGES (TEXT)
#undef TEXT
};

/* Luma of red and blue. */
typedef struct
{
  const gchar *name;
  gdouble red, blue;
} Matrix;

static const Matrix matrices[] = {
  {"BT.601", 0.299, 0.114},
  {"BT.709", 0.2126, 0.0722},
  {"BT.2020", 0.2627, 0.0593},
};

typedef struct
{
  guint id;
  ReportChange change;
  gint dx, dy;                  /* SHIFTED; of swapped components: which; of fields: the first row of those that are A's own */
  gdouble gain[HISTO_MAX_COMPONENTS], offset[HISTO_MAX_COMPONENTS];
  guint from, to;               /* MATRIX: which; RANGE: from = 0: A is full */
  gdouble weights[N_WEIGHTS];   /* BLURRED, SHARPENED: [y][x], of pixels at ±y and ±x together */
  gboolean is_found;            /* its numbers were found in a pair */
  guint64 n_tried, n_fit;       /* pairs */
  guint n_looks, n_frames;      /* pairs that were looked at: all, and those that it fits */
  gdouble error, error_before;  /* sums of mean squared errors of the latter, in the square of the greatest sample */
  gboolean is_luma;             /* it was tried with the first component alone */
} Candidate;

/* What a candidate leaves of the difference of a pair: mean squared errors with it and without it, as shares of the square of
 * the greatest sample, and sums of luma in each cell of signatures, as shares of the greatest sample. */
typedef struct
{
  gdouble after, before;
  gdouble sums[REPORT_SIGNATURE_CELLS];
  guint n[REPORT_SIGNATURE_CELLS];
} Errors;

struct _ReportExplainer
{
  GArray *candidates;           /* (element-type Candidate) */
  GArray *trials;               /* (element-type ReportTrial): of all pairs */
  guint n_ids;
  guint n_looks, n_checked;
  const gchar *names[HISTO_MAX_COMPONENTS];     /* of the components */
  GArray *mean_differences;     /* (element-type gdouble): of each pair that was looked at, of its worst component, in code values of 8 bits */
};

/* What is looked at now. */
typedef struct
{
  const HistoComparedPicture *a, *b, *before, *after;
  const HistoFormat *format;
  guint group_step, group;      /* each so many groups of rows, from this one on */
  gfloat *row, *other;          /* room for a row */
} Look;

/* ---- Samples ------------------------------------------------------------------------------------- */

static guint
width_of (const HistoFormat * format, guint c)
{
  return GST_VIDEO_SUB_SCALE (format->video.finfo->w_sub[c], format->width);
}

static guint
height_of (const HistoFormat * format, guint c)
{
  return GST_VIDEO_SUB_SCALE (format->video.finfo->h_sub[c], format->height);
}

static gdouble
max_of (const HistoFormat * format, guint c)
{
  return (gdouble) ((1u << format->components[c].depth) - 1);
}

static inline gdouble
get (const HistoComparedPicture * picture, guint c, guint x, guint y)
{
  const HistoPlane *plane = &picture->planes[c];
  const guint8 *row = (const guint8 *) (guintptr) plane->data + (gssize) y * plane->stride;

  return picture->regular.is_wide ? ((const guint16 *) row)[x] & ((1u << picture->format->components[c].depth) - 1) : row[x];
}

static void
read_row (const HistoComparedPicture * picture, guint c, guint y, gfloat * to)
{
  const HistoPlane *plane = &picture->planes[c];
  const guint8 *row = (const guint8 *) (guintptr) plane->data + (gssize) y * plane->stride;
  const guint16 *words = (const guint16 *) row;
  const guint width = width_of (picture->format, c), mask = (1u << picture->format->components[c].depth) - 1;

  if (picture->regular.is_wide) {
    for (guint x = 0; x < width; x++)
      to[x] = (gfloat) (words[x] & mask);
  } else {
    for (guint x = 0; x < width; x++)
      to[x] = row[x];
  }
}

/* Whether a row is one of those that are looked at. */
static gboolean
is_looked_at (const Look * look, guint y)
{
  return y / GROUP % look->group_step == look->group;
}

/* ---- Predictions --------------------------------------------------------------------------------- */

static void
read_mirrored (const HistoComparedPicture * picture, guint c, guint y, gfloat * to)
{
  const guint width = width_of (picture->format, c);

  read_row (picture, c, y, to);
  for (guint x = 0; x < width / 2; x++) {
    const gfloat sample = to[x];

    to[x] = to[width - 1 - x];
    to[width - 1 - x] = sample;
  }
}

static void
read_column (const HistoComparedPicture * picture, guint c, guint x, gboolean is_upward, gfloat * to)
{
  const guint height = height_of (picture->format, c);

  for (guint y = 0; y < height; y++)
    to[y] = (gfloat) get (picture, c, x, is_upward ? height - 1 - y : y);
}

/* Convolves a row with the weights. */
static void
blur_row (const HistoComparedPicture * picture, const gdouble * weights, guint c, guint y, gfloat * to)
{
  const guint width = width_of (picture->format, c), height = height_of (picture->format, c);

  for (guint x = 0; x < width; x++) {
    gdouble sum = 0;

    for (guint j = 0; j <= RADIUS; j++) {
      const guint above = y >= j ? y - j : 0, below = MIN (y + j, height - 1);

      for (guint i = 0; i <= RADIUS; i++) {
        const guint left = x >= i ? x - i : 0, right = MIN (x + i, width - 1);

        sum += weights[j * (RADIUS + 1) + i] * (get (picture, c, left, above) + get (picture, c, right, above)
            + get (picture, c, left, below) + get (picture, c, right, below)) / 4;
      }
    }
    to[x] = (gfloat) sum;
  }
}

/* Reads the row of A that the candidate takes for a row of B. @to: (out): width_of() samples */
static void
predict (const Look * look, const Candidate * candidate, guint c, guint y, gfloat * to)
{
  const guint width = width_of (look->format, c), height = height_of (look->format, c);
  const gint dx = candidate->dx / (1 << look->format->video.finfo->w_sub[c]);
  const gint dy = candidate->dy / (1 << look->format->video.finfo->h_sub[c]);
  const gint max = (gint) max_of (look->format, c);

  switch (candidate->change) {
    case REPORT_CHANGE_MIRRORED:
      read_mirrored (look->a, c, y, to);
      return;
    case REPORT_CHANGE_FLIPPED:
      read_row (look->a, c, height - 1 - y, to);
      return;
    case REPORT_CHANGE_ROTATED_180:
      read_mirrored (look->a, c, height - 1 - y, to);
      return;
    case REPORT_CHANGE_ROTATED_90:
      read_column (look->a, c, y, TRUE, to);
      return;
    case REPORT_CHANGE_ROTATED_270:
      read_column (look->a, c, width - 1 - y, FALSE, to);
      return;
    case REPORT_CHANGE_SWAPPED_ROWS:
      read_row (look->a, c, MIN (y ^ 1, height - 1), to);
      return;
    case REPORT_CHANGE_FIELD_BEFORE:
      read_row ((gint) (y & 1) == candidate->dy ? look->a : look->before, c, y, to);
      return;
    case REPORT_CHANGE_FIELD_AFTER:
      read_row ((gint) (y & 1) == candidate->dy ? look->a : look->after, c, y, to);
      return;
    case REPORT_CHANGE_SWAPPED_COMPONENTS:
      read_row (look->a, c == candidate->from ? candidate->to : c == candidate->to ? candidate->from : c, y, to);
      return;
    case REPORT_CHANGE_SHIFTED:
      read_row (look->a, c, CLAMP ((gint) y - dy, 0, (gint) height - 1), look->other);
      for (guint x = 0; x < width; x++)
        to[x] = look->other[CLAMP ((gint) x - dx, 0, (gint) width - 1)];
      return;
    case REPORT_CHANGE_OFFSET:
    case REPORT_CHANGE_RANGE:
    case REPORT_CHANGE_GAIN:
      read_row (look->a, c, y, to);
      for (guint x = 0; x < width; x++)
        to[x] = CLAMP (rintf ((gfloat) (candidate->gain[c] * to[x] + candidate->offset[c])), 0, (gfloat) max);
      return;
    case REPORT_CHANGE_BLURRED:
    case REPORT_CHANGE_SHARPENED:
      blur_row (look->a, candidate->weights, c, y, to);
      for (guint x = 0; x < width; x++)
        to[x] = CLAMP (rintf (to[x]), 0, (gfloat) max);
      return;
    case REPORT_CHANGE_MATRIX:
    case REPORT_N_CHANGES:
      break;
  }
  read_row (look->a, c, y, to);
}

/* Whether a candidate is tried with the first component alone. */
static gboolean
is_of_luma (const HistoFormat * format, const Candidate * candidate)
{
  switch (candidate->change) {
    case REPORT_CHANGE_SHIFTED:
      return candidate->dx % (1 << format->chroma_w_sub) != 0 || candidate->dy % (1 << format->chroma_h_sub) != 0;
    case REPORT_CHANGE_BLURRED:
    case REPORT_CHANGE_SHARPENED:
      return TRUE;
    default:
      return FALSE;
  }
}

/* @x, @y: of a picture of so many samples */
static inline void
add_to_cell (Errors * errors, guint x, guint y, guint width, guint height, gdouble difference)
{
  const guint cell = (guint) ((guint64) y * REPORT_SIGNATURE_SIDE / height * REPORT_SIGNATURE_SIDE
      + (guint64) x * REPORT_SIGNATURE_SIDE / width);

  errors->sums[cell] += difference;
  errors->n[cell]++;
}

/* At the edges a shift leaves out twice its length: nobody knows what came in there. @errors: (out): filled with zeros */
static void
find_errors (const Look * look, const Candidate * candidate, Errors * errors)
{
  const HistoFormat *format = look->format;
  const guint n_components = is_of_luma (format, candidate) ? 1 : format->n_components;
  const gboolean is_shift = candidate->change == REPORT_CHANGE_SHIFTED;
  const gboolean is_blur = candidate->change == REPORT_CHANGE_BLURRED || candidate->change == REPORT_CHANGE_SHARPENED;
  gdouble sums[2] = { 0, 0 };
  guint64 n = 0;

  for (guint c = 0; c < n_components; c++) {
    const guint width = width_of (format, c), height = height_of (format, c);
    const guint margin_x = is_blur ? RADIUS : is_shift ? 2 * (guint) ABS (candidate->dx) >> format->video.finfo->w_sub[c] : 0;
    const guint margin_y = is_blur ? RADIUS : is_shift ? 2 * (guint) ABS (candidate->dy) >> format->video.finfo->h_sub[c] : 0;
    const gdouble max = max_of (format, c);
    gdouble with = 0, without = 0;

    for (guint y = margin_y; y + margin_y < height; y++) {
      if (!is_looked_at (look, y))
        continue;
      predict (look, candidate, c, y, look->row);
      for (guint x = margin_x; x + margin_x < width; x++) {
        const gdouble b = get (look->b, c, x, y), a = get (look->a, c, x, y);

        if (c == 0)
          add_to_cell (errors, x, y, width, height, (look->row[x] - b) / max);
        with += (look->row[x] - b) * (look->row[x] - b);
        without += (a - b) * (a - b);
        n++;
      }
    }
    sums[0] += with / (max * max);
    sums[1] += without / (max * max);
  }
  errors->after = n > 0 ? sums[0] / (gdouble) n : 1;
  errors->before = n > 0 ? sums[1] / (gdouble) n : 1;
}

/* ---- Other matrices ------------------------------------------------------------------------------ */

/* Y, Cb and Cr of one matrix, Y from 0 to 1 and Cb and Cr from -1/2 to 1/2, become those of another one. */
static void
convert (const Matrix * from, const Matrix * to, gdouble yuv[3])
{
  const gdouble red = yuv[0] + 2 * (1 - from->red) * yuv[2], blue = yuv[0] + 2 * (1 - from->blue) * yuv[1];
  const gdouble green = (yuv[0] - from->red * red - from->blue * blue) / (1 - from->red - from->blue);

  yuv[0] = to->red * red + (1 - to->red - to->blue) * green + to->blue * blue;
  yuv[1] = (blue - yuv[0]) / (2 * (1 - to->blue));
  yuv[2] = (red - yuv[0]) / (2 * (1 - to->red));
}

/* The mean of luma over a sample of chroma. */
static gdouble
mean_luma (const HistoComparedPicture * picture, guint x, guint y)
{
  const HistoFormat *format = picture->format;
  const guint w = 1u << format->chroma_w_sub, h = 1u << format->chroma_h_sub;
  gdouble sum = 0;

  for (guint j = 0; j < h; j++)
    for (guint i = 0; i < w; i++)
      sum += get (picture, 0, MIN (x * w + i, format->width - 1), MIN (y * h + j, format->height - 1));
  return sum / (w * h);
}

/* The same as find_errors(). Matrices are linear, so that means of luma can be converted; samples that were clipped are not. */
static void
find_matrix_errors (const Look * look, const Candidate * candidate, Errors * errors)
{
  const HistoFormat *format = look->format;
  const gdouble scale = max_of (format, 0) / 255;
  const gboolean is_full = format->video.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255;
  const gdouble black = is_full ? 0 : 16 * scale, luma = (is_full ? 255 : 219) * scale;
  const gdouble chroma = (is_full ? 255 : 224) * scale, middle = (gdouble) (1u << (format->components[1].depth - 1));
  guint64 n = 0;

  for (guint y = 0; y < height_of (format, 1); y++) {
    if (!is_looked_at (look, y))
      continue;
    for (guint x = 0; x < width_of (format, 1); x++, n += 3) {
      const gdouble a[3] = { mean_luma (look->a, x, y), get (look->a, 1, x, y), get (look->a, 2, x, y) };
      const gdouble b[3] = { mean_luma (look->b, x, y), get (look->b, 1, x, y), get (look->b, 2, x, y) };
      gdouble yuv[3] = { (a[0] - black) / luma, (a[1] - middle) / chroma, (a[2] - middle) / chroma };
      gdouble predicted[3];

      convert (&matrices[candidate->from], &matrices[candidate->to], yuv);
      predicted[0] = yuv[0] * luma + black;
      predicted[1] = yuv[1] * chroma + middle;
      predicted[2] = yuv[2] * chroma + middle;
      add_to_cell (errors, x, y, width_of (format, 1), height_of (format, 1), (predicted[0] - b[0]) / max_of (format, 0));
      for (guint c = 0; c < 3; c++) {
        errors->after += (predicted[c] - b[c]) * (predicted[c] - b[c]);
        errors->before += (a[c] - b[c]) * (a[c] - b[c]);
      }
    }
  }
  errors->after /= (gdouble) n * max_of (format, 0) * max_of (format, 0);
  errors->before /= (gdouble) n * max_of (format, 0) * max_of (format, 0);
}

/* ---- Estimates ----------------------------------------------------------------------------------- */

static gboolean
is_equal_candidate (const Candidate * one, const Candidate * other)
{
  gboolean same = one->change == other->change && one->dx == other->dx && one->dy == other->dy && one->from == other->from
      && one->to == other->to;

  if (one->change == REPORT_CHANGE_BLURRED || one->change == REPORT_CHANGE_SHARPENED)
    return FALSE;
  for (guint c = 0; c < HISTO_MAX_COMPONENTS && same; c++)
    same = fabs (one->gain[c] - other->gain[c]) < 1e-3 && fabs (one->offset[c] - other->offset[c]) < 0.25;
  return same;
}

static void
add_candidate (ReportExplainer * explainer, const Candidate * candidate)
{
  for (guint i = 0; i < explainer->candidates->len; i++) {
    if (is_equal_candidate (&g_array_index (explainer->candidates, Candidate, i), candidate))
      return;
  }
  if (explainer->candidates->len >= MOST_CANDIDATES)
    return;
  g_array_append_val (explainer->candidates, *candidate);
  g_array_index (explainer->candidates, Candidate, explainer->candidates->len - 1).id = explainer->n_ids++;
}

static void
add_plain (ReportExplainer * explainer, ReportChange change, gint dy)
{
  const Candidate candidate = {.change = change,.dy = dy };

  add_candidate (explainer, &candidate);
}

/* Adds those that need no numbers. */
static void
add_fixed (ReportExplainer * explainer, const Look * look)
{
  const HistoFormat *format = look->format;
  const gboolean is_yuv = format->colors == HISTO_COLORS_YUV && format->n_components >= 3;

  add_plain (explainer, REPORT_CHANGE_MIRRORED, 0);
  add_plain (explainer, REPORT_CHANGE_FLIPPED, 0);
  add_plain (explainer, REPORT_CHANGE_ROTATED_180, 0);
  add_plain (explainer, REPORT_CHANGE_SWAPPED_ROWS, 0);
  if (format->width == format->height && format->chroma_w_sub == format->chroma_h_sub) {
    add_plain (explainer, REPORT_CHANGE_ROTATED_90, 0);
    add_plain (explainer, REPORT_CHANGE_ROTATED_270, 0);
  }
  for (gint row = 0; row < 2; row++) {
    if (look->before != NULL)
      add_plain (explainer, REPORT_CHANGE_FIELD_BEFORE, row);
    if (look->after != NULL)
      add_plain (explainer, REPORT_CHANGE_FIELD_AFTER, row);
  }
  for (guint i = 0; format->n_components >= 3 && i < 3; i++) {
    for (guint k = i + 1; k < 3; k++) {
      const Candidate candidate = {.change = REPORT_CHANGE_SWAPPED_COMPONENTS,.from = i,.to = k };

      if (width_of (format, i) == width_of (format, k) && height_of (format, i) == height_of (format, k))
        add_candidate (explainer, &candidate);
    }
  }
  for (guint i = 0; is_yuv && i < G_N_ELEMENTS (matrices); i++) {
    for (guint k = 0; k < G_N_ELEMENTS (matrices); k++) {
      const Candidate candidate = {.change = REPORT_CHANGE_MATRIX,.from = i,.to = k };

      if (i != k)
        add_candidate (explainer, &candidate);
    }
  }
  for (guint from = 0; is_yuv && from < 2; from++) {
    Candidate candidate = {.change = REPORT_CHANGE_RANGE,.from = from };

    for (guint c = 0; c < format->n_components; c++) {
      const gdouble scale = max_of (format, c) / 255, middle = (gdouble) (1u << (format->components[c].depth - 1));
      const gdouble gain = c == 0 ? 219. / 255 : c < 3 ? 224. / 255 : 1;
      const gdouble from_zero = c == 0 ? 0 : c < 3 ? middle : 0, to_zero = c == 0 ? 16 * scale : from_zero;

      candidate.gain[c] = from == 0 ? gain : 1 / gain;
      candidate.offset[c] = from == 0 ? to_zero - gain * from_zero : from_zero - to_zero / gain;
    }
    add_candidate (explainer, &candidate);
  }
}

/* Fits lines of B's samples over those of A: an offset, and a gain. */
static void
add_lines (ReportExplainer * explainer, const Look * look)
{
  const HistoFormat *format = look->format;
  Candidate offset = {.change = REPORT_CHANGE_OFFSET,.is_found = TRUE }, gain = {.change = REPORT_CHANGE_GAIN,.is_found = TRUE };
  gboolean has_offset = FALSE;
  gdouble most = 0;

  for (guint c = 0; c < format->n_components; c++) {
    gdouble n = 0, a = 0, b = 0, squares = 0, products = 0, variance;

    for (guint y = 0; y < height_of (format, c); y++) {
      if (!is_looked_at (look, y))
        continue;
      read_row (look->a, c, y, look->row);
      read_row (look->b, c, y, look->other);
      for (guint x = 0; x < width_of (format, c); x++) {
        const gdouble one = look->row[x], other = look->other[x];

        n++;
        a += one;
        b += other;
        squares += one * one;
        products += one * other;
      }
    }
    variance = squares / n - a / n * (a / n);
    most = MAX (most, fabs (b - a) / n * 255 / max_of (format, c));
    offset.gain[c] = 1;
    offset.offset[c] = rint ((b - a) / n);
    has_offset = has_offset || offset.offset[c] != 0;
    gain.gain[c] = variance > 0 ? (products / n - a / n * (b / n)) / variance : 1;
    gain.offset[c] = b / n - gain.gain[c] * a / n;
  }
  g_array_append_val (explainer->mean_differences, most);
  if (has_offset)
    add_candidate (explainer, &offset);
  add_candidate (explainer, &gain);
}

/* Sums the rows or the columns of luma. @sums: (out): @n numbers */
static void
sum_lines (const HistoComparedPicture * picture, gboolean of_columns, gfloat * row, gdouble * sums, guint n)
{
  const guint width = picture->format->width;

  memset (sums, 0, n * sizeof *sums);
  for (guint y = 0; y < picture->format->height; y++) {
    read_row (picture, 0, y, row);
    for (guint x = 0; x < width; x++)
      sums[of_columns ? x : y] += row[x];
  }
}

/* Returns: by how many lines B is moved to higher ones; 0: by none that is found */
static gint
find_shift (const Look * look, gboolean of_columns)
{
  const guint n = of_columns ? look->format->width : look->format->height;
  const gint most = MIN (MOST_SHIFT, (gint) n / 8);
  g_autofree gdouble *a = g_new (gdouble, n), *b = g_new (gdouble, n);
  gdouble least = G_MAXDOUBLE;
  gint best = 0;

  sum_lines (look->a, of_columns, look->row, a, n);
  sum_lines (look->b, of_columns, look->row, b, n);
  for (gint k = 0; k <= 2 * most; k++) {
    /* 0, -1, 1, -2, … */
    const gint shift = k % 2 == 0 ? k / 2 : -(k + 1) / 2;
    gdouble sum = 0;

    for (gint i = most; i < (gint) n - most; i++)
      sum += fabs (b[i] - a[i - shift]);
    if (sum < least) {
      least = sum;
      best = shift;
    }
  }
  return best;
}

static void
add_shifts (ReportExplainer * explainer, const Look * look)
{
  Candidate candidate = {.change = REPORT_CHANGE_SHIFTED,.is_found = TRUE };
  const gint dx = find_shift (look, TRUE), dy = find_shift (look, FALSE);

  for (guint i = 1; i < 4; i++) {
    candidate.dx = (i & 1) != 0 ? dx : 0;
    candidate.dy = (i & 2) != 0 ? dy : 0;
    if (candidate.dx != 0 || candidate.dy != 0)
      add_candidate (explainer, &candidate);
  }
}

/* Solves a system with a symmetric positive matrix, in place. Returns: FALSE: it has no single solution */
static gboolean
solve (gdouble matrix[N_WEIGHTS][N_WEIGHTS], gdouble vector[N_WEIGHTS])
{
  for (guint i = 0; i < N_WEIGHTS; i++) {
    if (matrix[i][i] <= 1e-9)
      return FALSE;
    for (guint k = i + 1; k < N_WEIGHTS; k++) {
      const gdouble factor = matrix[k][i] / matrix[i][i];

      for (guint j = i; j < N_WEIGHTS; j++)
        matrix[k][j] -= factor * matrix[i][j];
      vector[k] -= factor * vector[i];
    }
  }
  for (guint i = N_WEIGHTS; i-- > 0;) {
    for (guint j = i + 1; j < N_WEIGHTS; j++)
      vector[i] -= matrix[i][j] * vector[j];
    vector[i] /= matrix[i][i];
  }
  return TRUE;
}

/* Fits the weights of a filter that makes B of A by least squares. It is tried with other samples than these, too. */
static void
add_blur (ReportExplainer * explainer, const Look * look)
{
  const guint width = look->format->width, height = look->format->height;
  gdouble matrix[N_WEIGHTS][N_WEIGHTS] = { { 0 } }, features[N_WEIGHTS], strength = 0;
  Candidate candidate = {.change = REPORT_CHANGE_BLURRED,.is_found = TRUE };
  guint step;

  if (width <= 4 * RADIUS || height <= 4 * RADIUS)
    return;
  /* One that fits so far is enough: to try it takes long. */
  for (guint i = 0; i < explainer->candidates->len; i++) {
    const Candidate *earlier = &g_array_index (explainer->candidates, Candidate, i);

    if ((earlier->change == REPORT_CHANGE_BLURRED || earlier->change == REPORT_CHANGE_SHARPENED)
        && 2 * earlier->n_fit > earlier->n_tried)
      return;
  }
  step = (guint) ceil (sqrt ((gdouble) width * height / MOST_SAMPLES));
  step = MAX (step, 2) | 1;
  for (guint y = RADIUS; y + RADIUS < height; y += step) {
    for (guint x = RADIUS; x + RADIUS < width; x += step) {
      const gdouble b = get (look->b, 0, x, y);

      for (guint j = 0; j <= RADIUS; j++)
        for (guint i = 0; i <= RADIUS; i++)
          features[j * (RADIUS + 1) + i] = (get (look->a, 0, x - i, y - j) + get (look->a, 0, x + i, y - j)
              + get (look->a, 0, x - i, y + j) + get (look->a, 0, x + i, y + j)) / 4;
      for (guint i = 0; i < N_WEIGHTS; i++) {
        for (guint k = i; k < N_WEIGHTS; k++)
          matrix[i][k] += features[i] * features[k];
        candidate.weights[i] += features[i] * b;
      }
    }
  }
  for (guint i = 0; i < N_WEIGHTS; i++) {
    /* Flat pictures leave the weights open. */
    matrix[i][i] *= 1 + 1e-9;
    for (guint k = 0; k < i; k++)
      matrix[i][k] = matrix[k][i];
  }
  if (!solve (matrix, candidate.weights))
    return;
  /* The weights of white noise: below 1 it loses detail. */
  for (guint i = 0; i < N_WEIGHTS; i++)
    strength += candidate.weights[i] * candidate.weights[i] / ((i % (RADIUS + 1) > 0 ? 2 : 1) * (i > RADIUS ? 2 : 1));
  candidate.change = strength < 1 ? REPORT_CHANGE_BLURRED : REPORT_CHANGE_SHARPENED;
  add_candidate (explainer, &candidate);
}

/* ---- The explainer ------------------------------------------------------------------------------- */

/* @error: as a share of the square of the greatest sample
 *
 * Returns: in dB, at most that of LEAST_ERROR */
gdouble
report_explain_psnr (gdouble error)
{
  return -10 * log10 (MAX (error, LEAST_ERROR));
}

/* Returns: the greatest mean difference of a cell, in code values of 8 bits */
static gdouble
peak_of (const Errors * errors)
{
  gdouble peak = 0;

  for (guint i = 0; i < REPORT_SIGNATURE_CELLS; i++)
    peak = MAX (peak, errors->n[i] > 0 ? fabs (errors->sums[i]) / errors->n[i] : 0);
  return 255 * peak;
}

/* Whether a candidate explains the difference of a pair. @is_look: the errors count */
static gboolean
try (ReportExplainer * explainer, const Look * look, Candidate * candidate, gboolean is_look, ReportExplained * explained)
{
  Errors errors = { 0 };
  ReportTrial trial;
  gdouble gain;
  gboolean fits;

  /* These need what is not always there. */
  if ((candidate->change == REPORT_CHANGE_FIELD_BEFORE && look->before == NULL)
      || (candidate->change == REPORT_CHANGE_FIELD_AFTER && look->after == NULL))
    return FALSE;
  if (candidate->change == REPORT_CHANGE_MATRIX)
    find_matrix_errors (look, candidate, &errors);
  else
    find_errors (look, candidate, &errors);
  trial = (ReportTrial) { candidate->id, is_look, (gfloat) errors.after, (gfloat) errors.before, (gfloat) peak_of (&errors) };
  gain = report_explain_psnr (errors.after) - report_explain_psnr (errors.before);
  fits = gain >= REPORT_EXPLAIN_GAIN || (report_explain_psnr (errors.after) >= REPORT_EXPLAIN_PSNR && gain >= 0);
  candidate->is_luma = is_of_luma (look->format, candidate);
  candidate->n_tried++;
  candidate->n_fit += fits;
  candidate->n_looks += is_look;
  g_array_append_val (explainer->trials, trial);
  explained->n++;
  if (fits && is_look) {
    candidate->n_frames++;
    candidate->error += errors.after;
    candidate->error_before += errors.before;
  }
  return fits;
}

static Look
begin_look (const HistoComparedPicture * a, const HistoComparedPicture * b, const HistoComparedPicture * before,
    const HistoComparedPicture * after, guint most_groups)
{
  const HistoFormat *format = a->format;
  const guint room = MAX (format->width, format->height);

  return (Look) { a, b, before, after, format, MAX (format->height / GROUP / most_groups, 1), 0, g_new (gfloat, room), g_new (gfloat, room) };
}

static void
end_look (Look * look)
{
  g_free (look->row);
  g_free (look->other);
}

/**
 * report_explainer_add:
 * @a, @b: pictures that are not equal: mapped, and alike
 * @before, @after: (nullable): the ones before and behind @a, if they are alike
 *
 * Looks at a pair of frames for any change.
 *
 * Returns: what the changes leave
 */
ReportExplained
report_explainer_add (ReportExplainer * explainer, const HistoComparedPicture * a, const HistoComparedPicture * b,
    const HistoComparedPicture * before, const HistoComparedPicture * after)
{
  const HistoFormat *format = a->format;
  const guint n_before = explainer->candidates->len;
  Look look = begin_look (a, b, before, after, MOST_GROUPS);
  ReportExplained explained = { explainer->trials->len, 0 };

  add_fixed (explainer, &look);
  add_lines (explainer, &look);
  add_shifts (explainer, &look);
  add_blur (explainer, &look);
  for (guint c = 0; c < format->n_components; c++)
    explainer->names[c] = format->components[c].name;
  for (guint i = 0; i < explainer->candidates->len; i++)
    try (explainer, &look, &g_array_index (explainer->candidates, Candidate, i), TRUE, &explained);
  /* What does not even fit the pair in which it was found is forgotten. */
  for (guint i = explainer->candidates->len; i-- > n_before;) {
    const Candidate *candidate = &g_array_index (explainer->candidates, Candidate, i);

    if (candidate->is_found && candidate->n_fit == 0)
      g_array_remove_index (explainer->candidates, i);
  }
  explainer->n_looks++;
  end_look (&look);
  return explained;
}

/* Whether a candidate explains better than another one. Of two that explain alike it is the first one. */
static gboolean
is_preferred (const Candidate * candidate, const Candidate * other)
{
  const gdouble one = report_explain_psnr (candidate->error / candidate->n_frames);
  const gdouble two = report_explain_psnr (other->error / other->n_frames);

  return candidate->change < other->change ? one > two - CLEARLY_BETTER : one > two + CLEARLY_BETTER;
}

/* @n_excluded: pairs that no change can explain
 *
 * Returns: whether the candidate fits most of the pairs with which it was tried, and is worth a word */
static gboolean
fits_most (const ReportExplainer * explainer, const Candidate * candidate, guint64 n_excluded)
{
  return 2 * candidate->n_looks > explainer->n_looks && 2 * candidate->n_fit > candidate->n_tried + n_excluded && candidate->n_frames > 0
      && report_explain_psnr (candidate->error) >= report_explain_psnr (candidate->error_before) + REPORT_EXPLAIN_GAIN;
}

/* Returns: (nullable): the best one of those that fit most pairs. @but: (nullable): is left out */
static Candidate *
find_leader (const ReportExplainer * explainer, guint64 n_excluded, const Candidate * but)
{
  Candidate *best = NULL;

  for (guint i = 0; i < explainer->candidates->len; i++) {
    Candidate *candidate = &g_array_index (explainer->candidates, Candidate, i);

    if (candidate != but && fits_most (explainer, candidate, n_excluded) && (best == NULL || is_preferred (candidate, best)))
      best = candidate;
  }
  return best;
}

/**
 * report_explainer_check:
 *
 * The same as report_explainer_add(), but tries only the changes that fit best so far, with some rows. Other rows of the next pair.
 */
ReportExplained
report_explainer_check (ReportExplainer * explainer, const HistoComparedPicture * a, const HistoComparedPicture * b,
    const HistoComparedPicture * before, const HistoComparedPicture * after)
{
  Look look = begin_look (a, b, before, after, MOST_CHECKED_GROUPS);
  ReportExplained explained = { explainer->trials->len, 0 };
  Candidate *leader = NULL;

  look.group = explainer->n_checked++ % look.group_step;
  for (guint i = 0; i < N_LEADERS; i++) {
    leader = find_leader (explainer, 0, leader);
    if (leader == NULL || try (explainer, &look, leader, FALSE, &explained))
      break;
  }
  end_look (&look);
  return explained;
}

/* @names: of the components
 *
 * Returns: (transfer full): what the candidate says, with its numbers */
static gchar *
describe (const Candidate * candidate, const gchar * const *names)
{
  const gchar *separator = ": ";
  GString *text = g_string_new (change_texts[candidate->change]);

  switch (candidate->change) {
    case REPORT_CHANGE_SHIFTED:
      g_string_append_printf (text, " by (%d, %d) pixels", candidate->dx, candidate->dy);
      break;
    case REPORT_CHANGE_SWAPPED_COMPONENTS:
      g_string_append_printf (text, ": %s and %s", names[candidate->from], names[candidate->to]);
      break;
    case REPORT_CHANGE_MATRIX:
      g_string_append_printf (text, ": %s is converted to %s", matrices[candidate->from].name, matrices[candidate->to].name);
      break;
    case REPORT_CHANGE_RANGE:
      g_string_append (text, candidate->from == 0 ? ": full range is converted to limited range" :
          ": limited range is converted to full range");
      break;
    case REPORT_CHANGE_OFFSET:
    case REPORT_CHANGE_GAIN:
      for (guint c = 0; c < HISTO_MAX_COMPONENTS && names[c] != NULL; c++) {
        const gboolean has_gain = candidate->change == REPORT_CHANGE_GAIN && fabs (candidate->gain[c] - 1) > 1e-4;

        if (!has_gain && fabs (candidate->offset[c]) < 0.05)
          continue;
        g_string_append_printf (text, "%s%s", separator, names[c]);
        separator = ", ";
        if (has_gain)
          g_string_append_printf (text, " x %.4g", candidate->gain[c]);
        g_string_append_printf (text, " %+.4g", candidate->offset[c]);
      }
      break;
    default:
      break;
  }
  return g_string_free (text, FALSE);
}

/**
 * report_explainer_claim:
 * @n_excluded: pairs that differ, and that no change can explain
 * @explanation: (out): to be cleared with report_explanation_clear(). report_explanation_count() fills in the rest
 *
 * Returns: FALSE if no change fits most pairs that differ
 */
gboolean
report_explainer_claim (const ReportExplainer * explainer, guint64 n_excluded, ReportExplanation * explanation)
{
  const Candidate *best = find_leader (explainer, n_excluded, NULL);

  memset (explanation, 0, sizeof *explanation);
  if (best == NULL)
    return FALSE;
  *explanation = (ReportExplanation) {
    .change = best->change,.text = describe (best, explainer->names),.dx = best->dx,.dy = best->dy,.is_to_limited = best->from == 0,
    .n_tried = best->n_tried,.id = best->id,.is_luma = best->is_luma
  };
  return TRUE;
}

/**
 * report_explanation_count:
 * @trials: (element-type ReportTrial): of this change, with pairs that are no misfits
 *
 * Fills in what it leaves of the difference.
 */
void
report_explanation_count (ReportExplanation * explanation, const GArray * trials)
{
  gdouble error = 0, error_before = 0;
  gboolean has_looks = FALSE;

  for (guint i = 0; i < trials->len; i++)
    has_looks = has_looks || g_array_index (trials, ReportTrial, i).is_look;
  for (guint i = 0; i < trials->len; i++) {
    const ReportTrial *trial = &g_array_index (trials, ReportTrial, i);

    /* Of the others there are only some rows. */
    if (has_looks && !trial->is_look)
      continue;
    error += trial->error;
    error_before += trial->error_before;
    explanation->n_frames++;
  }
  explanation->n_fit = trials->len;
  explanation->before = report_explain_psnr (error_before / MAX (explanation->n_frames, 1));
  explanation->after = error > LEAST_ERROR ? report_explain_psnr (error / explanation->n_frames) : INFINITY;
}

/* Returns: (nullable): the trial of a change with a pair; NULL: there was none */
const ReportTrial *
report_explainer_find (const ReportExplainer * explainer, const ReportExplained * explained, guint id)
{
  for (guint i = 0; i < explained->n; i++) {
    const ReportTrial *trial = &g_array_index (explainer->trials, ReportTrial, explained->first + i);

    if (trial->id == id)
      return trial;
  }
  return NULL;
}

static gint
by_number (gconstpointer one, gconstpointer other)
{
  const gdouble a = *(const gdouble *) one, b = *(const gdouble *) other;

  return a < b ? -1 : a > b;
}

/* Returns: the median of the pairs that were looked at: their greatest mean difference of a component, in code values of 8 bits */
gdouble
report_explainer_mean_difference (const ReportExplainer * explainer)
{
  g_array_sort (explainer->mean_differences, by_number);
  return explainer->mean_differences->len > 0 ?
      g_array_index (explainer->mean_differences, gdouble, explainer->mean_differences->len / 2) : 0;
}

void
report_explanation_clear (ReportExplanation * explanation)
{
  g_clear_pointer (&explanation->text, g_free);
}

ReportExplainer *
report_explainer_new (void)
{
  ReportExplainer *explainer = g_new0 (ReportExplainer, 1);

  explainer->candidates = g_array_new (FALSE, FALSE, sizeof (Candidate));
  explainer->trials = g_array_new (FALSE, FALSE, sizeof (ReportTrial));
  explainer->mean_differences = g_array_new (FALSE, FALSE, sizeof (gdouble));
  return explainer;
}

void
report_explainer_free (ReportExplainer * explainer)
{
  g_array_unref (explainer->candidates);
  g_array_unref (explainer->trials);
  g_array_unref (explainer->mean_differences);
  g_free (explainer);
}
