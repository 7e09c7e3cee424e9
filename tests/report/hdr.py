#!/usr/bin/python3
"""HDR: what a stream says of its light beside what was measured, and the dynamic metadata that is made from it.

The clips are of known light. The two files of metadata are read by the rules of hdr10plus_tool and of dovi_tool, which
are written here anew.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import math
import os
import struct
import subprocess
import sys

from common import PROGRAM, TIMEOUT, has_page, objects, one_line, page_of, path_of, picture, report, run_tests

SIDE = 64
PIXELS = SIDE * SIDE
PQ = "smpte2084"


# ---- Light -------------------------------------------------------------------------------------

M1, M2, C1, C2, C3 = 2610 / 16384, 2523 / 32, 3424 / 4096, 2413 / 128, 2392 / 128


def pq(light):
    """SMPTE ST 2084: the signal of a light in cd/m2."""
    root = (light / 10000) ** M1
    return ((C1 + C2 * root) / (1 + C3 * root)) ** M2


def light_of(signal):
    root = signal ** (1 / M2)
    return 10000 * (max(root - C1, 0) / (C2 - C3 * root)) ** (1 / M1)


def nearest(number):
    return math.floor(number + 0.5)


def steps(light):
    """A light of a grey clip in 0.1 cd/m2."""
    return nearest(10 * light_of(nearest(65535 * pq(light)) / 65535))


def limited_light(code):
    """The light of a grey of limited range in 10 bits, rounded to a code of full range as it is measured."""
    return light_of(nearest((code - 64) / 876 * 1023) / 1023)


def raw_clip(name, form, data, options):
    path = path_of(name)
    command = ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", form, "-s", f"{SIDE}x{SIDE}", "-r", "25",
               "-i", "-", *options, path]
    done = subprocess.run(command, input=data, capture_output=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return path


def tags(transfer, span):
    """Where the encoder takes the colorimetry from depends on the version of ffmpeg."""
    return ["-vf", f"setparams=color_trc={transfer}:color_primaries=bt2020:colorspace=bt2020nc:range={span}",
            "-color_trc", transfer, "-color_primaries", "bt2020", "-colorspace", "bt2020nc", "-color_range", span]


def gray_clip(name, frames, transfer=PQ):
    """Grey of 16 bits: a frame is a list of a share of the pixels and their light; lossless."""
    data = b"".join(struct.pack("<H", nearest(65535 * pq(light))) * int(share * PIXELS)
                    for frame in frames for share, light in frame)
    return raw_clip(name, "gray16le", data, [*tags(transfer, "pc"), "-c:v", "ffv1"])


def hevc_clip(name, codes, metadata="", transfer=PQ):
    """10 frames of grey in 10 bits: the upper and the lower half have a code each; lossless. The metadata is x265's."""
    luma = b"".join(struct.pack("<H", code) * (PIXELS // 2) for code in codes)
    frame = luma + struct.pack("<H", 512) * (PIXELS // 2)
    return raw_clip(name, "yuv420p10le", frame * 10, [
        *tags(transfer, "tv"), "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
        f"log-level=none:lossless=1:colorprim=bt2020:transfer={transfer}:colormatrix=bt2020nc:range=limited{metadata}"])


DISPLAY = ":master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)"


# ---- Containers --------------------------------------------------------------------------------

def embed_in_matroska(data, path, more):
    """Appends elements to the first element that is in others of these IDs."""
    at = 0
    while True:
        length = 9 - data[at].bit_length()
        name, at = data[at:at + length], at + length
        length = 9 - data[at].bit_length()
        size, start = int.from_bytes(data[at:at + length], "big") ^ 1 << 7 * length, at + length
        is_unknown = size == (1 << 7 * length) - 1
        end = len(data) if is_unknown else start + size
        if name == path[0]:
            content = embed_in_matroska(data[start:end], path[1:], more) if path[1:] else data[start:end] + more
            head = data[at:start] if is_unknown else (len(content) | 1 << 56).to_bytes(8, "big")
            return data[:at] + head + content + data[end:]
        at = end


def embed_in_mp4(data, path, more):
    """The same for boxes."""
    at = 0
    while True:
        size, name = struct.unpack_from(">I4s", data, at)
        start, end = at + 8 + {b"stsd": 8, b"hev1": 78}.get(name, 0), at + size
        if name == path[0]:
            content = embed_in_mp4(data[start:end], path[1:], more) if path[1:] else data[start:end] + more
            return data[:at] + struct.pack(">I4s", start + len(content) - at, name) + data[at + 8:start] + content + \
                data[end:]
        at = end


COLOUR = [b"\x18\x53\x80\x67", b"\x16\x54\xae\x6b", b"\xae", b"\xe0", b"\x55\xb0"]
# MaxCLL, MaxFALL, and of MasteringMetadata LuminanceMax and LuminanceMin.
MASTERING = b"\x55\xd9\x88" + struct.pack(">d", 1000) + b"\x55\xda\x88" + struct.pack(">d", 0.0001)
LIGHT_OF_MATROSKA = b"\x55\xbc\x82" + struct.pack(">H", 700) + b"\x55\xbd\x82" + struct.pack(">H", 60) + \
    b"\x55\xd0\x96" + MASTERING
SAMPLES = [b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd", b"hev1"]
LIGHT_OF_MP4 = struct.pack(">I4sHH", 12, b"clli", 700, 60)


def with_light(path):
    """A copy whose container says MaxCLL 700 and MaxFALL 60."""
    if path.endswith(".mp4"):
        with open(path, "rb") as file:
            data = embed_in_mp4(file.read(), SAMPLES, LIGHT_OF_MP4)
    else:
        # A stream has no positions of its elements, which would be wrong behind the new ones.
        done = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-c", "copy", "-f", "matroska", "-"],
                              capture_output=True, timeout=TIMEOUT, check=True)
        data = embed_in_matroska(done.stdout, COLOUR, LIGHT_OF_MATROSKA)
    root, ending = os.path.splitext(path)
    with open(root + "-light" + ending, "wb") as file:
        file.write(data)
    return root + "-light" + ending


# ---- Readers -----------------------------------------------------------------------------------

def exactly(value, *keys):
    assert isinstance(value, dict) and set(value) == set(keys), value


def is_int(value, least, most):
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def read_hdr10plus(path):
    """A file by the rules of hdr10plus_tool: its reader, its validation for version 1, and its scenes."""
    with open(path, encoding="utf-8") as file:
        root = json.load(file)
    exactly(root, "JSONInfo", "SceneInfo", "SceneInfoSummary", "ToolInfo")
    assert root["JSONInfo"] == {"HDR10plusProfile": "A", "Version": "1.0"}, root["JSONInfo"]
    exactly(root["ToolInfo"], "Tool", "Version")
    frames, scene, first = root["SceneInfo"], -1, []
    for number, frame in enumerate(frames):
        # Profile A has no BezierCurveData, and no display that it is for.
        exactly(frame, "LuminanceParameters", "NumberOfWindows", "TargetedSystemDisplayMaximumLuminance",
                "SceneFrameIndex", "SceneId", "SequenceFrameIndex")
        light = frame["LuminanceParameters"]
        exactly(light, "AverageRGB", "LuminanceDistributions", "MaxScl")
        exactly(light["LuminanceDistributions"], "DistributionIndex", "DistributionValues")
        assert light["LuminanceDistributions"]["DistributionIndex"] == [1, 5, 10, 25, 50, 75, 90, 95, 99], light
        values = light["LuminanceDistributions"]["DistributionValues"]
        assert len(values) == 9 and len(light["MaxScl"]) == 3, light
        assert all(is_int(value, 0, 100000) for value in [*values, *light["MaxScl"], light["AverageRGB"]]), light
        assert is_int(values[2], 0, 100), values
        assert frame["NumberOfWindows"] == 1 and frame["TargetedSystemDisplayMaximumLuminance"] == 0, frame
        assert frame["SequenceFrameIndex"] == number, frame
        if frame["SceneFrameIndex"] == 0:
            scene += 1
            first.append(number)
        assert frame["SceneId"] == scene and frame["SceneFrameIndex"] == number - first[-1], frame
        # All frames of a scene are equal, or the tool begins another one.
        assert light == frames[first[-1]]["LuminanceParameters"], frame
    exactly(root["SceneInfoSummary"], "SceneFirstFrameIndex", "SceneFrameNumbers")
    assert root["SceneInfoSummary"]["SceneFirstFrameIndex"] == first, root["SceneInfoSummary"]
    lengths = [end - start for start, end in zip(first, [*first[1:], len(frames)])]
    assert root["SceneInfoSummary"]["SceneFrameNumbers"] == lengths, root["SceneInfoSummary"]
    return [(frames[start]["LuminanceParameters"], length) for start, length in zip(first, lengths)]


def read_dovi(path):
    """A configuration by the rules of `dovi_tool generate`."""
    with open(path, encoding="utf-8") as file:
        root = json.load(file)
    exactly(root, "cm_version", "profile", "length", "level5", "level6", "shots")
    assert root["cm_version"] == "V40" and root["profile"] == "8.1", root
    exactly(root["level5"], *(f"active_area_{side}_offset" for side in ("left", "right", "top", "bottom")))
    assert all(is_int(value, 0, 8191) for value in root["level5"].values()), root["level5"]
    exactly(root["level6"], "max_display_mastering_luminance", "min_display_mastering_luminance",
            "max_content_light_level", "max_frame_average_light_level")
    assert all(is_int(value, 0, 10000) for value in root["level6"].values()), root["level6"]
    start = 0
    for shot in root["shots"]:
        exactly(shot, "start", "duration", "metadata_blocks")
        assert shot["start"] == start and is_int(shot["duration"], 1, root["length"]), shot
        start += shot["duration"]
        assert len(shot["metadata_blocks"]) == 1, shot
        exactly(shot["metadata_blocks"][0], "Level1")
        level = shot["metadata_blocks"][0]["Level1"]
        exactly(level, "min_pq", "max_pq", "avg_pq")
        assert all(is_int(value, 0, 4095) for value in level.values()), level
    assert root["length"] == start, root
    return root


def exported(path, *options):
    """The scenes of HDR10+, the configuration for Dolby Vision, and the stream in the summary."""
    output, _ = report("--json-summary", "--hdr10plus", path_of("plus.json"), "--dovi-l1", path_of("dovi.json"),
                       *options, path)
    return (read_hdr10plus(path_of("plus.json")), read_dovi(path_of("dovi.json")),
            json.loads(output)["streams"][0])


def cuts_of(stream):
    return [alert["start"] for alert in stream["alerts"] if alert["type"] == "scene"]


# ---- Exports -----------------------------------------------------------------------------------

VECTOR = [(0.75, 10), (0.25, 1000)]


def test_vector():
    """One frame of known light."""
    scenes, dovi, _ = exported(gray_clip("vector.mkv", [VECTOR]))
    assert scenes == [({"AverageRGB": 2575, "MaxScl": [10000] * 3, "LuminanceDistributions": {
        "DistributionIndex": [1, 5, 10, 25, 50, 75, 90, 95, 99],
        "DistributionValues": [100, 10000, 75, 100, 100, 100, 10000, 10000, 10000]}}, 1)], scenes
    assert dovi["shots"][0]["metadata_blocks"][0]["Level1"] == {
        "min_pq": nearest(4095 * pq(10)), "max_pq": 3079, "avg_pq": nearest(4095 * pq(257.5))}, dovi
    # What the stream does not say is 0.
    assert dovi["level6"] == {"max_display_mastering_luminance": 0, "min_display_mastering_luminance": 0,
                              "max_content_light_level": 1000, "max_frame_average_light_level": 258}, dovi


def test_codes_of_pq():
    """100, 1000, 4000 and 10000 cd/m2; and what is next to the largest light is not the 99.98 % of the pixels."""
    for light, code in ((100, 2081), (1000, 3079), (4000, 3696), (10000, 4095)):
        _, dovi, _ = exported(gray_clip("codes.mkv", [[(1, light)]]))
        level = dovi["shots"][0]["metadata_blocks"][0]["Level1"]
        assert level == {"min_pq": code, "max_pq": code, "avg_pq": code}, level
    # 1 pixel of 4096 is 0.024 %: it is above 99.98 % of them (which may leave out 0) and above 99.99 %.
    rest = 1 / PIXELS
    scenes, _, _ = exported(gray_clip("pixel.mkv", [[(1 - rest, 50), (rest, 4000)]]))
    values = scenes[0][0]["LuminanceDistributions"]["DistributionValues"]
    assert values == [500, 40000, 100, 500, 500, 500, 500, 500, 40000], values


def test_scenes():
    """A scene has the mean light of its frames, their greatest R, G, B, and the percentiles of one frame."""
    other = [(1 / 64, 5), (46 / 64, 10), (16 / 64, 1000), (1 / 64, 2000)]
    frames = [VECTOR] * 4 + [other] * 5 + [VECTOR] + [[(0.5, 400), (0.5, 0.1)]] * 10
    scenes, dovi, stream = exported(gray_clip("scenes.mkv", frames))
    cuts = cuts_of(stream)
    assert cuts == [400000000] and [length for _, length in scenes] == [10, 10], (cuts, scenes)
    first, second = (light for light, _ in scenes)
    mean = (257.5 + sum(share * light for share, light in other)) / 2
    assert abs(first["AverageRGB"] - 10 * mean) <= 1 and first["MaxScl"] == [steps(2000)] * 3, first
    # (5 · 75 + 5 · 73.4) / 10 = 74.2 % are not above 100 cd/m2; the percentiles are those of the brighter frames.
    assert first["LuminanceDistributions"]["DistributionValues"] == [
        steps(5), steps(2000), 74, 100, 100, 10000, 10000, 10000, steps(2000)], first
    assert second["LuminanceDistributions"]["DistributionValues"] == [
        1, steps(400), 50, 1, 1, steps(400), steps(400), steps(400), steps(400)], second
    levels = [shot["metadata_blocks"][0]["Level1"] for shot in dovi["shots"]]
    assert levels == [{"min_pq": nearest(4095 * pq(least)), "max_pq": nearest(4095 * pq(most)),
                       "avg_pq": nearest(4095 * pq(middle))}
                      for least, most, middle in ((5, 2000, mean), (0.1, 400, 200.05))], levels


def test_flashes_begin_no_scene():
    """The scenes are those that the report lists: most edges of flashes are none of them."""
    frames = ([[(1, 1)]] * 3 + [[(1, 500)]] * 3) * 4 + [[(0.5, 1), (0.5, 100)]] * 3
    scenes, dovi, stream = exported(gray_clip("flashes.mkv", frames))
    cuts = cuts_of(stream)
    assert stream.get("scenes-in-flashes", 0) > 0, cuts
    first = [0, *(cut // 40000000 for cut in cuts)]
    assert [shot["start"] for shot in dovi["shots"]] == first and len(scenes) == len(first), (dovi, cuts)


def test_stream_that_changes():
    """Frames of two sizes, or with pixels of two shapes, cannot be compared: they are of two scenes, and the report says so."""
    parts = []
    for name, change in (("small", "scale=64:64"), ("large", "scale=96:96:flags=neighbor"), ("wide", "setsar=2")):
        path = gray_clip(f"{name}.mkv", [VECTOR] * 3)
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", path, "-vf", f"{change},{tags(PQ, 'tv')[1]}",
                        "-pix_fmt", "yuv420p10le", "-c:v", "libx265",
                        "-preset", "ultrafast", "-x265-params", "log-level=none:lossless=1:repeat-headers=1:"
                        f"colorprim=bt2020:transfer={PQ}", path + ".hevc"], check=True, timeout=TIMEOUT)
        with open(path + ".hevc", "rb") as file:
            parts.append(file.read())
    for part in parts[1:]:
        with open(path_of("changes.hevc"), "wb") as file:
            file.write(parts[0] + part)
        output, _ = report("--full", "--dovi-l1", path_of("changes.json"), "changes.hevc")
        with open(path_of("changes.json"), encoding="utf-8") as file:
            shots = json.load(file)["shots"]
        assert [(shot["start"], shot["duration"]) for shot in shots] == [(0, 3), (3, 3)], shots
        assert b"none; 1 change of the stream begins a scene, too" in output, output


def test_cuts_of_regions():
    """The scenes are those of the picture."""
    path = gray_clip("regions.mkv", [[(1 / 8, 1), (7 / 8, 100)]] * 5 + [[(1 / 8, 1000), (7 / 8, 100)]] * 5)
    scenes, dovi, stream = exported(path, "--regions", "top=0,0,100%,8")
    assert [alert.get("place") for alert in stream["alerts"] if alert["type"] == "scene"] == ["top"], stream["alerts"]
    assert len(scenes) == 1 and len(dovi["shots"]) == 1, dovi


def test_colours():
    """MaxScl has R, G and B by themselves; bars are no active picture."""
    codes = {"g": 2000, "b": 1000, "r": 3000}
    planes = b"".join(struct.pack("<H", 0) * (PIXELS // 4) + struct.pack("<H", codes[name]) * (PIXELS // 2)
                      + struct.pack("<H", 0) * (PIXELS // 4) for name in "gbr")
    path = raw_clip("rgb.mkv", "gbrp12le", planes, [
        "-vf", f"setparams=color_trc={PQ}:color_primaries=bt2020:range=pc", "-c:v", "ffv1", "-color_trc", PQ,
        "-color_primaries", "bt2020", "-color_range", "pc"])
    scenes, dovi, _ = exported(path)
    light = scenes[0][0]
    assert light["MaxScl"] == [nearest(10 * light_of(codes[name] / 4095)) for name in "rgb"], light
    assert light["AverageRGB"] == nearest(5 * light_of(3000 / 4095)), light
    assert dovi["level5"] == {"active_area_left_offset": 0, "active_area_right_offset": 0,
                              "active_area_top_offset": 16, "active_area_bottom_offset": 16}, dovi


# ---- Refusals ----------------------------------------------------------------------------------

EXPORTS = ("--hdr10plus", "--dovi-l1")


def test_wrong_options():
    """What cannot be exported is refused before anything is measured or written."""
    path = gray_clip("vector.mkv", [VECTOR])
    for option in EXPORTS:
        for arguments, text in (
                (["--measures", "signal", path], f"{option} needs hdr in --measures"),
                (["--alerts", "none", path], f"{option} needs scene in --alerts"),
                (["--set", "every=2", path], f"{option} needs each frame, so it takes no --set every=2"),
                (["--results", path_of("results"), path], "no metadata of HDR"),
                (["--merge", path], "no metadata of HDR"),
                ([path, picture()], "a file for each of several inputs")):
            output, errors = report(option, path_of("no.json"), *arguments, status=2)
            assert output == b"" and text in one_line(errors), (arguments, errors)
        output, errors = report(option, path, path, status=2)
        assert output == b"" and "is an input" in one_line(errors), errors
    _, errors = report("--hdr10plus", path_of("no.json"), "--dovi-l1", path_of("no.json"), path, status=2)
    assert "would write the same file" in one_line(errors), errors
    assert not os.path.exists(path_of("no.json")) and not os.path.exists(path_of("results"))
    # Groups and alerts that are enough.
    exported(path, "--measures", "hdr+motion", "--alerts", "black+scene")


def test_inputs_that_are_not_pq():
    """SDR and HLG have no such metadata. The report is written, and the other inputs are exported."""
    hlg = hevc_clip("hlg.mkv", (721, 502), transfer="arib-std-b67")
    for path, text in ((picture(), "frame 0 of video 0 is not PQ"), (hlg, "frame 0 of video 0 is HLG")):
        for option in EXPORTS:
            output, errors = report(option, path_of("no.json"), path, status=1)
            assert f"{option} writes nothing: {text}" in one_line(errors), errors
            assert b"levels" in output and not os.path.exists(path_of("no.json")), output
    for jobs in ("1", "2"):
        place = path_of(f"out{jobs}/")
        vector = gray_clip("vector.mkv", [VECTOR])
        _, errors = report("--quiet", "--jobs", jobs, "--hdr10plus", place, hlg, vector, status=1)
        assert "hlg.mkv" in one_line(errors), errors
        names = os.listdir(place)
        assert len(names) == 1 and names[0].startswith("vector.mkv.") and names[0].endswith(".hdr10plus.json"), names
        assert len(read_hdr10plus(os.path.join(place, names[0]))) == 1


def test_transfer_that_changes():
    """One frame that is not PQ is enough."""
    one, two = gray_clip("one.mkv", [VECTOR] * 3), gray_clip("two.mkv", [VECTOR] * 3, "bt709")
    parts = []
    for path in (one, two):
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", path, *tags(PQ if path == one else "bt709", "tv")[:2],
                        "-pix_fmt", "yuv420p10le", "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
                        "log-level=none:lossless=1:repeat-headers=1:colorprim=bt2020:transfer="
                        f"{PQ if path == one else 'bt709'}", path + ".hevc"], check=True, timeout=TIMEOUT)
        with open(path + ".hevc", "rb") as file:
            parts.append(file.read())
    for name, order in (("ab.hevc", parts), ("ba.hevc", parts[::-1])):
        with open(path_of(name), "wb") as file:
            file.write(b"".join(order))
        _, errors = report("--hdr10plus", path_of("no.json"), path_of(name), status=1)
        assert "is not PQ" in one_line(errors) and not os.path.exists(path_of("no.json")), errors


def test_incomplete():
    """Half a film has no metadata that looks like that of the film. An old file stays."""
    path = gray_clip("long.mkv", [[(0.5, 1 + number % 3), (0.5, 100)] for number in range(100)])
    with open(path, "rb") as file:
        data = file.read()
    with open(path_of("cut.mkv"), "wb") as file:
        file.write(data[:len(data) // 2])
    for option in EXPORTS:
        output, errors = report(option, path_of("no.json"), path_of("cut.mkv"), status=1)
        lines = errors.decode().splitlines()
        assert len(lines) == 2 and f"{option} writes nothing: the input was not measured completely" in lines[1], lines
        assert b"NOT COMPLETE" in output and not os.path.exists(path_of("no.json")), output
        with open(path_of("old.json"), "w", encoding="utf-8") as file:
            file.write("old")
        report(option, path_of("old.json"), path_of("cut.mkv"), status=1)
        with open(path_of("old.json"), encoding="utf-8") as file:
            assert file.read() == "old"
    with open(path_of("full.txt"), "w", encoding="utf-8") as file:
        done = subprocess.run([PROGRAM, "--hdr10plus", "/dev/full", path], stdout=file, stderr=subprocess.PIPE,
                              timeout=TIMEOUT, check=False)
    assert done.returncode == 1 and b"/dev/full" in done.stderr, done


# ---- What the stream says ----------------------------------------------------------------------

def line_of(text, label):
    return next(line.strip() for line in text.splitlines() if line.strip().startswith(label))


def test_carried():
    """Right, wrong and missing metadata. 723 is the code of 1000 cd/m2, and has 1004.2; it is measured in 10 bits."""
    for code, light in ((509, 99.91), (573, 203.7), (723, 1004.2), (940, 10000)):
        assert abs(limited_light(code) / light - 1) < 0.008, (code, limited_light(code))
    most, mean = limited_light(723), (limited_light(723) + limited_light(509)) / 2
    right = {"max-cll": math.ceil(most), "max-fall": math.ceil(mean)}
    cases = {
        "right.mkv": (f"{DISPLAY}:max-cll={right['max-cll']},{math.ceil(mean)}", []),
        # Less than a step of the code.
        "nominal.mkv": (f"{DISPLAY}:max-cll=1000,{math.ceil(mean)}", []),
        "low.mkv": (f"{DISPLAY}:max-cll=400,50", ["MaxCLL is too low", "MaxFALL is too low"]),
        # Two steps of the code.
        "lower.mkv": (f"{DISPLAY}:max-cll=985,{math.ceil(mean)}", ["MaxCLL is too low"]),
        "high.mkv": (f"{DISPLAY}:max-cll=4000,1000", []),
        "dim.mkv": (DISPLAY.replace("10000000", "5000000") + ":max-cll=1005,1005", ["the mastering display only 500"]),
        "unknown.mkv": (f"{DISPLAY}:max-cll=0,0", []),
        "none.mkv": ("", []),
    }
    for name, (metadata, hints) in cases.items():
        path = hevc_clip(name, (723, 509), metadata)
        _, dovi, stream = exported(path)
        told, text = stream["hdr-metadata"], report("--full", path)[0].decode()
        line = line_of(text, "HDR metadata")
        found = [hint for hint in stream.get("hints", []) if "Max" in hint or "mastering" in hint]
        assert len(found) == len(hints) and all(want in have for want, have in zip(hints, found)), (name, found)
        assert all(hint in text for hint in found), text
        assert told["transfer"] == "pq" and told["right"] == right, told
        assert abs(told["measured"]["max-cll"] - most) < 1e-6 and abs(told["measured"]["max-fall"] - mean) < 1e-6, told
        carried = told.get("carried", {})
        assert ("mastering-max" in carried) == ("master-display" in metadata), told
        if "mastering-max" in carried:
            assert carried["mastering-max"] == (500 if name == "dim.mkv" else 1000), told
            assert carried["mastering-min"] == 0.0001 and carried["red-x"] == 0.68 and carried["white-y"] == 0.329, told
            assert f"mastering display 0.0001 to {carried['mastering-max']:g} cd/m2" in line, line
        else:
            assert "no mastering display" in line, line
        if "max-cll" in carried:
            assert told["difference"]["max-cll"] == told["measured"]["max-cll"] - carried["max-cll"], told
            assert f"MaxCLL {carried['max-cll']:.0f}, measured {most:.1f} ({most - carried['max-cll']:+.1f})" in line, line
        else:
            assert name in ("unknown.mkv", "none.mkv") and "difference" not in told, told
            assert f"no MaxCLL, measured {most:.1f}; no MaxFALL, measured {mean:.1f}" in line, line
        is_right = name not in ("low.mkv", "lower.mkv", "unknown.mkv", "none.mkv")
        assert (f"right is max-cll={math.ceil(most)},{math.ceil(mean)}" in line) != is_right, line
        # The light that a display was mastered for goes on to Dolby Vision.
        assert dovi["level6"]["max_display_mastering_luminance"] == carried.get("mastering-max", 0), dovi
        assert dovi["level6"]["max_content_light_level"] == math.ceil(most), dovi
    # A result that was kept says the same.
    path = path_of("low.mkv")
    kept = [report("--full", "--quiet", "--results", path_of("kept"), path)[0] for _ in range(2)]
    assert kept[0] == kept[1] and "MaxCLL 400, measured" in line_of(kept[1].decode(), "HDR metadata"), kept
    # The metadata of several inputs is not that of their sum.
    report("--json-summary", "--output", path_of("two.json"), path_of("right.mkv"), path_of("low.mkv"))
    merged = report("--merge", path_of("two.json"))[0].decode()
    assert "HDR metadata" not in merged and "too low" not in merged, merged
    assert "hdr-metadata" not in objects("--merge", "--json-summary", path_of("two.json"))[0]["streams"][0]


def test_containers():
    """What a container says: Matroska's elements come before the SEI messages. Not every GStreamer reads MP4's box."""
    for ending, metadata, allowed in (
            (".mkv", "", [700]), (".mkv", f"{DISPLAY}:max-cll=900,50", [700]),
            (".mp4", "", [None, 700]), (".mp4", f"{DISPLAY}:max-cll=900,50", [900, 700])):
        path = with_light(hevc_clip("container" + ending, (723, 509), metadata))
        carried = objects("--json-summary", path)[0]["streams"][0]["hdr-metadata"].get("carried", {})
        most = carried.get("max-cll")
        assert most in allowed and carried.get("max-fall") == {None: None, 700: 60, 900: 50}[most], (path, carried)
        if ending == ".mkv":
            assert carried["mastering-max"] == 1000 and carried["mastering-min"] == 0.0001, carried
            assert "changes" not in carried, carried


def test_light_that_changes():
    """What a stream says is compared with all of it, so not if it changes. The stream says it first of all frames."""
    parts = []
    for number, light in enumerate((f"{DISPLAY}:max-cll=4000,50", f"{DISPLAY}:max-cll=900,50")):
        path = hevc_clip(f"part{number}.hevc", (723, 509), light + ":repeat-headers=1")
        with open(path, "rb") as file:
            parts.append(file.read())
    for name, order in (("same.hevc", (0, 0)), ("change.hevc", (0, 1, 1)), ("back.hevc", (1, 0, 1))):
        with open(path_of(name), "wb") as file:
            file.write(b"".join(parts[number] for number in order))
        told = objects("--json-summary", path_of(name))[0]["streams"][0]["hdr-metadata"]
        text = report("--full", path_of(name))[0].decode()
        changes = sum(one != other for one, other in zip(order, order[1:]))
        assert told["carried"]["max-cll"] == (4000, 900)[order[0]], told
        assert told["carried"].get("changes", 0) == changes and ("difference" in told) == (changes == 0), told
        assert (f"it changes {changes} time{'s' if changes > 1 else ''}, so nothing is compared; measured MaxCLL "
                in text) == (changes > 0), text
        assert ("what the stream says of its light changes" in text) == (changes > 0), text
        assert ("MaxCLL is too low" in text) == ("difference" in told and order[0] == 1), text
        # A result that was kept says the same.
        kept = [report("--full", "--quiet", "--results", path_of("kept-light"), path_of(name))[0] for _ in range(2)]
        assert kept[0] == kept[1] and line_of(kept[1].decode(), "HDR metadata") == line_of(text, "HDR metadata"), kept


def test_hlg():
    """The light of HLG is that of a display, and is compared with nothing."""
    path = hevc_clip("hlg.mkv", (721, 502), transfer="arib-std-b67")
    told = objects("--json-summary", path)[0]["streams"][0]["hdr-metadata"]
    assert set(told) == {"transfer", "measured"} and told["transfer"] == "hlg", told
    assert told["measured"]["display"] == 1000 and abs(told["measured"]["max-cll"] - 203) < 2, told
    assert "HLG has none; on a display of 1000 cd/m2: MaxCLL 20" in report("--full", path)[0].decode()
    assert "HDR metadata" not in report("--full", picture())[0].decode()
    assert "hdr-metadata" not in objects("--json-summary", picture())[0]["streams"][0]


def test_page():
    """The page has the line, and what is wrong stands in its headline."""
    if not has_page():
        print("skipped: there is no page, or no browser")
        return
    page = page_of(hevc_clip("low.mkv", (723, 509), f"{DISPLAY}:max-cll=400,50"))
    assert any("MaxCLL is too low" in hint for hint in page["hints"]), page["hints"]
    facts = dict(page["facts"])
    most = limited_light(723)
    assert f"MaxCLL 400, measured {most:.1f} ({most - 400:+.1f})" in facts["HDR metadata"], facts


sys.exit(run_tests([test_vector, test_codes_of_pq, test_scenes, test_flashes_begin_no_scene,
                    test_stream_that_changes, test_cuts_of_regions, test_colours,
                    test_wrong_options, test_inputs_that_are_not_pq, test_transfer_that_changes, test_incomplete,
                    test_carried, test_containers, test_light_that_changes, test_hlg, test_page]))
