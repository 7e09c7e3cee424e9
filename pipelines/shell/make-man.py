#!/usr/bin/env python3
"""Makes a manual page from what a program prints with --help, which is in the file HELP.

    make-man.py HELP VERSION ONE_LINE_DESCRIPTION > PAGE.1

The help must have the form that GOption gives it: the usage, a summary, the options, and a
description with the sections "Exit status" and "Examples".

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import re
import sys

# Options that GOption adds, in the order of the page's end.
GROUP = re.compile(r"^(Help|Application) Options:$")
OPTION = re.compile(r"^  (?:-(\w), )?--([\w-]+)(?:=(\S+))?(?:\s+(.*))?$")
SEE_ALSO = ("gst-launch-1.0", "gst-inspect-1.0")


def roff(text):
    """Text in which nothing has a meaning for roff."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    for character, name in (("'", "\\(aq"), ("`", "\\(ga"), ("^", "\\(ha"), ("~", "\\(ti")):
        text = text.replace(character, name)
    return "\\&" + text if text.startswith(".") else text


class Help:
    """What the help of a program says."""

    def __init__(self, text):
        lines = text.splitlines()
        self.name, self.usage = self.take_usage(lines)
        first = next(i for i, line in enumerate(lines) if GROUP.match(line))
        self.summary = self.paragraphs(lines[2:first])
        self.options, rest = self.take_options(lines[first:])
        self.sections = self.take_sections(rest)

    @staticmethod
    def take_usage(lines):
        assert lines[0] == "Usage:", lines[0]
        name, usage = lines[1].split(None, 1)
        return name, usage.replace("[OPTION?]", "[OPTION…]")

    @staticmethod
    def paragraphs(lines):
        return [part.split("\n") for part in re.split(r"\n\s*\n", "\n".join(lines).strip("\n"))]

    @staticmethod
    def take_options(lines):
        """The options, and the lines after the last group of options."""
        options, end = [], 0
        for i, line in enumerate(lines):
            option = OPTION.match(line)
            if option:
                options.append(option.groups())
                end = i + 1
        return options, lines[end:]

    @staticmethod
    def take_sections(lines):
        """Pairs of heading and lines. A heading ends with a colon."""
        sections = []
        for part in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")):
            heading, _, body = part.partition(":")
            sections.append((heading.strip(), body.strip("\n").splitlines()))
        return sections


def describe_option(letter, name, value, text):
    value = f"=\\fI{roff(value)}\\fR" if value else ""
    short = f"\\fB\\-{letter}\\fR, " if letter else ""
    return [".TP", f"{short}\\fB\\-\\-{roff(name)}\\fR{value}", roff(text or "")]


def body_of(lines):
    """Lines that begin with two spaces are commands."""
    page, is_code = [], False
    for line in lines:
        if line.startswith("  ") != is_code:
            is_code = not is_code
            page.append(".nf" if is_code else ".fi")
        page.append(roff(line.strip()))
    return page + ([".fi"] if is_code else [])


def main():
    path, version, title = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = Help(file.read())
    name = text.name
    page = [f".TH {name.upper()} 1 \"\" \"cudahisto {version}\"",
            ".SH NAME", f"{roff(name)} \\- {roff(title)}",
            ".SH SYNOPSIS", f".B {roff(name)}", roff(text.usage),
            ".SH DESCRIPTION"]
    for i, paragraph in enumerate(text.summary):
        page += ([".PP"] if i else []) + [roff(line) for line in paragraph]
    page.append(".SH OPTIONS")
    for option in text.options:
        page += describe_option(*option)
    for heading, lines in text.sections:
        page += [f".SH {roff(heading.upper())}"] + body_of(lines)
    page += [".SH SEE ALSO", ",\n".join(f".BR {roff(one)} (1)" for one in SEE_ALSO).replace(" (1),", " (1),")]
    print("\n".join(page))


if __name__ == "__main__":
    main()
