/* Chooses the frames that become thumbnails; see keeper.h.
 *
 * A frame is referenced from where it enters cudahisto until its result is posted: meanwhile it is in memory in any case. The
 * frame of a result that is to be kept waits for the next result, as the next frame may have a greater figure still: a
 * picture that becomes ever brighter is not read for each of its frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/keeper.h"

#include <math.h>

#include "base/thumbnail.h"
#include "cudahisto/cudahisto.h"
#include "cudahisto/fields.h"

/* So many frames more than cudahisto has in flight may wait for their results. Those of which no result comes go when later
 * ones have come. */
#define MOST_MORE 4
/* The steps of a film begin with this, and are doubled while there are too many. */
#define LEAST_STEP (GST_SECOND / 32)
#define SPARSE_STEP GST_SECOND
/* The pictures in even steps have at most so many bytes of JPEG: a page of one hour stays below 10 MB. */
#define MOST_BYTES 1000000
/* A change of scene, in percent: as the alert. */
#define LEAST_SCENE 10
/* What lasts as long between two cuts is a scene. */
#define MOST_BETWEEN (2 * GST_SECOND)
/* So many frames are kept between cuts, and for alerts: the first ones. */
#define MOST_OF_KIND 16

/* The frame with the greatest figure is kept, if it is above least. */
typedef struct
{
  ReportKept why;
  guint figure;                 /* of histo_group_figures */
  gdouble least;
  guint8 marks;
} Row;

static const Row rows[] = {
  {REPORT_KEPT_GAMUT, HISTO_GROUP_FIGURE_GAMUT_FILTER_any, HISTO_R103_ALLOWED, REPORT_MARK_GAMUT},
  {REPORT_KEPT_RANGE, HISTO_GROUP_FIGURE_SIGNAL_brng, 0.01, REPORT_MARK_RANGE},
  {REPORT_KEPT_FLASH, HISTO_GROUP_FIGURE_FLASH_area, 0.02, 0},
  {REPORT_KEPT_COMB, HISTO_GROUP_FIGURE_FIELD_comb, 0.001, 0},
  {REPORT_KEPT_LIGHT, HISTO_GROUP_FIGURE_HDR_max, 0, 0},
};

#define N_ROWS G_N_ELEMENTS (rows)
#define FLAG(why) (1u << (why))

/* A picture that was made. Several entries may share it. */
typedef struct
{
  guint64 time;                 /* stream time */
  ReportReduced *reduced;
} Picture;

typedef struct
{
  GstBuffer *buffer;            /* NULL: none */
  GstCaps *caps;
} Frame;

/* A frame that waits for the next result. */
typedef struct
{
  Frame frame;
  guint64 time;
  guint wanted;                 /* flags of ReportKept */
} Pending;

struct _ReportKeeper
{
  GMutex lock;                  /* of all */
  guint most, most_waiting;
  guint64 step;                 /* between pictures; of each step the first frame is kept */
  GQueue entered;               /* of Frame */
  Pending pending;
  GPtrArray *steps;             /* (element-type Picture): in the order of their times */
  struct
  {
    gdouble value;              /* of the greatest one, also if it is pending; NaN: none */
    guint64 time;
    Picture *picture;           /* NULL: none yet */
  } greatest[N_ROWS];
  Picture *cut;                 /* the first frame after the latest cut; NULL: none */
  GPtrArray *cuts, *alerts;     /* (element-type Picture) */
  gboolean has_alert;           /* has begun, and has no picture yet */
};

static void
picture_clear (gpointer data)
{
  report_reduced_free (((Picture *) data)->reduced);
}

static void
picture_release (gpointer data)
{
  g_rc_box_release_full (data, picture_clear);
}

static void
frame_clear (Frame * frame)
{
  gst_clear_buffer (&frame->buffer);
  gst_clear_caps (&frame->caps);
}

static void
frame_free (gpointer data)
{
  frame_clear (data);
  g_free (data);
}

/**
 * report_keeper_new:
 * @most: pictures in even steps
 * @is_sparse: their least distance is a second
 * @in_flight: frames that cudahisto measures at once
 *
 * Returns: (transfer full): to be freed with report_keeper_free()
 */
