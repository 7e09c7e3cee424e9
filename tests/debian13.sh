#!/bin/bash
# Builds and tests in Debian 13, with GStreamer 1.26 and gcc 14, on any Debian.
#
#   tests/debian13.sh [DIRECTORY [MESON_OPTION...]]
#
# Makes a chroot in DIRECTORY (default: build-debian13), copies this tree into it, builds (with
# the CUDA kernels if nvcc is on PATH) and runs the tests. Prints the log of each test that fails;
# the last line is `N passed, N failed`. Uses the chroot and the build of the last run again; the
# build is DIRECTORY/tree/cudahisto/build. Needs root for chroot and mounts.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=pipelines/packages.sh
. "$root/pipelines/packages.sh"
# shellcheck source=tests/chroot.sh
. "$root/tests/chroot.sh"

[ "$(id -u)" = 0 ] || die "chroot and mount need root"

directory=${1:-$root/build-debian13}
options=("${@:2}")
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
tree=$directory/tree

# ---- Making the chroot -----------------------------------------------------------------

# The packages of the tests, without those that only tests/run.sh needs.
install_packages () {
  local package packages=("${packages_to_run[@]}" "${packages_for_cuda[@]}")
  for package in "${packages_to_test[@]}"; do
    case $package in clang | libclang-rt-dev | shellcheck) ;; *) packages+=("$package") ;; esac
  done
  echo "Installing missing packages there"
  # shellcheck disable=SC2016
  in_chroot bash -c '. /cudahisto/source/pipelines/packages.sh; install_missing "$@"' - \
    "${packages[@]}" || die "the packages cannot be installed"
}

# ---- Building and testing ----------------------------------------------------------------

build () {
  local how=()
  [ ! -f "$tree/cudahisto/build/build.ninja" ] || how=(--reconfigure)
  in_chroot meson setup "${how[@]}" -Dwerror=true -Dkernels="$kernels" "${options[@]}" \
    /cudahisto/build /cudahisto/source
  in_chroot ninja -C /cudahisto/build
}

# Prints how many tests have one of these results, from Meson's summary.
count () {
  awk -v names="^($1): " '$0 ~ names { n += $NF } END { print n + 0 }' "$directory/test.log"
}

# The exit status is ignored: the summary has the counts.
run_tests () {
  local clip
  # shellcheck disable=SC2016
  clip=$(in_chroot bash -c '. /cudahisto/source/pipelines/packages.sh
    find_clip /cudahisto/clip') || clip=
  # As in run.sh, the machine may be busy, and not every call of the driver is made to fail.
  in_chroot env CUDAHISTO_TEST_CLIP="$clip" CK_TIMEOUT_MULTIPLIER=6 \
    CUDAHISTO_TEST_STEP=10 meson test -C /cudahisto/build --no-rebuild --timeout-multiplier 6 --print-errorlogs 2>&1 \
    | tee "$directory/test.log" || true
}

toolkit='' kernels=disabled
if command -v nvcc > /dev/null; then
  # nvcc on PATH may be a link or a script; it prints the folder of its toolkit.
  toolkit=$(nvcc --dryrun -x cu /dev/null 2>&1 | sed -n 's/^#\$ _HERE_=//p')
  toolkit=$(cd "$toolkit/.." && pwd -P)
  chroot_path+=:$toolkit/bin
  kernels=enabled
fi

[ -f "$tree/.complete" ] || make_chroot trixie
mount_system
if [ -n "$toolkit" ]; then
  mount_in "$toolkit" --bind -o ro "$toolkit"
fi
copy_source
install_packages

in_chroot gcc --version | sed -n 1p
in_chroot pkg-config --modversion gstreamer-1.0 | sed 's/^/GStreamer /'
build || die "the build failed"
run_tests
passed=$(count 'Ok|Expected Fail') failed=$(count 'Fail|Unexpected Pass|Timeout')
skipped=$(count 'Skipped')
[ $((passed + failed)) -gt 0 ] || die "no test was run"
echo "$passed passed, $failed failed$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ]
