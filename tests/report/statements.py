#!/usr/bin/python3
"""What files say of themselves is what is measured, and every sample that they hold.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import math
import re
import struct
import subprocess
import sys
import wave

import crosscheck
from common import (ffmpeg, has_page, note_mended, objects, page_of, path_of, report, rows_of_libav,
                    run_tests, turn)

FILM = ["-f", "lavfi", "-i", "testsrc2=size=96x64:rate=25:duration=0.2"]
# Loud at its end, and above full scale.
SOUND = ["-f", "lavfi", "-i", "aevalsrc='0.3*sin(3000*t)+1.2*gt(t,0.95)*sin(5000*t)':s=48000:d=1"]
PQ = "color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc"

# What ffprobe calls it, and what GStreamer does.
WORDS = {
    "matrix": ("color_space", {"bt709": "bt709", "bt2020nc": "bt2020", "smpte170m": "bt601", "bt470bg": "bt601"}),
    "transfer": ("color_transfer", {"bt709": "bt709", "smpte2084": "smpte2084", "arib-std-b67": "arib-std-b67",
                                    "smpte170m": "bt601"}),
    "primaries": ("color_primaries", {"bt709": "bt709", "bt2020": "bt2020", "smpte170m": "smpte170m"}),
    "range": ("color_range", {"tv": "limited", "pc": "full"}),
    "field-order": ("field_order", {"progressive": "progressive", "tt": "top-field-first", "tb": "top-field-first",
                                    "bb": "bottom-field-first", "bt": "bottom-field-first"}),
}


def film(name, params, *options):
    ffmpeg(*FILM, "-vf", f"setparams={params}" if params else "null", *options, path_of(name))
    return path_of(name)


def films():
    """Containers with codecs that say it in other places, or nowhere."""
    hdr = "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50):max-cll=1000,400"
    yield film("pq.mkv", f"{PQ}:range=tv:field_mode=tff", "-c:v", "ffv1", "-pix_fmt", "yuv420p10le")
    yield film("pq.mov", PQ, "-c:v", "ffv1", "-pix_fmt", "yuv422p10le")
    yield film("pq-v210.mov", PQ, "-c:v", "v210")
    yield film("bff.mov", "field_mode=bff", "-c:v", "v210", "-field_order", "bb")
    yield film("hlg.mov", PQ.replace("smpte2084", "arib-std-b67"), "-c:v", "v210")
    yield film("full.y4m", "range=pc", "-pix_fmt", "yuv420p", "-strict", "-1")
    yield film("full.mov", "range=pc:colorspace=bt709", "-c:v", "libx264", "-pix_fmt", "yuv420p")
    yield film("bare.avi", "", "-c:v", "ffv1", "-pix_fmt", "yuv420p")
    yield film("bare.mp4", "", "-c:v", "libx264", "-pix_fmt", "yuv420p")
    yield film("709.ts", PQ.replace("bt2020nc", "bt709").replace("bt2020", "bt709").replace("smpte2084", "bt709"),
               "-c:v", "libx264", "-pix_fmt", "yuv420p")
    yield film("jpeg.mkv", "", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p")
    yield film("hdr.mp4", f"{PQ}:range=tv", "-c:v", "libx265", "-pix_fmt", "yuv420p10le", "-x265-params",
               f"log-level=error:hdr10=1:{hdr}")


def probed(path, kind="v"):
    done = subprocess.run(["ffprobe", "-v", "error", "-select_streams", kind, "-show_streams", "-of", "json", path],
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["streams"]


def summary_of(*arguments):
    return objects("--json-summary", *arguments)[0]


def facts_of(stream):
    return {fact["name"]: fact for fact in stream.get("facts", [])}


def test_statements():
    """Each fact is ffprobe's, and what nobody says is absent."""
    for path in films():
        (stream,) = summary_of(path)["streams"]
        facts = facts_of(stream)
        (said,) = probed(path)
        for name, (key, words) in WORDS.items():
            want = words.get(said.get(key, "unknown"))
            have = facts[name]["value"] if name in facts else None
            assert have == want, (path, name, have, said.get(key))
        # What is measured says the same.
        colorimetry = [int(part) for part in stream.get("colorimetry", "0:0:0:0").split(":")] \
            if ":" in stream.get("colorimetry", "0:0:0:0") else None
        if colorimetry is not None:
            assert [part > 0 for part in colorimetry] == [
                name in facts for name in ("range", "matrix", "transfer", "primaries")], (path, colorimetry, facts)
        order = facts.get("field-order", {}).get("value")
        if order is not None:
            assert stream["field-order"] == order, (path, stream["field-order"], order)
    assert "field-order" not in summary_of(path_of("bare.avi"))["streams"][0]
    assert "not said; the frames" in report("--full", path_of("bare.avi"))[0].decode()
    facts = facts_of(summary_of(path_of("hdr.mp4"))["streams"][0])
    assert {name: facts[name]["value"] for name in ("max-cll", "max-fall", "mastering-max", "mastering-min")} == {
        "max-cll": "1000", "max-fall": "400", "mastering-max": "1000", "mastering-min": "1/200"}, facts
    # PQ is measured as PQ.
    frames = [line for line in objects("--json", path_of("pq-v210.mov")) if line["type"] == "frame"]
    assert frames and all("hdr" in frame for frame in frames), list(frames[0])


