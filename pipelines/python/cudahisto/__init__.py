"""Measures video and audio with the GStreamer element `cudahisto`, and reads its results.

    import cudahisto
    for frame in cudahisto.measure("clip.mkv", streams="video"):
        print(frame.time, frame["Y"]["mean"])

- `measure()` opens a file or a URI and measures its streams.
- `launch()` runs a pipeline of your own, made by the program or written as for gst-launch-1.0.
- `read()` reads the result of one buffer or message of a program that has its own pipeline.
- `edges()` has the edges of a histogram's bins.
- `measure_images()` measures a set of images: the mean and the standard deviation of each channel.
- `read_report()` reads the JSON or CSV of cudahisto-report into a table of pandas.

A result is a dictionary with the fields that docs/result.md defines: `frame["motion"]["mafd"]`. It
also takes the paths of figures, as rules have them: `frame["regions.logo.Y.mean"]`, and
`frame.figures()` iterates over all of them. It stays valid after its buffer and its pipeline are
gone. Histograms and other lists of numbers are numpy arrays; those of scopes have two dimensions,
row and column. A histogram is the element's own memory, which is not copied: it can be read, but not
written. Without numpy, a histogram is a memoryview, and other lists are lists.

Importing the module does not initialize GStreamer. The first call that measures or reads does.

A process that is forked from one that has measured cannot measure: it has none of GStreamer's
threads. Start processes with multiprocessing.get_context("spawn").

Debian packages: python3-gi, python3-gst-1.0, gir1.2-gstreamer-1.0; better with python3-numpy;
python3-pandas for read_report().

SPDX-License-Identifier: LGPL-2.1-or-later
"""
from __future__ import annotations

import collections
import contextlib
import csv
import ctypes
import dataclasses
import fractions
import functools
import itertools
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import threading
import time
import warnings
import weakref
from typing import (
    IO, Any, Callable, Deque, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple, Union, cast)

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, GObject, Gst  # noqa: E402

numpy: Any
try:
    import numpy
except ImportError:
    numpy = None

__all__ = ["Alert", "Error", "Frame", "Measurement", "NotFound", "Stream", "Window", "edges", "launch",
           "measure", "measure_images", "read", "read_report"]

# The file VERSION is the home of the project's version. Meson and setuptools read it, too.
__version__ = pathlib.Path(__file__).with_name("VERSION").read_text(encoding="ascii").strip()

_begin_lock = threading.Lock()


def _begin() -> None:
    """Initializes GStreamer, unless the program has."""
    with _begin_lock:
        if not Gst.is_initialized():
            Gst.init(None)



class Error(Exception):
    """Something cannot be measured, or is no result. The text is one line with the reason."""


class NotFound(Error, FileNotFoundError):
    """The file does not exist."""


@dataclasses.dataclass(frozen=True)
class Stream:
    """A stream that is measured. `name` is "video 0", "audio 1": each medium is counted from 0. In
    launch(), `name` is the name of the element, and `media` is "". Elements in different bins may have
    the same name: the second one is "NAME#2"."""
    name: str
    media: str


# ---- Results ---------------------------------------------------------------------------------

# A word, as of flash.state, or a number.
Figure = Union[int, float, str]
Path = Union[str, bytes, os.PathLike]


class _Item(Dict[str, Any]):
    """What the results have in common. Times are in seconds; None means unknown."""

    def __init__(self, fields: Dict[str, Any], stream: Optional[Stream] = None):
        super().__init__(fields)
        self.stream = stream

    def _seconds(self, field: str) -> Optional[float]:
        nanoseconds = self.get(field)
        if nanoseconds is None or nanoseconds == Gst.CLOCK_TIME_NONE:
            return None
        return nanoseconds / Gst.SECOND

    @property
    def time(self) -> Optional[float]:
        """Stream time: the position in the file."""
        return self._seconds("stream-time")

    @property
    def running_time(self) -> Optional[float]:
        """Time since the pipeline began to play."""
        return self._seconds("running-time")

    @property
    def duration(self) -> Optional[float]:
        """How long it lasts."""
        return self._seconds("duration")


class Frame(_Item):
    """The result of one buffer: a picture, or some sound. A dictionary of the result's fields."""
    kind = "frame"

    def __missing__(self, path: str) -> Any:
        """The figure with this path (docs/rules.md): frame["flash.zones.7.transitions"]. KeyError if there is none."""
        value = _find_figure(self, path) if isinstance(path, str) else None
        if value is None:
            raise KeyError(path)
        return value

    def figures(self) -> Iterator[Tuple[str, Figure]]:
        """All figures with their paths, in the order of the result: dict(frame.figures())."""
        return _list_figures(self)

    def region(self, name: str) -> Dict[str, Any]:
        """The fields of the region with this name. KeyError if there is none."""
        for region in self.get("regions", []):
            if region["name"] == name:
                return region
        raise KeyError(name)


class Window(Frame):
    """The result of all buffers of a span of time together; see docs/result.md, Windows."""
    kind = "window"


class Alert(_Item):
    """A condition begins or ends; see docs/result.md, Alerts."""
    kind = "alert"

    @property
    def start(self) -> Optional[float]:
        """When the condition began: stream time."""
        return self._seconds("start")

    @property
    def end(self) -> Optional[float]:
        """When it ended: stream time. None while it lasts."""
        return self._seconds("end")

    @property
    def rule(self) -> Optional[str]:
        """The id of the rule that is broken. None of another alert."""
        return self.get("rule")


Item = Union[Frame, Alert]
_KINDS = {"cudahisto": Frame, "cudahisto-window": Window, "cudahisto-alert": Alert}


# ---- Paths -----------------------------------------------------------------------------------

def _find_in(items: Iterable[Tuple[str, Dict[str, Any]]], path: str) -> Any:
    """The figure in the first item, of those with a step, whose step begins the path; None if there is none."""
    for step, fields in items:
        if path.startswith(step + "."):
            value = _find_figure(fields, path[len(step) + 1:])
            if value is not None:
                return value
    return None


def _find_figure(fields: Dict[str, Any], path: str) -> Any:
    """The figure with this path in a result, a region or a pair; None if there is none."""
    value: Any
    first, _, rest = path.partition(".")
    if first == "regions":
        # The number of a region may follow its name; see docs/report.md, CSV.
        regions = fields.get("regions", [])
        value = _find_in(((region["name"], region) for region in regions), rest)
        return _find_in(((f"{region['name']}#{i}", region) for i, region in enumerate(regions, 1)), rest) \
            if value is None else value
    if first == "pairs":
        return _find_in(((f"{pair['first']}+{pair['second']}", pair) for pair in fields.get("pairs", [])), rest)
    if first == "scopes" or path in ("first", "second"):
        return None
    names = fields.get("components", [])
    value = fields
    for step in path.split("."):
        if isinstance(value, dict):
            # Not value[step], which may look for a path.
            value = value.get(step) if step in _FIGURES or isinstance(value.get(step), dict) else None
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            value = value[int(step)] if re.fullmatch("0|[1-9][0-9]{0,8}", step) and int(step) < len(value) else None
        elif value is not None and not isinstance(value, (str, int, float)) and step in names[:len(value)]:
            value = value[names.index(step)]
        else:
            return None
    if numpy is not None and isinstance(value, numpy.generic):
        value = value.item()
    # One step is no path: "width" of a region is none of its figures. A pair has no components.
    return value if isinstance(value, (str, int, float)) and ("." in path or "components" not in fields) else None


def _list_in(path: str, fields: Dict[str, Any], names: Iterable[str]) -> Iterator[Tuple[str, Figure]]:
    """The figures of a structure. `names` are the components of the picture or the sound."""
    for name, value in fields.items():
        here = f"{path}.{name}"
        if isinstance(value, dict):
            yield from _list_in(here, value, names)
        elif name not in _FIGURES or value is None:
            pass
        elif isinstance(value, (str, int, float)):
            yield here, value
        elif len(value) > 0 and isinstance(value[0], dict):
            for i, zone in enumerate(value):
                yield from _list_in(f"{here}.{i}", zone, names)
        else:
            for component, number in zip(names, value if isinstance(value, list) else value.tolist()):
                if number is not None:
                    yield f"{here}.{component}", number


