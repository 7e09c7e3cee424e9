/* Compares pictures; see pictures.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/pictures.h"

#include <math.h>
#include <string.h>

#include "base/describe.h"
#include "compare/comparer.h"

/* Frames of a film that wait, in bytes: 512 MB for both. */
#define MOST_BYTES (G_GUINT64_CONSTANT (256) << 20)
/* A stream may be so many frames ahead of what the alignment asks for. */
#define SLACK 2
/* A frame rate that is higher by more than this is another one: by the caps, and by the times of the first frames. Some
 * containers tell another rate than that of the frames (AVI). */
#define RATE_MARGIN 0.01
#define TIMES_MARGIN 0.025
#define N_RATE_FRAMES 6
/* How much the newest pair changes the usual distance of pairs. */
#define NEWEST 0.1
/* Pairs that are farther apart than this do not fit, in code values of 8 bits. */
#define MISFIT 4
/* Luma is flat if it has no greater range than this, and black up to this level: of limited range 16, and a little of a lossy codec.
 * In code values of 8 bits. */
#define FLAT 3
#define BLACK 18

/* A pair differs far more than others if a cell of its luma differs by more than this, in code values of 8 bits, and by so many times
 * the median of the pairs that differ, and if its PSNR is less than the median. A lossy codec keeps the means of cells, also at
 * cuts, in fades and in noise, where PSNR goes up and down. */
#define FAR_PEAK 16
#define FAR_FACTOR 5
/* If the median of PSNR is greater than this, nothing is lost in most pairs: then PSNR alone tells those that do not fit. */
#define EXACT_PSNR 90
/* A film stands still if meanwhile the other one moves by so many times more. */
#define STILL_FACTOR 3

typedef struct
{
  gint ref_count;
  GstBuffer *buffer;
  GstCaps *caps;
  HistoFormat *format;
  ReportPlace place;
  guint64 duration;             /* ns; 0: unknown; if the film states none, the shortest time between two frames so far */
  gboolean is_held;             /* it is equal to the frame before */
  ReportSignature signature;
} Frame;

typedef struct
{
  HistoComparedPicture picture; /* of the thread that gives the frames */
  guint64 origin;               /* stream time of the first frame; of this thread */
  guint64 n_seen;               /* of this thread */
  guint64 latest, shortest;     /* ns: time of the latest frame, and the shortest time between two; 0: unknown; of this thread */
  guint64 seen_hash;            /* of the latest frame; of this thread */
  /* Under the lock. */
  GPtrArray *frames;            /* (element-type Frame): that wait */
  guint64 n_bytes;              /* of these */
  gboolean has_ended;
  gboolean is_open;             /* it does not wait, and gives nothing any more */
  gboolean has_last;
  ReportSignature last;         /* of the frame before the first one that waits */
} Side;

/* A pair whose result has not come. */
typedef struct
{
  Frame *frames[2];
  ReportMomentKind moment;
  guint side;                   /* of which it is */
  ReportExplained explained;
  gfloat moved[2];
} Pending;

/* The pictures that are looked at to explain a difference. */
enum
{
  OF_A, OF_B, BEFORE_A, AFTER_A,
  N_LOOKED_AT
};

const gchar *const report_moment_names[REPORT_N_MOMENTS] = {
#define NAME(identifier, name, ...) name,
  REPORT_MOMENTS (NAME)
#undef NAME
};

const gchar *const report_moment_texts[REPORT_N_MOMENTS] = {
#define TEXT(identifier, name, text) text,
  REPORT_MOMENTS (TEXT)
#undef TEXT
};

struct _ReportPictures
{
  gchar *measures;
  gint64 begin;                 /* ns: the time in B at which A begins */
  gboolean is_lead;
  GThread *thread;
  ReportComparer *comparer;     /* of the thread */
  ReportExplainer *explainer;   /* of the thread */
  guint64 n_explained, n_excluded;      /* pairs so far that may be explained, and that no change can; of the thread */
  Frame *last;                  /* of A, in the latest pair; NULL: none; of the thread */
  HistoComparedPicture looked_at[N_LOOKED_AT];  /* of the thread */
  gdouble usual;                /* distance of pairs; negative: unknown; of the thread */
  gint64 shift;                 /* the latest one that was noted; of the thread */
  gint64 latest;                /* that of the latest pair; of the thread */
  GMutex lock;                  /* of what follows, and of the parts of sides */
  GCond changed;
  Side sides[2];
  guint wanted;                 /* frames of each side */
  gboolean has_begun;           /* the formats and rates of both have been compared */
  gboolean is_over;             /* no more is compared */
  GQueue pending;               /* (element-type Pending) */
  ReportPicturesResult result;
};

static void
frame_free (gpointer data)
{
  Frame *frame = data;

  if (!g_atomic_int_dec_and_test (&frame->ref_count))
    return;
  gst_buffer_unref (frame->buffer);
  gst_caps_unref (frame->caps);
  histo_format_unref (frame->format);
  g_free (frame);
}

static Frame *
frame_ref (Frame * frame)
{
  g_atomic_int_inc (&frame->ref_count);
  return frame;
}

static void
pending_free (Pending * pending)
{
  frame_free (pending->frames[0]);
  frame_free (pending->frames[1]);
  g_free (pending);
}

static void
clear_difference (gpointer data)
{
  ReportFrameDifference *difference = data;

  gst_clear_buffer (&difference->buffers[0]);
  gst_clear_buffer (&difference->buffers[1]);
  gst_clear_caps (&difference->caps[0]);
  gst_clear_caps (&difference->caps[1]);
}

/* Returns: a bit for each component. The picture has caps */
static guint
all_of (const HistoComparedPicture * picture)
{
  return (1u << picture->format->n_components) - 1;
}

