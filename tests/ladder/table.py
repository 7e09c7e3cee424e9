#!/usr/bin/python3
# Fills the generated parts of a Markdown page with what cudahisto-ladder --json measured.
#
#   table.py JSON_FILE MARKDOWN_FILE [CONFLICTS_JSON]
#
# JSON_FILE is of a whole run, of no part of the steps. A part of the page stands between
# <!-- ladder: NAME --> and <!-- /ladder -->; the names are the keys of PARTS below. CONFLICTS_JSON is what conflicts.sh wrote; without it the part `conflicts` is
# left as it is.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import json
import re
import sys

from measured import Measured, power

# How blocks' sums become one: what changes places with the size.
LAST_BLOCK = ("last_block", "last_block_tagged", "last_block_early", "last_block_packed")
ENDINGS = ("vector_loads", "two_pass", "grid_sync") + LAST_BLOCK
# What a step changes, against another: name, the step without it, the step with it.
CHANGES = (
    ("working threads side by side", "tree_divergent", "tree_strided"),
    ("no bank conflicts", "tree_strided", "tree_sequential"),
    ("half as many blocks", "tree_sequential", "add_during_load"),
    ("loop unrolled", "add_during_load", "unrolled"),
    ("last warp unrolled", "unrolled", "last_warp_unrolled"),
    ("shuffles for the tree", "last_warp_unrolled", "shuffle_per_block"),
    ("an eighth of the atomic additions", "shuffle_per_warp", "shuffle_per_block"),
    ("only as many blocks as are resident", "shuffle_per_block", "coarsened"),
    ("16-byte loads", "coarsened", "vector_loads"),
    ("redux.sync", "vector_loads", "redux"),
    ("no fence before the ticket", "last_block", "last_block_tagged"),
    ("ticket drawn early", "last_block_tagged", "last_block_early"),
    ("ticket and sum in one", "last_block", "last_block_packed"),
)
# Elements for each atomic addition: of a thread, of a warp, of a block of 256 threads.
ELEMENTS_PER_ADDITION = {
    "atomic_per_element": 1, "lane_serial": 32, "thread_serial": 256, "tree_divergent": 256,
    "tree_strided": 256, "tree_sequential": 256, "add_during_load": 512, "unrolled": 512,
    "last_warp_unrolled": 512, "shuffle_per_warp": 64, "shuffle_per_block": 512,
}
# Who changes places with whom.
RIVALS = (("shuffle_per_block", "vector_loads"), ("shuffle_per_block", "two_pass"),
          ("shuffle_per_block", "grid_sync"), ("vector_loads", "two_pass"),
          ("vector_loads", "grid_sync"), ("two_pass", "grid_sync"),
          ("grid_sync", "last_block"), ("vector_loads", "last_block_tagged"),
          ("last_block_tagged", "last_block_early"), ("vector_loads", "last_block_packed"))
# Where one step's count of bank conflicts should be large, and the others' small.
CONFLICTING = (("int", "tree_strided", ("tree_sequential",)),
               ("constant", "copy_per_lane", ("copy_per_lane_padded", "lane_private")),
               ("64 channels", "split_plain_tile", ("split_padded_tile", "split_swizzled_tile")))
# Times that differ by less are alike.
CHANCE = 1.02
# Where a claim is about large data, or about small.
SMALL = range(12, 21)
MIDDLE = 20
HALF_SMALL, HALF_LARGE = 12, 28


def table(head, rows):
    # The first column is text, the others are figures.
    lines = ["| " + " | ".join(head) + " |",
             "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def text_table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
                     + ["| " + " | ".join(row) + " |" for row in rows])


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


def size(elements):
    return f"2^{power(elements)}"


def span(first, last):
    return size(first) if first == last else f"{size(first)} to {size(last)}"


def stretches(sizes, what_is_so):
    """[first size, last size, what] for each stretch of sizes of which the same is so; what is
    None is left out. what_is_so (elements, what was so before)."""
    found, before = [], None
    for elements in sizes:
        what = what_is_so(elements, before)
        if what is None:
            continue
        if what == before:
            found[-1][1] = elements
        else:
            found.append([elements, elements, what])
        before = what
    return found


def steps_named(measured, names):
    known = {step["step"] for step in measured.steps_of("reduction")}
    return [name for name in names if name in known]


