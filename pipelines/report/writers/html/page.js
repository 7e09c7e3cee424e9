/* The page: what is shown, and what the user does.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
"use strict";

/* What is shown. video and audio are views or null; times are in seconds. */
const state = { video: null, audio: null, whole: [0, 1], range: [0, 1], hover: null, pin: null, mark: null, charts: [],
  isLogarithmic: null };

const shownViews = () => [state.video, state.audio].filter((view) => view !== null);

/* ---- Zoom ------------------------------------------------------------------------------------ */

/* @range: null for the whole clip */
function setRange(range) {
  const [first, last] = state.whole, shortest = Math.min(last - first, .2);
  let [from, to] = range === null ? state.whole : range;
  const length = Math.min(Math.max(to - from, shortest), last - first);
  from = Math.min(Math.max((from + to - length) / 2, first), last - length);
  to = from + length;
  if (from === state.range[0] && to === state.range[1])
    return;
  state.range = [from, to];
  for (const chart of state.charts)
    chart.setRange(state.range);
  showRange();
}

function zoom(factor) {
  const [from, to] = state.range, middle = state.pin !== null && state.pin >= from && state.pin <= to ? state.pin : (from + to) / 2;
  setRange([middle - (middle - from) * factor, middle + (to - middle) * factor]);
}

function showAlert(alert) {
  const end = alert.end === null ? alert.start : alert.end, around = Math.max(1, (end - alert.start) / 2);
  setRange([alert.start - around, end + around]);
  setPin(alert.start);
  byId("body").scrollIntoView({ block: "nearest" });
}

function showRange() {
  const [from, to] = state.range, digits = to - from < 10 ? 3 : to - from < 120 ? 1 : 0;
  byId("range").textContent = formatTime(from, digits) + " \u2013 " + formatTime(to, digits);
  showLanes();
  placeLines();
}

function showLanes() {
  drawLanes(byId("lanes"), state.whole, state.range, state.pin, state.mark);
}

/* The frames above the lanes. */
function showFilmstrip() {
  const stream = state.video !== null ? state.video.stream : thumbnails[0]?.stream;
  fillFilmstrip(byId("filmstrip"), stream, state.whole, LANES_LEFT, byId("lanes").clientWidth - LANES_LEFT - RIGHT_GAP, showMoment);
}

/* Shows the frame of a time; the charts go there if they do not have it. */
function showMoment(time) {
  const [from, to] = state.range;
  if (time < from || time > to)
    setRange([time - (to - from) / 2, time + (to - from) / 2]);
  setPin(time);
}

/* Chooses the mark that is so many further on. */
function stepMark(steps) {
  if (allMarks.length === 0)
    return;
  const at = state.mark === null ? (steps > 0 ? -1 : 0) : allMarks.indexOf(state.mark);
  state.mark = allMarks[(at + steps + allMarks.length) % allMarks.length];
  byId("mark").textContent = nameOfMark(state.mark) + ": press Enter to see it.";
  showLanes();
}

/* ---- Pointer --------------------------------------------------------------------------------- */

/* The chart's left edge and width of the curves, in the coordinates of #charts. */
function areaInCharts(chart) {
  const { left, width } = chart.area(), inner = (chart.plot || chart.canvas).getBoundingClientRect();
  return { left: left + inner.left - byId("charts").getBoundingClientRect().left, width };
}

function timeAt(clientX) {
  if (state.charts.length === 0)
    return null;
  const { left, width } = areaInCharts(state.charts[0]), [from, to] = state.range;
  const share = (clientX - byId("charts").getBoundingClientRect().left - left) / width;
  return share < -.01 || share > 1.01 ? null : from + (to - from) * Math.min(1, Math.max(0, share));
}

function placeLine(line, time) {
  const [from, to] = state.range;
  line.hidden = time === null || time < from || time > to || state.charts.length === 0;
  if (line.hidden)
    return;
  const { left, width } = areaInCharts(state.charts[0]);
  line.style.left = left + (time - from) / (to - from) * width + "px";
}

function placeLines() {
  const view = state.video || state.audio;
  const snapped = (time) => time === null || view === null ? null : view.times[nearestColumn(view, time)];
  placeLine(byId("crosshair"), snapped(state.hover));
  placeLine(byId("pin"), snapped(state.pin));
}

function setHover(time) {
  state.hover = time;
  placeLines();
  showReadout();
}

