// Two models: paired differences with intervals, cases sorted by difference, both clips in sync.
"use strict";

(() => {
  const { el, score, ofCase, signed, pValue, text } = wg;
  const plus = (column, v) => (v > 0 ? "+" : "") + score(column, v);
  const PAGE = 20;

  function differences(index, pair, flip) {
    return wg.columnsOf(index).map((column) => {
      const d = pair?.[column.id];
      if (!d || d.value === null) return { column, value: null };
      const s = flip ? -1 : 1;
      const ends = d.interval ? [s * d.interval[0], s * d.interval[1]].sort((x, y) => x - y) : null;
      const bounds = d.bounds && (flip ? [d.bounds[1], d.bounds[0]].map((v) => (v === null ? null : -v)) : d.bounds);
      return { column, bounds, depends: d.depends, value: s * d.value, low: ends?.[0] ?? null, high: ends?.[1] ?? null, p: d.p_value, detectable: d.detectable, adjusted: d.adjusted, cases: d.cases, wins: flip ? d.losses : d.wins, losses: flip ? d.wins : d.losses, better: flip ? { first: "second", second: "first" }[d.verdict] ?? d.verdict : d.verdict };
    });
  }

  // Differences in shares of a column's range, so that one axis serves all; better to the right.
  function forest(rows) {
    const shares = rows.filter((r) => r.value !== null && r.column.better).map((r) => {
      const span = (r.column.best - r.column.worst || 1) / 100;
      const ends = [r.low, r.high].map((v) => (v === null ? null : v / span));
      if (ends[0] !== null) ends.sort((x, y) => x - y);
      return { label: r.column.title, value: r.value / span, low: ends[0], high: ends[1], muted: r.low === null || r.low * r.high <= 0 };
    });
    if (!shares.length) return null;
    const reach = Math.max(1e-9, ...shares.flatMap((s) => [Math.abs(s.value), Math.abs(s.low ?? 0), Math.abs(s.high ?? 0)]));
    return wg.bars.intervals(shares, [-reach, reach], { zero: true, bar: true, format: (v) => `${signed(Number(v.toPrecision(3)))} %`, label: "Paired differences" });
  }

  wg.view("compare", async (root, parts, query, index) => {
    if (index.models.length < 2) throw new Error("a comparison needs two runs");
    const a = Number(parts[0] ?? 0), b = Number(parts[1] ?? (a === 0 ? 1 : 0));
    if (!index.models[a] || !index.models[b] || a === b) throw new Error("choose two different models");
    const [pairs, cases] = await Promise.all([wg.load("pairs"), wg.load("cases")]);
    const names = index.models.map((m, k) => [k, m.name]);
    const go = (x, y) => { location.hash = `#/compare/${x}/${y}`; };
    const rows = differences(index, pairs[`${Math.min(a, b)}-${Math.max(a, b)}`], a > b);
    const chart = forest(rows);
    const verdict = (r) => ({ first: index.models[a].name, second: index.models[b].name })[r.better] ?? r.better;
    const bounded = rows.some((r) => r.bounds);
    const between = (r) => (r.bounds ? r.bounds.map((v) => (v === null ? "unbounded" : plus(r.column, v))).join(" to ") : "–");
    const table = el("table", { class: "plain" }, el("thead", null, el("tr", null, ["Column", "Difference", "95 % interval", ...(bounded ? ["Bounds"] : []), "p", "p (Holm)", "Cases", "Won / lost", "Detectable", "Better"].map((h) => el("th", { scope: "col" }, h)))),
      el("tbody", null, rows.map((r) => el("tr", null, el("th", { scope: "row" }, el("a", { href: `#/metric/${encodeURIComponent(r.column.id)}` }, text(r.column.title)), r.column.kind === "group" && el("span", { class: "chip small" }, "group")),
        r.value === null ? el("td", { colspan: bounded ? 9 : 8, class: "note" }, "no shared case") : [el("td", null, el("b", null, plus(r.column, r.value)), r.column.score_unit && el("span", { class: "note" }, ` ${r.column.score_unit}`)), el("td", null, r.low === null ? "–" : `${score(r.column, r.low)} to ${score(r.column, r.high)}`), bounded && el("td", { class: "bounds" }, between(r)), el("td", null, pValue(r.p)), el("td", null, pValue(r.adjusted)), el("td", null, r.cases || "–"), el("td", null, r.cases && r.column.better ? `${r.wins} / ${r.losses}` : "–"), el("td", null, score(r.column, r.detectable)), el("td", null, text(verdict(r)), r.depends && el("span", { class: "status unscored", title: "Within the bounds it is another" }, "depends on the bounds"))]))));
    const metrics = wg.metricsOf(index);
    const listPlace = el("div"), casePlace = el("div", { id: "pair" });
    let leave = () => {};

    async function list() {
      const metric = metrics.find((m) => m.id === query.get("metric")) || metrics[0];
      const values = await wg.load(`values-${metric.i}`);
      const sign = (query.get("first") || "a") === "a" ? 1 : -1;
      const found = cases.ids.map((_, i) => i).filter((i) => values.values[a][i] !== null && values.values[b][i] !== null).map((i) => [i, values.values[a][i] - values.values[b][i]]);
      found.sort((x, y) => -sign * (metric.case_better || 1) * (x[1] - y[1]) || x[0] - y[0]);
      // Where neither way is better, the list can only begin with what is larger.
      [...order.querySelectorAll("option")].forEach((option, n) => { option.textContent = `${index.models[[a, b][n]].name} ${metric.case_better ? "better" : "larger"}`; });
      const page = Number(query.get("page") || 0), pages = Math.max(1, Math.ceil(found.length / PAGE));
      const move = (to) => { query.set("page", to); wg.remember(query); return list(); };
      listPlace.replaceChildren(el("div", { class: "scroll" }, el("table", { class: "plain cases" }, el("thead", null, el("tr", null, ["Case", index.models[a].name, index.models[b].name, "Difference"].map((h) => el("th", { scope: "col" }, text(h))))),
        el("tbody", null, found.slice(page * PAGE, (page + 1) * PAGE).map(([i, d]) => el("tr", null, el("th", { scope: "row" }, el("button", { type: "button", class: "linklike row-link", onclick: () => open(i) }, text(cases.ids[i]))), el("td", null, ofCase(metric, values.values[a][i])), el("td", null, ofCase(metric, values.values[b][i])), el("td", null, el("b", { class: { 1: "plus", "-1": "minus" }[Math.sign(d * metric.case_better)] }, (d > 0 ? "+" : "") + ofCase(metric, d)))))))),
      el("div", { class: "pager" }, el("button", { type: "button", disabled: page === 0, onclick: () => move(page - 1) }, "← Previous"), el("span", null, `Page ${page + 1} of ${pages}`), el("button", { type: "button", disabled: page >= pages - 1, onclick: () => move(page + 1) }, "Next →")));
      if (found.length && !casePlace.childElementCount) await open(found[0][0], true);
    }
    async function open(i, quietly) {
      leave();
      const inner = el("div", null, el("h2", { class: "title" }, el("a", { href: `#/case/${i}` }, text(cases.ids[i]))));
      leave = await wg.showCase(inner, i, index, [a, b]);
      casePlace.replaceChildren(inner);
      if (!quietly) casePlace.scrollIntoView({ behavior: "smooth" });
    }
    const set = (key) => (value) => { query.set(key, value); query.delete("page"); wg.remember(query); return list(); };
    const order = wg.select("First in the list", [["a", ""], ["b", ""]], query.get("first") || "a", set("first"));
    root.append(el("h2", { class: "title" }, "Compare"), el("div", { class: "filters" }, wg.select("First", names, a, (v) => go(v, Number(v) === b ? a : b)), wg.select("Second", names, b, (v) => go(Number(v) === a ? b : a, v)), el("button", { type: "button", onclick: () => go(b, a) }, "⇄ Swap")),
      el("div", { class: "grid2 wide-right" }, el("section", { class: "card" }, chart ? wg.charts.figure("First minus second, in percent of each column's range", chart, "differences", "To the right the first model is better. Faint where the interval holds zero. Columns without a better direction are in the table only.") : el("p", { class: "note" }, "These two models share no case.")),
        el("section", { class: "card" }, el("div", { class: "scroll" }, table), el("p", { class: "note" }, "Paired over the cases both have a number for; whole scenes resampled and sign-flipped; Holm over the metrics. Groups: Student’s t with the resampled error. Detectable: the true difference that these scenes would show four times out of five.", bounded && " Bounds: if clips without a score counted as worst for one model and best for the other."))),
      el("section", { class: "card" }, el("h2", null, "Cases by difference"), el("div", { class: "filters" }, wg.select("Metric", metrics.map((m) => [m.id, m.title]), query.get("metric") || metrics[0]?.id, set("metric")), order), listPlace),
      casePlace);
    await list();
    return () => leave();
  });
})();