/* ---- Results ------------------------------------------------------------------------------------- */

static void
add_components (ReportPicturesResult * result, const HistoComparison * comparison, const HistoFormat * format)
{
  const HistoComparedRegion *region = &comparison->regions[0];

  for (guint c = 0; c < region->n_components; c++) {
    const HistoComparedComponent *found = &region->components[c];
    ReportPicturesComponent *sum = &result->components[c];

    if (sum->name == NULL) {
      sum->name = g_strdup (found->name);
      sum->depth = format->components[c].depth;
      sum->least_psnr = sum->least_ssim = INFINITY;
    }
    sum->count += found->count;
    sum->different += found->different;
    sum->sse += found->sse;
    sum->max_difference = MAX (sum->max_difference, found->max_difference);
    sum->ssim += found->ssim;
    sum->least_psnr = MIN (sum->least_psnr, found->psnr);
    sum->least_ssim = MIN (sum->least_ssim, found->ssim);
    if (HISTO_COMPARES (comparison->measures, XPSNR) && !isnan (found->xpsnr)) {
      sum->xpsnr += found->xpsnr;
      sum->n_xpsnr++;
    }
  }
  result->n_components = region->n_components;
}

/* Makes a rectangle contain that of a pair. Its width is 0 if it contains nothing. */
static void
extend (guint * x, guint * y, guint * width, guint * height, const ReportFramePair * pair)
{
  const guint left = *width > 0 ? MIN (*x, pair->x) : pair->x, top = *width > 0 ? MIN (*y, pair->y) : pair->y;

  *width = MAX (*x + *width, pair->x + pair->width) - left;
  *height = MAX (*y + *height, pair->y + pair->height) - top;
  *x = left;
  *y = top;
}

static ReportFrameDifference
make_difference (const ReportFramePair * pair, const HistoComparedRegion * region, const Pending * pending)
{
  return (ReportFrameDifference) {
    *pair, region->x, region->y, region->width, region->height,
    { gst_buffer_ref (pending->frames[0]->buffer), gst_buffer_ref (pending->frames[1]->buffer) },
    { gst_caps_ref (pending->frames[0]->caps), gst_caps_ref (pending->frames[1]->caps) }
  };
}

/* Keeps the pair if it is one of the worst. */
static void
keep_worst (ReportPicturesResult * result, const ReportFramePair * pair, const HistoComparedRegion * region,
    const Pending * pending)
{
  ReportFrameDifference difference;
  guint place = result->worst->len;

  while (place > 0 && g_array_index (result->worst, ReportFrameDifference, place - 1).pair.psnr > pair->psnr)
    place--;
  if (place >= REPORT_PICTURES_WORST)
    return;
  difference = make_difference (pair, region, pending);
  g_array_insert_val (result->worst, place, difference);
  if (result->worst->len > REPORT_PICTURES_WORST)
    g_array_set_size (result->worst, REPORT_PICTURES_WORST);
}

/* Whether the cells have one level of luma. */
static gboolean
has_one_level (const ReportSignature * signature)
{
  for (guint i = 1; i < REPORT_SIGNATURE_CELLS; i++) {
    if (fabs (signature->cells[i] - signature->cells[0]) > FLAT)
      return FALSE;
  }
  return TRUE;
}

/* The result of the oldest pair that has none. */
static void
take_result (const GstStructure * structure, gpointer data)
{
  ReportPictures *pictures = data;
  ReportPicturesResult *result = &pictures->result;
  HistoComparison comparison = { 0 };
  const HistoComparedRegion *region;
  ReportFramePair pair;
  Pending *pending;

  g_mutex_lock (&pictures->lock);
  pending = g_queue_pop_head (&pictures->pending);
  if (pending != NULL && histo_comparison_read (structure, &comparison, NULL)) {
    region = &comparison.regions[0];
    pair = (ReportFramePair) {
      .a = pending->frames[0]->place,.b = pending->frames[1]->place,.psnr = (gfloat) region->psnr,.ssim = (gfloat) region->ssim,
      .moment = pending->moment,.side = pending->side,.explained = pending->explained,
      .after = (gfloat) region->psnr,.moved = { pending->moved[0], pending->moved[1] },
      .peak = (gfloat) report_signature_peak (&pending->frames[0]->signature, &pending->frames[1]->signature)
    };
    for (guint c = 0; c < region->n_components; c++)
      pair.share = MAX (pair.share, (gfloat) region->components[c].different / (gfloat) region->components[c].count);
    add_components (result, &comparison, pending->frames[0]->format);
    if (region->equal) {
      pair.psnr = INFINITY;
      result->n_equal++;
      result->n_kept += !has_one_level (&pending->frames[0]->signature);
    } else {
      pair.x = region->x;
      pair.y = region->y;
      pair.width = region->width;
      pair.height = region->height;
      if (result->worst->len == 0) {
        result->first = (ReportFrameDifference) { pair, region->x, region->y, region->width, region->height,
          { NULL, NULL }, { NULL, NULL } };
      }
      extend (&result->x, &result->y, &result->width_all, &result->height_all, &pair);
      keep_worst (result, &pair, region, pending);
    }
    g_array_append_val (result->pairs, pair);
  }
  g_mutex_unlock (&pictures->lock);
  histo_comparison_clear (&comparison);
  if (pending != NULL)
    pending_free (pending);
}

/* Returns: of the mean squared error of all pairs, in dB; infinite: there is no error */
gdouble
report_pictures_psnr (const ReportPicturesComponent * component)
{
  const gdouble max = (gdouble) ((1u << component->depth) - 1);

  return 10 * log10 (max * max * (gdouble) component->count / (gdouble) component->sse);
}

