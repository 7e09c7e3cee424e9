#!/usr/bin/python3
"""Many inputs: jobs, folders, result files, and merging.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import os
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

from common import (PROGRAM, TIMEOUT, children_of, clip, ffmpeg, files_of, last_worker, makes_pages, objects, one_line, path_of, picture, report,
                    run_tests, sound, worker_of)


def season():
    """A folder with three episodes, one of them in a folder of its own, and a text."""
    folder = path_of("season")
    if not os.path.exists(folder):
        os.makedirs(os.path.join(folder, "extras"))
        for number, name in enumerate(("one.mkv", "two.mkv", "extras/three.mkv")):
            ffmpeg("-f", "lavfi", "-i", f"testsrc2=size=160x120:rate=25:duration={number + 1}",
                   "-f", "lavfi", "-i", f"sine=sample_rate=48000:frequency={number + 1}000:duration={number + 1}",
                   "-c:v", "ffv1", "-pix_fmt", "yuv420p", "-c:a", "pcm_s16le",
                   os.path.join(folder, name))
        with open(os.path.join(folder, "notes.txt"), "w", encoding="utf-8") as file:
            file.write("No media.\n")
    return folder


def concatenated():
    """One file with all frames of the episodes."""
    path = path_of("all.mkv")
    with open(path_of("list.txt"), "w", encoding="utf-8") as file:
        for name in ("extras/three.mkv", "one.mkv", "two.mkv"):
            file.write(f"file '{os.path.join(season(), name)}'\n")
    ffmpeg("-f", "concat", "-safe", "0", "-i", path_of("list.txt"), "-c", "copy", path)
    return path


def test_folder():
    """The media files in a folder, in order, each with its report."""
    for jobs in ("1", "3"):
        output, errors = report("--jobs", jobs, season())
        assert errors == b"", errors
        names = [line.split(b":")[0] for line in output.splitlines() if b"measured in" in line]
        assert [os.path.basename(name) for name in names] == [b"three.mkv", b"one.mkv", b"two.mkv"]
    # Containers whose types begin with "application/".
    others = path_of("others")
    os.makedirs(others)
    for name, options in {"a.y4m": ["-f", "lavfi", "-i", "testsrc2=size=32x32:duration=1"],
                          "b.ogg": ["-i", sound(), "-c:a", "libvorbis"],
                          "c.mp3": ["-i", sound(), "-c:a", "libmp3lame", "-metadata", "title=c"],
                          "d.png": ["-f", "lavfi", "-i", "testsrc2=size=32x32", "-frames:v", "1"]}.items():
        ffmpeg(*options, os.path.join(others, name))
    with open(os.path.join(others, "list.m3u8"), "w", encoding="utf-8") as file:
        file.write("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nc.mp3\n#EXT-X-ENDLIST\n")
    output, _ = report(others)
    names = [line.split(b":")[0] for line in output.splitlines() if b"measured in" in line]
    assert [os.path.basename(name) for name in names] == [b"a.y4m", b"b.ogg", b"c.mp3"], names
    # A named pipe that nobody writes to is no file.
    os.mkfifo(os.path.join(others, "pipe.mkv"))
    assert report(others)[0].count(b"measured in") == 3
    empty = path_of("empty")
    os.makedirs(empty)
    _, errors = report(empty, status=1)
    one_line(errors)


def test_jobs_are_equal():
    """JSON of jobs is that of one process."""
    def lines(*arguments):
        found = objects("--json", *arguments, season())
        for line in found:
            line.pop("seconds", None)
        return sorted(found, key=lambda line: (line["input"], line.get("stream", 9),
                                               line.get("timestamp", 0)))
    for one, other in zip(lines("--jobs", "2"), lines(), strict=True):
        assert one == other, (str(one)[:300], str(other)[:300])


def test_jobs_charset():
    """Texts of options reach the processes of jobs in the charset of the locale."""
    # GLib takes the charset from this variable, so that no locale need be installed.
    environment = {**os.environ, "CHARSET": "ISO-8859-1"}
    arguments = ["--json-summary", "--regions=caf\u00e9=0,0,16,16".encode("latin-1"), picture(),
                 picture("again.mkv")]
    for jobs in ("1", "2"):
        summaries = objects("--jobs", jobs, *arguments, env=environment)
        names = [[region.get("name") for region in summary["streams"][0]["regions"]]
                 for summary in summaries]
        assert len(names) == 2 and all("caf\u00e9" in regions for regions in names), names


def test_results_without_last_byte():
    """A result file whose last line has no end is still a line of its own."""
    arguments = ["--json-summary", "--results", "results-cut", season()]
    first = objects(*arguments)
    for name in os.listdir(path_of("results-cut")):
        path = os.path.join(path_of("results-cut"), name)
        assert os.path.getsize(path) > 1
        os.truncate(path, os.path.getsize(path) - 1)
    assert objects(*arguments) == first and len(first) == 3


def test_complete_results():
    """If all results are complete, their reports are written again."""
    folder = path_of("results-complete")
    first, _ = report("--results", folder, sound())
    (name,) = os.listdir(folder)
    path = os.path.join(folder, name)
    with open(path, "rb") as file:
        result = file.read()
    second, _ = report("--results", folder, sound())
    assert b"audio 0" in second and second == first, (first, second)
    with open(path, "rb") as file:
        assert file.read() == result


def test_long_name():
    """The longest name that a file may have, with results."""
    name = "n" * 251 + ".wav"
    shutil.copyfile(sound(), path_of(name))
    for _ in range(2):
        (summary,) = objects("--json-summary", "--results", "results-long", name)
        assert summary["complete"] and summary["input"] == name
    assert len(os.listdir(path_of("results-long"))) == 1
    # The result's name begins with that of the input, without a part of a character.
    for start in ("n" * 199, "n" * 200):
        name = start + "\u00e9" * 20 + ".wav"
        shutil.copyfile(sound(), path_of(name))
        report("--results", "results-accents", name)
    names = [os.fsencode(name).decode("utf-8") for name in os.listdir(path_of("results-accents"))]
    assert sorted(len(name.split(".")[0]) for name in names) == [199, 200], names


def test_shards():
    """Each input is in one shard."""
    names = []
    for shard in range(2):
        output, _ = report("--shard", f"{shard}/2", season())
        names += [line.split(b":")[0] for line in output.splitlines() if b"measured in" in line]
    assert sorted(os.path.basename(name) for name in names) == [b"one.mkv", b"three.mkv", b"two.mkv"]
    assert report("--shard", "5/9", season()) == (b"", b"")
    for wrong in ("2/2", "1", "-1/2", "a/b"):
        one_line(report("--shard=" + wrong, season(), status=2)[1])


def test_merge_is_exact():
    """The merged summary is that of one file with all the frames."""
    report("--json-summary", "--output", "parts.json", season())
    (merged,) = objects("--merge", "--json-summary", "parts.json")
    (whole,) = objects("--json-summary", concatenated())
    assert merged["inputs"] == 3 and merged["complete"]
    for ours, theirs in zip(merged["streams"], whole["streams"]):
        assert (ours["media"], ours["results"]) == (theirs["media"], theirs["results"])
        for one, other in zip(ours["regions"][0]["components"],
                              theirs["regions"][0]["components"]):
            # The first frame of a file has no previous one: there are two differences more.
            if one["group"] == "motion":
                continue
            assert one["name"] == other["name"] and one["histogram"] == other["histogram"]
            for key in ("count", "min", "max", "sum", "p1", "p50", "p99", "mode", "entropy"):
                assert one[key] == other[key], (one["name"], key)
            for key in ("mean", "variance"):
                assert abs(one[key] - other[key]) <= 1e-9 * max(1, abs(other[key])), (one, key)
    ours, theirs = (summary["streams"][1]["loudness"] for summary in (merged, whole))
    assert abs(ours["integrated"]["last"] - theirs["integrated"]["last"]) < 0.3, ours["integrated"]
    text = report("--merge", "parts.json")[0].decode()
    assert "all inputs: 3 inputs" in text and "150 frames" in text, text


def test_merge_is_associative():
    """Merging merged summaries gives the same counts."""
    report("--json-summary", "--output", "parts.json", season())
    with open(path_of("parts.json"), encoding="utf-8") as file:
        lines = file.readlines()
    for number, line in enumerate(lines):
        with open(path_of(f"part{number}.json"), "w", encoding="utf-8") as file:
            file.write(line)
    report("--merge", "--json-summary", "--output", "first.json", "part0.json", "part1.json")
    (stepwise,) = objects("--merge", "--json-summary", "first.json", "part2.json")
    (at_once,) = objects("--merge", "--json-summary", "parts.json")
    assert stepwise["inputs"] == at_once["inputs"] == 3
    for ours, theirs in zip(stepwise["streams"], at_once["streams"]):
        for one, other in zip(ours["regions"][0]["components"],
                              theirs["regions"][0]["components"]):
            assert one["histogram"] == other["histogram"] and one["sum"] == other["sum"]
            assert abs(one["variance"] - other["variance"]) <= 1e-12 * max(1, other["variance"])
        assert ours["alerts"] == theirs["alerts"]
    assert (stepwise["streams"][1]["loudness"]["integrated"]
            == at_once["streams"][1]["loudness"]["integrated"])


def test_merge_regions():
    """Inputs that were measured with other regions: those of one name are added up."""
    for name, regions in (("one", "left=0,0,50%,100%"), ("two", "right=50%,0,50%,100%;left=0,0,50%,100%")):
        report("--json-summary", "--output", name + ".json", "--regions", regions,
               os.path.join(season(), name + ".mkv"))
    (merged,) = objects("--merge", "--json-summary", "one.json", "two.json")
    found = {region.get("name"): region for region in merged["streams"][0]["regions"]}
    assert list(found) == [None, "left", "right"], list(found)
    expected = {}
    for name in ("one", "two"):
        with open(path_of(name + ".json"), encoding="utf-8") as file:
            for region in json.load(file)["streams"][0]["regions"]:
                expected[region.get("name")] = (expected.get(region.get("name"), 0)
                                                + region["components"][0]["count"])
    for name, count in expected.items():
        assert found[name]["components"][0]["count"] == count, name


def test_merge_refuses():
    """Files that are no results: one line each, and the others are merged."""
    report("--json-summary", "--output", "good.json", sound())
    with open(path_of("good.json"), encoding="utf-8") as file:
        good = json.load(file)
    bad = {"text": "no JSON \"summary\"", "number": "5", "nothing": ""}
    component = good["streams"][0]["regions"][0]["components"][0]
    for name, changes in {"bins": {"bins": 70000}, "control": {"name": "\x1b[2J"}, "short": {"histogram": [1]},
                          "negative": {"count": -1}, "kind": {"count": "5"},
                          "counts": {"histogram": [-1] * 256}, "group": {"group": "none"},
                          "name": {"name": None}}.items():
        changed = json.loads(json.dumps(good))
        changed["streams"][0]["regions"][0]["components"][0] = {**component, **changes}
        bad[name] = json.dumps(changed)
    bad["version"] = json.dumps({**good, "version": 99})
    bad["streams"] = json.dumps({**good, "streams": 1})
    bad["channels"] = json.dumps({**good, "streams": [{**good["streams"][0], "channels": [5]}]})
    # Numbers that are impossible together.
    stream = good["streams"][0]
    bad["times"] = json.dumps({**good, "streams": [{**stream, "start": 5, "end": 4}]})
    bad["no-end"] = json.dumps({**good, "streams": [
        {key: value for key, value in stream.items() if key != "end"}]})
    area = {"x": 2**31 - 2, "y": 0, "width": 2, "height": 1}
    for name, changes in {"area": {"area": area}, "region": area}.items():
        region = {**stream["regions"][0], **changes}
        bad[name] = json.dumps({**good, "streams": [{**stream, "regions": [region]}]})
    region = {**stream["regions"][0],
              "components": [{**component, "count": component["count"] + 1}]}
    bad["sum"] = json.dumps({**good, "streams": [{**stream, "regions": [region]}]})
    for name, text in bad.items():
        with open(path_of(name + ".bad"), "w", encoding="utf-8") as file:
            file.write(text + "\n")
        _, errors = report("--merge", name + ".bad", status=1)
        assert name + ".bad" in one_line(errors)
    output, errors = report("--merge", "bins.bad", "missing.bad", "good.json", status=1)
    assert len(errors.splitlines()) == 2 and b"1 inputs" not in output and b"audio 0" in output


def test_merge_without_loudness():
    """Sound that was measured without loudness has none after it is merged."""
    report("--json-summary", "--output", "level.json", "--measures", "level", sound())
    (merged,) = objects("--merge", "--json-summary", "level.json", "level.json")
    assert merged["inputs"] == 2 and "loudness" not in merged["streams"][0]
    output, _ = report("--merge", "level.json", "level.json")
    assert b"integrated" not in output and b"clipping" in output, output


def test_merge_any_texts():
    """Summaries may have any texts, no region and no time: the text stays on its lines, and the terminal
    as it is."""
    report("--json-summary", "--output", "good.json", sound())
    with open(path_of("good.json"), encoding="utf-8") as file:
        summary = json.load(file)
    text = "\x1b[2J\n\x9b"
    stream = summary["streams"][0]
    stream.update({"regions": [], "title": text, "codec": text, "format": text,
                   "alerts": [{"type": "silence", "place": text, "input": text, "start": 0, "end": 1,
                               "value": 1, "threshold": 1}]})
    summary.update({"input": text, "problem": text})
    del summary["seconds"]
    with open(path_of("texts.json"), "w", encoding="utf-8") as file:
        json.dump(summary, file)
    output, _ = report("--merge", "texts.json")
    assert b"audio 0" not in output and b"silence" in output and b"measured in" not in output, output
    assert not [c for c in output.decode() if ord(c) < 32 and c != "\n" or 127 <= ord(c) < 160], output


def test_merge_too_much():
    """Each summary is possible, but their sum is too large: an error, and no wrong numbers."""
    report("--json-summary", "--output", "good.json", sound())
    with open(path_of("good.json"), encoding="utf-8") as file:
        good = json.load(file)
    # It is known of no input, so that it may count twice.
    del good["uri"]
    most = 2**63 - 1
    stream = good["streams"][0]
    region = stream["regions"][0]
    component = region["components"][0]
    n = component["bins"]
    full = {**component, "count": most, "histogram": [most] + [0] * (n - 1), "underflow": 0,
            "overflow": 0, "nan": 0, "inf": 0}
    for changes, what in (
            ({"end": most}, "lengths"), ({"results": most}, "results"), ({"samples": most}, "samples"),
            ({"regions": [{**region, "components": [full]}]}, "samples"),
            ({"channels": [{"peak": {"n": most, "min": 0, "max": 0, "sum": 0, "last": 0}}]}, "results"),
            ({"loudness": {**stream["loudness"], "momentary-blocks": [0, most]}}, "blocks")):
        with open(path_of("large.json"), "w", encoding="utf-8") as file:
            file.write(json.dumps({**good, "streams": [{**stream, **changes}]}) + "\n")
        (one,) = objects("--merge", "--json-summary", "large.json")
        assert one["inputs"] == 1
        shutil.copyfile(path_of("large.json"), path_of("large-too.json"))
        output, errors = report("--merge", "large.json", "large-too.json", status=1)
        assert output == b"" and f"the sum of the {what} is too large" in one_line(errors), errors
    for key, what in (("duration", "lengths"), ("inputs", "inputs")):
        with open(path_of("large.json"), "w", encoding="utf-8") as file:
            file.write(json.dumps({**good, key: most}) + "\n")
        shutil.copyfile(path_of("large.json"), path_of("large-too.json"))
        _, errors = report("--merge", "large.json", "large-too.json", status=1)
        assert f"the sum of the {what} is too large" in one_line(errors), errors


def test_merge_repetitions():
    """A film that counts twice gets a warning. Other files of one name do not."""
    report("--json-summary", "--output", "one.json", sound())
    shutil.copyfile(path_of("one.json"), path_of("copy.json"))
    for second in ("one.json", "copy.json"):
        output, errors = report("--merge", "one.json", second)
        assert "sound.wav counts more than once" in one_line(errors) and b"2 inputs" in output, errors
    report("--json-summary", "--output", "two.json", picture())
    assert report("--merge", "one.json", "two.json")[1] == b""
    report("--merge", "--json-summary", "--output", "sum.json", "one.json", "two.json")
    assert "sum.json counts more than once" in one_line(report("--merge", "sum.json", "sum.json")[1])
    _, errors = report("--merge", *["one.json"] * 20)
    assert len(errors.splitlines()) == 6 and b"14 more" in errors, errors


def test_merge_results():
    """The results of inputs are added up; the ones that are missing are named."""
    arguments = ["--merge", "--results", "merge-results"]
    _, errors = report(*arguments, season(), status=1)
    assert errors.count(b"there is no complete result") == 3 and not os.path.exists(path_of("merge-results"))
    report("--results", "merge-results", season())
    output, errors = report(*arguments, season())
    assert b"3 inputs" in output and errors == b"", (output, errors)
    output, errors = report(*arguments, season(), sound(), status=1)
    assert b"3 inputs" in output and "sound.wav: there is no complete result" in one_line(errors), errors
    # With other settings it is another result.
    _, errors = report(*arguments, "--measures", "basic", season(), status=1)
    assert len(errors.splitlines()) == 3, errors
    assert report(*arguments, "--shard", "0/2", season(), status=2)[0] == b""


def test_deep_json():
    """A text that is nested too deeply is no summary; the parser is not asked."""
    deep = path_of("deep.json")
    report("--results", "deep-results", sound())
    (name,) = os.listdir(path_of("deep-results"))
    result = os.path.join(path_of("deep-results"), name)
    for text in ('{"type":"summary","streams":' + "[" * 100000 + "]" * 100000 + "}",
                 '"summary"' + '{"a":' * 100000, '/* " */ "summary"' + "[" * 100000 + '"'):
        for path in (deep, result):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text + "\n")
        _, errors = report("--merge", "deep.json", status=1)
        assert "deep.json: " in one_line(errors), errors
        assert b"audio 0" in report("--results", "deep-results", sound())[0]


def test_changed_inputs():
    """A result is that of the input as it is now: of its address, size and time of change."""
    folder = path_of("results-changed")
    other = path_of("other.wav")
    shutil.copyfile(sound(), other)
    time_ns = 10**18 + 1
    os.utime(other, ns=(time_ns, time_ns))
    arguments = ["--json-summary", "--results", folder, other]
    (first,) = objects(*arguments)
    assert (first["input-size"], first["input-mtime"]) == (os.path.getsize(other), time_ns)
    assert objects(*arguments) == [first]
    # An older file, and one of the same second; a longer one of the same time.
    for change_ns, samples in ((-10**15, 48000), (1, 24000), (1, 12000)):
        ffmpeg("-f", "lavfi", "-i", "sine=sample_rate=48000", "-af", f"atrim=end_sample={samples}", "-c:a",
               "pcm_s16le", other)
        os.utime(other, ns=(time_ns, time_ns + change_ns))
        (summary,) = objects(*arguments)
        assert summary["streams"][0]["samples"] == samples, (change_ns, samples)
    # Another film's result is neither used nor replaced.
    (name,) = os.listdir(folder)
    assert len(name) == len("other.wav.") + 16 + len(".json"), name
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        foreign = json.load(file)
    foreign["uri"] = "file:///another/other.wav"
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump(foreign, file)
    output, errors = report(*arguments, status=1)
    assert output == b"" and "is the result of another input, file:///another/other.wav" in one_line(errors)
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        assert json.load(file) == foreign
    # What is no file is not used, and a link is not followed.
    victim = path_of("victim.json")
    with open(victim, "w", encoding="utf-8") as file:
        json.dump({**foreign, "uri": summary["uri"]}, file)
    os.remove(os.path.join(folder, name))
    os.symlink(victim, os.path.join(folder, name))
    with open(victim, "rb") as file:
        before = file.read()
    (again,) = objects(*arguments)
    assert again["seconds"] != summary["seconds"] and not os.path.islink(os.path.join(folder, name))
    with open(victim, "rb") as file:
        assert file.read() == before


def test_results_with_histograms():
    """Lines with histograms and without are different results."""
    for options in (["--json"], ["--json-histograms"], ["--json"]):
        frame, *_ = objects(*options, "--results", "results-frames", picture())
        assert ("histogram" in frame["Y"]) == (options == ["--json-histograms"]), options


def test_runs_at_the_same_time():
    """Runs with one folder do not disturb each other."""
    commands = [[PROGRAM, option, "--jobs", "2", "--results", path_of("shared"), season()]
                for option in ("--json", "--json-summary") for _ in range(2)]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for command in commands]
    for command, run in zip(commands, runs):
        output, errors = run.communicate(timeout=TIMEOUT)
        lines = [json.loads(line) for line in output.splitlines()]
        assert run.returncode == 0 and errors == b"", errors
        assert sum(line["type"] == "summary" for line in lines) == 3, command
        assert (sum(line["type"] == "frame" for line in lines) == 150) == (command[1] == "--json"), command
    names = os.listdir(path_of("shared"))
    assert len(names) == 3 and all(name.endswith(".json") and name[0] != "." for name in names), names


def test_results_continue():
    """A complete result is kept; others are measured."""
    arguments = ["--results", "results", season()]
    first, _ = report(*arguments)
    files = sorted(os.listdir(path_of("results")))
    assert len(files) == 3 and all(name.endswith(".json") for name in files), files
    times = {name: os.stat(os.path.join(path_of("results"), name)).st_mtime_ns for name in files}
    # One is lost, and one has only a beginning.
    os.remove(os.path.join(path_of("results"), files[0]))
    with open(os.path.join(path_of("results"), files[1]), "w", encoding="utf-8") as file:
        file.write('{"type":"summary"')
    second, _ = report("--jobs", "2", *arguments)
    assert [line.split(b", measured")[0] for line in first.splitlines()] \
        == [line.split(b", measured")[0] for line in second.splitlines()]
    after = {name: os.stat(os.path.join(path_of("results"), name)).st_mtime_ns for name in files}
    assert after[files[2]] == times[files[2]] and after[files[0]] != times[files[0]]
    # Other settings, and an input that is newer, are measured again.
    report("--measures", "basic", *arguments)
    assert os.stat(os.path.join(path_of("results"), files[2])).st_mtime_ns != after[files[2]]
    text, _ = report("--merge", *(os.path.join(path_of("results"), name) for name in files))
    assert b"3 inputs" in text
    # Lines for the frames are wanted, and the result has none.
    lines = objects("--json", "--measures", "basic", *arguments)
    assert sum(line["type"] == "frame" for line in lines) == 150, len(lines)


def test_bad_inputs_in_text():
    """Each input that cannot be measured has a block, and the last line counts them, also with processes."""
    folder = path_of("mixed")
    os.makedirs(folder)
    shutil.copyfile(sound(), os.path.join(folder, "good.wav"))
    with open(os.path.join(folder, "text.mp4"), "w", encoding="utf-8") as file:
        file.write("This is a text.\n" * 100)
    open(os.path.join(folder, "empty.mkv"), "w", encoding="utf-8").close()
    for options in [], ["--jobs", "2"], ["--results", "mixed-results"], ["--results", "mixed-results"]:
        for policy, last in (([], "3 inputs: 2 not measured"),
                             (["--policy", "archive-basic"], "3 inputs: 0 FAIL, 0 WARN, 1 PASS, 2 not measured")):
            output, _ = report("--quiet", *options, *policy, folder, status=1)
            lines = output.decode().splitlines()
            assert lines[-1] == last, lines
            for name in "text.mp4", "empty.mkv":
                (place,) = (i for i, line in enumerate(lines) if line.endswith(name))
                assert lines[place + 1].startswith("  NOT MEASURED: ") and lines[place + 2] == "", lines
    # One input has no such line.
    assert b"inputs: " not in report(sound())[0]


def test_killed_process():
    """An input whose process is killed is in the text, in JSON and in the index."""
    pipe, pages = path_of("waits.wav"), path_of("pages-of-killed")
    os.mkfifo(pipe)
    has_index = makes_pages()
    for options in ["--html", pages + "/"] if has_index else [], ["--json-summary"]:
        with subprocess.Popen([PROGRAM, "--quiet", "--jobs", "2", *options, pipe, sound()], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as process:
            os.kill(last_worker(process), signal.SIGKILL)
            output, _ = process.communicate(timeout=TIMEOUT)
        assert process.returncode == 1, process.returncode
        if options == ["--json-summary"]:
            lines = [json.loads(line) for line in output.splitlines()]
            assert [line["complete"] for line in lines] == [False, True] and "signal 9" in lines[0]["problem"], lines
        else:
            assert b"waits.wav\n  NOT MEASURED: its process was ended by signal 9\n\n" in output, output
            assert output.endswith(b"2 inputs: 1 not measured\n"), output
    if has_index:
        with open(os.path.join(pages, "index.html"), encoding="utf-8") as file:
            rows = json.loads(file.read().partition('id="data">')[2].partition("</script>")[0])
        assert [row[1] is None for row in rows] == [True, False] and rows[0][2:4] == [
            "NOT MEASURED", "its process was ended by signal 9"], rows


class Worker:
    """A worker of --jobs, and its parent's end of the socket (requests.h)."""

    def __init__(self, *options, **settings):
        self.socket, end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with end:
            self.process = subprocess.Popen([PROGRAM, "--worker-for-jobs", *options], stdin=end, stdout=subprocess.DEVNULL,
                                            stderr=subprocess.PIPE, cwd=path_of("."), **settings)
        self.socket.settimeout(TIMEOUT)

    def ask(self, name, output):
        socket.send_fds(self.socket, [os.fsencode(name) + b"\0\0\0what is written\0"], [output.fileno()])

    def measure(self, name):
        """Returns the exit status of an input, whether it was the last one, and what was written."""
        with tempfile.TemporaryFile() as output:
            self.ask(name, output)
            status, is_last = struct.unpack_from("ii", self.socket.recv(4096))
            output.seek(0)
            return status, bool(is_last), output.read()

    def end(self):
        """Returns the exit status and what was said."""
        self.socket.close()
        _, errors = self.process.communicate(timeout=TIMEOUT)
        return self.process.returncode, errors.decode()


