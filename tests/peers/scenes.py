#!/usr/bin/python3
"""Scene changes, freezes and black pictures, as ffmpeg's filters scdet, freezedetect, blackdetect
and blackframe find them: the figures of every frame, and the times of the alerts.

    GST_PLUGIN_PATH=BUILD_DIR/plugin tests/peers/scenes.py

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import sys
import films
import numpy
import peers
from peers import Gst

RATE = 25
SETTINGS = "measures=motion alerts=black+freeze+scene"
# scdet prints three decimals; its score is in single precision.
TOLERANCE = 0.0005 + 1e-5
# ffmpeg's log has microseconds at most.
MICROSECOND = 1000


def moving(pixel_format, width, height, count, seed, colorimetry=None):
    return films.add_noise(films.generated("moving", pixel_format, width, height, RATE,
                                           f"testsrc2=%s,hue=h={seed * 40}", count, colorimetry),
                           2, seed).frames


def spliced(name, pixel_format, colorimetry=None, width=160, height=90):
    """Moving pictures, 2.4 s of black, moving pictures, a freeze of 2.8 s with a little noise, a
    cut, 1 s of black, and moving pictures."""
    clip = peers.Video(name, pixel_format, width, height, RATE, [], colorimetry)
    full = pixel_format.startswith("yuvj") or colorimetry == films.BT709_FULL
    level, middle = (0 if full else 16) << clip.depth - 8, 128 << clip.depth - 8
    one = moving(pixel_format, width, height, 30, 1, colorimetry)
    black = [[numpy.full_like(plane, level if index == 0 else middle)
              for index, plane in enumerate(one[0])]]
    # 0.6 % of a black picture are bright. A picture is black if 98 % of it are black.
    black[0][0][0, :width // 2] = 200 << clip.depth - 8
    still = moving(pixel_format, width, height, 1, 2, colorimetry)
    frozen = peers.Video("frozen", pixel_format, width, height, RATE, still * 70)
    # A quarter of the samples changes by 1: 0.0005 at 8 bits, below the noise of 0.001.
    random = numpy.random.default_rng(4)
    frozen.frames = [[plane ^ (random.integers(0, 8, plane.shape) == 0).astype(plane.dtype)
                      for plane in frame] for frame in frozen.frames]
    clip.frames = (one + black * 60 + moving(pixel_format, width, height, 30, 3, colorimetry)
                   + frozen.frames + moving(pixel_format, width, height, 20, 4, colorimetry)
                   + black * 25 + moving(pixel_format, width, height, 20, 5, colorimetry))
    return clip


def expect_alerts(comparison, alerts, kind, spans):
    """Compares the begins and ends of alerts with spans of (start, end) in seconds."""
    found = [alert for alert in alerts if alert["type"] == kind]
    ends = [alert for alert in found if alert["state"] == "end"]
    begins = [alert for alert in found if alert["state"] == "begin"]
    comparison.equal(kind, "number of alerts", (len(begins), len(ends)), (len(spans), len(spans)))
    for begin, end, (first, last) in zip(begins, ends, spans):
        for name, alert in (("begin", begin), ("end", end)):
            comparison.close(kind, f"start in {name}", alert["start"], first * Gst.SECOND,
                             MICROSECOND)
        comparison.close(kind, "end", end["end"], last * Gst.SECOND, MICROSECOND)
        comparison.close(kind, "duration", end["duration"], (last - first) * Gst.SECOND,
                         2 * MICROSECOND)


def black_threshold(clip, full):
    factor = 1 << clip.depth - 8
    return int(0.1 * ((1 << clip.depth) - 1)) if full else int(16 * factor + 0.1 * 219 * factor)


def compare_scenes(comparison, clip, results, alerts):
    frames, log = peers.ffmpeg_filters(clip, "scdet", "v")
    comparison.equal("clip", "frames", len(results), len(frames))
    for number, (theirs, result) in enumerate(zip(frames, results)):
        # The first frame, which has no previous frame: scdet prints 0, cudahisto has no figures.
        ours = result.get("motion", {"mafd": 0, "scene-score": 0} if number == 0 else {})
        for name, key in (("mafd", "scd.mafd"), ("scene-score", "scd.score")):
            comparison.close(f"frame {number}", name, ours.get(name), float(theirs[key]), TOLERANCE)
    found = [alert for alert in alerts if alert["type"] == "scene" and alert["state"] == "begin"]
    times = [time for _, time in peers.log_times(log, r"scd\.score", r"scd\.time")]
    comparison.equal("clip", "scene changes", len(found), len(times))
    for alert, time in zip(found, times):
        comparison.close("scene", "start", alert["start"], time * Gst.SECOND, MICROSECOND)
    assert len(times) >= 2, f"{clip.name}: {times}"


def compare_freezes(comparison, clip, alerts):
    _, log = peers.ffmpeg_filters(clip, "freezedetect", "v")
    starts = [time for time, in peers.log_times(log, "freeze_start")]
    ends = [time for time, in peers.log_times(log, "freeze_end")]
    assert len(starts) == len(ends) == 2, log
    expect_alerts(comparison, alerts, "freeze", list(zip(starts, ends)))


def compare_black(comparison, clip, results, alerts, full):
    _, log = peers.ffmpeg_filters(clip, "blackdetect", "v")
    spans = peers.log_times(log, "black_start", "black_end")
    assert len(spans) == 1, log
    expect_alerts(comparison, alerts, "black", spans)
    # The share of black pixels of each frame, which blackdetect writes to its debug log.
    threshold = black_threshold(clip, full)
    for number, (frame, result) in enumerate(zip(clip.frames, results)):
        share = int(result["Y"]["histogram"][:threshold + 1].sum()) / result["Y"]["count"]
        comparison.equal(f"frame {number}", "black", share,
                         int((frame[0] <= threshold).sum()) / frame[0].size)


def compare_black_frames(comparison, clip, results):
    """blackframe reads 8-bit video. It prints whole per cent."""
    frames, _ = peers.ffmpeg_filters(clip, "blackframe=amount=0", "v")
    for number, (theirs, result) in enumerate(zip(frames, results)):
        black = int(result["Y"]["histogram"][:32].sum())
        comparison.equal(f"frame {number}", "pblack", f"{black * 100 // result['Y']['count']}",
                         theirs["blackframe.pblack"])


def compare(clip, measured=None, full=False):
    comparison = peers.Comparison((measured or clip).name)
    results, alerts = peers.measure(measured or clip, SETTINGS)
    compare_scenes(comparison, clip, results, alerts)
    compare_freezes(comparison, clip, alerts)
    compare_black(comparison, clip, results, alerts, full)
    if clip.depth == 8 and not full:
        compare_black_frames(comparison, clip, results)
    comparison.finish()


def test_8_bit():
    clip = spliced("spliced", "yuv420p")
    compare(clip)
    compare(clip, clip.semi_planar())


def test_deep():
    compare(spliced("spliced 10 bit", "yuv422p10le"))


def test_full_range():
    compare(spliced("spliced full range", "yuvj420p", films.BT709_FULL), full=True)


def test_rgb():
    """scdet's figures of RGB are means over R, G and B."""
    clip = films.tree("rgb24")
    comparison = peers.Comparison(clip.name)
    results, _ = peers.measure(clip, "measures=motion")
    frames, _ = peers.ffmpeg_filters(clip, "scdet", "v")
    for number, (theirs, result) in enumerate(zip(frames[1:], results[1:])):
        for name, key in (("mafd", "scd.mafd"), ("scene-score", "scd.score")):
            comparison.close(f"frame {number + 1}", name, result["motion"][name],
                             float(theirs[key]), TOLERANCE)
    comparison.finish()


