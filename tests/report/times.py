#!/usr/bin/python3
"""Times: those of a stream count from its first one, whatever the container begins with.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import csv
import io
import json
import os
import shutil
import subprocess
import sys

from common import TIMEOUT, ffmpeg, has_page, objects, page_of, path_of, report, run_tests

SECOND = 10 ** 9
CONTAINERS = ("mp4", "mkv", "ts", "flv")


def black(container):
    """4 s of video that is black from 0.4 to 2.8 s, with a tone. Matroska, FLV and MPEG-TS do not begin at 0."""
    path = path_of("black." + container)
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=4", "-f", "lavfi", "-i", "sine=d=4:r=48000",
           "-vf", "drawbox=enable='between(t,0.39,2.79)':color=black:t=fill", "-c:v", "libx264", "-g", "25",
           "-c:a", "aac", path_of("black.mp4"))
    if container != "mp4":
        ffmpeg("-i", path_of("black.mp4"), "-c", "copy", path)
    return path


def segments():
    """The second of the two halves of a Matroska file: it begins after 2 s, its sound before its video."""
    ffmpeg("-i", black("mp4"), "-c", "copy", "-f", "segment", "-segment_time", "2", path_of("segment%d.mkv"))
    return path_of("segment1.mkv")


def delayed():
    """Sound that begins half a second after the video."""
    path = path_of("delayed.mkv")
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=2", "-itsoffset", "0.5", "-f", "lavfi", "-i",
           "sine=d=2:r=48000", "-c:v", "ffv1", "-pix_fmt", "yuv420p", "-c:a", "pcm_s16le", path)
    return path


def stream_of(summary, media):
    (stream,) = [stream for stream in summary["streams"] if stream["media"] == media]
    return stream


def test_alerts():
    """Black is told at the same times for every container, in JSON and as text."""
    starts = {}
    for container in CONTAINERS:
        path = black(container)
        *frames, summary = objects("--json", path)
        video, audio = stream_of(summary, "video"), stream_of(summary, "audio")
        found = [(alert["start"], alert["end"]) for alert in video["alerts"] if alert["type"] == "black"]
        assert [(round(start / 1e6), round(end / 1e6)) for start, end in found] == [(400, 2800)], (container, found)
        assert b"0:00:00.400 - 0:00:02.800" in report("--full", path)[0], container
        # The times of frames and windows, and the distances, are the same, too.
        times = [frame["stream-time"] for frame in frames if frame["media"] == "video"]
        assert [round(time / 1e6) for time in times] == [40 * i for i in range(100)], (container, times)
        windows = [frame["stream-time"] for frame in frames if frame["media"] == "audio"]
        assert windows[:3] == [0, SECOND // 10, SECOND // 5], (container, windows)
        assert abs(video["end"] - video["start"] - 4 * SECOND) < 2e6, (container, video["end"])
        assert summary["duration"] == max(s["end"] for s in (video, audio)) - min(
            s["start"] for s in (video, audio)), container
        assert abs(summary["duration"] - 4 * SECOND) < 50e6, (container, summary["duration"])
        assert {video["delay"], audio["delay"]} >= {0}, container
        starts[container] = video["start"]
    # They are offsets of the container that are not part of the times.
    assert starts["mp4"] == 0 and all(starts[name] > 0 for name in ("mkv", "ts", "flv")), starts


def test_csv():
    """The times of CSV are those of JSON."""
    rows = list(csv.DictReader(io.StringIO(report("--csv", black("ts"))[0].decode(), newline="")))
    for media in ("video", "audio"):
        row = next(row for row in rows if row["media"] == media)
        assert row["stream-time"] == "0" and int(row["timestamp"]) > 0, (media, row["stream-time"])


def test_start_of_matroska():
    """A file that begins in the middle of a film, its streams at different times."""
    *frames, summary = objects("--json", segments())
    video, audio = stream_of(summary, "video"), stream_of(summary, "audio")
    times = [frame["stream-time"] for frame in frames if frame["media"] == "video"]
    assert [round(time / 1e6) for time in times] == [40 * i for i in range(len(times))], times
    assert summary["complete"] and min(video["start"], audio["start"]) > 1.9 * SECOND, (video["start"], audio["start"])
    assert audio["start"] != video["start"]
    assert max(video["delay"], audio["delay"]) == abs(audio["start"] - video["start"])


def test_distance():
    """The distance between the starts of the streams is a fact of its own."""
    (summary,) = objects("--json-summary", delayed())
    video, audio = summary["streams"]
    assert (video["delay"], audio["delay"]) == (0, SECOND // 2), summary["streams"]
    assert summary["duration"] == 2.5 * SECOND, summary["duration"]
    lines = report("--full", delayed())[0].decode().splitlines()
    assert "sound starts 0.50 s late" in lines[0], lines[0]
    assert lines[1].split(", ")[0].endswith("0:00:02.500"), lines[1]
    assert [line.split() for line in lines if line.startswith("    starts ")] == [
        ["starts", "0.500", "s", "after", "video", "0"]], lines
    if has_page():
        facts = page_of(delayed())["facts"]
        assert ["Starts", "0.500 s after video 0"] in facts, facts
    # Summaries of several inputs have no such distance.
    with open(path_of("delayed.json"), "w", encoding="utf-8") as file:
        file.write(json.dumps(summary) + "\n")
    (merged,) = objects("--merge", "--json-summary", "delayed.json", "delayed.json")
    assert all("delay" not in stream for stream in merged["streams"])


def test_ffprobe():
    """What imitates ffprobe has the times of the container."""
    if shutil.which("ffprobe") is None:
        print("skipped: there is no ffprobe")
        return
    for path in (black("mkv"), segments(), black("mp4")):
        done = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "frame=pts_time",
                               "-of", "csv=p=0", path], capture_output=True, timeout=TIMEOUT, check=True)
        theirs = [float(line.rstrip(b",")) for line in done.stdout.split()]
        frames = json.loads(report("--ffprobe-json", path)[0])["frames"]
        ours = [float(frame["pts_time"]) for frame in frames if frame["media_type"] == "video"]
        assert ours == theirs, (path, ours[:3], theirs[:3])


def test_chained():
    """A later part of a chained file continues the first stream."""
    for name, seconds in (("first", 1), ("second", 2)):
        ffmpeg("-f", "lavfi", "-i", f"sine=d={seconds}:r=48000", "-c:a", "libvorbis", path_of(name + ".ogg"))
    with open(path_of("chained.ogg"), "wb") as chained:
        for name in ("first", "second"):
            with open(path_of(name + ".ogg"), "rb") as file:
                chained.write(file.read())
    *windows, summary = objects("--json", "chained.ogg")
    times = [window["stream-time"] for window in windows]
    assert times == sorted(times) and times[0] == 0 and times[-1] > 2.8 * SECOND, times
    (stream,) = summary["streams"]
    assert abs(stream["end"] - 3 * SECOND) < 1e6 and stream["start"] == 0, stream["end"]
    # Of short parts the next ones have begun, or ended, when the first result is read. The numbers of their streams say
    # nothing about their order.
    for step in 1, -1:
        with open(path_of("parts.ogg"), "wb") as chained:
            for i in range(12):
                ffmpeg("-f", "lavfi", "-i", "sine=d=0.1:r=48000", "-c:a", "libvorbis", "-fflags", "+bitexact",
                       "-serial_offset", str(100 + step * i), path_of("part.ogg"))
                with open(path_of("part.ogg"), "rb") as file:
                    chained.write(file.read())
        for _ in range(3):
            *windows, summary = objects("--json", "parts.ogg")
            (stream,) = summary["streams"]
            assert [window["stream-time"] for window in windows] == [i * SECOND // 10 for i in range(12)], windows
            assert (stream["start"], stream["end"], stream["samples"]) == (0, 12 * SECOND // 10, 12 * 4800), stream["start"]


def test_sound_behind_hole():
    """A window of sound behind a hole has its own time from the first one on, and the one before it is shorter."""
    path = path_of("hole.mkv")
    ffmpeg("-f", "lavfi", "-i", "sine=duration=8:sample_rate=48000", "-af", "aselect='not(between(t,2,5))'", "-c:a", "pcm_s16le", path)
    *lines, summary = objects("--json", path, status=1)
    windows = [line for line in lines if line["type"] == "window"]
    (place,) = summary["streams"][0]["timestamps"]["places"]
    before = [window for window in windows if window["stream-time"] < place["start"]]
    behind = [window for window in windows if window["stream-time"] >= place["start"]]
    ends = [window["stream-time"] + window["duration"] for window in (before[-1], behind[-1])]
    assert abs(ends[0] - place["start"]) < 2000000 and abs(behind[0]["stream-time"] - place["end"]) < 2000000, (ends, place, behind[0])
    assert abs(ends[1] - 8000000000) < 2000000 and before[-1]["samples"] < 4800, (ends, before[-1])


def test_version_1():
    """In summaries of version 1, alerts have stream times of the container."""
    (summary,) = objects("--json-summary", black("flv"))
    assert summary["version"] == 2
    stream = stream_of(summary, "video")
    expected = json.loads(json.dumps(stream["alerts"]))
    assert stream["start"] > 0 and expected
    loudness_before = stream_of(summary, "audio")["loudness"]["integrated"]["last"]

    def read(changed):
        with open(path_of("one.json"), "w", encoding="utf-8") as file:
            file.write(json.dumps(changed) + "\n")
        (merged,) = objects("--merge", "--json-summary", "one.json")
        assert merged["version"] == 2
        integrated = stream_of(merged, "audio")["loudness"]["integrated"]["last"]
        assert abs(integrated - loudness_before) < 0.06, integrated
        alerts = stream_of(merged, "video")["alerts"]
        for alert in alerts:
            del alert["input"]
        return alerts

    assert read(summary) == expected
    # It had 1000 counts of loudness, in bins of 0.1 LU.
    loudness = stream_of(summary, "audio")["loudness"]
    for name in ("momentary-blocks", "short-term-blocks"):
        counts = [0] * 1000
        for number, count in zip(loudness[name][::2], loudness[name][1::2]):
            counts[number // 100] += count
        loudness[name] = counts
    for alert in stream["alerts"]:
        alert["start"] += stream["start"]
        alert["end"] += stream["start"]
    assert read({**summary, "version": 1}) == expected
    # Without a start there is nothing to subtract.
    alerts = json.loads(json.dumps(stream["alerts"]))
    del stream["start"], stream["end"]
    assert read({**summary, "version": 1}) == alerts


if __name__ == "__main__":
    sys.exit(run_tests([value for name, value in list(globals().items())
                        if name.startswith("test_")]))
