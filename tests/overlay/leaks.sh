#!/bin/bash
# No object of GStreamer is left after pipelines with the overlay: the tracer `leaks` finds none.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

video='videotestsrc num-buffers=20 ! video/x-raw,width=640,height=480'
measured='cudahisto backend=cpu measures=signal+motion alerts=scene+black regions=a=0,0,50%,50%'

# shellcheck source=tests/harness/leaks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../harness/leaks.sh"

# The words of the descriptions are arguments.
# shellcheck disable=SC2086
{
  check $video ! $measured ! cudahistooverlay ! fakesink
  check $video ! $measured ! cudahistooverlay ! video/x-raw,format=NV12 ! fakesink
  check $video ! $measured ! cudahistooverlay ! \
    'video/x-raw(memory:SystemMemory,meta:GstVideoOverlayComposition)' ! fakesink
  check $video ! $measured ! cudahistooverlay name=o ! fakesink \
    audiotestsrc num-buffers=50 ! cudahisto backend=cpu alerts=silence ! tee name=t ! queue ! \
    o.audio_0 t. ! queue ! fakesink
  check $video ! cudahistooverlay ! fakesink
}
exit "$failed"
