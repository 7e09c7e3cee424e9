/* The steps: what each teaches, how it is launched, and whether it is exact.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "ladder-steps.h"

#include "ladder-elimination.h"

#include <string.h>

const LadderFamilyInfo ladder_families[LADDER_N_FAMILIES] = {
  [LADDER_REDUCTION] = { "reduction", LADDER_INT, LADDER_HALF, "read_only", 1 },
  [LADDER_HISTOGRAM_8] = { "histogram", LADDER_UNIFORM_8, LADDER_CONSTANT_8,
      "read_only", 1 },
  [LADDER_HISTOGRAM_16] = { "histogram, 65536 bins", LADDER_UNIFORM_16,
      LADDER_CONSTANT_16, "read_only", 1 },
  [LADDER_SPLITTING] = { "splitting", LADDER_SAMPLES, LADDER_SAMPLES, "copy", 2 },
  [LADDER_ELIMINATION] = { "elimination", LADDER_ORDER_31, LADDER_ORDER_511, "copy", 2 },
};

#define COUNTER 4               /* bytes */

#define SUM(id, title, per_block, lesson) \
  { LADDER_REDUCTION, id, title, lesson, LADDER_ONE_LAUNCH, per_block, 0, TRUE, FALSE, 1 }
#define COUNT(id, title, copies_bytes, lesson) \
  { LADDER_HISTOGRAM_8, id, title, lesson, LADDER_ONE_LAUNCH, 0, copies_bytes, TRUE, FALSE, \
    1 }
#define SPLIT(id, title, lesson) \
  { LADDER_SPLITTING, id, title, lesson, LADDER_ONE_LAUNCH, LADDER_TILE * LADDER_TILE, 0, \
    FALSE, FALSE, 1 }

#define ELIMINATE(id, title, per_block, lesson) \
  { LADDER_ELIMINATION, id, title, lesson, LADDER_ONE_LAUNCH, per_block, 0, FALSE, FALSE, 1 }

