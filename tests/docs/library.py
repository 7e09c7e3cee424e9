#!/usr/bin/python3
"""Installs the library into an empty folder, and compiles and runs the programs of docs/library.md with what is there.

    tests/docs/library.py BUILD_DIR

The programs must be short, and must tell the same of a film. Those whose compiler or language is missing are not run.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../harness"))
import clips  # noqa: E402

with open(os.path.join(HERE, "../../docs/library.md"), encoding="utf-8") as file:
    BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
PROGRAMS = {language: text for language, text in reversed(BLOCKS) if language != "sh"}
(OF_FRAME,) = [text for _, text in BLOCKS if "measure_frame" in text]
COMMANDS = {text.split(" ", 1)[0]: text.strip() for language, text in BLOCKS if language == "sh"}
MOST_LINES = {"c": 60, "cpp": 30, "python": 15, "vala": 15, "lua": 15, "rust": 60}
folder = tempfile.TemporaryDirectory(prefix="cudahisto-")
FILM = os.path.join(folder.name, "film.mkv")


def run(*command):
    return subprocess.run(command, cwd=folder.name, capture_output=True, encoding="utf-8", timeout=120, check=False)


def output_of(*command):
    done = run(*command)
    assert done.returncode == 0 and "CRITICAL" not in done.stderr, f"{command}: {done}"
    return done.stdout


def install():
    root = os.path.join(folder.name, "root")
    output_of("meson", "install", "-C", os.path.abspath(sys.argv[1]), "--no-rebuild", "--quiet", "--destdir", root)
    (description,) = glob.glob(root + "/**/cudahisto-1.0.pc", recursive=True)
    with open(description, encoding="utf-8") as old:
        text = old.read()
    prefix = root + re.search("^prefix=(.*)", text, re.MULTILINE)[1]
    with open(description, "w", encoding="utf-8") as new:
        new.write(re.sub("^prefix=.*", "prefix=" + prefix, text, flags=re.MULTILINE))
    libraries = os.path.dirname(os.path.dirname(description))
    os.environ.update(PKG_CONFIG_PATH=os.path.dirname(description), LD_LIBRARY_PATH=libraries,
                      GI_TYPELIB_PATH=os.path.join(libraries, "girepository-1.0"))
    return prefix


def check(language, *command):
    lines = output_of(*command, FILM).splitlines()
    means = [float(re.search(r"Y ([\d.]+)", line)[1]) for line in lines[:-1]]
    assert len(means) == 4 and all(abs(mean - 235) < 1 for mean in means) and lines[-1] == "passed", (language, lines)
    done = run(*command, "/nowhere")
    assert done.returncode == 1 and done.stdout == "not passed\n", (language, done)


def build(name, tool, *options):
    with open(os.path.join(folder.name, name), "w", encoding="utf-8") as new:
        new.write(PROGRAMS[{"measure.c": "c", "measure.cc": "cpp", "measure.vala": "vala", "measure.rs": "rust"}[name]])
    first, rest = COMMANDS[tool].split(" ", 1)
    output_of("sh", "-c", " ".join((first, *options, rest)))
    return os.path.join(folder.name, "measure")


def test_lengths():
    for language, most in MOST_LINES.items():
        n = len(PROGRAMS[language].splitlines())
        assert n <= most, f"{language}: {n} lines"


def test_c():
    check("C", build("measure.c", "cc", "-Wall", "-Wextra", "-Werror"))
    needed = output_of("readelf", "-d", os.path.join(folder.name, "measure"))
    assert "libcudahisto-1.0.so.0" in needed, needed
    symbols = output_of("nm", os.path.join(folder.name, "measure"))
    assert " histo_" not in symbols, "the program has a part of the static library"


def test_cpp():
    if shutil.which("c++") is None:
        print("     not run: there is no c++")
        return
    check("C++", build("measure.cc", "c++", "-std=c++17", "-Wall", "-Wextra", "-Werror"))


def has_introspection():
    found = glob.glob(os.environ["GI_TYPELIB_PATH"] + "/Cudahisto-1.0.typelib")
    if not found:
        print("     not run: there is no introspection")
    return bool(found)


def test_python():
    if has_introspection():
        check("Python", "/usr/bin/python3", "-c", PROGRAMS["python"])


def test_frame():
    if has_introspection():
        assert output_of("/usr/bin/python3", "-c", OF_FRAME) == "31.5 4096\n"


def test_rust():
    if shutil.which("rustc") is None or run("rustc", "--version").returncode != 0:
        print("     not run: there is no rustc")
        return
    check("Rust", build("measure.rs", "rustc", "-D", "warnings"))
    if shutil.which("rustfmt") is not None:
        output_of("rustfmt", "--check", "--edition", "2021", os.path.join(folder.name, "measure.rs"))


def test_vala():
    vapi = os.path.join(PREFIX, "share/vala/vapi")
    if shutil.which("valac") is None or not os.path.exists(vapi):
        print("     not run: there is no valac")
        return
    check("Vala", build("measure.vala", "valac", "--vapidir", vapi))


def test_lua():
    if not has_introspection():
        return
    if shutil.which("lua5.3") is None or run("lua5.3", "-e", "require 'lgi'").returncode != 0:
        print("     not run: there is no lgi for Lua 5.3")
        return
    path = os.path.join(folder.name, "measure.lua")
    with open(path, "w", encoding="utf-8") as new:
        new.write(PROGRAMS["lua"])
    check("Lua", "lua5.3", path)


if __name__ == "__main__":
    clips.ffmpeg("-f", "lavfi", "-i", "color=white:s=64x48:r=25:d=0.16", "-c:v", "ffv1", "-pix_fmt", "yuv420p", FILM)
    PREFIX = install()
    sys.exit(clips.run_tests([test_lengths, test_c, test_cpp, test_python, test_frame, test_vala, test_lua, test_rust]))