ReportKeeper *
report_keeper_new (guint most, gboolean is_sparse, guint in_flight)
{
  ReportKeeper *keeper = g_new0 (ReportKeeper, 1);

  g_mutex_init (&keeper->lock);
  keeper->most = most;
  keeper->most_waiting = in_flight + MOST_MORE;
  keeper->step = is_sparse ? SPARSE_STEP : LEAST_STEP;
  g_queue_init (&keeper->entered);
  keeper->steps = g_ptr_array_new_with_free_func (picture_release);
  keeper->cuts = g_ptr_array_new_with_free_func (picture_release);
  keeper->alerts = g_ptr_array_new_with_free_func (picture_release);
  for (guint i = 0; i < N_ROWS; i++)
    keeper->greatest[i].value = NAN;
  return keeper;
}

void
report_keeper_free (ReportKeeper * keeper)
{
  if (keeper == NULL)
    return;
  g_queue_clear_full (&keeper->entered, frame_free);
  frame_clear (&keeper->pending.frame);
  for (guint i = 0; i < N_ROWS; i++)
    g_clear_pointer (&keeper->greatest[i].picture, picture_release);
  g_clear_pointer (&keeper->cut, picture_release);
  g_ptr_array_unref (keeper->steps);
  g_ptr_array_unref (keeper->cuts);
  g_ptr_array_unref (keeper->alerts);
  g_mutex_clear (&keeper->lock);
  g_free (keeper);
}

/* ---- Pictures in even steps ------------------------------------------------------------------- */

/* Returns: the place of the first picture that is in the step of a time, or later */
static guint
find_step (const ReportKeeper * keeper, guint64 time)
{
  guint place = keeper->steps->len;

  while (place > 0 && ((const Picture *) keeper->steps->pdata[place - 1])->time / keeper->step >= time / keeper->step)
    place--;
  return place;
}

/* Whether a frame is the first one of its step, of those that have come. */
static gboolean
begins_step (const ReportKeeper * keeper, guint64 time)
{
  const guint place = find_step (keeper, time);
  const Picture *there = place < keeper->steps->len ? keeper->steps->pdata[place] : NULL;

  return there == NULL || there->time / keeper->step > time / keeper->step || there->time > time;
}

/* Doubles the steps: of two that become one, the first picture stays. */
static void
thin_out (ReportKeeper * keeper)
{
  keeper->step *= 2;
  for (guint i = keeper->steps->len; i-- > 1;) {
    const Picture *before = keeper->steps->pdata[i - 1], *picture = keeper->steps->pdata[i];

    if (before->time / keeper->step == picture->time / keeper->step)
      g_ptr_array_remove_index (keeper->steps, i);
  }
}

/* @picture: (transfer full) */
static void
add_step (ReportKeeper * keeper, Picture * picture)
{
  const guint place = find_step (keeper, picture->time);
  const Picture *there = place < keeper->steps->len ? keeper->steps->pdata[place] : NULL;

  if (there != NULL && there->time / keeper->step == picture->time / keeper->step)
    g_ptr_array_remove_index (keeper->steps, place);
  g_ptr_array_insert (keeper->steps, (gint) place, picture);
  while (keeper->steps->len > keeper->most)
    thin_out (keeper);
}

/* ---- Frames ----------------------------------------------------------------------------------- */

/* Puts a picture to those that it belongs to. */
static void
put (ReportKeeper * keeper, Picture * picture, guint wanted)
{
  if ((wanted & FLAG (REPORT_KEPT_STEP)) != 0)
    add_step (keeper, g_rc_box_acquire (picture));
  for (guint i = 0; i < N_ROWS; i++) {
    if ((wanted & FLAG (rows[i].why)) == 0)
      continue;
    g_clear_pointer (&keeper->greatest[i].picture, picture_release);
    keeper->greatest[i].picture = g_rc_box_acquire (picture);
  }
  if ((wanted & FLAG (REPORT_KEPT_CUT)) != 0) {
    g_clear_pointer (&keeper->cut, picture_release);
    keeper->cut = g_rc_box_acquire (picture);
  }
  if ((wanted & FLAG (REPORT_KEPT_ALERT)) != 0)
    g_ptr_array_add (keeper->alerts, g_rc_box_acquire (picture));
}

