#!/usr/bin/env python3
"""Which branches of the kernels checkhisto executes. Fails below 100 %.

  tests/coverage.py BUILD_DIR [ARGUMENT OF CHECKHISTO...]

Runs the variant `coverage` of checkhisto (ninja checkhisto-variant-coverage) and reads gcov's counts for
kernels/. A branch of the source is covered if any instance of its template executes it. A line with
the comment COVERAGE: REASON has branches that cannot be executed for that reason.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import collections
import functools
import json
import os
import subprocess
import sys

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.path.abspath(sys.argv[1])
objects = os.path.join(build, "tests/checkhisto/libcuda-coverage.so.p")


def count_files():
    """The files with counts. Some of their names begin with a dot."""
    return [os.path.join(objects, name) for name in os.listdir(objects) if name.endswith(".gcda")]


def run_checkhisto():
    for counts in count_files():
        os.remove(counts)
    run = subprocess.run([os.path.join(root, "tests/checkhisto/variant.sh"), build, "coverage", *sys.argv[2:]],
                         check=False, stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(f"{run.stdout[-4000:]}checkhisto failed: {run.returncode}")


def read_gcov():
    """Yields file and line record of each line of the kernels, once for each instance."""
    for counts in count_files():
        output = subprocess.run(["gcov", "--branch-probabilities", "--json-format", "--stdout", counts],
                                check=True, capture_output=True, text=True, cwd=build).stdout
        for document in output.splitlines():
            for file in json.loads(document)["files"]:
                path = os.path.relpath(os.path.join(build, file["file"]), root)
                if path.startswith("kernels/"):
                    for line in file["lines"]:
                        yield path, line


@functools.lru_cache(maxsize=None)
def read_lines(path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read().splitlines()


def excluded(path, number):
    return "COVERAGE:" in read_lines(path)[number - 1]


def main():
    run_checkhisto()
    lines = collections.defaultdict(int)
    # Instances of a template can have different numbers of branches in a line, because of their
    # constants. They are counted separately.
    branches = collections.defaultdict(int)
    for path, line in read_gcov():
        place = path, line["line_number"]
        if excluded(*place):
            continue
        lines[place] += line["count"]
        for i, branch in enumerate(line["branches"]):
            branches[place, len(line["branches"]), i] += branch["count"]

    missed = sorted({key[0] for key, count in branches.items() if count == 0}
                    | {place for place, count in lines.items() if count == 0})
    for path, number in missed:
        counts = [(n, i, count) for (place, n, i), count in branches.items() if place == (path, number)]
        never = ", ".join(f"{i + 1} of {n}" for n, i, count in sorted(counts) if count == 0)
        print(f"{path}:{number}: {'branch ' + never if never else 'the line'} is never executed")

    taken = sum(count > 0 for count in branches.values())
    run = sum(count > 0 for count in lines.values())
    if not branches:
        sys.exit("gcov has no branches")
    print(f"coverage of kernels/: {run} of {len(lines)} lines, {taken} of {len(branches)} branches "
          f"({100 * taken / len(branches):.1f} %)")
    return 1 if missed else 0


sys.exit(main())
