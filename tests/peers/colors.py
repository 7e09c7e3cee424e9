#!/usr/bin/python3
"""Colours and light, as zimg (ffmpeg's filter zscale) computes them from the same samples: R, G and
B of YUV video, luma of RGB video, and cd/m² of PQ, SDR, sRGB and linear video. zimg's HLG has no
system gamma of luminance, so that of BT.2100 is computed here, by numpy.

zimg computes in floating point and rounds once. cudahisto computes in integers, so a sample close to
one half may become the neighbouring value. The clips are 4:4:4, because zimg interpolates chroma.

    GST_PLUGIN_PATH=BUILD_DIR/plugin tests/peers/colors.py

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import math
import sys
import films
import numpy
import peers

# GStreamer's colorimetry, and ffmpeg's colorspace.
MATRICES = (("2:3:5:1", "bt709"), ("2:4:16:4", "smpte170m"), ("2:6:5:7", "bt2020nc"),
            ("2:5:5:6", "smpte240m"), ("1:3:5:1", "bt709"), ("1:4:5:4", "smpte170m"))
RGB = {8: "gbrp", 10: "gbrp10le", 12: "gbrp12le"}
YUV = {8: "yuv444p", 10: "yuv444p10le", 12: "yuv444p12le"}
# The largest share of samples that become a neighbour. Coefficients have an error of 2^-15 each.
NEIGHBOURS = {8: 0.015, 10: 0.06, 12: 0.24}
# GStreamer's number of the transfer function, ffmpeg's name, and cd/m² of the largest code.
TRANSFERS = {"PQ": (14, "smpte2084", 10000), "SDR": (5, "bt709", 100),
             "sRGB": (7, "iec61966-2-1", 100), "linear": (1, "linear", 100)}
HLG_RGB, HLG = "1:1:15:7", "bt2100-hlg"


def convert(clip, graph, pixel_format, dtype):
    """The planes of each frame after a graph of filters, in ffmpeg's order."""
    data = peers.clips.ffmpeg(*clip.input(), "-vf", f"{graph},format={pixel_format}", "-f",
                              "rawvideo", "-pix_fmt", pixel_format, "-")
    return numpy.frombuffer(data, dtype).reshape(len(clip.frames), 3, clip.height, clip.width)


def parameters(clip, colorspace, transfer="bt709"):
    span = "full" if clip.colorimetry.startswith("1:") else "limited"
    return (f"setparams=range={span}:colorspace={colorspace}:color_primaries=bt2020:"
            f"color_trc={transfer}")


def colorful(depth, colorimetry):
    """All colours: smooth ramps of Y, U and V in other directions, and noise."""
    top, height, width = (1 << depth) - 1, 90, 160
    rows, columns = numpy.mgrid[0:height, 0:width]
    planes = [columns / width, rows / height, (columns * 3 / width + rows * 2 / height) % 1]
    frames = [[(plane * top).astype("u1" if depth == 8 else "<u2") for plane in planes[index:]
               + planes[:index]] for index in range(2)]
    clip = peers.Video(f"colours, {depth} bit, {colorimetry}", YUV[depth], width, height, 25, frames,
                       colorimetry)
    return films.add_noise(clip, 1 << depth - 4)


def compare_samples(comparison, where, name, component, samples, depth):
    """Compares a histogram with samples. The mean distance of the sorted values is the share of
    samples that became a neighbour."""
    histogram = component["histogram"].astype(int)
    expected = numpy.bincount(samples.ravel(), minlength=1 << depth)
    distance = abs(numpy.cumsum(histogram - expected)).sum() / samples.size
    comparison.close(where, name, distance, 0, NEIGHBOURS[depth])
    comparison.close(where, f"mean of {name}", component["mean"], float(samples.mean()),
                     NEIGHBOURS[depth])
    for end, value in (("min", samples.min()), ("max", samples.max())):
        comparison.close(where, f"{end} of {name}", component[end], int(value), 1)


def test_rgb_of_yuv():
    for depth in RGB:
        for colorimetry, colorspace in MATRICES:
            clip = colorful(depth, colorimetry)
            comparison = peers.Comparison(clip.name)
            results, _ = peers.measure(clip, "measures=color")
            frames = convert(clip, f"{parameters(clip, colorspace)},zscale=m=gbr:r=full", RGB[depth],
                             "u1" if depth == 8 else "<u2")
            for number, (result, planes) in enumerate(zip(results, frames)):
                for name, samples in zip("GBR", planes):
                    compare_samples(comparison, f"frame {number}", name, result["color"][name],
                                    samples, depth)
            comparison.finish()


