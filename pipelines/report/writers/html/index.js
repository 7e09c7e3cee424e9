/* The index: the rows of all inputs, sorted and filtered. Rows are made when they come into view.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
"use strict";

const description = JSON.parse(byId("description").textContent);
const { members, kinds } = description;

/* The inputs in their order, with the members that html-index.c names. */
const inputs = JSON.parse(byId("data").textContent).map((row, number) => {
  const input = { number, row: Object.fromEntries(members.map((name, i) => [name, row[i]])) };
  const end = input.row.name.lastIndexOf("/") + 1;
  return Object.assign(input, { folder: input.row.name.slice(0, end), title: input.row.name.slice(end),
    text: [input.row.name, input.row.verdict, input.row.notice].join("\n").toLowerCase(), loudness: input.row.loudness.find((value) => value !== null) ?? null });
});

/* The folder that has all inputs is told once. */
const common = inputs.map((input) => input.folder).reduce((all, folder) => {
  while (!folder.startsWith(all))
    all = all.slice(0, all.slice(0, -1).lastIndexOf("/") + 1);
  return all;
}, inputs[0]?.folder ?? "");
inputs.forEach((input) => { input.folder = input.folder.slice(common.length); });

/* The worst one first. */
const WORDS = Object.keys(VERDICTS);
const rankOf = (verdict) => WORDS.includes(verdict) ? WORDS.indexOf(verdict) : WORDS.length;

/* ---- The columns ----------------------------------------------------------------------- */

const dash = "\u2013";
const collator = new Intl.Collator("en", { numeric: true });
/* What is unknown comes last. */
const byNumber = (key) => (a, b) => (key(a) ?? Infinity) - (key(b) ?? Infinity) || 0;

/* How a column is called, how its inputs are compared (not at all: it cannot be sorted), and what its cell has. */
const COLUMNS = {
  ...(inputs.some((input) => input.row.picture !== null) ? { picture: { title: "", make: makePicture } } : {}),
  name: { title: "Name", compare: (a, b) => collator.compare(a.title, b.title) || collator.compare(a.folder, b.folder), make: makeName },
  verdict: { title: "Verdict", make: (input) => [input.row.verdict],
    compare: (a, b) => rankOf(a.row.verdict) - rankOf(b.row.verdict) || b.row.count - a.row.count },
  notice: { title: "Worst notice", make: (input) => [make("div", { title: input.row.notice }, input.row.notice)] },
  length: { title: "Length", compare: byNumber((input) => input.row.length),
    make: (input) => [input.row.length === null ? dash : formatTime(input.row.length / 1000, input.row.length < 60000 ? 1 : 0)] },
  loudness: { title: "LUFS", compare: byNumber((input) => input.loudness), make: makeLoudness },
  luma: { title: "Luma", make: makeLuma },
};
const ORDERS = { number: { title: "Order of the inputs", compare: () => 0 },
  ...Object.fromEntries(Object.entries(COLUMNS).filter(([, column]) => column.compare)) };

function makeName(input) {
  const name = input.row.page === null ? make("span", { className: "title", tabIndex: -1 }, input.title)
    : make("a", { className: "title", href: input.row.page }, input.title);
  name.dir = "auto";
  return [make("div", { title: input.row.name }, name), ...(input.folder ? [make("div", { className: "folder" }, input.folder)] : [])];
}

function makeLoudness(input) {
  const texts = input.row.loudness.map((value) => value === null ? dash : minus((value / 10).toFixed(1)));
  if (texts.length === 0)
    return [dash];
  const more = texts.length > 1 ? [" ", make("span", { className: "more", title: texts.join(", ") + " LUFS" }, "+" + (texts.length - 1))] : [];
  return [input.loudness === null ? dash : minus((input.loudness / 10).toFixed(1)), ...more];
}

/* ---- Pictures ------------------------------------------------------------------------------ */

/* The tables of all pictures, without the end of the file; a picture follows without its begin. Both are two bytes. */
const tables = atob(description.tables).slice(0, -2);

const addressOf = (picture) => "data:image/jpeg;base64," + btoa(tables + atob(picture).slice(2));

/* It says nothing that the name does not say. */
function makePicture(input) {
  return input.row.picture === null ? [] : [make("img", { src: addressOf(input.row.picture), alt: "" })];
}

/* ---- The curve of luma -------------------------------------------------------------------- */

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Its points, from 0 to 1; null: there is none at this time. */
const lumaOf = (input) => [...input.row.luma].map((character) => DIGITS.includes(character) ? DIGITS.indexOf(character) / 63 : null);

