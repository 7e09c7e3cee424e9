#!/usr/bin/python3
"""The keys that `cudahisto-report --ffprobe` and `--qctools` write, compared with ffprobe's own.

    tests/report/ffmpeg-keys.py PROGRAM

Both programs measure the same film and the same sound. All keys and all printed digits of all
frames are compared. What differs by definition is named here, and in docs/report-formats.md.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import gzip
import json
import math
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

import common

try:
    import numpy
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

FFMPEG = "5.1"  # the definitions are those of this version
FILM = "/usr/share/doc/opencv-doc/examples/data/Megamind.avi"
RATE, LENGTH = 48000, 4800
SIGNALSTATS = "signalstats=stat=tout+vrep+brng"
# What cudahisto does not measure.
ABSENT = {"Noise_floor_count", "Bit_depth2", "LRA.low", "LRA.high"}
# The last digit that ffprobe prints may differ: sums of doubles depend on their order.
LAST_DIGIT = 1.1e-6


# ---- Clips ---------------------------------------------------------------------------------------

def make(name, *arguments):
    path = common.path_of(name)
    if not os.path.exists(path):
        source = ["-i", FILM] if os.access(FILM, os.R_OK) else [
            "-f", "lavfi", "-i", "testsrc2=size=320x240:duration=5,noise=alls=9:allf=t",
            "-f", "lavfi", "-i", "aevalsrc='.3*sin(9*t*t*99)|.2*sin(700*t)+.01*random(0)':d=5"]
        common.ffmpeg(*source, *arguments, path)
    return path


def film():
    # A quarter of the pixels: both programs and the decoders take in proportion to them.
    return make("film.mkv", "-an", "-vf", "scale=iw/2:ih/2", "-c:v", "ffv1", "-fps_mode", "passthrough")


def h264():
    """The decoder has more rows than the picture, and makes frames of others that it has passed on."""
    return make("h264.mkv", "-an", "-vf", "scale=400:200", "-c:v", "libx264", "-bf", "3",
                "-fps_mode", "passthrough")


def sound(codec="pcm_s16le"):
    return make(f"{codec}.wav", "-vn", "-c:a", codec, "-ar", str(RATE))


def samples_of(path, codec):
    """In the unit in which ffmpeg decodes them."""
    kinds = {"pcm_s16le": ("s16le", "<i2"), "pcm_s24le": ("s32le", "<i4"), "pcm_u8": ("s16le", "<i2"),
             "pcm_f32le": ("f32le", "<f4")}
    raw, dtype = kinds[codec]
    data = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", raw, "-"], check=True,
                          stdout=subprocess.PIPE, timeout=common.TIMEOUT).stdout
    return numpy.frombuffer(data, dtype).reshape(-1, 2).astype(float)


# ---- What the programs say ----------------------------------------------------------------------

def ffprobe(graph):
    """The tags of all frames of a graph of filters. Files are in the working directory."""
    done = subprocess.run(["ffprobe", "-v", "quiet", "-f", "lavfi", "-i", graph, "-show_frames",
                           "-of", "json"], check=True, stdout=subprocess.PIPE,
                          cwd=common.directory.name, timeout=common.TIMEOUT)
    return [frame.get("tags", {}) for frame in json.loads(done.stdout)["frames"]]


def report(*arguments):
    return common.report("--quiet", "--set=backend=cpu", *arguments)[0].decode()


def ours(path):
    """Frames in JSON."""
    return json.loads(report("--ffprobe-json", path))["frames"]


def qctools(path):
    """The root of the XML, and its text."""
    output = common.path_of("report.qctools.xml.gz")
    report("--qctools", output, path)
    with gzip.open(output) as file:
        text = file.read().decode()
    return xml.etree.ElementTree.fromstring(text), text


def tags_of(frame):
    return {tag.get("key"): tag.get("value") for tag in frame.findall("tag")}


# ---- Comparing ------------------------------------------------------------------------------------

def last_part(key):
    return re.sub(r"^lavfi\.(r128|astats)\.([0-9]+\.|Overall\.)?", "", key)


def compare_keys(found, expected):
    missing = {last_part(key) for key in expected.keys() - found.keys()}
    assert missing <= ABSENT, f"missing: {missing}"
    assert not found.keys() - expected.keys(), found.keys() - expected.keys()


def close(where, key, found, expected, tolerance):
    found, expected = float(found), float(expected)
    same = found == expected or math.isnan(found) and math.isnan(expected) \
        or abs(found - expected) <= tolerance + 1e-12 * abs(expected)
    assert same, f"{where} {key}: {found}, not {expected} ± {tolerance}"


def compare_equal(where, found, expected, prefix):
    for key in found:
        if key.startswith(prefix):
            assert found[key] == expected[key], f"{where} {key}: {found[key]}, not {expected[key]}"


def compare_loudness(where, found, expected, number, frames):
    """See tests/peers/loudness.py for what differs."""
    for key in [key for key in found if key.startswith("lavfi.r128.")]:
        name = last_part(key)
        if name in ("M", "S") and number >= 30 and float(expected[key]) < -100:
            # Silence: what is left of the filter's sums
            assert float(found[key]) < -100, f"{where} {key}: {found[key]}"
        elif name in ("M", "S") or name.startswith("sample_peak"):
            close(where, key, found[key], expected[key], .0011)
        elif name.startswith("true_peak"):
            close(where, key, found[key], expected[key], .012 * float(expected[key]) + .0011)
        elif name == "I" and number == frames - 1:
            close(where, key, found[key], expected[key], .11)
        elif name == "LRA" and number == frames - 1:
            # Blocks of 1 s in one program, of 100 ms in the other
            close(where, key, found[key], expected[key], 1)


def differences(samples, number, channels):
    """Minimum, maximum, mean and RMS of the differences of a frame, with the one from the frame
    before."""
    begin = max(number * LENGTH - 1, 0)
    steps = abs(numpy.diff(samples[begin:(number + 1) * LENGTH, channels], axis=0))
    return {"Min_difference": steps.min(), "Max_difference": steps.max(),
            "Mean_difference": steps.mean(), "RMS_difference": math.sqrt((steps ** 2).mean())}


def compare_astats(where, found, expected, number, samples, crest_scale, but=()):
    owners = {"1.": [0], "2.": [1], "Overall.": [0, 1]}
    for key in [key for key in found if key.startswith("lavfi.astats.")]:
        owner = re.match(r"lavfi\.astats\.([0-9]+\.|Overall\.)?", key).group(1)
        name = last_part(key)
        if name in but:
            continue
        if name.endswith("_difference"):
            own = differences(samples, number, owners[owner])[name]
            close(where, key, found[key], own, LAST_DIGIT + 1e-6 * own)
            if number == 0:
                close(where, key, found[key], expected[key], LAST_DIGIT)
        elif name == "Crest_factor":
            # astats does not divide the peak of integers by their full scale, but prints 1 for silence.
            scale = 1 if float(expected[key]) == 1 else crest_scale
            close(where, key, found[key], float(expected[key]) / scale, LAST_DIGIT)
        elif key.endswith("Overall.Bit_depth"):
            assert float(found[key]) <= float(expected[key]), f"{where} {key}: {found[key]}"
        else:
            close(where, key, found[key], expected[key], LAST_DIGIT)


# ---- The tests -------------------------------------------------------------------------------------

def compare_signalstats(path):
    """Every frame of the film: equal text."""
    expected, found = ffprobe(f"movie={os.path.basename(path)},{SIGNALSTATS}"), ours(path)
    assert len(found) == len(expected) > 100, (len(found), len(expected))
    for number, (frame, theirs) in enumerate(zip(found, expected)):
        assert frame["media_type"] == "video" and frame["pix_fmt"] == "yuv420p", frame
        assert list(frame["tags"]) == list(theirs), "the order of the keys differs"
        compare_equal(f"frame {number}", frame["tags"], theirs, "lavfi.")
    print(f"     {len(found)} frames, {len(theirs)} keys each")


def test_signalstats():
    compare_signalstats(film())


def test_h264():
    compare_signalstats(h264())


def compare_sound(codec, crest_scale, but=()):
    name = os.path.basename(sound(codec))
    levels = ffprobe(f"amovie={name},asetnsamples=n={LENGTH}:p=0,astats=metadata=1:reset=1")
    # The last frame is shorter, and has no loudness.
    loudness = ffprobe(f"amovie={name},ebur128=metadata=1:peak=true+sample")[:-1]
    found, samples = ours(sound(codec)), samples_of(sound(codec), codec)
    assert len(found) == len(levels) > 10, (len(found), len(levels))
    assert len(found) == len(loudness) + 1, (len(found), len(loudness))
    for number, (frame, level) in enumerate(zip(found, levels)):
        where, tags = f"{codec}, window {number}", frame["tags"]
        blocks = loudness[number] if number < len(loudness) else None
        if blocks is not None:
            compare_keys(tags, level | blocks)
            compare_loudness(where, tags, blocks, number, len(loudness))
        compare_astats(where, tags, level, number, samples, crest_scale, but)
    print(f"     {codec}: {len(found)} windows, {len(tags)} keys each")


def test_sound_of_integers():
    compare_sound("pcm_s16le", 32767)


def test_sound_of_floats():
    compare_sound("pcm_f32le", 1)


def test_shifted_sound():
    """ffmpeg makes 16 or 32 bits of other depths. The bins of the noise floor and of the entropy then
    have other edges: full scale is not the same."""
    compare_sound("pcm_s24le", 2 ** 31 - 1, but=("Noise_floor", "Entropy"))
    compare_sound("pcm_u8", 32767, but=("Noise_floor", "Entropy"))


def test_default_format():
    """The lines have what the JSON has."""
    frame, frames, form = None, [], {"tags": {}}
    for line in report("--ffprobe", film()).splitlines():
        if line in ("[FRAME]", "[FORMAT]"):
            frame = {"tags": {}}
        elif line == "[/FRAME]":
            frames.append(frame)
        elif line == "[/FORMAT]":
            form = frame
        else:
            key, value = line.split("=", 1)
            (frame["tags"] if key.startswith("TAG:") else frame)[key.removeprefix("TAG:")] = value
    as_text = [{key: value if key == "tags" else str(value) for key, value in of_json.items()}
               for of_json in ours(film())]
    assert frames == as_text, (frames[0], as_text[0])
    theirs = json.loads(subprocess.run(
        ["ffprobe", "-v", "error", "-show_format", "-of", "json", film()], check=True,
        capture_output=True).stdout)["format"]
    for key in ("filename", "nb_streams", "nb_programs"):
        assert form[key] == str(theirs[key]), (key, form, theirs)
    assert abs(float(form["duration"]) - float(theirs["duration"])) < 0.1, (form, theirs)


def test_qctools_video():
    """QCTools' graph for video, as far as cudahisto has the figures."""
    graph = f"{SIGNALSTATS},cropdetect=reset=1:round=1"
    expected = ffprobe(f"movie={os.path.basename(film())},{graph}")
    entropy = ffprobe(f"movie={os.path.basename(film())},entropy")
    root, text = qctools(film())
    found = root.findall("frames/frame")
    assert len(found) == len(expected) > 100, (len(found), len(expected))
    for number, (frame, theirs) in enumerate(zip(found, expected)):
        where, tags = f"frame {number}", tags_of(frame)
        assert float(frame.get("pkt_pts_time")) >= 0 and frame.get("width"), frame.attrib
        assert theirs.keys() <= tags.keys(), theirs.keys() - tags.keys()
        compare_equal(where, tags, tags | theirs, "lavfi.signalstats.")
        if number >= 2:  # the filter leaves out two frames
            compare_equal(where, tags, theirs, "lavfi.cropdetect.")
        for key in [key for key in tags if key.startswith("lavfi.entropy.")]:
            # The filter adds in single precision.
            close(where, key, tags[key], entropy[number][key], 5e-5)
    check_structure(root, text)


