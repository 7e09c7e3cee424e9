/* The alerts: what is wrong with the clip, at a glance.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
"use strict";

/* The types in the order of the lanes. */
const ALERTS = {
  black: { title: "Black picture", colour: "black", format: (value) => (value * 100).toFixed(1) + " % of the pixels" },
  freeze: { title: "Frozen picture", colour: "sky", format: (value) => "difference " + value.toFixed(5) },
  range: { title: "Out of range", colour: "orange", format: (value) => (value * 100).toFixed(1) + " % of the pixels" },
  silence: { title: "Silence", colour: "purple", format: (value) => minus(value.toFixed(1)) + " dB" },
  clipping: { title: "Clipping", colour: "red", format: (value) => value.toFixed(0) + (value === 1 ? " run" : " runs") },
  loudness: { title: "Loudness off target", colour: "green", format: (value) => minus(value.toFixed(1)) + " LUFS" },
  rule: { title: "Broken rules", colour: "blue", format: (value) => minus(value.toPrecision(4)) },
  scene: { title: "Scene changes", colour: "grey", format: (value) => "score " + value.toFixed(1) + " %" },
};
const MOST_ROWS = 500, MOST_NOTICES = 12, MOST_PICTURES = 8;

/* The alerts of all streams. Where an alert of video is, is a region; in sound it is a channel. */
const allAlerts = streams.flatMap((stream) => stream.alerts.map((alert) => ({
  ...alert, stream: stream.stream,
  isRegion: alert.place !== undefined && stream.kind === "video",
  place: (stream.kind === "audio" && stream["channel-names"]?.[alert.place?.match(/^ch(\d+)$/)?.[1]]) || alert.place,
  start: seconds(alert.start), end: seconds(alert.end) ?? stream.length,
})));

/* What has an alert has its lane; rules of policies have a table. */
const NOTICES = {
  incomplete: { title: "Missing or damaged", colour: "red" }, contradiction: { title: "Contradictions", colour: "grey" },
  channel: { title: "Channels", colour: "purple" }, "true-peak": { title: "True peak", colour: "red" },
  flash: { title: "Flashes", colour: "red" }, "field-order": { title: "Field order", colour: "sky" },
  gamut: { title: "Gamut", colour: "orange" }, range: { title: "Out of range", colour: "orange" },
  hdr: { title: "Light levels", colour: "orange" }, time: { title: "Times", colour: "blue" },
  change: { title: "Changes", colour: "grey" }, cadence: { title: "Cadence", colour: "sky" },
  repeat: { title: "Repeats", colour: "sky" }, short: { title: "Short faults", colour: "red" },
  silence: { title: "Silence", colour: "purple" }, clipping: { title: "Clipping", colour: "red" },
  loudness: { title: "Loudness", colour: "green" }, rule: { title: "Rules", colour: "blue" },
};
const notices = summary.notices.filter((notice) => notice.kind !== "rule" || (summary.policies ?? []).length === 0);

/* When a notice is, or when its worst value is. */
function spansOf(notice) {
  const spans = (notice.spans ?? []).filter((span) => span.start !== undefined && span.input === undefined)
    .map((span) => ({ start: seconds(span.start), end: span.end === undefined ? null : seconds(span.end) }));
  return spans.length > 0 || notice["value-time"] === undefined ? spans : [{ start: seconds(notice["value-time"]), end: null }];
}

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

/* A button that shows the time of a span. */
function makeSpan(span, onShow) {
  const button = make("button", { type: "button", title: "Show" },
    formatTime(span.start, 3) + (span.end === null ? "" : " \u2013 " + formatTime(span.end, 3)));
  button.addEventListener("click", () => onShow(span));
  return button;
}

/* A notice: what it says of which stream, its first times, which are buttons, and how it looks. */
function makeNotice(notice, hasPictures, onShow) {
  const stream = streams[notice.stream], spans = spansOf(notice);
  const lead = stream === undefined || notice.text.startsWith(stream.title) ? "" : stream.title + ": ";
  return make("li", { className: notice.severity }, ...(hasPictures ? makePictures(notice, spans, onShow) : []), make("div", {}, lead + notice.text,
    ...spans.slice(0, 8).flatMap((span) => [" ", makeSpan(span, onShow)]), spans.length > 8 ? " and " + (spans.length - 8) + " more" : ""));
}

