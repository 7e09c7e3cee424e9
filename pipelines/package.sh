#!/bin/bash
# Builds Debian packages of this tree:
#
#   pipelines/package.sh [OPTION...] [DIRECTORY]
#
# Writes them to DIRECTORY (default: build-packages), removes older ones of the same names there, and
# prints their paths. Packages that were built on one release of Debian can be installed there and
# on later ones. Installs missing packages that it needs. The packages' maintainer is who DEBFULLNAME and
# DEBEMAIL name, as for Debian's tools; without them an address that cannot exist, as the project has none.
# The options are:
#
#   --kernels=auto|enabled|disabled  whether the plugin has CUDA kernels; auto: if nvcc is on PATH
#   --gpu-architectures=LIST         Meson's option gpu-architectures; default: that of the project
#   --help                           print this
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=pipelines/packages.sh
. "$root/pipelines/packages.sh"

die () {
  echo "$0: $*" >&2
  exit 1
}

usage () {
  sed -n '2,/^# SPDX/ { /SPDX/d; s/^# \{0,1\}//; p }' "$0"
}

kernels=auto architectures=default directory=
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit 0 ;;
    --kernels=auto | --kernels=enabled | --kernels=disabled) kernels=${1#*=} ;;
    --gpu-architectures=?*) architectures=${1#*=} ;;
    -*) die "unknown option $1; --help lists the options" ;;
    *) [ -z "$directory" ] || die "more than one directory"; directory=$1 ;;
  esac
  shift
done
directory=${directory:-$root/build-packages}
mkdir -p -- "$directory"
directory=$(cd -- "$directory" && pwd)

packages=("${packages_to_run[@]}" "${packages_to_package[@]}")
if [ "$kernels" != disabled ] && command -v nvcc > /dev/null; then
  packages+=("${packages_for_cuda[@]}")
fi
install_missing "${packages[@]}"

version=$(< "$root/pipelines/python/cudahisto/VERSION")
[ "$(dpkg-parsechangelog -l "$root/pipelines/debian/changelog" -S Version)" = "$version" ] \
  || die "pipelines/debian/changelog does not begin with the version of pipelines/python/cudahisto/VERSION, $version"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
source=$scratch/cudahisto-$version
mkdir "$source"
tar -C "$root" -c --exclude='./build*' --exclude=./.git --exclude=__pycache__ . | tar -C "$source" -x
mv "$source/pipelines/debian" "$source/debian"
if [ -n "${DEBEMAIL:-}" ]; then
  case $DEBEMAIL in
    *'<'*'>') maintainer=$DEBEMAIL ;;
    *) maintainer="${DEBFULLNAME:-The cudahisto authors} <$DEBEMAIL>" ;;
  esac
  [[ $maintainer =~ ^[^\<\>]+\ \<[^\<\>[:space:]]+@[^\<\>[:space:]]+\>$ ]] \
    || die "DEBFULLNAME and DEBEMAIL must be a name and an address, and are \"$maintainer\""
  # In the changelog, of the latest entry.
  for file in control changelog; do
    MAINTAINER=$maintainer awk '
      !done && sub (/^Maintainer: .*/, "Maintainer: ") { $0 = $0 ENVIRON["MAINTAINER"]; done = 1 }
      !done && match ($0, /^ -- .*>/) { $0 = " -- " ENVIRON["MAINTAINER"] substr ($0, RLENGTH + 1); done = 1 }
      { print }' "$root/pipelines/debian/$file" > "$source/debian/$file"
  done
fi

echo "Building packages (with nvcc this takes some minutes)" >&2
# Debian's own Python and Meson before others; nvcc from PATH.
(
  cd "$source"
  export PATH="/usr/sbin:/usr/bin:/sbin:/bin:$PATH" KERNELS=$kernels ARCHITECTURES=$architectures
  with_progress "Building packages" dpkg-buildpackage --build=binary --no-sign
) || die "the packages cannot be built"

# First all new ones, so that the old ones stay if there is no room.
new=$(mktemp -d -p "$directory")
trap 'rm -rf "$scratch" "$new"' EXIT
mv -- "$scratch"/*.deb "$new"
for package in "$new"/*.deb; do
  name=${package##*/}
  rm -f -- "$directory/${name%%_*}"_*.deb
  mv -- "$package" "$directory"
  printf '%s\n' "$directory/$name"
done