def test_crosscheck():
    """Each fact of some files of all kinds is ffprobe's; crosscheck.py has more of them."""
    for name in [row[0] for row in crosscheck.FILMS + crosscheck.SOUNDS if row[-1]]:
        assert crosscheck.differences(name) == [], (name, crosscheck.differences(name))


def words_of(path, *options):
    """The line of facts of each stream."""
    text = report("--full", "--measures=basic", *options, path)[0].decode()
    return re.findall(r"^    facts          (.*)$", text, re.M)


def test_words():
    """One line has the facts as people who check films say them; the page has the same."""
    sides = ["-f", "lavfi", "-i", "aevalsrc=0.1|0.1|0.1|0.1|0.1|0.1:c=5.1(side):d=0.2:s=48000"]
    stereo = ["-f", "lavfi", "-i", "anullsrc=r=44100:d=0.2"]
    ffmpeg(*FILM, *sides, "-r", "30000/1001", "-c:v", "prores_ks", "-profile:v", "3", "-pix_fmt", "yuv422p10le", "-flags", "+ildct",
           "-top", "1", "-timecode", "01:00:00;00", "-c:a", "pcm_s24le", "-metadata:s:a", "language=eng", path_of("interlaced.mov"))
    ffmpeg(*FILM, *stereo, "-vf", f"setparams={PQ}:field_mode=prog", "-c:v", "libx264", "-profile:v", "high422", "-g", "1",
           "-pix_fmt", "yuv422p10le", "-aspect", "2", "-c:a", "aac", "-metadata:s:a", "language=deu", path_of("intra.mkv"))
    film("dnxhr.mxf", "", "-c:v", "dnxhd", "-profile:v", "dnxhr_hq", "-pix_fmt", "yuv422p", "-s", "256x120", "-timecode", "10:00:00:00")
    turn(film("turned0.mp4", "", "-c:v", "mpeg4", "-bf", "0"), "turned.mp4")
    ffmpeg(*stereo, "-c:a", "pcm_f32le", path_of("floats.wav"))
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=30:d=2", "-vf", "select='not(eq(mod(n,7),3))'", "-vsync", "vfr", "-c:v", "ffv1",
           "-pix_fmt", "gray", path_of("phone.mkv"))
    for name, want in (("interlaced.mov", ["96x64i59.94 TFF, 4:2:2 10 bit, ProRes 422 HQ, TC 01:00:00;00 drop-frame",
                                           "48 kHz 24 bit, 5.1 (L R C LFE Ls Rs), PCM, English"]),
                       ("intra.mkv", ["96x64p25, pixels 4:3, 4:2:2 10 bit, H.264 High 4:2:2 Intra, PQ", "44.1 kHz, stereo, AAC LC, German"]),
                       ("dnxhr.mxf", ["256x120p25, 4:2:2 8 bit, DNxHR HQ, TC 10:00:00:00"]),
                       ("turned.mp4", ["96x64p25, 4:2:0 8 bit, MPEG-4 Simple Profile, rotated 270\u00b0"]),
                       ("floats.wav", ["44.1 kHz 32 bit, stereo, PCM floats"]),
                       ("phone.mkv", ["64x48p variable rate, grey 8 bit, FFV1"])):
        assert words_of(path_of(name)) == want, (name, words_of(path_of(name)))
    if has_page():
        assert ["Facts", "256x120p25, 4:2:2 8 bit, DNxHR HQ, TC 10:00:00:00"] in page_of(path_of("dnxhr.mxf"))["facts"]


