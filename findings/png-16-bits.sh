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
# Of PNG of 16 bits, GStreamer's pngdec makes ARGB64 whose samples lie one place too far: the first is 0, then come alpha, R, G, and
# B is where the next pixel begins. So a film or an image of 16 bits has alpha as R, R as G and G as B.
packages gstreamer1.0-tools=1.22.0-2+deb12u1 gstreamer1.0-plugins-base=1.22.0-3+deb12u7 gstreamer1.0-plugins-good=1.22.0-5+deb12u4 python3=3.11.2-1+b1
cat <<'SAID'
pngdec gives a 16-bit RGB pixel (0x1122, 0x3344, 0x5566) as ARGB64 with A 0, R 0xffff, G 0x1122, B 0x3344; an RGBA one with alpha 0x7788 as A 0, R 0x1122, G 0x3344, B 0x5566, and the next pixel has 0x7788 as A.
SAID
echo 'gstreamer1.0-plugins-good=1.22.0-5+deb12u4'
python3 - <<'MADE'
import struct, zlib

def write(name, colour, pixel):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + struct.pack(f">{len(pixel)}H", *pixel) * 4) * 2
    with open(name, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 2, 16, colour, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))

write("rgb.png", 2, (0x1122, 0x3344, 0x5566))
write("rgba.png", 6, (0x1122, 0x3344, 0x5566, 0x7788))
MADE
words() { # FILE: the caps' format, and the first two pixels as words of the machine
  gst-launch-1.0 -v filesrc location="$1" ! pngdec ! filesink location=out.raw | grep -o 'pngdec0.GstPad:src: .*format=(string)[A-Z0-9_]*' | grep -o '[A-Z0-9_]*$' | tail -n 1
  python3 -c "import struct; print(*('%04x' % word for word in struct.unpack('<8H', open('out.raw', 'rb').read(16))))"
}
same 'RGB: ARGB64 0000 ffff 1122 3344 5566 ffff 1122 3344; RGBA: ARGB64 0000 1122 3344 5566 7788 1122 3344 5566' \
  "RGB: $(words rgb.png | paste -sd' '); RGBA: $(words rgba.png | paste -sd' ')"
