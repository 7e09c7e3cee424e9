#!/bin/bash
# pipelines/monitor.sh: films, a test picture and errors. There is no screen: in a window's place are fakesinks.
#
#   tests/report/monitor.sh PLUGIN OVERLAY_PLUGIN
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

plugin=${1:?usage: tests/report/monitor.sh PLUGIN OVERLAY_PLUGIN}
overlay=${2:?usage: tests/report/monitor.sh PLUGIN OVERLAY_PLUGIN}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
for tool in gst-launch-1.0 gst-inspect-1.0 ffprobe; do
  if ! command -v $tool > /dev/null; then
    echo "Skipped: there is no $tool"
    exit 77
  fi
done
for element in vp8enc matroskamux; do
  if ! gst-inspect-1.0 $element > /dev/null 2>&1; then
    echo "Skipped: there is no element $element"
    exit 77
  fi
done
unset GST_PLUGIN_PATH GST_PLUGIN_PATH_1_0

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export GST_REGISTRY_1_0=$scratch/registry PATH=$scratch/bin:$PATH DISPLAY=:none
mkdir -p "$scratch/bin" "$scratch/tree/pipelines" "$scratch/tree/build/plugin" "$scratch/a folder"
cp "$root"/pipelines/*.sh "$scratch/tree/pipelines"
sed 's/auto[a-z]*sink/fakesink/' "$root/pipelines/monitor.py" > "$scratch/tree/pipelines/monitor.py"
cp "$plugin" "$overlay" "$scratch/tree/build/plugin"
monitor=$scratch/tree/pipelines/monitor.sh
# MISSING: elements that are not there. ximagesink is always there otherwise.
cat > "$scratch/bin/gst-inspect-1.0" << END
#!/bin/bash
[[ " \${MISSING:-} " != *" \$1 "* ]] || exit 1
[ "\$1" = ximagesink ] || exec $(command -v gst-inspect-1.0) "\$@"
END
chmod +x "$scratch/bin"/*

fail () {
  echo "FAILED: $1" >&2
  cat "$scratch/out" >&2
  exit 1
}
# try STATUS PATTERN ARGUMENT...: the pattern must be in the output; '': there must be none
try () {
  local expected=$1 pattern=$2 status=0
  shift 2
  timeout 60 "$monitor" "$@" > "$scratch/out" 2>&1 < /dev/null || status=$?
  [ $status = "$expected" ] || fail "$*: status $status, not $expected"
  if [ -n "$pattern" ]; then
    grep -q -e "$pattern" "$scratch/out" || fail "$*: no $pattern"
  elif [ -s "$scratch/out" ]; then
    fail "$*: output"
  fi
}
# streams FILE: codecs and numbers of packets
streams () {
  ffprobe -v error -count_packets -show_entries stream=codec_name,nb_read_packets -of csv=p=0 "$1" | paste -s -d ' '
}

film=$scratch/"a folder/#1 film.mkv"
picture=video/x-raw,width=320,height=240,framerate=25/1
gst-launch-1.0 -q videotestsrc pattern=white num-buffers=20 ! $picture ! jpegenc \
  ! matroskamux name=mux ! filesink location="$film" \
  audiotestsrc num-buffers=35 ! audio/x-raw,rate=44100,channels=2 ! mux.
gst-launch-1.0 -q videotestsrc num-buffers=20 ! $picture ! jpegenc ! avimux \
  ! filesink location="$scratch/silent.avi"
gst-launch-1.0 -q audiotestsrc num-buffers=5 ! wavenc ! filesink location="$scratch/sound.wav"

try 0 'usage' --help
try 2 'usage'
try 2 'usage' --unknown test
try 2 'usage' one two
try 1 'cannot read .*/nothing.mkv' "$scratch/nothing.mkv"
try 1 'no camera /dev/video-none' /dev/video-none
try 1 'must end with' --file "$scratch/out.txt" test
try 1 'file needs a name' --file= test
try 1 'file needs a name' --file '' test
try 1 'no folder' --file "$scratch/nowhere/out.mkv" test
try 1 'is the source' --file "$film" "$film"
ln -s "$film" "$scratch/link.mkv"
ln "$film" "$scratch/hard link.mkv"
for name in "$film" "$scratch/link.mkv" "$scratch/hard link.mkv"; do
  for source in "$film" "$scratch/link.mkv" "file://$scratch/a%20folder/%231%20film.mkv" "file://localhost$scratch/link.mkv"; do
    try 1 'is the source' --force --file "$name" "$source"
  done
