#!/bin/bash
# qtdemux leaves out frames of MP4. Without an edit list the first frame of a film with B-frames is shown at 0.08 s; qtdemux ends at
# the length of 2 s, not at begin and length. Of an edit that begins shortly before a key frame, as `ffmpeg -ss 1.96 -c copy`
# writes it, it leaves out what comes before the next key frame. ffmpeg decodes all frames of both files.
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
  gstreamer1.0-plugins-good=1.22.0-5+deb12u4 ffmpeg=7:5.1.9-0+deb12u1
echo 'ffmpeg=7:5.1.9-0+deb12u1, gstreamer1.0-plugins-good=1.22.0-5+deb12u4: frames of H.264 with B-frames in MP4'
film=(-v error -f lavfi -i "testsrc2=s=160x120:r=25:d=4,format=yuv420p" -c:v libx264 -preset veryfast -g 25 -bf 3)
ffmpeg "${film[@]}" -t 2 -use_editlist 0 none.mp4
ffmpeg "${film[@]}" whole.mp4
ffmpeg -v error -ss 1.96 -i whole.mp4 -c copy cut.mp4
frames() { ffmpeg -v error -i "$1" -vsync 0 -f framemd5 - | grep -vc '^#'; }
sent() { gst-launch-1.0 -v filesrc location="$1" ! qtdemux ! fakesink silent=false sync=false | grep -c chain; }
same 'no edit list: ffmpeg 50, qtdemux 48' "no edit list: ffmpeg $(frames none.mp4), qtdemux $(sent none.mp4)"
same 'cut at 1.96 s: ffmpeg 51, qtdemux 27' "cut at 1.96 s: ffmpeg $(frames cut.mp4), qtdemux $(sent cut.mp4)"
