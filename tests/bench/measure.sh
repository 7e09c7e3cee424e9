#!/bin/bash
# All that docs/ has a GPU's figures of, in one go: exactness, the ladder and its bank
# conflicts, the kernels beside their peers, whole pipelines; and the CPU engine's groups beside
# the filters that they replace.
#
#   tests/bench/measure.sh BUILD_DIR DIRECTORY [FILE.h264]
#
# Leaves what each prints in DIRECTORY, and prints a line for each. The figures of docs/figures.md
# are taken from these by hand, docs/ladder.md by tests/ladder/table.py and plot.py. Needs a GPU and what
# tests/bench/pipelines.sh and tests/ladder/conflicts.sh need; what is not built
# (ninja -C BUILD_DIR tests/bench/cudahisto-bench) or not installed is left out.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -uo pipefail

usage='usage: tests/bench/measure.sh BUILD_DIR DIRECTORY [FILE.h264]'
build=${1:?$usage} output=${2:?$usage}
clip=("${@:3}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bench=$build/tests/bench
mkdir -p "$output"
failed=0

# run NAME SECONDS FILE COMMAND...: its output goes to the file, its errors beside it.
run () {
  local name=$1 limit=$2 file=$output/$3 begin=$SECONDS status; shift 3
  command -v "$1" > /dev/null || { echo "skip $name: no $1"; return; }
  timeout --kill-after=5 "$limit" "$@" > "$file" 2> "$file.err" < /dev/null; status=$?
  if [ $status = 0 ]; then
    echo "ok   $name ($((SECONDS - begin)) s)"
  else
    failed=$((failed + 1))
    echo "FAIL $name ($((SECONDS - begin)) s): status $status"
    tail -n 5 "$file" "$file.err"
  fi
  [ -s "$file.err" ] || rm -f "$file.err"
}

run gpu 10 gpu.txt nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader
run checkhisto 120 checkhisto.txt "$build/tests/checkhisto/checkhisto"
run repeats 60 repeats.txt "$build/tests/checkhisto/checkhisto" '--test=*.repeats' --repeats=100
run ladder-check 60 ladder-check.txt "$build/tests/ladder/cudahisto-ladder" --check
run ladder 150 ladder.json "$build/tests/ladder/cudahisto-ladder" --json
if command -v ncu > /dev/null; then
  run conflicts 90 conflicts.txt "$here/../ladder/conflicts.sh" "$build/tests/ladder/cudahisto-ladder" 20 "$output/conflicts.json"
fi
run bench 300 bench.json "$bench/cudahisto-bench" --json
# Rows that fail make it fail: they are to be read.
run pipelines 240 pipelines.txt "$here/pipelines.sh" "$build" "${clip[@]}"
if command -v ffmpeg > /dev/null; then
  run cpu-groups 240 cpu-groups.txt "$here/cpu-groups.py" "$build" --frames 40 --rounds 3 --buffers 20000
fi
echo "$failed failed"
[ $failed = 0 ]