/* @time: null for none */
function setPin(time) {
  state.pin = time;
  placeLines();
  showLanes();
  showReadout();
  showHistogram();
}

/* Moves the pin by so many frames. */
function stepPin(frames) {
  const view = state.video || state.audio;
  if (view === null)
    return;
  const time = state.pin ?? state.hover ?? state.range[0];
  const column = Math.min(Math.max(nearestColumn(view, time) + frames, 0), view.times.length - 1);
  const [from, to] = state.range, next = view.times[column];
  state.hover = null;
  if (next < from || next > to)
    setRange([next - (to - from) / 2, next + (to - from) / 2]);
  setPin(next);
}

/* ---- Figures --------------------------------------------------------------------------------- */

/* "Frame 7", or "Frames 8–15" where frames share a column. */
function nameOfColumn(view, column) {
  const first = column * view.step, name = view.kind === "video" ? "Frame" : "Window";
  return view.step === 1 ? name + " " + first : name + "s " + first + "\u2013" + (first + view.step - 1);
}

function colourOfSeries(key) {
  for (const chart of state.charts.filter((candidate) => candidate.lines))
    for (const line of chart.lines)
      if (line.series.key === key)
        return line.colour;
  return null;
}

function makeReadoutRow(series, column) {
  const swatch = make("i"), name = colourOfSeries(series.key);
  swatch.style.borderColor = name === null ? "transparent" : colour(name);
  const row = make("tr", {}, make("td", {}, swatch, series.label), make("td", {}, formatValue(series, series.values[column])));
  row.dataset.key = series.key;
  return row;
}

function makeReadout(view, time) {
  const column = nearestColumn(view, time), begin = view.times[column], rows = [];
  let chart = null;
  for (const series of view.series) {
    if (series.chart !== chart) {
      chart = series.chart;
      const about = CHARTS.find((candidate) => candidate.id === chart);
      rows.push(make("tr", { className: "group" }, make("td", { colSpan: 2 }, titleOf(about, view))));
    }
    rows.push(makeReadoutRow(series, column));
  }
  const alerts = allAlerts.filter((alert) => alert.stream === view.stream && alert.start !== null &&
    alert.start <= begin + 1e-6 && (alert.end ?? alert.start) >= begin - 1e-6 && (!alert.isRegion || alert.place === view.region));
  const title = make("h2", {}, make("span", {}, nameOfColumn(view, column)), make("span", {}, formatTime(begin, 3)));
  const now = [...new Set(alerts.map((alert) => ALERTS[alert.type].title))].join(", ");
  const table = make("table", {}, make("tbody", {}, ...rows));
  table.dataset.kind = view.kind;
  table.dataset.column = column;
  return [title, ...(now ? [make("p", { className: "now" }, now)] : []), table];
}

/* The figures at the pointer; without a pointer those of the pinned frame. */
function showReadout() {
  const time = state.hover ?? state.pin;
  byId("side").classList.toggle("has-time", time !== null);
  showScopes(time);
  byId("readout").replaceChildren(...(time === null
    ? [make("p", {}, "Point at a chart: the figures of the frame are here.")]
    : shownViews().flatMap((view) => makeReadout(view, time))));
}

/* The picture that is nearest to a time, and its scopes. */
function showScopes(time) {
  const thumbnail = time === null || state.video === null ? null : nearestThumbnail(thumbnailsOf(state.video.stream), time);
  byId("scopes-card").hidden = thumbnail === null;
  if (thumbnail === null || byId("pointed").dataset.time === String(thumbnail.time))
    return;
  Object.assign(byId("pointed"), { src: sourceOf(thumbnail, false), alt: "Frame at " + formatTime(thumbnail.time, 3) });
  byId("pointed").dataset.time = thumbnail.time;
  byId("scopes-title").textContent = "Nearest picture, " + formatTime(thumbnail.time, 3);
  pixelsOf(thumbnail).then((pixels) => {
    if (byId("pointed").dataset.time === String(thumbnail.time))
      drawScopes(byId("waveform"), byId("vectorscope"), pixels);
  });
}

