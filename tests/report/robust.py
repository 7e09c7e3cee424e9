#!/usr/bin/python3
"""cudahisto-report with bad input, bad output, odd names, and signals.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import os
import pty
import re
import shutil
import signal
import stat
import subprocess
import sys
import time

from common import (PROGRAM, TIMEOUT, children_of, clip, directory, objects, one_line, path_of, picture, report,
                    run_tests, sound, ffmpeg, worker_of)


def environment(**changes):
    return {**os.environ, **changes}


def test_missing_plugin():
    _, errors = report(clip(), status=1, env=environment(
        GST_PLUGIN_PATH_1_0="/nonexistent", GST_PLUGIN_PATH="/nonexistent",
        GST_REGISTRY_1_0=path_of("empty-registry")))
    assert "plugin cudahisto" in one_line(errors)


def test_missing_file():
    _, errors = report("nothing.mkv", status=1)
    assert "nothing.mkv" in one_line(errors) and "No such file" in one_line(errors)


def test_unreadable_in_json():
    """JSON has a line for what cannot be read, and the text a block; the formats of others have nothing."""
    with open(path_of("text.mkv"), "w", encoding="utf-8") as file:
        file.write("This is a text.\n" * 100)
    for option in "--json", "--json-summary", "--json-histograms":
        for names in (["text.mkv", "nothing.mkv"], ["--jobs", "2", "text.mkv", "nothing.mkv"]):
            summaries = objects(option, *names, status=1)
            assert [summary["input"] for summary in summaries] == ["text.mkv", "nothing.mkv"], summaries
            for summary in summaries:
                assert not summary["complete"] and summary["streams"] == [] and summary["problems"], summary
                assert summary["problem"] == summary["problems"][0]["text"], summary
    for option in "--csv", "--ffprobe", "--ffprobe-json":
        assert report(option, "text.mkv", status=1)[0] == b"", option
    # A sum is not complete with it, wherever it stands.
    good = report("--json-summary", sound())[0]
    bad = report("--json-summary", "text.mkv", status=1)[0]
    for lines in bad + good, good + bad:
        with open(path_of("some.json"), "wb") as file:
            file.write(lines)
        (merged,) = objects("--merge", "--json-summary", "some.json", status=1)
        assert not merged["complete"] and merged["inputs"] == 2 and len(merged["streams"]) == 1, merged
        assert merged["problem"].startswith("text.mkv: "), merged["problem"]


def test_no_media():
    with open(path_of("text.mkv"), "w", encoding="utf-8") as file:
        file.write("This is a text.\n" * 100)
    output, errors = report("text.mkv", status=1)
    assert output.startswith(b"NOT MEASURED  ") and b"\ntext.mkv\n  NOT MEASURED: " in output, output
    assert "text.mkv" in one_line(errors)
    open(path_of("empty.mkv"), "w", encoding="utf-8").close()
    _, errors = report("empty.mkv", status=1)
    assert "empty.mkv" in one_line(errors)


def test_truncated_file():
    """What is there is reported, and that some is missing."""
    with open(clip(), "rb") as file:
        data = file.read()
    with open(path_of("cut.mkv"), "wb") as file:
        file.write(data[:len(data) // 2])
    output, errors = report("cut.mkv", status=1)
    assert "cut off" in one_line(errors), errors
    assert b"NOT COMPLETE" in output and b"video 0" in output, output
    # The first line below the name, above the verdicts.
    output, _ = report("--policy", "archive-basic", "cut.mkv", status=1)
    assert output.splitlines()[2].startswith(b"  NOT COMPLETE: "), output
    (problem,) = (problem["text"] for problem in objects("--json-summary", "cut.mkv", status=1)[0]["problems"]
                  if problem["text"].endswith(" missing") and "cut off" in problem["text"])
    missing = f"{(len(data) - len(data) // 2) / 1000:.3g} kB"
    assert problem == f"the file is cut off: its last {missing} are missing", problem
    # Of a live file, whose segment has no size, more may be missing.
    ffmpeg("-i", clip(), "-map", "0:v", "-c", "copy", "-f", "matroska", "-live", "1", path_of("live.mkv"))
    with open(path_of("live.mkv"), "rb") as file:
        live = file.read()
    with open(path_of("cut-live.mkv"), "wb") as file:
        file.write(live[:len(live) // 2])
    problems = objects("--json-summary", "cut-live.mkv", status=1)[0]["problems"]
    assert any("are missing" in problem["text"] and "at least" in problem["text"]
               or "its end is missing" in problem["text"] for problem in problems), problems
    # The index of an MP4 is at its end: without it there is nothing to report.
    ffmpeg("-i", clip(), "-map", "0:v", "-c:v", "mpeg4", path_of("whole.mp4"))
    with open(path_of("whole.mp4"), "rb") as file:
        data = file.read()
    with open(path_of("cut.mp4"), "wb") as file:
        file.write(data[:len(data) // 2])
    output, errors = report("cut.mp4", status=1)
    assert output.startswith(b"NOT MEASURED  ") and b"\ncut.mp4\n  NOT MEASURED: " in output, output
    assert "cut.mp4" in one_line(errors), (output, errors)


def test_two_audio_tracks():
    output, _ = report(clip())
    assert b"audio 1 (en" in output and b"audio 2 (de" in output, output
    *_, summary = objects("--json", clip())
    titles = [stream["title"] for stream in summary["streams"]]
    assert len(set(titles)) == 3, titles
    tone, silence = summary["streams"][1:]
    assert tone["alerts"] == [] and [a["type"] for a in silence["alerts"]] == ["silence"]


def test_names():
    for name in (b"-dash.wav", b"latin-\xe9\xff.wav", b"a:b.wav", b"with space.wav", b"per%20cent.wav",
                 b"line\nbreak.wav"):
        path = os.path.join(os.fsencode(directory.name), name)
        shutil.copyfile(sound(), path)
        output, _ = report("--", name)
        assert output.count(b"audio 0") == 1, output
        assert b"\nbreak" not in output
        (*frames, summary) = objects("--json", "--", name)
        assert len(frames) == 40 and summary["complete"], (name, len(frames))


# They break lines, change a terminal, or the order of what is shown: controls, marks, embeddings,
# overrides, isolates, separators, and others that cannot be seen.
HARMFUL = ("\x1b\x07\x7f\x85\x9b\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2028\u2029"
           "\u2066\u2067\u2068\u2069\u206a\ufeff\ufff9\U000e0041")


def test_harmful_names():
    """No text from outside reaches the standard error or the readable report as it is."""
    name = f"{HARMFUL}.wav"
    shutil.copyfile(sound(), path_of(name))
    folder = f"folder{HARMFUL}"
    os.makedirs(path_of(folder), exist_ok=True)
    with open(path_of(f"text{HARMFUL}.mkv"), "w", encoding="utf-8") as file:
        file.write("This is a text.\n")
    with open(path_of("harmful.json"), "w", encoding="utf-8") as file:
        (summary,) = objects("--json-summary", name)
        summary["streams"][0]["regions"][0]["components"][0]["name"] = HARMFUL
        json.dump(summary, file)
    runs = [([name], 0), (["missing" + name], 1), ([f"text{HARMFUL}.mkv"], 1), ([folder, "--json"], 1),
            (["--jobs", "2", name, "missing" + name], 1), (["--output", name, name], 2),
            (["--qctools", f"nowhere{HARMFUL}/x", name], 1), (["--qctools", name, name, "missing"], 2),
            (["--results", name, name], 1), (["--merge", name], 1), (["--merge", "harmful.json"], 1),
            (["--merge", "--results", folder, name], 1), (["--set", f"backend={HARMFUL}", name], 2),
            (["--set", HARMFUL, name], 2), (["--regions", HARMFUL, name], 2), (["--measures", HARMFUL, name], 2),
            (["--" + HARMFUL, name], 2), (["--shard", HARMFUL, name], 2), (["--jobs", HARMFUL, name], 2),
            (["file:///" + HARMFUL], 1)]
    for arguments, status in runs:
        output, errors = report(*arguments, status=status, env=environment(LC_ALL="C.UTF-8"))
        found = set(output.decode() + errors.decode()) & set(HARMFUL)
        assert not found and (status == 0 or errors.count(b"\n") == 1), (arguments, found, errors)
    # Other scripts are left as they are.
    name = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u05d0\u05d1 \u0915\u094d\u200d\u0937.wav"
    shutil.copyfile(sound(), path_of(name))
    assert name.encode() in report(name, env=environment(LC_ALL="C.UTF-8"))[0]


def test_one_medium():
    output, _ = report(sound())
    assert b"audio 0" in output and b"video" not in output
    output, _ = report(picture())
    assert b"video 0" in output and b"audio" not in output


def test_chained_file():
    """Two Ogg files in one: the second one continues the stream of the first one."""
    parts = b""
    for number in (1, 2):
        path = path_of(f"part{number}.ogg")
        ffmpeg("-f", "lavfi", "-i", f"sine=duration={number}:sample_rate=48000", "-c:a", "libvorbis",
               "-serial_offset", str(number), path)
        with open(path, "rb") as file:
            parts += file.read()
    with open(path_of("chain.ogg"), "wb") as file:
        file.write(parts)
    (summary,) = objects("--json-summary", "chain.ogg")
    (stream,) = summary["streams"]
    expected = sum(objects("--json-summary", f"part{number}.ogg")[0]["streams"][0]["samples"]
                   for number in (1, 2))
    assert stream["samples"] == expected and stream["alerts"] == [], (stream["samples"], expected)


def test_other_streams():
    """Subtitles are no input of the report; a picture is one frame."""
    with open(path_of("words.srt"), "w", encoding="utf-8") as file:
        file.write("1\n00:00:00,000 --> 00:00:01,000\nhello\n")
    ffmpeg("-i", picture(), "-i", path_of("words.srt"), "-c:v", "copy", "-c:s", "srt",
           path_of("words.mkv"))
    (summary,) = objects("--json-summary", "words.mkv")
    assert [stream["media"] for stream in summary["streams"]] == ["video"]
    ffmpeg("-i", picture(), "-frames:v", "1", path_of("picture.png"))
    (summary,) = objects("--json-summary", "picture.png")
    assert summary["complete"] and summary["streams"][0]["results"] == 1


def test_full_device():
    for arguments in ([], ["--json"], ["--csv"], ["--version"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, *arguments, clip()], stdout=full,
                                  stderr=subprocess.PIPE, timeout=TIMEOUT, check=False)
        assert done.returncode == 1, (arguments, done)
        assert "No space" in one_line(done.stderr), done.stderr
    _, errors = report("--output", "/dev/full", clip(), status=1)
    assert "No space" in one_line(errors)
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_closed_output():
    for arguments in ("", "--json"):
        done = subprocess.run(["sh", "-c", f'"$0" {arguments} "$1" >&-', PROGRAM, clip()],
                              stderr=subprocess.PIPE, timeout=TIMEOUT, check=False)
        assert done.returncode == 1, done
        assert "Bad file descriptor" in one_line(done.stderr), done.stderr
    # The reader goes away.
    done = subprocess.run(["sh", "-c", '("$0" --json-histograms "$1" "$1" "$1"; echo $? >&2) | head -c 10',
                           PROGRAM, clip()], capture_output=True, timeout=TIMEOUT, check=False)
    assert done.stderr.splitlines()[-1] == b"1" and b"Broken pipe" in done.stderr, done.stderr


def test_latin_1():
    """A name with an accent, in a locale that cannot show all that is in UTF-8."""
    locale = path_of("locale")
    os.makedirs(locale, exist_ok=True)
    name = "caf\u00e9 \u6f22.wav"
    shutil.copyfile(sound(), path_of(name))
    made = shutil.which("localedef") and subprocess.run(
        ["localedef", "-i", "en_US", "-f", "ISO-8859-1", os.path.join(locale, "en_US.ISO-8859-1")],
        capture_output=True, check=False).returncode == 0
    if made:
        variables = environment(LOCPATH=locale, LC_ALL="en_US.ISO-8859-1")
    else:
        print("no Latin-1 locale can be made: ASCII instead")
        variables = environment(LC_ALL="C")
    output, _ = report(name, env=variables)
    assert b"\ncaf" in output and b"audio 0" in output, output
    # JSON is always UTF-8.
    output, _ = report("--json-summary", name, env=variables)
    output.decode("utf-8")


def test_languages():
    """A report is the same in every language: numbers, and messages of the system and of GStreamer."""
    locale = path_of("german")
    os.makedirs(locale)
    made = shutil.which("localedef") and subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(locale, "de_DE.UTF-8")],
        capture_output=True, check=False).returncode == 0
    if not made:
        print("no German locale can be made")
        return
    with open(path_of("no-film.mkv"), "w", encoding="utf-8") as file:
        file.write("This is a text.\n")
    for arguments in (["--json", sound()], ["--csv", sound()], [sound()], ["--json-summary", "missing.mkv"],
                      ["no-film.mkv"], ["--images", "missing.png"], ["--output", "nowhere/x", sound()], ["--nonsense"]):
        done = [report(*arguments, status=None, env=environment(LOCPATH=locale, **variables))
                for variables in ({"LC_ALL": "C.UTF-8"}, {"LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de"})]
        here, there = (re.sub(rb'"seconds":[0-9.e+-]+|measured in [0-9.e+-]+ s', b"", b"".join(texts)) for texts in done)
        assert here == there, (arguments, there[:500])


def test_read_only_directory():
    """Neither the folder of the file nor the current one is written to."""
    folder = path_of("read-only")
    os.makedirs(folder)
    shutil.copyfile(sound(), os.path.join(folder, "sound.wav"))
    os.chmod(folder, 0o555)
    before = sorted(os.listdir(folder))
    command = [PROGRAM, "sound.wav"]
    if os.geteuid() == 0 and shutil.which("setpriv"):
        # Root may write anywhere.
        command = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", *command]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 0, done.stderr
    assert sorted(os.listdir(folder)) == before
    if command[0] == "setpriv":
        done = subprocess.run([*command, "--output", "out.txt"], cwd=folder, capture_output=True,
                              timeout=TIMEOUT, check=False)
        assert done.returncode == 1 and "out.txt" in one_line(done.stderr), done
    _, errors = report("--output", "/nonexistent/out.txt", sound(), status=1)
    assert "/nonexistent/out.txt" in one_line(errors)


def long_clip():
    path = path_of("long.mkv")
    if not os.path.exists(path):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=2", "-c:v", "libx264",
               "-preset", "ultrafast", path_of("part.mkv"))
        ffmpeg("-stream_loop", "300", "-i", path_of("part.mkv"), "-c", "copy", path)
    return path


def test_interrupt():
    """SIGINT and SIGTERM: a valid report of what was measured until then."""
    for number in (signal.SIGINT, signal.SIGTERM):
        with open(path_of("out.json"), "w+b") as file:
            process = subprocess.Popen([PROGRAM, "--json", long_clip()], stdout=file,
                                       stderr=subprocess.PIPE)
            start = time.monotonic()
            while os.fstat(file.fileno()).st_size == 0 and time.monotonic() - start < TIMEOUT:
                time.sleep(0.01)
            process.send_signal(number)
            _, errors = process.communicate(timeout=TIMEOUT)
            file.seek(0)
            lines = [json.loads(line) for line in file]
        assert process.returncode == 128 + number, (process.returncode, errors)
        summary = lines[-1]
        assert summary["type"] == "summary" and not summary["complete"], summary["type"]
        assert summary["problem"] == "interrupted"
        assert 0 < summary["streams"][0]["results"] == len(lines) - 1 < 15000


def test_interrupt_with_subtitles():
    """Streams that are not measured end, too: the program does not wait for them. The input is one
    that does not go on: the demuxer does not reach the end of the subtitles by itself."""
    with open(path_of("long.srt"), "w", encoding="utf-8") as file:
        file.write("1\n00:00:00,000 --> 00:09:00,000\nhello\n")
    ffmpeg("-i", long_clip(), "-i", path_of("long.srt"), "-c:v", "copy", "-c:s", "srt",
           path_of("long-words.mkv"))
    reading, writing = os.pipe()
    with open(path_of("out.json"), "w+b") as file, open(path_of("long-words.mkv"), "rb") as words:
        process = subprocess.Popen([PROGRAM, "--json", "fd://0"], stdin=reading, stdout=file,
                                   stderr=subprocess.PIPE)
        os.close(reading)
        os.set_blocking(writing, False)
        data = words.read(2**20)
        while os.fstat(file.fileno()).st_size == 0:
            assert process.poll() is None, process.communicate()
            try:
                data = data[os.write(writing, data):]
            except BlockingIOError:
                pass
            time.sleep(0.01)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT)
        os.close(writing)
    # If a stream does not end, the program gives up after 5 s.
    assert process.returncode == 130 and time.monotonic() - start < 4.5, time.monotonic() - start


def command_of(process):
    """Nothing if the process has ended meanwhile."""
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def start_jobs(*arguments):
    """Begins to measure inputs with two workers, in a group of their own."""
    return subprocess.Popen([PROGRAM, "--jobs", "2", "--json", "--results", *arguments],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def wait_for_rest(folder):
    """Until the process of the long clip has written some lines. Returns the path."""
    start = time.monotonic()
    while time.monotonic() - start < TIMEOUT:
        for name in os.listdir(folder) if os.path.exists(folder) else []:
            path = os.path.join(folder, name)
            if name.startswith(".long") and os.path.getsize(path) > 20000:
                return path
        time.sleep(0.01)
    raise AssertionError("the program writes nothing")


def test_repeated_signal():
    """timeout, Slurm, and Ctrl-C with --jobs send a signal to a process more than once. It still
    writes its report, unless a signal comes more than a second after the first one."""
    with open(path_of("out.json"), "w+b") as file:
        process = subprocess.Popen([PROGRAM, "--json", long_clip()], stdout=file,
                                   stderr=subprocess.PIPE)
        while os.fstat(file.fileno()).st_size == 0:
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        start = time.monotonic()
        while process.poll() is None and time.monotonic() - start < 0.5:
            process.send_signal(signal.SIGINT)
            time.sleep(0.001)
        _, errors = process.communicate(timeout=TIMEOUT)
        file.seek(0)
        summary = json.loads(file.readlines()[-1])
    assert process.returncode == 130, (process.returncode, errors)
    assert summary["type"] == "summary" and summary["problem"] == "interrupted", summary["problem"]


def test_killed_job():
    """A process that is killed leaves a part of a line, which is left out. The next report begins on its own line. The
    result of the input after it was kept before: a run that is killed loses only what has not been measured."""
    folder = path_of("results-killed")
    process = start_jobs(folder, long_clip(), sound())
    path = wait_for_rest(folder)
    victim = worker_of(process, "long.mkv")
    os.kill(victim, signal.SIGSTOP)
    start = time.monotonic()
    while not any(name.startswith("sound") for name in os.listdir(folder)):
        assert time.monotonic() - start < TIMEOUT
        time.sleep(0.01)
    with open(path, "ab") as file:
        file.write(b'{"type":"fra')      # as if it had been killed while it wrote
    os.kill(victim, signal.SIGKILL)
    output, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 1 and b"signal 9" in errors, (process.returncode, errors)
    broken, of_sound = 0, []
    for line in output.splitlines():
        try:
            found = json.loads(line)
            of_sound += [found["type"]] if found["input"] == sound() else []
        except ValueError:
            broken += 1
    assert broken == 0, (broken, output[-500:])
    assert of_sound == 40 * ["window"] + ["summary"], of_sound


def test_early_signals():
    """A signal that comes while the processes start is that of the program, not a fault of theirs."""
    long_clip()
    for number in range(12):
        process = subprocess.Popen([PROGRAM, "--quiet", "--jobs", "2", long_clip(), long_clip()],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.01 + 0.005 * number)
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=TIMEOUT)
        # Before its first line the program ends as every program does.
        assert process.returncode in (128 + signal.SIGTERM, -signal.SIGTERM), process.returncode
        assert b"signal" not in output + errors, (output, errors)
        assert b"Internal data stream error" not in output + errors, (output, errors)


def test_killed_parent():
    """The processes end with the program, however it ends. This one waits for a pipe, which nobody writes."""
    os.mkfifo(path_of("waits-for-ever.wav"))
    process = start_jobs(path_of("results-parent"), path_of("waits-for-ever.wav"))
    found, start = [], time.monotonic()
    while not found and time.monotonic() - start < TIMEOUT:
        time.sleep(0.01)
        found = children_of(process)
    process.kill()
    start = time.monotonic()
    # Of one that has ended there is no command, even if nobody has waited for it.
    while command_of(found[0]) and time.monotonic() - start < TIMEOUT / 4:
        time.sleep(0.01)
    remains = command_of(found[0]) != b""
    if remains:
        os.kill(found[0], signal.SIGKILL)
    process.communicate(timeout=TIMEOUT)
    assert not remains


def test_without_playback():
    """GStreamer without its plugin playback has no uridecodebin."""
    folder = path_of("plugins")
    os.makedirs(folder)
    listed = subprocess.run(["gst-inspect-1.0", "uridecodebin"], capture_output=True, encoding="utf-8",
                            timeout=TIMEOUT, check=True).stdout
    (playback,) = [line.split()[-1] for line in listed.splitlines() if "Filename" in line]
    for name in os.listdir(os.path.dirname(playback)):
        if name != os.path.basename(playback):
            os.symlink(os.path.join(os.path.dirname(playback), name), os.path.join(folder, name))
    _, errors = report(sound(), status=1, env=environment(
        GST_PLUGIN_SYSTEM_PATH_1_0=folder, GST_REGISTRY_1_0=path_of("registry-without-playback")))
    assert "sound.wav" in one_line(errors), errors


def test_many_inputs():
    """One is bad: one line, status 1, the others are reported."""
    for jobs in ([], ["--jobs", "2"]):
        output, errors = report(*jobs, sound(), "nothing.mkv", picture(), status=1)
        assert "nothing.mkv" in one_line(errors)
        assert b"audio 0" in output and b"video 0" in output
        assert output.index(b"audio 0") < output.index(b"video 0")


def test_options():
    for arguments in (["--regions", "nonsense"], ["--measures", "nonsense"], ["--set", "nonsense"],
                      ["--set", "nothing=1"], ["--set", "meta=true"], ["--alerts", "nonsense"],
                      ["--nonsense"], ["--json", "--csv"], ["--jobs", "0"],
                      [""], ["--jobs", "2", ""], ["--images", ""], ["--merge", ""], ["--compare", ""],
                      ["--jobs", "1025"], ["--jobs", "2147483647"], ["--jobs", "4294967297"],
                      *(["--set", value] for value in (
                          "black-duration=-1", "black-duration=", "black-duration= 1", "black-duration=1e9",
                          "black-duration=18446744073709551616", "clipping-samples=4294967297",
                          "clipping-samples=-1", "scene-threshold=nan", "scene-threshold=-inf",
                          "scene-threshold=1e999"))):
        _, errors = report(*arguments, sound(), status=2)
        one_line(errors)
    _, errors = report(status=2)
    one_line(errors)
    output, _ = report("--help")
    assert b"--measures" in output and b"Exit status" in output
    output, _ = report("--version")
    assert output.startswith(b"cudahisto-report ")


def test_progress():
    """A progress line on a terminal, none in a pipe."""
    _, errors = report(clip())
    assert errors == b"", errors
    terminal, other = pty.openpty()
    process = subprocess.Popen([PROGRAM, long_clip()], stdout=subprocess.DEVNULL, stderr=other,
                               env=environment(TERM="xterm"))
    os.close(other)
    shown = b""
    start = time.monotonic()
    while b"left" not in shown and time.monotonic() - start < TIMEOUT:
        shown += os.read(terminal, 1000)
    process.send_signal(signal.SIGINT)
    try:
        while os.read(terminal, 1000):
            pass
    except OSError:
        pass
    process.wait(timeout=TIMEOUT)
    os.close(terminal)
    assert b"frames/s" in shown and b" x " in shown and b"\r" in shown, shown


if __name__ == "__main__":
    sys.exit(run_tests([value for name, value in list(globals().items())
                        if name.startswith("test_")]))
