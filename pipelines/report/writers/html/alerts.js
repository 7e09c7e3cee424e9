/* The alerts: what is wrong with the clip, at a glance.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
"use strict";

/* The types in the order of the lanes. A change of scene is no fault. */
const ALERTS = {
  black: { title: "Black picture", media: "video", colour: "black", isFault: true, format: (value) => (value * 100).toFixed(1) + " % of the pixels" },
  freeze: { title: "Frozen picture", media: "video", colour: "sky", isFault: true, format: (value) => "difference " + value.toFixed(5) },
  range: { title: "Out of range", media: "video", colour: "orange", isFault: true, format: (value) => (value * 100).toFixed(1) + " % of the pixels" },
  silence: { title: "Silence", media: "audio", colour: "purple", isFault: true, format: (value) => minus(value.toFixed(1)) + " dB" },
  clipping: { title: "Clipping", media: "audio", colour: "red", isFault: true, format: (value) => value.toFixed(0) + (value === 1 ? " run" : " runs") },
  loudness: { title: "Loudness off target", media: "audio", colour: "green", isFault: true, format: (value) => minus(value.toFixed(1)) + " LUFS" },
  rule: { title: "Broken rules", media: "", colour: "blue", isFault: true, format: (value) => minus(value.toPrecision(4)) },
  scene: { title: "Scene changes", media: "video", colour: "grey", isFault: false, format: (value) => "score " + value.toFixed(1) + " %" },
};
const MOST_ROWS = 500;

/* The alerts of all streams. Where an alert of video is, is a region; in sound it is a channel. */
const allAlerts = streams.flatMap((stream) => stream.alerts.map((alert) => ({
  ...alert, stream: stream.stream,
  isRegion: alert.place !== undefined && stream.kind === "video",
  place: (stream.kind === "audio" && stream["channel-names"]?.[alert.place?.match(/^ch(\d+)$/)?.[1]]) || alert.place,
  start: seconds(alert.start), end: seconds(alert.end) ?? stream.length,
})));

/* What was watched and could be checked. */
const watched = summary["watched-alerts"].filter((type) => streams.some((stream) => stream.kind === ALERTS[type].media &&
  stream.results > 0 && (type !== "loudness" || stream.words["has-short-term"])));
/* What is told of all tracks of sound together. A note is no doubt. */
const ofTracks = (severity) => summary.notices.filter((notice) => notice.kind === "programme"
  && notice.stream === undefined && notice.severity === severity).map((notice) => notice.text);
const notes = ofTracks("note");
const hints = [
  ...ofTracks("warn"),
  ...streams.flatMap((stream) => (stream.hints ?? []).map((hint) => stream.title + ": " + hint))];

/* Channels that are silent throughout, and pairs that are inverted. */
const headlines = streams.filter((stream) => stream.headline).map((stream) => stream.title + ": " + stream.headline);

const alertsOf = (type) => allAlerts.filter((alert) => alert.type === type);
/* The number of all alerts of a type, and the time in which there is one. */
const totalOf = (type) => alertTotals[type];
const seenTypes = () => Object.keys(ALERTS).filter((type) => totalOf(type));

/* The chip of a type: how often, how long. Each click shows the next one. */
function makeChip(type, total, onShow) {
  const { count, seconds } = totalOf(type), swatch = make("i");
  const timed = alertsOf(type).filter((alert) => alert.start !== null);
  let next = 0;
  swatch.style.background = colour(ALERTS[type].colour);
  const parts = [count + "\u00a0\u00d7"];
  if (type !== "scene" && seconds > 0)
    parts.push(formatDuration(seconds), (seconds / total * 100).toFixed(1) + " % of the clip");
  const chip = make("button", { className: "chip", type: "button", title: "Show the next one" }, swatch,
    make("b", {}, ALERTS[type].title), make("span", {}, parts.join(" \u00b7 ")));
  chip.addEventListener("click", () => timed.length > 0 && onShow(timed[next++ % timed.length]));
  return chip;
}

/* What was watched without a finding. */
function nothingFound() {
  const names = watched.filter((type) => ALERTS[type].isFault).map((type) => ALERTS[type].title.toLowerCase());
  const last = names.pop();
  /* Above it are the verdicts of policies, which are no alerts. */
  if (last !== undefined && (summary.policies ?? []).length > 0)
    return "Other alerts: none. Watched: " + [...names, last].join(", ") + ".";
  if (last === undefined)
    return "No alerts were watched.";
  return "No " + (names.length === 0 ? last : names.join(", ") + " or " + last) + " was found.";
}

