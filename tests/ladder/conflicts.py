#!/usr/bin/python3
# Turns ncu's answers, one CSV file for each content, into a table of bank conflicts.
#
#   conflicts.py LOG2_ELEMENTS JSON_FILE CSV_FILE...
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import csv
import json
import os
import sys

CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
KINDS = {"all": CONFLICTS + ".sum"} | {
    kind: f"{CONFLICTS}_op_{kind}.sum" for kind in ("ld", "st", "atom", "red")}


def number(text):
    return None if text in (None, "", "n/a") else int(float(text.replace(",", "")))


def launches(path):
    """Yields each launch's kernel and its metrics; what the program itself printed comes before
    the header, and the units after it."""
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if line.startswith('"')]
    rows = list(csv.DictReader(lines))
    if not rows or "Kernel Name" not in rows[0]:
        sys.exit(f"{path}: no table of ncu's in it")
    for row in rows:
        if row["Kernel Name"].startswith("ladder_"):
            yield row["Kernel Name"].split("(")[0], row


def main():
    log2, json_file, paths = sys.argv[1], sys.argv[2], sys.argv[3:]
    found = []
    for path in paths:
        content = os.path.splitext(os.path.basename(path))[0]
        for kernel, row in launches(path):
            if kernel == "ladder_fill":
                continue
            step = kernel.removeprefix("ladder_")
            # A reduction's kernel is named by its type, too; a histogram's is not by its content.
            if content in ("int", "float", "half"):
                step = step.removesuffix("_" + content)
            found.append({"content": content, "step": step, "log2_elements": int(log2),
                          "wavefronts": number(row.get(WAVEFRONTS)),
                          **{kind: number(row.get(name)) for kind, name in KINDS.items()}})
    if not found:
        sys.exit("no launch of the ladder's was seen")
    columns = ["wavefronts", *KINDS]
    print(f"{'content':12}{'step':26}" + "".join(f"{name:>12}" for name in columns))
    for row in found:
        print(f"{row['content']:12}{row['step']:26}" + "".join(
            f"{'-' if row[name] is None else row[name]:>12}" for name in columns))
    if json_file:
        with open(json_file, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)


main()
