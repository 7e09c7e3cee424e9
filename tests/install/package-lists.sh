#!/bin/bash
# The lists in pipelines/packages.sh are enough on a system that has nothing else: what apt would install there
# satisfies dpkg-buildpackage. Changes nothing on this machine. tests/packages.sh does the same in real systems.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=pipelines/packages.sh
. "$root/pipelines/packages.sh"
for tool in apt-get apt-cache dpkg-checkbuilddeps; do
  if ! command -v $tool > /dev/null; then
    echo "Skipped: there is no $tool"
    exit 77
  fi
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# list_all PACKAGE...: prints all packages that apt would install on an empty system.
list_all () {
  : > "$scratch/empty"
  mkdir -p "$scratch/archives/partial"
  apt-get -qq --print-uris -o Dir::State::status="$scratch/empty" -o Dir::State::extended_states="$scratch/states" \
    -o Dir::Cache::archives="$scratch/archives" --no-install-recommends install "$@" | cut -d ' ' -f 2 | cut -d _ -f 1
}

# set_up PACKAGE...: makes the database of a system that has these packages only.
set_up () {
  local names
  names=$(list_all "$@")
  # shellcheck disable=SC2086
  apt-cache show --no-all-versions $names | sed 's/^Package: .*/&\nStatus: install ok installed/' > "$scratch/status"
}

if ! apt-cache show libgstreamer1.0-dev > /dev/null 2>&1; then
  echo "Skipped: apt has no lists of packages"
  exit 77
fi
set_up "${packages_to_run[@]}" "${packages_to_package[@]}"
dpkg-checkbuilddeps --admindir="$scratch" "$root/pipelines/debian/control" || {
  echo "FAILED: pipelines/package.sh does not install this"
  exit 1
}
# The test can fail.
sed -i '/^Package: build-essential$/,/^$/d' "$scratch/status"
if dpkg-checkbuilddeps --admindir="$scratch" "$root/pipelines/debian/control" 2> /dev/null; then
  echo "FAILED: a system without build-essential is enough"
  exit 1
fi
echo "package-lists: all passed"