def test_cropdetect_of_little():
    """Where one row, one column or nothing is bright, the filter finds ends that are none."""
    path = common.path_of("little.mkv")
    for box in ("0:3:iw:1", "0:0:iw:1", "0:7:iw:1", "0:3:iw:2", "5:3:1:1", "5:0:1:ih", "15:0:1:ih", "0:0:0:0"):
        common.ffmpeg("-f", "lavfi", "-i", "color=black:s=16x8:r=25:d=0.2", "-vf", f"drawbox={box}:white:fill"
                      if box != "0:0:0:0" else "null", "-c:v", "ffv1", "-pix_fmt", "yuv420p", path)
        expected = ffprobe("movie=little.mkv,cropdetect=reset=1:round=1")[-1]
        tags = tags_of(qctools(path)[0].findall("frames/frame")[-1])
        assert any("cropdetect" in key for key in expected), expected
        for key in expected:
            assert tags[key] == expected[key], (box, key, tags[key], expected[key])


def check_structure(root, text):
    """What QCTools relies on: see Source/Core/FileInformation.cpp there."""
    assert text.startswith("<?xml") and "<ffprobe:ffprobe " in text
    assert text.index("</frames>") < text.index("<streams>") < text.index("<format ")
    assert text.rfind("</frame>") < text.index("</frames>")
    for frame in root.findall("frames/frame"):
        assert {"media_type", "stream_index", "pkt_pts_time"} <= frame.attrib.keys()
    stream = root.find("streams/stream")
    assert stream.get("codec_type") == "video" and stream.get("bits_per_raw_sample") == "8"
    assert root.find("format").get("filename").endswith("film.mkv")


