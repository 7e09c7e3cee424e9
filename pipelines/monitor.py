#!/usr/bin/python3
"""Plays a source for pipelines/monitor.sh, with scopes and meters.

    monitor.py NAME KIND ADDRESS MEASURES MODE OUT FORCE

NAME: of the program in messages. KIND: test, camera or uri; ADDRESS: a device or a URI. OUT: the file to encode into, or nothing for
a window. FORCE: 1 if an existing file may be replaced.

Names are given to the elements as properties: none is part of the pipeline's text. A file is written beside its target and
renamed when it is whole, and when it has as many pictures as were encoded.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import signal
import sys


def interrupt_start(number, _frame):
    """Until something is written there is nothing to clean up, and an exception could be lost in what is imported."""
    os.write(2, os.fsencode(sys.argv[1]) + b": interrupted\n")
    os._exit(128 + number)


if __name__ == "__main__" and signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
    signal.signal(signal.SIGINT, interrupt_start)

import concurrent.futures
import tempfile
import urllib.parse

try:
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstPbutils", "1.0")
    from gi.repository import GLib, Gst, GstPbutils
except (ImportError, ValueError):
    sys.exit(f"{sys.argv[1]}: the Debian packages python3-gi and gir1.2-gst-plugins-base-1.0 are missing")

SOURCES = {
    "test": "videotestsrc is-live=true pattern=smpte75 "
            "! video/x-raw,format=I420,width=1280,height=720,framerate=25/1,colorimetry=bt709 ! queue ! picture.sink ",
    "camera": "v4l2src name=source ! decodebin ! queue ! picture.sink ",
    "uri": "uridecodebin name=source source. ! queue ! picture.sink ",
}
SOUNDS = {
    "test": "audiotestsrc is-live=true volume=0.1 ! audio/x-raw,channels=2 ! queue ! sound.sink ",
    "uri": "source. ! queue ! sound.sink ",
}
# What GStreamer 1.22 and 1.26 write right of all sources: avenc_mpeg4 1.22 gives pictures from MP4 impossible times, and
# AC-3 refuses channels without positions.
ENCODED = "! vp8enc name=encoder deadline=1 cpu-used=4 threads=2 end-usage=cq cq-level=10 max-quantizer=40 " \
    "target-bitrate=20000000 keyframe-max-dist=50 ! queue ! {muxer} name=mux ! filesink name=file "
# avimux writes more channels than two in a wrong order.
ENCODED_SOUND = "! audioconvert ! audio/x-raw,format=S16LE{channels} ! queue ! mux. "
WINDOW = "! queue ! autovideosink "
HEARD = "! audioconvert ! audioresample ! autoaudiosink "
MUXERS = {".mkv": ("matroskamux", "matroskademux"), ".avi": ("avimux", "avidemux")}


class Failure(Exception):
    pass


def describe(message):
    """What an error says, and its cause: "Internal data stream error." alone says nothing."""
    error, debug = message.parse_error()
    cause = " ".join((debug or "").partition(":\n")[2].split())
    text = " ".join(error.message.split())
    return f"{message.src.get_name()}: {text}" + (f" ({cause})" if cause and cause not in text else "")


def is_turned(stream):
    """Whether a player turns the picture, as those of phones."""
    tags = stream.get_tags()
    found, orientation = tags.get_string("image-orientation") if tags else (False, None)
    return found and orientation != "rotate-0"


def find_streams(uri):
    """Returns: "video", "audio", "video audio" or "", and whether the picture is to be turned."""
    # In a thread of its own, because this one would not see Ctrl-C until it returns.
    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        future = thread.submit(GstPbutils.Discoverer.new(20 * Gst.SECOND).discover_uri, uri)
        try:
            info = future.result()
        except GLib.Error as error:
            raise Failure(f"GStreamer cannot read it: {error.message}") from error
    if info.get_result() == GstPbutils.DiscovererResult.MISSING_PLUGINS:
        missing = ", ".join(text.split("|")[3] for text in info.get_missing_elements_installer_details())
        raise Failure(f"there is no {missing}. Decoders are in the Debian packages gstreamer1.0-libav, "
                      "gstreamer1.0-plugins-good, -bad and -ugly")
    if info.get_result() != GstPbutils.DiscovererResult.OK:
        raise Failure(f"it cannot be read: {info.get_result().value_nick}")
    names = (["video"] if info.get_video_streams() else []) + (["audio"] if info.get_audio_streams() else [])
    return " ".join(names), any(map(is_turned, info.get_video_streams()))


def path_of(uri):
    """Returns: the path that GStreamer opens, in bytes; None: it is no local file. All behind the host is the path, also from a
    `?` or `#` on."""
    scheme, _, rest = uri.partition("://")
    if scheme.lower() != "file":
        return None
    path = urllib.parse.unquote_to_bytes(rest)
    return path[len(b"localhost"):] if path.startswith(b"localhost/") else path


def is_same_file(out, uri):
    """By device and inode, so also through links and other names."""
    path = path_of(uri)
    return path is not None and os.path.exists(out) and os.path.exists(path) and os.path.samefile(os.fsencode(out), path)


class Interrupts:
    """SIGINT, SIGTERM and SIGHUP end a stream; one more ends the program."""

    def __init__(self):
        self.count = 0
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            if signal.getsignal(number) != signal.SIG_IGN:      # as with nohup
                signal.signal(number, self.add)

    def add(self, _number, _frame):
        self.count += 1


def play(pipeline, interrupts, ends_early=True):
    """Plays to the end of the stream.

    ends_early  an interrupt ends the stream; else the program
    """
    most = 1 if ends_early else 0
    bus = pipeline.get_bus()
    try:
        if pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
            message = bus.pop_filtered(Gst.MessageType.ERROR)
            raise Failure(describe(message) if message else "the pipeline does not start")
        while True:
            message = bus.timed_pop_filtered(100 * Gst.MSECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
            if interrupts.count > most:
                raise Failure("interrupted before the end was written")
            if message and message.type == Gst.MessageType.ERROR:
                raise Failure(describe(message))
            if message:
                return
            # More than once: a source that is not yet linked drops it.
            if interrupts.count:
                pipeline.send_event(Gst.Event.new_eos())
    finally:
        pipeline.set_state(Gst.State.NULL)


def count_pictures(path, demuxer, interrupts):
    """Returns: the number of pictures in a file that was written. matroskamux 1.26 writes a picture that got lost as
    one of no bytes."""
    pipeline = Gst.parse_launch(f"filesrc name=file ! {demuxer} name=demuxer")
    pipeline.get_by_name("file").set_property("location", path)
    count = [0]

    def count_one(_pad, info):
        count[0] += info.get_buffer().get_size() > 0
        return Gst.PadProbeReturn.OK

    def on_pad(_element, pad):
        sink = Gst.ElementFactory.make("fakesink")
        # One thread feeds all sinks: none may wait for another one's first buffer.
        sink.set_property("async", False)
        pipeline.add(sink)
        sink.sync_state_with_parent()
        pad.link(sink.get_static_pad("sink"))
        if pad.get_current_caps().to_string().startswith("video/"):
            pad.add_probe(Gst.PadProbeType.BUFFER, count_one)

    pipeline.get_by_name("demuxer").connect("pad-added", on_pad)
    # The interrupt that ended the film has been obeyed.
    interrupts.count = 0
    play(pipeline, interrupts, False)
    return count[0]


def make_pipeline(kind, address, streams, turns, measures, mode, muxer):
    text = SOURCES[kind] + "videoconvert name=picture ! " + ("videoflip video-direction=auto ! " if turns else "") + \
        f"cudahisto measures={measures} alerts=black+freeze " \
        f"! cudahistooverlay name=overlay waveform-mode={mode} " \
        "show=waveform+vectorscope+meters+loudness+alerts+checks size=0.3 ! videoconvert "
    text += ENCODED.format(muxer=muxer) if muxer else WINDOW
    if streams == "video audio":
        text += SOUNDS[kind] + "audioconvert name=sound ! cudahisto measures=level+loudness alerts=silence+clipping " \
            "! tee name=tee tee. ! queue " + \
            (ENCODED_SOUND.format(channels=",channels=[1,2]" if muxer == "avimux" else "") if muxer else HEARD) + \
            "tee. ! queue ! overlay.audio_0"
    pipeline = Gst.parse_launch(text)
    if kind != "test":
        pipeline.get_by_name("source").set_property("uri" if kind == "uri" else "device", address)
    return pipeline


def take_name(path, out, force):
    """Gives the whole file its name. Without force no file is replaced, also none that has appeared meanwhile."""
    if force:
        os.replace(path, out)
        return
    try:
        os.link(path, out)
    except FileExistsError as error:
        raise Failure(f"{out} exists. --force replaces it") from error
    except OSError:
        # A file system without links.
        if os.path.lexists(out):
            raise Failure(f"{out} exists. --force replaces it") from None
        os.rename(path, out)
        return
    os.unlink(path)


def encode(pipeline, out, force, demuxer, interrupts):
    sent = [0]

    def count_one(_pad, _info):
        sent[0] += 1
        return Gst.PadProbeReturn.OK

    pipeline.get_by_name("encoder").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, count_one)
    folder, name = os.path.split(out)
    # GStreamer takes no names that are not UTF-8, which that of the folder may be.
    os.chdir(folder or ".")
    handle, path = tempfile.mkstemp(prefix=".monitor-", dir="")
    path = os.path.basename(path)
    try:
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(handle, 0o666 & ~mask)
        os.close(handle)
        pipeline.get_by_name("file").set_property("location", path)
        try:
            play(pipeline, interrupts)
        except Failure as error:
            raise Failure(f"{out} is not written: {error}") from error
        try:
            n, why = count_pictures(path, demuxer, interrupts), ""
        except Failure as error:
            n, why = 0, f" ({error})"
        if n != sent[0] or n == 0:
            raise Failure(f"{out} would have {n} of {sent[0]} pictures; it is not written{why}")
        take_name(path, name, force)
    finally:
        if os.path.exists(path):
            os.unlink(path)


def main():
    program, kind, address, measures, mode, out, force = sys.argv[1:]
    Gst.init(None)
    muxer, demuxer = MUXERS[out[-4:]] if out else (None, None)
    try:
        streams, turns = {"test": "video audio", "camera": "video"}.get(kind), False
        if streams is None:
            # What is not ASCII is escaped: it may be no UTF-8.
            address = urllib.parse.quote(os.fsencode(address), safe="".join(map(chr, range(0x21, 0x7f))))
            if out and is_same_file(out, address):
                raise Failure(f"{out} is the source")
            streams, turns = find_streams(address)
            if not streams.startswith("video"):
                raise Failure("there is no video in it")
        pipeline = make_pipeline(kind, address, streams, turns, measures, mode, muxer)
        interrupts = Interrupts()
        if out:
            encode(pipeline, out, force == "1", demuxer, interrupts)
        else:
            play(pipeline, interrupts)
    except (Failure, GLib.Error, OSError) as error:
        text = getattr(error, "message", None) or str(error)
        # A name may be no UTF-8.
        os.write(2, os.fsencode(f"{program}: {text}\n"))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
