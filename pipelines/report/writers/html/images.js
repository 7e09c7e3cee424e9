/* The page of a set of images.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
"use strict";

const description = JSON.parse(byId("description").textContent);
const CHANNELS = [["R", "red"], ["G", "green"], ["B", "blue"]];

/* ---- Lists of images ------------------------------------------------------------------------ */

function makeImage(image) {
  const text = image.width + " \u00d7 " + image.height + ", brightness " + image.brightness.toFixed(4) + ", contrast " + image.contrast.toFixed(4);
  return make("figure", {}, image.picture === undefined ? make("p", { className: "hint" }, "no picture")
    : make("img", { src: "data:image/jpeg;base64," + image.picture, alt: image.path.slice(image.path.lastIndexOf("/") + 1) }),
  make("figcaption", { dir: "auto" }, image.path, make("br"), text));
}

/* @counts: the title says how many there are */
function makeList(list, counts) {
  const more = !counts ? "" : list.count > list.images.length ? ": the first " + list.images.length + " of " + list.count : ": " + list.count;
  const section = make("section", { className: "card", id: "list-" + list.key }, make("h2", {}, list.title + more),
    make("div", { className: "pictures small" }, ...list.images.map(makeImage)));
  section.setAttribute("aria-label", list.title);
  return section;
}

/* ---- Charts ----------------------------------------------------------------------------------- */

/* Shares of the pixels below this are not told apart on the logarithmic axis, in per cent. */
const LEAST_SHARE = 1e-4;

function showHistograms() {
  const isLog = byId("log").checked, shares = description.histograms.map((counts) => {
    const sum = counts.reduce((all, count) => all + count, 0);
    return counts.map((count) => count / sum * 100);
  });
  const most = Math.max(...shares.flat()), scale = (share) => isLog ? Math.log10(Math.max(share, LEAST_SHARE)) : share;
  const xs = shares[0].map((_, i) => i / 255);
  byId("histograms").replaceChildren(new Chart({ id: "histogram", title: "Share of the pixels in per cent", xs, isFilled: true,
    low: isLog ? Math.log10(LEAST_SHARE) : 0, high: scale(most) || 1, formatX: (x) => x.toFixed(1),
    formatY: isLog ? (tick) => Number.isInteger(tick) ? String(10 ** tick) : "" : undefined,
    series: CHANNELS.map(([name, colour], c) => ({ name, colour, values: shares[c].map(scale) })),
    describe: (i) => xs[i].toFixed(4) + ": " + CHANNELS.map(([name], c) => name + " " + shares[c][i].toFixed(3) + " %").join(", ") }).element);
}

function makeDistribution(key, title) {
  const { classes, most, fences } = description[key], width = most / classes.length, xs = classes.map((_, i) => i * width);
  return new Chart({ id: key, title: title + ": number of images", xs, isFilled: true, low: 0, high: Math.max(...classes, 1), formatX: (x) => x.toFixed(2),
    series: [{ name: title, colour: "blue", values: classes }],
    marks: fences.map((fence) => ({ x: fence, colour: "orange", kind: "beyond: unlike the others", text: "beyond " + fence.toFixed(3) })),
    describe: (i) => xs[i].toFixed(3) + " to " + (xs[i] + width).toFixed(3) + ": " + classes[i] + (classes[i] === 1 ? " image" : " images") }).element;
}

/* ---- The page --------------------------------------------------------------------------------- */

function makeFigures() {
  const rows = [["pooled", "Pooled"], ["perImage", "Per image"]].flatMap(([key, title]) => ["mean", "std"].map((figure) =>
    make("tr", {}, make("th", { scope: "row" }, title + " " + figure), ...description[key][figure].map((value) => make("td", {}, value.toFixed(4))))));
  byId("figures").append(make("thead", {}, make("tr", {}, make("td"), ...CHANNELS.map(([name]) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...rows));
}

function start() {
  const line = byId("verdict-text");
  line.className = classOfVerdict(line.textContent);
  byId("problems").replaceChildren(...description.problems.map((problem) => make("li", {}, problem)));
  byId("problems").hidden = description.problems.length === 0;
  byId("about").textContent = description.images + (description.images === 1 ? " image" : " images");
  byId("generator").textContent = "Made by " + description.generator + ". This page needs no network.";
  useTheme(() => {});
  byId("unlike").append(...description.unlike.map((list) => makeList(list, true)));
  byId("ranked").append(...description.ranked.map((list) => makeList(list, false)));
  makeFigures();
  showHistograms();
  byId("log").addEventListener("change", () => {
    showHistograms();
    drawCharts();
  });
  byId("distributions").append(makeDistribution("brightness", "Brightness"), makeDistribution("contrast", "Contrast"));
  drawCharts();
  document.documentElement.dataset.drawn = "true";
}

start();