def _list_figures(fields: Dict[str, Any], path: str = "", names: Iterable[str] = ()) -> Iterator[Tuple[str, Figure]]:
    """The figures of a result or a region, or of a line of a report, which has the same fields. `names` are the components; a
    region of a report has those of its picture."""
    names = fields.get("components", names)
    seen: Set[str] = set()
    for name, value in fields.items():
        if name == "regions":
            for i, region in enumerate(value, 1):
                # As the library: the number follows the name of a region if an earlier one has it.
                step = region["name"] + (f"#{i}" if region["name"] in seen else "")
                seen.add(region["name"])
                yield from _list_figures(region, f"regions.{step}.", names)
        elif name == "pairs":
            for pair in value:
                yield from _list_in(f"pairs.{pair['first']}+{pair['second']}", pair, names)
        elif name != "scopes" and isinstance(value, dict):
            yield from _list_in(path + name, value, names)


# ---- Reading ---------------------------------------------------------------------------------

class _Field(NamedTuple):
    """What is known of a field of a structure."""
    type: GObject.GType
    is_required: bool = True
    values: Tuple[Any, ...] = ()                # all that are possible; empty: not listed
    element: Any = None                         # the type of the elements of an array
    fields: Optional[Dict[str, Any]] = None     # of the structure, or of each one in the array
    most: float = math.inf                      # the greatest number, or length of an array or text


_UINT, _INT, _UINT64, _DOUBLE, _STRING = (
    _Field(kind) for kind in (GObject.TYPE_UINT, GObject.TYPE_INT, GObject.TYPE_UINT64,
                              GObject.TYPE_DOUBLE, GObject.TYPE_STRING))
_TEXT = _STRING._replace(most=256)
_ARRAY = _Field(Gst.ValueArray.__gtype__)
_STRUCTURE = _Field(Gst.Structure.__gtype__)
_BYTES = _Field(GLib.Bytes.__gtype__)


def _fields_of(field: _Field, names: str) -> Dict[str, _Field]:
    return dict.fromkeys(names.split(), field)


def _optional(fields: Dict[str, _Field]) -> Dict[str, _Field]:
    return {name: field._replace(is_required=False) for name, field in fields.items()}


# The table of measures (plugin/cudahisto/measures.h). `tests/docs/figures --update` writes it.
_TABLE = """\
component UINT64 count underflow overflow nan inf
component UINT bins
component DOUBLE min max sum mean variance std-dev p1 p10 p50 p90 p99 mode entropy range-min
component DOUBLE range-max
level UINT64 peak-count clipped clipped-runs zero-crossings denormals holes
level UINT bit-depth silent
level DOUBLE rms peak decay dc-offset crest-factor flat-factor min-difference max-difference
level DOUBLE mean-difference rms-difference rms-peak rms-trough dynamic-range noise-floor
level DOUBLE level-entropy hole-length hole-age
pair UINT inverted dual-mono
pair DOUBLE correlation mono-loss balance
loudness DOUBLE momentary short-term integrated range momentary-max short-term-max
loudness DOUBLES true-peak sample-peak
groups video signal motion color hdr detail area gamut gamut-filter flash field scopes
groups audio level loudness
signal DOUBLE hue-circular-mean brng tout vrep vrep-detail
motion DOUBLE mafd scene-score psnr freeze histogram-chi2 histogram-bhattacharyya histogram-emd
motion UINT repeat near-repeat cadence-period cadence-unique
hdr DOUBLE max fall p99 p999 p9999 r-max g-max b-max max-cll max-fall max-cll-p9999 max-fall-p9999
detail DOUBLE si ti sharpness
gamut DOUBLE r g b y any r-min r-max g-min g-max b-min b-max y-min y-max
gamut-filter DOUBLE r g b y any
flash DOUBLE luminance red area red-area up down red-up red-down
flash UINT transitions red-transitions counter
flash CHOICE state
field DOUBLE previous-even previous-odd next-even next-odd current-even current-odd change-even
field DOUBLE change-odd
field CHOICE single multi repeated
field DOUBLE comb
components signal RU saturation hue
components color R luma
components color UY R G B
components hdr RUY maxrgb
components detail RUY gradient
joint scopes waveform column Y
joint scopes vectorscope U V
joint scopes waveform-r column R
joint scopes waveform-g column G
joint scopes waveform-b column B
alerts black freeze scene range silence clipping loudness
most bins 65536
most components 4
most channels 4096
most regions 128
most zones 25
most depth 32
"""
# A CHOICE is a name. It may be any text: later versions may know other names.
_TABLE_TYPES = {"UINT64": _UINT64, "UINT": _UINT, "DOUBLE": _DOUBLE, "CHOICE": _TEXT,
                "DOUBLES": _ARRAY._replace(element=float)}


def _rows(kind: str) -> List[List[str]]:
    """The lines of the table that begin with this word, without it."""
    return [words[1:] for words in map(str.split, _TABLE.splitlines()) if words[0] == kind]


def _figures(place: str) -> Dict[str, _Field]:
    return {name: _TABLE_TYPES[kind] for kind, *names in _rows(place) for name in names}


# The fields of the result. Fields with other names are read, but not checked: later versions add
# some.
# A component of schema 2 may have edges instead of a range.
_SCHEMAS = (1, 2)
_MOST = {name: int(number) for name, number in _rows("most")}
_MOST_COMPONENTS = {"video": _MOST["components"], "audio": _MOST["channels"]}
_COMPONENT = {**_figures("component"), "bins": _UINT._replace(most=_MOST["bins"]),
              "histogram": _BYTES._replace(is_required=False)}
_RANGE = ("range-min", "range-max")
_NATIVE = {**_COMPONENT, "depth": _UINT._replace(is_required=False,
                                                values=tuple(range(1, _MOST["depth"] + 1)))}
# Of schema 2; which of the two it has is looked at when it is read.
_WITH_EDGES = {**_optional({name: _COMPONENT[name] for name in _RANGE}),
               "edges": _BYTES._replace(is_required=False)}
# A joint component: counts of two numbers, without other figures.
_JOINT = {"count": _COMPONENT["count"], **_fields_of(_UINT._replace(most=_MOST["bins"]),
                                                     "columns rows"),
          "histogram": _COMPONENT["histogram"]}
_LEVEL = _figures("level")
# Results of version 0.1.0 do not have these.
_LEVEL.update(_optional({name: _LEVEL[name] for name in ("holes", "hole-length", "hole-age")}))
# A figure of a pair of channels that is not known is absent.
_PAIR = {name: field._replace(is_required=field is not _DOUBLE)
         for name, field in _figures("pair").items()}
_LOUDNESS = _figures("loudness")
_RECTANGLE = _fields_of(_INT, "x y width height")
# The groups of video. A figure that is not known is absent.
_GROUPS = {group: _optional(_figures(group)) for media, *groups in _rows("groups")
           if media == "video" for group in groups}
_GROUPS["signal"]["bits-used"] = _ARRAY._replace(element=int)
_GROUPS["area"].update(_RECTANGLE)
_GROUPS["flash"]["zones"] = _ARRAY._replace(
    is_required=False, element=Gst.Structure,
    fields={name: _GROUPS["flash"][name]._replace(is_required=True)
            for name in ("transitions", "red-transitions", "state")})
# The last steps of paths to figures, or the last but one. A component's own description is none of them.
_FIGURES = {name for fields in (_COMPONENT, _LEVEL, _PAIR, _LOUDNESS, *_GROUPS.values()) for name in fields} - {"histogram", "edges"}
# Only the picture has these.
_JOINTS = {name: _STRUCTURE._replace(is_required=False, fields={
    **_JOINT, "x": _STRING._replace(values=(x,)), "y": _STRING._replace(values=(y,))})
           for _, name, x, y in _rows("joint")}
_TIMES_OF_MESSAGES = "timestamp stream-time running-time duration"
_ALERT = {
    "type": _STRING._replace(
        values=(*(name for row in _rows("alerts") for name in row), "rule")),
    "state": _STRING._replace(values=("begin", "end")),
    **_fields_of(_UINT64, "start end"), **_fields_of(_DOUBLE, "value threshold"),
    **_optional(_fields_of(_STRING, "component channel region result-name")),
    **_optional(_fields_of(_UINT64, _TIMES_OF_MESSAGES)),
}
# An alert of the type `rule`.
_RULE = {**_ALERT, **_fields_of(_STRING, "rule"), **_fields_of(_UINT64, "value-time"),
         **_optional(_fields_of(_STRING, "pair zone"))}
