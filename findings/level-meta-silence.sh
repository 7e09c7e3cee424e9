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
# level, audio-level-meta: the level of RFC 6464 is 0 to 127 in -dBov. The element writes 187 for silence, and other numbers above
# 127 for very quiet sound. A reader of the meta has to cut them.
packages gstreamer1.0-plugins-good=1.22.0-5+deb12u4 gstreamer1.0-plugins-base=1.22.0-3+deb12u7 \
  gir1.2-gst-plugins-base-1.0=1.22.0-3+deb12u7 gir1.2-gstreamer-1.0=1.22.0-2+deb12u1 python3-gi=3.42.2-3+b1
cat <<'SAID'
level audio-level-meta=true writes levels above 127, the least that RFC 6464 knows, into GstAudioLevelMeta: 187 for silence.
SAID
echo 'gstreamer1.0-plugins-good=1.22.0-5+deb12u4'
cat > meta.py <<'END'
import gi
gi.require_version("Gst", "1.0")
gi.require_version("GstAudio", "1.0")
from gi.repository import Gst, GstAudio
Gst.init(None)
for volume in 1, 1e-3, 1e-7, 0:
    pipeline = Gst.parse_launch(
        f"audiotestsrc volume={volume} num-buffers=1 samplesperbuffer=4800 ! audio/x-raw,format=F32LE,rate=48000,channels=1 "
        "! level audio-level-meta=true interval=100000000 ! fakesink name=sink sync=false signal-handoffs=true")
    levels = []
    pipeline.get_by_name("sink").connect(
        "handoff", lambda sink, buffer, pad: levels.append(GstAudio.buffer_get_audio_level_meta(buffer).level))
    pipeline.set_state(Gst.State.PLAYING)
    pipeline.get_bus().timed_pop_filtered(10 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    print(f"a sine of {volume:g}: -{levels[0]} dBov")
END
same 'a sine of 1: -3 dBov
a sine of 0.001: -63 dBov
a sine of 1e-07: -143 dBov
a sine of 0: -187 dBov' "$(GI_TYPELIB_PATH=$dir/root/usr/lib/x86_64-linux-gnu/girepository-1.0 PYTHONPATH=$dir/root/usr/lib/python3/dist-packages python3.11 meta.py 2>&1)"
