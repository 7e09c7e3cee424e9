#!/usr/bin/python3
"""Whether the messages in docs/troubleshooting.md are those of the programs.

    tests/docs/messages.py

A block of the page without commands before it in its section has one message on each line; `…`
stands for what differs from case to case. Each part between must be in a string of our source, or,
if the block has the comment `<!-- GStreamer's -->`, of GStreamer's libraries and tools.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import re
import shutil
import sys

import snippets

PAGE = os.path.join(snippets.ROOT, "docs", "troubleshooting.md")
# A part of a message that is shorter says nothing.
SHORTEST = 8


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def own_strings():
    """The text of our sources; neighbouring strings of C are joined, also around a format macro."""
    texts = []
    for top in ("plugin", "pipelines"):
        for folder, _, names in os.walk(os.path.join(snippets.ROOT, top)):
            for name in sorted(names):
                path = os.path.join(folder, name)
                if name.endswith((".c", ".h")):
                    text = re.sub(r'"\s*(?:G_\w+_FORMAT|GST_\w+_FORMAT)?\s*"', "", read(path))
                    texts.append(text.replace('\\"', '"').replace("%%", "%"))
                elif name.endswith((".py", ".sh")):
                    texts.append(read(path))
    return "\n".join(texts)


def gstreamer_strings():
    """The bytes of GStreamer's libraries and of gst-launch-1.0 and gst-inspect-1.0."""
    try:
        import gi
        gi.require_version("GstBase", "1.0")
        from gi.repository import GstBase
        GstBase.BaseSink        # loads the library
    except (ImportError, ValueError) as error:
        print("skipped:", error)
        sys.exit(77)
    paths = {path for path in re.findall(r"(/\S*libgst[\w-]*-1\.0\.so\S*)", read("/proc/self/maps"))}
    paths |= {path for path in map(shutil.which, ("gst-launch-1.0", "gst-inspect-1.0")) if path}
    data = b""
    for path in sorted(paths):
        with open(path, "rb") as file:
            data += file.read()
    return data.decode("utf-8", errors="replace")


def messages_of(page):
    """For each message of the page: its line, its text, and whether it is one of GStreamer's."""
    text = read(page)
    lines = text.splitlines()
    blocks = snippets.find_blocks(text)
    with_commands = {block.section for block in blocks if block.language == "sh"}
    for block in blocks:
        if block.language in ("", "text") and block.section not in with_commands:
            is_foreign = "<!-- GStreamer's -->" in "\n".join(lines[max(0, block.line - 3):block.line])
            for number, line in enumerate(block.text.splitlines(), block.line + 1):
                if line.strip():
                    yield number, line.strip(), is_foreign


def main():
    own, foreign, n, faults = own_strings(), None, 0, []
    for number, message, is_foreign in messages_of(PAGE):
        n += 1
        if is_foreign and foreign is None:
            foreign = gstreamer_strings()
        parts = [part.strip() for part in message.split("…")]
        if max(map(len, parts)) < SHORTEST:
            faults.append(f"line {number}: too little of the message is left: {message}")
        for part in parts:
            if part not in (foreign if is_foreign else own):
                faults.append(f"line {number}: no string has: {part}")
    print(*faults, f"docs/troubleshooting.md: {n} messages, {len(faults)} faults", sep="\n")
    return 1 if faults or n < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
