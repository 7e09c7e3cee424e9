/* The curves over time. dygraphs draws them.
 *
 * A chart gets one row for each pixel or so: the least, mean and greatest value of the columns that
 * fall on it. So a peak of a single frame is seen at every zoom, and drawing takes the same time for
 * a minute and for an hour. When the frames are few enough, each frame is a row.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
"use strict";

/* The charts in their order. lines: key, colour, width of each curve; a key that ends in - stands for
 * all keys that begin so. bands: the keys of the lower and the upper edge, the colour, its opacity.
 * range: of the values, from the view; floor: lower end of the values; top: the least upper end, so that noise does not look
 * like a fault. limits: lines with labels, from the view. alerts: the types that the chart marks. */
/* Limits of the limited range: codes of 8 bits, in the values of the view. Of another range they are none of its own. */
const codesOf = (view, ...codes) => codes.map((code) => {
  const value = view.rangeMin + code / 256 * (view.rangeMax - view.rangeMin);
  return { value, label: String(value) };
});
const isLegal = (view) => streamOf(view).words.limited;

/* What a stream says of its light, by the names of the summary. */
const LIGHTS = { "max-cll": "MaxCLL", "max-fall": "MaxFALL", "mastering-max": "mastering display" };

const CHARTS = [
  { id: "luma", title: "Luma", kind: "video", tall: true, alerts: ["black", "freeze", "scene", "range"],
    range: (view) => [view.rangeMin, view.rangeMax], legal: true, limits: (view) => codesOf(view, 16, 235),
    bands: [["min", "max", "blue", .16, "least\u2013greatest"], ["p1", "p99", "blue", .24, "1\u201399 %"],
      ["p10", "p90", "blue", .34, "10\u201390 %"]],
    lines: [["p50", "text", 1.6]] },
  { id: "heat", title: "Histogram of luma over time", kind: "video" },
  { id: "chroma", title: "U and V", kind: "video", alerts: [], range: (view) => [view.rangeMin, view.rangeMax],
    limits: (view) => isLegal(view) ? codesOf(view, 16, 240) : [],
    bands: [["u-min", "u-max", "blue", .16, "U, least\u2013greatest"], ["v-min", "v-max", "red", .16, "V, least\u2013greatest"]],
    lines: [["u-mean", "blue", 1.6], ["v-mean", "red", 1.6]] },
  { id: "rgb", title: "R, G, B", kind: "video", alerts: [], range: (view) => [view.rangeMin, view.rangeMax],
    limits: (view) => isLegal(view) ? codesOf(view, 16, 235) : [],
    lines: ["r", "g", "b"].flatMap((name, i) => [[name + "-max", ["red", "green", "blue"][i], .8],
      [name + "-mean", ["red", "green", "blue"][i], 1.8], [name + "-min", ["red", "green", "blue"][i], .8]]) },
  { id: "hue", title: "Hue", kind: "video", alerts: [], range: () => [0, 360],
    lines: [["hue-mean", "purple", 1.4]] },
  { id: "saturation", title: "Saturation", kind: "video", floor: 0, alerts: [],
    lines: [["sat-max", "red", 1], ["sat-p90", "orange", 1], ["sat-mean", "text", 1.6]] },
  { id: "motion", title: "Difference from the previous frame", kind: "video", floor: 0, alerts: ["freeze", "scene"],
    lines: [["mafd", "green", 1.4], ["scene-score", "purple", 1]] },
  { id: "faults", title: "Share of the pixels", kind: "video", floor: 0, top: 1, alerts: ["range"],
    lines: [["brng", "red", 1.4], ["tout", "blue", 1], ["vrep", "orange", 1]] },
  { id: "gamut", title: "Gamut: share of the pixels", kind: "video", floor: 0, top: 1.3, alerts: [],
    limits: () => [{ value: 1, label: "R 103 allows 1 %" }],
    lines: [["gamut", "blue", 1], ["gamut-filter", "red", 1.4]] },
  { id: "flash", title: "Flashes: transitions in the last second (a screening aid, not certified)", kind: "video", floor: 0, top: 8, alerts: [],
    limits: () => [{ value: 6, label: "3 flashes, the most allowed" }],
    lines: [["transitions", "text", 1.4], ["red-transitions", "red", 1.4], ["zone-transitions", "purple", 1]] },
  { id: "field", title: "Fields: combed share of the pixels", kind: "video", floor: 0, top: 1, alerts: [],
    lines: [["comb", "purple", 1.4]] },
  { id: "light", title: "Light", kind: "video", floor: 0, alerts: [],
    limits: (view) => Object.entries(streamOf(view)["hdr-metadata"]?.carried ?? {}).filter(([name, value]) => LIGHTS[name] && value > 0)
      .map(([name, value]) => ({ value, label: LIGHTS[name] + " " + value })),
    lines: [["light-max", "orange", 1.2], ["light-fall", "text", 1.6]] },
  { id: "detail", title: "Detail", kind: "video", floor: 0, alerts: [],
    lines: [["sharpness", "text", 1.4], ["si", "blue", 1], ["ti", "orange", 1]] },
  { id: "loudness", title: "Loudness", kind: "audio", alerts: ["silence", "loudness"], range: () => [-60, 0],
    limits: () => [{ value: -23, label: "\u221223: EBU R 128" }],
    lines: [["momentary", "sky", 1], ["short-term", "text", 1.6], ["integrated", "green", 1.4]] },
  { id: "levels", title: "Levels", kind: "audio", alerts: ["silence", "clipping"], range: () => [-80, 3],
    limits: () => [{ value: 0, label: "full scale" }],
    lines: [["peak-", "red", 1], ["rms-", "blue", 1.4]] },
  { id: "correlation", title: "Correlation of pairs", kind: "audio", alerts: [], range: () => [-1.05, 1.05],
    limits: () => [{ value: 0, label: "below 0: opposite phase" }],
    lines: [["correlation-", "text", 1.4]] },
];

