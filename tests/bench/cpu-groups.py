#!/usr/bin/python3
"""Processor time of the CPU engine's groups against the filters that they replace.

    tests/bench/cpu-groups.py BUILD_DIR [--frames N] [--rounds N] [--buffers N] [--clip FILE]
    tests/bench/cpu-groups.py --formats BUILD_DIR [OTHER_BUILD_DIR] [--rounds N] [--content noise]

--clip: a file of video that is measured as well, scaled to 1080p.

Each program reads the same raw frames (or samples) from a file. Its processor time is the
difference between a run with the filter and a run without it, divided by the frames. The
programs run in turn; the figures are medians of the rounds. Needs ffmpeg and GStreamer.

--formats: the time of a frame in many formats, as a multiple of what the first build takes for NV12
with the same groups. All runs use the last build's program cpu-frames. signalstats of ffmpeg stands
beside them if ffmpeg is installed.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

WIDTH, HEIGHT = 1920, 1080
SAMPLES, RATE = 1024, 48000


def run(command, environment):
    """Returns the processor time of a command in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, env=environment, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ffmpeg_video(path, video_filter, pixels="yuv420p"):
    return ["ffmpeg", "-v", "error", "-threads", "1", "-filter_threads", "1",
            "-f", "rawvideo", "-pix_fmt", pixels, "-s", f"{WIDTH}x{HEIGHT}", "-i", path,
            "-vf", video_filter, "-f", "null", "-"]


def gst_video(path, *element):
    return ["gst-launch-1.0", "-q", "filesrc", f"location={path}",
            f"blocksize={WIDTH * HEIGHT * 3 // 2}", "!", "rawvideoparse", "format=i420",
            f"width={WIDTH}", f"height={HEIGHT}", "framerate=25/1", "!", *element, "!",
            "fakesink", "sync=false"]


def gst_audio(path, *element):
    return ["gst-launch-1.0", "-q", "filesrc", f"location={path}", f"blocksize={SAMPLES * 8}",
            "!", "rawaudioparse", "use-sink-caps=false", "format=pcm", "pcm-format=f32le",
            f"sample-rate={RATE}", "num-channels=2", "!", *element, "!", "fakesink", "sync=false"]


def histo(measures, *more):
    return ["cudahisto", "backend=cpu", "max-in-flight=1", f"measures={measures}", *more]


FORMATS = ("NV12", "I420", "Y42B", "Y444", "YUY2", "VUYA", "GBR", "RGBA", "RGB", "GRAY8", "P010_10LE",
           "I420_10LE", "I422_10LE", "Y444_10LE", "Y210", "v210", "GBR_10LE", "RGB10A2_LE", "I420_12LE",
           "GRAY16_LE", "ARGB64")
MEASURES = ("basic", "basic+signal+motion", "basic+signal+motion+color+hdr+detail+area")
# Of ffmpeg's pixel format: the format, the bytes of a frame.
PEERS = {"yuv420p": ("I420", WIDTH * HEIGHT * 3 // 2), "yuv420p10le": ("I420_10LE", WIDTH * HEIGHT * 3)}


def frame_time(program, build, folder, *arguments):
    """Processor time of a frame in ms, with the plugin of this build."""
    environment = dict(os.environ, GST_PLUGIN_PATH_1_0=os.path.join(os.path.abspath(build), "plugin"),
                       GST_REGISTRY_1_0=os.path.join(folder, "registry-" + build.replace("/", "-")))
    return float(subprocess.run([program, *arguments], check=True, env=environment,
                                stdout=subprocess.PIPE, text=True).stdout)


def time_signalstats(program, folder, content, rounds):
    """Returns the medians, ms a frame, of each pixel format."""
    times = {}
    for pixels, (name, _) in PEERS.items():
        path = os.path.join(folder, name)
        frames = subprocess.run([program, name, "write", content], check=True,
                                stdout=subprocess.PIPE).stdout
        with open(path, "wb") as file:
            for _ in range(5):
                file.write(frames)
        n = os.path.getsize(path) // PEERS[pixels][1]
        pair = [ffmpeg_video(path, what, pixels) for what in ("signalstats=stat=tout+vrep+brng", "null")]
        times[pixels] = statistics.median(
            (run(pair[0], os.environ) - run(pair[1], os.environ)) / n * 1e3 for _ in range(rounds))
        os.unlink(path)
    return times


def compare_formats(builds, rounds, content):
    program = os.path.join(os.path.abspath(builds[-1]), "tests/bench/cpu-frames")
    with tempfile.TemporaryDirectory() as folder:
        times = {}
        for measures in MEASURES:
            for name in FORMATS:
                values = [[] for _ in builds]
                for _ in range(rounds):
                    for i, build in enumerate(builds):
                        values[i].append(frame_time(program, build, folder, name, measures, content))
                times[measures, name] = [statistics.median(value) for value in values]
        print("| format | " + " | ".join(measures for measures in MEASURES) + " |")
        for measures in MEASURES:
            print(f"NV12, {measures}: {times[measures, 'NV12'][0]:.2f} ms")
        for name in FORMATS:
            print(f"| {name} | " + " | ".join(
                " / ".join(f"{time / times[measures, 'NV12'][0]:.2f}" for time in times[measures, name])
                for measures in MEASURES) + " |")
        if shutil.which("ffmpeg") is None:
            return 0
        for pixels, time in time_signalstats(program, folder, content, rounds).items():
            ours = times[MEASURES[1], PEERS[pixels][0]][-1]
            print(f"signalstats of {pixels}: {time:.1f} ms, {time / ours:.1f} times as long as {MEASURES[1]}")
    return 0


def make_video(folder, frames, clip):
    """Raw frames: of a generated scene, of noise, and of a file if there is one."""
    sources = {
        "scene": ["-f", "lavfi", "-i", f"mandelbrot=size={WIDTH}x{HEIGHT}:rate=25"],
        "noise": ["-f", "lavfi", "-i",
                  f"color=gray:size={WIDTH}x{HEIGHT}:rate=25,noise=alls=100:allf=t"],
    }
    if clip is not None:
        sources["clip"] = ["-i", clip, "-vf", f"scale={WIDTH}:{HEIGHT}"]
    paths = {}
    for name, source in sources.items():
        paths[name] = os.path.join(folder, name + ".yuv")
        subprocess.run(["ffmpeg", "-v", "error", *source, "-frames:v", str(frames), "-pix_fmt",
                        "yuv420p", "-f", "rawvideo", paths[name]], check=True)
        made = os.path.getsize(paths[name]) // (WIDTH * HEIGHT * 3 // 2)
        if made != frames:
            sys.exit(f"{name}: {made} frames instead of {frames}")
    return paths


def make_sound(folder, buffers):
    path = os.path.join(folder, "sound.raw")
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i",
                    f"anoisesrc=sample_rate={RATE}:amplitude=0.5", "-t",
                    str(buffers * SAMPLES / RATE), "-ac", "2", "-f", "f32le", path], check=True)
    return path


