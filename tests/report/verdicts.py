#!/usr/bin/python3
"""The verdict line of ten films: what is wrong is said in it, and nothing else; of the clean one, nothing is wrong. The
line of JSON for programs, and what inputs are for.

    verdicts.py PROGRAM

Each film is the clean one with one change.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import os
import re
import sys

from common import ffmpeg, path_of, report, run_tests, turn

# A soft moving picture and a tone on both sides, 3 s.
PICTURE = "mandelbrot=size=160x96:rate={}:start_scale=2,lutrgb=r=40+val*0.6:g=40+val*0.6:b=40+val*0.6,format=yuv420p"
LEFT, RIGHT = "0.1*sin(2000*t)", "0.1*sin(2700*t)"
H264 = ["-c:v", "libx264", "-preset", "ultrafast", "-qp", "1"]
H265 = ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none:lossless=1:colorprim=bt2020:"
        "transfer=smpte2084:colormatrix=bt2020nc:range=limited:max-cll=400,100:"
        "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)"]
PQ = ["-colorspace", "bt2020nc", "-color_trc", "smpte2084", "-color_primaries", "bt2020", "-color_range", "tv"]


def film(name, rate=25, filters="null", sound=f"{LEFT}|{RIGHT}", before=(), picture=PICTURE, codec=(), end=".mkv"):
    path = path_of(name + end)
    ffmpeg("-f", "lavfi", "-i", f"{picture.format(rate)},trim=duration=3", *before, "-f", "lavfi", "-i",
           f"aevalsrc={sound}:d=3:s=48000", "-vf", filters, *(codec or ["-c:v", "ffv1"]), "-c:a",
           "aac" if end == ".mp4" else "pcm_s16le", path)
    return path


def cut(path):
    with open(path, "rb") as file:
        data = file.read()
    with open(path_of("cut.mkv"), "wb") as file:
        file.write(data[:len(data) * 2 // 3])
    return path_of("cut.mkv")


def rotated():
    return turn(film("upright", end=".mp4", codec=H264), "phone.mp4")


NOTHING = "nothing found by: flashes, black, freezes, short faults, holes, silence, dead channels, inverted channels, clipping, " \
    "true peak, field order, gamut, range, missing time, late starts, early ends"
FLASHES = "drawbox=c=0xe0e0e0:t=fill:enable='gte(t,1)*lt(t,2)*lt(mod(n,6),3)'"
ILLEGAL = "geq=lum='if({0},60,lum(X,Y))':cb='if({0},230,cb(X,Y))':cr='if({0},40,cr(X,Y))'".format("between(N,30,40)*lt(X,64)")


def test_films():
    """@line: all of the verdict line; @text: what else the text says"""
    clean = film("clean")
    for path, line, text in (
            (clean, NOTHING, ""),
            (film("flash", 30, FLASHES), r"LOOK AT  flashes: fail 0:01\.\d to 0:02\.\d", ""),
            (film("illegal", filters=ILLEGAL), r"LOOK AT  R 103 gamut (79|80)\.\d % of frame (3\d|40) at 0:01\.\d", ""),
            (film("fields", 50, "tinterlace=interleave_top,setfield=bff"),
             "LOOK AT  looks top-field-first, declared bottom-field-first", ""),
            (film("late", before=["-itsoffset", "0.51", "-t", "2.49"]), r"LOOK AT  sound starts 0\.51 s late", ""),
            (film("dead", sound=f"{LEFT}|0"), "LOOK AT  R is silent from begin to end", ""),
            (film("letterbox", filters="crop=160:72,pad=160:96:0:12:black"), NOTHING, "active picture 160 x 72 at 0,12\n"),
            (rotated(), NOTHING, "rotation       270\u00b0 clockwise"),
            (film("hdr", filters="format=yuv420p10,drawbox=x=40:y=20:w=20:h=20:c=white:t=fill", codec=H265 + PQ),
             r"LOOK AT  MaxCLL 400, measured 10000 cd/m² · MaxFALL 100, measured \d+ cd/m² · "
             r"mastering display 1000, measured 10000 cd/m²", ""),
            (cut(clean), r"NOT COMPLETE  the file is cut off: its last \d+ kB are missing · "
             r"ends after [12]\.\d s, but should have 3\.0 s", "")):
        status = int(line.startswith("NOT"))
        told = report(path, status=status)[0].decode()
        assert re.fullmatch(line, told.splitlines()[0]), (path, told.splitlines()[0])
        assert text in told, (path, told)


def test_check():
    """The line of JSON for programs: what it says of the films, and how long it is."""
    several = film("several", filters=f"{ILLEGAL},{FLASHES}", sound=f"0|{RIGHT}", before=["-itsoffset", "0.51", "-t", "2.49"])
    longest = path_of("\u00e4" * 100 + ".mkv")
    os.rename(several, longest)
    for path, verdict, expected, status in (
            (film("clean"), "NOTHING FOUND", [], 0),
            (longest, "LOOK AT", ["flash", "channel", "gamut", "time"], 0),
            (cut(film("clean")), "NOT COMPLETE", ["incomplete", "incomplete"], 1),
            (path_of("none.mkv"), "NOT MEASURED", ["incomplete"], 1)):
        output, _ = report("check", path, status=status)
        line = json.loads(output)
        assert len(output) <= 2048 and output.count(b"\n") == 1, output
        assert (line["type"], line["version"], line["verdict"]) == ("check", 1, verdict), line
        assert [notice["kind"] for notice in line["notices"]] == expected and line["more"] == 0, line
        assert all(notice["hint"].endswith(".") and notice["text"] for notice in line["notices"]), line
        assert path.endswith(line["input"].lstrip("\u2026")) and len(line["input"]) <= 200, line
        assert set(line["looked-for"]) <= set(NOTHING.split(": ")[1].split(", ")), line
        assert bool(line["looked-for"]) == (verdict != "NOT MEASURED"), line
    flash = next(notice for notice in json.loads(report("--check", longest)[0])["notices"] if notice["kind"] == "flash")
    assert flash["severity"] == "warn" and flash["text"].startswith("flashes: fail 0:0"), flash
    assert 1e9 <= flash["start"] < flash["end"] <= 3e9 and flash["spans"] == 1, flash
    # Rules of many texts do not fit into one line.
    rules = path_of("long.policy")
    with open(rules, "w", encoding="utf-8") as file:
        file.writelines(f"{'rule' * 7}-{i}: Y.mean > {200 + i}\n" for i in range(40))
    output, _ = report("check", "-p", rules, longest, status=3)
    line = json.loads(output)
    assert len(output) <= 2048 and line["verdict"] == "FAIL", output
    assert 3 <= len(line["notices"]) and len(line["notices"]) + line["more"] >= 40, line
    assert all(notice["kind"] == "rule" for notice in line["notices"]), line


def test_skipped():
    """A policy of which no rule could be checked has not passed, and the line says so."""
    silent = path_of("silent.mkv")
    ffmpeg("-i", film("clean"), "-an", "-c", "copy", silent)
    line = report("--brief", "-p", "ebu-r128", "-p", "web-flash", silent)[0].decode()
    assert line.startswith("PASS  web-flash \u00b7 nothing found \u00b7 skipped: ebu-r128 "), line
    assert json.loads(report("check", "-p", "ebu-r128", "-p", "web-flash", silent)[0])["skipped"] == ["ebu-r128"]
    assert report("--brief", "-p", "ebu-r128", silent)[0].startswith(b"SKIPPED  ebu-r128 \xc2\xb7 nothing found "), silent
    assert b"skipped" not in report("--brief", "-p", "web-flash", film("clean"))[0]
    assert json.loads(report("check", "-p", "web-flash", film("clean"))[0])["skipped"] == []


def test_purposes():
    """--for stands for presets."""
    quiet = film("quiet", sound="0.001*sin(2000*t)|0.001*sin(2700*t)")
    for purpose, presets, status in (("upload", ["upload", "web-flash"], 0), ("podcast", ["streaming-16"], 3),
                                     ("delivery", ["ebu-r128", "ebu-r103", "web-flash"], 3)):
        summary = json.loads(report("--json-summary", "--for", purpose, quiet, status=status)[0])
        assert [policy["policy"] for policy in summary["policies"]] == presets, summary["policies"]
        assert report("check", "--for", purpose, quiet, quiet, status=status)[0] == \
            report("check", "--for", purpose, "--jobs", "2", quiet, quiet, status=status)[0]
    for wrong, word in ((["--for", "sale"], b"upload|podcast|delivery"), (["--for", "podcast", "-p", "streaming-16"], b"two policies"),
                        (["--for", "podcast", "--images"], b"--images takes no"), (["--for", "podcast", "--merge"], b"--merge")):
        assert word in report(*wrong, quiet, status=2)[1], wrong


if __name__ == "__main__":
    sys.exit(run_tests([test_films, test_check, test_skipped, test_purposes]))
