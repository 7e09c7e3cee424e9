#!/bin/bash
# The binary interface of libcudahisto-1.0.so is the one that is stored: no function is gone, none is new, and none takes or
# returns something else. The codes of errors, which no function takes or returns, are not looked at.
#
#   tests/library/abi.sh [--update] BUILD_DIR
#
# --update stores what BUILD_DIR has. Types of GStreamer and GLib are part of the interface, so there is a dump for each of
# their versions and each processor. Exits with 77 if there is none for these, or no abidiff, or no debugging information.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

update=
if [ "${1:-}" = --update ]; then
  update=1
  shift
fi
build=${1:?usage: tests/library/abi.sh [--update] BUILD_DIR}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
library=$build/plugin/library/libcudahisto-1.0.so.0
for tool in abidw abidiff readelf pkg-config; do
  if ! command -v $tool > /dev/null; then
    echo "Skipped: there is no $tool; abidw and abidiff are in abigail-tools"
    exit 77
  fi
done
if ! grep -q '\.debug_info' <<< "$(readelf -SW "$library")"; then
  echo "Skipped: $library has no debugging information"
  exit 77
fi
version=$(pkg-config --modversion gstreamer-1.0 | cut -d. -f1,2)
dump=$root/tests/library/abi/$(uname -m)-gstreamer-$version.abi
if [ -n "$update" ]; then
  mkdir -p "${dump%/*}"
  abidw --exported-interfaces-only --no-corpus-path --no-comp-dir-path --no-elf-needed --no-show-locs \
    "$library" | sed -E "s/(<abi-instr .* path=')[^']*\//\1/" > "$dump"
  echo "$dump"
elif [ ! -e "$dump" ]; then
  echo "Skipped: there is no ${dump##*/}"
  exit 77
fi
status=0
abidiff --suppressions "$root/tests/library/abi/private.ini" --exported-interfaces-only "$dump" "$library" || status=$?
if [ $status != 0 ]; then
  echo "The binary interface is another one (status $status of abidiff; 4 is set if it has more or has changed, 8 if programs"
  echo "that are linked to it fail). docs/contributing.md, Binary interface of the library, says what to do."
  exit 1
fi
