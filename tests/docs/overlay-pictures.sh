#!/bin/bash
# Makes the pictures of docs/overlay.md from the film of the Debian package opencv-doc and from test pictures.
#
#   tests/docs/overlay-pictures.sh BUILD_DIR [DIRECTORY]
#   tests/docs/overlay-pictures.sh --all BUILD_DIR DIRECTORY
#
# DIRECTORY (default: docs/images) gets overlay.png, overlay-small.png and scopes.png. With --all it gets pictures of
# other cases, to look at: letterbox, dark film, PQ, HLG, RGB, interlaced, SD behind an encoder, mono, 5.1.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

is_all=no
if [ "${1:-}" = --all ]; then
  is_all=yes
  shift
fi
build=$(cd "${1:?usage: tests/docs/overlay-pictures.sh [--all] BUILD_DIR [DIRECTORY]}" && pwd)
films=/usr/share/doc/opencv-doc/examples/data
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
directory=${2:-$root/docs/images}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GST_PLUGIN_PATH=$build/plugin GST_REGISTRY=$work/registry.bin
if ! command -v ffmpeg > /dev/null || [ ! -r "$films/vtest.avi" ]; then
  echo "ffmpeg or opencv-doc is not installed" >&2
  exit 77
fi
mkdir -p "$directory"

# Two channels that are alike in part, six that are not, and one.
tone='0.06*sin(440*2*PI*t)*(1+0.7*sin(3*t))'
ffmpeg -v error -f lavfi -i "aevalsrc=$tone|0.6*$tone+0.03*sin(660*2*PI*t):duration=20" "$work/stereo.wav"
ffmpeg -v error -f lavfi -i "aevalsrc=$tone:duration=20" "$work/mono.wav"
six="$tone|0.5*$tone|0.1*sin(220*2*PI*t)|0.1*sin(60*2*PI*t)|0.05*$tone|-0.05*$tone"
ffmpeg -v error -f lavfi -i "aevalsrc=$six:channel_layout=5.1:duration=20" "$work/surround.wav"

# film NAME: a source
film () {
  echo "filesrc location=$films/$1 ! decodebin ! videoconvert ! videoscale"
}
# draw NAME FRAME SOUND SOURCE MEASURING DRAWING: a frame of the source, with the overlay and a file of sound. The
# last frames before a cut may be broken, so a few more are decoded.
draw () {
  local name=$1 frame=$2 sound=$3 source=$4 measuring=$5 drawing=$6
  # The words of the last three are arguments.
  # shellcheck disable=SC2086
  gst-launch-1.0 -q $source ! identity eos-after=$((frame + 20)) ! queue max-size-buffers=0 \
    ! cudahisto backend=cpu $measuring ! cudahistooverlay name=o audio-wait=10000000000 $drawing \
    ! videoconvert ! video/x-raw,format=RGB ! pngenc compression-level=1 ! multifilesink \
      location="$work/$name-%d.png" \
    filesrc location="$work/$sound.wav" ! decodebin ! queue max-size-buffers=0 ! audioconvert \
    ! cudahisto backend=cpu measures=level+loudness alerts=clipping ! o.audio_0
  mv "$work/$name-$frame.png" "$work/$name.png"
  rm "$work/$name"-*.png
}
# finish NAME: fewer colours make the file small
finish () {
  ffmpeg -v error -y -i "$work/$1.png" \
    -vf 'split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=bayer:bayer_scale=4' "$directory/$1.png"
}
# label COLORIMETRY FORMAT: says what the samples are, without a conversion
label () {
  echo "videoconvert ! video/x-raw,format=$2 \
    ! capssetter replace=false join=false caps=video/x-raw,format=$2,colorimetry=$1"
}

