#!/usr/bin/python3
"""What cudahisto-report writes: JSON by its schema, CSV, the text, and that the sums are right.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import csv
import io
import json
import os
import re
import struct
import subprocess
import sys

from common import ROOT, clip, ffmpeg, objects, one_line, path_of, picture, pictures, report, run_tests, sound

MEASURES = "signal+motion+color+hdr+detail+area+gamut+gamut-filter+flash+field+level+loudness"
ALERTS = "black+freeze+scene+range+silence+clipping+loudness"


def used_keys(value, keys):
    """All keys of the objects in a value."""
    if isinstance(value, dict):
        keys.update(value)
        for member in value.values():
            used_keys(member, keys)
    elif isinstance(value, list):
        for member in value[:50]:
            used_keys(member, keys)


def check_histograms(value):
    """The schema looks at each number by itself, which takes long: all of them are looked at here, and it has the first ones."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name == "histogram":
                assert all(type(count) is int and count >= 0 for count in member), member
                del member[2:]
            else:
                check_histograms(member)
    elif isinstance(value, list):
        for member in value:
            check_histograms(member)


def compared_moments():
    """A black frame among others, and a film whose pixels have another shape."""
    film, black, wide = path_of("moving.mkv"), path_of("one-black.mkv"), path_of("wide.mkv")
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=0.4", "-pix_fmt", "yuv420p", "-c:v", "ffv1", film)
    ffmpeg("-i", film, "-vf", "lutyuv=y=val+3,drawbox=c=black:t=fill:enable='eq(n,5)'", "-c:v", "ffv1", black)
    ffmpeg("-i", film, "-vf", "setsar=2", "-c:v", "ffv1", wide)
    return [line for other in (black, wide) for line in objects("--compare", "--json", film, other)]


def compared_lines(short):
    """Comparisons that have all there can be: other depths, times and streams."""
    other, mute = path_of("other.mkv"), path_of("mute.mkv")
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=80x60:rate=25:duration=0.2", "-ss", "0.08", "-pix_fmt", "yuv420p10le",
           "-c:v", "ffv1", other)
    ffmpeg("-i", short, "-an", "-c:v", "copy", mute)
    quiet, rate = path_of("quiet.wav"), path_of("rate.wav")
    ffmpeg("-i", short, "-vn", "-af", "volume=0.5", quiet)
    ffmpeg("-i", short, "-vn", "-ar", "8000", rate)
    regions = ["--regions", "left=0,0,50%,100%"]
    film, found = path_of("film.mkv"), []
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=1", "-pix_fmt", "yuv420p", "-c:v", "ffv1", film)
    for number, change in enumerate(("crop=156:120:2:0,pad=160:120:0:0", "select='not(between(n,8,11))',setpts=N/(25*TB)",
                                     "drawbox=20:20:8:8:red:t=fill:enable='eq(n,3)'", "hflip")):
        changed = path_of(f"changed{number}.mkv")
        ffmpeg("-i", film, "-vf", change, "-pix_fmt", "yuv420p", "-c:v", "ffv1", changed)
        found += objects("--compare", "--json", "--compare-measures", "xpsnr", film, changed)
    return (found + objects("--compare", "--json", *regions, "--figures", "Y.*+signal.*+flash.*", short, other)
            + objects("--compare", "--json", other, short)
            + objects("--compare", "--json", quiet, short) + objects("--compare", "--json", quiet, rate)
            + objects("--compare", "--json", "--measures", "signal", mute,
                      write_objects("short.json", objects("--json", short))))


def write_objects(name, lines):
    path = path_of(name)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    return path


