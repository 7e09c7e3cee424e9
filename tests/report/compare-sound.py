#!/usr/bin/python3
"""cudahisto-report --compare: the sound of two inputs that ffmpeg made of one.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import array
import json
import os
import re
import sys

from common import ffmpeg, objects, path_of, report, run_tests

# Stereo noise that is unlike itself everywhere, of 16 bits.
NOISE = ["-f", "lavfi", "-i", "anoisesrc=d=3:r=32000:a=0.4:seed=1", "-f", "lavfi", "-i", "anoisesrc=d=3:r=32000:a=0.3:seed=2",
         "-filter_complex", "[0][1]amerge,lowpass=f=6000", "-ac", "2"]
PICTURE = ["-f", "lavfi", "-i", "testsrc2=size=96x64:rate=25:duration=3"]


def master():
    path = path_of("master.wav")
    if not os.path.exists(path):
        ffmpeg(*NOISE, "-c:a", "pcm_s16le", path)
    return path


def made(name, *arguments, of=None):
    path = path_of(name)
    if not os.path.exists(path):
        ffmpeg("-i", of or master(), *arguments, path)
    return path


def film():
    path = path_of("film.mkv")
    if not os.path.exists(path):
        ffmpeg(*PICTURE, "-i", master(), "-c:v", "ffv1", "-pix_fmt", "yuv420p", "-c:a", "flac", path)
    return path


def compare(a, b, *arguments, verdict, status=0):
    """The difference of the only sound."""
    (one,) = objects("--compare", "--json", "--quiet", *arguments, a, b, status=status)
    assert one["verdict"] == verdict, one
    (stream,) = [stream for stream in one["streams"] if stream["a"]["media"] == "audio"]
    return stream["sound"]


def text_of(a, b, *arguments):
    return report("--compare", "--quiet", *arguments, a, b)[0].decode()


def changes(sound):
    return {explanation["change"]: explanation for explanation in sound["explanations"]}


def test_same():
    """Equal samples, whatever the codec, the container and the depth are."""
    for b in (made("same.flac"), made("same.mkv", "-c:a", "pcm_s24be")):
        sound = compare(master(), b, "--fail-on-difference", verdict="SAME")
        assert sound["equal"] and sound["different"] == 0 and sound["relative"] == "-inf", sound
    text = text_of(master(), master())
    assert text.startswith("SAME") and "all 192000 samples of 2 channels are equal" in text, text
    assert compare(film(), film(), verdict="SAME")["equal"]


def test_changes():
    """Each change is named, and nothing else."""
    for name, filters, expected, text in (
            ("gain", "volume=-3dB", {"gain", "rounding"}, "B is 3.00 dB quieter than A"),
            ("delay", "adelay=333S:all=1", {"delay"}, "B is 333 samples (10.4 ms) later than A"),
            ("swapped", "pan=stereo|c0=c1|c1=c0", {"swapped"}, "L of B is R of A, R of B is L of A"),
            ("one", "aeval=val(0)|-val(1)", {"inverted"}, "R of B is inverted"),
            ("mono", "pan=mono|c0=0.5*c0+0.5*c1", {"mix", "missing-channel", "rounding"}, "B is the mean of all channels of A"),
            ("cut", "aselect='not(between(n,20,25))',asetpts=N/(SR*TB)", {"missing"},
             "B lacks 6144 samples (192 ms) of A at 0:00:00.640"),
            ("hole", "volume=0:enable='between(t,0.63,0.82)'", {"silent"}, "B is silent from 0:00:00.640 to 0:00:00.832")):
        b = made(f"{name}.wav", "-af", "asetnsamples=1024:p=0," + filters)
        sound = compare(master(), b, "--fail-on-difference", verdict="DIFFERENT", status=3)
        assert {explanation["change"] for explanation in sound["explanations"]} == expected, (name, sound)
        assert text in [explanation["text"] for explanation in sound["explanations"]], (name, sound)
        assert not sound["equal"], sound


def samples_of(path):
    """Those of each channel of a stereo file."""
    raw = path_of("raw")
    ffmpeg("-i", path, "-f", "f32le", "-c:a", "pcm_f32le", raw)
    with open(raw, "rb") as file:
        samples = array.array("f", file.read())
    return samples[0::2], samples[1::2]


def test_clipping():
    """Clipping is told with its ceiling and the number of samples at it, and the gain before it."""
    loud = made("loud.wav", "-af", "volume=12dB", "-c:a", "pcm_f32le")
    for name, of, filters, codec, expected, texts in (
            ("clipped", loud, "volume=0dB", "pcm_s16le", {"clipped", "rounding"}, ["B is clipped at 0.00 dBFS"]),
            ("louder", loud, "volume=3dB", "pcm_s16le", {"gain", "clipped", "rounding"},
             ["B is 3.00 dB louder than A", "B is clipped at 0.00 dBFS"]),
            ("inverted", loud, "volume=3dB,aeval=-val(0)|-val(1)", "pcm_s24le", {"gain", "inverted", "clipped"},
             ["B is inverted", "B is 3.00 dB louder than A", "B is clipped at 0.00 dBFS"]),
            ("coarse", loud, "volume=0dB", "pcm_u8", {"clipped", "rounding"}, ["B is clipped at 0.00 dBFS"]),
            ("lower", loud, r"aeval=val(0)|clip(val(1)\,-0.2\,0.2)", "pcm_f32le", {"clipped"},
             ["R of B is clipped at -13.98 dBFS"]),
            ("other", loud, r"aeval=clip(val(1)\,-0.2\,0.2)|val(0)", "pcm_f32le", {"swapped", "clipped"},
             ["L of B is clipped at -13.98 dBFS"])):
        b = made(f"ceiling-{name}.wav", "-af", filters, "-c:a", codec, of=of)
        sound = compare(of, b, verdict="DIFFERENT")
        found = changes(sound)
        assert set(found) == expected, (name, sound)
        for text in texts[:-1]:
            assert text in [explanation["text"] for explanation in sound["explanations"]], (name, sound)
        n = 0
        for channel in samples_of(b):
            peak = max(map(abs, channel))
            if abs(peak - 1) < 1e-3 or abs(peak - 0.2) < 1e-6:
                n += sum(abs(sample) >= peak * (0.98 if codec == "pcm_u8" else 0.9998) for sample in channel)
        # Some samples are as near to the ceiling without having been clipped.
        text, told = re.fullmatch(r"(.*) \((\d+) samples\)", found["clipped"]["text"]).groups()
        assert text == texts[-1] and n > 100 and abs(int(told) - n) <= 0.01 * n, (name, n, sound)
        assert abs(found["clipped"]["value"] - (0 if "0.00" in texts[-1] else -13.98)) < 0.01, (name, sound)
        assert found["clipped"]["after"] < found["clipped"]["before"] - 6, (name, sound)
    b = made("ceiling-two.wav", "-af", r"aeval=clip(val(0)\,-0.2\,0.2)|clip(val(1)\,-0.3\,0.3)", "-c:a", "pcm_f32le", of=loud)
    clipped = changes(compare(loud, b, verdict="DIFFERENT"))["clipped"]
    assert re.fullmatch(r"L of B is clipped at -13[.]98 dBFS, R of B is clipped at -10[.]46 dBFS \(\d+ samples in all\)", clipped["text"])
    assert "value" not in clipped, clipped
    # The loudest sample alone, a click, or a sound of two values is not clipping.
    for name, filters in (("click", r"aeval=if(eq(n\,5000)\,0.9\,val(0))|val(1)"),
                          ("square", r"aeval=0.1*sgn(val(0))|0.1*sgn(val(1))"), ("noise", "volume=-6dB,aphaser")):
        b = made(f"ceiling-{name}.wav", "-af", filters)
        assert "clipped" not in changes(compare(master(), b, verdict="DIFFERENT")), name


def test_coding():
    """A lossy codec delays and changes everything. The limit of the tolerance is that of the difference."""
    coded = made("coded.mkv", "-c:a", "ac3", "-b:a", "192k")
    sound = compare(master(), coded, verdict="DIFFERENT")
    found = {explanation["change"]: explanation for explanation in sound["explanations"]}
    assert -40 < sound["relative"] < -10 and "delay" in found and found["loss"]["guess"], sound
    for limit, verdict in ((sound["relative"] + 0.1, "WITHIN TOLERANCE"), (sound["relative"] - 0.1, "DIFFERENT")):
        compare(master(), coded, "--figures", "ch0.peak", "--tolerance", f"default,level=9,sound={limit}", verdict=verdict)
    text = text_of(master(), coded)
    assert text.startswith("DIFFERENT: B is ") and "a guess " in text, text
    report("--compare", "--quiet", "--html", path_of("page.html"), master(), coded)
    with open(path_of("page.html"), encoding="utf-8") as file:
        page = file.read()
    data = json.loads(page.partition('id="description">')[2].partition("</script>")[0])
    levels = [level for stream in data["streams"] for level in stream.get("seconds", [])]
    assert levels and abs(max(levels) - sound["worst-absolute"]) < 0.01 and "explained by   B is " in page, page


def test_times():
    """Equal sound at another time than the pictures is different. --offset moves it."""
    late = path_of("late.mkv")
    ffmpeg("-i", film(), "-itsoffset", "0.5", "-i", film(), "-map", "0:v", "-map", "1:a", "-c", "copy", late)
    assert compare(film(), late, verdict="DIFFERENT")["equal"]
    assert "B comes 0.500 s later" in text_of(film(), late).splitlines()[0]
    delayed = made("delay.wav", "-af", "adelay=333S:all=1")
    assert compare(master(), delayed, "--offset", str(333 / 32000), verdict="SAME")["equal"]


def test_rules():
    """Policies have the figures of the sound."""
    policy, half = path_of("sound.policy"), made("half.wav", "-af", "volume=0.5")
    for rule, status in (("compare.sound < -5", 0), ("compare.sound.max < -7", 3), ("compare.sound.delay = 0", 0),
                         ("compare.sound.missing = 0", 0), ("compare.sound.different = 0", 3)):
        with open(policy, "w", encoding="utf-8") as file:
            file.write(f"one: {rule}\n")
        report("--compare", "--quiet", "--policy", policy, master(), half, status=status)


def test_refusals():
    """What cannot be compared is said in the first line."""
    other, measured = made("rate.wav", "-ar", "48000"), path_of("master.json")
    first = text_of(master(), other).splitlines()[0]
    assert first.startswith("DIFFERENT: sound not compared: A has 32000 samples per second, and B has 48000; "), first
    # The long one does not wait for samples that never come.
    empty, long = path_of("empty.wav"), path_of("long.wav")
    ffmpeg("-f", "lavfi", "-i", "anullsrc=r=8000", "-t", "0", empty)
    ffmpeg("-f", "lavfi", "-i", "sine=sample_rate=8000:duration=20", long)
    for pair, side in ((empty, long), "A"), ((long, empty), "B"):
        first = text_of(*pair).splitlines()[0]
        assert first.startswith(f"DIFFERENT: sound not compared: {side} has no samples; "), first
    report("--json", "--output", measured, master())
    for b in (measured, master()):
        first = text_of(measured, b).splitlines()[0]
        assert first == "EQUAL FIGURES within the tolerances: sound not compared: a report in JSON has none", first


def test_tracks():
    """The first sound with the first sound, the second one with the second one."""
    two, other = path_of("two.mkv"), path_of("other.mkv")
    both = ["-i", master(), "-i", made("half.wav", "-af", "volume=0.5")]
    ffmpeg(*both, "-map", "0", "-map", "1", "-c:a", "flac", two)
    ffmpeg(*both, "-map", "0", "-map", "0", "-c:a", "flac", other)
    (one,) = objects("--compare", "--json", "--quiet", two, other)
    first, second = [stream["sound"] for stream in one["streams"]]
    assert first["equal"] and not second["equal"], one
    assert "B is 6.02 dB louder than A" in [explanation["text"] for explanation in second["explanations"]], second


sys.exit(run_tests([test_same, test_changes, test_clipping, test_coding, test_times, test_rules, test_refusals, test_tracks]))
