#!/usr/bin/python3
"""The figures of sound: those of ffmpeg's filters astats, volumedetect and axcorrelate, of GStreamer's level, and the
times of silencedetect and aphasemeter.

    GST_PLUGIN_PATH=BUILD_DIR/plugin tests/peers/levels.py

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import math
import re
import sys
import numpy
import peers
import sounds
from peers import Gst

# astats prints six decimals. Sums of doubles depend on the order of the additions.
TOLERANCE = 0.5e-6 + 1e-9


def decibel(share):
    return 20 * math.log10(share) if share > 0 else -math.inf


def same(a, b, tolerance):
    return a == b or math.isnan(a) and math.isnan(b) or \
        abs(a - b) <= tolerance + 1e-12 * abs(b)


# ---- astats ----------------------------------------------------------------------------------

def astats_figures(clip, channel):
    """astats' figures that are fields of the channel, or follow from them."""
    count, scale = channel["count"], clip.scale
    squares = channel["variance"] + channel["mean"] ** 2
    found = {
        "DC_offset": channel["dc-offset"], "Min_level": channel["min"], "Max_level": channel["max"],
        "Peak_level": decibel(max(-channel["min"], channel["max"]) / scale),
        "RMS_level": decibel(math.sqrt(squares) / scale),
        "RMS_peak": channel["rms-peak"], "RMS_trough": channel["rms-trough"],
        "Crest_factor": channel["crest-factor"], "Flat_factor": channel["flat-factor"],
        "Peak_count": channel["peak-count"], "Noise_floor": channel["noise-floor"],
        "Entropy": channel["level-entropy"], "Bit_depth": channel["bit-depth"],
        "Dynamic_range": channel["dynamic-range"], "Zero_crossings": channel["zero-crossings"],
        "Zero_crossings_rate": channel["zero-crossings"] / count,
    }
    if scale == 1:
        found |= {"Number of NaNs": channel["nan"], "Number of Infs": channel["inf"],
                  "Number of denormals": channel["denormals"]}
    return found


def astats_differences(channel, boundary):
    """astats' figures of differences. It leaves out the difference @boundary between the first
    sample and the last one of the buffer before."""
    count, mean, rms = channel["count"], channel["mean-difference"], channel["rms-difference"]
    pairs = count if boundary is not None else count - 1
    boundary = boundary or 0
    return {"Mean_difference": (mean * pairs - boundary) / (count - 1),
            "RMS_difference": math.sqrt(max(0, rms ** 2 * pairs - boundary ** 2) / (count - 1))}


def compare_channel(comparison, where, clip, channel, theirs, samples):
    """Compares all figures but those of differences."""
    window = max(int(0.05 * clip.rate + 0.5), 1)
    for name, ours in astats_figures(clip, channel).items():
        expected = float(theirs[name])
        if name == "Crest_factor" and any(samples):
            # astats does not divide the peak of integers by their full scale here.
            expected /= clip.scale
        if name in ("RMS_peak", "RMS_trough") and len(samples) == window:
            continue  # astats has no value and prints the root of DBL_MAX
        agree = same(ours, expected, TOLERANCE)
        comparison.equal(where, name, None if agree else ours, None if agree else expected)


def compare_differences(comparison, where, channel, theirs, boundary):
    for name, ours in astats_differences(channel, boundary).items():
        # Without the boundary, a difference of two numbers that are not exact.
        agree = same(ours, float(theirs[name]), TOLERANCE + 1e-9 * abs(ours))
        comparison.equal(where, name, ours if not agree else 0, 0 if agree else theirs[name])
    for name, choose in (("min", min), ("max", max)):
        expected = float(theirs[f"{name.capitalize()}_difference"])
        if boundary is not None:
            expected = choose(expected, boundary)
        comparison.close(where, f"{name}-difference", channel[f"{name}-difference"], expected,
                         TOLERANCE)


def of_channel(frame, index):
    prefix = f"astats.{index + 1}."
    return {name.removeprefix(prefix): value for name, value in frame.items()
            if name.startswith(prefix)}


def compare_astats(clip, length):
    """The figures of each buffer."""
    comparison = peers.Comparison(f"{clip.name}, {length} samples: astats")
    results, _ = peers.measure(clip, "measures=level histogram=false", length)
    frames, _ = peers.ffmpeg_filters(
        clip, f"asetnsamples=n={length}:p=0,astats=metadata=1:reset=1:measure_overall=none", "a")
    comparison.equal("clip", "buffers", len(results), len(frames))
    for number, (result, frame) in enumerate(zip(results, frames)):
        for index in range(clip.channels):
            where, channel = f"buffer {number} ch{index}", result[f"ch{index}"]
            theirs = of_channel(frame, index)
            samples = clip.samples[number * length:(number + 1) * length, index].astype(float)
            boundary = None
            if number:
                boundary = abs(samples[0] - float(clip.samples[number * length - 1, index]))
            compare_channel(comparison, where, clip, channel, theirs, samples)
            compare_differences(comparison, where, channel, theirs, boundary)
    comparison.finish()


