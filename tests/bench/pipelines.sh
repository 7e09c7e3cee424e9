#!/bin/bash
# What the element costs a pipeline: each row of the table of pipelines in docs/figures.md,
# measured, with its target and PASS or FAIL. A row that hangs or dies is a FAIL, and the next is
# run.
#
#   tests/bench/pipelines.sh BUILD_DIR [--only ROW] [FILE.h264]
#
# Needs a GPU, its driver, and GStreamer's runtime; BUILD_DIR may have been built
# elsewhere (ninja tests/bench/cudahisto-pipelines). Without a clip the decoder's row is
# skipped.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -uo pipefail

program=${1:?usage: tests/bench/pipelines.sh BUILD_DIR [--only ROW] [FILE.h264]}/tests/bench/cudahisto-pipelines
shift
only=
if [ "${1:-}" = --only ]; then only=${2:?a row}; shift 2; fi

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2> /dev/null || true
rows=$("$program" --list) || { echo "$program does not run"; exit 1; }
failed=0
while read -r row limit; do
  [ -z "$only" ] || [ "$row" = "$only" ] || continue
  timeout --kill-after=1 "$limit" "$program" --only "$row" "$@" < /dev/null; status=$?
  case $status in
    0) ;;
    1) failed=$((failed + 1)) ;;
    124 | 137) failed=$((failed + 1))
      printf 'FAIL | %-16s | took more than %d s |\n' "$row" "$limit" ;;
    *) failed=$((failed + 1)); printf 'FAIL | %-16s | ended with status %d |\n' "$row" "$status" ;;
  esac
done <<< "$rows"
echo "$failed rows failed"
[ "$failed" = 0 ]