def test_contradiction():
    """The bitstream wins over the container, and both are told."""
    path = film("said.mp4", "color_primaries=bt709:color_trc=bt709:colorspace=bt709:range=tv", "-c:v", "libx264",
                "-pix_fmt", "yuv420p", "-movflags", "+write_colr")
    other = path_of("contradiction.mp4")
    ffmpeg("-i", path, "-c", "copy", "-movflags", "+write_colr", "-bsf:v",
           "h264_metadata=matrix_coefficients=9:video_full_range_flag=1", other)
    (stream,) = summary_of(other)["streams"]
    matrix = facts_of(stream)["matrix"]
    assert matrix == {"name": "matrix", "value": "bt2020", "source": "bitstream", "container": "bt709",
                      "bitstream": "bt2020"}, matrix
    notices = [notice["text"] for notice in summary_of(other)["notices"] if notice["kind"] == "contradiction"]
    assert "matrix: the container says bt709, the bitstream bt2020, by which it was measured" in notices, notices
    assert notices[0] in report("--full", other)[0].decode()
    assert facts_of(stream)["range"]["value"] == "full" and stream["colorimetry"].startswith("1:6:"), stream["colorimetry"]


def test_rotation():
    """A rotation is ffprobe's, and in the text."""
    path = film("flat.mp4", "", "-c:v", "libx264", "-pix_fmt", "yuv420p")
    turned = turn(path, "rotated.mp4")
    said = [data["rotation"] for data in probed(turned)[0]["side_data_list"] if "rotation" in data]
    assert [facts_of(summary_of(turned)["streams"][0])["rotation"]["value"]] == [str(angle) for angle in said], said
    text = report("--full", turned)[0].decode()
    assert f"    rotation       {(720 - int(said[0])) % 360}\u00b0 clockwise" in text, text
    assert "rotation" not in report("--full", path)[0].decode()
    # It makes no difference, and is told.
    (compared,) = objects("--compare", "--json", path, turned)
    assert compared["verdict"] == "SAME" and [fact["fact"] for fact in compared["streams"][0]["facts"]] == ["rotation"], compared
    words = f"{(720 - int(said[0])) % 360}\u00b0 clockwise"
    assert compared["streams"][0]["facts"] == [{"fact": "rotation", "a": "none", "b": words}], compared["streams"][0]["facts"]
    line = report("--compare", "--quiet", path, turned)[0].decode().partition("\n")[0]
    assert line == f"SAME: B is shown otherwise: rotation none -> {words}", line


def test_sources_in_policies():
    """Rules can ask who says a fact."""
    with open(path_of("source.policy"), "w", encoding="utf-8") as file:
        file.write('title Source\ntransfer: fact.transfer = "smpte2084"\nwho: fact.transfer.source = "container"\n'
                   'order: fact.field-order.source = "bitstream"\nlanguage: fact.language = "eng"\n')
    path = film("told.mov", PQ, "-c:v", "ffv1", "-pix_fmt", "yuv422p10le")
    text = report("--full", "--policy", path_of("source.policy"), path, status=3)[0].decode()
    assert "FAIL" in text and re.search(r'\border: .*\n *video 0: is "container"', text), text


