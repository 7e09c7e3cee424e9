#!/bin/bash
# Checks that the plugin exports one symbol and needs no library of CUDA or C++.
#
#   tests/exports.sh BUILD_DIR
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

plugin=${1:?usage: tests/exports.sh BUILD_DIR}/plugin/libgstcudahisto.so
entry=gst_plugin_cudahisto_get_desc
failed=0

# A build with a sanitizer exports its symbols, too.
exported=$(nm -D --defined-only "$plugin" | awk '{ print $NF }' \
  | grep -v -E '^(__asan|__ubsan|__odr_asan|_init$|_fini$)' || true)
if [ "$exported" != "$entry" ]; then
  echo "Only $entry may be exported, but these are:"
  echo "$exported"
  failed=1
fi

needed=$(readelf -d "$plugin" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
echo "Needed: ${needed//$'\n'/ }"
if grep -E '^lib(cuda|cudart|nvrtc|stdc\+\+)\.so' <<< "$needed"; then
  echo "The plugin must not be linked with these."
  failed=1
fi
exit $failed
