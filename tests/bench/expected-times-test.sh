#!/bin/bash
# expected-times.py: its table is the page's, and a card's times are inside or outside.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail () {
  echo "$*" >&2
  exit 1
}

"$here/expected-times.py" > "$scratch/table"
sed -n '/^| photo, µs /,/^$/{/^$/d;p}' "$here/../../docs/performance.md" > "$scratch/page"
diff "$scratch/page" "$scratch/table" || fail 'the table of docs/performance.md is not what expected-times.py prints'

row () {
  printf 'groups: %-44s %9s %9s\n' "$@"
}
{ row '4K NV12, signal+motion' 30.1 38; row '4K NV12, detail' 20 20; row '4K P010_10LE, signal+motion' 43 44; } > "$scratch/good"
"$here/expected-times.py" --check "$scratch/good" H200 > "$scratch/said"
[ "$(grep -c 'as expected$' "$scratch/said")" = 2 ] || fail 'two times are as expected'
{ cat "$scratch/good"; row '4K NV12, all' 900 900; } > "$scratch/slow"
! "$here/expected-times.py" --check "$scratch/slow" H200 > "$scratch/said" || fail 'a time that is too long is not told'
grep -q '^4K NV12, all: 900.0 µs, expected .*: SLOWER$' "$scratch/said" || fail 'the row that is slow is not named'
: > "$scratch/empty"
! "$here/expected-times.py" --check "$scratch/empty" H200 2> "$scratch/said" || fail 'a file without rows passes'
! "$here/expected-times.py" --check "$scratch/good" H99 2> "$scratch/said" || fail 'an unknown card passes'