const CHANNEL_COLOURS = {
  "peak-": ["red", "orange", "purple", "grey"],
  "rms-": ["blue", "green", "sky", "black"],
  "correlation-": ["text", "blue", "green", "purple"],
};

const Y_AXIS_WIDTH = 48, RIGHT_GAP = 10;

/* The curves of a chart that the view has: { series, colour, width }. */
function linesOf(chart, view) {
  const lines = [];
  for (const [key, name, width] of chart.lines) {
    const found = view.series.filter((series) => key.endsWith("-") ? series.key.startsWith(key) : series.key === key);
    found.forEach((series, i) => lines.push({ series, width,
      colour: key.endsWith("-") ? CHANNEL_COLOURS[key][i % CHANNEL_COLOURS[key].length] : name }));
  }
  return lines;
}

function bandsOf(chart, view) {
  const find = (key) => view.series.find((series) => series.key === key);
  return (chart.bands || []).map(([low, high, name, opacity, label]) =>
    ({ low: find(low), high: find(high), colour: name, opacity, label })).filter((band) => band.low && band.high);
}

/* ---- Rows for dygraphs ------------------------------------------------------------------- */

/* [least, mean, greatest] of the values from one column to another; nulls if all are missing. */
function spread(values, from, to) {
  let least = Infinity, greatest = -Infinity, sum = 0, count = 0;
  for (let i = from; i < to; i++) {
    const value = values[i];
    if (value < least)
      least = value;
    if (value > greatest)
      greatest = value;
    if (value === value) {
      sum += value;
      count++;
    }
  }
  return count ? [least, sum / count, greatest] : [null, null, null];
}

