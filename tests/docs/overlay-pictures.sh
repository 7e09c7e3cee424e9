#!/bin/bash
# Makes the pictures of docs/overlay.md from a clip that ffmpeg generates, so that they belong to
# nobody else.
#
#   tests/docs/overlay-pictures.sh BUILD_DIR [DIRECTORY]
#
# DIRECTORY (default: docs/images) gets overlay.png and overlay-small.png.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

build=$(cd "${1:?usage: tests/docs/overlay-pictures.sh BUILD_DIR [DIRECTORY]}" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
directory=${2:-docs/images}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GST_PLUGIN_PATH=$build/plugin GST_REGISTRY=$work/registry.bin
clip=$work/clip.mkv
if ! command -v ffmpeg > /dev/null; then
  echo "ffmpeg is not installed" >&2
  exit 77
fi
# Two seconds of colour bars, then a fractal; two tones.
ffmpeg -v error -f lavfi -i "smptehdbars=size=1280x720:rate=24:duration=2" \
  -f lavfi -i "mandelbrot=size=1280x720:rate=24:start_scale=0.05:end_pts=200,trim=duration=3,setsar=1" \
  -f lavfi -i "aevalsrc=0.2*sin(440*2*PI*t)*(1+0.7*sin(3*t))|0.12*sin(660*2*PI*t):duration=5" \
  -filter_complex "[0:v]format=yuv420p[a];[1:v]format=yuv420p[b];[a][b]concat=n=2[v]" \
  -map "[v]" -map 2:a -c:v ffv1 -c:a flac "$clip"
mkdir -p "$directory"

# draw NAME FRAME WIDTH HEIGHT MEASURING DRAWING: frame number FRAME of the clip with the overlay.
draw () {
  local name=$1 frame=$2 width=$3 height=$4 measuring=$5 drawing=$6
  # The words of the last two are arguments.
  # shellcheck disable=SC2086
  gst-launch-1.0 -q filesrc location="$clip" ! decodebin name=d \
    d. ! queue max-size-buffers=0 ! identity eos-after=$((frame + 1)) ! videoconvert ! videoscale \
    ! "video/x-raw,format=I420,width=$width,height=$height,pixel-aspect-ratio=1/1" \
    ! cudahisto backend=cpu $measuring ! cudahistooverlay name=o audio-wait=10000000000 $drawing \
    ! videoconvert ! video/x-raw,format=RGB ! pngenc ! multifilesink max-files=1 \
      location="$work/$name-%d.png" \
    d. ! queue max-size-buffers=0 ! audioconvert \
    ! cudahisto backend=cpu measures=level+loudness alerts=clipping ! o.audio_0
  mv "$work/$name"-*.png "$directory/$name.png"
}

draw overlay 60 1280 720 "measures=signal+motion+color alerts=scene regions=centre=36%,12%,28%,50%" "scale=logarithmic"
draw overlay-small 60 320 240 "measures=signal" "show=histogram+meters components=luma scale=logarithmic"
# Fewer colours make the files small.
for name in overlay overlay-small; do
  ffmpeg -v error -y -i "$directory/$name.png" \
    -vf 'split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=bayer:bayer_scale=4' \
    "$work/$name.png"
  mv "$work/$name.png" "$directory/$name.png"
done
