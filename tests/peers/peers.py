"""For the tests that compare cudahisto with other programs: clips as raw samples, what ffmpeg's
filters say about them, and what elements of GStreamer say about them.

A clip is made once. Every program measures the same samples.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import clips
import numpy
import gi
try:
    gi.require_version("GstVideo", "1.0")
    from gi.repository import Gst, GstVideo
except (ImportError, ValueError) as error:
    print("skipped:", error)
    sys.exit(77)

BACKEND = os.environ.get("CUDAHISTO_TEST_BACKEND", "auto")
FFMPEG = "5.1"  # the definitions are those of this version
FILM_FOLDERS = [os.path.dirname(os.environ.get("CUDAHISTO_TEST_CLIP", "")),
                os.path.dirname(clips.DEBIAN_CLIP)]
directory = tempfile.TemporaryDirectory(prefix="cudahisto-")


def new_file():
    """A path in a directory that lives as long as this process."""
    handle, path = tempfile.mkstemp(".raw", dir=directory.name)
    os.close(handle)
    return path


# ffmpeg's name: GStreamer's name, bytes of a sample, log2 of the chroma's subsampling, samples of
# one position of each plane.
FORMATS = {
    "gray": ("GRAY8", 1, 0, 0, (1,)),
    "yuv420p": ("I420", 1, 1, 1, (1, 1, 1)),
    "yuvj420p": ("I420", 1, 1, 1, (1, 1, 1)),
    "yuv422p": ("Y42B", 1, 1, 0, (1, 1, 1)),
    "yuv444p": ("Y444", 1, 0, 0, (1, 1, 1)),
    "yuv411p": ("Y41B", 1, 2, 0, (1, 1, 1)),
    "nv12": ("NV12", 1, 1, 1, (1, 2)),
    "yuv420p10le": ("I420_10LE", 2, 1, 1, (1, 1, 1)),
    "yuv422p10le": ("I422_10LE", 2, 1, 0, (1, 1, 1)),
    "yuv444p10le": ("Y444_10LE", 2, 0, 0, (1, 1, 1)),
    "p010le": ("P010_10LE", 2, 1, 1, (1, 2)),
    "yuv420p12le": ("I420_12LE", 2, 1, 1, (1, 1, 1)),
    "yuv422p12le": ("I422_12LE", 2, 1, 0, (1, 1, 1)),
    "yuv444p12le": ("Y444_12LE", 2, 0, 0, (1, 1, 1)),
    "yuv444p16le": ("Y444_16LE", 2, 0, 0, (1, 1, 1)),
    "gbrp": ("GBR", 1, 0, 0, (1, 1, 1)),
    "rgb24": ("RGB", 1, 0, 0, (3,)),
}
DEPTHS = {"yuv420p10le": 10, "yuv422p10le": 10, "yuv444p10le": 10, "p010le": 10, "yuv420p12le": 12,
          "yuv422p12le": 12, "yuv444p12le": 12, "yuv444p16le": 16}


class Video:
    """Frames of one format and size. A frame is a list of planes: arrays of rows × samples."""

    def __init__(self, name, pixel_format, width, height, rate, frames, colorimetry=None):
        self.name, self.pixel_format, self.frames = name, pixel_format, frames
        self.width, self.height, self.rate, self.colorimetry = width, height, rate, colorimetry
        self.depth = DEPTHS.get(pixel_format, 8)
        self.gst_format, self.path = FORMATS[pixel_format][0], None

    def semi_planar(self):
        """The same samples as NV12 (8 bit) or P010 (10 bit)."""
        shift = 0 if self.depth == 8 else 6
        frames = [[y << shift, numpy.stack((u << shift, v << shift), -1).reshape(len(u), -1)]
                  for y, u, v in self.frames]
        pixel_format = "nv12" if self.depth == 8 else "p010le"
        return Video(f"{self.name} as {pixel_format}", pixel_format, self.width, self.height,
                     self.rate, frames, self.colorimetry)

    def caps(self):
        caps = (f"video/x-raw,format={self.gst_format},width={self.width},height={self.height},"
                f"framerate={self.rate}/1,pixel-aspect-ratio=1/1")
        return Gst.Caps.from_string(caps + (f",colorimetry=(string){self.colorimetry}"
                                            if self.colorimetry else ""))

    def buffers(self):
        """The frames as GstBuffers with GStreamer's strides."""
        info = GstVideo.VideoInfo.new_from_caps(self.caps())
        duration = Gst.SECOND // self.rate
        for number, frame in enumerate(self.frames):
            data = numpy.zeros(info.size, "u1")
            for index, plane in enumerate(frame):
                row_bytes = plane.shape[1] * plane.itemsize
                begin, stride = info.offset[index], info.stride[index]
                rows = data[begin:begin + stride * len(plane)].reshape(len(plane), stride)
                rows[:, :row_bytes] = numpy.ascontiguousarray(plane).view("u1").reshape(
                    len(plane), row_bytes)
            buffer = Gst.Buffer.new_wrapped(data.tobytes())
            buffer.pts = Gst.util_uint64_scale(number, Gst.SECOND, self.rate)
            buffer.duration = duration
            yield buffer

    def input(self):
        """ffmpeg's arguments that read this clip."""
        if self.path is None:
            self.path = new_file()
            with open(self.path, "wb") as file:
                for plane in sum(self.frames, []):
                    file.write(numpy.ascontiguousarray(plane).tobytes())
        return ["-f", "rawvideo", "-pix_fmt", self.pixel_format, "-s",
                f"{self.width}x{self.height}", "-r", str(self.rate), "-i", self.path]


