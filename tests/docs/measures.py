#!/usr/bin/python3
"""Whether docs/measures.md has a row for each measure, with the source that the table of measures
has, and kernels/maps.h the formulas that the table names.

    tests/docs/measures.py BUILD_DIR/tests/docs/figures

SPDX-License-Identifier: LGPL-2.1-or-later
"""
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


def main():
    parts = re.split(r"^## (.*)\n", read("docs", "measures.md"), flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2]))
    lines = subprocess.run([sys.argv[1], "--list"], check=True, capture_output=True,
                           encoding="utf-8").stdout.splitlines()
    n_wrong = 0
    for group, name, source in (line.split("\t") for line in lines):
        section = SECTIONS.get(group, group)
        row = re.search(rf"^\|[^|]*`{name}`[^|]*\|([^|]*)\|", sections.get(section, ""),
                        re.MULTILINE)
        if row is None:
            print(f"docs/measures.md: the table of {section} has no row for `{name}`")
        elif row[1].strip() != source:
            print(f"docs/measures.md: the source of `{name}` must be: {source}")
        n_wrong += row is None or row[1].strip() != source
    formulas = set(re.findall(r'"(histo_\w+)"', read("plugin", "cudahisto", "measures.h")))
    missing = {name for name in formulas
               if not re.search(rf"^{name} \(", read("kernels", "maps.h"), re.MULTILINE)}
    print(f"{len(lines)} measures, {n_wrong} wrong in the document")
    print(f"{len(formulas)} formulas, not in kernels/maps.h: {', '.join(missing) or 'none'}")
    return 1 if n_wrong or missing or not lines or not formulas else 0


if __name__ == "__main__":
    sys.exit(main())
