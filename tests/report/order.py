#!/usr/bin/python3
"""The same input gives the same report: lines come by stream time, then by stream.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import csv
import gzip
import io
import json
import os
import re
import sys

from common import clip, ffmpeg, path_of, report, run_tests

# One core or all: the threads of the streams run in another order.
ALL = os.sched_getaffinity(0)
ONE = {min(ALL)}
CORES = [ONE, ALL, ALL]


def uneven(name="uneven.mkv"):
    """4 s of video, a tone that ends after 1 s, and one that begins after 2 s."""
    path = path_of(name)
    if not os.path.exists(path):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=4",
               "-f", "lavfi", "-i", "sine=frequency=1000:sample_rate=48000:duration=1",
               "-itsoffset", "2", "-f", "lavfi", "-i", "sine=frequency=500:sample_rate=48000:duration=2",
               "-map", "0", "-map", "1", "-map", "2", "-c:v", "ffv1", "-pix_fmt", "yuv420p",
               "-c:a", "pcm_s16le", path)
    return path


def chained(name="chained.ogv"):
    """Two files in one: the streams end, and go on."""
    path = path_of(name)
    if os.path.exists(path):
        return path
    with open(path, "wb") as chain:
        for part in 1, 2:
            ffmpeg("-i", clip(), "-t", str(part), "-map", "0:0", "-map", "0:1", "-c:v", "libtheora",
                   "-c:a", "libvorbis", "-serial_offset", str(10 * part), path_of("part.ogv"))
            with open(path_of("part.ogv"), "rb") as file:
                chain.write(file.read())
    return path


def runs(*arguments):
    """What several runs write, without how long measuring took."""
    for cores in CORES:
        output, _ = report(*arguments, preexec_fn=lambda: os.sched_setaffinity(0, cores))
        yield re.sub(rb'"seconds":[^,]*,', b"", output)


def place(line):
    return line["stream-time"], line["stream"]


def is_sorted(places):
    return places == sorted(places)


def test_json():
    for path, n_streams in (clip(), 3), (uneven(), 3), (chained(), 2):
        first, *others = runs("--json", path)
        lines = [json.loads(line) for line in first.splitlines()]
        assert is_sorted([place(line) for line in lines[:-1]]), path
        assert len({line["stream"] for line in lines[:-1]}) == n_streams
        assert lines[-1]["type"] == "summary"
        assert all(other == first for other in others), path


def test_csv():
    for path in clip(), uneven():
        first, *others = runs("--csv", path)
        rows = list(csv.DictReader(io.StringIO(first.decode(), newline="")))
        assert is_sorted([(int(row["stream-time"]), int(row["stream"])) for row in rows]), path
        assert all(other == first for other in others), path


def test_ffprobe():
    """By the time that the frames have, in both formats."""
    first, *others = runs("--ffprobe-json", uneven())
    frames = json.loads(first)["frames"]
    places = [(float(frame["pts_time"]), frame["stream_index"]) for frame in frames]
    assert is_sorted(places) and len(frames) > 100
    assert all(other == first for other in others)
    first, *others = runs("--ffprobe", uneven())
    lines = re.findall(rb"^stream_index=(.*)\npts=.*\npts_time=(.*)$", first, re.M)
    assert [(float(time), int(stream)) for stream, time in lines] == places
    assert all(other == first for other in others)


def test_qctools():
    documents = []
    for _ in runs("--qctools", path_of("report.xml.gz"), uneven()):
        with gzip.open(path_of("report.xml.gz")) as file:
            documents.append(file.read())
    frames = re.findall(rb'<frame .*stream_index="(.*?)".*pkt_pts_time="(.*?)"', documents[0])
    assert is_sorted([(float(time), int(stream)) for stream, time in frames]) and len(frames) > 100
    assert all(document == documents[0] for document in documents)


if __name__ == "__main__":
    sys.exit(run_tests([value for name, value in list(globals().items())
                        if name.startswith("test_")]))
