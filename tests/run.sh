#!/bin/bash
# Runs the tests that need no GPU and not much time. If there is nvcc, it also builds the kernels, and runs them
# on the CPU.
#
#   tests/run.sh [--long [PART...] | --coverage | --help]
#
# Installs missing packages, builds in build-tests*/, and prints the log of each test that fails.
# The last line is `N passed, N failed[, N skipped]`.
#
#   --long      runs the long parts instead (hours): all parts, or those that are named; tests/long.sh has the list
#   --coverage  instead counts which lines and branches of plugin/ the tests execute: tests/coverage.sh
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# The comment above.
usage () {
  sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//;p}' tests/run.sh
}

part=normal
long_parts=(sanitizers valgrind threads kernels model fuzz integrity clean facts outputs split soak)
case ${1:-} in
  '') ;;
  --long)
    part=long
    for name in "${@:2}"; do
      grep -qxF -e "$name" <<< "$(printf '%s\n' "${long_parts[@]}")" || { usage >&2; exit 2; }
    done
    [ $# = 1 ] || long_parts=("${@:2}")
    ;;
  --coverage) part=coverage ;;
  --help) usage; exit ;;
  *) usage >&2; exit 2 ;;
esac
[ $# -le 1 ] || [ $part = long ] || { usage >&2; exit 2; }

# shellcheck source=pipelines/packages.sh
. pipelines/packages.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0 skipped=0

# ---- Counting --------------------------------------------------------------------------

# count RESULT NAME SECONDS [LOG]
count () {
  case $1 in
    ok) passed=$((passed + 1)) ;;
    skip) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) ;;
  esac
  printf '%-4s %s (%s s)\n' "$1" "$2" "$3"
  if [ "$1" != ok ] && [ -s "${4:-}" ]; then
    show_log "$4"
  fi
}

# show_log LOG: what Check found comes first, because a reader may keep only the first lines.
show_log () {
  { grep -E '^[^ :]+:[0-9]+:[FE]:' "$1" || true; tail -n 60 "$1"; } | sed 's/^/    /'
}

# check NAME COMMAND...: a test that passes if the exit status is 0, and is skipped if it is 77.
check () {
  local name=$1 begin=$SECONDS status=0 result=FAIL
  shift
  "$@" > "$scratch/log" 2>&1 < /dev/null || status=$?
  case $status in 0) result=ok ;; 77) result=skip ;; esac
  count $result "$name" $((SECONDS - begin)) "$scratch/log"
  [ $result != FAIL ]
}

# begin_check NAME COMMAND...: the same beside what follows, with what that leaves of the processors. finish_check waits for
# one of these and counts it, finish_checks for all others; the array ends has their results by their names.
begun=() pids=()
declare -A ends=()
begin_check () {
  local log=$scratch/begun-${#begun[@]}
  begun+=("$1")
  shift
  {
    local begin=$SECONDS status=0
    renice -n 19 "$BASHPID" > /dev/null || true
    "$@" > "$log" 2>&1 < /dev/null || status=$?
    echo "$status $((SECONDS - begin))" > "$log.status"
  } &
  pids+=($!)
}

# finish_check NAME
finish_check () {
  local i status=1 seconds=0 result=FAIL
  for i in "${!begun[@]}"; do
    [ "${begun[i]}" != "$1" ] || break
  done
  wait "${pids[i]}" || true
  read -r status seconds < "$scratch/begun-$i.status" || true
  case $status in 0) result=ok ;; 77) result=skip ;; esac
  count $result "$1" "$seconds" "$scratch/begun-$i"
  ends[$1]=$result
}

finish_checks () {
  local name
  for name in "${begun[@]}"; do
    [ -n "${ends[$name]:-}" ] || finish_check "$name"
  done
}

