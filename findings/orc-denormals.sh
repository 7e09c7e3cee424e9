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
# After GStreamer's volume, whose loops are Orc's, its streaming thread takes denormal numbers for 0. So what other elements
# compute in this thread depends on it.
packages gstreamer1.0-tools=1.22.0-2+deb12u1 gstreamer1.0-plugins-base=1.22.0-3+deb12u7 gstreamer1.0-plugins-good=1.22.0-5+deb12u4 liborc-0.4-0=1:0.4.33-2 python3=3.11.2-1+b1
cat <<'SAID'
volume, whose loops are Orc's, leaves flush-to-zero on in the streaming thread: in another branch of a tee audioamplify doubles 1e-40 to 0, not to 2e-40. With ORC_CODE=backup, or without volume, it does not.
SAID
echo 'gstreamer1.0-tools=1.22.0-2+deb12u1, gstreamer1.0-plugins-base=1.22.0-3+deb12u7, gstreamer1.0-plugins-good=1.22.0-5+deb12u4, liborc-0.4-0=1:0.4.33-2'
python3 -c "import struct, sys; sys.stdout.buffer.write(struct.pack('<256f', *[1e-40] * 256))" > in.f32
first() { python3 -c "import struct, sys; print('%.3g' % struct.unpack('<f', sys.stdin.buffer.read()[:4]))"; }
amplify() { gst-launch-1.0 -q filesrc location=in.f32 ! rawaudioparse format=pcm pcm-format=f32le num-channels=1 sample-rate=8000 ! tee name=t "$@" \
  t. ! audioamplify amplification=2 ! filesink location=out.f32 async=false && first < out.f32; }
other=(t. ! volume volume=.5 ! fakesink async=false sync=false)
same 'without volume: 2e-40; with volume: 0; with volume and ORC_CODE=backup: 2e-40' \
  "without volume: $(amplify); with volume: $(amplify "${other[@]}"); with volume and ORC_CODE=backup: $(ORC_CODE=backup amplify "${other[@]}")"
