// What the wall and the page of an input share. All texts of inputs become text nodes: none of them is HTML.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";

/** Makes an element. The children are elements and texts. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

const pad = (number) => String(number).padStart(2, "0");

/** The time of day of a text in ISO 8601, with the date unless it is today. */
export function tellTime(text) {
  const time = new Date(text), now = new Date();
  const clock = `${pad(time.getHours())}:${pad(time.getMinutes())}:${pad(time.getSeconds())}`;
  return time.toDateString() === now.toDateString() ? clock
    : `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())} ${clock}`;
}

export function tellSeconds(seconds) {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${Math.floor(seconds % 60)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const CONNECTION = {
  connecting: "connecting", stalled: "nothing comes", waiting: "lost", ended: "ended",
};

/** What is so now: the words, and how bad it is. */
export function tellState(input) {
  const faults = input.open.filter((notice) => notice.severity !== "note");
  if (input.state === "waiting" || input.state === "stalled") {
    // It may have been tried again several times since then.
    const begin = faults.find((notice) => notice.kind === "incomplete")?.begin ?? input.since;
    const words = `${CONNECTION[input.state]} since ${tellTime(begin)}`;
    return { words: input.text && input.text !== CONNECTION[input.state] ? `${words}: ${input.text}` : words, kind: "bad" };
  }
  if (input.state !== "running") {
    return { words: `${CONNECTION[input.state]} since ${tellTime(input.since)}`, kind: "unsure" };
  }
  if (faults.length === 0) return { words: "no fault now", kind: "good" };
  return {
    words: faults.map((notice) => `${notice.text} since ${tellTime(notice.begin)}`).join(" · "),
    kind: faults.some((notice) => notice.severity === "fail") ? "bad" : "unsure",
  };
}

export function tellNotice(notice) {
  const until = notice.end === null ? "goes on" : notice.seconds === undefined ? "" : tellSeconds(notice.seconds);
  return `${tellTime(notice.begin)} ${notice.text}${until ? ", " + until : ""}`;
}

/** A list of notices; with pictures if there are some. */
export function makeNotices(index, notices, hasPictures) {
  return notices.map((notice) => make("li", { class: notice.end === null ? "open" : null }, tellNotice(notice),
    hasPictures && notice.picture ? make("img", { src: `/notice/${index}/${notice.number}`, alt: "The picture when it began", loading: "lazy" }) : null));
}

function makeMeter(name, value, least, most, unit) {
  // Exact silence is a number far below all others.
  const shown = value === null ? "-" : value < -120 ? "silent" : `${value.toFixed(1)} ${unit}`;
  const inside = value === null ? least : Math.min(Math.max(value, least), most);
  return make("div", { class: "meter" }, make("span", {}, name),
    make("progress", { value: String(inside - least), max: String(most - least), "aria-label": `${name}: ${shown}` }),
    make("span", { "aria-hidden": "true" }, shown));
}

/** The levels of a stream. */
export function makeMeters(stream) {
  if (stream.media === "video") {
    return [makeMeter("level", stream["luma-mean"], 0, 100, "%"),
      make("p", { class: "faint" }, `${stream.title}: ${stream.facts ?? ""}${stream.late ? `, ${stream.late} late` : ""}${stream.gaps ? `, ${stream.gaps} gaps` : ""}`)];
  }
  const loudness = ["momentary", "short-term", "integrated"].filter((name) => stream[name] !== null)
    .map((name) => `${name} ${stream[name].toFixed(1)}`).join(", ");
  return [...stream.peaks.map((peak, channel) => makeMeter(`ch${channel}`, peak, -60, 0, "dBFS")),
    loudness ? make("p", {}, `${loudness} LUFS`) : null,
    make("p", { class: "faint" }, `${stream.title}: ${stream.facts ?? ""}${stream.gaps ? `, ${stream.gaps} gaps` : ""}`)];
}

/** Follows a source of events; the page says if the line is lost. */
export function follow(address, handlers) {
  const source = new EventSource(address), line = document.getElementById("line");
  source.addEventListener("open", () => { line.hidden = true; });
  // The browser connects again by itself, unless the program has refused.
  source.addEventListener("error", () => {
    line.hidden = false;
    if (source.readyState === EventSource.CLOSED) setTimeout(() => follow(address, handlers), 3000);
  });
  for (const [name, handle] of Object.entries(handlers)) source.addEventListener(name, (event) => handle(JSON.parse(event.data)));
}
