#!/bin/bash
# qtdemux takes little-endian floats of a QuickTime file for big-endian ones. ffmpeg writes pcm_f32le as `fl32` with an
# `enda` atom that says little-endian; ffmpeg reads it back, qtdemux does not heed the atom inside `wave`.
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
packages gstreamer1.0-tools=1.22.0-2+deb12u1 gstreamer1.0-plugins-base=1.22.0-3+deb12u7 \
  gstreamer1.0-plugins-good=1.22.0-5+deb12u4 ffmpeg=7:5.1.9-0+deb12u1 python3=3.11.2-1+b1
echo 'ffmpeg=7:5.1.9-0+deb12u1, gstreamer1.0-plugins-good=1.22.0-5+deb12u4: a sine of peak 0.5 in pcm_f32le, in QuickTime'
ffmpeg -v error -f lavfi -i "aevalsrc='0.5*sin(3000*t)':s=48000:d=0.1" -c:a pcm_f32le a.mov
peak() { python3 -c "import sys,struct; d=sys.stdin.buffer.read(); print('%.3g' % max(map(abs, struct.unpack('<%df' % (len(d)//4), d))))"; }
same 'ffmpeg: peak 0.5' "ffmpeg: peak $(ffmpeg -v error -i a.mov -f f32le - | peak)"
same 'qtdemux: audio/x-raw,format=F32BE' "qtdemux: $(gst-launch-1.0 -v filesrc location=a.mov ! qtdemux ! fakesink | grep -o 'audio/x-raw, format=(string)F32..' | head -n 1 | sed 's/ //; s/(string)//')"
