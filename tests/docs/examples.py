#!/usr/bin/python3
"""Runs the commands of docs/examples.md. A comment before each block says how:

    <!-- run: PATTERN -->      it runs, ends with status 0, and its output matches the pattern
    <!-- parse: ELEMENT... --> it needs hardware: GStreamer parses it; only these may be missing
    <!-- receive: PATTERN -->, <!-- send -->: they run together; the output of the first one matches

    GST_PLUGIN_PATH=BUILD_DIR/plugin tests/docs/examples.py BUILD_DIR

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../harness"))
import clips  # noqa: E402
from gi.repository import Gst  # noqa: E402

ROOT = os.path.abspath(os.path.join(HERE, "../.."))
with open(os.path.join(ROOT, "docs/examples.md"), encoding="utf-8") as file:
    TEXT = file.read()
BLOCKS = re.findall(r"^<!-- (\w+):? ?(.*?) ?-->\n```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
folder = tempfile.TemporaryDirectory(prefix="cudahisto-")


def make_files():
    """What the commands name: two files, and the folders of the project."""
    clips.ffmpeg(*clips.clip_input(), "-t", "4", "-c:v", "mpeg2video", "-pix_fmt", "yuv420p",
                 "-s", "160x120", "-r", "25", "-c:a", "flac", os.path.join(folder.name, "film.mkv"))
    clips.ffmpeg("-f", "lavfi", "-i", "sine=d=2.5", os.path.join(folder.name, "speech.wav"))
    os.symlink(os.path.join(ROOT, "pipelines"), os.path.join(folder.name, "pipelines"))
    os.symlink(os.path.abspath(sys.argv[1]), os.path.join(folder.name, "build"))


def start(command):
    environment = {**os.environ, "PYTHONPATH": os.path.join(ROOT, "pipelines/python"),
                   "TERM": "dumb"}
    # Debian's Python runs the scripts, whichever comes first on PATH.
    command = re.sub(r"^(pipelines/\S+\.py)", shlex.quote(sys.executable) + r" \1", command)
    return subprocess.Popen(["bash", "-o", "pipefail", "-c", command], cwd=folder.name,
                            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            encoding="utf-8", errors="replace", start_new_session=True)


def test_all_blocks_are_known():
    """Each command has a comment, but for the two that set variables."""
    commands = re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    others = [command for command in commands if command not in [block[2] for block in BLOCKS]]
    assert len(others) == 2 and all(text.startswith("export ") for text in others), others
    assert len(BLOCKS) >= 15, len(BLOCKS)


def test_run():
    for kind, pattern, command in BLOCKS:
        if kind != "run":
            continue
        process = start(command)
        output, errors = process.communicate(timeout=100)
        assert process.returncode == 0, f"{command}: {errors}"
        assert "CRITICAL" not in errors, f"{command}: {errors}"
        assert re.search(pattern, output, re.DOTALL), f"{command}: no {pattern} in {output[-3000:]}"


def test_parse():
    for kind, may_miss, command in BLOCKS:
        if kind != "parse":
            continue
        words = shlex.split(command.replace("\\\n", " ").split("|")[0])
        assert words[0] == "gst-launch-1.0", command
        words = [word for word in words[1:] if not word.startswith("-")]
        context = Gst.ParseContext.new()
        try:
            Gst.parse_launchv_full(words, context, Gst.ParseFlags.NONE)
        except clips.gi.repository.GLib.Error as error:
            assert error.matches(Gst.ParseError.quark(), Gst.ParseError.NO_SUCH_ELEMENT), \
                f"{command}: {error}"
        missing = set(context.get_missing_elements() or [])
        assert missing <= set(may_miss.split()), f"{command}: {missing} are missing"
        assert set(may_miss.split()) <= set(words), f"{may_miss} is not in {command}"
        if missing:
            print(f"     only parsed; missing: {', '.join(sorted(missing))}")


def test_receive_and_send():
    ((pattern, receive),) = [block[1:] for block in BLOCKS if block[0] == "receive"]
    ((_, send),) = [block[1:] for block in BLOCKS if block[0] == "send"]
    # Another port than on the page, because other tests may run at the same time.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = f"port={free.getsockname()[1]}"
    receiver = start(receive.replace("port=5004", port))
    time.sleep(2)
    sender = start(send.replace("port=5004", port))
    _, errors = sender.communicate(timeout=60)
    assert sender.returncode == 0, errors
    time.sleep(1)
    os.killpg(receiver.pid, signal.SIGINT)
    output, errors = receiver.communicate(timeout=30)
    assert len(re.findall(pattern, output)) > 20, output[-2000:] + errors


if __name__ == "__main__":
    make_files()
    sys.exit(clips.run_tests([test_all_blocks_are_known, test_run, test_parse,
                              test_receive_and_send]))