# Prints RESULT, SECONDS, LOG and NAME of each test in meson's log, and writes the files LOG.
read_meson_log () {
  "$python" - "$1" "$scratch" << 'END'
import json, sys, tempfile
known = {"OK": "ok", "EXPECTEDFAIL": "ok", "SKIP": "skip"}
for line in open(sys.argv[1], encoding="utf-8", errors="replace"):
    test = json.loads(line)
    with tempfile.NamedTemporaryFile("w", dir=sys.argv[2], suffix=".log", delete=False, encoding="utf-8", errors="replace") as file:
        file.write(test["result"] + "\n" + (test.get("stdout") or "") + (test.get("stderr") or ""))
    print(known.get(test["result"], "FAIL"), round(test["duration"]), file.name, test["name"])
END
}

# Factor for the time limits of tests: most have 5 s, which is too short on a busy machine.
patience=6

# The tests of programs, pages and the CPU engine, which are the same with CUDA kernels and without.
tests_of_both='^(report-|example-|docs-|python-|overlay-|peers-|decode-|snippets|quickstart$|monitor$|package$|package-lists$|shell$|links$'
tests_of_both+='|commit-ids|messages$|measures$|figures$|reference|formats-|model-|cpu-groups$|level$|loudness$|soak-|validate$)'

# list_tests BUILD [PATTERN]: prints the names of a build's tests but those that match.
list_tests () {
  "$python" - "$1/meson-info/intro-tests.json" "${2:-^$}" << 'END'
import json, re, sys
for test in json.load(open(sys.argv[1], encoding="utf-8")):
    if not re.search(sys.argv[2], test["name"]):
        print(test["name"])
END
}

# meson_tests BUILD [PATTERN]: runs the tests of a build, but those whose names match, and counts
# each one.
meson_tests () {
  local names
  mapfile -t names < <(list_tests "$@")
  run_tests "$1" "${names[@]}"
}

# play_tests BUILD PROCESSES NAME...: runs these tests, so many at a time. Prints RESULT, SECONDS, LOG and NAME of each one.
# The array meson_options has more options.
meson_options=()
play_tests () {
  local build=$1 log
  rm -f "$build"/meson-logs/testlog*.json
  # The exit status is ignored: the log has the result of each test.
  CK_TIMEOUT_MULTIPLIER=$patience meson test -C "$build" --no-rebuild --num-processes "$2" \
    --timeout-multiplier "$patience" "${meson_options[@]}" "${@:3}" > "$scratch/meson.log" 2>&1 < /dev/null || true
  # With a wrapper, its name is part of the log's.
  for log in "$build"/meson-logs/testlog*.json; do
    [ ! -f "$log" ] || read_meson_log "$log"
  done
}

