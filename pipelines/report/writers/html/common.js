/* What all pages use: text, elements, colours, the theme.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
"use strict";

const byId = (id) => document.getElementById(id);

/* Red, amber or green, by the first words of the verdict line. */
const VERDICTS = { FAIL: "bad", "NOT COMPLETE": "bad", "NOT MEASURED": "bad", "LOOK AT": "unsure", WARN: "unsure", SKIPPED: "unsure",
  PASS: "good", "nothing found": "good" };

const classOfVerdict = (line) => VERDICTS[Object.keys(VERDICTS).find((start) => line.startsWith(start))] ?? "unsure";

/* ---- Text ----------------------------------------------------------------------------- */

const minus = (text) => text.replace("-", "\u2212");

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

/* ---- The theme ------------------------------------------------------------------------ */

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
}

/* Begins with the system's theme. The button changes it; @redraw draws what has colours of its own. */
function useTheme(redraw) {
  setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  byId("theme").addEventListener("click", () => {
    setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    redraw();
  });
}