def test_unsaid_in_policies():
    """What nobody says is a word, or nothing; interlaced pictures without an order are so. JSON and rules have one value."""
    with open(path_of("unsaid.policy"), "w", encoding="utf-8") as file:
        file.write('title Unsaid\ntransfer: fact.transfer = "unknown"\norder: fact.field-order = "interlaced"\n'
                   'who: fact.field-order.source = "caps"\nchroma: fact.chroma = "4:2:0"\nbits: fact.stored-depth = 8\n'
                   'nobody: fact.transfer.source = "container"\nlight: fact.max-cll > 0\n')
    path = film("ordered.mkv", "field_mode=tff", "-c:v", "ffv1", "-pix_fmt", "yuv420p")
    with open(path, "rb") as file:
        data = bytearray(file.read())
    place = data.index(b"\x9d\x81")  # FieldOrder: 2 is undetermined
    data[place + 2] = 2
    with open(path_of("unordered.mkv"), "wb") as file:
        file.write(data)
    summary = summary_of("--policy", path_of("unsaid.policy"), path_of("unordered.mkv"))
    verdicts = {rule["id"]: rule["verdict"] for rule in summary["policies"][0]["rules"]}
    assert verdicts == {"transfer": "PASS", "order": "PASS", "who": "PASS", "chroma": "PASS", "bits": "PASS", "nobody": "SKIPPED",
                        "light": "SKIPPED"}, verdicts
    (stream,) = summary["streams"]
    assert facts_of(stream)["field-order"] == {"name": "field-order", "value": "interlaced", "source": "caps"}, stream["facts"]


def test_late_starts():
    """Sound that is late is told, and so are pictures; what encoders put before the begin is not."""
    whole = path_of("whole.mkv")
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=96x64:rate=25:duration=1", "-f", "lavfi", "-i", "sine=r=48000:d=1", "-c:v", "ffv1",
           "-pix_fmt", "yuv420p", "-c:a", "flac", whole)
    late = "this stream starts 0.120 s after "
    for name, inputs, want in (("sound.mkv", ("-i", whole, "-itsoffset", "0.12", "-i", whole), [None, late + "video 0"]),
                               ("sound.mov", ("-i", whole, "-itsoffset", "0.12", "-i", whole), [None, late + "video 0"]),
                               ("picture.mkv", ("-itsoffset", "0.12", "-i", whole, "-i", whole), [late + "audio 1", None]),
                               ("picture.mov", ("-itsoffset", "0.12", "-i", whole, "-i", whole), [late + "audio 1", None]),
                               ("little.mkv", ("-itsoffset", "0.09", "-i", whole, "-i", whole), [None, None])):
        codecs = ["-c", "copy"] if name.endswith(".mkv") else ["-c:v", "mpeg4", "-vsync", "0", "-c:a", "pcm_s16le"]
        ffmpeg(*inputs, "-map", "0:v", "-map", "1:a", *codecs, path_of(name))
        assert starts_of(path_of(name)) == want, (name, starts_of(path_of(name)))
    for name, codecs in (("opus.mkv", ("-c:v", "libx264", "-c:a", "libopus")), ("aac.ts", ("-c:v", "libx264", "-c:a", "aac")),
                         ("mp3.ts", ("-c:v", "libx264", "-c:a", "libmp3lame")), ("aac.flv", ("-c:v", "libx264", "-c:a", "aac"))):
        ffmpeg("-i", whole, "-pix_fmt", "yuv420p", *codecs, path_of(name))
        assert starts_of(path_of(name)) == [None, None], (name, starts_of(path_of(name)))


def starts_of(path):
    """What is told of the begin of each stream, video first."""
    summary = summary_of("--measures=basic", path)
    texts = [None] * len(summary["streams"])
    for notice in summary["notices"]:
        if notice["kind"] == "time" and "starts" in notice["text"]:
            texts[notice["stream"]] = notice["text"]
    return [text for _, text in sorted(zip([stream["media"] == "audio" for stream in summary["streams"]], texts), key=lambda pair: pair[0])]


