#!/usr/bin/python3
"""Runs the examples in pipelines/examples.

    GST_PLUGIN_PATH=BUILD_DIR/plugin PYTHONPATH=pipelines/python \\
      CUDAHISTO_AUTO_EXPOSURE=BUILD_DIR/pipelines/examples/auto-exposure \\
      tests/examples/examples.py [AutoExposure | SceneCutter | ...]

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import csv
import fcntl
import json
import os
import pty
import re
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../harness"))
import clips  # noqa: E402

EXAMPLES = os.path.join(HERE, "../../pipelines/examples")
FOLDER = tempfile.TemporaryDirectory(prefix="cudahisto-")


def command_of(script):
    return [sys.executable, os.path.join(EXAMPLES, script)]


def run(*command, **options):
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=100,
                          check=False, **options)


class Example(unittest.TestCase):
    def check_failure(self, command, text, **options):
        """One line on the standard error that names the cause, and a status."""
        done = run(*command, **options)
        self.assertNotIn(done.returncode, (0, None), done)
        self.assertRegex(done.stderr, text)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


class Starts(Example):
    """Of all programs in Python."""

    def test_interrupt(self):
        """Ctrl-C while a program imports its modules: one line, and no traceback."""
        folder = os.path.join(FOLDER.name, "slow modules")
        os.makedirs(folder, exist_ok=True)
        for module in "cudahisto", "gi":
            with open(os.path.join(folder, module + ".py"), "w", encoding="utf-8") as file:
                file.write("import time\nprint('here', flush=True)\ntime.sleep(60)\n")
        scripts = [name for name in sorted(os.listdir(EXAMPLES)) if name.endswith(".py")]
        self.assertGreater(len(scripts), 2)
        for script in scripts:
            with subprocess.Popen([*command_of(script), "x"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  encoding="utf-8", env={**os.environ, "PYTHONPATH": folder}) as process:
                self.assertEqual(process.stdout.readline(), "here\n", script)
                process.send_signal(signal.SIGINT)
                _, text = process.communicate(timeout=50)
            self.assertEqual((process.returncode, text), (130, f"{os.path.basename(script)}: interrupted\n"))


class AutoExposure(Example):
    # The sleep gives the loop time to follow; a real source takes its time anyway.
    PIPELINE = ("videotestsrc num-buffers=250 {} ! video/x-raw,format={},width=64,height=48 "
                "! identity sleep-time=4000 ! videobalance name=camera ! cudahisto ! fakesink")

    def test_bins(self):
        """Full scale does not follow from the range of the bins, which is a setting."""
        bright = "pattern=solid-color foreground-color=0xffe8e8e8", "I420"
        _, expected = self.settle(*bright)
        self.PIPELINE = self.PIPELINE.replace("cudahisto", "cudahisto range-max=128 bins=10")
        median, control = self.settle(*bright)
        self.assertAlmostEqual(median, 45, delta=2.5)
        self.assertAlmostEqual(control, expected, delta=0.03)

    def settle(self, source, picture_format, *options):
        """Returns the median in per cent, and the value of the control, at the end."""
        done = run(os.environ["CUDAHISTO_AUTO_EXPOSURE"], "--control=camera.brightness", *options,
                   self.PIPELINE.format(source, picture_format))
        self.assertEqual(done.returncode, 0, done.stderr)
        last = done.stdout.splitlines()[-1]
        found = re.fullmatch(r"Settled after (\d+) changes: median ([\d.]+) %, control (\S+)", last)
        self.assertTrue(found, done.stdout)
        self.assertGreater(int(found.group(1)), 0, done.stdout)
        return float(found.group(2)), float(found.group(3))

    def test_dark_and_bright(self):
        for colour, picture_format, sign in (("0xff282828", "I420", 1), ("0xffe8e8e8", "I420", -1),
                                             ("0xff282828", "RGB", 1)):
            median, control = self.settle(
                f"pattern=solid-color foreground-color={colour}", picture_format)
            self.assertAlmostEqual(median, 45, delta=2.5)
            self.assertGreater(sign * control, 0.02)

    @unittest.skipIf(subprocess.run(["gst-inspect-1.0", "--exists", "rgb2bayer"], check=False).returncode,
                     "rgb2bayer is not installed")
    def test_bayer(self):
        """The median of green shall be 0.18 of the range. If another colour is brighter, its highlights stop the
        loop."""
        pipeline = self.PIPELINE.replace("! cudahisto", "! videoconvert ! video/x-raw,format=ARGB "
                                         "! rgb2bayer ! video/x-bayer,format=grbg ! cudahisto")
        self.assertNotEqual(pipeline, self.PIPELINE)
        self.PIPELINE = pipeline
        median, control = self.settle("pattern=solid-color foreground-color=0xff101010", "I420")
        self.assertAlmostEqual(median, 18, delta=2.5)
        self.assertGreater(control, 0.02)
        median, _ = self.settle("pattern=solid-color foreground-color=0xff505050", "I420", "--target=0.6")
        self.assertAlmostEqual(median, 60, delta=2.5)
        median, _ = self.settle("pattern=solid-color foreground-color=0xffc03020", "I420", "--target=0.6")
        self.assertLess(median, 50)

    def test_highlights(self):
        """Bright bars keep the loop from brightening the picture to the target."""
        median, _ = self.settle("pattern=smpte", "I420", "--target=0.7")
        self.assertLess(median, 65)

    def test_structure(self):
        """A field of a property that is a structure, as v4l2src's extra-controls. rtpbin has such
        a property, too, and needs no device."""
        done = run(os.environ["CUDAHISTO_AUTO_EXPOSURE"], "--control=camera.sdes.exposure",
                   "--least=1", "--most=100", "rtpbin name=camera videotestsrc pattern=black "
                   "num-buffers=60 ! identity sleep-time=1000 ! cudahisto ! fakesink")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "Not settled .* control 100\n")

    def test_errors(self):
        program = os.environ["CUDAHISTO_AUTO_EXPOSURE"]
        meter = "videotestsrc num-buffers=1 ! cudahisto name=m ! fakesink"
        for arguments, text in (
                (["-c", "a.b", "nosuchelement ! fakesink"], "nosuchelement"),
                (["-c", "a.b", "videotestsrc ! fakesink"], "no element cudahisto"),
                (["-c", "a.b", meter], "no such element"), (["-c", "m", meter], "no such"),
                (["-c", "m.range-max", meter], "--least and --most"),
                (["-c", "m.regions", "--least=0", "--most=1", meter], "no number"),
                ([meter], "usage"), (["--nonsense"], "nonsense"),
                (["-c", "m.bins", "filesrc location=/nowhere ! " + meter.replace(
                    "videotestsrc num-buffers=1", "decodebin")], "nowhere|No such file")):
            self.check_failure([program, *arguments], text)

    def test_numbers(self):
        """Numbers that are none, not finite or out of range are refused."""
        program = os.environ["CUDAHISTO_AUTO_EXPOSURE"]
        meter = "videotestsrc num-buffers=1 ! cudahisto name=m ! fakesink"
        for name in "least", "most", "target", "tolerance", "speed", "delay":
            values = ["nan", "inf", "-inf", "1e999", "", "x", "0.5x", *{
                "least": [], "most": [], "delay": ["-1", "0.5", "1001", "1e30"]}.get(
                    name, ["-0.1", "1e30"])]
            for value in values:
                self.check_failure([program, "-c", "m.bins", f"--{name}={value}", meter],
                                   f"^auto-exposure: --{name}={value}: possible are ")
        for options, text in ((["--least=1", "--most=1e30"], "range is 1 to 1e.30; possible are 0"),
                              (["--least=-1"], "range is -1 to"),
                              (["--least=5", "--most=5"], "range is 5 to 5")):
            self.check_failure([program, "-c", "m.bins", *options, meter], text)
        self.check_failure([program, "-c", "m.range-max", "--least=-1e308", "--most=1e308", meter],
                           "range is")
        self.check_failure([program, "-c", "camera.sdes.exposure", "--least=0", "--most=1e10",
                            "rtpbin name=camera " + meter], "possible are -2.*e.09 to 2.*e.09")
        done = run(program, "-c", "m.bins", "--least=1", "--most=256", "--target=1", "--speed=10",
                   "--tolerance=0", "--delay=0", meter)
        self.assertEqual(done.returncode, 0, done.stderr)


class SceneCutter(Example):
    @classmethod
    def setUpClass(cls):
        """Three scenes, which begin at 0, 2 and 4 s. With key frames there, and without."""
        signals = ["-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=2",
                   "-f", "lavfi", "-i", "smptebars=s=160x120:r=25:d=2",
                   "-f", "lavfi", "-i", "color=c=white:s=160x120:r=25:d=1.52",
                   "-f", "lavfi", "-i", "sine=d=5.52", "-filter_complex", "[0][1][2]concat=n=3[v]",
                   "-map", "[v]", "-map", "3:a", "-c:a", "flac", "-c:v", "mpeg2video", "-bf", "0",
                   "-sc_threshold", "1000000000"]
        cls.with_keys = os.path.join(FOLDER.name, "film.mkv")
        cls.without_keys = os.path.join(FOLDER.name, "100% rare keys.mkv")
        clips.ffmpeg(*signals, "-g", "500", "-force_key_frames", "2,4", cls.with_keys)
        clips.ffmpeg(*signals, "-g", "40", cls.without_keys)

    def cut(self, *arguments):
        done = run(*command_of("scene-cutter.py"), *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(csv.DictReader(done.stdout.splitlines())), done.stderr

    def streams_of(self, path):
        """[(codec, number of frames), ...], as ffprobe counts them."""
        done = run("ffprobe", "-v", "error", "-count_frames", "-of", "json", "-show_entries",
                   "stream=codec_name,codec_type,nb_read_frames", path)
        return [(stream["codec_name"], int(stream["nb_read_frames"]))
                for stream in json.loads(done.stdout)["streams"]]

    def test_list(self):
        scenes, _ = self.cut(self.with_keys)
        self.assertEqual([(s["scene"], float(s["start"]), float(s["end"])) for s in scenes],
                         [("1", 0, 2), ("2", 2, 4), ("3", 4, 5.52)])
        self.assertEqual(scenes[0]["score"], "")
        self.assertGreater(float(scenes[1]["score"]), 10)
        self.assertEqual(len(self.cut("--threshold=100", self.with_keys)[0]), 1)
        self.assertEqual(len(self.cut("--shortest=3", self.with_keys)[0]), 2)

    def test_change_of_size(self):
        """Black and white of two sizes: their frames cannot be compared, and are two scenes."""
        path = os.path.join(FOLDER.name, "sizes.ts")
        with open(path, "wb") as film:
            for number, (size, color) in enumerate((("64x48", "black"), ("96x64", "white"))):
                part = subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i",
                                       f"color={color}:size={size}:rate=25:duration=1", "-c:v", "mpeg2video",
                                       "-output_ts_offset", str(number), "-f", "mpegts", "-"],
                                      capture_output=True, timeout=100, check=False)
                self.assertEqual(part.returncode, 0, part.stderr)
                film.write(part.stdout)
        scenes, _ = self.cut(path)
        self.assertEqual([scene["score"] for scene in scenes], ["", ""])
        self.assertAlmostEqual(float(scenes[0]["length"]), 1, delta=0.1)

    def test_split(self):
        """Copied: the same codec, every frame once, cut at the key frames."""
        folder = os.path.join(FOLDER.name, "parts")
        _, text = self.cut("--split", folder, self.with_keys)
        self.assertEqual(sorted(os.listdir(folder)), [f"film-00{n}.mkv" for n in (1, 2, 3)])
        frames = [self.streams_of(os.path.join(folder, name)) for name in sorted(os.listdir(folder))]
        self.assertEqual([part[0] for part in frames],
                         [("mpeg2video", 50), ("mpeg2video", 50), ("mpeg2video", 38)])
        self.assertEqual({part[1][0] for part in frames}, {"flac"})
        self.assertNotIn("later", text)

    def test_split_without_keys(self):
        """Copied: the next key frame, and the program says so."""
        folder = os.path.join(FOLDER.name, "late parts")
        _, text = self.cut("--split", folder, self.without_keys)
        self.assertIn("cut at 2.000 s is no key frame", text)
        names = sorted(os.listdir(folder))
        self.assertEqual(names[0], "100% rare keys-001.mkv")
        frames = [self.streams_of(os.path.join(folder, name))[0] for name in names]
        self.assertEqual(frames, [("mpeg2video", 80), ("mpeg2video", 40), ("mpeg2video", 18)])

    def test_split_exactly(self):
        folder = os.path.join(FOLDER.name, "exact parts")
        self.cut("--exact", "--split", folder, self.without_keys)
        frames = [self.streams_of(os.path.join(folder, name))[0]
                  for name in sorted(os.listdir(folder))]
        self.assertEqual(frames, [("ffv1", 50), ("ffv1", 50), ("ffv1", 38)])

    def test_codecs_that_matroska_does_not_hold(self):
        """matroskamux refuses cinepak, and, in GStreamer 1.22, the caps of FFmpeg's FFV1."""
        for codec, name in ("cinepak", "cinepak.avi"), ("ffv1", "ffv1.mkv"):
            film = os.path.join(FOLDER.name, name)
            clips.ffmpeg("-i", self.with_keys, "-t", "3", "-an", "-c:v", codec, film)
            folder = os.path.join(FOLDER.name, f"{codec} parts")
            _, text = self.cut("--split", folder, film)
            if codec == "cinepak":
                self.assertIn("cannot be copied: Matroska cannot hold video/x-cinepak; enc", text)
            frames = [self.streams_of(os.path.join(folder, name))[0] for name in os.listdir(folder)]
            self.assertEqual({codec for codec, _ in frames}, {"ffv1"})
            self.assertEqual(sum(n for _, n in frames), 75)

    def run_splitter(self, film, body):
        """Runs statements that see the module `cutter` and the URI of the film. Returns what they print."""
        done = run(sys.executable, "-c", "import importlib.util, pathlib, sys\n"
                   "spec = importlib.util.spec_from_file_location('cutter', sys.argv[1])\n"
                   "cutter = importlib.util.module_from_spec(spec)\n"
                   "spec.loader.exec_module(cutter)\n"
                   "uri = pathlib.Path(sys.argv[2]).as_uri()\n" + body,
                   os.path.abspath(os.path.join(EXAMPLES, "scene-cutter.py")), film, cwd=FOLDER.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_end_without_an_error(self):
        """decodebin may drop the error of a demuxer. Parts that are too short are no success."""
        for exact, kind in (True, "Failure"), (False, "CannotCopy"):
            text = self.run_splitter(
                self.with_keys, f"try: cutter.Splitter('x', uri, [], 9, {exact}).run()\n"
                "except cutter.Failure as error: print(type(error).__name__, error)")
            self.assertRegex(text, f"^{kind} x.*: only 5.5.. of 9.000 s came\n$")

    @unittest.skipUnless(os.path.exists(clips.DEBIAN_CLIP), "opencv-doc is not installed")
    def test_error_while_a_file_is_opened(self):
        """The end of a splitmuxsink waited for ever, about once in 20 times."""
        text = self.run_splitter(
            clips.DEBIAN_CLIP, "for i in range(200):\n"
            "    try: cutter.Splitter('x', uri, [2, 4], 11, False).run()\n"
            "    except cutter.CannotCopy: print(i)\n")
        self.assertEqual(text.split(), [str(i) for i in range(200)])

    @unittest.skipUnless(os.path.exists(clips.DEBIAN_CLIP), "opencv-doc is not installed")
    def test_film_that_cannot_be_copied(self):
        folder = os.path.join(FOLDER.name, "film parts")
        scenes, text = self.cut("--split", folder, clips.DEBIAN_CLIP)
        self.assertIn("cannot be copied", text)
        frames = [self.streams_of(os.path.join(folder, name))[0]
                  for name in sorted(os.listdir(folder))]
        self.assertEqual(len(frames), len(scenes))
        self.assertEqual(sum(n for _, n in frames), 270)

    def test_folder_is_no_format(self):
        """Names with %, and names that are not UTF-8."""
        for name in "50% cut", "%s%s%n", b"\xff parts":
            folder = os.path.join(os.fsencode(FOLDER.name), os.fsencode(name))
            film = os.path.join(os.fsencode(FOLDER.name), b"%d \xfe.mkv")
            if not os.path.exists(film):
                os.link(self.with_keys, film)
            done = subprocess.run([*command_of("scene-cutter.py"), b"--split", folder, film],
                                  capture_output=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(os.listdir(folder)),
                             [b"%%d \xfe-00%d.mkv" % n for n in (1, 2, 3)])

    def test_relative_names(self):
        os.makedirs(os.path.join(FOLDER.name, "here"))
        done = run(*command_of(os.path.abspath(EXAMPLES) + "/scene-cutter.py"), "--split=here",
                   "film.mkv", cwd=FOLDER.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(os.listdir(os.path.join(FOLDER.name, "here"))), 3)

    def test_files_stay(self):
        """Files, and links to files, with a part's name are not replaced, and nothing is cut."""
        folder = os.path.join(FOLDER.name, "mine")
        os.makedirs(folder)
        other = os.path.join(FOLDER.name, "other.txt")
        for make in (lambda path: clips.ffmpeg("-i", self.with_keys, "-c", "copy", path),
                     lambda path: os.symlink(other, path), lambda path: os.link(other, path)):
            with open(other, "w", encoding="utf-8") as file:
                file.write("mine")
            for name in "film-002.mkv", "film-1000.mkv":
                path = os.path.join(folder, name)
                make(path)
                with open(path if os.path.getsize(path) > 4 else other, "rb") as file:
                    before = file.read()
                self.check_failure([*command_of("scene-cutter.py"), "--split", folder,
                                    self.with_keys], f"{name} exists already")
                self.assertEqual(os.listdir(folder), [name])
                with open(path, "rb") as file:
                    self.assertEqual(file.read(), before)
                os.unlink(path)

    def test_nothing_partial(self):
        """A limit on the size of files, and a signal: no part appears, and no folder."""
        folder = os.path.join(FOLDER.name, "none")
        command = [*command_of("scene-cutter.py"), "--exact", "--split", folder, self.with_keys]
        done = run(*command, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (50000, 50000)))
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stderr, r"^scene-cutter.py: .*\n$")
        self.assertFalse(os.path.exists(folder))
        # So long that the signal comes before the end, however busy the machine is.
        command[-1] = os.path.join(FOLDER.name, "long.mkv")
        clips.ffmpeg("-stream_loop", "20", "-i", self.with_keys, "-c", "copy", command[-1])
        for number in signal.SIGTERM, signal.SIGINT:
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  encoding="utf-8") as process:
                deadline = time.monotonic() + 30
                while not os.path.exists(folder) and time.monotonic() < deadline:
                    time.sleep(0.005)
                process.send_signal(number)
                _, text = process.communicate(timeout=30)
            self.assertEqual((process.returncode, text), (128 + number, ""))
            self.assertFalse(os.path.exists(folder))

    def test_errors(self):
        command = command_of("scene-cutter.py")
        self.check_failure(command + ["/nowhere"], "no file /nowhere")
        for value in "200", "nan", "inf", "-1":
            self.check_failure(command + ["--threshold=" + value, self.with_keys],
                               "scene-threshold")
        for value in "nan", "inf", "-1", "x":
            done = run(*command, "--shortest=" + value, self.with_keys)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn("--shortest: invalid seconds value", done.stderr)
        self.check_failure(command + ["--split", "/proc/x", self.with_keys], "/proc/x")
        empty = os.path.join(FOLDER.name, "nothing here")
        os.makedirs(empty)
        done = run(*command_of(os.path.abspath(EXAMPLES) + "/scene-cutter.py"), "--split=", self.with_keys, cwd=empty)
        self.assertEqual((done.returncode, os.listdir(empty)), (2, []))
        self.assertRegex(done.stderr, "--split needs a folder\n$")
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(command + [self.with_keys], stdout=full, timeout=60,
                                  stderr=subprocess.PIPE, encoding="utf-8", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^scene-cutter.py: .*No space left.*\n$")
        sound = os.path.join(FOLDER.name, "sound.wav")
        clips.ffmpeg("-f", "lavfi", "-i", "sine=d=1", sound)
        self.check_failure(command + [sound], "no stream video 0")


class PrometheusExporter(Example):
    PIPELINE = ("videotestsrc is-live=true pattern=black ! video/x-raw,format=I420 "
                "! cudahisto name=picture ! fakesink audiotestsrc is-live=true "
                "! audio/x-raw,channels=2 ! cudahisto name=sound ! fakesink")

    @classmethod
    def setUpClass(cls):
        try:
            import prometheus_client    # pylint: disable=unused-import
        except ImportError as error:
            raise unittest.SkipTest(str(error))

    def start(self, *arguments, **options):
        """Returns the process and its address, once it serves."""
        process = subprocess.Popen([*command_of("prometheus-exporter.py"), "--port=0", *arguments],
                                   stderr=subprocess.PIPE, encoding="utf-8", **options)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process, process.stderr.readline().split()[-1]

    def read(self, address):
        from prometheus_client import parser
        with urllib.request.urlopen(address, timeout=30) as answer:
            text = answer.read().decode()
        return {(sample.name, *sorted(sample.labels.items())): sample.value
                for family in parser.text_string_to_metric_families(text)
                for sample in family.samples}

    def test_values(self):
        process, address = self.start("--window=0.5", self.PIPELINE)
        deadline, values = time.monotonic() + 60, {}
        key = "cudahisto_alerts_total", ("meter", "picture"), ("type", "black")
        while key not in values and time.monotonic() < deadline:
            time.sleep(0.3)
            values = self.read(address)
        self.assertEqual(values[key], 1)
        self.assertEqual(values["cudahisto_alert_active", ("meter", "picture"),
                                ("type", "black")], 1)
        self.assertEqual(values["cudahisto_video_level", ("component", "Y"), ("figure", "p50"),
                                ("meter", "picture")], 16)
        self.assertAlmostEqual(values["cudahisto_audio_peak_dbfs", ("channel", "ch1"),
                                      ("meter", "sound")], -1.94, delta=0.05)
        self.assertAlmostEqual(values["cudahisto_loudness_lufs", ("meter", "sound"),
                                      ("span", "momentary")], -2.6, delta=0.3)
        for meter in "picture", "sound":
            self.assertGreater(values["cudahisto_frames_total", ("meter", meter)], 10)
            self.assertGreater(values["cudahisto_cpu_seconds_total", ("meter", meter)], 0)
            self.assertLess(abs(values["cudahisto_last_result_timestamp_seconds",
                                       ("meter", meter)] - time.time()), 30)
        # Each metric is served that can have a value.
        self.assertEqual({name for name, *_ in values if name.startswith("cudahisto_")},
                         self.exported_names())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(30), 0)

    def read_until(self, address, condition):
        """The values, once they are as they should be."""
        deadline, values = time.monotonic() + 30, self.read(address)
        while not condition(values) and time.monotonic() < deadline:
            time.sleep(0.1)
            values = self.read(address)
        self.assertTrue(condition(values), values)
        return values

    @staticmethod
    def labels_of(values, label, meter):
        """{metric: the values of a label}, or {metric: {None}}, of a meter."""
        found = {}
        for name, *labels in values:
            if ("meter", meter) in labels:
                found.setdefault(name, set()).add(dict(labels).get(label))
        return found

    def test_stream_that_ends(self):
        """Its counters stay. Its figures are served as long as --keep says."""
        _, address = self.start(
            "--window=0.1", "--keep=0.8", "videotestsrc is-live=true pattern=black num-buffers=15 "
            "! cudahisto name=short black-duration=0 ! fakesink " + self.PIPELINE)
        self.read_until(address, lambda values: {
            "cudahisto_video_level", "cudahisto_alert_active"} <= set(
                self.labels_of(values, "figure", "short")))
        values = self.read_until(address, lambda values: "cudahisto_video_level" not in
                                 self.labels_of(values, "figure", "short"))
        found = self.labels_of(values, "figure", "short")
        self.assertNotIn("cudahisto_alert_active", found)
        self.assertIn("cudahisto_frames_total", found)
        self.assertIn("cudahisto_alerts_total", found)
        self.assertIn("cudahisto_last_result_timestamp_seconds", found)
        self.assertIn("cudahisto_video_level", self.labels_of(values, "figure", "picture"))

    def test_elements_of_one_name(self):
        """In two bins: two series, of results and of counters."""
        one = ("( videotestsrc is-live=true pattern={} ! video/x-raw,format=I420 ! cudahisto name=meter "
               "! fakesink ) ")
        _, address = self.start("--window=0.1", one.format("black") + one.format("white"))
        figure = "cudahisto_video_level", ("component", "Y"), ("figure", "p50")
        values = self.read_until(address, lambda values: sum(
            key[:3] == figure for key in values) == 2)
        self.assertEqual([values[(*figure, ("meter", name))] for name in ("meter", "meter#2")], [16, 235])
        for name in "meter", "meter#2":
            self.assertGreater(values["cudahisto_frames_total", ("meter", name)], 0)

    def test_channels_that_end(self):
        _, address = self.start(
            "--window=0.1", "audiotestsrc num-buffers=30 ! audio/x-raw,rate=44100,channels=2 "
            "! concat name=c ! cudahisto name=sound ! fakesink sync=true "
            "audiotestsrc num-buffers=2000 ! audio/x-raw,rate=44100,channels=1 ! c.")
        metrics = ["cudahisto_audio_rms_dbfs", "cudahisto_audio_peak_dbfs",
                   "cudahisto_true_peak_dbtp"]
        for channels in {"ch0", "ch1"}, {"ch0"}:
            self.read_until(address, lambda values, wanted=channels: [
                self.labels_of(values, "channel", "sound").get(name) for name in metrics]
                == [wanted] * 3)

    def test_idle_clients(self):
        """Some hundred clients that send nothing, or half a request, do not stop those that do.
        They are closed after some time."""
        process, address = self.start(self.PIPELINE, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_NOFILE, (256, 256)))
        url = urllib.parse.urlsplit(address)
        clients = []
        try:
            for i in range(400):
                clients.append(socket.create_connection((url.hostname, url.port), timeout=30))
                if i % 2 == 1:
                    clients[-1].sendall(b"GET /metrics HTTP/1.1\r\nHost: ")
            for _ in range(3):
                with urllib.request.urlopen(address, timeout=5) as answer:
                    self.assertIn(b"cudahisto_frames_total", answer.read())
            with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
                self.assertLess(int(re.search(r"Threads:\s*(\d+)", file.read()).group(1)), 100)
            for client in clients:      # the last ones after 5 s
                try:
                    while client.recv(4096):
                        pass
                except ConnectionResetError:
                    pass
        finally:
            for client in clients:
                client.close()
        process.send_signal(signal.SIGTERM)
        self.assertEqual((process.wait(30), process.stderr.read()), (0, ""))

    def test_addresses(self):
        for name, text in ("::1", "http://[::1]:"), ("localhost", "http://localhost:"):
            with self.subTest(name):
                if name == "::1" and not os.path.exists("/proc/net/if_inet6"):
                    continue
                _, address = self.start("--address=" + name, self.PIPELINE)
                self.assertTrue(address.startswith(text), address)
                self.read(address)
        command = command_of("prometheus-exporter.py")
        for option, text in (("--address=", "the address is empty"), ("--address= ", "is empty"),
                             ("--port=-1", "no port"), ("--port=65536", "no port"),
                             ("--port=x", "invalid"), ("--window=nan", "no span"),
                             ("--window=0", "no span"), ("--window=inf", "no span"),
                             ("--keep=-1", "no span")):
            done = run(*command, option, self.PIPELINE)
            self.assertEqual(done.returncode, 2, done)
            self.assertRegex(done.stderr, r"\nprometheus-exporter.py: error: argument --\w+: .*"
                             + text + ".*\n$")
        self.check_failure(command + ["--address=192.0.2.1", self.PIPELINE], "assign")

    def exported_names(self):
        done = run(sys.executable, "-c", "import importlib.util, sys\n"
                   "spec = importlib.util.spec_from_file_location('exporter', sys.argv[1])\n"
                   "module = importlib.util.module_from_spec(spec)\n"
                   "spec.loader.exec_module(module)\nprint(*module.names())",
                   os.path.join(EXAMPLES, "prometheus-exporter.py"))
        return set(done.stdout.split())

    def test_dashboard(self):
        """The dashboard uses all exported names, and no others."""
        with open(os.path.join(EXAMPLES, "grafana-dashboard.json"), encoding="utf-8") as file:
            dashboard = json.load(file)
        self.assertEqual(set(re.findall(r"cudahisto_\w+", json.dumps(dashboard))),
                         self.exported_names())
        expressions = [target["expr"] for panel in dashboard["panels"]
                       for target in panel["targets"]]
        for expression in expressions:
            self.assertEqual(expression.count("("), expression.count(")"), expression)
            self.assertIn('meter=~"$meter"', expression)
            # Counters are shown as rates, and gauges are not.
            self.assertEqual("_total" in expression,
                             expression.startswith(("rate(", "increase(")), expression)
        self.assertEqual(len({panel["id"] for panel in dashboard["panels"]}),
                         len(dashboard["panels"]))

    def test_ends(self):
        process, _ = self.start("videotestsrc num-buffers=3 ! cudahisto ! fakesink")
        self.assertEqual(process.wait(30), 0)
        command = command_of("prometheus-exporter.py")
        self.check_failure(command + ["nosuchelement"], "nosuchelement")
        self.check_failure(command + ["--measures=x", self.PIPELINE], "none of basic")