def odd_images():
    """A photo that is to be turned, and floats with values below 0 and infinite ones."""
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=32x24", "-frames:v", "1", path_of("turned.jpg"))
    with open(path_of("turned.jpg"), "rb") as file:
        content = file.read()
    # One entry: the orientation is 6.
    exif = b"Exif\0\0II*\0" + struct.pack("<IHHHIII", 8, 1, 0x112, 3, 1, 6, 0)
    with open(path_of("turned.jpg"), "wb") as file:
        file.write(content[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + content[2:])
    with open(path_of("floats.raw"), "wb") as file:
        file.write(struct.pack("<8f", 2.5, -1, -0.5, float("inf"), 0, 1.25, 1, 2))
    ffmpeg("-f", "rawvideo", "-pix_fmt", "grayf32le", "-s", "8x1", "-i", path_of("floats.raw"), "-compression", "none",
           "-update", "1", path_of("floats.exr"))
    return path_of("turned.jpg"), path_of("floats.exr")


def test_schema():
    """Each line fits the schema, which allows no other keys; and each of its keys is used."""
    try:
        import jsonschema
    except ImportError as error:
        print("skipped:", error)
        sys.exit(77)
    with open(os.path.join(ROOT, "docs/report.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    rgb = path_of("rgb.mkv")
    ffmpeg("-i", picture(), "-t", "0.2", "-c:v", "ffv1", "-pix_fmt", "gbrp", rgb)
    timed = path_of("timed.mkv")
    ffmpeg("-i", clip(), "-t", "0.2", "-map", "0:0", "-map", "0:1", "-c:v", "copy", "-c:a", "pcm_s16le", "-ac", "2",
           "-timecode", "01:00:00:00", timed)
    flashes = path_of("flashes.mkv")
    ffmpeg("-f", "lavfi", "-i", "color=black:size=64x48:rate=25:duration=2", "-vf",
           "geq=lum='if(gt(N,9)*mod(floor(N/3),2),220,20)':cb=128:cr=128,select='not(eq(n,40))'", "-vsync", "vfr",
           "-c:v", "ffv1", flashes)
    variable = path_of("variable.mkv")
    ffmpeg("-i", picture(), "-vf", "scale=64:48,select='not(eq(mod(n,7),3))'", "-vsync", "vfr", "-c:v", "ffv1", variable)
    shifted = path_of("shifted.mkv")
    ffmpeg("-f", "lavfi", "-i", "color=gray:size=64x48:rate=25:duration=2", "-c:v", "ffv1", "-bsf:v",
           r"setts=ts=TS-40*eq(mod(N\,3)\,1)", shifted)
    light = path_of("light.mkv")
    ffmpeg("-f", "lavfi", "-i", "color=white:size=64x64:rate=25:duration=0.2", "-pix_fmt", "yuv420p10le",
           "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
           "log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:"
           "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1):max-cll=400,50", light)
    hlg = path_of("hlg.mkv")
    ffmpeg("-i", light, "-vf", "setparams=color_trc=arib-std-b67:color_primaries=bt2020:range=tv", "-c:v", "ffv1",
           "-color_trc", "arib-std-b67", "-color_primaries", "bt2020", "-color_range", "tv", hlg)
    # A track that begins late and has a gap, and one that is silent.
    tracks = path_of("tracks.mkv")
    tone = ["-f", "lavfi", "-i", "sine=sample_rate=48000:duration=2"]
    ffmpeg(*tone, "-itsoffset", "0.125", *tone, "-f", "lavfi", "-i", "anullsrc=sample_rate=48000:channel_layout=mono:duration=2",
           "-map", "0", "-map", "1", "-map", "2", "-c:a", "pcm_s16le", "-bsf:a:1", "noise=drop='between(n,20,39)'", tracks)
    # A white frame.
    white = path_of("white.mkv")
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=0.4", "-vf", "drawbox=c=white:t=fill:enable='eq(n,5)'",
           "-pix_fmt", "yuv420p", "-c:v", "ffv1", white)
    lines = []
    for arguments in (["--json", clip()], ["--json-summary", white], ["--json-summary", light], ["--json-summary", hlg],
                      ["--json-summary", flashes], ["--json-summary", variable], ["--json-summary", shifted],
                      ["--json-summary", "--alerts", "loudness", "--set", "rules=bright: Y.max < 3", timed],
                      ["--json-histograms", "--measures", MEASURES, "--alerts", ALERTS,
                       "--regions", "left=0,0,50%,100%; none=9999,0,1,1", clip()],
                      ["--json", "--measures", MEASURES, rgb],
                      ["--json", "--measures", "scopes", rgb],
                      ["--json", "--measures", "basic", "--alerts", "none", clip()]):
        lines += objects(*arguments)
    with open(path_of("made.policy"), "w", encoding="utf-8") as file:
        file.write("title a\nsource b\nnote c\nform: fact.format = \"RGB\"\nlow: Y.mean < 1\nno: fact.width = 1\n"
                   "logo: regions.logo.Y.mean > 1\nzones: flash.zones.*.transitions < 1\n")
    lines += objects("--json-summary", "--policy", path_of("made.policy"), clip(), status=3)
    # Of YUV and of RGB: the merged stream has parts.
    with open(path_of("one.json"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines if line["type"] == "summary")
    lines += objects("--merge", "--json-summary", "one.json", status=3)
    lines += objects("--images", "--json-histograms", pictures())
    lines += objects("--images", "--json", *odd_images())
    lines += objects("--json-summary", "--programme", "1+2", tracks, status=1)
    lines += compared_lines(timed) + compared_moments()
    keys = set()
    for line in lines:
        for part in line.get("streams", [line]):
            for scopes in [region["scopes"] for region in part.get("regions", []) if "scopes" in region]:
                assert all(len(scope["histogram"]) == 65536 for scope in scopes.values())
        check_histograms(line)
        definition = schema["definitions"]["image-set" if "images" in line else line["type"]]
        one = jsonschema.Draft7Validator({**definition, "definitions": schema["definitions"]})
        for error in one.iter_errors(line):
            raise AssertionError(f"{list(error.absolute_path)}: {error.message[:300]}")
        used_keys(line, keys)
    assert validator.is_valid(lines[0]) and not validator.is_valid({**lines[0], "other": 1})
    described = set()

    def walk(value):
        if isinstance(value, dict):
            described.update(value.get("properties", {}))
            for member in value.values():
                walk(member)
        elif isinstance(value, list):
            for member in value:
                walk(member)
    walk(schema)
    # These clips have no problem, no statements that contradict each other, no colorimetry, no alpha, no alert of a channel
    # or region, and metadata of light that stay as they are.
    # Nor is a mosaic in a file, and the pictures that are compared do not change.
    unused = described - keys - {"problem", "problems", "text", "colorimetry", "A", "place", "changes", "container", "bitstream",
                                 "Gr", "Gb", "cut"}
    assert not unused, unused


def test_frames():
    """The figures of the frames are those of the element, and the summary is their sum."""
    lines = objects("--json-histograms", clip())
    frames = [line for line in lines if line["type"] == "frame"]
    windows = [line for line in lines if line["type"] == "window" and line["stream"] == 1]
    summary = lines[-1]
    assert len(frames) == 100 and len(windows) == 40, (len(frames), len(windows))
    assert [frame["timestamp"] for frame in frames] == sorted(f["timestamp"] for f in frames)
    stream = summary["streams"][0]
    (region,) = stream["regions"]
    for component in region["components"]:
        parts = [frame.get(component["group"], frame) if component["group"] != "basic" else frame
                 for frame in frames if component["group"] == "basic" or component["group"] in frame]
        parts = [part[component["name"]] for part in parts]
        sums = [sum(counts) for counts in zip(*(part["histogram"] for part in parts))]
        assert component["histogram"] == sums, component["name"]
        assert component["count"] == sum(sums)
        mean = sum(value * count for value, count in enumerate(sums)) / sum(sums)
        assert abs(component["mean"] - mean) <= 1e-12 * mean, component
        assert component["min"] == min(part["min"] for part in parts)
    brng = region["figures"]["signal"]["brng"]
    assert brng["n"] == 100 and brng["max"] == max(frame["signal"]["brng"] for frame in frames)
    tone = summary["streams"][1]
    (channel,) = tone["regions"][0]["components"]
    assert channel["histogram"] == [sum(counts) for counts in zip(
        *(window["ch0"]["histogram"] for window in windows))]
    assert tone["samples"] == 192000 and tone["loudness"]["integrated"]["last"] < 0


def test_scopes():
    """Only with `--measures scopes`; the summary has the sums of the frames, and merging adds them up."""
    path, summary = path_of("scopes.mkv"), path_of("scopes.json")
    ffmpeg("-i", picture(), "-t", "0.2", "-s", "64x48", "-c:v", "ffv1", path)
    lines = objects("--json-histograms", "--measures", "scopes", path)
    frames = [line["scopes"] for line in lines if line["type"] == "frame"]
    (region,) = lines[-1]["streams"][0]["regions"]
    assert set(frames[0]) == {"waveform", "vectorscope"} == set(region["scopes"]), region["scopes"].keys()
    for name, scope in region["scopes"].items():
        assert scope["histogram"] == [sum(counts) for counts in zip(*(frame[name]["histogram"] for frame in frames))]
        assert scope["count"] == sum(scope["histogram"]) > 0 and (scope["columns"], scope["rows"]) == (256, 256)
    assert "histogram" not in objects("--json", "--measures", "scopes", path)[0]["scopes"]["waveform"]
    assert "scopes" not in objects("--json", path)[0]
    with open(summary, "w", encoding="utf-8") as file:
        file.write(json.dumps(lines[-1]) + "\n")
    (merged,) = objects("--json-summary", "--merge", summary, summary)[-1]["streams"][0]["regions"]
    assert merged["scopes"]["waveform"]["histogram"] == [2 * n for n in region["scopes"]["waveform"]["histogram"]]


def whole_tone(path):
    """The mean, the variance and the peak of a file, by ffmpeg's samples."""
    data = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "s16le", "-"],
                          capture_output=True, check=True).stdout
    samples = [value - 65536 if value > 32767 else value
               for value in (data[i] | data[i + 1] << 8 for i in range(0, len(data), 2))]
    mean = sum(samples) / len(samples)
    return mean, sum((x - mean) ** 2 for x in samples) / len(samples), max(samples), min(samples)


def test_sound_figures():
    """The figures of many windows together are those of all samples."""
    (channel,) = objects("--json-summary", sound())[-1]["streams"][0]["regions"][0]["components"]
    mean, variance, highest, lowest = whole_tone(sound())
    assert abs(channel["mean"] - mean) < 1e-9 and channel["max"] == highest
    assert channel["min"] == lowest and abs(channel["variance"] / variance - 1) < 1e-9, channel


def table(output):
    """The rows of a CSV with one line of names."""
    text = output.decode()
    (names, *lines) = list(csv.reader(io.StringIO(text, newline="")))
    assert len(set(names)) == len(names), names
    assert all(len(line) == len(names) for line in lines)
    return names, [dict(zip(names, line)) for line in lines]


def test_csv():
    """The same lines as in JSON, with the same figures."""
    names, rows = table(report("--csv", clip())[0])
    lines = objects("--json", clip())[:-1]
    assert len(rows) == len(lines)
    for row, line in zip(rows, lines):
        assert int(row["stream"]) == line["stream"] and int(row["timestamp"]) == line["timestamp"]
        name = "ch0" if line["stream"] else "Y"
        assert float(row[name + ".mean"]) == line[name]["mean"]
    assert rows[0]["title"]
    video = [row for row in rows if row["media"] == "video"]
    assert video[0]["motion.psnr"] == "" and float(video[1]["motion.psnr"]) > 0
    assert video[0]["ch0.mean"] == "" and video[0]["area.width"] == "160"
    # By the table of measures, video first.
    parts = []
    for name in names:
        part = name.rsplit(".", 1)[0]
        if "." in name and parts[-1:] != [part]:
            parts.append(part)
    assert parts == ["Y", "U", "V", "signal.saturation", "signal.hue", "signal", "motion.Y", "motion.U",
                     "motion.V", "motion", "area", "gamut", "gamut-filter", "flash", "field", "ch0", "ch1", "pairs.ch0+ch1",
                     "loudness", "loudness.true-peak", "loudness.sample-peak", "loudness.true-peak", "loudness.sample-peak"], parts


def test_csv_formulas():
    """No name is computed by a spreadsheet, and a reader that drops an apostrophe has the name. A number that begins with -
    is a number."""
    path = path_of("formula.mkv")
    ffmpeg("-i", clip(), "-map", "0:v", "-t", "0.04", "-c:v", "ffv1", path)
    names = ("=1+1.mkv", "+1.mkv", "-1.mkv", "@sum.mkv", "=a,b.mkv", " =1.mkv", "\u00a0@1.mkv", "\uff1d1.mkv", "'=1.mkv",
             "'.mkv")
    for name in (*names, "x=1.mkv", " x.mkv", "ä.mkv", "1-1.mkv"):
        os.rename(path, path_of(name))
        path = path_of(name)
        _, rows = table(report("--csv", "--csv-names=1", "--regions=@r=0,0,8,8", "--", name)[0])
        assert rows[0]["input"] == ("'" + name if name in names else name), rows[0]["input"]
        assert "'@r.Y.mean" in rows[0] and "@r.Y.mean" not in rows[0], list(rows[0])
    os.rename(path, path_of("a;=1;+\";';b.mkv"))
    assert b'\r\n"a;\'=1;\'+"";\'\';b.mkv",0,' in report("--csv", "a;=1;+\";';b.mkv")[0]
    titled = path_of("titled.mkv")
    ffmpeg("-i", path_of("a;=1;+\";';b.mkv"), "-c", "copy", "-metadata:s:v", "title=x;=1+1;y", titled)
    assert table(report("--csv", titled)[0])[1][0]["title"] == "video 0 (x;'=1+1;y)"
    _, rows = table(report("--csv", clip())[0])
    assert any(row["loudness.momentary"].startswith("-") for row in rows)


def test_csv_one_frame():
    """The columns do not depend on which results there are."""
    path = path_of("one.mkv")
    ffmpeg("-i", clip(), "-map", "0", "-t", "0.04", "-c:v", "ffv1", "-c:a", "pcm_s16le", path)
    assert table(report("--csv", path)[0])[0] == table(report("--csv", clip())[0])[0]


def test_csv_regions():
    """The columns of a region are no other's, whatever its name is."""
    places = {"left": "left", "Y": "Y", "ch0": "ch0", "a": "a", "a.Y": "a.Y", 'a,"b': 'a,"b',
              "motion": "motion", "signal": "signal", "a.motion": "a.motion#9", "a#9": "a#9#10",
              "x\ny": "x?y", "x\ty": "x?y#12", "loudness": "loudness"}
    with_old_names = places | {"motion": "motion#7", "signal": "signal#8", "loudness": "loudness#13"}
    regions = ";".join(f"{name}={8 * i},0,{8 + i},{16 + i}" for i, name in enumerate(places))
    lines = objects("--json", "--regions", regions, clip())
    for options, before, prefixes in ((("--csv",), "regions.", places), (("--csv", "--csv-names=1"), "", with_old_names)):
        names, rows = table(report(*options, "--regions", regions, clip())[0])
        assert names.index("area.x") < names.index(before + "left.Y.mean") < names.index("ch0.rms"), names
        for row, line in zip(rows, lines):
            if line["type"] != "frame":
                continue
            assert float(row["Y.mean"]) == line["Y"]["mean"] and float(row["motion.mafd"] or -1) == line.get(
                "motion", {"mafd": -1})["mafd"]
            for region, prefix in zip(line["regions"], prefixes.values()):
                assert float(row[f"{before}{prefix}.Y.mean"]) == region["Y"]["mean"], prefix
                assert float(row[f"{before}{prefix}.Y.count"]) == region["width"] * region["height"], prefix
                assert row[f"{before}{prefix}.motion.Y.mean"] == "" or float(
                    row[f"{before}{prefix}.motion.Y.mean"]) == region["motion"]["Y"]["mean"], prefix


def test_csv_names():
    """--csv-names=1 gives the same cells other names than those of rules; --csv-columns=all adds some columns, and changes none."""
    options = ("--csv", "--measures", MEASURES, "--regions", "left=0,0,50%,50%;motion=0,0,8,8;a.motion=0,0,9,9", clip())
    old_names, old = table(report("--csv-names=1", *options)[0])
    names, rows = table(report(*options)[0])
    assert report("--csv-names=2", *options)[0] == report(*options)[0]
    assert [list(row.values()) for row in rows] == [list(row.values()) for row in old]
    changed = dict(zip(old_names, names))
    for old_name, name in (("Y.mean", "Y.mean"), ("left.Y.mean", "regions.left.Y.mean"),
                           ("motion#2.Y.mean", "regions.motion.Y.mean"), ("a.motion#3.brng", None),
                           ("a.motion#3.signal.brng", "regions.a.motion#3.signal.brng"), ("ch0.rms", "ch0.rms"),
                           ("ch0-ch1.balance", "pairs.ch0+ch1.balance"), ("ch1.true-peak", "loudness.true-peak.ch1"),
                           ("loudness.range", "loudness.range")):
        assert changed.get(old_name) == name, (old_name, name, changed.get(old_name))
    every_name, all_rows = table(report("--csv-names=2", "--csv-columns=all", *options)[0])
    assert [name for name in every_name if name in changed.values()] == names
    assert all(row.items() <= with_all.items() for row, with_all in zip(rows, all_rows))
    added = [name for name in every_name if name not in changed.values()]
    assert len(added) == 25 * 3 + 4 * 3, added
    line = next(line for line in objects("--json", *options[1:]) if line["type"] == "frame" and line["timestamp"] > 0)
    row = next(row for row in all_rows if row["media"] == "video" and int(row["timestamp"]) == line["timestamp"])
    for i, zone in enumerate(line["flash"]["zones"]):
        assert {key: row[f"flash.zones.{i}.{key}"] for key in zone} == {key: str(value) for key, value in zone.items()}
    assert [int(row[f"regions.left.signal.bits-used.{name}"]) for name in "YUV"] == line["regions"][0]["signal"]["bits-used"]
    for wrong in (("--csv-names=2",), ("--csv", "--csv-names=0"), ("--csv", "--csv-columns=some"),
                  ("--csv", "--images", "--csv-names=2")):
        report(*wrong, clip(), status=2)
    # GLib would ignore the value.
    for name in "--json=out.json", "--json-summary=", "--quiet=3":
        assert "takes no value" in one_line(report(name, clip(), status=2)[1]), name


def test_csv_names_in_policies():
    """Each column, by both of its names, is a figure of a policy, whose limit is its value."""
    regions = "left=0,0,50%,50%;motion=0,0,8,8;a.motion=0,0,9,9"
    policy = path_of("columns.policy")
    for number in ("1", "2"):
        names, rows = table(report("--csv", "--csv-names", number, "--csv-columns=all", "--measures", MEASURES, "--regions",
                                   regions, clip())[0])
        lines = []
        for name in [name for name in names if "." in name][::7] + [
                name for name in names if re.search("zones.7|bits-used|[-+]ch1|true-peak", name)]:
            values = [float(row[name]) for row in rows if re.fullmatch("[-+.e0-9]+", row[name])]
            # Silence is -inf dB.
            if values and not any(row[name] == "-inf" for row in rows):
                lines += [f"r{len(lines)}: {name} >= {min(values)!r}", f"r{len(lines) + 1}: {name} < {max(values)!r}"]
        assert len(lines) > 200, lines
        with open(policy, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        summary = objects("--json-summary", "--measures", MEASURES, "--regions", regions, "--policy", policy, clip(),
                          status=3)[-1]
        wrong = [(rule["rule"], rule["verdict"]) for verdict in summary["policies"] for rule in verdict["rules"]
                 if rule["verdict"] != ("FAIL" if " < " in rule["rule"] else "PASS")]
        assert not wrong, wrong


def test_text():
    """A clip with all that the summary speaks of."""
    path = path_of("events.mkv")
    ffmpeg("-f", "lavfi", "-i", "color=black:size=160x120:rate=25:duration=3",
           "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=3",
           "-f", "lavfi", "-i", "smptebars=size=160x120:rate=25:duration=3",
           "-f", "lavfi", "-i", "aevalsrc='2*sin(2000*t)*lt(t,3)':s=48000:d=9",
           "-filter_complex", "[0][1][2]concat=n=3,format=yuv420p[v];[3]aformat=s16[a]",
           "-map", "[v]", "-map", "[a]", "-c:v", "ffv1", "-c:a", "pcm_s16le", path)
    text = report("--full", path)[0].decode()
    for part in ("video 0: 160 x 120, 25 frames/s", "225 frames", "legal range", "saturation",
                 "active picture", "RMS", "LUFS", "true peak", "clipped runs"):
        assert part in text, (part, text)
    rows = {line[4:19].strip(): line[19:] for line in text.splitlines() if line[4:5] != " "}
    following = dict(zip(text.splitlines(), text.splitlines()[1:]))

    def times(label):
        line = next(line for line in following if line[4:].startswith(label + " "))
        return line + following[line]
    assert "1, 3.0 s in all" in rows["black"], text
    assert "0:00:00.000 - 0:00:03.000" in times("black"), text
    assert "0:00:00.000" in times("freezes") and "0:00:06.000" in times("freezes"), text
    assert "0:00:06.000" in times("scene changes"), text
    # Alerts of rules have the rules' ids. Each rule is checked in its medium.
    ruled = report("--full", "--set", "rules=dim: Y.mean < 40 for 1 s; loud: ch*.rms < -20 dB; ok: Y.max < 999", path)[0].decode()
    broken = [line for line in ruled.splitlines() if "dim Y" in line or "loud mono" in line]
    assert len([line for line in ruled.splitlines() if line[4:].startswith("broken rules ")]) == 2, ruled
    assert "dim Y 0:00:03.000 - 0:00:09.000" in broken[0] and "loud mono 0:00:00.000 - 0:00:03.000" in broken[1], ruled
    # Whole buffers are silent.
    assert re.search(r"0:00:03.0\d\d - 0:00:09.000", times("silence")), text
    # The same in JSON.
    video, audio = objects("--json-summary", path)[0]["streams"]
    black = [alert for alert in video["alerts"] if alert["type"] == "black"]
    assert [(alert["start"], alert["end"]) for alert in black] == [(0, 3 * 10 ** 9)]
    assert audio["channels"][0]["clipped-runs"]["sum"] > 1000


def test_hdr():
    """The light levels of PQ are shown without being asked for."""
    path = path_of("pq.mkv")
    ffmpeg("-f", "lavfi", "-i", "color=white:size=64x64:rate=25:duration=1", "-pix_fmt", "yuv420p10le",
           # Where the encoder takes the colorimetry from depends on the version of ffmpeg.
           "-vf", "format=yuv420p10le,setparams=color_trc=smpte2084:color_primaries=bt2020:colorspace=bt2020nc:range=tv",
           "-c:v", "ffv1", "-color_trc", "smpte2084", "-color_primaries", "bt2020",
           "-colorspace", "bt2020nc", "-color_range", "tv", path)
    text = report("--full", path)[0].decode()
    assert "MaxCLL 10000, MaxFALL 10000 cd/m2" in text, text
    assert "MaxCLL" not in report("--full", picture())[0].decode()


def test_parts_of_colorimetry():
    """The range counts, and the transfer, though no matrix is named. Frames and summary say the same."""
    cases = {
        # Y = 30 is not black in full range; in limited range it is.
        "full.mkv": ("pc", "1:0:0:0", False),
        "limited.mkv": ("tv", "2:0:0:0", True),
        # AVI has no place for a range: ffmpeg 7 writes one in Matroska, limited, if it is told none.
        "unknown.avi": ("unknown", None, True),
    }
    for name, (span, colorimetry, is_black) in cases.items():
        path = path_of(name)
        ffmpeg("-f", "lavfi", "-i", f"color=c=black:s=64x48:d=3:r=25,format=yuv420p,lutyuv=y=30,setparams=range={span}",
               "-c:v", "ffv1", "-color_range", span, path)
        lines = objects("--json", path)
        stream = lines[-1]["streams"][0]
        assert lines[0]["Y"]["mean"] == 30 and lines[0]["Y"]["depth"] == 8, lines[0]
        assert stream.get("colorimetry") == colorimetry, stream
        if colorimetry is not None:
            assert lines[0]["colorimetry"] == colorimetry, lines[0]
        assert ("black" in [alert["type"] for alert in stream["alerts"]]) == is_black, (name, stream["alerts"])
        page = path_of(name + ".html")
        report("--html", page, path)
        with open(page, encoding="utf-8") as file:
            known = json.loads(re.search(r'id="description">(.*?)</script>', file.read()).group(1))
        assert {**known["summary"], "seconds": 0} == {**lines[-1], "seconds": 0}, name
        assert known["words"][0]["tagged"] == (span == "tv"), name
    path = path_of("pq-only.mkv")
    ffmpeg("-f", "lavfi", "-i", "color=white:size=64x64:rate=25:duration=1,format=yuv420p10le,"
           "setparams=color_trc=smpte2084:range=tv", "-c:v", "ffv1", "-color_trc", "smpte2084", "-color_range", "tv", path)
    assert "MaxCLL 10000, MaxFALL 10000 cd/m2" in report("--full", path)[0].decode()


def test_bars_and_dark_edges():
    """Bars are a finding if they are constant, also where single frames are darker; else edges are dark."""
    cases = {
        # A bar of 40 columns at the left; every fifth frame is dark up to the middle.
        "bars.mkv": ("drawbox=0:0:40:ih:black:fill,drawbox=0:0:80:ih:black:fill:enable='not(mod(n,5))'", False),
        # What is dark ends elsewhere in each frame: drawbox has no variable for the number of the frame.
        "edges.mkv": (",".join(f"drawbox=0:0:{42 + n * 7 % 60}:ih:black:fill:enable='eq(n,{n})'" for n in range(25)), True),
        # A bright line is no active picture: its columns are black.
        "line.mkv": ("drawbox=0:0:iw:ih:black:fill,drawbox=0:60:iw:2:white:fill", None),
    }
    for name, (filters, are_dark) in cases.items():
        path = path_of(name)
        ffmpeg("-f", "lavfi", "-i", "color=gray:s=160x120:r=25:d=1", "-vf", filters, "-c:v", "ffv1", path)
        lines = objects("--json", path)
        region = lines[-1]["streams"][0]["regions"][0]
        text = report("--full", path)[0].decode()
        if are_dark is None:
            assert lines[0]["area"] == {"x": 0, "y": 0, "width": 0, "height": 0}, lines[0]["area"]
            assert "area" not in region and "active picture" not in text, text
            continue
        left = 42 if are_dark else 40
        assert region["area"] == {"x": left, "y": 0, "width": 160 - left, "height": 120}, region["area"]
        assert f"active picture {160 - left} x 120 at {left},0" in text, text
        assert ("dark edges" in text) == are_dark, text
    # A merge knows as much as the report of all frames.
    summaries = []
    for name in ("bars.mkv", "edges.mkv", "bars.mkv"):
        summaries.append(path_of(f"{name}{len(summaries)}.json"))
        report("--json-summary", "--output", summaries[-1], path_of(name))
    merged = objects("--merge", "--json", *summaries)[-1]["streams"][0]["regions"][0]
    assert merged["area"]["x"] == 40 and merged["area-sides"]["frames"] == 75, merged
    assert merged["area-sides"]["left"] == [40, 0, 1], merged["area-sides"]
    assert "dark edges" not in report("--merge", *summaries)[0].decode()


def test_regions():
    text = report("--full", "--regions", "left=0,0,50%,100%", picture())[0].decode()
    assert "region left: 80 x 120 at 0,0" in text, text
    summary = objects("--json-summary", "--regions", "left=0,0,50%,100%", picture())[0]
    whole, left = summary["streams"][0]["regions"]
    assert left["components"][0]["count"] * 2 == whole["components"][0]["count"]


def test_output_file():
    output, _ = report("--json", "--output", "written.json", clip())
    assert output == b""
    with open(path_of("written.json"), encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    assert lines[-1]["type"] == "summary" and len(lines) == 181


def test_sound_without_figures():
    """Slow sound has no loudness, and a channel of NaN neither RMS nor peak: absent, not "inf" or "nan"."""
    ffmpeg("-f", "lavfi", "-i", "sine=duration=2:sample_rate=3000", "-c:a", "pcm_s16le", path_of("slow.wav"))
    output, _ = report("--full", "slow.wav")
    assert b"RMS" in output and b"loudness" not in output and b"LUFS" not in output, output
    (summary,) = objects("--json-summary", "slow.wav")
    assert "loudness" not in summary["streams"][0], summary["streams"][0]["loudness"]
    header = bytes.fromhex("52494646") + (36 + 4 * 48000).to_bytes(4, "little") + b"WAVEfmt " + (16).to_bytes(4, "little")
    header += b"\x03\x00\x01\x00" + (48000).to_bytes(4, "little") + (192000).to_bytes(4, "little") + b"\x04\x00\x20\x00"
    with open(path_of("nan.wav"), "wb") as file:
        file.write(header + b"data" + (4 * 48000).to_bytes(4, "little") + bytes.fromhex("0000c07f") * 48000)
    output, _ = report("--full", "nan.wav")
    assert b"NaN or infinite: 48000" in output and b" nan" not in output, output


if __name__ == "__main__":
    sys.exit(run_tests([value for name, value in list(globals().items())
                        if name.startswith("test_")]))
