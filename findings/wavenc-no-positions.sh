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
# wavenc writes the mask of channels 0 if one of them is a right rear, a rear centre or a side: of quadraphonic sound, 4.0, 5.0, 5.1
# and 7.1; 2.1, 3.0 and 3.1 have theirs. wavparse takes four channels of the mask 0 for L R C LFE: so the rears of quadraphonic
# sound that GStreamer has written and read are its centre and its LFE.
packages gstreamer1.0-tools=1.22.0-2+deb12u1 gstreamer1.0-plugins-base=1.22.0-3+deb12u7 gstreamer1.0-plugins-good=1.22.0-5+deb12u4 python3=3.11.2-1+b1
cat <<'SAID'
wavenc writes dwChannelMask 0 for quadraphonic sound, 4.0, 5.0, 5.1 and 7.1, but not for 3.0 and 3.1. wavparse takes four such channels for L R C LFE: the rears of quadraphonic sound come back as centre and LFE, with other levels in a downmix.
SAID
echo 'gstreamer1.0-tools=1.22.0-2+deb12u1, gstreamer1.0-plugins-base=1.22.0-3+deb12u7, gstreamer1.0-plugins-good=1.22.0-5+deb12u4'
# Silent fronts, and rears of 0.5.
python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<4f", 0, 0, 0.5, 0.5) * 4800)' > quad.f32
quad() { gst-launch-1.0 -q filesrc location=quad.f32 ! rawaudioparse format=pcm pcm-format=f32le sample-rate=48000 num-channels=4 \
  ! capssetter caps="audio/x-raw,channel-mask=(bitmask)0x33" ! "$@"; }
stereo=(audioconvert dithering=none ! "audio/x-raw,format=F32LE,channels=2" ! fdsink)
left() { python3 -c 'import struct, sys; print(round(struct.unpack("<f", sys.stdin.buffer.read()[8000:8004])[0], 3))'; }
quad wavenc ! filesink location=quad.wav
mask() { python3 -c 'import struct, sys; print(hex(struct.unpack("<I", open(sys.argv[1], "rb").read()[40:44])[0]))' "$1"; }
caps() { gst-launch-1.0 -v filesrc location=quad.wav ! wavparse ! fakesink | grep -o 'channel-mask=(bitmask)[0-9a-fx]*' | sort -u; }
others() { # the masks in files of 3.0, 3.1, 4.0, 5.0, 5.1 and 7.1
  local channels positions
  while read -r channels positions; do
    gst-launch-1.0 -q audiotestsrc num-buffers=1 ! "audio/x-raw,channels=$channels,channel-mask=(bitmask)$positions" ! wavenc ! filesink location=other.wav
    echo -n " $positions -> $(mask other.wav)"
  done <<< $'3 0x7\n4 0xf\n4 0x107\n5 0x37\n6 0x3f\n8 0xc3f'
}
same 'written: positions 0x33 (L R Ls Rs), mask in the file 0x0; others: 0x7 -> 0x7 0xf -> 0xf 0x107 -> 0x0 0x37 -> 0x0 0x3f -> 0x0 0xc3f -> 0x0
read: channel-mask=(bitmask)0x000000000000000f
left of stereo, without a file 0.167, with it 0.315' "written: positions 0x33 (L R Ls Rs), mask in the file $(mask quad.wav); others:$(others)
read: $(caps)
left of stereo, without a file $(quad "${stereo[@]}" | left), with it $(gst-launch-1.0 -q filesrc location=quad.wav ! wavparse ! "${stereo[@]}" | left)"