/* The rows of the columns between two times, and one more at each side. */
function rowsOf(bands, lines, view, from, to, most) {
  const first = Math.max(0, columnAfter(view, from) - 2), last = Math.min(view.times.length, columnAfter(view, to) + 1);
  const step = Math.max(1, Math.ceil((last - first) / most)), rows = [], holes = holesOf(view);
  let hole = 0;
  /* Whole multiples of the step: panning does not change how columns are put together. */
  for (let i = first - first % step; i < last; i += step) {
    const end = Math.min(i + step, view.times.length), row = [view.times[i]];
    /* A row without values breaks the curves where a hole ends before this row. */
    for (; hole < holes.length && holes[hole][1] <= view.times[i] + 1e-6; hole++)
      if (rows.length > 0 && holes[hole][1] > rows[rows.length - 1][0])
        rows.push([Math.max(holes[hole][0], rows[rows.length - 1][0]), ...[...bands, ...lines].map(() => [null, null, null])]);
    for (const band of bands) {
      const low = spread(band.low.values, i, end)[0], high = spread(band.high.values, i, end)[2];
      row.push([low, low === null ? null : (low + high) / 2, high]);
    }
    for (const line of lines)
      row.push(spread(line.series.values, i, end));
    rows.push(row);
  }
  return rows;
}

/* ---- Drawing ------------------------------------------------------------------------------- */

/* The area between the least and the greatest values. */
function fillBand(event, opacity) {
  const context = event.drawingContext, area = event.plotArea, points = event.points;
  context.save();
  context.globalAlpha = opacity;
  context.fillStyle = event.color;
  let run = [];
  const fill = () => {
    /* One frame alone is seen, too. */
    if (run.length === 1) {
      const top = area.y + area.h * run[0].y_top, bottom = area.y + area.h * run[0].y_bottom;
      context.fillRect(run[0].canvasx - 2, top - 1, 4, bottom - top + 2);
    } else if (run.length > 0) {
      context.beginPath();
      run.forEach((point) => context.lineTo(point.canvasx, area.y + area.h * point.y_top));
      run.reverse().forEach((point) => context.lineTo(point.canvasx, area.y + area.h * point.y_bottom));
      context.fill();
    }
    run = [];
  };
  for (const point of points) {
    if (point.yval === null || Number.isNaN(point.y_top))
      fill();
    else
      run.push(point);
  }
  fill();
  context.restore();
}

function plotLine(event) {
  fillBand(event, event.points.length === 1 ? 1 : .28);
  Dygraph.Plotters.linePlotter(event);
}

/* Where the ticks of the time axis may be, in seconds. */
const TIME_STEPS = [.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800,
  3600, 7200, 14400, 28800, 86400];

function timeTicks(from, to, pixels) {
  const wanted = (to - from) / Math.max(2, pixels / 90);
  const step = TIME_STEPS.find((candidate) => candidate >= wanted) || 86400 * Math.ceil(wanted / 86400);
  const digits = step >= 1 ? 0 : step >= .1 ? 1 : step >= .01 ? 2 : 3, ticks = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to; i++)
    ticks.push({ v: i * step, label: formatTime(i * step, digits) });
  return ticks;
}

function strokeVertical(context, area, x) {
  context.fillRect(Math.round(x), area.y, 1, area.h);
}

