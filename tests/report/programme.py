#!/usr/bin/python3
"""Mono tracks that are heard together are measured as what is heard: --programme, and what the report does without it.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import csv
import io
import json
import re
import struct
import sys
import wave
import xml.etree.ElementTree as ElementTree

from common import ffmpeg, objects, one_line, path_of, report, run_tests

FILM = ["-f", "lavfi", "-i", "testsrc2=size=96x64:rate=25:duration=0.6"]
# No multiple of the length of a packet, a block or a window.
SAMPLES = 27011
MXF = ["-c:v", "mpeg2video", "-c:a"]


def tone(number, samples=SAMPLES, rate=48000):
    """Sound that is no other track's."""
    return ["-f", "lavfi", "-i", f"aevalsrc=0.0{1 + number % 9}*sin({900 + 31 * number}*t)+0.1*random({number}):s={rate}:d={samples / rate}"]


def silence(samples=SAMPLES):
    return ["-f", "lavfi", "-i", f"anullsrc=r=48000:cl=mono:d={samples / 48000}"]


def tracks(name, sources, *options, film=True):
    """A file with a track of sound for each of the sources."""
    inputs = [*(FILM if film else []), *[word for source in sources for word in source]]
    ffmpeg(*inputs, *[word for i in range(len(sources) + film) for word in ("-map", str(i))], *options, path_of(name))
    return path_of(name)


def summary_of(path, *options, **others):
    return objects("--json-summary", *options, path, **others)[0]


def sounds_of(summary):
    sounds = [stream for stream in summary["streams"] if stream["media"] == "audio"]
    for sound in sounds:
        # The facts are those of the programme, not of a track, however late its first result comes.
        channels = [fact["value"] for fact in sound.get("facts", []) if fact["name"] == "channels"]
        assert channels in ([], [str(len(sound["channel-names"]))]), sound
    return sounds


def pcm_of(path, numbers, depth):
    """What ffmpeg decodes of tracks of sound, number 1 being the first one: of each a list of its samples."""
    outputs = [path_of(f"{number}.raw") for number in numbers]
    ffmpeg("-i", path, *[word for number, output in zip(numbers, outputs) for word in (
        "-map", f"0:a:{number - 1}", "-f", f"s{depth}le", "-c:a", f"pcm_s{depth}le", output)])
    size, tracks_of_file = depth // 8, []
    for output in outputs:
        with open(output, "rb") as file:
            raw = file.read()
        tracks_of_file.append([raw[i:i + size] for i in range(0, len(raw), size)])
    return tracks_of_file


