#!/usr/bin/python3
"""The facts of files of all kinds, side by side with what ffprobe says of them.

    crosscheck.py PROGRAM [NAME...]     with the plugin in GST_PLUGIN_PATH

makes all files of the table, or those named, and prints each fact that is not ffprobe's. A file that GStreamer cannot
decode is named, and no fault. statements.py does the same with the rows that are marked as cheap.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import subprocess
import sys

from common import ffmpeg, path_of, report

HDR = ("color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc:range=tv", "yuv420p10le")
SD = ("color_primaries=bt470bg:color_trc=bt470bg:colorspace=bt470bg:range=tv", None)
HD = ("color_primaries=bt709:color_trc=bt709:colorspace=bt709:range=tv", None)
FULL = ("color_primaries=bt709:color_trc=iec61966-2-1:colorspace=bt709:range=pc", None)
ODD = ("color_primaries=smpte432:color_trc=log316:colorspace=ycgco:range=pc", None)
NONE = ("", None)
X264 = ["-c:v", "libx264"]
X265 = ["-c:v", "libx265", "-x265-params", "log-level=error"]
LIGHT = ["-c:v", "libx265", "-x265-params", "log-level=error:hdr10=1:master-display=G(13250,34500)B(7500,3000)R(34000,16000)"
         "WP(15635,16450)L(10000000,50):max-cll=1000,400"]
V210 = ["-c:v", "v210"]
FFV1 = ["-c:v", "ffv1"]
MPEG2 = ["-c:v", "mpeg2video"]
TFF = ["-flags", "+ildct+ilme", "-top", "1"]

# Name, what the frames say (colours, and a format if it must be one), order of fields, options, and whether the row is cheap.
FILMS = (
    ("h264-hd.mkv", HD, "prog", X264, False), ("h264-full.mkv", FULL, "prog", X264, True), ("h264-odd.mkv", ODD, "prog", X264, True),
    ("h264-hd.mov", HD, "prog", X264, False), ("h264-full.mp4", FULL, "prog", X264, False), ("h264-odd.mp4", ODD, "prog", X264, False),
    ("h264-tff.mp4", HD, "tff", X264 + ["-x264-params", "tff=1"], True), ("h264-tff.ts", SD, "tff", X264 + ["-x264-params", "tff=1"], False),
    ("h264-bff.mkv", SD, "bff", X264 + ["-x264-params", "bff=1"], False), ("h264-hd.ts", HD, "prog", X264, False),
    ("h264-422.mov", HD, "prog", X264 + ["-profile:v", "high422", "-g", "1", "-pix_fmt", "yuv422p10le"], False),
    ("h264.flv", HD, "prog", X264, False), ("h264.avi", NONE, "prog", X264 + ["-bf", "0"], False), ("h264.h264", HD, "prog", X264, False),
    ("hevc-pq.mkv", HDR, "prog", X265, False), ("hevc-pq.mp4", HDR, "prog", X265, False), ("hevc-pq.ts", HDR, "prog", X265, False),
    ("hevc-light.mp4", HDR, "prog", LIGHT, False), ("hevc-light.mkv", HDR, "prog", LIGHT, False),
    ("ffv1-pq.mkv", (HDR[0], "yuv422p10le"), "tff", FFV1, False), ("ffv1-bff.mkv", HD, "bff", FFV1, True), ("ffv1.avi", HD, "prog", FFV1, False),
    ("ffv1-rgb.mkv", (FULL[0].replace("colorspace=bt709", "colorspace=gbr"), "gbrp"), "prog", FFV1, True),
    ("ffv1-grey.mkv", ("range=pc", "gray"), "prog", FFV1, True), ("ffv1.mov", HDR, "prog", FFV1, False), ("ffv1-411.mkv", SD, "prog", FFV1 + ["-pix_fmt", "yuv411p"], False),
    ("v210-sd.mov", SD, "tff", V210, False), ("v210-pq.mov", HDR, "prog", V210, True), ("v210.avi", HD, "prog", V210, False), ("v210.mkv", HD, "prog", V210, False),
    ("prores.mov", HD, "tff", ["-c:v", "prores_ks", "-profile:v", "3", "-flags", "+ildct"], True), ("prores.mkv", HDR, "prog", ["-c:v", "prores_ks"], False),
    ("prores-4444.mov", FULL, "prog", ["-c:v", "prores_ks", "-profile:v", "4444", "-pix_fmt", "yuva444p10le"], False),
    ("dnxhd.mov", HD, "prog", ["-c:v", "dnxhd", "-b:v", "120M", "-pix_fmt", "yuv422p", "-s", "1920x1080"], False),
    ("dnxhr.mxf", HD, "prog", ["-c:v", "dnxhd", "-profile:v", "dnxhr_sq", "-pix_fmt", "yuv422p", "-s", "256x120"], False),
    ("mpeg2.mxf", HD, "prog", MPEG2, True), ("mpeg2-tff.mxf", SD, "tff", MPEG2 + TFF, False), ("mpeg2.mpg", SD, "prog", MPEG2, False),
    ("mpeg2-tff.ts", SD, "tff", MPEG2 + TFF, False), ("mpeg2-422.mkv", HD, "prog", MPEG2 + ["-pix_fmt", "yuv422p"], False),
    ("mpeg4.avi", NONE, "prog", ["-c:v", "mpeg4", "-vtag", "XVID"], True), ("mpeg4.mp4", NONE, "prog", ["-c:v", "mpeg4", "-aspect", "2"], False),
    ("mpeg4.mkv", NONE, "prog", ["-c:v", "mpeg4"], False), ("mjpeg.mov", NONE, "prog", ["-c:v", "mjpeg", "-pix_fmt", "yuvj422p"], False),
    ("mjpeg.avi", NONE, "prog", ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p"], True), ("mjpeg.mkv", NONE, "prog", ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p"], False),
    ("dv.mov", SD, "bff", ["-c:v", "dvvideo", "-pix_fmt", "yuv420p", "-s", "720x576"], False), ("dv.avi", SD, "bff", ["-c:v", "dvvideo", "-pix_fmt", "yuv420p", "-s", "720x576"], False),
    ("qtrle.mov", ("", "rgb24"), "prog", ["-c:v", "qtrle"], False), ("png.mov", ("", "rgb24"), "prog", ["-c:v", "png"], False),
    ("raw.y4m", HD, "prog", [], False), ("vp8.webm", NONE, "prog", ["-c:v", "libvpx"], False),
    ("vp9.webm", HD, "prog", ["-c:v", "libvpx-vp9"], False), ("huffyuv.avi", NONE, "prog", ["-c:v", "huffyuv", "-pix_fmt", "yuv422p"], False),
    ("theora.ogv", NONE, "prog", ["-c:v", "libtheora"], False), ("film.flv", NONE, "prog", ["-c:v", "flv"], False),
)
STEREO, SIX, SIDES = "cl=stereo", "cl=5.1", "cl=5.1(side)"
SOUNDS = (
    ("s16.wav", STEREO, ["-c:a", "pcm_s16le"], True), ("s24-six.wav", SIX, ["-c:a", "pcm_s24le"], True), ("f32.wav", STEREO, ["-c:a", "pcm_f32le"], False),
    ("s24-six.mov", SIX, ["-c:a", "pcm_s24be"], False), ("sides.mov", SIDES, ["-c:a", "pcm_s16le"], True), ("aac.m4a", STEREO, ["-c:a", "aac"], False),
    ("aac-six.mkv", SIX, ["-c:a", "aac"], False), ("flac-24.flac", SIX, ["-c:a", "flac", "-sample_fmt", "s32"], True), ("flac.mkv", SIDES, ["-c:a", "flac"], False),
    ("loud.mp3", STEREO, ["-c:a", "libmp3lame"], False), ("six.opus", SIX, ["-c:a", "libopus"], False), ("six.ogg", SIX, ["-c:a", "libvorbis"], False),
    ("ac3.mkv", SIDES, ["-c:a", "ac3"], False), ("ac3.ts", SIDES, ["-c:a", "ac3"], False), ("mp2.ts", STEREO, ["-c:a", "mp2"], False),
    ("s24.aiff", STEREO, ["-c:a", "pcm_s24be"], False), ("s16.w64", STEREO, ["-c:a", "pcm_s16le"], False), ("dts.mkv", SIDES, ["-strict", "-2", "-c:a", "dca"], False),
    ("language.mka", STEREO, ["-c:a", "pcm_s32le", "-metadata:s:a", "language=fra", "-metadata:s:a", "title=Commentaire"], True),
    ("wavpack.wv", STEREO, ["-c:a", "wavpack"], False),
)

# GStreamer's names of what ffprobe names; another one that it has no name for is a number.
MATRICES = {"bt709": "bt709", "fcc": "fcc", "bt470bg": "bt601", "smpte170m": "bt601", "smpte240m": "smpte240m", "ycgco": "8", "bt2020nc": "bt2020",
            "gbr": "rgb"}
TRANSFERS = {"bt709": "bt709", "bt470m": "gamma22", "bt470bg": "gamma28", "smpte170m": "bt601", "smpte240m": "smpte240m", "linear": "gamma10",
             "log100": "log100", "log316": "log316", "iec61966-2-1": "srgb", "bt2020-10": "bt2020-10", "bt2020-12": "bt2020-12",
             "smpte2084": "smpte2084", "arib-std-b67": "arib-std-b67", "smpte428": "17"}
PRIMARIES = {"bt709": "bt709", "bt470m": "bt470m", "bt470bg": "bt470bg", "smpte170m": "smpte170m", "smpte240m": "smpte240m", "film": "film",
             "bt2020": "bt2020", "smpte428": "smptest428", "smpte431": "smpterp431", "smpte432": "smpteeg432"}
ORDERS = {"progressive": "progressive", "tt": "top-field-first", "tb": "top-field-first", "bb": "bottom-field-first", "bt": "bottom-field-first"}
LAYOUTS = {"mono": "mono", "stereo": "L R", "5.1": "L R C LFE Ls Rs", "5.1(side)": "L R C LFE Ls Rs"}
CHROMAS = {"420": "4:2:0", "422": "4:2:2", "444": "4:4:4", "411": "4:1:1"}

# Pictures of these say how their fields follow, and ffprobe does not look at them.
PICTURES_SAY = ("dvvideo", "mpeg4", "dnxhd", "prores", "h264", "hevc", "mpeg2video", "vp8", "vp9", "av1", "theora")


def make(name):
    """Returns: its path"""
    for film, (params, pixels), order, options, _ in FILMS:
        if film == name:
            filters = [f"setparams={params}"] if params else []
            filters += [f"setfield={order}"] if params else []
            ffmpeg("-f", "lavfi", "-i", "testsrc2=size=96x64:rate=25:duration=0.2", "-vf", ",".join(filters) or "null",
                   "-pix_fmt", pixels or "yuv420p", *options, *([] if name.endswith(".y4m") else ["-strict", "-2"]), path_of(name))
    for sound, layout, options, _ in SOUNDS:
        if sound == name:
            ffmpeg("-f", "lavfi", "-i", f"anoisesrc=d=0.3:a=0.1:r=48000,aformat={layout}", *options, path_of(name))
    return path_of(name)


def depth_of(stream):
    """As bits_per_raw_sample, and as the name of the pixels has it."""
    if stream["codec_type"] == "audio":
        lossy = not stream["codec_name"].startswith(("pcm", "flac", "alac", "wavpack"))
        return None if lossy else str(int(stream.get("bits_per_raw_sample", 0)) or stream["bits_per_sample"])
    name = stream["pix_fmt"].replace("le", "").replace("be", "")
    return next((bits for bits in ("16", "14", "12", "10", "9") if name.endswith(bits)), "8")


def chroma_of(stream):
    name = stream["pix_fmt"]
    if name.startswith("gray"):
        return "grey"
    return next((chroma for digits, chroma in CHROMAS.items() if digits in name), "RGB")


def wanted(stream, data):
    """What ffprobe says, as facts: None where it says nothing. A profile without a name is a number of ffprobe's."""
    tags = {**data["format"].get("tags", {}), **stream.get("tags", {})}
    profile = stream.get("profile", "")
    facts = {"encoding": stream["codec_name"], "profile": profile if profile and not (profile.isdigit() and len(profile) < 3) else None, "stored-depth": depth_of(stream),
             "language": tags.get("language") if tags.get("language") != "und" else None, "title": stream.get("tags", {}).get("title")}
    if stream["codec_type"] == "audio":
        facts.update(rate=stream["sample_rate"], channels=str(stream["channels"]), positions=LAYOUTS.get(stream.get("channel_layout")))
        return facts
    frames = [frame for frame in data["frames"] if frame["media_type"] == "video"]
    side = {kind: entry for where in [stream] + frames[:1] for entry in where.get("side_data_list", []) for kind in entry}
    facts.update({"width": str(stream["width"]), "height": str(stream["height"]), "chroma": chroma_of(stream),
                  "matrix": MATRICES.get(stream.get("color_space")), "transfer": TRANSFERS.get(stream.get("color_transfer")),
                  "primaries": PRIMARIES.get(stream.get("color_primaries")), "range": {"tv": "limited", "pc": "full"}.get(stream.get("color_range")),
                  "field-order": ORDERS.get(stream.get("field_order")), "timecode": tags.get("timecode"),
                  "max-cll": str(side["max_content"]["max_content"]) if "max_content" in side else None})
    rate = stream["avg_frame_rate"]
    if rate != "0/0":
        facts["frame-rate"] = rate[:-2] if rate.endswith("/1") else rate
    return facts


