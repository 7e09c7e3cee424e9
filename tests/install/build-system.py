#!/usr/bin/python3
"""What Meson does for others: a project that has this one as a subproject, `meson devenv`, `meson dist`. And the changelog.

    tests/install/build-system.py BUILD_DIR

The subproject is configured, and a program is compiled with it. The library is not: the same is built here.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(sys.argv[1])
PROGRAM = """\
#include <cudahisto.h>

int
main (void)
{
  return cudahisto_rules_new ("a: Y.mean > 2", CUDAHISTO_RULES_KIND_POLICY, NULL) == NULL;
}
"""


def run(*command, **how):
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", stdin=subprocess.DEVNULL,
                          check=False, **how)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def check_subproject(folder):
    """The wrap file and the call of dependency() in docs/library.md lead to the library."""
    with open(os.path.join(ROOT, "docs", "library.md"), encoding="utf-8") as file:
        text = file.read()
    (wrap,), (call,) = (re.findall(rf"^```{kind}\n(.*?)^```$", text, re.M | re.S) for kind in ("ini", "meson"))
    write(folder, "meson.build", "project('tiny', 'c')\n" + call + "executable('tiny', 'tiny.c', dependencies : cudahisto_dep)\n")
    write(folder, "tiny.c", PROGRAM)
    write(folder, "subprojects/cudahisto.wrap", wrap)
    # Meson downloads nothing where the folder is there.
    os.symlink(ROOT, os.path.join(folder, "subprojects", "cudahisto"))
    build = os.path.join(folder, "build")
    run("meson", "setup", build, folder, "--wrap-mode=forcefallback")
    targets = json.loads(run("meson", "introspect", "--targets", build))
    names = {target["name"] for target in targets}
    assert "cudahisto-1.0" in names and not names & {"gstcudahistooverlay", "cudahisto-report", "print-results"}, names
    # The option leaves out the static library and its headers.
    installed = json.loads(run("meson", "introspect", "--installed", build)).values()
    assert any(place.endswith("/cudahisto-1.0/cudahisto.h") for place in installed), installed
    assert not [place for place in installed if place.endswith(".a") or "/cudahisto-1.0/cudahisto/" in place], installed
    run("ninja", "-C", build, "tiny.p/tiny.c.o")
    inputs = run("ninja", "-C", build, "-t", "query", "tiny")
    assert re.search(r"subprojects/cudahisto/plugin/library/libcudahisto-1\.0\.so", inputs), inputs
    # What is linked here is the same library.
    library = os.path.join(BUILD, "plugin", "library")
    program = os.path.join(folder, "tiny")
    libraries = run("pkg-config", "--libs", "gstreamer-1.0").split()
    run(*os.environ.get("CC", "cc").split(), "-o", program, os.path.join(build, "tiny.p/tiny.c.o"), "-L" + library, "-lcudahisto-1.0", *libraries)
    run(program, env={**os.environ, "LD_LIBRARY_PATH": library})


def check_devenv():
    """In `meson devenv` programs find what was built, and nothing else helps them."""
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith("GST_") and name not in ("PYTHONPATH", "LD_LIBRARY_PATH", "GI_TYPELIB_PATH")}
    with tempfile.TemporaryDirectory(prefix="cudahisto-") as folder:
        clean["GST_REGISTRY_1_0"] = os.path.join(folder, "registry")
        with_library = bool(glob.glob(os.path.join(BUILD, "plugin/library/*.typelib")))
        program = "import cudahisto\n" \
            "print(len(list(cudahisto.launch('videotestsrc num-buffers=2 ! cudahisto post-messages=true ! fakesink'))))\n"
        if with_library:
            program += "import gi\ngi.require_version('Cudahisto', '1.0')\nfrom gi.repository import Cudahisto\n" \
                "print(Cudahisto.Rules.new('a: Y.mean > 2', Cudahisto.RulesKind.POLICY) is not None)\n"
        # A module that is installed must not stand in for that of the source.
        program += "print(cudahisto.__file__)\n"
        printed = run("meson", "devenv", "-C", BUILD, "/usr/bin/python3", "-c", program, env=clean, cwd=folder).split()
    assert printed == ["2", *["True"] * with_library, os.path.join(ROOT, "pipelines/python/cudahisto/__init__.py")], printed


def check_dist():
    """Two archives of the same commit are equal. Those of zip, which are packed faster, have the times of files, too."""
    if shutil.which("git") is None or not os.path.exists(os.path.join(ROOT, ".git")) or subprocess.run(
            ["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, check=False).returncode != 0:
        print("meson dist is not tried: this is no repository of git, or of somebody else")
        return
    sums = []
    for _ in range(2):
        run("meson", "dist", "-C", BUILD, "--no-tests", "--allow-dirty", "--formats", "zip")
        (path,) = glob.glob(os.path.join(BUILD, "meson-dist", "*.zip"))
        with open(path, "rb") as file:
            sums.append(hashlib.sha256(file.read()).hexdigest())
        os.remove(path)
        os.remove(path + ".sha256sum")
        # zip counts time in steps of 2 s.
        time.sleep(2.1)
    assert sums[0] == sums[1], f"two archives differ: {sums}"


def check_changelog():
    """CHANGELOG.md has the form of Keep a Changelog, and the project's version."""
    with open(os.path.join(ROOT, "CHANGELOG.md"), encoding="utf-8") as file:
        headings = [line.rstrip("\n") for line in file if line.startswith("#")]
    version = json.loads(run("meson", "introspect", "--projectinfo", BUILD))["version"]
    versions = [line for line in headings if line.startswith("## ")]
    assert headings[0] == "# Changelog", headings
    assert any(line.startswith(f"## [{version}] - ") for line in versions), f"CHANGELOG.md does not have {version}"
    for line in versions:
        assert line == "## [Unreleased]" or re.fullmatch(r"## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", line), line
    for line in set(headings[1:]) - set(versions):
        assert line in (f"### {kind}" for kind in ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")), line


def main():
    for program in "meson", "ninja":
        if shutil.which(program) is None:
            print(f"skipped: there is no {program}")
            return 77
    with tempfile.TemporaryDirectory(prefix="cudahisto-") as folder:
        check_subproject(folder)
    check_devenv()
    check_dist()
    check_changelog()
    return 0


if __name__ == "__main__":
    sys.exit(main())