/* Returns: the same of all components, weighed by their samples, as FFmpeg's filter does */
gdouble
report_pictures_total_psnr (const ReportPicturesResult * result)
{
  gdouble sse = 0, count = 0, max = 0;

  for (guint c = 0; c < result->n_components; c++) {
    sse += (gdouble) result->components[c].sse;
    count += (gdouble) result->components[c].count;
    max += (gdouble) result->components[c].count * (gdouble) ((1u << result->components[c].depth) - 1);
  }
  return 10 * log10 (max / count * max / count * count / sse);
}

/* Returns: the mean of all pairs */
gdouble
report_pictures_total_ssim (const ReportPicturesResult * result)
{
  gdouble sum = 0;

  for (guint i = 0; i < result->pairs->len; i++)
    sum += g_array_index (result->pairs, ReportFramePair, i).ssim;
  return sum / result->pairs->len;
}

static gint
by_number (gconstpointer one, gconstpointer other)
{
  const gfloat a = *(const gfloat *) one, b = *(const gfloat *) other;

  return a < b ? -1 : a > b;
}

static gfloat
median_of (GArray * numbers)
{
  g_array_sort (numbers, by_number);
  return g_array_index (numbers, gfloat, numbers->len / 2);
}

/* If in a run of pairs one film hardly moves, and the other one does, it stands still. Behind the run it jumps to where the other one is,
 * which what comes over a still scene for a while does not. At the end of the films the other one must move on and on.
 *
 * @behind: (nullable): the pair behind the run; NULL: the films end
 *
 * Returns: the side; -1: none stands still */
static gint
find_still (const ReportFramePair * pairs, guint n, const ReportFramePair * behind)
{
  gfloat moved[2] = { 0, 0 }, most[2] = { 0, 0 };

  for (guint i = 0; i < n; i++) {
    for (guint side = 0; side < 2; side++) {
      moved[side] += pairs[i].moved[side];
      most[side] = MAX (most[side], pairs[i].moved[side]);
    }
  }
  for (gint side = 0; side < 2; side++) {
    const gint other = 1 - side;

    if (moved[other] > STILL_FACTOR * moved[side] && (behind != NULL ? behind->moved[side] > behind->moved[other] :
            moved[other] - most[other] > n * report_align_limit (0)))
      return side;
  }
  return -1;
}

/* Misfits in a row may be a film that stands still, although no frame of it is equal to the one before. */
static void
find_stills (ReportPicturesResult * result)
{
  ReportFramePair *pairs = (ReportFramePair *) result->pairs->data;
  const guint n = result->pairs->len;

  for (guint from = 0, to; from < n; from = to + 1) {
    gboolean has_misfits = FALSE;
    gint side;

    for (to = from; to < n && (pairs[to].moment == REPORT_MOMENT_STILL || pairs[to].moment == REPORT_MOMENT_MISFIT); to++)
      has_misfits = has_misfits || pairs[to].moment == REPORT_MOMENT_MISFIT;
    if (!has_misfits)
      continue;
    side = find_still (pairs + from, to - from, to < n ? &pairs[to] : NULL);
    for (guint i = from; i < to; i++) {
      pairs[i].moment = side >= 0 ? REPORT_MOMENT_STILL : REPORT_MOMENT_MISFIT;
      pairs[i].side = side > 0 ? 1 : 0;
    }
  }
}

/* Finds the pairs that differ far more than the others. Those with which the explanation was not tried tell nothing. */
static void
find_misfits (ReportPicturesResult * result, const ReportExplainer * explainer)
{
  g_autoptr (GArray) peaks = g_array_new (FALSE, FALSE, sizeof (gfloat)), psnrs = g_array_new (FALSE, FALSE, sizeof (gfloat));
  g_autoptr (GArray) judged = g_array_new (FALSE, FALSE, sizeof (ReportFramePair *));
  g_autoptr (GArray) fits = g_array_new (FALSE, FALSE, sizeof (ReportTrial));
  gfloat peak;

  for (guint i = 0; i < result->pairs->len; i++) {
    ReportFramePair *pair = &g_array_index (result->pairs, ReportFramePair, i);
    const ReportTrial *trial = result->is_explained ?
        report_explainer_find (explainer, &pair->explained, result->explanation.id) : NULL;

    if (isinf (pair->psnr) || pair->moment != REPORT_N_MOMENTS || (result->is_explained && trial == NULL))
      continue;
    if (trial != NULL) {
      pair->after = (gfloat) report_explain_psnr (trial->error);
      pair->peak = trial->peak;
    }
    g_array_append_val (peaks, pair->peak);
    g_array_append_val (psnrs, pair->after);
    g_array_append_val (judged, pair);
  }
  if (judged->len == 0)
    return;
  peak = MAX (FAR_PEAK, FAR_FACTOR * median_of (peaks));
  result->usual_psnr = median_of (psnrs);
  for (guint i = 0; i < judged->len; i++) {
    ReportFramePair *pair = g_array_index (judged, ReportFramePair *, i);

    if (pair->after < result->usual_psnr
        && (pair->peak > peak || (result->usual_psnr > EXACT_PSNR && pair->after < REPORT_EXPLAIN_PSNR)))
      pair->moment = REPORT_MOMENT_MISFIT;
    else if (result->is_explained)
      g_array_append_vals (fits, report_explainer_find (explainer, &pair->explained, result->explanation.id), 1);
  }
  if (result->is_explained)
    report_explanation_count (&result->explanation, fits);
}