# Structures in structures. Those of the element have three levels.
_MOST_LEVELS = 16


def _fail(structure: Gst.Structure, name: str, text: str) -> None:
    # repr(), because names may come from anywhere.
    raise Error(f"Not a result of cudahisto: field {name!r} of {structure.get_name()!r} {text}")


# What other elements post may hold values of any type, and PyGObject ends the process when it converts some of them: a
# GParamSpec that is NULL, or an array with a string that is not UTF-8. So the type of each value is looked at before it is
# converted, and values of other types are not.
_SAFE_ELEMENTS = frozenset((
    "gboolean", "gint", "guint", "glong", "gulong", "gint64", "guint64", "gfloat", "gdouble", "gchararray", "GBytes",
    "GstFraction", "GstBitmask", "GstStructure", "GstValueArray"))
_SAFE_FIELDS = _SAFE_ELEMENTS | {"gchar", "guchar"}
# Those that have been seen. Some have no number before GStreamer is initialized.
_safe_types: Set[GObject.GType] = set()
# PyGObject converts an array as a whole, so these have the types of its elements.
_GOBJECT = ctypes.CDLL("libgobject-2.0.so.0")
_GST = ctypes.CDLL("libgstreamer-1.0.so.0")
_function: Any
for _function, _result, *_arguments in (
        (_GOBJECT.g_type_name, ctypes.c_char_p, ctypes.c_size_t),
        (_GOBJECT.g_value_get_string, ctypes.c_char_p, ctypes.c_void_p),
        (_GST.gst_structure_get_value, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p),
        (_GST.gst_value_array_get_size, ctypes.c_uint, ctypes.c_void_p),
        (_GST.gst_value_array_get_value, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint)):
    _function.restype, _function.argtypes = _result, _arguments


@functools.lru_cache(maxsize=64)
def _type_name(number: int) -> str:
    return (_GOBJECT.g_type_name(number) or b"").decode("ascii", "replace")


def _is_safe(address: int, level: int) -> bool:
    """Whether PyGObject can convert the element of an array with this address.

    level   of arrays in arrays. PyGObject converts them recursively, and the stack has an end
    """
    # The type is the first member of a GValue.
    name = _type_name(ctypes.c_size_t.from_address(address).value)
    if name == "gchararray":
        try:
            (_GOBJECT.g_value_get_string(address) or b"").decode()
        except UnicodeDecodeError:
            return False
    if name == "GstValueArray":
        return _is_safe_array(address, level + 1)
    return name in _SAFE_ELEMENTS


def _is_safe_array(address: int, level: int = 0) -> bool:
    return level <= _MOST_LEVELS and all(
        _is_safe(_GST.gst_value_array_get_value(address, i), level)
        for i in range(_GST.gst_value_array_get_size(address)))


def _get_value(structure: Gst.Structure, name: str, kind: GObject.GType) -> Any:
    """The value of a field that has this type. Raises TypeError or ValueError if it cannot be converted. All values are read
    here."""
    if kind == _ARRAY.type:
        address = re.search(r"\(GstStructure at (0x[0-9a-f]+)\)", repr(structure))
        if address is None or not _is_safe_array(
                _GST.gst_structure_get_value(int(address.group(1), 16), name.encode())):
            raise TypeError("the array has elements that cannot be read")
    elif kind not in _safe_types:
        if kind.name not in _SAFE_FIELDS:
            raise TypeError(f"values of the type {kind.name} are not read")
        _safe_types.add(kind)
    return structure.get_value(name)


@functools.lru_cache(maxsize=64)
def _layout(media: str, components: Tuple[str, ...], groups: Tuple[str, ...],
            may_have_edges: bool) -> Dict[str, _Field]:
    """The fields of a result that has these native components, and of video these groups."""
    with_edges = _WITH_EDGES if may_have_edges else {}
    component = _STRUCTURE._replace(fields={**_COMPONENT, **with_edges})
    of_native = {**_NATIVE, **with_edges}
    native = dict.fromkeys(components, _STRUCTURE._replace(fields=of_native))
    names = _ARRAY._replace(element=str, values=(list(components),))
    fields = {
        "schema": _UINT._replace(values=_SCHEMAS),
        "media": _STRING._replace(values=(media,)),
        # Any text: other versions know other formats, engines and colorimetries.
        "format": _TEXT, "backend": _TEXT,
        **dict.fromkeys(("colorimetry", "result-name"), _TEXT._replace(is_required=False)),
        "components": names,
        "alerts": _ARRAY._replace(is_required=False, element=Gst.Structure, fields=_ALERT),
        **_optional(_fields_of(_UINT64, _TIMES_OF_MESSAGES + " buffers")),
    }
    if media == "audio":
        channel = _STRUCTURE._replace(fields={
            **of_native, **(_LEVEL if "level" in groups else _optional(_LEVEL))})
        if "level" in groups:
            names = _STRING._replace(values=components)
            fields["pairs"] = _ARRAY._replace(
                is_required=False, element=Gst.Structure, most=len(components) // 2,
                fields={"first": names, "second": names, **_PAIR})
        return {**fields, "rate": _INT, "channels": _INT._replace(values=(len(components),)),
                "samples": _UINT64, "loudness": _STRUCTURE._replace(
                    is_required=False, fields=_LOUDNESS),
                **dict.fromkeys(components, channel)}
    # The color of the native components; see histo_components_format() of the library for C.
    color = next((name for name in reversed(components) if name in ("R", "U")), "Y")
    of_groups = {}
    for group in groups:
        derived = [name for other, colors, *names in _rows("components")
                   if other == group and color in colors for name in names]
        of_groups[group] = _STRUCTURE._replace(fields={
            **_GROUPS[group], **dict.fromkeys(components if group == "motion" else derived,
                                              component)})
    region = {"name": _STRING, **_RECTANGLE, "components": names, **native,
              **{group: field for group, field in of_groups.items() if group != "scopes"}}
    if "scopes" in of_groups:
        of_groups["scopes"] = _STRUCTURE._replace(fields=_JOINTS)
    return {**fields, "width": _INT, "height": _INT, **native, **of_groups,
            "mask": _TEXT._replace(is_required=False), **_optional({"mask-pixels": _UINT64}),
            "regions": _ARRAY._replace(is_required=False, element=Gst.Structure, fields=region,
                                       most=_MOST["regions"])}


def _find_layout(structure: Gst.Structure) -> Dict[str, _Field]:
    """The fields that this result must have. Which ones depends on its medium, its components and
    its groups."""
    media = _read_field(structure, "media", _STRING._replace(values=("video", "audio")))
    components = _read_field(structure, "components", _ARRAY._replace(
        element=str, most=_MOST_COMPONENTS[media]))
    if media == "video":
        groups = tuple(group for group in _GROUPS if structure.has_field(group))
    else:
        first = _get_value(structure, components[0], _STRUCTURE.type) if components and \
            structure.get_field_type(components[0]) == _STRUCTURE.type else None
        groups = ("level",) if first is not None and any(
            first.has_field(name) for name in _LEVEL) else ()
    schema = _read_field(structure, "schema", _UINT._replace(values=_SCHEMAS))
    layout = _layout(media, tuple(components), groups, schema > 1)
    for name in components:
        if "bins" not in (layout[name].fields or {}):
            _fail(structure, "components", "has the name of another field")
    return layout


def _view(data: GLib.Bytes) -> memoryview:
    """The bytes themselves, which live as long as the view does. Only for reading: others see them, too."""
    size = data.get_size()
    if size == 0:
        return memoryview(b"")
    # GLib.Bytes.get_data() copies. An address is all that PyGObject tells without copying.
    numbers = (ctypes.c_uint8 * size).from_address(data.get_region(1, 0, size))
    # A reference of its own: what a structure gives is only valid as long as the structure.
    numbers.owner = data.ref()
    return memoryview(numbers).toreadonly().cast("B")


def _read_counts(data: memoryview, n_bins: int) -> Any:
    """The numbers of a histogram: 32 or 64 bits each, little endian. The size says which."""
    is_wide = len(data) == 8 * n_bins
    if sys.byteorder == "big":
        data = memoryview(struct.pack(f"{n_bins}{'Q' if is_wide else 'I'}",
                                      *struct.unpack(f"<{n_bins}{'Q' if is_wide else 'I'}", data)))
    if numpy is not None:
        return numpy.frombuffer(data, numpy.uint64 if is_wide else numpy.uint32)
    return data.cast("Q" if is_wide else "I")