function showHistogram() {
  const view = state.video, canvas = byId("histogram");
  byId("histogram-card").hidden = view === null || view.histogram.length === 0;
  if (byId("histogram-card").hidden)
    return;
  const column = state.pin === null || view.heat === null ? null : nearestColumn(view, state.pin);
  const title = column === null ? "Histogram of " + view.luma + ", whole clip"
    : "Histogram of " + view.luma + ", " + nameOfColumn(view, column).toLowerCase();
  byId("histogram-title").textContent = title;
  byId("unpin").hidden = column === null;
  byId("histogram-limits").textContent = streamOf(view).legal === null ? "" : "lines: " + streamOf(view).legal.label;
  byId("histogram-card").classList.toggle("pinned", column !== null);
  canvas.setAttribute("aria-label", title);
  canvas.dataset.column = column === null ? "all" : column;
  byId("histogram-log").checked = state.isLogarithmic ?? (column === null && hasSpike(histogramOfAll(view, 64)));
  drawHistogram(canvas, view, column, byId("histogram-log").checked, streamOf(view).legal);
}

/* ---- Building ------------------------------------------------------------------------------------ */

function makeFacts(title, facts) {
  const list = make("dl");
  for (const [name, text] of facts)
    list.append(make("div", {}, make("dt", {}, name), make("dd", {}, text)));
  return make("div", {}, make("h2", {}, title), list);
}

function showFacts() {
  const cards = shownViews().map((view) => {
    const stream = streamOf(view);
    return makeFacts(stream.title + (view.region === null ? "" : ", region " + view.region), [...factsOfStream(stream), ...factsOfView(view, stream)]);
  });
  byId("facts").replaceChildren(...cards);
}

function makeCharts() {
  state.charts.forEach((chart) => chart.destroy());
  byId("charts").querySelectorAll(".chart").forEach((element) => element.remove());
  state.charts = [];
  for (const chart of CHARTS) {
    const view = state[chart.kind];
    if (view === null || (chart.id === "heat" ? view.heatIsRead === null : linesOf(chart, view).length === 0))
      continue;
    const made = new (chart.id === "heat" ? Heat : Curves)(chart, view, state.range, setRange);
    byId("charts").append(made.element);
    state.charts.push(made);
    made.draw();
  }
}

/* The begin and end of all that is shown. */
function wholeOf(shown) {
  const begins = shown.filter((view) => view.times.length).map((view) => view.times[0]);
  const ends = shown.filter((view) => view.times.length).map((view) => view.times[view.times.length - 1] + lengthOfColumn(view));
  const from = Math.min(...begins, ...(begins.length ? [] : [0])), to = Math.max(...ends, from + .1);
  return [from, to];
}

async function showViews() {
  const choose = async (kind) => {
    const select = byId(kind + "-view");
    return select.options.length ? await getView(Number(select.value)) : null;
  };
  const [video, audio] = await Promise.all([choose("video"), choose("audio")]);
  const wasWhole = state.range[0] === state.whole[0] && state.range[1] === state.whole[1];
  Object.assign(state, { video, audio, whole: wholeOf([video, audio].filter((view) => view !== null)) });
  if (wasWhole)
    state.range = state.whole;
  showFacts();
  makeCharts();
  showRange();
  showFilmstrip();
  showReadout();
  showHistogram();
  performance.mark("curves-drawn");
  if (video !== null && video.heatIsRead !== null)
    video.heatIsRead.then(() => showHeat(video));
  else
    document.documentElement.dataset.drawn = "true";
}

/* The histograms of the view have been read. */
function showHeat(view) {
  if (state.video !== view)
    return;
  state.charts.filter((chart) => chart instanceof Heat).forEach((chart) => chart.draw());
  showHistogram();
  performance.mark("all-drawn");
  document.documentElement.dataset.drawn = "true";
}

function fillSelect(kind) {
  const select = byId(kind + "-view");
  description.views.forEach((view, number) => {
    const stream = streamOf(view);
    if (view.kind === kind)
      select.append(make("option", { value: number }, stream.title + (view.region === null ? "" : ": " + view.region)));
  });
  byId(kind + "-control").hidden = select.options.length < 2;
  select.addEventListener("change", showViews);
}

/* Everything anew, in other colours. */
function redraw() {
  showVerdict(state.whole[1] - state.whole[0], showAlert);
  makeCharts();
  showRange();
  showReadout();
  showHistogram();
}

