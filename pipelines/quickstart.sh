#!/bin/bash
# Builds the plugin and prints the statistics of a file:
#
#   pipelines/quickstart.sh [FILE]
#
# Installs missing packages, builds into build/, and prints what cudahisto measures on
# FILE. Without FILE it uses a film clip from a Debian package.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=pipelines/packages.sh
. "$root/pipelines/packages.sh"

if [ $# -gt 1 ]; then
  echo "usage: $0 [FILE]" >&2
  exit 2
fi
if [ $# = 1 ] && [[ $1 != *://* ]] && [ ! -r "$1" ]; then
  echo "$0: cannot read $1" >&2
  exit 1
fi

packages=("${packages_to_run[@]}")
if command -v nvcc > /dev/null; then
  packages+=("${packages_for_cuda[@]}")
fi
install_missing "${packages[@]}"

if [ ! -f "$root/build/build.ninja" ]; then
  echo "Building in $root/build (with nvcc this takes a minute or two)" >&2
  quietly meson setup "$root/build" "$root"
fi
quietly ninja -C "$root/build" plugin/libgstcudahisto.so

export GST_PLUGIN_PATH_1_0=$root/build/plugin${GST_PLUGIN_PATH_1_0:+:$GST_PLUGIN_PATH_1_0}
if [ $# = 1 ]; then
  input=$1
elif ! input=$(find_clip "$root/build/clip"); then
  echo "The clip cannot be downloaded. Using a test picture and a ticking sound instead" >&2
  input=$root/build/clip/generated.avi
  quietly gst-launch-1.0 -e avimux name=mux ! filesink location="$input" \
    videotestsrc num-buffers=100 ! video/x-raw,framerate=25/1 ! jpegenc ! mux. \
    audiotestsrc wave=ticks num-buffers=172 ! audio/x-raw,rate=44100 ! audioconvert ! mux.
fi
exec "$python" "$root/pipelines/histo-print.py" "$input"
