#!/bin/bash
# What files of many kinds say of their colours, fields, channels, light, timecode, samples and times, as ffprobe has it, and what
# GStreamer's demuxers and decoders make of it: a table, of which many rows differ.
#
#     real-media.sh          the pinned packages of Debian 12, amd64, unpacked into a temporary folder (apt-get update first); fails if a row changes
#     real-media.sh here     the programs that are installed, of any release: prints the table
#
# A row: what it is about, container, codec, what was written, what ffprobe says (of samples and times: what ffmpeg decodes), what
# GStreamer says. Colours are range:matrix:transfer:primaries.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
packages() { # PACKAGE=VERSION...: unpacks them, and all that they depend on but the C library, below root/
  local deb
  mkdir -p deb/partial root
  : > status
  apt-get -qq -y -o Dir::State::status="$dir/status" -o Dir::Cache::archives="$dir/deb" -o Debug::NoLocking=1 \
    -o APT::Install-Recommends=0 -o APT::Sandbox::User=root --download-only install "$@" > apt.log 2>&1 || { tail -n 3 apt.log; exit 2; }
  for deb in deb/*.deb; do dpkg -x "$deb" root; done
  rm -rf deb root/lib/x86_64-linux-gnu/{libc,libm,libdl,libpthread,librt,libresolv,ld-linux-x86-64}.so* root/lib64
  export PATH=$dir/root/usr/bin:$PATH GST_REGISTRY_1_0=$dir/registry
  export GST_PLUGIN_SYSTEM_PATH_1_0=$dir/root/usr/lib/x86_64-linux-gnu/gstreamer-1.0
  export GST_PLUGIN_SCANNER_1_0=$dir/root/usr/lib/x86_64-linux-gnu/gstreamer1.0/gstreamer-1.0/gst-plugin-scanner
  LD_LIBRARY_PATH=$(find root -name '*.so*' -printf "$dir/%h\n" | sort -u | grep -vE '/(gconv|gstreamer-1.0|engines-3|security|python3)' | paste -sd:)
  export LD_LIBRARY_PATH
}
if [ "${1:-}" = here ]; then
  ffmpeg -hide_banner -version | head -n 1
  gst-launch-1.0 --version | head -n 1
else
  packages ffmpeg=7:5.1.9-0+deb12u1 gstreamer1.0-tools=1.22.0-2+deb12u1 gstreamer1.0-plugins-base=1.22.0-3+deb12u7 \
    gstreamer1.0-plugins-good=1.22.0-5+deb12u4 gstreamer1.0-plugins-bad=1.22.0-4+deb12u8 gstreamer1.0-libav=1.22.0-2 python3=3.11.2-1+b1
  echo 'ffmpeg=7:5.1.9-0+deb12u1, gstreamer1.0-plugins-{base=1.22.0-3+deb12u7,good=1.22.0-5+deb12u4,bad=1.22.0-4+deb12u8}, gstreamer1.0-libav=1.22.0-2'
fi
cat > rows.py <<'PYTHON'
import json, re, subprocess
V = ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=0.6"]
COLOURS = {"HD": "color_primaries=bt709:color_trc=bt709:colorspace=bt709:range=tv",
           "PQ": "color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc:range=tv",
           "full": "color_primaries=bt709:color_trc=bt709:colorspace=bt709:range=pc",
           "nothing": ""}
X264 = ["-c:v", "libx264", "-pix_fmt", "yuv420p"]
X265 = ["-c:v", "libx265", "-pix_fmt", "yuv420p10le", "-x265-params", "log-level=error"]
LIGHT = X265[:-1] + ["log-level=error:hdr10=1:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50):max-cll=1000,400"]
KINDS = (("mkv", "FFV1", ["-c:v", "ffv1", "-pix_fmt", "yuv420p"]), ("mkv", "H.264", X264), ("mkv", "ProRes", ["-c:v", "prores_ks"]),
         ("mov", "v210", ["-c:v", "v210"]), ("mov", "FFV1", ["-c:v", "ffv1", "-pix_fmt", "yuv420p"]), ("mov", "ProRes", ["-c:v", "prores_ks"]),
         ("mov", "H.264", X264), ("mp4", "H.264", X264), ("mp4", "H.265", X265), ("ts", "H.264", X264), ("ts", "MPEG-2", ["-c:v", "mpeg2video", "-pix_fmt", "yuv420p"]),
         ("mxf", "MPEG-2", ["-c:v", "mpeg2video", "-pix_fmt", "yuv420p"]), ("avi", "FFV1", ["-c:v", "ffv1", "-pix_fmt", "yuv420p"]), ("y4m", "raw", ["-pix_fmt", "yuv420p"]))
ILDCT = ["-flags", "+ildct+ilme", "-top", "1"]
FIELDS = (("mkv", "FFV1", ["-c:v", "ffv1", "-pix_fmt", "yuv420p"]), ("mkv", "H.264", X264 + ["-x264-params", "tff=1"]),
          ("mov", "FFV1", ["-c:v", "ffv1", "-pix_fmt", "yuv420p"]), ("mov", "v210", ["-c:v", "v210", "-field_order", "tt"]),
          ("mov", "MJPEG", ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-field_order", "tt"]),
          ("mov", "ProRes", ["-c:v", "prores_ks", "-flags", "+ildct", "-top", "1"]), ("mp4", "H.264", X264 + ["-x264-params", "tff=1"]),
          ("ts", "H.264", X264 + ["-x264-params", "tff=1"]), ("ts", "MPEG-2", ["-c:v", "mpeg2video", "-pix_fmt", "yuv420p"] + ILDCT),
          ("mxf", "MPEG-2", ["-c:v", "mpeg2video", "-pix_fmt", "yuv420p"] + ILDCT), ("avi", "FFV1", ["-c:v", "ffv1", "-pix_fmt", "yuv420p"]),
          ("y4m", "raw", ["-pix_fmt", "yuv420p"]))
SIX = (("wav", "PCM", ["-c:a", "pcm_s16le"]), ("mov", "PCM", ["-c:a", "pcm_s16le"]), ("mxf", "PCM", ["-c:a", "pcm_s16le"]), ("aiff", "PCM", ["-c:a", "pcm_s16be"]),
       ("w64", "PCM", ["-c:a", "pcm_s16le"]), ("mkv", "PCM", ["-c:a", "pcm_s16le"]), ("mkv", "FLAC", ["-c:a", "flac"]), ("m4a", "AAC", ["-c:a", "aac"]), ("mka", "Opus", ["-c:a", "libopus"]), ("ts", "AC-3", ["-c:a", "ac3"]))
CODES = (("mov", "MJPEG", ["-timecode", "10:00:00:00", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p"]), ("mxf", "MPEG-2", ["-timecode", "10:00:00:00", "-c:v", "mpeg2video", "-pix_fmt", "yuv420p"]),
         ("mkv", "FFV1", ["-metadata:s:v", "timecode=10:00:00:00", "-c:v", "ffv1", "-pix_fmt", "yuv420p"]), ("avi", "FFV1", ["-timecode", "10:00:00:00", "-c:v", "ffv1", "-pix_fmt", "yuv420p"]))
SAMPLES = (("wav", "PCM", ["-c:a", "pcm_s16le"]), ("flac", "FLAC", ["-c:a", "flac"]), ("m4a", "AAC", ["-c:a", "aac"]), ("mp4", "AC-3", ["-c:a", "ac3"]), ("mkv", "AAC", ["-c:a", "aac"]), ("ts", "AAC", ["-c:a", "aac"]),
           ("mp3", "MP3", ["-c:a", "libmp3lame"]), ("wav", "MP3", ["-c:a", "libmp3lame"]), ("mkv", "MP3", ["-c:a", "libmp3lame"]), ("ts", "MP2", ["-c:a", "mp2"]), ("opus", "Opus", ["-c:a", "libopus"]), ("mkv", "Opus", ["-c:a", "libopus"]),
           ("ts", "Opus", ["-c:a", "libopus"]), ("ogg", "Vorbis", ["-c:a", "libvorbis"]), ("mkv", "AC-3", ["-c:a", "ac3"]), ("mkv", "WMA", ["-c:a", "wmav2"]))
TIMES = (("mp4", "H.264", X264), ("mp4", "H.264, no edit list", X264 + ["-use_editlist", "0"]), ("mkv", "H.264", X264), ("ts", "H.264", X264), ("avi", "MPEG-4 with B-frames", ["-c:v", "mpeg4", "-bf", "2", "-pix_fmt", "yuv420p"]),
         ("avi", "MPEG-4", ["-c:v", "mpeg4", "-bf", "0", "-pix_fmt", "yuv420p"]), ("mov", "QuickTime Animation", ["-c:v", "qtrle", "-pix_fmt", "rgb24"]), ("flv", "H.264", X264))

def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False).stdout.decode(errors="replace")

def make(name, inputs, *options):
    done = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *inputs, "-strict", "-2", *options, name], stderr=subprocess.PIPE, check=False)
    return done.returncode == 0

def probe(name, *keys):
    data = json.loads(run("ffprobe", "-v", "error", "-show_streams", "-show_format", "-show_frames", "-read_intervals", "%+#1", "-of", "json", name))
    stream = [stream for stream in data["streams"] if stream["codec_type"] in ("video", "audio")][-1]
    for where in [stream] + data["frames"][:1]:
        for entry in where.get("side_data_list", []):
            stream.update({key: value for key, value in entry.items() if key not in stream})
    tags = {key.lower(): value for where in (data["format"], stream) for key, value in where.get("tags", {}).items()}
    stream["timecode"] = tags.get("timecode")
    return stream

def launch(name):
    """What the last stream's decoder says, and each of its buffers."""
    text = run("timeout", "20", "gst-launch-1.0", "-v", "filesrc", f"location={name}", "!", "decodebin", "name=d", "d.", "!", "fakesink", "silent=false")
    caps = re.findall(r"FakeSink:\w+\.GstPad:sink: caps = (.*)", text)
    buffers = re.findall(r"chain .*? pts: (\S+), .*?flags: ([0-9a-f]{8}).*?meta: (.*?)\)", text)
    return caps[0].replace("\\", "") if caps else None, buffers

def field(caps, name):
    found = re.search(name + r"=\(\w+\)(?:\"([^\"]*)\"|([^,\s]*))", caps)
    return (found[1] or found[2]) if found else None

def clock(time):
    if time == "none":
        return None
    hours, minutes, seconds = time.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)

def describe(times):
    steps = [round((b - a) * 25) if a is not None and b is not None else 0 for a, b in zip(times, times[1:])]
    odd = sum(step != 1 for step in steps)
    return f"{len(times)} frames" + (f", {odd} of {len(steps)} distances are not 40 ms" if odd else "")

def rows():
    for signal, params in COLOURS.items():
        for container, codec, options in KINDS:
            name = f"c-{signal}-{codec.replace('.', '')}.{container}"
            filters = f"setparams={params}" if params else "null"
            if make(name, V, "-vf", filters, *options):
                yield "colours", container, codec, signal, name
    for container, codec, options in FIELDS:
        name = f"f-{codec.replace('.', '')}.{container}"
        if make(name, V, "-vf", "setfield=tff", *options):
            yield "fields", container, codec, "top first", name
    for container, codec, options in SIX:
        name = f"p-{codec.replace('.', '')}.{container}"
        inputs = (V if container == "mxf" else []) + ["-f", "lavfi", "-i", "anoisesrc=a=0.1:r=48000:d=0.4,aformat=cl=5.1"]
        if make(name, inputs, *(["-c:v", "mpeg2video", "-pix_fmt", "yuv420p"] if container == "mxf" else []), *options):
            yield "positions", container, codec, "5.1", name
    for container in ("mp4", "mkv", "ts"):
        if make(f"l.{container}", V, "-vf", f"setparams={COLOURS['PQ']}", *LIGHT):
            yield "light", container, "H.265", "1000, 400", f"l.{container}"
    for container, codec, options in CODES:
        name = f"t-{codec.replace('.', '')}.{container}"
        if make(name, V, *options):
            yield "timecode", container, codec, "10:00:00:00", name
    for container, codec, options in SAMPLES:
        name = f"s-{codec.replace('.', '')}.{container}"
        if make(name, ["-f", "lavfi", "-i", "anoisesrc=a=0.1:r=48000:d=1"], *options):
            yield "samples", container, codec, "48000", name
    for container, codec, options in TIMES:
        name = f"z-{codec.replace('.', '').replace(' ', '').replace(',', '')}.{container}"
        if make(name, V, *options):
            yield "times", container, codec, "15 frames", name

def told(section, name):
    """Returns: what ffprobe says, and what GStreamer's decoder does."""
    said = probe(name)
    caps, buffers = launch(name)
    none = "not decoded"
    if section == "colours":
        return ":".join(str(said.get(key, "-")).replace("unknown", "-") for key in ("color_range", "color_space", "color_transfer", "color_primaries")), none if caps is None else (field(caps, "colorimetry") or "nothing")
    if section == "fields":
        if caps is None:
            return said.get("field_order", "-"), none
        flags = {(int(flags, 16) >> 20) & 3 for _, flags, _ in buffers}
        words = {0: "no flag", 1: "interlaced", 3: "interlaced, top first", 2: "top first"}
        return said.get("field_order", "-"), ", ".join(filter(None, (field(caps, "interlace-mode"), field(caps, "field-order")))) + "; buffers: " + " or ".join(words[flag] for flag in sorted(flags))
    if section == "positions":
        return said.get("channel_layout", "-"), none if caps is None else (field(caps, "channel-mask") or "no mask")
    if section == "light":
        return f"{said.get('max_content', '-')}, {said.get('max_average', '-')}; {said.get('max_luminance', '-')}, {said.get('min_luminance', '-')}", none if caps is None else f"{field(caps, 'content-light-level') or 'nothing'}; {field(caps, 'mastering-display-info') or 'nothing'}"
    if section == "timecode":
        metas = buffers[0][2] if buffers else ""
        tags = run("timeout", "20", "gst-launch-1.0", "-t", "filesrc", f"location={name}", "!", "decodebin", "!", "fakesink")
        return said["timecode"] or "-", none if caps is None else "the frames have it" if "TimeCode" in metas else "a tag" if "10:00:00:00" in tags else "nothing"
    if section == "samples":
        ours = len(subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", name, "-ac", "1", "-f", "s16le", "-"], stdout=subprocess.PIPE, check=False).stdout) // 2
        theirs = len(subprocess.run(["timeout", "20", "gst-launch-1.0", "-q", "filesrc", f"location={name}", "!", "decodebin", "!", "audioconvert", "!", "audio/x-raw,format=S16LE,channels=1", "!", "fdsink"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout) // 2
        return str(ours), str(theirs) if theirs else none
    times = run("ffprobe", "-v", "error", "-show_entries", "frame=best_effort_timestamp_time", "-of", "csv=p=0", name).replace(",", "").split()
    return describe([None if time == "N/A" else float(time) for time in times]), none if caps is None else describe([clock(time) for time, _, _ in buffers])

for section, container, codec, signal, name in rows():
    print(" | ".join((section, container, codec, signal, *told(section, name))), flush=True)
PYTHON
cat > expected <<'TABLE'
colours | mkv | FFV1 | HD | tv:bt709:bt709:bt709 | bt709
colours | mkv | H.264 | HD | tv:bt709:bt709:bt709 | bt709
colours | mkv | ProRes | HD | tv:bt709:bt709:bt709 | bt709
colours | mov | v210 | HD | -:bt709:bt709:bt709 | bt601
colours | mov | FFV1 | HD | -:bt709:bt709:bt709 | nothing
colours | mov | ProRes | HD | tv:bt709:bt709:bt709 | bt709
colours | mov | H.264 | HD | tv:bt709:bt709:bt709 | bt709
colours | mp4 | H.264 | HD | tv:bt709:bt709:bt709 | bt709
colours | mp4 | H.265 | HD | tv:bt709:bt709:bt709 | bt709
colours | ts | H.264 | HD | tv:bt709:bt709:bt709 | bt709
colours | ts | MPEG-2 | HD | tv:bt709:bt709:bt709 | bt709
colours | mxf | MPEG-2 | HD | tv:bt709:bt709:bt709 | bt709
colours | avi | FFV1 | HD | -:-:-:- | nothing
colours | y4m | raw | HD | tv:-:-:- | bt601
colours | mkv | FFV1 | PQ | tv:bt2020nc:smpte2084:bt2020 | bt2100-pq
colours | mkv | H.264 | PQ | tv:bt2020nc:smpte2084:bt2020 | bt2100-pq
colours | mkv | ProRes | PQ | tv:bt2020nc:smpte2084:bt2020 | bt2100-pq
colours | mov | v210 | PQ | -:bt2020nc:smpte2084:bt2020 | bt601
colours | mov | FFV1 | PQ | -:bt2020nc:smpte2084:bt2020 | nothing
colours | mov | ProRes | PQ | tv:bt2020nc:smpte2084:bt2020 | bt2100-pq
colours | mov | H.264 | PQ | tv:bt2020nc:smpte2084:bt2020 | bt2100-pq
colours | mp4 | H.264 | PQ | tv:bt2020nc:smpte2084:bt2020 | bt2100-pq
colours | mp4 | H.265 | PQ | tv:bt2020nc:smpte2084:bt2020 | bt2100-pq
colours | ts | H.264 | PQ | tv:bt2020nc:smpte2084:bt2020 | bt2100-pq
colours | ts | MPEG-2 | PQ | tv:bt2020nc:smpte2084:bt2020 | bt2100-pq
colours | mxf | MPEG-2 | PQ | tv:bt2020nc:smpte2084:bt2020 | bt2100-pq
colours | avi | FFV1 | PQ | -:-:-:- | nothing
colours | y4m | raw | PQ | tv:-:-:- | bt601
colours | mkv | FFV1 | full | pc:bt709:bt709:bt709 | 1:3:5:1
colours | mkv | H.264 | full | pc:bt709:bt709:bt709 | 1:3:5:1
colours | mkv | ProRes | full | tv:bt709:bt709:bt709 | bt709
colours | mov | v210 | full | -:bt709:bt709:bt709 | bt601
colours | mov | FFV1 | full | -:bt709:bt709:bt709 | nothing
colours | mov | ProRes | full | tv:bt709:bt709:bt709 | bt709
colours | mov | H.264 | full | pc:bt709:bt709:bt709 | bt709
colours | mp4 | H.264 | full | pc:bt709:bt709:bt709 | bt709
colours | mp4 | H.265 | full | tv:bt709:bt709:bt709 | bt709
colours | ts | H.264 | full | pc:bt709:bt709:bt709 | 1:3:5:1
colours | ts | MPEG-2 | full | tv:bt709:bt709:bt709 | bt709
colours | mxf | MPEG-2 | full | tv:bt709:bt709:bt709 | bt709
colours | avi | FFV1 | full | -:-:-:- | nothing
colours | y4m | raw | full | pc:-:-:- | bt601
colours | mkv | FFV1 | nothing | -:-:-:- | nothing
colours | mkv | H.264 | nothing | -:-:-:- | nothing
colours | mkv | ProRes | nothing | tv:-:-:- | 2:0:0:0
colours | mov | v210 | nothing | -:-:-:- | bt601
colours | mov | FFV1 | nothing | -:-:-:- | nothing
colours | mov | ProRes | nothing | tv:-:-:- | 2:0:0:0
colours | mov | H.264 | nothing | -:-:-:- | nothing
colours | mp4 | H.264 | nothing | -:-:-:- | nothing
colours | mp4 | H.265 | nothing | tv:-:-:- | 2:0:0:0
colours | ts | H.264 | nothing | -:-:-:- | nothing
colours | ts | MPEG-2 | nothing | tv:-:-:- | 2:0:0:0
colours | mxf | MPEG-2 | nothing | tv:-:-:- | 2:0:0:0
colours | avi | FFV1 | nothing | -:-:-:- | nothing
colours | y4m | raw | nothing | -:-:-:- | bt601
fields | mkv | FFV1 | top first | tb | interleaved, top-field-first; buffers: no flag
fields | mkv | H.264 | top first | tb | interleaved, top-field-first; buffers: interlaced, top first
fields | mov | FFV1 | top first | tb | progressive; buffers: no flag
fields | mov | v210 | top first | tt | progressive; buffers: no flag
fields | mov | MJPEG | top first | tt | interleaved; buffers: no flag
fields | mov | ProRes | top first | tt | interleaved; buffers: interlaced, top first
fields | mp4 | H.264 | top first | tt | interleaved, top-field-first; buffers: interlaced, top first
fields | ts | H.264 | top first | tt | interleaved, top-field-first; buffers: interlaced, top first
fields | ts | MPEG-2 | top first | tt | mixed; buffers: interlaced, top first
fields | mxf | MPEG-2 | top first | tt | mixed; buffers: interlaced, top first
fields | avi | FFV1 | top first | - | progressive; buffers: no flag
fields | y4m | raw | top first | tt | interleaved; buffers: no flag
positions | wav | PCM | 5.1 | 5.1 | 0x000000000000003f
positions | mov | PCM | 5.1 | 5.1 | 0x0000000000000000
positions | mxf | PCM | 5.1 | - | no mask
positions | aiff | PCM | 5.1 | 5.1(side) | 0x00000000000000cf
positions | w64 | PCM | 5.1 | 5.1 | no mask
positions | mkv | PCM | 5.1 | - | 0x000000000000003f
positions | mkv | FLAC | 5.1 | 5.1 | 0x000000000000003f
positions | m4a | AAC | 5.1 | 5.1 | 0x000000000000003f
positions | mka | Opus | 5.1 | 5.1 | 0x000000000000003f
positions | ts | AC-3 | 5.1 | 5.1(side) | 0x0000000000000c0f
light | mp4 | H.265 | 1000, 400 | 1000, 400; 10000000/10000, 50/10000 | 1000:400; 34000:16000:13250:34500:7500:3000:15635:16450:10000000:50
light | mkv | H.265 | 1000, 400 | 1000, 400; 10000000/10000, 50/10000 | 1000:400; 34000:16000:13250:34500:7500:3000:15635:16450:10000000:50
light | ts | H.265 | 1000, 400 | 1000, 400; 10000000/10000, 50/10000 | 1000:400; 34000:16000:13250:34500:7500:3000:15635:16450:10000000:50
timecode | mov | MJPEG | 10:00:00:00 | 10:00:00:00 | nothing
timecode | mxf | MPEG-2 | 10:00:00:00 | 10:00:00:00 | the frames have it
timecode | mkv | FFV1 | 10:00:00:00 | 10:00:00:00 | a tag
timecode | avi | FFV1 | 10:00:00:00 | 10:00:00:00 | nothing
samples | wav | PCM | 48000 | 48000 | 48000
samples | flac | FLAC | 48000 | 48000 | 48000
samples | m4a | AAC | 48000 | 48128 | 47104
samples | mp4 | AC-3 | 48000 | 48896 | 48865
samples | mkv | AAC | 48000 | 49152 | 49152
samples | ts | AAC | 48000 | 49152 | 49152
samples | mp3 | MP3 | 48000 | 48000 | 49536
samples | wav | MP3 | 48000 | 49536 | 48384
samples | mkv | MP3 | 48000 | 49105 | 49536
samples | ts | MP2 | 48000 | 48384 | 48384
samples | opus | Opus | 48000 | 48000 | 48000
samples | mkv | Opus | 48000 | 48000 | 48000
samples | ts | Opus | 48000 | 48960 | 48000
samples | ogg | Vorbis | 48000 | 48000 | 48000
samples | mkv | AC-3 | 48000 | 49152 | 49152
samples | mkv | WMA | 48000 | 47104 | 49152
times | mp4 | H.264 | 15 frames | 15 frames | 15 frames
times | mp4 | H.264, no edit list | 15 frames | 15 frames | 13 frames
times | mkv | H.264 | 15 frames | 15 frames | 15 frames
times | ts | H.264 | 15 frames | 15 frames | 15 frames
times | avi | MPEG-4 with B-frames | 15 frames | 15 frames, 1 of 14 distances are not 40 ms | 15 frames, 1 of 14 distances are not 40 ms
times | avi | MPEG-4 | 15 frames | 15 frames | 15 frames
times | mov | QuickTime Animation | 15 frames | 15 frames | 15 frames
times | flv | H.264 | 15 frames | 15 frames | 15 frames
TABLE
python3 rows.py | tee table
[ "${1:-}" = here ] || cmp -s expected table || { echo "CHANGED:"; diff expected table; exit 1; }
