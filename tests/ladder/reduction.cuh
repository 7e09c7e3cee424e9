/* A sum, step by step: from one atomic operation for each element to a single pass that
 * needs nothing prepared. What each step teaches is in the table in ladder-steps.c.
 *
 * Steps that add to the result find it zero; the others write it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "primitives.cuh"

template <typename E>
struct Elements
{
  typedef typename E::Sum Sum;
  const typename E::Stored *data;
  uint32_t n;

  __device__ __forceinline__
  explicit Elements (const LadderTask &task)
  {
    data = (const typename E::Stored *) task.data;
    n = task.n;
  }

  /* Zero behind the end. */
  __device__ __forceinline__ Sum
  operator[] (uint32_t i) const
  {
    return i < n ? E::value (data[i]) : Sum (0);
  }
};

template <typename E>
__device__ __forceinline__ typename E::Sum *
result_of (const LadderTask &task)
{
  return (typename E::Sum *) task.result;
}

__device__ __forceinline__ uint32_t
thread_in_grid ()
{
  return blockIdx.x * blockDim.x + threadIdx.x;
}

/* An atomic operation for each thread, and no fewer: a plain atomicAdd() of all lanes to one
 * address is joined into one for the warp by the compiler, where the type allows. */
__device__ __forceinline__ void
add_alone (int *sum, int value)
{
#ifdef __CUDA_ARCH__
  asm volatile ("red.global.add.s32 [%0], %1;" :: "l" (sum), "r" (value) : "memory");
#else
  atomicAdd (sum, value);
#endif
}

__device__ __forceinline__ void
add_alone (float *sum, float value)
{
#ifdef __CUDA_ARCH__
  asm volatile ("red.global.add.f32 [%0], %1;" :: "l" (sum), "f" (value) : "memory");
#else
  atomicAdd (sum, value);
#endif
}

/* ---- Without cooperation ----------------------------------------------------------- */

template <typename E>
__device__ __forceinline__ void
atomic_per_element (const LadderTask &task)
{
  const Elements<E> in (task);

  if (thread_in_grid () < in.n)
    add_alone (result_of<E> (task), in[thread_in_grid ()]);
}

template <typename E>
__device__ __forceinline__ void
lane_serial (const LadderTask &task)
{
  const Elements<E> in (task);
  typename E::Sum sum = 0;

  if (threadIdx.x % HISTO_WARP_SIZE != 0)
    return;
  for (uint32_t k = 0; k < HISTO_WARP_SIZE; k++)
    sum += in[thread_in_grid () + k];
  atomicAdd (result_of<E> (task), sum);
}

template <typename E>
__device__ __forceinline__ void
thread_serial (const LadderTask &task)
{
  const Elements<E> in (task);
  typename E::Sum sum = 0;

  if (threadIdx.x != 0)
    return;
  for (uint32_t k = 0; k < LADDER_SMALL_BLOCK; k++)
    sum += in[thread_in_grid () + k];
  atomicAdd (result_of<E> (task), sum);
}

/* ---- Trees in shared memory: loops are unrolled where the step is about that, and not before */

/* Declares the block's `tree` of sums, which begins as `leaf` of each thread. */
#define LADDER_TREE(E, leaf) \
  __shared__ typename E::Sum tree[LADDER_SMALL_BLOCK]; \
  const uint32_t t = threadIdx.x; \
  tree[t] = leaf; \
  __syncthreads ()

template <typename E>
__device__ __forceinline__ void
tree_divergent (const LadderTask &task)
{
  const Elements<E> in (task);
  LADDER_TREE (E, in[thread_in_grid ()]);

#pragma unroll 1
  for (uint32_t distance = 1; distance < LADDER_SMALL_BLOCK; distance *= 2) {
    if (t % (2 * distance) == 0)
      tree[t] += tree[t + distance];
    __syncthreads ();
  }
  if (t == 0)
    atomicAdd (result_of<E> (task), tree[0]);
}

