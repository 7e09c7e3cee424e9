#!/bin/bash
# Two films that ffmpeg writes without a word, and cannot play as they were. MPEG-2 in ASF: only the first packet has a time.
# H.263 in FLV, which -strict -1 allows: of 25 frames ffmpeg itself reads one back.
# Debian 12, amd64: unpacks a pinned package into a temporary folder and runs it from there (apt-get update first).
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
packages ffmpeg=7:5.1.9-0+deb12u1
echo 'ffmpeg=7:5.1.9-0+deb12u1: MPEG-2 in ASF, H.263 in FLV'
film=(-v error -f lavfi -i testsrc2=s=128x96:r=25:d=1)
ffmpeg "${film[@]}" -c:v mpeg2video film.asf
ffmpeg "${film[@]}" -c:v h263 -strict -1 film.flv
packets() { ffprobe -v error -show_entries packet=pts_time -of csv=p=0 "$1"; }
frames() { ffmpeg -v quiet -i "$1" -f framemd5 - | grep -vc '^#' || true; }
same 'MPEG-2 in ASF: 25 packets, 1 with a time' \
  "MPEG-2 in ASF: $(packets film.asf | wc -l) packets, $(packets film.asf | grep -vc N/A) with a time"
same 'H.263 in FLV: of 25 frames 1 is read back' "H.263 in FLV: of 25 frames $(frames film.flv) is read back"
