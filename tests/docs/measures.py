#!/usr/bin/python3
"""Whether other files agree with the table of measures: docs/measures.md has a row for each measure that has a
source, and each row has the source of the table; kernels/formulas.h has the formulas that the table names. docs/report.md
lists the kinds of notices in their order.

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


def list_measures():
    return subprocess.run([sys.argv[1], "--list"], check=True, capture_output=True,
                          encoding="utf-8").stdout.splitlines()


def check_page():
    """Yields the faults of docs/measures.md."""
    parts = re.split(r"^## (.*)\n", read("docs", "measures.md"), flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2]))
    for group, name, source in (line.split("\t") for line in list_measures()):
        section = SECTIONS.get(group, group)
        row = re.search(rf"^\|[^|]*`{name}`[^|]*\|([^|]*)\|([^|]*)\|(.*)\|$", sections.get(section, ""), re.MULTILINE)
        cells = [cell.strip() for cell in row.groups()] if row else None
        if row is None and source:
            yield f"docs/measures.md: the table of {section} has no row for `{name}`"
        elif row and cells[0] != source:
            yield f"docs/measures.md: the source of `{name}` must be: {source}"
        elif row and cells == ["", "reference", ""]:
            # The page says once what is true of every figure without a source.
            yield f"docs/measures.md: the row of `{name}` says nothing"


def check_formulas():
    for name in set(re.findall(r'"(histo_\w+)"', read("plugin", "cudahisto", "measures.h"))):
        if not re.search(rf"^{name} \(", read("kernels", "formulas.h"), re.MULTILINE):
            yield f"kernels/formulas.h has no {name}()"


def check_kinds():
    """The schema is made of the program's table. The page may name a kind again behind the list."""
    schema = json.loads(read("docs", "report.schema.json"))
    kinds = schema["definitions"]["notice"]["properties"]["kind"]["enum"]
    listed = [*dict.fromkeys(re.findall(r"`([a-z-]+)`", re.search(r"^\| `kind` \|(.*)\|$", read("docs", "report.md"),
                                                                  re.MULTILINE)[1]))]
    if listed != kinds:
        yield f"docs/report.md: the kinds of notices are {', '.join(kinds)}"


def main():
    faults = [*check_page(), *check_formulas(), *check_kinds()]
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
