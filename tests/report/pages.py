#!/usr/bin/python3
"""The pages about several inputs, looked at in Chromium: the index of a folder, a comparison, a set of images.

What they show is compared with what the other formats say. tests/report/page.py looks at the page of a film.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.parse

import browser
from common import PROGRAM, TIMEOUT, ffmpeg, has_page, objects, path_of, report, run_tests

if not has_page():
    print("skipped: there is no Chromium, or the program makes no pages")
    sys.exit(77)

DRAWN = "document.documentElement?.dataset.drawn === 'true'"
# What the rows of the index show, in their order.
ROWS = """[...document.querySelectorAll("#rows tbody tr[data-number]")].map(row => Object.fromEntries(
    [...row.cells].map(cell => [cell.className.slice(2), cell.innerText])))"""
NAMES = ROWS + '.map(row => row.name.split("\\n")[0])'
MOST_BYTES = 10_000_000
HOSTILE = ['a"b<c>.mkv', "50% #1 &amp;.mkv", "new\nline.mkv"]

chromium = browser.Browser(1280, 900)


def open_page(path, fragment=""):
    """Opens a page, which must be quiet and load nothing else."""
    chromium.errors.clear()
    chromium.requests.clear()
    chromium.open("about:blank")
    chromium.open("file://" + urllib.parse.quote(path) + fragment)
    chromium.wait_for(DRAWN)
    # Also those that are not in view.
    chromium.wait_for("[...document.images].every(image => image.complete)")


def check_quiet(path):
    assert not chromium.errors, chromium.errors
    loaded = {address for address in chromium.requests if not address.startswith(("data:", "about:"))}
    assert {address.partition("#")[0] for address in loaded} == {"file://" + urllib.parse.quote(path)}, loaded


def check_looks(path):
    """Nothing is wider than the screen, small or large, light or dark."""
    for width, height, theme in ((390, 844, "dark"), (390, 844, "light"), (1280, 900, "dark"), (1280, 900, "light")):
        chromium.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        chromium.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        open_page(path)
        wide, shown = chromium.evaluate("[document.documentElement.scrollWidth, document.documentElement.dataset.theme]")
        assert wide <= width and shown == theme, f"{path}: {wide} of {width} pixels, {shown}"
        # What can be pressed has a name.
        nameless = chromium.evaluate("""[...document.querySelectorAll("button, input, select, a, [tabindex]")].filter(element =>
            !(element.innerText || element.getAttribute("aria-label") || element.closest("label")?.innerText)).length""")
        assert nameless == 0, f"{path}: {nameless} without a name"
        check_quiet(path)


def film(path, *options, source="testsrc2=size=64x48:rate=25:duration=1"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.exists(path):
        ffmpeg("-f", "lavfi", "-i", source, "-f", "lavfi", "-i", "sine=sample_rate=48000:duration=1", "-c:v", "ffv1", "-pix_fmt", "yuv420p",
               "-c:a", "pcm_s16le", *options, path)
    return path


def season():
    """A folder of films: names of all kinds, two of one name, sound alone, and what cannot be measured."""
    top = path_of("season")
    if not os.path.exists(top):
        for name in HOSTILE:
            film(os.path.join(top, "a", name))
        film(os.path.join(top, "a", "film.mkv"), source="testsrc2=size=64x48:rate=25:duration=2")
        film(os.path.join(top, "b", "film.mkv"), source="color=black:size=64x48:rate=25:duration=3,fade=out:st=0.1:d=0.1")
        ffmpeg("-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000:duration=4", os.path.join(top, "b", "sound.wav"))
        with open(os.path.join(top, "b", "empty.mp4"), "wb"):
            pass
    return top


def measured(folder, *arguments, **options):
    """The index of the season, and what --json says of its inputs."""
    output, _ = report("--quiet", "--json", "--html", path_of(folder) + "/", *arguments, season(), "missing.mkv", status=1, **options)
    lines = [json.loads(line) for line in output.splitlines()]
    return os.path.join(path_of(folder), "index.html"), lines


def content(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def test_index():
    """A row says what the report says; --jobs changes nothing."""
    path, lines = measured("one")
    again, _ = measured("two", "--jobs", "3")
    assert content(path) == content(again)
    brief = dict(reversed(line.rsplit("  ", 1)) for line in report("--quiet", "--brief", season(), "missing.mkv", status=1)[0].decode().splitlines()[:-1])
    open_page(path)
    rows = chromium.evaluate(ROWS)
    summaries = [line for line in lines if line["type"] == "summary"]
    assert len(rows) == len(summaries) == 8, rows
    pictures = chromium.evaluate('[...document.querySelectorAll("#rows tbody tr[data-number]")].map(row => row.querySelector("img")?.naturalWidth ?? 0)')
    links = chromium.evaluate('[...document.querySelectorAll("#rows tbody tr[data-number]")].map(row => row.querySelector("a")?.href ?? null)')
    for row, summary, width, link in zip(rows, summaries, pictures, links):
        name = summary["input"]
        assert "".join(reversed(row["name"].split("\n", 1))) == name or row["name"] == name, (row, name)
        assert (row["verdict"] + ("  " + row["notice"] if row["notice"] else "")) == brief[name], (row, brief[name])
        has_video = any(stream["media"] == "video" for stream in summary["streams"])
        assert (width > 0) == has_video, (name, width)
        if not summary["streams"]:
            assert link is None and row["loudness"] == row["length"] == "\u2013" and row["verdict"] == "NOT MEASURED", row
            continue
        minutes, seconds = row["length"].split(":")
        assert abs(float(minutes) * 60 + float(seconds) - summary["duration"] / 1e9) < 0.0501, (row, summary["duration"])
        loudness = [stream["loudness"]["integrated"]["last"] for stream in summary["streams"] if stream["media"] == "audio"]
        assert abs(float(row["loudness"].replace("\u2212", "-")) - loudness[0]) < 0.0501, (row, loudness)
        page = urllib.parse.unquote(link[len("file://"):])
        assert os.path.dirname(page) == path_of("one") and os.path.exists(page), link
        assert json.loads(re.search(r'id="description">(.*?)</script>', content(page)).group(1))["summary"]["uri"] == summary["uri"], link
    # Two films of one name have pages of their own; those that cannot be measured have none.
    assert len({link for link in links if link}) == 6 and rows[2]["name"].split("\n")[0] == "film.mkv", rows
    # The points of the curve are the means of luma.
    frames = [line["Y"]["mean"] / 256 for line in lines if line["type"] == "frame" and line["input"] == summaries[2]["input"]]
    curve = chromium.evaluate("lumaOf(inputs[2])")
    assert len(frames) == len(curve) == 50 and max(abs(a - b) for a, b in zip(frames, curve)) < 0.5 / 63 + 1e-3, (frames, curve)
    # A row leads to its page, and back to the same rows.
    chromium.evaluate("sortBy('length')")
    chromium.leave('document.querySelector("#rows tbody tr .c-length").click()')
    chromium.wait_for("document.getElementById('verdict-text') !== null && " + DRAWN)
    shown = chromium.evaluate("document.querySelector('h1').textContent")
    assert shown.startswith(os.path.join(season(), "a")), shown
    chromium.leave("history.back()")
    chromium.wait_for("document.getElementById('rows') !== null && " + DRAWN)
    assert chromium.evaluate("state.order") == "length"
    check_looks(path)


def test_sorted_and_filtered():
    path, _ = measured("one")
    open_page(path)
    whole = chromium.evaluate(NAMES)

    def click(key):
        chromium.evaluate(f'document.querySelector("#heads [data-key={key}] button").click()')
        return chromium.evaluate(ROWS), chromium.evaluate(f'document.querySelector("#heads [data-key={key}]").getAttribute("aria-sort")')
    rows, direction = click("length")
    lengths = [row["length"] for row in rows]
    assert direction == "ascending" and lengths == sorted(lengths) and lengths[-2:] == ["\u2013"] * 2, lengths
    rows, direction = click("length")
    assert direction == "descending" and [row["length"] for row in rows] == lengths[-3::-1] + lengths[-2:], rows
    rows, _ = click("verdict")
    assert [row["verdict"] for row in rows[:2]] == ["NOT MEASURED"] * 2 and rows[-1]["verdict"] == "nothing found", rows
    rows, _ = click("name")
    assert [row["name"].split("\n")[0] for row in rows] == sorted(whole, key=lambda name: (
        not name.startswith("50"), name.lower())), rows
    # Filters add up, and the address keeps them.
    chromium.evaluate("""(() => { byId("find").value = "Season/B/ film"; byId("find").dispatchEvent(new Event("input")); })()""")
    rows = chromium.evaluate(ROWS)
    assert [row["name"] for row in rows] == ["film.mkv\n" + os.path.join(season(), "b", "")], rows
    assert chromium.evaluate("byId('count').textContent") == "1 of 8 inputs"
    fragment = chromium.evaluate("location.hash")
    open_page(path, fragment)
    assert chromium.evaluate(ROWS) == rows and chromium.evaluate("byId('find').value") == "Season/B/ film"
    open_page(path)
    chromium.evaluate("""document.querySelector('#verdicts [data-verdict="NOT MEASURED"]').click()""")
    assert sorted(chromium.evaluate(NAMES)) == ["empty.mp4", "missing.mkv"]
    chromium.evaluate("""document.querySelector('#verdicts [data-verdict="NOT MEASURED"]').click()""")
    assert chromium.evaluate(NAMES) == whole
    kinds = chromium.evaluate("[...byId('kind').options].map(option => option.text)")
    assert "incomplete (2)" in kinds, kinds
    chromium.evaluate("""(() => { byId("kind").value = "incomplete"; byId("kind").dispatchEvent(new Event("change")); })()""")
    assert sorted(chromium.evaluate(NAMES)) == ["empty.mp4", "missing.mkv"]
    # The words of the verdict are found, too, beside those of a name.
    for words, expected in (("not measured", ["empty.mp4", "missing.mkv"]), ("MEASURED empty", ["empty.mp4"])):
        open_page(path)
        chromium.evaluate("""(() => { byId("find").value = "%s"; byId("find").dispatchEvent(new Event("input")); })()""" % words)
        assert sorted(chromium.evaluate(NAMES)) == expected, (words, chromium.evaluate(NAMES))
    chromium.evaluate("""(() => { byId("find").value = "nowhere"; byId("find").dispatchEvent(new Event("input")); })()""")
    assert chromium.evaluate(ROWS) == [] and not chromium.evaluate("byId('nothing').hidden")
    # Keys.
    open_page(path)
    chromium.press("/")
    assert chromium.evaluate("document.activeElement.id") == "find"
    for expected in (0, 1, 2):
        chromium.press("ArrowDown")
        assert chromium.evaluate("Number(document.activeElement.closest('tr').dataset.number)") == expected
    chromium.press("ArrowUp")
    assert chromium.evaluate("document.activeElement.textContent") == whole[1]
    check_quiet(path)


def test_large_index():
    """10,000 rows are below 10 MB. Rows are made when they come into view, wherever that is."""
    path, _ = measured("one")
    text = content(path)
    data = re.search(r'(?<=id="data">)\[.*?\](?=</script>)', text, re.S)
    rows, choose, made = json.loads(data.group(0)), random.Random(1), []
    for number in range(10000):
        row = list(rows[number % len(rows)])
        row[0] = f"/archive/season-{number % 40:02}/a longer name of a folder/episode-{number:05} of the series.mxf"
        row[1] = row[1] and f"episode-{number:05}%20of%20the%20series.mxf.{number:016x}.html"
        row[6] = choose.randrange(10**7)
        made.append(row)
    large = path_of("large.html")
    with open(large, "w", encoding="utf-8") as file:
        file.write(text[:data.start()] + json.dumps(made).replace("<", "\\u003c") + text[data.end():])
    times = []
    for _ in range(3):
        open_page(large)
        times.append(chromium.evaluate("performance.getEntriesByName('rows-drawn')[0].startTime / 1000"))
    print(f"     10,000 rows: {os.path.getsize(large)} bytes, drawn after {min(times):.2f} to {max(times):.2f} s")
    assert os.path.getsize(large) < MOST_BYTES
    assert chromium.evaluate("document.querySelectorAll('*').length") < 5000
    chromium.evaluate("sortBy('length')")
    expected = sorted(range(10000), key=lambda number: made[number][6])
    assert chromium.evaluate("shown.map(input => input.number)") == expected
    chromium.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)")
    chromium.wait_for("document.elementFromPoint(640, 600)?.closest('tr')?.dataset.number !== undefined")
    number, place = chromium.evaluate("""(row => [Number(row.dataset.number), Number(row.getAttribute("aria-rowindex")) - 2])
        (document.elementFromPoint(640, 600).closest("tr"))""")
    assert expected[place] == number and 4000 < place < 6000, (number, place)
    # The focus goes on into rows that are not there yet.
    chromium.evaluate("scrollTo(0, 0)")
    chromium.evaluate("""(() => { fill(blocks()[0]); blocks()[0].rows[BLOCK - 1].querySelector(".title").focus(); })()""")
    chromium.press("ArrowDown")
    assert chromium.evaluate("Number(document.activeElement.closest('tr').dataset.number)") == expected[50]
    check_quiet(large)


def test_interrupted_index():
    """After a signal the index has all inputs, and says that it was interrupted."""
    long = path_of("long.mkv")
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=2", "-c:v", "libx264", "-preset", "ultrafast", path_of("part.mkv"))
    ffmpeg("-stream_loop", "2000", "-i", path_of("part.mkv"), "-c", "copy", long)
    short = film(os.path.join(season(), "a", "film.mkv"))
    for number, jobs in ((signal.SIGINT, "1"), (signal.SIGTERM, "2")):
        folder = path_of("interrupted-" + jobs)
        process = subprocess.Popen([PROGRAM, "--quiet", "--jobs", jobs, "--html", folder + "/", short, long, long + "/none"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        begin = time.monotonic()
        while not (os.path.isdir(folder) and any(name.startswith("film.mkv.") for name in os.listdir(folder))):
            assert time.monotonic() - begin < TIMEOUT
            time.sleep(0.02)
        process.send_signal(number)
        process.communicate(timeout=TIMEOUT)
        assert process.returncode == 128 + number
        assert not [name for name in os.listdir(folder) if name.startswith(".")]
        open_page(os.path.join(folder, "index.html"))
        rows = chromium.evaluate(ROWS)
        assert [row["name"].split("\n")[0] for row in rows] == ["film.mkv", "long.mkv", "none"], rows
        # The folder of all is told once.
        top = os.path.dirname(long) + "/"
        assert rows[0]["name"] == "film.mkv\nseason/a/" and rows[1]["name"] == "long.mkv", rows
        assert chromium.evaluate("byId('title').textContent") == "3 inputs of " + top
        assert rows[0]["verdict"] not in ("NOT MEASURED", "NOT COMPLETE") and rows[1]["verdict"] in ("NOT MEASURED", "NOT COMPLETE"), rows
        problem = chromium.evaluate("byId('problem').textContent")
        assert re.fullmatch("Interrupted: something was measured of [12] of 3 inputs.", problem), problem
    shutil.rmtree(folder)
    os.remove(long)


def test_comparison():
    """The charts and the pictures of a comparison say what its JSON says."""
    a, page = film(path_of("compared/a.mkv"), source="testsrc2=size=160x96:rate=25:duration=2"), path_of("comparison.html")
    b, short = path_of("compared/b.mkv"), path_of("compared/short.mkv")
    ffmpeg("-i", a, "-vf", "drawbox=40:20:20:10:red:t=fill:enable='between(n,10,14)'", "-c:v", "ffv1", "-c:a", "pcm_s16le", b)
    ffmpeg("-i", a, "-vf", "select='not(between(n,20,22))'", "-vsync", "vfr", "-c:v", "ffv1", "-c:a", "pcm_s16le", short)
    (comparison,) = objects("--quiet", "--json", "--compare", "--html", page, a, b)
    line = report("--quiet", "--compare", a, b)[0].decode().partition("\n")[0]
    open_page(page)
    assert chromium.evaluate("byId('verdict-text').textContent") == line and line.startswith("DIFFERENT")
    assert chromium.evaluate("[byId('a').textContent, byId('b').textContent]") == [a, b]
    pictures = next(stream for stream in comparison["streams"] if stream["a"]["media"] == "video")["pictures"]
    # Arrow keys walk along the frames.
    chromium.evaluate("document.querySelector('#chart-psnr-0 .simple-plot').focus()")
    chromium.press("Home")
    told = {}
    for number in range(50):
        told[number] = chromium.evaluate("document.activeElement.getAttribute('aria-valuetext')")
        assert told[number].startswith(f"frame {number} at 0:0{number // 25}."), told[number]
        chromium.press("ArrowRight")
    assert {number for number, text in told.items() if not text.endswith(": equal")} == set(range(10, 15)), told
    for worst in pictures["worst"]:
        assert told[worst["a"]["frame"]].endswith(f": {worst['psnr']:.2f} dB"), (worst, told)
    # So does the pointer; what it shows is what is drawn.
    box = chromium.evaluate("""(box => [box.left, box.top])(document.querySelector('#chart-ssim-0 svg').getBoundingClientRect())""")
    x = chromium.evaluate("CHART.left + 12 / 49 * (document.querySelector('#chart-ssim-0 svg').clientWidth - CHART.left - CHART.right)")
    chromium.evaluate("document.querySelector('#chart-ssim-0').scrollIntoView()")
    box = chromium.evaluate("""(box => [box.left, box.top])(document.querySelector('#chart-ssim-0 svg').getBoundingClientRect())""")
    chromium.move(box[0] + x, box[1] + 60)
    shown = chromium.evaluate("document.querySelector('#chart-ssim-0 .readout').textContent")
    assert re.fullmatch(r"frame 12 at 0:00\.480: 0\.\d{5}", shown), shown
    assert chromium.evaluate("document.querySelectorAll('#chart-psnr-0 .mark').length") == len(pictures["worst"]) == 3
    # A, B, and where they differ.
    sizes = chromium.evaluate("[...document.querySelectorAll('.worst img')].map(image => [image.naturalWidth, image.naturalHeight, image.alt])")
    assert [size[:2] for size in sizes] == [[160, 96]] * 9 and sizes[0][2].startswith("A, frame 1"), sizes
    bright = chromium.evaluate("""(image => {
        const canvas = new OffscreenCanvas(160, 96), context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, 160, 96), found = [];
        for (let i = 0; i < data.length; i += 4)
            if (Math.max(data[i], data[i + 1], data[i + 2]) > 60)
                found.push([i / 4 % 160, Math.floor(i / 4 / 160)]);
        return found; })(document.querySelectorAll(".worst img")[2])""")
    assert len(bright) > 100 and all(36 <= x < 64 and 16 <= y < 34 for x, y in bright), bright[:5]
    check_looks(page)
    # Frames that only one film has are marked; equal ones are so told.
    report("--quiet", "--compare", "--html", page, a, short)
    open_page(page)
    marks = chromium.evaluate("[...document.querySelectorAll('#chart-psnr-0 .mark')].map(mark => mark.textContent)")
    assert marks == ["3 frames only in A"], marks
    report("--quiet", "--compare", "--html", page, a, a)
    open_page(page)
    heads = chromium.evaluate("[...document.querySelectorAll('#streams h2')].map(head => head.textContent)")
    assert chromium.evaluate("byId('verdict-text').textContent") == "SAME" and heads == ["video 0: SAME", "audio 1: SAME"], heads
    # Only figures: there are no charts.
    report("--quiet", "--json", "--output", path_of("a.json"), a)
    report("--quiet", "--compare", "--html", page, path_of("a.json"), b)
    open_page(page)
    assert chromium.evaluate("document.querySelectorAll('.chart, img').length") == 0
    check_quiet(page)


def fences(values, least):
    """Tukey's far-out fences, as docs/report.md has them."""
    values = sorted(values)
    quarter = (len(values) - 1) // 4
    first, third = values[quarter], values[len(values) - 1 - quarter]
    distance = 3 * max(third - first, least)
    return first - distance, third + distance