def pcm_of(path):
    """What ffmpeg decodes: the numbers of a channel after the other, in turn."""
    done = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "f32le", "-c:a", "pcm_f32le", "-"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
    return struct.unpack(f"<{len(done.stdout) // 4}f", done.stdout)


# A file for each row of the table in libav-source.c: of which container and codec, and how it is made.
SOUNDS = (
    ("mov", None, "end.m4a", ["-c:a", "aac"]),
    ("mov", None, "end.mp4", ["-c:a", "ac3"]),
    ("mov", None, "float.mov", ["-c:a", "pcm_f32le"]),
    ("mpegts", None, "early.ts", [*FILM, "-c:v", "mpeg2video", "-bf", "2", "-c:a", "ac3"]),
    ("w64", None, "float.w64", ["-c:a", "pcm_f32le"]),
    ("wav", "mp3", "mp3.wav", ["-c:a", "libmp3lame"]),
    ("wav", "ac3", "ac3.wav", ["-c:a", "ac3"]),
    (None, "mp3", "loud.mp3", ["-c:a", "libmp3lame"]),
    (None, "wmav1", "wmav1.mkv", ["-c:a", "wmav1"]),
    (None, "wmav2", "wmav2.mkv", ["-c:a", "wmav2"]),
)
# Decoders that are preferred.
OTHERS = (("loud.opus", ["-c:a", "libopus"]), ("whole.flac", ["-c:a", "flac"]), ("wmav2.wav", ["-c:a", "wmav2"]), ("dca.mkv", ["-c:a", "dca"]))


def test_every_sample():
    """The number of samples and the peak are those of ffmpeg's decode."""
    for name, options in [(name, options) for _, _, name, options in SOUNDS] + list(OTHERS):
        ffmpeg(*SOUND, "-strict", "-2", *options, path_of(name))
        summary = summary_of(path_of(name))
        (stream,) = [stream for stream in summary["streams"] if stream["media"] == "audio"]
        want = pcm_of(path_of(name))
        assert summary["complete"], (name, summary["problems"])
        assert stream["samples"] == len(want), (name, stream["samples"], len(want))
        peak = 20 * math.log10(max(map(abs, want)))
        assert abs(stream["channels"][0]["peak"]["max"] - peak) < 0.01, (name, stream["channels"][0]["peak"], peak)


def test_symptoms():
    """Each row of the table is of a fault that GStreamer still has. Where a later one has none, this says so."""
    named = {row[1:3] for row in rows_of_libav() if row[0] == "SOUND"}
    assert named == {row[:2] for row in SOUNDS}, named
    for container, codec, name, options in SOUNDS:
        raw = path_of("gstreamer.f32")
        ffmpeg(*SOUND, "-strict", "-2", *options, path_of(name))
        # Samples before the begin of a segment go where sound is divided by time.
        subprocess.run(["gst-launch-1.0", "-q", "filesrc", f"location={path_of(name)}", "!", "decodebin", "!", "audioconvert",
                        "!", "audio/x-raw,format=F32LE", "!", "audiobuffersplit", "output-buffer-duration=1/10", "!", "filesink",
                        f"location={raw}"], check=True)
        with open(raw, "rb") as file:
            data = file.read()
        have, want = struct.unpack(f"<{len(data) // 4}f", data), pcm_of(path_of(name))
        note_mended(len(have) == len(want) and abs(max(map(abs, have)) - max(map(abs, want))) < 1e-3, (container, codec), name)


# What GStreamer 1.22 has no demuxer or decoder for.
UNREAD = (("a.caf", ["-c:a", "pcm_s16le"]), ("a.mkv", ["-c:a", "tta"]), ("b.mkv", ["-c:a", "alac"]), ("a.ts", ["-c:a", "truehd"]),
          ("a.mp4", ["-c:a", "truehd"]), ("a.avi", ["-c:a", "eac3"]), ("b.avi", ["-c:a", "flac"]))


