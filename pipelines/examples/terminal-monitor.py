#!/usr/bin/python3
"""Shows what a live source measures, in the terminal:

    terminal-monitor.py [OPTION...] PIPELINE

PIPELINE is written as for gst-launch-1.0, with one or more cudahisto elements. For example a camera
and a microphone:

    terminal-monitor.py "v4l2src ! cudahisto ! fakesink autoaudiosrc ! cudahisto ! fakesink"

It draws histograms and percentiles of video, levels and loudness of sound, and the latest alerts.
A window of 80 columns and 24 lines is enough. It follows the window's size. q or Ctrl-C ends it. If
the output is no terminal, it prints one line a second for each element.

Needs the module cudahisto (pipelines/python) and the element cudahisto.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import signal


def interrupt_start(number, _frame):
    """Until main() has begun there is nothing to clean up, and an exception could be lost in what is imported."""
    os.write(2, b"terminal-monitor.py: interrupted\n")
    os._exit(128 + number)


if __name__ == "__main__" and signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
    signal.signal(signal.SIGINT, interrupt_start)

import argparse
import collections
import contextlib
import curses
import locale
import math
import queue
import sys
import threading
import time

try:
    import cudahisto
except (ImportError, ValueError) as error:
    sys.exit(f"terminal-monitor.py: {error}")

BARS = " ▁▂▃▄▅▆▇█"
ASCII_BARS = " .:-=+*#%@"
LEAST_DB = -60.0
# Figures are shown as long after they came.
MOST_SECONDS = 3


class State:
    """The latest results of all elements."""

    def __init__(self, names):
        self.results = {name: None for name in names}
        self.arrivals = {}                              # time.monotonic(), by the same names
        self.alerts = collections.deque(maxlen=100)     # texts, the latest one first

    def add(self, item):
        if item.kind == "alert":
            where = item.get("region") or item.get("channel") or ""
            seconds = item.start if item["state"] == "begin" else item.end
            when = "" if seconds is None else f"{seconds:9.2f} s  "
            self.alerts.appendleft(
                f"{when}{item['type']} {item['state']}s  {item.stream.name} {where}".rstrip())
        else:
            self.results[item.stream.name] = item
            self.arrivals[item.stream.name] = time.monotonic()

    def age(self, name):
        """Seconds since the latest result of the element, whose stream may have ended."""
        return time.monotonic() - self.arrivals[name]


# ---- Text --------------------------------------------------------------------------------------

def number(value, width=6):
    """`level` has -700 dB for silence, and other figures have -inf: both are shown as -inf."""
    if math.isnan(value):
        return "-".rjust(width)
    return "-inf".rjust(width) if value < -200 else f"{value:{width}.1f}"


def histogram_lines(component, width, rows, bars):
    """The histogram, `rows` lines high. The scale is the square root of the counts."""
    counts = component["histogram"]
    n = len(counts)
    sums = [sum(int(count) for count in counts[i * n // width:max((i + 1) * n // width,
                                                                  i * n // width + 1)])
            for i in range(width)]
    most, full = max(max(sums), 1), len(bars) - 1
    heights = [math.ceil(math.sqrt(count / most) * rows * full) for count in sums]
    for row in range(rows - 1, -1, -1):
        yield "".join(bars[min(max(height - row * full, 0), full)] for height in heights)


def meter_bar(rms, peak, width, full):
    """A bar from -60 to 0 dB. | is the peak."""
    def place(value):
        return round((min(max(value, LEAST_DB), 0) - LEAST_DB) / -LEAST_DB * (width - 1))
    if not math.isfinite(rms) or rms <= LEAST_DB:
        rms = LEAST_DB
    text = list((full * place(rms)).ljust(width))
    if math.isfinite(peak) and peak > LEAST_DB:
        text[place(peak)] = "|"
    return "".join(text)


def describe(result):
    if result["media"] == "video":
        return f"{result['format']} {result['width']}x{result['height']}, {result['backend']}"
    return f"{result['format']} {result['rate']} Hz, {result['channels']} channels"


def video_lines(result, width, bars):
    for name in result["components"]:
        figures = result[name]
        text = (f"  {name}  mean {number(figures['mean'])}  p1 {number(figures['p1'])}  "
                f"p50 {number(figures['p50'])}  p99 {number(figures['p99'])}  ")
        yield text + next(histogram_lines(figures, max(width - len(text) - 1, 1), 1, bars))


def audio_lines(result, width, bars):
    for name in result["components"]:
        figures = result[name]
        if "rms" in figures:
            text = (f"  {name:4} RMS {number(figures['rms'])} dB  "
                    f"peak {number(figures['peak'])} dB  ")
            yield text + meter_bar(figures["rms"], figures["peak"],
                                   max(width - len(text) - 1, 1), bars[-1])
    loudness = result.get("loudness")
    if loudness is not None:
        yield (f"  LUFS  momentary {number(loudness['momentary'])}  short-term "
               f"{number(loudness['short-term'])}  integrated {number(loudness['integrated'])}  "
               f"range {number(loudness['range'], 5)}")


def make_lines(state, width, height, bars):
    """The lines of the screen: the figures, a large histogram if there is room, and the alerts."""
    lines, large = [], None
    for name, result in state.results.items():
        if result is None:
            lines.append(f"{name}: waits for data")
            continue
        if state.age(name) > MOST_SECONDS:
            lines.append(f"{name}: {describe(result)}  no data for {state.age(name):.0f} s")
            continue
        when = "" if result.time is None else f"  {result.time:.1f} s"
        lines.append(f"{name}: {describe(result)}{when}")
        make = video_lines if result["media"] == "video" else audio_lines
        lines.extend(make(result, width, bars))
        if large is None and result["media"] == "video":
            large = result["components"][0]
            large = f"{name}: histogram of {large}", result[large]
    lines = lines[:max(height - 4, 0)]
    rows = min(height - len(lines) - 7, 12)
    if large is not None and rows >= 3:
        lines += [large[0], *histogram_lines(large[1], max(width - 1, 1), rows, bars)]
    rest = height - len(lines) - 2
    lines.append("Alerts" if state.alerts else "No alerts")
    lines.extend("  " + text for text in list(state.alerts)[:max(rest, 0)])
    lines.extend([""] * (height - 1 - len(lines)))
    return [line[:width - 1] for line in lines[:height - 1]] + ["q: quit"[:width - 1]]


def one_line(item):
    """For an output that is no terminal."""
    if item.kind == "alert":
        return f"{item.stream.name} alert {item['type']} {item['state']}"
    parts = [item.stream.name] + ([] if item.time is None else [f"{item.time:.1f} s"])
    for name in item["components"]:
        figures = item[name]
        if item["media"] == "video":
            parts.append(f"{name} p1 {figures['p1']:g} p50 {figures['p50']:g} "
                         f"p99 {figures['p99']:g}")
        elif "rms" in figures:
            parts.append(f"{name} rms {figures['rms']:.1f} peak {figures['peak']:.1f} dB")
    if "loudness" in item:
        parts.append(f"momentary {item['loudness']['momentary']:.1f} LUFS")
    return "  ".join(parts)


# ---- The screen ----------------------------------------------------------------------------------

def pump(measurement, items):
    """Runs in a thread of its own, because curses waits for keys: results, then the end."""
    try:
        for item in measurement:
            items.put(item)
        items.put(None)
    except BaseException as error:      # pylint: disable=broad-except
        items.put(error)


def take(state, items):
    """Takes all results that have come. Returns whether more will come; raises an error."""
    while True:
        try:
            item = items.get_nowait()
        except queue.Empty:
            return True
        if item is None:
            return False
        if isinstance(item, BaseException):
            raise item
        state.add(item)


def draw(screen, lines):
    screen.erase()
    for y, line in enumerate(lines):
        try:
            screen.addstr(y, 0, line, curses.A_BOLD if line[:1].strip() else curses.A_NORMAL)
        except curses.error:
            pass                # the window has become smaller in the meantime
    screen.refresh()


def show(screen, measurement, bars):
    state = State([stream.name for stream in measurement.streams])
    items = queue.SimpleQueue()
    threading.Thread(target=pump, args=(measurement, items), daemon=True).start()
    try:
        curses.curs_set(0)
    except curses.error:
        pass                    # a terminal that cannot hide its cursor
    screen.timeout(100)
    while take(state, items):
        height, width = screen.getmaxyx()
        draw(screen, make_lines(state, width, height, bars))
        key = screen.getch()
        if key in (ord("q"), ord("Q")):
            break
        if key == curses.KEY_RESIZE:
            curses.update_lines_cols()
            screen.redrawwin()


def print_lines(measurement):
    for item in measurement:
        print(one_line(item), flush=True)


def fail(text):
    """Ends the program. What could not be written is not written again at the exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(text)


