#!/usr/bin/python3
"""Whether a document, comment or test names a commit by its id. The history may be rewritten, and then the id is
gone: a text names versions and dates instead.

    tests/docs/commit-ids.py [--self-test]

An id is a word of 7 to 40 hexadecimal digits with at least one letter and one digit. Colours (#1a2b3c4d), numbers
(0x12ab34cd, 1.5e10), strings in C and parts of file names do not count.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("docs", "kernels", "pipelines", "plugin", "tests")
# Inputs and pictures, which have numbers of any kind.
LEFT_OUT = ("tests/fuzz/corpus/",)
OTHER_SUFFIXES = (".svg", ".json", ".png", ".pyc")
ID = re.compile(r"""(?<![\w#."])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{7,40}(?!\w)""")


def names_commit(line):
    return ID.search(line) is not None


def files():
    yield os.path.join(ROOT, "README.md")
    for folder in FOLDERS:
        for where, _, names in os.walk(os.path.join(ROOT, folder)):
            yield from (os.path.join(where, name) for name in sorted(names))


def find():
    for path in files():
        name = os.path.relpath(path, ROOT)
        if name.startswith(LEFT_OUT) or name.endswith(OTHER_SUFFIXES):
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                if names_commit(line):
                    yield f"{name}:{number}: looks like the id of a commit: {line.strip()}"


def self_test():
    short, long = "12ab" + "34c", "0a" * 20         # in parts, so that this file passes, too
    ids = (short, f"fixed at {short}.", f"`{short}`", f"[{short}]", f"from {short} to the next", long, f"{short}..{long}",
           f"https://example.org/commit/{long}")
    others = ("1234567", "abcdefa", "defaced", f"0x{short}", f"#{short}d", f"1.{short}", f'"{short}"', f"{short}g", short[:6],
              long + "0", f"file.{short}.html", "2026-11-26", short.upper())
    for text in ids:
        assert names_commit(text), text
    for text in others:
        assert not names_commit(text), text
    print(f"self-test: {len(ids) + len(others)} texts")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    found = list(find())
    print(*found, f"{len(found)} ids of commits", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