def test_unread():
    """What GStreamer cannot read is read by libav, as the text and the JSON say."""
    for name, options in UNREAD:
        video = [*FILM, "-c:v", "mpeg4"] if name.endswith(".avi") else []
        ffmpeg(*SOUND, *video, "-strict", "-2", *options, path_of(name))
        summary = summary_of(path_of(name))
        (stream,) = [stream for stream in summary["streams"] if stream["media"] == "audio"]
        assert summary["complete"] and stream["decoder"] == "libav", (name, summary["problems"])
        assert stream["samples"] * stream["n-channels"] == len(pcm_of(path_of(name))), (name, stream["samples"])
    # A demuxer that does not know the codec of one stream says nothing of it.
    for name, options in (("a.nut", ["-c:v", "utvideo", "-c:a", "pcm_s16le"]), ("b.ts", ["-c:v", "mpeg2video", "-c:a", "dca"])):
        ffmpeg(*FILM, *SOUND, "-strict", "-2", *options, path_of(name))
        summary = summary_of(path_of(name))
        assert summary["complete"] and [stream["media"] for stream in summary["streams"]] == ["video", "audio"], (name, summary["problems"])
    assert ", decoded by libav; " in report("--full", path_of("a.caf"))[0].decode()


def test_positions():
    """Sound whose file says where the channels stand is as loud as the same in WAV; without, the report says so."""
    source = ["-f", "lavfi", "-i", "aevalsrc=" + "|".join("0.01*sin(2000*t)" for _ in range(3))
              + "|0.5*sin(300*t)|0|0:s=48000:d=4:c=5.1"]
    loudness = []
    for name in ("lfe.wav", "lfe.mov"):
        ffmpeg(*source, "-c:a", "pcm_s16le", path_of(name))
        (stream,) = summary_of(path_of(name))["streams"]
        loudness.append(stream["loudness"]["integrated"]["last"])
        assert facts_of(stream)["positions"]["value"].split() == ["L", "R", "C", "LFE", "Ls", "Rs"], stream["facts"]
    assert abs(loudness[0] - loudness[1]) < 1e-6 and loudness[0] < -38, loudness
    # AIFF says that the sides are sides, where GStreamer has Lc and Rc.
    ffmpeg(*source, "-filter:a", "channelmap=channel_layout=5.1(side)", "-c:a", "pcm_s16be", path_of("sides.aiff"))
    (stream,) = summary_of(path_of("sides.aiff"))["streams"]
    assert stream["channel-names"] == ["L", "R", "C", "LFE", "Ls", "Rs"], stream["channel-names"]
    # Channels above (5.1, TBL, TBR) are in the same order, if nothing stands between those of the front.
    ffmpeg("-f", "lavfi", "-i", "anullsrc=cl=0x2803f:d=0.1", "-c:a", "pcm_s16le", path_of("above.mov"))
    (stream,) = summary_of(path_of("above.mov"))["streams"]
    assert stream["channel-names"] == ["L", "R", "C", "LFE", "Ls", "Rs", "Ltr", "Rtr"], stream["channel-names"]
    # Of three channels in a plain WAV GStreamer does not even guess.
    for channels in (3, 16, 64):
        with wave.open(path_of("many.wav"), "wb") as file:
            file.setparams((channels, 2, 48000, 0, "NONE", ""))
            file.writeframes(bytes(channels) * 9600)
        summary = summary_of(path_of("many.wav"))
        assert summary["complete"] and summary["streams"][0]["samples"] == 4800, summary
        assert "positions" not in facts_of(summary["streams"][0]), summary
    # Plain WAV says nothing.
    with wave.open(path_of("plain.wav"), "wb") as file:
        file.setparams((6, 2, 48000, 0, "NONE", ""))
        file.writeframes(bytes(range(1, 241)) * 2400)
    (stream,) = summary_of(path_of("plain.wav"))["streams"]
    assert facts_of(stream)["positions"]["source"] == "guess", stream["facts"]
    ffmpeg(*FILM, "-i", path_of("plain.wav"), "-c:v", "mpeg2video", "-c:a", "pcm_s16le", path_of("six.mxf"))
    text = report("--full", "--policy=ebu-r128", path_of("six.mxf"), status=None)[0].decode()
    assert "LUFS: uncertain, positions unknown" in text, text
    assert re.search(r"SKIPPED .*the loudness is uncertain: positions unknown", text), text
    assert [notice for notice in summary_of(path_of("six.mxf"))["notices"] if notice["kind"] == "loudness"], text