scopes=show=waveform+vectorscope
size=video/x-raw,format=I420,width=1280,height=720,pixel-aspect-ratio=1/1,colorimetry=bt709
if [ $is_all = no ]; then
  sd=video/x-raw,format=I420,width=768,height=576
  draw overlay 34 stereo "$(film vtest.avi) ! $sd" \
    "measures=scopes+gamut-filter+motion regions=people=46%,27%,16%,30%" \
    "$scopes+meters+loudness+regions+checks size=0.3"
  draw overlay-small 24 stereo "$(film vtest.avi) ! video/x-raw,format=I420,width=320,height=240" "" \
    "show=histogram+meters components=luma size=0.4"
  bars="videotestsrc pattern=smpte75 ! $size"
  parade="$scopes waveform-mode=parade size=1 margin=0 position=top-left"
  draw bars 30 stereo "$bars" measures=scopes+color "$parade"
  draw film 24 stereo "$(film vtest.avi) ! $size" measures=scopes+color "$parade"
  # Panels alone, one above the other.
  for name in bars film; do
    ffmpeg -v error -y -i "$work/$name.png" -vf 'crop=iw:350:0:0' "$work/$name-panels.png"
  done
  ffmpeg -v error -y -i "$work/bars-panels.png" -i "$work/film-panels.png" -filter_complex vstack "$work/scopes.png"
  for name in overlay overlay-small scopes; do
    finish $name
  done
  exit
fi

hd=video/x-raw,width=1280,height=720,pixel-aspect-ratio=1/1
everything=show=waveform+vectorscope+histogram+levels+meters+loudness+checks
draw bars 30 stereo "videotestsrc pattern=smpte75 ! $size" measures=scopes+color "$scopes size=0.5"
draw bars-100 30 stereo "videotestsrc pattern=smpte100 ! $size" measures=scopes+color \
  "$scopes+histogram size=0.4 waveform-mode=parade components=parade"
draw dark 40 stereo "$(film Megamind.avi) ! $size" measures=scopes+color+gamut-filter "$everything size=0.4"
draw letterbox 100 stereo "$(film Megamind.avi) ! video/x-raw,width=1280,height=544 \
  ! videobox top=-88 bottom=-88 ! $size" measures=scopes "$scopes+histogram+levels components=luma size=0.4"
draw pq 24 stereo "$(film vtest.avi) ! $hd ! $(label 2:6:14:7 I420_10LE)" \
  measures=scopes+hdr "$scopes+histogram components=luma size=0.4"
draw hlg 24 stereo "$(film vtest.avi) ! $hd ! $(label 2:6:15:7 P010_10LE)" \
  measures=scopes+hdr+color "$scopes waveform-mode=overlay size=0.4"
draw rgb 30 stereo "videotestsrc pattern=ball ! video/x-raw,format=RGB,width=1280,height=720" \
  measures=scopes "$scopes waveform-mode=parade size=0.4"
draw smooth 30 stereo "videotestsrc pattern=gradient ! video/x-raw,format=RGBA64_LE,width=1280,height=720" \
  measures=scopes "$scopes+histogram+levels size=0.3"
draw interlaced 60 stereo "$(film Megamind.avi) ! interlace field-pattern=1:1 top-field-first=true ! videoconvert \
  ! videoscale ! video/x-raw,width=720,height=576,pixel-aspect-ratio=16/15" measures=scopes+field "$everything"
draw full-range 24 stereo "$(film vtest.avi) ! $hd ! $(label 1:3:5:1 Y444)" \
  measures=scopes "$scopes+histogram scale=logarithmic size=0.4"
draw mono 24 mono "$(film vtest.avi) ! $size" measures=scopes "$scopes+meters+loudness"
draw surround 24 surround "$(film vtest.avi) ! $size" measures=scopes "$scopes+meters+loudness"
draw missing 24 stereo "$(film vtest.avi) ! $size" "" "$scopes+histogram+meters waveform-mode=parade"
draw grey 24 stereo "$(film vtest.avi) ! videoconvert ! video/x-raw,format=GRAY8,width=720,height=576" \
  measures=scopes "$scopes+histogram"
# As docs/overlay.md encodes.
draw sd 24 stereo "$(film vtest.avi) ! video/x-raw,format=I420,width=720,height=576,pixel-aspect-ratio=16/15" \
  measures=scopes+gamut-filter "$scopes+meters+loudness+checks"
ffmpeg -v error -y -loop 1 -i "$work/sd.png" -t 1 -c:v mpeg4 -b:v 4M "$work/sd.avi"
ffmpeg -v error -y -i "$work/sd.avi" -vf 'select=eq(n\,20)' -frames:v 1 "$work/sd-encoded.png"
for file in "$work"/*.png; do
  cp "$file" "$directory"
done
