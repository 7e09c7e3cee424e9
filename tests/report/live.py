#!/usr/bin/python3
"""cudahisto-report --serve: inputs that go on, end, fail and come back; what is told of them, and when.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import contextlib
import datetime
import http.client
import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

from common import PROGRAM, TIMEOUT, clip, ffmpeg, path_of, run_tests
from serving import HAS_TOOL, Feeder, Serving, is_built

if not is_built():
    print("skipped: the program was built without libsoup")
    sys.exit(77)

SHORT = ["--set", "black-duration=500000000", "--set", "freeze-duration=500000000", "--set", "silence-duration=500000000"]


def to_time(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def wait_until(is_so, seconds=TIMEOUT):
    end = time.monotonic() + seconds
    while not (found := is_so()):
        assert time.monotonic() < end, "it did not come to be"
        time.sleep(0.05)
    return found


def test_notices_begin_and_end():
    with Feeder() as feeder, Serving("--serve", "0", *SHORT, feeder.uri, "test") as serving:
        serving.wait_state("running", feeder.uri)
        serving.wait_state("running", "test")
        for command, kind, back in (("black", "black", "moving"), ("still", "freeze", "moving"), ("silence", "silence", "sound")):
            n, before = len(serving.lines), time.time()
            feeder.tell(command)
            begin = serving.wait_notice("begin", kind, feeder.uri, n)
            assert begin["end"] is None and begin["severity"] == "warn", begin
            # The clocks are one; the stream is buffered on its way. A program that is slow takes the first frames for later than they are.
            assert before - 1 < to_time(begin["begin"]) < time.time() + (2 if HAS_TOOL else 0.5), (before, begin, time.time())
            shown = serving.get("/state.json")["inputs"]
            assert kind in [notice["kind"] for notice in shown[0]["open"]] and shown[1]["open"] == [], shown
            feeder.tell(back)
            # A black picture is frozen, too: its end may come in between.
            end = serving.wait_line(lambda line: line["type"] == "notice" and line["event"] == "end"
                                    and line["number"] == begin["number"], n)
            assert end["kind"] == kind and end["begin"] == begin["begin"], (begin, end)
            lasted = to_time(end["end"]) - to_time(end["begin"])
            assert abs(lasted - end["seconds"]) < 0.002 and 0.4 < lasted < time.time() - before + 1, end
        inputs = serving.get("/notices.json")["inputs"]
        kinds = {notice["kind"] for notice in inputs[0]["notices"]}
        assert {"black", "freeze", "silence"} <= kinds and inputs[1]["notices"] == [], inputs
        # What is told is what is listed.
        told = {line["number"] for line in serving.lines if line["type"] == "notice" and line["input"] == feeder.uri}
        assert told == {notice["number"] for notice in inputs[0]["notices"]}, (told, inputs)
        status, seconds = serving.stop(signal.SIGTERM)
        assert status == 0 and seconds < 5, (status, seconds)


def test_an_input_that_is_lost_comes_back():
    feeder = Feeder()
    with Serving("--serve", "0", feeder.uri, "test") as serving:
        serving.wait_state("running", feeder.uri)
        serving.wait_state("running", "test")
        n = len(serving.lines)
        feeder.close()
        lost = serving.wait_notice("begin", "incomplete", feeder.uri, n)
        assert lost["severity"] == "fail", lost
        serving.wait_state("waiting", feeder.uri, n)
        # The pause grows: the second try is later than the first one.
        tries = wait_until(lambda: [to_time(line["time"]) for line in serving.lines[n:] if line["type"] == "state"
                                    and line["state"] == "connecting"][:3][2:] and [
            to_time(line["time"]) for line in serving.lines[n:] if line["type"] == "state" and line["state"] == "connecting"][:3])
        assert tries[2] - tries[1] > 1.5 * (tries[1] - tries[0]) > 1, tries
        # On a machine that has much to do the other input may stall; it is not lost.
        wait_until(lambda: serving.get("/state.json")["inputs"][1]["state"] == "running")
        told = [line for line in serving.lines if line["type"] == "state" and line["input"] == "test" and line["state"] in ("waiting", "ended")]
        assert told == [], told
        with Feeder(feeder.port) as again:
            # The next try gets a connection, over which nothing comes at first.
            again.process.send_signal(signal.SIGSTOP)
            serving.wait_state("connecting", feeder.uri, len(serving.lines))
            time.sleep(3)
            again.process.send_signal(signal.SIGCONT)
            running = serving.wait_state("running", feeder.uri, n)
            back = serving.wait_notice("end", "incomplete", feeder.uri, n)
            assert back["number"] == lost["number"] and abs(to_time(back["end"]) - to_time(running["time"])) < 2, (lost, back, running)
        # One loss is one notice, however often it was tried.
        begun = [line for line in serving.lines[n:] if line["type"] == "notice" and line["kind"] == "incomplete"
                 and line["event"] == "begin" and line["begin"] < back["end"]]
        assert len(begun) == 1, begun


def test_files():
    """A file is played in its own time, and ends; one that is none fails and does not end the others."""
    film, wrong, sound = clip(), path_of("wrong.mkv"), path_of("loud.wav")
    with open(wrong, "w", encoding="ascii") as file:
        file.write("this is no film\n" * 100)
    ffmpeg("-f", "lavfi", "-i", "aevalsrc=2*sin(2*PI*440*t):s=48000:d=3", "-c:a", "pcm_s16le", sound)
    begin = time.monotonic()
    with Serving("--serve", "0", film, wrong, sound, path_of("absent.mkv")) as serving:
        serving.wait_state("ended", film)
        assert time.monotonic() - begin > 3.5, "a film of 4 s was not played in its time"
        serving.wait_state("ended", sound)
        states = {one["name"]: one for one in serving.get("/state.json")["inputs"]}
        assert states[wrong]["state"] in ("waiting", "connecting") and states[wrong]["verdict"], states[wrong]
        assert states[film]["streams"][0]["results"] == 100, states[film]
        kinds = {notice["kind"] for notice in states[sound]["notices"]}
        assert "clipping" in kinds, states[sound]
        # Nothing goes on of what has ended.
        assert states[film]["open"] == states[sound]["open"] == [], states


def test_gaps():
    """What is missing is told; a film whose decoder exchanges times has nothing missing."""
    whole, cut, shifted = path_of("whole.mkv"), path_of("cut.mkv"), path_of("shifted.avi")
    picture = ["-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=4"]
    ffmpeg(*picture, "-c:v", "ffv1", "-pix_fmt", "yuv420p", whole)
    ffmpeg(*picture, "-vf", "select='not(between(n,50,54))'", "-vsync", "passthrough", "-c:v", "ffv1", "-pix_fmt", "yuv420p", cut)
    ffmpeg(*picture, "-c:v", "mpeg4", "-bf", "2", "-pix_fmt", "yuv420p", shifted)
    with Serving("--serve", "0", whole, cut, shifted) as serving:
        for name in (whole, cut, shifted):
            serving.wait_state("ended", name)
        found = [one["streams"][0]["gaps"] for one in serving.get("/state.json")["inputs"]]
        notices = [[notice["text"] for notice in one["notices"] if notice["kind"] == "time"] for one in serving.get("/notices.json")["inputs"]]
        assert found == [0, 1, 0] and notices[0] == notices[2] == [] and notices[1] == ["picture missing"], (found, notices)
        missing = next(notice for notice in serving.get("/notices.json")["inputs"][1]["notices"] if notice["kind"] == "time")
        assert abs(missing["seconds"] - 0.2) < 0.05, missing


def test_a_pause():
    """A source that stands still for a while, and goes on: nothing is lost but the time."""
    with Feeder() as feeder, Serving("--serve", "0", feeder.uri) as serving:
        serving.wait_state("running")
        time.sleep(1)
        stopped, n = time.time(), len(serving.lines)
        feeder.process.send_signal(signal.SIGSTOP)
        serving.wait_state("stalled", after=n)
        begin = serving.wait_notice("begin", "incomplete", after=n)
        # The streams do not stop at one time, but none of them is missing by itself.
        assert begin["text"] == "nothing comes" and abs(to_time(begin["begin"]) - stopped) < 2, (stopped, begin)
        feeder.process.send_signal(signal.SIGCONT)
        serving.wait_state("running", after=n)
        end = serving.wait_notice("end", "incomplete", after=n)
        assert end["number"] == begin["number"] and 1 < end["seconds"] < time.time() - stopped + 2, (stopped, end)
        wait_until(lambda: (shown := serving.get("/state.json")["inputs"][0])["state"] == "running" and shown["open"] == []
                   and abs(to_time(shown["latest"]) - time.time()) < 3)
        # A connection that ends in a pause gives what it still has: the input does not run for that.
        n = len(serving.lines)
        feeder.process.send_signal(signal.SIGSTOP)
        serving.wait_state("stalled", after=n)
        feeder.close()
        serving.wait_state("waiting", after=n)
        told = [line["state"] for line in serving.lines[n:] if line["type"] == "state"]
        assert told[:2] == ["stalled", "waiting"], told


class Slow(http.server.BaseHTTPRequestHandler):
    """A film in its own time, which stands still for 8 s before its last part. parts: (bytes, seconds)"""
    parts = []

    def do_GET(self):  # noqa: N802  # pylint: disable=invalid-name
        self.send_response(200)
        self.end_headers()
        for i, (data, seconds) in enumerate(self.parts):
            time.sleep(8 * (i > 0))
            for k in range(10 * seconds):
                self.wfile.write(data[len(data) * k // (10 * seconds):len(data) * (k + 1) // (10 * seconds)])
                time.sleep(0.1)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serve_slowly(parts):
    """The URI of a film whose parts are those of Slow."""
    Slow.parts = parts
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_times_that_stand_still():
    """A source whose times are those of before after a pause: what has been told is not told again."""
    film = path_of("slow.ts")
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=9", "-vf", "drawbox=c=black:t=fill:enable='between(n,50,99)'", "-c:v", "mpeg2video",
           "-g", "5", "-muxrate", "1M", film)
    with open(film, "rb") as file:
        data = file.read()
    parts = [(data[:len(data) * 6 // 9], 6), (data[len(data) * 6 // 9:], 3)]
    with serve_slowly(parts) as uri, Serving("--serve", "0", *SHORT, uri) as serving:
        stalled = serving.wait_state("stalled")
        n = serving.lines.index(stalled)
        before = [line["kind"] for line in serving.lines[:n] if line["type"] == "notice" and line["event"] == "begin"]
        assert "black" in before, before
        serving.wait_state("running", after=n)
        time.sleep(2)
        begun = [line["kind"] for line in serving.lines[n:] if line["type"] == "notice" and line["event"] == "begin"]
        assert begun in ([], ["incomplete"]), serving.lines[n:]


def test_changes():
    """Each is told once, at its time, also if the next one follows it."""
    parts, whole = [], path_of("changes.mpg")
    for i, size in enumerate(("64x48", "96x64", "64x48")):
        parts.append(path_of(f"change-{i}.m2v"))
        ffmpeg("-f", "lavfi", "-i", f"testsrc2=size={size}:rate=25:duration=2", "-c:v", "mpeg2video", "-g", "5", parts[-1])
    with open(whole, "wb") as file:
        for part in parts:
            with open(part, "rb") as data:
                file.write(data.read())
    with Serving("--serve", "0", whole) as serving:
        serving.wait_state("ended")
        told = [(line["event"], line["text"]) for line in serving.lines if line["type"] == "notice" and line["kind"] == "change"]
        assert told == [(event, f"picture changes to {size}") for size in ("96 x 64", "64 x 48") for event in ("begin", "end")], told
        begins = sorted(to_time(notice["begin"]) for notice in serving.get("/notices.json")["inputs"][0]["notices"] if notice["kind"] == "change")
        assert abs(begins[1] - begins[0] - 2) < 0.2, begins


def test_streams_that_are_replaced():
    """A chained file: each piece has pads of its own. They are one stream, and nothing is left of the pieces before."""
    pieces, chained = [], path_of("chained.ogg")
    for i, frequency in enumerate((300, 400, 500)):
        pieces.append(path_of(f"piece-{i}.ogg"))
        ffmpeg("-f", "lavfi", "-i", f"sine=frequency={frequency}:sample_rate=48000:duration=3", "-c:a", "libvorbis", pieces[-1])
    with open(chained, "wb") as file:
        for piece in pieces:
            with open(piece, "rb") as part:
                file.write(part.read())
    with Serving("--serve", "0", chained, "test") as serving:
        serving.wait_state("running", chained)
        # In the second piece: GStreamer 1.26 makes its threads before the first piece ends, and has as many from then on.
        wait_until(lambda: serving.get("/state.json")["inputs"][0]["streams"][0]["results"] >= 40)
        second = threads_of(serving)
        # At the end of the third piece. A piece has at least four threads.
        wait_until(lambda: serving.get("/state.json")["inputs"][0]["streams"][0]["results"] >= 85)
        assert threads_of(serving) < second + 4, (second, threads_of(serving))
        serving.wait_state("ended", chained)
        one = serving.get("/state.json")["inputs"][0]
        assert len(one["streams"]) == 1 and 88 <= one["streams"][0]["results"] <= 90 and one["open"] == [], one


def threads_of(serving):
    return len(os.listdir(f"/proc/{serving.process.pid}/task"))


def test_sound_that_stops():
    """While the picture goes on: in the connection, and in one that comes again without sound."""
    with Feeder() as feeder, Serving("--serve", "0", feeder.uri) as serving:
        serving.wait_state("running")
        # Without a result there is no stream that could be missing.
        wait_until(lambda: {stream["media"] for stream in serving.get("/state.json")["inputs"][0]["streams"]} == {"video", "audio"})
        n = len(serving.lines)
        feeder.tell("mute")
        begin = serving.wait_notice("begin", "incomplete", after=n)
        one = serving.get("/state.json")["inputs"][0]
        sound = next(i for i, stream in enumerate(one["streams"]) if stream["media"] == "audio")
        assert (begin["text"], begin["stream"], begin["severity"]) == ("no sound comes", sound, "fail"), begin
        assert one["state"] == "running" and one["streams"][sound]["rms"] == [None, None] and one["streams"][1 - sound]["luma-mean"], one
        feeder.tell("drop")
        serving.wait_line(lambda line: line["type"] == "notice" and line["event"] == "end" and line["number"] == begin["number"], n)
        again = serving.wait_line(lambda line: line["type"] == "notice" and line["event"] == "begin" and line["text"] == "no sound comes"
                                  and line["number"] > begin["number"], n)
        assert "stream" not in again and len(serving.get("/state.json")["inputs"][0]["streams"]) == 1, again
        feeder.tell("unmute")
        feeder.tell("drop")
        serving.wait_line(lambda line: line["type"] == "notice" and line["event"] == "end" and line["number"] == again["number"], n)
        wait_until(lambda: len(serving.get("/state.json")["inputs"][0]["streams"]) == 2)
        wait_until(lambda: serving.get("/state.json")["inputs"][0]["open"] == [])


def test_a_variable_rate():
    """Pictures far from each other are missing no more than they are in the film: slides with sound."""
    slides = path_of("slides.mkv")
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=10", "-f", "lavfi", "-i", "sine=duration=10", "-vf", "select='not(mod(n,100))'",
           "-vsync", "vfr", "-c:v", "ffv1", "-pix_fmt", "yuv420p", slides)
    with open(slides, "rb") as file:
        parts = [(file.read(), 10)]
    with serve_slowly(parts) as uri, Serving("--serve", "0", "--set", "freeze-duration=60000000000", uri) as serving:
        serving.wait_state("running")
        serving.wait_state("waiting")
        told = [line["text"] for line in serving.lines if line["type"] == "notice"]
        assert "no picture comes" not in told, told


def test_a_short_picture():
    """The streams of a file may end one before the other; what comes is told, and nothing is said of what cannot come."""
    short = path_of("short-picture.mp4")
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=2", "-f", "lavfi", "-i", "sine=duration=6", "-c:v", "mpeg4", "-c:a", "aac", short)
    with Serving("--serve", "0", short) as serving:
        serving.wait_state("ended")
        told = [line["text"] for line in serving.lines if line["type"] == "notice"]
        assert "no picture comes" not in told, told
        streams = serving.get("/state.json")["inputs"][0]["streams"]
        assert {stream["media"]: stream["results"] > 40 for stream in streams} == {"video": True, "audio": True}, streams


def drops_of(port):
    """How many packets the system did not keep for a socket of UDP; None: there is no such socket."""
    with open("/proc/net/udp", encoding="ascii") as table:
        rows = [line.split() for line in table]
    return next((int(row[-1]) for row in rows if row[1].endswith(f":{port:04X}")), None)


def test_packets_wait():
    """While the program does not run, its socket keeps more packets than by default."""
    with open("/proc/sys/net/core/rmem_default", encoding="ascii") as default, open("/proc/sys/net/core/rmem_max", encoding="ascii") as most:
        by_default, limit = int(default.read()), int(most.read())
    if limit < by_default:
        print("the system allows no more than by default")
        return
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with Serving("--serve", "0", f"udp://127.0.0.1:{port}") as serving, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        wait_until(lambda: drops_of(port) is not None)
        serving.process.send_signal(signal.SIGSTOP)
        # Each takes more room than its bytes; the system allows twice what a program asks for.
        for _ in range(by_default // 1316):
            sender.sendto(bytes(1316), ("127.0.0.1", port))
        drops = drops_of(port)
        serving.process.send_signal(signal.SIGCONT)
        assert drops == 0, drops


def test_too_large():
    with Serving("--serve", "0", "--max-pixels", "1000", clip()) as serving:
        state = serving.wait_state("waiting", clip())
        assert "160" in state["text"] and "1000" in state["text"], state


def test_policy():
    policy = path_of("dark.policy")
    with open(policy, "w", encoding="ascii") as file:
        file.write("dark: Y.mean >= 60 for 0.3 s\n")
    with Feeder() as feeder, Serving("--serve", "0", "--policy", policy, feeder.uri) as serving:
        serving.wait_state("running")
        feeder.tell("still")
        n = len(serving.lines)
        wait_until(lambda: not any(notice["kind"] == "rule" for notice in serving.get("/state.json")["inputs"][0]["open"]))
        feeder.tell("black")
        begin = serving.wait_notice("begin", "rule", after=n)
        assert begin["severity"] == "fail" and "dark" in begin["text"], begin
        assert serving.get("/state.json")["inputs"][0]["word"] == "FAIL"
        feeder.tell("still")
        end = serving.wait_notice("end", "rule", after=n)
        assert end["number"] == begin["number"], (begin, end)


def test_wrong_options():
    film = clip()
    for arguments, words in (
            (["--serve", "x", film], "needs [ADDRESS:]PORT"),
            (["--serve", "65536", film], "needs [ADDRESS:]PORT"),
            (["--serve", "::1:80", film], "brackets"),
            (["--serve", "0.0.0.0:0", film], "needs --serve-token FILE, or --serve-open"),
            (["--serve-open", film], "need --serve"),
            (["--serve", "0", "--json", film], "no reports"),
            (["--serve", "0", "--jobs", "2", film], "--serve takes no"),
            (["--serve", "0", "--serve-open", "--serve-token", film, film], "contradict"),
            (["--serve", "0.0.0.0:0", "--serve-token", os.devnull, film], "16 characters"),
            (["--serve", "0", "--alerts", "nonsense", film], "alerts")):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=TIMEOUT)
        assert done.returncode == 2 and words in done.stderr and not done.stdout, (arguments, done)


def test_a_reader_that_does_not_read_holds_up_nothing():
    """The lines go to a pipe that is full; the pages answer, and the program ends."""
    process = subprocess.Popen([PROGRAM, "--serve", "0", *[path_of(f"absent-{i}.mkv") for i in range(300)]], stdout=subprocess.PIPE, text=True)
    port = json.loads(process.stdout.readline())["address"].split(":")[2].strip("/")
    time.sleep(2)
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=10)
    connection.request("GET", "/state.json")
    assert len(json.loads(connection.getresponse().read())["inputs"]) == 300
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 0
    process.stdout.close()


sys.exit(run_tests([test_notices_begin_and_end, test_an_input_that_is_lost_comes_back, test_files, test_gaps, test_a_pause,
                    test_times_that_stand_still, test_changes, test_streams_that_are_replaced, test_sound_that_stops,
                    test_a_variable_rate, test_a_short_picture, test_packets_wait, test_too_large, test_policy, test_wrong_options,
                    test_a_reader_that_does_not_read_holds_up_nothing]))