def main():
    parser = argparse.ArgumentParser(description="Shows what cudahisto measures, in the terminal.")
    parser.add_argument("--measures", default="level+loudness", metavar="GROUPS")
    parser.add_argument("--alerts", default="black+freeze+scene+silence+clipping",
                        metavar="ALERTS")
    parser.add_argument("pipeline", metavar="PIPELINE")
    arguments = parser.parse_args()
    if sys.stdout is None:
        sys.exit("terminal-monitor.py: the standard output is closed")
    # One that is not installed: as without any.
    with contextlib.suppress(locale.Error):
        locale.setlocale(locale.LC_ALL, "")
    is_screen = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    can_bars = "utf-8" in (sys.stdout.encoding or "").lower()
    try:
        for number in signal.SIGINT, signal.SIGTERM:
            if signal.getsignal(number) != signal.SIG_IGN:      # as with nohup
                signal.signal(number, signal.default_int_handler)
        with cudahisto.launch(arguments.pipeline, measures=arguments.measures, meta=False,
                              alerts=arguments.alerts, bins=0 if not is_screen else 256,
                              window=0.2 if is_screen else 1, histogram=is_screen) as measurement:
            if is_screen:
                curses.wrapper(show, measurement, BARS if can_bars else ASCII_BARS)
            else:
                print_lines(measurement)
    except KeyboardInterrupt:
        pass
    except (cudahisto.Error, ValueError, OSError, curses.error) as error:
        fail(f"terminal-monitor.py: {error}")


if __name__ == "__main__":
    main()
