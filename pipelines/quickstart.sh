#!/bin/bash
# Builds the plugins and programs, and measures a file with cudahisto-report:
#
#   pipelines/quickstart.sh [OPTION...] [INPUT...]
#
# Installs missing packages, builds all but the tests into build/, says where the plugins and programs
# are, and passes all arguments to cudahisto-report. Without INPUT it measures a film clip from a Debian
# package. If the folder cannot be written to, it builds into a folder of the user's cache. The kernels are
# built for the GPUs of this machine only.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=pipelines/packages.sh
. "$root/pipelines/packages.sh"

usage () {
  echo "usage: $0 [OPTION...] [INPUT...]"
  echo
  echo "Installs the missing Debian packages (as root or with sudo), builds the plugins, cudahisto-report"
  echo "and the example program auto-exposure, and says where they are. Then it measures the INPUTs, which"
  echo "are files, folders or URIs; without one a film clip (a download of 96 MB). The OPTIONs are those of cudahisto-report."
}

# choose_architectures: prints the compute capabilities of this machine's GPUs: "75,90"; "none" without
# a GPU; "all" if it is not known which GPUs there are, or if nvcc does not know one of them.
choose_architectures () {
  local found architecture
  if ! found=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null) || [ -z "$found" ]; then
    # Jetson and WSL have other devices.
    if compgen -G '/dev/nvidia[0-9]*' > /dev/null || compgen -G '/dev/nvhost-*gpu*' > /dev/null \
        || [ -e /dev/dxg ]; then
      echo all
    else
      echo none
    fi
    return
  fi
  found=$(tr -d '. ' <<< "$found" | sort -u)
  for architecture in $found; do
    if ! grep -q -x "compute_$architecture" <<< "$(nvcc --list-gpu-arch)"; then
      echo all
      return
    fi
  done
  paste -s -d , <<< "$found"
}

# build_in FOLDER ARCHITECTURES: as choose_architectures prints them. Two runs at once wait for each
# other.
build_in () {
  local build=$1 options=() kernels=
  case $2 in
    all) ;;
    none) options=(-Dkernels=disabled) kernels=' without CUDA kernels, because there is no GPU or no nvcc' ;;
    *) options=("-Dgpu-architectures=$2") kernels=" for the compute capability $2" ;;
  esac
  mkdir -p "$build"
  exec 9> "$build/.quickstart-lock"
  if ! flock -n 9; then
    echo "Waiting for another run of $0 that builds in $build" >&2
    flock 9
  fi
  if [ ! -f "$build/build.ninja" ]; then
    echo "Configuring $build$kernels" >&2
    with_progress Configuring meson setup "${options[@]}" "$build" "$root"
  fi
  echo "Building the plugins and programs in $build (the first time this takes about a minute;" \
    "with CUDA kernels two or three)" >&2
  if [ -t 2 ]; then
    # On a terminal ninja shows one line with what it does.
    ninja -C "$build" all-but-tests 1>&2 9>&-
  else
    with_progress Building ninja -C "$build" all-but-tests 9>&-
  fi
}

# tell_places FOLDER: what a terminal needs to use the build
tell_places () {
  echo "To use the plugins and programs in this terminal:" >&2
  # shellcheck disable=SC2016
  printf '  export GST_PLUGIN_PATH=%q PATH=%q:%q:$PATH\n' \
    "$1/plugin" "$1/pipelines/report" "$1/pipelines/examples" >&2
}

# choose_clip FOLDER: prints the path of a clip to measure
choose_clip () {
  local clip=$1/clip
  if find_clip "$clip"; then
    return
  fi
  echo "The clip cannot be downloaded. Using a test picture and a ticking sound instead" >&2
  mkdir -p "$clip"
  # Another run may measure the file, so a new one takes its place. The name of the folder may be syntax of gst-launch-1.0.
  (
    cd "$clip"
    quietly gst-launch-1.0 -e avimux name=mux ! filesink location="generated-$$.part" \
      videotestsrc num-buffers=100 ! video/x-raw,framerate=25/1 ! jpegenc ! mux. \
      audiotestsrc wave=ticks num-buffers=172 ! audio/x-raw,rate=44100 ! audioconvert ! mux.
  )
  mv "$clip/generated-$$.part" "$clip/generated.avi"
  echo "$clip/generated.avi"
}

# has_input PROGRAM ARGUMENT...: whether an argument is neither an option nor the value of one.
# --help of the program says which options have a value.
has_input () {
  local help is_value=no argument
  help=$("$1" --help)
  shift
  for argument; do
    if [ $is_value = yes ]; then
      is_value=no
    elif [ "$argument" = -- ] || [ "${argument#-}" = "$argument" ] || [ "$argument" = - ]; then
      return 0
    elif [ "${argument#*=}" = "$argument" ] && grep -q -E -e "^ *(-., )?$argument=|^ *$argument, --[a-z-]+=" <<< "$help"; then
      is_value=yes
    fi
  done
  return 1
}

case ${1:-} in
  -h | --help)
    usage
    exit 0
    ;;
esac
# Before minutes of building: the one file that is given.
if [ $# = 1 ] && [[ $1 != -* && $1 != *://* ]] && [ ! -r "$1" ]; then
  echo "$0: cannot read $1" >&2
  exit 1
fi

packages=("${packages_to_run[@]}")
architectures=none
if command -v nvcc > /dev/null; then
  architectures=$(choose_architectures)
fi
if [ "$architectures" != none ]; then
  packages+=("${packages_for_cuda[@]}")
fi
build=$(choose_build "$root")
echo "Next: Debian packages that are missing are installed, and the plugins and programs are built in $build. Then the report follows" >&2
install_missing "${packages[@]}"

build_in "$build" "$architectures"
tell_places "$build"
program=$build/pipelines/report/cudahisto-report
export GST_PLUGIN_PATH_1_0=$build/plugin${GST_PLUGIN_PATH_1_0:+:$GST_PLUGIN_PATH_1_0}
if has_input "$program" "$@"; then
  exec "$program" "$@" 9>&-
fi
clip=$(choose_clip "$build")
exec "$program" "$@" "$clip" 9>&-
