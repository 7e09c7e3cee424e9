# What cudahisto-ladder --json measured, for table.py and plot.py.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import json


class Measured:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        self.device = data["device"]
        self.multiprocessors = data["multiprocessors"]
        self.driver = data["driver"]
        self.date = data["date"]
        self.steps = data["steps"]
        self.rows = {(row["family"], row["content"], row["step"], row["elements"]): row
                     for row in data["rows"]}
        self.sizes = sorted({row["elements"] for row in data["rows"]})

    def families(self):
        return list(dict.fromkeys(step["family"] for step in self.steps))

    def contents(self, family):
        return list(dict.fromkeys(content for f, content, _, _ in self.rows if f == family))

    def steps_of(self, family, content=None):
        """The family's steps that were measured, with this content if one is given."""
        measured = {(f, c, s) for f, c, s, _ in self.rows}
        contents = [content] if content else self.contents(family)
        return [step for step in self.steps if step["family"] == family
                and any((family, c, step["step"]) in measured for c in contents)]

    def row(self, family, content, step, elements):
        return self.rows.get((family, content, step, elements))

    def title(self, step):
        return next(s["title"] for s in self.steps if s["step"] == step)

    def best(self, family, content, elements):
        """The fastest of the family's steps at a size."""
        rows = [self.row(family, content, step["step"], elements)
                for step in self.steps_of(family, content)]
        return min((row for row in rows if row and row["us"] > 0), key=lambda row: row["us"])


def power(elements):
    return elements.bit_length() - 1
