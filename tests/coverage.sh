# Which lines and branches of plugin/ the tests execute: tests/run.sh --coverage sources this file. Fails
# below 95 % of the lines. The report of all files is build-tests-coverage/coverage.txt, that of each line
# build-tests-coverage/coverage.html. With nvcc, the tests on the mock driver count too.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2154

# summarize BUILD: prints the totals.
summarize () {
  gcovr --root "$root" --filter "$root/plugin/" --exclude-unreachable-branches \
    --html-details "$1/coverage.html" --txt "$1/coverage.txt" --print-summary --fail-under-line 95 "$1"
}

# Branches are counted as they are written: the compiler's copies of inline functions and of loops would
# count again in every place, and some conditions would not count at all.
as_written='-fno-early-inlining -fno-ssa-phiopt -fno-thread-jumps -fno-tree-switch-conversion'

kernels=disabled
! command -v nvcc > /dev/null || kernels=enabled
if check 'build-tests-coverage: builds' build build-tests-coverage -Dkernels=$kernels \
    -Db_coverage=true -Dwerror=false "-Dc_args=$as_written"; then
  find build-tests-coverage -name '*.gcda' -delete
  meson_tests build-tests-coverage \
    '^(docs-|snippets |links$|formats-measures-cpu$|model-|structure|peers-|kernel-resources$|installed-library$)'
  if check 'plugin/: at least 95 % of the lines are executed' summarize build-tests-coverage; then
    cat "$scratch/log"
  fi
fi
