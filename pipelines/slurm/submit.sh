#!/bin/bash
# Measures many inputs on the nodes of a Slurm cluster, and adds up their results:
#
#   pipelines/slurm/submit.sh TASKS RESULTS INPUT... [-- OPTION...]
#
# TASKS is the number of tasks among which the inputs are divided. RESULTS is a folder that all
# nodes see; it gets a result file for each input, all.summary, and the output of the jobs. The
# OPTIONs are those of cudahisto-report. SBATCH_* variables set the partition and so on. The
# program must be on PATH of the nodes, or CUDAHISTO_REPORT is its path. Prints the number of the
# job that ends last.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

if [ $# -lt 3 ] || ! [[ $1 =~ ^[1-9][0-9]{0,5}$ ]]; then
  echo "usage: $0 TASKS RESULTS INPUT... [-- OPTION...]" >&2
  exit 2
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tasks=$1
results=$2
shift
mkdir -p -- "$results"
# The names of outputs are patterns for sbatch.
pattern=${results//%/%%}

array=$(sbatch --parsable --array="0-$((tasks - 1))" --output="$pattern/task-%a.log" \
  "$here/report.sbatch" "$@")
# Bad inputs make a task fail; the others are added up, and the last job fails, too.
sbatch --parsable --dependency="afterany:${array%%;*}" --output="$pattern/all.txt" \
  "$here/merge.sbatch" "$@"
