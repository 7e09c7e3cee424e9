/* The verdicts of policies: a heading and a table for each, above the alerts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
"use strict";

const VERDICT_CLASSES = { FAIL: "bad", WARN: "unsure", PASS: "good", SKIPPED: "" };

/* Where a rule is broken, or was checked, in words; and the first times. */
function makeFinding(finding, words, onShow) {
  const spans = (finding.spans ?? []).filter((span) => span.start !== undefined);
  const shown = spans.slice(0, 8).map((span) => makeSpan({ start: seconds(span.start), end: seconds(span.end) }, onShow));
  const more = finding.breaches - shown.length;
  return make("li", {}, words + (shown.length > 0 ? ": " : ""), ...shown.flatMap((button) => [button, " "]),
    shown.length > 0 && more > 0 ? "and " + more + " more" : "");
}

function makeRule(rule, words, onShow) {
  const findings = rule.findings.map((finding, i) => ({ finding, words: words[i] }));
  const told = findings.filter(({ finding }) => rule.verdict === "PASS" || finding.verdict === rule.verdict);
  return make("tr", {},
    make("td", {}, make("b", { className: VERDICT_CLASSES[rule.verdict] }, rule.verdict)),
    make("td", {}, rule.id), make("td", {}, make("code", {}, rule.rule)),
    make("td", {}, make("ul", {}, ...told.slice(0, 8).map((one) => makeFinding(one.finding, one.words, onShow)),
      ...(rule.why === undefined || told.length > 0 ? [] : [make("li", {}, rule.why)]),
      ...(told.length > 8 ? [make("li", {}, "and " + (told.length - 8) + " more places")] : []))));
}

function makePolicy(policy, words, onShow) {
  const worst = Object.keys(VERDICT_CLASSES);
  const rules = policy.rules.map((rule, i) => ({ rule, words: words[i] }))
    .sort((a, b) => worst.indexOf(a.rule.verdict) - worst.indexOf(b.rule.verdict));
  const notes = [...(policy.source === undefined ? [] : ["Source: " + policy.source]), ...(policy.notes ?? [])];
  return [
    make("h2", { className: VERDICT_CLASSES[policy.verdict] }, policy.verdict + ": " + (policy.title ?? policy.policy) +
      (summary.complete ? "" : " (of what was measured)")),
    make("div", { className: "scroll" }, make("table", {},
      make("tbody", {}, ...rules.map((one) => makeRule(one.rule, one.words, onShow))))),
    ...(notes.length === 0 ? [] : [make("details", {}, make("summary", {}, "About " + policy.policy),
      ...notes.map((note) => make("p", {}, note)))]),
  ];
}

function showPolicies(onShow) {
  const section = document.getElementById("policies"), policies = summary.policies ?? [];
  section.hidden = policies.length === 0;
  section.replaceChildren(...policies.flatMap((policy, i) => makePolicy(policy, description.policyWords[i], onShow)));
}