def differences(name):
    """Returns: of each fact that is not ffprobe's, and that no contradiction explains: its name, ours, its source, ffprobe's; None:
    GStreamer gives another number of streams."""
    path = make(name)
    # The first frame has what no table has: light levels.
    done = subprocess.run(["ffprobe", "-v", "error", "-show_streams", "-show_format", "-show_frames", "-read_intervals", "%+#1",
                           "-of", "json", path], stdout=subprocess.PIPE, check=True)
    data = json.loads(done.stdout)
    streams = [stream for stream in data["streams"] if stream["codec_type"] in ("video", "audio")]
    output, _ = report("--json-summary", "--measures=basic", path, status=None)
    if not output:
        return None
    ours = json.loads(output.splitlines()[0])["streams"]
    if len(ours) != len(streams):
        return None
    found = []
    for stream, facts in zip(streams, ({fact["name"]: fact for fact in mine.get("facts", [])} for mine in ours)):
        for fact, want in wanted(stream, data).items():
            have = facts.get(fact, {})
            if have.get("value") == want or want in (have.get("container"), have.get("bitstream"), "unknown") and "container" in have:
                continue
            # Nobody says it: GStreamer takes it for granted, and the source says so.
            if want is None and have.get("source") == "guess":
                continue
            if want is None and fact == "field-order" and stream["codec_name"] in PICTURES_SAY:
                continue
            found.append((fact, have.get("value"), have.get("source"), want))
    return found


def main():
    bad = 0
    for name in sys.argv[2:] or [row[0] for row in FILMS + SOUNDS]:
        found = differences(name)
        if found is None:
            print(f"{name}: GStreamer does not decode it")
            continue
        bad += len(found)
        print(f"{name}: " + ("; ".join(f"{fact} is {have} ({source}), of ffprobe {want}" for fact, have, source, want in found) or "the same"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