done
rm "$scratch/link.mkv" "$scratch/hard link.mkv"
# What GStreamer takes for a part of the path; and a path of another machine, which is none here.
cp "$film" "$scratch/a?b.mkv"
try 1 'is the source' --force --file "$scratch/a?b.mkv" "file://$scratch/a?b.mkv"
try 1 'is the source' --force --file "$scratch/a?b.mkv" "FILE://$scratch/a%3fb.mkv"
try 1 'monitor.sh: ' --force --file "$film" "http://127.0.0.1:9${film// /%20}"
! grep -q 'is the source' "$scratch/out" || fail "a path of another machine"
cp "$film" "$scratch/other.mkv"
try 1 'other.mkv exists. --force' --file "$scratch/other.mkv" "$film"
cmp "$film" "$scratch/other.mkv" || fail "another film was replaced"
try 1 'monitor.sh: no video\|there is no video' "$scratch/sound.wav"
try 1 'monitor.sh: ' "$monitor"
try 1 'monitor.sh: ' "file://$scratch/nothing.mkv"
MISSING=vp8enc try 1 'vp8enc is missing.*gstreamer1.0-plugins-good' --file "$scratch/out.mkv" "$film"
MISSING=autovideosink try 1 'autovideosink is missing.*gstreamer1.0-plugins-good' "$film"
# waylandsink is often there, but without its screen it cannot open a window, nor can the others without theirs.
MISSING='xvimagesink ximagesink glimagesink' WAYLAND_DISPLAY='' try 1 'open a window.*gstreamer1.0-x' "$film"
MISSING='glimagesink waylandsink' DISPLAY='' WAYLAND_DISPLAY=none try 1 'open a window.*gstreamer1.0-x' "$film"
DISPLAY='' WAYLAND_DISPLAY='' try 1 'no screen.*--file' "$film"
MISSING=cudahisto try 1 'Run pipelines/quickstart.sh' "$film"
MISSING=cudahistooverlay try 1 'libcairo2-dev' "$film"
[ ! -e "$scratch/out.mkv" ] || fail "a file in spite of an error"

# A window, and files: with sound and without, luma and parade.
try 0 '' "$film"
try 0 '' "file://$scratch/silent.avi"
try 0 '' --file "$scratch/out.mkv" "$film"
[[ $(streams "$scratch/out.mkv") = vp8,20\ pcm_s16le,* ]] || fail "$(streams "$scratch/out.mkv")"
try 0 '' --parade --file="$scratch/out.avi" "$scratch/silent.avi"
[ "$(streams "$scratch/out.avi")" = vp8,20 ] || fail "$(streams "$scratch/out.avi")"
# MP4, whose pictures have B-frames, and 5.1 sound without positions; names with all that a pipeline's text knows.
ffmpeg -v error -nostdin -f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i "sine=d=1:r=48000,pan=5.1|c0=c0|c2=c0" \
  -c:v libx264 -c:a aac "$scratch/film.mp4"