function addHandlers() {
  const charts = byId("charts");
  let press = null;
  charts.addEventListener("pointermove", (event) => setHover(timeAt(event.clientX)));
  charts.addEventListener("pointerleave", () => setHover(null));
  charts.addEventListener("pointerdown", (event) => { press = event.clientX; }, true);
  charts.addEventListener("click", (event) => {
    const time = timeAt(event.clientX);
    if (time !== null && press !== null && Math.abs(event.clientX - press) < 4)
      setPin(time);
  });
  charts.addEventListener("dblclick", () => setRange(null));
  byId("zoom-in").addEventListener("click", () => zoom(.5));
  byId("zoom-out").addEventListener("click", () => zoom(2));
  byId("zoom-all").addEventListener("click", () => setRange(null));
  byId("unpin").addEventListener("click", () => setPin(null));
  byId("histogram-log").addEventListener("change", () => {
    state.isLogarithmic = byId("histogram-log").checked;
    showHistogram();
  });
  addDragging(byId("lanes"), () => ({ left: LANES_LEFT, width: byId("lanes").clientWidth - LANES_LEFT - RIGHT_GAP }),
    () => state.whole, setRange);
  byId("lanes").addEventListener("click", (event) => {
    const span = spanAt(byId("lanes"), state.whole, event.offsetX, event.offsetY);
    if (span !== null)
      showAlert(span);
  });
  byId("lanes").addEventListener("keydown", (event) => {
    const keys = { ArrowLeft: () => stepMark(-1), ArrowRight: () => stepMark(1), Enter: () => state.mark !== null && showAlert(state.mark.span) };
    if (event.ctrlKey || event.metaKey || event.altKey || keys[event.key] === undefined)
      return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  });
  byId("lanes").addEventListener("blur", () => {
    state.mark = null;
    byId("mark").textContent = "";
    showLanes();
  });
  window.addEventListener("beforeprint", () => preparePrint(true));
  window.addEventListener("afterprint", () => preparePrint(false));
  window.addEventListener("resize", () => requestAnimationFrame(() => {
    fitAll();
  }));
  document.addEventListener("keydown", (event) => {
    const keys = { ArrowLeft: () => stepPin(-1), ArrowRight: () => stepPin(1), "+": () => zoom(.5), "-": () => zoom(2),
      0: () => setRange(null), Escape: () => setPin(null) };
    if (!event.ctrlKey && !event.metaKey && !event.altKey && event.target.tagName !== "SELECT" && keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  });
}

/* All that is drawn for the width of the page. */
function fitAll() {
  state.charts.forEach((chart) => chart.resize());
  showRange();
  showFilmstrip();
  showHistogram();
}

/* Paper is white, and as wide as A4 between its margins: canvases are drawn for that. */
function preparePrint(isBegin) {
  const root = document.documentElement;
  if (isBegin)
    root.dataset.screen = root.dataset.theme;
  setTheme(isBegin ? "light" : root.dataset.screen);
  root.classList.toggle("print", isBegin);
  byId("about-film").open = isBegin || !isNarrow();
  redraw();
  fitAll();
}

const isNarrow = () => matchMedia("(max-width: 900px)").matches;

function showProblem(text) {
  byId("problem").hidden = false;
  byId("problem").textContent = text;
}

/* So many streams are named below the title. */
const MOST_STREAMS = 4;

async function start() {
  const duration = seconds(summary.duration);
  const lengths = streams.map((stream) => stream.length).filter((length) => length !== null);
  useTheme(redraw);
  state.whole = state.range = [0, Math.max(...lengths, duration ?? 0, .1)];
  byId("about").textContent = [...(duration === null ? [] : [formatTime(duration, 1)]), ...streams.slice(0, MOST_STREAMS).flatMap(factsInShort),
    ...(streams.length > MOST_STREAMS ? ["and " + (streams.length - MOST_STREAMS) + " more streams"] : [])].join(" \u00b7 ");
  byId("generator").textContent = "Made by " + description.generator + ". This page needs no network.";
  /* Else the notices say it. */
  if (!summary.complete && !notices.some((notice) => notice.kind === "incomplete"))
    showProblem([streams.length > 0 ? "Not complete:" : "Not measured:", ...firstOf((summary.problems ?? []).map((problem) => problem.text))].join("\n"));
  byId("about-film").open = !isNarrow();
  fillSelect("video");
  fillSelect("audio");
  showPolicies(showAlert);
  showVerdict(state.whole[1] - state.whole[0], showAlert);
  showList(showAlert);
  showRange();
  addHandlers();
  if (typeof DecompressionStream === "undefined") {
    showProblem("This browser is too old for the charts: it has no DecompressionStream (since 2023 all browsers have it).");
    return;
  }
  await showViews();
}

start().catch((error) => {
  showProblem("The charts cannot be shown: " + error.message);
  throw error;
});
