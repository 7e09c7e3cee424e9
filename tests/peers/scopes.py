#!/usr/bin/python3
"""The waveform and the vectorscope of colour bars against ffmpeg's filters, and the cells of 75 % bars.

    GST_PLUGIN_PATH=BUILD_DIR/plugin PYTHONPATH=pipelines/python tests/peers/scopes.py

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import clips  # noqa: E402,F401 (ends the program if a module is missing)
import numpy  # noqa: E402
import cudahisto  # noqa: E402

WIDTH, HEIGHT = 512, 288
# U and V of red, yellow, green, cyan, blue and magenta, 75 %, by BT.601 and BT.709.
CELLS = {
    "pal75bars": ((100, 212), (44, 142), (72, 58), (156, 44), (212, 114), (184, 198)),
    "smptehdbars": ((109, 212), (44, 136), (63, 52), (147, 44), (212, 120), (193, 204)),
}


def ffmpeg(*arguments):
    return subprocess.run(["ffmpeg", "-nostdin", "-v", "error", *arguments], check=True, capture_output=True).stdout


def draw(path, scope, width, height):
    """The brightness of each place of a scope as ffmpeg draws it."""
    data = ffmpeg("-i", path, "-frames:v", "1", "-vf", scope, "-f", "rawvideo", "-pix_fmt", "gray", "-")
    return numpy.frombuffer(data, numpy.uint8).reshape(height, width)


def near(found, wanted):
    """Whether each place of one picture lies within one place of one of the other's."""
    grown = numpy.pad(wanted, 1)
    grown = sum(grown[1 + y:1 + y + wanted.shape[0], 1 + x:1 + x + wanted.shape[1]] for y in (-1, 0, 1) for x in (-1, 0, 1))
    return not (found & (grown == 0)).any()


def check(folder, source):
    path = os.path.join(folder, source + ".mkv")
    ffmpeg("-f", "lavfi", "-i", f"{source}=size={WIDTH}x{HEIGHT}:rate=25:duration=0.04", "-pix_fmt", "yuv444p",
           "-c:v", "ffv1", path)
    (frame,) = cudahisto.measure(path, streams="video", measures="scopes")
    vectors = frame["scopes"]["vectorscope"]["histogram"]
    for u, v in CELLS[source]:
        assert vectors[v, u] > WIDTH * HEIGHT / 50, (source, u, v, vectors[v, u])
    # ffmpeg draws codes upwards: the last row is code 0.
    drawn = draw(path, "vectorscope=mode=gray:intensity=1:bgopacity=0", 256, 256)[::-1] > 0
    assert near(vectors > 0, drawn) and near(drawn, vectors > 0), source
    waveform = frame["scopes"]["waveform"]["histogram"] > 0
    drawn = draw(path, "waveform=intensity=1:components=1", WIDTH, 256)[::-1] > 0
    drawn = drawn.reshape(256, 256, WIDTH // 256).any(axis=2)
    assert near(waveform, drawn) and near(drawn, waveform), source


def main():
    with tempfile.TemporaryDirectory(prefix="cudahisto-") as folder:
        for source in CELLS:
            check(folder, source)
    print("the scopes are those of ffmpeg")


if __name__ == "__main__":
    main()
