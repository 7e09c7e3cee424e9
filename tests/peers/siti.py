#!/usr/bin/python3
"""SI and TI (ITU-T P.910) of every frame, as ffmpeg's filter siti prints them.

    GST_PLUGIN_PATH=BUILD_DIR/plugin tests/peers/siti.py

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import sys
import films
import numpy
import peers

# siti prints two decimals of a number in single precision.
TOLERANCE = 0.005 + 1e-4


def compare(clip, measured=None):
    comparison = peers.Comparison((measured or clip).name)
    # siti reads 8-bit and 10-bit video, 4:2:0 and 4:2:2, planar.
    span = "setparams=range=pc," if clip.colorimetry == films.BT709_FULL else ""
    frames, _ = peers.ffmpeg_filters(clip, span + "siti", "v")
    results, _ = peers.measure(measured or clip, "measures=detail histogram=false")
    comparison.equal("clip", "frames", len(results), len(frames))
    for number, (theirs, result) in enumerate(zip(frames, results)):
        where, detail = f"frame {number}", result["detail"]
        comparison.close(where, "si", detail["si"], float(theirs["siti.si"]), TOLERANCE)
        if number == 0:
            # siti prints 0 for the first frame. cudahisto has no figure without a previous frame.
            comparison.equal(where, "ti", ("ti" in detail, theirs["siti.ti"]), (False, "0.00"))
        else:
            comparison.close(where, "ti", detail["ti"], float(theirs["siti.ti"]), TOLERANCE)
    comparison.finish()


def test_films():
    compare(films.vtest(8))
    compare(films.megamind(8))
    compare(films.tree(count=12))


def test_generated():
    compare(films.odd_420(4))
    compare(films.full_420(4))


def test_deep():
    compare(films.odd_422_deep(4))
    compare(films.deep_420(4))
    clip = films.deep_420(4)
    clip.name, clip.colorimetry = "4:2:0 10 bit full range", films.BT709_FULL
    compare(clip)


def test_semi_planar():
    for clip in (films.tree(count=4), films.deep_420(4)):
        compare(clip, clip.semi_planar())


def test_ramp():
    """The gradient is the same everywhere, and is no integer: SI is 0."""
    rows, columns = numpy.mgrid[0:96, 0:96]
    luma = (rows + columns + 20).astype("u1")
    chroma = numpy.full((48, 48), 128, "u1")
    compare(peers.Video("ramp", "yuvj420p", 96, 96, 25, [[luma, chroma, chroma]] * 2,
                        films.BT709_FULL))


if __name__ == "__main__":
    sys.exit(peers.run(test_films, test_generated, test_deep, test_semi_planar, test_ramp))