/* Marks the alerts and the limits of the legal range under the curves. */
function drawUnderlay(chart, view, context, area, graph) {
  const alerts = allAlerts.filter((alert) => alert.stream === view.stream && chart.alerts.includes(alert.type) &&
    alert.start !== null && (!alert.isRegion || alert.place === view.region));
  const [first, last] = graph.xAxisRange();
  const scenes = alerts.filter((alert) => alert.type === "scene" && alert.start >= first && alert.start <= last).length;
  context.save();
  for (const alert of alerts) {
    const from = graph.toDomXCoord(alert.start), to = graph.toDomXCoord(alert.end === null ? alert.start : alert.end);
    /* So many scenes would hide the curves. */
    if (to < area.x || from > area.x + area.w || alert.type === "scene" && scenes > area.w / 8)
      continue;
    context.fillStyle = colour(ALERTS[alert.type].colour);
    context.globalAlpha = alert.type === "scene" ? .4 : .2;
    if (alert.type === "scene")
      strokeVertical(context, area, from);
    else
      context.fillRect(Math.max(from, area.x), area.y, Math.max(2, Math.min(to, area.x + area.w) - Math.max(from, area.x)), area.h);
  }
  context.globalAlpha = .8;
  context.fillStyle = colour("orange");
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "right";
  for (const { value, label } of chart.limits?.(view) ?? []) {
    const y = Math.round(graph.toDomYCoord(value)), isHigh = y < area.y + 14;
    if (y < area.y || y > area.y + area.h)
      continue;
    for (let x = area.x; x < area.x + area.w; x += 8)
      context.fillRect(x, y, 4, 1);
    context.textBaseline = isHigh ? "top" : "bottom";
    context.fillText(label, area.x + area.w - 4, isHigh ? y + 2 : y - 1);
  }
  context.restore();
}

/* ---- A chart --------------------------------------------------------------------------------- */

/* The charts of luma show another component where there is no luma. */
function titleOf(chart, view) {
  return view.luma === "Y" || view.luma === "luma" || view.luma === null ? chart.title
    : chart.title.replace(/luma/i, view.luma);
}

function makeKeys(chart, view, bands, lines) {
  const keys = bands.map((band) => {
    const swatch = make("i", { className: "band" });
    swatch.style.background = colour(band.colour);
    swatch.style.opacity = band.opacity * 1.6;
    return make("span", { className: "key" }, swatch, band.label);
  });
  for (const line of lines) {
    const swatch = make("i");
    swatch.style.borderColor = colour(line.colour);
    keys.push(make("span", { className: "key" }, swatch, line.series.label));
  }
  const limits = chart.legal ? streamOf(view).legal : null;
  if (limits !== null) {
    const swatch = make("i", { className: "limits" });
    swatch.style.borderColor = colour("orange");
    keys.push(make("span", { className: "key" }, swatch, limits.label));
  }
  const units = [...new Set(lines.map((line) => line.series.unit).filter(Boolean))];
  return [make("h2", {}, titleOf(chart, view) + (units.length ? ", " + units.join(", ") : "")), ...keys];
}

/* One chart of curves. @onZoom is called with the times that a user has chosen. */
class Curves {
  constructor(chart, view, range, onZoom) {
    this.chart = chart;
    this.view = view;
    this.bands = bandsOf(chart, view);
    this.lines = linesOf(chart, view);
    this.plot = make("div", { className: "plot" + (chart.tall ? " tall" : "") });
    this.element = make("section", { className: "chart", id: "chart-" + chart.id },
      make("header", {}, ...makeKeys(chart, view, this.bands, this.lines)), this.plot);
    this.element.setAttribute("aria-label", titleOf(chart, view) + " over time");
    this.range = range;
    this.onZoom = onZoom;
  }

  rows(range) {
    return rowsOf(this.bands, this.lines, this.view, range[0], range[1], Math.max(200, this.plot.clientWidth));
  }

  valueRange() {
    if (this.chart.range)
      return this.chart.range(this.view);
    let top = 0;
    for (const line of this.lines)
      top = Math.max(top, line.top ??= line.series.values.reduce((most, value) => value > most ? value : most, 0));
    return [this.chart.floor, Math.max(top * 1.05, this.chart.top ?? 0) || 1];
  }

