#!/usr/bin/python3
"""The active picture, as ffmpeg's filter cropdetect finds it.

cropdetect leaves out the first two frames, and keeps the union of all boxes since then. cudahisto
has the box of each frame. This test makes the union.

    GST_PLUGIN_PATH=BUILD_DIR/plugin tests/peers/area.py

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import sys
import films
import numpy
import peers

SKIPPED = 2


class Union:
    """cropdetect's x1, y1, x2, y2."""

    def __init__(self, clip):
        self.x1, self.y1, self.x2, self.y2 = clip.width - 1, clip.height - 1, 0, 0

    def add(self, area):
        if area["width"] > 0 and area["height"] > 0:
            self.x1, self.y1 = min(self.x1, area["x"]), min(self.y1, area["y"])
            self.x2 = max(self.x2, area["x"] + area["width"] - 1)
            self.y2 = max(self.y2, area["y"] + area["height"] - 1)


def compare(clip, measured=None, boxes=()):
    """@boxes: some boxes that the clip must have, so that the clip tests what it is made for."""
    comparison = peers.Comparison((measured or clip).name)
    frames, _ = peers.ffmpeg_filters(clip, "cropdetect=round=2", "v")
    results, _ = peers.measure(measured or clip, "measures=area histogram=false")
    comparison.equal("clip", "frames", len(results), len(frames) + SKIPPED)
    union = Union(clip)
    for number, (theirs, result) in enumerate(zip(frames, results[SKIPPED:])):
        union.add(result["area"])
        for name in ("x1", "y1", "x2", "y2"):
            comparison.equal(f"frame {number + SKIPPED}", name, f"{getattr(union, name)}",
                             theirs[f"cropdetect.{name}"])
    found = {tuple(result["area"][name] for name in ("x", "y", "width", "height"))
             for result in results}
    for box in boxes:
        assert box in found, f"{clip.name}: {found} without {box}"
    comparison.finish()


def test_films():
    compare(films.vtest(6), boxes=[(0, 0, 768, 576)])
    compare(films.megamind(6))


def test_bars():
    boxes = (20, 30, 280, 180), (10, 40, 260, 150)
    compare(films.barred(films.tree(count=12), *boxes), boxes=boxes)
    clip = films.barred(films.tree(count=8), (40, 0, 240, 240))
    compare(clip, clip.semi_planar(), boxes=[(40, 0, 240, 240)])
    compare(films.barred(films.tree("rgb24", 8), *boxes), boxes=boxes)


def test_black():
    """All black frames between the others: their box is empty."""
    compare(films.barred(films.tree(count=12), (0, 0, 320, 240), (0, 0, 0, 0)),
            boxes=[(0, 0, 320, 240), (0, 0, 0, 0)])


def at_limit(pixel_format, limit):
    """Columns whose mean is the limit or less are black, and columns above it are not."""
    columns = numpy.repeat([0, limit - 1, limit, limit + 1, 3 * limit, limit + 1, limit], 16)
    luma = numpy.tile(columns, (48, 1)).astype("<u2")
    chroma = numpy.full_like(luma, 1 << peers.DEPTHS[pixel_format] - 1)
    clip = peers.Video(f"at the limit {pixel_format}", pixel_format, luma.shape[1], 48, 25,
                       [[luma, chroma, chroma]] * 4, films.BT709)
    compare(clip, boxes=[(48, 0, 48, 48)])


def test_deep():
    """The limit of deep video: 24/255 of the largest value."""
    compare(films.barred(films.deep_420(6), (32, 20, 250, 140)), boxes=[(32, 20, 250, 140)])
    for pixel_format, limit in (("yuv444p10le", 96), ("yuv444p12le", 385), ("yuv444p16le", 6168)):
        at_limit(pixel_format, limit)


if __name__ == "__main__":
    sys.exit(peers.run(test_films, test_bars, test_black, test_deep))
