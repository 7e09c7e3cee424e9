#!/bin/bash
# Builds the Debian packages and tries them on clean systems: this release of Debian, and later
# ones. The scripts that build from source are tried there, too.
#
#   tests/packages.sh [--only-build] [DIRECTORY [OPTION_OF_PACKAGE_SH...]]
#
# With --only-build, it builds them here and runs lintian, and does not try them. lintian must find no
# error and no warning. In a clean chroot for each release, which has no GPU, no CUDA and no -dev
# package, the packages must install, and what they bring must work without GST_PLUGIN_PATH, for a
# user who is not root. pipelines/package.sh and pipelines/quickstart.sh must work in a clean chroot of their own: this
# machine has packages that they may forget. Keeps the clean chroots in DIRECTORY (default: build-debian-packages)
# for the next run. Needs root for chroot and mounts; exits with 77 without it.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=pipelines/packages.sh
. "$root/pipelines/packages.sh"
# shellcheck source=tests/chroot.sh
. "$root/tests/chroot.sh"

# In the order in which they were published.
releases=(bookworm trixie)

only_build=''
if [ "${1:-}" = --only-build ]; then
  only_build=1
  shift
fi
if [ -z "$only_build" ] && [ "$(id -u)" != 0 ]; then
  echo "skipped: chroot and mount need root"
  exit 77
fi
directory=${1:-$root/build-debian-packages}
options=("${@:2}")
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
tree=$directory/tree
clip=$directory/clip.avi

# ---- Building ----------------------------------------------------------------------------

build_packages () {
  "$root/pipelines/package.sh" "${options[@]}" "$directory/packages"
  install_missing "${packages_to_test_packages[@]}"
  echo "lintian:"
  lintian --allow-root --display-info --tag-display-limit 0 --fail-on error,warning \
    "$directory"/packages/*.deb || die "lintian found something"
  echo "  no error and no warning"
}

# A film with sound, from elements of GStreamer's base and good plugins.
make_clip () {
  local film
  if film=$(find_clip "$directory/clip"); then
    cp "$film" "$clip"
  else
    quietly gst-launch-1.0 -e avimux name=mux ! filesink location="$clip" \
      videotestsrc num-buffers=100 ! video/x-raw,framerate=25/1 ! jpegenc ! mux. \
      audiotestsrc num-buffers=172 ! audio/x-raw,rate=44100 ! audioconvert ! mux.
  fi
}

# ---- In a clean system ---------------------------------------------------------------------

# as_user COMMAND...: in the chroot, as a user without rights.
as_user () {
  in_chroot setpriv --reuid=nobody --regid=nogroup --clear-groups \
    env HOME=/tmp/home "$@"
}

# try NAME PATTERN COMMAND...: the output of the command must have a line that matches.
try () {
  local name=$1 pattern=$2 output status=0
  shift 2
  output=$(as_user "$@" 2>&1) || status=$?
  if [ $status != 0 ] || ! grep -q -E -- "$pattern" <<< "$output"; then
    printf '%s\n' "$output" | tail -n 40
    die "$release: $name: exit status $status, or no line with $pattern"
  fi
  echo "  $name: $(grep -m 1 -E -- "$pattern" <<< "$output" | cut -c 1-90)"
}

has_package () {
  compgen -G "$directory/packages/${1}_*.deb" > /dev/null
}

# install_packages NAME...: of ours, with what they depend on and recommend, or of Debian.
install_packages () {
  local name files=()
  for name; do
    if has_package "$name"; then
      files+=(/packages/"$(basename "$directory"/packages/"$name"_*.deb)")
    else
      files+=("$name")
    fi
  done
  quietly in_chroot apt-get install -q -y "${files[@]}" \
    || die "$release: $* cannot be installed"
}

# copy_clean: a new copy of the clean chroot
copy_clean () {
  local clean=$directory/$release
  if [ ! -f "$clean/.complete" ]; then
    tree=$clean make_chroot "$release"
  fi
  rm -rf --one-file-system "$tree"
  cp -a "$clean" "$tree"
  cp "$clip" "$tree/"
  cp -L /etc/resolv.conf "$tree/etc/resolv.conf"
  mount_system
}

remove_copy () {
  unmount_all
  rm -rf --one-file-system "$tree"
}

# try_script PATTERN COMMAND...: as root, in the source's folder of a clean system
try_script () {
  local pattern=$1 output status=0
  shift
  copy_clean
  copy_source
  output=$(in_chroot env -C /cudahisto/source "$@" 2>&1) || status=$?
  if [ $status != 0 ] || ! grep -q -E -- "$pattern" <<< "$output"; then
    printf '%s\n' "$output" | tail -n 40
    die "$release: $1: exit status $status, or no line with $pattern"
  fi
  echo "  $1: $(grep -m 1 -E -- "$pattern" <<< "$output" | cut -c 1-90)"
  remove_copy
}

# The packages of all lists exist, and can be installed together.
try_lists () {
  copy_clean
  copy_source
  quietly in_chroot apt-get update -q
  # shellcheck disable=SC2016
  quietly in_chroot bash -c '. /cudahisto/source/pipelines/packages.sh
    apt-get install -s --no-install-recommends "${packages_to_run[@]}" "${packages_for_cuda[@]}" "${packages_to_test[@]}" \
      "${packages_to_package[@]}" "${packages_to_test_packages[@]}"' || die "$release: a package cannot be installed"
  echo "  pipelines/packages.sh: all packages can be installed"
  remove_copy
}

prepare () {
  copy_clean
  cp -r "$directory/packages" "$tree/"
  install -d -o nobody "$tree/tmp/home"
  quietly in_chroot apt-get update -q
}

try_plugin () {
  install_packages gstreamer1.0-cudahisto gstreamer1.0-tools
  try 'gst-inspect-1.0' 'Filter/Analyzer' gst-inspect-1.0 cudahisto
  try 'a pipeline' 'mean\\=\\\(double\\\)121.0298' gst-launch-1.0 -m videotestsrc num-buffers=1 \
    ! video/x-raw,format=GRAY8 ! cudahisto post-messages=true ! fakesink
  # shellcheck disable=SC2016
  if in_chroot dpkg-query -W -f '${Package} ${db:Status-Status}\n' \
      | grep -E -- '(-dev|cuda-.*) installed$'; then
    die "$release: the package installs these"
  fi
}

try_overlay () {
  compgen -G "$tree/usr/lib/*/gstreamer-1.0/libgstcudahistooverlay.so" > /dev/null || return 0
  try 'the overlay' 'Setting pipeline to NULL' gst-launch-1.0 videotestsrc num-buffers=5 ! cudahisto \
    ! cudahistooverlay ! videoconvert ! fakesink
}

