/* What the page says about the streams: facts are pairs of a name and a text.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
"use strict";

/* The summary is that of --json. Beside it are words for what it has as codes, and what the program concludes from it.
 * A delay or an early end below the least one is not told. */
const { summary, words, alertTotals, leastDelay, leastEarlyEnd } = description;

/* Nanoseconds of the summary in seconds; null: unknown. */
const seconds = (time) => time === undefined ? null : time / 1e9;

const withEdges = (regions, words) => regions?.map((region, i) => ({
  ...region, hasConstantEdges: words["constant-edges"][i], answers: words["region-answers"][i] }));

const streams = summary.streams.map((stream, number) => ({
  ...stream, words: words[number], kind: stream.media, regions: withEdges(stream.regions, words[number]),
  length: stream.start === undefined ? null : seconds(stream.end - stream.start),
  parts: (stream.parts ?? [stream]).map((part, i) => ({
    ...part, words: words[number].parts[i], regions: withEdges(part.regions, words[number].parts[i]) })),
  /* The limits of limited-range luma, as a share of all values, and what the stream has to do with them. */
  legal: stream.media === "audio" ? null
    : { label: words[number].tagged ? "limited range" : "if limited range", shares: [16 / 256, 235 / 256] },
}));

/* The stream of a view or of an alert. */
const streamOf = (thing) => streams.find((stream) => stream.stream === thing.stream);

/* ---- Streams ------------------------------------------------------------------------------- */

/* A half becomes even, as in the text of the program; toFixed() makes it greater. */
function rounded(value, digits) {
  const text = value.toFixed(digits), isHalf = Math.abs(value * 2 ** (digits + 1)) % 2 === 1;
  return isHalf && text.slice(-1) % 2 ? (value * (1 - 2 ** -52)).toFixed(digits) : text;
}

/* A figure of the summary, where infinities are texts and what is missing is left out. */
const number = (value, digits) => value === undefined ? "\u2013"
  : minus(typeof value === "string" ? value.replace("inf", "\u221e") : rounded(value, digits));

/* Leaves out what has no text. */
const told = (facts) => facts.filter(([, text]) => text !== undefined && text !== false);

const times = (text) => text.replaceAll(" x ", " \u00d7 ");

function factsOfStream(stream) {
  const { words } = stream;
  const [wide, high] = (stream["pixel-aspect-ratio"] ?? "1:1").split(":");
  const delay = seconds(stream.delay), early = seconds(stream["early-end"]);
  return told([
    ["Facts", words.facts],
    ["Codec", stream.codec && stream.codec + (stream.decoder ? ", decoded by " + stream.decoder : "")],
    ...(stream.kind === "audio" ? [
      ["Sound", stream.rate + " Hz, " + stream["n-channels"] + (stream["n-channels"] === 1 ? " channel" : " channels")],
    ] : [
      ["Picture", stream.width + " \u00d7 " + stream.height],
      ["Pixels", wide !== high && wide + ":" + high + ", shown as " + stream["display-width"] + " \u00d7 " + stream.height],
      ["Field order", words["field-order"]],
      ["Rate", stream["frame-rate"] > 0 && number(stream["frame-rate"], 3) + " frames/s"],
      ["First timecode", stream.timecode],
    ]),
    ["Format", words.format],
    ["Colorimetry", words.colorimetry],
    ["Bit rate", stream["bit-rate"] >= 1000 ? number(stream["bit-rate"] / 1000, 0) + " kbit/s"
      : stream["bit-rate"] && number(stream["bit-rate"], 0) + " bit/s"],
    [stream.kind === "audio" ? "Windows of 100 ms" : "Frames", String(stream.results)],
    ...stream.parts.slice(1).map((part) => [part.words.from, times(part.words.changes)]),
    ["Starts", delay >= leastDelay &&
      number(delay, 3) + " s after " + streams.find((other) => other.delay === 0).title],
    ["Ends", early >= leastEarlyEnd &&
      number(early, 3) + " s before " + streams.find((other) => other["early-end"] === 0).title],
    ...factsOfAnswers(words.answers),
    ["Scene changes in flashes", stream["scenes-in-flashes"] && stream["scenes-in-flashes"] + ", left out"],
  ]);
}

/* ---- Pictures ------------------------------------------------------------------------------ */

function factsOfLuma(luma) {
  return luma === undefined || luma.count === 0 ? [] : told([
    [luma.name, number(luma.min, 0) + " \u2013 " + number(luma.max, 0)],
    ["of that 1\u201399 %", number(luma.p1, 0) + " \u2013 " + number(luma.p99, 0)],
    ["mean", number(luma.mean, 2)],
  ]);
}

