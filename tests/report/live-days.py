#!/usr/bin/python3
"""Days of cudahisto-report --serve in minutes: the clock of the inputs runs faster, and the memory stays the same.

    live-days.py PROGRAM [--hours N] [--rate N]

The times are those of the stream. The inputs go black, fall silent, are lost and come back, and clients read the pages. What is free in
the program's memory, and not given back, goes up and down, and souphttpsrc has blocks of about a second of the stream, up to 32 MiB at 240
times the speed. So means are compared: that of the last third of the time from hour 2 on may not be more than 10 % above that of the first
third. 48 hours take 14 minutes at 240 times the speed on two cores, and 48 minutes or more at 60 times.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import argparse
import datetime
import statistics
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--hours", type=float, default=48)
parser.add_argument("--rate", type=int, default=60)
arguments = parser.parse_args()
sys.argv = [sys.argv[0], arguments.program]

from serving import Feeder, Serving  # noqa: E402  # pylint: disable=wrong-import-position


def hours_of(one, first):
    return (datetime.datetime.fromisoformat(one["latest"].replace("Z", "+00:00")) - first).total_seconds() / 3600


def main():
    commands = ("black", "silence", "moving", "sound", "still", "moving", "drop")
    memories, n = [], 0
    with Feeder(0, "--free", "--size", "32x32", "--fps", "5") as feeder, \
            Serving("--serve", "0", "--serve-rate", str(arguments.rate), feeder.uri) as serving:
        serving.wait_state("running")
        first = datetime.datetime.fromisoformat(serving.get("/state.json")["inputs"][0]["since"].replace("Z", "+00:00"))
        begin, told = time.monotonic(), 0
        while True:
            time.sleep(1)
            n += 1
            if n % 5 == 0:
                feeder.tell(commands[n // 5 % len(commands)])
            one = serving.get("/state.json")["inputs"][0]
            serving.ask("/metrics")
            serving.ask("/rows/0/minutes")
            if one["latest"] is None:
                continue
            hours = hours_of(one, first)
            memories.append((hours, serving.memory()))
            if hours >= told:
                print(f"{hours:6.1f} h after {time.monotonic() - begin:5.0f} s: {memories[-1][1] / 1e6:.1f} MB, "
                      f"{len(serving.get('/notices.json')['inputs'][0]['notices'])} notices", flush=True)
                told = hours + 1
            if hours >= arguments.hours:
                break
        rows = {length: len(serving.get(f"/rows/0/{length}")) for length in ("seconds", "minutes", "hours")}
    third = (arguments.hours - 2) / 3
    early = statistics.mean(memory for hours, memory in memories if 2 <= hours < 2 + third)
    late = statistics.mean(memory for hours, memory in memories if hours >= arguments.hours - third)
    most = max(memory for _, memory in memories)
    print(f"mean of hours 2 to {2 + third:.0f} {early / 1e6:.1f} MB, of the last {third:.0f} hours {late / 1e6:.1f} MB, most {most / 1e6:.1f} MB; "
          f"rows {rows}; {time.monotonic() - begin:.0f} s")
    assert late <= 1.1 * early, memories[:: max(len(memories) // 50, 1)]
    assert rows["seconds"] <= 600 and rows["minutes"] <= 1440 and (arguments.hours < 3 or rows["hours"] >= arguments.hours - 1), rows


main()
