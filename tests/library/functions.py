#!/usr/bin/python3
"""Checks the functions of the library for programs: each is called with NULL and out of range (functions.c), and each
of an installed header has its contract there.

    functions.py PROGRAM ARCHIVE HEADER...

PROGRAM is functions.c, which is a test itself; ARCHIVE the library. The functions are those that the headers of plugin/cudahisto declare, or
that the library has. HEADERs are those that are installed.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import pathlib
import re
import shutil
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "plugin" / "cudahisto"


def declared(header: pathlib.Path) -> "dict[str, int]":
    """The functions that a header declares or defines, and where their declaration begins."""
    # Comments and lines of the preprocessor become blanks, so that places stay. Bodies of inline functions are indented.
    text = re.sub(r"/\*.*?\*/", lambda found: re.sub(r"[^\n]", " ", found[0]), header.read_text(), flags=re.S)
    text = re.sub(r"^#(?:.*\\\n)*.*", lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.M)
    return {found[1]: found.start()
            for found in re.finditer(r"^[A-Za-z][\w *]*\n?\b(histo_\w+) \(", text, flags=re.M)}


def check_contract(header: pathlib.Path, function: str, place: int) -> str:
    """Returns what is wrong, or ""."""
    before = header.read_text()[:place].rstrip()
    comment = before[before.rfind("/*"):]
    if not comment.endswith("*/"):
        return "has no comment"
    if not comment.startswith(f"/**\n * {function}:\n"):
        return f"has another comment: {comment.splitlines()[0]}"
    return ""


def main() -> int:
    program, archive = sys.argv[1:3]
    installed = {pathlib.Path(name).name for name in sys.argv[3:]}
    failures = []
    names = {}
    for header in sorted(FOLDER.glob("*.h")):
        for function, place in declared(header).items():
            names[function] = header.name
            wrong = check_contract(header, function, place) if header.name in installed else ""
            if wrong:
                failures.append(f"{header.name}: {function} {wrong}")
    for source in sorted(FOLDER.glob("*.c")):
        for function in re.findall(r"/\*\*\n \* (histo_\w+):", source.read_text()):
            if names.get(function) in installed:
                failures.append(f"{source.name}: the contract of {function} belongs to {names[function]}")
    nm = shutil.which("nm")
    if nm is not None:
        symbols = subprocess.run([nm, "--defined-only", archive], check=True, capture_output=True, text=True).stdout
        names.update(dict.fromkeys(re.findall(r" T (histo_\w+)$", symbols, flags=re.M), archive))
    called = set(subprocess.run([program, "--list"], check=True, capture_output=True, text=True).stdout.split())
    failures += [f"functions.c does not call {name} ({names[name]})" for name in sorted(set(names) - called)]
    failures += [f"functions.c calls {name}, which no header declares" for name in sorted(called - set(names))]
    print(f"{len(names)} functions")
    print("\n".join(failures), file=sys.stderr)
    return len(failures) > 0


sys.exit(main())