  /* The element must be in the document. */
  draw() {
    const { chart, view, bands, lines } = this, labels = ["time"], series = {};
    for (const band of bands) {
      labels.push(band.label);
      series[band.label] = { color: colour(band.colour), plotter: (event) => fillBand(event, band.opacity) };
    }
    for (const line of lines) {
      labels.push(line.series.label);
      series[line.series.label] = { color: colour(line.colour), strokeWidth: line.width, plotter: plotLine };
    }
    this.graph = new Dygraph(this.plot, this.rows(this.range), {
      labels, series, customBars: true, dateWindow: this.range.slice(), valueRange: this.valueRange(), legend: "never",
      showLabelsOnHighlight: false, highlightCircleSize: 0, rightGap: RIGHT_GAP, gridLineColor: colour("line"),
      axisLineColor: colour("line"), zoomCallback: (from, to) => this.onZoom([from, to]),
      axes: { x: { ticker: timeTicks, axisLabelWidth: 70 }, y: { axisLabelWidth: Y_AXIS_WIDTH, pixelsPerLabel: 28 } },
      underlayCallback: (context, area, graph) => drawUnderlay(chart, view, context, area, graph),
      /* Fingers change the window without a call of zoomCallback. */
      drawCallback: (graph, isFirst) => {
        const [from, to] = graph.xAxisRange();
        if (!isFirst && (from !== this.range[0] || to !== this.range[1]))
          requestAnimationFrame(() => this.onZoom([from, to]));
      },
    });
  }

  setRange(range) {
    this.range = range;
    this.graph.updateOptions({ file: this.rows(range), dateWindow: range.slice(), valueRange: this.valueRange() });
  }

  resize() {
    this.graph.resize();
    this.setRange(this.range);
  }

  /* Where the curves are inside the element: left edge and width. */
  area() {
    const area = this.graph.getArea();
    return { left: area.x, width: area.w };
  }

  destroy() {
    this.graph.destroy();
  }
}

/* The heat map, with the methods of Curves. */
class Heat {
  constructor(chart, view, range, onZoom) {
    this.view = view;
    this.range = range;
    this.onZoom = onZoom;
    this.canvas = make("canvas", { className: "heat" });
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", titleOf(chart, view));
    this.element = make("section", { className: "chart", id: "chart-" + chart.id },
      make("header", {}, make("h2", {}, titleOf(chart, view)), make("span", { className: "key" }, "a stronger colour: more pixels have this value")),
      this.canvas);
    addDragging(this.canvas, () => this.area(), () => this.range, onZoom);
  }

  /* As wide as the curves are. */
  area() {
    const left = Y_AXIS_WIDTH + 8;
    return { left, width: Math.max(1, this.canvas.clientWidth - left - RIGHT_GAP) };
  }

  draw() {
    const { left, width } = this.area(), [from, to] = this.range;
    if (this.view.heat !== null)
      drawHeat(this.canvas, this.view, left, width, (x) => from + (to - from) * x / width,
        document.documentElement.dataset.theme);
  }

  setRange(range) {
    this.range = range;
    this.draw();
  }

  resize() {
    this.draw();
  }

  destroy() {}
}

/* Lets the user choose a part of the time by dragging across a canvas. */
function addDragging(canvas, area, range, onZoom) {
  let begin = null;
  const shade = make("div");
  shade.style.cssText = "position:absolute;pointer-events:none;opacity:.25;z-index:5;background:var(--text)";
  const timeAt = (x) => {
    const { left, width } = area(), [from, to] = range();
    return from + (to - from) * Math.min(1, Math.max(0, (x - left) / width));
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && event.pointerType !== "touch") {
      begin = event.offsetX;
      canvas.setPointerCapture(event.pointerId);
    }
  });
  canvas.addEventListener("pointermove", (event) => {
    if (begin === null)
      return;
    const left = Math.min(begin, event.offsetX);
    Object.assign(shade.style, { left: canvas.offsetLeft + left + "px", top: canvas.offsetTop + "px",
      width: Math.abs(event.offsetX - begin) + "px", height: canvas.clientHeight + "px" });
    canvas.after(shade);
  });
  const end = (event) => {
    const from = begin;
    begin = null;
    shade.remove();
    if (from !== null && event.type === "pointerup" && Math.abs(event.offsetX - from) > 4)
      onZoom([timeAt(Math.min(from, event.offsetX)), timeAt(Math.max(from, event.offsetX))]);
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("dblclick", () => onZoom(null));
}
