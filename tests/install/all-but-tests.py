#!/usr/bin/python3
"""The target all-but-tests, which pipelines/quickstart.sh builds, has every plugin and program that a user runs.

    tests/install/all-but-tests.py BUILD_DIR

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import os
import subprocess
import sys

BUILD = os.path.realpath(sys.argv[1])
TESTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
BENCH = ("bench",)      # of the kernels
NOT_RUN = (".a", ".gir", ".typelib", ".vapi")   # what programs are made with


def is_for_users(target):
    name = target["name"]
    return (target["type"] in ("executable", "shared module", "shared library") or target["installed"]) \
        and not os.path.realpath(target["defined_in"]).startswith(os.path.realpath(TESTS) + os.sep) \
        and target["build_by_default"] and not name.startswith(BENCH)


with open(os.path.join(BUILD, "meson-info/intro-targets.json"), encoding="utf-8") as file:
    wanted = {os.path.relpath(path, BUILD) for target in json.load(file) if is_for_users(target)
              for path in target["filename"] if not path.endswith(NOT_RUN)}
answer = subprocess.run(["ninja", "-C", BUILD, "-t", "query", "all-but-tests"], capture_output=True,
                        encoding="utf-8", check=True).stdout
built = {line.strip("| \t") for line in answer.splitlines()}
assert any(path.endswith("libgstcudahisto.so") for path in wanted), wanted
missing = wanted - built
assert not missing, f"all-but-tests does not build {', '.join(sorted(missing))}"
print(f"all-but-tests: {len(wanted)} files")
