#!/usr/bin/python3
# Fills the generated parts of a Markdown page with what cudahisto-ladder --json measured.
#
#   table.py JSON_FILE MARKDOWN_FILE [CONFLICTS_JSON]
#
# JSON_FILE is of a whole run, of no part of the steps. A part of the page stands between
# <!-- ladder: NAME --> and <!-- /ladder -->; the names are the keys of PARTS below. CONFLICTS_JSON is
# what conflicts.sh wrote; without it the part `conflicts` is left as it is.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import json
import re
import sys

from measured import Measured, power

# The steps that differ in how the blocks' sums become one.
LAST_BLOCK = ("last_block", "last_block_tagged", "last_block_early", "last_block_packed")
ENDINGS = ("vector_loads", "two_pass", "grid_sync") + LAST_BLOCK
# The steps whose bank conflicts are shown: those of the first of each content should be many.
CONFLICTING = (("int", ("tree_strided", "tree_sequential")),
               ("constant", ("copy_per_lane", "copy_per_lane_padded", "lane_private")),
               ("64 channels", ("split_plain_tile", "split_padded_tile", "split_swizzled_tile")))
# Where a claim is about small data.
SMALL = range(12, 21)


def table(head, rows):
    # The first column is text, the others are figures.
    lines = ["| " + " | ".join(head) + " |",
             "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def percent(share):
    return f"{100 * share:.1f} %"


def run_line(measured):
    return (f"{measured.device}, {measured.multiprocessors} multiprocessors, driver's CUDA "
            f"{measured.driver // 1000}.{measured.driver // 10 % 100}, {measured.date}; "
            f"2^{power(measured.sizes[0])} to 2^{power(measured.sizes[-1])} elements.")


def lessons(family):
    def part(measured):
        return "\n".join(f"{i}. **{step['title']}**. {step['lesson']}"
                         for i, step in enumerate(measured.steps_of(family), 1))
    return part


def largest(family):
    """Time and rate of the first content, and the share of each, at the largest size."""
    def part(measured):
        elements, contents = measured.sizes[-1], measured.contents(family)
        first = contents[0]
        head = [f"step, at 2^{power(elements)}", f"{first} µs", "GB/s", "× the step before"]
        rows = []
        for step in measured.steps_of(family):
            row = measured.row(family, first, step["step"], elements)
            cells = ([f"{row['us']:.1f}", f"{row['gbs']:.0f}",
                      f"{row['speedup']:.2f}" if row["speedup"] else ""] if row else [""] * 3)
            for content in contents:
                other = measured.row(family, content, step["step"], elements)
                cells.append(percent(other["share"]) if other else "–")
            rows.append([step["title"]] + cells)
        return table(head + [f"{content} share" for content in contents], rows)
    return part


def size(elements):
    return f"2^{power(elements)}"


def steps_named(measured, names):
    known = {step["step"] for step in measured.steps_of("reduction")}
    return [name for name in names if name in known]


def times_of(measured, content, elements, names):
    return {name: row["us"] for name in names
            if (row := measured.row("reduction", content, name, elements)) and row["us"] > 0}


def endings_table(measured):
    rows, names = [], steps_named(measured, ENDINGS)
    for content in measured.contents("reduction"):
        for elements in measured.sizes:
            if power(elements) % 4:
                continue
            times = times_of(measured, content, elements, ENDINGS)
            least = min(times.values())
            cells = ["–" if name not in times else f"{times[name]:.2f}" if times[name] > least
                     else f"**{times[name]:.2f}**" for name in names]
            rows.append([f"{content}, {size(elements)}"] + cells)
    return table(["µs"] + [measured.title(name) for name in names], rows)


def verdict(is_so):
    return "reached" if is_so else "**not reached**"


def targets(measured):
    elements = measured.sizes[-1]
    lines = []
    for content in ("int", "float"):
        best = measured.best("reduction", content, elements)
        lines.append(f"- The best reduction of {content} at 2^{power(elements)}, "
                     f"{measured.title(best['step'])}: {percent(best['share'])} of the roofline "
                     f"(wanted: 97 %): {verdict(best['share'] >= 0.97)}.")
    for content in measured.contents("reduction"):
        ratios = {}     # of single steps, each at its worst size
        for name in steps_named(measured, LAST_BLOCK):
            found = {n: times_of(measured, content, n, [name]) for n in measured.sizes
                     if power(n) in SMALL}
            if all(found.values()):
                ratios[name] = max((times[name] / measured.best("reduction", content, n)["us"], n)
                                   for n, times in found.items())
        best = min(ratios, key=ratios.get)
        worst, n = ratios[best]
        lines.append(f"- The best last-block step for {content}, *{measured.title(best)}*, up to "
                     f"2^{SMALL[-1]}: at most {worst:.3f} times the best step's time, at "
                     f"{size(n)} (wanted: 1.05): {verdict(worst <= 1.05)}.")
    n = len(measured.rows)
    exact = sum(row["exact"] for row in measured.rows.values())
    lines.append(f"- Exact: {exact} of {n} measurements.")
    return "\n".join(lines)


PARTS = {
    "run": run_line,
    "reduction steps": lessons("reduction"),
    "reduction": largest("reduction"),
    "endings": endings_table,
    "targets": targets,
    "histogram steps": lessons("histogram"),
    "histogram": largest("histogram"),
    "histogram 65536 steps": lessons("histogram, 65536 bins"),
    "histogram 65536": largest("histogram, 65536 bins"),
    "splitting steps": lessons("splitting"),
    "splitting": largest("splitting"),
    "elimination steps": lessons("elimination"),
    "elimination": largest("elimination"),
}


def conflicts_part(path):
    with open(path, encoding="utf-8") as file:
        counts = {(row["content"], row["step"]): row for row in json.load(file)}

    def part(measured):
        body = []
        for content, steps in CONFLICTING:
            for name in steps:
                row = counts.get((content, name))
                if row is None or row["all"] is None or not row["wavefronts"]:
                    continue
                body.append([f"{measured.title(name)}, {content}", str(row["wavefronts"]), str(row["all"]),
                             f"{row['all'] / row['wavefronts']:.2f}"])
        log2 = next(iter(counts.values()))["log2_elements"]
        return table([f"at 2^{log2}", "passes through shared memory", "of these, for conflicts", "share"], body)
    return part


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: table.py JSON_FILE MARKDOWN_FILE [CONFLICTS_JSON]")
    measured = Measured(sys.argv[1])
    parts = dict(PARTS)
    if len(sys.argv) == 4:
        parts["conflicts"] = conflicts_part(sys.argv[3])
    with open(sys.argv[2], encoding="utf-8") as file:
        page = file.read()

    def fill(match):
        name = match[1]
        if name == "conflicts" and name not in parts:
            return match[0]
        if name not in parts:
            sys.exit(f"{sys.argv[2]}: no part is called '{name}'")
        return f"<!-- ladder: {name} -->\n\n{parts[name](measured)}\n\n<!-- /ladder -->"

    page, n = re.subn(r"<!-- ladder: (.*?) -->.*?<!-- /ladder -->", fill, page, flags=re.S)
    if n == 0:
        sys.exit(f"{sys.argv[2]} has no part to be filled")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(page)


main()
