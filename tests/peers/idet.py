#!/usr/bin/python3
"""Field order and repeated fields of every frame, as ffmpeg's filter idet finds them.

    GST_PLUGIN_PATH=BUILD_DIR/plugin tests/peers/idet.py

The result of a buffer describes the frame before it. So the last frame has none.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import collections
import sys
import films
import numpy
import peers

KEYS = {"single": "idet.single.current_frame", "multi": "idet.multiple.current_frame",
        "repeated": "idet.repeated.current_frame"}
SUMS = [f"{name}-{rows}" for name in ("previous", "next", "current", "change")
        for rows in ("even", "odd")]


def clip_of(name, graph, count, pixel_format="yuv420p", width=160, height=96):
    """The graph has %s for the size and the rate of a source."""
    return peers.generated(name, pixel_format, width, height, 25, graph, count)


def moving(more=""):
    """Smooth pictures, as those of cameras: sharp ones have the sums of an interlaced picture."""
    return f"testsrc2=%s,rotate=t*0.3,boxblur=2{more}"


def top_first(**settings):
    return clip_of("top field first", moving(",tinterlace=interleave_top"), 24, **settings)


def bottom_first(**settings):
    return clip_of("bottom field first", moving(",tinterlace=interleave_bottom"), 24, **settings)


def progressive(**settings):
    return clip_of("progressive", moving(), 24, **settings)


def telecined(**settings):
    return clip_of("telecined", moving(",telecine=pattern=23"), 40, **settings)


def still(**settings):
    return clip_of("still", moving(",loop=loop=-1:size=1"), 8, **settings)


def compare(clip, expected=()):
    """@expected: (figure, value, number): the clip has this value in at least this many frames. Otherwise it would
    not test it."""
    comparison, found = peers.Comparison(clip.name), collections.Counter()
    frames, _ = peers.ffmpeg_filters(clip, "idet", "v")
    results, _ = peers.measure(clip, "measures=field histogram=false")
    comparison.equal("clip", "frames", len(results), len(frames))
    for name in (*KEYS, *SUMS):
        comparison.equal("frame 0", name, name in results[0]["field"], False)
    for number, (theirs, result) in enumerate(zip(frames, results[1:])):
        for name, key in KEYS.items():
            comparison.equal(f"frame {number}", name, result["field"].get(name), theirs[key])
            found[name, theirs[key]] += 1
    for name, value, count in expected:
        assert found[name, value] >= count, f"{clip.name}: {name} is {value} {found[name, value]} times only"
    comparison.finish()


def compare_all(**settings):
    compare(top_first(**settings), [("single", "tff", 15), ("multi", "tff", 20)])
    compare(bottom_first(**settings), [("single", "bff", 15), ("multi", "bff", 20)])
    compare(progressive(**settings), [("multi", "progressive", 20)])
    compare(telecined(**settings), [("repeated", "top", 7), ("repeated", "bottom", 7),
                                    ("repeated", "neither", 20)])
    compare(still(**settings), [("single", "undetermined", 7), ("repeated", "neither", 7)])


def test_clips():
    compare_all()


def test_odd_sizes():
    """Planes of odd numbers of rows."""
    compare_all(width=163, height=99)


def test_formats():
    for pixel_format in ("gray", "yuv422p", "yuv444p", "yuv420p10le", "yuv444p16le"):
        compare(top_first(pixel_format=pixel_format))
        compare(telecined(pixel_format=pixel_format))


def test_changes():
    """The order changes, and several frames have to agree before `multi` does."""
    clip = top_first()
    clip.name = "changing order"
    clip.frames = sum((part.frames[:count] for part, count in (
        (progressive(), 6), (top_first(), 3), (still(), 3), (bottom_first(), 2), (top_first(), 5),
        (bottom_first(), 9), (telecined(), 10), (progressive(), 9))), [])
    compare(clip, [("multi", "tff", 3), ("multi", "bff", 3), ("multi", "progressive", 3)])


def test_film():
    compare(films.vtest(8))


def test_comb():
    """Half of the rows are bright in every other frame. idet has no such figure: fieldmatch's formula."""
    rows = numpy.arange(20)[:, None] * numpy.ones((1, 16), int)
    combed = numpy.where(rows % 2, 100, 20).astype("u1")
    flat, chroma = numpy.full_like(combed, 50), numpy.full((10, 8), 128, "u1")
    clip = peers.Video("comb", "yuv420p", 16, 20, 25,
                       [[luma, chroma, chroma] for luma in (combed, flat) * 2])
    results, _ = peers.measure(clip, "measures=field histogram=false")
    comparison = peers.Comparison(clip.name)
    for number, result in enumerate(results):
        comparison.close(f"frame {number}", "comb", result["field"]["comb"],
                         0.8 if number % 2 == 0 else 0, 1e-15)
    comparison.finish()


if __name__ == "__main__":
    sys.exit(peers.run(test_clips, test_odd_sizes, test_formats, test_changes, test_film, test_comb))