def test_images():
    """Figures and histograms are those of JSON; what is unlike the rest is shown."""
    folder, page = path_of("set"), path_of("set.html")
    os.makedirs(folder)
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=64x48:rate=4:duration=3", "-vf", "eq=brightness=-0.2+n*0.005:eval=frame", os.path.join(folder, "usual-%02d.png"))
    ffmpeg("-f", "lavfi", "-i", "color=white:size=64x48", "-frames:v", "1", os.path.join(folder, "white<1>.png"))
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=160x120", "-vf", "eq=brightness=-0.18", "-frames:v", "1", os.path.join(folder, "large.jpg"))
    *images, summary = objects("--quiet", "--images", "--json", "--html", page, folder)
    open_page(page)
    assert chromium.evaluate("document.querySelector('h1').textContent") == folder
    lists = chromium.evaluate("""Object.fromEntries([...document.querySelectorAll("#unlike section, #ranked section")].map(list => [list.id.slice(5),
        [...list.querySelectorAll("figcaption")].map(caption => caption.firstChild.textContent)]))""")
    values = {"brightness": ([image["brightness"] for image in images], 0.02),
              "contrast": ([sum(image["std"]) / 3 for image in images], 0.02)}
    told = []
    for key, (numbers, least) in values.items():
        low, high = fences(numbers, least)
        expected = {image["path"] for image, number in zip(images, numbers) if not low <= number <= high}
        assert set(lists.get(key, [])) == expected != set(), (key, lists, expected)
        told.append(f"{len(expected)} image{'s' if len(expected) > 1 else ''} of unlike {key}")
    assert lists["size"] == [os.path.join(folder, "large.jpg")] and os.path.join(folder, "white<1>.png") in lists["brightness"], lists
    for kind, found in summary["outliers"].items():
        assert lists.get(kind, []) == [image["path"] for image in found[:5] if kind != "most-clipped" or image["value"] > 0], kind
    line = chromium.evaluate("byId('verdict-text').textContent")
    assert line == "LOOK AT  " + " \u00b7 ".join([*told, "1 image of unlike size"]), line
    sizes = chromium.evaluate("[...document.querySelectorAll('img')].map(image => [image.naturalWidth, image.naturalHeight])")
    assert len(sizes) == sum(map(len, lists.values())) and set(map(tuple, sizes)) == {(64, 48), (160, 120)}, sizes
    cells = chromium.evaluate("[...document.querySelectorAll('#figures tbody td')].map(cell => cell.textContent)")
    assert cells == [f"{value:.4f}" for key in ("pooled", "per-image") for figure in ("mean", "std") for value in summary[key][figure]], cells
    chromium.evaluate("document.querySelector('#chart-histogram .simple-plot').focus()")
    for log in (False, True):
        chromium.press("End")
        shown = chromium.evaluate("document.activeElement.getAttribute('aria-valuetext')")
        shares = [counts[255] / sum(counts) * 100 for counts in summary["histograms"]]
        assert shown == "1.0000: " + ", ".join(f"{name} {share:.3f} %" for name, share in zip("RGB", shares)), shown
        if not log:
            chromium.evaluate("byId('log').click()")
            chromium.evaluate("document.querySelector('#chart-histogram .simple-plot').focus()")
    assert sum(chromium.evaluate("description.brightness.classes")) == len(images)
    check_looks(page)
    # What cannot be measured is said first. Of a few images nothing is unlike the others.
    few = path_of("few")
    os.makedirs(few)
    shutil.copy(os.path.join(folder, "usual-01.png"), few)
    with open(os.path.join(few, "broken.png"), "wb") as file, open(os.path.join(folder, "usual-02.png"), "rb") as whole:
        file.write(whole.read()[:300])
    report("--quiet", "--images", "--html", page, few, status=1)
    open_page(page)
    line = chromium.evaluate("byId('verdict-text').textContent")
    assert line == "NOT COMPLETE  1 image cannot be measured" and chromium.evaluate("byId('verdict-text').className") == "bad", line
    assert chromium.evaluate("byId('problems').textContent").startswith(os.path.join(few, "broken.png") + ": ")
    # A page stays if there is no image.
    before = content(page)
    os.remove(os.path.join(few, "usual-01.png"))
    report("--quiet", "--images", "--html", page, few, status=1)
    assert content(page) == before
    check_quiet(page)


with chromium:
    STATUS = run_tests([test_index, test_sorted_and_filtered, test_large_index, test_interrupted_index, test_comparison, test_images])
sys.exit(STATUS)
