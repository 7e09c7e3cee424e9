#!/usr/bin/python3
"""Runs the examples of README.md: the pipeline and the programs in C and Python.

    GST_PLUGIN_PATH=BUILD_DIR/plugin tests/docs/readme.py

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import clips

README = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../README.md")
with open(README, encoding="utf-8") as file:
    BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
directory = tempfile.TemporaryDirectory(prefix="cudahisto-")


def blocks_of(language):
    return [text for found, text in BLOCKS if found == language]


def output_of(command):
    done = subprocess.run(command, shell=True, cwd=directory.name, capture_output=True,
                          encoding="utf-8", timeout=60)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    assert "CRITICAL" not in done.stderr, f"{command}: {done.stderr}"
    return done.stdout


def write(name, text):
    with open(os.path.join(directory.name, name), "w", encoding="utf-8") as file:
        file.write(text)


def test_pipeline():
    """The message is the one in the README, except for the field `backend`."""
    (command,) = [text for text in blocks_of("sh") if text.startswith("gst-launch-1.0")]
    (shown,) = blocks_of("")
    found = re.search(r"\(element\): (cudahisto, .*)", output_of(command)).group(1)
    anyone = re.compile(r"backend=\(string\)\w+")
    assert anyone.sub("", found) == anyone.sub("", shown.strip()), found


def test_properties():
    """The table has the element's properties, and no others. So have the tables of the groups and
    of the alerts."""
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import GObject, Gst
    Gst.init(None)
    element = Gst.ElementFactory.make("cudahisto")
    own = [spec for spec in element.list_properties() if spec.owner_type == element.__gtype__]

    def names_in_table(header):
        with open(README, encoding="utf-8") as file:
            rows = file.read().split(header)[1].split("\n\n")[0].splitlines()[2:]
        return [name for row in rows for name in re.findall(r"`([\w-]+)`", row.split("|")[1])]

    assert sorted(names_in_table("| property |")) == sorted(spec.name for spec in own)
    for name, header in ("measures", "| group | media |"), ("alerts", "| alert | begins when |"):
        flags = element.find_property(name).flags_class
        nicks = [value.value_nicks[0] for value in flags.__flags_values__.values()]
        assert sorted(names_in_table(header)) == sorted(nicks), nicks


def test_c():
    (program,) = blocks_of("c")
    (compile_it,) = [text for text in blocks_of("sh") if text.startswith("cc ")]
    write("measure.c", program)
    output_of(compile_it.replace("cc ", "cc -Wall -Wextra -Werror ", 1))
    lines = output_of("./measure").splitlines()
    assert len(lines) == 3, lines
    for line in lines:
        mean, n = re.fullmatch(r"mean ([\d.]+), (\d+) samples are 235", line).groups()
        assert 120 < float(mean) < 122 and 0 < int(n) < 320 * 240, line


def test_python():
    (program,) = blocks_of("python")
    write("measure.py", program)
    lines = output_of(f"{sys.executable} measure.py").splitlines()
    assert [line.split()[0] for line in lines] == ["ch0", "ch1"] * 3, lines
    for line in lines:
        peak, n = re.fullmatch(r"ch\d peak ([\d.]+) bins in use (\d+)", line).groups()
        # A sine of amplitude 0.8, in 256 bins from -1 to 1.
        assert 0.79 < float(peak) < 0.81 and 190 < int(n) < 210, line


if __name__ == "__main__":
    sys.exit(clips.run_tests([test_pipeline, test_properties, test_c, test_python]))