const LadderStep ladder_steps[] = {
  SUM ("atomic_per_element", "one atomic per element", LADDER_SMALL_BLOCK,
      "Atomic additions to one address are executed one after another, however many "
      "threads make them."),
  SUM ("lane_serial", "one lane per warp", LADDER_SMALL_BLOCK,
      "In each warp one lane works and 31 lanes idle. A warp costs the same whether one "
      "lane works or all."),
  SUM ("thread_serial", "one thread per block", LADDER_SMALL_BLOCK,
      "In each block one thread works. It waits for memory, and only other working "
      "threads could hide that time."),
  SUM ("tree_divergent", "tree, interleaved, divergent", LADDER_SMALL_BLOCK,
      "A tree takes log2 n steps. But here the working threads are spread over all warps, "
      "so every warp runs every step."),
  SUM ("tree_strided", "tree, strided indices", LADDER_SMALL_BLOCK,
      "The working threads are neighbours now. But the words that they address are 2, 4, "
      "8, ... words apart, so they lie in the same banks of shared memory."),
  SUM ("tree_sequential", "tree, sequential addresses", LADDER_SMALL_BLOCK,
      "Neighbouring threads address neighbouring words: no divergence and no bank "
      "conflicts."),
  SUM ("add_during_load", "first add during load", 2 * LADDER_SMALL_BLOCK,
      "Before, half of the threads did nothing but load. Now each thread adds once before "
      "the tree begins, and half as many blocks are needed."),
  SUM ("unrolled", "loop unrolled", 2 * LADDER_SMALL_BLOCK,
      "The compiler knows the block's size, so the loop's own instructions disappear."),
  SUM ("last_warp_unrolled", "last warp unrolled", 2 * LADDER_SMALL_BLOCK,
      "One warp adds the last 32 sums. The other warps end, and five barriers of the "
      "block become barriers of a warp."),
  SUM ("shuffle_per_warp", "warp shuffle, one atomic per warp", 2 * LADDER_SMALL_BLOCK,
      "Lanes read each other's registers: no shared memory and no barrier. But each warp "
      "makes an atomic addition."),
  SUM ("shuffle_per_block", "warp shuffle, one atomic per block", 2 * LADDER_SMALL_BLOCK,
      "The warps' sums are added up in shared memory: one barrier, and an eighth of the "
      "atomic additions."),
  SUM ("coarsened", "grid-stride loop", 0,
      "There are only as many blocks as the device runs at once. Each thread goes on "
      "until all is read, four loads at a time. So the cost of a block is paid a few "
      "hundred times at most."),
  SUM ("vector_loads", "16-byte loads", 0,
      "One instruction that loads 16 bytes replaces four. With as many loads in flight as "
      "before, four times as many bytes are in flight."),
  { LADDER_REDUCTION, "redux", "redux.sync",
    "One instruction adds up a warp, instead of ten. It exists for integers, and helps "
    "where warps are added up often.",
    LADDER_ONE_LAUNCH, 0, 0, TRUE, TRUE, 1 },
  { LADDER_REDUCTION, "two_pass", "two passes, no atomics",
    "Each block stores its sum, and a second launch adds the sums. Nothing has to be set "
    "to zero, but there is another launch to wait for. Production does this where each "
    "block has many sums.",
    LADDER_TWO_PASSES, 0, 0, FALSE, FALSE, 1 },
  { LADDER_REDUCTION, "grid_sync", "cooperative grid sync",
    "The second pass without a second launch: all blocks wait for each other.",
    LADDER_COOPERATIVE, 0, 0, FALSE, FALSE, 1 },
  { LADDER_REDUCTION, "last_block", "last block, single pass",
    "No block waits. Each block draws a ticket, and the block that draws the last ticket "
    "adds the sums.",
    LADDER_ONE_LAUNCH, 0, 0, FALSE, FALSE, 1 },
  { LADDER_REDUCTION, "last_block_tagged", "last block, tagged sums",
    "A sum and the mark that it is written are one 64-bit word, so no fence has to hold "
    "back the ticket until the sum is written. The block with the last ticket reads again "
    "what is not yet written.",
    LADDER_ONE_LAUNCH, 0, 0, FALSE, FALSE, LADDER_ALONE_VECTORS },
  { LADDER_REDUCTION, "last_block_early", "last block, ticket drawn early",
    "The sums themselves say when they are written, so a block can draw its ticket before "
    "it reads its data, and the ticket arrives meanwhile. The block that began last adds "
    "the sums. It waits only for blocks that have begun, and those wait for no block.",
    LADDER_ONE_LAUNCH, 0, 0, FALSE, FALSE, LADDER_ALONE_VECTORS },
  { LADDER_REDUCTION, "last_block_packed", "last block, ticket and sum in one",
    "One 64-bit atomic addition carries the count of blocks in its upper half and the sum "
    "in its lower half. The block whose addition completes the count holds the sum, after "
    "one round trip to memory instead of four. Production finishes every counter of a "
    "frame this way.",
    LADDER_ONE_LAUNCH, 0, 0, FALSE, TRUE, LADDER_ALONE_VECTORS },

  COUNT ("global_atomics", "global atomics", 0,
      "Correct and short. Equal samples queue at one address in the cache."),
  COUNT ("copy_per_block", "a copy for each block", LADDER_BINS_8 * COUNTER,
      "Each block counts in its own shared memory. Equal samples still queue, but only "
      "with those of the same block."),
  COUNT ("copy_per_warp", "a copy for each warp", 32 * LADDER_BINS_8 * COUNTER,
      "Warps no longer share a counter. But the lanes of a warp do, and they count at the "
      "same time."),
  COUNT ("copy_per_lane", "a copy for each lane, unpadded", 32 * LADDER_BINS_8 * COUNTER,
      "No two lanes share a counter. But a bin lies in the same bank in all copies, so "
      "equal samples queue as before."),
  COUNT ("copy_per_lane_padded", "a copy for each lane, padded",
      32 * (LADDER_BINS_8 + 1) * COUNTER,
      "One word between the copies moves each copy by one bank: equal samples never share "
      "a bank, unequal ones do by chance."),
  COUNT ("lane_private_sectioned", "a bank for each lane, sectioned",
      32 * LADDER_BINS_8 * COUNTER,
      "The copies of a bin lie side by side, so no two lanes ever share a bank. But each "
      "thread reads a section of its own, so the loads of a warp are scattered."),
  COUNT ("lane_private", "a bank for each lane, interleaved",
      32 * LADDER_BINS_8 * COUNTER,
      "Neighbouring threads read neighbouring vectors and count without conflicts, "
      "whatever the picture is. Production does this, and spreads the loads among the "
      "counting."),
  COUNT ("lane_private_runs", "a bank for each lane, runs joined",
      32 * LADDER_BINS_8 * COUNTER,
      "Equal neighbours are counted at once: fewer additions where there are runs, but a "
      "comparison for each sample everywhere."),

  { LADDER_HISTOGRAM_16, "global_atomics_16", "global atomics",
    "65536 counters of 32 bits do not fit into a multiprocessor's shared memory, so they "
    "are counted in the cache.",
    LADDER_ONE_LAUNCH, 0, 0, TRUE, FALSE, 1 },
  { LADDER_HISTOGRAM_16, "cluster_copy", "distributed shared memory",
    "Each block of a cluster keeps a part of the counters, and the blocks count in each "
    "other's shared memory.",
    LADDER_IN_CLUSTERS, 0, LADDER_CLUSTER_BINS * COUNTER, TRUE, FALSE, 1 },
  { LADDER_HISTOGRAM_16, "packed_copy", "a copy of 16-bit counters",
    "Counters of 16 bits fit. A thread that finds a counter half full moves its content "
    "to global memory. Production does this, and counts equal neighbours at once.",
    LADDER_ONE_LAUNCH, 0, LADDER_BINS_16 * COUNTER / 2, TRUE, FALSE, 1 },

  SPLIT ("split_directly", "no tile",
      "Reads are side by side. Writes are as far apart as a channel is long, so each "
      "moves a whole sector of memory for one word."),
  SPLIT ("split_plain_tile", "tile, plain",
      "Reads and writes are side by side in memory. But with 32 words a row, a column of "
      "the tile lies in one bank."),
  SPLIT ("split_padded_tile", "tile, padded",
      "With 33 words a row, a column lies in 32 banks. The price is one word a row."),
  SPLIT ("split_swizzled_tile", "tile, swizzled",
      "The same without the extra words: the words of a row are permuted by the row's "
      "number."),

  ELIMINATE ("eliminate_serial", "a thread for each matrix", LADDER_SMALL_BLOCK,
      "Each thread works alone, from the last row to the first. Neighbouring threads read from "
      "different matrices, so every load moves a whole sector of memory for one element, and the "
      "carried row goes through memory in each step."),
  ELIMINATE ("eliminate_block", "a block for each matrix", 1,
      "The carried row lies in shared memory, and loads are side by side. But all threads wait for "
      "the pivot in each step: a load, a division, a barrier. What a short row needs, "
      "a few of the threads do."),
  ELIMINATE ("eliminate_warp", "a warp for each matrix", LADDER_SMALL_BLOCK / 32,
      "The carried row lies in registers, and the pivot's lane tells the others by a shuffle: no barrier. Other "
      "warps work while one waits for its division."),
  ELIMINATE ("eliminate_ahead", "a warp for each matrix, rows read ahead", LADDER_SMALL_BLOCK / 32,
      "The pivots depend on each other, the rows that are read do not. They are loaded some steps before, so that a "
      "step waits for the step before it alone."),
};