/* Makes the picture of the frame that waits. */
static void
finish_pending (ReportKeeper * keeper)
{
  Pending *pending = &keeper->pending;
  gboolean has_marks = FALSE;
  Picture *picture;

  if (pending->frame.buffer == NULL)
    return;
  for (guint i = 0; i < N_ROWS; i++)
    has_marks = has_marks || (rows[i].marks != 0 && (pending->wanted & FLAG (rows[i].why)) != 0);
  if (pending->wanted != 0) {
    picture = g_rc_box_new0 (Picture);
    picture->time = pending->time;
    picture->reduced = report_reduced_new (pending->frame.buffer, pending->frame.caps, REPORT_THUMBNAIL_SIZE, has_marks);
    if (picture->reduced != NULL)
      put (keeper, picture, pending->wanted);
    picture_release (picture);
  }
  frame_clear (&pending->frame);
}

/**
 * report_keeper_enter:
 * @buffer: a frame that enters cudahisto
 */
void
report_keeper_enter (ReportKeeper * keeper, GstBuffer * buffer, GstCaps * caps)
{
  Frame *frame = g_new (Frame, 1);

  *frame = (Frame) { gst_buffer_ref (buffer), gst_caps_ref (caps) };
  g_mutex_lock (&keeper->lock);
  g_queue_push_tail (&keeper->entered, frame);
  if (keeper->entered.length > keeper->most_waiting)
    frame_free (g_queue_pop_head (&keeper->entered));
  g_mutex_unlock (&keeper->lock);
}

/* Takes the frame of a result from those that have entered, and those before it, which have none.
 *
 * Returns: (transfer full) (nullable) */
static Frame *
pop_frame (ReportKeeper * keeper, guint64 timestamp)
{
  guint place = 0;
  Frame *frame = NULL;

  for (const GList * item = keeper->entered.head; item != NULL; item = item->next, place++) {
    if (GST_BUFFER_PTS (((const Frame *) item->data)->buffer) == timestamp)
      break;
  }
  if (place >= keeper->entered.length)
    return NULL;
  for (guint i = 0; i <= place; i++) {
    g_clear_pointer (&frame, frame_free);
    frame = g_queue_pop_head (&keeper->entered);
  }
  return frame;
}

/* Returns: the figure of the whole picture; NaN: it is absent */
static gdouble
read_figure (const GstStructure * result, guint figure)
{
  const HistoGroupFigureInfo *info = &histo_group_figures[figure];
  const GValue *group = gst_structure_get_value (result, histo_groups[info->group].name);
  gdouble value;

  return group != NULL && GST_VALUE_HOLDS_STRUCTURE (group)
      && gst_structure_get_double (gst_value_get_structure (group), info->name, &value) ? value : NAN;
}

/* Returns: flags of ReportKept: what a frame is the greatest one of */
static guint
find_greatest (ReportKeeper * keeper, const GstStructure * result, guint64 time)
{
  guint wanted = 0;

  for (guint i = 0; i < N_ROWS; i++) {
    const gdouble value = read_figure (result, rows[i].figure), best = keeper->greatest[i].value;

    if (isnan (value) || value <= rows[i].least || value < best || (value == best && time >= keeper->greatest[i].time))
      continue;
    keeper->greatest[i].value = value;
    keeper->greatest[i].time = time;
    wanted |= FLAG (rows[i].why);
  }
  return wanted;
}

/* What is between two cuts that are near to each other is kept. Returns: whether the frame is the first after a cut */
static gboolean
look_for_cut (ReportKeeper * keeper, const GstStructure * result, guint64 time)
{
  if (keeper->cuts->len >= MOST_OF_KIND || !(read_figure (result, HISTO_GROUP_FIGURE_MOTION_scene_score) >= LEAST_SCENE))
    return FALSE;
  if ((keeper->pending.wanted & FLAG (REPORT_KEPT_CUT)) != 0)
    finish_pending (keeper);
  if (keeper->cut != NULL && time > keeper->cut->time && time - keeper->cut->time < MOST_BETWEEN)
    g_ptr_array_add (keeper->cuts, g_steal_pointer (&keeper->cut));
  return TRUE;
}

/**
 * report_keeper_take:
 * @result: of a frame
 */
void
report_keeper_take (ReportKeeper * keeper, const GstStructure * result)
{
  HistoTimes times;
  Frame *frame;
  guint greatest, wanted;

  if (!histo_read_times (result, &times))
    return;
  g_mutex_lock (&keeper->lock);
  frame = pop_frame (keeper, times.timestamp);
  if (frame != NULL && GST_CLOCK_TIME_IS_VALID (times.stream_time)) {
    greatest = wanted = find_greatest (keeper, result, times.stream_time);
    if (look_for_cut (keeper, result, times.stream_time))
      wanted |= FLAG (REPORT_KEPT_CUT);
    if (keeper->has_alert && keeper->alerts->len < MOST_OF_KIND)
      wanted |= FLAG (REPORT_KEPT_ALERT);
    keeper->has_alert = FALSE;
    keeper->pending.wanted &= ~greatest;
    finish_pending (keeper);
    if (begins_step (keeper, times.stream_time))
      wanted |= FLAG (REPORT_KEPT_STEP);
    if (wanted != 0) {
      keeper->pending = (Pending) { *frame, times.stream_time, wanted };
      *frame = (Frame) { NULL, NULL };
    }
  }
  g_clear_pointer (&frame, frame_free);
  g_mutex_unlock (&keeper->lock);
}

