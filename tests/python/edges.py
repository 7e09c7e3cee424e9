#!/usr/bin/python3
"""Bins of any widths: the element's counts are those of numpy.histogram(), for all formats of audio and some of video; and
what the Python module makes of their edges.

    GST_PLUGIN_PATH=BUILD_DIR/plugin PYTHONPATH=pipelines/python tests/python/edges.py

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import clips  # noqa: E402,F401 (ends the program if a module is missing)
import gi  # noqa: E402
import numpy  # noqa: E402

gi.require_version("GstVideo", "1.0")
from gi.repository import Gst, GstVideo  # noqa: E402
import cudahisto  # noqa: E402

FLOATS = [-0.9, -0.25, -1e-30, 0, 1e-30, 0.1, 0.3, 0.30000000000000004, 0.75]
INTEGERS = [-3e9, -2**31, -8388608, -32768.5, -1000, -128, -5, 0.5, 1, 2, 100, 127, 200, 32767, 65535.25, 8388607, 2**31 - 1,
            2**32 - 1, 1e300]
# Not P010: for GStreamer 1.22 its V begins one byte behind U, which is half of a sample.
VIDEO = "GRAY8 GRAY16_LE GRAY16_BE I420 Y444 Y41B NV12 NV21 RGB BGRx RGBA I422_10LE I420_12BE Y444_12LE".split()
WIDTH, HEIGHT = 37, 19


def measure(caps, data, edges):
    """The result of one buffer with these bytes."""
    pipeline = Gst.parse_launch("appsrc name=in format=time ! cudahisto name=c backend=cpu ! appsink name=out sync=false")
    source = pipeline.get_by_name("in")
    source.set_property("caps", Gst.Caps.from_string(caps))
    pipeline.get_by_name("c").set_property("bin-edges", ",".join(map(repr, edges)))
    pipeline.set_state(Gst.State.PLAYING)
    source.emit("push-buffer", Gst.Buffer.new_wrapped(data))
    source.emit("end-of-stream")
    frame = cudahisto.read(pipeline.get_by_name("out").emit("pull-sample"))
    pipeline.set_state(Gst.State.NULL)
    return frame


def audio_formats():
    """All that the element takes."""
    template = Gst.ElementFactory.find("cudahisto").get_static_pad_templates()[0].get_caps()
    # As text: GStreamer 1.26's module for Python has structures without get_name().
    audio = next(part for part in template.to_string().split("; ") if part.startswith("audio/x-raw,"))
    return sorted(set(re.findall(r"[SUF]\d+(?:_32)?(?:LE|BE)?", audio)))


def random_sound(name, n, edges, random):
    """Samples as numbers, many of them at or next to the edges, and as bytes."""
    kind, depth, width, order = re.fullmatch(r"([SUF])(\d+)(?:_(\d+))?(LE|BE)?", name).groups()
    order, depth = {"LE": "<", "BE": ">", None: "<"}[order], int(depth)
    if kind == "F":
        values = random.uniform(-1.2, 1.2, n)
        near = random.choice(edges, n)
        near = numpy.where(random.integers(3, size=n) == 0, near, numpy.nextafter(near, random.choice([-2, 2], n)))
        values = numpy.where(random.integers(3, size=n) == 0, near, values)
        values[:4] = numpy.nan, numpy.inf, -numpy.inf, -0.0
        data = values.astype(f"{order}f{depth // 8}")
        return data.astype(float), data.tobytes()
    low = -2**(depth - 1) if kind == "S" else 0
    values = random.integers(low, low + 2**depth, n)
    near = numpy.floor(random.choice(edges, n)).clip(low, low + 2**depth - 1).astype("int64") + random.integers(-1, 2, n)
    values = numpy.where(random.integers(3, size=n) == 0, near.clip(low, low + 2**depth - 1), values)
    size = (int(width) if width else -(-depth // 8) * 8) // 8
    data = values.astype("<i8").view("u1").reshape(n, 8)[:, :size]
    return values, (data if order == "<" else data[:, ::-1]).tobytes()


def samples_of(info, component, data):
    """The samples of a component of video."""
    about = info.finfo
    plane, depth, shift = about.plane[component], about.depth[component], about.shift[component]
    width, height = -(-WIDTH >> about.w_sub[component]), -(-HEIGHT >> about.h_sub[component])
    order = "<" if about.flags & GstVideo.VideoFormatFlags.LE else ">"
    kind = numpy.dtype("u1" if depth + shift <= 8 else order + "u2")
    return numpy.concatenate([
        numpy.ndarray((width,), kind, data, info.offset[plane] + about.poffset[component] + y * info.stride[plane],
                      (about.pixel_stride[component],)) for y in range(height)]) >> shift & (1 << depth) - 1


class Edges(unittest.TestCase):
    def check(self, component, values, edges, what):
        """numpy's last bin has the samples that are equal to its upper edge, too."""
        finite = values[numpy.isfinite(values)]
        expected = numpy.histogram(finite, edges)[0]
        expected[-1] -= (finite == edges[-1]).sum()
        self.assertEqual(component["histogram"].tolist(), expected.tolist(), what)
        self.assertEqual(component["underflow"], (values < edges[0]).sum(), what)
        self.assertEqual(component["overflow"], (values >= edges[-1]).sum(), what)
        self.assertEqual(component["edges"].tolist(), list(edges), what)
        self.assertEqual(cudahisto.edges(component).tolist(), list(edges), what)
        self.assertFalse({"range-min", "range-max"} & component.keys(), what)

    def test_audio(self):
        random = numpy.random.default_rng(1)
        formats = audio_formats()
        self.assertGreater(len(formats), 25)
        for name in formats:
            some = numpy.unique(random.uniform(-1, 1, 101) * (1 if name[0] == "F" else 2**int(re.search(r"\d+", name)[0])))
            for edges in (FLOATS, some.tolist()) if name[0] == "F" else (INTEGERS, some.tolist()):
                values, data = random_sound(name, 2000, edges, random)
                frame = measure(f"audio/x-raw,format={name},rate=48000,channels=2,layout=interleaved,channel-mask=(bitmask)3",
                                data, edges)
                self.assertEqual(frame["schema"], 2)
                for c in range(2):
                    self.check(frame[f"ch{c}"], values[c::2], edges, name)

    def test_video(self):
        random = numpy.random.default_rng(2)
        for name in VIDEO:
            info = GstVideo.VideoInfo()
            info.set_format(GstVideo.VideoFormat.from_string(name), WIDTH, HEIGHT)
            data = random.bytes(info.size)
            for edges in INTEGERS, [0.0, 1.0], [16.0, 17.0, 64.0, 235.0, 236.0]:
                frame = measure(f"video/x-raw,format={name},width={WIDTH},height={HEIGHT},framerate=25/1", data, edges)
                for c, component in enumerate(frame["components"]):
                    self.check(frame[component], samples_of(info, c, data), edges, f"{name} {component}")

    def test_equal_bins(self):
        """Bins of one width have edges, too, and the result is as before."""
        frame = next(cudahisto.launch("videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8 ! "
                                      "cudahisto bins=3 range-min=-1 range-max=2.5 post-messages=true ! fakesink"))
        self.assertEqual(frame["schema"], 1)
        self.assertNotIn("edges", frame["Y"])
        self.assertTrue(numpy.allclose(cudahisto.edges(frame["Y"]), numpy.linspace(-1, 2.5, 4), rtol=1e-15))
        self.assertEqual(frame["Y.range-max"], 2.5)

    def test_paths(self):
        frame = measure("audio/x-raw,format=S8,rate=8000,channels=1,layout=interleaved", bytes(range(8)), [0, 3, 5.5])
        self.assertEqual(frame["ch0.overflow"], 2)
        for path in "ch0.edges", "ch0.range-min":
            with self.assertRaises(KeyError):
                frame[path]
        kept = cudahisto.edges(frame["ch0"])
        kept[0] = 7         # a copy
        self.assertEqual(frame["ch0"]["edges"][0], 0)

    def test_earlier_module(self):
        """A module that knows only the first schema refuses the result in words."""
        schemas, cudahisto._SCHEMAS = cudahisto._SCHEMAS, (1,)
        try:
            with self.assertRaisesRegex(cudahisto.Error, "field 'schema' of 'cudahisto' has an unknown value"):
                measure("audio/x-raw,format=S8,rate=8000,channels=1,layout=interleaved", bytes(8), [0, 3])
        finally:
            cudahisto._SCHEMAS = schemas

    def test_without_numpy(self):
        program = """if True:
            import sys
            sys.modules["numpy"] = None
            import cudahisto
            for bins in "bin-edges=0,1,50.5", "bins=2 range-max=64":
                frame = next(cudahisto.launch("videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8 ! cudahisto "
                                              f"{bins} post-messages=true ! fakesink"))
                print(cudahisto.edges(frame["Y"]))
            """
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", timeout=60, check=False)
        self.assertEqual((done.stdout, done.stderr), ("[0.0, 1.0, 50.5]\n[0.0, 32.0, 64.0]\n", ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
