#!/usr/bin/python3
# Fills the generated parts of a Markdown page with what cudahisto-ladder --json measured.
#
#   table.py JSON_FILE MARKDOWN_FILE [CONFLICTS_JSON]
#
# JSON_FILE is of a whole run, of no part of the steps. A part of the page stands between <!-- ladder: NAME --> and <!-- /ladder -->; the names are the keys of
# PARTS below. CONFLICTS_JSON is what conflicts.sh wrote; without it the part `conflicts` is
# left as it is.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import json
import re
import sys

from measured import Measured, power

# How blocks' sums become one: what changes places with the size.
ENDINGS = ("vector_loads", "two_pass", "grid_sync", "last_block", "last_block_packed")
LAST_BLOCK = ENDINGS[3:]
# Times that differ by less are alike.
CHANCE = 1.02
# Where a claim is about large data, or about small.
SMALL = range(12, 21)
HALF_SMALL, HALF_LARGE = 12, 28


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


def sizes_table(measured):
    """Microseconds of every reduction of int, at some sizes, and of the roofline."""
    sizes = [n for n in measured.sizes if power(n) % 4 == 0]
    rows = []
    for name, title in [("read_only", "*reading alone*")] + [
            (step["step"], step["title"]) for step in measured.steps_of("reduction", "int")]:
        found = [measured.row("reduction", "int", name, n) for n in sizes]
        rows.append([title] + [f"{row['us']:.2f}" if row else "–" for row in found])
    return table(["int, µs"] + [f"2^{power(n)}" for n in sizes], rows)


def ending_times(measured, content, elements):
    return {name: row["us"] for name in ENDINGS
            if (row := measured.row("reduction", content, name, elements))}


def fastest_endings(measured, content):
    """[first size, last size, name] for each stretch of sizes with one fastest ending. To take
    over, one has to be faster than chance makes it."""
    stretches = []
    for elements in measured.sizes:
        times = ending_times(measured, content, elements)
        name = min(times, key=times.get)
        if stretches and times[stretches[-1][2]] <= CHANCE * times[name]:
            stretches[-1][1] = elements
        else:
            stretches.append([elements, elements, name])
    return stretches


def span(first, last):
    return f"2^{power(first)}" if first == last else f"2^{power(first)} to 2^{power(last)}"


def endings_table(measured):
    rows = []
    for content in measured.contents("reduction"):
        for elements in measured.sizes:
            if power(elements) % 2:
                continue
            times = ending_times(measured, content, elements)
            least = min(times.values())
            cells = ["–" if name not in times else f"{times[name]:.2f}" if times[name] > least
                     else f"**{times[name]:.2f}**" for name in ENDINGS]
            rows.append([f"{content}, 2^{power(elements)}"] + cells)
    return table(["µs"] + [measured.title(name) for name in ENDINGS], rows)


def overtaking(measured):
    lines = [f"Times within {100 * (CHANCE - 1):.0f} % of each other count as equal.", ""]
    for content in measured.contents("reduction"):
        stretches = [f"{measured.title(name)} ({span(first, last)})"
                     for first, last, name in fastest_endings(measured, content)]
        lines.append(f"- {content}: " + ", then ".join(stretches) + ".")
    return "\n".join(lines)


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
        ratios = {}
        for size in measured.sizes:
            times = ending_times(measured, content, size)
            if power(size) in SMALL:
                ratios[size] = (min(times[name] for name in LAST_BLOCK if name in times)
                                / measured.best("reduction", content, size)["us"])
        worst = max(ratios, key=ratios.get)
        lines.append(f"- The better of the last-block steps, {content}, up to 2^20: at most "
                     f"{ratios[worst]:.3f} times the best step's time, at 2^{power(worst)} "
                     f"(wanted: 1.05): {verdict(ratios[worst] <= 1.05)}.")
    n = len(measured.rows)
    exact = sum(row["exact"] for row in measured.rows.values())
    lines.append(f"- Exact: {exact} of {n} measurements.")
    return "\n".join(lines)


def agreement(is_so):
    return "agrees" if is_so else "differs"


