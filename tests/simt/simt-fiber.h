// SPDX-License-Identifier: LGPL-2.1-or-later
// A fiber: a stack of its own on which one CUDA thread runs, and the switch between it and the scheduler.
#pragma once

#include <cstddef>

#if defined(__x86_64__) && !defined(SIMT_UCONTEXT)
// ucontext asks the kernel to exchange signal masks at every switch, which makes a __syncthreads of 1024 threads cost
// half a millisecond; the few instructions in simt-fiber.cc make it some tens of microseconds.
#define SIMT_SWITCH_IN_ASSEMBLY 1
#else
#define SIMT_SWITCH_IN_ASSEMBLY 0
#include <ucontext.h>
#endif

class SimtFiber
{
public:
  // `number` tells apart the fibers of one launch; it only spreads the stacks over the cache.
  explicit SimtFiber (unsigned number);
  ~SimtFiber ();
  SimtFiber (const SimtFiber &) = delete;
  SimtFiber &operator= (const SimtFiber &) = delete;

  // Make the next resume () call `entry`. A fiber whose entry function has returned may be started again.
  void start (void (*entry) ());

  // Run the fiber, and those that it switches to, until one of them calls leave () or its entry function returns.
  // Called by the scheduler.
  void resume ();

  // Run `other` in place of this fiber, which goes on at the next resume () or switch_to () that names it. Called on the
  // fiber itself.
  void switch_to (SimtFiber *other);

  // Return to the scheduler until the next resume (). Called on the fiber itself.
  void leave ();

private:
  static void run_entries ();
  static void arrive (void *fake_stack);

  char *stack;                  // the lowest address, above the guard page
  void (*entry) () = nullptr;
  void *fake_stack = nullptr;   // AddressSanitizer's, while the fiber is suspended
#if SIMT_SWITCH_IN_ASSEMBLY
  void *stack_pointer = nullptr;
#else
  ucontext_t context;
#endif
};
