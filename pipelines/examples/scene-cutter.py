#!/usr/bin/python3
"""Finds the cuts of a film, and splits the film there on request:

    scene-cutter.py [OPTION...] FILE

Prints one line for each scene: number, start, end and length in seconds, and the scene score of its
first frame (docs/measures.md, scdet).

    scene-cutter.py film.mkv
    scene-cutter.py --split=parts film.mkv

With --split, each scene becomes a file parts/film-001.mkv, ... There must not be such files before.
They appear when all are complete. Video and audio are copied, not encoded again. So a part can only begin at a key frame: the first one at or after the cut. Encoders
usually put one at each cut. With --exact, the parts begin exactly at the cuts: video is encoded
again, without loss (FFV1), and so is audio (FLAC). The same happens if a stream cannot be copied.

Needs the module cudahisto (pipelines/python) and the element cudahisto.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import signal


def interrupt_start(number, _frame):
    """Until main() has begun there is nothing to clean up, and an exception could be lost in what is imported."""
    os.write(2, b"scene-cutter.py: interrupted\n")
    os._exit(128 + number)


if __name__ == "__main__" and signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
    signal.signal(signal.SIGINT, interrupt_start)

import argparse
import atexit
import contextlib
import csv
import math
import pathlib
import re
import secrets
import shutil
import sys

try:
    import cudahisto
    from gi.repository import Gst
except (ImportError, ValueError) as error:
    sys.exit(f"scene-cutter.py: {error}")
# It has pipelines of its own, besides those of the module.
Gst.init(None)


class Failure(Exception):
    """The text is one line for the user."""


class CannotCopy(Failure):
    """A stream must be encoded again."""


stopped_by = []         # signals


def stop(number, _frame):
    """Ends the program at a signal. Temporary files are removed."""
    stopped_by.append(number)
    check_stopped()


def check_stopped():
    """Also called now and then: the exception is dropped where a C function called Python."""
    if stopped_by:
        sys.exit(128 + stopped_by[0])


def find_scenes(path, threshold, shortest):
    """Returns a list of (start, end, score), in seconds. The first scene has no score, nor one that begins with another size
    or format: the frames around it cannot be compared."""
    scenes, start, score, end, shape = [], None, None, 0.0, None
    with cudahisto.measure(path, "video 0", alerts="scene", scene_threshold=threshold,
                           histogram=False) as items:
        for item in items:
            check_stopped()
            if item.kind == "frame":
                if start is None:
                    start = item.time or 0.0
                before, shape = shape, (item["width"], item["height"], item["format"], item.get("colorimetry"))
                now = end if item.time is None else item.time
                if before not in (None, shape) and now > start:
                    scenes.append((start, now, score))
                    start, score = now, None
                end = (item.time or end) + (item.duration or 0.0)
            elif item["state"] == "begin" and start is not None and \
                    item.start - start >= shortest:
                scenes.append((start, item.start, score))
                start, score = item.start, item["value"]
    if start is None:
        raise Failure(f"{path}: there are no pictures")
    return scenes + [(start, end, score)]


def print_scenes(scenes, file):
    writer = csv.writer(file)
    writer.writerow(["scene", "start", "end", "length", "score"])
    for number, (start, end, score) in enumerate(scenes, 1):
        writer.writerow([number, f"{start:.6f}", f"{end:.6f}", f"{end - start:.6f}",
                         "" if score is None else f"{score:.3f}"])
    file.flush()


# ---- Splitting ---------------------------------------------------------------------------------

# How a stream is encoded for --exact. Every frame of FFV1 is a key frame here.
ENCODERS = {"video": "queue ! videoconvert ! avenc_ffv1 gop-size=1",
            "audio": "queue ! audioconvert ! audioresample ! flacenc"}


# Seconds by which the parts may be shorter than the film: the duration of the last packet may not
# be known.
MOST_MISSING = 0.5


class Splitter:
    """Copies or encodes the streams of a file to parts in the current folder: 001.mkv, ..."""

    def __init__(self, path, uri, cuts, length, exact):
        self.path = path
        self.length = length            # of the film, in seconds
        self.first, self.end = math.inf, -math.inf      # times of the video that came, in ns
        self.cuts = cuts                # in seconds of running time
        self.exact = exact
        self.has_video = False
        self.must_encode = None         # why a stream cannot be copied
        self.pipeline = Gst.Pipeline()
        source = Gst.Element.make_from_uri(Gst.URIType.SRC, uri, None)
        self.pipeline.add(source)
        parser = self.make("decodebin" if exact else "parsebin")
        source.link(parser)
        self.muxer = self.make("splitmuxsink", muxer_factory="matroskamux")
        # Its property `location` would be a format for printf.
        self.muxer.connect("format-location", lambda _muxer, number: part_name(number + 1))
        self.starts = []                # of the parts, in seconds, as they were written
        parser.connect("pad-added", self.on_pad)

    def make(self, factory, **properties):
        element = Gst.ElementFactory.make(factory)
        if element is None:
            raise Failure(f"there is no GStreamer element {factory}")
        for name, value in properties.items():
            element.set_property(name.replace("_", "-"), value)
        self.pipeline.add(element)
        return element

    def on_pad(self, parser, pad):
        """Runs in a thread of the pipeline."""
        try:
            self.add_stream(pad)
        except Exception as error:      # pylint: disable=broad-except
            parser.message_full(Gst.MessageType.ERROR, Gst.StreamError.quark(),
                                Gst.StreamError.FAILED, str(error), None, "", "", 0)

    def add_stream(self, pad):
        caps = pad.get_current_caps() or pad.query_caps(None)
        kind = caps.to_string().partition(",")[0]           # "video/x-h264"
        media = kind.partition("/")[0].replace("image", "video")
        if media not in ENCODERS or media == "video" and self.has_video:
            print(f"scene-cutter.py: leaves out {kind}", file=sys.stderr)
            chain = Gst.parse_bin_from_description("fakesink async=false", True)
        else:
            text = ENCODERS[media] if self.exact else "queue"
            chain = Gst.parse_bin_from_description(text, True)
        self.pipeline.add(chain)
        if chain.get_static_pad("src") is not None:
            # splitmuxsink splits at the key frames of its one pad for video.
            name = "video" if media == "video" else "audio_%u"
            to = self.muxer.request_pad_simple(name)
            self.link(chain.get_static_pad("src"), to, kind)
            if media == "video":
                pad.add_probe(Gst.PadProbeType.BUFFER, self.on_packet)
                self.has_video = True
                # Not earlier, because a splitmuxsink that starts forgets them.
                for cut in self.cuts:
                    self.muxer.emit("split-at-running-time", round(cut * Gst.SECOND))
        chain.sync_state_with_parent()
        self.link(pad, chain.get_static_pad("sink"), kind)

    def link(self, pad, to, kind):
        # Not Gst.Pad.link(), because it raises an exception if the caps do not match.
        if pad.link_full(to, Gst.PadLinkCheck.DEFAULT) == Gst.PadLinkReturn.OK:
            return
        if not self.exact:
            self.must_encode = f"Matroska cannot hold {kind}"
        raise Failure(self.must_encode or f"{kind} cannot be split")

    def on_packet(self, pad, info):
        """AVI has no time stamps for frames that are stored in another order than shown."""
        buffer = info.get_buffer()
        if buffer.pts != Gst.CLOCK_TIME_NONE:
            self.first = min(self.first, buffer.pts)
            self.end = max(self.end, buffer.pts + (
                0 if buffer.duration == Gst.CLOCK_TIME_NONE else buffer.duration))
        if self.exact or buffer.pts != Gst.CLOCK_TIME_NONE or \
                buffer.has_flags(Gst.BufferFlags.HEADER):
            return Gst.PadProbeReturn.OK
        if self.must_encode is None:
            self.must_encode = "it has packets without time stamps"
            self.muxer.message_full(Gst.MessageType.ERROR, Gst.StreamError.quark(),
                                    Gst.StreamError.FAILED, self.must_encode, None, "", "", 0)
        return Gst.PadProbeReturn.DROP

    def run(self):
        """Returns where the parts begin, in seconds of running time."""
        bus = self.pipeline.get_bus()
        self.pipeline.set_state(Gst.State.PLAYING)
        try:
            while self.on_message(bus.timed_pop_filtered(
                    Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR
                    | Gst.MessageType.ELEMENT)):
                pass
        except BaseException:
            # A splitmuxsink that opens a file while its state changes forgets that it shall stop
            # (GStreamer 1.22). Its threads would wait for ever, and set_state() for them.
            for pad in self.muxer.sinkpads:
                pad.send_event(Gst.Event.new_flush_start())
            raise
        finally:
            self.pipeline.set_state(Gst.State.NULL)
        # parsebin and decodebin may drop the error of a demuxer: then only the end comes.
        came = max((self.end - self.first) / Gst.SECOND, 0)
        if self.end < self.first or came < self.length - MOST_MISSING:
            text = f"only {came:.3f} of {self.length:.3f} s came"
            if self.exact:
                raise Failure(f"{self.path}: {text}")
            raise CannotCopy(f"{self.path} cannot be copied: {text}")
        return self.starts

    def on_message(self, message):
        """Returns whether more messages come."""
        check_stopped()
        if message is None:
            return True
        if message.type == Gst.MessageType.ERROR:
            error, details = message.parse_error()
            # Some caps match, and are refused nevertheless when they come.
            if not self.exact and "not-negotiated" in (details or ""):
                self.must_encode = "Matroska cannot hold one of its streams"
            if self.must_encode is not None:
                raise CannotCopy(f"{self.path} cannot be copied: {self.must_encode}")
            raise Failure(f"{self.path}: {error.message}")
        structure = message.get_structure()
        if message.type == Gst.MessageType.ELEMENT and \
                structure.get_name() == "splitmuxsink-fragment-opened":
            self.starts.append(structure.get_value("running-time") / Gst.SECOND)
        return message.type != Gst.MessageType.EOS


def part_name(number, stem=None):
    return f"{number:03d}.mkv" if stem is None else f"{stem}-{number:03d}.mkv"


def make_temporary_folder(folder, stem):
    """Makes the folder and a temporary one in it, for the parts until they are complete. Fails if
    the folder has parts of such a film. At the end of the program, only complete parts are left."""
    is_new = not os.path.lexists(folder)
    temporary = os.path.join(folder, ".scene-cutter-" + secrets.token_hex(8))
    # First, because a signal may come at any time. Not `finally`, because the signal may come in
    # a function that GStreamer calls: sys.exit() there ends the program at once.
    atexit.register(clean_up, temporary, folder if is_new else None)
    os.makedirs(folder, exist_ok=True)
    pattern = re.compile(re.escape(stem) + r"-\d{3,}\.mkv")
    for name in sorted(os.listdir(folder)):
        if pattern.fullmatch(name):
            raise Failure(f"{os.path.join(folder, name)} exists already; nothing was cut")
    os.mkdir(temporary)
    return temporary


def clean_up(temporary, folder):
    shutil.rmtree(temporary, ignore_errors=True)
    if folder is not None:
        with contextlib.suppress(OSError):      # it has the parts
            os.rmdir(folder)


def move_parts(number, folder, stem):
    """Moves parts 1 to `number` from the current folder, or none. The names are taken first, so
    that no file of others is replaced."""
    taken = []
    try:
        for i in range(1, number + 1):
            name = os.path.join(folder, part_name(i, stem))
            os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            taken.append(name)
        for i, name in enumerate(taken, 1):
            os.replace(part_name(i), name)
    except BaseException:
        for name in taken:
            with contextlib.suppress(OSError):
                os.unlink(name)
        raise


def split(path, uri, scenes, exact):
    """Writes the parts to the current folder. Returns their number."""
    offset, length = scenes[0][0], scenes[-1][1] - scenes[0][0]
    cuts = [start - offset for start, _, _ in scenes[1:]]
    try:
        starts = Splitter(path, uri, cuts, length, exact).run()
    except CannotCopy as error:
        print(f"scene-cutter.py: {error}; encoding it again", file=sys.stderr)
        starts = Splitter(path, uri, cuts, length, True).run()
    for cut in cuts:
        # A part begins at the first key frame at or after the cut, if there is one.
        late = min((start - cut for start in starts if start > cut - 0.001), default=None)
        if late is None:
            print(f"scene-cutter.py: there is no key frame after the cut at {cut + offset:.3f} s",
                  file=sys.stderr)
        elif late > 0.001:
            print(f"scene-cutter.py: the cut at {cut + offset:.3f} s is no key frame: the part "
                  f"begins {late:.3f} s later (--exact encodes again)", file=sys.stderr)
    return len(starts)


def print_and_split(arguments):
    # The current folder changes.
    folder = os.path.abspath(arguments.split)
    path = uri = arguments.file
    if os.path.exists(path):
        uri = pathlib.Path(path).absolute().as_uri()
    stem = pathlib.Path(path).stem
    temporary = make_temporary_folder(folder, stem)
    scenes = find_scenes(path, arguments.threshold, arguments.shortest)
    print_scenes(scenes, sys.stdout)
    # GStreamer takes no paths that are not UTF-8, which this one may be.
    os.chdir(temporary)
    n_parts = split(path, uri, scenes, arguments.exact)
    check_stopped()
    move_parts(n_parts, folder, stem)
    print(f"scene-cutter.py: {n_parts} files in {arguments.split}", file=sys.stderr)


def fail(text):
    """Ends the program. What could not be written is not written again at the exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(text)


