// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA's atomic functions, for exactly the types that CUDA has them for, and its fences. Included by simt.h.
//
// On fibers, CUDA threads take turns only where they wait for each other, so that plain loads and stores are atomic
// among them. On threads, operations are relaxed, as CUDA's are, and fences order what stands before and after them.
#pragma once

#ifdef SIMT_THREADS
// ThreadSanitizer knows no fences: it is told at the atomic operations what those before and after them order.
void simt_before_atomic (void *address);
void simt_after_atomic (void *address);
void simt_fence ();
#endif

// Put what `change` makes of the old value in its place, and return the old value.
template <typename T, typename Change>
static inline T
simt_change (T *address, Change change)
{
#ifdef SIMT_THREADS
  T old, changed;
  simt_before_atomic (address);
  __atomic_load (address, &old, __ATOMIC_RELAXED);
  do
    changed = change (old);
  while (!__atomic_compare_exchange (address, &old, &changed, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  simt_after_atomic (address);
#else
  const T old = *address;
  *address = change (old);
#endif
  return old;
}

// Each function returns the old value; `expression` gives the new one, `old` and the further arguments being known.
#define SIMT_ATOMIC(name, type, expression) \
  static inline type name (type *address, type value) \
  { \
    return simt_change (address, [value] (type old) -> type { (void) old; return (expression); }); \
  }

SIMT_ATOMIC (atomicAdd, int, static_cast<int> (unsigned (old) + unsigned (value)))
SIMT_ATOMIC (atomicAdd, unsigned, old + value)
SIMT_ATOMIC (atomicAdd, unsigned long long, old + value)
SIMT_ATOMIC (atomicAdd, float, old + value)
SIMT_ATOMIC (atomicAdd, double, old + value)
SIMT_ATOMIC (atomicSub, int, static_cast<int> (unsigned (old) - unsigned (value)))
SIMT_ATOMIC (atomicSub, unsigned, old - value)
SIMT_ATOMIC (atomicExch, int, value)
SIMT_ATOMIC (atomicExch, unsigned, value)
SIMT_ATOMIC (atomicExch, unsigned long long, value)
SIMT_ATOMIC (atomicExch, float, value)
SIMT_ATOMIC (atomicMin, int, value < old ? value : old)
SIMT_ATOMIC (atomicMin, unsigned, value < old ? value : old)
SIMT_ATOMIC (atomicMin, long long, value < old ? value : old)
SIMT_ATOMIC (atomicMin, unsigned long long, value < old ? value : old)
SIMT_ATOMIC (atomicMax, int, value > old ? value : old)
SIMT_ATOMIC (atomicMax, unsigned, value > old ? value : old)
SIMT_ATOMIC (atomicMax, long long, value > old ? value : old)
SIMT_ATOMIC (atomicMax, unsigned long long, value > old ? value : old)
SIMT_ATOMIC (atomicAnd, int, old & value)
SIMT_ATOMIC (atomicAnd, unsigned, old & value)
SIMT_ATOMIC (atomicAnd, unsigned long long, old & value)
SIMT_ATOMIC (atomicOr, int, old | value)
SIMT_ATOMIC (atomicOr, unsigned, old | value)
SIMT_ATOMIC (atomicOr, unsigned long long, old | value)
SIMT_ATOMIC (atomicXor, int, old ^ value)
SIMT_ATOMIC (atomicXor, unsigned, old ^ value)
SIMT_ATOMIC (atomicXor, unsigned long long, old ^ value)
// Counting round: up from 0 to value and back to 0, or down from value to 0 and back to value.
SIMT_ATOMIC (atomicInc, unsigned, old >= value ? 0 : old + 1)
SIMT_ATOMIC (atomicDec, unsigned, old == 0 || old > value ? value : old - 1)
#undef SIMT_ATOMIC

#define SIMT_COMPARE_AND_SWAP(type) \
  static inline type atomicCAS (type *address, type compare, type value) \
  { \
    return simt_change (address, [compare, value] (type old) { return old == compare ? value : old; }); \
  }
SIMT_COMPARE_AND_SWAP (unsigned short)
SIMT_COMPARE_AND_SWAP (int)
SIMT_COMPARE_AND_SWAP (unsigned)
SIMT_COMPARE_AND_SWAP (unsigned long long)
#undef SIMT_COMPARE_AND_SWAP

#ifdef SIMT_THREADS
static inline void __threadfence_block () { simt_fence (); }
static inline void __threadfence () { simt_fence (); }
static inline void __threadfence_system () { simt_fence (); }
#else
// The compiler must not move accesses across any fence; only the last has readers on another processor.
static inline void __threadfence_block () { std::atomic_signal_fence (std::memory_order_seq_cst); }
static inline void __threadfence () { std::atomic_signal_fence (std::memory_order_seq_cst); }
static inline void __threadfence_system () { std::atomic_thread_fence (std::memory_order_seq_cst); }
#endif
