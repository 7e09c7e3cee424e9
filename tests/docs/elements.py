#!/usr/bin/python3
"""Makes docs/elements.md from the elements, and compares it with them.

    GST_PLUGIN_PATH_1_0=FOLDERS tests/docs/elements.py             # prints the document
    GST_PLUGIN_PATH_1_0=FOLDERS tests/docs/elements.py --check     # compares docs/elements.md
    GST_PLUGIN_PATH_1_0=FOLDERS tests/docs/elements.py --released  # prints the elements, properties and values

The test also compares the table of alerts in docs/guide.md with the element, and reads the comments of the source from which
GStreamer's documentation is made (hotdoc): each element has one, whose pipelines can be parsed, and each element, property and value of
an enumeration or of flags that is not in tests/docs/released.txt, the output of --released at the latest release, says with
`Since:` which version brings it. Properties that are deprecated say with `Deprecated:` since when. Values have the comments that hotdoc looks for: `GstCudaHistoMeasures::gamut:`.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import collections
import os
import re
import sys

try:
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstAudio", "1.0")
    gi.require_version("GstVideo", "1.0")
    from gi.repository import GLib, GObject, Gst, GstAudio, GstVideo
except (ImportError, ValueError) as error:
    print("skipped:", error)
    sys.exit(77)

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
DOCS = os.path.join(ROOT, "docs")
SOURCE = "cudahisto"        # the plugins of this project
BEGIN = """\
# The elements

