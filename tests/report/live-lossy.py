#!/usr/bin/python3
"""cudahisto-report --serve while inputs connect, are lost, end and fail, and clients come and go: for the sanitizers.

    live-lossy.py PROGRAM [SECONDS]

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import contextlib
import http.client
import random
import sys
import threading
import time

from common import TIMEOUT, clip, path_of, run_tests
from serving import Feeder, Serving, is_built

if not is_built():
    print("skipped: the program was built without libsoup")
    sys.exit(77)

SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 10


def read(serving, seed, end, counts):
    """Reads pages until the end; follows for a while, and goes away in the middle."""
    chance = random.Random(seed)
    while time.monotonic() < end:
        path = chance.choice(("/", "/state.json", "/notices.json", "/metrics", "/events", "/events/0", "/rows/1/seconds", "/pictures/0", "/picture/0/0",
                              "/notice/0/1"))
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection(serving.place.hostname, serving.place.port, timeout=TIMEOUT)
            connection.request("GET", path)
            answer = connection.getresponse()
            if path.startswith("/events"):
                for _ in range(chance.randrange(20)):
                    answer.readline()
            else:
                answer.read()
            connection.close()
            counts[path] = counts.get(path, 0) + 1
        time.sleep(0.02)


def test_lossy():
    counts = {}
    # With a clock that runs faster the pauses are shorter.
    with Feeder() as one, Feeder() as other, \
            Serving("--serve", "0", "--serve-rate", "5", "--policy", "web-flash", one.uri, other.uri, clip(), path_of("absent.mkv"), "test") as serving:
        serving.wait_state("running", one.uri)
        end = time.monotonic() + SECONDS
        readers = [threading.Thread(target=read, args=(serving, seed, end, counts)) for seed in range(4)]
        for reader in readers:
            reader.start()
        n = 0
        while time.monotonic() < end:
            time.sleep(0.5)
            for feeder, command in ((one, ("drop", "black", "moving")[n % 3]), (other, ("silence", "drop", "sound", "mute", "still", "unmute")[n % 6])):
                feeder.tell(command)
            n += 1
        for reader in readers:
            reader.join()
        lost = [line for line in serving.lines if line["type"] == "state" and line["state"] == "waiting" and line["input"] == one.uri]
        assert len(lost) >= 3 and len(counts) == 10, (len(lost), n, counts)
        print(f"{len(lost)} times lost, {sum(counts.values())} answers")
        status, _ = serving.stop()
        told = serving.process.stderr.read()
        assert status == 0 and not told, (status, told[-8000:])


sys.exit(run_tests([test_lossy]))
