"""Tests of --policy: the presets, own policies, verdicts, the exit status, JUnit and SARIF.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as xml

from common import PROGRAM, ROOT, directory, ffmpeg, has_page, objects, one_line, path_of, report, run_tests
import browser

RATE = 25
PRESETS = ["archive-basic", "atsc-a85", "ebu-r103", "ebu-r128", "hdr10", "streaming-14", "streaming-16", "upload", "web-flash"]


# ---- Films --------------------------------------------------------------------------------------

def film(name, luma, chroma=("128", "128"), size="80x60", frames=50):
    """A film whose samples are expressions of geq."""
    path = path_of(name)
    if not os.path.exists(path):
        ffmpeg("-f", "lavfi", "-i", f"nullsrc=size={size}:rate={RATE}", "-frames:v", str(frames), "-vf",
               f"format=yuv420p,geq=lum='{luma}':cb='{chroma[0]}':cr='{chroma[1]}',setparams=range=tv", "-c:v", "ffv1",
               # ffmpeg 7 writes this without being told to.
               "-color_range", "tv", path)
    return path


def tones(name, left, right, seconds=4):
    """Stereo from two expressions of the time t."""
    path = path_of(name)
    if not os.path.exists(path):
        ffmpeg("-f", "lavfi", "-i", f"aevalsrc='{left}|{right}':s=48000:d={seconds}:c=stereo",
               "-c:a", "pcm_f32le", path)
    return path


def sine(level, name):
    """1 kHz at so many dBFS on both channels: as loud in LUFS."""
    one = f"{10 ** (level / 20)}*sin(2*PI*1000*t)"
    return tones(name, one, one)


def joined(name, picture, sound):
    path = path_of(name)
    if not os.path.exists(path):
        ffmpeg("-i", picture, "-i", sound, "-map", "0:v", "-map", "1:a", "-c", "copy", path)
    return path


# Each frame differs, and each row; nothing is outside of anything.
GOOD_LUMA = "60+mod(X*7+Y*11+N*13,100)"


def good_picture():
    return film("good.mkv", GOOD_LUMA, frames=100)


def good_film():
    """Nothing to find for an archive."""
    return joined("archive-good.mkv", good_picture(),
                  tones("good.wav", "0.1*sin(2*PI*1000*t)", "0.1*sin(2*PI*700*t)"))


def light(name, color, cll):
    """PQ of BT.2020 that says how bright it is."""
    path = path_of(name)
    if not os.path.exists(path):
        ffmpeg("-f", "lavfi", "-i", f"color={color}:size=64x64:rate=25:duration=0.2", "-pix_fmt", "yuv420p10le",
               "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
               "log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:master-display="
               f"G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1):max-cll={cll}", path)
    return path


def made(name, text):
    """An own policy."""
    path = path_of(name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


# ---- What is asked ------------------------------------------------------------------------------

def check(policy, path, status=0, *more):
    """The verdicts of an input: of the policy, and of its rules by their IDs."""
    (summary,) = objects("--json-summary", "--policy", policy, path, *more, status=status)
    (found,) = summary["policies"]
    assert summary["verdict"] == found["verdict"], summary["verdict"]
    assert found["inputs"] == {name: int(name == found["verdict"]) for name in ("FAIL", "WARN", "PASS", "SKIPPED")}
    return found, {rule["id"]: rule for rule in found["rules"]}


def verdicts(rules):
    return {name: rule["verdict"] for name, rule in rules.items()}


def only_finding(rule):
    (finding,) = rule["findings"]
    return finding


def spans(finding):
    """In seconds."""
    return [(span["start"] / 1e9, span["end"] / 1e9) for span in finding["spans"]]


# ---- The presets --------------------------------------------------------------------------------

def test_list():
    """Each preset is listed with its title, can be shown, copied and used, and names its source."""
    lines = report("--list-policies")[0].decode().splitlines()
    assert [line.split()[0] for line in lines] == PRESETS, lines
    assert all(len(line.split(None, 1)[1]) > 10 for line in lines), lines
    short = film("short.mkv", GOOD_LUMA, frames=10)
    presets, copies = [], []
    for name in PRESETS:
        text = report("--show-policy", name)[0].decode()
        words = [line.split(None, 1)[0] for line in text.splitlines() if not line.startswith("#")]
        assert words.count("title") == words.count("source") == 1 and "note" in words, text
        assert "Not checked" in text or name.startswith("streaming"), text
        presets += ["--policy", name]
        copies += ["--policy", made("copy-of-" + name, text)]
    (first,) = objects("--json-summary", *presets, short, status=3)
    (second,) = objects("--json-summary", *copies, short, status=3)
    assert [policy["policy"] for policy in first["policies"]] == PRESETS
    for policy in second["policies"]:
        policy["policy"] = policy["policy"].replace("copy-of-", "")
    assert first["policies"] == second["policies"]
    assert "there is no such preset" in one_line(report("--show-policy", "other", status=2)[1])


def test_without_proc():
    """As in some containers: the presets are beside the program, and it starts others of its kind."""
    command = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--user", "--map-root-user"])
    command += ["sh", "-c", 'mount -t tmpfs none /proc && cd "$0" && exec ./"$@"']
    try:
        subprocess.run(command[:-1] + ["mount -t tmpfs none /proc"], check=True, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        print("cannot hide /proc")
        return
    folder, program = os.path.split(os.path.abspath(PROGRAM))
    for arguments, wanted in ((["--list-policies"], "ebu-r103 "),
                              (["--policy=ebu-r103", "--jobs=2", good_picture(), light("without-proc.mkv", "white", "100,50")], "2 PASS")):
        done = subprocess.run([*command, folder, program, *arguments], capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0 and wanted in done.stdout, done


def test_gamut():
    bad = film("gamut.mkv", "if(between(N,10,19),235,100)",
               ("if(between(N,10,19),240,128)", "if(between(N,10,19),240,128)"))
    found, rules = check("ebu-r103", bad, 3)
    finding = only_finding(rules["gamut"])
    assert found["verdict"] == "FAIL" and finding["worst"] == 1 and spans(finding) == [(0.4, 0.8)], finding
    assert (finding["checked"], finding["broken"], finding["broken-time"]) == (50, 10, 400000000), finding
    assert (finding["limit"], finding["worst-time"], finding["longest"]) == (0.01, 400000000, 400000000), finding
    assert check("ebu-r103", good_picture())[0]["verdict"] == "PASS"


def test_loudness():
    for name, right, wrong in (("ebu-r128", -23, -22.5), ("atsc-a85", -24, -21.5), ("streaming-14", -14, -16),
                               ("streaming-16", -16, -18)):
        found, _ = check(name, sine(right, f"at{right}.wav"))
        assert found["verdict"] == "PASS", found
        found, rules = check(name, sine(wrong, f"at{wrong}.wav"), 3)
        assert verdicts(rules) == {"integrated": "FAIL", "true-peak": "PASS"}, rules
        assert abs(only_finding(rules["integrated"])["worst"] - wrong) < 0.05, rules
    # A peak on one channel.
    loud = tones("peak.wav", "if(lt(t,0.01),1,0.07)*sin(2*PI*1000*t)", "0.07*sin(2*PI*1000*t)")
    _, rules = check("ebu-r128", loud, 3)
    by_place = {finding["place"]: finding["verdict"] for finding in rules["true-peak"]["findings"]}
    assert by_place == {"ch0": "FAIL", "ch1": "PASS"}, by_place


def test_flashes():
    found, rules = check("web-flash", film("flash.mkv", "if(mod(floor(N/3),2),235,16)"), 3)
    assert verdicts(rules) == {"luminance": "FAIL", "red": "PASS", "zones": "FAIL", "red-zones": "PASS",
                               "extended": "PASS", "some": "WARN", "counter": "PASS"}, rules
    # The seventh transition of the last second is in frame 21.
    assert spans(only_finding(rules["luminance"]))[0][0] == 0.84, rules["luminance"]
    finding = only_finding(rules["zones"])
    assert finding["zones"] == list(range(25)) and "place" not in finding, finding
    # One notice in each output, and a name in JUnit that stays when other zones flash.
    part = film("part.mkv", "if(lt(X,W/6)*mod(floor(N/3),2),235,16)")
    outputs = [path_of("zones.xml"), path_of("zones.sarif")]
    text = report("--policy", "web-flash", "--junit", outputs[0], "--sarif", outputs[1], part, status=3)[0].decode()
    _, rules = check("web-flash", part, 3)
    finding = only_finding(rules["zones"])
    assert finding["zones"] == [0, 5, 10, 15, 20] and finding["worst-zone"] == 0 and finding["worst"] == 9, finding
    assert finding["breaches"] == len(finding["spans"]) == 1, finding
    words = "zones 0, 5, 10, 15 and 20, most in zone 0: "
    assert text.count(words) == 1 and f"            video 0: {words}" in text, text
    assert "a part of the picture (zones 0, 5, 10, 15 and 20) flashes" in text, text
    cases = [case for case in xml.parse(outputs[0]).iter("testcase") if case.get("name").startswith("web-flash: zones")]
    assert [case.get("name") for case in cases] == ["web-flash: zones in video 0"], cases
    assert words in cases[0].find("failure").get("message"), cases[0].find("failure").get("message")
    with open(outputs[1], encoding="utf-8") as file:
        results = [result for result in json.load(file)["runs"][0]["results"] if result["ruleId"] == "web-flash/zones"]
    assert len(results) == 1 and words in results[0]["message"]["text"], results
    found, rules = check("web-flash", film("slow.mkv", "if(mod(floor(N/12),2),235,16)"))
    assert found["verdict"] == "PASS", rules
    # Checks in counterphase: the mean of each zone is constant.
    found, rules = check("web-flash", film("checks.mkv",
                                           "if(mod(floor(X*6/W)+floor(Y*6/H)+floor(N/3),2),200,40)"))
    assert verdicts(rules) == {**dict.fromkeys(rules, "PASS"), "counter": "WARN"}, rules
    assert only_finding(rules["counter"])["worst"] == 9, rules["counter"]


def test_archive():
    found, rules = check("archive-basic", good_film())
    assert verdicts(rules) == dict.fromkeys(rules, "PASS") and len(rules) == 10, rules
    # Illegal colours, illegal luma in 20 frames, and pictures that stay for 3 s.
    picture = film("colours.mkv", f"if(between(N,20,39),255,{GOOD_LUMA.replace('N', 'min(N,60)')})",
                   ("if(eq(N,5),255,128)", "if(eq(N,5),255,128)"), frames=140)
    path = joined("faults.mkv", picture, tones("faults.wav", "0.1*sin(2*PI*1000*t)", "-0.1*sin(2*PI*1000*t)", 5.6))
    found, rules = check("archive-basic", path, 3)
    assert found["verdict"] == "FAIL"
    bad = [name for name, verdict in verdicts(rules).items() if verdict == "FAIL"]
    assert bad == ["saturation", "range", "frozen", "inverted"], rules
    assert spans(only_finding(rules["saturation"])) == [(0.2, 0.24)]
    assert spans(only_finding(rules["range"])) == [(0.2, 0.24), (0.8, 1.6)]
    (frozen,) = spans(only_finding(rules["frozen"]))
    assert abs(frozen[0] - 61 / RATE) < 0.001 and abs(frozen[1] - 5.6) < 0.001, frozen
    assert only_finding(rules["inverted"])["place"] == "ch0+ch1"
    # A dead channel and a gap.
    gap = path_of("gap.mkv")
    ffmpeg("-i", good_picture(), "-vf", "select='not(between(n,40,44))'", "-vsync", "vfr", "-c:v", "ffv1", gap)
    path = joined("gap-and-silence.mkv", gap, tones("dead.wav", "0.1*sin(2*PI*1000*t)", "0"))
    _, rules = check("archive-basic", path, 3)
    bad = [name for name, verdict in verdicts(rules).items() if verdict == "FAIL"]
    assert bad == ["gaps", "silent"], rules
    assert {f["place"]: f["verdict"] for f in rules["silent"]["findings"]} == {"ch0": "PASS", "ch1": "FAIL"}
    assert [f["worst"] for f in rules["gaps"]["findings"] if f["verdict"] == "FAIL"] == [1]
    # Sound that clips for 2 % of its length, and an offset of 5 %: each in one channel.
    clipped = "0.05+0.1*sin(2*PI*1000*t)"
    path = tones("clipped.wav", f"if(between(t,1,1.112),max(-1,min(1,3*sin(2*PI*1000*t))),{clipped.replace('0.05+', '')})",
                 clipped, 5.6)
    _, rules = check("archive-basic", path)
    assert {f["place"]: f["verdict"] for f in rules["clipping"]["findings"]} == {"ch0": "WARN", "ch1": "PASS"}, rules
    assert {f["place"]: f["verdict"] for f in rules["dc"]["findings"]} == {"ch0": "PASS", "ch1": "WARN"}, rules


def test_repeated_lines():
    """A dark and a letterboxed picture repeat rows without detail. A tape whose rows 60 to 75 repeat four rows warns."""
    for name, size, luma, verdict in (
            ("dark.mkv", "320x240", "20+(random(1)*2)+4*sin(X/60)", "PASS"),
            ("letterbox.mkv", "80x60", f"if(lt(mod(Y+16,60),32),16,{GOOD_LUMA})", "PASS"),
            ("lines.mkv", "80x60", GOOD_LUMA.replace("Y", "if(between(Y,40,63),36+mod(Y,4),Y)"), "WARN")):
        _, rules = check("archive-basic", film(name, luma, size=size, frames=25))
        assert rules["lines"]["verdict"] == verdict, (name, rules["lines"])


def test_hdr10():
    found, rules = check("hdr10", light("dim.mkv", "gray", "400,200"))
    assert verdicts(rules) == dict.fromkeys(rules, "PASS") and len(rules) == 5, rules
    _, rules = check("hdr10", light("bright.mkv", "white", "400,200"), 3)
    assert verdicts(rules) == {"transfer": "PASS", "primaries": "PASS", "cll": "FAIL", "fall": "FAIL",
                               "mastering": "WARN"}, rules
    cll = only_finding(rules["cll"])
    assert cll["limit"] == 400 and abs(cll["worst"] - 10000) < 1, cll
    # What is not told is skipped, and what is no HDR fails.
    _, rules = check("hdr10", good_picture(), 3)
    assert verdicts(rules) == {"transfer": "FAIL", "primaries": "FAIL", "cll": "SKIPPED", "fall": "SKIPPED",
                               "mastering": "SKIPPED"}, rules
    assert only_finding(rules["transfer"])["worst-word"] == "unknown"
    assert rules["cll"]["why"] == "the stream carries no max-cll" and "why" not in rules["transfer"], rules
    text = report("--full", "--policy", "hdr10", good_picture(), status=3)[0].decode().splitlines()
    assert text[0] == "FAIL  transfer: \"unknown\" · primaries: \"unknown\"", text[0]
    assert text[2] == "  FAIL    hdr10: 2 failed, 3 skipped: the stream carries no max-cll …", text[2]
    assert text[7].startswith("    SKIPPED cll (the stream carries no max-cll)"), text[:9]


# ---- Own policies -------------------------------------------------------------------------------

def test_vector():
    """1000 frames, 20 of them with 5 % of the pixels out of range: 14 frames are fewer."""
    twenty = film("twenty.mkv", "if(between(N,500,519)*lt(Y,3),250,100)", frames=1000)
    policy = made("vector.policy", "range: signal.brng <= 0.03 frames 14\n")
    _, rules = check(policy, twenty, 3)
    finding = only_finding(rules["range"])
    assert (finding["checked"], finding["broken"], finding["worst"]) == (1000, 20, 0.05), finding
    assert spans(finding) == [(20.0, 20.8)], finding
    fourteen = film("fourteen.mkv", "if(between(N,500,513)*lt(Y,3),250,100)", frames=1000)
    found, rules = check(policy, fourteen)
    assert found["verdict"] == "PASS" and only_finding(rules["range"])["broken"] == 14
    for text, status in (("in 2 %", 0), ("in 1.9 %", 3), ("for 0.8 s", 3), ("for 0.9 s", 0)):
        check(made("vector.policy", f"range: signal.brng <= 0.03 {text}\n"), twenty, status)


def test_facts():
    """What is expected of the stream."""
    path = good_film()
    facts = """