/* Makes moments of the pairs that have one. */
static void
find_moments (ReportPicturesResult * result)
{
  guint latest = G_MAXUINT;     /* the pair that was added last */

  for (guint i = 0; i < result->pairs->len; i++) {
    ReportFramePair *pair = &g_array_index (result->pairs, ReportFramePair, i);
    ReportMoment *last = result->moments->len > 0 ? &g_array_index (result->moments, ReportMoment, result->moments->len - 1) : NULL;

    if (isinf (pair->psnr))
      continue;
    if (pair->moment == REPORT_N_MOMENTS) {
      result->n_rest++;
      extend (&result->rest_x, &result->rest_y, &result->rest_width, &result->rest_height, pair);
      continue;
    }
    if (last == NULL || latest + 1 != i || last->kind != pair->moment || last->side != pair->side) {
      const ReportMoment moment = { pair->moment, pair->side, pair->a, pair->a, 0, INFINITY };

      g_array_append_val (result->moments, moment);
      last = &g_array_index (result->moments, ReportMoment, result->moments->len - 1);
    }
    latest = i;
    last->last = pair->a;
    last->n++;
    last->least_psnr = MIN (last->least_psnr, pair->moment == REPORT_MOMENT_MISFIT ? pair->after : pair->psnr);
  }
}

/* ---- Alignment ----------------------------------------------------------------------------------- */

/* Returns: (transfer full): "Y, U, V" */
static gchar *
list_components (const HistoFormat * format)
{
  GString *names = g_string_new (NULL);

  for (guint c = 0; c < format->n_components; c++)
    g_string_append_printf (names, "%s%s", c > 0 ? ", " : "", format->components[c].name);
  return g_string_free (names, FALSE);
}

/* Whether the samples of two frames are the same ones. Returns: (transfer full) (nullable): why not */
static gchar *
find_refusal (const Frame * a, const Frame * b)
{
  const HistoFormat *one = a->format, *other = b->format;

  if (one->width != other->width || one->height != other->height)
    return g_strdup_printf ("A has %u x %u pixels, and B %u x %u", one->width, one->height, other->width,
        other->height);
  if (one->colors != other->colors || one->n_components != other->n_components) {
    g_autofree gchar *a_names = list_components (one), *b_names = list_components (other);

    return g_strdup_printf ("A has the components %s, and B %s", a_names, b_names);
  }
  if (one->chroma_w_sub != other->chroma_w_sub || one->chroma_h_sub != other->chroma_h_sub) {
    g_autofree gchar *a_chroma = report_name_chroma (one->chroma_w_sub, one->chroma_h_sub);
    g_autofree gchar *b_chroma = report_name_chroma (other->chroma_w_sub, other->chroma_h_sub);

    return g_strdup_printf ("A has chroma of %s, and B of %s: another subsampling", a_chroma, b_chroma);
  }
  for (guint c = 0; c < one->n_components; c++) {
    if (one->components[c].depth != other->components[c].depth)
      return g_strdup_printf ("A has %u bits, and B %u", one->components[c].depth, other->components[c].depth);
  }
  return NULL;
}

static gboolean
are_apart (gdouble one, gdouble other, gdouble margin)
{
  return fabs (one - other) > margin * MAX (one, other);
}

/* Whether the first frames that wait have other rates. Under the lock. Returns: (transfer full) (nullable): which ones */
static gchar *
find_rates (const ReportPictures * pictures)
{
  gdouble rates[2], distances[2];

  for (guint side = 0; side < 2; side++) {
    const GPtrArray *frames = pictures->sides[side].frames;
    const guint n = MIN (frames->len, N_RATE_FRAMES);
    const Frame *first = frames->pdata[0], *last = frames->pdata[n - 1];
    const GstVideoInfo *info = &first->format->video;

    if (n < 2 || info->fps_n == 0 || info->fps_d == 0 || !GST_CLOCK_TIME_IS_VALID (first->place.time)
        || !GST_CLOCK_TIME_IS_VALID (last->place.time))
      return NULL;
    rates[side] = (gdouble) info->fps_n / info->fps_d;
    distances[side] = (gdouble) (last->place.time - first->place.time) / (n - 1);
  }
  return are_apart (rates[0], rates[1], RATE_MARGIN) && are_apart (distances[0], distances[1], TIMES_MARGIN) ?
      g_strdup_printf ("A has %.6g frames/s, and B %.6g", rates[0], rates[1]) : NULL;
}

static guint64
size_of (const Frame * frame)
{
  return gst_buffer_get_size (frame->buffer);
}

/* Takes the first frame that waits. Under the lock. */
static Frame *
pop_frame (ReportPictures * pictures, guint side)
{
  Side *from = &pictures->sides[side];
  Frame *frame = g_ptr_array_steal_index (from->frames, 0);

  from->n_bytes -= size_of (frame);
  from->last = frame->signature;
  from->has_last = TRUE;
  return frame;
}

/* No more is compared. Under the lock. */
static void
give_up (ReportPictures * pictures)
{
  pictures->is_over = TRUE;
  for (guint side = 0; side < 2; side++) {
    g_ptr_array_set_size (pictures->sides[side].frames, 0);
    pictures->sides[side].n_bytes = 0;
  }
  g_cond_broadcast (&pictures->changed);
}

/* The first frame that waits has no counterpart. Under the lock.
 *
 * @is_held: it repeats the frame before, as far as a lossy codec lets it */
