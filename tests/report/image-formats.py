#!/usr/bin/python3
"""Formats of images: every sample of each format is compared with what was written, and no image reaches another's figures.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import base64
import json
import os
import random
import struct
import subprocess
import sys
import zlib

try:
    import numpy
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

try:
    from PIL import Image
except ImportError:
    Image = None

from common import PROGRAM, TIMEOUT, ffmpeg, objects, path_of, run_tests

RANDOM = numpy.random.default_rng(62)
# The order of the channels of rawvideo, and the greatest code. 5 and 6 bits lie in words.
PIXELS = {
    "gray": ("Y", 255, "u1"), "gray16le": ("Y", 65535, "<u2"), "gray16be": ("Y", 65535, ">u2"),
    "gray10le": ("Y", 1023, "<u2"), "gray12le": ("Y", 4095, "<u2"), "ya8": ("YA", 255, "u1"),
    "ya16le": ("YA", 65535, "<u2"), "ya16be": ("YA", 65535, ">u2"), "rgb24": ("RGB", 255, "u1"),
    "bgr24": ("BGR", 255, "u1"), "rgba": ("RGBA", 255, "u1"), "bgra": ("BGRA", 255, "u1"), "abgr": ("ABGR", 255, "u1"),
    "rgb48le": ("RGB", 65535, "<u2"), "rgb48be": ("RGB", 65535, ">u2"), "rgba64le": ("RGBA", 65535, "<u2"),
    "rgba64be": ("RGBA", 65535, ">u2"), "gbrp": ("G B R", 255, "u1"), "gbrp10le": ("G B R", 1023, "<u2"),
    "gbrp10be": ("G B R", 1023, ">u2"), "gbrp12le": ("G B R", 4095, "<u2"), "gbrp12be": ("G B R", 4095, ">u2"),
    "gbrp16le": ("G B R", 65535, "<u2"), "gbrpf32le": ("G B R", 1.0, "<f4"), "gbrapf32le": ("G B R A", 1, "<f4"),
    "grayf32le": ("Y", 1.0, "<f4"),
}
# What ffmpeg writes without losses: the ending, the formats of pixels, and the options.
WRITTEN = [
    ("png", ["gray", "gray16be", "ya8", "ya16be", "rgb24", "rgba", "rgb48be", "rgba64be"], []),
    ("tiff", ["gray", "gray16le", "rgb24", "rgba", "rgb48le", "rgba64le"], ["-compression_algo", "raw"]),
    ("tiff", ["gray16le", "ya8", "ya16le", "rgb48le"], ["-compression_algo", "lzw"]),
    ("tiff", ["rgb24", "rgba64le"], ["-compression_algo", "deflate"]), ("tiff", ["rgb24"], ["-compression_algo", "packbits"]),
    ("bmp", ["gray", "bgr24", "bgra"], []), ("pgm", ["gray", "gray16be"], []), ("ppm", ["rgb24", "rgb48be"], []),
    ("pam", ["gray", "ya8", "gray16be", "rgb24", "rgba", "rgb48be", "rgba64be"], []),
    ("dpx", ["gray", "rgb24", "rgba", "abgr", "rgb48le", "rgb48be", "rgba64be", "gbrp10le", "gbrp10be",
             "gbrp12le", "gbrp12be"], []),
    ("exr", ["grayf32le", "gbrpf32le", "gbrapf32le"], ["-compression", "none"]), ("exr", ["gbrpf32le"], ["-compression", "zip16"]),
    ("exr", ["gbrpf32le"], ["-compression", "rle"]),
    ("jp2", ["gray", "ya8", "gray10le", "gray12le", "gray16le", "rgb24", "rgba", "gbrp10le", "gbrp12le", "gbrp16le",
             "rgba64le"], ["-c:v", "libopenjpeg"]),
    ("j2k", ["rgb24", "rgb48le"], ["-c:v", "libopenjpeg"]),
    ("webp", ["bgra"], ["-lossless", "1"]),
]

# 64 x 48 pixels of 200, 150, 100: four samples of luma in a row for one of chroma.
FLAT = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAIBAQEBAQIBAQECAgICAgQDAgICAgUEBAMEBgUGBgYFBgYGBwkIBgcJBwYGCAsICQoKCgoKBggL"
    "DAsKDAkKCgr/2wBDAQICAgICAgUDAwUKBwYHCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgr/wAAR"
    "CAAwAEADAUEAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAf/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFgEBAQEAAAAAAAAAAAAAAAAA"
    "AAcI/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8AvgDPa6AAAAAAAAAAAAAAAAAAAAAAP//Z")


def noise(width, height, channels, greatest):
    """Codes; of floats, numbers from below 0 to above 1, of which the greatest one is 1.5."""
    if isinstance(greatest, int):
        return RANDOM.integers(0, greatest + 1, (height, width, channels))
    values = RANDOM.uniform(-0.2, 1.5, (height, width, channels)).astype("f4")
    values[0, 0] = 1.5
    return values


def rgb_of(pixels, order, greatest):
    """R, G and B from 0 to 1, a column for each."""
    channels = order.replace(" ", "")
    columns = [pixels[..., channels.index(name if name in channels else "Y")].reshape(-1) for name in "RGB"]
    values = numpy.stack(columns, axis=1)
    if isinstance(greatest, float):
        return numpy.rint(numpy.clip(values.astype(float) / values.max(), 0, 1) * 65535) / 65535
    return values / greatest


def write_all(path):
    """Returns R, G and B of each file that ffmpeg writes."""
    inputs, outputs, truth = [], [], {}
    for number, (ending, formats, options) in enumerate(WRITTEN):
        for pixels in formats:
            order, greatest, kind = PIXELS[pixels]
            width, height = int(RANDOM.integers(33, 60)), int(RANDOM.integers(33, 48))
            values = noise(width, height, len(order.replace(" ", "")), greatest)
            if ending == "webp":
                # The encoder drops colours that nobody sees.
                values[..., 3] = numpy.maximum(values[..., 3], 1)
            raw = path_of(f"{len(truth)}.raw")
            (values.transpose(2, 0, 1) if " " in order else values).astype(kind).tofile(raw)
            name = f"{number}-{pixels}.{ending}"
            inputs += ["-f", "rawvideo", "-pix_fmt", pixels, "-s", f"{width}x{height}", "-i", raw]
            outputs += ["-map", f"{len(truth)}:v", "-pix_fmt", pixels, *options, "-frames:v", "1",
                        *(["-update", "1"] if ending != "webp" else []), os.path.join(path, name)]
            truth[name] = rgb_of(values, order, greatest), "A" in order
    done = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *inputs, *outputs], capture_output=True, timeout=TIMEOUT,
                          check=False)
    assert done.returncode == 0, done.stderr.decode()
    return truth


def png(path, pixels, depth, colours, palette=b"", alphas=b"", is_interlaced=False):
    """Writes a PNG of one sample a pixel, or of bytes, with or without the passes of Adam7."""
    height, width, channels = pixels.shape
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    rows = b""
    for x, y, right, down in passes if is_interlaced else [(0, 0, 1, 1)]:
        part = pixels[y::down, x::right].astype("u1")
        for row in part if part.size else []:
            bits = numpy.unpackbits(row.reshape(-1, 1), axis=1)[:, 8 - depth:]
            rows += b"\0" + numpy.packbits(bits).tobytes()

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colours, 0, 0, is_interlaced))
                   + (chunk(b"PLTE", palette) if palette else b"") + (chunk(b"tRNS", alphas) if alphas else b"")
                   + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def write_pngs(path):
    """Fewer than 8 bits, palettes, and Adam7."""
    truth = {}
    for is_interlaced in False, True:
        for depth in 1, 2, 4, 8:
            codes = noise(37, 21, 1, (1 << depth) - 1)
            name = f"gray-{depth}-{is_interlaced}.png"
            png(os.path.join(path, name), codes, depth, 0, is_interlaced=is_interlaced)
            truth[name] = rgb_of(codes, "Y", (1 << depth) - 1), False
            palette = RANDOM.integers(0, 256, (1 << depth, 3))
            name = f"palette-{depth}-{is_interlaced}.png"
            alphas = b"\0" if depth == 4 else b""
            png(os.path.join(path, name), codes, depth, 3, palette.astype("u1").tobytes(), alphas, is_interlaced)
            truth[name] = palette[codes[..., 0]].reshape(-1, 3) / 255, depth == 4
        pixels = noise(23, 30, 3, 255)
        name = f"rgb-{is_interlaced}.png"
        png(os.path.join(path, name), pixels, 8, 2, is_interlaced=is_interlaced)
        truth[name] = rgb_of(pixels, "RGB", 255), False
    return truth


def write_pnms(path):
    """Texts, bits, and other greatest codes than 255."""
    codes = noise(19, 11, 1, 1)
    truth = {}
    with open(os.path.join(path, "text.pbm"), "w", encoding="ascii") as file:
        file.write("P1\n# a comment of 1 2 3\n19 11\n" + "\n".join(" ".join(map(str, row)) for row in 1 - codes[..., 0]))
    with open(os.path.join(path, "bits.pbm"), "wb") as file:
        file.write(b"P4\n19 11\n" + numpy.packbits(1 - codes[..., 0].astype("u1"), axis=1).tobytes())
    truth["text.pbm"] = truth["bits.pbm"] = rgb_of(codes, "Y", 1), False
    pixels = noise(7, 5, 3, 255)
    with open(os.path.join(path, "text.ppm"), "w", encoding="ascii") as file:
        file.write("P3 7 5 255\n" + " ".join(map(str, pixels.reshape(-1))) + "\n")
    truth["text.ppm"] = rgb_of(pixels, "RGB", 255), False
    return truth


def compare(path, truth):
    *lines, summary = objects("--images", "--json", path)
    assert [os.path.basename(line["path"]) for line in lines] == sorted(truth), summary.get("problems")
    for line in lines:
        name = os.path.basename(line["path"])
        values, has_alpha = truth[name]
        for figure, wanted in (("mean", values.mean(axis=0)), ("std", values.std(axis=0)), ("min", values.min(axis=0)),
                               ("max", values.max(axis=0))):
            assert numpy.allclose(line[figure], wanted, rtol=0, atol=1e-12), (name, figure, line[figure], wanted)
        assert line["alpha"] == has_alpha and line["decoder"] == "libav", line
    return lines


def test_samples():
    """Every sample that was written is counted as it is, in each format, depth and order of bytes."""
    path = path_of("formats")
    os.mkdir(path)
    truth = write_all(path)
    truth.update(write_pngs(path))
    truth.update(write_pnms(path))
    assert len(truth) >= 60, len(truth)
    lines = compare(path, truth)
    # The order of the files changes no figure.
    paths = [line["path"] for line in lines]
    for jobs in "1", "2":
        random.Random(int(jobs)).shuffle(paths)
        done = subprocess.run([PROGRAM, "--images", "--json", "--jobs", jobs, "-"], input="\n".join(paths).encode(),
                              capture_output=True, timeout=TIMEOUT, check=True)
        again = [{**json.loads(line), "input": lines[0]["input"]} for line in done.stdout.splitlines()[:-1]]
        assert sorted(again, key=lambda line: line["path"]) == lines, "another order gives other figures"


def test_element():
    """The element gives the same figures and histograms as counting while an image is decoded, of any size."""
    path = path_of("sizes")
    os.mkdir(path)
    for number, (width, height) in enumerate([(w, h) for w in (1, 2, 3, 15, 16, 17, 18, 31, 32, 33, 34, 50, 64) for h in (1, 2, 3, 4, 5, 17)]
                                             + [(1000, 99), (640, 480)]):
        pixels = Image.fromarray(noise(width, height, 3, 255).astype("u1"))
        pixels = pixels.convert(("RGB", "L", "RGBA", "P")[number % 4])
        pixels.save(os.path.join(path, f"{width}x{height}.png"))
        pixels.convert("L" if number % 4 == 1 else "RGB").save(os.path.join(path, f"{width}x{height}.jpg"), quality=90)
    (*counted, _), (*measured, _) = (objects("--images", "--json-histograms", *more, path) for more in ([], ["--set", "backend=cpu"]))
    assert len(counted) == 160 and counted == measured, [pair for pair in zip(counted, measured) if pair[0] != pair[1]][:1]


def test_cut():
    """A file that ends within its body is named."""
    path = path_of("cut")
    os.mkdir(path)
    whole = path_of("formats")
    names = [name for name in os.listdir(whole) if name.endswith(("dpx", "exr", "jp2", "j2k", "pam", "webp", "png"))]
    assert names
    for name in names:
        with open(os.path.join(whole, name), "rb") as file:
            content = file.read()
        for part in 0.3, 0.6, 0.95:
            with open(os.path.join(path, f"{part}-{name}"), "wb") as file:
                file.write(content[:int(len(content) * part)])
    *lines, _ = objects("--images", "--json", path, status=1)
    measured = [line["path"] for line in lines if "problem" not in line]
    assert len(lines) == 3 * len(names) and not measured, measured


def is_damaged(path):
    (line, _) = objects("--images", "--json", path, status=None)
    return "problem" in line


def test_short_strips():
    """A TIFF whose zlib data end before its rows do is named: libav would show memory of another image."""
    for mode in "L", "RGB", "YCbCr":
        name = path_of(f"short-{mode}.tiff")
        Image.fromarray(noise(50, 40, 3, 255).astype("u1")).convert(mode).save(name, compression="tiff_adobe_deflate")
        with Image.open(name) as image:
            ((begin, *_), (size, *_)) = image.tag_v2[273], image.tag_v2[279]
        assert not is_damaged(name), name
        with open(name, "r+b") as file:
            file.seek(begin)
            rows = zlib.decompress(file.read(size))
            file.seek(begin)
            file.write(zlib.compress(rows[:len(rows) // 2]))
        assert is_damaged(name), name


def test_jpeg():
    """R, G and B are those of PIL, for each sampling; one sampling that GStreamer's decoder does not know."""
    path = path_of("jpeg")
    os.mkdir(path)
    rows, columns = numpy.mgrid[0:67, 0:101]
    picture = numpy.stack([columns * 2.5, rows * 3.7, (rows + columns) * 1.5], axis=2) + RANDOM.normal(0, 9, (67, 101, 3))
    picture = Image.fromarray(picture.clip(0, 255).astype("u1"))
    with open(os.path.join(path, "flat.jpg"), "wb") as file:
        file.write(FLAT)
    for sampling in 0, 1, 2:
        for is_progressive in False, True:
            picture.save(os.path.join(path, f"{sampling}-{is_progressive}.jpg"), quality=85, subsampling=sampling,
                         progressive=is_progressive)
    picture.convert("L").save(os.path.join(path, "gray.jpg"))
    *lines, _ = objects("--images", "--json", path)
    assert len(lines) == 8, lines
    for line in lines:
        pixels = numpy.asarray(Image.open(line["path"]).convert("RGB")).reshape(-1, 3) / 255
        for figure in "mean", "std", "min", "max":
            wanted = getattr(pixels, figure)(axis=0)
            assert numpy.allclose(line[figure], wanted, rtol=0, atol=1e-12), (line["path"], figure, line[figure], wanted)
    assert {line["decoder"] for line in lines} == {"libjpeg"}, lines[0]
    # A small file of many scans of the same would take hours.
    with open(os.path.join(path, "2-True.jpg"), "rb") as file:
        content = file.read()
    last = content.rindex(b"\xff\xda")
    with open(path_of("scans.jpg"), "wb") as file:
        file.write(content[:-2] + 500 * content[last:-2] + content[-2:])
    (line, _) = objects("--images", "--json", "scans.jpg", status=1)
    assert "problem" in line, line
    # What it conceals is noticed: an end or a part that is missing, and a marker amid the data.
    with open(lines[0]["path"], "rb") as file:
        content = file.read()
    for number, data in enumerate((content[:-2], content[:-900] + content[-2:], content[:1000] + b"\xff\xd0\xff\xd1" + content[1004:])):
        name = path_of(f"damaged-{number}.jpg")
        with open(name, "wb") as file:
            file.write(data)
        assert is_damaged(name), name
    picture.convert("CMYK").save(path_of("ink.jpg"))
    (line, _) = objects("--images", "--json", "ink.jpg", status=1)
    assert "CMYK" in line["problem"], line


