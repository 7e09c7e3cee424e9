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
# json-glib writes texts that are no JSON: a double that needs an exponent and no point gets ".0" behind the exponent, and the control
# 0x1f stands as it is in a text. It does not read such a number again, but it reads such a text.
packages json-glib-tools=1.6.6-1 python3=3.11.2-1+b1
cat <<'SAID'
json-glib writes the number 1e-10 as 1e-10.0, and the control 0x1f within a text as it is: neither is JSON (RFC 8259). Numbers with a point (1.5e-10) and other controls are right. It does not read its number again.
SAID
echo 'json-glib-tools=1.6.6-1'
written() { printf '%s' "$1" > in.json; json-glib-format in.json | tr -d ' \n' > out.json; cat -v out.json; }
verdict() { # what Python, and json-glib itself, say of what was written
  python3 -c 'import json, sys; json.load(open(sys.argv[1], encoding="utf-8"))' out.json 2> python.log && echo -n ', Python reads it' || echo -n ', Python: no JSON'
  json-glib-validate out.json > glib.log 2>&1 && echo ', json-glib reads it' || echo ', json-glib: no JSON'
}
told() { echo "$1 is written as $(written "$1")$(verdict)"; }
same '[1e-10] is written as [1e-10.0], Python: no JSON, json-glib: no JSON
[1.5e-10] is written as [1.5e-10], Python reads it, json-glib reads it
["a\u001fb"] is written as ["a^_b"], Python: no JSON, json-glib reads it
["a\u001eb"] is written as ["a\u001eb"], Python reads it, json-glib reads it' "$(told '[1e-10]')
$(told '[1.5e-10]')
$(told '["a\u001fb"]')
$(told '["a\u001eb"]')"
