#!/bin/bash
# The ladder's scripts on a run of the program, and conflicts.sh on what ncu would say.
#
#   scripts-test.sh PROGRAM
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

program=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail () {
  echo "$*" >&2
  exit 1
}

"$program" --json --sizes 12:13 > "$scratch/ladder.json"

"$here/plot.py" "$scratch/ladder.json" "$scratch/ladder.svg"
python3 - "$scratch" << 'END' || fail 'the picture lacks a step'
import json, sys, xml.etree.ElementTree as tree
svg = tree.parse(sys.argv[1] + "/ladder.svg")
texts = {text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")}
run = json.load(open(sys.argv[1] + "/ladder.json"))
assert len(run["steps"]) >= 32 and all(row["exact"] and row["us"] > 0 for row in run["rows"])
assert {step["title"] for step in run["steps"]} <= texts
END

# A stand-in for ncu: knows two of the metrics, and runs nothing.
mkdir "$scratch/bin"
cat > "$scratch/bin/ncu" << 'END'
#!/bin/bash
conflicts=l1tex__data_bank_conflicts_pipe_lsu_mem_shared
wavefronts=l1tex__data_pipe_lsu_wavefronts_mem_shared
if [ "$1" = --query-metrics ]; then
  printf '%s   Counter   #\n' "$conflicts" "$wavefronts"
  exit
fi
[[ " $* " = *" --metrics $conflicts.sum,$wavefronts.sum "* ]] || exit 1
echo '==PROF== Connected'
echo "\"ID\",\"Kernel Name\",\"$conflicts.sum\",\"$wavefronts.sum\""
echo '"","","",""'
echo '"0","ladder_fill","1","1"'
echo '"1","ladder_tree_strided_int(LadderTask)","1,234","5000"'
END
chmod +x "$scratch/bin/ncu"
PATH=$scratch/bin:$PATH "$here/conflicts.sh" "$program" 12 "$scratch/conflicts.json" \
  > "$scratch/conflicts"
[ "$(grep -c '^int  *tree_strided  *5000  *1234 ' "$scratch/conflicts")" = 1 ] \
  || fail 'a launch is missing from the table of conflicts'
! grep -q fill "$scratch/conflicts" || fail 'what is no step is in the table of conflicts'

cp "$here/../../docs/ladder.md" "$scratch/page.md"
"$here/table.py" "$scratch/ladder.json" "$scratch/page.md" "$scratch/conflicts.json"
! grep -q 'Not measured yet' "$scratch/page.md" || fail 'a part of the page was not filled'
cp "$scratch/page.md" "$scratch/again.md"
"$here/table.py" "$scratch/ladder.json" "$scratch/again.md" "$scratch/conflicts.json"
cmp "$scratch/page.md" "$scratch/again.md"
grep -q '^| tree, strided indices, int | 5000 | 1234 | 0.25 |$' "$scratch/page.md" \
  || fail 'the conflicts are not on the page'

# The fastest of the last steps, of times that are known.
python3 - "$scratch" << 'END'
import json, sys
run = json.load(open(sys.argv[1] + "/ladder.json"))
times = {("vector_loads", 4096): 10, ("two_pass", 4096): 20, ("grid_sync", 4096): 10.1}
for row in run["rows"]:
    if row["content"] == "half":
        row["us"] = times.get((row["step"], row["elements"]), 30)
json.dump(run, open(sys.argv[1] + "/known.json", "w"))
END
"$here/table.py" "$scratch/known.json" "$scratch/page.md"
grep -q '^| half, 2^12 | \*\*10.00\*\* | 20.00 | 10.10 | ' "$scratch/page.md" \
  || fail 'the fastest of the last steps is not bold'