width: fact.width = 80
height: fact.height = 60
rate: fact.frame-rate within 25 +- 0.01
mean: fact.mean-frame-rate within 25 +- 0.01
format: fact.format = "I420"
depth: fact.depth >= 8
order: fact.field-order = "progressive"
channels: fact.channels = 2
samples: fact.rate = 48000
length: fact.duration within 4 +- 0.05
gaps: fact.gaps = 0
overlaps: fact.overlaps = 0
back: fact.jumps-back = 0
changes: fact.changes = 0
delay: fact.delay <= 0.04
end: fact.early-end <= 0.04
container: fact.container = "Matroska"
codec: fact.codec != "MPEG-2"
sound: fact.sample-format = "F32LE"
bits-of-sound: fact.sample-depth = 32
pcm: fact.audio-codec != "MP3"
bits-per-second: fact.audio-bit-rate within 3072000 +- 1000
pictures: fact.video-streams = 1
sounds: fact.audio-streams = 1
range: fact.range = "limited"
measured: fact.measured-field-order != "telecine"
bits: fact.bit-rate > 1000
"""
    (summary,) = objects("--json-summary", "--policy", made("facts.policy", facts), path)
    rules = {rule["id"]: rule for rule in summary["policies"][0]["rules"]}
    wrong = {name: verdict for name, verdict in verdicts(rules).items() if verdict != "PASS"}
    assert not wrong, {name: rules[name]["findings"] for name in wrong}
    bad = "width: fact.width = 81\nchannels: fact.channels = 1\nlength: fact.duration within 5 +- 0.5\n" \
        "warn format: fact.format = \"RGB\"\nfall: fact.max-fall > 0\n"
    found, rules = check(made("facts.policy", bad), path, 3)
    assert verdicts(rules) == {"width": "FAIL", "channels": "FAIL", "length": "FAIL", "format": "WARN",
                               "fall": "SKIPPED"}, rules
    assert only_finding(rules["width"])["worst"] == 80 and only_finding(rules["width"])["limit"] == 81
    text = report("--full", "--policy", path_of("facts.policy"), path, status=3)[0].decode().splitlines()
    assert text[2] == "  FAIL    facts: 3 failed, 1 warned, 1 skipped: the stream carries no max-fall", text[:8]
    assert text[3:5] == ["    FAIL    width: fact.width = 81", "            video 0: is 80"], text[:8]


def test_words():
    """Values have their units; a rule about the file names no stream; one that was skipped says why."""
    policy = made("words.policy", "sounds: fact.audio-streams >= 1\nlength: fact.duration >= 60\n"
                  "share: signal.brng > 0.5\nmean: Y.mean > 200\nrate: fact.frame-rate > 30\n"
                  "logo: regions.logo.Y.mean > 1\nlogos: regions.*.Y.mean > 1\nloud: loudness.momentary < 0\n")
    _, rules = check(policy, good_picture(), 3)
    assert {name: rule["why"] for name, rule in rules.items() if "why" in rule} == {
        "logo": 'no region "logo"', "logos": "no region", "loud": "no sound"}, rules
    finding = only_finding(rules["sounds"])
    assert "stream" not in finding and "title" not in finding and finding["worst"] == 0, finding
    text = report("--full", "--policy", policy, good_picture(), status=3)[0].decode()
    for words in ("the file: is 0\n", "video 0: is 4 s\n", "; worst 0 % at ", "video 0: is 25 frames/s\n",
                  'no region "logo" …', "logos (no region)", "loud (no sound)"):
        assert words in text, (words, text)
    _, rules = check(made("words.policy", "loud: whole.loudness.integrated > 0\nwide: fact.width = 1\nrate: fact.rate < 5\n"),
                     sine(-23, "at-23.wav"), 3)
    assert rules["wide"]["why"] == "the stream carries no width", rules
    text = report("--full", "--policy", path_of("words.policy"), path_of("at-23.wav"), status=3)[0].decode()
    assert "audio 0: is -22.99 LUFS\n" in text and "audio 0: is 48000 Hz\n" in text, text
    # Without a sample there are facts.
    empty = path_of("empty.wav")
    ffmpeg("-f", "lavfi", "-i", "anullsrc=r=48000:cl=mono", "-t", "0", "-c:a", "pcm_s16le", empty)
    _, rules = check(made("words.policy", "rate: fact.rate >= 96000\n"), empty, 3)
    assert only_finding(rules["rate"])["limit"] == 96000, rules


def test_incomplete():
    """What was not measured has not passed."""
    cut = path_of("cut-off.mkv")
    with open(good_picture(), "rb") as file, open(cut, "wb") as to:
        to.write(file.read()[:-5000])
    passes, warns = made("passes.policy", "a: Y.mean > 1\nb: ch0.max > 0\n"), made("warns.policy", "warn a: Y.mean > 250\n")
    outputs = ["--junit", path_of("cut.xml"), "--sarif", path_of("cut.sarif")]
    found, rules = check(passes, cut, 1, *outputs)
    assert found["verdict"] == "SKIPPED" and verdicts(rules) == {"a": "PASS", "b": "SKIPPED"}, found
    assert rules["b"]["why"] == "not measured completely", rules
    assert check(warns, cut, 1)[0]["verdict"] == "WARN"
    text = report("--full", "--policy", passes, cut, status=1)[0].decode().splitlines()
    assert text[0].startswith("NOT COMPLETE  the file is cut off: ") and text[2].startswith("  NOT COMPLETE: "), text[:4]
    assert text[3].startswith("  SKIPPED passes: 1 passed, 1 skipped"), text[:4]
    with open(path_of("cut.sarif"), encoding="utf-8") as file:
        (run,) = json.load(file)["runs"]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(ids[result["ruleIndex"]] == result["ruleId"] for result in run["results"]), run["results"]
    assert [(result["ruleId"], result["level"], result["kind"]) for result in run["results"]] == [
        ("passes/a", "none", "open"), ("passes/b", "none", "notApplicable"), ("measured-completely", "error", "fail")]
    with open(path_of("cut.json"), "w", encoding="utf-8") as file:
        json.dump(objects("--json-summary", "--policy", passes, cut, status=1)[0], file)
    (merged,) = objects("--merge", "--json-summary", path_of("cut.json"), status=1)
    assert merged["policies"][0]["inputs"] == {"FAIL": 0, "WARN": 0, "PASS": 0, "SKIPPED": 1}, merged["policies"]
    # Nor does the sum, whichever comes last.
    with open(path_of("uncut.json"), "w", encoding="utf-8") as file:
        json.dump(objects("--json-summary", "--policy", passes, good_picture())[0], file)
    for order in ("cut.json", "uncut.json"), ("uncut.json", "cut.json"):
        (merged,) = objects("--merge", "--json-summary", *map(path_of, order), status=1)
        (found,) = merged["policies"]
        assert found["verdict"] == "SKIPPED" and merged["verdict"] == "SKIPPED", merged["policies"]
        assert found["inputs"] == {"FAIL": 0, "WARN": 0, "PASS": 1, "SKIPPED": 1}, found


def test_interrupted():
    """Inputs that an interrupt leaves out are errors."""
    long = path_of("long.mkv")
    ffmpeg("-stream_loop", "2000", "-i", good_picture(), "-c", "copy", long)
    inputs = [sine(-23, "at-23.wav"), long, long, good_picture()]
    for jobs in "1", "2":
        path = path_of(f"interrupted-{jobs}.xml")
        with subprocess.Popen([PROGRAM, "-q", "--json", "--jobs", jobs, "--policy", made("a.policy", "a: Y.mean > 1\n"), "--junit",
                               path, *inputs], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout.readline()
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
            assert process.returncode == 130, process.returncode
        names = [suite.get("name") for suite in xml.parse(path).getroot()]
        assert names == inputs, names
        errors = [case for case in xml.parse(path).getroot().iter("testcase") for _ in case.iter("error")]
        assert errors[-1].get("classname") == good_picture(), errors
        assert "before it was measured" in errors[-1].find("error").get("message")


def test_whole():
    """Figures of all frames, of all samples and of regions."""
    policy = made("whole.policy", """