def test_luma_of_rgb():
    for colorimetry, colorspace in (("1:1:5:1", "bt709"), ("1:1:16:4", "smpte170m"),
                                    ("1:1:5:7", "bt2020nc")):
        clip = films.tree("gbrp", 4)
        clip.name, clip.colorimetry = f"luma, {colorimetry}", colorimetry
        comparison = peers.Comparison(clip.name)
        results, _ = peers.measure(clip, "measures=color")
        frames = convert(clip, f"{parameters(clip, 'gbr')},zscale=m={colorspace}:r=full",
                         "yuv444p", "u1")
        for number, (result, planes) in enumerate(zip(results, frames)):
            compare_samples(comparison, f"frame {number}", "luma", result["color"]["luma"],
                            planes[0], 8)
        comparison.finish()


def light(clip, colorspace, transfer, peak):
    """cd/m² of G, B and R of each pixel, for each frame. zimg does not clip."""
    frames = convert(clip, f"{parameters(clip, colorspace, transfer)},"
                     "zscale=m=gbr:r=full:t=linear:npl=100", "gbrpf32le", "<f4")
    return [numpy.clip(planes.astype(float) * 100, 0, peak) for planes in frames]


def levels(planes):
    """The light levels of a frame, by the figure's name."""
    found = numpy.sort(planes.max(0), None)
    expected = {"max": found[-1], "fall": found.mean()}
    for name, share in (("p99", 0.99), ("p999", 0.999), ("p9999", 0.9999)):
        expected[name] = found[math.ceil(share * len(found) - 1e-9) - 1]
    return expected | {f"{name}-max": plane.max() for name, plane in zip("gbr", planes)}


def compare_light(clip, colorspace, transfer, peak):
    comparison = peers.Comparison(clip.name)
    results, _ = peers.measure(clip, "measures=hdr")
    highest = {"max": 0, "fall": 0}
    for number, (result, planes) in enumerate(zip(results, light(clip, colorspace, transfer, peak))):
        where, hdr = f"frame {number}", result["hdr"]
        for name, value in levels(planes).items():
            # maxRGB is rounded to a code: by up to a half, and the transfer function is steep.
            tolerance = 0.002 if name == "fall" else 0.008
            comparison.close(where, name, hdr[name] / value, 1, tolerance)
        for name, running in (("max", "max-cll"), ("fall", "max-fall")):
            highest[name] = max(highest[name], hdr[name])
            comparison.equal(where, running, hdr[running], highest[name])
    comparison.finish()


def test_light():
    for name, (number, transfer, peak) in TRANSFERS.items():
        clip = films.add_noise(films.generated(
            name, "yuv444p10le", 160, 90, 25, films.GRADIENTS, 6,
            f"2:6:{number}:7"), 2)
        compare_light(clip, "bt2020nc", transfer, peak)


def light_of_hlg(signals):
    """cd/m² of G, B and R of each pixel: BT.2100, table 5, on a display of 1000 cd/m²."""
    scene = numpy.where(signals <= 0.5, signals ** 2 / 3,
                        (numpy.exp((signals - 0.55991073) / 0.17883277) + 0.28466892) / 12)
    green, blue, red = scene
    luminance = 0.2627 * red + 0.6780 * green + 0.0593 * blue
    return 1000 * luminance ** 0.2 * scene


def code_of_pq(light):
    """SMPTE ST 2084, 12 bits, not rounded."""
    root = (light / 10000) ** 0.1593017578125
    return 4095 * ((0.8359375 + 18.8515625 * root) / (1 + 18.6875 * root)) ** 78.84375


def compare_hlg(clip, signals, tolerance):
    """@signals: G, B and R of each frame, 0 to 1; @tolerance: steps of PQ at 12 bits"""
    comparison = peers.Comparison(clip.name)
    results, _ = peers.measure(clip, "measures=hdr")
    for number, (result, planes) in enumerate(zip(results, signals)):
        for name, value in levels(light_of_hlg(planes)).items():
            comparison.close(f"frame {number}", name, code_of_pq(result["hdr"][name]),
                             code_of_pq(value), tolerance)
    comparison.finish()


def test_hlg_of_rgb():
    clip = films.tree("gbrp", 4)
    clip.name, clip.colorimetry = "HLG, photographs", HLG_RGB
    compare_hlg(clip, [numpy.stack(frame) / 255 for frame in clip.frames], 1)


def test_hlg_of_yuv():
    clip = films.add_noise(films.generated("HLG, 12 bit", "yuv444p12le", 160, 90, 25,
                                           films.GRADIENTS, 4, HLG), 2)
    signals = []
    for frame in clip.frames:
        y, u, v = (plane.astype(float) / 16 for plane in frame)
        y, u, v = (y - 16) / 219, (u - 128) / 224, (v - 128) / 224
        red, blue = y + 1.4746 * v, y + 1.8814 * u
        green = (y - 0.2627 * red - 0.0593 * blue) / 0.6780
        signals.append(numpy.clip((green, blue, red), 0, 1))
    # R, G and B are rounded to codes: by up to a half.
    compare_hlg(clip, signals, 2)


if __name__ == "__main__":
    sys.exit(peers.run(test_rgb_of_yuv, test_luma_of_rgb, test_light, test_hlg_of_rgb, test_hlg_of_yuv))
