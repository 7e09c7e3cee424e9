#!/bin/bash
# What only a GPU can show: the element's tests on the real driver, equal to the
# reference; a hardware decoder's frames in place; the kernels under compute-sanitizer.
#
#   tests/gpu.sh BUILD_DIR [FILE.h264]
#
# Prints `N passed, N failed` last. Needs a GPU, its driver, and GStreamer's runtime;
# BUILD_DIR may have been built elsewhere. CUDAHISTO_TEST_LAUNCHER is put before each
# program, if it needs another C library than this system's.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -uo pipefail

build=$(cd "${1:?usage: tests/gpu.sh BUILD_DIR [FILE.h264]}" && pwd)
file=${2:-}
export GST_PLUGIN_PATH_1_0=$build/plugin
export CUDAHISTO_TEST_BACKEND=cuda CK_FORK=no G_DEBUG=fatal-criticals
read -r -a launcher <<< "${CUDAHISTO_TEST_LAUNCHER:-}"
passed=0 failed=0

check () {
  local name=$1 begin=$SECONDS status; shift
  # Without a fork, check itself ends nothing that hangs.
  timeout --kill-after=5 300 "$@" > "/tmp/cudahisto-gpu-$name.log" 2>&1; status=$?
  if [ $status = 0 ]; then
    passed=$((passed + 1)); echo "ok   $name ($((SECONDS - begin)) s): $(tail -n 1 "/tmp/cudahisto-gpu-$name.log")"
  elif [ $status = 77 ]; then
    echo "skip $name"
  else
    failed=$((failed + 1)); echo "FAIL $name ($status)"; tail -n 30 "/tmp/cudahisto-gpu-$name.log"
  fi
}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || true
gst-inspect-1.0 --version | head -n 1

for program in formats/formats-video formats/formats-audio element/element element/errors element/memory \
  element/modes element/citizen cuda/many cuda/gathering; do
  name=${program##*/}
  [ -x "$build/tests/$program" ] || { echo "FAIL $name: not built (ninja -C $build)"; failed=$((failed + 1)); continue; }
  check "$name" "${launcher[@]}" "$build/tests/$program"
done
# The allocator's own stores would hide what is lost.
check lasting env GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1:glibc.malloc.mxfast=0 \
  "${launcher[@]}" "$build/tests/element/lasting"
if [ -n "$file" ]; then
  check decode "${launcher[@]}" "$build/tests/cuda/gpu-decode" "$file"
fi
# GStreamer 1.24 and later.
if [ -x "$build/tests/cuda/stream-order" ]; then
  check stream-order "${launcher[@]}" "$build/tests/cuda/stream-order"
fi
if [ -x "$build/tests/checkhisto/checkhisto" ]; then
  check checkhisto "${launcher[@]}" "$build/tests/checkhisto/checkhisto" --repeats=100 --bench
fi
if command -v compute-sanitizer > /dev/null; then
  for tool in memcheck racecheck initcheck synccheck; do
    export GST_CHECKS=test_bins
    check "$tool" compute-sanitizer --tool "$tool" --error-exitcode 9 "$build/tests/formats/formats-video"
    check "$tool-audio" compute-sanitizer --tool "$tool" --error-exitcode 9 "$build/tests/formats/formats-audio"
    unset GST_CHECKS
    if [ -x "$build/tests/checkhisto/checkhisto" ]; then
      check "$tool-checkhisto" compute-sanitizer --tool "$tool" --error-exitcode 9 \
        "${launcher[@]}" "$build/tests/checkhisto/checkhisto" --quick
    fi
  done
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
