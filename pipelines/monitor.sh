#!/bin/bash
# Shows a film, a camera or a stream with scopes and meters:
#
#   pipelines/monitor.sh [--parade] [--file OUT [--force]] SOURCE
#
# SOURCE is a file, a camera (/dev/video0), a URI, or `test`. The picture is shown in a window, or encoded into
# OUT (.mkv or .avi). pipelines/quickstart.sh builds and installs what this needs; pipelines/monitor.py plays.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=pipelines/packages.sh
. "$root/pipelines/packages.sh"

usage () {
  echo "usage: $0 [--parade] [--file OUT [--force]] SOURCE"
  echo
  echo "Shows the SOURCE with waveform, vectorscope, meters and loudness. SOURCE is a file, a camera (/dev/video0),"
  echo "a URI (rtsp://..., https://...), or \`test\`: colour bars and a tone. --parade: R, G and B instead of luma."
  echo "--file: encodes into OUT, a name that ends with .mkv or .avi, instead of a window; Ctrl-C ends it."
  echo "--force: OUT may be a file that exists. The source is never replaced."
}

# fail MESSAGE...
fail () {
  echo "$0: $*" >&2
  exit 1
}

# has ELEMENT. --exists would want that its version is at least GStreamer's.
has () {
  gst-inspect-1.0 "$1" > /dev/null 2>&1
}

# need ELEMENT PACKAGE
need () {
  has "$1" || fail "the GStreamer element $1 is missing. It is in the Debian package $2"
}

out='' force=0 measures=scopes+gamut-filter+flash+field mode=luma
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help)
      usage
      exit 0
      ;;
    --parade) measures=$measures+color mode=parade ;;
    --file)
      [ -n "${2:-}" ] || fail "--file needs a name"
      out=$2
      shift
      ;;
    --file=*)
      out=${1#--file=}
      [ -n "$out" ] || fail "--file needs a name"
      ;;
    --force) force=1 ;;
    --)
      shift
      break
      ;;
    -?*)
      usage >&2
      exit 2
      ;;
    *) break ;;
  esac
  shift
done
if [ $# != 1 ]; then
  usage >&2
  exit 2
fi
input=$1

# The source, before anything is looked for.
uri=''
case $input in
  test) ;;
  *://*) uri=$input ;;
  /dev/*) [ -c "$input" ] || fail "there is no camera $input" ;;
  *)
    if [ ! -f "$input" ] || [ ! -r "$input" ]; then
      fail "cannot read $input"
    fi
    uri=$("$python" -c 'import pathlib, sys; print(pathlib.Path(sys.argv[1]).resolve().as_uri())' "$input")
    ;;
esac
case $out in
  '') ;;
  *.mkv) muxer=matroskamux ;;
  *.avi) muxer=avimux ;;
  *) fail "the name of the file must end with .mkv or .avi: $out" ;;
esac
if [ -n "$out" ]; then
  # The program that plays compares it with a URI.
  [ ! "$out" -ef "$input" ] || fail "$out is the source"
  [ -d "$(dirname -- "$out")" ] || fail "there is no folder for $out"
  if [ -e "$out" ] || [ -L "$out" ]; then
    [ -f "$out" ] || fail "$out is no file"
    [ $force = 1 ] || fail "$out exists. --force replaces it"
  fi
fi

command -v gst-inspect-1.0 > /dev/null \
  || fail "gst-inspect-1.0 is missing. It is in the Debian package gstreamer1.0-tools"
build=$(choose_build "$root")
if [ -d "$build/plugin" ]; then
  export GST_PLUGIN_PATH_1_0=$build/plugin${GST_PLUGIN_PATH_1_0:+:$GST_PLUGIN_PATH_1_0}
fi
has cudahisto || fail "cudahisto is not built. Run pipelines/quickstart.sh"
has cudahistooverlay \
  || fail "cudahistooverlay is not built. It needs the Debian package libcairo2-dev. Run pipelines/quickstart.sh again"

address=$uri
case $input in
  test) kind='test' ;;
  /dev/*)
    need v4l2src gstreamer1.0-plugins-good
    kind=camera
    address=$input
    ;;
  *)
    need uridecodebin gstreamer1.0-plugins-base
    kind=uri
    ;;
esac

# What the picture's way needs.
if [ -n "$out" ]; then
  need vp8enc gstreamer1.0-plugins-good
  need "$muxer" gstreamer1.0-plugins-good
else
  need autovideosink gstreamer1.0-plugins-good
  [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] \
    || fail "there is no screen: DISPLAY and WAYLAND_DISPLAY are not set. --file encodes into a file"
  # Without one of these, autovideosink may try a sink for other screens, which may crash.
  if ! has glimagesink \
    && { [ -z "${DISPLAY:-}" ] || { ! has xvimagesink && ! has ximagesink; }; } \
    && { [ -z "${WAYLAND_DISPLAY:-}" ] || ! has waylandsink; }; then
    fail "no GStreamer element can open a window. One is in the Debian package gstreamer1.0-x, or gstreamer1.0-gl"
  fi
fi
exec "$python" "$root/pipelines/monitor.py" "$0" $kind "$address" "$measures" $mode "$out" $force
