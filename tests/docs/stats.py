#!/usr/bin/python3
"""Runs the programs of docs/stats.md, and checks what the tracer `latency` says of the element.

    GST_PLUGIN_PATH=BUILD_DIR/plugin PYTHONPATH=pipelines/python tests/docs/stats.py

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import re
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../harness"))
import clips  # noqa: E402
from gi.repository import Gst  # noqa: E402

with open(os.path.join(HERE, "../../docs/stats.md"), encoding="utf-8") as file:
    TEXT = file.read()
# The default of the property, and the one buffer that waits in upstream's thread.
MOST_BUFFERS = 4 + 1


def run(command, **environment):
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=100,
                          check=False, env={**os.environ, **environment})
    assert done.returncode == 0, f"{command}: {done.stderr[-2000:]}"
    return done.stdout, done.stderr


def tracer_works():
    """In GStreamer 1.26.2, pipelines stop when this tracer is on, whatever their elements are."""
    try:
        subprocess.run(["gst-launch-1.0", "-q", "fakesrc", "num-buffers=5", "!", "fakesink"],
                       env={**os.environ, "GST_TRACERS": "latency"}, timeout=20, check=True)
    except subprocess.TimeoutExpired:
        return False
    return True


def test_page():
    """The programs run, and print what the page says. The table has the fields of `stats`."""
    blocks = re.findall(r"^<!-- run: (.*?) -->\n```(\w+)\n(.*?)^```$", TEXT,
                        re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2, blocks
    for pattern, language, program in blocks:
        if "GST_TRACERS" in program and not WITH_TRACER:
            continue
        shell = ["bash", "-c"] if language == "sh" else [sys.executable, "-c"]
        output, _ = run(shell + [program])
        assert re.search(pattern, output), output
    stats = Gst.ElementFactory.make("cudahisto").props.stats
    rows = TEXT.split("| field |")[1].split("\n\n")[0].splitlines()[2:]
    names = [name for row in rows for name in re.findall(r"`([\w-]+)`", row.split("|")[1])]
    assert sorted(names) == sorted(stats.nth_field_name(i) for i in range(stats.n_fields()))


def trace(pipeline):
    """Runs a pipeline whose elements are named `meter` and `sink`. Returns the latencies of the
    element, those from the source to the sink, and the time of the last record: all in ns."""
    _, log = run(["gst-launch-1.0", "-q"] + pipeline.split(),
                 GST_TRACERS="latency(flags=pipeline+element)", GST_DEBUG="GST_TRACER:7",
                 GST_DEBUG_NO_COLOR="1")

    def find(pattern):
        return [tuple(map(int, times)) for times in re.findall(
            pattern + r".* time=\(guint64\)(\d+), ts=\(guint64\)(\d+)", log)]

    element = find(r":0:: element-latency, .*element=\(string\)meter,")
    whole = find(r":0:: latency, .*sink-element=\(string\)sink,")
    assert max(ts for _, ts in element) < 600 * Gst.SECOND
    return [time for time, _ in element], [time for time, _ in whole], \
        max(ts for _, ts in element) - min(ts - time for time, ts in element)


def check(pipeline, n_buffers):
    """One record for each buffer. None is 0, negative (that is, above 2^63), or longer than the time
    from the source to the sink. The element never holds more buffers than it may: the sum of the
    times in the element is at most that number times the duration of the run."""
    element, whole, duration = trace(pipeline)
    assert len(element) == n_buffers and len(whole) == n_buffers, (len(element), len(whole))
    for in_element, in_all in zip(element, whole):
        assert 0 < in_element <= in_all < 600 * Gst.SECOND, (in_element, in_all)
    assert sum(element) <= MOST_BUFFERS * duration, (sum(element), duration)
    return element


VIDEO = ("videotestsrc num-buffers=60 {} ! video/x-raw,format=I420,width=640,height=480 {} "
         "! cudahisto name=meter measures=signal+motion {} ! fakesink name=sink {}")
SLOW = "! identity sleep-time=5000"


def test_fast_source():
    for properties in "", "max-in-flight=1", "meta=false post-messages=true", "every=3":
        check(VIDEO.format("", "", properties, ""), 60)


def test_slow_source():
    """The latency is that of one buffer: it grows with the picture. It contains the time that a slow
    neighbour behind the element takes."""
    alone = statistics.median(check(VIDEO.format("", SLOW, "", ""), 60))
    slow_neighbour = "! identity sleep-time=20000"
    slowed = statistics.median(check(VIDEO.format("", SLOW, slow_neighbour, ""), 60))
    assert slowed >= 0.02 * Gst.SECOND and slowed > alone, (slowed, alone)
    bigger = statistics.median(check(VIDEO.format("", SLOW, "", "").replace(
        "width=640,height=480", "width=2560,height=1440"), 60))
    assert bigger > alone, (bigger, alone)


def test_live():
    """A sink that waits for the clock is part of the latency, unless a queue is between."""
    small = VIDEO.replace("width=640,height=480", "width=64,height=48")
    waits = statistics.median(check(small.format("is-live=true", "", "", "sync=true"), 60))
    queued = statistics.median(check(small.format("is-live=true", "", "! queue", "sync=true"), 60))
    assert queued < waits / 2, (queued, waits)


def test_sound():
    check("audiotestsrc num-buffers=100 ! cudahisto name=meter measures=level+loudness "
          "! fakesink name=sink", 100)


WITH_TRACER = tracer_works()
if __name__ == "__main__":
    if not WITH_TRACER:
        print("skipped: the tests of the tracer latency, which hangs in this GStreamer:",
              Gst.version_string())
    sys.exit(clips.run_tests([test_page] + (
        [test_fast_source, test_slow_source, test_live, test_sound] if WITH_TRACER else [])))