static void
skip_frame (ReportPictures * pictures, guint side, gboolean is_held)
{
  const guint64 before = pictures->sides[side].last.hash;
  GArray *all = pictures->result.unpaired;
  Frame *frame = pop_frame (pictures, side);
  const gboolean is_repeated = is_held || (frame->place.number > 0 && frame->signature.hash == before);
  ReportUnpaired *last = all->len > 0 ? &g_array_index (all, ReportUnpaired, all->len - 1) : NULL;

  if (last == NULL || last->side != side || last->last.number + 1 != frame->place.number) {
    const ReportUnpaired unpaired = { side, frame->place, frame->place, 0, 0, 0 };

    g_array_append_val (all, unpaired);
    last = &g_array_index (all, ReportUnpaired, all->len - 1);
  }
  last->last = frame->place;
  last->end = frame->place.time + (GST_CLOCK_TIME_IS_VALID (frame->place.time) ? frame->duration : 0);
  last->n++;
  last->n_repeated += is_repeated;
  frame_free (frame);
}

/* A frame has a counterpart. If it is equal to those before it that have none, they repeat it. Under the lock. */
static void
note_repeated (ReportPictures * pictures, guint side, const Frame * frame)
{
  GArray *all = pictures->result.unpaired;

  for (guint i = all->len; i-- > 0;) {
    ReportUnpaired *unpaired = &g_array_index (all, ReportUnpaired, i);

    if (unpaired->side != side)
      continue;
    if (frame->is_held && unpaired->last.number + 1 == frame->place.number && unpaired->n_repeated + 1 == unpaired->n)
      unpaired->n_repeated++;
    return;
  }
}

/* Notes where B comes earlier or later than before, by half a frame or more. Under the lock. */
static void
note_shift (ReportPictures * pictures, const Frame * a, const Frame * b)
{
  GArray *shifts = pictures->result.shifts;
  const gint64 margin = (gint64) (a->duration > 0 ? a->duration : b->duration) / 2;
  ReportTimeShift shift = { a->place, 0 };

  if (!GST_CLOCK_TIME_IS_VALID (a->place.time) || !GST_CLOCK_TIME_IS_VALID (b->place.time))
    return;
  shift.shift = pictures->latest = (gint64) (b->place.time - a->place.time);
  if (shifts->len > 0 && ABS (shift.shift - pictures->shift) < MAX (margin, 1))
    return;
  pictures->shift = shift.shift;
  g_array_append_val (shifts, shift);
}

/* Whether the pair that differs is one of those that are looked at: the first, the second, the fourth, … */
static gboolean
is_looked_at (guint64 number)
{
  return (number & (number - 1)) == 0;
}

/* @frame: (nullable) */
static gboolean
map (HistoComparedPicture * picture, const Frame * frame)
{
  return frame != NULL && histo_compared_picture_set_caps (picture, frame->caps, NULL)
      && histo_compared_picture_map (picture, frame->buffer, all_of (picture), NULL);
}

/* Whether a frame has one level of luma. The cells tell it of nearly all that do not. @level: (out): from 0 to 255 */
static gboolean
is_flat (const HistoComparedPicture * picture, const ReportSignature * signature, gdouble * level)
{
  const HistoFormat *format = picture->format;
  const HistoPlane *plane = &picture->planes[0];
  const guint mask = (1u << format->components[0].depth) - 1, most = (guint) (FLAT * mask / 255);
  guint least = mask, greatest = 0;

  *level = signature->cells[0];
  if (!has_one_level (signature))
    return FALSE;
  for (guint y = 0; y < format->height && (greatest < least || greatest - least <= most); y++) {
    const guint8 *row = (const guint8 *) (guintptr) plane->data + (gssize) y * plane->stride;
    const guint16 *words = (const guint16 *) row;

    for (guint x = 0; x < format->width; x++) {
      const guint sample = picture->regular.is_wide ? words[x] & mask : row[x];

      least = MIN (least, sample);
      greatest = MAX (greatest, sample);
    }
  }
  return greatest - least <= most;
}

/* Finds out whether one of both frames is blank. No change explains that. */
static void
find_blank (Pending * pending, const HistoComparedPicture * a, const HistoComparedPicture * b)
{
  gdouble levels[2];
  const gboolean are_flat[2] = { is_flat (a, &pending->frames[0]->signature, &levels[0]),
    is_flat (b, &pending->frames[1]->signature, &levels[1])
  };

  if (are_flat[0] == are_flat[1])
    return;
  pending->side = are_flat[1] ? 1 : 0;
  pending->moment = levels[pending->side] <= BLACK ? REPORT_MOMENT_BLACK : REPORT_MOMENT_BLANK;
}

/* Looks for what explains the difference of a pair.
 *
 * @after: (nullable): the frame of A behind that of the pair */
static void
explain (ReportPictures * pictures, Pending * pending, const Frame * after)
{
  const Frame *frames[N_LOOKED_AT] = {[OF_A] = pending->frames[0],[OF_B] = pending->frames[1],[BEFORE_A] = pictures->last,[AFTER_A] = after };
  HistoComparedPicture *all = pictures->looked_at;
  gboolean is_there[N_LOOKED_AT];

  for (guint i = 0; i < N_LOOKED_AT; i++) {
    is_there[i] = map (&all[i], frames[i]);
    if (is_there[i] && i > OF_B && !histo_compared_picture_is_like (&all[OF_A], &all[i], NULL)) {
      histo_compared_picture_unmap (&all[i]);
      is_there[i] = FALSE;
    }
  }
  if (is_there[OF_A] && is_there[OF_B] && histo_compared_picture_is_like (&all[OF_A], &all[OF_B], NULL)) {
    /* A blank frame among frames that stand still is blank. */
    find_blank (pending, &all[OF_A], &all[OF_B]);
    if (pending->moment == REPORT_N_MOMENTS)
      pending->explained = (is_looked_at (++pictures->n_explained) ? report_explainer_add : report_explainer_check) (pictures->explainer,
          &all[OF_A], &all[OF_B], is_there[BEFORE_A] ? &all[BEFORE_A] : NULL, is_there[AFTER_A] ? &all[AFTER_A] : NULL);
    else
      pictures->n_excluded++;
  }
  for (guint i = 0; i < N_LOOKED_AT; i++) {
    if (is_there[i])
      histo_compared_picture_unmap (&all[i]);
  }
}

