#!/usr/bin/env python3
"""Checks a model with spin: queue.pml, of the queue, or pairs.pml, of the two sink pads of cudahistocompare.

    tests/model/check.py [--some | --long] [queue | pairs]

1. The model as it is must hold: in each of VARIANTS, every order of its steps is tried.
2. With each of its faults (-DFAULT_...), spin must find a violation in one of the variants.
3. Each invariant that the model's first comment lists must be asserted in it, except those that spin
   checks itself, and the test named there must exist.

--some takes one of the variants but the largest, and builds only one fault into the model, both chosen at
random. --long tries more items and more actions, which takes minutes and some GB of memory. Exits with 77 if spin or a C
compiler is missing.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = ([argument for argument in sys.argv[1:] if not argument.startswith("--")] or ["queue"])[0]
MODEL = os.path.join(HERE, NAME + ".pml")
TESTS = os.path.join(os.path.dirname(HERE), "element")

# What spin's options define. Together they reach every statement of the model. The last one is the largest.
VARIANTS = {"queue": [
    ["-DITEMS=3"],
    ["-DITEMS=5", "-DMAX_IN_FLIGHT=1", "-DRELINKS"],
    ["-DITEMS=3", "-DHANDLERS"],
    ["-DITEMS=2", "-DMAX_IN_FLIGHT=1", "-DSTOPS_BESIDE_FLUSHES"],
    ["-DITEMS=4", "-DMAX_IN_FLIGHT=1"],
], "pairs": [
    ["-DFRAMES=1", "-DREFERENCES=2"],
    ["-DFRAMES=1", "-DREFERENCES=2", "-DSTALLS", "-DACTIONS=2"],
    ["-DFRAMES=1", "-DREFERENCES=3"],
]}[NAME]
LONG_VARIANTS = {"queue": [
    ["-DITEMS=3", "-DMAX_IN_FLIGHT=1", "-DSTOPS_BESIDE_FLUSHES"],
    ["-DITEMS=4"],
    ["-DITEMS=4", "-DHANDLERS", "-DACTIONS=2"],
    ["-DITEMS=3", "-DACTIONS=2"],
], "pairs": [
    ["-DFRAMES=2", "-DREFERENCES=2"],
    ["-DFRAMES=3", "-DREFERENCES=3"],
    ["-DFRAMES=2", "-DREFERENCES=3"],
    ["-DFRAMES=2", "-DREFERENCES=3", "-DMAX_IN_FLIGHT=2"],
    ["-DFRAMES=2", "-DREFERENCES=2", "-DACTIONS=2"],
]}[NAME]
# These are no assertions: spin reports an invalid end state.
CHECKED_BY_SPIN = {"NOT_STUCK"}
COMPILER = shutil.which(os.environ.get("CC", "cc").split()[-1]) or shutil.which("gcc")


class Failure(Exception):
    pass


def run(arguments, folder):
    result = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + result.stderr


def verify(defines, optimization):
    """Returns: what spin's verifier found wrong, or None; the number of states; seconds."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        status, output = run(["spin", "-a", *defines, MODEL], folder)
        if status == 0:
            # SAFETY: assertions and invalid end states, no cycles.
            status, output = run([COMPILER, optimization, "-w", "-DSAFETY", "-DMEMLIM=6000",
                                  "-o", "pan", "pan.c"], folder)
        if status == 0:
            status, output = run(["./pan", "-m1000000", "-n", "-w22"], folder)
    found = re.search(r"^pan:1: (.*)", output, re.M)
    states = re.search(r"(\d+) states, stored", output)
    if status != 0 or not states or (not found and "errors: 0" not in output) \
            or "max search depth too small" in output or "out of memory" in output:
        raise Failure(f"spin with {' '.join(defines)}: {output}")
    return found.group(1) if found else None, int(states.group(1)), time.monotonic() - begin


def check_variant(variant):
    found, states, seconds = verify(variant, "-O2")
    if found:
        raise Failure(f"{' '.join(variant)}: {found}")
    return f"{' '.join(variant)}: {states} states hold ({seconds:.1f} s)"


def check_fault(fault):
    for variant in VARIANTS:
        found, states, seconds = verify(["-D" + fault, *variant], "-O0")
        if found:
            return f"{fault}: found with {' '.join(variant)} after {states} states " \
                f"({seconds:.1f} s): {found}"
    raise Failure(f"{fault} is not found")


def check_names(text):
    """The invariants are asserted, and their tests exist."""
    comment = text[:text.index("*/")]
    table = re.findall(r"^ \*   ([A-Z_]+)  .*?(?:\n \* .*?)??([\w-]+\.c): (test_\w+)$", comment, re.M)
    names = set(re.findall(r"^ \*   ([A-Z_]+)  ", comment, re.M))
    if not table or {row[0] for row in table} != names:
        raise Failure(f"invariants without a test: {names - {row[0] for row in table}}")
    for name, file, test in table:
        if name not in CHECKED_BY_SPIN and not re.search(rf"/\* [^*]*\b{name}\b[^*]*\*/", text[len(comment):]):
            raise Failure(f"{name} is not asserted")
        with open(os.path.join(TESTS, file), encoding="utf-8") as source:
            if not re.search(rf"\({test}\)", source.read()):
                raise Failure(f"{name}: there is no test {test} in {file}")
    return f"{len(table)} invariants, each with a test"


def main():
    if not shutil.which("spin") or not COMPILER:
        print("no spin, or no C compiler")
        return 77
    with open(MODEL, encoding="utf-8") as file:
        text = file.read()
    faults = sorted(set(re.findall(r"\bFAULT_[A-Z_]*[A-Z]\b", text)))
    if "--some" in sys.argv[1:]:
        faults = random.sample(faults, min(1, len(faults)))
        variants = random.sample(VARIANTS[:-1], 1)
    else:
        variants = VARIANTS + (LONG_VARIANTS if "--long" in sys.argv[1:] else [])
    failed = not faults
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(check_names, text)]
        jobs += [pool.submit(check_variant, variant) for variant in variants]
        jobs += [pool.submit(check_fault, fault) for fault in faults]
        for job in jobs:
            try:
                print(job.result(), flush=True)
            except Failure as failure:
                print("FAILED:", failure, flush=True)
                failed = True
    print(f"{len(variants)} variants hold, {len(faults)} faults are found" if not failed else "failed")
    return 1 if failed else 0


sys.exit(main())
