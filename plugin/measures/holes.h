/* Holes of sound: runs of samples that are exactly 0, between sound that is loud up to them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_HOLES_H
#define HISTO_HOLES_H

#include <glib.h>

G_BEGIN_DECLS

/* A hole lasts so long, in seconds, and has so many samples at least. What is longer is silence. */
#define HISTO_HOLES_LEAST 0.02
#define HISTO_HOLES_LEAST_SAMPLES 16
#define HISTO_HOLES_MOST 2.0
/* The sound has a sample of so large a share of full scale, -40 dBFS, so close to the hole, in seconds. */
#define HISTO_HOLES_LOUD 0.01
#define HISTO_HOLES_CLOSE 0.005
/* The sound goes on without another such run for longer than the hole, and for longer than this, in seconds. */
#define HISTO_HOLES_SOUND 0.1

/* Holes that have been found. */
typedef struct
{
  guint64 count;
  guint64 start, length;        /* of the last one, in samples; start: as HistoHoles.n counts */
} HistoHolesFound;

/* What is known of the samples of a channel up to here. It does not depend on how they were divided into pieces. */
typedef struct
{
  /* In samples. */
  guint least, close;
  guint64 most, sound;
  gdouble loud;                 /* as the samples are */
  gdouble *latest;              /* the last samples, at most `close` */
  guint n_latest;

  guint64 n;                    /* samples so far */
  guint64 zeros;                /* length of the run of zeros that lasts up to here; they are in nothing below */
  guint64 since;                /* samples since the run before, or since the restart */
  /* The run before, while it may be a hole. */
  gboolean is_waiting;
  guint64 start, length;
  gdouble behind;               /* the greatest |x| close behind it */
} HistoHoles;

void histo_holes_init (HistoHoles * holes, guint rate, gdouble full_scale);
void histo_holes_clear (HistoHoles * holes);
void histo_holes_restart (HistoHoles * holes);
void histo_holes_add (HistoHoles * holes, const gdouble * x, guint n,
    HistoHolesFound * found);

G_END_DECLS

#endif /* HISTO_HOLES_H */