template <typename E>
__device__ __forceinline__ void
tree_strided (const LadderTask &task)
{
  const Elements<E> in (task);
  LADDER_TREE (E, in[thread_in_grid ()]);

#pragma unroll 1
  for (uint32_t distance = 1; distance < LADDER_SMALL_BLOCK; distance *= 2) {
    const uint32_t i = 2 * distance * t;

    if (i < LADDER_SMALL_BLOCK)
      tree[i] += tree[i + distance];
    __syncthreads ();
  }
  if (t == 0)
    atomicAdd (result_of<E> (task), tree[0]);
}

/* The nearer half of the threads adds what the farther half has, and so on. */
template <typename Sum>
__device__ __forceinline__ void
fold_tree (Sum *tree, uint32_t t)
{
#pragma unroll 1
  for (uint32_t distance = LADDER_SMALL_BLOCK / 2; distance > 0; distance /= 2) {
    if (t < distance)
      tree[t] += tree[t + distance];
    __syncthreads ();
  }
}

template <typename E>
__device__ __forceinline__ void
tree_sequential (const LadderTask &task)
{
  const Elements<E> in (task);
  LADDER_TREE (E, in[thread_in_grid ()]);

  fold_tree (tree, t);
  if (t == 0)
    atomicAdd (result_of<E> (task), tree[0]);
}

/* What a thread of the next three steps begins with. */
template <typename E>
__device__ __forceinline__ typename E::Sum
first_add (const Elements<E> &in)
{
  const uint32_t i = blockIdx.x * 2 * LADDER_SMALL_BLOCK + threadIdx.x;

  return in[i] + in[i + LADDER_SMALL_BLOCK];
}

template <typename E>
__device__ __forceinline__ void
add_during_load (const LadderTask &task)
{
  const Elements<E> in (task);
  LADDER_TREE (E, first_add (in));

  fold_tree (tree, t);
  if (t == 0)
    atomicAdd (result_of<E> (task), tree[0]);
}

template <typename E>
__device__ __forceinline__ void
unrolled (const LadderTask &task)
{
  const Elements<E> in (task);
  LADDER_TREE (E, first_add (in));

#pragma unroll
  for (uint32_t distance = LADDER_SMALL_BLOCK / 2; distance > 0; distance /= 2) {
    if (t < distance)
      tree[t] += tree[t + distance];
    __syncthreads ();
  }
  if (t == 0)
    atomicAdd (result_of<E> (task), tree[0]);
}

template <typename E>
__device__ __forceinline__ void
last_warp_unrolled (const LadderTask &task)
{
  const Elements<E> in (task);
  LADDER_TREE (E, first_add (in));

#pragma unroll
  for (uint32_t distance = LADDER_SMALL_BLOCK / 2; distance >= HISTO_WARP_SIZE; distance /= 2) {
    if (t < distance)
      tree[t] += tree[t + distance];
    __syncthreads ();
  }
  if (t >= HISTO_WARP_SIZE)
    return;
  /* A warp is not always in step since sm_70: it synchronises, which costs little. */
#pragma unroll
  for (uint32_t distance = HISTO_WARP_SIZE / 2; distance > 0; distance /= 2) {
    const typename E::Sum other = tree[t + distance];

    __syncwarp ();
    tree[t] += other;
    __syncwarp ();
  }
  if (t == 0)
    atomicAdd (result_of<E> (task), tree[0]);
}

/* ---- Registers of a warp ----------------------------------------------------------- */

template <typename E>
__device__ __forceinline__ void
shuffle_per_warp (const LadderTask &task)
{
  const typename E::Sum sum = warp_sum (first_add (Elements<E> (task)));

  if (threadIdx.x % HISTO_WARP_SIZE == 0)
    atomicAdd (result_of<E> (task), sum);
}

