// SPDX-License-Identifier: LGPL-2.1-or-later
// Fibers: stacks with a guard page, the switch between stacks, and the notes that AddressSanitizer needs about it.
#include "simt-fiber.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ADDRESS_SANITIZER 1
#endif
#endif

#ifdef SIMT_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#else
static inline void __sanitizer_start_switch_fiber (void **, const void *, size_t) {}
static inline void __sanitizer_finish_switch_fiber (void *, const void **, size_t *) {}
#endif

// Untouched pages of a stack cost nothing, so there is room for what sanitizers and -O0 add to a frame.
static const size_t stack_size = 256 * 1024;

// The scheduler's side of the switch. One launch runs at a time (simt_launch sees to it), so one of each is enough.
static SimtFiber *running_fiber;
static const void *scheduler_stack;
static size_t scheduler_stack_size;
static bool from_scheduler;     // whether the last switch was the scheduler's

#if SIMT_SWITCH_IN_ASSEMBLY
static void *scheduler_stack_pointer;

// Save the registers that a function must preserve and the stack pointer, then continue on another stack.
extern "C" void simt_switch_stack (void **save_stack_pointer, void *new_stack_pointer);
asm (R"(
        .text
        .hidden simt_switch_stack
        .globl  simt_switch_stack
        .type   simt_switch_stack, @function
simt_switch_stack:
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret
        .size   simt_switch_stack, . - simt_switch_stack
)");
#else
static ucontext_t scheduler_context;
#endif

SimtFiber::SimtFiber (unsigned number)
{
  const size_t page = sysconf (_SC_PAGESIZE);
  void *mapping = mmap (nullptr, page + stack_size, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED || mprotect (mapping, page, PROT_NONE) != 0) {
    perror ("SIMT: no memory for a fiber's stack");
    abort ();
  }
  stack = static_cast<char *> (mapping) + page;
  // Stacks lie at even distances, so that all first frames would compete for the same few cache lines.
  const size_t top_offset = stack_size - (number % 61) * 64;
#if SIMT_SWITCH_IN_ASSEMBLY
  // What simt_switch_stack pops: six registers and the address to go on from, below an empty return address. The
  // ABI wants the stack pointer to be 8 short of a multiple of 16 when a function begins.
  void **frame = reinterpret_cast<void **> (stack + top_offset) - 8;
  for (int i = 0; i < 8; i++)
    frame[i] = nullptr;
  frame[6] = reinterpret_cast<void *> (&SimtFiber::run_entries);
  stack_pointer = frame;
#else
  getcontext (&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = top_offset;
  context.uc_link = nullptr;
  makecontext (&context, &SimtFiber::run_entries, 0);
#endif
}

SimtFiber::~SimtFiber ()
{
  const size_t page = sysconf (_SC_PAGESIZE);
  munmap (stack - page, page + stack_size);
}

void
SimtFiber::start (void (*entry_function) ())
{
  entry = entry_function;
}

void
SimtFiber::resume ()
{
  void *scheduler_fake_stack = nullptr;
  running_fiber = this;
  from_scheduler = true;
  __sanitizer_start_switch_fiber (&scheduler_fake_stack, stack, stack_size);
#if SIMT_SWITCH_IN_ASSEMBLY
  simt_switch_stack (&scheduler_stack_pointer, stack_pointer);
#else
  swapcontext (&scheduler_context, &context);
#endif
  __sanitizer_finish_switch_fiber (scheduler_fake_stack, nullptr, nullptr);
}

void
SimtFiber::switch_to (SimtFiber *other)
{
  running_fiber = other;
  from_scheduler = false;
  __sanitizer_start_switch_fiber (&fake_stack, other->stack, stack_size);
#if SIMT_SWITCH_IN_ASSEMBLY
  simt_switch_stack (&stack_pointer, other->stack_pointer);
#else
  swapcontext (&context, &other->context);
#endif
  arrive (fake_stack);
}

// A fiber begins or goes on. AddressSanitizer says which stack it comes from.
void
SimtFiber::arrive (void *fake_stack)
{
  const void *last_stack = nullptr;
  size_t last_size = 0;
  __sanitizer_finish_switch_fiber (fake_stack, &last_stack, &last_size);
  if (from_scheduler) {
    scheduler_stack = last_stack;
    scheduler_stack_size = last_size;
  }
}

void
SimtFiber::leave ()
{
  __sanitizer_start_switch_fiber (&fake_stack, scheduler_stack, scheduler_stack_size);
#if SIMT_SWITCH_IN_ASSEMBLY
  simt_switch_stack (&stack_pointer, scheduler_stack_pointer);
#else
  swapcontext (&context, &scheduler_context);
#endif
  arrive (fake_stack);
}

// A fiber never ends: it waits for the next entry function. To make a stack anew costs little, but not the fake stack
// with which AddressSanitizer finds uses of a local variable after its function returned.
void
SimtFiber::run_entries ()
{
  arrive (nullptr);
  for (;;) {
    running_fiber->entry ();
    running_fiber->leave ();
  }
}