def _read_edges(structure: Gst.Structure, data: memoryview, n_bins: int) -> Any:
    """The edges of bins: finite, ascending doubles, little endian."""
    values = struct.unpack(f"<{len(data) // 8}d", data[:len(data) // 8 * 8])
    if n_bins == 0 or len(data) != 8 * (n_bins + 1) or not all(map(math.isfinite, values)) or any(
            a >= b for a, b in zip(values, values[1:])):
        _fail(structure, "edges", "has other numbers than one more than 'bins', finite and ascending")
    return numpy.array(values) if numpy is not None else list(values)


def edges(component: Dict[str, Any]) -> Any:
    """The edges of the bins of a component: edges(frame["Y"]). Bin i begins at edge i and ends before edge i + 1.

    numpy.histogram() with these edges counts the same, but for samples that are equal to the last edge: its last bin has
    them, here they are the component's `overflow`.
    """
    if "edges" in component:
        return component["edges"].copy()
    n, low, high = component["bins"], component["range-min"], component["range-max"]
    if numpy is not None:
        # As in C: the width is no double.
        width = (numpy.longdouble(high) - low) / n
        values = (low + numpy.arange(n + 1) * width).astype(float)
    else:
        width = (fractions.Fraction(high) - fractions.Fraction(low)) / n
        values = [float(fractions.Fraction(low) + i * width) for i in range(n + 1)]
    values[n] = high
    return values


def _read_array(items: Iterable[Any], field: Optional[_Field] = None, level: int = 0) -> Any:
    """Copies an array. Its elements are of one type if `field` says so."""
    values = [_read_structure(item, field and field.fields, level + 1)
              if isinstance(item, Gst.Structure) else
              _read_array(item, None, level + 1) if isinstance(item, Gst.ValueArray) else item
              for item in items]
    if numpy is None or not values or {type(value) for value in values} - {int, float}:
        return values
    return numpy.array(values)


def _read_field(structure: Gst.Structure, name: str, field: _Field, level: int = 0) -> Any:
    """The value of a field that is known. Raises Error if it is not as `field` says."""
    if not structure.has_field(name):
        _fail(structure, name, "is missing")
    if structure.get_field_type(name) != field.type:
        _fail(structure, name, "has another type")
    try:
        value = _get_value(structure, name, field.type)
    except (TypeError, ValueError, OverflowError):      # for example text that is not UTF-8
        _fail(structure, name, "cannot be read")
    if value is None:
        _fail(structure, name, "is NULL")
    if field.type == _ARRAY.type:
        items = list(value)
        if len(items) > field.most:
            _fail(structure, name, "has too many")
        if any(not isinstance(item, field.element) for item in items):
            _fail(structure, name, "holds something else than it should")
        if field.values and items not in field.values:
            _fail(structure, name, "has other names than the picture")
        return items if field.element is str else _read_array(items, field, level)
    if field.type == _STRUCTURE.type:
        return _read_structure(value, field.fields, level + 1)
    if field.type == _BYTES.type:
        return _view(value)
    if field.values and value not in field.values:
        _fail(structure, name, "has an unknown value")
    if isinstance(value, str) and len(value.encode()) > field.most:
        _fail(structure, name, "is no short UTF-8 text")
    if field.most < math.inf and not isinstance(value, str) and value > field.most:
        _fail(structure, name, f"is above {field.most}")
    return value


def _read_other_field(structure: Gst.Structure, name: str, level: int) -> Any:
    """The value of a field that is not known. Raises an exception if it cannot be read."""
    value = _get_value(structure, name, structure.get_field_type(name))
    if isinstance(value, Gst.Structure):
        return _read_structure(value, None, level + 1)
    if isinstance(value, Gst.ValueArray):
        return _read_array(value, None, level)
    return value


def _read_structure(structure: Gst.Structure, known: Optional[Dict[str, _Field]] = None,
                    level: int = 0) -> Dict[str, Any]:
    """Copies all fields, and the structures in it. A structure in a structure is only valid as long
    as the outer one, so nothing of it may be kept.

    known   the fields that are checked. Raises Error if one is missing or wrong
    """
    if level > _MOST_LEVELS:
        raise Error("Not a result of cudahisto: too many structures in structures")
    fields: Dict[str, Any] = {}
    if known is _ALERT and _read_field(structure, "type", _ALERT["type"], level) == "rule":
        known = _RULE
    for i in range(structure.n_fields()):
        try:
            name = structure.nth_field_name(i)
        except UnicodeDecodeError:
            continue
        if known is not None and name in known:
            fields[name] = _read_field(structure, name, known[name], level)
            continue
        try:
            fields[name] = _read_other_field(structure, name, level)
        except (Error, TypeError, ValueError, OverflowError, NotImplementedError):
            pass                # nothing that is known depends on it
    for name, field in (known or {}).items():
        if field.is_required and name not in fields:
            _fail(structure, name, "is missing")
    is_joint = known is not None and "columns" in known
    if is_joint and not 0 < fields["rows"] * fields["columns"] <= _MOST["bins"]:
        _fail(structure, "columns", f"is 0, or times 'rows' above {_MOST['bins']}")
    if known is not None and "edges" in known:
        if "edges" in fields:
            fields["edges"] = _read_edges(structure, fields["edges"], fields["bins"])
        for name in _RANGE:
            if "edges" in fields:
                fields.pop(name, None)
            elif name not in fields:
                _fail(structure, name, "is missing")
    if known is not None and "histogram" in known and "histogram" in fields:
        data = fields["histogram"]
        n = fields["rows"] * fields["columns"] if is_joint else fields["bins"]
        if len(data) not in (4 * n, 8 * n):
            _fail(structure, "histogram", "has another size than the number of bins")
        fields["histogram"] = _read_counts(data, n)
        if is_joint and numpy is not None:
            fields["histogram"] = fields["histogram"].reshape(fields["rows"], fields["columns"])
    return fields


def _check_rectangle(fields: Dict[str, Any], what: str, width: int, height: int) -> None:
    for begin, length, size in ("x", "width", width), ("y", "height", height):
        if not 0 <= fields[begin] <= size or not 0 <= fields[length] <= size - fields[begin]:
            raise Error(f"Not a result of cudahisto: field {length!r} of {what} is negative or "
                        "reaches out of the picture")


def _check_result(fields: Dict[str, Any]) -> None:
    """Checks what depends on several fields."""
    n = len(fields["components"])
    if fields["media"] == "audio":
        for name in "true-peak", "sample-peak":
            if "loudness" in fields and len(fields["loudness"][name]) != n:
                raise Error(f"Not a result of cudahisto: field {name!r} of 'loudness' has another "
                            "size than 'components'")
        return
    width, height = fields["width"], fields["height"]
    _check_rectangle({"x": 0, "y": 0, **{name: fields[name] for name in ("width", "height")}},
                     "the result", max(width, 0), max(height, 0))
    for region in [fields, *fields.get("regions", [])]:
        if region is not fields:
            _check_rectangle(region, "a region", width, height)
        if "area" in region:
            _check_rectangle(region["area"], "'area'", width, height)
        if len(region.get("flash", {}).get("zones", range(_MOST["zones"]))) != _MOST["zones"]:
            raise Error("Not a result of cudahisto: field 'zones' of 'flash' has another size "
                        f"than {_MOST['zones']}")
        if "signal" in region and n > 0 and len(region["signal"]["bits-used"]) != n:
            raise Error("Not a result of cudahisto: field 'bits-used' of 'signal' has another "
                        "size than 'components'")


def read(source: Union[Gst.Buffer, Gst.Sample, Gst.Message, Gst.Structure],
         stream: Optional[Stream] = None, name: Optional[str] = None) -> Optional[Item]:
    """Reads a result of the element `cudahisto`.

    `source` is a buffer or sample that has passed the element, a message from the bus, or the
    structure of one of these. Returns a Frame, a Window or an Alert, or None if `source` has no
    result. The result of a buffer has no times; a buffer has its own. `name` is the property
    `result-name` of the element whose result it is: without it, a buffer's result is that of an
    element without a name, and a message's that of any element.

    Raises Error, which names the field, if the structure has the name of a result, but is none.
    """
    global _has_measured
    _begin()
    owner = source          # its structure is only valid as long as this
    if isinstance(source, Gst.Sample):
        owner = source.get_buffer()
    if isinstance(owner, Gst.Buffer):
        owner = owner.get_custom_meta("cudahisto" if name is None else f"cudahisto-{name}")
    elif owner is not None and not isinstance(owner, (Gst.Message, Gst.Structure)):
        raise TypeError(f"a {type(source).__name__} is no buffer, sample, message or structure")
    structure = owner if owner is None or isinstance(owner, Gst.Structure) \
        else owner.get_structure()
    if structure is None:
        return None
    if name is not None and structure.get_name() == f"cudahisto-{name}":
        kind: Any = Frame
    elif name is None or structure.get_string("result-name") == name:
        kind = _KINDS.get(structure.get_name())
    else:
        kind = None
    if kind is None:
        return None
    # Where there are results, a pipeline has run.
    _has_measured = True
    if kind is Alert:
        return kind(_read_structure(structure, _ALERT), stream)
    fields = _read_structure(structure, _find_layout(structure))
    _check_result(fields)
    return kind(fields, stream)


# ---- Processes -------------------------------------------------------------------------------

# Whether this process, or one that it was forked from, had run a pipeline.
_has_measured = False
# Whether this process lacks threads of GStreamer that the process had from which it was forked.
_lacks_threads = False


def _after_fork() -> None:
    """Runs in the child. A pipeline there could wait for ever: for a thread that GLib has in
    reserve, or for a lock that a thread of the parent holds."""
    global _lacks_threads
    _lacks_threads = _lacks_threads or _has_measured or GLib.ThreadPool.get_num_unused_threads() > 0


os.register_at_fork(after_in_child=_after_fork)


def _check_process(process: Optional[int] = None) -> None:
    """Raises Error in a process that cannot measure.

    process     the one to which the measurement belongs; None: that is this one
    """
    if _lacks_threads if process is None else os.getpid() != process:
        raise Error("this process was forked from one that has measured, and cannot measure: start "
                    "processes with multiprocessing.get_context(\"spawn\")")


# ---- Between GStreamer's threads and the program's -------------------------------------------

_END = object()
# After so many seconds without a result: does the pipeline still run?
_PATIENCE = 2.0
# A file of which nothing was measured may be begun so often.
_MOST_TRIES = 10
# Set in a thread of a pipeline while it runs a function of this module.
_in_callback = threading.local()


class _Standstill(Error):
    """Nothing can come any more."""


class _Channel:
    """Takes items from GStreamer's threads to the program. A thread that has an item waits while
    there are `most` items already: a slow program slows the pipeline down."""

    def __init__(self, most: int):
        self._most = most
        self._changed = threading.Condition()
        self._items: Deque[Any] = collections.deque()
        self._ends: Deque[Any] = collections.deque()     # errors and warnings, the end: never wait
        self._is_closed = False

    def put(self, item: Any) -> None:
        with self._changed:
            while len(self._items) >= self._most and not self._is_closed:
                self._changed.wait()
            if not self._is_closed:
                self._items.append(item)
                self._changed.notify_all()

    def put_end(self, end: Any) -> None:
        with self._changed:
            self._ends.append(end)
            self._changed.notify_all()

    def _wait(self, seconds: Optional[float]) -> bool:
        """Waits until there is something to get. False: there is nothing in time."""
        return self._changed.wait_for(
            lambda: bool(self._items or self._ends or self._is_closed), seconds)

    def get(self, timeout: Optional[float], runs: Optional[Callable[[], bool]] = None) -> Any:
        """Returns the next item, or the end. Items that came before an error are returned first.

        runs    says whether anything can still come. If not, an error is returned
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        stood_still, used = False, time.process_time()
        with self._changed:
            while True:
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0 and not self._wait(0):
                    return Error(f"nothing was measured for {timeout:g} s")
                if self._wait(left if runs is None else min(left or _PATIENCE, _PATIENCE)):
                    break
                if runs is None:
                    continue
                # Elements post messages in threads that may wait for this lock.
                self._changed.release()
                try:
                    stands_still = not runs() and not _works(used)
                    used = time.process_time()
                finally:
                    self._changed.acquire()
                # At its start or end a pipeline may stand still for a moment.
                if stands_still and stood_still and not self._wait(0):
                    return _Standstill("decoding stopped without an end")
                stood_still = stands_still
            if self._is_closed:
                return _END
            if self._items:
                item = self._items.popleft()
                self._changed.notify_all()
                return item
            return self._ends.popleft()

    def clear(self) -> None:
        with self._changed:
            self._items.clear()
            self._ends.clear()

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            self._items.clear()
            self._changed.notify_all()


def _callback(function):
    """For functions that GStreamer's threads call with the channel as their last argument: an
    exception goes to the program instead of being printed and lost. So does that of a signal's
    handler, which may run in such a function if the program's thread starts the pipeline."""
    def called(*arguments):
        before = getattr(_in_callback, "value", False)
        _in_callback.value = True
        try:
            return function(*arguments)
        except BaseException as error:      # pylint: disable=broad-except
            is_fault = isinstance(error, Exception) and not isinstance(error, Error)
            arguments[-1].put_end(
                Error(f"{type(error).__name__}: {error}") if is_fault else error)
            return None
        finally:
            # The function may post a message, whose function runs inside of this one.
            _in_callback.value = before
    return called


def _describe_error(message: Gst.Message, error: Any, debug: Optional[str]) -> str:
    """One line: the text of an error message, and the cause that the details give."""
    cause = " ".join((debug or "").partition(":\n")[2].split())
    text = " ".join(error.message.split())
    more = f" ({cause})" if cause and cause not in text else ""
    return f"{message.src.get_name()}: {text}{more}"


# The streams of the elements that measure. The keys are the elements, not their names: elements in
# different bins may have the same name.
_Streams = Dict[Gst.Element, Stream]


_adding_stream = threading.Lock()


def _add_stream(element: Gst.Element, streams: _Streams) -> None:
    """Adds an element, if it is new, with a name of its own."""
    with _adding_stream:
        names = {stream.name for other, stream in streams.items() if other != element}
        name, number = element.get_name(), 1
        while name in names:
            number += 1
            name = f"{element.get_name()}#{number}"
        streams.setdefault(element, Stream(name, ""))


def _find_stream(element: Optional[Gst.Object], streams: _Streams) -> Optional[Stream]:
    """The stream that the element measures; None if it is no element cudahisto: others may post
    messages with the same names. A program may add elements while the pipeline plays."""
    if element not in streams and isinstance(element, Gst.Element):
        factory = element.get_factory()
        if factory is not None and factory.get_name() == "cudahisto":
            _add_stream(element, streams)
    return streams.get(element)


@_callback
def _on_message(_bus: Gst.Bus, message: Gst.Message, streams: _Streams,
                channel: _Channel) -> None:
    """Runs in the thread that posts the message, so that the items keep their order."""
    if message.type == Gst.MessageType.ELEMENT:
        stream = _find_stream(message.src, streams)
        item = None if stream is None else read(message, stream)
        if item is not None:
            channel.put(item)
    elif message.type == Gst.MessageType.ERROR:
        channel.put_end(Error(_describe_error(message, *message.parse_error())))
    elif message.type == Gst.MessageType.EOS:
        channel.put_end(_END)
    elif message.type == Gst.MessageType.WARNING:
        error, debug = message.parse_warning()
        # A value of `measures`, `regions` and the like was refused.
        is_setting = error.matches(Gst.LibraryError.quark(), Gst.LibraryError.SETTINGS)
        channel.put_end((Error if is_setting else RuntimeWarning)(
            _describe_error(message, error, debug)))


def _shut_down(process: int, pipeline: Gst.Pipeline,
               handlers: List[Tuple[GObject.Object, int]], channel: _Channel) -> None:
    """Stops the pipeline and frees its threads."""
    if os.getpid() != process:
        # The threads are in the process from which this one was forked. Freeing the pipeline would
        # wait for them, so it is never freed here.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(pipeline))
        return
    channel.close()

    def stop():
        pipeline.set_state(Gst.State.NULL)
        for instance, handler in handlers:
            instance.disconnect(handler)
        handlers.clear()
        pipeline.get_bus().set_flushing(True)

    # A thread of a pipeline, in which the garbage collector happened to run, cannot wait for
    # itself.
    if getattr(_in_callback, "value", False):
        threading.Thread(target=stop).start()
    else:
        stop()


def _runs(pipeline: Gst.Pipeline, has_begun: bool) -> bool:
    """Whether a thread of the pipeline still runs. If a demuxer fails while decodebin tries it,
    decodebin may drop its error: then all threads pause, and no message comes. Until something has been
    measured, queues and cudahisto may wait for ever: then only sources count, and elements that read from one."""
    elements: List[Gst.Element] = []
    # If elements come or go meanwhile, some of them are missing, but the pipeline runs.
    if pipeline.iterate_recurse().foreach(elements.append) == Gst.IteratorResult.RESYNC:
        return True
    pads: List[Gst.Pad] = []
    for element in elements:
        own: List[Gst.Pad] = []
        if element.iterate_pads().foreach(own.append) == Gst.IteratorResult.RESYNC:
            return True
        pads += [pad for pad in own if has_begun or element.numsinkpads == 0
                 or pad.get_direction() == Gst.PadDirection.SINK]
    return any(pad.get_task_state() == Gst.TaskState.STARTED for pad in pads)


def _works(used: float) -> bool:
    """Whether the process has used processor time since time.process_time() was `used`, or another thread of it has work
    or waits for a disk: a process that is starved does not stand still."""
    if time.process_time() - used > 0.02:
        return True
    own = str(threading.get_native_id())
    try:
        threads = [thread for thread in os.listdir("/proc/self/task") if thread != own]
    except OSError:
        return False
    for thread in threads:
        try:
            with open(f"/proc/self/task/{thread}/stat", "rb") as file:
                if file.read().rpartition(b") ")[2][:1] in (b"R", b"D"):
                    return True
        except OSError:
            pass                                            # it has ended
    return False


class Measurement(Iterator[Item]):
    """Gives the results one after another, in the order in which they are measured.

    Use it in a `for` loop. It stops its pipeline at the end, after an error, at the end of a `with`
    block, with close(), and when it is no longer used.
    """

    def __init__(self, pipeline: Gst.Pipeline, channel: _Channel, streams: _Streams,
                 handlers: List[Tuple[GObject.Object, int]], name: str,
                 timeout: Optional[float], forget: Optional[Callable[[], None]] = None):
        global _has_measured
        _has_measured = True
        self.pipeline = pipeline        # for example to change a property while it plays
        self._process = os.getpid()
        self._channel = channel
        self._streams = streams
        self._name = name
        self._timeout = timeout
        # A live source, or a program that pushes buffers, may pause as long as it wants. What the streams of a
        # file were is forgotten when it is begun again.
        self._is_file = forget is not None
        self._forget = forget
        self._n_tries = 1
        self._has_begun = False         # something has been measured
        self._bus = bus = pipeline.get_bus()
        bus.enable_sync_message_emission()
        for kind in "element", "error", "warning", "eos":
            handlers.append((bus, bus.connect("sync-message::" + kind, _on_message, streams,
                                              channel)))
        # Also at the end of the program.
        self._finalizer = weakref.finalize(self, _shut_down, self._process, pipeline, handlers,
                                           channel)
        if pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
            # If an element has posted the reason, its message comes first.
            channel.put_end(Error("the pipeline does not start"))

    def __next__(self) -> Item:
        _check_process(self._process)
        while True:
            if not self._finalizer.alive:
                raise StopIteration
            item = self._channel.get(
                self._timeout, functools.partial(_runs, self.pipeline, self._has_begun) if self._is_file else None)
            # The messages on the bus have been read while they were posted.
            while self._bus.pop() is not None:
                pass
            if isinstance(item, _Standstill) and not self._has_begun and self._n_tries < _MOST_TRIES:
                self._begin_again()
                continue
            if isinstance(item, RuntimeWarning):
                warnings.warn(f"{self._name}: {item}", RuntimeWarning, stacklevel=2)
                continue
            if not isinstance(item, BaseException) and item is not _END:
                self._has_begun = True
                return item
            self.close()
            if item is _END:
                raise StopIteration
            if not isinstance(item, Exception):
                raise item
            raise Error(f"{self._name}: {item}")

    def _begin_again(self) -> None:
        """A parser that plays before decodebin has linked it fails, and decodebin drops its error (aiffparse 1.22)."""
        self._n_tries += 1
        self.pipeline.set_state(Gst.State.NULL)
        elements: List[Gst.Element] = []
        self.pipeline.iterate_elements().foreach(elements.append)
        for element in elements:
            if element.get_factory().get_name() != "uridecodebin":
                self.pipeline.remove(element)
        self._streams.clear()
        self._channel.clear()
        if self._forget is not None:
            self._forget()
        self.pipeline.set_state(Gst.State.PLAYING)

    def close(self) -> None:
        """Stops the pipeline. There are no more results afterwards. May be called repeatedly."""
        self._finalizer()

    def __enter__(self) -> Measurement:
        return self

    def __exit__(self, *_exception: Any) -> None:
        self.close()

    @property
    def streams(self) -> List[Stream]:
        """The streams that are measured, as far as they are known by now."""
        return list(self._streams.values())

    def stats(self) -> Dict[str, Dict[str, Any]]:
        """The counters of each element, under the name of its stream; see docs/stats.md."""
        _check_process(self._process)
        return {stream.name: _read_structure(element.props.stats)
                for element, stream in list(self._streams.items())}


# ---- Properties ------------------------------------------------------------------------------

_TIMES = {"window", "message-interval", "interval", "black-duration", "freeze-duration", "silence-duration"}


def _parse_names(property_name: str, kind: type, text: str) -> int:
    """The value of an enumeration, or of flags whose names are joined by "+"."""
    members = getattr(kind, "__flags_values__", getattr(kind, "__enum_values__", None))
    # Newer versions of PyGObject have Python's own enumerations.
    known = {getattr(member, "value_nick", None) or member.value_nicks[0]: int(member)
             for member in (kind if members is None else members.values())}
    value = 0
    for name in filter(None, text.replace(",", "+").split("+")):
        if name.strip() not in known:
            raise ValueError(f"{property_name}: {name.strip()!r} is none of {', '.join(known)}")
        value |= known[name.strip()]
    return value


def _set_property(element: Gst.Element, name: str, value: Any) -> None:
    """Sets a property of the element. Impossible values are a ValueError or TypeError."""
    name = name.replace("_", "-")
    spec = element.find_property(name)
    if spec is None or not spec.flags & GObject.ParamFlags.WRITABLE:
        raise TypeError(f"the element cudahisto has no property {name} that can be set")
    if hasattr(spec, "flags_class") or hasattr(spec, "enum_class"):
        value = _parse_names(name, type(element.get_property(name)),
                             value if isinstance(value, str) else "+".join(value))
    elif name == "regions" and isinstance(value, dict):
        value = "; ".join(f"{key}={text}" for key, text in value.items())
    elif hasattr(spec, "minimum"):
        least, most = spec.minimum, spec.maximum
        if name in _TIMES:
            least, most = least / Gst.SECOND, most / Gst.SECOND
        # This is also false for NaN.
        if not least <= value <= most:
            raise ValueError(f"{name}={value}: possible are {least} to {most}")
        if name in _TIMES:
            value = min(round(value * Gst.SECOND), spec.maximum)
    element.set_property(name, value)


def _make(factory: str, **properties: Any) -> Gst.Element:
    element = Gst.ElementFactory.make(factory)
    if element is None:
        hint = "install its plugin, or name the plugin's folder in GST_PLUGIN_PATH"
        raise Error(f"there is no GStreamer element {factory}: {hint}")
    for name, value in properties.items():
        element.set_property(name.replace("_", "-"), value)
    return element


# ---- Files and URIs --------------------------------------------------------------------------

def _find_uri(source: Path) -> str:
    name = os.fsdecode(source)
    if os.path.isdir(name):
        raise Error(f"{name} is a folder")
    if os.path.exists(name):
        if not os.access(name, os.R_OK):
            raise Error(f"{name} cannot be read: permission denied")
        return pathlib.Path(name).absolute().as_uri()
    if Gst.uri_is_valid(name) and (not name.startswith("file:")
                                   or os.path.exists(Gst.uri_get_location(name) or "")):
        return name
    raise NotFound(f"there is no file {name}")


class _Choice:
    """Which streams are measured, and how many there were of each medium."""

    def __init__(self, streams: Union[str, Iterable[str]], properties: Dict[str, Any]):
        self.wanted: Set[str] = {streams} if isinstance(streams, str) else set(streams)
        self.properties = properties
        self.found: List[str] = []
        for name in self.wanted:
            if not isinstance(name, str):
                raise TypeError(f"streams: {name!r} is no text")
            media, _, number = name.partition(" ")
            if name != "all" and (media not in ("video", "audio") or
                                  number != "" and not number.isdigit()):
                raise ValueError(f"streams: {name!r} is none of all, video, audio, "
                                 "video NUMBER, audio NUMBER")
        if not self.wanted:
            raise ValueError("streams is empty")

    def wants_media(self, media: str) -> bool:
        return any(name in ("all", media) or name.startswith(media + " ")
                   for name in self.wanted)

    def add(self, media: str) -> Optional[Stream]:
        """Counts a stream. Returns None if it is not wanted."""
        name = f"{media} {sum(other.startswith(media) for other in self.found)}"
        self.found.append(name)
        return Stream(name, media) if {"all", media, name} & self.wanted else None

    def check(self) -> None:
        """All streams are known now: are there those that are wanted?"""
        for name in sorted(self.wanted):
            if name == "all" and not self.found:
                raise Error("there is neither video nor audio")
            if name != "all" and not any(other == name or other.partition(" ")[0] == name
                                         for other in self.found):
                raise Error(f"there is no stream {name}; there is "
                            + (", ".join(self.found) or "none"))


def _media_of(caps: Gst.Caps) -> Tuple[Optional[str], bool]:
    """"video", "audio" or None; whether it is decoded."""
    # "audio/x-raw, ..." or "video/x-raw(memory:CUDAMemory), ..."
    name = caps.to_string().partition(",")[0].partition("(")[0]
    media = {"video": "video", "image": "video", "audio": "audio"}.get(name.partition("/")[0])
    return media, name.endswith("/x-raw")


@_callback
def _on_autoplug(_decoder: Gst.Element, _pad: Gst.Pad, caps: Gst.Caps, choice: _Choice,
                 _channel: _Channel) -> bool:
    """Streams of a medium that is not wanted are not decoded."""
    media, _ = _media_of(caps)
    if media is None or choice.wants_media(media):
        return True
    # The type of a container begins with "video/", too.
    demuxers = Gst.ElementFactory.list_get_elements(Gst.ELEMENT_FACTORY_TYPE_DEMUXER,
                                                    Gst.Rank.MARGINAL)
    return bool(Gst.ElementFactory.list_filter(demuxers, caps, Gst.PadDirection.SINK, False))


@_callback
def _on_pad(decoder: Gst.Element, pad: Gst.Pad, choice: _Choice, streams: _Streams,
            channel: _Channel) -> None:
    """Measures a new stream, or drops it."""
    pipeline = decoder.get_parent()
    caps = pad.get_current_caps() or pad.query_caps(None)
    media, is_raw = _media_of(caps)
    stream = choice.add(media) if media is not None else None
    # `async` is a keyword of Python, so it cannot be a keyword argument.
    elements = [_make("fakesink", **{"sync": False, "async": False})]
    if stream is not None and is_raw:
        histo = _make("cudahisto", meta=False)
        for name, value in choice.properties.items():
            _set_property(histo, name, value)
        streams[histo] = stream
        elements.insert(0, histo)
    for element in elements:
        pipeline.add(element)
    if len(elements) == 2:
        elements[0].link(elements[1])
    for element in reversed(elements):
        element.sync_state_with_parent()
    # Not Gst.Pad.link(), because it raises an exception of its own.
    if pad.link_full(elements[0].get_static_pad("sink"),
                     Gst.PadLinkCheck.DEFAULT) != Gst.PadLinkReturn.OK:
        raise Error(f"{caps.to_string()} cannot be measured")


@_callback
def _on_no_more_pads(_decoder: Gst.Element, choice: _Choice, _channel: _Channel) -> None:
    choice.check()


def _check_timeout(timeout: Optional[float]) -> None:
    # This is also false for NaN.
    if timeout is not None and not 0 <= timeout <= threading.TIMEOUT_MAX:
        raise ValueError(f"timeout={timeout}: possible are 0 to {threading.TIMEOUT_MAX:g}")


def measure(source: Path, streams: Union[str, Iterable[str]] = "all", *,
            frames: Optional[bool] = None, timeout: Optional[float] = None,
            queue: int = 16, **properties: Any) -> Measurement:
    """Measures a file or a URI, and gives a result for each picture and each buffer of sound.

    source      a file, or a URI that uridecodebin opens
    streams     "all", "video", "audio", "video 1", or several of these: ["video 0", "audio 1"].
                `frame.stream.name` names the stream of a result
    frames      whether to give the results of single buffers. By default, unless `window` is set
    timeout     the most seconds to wait for a result; then an Error is raised. None: no limit, but
                a file that cannot be opened raises an Error even if no element says why. Set it if
                a decoder may stop later without a message
    queue       how many results may wait for the program; then the pipeline waits

    All other arguments are properties of the element, with "_" for "-". Times are in seconds:

    measures    "signal+motion", or ["signal", "motion"]: the groups to measure
    regions     "logo=10,10,200,80; left=0,0,50%,100%", or {"logo": "10,10,200,80"}
    alerts      "black+scene": also gives an Alert when a condition begins and ends
    window      5.0: gives one Window for each 5 s
    every, bins, histogram, backend, ...: see docs/elements.md

    Raises NotFound, Error, or ValueError or TypeError for impossible arguments. An error of the
    pipeline is raised as Error in the `for` loop, after the results that came before it.
    """
    _check_process()
    _check_timeout(timeout)
    _begin()
    uri = _find_uri(source)
    properties["post_messages"] = not properties.get("window") if frames is None else frames
    choice = _Choice(streams, properties)
    channel = _Channel(max(queue, 1))
    trial = _make("cudahisto")
    for name, value in properties.items():
        _set_property(trial, name, value)
    pipeline = Gst.Pipeline()
    decoder = _make("uridecodebin", uri=uri)
    pipeline.add(decoder)
    of_elements: _Streams = {}
    handlers = [(decoder, decoder.connect("autoplug-continue", _on_autoplug, choice, channel)),
                (decoder, decoder.connect("pad-added", _on_pad, choice, of_elements, channel)),
                (decoder, decoder.connect("no-more-pads", _on_no_more_pads, choice, channel))]
    return Measurement(pipeline, channel, of_elements, handlers, os.fsdecode(source), timeout,
                       choice.found.clear if uri.startswith("file:") else None)


def launch(description: Union[str, Gst.Element], *, timeout: Optional[float] = None, queue: int = 16,
           **properties: Any) -> Measurement:
    """Runs a pipeline, and gives what its `cudahisto` elements post: results (with
    `post-messages=true`), windows and alerts. The pipeline is described as for gst-launch-1.0, or is
    a Gst.Pipeline that the program has made.

        for frame in cudahisto.launch("v4l2src ! cudahisto ! videoconvert ! autovideosink",
                                      post_messages=True):
            print(frame.time, frame["Y"]["mean"])

    `frame.stream.name` is the name of the element that measured. Other arguments are as in
    measure(). Raises Error if the description is wrong or an element is missing.
    """
    _check_process()
    _check_timeout(timeout)
    _begin()
    _make("cudahisto")
    try:
        pipeline = Gst.parse_launch(description) if isinstance(description, str) else description
    except gi.repository.GLib.Error as error:
        raise Error(" ".join(error.message.split())) from None
    if not isinstance(pipeline, Gst.Pipeline):
        element, pipeline = pipeline, Gst.Pipeline()
        pipeline.add(element)
    elements: List[Gst.Element] = []
    pipeline.iterate_all_by_element_factory_name("cudahisto").foreach(elements.append)
    streams: _Streams = {}
    for element in reversed(elements):          # a bin lists its elements in the reverse order
        for name, value in properties.items():
            _set_property(element, name, value)
        _add_stream(element, streams)
    if not streams:
        raise Error("the pipeline has no element cudahisto")
    return Measurement(pipeline, _Channel(max(queue, 1)), streams, [], "pipeline", timeout)


# ---- Reports ---------------------------------------------------------------------------------

# The types of what describes a row of a report, and of figures.
_TYPES_OF_ROWS: Dict[str, type] = {
    **dict.fromkeys("stream timestamp stream-time duration width height rate channels samples mask-pixels".split(), int),
    **dict.fromkeys("type input title media format colorimetry backend mask".split(), str)}
_TYPES_OF_COLUMNS: Dict[str, type] = {
    **{name: {"DOUBLE": float, "DOUBLES": float, "CHOICE": str}.get(kind, int)
       for place in ("component", "level", "pair", "loudness", *_GROUPS) for kind, *names in _rows(place) for name in names},
    "bits-used": int, **_TYPES_OF_ROWS}
_COLUMNS_OF_CSV = ["input", "stream", "title"]
# So many rows have their values as text or objects of Python at a time.
_ROWS_AT_A_TIME = 4096


def _read_json_rows(file: Iterable[str]) -> Iterator[Dict[str, Any]]:
    """The frames and windows of a report."""
    for number, line in enumerate(file, 1):
        try:
            fields = json.loads(line)
            if fields["type"] in ("frame", "window"):
                yield {**{name: value for name, value in fields.items() if name in _TYPES_OF_ROWS},
                       **dict(_list_figures(fields))}
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise Error(f"line {number} is none that cudahisto-report writes") from None


def _read_name(cell: str) -> str:
    """The name without the apostrophes that keep spreadsheets from taking it for a formula; see docs/report.md, CSV."""
    return re.sub(r"(^|[;\t\r\n])'", r"\1", cell)


def _read_csv_rows(file: Iterable[str]) -> Iterator[Dict[str, Any]]:
    names: List[str] = []
    reader = csv.reader(file)
    try:
        for cells in reader:
            if cells[:3] == _COLUMNS_OF_CSV:
                names = [_read_name(cell) for cell in cells]
            elif len(cells) != len(names):
                raise Error(f"line {reader.line_num} has other columns than its names")
            else:
                cells[0], cells[2] = _read_name(cells[0]), _read_name(cells[2])
                yield {name: cell if cell != "" else None for name, cell in zip(names, cells)}
    except csv.Error as error:
        raise Error(f"line {reader.line_num}: {error}") from None


def _make_column(pandas: Any, name: str, values: List[Any]) -> Any:
    """A column with a type of its own; None is a value that does not exist."""
    # The last step may be a component: loudness.true-peak.ch0.
    kind = next((_TYPES_OF_COLUMNS[step] for step in reversed(name.split(".")[-2:]) if step in _TYPES_OF_COLUMNS), None)
    try:
        if kind is int:
            return pandas.array([None if value is None else int(value) for value in values], dtype="Int64")
        if kind is float:
            return pandas.array([math.nan if value is None else float(value) for value in values], dtype="float64")
    except (ValueError, TypeError, OverflowError):
        raise Error(f"the column {name} has something else than numbers") from None
    return pandas.array(values, dtype=object)


def read_report(path: Path) -> Any:
    """Reads what `cudahisto-report --csv`, `--json` or `--json-histograms` has written into a pandas.DataFrame: a row for
    each frame of video and window of sound.

        report = cudahisto.read_report("film.csv")
        report[report["media"] == "video"].plot("stream-time", "Y.mean")

    The columns of figures have their paths: "regions.logo.Y.mean". Of CSV, the columns are those of the file, which has other
    names with `--csv-names 1`. Whole numbers, among them all times, which are in ns, are of the type Int64, other
    numbers are floats. Numbers that do not exist are NA and NaN, and texts None. JSON's histograms and summaries are left out.

    Raises NotFound, or Error if it is no such report, has neither frames nor windows, or there is no pandas.
    """
    try:
        import pandas       # here, because it takes longer than all others together
    except ImportError:
        raise Error("a report is read with pandas, which is missing: install python3-pandas") from None
    name = os.fsdecode(path)
    parts = []
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            first = file.read(1)
            file.seek(0)
            rows = _read_json_rows(file) if first == "{" else _read_csv_rows(file)
            while part := list(itertools.islice(rows, _ROWS_AT_A_TIME)):
                columns = dict.fromkeys(column for row in part for column in row)
                parts.append(pandas.DataFrame({
                    column: _make_column(pandas, column, [row.get(column) for row in part]) for column in columns}))
    except FileNotFoundError:
        raise NotFound(f"there is no file {name}") from None
    except OSError as error:
        raise Error(f"{name} cannot be read: {error.strerror}") from None
    except Error as error:
        raise Error(f"{name}: {error}") from None
    if not parts:
        raise Error(f"{name} has neither frames nor windows")
    return pandas.concat(parts, ignore_index=True)


# ---- Sets of images --------------------------------------------------------------------------


def _read_image_line(line: bytes) -> Dict[str, Any]:
    fields = json.loads(line)
    if numpy is not None and "histograms" in fields:
        fields["histograms"] = [numpy.array(counts, dtype=numpy.uint64)
                                for counts in fields["histograms"]]
    return fields


def _write_paths(pipe: IO[bytes], paths: List[bytes]) -> None:
    try:
        pipe.writelines(path + b"\0" for path in paths)
        pipe.close()
    except BrokenPipeError:         # the program has ended, and reports why
        with contextlib.suppress(BrokenPipeError):
            pipe.close()            # once more writes what is left


def measure_images(paths: Union[Path, Iterable[Path]], *, every: int = 1,
                   before: Optional[str] = None, threads: Optional[int] = None,
                   max_pixels: Optional[int] = None,
                   on_image: Optional[Callable[[Dict[str, Any]], Any]] = None,
                   program: str = "cudahisto-report") -> Dict[str, Any]:
    """Measures a set of images, and returns its summary.

        images = cudahisto.measure_images("train/")
        normalize = torchvision.transforms.Normalize(**images["per-image"])

    paths       a folder, a file with a path on each line, a pattern such as "frame-%04d.png", or
                paths of images and folders: pathlib.Path("train").rglob("*.jpg")
    every       measure one image in this many
    before      elements that each image passes before it is measured, as for gst-launch-1.0:
                "aspectratiocrop aspect-ratio=1/1 ! videoscale ! video/x-raw,width=224,height=224"
    threads     how many images are measured at the same time. None: one for each processor
    max_pixels  larger images are not decoded. None: 2**28
    on_image    is called with the figures of each image, in the order of the paths
    program     cudahisto-report, which decodes and measures the images

    The dictionaries have the fields that docs/report.md, Sets of images, defines. Means and
    standard deviations are lists of R, G and B from 0 to 1: `images["pooled"]["mean"]`. Images that
    cannot be measured are in `images["problems"]`, and there is a warning.

    Raises Error if nothing can be measured at all.
    """
    command: List[Union[str, bytes]] = [
        program, "--quiet", "--images", "--json-summary" if on_image is None else "--json", f"--every={every}"]
    if before is not None:
        command.append(f"--before={before}")
    if threads is not None:
        command.append(f"--jobs={threads}")
    if max_pixels is not None:
        command.append(f"--max-pixels={max_pixels}")
    is_one = isinstance(paths, (str, bytes, os.PathLike))
    many = [os.fsencode(path) for path in cast(Iterable[Path], [paths] if is_one else paths)]
    for path in many:
        if path == b"" or b"\0" in path:
            raise ValueError(f"{os.fsdecode(path)!r} is no path")
    command += ["--", many[0] if is_one else "-"]
    summary: Dict[str, Any] = {}
    with tempfile.TemporaryFile() as errors:
        try:
            process: Any = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=errors)
        except FileNotFoundError:
            raise Error(f"there is no program {program}: install cudahisto-tools, or name the "
                        "program") from None
        except OSError as error:
            raise Error(f"{program}: {error.strerror}") from None
        with process:
            try:
                # It reads all paths before it writes.
                _write_paths(process.stdin, [] if is_one else many)
                for line in process.stdout:
                    fields = _read_image_line(line)
                    if fields["type"] == "summary":
                        summary = fields
                    elif on_image is not None:
                        on_image(fields)
            except BaseException:
                # Nobody waits for it any more. A notebook sends SIGINT to Python alone.
                process.terminate()
                raise
        errors.seek(0)
        lines = errors.read().decode(errors="replace").splitlines()
    if not summary.get("images"):
        text = lines[-1] if lines else f"its status is {process.returncode}"
        raise Error(text.partition(": ")[2] or text)
    if not summary["complete"]:
        warnings.warn(f"not all is measured, images['problems'] tells more: {summary['problem']}",
                      stacklevel=2)
    return summary
