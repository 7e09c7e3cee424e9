#!/bin/bash
# The tests on a GPU: the element's tests with the real driver, frames of a hardware decoder in
# CUDA memory, and the kernels under compute-sanitizer.
#
#   tests/gpu.sh BUILD_DIR [FILE.h264]
#
# Prints `N passed, N failed` last. Needs a GPU, its driver and GStreamer's runtime. BUILD_DIR may
# have been built on another machine; it must have tests/gpu-tests.txt. CUDAHISTO_TEST_LAUNCHER is
# put before each program, for programs that need another C library than this system's.
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
  # Without a fork, check cannot end a test that hangs.
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
gst-inspect-1.0 --version | sed -n 1p

# Meson writes the list: NAME PROGRAM [VARIABLE=VALUE...].
list=$build/tests/gpu-tests.txt
[ -s "$list" ] || { echo "$0: there is no $list" >&2; exit 2; }
while read -r -u 3 name program variables; do
  if [ -x "$build/tests/$program" ]; then
    # shellcheck disable=SC2086
    check "$name" env $variables "${launcher[@]}" "$build/tests/$program"
  else
    echo "FAIL $name: not built (ninja -C $build)"
    failed=$((failed + 1))
  fi
done 3< "$list"
if [ -n "$file" ]; then
  check decode "${launcher[@]}" "$build/tests/cuda/gpu-decode" "$file"
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
