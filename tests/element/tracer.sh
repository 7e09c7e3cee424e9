#!/bin/bash
# No object of GStreamer is left after pipelines with the element: the tracer `leaks` finds none.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

# shellcheck source=tests/harness/leaks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../harness/leaks.sh"

histo="cudahisto backend=${CUDAHISTO_TEST_BACKEND:-cpu}"
# On the mock driver large pictures take long, and so do the 16 bits that would be chosen without a format.
size=width=64,height=48
source='videotestsrc num-buffers=20'
video="$source ! video/x-raw,format=I420,$size"
audio='audiotestsrc num-buffers=20'

# The words of the descriptions are arguments.
# shellcheck disable=SC2086
{
  check $video ! $histo ! fakesink
  check $source ! video/x-raw,format=NV12_4L4,$size ! $histo measures=color max-in-flight=1 ! fakesink
  check $video ! $histo measures=signal+motion+color+hdr+detail+area+gamut+gamut-filter+flash+field+scopes regions=a=10%,10%,50%,50% \
    window=100000000 alerts=black+freeze+scene+range ! fakesink
  check $video ! $histo meta=false post-messages=true ! fakesink
  check $video ! $histo every=3 qos=true page-lock-upstream=true ! videoconvert ! fakesink
  check $audio ! $histo measures=level+loudness alerts=silence+clipping ! audioconvert ! fakesink
  check $audio ! audio/x-raw,format=F32LE,layout=non-interleaved,channels=2 ! $histo bins=64 ! \
    fakesink
  check $audio ! $histo ! $histo meta=false ! fakesink
}
exit "$failed"
