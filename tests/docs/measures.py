#!/usr/bin/python3
"""Whether docs/measures.md names the source of each figure of each group.

    tests/docs/measures.py

The lists of figures are those of plugin/cudahisto/*.h.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
# The heading of the document that has the figures of a list, or of a group of a list.
SECTIONS = {"SIGNAL": "signal", "MOTION": "motion", "HDR": "color and hdr",
            "DETAIL": "detail and area", "level-figures.h": "level",
            "loudness-figures.h": "loudness"}


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def figures():
    """The heading and the name of each figure. The figures of components are in docs/result.md."""
    for header in ("groups.h", "level-figures.h", "loudness-figures.h"):
        rows = re.findall(r'^  FIGURE \((\w+), \w+, "([\w-]+)"', read("plugin", "cudahisto", header),
                          re.MULTILINE)
        for kind, name in rows:
            section = SECTIONS.get(kind) or SECTIONS.get(header)
            if section:
                yield section, name


def main():
    parts = re.split(r"^## (.*)\n", read("docs", "measures.md"), flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2]))
    missing = [(section, name) for section, name in figures()
               if not re.search(rf"^\|[^|]*`{name}`[^|]*\|", sections.get(section, ""), re.MULTILINE)]
    for section, name in missing:
        print(f"docs/measures.md: the table of {section} has no row for `{name}`")
    found = len(list(figures()))
    print(f"{found} figures, {len(missing)} not in the document")
    return 1 if missing or found < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
