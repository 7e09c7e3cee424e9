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

/* ---- Text ----------------------------------------------------------------------------- */

const minus = (text) => text.replace("-", "\u2212");

/* A figure with its unit. Values below what is stored are shown as at most the least. */
function formatValue(series, value) {
  if (Number.isNaN(value))
    return "\u2013";
  const text = minus(value.toFixed(series.digits)) + (series.unit ? "\u00a0" + series.unit : "");
  return series.least < 0 && value <= series.least
    ? "\u2264\u00a0" + minus(String(series.least)) + "\u00a0" + series.unit : text;
}

/* h:mm:ss with so many decimals. */
function formatTime(seconds, digits) {
  const scale = 10 ** digits, all = Math.round(Math.abs(seconds) * scale);
  const whole = Math.floor(all / scale), pad = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
  const fraction = digits ? "." + String(all % scale).padStart(digits, "0") : "";
  return (seconds < 0 ? "\u2212" : "") + (hours ? hours + ":" + pad(minutes) : minutes) + ":" +
    pad(whole % 60) + fraction;
}

function formatDuration(seconds) {
  return seconds < 60 ? seconds.toFixed(seconds < 10 ? 2 : 1) + " s" : formatTime(seconds, 0);
}

/* A new element with attributes or properties, and children. Text is never read as HTML. */
function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/* The first texts of a list that may be long, and how many there are more. */
function firstOf(texts) {
  const shown = texts.slice(0, 8);
  return texts.length > shown.length ? [...shown, "and " + (texts.length - shown.length) + " more"] : shown;
}

/* The colour of a name in page.css. */
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

/* Makes a canvas as large as it is shown. Returns its context, in units of CSS. */
function prepareCanvas(canvas, height) {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth;
  if (height !== undefined)
    canvas.style.height = height + "px";
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, canvas.clientHeight);
  return context;
}
