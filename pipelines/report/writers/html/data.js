/* Reads what the program wrote into the page: see html-view.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
"use strict";

const description = JSON.parse(document.getElementById("description").textContent);

/* The bytes of a part of the page. */
async function unpack(id) {
  const element = document.getElementById(id);
  const text = atob(element.textContent);
  element.remove();
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++)
    packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* Hands out the parts of the bytes, one after the other. */
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.offset = 0;
  }

  take(length) {
    this.offset += length;
    return this.bytes.subarray(this.offset - length, this.offset);
  }

  /* Numbers that were stored as differences. A missing value is -1. */
  codes(count, width) {
    const bytes = this.take(count * width), codes = new Float64Array(count);
    let previous = 0;
    for (let i = 0; i < count; i++) {
      let number = 0;
      for (let b = width - 1; b >= 0; b--)
        number = number * 256 + bytes[b * count + i];
      /* 0, 1, 2, 3, 4 are 0, -1, 1, -2, 2. */
      previous += number % 2 ? -(number + 1) / 2 : number / 2;
      codes[i] = previous - 1;
    }
    return codes;
  }

  cells(length, rows) {
    const cells = this.take(length * rows);
    for (let r = 0; r < rows; r++)
      for (let c = r * length + 1; c < (r + 1) * length; c++)
        cells[c] += cells[c - 1];
    return cells;
  }
}

/* A figure over time: values has NaN where it is missing. */
function readSeries(reader, count, about) {
  const values = reader.codes(count, about.width), scale = 10 ** about.digits;
  for (let i = 0; i < count; i++)
    values[i] = values[i] < 0 ? NaN : about.least + values[i] / scale;
  return { ...about, values };
}

/* What the page knows of one region of a stream of video, or of a stream of sound. */
async function readView(number) {
  const about = description.views[number], reader = new Reader(await unpack("figures-" + number));
  const luma = about.kind === "audio" ? undefined : lumaOf(about, regionOf(about, streamOf(about).regions));
  const view = { ...about, number, times: new Float64Array(about.columns), histogram: luma?.histogram ?? [] };
  const steps = reader.codes(about.columns, about.timeWidth);
  let time = 0;
  for (let i = 0; i < about.columns; i++) {
    /* Frames that have the same time are told apart. */
    time += Math.max(steps[i], i > 0 ? 1 : 0);
    view.times[i] = time / 1e6;
  }
  view.series = about.series.map((series) => readSeries(reader, about.columns, series));
  /* The histograms are large: the curves do not wait for them. */
  view.heatIsRead = about.heat === null ? null : unpack("histograms-" + number).then((bytes) => {
    view.heat = { ...about.heat, cells: new Reader(bytes).cells(about.heat.columns, about.heat.bins) };
  });
  view.heat = null;
  return view;
}

const views = new Map();

/* Each view is read once, when it is first shown. */
function getView(number) {
  if (!views.has(number))
    views.set(number, readView(number));
  return views.get(number);
}

/* Where pictures or sound are missing: [from, to] in seconds, in order. Nothing is drawn there. */
function holesOf(view) {
  view.holes ??= (streamOf(view).timestamps?.places ?? []).filter(({ type, end }) => type === "gap" && end !== undefined)
    .map(({ start, end }) => [start / 1e9, end / 1e9]).sort(([one], [other]) => one - other);
  return view.holes;
}

/* The first column that begins after the time. */
function columnAfter(view, time) {
  let low = 0, high = view.times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (view.times[middle] > time)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* The column whose begin is nearest to the time. */
function nearestColumn(view, time) {
  const after = columnAfter(view, time);
  if (after === 0)
    return 0;
  if (after === view.times.length || time - view.times[after - 1] <= view.times[after] - time)
    return after - 1;
  return after;
}

/* A figure with its unit. Values below what is stored are shown as at most the least. */
function formatValue(series, value) {
  if (Number.isNaN(value))
    return "\u2013";
  const text = minus(value.toFixed(series.digits)) + (series.unit ? "\u00a0" + series.unit : "");
  return series.least < 0 && value <= series.least
    ? "\u2264\u00a0" + minus(String(series.least)) + "\u00a0" + series.unit : text;
}
