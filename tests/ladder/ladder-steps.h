/* The steps: what each teaches, how it is launched, and whether it is exact.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LADDER_STEPS_H
#define LADDER_STEPS_H

#include "ladder-data.h"

typedef enum
{
  LADDER_REDUCTION,
  LADDER_HISTOGRAM_8,
  LADDER_HISTOGRAM_16,
  LADDER_SPLITTING,
  LADDER_ELIMINATION,
  LADDER_N_FAMILIES
} LadderFamily;

/* A ladder: its steps are given the same data, content by content. */
typedef struct
{
  const gchar *name;
  LadderContent first, last;
  const gchar *roofline;        /* a kernel that does what cannot be spared */
  guint bytes_moved;            /* by it, for each byte of the data */
} LadderFamilyInfo;

extern const LadderFamilyInfo ladder_families[LADDER_N_FAMILIES];

typedef enum
{
  LADDER_ONE_LAUNCH,
  LADDER_TWO_PASSES,            /* and then the kernel ladder_second_pass_... */
  LADDER_COOPERATIVE,
  LADDER_IN_CLUSTERS
} LadderManner;

typedef struct
{
  LadderFamily family;
  const gchar *id;              /* of the kernel, after ladder_ */
  const gchar *title;
  const gchar *lesson;
  LadderManner manner;
  guint elements_per_block;     /* or matrices; 0: large blocks, no more than are resident */
  guint shared_bytes;           /* dynamic */
  gboolean finds_zero;          /* its time is that of setting the result to zero, too */
  gboolean is_for_int;          /* alone */
  guint vectors_alone;          /* of a thread, up to which one large block does all */
} LadderStep;

extern const LadderStep ladder_steps[];
extern const guint ladder_n_steps;

/* A step, or the roofline of its family (step == NULL), at one size: a LadderCall's data.
 * Calls rotate through memory, each with the next n elements, so that the cache has none
 * of them if memory is several times larger. */
typedef struct
{
  LadderDevice *device;
  const LadderFamilyInfo *family;
  const LadderStep *step;
  LadderContent content;
  guint size;                   /* that was asked for: 2^k */
  guint n;                      /* whole frames or matrices of it */
  CUdeviceptr data, result, partials, slots, ticket;
  gsize memory_bytes;           /* of data, and of result if words are moved there */
  const gchar *second_kernel;
  LadderLaunch launch;
} LadderCase;

/* FALSE, with the reason in `*why`, if the step is not for this content or device. */
gboolean ladder_case_init (LadderCase * c, const gchar ** why);
void ladder_case_call (gpointer c, guint number);
/* Whether the step is exact on the first n elements, twice. */
gboolean ladder_case_is_exact (LadderCase * c,
    const LadderExpectation * expectation);

/* Bytes that a case's partials and slots need; the slots are zero before the first call. */
gsize ladder_partials_bytes (const LadderDevice * device);
gsize ladder_slots_bytes (const LadderDevice * device);

#endif /* LADDER_STEPS_H */
