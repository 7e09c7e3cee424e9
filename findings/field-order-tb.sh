#!/bin/bash
# The field order "tb" of libav: the comment in its header says that the bottom field is shown first. ffmpeg writes it for frames
# whose top field is shown first, as FieldOrder 9 of Matroska, which the specification calls "top field displayed first", and
# its own y4m muxer takes it for top field first. A reader that goes by the comment turns the order round.
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
packages ffmpeg=7:5.1.9-0+deb12u1 libavcodec-dev=7:5.1.9-0+deb12u1 python3=3.11.2-1+b1
echo 'ffmpeg=7:5.1.9-0+deb12u1, libavcodec-dev=7:5.1.9-0+deb12u1: frames with the top field first, in FFV1'
same 'codec_par.h or avcodec.h: Top coded first, bottom displayed first' \
  "codec_par.h or avcodec.h: $(grep -rhE 'AV_FIELD_TB,' root/usr/include | sed -n 's,.*///*< *,,p' | head -n 1)"
ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=64x64:r=25:d=0.08 -vf setfield=tff -c:v ffv1 a.mkv
same 'ffprobe of the Matroska file: tb' "ffprobe of the Matroska file: $(ffprobe -v error -show_entries stream=field_order -of csv=p=0 a.mkv)"
same 'FieldOrder in it: 9' "FieldOrder in it: $(python3 -c "d = open('a.mkv', 'rb').read(); print(d[d.index(b'\x9d\x81') + 2])")"
same 'the same frames as y4m: It' "the same frames as y4m: $(ffmpeg -nostdin -v error -i a.mkv -pix_fmt yuv420p -f yuv4mpegpipe - | sed -n 1p | grep -ao ' I.' | tr -d ' ')"
