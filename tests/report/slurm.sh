#!/bin/bash
# pipelines/slurm on a Slurm cluster of one node, which is started here: munged, slurmctld and
# slurmd, with all their files in a folder of their own.
#
#   tests/report/slurm.sh PROGRAM
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

program=$(realpath "${1:?usage: tests/report/slurm.sh PROGRAM}")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PATH=$PATH:/usr/sbin:/sbin

skip () {
  echo "Skipped: $1"
  exit 77
}
for tool in munged slurmctld slurmd sbatch scontrol ffmpeg; do
  command -v $tool > /dev/null || skip "there is no $tool"
done
[ "$(id -u)" = 0 ] || skip "slurmd needs root"

scratch=$(mktemp -d)
daemons=()
# Ends the daemons that this script started.
clean_up () {
  for pid in "${daemons[@]}"; do
    kill "$pid" 2> /dev/null || true
  done
  wait
  rm -rf "$scratch"
}
trap clean_up EXIT

# wait_for SECONDS COMMAND...: until the command succeeds
wait_for () {
  local left=$(($1 * 5))
  shift
  until "$@" > /dev/null 2>&1; do
    left=$((left - 1))
    [ $left -gt 0 ] || return 1
    sleep 0.2
  done
}

# free_port: prints a TCP port that no program uses
free_port () {
  /usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])'
}

host=$(hostname -s)
export SLURM_CONF=$scratch/slurm.conf
mkdir "$scratch/state" "$scratch/spool"
head -c 1024 /dev/urandom > "$scratch/munge.key"
chmod 400 "$scratch/munge.key"
cat > "$SLURM_CONF" << END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
AuthType=auth/munge
AuthInfo=socket=$scratch/munge.socket
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
# slurmd initialises cgroups even if it uses none. Before version 23.11 it cannot leave that out,
# and gets a folder that has none.
if [[ $(slurmd -V) =~ \ 2[0-2]\. ]]; then
  printf 'CgroupPlugin=cgroup/v1\nCgroupMountpoint=%s\n' "$scratch/cgroup" > "$scratch/cgroup.conf"
else
  echo 'CgroupPlugin=disabled' > "$scratch/cgroup.conf"
fi

munged --foreground --force --key-file="$scratch/munge.key" --socket="$scratch/munge.socket" \
  --pid-file="$scratch/munged.pid" --log-file="$scratch/munged.log" \
  --seed-file="$scratch/munged.seed" > "$scratch/munged.out" 2>&1 &
daemons+=($!)
wait_for 10 test -S "$scratch/munge.socket" || skip "munged does not start: $(tail -n 3 "$scratch/munged.out")"
slurmctld -D > "$scratch/slurmctld.out" 2>&1 &
daemons+=($!)
wait_for 20 scontrol ping || skip "slurmctld does not start: $(tail -n 3 "$scratch/slurmctld.log")"
slurmd -D -N "$host" > "$scratch/slurmd.out" 2>&1 &
daemons+=($!)
is_idle () { grep -q idle <<< "$(sinfo --noheader --format=%T)"; }
wait_for 30 is_idle || skip "slurmd does not start: $(tail -n 3 "$scratch/slurmd.log" "$scratch/slurmd.out")"

# Three episodes, of 1, 2 and 3 s.
mkdir "$scratch/season"
for n in 1 2 3; do
  ffmpeg -nostdin -v error -f lavfi -i "testsrc2=size=160x120:rate=25:duration=$n" \
    -f lavfi -i "sine=sample_rate=48000:duration=$n" -c:v ffv1 -pix_fmt yuv420p -c:a pcm_s16le \
    "$scratch/season/$n.mkv"
done

export CUDAHISTO_REPORT=$program
# run_job STATE TASKS RESULTS INPUT...: submits, and waits until the last job has ended in this state
run_job () {
  local job state expected=$1
  shift
  job=$("$root/pipelines/slurm/submit.sh" "$@")
  has_ended () {
    state=$(scontrol show job "$job" | sed -n 's/.*JobState=\([A-Z]*\).*/\1/p')
    [[ $state = COMPLETED || $state = FAILED || $state = CANCELLED ]]
  }
  if ! wait_for 90 has_ended || [ "$state" != "$expected" ]; then
    echo "The job is $state" >&2
    tail -n 20 "$2"/*.log "$2"/all.txt "$scratch"/slurm*.log >&2
    return 1
  fi
}

# sbatch takes %j for the number of the job.
results="$scratch/results, 100%j"
run_job COMPLETED 2 "$results" "$scratch/season"
grep -q 'all inputs: 3 inputs' "$results/all.txt"
grep -q '150 frames' "$results/all.txt"
[ "$(find "$results" -name '*.json' | wc -l)" = 3 ]
# Each task measured its share.
[ "$(cat "$results"/task-*.log | grep -c 'measured in')" = 3 ]
grep -q '2.mkv' "$results/task-1.log"

# Submitted again, it measures only what is missing; a bad input does not stop the others.
before=$(stat -c %y "$results"/1.mkv.*.json)
rm "$results"/3.mkv.*.json
run_job FAILED 2 "$results" "$scratch/season" "$scratch/nothing.mkv"
[ "$(stat -c %y "$results"/1.mkv.*.json)" = "$before" ]
grep -q 'all inputs: 3 inputs' "$results/all.txt"
grep -q 'nothing.mkv: .*No such file' "$results"/task-*.log
grep -q 'nothing.mkv: there is no complete result' "$results/all.txt"

# A summary stays if there is no result for another one.
cp "$results/all.summary" "$scratch/older.summary"
if "$root/pipelines/slurm/merge.sbatch" "$results" "$scratch/nothing.mkv" > "$scratch/merge.out" 2>&1; then
  echo "merge.sbatch succeeds without a result" >&2
  exit 1
fi
cmp "$results/all.summary" "$scratch/older.summary"
[ -z "$(find "$results" -name '.merge-*')" ]

for tasks in x 0 010 1x 1e9 99999999999999999999; do
  if "$root/pipelines/slurm/submit.sh" $tasks "$results" "$scratch/season" 2> /dev/null; then
    echo "submit.sh accepts $tasks tasks" >&2
    exit 1
  fi
done
echo "3 inputs in 2 tasks, twice"