function showVerdict(total, onShow) {
  const types = seenTypes(), faults = types.filter((type) => ALERTS[type].isFault);
  const text = document.getElementById("verdict-text");
  const count = faults.reduce((sum, type) => sum + totalOf(type).count, 0);
  const isSure = summary.complete && hints.length === 0 && watched.length > 0;
  const found = count === 0 ? nothingFound()
    : (count === 1 ? "1 alert: " : count + " alerts: ") + faults.map((type) => ALERTS[type].title.toLowerCase()).join(", ");
  text.textContent = [...firstOf(headlines), found].join(". ");
  text.className = count > 0 || headlines.length > 0 ? "bad" : isSure ? "good" : "unsure";
  document.getElementById("hints").replaceChildren(...firstOf([...hints, ...notes]).map((hint) => make("li", {}, hint)));
  document.getElementById("chips").replaceChildren(...types.map((type) => makeChip(type, total, onShow)));
}

/* ---- The list -------------------------------------------------------------------------------- */

function makeAlertRow(alert, onShow) {
  const known = alert.start !== null;
  const show = make("button", { type: "button" }, known ? formatTime(alert.start, 3) : "\u2013");
  const texts = [known && alert.end !== null && alert.type !== "scene" ? formatDuration(alert.end - alert.start) : "",
    alert.rule ?? ALERTS[alert.type].title, [streamOf(alert).title, alert.place].filter((part) => part).join(", "),
    !Number.isFinite(alert.value) ? "" : ALERTS[alert.type].format(alert.value)];
  const row = make("tr", {}, make("td", {}, show), ...texts.map((text) => make("td", {}, text)));
  if (known)
    row.addEventListener("click", () => onShow(alert));
  return row;
}

function showList(onShow) {
  const details = document.getElementById("alerts");
  const sorted = [...allAlerts].sort((a, b) => (a.start ?? -1) - (b.start ?? -1));
  details.hidden = sorted.length === 0;
  const count = seenTypes().reduce((sum, type) => sum + totalOf(type).count, 0);
  details.querySelector("summary").textContent = count > MOST_ROWS ? "List: the first " + MOST_ROWS + " of " + count : "List";
  details.querySelector("table").replaceChildren(
    make("thead", {}, make("tr", {}, ...["Begin", "Duration", "What", "Where", "Figure"].map((name) => make("th", {}, name)))),
    make("tbody", {}, ...sorted.slice(0, MOST_ROWS).map((alert) => makeAlertRow(alert, onShow))));
}

/* ---- The lanes ------------------------------------------------------------------------------- */

const LANE = 18, LANES_LEFT = 130;

/* One lane for each type over the whole clip. @range: what the charts show */
function drawLanes(canvas, whole, range) {
  const types = seenTypes(), height = Math.max(1, types.length) * LANE + 20;
  const context = prepareCanvas(canvas, height), width = canvas.clientWidth - LANES_LEFT - RIGHT_GAP;
  const x = (time) => LANES_LEFT + (time - whole[0]) / (whole[1] - whole[0]) * width;
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  types.forEach((type, lane) => {
    const top = lane * LANE;
    context.fillStyle = colour("ground");
    context.fillRect(LANES_LEFT, top + 1, width, LANE - 3);
    context.fillStyle = colour("text");
    context.textAlign = "right";
    context.fillText(ALERTS[type].title, LANES_LEFT - 8, top + LANE / 2, LANES_LEFT - 10);
    context.fillStyle = colour(ALERTS[type].colour);
    for (const alert of alertsOf(type).filter((candidate) => candidate.start !== null)) {
      const from = x(alert.start), to = x(alert.end === null ? alert.start : alert.end);
      context.fillRect(from, top + 1, Math.max(type === "scene" ? 1 : 3, to - from), LANE - 3);
    }
  });
  context.fillStyle = colour("faint");
  context.textAlign = "center";
  for (const tick of timeTicks(whole[0], whole[1], width))
    context.fillText(tick.label, Math.min(x(tick.v), canvas.clientWidth - context.measureText(tick.label).width / 2), height - 8);
  context.fillStyle = colour("text");
  context.globalAlpha = .14;
  context.fillRect(LANES_LEFT, 0, x(range[0]) - LANES_LEFT, height - 18);
  context.fillRect(x(range[1]), 0, LANES_LEFT + width - x(range[1]), height - 18);
  context.globalAlpha = 1;
  context.strokeStyle = colour("faint");
  context.strokeRect(x(range[0]) + .5, .5, Math.max(1, x(range[1]) - x(range[0]) - 1), height - 19);
}