const capital = (label) => label[0].toUpperCase() + label.slice(1);

/* Answers of the program, as its text has them. */
const factsOfAnswers = (answers) => answers.map(([label, text]) => [capital(label), text.replaceAll("   ", ", ")]);

/* The mean and the greatest value of a figure in per cent, if these are different. */
function rangeText(range) {
  const [mean, max] = [range?.mean, range?.max].map((value) =>
    value > 0 && value < 0.005 ? "less than 0.01 %" : number(value, 2) + " %");
  return range && (range.max === 0 ? "none" : mean + (mean === max ? "" : ", at most " + max));
}

function factOfArea(region) {
  const { area } = region;
  return ["Active picture", area && area.width + " \u00d7 " + area.height + " at " + area.x + ", " + area.y +
    (region.hasConstantEdges ? "" : " at most: dark edges, no constant bars")];
}

/* One number, or one for each component if they differ. */
const factOfBits = (region) => {
  const bits = region["bits-used"];
  return ["Bits in use", bits && (new Set(bits).size === 1 ? String(bits[0]) : bits.join(", "))];
};

const regionOf = (view, regions) => regions.find((region) => (region.name ?? null) === view.region);
const lumaOf = (view, region) => region?.components.find((component) => component.name === view.luma);

/* Of a stream that changes: what is not valid for the whole stream. */
function factsOfPart(part, whole, view) {
  const region = regionOf(view, part.regions);
  const hasScale = whole?.components.length > 0, hasPlace = whole?.width !== undefined;
  if (region === undefined || hasScale && hasPlace)
    return [];
  return told([
    [part.words.from, times(part.words.facts)],
    ...(hasScale ? [] : [...factsOfLuma(lumaOf(view, region)), ...factsOfAnswers(region.answers), factOfBits(region)]),
    ...(hasPlace ? [] : [factOfArea(region)]),
  ]);
}

function factsOfPicture(view, stream) {
  const region = regionOf(view, stream.regions);
  const parts = stream.parts.length > 1 ? stream.parts.flatMap((part) => factsOfPart(part, region, view)) : [];
  return region === undefined ? parts : told([
    ...factsOfLuma(lumaOf(view, region)),
    ...factsOfAnswers(region.answers),
    ["Difference", rangeText(region.figures?.motion?.mafd)],
    factOfArea(region),
    factOfBits(region),
    ...parts,
  ]);
}

/* What a stream is, in a line, and black bars, which a picture has at most once. */
function factsInShort(stream) {
  const region = stream.regions?.[0], area = region?.area;
  const hasBars = area && region.hasConstantEdges && (area.width < stream.width || area.height < stream.height);
  return [stream.title + ": " + times(stream.words.facts ?? ""),
    ...(hasBars ? ["black bars around " + area.width + " \u00d7 " + area.height] : [])];
}

/* ---- Sound --------------------------------------------------------------------------------- */

function factsOfSound(stream) {
  const loudness = stream.loudness ?? {}, channels = stream.parts.flatMap((part) => part.channels);
  const isLoud = Number.isFinite(loudness.integrated?.last), momentary = loudness["momentary-max"], shortTerm = loudness["short-term-max"];
  const peaks = channels.map((channel) => channel["true-peak"]).filter(Number.isFinite);
  const clipped = channels.reduce((sum, channel) => sum + (channel.clipped?.sum ?? 0), 0);
  return told([
    ["Integrated loudness", loudness.integrated && (isLoud ? number(loudness.integrated.last, 1) + " LUFS"
      : "none: nothing of 400 ms is above \u221270 LUFS")],
    ["Loudness range", isLoud && stream.words["has-short-term"] && loudness.range && number(loudness.range.last, 1) + " LU"],
    !isFinite(momentary?.max) ? ["", undefined] : momentary && !stream.words["has-short-term"] ? ["At most momentary", number(momentary.max, 1) + " LUFS"]
      : ["At most short-term, momentary", shortTerm && number(shortTerm.max, 1) + ", " + number(momentary?.max, 1) + " LUFS"],
    ["True peak", peaks.length > 0 && number(Math.max(...peaks), 1) + " dBTP"],
    ["Clipped samples", stream.groups.includes("level") && (clipped > 0 ? number(clipped, 0) : "none")],
    ...stream.words.pairs.map(([names, figures]) => [names,
      figures.replaceAll("   ", ", ").replaceAll("-", "\u2212").replaceAll("inf", "\u221e")]),
  ]);
}

const factsOfView = (view, stream) => view.kind === "audio" ? factsOfSound(stream) : factsOfPicture(view, stream);
