#!/usr/bin/python3
"""Tests cudahisto.read() on structures that are no results, or almost.

    GST_PLUGIN_PATH=BUILD_DIR/plugin PYTHONPATH=pipelines/python \\
      tests/python/read.py BUILD_DIR/tests/python/read-result.so [SEED [NUMBER]]

SEED and NUMBER are of the random changes; by default a few, which are always the same.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import ctypes
import functools
import math
import os
import random
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import clips  # noqa: E402,F401 (ends the program if a module is missing)
from gi.repository import GLib, GObject, Gst  # noqa: E402
import cudahisto  # noqa: E402

LIBRARY = ctypes.CDLL(sys.argv.pop(1))
LIBRARY.read_error.restype = LIBRARY.read_figures.restype = ctypes.c_void_p
SEED, NUMBER = [int(text) for text in sys.argv[1:3]] + [1, 700][len(sys.argv) - 1:]
del sys.argv[1:]
PIPELINES = {
    "picture": "videotestsrc num-buffers=2 ! video/x-raw,format={},width=16,height=16 ! cudahisto "
               "measures=signal+motion+color+hdr+detail+area+gamut+gamut-filter+flash+field+scopes "
               "regions=\"a=0,0,8,8;b=4,4,8,8\" "
               "bins=4 post-messages=true ! fakesink",
    "sound": "audiotestsrc num-buffers=2 ! audio/x-raw,format={},channels=2 ! cudahisto bins=4 "
             "measures={} window=20000000 post-messages=true ! fakesink",
    "edges": "videotestsrc num-buffers=2 ! video/x-raw,format={},width=16,height=16 ! cudahisto "
             "measures=motion+color regions=a=0,0,8,8 bin-edges=-1,0.5,100,1e300 post-messages=true ! fakesink",
    "edges of sound": "audiotestsrc num-buffers=2 ! audio/x-raw,format={},channels=2 ! cudahisto "
                      "bin-edges=-.5,0,.25 measures=level window=20000000 post-messages=true ! fakesink",
    "alert": "videotestsrc num-buffers=2 pattern=black ! video/x-raw,format={} ! cudahisto "
             "alerts=black black-duration=0 bins=4 post-messages=true ! fakesink",
    "rule": "videotestsrc num-buffers=2 pattern=black ! video/x-raw,format={} ! cudahisto "
            "rules=\"dark: Y.max > 20\" bins=4 post-messages=true ! fakesink",
}
# Fields that the library for C does not read with a result, and one of which it wants more.
ONLY_PYTHON = {"timestamp", "stream-time", "running-time", "duration", "buffers"}
ONLY_C = {"bits-used"}


def take_text(address):
    text = ctypes.string_at(address).decode() if address else None
    GLib.free(address)
    return text


def ask_library(function, structure):
    address = int(re.search(r"\(GstStructure at (0x[0-9a-f]+)\)", repr(structure)).group(1), 16)
    return take_text(function(ctypes.c_void_p(address)))


error_of_library = functools.partial(ask_library, LIBRARY.read_error)


def record(name, *words):
    """The structures that the elements of a pipeline post."""
    pipeline = Gst.parse_launch(PIPELINES[name].format(*words))
    pipeline.set_state(Gst.State.PLAYING)
    bus, found, is_done = pipeline.get_bus(), [], False
    while not is_done:
        message = bus.timed_pop_filtered(
            20 * Gst.SECOND, Gst.MessageType.ELEMENT | Gst.MessageType.EOS | Gst.MessageType.ERROR)
        assert message is not None and message.type != Gst.MessageType.ERROR, name
        is_done = message.type == Gst.MessageType.EOS
        if not is_done:
            found.append(message.get_structure().copy())
    pipeline.set_state(Gst.State.NULL)
    return found


def typed(kind, value=None):
    """A value of this type; None: the type's first value, which is NULL or 0."""
    result = GObject.Value(kind)
    if value is not None:
        result.set_value(value)
    return result


