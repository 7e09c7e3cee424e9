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
# 7.1: FFmpeg's loudnorm and loudgain leave the side channels out (-inf), and weigh the rear ones, at 135 degrees, with 1.41
# (+1.5 LU), where BS.1770-4 has 1.41 for the sides and 1.0 for the rear. FFmpeg's ebur128 weighs both with 1.41.
packages ffmpeg=7:5.1.9-0+deb12u1 loudgain=0.6.8+ds-3+b1
cat <<'SAID'
7.1: FFmpeg's loudnorm and loudgain leave the side channels out (-inf), and weigh the rear ones, at 135 degrees, with 1.41 (+1.5 LU), where BS.1770-4 has 1.41 for the sides and 1.0 for the rear. FFmpeg's ebur128 weighs both with 1.41.
SAID
echo 'ffmpeg=7:5.1.9-0+deb12u1, loudgain=0.6.8+ds-3+b1'
# CHANNEL of 7.1 that alone has a tone: what the three say, in LUFS
loudness() {
  ffmpeg -nostdin -v error -y -f lavfi -i sine=f=1000:r=48000:d=6 -af "pan=7.1|$1=c0" one.wav
  printf '%s: ebur128 %s, ' "$1" "$(ffmpeg -nostdin -hide_banner -i one.wav -af ebur128 -f null - 2>&1 | sed -n 's/^ *I: *\(.*\) LUFS$/\1/p' | tail -n 1)"
  printf 'loudnorm %s, ' "$(ffmpeg -nostdin -hide_banner -i one.wav -af loudnorm=print_format=json -f null - 2>&1 | sed -n 's/.*"input_i" : "\(.*\)",/\1/p')"
  printf 'loudgain %s\n' "$(loudgain one.wav 2>&1 | sed -n 's/^ *Loudness: *\(.*\) LUFS$/\1/p')"
}
same 'FL: ebur128 -21.1, loudnorm -21.05, loudgain -21.07
BL: ebur128 -19.6, loudnorm -19.65, loudgain -19.58
SL: ebur128 -19.6, loudnorm -inf, loudgain -inf' "$(for channel in FL BL SL; do loudness "$channel"; done)"
