#!/bin/bash
# Runs the fuzzers for long, with AddressSanitizer and UBSan: one after the other, or those that are
# named. The byte fuzzers run with libFuzzer; `stream` makes random operations on the element, with
# the CPU engine. Needs clang.
#
#   tests/fuzz/long.sh [SECONDS [NAME...]]
#
# SECONDS for each fuzzer; default 600. Builds in build-fuzz/. What reaches new code is kept in
# build-fuzz/corpus/NAME, the input of a finding (of `stream` the log, with the seed) in
# build-fuzz/findings/NAME, the log in build-fuzz/NAME.log. The last lines are a table; the exit status
# is 1 if there is a finding. Executions of `stream` are operations.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$root/build-fuzz
seconds=${1:-600}
shift || true
if [ $# = 0 ]; then
  mapfile -t names < <(cd "$root/tests/fuzz/corpus" && ls)
  set -- "${names[@]}" stream
fi

# The tables of GLib's quarks grow, and the old ones are never freed. driver.c looks for leaks.
# Of allocations a few callers are kept, and freed memory is kept up to 16 MiB: more takes time.
export ASAN_OPTIONS=detect_leaks=0:malloc_context_size=8:quarantine_size_mb=16:${ASAN_OPTIONS:-}
# Inputs that take less time are tried more often.
options=(-detect_leaks=0 -max_len=1024 -entropic_scale_per_exec_time=1 -timeout=60
  -report_slow_units=60 -rss_limit_mb=8192 -print_final_stats=1)
export UBSAN_OPTIONS=print_stacktrace=1:${UBSAN_OPTIONS:-}
export G_DEBUG=fatal-criticals G_SLICE=always-malloc

if [ ! -f "$build/build.ninja" ]; then
  CC=clang CXX=clang++ meson setup "$build" "$root" -Dwerror=true -Dkernels=disabled -Db_lundef=false \
    -Db_sanitize=address,undefined \
    -Dc_args="-fsanitize=fuzzer-no-link -fno-sanitize-recover=all \
      -fsanitize-ignorelist=$root/tests/fuzz/no-ubsan.txt \
      -fsanitize-coverage-ignorelist=$root/tests/fuzz/no-coverage.txt" > /dev/null
fi
programs=("${@/#/tests/fuzz/libfuzzer-}")
programs=("${programs[@]/libfuzzer-stream/fuzz-stream}")
ninja -C "$build" plugin/libgstcudahisto.so "${programs[@]}" > "$build/build.log" \
  || { tail -n 40 "$build/build.log"; exit 1; }

# Prints how many inputs, or operations, the runs in a log have executed.
executions () {
  awk '/^stat::number_of_executed_units/ { n += $2 } /^[0-9]+ operations:/ { n += $1 }
    END { print n + 0 }' "$1"
}

# The name of the log of each fault tells the time.
fuzz_stream () {
  local end=$((SECONDS + seconds)) log=$build/stream.log
  local -x GST_PLUGIN_PATH_1_0=$build/plugin GST_REGISTRY_1_0=$build/registry.bin
  # Another process could not load the plugin: it has no sanitizers.
  local -x CUDAHISTO_TEST_BACKEND=cpu GST_REGISTRY_FORK=no
  mkdir -p "$build/findings/stream"
  : > "$log"
  while [ $SECONDS -lt $end ]; do
    "$build/tests/fuzz/fuzz-stream" --operations=10000 > "$build/stream.run" 2>&1 < /dev/null \
      || cp "$build/stream.run" "$build/findings/stream/$(date +%s)"
    cat "$build/stream.run" >> "$log"
  done
}

# fuzz NAME: until the time is over. A finding ends libFuzzer, which is then started again.
fuzz () {
  local name=$1 end=$((SECONDS + seconds)) log=$build/$1.log
  mkdir -p "$build/corpus/$name" "$build/findings/$name"
  : > "$log"
  while [ $SECONDS -lt $end ]; do
    "$build/tests/fuzz/libfuzzer-$name" -max_total_time=$((end - SECONDS)) \
      "${options[@]}" -artifact_prefix="$build/findings/$name/" \
      "$build/corpus/$name" "$root/tests/fuzz/corpus/$name" >> "$log" 2>&1 < /dev/null || sleep 1
  done
}

for name in "$@"; do
  if [ "$name" = stream ]; then fuzz_stream; else fuzz "$name"; fi
done

found=0
printf '%-12s %14s %9s\n' fuzzer executions findings
for name in "$@"; do
  findings=$(find "$build/findings/$name" -type f | wc -l)
  printf '%-12s %14s %9s\n' "$name" "$(executions "$build/$name.log")" "$findings"
  found=$((found + findings))
done
[ $found = 0 ]
