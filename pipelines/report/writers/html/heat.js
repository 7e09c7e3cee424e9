/* Histograms: the heat map over time, and the histogram of one frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
"use strict";

/* Colours from few to many samples: lightness grows (dark theme) or falls (light theme) evenly. */
const HEAT_STOPS = {
  dark: [[23, 27, 34], [49, 35, 96], [112, 31, 119], [183, 55, 97], [237, 105, 59], [251, 180, 64], [252, 253, 191]],
  light: [[255, 255, 255], [214, 230, 244], [151, 198, 223], [79, 155, 203], [30, 108, 177], [8, 64, 129], [5, 20, 55]],
};

function heatColours(theme) {
  const stops = HEAT_STOPS[theme], table = new Uint32Array(256);
  for (let i = 0; i < 256; i++) {
    const place = i / 255 * (stops.length - 1), from = Math.min(Math.floor(place), stops.length - 2);
    const mix = (part) => Math.round(stops[from][part] + (stops[from + 1][part] - stops[from][part]) * (place - from));
    table[i] = (255 << 24 | mix(2) << 16 | mix(1) << 8 | mix(0)) >>> 0;
  }
  return table;
}

/* The code that has the strongest colour: nearly all cells that are not empty are below it. */
function heatScale(heat) {
  if (heat.scale === undefined) {
    const counts = new Uint32Array(256), stride = 1 + Math.floor(heat.cells.length / 200000);
    let total = 0;
    for (let i = 0; i < heat.cells.length; i += stride) {
      counts[heat.cells[i]]++;
      total += heat.cells[i] > 0;
    }
    let code = 255;
    for (let above = counts[255]; code > 16 && above < total * .01;)
      above += counts[--code];
    heat.scale = code;
  }
  return heat.scale;
}

/* Draws the columns of the times that @timeAt gives for x = 0 … width. */
function drawHeat(canvas, view, left, width, timeAt, theme) {
  const context = prepareCanvas(canvas), heat = view.heat, height = canvas.clientHeight;
  const image = new ImageData(Math.max(1, Math.round(width)), heat.bins);
  const pixels = new Uint32Array(image.data.buffer), colours = heatColours(theme), scale = heatScale(heat);
  const last = heat.columns - 1;
  const columnAt = (x) => Math.floor((columnAfter(view, timeAt(x)) - 1) * view.step / heat.step);
  const end = view.times[view.times.length - 1] + lengthOfColumn(view);
  const isInHole = (time) => holesOf(view).some(([from, to]) => time >= from && time < to);
  for (let x = 0; x < image.width; x++) {
    const from = columnAt(x), to = Math.max(from, Math.min(columnAt(x + 1) - 1, last));
    if (from < 0 || from > last || timeAt(x) >= end || isInHole(timeAt(x))) {
      for (let b = 0; b < heat.bins; b++)
        pixels[b * image.width + x] = 0;
      continue;
    }
    for (let b = 0; b < heat.bins; b++) {
      let sum = 0;
      for (let i = b * heat.columns + from, stop = b * heat.columns + to; i <= stop; i++)
        sum += heat.cells[i];
      /* A few samples are seen, too. */
      const mean = sum / (to - from + 1), shade = Math.min(255, Math.ceil(mean / scale * 255));
      pixels[(heat.bins - 1 - b) * image.width + x] = colours[shade];
    }
  }
  const buffer = document.createElement("canvas");
  buffer.width = image.width;
  buffer.height = image.height;
  buffer.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(buffer, left, 0, width, height);
  drawHeatAxis(context, view, left, width, height);
}

function drawHeatAxis(context, view, left, width, height) {
  const top = view.rangeMax - view.rangeMin;
  context.fillStyle = colour("faint");
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "right";
  for (let i = 0; i <= 4; i++) {
    const y = height - height * i / 4;
    context.textBaseline = i === 4 ? "top" : i === 0 ? "bottom" : "middle";
    context.fillText(String(Math.round(view.rangeMin + top * i / 4)), left - 5, y);
  }
  context.strokeStyle = colour("line");
  context.strokeRect(left + .5, .5, width - 1, height - 1);
}

/* Seconds of one column. */
function lengthOfColumn(view) {
  const n = view.times.length;
  return n > 1 ? (view.times[n - 1] - view.times[0]) / (n - 1) : 1;
}

/* ---- The histogram of one frame ------------------------------------------------------------ */

/* The shares of the samples in the bins of one column of the heat map. */
function histogramOf(view, column) {
  const heat = view.heat, place = Math.min(Math.floor(column * view.step / heat.step), heat.columns - 1);
  return Array.from({ length: heat.bins }, (_, b) => (heat.cells[b * heat.columns + place] / 255) ** 2);
}

/* The shares of all frames, in as many bins. */
function histogramOfAll(view, bins) {
  const shares = new Array(bins).fill(0), counts = view.histogram;
  const total = counts.reduce((sum, count) => sum + count, 0) || 1;
  counts.forEach((count, i) => { shares[Math.floor(i * bins / counts.length)] += count / total; });
  return shares;
}

/* Whether one value hides the others: black bars, or a title on one colour. */
function hasSpike(shares) {
  const sorted = shares.filter((share) => share > 0).sort((a, b) => b - a);
  return sorted.length > 4 && sorted[0] > 8 * sorted[Math.floor(sorted.length / 8)];
}

/* @column: null for the whole clip */
function drawHistogram(canvas, view, column, isLogarithmic, legal) {
  const context = prepareCanvas(canvas), left = 4, width = canvas.clientWidth - 8, height = canvas.clientHeight - 18;
  const all = histogramOfAll(view, column === null ? Math.min(view.histogram.length, 256) : view.heat.bins);
  const shown = column === null ? all : histogramOf(view, column);
  const least = 1e-6, top = Math.max(...shown, column === null ? 0 : Math.max(...all) / 4, least);
  const y = (share) => height * (isLogarithmic
    ? Math.max(0, Math.log(share / least)) / Math.log(top / least) : Math.min(1, share / top));
  const bar = width / shown.length;
  context.fillStyle = colour(column === null ? "grey" : "blue");
  context.beginPath();
  context.moveTo(left, height);
  shown.forEach((share, i) => {
    const top = height - (share > 0 ? Math.max(1, y(share)) : 0);
    context.lineTo(left + i * bar, top);
    context.lineTo(left + (i + 1) * bar, top);
  });
  context.lineTo(left + width, height);
  context.fill();
  if (column !== null) {
    context.strokeStyle = colour("text");
    context.globalAlpha = .5;
    context.beginPath();
    all.forEach((share, i) => {
      context.lineTo(left + i * bar, height - y(share));
      context.lineTo(left + (i + 1) * bar, height - y(share));
    });
    context.stroke();
    context.globalAlpha = 1;
  }
  drawHistogramAxis(context, view, left, width, height, legal);
}

function drawHistogramAxis(context, view, left, width, height, legal) {
  context.fillStyle = colour("faint");
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "top";
  context.fillRect(left, height, width, 1);
  for (let i = 0; i <= 4; i++) {
    context.textAlign = i === 0 ? "left" : i === 4 ? "right" : "center";
    context.fillText(String(Math.round(view.rangeMin + (view.rangeMax - view.rangeMin) * i / 4)), left + width * i / 4, height + 4);
  }
  context.fillStyle = colour("orange");
  for (const share of legal?.shares || [])
    context.fillRect(left + width * share, 0, 1, height);
}
