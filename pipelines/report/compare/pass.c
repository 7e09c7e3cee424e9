/* The one pass over two inputs; see pass.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/pass.h"

/* Where the buffers of a stream go. */
typedef struct
{
  gboolean is_audio;
  guint place;                  /* among the streams of its medium */
} Route;

typedef struct
{
  ReportPass *pass;
  guint number;                 /* 0: A, 1: B */
  ReportTap tap;
  /* Under the lock. */
  GArray *routes;               /* (element-type Route): of each stream; NULL: not listed yet */
  guint n_of_medium[2];         /* video, sound */
  gboolean has_ended, is_open;
} Side;

struct _ReportPass
{
  gchar *measures;
  gint64 begin;
  Side sides[2];
  GMutex lock;                  /* of what follows, and of the parts of sides */
  GCond changed;
  gboolean is_paired;           /* the streams of both sides are known */
  GPtrArray *pictures;          /* (element-type ReportPictures): of each pair of videos */
  GPtrArray *sounds;            /* (element-type ReportSounds): of each pair of sounds */
};

/* No more frames and samples of a side will come. Under the lock. */
static void
end_streams (ReportPass * pass, guint side)
{
  for (guint i = 0; i < pass->pictures->len; i++)
    report_pictures_end (pass->pictures->pdata[i], side);
  for (guint i = 0; i < pass->sounds->len; i++)
    report_sounds_end (pass->sounds->pdata[i], side);
}

/* Those of a side do not wait any more. Under the lock. */
static void
open_streams (ReportPass * pass, guint side)
{
  for (guint i = 0; i < pass->pictures->len; i++)
    report_pictures_open (pass->pictures->pdata[i], side);
  for (guint i = 0; i < pass->sounds->len; i++)
    report_sounds_open (pass->sounds->pdata[i], side);
}

/* Both inputs have listed their streams: makes what compares each pair. Under the lock. */
static void
pair_streams (ReportPass * pass)
{
  const guint n = MIN (pass->sides[0].n_of_medium[0], pass->sides[1].n_of_medium[0]);
  const guint n_sounds = MIN (pass->sides[0].n_of_medium[1], pass->sides[1].n_of_medium[1]);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (pass->pictures, report_pictures_new (pass->measures, pass->begin, i == 0));
  for (guint i = 0; i < n_sounds; i++)
    g_ptr_array_add (pass->sounds, report_sounds_new (pass->begin, n == 0 && i == 0));
  /* One may have ended before the other one has begun. */
  for (guint s = 0; s < 2; s++) {
    if (pass->sides[s].has_ended)
      end_streams (pass, s);
    if (pass->sides[s].is_open)
      open_streams (pass, s);
  }
  pass->is_paired = TRUE;
  g_cond_broadcast (&pass->changed);
}

static void
begin (gpointer data, const ReportStream * streams, guint n)
{
  Side *side = data;
  ReportPass *pass = side->pass;

  g_mutex_lock (&pass->lock);
  /* A pipeline that could not read the input has ended before. */
  side->is_open = FALSE;
  side->routes = g_array_new (FALSE, FALSE, sizeof (Route));
  for (guint i = 0; i < n; i++) {
    const Route route = { streams[i].is_audio, side->n_of_medium[streams[i].is_audio ? 1 : 0]++ };

    g_array_append_val (side->routes, route);
  }
  if (pass->sides[1 - side->number].routes != NULL)
    pair_streams (pass);
  g_mutex_unlock (&pass->lock);
}

static void
take (gpointer data, guint stream, GstBuffer * buffer, GstCaps * caps, guint64 time)
{
  Side *side = data;
  ReportPass *pass = side->pass;
  const Side *other = &pass->sides[1 - side->number];
  ReportPictures *pictures = NULL;
  ReportSounds *sounds = NULL;
  Route route;

  g_mutex_lock (&pass->lock);
  while (!pass->is_paired && !side->is_open && !other->has_ended)
    g_cond_wait (&pass->changed, &pass->lock);
  route = g_array_index (side->routes, Route, stream);
  if (pass->is_paired && !route.is_audio && route.place < pass->pictures->len)
    pictures = pass->pictures->pdata[route.place];
  if (pass->is_paired && route.is_audio && route.place < pass->sounds->len)
    sounds = pass->sounds->pdata[route.place];
  g_mutex_unlock (&pass->lock);
  if (pictures != NULL)
    report_pictures_take (pictures, side->number, buffer, caps, time);
  if (sounds != NULL)
    report_sounds_take (sounds, side->number, buffer, caps, time);
}

static void
open_side (gpointer data)
{
  Side *side = data;
  ReportPass *pass = side->pass;

  g_mutex_lock (&pass->lock);
  side->is_open = TRUE;
  open_streams (pass, side->number);
  g_cond_broadcast (&pass->changed);
  g_mutex_unlock (&pass->lock);
}

/* An input has been measured. */
void
report_pass_end (ReportPass * pass, guint side)
{
  g_mutex_lock (&pass->lock);
  pass->sides[side].has_ended = TRUE;
  end_streams (pass, side);
  g_cond_broadcast (&pass->changed);
  g_mutex_unlock (&pass->lock);
}

/* Waits until all is compared. Both inputs have been measured. */
void
report_pass_finish (ReportPass * pass)
{
  for (guint i = 0; i < pass->pictures->len; i++)
    report_pictures_finish (pass->pictures->pdata[i]);
  for (guint i = 0; i < pass->sounds->len; i++)
    report_sounds_finish (pass->sounds->pdata[i]);
}

/* Returns: (nullable): the result of the pair of videos with this place; NULL: there is no such pair */
const ReportPicturesResult *
report_pass_pictures (const ReportPass * pass, guint place)
{
  return place < pass->pictures->len ? report_pictures_finish (pass->pictures->pdata[place]) : NULL;
}

/* Returns: (nullable): the difference of the pair of sounds with this place; NULL: there is no such pair */
const ReportSoundDifference *
report_pass_sound (const ReportPass * pass, guint place)
{
  return place < pass->sounds->len ? report_sounds_finish (pass->sounds->pdata[place]) : NULL;
}

/* Returns: (transfer none): to be given to what measures the side */
const ReportTap *
report_pass_tap (ReportPass * pass, guint side)
{
  return &pass->sides[side].tap;
}

/**
 * report_pass_new:
 * @measures: of cudahistocompare
 * @begins: the time in B at which A begins, in ns
 */
ReportPass *
report_pass_new (const gchar * measures, gint64 begins)
{
  ReportPass *pass = g_new0 (ReportPass, 1);

  pass->measures = g_strdup (measures);
  pass->begin = begins;
  pass->pictures = g_ptr_array_new_with_free_func ((GDestroyNotify) report_pictures_free);
  pass->sounds = g_ptr_array_new_with_free_func ((GDestroyNotify) report_sounds_free);
  g_mutex_init (&pass->lock);
  g_cond_init (&pass->changed);
  for (guint i = 0; i < 2; i++) {
    pass->sides[i].pass = pass;
    pass->sides[i].number = i;
    pass->sides[i].tap = (ReportTap) { &pass->sides[i], begin, take, open_side };
  }
  return pass;
}

/* No thread may use it any more. */
void
report_pass_free (ReportPass * pass)
{
  g_ptr_array_unref (pass->pictures);
  g_ptr_array_unref (pass->sounds);
  for (guint i = 0; i < 2; i++)
    g_clear_pointer (&pass->sides[i].routes, g_array_unref);
  g_mutex_clear (&pass->lock);
  g_cond_clear (&pass->changed);
  g_free (pass->measures);
  g_free (pass);
}
