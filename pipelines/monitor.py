#!/usr/bin/python3
"""Plays what pipelines/monitor.sh found out about a source, with scopes and meters.

    monitor.py NAME KIND ADDRESS STREAMS MEASURES MODE OUT FORCE

NAME: of the program in messages. KIND: test, camera or uri; ADDRESS: a device or a URI. STREAMS: "video" or "video audio".
OUT: the file to encode into, or nothing for a window. FORCE: 1 if an existing file may be replaced.

Names are given to the elements as properties: none is part of the pipeline's text. A file is written beside its target and
renamed when it is whole, and when it has as many pictures as were encoded.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import signal
import sys
import tempfile

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

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


def play(pipeline):
    """Plays to the end of the stream. SIGINT and SIGTERM end the stream, a second one the program."""
    signals = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _frame: signals.append(number))
    bus = pipeline.get_bus()
    n_seen = 0
    # If it fails, a message comes.
    pipeline.set_state(Gst.State.PLAYING)
    try:
        while True:
            message = bus.timed_pop_filtered(100 * Gst.MSECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
            if len(signals) > 1:
                raise Failure("interrupted before the end was written")
            if len(signals) > n_seen:
                n_seen = len(signals)
                pipeline.send_event(Gst.Event.new_eos())
            if message and message.type == Gst.MessageType.ERROR:
                raise Failure(message.parse_error()[0].message)
            if message:
                return
    finally:
        pipeline.set_state(Gst.State.NULL)


def count_pictures(path, demuxer):
    """Returns: the number of pictures in a file that was written."""
    pipeline = Gst.parse_launch(f"filesrc name=file ! {demuxer} name=demuxer")
    pipeline.get_by_name("file").set_property("location", path)
    count = [0]

    def count_one(_pad, _info):
        count[0] += 1
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
    pipeline.set_state(Gst.State.PLAYING)
    pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    return count[0]


def make_pipeline(kind, address, streams, measures, mode, muxer):
    text = SOURCES[kind] + \
        f"videoconvert name=picture ! cudahisto measures={measures} alerts=black+freeze " \
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


def encode(pipeline, out, force, demuxer):
    sent = [0]

    def count_one(_pad, _info):
        sent[0] += 1
        return Gst.PadProbeReturn.OK

    pipeline.get_by_name("encoder").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, count_one)
    folder, name = os.path.split(out)
    handle, path = tempfile.mkstemp(prefix=f".{name[:64]}.", dir=folder or ".")
    try:
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(handle, 0o666 & ~mask)
        os.close(handle)
        pipeline.get_by_name("file").set_property("location", path)
        play(pipeline)
        n = count_pictures(path, demuxer)
        if n != sent[0] or n == 0:
            raise Failure(f"{out} would have {n} of {sent[0]} pictures; it is not written")
        take_name(path, out, force)
    finally:
        if os.path.exists(path):
            os.unlink(path)


def main():
    program, kind, address, streams, measures, mode, out, force = sys.argv[1:]
    Gst.init(None)
    muxer, demuxer = MUXERS[out[-4:]] if out else (None, None)
    try:
        pipeline = make_pipeline(kind, address, streams, measures, mode, muxer)
        if out:
            encode(pipeline, out, force == "1", demuxer)
        else:
            play(pipeline)
    except (Failure, GLib.Error, OSError) as error:
        print(f"{program}: {getattr(error, 'message', None) or error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
