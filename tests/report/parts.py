#!/usr/bin/python3
"""Reports of several inputs: each input's part is what it would be alone, in one valid document.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import functools
import gzip
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time

from common import PROGRAM, TIMEOUT, clip, ffmpeg, files_of, path_of, picture, report, run_tests, sound, worker_of

# A name that JSON must escape.
ODD = 'od"d\\ film\t.mkv'


def films():
    """Several streams, only sound, only video, and the first one again; a file is no film."""
    if not os.path.exists(path_of("no-film.mkv")):
        with open(path_of("no-film.mkv"), "w", encoding="utf-8") as file:
            file.write("text")
    if not os.path.exists(path_of(ODD)):
        shutil.copy(picture(), path_of(ODD))
    return [os.path.basename(clip()), os.path.basename(sound()), "no-film.mkv", ODD, os.path.basename(clip())]


def plain(output):
    """Without how long measuring took."""
    return re.sub(r"measured in [0-9.]+ s", "", re.sub(r'"seconds":[^,]*,', "", output.decode()))


@functools.cache
def single(option, film):
    return plain(report(option, film, status=1 if film == "no-film.mkv" else 0)[0])


def alone(option):
    return [text for text in (single(option, film) for film in films()) if text]


def together(option):
    """One after the other, and at the same time."""
    one, _ = report(option, *films(), status=1)
    same, _ = report(option, "--jobs", "2", *films(), status=1)
    assert plain(one) == plain(same), option
    return plain(one)


def test_lines():
    for option in "--json", "--json-summary", "--ffprobe":
        assert together(option) == "".join(alone(option)), option
    # The text ends with a line about all inputs.
    assert re.fullmatch(re.escape("".join(alone("--quiet"))) + r"\d+ inputs: .*\n", together("--quiet"))


def test_ffprobe():
    """Each part names its input."""
    text = together("--ffprobe")
    names = re.findall(r"^\[FORMAT\]\nfilename=(.*)\n(?:.*=.*\n)*\[/FORMAT\]$", text, re.M)
    assert names == ["clip.mkv", "sound.wav", 'od"d\\ film?.mkv', "clip.mkv"], names
    assert text.count("[FRAME]\n") == text.count("[/FRAME]\n") > 400


def test_ffprobe_json():
    """One object, with an object of each input."""
    document = json.loads(together("--ffprobe-json"))
    assert list(document) == ["inputs"]
    assert document["inputs"] == [json.loads(text) for text in alone("--ffprobe-json")]
    assert [part["format"]["filename"] for part in document["inputs"]] == [
        "clip.mkv", "sound.wav", 'od"d\\ film?.mkv', "clip.mkv"]
    part = document["inputs"][0]
    assert list(part) == ["frames", "format"] and len(part["frames"]) == 180
    # If there is nothing to report, there is no document.
    assert report("--ffprobe-json", "no-film.mkv", "no-film.mkv", status=1)[0] == b""


def test_csv():
    """A line of names only where the columns change."""
    expected, names = "", None
    for text in alone("--csv"):
        first, rest = text.split("\r\n", 1)
        expected += rest if first == names else text
        names = first
    assert together("--csv") == expected
    twice = plain(report("--csv", clip(), clip())[0])
    assert twice.count("input,stream,") == 1 and len(twice.splitlines()) == 361


def test_qctools():
    folder = path_of("qctools")
    os.mkdir(folder)
    report("--qctools", folder, *films()[:2])
    names = sorted(os.listdir(folder))
    assert len(names) == 2, names
    for film, name in zip(films(), names):
        report("--qctools", film + ".xml.gz", film)
        with gzip.open(path_of(film + ".xml.gz")) as file:
            document = file.read()
        with gzip.open(os.path.join(folder, name)) as file:
            assert file.read() == document, film


def child_of(process, name):
    """The worker that measures an input, once it has written something."""
    child = worker_of(process, name)
    for number, path in files_of(child).items():
        path = f"/proc/{child}/fd/{number}"
        try:
            if number == 1 and stat.S_ISREG(os.stat(path).st_mode) and os.stat(path).st_size > 0:
                return child
        except OSError:
            pass
    return None


def test_killed():
    """What a process did not end is left out: the document is valid."""
    long = path_of("long.mkv")
    ffmpeg("-stream_loop", "1000", "-i", picture(), "-c", "copy", long)
    process = subprocess.Popen([PROGRAM, "--jobs", "2", "--ffprobe-json", long, sound()],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    start, child = time.monotonic(), None
    while child is None and process.poll() is None and time.monotonic() - start < TIMEOUT:
        time.sleep(0.02)
        child = child_of(process, "long.mkv")
    assert child is not None
    os.kill(child, signal.SIGKILL)
    output, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 1 and b"ended by signal 9" in errors, errors
    (part,) = json.loads(output)["inputs"]
    assert part["format"]["filename"] == sound() and len(part["frames"]) == 40


if __name__ == "__main__":
    sys.exit(run_tests([value for name, value in list(globals().items())
                        if name.startswith("test_")]))
