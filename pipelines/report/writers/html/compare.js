/* The page of a comparison: charts of the pairs of frames and of the sound, and the worst frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
"use strict";

const description = JSON.parse(byId("description").textContent);
const { mostPsnr, leastLevel } = description;

/* Infinities are texts. */
const numberOf = (value) => value === "inf" ? Infinity : value === "-inf" ? -Infinity : value;

/* ---- Pairs of frames ---------------------------------------------------------------------- */

const timeOf = (place) => place.time === undefined ? null : place.time / 1e9;
const placeOf = (place) => "frame " + place.frame + (place.time === undefined ? "" : " at " + formatTime(timeOf(place), 3));

/* Where the points are: at their times, or, if one is unknown, at their numbers. */
const axisOf = (points) => points.some((point) => point.time === undefined)
  ? { xOf: (place) => place.frame, formatX: (x) => "frame " + x } : { xOf: timeOf, formatX: formatTick };

function makePairChart(stream, key, about) {
  const points = stream.pairs[key], { xOf, formatX } = axisOf(points), values = points.map((point) => numberOf(point.value));
  const marks = [...stream.unpaired.map((unpaired) => ({ x: xOf(unpaired), colour: "red", kind: "frames only in A or B", text: unpaired.text })),
    ...stream.moments.map((moment) => ({ x: xOf(moment), colour: "purple", kind: "frames that differ otherwise", text: moment.text })),
    ...stream.worst.map((worst, i) => ({ x: xOf(worst), colour: "orange", kind: "worst frames", text: "worst frame " + (i + 1) }))];
  return new Chart({ ...about, id: key + "-" + stream.number, xs: points.map(xOf), series: [{ name: about.title, colour: "blue", values }], formatX,
    marks: marks.filter((mark) => mark.x !== null),
    describe: (i) => placeOf(points[i]) + ": " + about.format(values[i]) });
}

function makePairCharts(stream) {
  if (stream.pairs === undefined || stream.pairs.psnr.length === 0)
    return [];
  const least = Math.min(1, ...stream.pairs.ssim.map((point) => point.value ?? 1));
  return [
    makePairChart(stream, "psnr", { title: "PSNR in dB", low: 0, high: mostPsnr,
      format: (value) => value === null ? "unknown" : value === Infinity ? "equal" : value.toFixed(2) + " dB" }),
    makePairChart(stream, "ssim", { title: "SSIM", low: Math.floor(least * 20 - .01) / 20, high: 1,
      format: (value) => value === null ? "unknown" : minus(value.toFixed(5)) }),
  ];
}

/* ---- Sound ---------------------------------------------------------------------------------- */

function makeSoundCharts(stream) {
  if (stream.seconds === undefined)
    return [];
  const values = stream.seconds.map(numberOf), xs = values.map((_, i) => i * stream.step);
  return [new Chart({ id: "sound-" + stream.number, title: "Difference of the sound in dBFS, of each " +
    (stream.step === 1 ? "second" : stream.step + " s: the greatest"), xs, low: leastLevel, high: 0, formatX: formatTick,
  series: [{ name: "difference", colour: "purple", values }],
  describe: (i) => formatTime(xs[i], 0) + ": " + (values[i] === -Infinity ? "equal" : minus(values[i].toFixed(1)) + " dBFS") })];
}

/* ---- The worst frames ----------------------------------------------------------------------- */

function makePicture(base64, caption, worst) {
  return make("figure", {}, make("img", { src: "data:image/jpeg;base64," + base64, alt: caption + ", frame " + worst.frame }),
    make("figcaption", {}, caption));
}

function makeWorst(worst) {
  const psnr = numberOf(worst.psnr);
  const title = make("h3", {}, placeOf(worst)[0].toUpperCase() + placeOf(worst).slice(1) + ": PSNR " + (psnr === Infinity ? "equal" : psnr.toFixed(2) + " dB") +
    (worst.ssim === null ? "" : ", SSIM " + minus(worst.ssim.toFixed(5))) + ", differences in " + worst.width + " \u00d7 " + worst.height +
    " at (" + worst.x + ", " + worst.y + ")");
  const pictures = [["a", "A"], ["b", "B"], ["difference", "difference of R, G and B, times " + worst.factor]]
    .filter(([key]) => worst[key] !== undefined).map(([key, caption]) => makePicture(worst[key], caption, worst));
  return make("div", { className: "worst" }, title, make("div", { className: "pictures" }, ...pictures));
}

function makeStream(stream) {
  const section = make("section", { className: "card" }, make("h2", { className: stream.verdict === "DIFFERENT" ? "bad" : "good" }, stream.title + ": " + stream.verdict),
    ...(stream.reasons.length > 0 ? [make("p", { className: "reasons" }, stream.reasons.join(", "))] : []),
    ...[...makePairCharts(stream), ...makeSoundCharts(stream)].map((chart) => chart.element),
    ...(stream.worst.length > 0 ? [make("h2", {}, "Worst frames"), ...stream.worst.map(makeWorst)] : []));
  section.setAttribute("aria-label", stream.title);
  return section;
}

function start() {
  byId("generator").textContent = "Made by " + description.generator + ". This page needs no network.";
  useTheme(() => {});
  byId("streams").append(...description.streams.map((stream, number) => makeStream({ ...stream, number })));
  drawCharts();
  document.documentElement.dataset.drawn = "true";
}

start();
