#!/bin/bash
# What the plugin shows to others and what it needs of them: one symbol, and no library
# of CUDA's or of C++.
#
#   tests/exports.sh BUILD_DIR
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

plugin=${1:?usage: tests/exports.sh BUILD_DIR}/plugin/libgstcudahisto.so
entry=gst_plugin_cudahisto_get_desc
failed=0

# A sanitizer's build adds symbols of its own.
exported=$(nm -D --defined-only "$plugin" | awk '{ print $NF }' \
  | grep -v -E '^(__asan|__ubsan|__odr_asan|_init$|_fini$)' || true)
if [ "$exported" != "$entry" ]; then
  echo "Exported, where $entry alone should be:"
  echo "$exported"
  failed=1
fi

needed=$(readelf -d "$plugin" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
echo "Needed: ${needed//$'\n'/ }"
if grep -E '^lib(cuda|cudart|nvrtc|stdc\+\+)\.so' <<< "$needed"; then
  echo "is what the plugin must not be linked with"
  failed=1
fi
exit $failed