def published(measured):
    """What courses report of other GPUs, beside the same here."""
    elements = measured.sizes[-1]
    vectors = measured.row("reduction", "int", "vector_loads", elements)["share"]
    stride = measured.row("reduction", "int", "coarsened", elements)["share"]
    rows = [["coarsened 16-byte loads: 98 % of the memory's throughput",
             f"{percent(vectors)} of the roofline, int at 2^{power(elements)}",
             agreement(vectors >= 0.97)],
            ["grid-stride coarsening: 94 %", f"{percent(stride)}, the same",
             agreement(abs(stride - 0.94) <= 0.03)]]
    for text, exponent, slower in (
            ("two passes slower than atomics on small half-precision data", HALF_SMALL, True),
            ("two passes better on large half-precision data", HALF_LARGE, False)):
        if 1 << exponent not in measured.sizes:
            continue
        times = ending_times(measured, "half", 1 << exponent)
        rows.append([text, f"{times['two_pass']:.2f} µs against {times['vector_loads']:.2f} µs, "
                     f"half at 2^{exponent}",
                     agreement((times["two_pass"] > times["vector_loads"]) == slower)])
    for content in ("int", "half"):
        times = ending_times(measured, content, elements)
        best = min(times, key=times.get)
        rows.append([f"grid sync best on large data ({content})",
                     f"{times['grid_sync']:.2f} µs; best is {measured.title(best)}, "
                     f"{times[best]:.2f} µs, at 2^{power(elements)}",
                     agreement(best == "grid_sync")])
    return ("\n".join(["| published | measured here | |", "|---|---|---|"]
                      + ["| " + " | ".join(row) + " |" for row in rows]))


def ratio(measured, family, content, slower, faster):
    elements = measured.sizes[-1]
    a = measured.row(family, content, slower, elements)
    b = measured.row(family, content, faster, elements)
    return f"{a['us'] / b['us']:.2f}"


def histogram_findings(measured):
    large = f"2^{power(measured.sizes[-1])}"
    lines = []
    for content in measured.contents("histogram"):
        best = measured.best("histogram", content, measured.sizes[-1])
        lines.append(
            f"- {content}, {large}: fastest is *{measured.title(best['step'])}* "
            f"({percent(best['share'])} of the roofline). Padding the copies makes them "
            f"{ratio(measured, 'histogram', content, 'copy_per_lane', 'copy_per_lane_padded')} "
            "times as fast as unpadded; side by side, they are "
            f"{ratio(measured, 'histogram', content, 'copy_per_lane_padded', 'lane_private')} "
            "times as fast as padded. Interleaved reading is "
            + ratio(measured, "histogram", content, "lane_private_sectioned", "lane_private")
            + " times as fast as sectioned; joining runs, "
            + ratio(measured, "histogram", content, "lane_private", "lane_private_runs")
            + " times as fast as not joining them.")
    return "\n".join(lines)


def splitting_findings(measured):
    family, content = "splitting", measured.contents("splitting")[0]
    return (f"- At 2^{power(measured.sizes[-1])} words, the plain tile is "
            f"{ratio(measured, family, content, 'split_directly', 'split_plain_tile')} times as "
            "fast as none, the padded one "
            f"{ratio(measured, family, content, 'split_plain_tile', 'split_padded_tile')} times "
            "as fast as the plain, the swizzled one "
            f"{ratio(measured, family, content, 'split_padded_tile', 'split_swizzled_tile')} "
            "times as fast as the padded.")


PARTS = {
    "run": run_line,
    "reduction steps": lessons("reduction"),
    "reduction": largest("reduction"),
    "sizes": sizes_table,
    "endings": endings_table,
    "overtaking": overtaking,
    "targets": targets,
    "published": published,
    "histogram steps": lessons("histogram"),
    "histogram": largest("histogram"),
    "histogram findings": histogram_findings,
    "histogram 65536 steps": lessons("histogram, 65536 bins"),
    "histogram 65536": largest("histogram, 65536 bins"),
    "splitting steps": lessons("splitting"),
    "splitting": largest("splitting"),
    "splitting findings": splitting_findings,
}


def conflicts_part(path):
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)

    def cell(value):
        return "–" if value is None else str(value)

    def part(measured):
        titles = {step["step"]: step["title"] for step in measured.steps}
        body = [[f"{titles.get(row['step'], row['step'])}, {row['content']}",
                 cell(row["wavefronts"]), cell(row["all"])]
                + [f"{row['all'] / row['wavefronts']:.2f}"
                   if row["all"] is not None and row["wavefronts"] else "–"] for row in rows]
        return table([f"at 2^{rows[0]['log2_elements']}", "passes through shared memory",
                      "of these, for conflicts", "share"], body)
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
