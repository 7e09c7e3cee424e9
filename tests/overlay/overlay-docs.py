#!/usr/bin/python3
"""docs/overlay.md: its tables have the element's properties and flags, and its examples run.

    GST_PLUGIN_PATH=BUILD_DIR/plugin tests/overlay/overlay-docs.py

The examples play as they are, but without a screen and loudspeakers, and for 20 frames if they do
not end by themselves.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import re
import subprocess
import sys
import tempfile

import gi
gi.require_version("Gst", "1.0")
from gi.repository import GObject, Gst  # noqa: E402 pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "../../docs/overlay.md"), encoding="utf-8") as page:
    PAGE = page.read()
FOLDER = "/usr/share/doc/opencv-doc/examples/data"


def names_in_table(header):
    rows = PAGE.split(header)[1].split("\n\n")[0].splitlines()[2:]
    return [name for row in rows for name in re.findall(r"`([\w-]+)`", row.split("|")[1])]


def describe(spec):
    """The default as the table has it."""
    value = spec.default_value
    if spec.name == "show":
        return "all"
    if spec.name.endswith("color"):
        return f"0x{value:08x}"
    if spec.value_type.name == "guint64":
        return f"{value / 1e9:g} s"
    if spec.value_type.is_a(GObject.TYPE_ENUM):
        # PyGObject has another class for it in each version.
        text = GObject.Value(spec.value_type)
        text.set_enum(int(value))
        return f"`{Gst.value_serialize(text)}`"
    return f"`{value}`" if isinstance(value, str) else f"{value:g}"


def test_tables():
    Gst.init(None)
    element = Gst.ElementFactory.make("cudahistooverlay")
    own = {spec.name: spec for spec in element.list_properties()
           if spec.owner_type == element.__gtype__}
    assert sorted(names_in_table("| property |")) == sorted(own)
    rows = PAGE.split("| property |")[1].split("\n\n")[0].splitlines()[2:]
    for row in rows:
        cells = [cell.strip() for cell in row.split("|")[1:-1]]
        spec = own[cells[0].strip("`")]
        assert cells[2] == describe(spec), f"{spec.name}: {cells[2]}, not {describe(spec)}"
    # Each name is a flag, and all of them together are the default.
    flags = []
    for name in names_in_table("| flag |"):
        Gst.util_set_object_arg(element, "show", name)
        flags.append(int(element.props.show))
    assert all(flag.bit_count() == 1 for flag in flags) and len(set(flags)) == len(flags), flags
    assert sum(flags) == int(own["show"].default_value), flags


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
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
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


if __name__ == "__main__":
    try:
        test_tables()
    except (ImportError, ValueError) as error:
        print("skipped:", error)
        sys.exit(77)
    sys.exit(0 if test_examples() else 77)