def measure(pairs, rounds, count, environment):
    """pairs: name -> (command with, command without). Returns the medians, us for each of count."""
    times = {name: [] for name in pairs}
    for _ in range(rounds):
        for name, (with_filter, without) in pairs.items():
            times[name].append((run(with_filter, environment) - run(without, environment))
                               / count * 1e6)
    return {name: statistics.median(values) for name, values in times.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("other_build", nargs="?")
    parser.add_argument("--formats", action="store_true")
    parser.add_argument("--content", default="scene")
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--buffers", type=int, default=40000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clip")
    arguments = parser.parse_args()
    if arguments.formats:
        builds = [build for build in (arguments.build, arguments.other_build) if build is not None]
        return compare_formats(builds, arguments.rounds, arguments.content)
    environment = dict(os.environ, GST_PLUGIN_PATH_1_0=os.path.join(
        os.path.abspath(arguments.build), "plugin"))
    with tempfile.TemporaryDirectory() as folder:
        environment["GST_REGISTRY_1_0"] = os.path.join(folder, "registry")
        clips = make_video(folder, arguments.frames, arguments.clip)
        subprocess.run(["gst-inspect-1.0", "cudahisto"], check=True, env=environment,
                       stdout=subprocess.DEVNULL)
        for name, clip in clips.items():
            null = ffmpeg_video(clip, "null")
            plain = gst_video(clip, "identity")
            result = measure({
                "signalstats": (ffmpeg_video(clip, "signalstats"), null),
                "signalstats stat=tout+vrep+brng":
                    (ffmpeg_video(clip, "signalstats=stat=tout+vrep+brng"), null),
                "siti": (ffmpeg_video(clip, "siti"), null),
                "waveform and vectorscope":
                    (ffmpeg_video(clip, "split[a][b];[a]waveform,nullsink;[b]vectorscope"), null),
                "basic": (gst_video(clip, *histo("basic")), plain),
                "basic+signal+motion": (gst_video(clip, *histo("basic+signal+motion")), plain),
                "basic+detail": (gst_video(clip, *histo("basic+detail")), plain),
                "basic+scopes": (gst_video(clip, *histo("basic+scopes")), plain),
                "all": (gst_video(clip, *histo(
                    "basic+signal+motion+color+hdr+detail+area")), plain),
            }, arguments.rounds, arguments.frames, environment)
            for what, time in result.items():
                print(f"{name} | {what} | {time / 1000:.2f} ms a frame")
            for peer in ("signalstats", "signalstats stat=tout+vrep+brng"):
                print(f"{name} | {peer} against basic+signal+motion | "
                      f"{result[peer] / result['basic+signal+motion']:.1f} times")
            print(f"{name} | siti against detail | "
                  f"{result['siti'] / (result['basic+detail'] - result['basic']):.1f} times, "
                  f"with basic {result['siti'] / result['basic+detail']:.1f} times")
            print(f"{name} | waveform and vectorscope against basic+scopes | "
                  f"{result['waveform and vectorscope'] / result['basic+scopes']:.1f} times")
        clip = make_sound(folder, arguments.buffers)
        plain = gst_audio(clip, "identity")
        result = measure({
            "level": (gst_audio(clip, "level", "post-messages=true",
                                f"interval={SAMPLES * 10**9 // RATE}"), plain),
            "basic": (gst_audio(clip, *histo("basic")), plain),
            "basic+level": (gst_audio(clip, *histo("basic+level")), plain),
        }, arguments.rounds, arguments.buffers, environment)
        for what, time in result.items():
            print(f"sound | {what} | {time:.1f} us a buffer")
        print("sound | the group level against GStreamer's level | "
              f"{(result['basic+level'] - result['basic']) / result['level']:.2f} times its time")
    return 0


if __name__ == "__main__":
    sys.exit(main())