ffmpeg -v error -nostdin -i "$scratch/film.mp4" -c:v copy -c:a pcm_s16le "$scratch/film.mov"
for pair in 'film.mp4:q"uo te\x ! fakesink.mkv' 'film.mp4:-name=(string)x.avi' 'film.mov:film of mov.mkv'; do
  name=${pair#*:}
  try 0 '' --file "$scratch/$name" "$scratch/${pair%%:*}"
  [[ $(streams "$scratch/$name") = vp8,25\ pcm_s16le,* ]] || fail "$name: $(streams "$scratch/$name")"
done
# A picture that players turn is shown as they show it.
# ffmpeg 5.1 has no option for this, and 7.1 ignores the metadata.
turn=()
! grep -q -e '^-display_rotation' <<< "$(ffmpeg -hide_banner -h full 2> /dev/null)" || turn=(-display_rotation 90)
ffmpeg -v error -nostdin "${turn[@]}" -i "$scratch/film.mp4" -c copy -metadata:s:v rotate=90 "$scratch/turned.mp4"
try 0 '' --file "$scratch/turned.mkv" "$scratch/turned.mp4"
[ "$(ffprobe -v error -select_streams v -show_entries stream=width,height -of csv=p=0 "$scratch/turned.mkv")" = 48,64 ] \
  || fail "a turned picture"
# Why a source cannot be read.
echo 'no film' > "$scratch/no-film.mkv"
try 1 'monitor.sh: GStreamer cannot read it: ' --file "$scratch/none.mkv" "$scratch/no-film.mkv"
# Names that are not UTF-8.
mkdir "$scratch"/$'folder \xff'
ln "$scratch/film.mp4" "$scratch"/$'film \xfe.mp4'
try 0 '' --file "$scratch"/$'folder \xff/\xfd.mkv' "$scratch"/$'film \xfe.mp4'
[[ $(streams "$scratch"/$'folder \xff/\xfd.mkv') = vp8,25\ * ]] || fail "names that are not UTF-8"
try 1 'monitor.sh: ' --file "$scratch/none.mkv" "file://$scratch/"$'\xfc.mp4'
! grep -q Traceback "$scratch/out" || fail "a traceback"
# Pictures that get lost on their way into the file: the old file stays, and the reason is told.
cp "$scratch/tree/pipelines/monitor.py" "$scratch/whole.py"
sed -i 's/! queue ! {muxer}/! queue ! identity drop-probability=1 ! {muxer}/' "$scratch/tree/pipelines/monitor.py"
cp "$film" "$scratch/old.mkv"
try 1 'old.mkv would have 0 of 25 pictures' --force --file "$scratch/old.mkv" "$scratch/film.mp4"
cmp "$film" "$scratch/old.mkv" || fail "the old file is lost"
mv "$scratch/whole.py" "$scratch/tree/pipelines/monitor.py"
# A full disk: the message names the file, and the old one stays.
(
  ulimit -f 8
  trap '' XFSZ
  try 1 'old.mkv is not written: ' --force --file "$scratch/old.mkv" "$scratch/film.mp4"
)
cmp "$film" "$scratch/old.mkv" || fail "the old file is lost"
# Ctrl-C while it imports its modules.
mkdir "$scratch/slow"
printf '%s\n' 'import pathlib, time' "pathlib.Path('$scratch/here').touch()" 'time.sleep(60)' > "$scratch/slow/gi.py"
PYTHONPATH=$scratch/slow timeout --foreground 60 "$monitor" --file "$scratch/none.mkv" test > "$scratch/out" 2>&1 &
for _ in {1..600}; do
  [ ! -e "$scratch/here" ] || break
  sleep 0.1
done
kill -INT $!
status=0
wait $! || status=$?
[ "$status, $(cat "$scratch/out")" = "130, $monitor: interrupted" ] || fail "interrupted: status $status"
try 0 '' --force --file "$scratch/other.mkv" "$scratch/film.mp4"
[[ $(streams "$scratch/other.mkv") = vp8,25\ * ]] || fail "--force: $(streams "$scratch/other.mkv")"
# A source that breaks off leaves no file and the old one.
head -c 3000 "$film" > "$scratch/cut.mkv"
cp "$film" "$scratch/old.mkv"
timeout 60 "$monitor" --force --file "$scratch/old.mkv" "$scratch/cut.mkv" > "$scratch/out" 2>&1 < /dev/null \
  || cmp "$film" "$scratch/old.mkv" || fail "the old file is lost"
[ -z "$(find "$scratch" -name '.monitor-*')" ] || fail "a temporary file is left"

# The panels are in the picture: without them it is white.
dark=$(ffmpeg -v error -i "$scratch/out.mkv" -frames:v 1 -vf 'crop=60:4:10:230' -f rawvideo -pix_fmt gray - \
  | od -An -v -tu1 -w1 | awk '$1 < 60' | wc -l)
[ "$dark" -gt 120 ] || fail "$dark dark pixels"
# The checks have 90 rows with gamut, flashes and fields, and 36 with gamut alone.
rows=$(ffmpeg -v error -i "$scratch/out.mkv" -vf 'select=eq(n\,10),crop=2:100:300:0' -frames:v 1 -f rawvideo -pix_fmt gray - \
  | od -An -v -tu1 -w2 | awk '$1 < 100' | wc -l)
[ "$rows" -ge 70 ] || fail "the checks have $rows rows"

# A live source, until it is interrupted: the file is complete.
# --foreground: else timeout sends the signal twice, and the second one stops at once.
timeout --foreground 60 "$monitor" --file "$scratch/test.mkv" test > "$scratch/out" 2>&1 &
for _ in {1..300}; do
  size=$(cat "$scratch"/.monitor-* 2> /dev/null | wc -c) || true
  [ "$size" -lt 100000 ] || break
  sleep 0.1
done
kill -INT $!
wait $! || fail "it does not end"
[[ $(streams "$scratch/test.mkv") = vp8,*\ pcm_s16le,* ]] || fail "$(streams "$scratch/test.mkv")"
echo "monitor: all passed"
