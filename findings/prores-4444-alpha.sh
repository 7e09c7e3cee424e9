#!/bin/bash
# ProRes 4444 of 12 bits with alpha: GStreamer has no such format, and avdec_prores gives 10 bits, without a word. ffprobe and
# ffmpeg's decoder have 12.
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
packages gstreamer1.0-tools=1.22.0-2+deb12u1 gstreamer1.0-plugins-good=1.22.0-5+deb12u4 \
  gstreamer1.0-libav=1.22.0-2 ffmpeg=7:5.1.9-0+deb12u1
echo 'gstreamer1.0-libav=1.22.0-2, ffmpeg=7:5.1.9-0+deb12u1: ProRes 4444 of 12 bits with alpha'
ffmpeg -v error -f lavfi -i testsrc2=s=128x96:r=25:d=0.2 -c:v prores_ks -profile:v 4444 -pix_fmt yuva444p12le -alpha_bits 16 film.mov
said=$(ffprobe -v error -show_entries stream=pix_fmt -of csv=p=0 film.mov)
given=$(gst-launch-1.0 -v filesrc location=film.mov ! qtdemux ! avdec_prores ! fakesink \
  | grep -o 'avdec_prores0.GstPad:src: caps.*' | grep -o 'format=(string)[A-Z0-9_]*' | head -n 1)
same 'ffprobe: yuva444p12le; avdec_prores: format=(string)A444_10LE' "ffprobe: $said; avdec_prores: $given"
