#!/usr/bin/env python3
"""The groups and regions of two runs of cudahisto-bench, beside each other.

    tests/bench/groups-table.py BEFORE AFTER

The files have what `cudahisto-bench --only groups:` prints; both runs are on the same card, best in one
go. Times are told in microseconds, and as multiples of the first run's time for a photo in NV12 with the same
groups and without regions. The last columns are the second run's times divided by the first one's. "–" means
that there is none.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import re
import sys

ROW = re.compile(r'groups: (?P<work>.+?)\s+(?P<photo>[\d.]+)\s+(?P<noise>[\d.]+)(\s|$)')
CONTENTS = ('photo', 'noise')
NONE = '–'


def read(path):
    """Returns {work: {content: microseconds}} in the file's order."""
    with open(path, encoding='utf-8') as lines:
        found = [ROW.match(line) for line in lines]
    rows = {match['work']: {c: float(match[c]) for c in CONTENTS} for match in found if match}
    if not rows:
        sys.exit(f'{path}: no row of groups')
    return rows


def split(work):
    """'4K NV12, all' → ('4K', 'NV12', 'all'); regions belong to the last part."""
    picture, groups = work.split(', ', 1)
    return (*picture.split(' '), groups)


def unit(rows, work):
    """What the times of this row are divided by; None if it was not measured."""
    size, _, groups = split(work)
    return rows.get(f'{size} NV12, {groups.split(", ")[0]}', {}).get('photo')


def ratio(time, of):
    return NONE if time is None or of is None else f'{time / of:.2f}'


def table(before, after):
    """Returns the lines of a Markdown table."""
    lines = ['| work | before, µs: photo, noise | after | before: photo | noise | after: photo | noise '
             '| after / before: photo | noise |', '|' + '---|' * 9]
    for work in dict.fromkeys([*before, *after]):
        old, new = before.get(work), after.get(work)
        cells = [work]
        cells += [NONE if row is None else ', '.join(f'{row[c]:.1f}' for c in CONTENTS)
                  for row in (old, new)]
        cells += [ratio(row and row[c], unit(before, work)) for row in (old, new) for c in CONTENTS]
        cells += [ratio(new and new[c], old and old[c]) for c in CONTENTS]
        lines.append('| ' + ' | '.join(cells) + ' |')
    return lines


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    print('\n'.join(table(read(sys.argv[1]), read(sys.argv[2]))))


if __name__ == '__main__':
    main()