class Audio:
    """Sound: an array of samples × channels."""

    NAMES = {"s16le": ("S16LE", "<i2", 32767), "s32le": ("S32LE", "<i4", 2147483647),
             "f32le": ("F32LE", "<f4", 1), "f64le": ("F64LE", "<f8", 1)}

    def __init__(self, name, sample_format, rate, samples):
        self.name, self.sample_format, self.rate = name, sample_format, rate
        self.gst_format, dtype, self.scale = self.NAMES[sample_format]
        self.samples = samples.astype(dtype)
        self.channels, self.path = self.samples.shape[1], None

    def caps(self):
        mask = {1: "", 2: ",channel-mask=(bitmask)0x3", 6: ",channel-mask=(bitmask)0x3f"}
        return Gst.Caps.from_string(
            f"audio/x-raw,format={self.gst_format},layout=interleaved,rate={self.rate},"
            f"channels={self.channels}{mask[self.channels]}")

    def buffers(self, length):
        """GstBuffers of @length samples."""
        for begin in range(0, len(self.samples), length):
            part = self.samples[begin:begin + length]
            buffer = Gst.Buffer.new_wrapped(part.tobytes())
            buffer.pts = Gst.util_uint64_scale(begin, Gst.SECOND, self.rate)
            end = Gst.util_uint64_scale(begin + len(part), Gst.SECOND, self.rate)
            buffer.duration = end - buffer.pts
            buffer.offset, buffer.offset_end = begin, begin + len(part)
            yield buffer

    def input(self):
        """ffmpeg's arguments that read this sound."""
        if self.path is None:
            self.path = new_file()
            self.samples.tofile(self.path)
        return ["-f", self.sample_format, "-ar", str(self.rate), "-ac", str(self.channels),
                "-i", self.path]


def plane_shapes(pixel_format, width, height):
    """Rows and samples of a row of each plane, as ffmpeg's rawvideo has them."""
    _, _, hsub, vsub, samples = FORMATS[pixel_format]
    chroma = (height + (1 << vsub) - 1) >> vsub, (width + (1 << hsub) - 1) >> hsub
    sizes = [(height, width)] + [chroma] * (len(samples) - 1)
    return [(rows, columns * count) for (rows, columns), count in zip(sizes, samples)]


def video(name, pixel_format, width, height, rate, *arguments, colorimetry=None):
    """A clip from ffmpeg's arguments, which give a picture of this size and rate."""
    data = clips.ffmpeg(*arguments, "-an", "-f", "rawvideo", "-pix_fmt", pixel_format, "-")
    samples = numpy.frombuffer(data, f"<u{FORMATS[pixel_format][1]}")
    shapes = plane_shapes(pixel_format, width, height)
    ends = numpy.cumsum([rows * columns for rows, columns in shapes])
    assert samples.size and samples.size % ends[-1] == 0, f"{name}: {samples.size} samples"
    frames = [[plane.reshape(shape) for plane, shape in zip(numpy.split(frame, ends[:-1]), shapes)]
              for frame in samples.reshape(-1, ends[-1])]
    return Video(name, pixel_format, width, height, rate, frames, colorimetry)


