#!/usr/bin/python3
"""cudahisto-report --compare: the pictures of two films: which frames belong together, and what explains that they differ.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import base64
import html
import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

from common import PROGRAM, ROOT, ffmpeg, makes_pages, objects, one_line, path_of, report, run_tests

LOSSLESS = ["-c:v", "ffv1"]
FILM = ["-f", "lavfi", "-i", "testsrc2=size=160x96:rate=25:duration=1.6"]
N = 40
# The figures of this group cost the least time.
COMPARE = ["--compare", "--quiet", "--measures", "signal"]


def master():
    path = path_of("master.mkv")
    if not os.path.exists(path):
        ffmpeg(*FILM, "-pix_fmt", "yuv420p", *LOSSLESS, path)
    return path


def make_all(films, source=None):
    """Makes films of the master by filters, in one run. films: name, arguments."""
    arguments = []
    for name, own in films:
        arguments += [*own, *([] if "-c:v" in own or "-c" in own else LOSSLESS), path_of(name)]
    ffmpeg("-i", source or master(), *arguments)


def compare(a, b, *arguments, status=0):
    """The comparison, its pictures, and the first line of the text."""
    (one,) = objects(*COMPARE, "--json", *arguments, a, b, status=status)
    check_schema(one)
    videos = [stream.get("pictures") for stream in one["streams"] if stream.get("a", {}).get("media") == "video"]
    return one, videos[0] if videos else None


def check_schema(one):
    try:
        import jsonschema  # pylint: disable=import-outside-toplevel
    except ImportError:
        return
    with open(os.path.join(ROOT, "docs/report.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    schema.pop("oneOf")
    schema["$ref"] = "#/definitions/comparison"
    faults = [f"{list(fault.absolute_path)}: {fault.message}" for fault in jsonschema.Draft7Validator(schema).iter_errors(one)]
    assert not faults, faults


def first_line(a, b, *arguments, status=0):
    return report(*COMPARE, *arguments, a, b, status=status)[0].decode().partition("\n")[0]


EXPLAINED = [
    # The film, how it is made, the change, the least PSNR after it (None: no difference), what the text says.
    ("mirror", "hflip", "mirrored", None, "mirrored"),
    ("flip", "vflip", "flipped", None, "upside down"),
    ("turned", "hflip,vflip", "rotated-180", None, "rotated by 180 degrees"),
    ("moved", "crop=158:94:2:0,pad=160:96:0:2", "shifted", None, r"shifted by \(-2, 2\) pixels"),
    ("down", "format=yuv444p,crop=160:95:0:0,pad=160:96:0:1", "shifted", None, r"shifted by \(0, 1\) pixels"),
    ("rows", "il=luma_swap=1:chroma_swap=1", "swapped-fields", None, "fields are swapped"),
    ("delayed", "phase=b", "field-of-frame-before", None, "one field comes from the frame before"),
    ("colors", "swapuv", "swapped-components", None, "swapped: U and V"),
    ("darker", "lutyuv=y=val-1", "offset", None, "offset: Y -1: no difference after it"),
    ("range", "scale=in_range=tv:out_range=pc,setrange=tv", "range", 40, "limited range is converted to full"),
    ("matrix", "scale=in_color_matrix=bt601:out_color_matrix=bt709", "matrix", 40, "BT.601 is converted to BT.709"),
    ("weaker", "lutyuv=y='round((val-16)*0.8)+16':u='round((val-128)*0.8)+128':v='round((val-128)*0.8)+128'", "gain", 45,
     r"gain: Y x 0\.(80|79)"),
    ("blur", "boxblur=2", "blurred", 45, "blurred"),
    ("sharp", "unsharp=3:3:0.4", "sharpened", 40, "sharpened"),
]


def test_explained():
    """Each change is named, and the PSNR after it is told; the inverse order of the films has no other change."""
    make_all([(f"{name}.mkv", ["-vf", f"{how},format=yuv420p"]) for name, how, *_ in EXPLAINED])
    for name, _, change, least, text in EXPLAINED:
        one, pictures = compare(master(), path_of(f"{name}.mkv"), "--fail-on-difference", status=3)
        found = pictures.get("explanation")
        assert found is not None and found["change"] == change, (name, found, one["streams"][0]["reasons"])
        assert found["psnr-after"] == "inf" if least is None else float(found["psnr-after"]) > least, (name, found)
        assert found["psnr-before"] < 52 and found["frames"] >= 3, (name, found)
        assert pictures["pairs"] == N and pictures["unpaired"] == [] and pictures["equal"] <= (name == "delayed"), (name, pictures)
        assert re.search(text, one["streams"][0]["reasons"][0]), (name, one["streams"][0]["reasons"])
    _, pictures = compare(path_of("moved.mkv"), master())
    assert (pictures["explanation"]["dx"], pictures["explanation"]["dy"]) == (2, -2), pictures["explanation"]


def test_marks():
    """Of a range that is converted it is told whether the files say so; a mark alone changes how pictures are shown."""
    full = "scale=in_range=tv:out_range=pc"
    make_all([(f"{name}.mkv", ["-vf", how, "-color_range", mark]) for name, how, mark in (
        ("tv", "setrange=tv", "tv"), ("full", f"{full},setrange=pc", "pc"), ("unmarked", f"{full},setrange=tv", "tv"),
        ("mark", "setrange=pc", "pc"))])
    for name, text in (("full", "to full range, as the files say: no difference"),
                       ("unmarked", "to full range, but the files say the same range: no difference")):
        line = first_line(path_of("tv.mkv"), path_of(f"{name}.mkv"))
        assert text in line and "shown otherwise" not in line, line
    one, _ = compare(path_of("tv.mkv"), path_of("mark.mkv"))
    assert one["streams"][0]["shown-otherwise"] == "colorimetry limited range -> full range", one["streams"]
    assert first_line(path_of("tv.mkv"), path_of("mark.mkv")) == "SAME: B is shown otherwise: colorimetry limited range -> full range"


def test_formats():
    """Ten bits, RGB, gray, 4:4:4 and a square picture."""
    source = path_of("square.mkv")
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=96x96:rate=25:duration=0.4", "-pix_fmt", "yuv420p", *LOSSLESS, source)
    formats = ["yuv420p10le", "gbrp", "gray", "yuv444p"]
    make_all([(f"{name}-{form}.mkv", ["-vf", f"format={form}{how}"]) for form in formats
              for name, how in (("plain", ""), ("mirror", ",hflip"))] + [
                  ("right.mkv", ["-vf", "transpose=clock"]), ("left.mkv", ["-vf", "transpose=cclock"])], source)
    for form in formats:
        plain = path_of(f"plain-{form}.mkv")
        one, pictures = compare(plain, path_of(f"mirror-{form}.mkv"))
        assert pictures["explanation"]["change"] == "mirrored" and pictures["explanation"]["psnr-after"] == "inf", (form, one)
    for name, change in (("right", "rotated-90"), ("left", "rotated-270")):
        _, pictures = compare(source, path_of(f"{name}.mkv"))
        assert pictures["explanation"]["change"] == change, (name, pictures["explanation"])


def test_begun_again():
    """A film that GStreamer cannot read is begun again with libav: no frame is lost."""
    path = path_of("magic.avi")
    make_all([("magic.avi", ["-c:v", "magicyuv"])])
    summaries = objects("--json-summary", path, status=None)
    if not summaries or not summaries[-1]["complete"]:
        return
    one, pictures = compare(path, path)
    assert one["verdict"] == "SAME" and pictures["pairs"] == N, one


def test_interrupted():
    """Ctrl-C: no verdict and no output; a line says so, and the status is that of the signal."""
    long = path_of("long.mkv")
    ffmpeg("-stream_loop", "1000", "-i", master(), "-c", "copy", long)
    output = path_of("interrupted.json")
    process = subprocess.Popen([PROGRAM, "--compare", "--quiet", "--json", "--output", output, long, long],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    written, errors = process.communicate(timeout=30)
    assert process.returncode == 130 and written == b"" and not os.path.exists(output), (process.returncode, written, errors)
    assert "interrupted before A and B were compared: there is no verdict" in one_line(errors), errors


def unpaired(pictures):
    return [(gap["in"], gap["first"], gap["frames"]) for gap in pictures["unpaired"]]


def test_aligned():
    """Missing, added and repeated frames are found where they are, and all others are equal."""
    make_all([
        ("missing.mkv", ["-vf", "select='not(between(n,20,24))',setpts=N/(25*TB)"]),
        ("hole.mkv", ["-vsync", "vfr", "-vf", "select='not(between(n,20,24))'"]),
        ("late.mkv", ["-vf", "select='gte(n,7)',setpts=N/(25*TB)"]),
        ("short.mkv", ["-vf", "select='lt(n,33)'"]),
        ("fifth.mkv", ["-vf", "select='not(eq(mod(n,5),3))',setpts=N/(25*TB)"]),
        ("twice.mkv", ["-vf", "loop=loop=2:size=1:start=12,setpts=N/(25*TB)"]),
        ("first.mkv", ["-vf", "select='gte(n,1)',setpts=N/(25*TB)"]),
    ])
    for name, expected in (("missing", [("a", 20, 5)]), ("hole", [("a", 20, 5)]), ("late", [("a", 0, 7)]),
                           ("short", [("a", 33, 7)]), ("fifth", [("a", n, 1) for n in range(3, N, 5)]),
                           ("twice", [("b", 12, 2)]), ("first", [("a", 0, 1)])):
        path = path_of(f"{name}.mkv")
        one, pictures = compare(master(), path, "--fail-on-difference", status=3)
        assert unpaired(pictures) == expected, (name, pictures["unpaired"])
        assert pictures["equal"] == pictures["pairs"] == min(pictures["frames"].values()), (name, pictures)
        assert "explanation" not in pictures, (name, pictures)
        if name not in ("missing", "fifth", "twice"):
            continue
        # The other way round frames are added.
        other = unpaired(compare(path, master())[1])
        assert [(side, first, n) for side, first, n in other] == [
            ("b" if side == "a" else "a", first, n) for side, first, n in expected], (name, other)
    line = first_line(master(), path_of("missing.mkv"))
    assert line.startswith("DIFFERENT: 5 frames missing at 0:00:00.800, from 0:00:01.000 on B comes 0.200 s earlier"), line
    line = first_line(master(), path_of("hole.mkv"))
    assert line == "DIFFERENT: 5 frames missing at 0:00:00.800", line
    line = first_line(master(), path_of("twice.mkv"))
    assert line.startswith("DIFFERENT: 2 frames repeated in B at 0:00:00.480"), line
    assert unpaired(compare(path_of("late.mkv"), master(), "--offset", "0.28")[1]) == []


def test_held():
    """Where frames are held, an alignment that may be wrong says so; and a lossless film has no coding loss."""
    held = path_of("held.mkv")
    ffmpeg("-i", master(), "-vf", "select='not(mod(n,8))',setpts=N*8/(25*TB),fps=25", "-pix_fmt", "yuv420p", *LOSSLESS, held)
    make_all([("held-late.mkv", ["-vf", "select='gte(n,3)',setpts=N/(25*TB)"]), ("held-back.mkv", ["-vf", "reverse"])], held)
    for name in "held-late.mkv", "held-back.mkv":
        line = first_line(held, path_of(name))
        assert "coding loss" not in line and ("frames differ" not in line or "a guess, because many frames are held" in line
                                              or "nothing explains it" in line), line


def without_rate(path, name):
    """A film whose frames state no duration: ffmpeg 7.1 writes such ones behind setpts, 5.1 does not. The element of Matroska
    becomes one that means nothing."""
    with open(path, "rb") as file:
        data = file.read()
    place = data.index(b"\x23\xe3\x83\x84") if b"\x23\xe3\x83\x84" in data else None
    if place is not None:
        data = data[:place] + b"\xec\x86" + bytes(6) + data[place + 8:]
    with open(path_of(name), "wb") as file:
        file.write(data)


def test_moment():
    """A frame that is held in place of others, one that is repeated and later made up for, and a hold that is coded."""
    make_all([
        ("hold.mkv", ["-vf", "loop=1:1:20,select='not(eq(n,21))',setpts=N/(25*TB)"]),
        ("hold-late.mkv", ["-vf", "loop=1:1:20,select='not(eq(n,30))',setpts=N/(25*TB)"]),
        ("hold-early.mkv", ["-vf", "select='not(eq(n,12))',loop=1:1:24,setpts=N/(25*TB)"]),
        ("hold-ahead.mkv", ["-vf", "select='not(eq(n,12))',loop=1:1:13,setpts=N/(25*TB)"]),
        ("hold-end.mkv", ["-vf", "select='lt(n,37)',loop=3:1:37,setpts=N/(25*TB)"]),
        ("hold-coded.mkv", ["-vf", "loop=3:1:20,select='not(between(n,23,25))',setpts=N/(25*TB)", "-c:v", "mpeg4", "-q:v", "2"]),
    ])
    without_rate(path_of("hold.mkv"), "hold-variable.mkv")
    for name, expected, text in (
            ("hold", [("b", 20, 1), ("a", 20, 1)], "B holds a frame for 1 more frame at 0:00:00.800"),
            ("hold-variable", [("b", 20, 1), ("a", 20, 1)], "B holds a frame for 1 more frame at 0:00:00.800"),
            ("hold-late", [("b", 20, 1), ("a", 29, 1)], "1 frame repeated in B at 0:00:00.800, 1 frame missing at 0:00:01.160, from "
             "0:00:00.800 on B comes 0.040 s later, from 0:00:01.200 on B comes at the same time"),
            ("hold-early", [("a", 12, 1), ("b", 24, 1)], "1 frame missing at 0:00:00.480, 1 frame repeated in B at 0:00:00.960, "),
            ("hold-ahead", [("a", 12, 1), ("b", 12, 1)], "B holds a frame for 1 more frame at 0:00:00.480"),
            ("hold-end", [("b", 37, 3), ("a", 37, 3)], "B holds a frame for 3 more frames at 0:00:01.480")):
        path = path_of(f"{name}.mkv")
        _, pictures = compare(master(), path)
        assert unpaired(pictures) == expected, (name, pictures["unpaired"])
        assert pictures["equal"] == pictures["pairs"] == N - expected[0][2], (name, pictures)
        line = first_line(master(), path)
        assert line.startswith(f"DIFFERENT: {text}"), (name, line)
        # The other way round it is the other film.
        _, pictures = compare(path, master())
        assert sorted(unpaired(pictures)) == sorted(("b" if side == "a" else "a", first, n) for side, first, n in expected), (name, pictures["unpaired"])
    line = first_line(master(), path_of("hold-coded.mkv"))
    assert line.startswith("DIFFERENT: B holds a frame for 3 more frames at 0:00:00.800, probably coding loss, 37 of 37 frames"), line


def test_changed():
    """A rectangle in one frame, in some and in all; frames that are replaced; frames that are coded."""
    make_all([
        ("box.mkv", ["-vf", "drawbox=100:60:8:8:red:t=fill:enable='eq(n,30)'"]),
        ("boxes.mkv", ["-vf", "drawbox=40:20:20:10:red:t=fill:enable='between(n,10,14)'"]),
        ("logo.mkv", ["-vf", "drawbox=8:8:16:8:white:t=fill"]),
        ("bright.mkv", ["-vf", "lutyuv=y=255-val:enable='between(n,10,19)'"]),
        ("coded.mkv", ["-c:v", "mpeg4", "-q:v", "6"]),
        ("blurred-hole.mkv", ["-vsync", "vfr", "-vf", "boxblur=2,select='not(between(n,20,24))'"]),
        ("coded-short.mkv", ["-vf", "select='not(between(n,20,24))',setpts=N/(25*TB)", "-c:v", "mpeg4", "-q:v", "6"]),
    ])
    for name, text in (("box", r"a rectangle of 8 x 8 at \(100, 60\), frame 30 only, 1 of 40 frames"),
                       ("boxes", r"a rectangle of 20 x 10 at \(40, 20\), frames 10 to 14, 5 of 40 frames differ, first at 0:00:00.400"),
                       ("logo", r"a rectangle of 16 x 8 at \(8, 8\), all frames"),
                       ("bright", r"10 of 40 frames differ, first at 0:00:00.400"),
                       ("coded", r"probably coding loss, 40 of 40 frames differ")):
        line = first_line(master(), path_of(f"{name}.mkv"))
        assert re.match(f"DIFFERENT: .*{text}", line) and "missing" not in line and "added" not in line, (name, line)
    _, pictures = compare(master(), path_of("box.mkv"))
    assert pictures["first"]["a"] == {"frame": 30, "time": 1200000000} and len(pictures["worst"]) == 1, pictures
    assert [pictures["first"][key] for key in ("x", "y", "width", "height")] == [100, 60, 8, 8], pictures["first"]
    for name in ("coded-short", "blurred-hole"):
        _, pictures = compare(master(), path_of(f"{name}.mkv"))
        assert unpaired(pictures) == [("a", 20, 5)], (name, pictures["unpaired"])
    assert pictures["explanation"]["change"] == "blurred", pictures["explanation"]


def moments(pictures):
    return [(moment["is"], moment.get("in"), moment["first"], moment["frames"]) for moment in pictures["moments"]]


def test_robust():
    """What most frames that differ have in common is told, and beside it the frames that are otherwise."""
    black = "drawbox=c=black:t=fill:enable="
    make_all([
        ("one-black.mkv", ["-vf", f"{black}'eq(n,20)'"]),
        ("offset-black.mkv", ["-vf", f"lutyuv=y=val+3,{black}'eq(n,20)'"]),
        ("black-offset.mkv", ["-vf", f"lutyuv=y=val+3,{black}'eq(n,0)'"]),
        ("mirror-blacks.mkv", ["-vf", f"hflip,{black}'between(n,10,13)'"]),
        ("one-white.mkv", ["-vf", "drawbox=c=white:t=fill:enable='eq(n,20)'"]),
        ("coded-black.mkv", ["-vf", f"{black}'eq(n,20)'", "-c:v", "mpeg4", "-q:v", "2"]),
        ("mostly.mkv", ["-vf", "lutyuv=y=val+3,lutyuv=y=255-val:enable='between(n,25,30)'"]),
        ("halves.mkv", ["-vf", "lutyuv=y=val+3:enable='lt(n,20)',lutyuv=y=255-val:enable='gte(n,20)'"]),
        ("stands.mkv", ["-vf", "select='lt(n,10)+gte(n,20)',loop=10:1:10,setpts=N/(25*TB),lutyuv=y=255-val:enable='gte(n,20)'"]),
        ("box-black.mkv", ["-vf", f"drawbox=40:20:20:10:red:t=fill:enable='between(n,10,14)',{black}'eq(n,30)'"]),
    ])
    offset = "the code values have an offset: Y [+]3: no difference after it"
    for name, change, expected, text in (
            ("one-black", None, [("black", "b", 20, 1)], "B is black at 0:00:00.800, 1 of 40 frames differ"),
            ("offset-black", "offset", [("black", "b", 20, 1)], f"{offset} in 39 of the frames, B is black at 0:00:00.800, 40 of 40"),
            ("black-offset", "offset", [("black", "b", 0, 1)], f"{offset} in 39 of the frames, B is black at 0:00:00.000, 40 of 40"),
            ("mirror-blacks", "mirrored", [("black", "b", 10, 4)],
             r"the picture is mirrored: no difference after it in 36 of the frames, B is black from 0:00:00.400 to 0:00:00.520 \(4 frames\)"),
            ("one-white", None, [("blank", "b", 20, 1)], "B has one level of luma at 0:00:00.800, 1 of 40 frames differ"),
            ("coded-black", None, [("black", "b", 20, 1)], "probably coding loss, B is black at 0:00:00.800, 40 of 40"),
            ("mostly", "offset", [("misfit", None, 25, 6)],
             rf"{offset} in 34 of the frames, 6 frames do not fit the explanation from 0:00:01.000 to 0:00:01.200 \(least \d+[.]\d dB after it\), 40 of 40"),
            ("halves", None, [], "nothing explains it, 40 of 40"),
            ("stands", "gain", [("still", "b", 10, 10)], r"the code values have a gain: Y x -1 [+]255: no difference after it in 20 of the frames, "
             r"B stands still from 0:00:00.400 to 0:00:00.760 \(10 frames\), 30 of 40 frames differ"),
            ("box-black", None, [("black", "b", 30, 1)],
             r"a rectangle of 20 x 10 at \(40, 20\), frames 10 to 14, B is black at 0:00:01.200, 6 of 40 frames differ")):
        path = path_of(f"{name}.mkv")
        _, pictures = compare(master(), path)
        line = first_line(master(), path)
        assert re.match(f"DIFFERENT: {text}", line), (name, line)
        assert moments(pictures) == expected and pictures.get("explanation", {}).get("change") == change, (name, pictures["moments"], pictures.get("explanation"))
        assert unpaired(pictures) == [] and pictures["pairs"] == N, (name, pictures["unpaired"])
        if change:
            explanation = pictures["explanation"]
            assert explanation["fit"] == N - pictures["equal"] - expected[0][3] and explanation["tried"] <= N, (name, explanation)
    assert moments(compare(path_of("one-black.mkv"), master())[1]) == [("black", "a", 20, 1)]
    # Where the other film stands still, the frame is black nevertheless.
    source = path_of("steps.mkv")
    ffmpeg("-i", master(), "-vf", "select='not(mod(n,4))',setpts=N*4/(25*TB),fps=25", "-pix_fmt", "yuv420p", *LOSSLESS, source)
    make_all([("steps-black.mkv", ["-vf", f"{black}'eq(n,14)'"])], source)
    assert moments(compare(source, path_of("steps-black.mkv"))[1]) == [("black", "b", 14, 1)]


def coded(crf):
    return ["-c:v", "libx264", "-preset", "veryfast", "-crf", str(crf)]


def test_far():
    """Behind an encode: what covers some frames, and a hold. The change that explains an encode has no limit that coding loss misses."""
    box = "drawbox=120:8:30:16:white:t=fill:enable='between(n,10,19)'"
    slow, quiet = path_of("slow.mkv"), path_of("quiet.mkv")
    still = ["-f", "lavfi", "-i", "testsrc2=size=160x96:rate=25:duration=0.04"]
    ffmpeg(*still, "-f", "lavfi", "-i", "color=white:size=16x16:rate=25", "-filter_complex",
           "[0]loop=-1:1:0,setpts=N/(25*TB)[a];[a][1]overlay=x=3.5*n:y=40,format=yuv420p", "-frames:v", "40", *LOSSLESS, slow)
    ffmpeg(*still, "-vf", "loop=-1:1:0,setpts=N/(25*TB),noise=alls=4:allf=t,format=yuv420p", "-frames:v", "40", *LOSSLESS, quiet)
    films = [("box-hq", box, 14), ("box-lq", box, 24), ("mirror-hq", "hflip", 14), ("mirror-lq", "hflip", 34), ("mirror-box", f"hflip,{box}", 24)]
    make_all([(f"far-{name}.mkv", ["-vf", how, *coded(crf)]) for name, how, crf in films])
    make_all([("far-hold.mkv", ["-vf", "loop=4:1:20,select='not(between(n,24,27))',setpts=N/(25*TB)", *coded(18)]),
              ("far-moving.mkv", ["-vf", box, *coded(24)])], slow)
    make_all([("far-quiet.mkv", ["-vf", box, *coded(24)])], quiet)
    far = r"10 frames {}from 0:00:00[.]400 to 0:00:00[.]760 \(least [12]\d[.]\d dB{}\), 40 of 40 frames differ"
    covered = "probably coding loss, " + far.format("differ far more, ", r", the others about [34]\d dB")
    for source, name, expected, text in (
            (master(), "box-hq", [("misfit", None, 10, 10)], covered),
            (master(), "box-lq", [("misfit", None, 10, 10)], covered),
            (slow, "moving", [("misfit", None, 10, 10)], covered),
            # The film stands still anyway.
            (quiet, "quiet", [("misfit", None, 10, 10)], covered),
            (slow, "hold", [("still", "b", 20, 4)], r"probably coding loss, B stands still from 0:00:00.800 to 0:00:00.920 \(4 frames\), 40 of 40"),
            (master(), "mirror-hq", [], r"the picture is mirrored: 4\d[.]\d dB after it, 40 of 40"),
            (master(), "mirror-lq", [], r"the picture is mirrored: [23]\d[.]\d dB after it, 40 of 40"),
            (master(), "mirror-box", [("misfit", None, 10, 10)],
             r"the picture is mirrored: [34]\d[.]\d dB after it in 30 of the frames, " + far.format("do not fit the explanation ", " after it"))):
        path = path_of(f"far-{name}.mkv")
        line = first_line(source, path)
        assert re.match(f"DIFFERENT: {text}", line), (name, line)
        _, pictures = compare(source, path)
        assert moments(pictures) == expected and unpaired(pictures) == [], (name, pictures["moments"], pictures["unpaired"])


def test_ordinary():
    """Cuts, noise, a flash and fades make PSNR go up and down in an encode: no frames differ far more. Black frames lose nothing."""
    source = path_of("ordinary.mkv")
    ffmpeg(*FILM, "-f", "lavfi", "-i", "color=gray:size=160x96:rate=25:duration=0.8", "-f", "lavfi", "-i",
           "mandelbrot=size=160x96:rate=25", "-filter_complex",
           "[0]fade=out:26:12[a];[1]noise=alls=60:allf=t[b];[2]trim=duration=1.2,setpts=PTS-STARTPTS,fade=in:5:10,"
           "drawbox=c=white:t=fill:enable='eq(n,20)'[c];[a][b][c]concat=n=3,format=yuv420p", *LOSSLESS, source)
    make_all([(f"ordinary-{crf}.mkv", coded(crf)) for crf in (14, 24, 32)], source)
    for crf in 14, 24, 32:
        line, (_, pictures) = first_line(source, path_of(f"ordinary-{crf}.mkv")), compare(source, path_of(f"ordinary-{crf}.mkv"))
        assert moments(pictures) == [] and "far more" not in line and pictures["pairs"] == 90, (crf, line)
        assert line.startswith(f"DIFFERENT: probably coding loss, {90 - pictures['equal']} of 90 frames differ") and pictures["equal"] > 0, (crf, line)


def test_still():
    """In still scenes any alignment fits: the running one is kept, and missing frames are found at the end of the scene."""
    source = path_of("still.mkv")
    ffmpeg("-f", "lavfi", "-i", "color=gray:size=160x96:rate=25:duration=0.8", *FILM, "-filter_complex", "[0][1]concat",
           "-pix_fmt", "yuv420p", *LOSSLESS, source)
    make_all([
        ("still-box.mkv", ["-vf", "drawbox=40:20:20:10:red:t=fill:enable='between(n,5,9)'"]),
        ("still-hole.mkv", ["-vsync", "vfr", "-vf", "select='not(between(n,5,7))'"]),
        ("still-short.mkv", ["-vf", "select='not(between(n,5,7))',setpts=N/(25*TB)"]),
    ], source)
    _, pictures = compare(source, path_of("still-box.mkv"))
    assert unpaired(pictures) == [] and pictures["pairs"] - pictures["equal"] == 5, pictures["unpaired"]
    # Unless the times tell it.
    _, pictures = compare(source, path_of("still-hole.mkv"))
    assert unpaired(pictures) == [("a", 5, 3)] and len(pictures["shifts"]) == 1, pictures["unpaired"]
    _, pictures = compare(source, path_of("still-short.mkv"))
    assert unpaired(pictures) == [("a", 17, 3)] and pictures["equal"] == pictures["pairs"] == 57, pictures["unpaired"]
    assert pictures["unpaired"][0]["repeated"] == 3, pictures["unpaired"]


def test_verdicts():
    """SAME, WITHIN TOLERANCE, EQUAL FIGURES and DIFFERENT, with their statuses; facts are no difference."""
    make_all([
        ("other.avi", ["-c", "copy"]), ("coded.avi", ["-c:v", "mpeg4", "-q:v", "6"]), ("small.mkv", ["-vf", "scale=80:48"]),
        ("deep.mkv", ["-pix_fmt", "yuv420p10le"]), ("chroma.mkv", ["-pix_fmt", "yuv444p"]), ("fast.mkv", ["-vf", "setpts=N/(50*TB)", "-r", "50"])])
    one, pictures = compare(master(), path_of("other.avi"), "--fail-on-difference")
    assert one["verdict"] == "SAME" and not one["different"] and pictures["equal"] == N, one
    assert first_line(master(), path_of("other.avi")) == "SAME"
    coded = path_of("coded.avi")
    assert compare(master(), coded, "--fail-on-difference", status=3)[0]["verdict"] == "DIFFERENT"
    one, pictures = compare(master(), coded, "--tolerance", "psnr=20,ssim=0.5,sample=20,mean=20,share=1", "--fail-on-difference")
    assert one["verdict"] == "WITHIN TOLERANCE", one
    least = min(worst["psnr"] for worst in pictures["worst"])
    for psnr, verdict, status in ((least - 0.01, "WITHIN TOLERANCE", 0), (least + 0.01, "DIFFERENT", 3)):
        one, _ = compare(master(), coded, "--tolerance", f"psnr={psnr},ssim=0.5,sample=20,mean=20,share=1",
                         "--fail-on-difference", status=status)
        assert one["verdict"] == verdict, (psnr, one["verdict"])
    assert compare(master(), path_of("other.avi"), "--tolerance", "default")[0]["verdict"] == "SAME"
    formats = {"deep": "10-bit 4:2:0 YUV (I420_10LE)", "chroma": "8-bit 4:4:4 YUV (Y444)"}
    for name, why in (("small", "A has 160 x 96 pixels, and B 80 x 48"), ("deep", "A has 8 bits, and B 10"),
                      ("chroma", "subsampling"), ("fast", "A has 25 frames/s, and B 50")):
        one, pictures = compare(master(), path_of(f"{name}.mkv"), "--fail-on-difference", status=3)
        assert pictures is None and why in one["pictures-not-compared"], (name, one["pictures-not-compared"])
        assert one["verdict"] == "DIFFERENT", (name, one["verdict"])
        line = first_line(master(), path_of(f"{name}.mkv"))
        assert line.startswith("DIFFERENT: pictures not compared: A has ") and why in line, (name, line)
        # For one who allows differences figures may be enough.
        allowed, _ = compare(master(), path_of(f"{name}.mkv"), "--tolerance", "default,sample=999,mean=999,share=1,number=1e9")
        assert name != "small" or allowed["verdict"] == "EQUAL FIGURES", (name, allowed["verdict"], allowed["streams"])
        facts = {fact["fact"]: (fact.get("a"), fact.get("b")) for fact in one["streams"][0]["facts"]}
        assert name not in formats or facts["format"] == ("8-bit 4:2:0 YUV (I420)", formats[name]), facts
    path = path_of("master.json")
    report("--json", "--output", path, master())
    one, _ = compare(path, path, "--fail-on-difference")
    assert one["verdict"] == "EQUAL FIGURES" and "a report in JSON" in one["pictures-not-compared"], one


def test_times():
    """A film whose picture comes later than its sound differs; less than half a frame is no difference."""
    tone = ["-f", "lavfi", "-i", "sine=duration=1.6:sample_rate=48000"]
    ffmpeg("-i", master(), *tone, "-map", "0", "-map", "1", "-c:v", "copy", "-c:a", "pcm_s16le", path_of("with-sound.mkv"))
    for name, offset in (("later", "0.2"), ("bit-later", "0.015")):
        ffmpeg("-itsoffset", offset, "-i", master(), *tone, "-map", "0", "-map", "1", "-c:v", "copy", "-c:a", "pcm_s16le",
               path_of(f"{name}.mkv"))
    _, line = compare(path_of("with-sound.mkv"), path_of("later.mkv")), first_line(path_of("with-sound.mkv"), path_of("later.mkv"))
    assert "video 0: B comes 0.200 s later" in line, line
    one, pictures = compare(path_of("with-sound.mkv"), path_of("bit-later.mkv"))
    assert one["streams"][0]["verdict"] == "SAME" and pictures["equal"] == N, one["streams"][0]


def test_figures():
    """PSNR and SSIM are those of ffmpeg's filters; other measures are asked for by their names."""
    coded = path_of("coded-figures.mkv")
    make_all([("coded-figures.mkv", ["-c:v", "mpeg4", "-q:v", "9"])])
    _, pictures = compare(master(), coded, "--compare-measures", "psnr")
    frames = {}
    for name in ("psnr", "ssim"):
        path = path_of(f"{name}.log")
        ffmpeg("-i", coded, "-i", master(), "-lavfi", f"{name}=stats_file={path}", "-f", "null", "-")
        with open(path, encoding="utf-8") as file:
            frames[name] = [dict(field.split(":") for field in line.split() if ":" in field) for line in file]
    # ffmpeg prints two digits.
    worst = pictures["worst"][0]
    own = frames["psnr"][worst["a"]["frame"]]
    assert abs(float(own["psnr_avg"]) - worst["psnr"]) < 0.006, (own, worst)
    assert min(float(frame["psnr_avg"]) for frame in frames["psnr"]) == float(own["psnr_avg"]), own
    mean = sum(float(frame["All"]) for frame in frames["ssim"]) / N
    assert abs(mean - pictures["ssim"]) < 1e-6, (mean, pictures["ssim"])
    for key, component in (("y", "Y"), ("u", "U"), ("v", "V")):
        least = min(float(frame[f"psnr_{key}"]) for frame in frames["psnr"])
        assert abs(least - pictures["components"][component]["least-psnr"]) < 0.006, (key, pictures["components"])
    assert all("xpsnr" not in component for component in pictures["components"].values()), pictures["components"]
    _, pictures = compare(master(), coded, "--compare-measures", "xpsnr")
    for name, component in pictures["components"].items():
        assert abs(component["xpsnr"] - component["psnr"]) < 10, (name, component)
    error = report("--compare", "--compare-measures", "vmaf", master(), coded, status=2)[1].decode()
    assert "--compare-measures" in error and "vmaf" in error, error