mean: whole.Y.mean within 109.5 +- 1
max: whole.Y.max = 159
brng: whole.signal.brng = 0
most: whole.signal.brng.max = 0
logo: whole.regions.logo.Y.mean > 50
logos: regions.*.Y.mean > 50
dots: whole.regions.b.c.Y.mean > 50
every: whole.regions.*.Y.mean > 50
column: whole.logo.Y.mean > 50
column-of-sound: whole.ch0.true-peak within -20 +- 0.1
column-of-pair: whole.ch0-ch1.correlation within 0 +- 0.1
rms: whole.ch0.rms within -23 +- 0.1
peak: whole.ch*.peak within -20 +- 0.1
pair: whole.pairs.*.correlation within 0 +- 0.1
range: whole.loudness.range < 1
peaks: whole.loudness.true-peak.* within -20 +- 0.1
""")
    _, rules = check(policy, good_film(), 0, "--regions", "logo=0,0,50%,50%;b.c=0,0,50%,50%")
    assert verdicts(rules) == dict.fromkeys(rules, "PASS"), verdicts(rules)


def test_groups():
    """What rules need is measured, whatever --measures says."""
    policy = made("groups.policy", "si: detail.si > 0\nblack: area.width > 0\n")
    _, rules = check(policy, good_picture(), 0, "--measures", "basic")
    assert rules["si"]["verdict"] == "PASS", rules


def test_states():
    """The exit status: 0, 3 if a rule fails, 1 if something was not measured, 2 if the policy is wrong."""
    warns = made("warns.policy", "warn dark: Y.mean > 250\n")
    found, _ = check(warns, good_picture())
    assert found["verdict"] == "WARN"
    skips = made("skips.policy", "none: Y.mean > 250\n")
    found, _ = check(skips, sine(-23, "at-23.wav"))
    assert found["verdict"] == "SKIPPED"
    cut = path_of("cut.mkv")
    with open(good_picture(), "rb") as file, open(cut, "wb") as to:
        to.write(file.read()[:-5000])
    fails = made("fails.policy", "dark: Y.mean > 250\n")
    text = report("--full", "--policy", fails, cut, status=1)[0].decode()
    assert "FAIL" in text and "of what was measured" in text, text
    report("--policy", warns, good_picture(), cut, status=1)
    report("--policy", fails, "--policy", warns, good_picture(), sine(-23, "at-23.wav"), status=3)
    # A forgotten option is no output, either.
    assert "need --policy, --for or --compare" in one_line(report("--junit", path_of("no.xml"), good_picture(), status=2)[1])
    assert "--images takes no --policy" in one_line(report("--images", "--policy", fails, directory.name, status=2)[1])
    assert "takes no --policy" in one_line(report("--merge", "--policy", fails, "x.json", status=2)[1])


def test_bad_policies():
    """One line with file, line, column and what is allowed; nothing is measured or written."""
    for text, place, words in (
            ("a: Y.mean < 1\nb: signal.brgn < 1\n", "2:11", "signal.brng"),
            ("a: fact.widht = 1\n", "1:9", "the nearest: width"),
            ("a: Y.mean 5\n", "1:11", "<="),
            ("a: Y.mean < 1 furlongs\n", "1:15", "code8"),
            ("a: Y.mean < 1\na: Y.mean < 2\n", "2:1", "a"),
            ("\n\nso what\n", "3:4", "colon"),
            ("a: fact.format = RGB\n", "1:18", "figure")):
        path = made("bad.policy", text)
        output = path_of("never.txt")
        line = one_line(report("--full", "--policy", path, "-o", output, good_picture(), status=2)[1])
        assert f"{path}:{place}: " in line and words in line, line
        assert not os.path.exists(output)
    # The page has all facts.
    line = one_line(report("--policy", made("bad.policy", "a: fact.x = 1\n"), good_picture(), status=2)[1])
    with open(os.path.join(ROOT, "docs/policies.md"), encoding="utf-8") as file:
        page = file.read()
    facts = line.split("begins with: ")[1].split(", ")
    assert len(facts) > 30 and all(f"`{fact}`" in page for fact in facts), facts
    for text, words in (("", "has no rule"), ("title only\n", "has no rule"), ("a\0b", ""), ("\xff", "")):
        path = path_of("bad.policy")
        with open(path, "wb") as file:
            file.write(text.encode("latin-1"))
        assert words in one_line(report("--policy", path, good_picture(), status=2)[1])
    assert "no such preset" in one_line(report("--policy", "none", good_picture(), status=2)[1])
    report("--policy", directory.name, good_picture(), status=2)
    fifo = path_of("fifo.policy")
    os.mkfifo(fifo)
    for more in (["--jobs", "2"], ["--results", path_of("never")]):
        assert "regular file" in one_line(report("--policy", fifo, *more, good_picture(), status=2)[1])
    own = made("own.policy", "a: Y.mean > 0\n")
    assert "two policies" in one_line(report("--policy", own, "--policy", own, good_picture(), status=2)[1])
    assert "is an input" in one_line(report("--policy", own, "--junit", own, good_picture(), status=2)[1])
    assert "same file" in one_line(report("--policy", own, "--junit", path_of("x"), "--sarif", path_of("x"),
                                          good_picture(), status=2)[1])


# ---- Several inputs -----------------------------------------------------------------------------

def several():
    """A film that passes, and one that fails twice, with a name that XML and addresses must escape."""
    fails = path_of("a & <b> \"c\" é#1%.mkv")
    if not os.path.exists(fails):
        shutil.copy(film("gamut.mkv", "if(between(N,10,19),235,100)",
                         ("if(between(N,10,19),240,128)", "if(between(N,10,19),240,128)")), fails)
    return [os.path.basename(good_picture()), os.path.basename(fails)]


TWO = "gamut: gamut-filter.any <= 0.01\nwarn grey: U.mean within 128 +- 1\nfact: fact.max-cll > 0\n" \
    "red: flash.zones.*.red-transitions <= 100\n"


def test_merge():
    """Files of summaries, results, and jobs give the verdicts of all inputs."""
    policy = made("two.policy", TWO)
    inputs = several()
    lines = objects("--json-summary", "--policy", policy, *inputs, status=3)
    assert [line["verdict"] for line in lines] == ["PASS", "FAIL"]
    with open(path_of("sums.json"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in reversed(lines))
    (merged,) = objects("--merge", "--json-summary", "sums.json", status=3)
    (found,) = merged["policies"]
    assert found["inputs"] == {"FAIL": 1, "WARN": 0, "PASS": 1, "SKIPPED": 0}, found["inputs"]
    rules = {rule["id"]: rule for rule in found["rules"]}
    assert verdicts(rules) == {"gamut": "FAIL", "grey": "WARN", "fact": "SKIPPED", "red": "PASS"}, rules
    finding = only_finding(rules["gamut"])
    assert (finding["checked"], finding["broken"], finding["worst"]) == (150, 10, 1), finding
    assert [span["input"] for span in finding["spans"]] == [inputs[1]], finding
    text = report("--merge", "sums.json", status=3)[0].decode().splitlines()
    assert text[2] == "  FAIL    two: 1 failed, 1 warned, 1 passed, 1 skipped: the stream carries no max-cll; 1 input failed; " \
        "1 input passed", text[2]
    # Spans are counted, and the first ones are listed.
    lines[1]["policies"][0]["rules"][0]["findings"][0].update(breaches=60, spans=60 * finding["spans"])
    with open(path_of("many.json"), "w", encoding="utf-8") as file:
        file.writelines(2 * (json.dumps(lines[1]) + "\n"))
    (many,) = objects("--merge", "--json-summary", "many.json", status=3)
    many = only_finding(many["policies"][0]["rules"][0])
    assert many["breaches"] == 120 and len(many["spans"]) == 100, many
    # Sums of sums are sums.
    with open(path_of("sum.json"), "w", encoding="utf-8") as file:
        file.write(json.dumps(merged) + "\n")
    (again,) = objects("--merge", "--json-summary", "sum.json", status=3)
    assert again["policies"] == merged["policies"]
    # Earlier versions wrote a finding for each zone.
    red = lines[1]["policies"][0]["rules"][3]
    joined = red["findings"][0]
    assert rules["red"]["findings"][0]["zones"] == list(range(25)) and joined.pop("worst-zone") == 0, joined
    red["findings"] = [{**joined, "place": f"zone {zone}", **({"verdict": "FAIL", "worst": zone} if zone in (3, 4, 7) else {})}
                       for zone in joined.pop("zones")]
    with open(path_of("old.json"), "w", encoding="utf-8") as file:
        file.write(json.dumps(lines[1]) + "\n")
    (old,) = objects("--merge", "--json-summary", "old.json", status=3)
    (finding,) = old["policies"][0]["rules"][3]["findings"]
    assert (finding["zones"], finding["verdict"]) == ([3, 4, 7], "FAIL"), finding
    # Processes, and results that are not measured again.
    for more in (["--jobs", "2"], ["--jobs", "2", "--results", "results"], ["--results", "results"]):
        outputs = ["--junit", path_of("jobs.xml"), "--sarif", path_of("jobs.sarif")]
        report("-q", "--policy", policy, *more, *outputs, *inputs, status=3)
        assert len(cases(path_of("jobs.xml"))) == 2 * 2 + 2 * 1 + 2 * 2, more
        with open(path_of("jobs.sarif"), encoding="utf-8") as file:
            results = json.load(file)["runs"][0]["results"]
        assert [result["level"] for result in results].count("error") == 1, more
    report("-q", "--policy", policy, "--jobs", "2", "--csv", *inputs, status=3)
    (found,) = objects("--merge", "--results", "results", "--json-summary", "--policy", policy, *inputs, status=3)
    assert found["policies"] == merged["policies"]
    # Results of another policy are measured anew.
    other = made("two.policy", TWO.replace("0.01", "1"))
    report("-q", "--policy", other, "--results", "results", *inputs)
    report("--merge", "--results", "results", "--policy", other, *inputs)


def cases(path):
    """The test cases of a file of JUnit, after checks of what programs need."""
    root = xml.parse(path).getroot()
    assert root.tag == "testsuites", root.tag
    seen, found = set(), []
    for suite in root:
        assert suite.tag == "testsuite" and suite.get("name") and float(suite.get("time")) >= 0
        counts = dict.fromkeys(("failure", "error", "skipped"), 0)
        for case in suite:
            assert case.tag == "testcase" and case.get("classname") == suite.get("name")
            # GitLab drops what has the same names.
            key = (case.get("classname"), case.get("name"))
            assert key not in seen and case.get("name") and float(case.get("time")) >= 0, key
            seen.add(key)
            for child in case:
                assert child.tag in (*counts, "system-out"), child.tag
                if child.tag in counts:
                    counts[child.tag] += 1
            found.append(case)
        assert [int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped")] == \
            [len(suite), *counts.values()], suite.attrib
    return found


def test_junit():
    path = path_of("verdicts.xml")
    inputs = several()
    report("--policy", made("two.policy", TWO), "--junit", path, *inputs, path_of("no.mkv"), status=1)
    found = cases(path)
    assert [case.get("name") for case in found if case.get("classname") == inputs[1]][:4] == [
        "measured completely", "two: gamut in video 0", "two: grey in video 0", "two: fact"]
    (failure,) = [child for case in found for child in case.iter("failure")]
    assert failure.get("type") == "gamut" and "worst 100 % at 0:00:00.400" in failure.get("message"), failure.attrib
    assert "0:00:00.400 - 0:00:00.800" in failure.text, failure.text
    (error,) = [child for case in found for child in case.iter("error")]
    assert "no.mkv" in error.get("message")
    outputs = [case.find("system-out").text for case in found if case.get("name") == "measured completely"
               and case.find("system-out") is not None]
    assert len(outputs) == 1 and "\nwarn: in the worst frame 100.0 % of the pixels" in outputs[0], outputs
    assert outputs[0].startswith("warn: 10 white frames: 0:00:00.400 - 0:00:00.800\n"), outputs
    try:
        import junitparser  # pylint: disable=import-outside-toplevel
    except ImportError:
        return
    suites = junitparser.JUnitXml.fromfile(path)
    assert (suites.tests, suites.failures, suites.errors) == (len(found), 1, 1) or \
        sum(suite.tests for suite in suites) == len(found)
    results = [result for suite in suites for case in suite for result in case.result]
    (failed,) = [result for result in results if isinstance(result, junitparser.Failure)]
    assert failed.message == failure.get("message")


def test_sarif():
    """What GitHub's code scanning needs, and what SARIF 2.1.0 demands."""
    path = path_of("verdicts.sarif")
    inputs = several()
    report("--policy", made("two.policy", TWO), "--sarif", path, *inputs, status=3)
    with open(path, encoding="utf-8") as file:
        log = json.load(file)
    assert log["version"] == "2.1.0" and "sarif-2.1.0" in log["$schema"]
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "cudahisto-report" and driver["version"]
    ids = [rule["id"] for rule in driver["rules"]]
    assert ids == ["two/gamut", "two/grey", "two/fact", "two/red", "short", "gamut"], ids
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"] and rule["fullDescription"]["text"] and rule["help"]["text"]
    assert run["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]
    prints = set()
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"] and result["message"]["text"]
        # A level is for what fails.
        assert (result["kind"] == "fail") == (result["level"] != "none"), result
        assert result["kind"] in ("fail", "pass", "notApplicable")
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert place["region"]["startLine"] == 1 and not place["artifactLocation"]["uri"].startswith(("/", "file:"))
        prints.update(result["partialFingerprints"].values())
    assert len(prints) == len(run["results"])
    # Notices are results, too, but not those of the policy again.
    _, found = [result for result in run["results"] if "/" not in result["ruleId"]]
    assert (found["ruleId"], found["level"]) == ("gamut", "warning") and "EBU R 103" in found["message"]["text"], found
    (failed,) = [result for result in run["results"] if result["level"] == "error"]
    assert failed["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == \
        "a%20%26%20%3Cb%3E%20%22c%22%20%C3%A9%231%25.mkv"
    assert failed["properties"] == {"start": 0.4, "end": 0.8, "value": 1, "limit": 0.01, "checked": 50, "broken": 10}
    # The same result has the same print in the next run.
    report("--policy", path_of("two.policy"), "--sarif", path, inputs[1], status=3)
    with open(path, encoding="utf-8") as file:
        again = json.load(file)["runs"][0]["results"]
    assert failed["partialFingerprints"] in [result["partialFingerprints"] for result in again]


def test_page():
    """The page begins with the verdicts."""
    if not has_page():
        return
    report("--html", path_of("page.html"), "--policy", made("two.policy", TWO), several()[1], status=3)
    with browser.Browser() as chromium:
        chromium.open("file://" + path_of("page.html"))
        chromium.wait_for("document.documentElement?.dataset.drawn === 'true'")
        assert not chromium.errors, chromium.errors
        found = chromium.evaluate("""({
            heading: document.querySelector("#policies h2").textContent,
            rows: [...document.querySelectorAll("#policies tr")].map(row => row.textContent),
            verdict: document.getElementById("verdict-text").textContent,
            first: document.querySelector("section").id })""")
        # Zones that pass are one row.
        report("--html", path_of("zones.html"), "--policy",
               made("zones.policy", "zones: flash.zones.*.transitions <= 100\n"), good_picture())
        chromium.open("file://" + path_of("zones.html"))
        chromium.wait_for("document.documentElement?.dataset.drawn === 'true'")
        zones = chromium.evaluate("[...document.querySelectorAll('#policies li')].map(item => item.textContent)")
        # What cannot be measured has none: one of an earlier run would be lost.
        with open(path_of("text.mp4"), "w", encoding="utf-8") as file:
            file.write("This is a text.\n" * 100)
        report("--html", path_of("nothing.html"), path_of("text.mp4"), status=1)
        assert not os.path.exists(path_of("nothing.html"))
        assert not chromium.errors, chromium.errors
    assert len(zones) == 1 and zones[0].startswith("video 0: all 25 zones: 0 of "), zones
    assert found["verdict"].startswith("FAIL  gamut: 100 % 0:00.4 to 0:00.8"), found["verdict"]
    assert found["heading"] == "FAIL: two" and found["first"] == "verdict", found
    assert "0:00.400 \u2013 0:00.800" in found["rows"][0], found
    assert [row[:4] for row in found["rows"]] == ["FAIL", "WARN", "PASS", "SKIP"], found


if __name__ == "__main__":
    sys.exit(run_tests([test_list, test_without_proc, test_gamut, test_loudness, test_flashes, test_archive,
                        test_repeated_lines, test_hdr10, test_vector, test_facts, test_words, test_incomplete, test_interrupted,
                        test_whole, test_groups, test_states, test_bad_policies, test_merge, test_junit,
                        test_sarif, test_page]))