def test_qctools_sound():
    """QCTools' graph for sound, on integer samples."""
    name = os.path.basename(sound())
    expected = ffprobe(f"amovie={name},ebur128=metadata=1,aformat=sample_fmts=flt|fltp:"
                       "channel_layouts=stereo,astats=metadata=1:reset=1:length=0.4")
    samples = samples_of(sound(), "pcm_s16le") / 32768
    found = qctools(sound())[0].findall("frames/frame")
    assert len(found) - len(expected) in (0, 1), (len(found), len(expected))
    left_out = ABSENT | {"Noise_floor", "Entropy", "Bit_depth"}
    for number, (frame, theirs) in enumerate(zip(found, expected)):
        where, tags = f"window {number}", tags_of(frame)
        missing = {last_part(key) for key in theirs.keys() - tags.keys()}
        assert missing <= left_out, missing
        levels = {key: value for key, value in tags.items() if key in theirs}
        compare_astats(where, levels, theirs, number, samples, 1)
        compare_loudness(where, levels, theirs, number, len(expected))
    print(f"     {len(expected)} windows, {len(levels)} keys each")


def test_names():
    """Names of files that XML and JSON cannot have as they are."""
    path = common.path_of("a <b> & \"c\" \x01 \n.wav")
    os.link(sound(), path)
    root, _ = qctools(path)
    assert root.find("format").get("filename").endswith('a <b> & "c" ? ?.wav')
    assert ours(path)


def test_failing_writes():
    """One line, a status, no file that is not complete."""
    for option in ("--qctools=/dev/full", "--qctools=/nonexistent/a.xml.gz"):
        common.one_line(common.report("--quiet", option, sound(), status=1)[1])
    for option in ("--ffprobe", "--ffprobe-json"):
        output = "--output=/dev/full"
        common.one_line(common.report("--quiet", option, output, sound(), status=1)[1])


def main():
    version = subprocess.run(["ffprobe", "-version"], capture_output=True, encoding="utf-8").stdout
    if not re.match(rf"ffprobe version n?{re.escape(FFMPEG)}\b", version):
        print(f"skipped: the definitions are those of ffmpeg {FFMPEG}, not of", version[:20])
        return 77
    return common.run_tests([test_signalstats, test_h264, test_sound_of_integers, test_sound_of_floats,
                             test_shifted_sound, test_default_format, test_cropdetect_of_little, test_qctools_video,
                             test_qctools_sound, test_names, test_failing_writes])


if __name__ == "__main__":
    sys.exit(main())
