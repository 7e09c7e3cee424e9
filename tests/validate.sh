#!/bin/bash
# Runs the tests in tests/validate, which are in the form of GStreamer's own: pipelines with actions, and what must flow through
# pads of the elements. gst-validate-1.0 watches all pads, too, and any issue that it reports is a failure.
#
#   tests/validate.sh BUILD_DIR [NAME...]
#
# NAME is a file of tests/validate without its ending; default: all. Prints the log of each test that fails; the last line is
# `N passed, N failed`. Exits with 77 if there is no gst-validate-1.0. If other events and buffers are right from now on,
# delete tests/validate/NAME/flow-expectations, and run
# `GST_PLUGIN_PATH=BUILD_DIR/plugin gst-validate-1.0 --set-test-file tests/validate/NAME.validatetest`, which writes them.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

build=$(realpath "${1:?usage: tests/validate.sh BUILD_DIR [NAME...]}")
names=("${@:2}")
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/validate
if ! command -v gst-validate-1.0 > /dev/null; then
  echo "Skipped: there is no gst-validate-1.0; docs/testing.md says how it is built"
  exit 77
fi
if [ ${#names[@]} = 0 ]; then
  for file in "$folder"/*.validatetest; do
    names+=("$(basename "$file" .validatetest)")
  done
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

export GST_PLUGIN_PATH_1_0=$build/plugin GST_REGISTRY_1_0=$scratch/registry.bin GST_VALIDATE_LOGSDIR=$scratch
# Without this, a test whose expectations are missing would write them, and pass.
export GST_VALIDATE_CONFIG='validateflow, generate-expectations=false' GST_VALIDATE=fatal-issues
passed=0 failed=0
for name in "${names[@]}"; do
  status=0
  timeout --kill-after=5 30 gst-validate-1.0 --set-test-file "$folder/$name.validatetest" > "$scratch/log" 2>&1 < /dev/null || status=$?
  if [ $status = 0 ]; then
    echo "ok: $name"
    passed=$((passed + 1))
  else
    echo "FAILED: $name, exit status $status"
    # It prints the position several times a second.
    grep -v '^<position' "$scratch/log" | tail -n 60
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
