#!/usr/bin/python3
"""Tests the Python module cudahisto.

    GST_PLUGIN_PATH=BUILD_DIR/plugin PYTHONPATH=pipelines/python \\
      tests/python/module.py BUILD_DIR/tests/python/print-results

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import gc
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
import unittest.mock
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import clips  # noqa: E402
from gi.repository import Gst  # noqa: E402
import numpy  # noqa: E402
import cudahisto  # noqa: E402

PRINT_RESULTS = sys.argv.pop(1)
FOLDER = tempfile.TemporaryDirectory(prefix="cudahisto-")
CLIP = os.path.join(FOLDER.name, "clip.mkv")
MEASURES = "signal+motion+color+hdr+detail+area+gamut+gamut-filter+flash+field+level+loudness"
REGIONS = "left=0,0,50%,100%;spot=10,10,20,20"


def make_clip():
    """2 s of film with stereo sound, whose samples do not depend on the decoder."""
    clips.ffmpeg(*clips.clip_input(), "-t", "2", "-c:v", "ffv1", "-pix_fmt", "yuv420p",
                 "-s", "160x120", "-c:a", "pcm_s16le", CLIP)


def run_python(program, *arguments, **options):
    """Runs a program in a process of its own."""
    return subprocess.run([sys.executable, "-c", textwrap.dedent(program), CLIP, *arguments],
                          capture_output=True, encoding="utf-8", timeout=60, check=False,
                          **options)


def structure_of(description):
    """The structure of the first buffer's result."""
    pipeline = Gst.parse_launch(description + " ! appsink name=sink")
    pipeline.set_state(Gst.State.PLAYING)
    sample = pipeline.get_by_name("sink").emit("pull-sample")
    structure = sample.get_buffer().get_custom_meta("cudahisto").get_structure().copy()
    pipeline.set_state(Gst.State.NULL)
    return structure


def flatten(fields, path=()):
    """All numbers and texts of a result by their path, as print-results names them."""
    for name, value in fields.items():
        if isinstance(value, dict):
            yield from flatten(value, path + (name,))
        elif name == "regions":
            for region in value:
                yield from flatten(region, path + (name, region["name"]))
        elif name in ("zones", "pairs"):
            for i, item in enumerate(value):
                yield from flatten(item, path + (name, str(i)))
        elif name == "histogram":
            yield ".".join(path + (name,)), int(numpy.dot(value.astype(object),
                                                          range(len(value))))
        elif isinstance(value, numpy.ndarray):
            for i, number in enumerate(value):
                yield ".".join(path + (name, str(i))), number
        elif isinstance(value, (int, float, str)):
            yield ".".join(path + (name,)), value


def count_threads_and_files():
    return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))