def compare_window(clip, length):
    """One window over the whole clip, against astats of the clip in one piece."""
    comparison = peers.Comparison(f"{clip.name}: astats of a window")
    found = peers.windows(clip, "measures=level histogram=false window=60000000000", length)
    frames, _ = peers.ffmpeg_filters(
        clip, f"asetnsamples=n={len(clip.samples)},astats=metadata=1:measure_overall=none", "a")
    comparison.equal("clip", "windows", len(found), 1)
    for index in range(clip.channels):
        where, channel, theirs = f"ch{index}", found[0][f"ch{index}"], of_channel(frames[-1], index)
        compare_channel(comparison, where, clip, channel, theirs, clip.samples[:, index])
        compare_differences(comparison, where, channel, theirs, None)
    comparison.finish()


def test_astats_of_speech():
    compare_astats(sounds.speech(), 1024)
    compare_astats(sounds.speech(), 4800)


def test_astats_of_formats():
    compare_astats(sounds.speech("s32le"), 4800)
    compare_astats(sounds.bell("f32le"), 4410)
    compare_astats(sounds.bell("f64le"), 1024)
    compare_astats(sounds.surround(), 4800)


def test_astats_of_extremes():
    compare_astats(sounds.clipped(), 4800)
    compare_astats(sounds.faint(), 4800)


def test_astats_of_windows():
    compare_window(sounds.speech(), 1024)
    compare_window(sounds.bell("f32le"), 4410)
    compare_window(sounds.clipped(), 4800)


def test_clipped():
    """No peer has these figures: the samples at full scale."""
    clip, length = sounds.clipped(), 4800
    results, _ = peers.measure(clip, "measures=level histogram=false", length)
    total = 0
    for number, result in enumerate(results):
        for index in range(clip.channels):
            samples = clip.samples[number * length:(number + 1) * length, index]
            expected = int(((samples == 32767) | (samples == -32768)).sum())
            found = result[f"ch{index}"]["clipped"]
            assert found == expected, f"buffer {number} ch{index}: {found}, not {expected}"
            total += found
    assert total > 100, total


# ---- level -----------------------------------------------------------------------------------

def compare_level(clip, length):
    comparison = peers.Comparison(f"{clip.name}, {length} samples: level")
    results, _ = peers.measure(clip, "measures=level histogram=false", length)
    interval = Gst.util_uint64_scale(length, Gst.SECOND, clip.rate)
    theirs = peers.messages(clip, f"level interval={interval}", ["level"], length)["level"]
    # At the end of the stream, level posts a message even if no sample is left.
    comparison.equal("clip", "messages", len(theirs) - len(results) in (0, 1), True)
    for number, (result, message) in enumerate(zip(results, theirs)):
        for index in range(clip.channels):
            for name in ("rms", "peak", "decay"):
                comparison.close(f"buffer {number} ch{index}", name, result[f"ch{index}"][name],
                                 message[name][index], 1e-9)
    comparison.finish()


def test_level():
    compare_level(sounds.speech(), 1024)
    compare_level(sounds.speech("s32le"), 960)
    compare_level(sounds.bell("f64le", 48000), 1024)
    compare_level(sounds.clipped(), 4800)
    compare_level(sounds.surround(), 480)


# ---- volumedetect ------------------------------------------------------------------------------

def volumedetect(histogram):
    """The lines that volumedetect prints for a histogram of all values of 16 bits."""
    def loudness(square):
        return -10 * math.log10(square / 0x8000 ** 2) if square else 91

    values, total = range(-0x8000, 0x8000), int(histogram.sum())
    squares = sum(int(count) * value * value for value, count in zip(values, histogram) if count)
    used = [abs(value) for value, count in zip(values, histogram) if count]
    lines = {"n_samples": f"{total}", "max_volume": f"{-loudness(max(used) ** 2):.1f} dB",
             "mean_volume": f"{-loudness((squares + total // 2) // total):.1f} dB"}
    decibels = numpy.zeros(92, int)
    for value, count in zip(values, histogram):
        decibels[int(loudness(value * value))] += count
    printed = 0
    for level in range(int(numpy.flatnonzero(decibels)[0]), 92):
        if printed >= total // 1000:
            break
        lines[f"histogram_{level}db"] = f"{decibels[level]}"
        printed += decibels[level]
    return lines