def audio(name, sample_format, rate, channels, *arguments):
    """Sound from ffmpeg's arguments."""
    data = clips.ffmpeg(*arguments, "-vn", "-f", sample_format, "-ar", str(rate),
                        "-ac", str(channels), "-")
    return Audio(name, sample_format, rate,
                 numpy.frombuffer(data, Audio.NAMES[sample_format][1]).reshape(-1, channels))


def film(name, file, pixel_format, width, height, rate, begin, count):
    """@count frames of a film of opencv-doc. Test signals if the film is not installed."""
    paths = [os.path.join(folder, file) for folder in FILM_FOLDERS if folder]
    found = [path for path in paths if os.access(path, os.R_OK)]
    if found:
        source = ["-ss", str(begin), "-i", found[0]]
    else:
        print(f"{file} is not installed; test signals stand in for it", flush=True)
        source = ["-f", "lavfi", "-i",
                  f"testsrc2=size={width}x{height}:rate={rate},noise=alls=9:allf=t"]
    return video(name, pixel_format, width, height, rate, *source, "-frames:v", str(count),
                 "-fps_mode", "passthrough")


def generated(name, pixel_format, width, height, rate, graph, count, colorimetry=None):
    """@count frames of a graph of ffmpeg. %s in the graph is replaced by size and rate."""
    even = f"size={width + width % 2}x{height + height % 2}:rate={rate}"
    graph = graph.replace("%s", even)
    return video(name, pixel_format, width, height, rate, "-f", "lavfi", "-i",
                 f"{graph},format={pixel_format},crop={width}:{height}:0:0:exact=1",
                 "-frames:v", str(count), colorimetry=colorimetry)


def add_noise(clip, amplitude, seed=1):
    """Adds noise to every sample, so that the low bits of deep samples occur, too."""
    random, top = numpy.random.default_rng(seed), (1 << clip.depth) - 1
    clip.frames = [[numpy.clip(plane.astype(int) + random.integers(
        -amplitude, amplitude, plane.shape, endpoint=True), 0, top).astype(plane.dtype)
        for plane in frame] for frame in clip.frames]
    return clip


# ---- What ffmpeg says ----------------------------------------------------------------------

def ffmpeg_filters(clip, graph, kind, codec=None):
    """Runs a graph of filters over a clip. Returns the metadata of each frame, and the log.

    No filter may get another format than the clip's: conversions are forbidden. @codec: for sound
    whose format the graph itself changes.
    """
    path = os.path.join(directory.name, "metadata")
    printer = "ametadata" if kind == "a" else "metadata"
    command = ["ffmpeg", "-nostdin", "-hide_banner", "-v", "info", "-nostats", "-y",
               "-noauto_conversion_filters", *clip.input(), f"-{kind}f",
               f"{graph},{printer}=mode=print:file={path}",
               *(["-c:a", codec or f"pcm_{clip.sample_format}"] if kind == "a" else []),
               "-f", "null", "-"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")
    assert done.returncode == 0, f"{command}: {done.stderr}"
    frames = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("frame:"):
                frames.append({})
            else:
                key, value = line.rstrip("\n").split("=", 1)
                frames[-1][key.removeprefix("lavfi.")] = value
    return frames, done.stderr


def log_times(log, *keys):
    """The spans in a log: a list with a tuple of numbers for each line that has all keys."""
    pattern = r".*?".join(rf"{key}: ?(-?[0-9.]+)" for key in keys)
    return [tuple(float(number) for number in found.groups())
            for found in re.finditer(pattern, log)]


# ---- What GStreamer says -------------------------------------------------------------------

def to_python(value):
    """A GstStructure as a dictionary, with arrays of numpy for histograms. Everything is copied."""
    if isinstance(value, Gst.Structure):
        names = [value.nth_field_name(index) for index in range(value.n_fields())]
        return {name: to_python(value[name]) for name in names}
    if hasattr(value, "get_data"):
        return numpy.frombuffer(bytes(value.get_data()), "<u4")
    if isinstance(value, (Gst.ValueArray, Gst.ValueList)) or hasattr(value, "__iter__") \
            and not isinstance(value, str):
        return [to_python(item) for item in value]
    return value


def messages(clip, element, names, *lengths):
    """Sends a clip through an element. Returns the element messages of each name, in order.

    @lengths: for sound, the number of samples in a buffer.
    """
    pipeline = Gst.parse_launch(f"appsrc name=source format=time max-bytes=0 ! {element} ! "
                                "fakesink sync=false async=false")
    source = pipeline.get_by_name("source")
    source.set_property("caps", clip.caps())
    pipeline.set_state(Gst.State.PLAYING)
    bus, found = pipeline.get_bus(), {name: [] for name in names}
    try:
        for buffer in clip.buffers(*lengths):
            source.emit("push-buffer", buffer)
        source.emit("end-of-stream")
        while True:
            message = bus.timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.ELEMENT |
                                             Gst.MessageType.EOS | Gst.MessageType.ERROR)
            assert message is not None, f"{clip.name}: no EOS"
            if message.type == Gst.MessageType.ERROR:
                raise AssertionError(f"{clip.name}: {message.parse_error()}")
            if message.type == Gst.MessageType.EOS:
                return found
            # The structure must live as long as its nested structures are read.
            structure = message.get_structure()
            if structure.get_name() in found:
                found[structure.get_name()].append(to_python(structure))
    finally:
        pipeline.set_state(Gst.State.NULL)


