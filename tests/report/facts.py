#!/usr/bin/python3
"""What the report says about a film in words: the figures, their names and what is missing.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import itertools
import json
import os
import re
import subprocess
import sys

from common import PROGRAM, ffmpeg, has_page, objects, page_of, path_of, report, run_tests


def made(name, *options):
    ffmpeg(*options, path_of(name))
    return path_of(name)


# Both channels are clipped for 1 s, at the same time.
CLIPPED = ["-f", "lavfi", "-i", "aevalsrc='4*between(t,1,2)*sin(2000*t)|4*between(t,1,2)*sin(2000*t)':s=48000:d=4",
           "-c:a", "pcm_s16le"]


def test_time_of_alerts():
    """The time of alerts that are at once counts once, in the text and on the page."""
    path = made("clipped.wav", *CLIPPED)
    (stream,) = objects("--json-summary", path)[0]["streams"]
    spans = [(alert["start"], alert["end"]) for alert in stream["alerts"] if alert["type"] == "clipping"]
    assert len(spans) >= 2 and len(set(spans)) < len(spans), spans
    covered, until = 0, 0
    for start, end in sorted(spans):
        covered += max(0, end - max(start, until))
        until = max(until, end)
    text = report("--full", path)[0].decode()
    line = next(line for line in text.splitlines() if line.startswith("    clipped "))
    assert line.split() == ["clipped", f"{len(spans)},", f"{covered / 1e9:.1f}", "s", "in", "all"], line
    if has_page():
        total = page_of(path)["totals"]["clipping"]
        assert total["count"] == len(spans) and abs(total["seconds"] - covered / 1e9) < 1e-9, total


def test_long_lists():
    """Of a long list the text has the number, the first ones, and how to get all."""
    # The light of the picture stays, so these scenes are no flashes.
    path = made("scenes.mkv", "-f", "lavfi", "-i", "nullsrc=size=64x48:rate=25:duration=8,"
                "geq=lum='200*mod(floor(X/8)+floor(N/5),2)'", "-pix_fmt", "yuv420p", "-c:v", "ffv1")
    scenes = [alert["start"] for alert in objects("--json-summary", path)[0]["streams"][0]["alerts"]
              if alert["type"] == "scene"]
    assert len(scenes) > 30, scenes
    lines = report("--full", path)[0].decode().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("    scene changes"))
    assert lines[first].split()[2] == str(len(scenes)), lines[first]
    rows = [line.strip() for line in itertools.takewhile(lambda line: line.startswith(" " * 19), lines[first + 1:])]
    listed = " ".join(rows)
    assert re.findall(r"0:00:0[0-9.]+", listed) == [f"0:00:0{start / 1e9:.3f}" for start in scenes[:8]], rows
    assert f"and {len(scenes) - 8} more; --json-summary lists all" in listed and len(rows) <= 3, rows
    # A short list is whole.
    few = report("--full", made("few.mkv", "-i", path, "-t", "1", "-c:v", "ffv1"))[0].decode()
    assert "scene changes  " in few and " more; " not in few, few


def test_words():
    """Words instead of codes; the codes are in the JSON."""
    channels = "|".join(f"0.{i + 1}*sin(2000*t)" for i in range(6))
    surround = made("surround.flac", "-f", "lavfi", "-i", f"aevalsrc={channels}:d=1:c=5.1:s=48000")
    (stream,) = objects("--json-summary", surround)[0]["streams"]
    assert stream["channel-names"] == ["L", "R", "C", "LFE", "Ls", "Rs"], stream.get("channel-names")
    assert stream["regions"][0]["components"][0]["name"] == "ch0"
    text = report("--full", surround)[0].decode()
    levels = [line[19:22] for line in text.splitlines() if "  RMS " in line]
    assert levels == ["L  ", "R  ", "C  ", "LFE", "Ls ", "Rs "], text
    assert "S16LE" not in text and "S32LE" not in text and "S24" not in text and "ch0" not in text, text
    clipped = report("--full", made("clipped.wav", *CLIPPED))[0].decode()
    assert re.search(r"^    clipping       \d+ samples at full scale, \d+ clipped runs: L, R$", clipped, re.M), clipped
    assert "  L 0:00:01.000 - " in clipped.replace("  " * 9, "  "), clipped
    # Merged summaries keep the names; old ones have none.
    summary = objects("--json-summary", surround)[0]
    with open(path_of("named.json"), "w", encoding="utf-8") as file:
        file.write(json.dumps(summary) + "\n")
    assert "LFE  RMS" in report("--merge", path_of("named.json"))[0].decode()
    del summary["streams"][0]["channel-names"]
    with open(path_of("old.json"), "w", encoding="utf-8") as file:
        file.write(json.dumps(summary) + "\n")
    assert "ch3  RMS" in report("--merge", path_of("old.json"))[0].decode()
    summary["streams"][0]["channel-names"] = ["L", 3]
    with open(path_of("bad.json"), "w", encoding="utf-8") as file:
        file.write(json.dumps(summary) + "\n")
    assert b"channel-names" in report("--merge", path_of("bad.json"), status=1)[1]


def test_colorimetry():
    for number, (params, raw, words) in enumerate((
            ("range=tv:colorspace=bt709:color_trc=bt709:color_primaries=bt709", "bt709", "BT.709, limited range"),
            ("range=pc:colorspace=bt709:color_trc=bt709:color_primaries=bt709", "1:3:5:1", "BT.709, full range"),
            ("range=tv:colorspace=bt2020nc:color_trc=smpte2084:color_primaries=bt2020", "bt2100-pq",
             "PQ, BT.2020, limited range"),
            ("range=tv:colorspace=bt2020nc:color_trc=arib-std-b67:color_primaries=bt2020", "bt2100-hlg",
             "HLG, BT.2020, limited range"),
            ("range=tv", "2:0:0:0", "limited range"))):
        options = dict(option.split("=") for option in params.split(":"))
        names = {"range": "-color_range", "colorspace": "-colorspace", "color_trc": "-color_trc",
                 "color_primaries": "-color_primaries"}
        path = made(f"color{number}.mkv", "-f", "lavfi", "-i",
                    f"testsrc2=size=64x48:rate=25:duration=0.2,format=yuv420p10le,setparams={params}", "-c:v", "ffv1",
                    *(word for name, value in options.items() for word in (names[name], value)))
        (stream,) = objects("--json-summary", path)[0]["streams"]
        assert stream["colorimetry"] == raw, (params, stream["colorimetry"])
        (title,) = [line for line in report(path)[0].decode().splitlines() if line.startswith("  video 0: ")]
        assert f", I420_10LE, {words}, " in title, title
        if has_page():
            facts = page_of(path)["facts"]
            assert ["Colorimetry", words] in facts, facts


def test_rate_and_lengths():
    """The mean rate of the frames, and streams that end earlier than others."""
    full = made("full.mkv", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=24:duration=5", "-f", "lavfi", "-i",
                "sine=duration=3:sample_rate=48000", "-c:v", "mpeg4", "-g", "1", "-c:a", "pcm_s16le")
    # The file still has the rate of all frames.
    path = made("slow.mkv", "-i", full, "-c", "copy", "-bsf:v", r"noise=drop=mod(n\,2)")
    lines = objects("--json", path)
    times = [line["stream-time"] for line in lines if line["type"] == "frame"]
    mean = lines[-1]["streams"][0]["mean-frame-rate"]
    assert abs(mean - (len(times) - 1) * 1e9 / (times[-1] - times[0])) < 1e-9, mean
    text = report("--full", path)[0].decode()
    assert abs(mean - 12) < .2 and f", 24 frames/s," in text and f"    frame rate     mean {mean:.6g} frames/s" in text, text
    (said,) = [notice for notice in lines[-1]["notices"] if notice["kind"] == "contradiction"]
    assert (said["severity"], said["value"], said["limit"], said["unit"]) == ("warn", mean, 24, "frames/s"), said
    lengths = re.search(r"    ends           (\d\.\d+) s before video 0\n", text)
    assert lengths and 1.8 < float(lengths.group(1)) < 2.1, text
    even = report("--full", made("even.mkv", "-f", "lavfi", "-i", "testsrc2=size=64x48:duration=1", "-c:v", "ffv1"))[0].decode()
    assert "    frame rate" not in even and "    ends " not in even, even


INTERLACED = ["-f", "lavfi", "-i", "testsrc2=size=720x576:rate=25:duration=1", "-vf", "setsar=64/45,setfield=tff",
              "-c:v", "mpeg2video", "-flags", "+ilme+ildct"]


def sizes_of_packets(path, stream):
    """As ffprobe counts them."""
    return [int(size) for size in subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", "packet=size", "-of", "csv=p=0", path],
        capture_output=True, check=True, timeout=60).stdout.split()]


def test_bit_rate():
    """The bit rate is that of the packets in the file, whatever form of them the decoder wants: openh264dec, as decoders of
    GPUs, wants start codes."""
    path = path_of("rate.mp4")
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=6", "-c:v", "libx264", "-profile:v", "baseline", "-g", "25", path)
    expected = 8 * sum(sizes_of_packets(path, "v")) / 6
    for ranks in ("", "openh264dec:MAX"):
        for share in (1, 2):
            summary, errors = report("--json-summary", f"--split={share}", path, env={**os.environ, "GST_PLUGIN_FEATURE_RANK": ranks})
            assert b"not split" not in errors, errors
            found = json.loads(summary)["streams"][0]["bit-rate"]
            assert abs(found - expected) < 1e-3, (ranks, share, found, expected)


def test_encoding():
    """Field order, the shape of the pixels, the first timecode and the bit rate."""
    path = made("tape.mxf", *INTERLACED, "-timecode", "01:02:03:04")
    (stream,) = objects("--json-summary", path)[0]["streams"]
    sizes = sizes_of_packets(path, "v")
    assert [stream[key] for key in ("field-order", "pixel-aspect-ratio", "display-width", "timecode")] \
        == ["top-field-first", "64:45", 1024, "01:02:03:04"], stream
    assert stream["bit-rate"] == 8 * sum(sizes), (stream["bit-rate"], sizes)
    text = report("--full", path)[0].decode()
    assert ": 720 x 576, pixels 64:45 (1024 x 576), 25 frames/s, " in text, text
    assert "\n    field order    interlaced, top field first" in text, text
    for line in ("timecode       01:02:03:04 at the first frame", f"bit rate       {stream['bit-rate'] / 1000:.0f} kbit/s"):
        assert f"\n    {line}\n" in text, (line, text)
    if has_page():
        facts = page_of(path)["facts"]
        for fact in (["Pixels", "64:45, shown as 1024 × 576"], ["First timecode", "01:02:03:04"], ["Bit rate", f"{stream['bit-rate'] / 1000:.0f} kbit/s"],
                     ["Rate", "25.000 frames/s"]):
            assert fact in facts, (fact, facts)
        # The mean rate is the same.
        assert "Frame rate" not in dict(facts), facts
        assert dict(facts)["Field order"].startswith("interlaced, top field first"), facts
    # Matroska has it in a tag.
    path = made("tape.mkv", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=0.2", "-c:v", "ffv1",
                "-timecode", "10:00:00:00")
    (stream,) = objects("--json-summary", path)[0]["streams"]
    assert stream["timecode"] == "10:00:00:00" and stream["field-order"] == "progressive", stream
    assert stream["pixel-aspect-ratio"] == "1:1" and stream["display-width"] == 64, stream
    text = report("--full", path)[0].decode()
    assert "interlaced" not in text and "pixels " not in text.splitlines()[1], text


def test_shape_of_merged_films():
    """Films whose pixels differ are two parts."""
    summaries = []
    for shape in "1/1", "16/15":
        path = made("shape.mkv", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=0.2", "-vf", f"setsar={shape}",
                    "-c:v", "ffv1")
        summaries += objects("--json-summary", path)
    with open(path_of("shapes.json"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(summary) + "\n" for summary in summaries)
    (stream,) = objects("--merge", "--json-summary", path_of("shapes.json"))[0]["streams"]
    assert [part["pixel-aspect-ratio"] for part in stream["parts"]] == ["1:1", "16:15"], stream["parts"]
    assert stream["field-order"] == "progressive" and not {"timecode", "bit-rate", "early-end"} & set(stream), stream
    for wrong in "16:0", "16", "16:15:1", "99999999999:1", "-1:1":
        summaries[0]["streams"][0]["pixel-aspect-ratio"] = wrong
        with open(path_of("shapes.json"), "w", encoding="utf-8") as file:
            file.write(json.dumps(summaries[0]) + "\n")
        assert b"pixel-aspect-ratio" in report("--merge", path_of("shapes.json"), status=1)[1], wrong


def test_short_sound():
    """Short-term loudness needs 3 s of sound: less is not told, and was not checked."""
    for seconds, is_long in ((2.5, False), (3.5, True)):
        path = made("tone.wav", "-f", "lavfi", "-i", f"sine=frequency=1000:duration={seconds}:sample_rate=48000")
        text = report("--full", "--alerts", "loudness", path)[0].decode()
        assert ("   max short-term " in text) == is_long, text
        assert ("loudness off   not checked: the sound is shorter than 3 s" in text) == (not is_long), text
        (summary,) = objects("--json-summary", "--alerts", "loudness", path)
        assert ("unchecked-alerts" in summary["streams"][0]) == (not is_long), summary
        with open(path_of("tone.json"), "w", encoding="utf-8") as file:
            file.write((json.dumps(summary) + "\n") * 2)
        assert ("not checked" in report("--merge", path_of("tone.json"))[0].decode()) == (not is_long)
        if has_page():
            line = page_of("--alerts", "loudness", path)["line"]
            assert ("loudness" in line) == is_long and line == summary["verdict-line"], line


def hints_of(text):
    """The lines of a label, and those below it."""
    lines = text.decode().splitlines()
    first = [i for i, line in enumerate(lines) if line.startswith("    look at ")]
    found = []
    for i in first:
        found.append(lines[i][19:])
        for line in lines[i + 1:]:
            if not line.startswith(" " * 19):
                break
            found.append(line[19:])
    return found


def test_hints():
    """What a figure shows that no alert tells is named."""
    dead = made("dead.wav", "-f", "lavfi", "-i", "aevalsrc=0.3*sin(2000*t)|0:d=2:s=48000")
    (hint,) = hints_of(report("--full", dead)[0])
    assert hint == "R is silent from begin to end", hint
    silent = made("silent.wav", "-f", "lavfi", "-i", "anullsrc=cl=stereo:r=48000", "-t", "3")
    assert hints_of(report("--full", silent)[0]) == []
    # The alert names the channels; of many it tells the number.
    assert "  silence        1, 3.0 s in all; all channels: L, R\n" in report("--full", silent)[0].decode()
    mono = made("mono.wav", "-f", "lavfi", "-i", "anullsrc=cl=mono:r=48000", "-t", "3")
    assert "  silence        1, 3.0 s in all\n" in report("--full", mono)[0].decode()
    many = made("many.wav", "-f", "lavfi", "-i", "anullsrc=cl=hexadecagonal:r=48000", "-t", "3")
    assert "  silence        1, 3.0 s in all; all 16 channels\n" in report("--full", many)[0].decode()
    assert hints_of(report("--full", "--alerts", "none", silent)[0]) == ["L, R are silent from begin to end"]
    (hint,) = hints_of(report("--full", "--alerts", "black", made("clipped.wav", *CLIPPED))[0])
    assert re.fullmatch(r"\d+ runs of samples at full scale; --alerts=clipping tells when", hint), hint
    # A quarter of the pixels has Y = 5.
    bars = ["-f", "lavfi", "-i", "nullsrc=size=64x48:rate=25:duration=1,geq=lum='if(lt(X,16),5,120)':cb=128:cr=128",
            "-pix_fmt", "yuv420p", "-c:v", "ffv1"]
    wide = made("wide.mkv", *bars)
    (hint,) = hints_of(report("--full", wide)[0])
    assert hint.startswith("25.0 % of the pixels are out of the limited range, in a frame at most 25.0 %"), hint
    assert hints_of(report("--full", "--alerts", "range", wide)[0]) == []
    full = made("full.mkv", *bars[:-4], "-vf", "setparams=range=pc:colorspace=bt709:color_trc=bt709:color_primaries=bt709",
                *bars[-4:], "-color_range", "pc", "-colorspace", "bt709", "-color_trc", "bt709", "-color_primaries", "bt709")
    assert "1:" in objects("--json-summary", full)[0]["streams"][0]["colorimetry"]
    assert hints_of(report("--full", full)[0]) == []
    is_no_fault = ". This is no fault: the video has full range"
    assert is_no_fault in report("--full", full)[0].decode() and is_no_fault not in report(wide)[0].decode()
    # The thresholds are those of the alerts.
    assert hints_of(report("--full", "--set", "range-ratio=0.3", wide)[0]) == []
    assert len(hints_of(report("--full", "--set", "range-ratio=0.3", "--set", "range-ratio=0.2", wide)[0])) == 1
    quiet = made("quiet.wav", "-f", "lavfi", "-i", "aevalsrc=0.3*sin(2000*t)|0.003*sin(2000*t):d=2:s=48000")
    assert hints_of(report("--full", quiet)[0]) == []
    assert hints_of(report("--full", "--set", "silence-level=-50", quiet)[0]) == ["R is silent from begin to end"]
    shifted = made("shifted.wav", "-f", "lavfi", "-i", "aevalsrc=0.3*sin(2000*t)+0.02|0.3*sin(2000*t)+0.005:d=2:s=48000")
    assert hints_of(report("--full", shifted)[0]) == ["L has a DC offset of 2.0 % of full scale"], hints_of(report(shifted)[0])
    # In each layout and format of samples; and what is alike, or different, is not told.
    for name, codec in (("opposite.wav", "pcm_s16le"), ("opposite24.mkv", "pcm_s24le"), ("opposite.mka", "pcm_f32le"),
                        ("opposite.flac", "flac"), ("opposite.m4a", "aac")):
        path = made(name, "-f", "lavfi", "-i", "aevalsrc=0.3*sin(2000*t)|-0.3*sin(2000*t):d=1:s=48000:c=stereo",
                    "-c:a", codec)
        (summary,) = objects("--json-summary", path)
        assert abs(summary["streams"][0]["correlation"] + 1) < 1e-3, (name, summary["streams"][0]["correlation"])
        hint = "L and R are opposite in phase: their correlation is -1.00"
        assert hint in hints_of(report("--full", path)[0]) and hint in summary["streams"][0]["hints"], name
    alike = made("alike.wav", "-f", "lavfi", "-i", "aevalsrc=0.3*sin(2000*t)|0.1*sin(2000*t):d=1:s=48000")
    assert abs(objects("--json-summary", alike)[0]["streams"][0]["correlation"] - 1) < 1e-6
    assert hints_of(report("--full", alike)[0]) == []
    assert "correlation" not in objects("--json-summary", dead)[0]["streams"][0]
    long = made("long.mkv", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=2", "-f", "lavfi", "-i",
                "sine=duration=1:sample_rate=48000", "-c:v", "ffv1", "-c:a", "pcm_s16le")
    (summary,) = objects("--json-summary", long)
    early = summary["streams"][1]["early-end"]
    assert summary["streams"][0]["early-end"] == 0 and abs(early - 1e9) < 1e8, early
    hint = f"the streams differ in length: this one ends {early / 1e9:.3f} s before video 0"
    assert summary["streams"][1]["hints"] == [hint] and hint in hints_of(report("--full", long)[0]), summary["streams"][1]["hints"]
    if has_page():
        page = page_of(long)
        assert f"audio 1: {hint}" in page["hints"], page["hints"]
        assert ["Ends", f"{early / 1e9:.3f} s before video 0"] in page["facts"], page["facts"]
    # The sum of two films has the same.
    with open(path_of("wide.json"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(objects("--json-summary", path)[0]) + "\n" for path in (wide, wide))
    (merged,) = hints_of(subprocess.run([PROGRAM, "--merge", path_of("wide.json")], capture_output=True, check=False,
                                        timeout=60).stdout)
    assert merged.startswith("25.0 % of the pixels"), merged
    if has_page():
        page = page_of(wide)
        assert page["line"] == "LOOK AT  out of the limited range: 25.0 % of frame 0 at 0:00.0", page["line"]
        assert page["hints"][0].startswith("video 0: 25.0 % of the pixels"), page["hints"]


def test_time_of_merged_alerts():
    """Of several inputs the times are added up."""
    for name in ("a.wav", "b.wav"):
        made(name, *CLIPPED)
    one = objects("--json-summary", path_of("a.wav"))[0]
    with open(path_of("both.json"), "w", encoding="utf-8") as file:
        for name in ("a.wav", "b.wav"):
            file.write(json.dumps(objects("--json-summary", path_of(name))[0]) + "\n")

    def seconds(text):
        return float(re.search(r"clipped +\d+, ([0-9.]+) s", text.decode()).group(1))
    assert one["streams"][0]["alerts"]
    both, alone = seconds(report("--merge", path_of("both.json"))[0]), seconds(report(path_of("a.wav"))[0])
    assert abs(both - 2 * alone) < .11, (both, alone)


def test_earlier_summaries():
    """Summaries of earlier versions, which lack the shape of the pixels, add up with new ones."""
    path = made("shape.mkv", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=1", "-c:v", "ffv1")
    (summary,) = objects("--json-summary", path)
    (video,) = summary["streams"]
    with open(path_of("new.json"), "w", encoding="utf-8") as file:
        json.dump(summary, file)
    del video["pixel-aspect-ratio"]
    with open(path_of("earlier.json"), "w", encoding="utf-8") as file:
        json.dump(summary, file)
    for names in ("earlier.json", "new.json"), ("new.json", "earlier.json"):
        (merged,) = objects("--merge", "--json-summary", *map(path_of, names))
        (stream,) = merged["streams"]
        assert stream["results"] == 2 * video["results"] and "parts" not in stream


if __name__ == "__main__":
    sys.exit(run_tests([value for name, value in list(globals().items())
                        if name.startswith("test_")]))