def speedup(measured, family, content, slower, faster, elements):
    a = measured.row(family, content, slower, elements)
    b = measured.row(family, content, faster, elements)
    return a["us"] / b["us"] if a and b else None


def times_text(value):
    return "–" if value is None else f"{value:.2f}"


def changes(measured):
    """How many times as fast a step is as the one that lacks the one thing."""
    sizes = [n for n in dict.fromkeys((1 << MIDDLE, measured.sizes[-1])) if n in measured.sizes]
    columns = [(content, n) for n in sizes for content in measured.contents("reduction")]
    rows = [[f"{what}: *{measured.title(faster)}*, for *{measured.title(slower)}*"]
            + [times_text(speedup(measured, "reduction", content, slower, faster, n))
               for content, n in columns]
            for what, slower, faster in CHANGES
            if len(steps_named(measured, (slower, faster))) == 2]
    return table(["times as fast"] + [f"{content}, {size(n)}" for content, n in columns], rows)


def queue(measured):
    """Nanoseconds between atomic additions."""
    elements, contents = measured.sizes[-1], measured.contents("reduction")
    rows = []
    for name in steps_named(measured, ELEMENTS_PER_ADDITION):
        n_additions = elements // ELEMENTS_PER_ADDITION[name]
        found = [measured.row("reduction", content, name, elements) for content in contents]
        rows.append([measured.title(name), str(n_additions)]
                    + [f"{1000 * row['us'] / n_additions:.3f}" if row else "–" for row in found])
    return table([f"at {size(elements)}", "additions"]
                 + [f"{content}, ns each" for content in contents], rows)


def times_of(measured, content, elements, names):
    return {name: row["us"] for name in names
            if (row := measured.row("reduction", content, name, elements)) and row["us"] > 0}


def ending_times(measured, content, elements):
    return times_of(measured, content, elements, ENDINGS)


def fastest(measured, content, names):
    """The stretches of sizes with one fastest step. To take over, one has to be faster than
    chance makes it."""
    def who(elements, before):
        times = times_of(measured, content, elements, names)
        name = min(times, key=times.get)
        return before if before and times[before] <= CHANCE * times[name] else name
    return stretches(measured.sizes, who)


def endings_table(measured):
    rows, names = [], steps_named(measured, ENDINGS)
    for content in measured.contents("reduction"):
        for elements in measured.sizes:
            if power(elements) % 2:
                continue
            times = ending_times(measured, content, elements)
            least = min(times.values())
            cells = ["–" if name not in times else f"{times[name]:.2f}" if times[name] > least
                     else f"**{times[name]:.2f}**" for name in names]
            rows.append([f"{content}, {size(elements)}"] + cells)
    return table(["µs"] + [measured.title(name) for name in names], rows)


def overtaking(measured):
    lines = [f"- Times within {100 * (CHANCE - 1):.0f} % of each other count as alike, here and in "
             "the next table."]
    every = [step["step"] for step in measured.steps_of("reduction")]
    for of, names in (("these", ENDINGS), ("all steps", every)):
        for content in measured.contents("reduction"):
            found = [f"{measured.title(name)} ({span(first, last)})"
                     for first, last, name in fastest(measured, content, names)]
            lines.append(f"- Of {of}, {content}: " + ", then ".join(found) + ".")
    return "\n".join(lines)


def rivals(measured):
    """Of two steps, which is faster where."""
    contents, rows = measured.contents("reduction"), []
    for pair in RIVALS:
        if len(steps_named(measured, pair)) < 2:
            continue

        def who(elements, _, content):
            times = times_of(measured, content, elements, pair)
            if len(times) < 2:
                return None
            a, b = (times[name] for name in pair)
            return "alike" if max(a, b) <= CHANCE * min(a, b) else "first" if a < b else "second"

        cells = [", ".join(f"{what} {span(first, last)}" for first, last, what in stretches(
                     measured.sizes, lambda n, before, c=content: who(n, before, c)))
                 for content in contents]
        rows.append([measured.title(name) for name in pair] + [cell or "–" for cell in cells])
    return text_table(["first", "second"] + contents, rows)


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


def agreement(is_so):
    return "agrees" if is_so else "differs"