def windows(clip, settings, *lengths):
    """cudahisto's results of windows."""
    element = f"cudahisto backend={BACKEND} {settings}"
    return messages(clip, element, ["cudahisto-window"], *lengths)["cudahisto-window"]


def measure(clip, settings, *lengths):
    """cudahisto's results of all buffers, and its alerts."""
    element = f"cudahisto backend={BACKEND} post-messages=true {settings}"
    found = messages(clip, element, ("cudahisto", "cudahisto-alert"), *lengths)
    results = found["cudahisto"]
    for result in results:
        assert BACKEND in ("auto", result["backend"]), result["backend"]
    expected = len(list(clip.buffers(*lengths)))
    assert len(results) == expected, f"{clip.name}: {len(results)} results of {expected} buffers"
    return results, found["cudahisto-alert"]


# ---- Comparing -----------------------------------------------------------------------------

class Comparison:
    """Collects the figures that differ, so that one run shows them all."""

    def __init__(self, name):
        self.name, self.compared, self.different = name, 0, {}

    def equal(self, where, figure, ours, theirs):
        self.compared += 1
        if ours != theirs:
            self.different.setdefault(figure, []).append(f"{where}: {ours}, not {theirs}")

    def close(self, where, figure, ours, theirs, tolerance):
        self.compared += 1
        ours = float("nan") if ours is None else ours
        if not (ours == theirs or abs(ours - theirs) <= tolerance):
            self.different.setdefault(figure, []).append(
                f"{where}: {ours!r}, not {theirs!r} ± {tolerance}")

    def finish(self):
        for figure, found in self.different.items():
            print(f"{self.name} {figure}: {len(found)} differ, first", *found[:2], sep="\n    ")
        assert not self.different, f"{self.name}: {', '.join(self.different)}"
        assert self.compared > 0, f"{self.name}: nothing was compared"
        print(f"     {self.name}: {self.compared} figures agree", flush=True)


def low_and_high(histogram):
    """signalstats' LOW and HIGH: the bins at which 10 % and 90 % are reached, rounded as lrint."""
    total, cumulative = int(histogram.sum()), numpy.cumsum(histogram)
    return [int(numpy.argmax(cumulative >= round(total * percent / 100.))) for percent in (10, 90)]


def run(*tests):
    """Runs tests: those whose names the command line has, or all. Returns the exit status."""
    version = subprocess.run(["ffmpeg", "-version"], capture_output=True, encoding="utf-8").stdout
    if not re.match(rf"ffmpeg version n?{re.escape(FFMPEG)}\b", version):
        print(f"skipped: the definitions are those of ffmpeg {FFMPEG}, not of", version[:20])
        return 77
    names = {test.__name__ for test in tests}
    assert names.issuperset(sys.argv[1:]), f"no such test: {sys.argv[1:]}"
    return clips.run_tests([test for test in tests
                            if len(sys.argv) == 1 or test.__name__ in sys.argv])
