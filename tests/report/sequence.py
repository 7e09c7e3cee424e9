#!/usr/bin/python3
"""Numbered images that are a film: times, gaps, damage, changes, and what does not fit.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import sys

from common import ffmpeg, objects, one_line, path_of, report, run_tests

FRAME = 1000000000 / 24
# In the second second dark and bright in turn; another picture in the third one.
FILM = ["-f", "lavfi", "-i", "color=gray:size=64x48:rate=24:duration=3,format=gbrp10,geq=r='if(lt(N,24),400,if(lt(N,48),"
        "if(mod(floor(N/3),2),64,600),900))':g='r(X,Y)':b='r(X,Y)'"]


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
    checked = [finding["checked"] for rule in summary["policies"][0]["rules"] for finding in rule["findings"]]
    assert checked and set(checked) <= {0, 72} and 72 in checked, checked
    report("--sequence", "24000/1001", "--html", path_of("page.html"), pattern)
    assert os.path.getsize(path_of("page.html")) > 10000
    for rate in "24000/1001", "23.976":
        (summary,) = objects("--sequence", rate, "--json-summary", pattern)
        assert summary["duration"] == 3003000000, (rate, summary["duration"])


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
    sys.exit(run_tests([test_film, test_gaps, test_options]))