class Values(unittest.TestCase):
    def test_equal_to_the_library(self):
        """Every number that the library for C reads is in the module's results, and is equal."""
        found = {}
        for frame in cudahisto.measure(CLIP, measures=MEASURES, regions=REGIONS,
                                       region_histograms=True):
            for path, value in flatten(frame):
                found[frame["media"], str(frame["stream-time"]), path] = value
        done = subprocess.run([PRINT_RESULTS, CLIP, MEASURES, REGIONS], capture_output=True,
                              encoding="utf-8", timeout=60, check=True)
        lines = [line.split() for line in done.stdout.splitlines()]
        self.assertGreater(len(lines), 48 * 3 * 20)
        for media, when, path, text in lines:
            value = found[media, when, path]
            self.assertTrue(value == text if isinstance(value, str) else
                            value == float(text) or math.isnan(value) and text == "nan",
                            f"{media} {when} {path}: {value} is not {text}")
        for path in ("Y.mean", "motion.U.p90", "regions.left.signal.tout",
                     "regions.spot.detail.gradient.histogram", "flash.state",
                     "regions.left.field.single", "flash.zones.24.state", "gamut.r-max"):
            self.assertIn(path, {line[2] for line in lines})
        for path in "ch1.rms", "ch1.silent", "pairs.0.mono-loss", "pairs.0.dual-mono", "loudness.integrated", "loudness.true-peak.1":
            self.assertIn(path, {line[2] for line in lines})

    def test_scopes(self):
        """They have two dimensions. Their sums are the histograms of their rows and columns."""
        frames = list(cudahisto.measure(CLIP, streams="video", measures="scopes"))[:5]
        for frame in frames:
            waveform, vectors = (frame["scopes"][name] for name in ("waveform", "vectorscope"))
            self.assertEqual(waveform["histogram"].shape, (256, 256))
            self.assertEqual((waveform["x"], waveform["y"], waveform["count"]),
                             ("column", "Y", 160 * 120))
            for sums, name in ((waveform["histogram"].sum(axis=1), "Y"),
                               (vectors["histogram"].sum(axis=0), "U"),
                               (vectors["histogram"].sum(axis=1), "V")):
                self.assertEqual(sums.tolist(), frame[name]["histogram"].tolist())
            # 160 columns: column x is x * 256 / 160.
            used = numpy.flatnonzero(waveform["histogram"].sum(axis=0))
            self.assertEqual(used.tolist(), [x * 256 // 160 for x in range(160)])
            self.assertNotIn("waveform-r", frame["scopes"])

    def test_frames(self):
        """There is a frame for each picture and all sound, in order, with times in seconds."""
        frames = list(cudahisto.measure(CLIP))
        for media in "video", "audio":
            of_stream = [frame for frame in frames if frame.stream.media == media]
            times = [frame.time for frame in of_stream]
            self.assertEqual(times, sorted(times))
            self.assertEqual({frame.stream.name for frame in of_stream}, {media + " 0"})
            self.assertAlmostEqual(of_stream[-1].time, 2, delta=0.2)
            self.assertEqual(of_stream[5].time, of_stream[5].running_time)
        video = [frame for frame in frames if frame.stream.media == "video"]
        self.assertEqual(len(video), 48)
        self.assertAlmostEqual(video[3].duration, 1001 / 24000, delta=0.001)
        self.assertEqual(video[3].kind, "frame")
        histogram = video[3]["Y"]["histogram"]
        self.assertEqual(histogram.sum(), 160 * 120)
        self.assertAlmostEqual(numpy.dot(histogram, numpy.arange(256)) / histogram.sum(),
                               video[3]["Y"]["mean"])

    def test_read(self):
        """read() takes buffers, samples, messages and structures, and None means no result."""
        pipeline = Gst.parse_launch(
            "videotestsrc num-buffers=2 ! video/x-raw,format=NV12 ! cudahisto post-messages=true "
            "regions=a=0,0,8,8 ! appsink name=sink")
        pipeline.set_state(Gst.State.PLAYING)
        sample = pipeline.get_by_name("sink").emit("pull-sample")
        message = pipeline.get_bus().timed_pop_filtered(10 * Gst.SECOND, Gst.MessageType.ELEMENT)
        results = [cudahisto.read(source) for source in (
            sample, sample.get_buffer(), message, message.get_structure())]
        pipeline.set_state(Gst.State.NULL)
        for result in results:
            self.assertEqual(result["components"], ["Y", "U", "V"])
            self.assertEqual(result["Y"]["mean"], results[0]["Y"]["mean"])
            self.assertEqual(result.region("a")["Y"]["count"], 64)
            self.assertRaises(KeyError, result.region, "b")
        self.assertIsNone(results[0].time)
        self.assertEqual(results[2].time, 0)
        self.assertIsNone(cudahisto.read(Gst.Buffer.new()))
        self.assertIsNone(cudahisto.read(Gst.Message.new_eos(pipeline)))
        self.assertIsNone(cudahisto.read(Gst.Structure.new_empty("other")))

    def test_masks(self):
        """A result under a mask says so, and its counts are those of the samples that took part."""
        pipeline = Gst.parse_launch(
            "videotestsrc num-buffers=1 foreground-color=0 pattern=solid-color ! video/x-raw,format=AYUV,width=8,height=4 "
            "! cudahisto mask=alpha backend=cpu ! appsink name=sink")
        pipeline.set_state(Gst.State.PLAYING)
        result = cudahisto.read(pipeline.get_by_name("sink").emit("pull-sample"))
        self.assertEqual((result["mask"], result["mask-pixels"], result["Y.count"]), ("alpha", 0, 0))
        pipeline.set_state(Gst.State.NULL)

    def test_names(self):
        """Two elements in a row with other names keep their results apart."""
        pipeline = Gst.parse_launch(
            "videotestsrc num-buffers=1 ! video/x-raw,format=NV12 ! cudahisto result-name=a post-messages=true bins=8 "
            "! cudahisto post-messages=true ! appsink name=sink")
        pipeline.set_state(Gst.State.PLAYING)
        sample = pipeline.get_by_name("sink").emit("pull-sample")
        messages = [pipeline.get_bus().timed_pop_filtered(10 * Gst.SECOND, Gst.MessageType.ELEMENT) for _ in range(2)]
        named, other = cudahisto.read(sample, name="a"), cudahisto.read(sample)
        self.assertEqual(len(named["Y"]["histogram"]), 8)
        self.assertEqual(len(other["Y"]["histogram"]), 256)
        self.assertIsNone(cudahisto.read(sample, name="b"))
        self.assertEqual([cudahisto.read(message, name="a") is not None for message in messages].count(True), 1)
        self.assertEqual({cudahisto.read(message).get("result-name") for message in messages}, {"a", None})
        meta = sample.get_buffer().get_custom_meta("cudahisto-a")
        self.assertEqual(cudahisto.read(meta.get_structure(), name="a")["Y"]["mean"], other["Y"]["mean"])
        pipeline.set_state(Gst.State.NULL)

    def test_copies_survive(self):
        """A result stays as it is after its pipeline, its messages and their memory are gone."""
        with cudahisto.measure(CLIP, "video", measures=MEASURES, regions=REGIONS) as frames:
            kept = [next(frames) for _ in range(20)]
            first = [list(flatten(frame)) for frame in kept]
        del frames
        gc.collect()
        # Other results use the memory again.
        for _ in cudahisto.measure(CLIP, measures=MEASURES, regions=REGIONS):
            pass
        for frame, before in zip(kept, first):
            self.assertEqual(repr(list(flatten(frame))), repr(before))
        with self.assertRaisesRegex(ValueError, "read-only"):
            kept[0]["Y"]["histogram"][0] = 7    # others may see the same memory

    def test_histograms_are_not_copied(self):
        """An array is the memory of the structure, lives longer than that, and frees it."""
        def size_in_memory():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        structure = structure_of("videotestsrc num-buffers=1 ! video/x-raw,format=GRAY16_LE ! cudahisto")
        data = structure.get_value("Y").get_value("histogram").ref()
        histogram = cudahisto.read(structure)["Y"]["histogram"]
        self.assertEqual(histogram.__array_interface__["data"], (data.get_region(1, 0, 4 * 65536), True))
        wanted = histogram.tolist()
        self.assertEqual(sum(wanted), 320 * 240)
        inner = structure.get_value("Y").copy()
        del structure, data
        gc.collect()
        self.assertEqual(histogram.tolist(), wanted)
        content = histogram.tobytes()
        for i in range(600):
            # 150 MB, if one of them stayed.
            other = Gst.Structure.new_empty("cudahisto-x")
            inner.set_value("histogram", clips.gi.repository.GLib.Bytes.new(content))
            other.set_value("Y", inner)
            kept = cudahisto._read_structure(other, {"Y": cudahisto._STRUCTURE._replace(fields=cudahisto._NATIVE)})
            self.assertEqual(kept["Y"]["histogram"][-1], wanted[-1])
            if i == 100:
                before = size_in_memory()
        self.assertLess(size_in_memory() - before, 16 << 20)

    def test_figures(self):
        """All figures, with the paths by which they are found."""
        for frame in cudahisto.measure(CLIP, measures=MEASURES, regions=REGIONS):
            figures = dict(frame.figures())
            self.assertGreater(len(figures), 60)
            for path, value in figures.items():
                self.assertTrue(value == frame[path] or math.isnan(value), path)

    def test_wide_histogram(self):
        """The counts of a window may have 64 bits."""
        pipeline = Gst.parse_launch(
            "videotestsrc num-buffers=2 ! video/x-raw,format=GRAY8,framerate=25/1 ! cudahisto "
            "bins=2 window=80000000 ! fakesink")
        pipeline.set_state(Gst.State.PLAYING)
        message = pipeline.get_bus().timed_pop_filtered(10 * Gst.SECOND, Gst.MessageType.ELEMENT)
        pipeline.set_state(Gst.State.NULL)
        for size, most in (8, 0xffffffff), (16, 1 << 40):
            structure = message.get_structure().copy()
            inner = structure.get_value("Y").copy()
            data = b"".join(n.to_bytes(size // 2, "little") for n in (most, 3))
            inner.set_value("histogram", clips.gi.repository.GLib.Bytes.new(data))
            structure.set_value("Y", inner)
            window = cudahisto.read(structure)
            self.assertEqual(window.kind, "window")
            self.assertEqual(list(window["Y"]["histogram"]), [most, 3])

    def test_without_numpy(self):
        done = run_python("""
            import sys
            sys.modules["numpy"] = None
            import cudahisto
            assert cudahisto.numpy is None
            frame = next(cudahisto.measure(sys.argv[1], "video", measures="signal"))
            histogram = frame["Y"]["histogram"]
            assert sum(histogram) == frame["Y"]["count"] == 160 * 120, sum(histogram)
            assert frame["signal"]["bits-used"][0] > 1
            print(len(histogram), max(histogram) == histogram[int(frame["Y"]["mode"])])
            """)
        self.assertEqual((done.stdout, done.stderr), ("256 True\n", ""))


class Settings(unittest.TestCase):
    def test_streams(self):
        for streams, names in (("video", {"video 0"}), ("audio", {"audio 0"}),
                               (["audio 0", "video"], {"audio 0", "video 0"})):
            with cudahisto.measure(CLIP, streams) as frames:
                self.assertEqual({frame.stream.name for frame in frames}, names)
        with self.assertRaisesRegex(cudahisto.Error, "no stream audio 3.*video 0"):
            list(cudahisto.measure(CLIP, "audio 3"))
        self.assertRaisesRegex(ValueError, "subtitles", cudahisto.measure, CLIP, "subtitles")
        self.assertRaisesRegex(ValueError, "empty", cudahisto.measure, CLIP, [])

    def test_unwanted_media_is_not_decoded(self):
        with cudahisto.measure(CLIP, "audio") as frames:
            next(frames)
            found = []
            frames.pipeline.iterate_recurse().foreach(
                lambda element: found.append(element.get_factory().get_metadata("klass")))
        self.assertFalse([klass for klass in found if "Decoder/Video" in klass], found)
        self.assertTrue([klass for klass in found if "Demux" in klass], found)

    def test_windows(self):
        windows = list(cudahisto.measure(CLIP, "audio", measures="level", window=0.5))
        self.assertEqual({window.kind for window in windows}, {"window"})
        self.assertEqual(len(windows), 4)
        self.assertAlmostEqual(windows[1].time, 0.5, delta=0.1)
        self.assertGreater(windows[1]["buffers"], 1)
        both = {item.kind for item in cudahisto.measure(CLIP, "video", window=0.5, frames=True)}
        self.assertEqual(both, {"frame", "window"})

    def test_rules(self):
        """A broken rule is an alert that has the rule's id."""
        alert = next(item for item in cudahisto.measure(
            CLIP, "video", rules="bright: Y.mean > 254; ever: Y.max < 256", frames=False))
        self.assertEqual((alert["type"], alert["state"], alert.rule), ("rule", "begin", "bright"))
        self.assertEqual((alert["component"], alert["threshold"], alert["value-time"]), ("Y", 254, alert["start"]))

    def test_alerts(self):
        """An alert comes before the frame with which it begins."""
        items = list(cudahisto.measure(CLIP, "video", alerts=["scene"], scene_threshold=0.5))
        kinds = [item.kind for item in items]
        self.assertIn("alert", kinds)
        for before, item in zip(items, items[1:]):
            if before.kind == "alert" and item.kind == "frame":
                self.assertEqual(before.time, item.time)
        alert = items[kinds.index("alert")]
        self.assertEqual((alert["type"], alert["state"]), ("scene", "begin"))
        self.assertGreater(alert.start, 0)
        self.assertIsNone(alert.end)
        self.assertEqual({item.kind for item in cudahisto.measure(
            CLIP, "video", alerts="scene", scene_threshold=0.5, frames=False)}, {"alert"})

    def test_properties(self):
        frame = next(cudahisto.measure(CLIP, "video", bins=16, range_max=128, every=5,
                                       regions={"logo": "0,0,8,8"}, histogram=True,
                                       measures=["detail"], backend="cpu"))
        self.assertEqual(len(frame["Y"]["histogram"]), 16)
        self.assertEqual(frame["Y"]["range-max"], 128)
        self.assertEqual(frame.region("logo")["Y"]["count"], 64)
        self.assertIn("detail", frame)
        for name, value, text in (("bins", 70000, "65536"), ("every", 0, "1 to"),
                                  ("measures", "motoin", "motion"), ("backend", "gpu", "cuda"),
                                  ("range_min", math.nan, "possible"),
                                  ("window", math.nan, "possible are 0"),
                                  ("window", math.inf, "possible are 0"),
                                  ("window", -1, "possible are 0"),
                                  ("timeout", math.nan, "possible are 0"),
                                  ("timeout", math.inf, "possible are 0"),
                                  ("timeout", -1, "possible are 0")):
            self.assertRaisesRegex(ValueError, text, cudahisto.measure, CLIP, **{name: value})
        self.assertRaisesRegex(TypeError, "no property colour", cudahisto.measure, CLIP, colour=1)
        for names in [None], [1], b"video", {1: 2}:
            self.assertRaisesRegex(TypeError, "is no text", cudahisto.measure, CLIP, names)
        for source in "text", b"", [], {}, 1, object():
            self.assertRaisesRegex(TypeError, "is no buffer", cudahisto.read, source)
        self.assertIsNone(cudahisto.read(None))
        for program in "", "/", "x" * 5000:
            self.assertRaises(cudahisto.Error, cudahisto.measure_images, "a.png", program=program)
        for name, value in (("regions", "nonsense"), ("range_min", 300)):
            with self.assertRaisesRegex(cudahisto.Error, "nonsense|300"):
                list(cudahisto.measure(CLIP, **{name: value}))

    def test_stats(self):
        with cudahisto.measure(CLIP, "video") as frames:
            for _ in frames:
                stats = frames.stats()["video 0"]
            self.assertEqual([stream.name for stream in frames.streams], ["video 0"])
        self.assertGreater(stats["frames"], 40)
        self.assertGreater(stats["cpu-time"], 0)

    def test_launch(self):
        measurement = cudahisto.launch(
            "videotestsrc num-buffers=5 ! cudahisto name=a post-messages=true ! fakesink "
            "audiotestsrc num-buffers=6 ! cudahisto name=b window=100000000 ! fakesink")
        self.assertEqual([stream.name for stream in measurement.streams], ["a", "b"])
        items = list(measurement)
        kinds = [(item.stream.name, item.kind) for item in items]
        self.assertEqual(kinds.count(("a", "frame")), 5)
        self.assertEqual(kinds.count(("b", "window")), 2)
        for text, error in (("videotestsrc ! nosuchelement ! cudahisto", "nosuchelement"),
                            ("videotestsrc ! fakesink", "no element cudahisto"),
                            ("videotestsrc ! ! cudahisto", "syntax")):
            self.assertRaisesRegex(cudahisto.Error, error, cudahisto.launch, text)


class Errors(unittest.TestCase):
    def check(self, text, source, **options):
        """One line that names the input and the cause."""
        with self.assertRaises(cudahisto.Error) as caught:
            list(cudahisto.measure(source, **options))
        self.assertRegex(str(caught.exception), text)
        self.assertNotIn("\n", str(caught.exception))
        self.assertIn(os.path.basename(os.fsdecode(source)), str(caught.exception))
        return caught.exception

    def test_elements_of_one_name(self):
        """In two bins. None of them gets lost."""
        one = "( name={} audiotestsrc num-buffers=20 ! cudahisto name=meter ! fakesink )"
        with cudahisto.launch(f"{one.format('a')} {one.format('b')}", window=0.1) as measurement:
            names = {item.stream.name for item in measurement}
            self.assertEqual(set(measurement.stats()), {"meter", "meter#2"})
        self.assertEqual(names, {"meter", "meter#2"})

    def test_missing_file(self):
        for name in "/nowhere/clip.mkv", "clip.mkv", "file:///nowhere/clip.mkv", "-x":
            self.assertIsInstance(self.check("there is no file", name), FileNotFoundError)
        self.check("folder", FOLDER.name)

    def test_broken_files(self):
        for name, data in (("text", b"some text\n" * 100), ("empty", b""), ("zeros", bytes(9999))):
            path = os.path.join(FOLDER.name, name)
            with open(path, "wb") as file:
                file.write(data)
            self.check("text file|enough data|type", path)

    def test_odd_names(self):
        """Names that begin with "-" or are not UTF-8, and URIs."""
        for name in b"-o", b"\xff\xfe.mkv", "x # y%20.mkv".encode():
            path = os.path.join(os.fsencode(FOLDER.name), name)
            os.link(CLIP, path)
            self.assertEqual(next(cudahisto.measure(path, "video"))["width"], 160)
        here = os.getcwd()
        try:
            os.chdir(FOLDER.name)
            self.assertEqual(next(cudahisto.measure("-o", "video"))["width"], 160)
        finally:
            os.chdir(here)
        uri = pathlib.Path(CLIP).as_uri()
        self.assertEqual(next(cudahisto.measure(uri, "video"))["width"], 160)
        self.assertEqual(next(cudahisto.measure(pathlib.Path(CLIP), "video"))["width"], 160)

    def test_broken_end(self):
        """The results before an error come first."""
        path = os.path.join(FOLDER.name, "cut.mkv")
        with open(CLIP, "rb") as file, open(path, "wb") as cut:
            cut.write(file.read()[:os.path.getsize(CLIP) // 2])
        self.assertGreater(len(list(cudahisto.measure(path, "video"))), 10)
        measurement = cudahisto.launch(
            "videotestsrc num-buffers=9 ! cudahisto post-messages=true ! identity error-after=6 "
            "! fakesink")
        seen = []
        with self.assertRaisesRegex(cudahisto.Error, "Failed after iterations"):
            for frame in measurement:
                seen.append(frame)
        self.assertGreaterEqual(len(seen), 5)
        self.assertRaises(StopIteration, next, measurement)

    def test_warnings(self):
        """A warning of an element is a Python warning, and the results go on."""
        measurement = cudahisto.launch(
            "videotestsrc num-buffers=3 ! identity name=i ! cudahisto post-messages=true "
            "! fakesink")
        element = measurement.pipeline.get_by_name("i")
        structure = clips.gi.repository.GLib.Error.new_literal(Gst.StreamError.quark(), "strange",
                                                               Gst.StreamError.FAILED)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            element.post_message(Gst.Message.new_warning(element, structure, "debug"))
            self.assertEqual(len(list(measurement)), 3)
        self.assertEqual([str(warning.message) for warning in caught], ["pipeline: i: strange"])

    def test_missing_plugin(self):
        environment = {**os.environ, "GST_PLUGIN_PATH": "", "GST_PLUGIN_PATH_1_0": "",
                       "GST_REGISTRY": FOLDER.name + "/r", "GST_REGISTRY_1_0": FOLDER.name + "/r"}
        done = run_python("""
            import sys
            import cudahisto
            for start in cudahisto.measure, cudahisto.launch:
                try:
                    start(sys.argv[1])
                except cudahisto.Error as error:
                    print(error)
            """, env=environment)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 2, done.stderr)
        for line in lines:
            self.assertRegex(line, "no GStreamer element cudahisto.*GST_PLUGIN_PATH")

    def test_standstill(self):
        """A demuxer fails, and its error is dropped, as decodebin sometimes does."""
        path = os.path.join(FOLDER.name, "cut.mp4")
        clips.ffmpeg("-i", CLIP, "-map", "0:v", "-c:v", "mpeg4", path)
        with open(path, "rb") as file:
            data = file.read()
        with open(path, "wb") as file:
            file.write(data[:len(data) // 2])       # the index is at the end
        on_message, most_tries = cudahisto._on_message, cudahisto._MOST_TRIES

        def drop_errors(bus, message, *arguments):
            if message.type != Gst.MessageType.ERROR:
                on_message(bus, message, *arguments)
        cudahisto._on_message = drop_errors
        cudahisto._MOST_TRIES = 1
        try:
            with self.assertRaisesRegex(cudahisto.Error, "stopped without an end"):
                list(cudahisto.measure(path))
        finally:
            cudahisto._on_message, cudahisto._MOST_TRIES = on_message, most_tries
        # While there is more to decode, the pipeline runs.
        measurement = cudahisto.measure(CLIP, "video")
        next(measurement)
        self.assertTrue(cudahisto._runs(measurement.pipeline, True))
        measurement.close()

    def test_waiting_elements(self):
        """Nothing has been measured yet: what waits for others does not run."""
        for source, runs in ("", False), ("appsrc ! ", True):
            pipeline = Gst.parse_launch(f"{source}queue ! cudahisto ! fakesink")
            pipeline.set_state(Gst.State.PAUSED)
            self.assertTrue(cudahisto._runs(pipeline, True))
            self.assertEqual(cudahisto._runs(pipeline, False), runs)
            pipeline.set_state(Gst.State.NULL)

    def test_second_begin(self):
        """If nothing comes, the file is begun again, and the results are the same."""
        expected = [(item.stream.name, item.time) for item in cudahisto.measure(CLIP)]
        get = cudahisto._Channel.get
        stands_still = [True]

        def stumble(channel, *arguments):
            if stands_still:
                stands_still.clear()
                return cudahisto._Standstill("decoding stopped without an end")
            return get(channel, *arguments)
        cudahisto._Channel.get = stumble
        try:
            found = [(item.stream.name, item.time) for item in cudahisto.measure(CLIP, queue=10000)]
        finally:
            cudahisto._Channel.get = get
        self.assertEqual(sorted(found), sorted(expected))

    def test_callback_in_a_callback(self):
        """A function of a message that runs inside of another one does not hide it: the garbage
        collector must not wait for the thread that it runs in."""
        seen = []

        @cudahisto._callback
        def inner(_channel):
            seen.append(cudahisto._in_callback.value)

        @cudahisto._callback
        def outer(channel):
            inner(channel)
            seen.append(cudahisto._in_callback.value)
        outer(None)
        seen.append(cudahisto._in_callback.value)
        self.assertEqual(seen, [True, True, False])

    def test_interrupt_in_a_callback(self):
        """Ctrl-C, and sys.exit() in a signal's handler, while the pipeline starts."""
        for interrupt in KeyboardInterrupt, SystemExit:
            with unittest.mock.patch.object(cudahisto, "read", side_effect=interrupt):
                measurement = cudahisto.measure(CLIP, "video")
                self.assertRaises(interrupt, next, measurement)
            self.assertRaises(StopIteration, next, measurement)

    def test_timeout(self):
        measurement = cudahisto.launch("appsrc is-live=true ! cudahisto ! fakesink", timeout=0.3)
        with self.assertRaisesRegex(cudahisto.Error, "0.3 s"):
            next(measurement)


class Ends(unittest.TestCase):
    def check_closed(self, measurement):
        self.assertRaises(StopIteration, next, measurement)
        self.assertEqual(measurement.pipeline.get_state(0)[1], Gst.State.NULL)

    def test_closing_early(self):
        measurement = cudahisto.measure(CLIP, queue=1)
        next(measurement)
        time.sleep(0.2)             # the pipeline's threads wait for the program now
        measurement.close()
        self.check_closed(measurement)
        measurement.close()
        with cudahisto.measure(CLIP) as measurement:
            for _ in measurement:
                break
        self.check_closed(measurement)
        with self.assertRaises(ZeroDivisionError):
            with cudahisto.measure(CLIP) as measurement:
                next(measurement)
                1 / 0
        self.check_closed(measurement)
        self.check_closed_at_end()

    def check_closed_at_end(self):
        measurement = cudahisto.measure(CLIP)
        self.assertGreater(len(list(measurement)), 48)
        self.check_closed(measurement)

    def test_slow_program_slows_the_pipeline(self):
        with cudahisto.measure(CLIP, "video", queue=3) as frames:
            next(frames)
            time.sleep(0.5)
            # Those in the queue, those in flight, and the one that was taken.
            self.assertLess(frames.stats()["video 0"]["frames"], 16)
            self.assertEqual(len(list(frames)), 47)

    def test_garbage_collection(self):
        """A measurement that is not used any more stops, also as part of a cycle."""
        measurement = cudahisto.measure(CLIP, queue=1)
        next(measurement)
        pipeline = measurement.pipeline
        cycle = [measurement]
        cycle.append(cycle)
        del measurement
        self.assertNotEqual(pipeline.get_state(0)[1], Gst.State.NULL)
        del cycle
        gc.collect()
        self.assertEqual(pipeline.get_state(0)[1], Gst.State.NULL)
        weak = pipeline.weak_ref()
        del pipeline
        # A thread of the pipeline may hold it a moment longer.
        end = time.monotonic() + 10
        while weak() is not None and time.monotonic() < end:
            time.sleep(0.01)
            gc.collect()
        self.assertIsNone(weak())

    @unittest.skipUnless(shutil.which("cudahisto-report"), "there is no cudahisto-report")
    def test_images(self):
        """A folder, paths, and what cannot be measured."""
        folder = pathlib.Path(FOLDER.name, "images")
        folder.mkdir()
        clips.ffmpeg("-f", "lavfi", "-i", "color=white:size=4x4", "-frames:v", "1", str(folder / "a.png"))
        clips.ffmpeg("-f", "lavfi", "-i", "color=black:size=4x2", "-frames:v", "1", str(folder / "b.png"))
        os.rename(folder / "b.png", os.fsencode(folder) + b"/\xff\nb.png")
        images = cudahisto.measure_images(folder)
        self.assertEqual((images["images"], images["per-image"]), (2, {"mean": [0.5] * 3, "std": [0.0] * 3}))
        for mean in images["pooled"]["mean"]:
            self.assertAlmostEqual(mean, 2 / 3)
        self.assertEqual([(counts[0], counts[255]) for counts in images["histograms"]], [(8, 16)] * 3)
        lines = []
        again = cudahisto.measure_images(sorted(folder.iterdir()), threads=1, on_image=lines.append)
        self.assertEqual(again["pooled"], images["pooled"])
        self.assertEqual([line["brightness"] for line in lines], [1, 0])
        scaled = cudahisto.measure_images(folder, every=2, before="videoscale ! video/x-raw,width=2,height=2")
        self.assertEqual((scaled["images"], scaled["pixels"]), (1, 4))
        with self.assertWarnsRegex(UserWarning, "4 x 4 pixels are more than the limit of 8"):
            self.assertEqual(cudahisto.measure_images(folder, max_pixels=8)["images"], 1)
        (folder / "c.png").write_bytes(b"nothing")
        with self.assertWarnsRegex(UserWarning, "not all is measured.*no image of a format"):
            self.assertEqual(cudahisto.measure_images(folder)["images"], 2)
        for wrong, text in ({"paths": []}, "there is no image"), ({"paths": folder / "none"}, "No such file"), \
                ({"paths": folder, "before": "nothing"}, "no element"), ({"paths": folder, "every": 0}, "--every"), \
                ({"paths": folder, "program": "no-such-program"}, "there is no program"):
            with self.assertRaisesRegex(cudahisto.Error, text):
                cudahisto.measure_images(**wrong)

    def test_paths_that_are_none(self):
        for paths in (["", "a.png"], ["a\0b.png"], "", b"a\0b"):
            with self.assertRaisesRegex(ValueError, "is no path"):
                cudahisto.measure_images(paths, program=os.environ.get("CUDAHISTO_REPORT", "cudahisto-report"))

    def test_close_from_another_thread(self):
        measurement = cudahisto.launch("appsrc is-live=true ! cudahisto ! fakesink")
        threading.Timer(0.2, measurement.close).start()
        self.assertEqual(list(measurement), [])

    def test_many_threads(self):
        counts = []
        threads = [threading.Thread(target=lambda: counts.append(
            len(list(cudahisto.measure(CLIP, "video"))))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(counts, [48] * 4)

    def test_nothing_leaks(self):
        """200 pipelines: half are played to the end, half are left early."""
        clip = os.path.join(FOLDER.name, "short.mkv")
        clips.ffmpeg("-i", CLIP, "-t", "0.2", "-c", "copy", clip)
        for i in range(210):
            measurement = cudahisto.measure(clip, "all" if i % 10 == 0 else "video", queue=2)
            next(measurement)
            if i % 2 == 0:
                list(measurement)
            elif i % 4 == 1:
                measurement.close()
            del measurement
            if i == 10:
                gc.collect()
                before = count_threads_and_files()
        gc.collect()
        time.sleep(0.2)             # GStreamer's pools of threads
        threads, files = count_threads_and_files()
        self.assertLessEqual(threads, before[0] + 2)
        self.assertLessEqual(files, before[1] + 2)

    def test_programs_end(self):
        """A program ends although it has not closed its measurement: at its end, with an exception
        and with Ctrl-C."""
        start = "import sys, cudahisto\nframes = cudahisto.measure(sys.argv[1], queue=1)\n" \
            "next(frames)\n"
        done = run_python(start)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = run_python(start + "raise SystemExit(3)")
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        endless = "import cudahisto\nprint('go', flush=True)\n" \
            "for frame in cudahisto.launch('appsrc is-live=true ! cudahisto ! fakesink'): pass"
        with subprocess.Popen([sys.executable, "-c", endless], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8") as process:
            process.stdout.readline()
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=30)
        self.assertTrue(errors.strip().endswith("KeyboardInterrupt"), errors)


if __name__ == "__main__":
    make_clip()
    unittest.main(verbosity=2)
