# Functions for a small Debian in a folder. A script sources this file, and sets `tree`, the folder,
# and `root`, the folder of the source.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2154

chroot_path=/usr/sbin:/usr/bin:/sbin:/bin
mounted=()

die () {
  echo "$0: $*" >&2
  exit 1
}

# ---- Mounts ----------------------------------------------------------------------------

unmount_all () {
  local i
  for ((i = ${#mounted[@]} - 1; i >= 0; i--)); do
    # A process of a test may still use it.
    umount "${mounted[i]}" || umount --lazy "${mounted[i]}" || true
  done
  mounted=()
}
trap unmount_all EXIT
trap 'exit 130' INT TERM HUP

# mount_in PLACE OPTION... SOURCE: below the tree.
mount_in () {
  local place=$tree$1
  shift
  mkdir -p "$place"
  mountpoint -q "$place" && die "$place is mounted already: is another run at work?"
  mount "$@" "$place"
  mounted+=("$place")
}

# What programs expect of any system.
mount_system () {
  mount_in /proc -t proc proc
  mount_in /dev/shm -t tmpfs tmpfs
  # Terminals of the chroot's own.
  mount_in /dev/pts -t devpts -o newinstance,ptmxmode=0666 devpts
}

# in_chroot COMMAND...: as root, in a clean environment.
in_chroot () {
  chroot "$tree" /usr/bin/env -i HOME=/root TERM=dumb LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} \
    PATH="$chroot_path" "$@" < /dev/null
}

# copy_source: this tree, without its builds, to /cudahisto/source in the chroot. Keeps the times of the files, so that a
# second build is short.
copy_source () {
  rm -rf "$tree/cudahisto/source"
  mkdir -p "$tree/cudahisto/source"
  tar -C "$root" -c --exclude='./build*' --exclude=./.git . | tar -C "$tree/cudahisto/source" -x
}

# ---- Making the chroot -----------------------------------------------------------------

# Prints the mirror from which this machine has its own Debian.
find_mirror () {
  local codename
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  {
    sed -n -E 's/^deb +(\[[^]]*\] +)?([^ ]+) +([^ ]+) .*/\2 \3/p' \
      /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2> /dev/null || true
    # For each stanza: its first URI and all of its suites.
    cat /etc/apt/sources.list.d/*.sources 2> /dev/null \
      | awk 'function out () { if (uri != "") print uri, suites; uri = suites = "" }
             /^[ \t]*$/ { out () }
             tolower ($1) == "uris:" { uri = $2 }
             tolower ($1) == "suites:" { $1 = ""; suites = $0 }
             END { out () }' || true
  } | awk -v suite="$codename" '{ for (i = 2; i <= NF; i++) if ($i == suite && !found++) print $1 }'
}

# make_chroot SUITE: in $tree, from the mirror of this machine.
make_chroot () {
  local suite=$1 mirror
  command -v debootstrap > /dev/null || install_missing "${packages_to_test_packages[@]}"
  mirror=$(find_mirror)
  [ -n "$mirror" ] || die "found no mirror of this Debian in /etc/apt/sources.list*"
  # Remove what an interrupted run has left.
  rm -rf --one-file-system "$tree"
  echo "Making a Debian ($suite) in $tree"
  quietly debootstrap --variant=minbase "$suite" "$tree" "$mirror" \
    || die "debootstrap failed; its log is $tree/debootstrap/debootstrap.log"
  # Packages must not start services.
  printf '#!/bin/sh\nexit 101\n' > "$tree/usr/sbin/policy-rc.d"
  chmod +x "$tree/usr/sbin/policy-rc.d"
  cp -L /etc/resolv.conf "$tree/etc/resolv.conf"
  touch "$tree/.complete"
}

if [ -z "${http_proxy:-}" ] && command -v apt-config > /dev/null; then
  eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
fi
export http_proxy=${http_proxy:-}
