#!/bin/bash
# Shared-memory bank conflicts of each step, as Nsight Compute counts them.
#
#   tests/ladder/conflicts.sh PROGRAM [LOG2_ELEMENTS] [JSON_FILE]
#
# PROGRAM is build/tests/ladder/cudahisto-ladder; 2^20 elements if nothing is said. Prints a
# table, and writes the same to JSON_FILE. Needs a GPU, ncu, and the right to read its
# counters.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

program=${1:?usage: conflicts.sh PROGRAM [LOG2_ELEMENTS] [JSON_FILE]}
log2=${2:-20}
json=${3:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

wanted=(
  l1tex__data_bank_conflicts_pipe_lsu_mem_shared
  l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld
  l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st
  l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom
  l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_red
  l1tex__data_pipe_lsu_wavefronts_mem_shared
)
# ncu refuses a run for one name that it does not know, and they differ by GPU.
ncu --query-metrics > "$scratch/known"
metrics=
for name in "${wanted[@]}"; do
  if grep -qw "$name" "$scratch/known"; then
    metrics+=${metrics:+,}$name.sum
  fi
done
[ -n "$metrics" ] || { echo 'ncu knows no metric of shared memory here' >&2; exit 1; }

# Contents that do not differ in what shared memory sees are left out. The kernels' names
# do not tell the content, so each has its own run.
for content in int uniform runs constant '64 channels'; do
  ncu --csv --page raw --print-units base --metrics "$metrics" \
    "$program" --once --sizes "$log2:$log2" --content "$content" \
    > "$scratch/$content.csv" 2> "$scratch/error" \
    || { cat "$scratch/error" "$scratch/$content.csv" >&2; exit 1; }
done
python3 "$here/conflicts.py" "$log2" "$json" "$scratch"/*.csv
