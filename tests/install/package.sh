#!/bin/bash
# pipelines/package.sh without building: functions take the places of the programs that build.
#
#   tests/install/package.sh
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2317
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
directory="$scratch/my packages"
mkdir -p "$scratch/tree" "$directory"
cp -r "$root/pipelines" "$scratch/tree"

fail () {
  echo "FAILED: $1" >&2
  ls -A "$directory" >&2
  exit 1
}
dpkg-query () { printf installed; }
dpkg-parsechangelog () { printf '%s' "$VERSION"; }
dpkg-buildpackage () { touch "../cudahisto-tools_${VERSION}_all.deb" "../libcudahisto-dev_${VERSION}_all.deb"; }
# With FULL, there is no room for the packages.
mv () { if [ -n "${FULL:-}" ] && [ "$1" = -- ]; then return 1; else command mv "$@"; fi; }
VERSION=$(< "$root/pipelines/python/cudahisto/VERSION")
export VERSION
export -f dpkg-query dpkg-parsechangelog dpkg-buildpackage mv

mine=(cudahisto-tools-extra_1_all.deb my-cudahisto-notes.deb other_1_all.deb)
new=("cudahisto-tools_${VERSION}_all.deb" "libcudahisto-dev_${VERSION}_all.deb")
( cd "$directory" && touch cudahisto-tools_0.0_all.deb "${mine[@]}" )

# list: prints the names of all files
list () { find "$directory" -mindepth 1 -printf '%f\n' | LC_ALL=C sort; }

if FULL=yes "$scratch/tree/pipelines/package.sh" --kernels=disabled "$directory" > /dev/null 2>&1; then
  fail "no room, and status 0"
fi
[ "$(list)" = "$(printf '%s\n' "${mine[@]}" cudahisto-tools_0.0_all.deb | LC_ALL=C sort)" ] \
  || fail "without room the older packages stay"

out=$("$scratch/tree/pipelines/package.sh" --kernels=disabled "$directory" 2> /dev/null) || fail "status $?"
[ "$out" = "$(printf "$directory/%s\n" "${new[@]}")" ] || fail "prints $out"
[ "$(list)" = "$(printf '%s\n' "${mine[@]}" "${new[@]}" | LC_ALL=C sort)" ] || fail "the files"
echo "package: all passed"
