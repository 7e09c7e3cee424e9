#!/usr/bin/python3
"""The test signals of EBU Tech 3341 (loudness meters) and Tech 3342 (loudness range), made from their
descriptions. Cases 7 and 8 of Tech 3341 are recordings, which are left out.

    GST_PLUGIN_PATH=BUILD_DIR/plugin tests/peers/ebu.py

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import sys
import numpy
import peers
from loudness import has_loudness

RATE = 48000
TOLERANCE = 0.1  # LU
RANGE_TOLERANCE = 1
LEAST_PEAK, MOST_PEAK = -0.4, 0.2  # dB: how far a true peak may be below and above
SILENCE = -numpy.inf


def tones(*parts, channels=2):
    """1 kHz: parts of (level in dBFS or one for each channel, seconds)."""
    begin, samples = 0, []
    for levels, seconds in parts:
        count = round(seconds * RATE)
        time = numpy.arange(begin, begin + count) / RATE
        amplitudes = 10 ** (numpy.broadcast_to(numpy.asarray(levels, float), channels) / 20)
        samples.append(numpy.sin(2 * numpy.pi * 1000 * time)[:, None] * amplitudes)
        begin += count
    return numpy.concatenate(samples)


def measure(samples, caps=None, length=RATE // 10):
    """The figures after each buffer of @length samples."""
    clip = peers.Audio("EBU", "f32le", RATE, samples)
    if caps is not None:
        clip.caps = lambda: peers.Gst.Caps.from_string(caps)
    results, _ = peers.measure(clip, "measures=loudness histogram=false", length)
    return [result["loudness"] for result in results]


def expect(where, found, expected, tolerance=TOLERANCE):
    assert abs(found - expected) <= tolerance, (where, found, expected)


def test_integrated():
    """Tech 3341, cases 1 to 5."""
    for number, parts in enumerate((
            [(-23, 20)], [(-33, 20)], [(-36, 10), (-23, 60), (-36, 10)],
            [(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)],
            [(-26, 20), (-20, 20.1), (-26, 20)]), 1):
        last = measure(tones(*parts))[-1]
        expected = -33 if number == 2 else -23
        expect(f"case {number}", last["integrated"], expected)
        if number <= 2:
            expect(f"case {number}, M", last["momentary"], expected)
            expect(f"case {number}, S", last["short-term"], expected)


def test_surround():
    """Case 6: 5.0, in the order L, R, C, Ls, Rs."""
    last = measure(tones(([-28, -28, -24, -30, -30], 20), channels=5),
                   "audio/x-raw,format=F32LE,layout=interleaved,rate=48000,channels=5,"
                   "channel-mask=(bitmask)0x37")[-1]
    expect("case 6", last["integrated"], -23)


def test_constant():
    """Cases 9 and 12: short-term after 3 s and momentary after 1 s do not move."""
    for result in measure(tones(*[(-20, 1.34), (-30, 1.66)] * 5), length=RATE // 100)[300:]:
        expect("case 9", result["short-term"], -23)
    for result in measure(tones(*[(-20, 0.18), (-30, 0.22)] * 25), length=RATE // 100)[100:]:
        expect("case 12", result["momentary"], -23)


def test_maxima():
    """Cases 10, 11, 13 and 14: tones that begin at any multiple of 150 or 20 ms."""
    for case, name, length, step in ((10, "short-term-max", 3, 0.15), (13, "momentary-max", 0.4, 0.02)):
        for i in range(20):
            last = measure(tones((SILENCE, step * i), (-23, length), (SILENCE, 1)))[-1]
            expect(f"case {case}, {i}", last[name], -23)
        parts = [(SILENCE, 0)]
        for i in range(20):
            parts += [(SILENCE, step * i), (-38 + i, length), (SILENCE, length - step * i)]
            if i in (0, 7, 19):
                expect(f"case {case + 1}, {i}", measure(tones(*parts))[-1][name], -38 + i)


def check_peak(case, samples, expected):
    """Fades the signal in and out: its edges would be steps, which are louder."""
    places = numpy.arange(len(samples))
    edge = numpy.clip(numpy.minimum(places, places[::-1]) / (len(samples) / 8), 0, 1)
    samples = samples * numpy.sin(edge * numpy.pi / 2) ** 2
    last = measure(numpy.repeat(samples[:, None], 2, 1))[-1]
    for peak in last["true-peak"]:
        assert LEAST_PEAK <= peak - expected <= MOST_PEAK, (case, peak, expected)


def test_true_peak():
    """Cases 15 to 19: sines whose samples lie beside the peaks."""
    for case, amplitude, divisor, degrees, expected in (
            (15, 0.5, 4, 0, -6), (16, 0.5, 4, 45, -6), (17, 0.5, 6, 60, -6), (18, 0.5, 8, 67.5, -6),
            (19, 1.41, 4, 45, 3)):
        phase = 2 * numpy.pi * (numpy.arange(RATE) / divisor + degrees / 360)
        check_peak(case, amplitude * numpy.sin(phase), expected)


def test_true_peak_between_samples():
    """Cases 20 to 23: one louder period, made at 4 times the rate, low-passed, and decimated from each offset."""
    n = 4 * RATE // 10
    signal = 0.5 * numpy.sin(2 * numpy.pi * numpy.arange(n) / 24)
    begin = n // 2 // 48 * 48
    signal[begin:begin + 16] = numpy.sin(2 * numpy.pi * numpy.arange(16) / 16)
    taps = numpy.arange(-256, 257)
    low_pass = numpy.sinc(taps / 4) / 4 * numpy.kaiser(len(taps), 8)
    signal = numpy.convolve(signal, low_pass, "same")
    for offset in range(4):
        check_peak(20 + offset, signal[offset::4], 0)


def test_range():
    """Tech 3342, cases 1 to 4."""
    for case, (levels, expected) in enumerate((
            ([-20, -30], 10), ([-20, -15], 5), ([-40, -20], 20), ([-50, -35, -20, -35, -50], 15)), 1):
        last = measure(tones(*[(level, 20) for level in levels]))[-1]
        expect(f"Tech 3342, case {case}", last["range"], expected, RANGE_TOLERANCE)


if __name__ == "__main__":
    if not has_loudness():
        print("skipped: cudahisto was built without libebur128")
        sys.exit(77)
    sys.exit(peers.run(test_integrated, test_surround, test_constant, test_maxima, test_true_peak,
                       test_true_peak_between_samples, test_range))
