# The long tests: tests/run.sh --long sources this file, and sets the array long_parts. The parts are:
#
# - sanitizers: AddressSanitizer and UBSan over the test programs of tests/unit, element, overlay, formats, cuda, fuzz,
#   reference, mock and simt: with the CPU engine and, if there is nvcc, with the CUDA engine on the mock driver.
#   ubsan.txt lists the reports that are ignored.
# - valgrind: valgrind over the tests of the elements with the CPU engine. valgrind.supp lists the reports that are
#   ignored; run_valgrind leaves some tests out.
# - threads: ThreadSanitizer over the test programs of tests/unit, element, overlay, library and fuzz with the CPU engine, but
#   not the fuzzers of the report, and over cudahisto-report --serve, whose inputs are lost and come back for LONG_LIVE_SECONDS
#   (default 1200), with GLib and GStreamer built for it: tsan.sh. tsan.txt lists the reports that are ignored.
# - kernels: the kernels for all architectures; leaks-mock with all its starts; checkhisto under AddressSanitizer and UBSan,
#   and, with gcc 12 or older, under ThreadSanitizer, which finds races in the kernels.
# - model: the models of the queue and of two pads with more items and actions.
# - fuzz: tests/fuzz/long.sh, each fuzzer for LONG_FUZZ_SECONDS (default 600).
# - integrity: cudahisto-report with damaged files of all containers: LONG_INTEGRITY_ROUNDS (default 20) of each kind, and with
#   whole films of all pairs of container and codec.
# - clean: cudahisto-report with all clean films, which neither fail nor warn.
# - facts: the facts of files of all kinds against ffprobe's.
# - outputs: random options, inputs and outputs of the report for LONG_OUTPUTS_SECONDS (default 1200).
# - split: films of all pairs of container and codec that 2, 3 and 8 decoders share, against one decoder.
# - soak: the soak program for LONG_SOAK_SECONDS (default 1200).
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2034,SC2154

run_sanitizers () {
  local build=build-tests-sanitizers names
  # The mock's kernels take very long to compile with more optimization.
  check "$build: builds" build "$build" "${mock_options[@]}" -Db_sanitize=address,undefined \
    -Db_lundef=false -Dwerror=false -Doptimization=1 || return 0
  mapfile -t names < <(list_programs "$build" 'reference|unit|element|overlay|formats|cuda|fuzz|library|mock|simt' \
    "$not_with_tools")
  run_sanitized "$build" "${names[@]}"
  CUDAHISTO_TEST_STREAMS=10000 run_sanitized "$build" compare-element
}

run_threads () {
  local names name patience=20 build=build-tests-tsan/cudahisto
  local -a meson_options=(--wrap "$root/tests/tsan.sh run")
  check "$build: builds" tests/tsan.sh build || return 0
  # There are no sources of GLib and GStreamer.
  [ -f $build/build.ninja ] || return 0
  mapfile -t names < <(list_programs "$build" 'unit|element|overlay|fuzz|library' \
    "$not_with_tools(?!fuzz-(containers|report)\$)")
  run_tests "$build" "${names[@]}"
  for name in live live-guard live-metrics 'live-lossy 60'; do
    # shellcheck disable=SC2086
    check "$build: report-$name" tests/tsan.sh report $name || true
  done
  # Each connection has locks of its own, of which GStreamer takes many in both orders: reports that would not be shown.
  TSAN_OPTIONS=detect_deadlocks=0 check "$build: report-live-lossy, long" tests/tsan.sh report live-lossy \
    "${LONG_LIVE_SECONDS:-1200}" || true
  # The number is a target of docs/testing.md.
  local -x CUDAHISTO_TEST_STOPS=10000
  patience=400
  run_tests "$build" flushes-cpu
  CUDAHISTO_TEST_STREAMS=10000 run_tests "$build" compare-element
}

# overlay-audio has limits of time that valgrind exceeds. valgrind 3.19 converts a negative integer of 128 bits to a
# wrong long double, so that the levels of overlay-meters are wrong.
run_valgrind () {
  local build=build-tests-nocuda names patience=60
  local valgrind="valgrind -q --trace-children=yes --error-exitcode=99 --suppressions=$root/tests/valgrind.supp"
  local -a meson_options=(--wrap "$valgrind" --num-processes 2)
  check "$build: builds" build $build -Dkernels=disabled || return 0
  mapfile -t names < <(list_programs "$build" 'element|overlay' \
    "$not_with_tools.*(-cpu|^overlay-(element|failing|formats|panels|scopes))$")
  GST_REGISTRY_FORK=no run_tests "$build" "${names[@]}"
}

