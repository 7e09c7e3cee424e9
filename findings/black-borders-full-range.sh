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
# Borders around a picture of full range (I420, 1:4:5:1): videobox and videoscale fill them with 16, the black of limited range, and
# compositor's background is 0. The videotestsrc of full range gives white of 235, too.
packages gstreamer1.0-tools=1.22.0-2+deb12u1 gstreamer1.0-plugins-base=1.22.0-3+deb12u7 gstreamer1.0-plugins-good=1.22.0-5+deb12u4 python3=3.11.2-1+b1
cat <<'SAID'
Black borders around a picture of full range have the luma 16 from videobox and videoscale, as if the range were limited, and 0 from compositor. videotestsrc gives white of 235 and black of 16 under caps of full range.
SAID
echo 'gstreamer1.0-tools=1.22.0-2+deb12u1, gstreamer1.0-plugins-base=1.22.0-3+deb12u7, gstreamer1.0-plugins-good=1.22.0-5+deb12u4'
full=video/x-raw,format=I420,width=64,height=48,framerate=25/1,colorimetry=1:4:5:1
corner() { python3 -c 'import sys; print(sys.stdin.buffer.read()[0])'; }
luma() { gst-launch-1.0 -q videotestsrc num-buffers=1 "$@" ! fdsink | corner; }
behind() { luma pattern=white ! "$full" ! "$@"; }
composed() { gst-launch-1.0 -q compositor name=c background=black sink_0::xpos=8 sink_0::ypos=8 sink_0::width=32 sink_0::height=32 \
  ! "$full" ! fdsink videotestsrc num-buffers=1 pattern=white ! "$full" ! c. | corner; }
same 'videobox 16, videoscale 16, compositor 0; videotestsrc black 16 white 235' "videobox $(behind videobox top=-8 left=-8), videoscale $(
  behind videoscale add-borders=true ! video/x-raw,width=128,height=48,pixel-aspect-ratio=1/1), compositor $(composed); videotestsrc black $(
  luma pattern=black ! "$full") white $(luma pattern=white ! "$full")"
