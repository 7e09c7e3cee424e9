/* A chart of some hundred points, which needs no library: a line for each series, a readout, arrow keys.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
"use strict";

const CHART = { left: 46, right: 8, top: 6, bottom: 20, height: 170 };

/* A new element of SVG with attributes, and children. */
function makeSvg(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes))
    element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/* Round numbers between two, at most so many. */
function ticksOf(low, high, most) {
  const wanted = (high - low) / most, power = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= wanted * (1 - 1e-9));
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++)
    ticks.push(Number((i * step).toPrecision(12)));
  return { ticks, step };
}

/* The text of a time on an axis with so large steps. */
const formatTick = (time, step) => formatTime(time, step >= 1 ? 0 : step >= .1 ? 1 : step >= .01 ? 2 : 3);

let charts = [];

/* Draws the charts that are in the page; each one is drawn again when its size changes. */
function drawCharts() {
  charts = charts.filter((chart) => chart.element.isConnected);
  charts.forEach((chart) => chart.draw());
}

/* about:
 *   id, title      text; the id is that of the element
 *   xs             where the points are, in increasing order
 *   series         name, colour (a name of page.css), values: one for each point; null: there is none
 *   low, high      of the vertical axis; values beyond it are drawn at its ends
 *   formatX        the text of a place on the horizontal axis, whose places have this distance
 *   formatY        (optional) the text of a place on the vertical axis
 *   describe       the text of a point, by its number
 *   marks          (optional) x, text, colour and name of its kind: vertical lines
 *   isFilled       (optional) the area below the lines is filled */
class Chart {
  constructor(about) {
    this.about = about;
    this.svg = makeSvg("svg", { role: "presentation" });
    this.readout = make("p", { className: "readout" });
    this.readout.setAttribute("aria-hidden", "true");
    const kinds = new Map((about.marks ?? []).map(({ kind, colour }) => [kind, colour]));
    const keys = [...(about.series.length < 2 ? [] : about.series.map(({ name, colour }) => [name, colour, "line"])),
      ...[...kinds].map(([kind, colour]) => [kind, colour, "limits"])].map(([name, colour, className]) => {
      const swatch = make("i", { className });
      swatch.style.borderColor = "var(--" + colour + ")";
      return make("span", { className: "key" }, swatch, name);
    });
    this.plot = make("div", { className: "simple-plot", tabIndex: 0 }, this.svg);
    /* Arrow keys walk along the points; a screen reader says each one. */
    for (const [key, value] of Object.entries({ role: "slider", "aria-label": about.title, "aria-valuemin": 0, "aria-valuemax": about.xs.length - 1,
      "aria-valuenow": 0, "aria-valuetext": about.describe(0) }))
      this.plot.setAttribute(key, value);
    this.element = make("section", { className: "chart", id: "chart-" + about.id }, make("header", {}, make("h3", {}, about.title), ...keys),
      this.plot, this.readout);
    this.element.setAttribute("aria-label", about.title);
    this.plot.addEventListener("pointermove", (event) => this.show(this.pointAt(event.clientX)));
    this.plot.addEventListener("pointerdown", (event) => this.show(this.pointAt(event.clientX)));
    this.plot.addEventListener("keydown", (event) => {
      const last = about.xs.length - 1, now = this.point ?? 0, page = Math.max(1, Math.round(last / 10));
      const next = { ArrowRight: now + 1, ArrowLeft: now - 1, PageUp: now + page, PageDown: now - page, Home: 0, End: last }[event.key];
      if (next === undefined || event.ctrlKey || event.metaKey || event.altKey)
        return;
      event.preventDefault();
      this.show(Math.min(Math.max(next, 0), last));
    });
    new ResizeObserver(() => this.draw()).observe(this.plot);
    charts.push(this);
  }

