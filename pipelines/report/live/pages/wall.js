// The wall: a card for each input. A card is updated in place, so that the keyboard stays where it is.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";
import { follow, make, makeMeters, makeNotices, tellState } from "./live.js";

const wall = document.getElementById("wall"), count = document.getElementById("count");
const cards = new Map();

function makeCard(input) {
  const card = {
    image: make("img", { alt: "" }), link: make("a", { href: `/input/${input.index}` }, input.name),
    state: make("p", { class: "state", role: "status" }), verdict: make("p", { class: "faint" }),
    meters: make("div"), notices: make("ol", { "aria-label": "Latest notices" }),
  };
  card.shot = make("a", { class: "shot", href: `/input/${input.index}`, tabindex: "-1", "aria-label": `Picture of ${input.name}` }, card.image);
  card.element = make("article", { "data-index": String(input.index), "aria-label": input.name },
    make("h2", {}, card.link), card.shot, card.state, card.meters, card.verdict, card.notices);
  return card;
}

function show(input) {
  let card = cards.get(input.index);
  if (!card) {
    card = makeCard(input);
    cards.set(input.index, card);
    wall.replaceChildren(...[...cards.keys()].sort((a, b) => a - b).map((index) => cards.get(index).element));
  }
  const { words, kind } = tellState(input);
  // A reader of the screen hears a state when it changes, not each second.
  if (card.state.textContent !== words) card.state.textContent = words;
  card.state.className = `state ${kind}`;
  card.element.dataset.state = input.state;
  card.element.dataset.open = input.open.map((notice) => notice.kind).join(" ");
  card.kind = kind;
  if (input.picture !== undefined) card.image.src = `/picture/${input.index}/${input.picture}`;
  card.image.hidden = input.picture === undefined;
  card.verdict.textContent = input.verdict ? `Last minutes: ${input.word ? input.word + "  " : ""}${input.verdict}` : "";
  card.meters.replaceChildren(...input.streams.flatMap(makeMeters).filter((element) => element));
  card.notices.replaceChildren(...makeNotices(input.index, input.notices, false));
  const faults = [...cards.values()].filter((one) => one.kind !== "good").length;
  const text = `${cards.size} input${cards.size === 1 ? "" : "s"}, ${faults} with a fault now`;
  if (count.textContent !== text) count.textContent = text;
}

follow("/events", { input: show });
