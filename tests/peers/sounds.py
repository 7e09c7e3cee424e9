"""The sounds that several tests of this folder measure.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import numpy
import peers

SPEECH = "/usr/share/sounds/alsa/"
SOUNDS = "/usr/share/sounds/freedesktop/stereo/"


def recording(name, sample_format, rate, channels, *files):
    """Recordings, one after the other. Test signals if they are not installed."""
    parts = []
    for number, file in enumerate(files):
        if os.access(file, os.R_OK):
            source = ["-i", file]
        else:
            print(f"{file} is not installed; a test signal stands in for it", flush=True)
            graph = (f"aevalsrc='0.4*sin(2*PI*(300+{number}*90+200*t)*t)*sin(3*t)"
                     "+0.01*(random(0)-0.5)':d=1.4:s=48000")
            source = ["-f", "lavfi", "-i", graph]
        parts.append(peers.audio(name, sample_format, rate, channels, *source).samples)
    return peers.Audio(name, sample_format, rate, numpy.concatenate(parts))


def speech(sample_format="s16le"):
    """Left and right speech at the same time, as two channels."""
    sides = [recording("side", sample_format, 48000, 1, f"{SPEECH}{side}.wav")
             for side in ("Front_Left", "Front_Right")]
    length = min(len(side.samples) for side in sides)
    samples = numpy.concatenate([side.samples[:length] for side in sides], 1)
    return peers.Audio(f"speech {sample_format}", sample_format, 48000, samples)


def bell(sample_format="f32le", rate=44100):
    return recording(f"bells {sample_format}", sample_format, rate, 2, f"{SOUNDS}complete.oga",
                     f"{SOUNDS}alarm-clock-elapsed.oga")


def clipped():
    """Speech that is too loud, and 2.5 s of silence. The silence lasts from sample 48000 to 168000."""
    speech_samples = speech().samples[:48000].astype(int)
    loud = numpy.clip(speech_samples * 6, -32768, 32767)
    # The samples at both ends of the silence are not silent.
    loud[0], loud[-1] = 5000, -5000
    quiet = numpy.random.default_rng(2).integers(-20, 20, (120000, 2))
    return peers.Audio("clipped", "s16le", 48000, numpy.concatenate((loud, quiet, loud)))


def surround(seconds=2):
    """5.1: six tones with noise. Each half second has other levels, with a fade between, because
    true-peak meters differ at sudden steps."""
    random, time = numpy.random.default_rng(3), numpy.arange(seconds * 48000) / 48000
    levels = 10 ** (-random.uniform(3, 40, (seconds * 2, 6)) / 20)
    tones = [numpy.sin(2 * numpy.pi * frequency * time)
             for frequency in (220, 331, 1000, 60, 3000, 7500)]
    places = numpy.arange(24000)
    envelope = numpy.clip(numpy.minimum(places, places[::-1]) / 480, 0, 1)
    envelope = numpy.tile(0.5 - 0.5 * numpy.cos(numpy.pi * envelope), seconds * 2)
    samples = numpy.stack(tones, 1) * numpy.repeat(levels, 24000, 0) * envelope[:, None]
    samples += random.normal(0, 1e-3, samples.shape)
    return peers.Audio("5.1", "f32le", 48000, samples)


def phases(length):
    """Stereo in parts of 3 s, each of whole buffers: unrelated, opposite, opposite and half as loud, equal, left alone,
    and again unrelated."""
    random = numpy.random.default_rng(8)
    count = 3 * 48000 // length * length
    noise = random.uniform(-0.5, 0.5, (6 * count, 2))
    for part, factor in ((1, -1), (2, -0.5), (3, 1), (4, 0)):
        part = slice(part * count, (part + 1) * count)
        noise[part, 1] = factor * noise[part, 0]
    return peers.Audio("phases", "f32le", 48000, noise)


def faint():
    """Samples below the smallest normal number, and exact zeros."""
    samples = numpy.zeros((9600, 2), "<f4")
    samples[:, 0] = numpy.random.default_rng(6).normal(0, 1e-38, 9600)
    samples[::7, 1] = 0.25
    samples[::11, 1] = -0.5
    return peers.Audio("faint", "f32le", 48000, samples)