/* Compares the first frames that wait. Called without the lock, which is taken.
 *
 * @after: (nullable): the frame of A behind @a
 * @is_unusual: they are farther apart than others
 * @moved: how far each is from the one before */
static void
compare_pair (ReportPictures * pictures, Frame * a, Frame * b, const Frame * after, gboolean is_unusual, const gfloat moved[2])
{
  GstBuffer *const buffers[2] = { a->buffer, b->buffer };
  GstCaps *const caps[2] = { a->caps, b->caps };
  Pending *pending = g_new (Pending, 1);
  gchar *refusal = find_refusal (a, b);
  GError *error = NULL;
  gboolean ok = refusal == NULL;

  *pending = (Pending) {.frames = { a, b },.moment = REPORT_N_MOMENTS,.moved = { moved[0], moved[1] } };
  if (is_unusual && a->is_held != b->is_held) {
    pending->moment = REPORT_MOMENT_STILL;
    pending->side = b->is_held ? 1 : 0;
  }
  if (ok && a->signature.hash != b->signature.hash)
    explain (pictures, pending, after);
  g_mutex_lock (&pictures->lock);
  if (ok) {
    note_shift (pictures, a, b);
    if (pictures->result.format == NULL) {
      pictures->result.format = g_strdup (histo_format_name (a->format));
      pictures->result.width = a->format->width;
      pictures->result.height = a->format->height;
    }
    g_queue_push_tail (&pictures->pending, pending);
  }
  g_mutex_unlock (&pictures->lock);
  if (ok) {
    g_clear_pointer (&pictures->last, frame_free);
    pictures->last = frame_ref (a);
  }
  if (ok && pictures->comparer == NULL)
    pictures->comparer = report_comparer_new (pictures->measures, take_result, pictures, &error);
  if (ok && (pictures->comparer == NULL || !report_comparer_push (pictures->comparer, buffers, caps, &error))) {
    refusal = g_strdup (error->message);
    g_clear_error (&error);
  }
  if (refusal == NULL)
    return;
  g_mutex_lock (&pictures->lock);
  if (pictures->result.pairs->len > 0 || pictures->result.unpaired->len > 0) {
    GString *text = g_string_new (NULL);

    g_string_printf (text, "from frame %" G_GUINT64_FORMAT " on: %s", a->place.number, refusal);
    pictures->result.cut = g_string_free (text, FALSE);
    g_free (refusal);
  } else {
    pictures->result.refusal = refusal;
  }
  if (!ok)
    pending_free (pending);
  give_up (pictures);
  g_mutex_unlock (&pictures->lock);
}

static gboolean
has_ended (const Side * side)
{
  return side->has_ended || side->is_open;
}

/* Under the lock. */
static void
fill_side (const ReportPictures * pictures, guint side, ReportAlignSide * filled)
{
  const Side *from = &pictures->sides[side];

  filled->before = from->has_last ? &from->last : NULL;
  filled->n = MIN (from->frames->len, REPORT_ALIGN_MOST);
  filled->is_all = has_ended (from) || from->n_bytes >= MOST_BYTES;
  for (guint i = 0; i < filled->n; i++) {
    const Frame *frame = from->frames->pdata[i];

    filled->frames[i] = &frame->signature;
    filled->times[i] = frame->place.time;
  }
}

static void
follow_distance (ReportPictures * pictures, gdouble distance)
{
  pictures->usual = pictures->usual < 0 ? distance : (1 - NEWEST) * pictures->usual + NEWEST * distance;
}

/* Lets so many frames of each film come. Under the lock. Returns: FALSE: it must wait for them */
static gboolean
want (ReportPictures * pictures, guint n)
{
  if (pictures->wanted != n) {
    pictures->wanted = n;
    g_cond_broadcast (&pictures->changed);
  }
  return FALSE;
}

