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
# videoconvert, 8 bits to 10 of limited range: legal white (235) becomes 943 and 944, not 940, so that all that is white is
# outside of the legal range; neutral chroma (128) becomes 514, not 512. Only to v210 the codes are multiplied by 4.
packages gstreamer1.0-tools=1.22.0-2+deb12u1 gstreamer1.0-plugins-base=1.22.0-3+deb12u7 python3=3.11.2-1+b1
cat <<'SAID'
videoconvert, 8 bits to 10 of limited range (bt709 to bt709): legal white (235) becomes 943 and 944, not 940, so that all that is white is outside of the legal range; neutral chroma (128) becomes 514. Only to v210 the codes are multiplied by 4.
SAID
echo 'gstreamer1.0-tools=1.22.0-2+deb12u1, gstreamer1.0-plugins-base=1.22.0-3+deb12u7'
# FORMAT [PROPERTY...]: the codes of Y, and of the sample of U in the middle, that a white picture has
white() {
  local format=$1
  shift
  gst-launch-1.0 -q videotestsrc pattern=white num-buffers=1 ! video/x-raw,format=I420,width=48,height=16,colorimetry=bt709 \
    ! videoconvert "$@" ! "video/x-raw,format=$format,colorimetry=bt709" ! fdsink | python3 -c '
import struct, sys
data = sys.stdin.buffer.read()
if sys.argv[1] == "v210":           # U Y V, Y U Y, V Y U, Y V Y: 10 bits each, in words of 32 bits
    words = [word >> shift & 1023 for (word,) in struct.iter_unpack("<I", data) for shift in (0, 10, 20)]
    luma, chroma = words[1::2], words[0::4]
else:
    codes = [code for (code,) in struct.iter_unpack("<H", data)]
    luma, chroma = codes[:48 * 16], codes[48 * 16:48 * 16 + 24 * 8]
print(sorted(set(luma)), sorted(set(chroma)))' "$format"
}
same 'I420_10LE: Y, U [943, 944] [514]
I420_10LE, dither=none: Y, U [943] [514]
v210: Y, U [940] [512]' "I420_10LE: Y, U $(white I420_10LE)
I420_10LE, dither=none: Y, U $(white I420_10LE dither=none)
v210: Y, U $(white v210)"
