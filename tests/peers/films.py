"""The video clips that several tests of this folder measure: films, and generated pictures of all
depths, subsamplings, odd sizes and both ranges.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import numpy
import peers
from peers import add_noise, film, generated

BT709, BT709_FULL, PQ = "bt709", "1:3:5:1", "bt2100-pq"

# A picture that is the same in each run: all colours and places of the gradients are given.
GRADIENTS = ("gradients=%s:nb_colors=4:c0=0x103080:c1=0xffb040:c2=0x20e070:c3=0xf0e8ff:"
             "x0=5:y0=9:x1=150:y1=80:speed=0.2")


def vtest(count=16):
    return film("vtest", "vtest.avi", "yuv420p", 768, 576, 10, 4, count)


def megamind(count=16):
    """Has a cut: two places of the film, one after the other."""
    clip = film("Megamind", "Megamind.avi", "yuv420p", 720, 528, 24, 3, count - count // 2)
    second = film("Megamind 2", "Megamind.avi", "yuv420p", 720, 528, 24, 7, count // 2)
    clip.frames += second.frames
    return clip


def tree(pixel_format="yuv420p", count=24):
    return film(f"tree {pixel_format}", "tree.avi", pixel_format, 320, 240, 15, 2, count)


def odd_420(count=8):
    return add_noise(generated("odd 4:2:0", "yuv420p", 203, 117, 25,
                               "testsrc2=%s,noise=alls=12:allf=t", count), 1)


def odd_422_deep(count=8):
    return add_noise(generated("odd 4:2:2 10 bit", "yuv422p10le", 135, 77, 25, "testsrc2=%s",
                               count), 3)


def deep_420(count=8):
    return add_noise(generated("4:2:0 10 bit", "yuv420p10le", 320, 180, 25,
                               "mandelbrot=%s:start_scale=1", count), 2)


def full_420(count=8):
    return generated("full range", "yuvj420p", 320, 180, 25, "mandelbrot=%s", count,
                     colorimetry=BT709_FULL)


def deep_444(count=5):
    return add_noise(generated("4:4:4 12 bit", "yuv444p12le", 201, 99, 25,
                               GRADIENTS, count), 9)


def narrow_411(count=5):
    return generated("4:1:1", "yuv411p", 320, 180, 25, "testsrc2=%s,noise=alls=20:allf=t", count)


def pq_420(count=6):
    return add_noise(generated("PQ", "yuv420p10le", 320, 180, 25, GRADIENTS, count, colorimetry=PQ),
                     2, seed=5)


def all_chroma(depth, step=1):
    """Pairs of U and V: each frame has one U, and all V. Every step-th U has a frame."""
    pixel_format = {8: "yuv444p", 10: "yuv444p10le", 12: "yuv444p12le"}[depth]
    side, dtype = 1 << depth // 2, "u1" if depth == 8 else "<u2"
    v = numpy.arange(1 << depth, dtype=dtype).reshape(side, side)
    frames = [[v, numpy.full_like(v, u), v] for u in range(0, 1 << depth, step)]
    return peers.Video(f"all chroma, {depth} bit", pixel_format, side, side, 25, frames, BT709)


def flat_16(count=2):
    """16 bit, one value everywhere: sums that are larger than 32 bits."""
    values = (60000, 40000, 30000)
    frames = [[numpy.full((240, 320), value, "<u2") for value in values] for _ in range(count)]
    return peers.Video("flat 16 bit", "yuv444p16le", 320, 240, 25, frames, BT709)


def barred(clip, *boxes):
    """Blackens a clip outside of boxes (x, y, width, height), each for an equal part of it."""
    part = -(-len(clip.frames) // len(boxes))
    hsub, vsub = peers.FORMATS[clip.pixel_format][2:4]
    black = 0 if clip.pixel_format.startswith(("yuvj", "rgb")) else 16 << clip.depth - 8
    frames = []
    for number, frame in enumerate(clip.frames):
        x, y, width, height = boxes[number // part]
        planes = []
        for index, plane in enumerate(frame):
            samples = plane.shape[1] // clip.width or 1
            across, down = (hsub, vsub) if index else (0, 0)
            changed = numpy.full_like(plane, 128 << clip.depth - 8 if index else black)
            rows = slice(y >> down, y + height >> down)
            columns = slice((x >> across) * samples, (x + width >> across) * samples)
            changed[rows, columns] = plane[rows, columns]
            planes.append(changed)
        frames.append(planes)
    clip.frames = frames
    return clip