def test_tracks():
    """What is measured of several tracks of sound is each one's own, however the container numbers them."""
    tones = [option for volume in (0.5, 0.25, 0.125) for option in ("-f", "lavfi", "-i", f"aevalsrc={volume}*sin(3000*t):s=48000:d=1")]
    # Two would be joined.
    maps = ["-map", "0", "-map", "1", "-map", "2", "-map", "3"]
    titles = ["-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=fra", "-metadata:s:a:2", "language=ger"]
    for name, options in (("three.mov", ["-c:a", "pcm_f32le"]), ("three.mkv", ["-c:a", "libmp3lame"]), ("three.avi", ["-c:a", "libmp3lame"]),
                          ("three.ts", ["-c:a", "libmp3lame"]), ("three.mxf", ["-c:v", "mpeg2video", "-c:a", "pcm_s16le"])):
        ffmpeg(*FILM, *tones, *maps, *titles, *options, path_of(name))
        summary = summary_of(path_of(name))
        sounds = [stream for stream in summary["streams"] if stream["media"] == "audio"]
        peaks = [round(stream["channels"][0]["peak"]["max"]) for stream in sounds]
        assert peaks == [-6, -12, -18], (name, peaks)
        if name.endswith((".mov", ".mkv", ".ts")):
            assert [facts_of(stream)["language"]["value"] for stream in sounds] == ["eng", "fra", "ger"], (name, sounds)
        # Pictures that GStreamer gives, and sound that libav gives, have one clock.
        assert all(stream["delay"] < 10 ** 8 for stream in summary["streams"]), (name, summary["streams"])
    # Ogg's numbers are nobody else's: what the file says is said of neither.
    ffmpeg(*tones, "-map", "0", "-map", "1", "-map", "2", "-c:a", "flac", "-serial_offset", "1", path_of("three.ogg"))
    sounds = summary_of(path_of("three.ogg"))["streams"]
    assert sorted(round(stream["channels"][0]["peak"]["max"]) for stream in sounds) == [-18, -12, -6], sounds


MASTERS = {0x18538067, 0x1654AE6B, 0xAE, 0x1F43B675, 0xA0}
BLOCKS = {0xA1, 0xA3}


def renumbered(data, numbers, begin=0, end=None):
    """A Matroska file with other numbers of its tracks."""
    end = len(data) if end is None else end

    def number(at, has_mark):
        length = 9 - data[at].bit_length()
        value = int.from_bytes(data[at:at + length], "big")
        return at + length, value if has_mark else value & (1 << 7 * length) - 1

    while begin < end:
        begin, name = number(begin, True)
        begin, size = number(begin, False)
        size = min(size, end - begin)
        if name in MASTERS:
            renumbered(data, numbers, begin, begin + size)
        elif name == 0xD7:
            data[begin + size - 1] = numbers[data[begin + size - 1]]
        elif name in BLOCKS:
            data[begin] = 0x80 | numbers[data[begin] & 0x7F]
        begin += size
    return data


def test_holes_in_numbers():
    """Tracks of Matroska are told apart by their numbers, which may have holes, and need not be in the order of the tracks."""
    tones = [option for volume in (0.5, 0.25) for option in ("-f", "lavfi", "-i", f"aevalsrc={volume}*sin(3000*t):s=48000:d=1")]
    ffmpeg(*FILM, *tones, "-map", "0", "-map", "1", "-map", "2", "-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=fra",
           "-c:v", "ffv1", "-c:a", "libmp3lame", path_of("whole-numbers.mkv"))
    with open(path_of("whole-numbers.mkv"), "rb") as file:
        data = file.read()
    for numbers in ({1: 4, 2: 7, 3: 11}, {1: 3, 2: 2, 3: 1}):
        with open(path_of("holes.mkv"), "wb") as file:
            file.write(renumbered(bytearray(data), numbers))
        sounds = [stream for stream in summary_of(path_of("holes.mkv"))["streams"] if stream["media"] == "audio"]
        have = {facts_of(stream)["language"]["value"]: round(stream["channels"][0]["peak"]["max"]) for stream in sounds}
        assert have == {"eng": -6, "fra": -12}, (numbers, sounds)
        assert all(facts_of(stream)["language"]["source"] == "container" for stream in sounds), (numbers, sounds)


