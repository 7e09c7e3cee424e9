#!/bin/sh
# Runs the compiler, and keeps what ptxas prints about the kernels' registers and stacks.
#
#   compile.sh FIGURES COMPILER [ARGUMENT...]
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -eu

figures=$1
shift
status=0
"$@" 2> "$figures" || status=$?
grep -v -e '^ptxas info ' -e '^ *[0-9]* bytes stack frame' "$figures" >&2 || true
exit $status