/**
 * report_keeper_take_alert:
 * @alert: its begin or its end, in line with the results
 */
void
report_keeper_take_alert (ReportKeeper * keeper, const GstStructure * alert)
{
  /* Scenes have steps and cuts. */
  if (g_strcmp0 (gst_structure_get_string (alert, histo_field_names[HISTO_FIELD_state]), HISTO_STATE_BEGIN) != 0
      || g_strcmp0 (gst_structure_get_string (alert, histo_field_names[HISTO_FIELD_type]), histo_alert_names[HISTO_ALERT_SCENE]) == 0)
    return;
  g_mutex_lock (&keeper->lock);
  keeper->has_alert = TRUE;
  g_mutex_unlock (&keeper->lock);
}

/* ---- The end ---------------------------------------------------------------------------------- */

/* @value: NaN: none. @marks: of the marked picture; 0: there is none */
static ReportThumbnail *
add (GPtrArray * thumbnails, const Picture * picture, ReportKept why, gdouble value, guint8 marks, guint64 start, gint rotation)
{
  g_autoptr (ReportReduced) turned = report_reduced_turn (picture->reduced, rotation);
  ReportThumbnail *thumbnail = g_new0 (ReportThumbnail, 1);

  thumbnail->why = why;
  thumbnail->value = value;
  thumbnail->time = picture->time > start ? picture->time - start : 0;
  thumbnail->width = turned->width;
  thumbnail->height = turned->height;
  thumbnail->jpeg = report_reduced_encode (turned, 0);
  if (marks != 0)
    thumbnail->marked = report_reduced_encode (turned, marks);
  g_ptr_array_add (thumbnails, thumbnail);
  return thumbnail;
}

static void
add_all (GPtrArray * thumbnails, const GPtrArray * pictures, ReportKept why, guint64 start, gint rotation)
{
  for (guint i = 0; i < pictures->len; i++)
    add (thumbnails, pictures->pdata[i], why, NAN, 0, start, rotation);
}

/* Noise has large pictures: there are fewer of them then. */
static void
add_steps (ReportKeeper * keeper, GPtrArray * thumbnails, guint64 start, gint rotation)
{
  gsize n_bytes;

  do {
    n_bytes = 0;
    g_ptr_array_set_size (thumbnails, 0);
    for (guint i = 0; i < keeper->steps->len; i++)
      n_bytes += g_bytes_get_size (add (thumbnails, keeper->steps->pdata[i], REPORT_KEPT_STEP, NAN, 0, start, rotation)->jpeg);
    if (n_bytes > MOST_BYTES)
      thin_out (keeper);
  } while (n_bytes > MOST_BYTES && keeper->steps->len > 1);
}

/**
 * report_keeper_finish:
 * @start: stream time from which times of the thumbnails count
 * @rotation: by which a player turns the picture, in degrees counterclockwise
 *
 * Returns: (transfer full) (element-type ReportThumbnail): those in even steps, then the others
 */
GPtrArray *
report_keeper_finish (ReportKeeper * keeper, guint64 start, gint rotation)
{
  GPtrArray *thumbnails = report_thumbnails_new ();

  g_mutex_lock (&keeper->lock);
  finish_pending (keeper);
  add_steps (keeper, thumbnails, start, rotation);
  for (guint i = 0; i < N_ROWS; i++) {
    if (keeper->greatest[i].picture != NULL)
      add (thumbnails, keeper->greatest[i].picture, rows[i].why, keeper->greatest[i].value, rows[i].marks, start, rotation);
  }
  add_all (thumbnails, keeper->cuts, REPORT_KEPT_CUT, start, rotation);
  add_all (thumbnails, keeper->alerts, REPORT_KEPT_ALERT, start, rotation);
  g_mutex_unlock (&keeper->lock);
  return thumbnails;
}
