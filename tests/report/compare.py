#!/usr/bin/python3
"""cudahisto-report --compare: the right figure at the right time, streams that do not fit, files and inputs.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import os
import re
import sys

from common import ROOT, ffmpeg, objects, one_line, path_of, picture, report, run_tests

SIZE = "96x64"
PICTURE = ["-f", "lavfi", "-i", f"testsrc2=size={SIZE}:rate=25:duration=4"]
MUSIC = ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000:duration=4:beep_factor=4"]


def master(name="master.mkv"):
    path = path_of(name)
    if not os.path.exists(path):
        ffmpeg(*PICTURE, *MUSIC, "-c:v", "ffv1", "-pix_fmt", "yuv420p", "-c:a", "pcm_s16le", path)
    return path


def made(name, *arguments):
    """A film that ffmpeg makes of the master."""
    path = path_of(name)
    if not os.path.exists(path):
        ffmpeg("-i", master(), *arguments, path)
    return path


LOSSLESS = ["-c:v", "ffv1", "-c:a", "pcm_s16le"]


def json_of(film, option="--json"):
    path = f"{film}{option}.json"
    if not os.path.exists(path):
        report(option, "--output", path, film)
    return path


def compare(a, b, *arguments, status=0):
    """The comparison, and its streams."""
    (one,) = objects("--compare", "--json", "--quiet", *arguments, a, b, status=status)
    assert one["type"] == "comparison"
    return one, one["streams"]


def names(stream):
    return [figure["figure"] for figure in stream["figures"]]


def facts(stream):
    return {fact["fact"]: (fact.get("a"), fact.get("b")) for fact in stream.get("facts", [])}


def test_equal():
    """Nothing differs between an input and itself, whatever the tolerance and the figures."""
    zero = ",".join(f"{kind}=0" for kind in compare(master(), master())[0]["tolerances"])
    one, streams = compare(master(), master(), "--tolerance", zero, "--figures", "*", "--regions", "half=0,0,50%,100%",
                           "--fail-on-difference")
    assert not one["different"] and len(streams) == 2, one
    for stream, results in zip(streams, (100, 40)):
        assert stream["matched"] == results and stream["only-in"] == {} and stream["shift"] == 0, stream
        assert stream["figures"] == [] and "facts" not in stream and "notes" not in stream, stream
        assert stream["compared-figures"] > 60, stream
    text = report("--compare", master(), master())[0].decode()
    assert "100 pairs of frames; none of " in text and "40 windows" in text, text


def test_encode():
    """A brightness that changes for a second comes first, with its time; so does louder sound. Then come limits."""
    change = made("encode.mkv", "-vf", "lutyuv=y='val+16':enable='between(t,2,2.96)'", "-af",
                  "volume=6dB:enable='between(t,1,1.95)'", "-c:v", "libx264", "-crf", "16", "-c:a", "flac")
    one, (video, audio) = compare(master(), change)
    assert one["different"]
    first = video["figures"][0]
    assert first["figure"] == "Y.mean" and first["unit"] == "sample", video["figures"]
    assert 2e9 <= first["time"] < 3e9 and first["results"] == 100 and first["different-results"] == 25, first
    assert abs(first["difference"] - 16) < 0.5 and abs(first["tolerance"] - 2.56) < 1e-9, first
    assert abs(first["b"] - first["a"] - first["difference"]) < 1e-9, first
    assert abs(first["mean-difference"] - first["difference"] / 4) < 0.3, first
    assert "U.mean" not in names(video) and "whole.Y.mean" not in names(video), names(video)
    limits = [figure["unit"].startswith("share") for figure in video["figures"]]
    assert limits == sorted(limits) and True in limits, video["figures"]
    weights = [abs(figure["difference"]) / figure["tolerance"] for figure in video["figures"]][:limits.index(True)]
    assert weights == sorted(weights, reverse=True) and len(weights) > 1, weights
    first = audio["figures"][0]
    assert first["figure"] in ("ch0.rms", "ch0.peak", "loudness.momentary"), audio["figures"]
    assert 1e9 <= first["time"] < 2e9 and abs(first["difference"] - 6) < 0.2, first
    assert facts(video)["codec"][1].startswith("H.264"), video["facts"]
    output, _ = report("--compare", "--fail-on-difference", "--quiet", master(), change, status=3)
    rows = [line.split() for line in output.decode().splitlines()]
    head = rows.index(["figure", "A", "B", "difference", "tolerance", "unit", "time", "from", "-", "to", "frames"])
    assert rows[head + 1][0] == "Y.mean" and re.match("0:00:02[.]", rows[head + 1][6]), rows[head + 1]
    assert rows[head + 1][7:] == ["0:00:02.000", "-", "0:00:02.960", "25", "of", "100"], rows[head + 1]
    # A tolerance that is wide enough; its name and its value are in the report.
    one, (video, audio) = compare(master(), change, "--tolerance", "mean=10,sample=10",
                                  "--tolerance", "share=1,level=9,psnr=20,ssim=0.5,sound=0", "--fail-on-difference")
    assert one["tolerances"]["mean"] == 10 and one["tolerances"]["level"] == 9, one["tolerances"]
    assert not one["different"] and names(video) == names(audio) == [], (names(video), names(audio))
    # Only the figures that are named.
    _, (video, audio) = compare(master(), change, "--figures", "Y.m*+signal.brng")
    assert {"Y.mean", "whole.Y.mean", "signal.brng"} < set(names(video)), names(video)
    assert all(re.fullmatch(r"(whole\.)?(Y\.m.*|signal\.brng)", name) for name in names(video)), names(video)
    assert audio["compared-figures"] == 0, audio
    assert "no figure could be compared" in audio["notes"], audio


def test_names():
    """--figures takes the names of rules and those of columns of CSV, and prints the first ones; a name without a region is that
    of each region."""
    change = path_of("names.mkv")
    ffmpeg("-i", master(), "-vf", "lutyuv=y=val+9", "-af", "aformat=channel_layouts=stereo,volume=3dB,pan=stereo|c0=c0|c1=-0.5*c0",
           *LOSSLESS, change)
    both = path_of("stereo.mkv")
    ffmpeg("-i", master(), "-af", "aformat=channel_layouts=stereo", *LOSSLESS, both)
    regions = ["--regions", "logo=0,0,50%,50%;edge=0,0,8,8"]
    for figures, expected in (
            ("regions.logo.Y.mean", {"regions.logo.Y.mean", "whole.regions.logo.Y.mean"}),
            ("logo.Y.mean", {"regions.logo.Y.mean", "whole.regions.logo.Y.mean"}),
            ("whole.logo.Y.mean+whole.regions.edge.Y.p1", {"whole.regions.logo.Y.mean", "whole.regions.edge.Y.p1"}),
            ("Y.mean", {f"{whole}{region}Y.mean" for whole in ("", "whole.") for region in ("", "regions.logo.", "regions.edge.")}),
            ("pairs.ch0+ch1.balance+loudness.true-peak.ch0", {"pairs.ch0+ch1.balance", "whole.pairs.ch0+ch1.balance",
                                                               "loudness.true-peak.ch0", "whole.loudness.true-peak.ch0"}),
            ("ch0-ch1.balance+whole.ch1.true-peak", {"pairs.ch0+ch1.balance", "whole.pairs.ch0+ch1.balance",
                                                     "whole.loudness.true-peak.ch1"}),
            ("pairs.ch*+ch1.correlation", {"pairs.ch0+ch1.correlation", "whole.pairs.ch0+ch1.correlation"})):
        _, streams = compare(both, change, "--figures", figures, *regions)
        assert {name for stream in streams for name in names(stream)} == expected, (figures, [names(s) for s in streams])
    text = report("--compare", "--quiet", "--figures", "logo.Y.mean", *regions, both, change)[0].decode()
    assert any(line.split()[:1] == ["regions.logo.Y.mean"] for line in text.splitlines()), text
    for wrong, nearest in (("ch0.true-paek", "loudness.true-peak.ch0"), ("regions.loog.Y.mean", "regions.logo.Y.mean")):
        error = report("--compare", "--quiet", "--figures", wrong, *regions, both, change, status=2)[1].decode()
        assert re.search(f"the nearest is (whole[.])?{nearest}", error), error


def test_files():
    """A file of JSON has the figures of its input, also a pipe; a summary has no frames, and this is said."""
    other = made("other.mkv", "-vf", "hue=s=0.5", *LOSSLESS)
    arguments = ["--compare", "--quiet"]
    expected = report(*arguments, json_of(master()), json_of(other))[0]
    assert expected.startswith(b"DIFFERENT: pictures not compared: a report in JSON has none; "), expected
    for a, b in ((json_of(master()), other), (master(), json_of(other))):
        assert report(*arguments, a, b)[0] == expected, (a, b)
    with open(json_of(other), "rb") as file:
        text = file.read()
    reading, writing = os.pipe()
    os.set_blocking(writing, True)
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(text)
        os._exit(0)
    os.close(writing)
    assert report(*arguments, master(), f"/dev/fd/{reading}", pass_fds=[reading])[0] == expected
    os.close(reading)
    os.waitpid(child, 0)
    _, (video, _) = compare(master(), other)
    first = video["figures"][0]
    assert first["figure"].startswith("signal.saturation."), names(video)
    one, (video, audio) = compare(master(), json_of(other, "--json-summary"))
    assert one["different"] and names(video)[0].startswith("whole.signal.saturation"), names(video)
    assert "time" not in video["figures"][0] and "matched" not in video, video
    for stream in (video, audio):
        assert "B has only the summary: no frames are compared" in stream["notes"], stream
    # With frames, the whole says nothing that they do not say.
    assert all(name.startswith("whole.") for name in names(video))


def test_other_formats():
    """Sizes, depths and rates: frames are found by their times, and samples are scaled."""
    scaled = made("scaled.mkv", "-vf", "scale=48:32:flags=area,fps=50", "-pix_fmt", "yuv420p10le", "-ar", "44100",
                  *LOSSLESS[:3], "pcm_f32le")
    one, (video, audio) = compare(json_of(master()), scaled)
    told = facts(video)
    assert told["size"] == ("96 x 64", "48 x 32") and told["frames"] == ("100", "200"), told
    assert told["frame-rate"] == ("25 frames/s", "50 frames/s") and told["format"][1] == "10-bit 4:2:0 YUV (I420_10LE)", told
    assert facts(audio)["rate"] == ("48000 Hz", "44100 Hz"), audio
    assert video["matched"] == 100 and video["only-in"]["b"]["results"] == 100, video
    assert "a" not in video["only-in"] and audio["matched"] == 40, video
    assert any("another range" in note for note in video["notes"]), video["notes"]
    assert not {"Y.mean", "U.mean", "V.mean"} & set(names(video)), names(video)
    assert not {"ch0.rms", "whole.loudness.integrated"} & set(names(audio)), names(audio)
    # A higher rate is no fault, and no more than what differs is one.
    assert one["different"] == bool(video["figures"] or audio["figures"])
    # The mean of four samples has two more bits: scaled back, the means are equal.
    _, (video, _) = compare(json_of(master()), scaled, "--figures", "Y.mean", "--tolerance", "mean=0")
    assert video["compared-figures"] == 2 and video["figures"] == [], video["figures"]
    _, (video, _) = compare(json_of(master()), scaled, "--figures", "Y.p50", "--tolerance", "sample=0")
    assert abs(video["figures"][0]["a"] - video["figures"][0]["b"]) < 16, video["figures"]
    # 9 ms are nearer than 11 ms.
    _, (video, _) = compare(json_of(master()), scaled, "--offset", "0.011")
    assert video["matched"] == 100 and video["only-in"]["b"]["start"] == 0, video["only-in"]
    rgb = made("rgb.mkv", "-pix_fmt", "gbrp", *LOSSLESS)
    _, (video, _) = compare(json_of(master()), rgb)
    assert any("A has Y, U, V, and B has R, G, B" in note for note in video["notes"]), video["notes"]
    assert video["compared-figures"] > 0 and "Y.mean" not in names(video), video


def test_times():
    """The start of the container; missing frames at the begin, in the middle and at the end; a missing stream."""
    shifted = made("shifted.mkv", "-c", "copy", "-output_ts_offset", "7.5")
    one, (video, _) = compare(json_of(master()), shifted)
    assert not one["different"] and video["matched"] == 100, video
    late = made("late.mkv", "-vf", "select='gte(n,10)'", "-vsync", "vfr", *LOSSLESS)
    one, (video, audio) = compare(json_of(master()), late)
    assert one["different"] and video["matched"] == 90 and video["shift"] == 400000000, video
    assert video["only-in"] == {"a": {"results": 10, "length": 400000000, "start": 0, "end": 400000000}}, video
    assert names(video) == ["whole.duration"] and facts(video)["starts"][1] == "0.400 s later", video
    assert audio["matched"] == 40 and audio["figures"] == [], audio
    # Nothing tells of it but the user if the whole film begins later.
    cut = made("cut.mkv", "-ss", "0.4", *LOSSLESS)
    one, (video, _) = compare(cut, json_of(master()), "--offset", "0.4")
    assert video["shift"] == -400000000 and names(video) == ["whole.duration"], video
    assert video["matched"] == 90 and video["only-in"]["b"]["end"] == 400000000, video
    for offset, differ in ((0, True), (0.4, False)):
        _, (video, _) = compare(cut, json_of(master()), "--figures", "Y.*", "--tolerance", "sample=0,mean=0",
                                "--offset", str(offset))
        assert ("Y.mean" in names(video)) == differ, (offset, names(video))
    hole = made("hole.mkv", "-vf", "select='not(between(n,50,59))'", "-vsync", "vfr", *LOSSLESS)
    one, (video, _) = compare(json_of(master()), hole, "--figures", "Y.*", "--tolerance", "time=0.5")
    assert not one["different"], one
    assert video["only-in"]["a"] == {"results": 10, "length": 400000000, "start": 2000000000, "end": 2400000000}, video
    one, (video, _) = compare(json_of(master()), hole)
    # The frame behind the hole moves further.
    assert one["different"] and {name.split(".")[0] for name in names(video)} == {"motion"}, video
    assert {figure["time"] for figure in video["figures"]} == {2400000000}, video
    # The figures follow the pictures: frames that are missing at the begin, or within, change none of them.
    lacking = made("lacking.mkv", "-an", "-vf", "select='gte(n,5)*lt(n,75)*not(between(n,40,42))',setpts=N/(25*TB)", "-c:v", "ffv1")
    whole = made("whole.mkv", "-t", "3", "-an", "-c:v", "ffv1")
    one, (video,) = compare(whole, lacking)
    assert video["matched"] == 67 and video["only-in"] == {"a": {"results": 8, "length": 320000000, "start": 0, "end": 1720000000}}, video
    behind = {figure["figure"].split(".")[0]: figure["start"] for figure in video["figures"] if "start" in figure}
    # The motion of the frame behind the gap is that of the gap.
    assert set(behind) <= {"motion", "detail"} and set(behind.values()) <= {1720000000}, video["figures"]
    # Frames that follow each other have not the same time.
    first, second = (made(f"without-{n}.mkv", "-t", "3", "-an", "-vf", f"select='not(eq(n,{n}))'",
                          "-vsync", "vfr", "-c:v", "ffv1") for n in (50, 51))
    _, (video,) = compare(first, second)
    assert video["matched"] == 73, video
    assert [video["only-in"][side]["start"] for side in "ab"] == [2040000000, 2000000000], video["only-in"]
    short = made("short.mkv", "-t", "3", *LOSSLESS)
    one, (video, audio) = compare(short, json_of(master()))
    only = {"results": 25, "length": 1000000000, "start": 3000000000, "end": 4000000000}
    assert video["only-in"] == {"b": only}, video
    assert "whole.duration" in names(video) and "whole.duration" in names(audio), (video, audio)
    mute = made("mute.mkv", "-an", "-c:v", "copy")
    one, (video, audio) = compare(json_of(master()), mute)
    assert one["different"] and video["figures"] == [], video
    alone = {"verdict": "DIFFERENT", "reasons": ["only in A"]}
    assert audio == {"a": {"stream": 1, "media": "audio", "title": "audio 1"}, **alone}, audio
    assert compare(mute, json_of(master()))[1][1] == {"b": audio["a"], "verdict": "DIFFERENT", "reasons": ["only in B"]}
    assert b"audio 1: only in A\n" in report("--compare", json_of(master()), mute)[0]
    # Sound alone has the number 0: streams are found by their medium.
    sound = made("sound.mkv", "-vn", "-c:a", "copy")
    one, (video, audio) = compare(json_of(master()), sound)
    assert list(video) == ["a", "verdict", "reasons"] and audio["b"]["stream"] == 0 and audio["figures"] == [], (video, audio)


def test_infinities():
    """Silence is no more than quiet, equal infinities do not differ, and NaN has no difference."""
    silence, quiet, broken = (made(name, "-vn", "-af", volume, "-c:a", "pcm_f32le") for name, volume in (
        ("silence.wav", "volume=0"), ("quiet.wav", "volume=-100dB"), ("broken.wav", "aeval=0/0")))
    one, (audio,) = compare(silence, quiet, "--tolerance", "default")
    assert one["verdict"] == "WITHIN TOLERANCE" and audio["matched"] == 40, audio
    one, (audio,) = compare(silence, made("loud.wav", "-vn", "-c:a", "pcm_f32le"))
    assert "ch0.rms" in names(audio), audio
    rms = next(figure for figure in audio["figures"] if figure["figure"] == "ch0.rms")
    assert rms["a"] < -90 and 40 < rms["difference"] < 90, rms
    integrated = next(figure for figure in audio["figures"] if figure["figure"] == "whole.loudness.integrated")
    assert integrated["a"] == "-inf" and 20 < integrated["difference"] < 70, integrated
    one, (audio,) = compare(silence, broken, "--figures", "*")
    found = {figure["figure"]: figure for figure in audio["figures"]}
    assert found["ch0.nan"]["b"] == 4800 and found["ch0.nan"]["a"] == 0, found.keys()
    assert "ch0.mean" not in found and all(isinstance(figure["difference"], (int, float)) for figure in found.values())
    assert not compare(broken, broken, "--figures", "*")[0]["different"]
    # Figures that only a file can have.
    path = path_of("infinite.json")
    with open(json_of(master()), encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    for line in lines[:-1]:
        if line["type"] == "frame" and line["stream-time"] == 1000000000:
            line["Y"]["mean"] = "inf"
            line["U"]["mean"] = None
            line["V"] = 7
            line["signal"] = []
    write(path, lines)
    one, (video, _) = compare(json_of(master()), path)
    assert [(f["figure"], f["b"], f["difference"], f["time"]) for f in video["figures"]] == [
        ("Y.mean", "inf", "inf", 1000000000)], video["figures"]
    assert "mean-difference" in video["figures"][0]
    assert b"+inf" in report("--compare", json_of(master()), path)[0]


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)


def test_first_line():
    """The text begins with the verdict; a row has the times between which its figure differs."""
    output = report("--compare", master(), json_of(master()))[0]
    assert output.startswith(b"EQUAL FIGURES within the tolerances: pictures not compared: a report in JSON has none\n"), output
    change = made("bright.mkv", "-an", "-vf", "eq=brightness=0.2:enable='between(t,1,1.96)'", "-c:v", "ffv1")
    _, (video, _) = compare(master(), change, "--figures", "Y.mean")
    (frames,) = (figure for figure in video["figures"] if "time" in figure)
    assert (frames["start"], frames["end"]) == (1000000000, 1960000000) and frames["different-results"] == 25, frames
    assert frames["start"] <= frames["time"] <= frames["end"], frames
    for option, status in ((), 0), (("--fail-on-difference",), 3):
        text = report("--compare", "--figures", "Y.mean", *option, master(), change, status=status)[0].decode()
        assert " 0:00:01.000 - 0:00:01.960 " in text, text
        assert re.match(r"DIFFERENT: video 0: .*: Y [+]50: .*, 25 of 100 frames differ, first at 0:00:01.000, .*; audio 1: only in A\n", text), text


def test_nothing_compared():
    """A name that is no figure, streams without a common figure, and files without a stream are not the same."""
    for wanted, problem in (("Y.maen", "Y.maen; the nearest is Y.mean"), ("Y.mean+chx.rms", "chx.rms"),
                            ("x*", "x*"), ("x*+y?", "x*")):
        output, errors = report("--compare", "--figures", wanted, master(), json_of(master()), status=2)
        assert output == b"" and problem in one_line(errors), errors
    # Of patterns one is enough.
    assert not compare(master(), json_of(master()), "--figures", "x*+Y.*")[0]["different"]
    with open(json_of(master()), encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    path = path_of("bare.json")
    summary = lines[-1]
    write(path, [{**summary, "streams": []}])
    for sides in (path, master()), (master(), path):
        output, errors = report("--compare", "--quiet", *sides, status=1)
        assert output == b"" and "bare.json: has no stream to compare" in one_line(errors), errors
    # Sound whose figures have no value at all.
    broken = made("nan.wav", "-vn", "-af", "aeval=0/0", "-c:a", "pcm_f32le")
    measured = json_of(broken)
    one, (audio,) = compare(measured, broken, "--figures", "ch0.rms", "--fail-on-difference", status=3)
    assert one["different"] and audio["compared-figures"] == 0, one
    assert report("--compare", "--figures", "ch0.rms", measured, measured)[0].startswith(
        b"DIFFERENT: sound not compared: a report in JSON has none; no figure could be compared\n")
    assert compare(broken, broken)[0]["verdict"] == "SAME"


def test_whole_as_in_rules():
    """A figure of the whole means what it means in a policy."""
    pq = ["-an", "-c:v", "ffv1", "-color_trc", "smpte2084", "-color_primaries", "bt2020", "-colorspace", "bt2020nc"]
    dark = made("pq.mkv", "-vf", "lutyuv=y=val/2:u=128:v=128", *pq)
    change = made("lighter.mkv", "-vf", "lutyuv=y=val/2:u=128:v=128:enable='not(eq(n,50))'", *pq)
    settings = ["--measures", "hdr+field"]
    _, (video,) = compare(dark, change, *settings, "--figures", "whole.hdr.max", "--tolerance", "light=0")
    found = {figure["figure"]: figure for figure in video["figures"]}
    frames = objects("--json", *settings, change)
    greatest = max(frame["hdr"]["max"] for frame in frames if frame["type"] == "frame")
    assert found["whole.hdr.max"]["b"] == greatest, (found, greatest)
    policy = path_of("whole.policy")
    with open(policy, "w", encoding="utf-8") as file:
        file.write(f"most: whole.hdr.max < {greatest}\n")
    (summary,) = objects("--json-summary", *settings, "--policy", policy, change, status=3)
    (finding,) = summary["policies"][0]["rules"][0]["findings"]
    assert finding["worst"] == greatest, finding


def test_bad_files():
    """Files that are no reports, or no whole ones: one line says which and why, and nothing is written."""
    good = json_of(master())
    with open(good, encoding="utf-8") as file:
        lines = file.read().splitlines()
    path, output = path_of("bad.json"), path_of("bad-output.json")
    images = json_of(picture(), "--json-summary")
    merged = report("--images", "--json-summary", "--quiet", os.path.join(ROOT, "docs/images"))[0].decode().splitlines()
    for number, (text, problem) in enumerate(((lines[:50] + [lines[50][:-20]] + lines[51:], "line 51: "),
                          (lines[:50] + [lines[50].replace(":", ";")] + lines[51:], "line 51: is no JSON"),
                          (lines[:50] + ['{"stream":0,"a":' + "[" * 100000] + lines[51:], "line 51: .*nested"),
                          (lines[:-1], "has no summary"),
                          (lines[:-1] + [lines[-1][:-30]], "bad.json: "),
                          (lines + lines[-1:], "has the summaries of 2 inputs"),
                          (["{}"], "has no summary"), (["{"], "has no summary"),
                          (merged, "set of images"))):
        write(path, text)
        inputs = (good, path) if number % 2 == 0 else (path, good)
        result, errors = report("--compare", "--quiet", "--output", output, *inputs, status=1)
        assert result == b"" and not os.path.exists(output), text[:2]
        assert re.search(problem, one_line(errors)) and "bad.json" in one_line(errors), errors
    # Lines and members that nobody knows change nothing.
    strange = [json.dumps({**json.loads(line), "more": {"stream": 1}}) for line in lines[:-1]]
    write(path, ["", '{"type":"frame"}', '{"type":"frame","stream":"0"}', '{"type":["frame"],"stream":0}',
                 *strange, lines[-1], "7"])
    assert not compare(good, path)[0]["different"]
    empty = path_of("nothing.mkv")
    write(empty, [])
    for other in (empty, path_of("absent.mkv"), ROOT):
        result, errors = report("--compare", "--quiet", good, other, status=1)
        assert result == b"" and one_line(errors), errors
    assert not compare(images, images)[0]["different"]


def test_options():
    """Options that do not fit, an output that is an input, and what --help and the documents say."""
    good = json_of(master())
    for arguments, problem in (
            ([good], "two INPUTs"), ([good, good, good], "two INPUTs"), (["--csv", good, good], "text or JSON"),
            (["--json-summary", good, good], "text or JSON"), (["--qctools", "x", good, good], "text or JSON"),
            (["--merge", good, good], "takes no --merge"), (["--jobs", "2", good, good], "takes no --merge"),
            (["--tolerance", "mean", good, good], "KIND=NUMBER"), (["--tolerance", "x=1", good, good], "KIND one of"),
            (["--tolerance", "mean=-1", good, good], "from 0 on"), (["--tolerance", "mean=nan", good, good], "from 0"),
            (["--tolerance", "mean=1x", good, good], "from 0"), (["--tolerance", "", good, good], "KIND=NUMBER"),
            (["--figures", "", good, good], "--figures"), (["--figures", "Y.mean++a", good, good], "--figures"),
            (["--offset", "soon", good, good], "seconds"), (["--offset", "1e300", good, good], "seconds"),
            (["--output", good, good, master()], "is an input"), (["--output", good, master(), good], "is an input")):
        output, errors = report("--compare", *arguments, status=2)
        assert output == b"" and problem in one_line(errors), (arguments, errors)
    for arguments in (["--fail-on-difference"], ["--offset", "1"], ["--figures", "*"], ["--tolerance", "mean=1"]):
        assert "need --compare" in one_line(report(*arguments, good, status=2)[1])
    output = path_of("comparison.json")
    report("--compare", "--json", "--output", output, good, good)
    with open(output, encoding="utf-8") as file:
        defaults = json.load(file)["tolerances"]
    with open(os.path.join(ROOT, "docs/report.md"), encoding="utf-8") as file:
        table = file.read().partition("\n| kind | tolerance |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `([a-z]+)` \| (-?[0-9.]+) \|", table, re.MULTILINE)
    assert {kind: float(number) for kind, number in rows} == defaults, (rows, defaults)


sys.exit(run_tests([test_equal, test_encode, test_names, test_files, test_other_formats, test_times, test_infinities,
                    test_first_line, test_nothing_compared, test_whole_as_in_rules,
                    test_bad_files, test_options]))
