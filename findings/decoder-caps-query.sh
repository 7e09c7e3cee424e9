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
# A decoder with a picture of 320x240 is asked through its source pad whether it can make 640x480: a CAPS query is answered from the
# template of the pad, so with yes, and an ACCEPT_CAPS query with no. An element that asks only the first takes a decoder for a scaler.
packages libgstreamer1.0-0=1.22.0-2+deb12u1 gir1.2-gstreamer-1.0=1.22.0-2+deb12u1 gstreamer1.0-plugins-base=1.22.0-3+deb12u7 \
  gstreamer1.0-plugins-good=1.22.0-5+deb12u4 python3-gi=3.42.2-3+b1 python3=3.11.2-1+b1
cat <<'SAID'
While it gives pictures of 320x240, a decoder answers a CAPS query that it can make 640x480. Only ACCEPT_CAPS says that it does not.
SAID
echo 'gstreamer1.0-plugins-good=1.22.0-5+deb12u4'
cat > query.py <<'END'
import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst
Gst.init(None)
for encoder, decoder in (("jpegenc", "jpegdec"), ("vp8enc", "vp8dec"), ("theoraenc", "theoradec"), ("pngenc", "pngdec")):
    pipeline = Gst.parse_launch(f"videotestsrc num-buffers=1 ! video/x-raw,width=320,height=240 ! {encoder} ! {decoder} name=d ! fakesink")
    pipeline.set_state(Gst.State.PAUSED)
    pipeline.get_state(20 * Gst.SECOND)
    pad = pipeline.get_by_name("d").get_static_pad("src")
    wish = Gst.Caps.from_string("video/x-raw,width=640,height=480")
    has = pad.get_current_caps().get_structure(0)
    answer, accepts = pad.query_caps(wish), pad.query_accept_caps(wish)
    print(decoder, f"gives {has.get_int('width')[1]}x{has.get_int('height')[1]};", "640x480:",
          "CAPS yes," if not answer.is_empty() else "CAPS no,", "ACCEPT_CAPS", "yes" if accepts else "no")
    pipeline.set_state(Gst.State.NULL)
END
same 'jpegdec gives 320x240; 640x480: CAPS yes, ACCEPT_CAPS no
vp8dec gives 320x240; 640x480: CAPS yes, ACCEPT_CAPS no
theoradec gives 320x240; 640x480: CAPS yes, ACCEPT_CAPS no
pngdec gives 320x240; 640x480: CAPS yes, ACCEPT_CAPS no' "$(GI_TYPELIB_PATH=$dir/root/usr/lib/x86_64-linux-gnu/girepository-1.0 PYTHONPATH=$dir/root/usr/lib/python3/dist-packages python3.11 query.py 2> /dev/null)"
