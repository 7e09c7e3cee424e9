#!/usr/bin/env python3
"""What a 4K frame should take on GPUs on which nobody has measured it, and whether it does.

    tests/bench/expected-times.py                        the table of docs/performance.md
    tests/bench/expected-times.py --check FILE CARD      a card's own times; CARD is a column of the table

FILE has what `cudahisto-bench --only groups:` prints. The status is 1 if a time is outside of what was expected, or if
FILE has none of the rows.

An expectation is a range. The time on an H100, without what a launch takes, grows as the memory gets slower, or as the
multiprocessors execute fewer instructions a second (their number times their clock): the range goes from the smaller
factor to the larger one. The larger one is multiplied by how often a warp must access shared memory for samples that
are equal, where a multiprocessor has less of it than an H100's. A range has no room for clocks that sink under load, so
a card with a low power limit may well be slower.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# What the data sheets of NVIDIA say beside the multiprocessors, which are in tests/checkhisto/profiles.c: the boost
# clock in GHz, and the memory's GB/s.
DATA_SHEETS = {
    "T4": (1.59, 320), "A100": (1.41, 1555), "Orin": (1.3, 204.8), "L4": (2.04, 300), "RTX-4090": (2.52, 1008),
    "H100": (1.98, 3352), "H200": (1.98, 4800), "B200": (1.965, 8000), "RTX-5090": (2.41, 1792),
}
# An H200 differs from an H100 in its memory alone: it shows what an expectation is worth.
SAME_AS = {"H200": "H100"}
BASE = "H100"
LAUNCH = 3                      # µs: an empty launch
# Rows of the benchmark: µs of a photo on an H100 (docs/figures.md), and how many times its passes through shared memory
# there are on cards that have less of it (docs/performance.md).
ROWS = {
    "4K NV12, signal+motion": (31, {}),
    "4K NV12, all": (65, {}),
    "4K P010_10LE, signal+motion": (48, {"T4": 2.1, "L4": 2.1, "RTX-4090": 2.1, "RTX-5090": 2.1}),
    "4K RGBA, signal+motion": (66, {"T4": 2, "L4": 2, "RTX-4090": 2, "RTX-5090": 2}),
    "4K GRAY16_LE, signal+motion": (75, {}),
    "4K Y444_16LE, signal+motion": (217, {}),
}


def multiprocessors():
    """{card: number}, from the profiles that checkhisto simulates."""
    with open(os.path.join(ROOT, "tests/checkhisto/profiles.c"), encoding="utf-8") as file:
        found = {name: int(n) for name, n in re.findall(r'\{"([^"]+)", \{\d+, (\d+),', file.read())}
    return {card: found[SAME_AS.get(card, card)] for card in DATA_SHEETS}


def expected(work, card, number_of):
    """(least, most) µs"""
    time, passes = ROWS[work]
    (clock, rate), (base_clock, base_rate) = DATA_SHEETS[card], DATA_SHEETS[BASE]
    factors = (base_rate / rate, base_clock * number_of[BASE] / (clock * number_of[card]))
    work_time = time - LAUNCH
    return LAUNCH + work_time * min(factors), LAUNCH + work_time * max(factors) * passes.get(card, 1)


def table(number_of):
    cards = [card for card in DATA_SHEETS if card != BASE]
    lines = [f"| photo, µs | {BASE}, measured | " + " | ".join(cards) + " |", "|---|" + "---|" * (len(cards) + 1)]
    for work, (time, _) in ROWS.items():
        ranges = ("{:.0f} to {:.0f}".format(*expected(work, card, number_of)) for card in cards)
        lines.append(f"| {work} | {time} | " + " | ".join(ranges) + " |")
    return "\n".join(lines)


def check(path, card, number_of):
    with open(path, encoding="utf-8") as file:
        times = {match[1]: float(match[2]) for line in file if (match := re.match(r"groups: (.+?)\s{2,}([\d.]+)", line))}
    found = [work for work in ROWS if work in times]
    outside = 0
    for work in found:
        least, most = expected(work, card, number_of)
        is_inside = least <= times[work] <= most
        outside += not is_inside
        print(f"{work}: {times[work]:.1f} µs, expected {least:.1f} to {most:.1f}: "
              + ("as expected" if is_inside else "faster" if times[work] < least else "SLOWER"))
    if not found:
        sys.exit(f"{path}: no row of groups that has an expectation")
    return outside == 0


def main():
    number_of = multiprocessors()
    if len(sys.argv) == 1:
        print(table(number_of))
    elif len(sys.argv) == 4 and sys.argv[1] == "--check" and sys.argv[3] in DATA_SHEETS:
        sys.exit(not check(sys.argv[2], sys.argv[3], number_of))
    else:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)


main()
