#!/usr/bin/python3
"""Numbered images that are a film: times, gaps, damage, changes, and what does not fit.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import sys

from common import ffmpeg, objects, one_line, path_of, report, run_tests

FRAME = 1000000000 / 24
# Gray. In the second second dark and bright in turn, at 4 Hz; another picture in the third one.
CODE = "if(lt(N,24),400,if(lt(N,48),if(mod(floor(N/3),2),64,600),900))"
FILM = ["-f", "lavfi", "-i", "color=size=64x48:rate=24:duration=3,format=gbrp10,"
        f"geq=r='{CODE}':g='{CODE}':b='{CODE}'"]


def scan(name, ending="dpx", pixels="gbrp10be"):
    """A folder with 72 images, numbered from 1001 on."""
    path = path_of(name)
    os.mkdir(path)
    ffmpeg(*FILM, "-pix_fmt", pixels, "-start_number", "1001", os.path.join(path, f"f-%04d.{ending}"))
    return path, os.path.join(name, f"f-%04d.{ending}")


def test_film():
    """Times follow from the numbers and the rate; flicker, scenes, pages and policies are those of a film."""
    _, pattern = scan("whole")
    *lines, summary = objects("--sequence", "24", "--json", "--policy", "web-flash", "--measures", "basic+motion+flash", pattern,
                              status=None)
    frames = [line for line in lines if line["type"] == "frame"]
    assert len(frames) == 72 and summary["duration"] == 3000000000 and summary["complete"], summary
    for number, frame in enumerate(frames):
        assert abs(frame["stream-time"] - number * FRAME) <= 1, (number, frame["stream-time"])
    assert [frames[number]["R"]["mean"] for number in (0, 24, 27, 70)] == [400, 600, 64, 900]
    (stream,) = summary["streams"]
    facts = {fact["name"]: fact["value"] for fact in stream["facts"]}
    assert facts["frame-rate"] == "24" and (stream["width"], stream["height"]) == (64, 48), stream
    assert summary["uri"].endswith("/f-%2504d.dpx"), summary["uri"]
    assert "FAIL" in [rule["verdict"] for rule in summary["policies"][0]["rules"]], summary["policies"]
    checked = [finding["checked"] for rule in summary["policies"][0]["rules"] for finding in rule["findings"]]
    assert checked and set(checked) <= {0, 72} and 72 in checked, checked
    report("--sequence", "24000/1001", "--html", path_of("page.html"), pattern)
    assert os.path.getsize(path_of("page.html")) > 10000
    for rate in "24000/1001", "23.976":
        (summary,) = objects("--sequence", rate, "--json-summary", pattern)
        assert summary["duration"] == 3003000000, (rate, summary["duration"])


def judged(*arguments):
    """The figures of each frame, and what is found in the whole: what a film has that is no fact of its file."""
    *lines, summary = objects("--json", "--policy", "web-flash", "--measures", "basic+motion+detail+signal+flash", *arguments, status=3)
    frames = [{key: value for key, value in line.items() if key not in ("input", "stream", "colorimetry")}
              for line in lines if line["type"] == "frame"]
    (stream,) = summary["streams"]
    return frames, [line for line in lines if line["type"] == "alert"], [
        notice for notice in summary["notices"] if notice["kind"] != "incomplete"], [
        (rule["id"], rule["verdict"]) for rule in summary["policies"][0]["rules"]], {
        key: stream.get(key) for key in ("flash", "flashes", "scenes-in-flashes", "repeats", "alerts")}


def test_flashes():
    """Full-screen flashes at 4 Hz are found, and scenes apart from them. A film of the same pictures has the same figures and
    findings."""
    _, pattern = scan("flashes", "png", "rgb48be")
    frames, alerts, notices, rules, found = judged("--sequence", "25", pattern)
    assert ("luminance", "FAIL") in rules and ("red", "PASS") in rules, rules
    (flash,) = [notice for notice in notices if notice["kind"] == "flash"]
    assert "the picture flashes: fail" in flash["text"], flash
    # The first step is at frame 24, and the last one at 48.
    (span,) = flash["spans"]
    assert 24 * 40000000 <= span["start"] < 48 * 40000000 < span["end"] <= 72 * 40000000, span
    # From 400 to 600, and to 900 at the end: 8 changes in all. Those in flashes are none of scenes.
    assert found["scenes-in-flashes"] > 0 and len(frames) == 72, found
    for codec in ("png",), ("ffv1", "-level", "3"):
        film = path_of(f"{codec[0]}.mkv")
        ffmpeg("-framerate", "25", "-start_number", "1001", "-i", path_of(pattern), "-c:v", *codec, film)
        other = judged(film)
        for number, (one, two) in enumerate(zip(frames, other[0])):
            assert one == two, (codec, number, {key: (one.get(key), two.get(key)) for key in {*one, *two} if one.get(key) != two.get(key)})
        assert len(other[0]) == 72 and other[1:] == (alerts, notices, rules, found), (codec, other[1:], alerts, notices, rules, found)


def test_gaps():
    """Numbers that are missing leave a gap in time; damaged images are named. The others are measured."""
    path, pattern = scan("broken", "png", "rgb48be")
    os.remove(os.path.join(path, "f-1011.png"))
    os.remove(os.path.join(path, "f-1012.png"))
    with open(os.path.join(path, "f-1001.png"), "r+b") as file:
        file.truncate(100)
    with open(os.path.join(path, "f-1050.png"), "wb"):
        pass
    for jobs in [], ["--jobs", "2"]:
        *lines, summary = objects("--sequence", "24", "--json", *jobs, pattern, status=1)
        times = [line["stream-time"] for line in lines if line["type"] == "frame"]
        # Times count from the first image that can be decoded.
        wanted = [(number - 1) * FRAME for number in range(72) if number not in (0, 10, 11, 49)]
        assert len(times) == 68 and all(abs(one - other) <= 1 for one, other in zip(times, wanted)), times
        texts = [problem["text"] for problem in summary["problems"]]
        assert "images 1011 to 1012 are missing" in texts, texts
        assert any("f-1001.png: the file is cut off" in text for text in texts), texts
        assert any("f-1050.png: the file is empty" in text for text in texts), texts


def test_options():
    os.mkdir(path_of("nothing"))
    for name, text in ("nothing/f-%d.dpx", "there is no image of this sequence"), ("nothing/f-1.dpx", "no pattern"), \
            ("gone/f-%d.dpx", "No such file"):
        _, errors = report("--sequence", "24", name, status=1)
        assert text in one_line(errors), errors
    for arguments in (["--sequence", "0"], ["--sequence", "fast"], ["--sequence", "24/0"], ["--sequence", "nan"],
                      ["--images", "--sequence", "24"], ["--compare", "--sequence", "24", "a%d"]):
        one_line(report(*arguments, "f-%d.dpx", status=2)[1])


if __name__ == "__main__":
    sys.exit(run_tests([test_film, test_flashes, test_gaps, test_options]))
