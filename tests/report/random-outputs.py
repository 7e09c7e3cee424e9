#!/usr/bin/python3
"""Random options, inputs and outputs, with limits of file sizes and signals at random times:

- no input changes
- a file has its old content or a whole report
- no temporary file is left, except after SIGKILL
- wrong options change nothing
- the same command gives the same report

    random-outputs.py PROGRAM [--seconds N] [--seed N]

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import argparse
import csv
import gzip
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

from common import PROGRAM, TIMEOUT, ffmpeg, makes_pages, path_of, report

HAS_PAGES = makes_pages()
OLD = b"yesterday's report\n"
TIME = 10**18 + 1
FORMATS = [[], ["--json"], ["--json-histograms"], ["--json-summary"], ["--csv"], ["--ffprobe"], ["--ffprobe-json"]]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]


# ---- Whole reports ------------------------------------------------------------------------------

def check_text(data):
    assert re.search(rb"\n\n(\d+ inputs: .*\n)?\Z", data) and re.search(b"measured in|NOT MEASURED", data), data[-200:]


def check_json(data):
    lines = [json.loads(line) for line in data.splitlines()]
    assert lines[-1]["type"] == "summary" and data.endswith(b"\n")


def check_csv(data):
    assert data.endswith(b"\r\n")
    names = None
    for row in csv.reader(io.StringIO(data.decode(), newline="")):
        names = row if row[0] == "input" else names
        assert len(row) == len(names), row


def check_ffprobe(data):
    assert data.endswith(b"\n") and data.count(b"[FRAME]\n") == data.count(b"[/FRAME]\n")


def check_page(data):
    assert data.startswith(b"<!DOCTYPE html>") and data.rstrip().endswith(b"</html>"), data[-200:]


def check_qctools(data):
    assert xml.etree.ElementTree.fromstring(gzip.decompress(data)).find("format") is not None


CHECKS = {"": check_text, "--json": check_json, "--json-histograms": check_json, "--json-summary": check_json,
          "--csv": check_csv, "--ffprobe": check_ffprobe, "--ffprobe-json": json.loads, "--html": check_page,
          "--qctools": check_qctools, "--results": check_json}


def check_whole(option, data, about):
    try:
        CHECKS[option](data)
    except Exception as error:
        raise AssertionError(f"{about}: no whole report of {option or 'text'}: {error!r}") from error


# ---- The folder ---------------------------------------------------------------------------------

def make_clips():
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=48x32:rate=25:duration=0.6", "-f", "lavfi", "-i",
           "sine=sample_rate=48000:duration=0.6", "-c:v", "ffv1", "-pix_fmt", "yuv420p", "-c:a", "pcm_s16le",
           path_of("clip.mkv"))
    ffmpeg("-f", "lavfi", "-i", "sine=sample_rate=48000:duration=0.5", "-c:a", "pcm_s16le", path_of("sound.wav"))
    report("--json-summary", "--output", "summary.json", "clip.mkv")


def make_folder():
    """Films with other names, old reports, a text, and folders."""
    top = path_of("top")
    shutil.rmtree(top, ignore_errors=True)
    os.makedirs(os.path.join(top, "films"))
    os.makedirs(os.path.join(top, "reports"))
    os.chdir(top)
    for source, name in (("clip.mkv", "film.mkv"), ("sound.wav", "sound.wav"), ("clip.mkv", "films/one.mkv"),
                         ("sound.wav", "films/two.wav"), ("summary.json", "summary.json")):
        shutil.copyfile(path_of(source), name)
    os.symlink("film.mkv", "link.mkv")
    os.link("film.mkv", "hard.mkv")
    for name in ("old.txt", "reports/old.txt", "old.html", "notes.mkv"):
        with open(name, "wb") as file:
            file.write(OLD)
    os.symlink("old.txt", "old-link.txt")
    os.symlink("reports/new.txt", "dangling.txt")
    for folder, _, names in os.walk("."):
        for name in names:
            os.utime(os.path.join(folder, name), ns=(TIME, TIME), follow_symlinks=False)


def snapshot():
    """What each file and link of the folder has."""
    found = {}
    for folder, folders, names in os.walk("."):
        for name in names + [name for name in folders if os.path.islink(os.path.join(folder, name))]:
            path = os.path.join(folder, name)
            if os.path.islink(path):
                found[path] = os.readlink(path), None
            else:
                with open(path, "rb") as file:
                    found[path] = file.read(), os.stat(path).st_mtime_ns
    return found


# The times of what is measured differ.
VARYING = re.compile(rb'measured in [\d.]+ s|"seconds":[\d.e-]+,')


def figures(found):
    result = {}
    for path, (data, _) in found.items():
        if isinstance(data, bytes) and data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        result[path] = VARYING.sub(b"", data) if isinstance(data, bytes) else data
    return result


# ---- Commands -----------------------------------------------------------------------------------

class Command:
    """A random command line."""

    def __init__(self, choose):
        inputs = ["film.mkv", "sound.wav", "link.mkv", "hard.mkv", "films", "films/one.mkv", "./film.mkv",
                  "file://" + path_of("top/films/two.wav"), "missing.avi", "notes.mkv"]
        weights = [6, 6, 1, 1, 4, 3, 1, 2, 1, 1]
        files = ["new.txt", "old.txt", "old-link.txt", "dangling.txt", "reports/old.txt", "reports/new.txt",
                 "film.mkv", "link.mkv", "hard.mkv", "films/one.mkv", "./films/../film.mkv", "nowhere/new.txt",
                 "/dev/null", "/dev/full", "reports", "made/", "summary.json"]
        self.places = {}
        self.format = choose.choice(FORMATS)
        self.arguments = list(self.format)
        self.inputs = choose.choices(inputs, weights, k=choose.choice([1, 1, 2, 3]))
        if choose.random() < 0.6:
            self.add("--output", choose.choice(files), "".join(self.format))
        for option in (["--html"] if HAS_PAGES else []) + ["--qctools"]:
            if choose.random() < 0.35:
                self.add(option, choose.choice(files + ["reports", "made/", "old.html"]), option)
        if choose.random() < 0.3:
            self.arguments += ["--jobs", "2"]
        if choose.random() < 0.2:
            self.add("--results", choose.choice(["kept", "reports", "films", "film.mkv"]), "--results")
        if choose.random() < 0.1:
            self.arguments += ["--merge"]
            self.inputs = choose.choices(["summary.json", "film.mkv", "missing.avi"], [4, 1, 1], k=2)
        elif choose.random() < 0.2:
            self.arguments += ["--split", "2"]
        if choose.random() < 0.05:
            self.arguments += choose.choice([["--measures", "nonsense"], ["--jobs", "0"], ["--set", "x=1"]])
        self.arguments += ["--", *self.inputs]

    def add(self, option, path, kind):
        self.arguments += [option, path]
        self.places[os.path.realpath(path)] = kind

    def is_input(self, path):
        """Whether the file is read, by any of its names."""
        for name in self.inputs:
            name = name[len("file://"):] if name.startswith("file://") else name
            films = [os.path.join(name, film) for film in os.listdir(name)] if os.path.isdir(name) else [name]
            if any(os.path.exists(film) and os.path.samefile(film, path) for film in films):
                return True
        return False

    def kind_of(self, path):
        """The kind of report that a file has; None: it is no output of this command."""
        real = os.path.realpath(path)
        if real in self.places and not os.path.isdir(real):
            return self.places[real]
        endings = {"--html": ".html", "--qctools": ".qctools.xml.gz", "--results": ".json"}
        kind = [self.places[folder] for folder in self.places
                if os.path.dirname(real) == folder and os.path.isdir(folder)]
        for option, value in zip(self.arguments, self.arguments[1:]):
            if os.path.realpath(value) == os.path.dirname(real) and real.endswith(endings.get(option, "/")):
                return option
        return kind[0] if kind else None


def run(command, limit, number, delay):
    """Returns the status, the output, and the lines of the standard error."""
    def prepare():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            # What Python ignores is not ignored by other programs.
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    process = subprocess.Popen([PROGRAM, *command.arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True, preexec_fn=prepare)
    if number is not None:
        time.sleep(delay)
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass
    output, errors = process.communicate(timeout=TIMEOUT)
    start = time.monotonic()
    while time.monotonic() - start < TIMEOUT:
        # The processes of --jobs end, too.
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return process.returncode, output, errors
        time.sleep(0.01)
    raise AssertionError("a process does not end")


def check(choose):
    make_folder()
    command = Command(choose)
    before = snapshot()
    inputs = [path for path in before if os.path.exists(path) and command.is_input(path)]
    limit = number = delay = None
    disturbance = choose.random()
    if disturbance < 0.2:
        limit = choose.choice([0, 100, 1000, 5000, 20000])
    elif disturbance < 0.5:
        number, delay = choose.choice(SIGNALS), choose.uniform(0, 0.3)
    status, output, errors = run(command, limit, number, delay)
    after = snapshot()
    about = f"{command.arguments}, limit {limit}, signal {number} after {delay}, status {status}: {errors}"
    allowed = {0, 1, 2} if number is None else {0, 1, 2, 128 + number, -number}
    assert status in allowed, about
    assert b"CRITICAL" not in errors and b"WARNING" not in errors, about
    if status == 2:
        assert before == after and output == b"", about
    for path in before:
        if path not in after:
            raise AssertionError(f"{about}: {path} is gone")
        if after[path] == before[path]:
            continue
        # Inputs and all that is no output stay as they are, also their times.
        assert command.kind_of(path) is not None and path not in inputs and (
            before[path][0] == OLD or path == "./summary.json"), f"{about}: {path} has changed"
    for path, (data, _) in after.items():
        if before.get(path) == after[path]:
            continue
        name = os.path.basename(path)
        if name.startswith("."):
            assert number == signal.SIGKILL, f"{about}: {path} is left"
            continue
        kind = command.kind_of(path)
        assert kind is not None and isinstance(data, bytes), f"{about}: {path} is new"
        check_whole(kind, data, f"{about}, {path}")
    if status == 0 and output and number is None:
        check_whole("".join(command.format), output, about)
    if limit is None and number is None and "--merge" not in command.arguments:
        make_folder()
        again = run(command, None, None, None)
        assert again[0] == status, f"{about}: then {again[0]}"
        assert VARYING.sub(b"", again[1]) == VARYING.sub(b"", output), f"{about}: another output"
        first, second = figures(after), figures(snapshot())
        assert first == second, f"{about}: other files: " + str(
            [path for path in first if first[path] != second.get(path)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(2**31))
    arguments = parser.parse_args()
    make_clips()
    end, n = time.monotonic() + arguments.seconds, 0
    while time.monotonic() < end:
        seed = arguments.seed + n
        try:
            check(random.Random(seed))
        except Exception:
            print(f"FAILED: --seed {seed}")
            raise
        n += 1
    os.chdir("/")
    print(f"{n} commands from --seed {arguments.seed} on")
    return 0


if __name__ == "__main__":
    sys.exit(main())
