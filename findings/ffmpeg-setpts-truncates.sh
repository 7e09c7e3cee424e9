#!/bin/bash
# ffmpeg's filter setpts with the common expression N/FRAME_RATE/TB: the filter cuts the result to a whole number, and 29/25/0.04 is
# a little less than 29. So two frames get one time, and the next time has none. Seen once with ffmpeg 7.1.5 of Debian 13, which is
# not run here: a Matroska file then lacks 4 of 100 frames. N/(FRAME_RATE*TB) gives each frame a time of its own.
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
packages ffmpeg=7:5.1.9-0+deb12u1
echo 'ffmpeg=7:5.1.9-0+deb12u1: 100 frames at 25 frames/s'
twice() { # EXPRESSION: prints the times that two frames have, in frames
  ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=64x64:r=25:d=4 -vf "setpts=$1" -fps_mode passthrough -f framecrc - \
    | awk -F ', *' '!/^#/ { print $3 }' | uniq -d | paste -sd' '
}
same 'times of two frames with N/FRAME_RATE/TB: 28 46 56 93' "times of two frames with N/FRAME_RATE/TB: $(twice N/FRAME_RATE/TB)"
same 'times of two frames with N/(FRAME_RATE*TB): none' "times of two frames with N/(FRAME_RATE*TB): $(t=$(twice 'N/(FRAME_RATE*TB)'); echo "${t:-none}")"