/* Does the next step. Under the lock, which is left while a pair is compared. Returns: FALSE: it must wait */
static gboolean
step (ReportPictures * pictures)
{
  ReportAlignSide a, b;
  ReportAlignTimes times = { pictures->latest, 0 };
  ReportAlignment next;

  fill_side (pictures, 0, &a);
  fill_side (pictures, 1, &b);
  if (!pictures->has_begun) {
    if ((a.n < N_RATE_FRAMES && !a.is_all) || (b.n < N_RATE_FRAMES && !b.is_all))
      return want (pictures, N_RATE_FRAMES);
    pictures->has_begun = TRUE;
    /* What does not fit is found before anything is skipped. */
    if (a.n > 0 && b.n > 0)
      pictures->result.refusal = find_refusal (pictures->sides[0].frames->pdata[0], pictures->sides[1].frames->pdata[0]);
    if (a.n > 0 && b.n > 0 && pictures->result.refusal == NULL)
      pictures->result.refusal = find_rates (pictures);
    if (pictures->result.refusal != NULL) {
      give_up (pictures);
      return TRUE;
    }
  }
  /* Before the first pair nobody knows. */
  if (pictures->result.shifts->len > 0 && a.n > 0)
    times.margin = (gint64) ((const Frame *) pictures->sides[0].frames->pdata[0])->duration / 2;
  next = report_align (&a, &b, pictures->usual, &times);
  switch (next.what) {
    case REPORT_ALIGN_WAIT:
      return want (pictures, next.n);
    case REPORT_ALIGN_PAIR:{
      const gdouble distance = report_signature_distance (a.frames[0], b.frames[0]);
      const gfloat moved[2] = {
        a.before != NULL ? (gfloat) report_signature_distance (a.frames[0], a.before) : 0,
        b.before != NULL ? (gfloat) report_signature_distance (b.frames[0], b.before) : 0
      };
      Frame *one = pop_frame (pictures, 0), *other = pop_frame (pictures, 1);
      const gboolean is_unusual = pictures->usual >= 0 && distance > report_align_limit (pictures->usual);
      Frame *after = a.n > 1 ? frame_ref (pictures->sides[0].frames->pdata[0]) : NULL;

      note_repeated (pictures, 0, one);
      note_repeated (pictures, 1, other);
      pictures->wanted = 1;
      pictures->result.is_limited = pictures->result.is_limited || distance > MISFIT;
      /* One film that stands still tells nothing of the others. */
      if (!is_unusual || one->is_held == other->is_held)
        follow_distance (pictures, distance);
      g_cond_broadcast (&pictures->changed);
      g_mutex_unlock (&pictures->lock);
      compare_pair (pictures, one, other, after, is_unusual, moved);
      g_clear_pointer (&after, frame_free);
      g_mutex_lock (&pictures->lock);
      return TRUE;
    }
    case REPORT_ALIGN_SKIP_A:
    case REPORT_ALIGN_SKIP_B:
      for (guint i = 0; i < next.n; i++)
        skip_frame (pictures, next.what == REPORT_ALIGN_SKIP_A ? 0 : 1, next.is_hold);
      for (guint i = 0; i < next.n_other; i++)
        skip_frame (pictures, next.what == REPORT_ALIGN_SKIP_A ? 1 : 0, FALSE);
      pictures->wanted = 1;
      g_cond_broadcast (&pictures->changed);
      return TRUE;
  }
  return FALSE;
}

static gboolean
has_all (const ReportPictures * pictures)
{
  return pictures->is_over || (has_ended (&pictures->sides[0]) && has_ended (&pictures->sides[1])
      && pictures->sides[0].frames->len == 0 && pictures->sides[1].frames->len == 0);
}

static gpointer
run (gpointer data)
{
  ReportPictures *pictures = data;

  g_mutex_lock (&pictures->lock);
  while (!has_all (pictures)) {
    if (!step (pictures))
      g_cond_wait (&pictures->changed, &pictures->lock);
  }
  g_mutex_unlock (&pictures->lock);
  if (pictures->comparer != NULL)
    report_comparer_end (pictures->comparer);
  pictures->result.is_explained = report_explainer_claim (pictures->explainer, pictures->n_excluded, &pictures->result.explanation);
  find_misfits (&pictures->result, pictures->explainer);
  find_stills (&pictures->result);
  find_moments (&pictures->result);
  pictures->result.mean_difference = report_explainer_mean_difference (pictures->explainer);
  return NULL;
}

/* ---- Frames -------------------------------------------------------------------------------------- */

/* Whether a side must wait for the other one. Under the lock. */
static gboolean
is_full (const ReportPictures * pictures, guint side)
{
  const Side *own = &pictures->sides[side];

  return own->frames->len >= pictures->wanted + SLACK || own->n_bytes >= MOST_BYTES;
}

static guint64
duration_of (GstBuffer * buffer, const HistoFormat * format)
{
  const GstVideoInfo *info = &format->video;

  if (GST_BUFFER_DURATION_IS_VALID (buffer) && GST_BUFFER_DURATION (buffer) > 0)
    return GST_BUFFER_DURATION (buffer);
  return info->fps_n > 0 ? gst_util_uint64_scale (GST_SECOND, info->fps_d, info->fps_n) : 0;
}

static void
follow_time (Side * side, guint64 time)
{
  if (!GST_CLOCK_TIME_IS_VALID (time))
    return;
  if (time > side->latest && (side->shortest == 0 || time - side->latest < side->shortest))
    side->shortest = time - side->latest;
  side->latest = time;
}

/* Returns: (nullable): NULL if the buffer cannot be read */
static Frame *
make_frame (Side * side, GstBuffer * buffer, GstCaps * caps, guint64 time)
{
  Frame *frame;

  if (!histo_compared_picture_set_caps (&side->picture, caps, NULL)
      || !histo_compared_picture_map (&side->picture, buffer, all_of (&side->picture), NULL))
    return NULL;
  frame = g_new0 (Frame, 1);
  frame->ref_count = 1;
  frame->buffer = gst_buffer_ref (buffer);
  frame->caps = gst_caps_ref (caps);
  frame->format = histo_format_ref (side->picture.format);
  frame->duration = duration_of (buffer, frame->format);
  frame->place.time = !GST_CLOCK_TIME_IS_VALID (time) ? time : time > side->origin ? time - side->origin : 0;
  follow_time (side, frame->place.time);
  /* Films of a variable rate state none. */
  if (frame->duration == 0)
    frame->duration = side->shortest;
  report_signature_make (&side->picture, &frame->signature);
  histo_compared_picture_unmap (&side->picture);
  return frame;
}

/* Whether --offset leaves the frame out: one film begins later in the other one. */
static gboolean
is_before (const ReportPictures * pictures, guint side, const ReportPlace * place)
{
  const gint64 begin = side == 1 ? pictures->begin : -pictures->begin;

  return begin > 0 && GST_CLOCK_TIME_IS_VALID (place->time) && (gint64) place->time < begin;
}

/**
 * report_pictures_take:
 * @side: 0: A, 1: B
 * @time: stream time
 *
 * Takes the next frame of a film. Waits while it is ahead of the other film.
 */
