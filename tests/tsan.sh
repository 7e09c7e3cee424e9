#!/bin/bash
# Builds the plugin and its tests for ThreadSanitizer, with GLib's and GStreamer's core libraries, and runs
# programs with them.
#
#   tests/tsan.sh build
#   tests/tsan.sh run COMMAND...
#   tests/tsan.sh report TEST [ARGUMENT...]
#
# ThreadSanitizer must see the locks, or it reports wrongly. So `build` gets the sources of the system's GLib and
# GStreamer from Debian, and builds their core libraries; then the plugin with the CPU engine, cudahisto-report, and the
# programs of tests/unit, tests/element, tests/overlay, tests/library and tests/fuzz, but not the fuzzers of the report.
# Everything lies in build-tests-tsan/. Existing sources and builds are reused. It exits with 77 if there are no sources of
# these versions. GLib's mutexes are built with pthread mutexes instead of futexes, so that the order in which locks are
# taken is checked, too. GLib's bit locks are built without assembly. `run` executes a command with these libraries. A
# report makes the command fail, unless tests/tsan.txt names it. `report` runs a test of tests/report, of which only
# cudahisto-report has these libraries.
#
# GStreamer's plugins, its libraries for video and audio, and libsoup are the system's own. ThreadSanitizer sees
# which locks they take, but not what they read and write.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build-tests-tsan
libraries=$build/libraries
plugins=$build/plugins
project=$build/cudahisto

usage () {
  sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//;p}' "$0"
  exit 2
}

# ThreadSanitizer of some compilers fails with some randomized addresses.
if [ -z "${TSAN_ADDRESSES_ARE_FIXED:-}" ] && setarch -R true 2> /dev/null; then
  TSAN_ADDRESSES_ARE_FIXED=1 exec setarch -R "$0" "$@"
fi

run () {
  # The scanner of plugins is another process, without ThreadSanitizer. G_SLICE: memory that is used
  # again is seen as new. die_after_fork: check forks for each test.
  export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
    GST_PLUGIN_SYSTEM_PATH_1_0=$plugins GST_REGISTRY_FORK=no G_SLICE=always-malloc \
    TSAN_OPTIONS="suppressions=$root/tests/tsan.txt die_after_fork=0 second_deadlock_stack=1 \
history_size=7 ${TSAN_OPTIONS:-}"
  exec "$@"
}

# GStreamer takes its own locks in both orders where elements come and go. So a wrong order counts if the program or the
# plugin takes one of the locks itself.
show_reports () {
  awk 'BEGIN { RS = "==================\n" }
    /lock-order-inversion/ && !/ g_[a-z_]*(lock|wait|wait_until) [^\n]*\n *#[0-9]+ [^\n]*\((cudahisto-report|libgstcudahisto.so)\+/ { next }
    /WARNING: ThreadSanitizer/'
}

# report TEST ARGUMENT...: a test may end the program by force, and does not see what it has written. So the reports go to files.
report () {
  local folder=$build/report-$1 status=0 found
  [ -x "$project/pipelines/report/cudahisto-report" ] || { echo 'tests/tsan.sh build comes first'; exit 2; }
  rm -rf "$folder"
  mkdir "$folder"
  cat > "$folder/cudahisto-report" << END
#!/bin/sh
export GST_PLUGIN_PATH_1_0='$project/plugin' GST_REGISTRY_1_0='$build/registry' G_DEBUG=fatal-criticals
export TSAN_OPTIONS="exitcode=0 log_path='$folder/log' ${TSAN_OPTIONS:-}"
exec '$root/tests/tsan.sh' run '$project/pipelines/report/cudahisto-report' "\$@"
END
  chmod +x "$folder/cudahisto-report"
  CUDAHISTO_TEST_TOOL=1 /usr/bin/python3 "$root/tests/report/$1.py" "$folder/cudahisto-report" "${@:2}" || status=$?
  found=$(find "$folder" -name 'log.*' -exec cat {} + | show_reports)
  [ -z "$found" ] || { echo "$found"; status=1; }
  exit $status
}

case ${1:-} in
  build) [ $# = 1 ] || usage ;;
  run) shift; [ $# != 0 ] || usage; run "$@" ;;
  report) shift; [ $# != 0 ] || usage; report "$@" ;;
  *) usage ;;
esac

# ---- Sources ---------------------------------------------------------------------------

# with_sources PROGRAM ARGUMENT...: a program of apt with a list of its own: the sources of the
# repositories that the machine's packages are from. Nothing outside of the build's folder is changed.
with_sources () {
  local apt=$build/apt
  "$1" -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User= "${@:2}"
}