template <typename E>
__device__ __forceinline__ void
shuffle_per_block (const LadderTask &task)
{
  const typename E::Sum sum = block_sum<false> (first_add (Elements<E> (task)));

  if (threadIdx.x == 0)
    atomicAdd (result_of<E> (task), sum);
}

/* ---- More elements for each thread ------------------------------------------------- */

template <typename E>
__device__ __forceinline__ void
coarsened (const LadderTask &task)
{
  const Elements<E> in (task);
  const uint32_t first = thread_in_grid (), step = gridDim.x * blockDim.x;
  /* Worked out beforehand, so that the compiler may put LADDER_IN_FLIGHT loads before
   * their sums. */
  const uint32_t n_own = first < in.n ? (in.n - first - 1) / step + 1 : 0;
  typename E::Sum sum = 0;

#pragma unroll 4
  for (uint32_t k = 0; k < n_own; k++)
    sum += E::value (in.data[first + k * step]);
  sum = block_sum<false> (sum);
  if (threadIdx.x == 0)
    atomicAdd (result_of<E> (task), sum);
}

/* This thread's share of all elements, by 16-byte loads. */
template <typename E>
__device__ __forceinline__ typename E::Sum
thread_sum (const LadderTask &task)
{
  const Elements<E> in (task);
  const uint32_t per_vector = sizeof (uint4) / sizeof (typename E::Stored);
  const uint32_t n_vectors = in.n / per_vector;
  typename E::Sum sum = 0;

  take_vectors_in_turn ((const uint4 *) task.data, n_vectors,
      [&] (uint4 v) { sum += sum_of_vector (E (), v); });
  /* What no vector holds. */
  return sum + in[n_vectors * per_vector + thread_in_grid ()];
}

template <typename E>
__device__ __forceinline__ void
vector_loads (const LadderTask &task)
{
  const typename E::Sum sum = block_sum<false> (thread_sum<E> (task));

  if (threadIdx.x == 0)
    atomicAdd (result_of<E> (task), sum);
}

__device__ __forceinline__ void
redux (const LadderTask &task)
{
  const int sum = block_sum<true> (thread_sum<Int> (task));

  if (threadIdx.x == 0)
    atomicAdd (result_of<Int> (task), sum);
}

/* ---- From blocks to one sum without atomic additions ------------------------------- */

/* The sum of the blocks' partial sums, by one block, into the result. */
template <typename E>
__device__ __forceinline__ void
sum_partials (const LadderTask &task, uint32_t n_blocks)
{
  const typename E::Sum *partials = (const typename E::Sum *) task.partials;
  typename E::Sum sum = 0;

  for (uint32_t i = threadIdx.x; i < n_blocks; i += blockDim.x)
    sum += __ldcg (partials + i);
  sum = block_sum<false> (sum);
  if (threadIdx.x == 0)
    *result_of<E> (task) = sum;
}

template <typename E>
__device__ __forceinline__ void
leave_partial (const LadderTask &task)
{
  const typename E::Sum sum = block_sum<false> (thread_sum<E> (task));

  if (threadIdx.x == 0)
    ((typename E::Sum *) task.partials)[blockIdx.x] = sum;
}

template <typename E>
__device__ __forceinline__ void
grid_sync (const LadderTask &task)
{
  if (in_phase (0))
    leave_partial<E> (task);
  grid_meets ();
  if (in_phase (1) && blockIdx.x == 0)
    sum_partials<E> (task, gridDim.x);
}

/* Whether there is one block only, whose sum, thread 0's, is then the result. */
template <typename E>
__device__ __forceinline__ bool
is_alone (const LadderTask &task, typename E::Sum sum)
{
  if (gridDim.x > 1)
    return false;
  if (threadIdx.x == 0)
    *result_of<E> (task) = sum;
  return true;
}

