#!/usr/bin/python3
"""Changes in mid-stream: size, depth, colours, frame rate, sample rate and channels. The summary says what
changed and when; figures that need one size or one scale are told of each part.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import base64
import gzip
import json
import os
import re
import sys
import zlib
import xml.etree.ElementTree as ElementTree

from common import ROOT, ffmpeg, has_page, objects, page_of, path_of, report, run_tests

SECOND = 10 ** 9


def join(name, *parts):
    with open(path_of(name), "wb") as whole:
        for part in parts:
            with open(path_of(part), "rb") as file:
                whole.write(file.read())
    return path_of(name)


def video(name, size="320x240", rate=25, options=(), filters="null", offset=0):
    ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={size}:r={rate}:d=1", "-vf", filters, "-c:v", "libx264", *options,
           "-output_ts_offset", str(offset), "-f", "mpegts", path_of(name))


def size_change():
    """Bars above and below, then bars at both sides of a larger picture."""
    if not os.path.exists(path_of("size.ts")):
        video("size1.ts", filters="drawbox=0:0:320:40:black:fill,drawbox=0:200:320:40:black:fill")
        video("size2.ts", "640x360", offset=1,
              filters="drawbox=0:0:80:360:black:fill,drawbox=560:0:80:360:black:fill")
        join("size.ts", "size1.ts", "size2.ts")
    return path_of("size.ts")


def depth_change():
    """8 bits, then 10."""
    if not os.path.exists(path_of("depth.ts")):
        video("depth1.ts", options=("-pix_fmt", "yuv420p"))
        video("depth2.ts", options=("-pix_fmt", "yuv420p10le"), offset=1)
        join("depth.ts", "depth1.ts", "depth2.ts")
    return path_of("depth.ts")


def tone(name, volume, rate=48000, channels=2, seconds=4, codec="aac", layout=None):
    ffmpeg("-f", "lavfi", "-i", f"sine=d={seconds}:r={rate},volume={volume}", "-ac", str(channels),
           *(("-channel_layout", layout) if layout else ()), "-c:a", codec, path_of(name))


def sound_change():
    """4 s of -9.8 LUFS in stereo at 48 kHz, then 4 s of -41.8 LUFS in mono at 44.1 kHz."""
    if not os.path.exists(path_of("sound.aac")):
        tone("loud.aac", 4)
        tone("quiet.aac", 0.1, 44100, 1)
        join("sound.aac", "loud.aac", "quiet.aac")
    return path_of("sound.aac")


def summary_of(path, *arguments):
    (summary,) = objects("--json-summary", *arguments, path)
    check_schema(summary)
    return summary


def check_schema(summary):
    try:
        import jsonschema  # pylint: disable=import-outside-toplevel
    except ImportError:
        return
    with open(os.path.join(ROOT, "docs/report.schema.json"), encoding="utf-8") as file:
        jsonschema.Draft7Validator(json.load(file)).validate(summary)


def save(name, *summaries):
    with open(path_of(name), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(summary) + "\n" for summary in summaries)
    return path_of(name)


def components(thing, group="basic"):
    return {component["name"]: component for component in thing["regions"][0]["components"]
            if component["group"] == group}


def series_of(path, key):
    """A series of the first view of the page, as html-view.c stores it."""
    report("--html", path_of("page.html"), path)
    with open(path_of("page.html"), encoding="utf-8") as file:
        page = file.read()
    view = json.loads(re.search(r'"views":(\[.*\])\}', page).group(1))[0]
    data = zlib.decompress(base64.b64decode(re.search(r'id="figures-0">([^<]*)<', page).group(1)))
    n = view["columns"]
    place = n * view["timeWidth"]
    for series in view["series"]:
        if series["key"] == key:
            break
        place += n * series["width"]
    values, stored = [], 0
    for i in range(n):
        number = sum(data[place + b * n + i] << (8 * b) for b in range(series["width"]))
        stored += (number >> 1) ^ -(number & 1)
        values.append((stored - 1) / 10 ** series["digits"] + series["least"])
    return values


def test_size():
    """Active pictures and rectangles are told of each part; samples have one scale, so histograms add up."""
    regions = "left=0,0,50%,100%"
    summary = summary_of(size_change(), "--regions", regions)
    (stream,) = summary["streams"]
    one, two = stream["parts"]
    (change,) = [notice for notice in summary["notices"] if notice["kind"] == "change"]
    assert (change["text"], change["severity"]) == ("the stream changes to 640 x 360", "warn"), change
    assert change["spans"] == [{"start": two["start"], "end": two["end"]}], change
    assert "picture changes at 0:01.1 to 640 x 360" in summary["verdict-line"], summary["verdict-line"]
    assert [(part["width"], part["height"], part["results"]) for part in (one, two)] == [
        (320, 240, 25), (640, 360, 25)]
    assert (one["start"], one["end"], two["end"] - two["start"]) == (0, SECOND, SECOND)
    assert two["start"] >= SECOND and two["end"] == stream["end"] - stream["start"]
    assert one["regions"][0]["area"] == {"x": 0, "y": 40, "width": 320, "height": 160}, one["regions"][0]["area"]
    assert two["regions"][0]["area"] == {"x": 80, "y": 0, "width": 480, "height": 360}, two["regions"][0]["area"]
    assert [part["regions"][1]["width"] for part in (one, two)] == [160, 320]
    # The whole stream has no size: neither active pictures nor rectangles.
    for region in stream["regions"]:
        assert not {"area", "x", "y", "width", "height"} & set(region), region.keys()
    for name, whole in components(stream).items():
        sums = [sum(pair) for pair in zip(components(one)[name]["histogram"], components(two)[name]["histogram"])]
        assert whole["histogram"] == sums and whole["count"] == sum(sums), name
    brng = [thing["regions"][0]["figures"]["signal"]["brng"] for thing in (one, two, stream)]
    assert brng[2]["n"] == 50 and brng[2]["max"] == max(brng[0]["max"], brng[1]["max"])
    # Text and page.
    text = report("--full", "--regions", regions, size_change())[0].decode()
    assert re.search(r"^  video 0: 320 x 240, .*; 50 frames", text, re.M), text
    assert re.search(r"^    changes        0:00:01\.0\d\d: 640 x 360$", text, re.M), text
    assert "active picture 320 x 160 at 0,40\n" in text and "active picture 480 x 360 at 80,0\n" in text, text
    assert "region left: 160 x 240 at 0,0\n" in text and "region left: 320 x 360 at 0,0\n" in text, text
    assert "560 x 360" not in text, text
    if has_page():
        facts = page_of(size_change())["facts"]
        assert [text for name, text in facts if re.fullmatch(r"From 0:00:01\.0\d\d", name)][0] == "640 × 360", facts
        areas = [text for name, text in facts if name == "Active picture"]
        assert areas == ["320 × 160 at 0, 40", "480 × 360 at 80, 0"], facts


def test_qctools():
    """Each frame of the report for QCTools has its own size; the stream is described as it begins."""
    report("--qctools", path_of("size.xml.gz"), size_change())
    with gzip.open(path_of("size.xml.gz")) as file:
        root = ElementTree.parse(file).getroot()
    frames = [frame for frame in root.iter("frame") if frame.get("media_type") == "video"]
    assert [frame.get("width") for frame in frames] == ["320"] * 25 + ["640"] * 25
    crops = [{tag.get("key"): tag.get("value") for tag in frame.iter("tag")} for frame in frames]
    assert (crops[0]["lavfi.cropdetect.h"], crops[-1]["lavfi.cropdetect.w"]) == ("160", "480")
    (stream,) = root.iter("stream")
    assert (stream.get("width"), stream.get("height")) == ("320", "240")
    # Times of sound are in the units that its stream names, also after a change of the rate.
    report("--qctools", path_of("sound.xml.gz"), sound_change())
    with gzip.open(path_of("sound.xml.gz")) as file:
        root = ElementTree.parse(file).getroot()
    (stream,) = root.iter("stream")
    assert stream.get("time_base") == "1/48000"
    for frame in root.iter("frame"):
        assert abs(int(frame.get("pkt_pts")) / 48000 - float(frame.get("pkt_pts_time"))) < 1e-4


def test_depth():
    """Samples of 8 and of 10 bits have no scale in common: each part has its histograms, and all of them."""
    (stream,) = summary_of(depth_change())["streams"]
    one, two = stream["parts"]
    assert one["format"] != two["format"] and (one["results"], two["results"]) == (25, 25)
    assert [components(part)["Y"]["bins"] for part in (one, two)] == [256, 1024]
    for part in (one, two):
        assert all(component["count"] == 25 * 320 * 240 // (1 if name == "Y" else 4)
                   for name, component in components(part).items())
    assert stream["regions"][0]["components"] == [] and "bits-used" not in stream["regions"][0]
    # Shares and sizes are those of the whole stream.
    assert stream["regions"][0]["figures"]["signal"]["brng"]["n"] == 50
    assert stream["regions"][0]["width"] == 320 and stream["regions"][0]["area"]["width"] == 320
    text = report("--full", depth_change())[0].decode()
    head, first, second = re.split(r"^   from ", text, flags=re.M)
    assert f"0:00:01.0" in head and two["format"] in head and "levels" not in head and "legal range" in head, text
    assert "of 0 to 255" in first and "of 0 to 1023" in second and "saturation" in first, text
    # The charts of the page have one scale: the second half is not four times as bright.
    means = series_of(depth_change(), "mean")
    assert len(means) == 50 and max(means) < 1.1 * min(means), means


def test_frame_rate():
    video("rate1.ts")
    video("rate2.ts", rate=50, offset=1)
    path = join("rate.ts", "rate1.ts", "rate2.ts")
    (stream,) = summary_of(path)["streams"]
    assert [(part["frame-rate"], part["results"]) for part in stream["parts"]] == [(25, 25), (50, 50)], stream["parts"]
    assert stream["frame-rate"] == 25
    text = report("--full", path)[0].decode()
    assert re.search(r"^    changes        0:00:0[01]\.\d+: 50 frames/s$", text, re.M), text
    # All figures are those of the whole stream.
    assert "from 0:00" not in text and "active picture 320 x 240" in text, text


def blocks_of(loudness, name):
    """The number of blocks: each second number is the count of a bin."""
    return sum(loudness[f"{name}-blocks"][1::2])


def test_loudness():
    """The loudness of the whole programme, whatever its rate and channels are. It was that of the last part."""
    (stream,) = summary_of(sound_change())["streams"]
    assert abs(stream["loudness"]["integrated"]["last"] + 9.73) < 0.02, stream["loudness"]["integrated"]
    # The blocks of each part begin anew: 400 ms, then each 100 ms.
    loudness = stream["loudness"]
    assert abs(blocks_of(loudness, "momentary") - 2 * 37) <= 2, loudness["momentary-blocks"]
    assert abs(blocks_of(loudness, "short-term") - 2 * 11) <= 2, loudness["short-term-blocks"]
    one, two = stream["parts"]
    assert [(part["rate"], part["n-channels"], len(part["channels"])) for part in (one, two)] == [
        (48000, 2, 2), (44100, 1, 1)]
    assert one["samples"] + two["samples"] == stream["samples"] and stream["channels"] == []
    assert one["channels"][0]["true-peak"] > -10 and two["channels"][0]["true-peak"] < -30
    text = report("--full", sound_change())[0].decode()
    assert "integrated -9.7 LUFS" in text and re.search(r"changes +0:00:04\.0\d\d: 44100 Hz, 1 channel$", text, re.M)
    assert text.count("    clipping") == 2 and text.count("RMS") == 3, text
    if has_page():
        assert ["Integrated loudness", "−9.7 LUFS"] in page_of(sound_change())["facts"]
    # Merged with itself it is the same.
    save("sound.json", summary_of(sound_change()))
    (merged,) = objects("--merge", "--json-summary", "sound.json")
    assert merged["streams"][0]["loudness"]["integrated"] == stream["loudness"]["integrated"]


def test_range():
    """The range has the short-term loudness of both parts."""
    tone("near.aac", 1, seconds=5)
    tone("far.aac", 0.4, 44100, 1, seconds=5)
    (stream,) = summary_of(join("range.aac", "near.aac", "far.aac"))["streams"]
    assert abs(stream["loudness"]["range"]["last"] - 8) < 0.15, stream["loudness"]["range"]


def test_surround():
    """The everyday form: MPEG-TS from 5.1 to stereo."""
    for name, layout, volume, offset in (("surround1.ts", "5.1", 1, 0), ("surround2.ts", "stereo", 0.25, 4)):
        ffmpeg("-f", "lavfi", "-i", f"sine=d=4:r=48000,volume={volume},aformat=channel_layouts={layout}", "-c:a", "ac3",
               "-output_ts_offset", str(offset), "-f", "mpegts", path_of(name))
    parts = [summary_of(path_of(f"surround{i}.ts"))["streams"][0] for i in (1, 2)]
    (stream,) = summary_of(join("surround.ts", "surround1.ts", "surround2.ts"))["streams"]
    assert [part["n-channels"] for part in stream["parts"]] == [6, 2], [p["n-channels"] for p in stream["parts"]]
    blocks = sum(blocks_of(part["loudness"], "momentary") for part in parts)
    assert abs(blocks - blocks_of(stream["loudness"], "momentary")) <= 4, blocks
    loudest = parts[0]["loudness"]["integrated"]["last"]
    assert abs(stream["loudness"]["integrated"]["last"] - loudest) < 3.2, stream["loudness"]["integrated"]


def test_chained():
    """The files of a chain have one programme, though the format does not change."""
    for name, volume in (("first.ogg", 4), ("second.ogg", 0.1)):
        tone(name, volume, channels=1, codec="libvorbis")
    (stream,) = summary_of(join("chained.ogg", "first.ogg", "second.ogg"))["streams"]
    first = summary_of(path_of("first.ogg"))["streams"][0]["loudness"]["integrated"]["last"]
    assert "parts" not in stream
    assert abs(stream["loudness"]["integrated"]["last"] - first) < 0.11, (stream["loudness"]["integrated"], first)
    assert abs(blocks_of(stream["loudness"], "momentary") - 2 * 37) <= 2


def test_many_changes():
    """A stream that changes all the time needs no memory without end."""
    for name, rate, channels in (("stereo.aac", 48000, 2), ("mono.aac", 44100, 1), ("low.aac", 22050, 1)):
        tone(name, 1, rate, channels, 0.1)
    path = join("many.aac", *(["stereo.aac", "mono.aac"] * 140), "low.aac")
    summary = summary_of(path)
    (stream,) = summary["streams"]
    assert len(stream["parts"]) == 256, len(stream["parts"])
    (change,) = [notice for notice in summary["notices"] if notice["kind"] == "change"]
    assert change["text"].endswith(", and 252 times more") and len(change["spans"]) == 100, change
    assert {part["rate"] for part in stream["parts"]} == {48000, 44100}
    # What fits no part is counted.
    assert 0 < sum(part["results"] for part in stream["parts"]) < stream["results"]
    save("many.json", summary)
    (merged,) = objects("--merge", "--json-summary", "many.json")
    assert [part["rate"] for part in merged["streams"][0]["parts"]] == [48000, 44100]
    assert merged["streams"][0]["results"] == stream["results"]


def test_merge():
    """Inputs of several sizes follow the same rule; the sizes that agree add up, in any order."""
    video("again.ts", filters="drawbox=0:0:320:60:black:fill,drawbox=0:180:320:60:black:fill")
    small, both = summary_of(path_of("again.ts")), summary_of(size_change())
    assert "parts" not in small["streams"][0]
    save("small.json", small)
    save("both.json", both)
    results = {}
    for order in (("small.json", "both.json"), ("both.json", "small.json")):
        (merged,) = objects("--merge", "--json-summary", *order)
        check_schema(merged)
        (stream,) = merged["streams"]
        assert stream["results"] == 75 and "area" not in stream["regions"][0]
        assert all("start" not in part for part in stream["parts"])
        for part in stream["parts"]:
            results.setdefault(part["width"], []).append((part["results"], part["regions"][0]["area"],
                                                          components(part)["Y"]["histogram"]))
        # A file of it is read again, and is the same.
        save("merged.json", merged)
        (again,) = objects("--merge", "--json-summary", "merged.json")
        assert again["streams"][0]["parts"] == stream["parts"]
        assert again["streams"][0]["regions"] == stream["regions"]
    assert {width: [result[:2] for result in found] for width, found in results.items()} == {
        320: 2 * [(50, {"x": 0, "y": 40, "width": 320, "height": 160})],
        640: 2 * [(25, {"x": 80, "y": 0, "width": 480, "height": 360})]}, results
    assert all(one == other for one, other in results.values())
    text = report("--merge", "small.json", "both.json")[0].decode()
    assert "video 0: several formats" in text and "560 x 360" not in text, text
    assert re.search(r"^   640 x 360, 25 frames/s, .*; 25 frames\n    active picture 480 x 360 at 80,0$", text, re.M), text


def test_bad_parts():
    """Parts come from outside, too."""
    good = summary_of(size_change())
    (stream,) = good["streams"]
    one, two = stream["parts"]
    for name, parts in {"no-array": 5, "no-object": [5], "no-results": [{"regions": []}], "no-regions": [{"results": 1}],
                        "times": [{**one, "start": 5, "end": 4}, two], "no-end": [{**one, "start": 5}, two][:1],
                        "width": [{**one, "width": -1}, two], "too-many": [{**one, "results": 26}, two],
                        "sum": [{**one, "results": 2 ** 63 - 1}, {**two, "results": 2 ** 63 - 1}]}.items():
        if name == "no-end":
            parts = [{key: value for key, value in one.items() if key != "end"}, two]
        save("bad.json", {**good, "streams": [{**stream, "parts": parts}]})
        output, errors = report("--merge", "bad.json", status=1)
        assert output == b"" and len(errors.splitlines()) == 1 and b"bad.json" in errors, (name, errors)


if __name__ == "__main__":
    sys.exit(run_tests([value for name, value in list(globals().items())
                        if name.startswith("test_")]))
