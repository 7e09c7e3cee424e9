#!/bin/bash
# Checks that each plugin exports one symbol and the library those of its header, that they need no library of CUDA or C++,
# and that all and cudahisto-report are linked so that the addresses of functions are read-only.
#
#   tests/exports.sh BUILD_DIR
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

build=${1:?usage: tests/exports.sh BUILD_DIR}
folder=$build/plugin
failed=0

# check_linking FILE
check_linking () {
  if ! grep -q BIND_NOW <<< "$(readelf -d "$1")" || ! grep -q GNU_RELRO <<< "$(readelf -l "$1")"; then
    echo "$1 is not linked with -z relro -z now"
    failed=1
  fi
}

# check FILE SYMBOLS
check () {
  local plugin=$1 entry=$2 exported needed
  # A build with a sanitizer exports its symbols, too.
  exported=$(nm -D --defined-only "$plugin" | awk '{ print $NF }' \
    | grep -v -E '^(__asan|__ubsan|__odr_asan|_init$|_fini$)' | LC_ALL=C sort || true)
  if [ "$exported" != "$entry" ]; then
    echo "$plugin must export what is behind <, but exports what is behind >:"
    diff <(echo "$entry") <(echo "$exported") || true
    failed=1
  fi

  needed=$(readelf -d "$plugin" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  echo "$plugin needs: ${needed//$'\n'/ }"
  if grep -E '^lib(cuda|cudart|nvrtc|stdc\+\+)\.so' <<< "$needed"; then
    echo "The plugin must not be linked with these."
    failed=1
  fi
  check_linking "$plugin"
}

check "$folder/libgstcudahisto.so" gst_plugin_cudahisto_get_desc
# Without cairo it is not built.
if [ -e "$folder/overlay/libgstcudahistooverlay.so" ]; then
  check "$folder/overlay/libgstcudahistooverlay.so" gst_plugin_cudahistooverlay_get_desc
fi
# All functions of the header have the library's version of symbols, and other languages have them.
header=$(dirname "$0")/../plugin/library/cudahisto.h
functions=$(grep -v -E '^( |#|/|$)' "$header" | grep -o -E '\bcudahisto_[a-z_]+ \(' | tr -d ' (' | LC_ALL=C sort)
[ -n "$functions" ]
check "$folder/library/libcudahisto-1.0.so" "CUDAHISTO_1.0"$'\n'"${functions//$'\n'/@@CUDAHISTO_1.0$'\n'}@@CUDAHISTO_1.0"
introspection=$folder/library/Cudahisto-1.0.gir
for function in $functions; do
  if [ -e "$introspection" ] && ! grep -q -E "(identifier|get-type)=\"$function\"" "$introspection"; then
    echo "$introspection has no $function"
    failed=1
  fi
done
report=$build/pipelines/report/cudahisto-report
if [ -e "$report" ]; then
  check_linking "$report"
fi
exit $failed
