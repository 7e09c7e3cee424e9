# For scripts that play pipelines under GStreamer's tracer `leaks`; they source this file.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2034

# The tracer also prints the format of its lines, with %s.
alive='object-alive, type-name=(string)[^%]'
failed=0

# check PIPELINE...: plays it under the tracer. No object of GStreamer may be left.
check () {
  local log
  if ! log=$(GST_TRACERS=leaks GST_DEBUG=GST_TRACER:7 GST_DEBUG_NO_COLOR=1 \
      gst-launch-1.0 -q "$@" 2>&1); then
    echo "The pipeline failed: $*"
    echo "$log"
    failed=1
  elif grep -q "$alive" <<< "$log"; then
    echo "Leaks of: $*"
    grep "$alive" <<< "$log"
    failed=1
  fi
}