class TerminalMonitor(Example):
    PIPELINE = ("videotestsrc is-live=true pattern=black ! video/x-raw,format=I420 "
                "! cudahisto name=picture ! fakesink audiotestsrc is-live=true "
                "! audio/x-raw,channels=2 ! cudahisto name=sound ! fakesink")

    def start(self, width, height, locale="C.UTF-8", pipeline=PIPELINE):
        """Runs the program in a terminal of its own."""
        try:
            pid, terminal = pty.fork()
        except OSError as error:
            self.skipTest(str(error))
        if pid == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
            environment = {**os.environ, "TERM": "xterm", "LC_ALL": locale}
            environment.pop("COLUMNS", None)
            environment.pop("LINES", None)
            command = [*command_of("terminal-monitor.py"), pipeline]
            os.execve(command[0], command, environment)
        self.addCleanup(os.close, terminal)
        return pid, terminal

    def read_until(self, terminal, pattern):
        """What the program has drawn, until it matches."""
        deadline, text = time.monotonic() + 60, ""
        while not re.search(pattern, text, re.DOTALL) and time.monotonic() < deadline:
            if select.select([terminal], [], [], 0.5)[0]:
                try:
                    text += os.read(terminal, 65536).decode(errors="replace")
                except OSError:         # the program has ended
                    break
        self.assertRegex(text, re.compile(pattern, re.DOTALL))
        return text

    def resize(self, pid, terminal, width, height):
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        os.kill(pid, signal.SIGWINCH)

    def check_end(self, pid, terminal):
        """The terminal is as before, and the status is 0."""
        text = self.read_until(terminal, r"\x1b\[\?1049l")
        self.assertNotIn("Traceback", text)
        deadline = time.monotonic() + 30
        done, status = 0, 0
        while done == 0 and time.monotonic() < deadline:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    os.read(terminal, 65536)
                except OSError:
                    pass
            done, status = os.waitpid(pid, os.WNOHANG)
        if done == 0:
            os.kill(pid, signal.SIGKILL)
        self.assertEqual((done, os.waitstatus_to_exitcode(status)), (pid, 0))

    def test_screen(self):
        pid, terminal = self.start(80, 24)
        self.read_until(terminal, "black begins")
        # curses only draws what has changed, until the size changes.
        self.resize(pid, terminal, 79, 24)
        text = self.read_until(terminal, "picture: I420.*black begins.*q: quit")
        for wanted in ("picture: I420 320x240", r"Y  mean   16.0  p1   16.0", "█", "q: quit",
                       "sound:", r"ch1  RMS   -\d+.\d dB", "LUFS  momentary .* range", "Alerts",
                       "picture: histogram of Y"):
            self.assertRegex(text, wanted)
        os.write(terminal, b"q")
        self.check_end(pid, terminal)

    def test_stream_that_ends(self):
        """Old figures are not shown as if they were those of now."""
        pid, terminal = self.start(80, 24, pipeline="videotestsrc num-buffers=3 ! cudahisto "
                                   "name=short ! fakesink " + self.PIPELINE)
        self.read_until(terminal, "short: .*no data for [34] s")
        self.resize(pid, terminal, 79, 24)
        text = self.read_until(terminal, "short: .*no data.*q: quit")
        self.assertRegex(text, r"no data for \d+ s\s+.*picture: I420.*histogram of Y")
        os.write(terminal, b"q")
        self.check_end(pid, terminal)

    def test_resize_and_interrupt(self):
        pid, terminal = self.start(80, 24)
        self.read_until(terminal, "momentary")
        for width, height in (40, 8), (132, 50), (3, 2), (80, 24):
            self.resize(pid, terminal, width, height)
            time.sleep(0.4)
            while select.select([terminal], [], [], 0)[0]:
                os.read(terminal, 65536)
        self.read_until(terminal, r"\d")
        os.write(terminal, b"\x03")             # Ctrl-C
        self.check_end(pid, terminal)

    def test_without_utf_8(self):
        pid, terminal = self.start(80, 24, "POSIX")
        text = self.read_until(terminal, "momentary")
        self.assertTrue(text.isascii(), ascii(text))
        os.write(terminal, b"q")
        self.check_end(pid, terminal)

    def test_locale_that_is_not_installed(self):
        pid, terminal = self.start(80, 24, "xx_XX.UTF-8")
        text = self.read_until(terminal, "momentary")
        self.assertTrue(text.isascii(), ascii(text))
        os.write(terminal, b"q")
        self.check_end(pid, terminal)

    def test_without_a_terminal(self):
        """One line a second for each element, and the alerts."""
        done = run(*command_of("terminal-monitor.py"),
                   self.PIPELINE.replace("is-live=true", "num-buffers=100"))
        lines = done.stdout.splitlines()
        self.assertEqual(done.returncode, 0, done.stderr)
        pictures = [line for line in lines if line.startswith("picture  ")]
        self.assertEqual([line.split()[1] for line in pictures], ["0.0", "1.0", "2.0", "3.0"])
        self.assertIn("Y p1 16 p50 16 p99 16", pictures[0])
        self.assertTrue(any("sound  " in line and "LUFS" in line for line in lines), lines)
        self.assertIn("picture alert black begin", lines)

    def test_errors(self):
        command = command_of("terminal-monitor.py")
        self.check_failure(command + ["nosuchelement"], "nosuchelement")
        self.check_failure(command + ["v4l2src device=/nowhere ! cudahisto ! fakesink"],
                           "/nowhere")
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(command + [self.PIPELINE], stdout=full, timeout=60,
                                  stderr=subprocess.PIPE, encoding="utf-8", check=False)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