template <typename E>
__device__ __forceinline__ void
last_block (const LadderTask &task)
{
  const typename E::Sum sum = block_sum<false> (thread_sum<E> (task));

  if (is_alone<E> (task, sum))
    return;
  if (threadIdx.x == 0)
    ((typename E::Sum *) task.partials)[blockIdx.x] = sum;
  if (is_last_block ((uint32_t *) task.ticket))
    sum_partials<E> (task, gridDim.x);
}

/* A slot holds a block's sum, and in the same word that it is there: one store brings both, so
 * that no other access has to be ordered with it. */
__device__ __forceinline__ unsigned long long
slot_of_bits (uint32_t bits)
{
  return (unsigned long long) LADDER_ARRIVED << 32 | bits;
}

__device__ __forceinline__ unsigned long long
slot_of_sum (int sum)
{
  return slot_of_bits ((uint32_t) sum);
}

__device__ __forceinline__ unsigned long long
slot_of_sum (float sum)
{
  return slot_of_bits (__float_as_uint (sum));
}

__device__ __forceinline__ void
sum_of_slot (unsigned long long slot, int *sum)
{
  *sum = (int) (uint32_t) slot;
}

__device__ __forceinline__ void
sum_of_slot (unsigned long long slot, float *sum)
{
  *sum = __uint_as_float ((uint32_t) slot);
}

/* Waits for the sum in a slot, and leaves the slot without one. */
template <typename Sum>
__device__ __forceinline__ Sum
take_from_slot (unsigned long long *slot)
{
  unsigned long long word;
  Sum sum;

  do
    word = load_relaxed (slot);
  while ((uint32_t) (word >> 32) != LADDER_ARRIVED);
  store_relaxed (slot, 0);
  sum_of_slot (word, &sum);
  return sum;
}

/* The sum of what the other blocks leave in their slots and of `own`, which is thread 0's, into
 * the result; by one block. It waits for stores of blocks that run or have run. */
template <typename E>
__device__ __forceinline__ void
sum_slots (const LadderTask &task, typename E::Sum own)
{
  unsigned long long *slots = (unsigned long long *) task.slots;
  typename E::Sum sum = threadIdx.x == 0 ? own : 0;

  for (uint32_t i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
    if (i != blockIdx.x)
      sum += take_from_slot<typename E::Sum> (slots + i);
  }
  sum = block_sum<false, 1> (sum);
  if (threadIdx.x == 0)
    *result_of<E> (task) = sum;
}

/* Whether the ticket just drawn is the last, which leaves none drawn. */
__device__ __forceinline__ bool
draws_last_ticket (uint32_t *ticket)
{
  const bool is_last = atomicAdd (ticket, 1u) == gridDim.x - 1;

  if (is_last)
    __stcg (ticket, 0u);
  return is_last;
}

template <typename E>
__device__ __forceinline__ void
last_block_tagged (const LadderTask &task)
{
  const typename E::Sum sum = block_sum<false> (thread_sum<E> (task));
  bool is_last = false;

  if (is_alone<E> (task, sum))
    return;
  if (threadIdx.x == 0) {
    unsigned long long *slot = (unsigned long long *) task.slots + blockIdx.x;

    store_relaxed (slot, slot_of_sum (sum));
    is_last = draws_last_ticket ((uint32_t *) task.ticket);
    if (is_last)
      store_relaxed (slot, 0);
  }
  if (__syncthreads_or (is_last))
    sum_slots<E> (task, sum);
}

/* The ticket is drawn before the data are read, and is there when they are: the block that began
 * last adds the sums, all others having begun, none of which waits. */