def test_rules():
    """Policies ask for figures of comparisons; JUnit and SARIF have the verdict; without a comparison the rules are skipped."""
    make_all([("checked.mkv", ["-vf", "lutyuv=y=val-1,select='not(between(n,20,24))',setpts=N/(25*TB)"])])
    paths = {name: path_of(f"checked.{name}") for name in ("policy", "xml", "sarif", "json")}
    with open(paths["policy"], "w", encoding="utf-8") as file:
        file.write("good: compare.psnr.Y >= 40\nbest: compare.psnr.Y > 60\nleast: compare.ssim.min > 0.9\nall: compare.missing = 0\n"
                   "chroma: compare.psnr.U > 1000\nwarn far: compare.max-difference < 1\nred: compare.psnr.R > 1\n"
                   "wide: fact.width = 160\n")
    output, _ = report("--compare", "--quiet", "--policy", paths["policy"], "--junit", paths["xml"], "--sarif", paths["sarif"],
                       master(), path_of("checked.mkv"), status=3)
    lines = output.decode().partition("policy checked: FAIL\n")[2].splitlines()
    found = [(words[0], words[1]) for words in (line.replace(":", "").split() for line in lines)]
    assert found == [("PASS", "compare.psnr.Y"), ("FAIL", "compare.psnr.Y"), ("PASS", "compare.ssim.min"),
                     ("FAIL", "compare.missing"), ("PASS", "compare.psnr.U"), ("WARN", "compare.max-difference"),
                     ("SKIPPED", "compare.psnr.R")], lines
    assert any("compare.missing = 0: is 5" in line for line in lines), lines
    suites = xml.etree.ElementTree.parse(paths["xml"]).getroot()
    suite = suites.findall("testsuite")[-1]
    failed = [case.get("name") for case in suite.findall("testcase") if case.find("failure") is not None]
    assert len(suites) == 3 and failed == ["checked: best in video 0", "checked: all in video 0", "compare: same in video 0"], failed
    with open(paths["sarif"], encoding="utf-8") as file:
        assert "5 frames missing" in file.read()
    # The verdict alone changes no status; a rule that holds neither.
    with open(paths["policy"], "w", encoding="utf-8") as file:
        file.write("good: compare.psnr >= 20\n")
    report("--compare", "--quiet", "--policy", paths["policy"], master(), path_of("checked.mkv"))
    report("--compare", "--quiet", "--policy", paths["policy"], "--fail-on-difference", master(), path_of("checked.mkv"), status=3)
    (summary,) = objects("--json-summary", "--policy", paths["policy"], master())
    assert summary["policies"][0]["verdict"] == "SKIPPED", summary["policies"]
    with open(paths["policy"], "w", encoding="utf-8") as file:
        file.write("x: compare.psnr.Q > 1\n")
    error = report("--compare", "--policy", paths["policy"], master(), master(), status=2)[1].decode()
    assert "compare.psnr.Q" in error and "compare.psnr.Y" in error, error


