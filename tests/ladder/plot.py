#!/usr/bin/python3
# Draws what cudahisto-ladder --json measured: each step's share of the roofline at each size.
#
#   plot.py JSON_FILE SVG_FILE
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import html
import sys

from measured import Measured, power

CELL_WIDTH, CELL_HEIGHT, LABELS = 31, 17, 226
GAP, TITLE, AXIS, MARGIN = 26, 22, 34, 14
COLUMN_LIMIT = 9    # sizes: every other one, where there are more
LEGEND = 62

# From little to much, readable on a white page and on a black one.
COLOURS = [(68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37)]
STYLE = """
text { font: 11px system-ui, sans-serif; fill: #24292f; }
.title { font-size: 13px; font-weight: 600; }
.dark { fill: #111; } .light { fill: #fff; }
.value { font-size: 10px; text-anchor: middle; }
.page { fill: #fff; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .page { fill: #0d1117; }
  .dark { fill: #111; } .light { fill: #fff; } }
"""


def colour(share):
    place = min(max(share, 0), 1) * (len(COLOURS) - 1)
    i = min(int(place), len(COLOURS) - 2)
    return tuple(round(a + (b - a) * (place - i)) for a, b in zip(COLOURS[i], COLOURS[i + 1]))


def text(x, y, words, kind="", anchor="start"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
            + (f' class="{kind}"' if kind else "") + f'>{html.escape(words)}</text>')


def cell(x, y, share, tip):
    red, green, blue = colour(share)
    ink = "dark" if 0.299 * red + 0.587 * green + 0.114 * blue > 130 else "light"
    return (f'<rect x="{x}" y="{y}" width="{CELL_WIDTH - 1}" height="{CELL_HEIGHT - 1}" '
            f'fill="rgb({red},{green},{blue})"><title>{html.escape(tip)}</title></rect>'
            + text(x + CELL_WIDTH / 2, y + CELL_HEIGHT - 5,
                   f"{100 * share:.0f}" if share >= 0.01 else "<1",
                   f"value {ink}"))


def panel(measured, family, content, sizes, x, y):
    """One content's steps by sizes. Returns the drawing and its height."""
    steps = measured.steps_of(family, content)
    out = [text(x, y + 14, f"{family}: {content}", "title")]
    top = y + TITLE
    for r, step in enumerate(steps):
        line = text(x + LABELS - 6, top + r * CELL_HEIGHT + 12, step["title"], "", "end")
        for k, size in enumerate(sizes):
            row = measured.row(family, content, step["step"], size)
            if row and row["us"] > 0:
                tip = (f"{step['title']}, 2^{power(size)} elements: {row['us']:.2f} us, "
                       f"{row['gbs']:.0f} GB/s, {100 * row['share']:.1f} %")
                line += cell(x + LABELS + k * CELL_WIDTH, top + r * CELL_HEIGHT, row["share"], tip)
        out.append(line)
    bottom = top + len(steps) * CELL_HEIGHT
    for k, size in enumerate(sizes):
        out.append(text(x + LABELS + (k + 0.5) * CELL_WIDTH, bottom + 12, str(power(size)),
                        "", "middle"))
    out.append(text(x + LABELS + len(sizes) * CELL_WIDTH / 2, bottom + 26,
                    "log2 of the number of elements", "", "middle"))
    return out, bottom + AXIS - y


def legend(x, y, width):
    n = 50
    colours = [colour(i / (n - 1)) for i in range(n)]
    out = [text(x, y + 12, "time of the roofline / time of the step, in per cent"),
           "".join(f'<rect x="{x + i * width / n:.1f}" y="{y + 19}" width="{width / n + 0.5:.1f}" '
                   f'height="10" fill="rgb({red},{green},{blue})"/>'
                   for i, (red, green, blue) in enumerate(colours))]
    for share in (0, 25, 50, 75, 100):
        out.append(text(x + share / 100 * width, y + 42, str(share), "", "middle"))
    return out


def draw(measured):
    stride = 1 if len(measured.sizes) <= COLUMN_LIMIT else 2
    sizes = measured.sizes[::-1][::stride][::-1]
    panel_width = LABELS + len(sizes) * CELL_WIDTH
    columns = [["reduction"], [f for f in measured.families() if f != "reduction"]]
    out, heights = [], []
    for number, families in enumerate(columns):
        x, y = MARGIN + number * (panel_width + GAP), MARGIN + LEGEND
        for family in families:
            for content in measured.contents(family):
                drawing, height = panel(measured, family, content, sizes, x, y)
                out += drawing
                y += height + GAP
        heights.append(y)
    width, height = 2 * MARGIN + 2 * panel_width + GAP, max(heights)
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img">',
            f"<title>Share of the roofline, by step and size, on {html.escape(measured.device)}"
            f"</title><style>{STYLE}</style>",
            f'<rect class="page" width="{width}" height="{height}"/>',
            text(MARGIN, MARGIN + 14, f"Share of the roofline on {measured.device}, "
                 f"{measured.date}", "title")]
    head += legend(MARGIN + panel_width + GAP, MARGIN, panel_width)
    return "\n".join(head + out + ["</svg>", ""])


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: plot.py JSON_FILE SVG_FILE")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(draw(Measured(sys.argv[1])))


main()