template <typename E>
__device__ __forceinline__ void
last_block_early (const LadderTask &task)
{
  __shared__ bool is_last;
  typename E::Sum sum;
  uint32_t n_before = 0;

  if (threadIdx.x == 0 && gridDim.x > 1)
    n_before = atomicAdd ((uint32_t *) task.ticket, 1u);
  sum = thread_sum<E> (task);
  if (threadIdx.x == 0)
    is_last = n_before == gridDim.x - 1;
  /* Its barrier is the flag's, too. */
  sum = block_sum<false> (sum);
  if (is_alone<E> (task, sum))
    return;
  if (is_last) {
    if (threadIdx.x == 0)
      __stcg ((uint32_t *) task.ticket, 0u);
    sum_slots<E> (task, sum);
  } else if (threadIdx.x == 0) {
    store_relaxed ((unsigned long long *) task.slots + blockIdx.x, slot_of_sum (sum));
  }
}

/* The blocks that have come are counted from bit 48 on; below is their sum, signed, whose 47 bits
 * are enough for 2^16 blocks. */
#define LADDER_COUNT_SHIFT 48

__device__ __forceinline__ void
last_block_packed (const LadderTask &task)
{
  const int sum = block_sum<false> (thread_sum<Int> (task));

  if (is_alone<Int> (task, sum))
    return;
  if (threadIdx.x == 0) {
    unsigned long long *all = (unsigned long long *) task.ticket;
    const unsigned long long own = (1ull << LADDER_COUNT_SHIFT)
        + (unsigned long long) (long long) sum;
    const unsigned long long now = atomicAdd (all, own) + own;

    /* Rounded: a negative sum has borrowed one. */
    if ((now + (1ull << (LADDER_COUNT_SHIFT - 1))) >> LADDER_COUNT_SHIFT == gridDim.x) {
      *result_of<Int> (task) = (int) (uint32_t) now;
      *all = 0;
    }
  }
}

/* ---- The kernels ------------------------------------------------------------------- */

#define LADDER_SMALL_STEP(step, E, type) \
  LADDER_KERNEL (ladder_##step##_##type, LADDER_SMALL_BLOCK, 1, step<E> (task))
#define LADDER_LARGE_STEP(step, E, type, ...) \
  LADDER_KERNEL (ladder_##step##_##type, LADDER_LARGE_BLOCK, LADDER_RESIDENT, __VA_ARGS__)
#define LADDER_REDUCTION(E, type) \
  LADDER_SMALL_STEP (atomic_per_element, E, type) \
  LADDER_SMALL_STEP (lane_serial, E, type) \
  LADDER_SMALL_STEP (thread_serial, E, type) \
  LADDER_SMALL_STEP (tree_divergent, E, type) \
  LADDER_SMALL_STEP (tree_strided, E, type) \
  LADDER_SMALL_STEP (tree_sequential, E, type) \
  LADDER_SMALL_STEP (add_during_load, E, type) \
  LADDER_SMALL_STEP (unrolled, E, type) \
  LADDER_SMALL_STEP (last_warp_unrolled, E, type) \
  LADDER_SMALL_STEP (shuffle_per_warp, E, type) \
  LADDER_SMALL_STEP (shuffle_per_block, E, type) \
  LADDER_LARGE_STEP (coarsened, E, type, coarsened<E> (task)) \
  LADDER_LARGE_STEP (vector_loads, E, type, vector_loads<E> (task)) \
  LADDER_LARGE_STEP (two_pass, E, type, leave_partial<E> (task)) \
  LADDER_LARGE_STEP (second_pass, E, type, sum_partials<E> (task, task.n)) \
  LADDER_LARGE_STEP (grid_sync, E, type, grid_sync<E> (task)) \
  LADDER_LARGE_STEP (last_block, E, type, last_block<E> (task)) \
  LADDER_LARGE_STEP (last_block_tagged, E, type, last_block_tagged<E> (task)) \
  LADDER_LARGE_STEP (last_block_early, E, type, last_block_early<E> (task))

LADDER_REDUCTION (Int, int)
LADDER_REDUCTION (Float, float)
LADDER_REDUCTION (Half, half)
LADDER_LARGE_STEP (redux, Int, int, redux (task))
LADDER_LARGE_STEP (last_block_packed, Int, int, last_block_packed (task))