function makeLuma(input) {
  const points = lumaOf(input), known = points.filter((point) => point !== null);
  if (known.length === 0)
    return [];
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), path = svg.appendChild(
    document.createElementNS("http://www.w3.org/2000/svg", "path"));
  const percent = (share) => Math.round(share * 100);
  let command = "M", d = "";
  points.forEach((point, i) => {
    if (point !== null)
      d += command + (points.length > 1 ? i / (points.length - 1) * 100 : 0).toFixed(1) + " " + (30 - point * 28).toFixed(1);
    command = point === null ? "M" : "L";
  });
  path.setAttribute("d", points.length === 1 ? d + "h100" : d);
  for (const [name, value] of Object.entries({ viewBox: "0 0 100 32", preserveAspectRatio: "none", role: "img",
    "aria-label": "Mean luma " + percent(Math.min(...known)) + " to " + percent(Math.max(...known)) + " % of its range" }))
    svg.setAttribute(name, value);
  return [svg];
}

/* ---- Rows ---------------------------------------------------------------------------------- */

const BLOCK = 50;
let shown = inputs;

function makeRow(input, place) {
  const row = make("tr", { className: classOfVerdict(input.row.verdict) });
  row.setAttribute("role", "row");
  row.setAttribute("aria-rowindex", place + 2);
  row.dataset.number = input.number;
  for (const [key, column] of Object.entries(COLUMNS)) {
    const cell = make("td", { className: "c-" + key }, ...column.make(input));
    cell.setAttribute("role", "cell");
    row.append(cell);
  }
  return row;
}

/* Makes the rows of a block, once. */
function fill(block) {
  if (block === undefined || block.dataset.filled)
    return;
  const from = Number(block.dataset.from);
  block.dataset.filled = "true";
  block.replaceChildren(...shown.slice(from, from + BLOCK).map((input, i) => makeRow(input, from + i)));
}

const observer = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (entry.isIntersecting)
      fill(entry.target);
  }
}, { rootMargin: "1200px 0px" });

const blocks = () => [...byId("rows").tBodies];

/* A block is as high as its rows will be, so that the scroll bar is right. */
function makeBlocks() {
  const height = parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row"));
  observer.disconnect();
  blocks().forEach((block) => block.remove());
  for (let from = 0; from < shown.length; from += BLOCK) {
    const cell = make("td", { colSpan: Object.keys(COLUMNS).length }), block = make("tbody", {}, make("tr", { className: "gap", ariaHidden: "true" }, cell));
    cell.style.height = height * Math.min(BLOCK, shown.length - from) + "px";
    block.setAttribute("role", "rowgroup");
    block.dataset.from = from;
    byId("rows").append(block);
    observer.observe(block);
  }
  fill(blocks()[0]);
}

/* ---- What is shown ------------------------------------------------------------------------- */

const state = { verdicts: [], find: "", kind: "", order: "number", isDown: false };

function isShown(input, words) {
  return (state.verdicts.length === 0 || state.verdicts.includes(input.row.verdict)) &&
    (state.kind === "" || input.row.kinds.some((kind) => kinds[kind] === state.kind)) && words.every((word) => input.text.includes(word));
}

/* The address has what is shown: coming back from a page shows the same. */
function writeAddress() {
  const parts = new URLSearchParams();
  state.verdicts.forEach((verdict) => parts.append("verdict", verdict));
  for (const key of ["find", "kind"]) {
    if (state[key])
      parts.set(key, state[key]);
  }
  if (state.order !== "number" || state.isDown)
    parts.set("order", (state.isDown ? "-" : "") + state.order);
  history.replaceState(null, "", "#" + parts);
}

function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1)), order = (parts.get("order") ?? "number").replace(/^-/, "");
  Object.assign(state, { verdicts: parts.getAll("verdict").filter((verdict) => inputs.some((input) => input.row.verdict === verdict)),
    find: parts.get("find") ?? "", kind: kinds.includes(parts.get("kind")) ? parts.get("kind") : "",
    order: Object.hasOwn(ORDERS, order) ? order : "number", isDown: (parts.get("order") ?? "").startsWith("-") });
  byId("find").value = state.find;
}

function show() {
  const words = state.find.toLowerCase().split(/\s+/).filter((word) => word), { compare } = ORDERS[state.order];
  shown = inputs.filter((input) => isShown(input, words)).sort((a, b) => (state.isDown ? compare(b, a) : compare(a, b)) || a.number - b.number);
  /* What is unknown comes last in either direction. */
  if (state.isDown && (state.order === "length" || state.order === "loudness")) {
    const value = state.order === "length" ? (input) => input.row.length : (input) => input.loudness;
    shown = [...shown.filter((input) => value(input) !== null), ...shown.filter((input) => value(input) === null)];
  }
  if (state.order === "number" && state.isDown)
    shown.reverse();
  byId("count").textContent = shown.length === inputs.length ? inputs.length + " inputs" : shown.length + " of " + inputs.length + " inputs";
  byId("rows").setAttribute("aria-rowcount", shown.length + 1);
  byId("nothing").hidden = shown.length > 0;
  for (const head of byId("heads").children) {
    if (head.dataset.key === state.order)
      head.setAttribute("aria-sort", state.isDown ? "descending" : "ascending");
    else
      head.removeAttribute("aria-sort");
  }
  for (const chip of byId("verdicts").children)
    chip.setAttribute("aria-pressed", state.verdicts.includes(chip.dataset.verdict));
  Object.assign(byId("direction"), { textContent: state.isDown ? "\u2193" : "\u2191", title: state.isDown ? "Descending" : "Ascending" });
  byId("direction").setAttribute("aria-label", state.isDown ? "Descending" : "Ascending");
  byId("order").value = state.order;
  byId("kind").value = state.kind;
  makeBlocks();
  writeAddress();
}

