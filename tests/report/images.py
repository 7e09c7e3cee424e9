#!/usr/bin/python3
"""Sets of images: their figures compared with numpy's, and what is no image.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import csv
import fcntl
import io
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
import zlib

try:
    import numpy
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

from common import PROGRAM, ROOT, TIMEOUT, VIDEO, directory, ffmpeg, objects, one_line, path_of, picture, report, \
    run_tests

COLOURS = {1: 0, 2: 4, 3: 2, 4: 6}      # the type of the colours by the number of channels
RANDOM = numpy.random.default_rng(48)


def png(path, pixels, depth=8):
    """Writes rows of pixels, of 1 to 4 channels, as a PNG."""
    height, width, channels = pixels.shape
    rows = pixels.astype(">u2" if depth == 16 else "u1").reshape(height, -1)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n"
                   + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, COLOURS[channels], 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row.tobytes() for row in rows)))
                   + chunk(b"IEND", b""))


def noise(width, height, channels, depth=8):
    return RANDOM.integers(0, 1 << depth, (height, width, channels))


def rgb_of(pixels, depth=8):
    """R, G and B from 0 to 1, a column for each. Grey counts as R = G = B."""
    colours = pixels[..., :3] if pixels.shape[2] > 2 else numpy.repeat(pixels[..., :1], 3, axis=2)
    return colours.reshape(-1, 3) / ((1 << depth) - 1)


def folder(name, **images):
    """A folder with PNGs of 8 bits."""
    path = path_of(name)
    os.makedirs(path, exist_ok=True)
    for image, pixels in images.items():
        png(os.path.join(path, image + ".png"), pixels)
    return path


def measure(*arguments, status=0):
    """Returns the lines of the images and the summary."""
    *lines, summary = objects("--images", "--json", *arguments, status=status)
    assert all(line["type"] == "image" for line in lines) and summary["type"] == "summary"
    assert summary["complete"] == (status == 0)
    check_schema(lines + [summary])
    return lines, summary


def check_schema(lines):
    try:
        import jsonschema
    except ImportError:
        return
    with open(os.path.join(ROOT, "docs/report.schema.json"), encoding="utf-8") as file:
        validator = jsonschema.Draft7Validator(json.load(file))
    for line in lines:
        validator.validate(line)


def close(one, other, tolerance=1e-12):
    return numpy.allclose(one, other, rtol=0, atol=tolerance)


def has_libav():
    """Whether the program decodes more than GStreamer's decoders of PNG, JPEG and WebP do."""
    png(path_of("one.png"), noise(1, 1, 1))
    return measure(path_of("one.png"))[0][0]["decoder"] == "libav"


def names(lines):
    return [os.path.basename(line["path"]) for line in lines]


def decode(path, pixels):
    """The samples that ffmpeg decodes."""
    done = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", pixels, "-"],
                          capture_output=True, timeout=TIMEOUT, check=True)
    return numpy.frombuffer(done.stdout, "u1")


def test_vector():
    """The set of the definition: A has 0 and 255, B has 255."""
    path = folder("vector", a=numpy.array([[[0], [255]]]), b=numpy.array([[[255]]]))
    _, summary = measure(path)
    assert close(summary["pooled"]["mean"], [2 / 3] * 3) and close(summary["pooled"]["std"], [2 ** 0.5 / 3] * 3)
    assert summary["per-image"] == {"mean": [0.75] * 3, "std": [0.25] * 3}, summary["per-image"]
    output, _ = report("--images", path)
    text = output.decode()
    assert "mean  R 0.6667  G 0.6667  B 0.6667   std  R 0.4714  G 0.4714  B 0.4714" in text, text
    assert "mean  R 0.7500  G 0.7500  B 0.7500   std  R 0.2500  G 0.2500  B 0.2500" in text, text


