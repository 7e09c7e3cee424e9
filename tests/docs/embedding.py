#!/usr/bin/python3
"""Compiles and runs the programs of docs/embedding.md: on a film, without the plugin, and on files
that do not exist or cannot be decoded.

    GST_PLUGIN_PATH=BUILD_DIR/plugin PYTHONPATH=pipelines/python tests/docs/embedding.py BUILD_DIR

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import glob
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../harness"))
import clips  # noqa: E402

with open(os.path.join(HERE, "../../docs/embedding.md"), encoding="utf-8") as file:
    BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
folder = tempfile.TemporaryDirectory(prefix="cudahisto-")
FILM = os.path.join(folder.name, "film.mkv")
SOUND = os.path.join(folder.name, "sound.wav")
DEBIAN_CRATES = "/usr/share/cargo/registry"
TEXT = os.path.join(folder.name, "text.mkv")


def blocks_of(language):
    return [text for found, text in BLOCKS if found == language]


def run(*command, **environment):
    """Fails if the program does not end."""
    return subprocess.run(command, cwd=folder.name, capture_output=True, encoding="utf-8",
                          timeout=60, check=False, env={**os.environ, **environment})


def run_again(*command, **environment):
    """Of a demuxer that fails while decodebin tries it, the error gets lost now and then: then no message comes, and the
    program waits. On a busy machine this happens in 1 of 50 runs."""
    for _ in range(2):
        try:
            return run(*command, **environment)
        except subprocess.TimeoutExpired:
            print("again:", *command)
    return run(*command, **environment)


def write(name, text):
    with open(os.path.join(folder.name, name), "w", encoding="utf-8") as file:
        file.write(text)
    return os.path.join(folder.name, name)


def output_of(*command, **environment):
    done = run(*command, **environment)
    assert done.returncode == 0 and "CRITICAL" not in done.stderr, f"{command}: {done.stderr}"
    return done.stdout.splitlines()


def check_failures(*command, other_media):
    """One line that tells why, and a status."""
    empty = {"GST_PLUGIN_PATH": "", "GST_PLUGIN_PATH_1_0": "",
             "GST_REGISTRY": os.path.join(folder.name, "registry"),
             "GST_REGISTRY_1_0": os.path.join(folder.name, "registry")}
    for arguments, environment, pattern in (
            ([FILM], empty, "cudahisto"), (["/nowhere"], {}, "nowhere|not found"),
            ([TEXT], {}, "text file|type"), ([other_media], {}, ".")):
        done = run_again(*command, *arguments, **environment)
        lines = [line for line in done.stderr.splitlines()
                 if "GLib-GIRepository-WARNING" not in line]
        assert done.returncode == 1, f"{command} {arguments}: {done}"
        assert len(lines) == 1 and re.search(pattern, lines[0]), done.stderr


def compile_c(number, name, **environment):
    program, line = blocks_of("c")[number], blocks_of("sh")[number]
    write(name + ".c", program)
    assert line.startswith("cc "), line
    output_of("sh", "-c", line.replace("cc ", "cc -Wall -Wextra -Wno-unused-parameter -Werror ", 1),
              **environment)
    return os.path.join(folder.name, name)


def test_c():
    program = compile_c(0, "measure")
    lines = output_of(program, FILM)
    assert len(lines) == 10, lines
    time, mean, used = re.fullmatch(r"([\d.]+) s: mean ([\d.]+), (\d+) values in use",
                                    lines[5]).groups()
    assert abs(float(time) - 0.2) < 0.01 and 10 < float(mean) < 240 and int(used) > 50, lines[5]
    check_failures(program, other_media=SOUND)


def test_c_with_the_library():
    root = os.path.join(folder.name, "root")
    output_of("meson", "install", "-C", sys.argv[1], "--no-rebuild", "--quiet", "--destdir", root,
              "--tags", "devel,runtime")
    (description,) = glob.glob(root + "/**/cudahisto-1.0.pc", recursive=True)
    with open(description, encoding="utf-8") as file:
        text = re.sub(r"^prefix=", "prefix=" + root, file.read(), flags=re.MULTILINE)
    write(description, text)
    if "libcudahisto-1.0.a" not in text:
        print("     not run: this build does not install the static library")
        return
    program = compile_c(1, "measure-library", PKG_CONFIG_PATH=os.path.dirname(description))
    lines = output_of(program, FILM)
    assert len([line for line in lines if line.startswith("Y: mean")]) == 10, lines
    assert len([line for line in lines if line.startswith("difference")]) == 9, lines
    times = [line for line in lines if re.fullmatch(r"0:00:00\.\d{9}", line)]
    assert len(times) == 10 and times[0] == "0:00:00.000000000" and times == sorted(times), lines
    check_failures(program, other_media=SOUND)


def test_python():
    with_module, own_pipeline, of_images, table, without_module, removing = [
        write(f"program{i}.py", text) for i, text in enumerate(blocks_of("python"))]
    lines = [line.split() for line in output_of(sys.executable, with_module, FILM)]
    assert len(lines) == 10 and lines[0][3] == "None" and float(lines[5][3]) > 0, lines
    lines = output_of(sys.executable, own_pipeline)
    assert len(lines) == 3 and "'R': " in lines[0] or "'Y': " in lines[0], lines
    report = os.path.join(sys.argv[1], "pipelines/report")
    if os.path.exists(os.path.join(report, "cudahisto-report")):
        images = os.path.join(folder.name, "images")
        os.mkdir(images)
        clips.ffmpeg("-f", "lavfi", "-i", "color=white:size=4x4", "-frames:v", "1", os.path.join(images, "white.png"))
        (line,) = output_of(sys.executable, of_images, images, PATH=report + ":" + os.environ["PATH"])
        figures = {"mean": [1.0] * 3, "std": [0.0] * 3}
        assert line == f"1 {figures} {figures}", line
        write("film.csv", "\n".join(output_of(os.path.join(report, "cudahisto-report"), "--csv", FILM)) + "\n")
        if importlib.util.find_spec("pandas") is not None:
            lines = output_of(sys.executable, table)
            assert lines[0].split() == ["count", "10.000000"] and 0 <= float(lines[-1].split()[-1]) <= 0.4, lines
        else:
            print("there is no pandas: the program with a table of a report is not run")
    lines = output_of(sys.executable, without_module, SOUND, PYTHONPATH="")
    peak, used = re.fullmatch(r"ch0 peak ([\d.]+) bins in use (\d+)", lines[1]).groups()
    # ffmpeg's sine has the amplitude 1 / 8.
    assert 4000 < float(peak) < 4200 and 20 < int(used) < 60, lines[1]
    (line,) = output_of(sys.executable, removing)
    n = int(re.fullmatch(r"400 frames, (\d+) with a result", line).group(1))
    assert 100 <= n < 400, line
    check_failures(sys.executable, with_module, other_media=SOUND)
    check_failures(sys.executable, without_module, other_media=FILM)


def test_rust():
    """The program's form is that of rustfmt, which reads all of its syntax. It is compiled and run if
    the crate is there: from Debian 13's package librust-gstreamer-dev, or in cargo's folder."""
    (program,) = blocks_of("rust")
    if shutil.which("rustfmt") is None:
        print("     not checked: there is no rustfmt")
        return
    os.makedirs(os.path.join(folder.name, "rust/src"))
    path = write("rust/src/main.rs", program)
    output_of("rustfmt", "--check", "--edition", "2021", path)
    write("rust/Cargo.toml", '[package]\nname = "measure"\nversion = "0.1.0"\nedition = "2021"\n'
          '[dependencies]\ngstreamer = "0.23"\n')
    if glob.glob(DEBIAN_CRATES + "/gstreamer-0.23*"):
        os.makedirs(os.path.join(folder.name, "rust/.cargo"))
        write("rust/.cargo/config.toml", '[source.crates-io]\nreplace-with = "debian"\n'
              f'[source.debian]\ndirectory = "{DEBIAN_CRATES}"\n')
    # cargo looks for its settings in the current folder.
    crate = os.path.join(folder.name, "rust")
    if shutil.which("cargo") is None or subprocess.run(
            ["cargo", "fetch", "--offline"], cwd=crate, capture_output=True, timeout=60,
            check=False).returncode != 0:
        print("     not run: the crate gstreamer is not there")
        return
    subprocess.run(["cargo", "build", "--offline", "--quiet"], cwd=crate, timeout=600, check=True)
    lines = output_of(os.path.join(folder.name, "rust/target/debug/measure"), SOUND)
    assert lines[0].startswith("ch0 mean "), lines
    check_failures(os.path.join(folder.name, "rust/target/debug/measure"), other_media=TEXT)


if __name__ == "__main__":
    clips.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=0.4", "-c:v", "mpeg2video", "-an",
                 FILM)
    clips.ffmpeg("-f", "lavfi", "-i", "sine=d=0.5", SOUND)
    write(TEXT, "no film\n" * 100)
    sys.exit(clips.run_tests([test_c, test_c_with_the_library, test_python, test_rust]))
