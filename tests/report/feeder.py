#!/usr/bin/python3
"""Serves a film over HTTP that a test changes while it runs:

    feeder.py [--port PORT] [--free] [--size WIDTHxHEIGHT] [--fps N]

The standard output has the port. Each client gets a film of its own, from its begin. Each line of the standard input is a command:
moving, black, still, sound, silence, mute (the stream of sound ends, and later films have none), unmute (later films have one), drop (all
clients), or quit. Each answer is "done".

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import argparse
import socket
import sys
import threading

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

PATTERNS = {"moving": "ball", "black": "black", "still": "green"}
VOLUMES = {"sound": 0.1, "silence": 0}

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--free", action="store_true", help="as fast as it is taken")
parser.add_argument("--size", default="64x48")
parser.add_argument("--fps", type=int, default=25)
arguments = parser.parse_args()
width, height = arguments.size.split("x")
live = "false" if arguments.free else "true"
films, lock = [], threading.Lock()
now = {"pattern": "ball", "volume": 0.1, "mute": False}


def serve(client):
    """Sends a film until the client is gone."""
    client.recv(65536)
    client.sendall(b"HTTP/1.0 200 OK\r\nContent-Type: video/x-matroska\r\n\r\n")
    tone = f"audiotestsrc name=sound is-live={live} volume={now['volume']} samplesperbuffer=1600 ! audio/x-raw,format=S16LE,rate=16000,channels=2 ! queue ! mux. "
    pipeline = Gst.parse_launch(
        f"videotestsrc name=picture is-live={live} pattern={now['pattern']} ! "
        f"video/x-raw,format=I420,width={width},height={height},framerate={arguments.fps}/1 ! queue ! mux. "
        f"{'' if now['mute'] else tone}matroskamux name=mux streamable=true ! fdsink fd={client.fileno()} sync=false")
    with lock:
        films.append((pipeline, client))
    pipeline.set_state(Gst.State.PLAYING)
    pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.ERROR | Gst.MessageType.EOS)
    with lock:
        films.remove((pipeline, client))
    pipeline.set_state(Gst.State.NULL)
    client.close()


def accept(server):
    while True:
        threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()


def change(command):
    with lock:
        for pipeline, client in films:
            sound = pipeline.get_by_name("sound")
            if command in PATTERNS:
                pipeline.get_by_name("picture").set_property("pattern", PATTERNS[command])
            elif command in VOLUMES and sound is not None:
                sound.set_property("volume", VOLUMES[command])
            elif command == "mute" and sound is not None:
                sound.send_event(Gst.Event.new_eos())
            elif command == "drop":
                client.shutdown(socket.SHUT_RDWR)
    now["pattern"] = PATTERNS.get(command, now["pattern"])
    now["volume"] = VOLUMES.get(command, now["volume"])
    now["mute"] = command == "mute" or (now["mute"] and command != "unmute")


def main():
    Gst.init(None)
    server = socket.create_server(("127.0.0.1", arguments.port))
    threading.Thread(target=accept, args=(server,), daemon=True).start()
    print(server.getsockname()[1], flush=True)
    for line in sys.stdin:
        command = line.strip()
        if command == "quit":
            break
        if command not in (*PATTERNS, *VOLUMES, "mute", "unmute", "drop"):
            sys.exit(f"feeder.py: {command}")
        change(command)
        print("done", flush=True)


main()