def test_films():
    """The figures of scdet, and a cut in a film."""
    for clip in (films.vtest(), films.megamind(), films.tree()):
        comparison = peers.Comparison(clip.name)
        results, alerts = peers.measure(clip, "measures=motion alerts=scene")
        frames, log = peers.ffmpeg_filters(clip, "scdet", "v")
        comparison.equal("clip", "frames", len(results), len(frames))
        for number, (theirs, result) in enumerate(zip(frames[1:], results[1:])):
            for name, key in (("mafd", "scd.mafd"), ("scene-score", "scd.score")):
                comparison.close(f"frame {number + 1}", name, result["motion"][name],
                                 float(theirs[key]), TOLERANCE)
        times = [time for _, time in peers.log_times(log, r"scd\.score", r"scd\.time")]
        begins = [alert["start"] for alert in alerts if alert["state"] == "begin"]
        comparison.equal("clip", "scene changes", len(begins), len(times))
        for begin, time in zip(begins, times):
            comparison.close("scene", "start", begin, time * Gst.SECOND, MICROSECOND)
        comparison.finish()


def test_slow_drift():
    """A picture whose steps are below the noise, and their sum is above it. freezedetect compares it
    with the first frame of the freeze and finds none; cudahisto compares neighbours and finds one."""
    first = moving("yuv420p", 160, 90, 1, 1)[0]
    clip = peers.Video("slow drift", "yuv420p", 160, 90, RATE, [])
    base = numpy.minimum(first[0], 150)
    for number in range(75):
        luma = base.copy()
        luma[::5] += numpy.uint8(number)
        clip.frames.append([luma, *first[1:]])
    clip.frames += moving("yuv420p", 160, 90, 5, 3)
    comparison = peers.Comparison(clip.name)
    _, log = peers.ffmpeg_filters(clip, "freezedetect", "v")
    comparison.equal("freezedetect", "freezes", "freeze_start" in log, False)
    _, alerts = peers.measure(clip, SETTINGS)
    expect_alerts(comparison, alerts, "freeze", [(0, 3)])
    comparison.finish()


def test_odd_height():
    """The freeze measure of a picture of odd height. freezedetect leaves out the last row of chroma
    there, so the correct value is computed here."""
    clip = films.odd_420(4)
    results, _ = peers.measure(clip, "measures=motion")
    for number in range(1, 4):
        pairs = list(zip(clip.frames[number], clip.frames[number - 1]))
        total = sum(int(abs(a.astype(int) - b).sum()) for a, b in pairs)
        share = total / sum(a.size for a, _ in pairs) / 256
        found = results[number]["motion"]["freeze"]
        assert abs(found - share) < 1e-12, f"frame {number}: {found}, not {share}"


if __name__ == "__main__":
    sys.exit(peers.run(test_8_bit, test_deep, test_full_range, test_rgb, test_films,
                       test_slow_drift, test_odd_height))