def test_facts():
    """Orientation, transfer, and what becomes of floats."""
    exif = Image.Exif()
    exif[0x0112] = 6
    picture = Image.fromarray(noise(8, 6, 3, 255).astype("u1"))
    for ending in "jpg", "png", "webp", "tiff":
        picture.save(path_of("turned." + ending), exif=exif.tobytes())
        (line, summary) = objects("--images", "--json", "turned." + ending)
        assert (line["orientation"], summary["turned"]) == ("rotate-90", 1), line
    picture.save(path_of("upright.png"))
    (line, summary) = objects("--images", "--json", "upright.png")
    assert "orientation" not in line and "transfer" not in line and "scale" not in line and "turned" not in summary, line
    for number, name in (1, "printing density"), (2, "linear"), (3, "logarithmic"), (6, "BT.709"):
        with open(os.path.join(path_of("formats"), "9-gbrp10be.dpx"), "rb") as file:
            content = bytearray(file.read())
        content[801] = number
        with open(path_of("scan.dpx"), "wb") as file:
            file.write(content)
        (line, summary) = objects("--images", "--json", "scan.dpx")
        assert line["transfer"] == name and summary["transfers"] == {name: 1}, line
    values = numpy.array([[[2.5], [-1], [-0.5], [numpy.inf], [numpy.nan], [0], [1.25]]], "<f4")
    values.tofile(path_of("floats.raw"))
    subprocess.run(["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "grayf32le", "-s", "7x1", "-i", path_of("floats.raw"),
                    "-compression", "none", "-update", "1", path_of("floats.exr")], check=True, timeout=TIMEOUT)
    (line, _) = objects("--images", "--json-histograms", "floats.exr")
    assert (line["scale"], line["negative"], line["infinite"], line["transfer"]) == (2.5, 2, 2, "linear"), line
    counts = {code: count for code, count in enumerate(line["histograms"][0]) if count}
    assert counts == {0: 4, 32768: 1, 65535: 2}, counts