def test_timecodes():
    """Timecodes are those of ffprobe: of tracks, of the file, of tags; also those that leave out numbers."""
    for name, rate, timecode, options in (("track.mov", "25", "10:00:00:00", ["-c:v", "mjpeg"]),
                                          ("drop.mov", "30000/1001", "10:00:00;02", ["-c:v", "mjpeg"]),
                                          ("track.mp4", "25", "10:00:00:00", ["-c:v", "mpeg4"]),
                                          ("material.mxf", "25", "10:00:00:00", ["-c:v", "mpeg2video"]),
                                          ("drop.mxf", "30000/1001", "10:00:00;02", ["-c:v", "mpeg2video"]),
                                          ("isrf.avi", "25", "10:00:00:00", ["-c:v", "ffv1"]),
                                          ("stream.mkv", "25", "10:00:00:00", ["-c:v", "ffv1", "-metadata:s:v", "timecode=10:00:00:00"]),
                                          ("file.mkv", "30000/1001", "10:00:00;02", ["-c:v", "ffv1", "-metadata", "timecode=10:00:00;02"])):
        own = [] if name.endswith(".mkv") else ["-timecode", timecode]
        ffmpeg(*FILM, "-r", rate, *own, *options, path_of(name))
        (stream,) = summary_of("--measures=basic", path_of(name))["streams"]
        assert facts_of(stream)["timecode"] == {"name": "timecode", "value": timecode, "source": "container"}, (name, stream["facts"])
        assert stream["timecode"] == timecode, (name, stream["timecode"])
        want = f"TC {timecode}" + (" drop-frame" if ";" in timecode else "")
        assert words_of(path_of(name))[0].endswith(want), (name, words_of(path_of(name)))


def test_playlists():
    """A file that names others is none that libav reads: the others stay closed."""
    ffmpeg(*SOUND, path_of("other.wav"))
    for name, text in (("list.ffconcat", "ffconcat version 1.0\nfile other.wav\n"),
                       ("list.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nother.wav\n#EXT-X-ENDLIST\n"),
                       ("list.sdp", "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=-\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 9 RTP/AVP 0\n")):
        with open(path_of(name), "w", encoding="utf-8") as file:
            file.write(text)
        output, _ = report("--json-summary", path_of(name), status=None)
        for stream in [stream for line in output.splitlines() for stream in json.loads(line)["streams"]]:
            assert not {fact["source"] for fact in stream.get("facts", [])} & {"container", "bitstream"}, (name, stream["facts"])


def test_damage():
    """Sound that libav cannot decode is missed, at the begin of a file, too."""
    ffmpeg(*SOUND, "-c:a", "aac", path_of("whole.m4a"))
    with open(path_of("whole.m4a"), "rb") as file:
        data = bytearray(file.read())
    begin = data.index(b"mdat") + 4
    assert summary_of(path_of("whole.m4a"))["complete"]
    for name, place, size in (("begin.m4a", begin, 700), ("middle.m4a", begin + 4000, 1000)):
        broken = bytearray(data)
        broken[place:place + size] = b"\xff" * size
        with open(path_of(name), "wb") as file:
            file.write(broken)
        output, _ = report("--json-summary", path_of(name), status=None)
        assert not json.loads(output.splitlines()[0])["complete"], name


if __name__ == "__main__":
    sys.exit(run_tests([value for name, value in list(globals().items())
                        if name.startswith("test_")]))
