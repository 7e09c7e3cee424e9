#!/usr/bin/python3
"""How many inputs of 1080p25 cudahisto-report --serve carries on some processors without a late frame.

    live-inputs.py PROGRAM [--inputs N...] [--processors N] [--minutes N] [--film FILE | --ready FILE] [--begin SECONDS]
                   [OPTION...]

Makes a film of H.264 (8 Mbit/s) with AAC from FILE or a test picture, or takes a ready one that is long enough, plays it in its own time as so many inputs, and prints how many
frames came too late, how many are missing, and the processor time; for several numbers of inputs one after the other. Late frames of the first seconds (10, or as --begin says), in which the
inputs begin together, are told apart. Other OPTIONs are the program's. Measure on a machine that has nothing else to do.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import argparse
import os
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--inputs", type=int, nargs="+", default=[1])
parser.add_argument("--processors", type=int, default=1)
parser.add_argument("--minutes", type=float, default=10)
parser.add_argument("--film")
parser.add_argument("--begin", type=float, default=10)
parser.add_argument("--ready", help="a film that is long enough, played as it is")
arguments, options = parser.parse_known_args()
sys.argv = [sys.argv[0], arguments.program]

from common import ffmpeg, path_of  # noqa: E402  # pylint: disable=wrong-import-position
from serving import Serving  # noqa: E402  # pylint: disable=wrong-import-position


def make_film(seconds):
    part, film = path_of("part.mkv"), path_of("film.mkv")
    source = ["-stream_loop", "-1", "-i", arguments.film] if arguments.film else ["-f", "lavfi", "-i", "testsrc2=size=1920x1080:rate=25"]
    # The sound is not repeated: its length is no whole number of frames, which would be a gap in the picture.
    ffmpeg(*source, "-an", "-t", "20", "-vf", "scale=1920:1080,fps=25,noise=alls=6:allf=t,format=yuv420p", "-c:v", "libx264",
           "-preset", "veryfast", "-g", "50", "-b:v", "8M", "-maxrate", "8M", "-bufsize", "8M", part)
    ffmpeg("-stream_loop", str(int(seconds / 20) + 1), "-i", part, "-f", "lavfi", "-i", "anoisesrc=color=pink:amplitude=0.1:sample_rate=48000",
           "-c:v", "copy", "-c:a", "aac", "-ac", "2", "-t", str(seconds), film)
    return film


def look(serving):
    """Of the pictures of all inputs: results, late ones and gaps."""
    videos = [stream for one in serving.get("/state.json")["inputs"] for stream in one["streams"] if stream["media"] == "video"]
    return [sum(stream[key] for stream in videos) for key in ("results", "late", "gaps")]


def processor_time(serving):
    """In seconds."""
    with open(f"/proc/{serving.process.pid}/stat", encoding="ascii") as stat:
        return sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")


def measure(film, n_inputs):
    """Returns whether no frame was late or missing."""
    seconds = arguments.minutes * 60
    names = [path_of(f"{n_inputs}-{i}.mkv") for i in range(n_inputs)]
    for name in names:
        os.symlink(film, name)
    with Serving("--serve", "0", *options, *names) as serving:
        for name in names:
            serving.wait_state("running", name)
        time.sleep(arguments.begin)
        first, begin, before = look(serving), time.monotonic(), processor_time(serving)
        time.sleep(seconds)
        last, took, used = look(serving), time.monotonic() - begin, processor_time(serving) - before
        memory = serving.memory()
    n, late, gaps = (now - then for now, then in zip(last, first))
    print(f"{n_inputs} inputs, {arguments.processors} processors, {took:.0f} s: {n} frames ({n / took / n_inputs:.2f} /s of an input), "
          f"{late} late, {gaps} gaps; {first[1]} late in the first {arguments.begin:.0f} s; {100 * used / took:.0f} % of a processor, "
          f"{memory / 1e6:.0f} MB", flush=True)
    return late == gaps == 0


def main():
    if arguments.ready:
        film = os.path.abspath(arguments.ready)
    else:
        film = make_film(arguments.minutes * 60 + 2 * arguments.begin)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:arguments.processors])
    return 0 if all([measure(film, n_inputs) for n_inputs in arguments.inputs]) else 1


sys.exit(main())