This page is [made from the elements](contributing.md#documents). `gst-inspect-1.0 ELEMENT` prints the same for the
version that is installed. [guide.md](guide.md) explains how the properties work together. [result.md](result.md) defines
the result and the messages.
"""
# What a range ends with, if the end is the limit of the type.
LIMITS = {2**31 - 1: "2^31 − 1", 2**32 - 1: "2^32 − 1", 2**63 - 1: "2^63 − 1", 2**64 - 1: "2^64 − 1"}
LARGEST_DOUBLE = sys.float_info.max


# ---- Properties --------------------------------------------------------------------------------

def values_of(spec):
    """The values of an enumeration or of flags: pairs of name and description."""
    if hasattr(spec, "enum_class"):
        members = spec.enum_class.__enum_values__
    elif hasattr(spec, "flags_class"):
        members = spec.flags_class.__flags_values__
    else:
        return []
    # By number: `__enum_values__` has an order of its own.
    members = [members[number] for number in sorted(members)]
    if hasattr(spec, "enum_class"):
        return [(member.value_nick, member.value_name) for member in members]
    return [(member.value_nicks[0], member.value_names[0]) for member in members]


def type_of(spec):
    names = {"gboolean": "boolean", "gint": "int", "guint": "uint", "gdouble": "double", "gint64": "int64",
             "guint64": "uint64", "gchararray": "string", "gfloat": "float"}
    if hasattr(spec, "enum_class"):
        return "enumeration"
    if hasattr(spec, "flags_class"):
        return "flags"
    return names.get(spec.value_type.name, spec.value_type.name)


def number(value):
    if isinstance(value, int):
        return LIMITS.get(value, str(value))
    return f"{value:g}"


def range_of(spec):
    least, most = getattr(spec, "minimum", None), getattr(spec, "maximum", None)
    if least is None or isinstance(least, bool):
        return ""
    if least == -LARGEST_DOUBLE and most == LARGEST_DOUBLE:
        return "any"
    return f"{number(least)} to {number(most)}"


def default_of(spec):
    if not spec.flags & GObject.ParamFlags.WRITABLE:
        return ""
    default = spec.default_value
    if hasattr(spec, "enum_class"):
        return f"`{default.value_nick}`"
    if hasattr(spec, "flags_class"):
        # A value may have a second, older name.
        return " ".join(f"`{nick}`" for nick, _ in values_of(spec) if nick in default.value_nicks) or "none"
    if default is None:
        return "NULL"
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, (int, float)):
        return number(default)
    return f"`{default}`" if default else "empty"


def changed_when(spec):
    if not spec.flags & GObject.ParamFlags.WRITABLE:
        return "never (read-only)"
    if spec.flags & GObject.ParamFlags.CONSTRUCT_ONLY:
        return "when it is made"
    flags = int(spec.flags)
    for flag, text in ((1 << 12, "always"), (1 << 11, "up to PAUSED"), (1 << 10, "up to READY")):
        if flags & flag:
            return text
    return "in NULL"


def escape(text):
    return (text or "").replace("|", "\\|").replace("\n", " ")


# ---- Comments of the source ----------------------------------------------------------------------

def read_comments():
    """The comments for documentation in the source of the plugins, without stars: by what they are about."""
    found = {}
    for folder, _, names in os.walk(os.path.join(ROOT, "plugin")):
        for name in names:
            if name.endswith(".c"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    for block in re.findall(r"/\*\*\n(.*?)\*/", file.read(), re.DOTALL):
                        lines = [re.sub(r"^ *\* ?", "", line) for line in block.rstrip().split("\n")]
                        found[lines[0].rstrip(":") if lines[0].startswith("SECTION:") or lines[0].endswith(":")
                              else lines[0]] = "\n".join(lines[1:])
    return found


def since(comments, name):
    match = re.search(r"^Since: (\S+)$", comments.get(name, ""), re.MULTILINE)
    return match[1] if match else None


def name_of_property(spec):
    return f"{spec.owner_type.name}:{spec.name}"


def name_of_value(spec, nick):
    return f"{spec.value_type.name}::{nick}"


def describe_properties(element, comments):
    specs = [spec for spec in element.list_properties() if spec.owner_type == element.__gtype__]
    lines = ["| property | type | range | default | can be changed | meaning |", "|---|---|---|---|---|---|"]
    for spec in specs:
        deprecated = "Deprecated: " if spec.flags & GObject.ParamFlags.DEPRECATED else ""
        version = since(comments, name_of_property(spec))
        lines.append(f"| `{spec.name}` | {type_of(spec)} | {range_of(spec)} | {default_of(spec)} | "
                     f"{changed_when(spec)} | {deprecated}{escape(spec.blurb)}{f'. Since {version}' if version else ''} |")
    for spec in specs:
        if values_of(spec):
            lines += ["", f"Values of `{spec.name}`:", "", "| value | meaning |", "|---|---|"]
            for nick, text in values_of(spec):
                version = since(comments, name_of_value(spec, nick))
                lines.append(f"| `{nick}` | {escape(text)}{f'. Since {version}' if version else ''} |")
    return lines


# ---- Pads and signals --------------------------------------------------------------------------

def names_in(formats):
    return frozenset(re.findall(r"[\w-]+", formats))


def describe_structure(text):
    """One line for the text of caps with one structure. Lists of all formats are named."""
    bayer = frozenset(order + depth for order in ("bggr", "gbrg", "grbg", "rggb") for depth in
                      ["", *(f"{bits}{end}" for bits in (10, 12, 14, 16) for end in ("le", "be"))])
    known = {bayer: "`format` `bggr`, `gbrg`, `grbg` or `rggb`, alone or with 10, 12, 14 or 16 and `le` or `be`: "
                    "`rggb12le`",
             names_in(GstVideo.VIDEO_FORMATS_ALL): "every format of `GST_VIDEO_FORMATS_ALL`",
             names_in(GstAudio.AUDIO_FORMATS_ALL): "every format of `GST_AUDIO_FORMATS_ALL`"}
    parts = []
    # The text, because ranges, fractions and structures have other forms in each version of PyGObject.
    for field, value in re.findall(r", ([\w-]+)=\(\w+\)(\{[^}]*\}|\[[^]]*\]|[^,;]*)", text):
        names = names_in(value)
        if value in ("[ 1, 2147483647 ]", "[ 0/1, 2147483647/1 ]"):
            continue
        if names in known:
            parts.append(known[names])
        elif value.startswith("["):
            parts.append(f"`{field}` " + " to ".join(value.strip("[ ]").split(", ")))
        else:
            parts.append(f"`{field}` " + " or ".join(f"`{name}`" for name in sorted(names)))
    kind = re.match(r"[\w/-]+(\([^)]*\))?", text)[0]
    return f"- `{kind}`: " + ", ".join(parts or ["any"])


def describe_pads(factory):
    """What each pad takes. Pads with the same caps are described together."""
    groups = collections.defaultdict(list)
    templates = factory.get_static_pad_templates()
    for template in sorted(templates, key=lambda one: (one.presence, -one.direction, one.name_template)):
        presence = {Gst.PadPresence.ALWAYS: "always there", Gst.PadPresence.SOMETIMES: "there sometimes",
                    Gst.PadPresence.REQUEST: "on request"}[template.presence]
        caps = template.static_caps.get()
        lines = ["- any caps"] if caps.is_any() else \
            [describe_structure(caps.copy_nth(i).to_string()) for i in range(caps.get_size())]
        groups[presence, "\n".join(lines)].append(f"`{template.name_template}`")
    lines = []
    for (presence, text), names in groups.items():
        lines += ["", f"{'Pads' if len(names) > 1 else 'Pad'} {' and '.join(names)}, {presence}:", "", text]
    return lines


def describe_signals(factory):
    names = GObject.signal_list_names(factory.get_element_type())
    if not names:
        return ["", "The element has no signals of its own."]
    lines = ["", "| signal | parameters |", "|---|---|"]
    for name in names:
        query = GObject.signal_query(name, factory.get_element_type())
        lines.append(f"| `{name}` | {', '.join(one.name for one in query.param_types) or 'none'} |")
    return lines


# ---- The document ------------------------------------------------------------------------------

def factories():
    registry = Gst.Registry.get()
    found = [feature for plugin in registry.get_plugin_list() if plugin.get_source() == SOURCE
             for feature in registry.get_feature_list_by_plugin(plugin.get_name())
             if isinstance(feature, Gst.ElementFactory)]
    return [factory.load() for factory in sorted(found, key=lambda one: one.get_name())]


def describe(factory, comments):
    """The section of one element."""
    element = factory.create(None)
    version = since(comments, f"SECTION:element-{factory.get_name()}")
    plugin = factory.get_plugin()
    lines = [f"## {factory.get_name()}", "",
             f"{factory.get_metadata('long-name')}: {factory.get_metadata('description')}.", "",
             f"Plugin `{plugin.get_name()}`, class `{factory.get_metadata('klass')}`, "
             f"rank {Gst.Rank(factory.get_rank()).value_nick if factory.get_rank() else 'none'}."
             + (f" Since {version}." if version else "")]
    lines += describe_pads(factory) + [""] + describe_properties(element, comments) + describe_signals(factory)
    return "\n".join(lines) + "\n"


def sections_of(text):
    parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    return parts[0], {part.split("\n")[0][3:]: part.rstrip("\n") for part in parts[1:]}


def read(name):
    with open(os.path.join(DOCS, name), encoding="utf-8") as file:
        return file.read()


def first_difference(shown, made):
    for one, other in zip(shown.splitlines(), made.splitlines()):
        if one != other:
            return f"\n  the document has: {one}\n  the element has:  {other}"
    return " in length"


def check_document(found, comments):
    """Returns the faults, and the elements that are in the document but not built."""
    begin, shown = sections_of(read("elements.md"))
    faults = [] if begin.strip() == BEGIN.strip() else ["docs/elements.md has another begin"]
    for factory in found:
        name, made = factory.get_name(), describe(factory, comments).rstrip("\n")
        if shown.get(name) != made:
            faults.append(f"docs/elements.md: {name} differs"
                          + (first_difference(shown[name], made) if name in shown else ": no section"))
    if faults:
        faults.append("to mend it: tests/docs/elements.py > docs/elements.md")
    return faults, sorted(set(shown) - {factory.get_name() for factory in found})


def check_guide(element):
    """The table of the guide has all alerts."""
    rows = read("guide.md").split("| alert | begins when |")[1].split("\n\n")[0].splitlines()[2:]
    shown = sorted(one for row in rows for one in re.findall(r"`([\w-]+)`", row.split("|")[1]))
    there = sorted(nick for nick, _ in values_of(element.find_property("alerts")))
    return [] if shown == there else [f"docs/guide.md: the table of alerts has {shown}, the element has {there}"]


def list_released(factory):
    """The names of an element, of its properties and of their values, as tests/docs/released.txt has them. Each has that of
    what it belongs to, with which it came if it says nothing."""
    specs = [spec for spec in factory.create(None).list_properties() if spec.owner_type == factory.get_element_type()]
    names = {factory.get_name(): None, **{name: factory.get_name() for name in sorted(map(name_of_property, specs))}}
    names.update(sorted((name_of_value(spec, nick), name_of_property(spec)) for spec in specs for nick, _ in values_of(spec)))
    return names


def check_pipelines(name, comment):
    """The pipelines of the comment can be parsed, as far as their elements are there."""
    pipelines = re.findall(r"^\|\[\n(.*?)^\]\|", comment, re.MULTILINE | re.DOTALL)
    faults = [] if pipelines else [f"{name}: the comment has no pipeline"]
    for text in pipelines:
        command = text.replace("\\\n", " ").split()
        while command and (command[0] == "gst-launch-1.0" or command[0].startswith("-")):
            command.pop(0)
        try:
            Gst.parse_launch(" ".join(command))
        except GLib.Error as error:
            if not error.matches(Gst.ParseError.quark(), Gst.ParseError.NO_SUCH_ELEMENT):
                faults.append(f"{name}: {' '.join(command)}: {error.message}")
    return faults


def check_deprecated(factory, comments):
    """The comment of each deprecated property has what hotdoc prints of it: `Deprecated: VERSION: TEXT`."""
    return [f"{name_of_property(spec)}: the comment must have `Deprecated: VERSION: TEXT`"
            for spec in factory.create(None).list_properties()
            if spec.owner_type == factory.get_element_type() and spec.flags & GObject.ParamFlags.DEPRECATED
            and not re.search(r"^Deprecated: \d+\.\d+: \S", comments.get(name_of_property(spec), ""), re.MULTILINE)]


def check_comments(found, comments):
    faults = []
    with open(os.path.join(ROOT, "pipelines/python/cudahisto/VERSION"), encoding="utf-8") as file:
        version = [int(number) for number in file.read().split(".")]
    with open(os.path.join(ROOT, "tests/docs/released.txt"), encoding="utf-8") as file:
        released = set(file.read().split())
    for factory in found:
        section = f"SECTION:element-{factory.get_name()}"
        if f"@title: {factory.get_name()}" not in comments.get(section, "").split("\n"):
            faults.append(f"{factory.get_name()}: no comment begins with {section} and has its @title")
        faults += check_deprecated(factory, comments)
        faults += check_pipelines(factory.get_name(), comments.get(section, ""))
        names, versions = list_released(factory), {None: None}
        for name, owner in names.items():
            versions[name] = said = since(comments, section if owner is None else name) or versions[owner]
            is_later = said is not None and [int(number) for number in said.split(".")] > version[:2]
            if name not in released and not is_later:
                faults.append(f"{name}: the comment must have `Since:` and the next version")
            if name in released and is_later:
                faults.append(f"{name}: was released before {said}")
        types = {name.split(":")[0] for name in names if ":" in name}
        faults += [f"a comment is about {name}, which is not there" for name in comments
                   if ":" in name and name.split(":")[0] in types and name not in names]
    return faults


def main():
    Gst.init(None)
    found = factories()
    if not found:
        raise SystemExit("there is no element: is GST_PLUGIN_PATH_1_0 set?")
    if sys.argv[1:] == ["--released"]:
        print(*(name for factory in found for name in list_released(factory)), sep="\n")
        return 0
    comments = read_comments()
    if sys.argv[1:] != ["--check"]:
        print(BEGIN + "\n" + "\n".join(describe(factory, comments) for factory in found), end="")
        return 0
    (spec,) = [one for one in Gst.ElementFactory.make("cudahisto").list_properties() if one.name == "backend"]
    if not hasattr(spec.default_value, "value_nick"):
        print("skipped: this version of PyGObject does not tell the names of enumerations")
        return 77
    faults, missing = check_document(found, comments)
    faults += check_guide(Gst.ElementFactory.make("cudahisto")) + check_comments(found, comments)
    print(*faults, sep="\n")
    for name in missing:
        print(f"skipped: {name} is in the document, but it is not built")
    return 1 if faults else 77 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
