/* Pictures of frames: the filmstrip, those beside the notices, and the scopes of a picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
"use strict";

/* Each has the stream, the time in seconds, why it was kept, its size, and the bytes of one or two JPEG. */
const thumbnails = JSON.parse(byId("thumbnails").textContent);

const thumbnailsOf = (stream) => thumbnails.filter((thumbnail) => thumbnail.stream === stream);

/* The one of a list that is nearest to a time. null: there is none */
const nearestThumbnail = (list, time) => list.reduce((best, thumbnail) =>
  best === null || Math.abs(thumbnail.time - time) < Math.abs(best.time - time) ? thumbnail : best, null);

const sourceOf = (thumbnail, isMarked) => "data:image/jpeg;base64," + (isMarked ? thumbnail.marked : thumbnail.jpeg);

function makeImage(thumbnail, isMarked, text) {
  return make("img", { src: sourceOf(thumbnail, isMarked), width: thumbnail.width, height: thumbnail.height, alt: text });
}

/* ---- Beside a notice ---------------------------------------------------------------------------- */

/* Why the frame was kept that shows a kind of notice best. */
const KEPT_FOR = { gamut: "gamut", range: "range", flash: "flash", "field-order": "comb", hdr: "light", short: "cut", black: "alert",
  freeze: "alert", rule: null, incomplete: null };
/* What is marked in magenta. */
const MARKS = { gamut: "outside of EBU R 103", range: "out of the limited range" };
/* Times that are nearer than this are one frame: half of a frame of 60 in a second. */
const SAME_TIME = 1 / 120;

/* The picture of a notice of video, and what to say of its time. null: there is none
 *
 * @spans: when the notice is */
function pictureOf(notice, spans) {
  const list = thumbnailsOf(notice.stream), why = KEPT_FOR[notice.kind];
  if (why === undefined || list.length === 0)
    return null;
  const best = notice.region === undefined ? list.filter((thumbnail) => thumbnail.why === why) : [];
  const value = seconds(notice["value-time"]), at = (thumbnail) => formatTime(thumbnail.time, 3);
  const isIn = (thumbnail) => spans.some((span) => thumbnail.time > span.start - SAME_TIME &&
    thumbnail.time < (span.end ?? span.start) + SAME_TIME);
  if (value !== null) {
    const exact = [...best, ...list].find((thumbnail) => Math.abs(thumbnail.time - value) < SAME_TIME);
    if (exact !== undefined)
      return { thumbnail: exact, text: "worst frame, " + at(exact) };
  }
  if (spans.length === 0)
    return best.length === 0 ? null : { thumbnail: best[0], text: (MARKS[why] ? "worst frame, " : "frame at ") + at(best[0]) };
  const inside = best.find(isIn) ?? list.find(isIn);
  if (inside !== undefined)
    return { thumbnail: inside, text: "frame at " + at(inside) };
  const nearest = nearestThumbnail(list, spans[0].start);
  return { thumbnail: nearest, text: "nearest frame that was kept, " + at(nearest) };
}

/* The figures of a notice: a picture, and the same with its marks. */
function makePictures(notice, spans, onShow) {
  const picture = streams[notice.stream]?.kind === "video" ? pictureOf(notice, spans) : null;
  if (picture === null)
    return [];
  const { thumbnail, text } = picture, figures = [];
  const add = (isMarked, caption) => {
    const button = make("button", { type: "button", className: "picture", title: "Show this time" },
      makeImage(thumbnail, isMarked, notice.kind + ": " + caption));
    button.addEventListener("click", () => onShow({ start: thumbnail.time, end: null }));
    figures.push(make("figure", {}, button, make("figcaption", {}, caption)));
  };
  add(false, text);
  if (thumbnail.marked !== undefined && MARKS[notice.kind] !== undefined && thumbnail.why === notice.kind)
    add(true, "magenta: " + MARKS[notice.kind]);
  return figures;
}

/* ---- The filmstrip ------------------------------------------------------------------------------ */

const STRIP_HEIGHT = 54, STRIP_GAP = 3;

/* The frames of a strip that has room for so many: all of them, or the first one of each part. A part has whole steps, so that
 * the frames are equally far from each other. */
function chooseFrames(list, whole, most) {
  const steps = list.slice(1).map((thumbnail, i) => thumbnail.time - list[i].time).sort((a, b) => a - b), step = steps[steps.length >> 1];
  const part = Math.ceil((whole[1] - whole[0]) / most / step - .05) * step, partOf = (thumbnail) => Math.floor((thumbnail.time - whole[0]) / part + 1e-9);
  return list.length <= most ? list : list.filter((thumbnail, i) => i === 0 || partOf(thumbnail) > partOf(list[i - 1]));
}

/* Fills the strip with frames of a stream. The left edge of each is at its time, as far as there is room. The arrow keys go
 * from one to the next.
 *
 * @left: where the axis begins; @width: of it */
