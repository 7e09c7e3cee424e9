#!/usr/bin/python3
"""The results of decoded files, compared with numpy's for the same files decoded by ffmpeg.

    GST_PLUGIN_PATH=BUILD_DIR/plugin tests/peers/decode.py

CUDAHISTO_TEST_BACKEND in the environment is the backend to test; the default is auto.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import clips
import numpy

PERCENTS = {"p1": 1, "p10": 10, "p50": 50, "p90": 90, "p99": 99}
SECONDS = "2"
WIDTH, HEIGHT = 720, 528
PLANES_420 = [(HEIGHT, WIDTH), (HEIGHT // 2, WIDTH // 2), (HEIGHT // 2, WIDTH // 2)]
BACKEND = os.environ.get("CUDAHISTO_TEST_BACKEND", "auto")
HISTO = f"queue ! cudahisto backend={BACKEND}"
VIDEO = f"d. ! video/x-raw(ANY) ! {HISTO} ! appsink name=video sync=false "
AUDIO = f"d. ! audio/x-raw ! {HISTO} ! appsink name=audio sync=false "
SOURCE = "filesrc name=source ! decodebin name=d "

directory = tempfile.TemporaryDirectory(prefix="cudahisto-")


def make(name, *options):
    path = os.path.join(directory.name, name)
    clips.ffmpeg(*clips.clip_input(), "-t", SECONDS, *options, path)
    return path


def play(path, description, *sinks):
    tracks = clips.play(SOURCE + description, sinks, source=("location", path))
    for result, _ in sum(tracks, []):
        assert BACKEND in ("auto", result["backend"]), result["backend"]
    return tracks


# ---- Comparing -----------------------------------------------------------------------------

def close(a, b, tolerance):
    return a == b or abs(a - b) <= tolerance * max(abs(a), abs(b))


def compare_scalars(where, component, samples, exact):
    """Compares count, extrema, sum, mean and variance. @exact: of integers, so that sums are exact."""
    wide = samples.astype(numpy.int64 if exact else numpy.longdouble)
    if exact and samples.itemsize > 2:
        # The sum of squares of 32-bit samples does not fit in 64 bits; Python's integers are larger.
        wide = wide.astype(object)
    n, total, squares = wide.size, wide.sum(), (wide * wide).sum()
    if exact:
        n, total, squares = int(n), int(total), int(squares)
    variance = float((n * squares - total * total) / (n * n))
    expected = {"count": n, "min": float(samples.min()), "max": float(samples.max()),
                "sum": float(total), "mean": float(total / n)}
    for name, value in expected.items():
        tolerance = 0 if exact or name in ("count", "min", "max") else 1e-12
        assert close(component[name], value, tolerance), \
            f"{where}: {name} {component[name]!r}, not {value!r}"
    for name, value in (("variance", variance), ("std-dev", variance ** 0.5)):
        assert close(component[name], value, 1e-9), \
            f"{where}: {name} {component[name]!r}, not {value!r}"


def compare_histogram(where, component, expected, low, width):
    """Compares the bins and what follows from them. Bin i begins at low + i * width."""
    histogram = numpy.frombuffer(component["histogram"].get_data(), "<u4")
    assert component["bins"] == len(expected), f"{where}: {component['bins']} bins"
    assert component["range-min"] == low, where
    assert component["range-max"] == low + width * len(expected), where
    assert (histogram == expected).all(), f"{where}: the histograms differ"
    n = int(expected.sum())
    cumulative = numpy.cumsum(expected)
    for name, percent in PERCENTS.items():
        edge = low + width * int(numpy.argmax(cumulative * 100 >= percent * n))
        value = min(max(edge, component["min"]), component["max"])
        assert component[name] == value, f"{where}: {name} {component[name]}, not {value}"
    assert component["mode"] == low + width * int(numpy.argmax(expected)), where
    shares = expected[expected > 0] / n
    entropy = -(shares * numpy.log2(shares)).sum()
    assert abs(component["entropy"] - entropy) < 1e-9, f"{where}: entropy"
    for name in ("underflow", "overflow", "nan", "inf"):
        assert component[name] == 0, f"{where}: {name} {component[name]}"


def compare_video(results, frames, depth):
    assert len(results) == len(frames), f"{len(results)} results of {len(frames)} frames"
    for number, ((result, _), planes) in enumerate(zip(results, frames)):
        assert result["media"] == "video" and result["schema"] == 1
        assert (result["width"], result["height"]) == (WIDTH, HEIGHT)
        assert list(result["components"]) == ["Y", "U", "V"], result["components"]
        for name, samples in zip("YUV", planes):
            where = f"frame {number} {name}"
            compare_scalars(where, result[name], samples, exact=True)
            compare_histogram(where, result[name],
                              numpy.bincount(samples, minlength=1 << depth), 0, 1)


def compare_sound(results, sound, sample_format, find_bins, low, width, exact):
    begin = 0
    for result, _ in results:
        assert result["media"] == "audio" and result["format"] == sample_format, \
            result.to_string()
        assert result["channels"] == len(sound) and result["rate"] == 48000
        end = begin + result["samples"]
        for number, channel in enumerate(sound):
            where, component = f"samples {begin} to {end} ch{number}", result[f"ch{number}"]
            samples = channel[begin:end]
            compare_scalars(where, component, samples, exact)
            compare_histogram(where, component,
                              numpy.bincount(find_bins(samples), minlength=256), low, width)
        begin = end
    assert begin == sound.shape[1], f"{begin} samples of {sound.shape[1]}"


# ---- The tests -----------------------------------------------------------------------------

def test_film():
    """H.264 and AAC in an MP4 file, both tracks at once."""
    path = make("film.mp4", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac")
    video, audio = play(path, VIDEO + AUDIO, "video", "audio")
    frames = clips.raw_frames(path, "yuv420p", PLANES_420, "u1")
    assert len(frames) >= 40
    compare_video(video, frames, 8)

    # Decoders of AAC differ in their arithmetic and in the number of samples at both ends.
    measured = 0
    for result, buffer in audio:
        assert list(result["components"]) == ["ch0", "ch1"]
        # The GstAudioMeta of the last buffer may have fewer samples than its memory (seen with
        # GStreamer 1.26).
        assert 0 <= buffer.get_size() - result["samples"] * result["channels"] * 4 < 8192
        assert result["ch0"]["count"] == result["ch1"]["count"] == result["samples"]
        measured += result["samples"]
    decoded = clips.raw_sound(path, "f32le", 2, "<f4").shape[1]
    assert abs(measured - decoded) <= 2 * 1024, f"{measured} samples, not {decoded}"


def test_deep_film():
    """H.264 of 10 bits, and 16-bit FLAC, in a Matroska file."""
    path = make("film.mkv", "-c:v", "libx264", "-pix_fmt", "yuv420p10le",
                "-c:a", "flac", "-sample_fmt", "s16")
    video, audio = play(path, VIDEO + AUDIO, "video", "audio")
    compare_video(video, clips.raw_frames(path, "yuv420p10le", PLANES_420, "<u2"), 10)
    compare_sound(audio, clips.raw_sound(path, "s16le", 2, "<i2"), "S16LE",
                  lambda samples: (samples.astype(int) + 32768) >> 8, -32768, 256, True)


def test_sound_s32():
    path = make("sound.wav", "-vn", "-c:a", "pcm_s32le")
    (audio,) = play(path, AUDIO, "audio")
    compare_sound(audio, clips.raw_sound(path, "s32le", 2, "<i4"), "S32LE",
                  lambda samples: (samples.astype(int) + (1 << 31)) >> 24, -1 << 31, 1 << 24,
                  True)


def test_sound_f32():
    path = make("sound-float.wav", "-vn", "-c:a", "pcm_f32le")
    (audio,) = play(path, AUDIO, "audio")
    compare_sound(audio, clips.raw_sound(path, "f32le", 2, "<f4"), "F32LE",
                  lambda samples: numpy.floor((samples.astype(float) + 1) * 128).astype(int),
                  -1, 1 / 128, False)


if __name__ == "__main__":
    sys.exit(clips.run_tests([test_film, test_deep_film, test_sound_s32, test_sound_f32]))
