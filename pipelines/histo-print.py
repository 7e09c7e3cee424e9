#!/usr/bin/python3
"""Prints what cudahisto measures on the video and the audio of a file.

    histo-print.py [--backend auto|cuda|cpu] [--every SECONDS] FILE

Each line is one component, with its histogram as 16 bars. For video, each interval prints
its first frame. For audio, each interval prints all of its samples together. The default
interval is one second. FILE may be a URI.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import argparse
import math
import os
import signal
import sys
import threading

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

N_BARS = 16
SHARES = {"p1": 0.01, "p10": 0.10, "p50": 0.50, "p90": 0.90, "p99": 0.99}
COLUMNS = ["mean", "min", "max"] + list(SHARES)


def histogram_of(component):
    """Returns the histogram as a list of numbers. The bytes are 32-bit words, little endian."""
    data = component["histogram"].get_data()
    return [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]


def bars_of(histogram):
    """Returns the histogram as text. A bar is a dot for no samples, else 1/8 to 8/8 high."""
    n_bins, n_bars = len(histogram), min(N_BARS, len(histogram))
    bars = [sum(histogram[i * n_bins // n_bars:(i + 1) * n_bins // n_bars])
            for i in range(n_bars)]
    highest = max(bars)
    return "".join("·" if bar == 0 else chr(0x2580 + math.ceil(8 * bar / highest))
                   for bar in bars)


class Printer:
    """Prints the lines of all tracks. Each track calls it from its own thread."""

    def __init__(self):
        self.lock = threading.Lock()
        self.is_first = True

    def describe(self, result):
        if result["media"] == "video":
            size = "{}x{}".format(result["width"], result["height"])
        else:
            size = "{} Hz, channels: {}".format(result["rate"], result["channels"])
        self.write("{}: {}, {}, measured by {}\n".format(
            result["media"], result["format"], size, result["backend"]))

    def show(self, seconds, name, figures, histogram):
        numbers = "".join(f"{figures[column]:12.5g}" for column in COLUMNS)
        self.write(f"{seconds:9.3f}  {name:<5}{numbers}  {bars_of(histogram)}\n")

    def write(self, text):
        with self.lock:
            if self.is_first:
                text = ("  seconds       " + "".join(f"{column:>12}" for column in COLUMNS)
                        + "  histogram\n" + text)
            self.is_first = False
            sys.stdout.write(text)
            sys.stdout.flush()


class Video:
    """Prints the first frame of each interval."""

    def __init__(self, printer):
        self.printer = printer

    def begin_interval(self, seconds, result):
        for name in result["components"]:
            self.printer.show(seconds, name, result[name], histogram_of(result[name]))

    def add(self, result):
        pass

    def end_interval(self):
        pass


class Audio:
    """Adds up the results of all buffers of an interval, and prints the sum."""

    def __init__(self, printer):
        self.printer = printer
        self.channels = {}

    def begin_interval(self, seconds, result):
        self.seconds = seconds

    def add(self, result):
        for name in result["components"]:
            self.channels.setdefault(name, ChannelSum()).add(result[name])

    def end_interval(self):
        for name, channel in self.channels.items():
            self.printer.show(self.seconds, name, channel.figures(), channel.histogram)
        self.channels = {}


class ChannelSum:
    """The sum of the results of one channel over several buffers."""

    def __init__(self):
        self.count = self.sum = self.underflow = self.overflow = 0
        self.min, self.max = math.inf, -math.inf
        self.histogram = None

    def add(self, component):
        histogram = histogram_of(component)
        if self.histogram is not None:
            histogram = [a + b for a, b in zip(self.histogram, histogram)]
        self.histogram = histogram
        self.range = component["range-min"], component["range-max"]
        self.underflow += component["underflow"]
        self.overflow += component["overflow"]
        n_finite = component["count"] - component["nan"] - component["inf"]
        if n_finite > 0:
            self.count += n_finite
            self.sum += component["sum"]
            self.min = min(self.min, component["min"])
            self.max = max(self.max, component["max"])

    def percentile(self, share):
        """Defined as in a result: the lower edge of the bin in which the share is reached."""
        low, high = self.range
        wanted = share * (self.underflow + sum(self.histogram) + self.overflow)
        seen = self.underflow
        if seen > 0 and seen >= wanted:
            return low
        for i, n in enumerate(self.histogram):
            seen += n
            if seen > 0 and seen >= wanted:
                return low + i * (high - low) / len(self.histogram)
        return high

    def figures(self):
        return {"mean": self.sum / self.count if self.count else math.nan,
                "min": self.min, "max": self.max,
                **{name: self.percentile(share) for name, share in SHARES.items()}}


class Track:
    """Reads the results of one cudahisto element, and divides its stream time into intervals."""

    def __init__(self, printer, every):
        self.printer = printer
        self.every = every
        self.consumer = None
        self.described = None
        self.end = -math.inf          # end of the interval, in seconds
        self.segment = Gst.Segment()

    def on_probe(self, pad, info):
        if info.type & Gst.PadProbeType.BUFFER:
            buffer = info.get_buffer()
            meta = buffer.get_custom_meta("cudahisto")
            if meta is not None:
                self.on_result(meta.get_structure(), buffer.pts)
        else:
            event = info.get_event()
            if event.type == Gst.EventType.SEGMENT:
                event.copy_segment(self.segment)
            elif event.type == Gst.EventType.EOS and self.consumer is not None:
                self.consumer.end_interval()
        return Gst.PadProbeReturn.OK

    def on_result(self, result, pts):
        self.describe(result)
        time = self.segment.to_stream_time(Gst.Format.TIME, pts)
        if time == Gst.CLOCK_TIME_NONE:
            time = 0
        seconds = time / Gst.SECOND
        if seconds >= self.end or seconds < self.end - self.every:
            self.consumer.end_interval()
            self.consumer.begin_interval(seconds, result)
            self.end = (seconds // self.every + 1) * self.every
        self.consumer.add(result)

    def describe(self, result):
        names = ["media", "format", "width", "height", "rate", "channels", "backend"]
        described = [result[name] for name in names if result.has_field(name)]
        if described == self.described:
            return
        if self.consumer is not None:
            self.consumer.end_interval()
        self.consumer = (Video if result["media"] == "video" else Audio)(self.printer)
        self.end = -math.inf
        self.described = described
        self.printer.describe(result)


def add_element(pipeline, factory, **properties):
    element = Gst.ElementFactory.make(factory)
    for name, value in properties.items():
        Gst.util_set_object_arg(element, name, value)
    pipeline.add(element)
    return element


def describe_error(error, debug):
    """Returns the error message, followed by the cause that the element gave."""
    where, _, cause = (debug or "").partition(":\n")
    return f"{error.message} ({cause})" if cause else error.message


def measure(uri, backend, every):
    """Plays the file. Returns the error that ended it, or None."""
    printer = Printer()
    tracks = []
    pipeline = Gst.Pipeline()

    def on_pad_added(decoder, pad):
        is_raw = pad.query_caps().to_string().startswith(("video/x-raw", "audio/x-raw"))
        # `async` is a keyword of Python, so it cannot be a keyword argument.
        sink = add_element(pipeline, "fakesink", **{"sync": "false", "async": "false"})
        if is_raw:
            track = Track(printer, every)
            tracks.append(track)
            histo = add_element(pipeline, "cudahisto", backend=backend)
            histo.link(sink)
            histo.get_static_pad("src").add_probe(
                Gst.PadProbeType.BUFFER | Gst.PadProbeType.EVENT_DOWNSTREAM, track.on_probe)
            histo.sync_state_with_parent()
        sink.sync_state_with_parent()
        pad.link((histo if is_raw else sink).get_static_pad("sink"))

    for factory in ("uridecodebin", "cudahisto", "fakesink"):
        if Gst.ElementFactory.find(factory) is None:
            return f"there is no element {factory}. Is its plugin in GST_PLUGIN_PATH?"
    decoder = add_element(pipeline, "uridecodebin", uri=uri)
    decoder.connect("pad-added", on_pad_added)

    # If the pipeline does not start, the bus has an error message with the cause.
    pipeline.set_state(Gst.State.PLAYING)
    wanted = Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.WARNING
    error = None
    while True:
        message = pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, wanted)
        if message.type == Gst.MessageType.EOS:
            break
        if message.type == Gst.MessageType.ERROR:
            error = describe_error(*message.parse_error())
            break
        print("histo-print.py:", message.parse_warning()[0].message, file=sys.stderr)
    pipeline.set_state(Gst.State.NULL)
    if error is None and not tracks:
        error = "the file has neither video nor audio"
    return error


def main():
    parser = argparse.ArgumentParser(description="Prints what cudahisto measures on the "
                                     "video and the audio of a file.")
    parser.add_argument("--backend", choices=["auto", "cuda", "cpu"], default="auto")
    parser.add_argument("--every", type=float, default=1, metavar="SECONDS",
                        help="time between two prints (default: 1)")
    parser.add_argument("file", metavar="FILE", help="a file or a URI")
    arguments = parser.parse_args()
    if not arguments.every > 0:
        parser.error("--every must be above 0")

    # End at once, and quietly, when interrupted or when the reader of the output has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    Gst.init(None)
    name = arguments.file
    is_uri = Gst.uri_is_valid(name) and not os.path.exists(name)
    uri = name if is_uri else Gst.filename_to_uri(os.path.abspath(name))
    error = measure(uri, arguments.backend, arguments.every)
    if error is not None:
        sys.exit(f"histo-print.py: {name}: {error}")


if __name__ == "__main__":
    main()
