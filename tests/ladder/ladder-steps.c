/* The steps: what each teaches, how it is launched, and whether it is exact.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "ladder-steps.h"

#include <string.h>

const LadderFamilyInfo ladder_families[LADDER_N_FAMILIES] = {
  [LADDER_REDUCTION] = { "reduction", LADDER_INT, LADDER_HALF, "read_only", 1 },
  [LADDER_HISTOGRAM_8] = { "histogram", LADDER_UNIFORM_8, LADDER_CONSTANT_8,
      "read_only", 1 },
  [LADDER_HISTOGRAM_16] = { "histogram, 65536 bins", LADDER_UNIFORM_16,
      LADDER_CONSTANT_16, "read_only", 1 },
  [LADDER_SPLITTING] = { "splitting", LADDER_SAMPLES, LADDER_SAMPLES, "copy", 2 },
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

const LadderStep ladder_steps[] = {
  SUM ("atomic_per_element", "one atomic per element", LADDER_SMALL_BLOCK,
      "Atomic additions to one address are done one after another, however many threads "
      "ask."),
  SUM ("lane_serial", "one lane per warp", LADDER_SMALL_BLOCK,
      "31 of 32 lanes idle: a warp costs the same whether one lane works or all."),
  SUM ("thread_serial", "one thread per block", LADDER_SMALL_BLOCK,
      "A single thread waits for memory; only other threads can hide that, and a block of "
      "one working thread has few."),
  SUM ("tree_divergent", "tree, interleaved, divergent", LADDER_SMALL_BLOCK,
      "A tree takes log2 n steps, but here the working threads are strewn over all warps, "
      "so that every warp runs every step."),
  SUM ("tree_strided", "tree, strided indices", LADDER_SMALL_BLOCK,
      "The working threads are neighbours now; but what they address is 2, 4, 8, ... words "
      "apart, so that they meet in the same banks of shared memory."),
  SUM ("tree_sequential", "tree, sequential addresses", LADDER_SMALL_BLOCK,
      "Neighbouring threads, neighbouring words: neither divergence nor bank conflicts."),
  SUM ("add_during_load", "first add during load", 2 * LADDER_SMALL_BLOCK,
      "Half of the threads did nothing but load; each now adds once before the tree "
      "begins, and half as many blocks are needed."),
  SUM ("unrolled", "loop unrolled", 2 * LADDER_SMALL_BLOCK,
      "With the block's size known to the compiler, the loop's own instructions go."),
  SUM ("last_warp_unrolled", "last warp unrolled", 2 * LADDER_SMALL_BLOCK,
      "The last 32 sums are one warp's business: the other warps leave, and five barriers "
      "of the block become barriers of a warp."),
  SUM ("shuffle_per_warp", "warp shuffle, one atomic per warp", 2 * LADDER_SMALL_BLOCK,
      "Lanes read each other's registers: no shared memory and no barrier; but each warp "
      "asks for an atomic addition."),
  SUM ("shuffle_per_block", "warp shuffle, one atomic per block", 2 * LADDER_SMALL_BLOCK,
      "The warps' sums meet in shared memory: one barrier, and an eighth of the atomic "
      "additions."),
  SUM ("coarsened", "grid-stride loop", 0,
      "As many blocks as the device holds at once, each thread going on until all is read, "
      "four loads at a time: what a block costs is paid a few hundred times at most."),
  SUM ("vector_loads", "16-byte loads", 0,
      "An instruction that loads 16 bytes does the work of four: with as many loads on their "
      "way at once as before, four times the bytes are."),
  { LADDER_REDUCTION, "redux", "redux.sync",
    "The sum over a warp as one instruction instead of ten: for integers, and where a "
    "warp's sum is taken often enough to matter.",
    LADDER_ONE_LAUNCH, 0, 0, TRUE, TRUE, 1 },
  { LADDER_REDUCTION, "two_pass", "two passes, no atomics",
    "Each block leaves its sum, and a second launch adds them: nothing to be set to zero, "
    "but another launch to wait for. Production does so where blocks leave many sums each.",
    LADDER_TWO_PASSES, 0, 0, FALSE, FALSE, 1 },
  { LADDER_REDUCTION, "grid_sync", "cooperative grid sync",
    "The second pass without a second launch: all blocks wait for all others.",
    LADDER_COOPERATIVE, 0, 0, FALSE, FALSE, 1 },
  { LADDER_REDUCTION, "last_block", "last block, single pass",
    "No one waits: blocks draw a ticket, and the one that draws the last adds the sums.",
    LADDER_ONE_LAUNCH, 0, 0, FALSE, FALSE, 1 },
  { LADDER_REDUCTION, "last_block_tagged", "last block, tagged sums",
    "A sum and the sign that it is there are one 64-bit word, so that no fence has to make "
    "the ticket wait for the sum: who has the last ticket reads again what is not there "
    "yet.",
    LADDER_ONE_LAUNCH, 0, 0, FALSE, FALSE, LADDER_ALONE_VECTORS },
  { LADDER_REDUCTION, "last_block_early", "last block, ticket drawn early",
    "If the sums tell by themselves that they are there, the ticket can be drawn before the "
    "data are read, and comes while they do. The block that began last adds the sums: it "
    "waits only for blocks that have begun, and these for none.",
    LADDER_ONE_LAUNCH, 0, 0, FALSE, FALSE, LADDER_ALONE_VECTORS },
  { LADDER_REDUCTION, "last_block_packed", "last block, ticket and sum in one",
    "One 64-bit atomic addition has the count of blocks above and the sum below: who finds "
    "the count full has the sum, after one way to memory and back instead of four. "
    "Production finishes every counter of a frame so.",
    LADDER_ONE_LAUNCH, 0, 0, FALSE, TRUE, LADDER_ALONE_VECTORS },

  COUNT ("global_atomics", "global atomics", 0,
      "Correct and short; equal samples queue at one address in the cache."),
  COUNT ("copy_per_block", "a copy for each block", LADDER_BINS_8 * COUNTER,
      "Shared memory counts within the multiprocessor; equal samples still queue, but with "
      "those of the same block only."),
  COUNT ("copy_per_warp", "a copy for each warp", 32 * LADDER_BINS_8 * COUNTER,
      "No two warps meet, but the lanes of a warp do, and these count at the same time."),
  COUNT ("copy_per_lane", "a copy for each lane, unpadded", 32 * LADDER_BINS_8 * COUNTER,
      "No two lanes share a counter; but a bin lies in the same bank in all copies, so that "
      "equal samples queue as before."),
  COUNT ("copy_per_lane_padded", "a copy for each lane, padded",
      32 * (LADDER_BINS_8 + 1) * COUNTER,
      "One word between the copies turns the banks: equal samples never meet, unequal ones "
      "at random."),
  COUNT ("lane_private_sectioned", "a bank for each lane, sectioned",
      32 * LADDER_BINS_8 * COUNTER,
      "With the copies of a bin side by side no two lanes ever meet; but if each thread has "
      "a stretch of its own to read, a warp's loads are scattered."),
  COUNT ("lane_private", "a bank for each lane, interleaved",
      32 * LADDER_BINS_8 * COUNTER,
      "Neighbouring threads read neighbouring vectors and count without conflicts, "
      "whatever the picture. Production does this, and spreads the loads among the counts."),
  COUNT ("lane_private_runs", "a bank for each lane, runs joined",
      32 * LADDER_BINS_8 * COUNTER,
      "Equal neighbours are counted at once: fewer counts where there are runs, and a "
      "comparison for each sample everywhere."),

  { LADDER_HISTOGRAM_16, "global_atomics_16", "global atomics",
    "65536 counters do not fit a multiprocessor's shared memory, so count in the cache.",
    LADDER_ONE_LAUNCH, 0, 0, TRUE, FALSE, 1 },
  { LADDER_HISTOGRAM_16, "cluster_copy", "distributed shared memory",
    "The blocks of a cluster keep a part of the counters each, and count in each other's "
    "shared memory.",
    LADDER_IN_CLUSTERS, 0, LADDER_CLUSTER_BINS * COUNTER, TRUE, FALSE, 1 },
  { LADDER_HISTOGRAM_16, "packed_copy", "a copy of 16-bit counters",
    "Half as wide, they fit; who sees a counter half full moves that to global memory. "
    "Production does so, and joins equal neighbours.",
    LADDER_ONE_LAUNCH, 0, LADDER_BINS_16 * COUNTER / 2, TRUE, FALSE, 1 },

  SPLIT ("split_directly", "no tile",
      "Reads are side by side, writes are as far apart as a channel is long: each moves a "
      "whole sector of memory for one word."),
  SPLIT ("split_plain_tile", "tile, plain",
      "Both are side by side in memory; but a column of a tile of 32 words a row lies in "
      "one bank."),
  SPLIT ("split_padded_tile", "tile, padded",
      "A row of 33 words puts a column into 32 banks, for a word a row."),
  SPLIT ("split_swizzled_tile", "tile, swizzled",
      "The same without the words: a row's words are permuted by its number."),
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
  }
}

/* The launch refers to the kernel's name for good, hence one string for each. */
static const gchar *
kernel_name (const LadderCase *c, const gchar *id)
{
  gchar *name = c->family == &ladder_families[LADDER_REDUCTION]
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
  const gsize n_slices = MAX (c->memory_bytes / data_bytes (c), 1);
  const gsize offset = number % n_slices * data_bytes (c);
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
  const guint n_times = c->step->family == LADDER_SPLITTING ? 1 : 2;

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