const guint ladder_n_steps = G_N_ELEMENTS (ladder_steps);

/* ---- Launches ---------------------------------------------------------------------- */

static gsize
data_bytes (const LadderCase *c)
{
  return c->n * ladder_element_bytes (c->content);
}

static gsize
result_bytes (const LadderCase *c)
{
  switch (c->family - ladder_families) {
    case LADDER_REDUCTION: return sizeof (gint32);
    case LADDER_HISTOGRAM_8: return LADDER_BINS_8 * COUNTER;
    case LADDER_HISTOGRAM_16: return LADDER_BINS_16 * COUNTER;
    default: return data_bytes (c);
  }
}

gsize
ladder_partials_bytes (const LadderDevice *device)
{
  return (gsize) LADDER_LARGE_BLOCKS *device->n_multiprocessors * sizeof (gint32);
}

gsize
ladder_slots_bytes (const LadderDevice *device)
{
  return (gsize) LADDER_LARGE_BLOCKS *device->n_multiprocessors * sizeof (guint64);
}

static gboolean
is_possible (const LadderCase *c, const gchar **why)
{
  const LadderStep *step = c->step;

  if (step->is_for_int && c->content != LADDER_INT)
    *why = "there is no such instruction for this type";
  else if (step->shared_bytes > (guint) c->device->shared_memory_per_block)
    *why = "a block has not as much shared memory";
  else if (step->manner == LADDER_IN_CLUSTERS && c->device->compute_capability < 90)
    *why = "the device has no clusters";
  else
    return TRUE;
  return FALSE;
}

