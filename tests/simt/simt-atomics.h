// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA's atomic functions, for exactly the types that CUDA has them for, and its fences. Included by simt.h.
//
// CUDA threads take turns only where they wait for each other, so that plain loads and stores are atomic among them.
#pragma once

// Each function returns the old value; `expression` gives the new one, `old` and the further arguments being known.
#define SIMT_ATOMIC(name, type, expression) \
  static inline type name (type *address, type value) \
  { \
    const type old = *address; \
    *address = (expression); \
    return old; \
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
    const type old = *address; \
    if (old == compare) \
      *address = value; \
    return old; \
  }
SIMT_COMPARE_AND_SWAP (unsigned short)
SIMT_COMPARE_AND_SWAP (int)
SIMT_COMPARE_AND_SWAP (unsigned)
SIMT_COMPARE_AND_SWAP (unsigned long long)
#undef SIMT_COMPARE_AND_SWAP

// The compiler must not move accesses across any fence; only the last has readers on another processor.
static inline void __threadfence_block () { std::atomic_signal_fence (std::memory_order_seq_cst); }
static inline void __threadfence () { std::atomic_signal_fence (std::memory_order_seq_cst); }
static inline void __threadfence_system () { std::atomic_thread_fence (std::memory_order_seq_cst); }