VALUES = [
    *(typed(kind, number) for kind, numbers in (
        (GObject.TYPE_INT, (0, 5, -1, -2**31, 2**31 - 1)), (GObject.TYPE_UINT, (0, 3, 2**32 - 1)),
        (GObject.TYPE_UINT64, (0, 7, 2**64 - 1)), (GObject.TYPE_INT64, (-2**63, 1)),
        (GObject.TYPE_DOUBLE, (0.0, math.nan, math.inf, -math.inf, 1e308)),
        (GObject.TYPE_FLOAT, (0.5,)), (GObject.TYPE_BOOLEAN, (True,))) for number in numbers),
    *(typed(GObject.TYPE_STRING, text) for text in (None, "", "Y", "video", "audio", "\n\u2028")),
    *(typed(GLib.Bytes.__gtype__, None if data is None else GLib.Bytes.new(data))
      for data in (None, b"", b"1234", bytes(16), bytes(17), bytes(32), bytes(4096))),
    *(Gst.ValueArray(items) for items in (
        [], ["Y"], ["Y", "U", "V"], [1], [1.0], [1.0, 2.0], ["components"], ["motion"],
        [Gst.ValueArray([1.0]), Gst.ValueArray([1.0, 2.0])])),
    typed(Gst.Structure.__gtype__), Gst.Structure.new_empty("Y"),
    *(Gst.Structure.new_from_string(text) for text in ("Y, bins=(uint)2", "a, b=<<1>, <2, 3>>")),
    *(Gst.Structure.new_from_string("x, a=" + text).get_value("a") for text in (
        "(bitmask)5", "(fraction)1/2", "[1, 5]", "{1, 2}")),
    Gst.ValueArray([Gst.Structure.new_empty("region")] * 3),
    Gst.ValueArray([Gst.Structure.new_empty("region")] * 200),
]


def change(structure, random_numbers):
    """Changes one field, or one in a structure in it. Returns the names of the changed ones."""
    names = [structure.nth_field_name(i) for i in range(structure.n_fields())]
    name = random_numbers.choice(names or ["more"])
    value = structure.get_value(name)
    if isinstance(value, Gst.Structure) and random_numbers.random() < 0.8:
        inner = value.copy()
        changed = change(inner, random_numbers)
        structure.set_value(name, inner)
        return [name, *changed]
    if isinstance(value, Gst.ValueArray) and len(value) > 0 and random_numbers.random() < 0.8 \
            and isinstance(value[0], Gst.Structure):
        items = [item.copy() for item in value]
        changed = change(random_numbers.choice(items), random_numbers)
        structure.set_value(name, Gst.ValueArray(items))
        return [name, *changed]
    if random_numbers.random() < 0.25:
        structure.remove_field(name)
    elif random_numbers.random() < 0.1:
        structure.set_value("more", random_numbers.choice(VALUES))
    else:
        structure.set_value(name, random_numbers.choice(VALUES))
    return [name]


def read(structure):
    """The error of the module, or None. Any other exception is a fault."""
    try:
        cudahisto.read(structure)
    except cudahisto.Error as error:
        return str(error)
    return None


# ---- Values that PyGObject does not survive ---------------------------------------------------

# PyGObject itself complains of some of these values when it makes them, so they are made without it.
GOBJECT, GST = ctypes.CDLL("libgobject-2.0.so.0"), ctypes.CDLL("libgstreamer-1.0.so.0")
for function, *arguments in (
        (GOBJECT.g_value_init, ctypes.c_void_p, ctypes.c_size_t),
        (GOBJECT.g_value_set_string, ctypes.c_void_p, ctypes.c_char_p),
        (GOBJECT.g_value_set_schar, ctypes.c_void_p, ctypes.c_int8),
        (GST.gst_value_array_append_and_take_value, ctypes.c_void_p, ctypes.c_void_p),
        (GST.gst_value_list_append_and_take_value, ctypes.c_void_p, ctypes.c_void_p),
        (GST.gst_structure_set_value, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)):
    function.restype, function.argtypes = None, arguments
GOBJECT.g_type_from_name.restype, GOBJECT.g_type_from_name.argtypes = ctypes.c_size_t, [ctypes.c_char_p]


