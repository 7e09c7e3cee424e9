#!/bin/bash
# Runs a variant of checkhisto on the mock that was compiled with it.
#
#   tests/checkhisto/variant.sh BUILD_DIR sanitizers|threads|coverage [ARGUMENT...]
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

build=$(cd "${1:?usage: variant.sh BUILD_DIR VARIANT [ARGUMENT...]}/tests/checkhisto" && pwd)
variant=${2:?usage: variant.sh BUILD_DIR VARIANT [ARGUMENT...]}
shift 2

# The plugin's code asks for the driver by its name.
links=$(mktemp -d)
trap 'rm -rf "$links"' EXIT
ln -s "$build/libcuda-$variant.so" "$links/libcuda.so.1"
export LD_LIBRARY_PATH=$links MOCK_CUDA_ATTRIBUTE_16=2
# GLib and GStreamer keep what they have until the end.
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1

# ThreadSanitizer of some compilers cannot live with all of the kernel's random addresses.
run=()
if [ "$variant" = threads ] && setarch -R true 2> /dev/null; then
  run=(setarch -R)
fi
"${run[@]}" "$build/checkhisto-$variant" "$@"
