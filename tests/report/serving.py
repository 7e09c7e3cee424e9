"""For the tests of cudahisto-report --serve: the program, what it prints and what it answers, and films that change.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.parse

from common import PROGRAM, TIMEOUT

# A tool that makes the program slow and large, such as ThreadSanitizer: neither times nor memory are those of the program.
HAS_TOOL = "CUDAHISTO_TEST_TOOL" in os.environ
FEEDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "feeder.py")


def is_built():
    """Whether the program has libsoup."""
    done = subprocess.run([PROGRAM, "--serve", "256.256.256.256:0", "test"], capture_output=True, text=True, timeout=TIMEOUT)
    return "built without" not in done.stderr


class Serving:
    """The program, in a with statement. lines has what it has printed so far."""

    def __init__(self, *arguments, environment=None):
        self.lines, self.arrived = [], threading.Condition()
        self.process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, **(environment or {})})
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        first = self.wait_line(lambda line: True)
        assert first["type"] == "serving", first
        self.address = first["address"]
        self.place = urllib.parse.urlsplit(self.address)

    def read(self):
        for line in self.process.stdout:
            with self.arrived:
                self.lines.append(json.loads(line))
                self.arrived.notify_all()
        with self.arrived:
            self.lines.append(None)
            self.arrived.notify_all()

    def wait_line(self, matches, after=0, seconds=TIMEOUT):
        """The first line from number after on that matches."""
        end = time.monotonic() + seconds
        with self.arrived:
            while True:
                for line in self.lines[after:]:
                    assert line is not None, f"the program has ended: {self.process.stderr.read()}"
                    if matches(line):
                        return line
                assert self.arrived.wait(end - time.monotonic()), f"no such line: {self.lines[after:]}"

    def wait_notice(self, event, kind, name=None, after=0, seconds=TIMEOUT):
        return self.wait_line(lambda line: line["type"] == "notice" and line["event"] == event and line["kind"] == kind
                              and name in (None, line["input"]), after, seconds)

    def wait_state(self, state, name=None, after=0, seconds=TIMEOUT):
        return self.wait_line(lambda line: line["type"] == "state" and line["state"] == state and name in (None, line["input"]),
                              after, seconds)

    def ask(self, path, method="GET", headers=None, body=None, seconds=TIMEOUT):
        """The status, the headers and the text of an answer."""
        connection = http.client.HTTPConnection(self.place.hostname, self.place.port, timeout=seconds)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def get(self, path):
        status, _, text = self.ask(path)
        assert status == 200, f"{path}: {status} {text}"
        return json.loads(text)

    def memory(self):
        """Bytes that are in memory."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def stop(self, number=signal.SIGINT):
        """Ends the program: its status and how long it took."""
        begin = time.monotonic()
        self.process.send_signal(number)
        status = self.process.wait(TIMEOUT)
        return status, time.monotonic() - begin

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Feeder:
    """A film over HTTP, in a with statement."""

    def __init__(self, port=0, *options):
        self.process = subprocess.Popen([sys.executable, FEEDER, "--port", str(port), *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())
        self.uri = f"http://127.0.0.1:{self.port}/"

    def tell(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