run_kernels () {
  local build=build-tests-long
  if ! command -v nvcc > /dev/null; then
    count skip 'kernels: there is no nvcc' 0
    return
  fi
  # For all architectures, whose limits of registers kernel-resources checks. leaks-mock has all its starts here.
  check "$build: builds, with CUDA kernels" build $build -Dkernels=enabled || return 0
  check "$build: checkhisto's variant for sanitizers builds" ninja -C $build checkhisto-variant-sanitizers || return 0
  run_tests $build kernel-resources leaks-mock
  check 'checkhisto under AddressSanitizer and UBSan' tests/checkhisto/variant.sh $build sanitizers \
    "$without_profiles" --effort=3 || true
  # The ThreadSanitizer of later compilers misses most races of so many threads (tests/simt/simt.h).
  if [ "$("${CXX:-c++}" -dumpversion | cut -d. -f1)" -gt 12 ]; then
    count skip 'checkhisto under ThreadSanitizer: needs gcc 12 or older' 0
    return
  fi
  check "$build: checkhisto's variant for threads builds" ninja -C $build checkhisto-variant-threads || return 0
  # With one thread for each CUDA thread a launch takes seconds.
  check 'checkhisto under ThreadSanitizer' tests/checkhisto/variant.sh $build threads \
    "$without_profiles" --slow --cases=3 1 || true
}

run_model () {
  check 'the model of the queue, long' tests/model/check.py --long || true
  check 'the model of the two pads, long' tests/model/check.py --long pairs || true
}

run_fuzz () {
  check 'fuzzers' tests/fuzz/long.sh "${LONG_FUZZ_SECONDS:-600}" || true
}

run_outputs () {
  local build=build-tests-nocuda
  check "$build: builds" build $build -Dkernels=disabled || return 0
  check 'outputs of the report' env GST_PLUGIN_PATH_1_0="$root/$build/plugin" GST_REGISTRY_1_0="$scratch/registry" \
    tests/report/random-outputs.py $build/pipelines/report/cudahisto-report \
    --seconds="${LONG_OUTPUTS_SECONDS:-1200}" || true
}

run_soak () {
  local build=build-tests-nocuda
  check "$build: builds" build $build -Dkernels=disabled || return 0
  check 'soak' env GST_PLUGIN_PATH_1_0="$root/$build/plugin" GST_REGISTRY_1_0="$scratch/registry" \
    G_DEBUG=fatal-criticals $build/tests/soak/soak --seconds="${LONG_SOAK_SECONDS:-1200}" || true
}

run_integrity () {
  local build=build-tests-nocuda
  check "$build: builds" build $build -Dkernels=disabled || return 0
  check 'damaged files' env GST_PLUGIN_PATH_1_0="$root/$build/plugin" GST_REGISTRY_1_0="$scratch/registry" \
    tests/report/integrity.py $build/pipelines/report/cudahisto-report --long "${LONG_INTEGRITY_ROUNDS:-20}" || true
  check 'all pairs of container and codec' env GST_PLUGIN_PATH_1_0="$root/$build/plugin" GST_REGISTRY_1_0="$scratch/registry" \
    tests/report/frames.py $build/pipelines/report/cudahisto-report --long || true
}

run_clean () {
  local build=build-tests-nocuda
  check "$build: builds" build $build -Dkernels=disabled || return 0
  check 'clean films' env GST_PLUGIN_PATH_1_0="$root/$build/plugin" GST_REGISTRY_1_0="$scratch/registry" \
    tests/report/clean.py $build/pipelines/report/cudahisto-report --long || true
}

run_facts () {
  local build=build-tests-nocuda
  check "$build: builds" build $build -Dkernels=disabled || return 0
  check 'facts of all kinds of files' env GST_PLUGIN_PATH_1_0="$root/$build/plugin" GST_REGISTRY_1_0="$scratch/registry" \
    tests/report/crosscheck.py $build/pipelines/report/cudahisto-report || true
}

run_split () {
  local build=build-tests-nocuda
  check "$build: builds" build $build -Dkernels=disabled || return 0
  check 'films that several decoders share' env GST_PLUGIN_PATH_1_0="$root/$build/plugin" GST_REGISTRY_1_0="$scratch/registry" \
    tests/report/split.py $build/pipelines/report/cudahisto-report --long || true
}

for name in "${long_parts[@]}"; do
  "run_$name"
done
