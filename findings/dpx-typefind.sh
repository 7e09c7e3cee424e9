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
# DPX: GStreamer has no function that knows its magic number. Of some pictures the bytes look like MPEG audio to it, so a scanned
# film is "MP1"; of others it knows nothing.
packages ffmpeg=7:5.1.9-0+deb12u1 gstreamer1.0-tools=1.22.0-2+deb12u1 gstreamer1.0-plugins-base=1.22.0-3+deb12u7
cat <<'SAID'
DPX is unknown to GStreamer's typefind; some pictures are taken for MPEG audio.
SAID
echo 'ffmpeg=7:5.1.9-0+deb12u1, gstreamer1.0-tools=1.22.0-2+deb12u1, gstreamer1.0-plugins-base=1.22.0-3+deb12u7'
type_of() { # SOURCE FORMAT
  ffmpeg -nostdin -v error -y -f lavfi -i "$1=s=160x96" -frames:v 1 -pix_fmt "$2" picture.dpx
  printf '%s, %s: %s\n' "$1" "$2" "$( (timeout 20 gst-launch-1.0 -v filesrc location=picture.dpx ! typefind ! fakesink 2>&1 || true) |
    sed -n 's/.*caps = \([a-z]*\/[a-z]*\), mpegversion=(int)1, layer=(int)\([0-9]\).*/\1, layer \2/p' | sort -u)"
}
same 'testsrc, rgb24: audio/mpeg, layer 1
testsrc2, rgb24: audio/mpeg, layer 1
testsrc, gray: audio/mpeg, layer 1
smptebars, gbrp10be: ' "$(type_of testsrc rgb24; type_of testsrc2 rgb24; type_of testsrc gray; type_of smptebars gbrp10be)"
