#!/usr/bin/env python3
"""Checks the structure of plugin/, kernels/ and pipelines/report/ against the rules in docs/design.md.

    tests/structure.py [--list] BUILD_DIR
    tests/structure.py --self-test

The rules:

1. No includes form a circle between files.
2. Includes and calls point downwards in the order of LAYERS, and not where FORBIDDEN says no.
3. No calls form a circle between files. A call is any use of a symbol that another object of
   BUILD_DIR defines, functions and data alike. Calls through tables of functions do not
   count.
4. C files include only the .h files of kernels/, which contain no C++.

--list prints all includes and calls between files instead. BUILD_DIR must be built. --self-test
checks made-up trees with known faults. CC in the environment is the C compiler for it.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# From top to bottom. The first prefix that fits a path counts.
REPORT = "pipelines/report/"
LAYERS = [
    # The rooms of the report, below the files at its top.
    *((REPORT + room + "/",) for room in ("live", "compare", "images", "writers", "notices", "input", "policy",
                                          "summary", "facts", "base")),
    ("plugin/plugin.c",),
    ("plugin/overlay/", "plugin/element/", "plugin/compare/", "plugin/library/"),
    ("plugin/engine/meter.",),
    ("plugin/engine/",),
    ("plugin/result/",),
    ("plugin/measures/",),
    ("plugin/media/",),
    ("kernels/",),
    ("plugin/cudahisto/",),
    ("plugin/log.", "plugin/property-table.", "plugin/refusals.", "plugin/untrusted."),
]

# From a file whose path begins with the first to one whose path begins with the second.
FORBIDDEN = [
    ("plugin/engine/", "plugin/result/"),
    ("plugin/engine/cpu/", "plugin/engine/cuda/"),
    ("plugin/engine/cuda/", "plugin/engine/cpu/"),
] + [
    # The overlay is a plugin of its own, which knows only the library for programs.
    ("plugin/overlay/", f"plugin/{folder}/")
    for folder in ("element", "engine", "result", "measures", "media")
]

# A use of another file: from and to are paths below the root; what is the text that names it.
Edge = collections.namedtuple("Edge", "source target what")


# ---- Reading -----------------------------------------------------------------------------------

def source_files(root):
    """The paths of all sources below plugin/ and kernels/, relative to the root."""
    found = []
    for top in ("plugin", "kernels", REPORT):
        for folder, _, names in os.walk(os.path.join(root, top)):
            found += [os.path.relpath(os.path.join(folder, name), root) for name in names
                      if name.endswith((".c", ".h", ".cu", ".cuh"))]
    return sorted(found)


def is_room(path):
    """Whether a path is of the report: it may use the plugin's library, never the reverse."""
    return path.startswith(REPORT)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def find_includes(root):
    """The includes between the sources. Other files, such as config.h, are left out."""
    files = source_files(root)
    edges = []
    for path in files:
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', read(root, path), re.MULTILINE):
            for folder in (os.path.dirname(path), *([REPORT] if is_room(path) else []), "plugin", "."):
                target = os.path.normpath(os.path.join(folder, name))
                if target in files:
                    edges.append(Edge(path, target, f'#include "{name}"'))
                    break
    return edges


