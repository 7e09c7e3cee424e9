/* What XPSNR needs to know of the blocks of two pictures; see blocks.h.
 *
 * A row of blocks is counted at a time, so that its samples stay in the processor's cache: into sums of columns, which
 * become sums of blocks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/blocks.h"

/* For one type of samples and one set of instructions. */
typedef struct
{
  gsize square_bytes;           /* of a column's squared errors */
  void (*add_errors) (gconstpointer a, gconstpointer b, guint n, guint mask, gpointer columns);
  void (*add_detail) (gconstpointer const rows[3], guint n, guint mask, gpointer sums, guint32 * columns);
  void (*add_change) (gconstpointer frame, gconstpointer before, guint n, guint mask, guint32 * columns);
  void (*add_second_change) (gconstpointer frame, gconstpointer before, gconstpointer before_that, guint n,
      guint mask, guint32 * columns);
  void (*sum_two) (gconstpointer a, gconstpointer b, guint n, guint mask, gint32 * sums);
  void (*add_detail_of_cells) (const gint32 * inner, const gint32 * next, const gint32 * outer, guint n,
      guint32 * columns);
  void (*add_change_of_cells) (const gint32 * frame, const gint32 * before, const gint32 * before_that, guint n,
      guint32 * columns);
} Loops;

#define TARGET
#define WITH(name) name
#include "compare/blocks-types.h"
#undef WITH
#undef TARGET

#if defined (__x86_64__) && defined (__GNUC__)
#define TARGET __attribute__ ((target ("avx2")))
#define WITH(name) name##_avx2
#include "compare/blocks-types.h"
#undef WITH
#undef TARGET
#define CHOOSE(name) (__builtin_cpu_supports ("avx2") ? &name##_avx2 : &name)
#else
#define CHOOSE(name) (&name)
#endif

/* The filter of samples of up to 10 bits fits in 16 bits, and their squared errors in a column of a block in 32. */
#define MOST_NARROW_DEPTH 10

static const Loops *
choose_loops (const HistoBlocksPart * part)
{
  if (!part->is_wide)
    return CHOOSE (loops_of_bytes);
  return part->depth <= MOST_NARROW_DEPTH ? CHOOSE (loops_of_words) : CHOOSE (loops_of_deep_words);
}

static guint
mask_of (const HistoBlocksPart * part)
{
  return (1u << part->depth) - 1;
}

/* A row of the rectangle. */
static gconstpointer
row_of (const HistoPlane * plane, const HistoBlocksPart * part, guint y)
{
  return (const guint8 *) (guintptr) plane->data + (gint64) (part->y + y) * plane->stride
      + (gsize) part->x * (part->is_wide ? 2 : 1);
}

/* ---- Activity ------------------------------------------------------------------------------------ */

/* Sums of columns, and what the loops need. */
typedef struct
{
  const HistoXpsnrGrid *grid;
  const HistoBlocksPart *part;
  const Loops *loops;
  const HistoPlane *frames[3];  /* the frame, the one before, and the one before that; (nullable): zeros */
  gboolean is_second;
  guint32 *detail, *change;     /* of each column, in the row of blocks */
  gint32 *sums[3];              /* of the columns of two rows, and one more; or room for add_detail() */
  gconstpointer zeros;          /* a row of samples */
} Activity;

static gconstpointer
row_of_frame (const Activity * activity, guint i, guint y)
{
  return activity->frames[i] != NULL ? row_of (activity->frames[i], activity->part, y) : activity->zeros;
}

static void
add_row (const Activity * activity, guint y)
{
  const Loops *loops = activity->loops;
  const guint n = activity->part->width, mask = mask_of (activity->part);

  if (y > 0 && y + 1 < activity->part->height) {
    gconstpointer rows[3];

    for (guint i = 0; i < 3; i++)
      rows[i] = row_of_frame (activity, 0, y + i - 1);
    loops->add_detail (rows, n, mask, activity->sums[0], activity->detail);
  }
  if (activity->is_second)
    loops->add_second_change (row_of_frame (activity, 0, y), row_of_frame (activity, 1, y),
        row_of_frame (activity, 2, y), n, mask, activity->change);
  else
    loops->add_change (row_of_frame (activity, 0, y), row_of_frame (activity, 1, y), n, mask, activity->change);
}