def test_numpy():
    """Mixed sizes, grey, alpha and 16 bits."""
    path = folder("mixed")
    kinds = [(23, 11, 1, 8), (40, 31, 3, 8), (7, 64, 4, 8), (16, 16, 2, 8), (19, 10, 1, 16), (13, 9, 4, 16),
             (12, 5, 2, 16)]
    kinds = [kind for kind in kinds if kind[3] == 8 or has_libav()]
    values = []
    for number, (width, height, channels, depth) in enumerate(kinds):
        pixels = noise(width, height, channels, depth)
        # One darker and one brighter image.
        pixels = pixels // 4 if number == 1 else pixels
        pixels = 255 - pixels // 4 if number == 0 else pixels
        png(os.path.join(path, f"{number}.png"), pixels, depth)
        values.append(rgb_of(pixels, depth))
    lines, summary = measure("--jobs", "3", path)
    assert names(lines) == [f"{number}.png" for number in range(len(kinds))], names(lines)
    for line, value, (width, height, channels, _) in zip(lines, values, kinds):
        assert (line["width"], line["height"], line["alpha"]) == (width, height, channels % 2 == 0), line
        assert close(line["mean"], value.mean(axis=0)) and close(line["std"], value.std(axis=0)), line
        assert close(line["min"], value.min(axis=0)) and close(line["max"], value.max(axis=0)), line
        assert close(line["brightness"], value.mean()), line
        assert close(line["clipped"], ((value == 0) | (value == 1)).mean()), line
    everything = numpy.concatenate(values)
    assert close(summary["pooled"]["mean"], everything.mean(axis=0))
    assert close(summary["pooled"]["std"], everything.std(axis=0))
    assert close(summary["per-image"]["mean"], numpy.mean([value.mean(axis=0) for value in values], axis=0))
    assert close(summary["per-image"]["std"], numpy.mean([value.std(axis=0) for value in values], axis=0))
    assert (summary["images"], summary["broken"]) == (len(kinds), 0)
    assert summary["alpha"] == sum(channels % 2 == 0 for _, _, channels, _ in kinds)
    assert summary["width"] == {"min": 7, "max": 40} and summary["pixels"] == len(everything)
    for histogram, column in zip(summary["histograms"], everything.T):
        # A code of 16 bits falls into the bin of its upper 8 bits.
        codes = numpy.floor(column * 65535 / 256 + 1e-6)
        assert histogram == numpy.bincount(codes.astype(int), minlength=256).tolist()
    brightness = [value.mean() for value in values]
    order = sorted(range(len(values)), key=lambda number: brightness[number])
    outliers = summary["outliers"]
    assert names(outliers["darkest"]) == [f"{number}.png" for number in order]
    assert names(outliers["brightest"]) == [f"{number}.png" for number in reversed(order)]
    sharpness = [line["sharpness"] for line in lines]
    assert [outlier["value"] for outlier in outliers["least-sharp"]] == sorted(sharpness)
    assert [outlier["value"] for outlier in outliers["most-clipped"]] == \
        sorted((line["clipped"] for line in lines), reverse=True)
    # The figures do not depend on the threads.
    for jobs in "1", "2", "7":
        again, other = measure("--jobs", jobs, path)
        assert again == lines and {**other, "seconds": 0} == {**summary, "seconds": 0}


def test_formats():
    """One picture in all formats that are decoded here."""
    path = path_of("formats")
    os.makedirs(path, exist_ok=True)
    original = os.path.join(path, "a.png")
    ffmpeg(*VIDEO, "-frames:v", "1", original)
    for ending in "bmp", "gif", "jpg", "pgm", "ppm", "tiff", "webp":
        ffmpeg("-i", original, *(["-q:v", "1", "-pix_fmt", "yuvj420p"] if ending == "jpg" else []),
               os.path.join(path, "a." + ending))
    lines, summary = measure(path)
    found = {line["path"].rpartition(".")[2]: line for line in lines}
    assert summary["file-formats"] == {"BMP": 1, "GIF": 1, "JPEG": 1, "PNG": 1, "PNM": 2, "TIFF": 1, "WebP": 1}
    for ending in "bmp", "ppm", "tiff":
        assert found[ending]["mean"] == found["png"]["mean"] and found[ending]["std"] == found["png"]["std"]
    assert close(found["gif"]["mean"], found["png"]["mean"], 0.02)
    assert found["pgm"]["mean"] == [found["pgm"]["mean"][0]] * 3
    # Compared with ffmpeg's decoders.
    webp = decode(os.path.join(path, "a.webp"), "rgb24").reshape(-1, 3)
    assert close(found["webp"]["mean"], webp.mean(axis=0) / 255, 0.004), found["webp"]
    planes = decode(os.path.join(path, "a.jpg"), "yuvj420p").astype(float)
    luma, chroma = planes[:160 * 120].reshape(120, 160), planes[160 * 120:].reshape(2, 60, 80)
    # JPEG has the matrix of BT.601; a pixel has the nearest chroma sample.
    blue, red = chroma.repeat(2, axis=1).repeat(2, axis=2) - 128
    colours = [luma + 1.402 * red, luma - 0.344136 * blue - 0.714136 * red, luma + 1.772 * blue]
    mean = [numpy.clip(colour, 0, 255).mean() / 255 for colour in colours]
    assert close(found["jpg"]["mean"], mean, 0.004), (found["jpg"]["mean"], mean)