def compare_volumedetect(clip):
    comparison = peers.Comparison(f"{clip.name}: volumedetect")
    results, _ = peers.measure(clip, "bins=65536", 4800)
    _, log = peers.ffmpeg_filters(clip, "volumedetect", "a")
    theirs = dict(re.findall(r"\] (n_samples|m\w+_volume|histogram_\d+db): (.*)", log))
    histogram = sum(result[f"ch{index}"]["histogram"].astype(int)
                    for result in results for index in range(clip.channels))
    ours = volumedetect(histogram)
    for name in ours.keys() | theirs.keys():
        comparison.equal("clip", name, ours.get(name), theirs.get(name))
    comparison.finish()


def test_volumedetect():
    compare_volumedetect(sounds.speech())
    compare_volumedetect(sounds.clipped())


# ---- silencedetect -----------------------------------------------------------------------------

def silences(clip, length, threshold):
    """The silences that silencedetect finds, and those of cudahisto, as (start, end) in ns."""
    _, alerts = peers.measure(clip, "alerts=silence", length)
    _, log = peers.ffmpeg_filters(clip, f"silencedetect=noise={threshold}", "a")
    starts = [time for time, in peers.log_times(log, "silence_start")]
    ends = [time for time, in peers.log_times(log, "silence_end")]
    alerts = [alert for alert in alerts if alert["type"] == "silence"]
    begins = [alert["start"] for alert in alerts if alert["state"] == "begin"]
    ours = [(alert["start"], alert["end"]) for alert in alerts if alert["state"] == "end"]
    assert begins == [start for start, _ in ours], (begins, ours)
    return ours, [(start * Gst.SECOND, end * Gst.SECOND) for start, end in zip(starts, ends)]


def test_silencedetect():
    """A silence that begins and ends with a buffer: the times are equal to a microsecond."""
    ours, theirs = silences(sounds.clipped(), 4800, "0.001")
    assert len(ours) == len(theirs) == 1, (ours, theirs)
    for our_time, their_time in zip(ours[0], theirs[0]):
        assert abs(our_time - their_time) <= 1000, (ours, theirs)


def test_silencedetect_inside_buffers():
    """A silence that begins and ends inside of buffers: cudahisto's times are those of the buffers
    that are silent as a whole."""
    length = 1024
    ours, theirs = silences(sounds.clipped(), length, "0.001")
    assert len(ours) == len(theirs) == 1, (ours, theirs)
    (our_start, our_end), (their_start, their_end) = ours[0], theirs[0]
    longest = length * Gst.SECOND / 48000 + 1000
    assert -1000 <= our_start - their_start <= longest, (ours, theirs)
    assert -1000 <= their_end - our_end <= longest, (ours, theirs)


def test_no_silence():
    """Speech with pauses shorter than 2 s."""
    assert silences(sounds.speech(), 1024, "0.001") == ([], [])


