// What was run: benchmark, policy, deviations between protocols, models, environment.
"use strict";

(() => {
  const { el, text } = wg;
  const STATUSES = [["ok", "A value, finite and within its bounds."], ["skipped", "The metric does not apply to the case; not expected, so not in coverage."], ["missing", "The submission has no video for the case."], ["invalid", "The video cannot be judged: undecodable, truncated, too short."], ["unscored", "The instrument could not decide, or cannot run on that machine."], ["error", "The machinery failed, or a value was out of bounds; tried again on the next run."]];
  const row = (k, v) => [el("dt", null, k), el("dd", null, v instanceof Node ? v : text(v))];

  wg.view("about", (root, _parts, _query, index) => {
    const b = index.benchmark;
    root.append(el("h2", { class: "title" }, "About this report"), el("div", { class: "grid2" },
      el("section", { class: "card" }, el("h2", null, text(b.title || b.name)), b.summary && el("p", null, text(b.summary)), b.citation && el("pre", { class: "wrap" }, b.citation),
        el("dl", { class: "pairs" }, row("Protocol", index.protocol), row("Cases", index.cases), row("Scenes", index.clusters), row("Missing videos count as", String(b.policy.missing)), row("Invalid videos count as", String(b.policy.invalid)))),
      el("section", { class: "card" }, el("h2", null, "Statuses"), el("dl", { class: "pairs" }, STATUSES.map(([s, what]) => row(el("span", { class: `status ${s}` }, s), what)))),
      b.deviations.length > 0 && el("section", { class: "card" }, el("h2", null, "Where protocols differ"), el("div", { class: "scroll" }, el("table", { class: "plain" }, el("thead", null, el("tr", null, ["", ...b.protocols].map((h) => el("th", { scope: "col" }, text(h))))), el("tbody", null, b.deviations.map((d) => el("tr", null, el("th", { scope: "row" }, text(d.id)), b.protocols.map((p) => el("td", null, text(d.under[p] || ""))))))))),
      el("section", { class: "card" }, el("h2", null, "Intervals and tests"), el("p", null, "Intervals are 95 % percentile intervals of a bootstrap that resamples whole scenes and recomputes the whole aggregation tree (1,000 resamples, seed 0), widened by Student's factor for few scenes. Tie letters compare every two models on shared resamples, Holm-adjusted over the pairs at 5 %. Paired tests flip the sign of whole scenes.")),
      index.models.map((model, k) => el("section", { class: "card" }, el("h2", null, el("span", { class: `dot m${k % 10}` }), text(model.name)),
        el("dl", { class: "pairs" }, Object.entries(model.card).filter(([key]) => key !== "name").map(([key, value]) => row(text(key), typeof value === "object" ? JSON.stringify(value) : value)), row("Instruments", Object.entries(model.instruments).map(([seat, name]) => `${seat}: ${name}`).join(", ") || "none")),
        model.invocations.map((i) => el("details", null, el("summary", null, `${new Date(i.started * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC, ${i.seconds.toFixed(1)} s, ${i.workers} workers, ${i.device}`), el("pre", { class: "wrap" }, i.arguments.join(" ")), el("dl", { class: "pairs" }, Object.entries({ ...i.environment, ...i.counters }).map(([key, value]) => row(text(key), value)))))))));
  });
})();
