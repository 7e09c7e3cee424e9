#!/usr/bin/python3
"""cudahisto-report with damaged inputs: what is wrong is reported, and nothing else is.

    integrity.py PROGRAM [--long ROUNDS]
    integrity.py PROGRAM --matrix REPEATS

Whole files of many containers and codecs are damaged: a part becomes zero, the end is cut off, packets are
taken out, bytes are overwritten. If the number or the times of the frames or samples then differ from those
of the whole file, the status must be 1, and a sentence must say what is wrong. Whole files never have a
problem. The damage is random, and the same in each run. --long damages all files in ROUNDS ways.

The matrix is all files, each whole and damaged in several ways: eight programs at the same time must give the same
answers in each repeat. --matrix runs nothing else; --long repeats it as often as --matrix 3 would.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import concurrent.futures
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

from common import (PROGRAM, TIMEOUT, clip, ffmpeg, objects, one_line, path_of, report, run_tests,
                    sound)

ROUNDS = int(sys.argv[3]) if sys.argv[2:3] == ["--long"] else 0
REPEATS = int(sys.argv[3]) if sys.argv[2:3] == ["--matrix"] else 3 if ROUNDS else 0

def environment(**changes):
    return {**os.environ, **changes}


def test_no_object_is_left():
    """The tracer `leaks` of GStreamer finds no object after two inputs of several streams."""
    _, errors = report(clip(), clip(), env=environment(
        GST_TRACERS="leaks", GST_DEBUG="GST_TRACER:7,default:4,GST_INIT:4", GST_DEBUG_NO_COLOR="1"))
    # The tracer tells when GStreamer is deinitialised.
    assert b"deinitialized GStreamer" in errors, errors[-1000:]
    # The tracer also prints the format of its lines, with %s.
    alive = [line for line in errors.decode().splitlines()
             if "object-alive, type-name=(string)" in line and "(string)%" not in line]
    assert not alive, "\n".join(alive)


def test_list_of_problems():
    """JSON, text and the standard error tell the same."""
    with open(clip(), "rb") as file:
        data = file.read()
    with open(path_of("cut.mkv"), "wb") as file:
        file.write(data[:len(data) // 2])
    output, errors = report("--json-summary", "cut.mkv", status=1)
    (summary,) = objects("--json-summary", "cut.mkv", status=1)
    first = summary["problems"][0]
    assert first["text"] == summary["problem"] and first["text"] in one_line(errors), summary
    assert not summary["complete"], output
    output, _ = report("cut.mkv", status=1)
    text = output.decode()
    assert all(problem["text"] in text for problem in summary["problems"][:8]), text
    assert len(summary["problems"]) == 1 or "; --json-summary lists all)" in one_line(errors), errors


def test_jpeg_2000():
    """jpeg2000parse 1.22 marks each frame as a discontinuity. Nothing is missing."""
    for name, pixels in (("j2k-short.mov", "rgb24"), ("j2k-short.mxf", "yuv422p10le")):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=0.6", "-pix_fmt", pixels, "-c:v", "jpeg2000",
               path_of(name))
        (summary,) = objects("--json-summary", name)
        assert summary["complete"] and summary["streams"][0]["timestamps"]["buffers"] == 15, summary


def test_raw_dv():
    """Its decoder conceals zeros; a sequence without its header tells of them."""
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=720x576:rate=25:duration=0.4", "-f", "lavfi", "-i",
           "sine=duration=0.4:sample_rate=48000", "-target", "pal-dv", path_of("whole.dv"))
    report("whole.dv")
    with open(path_of("whole.dv"), "rb") as file:
        data = file.read()
    for bad, reason in ((data[:500000] + bytes(140000) + data[640000:], "damaged at byte 504000"),
                        (data[:-100], "its last 100 bytes are missing"), (data[:700000] + b"x" + data[700000:], "damaged")):
        with open(path_of("bad.dv"), "wb") as file:
            file.write(bad)
        (summary,) = objects("--json-summary", "bad.dv", status=1)
        assert any(reason in problem["text"] for problem in summary["problems"]), summary["problems"]


def test_samples_that_the_file_states():
    """FLAC states the number of samples: each one that is missing counts, also a packet of 0.1 s."""
    ffmpeg("-f", "lavfi", "-i", "anoisesrc=duration=4:amplitude=0.1:seed=5:sample_rate=48000", "-c:a", "flac",
           path_of("whole.flac"))
    assert objects("--json-summary", "whole.flac")[0]["complete"]
    with open(path_of("whole.flac"), "rb") as file:
        data = file.read()
    with open(path_of("cut99.flac"), "wb") as file:
        file.write(data[:len(data) * 99 // 100])
    (summary,) = objects("--json-summary", "cut99.flac", status=1)
    found = re.fullmatch(r"(\d+) of 192000 samples are missing", summary["problem"])
    assert found and int(found[1]) + summary["streams"][0]["samples"] == 192000, summary


def test_sizes_that_the_file_states():
    """Sound ends where its head says, MXF with its footer, MPEG with a whole packet, MP4 with its last frame."""
    tone = ["-f", "lavfi", "-i", "anoisesrc=duration=1:amplitude=0.1:seed=5:sample_rate=48000"]
    film = ["-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=1"]

    def insert(data):
        return data[:len(data) // 2] + bytes(range(1, 101)) + data[len(data) // 2:]

    for name, options, change, reason in (
            ("i.wav", [*tone], insert, "the last 100 bytes of the file belong to none"),
            ("r.wav", [*tone, "-rf64", "always"], insert, "the last 100 bytes of the file belong to none"),
            ("i.aiff", [*tone], insert, "the last 100 bytes of the file belong to none"),
            ("i.w64", [*tone], insert, "the last 100 bytes of the file belong to none"),
            ("i.au", [*tone], insert, "the last 100 bytes of the file belong to none"),
            ("c.w64", [*tone], lambda data: data[:-1000], "cut off"),
            ("c.au", [*tone], lambda data: data[:-1000], "its last 1000 bytes are missing"),
            ("c.mxf", [*film, "-c:v", "mpeg2video", "-g", "5"], lambda data: data[:len(data) * 3 // 4], "cut off"),
            ("d.mxf", [*film, "-c:v", "mpeg2video", "-g", "5"],
             lambda data: data[:len(data) // 2] + b"x" + data[len(data) // 2:], "damaged"),
            ("c.mpg", [*film, "-c:v", "mpeg2video", "-f", "vob"], lambda data: data[:-3000], "cut off")):
        ffmpeg(*options, path_of(name))
        with open(path_of(name), "rb") as file:
            data = file.read()
        assert objects("--json-summary", name)[0]["complete"], name
        # Tags and zeros may follow.
        if change is insert:
            for rest in (bytes(1000), b"TAG" + bytes(125), b"note\x04\0\0\0abcd"):
                # aiffparse 1.22 forgets the end of the stream now and then if something follows.
                if not name.endswith(".aiff") and (rest[:4] != b"note" or name.endswith(".wav")):
                    with open(path_of("tagged-" + name), "wb") as file:
                        file.write(data + rest)
                    assert objects("--json-summary", "tagged-" + name)[0]["complete"], (name, rest)
        if name == "i.wav":
            # The size of the whole was never set.
            with open(path_of("unset.wav"), "wb") as file:
                file.write(data[:4] + (36).to_bytes(4, "little") + data[8:])
            assert objects("--json-summary", "unset.wav")[0]["complete"]
        with open(path_of("bad-" + name), "wb") as file:
            file.write(change(data))
        (summary,) = objects("--json-summary", "bad-" + name, status=1)
        assert any(reason in problem["text"] for problem in summary["problems"]), (name, summary["problems"])


def test_formats_of_others():
    """Files in the formats of ffprobe and QCTools tell of damage in the tags of the format; those of whole films have
    no such tag."""
    with open(clip(), "rb") as file:
        data = file.read()
    with open(path_of("cut.mkv"), "wb") as file:
        file.write(data[:len(data) // 2])
    (summary,) = objects("--json-summary", "cut.mkv", status=1)
    problems = "; ".join(problem["text"] for problem in summary["problems"])
    tags = {"cudahisto.complete": "false", "cudahisto.problems": problems}
    for name, status in (("cut.mkv", 1), (clip(), 0)):
        expected = tags if status else {}
        output, _ = report("--ffprobe-json", "--qctools", "report.xml.gz", name, status=status)
        assert json.loads(output)["format"].get("tags", {}) == expected, output[-1000:]
        output, _ = report("--ffprobe", name, status=status)
        section = output.decode().split("[FORMAT]\n")[1]
        assert dict(re.findall("^TAG:(.*?)=(.*)$", section, re.M)) == expected, section
        with gzip.open(path_of("report.xml.gz")) as file:
            root = xml.etree.ElementTree.parse(file).getroot()
        assert {tag.get("key"): tag.get("value") for tag in root.findall("format/tag")} == expected
        os.remove(path_of("report.xml.gz"))


def lines_of(errors):
    return errors.decode().replace("cudahisto-report: ", "").splitlines()


def test_folder():
    """What looks like a film and cannot be measured is named, and the rest is measured."""
    folder = path_of("films")
    for name in ("closed", "open"):
        os.makedirs(os.path.join(folder, name))
    with open(sound(), "rb") as file:
        whole = file.read()
    contents = {"good.wav": whole, "empty.mkv": b"", "open/zero.MP4": bytes(100000),
                "open/error.mov": b"<html><title>404</title></html>", "unreadable.avi": whole,
                "closed/other.wav": whole, "README": b"The films.\n", "words.srt": b"1\n",
                "data.bin": bytes(1000), "program.ts": b"const x = 'MPEG?';\n"}
    for name, data in contents.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    os.symlink("nothing", os.path.join(folder, "link.webm"))
    for name in ("unreadable.avi", "closed"):
        os.chmod(os.path.join(folder, name), 0)
    command = [PROGRAM, "--json-summary"]
    bad = ["empty.mkv", "link.webm", "open/error.mov", "open/zero.MP4"]
    if os.geteuid() != 0:
        bad += ["closed", "unreadable.avi"]
    elif shutil.which("setpriv"):
        # Root may read anything.
        command = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", *command]
        bad += ["closed", "unreadable.avi"]
    try:
        for jobs in ([], ["--jobs", "2"]):
            done = subprocess.run([*command, *jobs, folder], capture_output=True, timeout=TIMEOUT,
                                  check=False)
            named = [line.split(":")[0] for line in lines_of(done.stderr)]
            assert sorted(named) == sorted(os.path.join(folder, name) for name in bad), done.stderr
            measured = [json.loads(line)["input"] for line in done.stdout.splitlines()]
            assert os.path.join(folder, "good.wav") in measured, done.stdout
            assert done.returncode == 1, done.returncode
    finally:
        os.chmod(os.path.join(folder, "closed"), 0o755)


def test_pictures_in_folder():
    """Still images are left out, and one line says so."""
    folder = path_of("album")
    os.makedirs(folder)
    shutil.copyfile(sound(), os.path.join(folder, "sound.wav"))
    for name in ("a.png", "b.jpg", "c.gif"):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=32x32", "-frames:v", "1", os.path.join(folder, name))
    _, errors = report(folder)
    assert lines_of(errors) == ["3 still images were left out: a.png, b.jpg, c.gif"], errors
    _, errors = report("--quiet", folder)
    assert errors == b"", errors
    for number in range(5):
        shutil.copyfile(os.path.join(folder, "a.png"), os.path.join(folder, f"d{number}.png"))
    os.unlink(os.path.join(folder, "sound.wav"))
    nothing = f"{folder}: there is no file of video or sound in this folder"
    pictures = "8 still images were left out: a.png, b.jpg, c.gif, d0.png, d1.png and 3 more"
    # Also among other inputs.
    for others in [], [sound()]:
        output, errors = report(folder, *others, status=1)
        assert lines_of(errors) == [nothing, pictures], errors
        assert bool(output) == bool(others), output


# ---- Damage ---------------------------------------------------------------------------------------

VIDEO = "-f lavfi -i testsrc2=size=160x120:rate=25:duration=4"
TONE = "-f lavfi -i sine=duration=4:sample_rate=48000"
BOTH = f"{VIDEO} {TONE}"
DV = "-f lavfi -i testsrc2=size=720x576:rate=25:duration=1 -f lavfi -i sine=duration=1:sample_rate=48000"
H264 = "-c:v libx264 -preset veryfast -g 25 -bf 3"
# What is damaged: the name, the options of ffmpeg, and whether it is in the short run.
DAMAGED = {
    "h264.mkv": (f"{BOTH} {H264} -c:a aac", True),
    "h264.mp4": (f"{BOTH} {H264} -c:a aac -movflags +faststart", True),
    "h264.ts": (f"{BOTH} {H264} -c:a aac", True),
    "mjpeg.avi": (f"{BOTH} -c:v mjpeg -c:a pcm_s16le", True),
    "theora.ogg": (f"{BOTH} -c:v libtheora -c:a libvorbis", True),
    "sound.flac": (f"{TONE} -c:a flac", True),
    "sound.wav": (f"{TONE} -c:a pcm_s16le", True),
    "sound.mp3": (f"{TONE} -c:a libmp3lame", True),
    "h264.mov": (f"{BOTH} {H264} -c:a pcm_s16le", False),
    "h264.flv": (f"{BOTH} {H264} -c:a aac", False),
    "fragments.mp4": (f"{BOTH} {H264} -c:a aac -movflags +frag_keyframe+empty_moov", False),
    "mpeg4.avi": (f"{BOTH} -c:v mpeg4 -c:a libmp3lame", False),
    "mpeg4.mp4": (f"{BOTH} -c:v mpeg4 -bf 2 -c:a aac", False),
    "mjpeg.mov": (f"{BOTH} -c:v mjpeg -c:a pcm_s16le", False),
    "ffv1.mkv": (f"{BOTH} -c:v ffv1 -c:a pcm_s16le", False),
    "ffv1.avi": (f"{BOTH} -c:v ffv1 -c:a pcm_s16le", False),
    "mpeg2.ts": (f"{BOTH} -c:v mpeg2video -bf 2 -c:a mp2", False),
    "mpeg2.mkv": (f"{BOTH} -c:v mpeg2video -bf 2 -c:a ac3", False),
    "hevc.mkv": (f"{BOTH} -c:v libx265 -preset ultrafast -x265-params log-level=none -c:a flac", False),
    "vp8.webm": (f"{BOTH} -c:v libvpx -deadline realtime -c:a libvorbis", False),
    "vp9.webm": (f"{BOTH} -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libopus", False),
    "variable.mkv": (f"{VIDEO} -vf select='lt(random(1),0.6)' -vsync vfr {H264}", False),
    "vorbis.ogg": (f"{TONE} -c:a libvorbis", False),
    "opus.ogg": (f"{TONE} -c:a libopus", False),
    "flac.ogg": (f"{TONE} -c:a flac", False),
    "aac.m4a": (f"{TONE} -c:a aac", False),
    "sound.aac": (f"{TONE} -c:a aac", False),
    "j2k.mov": (f"{BOTH} -pix_fmt rgb24 -c:v jpeg2000 -c:a pcm_s16le", False),
    "j2k.mxf": (f"{BOTH} -pix_fmt yuv422p10le -c:v jpeg2000 -c:a pcm_s16le", False),
    "prores.mov": (f"{BOTH} -c:v prores_ks -c:a pcm_s24le", False),
    "dv.mov": (f"{DV} -pix_fmt yuv420p -c:v dvvideo -c:a pcm_s16le", False),
    "tape.dv": (f"{DV} -pix_fmt yuv420p -c:v dvvideo -ac 2 -c:a pcm_s16le", False),
    "mpeg2.mxf": (f"{BOTH} -c:v mpeg2video -bf 2 -c:a pcm_s16le", False),
    "mpeg2.mov": (f"{BOTH} -c:v mpeg2video -bf 2 -c:a pcm_s16le", False),
    "h264.mxf": (f"{BOTH} {H264} -bf 0 -pix_fmt yuv420p -c:a pcm_s16le", False),
    "disc.mpg": (f"{BOTH} -c:v mpeg2video -bf 2 -c:a mp2 -f vob", False),
    "raw.avi": (f"{BOTH} -c:v rawvideo -pix_fmt yuv420p -c:a pcm_s16le", False),
    "v210.mov": (f"{BOTH} -c:v v210 -c:a pcm_s16le", False),
    "huffyuv.mkv": (f"{BOTH} -c:v huffyuv -pix_fmt yuv422p -c:a pcm_s16le", False),
    "large.wav": (f"{TONE} -c:a pcm_s24le -rf64 always", False),
    "sound.aiff": (f"{TONE} -c:a pcm_s16be", False),
    "sound.w64": (f"{TONE} -c:a pcm_s16le", True),
    "sound.au": (f"{TONE} -c:a pcm_s16be", False),
    "alac.m4a": (f"{TONE} -c:a alac", False),
    # These are read by libav.
    "late.mp4": (f"{BOTH} {H264} -use_editlist 0 -c:a aac", False),
    "reordered.avi": (f"{BOTH} -c:v mpeg4 -bf 2 -c:a libmp3lame", False),
    "reordered.mxf": (f"{BOTH} {H264} -pix_fmt yuv420p -c:a pcm_s16le", False),
    "dnxhr.mov": (f"{VIDEO} -s 320x240 -pix_fmt yuv422p -c:v dnxhd -profile:v dnxhr_hq", False),
    "deep.mkv": (f"{BOTH} -c:v ffv1 -pix_fmt yuv444p16le -c:a flac", False),
    "still.mov": (f"{BOTH} -c:v qtrle -c:a pcm_s16le", False),
    "truehd.ts": (f"{BOTH} -c:v mpeg2video -bf 2 -strict -2 -ac 2 -c:a truehd", False),
    "plain.h264": (f"{VIDEO} {H264}", False),
    "plain.m2v": (f"{VIDEO} -c:v mpeg2video -bf 2", False),
}
# What is not noticed in them, see docs/report.md: the ends, or parts in the middle, of what states neither times nor
# numbers.
UNNOTICED = {
    "plain.h264": {"cut_end", "zero_middle", "lose_packets", "overwrite_bytes", "insert_bytes"},
    "plain.m2v": {"cut_end", "zero_middle", "lose_packets", "overwrite_bytes", "insert_bytes"},
    "disc.mpg": {"cut_end"},
    "h264.ts": {"cut_end"},
    "mpeg2.ts": {"cut_end"},
}


def zero_middle(data, chance):
    start = int(len(data) * chance.uniform(.3, .6))
    length = int(len(data) * chance.uniform(.02, .2))
    return data[:start] + bytes(length) + data[start + length:]


def cut_end(data, chance):
    return data[:int(len(data) * chance.uniform(.5, .97))]


def lose_packets(data, chance):
    packets = [data[i:i + 188] for i in range(0, len(data), 188)]
    start = int(len(packets) * chance.uniform(.2, .9))
    del packets[start:start + chance.randint(1, max(1, len(packets) // 50))]
    return b"".join(packets)


def overwrite_bytes(data, chance):
    """A number in the tables of MP4 may become another one that is possible: they are left alone."""
    changed = bytearray(data)
    first, last = len(data) // 10, len(data) - 16
    media = data.find(b"mdat")
    if data[4:8] == b"ftyp" and media >= 0:
        first, last = media + 4, media - 4 + int.from_bytes(data[media - 4:media], "big") - 16
    for _ in range(chance.randint(1, 20)):
        start = chance.randrange(first, last)
        for i in range(chance.randint(1, 16)):
            changed[start + i] = chance.randrange(256)
    return bytes(changed)


def insert_bytes(data, chance):
    start = len(data) // 10
    media = data.find(b"mdat")
    if data[4:8] == b"ftyp" and media >= 0:
        start = media + 4
    place = chance.randrange(start, len(data) - len(data) // 10)
    return data[:place] + bytes(chance.randrange(1, 256) for _ in range(chance.randint(1, 700))) + data[place:]


KINDS = (zero_middle, cut_end, lose_packets, overwrite_bytes)


def made(name, options):
    path = path_of(name)
    if not os.path.exists(path):
        ffmpeg(*options.split(), path)
    return path


def measured(path):
    """Returns the times and lengths of the frames and windows of each stream, the summary and the status."""
    done = subprocess.run([PROGRAM, "--json", "--measures", "basic", "--alerts", "none", path],
                          capture_output=True, timeout=5 * TIMEOUT, check=False)
    assert done.returncode in (0, 1), f"{path}: {done.returncode}: {done.stderr.decode(errors='replace')}"
    frames, summary = {}, {}
    for line in done.stdout.splitlines():
        found = json.loads(line)
        if found["type"] == "summary":
            summary = found
        else:
            frames.setdefault(found["stream"], []).append((found.get("timestamp"), found.get("samples")))
    return frames, summary, done.returncode


def check_damage(name, whole, kind, seed):
    """Returns what is wrong with the report of a damaged file; None: nothing."""
    with open(path_of(name), "rb") as file:
        data = kind(file.read(), random.Random(f"{name} {kind.__name__} {seed}"))
    path = path_of(f"{kind.__name__}-{seed}-{name}")
    with open(path, "wb") as file:
        file.write(data)
    frames, summary, status = measured(path)
    os.unlink(path)
    what = f"{name} {kind.__name__} {seed}"
    problems = summary.get("problems", [])
    if frames != whole and status == 0 and kind.__name__ not in UNNOTICED.get(name, ()):
        return f"{what}: frames or samples differ, status 0"
    if summary and summary["complete"] != (status == 0):
        return f"{what}: complete: {summary['complete']}, status {status}"
    if summary and (status == 1) != bool(problems):
        return f"{what}: status {status}, {problems}"
    return None


def test_damage():
    names = [name for name, (_, is_short) in DAMAGED.items() if is_short or ROUNDS]
    rounds = ROUNDS or 1
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        tasks = []
        for name in names:
            frames, summary, status = measured(made(name, DAMAGED[name][0]))
            assert status == 0 and frames, (name, summary.get("problems"))
            tasks += [pool.submit(check_damage, name, frames, kind, seed)
                      for kind in KINDS for seed in range(rounds)]
        wrong = [task.result() for task in tasks if task.result()]
    assert not wrong, "\n".join(wrong)


def answer(path):
    frames, summary, status = measured(path)
    return frames, status, [problem["text"] for problem in summary.get("problems", [])]


def test_matrix():
    """Whole and damaged files give the same answers each time, however busy the machine is: eight programs at once."""
    names = list(DAMAGED) if REPEATS else ["plain.h264", "sound.aiff"]
    paths = {}
    for name in names:
        paths[name, "whole"] = made(name, DAMAGED[name][0])
        with open(paths[name, "whole"], "rb") as file:
            data = file.read()
        for kind in (zero_middle, cut_end, overwrite_bytes, insert_bytes):
            paths[name, kind.__name__] = path_of(f"matrix-{kind.__name__}-{name}")
            with open(paths[name, kind.__name__], "wb") as file:
                file.write(kind(data, random.Random(f"{name} {kind.__name__}")))
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        first = dict(zip(paths, pool.map(answer, paths.values())))
        wrong = []
        for (name, kind), (frames, status, problems) in first.items():
            if kind == "whole" and (status or not frames):
                wrong.append(f"{name}: status {status}: {problems}")
            elif not status and frames != first[name, "whole"][0] and kind not in UNNOTICED.get(name, ()):
                wrong.append(f"{name} {kind}: frames or samples differ, status 0")
        for repeat in range(1, REPEATS):
            known = len(wrong)
            for (name, kind), found in zip(paths, pool.map(answer, paths.values())):
                if found != first[name, kind]:
                    wrong.append(f"{name} {kind}, repeat {repeat}: {found[1:]} instead of {first[name, kind][1:]}, "
                                 f"frames differ: {found[0] != first[name, kind][0]}")
            print(f"repeat {repeat}: {len(wrong)} answers are wrong", *wrong[known:], sep="\n", flush=True)
    assert not wrong, "\n".join(wrong)
    print(f"{len(names)} files, {len(paths)} inputs, {max(REPEATS, 1)} times: the same answers")


def hole(name, first, last):
    """The file with zeros from one share of its length to another one."""
    with open(path_of(name), "rb") as file:
        data = file.read()
    start, end = int(len(data) * first), int(len(data) * last)
    path = path_of("hole-" + name)
    with open(path, "wb") as file:
        file.write(data[:start] + bytes(end - start) + data[end:])
    return path


def test_what_is_told():
    """How many frames and samples are missing, when, and how long."""
    name = "clusters.mkv"
    whole, _, _ = measured(made(name, f"{BOTH} -c:v ffv1 -c:a pcm_s16le -cluster_time_limit 400"))
    frames, summary, status = measured(hole(name, .4, .6))
    assert status == 1 and not summary["complete"]
    video, tone = (next(problem for problem in summary["problems"] if problem.get("stream") == stream)
                   for stream in (0, 1))
    assert video["type"] == tone["type"] == "missing"
    assert video["count"] == len(whole[0]) - len(frames[0]), video
    assert re.fullmatch(r"video 0: 0:00:0\d\.\d to 0:00:0\d\.\d: \d+ frames are missing", video["text"]), video
    assert re.fullmatch(r"audio 1: 0:00:0\d\.\d to 0:00:0\d\.\d: \d+ samples are missing", tone["text"]), tone
    assert abs((video["end"] - video["start"]) / 4e7 - video["count"]) < .1, video
    lost = sum(samples for _, samples in whole[1]) - sum(samples for _, samples in frames[1])
    assert abs(tone["count"] - lost) <= 96, (tone, lost)


# ---- Whole files --------------------------------------------------------------------------------

HOLD = "select='not(between(t,1,3))'"
WHOLE = {
    "hold.mkv": (f"{BOTH} -vf {HOLD} -vsync vfr {H264} -c:a aac", True),
    "hold.mp4": (f"{VIDEO} -vf {HOLD} -vsync vfr {H264}", True),
    "dropped.mkv": (f"{VIDEO} -vf select='lt(random(1),0.97)' -vsync vfr {H264}", True),
    "dropped.ts": (f"{VIDEO} -vf select='lt(random(1),0.97)' -vsync vfr {H264}", False),
    "dropped.mp4": (f"{VIDEO} -vf select='lt(random(1),0.97)' -vsync vfr {H264}", False),
    "random.mp4": (f"{VIDEO} -vf select='lt(random(1),0.6)' -vsync vfr {H264}", False),
    "two-rates.mkv": (f"{VIDEO} -vf setpts='if(lt(N,50),N/25,2+(N-50)/10)/TB' -vsync vfr {H264}", False),
    "jitter.mkv": (f"{VIDEO} -vf setpts='PTS+random(0)*0.01/TB' -vsync vfr {H264}", False),
    "sparse.mkv": (f"-f lavfi -i testsrc2=size=64x48:rate=1/5:duration=40 {TONE} {H264} -c:a aac", True),
    "ntsc.mkv": (f"{BOTH} -vf fps=30000/1001 {H264} -c:a aac", False),
    "interlaced.ts": (f"{BOTH} -c:v mpeg2video -flags +ilme+ildct -bf 2 -c:a mp2", False),
    "open.mkv": (f"{BOTH} {H264} -x264opts open-gop=1:keyint=25 -c:a aac", False),
    "offset.mkv": (f"{BOTH} {H264} -c:a aac -output_ts_offset 100", True),
    "offset.ts": (f"{BOTH} {H264} -c:a aac -output_ts_offset 100", False),
    "live.mkv": (f"{BOTH} {H264} -c:a aac -live 1", False),
    "one.mkv": (f"-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.04 {H264}", True),
    "short.mp4": (f"-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.2 -f lavfi -i sine=duration=0.05 {H264} -c:a aac", False),
    "short-sound.mkv": (f"{VIDEO} -f lavfi -i sine=duration=2 {H264} -c:a aac", False),
    "long-sound.mp4": (f"{VIDEO} -f lavfi -i sine=duration=6 {H264} -c:a libmp3lame", False),
    "variable.mp3": ("-f lavfi -i anoisesrc=duration=4 -c:a libmp3lame -q:a 2", True),
    "no-head.mp3": ("-f lavfi -i anoisesrc=duration=4 -c:a libmp3lame -q:a 2 -write_xing 0", False),
    "variable.avi": (f"{VIDEO} -f lavfi -i anoisesrc=duration=4 -c:v mpeg4 -c:a libmp3lame -q:a 2", False),
    "large.wav": (f"{TONE} -c:a pcm_s24le -rf64 always", False),
    "alac.m4a": (f"{TONE} -c:a alac", False),
    "hidden.webm": (f"{VIDEO} -c:v libvpx-vp9 -deadline good -cpu-used 8 -auto-alt-ref 1 -lag-in-frames 16", False),
    "disc.mpg": (f"{BOTH} -c:v mpeg2video -c:a mp2 -f vob", False),
    "disc.m2ts": (f"{BOTH} -c:v mpeg2video -c:a ac3 -f mpegts -mpegts_m2ts_mode 1", False),
    "plain.h264": (f"{VIDEO} {H264}", False),
    "tape.avi": (f"{BOTH} -c:v dvvideo -s 720x576 -c:a pcm_s16le", False),
    # GStreamer estimates the times of this sound, and those of Speex are shifted by what its encoder adds.
    "adpcm.wav": (f"{TONE} -c:a adpcm_ima_wav", True),
    "adpcm.avi": (f"{TONE} -c:a adpcm_ms", False),
    "g722.avi": (f"{TONE} -ar 16000 -c:a g722", False),
    "aac.avi": (f"{TONE} -ar 8000 -c:a aac", False),
    "sound.spx": (f"{TONE} -ar 16000 -c:a libspeex", True),
    "packets.spx": (f"{TONE} -ar 8000 -c:a libspeex -frames_per_packet 3", True),
    # The demuxer never ends by itself.
    "mpeg4.nut": (f"{BOTH} -c:v mpeg4 -bf 2 -c:a libmp3lame", True),
    "still.png": ("-f lavfi -i testsrc2=size=64x48 -frames:v 1", False),
    "moving.gif": ("-f lavfi -i testsrc2=size=160x120:duration=2", False),
}


def test_logged_damage():
    """FFV1 has checksums. Its decoder conceals damage, and only logs it."""
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=1", "-c:v", "ffv1", "-level", "3",
           "-slicecrc", "1", path_of("crc.mkv"))
    report("crc.mkv")
    with open(path_of("crc.mkv"), "rb") as file:
        data = bytearray(file.read())
    for place in range(len(data) // 2, len(data) // 2 + 3):
        data[place] ^= 0x55
    with open(path_of("flipped.mkv"), "wb") as file:
        file.write(data)
    _, errors = report("flipped.mkv", status=1)
    assert "a decoder reports damage" in one_line(errors) and "CRC" in one_line(errors), errors


def cut_parts():
    """Parts of files, files in a row, and files with other streams."""
    source = made("open.mkv", WHOLE["open.mkv"][0])
    mp4 = made("h264.mp4", DAMAGED["h264.mp4"][0])
    yield from (path_of(f"part{i}.mkv") for i in range(3))
    ffmpeg("-i", source, "-c", "copy", "-f", "segment", "-segment_time", "1.5", path_of("part%d.mkv"))
    yield path_of("joined.ts")
    ffmpeg("-i", source, "-c", "copy", "-f", "segment", "-segment_time", "1.5", path_of("piece%d.ts"))
    with open(path_of("joined.ts"), "wb") as file:
        for i in range(3):
            with open(path_of(f"piece{i}.ts"), "rb") as part:
                file.write(part.read())
    for name, options in {"edit.mp4": ["-ss", "1.3", "-i", mp4],
                          "late-video.mp4": ["-itsoffset", "1.5", "-i", mp4, "-i", mp4, "-map", "0:v", "-map", "1:a"],
                          "late-sound.mkv": ["-i", mp4, "-itsoffset", "1.5", "-i", mp4, "-map", "0:v", "-map", "1:a"],
                          }.items():
        ffmpeg(*options, "-c", "copy", path_of(name))
        yield path_of(name)
    with open(path_of("late.srt"), "w", encoding="utf-8") as file:
        file.write("1\n00:00:00,000 --> 00:00:01,000\nhello\n\n2\n00:00:05,000 --> 00:00:09,000\nbye\n")
    for name, codec in {"words.mkv": "srt", "words.mp4": "mov_text"}.items():
        ffmpeg("-i", mp4, "-i", path_of("late.srt"), "-c", "copy", "-c:s", codec, path_of(name))
        yield path_of(name)
    still = made("still.png", WHOLE["still.png"][0])
    for name in ("cover.flac", "cover.m4a", "cover.mp3"):
        ffmpeg("-i", sound(), "-i", still, "-map", "0", "-map", "1", "-c:v", "copy",
               "-disposition:v", "attached_pic", path_of(name))
        yield path_of(name)
    for suffix in ("ogg", "opus"):
        for number in (1, 2):
            ffmpeg("-f", "lavfi", "-i", f"sine=duration={number}", "-serial_offset", str(number),
                   path_of(f"link{number}.{suffix}"))
        with open(path_of("chain." + suffix), "wb") as file:
            for number in (1, 2):
                with open(path_of(f"link{number}.{suffix}"), "rb") as part:
                    file.write(part.read())
        yield path_of("chain." + suffix)
    with open(path_of("piped.wav"), "wb") as file:
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", sound(), "-f", "wav", "-"], stdout=file,
                       check=True, timeout=TIMEOUT)
    yield path_of("piped.wav")


def check_whole(path):
    frames, summary, status = measured(path)
    if status != 0 or not summary["complete"] or "problems" in summary or not frames:
        return f"{os.path.basename(path)}: status {status}: {summary.get('problems')}"
    return None


def test_whole_files():
    paths = [made(name, options) for name, (options, is_short) in WHOLE.items() if is_short or ROUNDS]
    paths += cut_parts()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [found for found in pool.map(check_whole, paths) if found]
    assert not wrong, "\n".join(wrong)


# ---- Streams that cannot be decoded -------------------------------------------------------------

def test_unknown_format():
    """GStreamer has no format for the frames: this stream is named, and the sound is measured."""
    path = made("unknown.mkv", f"{BOTH} -c:v ffv1 -pix_fmt yuv422p16le -c:a pcm_s16le")
    done = subprocess.run([PROGRAM, "--json-summary", path], capture_output=True, timeout=TIMEOUT, check=False)
    summary = json.loads(done.stdout)
    (problem,) = summary["problems"]
    assert done.returncode == 1 and problem["type"] == "undecodable" and "FFMpeg v1" in problem["text"], problem
    (stream,) = summary["streams"]
    assert stream["media"] == "audio" and stream["samples"] == 4 * 48000, stream


def test_times_of_decoders():
    """Decoders that change the frame before keep its memory. Each frame has its own time, and one that is lost is missed."""
    for codec, name in (("qtrle", "frames.mov"), ("cinepak", "frames.avi"), ("msvideo1", "changed.avi"), ("rpza", "changed.mov"),
                        ("cinepak", "holes.mov")):
        path = made(name, f"-f lavfi -i testsrc2=size=64x48:rate=25:duration=1 -c:v {codec}")
        (summary,) = objects("--json-summary", path)
        assert summary["streams"][0]["results"] == 25, (name, summary)
        assert summary["complete"] and summary["streams"][0]["timestamps"]["overlaps"] == 0, (name, summary)
    (summary,) = objects("--json-summary", hole("holes.mov", .4, .6), status=1)
    assert "frames are missing" in summary["problem"], summary


def test_packets_that_are_not_read():
    """MPEG-TS of which no stream can be decoded is not read to its end: nothing is said about it."""
    path = made("foreign.ts", f"{VIDEO} -pix_fmt yuv422p -c:v vc2 -strict -1")
    (summary,) = objects("--json-summary", path, status=None)
    assert not any("cut off" in problem["text"] for problem in summary.get("problems", [])), summary


def test_missing_decoder():
    """A stream for which neither GStreamer nor libav has a decoder is named, and the others are measured."""
    path = made("odd.mov", f"{BOTH} -map 0 -map 1 -c:v png -c:a pcm_s16le")
    with open(path, "rb") as file:
        data = file.read()
    with open(path, "wb") as file:
        file.write(data.replace(b"png ", b"odd1"))
    done = subprocess.run([PROGRAM, "--json-summary", path], capture_output=True, timeout=TIMEOUT, check=False)
    summary = json.loads(done.stdout)
    assert done.returncode == 1 and summary["problems"][0]["type"] == "undecodable", summary
    assert "odd1" in summary["problem"], summary["problem"]
    assert [stream["media"] for stream in summary["streams"]] == ["audio"], summary["streams"]


def test_empty_streams():
    """A stream without samples is a stream, and nothing is wrong with it."""
    ffmpeg("-f", "lavfi", "-i", "anullsrc=sample_rate=44100", "-t", "0", path_of("nothing.wav"))
    (summary,) = objects("--json-summary", path_of("nothing.wav"))
    assert summary["complete"] and "problems" not in summary, summary
    (stream,) = summary["streams"]
    assert stream["media"] == "audio" and stream["samples"] == 0 and stream["rate"] == 44100, stream
    for options in ([], ["--csv"], ["--ffprobe"], ["--html", path_of("nothing.html")],
                    ["--qctools", path_of("nothing.qctools.xml.gz")]):
        report(*options, path_of("nothing.wav"))


if __name__ == "__main__":
    sys.exit(run_tests([test_matrix] if sys.argv[2:3] == ["--matrix"] else
                       [value for name, value in list(globals().items()) if name.startswith("test_")]))
