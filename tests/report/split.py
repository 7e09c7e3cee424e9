#!/usr/bin/python3
"""A film that several decoders share has the report of one that one decoder has, byte for byte.

    split.py PROGRAM [--long]

All outputs of --split 2 and 3 are those of --split 1; the only other thing is how long the run took. Films that can be cut
are cut; of the others the error output says why they are not. --long takes all pairs of container and codec, and --split 8.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import time

from common import PROGRAM, directory, ffmpeg, gstreamer_version, path_of, report, run_tests

IS_LONG = sys.argv[2:3] == ["--long"]
SHARES = (2, 3, 8) if IS_LONG else (2, 3)
LENGTH = 6.6
PICTURE = ("-f", "lavfi", "-i", f"testsrc2=size=64x48:rate=10:duration={LENGTH}")
TONE = ("-f", "lavfi", "-i", f"sine=frequency=440:duration={LENGTH}")
# avdec_h265 of GStreamer 1.26.2, with FFmpeg 7.1, loses the picture at which decoding begins, if others refer to those before.
OPEN_HEVC = "a decoder has found a fault" if gstreamer_version() >= (1, 26) else None
X264 = "-c:v libx264 -preset veryfast -pix_fmt yuv420p -g 10"
# The encoder and its options, and why films of it are not cut; None: they are.
CODECS = {
    "h264": (f"{X264} -bf 3", None),
    "h264-plain": (f"{X264} -bf 0", None),
    "h264-10": ("-c:v libx264 -preset veryfast -pix_fmt yuv422p10le -g 10 -bf 2", None),
    "h264-interlaced": (f"{X264} -bf 2 -flags +ildct+ilme -x264opts tff=1", None),
    "h264-open": (f"{X264} -bf 2 -x264opts open-gop=1:scenecut=0", "no key frame"),
    "hevc": ("-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=10:min-keyint=10:open-gop=0", None),
    "hevc-open": ("-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=10:min-keyint=10:bframes=3:b-adapt=0:scenecut=0", OPEN_HEVC),
    "mpeg2": ("-c:v mpeg2video -bf 2 -g 10 -r 25", None),
    "mpeg2-interlaced": ("-c:v mpeg2video -bf 2 -g 10 -r 25 -flags +ildct+ilme -top 1", None),
    "prores": ("-c:v prores_ks", None),
    "ffv1": ("-c:v ffv1 -strict -2 -pix_fmt yuv420p -g 1", None),
    "ffv1-gop": ("-c:v ffv1 -strict -2 -pix_fmt yuv422p10le -g 5", None),
}
CONTAINERS = ("mp4", "mov", "mkv", "mxf", "ts")
# ffmpeg writes no such files.
LEFT_OUT = {("mp4", "prores"), ("ts", "prores"), ("mxf", "prores"), ("mxf", "ffv1"), ("mxf", "ffv1-gop"), ("mxf", "hevc"), ("mxf", "hevc-open"),
            ("mp4", "ffv1"), ("mp4", "ffv1-gop"), ("ts", "ffv1"), ("ts", "ffv1-gop")}
# Why others are not cut.
EXCUSED = {**{("mxf", codec): "libav reads" for codec in ("h264", "h264-10", "h264-interlaced", "h264-open")},
           # matroskademux gives none.
           ("mkv", "prores"): "a picture has no time"}
SHORT = (("mp4", "h264"), ("ts", "hevc-open"), ("mov", "prores"), ("mkv", "ffv1-gop"), ("mxf", "mpeg2"))
MEASURES = "--measures=signal+motion+color+hdr+detail+area+gamut+gamut-filter+flash+field+level+loudness"


def without_time(output):
    """How long the run took is no part of what was measured."""
    return re.sub(rb'"seconds":[0-9.e-]+|measured in [0-9.:]+ s', b"", output)


def outputs_of(path, share, formats, *options):
    """Returns what is written of a film, and the error output."""
    files = {name: path_of(f"{os.path.basename(path)}-{share}.{name}") for name in ("html", "qctools")}
    found, errors = {}, b""
    for name in formats:
        arguments = [f"--{name}"] if name != "text" else []
        arguments += ["--thumbnails=none", *(f"--{kind}={to}" for kind, to in files.items())] if name == "json" else []
        found[name], told = report("--quiet", f"--split={share}", *arguments, *options, "--", path, status=None)
        errors += told
    for name, to in files.items():
        with open(to, "rb") as file:
            found[name] = file.read()
        os.remove(to)
    return {name: without_time(output) for name, output in found.items()}, errors


def check(path, reason, *options, shares=SHARES, formats=("json",)):
    """@reason: None: the film is cut; "": it may be or not; else why it is not"""
    expected, told = outputs_of(path, 1, formats, *options)
    assert b"not split" not in told and len(expected) == len(formats) + 2 and all(expected.values()), told
    for share in shares:
        found, errors = outputs_of(path, share, formats, *options)
        for name, output in expected.items():
            assert found[name] == output, (path, share, name, errors)
        if reason is None:
            assert b"not split" not in errors, (path, share, errors)
        else:
            assert reason.encode() in errors, (path, share, errors)


def made(container, codec):
    path = path_of(f"{codec}.{container}")
    source = [word.replace("rate=10", "rate=25") for word in PICTURE] if codec.startswith("mpeg2") or container == "mxf" else PICTURE
    sound = ("-c:a", "pcm_s16le", "-ar", "48000") if container in ("mov", "mkv", "mxf") else ("-c:a", "mp2" if container == "ts" else "aac")
    ffmpeg(*source, *TONE, *CODECS[codec][0].split(), *sound, path)
    return path


def all_pairs():
    return [(container, codec) for container in CONTAINERS for codec in CODECS if (container, codec) not in LEFT_OUT]


def check_pair(pair):
    check(made(*pair), EXCUSED.get(pair, CODECS[pair[1]][1]), formats=("text", "csv", "json"))


def test_outputs_are_those_of_one_decoder():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        futures = {pair: pool.submit(check_pair, pair) for pair in (all_pairs() if IS_LONG else SHORT)}
    wrong = {pair: str(future.exception())[:500] for pair, future in futures.items() if future.exception() is not None}
    print(len(futures) - len(wrong), "of", len(futures), "pairs")
    assert not wrong, "\n".join(f"{pair}: {text}" for pair, text in wrong.items())


def test_one_key_frame():
    path = path_of("one.mp4")
    ffmpeg(*PICTURE, *f"{X264} -g 1000 -keyint_min 1000 -sc_threshold 0".split(), path)
    check(path, "no key frame", shares=(2,))


def test_open_groups():
    check(made("mkv", "h264-open"), "no key frame", shares=(2,))


def test_variable_rate():
    """A third of the frames is missing, and some stand longer than a segment."""
    path = path_of("variable.mkv")
    ffmpeg(*PICTURE, "-vf", "select='not(eq(mod(n,3),1))*not(between(t,2.4,4.9))'", "-vsync", "vfr", *X264.split(), "-bf", "2", path)
    check(path, None, shares=(2, 3))


def test_other_parameters():
    """Parameter sets change in the stream, without and with the size of the pictures."""
    parts = []
    for i, options in enumerate(("-preset ultrafast", "-s 96x64")):
        parts.append(path_of(f"part{i}.ts"))
        ffmpeg(*PICTURE, *X264.split(), *options.split(), parts[-1])
    for i, name in enumerate(("same-size", "other-size")):
        path = path_of(f"{name}.ts")
        with open(path, "wb") as file:
            for part in (made("ts", "h264"), parts[i]):
                with open(part, "rb") as source:
                    file.write(source.read())
        check(path, "", shares=(3,))


def damaged(name, container, where, n):
    """A film in which n bytes are others, at this share of the file."""
    path = path_of(f"{name}.{container}")
    ffmpeg(*PICTURE, *X264.split(), "-bf", "2", path)
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        begin = int(len(data) * where)
        for i in range(begin, begin + n):
            data[i] = (data[i] * 7 + 13) & 0xff
        file.seek(0)
        file.write(data)
    return path


def test_damage():
    """Wherever it is: at a seam, or not. What one decoder makes of it, the report has."""
    places = [i / 20 for i in range(2, 20)] if IS_LONG else [.36, .62]
    for i, place in enumerate(places):
        check(damaged(f"damaged{i}", "ts" if i % 2 else "mkv", place, 300 if i % 3 else 20), "", shares=(3,))


def test_all_groups_and_regions():
    check(made("mkv", "h264"), None, MEASURES, "--regions=logo=4,4,20,20", "--alerts=black+freeze+scene+range+silence+clipping+loudness", shares=(3,))


def test_jobs():
    """--jobs gives each of its processes so many decoders."""
    paths = [made("mkv", "h264"), made("mp4", "h264")]
    whole, _ = report("--quiet", "--json", "--jobs=2", *paths)
    split, errors = report("--quiet", "--json", "--jobs=2", "--split=2", *paths)
    assert without_time(whole) == without_time(split) and not errors, errors


def test_others():
    """What needs pictures, or each frame in one place, is not cut, and says so."""
    path = made("mkv", "h264")
    for option, reason in (("--set=every=2", b"every"), ("--set=roi-meta=true", b"roi-meta"),
                           (f"--html={path_of('page.html')}", b"--thumbnails=none")):
        output, errors = report("--quiet", "--json", "--split=2", option, path)
        assert reason in errors, errors
        assert without_time(output) == without_time(report("--quiet", "--json", option, path)[0])
    with open(path, "rb") as file:
        output, errors = report("--quiet", "--json", "--split=2", "fd://0", stdin=file)
    assert b"is no file" in errors and b'"complete":true' in output.splitlines()[-1], errors
    for option in ("--compare", "--merge", "--images", "--sequence=25"):
        _, errors = report("--split=2", option, path, path, status=2)
        assert b"--split" in errors, errors
    for number in ("-1", "65"):
        report("--split", number, path, status=2)


def has_written(process, path):
    """Whether a process has begun the report, which it keeps in a temporary file."""
    folder = f"/proc/{process.pid}/fd"
    for number in os.listdir(folder):
        try:
            name, size = os.readlink(f"{folder}/{number}"), os.stat(f"{folder}/{number}").st_size
        except FileNotFoundError:
            continue
        if size > 0 and "cudahisto" in os.path.basename(name) and name != path:
            return True
    return False


def test_interrupt():
    """After a signal there is a report of what was measured until then."""
    path = path_of("long.mkv")
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=120", *X264.split(), "-preset", "ultrafast", "-g", "50", path)
    process = subprocess.Popen([PROGRAM, "--split=2", "--json", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               stdin=subprocess.DEVNULL, cwd=directory.name)
    while not has_written(process, path):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    lines = [json.loads(line) for line in output.splitlines()]
    assert process.returncode == 130 and lines[-1]["problem"] == "interrupted", process.returncode
    assert 0 < lines[-1]["streams"][0]["results"] == len(lines) - 1 < 3000


sys.exit(run_tests([
    test_outputs_are_those_of_one_decoder, test_one_key_frame, test_open_groups, test_variable_rate, test_other_parameters, test_damage,
    test_all_groups_and_regions, test_jobs, test_others, test_interrupt]))
