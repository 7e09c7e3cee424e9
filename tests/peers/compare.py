#!/usr/bin/python3
"""cudahistocompare, compared with ffmpeg's filters psnr, ssim and xpsnr: each figure of each frame, as they print it.

    GST_PLUGIN_PATH=BUILD_DIR/plugin tests/peers/compare.py

FFmpeg has xpsnr from 7.1 on. With an older one its rows are left out.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import clips  # noqa: E402
from clips import Gst  # noqa: E402

N_FRAMES = 4
# ffmpeg's name, GStreamer's, size.
FORMATS = [
    ("yuv420p", "i420", 160, 90), ("yuv420p", "i420", 159, 91), ("yuv422p", "y42b", 162, 50),
    ("yuv444p", "y444", 68, 40), ("gray", "gray8", 160, 90), ("gbrp", "gbr", 96, 33), ("nv12", "nv12", 320, 64),
    ("yuv420p10le", "i420-10le", 159, 91), ("yuv422p10le", "i422-10le", 160, 90),
    ("yuv444p12le", "y444-12le", 62, 40), ("yuv444p16le", "y444-16le", 64, 36), ("gray16le", "gray16-le", 161, 40),
    ("gbrp10le", "gbr-10le", 64, 36),
]
# With the rate of the frames. Up to 14 bits, and rows that FFmpeg does not pad: it reads them as if they were not.
XPSNR_FORMATS = [
    ("yuv420p", "i420", 160, 90, 25), ("yuv420p", "i420", 159, 91, 25), ("yuv420p", "i420", 640, 480, 50),
    ("yuv420p", "i420", 33, 700, 25), ("yuv422p", "y42b", 162, 50, 25),
    ("yuv444p", "y444", 768, 576, 25), ("gray", "gray8", 160, 90, 50), ("gbrp", "gbr", 96, 33, 25),
    ("yuv420p", "i420", 1920, 1080, 25), ("yuv420p", "i420", 1920, 1080, 60), ("yuv420p", "i420", 4096, 2160, 25),
    ("yuv420p", "i420", 2560, 1440, 60), ("yuv420p10le", "i420-10le", 320, 180, 25),
    ("yuv420p10le", "i420-10le", 1920, 1080, 60), ("yuv420p10le", "i420-10le", 2560, 1440, 25),
    ("yuv422p10le", "i422-10le", 128, 90, 25), ("yuv444p12le", "y444-12le", 64, 40, 25),
    ("yuv444p12le", "y444-12le", 2048, 1160, 60), ("gbrp10le", "gbr-10le", 64, 36, 25),
]
FOLDER = tempfile.TemporaryDirectory(prefix="cudahisto-")


def path_of(name):
    return os.path.join(FOLDER.name, name)


def raw(name, pixel_format, width, height, change):
    """Raw frames of a moving picture with noise, and `change` on top of them."""
    clips.ffmpeg("-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25", "-frames:v", str(N_FRAMES), "-vf",
                 f"scale={width}:{height},format={pixel_format},noise=alls=30:allf=t:all_seed=7{change}", "-pix_fmt", pixel_format,
                 "-f", "rawvideo", path_of(name))


def of_ffmpeg(pixel_format, width, height):
    """Of each frame a dict from Y, avg and so on to the texts of mse, psnr and ssim."""
    frames = [{} for _ in range(N_FRAMES)]
    source = ["-f", "rawvideo", "-video_size", f"{width}x{height}", "-pixel_format", pixel_format, "-i"]
    for name in "psnr", "ssim":
        clips.ffmpeg(*source, path_of("a"), *source, path_of("b"), "-lavfi",
                     f"[0][1]{name}=stats_file={path_of('stats')}", "-f", "null", "-")
        with open(path_of("stats"), encoding="ascii") as file:
            for frame, line in zip(frames, file):
                for key, value in re.findall(r"(\w+):([\d.a-z]+)", line):
                    kind, _, component = key.rpartition("_") if name == "psnr" else ("ssim", "", key)
                    frame[kind, "All" if component in ("avg", "All") else component.upper()] = value
    return frames


def xpsnr_of_ffmpeg(pixel_format, width, height, rate):
    """Of each frame the texts of the components, and those of all frames. Planes of RGB are G, B, R, whatever the names."""
    source = ["-f", "rawvideo", "-video_size", f"{width}x{height}", "-pixel_format", pixel_format, "-framerate",
              str(rate), "-i"]
    clips.ffmpeg(*source, path_of("b"), *source, path_of("a"), "-lavfi", f"[0][1]xpsnr=stats_file={path_of('stats')}",
                 "-f", "null", "-")
    with open(path_of("stats"), encoding="ascii") as file:
        lines = [re.findall(r" [yuvrgb]: *([\d.]+|inf)", line) for line in file]
    names = "GBR" if pixel_format.startswith("gb") else "YUV"
    return [dict(zip(names, line)) for line in lines if line]


def source(name, pixel_format, gst_format, width, height, rate=25):
    """GStreamer pads rows to 4 bytes. Frames of such widths come from a file without loss."""
    if width % 8 == 0:
        return (f"filesrc location={path_of(name)} ! rawvideoparse width={width} height={height} format={gst_format} "
                f"framerate={rate}/1")
    clips.ffmpeg("-f", "rawvideo", "-video_size", f"{width}x{height}", "-pixel_format", pixel_format, "-framerate",
                 str(rate), "-i", path_of(name), "-c:v", "ffv1", path_of(name + ".mkv"))
    return f"filesrc location={path_of(name + '.mkv')} ! matroskademux ! avdec_ffv1"


def of_element(*picture, settings="", read):
    """What `read` gives of each message."""
    pipeline = Gst.parse_launch(
        f"{source('a', *picture)} ! cudahistocompare name=c post-messages=true {settings} ! fakesink "
        f"{source('b', *picture)} ! c.reference")
    frames = []
    pipeline.set_state(Gst.State.PLAYING)
    while True:
        message = pipeline.get_bus().timed_pop(60 * Gst.SECOND)
        assert message is not None and message.type != Gst.MessageType.ERROR, message and message.parse_error()
        if message.type == Gst.MessageType.EOS:
            break
        if message.type == Gst.MessageType.ELEMENT:
            frames.append(read(message.get_structure()))
    pipeline.set_state(Gst.State.NULL)
    return frames


def read(structure):
    """As ffmpeg prints them. The figures are read before the structure they lie in is freed."""
    found = {("psnr", "All"): f"{structure['psnr']:.2f}", ("ssim", "All"): f"{structure['ssim']:.6f}"}
    components = structure["components"]
    for index in range(components.n_fields()):
        name = components.nth_field_name(index)
        component = components[name]
        found["mse", name] = f"{component['mse']:.2f}"
        found["psnr", name] = f"{component['psnr']:.2f}"
        found["ssim", name] = f"{component['ssim']:.6f}"
    return found


def read_xpsnr(structure):
    components = structure["components"]
    names = [components.nth_field_name(index) for index in range(components.n_fields())]
    return {name: f"{components[name]['xpsnr']:.4f}" for name in names}


def compare_xpsnr():
    """Returns: the number of figures, and those that are wrong. The window has all frames."""
    n_compared, faults = 0, []
    for pixel_format, gst_format, width, height, rate in XPSNR_FORMATS:
        raw("a", pixel_format, width, height, ",gblur=0.7:enable='not(eq(n,2))'")
        raw("b", pixel_format, width, height, "")
        expected = xpsnr_of_ffmpeg(pixel_format, width, height, rate)
        found = of_element(pixel_format, gst_format, width, height, rate,
                           settings="measures=xpsnr window=10000000000", read=read_xpsnr)
        assert len(found) == len(expected) == N_FRAMES + 1, (pixel_format, width, height, len(expected), len(found))
        for index, (theirs, own) in enumerate(zip(expected, found)):
            n_compared += len(own)
            faults += [(pixel_format, width, height, rate, index, name, value, theirs[name])
                       for name, value in own.items() if value != theirs[name]]
    return n_compared, faults


def main():
    n_compared, faults = 0, []
    if b"Filter xpsnr" in clips.ffmpeg("-h", "filter=xpsnr"):
        n_compared, faults = compare_xpsnr()
    else:
        print("this ffmpeg has no xpsnr")
    for number, (pixel_format, gst_format, width, height) in enumerate(FORMATS):
        for change in (",gblur=0.7", ",noise=alls=4:all_seed=3", ",eq=brightness=0.02", "")[:4 if number < 2 else 1]:
            raw("a", pixel_format, width, height, change)
            raw("b", pixel_format, width, height, "")
            expected, found = of_ffmpeg(pixel_format, width, height), of_element(
                pixel_format, gst_format, width, height, read=read)
            assert len(found) == N_FRAMES, (pixel_format, width, height, change, len(found))
            for index, (theirs, own) in enumerate(zip(expected, found)):
                n_compared += len(own)
                faults += [(pixel_format, width, height, change, index, key, value, theirs[key])
                           for key, value in own.items() if value != theirs[key]]
    print(f"{n_compared} figures, {len(faults)} wrong")
    for fault in faults[:20]:
        print(*fault)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