def page_data(path):
    """The text of a page, and what it has as JSON."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return text, json.loads(re.search(r'id="description">(.*?)</script>', text, re.S).group(1))


def test_page():
    """The page has the verdict, a point for each pair, and the worst frames as pictures, which ffmpeg reads; its size is bounded."""
    if not makes_pages():
        return
    page = path_of("page.html")
    make_all([("page.mkv", ["-vf", "drawbox=40:20:20:10:red:t=fill:enable='between(n,10,14)'"])])
    line = report("--compare", "--quiet", "--html", page, master(), path_of("page.mkv"))[0].decode().partition("\n")[0]
    text, data = page_data(page)
    (stream,) = data["streams"]
    assert html.escape(line, quote=False) in html.escape(html.unescape(text), quote=False) and stream["verdict"] == "DIFFERENT", text[:2000]
    assert stream["moments"] == [], stream["moments"]
    differing = [point["frame"] for point in stream["pairs"]["psnr"] if point["value"] != "inf"]
    assert differing == [10, 11, 12, 13, 14] and len(stream["pairs"]["ssim"]) == len(stream["pairs"]["psnr"]), stream["pairs"]
    assert len(text) < 2000000 and len(stream["worst"]) == 3 and all(worst["frame"] in differing for worst in stream["worst"]), len(text)
    still = path_of("still.jpg")
    with open(still, "wb") as file:
        file.write(base64.b64decode(stream["worst"][0]["difference"]))
    raw = path_of("still.raw")
    ffmpeg("-i", still, "-pix_fmt", "gray", "-f", "rawvideo", raw)
    with open(raw, "rb") as file:
        pixels = file.read()
    assert len(pixels) == 160 * 96, len(pixels)
    # JPEG spreads differences over its blocks.
    bright = [i for i, pixel in enumerate(pixels) if pixel > 40]
    assert len(bright) > 100 and all(40 <= i % 160 < 60 and 20 <= i // 160 < 30 for i in bright), bright[:5]
    report("--compare", "--quiet", "--html", page, master(), path_of("one-black.mkv"))
    (stream,) = page_data(page)[1]["streams"]
    assert [(moment["frame"], moment["text"]) for moment in stream["moments"]] == [(20, "B is black at 0:00:00.800")], stream["moments"]
    report("--compare", "--quiet", "--html", page, master(), master())
    text, data = page_data(page)
    assert ">SAME<" in text and data["streams"][0]["verdict"] == "SAME" and data["streams"][0]["worst"] == [], text[:2000]


sys.exit(run_tests([test_explained, test_marks, test_formats, test_begun_again, test_interrupted, test_aligned, test_moment, test_robust, test_far, test_ordinary, test_changed, test_still, test_held, test_verdicts, test_times,
                    test_figures, test_rules, test_page]))