/* As many large blocks as there are vectors for their threads, at most as many as are
 * resident; and one where the step's can do alone. */
static void
shape_large (LadderCase *c)
{
  LadderLaunch *launch = &c->launch;
  const gsize n_vectors = data_bytes (c) / 16;
  const guint alone = c->step != NULL ? c->step->vectors_alone : 1;
  guint most;

  launch->threads = LADDER_LARGE_BLOCK;
  most = MIN (ladder_occupancy (c->device, launch), LADDER_LARGE_BLOCKS)
      * c->device->n_multiprocessors;
  launch->blocks = CLAMP ((n_vectors + launch->threads - 1) / launch->threads, 1, most);
  if (n_vectors <= (gsize) alone * launch->threads)
    launch->blocks = 1;
  if (launch->cluster > 0)
    launch->blocks =
        MAX (launch->blocks / launch->cluster, 1) * launch->cluster;
}

static void
shape_small (LadderCase *c)
{
  LadderLaunch *launch = &c->launch;
  const guint per_block = c->step->elements_per_block;

  launch->threads = LADDER_SMALL_BLOCK;
  launch->blocks = (c->n + per_block - 1) / per_block;
  if (c->step->family == LADDER_SPLITTING) {
    launch->threads = LADDER_TILE * LADDER_TILE_ROWS;
    launch->blocks = (c->n / LADDER_CHANNELS + LADDER_TILE - 1) / LADDER_TILE;
    launch->blocks_y = LADDER_CHANNELS / LADDER_TILE;
  } else if (c->step->family == LADDER_ELIMINATION) {
    launch->blocks = (c->n / ladder_matrix_elements (ladder_order (c->content)) + per_block - 1) / per_block;
  }
}

/* The launch refers to the kernel's name for good, hence one string for each. */
static const gchar *
kernel_name (const LadderCase *c, const gchar *id)
{
  gchar *name = c->family == &ladder_families[LADDER_REDUCTION]
      || c->family == &ladder_families[LADDER_ELIMINATION]
      ? g_strdup_printf ("ladder_%s_%s", id, ladder_content_name (c->content))
      : g_strdup_printf ("ladder_%s", id);
  const gchar *kept = g_intern_string (name);

  g_free (name);
  return kept;
}

