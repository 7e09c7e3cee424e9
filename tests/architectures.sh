#!/bin/bash
# Builds for a processor of another kind, with the CPU engine only, and runs some of the tests under qemu.
#
#   tests/architectures.sh s390x|arm64 [DIRECTORY [TEST...]]
#
# Unpacks this release of Debian for that processor into DIRECTORY (default: build-ARCHITECTURE), compiles on this processor,
# and runs the tests that are named (default: the list below), which are 20 to 50 times slower than on this processor. The last
# line is `N passed, N failed`. Needs root for binfmt_misc, by which the kernel starts programs of the other processor.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=pipelines/packages.sh
. "$root/pipelines/packages.sh"
# shellcheck source=tests/chroot.sh
. "$root/tests/chroot.sh"

[ "$(id -u)" = 0 ] || die "binfmt_misc needs root"

case ${1:-} in
  s390x) tuple=s390x-linux-gnu family=s390x endian=big qemu=s390x ;;
  arm64) tuple=aarch64-linux-gnu family=aarch64 endian=little qemu=aarch64 ;;
  *) die "usage: tests/architectures.sh s390x|arm64 [DIRECTORY [TEST...]]" ;;
esac
architecture=$1
directory=${2:-$root/build-$architecture}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
system=$directory/system build=$directory/build
# These show most of what depends on the processor: the order of bytes, the loops without AVX2, floating point.
tests=("${@:3}")
[ ${#tests[@]} -gt 0 ] || tests=(format-table bins result statistics compare counting formats-audio-cpu formats-video-cpu
  formats-hostile-metas-cpu library-functions library-results report-structure report-columns reference)

# ---- The other Debian ------------------------------------------------------------------

# The libraries, and GStreamer's plugins: no programs of the build, which are those of this processor.
make_system () {
  local package packages=() link target
  [ ! -f "$directory/.complete" ] || return 0
  for package in "${packages_to_run[@]}"; do
    case $package in lib*-dev | gstreamer1.0-* | fonts-*) packages+=("$package") ;; esac
  done
  rm -rf --one-file-system "$system"
  echo "Unpacking Debian for $architecture into $system"
  # `extract` runs no program of the packages.
  quietly mmdebstrap --variant=extract --architectures="$architecture" --include="${packages[*]}" \
    "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$system" "$(find_mirror)" || die "mmdebstrap failed"
  # Links to /lib would lead to this system.
  while read -r link; do
    target=$(readlink "$link")
    [ ! -e "$system$target" ] || ln -sfnr "$system$target" "$link"
  done < <(find "$system/usr/lib" -xtype l -lname '/*')
  touch "$directory/.complete"
}

# Tests start programs, which start others.
start_programs () {
  mountpoint -q /proc/sys/fs/binfmt_misc || mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
  [ -e "/proc/sys/fs/binfmt_misc/qemu-$qemu" ] \
    || cat "/usr/lib/binfmt.d/qemu-$qemu.conf" > /proc/sys/fs/binfmt_misc/register
}

# ---- Building and testing ----------------------------------------------------------------

write_cross_file () {
  cat > "$directory/cross.ini" << END
[binaries]
c = '$tuple-gcc'
ar = '$tuple-gcc-ar'
strip = '$tuple-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['qemu-$qemu-static', '-L', '$system']
[built-in options]
c_args = ['--sysroot=$system']
c_link_args = ['--sysroot=$system']
[properties]
sys_root = '$system'
pkg_config_libdir = '$system/usr/lib/$tuple/pkgconfig:$system/usr/share/pkgconfig'
[host_machine]
system = 'linux'
cpu_family = '$family'
cpu = '$family'
endian = '$endian'
END
}

install_missing meson ninja-build pkgconf mmdebstrap qemu-user-static "gcc-$tuple" libjs-dygraphs libglib2.0-dev-bin python3
make_system
start_programs
write_cross_file
[ -f "$build/build.ninja" ] \
  || env -u CC -u CXX meson setup --cross-file "$directory/cross.ini" -Dwerror=true -Dkernels=disabled "$build" "$root"
ninja -C "$build" all-but-tests
# Builds these tests. One of ten formats, where a test has this choice.
env QEMU_LD_PREFIX="$system" GST_PLUGIN_SCANNER="$system/usr/lib/$tuple/gstreamer1.0/gstreamer-1.0/gst-plugin-scanner" \
  CUDAHISTO_TEST_STEP=10 CK_TIMEOUT_MULTIPLIER=30 \
  meson test -C "$build" --timeout-multiplier 60 --print-errorlogs "${tests[@]}" 2>&1 \
  | tee "$directory/test.log" || true
# From Meson's summary.
count () {
  awk -v names="^($1): " '$0 ~ names { n += $NF } END { print n + 0 }' "$directory/test.log"
}
passed=$(count 'Ok') failed=$(count 'Fail|Timeout')
[ $((passed + failed)) -gt 0 ] || die "no test was run"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