function fillFilmstrip(strip, stream, whole, left, width, onShow) {
  const list = thumbnailsOf(stream).filter((thumbnail) => thumbnail.why === "step");
  strip.hidden = list.length === 0 || width < 40;
  strip.replaceChildren();
  if (strip.hidden)
    return;
  const ratio = Math.max(...list.map((thumbnail) => thumbnail.width / thumbnail.height));
  const wide = Math.min(STRIP_HEIGHT * ratio, width), most = Math.max(1, Math.floor(width / (wide + STRIP_GAP)));
  strip.style.height = STRIP_HEIGHT + "px";
  const buttons = chooseFrames(list, whole, most).map((thumbnail, i) => {
    const text = "Frame at " + formatTime(thumbnail.time, 1);
    const button = make("button", { type: "button", title: text, tabIndex: i === 0 ? 0 : -1 }, makeImage(thumbnail, false, text));
    button.dataset.time = thumbnail.time;
    button.style.left = left + Math.min((thumbnail.time - whole[0]) / (whole[1] - whole[0]) * width, width - wide) + "px";
    button.style.width = wide + "px";
    button.addEventListener("click", () => onShow(thumbnail.time));
    return button;
  });
  buttons.forEach((button, i) => button.addEventListener("keydown", (event) => {
    const next = buttons[i + ({ ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0)];
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight")
      return;
    event.preventDefault();
    event.stopPropagation();
    if (next === undefined)
      return;
    button.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }));
  strip.append(...buttons);
}

/* ---- Scopes of a picture ------------------------------------------------------------------------ */

/* The pixels of a picture, read once: a promise. */
function pixelsOf(thumbnail) {
  thumbnail.pixels ??= new Promise((resolve, reject) => {
    const image = new Image();
    image.addEventListener("load", () => {
      const canvas = document.createElement("canvas");
      canvas.width = image.naturalWidth;
      canvas.height = image.naturalHeight;
      const context = canvas.getContext("2d", { willReadFrequently: true });
      context.drawImage(image, 0, 0);
      resolve(context.getImageData(0, 0, canvas.width, canvas.height));
    });
    image.addEventListener("error", () => reject(new Error("a picture cannot be read")));
    image.src = sourceOf(thumbnail, false);
  });
  return thumbnail.pixels;
}

/* Draws counts as light on dark, the most frequent ones nearly white. The names of colours are [red, green, blue]. */
function drawCounts(canvas, counts, columns, rows, tint) {
  const context = prepareCanvas(canvas), image = new ImageData(columns, rows), pixels = image.data;
  const most = Math.max(1, counts.reduce((sum, count) => Math.max(sum, count), 0));
  counts.forEach((count, i) => {
    const share = count === 0 ? 0 : .25 + .75 * Math.sqrt(count / most);
    for (let c = 0; c < 3; c++)
      pixels[4 * i + c] = 16 + (tint[c] - 16) * share;
    pixels[4 * i + 3] = 255;
  });
  const buffer = document.createElement("canvas");
  buffer.width = columns;
  buffer.height = rows;
  buffer.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(buffer, 0, 0, canvas.clientWidth, canvas.clientHeight);
  return context;
}

/* Y', Cb, Cr of BT.709 from R, G, B of the picture as it is shown: 0 to 1, and -0.5 to 0.5. */
function toYuv(r, g, b) {
  const y = (.2126 * r + .7152 * g + .0722 * b) / 255;
  return [y, (b / 255 - y) / 1.8556, (r / 255 - y) / 1.5748];
}

const SCOPE = 128;
/* The places of 75 % bars. */
const TARGETS = { R: [191, 0, 0], Mg: [191, 0, 191], B: [0, 0, 191], Cy: [0, 191, 191], G: [0, 191, 0], Yl: [191, 191, 0] };

function drawScopes(waveform, vectorscope, { width, height, data }) {
  const light = new Uint32Array(width * SCOPE), colours = new Uint32Array(SCOPE * SCOPE);
  const place = (value) => Math.min(SCOPE - 1, Math.max(0, Math.round(value * (SCOPE - 1))));
  for (let i = 0; i < width * height; i++) {
    const [y, cb, cr] = toYuv(data[4 * i], data[4 * i + 1], data[4 * i + 2]);
    light[(SCOPE - 1 - place(y)) * width + i % width]++;
    colours[(SCOPE - 1 - place(cr + .5)) * SCOPE + place(cb + .5)]++;
  }
  drawCounts(waveform, light, width, SCOPE, [170, 255, 190]);
  const context = drawCounts(vectorscope, colours, SCOPE, SCOPE, [255, 255, 255]), size = vectorscope.clientWidth / (SCOPE - 1);
  context.strokeStyle = context.fillStyle = "#b0b8c0";
  context.font = "10px system-ui, sans-serif";
  for (const [name, rgb] of Object.entries(TARGETS)) {
    const [, cb, cr] = toYuv(...rgb), x = place(cb + .5) * size, y = (SCOPE - 1 - place(cr + .5)) * size;
    context.strokeRect(x - 4, y - 4, 8, 8);
    context.textAlign = cb > .2 ? "right" : "left";
    context.fillText(name, cb > .2 ? x - 6 : x + 6, y + 3);
  }
}
