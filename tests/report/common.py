"""For the tests of cudahisto-report: the program, clips, and how to run both.

A test program is run as

    TEST.py PROGRAM

with the plugin in GST_PLUGIN_PATH.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import atexit
import functools
import inspect
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import traceback

import browser

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
# No test may hang: a program that takes longer fails.
TIMEOUT = 60
directory = tempfile.TemporaryDirectory(prefix="cudahisto-report-")

if shutil.which("ffmpeg") is None:
    print("skipped: there is no ffmpeg")
    sys.exit(77)


def path_of(name):
    return os.path.join(directory.name, name)


def ffmpeg(*arguments):
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments]
    done = subprocess.run(command, capture_output=True, timeout=TIMEOUT)
    assert done.returncode == 0, f"{command}: {done.stderr.decode(errors='replace')}"


VIDEO = ["-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=4"]
TONE = ["-f", "lavfi", "-i", "sine=frequency=1000:sample_rate=48000:duration=4"]
SILENCE = ["-f", "lavfi", "-i", "anullsrc=channel_layout=stereo:sample_rate=48000"]


def clip(name="clip.mkv"):
    """4 s of a test picture, a tone in English and silence in German."""
    path = path_of(name)
    if not os.path.exists(path):
        ffmpeg(*VIDEO, *TONE, *SILENCE, "-map", "0", "-map", "1", "-map", "2", "-t", "4",
               "-c:v", "ffv1", "-pix_fmt", "yuv420p", "-c:a", "pcm_s16le",
               "-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=ger", path)
    return path


def turn(path, name):
    """Turns a film: no option of ffmpeg does it both in 5.1 and in 7.1. The matrix of the track: x becomes -y, y becomes x."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    place = data.index(b"tkhd") + 44
    data[place:place + 36] = struct.pack(">9i", 0, -1 << 16, 0, 1 << 16, 0, 0, 0, 0, 1 << 30)
    with open(path_of(name), "wb") as file:
        file.write(data)
    return path_of(name)


def sound(name="sound.wav"):
    path = path_of(name)
    if not os.path.exists(path):
        ffmpeg(*TONE, "-c:a", "pcm_s16le", path)
    return path


def picture(name="video.mkv"):
    path = path_of(name)
    if not os.path.exists(path):
        ffmpeg(*VIDEO, "-c:v", "ffv1", "-pix_fmt", "yuv420p", path)
    return path


def pictures(name="pictures"):
    """A folder of images: two sizes, PNG and JPEG."""
    path = path_of(name)
    if not os.path.exists(path):
        os.mkdir(path)
        ffmpeg(*VIDEO, "-frames:v", "1", os.path.join(path, "a.png"))
        ffmpeg(*VIDEO, "-frames:v", "1", "-vf", "scale=80:60", os.path.join(path, "b.jpg"))
    return path


def report(*arguments, status=0, **options):
    """Runs the program; returns its output and its error output as bytes. The status None: any."""
    options.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=TIMEOUT, cwd=directory.name, **options)
    text = done.stderr.decode(errors="replace")
    assert status in (None, done.returncode), f"{arguments}: status {done.returncode}: {text}"
    assert "CRITICAL" not in text and "WARNING" not in text, text
    return done.stdout, done.stderr


def objects(*arguments, **options):
    """Runs the program; returns the objects of its JSON."""
    output, _ = report(*arguments, **options)
    return [json.loads(line) for line in output.splitlines()]


def makes_pages():
    """Whether the program makes pages: it does not without dygraphs."""
    return b"--html=PATH" in report("--help")[0]


def has_page():
    """Whether the program makes pages, and a browser can look at them."""
    return browser.find_chromium() is not None and makes_pages()


@functools.lru_cache
def one_browser():
    """To start it takes longer than to look at a page."""
    chromium = browser.Browser()
    atexit.register(chromium.__exit__)
    return chromium


def page_of(*arguments):
    """What the page of an input shows and knows."""
    report("--html", path_of("page.html"), *arguments)
    chromium = one_browser()
    # Nothing of the page before is left.
    chromium.open("about:blank")
    chromium.wait_for("location.href === 'about:blank' && document.readyState === 'complete'")
    chromium.errors.clear()
    chromium.open("file://" + path_of("page.html"))
    chromium.wait_for("document.documentElement?.dataset.drawn === 'true'")
    assert not chromium.errors, chromium.errors
    return chromium.evaluate("""({
        facts: [...document.querySelectorAll("#facts dl > div")].map(fact => [...fact.children].map(part => part.textContent)),
        line: byId("verdict-text").textContent,
        hints: [...byId("hints").children].map(hint => (hint.lastElementChild ?? hint).firstChild.textContent), totals: alertTotals })""")


def one_line(errors):
    """The only line of the error output."""
    lines = errors.decode(errors="replace").splitlines()
    assert len(lines) == 1 and lines[0].startswith("cudahisto-report: "), lines
    return lines[0]


def rows_of_libav():
    """The table of libav-source.c: what libav gives, the container, the codec and the condition."""
    with open(os.path.join(ROOT, "pipelines/report/input/libav-source.c"), encoding="utf-8") as file:
        rows = re.findall(r'^  \{(\w+), (NULL|"\w+"), (NULL|"\w+"), (\w+), ".*\d+\.\d+"\},$', file.read(), re.M)
    return {tuple(None if word == "NULL" else word.strip('"') for word in row) for row in rows}


def gstreamer_version():
    text = subprocess.run(["gst-launch-1.0", "--version"], stdout=subprocess.PIPE, check=True).stdout.decode()
    return tuple(int(part) for part in re.search(r"GStreamer (\d+)\.(\d+)", text).groups())


def note_mended(is_mended, row, name, seen=(1, 22)):
    """GStreamer loses nothing of a file of a row of the table. Only another version than the one in the table may have mended it."""
    version = gstreamer_version()
    if is_mended:
        print(f"GStreamer {version} loses nothing of {name}: {row} of libav-source.c")
    assert not is_mended or version != seen, name


def children_of(process):
    with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
        return [int(number) for number in file.read().split()]


def files_of(pid):
    """The names of the open files of a process, without its folders. Nothing if it has ended."""
    names = {}
    try:
        for number in os.listdir(f"/proc/{pid}/fd"):
            names[int(number)] = os.readlink(f"/proc/{pid}/fd/{number}")
    except OSError:
        pass
    return names


def worker_of(process, name):
    """The worker of --jobs that has a file open; None: there is none."""
    for child in children_of(process):
        if any(os.path.basename(path) == name for path in files_of(child).values()):
            return child
    return None


def last_worker(process):
    """The worker of --jobs that is left of several: the others have nothing more to do, and end."""
    most, start = 0, time.monotonic()
    while most < 2 or len(children) > 1:
        assert process.poll() is None and time.monotonic() - start < TIMEOUT
        children = children_of(process)
        most = max(most, len(children))
        time.sleep(0.005)
    return children[0]


def run_tests(tests):
    main = sys.modules["__main__"]
    source = inspect.getsource(main)
    # A test whose only mention is its definition never runs.
    forgotten = [name for name in vars(main) if name.startswith("test_") and "globals()" not in source
                 and len(re.findall(rf"\b{name}\b", source)) < 2]
    assert not forgotten, f"{forgotten} would never run"
    failed = 0
    for test in tests:
        try:
            test()
            print("passed:", test.__name__)
        except Exception:  # pylint: disable=broad-except
            failed += 1
            traceback.print_exc(file=sys.stdout)
            print("FAILED:", test.__name__)
        sys.stdout.flush()
    return 1 if failed else 0
