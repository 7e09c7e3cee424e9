#!/usr/bin/python3
"""Figures that follow from the basic histograms: those of GStreamer's videoanalyse, and of ffmpeg's
filter entropy.

    GST_PLUGIN_PATH=BUILD_DIR/plugin tests/peers/analyse.py

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import math
import sys
import films
import numpy
import peers


def videoanalyse(luma):
    """videoanalyse's average and variance. It subtracts the mean without its fraction."""
    histogram, size = luma["histogram"].astype(int), int(luma["count"])
    values = numpy.arange(256)
    squares = int((histogram * (int(luma["sum"]) // size - values) ** 2).sum())
    return luma["sum"] / (255 * size), squares / (255 ** 2 * size)


def entropy(component, depth):
    """The filter's sum in single precision, and the same in relation to the depth."""
    total, entropy = numpy.float32(component["count"]), numpy.float32(0)
    for count in component["histogram"][component["histogram"] > 0]:
        share = numpy.float32(count) / total
        entropy = numpy.float32(float(entropy) - math.log2(float(share)) * float(share))
    return entropy, float(entropy) / depth


def compare_videoanalyse(clip, measured=None):
    comparison = peers.Comparison(f"{(measured or clip).name}: videoanalyse")
    results, _ = peers.measure(measured or clip, "")
    theirs = peers.messages(clip, "videoanalyse", ["GstVideoAnalyse"])["GstVideoAnalyse"]
    comparison.equal("clip", "frames", len(results), len(theirs))
    for number, (result, message) in enumerate(zip(results, theirs)):
        average, variance = videoanalyse(result["Y"])
        where = f"frame {number}"
        comparison.close(where, "luma-average", average, message["luma-average"], 1e-15)
        comparison.close(where, "luma-variance", variance, message["luma-variance"], 1e-15)
        # cudahisto's own variance has the fraction of the mean.
        difference = math.modf(result["Y"]["mean"])[0] ** 2
        comparison.close(where, "variance", result["Y"]["variance"] / 255 ** 2,
                         variance - difference / 255 ** 2, 1e-12)
    comparison.finish()


def compare_entropy(clip, names={"Y": "Y", "U": "U", "V": "V"}):
    """@names: the filter's name of each component."""
    comparison = peers.Comparison(f"{clip.name}: entropy")
    results, _ = peers.measure(clip, "")
    frames, _ = peers.ffmpeg_filters(clip, "entropy", "v")
    comparison.equal("clip", "frames", len(results), len(frames))
    for number, (result, theirs) in enumerate(zip(results, frames)):
        for name, their_name in names.items():
            where = f"frame {number} {name}"
            single, share = entropy(result[name], clip.depth)
            comparison.equal(where, "entropy", f"{single:f}",
                             theirs[f"entropy.entropy.normal.{their_name}"])
            comparison.equal(where, "normalized entropy", f"{share:f}",
                             theirs[f"entropy.normalized_entropy.normal.{their_name}"])
            # The filter's sum in single precision is off by some 1e-5.
            counts = result[name]["histogram"][result[name]["histogram"] > 0]
            shares = counts / int(counts.sum())
            comparison.close(where, "entropy in double precision", result[name]["entropy"],
                             float(-(shares * numpy.log2(shares)).sum()), 1e-10)
    comparison.finish()


def test_videoanalyse():
    compare_videoanalyse(films.vtest())
    compare_videoanalyse(films.megamind())
    clip = films.tree()
    compare_videoanalyse(clip)
    compare_videoanalyse(clip, clip.semi_planar())
    compare_videoanalyse(films.odd_420())
    compare_videoanalyse(films.full_420())


def test_entropy():
    compare_entropy(films.vtest(8))
    compare_entropy(films.megamind(8))
    compare_entropy(films.odd_420())


def test_entropy_of_deep_video():
    compare_entropy(films.odd_422_deep(4))
    compare_entropy(films.deep_420(4))
    compare_entropy(films.deep_444(2))


def test_entropy_of_rgb():
    """The filter exchanges the names of the planes of GBR: it calls green B, blue R, and red G."""
    compare_entropy(films.tree("gbrp", 6), {"G": "B", "B": "R", "R": "G"})


if __name__ == "__main__":
    sys.exit(peers.run(test_videoanalyse, test_entropy, test_entropy_of_deep_video,
                       test_entropy_of_rgb))
