// Metrics: the list of definitions, and a page per metric or group with distributions and breakdowns.
"use strict";

(() => {
  const { el, svg, number, score, text } = wg;
  const WAY = { 1: "larger is better", "-1": "smaller is better", 0: "neither way is better by itself" };

  const pairs = (entries) => el("dl", { class: "pairs" }, entries.filter(([, v]) => v !== undefined && v !== null && v !== "").map(([k, v]) => [el("dt", null, k), el("dd", null, v instanceof Node ? v : text(v))]));
  const flat = (object) => Object.entries(object || {}).map(([k, v]) => `${k} = ${typeof v === "object" ? JSON.stringify(v) : v}`).join(", ");

  function signalTree(signals) {
    return el("ul", { class: "tree" }, signals.map((s) => el("li", null,
      el("b", null, text(s.signal)), ` version ${s.version}`, s.of && s.of !== "video" ? ` of the ${s.of}` : "",
      s.instrument ? [", read by ", el("b", null, text(s.instrument.name ?? JSON.stringify(s.instrument))), s.instrument.version ? ` version ${s.instrument.version}` : "", s.instrument.weights ? [", weights ", el("code", null, text(JSON.stringify(s.instrument.weights)))] : ""] : "",
      flat(s.parameters) && el("div", { class: "note" }, text(flat(s.parameters))),
      flat(s.instrument?.parameters) && el("div", { class: "note" }, text(flat(s.instrument.parameters))),
      s.frames && flat(s.frames) && el("div", { class: "note" }, "frames: ", text(flat(s.frames))),
      s.needs?.length ? signalTree(s.needs) : null)));
  }

  function calibrationNote(index, column) {
    const known = index.calibration[column.id] || [];
    if (!known.length) return "none: this metric has not been tried on clips with known faults";
    if (known[0].same) return "measured on clips with known faults, below";
    const others = known.map((c) => `${c.id}${flat(c.parameters) && ` (${flat(c.parameters)})`} with fingerprint ${c.fingerprint}`);
    return `none of this definition; there is one of ${[...new Set(others)].join(" and of ")}`;
  }

  // Difference to the fault-free clip over severity, the doses of all faults on one range.
  function doseLine(doses, most) {
    const width = 90, height = 26, middle = height / 2;
    const at = ([severity, difference]) => `${(4 + severity * (width - 8)).toFixed(1)},${(middle - (difference / (most || 1)) * (middle - 3)).toFixed(1)}`;
    const points = [[0, 0], ...doses.filter(([, d]) => d !== null)];
    return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart dose plain", role: "img", "aria-label": doses.map(([s, d]) => `severity ${s}: ${number(d)}`).join(", ") },
      svg("line", { class: "grid", x1: 0, x2: width, y1: middle, y2: middle }), svg("polyline", { class: "line", points: points.map(at).join(" ") }, svg("title", null, doses.map(([s, d]) => `severity ${s}: ${number(d)}`).join(", "))));
  }

  const VERDICTS = { true: ["ok", "holds"], false: ["error", "fails"], null: ["unscored", "not judged"] };
  function calibration(known) {
    if (!known?.length || !known[0].same) return [];
    return known.map((c) => {
      const title = el("h2", null, "Calibration");
      if (!c.rows.length) return el("section", { class: "card" }, title, el("p", { class: "note" }, text(`${c.id}: not measured (${c.reason})`)));
      const most = Math.max(...c.rows.flatMap((r) => r.doses.map(([, d]) => Math.abs(d ?? 0))));
      const rows = c.rows.map((r) => el("tr", null, el("th", { scope: "row", title: r.changes }, text(r.fault)), el("td", null, doseLine(r.doses, most)),
        el("td", null, number(r.doses.at(-1)?.[1])), el("td", null, r.rho === null ? "–" : r.rho.toFixed(2)), el("td", null, r.detects === null ? "not seen" : `from ${number(r.detects)}`), el("td", null, r.clear === null ? "–" : `from ${number(r.clear)}`),
        el("td", null, r.must && [el("span", { class: `status ${VERDICTS[r.holds][0]}` }, `must ${r.must}: ${VERDICTS[r.holds][1]}`), r.holds !== true && el("div", { class: "note reason" }, text(r.why))])));
      return el("section", { class: "card calibration" }, title,
        el("p", { class: "note" }, `${c.worlds}, ${c.frames} frames, ${c.size.join(" × ")}; one fault at a time at rising severity, against the same clip without it (${[number(c.oracle), c.unit].filter(Boolean).join(" ")}). Downwards is worse. ρ: rank correlation of severity and score. Seen: from which severity on a test over all clips tells; in each clip: from which on 95 % of single clips do.${c.specificity === null ? "" : ` Of ${c.ignored} clips with faults that it must ignore it stays still in ${(100 * c.specificity).toFixed(1)} %.`}${c.held_out ? " Nothing was tuned on these worlds." : ""}`),
        el("div", { class: "scroll" }, el("table", { class: "plain" }, el("thead", null, el("tr", null, ["Fault", "Severity 0 to 1", "Difference at 1", "ρ", "Seen", "In each clip", "Declared"].map((h) => el("th", { scope: "col" }, h)))), el("tbody", null, rows))));
    });
  }

  function definition(index, column) {
    const scale = column.scale;
    const rows = column.kind === "group"
      ? [["Kind", column.made_by], ["Members", el("ul", { class: "tree" }, Object.entries(column.of).map(([id, weight]) => el("li", null, el("a", { href: `#/metric/${encodeURIComponent(id)}` }, text(index.columns.find((c) => c.id === id)?.title ?? id)), ` × ${number(weight)}`)))], ["Direction", WAY[column.better]]]
      : [["What", column.summary], ["Metric", `${column.metric}, version ${column.version}`], [scale ? "Unit before the scale" : "Unit", column.unit || "none"], ["Direction", column.scale ? `${WAY[column.better]} after the scale; raw: ${WAY[{ true: 1, false: -1 }[column.higher_is_better] ?? 0]}` : WAY[column.better]],
        ["Bounds", column.bounds.join(" to ")], ["Parameters", flat(column.parameters) || "none"],
        ["Scale", scale ? `${scale.from.map(number).join(" → ")} becomes ${scale.to.map(number).join(" → ")}, ${scale.clip ? "clipped" : "not clipped"}, per ${scale.level}` : "none: scores are in the metric's unit"],
        ["Protocol", index.protocol], ["Calibration", calibrationNote(index, column)],
        ["Fingerprint", el("code", null, column.fingerprint)], ["Not the official instrument", column.not_official.join("; ")], ["Unavailable", column.unavailable]];
    return el("section", { class: "card" }, el("h2", null, "Definition"), pairs(rows),
      column.signals?.length ? [el("h3", null, "Signals and instruments"), signalTree(column.signals)] : null);
  }

  function breakdown(index, m, column) {
    return index.tags.map(({ tag, rows }) => {
      const flatRows = rows.flatMap((row) => row.cells[m].map((cell, k) => ({ label: `${row.value} (${row.cases})`, k, value: cell[0], low: cell[1], high: cell[2], note: cell[3] && `bounds ${cell[3].map((v) => (v === null ? "unbounded" : score(column, v))).join(" – ")}` }))).filter((r) => r.value !== null);
      if (!flatRows.length) return null;
      const all = flatRows.flatMap((r) => [r.value, r.low ?? r.value, r.high ?? r.value]);
      // The label stands once per value, the models below each other under it.
      let before = null;
      for (const row of flatRows) { const label = row.label; row.label = label === before ? "" : label; before = label; }
      return el("section", { class: "card" }, wg.charts.figure(`By ${tag}`, wg.bars.intervals(flatRows, [Math.min(...all), Math.max(...all)], { format: (v) => score(column, v), label: `${column.title} by ${tag}` }), `${column.id}-by-${tag}`, "Number of cases in brackets; one row per model in the colours of the legend."));
    });
  }

  wg.view("metric", (root, [id], _query, index) => {
    const i = index.columns.findIndex((c) => c.id === id);
    if (i < 0) throw new Error(`there is no metric ${id}`);
    const column = index.columns[i];
    const rows = index.models.map((model, k) => ({ label: model.name, k, value: index.scores[k][i].value, low: index.scores[k][i].interval?.[0] ?? null, high: index.scores[k][i].interval?.[1] ?? null, muted: Boolean(model.baseline) }));
    const bounded = index.scores.some((of) => of[i].bounds), ranked = index.ranks.some((of) => of[i] && of[i][0] !== of[i][1]), spread = index.scores.some((of) => of[i].spread !== null && of[i].spread !== undefined);
    const coverage = el("table", { class: "plain" }, el("thead", null, el("tr", null, ["Model", "Score", "95 % interval", bounded && "Bounds", ranked && "Rank", spread && "Spread of takes", "Scored", "Statuses"].map((h) => h && el("th", { scope: "col" }, h)))),
      el("tbody", null, index.models.map((model, k) => {
        const of = index.scores[k][i];
        return el("tr", null, el("th", { scope: "row" }, el("span", { class: `dot m${k % 10}` }), text(model.name)), el("td", null, score(column, of.value)), el("td", null, of.interval ? of.interval.map((v) => score(column, v)).join(" – ") : "–"),
          bounded && el("td", null, of.bounds ? of.bounds.map((v) => (v === null ? "unbounded" : score(column, v))).join(" – ") : "–"), ranked && el("td", null, index.ranks[k][i] ? [...new Set(index.ranks[k][i])].join("–") : "–"), spread && el("td", null, score(column, of.spread)),
          el("td", null, `${of.scored} / ${of.expected}${of.as_worst ? `, ${of.as_worst} as worst` : ""}`), el("td", null, Object.entries(of.statuses).map(([s, n]) => el("span", { class: `status ${s}` }, `${n} ${s}`)), of.reason && el("span", { class: "note" }, text(of.reason))));
      }), Object.entries(index.judged?.constants || {}).filter(([, scores]) => id in scores).map(([name, scores]) => el("tr", null, el("th", { scope: "row" }, name, el("span", { class: "chip small" }, "constant answer")), el("td", null, score(column, scores[id]))))));
    root.append(el("h2", { class: "title" }, text(column.title), el("span", { class: "way" }, WAY[column.better])),
      el("div", { class: "grid2" }, definition(index, column),
        el("section", { class: "card" }, wg.charts.figure("Score per model", wg.bars.intervals(rows, [Math.min(column.worst, column.best), Math.max(column.worst, column.best)], { bar: true, format: (v) => score(column, v) }), `bars-${column.id}`), el("div", { class: "scroll" }, coverage), bounded && el("p", { class: "note" }, "Bounds: if clips without a score, for a reason that a model can cause, counted as worst or best. A rank from – to depends on them."))));
    if (column.kind !== "metric") return;
    const data = index.histograms[i];
    const most = Math.max(1, ...data.counts.flat());
    root.append(el("section", { class: "card" }, el("h2", null, "Distribution over cases"), el("div", { class: "small-multiples" },
      index.models.map((model, k) => el("div", null, el("h4", null, el("span", { class: `dot m${k % 10}` }), text(model.name)), wg.charts.histogram(data, k, column.case_unit, most)))),
    el("p", { class: "note" }, "Dot: median; line: quartiles. ", el("a", { href: `#/cases?metric=${encodeURIComponent(column.id)}` }, "The cases behind it"))),
    ...calibration(index.calibration[column.id]), el("div", { class: "grid2" }, breakdown(index, i, column)));
  });

  wg.view("metrics", (root, _parts, _query, index) => {
    root.append(el("h2", { class: "title" }, "Metrics and groups"), el("div", { class: "cards" }, wg.columnsOf(index).map((column) => el("a", { class: "card link", href: `#/metric/${encodeURIComponent(column.id)}` },
      el("h3", null, text(column.title), el("span", { class: "chip small" }, column.kind)), el("p", null, text(column.summary || (column.of ? `${column.made_by} of ${Object.keys(column.of).join(", ")}` : ""))),
      el("p", { class: "note" }, WAY[column.better], column.score_unit ? ` · ${column.score_unit}` : column.scale ? " · on a scale" : "", column.fingerprint ? ` · ${column.fingerprint.slice(0, 12)}` : "")))));
  });
})();
