#!/usr/bin/python3
"""Formats of images: every sample of each format is compared with what was written, and no image reaches another's figures.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
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

from common import PROGRAM, TIMEOUT, directory, objects, path_of, run_tests

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


if __name__ == "__main__":
    sys.exit(run_tests([test_samples, test_cut]))
