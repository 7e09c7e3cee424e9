#!/usr/bin/python3
"""Runs every command and program of documents, and compares what they print.

    GST_PLUGIN_PATH_1_0=FOLDERS tests/docs/snippets.py [--build BUILD_DIR] DOCUMENT...

What is done with a fenced block depends on its language:

- `sh`: bash runs it. Each block begins in the folder and with the exported variables with which
  the block before it ended, as in a terminal. The first one begins in a folder that looks like
  the root of the repository, with `build`, the films `clip.mkv` and `film.mkv`, and the folders `season-1` and
  `season-2` with films.
- `c`, `python` and other languages: the text is written to the file that the first line names in
  a comment. A later `sh` block must use this file.
- `json`: the text must be valid JSON, or one JSON value a line.
- no language, or `text`, after an `sh` block of the same section: what the block prints, with `…`
  for parts that are left out. White space, and the backend in results, may differ. Other blocks
  without a language are diagrams.

Comments on the lines before a block say more:

    <!-- not run: REASON -->   the block is not run; the test lists these blocks
    <!-- in: FILE -->          the block is a part of this file: each of its lines must be there
    <!-- not output -->        the block is not what the commands before it print
    <!-- status: N -->         the exit status of the block, if it is not 0
    <!-- needs: NAME... -->    programs, paths, or Python modules (python3:MODULE) that may be
                               missing: then the test is skipped after the other blocks were run

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import argparse
import collections
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILMS = "/usr/share/doc/opencv-doc/examples/data"
SOUNDS = "/usr/share/sounds/alsa"
MOST_SHOWN = 2000       # characters of an output that a fault shows
# Files of the reader's own.
FILM_NAMES = ("clip.mkv", "film.mkv")
SEASONS = ("season-1", "season-2")      # folders with films
TIMEOUT = 120           # s, for one block
# Languages whose blocks are files: how a comment begins.
FILE_COMMENT = re.compile(r"(?:/\*|//|#|--)\s*([\w.-]+\.\w+|Makefile)\b")
COMMENT = re.compile(r"<!--\s*(not run|not output|in|status|needs)(?::\s*(.*?))?\s*-->", re.DOTALL)

Block = collections.namedtuple("Block", "line language text section marks")


# ---- Reading -----------------------------------------------------------------------------------

def find_blocks(text):
    """The fenced blocks of a document."""
    blocks, section, lines = [], 0, text.splitlines()
    marks, pending, fence = {}, "", None
    for number, line in enumerate(lines, 1):
        if fence is not None:
            if line.strip() == "```":
                body = "".join(one[fence["indent"]:] + "\n" for one in lines[fence["line"]:number - 1])
                blocks.append(Block(fence["line"], fence["language"], body, section, marks))
                marks, fence = {}, None
            continue
        opening = re.match(r"(\s*)```(\w*)\s*$", line)
        if opening:
            fence = {"indent": len(opening[1]), "language": opening[2], "line": number}
        elif line.lstrip().startswith("```"):
            raise SystemExit(f"line {number}: not understood: {line}")
        elif pending or line.strip().startswith("<!--"):
            pending += line + "\n"
            if "-->" in line:
                marks.update({name: value for name, value in COMMENT.findall(pending)})
                pending = ""
        elif line.strip():
            marks = {}
            section += bool(re.match(r"#+ ", line))
    if fence is not None:
        raise SystemExit(f"line {fence['line']}: the block does not end")
    return blocks


def normalize(text):
    """Text with single spaces, in which a backend stands for any backend."""
    return re.sub(r"backend=\(string\)\w+", "backend=(string)cpu", " ".join(text.split()))


def find_missing(output, shown):
    """The first part of what the document shows that the output does not have, or None. … stands
    for any text."""
    output = normalize(output)
    first, *others = [part.strip() for part in normalize(shown).split("…")]
    if not others:
        return None if output == first else first
    if not output.startswith(first):
        return first
    position = len(first)
    for part in others[:-1]:
        # The first place is as good as any later one: it leaves the most text for the other parts.
        found = output.find(part, position)
        if found < 0:
            return part
        position = found + len(part)
    last = others[-1]
    return None if output.endswith(last) and len(output) - len(last) >= position else last


# ---- Running -----------------------------------------------------------------------------------

class Missing(Exception):
    """Something that a block needs is not installed."""


def check_needs(names, path):
    for name in names.split():
        kind, _, module = name.partition(":")
        if kind == "python3" and module:
            found = importlib.util.find_spec(module)
        elif name.startswith("/"):
            found = os.path.exists(name)
        else:
            found = shutil.which(name, path=path)
        if not found:
            raise Missing(f"there is no {name}")


def films_folder():
    """The folder with the films of opencv-doc: installed, or where find_clip extracted them."""
    for folder in (FILMS, os.path.dirname(os.environ.get("CUDAHISTO_TEST_CLIP", ""))):
        if folder and os.path.exists(os.path.join(folder, "vtest.avi")):
            return folder
    return None


class Terminal:
    """A folder like the repository's root, and a shell that remembers its folder and variables."""

    def __init__(self, folder, build):
        self.folder = folder
        self.root = os.path.join(folder, "cudahisto")
        self.state = os.path.join(folder, "state")
        programs = os.path.join(folder, "bin")
        for path in (self.root, programs, os.path.join(folder, "home")):
            os.mkdir(path)
        for name in os.listdir(ROOT):
            if not name.startswith((".", "build")):
                os.symlink(os.path.join(ROOT, name), os.path.join(self.root, name))
        if build:
            os.symlink(build, os.path.join(self.root, "build"))
        self.films = films_folder()
        if self.films:
            for name in FILM_NAMES:
                os.symlink(os.path.join(self.films, "Megamind.avi"), os.path.join(self.root, name))
            for name in SEASONS:
                os.mkdir(os.path.join(self.root, name))
                os.symlink(os.path.join(self.films, "Megamind.avi"), os.path.join(self.root, name, "film.mkv"))
        # Programs in C must compile without a warning; python3 must be the one with gi.
        self.add_program("cc", 'exec gcc -Wall -Wextra -Werror "$@"')
        self.add_program("python3", f'exec {sys.executable} "$@"')
        self.environment = self.make_environment(programs, build)
        with open(self.state, "w", encoding="utf-8") as file:
            file.write(f"cd {self.root}\n")

    def add_program(self, name, text):
        path = os.path.join(self.folder, "bin", name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)

    def make_environment(self, programs, build):
        environment = dict(os.environ, HOME=os.path.join(self.folder, "home"),
                           PYTHONUNBUFFERED="1", PYTHONDONTWRITEBYTECODE="1", LC_ALL="C.UTF-8")
        # As for a reader, who sets GST_PLUGIN_PATH.
        environment["GST_PLUGIN_PATH"] = environment.pop("GST_PLUGIN_PATH_1_0", "")
        folders = [programs]
        if build:
            folders += [os.path.join(build, "pipelines", name) for name in ("report", "examples")]
        environment["PATH"] = os.pathsep.join(folders + [environment["PATH"]])
        environment["PYTHONPATH"] = os.path.join(ROOT, "pipelines", "python")
        if build:
            environment["PKG_CONFIG_PATH"] = os.path.join(build, "meson-uninstalled")
        return environment

    def path_of(self, name):
        return os.path.join(self.root, name)

    def run(self, text, status):
        """Runs commands; returns what they print."""
        if not self.films and any(name in text for name in (FILMS, *FILM_NAMES)):
            raise Missing("there are no films of the package opencv-doc")
        if SOUNDS in text and not os.path.exists(SOUNDS):
            raise Missing("there are no sounds of the package alsa-utils")
        if self.films:
            text = text.replace(FILMS, self.films)
        script = (f". {self.state} > /dev/null\nset -e -o pipefail\n"
                  f"trap '{{ export -p; printf \"cd %q\\n\" \"$PWD\"; }} > {self.state}' EXIT\n{text}")
        with subprocess.Popen(["bash", "-c", script], env=self.environment, encoding="utf-8",
                              errors="replace", stdin=subprocess.DEVNULL, start_new_session=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            try:
                output, _ = process.communicate(timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise AssertionError(f"ran longer than {TIMEOUT} s") from None
        assert process.returncode == status, \
            f"the exit status is {process.returncode}, not {status}; it printed:\n{output[-MOST_SHOWN:]}"
        assert "CRITICAL" not in output, output[-MOST_SHOWN:]
        return output


class Page:
    """One document."""

    def __init__(self, path, terminal):
        self.path = path
        self.terminal = terminal
        self.faults, self.skipped, self.not_run = [], [], []
        self.n_run = 0
        self.files = {}         # the files that no commands have used yet, with their lines
        self.last = None        # the latest block of commands, and its output or None

    def where(self, block):
        return f"{os.path.relpath(self.path, ROOT)}:{block.line}"

    def take_file(self, block):
        name = FILE_COMMENT.match(block.text)
        assert name, "the first line must name the file in a comment; or say why it is not run"
        with open(self.terminal.path_of(name[1]), "w", encoding="utf-8") as file:
            file.write(block.text)
        self.files[name[1]] = block

    def take_commands(self, block):
        for name in list(self.files):
            if name in block.text:
                del self.files[name]
        self.last = (block, None)
        check_needs(block.marks.get("needs", ""), self.terminal.environment["PATH"])
        output = self.terminal.run(block.text, int(block.marks.get("status", 0)))
        self.n_run += 1
        self.last = (block, output)

    def take_output(self, block):
        if "not output" in block.marks or not self.last or self.last[0].section != block.section:
            return
        commands, output = self.last
        if output is None:
            return              # the commands were not run, or they failed
        missing = find_missing(output, block.text)
        assert missing is None, (f"the output of the commands of line {commands.line} has, in this place, "
                                 f"no: {missing}\nIt begins:\n{output[:MOST_SHOWN]}")

    def take_part(self, block):
        with open(os.path.join(ROOT, block.marks["in"]), encoding="utf-8") as file:
            lines = {" ".join(line.rstrip("\\\n").split()) for line in file}
        for line in block.text.splitlines():
            assert " ".join(line.split()) in lines, f"{block.marks['in']} has no line: {line.strip()}"

    def take_json(self, block):
        try:
            json.loads(block.text)
        except ValueError:
            for line in block.text.splitlines():
                json.loads(line)

    def take(self, block):
        if "not run" in block.marks:
            assert block.marks["not run"], "there is no reason after `not run:`"
            self.not_run.append(f"{self.where(block)}: {block.marks['not run']}")
            name = FILE_COMMENT.match(block.text)
            if block.language == "sh":
                self.last = (block, None)
                self.files = {name: one for name, one in self.files.items() if name not in block.text}
            elif name:
                with open(self.terminal.path_of(name[1]), "w", encoding="utf-8") as file:
                    file.write(block.text)
            return
        takers = {"sh": self.take_commands, "": self.take_output, "text": self.take_output,
                  "json": self.take_json}
        take = self.take_part if "in" in block.marks else takers.get(block.language, self.take_file)
        take(block)

    def check(self):
        with open(self.path, encoding="utf-8") as file:
            blocks = find_blocks(file.read())
        for block in blocks:
            try:
                self.take(block)
            except Missing as missing:
                self.skipped.append(f"{self.where(block)}: {missing}")
            except (AssertionError, ValueError) as error:
                self.faults.append(f"{self.where(block)}: {error}")
        for name, block in self.files.items():
            self.faults.append(f"{self.where(block)}: no commands after it use {name}")


# ---- The test's own test -----------------------------------------------------------------------

SELF_TEST = [
    # A document, and a part of the fault that must be found; None: no fault.
    ("```sh\nexport A=3; cd /tmp\n```\n```sh\necho $A in $PWD; echo x >&2\n```\n"
     "```text\n3 in\n/t… x\n```\n", None),
    ("```sh\necho one two three\n```\n```\none three\n```\n", "no: one three"),
    ("```sh\necho one two three\n```\n```\none …\n```\n", None),
    ("```sh\necho one two three\n```\n```\none\n```\n", "no: one"),
    ("```sh\necho one two three\n```\n```\n… two …\n```\n", None),
    ("```sh\necho one two three\n```\n```\n… two … two …\n```\n", "no: two"),
    ("```sh\necho one two\n```\n```\n…two…two\n```\n", "no: two"),
    ("```sh\nfalse | true\n```\n", "the exit status is 1"),
    ("<!-- status: 4 -->\n\n```sh\n(exit 4)\n```\n", None),
    ("```sh\ntrue\n```\n# Next\n```\na diagram\n```\n", None),
    ("```c\nint x;\n```\n", "must name the file"),
    ("```c\n/* x.c: */\nint main (void) { int y; return 0; }\n```\n", "no commands after it use x.c"),
    ("```c\n/* x.c: */\nint main (void) { int y; return 0; }\n```\n```sh\ncc x.c\n```\n",
     "unused variable"),
    ("```python\n# x.py\nprint(5)\n```\n```sh\npython3 x.py\n```\n```\n5\n```\n", None),
    ("```json\n{\"a\": 1}\n{\"a\": 2}\n```\n", None),
    ("```json\n{\"a\": }\n```\n", "Expecting value"),
    ("<!-- in: tests/docs/snippets.py -->\n```python\nimport os\n```\n", None),
    ("<!-- in: tests/docs/snippets.py -->\n```python\nimport so\n```\n", "has no line: import so"),
    ("<!-- not run: because -->\n```sh\nfalse\n```\n", None),
    ("<!-- not run: because -->\nText.\n```sh\nfalse\n```\n", "the exit status is 1"),
    ("<!-- not run -->\n```sh\nfalse\n```\n", "there is no reason"),
]


def self_test():
    for text, expected in SELF_TEST:
        with tempfile.TemporaryDirectory(prefix="cudahisto-") as folder:
            path = os.path.join(folder, "page.md")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            page = Page(path, Terminal(folder, None))
            page.check()
        found = "\n".join(page.faults)
        assert (expected in found) if expected else not found, f"{text}\n→ {found}"
    print(f"self-test: {len(SELF_TEST)} documents")


# ---- All of it ---------------------------------------------------------------------------------

def main():
    parser = argparse.ArgumentParser(description="Runs every command and program of documents.")
    parser.add_argument("--build", metavar="BUILD_DIR")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("documents", nargs="*", metavar="DOCUMENT")
    options = parser.parse_args()
    if options.self_test:
        self_test()
        return 0
    status = 0
    for path in options.documents:
        with tempfile.TemporaryDirectory(prefix="cudahisto-") as folder:
            page = Page(os.path.abspath(path), Terminal(folder, options.build))
            page.check()
        for title, lines in (("not run", page.not_run), ("skipped", page.skipped),
                             ("FAILED", page.faults)):
            for line in lines:
                print(f"{title}: {line}")
        print(f"{path}: {page.n_run} blocks of commands run, {len(page.not_run)} blocks marked as "
              f"not run, {len(page.skipped)} skipped, {len(page.faults)} failed")
        status = 1 if page.faults else status or (77 if page.skipped else 0)
    return status


if __name__ == "__main__":
    sys.exit(main())
