#!/bin/bash
# Debian 12, amd64: unpacks pinned packages into a temporary folder and runs them from there (apt-get update first).
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
same() { printf "%s\n" "$2"; [ "$1" = "$2" ] || { echo "CHANGED; expected:"; printf "%s\n" "$1"; exit 1; }; }
# videoconvert, YUV of 8 bits and limited range to RGB of 8 bits: nearly all grays are 2 or 3 codes too dark, and legal white (235)
# becomes 253. To RGB of 16 bits they are 1 or 2 of 255 codes too bright, and white is cut to 255. swscale by default is the same to white of
# nv12; with full_chroma_int all grays are right.
packages ffmpeg=7:5.1.9-0+deb12u1 gstreamer1.0-tools=1.22.0-2+deb12u1 gstreamer1.0-plugins-base=1.22.0-3+deb12u7 python3=3.11.2-1+b1
cat <<'SAID'
videoconvert and ffmpeg's scaler, grays of 8 bits and limited range (chroma 128) to RGB of 8 bits: both make them too dark by up to 3 and 2 codes, so that legal white (235) becomes 253, not 255. To RGB of 16 bits videoconvert makes them too bright. With -sws_flags full_chroma_int, all that ffmpeg gives is right.
SAID
echo 'gstreamer1.0-tools=1.22.0-2+deb12u1, gstreamer1.0-plugins-base=1.22.0-3+deb12u7, ffmpeg=7:5.1.9-0+deb12u1'
# Row y has the luma y.
python3 -c 'import sys; sys.stdout.buffer.write(b"".join(bytes([y]) * 16 for y in range(256)) + bytes([128]) * (16 * 128))' > grays.nv12
errors() { # BYTES_OF_A_PIXEL BYTES_OF_A_SAMPLE: the red of each row, less what it should be, of luma 16 to 235
  python3 -c '
import collections, sys
data, pixel, sample = sys.stdin.buffer.read(), int(sys.argv[1]), int(sys.argv[2])
most = 256 ** sample - 1
red = [int.from_bytes(data[y * 16 * pixel:][:sample], "little") for y in range(256)]
errors = collections.Counter(round((red[y] - (y - 16) / 219 * most) * 255 / most) for y in range(16, 236))
print("white", red[235] * 255 / most, "grays by their error", *(f"{error}: {errors[error]}" for error in sorted(errors)))' "$@"
}
gst() { gst-launch-1.0 -q filesrc location=grays.nv12 ! rawvideoparse width=16 height=256 format=nv12 ! videoconvert dither=none ! "video/x-raw,format=$1" ! fdsink; }
ff() { ffmpeg -nostdin -v error -f rawvideo -s 16x256 -pix_fmt nv12 -i grays.nv12 "$@" -f rawvideo -pix_fmt rgb24 -; }
same 'videoconvert to RGBA: white 253.0 grays by their error -3: 78 -2: 134 -1: 7 0: 1
videoconvert to RGBA64_LE: white 255.0 grays by their error 0: 1 1: 207 2: 12
ffmpeg to rgb24: white 253.0 grays by their error -2: 170 -1: 49 0: 1
ffmpeg to rgb24, full_chroma_int: white 255.0 grays by their error 0: 220' "videoconvert to RGBA: $(gst RGBA | errors 4 1)
videoconvert to RGBA64_LE: $(gst RGBA64_LE | errors 8 2)
ffmpeg to rgb24: $(ff | errors 3 1)
ffmpeg to rgb24, full_chroma_int: $(ff -sws_flags bicubic+full_chroma_int | errors 3 1)"