  x(value) {
    const [first, last] = [this.about.xs[0], this.about.xs[this.about.xs.length - 1]];
    return CHART.left + (last > first ? (value - first) / (last - first) : .5) * (this.width - CHART.left - CHART.right);
  }

  y(value) {
    const { low, high } = this.about, share = (Math.min(Math.max(value, low), high) - low) / (high - low);
    return CHART.top + (1 - share) * (CHART.height - CHART.top - CHART.bottom);
  }

  pointAt(clientX) {
    const { xs } = this.about, at = clientX - this.svg.getBoundingClientRect().left;
    return xs.reduce((best, x, i) => Math.abs(this.x(x) - at) < Math.abs(this.x(xs[best]) - at) ? i : best, 0);
  }

  show(point) {
    const { about } = this;
    this.point = point;
    this.readout.textContent = about.describe(point);
    this.plot.setAttribute("aria-valuenow", point);
    this.plot.setAttribute("aria-valuetext", about.describe(point));
    this.cursor?.setAttribute("d", "M" + this.x(about.xs[point]).toFixed(1) + " " + CHART.top + "V" + (CHART.height - CHART.bottom));
  }

  pathOf({ values }) {
    const base = this.y(this.about.low);
    let d = "", before = null;
    const at = (i) => this.x(this.about.xs[i]).toFixed(1);
    values.forEach((value, i) => {
      if (value === null) {
        d += before !== null && this.about.isFilled ? "V" + base.toFixed(1) : "";
      } else {
        d += (before !== null ? "L" : this.about.isFilled ? "M" + at(i) + " " + base.toFixed(1) + "L" : "M") + at(i) + " " + this.y(value).toFixed(1);
        /* A point between two gaps is seen, too. */
        if (before === null && (values[i + 1] ?? null) === null)
          d += "h1";
      }
      before = value;
    });
    return d + (this.about.isFilled && before !== null ? "V" + base.toFixed(1) : "");
  }

  draw() {
    const { about } = this;
    this.width = Math.max(120, this.plot.clientWidth);
    Object.entries({ width: this.width, height: CHART.height, viewBox: "0 0 " + this.width + " " + CHART.height })
      .forEach(([key, value]) => this.svg.setAttribute(key, value));
    const parts = [], end = CHART.height - CHART.bottom;
    for (const tick of ticksOf(about.low, about.high, 5).ticks) {
      parts.push(makeSvg("path", { class: "grid", d: "M" + CHART.left + " " + this.y(tick).toFixed(1) + "H" + (this.width - CHART.right) }),
        makeSvg("text", { x: CHART.left - 5, y: this.y(tick) + 4, "text-anchor": "end" }, about.formatY ? about.formatY(tick) : minus(String(tick))));
    }
    const [first, last] = [about.xs[0], about.xs[about.xs.length - 1]];
    const { ticks, step } = last > first ? ticksOf(first, last, Math.max(2, this.width / 110)) : { ticks: [first], step: 1 };
    for (const tick of ticks)
      parts.push(makeSvg("text", { x: this.x(tick), y: CHART.height - 5, "text-anchor": tick === first ? "start" : tick > first + (last - first) * .97 ? "end" : "middle" },
        about.formatX(tick, step)));
    for (const mark of about.marks ?? [])
      parts.push(makeSvg("path", { class: "mark", style: "stroke:var(--" + mark.colour + ")", d: "M" + this.x(mark.x).toFixed(1) + " " + CHART.top + "V" + end },
        makeSvg("title", {}, mark.text)));
    for (const series of about.series)
      parts.push(makeSvg("path", { class: about.isFilled ? "line filled" : "line", style: "stroke:var(--" + series.colour + ");fill:" +
        (about.isFilled ? "var(--" + series.colour + ")" : "none"), d: this.pathOf(series) }));
    this.cursor = makeSvg("path", { class: "cursor" });
    this.svg.replaceChildren(...parts, this.cursor);
    if (this.point !== undefined)
      this.show(this.point);
  }
}
