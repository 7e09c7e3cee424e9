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
dpkg-buildpackage () { cp debian/control debian/changelog "$SCRATCH"; touch "../cudahisto-tools_${VERSION}_all.deb" "../libcudahisto-dev_${VERSION}_all.deb"; }
# With FULL, there is no room for the packages.
mv () { if [ -n "${FULL:-}" ] && [ "$1" = -- ]; then return 1; else command mv "$@"; fi; }
VERSION=$(< "$root/pipelines/python/cudahisto/VERSION")
export VERSION SCRATCH=$scratch
unset DEBEMAIL DEBFULLNAME
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

# said: prints the maintainers that the packages and the latest entry of the changelog had
said () { sed -n 's/^Maintainer: //p' "$scratch/control"; sed -n '/^ -- / { s/^ -- \(.*>\)  [A-Z].*/\1/p; q }' "$scratch/changelog"; }
# As long as the project has no address, none is given: no host is below invalid.
[ "$(said | sort -u)" = "The cudahisto authors <nobody@cudahisto.invalid>" ] || fail "the maintainer: $(said)"
if grep -r -i -E '[a-z0-9._-]+@[a-z0-9-]+\.[a-z]' "$root"/{README,SECURITY,CONTRIBUTING}.md "$root"/docs/security.md; then
  fail "an address"
fi
for case in 'A & B \1|a@b.org|A & B \1 <a@b.org>' '|a@b.org|The cudahisto authors <a@b.org>' 'A|C <c@d.org>|C <c@d.org>'; do
  IFS='|' read -r name address expected <<< "$case"
  DEBFULLNAME=$name DEBEMAIL=$address "$scratch/tree/pipelines/package.sh" "$directory" > /dev/null 2>&1 || fail "$case: status $?"
  [ "$(said)" = "$expected"$'\n'"$expected" ] || fail "$case: $(said)"
done
for address in nobody 'A <a b@c.org>' $'a@b.org\nX: y'; do
  if DEBEMAIL=$address "$scratch/tree/pipelines/package.sh" "$directory" > /dev/null 2>&1; then
    fail "DEBEMAIL=$address"
  fi
done
echo "package: all passed"
