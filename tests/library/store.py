#!/usr/bin/python3
"""Stores results of the element as text, for tests of the library with results of earlier versions:

    GST_PLUGIN_PATH=BUILD_DIR/plugin tests/library/store.py DIRECTORY

Writes one file for each pipeline: the structures of its messages, one a line. Files of earlier versions are not made anew:
new versions of the library must read them.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import sys

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

# 6 bins take 24 bytes: GStreamer 1.22 does not read bytes back whose number is no multiple of 3.
SOURCES = {
    "video": "videotestsrc num-buffers=2 pattern=ball ! video/x-raw,format=I420,width=64,height=48,framerate=25/1"
             " ! cudahisto bins=6 measures=signal+motion+color+hdr+detail+area+gamut+flash+field"
             ' regions="logo=0,0,32,24;a.motion=8,8,16,16;logo=0,0,8,8" window=40000000 alerts=black black-level=1'
             ' black-duration=0 rules="dark: Y.mean < 1"',
    "rgb": "videotestsrc num-buffers=2 pattern=snow ! video/x-raw,format=ARGB64,width=16,height=16,framerate=25/1"
           " ! cudahisto bins=6",
    "audio": "audiotestsrc num-buffers=2 samplesperbuffer=4800 wave=sine ! audio/x-raw,format=F32LE,rate=48000,channels=3,"
             "channel-mask=(bitmask)0x7 ! cudahisto bins=6 measures=level+loudness",
}


def main():
    Gst.init(None)
    for name, source in SOURCES.items():
        pipeline = Gst.parse_launch(f"{source} post-messages=true meta=false ! fakesink")
        pipeline.set_state(Gst.State.PLAYING)
        with open(os.path.join(sys.argv[1], f"{name}.txt"), "w", encoding="utf-8") as file:
            while True:
                message = pipeline.get_bus().timed_pop(Gst.CLOCK_TIME_NONE)
                if message.type == Gst.MessageType.ERROR:
                    sys.exit(message.parse_error()[0].message)
                if message.type == Gst.MessageType.EOS:
                    break
                structure = message.get_structure()
                if structure is not None and structure.get_name().startswith("cudahisto"):
                    file.write(structure.to_string() + "\n")
        pipeline.set_state(Gst.State.NULL)


main()