def published(measured):
    """What courses report of other GPUs, beside the same here."""
    elements = measured.sizes[-1]
    vectors = measured.row("reduction", "int", "vector_loads", elements)["share"]
    stride = measured.row("reduction", "int", "coarsened", elements)["share"]
    rows = [["coarsened 16-byte loads of int: 98 % of the memory's throughput",
             f"{percent(vectors)} of the roofline, int at {size(elements)}",
             agreement(vectors >= 0.97)],
            ["grid-stride coarsening: 94 %", f"{percent(stride)}, the same",
             agreement(abs(stride - 0.94) <= 0.03)]]
    for text, exponent, is_slower in (
            ("two passes slower than atomics on small half-precision data", HALF_SMALL, True),
            ("two passes better on large half-precision data", HALF_LARGE, False)):
        if 1 << exponent not in measured.sizes:
            continue
        # Against atomics as a course has them before coarsening, and after.
        for other in ("shuffle_per_block", "vector_loads"):
            times = times_of(measured, "half", 1 << exponent, ("two_pass", other))
            rows.append([text, f"{times['two_pass']:.2f} µs; *{measured.title(other)}*: "
                         f"{times[other]:.2f} µs, half at 2^{exponent}",
                         agreement((times["two_pass"] > times[other]) == is_slower)])
    for content in ("int", "half"):
        times = ending_times(measured, content, elements)
        best = min(times, key=times.get)
        is_alike = times["grid_sync"] <= CHANCE * times[best]
        rows.append([f"grid sync best on large data ({content})",
                     f"{times['grid_sync']:.2f} µs; best is *{measured.title(best)}*, "
                     f"{times[best]:.2f} µs, at {size(elements)}",
                     agreement(best == "grid_sync")
                     + (", but less than chance" if is_alike and best != "grid_sync" else "")])
    return text_table(["published", "measured here", ""], rows)


def ratio(measured, family, content, slower, faster):
    return times_text(speedup(measured, family, content, slower, faster, measured.sizes[-1]))


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


def many_bins_findings(measured):
    family, lines = "histogram, 65536 bins", []
    for content in measured.contents(family):
        faster = " and ".join(
            ratio(measured, family, content, name, "packed_copy") + f" times as fast as "
            f"*{measured.title(name)}*" for name in ("global_atomics_16", "cluster_copy")
            if measured.row(family, content, name, measured.sizes[-1]))
        lines.append(f"- {content}, {size(measured.sizes[-1])}: *{measured.title('packed_copy')}*"
                     f" is {faster}.")
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
    "changes": changes,
    "queue": queue,
    "sizes": sizes_table,
    "endings": endings_table,
    "overtaking": overtaking,
    "rivals": rivals,
    "targets": targets,
    "published": published,
    "histogram steps": lessons("histogram"),
    "histogram": largest("histogram"),
    "histogram findings": histogram_findings,
    "histogram 65536 steps": lessons("histogram, 65536 bins"),
    "histogram 65536": largest("histogram, 65536 bins"),
    "histogram 65536 findings": many_bins_findings,
    "splitting steps": lessons("splitting"),
    "splitting": largest("splitting"),
    "splitting findings": splitting_findings,
}


def conflicts_part(path):
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)
    shares = {(row["content"], row["step"]): row["all"] / row["wavefronts"]
              for row in rows if row["all"] is not None and row["wavefronts"]}

    def cell(value):
        return "–" if value is None else str(value)

    def findings(measured):
        for content, worse, better in CONFLICTING:
            names = [name for name in (worse,) + better if (content, name) in shares]
            if names:
                yield f"- {content}, for conflicts: " + ", ".join(
                    f"{percent(shares[content, name])} of the passes of "
                    f"*{measured.title(name)}*" for name in names) + "."

    def part(measured):
        titles = {step["step"]: step["title"] for step in measured.steps}
        body = []
        for row in rows:
            share = shares.get((row["content"], row["step"]))
            body.append([f"{titles.get(row['step'], row['step'])}, {row['content']}",
                         cell(row["wavefronts"]), cell(row["all"]), times_text(share)])
        return "\n".join([table([f"at 2^{rows[0]['log2_elements']}",
                                 "passes through shared memory", "of these, for conflicts",
                                 "share"], body), "", *findings(measured)])
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
