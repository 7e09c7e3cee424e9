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
# gst_clear_buffer() passes a GstBuffer ** as a GstMiniObject **. For gcc -O2 these are different objects (C11, 6.5, 7): it may read
# the pointer before the store that set it to NULL. Then a buffer that was given away loses a reference.
packages gcc-12=12.2.0-14+deb12u1 libc6-dev=2.36-9+deb12u14 libgstreamer1.0-dev=1.22.0-2+deb12u1
cat <<'SAID'
gst_clear_buffer() breaks the rule of strict aliasing: behind a store of NULL to the pointer, gcc -O2 unrefs the old buffer.
SAID
echo 'gcc-12=12.2.0-14+deb12u1, libgstreamer1.0-dev=1.22.0-2+deb12u1'
cat > give.c <<'C'
#include <gst/gst.h>

typedef struct { GstBuffer *buffer; GstCaps *caps; } Frame;

static Frame kept;

/* Keeps the frame, or drops it. */
static __attribute__((noinline)) void
give (Frame * frame, int is_kept)
{
  if (is_kept) {
    kept = *frame;
    *frame = (Frame) { NULL, NULL };
  }
  gst_clear_buffer (&frame->buffer);
}

int
main (int argc, char **argv)
{
  Frame frame = { NULL, NULL };

  gst_init (NULL, NULL);
  frame.buffer = gst_buffer_new ();
  gst_buffer_ref (frame.buffer);        /* so that it is not freed */
  give (&frame, argc);
  g_print ("%d", GST_MINI_OBJECT_REFCOUNT_VALUE (kept.buffer));
  return 0;
}
C
lib=root/usr/lib/x86_64-linux-gnu
sed -i "s, /usr/lib/, $dir/root/usr/lib/,g" $lib/libc.so       # names libc_nonshared.a of libc6-dev by its whole path
a() {
  gcc-12 "$@" -Wall -Werror -isystem root/usr/include -isystem root/usr/include/x86_64-linux-gnu -isystem root/usr/include/gstreamer-1.0 \
    -isystem root/usr/include/glib-2.0 -isystem $lib/glib-2.0/include give.c -o give -L$lib -lgstreamer-1.0 -lgobject-2.0 -lglib-2.0 \
    -Wl,--allow-shlib-undefined && ./give
}
same 'references, of which none was given back: -O0 2, -O2 1, -O2 -fno-strict-aliasing 2' \
  "references, of which none was given back: -O0 $(a -O0), -O2 $(a -O2), -O2 -fno-strict-aliasing $(a -O2 -fno-strict-aliasing)"