def has_libjpeg():
    with open(path_of("one.jpg"), "wb") as file:
        file.write(FLAT)
    return objects("--images", "--json", "one.jpg")[0]["decoder"] == "libjpeg"


def test_by_name():
    """An image that GStreamer does not play, or plays wrongly, is measured by its name as a sequence of one image is; damage is
    named."""
    shown = {"tiff": "TIFF", "dpx": "DPX", "bmp": "BMP", "pam": "PNM", "jp2": "JPEG 2000", "png": "PNG"}
    pixels = {"tiff": "rgb48le", "dpx": "gbrp10be", "bmp": "bgr24", "pam": "rgb24", "jp2": "rgb24", "png": "rgb48be"}
    for ending, name in shown.items():
        # The content tells the format, whatever the name says.
        path, numbered = path_of(f"scan-{ending}.bin"), path_of(f"scan-{ending}-1.{ending}")
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=64x48", "-frames:v", "1", "-pix_fmt", pixels[ending],
               *(["-c:v", "libopenjpeg"] if ending == "jp2" else []), "-update", "1", numbered)
        os.link(numbered, path)
        *_, frame, summary = objects("--json", path)
        *_, wanted, _ = objects("--sequence", "25", "--json", f"scan-{ending}-%d.{ending}")
        (stream,) = summary["streams"]
        assert summary["complete"] and stream["codec"].startswith(f"{name}") and stream["decoder"] == "libav", (ending, stream)
        for component in frame["components"]:
            assert frame[component] == wanted[component], (ending, component, frame[component], wanted[component])
        assert frame["format"] == wanted["format"] and summary["duration"] == 0, (ending, frame["format"], summary["duration"])
        with open(path, "rb") as file:
            content = file.read()
        cut = path_of(f"cut-{ending}.{ending}")
        with open(cut, "wb") as file:
            file.write(content[:len(content) // 3])
        (summary,) = objects("--json-summary", cut, status=1)
        assert not summary["complete"] and summary["problems"][0]["type"] == "undecodable", (ending, summary["problems"])
    one, = objects("--compare", "--json", path_of("scan-tiff.bin"), path_of("scan-tiff-1.tiff"))
    assert one["verdict"] == "SAME", one


if __name__ == "__main__":
    sys.exit(run_tests([test_samples, test_cut, test_by_name] + ([test_element, test_short_strips, test_facts] if Image is not None else [])
                       + ([test_jpeg] if Image is not None and has_libjpeg() else [])))
