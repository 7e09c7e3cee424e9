#!/usr/bin/python3
"""cudahisto-report with damaged inputs: what is wrong is reported, and nothing else is.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import sys

from common import clip, objects, one_line, path_of, report, run_tests


def environment(**changes):
    return {**os.environ, **changes}


def test_no_object_is_left():
    """The tracer `leaks` of GStreamer finds no object after two inputs of several streams."""
    _, errors = report(clip(), clip(), env=environment(
        GST_TRACERS="leaks", GST_DEBUG="GST_TRACER:7", GST_DEBUG_NO_COLOR="1"))
    assert b"GST_TRACER" in errors, errors
    # The tracer also prints the format of its lines, with %s.
    alive = [line for line in errors.decode().splitlines()
             if "object-alive, type-name=(string)" in line and "(string)%" not in line]
    assert not alive, "\n".join(alive)


def test_list_of_problems():
    """JSON, text and the standard error tell the same."""
    with open(clip(), "rb") as file:
        data = file.read()
    with open(path_of("cut.mkv"), "wb") as file:
        file.write(data[:len(data) // 2])
    output, errors = report("--json-summary", "cut.mkv", status=1)
    (summary,) = objects("--json-summary", "cut.mkv", status=1)
    first = summary["problems"][0]
    assert first["text"] == summary["problem"] and first["text"] in one_line(errors), summary
    assert not summary["complete"], output
    output, _ = report("cut.mkv", status=1)
    text = output.decode()
    assert all(problem["text"] in text for problem in summary["problems"][:10]), text


if __name__ == "__main__":
    sys.exit(run_tests([value for name, value in list(globals().items())
                        if name.startswith("test_")]))