list_sources () {
  mkdir -p "$build/apt/lists/partial" "$build/apt/cache/archives/partial"
  # shellcheck disable=SC2016
  apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' \
    'Origin: Debian' | awk '!seen[$0]++' > "$build/apt/sources.list"
  with_sources apt-get update -q
}

# get_source PACKAGE MODULE: puts the sources in PACKAGE/source. They must have the version that
# pkg-config tells of the module, so that the libraries fit the system's others. Which Debian revision
# they have does not matter: a mirror may lack the one that is installed.
get_source () {
  local directory=$build/$1 version versions
  [ ! -d "$directory/source" ] || return 0
  [ -f "$build/apt/sources.list" ] || list_sources
  mapfile -t versions < <(with_sources apt-cache showsrc "$1" \
    | sed -n "s/^Version: \($(pkg-config --modversion "$2")-.*\)/\1/p" | sort -rVu)
  for version in "${versions[@]}"; do
    rm -rf "$directory"
    mkdir -p "$directory/download"
    if (cd "$directory/download" && with_sources apt-get source -q "$1=$version"); then
      mv "$directory"/download/*/ "$directory/source"
      return
    fi
  done
  echo "there are no sources of $1, version $(pkg-config --modversion "$2")"
  exit 77
}

# ---- Building --------------------------------------------------------------------------

options=(-Dbuildtype=debugoptimized -Db_sanitize=thread -Db_lundef=false)

# hide FILE NAME: removes a #define from GLib, if it is there.
hide () {
  local file=$build/glib2.0/source/$1 line="^ *#define $2\$"
  ! grep -q "$line" "$file" || sed -i "s/$line//" "$file"
}

# build_libraries PACKAGE LIBRARIES [OPTION...]: puts these libraries, "FOLDER/NAME FOLDER/NAME", in
# the folder of libraries.
build_libraries () {
  local directory=$build/$1/build library targets=()
  [ -f "$directory/build.ninja" ] \
    || meson setup "${options[@]}" -Dwarning_level=0 -Dnls=disabled "${@:3}" "$directory" "$build/$1/source"
  for library in $2; do
    targets+=("$(ninja -C "$directory" -t targets all | sed -n "s:^\($library\.so\.0\.[0-9.]*\)\: .*:\1:p")")
  done
  ninja -C "$directory" "${targets[@]}"
  mkdir -p "$libraries"
  for library in "${targets[@]}"; do
    ln -sf "$directory/$library" "$libraries/$(basename "${library%%.so*}").so.0"
  done
}

get_source glib2.0 glib-2.0
hide glib/gthread-posix.c USE_NATIVE_MUTEX
hide glib/gbitlock.c 'USE_ASM_GOTO 1'
build_libraries glib2.0 'glib/libglib-2.0 gobject/libgobject-2.0 gmodule/libgmodule-2.0 gio/libgio-2.0' \
  -Dtests=false -Dselinux=disabled -Dlibmount=disabled
get_source gstreamer1.0 gstreamer-1.0
build_libraries gstreamer1.0 'gst/libgstreamer-1.0 libs/gst/base/libgstbase-1.0 libs/gst/check/libgstcheck-1.0' \
  -Dauto_features=disabled -Dcheck=enabled

# The system's plugins that the tests use.
mkdir -p "$plugins"
for plugin in app audiobuffersplit audioconvert audioparsers audioresample audiotestsrc avi coreelements libav matroska \
    ogg playback soup typefindfunctions videoconvertscale videocrop videofilter videoparsersbad videorate videotestsrc \
    vorbis wavparse; do
  ln -sf "$(pkg-config --variable=pluginsdir gstreamer-1.0)/libgst$plugin.so" "$plugins"
done

how=()
[ ! -f "$project/build.ninja" ] || how=(--reconfigure)
meson setup "${how[@]}" "${options[@]}" -Dkernels=disabled -Doverlay=enabled -Dserve=enabled -Djpeg=enabled "$project" "$root"
mapfile -t programs < <(ninja -C "$project" -t targets all \
  | sed -n '/fuzz-containers\|fuzz-report/d; s:^\(tests/\(unit\|element\|overlay\|fuzz\|library\)/[^/.]*\)\: .*_LINKER.*:\1:p')
ninja -C "$project" plugin/libgstcudahisto.so plugin/overlay/libgstcudahistooverlay.so pipelines/report/cudahisto-report \
  "${programs[@]}"