# run_tests BUILD NAME...: the same for these tests. In the normal part up to three that fail are run once more, alone: on a
# busy machine a test may fail by chance. What the first try found is printed, because it is still a fault of the test or of
# what it tests.
most_again=3 again=()
run_tests () {
  local build=$1 result seconds log name names=("${@:2}") fails=() n=0
  # Without names Meson would run all tests.
  if [ ${#names[@]} = 0 ]; then
    count FAIL "$build: no tests were chosen" 0
    return
  fi
  # Some tests wait, so there is one more than there are processors.
  play_tests "$build" $(($(nproc) + 1)) "${names[@]}" > "$scratch/results"
  mapfile -t fails < <(sed -n 's/^FAIL [0-9]* [^ ]* //p' "$scratch/results")
  if [ $part = normal ] && [ ${#fails[@]} -gt 0 ] && [ $((${#again[@]} + ${#fails[@]})) -le $most_again ]; then
    while read -r result seconds log name; do
      if [ "$result" = FAIL ]; then
        echo "Failed once, and is run again: $build: $name ($seconds s)"
        show_log "$log"
        again+=("$build: $name")
      fi
    done < "$scratch/results"
    sed -i '/^FAIL /d' "$scratch/results"
    # A suite is part of a test's name, but not of the name by which it is chosen.
    play_tests "$build" 1 "${fails[@]##* / }" >> "$scratch/results"
  fi
  while read -r result seconds log name; do
    count "$result" "$build: $name" "$seconds" "$log"
    n=$((n + 1))
  done < "$scratch/results"
  if [ $n != ${#names[@]} ]; then
    count FAIL "$build: not all tests were run" 0 "$scratch/meson.log"
  fi
}

# list_programs BUILD FOLDERS PATTERN: prints the names of the tests whose programs lie in one of these
# folders of tests/ (a|b|c), and that match.
list_programs () {
  "$python" - "$1/meson-info/intro-tests.json" "/tests/($2)/[^/]*$" "$3" << 'END'
import json, re, sys
for test in json.load(open(sys.argv[1], encoding="utf-8")):
    # The scripts and what gst-launch-1.0 plays have no sanitizers.
    if any(re.search(sys.argv[2], word) for word in test["cmd"]) \
            and not any(word.endswith((".sh", ".py")) for word in test["cmd"]) \
            and re.search(sys.argv[3], test["name"]):
        print(test["name"])
END
}

# These do not work with sanitizers and valgrind: limits sets RLIMIT_AS, failing-host has its own malloc, old-driver
# has its own dlsym, and leaks compares memory.
not_with_tools='^(?!limits-|failing-host$|old-driver$|leaks-)'

# run_sanitized BUILD NAME...: run_tests, in a build with AddressSanitizer and UBSan.
run_sanitized () {
  # On the mock driver a test that takes 3 s takes 2 minutes.
  local patience=60
  # leaks-cpu and the tracer look for leaks. The scanner of plugins has no sanitizers: the test loads
  # the plugin itself.
  ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1:abort_on_error=1 GST_REGISTRY_FORK=no \
  UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:abort_on_error=1:suppressions=$root/tests/ubsan.txt \
    run_tests "$@"
}

# ---- Building --------------------------------------------------------------------------

# configure BUILD OPTION...: for the first time or again. Warnings are errors, unless the options say something else: a
# user may have a compiler that warns of something new, or options with which it warns. Writes Meson's output to
# $scratch/configure.
configure () {
  local build=$1 how=()
  shift
  set -- -Dwerror=true "$@"
  [ ! -f "$build/build.ninja" ] || how=(--reconfigure)
  if ! meson setup "${how[@]}" "$@" "$build" . > "$scratch/configure" 2>&1 < /dev/null; then
    rm -rf "$build"
    meson setup "$@" "$build" . > "$scratch/configure" 2>&1 < /dev/null \
      || { cat "$scratch/configure"; return 1; }
  fi
}

# build BUILD OPTION...
build () {
  configure "$@" && ninja -C "$1"
}

# build_with_kernels BUILD: and checkhisto's variant for coverage
build_with_kernels () {
  configure "$1" "${mock_options[@]}" && ninja -C "$1" all checkhisto-variant-coverage
}

# build_sanitized BUILD OPTION...: with clang. Of the report only the fuzzers run here, and nothing of what else is named does:
# without optimization it compiles in a quarter of the time. clang appends the options of CCC_OVERRIDE_OPTIONS.
build_sanitized () {
  local plain
  configure "$@" || return
  mapfile -t plain < <(ninja -C "$1" -t targets all \
    | sed -nE 's/^((pipelines|tests\/(bench|docs|python|report|soak))\/.*\.o): .*/\1/p')
  CCC_OVERRIDE_OPTIONS='#+-O0' ninja -C "$1" "${plain[@]}" && ninja -C "$1"
}

# Prints PATH without nvcc. A folder with nvcc is replaced by one with links to its other files.
path_without_nvcc () {
  local folder folders path=
  IFS=: read -r -a folders <<< "$PATH"
  for folder in "${folders[@]}"; do
    if [ -x "$folder/nvcc" ]; then
      local links=$scratch/bin${folder//\//-}
      mkdir -p "$links"
      ln -sf "$folder"/* "$links"
      rm "$links/nvcc"
      folder=$links
    fi
    path+=${path:+:}$folder
  done
  echo "$path"
}

# The options of a build whose CUDA engine runs on the mock driver only. The mock driver runs nothing that nvcc compiles,
# so one architecture is enough.
mock_options=(-Dkernels=disabled)
! command -v nvcc > /dev/null || mock_options=(-Dkernels=enabled -Dgpu-architectures=90)

# ---- A build without nvcc --------------------------------------------------------------

# werror BUILD: prints whether warnings are errors. Of meson.build: what it is by default.
werror () {
  meson introspect "$1" --buildoptions | "$python" -c 'import json, sys
print(*(option["value"] for option in json.load(sys.stdin) if option["name"] == "werror"))'
}

warnings_are_errors_here_only () {
  werror meson.build && werror build-tests-nocuda
  [ "$(werror meson.build)" = False ] && [ "$(werror build-tests-nocuda)" = True ]
}

says_no_nvcc () {
  cat "$scratch/configure"
  grep -q 'CUDA kernels *: not built (no nvcc)' "$scratch/configure"
}

launch () {
  timeout 60 gst-launch-1.0 -q "$@"
}

# runs_without_cuda BUILD
runs_without_cuda () {
  local -x GST_PLUGIN_PATH_1_0=$root/$1/plugin GST_REGISTRY_1_0=$scratch/registry
  gst-inspect-1.0 cudahisto | grep 'active-backend' \
    && launch videotestsrc num-buffers=10 ! cudahisto post-messages=true ! fakesink \
    && launch audiotestsrc num-buffers=10 ! cudahisto post-messages=true ! fakesink \
    && launch audiotestsrc num-buffers=10 ! cudahisto backend=cpu ! fakesink \
    && ! launch videotestsrc num-buffers=10 ! cudahisto backend=cuda ! fakesink
}

# ---- The kernels, compiled for the CPU ------------------------------------------------------

# checkhisto BUILD ARGUMENT...: on the mock.
checkhisto () {
  LD_LIBRARY_PATH=$1/tests/mock "$1/tests/checkhisto/checkhisto" "${@:2}"
}

# Without a device checkhisto must exit with 77.
checkhisto_skips () {
  local status=0
  MOCK_CUDA_NO_DEVICE=1 checkhisto "$1" || status=$?
  [ $status = 77 ]
}

# What checkhisto has beside the test `profiles`, which is run once. It executes every branch of the kernels.
without_profiles='--test=video.*,audio.*,groups.*,compare.*'

# --long runs checkhisto with sanitizers.
kernel_coverage () {
  "$python" tests/coverage.py "$1" "$without_profiles" --effort=4 1
}

# ---- All of it -----------------------------------------------------------------------------

packages=("${packages_to_run[@]}" "${packages_to_test[@]}")
[ $part != normal ] || packages+=("${packages_to_test_packages[@]}")
if command -v nvcc > /dev/null; then
  packages+=("${packages_for_cuda[@]}")
fi
# The first build needs only some of them. On a clean system the others are installed beside it. Who cannot install
# anything is told all of them at once.
installing=
if [ $part = normal ] && command -v nvcc > /dev/null && { [ "$(id -u)" = 0 ] || command -v sudo > /dev/null; }; then
  install_missing "${packages_to_run[@]}" "${packages_for_cuda[@]}" ccache
  install_missing "${packages[@]}" &
  installing=$!
else
  install_missing "${packages[@]}"
fi
# A build with gcc takes from the cache what an earlier one has compiled in another folder.
gcc=${CC:-gcc} gxx=${CXX:-g++}
if command -v ccache > /dev/null; then
  export CCACHE_DIR=$root/build-tests-cache CCACHE_NOHASHDIR=yes
  # Without -Werror a file compiles to the same. But only what compiles with it may come into the cache, so a build
  # without it sets CCACHE_READONLY.
  [ $part != normal ] || export CCACHE_IGNOREOPTIONS=-Werror
  gcc="ccache $gcc" gxx="ccache $gxx"
fi

# The tests that the builds after the one with CUDA kernels leave out.
tests_done=
if [ $part = normal ] && command -v nvcc > /dev/null; then
  # --long compiles the kernels for all architectures.
  if CC=$gcc CXX=$gxx check 'build-tests: builds, with CUDA kernels' build_with_kernels build-tests; then
    tests_done=$tests_of_both
  fi
fi
[ -z "$installing" ] || wait "$installing"
CUDAHISTO_TEST_CLIP=$(find_clip "$root/build/clip") || CUDAHISTO_TEST_CLIP=
export CUDAHISTO_TEST_CLIP

if [ $part != normal ]; then
  unset CUDAHISTO_TEST_STEP
  # shellcheck source=tests/long.sh source=tests/coverage.sh
  . "tests/$part.sh"
  echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
  [ $failed = 0 ]
  exit
fi

# Only every 40th call of the driver and every 20th execution is made to fail, and every 40th format is measured on
# the mock driver. On the CPU, formats-measures takes every fourth format.
# --long fails all calls and measures all formats.
export CUDAHISTO_TEST_STEP=40

# UBSan of clang checks more than that of gcc, for example NULL + 0. The tests that take minutes are left to --long.
too_long='(?!cpu-groups$|frame-sizes$|formats-(measures|sizes|video)-)'
clang_builds='build-tests-clang: builds with AddressSanitizer and UBSan, without CUDA kernels'
if [ -n "$tests_done" ]; then
  begin_check 'build-tests: checkhisto executes every branch' kernel_coverage build-tests
  # With this architecture every #if of the kernels is compiled. -ltoir: without the code generation, which would take
  # most of the time.
  begin_check 'the kernels compile for compute capability 7.5, too' \
    nvcc -dlto -ltoir -arch=lto_75 -std=c++17 -Werror all-warnings -I . -o "$scratch/histo.ltoir" kernels/histo.cu
fi
# Without optimization: its warnings are checked in the other builds. While it copies the sources nothing is written
# beside them, because tar fails if a folder changes.
export PYTHONPYCACHEPREFIX=$scratch/pycache
DEB_BUILD_OPTIONS=noopt begin_check 'packages: they build, and lintian finds nothing' \
  tests/packages.sh --only-build build-tests-packages --kernels=disabled
CC=clang CXX=clang++ begin_check "$clang_builds" \
  build_sanitized build-tests-clang -Dkernels=disabled -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 \
  -Dc_args=-g1

scripts=(kernels/*.sh pipelines/*.sh pipelines/slurm/* tests/*.sh tests/*/*.sh .ci/run)
check shellcheck shellcheck -x "${scripts[@]}" || true
# With pipefail, the writer of a pipe may fail when its reader has left.
no_early_readers () {
  ! grep -nE '\| *(head\b|grep( +-[a-zA-Z]+)* +-[a-zA-Z]*[qm])' "${scripts[@]}"
}
check 'scripts: no reader of a pipe leaves early' no_early_readers || true

if [ -n "$tests_done" ]; then
  # The coverage runs the tests of checkhisto-mock. Random inputs are for the build with sanitizers; the fuzzer of the
  # CUDA engine has no such build here.
  meson_tests build-tests '^(checkhisto-mock|fuzz-(?!stream-quick))'
  check 'build-tests: checkhisto without a device' checkhisto_skips build-tests || true
fi
finish_check "$clang_builds"
if [ "${ends[$clang_builds]}" = ok ]; then
  mapfile -t sanitized < <(list_programs build-tests-clang 'unit|element|overlay|formats|fuzz|library' "$not_with_tools$too_long")
  run_sanitized build-tests-clang "${sanitized[@]}"
  # If there is a build with CUDA kernels, these have run without sanitizers, too.
  [ -z "$tests_done" ] || tests_done+="|^($(IFS='|'; echo "${sanitized[*]}"))$"
fi

whole_path=$PATH
PATH=$(path_without_nvcc)
if CC=$gcc CXX=$gxx check 'build-tests-nocuda: builds without nvcc' build build-tests-nocuda; then
  check 'build-tests-nocuda: warnings are errors, and for users they are not' warnings_are_errors_here_only || true
  check 'build-tests-nocuda: says that it has no CUDA kernels' says_no_nvcc || true
  check 'build-tests-nocuda: runs' runs_without_cuda build-tests-nocuda || true
  meson_tests build-tests-nocuda "$tests_done"
fi
# It finds in the cache what the builds before have compiled.
PATH=$whole_path CC=$gcc CXX=$gxx CCACHE_READONLY=1 check quickstart pipelines/quickstart.sh || true
finish_checks
[ -z "$tests_done" ] || tail -n 1 "$scratch/begun-0"

[ ${#again[@]} = 0 ] || printf 'Failed once, see above: %s\n' "${again[@]}"
echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ $failed = 0 ]