def test_silent_channels():
    """silencedetect of each channel: the buffers that are silent as a whole."""
    clip, length = sounds.phases(480), 480
    clip.samples = clip.samples.copy()
    clip.samples[:, 0] *= numpy.where(numpy.arange(len(clip.samples)) // 48000 % 5 == 2, 0.0015, 1)
    results, _ = peers.measure(clip, "measures=level histogram=false", length)
    _, log = peers.ffmpeg_filters(clip, "silencedetect=noise=0.001:duration=0.5:mono=1", "a")
    for index in range(2):
        ours = [result[f"ch{index}"]["silent"] for result in results]
        theirs = numpy.zeros(len(results), int)
        starts = re.findall(rf"channel: {index} \| silence_start: ?([0-9.]+)", log)
        ends = re.findall(rf"channel: {index} \| silence_end: ?([0-9.]+)", log)
        for start, end in zip(starts, ends):
            theirs[round(float(start) * 100):round(float(end) * 100)] = 1
        assert starts and ours == list(theirs), (index, starts, ends)


# ---- Pairs -----------------------------------------------------------------------------------

def figures_of_pairs(samples):
    """The definitions, with numpy: correlation, mono loss, balance; and aphasemeter's phase."""
    x, y = samples[:, 0].astype(float), samples[:, 1].astype(float)
    xx, yy, xy = (x * x).sum(), (y * y).sum(), (x * y).sum()
    with numpy.errstate(divide="ignore", invalid="ignore"):
        phase = 2 * x * y / (x * x + y * y)
        return (xy / math.sqrt(xx * yy) if xx * yy else None,
                10 * numpy.log10(max(0, xx + yy + 2 * xy) / (2 * (xx + yy))) if xx + yy else None,
                10 * numpy.log10(xx / yy) if xx + yy else None,
                numpy.where(numpy.isnan(phase), 1, phase).mean())


def compare_pairs(clip, length):
    """Each buffer with the definitions, and these with aphasemeter's phase, which is a sum in single precision."""
    comparison = peers.Comparison(f"{clip.name}, {length} samples: pairs")
    results, _ = peers.measure(clip, "measures=level histogram=false", length)
    frames, _ = peers.ffmpeg_filters(
        clip, f"asetnsamples=n={length}:p=0,aphasemeter=video=0", "a")
    comparison.equal("clip", "buffers", len(results), len(frames))
    for number, (result, frame) in enumerate(zip(results, frames)):
        (pair,) = result["pairs"]
        samples = clip.samples[number * length:(number + 1) * length]
        correlation, loss, balance, phase = figures_of_pairs(samples)
        comparison.equal(number, "channels", (pair["first"], pair["second"]), ("ch0", "ch1"))
        comparison.close(number, "phase", phase, float(frame["aphasemeter.phase"]), 1e-4)
        for name, expected, tolerance in (("correlation", correlation, 1e-12), ("balance", balance, 1e-9)):
            if expected is None:
                comparison.equal(number, name, pair.get(name), None)
            else:
                comparison.close(number, name, pair[name], expected, tolerance)
        comparison.close(number, "mono-loss", 10 ** (pair["mono-loss"] / 10), 10 ** (loss / 10), 1e-12)
    comparison.finish()


def test_pairs():
    compare_pairs(sounds.phases(4800), 4800)
    compare_pairs(sounds.bell("f32le"), 1024)


def test_constants():
    """x = 0.5, y = -0.25; and y = 0."""
    for y, phase, expected in ((-0.25, -0.8, {"correlation": -1, "mono-loss": -10}),
                               (0, 0, {"mono-loss": 10 * math.log10(0.5), "balance": math.inf})):
        clip = peers.Audio("constants", "f32le", 48000, numpy.tile([0.5, y], (4800, 1)))
        ((result,), _) = peers.measure(clip, "measures=level histogram=false", 4800)
        (frame,), _ = peers.ffmpeg_filters(clip, "asetnsamples=n=4800,aphasemeter=video=0", "a")
        (pair,) = result["pairs"]
        assert abs(float(frame["aphasemeter.phase"]) - phase) < 1e-4, frame
        assert ("correlation" in pair) == (y != 0), pair
        for name, value in expected.items():
            assert pair[name] == value or abs(pair[name] - value) < 1e-12, (name, pair)


def spans_of(flags, length, rate):
    """The spans in seconds of running figures, which become 1 after 2 s."""
    edges = numpy.flatnonzero(numpy.diff([0, *flags, 0]))
    return [((begin + 1) * length / rate - 2, end * length / rate) for begin, end in zip(edges[::2], edges[1::2])]


def test_phase_spans():
    """The times of aphasemeter: opposite channels, and equal ones. For opposite channels that are not equally loud it
    has other limits: their phase is -0.8."""
    length = 1920
    clip = sounds.phases(length)
    results, _ = peers.measure(clip, "measures=level histogram=false", length)
    _, log = peers.ffmpeg_filters(clip, f"asetnsamples=n={length},aphasemeter=video=0:phasing=1", "a")
    part = 3 * 48000 // length * length / 48000
    for figure, name, their_parts, our_parts in (("inverted", "out_phase", (1, 2), (1, 3)),
                                                 ("dual-mono", "mono", (3, 4), (3, 4))):
        theirs = list(zip(*(sum(peers.log_times(log, f"[^_]{name}_{edge}"), ()) for edge in ("start", "end"))))
        ours = spans_of([result["pairs"][0][figure] for result in results], length, clip.rate)
        for found, (begin, end) in ((theirs, their_parts), (ours, our_parts)):
            assert len(found) == 1, (name, ours, theirs)
            assert all(abs(time - expected * part) < 1e-3 + length / 48000
                       for time, expected in zip(found[0], (begin, end))), (name, found)


def test_axcorrelate():
    """Its first number of each block is the correlation of the block."""
    length = 4800
    clip = sounds.phases(length)
    results, _ = peers.measure(clip, "measures=level histogram=false", length)
    theirs = peers.audio("correlation", "f32le", 48000, 1, *clip.input(), "-filter_complex",
                         f"channelsplit[l][r];[l][r]axcorrelate=size={length}:algo=fast").samples[:, 0]
    comparison = peers.Comparison("axcorrelate")
    for number, result in enumerate(results[:-1]):
        # It has single precision, and its sums go on from sample to sample.
        comparison.close(number, "correlation", result["pairs"][0].get("correlation", 0),
                         float(theirs[number * length]), 2e-3)
    comparison.finish()


if __name__ == "__main__":
    sys.exit(peers.run(
        test_astats_of_speech, test_astats_of_formats, test_astats_of_extremes,
        test_astats_of_windows, test_clipped, test_level, test_volumedetect, test_silencedetect,
        test_silencedetect_inside_buffers, test_no_silence, test_silent_channels, test_pairs, test_constants,
        test_phase_spans, test_axcorrelate))