def raw(kind, setter=None, content=None):
    value = (ctypes.c_uint64 * 3)()
    GOBJECT.g_value_init(value, GOBJECT.g_type_from_name(kind))
    if setter is not None:
        setter(value, content)
    return value


def array_of(make, levels=1):
    value = make()
    for _ in range(levels):
        outer = raw(b"GstValueArray")
        GST.gst_value_array_append_and_take_value(outer, value)
        value = outer
    return value


def list_of(make):
    value = raw(b"GstValueList")
    GST.gst_value_list_append_and_take_value(value, make())
    return value


def null_param():
    return raw(b"GParam")


def bad_text():
    return raw(b"gchararray", GOBJECT.g_value_set_string, b"\xff")


def bad_char():
    return raw(b"gchar", GOBJECT.g_value_set_schar, -3)


# In an array of one element, in deeper ones, and alone.
UNSAFE = {
    "param": null_param, "list": lambda: list_of(null_param), "pointer": lambda: raw(b"gpointer"),
    **{f"{make.__name__} in {levels} arrays": functools.partial(array_of, make, levels)
       for make in (null_param, bad_text, bad_char) for levels in (1, 2, 15)},
    "300 arrays": lambda: array_of(null_param, 300),
    "300 arrays of a number": lambda: array_of(lambda: raw(b"gint"), 300),
    "object": lambda: raw(b"GObject"), "byte": bad_char,
}


def set_raw(structure, name, make):
    address = int(re.search(r"\(GstStructure at (0x[0-9a-f]+)\)", repr(structure)).group(1), 16)
    GST.gst_structure_set_value(address, name.encode(), make())