def joined(pcm, numbers, depth, before=None):
    """The tracks as channels of a WAV, with silence where one of them has nothing."""
    zero = bytes(depth // 8)
    channels = [[zero] * (before or {}).get(number, 0) + samples for number, samples in zip(numbers, pcm)]
    length = max(map(len, channels))
    for channel in channels:
        channel += [zero] * (length - len(channel))
    samples = b"".join(b"".join(sample) for sample in zip(*channels))
    # What says where six channels stand.
    masks = {2: 0x3, 6: 0x3f}
    head = struct.pack("<HHIIHHHHI", 0xfffe, len(numbers), 48000, 48000 * len(numbers) * depth // 8, len(numbers) * depth // 8, depth, 22,
                       depth, masks.get(len(numbers), 0)) + bytes.fromhex("0100000000001000800000aa00389b71")
    with open(path_of("joined.wav"), "wb") as file:
        file.write(b"RIFF" + struct.pack("<I", 60 + len(samples)) + b"WAVEfmt " + struct.pack("<I", len(head)) + head + b"data"
                   + struct.pack("<I", len(samples)) + samples)
    return path_of("joined.wav")


# What is told of sound, but not how it was stored.
FIGURES = ("format", "rate", "n-channels", "channel-names", "groups", "results", "samples", "correlation", "regions", "channels", "pairs",
           "sound-spans", "loudness", "alerts")


def test_figures():
    """The figures are those of the same sound in one stream, to the last digit, and no sample is missing or added."""
    shorter, six = [tone(1), tone(2, 20003)], [tone(i) for i in range(6)]
    for name, sources, options, wanted, depth in (
            ("two.mxf", [tone(1), tone(2)], [*MXF, "pcm_s16le"], None, 16),
            ("deep.mxf", [tone(1), tone(2)], [*MXF, "pcm_s24le"], None, 24),
            ("six.mxf", six, [*MXF, "pcm_s24le"], "1+2+3+4+5+6", 24),
            ("sixteen.mxf", [tone(i) for i in range(16)], [*MXF, "pcm_s16le"], "1+2,3+4,11+12+13+14+15+16", 16),
            ("shorter.mov", shorter, ["-c:a", "pcm_s16le"], "1+2", 16),
            ("deep.mov", shorter, ["-c:a", "pcm_s24be"], "2+1", 24),
            ("flac.mkv", shorter, ["-c:v", "ffv1", "-c:a", "flac", "-sample_fmt:a", "s16"], "1+2", 16),
            ("pcm.mkv", shorter, ["-c:v", "ffv1", "-c:a", "pcm_s24le"], "1+2", 24),
            ("two.avi", shorter, ["-c:a", "pcm_s16le"], "1+2", 16)):
        path = tracks(name, sources, *options, film=name.endswith((".mxf", ".avi")))
        summary = summary_of(path, *(["--programme", wanted] if wanted else []))
        assert summary["complete"], (name, summary["problems"])
        programmes = [stream for stream in sounds_of(summary) if "programme" in stream]
        assert [stream["programme"] for stream in programmes] == (wanted or "1+2").split(","), (name, programmes)
        for stream in programmes:
            numbers = [int(number) for number in stream["programme"].split("+")]
            pcm = pcm_of(path, numbers, depth)
            lengths = [len(samples) for samples in pcm]
            assert [(track["track"], track["samples"], track.get("silence-behind", 0)) for track in stream["tracks"]] == \
                [(number, length, max(lengths) - length) for number, length in zip(numbers, lengths)], (name, stream["tracks"], lengths)
            (one,) = summary_of(joined(pcm, numbers, depth))["streams"]
            for figure in FIGURES:
                assert stream.get(figure) == one.get(figure), (name, stream["programme"], figure, stream.get(figure), one.get(figure))


def test_starts():
    """A track that begins later has silence before it, and the channels are those that are heard at one time."""
    for name, options in (("late.mov", ["-c:a", "pcm_s16le"]), ("late.mkv", ["-c:v", "ffv1", "-c:a", "pcm_s16le"])):
        path = tracks(name, [tone(1), ["-itsoffset", "0.125", *tone(2)]], *options)
        summary = summary_of(path, "--programme=1+2")
        (stream,) = sounds_of(summary)
        first, second = stream["tracks"]
        assert (first["samples"], second["samples"], second["silence-before"], first["silence-behind"]) == (SAMPLES, SAMPLES, 6000, 6000), \
            (name, stream["tracks"])
        (one,) = summary_of(joined(pcm_of(path, (1, 2), 16), (1, 2), 16, {2: 6000}))["streams"]
        assert all(stream.get(figure) == one.get(figure) for figure in FIGURES), name
        (notice,) = [notice for notice in summary["notices"] if notice["kind"] == "time" and notice.get("programme") == "1+2"]
        assert notice["text"] == "track 1 ends earlier by 0.125 s (6000 samples), track 2 begins later by 0.125 s (6000 samples): " \
            "silence is in its place", notice


def test_formats():
    """Tracks of several formats are joined, too: by numbers that hold all of their values."""
    path = tracks("mixed.mkv", [tone(1), tone(2)], "-c:v", "ffv1", "-c:a:0", "pcm_s16le", "-c:a:1", "pcm_s24le")
    (stream,) = sounds_of(summary_of(path, "--programme=1+2"))
    singles = sounds_of(summary_of(path, "--programme=1,2"))
    assert stream["format"] == "F64LE" and [single["format"] for single in singles] == ["S16LE", "S24LE"], (stream["format"], singles)
    for channel, single in zip(stream["channels"], singles):
        assert abs(channel["peak"]["max"] - single["channels"][0]["peak"]["max"]) < 1e-9, (channel["peak"], single["channels"][0]["peak"])


def test_gaps():
    """A track that has nothing for a while does not hold up the others, and what is missing is told."""
    path = tracks("whole.mkv", [tone(1, 96000), tone(2, 96000)], "-c:v", "ffv1", "-c:a", "pcm_s16le")
    # Packets of 1024 samples.
    ffmpeg("-i", path, "-map", "0", "-c", "copy", "-bsf:a:1", "noise=drop='between(n,20,39)'", path_of("gap.mkv"))
    summary = summary_of(path_of("gap.mkv"), "--programme=1+2", status=1)
    (stream,) = sounds_of(summary)
    # Matroska's times are rounded to 1 ms.
    track, missing = stream["tracks"][1], stream["tracks"][1]["silence-between"]
    assert 96000 - track["samples"] == 20 * 1024 and abs(missing - 20 * 1024) <= 48, track
    assert stream["samples"] == 96000 and f"{missing} samples of track 2 are missing" in summary["problem"], summary["problems"]
    # Where both have nothing, the time goes on.
    ffmpeg("-i", path, "-map", "0", "-c", "copy", "-bsf:a", "noise=drop='between(n,20,39)'", path_of("gaps.mkv"))
    (stream,) = sounds_of(summary_of(path_of("gaps.mkv"), "--programme=1+2", status=1))
    assert stream["samples"] == 96000 - 20480 and round(stream["end"] / 1e9, 2) == 2, (stream["samples"], stream["end"])
    assert not any("silence-between" in track for track in stream["tracks"]), stream["tracks"]
    # Of which nothing can be decoded.
    path = tracks("flac.mkv", [tone(1), tone(2)], "-c:v", "ffv1", "-c:a", "flac")
    ffmpeg("-i", path, "-map", "0", "-c", "copy", "-bsf:a:1", "noise=amount=1", path_of("noise.mkv"))
    problems = [problem["text"] for problem in summary_of(path_of("noise.mkv"), "--programme=1+2", status=1)["problems"]]
    assert "sound 1+2 (option): track 2 cannot be decoded" in problems, problems


def languages(*names):
    return [word for i, name in enumerate(names) for word in (f"-metadata:s:a:{i}", f"language={name}")]


def titles(*names):
    return [word for i, name in enumerate(names) for word in (f"-metadata:s:a:{i}", f"title={name}")]


def klvs(data):
    """The parts of an MXF: where each begins and ends, its key and its value."""
    at = 0
    while at < len(data):
        n = data[at + 16] & 0x7f if data[at + 16] & 0x80 else 0
        length = int.from_bytes(data[at + 17:at + 17 + n], "big") if n else data[at + 16]
        begin = at + 17 + n
        yield at, begin + length, data[at:at + 16], data[begin:begin + length]
        at = begin + length


def klv(key, value):
    return key + b"\x83" + len(value).to_bytes(3, "big") + value


def label(path, positions):
    """Gives each track of sound of an MXF an audio channel label (SMPTE ST 377-4, ST 428-12): 1 is L, 2 is R. The header has room."""
    with open(path, "rb") as file:
        data = file.read()
    ul = bytes.fromhex("060e2b34")
    # Tags of this file: sub-descriptors of a descriptor; the label, and the link, of a channel.
    tags = {0x8fe0: "010101090601010406100000", 0x8fe1: "0101010e0103070101000000", 0x8fe2: "0101010e0103070105000000"}
    header, labels, n = [], b"", 0
    for at, end, key, value in klvs(data):
        if key[13:16] == b"\x05\x01\x00":
            count, size = struct.unpack(">II", value[:8])
            header.append(klv(key, struct.pack(">II", count + len(tags), size) + value[8:] + b"".join(
                struct.pack(">H", tag) + ul + bytes.fromhex(name) for tag, name in tags.items())))
        elif key[4:8] == b"\x02\x53\x01\x01" and key[14] in (0x47, 0x48):
            header.append(klv(key, value + struct.pack(">HHII", 0x8fe0, 24, 1, 16) + bytes([n] * 16)))
            labels += klv(ul + bytes.fromhex("025301010d01010101016b00"), b"".join(struct.pack(">HH", tag, 16) + data for tag, data in (
                (0x3c0a, bytes([n] * 16)), (0x8fe1, ul + bytes.fromhex("0401010d030201") + bytes([positions[n], 0, 0, 0, 0])),
                (0x8fe2, bytes([n + 8] * 16)))))
            n += 1
        elif key[8:12] == b"\x03\x01\x02\x10" and n == len(positions):
            header.append(labels)
            header.append(klv(key, bytes(end - sum(map(len, header)) - 20)))
            break
        else:
            header.append(data[at:end])
    with open(path, "wb") as file:
        file.write(b"".join(header) + data[end:])
    return path


MONO = "mono tracks: loudness is that of each track; use --programme"


def test_defaults():
    """What is joined without the option, and how that is told."""
    two, mkv, mov = [tone(1), tone(2)], ["-c:v", "ffv1", "-c:a", "flac"], ["-c:a", "pcm_s16le"]
    split = ["-filter_complex", "[0:a]channelsplit=channel_layout=5.1[a][b][c][d][e][f];[1:a]channelsplit[g][h]",
             *[word for label in "fabcdegh" for word in ("-map", f"[{label}]")], "-c:a", "pcm_s16le"]
    ffmpeg("-f", "lavfi", "-i", "aevalsrc=0.1|0.2|0.3|0.4|0.5|0.6:c=5.1:s=48000:d=0.5", "-f", "lavfi", "-i", "aevalsrc=0.1|0.2:s=48000:d=0.5",
        *split, path_of("placed.mov"))
    for path, expected, is_told in (
            (tracks("guess.mkv", two, *mkv), ["sound 1+2 (guess)"], False),
            (tracks("eng.mkv", two, *mkv, *languages("eng", "eng")), ["sound 1+2 (eng, guess)"], False),
            (tracks("differ.mkv", two, *mkv, *languages("eng", "fra")), ["audio 1 (en)", "audio 2 (fr)"], True),
            (tracks("comment.mkv", two, *mkv, "-disposition:a:1", "comment"), ["audio 1", "audio 2"], True),
            (tracks("length.mov", [tone(1), tone(2, 20003)], *mov), ["audio 1", "audio 2"], True),
            (tracks("rate.mov", [tone(1), tone(2, 24000, 44100)], *mov), ["audio 1", "audio 2"], True),
            (tracks("three.mov", [tone(1), tone(2), tone(3)], *mov), ["audio 1", "audio 2", "audio 3"], True),
            (tracks("one.mov", [tone(1)], *mov), ["audio 1"], False),
            (tracks("labels.mkv", two, *mkv, *titles("Right", "Left")), ["sound 1+2 (container)"], False),
            (label(tracks("labels.mxf", two, *MXF, "pcm_s16le"), (2, 1)), ["sound 1+2 (container)"], False),
            # The sixth channel comes first.
            (path_of("placed.mov"), ["sound 1+2+3+4+5+6 (container)", "sound 7+8 (container)"], False)):
        summary = summary_of(path)
        assert [stream["title"] for stream in sounds_of(summary)] == expected, (path, sounds_of(summary))
        assert (MONO in [notice["text"] for notice in summary["notices"]]) == is_told, (path, summary["notices"])
        guesses = [notice for notice in summary["notices"] if notice["kind"] == "programme" and "guess" in notice["text"]]
        assert [notice["programme"] for notice in guesses] == (["1+2"] if "guess" in expected[0] else []), (path, guesses)
    surround, stereo = sounds_of(summary_of(path_of("placed.mov")))
    assert surround["channel-names"] == ["L", "R", "C", "LFE", "Ls", "Rs"], surround["channel-names"]
    assert [track["track"] for track in surround["tracks"]] == [2, 3, 4, 5, 6, 1], surround["tracks"]
    assert [round(component["max"] / 32768, 1) for component in surround["regions"][0]["components"]] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    assert [fact["source"] for fact in surround["facts"] if fact["name"] == "positions"] == ["container"], surround["facts"]
    assert stereo["loudness"]["integrated"]["last"] < surround["loudness"]["integrated"]["last"], stereo["loudness"]
    for name in ("labels.mkv", "labels.mxf"):
        (labelled,) = sounds_of(summary_of(path_of(name)))
        assert [track["track"] for track in labelled["tracks"]] == [2, 1], (name, labelled["tracks"])
    # Streams are listed when all are known, whoever gives their sound.
    path = tracks("many.mov", [tone(i) for i in range(8)], *mov, film=False)
    for options in ((), ("--programme=1+8",)):
        assert [stream["samples"] for stream in sounds_of(summary_of(path, *options))] == [SAMPLES] * (8 - len(options))
    text = report("--full", path_of("guess.mkv"))[0].decode()
    assert "    programme      tracks 1+2, a guess: these are the only mono tracks" in text, text
    text = report("--full", path_of("three.mov"))[0].decode()
    assert f"  note:         {MONO}\n" in text, text


def test_verdicts():
    """Two mono tracks of -23 LUFS are one programme of -20, which fails once, in all outputs."""
    sine = ["-f", "lavfi", "-i", "aevalsrc=0.1*sin(2*PI*1000*t):s=48000:d=1.2"]
    path = tracks("two-monos.mxf", [sine, sine], *MXF, "pcm_s16le")
    text = report("--policy=ebu-r128", "--junit", path_of("junit.xml"), "--sarif", path_of("log.sarif"), path, status=3)[0].decode()
    assert text.count("LUFS\n") == 2 and "            sound 1+2 (guess): is -19.99 LUFS\n" in text, text
    failed = [case for case in ElementTree.parse(path_of("junit.xml")).iter("testcase") if case.find("failure") is not None]
    assert len(failed) == 1 and "sound 1+2 (guess)" in ElementTree.tostring(failed[0]).decode(), ElementTree.tostring(failed[0])
    with open(path_of("log.sarif"), encoding="utf-8") as file:
        results = json.load(file)["runs"][0]["results"]
    assert [result["ruleId"] for result in results if result.get("kind", "fail") == "fail" and "ebu-r128" in result["ruleId"]] == \
        ["ebu-r128/integrated"], results
    rows = list(csv.DictReader(io.StringIO(report("--csv", path)[0].decode())))
    assert {row["title"] for row in rows} == {"video 0", "sound 1+2 (guess)"}, {row["title"] for row in rows}
    # Other processes measure the same, and what was kept is read again.
    whole = summary_of(path)
    kept = [summary_of(path, "--jobs=2", "--results", path_of("kept")) for _ in range(2)]
    for summary in (*kept, *objects("--json-summary", "--merge", "--results", path_of("kept"), path)):
        (stream,) = sounds_of(summary)
        assert [stream[key] for key in ("programme", "programme-source", "title")] == ["1+2", "guess", "sound 1+2 (guess)"], stream
        assert stream["loudness"]["integrated"]["last"] == sounds_of(whole)[0]["loudness"]["integrated"]["last"], stream["loudness"]
    assert kept[0] == kept[1], kept
    # With other programmes it is measured again.
    (summary,) = objects("--json-summary", "--jobs=2", "--results", path_of("kept"), "--programme=1,2", path)
    assert [stream["programme"] for stream in sounds_of(summary)] == ["1", "2"], summary["streams"]
    text = report("--compare", "--figures=loudness.*", path, joined(pcm_of(path, (1, 2), 16), (1, 2), 16), status=None)[0].decode()
    assert "sound 1+2 (guess) and audio 0" in text and re.search(r"none of \d+ figures differs", text), text
    # LFE is not heard as loud.
    loud = tracks("lfe.mxf", [tone(1), tone(1), silence(), ["-f", "lavfi", "-i", "aevalsrc=0.9*sin(300*t):s=48000:d=0.6"], silence(), silence()],
        *MXF, "pcm_s16le")
    six, two = summary_of(loud, "--programme=1+2+3+4+5+6"), summary_of(loud, "--programme=1+2")
    assert sounds_of(six)[0]["loudness"]["integrated"] == sounds_of(two)[0]["loudness"]["integrated"], six
    assert [fact["source"] for fact in sounds_of(six)[0]["facts"] if fact["name"] == "positions"] == ["guess"], six


def test_spares():
    """Silent tracks that nobody uses are named, and not alarmed."""
    path = tracks("spares.mxf", [tone(1, 140000), tone(2, 140000), *[silence(140000)] * 14], *MXF, "pcm_s16le")
    with open(path_of("quiet.policy"), "w", encoding="utf-8") as file:
        file.write("title Quiet\nsilent: ch*.silent = 0\n")
    names = ", ".join(f"sound {number}" for number in range(3, 17))
    summary = summary_of(path, "--programme=1+2", "--policy", path_of("quiet.policy"))
    assert summary["verdict"] == "PASS", summary["policies"]
    assert [(notice["kind"], notice["severity"], notice["text"]) for notice in summary["notices"] if "silen" in notice["text"]] == \
        [("programme", "note", f"spare tracks: {names} are silent from begin to end, and in no programme")], summary["notices"]
    assert [stream.get("spare", False) for stream in sounds_of(summary)] == [False] + [True] * 14
    assert not any(stream["alerts"] for stream in sounds_of(summary)), sounds_of(summary)
    # A language means that somebody should speak.
    path = tracks("dubbed.mov", [tone(1, 140000), silence(140000)], "-c:a", "pcm_s16le", *languages("eng", "fra"))
    assert [notice["kind"] for notice in summary_of(path)["notices"] if "silen" in notice["text"]] == ["silence"]


def test_wrong():
    """Bad values are told, with the input where it decides."""
    for value in ("", "1+", "0", "-1", "a", "1,,2", "1+2 ", "1.5", "513"):
        assert f'not "{value}"' in one_line(report("--programme=" + value, "no.mxf", status=2)[1]), value
    for value in ("1+1", "1+2,3+2"):
        assert "twice" in one_line(report("--programme=" + value, "no.mxf", status=2)[1]), value
    assert "takes no" in one_line(report("--images", "--programme=1+2", path_of("."), status=2)[1])
    path = tracks("wrong.mkv", [tone(1), tone(2, 24000, 44100), ["-f", "lavfi", "-i", "sine=r=48000:d=0.5,aformat=channel_layouts=stereo"]],
        "-c:v", "ffv1", "-c:a", "pcm_s16le")
    with wave.open(path_of("mono.wav"), "wb") as file:
        file.setparams((1, 2, 48000, 0, "NONE", ""))
        file.writeframes(bytes(9600))
    for name, value, problem in ((path, "1+4", "there is no track 4 of sound, only 3"), (path, "1+3", "track 3 has 2 channels"),
                                 (path, "1+2", "track 2 has 44100 Hz, and track 1 has 48000 Hz"),
                                 (path_of("mono.wav"), "1", "tracks of this container (wav) cannot be joined")):
        line = one_line(report("--programme=" + value, name, status=1)[1])
        assert problem in line and name in line, line


if __name__ == "__main__":
    sys.exit(run_tests([test_figures, test_starts, test_formats, test_gaps, test_defaults, test_verdicts, test_spares, test_wrong]))
