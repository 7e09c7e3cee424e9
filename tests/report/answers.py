#!/usr/bin/python3
"""What the report says of clips with flashes, telecine, repeated and dropped frames, fields, and illegal colours.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import re
import sys

from common import ffmpeg, has_page, objects, page_of, path_of, report, run_tests

MOVING = "mandelbrot=size=160x120:rate={}:start_scale=2"
PATTERN = "testsrc2=size=160x120:rate={}"
GREY = "color=gray:size=64x48:rate=25:duration={}"


def made(name, source, filters="null", *options):
    ffmpeg("-f", "lavfi", "-i", source, "-vf", filters, "-vsync", "vfr", *options, "-c:v", "ffv1", "-pix_fmt", "yuv420p",
           path_of(name))
    return path_of(name)


def stream_of(path, *arguments):
    return objects("--json-summary", *arguments, path)[0]["streams"][0]


def line_of(path, label):
    """The text behind a label, with the lines below it."""
    lines = report("--full", path)[0].decode().splitlines()
    (number,) = [i for i, line in enumerate(lines) if line.startswith("    " + label.ljust(15))]
    found = [lines[number][19:]]
    while number + len(found) < len(lines) and lines[number + len(found)].startswith(" " * 19):
        found.append(lines[number + len(found)].strip())
    return " ".join(found)


def heard(name, expressions, seconds, layout="stereo"):
    ffmpeg("-f", "lavfi", "-i", f"aevalsrc={expressions}:d={seconds}:s=48000:c={layout}", path_of(name))
    return path_of(name)


def test_channels():
    """A dead channel, opposite and equal channels: in the title, in a line a pair, and the times."""
    tone = "0.3*sin(2000*t)"
    dead = heard("dead.wav", f"{tone}|0.2*sin(2100*t)|{tone}|{tone}|0.2*sin(700*t)|0", 3, "5.1")
    assert "; Rs is silent\n" in report("--full", dead)[0].decode()
    assert line_of(dead, "pairs") == ("L   R    correlation 0.00   mono loss -3.02 dB   balance 3.52 dB "
                                      "Ls  Rs   mono loss -3.01 dB   balance inf dB"), line_of(dead, "pairs")
    stream = stream_of(dead)
    assert [(pair["first"], pair["second"]) for pair in stream["pairs"]] == [("ch0", "ch1"), ("ch4", "ch5")]
    assert stream["pairs"][1]["whole"]["balance"] == "inf" and "correlation" not in stream["pairs"][1]["whole"]
    assert stream["channels"][5]["silent"]["min"] == 1 and stream["channels"][4]["silent"]["max"] == 0
    assert stream["sound-spans"] == [{"state": "silent", "first": "ch5", "start": 0, "end": 3 * 10 ** 9}]
    assert stream["headline"] == "Rs is silent" and "correlation" not in stream

    inverted = heard("inverted.wav", f"{tone}|-{tone}", 3)
    assert "; L and R are inverted\n" in report("--full", inverted)[0].decode()
    assert line_of(inverted, "pairs") == "L R  correlation -1.00   mono loss -inf dB   balance 0.00 dB"
    mixed = heard("mixed.wav", f"{tone}|if(gte(t,2)*lt(t,5),-1,if(gte(t,5),1,0.5))*{tone}".replace(",", "\\,"), 8)
    assert "; L and R are inverted for 3.0 s\n" in report("--full", mixed)[0].decode()
    assert line_of(mixed, "inverted") == "L and R for 3.0 s L and R 0:00:02.000 - 0:00:05.000"
    assert line_of(mixed, "dual mono") == "L and R for 3.0 s L and R 0:00:05.000 - 0:00:08.000"
    frames = [frame for frame in objects("--json", mixed) if frame["type"] == "window"]
    assert [frame["pairs"][0]["inverted"] for frame in frames] == [0] * 39 + [1] * 11 + [0] * 30
    assert [frame["pairs"][0]["dual-mono"] for frame in frames] == [0] * 69 + [1] * 11
    if has_page():
        facts = dict(page_of(mixed)["facts"])
        assert facts["Inverted"].startswith("L and R for 3.0 s: "), facts
        assert facts["L, R"].startswith("correlation 0."), facts
    # White noise against itself 1 ms later has nothing in common with it.
    ffmpeg("-f", "lavfi", "-i", "anoisesrc=d=4:r=48000:a=0.5:seed=1", "-filter_complex",
           "asplit[a][b];[b]adelay=1[c];[a][c]join=inputs=2:channel_layout=stereo", "-t", "4", path_of("delayed.wav"))
    pair = stream_of(path_of("delayed.wav"))["pairs"][0]
    assert abs(pair["whole"]["correlation"]) < 0.02 and abs(pair["whole"]["mono-loss"] + 3.01) < 0.1, pair
    assert pair["inverted"]["max"] == pair["dual-mono"]["max"] == 0 and "sound-spans" not in stream_of(path_of("delayed.wav"))
    # One channel has no pair.
    mono = stream_of(heard("mono.wav", tone, 1, "mono"))
    assert {"pairs", "sound-spans", "headline", "correlation"}.isdisjoint(mono), mono


def test_flashes():
    """4 flashes a second from 1 to 4 s. What they change is no new scene; the first of them may be one."""
    path = made("flashes.mkv", GREY.format(6),
                "geq=lum='if(between(N,25,99)*lt(mod(N-25,6),3),220,if(between(N,25,99),20,60))':cb=128:cr=128")
    stream = stream_of(path)
    assert stream["flash"]["picture"] == stream["flash"]["zones"] == "fail", stream["flash"]
    (span,) = stream["flashes"]
    assert span["start"] in range(1_300_000_000, 1_800_000_000) and span["state"] == "fail", span
    assert span["end"] in range(4_500_000_000, 5_100_000_000) and span["transitions"] >= 7, span
    scenes = [alert["start"] for alert in stream["alerts"] if alert["type"] == "scene"]
    assert scenes == [10 ** 9] and stream["scenes-in-flashes"] > 10, (scenes, stream.get("scenes-in-flashes"))
    assert "; %d in flashes are left out" % stream["scenes-in-flashes"] in line_of(path, "scene changes")
    line = line_of(path, "flashes")
    assert line.startswith("picture: fail, zones: fail (a screening aid, not certified) 0:00:01.") and "fail" in line, line
    if has_page():
        facts = dict(page_of(path)["facts"])
        assert facts["Flashes"].startswith("picture: fail, zones: fail"), facts
        assert "video 0: the picture flashes: fail (a screening aid, not certified)" in page_of(path)["hints"]
        assert facts["Scene changes in flashes"] == "%d, left out" % stream["scenes-in-flashes"], facts
    assert stream["hints"] == ["the picture flashes: fail (a screening aid, not certified)"], stream["hints"]
    # In a corner: a sixth of the picture's width and height is a quarter of a zone.
    corner = stream_of(made("corner.mkv", GREY.format(2), "geq=lum='if(lt(mod(N,6),3)*lt(X,11)*lt(Y,8),220,60)':cb=128:cr=128"))
    assert (corner["flash"]["picture"], corner["flash"]["zones"]) == ("pass", "fail"), corner["flash"]
    assert corner["hints"] == ["a part of the picture (zone 0) flashes: fail (a screening aid, not certified)"], corner["hints"]
    (flash,) = [notice for notice in notices_of(path_of("corner.mkv")) if notice["kind"] == "flash"]
    assert flash["zones"] == corner["flashes"][0]["zones"] == [0] and flash["spans"][0]["end"] == 2 * 10 ** 9, flash
    assert stream["flashes"][0]["zones"] == list(range(25)), stream["flashes"]
    # A still picture has none, and its groups may be left out.
    still = made("still.mkv", GREY.format(1))
    assert line_of(still, "flashes") == "picture: pass, zones: pass (a screening aid, not certified)"
    assert {"flash", "measured-field-order"}.isdisjoint(stream_of(still, "--measures", "signal"))


def test_field_order():
    """Fields of 50 pictures a second in frames that are declared progressive; telecine; progressive frames."""
    fields = made("fields.mkv", MOVING.format(50), "trim=end_frame=100,tinterlace=interleave_top,setfield=prog")
    stream = stream_of(fields)
    assert (stream["field-order"], stream["measured-field-order"]) == ("progressive", "top-field-first"), stream
    assert line_of(fields, "field order") == "declared progressive, but the frames look interlaced, top field first"
    assert "the field order is declared progressive, but the frames look interlaced, top field first" in stream["hints"]
    bottom = made("bottom.mkv", MOVING.format(50), "trim=end_frame=100,tinterlace=interleave_bottom,setfield=prog")
    assert stream_of(bottom)["measured-field-order"] == "bottom-field-first"
    telecine = made("telecine.mkv", MOVING.format(24), "trim=end_frame=48,telecine=pattern=23")
    repeated = stream_of(telecine)["regions"][0]["figures"]["field"]["repeated"]
    assert repeated["top"] in range(10, 14) and repeated["bottom"] in range(10, 14), repeated
    assert line_of(telecine, "field order").startswith("declared progressive, but the frames look telecine: "), telecine
    # Fine patterns show either order, and one of them more often.
    for size in ("160x120", "320x240"):
        pattern = made(f"pattern-{size}.mkv", f"testsrc2=size={size}:rate=25:duration=2", "setfield=prog")
        assert not [notice for notice in notices_of(pattern) if notice["kind"] == "field-order"], notices_of(pattern)
    frames = made("frames.mkv", MOVING.format(25), "trim=end_frame=50,gblur=2")
    assert line_of(frames, "field order") == "progressive; the frames look progressive"
    assert not [hint for hint in stream_of(frames).get("hints", []) if "field" in hint]


def test_repeats():
    """25 and 24 different pictures a second in more frames."""
    for source, rate, count, line in (
            (25, 50, 200, "100 frames equal the one before, the first at 0:00:00.020; cadence: 1 unique of 2 (2:2), "
             "25 in 50 frames/s, at "),
            (24, 60, 240, "144 frames equal the one before, at most 2 in a row at 0:00:00.017; cadence: 2 unique of 5 (2:3), "
             "24 in 60 frames/s, at "),
            (24, 30, 120, "24 frames equal the one before, the first at 0:00:00.")):
        path = made(f"repeats{rate}.mkv", PATTERN.format(source), f"trim=end_frame={4 * source},fps={rate}")
        stream = stream_of(path)
        assert stream["results"] == count, stream["results"]
        assert line_of(path, "repeats").startswith(line), line_of(path, "repeats")
        (cadence,) = [notice for notice in notices_of(path) if notice["kind"] in ("cadence", "repeat")]
        assert (cadence["kind"], cadence["severity"]) == ("cadence", "note") and cadence["text"].startswith(line), cadence
    assert "cadence: 4 unique of 5, 24 in 30 frames/s" in line_of(path, "repeats")
    moving = made("moving.mkv", PATTERN.format(25), "trim=end_frame=50")
    assert line_of(moving, "repeats") == "none"
    # Frames were lost here and there, and others repeated in their place.
    lossy = made("lossy.mkv", PATTERN.format(25), "trim=end_frame=100,select='not(lt(mod(n*n*n,17),5))',fps=25")
    (repeat,) = [notice for notice in notices_of(lossy) if notice["kind"] in ("cadence", "repeat")]
    assert repeat["kind"] == "repeat" and repeat["text"] == line_of(lossy, "repeats"), repeat
    assert (repeat["value"], repeat["value-time"]) == (2, 200_000_000) and repeat["text"].endswith("; no steady cadence"), repeat
    assert not {"cadence", "repeat"} & {notice["kind"] for notice in notices_of(moving)}


def test_gamut():
    """Colours that no R, G and B have, in a column of a quarter of the picture from frame 10 on."""
    path = made("illegal.mkv", GREY.format(1), "geq=lum='if(gt(N,9)*lt(X,16),250,126)':cb='if(gt(N,9)*lt(X,8),240,128)':"
                "cr='if(gt(N,9)*lt(X,8),240,128)'")
    region = stream_of(path)["regions"][0]
    r103 = region["r103"]
    assert (r103["frames-above"], r103["worst-frame"], r103["worst-time"]) == (15, 10, 400_000_000), r103
    assert r103["worst"] == region["figures"]["gamut-filter"]["any"]["max"] and .2 < r103["worst"] < .35, r103
    assert line_of(path, "gamut") == ("15 of 25 frames have more than 1 % of their pixels outside of EBU R 103; the most is "
                                      f"{100 * r103['worst']:.3f} %, in frame 10 (0:00:00.400)")
    grey = made("grey.mkv", GREY.format(0.2))
    assert line_of(grey, "gamut") == "no pixel is outside of EBU R 103"
    assert line_of(grey, "legal range") == "no pixel is outside" and "look at" not in report("--full", grey)[0].decode()
    assert stream_of(path)["hints"][0] == (f"in the worst frame {100 * r103['worst']:.1f} % of the pixels are outside of EBU "
                                           "R 103, which allows 1 %")
    if has_page():
        assert dict(page_of(path)["facts"])["Gamut"] == line_of(path, "gamut")


def test_timestamps():
    """Frames 20 to 22 and 50 are dropped, and one begins 25 ms early: an overlap, and a gap behind it."""
    path = made("drop.mkv", MOVING.format(25), "trim=end_frame=100,select='not(between(n,20,22)+eq(n,50))'")
    times = stream_of(path)["timestamps"]
    assert times == {"buffers": 96, "gaps": 2, "gap-length": 4, "overlaps": 0, "jumps-back": 0, "missing": 0, "places": [
        {"type": "gap", "start": 800_000_000, "end": 920_000_000, "count": 3, "fault": True},
        {"type": "gap", "start": 2_000_000_000, "end": 2_040_000_000, "count": 1, "fault": True}]}, times
    gaps = ["gap 0:00:00.800 - 0:00:00.920", "gap 0:00:02.000 - 0:00:02.040"]
    assert line_of(path, "timestamps") == " ".join(["2 gaps of 4 frames", *gaps])
    several, single = [notice for notice in notices_of(path) if notice["kind"] == "time"]
    assert several["text"] == "picture is missing for 3 frames, at an otherwise constant rate", several
    assert single["text"] == "1 frame is missing, at an otherwise constant rate", single
    for notice, place in zip((several, single), times["places"]):
        assert notice["severity"] == "warn" and notice["spans"] == [{key: place[key] for key in ("start", "end")}], notice
    if has_page():
        assert dict(page_of(path)["facts"])["Timestamps"] == "2 gaps of 4 frames: " + ", ".join(gaps)
    early = path_of("early.mkv")
    ffmpeg("-i", made("even.mkv", GREY.format(1)), "-c", "copy", "-bsf:v", r"setts=ts=TS-25*eq(N\,10)", early)
    places = stream_of(early)["timestamps"]["places"]
    assert [(place["type"], place["start"]) for place in places] == [
        ("overlap", 375_000_000), ("gap", 415_000_000)], places
    assert "timestamps" not in report("--full", made("whole.mkv", GREY.format(1)))[0].decode()


def gaps_of(path, gaps):
    """What the text and JSON say of the timestamps. The page and a policy must say the same."""
    rule = path_of("gaps.policy")
    with open(rule, "w", encoding="utf-8") as file:
        file.write("gaps: fact.gaps = 0\n")
    text, _ = report("--full", "--policy", rule, path, status=3 if gaps > 0 else 0)
    times = stream_of(path)["timestamps"]
    (line,) = [line[19:] for line in text.decode().splitlines() if line.startswith("    timestamps")]
    assert times["gaps"] == gaps and ("gap" in line) == (gaps > 0), (line, times)
    assert gaps == 0 or f"video 0: is {gaps}\n" in text.decode(), text.decode()
    if gaps > 0 and has_page():
        facts = dict(page_of(path)["facts"])
        assert facts["Timestamps"].split(": gap ")[0] == line, facts
        assert ("Frame rate" in facts) == ("    frame rate  " in text.decode()) == ("variable" not in line), facts
    return line, times


def test_variable_rate():
    """A phone leaves out frames all over the film, and that is no fault. A hole of a second is one, also there."""
    phone = "select='not(eq(mod(n,7),3){})'"
    for name, codec in (("phone.mp4", ["-c:v", "mpeg4"]), ("phone.mkv", ["-c:v", "ffv1"])):
        for hole in ("", "+between(n,60,89)"):
            path = path_of(name.replace(".", "1." if hole else "0."))
            ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=30:d=5", "-vf", phone.format(hole), "-vsync", "vfr", *codec, path)
            line, times = gaps_of(path, 1 if hole else 0)
            assert line.startswith("variable frame rate: 1") and " to 30" in line and "mean 25." in line, (path, line)
            assert ("; 1 gap of 2" in line) == (hole != "") and times["overlaps"] == 0, (line, times)
            if hole:
                assert times["places"][0]["start"] // 10 ** 8 == 19, times
    # Each third frame has the time of the one before it; and frames are lost, too.
    for hole in (0, 4):
        path = path_of(f"shifted{hole}.mkv")
        ffmpeg("-i", made(f"film{hole}.mkv", GREY.format(4), f"select='not(between(n,51,50+{hole}))'"), "-c", "copy",
               "-bsf:v", r"setts=ts=TS-40*eq(mod(N\,3)\,1)", path)
        line, times = gaps_of(path, 1 if hole else 0)
        assert re.match(r"\d+ times are shifted by at most one frame" + ("; 1 gap of 4 frames$" if hole else "$"), line), line
        assert times["shifted"] == int(line.split()[0]) >= 32 and times["overlaps"] == 0, times
    # The last frame has the time of the one before it: the rate and the length are those of the frames.
    path = path_of("shifted-end.mkv")
    ffmpeg("-i", path_of("film0.mkv"), "-c", "copy", "-frames:v", "98", "-bsf:v", r"setts=ts=TS-40*eq(mod(N\,3)\,1)", path)
    (summary,) = objects("--json-summary", "--measures=basic", path)
    (stream,) = summary["streams"]
    assert (stream["results"], stream["mean-frame-rate"], stream["end"] - stream["start"]) == (98, 25, 3920000000), stream
    assert summary["duration"] == 3920000000, summary["duration"]


def first_line(path, *arguments):
    return report(*arguments, path)[0].decode().splitlines()[0]


def test_missing_time():
    """Frames that are missing at a constant rate are a fault, and the time without them is not frozen. Of other rates, and of a
    recorded screen, which leaves out frames that change nothing, they are none."""
    hole = "select='not(between(t,2,3.99))'"
    for suffix, codec in (("mkv", "libx264"), ("mp4", "libx264"), ("mov", "prores_ks")):
        path = path_of("hole." + suffix)
        ffmpeg("-f", "lavfi", "-i", MOVING.format(25), "-t", "6", "-vf", hole + ",gblur=2", "-vsync", "passthrough", "-c:v", codec, path)
        assert "picture missing 0:02.0 to 0:04.0, 50 frames" in first_line(path), (path, first_line(path))
        assert "frozen" not in report("--full", path)[0].decode().split("nothing found by")[0], path
    # The picture stands for 1.6 s before the hole and for 1.6 s behind it: no 2 s of frozen picture.
    both = made("both.mkv", GREY.format(6), "noise=alls=30:allf=t:enable='not(between(t,1,2.6)+between(t,3,4.6))',"
                "select='not(between(t,2.61,2.99))'")
    assert first_line(both).startswith("LOOK AT  picture missing 0:02.6 to 0:03.0, ") and "frozen" not in first_line(both), first_line(both)
    # Two screens, one of which changes rarely: frames that equal the one before are left out.
    screen = path_of("screen.mkv")
    ffmpeg("-f", "lavfi", "-i", "color=gray:size=64x48:rate=25:duration=10", "-vf",
           "drawbox=w=20:h=20:c=white:t=fill:enable='between(mod(t,3),0,0.2)',select='lt(mod(t,3),1)'", "-vsync", "passthrough",
           "-c:v", "ffv1", screen)
    assert "missing" not in first_line(screen).split("nothing found")[0], first_line(screen)
    sound = path_of("sound-hole.mkv")
    ffmpeg("-f", "lavfi", "-i", "sine=duration=6", "-af", "aselect='not(between(t,2,2.99))'", "-c:a", "pcm_s16le", sound)
    # The input is not complete then, which is said once.
    line = report(sound, status=1)[0].decode().splitlines()[0]
    assert line.startswith("NOT COMPLETE") and line.count("missing") == 1, line


def test_dead_while():
    """A channel that is silent for a while beside others is told first, with its time; what is said not to be found was watched."""
    tone = "0.3*sin(2000*t)"
    dead = heard("dead-while.wav", f"{tone}|0.2*sin(2500*t)*(1-between(t\\,3\\,5.4))", 8)
    assert first_line(dead) == "LOOK AT  R silent 0:03.0 to 0:05.4", first_line(dead)
    fine = first_line(heard("alive.wav", f"{tone}|0.2*sin(2500*t)", 8))
    assert fine.startswith("nothing found by: ") and "dead channels" in fine, fine


# What tells nothing: shares and times that are rounded to none, what is at most itself, long numbers of bytes.
SAYS_NOTHING = re.compile(r"(?<![\d.])0\.0+ (%|s\b|kbit)|at most 0(\.0+)?\b(?! )|at most 1 in a row|\b0 unique|1 unique of 1\b|"
                          r"no steady|offset -?0\.0+\b|-inf|\u221e|\d{8} bytes|\b0 kbit|none of 0|^(.*% of the pixels).*at most \1")


def notices_of(path, *arguments, status=0):
    return objects("--json-summary", *arguments, path, status=status)[0]["notices"]


def clean_of_notices():
    return made("fine.mkv", GREY.format(1), "noise=alls=10:allf=t")


def test_notices():
    """Each fault is one notice, with its kind, severity, stream and times."""
    tone = "0.3*sin(2000*t)"
    silent, opposite = heard("pause.wav", f"{tone}*lt(t\\,2)", 6, "mono"), heard("opposite.wav", f"{tone}|-{tone}", 3)
    black = made("night.mkv", "color=black:size=64x48:rate=25:duration=4")
    illegal = made("illegal.mkv", GREY.format(1), "format=yuv420p,geq=lum=255:cb=128:cr=128")
    rule = path_of("dark.policy")
    with open(rule, "w", encoding="utf-8") as file:
        file.write("bright: Y.mean >= 100\nwarn fine: detail.si >= 1\n")
    everything = "signal+gamut-filter+level+loudness"
    for path, arguments, status, expected in (
            (silent, (), 0, [("silence", "warn", 0, (2, 6))]),
            (opposite, (), 0, [("channel", "warn", 0, (0, 3))]),
            (black, ("-a", "black", "-m", everything), 0, [("black", "warn", 0, (0, 4))]),
            (black, ("-a", "none", "-m", everything, "-p", rule), 3,
             [("rule", "fail", 0, (0, 4)), ("rule", "warn", 0, (0, 4))]),
            (illegal, ("-a", "none", "-m", everything), 0, [("gamut", "warn", 0, None), ("range", "warn", 0, None)]),
            ("not-there.mkv", (), 1, [("incomplete", "fail", None, None)])):
        notices = notices_of(path, *arguments, status=status)
        found = [(notice["kind"], notice["severity"], notice.get("stream"),
                  tuple(round(notice["spans"][0][key] / 1e9) for key in ("start", "end")) if "spans" in notice else None)
                 for notice in notices]
        assert found == expected, (path, notices)
        # What no alert tells is the same in all places.
        text = report("--full", *arguments, path, status=status)[0].decode()
        for stream in objects("--json-summary", *arguments, path, status=status)[0]["streams"]:
            for hint in stream.get("hints", []):
                assert hint in text and hint in [notice["text"] for notice in notices], (hint, text)
    broken, _ = notices_of(black, "-a", "none", "-m", everything, "-p", rule, status=3)
    assert (broken["value"], broken["limit"], broken["value-time"]) == (16, 100, 0), broken
    assert broken["text"].startswith("dark, bright: Y.mean >= 100: video 0: 100 of 100 frames (100 %)"), broken
    # The worst value and its limit.
    for path, arguments, kind, value, limit, unit in (
            (black, ("-a", "black"), "black", 1, 0.98, "share of pixels"), (silent, (), "silence", None, -60, "dB"),
            (opposite, ("-m", "level"), "channel", -1, -0.5, None)):
        (notice, *_) = [notice for notice in notices_of(path, *arguments) if notice["kind"] == kind and "limit" in notice]
        assert (notice["limit"], notice.get("unit")) == (limit, unit), notice
        assert value is None or round(notice["value"], 3) == value, notice
    ruled = ("-a", "none", "-m", everything, "--set", "rules=bright: Y.mean >= 100")
    (broken,) = notices_of(black, *ruled)
    assert (broken["kind"], broken["severity"], broken["text"]) == ("rule", "warn", "the rule bright is broken: Y; worst 16 at 0:00:00.000"), broken
    assert (broken["value"], broken["limit"], broken["value-time"]) == (16, 100, 0), broken
    # Clipped runs of a window, at full scale for 0.1 s from 1 s on; the time of silence's value is unknown.
    (clipped,) = [notice for notice in notices_of(heard("clipped.wav", "if(between(t\\,1\\,1.1)\\,2*sin(2000*t)\\,0.1)", 2, "mono"))
                  if notice["kind"] == "clipping"]
    assert clipped["value"] > 10 and (clipped["limit"], clipped["unit"], clipped["value-time"]) == (0, "runs", 10 ** 9), clipped
    assert clipped["text"].endswith(f"; worst {clipped['value']:.0f} runs at 0:00:01.000"), clipped
    (peak,) = notices_of(heard("peak.wav", "1.2*sin(24000*PI*t+PI/4)", 1, "mono"))
    assert (peak["kind"], peak["limit"], peak["unit"]) == ("true-peak", 0, "dBTP") and abs(peak["value"] - 1.6) < 0.1, peak
    # Two streams of sound, of which one is late: its name is in the sentence, and not in what is below it.
    both = path_of("both.mkv")
    ffmpeg("-i", heard("left.wav", "0.2+0.3*sin(2000*t)", 2, "mono"), "-itsoffset", "1", "-i", path_of("left.wav"), "-map", "0",
           "-map", "1", "-c", "copy", both)
    texts = [(notice["text"], notice.get("stream"), notice["severity"]) for notice in notices_of(both)]
    offset = "mono has a DC offset of 20.0 % of full scale"
    assert texts == [("audio 0: " + offset, 0, "warn"), ("audio 1: " + offset, 1, "warn"),
                     ("audio 0: the streams differ in length: this one ends 1.000 s before audio 1", 0, "warn"),
                     ("audio 1: this stream starts 1.000 s after audio 0", 1, "warn"),
                     ("mono tracks: loudness is that of each track; use --programme", None, "warn")], texts
    assert offset in stream_of(both)["hints"]
    (offset,) = notices_of(heard("offset.wav", "0.2+0.3*sin(2000*t)", 1, "mono"))
    assert (offset["kind"], round(offset["value"], 2), offset["limit"], offset["unit"]) == \
        ("channel", 0.2, 0.01, "share"), offset
    # A summary that says no more than that it is not complete.
    bare = path_of("bare.json")
    with open(bare, "w", encoding="utf-8") as file:
        (summary,) = objects("--json-summary", clean_of_notices())
        summary["complete"] = False
        json.dump(summary, file)
    assert [(notice["kind"], notice["severity"]) for notice in notices_of(bare, "--merge", status=1)] == \
        [("incomplete", "fail")]
    # A stream that gives nothing.
    with open(bare, "w", encoding="utf-8") as file:
        summary["complete"], summary["streams"][0]["results"] = True, 0
        json.dump(summary, file)
    assert [(notice["kind"], notice["severity"], notice["text"]) for notice in notices_of(bare, "--merge")] == \
        [("incomplete", "warn", "the video gives nothing to measure")]
    gamut = notices_of(illegal, "-a", "none", "-m", everything, "-r", "left=0,0,50%,100%")
    assert [notice.get("region") for notice in gamut if notice["kind"] == "gamut"] == [None, "left"], gamut
    clean = clean_of_notices()
    assert notices_of(clean) == [], notices_of(clean)
    # A summary that is read again has them again, with the names of the inputs.
    write = path_of("read.json")
    with open(write, "wb") as file:
        file.write(report("--json-summary", silent)[0])
    again, first = notices_of(write, "--merge"), notices_of(silent)
    for notice in again:
        assert {span.pop("input") for span in notice["spans"]} == {silent}, again
    assert again == first, again


def short_of(path, *arguments):
    """The faults of single frames: kind, first frame at 25 frames/s, number of frames."""
    return [(fault["kind"], round(fault["start"] / 1e9 * 25), fault["frames"])
            for fault in stream_of(path, *arguments).get("short-faults", [])]


def test_holes():
    """Holes of sound: of one channel, of several, of none; with their times to the sample."""
    left, right = "0.1*sin(2000*t)", "0.1*sin(3100*t)"
    for name, expressions, seconds, holes, line in (
            ("hole", f"{left}*not(between(t,1.5,1.5495))|{right}*not(between(t,1.5,1.5495))", 3,
             [("ch0", 72000, 74377), ("ch1", 72000, 74377)], "LOOK AT  1 hole in the sound at 0:01.5"),
            ("hole-right", f"{left}|{right}*not(between(t,1.01,1.3))*not(between(t,2,2.05))", 3,
             [("ch1", 48480, 62401), ("ch1", 96000, 98401)], "LOOK AT  2 holes in the sound of R from 0:01.0"),
            ("holes", f"{left}*not(between(t,1,1.1))|{right}*not(between(t,2,2.1))", 3,
             [("ch0", 48000, 52801), ("ch1", 96000, 100801)], "LOOK AT  2 holes in the sound from 0:01.0"),
            # Too short; faded out and in; between two programmes, of which one ends softly; beeps; silence, which is an alert.
            ("short-hole", f"{left}*not(between(t,1,1.015))|{right}", 3, [], None),
            ("faded", f"{left}*max(0,abs(t-1.5)-0.2)|{right}", 3, [], None),
            ("programmes", f"{left}*if(lt(t,1),1-t,gt(t,1.4))|{right}*if(lt(t,1),1-t,gt(t,1.4))", 3, [], None),
            ("beeps", f"{left}*lt(mod(t,1),0.2)|{right}*lt(mod(t,1),0.2)", 3.1, [], None),
            ("pause", f"{left}*not(between(t,3,5.5))|{right}*not(between(t,3,5.5))", 9, [],
             "LOOK AT  silent 0:03.0 to 0:05.5")):
        path = heard(name + ".wav", expressions.replace(",", "\\,"), seconds)
        faults = stream_of(path).get("short-faults", [])
        found = [(fault["channel"], fault["start"] * 48000 / 1e9, fault["end"] * 48000 / 1e9) for fault in faults]
        # A sample beside the hole may be 0 by itself.
        assert len(found) == len(holes) and all(
            channel == expected[0] and abs(start - expected[1]) <= 1.1 and abs(end - expected[2]) <= 1.1
            for (channel, start, end), expected in zip(found, holes)), (name, found)
        first = report(path)[0].decode().splitlines()[0]
        assert first == line or line is None and first.startswith("nothing found by: holes, "), (name, first)
    (notice,) = notices_of(path_of("hole-right.wav"))
    assert (notice["kind"], notice["unit"], round(notice["value"], 3), len(notice["spans"])) == ("short", "s", 0.29, 2), notice
    assert notice["text"] == \
        "2 holes in the sound of R: samples are exactly 0 for 0.290 s at most, between sound above -40 dBFS", notice
    # One of two tracks has a hole. Inputs that are added up.
    film = path_of("hole.mkv")
    ffmpeg("-i", path_of("hole.wav"), "-i", path_of("faded.wav"), "-map", "0", "-map", "1", "-c:a", "flac", film)
    assert report(film)[0].decode().splitlines()[0] == "LOOK AT  audio 0: 1 hole in the sound at 0:01.5"
    merged = path_of("holes.json")
    with open(merged, "wb") as file:
        file.write(report("--json-summary", path_of("hole.wav"), path_of("holes.wav"))[0])
    spans = [span["input"] for span in notices_of(merged, "--merge")[0]["spans"]]
    assert spans == [path_of("hole.wav")] + 2 * [path_of("holes.wav")], spans


def test_short_faults():
    """A few black or white frames, an odd one, a lone repeat; and what belongs to a film."""
    box = "drawbox=c={}:t=fill:enable='{}'"
    moving = "testsrc2=size=160x120:rate=25:duration=6"
    odd = "negate=enable='eq(n,80)'"
    for name, source, filters, expected in (
            ("white", moving, box.format("white", "eq(n,30)"), [("white", 30, 1)]),
            ("black", moving, box.format("black", "between(n,60,62)+eq(n,100)"), [("black", 60, 3), ("black", 100, 1)]),
            # What lasts for 2 s is an alert, and the ends of a film are dark.
            ("long", moving, box.format("black", "between(n,60,110)+lt(n,5)+gt(n,144)"), []),
            ("fade", moving, "fade=out:50:10,fade=in:60:10:enable='gte(n,60)'", []),
            ("odd", "testsrc2=size=160x120:rate=25:duration=6,eq=contrast=0.4:brightness=0.2", odd, [("odd", 80, 1)]),
            ("cut", moving, "negate=enable='gt(n,80)'", []),
            ("strobe", moving, "eq=contrast=0.4:brightness=0.2,negate=enable='between(n,50,100)*mod(n,2)'", []),
            # A frame that came twice, once; and one in each second, as from 24 frames/s.
            ("lone", MOVING.format(25), "trim=end_frame=100,loop=loop=1:size=1:start=60,setpts=N/(25*TB)", [("repeat", 60, 1)]),
            ("rate", MOVING.format(24), "trim=end_frame=100,fps=25", []),
            ("pairs", MOVING.format(25), "trim=end_frame=100,loop=loop=2:size=1:start=60,setpts=N/(25*TB)", []),
            ("night", "color=0x141414:size=160x120:rate=25:duration=4", box.format("black", "eq(n,50)"), [])):
        path = made(f"short-{name}.mkv", source, filters)
        assert short_of(path) == expected, (name, short_of(path))


def test_verdict_line():
    """The first line says what to look at and when, or what was looked for; --brief only the worst."""
    clean = clean_of_notices()
    # Sampled, so that it is light for 6 frames, and dark for 6, with short edges.
    flashing = made("flashing.mkv", "color=black:size=128x96:rate=30:duration=4",
                    "format=yuv420p,geq=lum='if(between(T\\,1\\,3)*mod(floor(N/3)\\,2)\\,200\\,20)':cb=128:cr=128")
    late = path_of("late.mkv")
    ffmpeg("-f", "lavfi", "-i", GREY.format(2), "-itsoffset", "0.51", "-f", "lavfi", "-i", "sine=duration=1.49", "-c:v", "ffv1",
           "-c:a", "pcm_s16le", "-vf", "noise=alls=10:allf=t", late)
    silent = heard("pause2.wav", "0.3*sin(2000*t)*lt(t\\,2)+0.3*sin(2000*t)*gt(t\\,5)*lt(t\\,7)", 9, "mono")
    policy = path_of("verdict.policy")
    with open(policy, "w", encoding="utf-8") as file:
        file.write("bright: Y.mean >= 200\n")
    broken = path_of("not-there.mkv")
    # A black picture is frozen: the line says it once. The card behind it is frozen, and not black.
    dark = made("dark.mkv", "color=black:size=64x48:rate=25:duration=4")
    card = made("card.mkv", "color=black:size=64x48:rate=25:duration=6", "drawbox=c=gray:t=fill:enable='gte(t,3)'")
    cut = path_of("cut.mkv")
    with open(late, "rb") as file, open(cut, "wb") as part:
        data = file.read()
        part.write(data[:len(data) * 2 // 3])
    for path, arguments, status, line, brief in (
            (clean, (), 0, "nothing found by: flashes, black, freezes, short faults, field order, gamut, range, missing time", "nothing found"),
            (clean, ("-m", "signal", "-a", "black"), 0, "nothing found by: black, range", "nothing found"),
            (clean, ("-p", policy), 3, "FAIL  bright: 1", "FAIL  bright: 1"),
            (flashing, ("-m", "signal+flash", "-a", "none"), 0, "LOOK AT  flashes: fail 0:01", "LOOK AT  flashes: fail 0:01"),
            (late, (), 0, "LOOK AT  sound starts 0.51 s late", "LOOK AT  sound starts 0.51 s late"),
            (silent, (), 0, "LOOK AT  silent 2 times from 0:02.0", "LOOK AT  silent 2 times from 0:02.0"),
            (dark, (), 0, "LOOK AT  black 0:00.0 to 0:04.0", "LOOK AT  black 0:00.0 to 0:04.0"),
            (card, (), 0, "LOOK AT  black 0:00.0 to 0:03.0 · frozen 0:03.0 to 0:06.0", "LOOK AT  black 0:00.0 to 0:03.0"),
            (cut, (), 1, "NOT COMPLETE  ", "NOT COMPLETE  "),
            (broken, (), 1, "NOT MEASURED  ", "NOT MEASURED  ")):
        lines = report("--full", *arguments, path, status=status)[0].decode().splitlines()
        assert lines[0].startswith(line), (lines[0], line)
        assert objects("--json-summary", *arguments, path, status=status)[0]["verdict-line"] == lines[0], lines[0]
        assert lines[0].count("cut off") == (path == cut) and lines[0].count("frozen") == (path == card), lines[0]
        (short,) = report("--brief", *arguments, path, status=status)[0].decode().splitlines()
        assert short.startswith(brief) and short.endswith(lines[1].split(": ")[0]) and "nothing found by" not in short, short


def test_short_text():
    """The text fits a screen: it has what was found; --full also has what was looked for in vain."""
    film = path_of("tracks.mkv")
    ffmpeg("-f", "lavfi", "-i", MOVING.format(25) + ":end_pts=125", "-f", "lavfi", "-i", "aevalsrc=0.3*sin(2000*t)|0.2*sin(3000*t):d=4",
           "-map", "0", "-map", "1", "-map", "1", "-t", "4", "-pix_fmt", "yuv420p", "-c:v", "ffv1", "-c:a", "pcm_s16le", film)
    short, full = (report(*options, film)[0].decode() for options in ((), ("--full",)))
    assert len(short.splitlines()) <= 25 < len(full.splitlines()), short
    assert not re.search(r" none\b|no pixel|no frame|no black bars|pass, zones: pass", short), short
    for label in ("legal range", "gamut", "flashes", "black", "freezes", "clipping", "silence", "pairs", "bit rate"):
        assert f"\n    {label}" in full and f"\n    {label}" not in short, (label, full)
    # All texts can be made of results that are kept.
    for option in "--full", "--brief":
        kept = [report("--quiet", option, "--results", path_of("kept" + option), film)[0] for _ in range(2)]
        assert kept[0] == kept[1] != b"", kept
    # What the notices do not name was looked for, too.
    dark = report(made("dark.mkv", "color=black:size=64x48:rate=25:duration=4"))[0].decode().splitlines()
    assert dark[0].startswith("LOOK AT  black 0:00.0 to 0:04.0") and dark[2] == \
        "  nothing found by: flashes, short faults, field order, gamut, range, missing time", dark


def test_nothing_says_nothing():
    """Each line of the text, of the page and of --compare says something, whatever the film is."""
    one_pixel = "geq=lum='if(eq(X,0)*eq(Y,0)*eq(N,3),250,126)':cb=128:cr=128"
    films = [
        made("gray.mkv", GREY.format(4)), made("single.mkv", GREY.format(0.04)),
        # A pixel of 4 million that is out of range; pictures that are repeated once.
        made("pixel.mkv", "color=gray:size=640x480:rate=25:duration=0.4", one_pixel),
        made("once.mkv", PATTERN.format(25), "select='not(eq(n,6))',setpts=N/(25*TB),trim=end_frame=12,fps=25,"
             "tpad=stop_mode=clone:stop=1"),
        heard("silent.wav", "0|0", 4), heard("short.wav", "0.1*sin(2000*t)", 0.05, "mono"),
        heard("low.wav", "0.0001*sin(2000*t)", 4, "mono"),
    ]
    for path in films:
        text = report("--full", path)[0].decode()
        if path.endswith("pixel.mkv"):
            assert line_of(path, "legal range") == "less than 0.001 % of the pixels are outside", text
            assert "bit rate" in text and "brightness     mean of Y: 126.0 in each frame" in text, text
        found = SAYS_NOTHING.search(text)
        assert not found, (found, text)
        compared = report("--compare", path, films[0])[0].decode()
        found = SAYS_NOTHING.search(compared.replace("0.000 - ", "").replace("0:00:00.000", ""))
        assert not found, (found, compared)
    if has_page():
        for path in films[2], films[4]:
            for name, fact in page_of(path)["facts"]:
                assert not SAYS_NOTHING.search(fact), (path, name, fact)


if __name__ == "__main__":
    sys.exit(run_tests([value for name, value in list(globals().items())
                        if name.startswith("test_")]))
