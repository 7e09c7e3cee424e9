#!/usr/bin/python3
"""Every frame of what ffmpeg writes is measured, also where GStreamer loses some.

    frames.py PROGRAM [--long]

The number of frames, and the mean of all samples of Y (of green, if it is RGB), must be those of ffmpeg's decode, to 0.01
of a code, and the report must call the file complete. --long makes all pairs of container and codec; without it there are
a few.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import array
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

from common import PROGRAM, TIMEOUT, note_mended, path_of, rows_of_libav, run_tests

IS_LONG = sys.argv[2:3] == ["--long"]
PICTURE = "testsrc2=size=160x120:rate=25:duration=0.6,format=yuv420p"
H264 = "libx264 -preset veryfast -bf 3"
# The encoder and its options.
CODECS = {
    "h264": f"{H264} -pix_fmt yuv420p", "h264-10": f"{H264} -pix_fmt yuv422p10le",
    "h264-cut": f"{H264} -pix_fmt yuv420p -g 10", "h264-late": f"{H264} -pix_fmt yuv420p -use_editlist 0", "h264-fragments": f"{H264} -movflags +frag_keyframe+empty_moov",
    "hevc": "libx265 -preset ultrafast -x265-params log-level=none", "mpeg1": "mpeg1video -bf 2", "mpeg2": "mpeg2video -bf 2",
    "mpeg4": "mpeg4 -bf 2", "xvid": "libxvid", "mjpeg": "mjpeg -pix_fmt yuvj420p", "mjpeg422": "mjpeg -pix_fmt yuvj422p",
    "prores": "prores_ks", "prores4444": "prores_ks -profile:v 4 -pix_fmt yuva444p10le", "dnxhd": "dnxhd -profile:v dnxhr_hq -s 320x240 -pix_fmt yuv422p",
    "dnxhr10": "dnxhd -s 320x240 -profile:v dnxhr_hqx -pix_fmt yuv422p10le", "ffv1": "ffv1", "ffv1-10": "ffv1 -pix_fmt yuv422p10le",
    "ffv1-16": "ffv1 -pix_fmt yuv444p16le", "ffv1-grey": "ffv1 -pix_fmt gray", "ffv1-rgb": "ffv1 -pix_fmt bgr0",
    "huffyuv": "huffyuv -pix_fmt yuv422p", "ffvhuff": "ffvhuff -pix_fmt yuv420p", "utvideo": "utvideo -pix_fmt yuv420p",
    "magicyuv": "magicyuv -pix_fmt yuv420p", "v210": "v210 -pix_fmt yuv422p10le", "v410": "v410 -pix_fmt yuv444p10le",
    "i420-odd": "rawvideo -s 166x122 -pix_fmt yuv420p", "i420": "rawvideo -pix_fmt yuv420p", "uyvy": "rawvideo -pix_fmt uyvy422", "rgb": "rawvideo -pix_fmt rgb24",
    "bgra": "rawvideo -pix_fmt bgra", "grey": "rawvideo -pix_fmt gray", "vp8": "libvpx -deadline realtime",
    "vp9": "libvpx-vp9 -deadline realtime -cpu-used 8", "theora": "libtheora", "wmv1": "wmv1", "wmv2": "wmv2",
    "flv1": "flv", "h263": "h263 -s 352x288", "svq1": "svq1", "cinepak": "cinepak -s 64x48", "qtrle": "qtrle -pix_fmt rgb24",
    # The picture stands still at first.
    "qtrle-still": "qtrle -pix_fmt rgb24 -vf loop=5:1",
    "qtrle-argb": "qtrle -pix_fmt argb", "qtrle-grey": "qtrle -pix_fmt gray", "png": "png -pix_fmt rgb24",
    "png16": "png -pix_fmt rgb48be", "msmpeg4": "msmpeg4", "msmpeg4v2": "msmpeg4v2",
    "dv": "dvvideo -s 720x576 -pix_fmt yuv420p", "j2k": "libopenjpeg -s 64x48 -pix_fmt yuv420p",
    "j2k-10": "libopenjpeg -s 64x48 -pix_fmt yuv422p10le", "j2k-rgb": "libopenjpeg -s 64x48 -pix_fmt rgb24",
    "j2k-rgba": "libopenjpeg -s 64x48 -pix_fmt rgba", "cfhd": "cfhd -pix_fmt yuv422p10le", "snow": "snow -strict -2",
    "asv1": "asv1", "zmbv": "zmbv -pix_fmt bgr0", "flashsv": "flashsv -pix_fmt bgr24", "r210": "r210 -pix_fmt gbrp10le",
    "speedhq": "speedhq -pix_fmt yuv420p",
    "h264-open": "libx264 -x264opts open-gop=1:keyint=9:bframes=1:b-adapt=0:scenecut=0",
}
CONTAINERS = ("mov", "mp4", "mkv", "avi", "ts", "mxf", "webm", "flv", "asf", "ogg", "nut", "mpg", "y4m", "m2v", "264", "265",
              "mjpeg", "ivf", "dv", "3gp", "gxf")
# These have no times.
PLAIN = ("m2v", "264", "265", "mjpeg")
# A file for each row of the table in libav-source.c: its container, codec and condition, and the pair.
ROWS = (
    (None, "ffv1", "DEEP", "mkv", "ffv1-16"),
    (None, "png", "DEEP", "mkv", "png16"),
    (None, "jpeg2000", "ANY", "mov", "j2k-rgba"),
    ("avi", "mpeg1video", "REORDERED", "avi", "mpeg1"),
    ("avi", "mpeg2video", "REORDERED", "avi", "mpeg2"),
    ("avi", "mpeg4", "REORDERED", "avi", "mpeg4"),
    ("mxf", "h264", "REORDERED", "mxf", "h264"),
    ("nut", "rawvideo", "ANY", "nut", "i420-odd"),
    (None, "r210", "ANY", "mov", "r210"),
    (None, "h264", "OPEN", "mkv", "h264-open"),
    ("mov", "qtrle", "ANY", "mov", "qtrle-still"),
    ("mov", None, "SHIFTED", "mp4", "h264-late"),
    ("mov", None, "CUT", "mp4", "h264-cut"),
)
# The versions in which conditions lose something, where it is not 1.22.
SEEN = {"OPEN": (1, 26)}
# GStreamer 1.22 has no demuxer or decoder for these.
UNREAD = (("mov", "dnxhd"), ("mpg", "mpeg4"), ("mov", "uyvy"), ("nut", "utvideo"), ("mov", "huffyuv"))
# Others.
SHORT = (("mkv", "h264-10"), ("ts", "mpeg2"), ("mov", "prores"), ("mov", "j2k"), ("mxf", "mpeg2"))
# What is known to differ, and why.
EXCUSED = {
    **{(container, "prores4444"): "GStreamer has no format for 12 bits with alpha: its decoder gives 10" for container in ("mov", "mkv", "nut")},
    ("asf", "mpeg2"): "ffmpeg writes the time of the first frame alone",
    **{(container, codec): "pictures one after the other are no film for libav" for container in ("m2v", "mjpeg")
       for codec in ("j2k", "j2k-10")},
    ("flv", "h263"): "ffmpeg reads back one of the frames that it writes",
}


def run(*command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False, **options)


def made(container, codec):
    """Returns the path; None: ffmpeg does not write this pair, or does not read it again."""
    path = path_of(f"{codec}.{container}")
    done = run("ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", PICTURE, "-strict", "-2", "-c:v", *CODECS[codec].split(), path)
    if done.returncode == 0 and codec.endswith(("-cut", "-open")):
        # Shortly before the next key frame; behind one that is no IDR.
        begin = "0.36" if codec.endswith("-cut") else "0.52"
        whole = path_of(f"whole-{codec}.{container}")
        os.rename(path, whole)
        done = run("ffmpeg", "-nostdin", "-v", "error", "-y", "-ss", begin, "-i", whole, "-c", "copy", path)
    return path if done.returncode == 0 and os.path.getsize(path) > 500 else None


def decoded(path):
    """Returns the number of frames, the mean, and of what, as ffmpeg decodes it; None: it does not."""
    done = run("ffprobe", "-v", "error", "-select_streams", "v:0", "-show_streams", "-of", "json", path)
    streams = json.loads(done.stdout)["streams"] if done.returncode == 0 else []
    if not streams or "pix_fmt" not in streams[0]:
        return None
    pixels, size = streams[0]["pix_fmt"], streams[0]["width"] * streams[0]["height"]
    is_rgb = any(word in pixels for word in ("rgb", "bgr", "gbr", "pal8", "0bgr"))
    is_wide = any(pixels.rstrip("lbe").endswith(bits) for bits in ("p10", "p12", "p16", "y10", "y12", "y16", "rgb48"))
    planes = f"format={'gbrp16le' if 'rgb48' in pixels else 'gbrp10le' if is_wide else 'gbrp'},extractplanes=g" if is_rgb else "extractplanes=y" if pixels[:4] != "gray" else "null"
    done = run("ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:v:0", "-vsync", "0", "-vf", planes, "-f", "rawvideo", "-")
    samples = array.array("H" if is_wide else "B", done.stdout[:len(done.stdout) // 2 * 2])
    return (len(samples) // size, sum(samples) / len(samples), "G" if is_rgb else "Y", pixels) if samples else None


def without_module():
    """Returns the program, which finds no module that reads with libav."""
    folder = path_of("without-module")
    if not os.path.exists(folder):
        os.mkdir(folder)
        shutil.copy(PROGRAM, folder)
        # What is beside the program is taken; this cannot be.
        with open(os.path.join(folder, "cudahisto-report-libav.so"), "wb"):
            pass
    return os.path.join(folder, os.path.basename(PROGRAM))


def measured(path, program):
    """Returns the frames, the summary, and what the program said."""
    done = run(program, "--json", "--measures", "basic", "--alerts", "none", path)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    frames = [line for line in lines if line["type"] == "frame"]
    return frames, lines[-1] if lines else None, done.stderr.decode(errors="replace").strip()


def judged(pair, program=PROGRAM):
    """Returns what is wrong; "": nothing; None: there is no such file."""
    try:
        return compared(*pair, program)
    except (subprocess.TimeoutExpired, ValueError, KeyError) as error:
        return f"{pair}: {error!r}"


def compared(container, codec, program):
    path = made(container, codec)
    want = decoded(path) if path is not None else None
    if want is None:
        return None
    n, mean, name, pixels = want
    frames, summary, errors = measured(path, program)
    os.remove(path)
    where = f"{container} {codec} ({pixels})"
    if not frames:
        return f"{where}: no frames: {errors}"
    if len(frames) != n or not summary["complete"]:
        return f"{where}: {len(frames)} frames of {n}; {[problem['text'] for problem in summary.get('problems', [])]}"
    if container not in PLAIN and len({frame["timestamp"] for frame in frames}) < n:
        return f"{where}: frames have the same times"
    component = frames[0].get(name, frames[0].get("GRAY"))
    if component is None:
        return f"{where}: has no {name}: {frames[0]['components']}"
    have = sum((frame.get(name) or frame["GRAY"])["mean"] for frame in frames) / n
    return f"{where}: mean {have:.4f}, not {mean:.4f}" if abs(have - mean) >= 0.01 else ""


def fail_if_wrong(pairs):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = dict(zip(pairs, pool.map(judged, pairs)))
    answers = {pair: answer for pair, answer in answers.items() if answer is not None}
    print(len(answers), "pairs", "; not written:" if not IS_LONG and len(answers) < len(pairs) else "",
          *(pair for pair in pairs if not IS_LONG and pair not in answers))
    for pair in EXCUSED:
        if answers.get(pair) == "":
            print(f"no longer needs an excuse: {pair}")
    wrong = [answer for pair, answer in answers.items() if answer and pair not in EXCUSED]
    assert not wrong, "\n" + "\n".join(wrong)
    return answers


def test_rows():
    """Of each row of the table all frames are measured; GStreamer still loses some, their times, or what they show."""
    named = {row[1:] for row in rows_of_libav() if row[0] == "FILE_WITH_VIDEO"}
    assert named == {row[:3] for row in ROWS}, named
    answers = fail_if_wrong([row[3:] for row in ROWS])
    for row in ROWS:
        container, codec = row[3:]
        if row[3:] not in answers:
            print(f"skipped: ffmpeg writes no {codec} in {container}")
            continue
        # Without the module the report has what GStreamer gives.
        is_right = judged(row[3:], without_module()) == ""
        path = made(container, codec)
        done = run("timeout", "20", "gst-launch-1.0", "-v", "filesrc", f"location={path}", "!", "decodebin", "!", "fakesink", "silent=false", "sync=false")
        times = re.findall(rb"chain +\*+.*?pts: ([0-9:.]+)", done.stdout)
        # What JPEG 2000's alpha has is chance.
        is_mended = is_right and len(times) == len(set(times)) == decoded(path)[0] and b"format=(string)ARGB" not in done.stdout
        note_mended(done.returncode == 0 and is_mended, row[:3], f"{codec}.{container}", SEEN.get(row[2], (1, 22)))


def test_unread():
    fail_if_wrong(UNREAD)


def test_pairs():
    fail_if_wrong([(container, codec) for container in CONTAINERS for codec in CODECS] if IS_LONG else SHORT)


if __name__ == "__main__":
    sys.exit(run_tests([value for name, value in list(globals().items()) if name.startswith("test_")]))
