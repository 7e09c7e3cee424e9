#!/usr/bin/python3
"""Whether the links between the documents lead somewhere: to a file, and to a heading in it.

    tests/docs/links.py

Links to other sites are not followed. So are the places that sources name: "docs/result.md, Windows". Also checks that
docs/README.md names every page, and that the commands of every page are tested.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FENCE = re.compile(r"^\s*```.*?^\s*```\s*$", re.MULTILINE | re.DOTALL)


def documents():
    yield os.path.join(ROOT, "README.md")
    yield os.path.join(ROOT, "CHANGELOG.md")
    for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
        for name in sorted(names):
            if name.endswith(".md"):
                yield os.path.join(folder, name)


def read(path):
    with open(path, encoding="utf-8") as file:
        return FENCE.sub("", file.read())


def anchors(text):
    """The names by which the headings can be linked, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        name = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
        number, unique = 0, name
        while unique in found:
            number += 1
            unique = f"{name}-{number}"
        found.add(unique)
    return found | set(re.findall(r'<a (?:name|id)="([^"]+)"', text))


def unknown_pages(texts):
    """Pages that the list of pages does not name, or whose commands are not tested."""
    index = texts[os.path.join(ROOT, "docs", "README.md")]
    tests = "".join(read(os.path.join(folder, name)) for folder, _, names in os.walk(os.path.join(ROOT, "tests"))
                    for name in names if name.endswith((".py", "meson.build")))
    for path in texts:
        name = os.path.relpath(path, ROOT)
        if name.startswith("docs/") and name != "docs/README.md" and f"({name[5:]}" not in index:
            yield f"docs/README.md does not name {name}"
        if not re.search(rf"(?<![\w/]){re.escape(name)}", tests):
            yield f"no test names {name}; tests/docs/meson.build has the list of pages"


SOURCES = (".c", ".h", ".cc", ".cu", ".cuh", ".py", ".sh", ".js", ".build", ".sbatch")
PLACE = re.compile(r"\b(docs/[\w-]+\.md|README(?:\.md)?)(?:, ([A-Z][\w ]*\w))?")


def wrong_places(texts):
    """Pages that sources name and that do not exist, and headings that the pages do not have."""
    for top in "kernels", "pipelines", "plugin", "tests":
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for path in (os.path.join(folder, name) for name in names if name.endswith(SOURCES)):
                with open(path, encoding="utf-8", errors="replace") as file:
                    # A place may go on in the next line.
                    source = re.sub(r"\n[\s*#/]*", " ", file.read())
                for page, heading in PLACE.findall(source):
                    text = texts.get(os.path.join(ROOT, page if page.endswith(".md") else page + ".md"))
                    where = os.path.relpath(path, ROOT)
                    if text is None:
                        yield f"{where}: there is no {page}"
                    elif heading and not any(f"{heading} ".startswith(f"{known} ") for known in re.findall(
                            r"^#+ (.*)$", text, re.MULTILINE)):
                        yield f"{where}: {page} has no heading \"{heading}\""


def main():
    texts = {path: read(path) for path in documents()}
    n_links, faults, pictures = 0, [], []
    for path, text in texts.items():
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            n_links += 1
            name, _, anchor = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            where = os.path.relpath(path, ROOT)
            if not os.path.exists(file) and os.path.relpath(file, ROOT).startswith("docs/images/"):
                pictures.append(f"skipped: {where}: the picture {target} has not been made")
            elif not os.path.exists(file):
                faults.append(f"{where}: there is no {target}")
            elif anchor and file.endswith(".md") and anchor not in anchors(texts.get(file) or read(file)):
                faults.append(f"{where}: {name or 'this page'} has no heading #{anchor}")
    faults += unknown_pages(texts)
    faults += wrong_places(texts)
    print(*faults, *pictures, f"{n_links} links in {len(texts)} documents, {len(faults)} faults", sep="\n")
    return 1 if faults or n_links < 50 else 77 if pictures else 0


if __name__ == "__main__":
    sys.exit(main())
