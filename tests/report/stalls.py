#!/usr/bin/python3
"""cudahisto-report with input that takes long: files that state much and have little, and signals meanwhile.

No test looks at the clock to see whether something is fast: what must be linear is measured in processor time, as the
ratio of two runs, or in memory; what must end is given far more time than it needs, and would never end otherwise.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import os
import signal
import struct
import subprocess
import sys
import time
import zlib

from common import PROGRAM, TIMEOUT, children_of, clip, directory, ffmpeg, objects, one_line, path_of, picture, report, run_tests, \
    sound

# What is waited for in these tests lasts for ever, or for so many seconds.
LONG = 600
# The program ends within a second. On a machine that is very busy it may have no processor for longer.
SOON = 20


def write(name, data):
    path = path_of(name)
    with open(path, "wb") as file:
        file.write(data)
    return path


# ---- Matroska and Ogg --------------------------------------------------------------------------------

def vint(number):
    length = next(n for n in range(1, 9) if number < (1 << 7 * n) - 1)
    return (number | 1 << 7 * length).to_bytes(length, "big")


def element(identifier, data):
    return bytes.fromhex(identifier) + vint(len(data)) + data


def number(identifier, value):
    return element(identifier, value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big"))


def track(index, kind, codec):
    settings = element("E1", element("B5", struct.pack(">f", 48000)) + number("9F", 1) + number("6264", 16))
    return element("AE", number("D7", index) + number("73C5", index) + number("83", kind)
                   + element("86", codec) + (settings if kind == 2 else b""))


def matroska(n_sounds, n_others):
    """So many tracks of PCM, and others that no demuxer makes a stream of. The first one has a second of sound."""
    tracks = b"".join(track(i + 1, 2, b"A_PCM/INT/LIT") if i < n_sounds else track(i + 1, 18, b"B_VOBBTN")
                      for i in range(n_sounds + n_others))
    blocks = b"".join(element("A3", vint(1) + struct.pack(">hB", i * 10, 0x80) + b"\0\1" * 480) for i in range(100))
    header = number("4286", 1) + number("42F7", 1) + number("42F2", 4) + number("42F3", 8) \
        + element("4282", b"matroska") + number("4287", 4) + number("4285", 2)
    info = number("2AD7B1", 1000000) + element("4489", struct.pack(">d", 1000.0))
    return element("1A45DFA3", header) + element("18538067", element("1549A966", info) + element("1654AE6B", tracks)
                                                 + element("1F43B675", number("E7", 0) + blocks))


def test_many_tracks():
    """A structure that is not checked to its end is no complete one. A thousand tracks are."""
    (summary,) = objects("--json-summary", write("tracks.mkv", matroska(1, 1020)))
    assert summary["complete"] and summary["streams"][0]["samples"] == 48000, summary
    (summary,) = objects("--json-summary", write("more-tracks.mkv", matroska(1, 1100)), status=1)
    (problem,) = summary["problems"]
    assert problem["type"] == "other" and problem["text"].startswith("the structure of the file was checked only up to "
                                                                     "byte ") \
        and problem["text"].endswith(", because it has more than 1024 tracks"), problem
    # What could be measured is.
    assert summary["streams"][0]["samples"] == 48000, summary


def test_many_streams():
    """The decoder makes threads for each."""
    _, errors = report(write("streams.mkv", matroska(600, 0)), status=1)
    assert one_line(errors).endswith("streams.mkv: has more than 512 streams"), errors


def crc(data):
    result = 0
    for byte in data:
        result = result << 8 & 0xffffffff ^ TABLE[result >> 24 ^ byte]
    return result


def crc_of_byte(byte):
    result = byte << 24
    for _ in range(8):
        result = (result << 1 ^ (0x04c11db7 if result & 0x80000000 else 0)) & 0xffffffff
    return result


TABLE = [crc_of_byte(byte) for byte in range(256)]


def chain(n):
    """So many short Ogg files in one, each with a serial number of its own."""
    path = path_of("link.ogg")
    if not os.path.exists(path):
        ffmpeg("-f", "lavfi", "-i", "sine=duration=0.02:sample_rate=8000", "-c:a", "libvorbis", path)
    with open(path, "rb") as file:
        link = file.read()
    result = bytearray()
    for serial in range(1, n + 1):
        at = 0
        while at < len(link):
            segments = link[at + 26]
            end = at + 27 + segments + sum(link[at + 27:at + 27 + segments])
            page = bytearray(link[at:end])
            page[14:18] = struct.pack("<I", serial)
            page[22:26] = bytes(4)
            page[22:26] = struct.pack("<I", crc(page))
            result += page
            at = end
    return bytes(result)


def usage(*arguments, status=0):
    """Runs the program; returns the processor time in s and the greatest resident size in MB."""
    # AddressSanitizer keeps freed memory.
    options = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1:thread_local_quarantine_size_kb=64"
    with subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          cwd=directory.name, env={**os.environ, "ASAN_OPTIONS": options}) as process:
        _, found, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(found)
    assert process.returncode == status, (arguments, process.returncode)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def test_long_chain():
    """The parts of a chained file that are over need no memory: each had elements with threads and histograms."""
    _, few = usage(write("chain.ogg", chain(50)))
    _, many = usage(write("long-chain.ogg", chain(150)))
    assert many - few < 70, (few, many)


# ---- JSON --------------------------------------------------------------------------------------------

def test_many_members():
    """json-glib searches all members of an object if their names have one hash, or if names come twice."""
    few = ",".join(f'"k{i}":0' for i in range(1000))
    for members in ",".join(f'"k{i}":0' for i in range(10000)), few + ',"k9":0' * 10000:
        path = write("members.json", f'{{"type":"summary",{members}}}\n'.encode())
        _, errors = report("--merge", path, status=1)
        assert "an object has more than 5096 members" in one_line(errors), errors
    # Lists are no members, and neither are texts.
    (summary,) = objects("--json-summary", sound())
    summary["settings"] = ":" * 10000
    write("colons.json", json.dumps(summary).encode())
    report("--merge", "colons.json")


def parts(n):
    """A summary of a stream with so many descriptions."""
    (summary,) = objects("--json-summary", sound())
    stream = summary["streams"][0]
    stream["results"] = stream["samples"] = n
    stream["parts"] = [{"results": 1, "samples": 1, "format": "S16LE", "rate": 8000 + i, "n-channels": 1, "regions": [],
                        "channels": []} for i in range(n)]
    return write(f"parts-{n}.json", json.dumps(summary).encode() + b"\n")


def test_many_parts():
    """Each part of a sum is found by its description, and not by comparing it with all others."""
    few, many = parts(4000), parts(16000)
    usage("--merge", few)
    ratio = usage("--merge", many)[0] / usage("--merge", few)[0]
    # 4 times as many parts. Comparing them took 17 times as long.
    assert ratio < 9, ratio


def test_lists_that_are_searched():
    (summary,) = objects("--json-summary", sound())
    region = summary["streams"][0]["regions"][0]
    for change in (lambda: summary.update(streams=summary["streams"] * 513),
                   lambda: summary["streams"][0].update(regions=[region] * 66),
                   lambda: region.update(components=region["components"] * 8193)):
        (summary,) = objects("--json-summary", sound())
        region = summary["streams"][0]["regions"][0]
        change()
        write("lists.json", json.dumps(summary).encode() + b"\n")
        _, errors = report("--merge", "lists.json", status=1)
        assert one_line(errors).endswith("has too many"), errors


# ---- Large pictures ----------------------------------------------------------------------------------

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def headers(width, height):
    """Files of each format that state a size, and end there."""
    return {
        "a.png": b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        # Behind a profile with a preview of another size, which a JPEG has.
        "a.jpg": b"\xff\xd8\xff\xe1\0\x14Exif\0\0\xff\xd8\xff\xc0\0\x0b\x08\0\1\0\1\1" + b"\xff\xc2\0\x0b\x08"
                 + struct.pack(">HH", height, width) + b"\1\1\x11\0",
        "lossy.webp": b"RIFF\x64\0\0\0WEBPVP8 \x0a\0\0\0\0\0\0\x9d\1\x2a" + struct.pack("<HH", min(width, 16383), min(height, 16383)),
        "lossless.webp": b"RIFF\x64\0\0\0WEBPVP8L\x0a\0\0\0\x2f" + struct.pack("<I", min(width - 1, 16383) | min(height - 1, 16383) << 14)
                         + bytes(5),
        "extended.webp": b"RIFF\x64\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + struct.pack("<I", width - 1)[:3]
                         + struct.pack("<I", height - 1)[:3],
        "a.tiff": b"II*\0\x08\0\0\0\2\0" + struct.pack("<HHIHH", 256, 3, 1, width, 0) + struct.pack("<HHII", 257, 4, 1, height)
                  + bytes(4),
        "b.tiff": b"MM\0*\0\0\0\x08\0\2" + struct.pack(">HHIHH", 256, 3, 1, width, 0) + struct.pack(">HHII", 257, 4, 1, height)
                  + bytes(4),
        "a.bmp": struct.pack("<2sIIIIiiHHIIIIII", b"BM", 0, 0, 54, 40, width, -height, 1, 24, 0, 0, 0, 0, 0, 0),
        "b.bmp": struct.pack("<2sIIIIHHHH", b"BM", 0, 0, 26, 12, width, height, 1, 24),
        "a.ppm": b"P6 # a comment\n%d\n# another one\n%d 255\n" % (width, height),
        "a.pbm": b"P1\n%d %d\n" % (width, height),
        "a.gif": b"GIF89a" + struct.pack("<HH", width, height) + bytes(3),
        "a.dpx": b"SDPX" + bytes(768) + struct.pack(">II", width, height),
        "b.dpx": b"XPDS" + bytes(768) + struct.pack("<II", width, height),
    }


def test_large_images():
    """The header tells before anything is decoded, as an image and as a film. No other program reads as far."""
    os.makedirs(path_of("large"), exist_ok=True)
    os.makedirs(path_of("small"), exist_ok=True)
    text = "60000 x 60000 pixels are more than the limit of 268435456 (--max-pixels)"
    for name, data in headers(60000, 60000).items():
        write(f"large/{name}", data)
    lines = objects("--images", "--json", "large", status=1)
    found = {os.path.basename(line["path"]): line["problem"] for line in lines[:-1]}
    # WebP without an extended header has 14 bits.
    assert found.pop("lossy.webp") != text and found.pop("lossless.webp") != text, found
    assert len(found) == 12 and set(found.values()) == {text}, found
    for name in found:
        (summary,) = objects("--json-summary", f"large/{name}", status=1)
        assert summary["problem"].endswith(text), (name, summary)
    # The limit is a number of pixels, and can be set: here 20 x 50.
    for name, data in headers(20, 50).items():
        write(f"small/{name}", data)
    for limit, is_refused in ("999", True), ("1000", False):
        lines = objects("--images", "--json", "--max-pixels", limit, "small", status=1)
        for line in lines[:-1]:
            assert ("--max-pixels" in line["problem"]) == is_refused, (limit, line)
    # Numbers that no type holds.
    write("small/c.pgm", b"P5 99999999999999999999 4 255\n")
    write("small/d.png", b"\x89PNG\r\n\x1a\n"
          + chunk(b"IHDR", struct.pack(">IIBBBBB", 2**32 - 1, 2**32 - 1, 8, 0, 0, 0, 0)))
    for name in "c.pgm", "d.png":
        (line, _) = objects("--images", "--json", f"small/{name}", status=1)
        assert "more than the limit" in line["problem"], line


def test_large_frames():
    """The sound of a film is measured, and so is what comes before the pictures grow."""
    (summary,) = objects("--json-summary", "--max-pixels", "19199", clip(), status=1)
    assert "160 x 120 pixels are more than the limit of 19199" in summary["problem"], summary["problem"]
    assert [stream["media"] for stream in summary["streams"]] == ["audio"] * 2, summary
    assert objects("--json-summary", "--max-pixels", "19200", clip())[0]["complete"]
    data = b""
    for size in "160x120", "320x240":
        path = path_of(f"{size}.ts")
        ffmpeg("-f", "lavfi", "-i", f"testsrc2=size={size}:rate=25:duration=1", "-c:v", "mpeg2video", "-f", "mpegts", path)
        with open(path, "rb") as file:
            data += file.read()
    write("grows.ts", data)
    for jobs in [], ["--jobs", "2"]:
        (summary,) = objects(*jobs, "--json-summary", "--max-pixels", "20000", "grows.ts", status=1)
        assert any("320 x 240 pixels" in problem["text"] for problem in summary["problems"]), summary["problems"]
        assert summary["streams"][0]["results"] == 25, summary["streams"][0]["results"]
    # A decoder that learns the size from the data: the header of the file keeps its own.
    for name, size in ("one.ivf", "160x120"), ("other.ivf", "320x240"):
        ffmpeg("-f", "lavfi", "-i", f"testsrc2=size={size}:rate=25:duration=1", "-c:v", "libvpx", path_of(name))
    with open(path_of("one.ivf"), "rb") as one, open(path_of("other.ivf"), "rb") as other:
        write("grows.ivf", one.read() + other.read()[32:])
    (summary,) = objects("--json-summary", "--max-pixels", "20000", "grows.ivf", status=1)
    assert "320 x 240 pixels" in summary["problem"] and summary["streams"][0]["results"] == 25, summary
    for wrong in "0", "-1", "many":
        report("--max-pixels", wrong, clip(), status=2)


def test_errors_without_an_end():
    """The demuxer of the stream fails, and a queue waits for ever. The program must not."""
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=0.4", "-c:v", "gif", path_of("gif.mov"))
    (summary,) = objects("--json-summary", "gif.mov", status=None)
    assert summary["seconds"] < TIMEOUT / 2, summary


# ---- Signals -----------------------------------------------------------------------------------------

def start(*arguments, **options):
    return subprocess.Popen([PROGRAM, *arguments], stderr=subprocess.PIPE, cwd=directory.name, **options)


def end(process, number=signal.SIGTERM):
    """Sends the signal to a program that would go on for long. Returns its output and its error output."""
    assert process.poll() is None, process.communicate()
    process.send_signal(number)
    try:
        output, errors = process.communicate(timeout=SOON)
    except subprocess.TimeoutExpired as error:
        process.kill()
        process.communicate()
        raise AssertionError("the program does not end") from error
    assert process.returncode == 128 + number, (process.returncode, errors)
    return output, errors


def wait_for(condition):
    begin = time.monotonic()
    while not condition():
        assert time.monotonic() - begin < TIMEOUT, "this takes too long"
        time.sleep(0.02)


def stuck_film(name):
    """A pipe with the begin of a film. A thread of the decoder waits for the rest, and cannot be stopped.
    Returns the end of the pipe that is to be closed."""
    path = path_of(name)
    os.mkfifo(path)
    with open(clip(), "rb") as file:
        data = file.read()[:200000]
    # For reading, too: opening does not wait.
    pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    return pipe, data


def feed(pipe, data, process):
    while data:
        assert process.poll() is None, process.communicate()
        try:
            data = data[os.write(pipe, data):]
        except BlockingIOError:
            time.sleep(0.01)


def test_signal_in_a_film():
    """The report has what was measured before, and those of the inputs before."""
    for jobs, output in ([], "film.json"), (["--jobs", "2"], "films.json"):
        pipe, data = stuck_film(output + ".mkv")
        process = start(*jobs, "--json-summary", "-o", output, sound(), output + ".mkv")
        feed(pipe, data, process)
        if jobs:
            # Only the process of the film is left.
            wait_for(lambda: len(children_of(process)) == 1)
        end(process)
        os.close(pipe)
        with open(path_of(output), encoding="utf-8") as file:
            first, second = [json.loads(line) for line in file]
        assert first["complete"] and first["input"] == sound(), first
        assert not second["complete"] and second["problem"] == "interrupted", second
    # Nothing is left behind.
    assert not [name for name in os.listdir(directory.name) if name.startswith(".film")], os.listdir(directory.name)


def test_signal_while_comparing():
    pipe, data = stuck_film("compared.mkv")
    process = start("--compare", "compared.mkv", sound(), "-o", "compared.txt")
    feed(pipe, data, process)
    end(process, signal.SIGINT)
    os.close(pipe)
    assert not os.path.exists(path_of("compared.txt"))


def test_signal_while_opening():
    """Opening a pipe waits for its other end."""
    os.mkfifo(path_of("closed.mkv"))
    for arguments in ["closed.mkv"], ["--policy", "closed.mkv", sound()]:
        process = start(*arguments, stdout=subprocess.PIPE)
        wait_for(lambda process=process: b"fifo" in state_of(process) or is_in_open(process))
        _, errors = end(process)
        assert one_line(errors).endswith("closed.mkv: interrupted"), errors


def state_of(process):
    """The functions of the kernel in which its threads wait."""
    found = b""
    assert process.poll() is None, process.communicate()
    for task in os.listdir(f"/proc/{process.pid}/task"):
        try:
            with open(f"/proc/{process.pid}/task/{task}/wchan", "rb") as file:
                found += file.read() + b" "
        except OSError:
            pass
    return found


def is_in_open(process):
    """If the kernel does not tell: the program is idle."""
    begin = time.monotonic()
    while time.monotonic() - begin < 1:
        time.sleep(0.1)
    return process.poll() is None


def test_signal_in_a_set():
    """An image that is in an element that never ends stays out; a set of which nothing was measured writes nothing."""
    folder = path_of("set")
    os.makedirs(folder)
    for name in "a.png", "b.png":
        ffmpeg("-i", picture(), "-frames:v", "1", os.path.join(folder, name))
    process = start("--images", "--json", "-o", "set.json", "--jobs", "1",
                    "--before", f"identity sleep-time={LONG * 1000000}", folder)
    wait_for(lambda: any(name.startswith(".set.json") for name in os.listdir(directory.name)))
    time.sleep(0.5)
    end(process)
    # Nothing was measured, so nothing is written, and no temporary file is left.
    left = [name for name in os.listdir(directory.name) if "set.json" in name]
    assert not left, left


def test_signal_while_writing():
    """Nobody reads what the program writes. The main thread itself cannot go on; a file keeps its old content."""
    reading, writing = os.pipe()
    write("old.xml", b"old")
    process = start("--json-histograms", "--qctools", "old.xml", clip(), stdout=writing)
    os.close(writing)
    # The pipe is full.
    wait_for(lambda: b"pipe_write" in state_of(process) or is_in_open(process))
    end(process)
    os.close(reading)
    with open(path_of("old.xml"), "rb") as file:
        assert file.read() == b"old"
    assert not [name for name in os.listdir(directory.name) if name.startswith(".old")], os.listdir(directory.name)


if __name__ == "__main__":
    sys.exit(run_tests([value for name, value in list(globals().items())
                        if name.startswith("test_")]))