try_tools () {
  has_package cudahisto-tools || return 0
  install_packages cudahisto-tools bash-completion
  try 'a report' 'frames/s' cudahisto-report /clip.avi
  if grep -q -e --html <<< "$(as_user cudahisto-report --help)"; then
    try 'a report in HTML' '^[1-9]' sh -c 'cudahisto-report --html /tmp/home/r.html /clip.avi > /dev/null
      grep -c cudahisto /tmp/home/r.html'
  fi
  [ -s "$tree/usr/share/man/man1/cudahisto-report.1.gz" ] || die "$release: no man page"
  # shellcheck disable=SC2016
  try 'completion' '^--json$' bash -c '. /usr/share/bash-completion/bash_completion
    _completion_loader cudahisto-report
    COMP_WORDS=(cudahisto-report --js) COMP_CWORD=1 COMP_LINE="cudahisto-report --js" COMP_POINT=21
    $(complete -p cudahisto-report | sed "s/.*-F \([^ ]*\).*/\1/") cudahisto-report --js cudahisto-report
    printf "%s\n" "${COMPREPLY[@]}"'
}

try_python () {
  has_package python3-cudahisto || return 0
  install_packages python3-cudahisto
  try 'Python' '^video [0-9]' python3 -c 'if True:
    import cudahisto
    for frame in cudahisto.measure("/clip.avi"):
        print(frame["media"], sum(frame[frame["components"][0]]["histogram"]))'
}

try_library () {
  has_package libcudahisto-dev || return 0
  install_packages libcudahisto-1.0-0 gir1.2-cudahisto-1.0 python3-gi
  try 'the library in Python' 'line 1, column 6' python3 -c 'if True:
    import gi
    gi.require_version("Cudahisto", "1.0")
    from gi.repository import Cudahisto, GLib
    try:
        Cudahisto.Rules.new("a: Y.meen < 3", Cudahisto.RulesKind.POLICY)
    except GLib.Error as error:
        print(error)'
  install_packages libcudahisto-dev gcc libc6-dev pkgconf
  cat > "$tree/tmp/home/rules.c" << 'END'
#include <cudahisto.h>

int
main (void)
{
  GError *error = NULL;

  if (cudahisto_rules_new ("a: Y.meen < 3", CUDAHISTO_RULES_KIND_POLICY, &error) == NULL)
    g_print ("%s\n", error->message);
  return 0;
}
END
  # shellcheck disable=SC2016
  try 'the shared library' 'line 1, column 6' sh -c 'cd /tmp/home
    gcc -o rules rules.c $(pkg-config --cflags --libs cudahisto-1.0) && ./rules'
  cat > "$tree/tmp/home/read.c" << 'END'
#include <cudahisto/cudahisto.h>

int
main (void)
{
  GstStructure *structure = gst_structure_new_empty ("cudahisto");
  HistoResult result = { 0 };
  GError *error = NULL;

  if (!histo_read_result (structure, &result, &error))
    g_print ("%s\n", error->message);
  return 0;
}
END
  # shellcheck disable=SC2016
  try 'the static library' 'Not a result' sh -c 'cd /tmp/home
    gcc -o read read.c $(pkg-config --cflags --libs cudahisto-1.0) && ./read'
}

try_release () {
  echo "$release:"
  try_lists
  try_script '/gstreamer1.0-cudahisto_.*deb$' pipelines/package.sh --kernels=disabled /tmp/packages
  try_script 'frames/s' pipelines/quickstart.sh /clip.avi
  prepare
  try_plugin
  try_overlay
  try_tools
  try_python
  try_library
  remove_copy
}

build_packages
[ -z "$only_build" ] || exit 0
make_clip
own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
is_later='' n=0
for release in "${releases[@]}"; do
  [ "$release" != "$own" ] || is_later=1
  [ -n "$is_later" ] || continue
  try_release
  n=$((n + 1))
done
[ $n -gt 0 ] || die "this is $own, which is none of ${releases[*]}"
echo "$n releases: all packages install and work, and can be built"