def test_full_range():
    """The range of JPEG is expanded: black and white are 0 and 1."""
    for name, source, value in ("black.jpg", "black", 0), ("white.jpg", "white", 1):
        ffmpeg("-f", "lavfi", "-i", f"color={source}:size=32x32", "-frames:v", "1", "-pix_fmt", "yuvj420p",
               path_of(name))
        (line,), _ = measure(path_of(name))
        assert line["mean"] == [value] * 3 and line["clipped"] == 1, line


def test_broken():
    """Each image that cannot be measured is named, and the others are counted."""
    path = folder("broken", good=noise(16, 16, 3), other=noise(300, 200, 3))
    with open(os.path.join(path, "other.png"), "rb") as file:
        content = file.read()
    ffmpeg(*VIDEO, "-frames:v", "1", os.path.join(path, "good.jpg"))
    with open(os.path.join(path, "good.jpg"), "rb") as file:
        jpeg = file.read()
    wrong = bytearray(content)
    wrong[len(wrong) // 2] ^= 255
    bad = {"cut.png": content[:len(content) // 2], "end.png": content[:-12], "wrong.png": wrong, "cut.jpg": jpeg[:-100],
           "head.jpg": jpeg[:20], "empty.png": b"", "text.png": b"a text", "cut.gif": b"GIF89a", "cut.bmp": jpeg[:0] +
           b"BM" + bytes(12) + b"\x28" + bytes(30), "cut.tiff": b"II*\0", "cut.webp": b"RIFF\x10\0\0\0WEBPVP8 ",
           "cut.ppm": b"P6 16 16 255\n" + bytes(5)}
    for name, data in bad.items():
        with open(os.path.join(path, name), "wb") as file:
            file.write(data)
    lines, summary = measure(path, status=1)
    assert {name for name, line in zip(names(lines), lines) if "problem" in line} == set(bad), lines
    assert (summary["images"], summary["broken"]) == (3, len(bad)), summary["images"]
    assert names(summary["problems"]) == sorted(bad)
    _, errors = report("--images", path, status=1)
    # libpng writes lines of its own between them.
    for name in bad:
        assert f"cudahisto-report: {os.path.join(path, name)}: " in errors.decode(), (name, errors)
    assert b"good." not in errors, errors
    _, errors = report("--images", path_of("nothing.png"), status=1)
    assert one_line(errors).endswith("nothing.png: No such file or directory"), errors


def bmp_of_runs(bits, has_end=True):
    """A BMP of 6 x 3 pixels, from the lowest row: a run of the brightest colour; single pixels; a step over black."""
    row = bytes([6, 255, 0, 0])
    pixels = bytes([0, 5, 0, 1, 2, 3, 4, 0]) if bits == 8 else bytes([0, 5, 0x01, 0x23, 0x40, 0])
    data = row + pixels + bytes([1, 0, 0, 0]) + bytes([0, 2, 4, 0, 2, 255]) + (b"\0\1" if has_end else b"")
    palette = b"".join(bytes([code * 255 // ((1 << bits) - 1)] * 3) + b"\0" for code in range(1 << bits))
    offset = 54 + len(palette)
    return struct.pack("<2sIII", b"BM", offset + len(data), 0, offset) + struct.pack(
        "<IiiHHIIIIII", 40, 6, 3, 1, bits, 1 if bits == 8 else 2, len(data), 0, 0, 1 << bits, 0) + palette + data


def tiff(width, height):
    """A gray TIFF whose directory is before its only strip."""
    tags = [(256, 3, width), (257, 3, height), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 122), (277, 3, 1),
            (278, 3, height), (279, 4, width * height)]
    return b"II*\0" + struct.pack("<IH", 8, len(tags)) + b"".join(
        struct.pack("<HHII", number, kind, 1, value) for number, kind, value in tags) + bytes(4) + bytes(width * height)


def test_runs():
    """Runs of BMP are decoded right; behind the last pixel no end is needed."""
    for bits in 8, 4:
        for has_end in True, False:
            name = path_of(f"runs-{bits}-{has_end}.bmp")
            with open(name, "wb") as file:
                file.write(bmp_of_runs(bits, has_end))
            (line,), _ = measure(name)
            assert close(line["mean"], (8 + 10 / ((1 << bits) - 1)) / 18), (bits, has_end, line)


def test_cut():
    """A file that ends anywhere in its body is cut off, in each format."""
    path = path_of("cut")
    os.makedirs(path)
    whole = {"8.bmp": bmp_of_runs(8), "4.bmp": bmp_of_runs(4), "first.tiff": tiff(64, 16)}
    for name, arguments in {"plain.bmp": ["-pix_fmt", "bgr24"], "gray.bmp": ["-pix_fmt", "gray"], "films.gif": [],
                            "photo.jpg": [], "gray.pgm": [], "colour.ppm": [], "one.png": [], "lossy.webp": [],
                            "lossless.webp": ["-lossless", "1"], "last.tiff": ["-pix_fmt", "rgb24"],
                            "deflate.tiff": ["-pix_fmt", "rgb24", "-compression_algo", "deflate"]}.items():
        # Rows of 62 pixels of BMP have padding; GIF has a film, the others one picture.
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=62x40", "-frames:v", "3" if name.endswith("gif") else "1",
               *(["-update", "1"] if not name.endswith(("gif", "webp")) else []), *arguments, path_of(name))
        with open(path_of(name), "rb") as file:
            whole[name] = file.read()
    for name, content in whole.items():
        # What nobody reads: the offset of another picture of a TIFF, and the end behind the last pixel of runs.
        most = len(content) - {"last.tiff": 5, "deflate.tiff": 5, "8.bmp": 3, "4.bmp": 3}.get(name, 1)
        with open(os.path.join(path, name), "wb") as file:
            file.write(content)
        for number, n in enumerate((len(content) // 2, len(content) * 9 // 10, most)):
            with open(os.path.join(path, f"cut-{number}-{name}"), "wb") as file:
                file.write(content[:n])
    lines, _ = measure(path, status=1)
    assert len(lines) == 4 * len(whole), names(lines)
    assert {name for name, line in zip(names(lines), lines) if "problem" not in line} == set(whole), lines


def test_folder():
    """Subfolders, in the order of bytes; no hidden files, no links, nothing else; a name that is no text."""
    path = folder("tree", B=noise(4, 4, 3), a=noise(4, 4, 3))
    folder("tree/b", c=noise(4, 4, 3))
    folder("tree/.hidden", x=noise(4, 4, 3))
    folder("outside", y=noise(4, 4, 3))
    os.symlink(os.path.join(path, "a.png"), os.path.join(path, "link.png"))
    os.symlink(path_of("outside"), os.path.join(path, "link"))
    os.rename(os.path.join(folder("tree", z=noise(4, 4, 3)), "z.png"), os.path.join(path, ".z.png"))
    png(os.path.join(os.fsencode(path), b"caf\xe9\n.png"), noise(4, 4, 3))
    png(os.path.join(path, "without-ending"), noise(4, 4, 3))
    os.mkfifo(os.path.join(path, "pipe.png"))
    with open(os.path.join(path, "labels.txt"), "w", encoding="utf-8") as file:
        file.write("BM a cat\n")
    os.link(picture(), os.path.join(path, "film.mkv"))
    lines, _ = measure(path)
    assert names(lines) == ["B.png", "a.png", "c.png", "caf\ufffd?.png", "without-ending"], names(lines)
    assert lines[3]["uri"].endswith("/caf%E9%0A.png") and "uri" not in lines[0], lines[3]
    os.mkdir(path_of("empty"))
    _, errors = report("--images", "empty", status=1)
    assert one_line(errors) == "cudahisto-report: empty: there is no image", errors


def test_closed_folders():
    """A subfolder that cannot be listed is named, and so are the files and folders of one that cannot be searched."""
    path = folder("doors", a=noise(4, 4, 3))
    folder("doors/listed/inner")
    for name, mode in ("closed", 0), ("listed", 0o444):
        os.chmod(folder("doors/" + name, b=noise(4, 4, 3)), mode)
    command = [PROGRAM, "--images", "--json", path]
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            return
        # Root may read anything.
        command = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", *command]
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False)
    finally:
        for name in "closed", "listed":
            os.chmod(os.path.join(path, name), 0o755)
    *lines, summary = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1 and all(problem["type"] == "unreadable" for problem in summary["problems"]), summary
    assert set(names(summary["problems"])) == {"closed", "inner", "b.png"}, summary
    assert names(lines) == ["a.png", "b.png"] and "problem" in lines[1], lines


def test_names():
    """Lists, sequences and images as inputs."""
    path = folder("named", **{f"f-{number:03d}": noise(4, 4, 3) for number in (8, 9, 10, 13, 1000)})
    png(os.path.join(path, "f-0007.png"), noise(4, 4, 3))
    png(os.path.join(path, "100%.png"), noise(4, 4, 3))
    lines, summary = measure(os.path.join(path, "f-%03d.png"), status=1)
    assert names(lines) == [f"f-{number:03d}.png" for number in (8, 9, 10, 13, 1000)], names(lines)
    assert [problem["text"] for problem in summary["problems"]] == \
        ["images 11 to 12 are missing", "images 14 to 999 are missing"], summary["problems"]
    assert summary["images"] == 5 and summary["broken"] == 0
    # A pattern names its images, and so follows links.
    for number in (11, 12):
        os.symlink(os.path.join(path, "f-010.png"), os.path.join(path, f"f-{number:03d}.png"))
    lines, _ = measure(os.path.join(path, "f-%03d.png"), status=1)
    assert names(lines) == [f"f-{number:03d}.png" for number in (8, 9, 10, 11, 12, 13, 1000)], names(lines)
    _, errors = report("--images", os.path.join(path, "g-%d.png"), status=1)
    assert one_line(errors).endswith("there is no image of this sequence"), errors
    lines, _ = measure(os.path.join(path, "100%.png"))
    assert names(lines) == ["100%.png"]
    # Relative to the list.
    text = "f-010.png\r\n\n" + os.path.join(path, "f-008.png") + "\n"
    with open(os.path.join(path, "list.txt"), "w", encoding="utf-8") as file:
        file.write(text + "none.png")
    lines, _ = measure(os.path.join(path, "list.txt"), status=1)
    assert names(lines) == ["f-010.png", "f-008.png", "none.png"] and "problem" in lines[2], lines
    # Relative to the folder of the program.
    for data in b"named/f-009.png\nnamed/f-008.png\n", b"named/f-009.png\0named/f-008.png\0":
        done = subprocess.run([PROGRAM, "--images", "--csv", "-"], input=data, capture_output=True, timeout=TIMEOUT,
                              cwd=directory.name, check=True)
        rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
        assert [row["path"] for row in rows] == ["named/f-009.png", "named/f-008.png"], rows


def test_every_and_before():
    pixels = {f"i{number}": noise(16, 8, 3) for number in range(7)}
    path = folder("every", **pixels)
    with open(os.path.join(path, "i0.txt"), "w", encoding="utf-8") as file:
        file.write("no image")
    lines, summary = measure("--every", "3", path)
    assert names(lines) == ["i0.png", "i3.png", "i6.png"] and summary["images"] == 3
    lines, _ = measure("--before", "videocrop left=4 top=2 ! queue", path)
    for line in lines:
        value = rgb_of(pixels[os.path.basename(line["path"])[:-4]][2:, 4:])
        assert (line["width"], line["height"]) == (12, 6) and close(line["mean"], value.mean(axis=0)), line
    _, summary = measure("--before", "videoscale ! video/x-raw,width=4,height=4", path)
    assert summary["width"] == {"min": 4, "max": 4} and "videoscale" in summary["settings"]
    # An error ends the image in which it comes, and no other one.
    lines, _ = measure("--jobs", "1", "--before", "queue ! identity error-after=3", path, status=1)
    assert [number for number, line in enumerate(lines) if "problem" in line] == [2, 5], lines


def test_many_jobs():
    """More jobs than images."""
    path = folder("jobs", **{f"i{number}": noise(16, 8, 3) for number in range(7)})
    lines, _ = measure("--jobs", "1", path)
    assert measure("--jobs", "1024", path)[0] == lines


def test_csv():
    path = folder("table", one=noise(4, 4, 3))
    with open(os.path.join(path, "two.png"), "wb"):
        pass
    output, _ = report("--images", "--csv", path, status=1)
    rows = list(csv.DictReader(io.StringIO(output.decode())))
    lines, _ = measure(path, status=1)
    assert [row["problem"] for row in rows] == ["", "the file is empty"] and rows[1]["R.mean"] == "", rows
    assert [float(rows[0][f"{channel}.std"]) for channel in "RGB"] == lines[0]["std"], rows
    assert float(rows[0]["sharpness"]) == lines[0]["sharpness"]


def test_options():
    """What does not fit is refused before anything is measured."""
    path = folder("options", a=noise(4, 4, 3))
    image = os.path.join(path, "a.png")
    with open(image, "rb") as file:
        content = file.read()
    for arguments in (["--every", "2", path], ["--images", "--every", "0", path], ["--images", "--html", image, path], ["--images", "--qctools", "x", path],
                      ["--images", "--ffprobe", path], ["--images", "--results", "r/", path],
                      ["--images", "--measures", "basic", path], ["--images", "--before", "nothing", path],
                      ["--images", "--before", "fakesink", path], ["--images", "--output", image, path],
                      ["--images", "--before", f"tee name=t t. ! queue ! filesink location={image} t. ! queue", path],
                      ["--images", "--jobs", "0", path]):
        one_line(report(*arguments, status=2)[1])
    with open(image, "rb") as file:
        assert file.read() == content
    report("--images", "--json-summary", "--output", "set.json", path)
    _, errors = report("--merge", "set.json", status=1)
    assert "sets are not added up" in one_line(errors), errors
    _, summary = measure("--set", "max-in-flight=2", "--set", "backend=cpu", path)
    assert summary["settings"] == "every=1 before=none max-in-flight=2 backend=cpu", summary["settings"]
    # Elements that no image fits.
    lines, _ = measure("--before", "video/x-raw,width=5", path, status=1)
    assert "problem" in lines[0], lines


def test_interrupt():
    """After SIGINT the report of what was measured is written."""
    path = os.path.join(folder("interrupt", a=noise(64, 64, 3)), "a.png")
    with open(path_of("long.txt"), "w", encoding="utf-8") as file:
        file.write((path + "\n") * 200000)
    with subprocess.Popen([PROGRAM, "--images", "--json", "long.txt"], stdout=subprocess.PIPE, cwd=directory.name
                          ) as process:
        output = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        output += process.stdout.read()
    *lines, summary = [json.loads(line) for line in output.splitlines()]
    assert process.returncode == 130 and not summary["complete"], process.returncode
    assert summary["images"] == len(lines) < 200000 and summary["problems"][0]["type"] == "interrupted", summary


def test_interrupt_of_a_search():
    """SIGINT ends the search for files, too: of a list whose end does not come, and of folders."""
    path = folder("searched", **{f"i{number}": noise(1, 1, 1) for number in range(100)})
    for lines, is_closed in (b"none.png\n", False), ((os.fsencode(path) + b"\n") * 100000, True):
        with subprocess.Popen([PROGRAM, "--images", "--json-summary", "-"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            process.stdin.write(lines)
            process.stdin.flush()
            # The program reads, and so it handles signals.
            while fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4)) != bytes(4):
                time.sleep(0.01)
            if is_closed:
                process.stdin.close()
            process.send_signal(signal.SIGINT)
            try:
                assert process.wait(TIMEOUT / 2) == 130, process.returncode
            finally:
                process.kill()
            summary = json.loads(process.stdout.read())
        assert summary["problems"][-1]["type"] == "interrupted", summary


if __name__ == "__main__":
    by_libav = {test_formats, test_runs, test_cut}
    sys.exit(run_tests([value for name, value in list(globals().items()) if name.startswith("test_")
                        and (value not in by_libav or has_libav())]))
