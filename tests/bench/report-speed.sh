#!/bin/bash
# How fast cudahisto-report is, next to ffprobe with signalstats and to decoding alone.
#
#   tests/bench/report-speed.sh BUILD_DIR FILE [RUNS]
#
# All programs run in turn, RUNS times (default 5), on CPUs 0 and 1, or on those that CPUS lists
# (CPUS=all: no limit). The table has the medians of the elapsed and of the processor seconds, and how
# many times less time than signalstats a program takes. The processor time hardly depends on what
# else the machine does.
#
# - signalstats: without options: neither TOUT, VREP nor BRNG, which `report` and `video` measure
# - signalstats-all: with `stat=tout+vrep+brng`, so that it measures what `video` measures
# - decode: GStreamer's decoding with the decoder that cudahisto-report uses, too, and sinks that drop
#   everything
# - report: the default, which also finds black bars and measures the sound
# - video: only the groups that are signalstats'
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

build=$(realpath "${1:?usage: tests/bench/report-speed.sh BUILD_DIR FILE [RUNS]}")
file=$(realpath "${2:?usage: tests/bench/report-speed.sh BUILD_DIR FILE [RUNS]}")
runs=${3:-5}
report=$build/pipelines/report/cudahisto-report
export GST_PLUGIN_PATH_1_0=$build/plugin
if [ "${CPUS:=0,1}" != all ]; then
  # What this script starts inherits it.
  taskset --cpu-list -p "$CPUS" $$ > /dev/null
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ln -s "$file" "$scratch/clip"

run_signalstats () {
  ffprobe -v error -f lavfi "movie=$scratch/clip,signalstats" -show_entries frame_tags -of json
}
run_signalstats-all () {
  ffprobe -v error -f lavfi "movie=$scratch/clip,signalstats=stat=tout+vrep+brng" \
    -show_entries frame_tags -of json
}
run_decode () {
  gst-launch-1.0 -q uridecodebin uri="file://$scratch/clip" name=d \
    d. ! fakesink sync=false d. ! fakesink sync=false
}
run_report () { "$report" "$scratch/clip"; }
run_json () { "$report" --json "$scratch/clip"; }
run_video () { "$report" --measures signal+motion --alerts none "$scratch/clip"; }
run_basic () { "$report" --measures basic --alerts none "$scratch/clip"; }

names=(decode report json video basic)
if command -v ffprobe > /dev/null; then
  names=(signalstats signalstats-all "${names[@]}")
fi
TIMEFORMAT='%R %U %S'
for ((i = 0; i < runs; i++)); do
  for name in "${names[@]}"; do
    printf '%s ' "$name" >> "$scratch/times"
    { time "run_$name" > /dev/null 2>&3; } 3>&2 2>> "$scratch/times"
  done
done

/usr/bin/python3 - "$scratch/times" << 'END'
import collections, statistics, sys
elapsed, processor = collections.defaultdict(list), collections.defaultdict(list)
for line in open(sys.argv[1], encoding="utf-8"):
    name, real, user, system = line.split()
    elapsed[name].append(float(real))
    processor[name].append(float(user) + float(system))
print("program            elapsed s   times less   processor s   times less")
for name in elapsed:
    row = f"{name:<16}"
    for column in elapsed, processor:
        seconds = statistics.median(column[name])
        other = column.get("signalstats")
        ratio = f"{statistics.median(other) / seconds:.2f}" if other else "-"
        row += f"{seconds:12.2f}{ratio:>13}"
    print(row)
END
