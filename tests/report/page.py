#!/usr/bin/python3
"""The page of cudahisto-report, looked at in Chromium.

    tests/report/page.py FEED_HTML PROGRAM

An artificial clip of one hour goes through the writer: the page must be small and quick, and must
show the figures that went in. FEED_HTML is the program that makes the page and prints figures.
PROGRAM is cudahisto-report, which makes the page of a real clip: that page must show what is in
the report in JSON.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback

import browser

FRAMES, RATE = 90000, 25
TITLE = "a </script><script>alert(1)</script>\"&'<!--{{title}} ü.mkv"
MOST_BYTES = 10_000_000
MOST_OF_PICTURES = 1_400_000  # of a film, in base64; the artificial one has none
MOST_SECONDS = 2  # until the curves are seen
# How many colours a canvas has. A copy is read, so that the page's canvas stays as it is.
COLOURS = """(canvas => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height);
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const data = context.getImageData(0, 0, copy.width, copy.height).data;
    return new Set(new Uint32Array(data.buffer)).size;
})"""

CLIPS = [os.environ.get("CUDAHISTO_TEST_CLIP", ""),
         "/usr/share/doc/opencv-doc/examples/data/Megamind.avi"]

directory = tempfile.TemporaryDirectory(prefix="cudahisto-page-")


class Page:
    """A page, and the figures that it must show."""

    def open(self, chromium):
        chromium.open("file://" + self.path)
        chromium.wait_for("document.documentElement?.dataset.drawn === 'true'"
                          " || document.getElementById('problem')?.hidden === false")
        assert chromium.evaluate("byId('problem').hidden"), chromium.evaluate(
            "byId('problem').textContent")


class ArtificialPage(Page):
    def __init__(self, program, frames):
        self.path = os.path.join(directory.name, f"{frames}.html")
        done = subprocess.run([program, self.path, str(frames), TITLE], check=True,
                              capture_output=True, encoding="utf-8")
        self.figures, self.histograms = {"frame": {}, "window": {}}, {}
        for line in done.stdout.splitlines():
            kind, number, *rest = line.split()
            if kind == "histogram":
                self.histograms[int(number)] = [float(share) for share in rest]
            else:
                self.figures[kind].setdefault(int(number), {})[rest[0]] = float(rest[1])


def real_clip():
    """The path of a film, or of test signals."""
    for path in CLIPS:
        if os.access(path, os.R_OK):
            return path
    path = os.path.join(directory.name, "signals.mkv")
    print("The film is not installed; test signals stand in for it")
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=duration=8",
                    "-f", "lavfi", "-i", "sine=duration=8", "-c:v", "ffv1", path], check=True)
    return path


class RealPage(Page):
    """The page of a film with a region."""

    def __init__(self, program):
        self.path = os.path.join(directory.name, "real.html")
        done = subprocess.run(
            [program, "--quiet", "--regions=left=0,0,50%,100%", "--html", self.path, "--json",
             "--set=backend=cpu", real_clip()],
            check=True, stdout=subprocess.PIPE, encoding="utf-8", timeout=120)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.frames = [line for line in lines if line["type"] == "frame"]
        self.windows = [line for line in lines if line["type"] == "window"]


def check_quiet(chromium, page):
    assert not chromium.errors, chromium.errors
    # Pictures are in the page.
    requests = {address[:200] for address in chromium.requests if not address.startswith("data:")}
    assert requests == {"file://" + page.path}, requests


def place_of(chromium, time):
    """Where a time is on the first chart, in pixels of the window."""
    return chromium.evaluate(f"""(() => {{
        byId("charts").scrollIntoView();
        const box = state.charts[0].plot.getBoundingClientRect();
        return [box.left + state.charts[0].graph.toDomXCoord({time!r}), box.top + box.height / 2];
    }})()""")


def readout(chromium, kind):
    """The figures that are shown: the number of the column, and the texts."""
    return chromium.evaluate(f"""(() => {{
        const table = document.querySelector('#readout table[data-kind="{kind}"]');
        return table === null ? null : [Number(table.dataset.column), Object.fromEntries(
            [...table.querySelectorAll("tr[data-key]")].map(row =>
                [row.dataset.key, row.lastChild.textContent]))];
    }})()""")


def number_of(text):
    """The number at the begin of a text, and how many decimals it has."""
    digits = text.split("\u00a0")[0].replace("\u2212", "-")
    return float(digits), len(digits.partition(".")[2])


def compare(shown, expected, where):
    for key, value in expected.items():
        if value != value:
            assert shown[key] == "\u2013", f"{where} {key}: {shown[key]}"
        elif value < -120:
            assert shown[key].startswith("\u2264"), f"{where} {key}: {shown[key]}"
        else:
            found, decimals = number_of(shown[key])
            assert abs(found - value) <= .5 * 10 ** -decimals + 1e-9, \
                f"{where} {key}: {shown[key]}, not {value}"


# ---- The tests ---------------------------------------------------------------------------------

def test_size(page):
    size = os.path.getsize(page.path)
    print(f"     one hour: {size} bytes")
    assert size + MOST_OF_PICTURES < MOST_BYTES, size


def test_first_draw(page):
    """Until the curves are drawn, the best of three; then until all is."""
    with browser.Browser() as chromium:
        times = []
        for _ in range(3):
            page.open(chromium)
            times.append(chromium.evaluate(
                "['curves-drawn', 'all-drawn'].map("
                "name => performance.getEntriesByName(name)[0].startTime / 1000)"))
        check_quiet(chromium, page)
    curves, everything = min(times)
    print(f"     curves after {curves:.2f} s, histograms after {everything:.2f} s")
    assert curves < MOST_SECONDS, times


def test_drawn(page):
    """Every canvas has a picture, in both themes and on a small screen."""
    for width, height, dark in ((1400, 1000, False), (1400, 1000, True), (390, 800, True)):
        with browser.Browser(width, height, dark) as chromium:
            page.open(chromium)
            assert chromium.evaluate("document.documentElement.dataset.theme") == (
                "dark" if dark else "light")
            charts = chromium.evaluate("[...document.querySelectorAll('.chart')].map(chart => chart.id)")
            assert charts == [f"chart-{name}" for name in (
                "luma", "heat", "saturation", "motion", "faults", "loudness", "levels", "correlation")], charts
            for chart in charts + ["lanes"]:
                colours = chromium.evaluate(
                    f"Math.max(...[...document.querySelectorAll('#{chart} canvas, canvas#{chart}')]"
                    f".map({COLOURS}))")
                assert colours > 5, f"{chart}: {colours} colours"
            assert chromium.evaluate("document.documentElement.scrollWidth <= innerWidth"), \
                f"{width} pixels: the page is wider"
            check_quiet(chromium, page)


def test_title(page):
    """A hostile name is text, and nothing else."""
    with browser.Browser() as chromium:
        page.open(chromium)
        assert chromium.evaluate("document.querySelector('h1').textContent") == TITLE
        assert chromium.evaluate("document.title").startswith(TITLE.partition("  ")[0])
        assert chromium.evaluate("summary.input") == TITLE
        check_quiet(chromium, page)


def test_summary(page):
    with browser.Browser() as chromium:
        page.open(chromium)
        verdict = chromium.evaluate("byId('verdict-text').textContent")
        assert verdict == chromium.evaluate("summary['verdict-line']") and verdict.startswith("LOOK AT  black "), verdict
        chips = chromium.evaluate("[...document.querySelectorAll('.chip')].map(chip => chip.textContent)")
        assert len(chips) == 6 and "5.00 s" in chips[0], chips
        facts = chromium.evaluate("byId('facts').textContent")
        for text in ("H.264 (High Profile)", "1920 × 1080", "90000", "\u221223.0 LUFS", "7.2 LU", "170"):
            assert text in facts, f"{text} is not in {facts}"
        # Each notice that has a time has a mark in a lane; a click shows it.
        lanes = chromium.evaluate("lanes.map(lane => [lane.title, lane.spans.length])")
        assert [title for title, _ in lanes][:3] == ["Black picture", "Frozen picture", "Out of range"], lanes
        marks = chromium.evaluate("""lanes.map((lane, i) => {
            if (lane.spans.length === 0)
              return [lane.isWhole, true];
            const scale = (byId("lanes").clientWidth - LANES_LEFT - RIGHT_GAP) / (state.whole[1] - state.whole[0]);
            const span = lane.spans.at(-1), at = LANES_LEFT + (span.start - state.whole[0]) * scale + 1;
            const box = byId("lanes").getBoundingClientRect();
            byId("lanes").dispatchEvent(new MouseEvent("click", { clientX: box.left + at, clientY: box.top + i * LANE + 9 }));
            return [Math.abs(state.pin - span.start) < 0.5, spanAt(byId("lanes"), state.whole, at, -5) === null]; })""")
        assert marks and all(shown and none for shown, none in marks), marks
        # A chip shows its alert.
        chromium.evaluate("document.querySelector('.chip').click()")
        first, last = chromium.evaluate("state.range")
        assert 50 < first < 60 and 65 < last < 75, (first, last)
        assert readout(chromium, "video")[0] == 60 * RATE
        assert "Black picture" in chromium.evaluate("byId('readout').textContent")
        check_quiet(chromium, page)


def hover(chromium, page, number, name, rate, kind):
    """Points at a frame or window. Compares what is shown."""
    time = number / rate
    chromium.evaluate(f"setRange([{time} - 1, {time} + 1])")
    place = place_of(chromium, time)
    chromium.move(*place)
    column, shown = readout(chromium, kind)
    assert column == number, f"{name} {column}, not {number}"
    compare(shown, page.figures[name][number], f"{name} {number}")
    return place


def test_hover(page):
    """Pointing at a frame shows its figures."""
    with browser.Browser() as chromium:
        page.open(chromium)
        for number in list(page.figures["frame"])[::9]:
            hover(chromium, page, number, "frame", RATE, "video")
        for number in list(page.figures["window"])[::9]:
            hover(chromium, page, number, "window", 10, "audio")
        # In the silence.
        chromium.evaluate("setRange([119, 126])")
        chromium.move(*place_of(chromium, 122))
        shown = readout(chromium, "audio")[1]
        assert shown["rms-ch0"].startswith("\u2264") and shown["momentary"].startswith("\u2264"), shown
        check_quiet(chromium, page)


def test_click(page):
    """A click shows the frame's histogram, the arrow keys the next frame's."""
    with browser.Browser() as chromium:
        page.open(chromium)
        for number in list(page.histograms)[1::20]:
            place = hover(chromium, page, number, "frame", RATE, "video")
            before = chromium.evaluate("byId('histogram').toDataURL()")
            chromium.click(*place)
            assert chromium.evaluate("byId('histogram').dataset.column") == str(number)
            assert f"frame {number}" in chromium.evaluate("byId('histogram-title').textContent")
            assert chromium.evaluate("byId('histogram').toDataURL()") != before
            assert chromium.evaluate(f"({COLOURS})(byId('histogram'))") > 3
            shown = chromium.evaluate(f"histogramOf(state.video, {number})")
            merged, bins = len(page.histograms[number]) // len(shown), len(shown)
            assert bins >= 64
            for b in range(bins):
                share = sum(page.histograms[number][b * merged:(b + 1) * merged])
                # A cell has 255 steps of the root of the share.
                assert abs(shown[b] ** .5 - share ** .5) <= .51 / 255 or 0 < share < 255 ** -2, \
                    f"frame {number} bin {b}: {shown[b]}, not {share}"
        chromium.press("ArrowRight")
        assert chromium.evaluate("byId('histogram').dataset.column") == str(number + 1)
        chromium.press("Escape")
        assert chromium.evaluate("byId('histogram').dataset.column") == "all"
        check_quiet(chromium, page)


def test_zoom(page):
    """Dragging zooms in, a double click shows the whole clip. The charts follow each other."""
    with browser.Browser() as chromium:
        page.open(chromium)
        from_x, y = place_of(chromium, 600)
        to_x, _ = place_of(chromium, 1200)
        chromium.drag(from_x, y, to_x, y)
        chromium.wait_for("Math.abs(state.range[0] - 600) < 5 && Math.abs(state.range[1] - 1200) < 5")
        windows = chromium.evaluate("state.charts.filter(chart => chart.graph)"
                                    ".map(chart => chart.graph.xAxisRange())")
        assert all(window == windows[0] for window in windows), windows
        heat_y = chromium.evaluate("(box => box.top + box.height / 2)"
                                   "(document.querySelector('#chart-heat canvas').getBoundingClientRect())")
        chromium.drag(from_x, heat_y, to_x, heat_y)
        chromium.wait_for("state.range[1] - state.range[0] < 120")
        rows = chromium.evaluate("state.charts[0].graph.numRows()")
        assert rows < 3000, rows
        chromium.press("0")
        chromium.wait_for("state.range[1] - state.range[0] > 3599")
        check_quiet(chromium, page)


def of_picture(result):
    """What the page must show of a frame or a region of it."""
    signal, motion = result["signal"], result.get("motion", {})
    return {"min": result["Y"]["min"], "p1": result["Y"]["p1"], "p50": result["Y"]["p50"],
            "p99": result["Y"]["p99"], "max": result["Y"]["max"], "mean": result["Y"]["mean"],
            "sat-mean": signal["saturation"]["mean"], "sat-max": signal["saturation"]["max"],
            "brng": 100 * signal["brng"], "vrep": 100 * signal["vrep"],
            "mafd": motion.get("mafd", float("nan"))}


def test_real_clip(program):
    """The page shows what the JSON has: of the picture, of a region, of the sound."""
    page = RealPage(program)
    with browser.Browser() as chromium:
        page.open(chromium)
        times = [frame["stream-time"] for frame in page.frames]
        for number in range(0, len(page.frames), 17):
            frame = page.frames[number]
            if times.count(times[number]) > 1:
                continue  # the pointer finds the first one
            time = frame["stream-time"] / 1e9
            chromium.evaluate(f"setRange([{time} - .5, {time} + .5])")
            chromium.move(*place_of(chromium, time))
            column, shown = readout(chromium, "video")
            assert column == number, f"{column}, not {number}"
            compare(shown, of_picture(frame), f"frame {number}")
        for number in range(0, len(page.windows), 20):
            window = page.windows[number]
            chromium.evaluate("setRange(null)")
            chromium.evaluate(f"setHover({window['stream-time'] / 1e9})")
            column, shown = readout(chromium, "audio")
            assert column == number, f"{column}, not {number}"
            compare(shown, {"rms-ch0": float(window["ch0"]["rms"]), "peak-ch0": float(window["ch0"]["peak"]),
                            "short-term": float(window["loudness"]["short-term"])}, f"window {number}")
        chromium.evaluate("""(select => { select.value = [...select.options].find(
            option => option.text.endsWith("left")).value; select.dispatchEvent(new Event("change")); })
            (byId("video-view"))""")
        chromium.wait_for("state.video.region === 'left'")
        frame = page.frames[120]
        chromium.evaluate(f"setHover({frame['stream-time'] / 1e9})")
        compare(readout(chromium, "video")[1], of_picture(frame["regions"][0]), "region")
        check_quiet(chromium, page)


def test_verdict(program):
    """Without a notice the headline says what was watched, and what is not right is not green."""
    page = Page()
    page.path = os.path.join(directory.name, "verdict.html")
    path = os.path.join(directory.name, "dead.wav")
    with browser.Browser() as chromium:
        for right, alerts, expected in (
                ("0.3*cos(2000*t)", "silence+clipping", [
                    "nothing found by: holes, silence, dead channels, inverted channels, clipping, true peak", "good", ""]),
                ("0", "silence+clipping", ["LOOK AT  R is silent from begin to end", "unsure",
                                           "audio 0: R is silent from begin to end"]),
                ("0.3*cos(2000*t)", "none", [
                    "nothing found by: holes, dead channels, inverted channels, clipping, true peak", "good", ""])):
            subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i",
                            f"aevalsrc=0.3*sin(2000*t)|{right}:d=2:s=48000", path], check=True)
            subprocess.run([program, "--quiet", "--alerts", alerts, "--html", page.path, path], check=True,
                           stdout=subprocess.DEVNULL, timeout=60)
            page.open(chromium)
            shown = chromium.evaluate("[byId('verdict-text').textContent, byId('verdict-text').className, "
                                      "byId('hints').textContent]")
            assert shown == expected, shown
        check_quiet(chromium, page)


def test_limits(program):
    """The limits of limited range stand in each chart of luma, and the key says whether the file is tagged."""
    page = Page()
    page.path = os.path.join(directory.name, "limits.html")
    with browser.Browser() as chromium:
        # AVI has no place for a range: ffmpeg 7 writes one in Matroska, limited, if it is told none.
        for value, suffix, expected in (("tv", "mkv", "limited range"), ("pc", "mkv", "if limited range"),
                                        ("unspecified", "avi", "if limited range")):
            path = os.path.join(directory.name, "limits." + suffix)
            subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i",
                            "testsrc2=duration=1:size=160x120,format=yuv420p", "-vf", "setparams=range=" + value,
                            "-color_range", value, "-colorspace", "bt709", "-c:v", "ffv1", path], check=True)
            subprocess.run([program, "--quiet", "--html", page.path, path], check=True,
                           stdout=subprocess.DEVNULL, timeout=60)
            page.open(chromium)
            keys = chromium.evaluate("[...document.querySelectorAll('#chart-luma .key')].map(key => key.textContent)")
            assert keys[-1] == expected, (value, keys)
            assert chromium.evaluate("byId('histogram-limits').textContent") == "lines: " + expected
            # The dashes are drawn: a part of the picture has their colour at 16 of 256.
            dashes = chromium.evaluate("""(() => {
                const chart = state.charts[0], area = chart.graph.getArea(), found = [];
                const context = { save() {}, restore() {}, fillRect: (...box) => found.push(box[1]),
                    fillText: (text) => found.texts.push(text) };
                found.texts = [];
                drawUnderlay(chart.chart, chart.view, context, area, chart.graph);
                return [new Set(found).size, found.texts];
            })()""")
            assert dashes == [2, ["16", "235"]], dashes
        check_quiet(chromium, page)


def test_holes(program):
    """No curve is drawn over missing pictures or sound, whether columns are merged or not; the heat map is empty there."""
    path, page = os.path.join(directory.name, "holes.mkv"), Page()
    page.path = os.path.join(directory.name, "holes.html")
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=duration=30:size=96x64", "-f", "lavfi", "-i",
                    "sine=duration=30", "-vf", "select='not(between(n,250,374))'", "-vsync", "vfr", "-af", "aselect='not(between(t,20,24))'",
                    "-c:v", "ffv1", "-c:a", "pcm_s16le", path], check=True)
    subprocess.run([program, "--quiet", "--html", page.path, path], check=False, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=60)
    with browser.Browser() as chromium:
        page.open(chromium)
        check_quiet(chromium, page)
        for kind, (start, end) in (("video", (10, 15)), ("audio", (20, 24))):
            for most in 5000, 200:
                rows = chromium.evaluate("""(() => {
                    const chart = state.charts.find(one => one.graph && one.view.kind === '%s');
                    return rowsOf(chart.bands, chart.lines, chart.view, 0, 30, %d).map(row => [row[0], row[row.length - 1][1]]);
                })()""" % (kind, most))
                empty = [i for i, (_, value) in enumerate(rows) if value is None]
                inside = [i for i in empty if 0 < i < len(rows) - 1 and rows[i - 1][0] < start + .2 and rows[i + 1][0] > end - .2]
                assert len(inside) == 1 and start - .2 <= rows[inside[0]][0] <= end, (kind, most, [rows[i] for i in empty], rows[:2])
                assert not [time for time, value in rows if start + .2 < time < end - .2 and value is not None], (kind, most)
        # A column of the picture of histograms has the axis alone in the hole, and many colours beside it.
        shades = chromium.evaluate("""(async () => {
            const chart = state.charts.find(one => one.canvas);
            await chart.view.heatIsRead;
            chart.draw();
            const { left, width } = chart.area(), ratio = chart.canvas.width / chart.canvas.clientWidth;
            const copy = new OffscreenCanvas(chart.canvas.width, chart.canvas.height), context = copy.getContext("2d");
            context.drawImage(chart.canvas, 0, 0);
            return [5, 12.5, 20].map(time => new Set(new Uint32Array(context.getImageData(Math.round((left + width * time / 30) * ratio), 0, 1,
                chart.canvas.height).data.buffer)).size);
        })()""")
        assert shades[1] <= 2 and shades[0] > 10 and shades[2] > 10, shades


def test_two_tracks(program):
    """The page opens on the first track of sound, though the second one begins earlier."""
    path, page = os.path.join(directory.name, "tracks.mkv"), Page()
    page.path = os.path.join(directory.name, "tracks.html")
    tone = ["-f", "lavfi", "-i", "sine=duration=2"]
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=duration=2:size=160x120",
                    "-itsoffset", "0.5", *tone, *tone, "-map", "0", "-map", "1", "-map", "2", "-c:v", "ffv1",
                    "-c:a", "pcm_s16le", path], check=True)
    subprocess.run([program, "--quiet", "--html", page.path, path], check=True, stdout=subprocess.DEVNULL, timeout=60)
    with browser.Browser() as chromium:
        page.open(chromium)
        shown = chromium.evaluate("[state.video.stream, state.audio.stream, "
                                  "...[...byId('audio-view').options].map(option => option.text)]")
        assert shown == [0, 1, "audio 1", "audio 2"], shown
        check_quiet(chromium, page)


# Y, U and V of each second of a film, and of the left half of one of its frames: outside of EBU R 103.
SECONDS = [(60, 128, 128), (120, 90, 150), (90, 150, 110), (180, 120, 120), (100, 160, 160), (150, 110, 140)]
ILLEGAL, WORST = (235, 240, 240), 60
SIZE = 320, 180
MAGENTA = (255, 0, 255)
# The colours of a picture at shares of its width, at half of its height.
PIXELS = """(async (image, shares) => {
    await image.decode();
    const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.drawImage(image, 0, 0);
    return shares.map(share => [...context.getImageData(Math.floor(share * canvas.width), canvas.height >> 1, 1, 1).data].slice(0, 3));
})"""


def to_rgb(yuv):
    """BT.709, limited range, 8 bits."""
    y, u, v = (yuv[0] - 16) / 219, (yuv[1] - 128) / 224, (yuv[2] - 128) / 224
    red, blue = y + 1.5748 * v, y + 1.8556 * u
    green = (y - .2126 * red - .0722 * blue) / .7152
    return [round(255 * min(max(part, 0), 1)) for part in (red, green, blue)]


def make_film(path):
    width, height = SIZE
    frames = []
    for number in range(RATE * len(SECONDS)):
        colour = SECONDS[number // RATE]
        for plane, value in enumerate(colour):
            columns, rows = (width, height) if plane == 0 else (width // 2, height // 2)
            row = bytes([value]) * columns
            if number == WORST:
                row = bytes([ILLEGAL[plane]]) * (columns // 2) + row[columns // 2:]
            frames.append(row * rows)
    subprocess.run(["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", f"{width}x{height}",
                    "-r", str(RATE), "-i", "pipe:0", "-vf", "setparams=range=tv:colorspace=bt709:color_primaries=bt709:"
                    "color_trc=bt709", "-c:v", "ffv1", path], input=b"".join(frames), check=True)


def check_colour(found, expected, where):
    assert all(abs(a - b) <= 8 for a, b in zip(found, expected)), f"{where}: {found}, not {expected}"


def check_strip(chromium, least, most):
    """The frames of the strip have their colours. Returns their times."""
    times = chromium.evaluate("[...byId('filmstrip').children].map(button => Number(button.dataset.time))")
    assert least <= len(times) <= most and times == sorted(times), times
    for i, time in enumerate(times):
        colour, = chromium.evaluate(f"{PIXELS}(byId('filmstrip').children[{i}].firstChild, [.9])")
        check_colour(colour, to_rgb(SECONDS[int(time)]), f"the strip at {time}")
    return times


def check_notice(chromium):
    """The worst frame beside its notice, as it is and with its marks."""
    captions = chromium.evaluate("[...document.querySelectorAll('#hints figcaption')].map(caption => caption.textContent)")
    at = captions.index("worst frame, 0:02.400")
    assert captions[at + 1] == "magenta: outside of EBU R 103", captions
    left, right = chromium.evaluate(f"{PIXELS}(document.querySelectorAll('#hints img')[{at}], [.2, .8])")
    check_colour(left, to_rgb(ILLEGAL), "the worst frame, left")
    check_colour(right, to_rgb(SECONDS[WORST // RATE]), "the worst frame, right")
    left, right = chromium.evaluate(f"{PIXELS}(document.querySelectorAll('#hints img')[{at + 1}], [.2, .8])")
    check_colour(left, MAGENTA, "the marks, left")
    assert max(right) - min(right) <= 8 and max(right) < 160, right


def check_charts(chromium):
    charts = chromium.evaluate("state.charts.map(chart => chart.element.id)")
    assert "chart-chroma" in charts and "chart-rgb" not in charts and "chart-light" not in charts, charts
    for key, plane in (("u-mean", 1), ("v-mean", 2)):
        values = chromium.evaluate(f"[...state.video.series.find(series => series.key === '{key}').values]")
        for number, value in enumerate(values):
            half = (ILLEGAL[plane] - SECONDS[number // RATE][plane]) / 2 if number == WORST else 0
            assert abs(value - SECONDS[number // RATE][plane] - half) < .01, f"{key} of frame {number}: {value}"


def check_keys(chromium):
    """The lanes and the strip without a mouse."""
    chromium.evaluate("byId('lanes').focus()")
    marks = chromium.evaluate("allMarks.map(nameOfMark)")
    chromium.press("ArrowRight")
    assert chromium.evaluate("byId('mark').textContent").startswith(marks[0]), marks
    chromium.press("ArrowLeft")
    assert chromium.evaluate("byId('mark').textContent").startswith(marks[-1]), marks
    chromium.press("Enter")
    assert chromium.evaluate("state.pin === allMarks.at(-1).span.start"), marks
    chromium.evaluate("setRange(null); byId('filmstrip').children[0].focus()")
    pin = chromium.evaluate("state.pin")
    chromium.press("ArrowRight")
    assert chromium.evaluate("document.activeElement === byId('filmstrip').children[1]")
    assert chromium.evaluate("state.pin") == pin
    chromium.evaluate("document.activeElement.click()")
    assert chromium.evaluate("state.pin === Number(document.activeElement.dataset.time)")
    unnamed = chromium.evaluate("""[...document.querySelectorAll("button, a, canvas, img, select, input")].filter(element =>
        element.checkVisibility() && !element.getAttribute("aria-label") && !element.textContent.trim() && !element.alt && !element.title &&
        !element.querySelector("img[alt]") && !element.labels?.length && !element.closest(".plot"))
        .map(element => element.outerHTML.slice(0, 80))""")
    assert unnamed == [], unnamed


def check_scopes(chromium):
    """The picture at the pointer, and what it consists of."""
    chromium.evaluate("setPin(3.1)")
    assert chromium.evaluate("byId('pointed').dataset.time") == "3"
    chromium.evaluate("pixelsOf(nearestThumbnail(thumbnailsOf(0), 3.1)).then(() => 0)")
    scopes = chromium.evaluate(f"['waveform', 'vectorscope'].map(id => ({COLOURS})(byId(id)))")
    assert scopes[0] >= 2 and scopes[1] > 2, scopes


def check_print(chromium):
    theme = chromium.evaluate("document.documentElement.dataset.theme")
    chromium.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    paper = chromium.evaluate("[document.documentElement.dataset.theme, byId('about-film').open, "
                              "Math.max(...[...document.querySelectorAll('canvas')].map(canvas => canvas.clientWidth)) <= 700]")
    assert paper == ["light", True, True], paper
    chromium.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert chromium.evaluate("document.documentElement.dataset.theme") == theme


def run_report(program, *arguments):
    done = subprocess.run([program, "--quiet", *arguments], check=True, stdout=subprocess.PIPE, encoding="utf-8", timeout=60)
    return done.stdout


def test_thumbnails(program):
    """Pictures of the frames of the film, beside what is wrong with them."""
    film, page = os.path.join(directory.name, "film.mkv"), Page()
    make_film(film)
    page.path = os.path.join(directory.name, "film.html")
    without = json.loads(run_report(program, "--json-summary", film))
    summary = json.loads(run_report(program, "--json-summary", "--html", page.path, film))
    assert summary.pop("seconds") and without.pop("seconds") and summary == without
    with open(page.path, encoding="utf-8") as file:
        if '"jpeg"' not in file.read():
            print("     no thumbnails: this build has no libjpeg")
            return
    for width, height, dark in ((1280, 900, False), (390, 844, True)):
        with browser.Browser(width, height, dark) as chromium:
            page.open(chromium)
            times = check_strip(chromium, 2, len(SECONDS))
            assert width < 600 or times == list(range(len(SECONDS))), times
            check_notice(chromium)
            check_charts(chromium)
            check_keys(chromium)
            check_scopes(chromium)
            assert chromium.evaluate("byId('about-film').open") == (width > 900)
            order = chromium.evaluate("['verdict-text', 'hints', 'filmstrip', 'lanes', 'about-film', 'body'].map("
                                      "id => byId(id).getBoundingClientRect().top)")
            assert order == sorted(order), order
            assert chromium.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
            check_print(chromium)
            check_quiet(chromium, page)
    with browser.Browser() as chromium:
        run_report(program, "--html", page.path, "--thumbnails=3", film)
        page.open(chromium)
        check_strip(chromium, 2, 3)
        run_report(program, "--html", page.path, "--thumbnails=none", film)
        page.open(chromium)
        assert chromium.evaluate("byId('filmstrip').hidden && document.querySelectorAll('#hints img').length === 0")
        check_quiet(chromium, page)


def test_rgb(program):
    """The charts of R, G and B are those of a film of R, G and B."""
    path, page = os.path.join(directory.name, "rgb.mkv"), Page()
    page.path = os.path.join(directory.name, "rgb.html")
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "color=0x204080:duration=0.2:size=64x48,format=gbrp",
                    "-c:v", "ffv1", path], check=True)
    run_report(program, "--html", page.path, path)
    with browser.Browser() as chromium:
        page.open(chromium)
        charts = chromium.evaluate("state.charts.map(chart => chart.element.id)")
        assert "chart-rgb" in charts and "chart-chroma" not in charts, charts
        means = chromium.evaluate("['r', 'g', 'b'].map(name => state.video.series.find(series => series.key === name + '-mean').values[2])")
        assert means == [0x20, 0x40, 0x80], means
        check_quiet(chromium, page)


TESTS = [test_size, test_first_draw, test_drawn, test_title, test_summary, test_hover, test_click, test_zoom]
OF_PROGRAM = [test_verdict, test_limits, test_holes, test_two_tracks, test_real_clip, test_thumbnails, test_rgb]


def main():
    if browser.find_chromium() is None:
        print("skipped: there is no chromium")
        return 77
    if shutil.which("ffmpeg") is None:
        print("skipped: there is no ffmpeg")
        return 77
    page, failed = ArtificialPage(sys.argv[1], FRAMES), 0
    for test in TESTS + OF_PROGRAM:
        try:
            test(sys.argv[2] if test in OF_PROGRAM else page)
            print("ok  ", test.__name__, flush=True)
        except Exception:  # whatever it is, the other tests run, too
            failed += 1
            print("FAIL", test.__name__, traceback.format_exc(), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
