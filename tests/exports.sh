#!/bin/bash
# Checks that each plugin exports one symbol and needs no library of CUDA or C++, and that the plugins and
# cudahisto-report are linked so that the addresses of functions are read-only.
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

# check PLUGIN ENTRY
check () {
  local plugin=$1 entry=$2 exported needed
  # A build with a sanitizer exports its symbols, too.
  exported=$(nm -D --defined-only "$plugin" | awk '{ print $NF }' \
    | grep -v -E '^(__asan|__ubsan|__odr_asan|_init$|_fini$)' || true)
  if [ "$exported" != "$entry" ]; then
    echo "Only $entry may be exported, but these are:"
    echo "$exported"
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
report=$build/pipelines/report/cudahisto-report
if [ -e "$report" ]; then
  check_linking "$report"
fi
exit $failed