/* Adds up two rows of a frame. Rows below the picture are as its last one. */
static void
sum_rows (const Activity * activity, guint i, guint y_a, guint y_b, gint32 * sums)
{
  const guint last = activity->part->height - 1;

  activity->loops->sum_two (row_of_frame (activity, i, MIN (y_a, last)), row_of_frame (activity, i, MIN (y_b, last)),
      activity->part->width, mask_of (activity->part), sums);
}

/* Two rows, from @y on. */
static void
add_cells (const Activity * activity, guint y)
{
  const guint n = activity->part->width;
  gint32 *const *sums = activity->sums;

  if (y >= 2 && y + 2 < activity->part->height) {
    sum_rows (activity, 0, y, y + 1, sums[0]);
    sum_rows (activity, 0, y - 1, y + 2, sums[1]);
    sum_rows (activity, 0, y - 2, y + 3, sums[2]);
    activity->loops->add_detail_of_cells (sums[0], sums[1], sums[2], n, activity->detail);
  }
  for (guint i = 0; i < 3; i++)
    sum_rows (activity, i, y, y + 1, sums[i]);
  activity->loops->add_change_of_cells (sums[0], sums[1], activity->is_second ? sums[2] : NULL, n, activity->change);
}

/* Room for what the loops need: zeroed. */
static guint8 *
find_room (HistoComparisonScratch * scratch, gsize n)
{
  guint8 *memory = histo_comparison_scratch_room (scratch, n);

  memset (memory, 0, n);
  return memory;
}

/**
 * histo_blocks_add_activity:
 * @grid: of the rectangle
 * @part: of the leading component
 * @frame: of the reference
 * @before, @before_that: (nullable): of the frames before it; NULL: there was none, which counts as zeros
 * @is_second: the change is that of the change
 * @row: of the grid
 * @blocks: (inout): of this row: get detail and change
 */
void
histo_blocks_add_activity (const HistoXpsnrGrid * grid, const HistoBlocksPart * part, const HistoPlane * frame,
    const HistoPlane * before, const HistoPlane * before_that, gboolean is_second, guint row,
    HistoComparisonScratch * scratch, HistoXpsnrBlock * blocks)
{
  const guint n = part->width, room = n + 1, first = row * grid->side, end = MIN (first + grid->side, part->height);
  guint32 *memory;
  Activity activity = {
    .grid = grid,.part = part,.loops = choose_loops (part),.frames = {frame, before, before_that},.is_second = is_second
  };

  if (grid->side == 0)
    return;
  memory = (guint32 *) find_room (scratch, 6 * room * sizeof *memory);
  activity.detail = memory;
  activity.change = memory + room;
  for (guint i = 0; i < 3; i++)
    activity.sums[i] = (gint32 *) (memory + (2 + i) * room);
  activity.zeros = memory + 5 * room;
  for (guint y = first; y < end; y += grid->step)
    grid->step == 1 ? add_row (&activity, y) : add_cells (&activity, y);
  for (guint x = 0; x < n; x++) {
    blocks[x / grid->side].detail += activity.detail[x];
    blocks[x / grid->side].change += activity.change[x];
  }
}

/* ---- Errors -------------------------------------------------------------------------------------- */

/**
 * histo_blocks_add_errors:
 * @grid: of the leading component's rectangle
 * @part: of component @c. The last blocks have all that is left
 * @row: of the grid
 * @blocks: (inout): of this row: get the errors of component @c
 */
void
histo_blocks_add_errors (const HistoXpsnrGrid * grid, const HistoBlocksPart * part, const HistoPlane * a,
    const HistoPlane * b, guint c, guint row, HistoComparisonScratch * scratch, HistoXpsnrBlock * blocks)
{
  const Loops *loops = choose_loops (part);
  const guint n = part->width;
  const guint side_x = grid->side == 0 ? n : histo_xpsnr_side (grid->side, n, grid->width);
  const guint side_y = grid->side == 0 ? part->height : histo_xpsnr_side (grid->side, part->height, grid->height);
  const guint end = row + 1 == grid->rows ? part->height : (row + 1) * side_y;
  gpointer columns = find_room (scratch, n * loops->square_bytes);

  for (guint y = row * side_y; y < end; y++)
    loops->add_errors (row_of (a, part, y), row_of (b, part, y), n, mask_of (part), columns);
  for (guint x = 0; x < n; x++)
    blocks[MIN (x / side_x, grid->columns - 1)].errors[c] +=
        loops->square_bytes == sizeof (guint64) ? ((const guint64 *) columns)[x] : ((const guint32 *) columns)[x];
}
