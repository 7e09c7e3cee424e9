#!/usr/bin/python3
"""Whether other files agree with the table of measures: docs/measures.md has a row for each measure, with
the source of the table; kernels/formulas.h has the formulas that the table names; docs/report.schema.json has
exactly the groups, components, figures and alerts of the table.

    tests/docs/measures.py BUILD_DIR/tests/docs/figures

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
# The headings that have the measures of two groups.
SECTIONS = {"color": "color and hdr", "hdr": "color and hdr", "detail": "detail and area"}


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def run(option):
    return subprocess.run([sys.argv[1], option], check=True, capture_output=True,
                          encoding="utf-8").stdout.splitlines()


def check_page():
    """Yields the faults of docs/measures.md."""
    parts = re.split(r"^## (.*)\n", read("docs", "measures.md"), flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2]))
    for group, name, source in (line.split("\t") for line in run("--list")):
        section = SECTIONS.get(group, group)
        row = re.search(rf"^\|[^|]*`{name}`[^|]*\|([^|]*)\|", sections.get(section, ""),
                        re.MULTILINE)
        if row is None:
            yield f"docs/measures.md: the table of {section} has no row for `{name}`"
        elif row[1].strip() != source:
            yield f"docs/measures.md: the source of `{name}` must be: {source}"


def check_formulas():
    for name in set(re.findall(r'"(histo_\w+)"', read("plugin", "cudahisto", "measures.h"))):
        if not re.search(rf"^{name} \(", read("kernels", "formulas.h"), re.MULTILINE):
            yield f"kernels/formulas.h has no {name}()"


def enumerations(part):
    """The values of each "enum" in a part of a schema."""
    if isinstance(part, dict):
        if isinstance(part.get("enum"), list):
            yield part["enum"]
        for inner in part.values():
            yield from enumerations(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from enumerations(inner)


def check_schema():
    """Yields the faults of docs/report.schema.json."""
    rows = [line.split() for line in run("--table")]

    def figures(place):
        return {name for row in rows if row[0] == place for name in row[2:]}

    def components(group):
        return {name for row in rows if row[:2] == ["components", group] for name in row[3:]} | {
            row[2] for row in rows if row[:2] == ["joint", group]}

    arrays = {name for row in rows if row[:2] == ["loudness", "DOUBLES"] for name in row[2:]}
    groups = {row[1]: row[2:] for row in rows if row[0] == "groups"}
    alerts = [name for row in rows if row[0] == "alerts" for name in row[1:]]
    more = {"signal": {"bits-used"}, "motion": set("YUVRGBA"), "area": {"x", "y", "width", "height"},
            "flash": {"zones"}}
    schema = json.loads(read("docs", "report.schema.json"))["definitions"]

    def properties(name, *path):
        part = schema[name]["properties"]
        for step in path:
            part = part[step]["properties"]
        return set(part)

    expected = [("component", properties("component"),
                 figures("component") | figures("level") | {"depth", "histogram"}),
                ("joint", properties("joint"), {"count", "columns", "rows", "x", "y", "histogram"}),
                ("merged-component", properties("merged-component"),
                 figures("component") | {"name", "group", "means", "histogram"}),
                ("merged-channels", set(schema["merged-channels"]["items"]["properties"]),
                 figures("level") | arrays),
                ("a pair", properties("pair"), figures("pair") | {"first", "second"}),
                ("merged-pair", properties("merged-pair"), figures("pair") | {
                    "first", "second", "first-squares", "second-squares", "products", "sum-squares", "whole"}),
                ("loudness of a window", properties("window", "loudness"), figures("loudness")),
                ("loudness of a stream", properties("stream", "loudness"),
                 (figures("loudness") - arrays) | {"momentary-blocks", "short-term-blocks"})]
    for group in groups["video"]:
        expected += [(f"{group} of a {place}", properties(place, group),
                      figures(group) | components(group) | more.get(group, set()))
                     for place in ("frame", "region") if (group, place) != ("scopes", "region")]
        if figures(group):
            expected.append((f"{group} of a merged region",
                             properties("merged-region", "figures", group), figures(group)))
    for name, found, wanted in expected:
        if found != wanted:
            yield f"docs/report.schema.json: {name}: {' '.join(sorted(found ^ wanted))}"
    all_groups = ["basic", *groups["video"], *groups["audio"]]
    for values in enumerations(schema):
        for wanted in (all_groups, alerts):
            # Alerts are also of rules.
            if wanted[0] in values and values not in (wanted, [*wanted, "rule"]):
                yield f"docs/report.schema.json: {values} must be {wanted}"


def main():
    faults = [*check_page(), *check_formulas(), *check_schema()]
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
