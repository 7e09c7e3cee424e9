#!/usr/bin/python3
"""Checks the registers, spills and static shared memory of the compiled kernels.

    tests/kernel-resources.py RESOURCES

RESOURCES is what ptxas printed with -v (kernels/histo.resources in the build). The rules:

1. A kernel spills registers only if SPILLS names it or it is a strip's, and no more bytes than written there.
2. The threads of a block, as the kernel lists name them, have registers enough on every device:
   65536 for a block.
3. A kernel that counts samples of the whole picture, or measures sound, has no static shared
   memory; a strip kernel at most HISTO_STRIP_STATIC_BYTES, a check a little more. The launch plan relies on this.

Prints one line for each kernel: the most registers and spilled bytes of all architectures.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import collections
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REGISTERS_OF_BLOCK = 65536
# Registers are given to warps in units of 8 for each thread.
REGISTER_UNIT = 8

# Kernel: the most bytes that stores and loads of spilled registers have in its code, and why they
# cost little.
SPILLS = {
    "measure_samples": (64, "only for formats and bins that the kernels by vectors do not measure"),
    "measure_short_4": (16, "one value, stored and loaded outside the loops"),
    "mask": (8, "one value, on sm_120"),
    "sum_frame": (16, "one value, stored and loaded once, on sm_86 to sm_89"),
    "count_shorts": (128, "values that are stored once, and loaded before and after the loops"),
    "count_pixels": (128, "values that are stored once, and loaded before and after the loops"),
    "compare_bytes": (512, "values that are stored around the loads of rows that are not aligned"),
    "compare_words": (128, "values that are stored around the loads of rows that are not aligned"),
    "compare_deep": (256, "values that are stored around the loads of rows that are not aligned"),
}

# The same of the strip's kernels: a few of the 400 to 1500 instructions for a row. With more registers for each thread
# there would be fewer warps, which is slower.
STRIP_SPILLS = (768, "a few of the instructions for a row")

COMPILING = re.compile(r"Compiling entry function 'cudahisto_(\w+)' for 'sm_(\w+)'")
SPILLED = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers(?:.*?(\d+) bytes smem)?")

Figures = collections.namedtuple("Figures", "spilled registers static")


def read_figures(lines):
    """{(kernel, architecture): Figures}"""
    figures = {}
    key = spilled = None
    for line in lines:
        if match := COMPILING.search(line):
            key = match.groups()
        elif match := SPILLED.search(line):
            spilled = sum(map(int, match.groups()))
        elif match := USED.search(line):
            figures[key] = Figures(spilled, int(match[1]), int(match[2] or 0))
    return figures


def read_source(name):
    with open(os.path.join(ROOT, "kernels", name), encoding="utf-8") as file:
        return file.read()


def read_threads():
    """{kernel: threads of a block}, from the lists of the kernels."""
    threads = {}
    for file, macro, prefix in (("families.h", "HISTO_COUNT_KERNELS", "count_"),
                                ("launch.h", "HISTO_VECTOR_KERNELS", "measure_"),
                                ("strip-launch.h", "HISTO_STRIP_KERNELS", "strip_"),
                                ("strip-launch.h", "HISTO_CHECK_KERNELS", "strip_"),
                                ("strip-launch.h", "HISTO_SCOPE_KERNELS", "strip_"),
                                ("strip-launch.h", "HISTO_OWNER_KERNELS", "strip_")):
        rows = re.search(r"#define %s\(X\) \\\n((?:.*\\\n)*.*\n)" % macro, read_source(file))[1]
        for name, number in re.findall(r"X \((\w+),(?:[^()]*,)? (\d+)\)", rows):
            threads[prefix + name] = int(number)
    return threads


# The checks have no counters of the plan, whose room depends on this: their own tables need less than any device has.
CHECKS = ("strip_checks_", "strip_filter_", "strip_hlg_")
CHECK_BYTES = 2048


def read_strip_bytes():
    return int(re.search(r"#define HISTO_STRIP_STATIC_BYTES (\d+)", read_source("strip-launch.h"))[1])


def spills_of(kernel):
    if kernel.startswith("strip_") and kernel != "strip_samples":
        return STRIP_SPILLS
    return SPILLS.get(kernel, (0, ""))


def check(kernel, figures, threads, strip_bytes):
    """What is wrong, as texts."""
    most = spills_of(kernel)[0]
    if figures.spilled > most:
        yield f"spills {figures.spilled} bytes, not {most} at most"
    units = -(-figures.registers // REGISTER_UNIT)
    if units * REGISTER_UNIT * threads.get(kernel, 0) > REGISTERS_OF_BLOCK:
        yield f"{threads[kernel]} threads with {figures.registers} registers are too many"
    most = {"count": 0, "measure": 0, "strip": strip_bytes}.get(kernel.split("_")[0])
    if kernel.startswith(CHECKS):
        most = CHECK_BYTES
    if most is not None and figures.static > most:
        yield f"has {figures.static} bytes of static shared memory, not {most} at most"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        figures = read_figures(file)
    threads, strip_bytes = read_threads(), read_strip_bytes()
    kernels = sorted({kernel for kernel, _ in figures})
    architectures = sorted({architecture for _, architecture in figures}, key=int)
    problems = [f"sm_{architecture}: {kernel} {problem}"
                for (kernel, architecture), figure in sorted(figures.items())
                for problem in check(kernel, figure, threads, strip_bytes)]

    problems += [f"{kernel} is not among the compiled kernels"
                 for kernel in sorted(threads.keys() | SPILLS.keys()) if kernel not in kernels]
    print("architectures:", " ".join(architectures) or "none")
    for kernel in kernels:
        of_kernel = [figures[kernel, a] for a in architectures if (kernel, a) in figures]
        spilled = max(f.spilled for f in of_kernel)
        print(f"{kernel:28} {max(f.registers for f in of_kernel):3} registers "
              f"{max(f.static for f in of_kernel):5} bytes of static shared memory "
              f"{spilled:3} bytes spilled" + (": " + spills_of(kernel)[1] if spilled > 0 else ""))
    for problem in problems:
        print("FAIL", problem)
    return 1 if problems or not figures else 0


if __name__ == "__main__":
    sys.exit(main())
