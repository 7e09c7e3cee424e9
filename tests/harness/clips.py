"""For the tests in Python: clips, their raw samples as ffmpeg decodes them, and results of
pipelines.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import faulthandler
import os
import shutil
import signal
import subprocess
import sys
import traceback

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
    import numpy
except (ImportError, ValueError) as error:
    print("skipped:", error)
    sys.exit(77)
if shutil.which("ffmpeg") is None:
    print("skipped: there is no ffmpeg")
    sys.exit(77)
# A test that hangs is ended by meson with SIGTERM: the log then has the place where it hung.
faulthandler.register(signal.SIGTERM, chain=True)
Gst.init(None)

DEBIAN_CLIP = "/usr/share/doc/opencv-doc/examples/data/Megamind.avi"


def ffmpeg(*arguments):
    """Runs ffmpeg; returns what it wrote to its standard output."""
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments]
    done = subprocess.run(command, capture_output=True)
    assert done.returncode == 0, f"{command}: {done.stderr.decode(errors='replace')}"
    return done.stdout


def clip_input():
    """ffmpeg's arguments for the clip that files are made of: a film, or test signals."""
    for clip in (os.environ.get("CUDAHISTO_TEST_CLIP"), DEBIAN_CLIP):
        if clip and os.access(clip, os.R_OK):
            # Not the beginning of the film, which is black.
            return ["-ss", "3", "-i", clip]
    return ["-f", "lavfi", "-i", "testsrc2=size=720x528:rate=24000/1001",
            "-f", "lavfi", "-i", "sine=sample_rate=48000,aformat=channel_layouts=stereo"]


def raw_frames(path, pixel_format, shapes, dtype):
    """The frames of a file. A frame is a list of planes: arrays of the given shapes."""
    data = ffmpeg("-i", path, "-map", "0:v:0", "-f", "rawvideo", "-pix_fmt", pixel_format,
                  "-fps_mode", "passthrough", "-")
    samples = numpy.frombuffer(data, dtype)
    sizes = [height * width for height, width in shapes]
    frames = samples.reshape(-1, sum(sizes))
    ends = numpy.cumsum(sizes)
    return [numpy.split(frame, ends[:-1]) for frame in frames]


def raw_sound(path, sample_format, channels, dtype):
    """The sound of a file: an array with a row for each channel."""
    data = ffmpeg("-i", path, "-map", "0:a:0", "-f", sample_format,
                  "-c:a", "pcm_" + sample_format, "-")
    return numpy.frombuffer(data, dtype).reshape(-1, channels).T


def pull_all(sink):
    """The results of all buffers that arrive at an appsink, each with its buffer."""
    results = []
    while (sample := sink.emit("try-pull-sample", 30 * Gst.SECOND)) is not None:
        buffer = sample.get_buffer()
        meta = buffer.get_custom_meta("cudahisto")
        assert meta is not None, f"buffer {len(results)} has no result"
        results.append((meta.get_structure(), buffer))
    return results


def play(description, sinks, **properties):
    """Plays a pipeline to its end. Returns the results of each of its appsinks."""
    pipeline = Gst.parse_launch(description)
    for name, (key, value) in properties.items():
        pipeline.get_by_name(name).set_property(key, value)
    pipeline.set_state(Gst.State.PLAYING)
    results = [pull_all(pipeline.get_by_name(sink)) for sink in sinks]
    message = pipeline.get_bus().timed_pop_filtered(
        30 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    assert message is not None, "neither EOS nor an error was posted"
    if message.type == Gst.MessageType.ERROR:
        raise AssertionError(message.parse_error())
    pipeline.set_state(Gst.State.NULL)
    return results


def run_tests(tests):
    """Runs functions that are tests. Returns the exit status."""
    failed = 0
    for test in tests:
        try:
            test()
            print("ok  ", test.__name__, flush=True)
        except Exception:  # whatever it is, the other tests run, too
            failed += 1
            print("FAIL", test.__name__, traceback.format_exc(), flush=True)
    return 1 if failed else 0
