#!/usr/bin/python3
"""cudahisto-report with damaged inputs: what is wrong is reported, and nothing else is.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import os
import shutil
import subprocess
import sys

from common import (PROGRAM, TIMEOUT, clip, ffmpeg, objects, one_line, path_of, report, run_tests,
                    sound)


def environment(**changes):
    return {**os.environ, **changes}


def test_no_object_is_left():
    """The tracer `leaks` of GStreamer finds no object after two inputs of several streams."""
    _, errors = report(clip(), clip(), env=environment(
        GST_TRACERS="leaks", GST_DEBUG="GST_TRACER:7,default:4,GST_INIT:4", GST_DEBUG_NO_COLOR="1"))
    # The tracer tells when GStreamer is deinitialised.
    assert b"deinitialized GStreamer" in errors, errors[-1000:]
    # The tracer also prints the format of its lines, with %s.
    alive = [line for line in errors.decode().splitlines()
             if "object-alive, type-name=(string)" in line and "(string)%" not in line]
    assert not alive, "\n".join(alive)


def test_list_of_problems():
    """JSON, text and the standard error tell the same."""
    with open(clip(), "rb") as file:
        data = file.read()
    with open(path_of("cut.mkv"), "wb") as file:
        file.write(data[:len(data) // 2])
    output, errors = report("--json-summary", "cut.mkv", status=1)
    (summary,) = objects("--json-summary", "cut.mkv", status=1)
    first = summary["problems"][0]
    assert first["text"] == summary["problem"] and first["text"] in one_line(errors), summary
    assert not summary["complete"], output
    output, _ = report("cut.mkv", status=1)
    text = output.decode()
    assert all(problem["text"] in text for problem in summary["problems"][:10]), text


def lines_of(errors):
    return errors.decode().replace("cudahisto-report: ", "").splitlines()


def test_folder():
    """What looks like a film and cannot be measured is named, and the rest is measured."""
    folder = path_of("films")
    for name in ("closed", "open"):
        os.makedirs(os.path.join(folder, name))
    with open(sound(), "rb") as file:
        whole = file.read()
    contents = {"good.wav": whole, "empty.mkv": b"", "open/zero.MP4": bytes(100000),
                "open/error.mov": b"<html><title>404</title></html>", "unreadable.avi": whole,
                "closed/other.wav": whole, "README": b"The films.\n", "words.srt": b"1\n",
                "data.bin": bytes(1000), "program.ts": b"const x = 'MPEG?';\n"}
    for name, data in contents.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    os.symlink("nothing", os.path.join(folder, "link.webm"))
    for name in ("unreadable.avi", "closed"):
        os.chmod(os.path.join(folder, name), 0)
    command = [PROGRAM, "--json-summary"]
    bad = ["empty.mkv", "link.webm", "open/error.mov", "open/zero.MP4"]
    if os.geteuid() != 0:
        bad += ["closed", "unreadable.avi"]
    elif shutil.which("setpriv"):
        # Root may read anything.
        command = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", *command]
        bad += ["closed", "unreadable.avi"]
    try:
        for jobs in ([], ["--jobs", "2"]):
            done = subprocess.run([*command, *jobs, folder], capture_output=True, timeout=TIMEOUT,
                                  check=False)
            named = [line.split(":")[0] for line in lines_of(done.stderr)]
            assert sorted(named) == sorted(os.path.join(folder, name) for name in bad), done.stderr
            measured = [json.loads(line)["input"] for line in done.stdout.splitlines()]
            assert os.path.join(folder, "good.wav") in measured, done.stdout
            assert done.returncode == 1, done.returncode
    finally:
        os.chmod(os.path.join(folder, "closed"), 0o755)


def test_pictures_in_folder():
    """Still images are left out, and one line says so."""
    folder = path_of("album")
    os.makedirs(folder)
    shutil.copyfile(sound(), os.path.join(folder, "sound.wav"))
    for name in ("a.png", "b.jpg", "c.gif"):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=32x32", "-frames:v", "1", os.path.join(folder, name))
    _, errors = report(folder)
    assert lines_of(errors) == ["3 still images were left out: a.png, b.jpg, c.gif"], errors
    _, errors = report("--quiet", folder)
    assert errors == b"", errors
    for number in range(5):
        shutil.copyfile(os.path.join(folder, "a.png"), os.path.join(folder, f"d{number}.png"))
    os.unlink(os.path.join(folder, "sound.wav"))
    _, errors = report(folder, status=1)
    assert lines_of(errors) == [
        "8 still images were left out: a.png, b.jpg, c.gif, d0.png, d1.png and 3 more",
        "there is no file of video or sound in the folder"], errors


if __name__ == "__main__":
    sys.exit(run_tests([value for name, value in list(globals().items())
                        if name.startswith("test_")]))