class Structures(unittest.TestCase):
    def setUp(self):
        self.results = [structure for words in (
            ("picture", "I420"), ("picture", "RGB"), ("sound", "S16LE", "level+loudness"),
            ("sound", "F32LE", "basic"), ("alert", "GRAY8"), ("rule", "I420"), ("edges", "RGB"), ("edges of sound", "F32LE")) for structure in record(*words)]

    def test_valid(self):
        self.assertGreater({structure.get_name() for structure in self.results},
                           {"cudahisto", "cudahisto-window"})
        for structure in self.results:
            self.assertIsNone(read(structure))
            self.assertIsNone(error_of_library(structure))

    def test_named_fields(self):
        """The error names the field, in one line."""
        picture, sound = self.results[1], next(
            structure for structure in self.results if structure.has_field("loudness"))
        edges = next(structure for structure in self.results if (structure.get_uint("schema") or [0, 0])[1] == 2)
        for structure, path, value, text in (
                (picture, ["Y", "bins"], typed(GObject.TYPE_UINT, 5), "'histogram' of 'Y' .*bins"),
                (picture, ["Y", "histogram"], GLib.Bytes.new(bytes(17)), "'histogram' of 'Y'"),
                (picture, ["Y", "histogram"], typed(GObject.TYPE_STRING, "x"), "'histogram'.*type"),
                (picture, ["Y", "depth"], typed(GObject.TYPE_UINT, 33), "'depth' of 'Y'"),
                (picture, ["Y", "depth"], typed(GObject.TYPE_UINT, 0), "'depth' of 'Y'"),
                (sound, ["ch1", "depth"], typed(GObject.TYPE_INT, 16), "'depth' of 'ch1' has another type"),
                (picture, ["Y", "bins"], None, "'bins' of 'Y' is missing"),
                (picture, ["Y"], None, "'Y' of 'cudahisto' is missing"),
                (picture, ["V", "mean"], typed(GObject.TYPE_STRING, "16"), "'mean' of 'V' has ano"),
                (picture, ["motion", "U"], None, "'U' of 'motion' is missing"),
                (picture, ["signal", "bits-used"], Gst.ValueArray(["x"] * 3), "'bits-used'"),
                (picture, ["components"], Gst.ValueArray([1, 2]), "'components'"),
                (picture, ["components"], Gst.ValueArray(["motion"]), "'components'"),
                (picture, ["regions"], Gst.ValueArray([1]), "'regions'"),
                (picture, ["width"], typed(GObject.TYPE_INT, -1), "'width'"),
                (picture, ["area", "width"], typed(GObject.TYPE_INT, 17), "'width' of 'area'"),
                (picture, ["media"], typed(GObject.TYPE_STRING), "'media' of 'cudahisto' is NULL"),
                (picture, ["schema"], typed(GObject.TYPE_UINT, 3), "'schema'"),
                (edges, ["schema"], typed(GObject.TYPE_UINT, 1), "'range-min' of 'R' is missing"),
                (edges, ["G", "edges"], GLib.Bytes.new(bytes(32)), "'edges' of 'G'"),
                (edges, ["G", "edges"], GLib.Bytes.new(b"1234"), "'edges' of 'G'"),
                (edges, ["G", "edges"], None, "'range-min' of 'G' is missing"),
                (edges, ["G", "edges"], typed(GObject.TYPE_STRING, "x"), "'edges'.*type"),
                (picture, ["stream-time"], typed(GObject.TYPE_STRING, "0"), "'stream-time'"),
                (sound, ["channels"], typed(GObject.TYPE_INT, 7), "'channels'"),
                (sound, ["pairs"], Gst.ValueArray([1]), "'pairs'"),
                (sound, ["pairs"], Gst.ValueArray([Gst.Structure.new_empty("pair")]), "'first' of 'pair' is m"),
                (sound, ["ch1", "rms"], None, "'rms' of 'ch1' is missing"),
                (sound, ["loudness", "true-peak"], Gst.ValueArray([1.0]), "'true-peak'")):
            changed = structure.copy()
            *outer, name = path
            inner = changed.get_value(outer[0]).copy() if outer else changed
            if value is None:
                inner.remove_field(name)
            else:
                inner.set_value(name, value)
            if outer:
                changed.set_value(outer[0], inner)
            error = read(changed)
            self.assertRegex(error or "", "^Not a result of cudahisto: field " + ("|".join(
                (text, ".*" + text))), path)
            self.assertNotIn("\n", error)
            if structure is edges:
                self.assertIsNotNone(error_of_library(changed), path)
        for text in "cudahisto", "cudahisto-window", "cudahisto-alert", "cudahisto, media=(int)1":
            self.assertRegex(read(Gst.Structure.new_from_string(text + ";")), "field '")

    def test_paths(self):
        """The module has the figures of the library, by the same paths, and no others."""
        n_paths = 0
        for structure in self.results:
            if structure.get_name() == "cudahisto-alert":
                continue
            frame, there = cudahisto.read(structure), []
            for line in ask_library(LIBRARY.read_figures, structure).splitlines():
                path, _, value = line.rpartition(" ")
                n_paths += 1
                try:
                    there += [path] if frame[path] is not None else []
                except KeyError:
                    self.assertEqual(value, "nan", path)
                    continue
                if value == "nan":
                    self.assertTrue(math.isnan(frame[path]), path)
                elif isinstance(frame[path], str):
                    self.assertEqual(frame[path], value, path)
                else:
                    self.assertEqual(float(frame[path]), float(value), path)
            self.assertEqual(sorted(path for path, _ in frame.figures()), sorted(there))
            for path in ("Y", "Y.", "Y.mean.x", "Y.histogram", "Y.depth", ".Y.mean", "regions.a.width", "regions.a",
                         "regions.c.Y.mean", "pairs.ch0+ch1.first", "pairs.ch0-ch1.balance", "ch0.true-peak",
                         "loudness.true-peak", "loudness.true-peak.Y", "loudness.true-peak.0", "flash.zones.25.state",
                         "flash.zones.-1.state", "flash.zones.Y.state", "flash.zones.7", "flash.zones", "signal.bits-used.0",
                         "signal.bits-used", "scopes.waveform.count", "", ".", "alerts.0.value"):
                if path not in frame:
                    with self.assertRaises(KeyError, msg=path):
                        frame[path]
        self.assertGreater(n_paths, 3000)
        frame = cudahisto.read(self.results[0])
        self.assertIs(frame["regions"][1]["Y"], frame.region("b")["Y"])
        self.assertEqual(frame["regions.b#2.Y.mean"], frame.region("b")["Y"]["mean"])
        self.assertRaises(KeyError, lambda: frame[7])
        self.assertIsNone(frame.get("Y.mean"))

    def test_deep(self):
        """Structures in structures, without an end that Python's stack could hold."""
        inner = Gst.Structure.new_empty("x")
        for _ in range(60):
            outer = Gst.Structure.new_empty("x")
            outer.set_value("a", inner)
            inner = outer
        structure = self.results[0].copy()
        structure.set_value("more", inner)
        self.assertIsNone(read(structure))

    def test_values_of_other_types(self):
        """A value whose conversion could end the process is left out if its field is not known, at the top and within, and is
        an error in one that is. What is beside it is read."""
        for what, make in UNSAFE.items():
            for structure in self.results:
                changed = structure.copy()
                set_raw(changed, "more", make)
                first = next((name for name in ("Y", "ch0") if changed.has_field(name)), None)
                if first is not None:
                    inner = changed.get_value(first).copy()
                    set_raw(inner, "more", make)
                    changed.set_value(first, inner)
                fields, wanted = cudahisto.read(changed), cudahisto.read(structure)
                self.assertEqual(fields.keys(), wanted.keys(), what)
                self.assertNotIn("more", fields.get(first, {}), what)
                for name in ("components", "media", "format", "regions", "pairs", "type", "state"):
                    if structure.has_field(name):
                        broken = structure.copy()
                        set_raw(broken, name, make)
                        self.assertRegex(read(broken) or "", f"field '{name}' of ", what)

    def test_random_changes(self):
        """A result or the module's error, and the same as from the library for C."""
        random_numbers = random.Random(SEED)
        n_errors = 0
        for _ in range(NUMBER):
            structure = random_numbers.choice(self.results).copy()
            changed = [name for _ in range(random_numbers.choice((1, 1, 2)))
                       for name in change(structure, random_numbers)]
            error, other = read(structure), error_of_library(structure)
            n_errors += error is not None
            if ONLY_C.isdisjoint(changed):
                self.assertIsNone(None if error is not None else other, changed)
            if ONLY_PYTHON.isdisjoint(changed):
                self.assertIsNone(None if other is not None else error, changed)
        self.assertGreater(n_errors, NUMBER // 3)
        self.assertLess(n_errors, NUMBER)


class Messages(unittest.TestCase):
    def post(self, source, structure):
        """Posts a message while a pipeline plays. Returns how many items come until its end."""
        measurement = cudahisto.launch("videotestsrc num-buffers=5 ! identity name=i ! cudahisto "
                                       "name=c post-messages=true ! fakesink name=s")
        element = measurement.pipeline.get_by_name(source)
        element.post_message(Gst.Message.new_element(element, structure))
        return len(list(measurement))

    def test_foreign(self):
        """What another element posts is not read, whatever its name."""
        for name in "cudahisto", "cudahisto-window", "cudahisto-alert":
            self.assertEqual(self.post("i", Gst.Structure.new_empty(name)), 5)
            self.assertEqual(self.post("i", record("picture", "I420")[0]), 5)
        with self.assertRaisesRegex(cudahisto.Error, "^pipeline: .*field 'media'.* is missing"):
            self.post("c", Gst.Structure.new_empty("cudahisto"))
        self.assertEqual(self.post("c", Gst.Structure.new_empty("other")), 5)

    def test_equal_names(self):
        """Two elements in two bins have one name."""
        part = "(videotestsrc num-buffers={} ! cudahisto name=c post-messages=true ! fakesink)"
        measurement = cudahisto.launch(part.format(2) + part.format(3))
        self.assertEqual([stream.name for stream in measurement.streams], ["c", "c#2"])
        self.assertEqual(len(list(measurement)), 5)


if __name__ == "__main__":
    unittest.main(verbosity=2)