def plugin_objects(root, build):
    """A dict from each source of plugin/ and of the report to its object."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    objects = {}
    for command in commands:
        source = os.path.relpath(os.path.join(command["directory"], command["file"]), root)
        # Programs of tests compile a few sources again: these objects define the same.
        if source.startswith("plugin" + os.sep) or is_room(source):
            objects[source] = os.path.join(command["directory"], command["output"])
    return objects


def read_symbols(path):
    """The global symbols that an object defines, and those that it needs."""
    lines = subprocess.run(["nm", "-P", path], check=True, capture_output=True,
                           encoding="utf-8").stdout.splitlines()
    defined, needed = set(), set()
    for line in lines:
        name, kind = line.split()[:2]
        if kind in "Uvw":
            needed.add(name)
        elif kind.isupper() or kind in "iu":
            defined.add(name)
    return defined, needed


def find_calls(root, build):
    symbols = {source: read_symbols(path) for source, path in plugin_objects(root, build).items()}
    owners = {name: source for source, (defined, _) in symbols.items() for name in defined}
    return [Edge(source, owners[name], name)
            for source, (_, needed) in sorted(symbols.items())
            for name in sorted(needed) if owners.get(name, source) != source]


# ---- The rules ---------------------------------------------------------------------------------

def strongly_connected(edges):
    """The sets of more than one file in which each file leads to each other (Tarjan)."""
    targets = collections.defaultdict(set)
    for edge in edges:
        targets[edge.source].add(edge.target)
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in sorted(targets[node]):
            if target not in index:
                visit(target)
            if target in stack:
                low[node] = min(low[node], low[target])
        if low[node] == index[node]:
            position = stack.index(node)
            if len(stack) - position > 1 or node in targets[node]:
                found.append(set(stack[position:]))
            del stack[position:]

    for node in sorted({edge.source for edge in edges}):
        if node not in index:
            visit(node)
    return found


def check_circles(edges, kind, name):
    faults = []
    for files in strongly_connected(edges):
        inside = collections.defaultdict(list)
        for edge in edges:
            if edge.source in files and edge.target in files:
                inside[edge.source, edge.target].append(edge.what)
        faults.append("\n    ".join(
            [f"circle of {kind} between {len(files)} files:"]
            + [f"{name(source)} -> {name(target)} ({', '.join(whats)})"
               for (source, target), whats in sorted(inside.items())]))
    return faults


def layer(path):
    if is_room(path) and "/" not in path[len(REPORT):]:
        return -1
    for number, prefixes in enumerate(LAYERS):
        if path.startswith(prefixes):
            return number
    raise SystemExit(f"{path} is in no layer: add its folder to LAYERS")


def check_order(edges):
    faults = []
    for edge in edges:
        if layer(edge.source) > layer(edge.target):
            faults.append(f"{edge.source} -> {edge.target} ({edge.what}) points upwards")
        for source, target in FORBIDDEN:
            if edge.source.startswith(source) and edge.target.startswith(target):
                faults.append(f"{edge.source} -> {edge.target} ({edge.what}): "
                              f"{source} must not use {target}")
    return faults


def check_kernel_headers(root, includes):
    faults = [f"{edge.source}: {edge.what}: only kernels' .h files may be included from C"
              for edge in includes
              if edge.source.endswith((".c", ".h")) and edge.target.endswith((".cu", ".cuh"))]
    for path in source_files(root):
        if path.startswith("kernels/") and path.endswith(".h") \
                and re.search(r"\btemplate\s*<", read(root, path)):
            faults.append(f"{path}: a template in a C header")
    return faults


def object_name(source):
    return os.path.splitext(source.removeprefix("plugin/"))[0] + ".o"


def check(root, build):
    """All faults, as texts."""
    includes, calls = find_includes(root), find_calls(root, build)
    return (check_circles(includes, "includes", str) + check_circles(calls, "calls", object_name)
            + check_order(includes) + check_order(calls) + check_kernel_headers(root, includes))


# ---- The self-test -----------------------------------------------------------------------------

def make_tree(root, files):
    """Writes the files and compiles the .c files of plugin/ and the report below root/build."""
    commands = []
    for path, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(text)
    os.makedirs(os.path.join(root, "build"))
    for path in files:
        if path.startswith(("plugin/", REPORT)) and path.endswith(".c"):
            output = path.replace("/", "_") + ".o"
            subprocess.run([*os.environ.get("CC", "cc").split(), "-c", "-I.", "-I" + REPORT, "-Iplugin", path,
                            "-o", os.path.join("build", output)], check=True, cwd=root)
            commands.append({"directory": os.path.join(root, "build"),
                             "file": os.path.join("..", path), "output": output})
    with open(os.path.join(root, "build/compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump(commands, file)


GOOD = {
    "plugin/element/top.c": """
        #include "element/top.h"
        #include "media/low.h"
        int top (void) { return low () + number; }""",
    "plugin/element/top.h": "int top (void);",
    "plugin/media/low.c": """
        #include "media/low.h"
        #include "kernels/shared.h"
        int number;
        int low (void) { return SHARED; }""",
    "plugin/media/low.h": "extern int number; int low (void);",
    "kernels/shared.h": "#define SHARED 1",
    "pipelines/report/main.c": '#include "writers/text.h"\nint start (void) { return text (); }',
    "pipelines/report/writers/text.c": """
        #include "writers/text.h"
        #include "base/names.h"
        int text (void) { return name (); }""",
    "pipelines/report/writers/text.h": "int text (void);",
    "pipelines/report/base/names.c": '#include "base/names.h"\nint name (void) { return 0; }',
    "pipelines/report/base/names.h": "int name (void);",
    "kernels/kernel.cuh": '#include "kernels/shared.h"',
}

# Each: the files that differ from GOOD, and what must be found.
BAD = [
    ({"plugin/media/low.c": "int top (void); int number; int low (void) { return top (); }"},
     ["circle of calls between 2 files",
      "element/top.o -> media/low.o (low, number)", "media/low.o -> element/top.o (top)",
      "plugin/media/low.c -> plugin/element/top.c (top) points upwards"]),
    ({"plugin/media/low.c": "extern int table[]; int number; int low (void) { return *table; }",
      "plugin/media/side.c": "int far (void); int table[2]; int side (void) { return far (); }",
      "plugin/media/far.c": "int low (void); int far (void) { return low (); }"},
     ["circle of calls between 3 files", "media/low.o -> media/side.o (table)"]),
    ({"plugin/media/low.h": '#pragma once\n#include "side.h"\n' + GOOD["plugin/media/low.h"],
      "plugin/media/side.h": '#pragma once\n#include "media/low.h"'},
     ["circle of includes between 2 files",
      'plugin/media/low.h -> plugin/media/side.h (#include "side.h")']),
    ({"plugin/media/low.c": '#include "element/top.h"\nint number; int low (void) { return 0; }'},
     ['plugin/media/low.c -> plugin/element/top.h (#include "element/top.h") points upwards']),
    ({"plugin/engine/cpu/engine.c": '#include "result/result.h"', "plugin/result/result.h": ""},
     ["plugin/engine/ must not use plugin/result/"]),
    ({"plugin/media/low.h": '#include "kernels/kernel.cuh"\n' + GOOD["plugin/media/low.h"]},
     ["only kernels' .h files may be included from C"]),
    ({"pipelines/report/base/names.c": '#include "writers/text.h"\nint name (void) { return 0; }'},
     ["pipelines/report/base/names.c -> pipelines/report/writers/text.h "
      '(#include "writers/text.h") points upwards']),
    ({"pipelines/report/base/names.c": "int start (void); int name (void) { return start (); }"},
     ["circle of calls between 3 files",
      "pipelines/report/base/names.c -> pipelines/report/main.c (start) points upwards"]),
    ({"pipelines/report/base/names.h": '#pragma once\n#include "base/order.h"\nint name (void);',
      "pipelines/report/base/order.h": '#pragma once\n#include "base/names.h"'},
     ["circle of includes between 2 files"]),
    ({"plugin/media/low.c": "int name (void); int number; int low (void) { return name (); }"},
     ["plugin/media/low.c -> pipelines/report/base/names.c (name) points upwards"]),
    ({"kernels/shared.h": "#define SHARED 1\n#ifdef __cplusplus\ntemplate <int n> struct S;\n#endif"},
     ["kernels/shared.h: a template in a C header"]),
]


def self_test():
    for changed, expected in [({}, [])] + BAD:
        with tempfile.TemporaryDirectory(prefix="structure-") as root:
            make_tree(root, {**GOOD, **changed})
            text = "\n".join(check(root, os.path.join(root, "build")))
        assert bool(text) == bool(expected), text
        for part in expected:
            assert part in text, f"{part!r} is not in:\n{text}"
    print(f"self-test: {len(BAD)} trees with faults, all found")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    elif len(sys.argv) == 3 and sys.argv[1] == "--list":
        for edge in find_includes(ROOT) + find_calls(ROOT, sys.argv[2]):
            print(f"{edge.source} -> {edge.target} ({edge.what})")
    elif len(sys.argv) == 2 and not sys.argv[1].startswith("-"):
        faults = check(ROOT, sys.argv[1])
        print(*faults, f"{len(faults)} faults", sep="\n")
        return 1 if faults else 0
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