gboolean
ladder_case_init (LadderCase *c, const gchar **why)
{
  const LadderStep *step = c->step;

  memset (&c->launch, 0, sizeof c->launch);
  if (step == NULL) {
    gchar *name = g_strdup_printf ("ladder_%s", c->family->roofline);

    c->launch.kernel = g_intern_string (name);
    g_free (name);
    shape_large (c);
    return TRUE;
  }
  if (!is_possible (c, why))
    return FALSE;
  c->launch.kernel = kernel_name (c, step->id);
  c->second_kernel = kernel_name (c, "second_pass");
  c->launch.shared_bytes = step->shared_bytes;
  c->launch.is_cooperative = step->manner == LADDER_COOPERATIVE;
  c->launch.cluster = step->manner == LADDER_IN_CLUSTERS ? LADDER_CLUSTER : 0;
  if (step->elements_per_block > 0)
    shape_small (c);
  else
    shape_large (c);
  return TRUE;
}

void
ladder_case_call (gpointer data, guint number)
{
  const LadderCase *c = data;
  /* Vectors of 16 bytes are loaded. */
  const gsize slice = (data_bytes (c) + 15) / 16 * 16, n_slices = MAX (c->memory_bytes / slice, 1);
  const gsize offset = number % n_slices * slice;
  const gboolean moves = c->family->bytes_moved > 1;
  LadderTask task = {
    .data = c->data + offset,
    .result = c->result + (moves ? offset : 0),
    .partials = c->partials,
    .slots = c->slots,
    .ticket = c->ticket,
    .n = c->step == NULL ? data_bytes (c) / 16 : c->n,
  };

  if (c->step != NULL && c->step->finds_zero)
    ladder_set (c->device, task.result, 0, result_bytes (c));
  ladder_launch (c->device, &c->launch, &task);
  if (c->step != NULL && c->step->manner == LADDER_TWO_PASSES) {
    LadderLaunch second = { c->second_kernel, 1, 1, LADDER_LARGE_BLOCK, 0, 0, FALSE };

    task.n = c->launch.blocks;
    ladder_launch (c->device, &second, &task);
  }
}

/* ---- Exactness ------------------------------------------------------------------------ */

static gboolean
is_expected (LadderCase *c, const LadderExpectation *expectation)
{
  const gsize bytes = result_bytes (c);
  gpointer result;
  gboolean is_right;

  if (c->step->family == LADDER_SPLITTING)
    return ladder_is_split (c->device, c->result, c->n);
  if (c->step->family == LADDER_ELIMINATION)
    return ladder_is_eliminated (c->device, c->result, c->content, c->n);
  result = ladder_alloc_host (c->device, bytes);
  ladder_download (c->device, result, c->result, bytes);
  if (c->step->family != LADDER_REDUCTION)
    is_right = memcmp (result, expectation->counters, bytes) == 0;
  else if (c->content == LADDER_INT)
    is_right = *(gint32 *) result == expectation->sum;
  else
    is_right = *(gfloat *) result == expectation->sum;
  ladder_free_host (c->device, result);
  return is_right;
}

/* Whether no slot says that it has a sum. What is there beside that, is made another. */
static gboolean
slots_are_empty (LadderCase *c)
{
  const gsize bytes = ladder_slots_bytes (c->device);
  guint64 *slots = ladder_alloc_host (c->device, bytes);
  gboolean are_empty = TRUE;

  ladder_download (c->device, slots, c->slots, bytes);
  for (gsize i = 0; i < bytes / sizeof *slots; i++) {
    are_empty = are_empty && slots[i] >> 32 != LADDER_ARRIVED;
    slots[i] ^= 0xa5a5a5a5;
  }
  ladder_upload (c->device, c->slots, slots, bytes);
  ladder_free_host (c->device, slots);
  return are_empty;
}

gboolean
ladder_case_is_exact (LadderCase *c, const LadderExpectation *expectation)
{
  /* What a launch leaves behind, the next one must do with. */
  const guint n_times = c->family->bytes_moved > 1 ? 1 : 2;

  for (guint i = 0; i < n_times; i++) {
    ladder_set (c->device, c->result, 0xa5, result_bytes (c));
    /* The steps before left the very sums there. */
    ladder_set (c->device, c->partials, 0xa5, ladder_partials_bytes (c->device));
    ladder_case_call (c, 0);
    if (!is_expected (c, expectation) || !slots_are_empty (c))
      return FALSE;
  }
  return TRUE;
}
