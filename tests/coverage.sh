# Which lines and branches of plugin/ the tests execute: tests/run.sh --coverage sources this file. Fails
# below 95 % of the lines or of the branches. The report of all files is
# build-tests-coverage/coverage.txt, that of each line build-tests-coverage/coverage.html. With nvcc, the
# tests on the mock driver count too.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2154

# Branches are counted as they are written:
# - Without early inlining and the next three optimizations the compiler neither copies branches nor
#   takes them away.
# - Functions that must be compiled into each caller are compiled once.
# - Without __OPTIMIZE__, g_new() is a call; otherwise g_new() expands to three branches, and only one of them can be
#   executed.
as_written='-fno-early-inlining -fno-ssa-phiopt -fno-thread-jumps -fno-tree-switch-conversion'
as_written+=' -Dalways_inline=noinline -U__OPTIMIZE__ -Wno-attributes -Wno-cpp'

# Lines with these macros are left out: the macros have branches, and the lines have no condition of the plugin.
macros='.*\b(G_DEFINE_TYPE|g_once_init_enter|GST_DEBUG_CATEGORY_INIT|GST_ELEMENT_(ERROR|WARNING|FLOW_ERROR)) \(.*'

# These run again with the log on, so that both sides of each check of the log's level are executed.
logged='^(overlay-(audio|element)|(errors|flow-returns|flushes|message-handlers|pushing-thread|qos|windows)-(cpu|mock)'
logged+='|backend-choice|gathering|page-locking-mock|page-lock-limit)$'

# build_as_written BUILD OPTION...: meson 1.0 does not take new compiler arguments when it configures again.
build_as_written () {
  configure "$@" && meson configure "$1" "-Dc_args=$as_written" && ninja -C "$1"
}

# summarize BUILD: prints the totals.
summarize () {
  gcovr --root "$root" --filter "$root/plugin/" --exclude-unreachable-branches \
    --exclude-branches-by-pattern "$macros" \
    --html-details "$1/coverage.html" --txt "$1/coverage.txt" --print-summary \
    --fail-under-line 95 --fail-under-branch 95 "$1"
}

if check 'build-tests-coverage: builds' build_as_written build-tests-coverage "${mock_options[@]}" \
    -Db_coverage=true -Dwerror=false; then
  find build-tests-coverage -name '*.gcda' -delete
  meson_tests build-tests-coverage \
    '^(docs-|snippets |links$|model-|structure|peers-|kernel-resources$|installed-library$)'
  mapfile -t names < <(list_tests build-tests-coverage | grep -E "$logged")
  GST_DEBUG='cudahisto*:9' GST_DEBUG_FILE=/dev/null run_tests build-tests-coverage "${names[@]}"
  if check 'plugin/: at least 95 % of the lines and of the branches are executed' \
      summarize build-tests-coverage; then
    cat "$scratch/log"
  fi
fi
