// The page of one input: how it is now, charts that grow, the pictures of the last minutes, and all notices.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";
import { follow, make, makeMeters, makeNotices, tellState, tellTime } from "./live.js";

const index = Number(location.pathname.split("/").pop());
const MOST_ROWS = 600;
// Which figures have a chart, in the order of a row: place, title, unit, least and greatest value.
const CHARTS = [
  [1, "Mean level of the picture", "%", 0, 100], [3, "Difference to the frame before", "%", 0, 100],
  [4, "Sample peak", "dBFS", -90, 0], [6, "Momentary loudness", "LUFS", -60, 0], [7, "Short-term loudness", "LUFS", -60, 0],
];
const SECONDS = { seconds: 1, minutes: 60, hours: 3600 };

const span = document.getElementById("span"), charts = document.getElementById("charts"), now = document.getElementById("now");
const when = document.getElementById("when"), picture = document.getElementById("picture"), whenText = document.getElementById("when-text");
const shot = { image: make("img", { alt: "The latest picture" }), state: make("p", { class: "state", role: "status" }),
  verdict: make("p", { class: "faint" }), meters: make("div") };
let seconds = [], others = null, pictures = [], version = "";

now.append(make("div", { class: "shot" }, shot.image), make("div", {}, shot.state, shot.verdict), shot.meters);
const figures = CHARTS.map(([, title, unit]) => {
  const canvas = make("canvas", { role: "img" }), words = make("span");
  charts.append(make("figure", {}, make("figcaption", {}, `${title} in ${unit} `, words), canvas));
  return { canvas, words };
});

/** Draws the least, mean and greatest value of each row. A row that is missing leaves a gap. */
function draw() {
  const rows = others ?? seconds, step = SECONDS[span.value], style = getComputedStyle(document.documentElement);
  CHARTS.forEach(([place, title, unit, low, high], i) => {
    const { canvas, words } = figures[i], width = canvas.clientWidth, height = canvas.clientHeight, ratio = devicePixelRatio || 1;
    const known = rows.filter((row) => row[place + 1] !== null);
    canvas.parentElement.hidden = known.length === 0;
    if (known.length === 0 || width === 0) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const pen = canvas.getContext("2d"), first = known[0][0], last = known[known.length - 1][0] + step;
    const x = (time) => (time - first) / (last - first) * width;
    const y = (value) => height - 2 - (Math.min(Math.max(value, low), high) - low) / (high - low) * (height - 4);
    pen.scale(ratio, ratio);
    pen.fillStyle = style.getPropertyValue("--band");
    for (const row of known) {
      const [least, , most] = row[place + 1];
      pen.fillRect(x(row[0]), y(most), Math.max(width * step / (last - first), 1), Math.max(y(least) - y(most), 1));
    }
    pen.strokeStyle = style.getPropertyValue("--curve");
    pen.beginPath();
    known.forEach((row, k) => {
      const follows = k > 0 && row[0] - known[k - 1][0] <= 1.5 * step;
      pen[follows ? "lineTo" : "moveTo"](x(row[0] + step / 2), y(row[place + 1][1]));
    });
    pen.stroke();
    const [least, mean, most] = known[known.length - 1][place + 1];
    words.textContent = `now ${mean} (${least} to ${most})`;
    canvas.setAttribute("aria-label", `${title}: ${known.length} values from ${tellTime(first * 1000)} on; the latest is ${mean} ${unit}`);
    canvas.dataset.rows = String(known.length);
  });
}

function showPicture() {
  const time = pictures[Number(when.value)];
  picture.hidden = time === undefined;
  if (time === undefined) return;
  picture.src = `/picture/${index}/${time}`;
  whenText.textContent = tellTime(time / 1000);
  picture.alt = `The picture of ${whenText.textContent}`;
}

async function load(address) {
  const answer = await fetch(address);
  return answer.ok ? answer.json() : [];
}

async function loadRows() {
  others = span.value === "seconds" ? null : await load(`/rows/${index}/${span.value}`);
  draw();
}

async function loadNotices() {
  const all = (await load("/notices.json")).inputs;
  document.getElementById("notices").replaceChildren(...makeNotices(index, all[index].notices, true));
}

function show(input) {
  const { words, kind } = tellState(input);
  document.getElementById("name").textContent = input.name;
  document.title = `${input.name} - cudahisto`;
  if (shot.state.textContent !== words) shot.state.textContent = words;
  shot.state.className = `state ${kind}`;
  document.documentElement.dataset.state = input.state;
  shot.verdict.textContent = input.verdict ? `Last minutes: ${input.word ? input.word + "  " : ""}${input.verdict}` : "";
  shot.meters.replaceChildren(...input.streams.flatMap(makeMeters).filter((element) => element));
  shot.image.hidden = input.picture === undefined;
  if (input.picture !== undefined) {
    shot.image.src = `/picture/${index}/${input.picture}`;
    if (pictures[pictures.length - 1] !== input.picture) {
      const isLast = Number(when.value) >= pictures.length - 1;
      pictures.push(input.picture);
      if (pictures.length > MOST_ROWS) {
        pictures.shift();
        when.value = String(Math.max(Number(when.value) - 1, 0));
      }
      when.max = String(pictures.length - 1);
      if (isLast) when.value = when.max;
      showPicture();
    }
  }
  const latest = JSON.stringify(input.notices);
  if (latest !== version) {
    version = latest;
    loadNotices();
  }
}

function addRows(rows) {
  const latest = seconds.length > 0 ? seconds[seconds.length - 1][0] : 0;
  seconds = [...seconds, ...rows.filter((row) => row[0] > latest)].slice(-MOST_ROWS);
  if (others === null) draw();
}

span.addEventListener("change", loadRows);
when.addEventListener("input", showPicture);
addEventListener("resize", draw);
setInterval(() => { if (others !== null) loadRows(); }, 60000);
pictures = await load(`/pictures/${index}`);
when.max = String(Math.max(pictures.length - 1, 0));
when.value = when.max;
showPicture();
follow(`/events/${index}`, { input: show, rows: addRows });
