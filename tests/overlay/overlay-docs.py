#!/usr/bin/python3
"""docs/overlay.md: its table has the flags of the property show, and its examples run.

    GST_PLUGIN_PATH=BUILD_DIR/plugin tests/overlay/overlay-docs.py

The examples play as they are, but without a screen and loudspeakers, and for 20 frames if they do
not end by themselves. Sources of sound come and go as the page says, while the pipeline changes its state.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import re
import subprocess
import sys
import tempfile
import threading

import gi
gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402 pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "../../docs/overlay.md"), encoding="utf-8") as page:
    PAGE = page.read()
FOLDER = "/usr/share/doc/opencv-doc/examples/data"


def names_in_table(header):
    rows = PAGE.split(header)[1].split("\n\n")[0].splitlines()[2:]
    return [name for row in rows for name in re.findall(r"`([\w-]+)`", row.split("|")[1])]


def test_flags():
    Gst.init(None)
    element = Gst.ElementFactory.make("cudahistooverlay")
    # Each name is a flag, and all of them together are the default.
    flags = []
    for name in names_in_table("| flag |"):
        Gst.util_set_object_arg(element, "show", name)
        flags.append(int(element.props.show))
    assert all(flag.bit_count() == 1 for flag in flags) and len(set(flags)) == len(flags), flags
    assert sum(flags) == int(element.find_property("show").default_value), flags


def play(text):
    text = text.replace("autovideosink", "fakesink").replace("autoaudiosink", "fakesink")
    text = text.replace("videotestsrc", "videotestsrc num-buffers=20")
    done = subprocess.run(["bash", "-ec", text], capture_output=True, encoding="utf-8", timeout=100)
    assert done.returncode == 0, f"{text}: {done.stderr}"
    assert not re.search("WARN|CRITICAL", done.stderr + done.stdout), f"{text}: {done.stderr}"


def test_examples():
    """Each block of shell lines ends with status 0, without a warning. Returns whether all were
    run."""
    clip = os.environ.get("CUDAHISTO_TEST_CLIP") or f"{FOLDER}/Megamind.avi"
    blocks = re.findall(r"^```sh\n(.*?)^```$", re.sub(r"<!-- not run.*?```\n", "", PAGE, flags=re.DOTALL),
                        re.MULTILINE | re.DOTALL)
    films = [block for block in blocks if "Megamind.avi" in block]
    assert len(blocks) == 4 and len(films) == 2
    for block in blocks:
        if block not in films:
            play(block)
    if not os.access(clip, os.R_OK):
        print(f"skipped: the examples with a film: there is no {clip}")
        return False
    with tempfile.TemporaryDirectory(prefix="cudahisto-") as directory:
        for block in films:
            block = re.sub("^(cd .*|# In the same folder)$", "", block, flags=re.MULTILINE)
            play(block.replace("Megamind.avi", f'"{clip}"')
                 .replace("/tmp/overlay.avi", f"{directory}/overlay.avi"))
        assert os.path.getsize(f"{directory}/overlay.avi") > 100000
    return True


class Playing:
    """A pipeline that goes from PLAYING to PAUSED and back in a thread of its own, until it is closed."""

    def __init__(self):
        self.pipeline = Gst.parse_launch(
            "videotestsrc ! video/x-raw,format=GRAY8,width=64,height=64,framerate=25/1 ! cudahisto "
            "! cudahistooverlay name=overlay audio-wait=50000000 ! fakesink sync=true")
        self.overlay = self.pipeline.get_by_name("overlay")
        self.is_closing = False
        self.thread = threading.Thread(target=self.change_states)
        self.thread.start()

    def change_states(self):
        while not self.is_closing:
            for state in (Gst.State.PLAYING, Gst.State.PAUSED):
                self.pipeline.set_state(state)
                self.pipeline.get_state(10 * Gst.SECOND)

    def close(self):
        """The pipeline still plays, and has posted no error."""
        self.is_closing = True
        self.thread.join()
        self.pipeline.set_state(Gst.State.PLAYING)
        assert self.pipeline.get_state(10 * Gst.SECOND)[0] == Gst.StateChangeReturn.SUCCESS
        error = self.pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
        assert error is None, error.parse_error()[0].message
        self.pipeline.set_state(Gst.State.NULL)


def test_sources():
    """The page's functions: each source plays until it is removed, and is stopped then."""
    names = {"Gst": Gst}
    exec(re.search(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1], names)
    playing = Playing()
    for number in range(200):
        # One element: the ghost pad of a bin that stops can report an error instead of "flushing".
        source = Gst.ElementFactory.make("audiotestsrc")
        names["add_sound"](playing.pipeline, playing.overlay, source)
        GLib.usleep(1000 * (number % 4))
        names["remove_sound"](playing.pipeline, playing.overlay, source)
        state = source.get_state(0)[1]
        source.set_state(Gst.State.NULL)
        assert state == Gst.State.NULL, f"source {number} is {state} after it was removed"
        assert playing.overlay.numsinkpads == 1, "an audio pad is left"
    playing.close()


def state_after(is_locked):
    """The state of a source that is set to NULL when the pipeline's change to PAUSED has reached the overlay: GStreamer
    changes the elements from the sink to the sources."""
    pipeline = Gst.parse_launch("cudahistooverlay name=overlay ! fakesink "
                                "audiotestsrc name=source ! overlay.audio_0")
    overlay, source = pipeline.get_by_name("overlay"), pipeline.get_by_name("source")

    def on_message(_bus, message):
        if message.type == Gst.MessageType.STATE_CHANGED and message.src == overlay \
                and message.parse_state_changed().newstate == Gst.State.PAUSED:
            source.set_locked_state(is_locked)
            source.set_state(Gst.State.NULL)
        return Gst.BusSyncReply.DROP

    pipeline.get_bus().set_sync_handler(on_message)
    pipeline.set_state(Gst.State.PAUSED)
    state = source.get_state(Gst.SECOND)[1]
    source.set_locked_state(False)
    pipeline.set_state(Gst.State.NULL)
    pipeline.get_bus().set_sync_handler(None)
    return state


def test_why_locked():
    """A source whose state is not locked starts again."""
    assert state_after(is_locked=True) == Gst.State.NULL
    assert state_after(is_locked=False) == Gst.State.PAUSED


if __name__ == "__main__":
    try:
        test_flags()
        test_sources()
        test_why_locked()
    except (ImportError, ValueError) as error:
        print("skipped:", error)
        sys.exit(77)
    sys.exit(0 if test_examples() else 77)
