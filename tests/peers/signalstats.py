#!/usr/bin/python3
"""Every figure that ffmpeg's filter signalstats prints for every frame, from cudahisto's result.

    GST_PLUGIN_PATH=BUILD_DIR/plugin tests/peers/signalstats.py

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import sys
import films
import numpy
import peers

FILTER = "signalstats=stat=tout+vrep+brng"


def median(histogram):
    """The first bin at which more than half of the samples are counted."""
    return int(numpy.argmax(numpy.cumsum(histogram) > int(histogram.sum()) // 2))


def figures(result):
    """signalstats' figures of one frame, as it prints them."""
    signal, motion, found = result["signal"], result.get("motion"), {}

    def add_component(name, component):
        low, high = peers.low_and_high(component["histogram"])
        found[name + "MIN"] = f"{component['min']:g}"
        found[name + "LOW"] = f"{low}"
        found[name + "AVG"] = f"{component['mean']:g}"
        found[name + "HIGH"] = f"{high}"
        found[name + "MAX"] = f"{component['max']:g}"

    for number, name in enumerate("YUV"):
        add_component(name, result[name])
        found[name + "DIF"] = f"{motion[name]['mean']:g}" if motion else "0"
        found[name + "BITDEPTH"] = f"{signal['bits-used'][number]}"
    add_component("SAT", signal["saturation"])
    found["HUEMED"] = f"{median(signal['hue']['histogram'])}"
    found["HUEAVG"] = f"{signal['hue']['mean']:g}"
    for name in ("TOUT", "VREP", "BRNG"):
        found[name] = f"{signal[name.lower()]:g}"
    return found


def compare_sums(comparison, where, result):
    """Whether the histograms have the counts and sums that the components have."""
    components = [result[name] for name in "YUV"]
    components += [result["signal"]["saturation"], result["signal"]["hue"]]
    components += [result["motion"][name] for name in "YUV" if "motion" in result]
    for component in components:
        histogram = component["histogram"].astype(int)
        comparison.equal(where, "count", int(histogram.sum()), component["count"])
        comparison.equal(where, "sum", int((histogram * range(len(histogram))).sum()),
                         component["sum"])


def compare(clip, measured=None, but=()):
    """@measured: the clip in the format that cudahisto measures. @but: figures that have a test of
    their own."""
    comparison = peers.Comparison((measured or clip).name)
    frames, _ = peers.ffmpeg_filters(clip, FILTER, "v")
    results, _ = peers.measure(measured or clip, "measures=signal+motion")
    comparison.equal("clip", "frames", len(results), len(frames))
    for number, (theirs, result) in enumerate(zip(frames, results)):
        ours = figures(result)
        compare_sums(comparison, f"frame {number}", result)
        theirs = {name.removeprefix("signalstats."): figure for name, figure in theirs.items()}
        assert theirs.keys() == ours.keys(), theirs.keys() ^ ours.keys()
        for name in sorted(ours.keys() - set(but)):
            comparison.equal(f"frame {number}", name, ours[name], theirs[name])
    comparison.finish()
    return frames, results


def temporal_outliers(clip):
    """The share of temporal outliers of each frame. The threshold grows with the depth."""
    def outliers(above, samples, below):
        found = (abs(above - samples) + abs(below - samples)) // 2 - abs(below - above) \
            > 4 << clip.depth - 8
        return found[:, :-2] & found[:, 1:-1] & found[:, 2:]

    for planes in clip.frames:
        luma = planes[0].astype(int)
        found = outliers(luma[:-2], luma[1:-1], luma[2:])
        found[1:-1] &= outliers(luma[:-4], luma[2:-2], luma[4:])
        yield int(found.sum()) / luma.size


def compare_deep(clip, measured=None):
    """As compare(). TOUT: signalstats keeps only the low 8 bits of each sample, so the correct
    value is computed here."""
    _, results = compare(clip, measured, but=("TOUT",))
    for number, (result, share) in enumerate(zip(results, temporal_outliers(clip))):
        assert result["signal"]["tout"] == share, f"{clip.name} frame {number}: {share}"


def test_films():
    compare(films.vtest())
    compare(films.megamind())
    compare(films.tree())


def test_generated():
    compare(films.odd_420())
    compare(films.full_420())
    compare(films.narrow_411())


def test_deep():
    compare_deep(films.odd_422_deep())
    compare_deep(films.deep_420())
    compare_deep(films.deep_444())
    compare_deep(films.pq_420())


def test_temporal_outliers():
    """The deep clips have temporal outliers, and signalstats is right about them at 8 bits."""
    clip = films.odd_420()
    frames, _ = peers.ffmpeg_filters(clip, FILTER, "v")
    for theirs, share in zip(frames, temporal_outliers(clip)):
        assert theirs["signalstats.TOUT"] == f"{share:g}" != "0"
    assert any(share > 0 for share in temporal_outliers(films.deep_420()))


def test_semi_planar():
    """The same samples as NV12 and as P010. signalstats reads planar formats only."""
    clip = films.tree(count=6)
    compare(clip, clip.semi_planar())
    clip = films.deep_420(4)
    compare_deep(clip, clip.semi_planar())


def test_all_chroma():
    """Hue and saturation of every pair of U and V at 8 and 10 bits, and of some at 12 bits.

    A frame has one U, so that the printed digits of its means show a difference of one sample."""
    compare(films.all_chroma(8))
    compare_deep(films.all_chroma(10))
    compare_deep(films.all_chroma(12, 64))


def test_overflow():
    """signalstats' sums of a flat 16-bit frame do not fit in 32 bits. The mean of equal samples is
    their value."""
    clip = films.flat_16()
    wrong = ("YAVG", "UAVG", "VAVG", "SATAVG")
    frames, results = compare(clip, but=wrong)
    for theirs, result in zip(frames, results):
        assert theirs["signalstats.YAVG"] != "60000", "signalstats is right now"
        assert [result[name]["mean"] for name in "YUV"] == [60000, 40000, 30000]
        # √((40000 − 32768)² + (30000 − 32768)²) = 7743.6
        assert result["signal"]["saturation"]["mean"] == 7743


if __name__ == "__main__":
    sys.exit(peers.run(test_films, test_generated, test_deep, test_temporal_outliers,
                       test_semi_planar, test_all_chroma, test_overflow))