void
report_pictures_take (ReportPictures * pictures, guint side, GstBuffer * buffer, GstCaps * caps, guint64 time)
{
  Side *own = &pictures->sides[side];
  gboolean is_over;
  Frame *frame;

  g_mutex_lock (&pictures->lock);
  is_over = pictures->is_over || own->is_open;
  g_mutex_unlock (&pictures->lock);
  if (is_over)
    return;
  if (!GST_CLOCK_TIME_IS_VALID (own->origin))
    own->origin = time;
  frame = make_frame (own, buffer, caps, time);
  if (frame == NULL)
    return;
  frame->is_held = own->n_seen > 0 && own->seen_hash == frame->signature.hash;
  own->seen_hash = frame->signature.hash;
  frame->place.number = own->n_seen++;
  g_mutex_lock (&pictures->lock);
  pictures->result.n_frames[side]++;
  pictures->result.n_held[side] += frame->is_held;
  while (pictures->is_lead && is_full (pictures, side) && !own->is_open && !pictures->is_over)
    g_cond_wait (&pictures->changed, &pictures->lock);
  if (!pictures->is_lead && own->n_bytes >= MOST_BYTES && !pictures->is_over) {
    pictures->result.cut = g_strdup_printf ("from frame %" G_GUINT64_FORMAT " on: the streams lie too far apart in their files",
        frame->place.number);
    give_up (pictures);
  }
  if (pictures->is_over || own->is_open || is_before (pictures, side, &frame->place)) {
    frame_free (frame);
  } else {
    g_ptr_array_add (own->frames, frame);
    own->n_bytes += size_of (frame);
  }
  g_cond_broadcast (&pictures->changed);
  g_mutex_unlock (&pictures->lock);
}

/* From now on a film does not wait: measuring it ends. What has come is compared. */
void
report_pictures_open (ReportPictures * pictures, guint side)
{
  g_mutex_lock (&pictures->lock);
  pictures->sides[side].is_open = TRUE;
  g_cond_broadcast (&pictures->changed);
  g_mutex_unlock (&pictures->lock);
}

/* No more frames of a film will come. */
void
report_pictures_end (ReportPictures * pictures, guint side)
{
  g_mutex_lock (&pictures->lock);
  pictures->sides[side].has_ended = TRUE;
  g_cond_broadcast (&pictures->changed);
  g_mutex_unlock (&pictures->lock);
}

/* Waits until all has been compared. Both films have ended. */
const ReportPicturesResult *
report_pictures_finish (ReportPictures * pictures)
{
  if (pictures->thread != NULL)
    g_thread_join (pictures->thread);
  pictures->thread = NULL;
  return &pictures->result;
}

/**
 * report_pictures_new:
 * @measures: of cudahistocompare
 * @begin: the time in B at which A begins, in ns
 * @is_lead: the stream that is ahead waits. Of others that may not be so, as streams of one film would wait for each other
 */
ReportPictures *
report_pictures_new (const gchar * measures, gint64 begin, gboolean is_lead)
{
  ReportPictures *pictures = g_new0 (ReportPictures, 1);

  pictures->measures = g_strdup (measures);
  pictures->begin = begin;
  pictures->is_lead = is_lead;
  pictures->usual = -1;
  pictures->explainer = report_explainer_new ();
  pictures->wanted = 1;
  g_mutex_init (&pictures->lock);
  g_cond_init (&pictures->changed);
  g_queue_init (&pictures->pending);
  for (guint side = 0; side < 2; side++) {
    pictures->sides[side].frames = g_ptr_array_new_with_free_func (frame_free);
    pictures->sides[side].origin = GST_CLOCK_TIME_NONE;
  }
  pictures->result.pairs = g_array_new (FALSE, FALSE, sizeof (ReportFramePair));
  pictures->result.unpaired = g_array_new (FALSE, FALSE, sizeof (ReportUnpaired));
  pictures->result.moments = g_array_new (FALSE, FALSE, sizeof (ReportMoment));
  pictures->result.shifts = g_array_new (FALSE, FALSE, sizeof (ReportTimeShift));
  pictures->result.worst = g_array_new (FALSE, FALSE, sizeof (ReportFrameDifference));
  g_array_set_clear_func (pictures->result.worst, clear_difference);
  pictures->thread = g_thread_new ("pictures", run, pictures);
  return pictures;
}

void
report_pictures_free (ReportPictures * pictures)
{
  ReportPicturesResult *result = &pictures->result;

  report_pictures_open (pictures, 0);
  report_pictures_open (pictures, 1);
  report_pictures_finish (pictures);
  if (pictures->comparer != NULL)
    report_comparer_free (pictures->comparer);
  for (guint side = 0; side < 2; side++) {
    g_ptr_array_unref (pictures->sides[side].frames);
    histo_compared_picture_clear (&pictures->sides[side].picture);
  }
  g_clear_pointer (&pictures->last, frame_free);
  for (guint i = 0; i < N_LOOKED_AT; i++)
    histo_compared_picture_clear (&pictures->looked_at[i]);
  report_explainer_free (pictures->explainer);
  report_explanation_clear (&result->explanation);
  g_queue_clear_full (&pictures->pending, (GDestroyNotify) pending_free);
  for (guint c = 0; c < HISTO_MAX_COMPONENTS; c++)
    g_free (result->components[c].name);
  g_array_unref (result->pairs);
  g_array_unref (result->unpaired);
  g_array_unref (result->shifts);
  g_array_unref (result->moments);
  g_array_unref (result->worst);
  g_free (result->refusal);
  g_free (result->cut);
  g_free (result->format);
  g_mutex_clear (&pictures->lock);
  g_cond_clear (&pictures->changed);
  g_free (pictures->measures);
  g_free (pictures);
}