/* A second click turns the order round. */
function sortBy(order) {
  Object.assign(state, { isDown: state.order === order && !state.isDown, order });
  show();
}

/* ---- Building ------------------------------------------------------------------------------ */

function makeChips() {
  const counts = new Map();
  inputs.forEach((input) => counts.set(input.row.verdict, (counts.get(input.row.verdict) ?? 0) + 1));
  for (const verdict of [...counts.keys()].sort((a, b) => rankOf(a) - rankOf(b))) {
    const chip = make("button", { className: "chip", type: "button", title: "Show only these" }, make("i", { className: classOfVerdict(verdict) }),
      make("b", {}, verdict), make("span", {}, String(counts.get(verdict))));
    chip.dataset.verdict = verdict;
    chip.addEventListener("click", () => {
      state.verdicts = state.verdicts.includes(verdict) ? state.verdicts.filter((other) => other !== verdict) : [...state.verdicts, verdict];
      show();
    });
    byId("verdicts").append(chip);
  }
}

function makeHeads() {
  for (const [key, column] of Object.entries(COLUMNS)) {
    const head = make("th", { scope: "col", className: "c-" + key }, column.compare ? make("button", { type: "button", title: "Sort" }, column.title) : column.title);
    head.setAttribute("role", "columnheader");
    head.dataset.key = key;
    head.querySelector("button")?.addEventListener("click", () => sortBy(key));
    byId("heads").append(head);
  }
  for (const [key, { title }] of Object.entries(ORDERS))
    byId("order").append(make("option", { value: key }, title));
}

function makeKinds() {
  const found = new Map();
  inputs.forEach((input) => input.row.kinds.forEach((kind) => found.set(kind, (found.get(kind) ?? 0) + 1)));
  for (const [kind, count] of [...found].sort((a, b) => a[0] - b[0]))
    byId("kind").append(make("option", { value: kinds[kind] }, kinds[kind] + " (" + count + ")"));
}

/* Moves the focus so many rows on. */
function moveFocus(rows) {
  const row = document.activeElement.closest?.("#rows tbody tr");
  const place = row ? Number(row.getAttribute("aria-rowindex")) - 2 + rows : rows > 0 ? 0 : -1;
  if (place < 0 || place >= shown.length)
    return;
  const block = blocks()[Math.floor(place / BLOCK)];
  fill(block);
  const title = block.rows[place % BLOCK].querySelector(".title");
  title.focus();
  title.closest("tr").scrollIntoView({ block: "nearest" });
}

function addHandlers() {
  byId("find").addEventListener("input", () => { state.find = byId("find").value; show(); });
  byId("kind").addEventListener("change", () => { state.kind = byId("kind").value; show(); });
  byId("order").addEventListener("change", () => { Object.assign(state, { order: byId("order").value, isDown: false }); show(); });
  byId("direction").addEventListener("click", () => { state.isDown = !state.isDown; show(); });
  byId("rows").addEventListener("click", (event) => {
    /* All of a row leads to the page; a text that is being marked does not. */
    if (!event.target.closest("a, button, thead") && getSelection().isCollapsed)
      event.target.closest("tr")?.querySelector("a.title")?.click();
  });
  window.addEventListener("hashchange", () => { readAddress(); show(); });
  window.addEventListener("beforeprint", () => blocks().forEach(fill));
  document.addEventListener("keydown", (event) => {
    const isField = ["SELECT", "INPUT"].includes(event.target.tagName);
    const keys = { ArrowDown: () => moveFocus(1), ArrowUp: () => moveFocus(-1), "/": () => byId("find").focus() };
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key] || event.target.tagName === "SELECT" ||
        isField && event.key !== "ArrowDown" || !isField && event.key !== "/" && !event.target.closest("#rows tbody"))
      return;
    event.preventDefault();
    keys[event.key]();
  });
}

function start() {
  const lengths = inputs.map((input) => input.row.length ?? 0), total = lengths.reduce((sum, length) => sum + length, 0);
  byId("title").textContent = inputs.length + (inputs.length === 1 ? " input" : " inputs") + (common ? " of " + common : "");
  document.title = byId("title").textContent + " \u2013 report";
  byId("about").textContent = formatTime(total / 1000, 0) + " together";
  byId("generator").textContent = "Made by " + description.generator + ". This page needs no network.";
  if (description.interrupted) {
    byId("problem").hidden = false;
    byId("problem").textContent = "Interrupted: something was measured of " + description.measured + " of " + inputs.length + " inputs.";
  }
  useTheme(() => {});
  makeHeads();
  makeChips();
  makeKinds();
  readAddress();
  addHandlers();
  show();
  performance.mark("rows-drawn");
  document.documentElement.dataset.drawn = "true";
}

start();