def seconds(text):
    """The value of an option. NaN is not in the range either."""
    value = float(text)
    if not 0 <= value < math.inf:
        raise ValueError
    return value


def main():
    parser = argparse.ArgumentParser(description="Finds the cuts of a film.")
    parser.add_argument("--threshold", type=float, default=10, metavar="PERCENT",
                        help="scene score from which a cut is one, 0 to 100 (default: 10)")
    parser.add_argument("--shortest", type=seconds, default=0.5, metavar="SECONDS",
                        help="ignore cuts in the first seconds of a scene (default: 0.5)")
    parser.add_argument("--split", metavar="FOLDER", help="write each scene to a file there")
    parser.add_argument("--exact", action="store_true",
                        help="split exactly at the cuts: encode again, without loss")
    parser.add_argument("file", metavar="FILE")
    arguments = parser.parse_args()
    if arguments.exact and arguments.split is None:
        parser.error("--exact needs --split")
    if arguments.split == "":
        parser.error("--split needs a folder")
    if sys.stdout is None:
        sys.exit("scene-cutter.py: the standard output is closed")
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        if signal.getsignal(number) != signal.SIG_IGN:      # as with nohup
            signal.signal(number, stop)
    try:
        if arguments.split is None:
            print_scenes(find_scenes(arguments.file, arguments.threshold, arguments.shortest),
                         sys.stdout)
        else:
            print_and_split(arguments)
    except (Failure, cudahisto.Error, ValueError, OSError) as error:
        fail(f"scene-cutter.py: {error}")


if __name__ == "__main__":
    main()