function showVerdict(total, onShow) {
  const text = document.getElementById("verdict-text"), line = summary["verdict-line"];
  text.textContent = line;
  text.className = classOfVerdict(line);
  document.getElementById("hints").replaceChildren(...notices.slice(0, MOST_NOTICES).map((notice, i) => makeNotice(notice, i < MOST_PICTURES, onShow)),
    ...(notices.length > MOST_NOTICES ? [make("li", {}, "and " + (notices.length - MOST_NOTICES) + " more")] : []));
  document.getElementById("chips").replaceChildren(...seenTypes().map((type) => makeChip(type, total, onShow)));
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

const LANE = 18, LANES_LEFT = innerWidth < 600 ? 96 : 130;

/* One lane for each type of alert, and one for each kind of notice of which there is no alert. */
function makeLanes() {
  const types = seenTypes();
  /* What has no time is of the whole film. */
  const isWhole = (kind) => notices.some((notice) => notice.kind === kind && notice.severity !== "note" && spansOf(notice).length === 0);
  const kinds = Object.keys(NOTICES).filter((kind) => !types.includes(kind));
  const places = new Map(kinds.map((kind) => [kind, notices.filter((notice) => notice.kind === kind).flatMap(spansOf)]));
  return [
    ...types.map((type) => ({ ...ALERTS[type], least: type === "scene" ? 1 : 3,
      spans: alertsOf(type).filter((alert) => alert.start !== null) })),
    ...kinds.filter((kind) => places.get(kind).length > 0 || isWhole(kind)).map((kind) => ({ ...NOTICES[kind], least: 3,
      spans: places.get(kind), isWhole: isWhole(kind) })),
  ];
}
const lanes = makeLanes();

/* The span at a point of the canvas: the nearest one of the lane, at most 4 pixels away. null: there is none */
function spanAt(canvas, whole, x, y) {
  const scale = (canvas.clientWidth - LANES_LEFT - RIGHT_GAP) / (whole[1] - whole[0]);
  const place = (time) => LANES_LEFT + (time - whole[0]) * scale;
  const away = (span) => Math.max(place(span.start) - x, x - place(span.end ?? span.start), 0);
  const spans = lanes[Math.floor(y / LANE)]?.spans ?? [];
  const nearest = spans.reduce((best, span) => best === null || away(span) < away(best) ? span : best, null);
  return nearest !== null && away(nearest) <= 4 ? nearest : null;
}

/* All marks, lane by lane, in the order of their times. */
const allMarks = lanes.flatMap((lane) => [...lane.spans].sort((a, b) => a.start - b.start).map((span) => ({ lane, span })));

/* What a mark is, for people who do not see it. */
const nameOfMark = ({ lane, span }) => lane.title + ", " + formatTime(span.start, 3) +
  (span.end === null || span.end === span.start ? "" : " \u2013 " + formatTime(span.end, 3));

/* The lanes over the whole clip. @range: what the charts show; @pin: null or a time; @mark: null or the one that the keys have chosen */
function drawLanes(canvas, whole, range, pin, mark) {
  const height = Math.max(1, lanes.length) * LANE + 20;
  const context = prepareCanvas(canvas, height), width = canvas.clientWidth - LANES_LEFT - RIGHT_GAP;
  const x = (time) => LANES_LEFT + (time - whole[0]) / (whole[1] - whole[0]) * width;
  context.font = (LANES_LEFT < 130 ? "11" : "12") + "px system-ui, sans-serif";
  context.textBaseline = "middle";
  lanes.forEach((lane, i) => {
    const top = i * LANE;
    context.fillStyle = colour("ground");
    context.fillRect(LANES_LEFT, top + 1, width, LANE - 3);
    context.fillStyle = colour("text");
    context.textAlign = "right";
    context.fillText(lane.title, LANES_LEFT - 8, top + LANE / 2, LANES_LEFT - 10);
    context.fillStyle = colour(lane.colour);
    if (lane.isWhole && lane.spans.length === 0) {
      context.globalAlpha = .45;
      context.fillRect(LANES_LEFT, top + LANE / 2 - 3, width, 4);
      context.globalAlpha = 1;
    }
    for (const span of lane.spans) {
      const from = x(span.start), to = x(span.end ?? span.start);
      context.fillRect(from, top + 1, Math.max(lane.least, to - from), LANE - 3);
      if (mark !== null && mark.span === span && mark.lane === lane) {
        context.strokeStyle = colour("text");
        context.lineWidth = 2;
        context.strokeRect(from - 2, top, Math.max(lane.least, to - from) + 4, LANE - 1);
        context.lineWidth = 1;
      }
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
  if (pin !== null) {
    context.fillStyle = colour("red");
    context.fillRect(x(pin) - 1, 0, 2, height - 18);
  }
  context.strokeStyle = colour("faint");
  context.strokeRect(x(range[0]) + .5, .5, Math.max(1, x(range[1]) - x(range[0]) - 1), height - 19);
}