def state_of(pid):
    """What an input could leave behind in a process: open files, the folder, and what else the system knows of it."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        status = dict(line.split(":", 1) for line in file)
    names = {number: re.sub(r"\d+|/tmp/.*", "", name) for number, name in files_of(pid).items()}
    return names, os.readlink(f"/proc/{pid}/cwd"), [status[key] for key in ("Umask", "SigBlk", "SigIgn", "SigCgt")]


def mixed_inputs():
    """Good ones, and one of each kind of bad ones."""
    folder = path_of("mixed")
    if not os.path.exists(folder):
        os.makedirs(folder)
        shutil.copyfile(sound(), os.path.join(folder, "sound.wav"))
        shutil.copyfile(picture(), os.path.join(folder, "picture.mkv"))
        for name, path, size in ("cut.mkv", clip(), 50000), ("cut.wav", sound(), 30001), ("empty.mp4", sound(), 0):
            with open(path, "rb") as source, open(os.path.join(folder, name), "wb") as file:
                file.write(source.read(size))
        with open(os.path.join(folder, "text.mkv"), "w", encoding="utf-8") as file:
            file.write("This is a text.\n")
        ffmpeg("-f", "lavfi", "-i", "anullsrc", "-t", "3", os.path.join(folder, "silence.flac"))
        ffmpeg("-f", "lavfi", "-i", "color=black:size=64x64:rate=25:duration=3", "-c:v", "ffv1", os.path.join(folder, "black.mkv"))
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))] + [path_of("missing.wav")]


def without_times(text):
    return re.sub(rb'"seconds":[0-9.e+-]+|time="[0-9.e+-]+"|measured in [0-9.e+-]+ s', b"", text)


def test_workers_change_nothing():
    """Outputs, messages and the status are the same with any number of workers. Each has several inputs before and after it."""
    inputs = mixed_inputs()
    for options in [], ["--json"], ["--csv"], ["--ffprobe-json"], ["--policy", "ebu-r128", "--junit", "verdicts.xml"], \
            ["--max-pixels", "5000", "--json-summary"], ["--html", "pages-of-jobs/"] if makes_pages() else ["--qctools", "xml-of-jobs/"]:
        done = []
        for jobs in "1", "2", "3":
            output, errors = report(*options, "--jobs", jobs, *inputs, *reversed(inputs[:3]) if options == ["--json"] else (),
                                    status=1)
            found = [without_times(output), sorted(errors.splitlines())]
            for place in options[-1:]:
                place = path_of(place)
                names = [place] if os.path.isfile(place) else [
                    os.path.join(place, name) for name in sorted(os.listdir(place))] if os.path.isdir(place) else []
                for name in names:
                    with open(name, "rb") as file:
                        found.append((name, without_times(file.read())))
                    os.remove(name)
            done.append(found)
        assert done[1] == done[0] and done[2] == done[0], (options, *(
            pair for other in done[1:] for pair in zip(other, done[0]) if pair[0] != pair[1]))


def test_workers_are_few():
    """A folder of many files starts as many processes as there are jobs."""
    inputs, seen = [sound()] * 30, set()
    process = subprocess.Popen([PROGRAM, "--quiet", "--jobs", "2", *inputs], stdout=subprocess.DEVNULL)
    while process.poll() is None:
        seen.update(children_of(process))
        time.sleep(0.005)
    assert process.returncode == 0 and len(seen) == 2, seen


def test_worker_leaves_nothing():
    """What a worker reports of an input does not depend on those before it, and they leave nothing in the process."""
    # How much memory the allocator keeps for each thread is chance.
    worker = Worker("--quiet", "--json-summary", env={**os.environ, "MALLOC_ARENA_MAX": "1"})
    inputs, first, states, sizes = mixed_inputs(), {}, set(), []
    for number in range(12):
        for name in inputs:
            status, is_last, text = worker.measure(name)
            assert first.setdefault(name, (status, without_times(text))) == (status, without_times(text)), name
            assert not is_last
        # The first ones load what decodes them, which may keep files open.
        if number > 1:
            states.add(repr(state_of(worker.process.pid)))
            with open(f"/proc/{worker.process.pid}/statm", encoding="ascii") as file:
                sizes.append(int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE"))
    assert {status for status, _ in first.values()} == {0, 1} and len(states) == 1, states
    assert sizes[-1] < 1.25 * sizes[0], sizes
    # What an input names is not what the parent asks with.
    assert worker.measure("fd://0")[0] == 1
    status, errors = worker.end()
    assert status == 0 and errors.count("missing.wav: Error") == 12, errors
    for name, (status, text) in first.items():
        worker = Worker("--quiet", "--json-summary")
        assert (status, text) == (lambda status, _, text: (status, without_times(text)))(*worker.measure(name)), name
        worker.end()


def test_limits_are_of_one_input():
    """A limit of the system on a process is one on an input: a worker that has one measures one."""
    for limit, most in ((resource.RLIMIT_CPU, 1000), (resource.RLIMIT_AS, 2**36), (resource.RLIMIT_DATA, 2**36)):
        worker = Worker("--quiet", preexec_fn=lambda limit=limit, most=most: resource.setrlimit(limit, (most, most)))
        status, is_last, text = worker.measure(sound())
        assert status == 0 and is_last and b"audio 0" in text, text
        assert worker.process.wait(timeout=TIMEOUT) == 0
        worker.end()
    expected = without_times(report("--jobs", "2", *[sound()] * 5)[0])
    assert without_times(report("--jobs", "2", *[sound()] * 5, preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_CPU, (1000, 1000)))[0]) == expected


def test_wrong_requests():
    """A worker that is asked for nothing it knows ends, and says so."""
    for message in b"x", b"\0\0\0\0", b"a\0b\0c\0d\0", b"a\0b\0c\0d\0e\0":
        worker = Worker()
        if message == b"\0\0\0\0":
            with tempfile.TemporaryFile() as output:
                socket.send_fds(worker.socket, [message], [output.fileno()])
        else:
            worker.socket.send(message)
        assert worker.process.wait(timeout=TIMEOUT) == 1
        assert "a process for the inputs: " in one_line(worker.end()[1].encode())
    # It has no other use.
    assert "socket" in one_line(report("--worker-for-jobs", status=1)[1])
    assert "from its parent" in one_line(report("--worker-for-jobs", sound(), status=2)[1])


def test_replaced_workers():
    """A worker that is killed costs the input that it measures; another one measures the next ones. Only those that wait for
    nobody are left."""
    pipes = [path_of(f"replaced-{number}.wav") for number in range(3)]
    for pipe in pipes:
        os.mkfifo(pipe)
    inputs = [sound(), pipes[0], sound(), pipes[1], pipes[2], sound(), "missing.wav", sound()]
    for options in [], ["--results", "results-replaced"]:
        process = subprocess.Popen([PROGRAM, "--quiet", "--jobs", "2", "--json-summary", *options, *inputs], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, cwd=path_of("."))
        killed, start = set(), time.monotonic()
        while len(killed) < len(pipes):
            assert process.poll() is None and time.monotonic() - start < TIMEOUT, (killed, process.communicate())
            for child in children_of(process):
                # A thread of it waits for the other end of the pipe.
                if child not in killed and waits_for_pipe(child):
                    os.kill(child, signal.SIGKILL)
                    killed.add(child)
            time.sleep(0.01)
        output, errors = process.communicate(timeout=TIMEOUT)
        assert process.returncode == 1 and errors.count(b"ended by signal 9") == 3 and errors.count(b"\n") == 4, errors
        summaries = [json.loads(line) for line in output.splitlines()]
        assert [os.path.basename(summary["input"]) for summary in summaries] == [os.path.basename(name) for name in inputs]
        for name, summary in zip(inputs, summaries):
            assert summary["complete"] == (name == sound()), summary
            assert name not in pipes or summary["problem"] == "its process was ended by signal 9", summary


def waits_for_pipe(pid):
    """Whether a thread of a process opens a pipe that has no other end."""
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/wchan", encoding="ascii") as file:
                if "wait_for_partner" in file.read():
                    return True
    except OSError:
        pass
    return False


def test_waiting_worker_is_killed():
    """A worker that is killed after its answer costs nothing. Mostly the next request is sent before its socket is closed."""
    process = subprocess.Popen([PROGRAM, "--quiet", "--jobs", "1", "--results", "results-waiting", sound(), picture(), clip()],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=path_of("."))
    start = time.monotonic()
    while not (children := children_of(process)):
        assert process.poll() is None and time.monotonic() - start < TIMEOUT
        time.sleep(0.001)
    # The first request has been sent, and there will be no other one.
    process.send_signal(signal.SIGSTOP)
    n_waits = 0
    while n_waits < 30:
        assert time.monotonic() - start < TIMEOUT
        names = files_of(children[0])
        n_waits = n_waits + 1 if names.get(0) == names.get(1) == "/dev/null" else 0
        time.sleep(0.01)
    os.kill(children[0], signal.SIGKILL)
    process.send_signal(signal.SIGCONT)
    output, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0 and errors == b"" and output.endswith(b"3 inputs: 0 not measured\n"), (output, errors)


def test_workers_that_end_at_once():
    """The policy is lost meanwhile: new workers cannot read it. Each takes one input with it, and there is no end of them."""
    pipe, policy = path_of("at-once.wav"), path_of("lost.policy")
    os.mkfifo(pipe)
    with open(policy, "w", encoding="utf-8") as file:
        file.write("a: Y.mean < 300\n")
    process = subprocess.Popen([PROGRAM, "--quiet", "--jobs", "2", "--policy", policy, "--json-summary", pipe, pipe, sound(), sound()],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    start = time.monotonic()
    while len([child for child in children_of(process) if waits_for_pipe(child)]) < 2:
        assert process.poll() is None and time.monotonic() - start < TIMEOUT
        time.sleep(0.01)
    os.remove(policy)
    for child in children_of(process):
        os.kill(child, signal.SIGKILL)
    output, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 1 and errors.count(b"lost.policy") == 2 and errors.count(b"signal 9") == 2, (output, errors)


def test_signal_for_a_waiting_worker():
    """It ends as the signal does: it has nothing to report."""
    for number in signal.SIGINT, signal.SIGTERM:
        worker = Worker("--quiet")
        assert worker.measure(sound())[0] == 0
        worker.process.send_signal(number)
        assert worker.process.wait(timeout=TIMEOUT) == -number
        worker.end()


def test_waiting_inputs():
    """What is kept of inputs that wait for their turn are no open files: there may be thousands."""
    first, n = clip(), 24
    process = subprocess.Popen([PROGRAM, "--quiet", "--jobs", "2", "--json-summary", "--output", path_of("waiting.json"), first,
                                *(path_of(f"missing-{number}.mkv") for number in range(n))], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    begin = time.monotonic()
    while not (children := children_of(process)):
        assert time.monotonic() - begin < TIMEOUT
        time.sleep(0.001)
    # The first one does not end until all others have.
    os.kill(children[0], signal.SIGSTOP)
    alone = 0
    while alone < 20:
        assert time.monotonic() - begin < TIMEOUT
        alone = alone + 1 if children_of(process) == children[:1] else 0
        time.sleep(0.02)
    n_open = len(os.listdir(f"/proc/{process.pid}/fd"))
    os.kill(children[0], signal.SIGCONT)
    process.communicate(timeout=TIMEOUT)
    with open(path_of("waiting.json"), encoding="utf-8") as file:
        assert len(file.readlines()) == n + 1
    assert process.returncode == 1 and n_open < n, n_open


def test_results_of_bad_inputs():
    folder = path_of("half")
    os.makedirs(folder)
    shutil.copyfile(sound(), os.path.join(folder, "good.wav"))
    with open(clip(), "rb") as file:
        data = file.read()
    with open(os.path.join(folder, "cut.mkv"), "wb") as file:
        file.write(data[:len(data) // 2])
    for _ in range(2):
        output, errors = report("--results", "half-results", folder, status=1)
        assert "cut.mkv" in one_line(errors)
        assert b"good.wav" in output and b"NOT COMPLETE" in output, output
        (complete,) = os.listdir(path_of("half-results"))
        assert complete.startswith("good.wav."), complete


def test_interrupted_jobs():
    """A signal to the program ends its processes; complete results stay."""
    long = path_of("long.mkv")
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=2", "-c:v", "libx264",
           "-preset", "ultrafast", path_of("part.mkv"))
    ffmpeg("-stream_loop", "300", "-i", path_of("part.mkv"), "-c", "copy", long)
    process = subprocess.Popen([PROGRAM, "--jobs", "2", "--results", path_of("cut"), sound(), long, long],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    start = time.monotonic()
    while time.monotonic() - start < TIMEOUT:
        names = os.listdir(path_of("cut")) if os.path.exists(path_of("cut")) else []
        if any(name[0] != "." for name in names) and any(name.startswith(".long") for name in names):
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 128 + signal.SIGTERM, process.returncode
    assert b"sound.wav" in output
    (name,) = os.listdir(path_of("cut"))
    assert name.startswith("sound.wav.") and name.endswith(".json"), name


def test_gpus():
    """The processes of jobs are divided among the GPUs that the program may use."""
    folder = path_of("gpus")
    process = subprocess.Popen([PROGRAM, "--jobs", "2", "--set", "backend=cpu", "--results", folder,
                                path_of("long.mkv"), path_of("long.mkv")],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, "CUDA_VISIBLE_DEVICES": "7,9"})
    found, start = set(), time.monotonic()
    while found != {"7", "9"} and time.monotonic() - start < TIMEOUT and process.poll() is None:
        for task in os.listdir("/proc"):
            try:
                with open(f"/proc/{task}/stat", encoding="ascii", errors="replace") as file:
                    parent = file.read().rpartition(")")[2].split()[1]
                with open(f"/proc/{task}/environ", encoding="utf-8", errors="replace") as file:
                    variables = dict(entry.partition("=")[::2] for entry in file.read().split("\0"))
            except (OSError, IndexError):
                continue
            if parent == str(process.pid):
                found.add(variables.get("CUDA_VISIBLE_DEVICES"))
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=TIMEOUT)
    assert {"7", "9"} <= found, found


def test_parallel():
    """The line of GNU parallel in docs/report.md."""
    if shutil.which("parallel") is None:
        print("skipped: there is no GNU parallel")
        return
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/report.md")
    with open(page, encoding="utf-8") as file:
        (line,) = [line for line in file if line.startswith("parallel ")]
    environment = {**os.environ, "PATH": os.path.dirname(PROGRAM) + ":" + os.environ["PATH"],
                   "PARALLEL_HOME": path_of("parallel-home")}
    done = subprocess.run(["sh", "-c", line.replace("season-1/", season() + "/")],
                          cwd=path_of("."), env=environment, capture_output=True, timeout=TIMEOUT,
                          check=False)
    assert done.returncode == 0, done.stderr
    assert len(os.listdir(path_of("results-parallel"))) >= 2


if __name__ == "__main__":
    sys.exit(run_tests([value for name, value in list(globals().items())
                        if name.startswith("test_")]))
