#!/usr/bin/python3
"""EBU R 128 loudness, as ffmpeg's filter ebur128 measures it.

cudahisto filters with libebur128, but for the true peak. Both follow ITU-R BS.1770 and EBU Tech 3341 and 3342; ebu.py has
their signals.

    GST_PLUGIN_PATH=BUILD_DIR/plugin tests/peers/loudness.py

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import math
import sys
import numpy
import peers
import sounds

TOLERANCE = 0.1  # LU
PRINTED = 0.0005 + 1e-6  # ffmpeg prints three decimals
# For integrated loudness, ffmpeg sorts blocks into bins of 0.01 LU. So a block close to the
# relative gate may count in one program and not in the other.
BINS = 0.02
AT_GATE, BUFFERS_AT_GATE = 1, 3
# At the begin, ffmpeg prints -120.7: momentary in the first 400 ms, short-term in the first 3 s.
GATE = -70


def has_loudness():
    """Whether this build has the group: without libebur128 the element refuses it."""
    element = peers.Gst.ElementFactory.make("cudahisto")
    peers.Gst.util_set_object_arg(element, "measures", "loudness")
    return "loudness" in element.get_property("measures").value_nicks


def compare_levels(comparison, results, frames):
    """Momentary, short-term and integrated loudness after each 100 ms."""
    filled = {"momentary": ("M", 4, PRINTED), "short-term": ("S", 30, PRINTED),
              "integrated": ("I", 4, BINS)}
    compared, at_gate = {name: 0 for name in filled}, 0
    for number, (result, theirs) in enumerate(zip(results, frames)):
        for name, (key, blocks, tolerance) in filled.items():
            expected = float(theirs.get(f"r128.{key}", GATE))
            if number < blocks or expected <= GATE:
                continue
            found = result["loudness"][name]
            if tolerance == BINS and abs(found - expected) > tolerance:
                at_gate, tolerance = at_gate + 1, AT_GATE
            comparison.close(f"{(number + 1) / 10:.1f} s", name, found, expected, tolerance)
            compared[name] += 1
    assert all(compared.values()), compared
    last = [number for number, frame in enumerate(frames) if "r128.I" in frame][-1]
    comparison.close("end", "integrated", results[last]["loudness"]["integrated"],
                     float(frames[last]["r128.I"]), TOLERANCE)
    comparison.equal("clip", "buffers at the gate", at_gate <= BUFFERS_AT_GATE, True)


def compare_peaks(comparison, clip, results, frames):
    for number, (result, theirs) in enumerate(zip(results, frames)):
        where, loudness = f"{(number + 1) / 10:.1f} s", result["loudness"]
        if "r128.sample_peak" not in theirs:
            continue
        for index in range(clip.channels):
            # ffmpeg prints three decimals of the share of full scale.
            peak = float(theirs[f"r128.sample_peaks_ch{index}"])
            comparison.close(where, f"sample-peak {index}",
                             10 ** (loudness["sample-peak"][index] / 20), peak, PRINTED)
            peak = float(theirs[f"r128.true_peaks_ch{index}"])
            if peak > 0.05:
                comparison.close(where, f"true-peak {index}", loudness["true-peak"][index],
                                 20 * math.log10(peak),
                                 TOLERANCE + 20 * math.log10(1 + PRINTED / peak))


def compare(clip):
    comparison = peers.Comparison(clip.name)
    length = clip.rate // 10
    results, _ = peers.measure(clip, "measures=loudness histogram=false", length)
    frames, _ = peers.ffmpeg_filters(
        clip, f"aresample=osf=dbl,asetnsamples=n={length}:p=0,ebur128=metadata=1:peak=true+sample",
        "a", "pcm_f64le")
    # The last buffer of ffmpeg has fewer samples than 100 ms, and no figures, or repeats them.
    compare_levels(comparison, results, frames)
    compare_peaks(comparison, clip, results, frames)
    comparison.finish()
    return results, frames


def steps(name, sample_format, rate, channels, seconds, *levels):
    """A tone of 1 kHz whose level changes. EBU Tech 3341 and 3342 have such signals."""
    time = numpy.arange(seconds * rate) / rate
    tone = numpy.sin(2 * numpy.pi * 1000 * time)
    samples = numpy.concatenate([tone * 10 ** (level / 20) for level in levels])
    scale = peers.Audio.NAMES[sample_format][2]
    samples = numpy.repeat(samples[:, None], channels, 1) * scale
    return peers.Audio(name, sample_format, rate, numpy.rint(samples) if scale > 1 else samples)


def test_speech():
    compare(sounds.recording("speech", "s16le", 48000, 1, *(
        f"{sounds.SPEECH}{name}.wav" for name in ("Front_Center", "Front_Left", "Rear_Right",
                                                  "Side_Left", "Noise"))))


def test_bells():
    compare(sounds.bell("f32le", 48000))
    compare(sounds.bell("s32le", 44100))


def test_steps():
    compare(steps("tone", "s16le", 48000, 2, 4, -23, -33, -20, -50))


def test_absolute():
    """EBU Tech 3341, case 1: a stereo tone of 1 kHz with peaks at -23 dBFS has -23 LUFS."""
    clip = steps("tone at -23 dBFS", "f32le", 48000, 2, 8, -23)
    results, _ = peers.measure(clip, "measures=loudness histogram=false", 4800)
    for name in ("momentary", "short-term", "integrated"):
        assert abs(results[-1]["loudness"][name] + 23) < TOLERANCE, (name, results[-1]["loudness"])


def test_range():
    """EBU Tech 3342, case 1: 20 s at -20 dBFS and 20 s at -30 dBFS have a range of 10 LU.

    Other clips are too short for a comparison: in the first seconds ffmpeg also counts blocks that are not
    complete."""
    results, frames = compare(steps("tone of two levels", "s16le", 48000, 2, 20, -20, -30))
    ours = results[-1]["loudness"]["range"]
    theirs = float([frame for frame in frames if "r128.LRA" in frame][-1]["r128.LRA"])
    assert abs(ours - 10) < TOLERANCE and abs(ours - theirs) < TOLERANCE, (ours, theirs)


def test_surround():
    compare(sounds.surround(6))


if __name__ == "__main__":
    if not has_loudness():
        print("skipped: cudahisto was built without libebur128")
        sys.exit(77)
    sys.exit(peers.run(test_speech, test_bells, test_steps, test_absolute, test_range,
                       test_surround))
