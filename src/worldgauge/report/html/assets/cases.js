// The list of cases: choose a metric, search, filter by tag and status, sort, scroll.
"use strict";

(() => {
  const { el, ofCase, text } = wg;
  const STATUS = { o: "ok", s: "skipped", m: "missing", i: "invalid", u: "unscored", e: "error", ".": "no record" };
  wg.STATUS = STATUS;

  function chosen(cases, values, judged, query) {
    const words = (query.get("q") || "").toLowerCase();
    const status = query.get("status") || "";
    const tags = [...query].filter(([k, v]) => k.startsWith("tag.") && v !== "").map(([k, v]) => [cases.tags[k.slice(4)], v]).filter(([t]) => t).map(([t, v]) => [t.codes, t.values.indexOf(v)]);
    const kind = Number(query.get("judge") || 0);
    const found = [];
    for (let i = 0; i < cases.ids.length; i++) {
      if (words && !cases.ids[i].toLowerCase().includes(words) && !cases.clusters[cases.cluster[i]].toLowerCase().includes(words)) continue;
      if (tags.some(([codes, code]) => codes[i] !== code)) continue;
      if (status && !values.statuses.some((s) => s[i] === status)) continue;
      if (kind && judged && !judged.some((of) => of[i] & kind)) continue;
      found.push(i);
    }
    return found;
  }

  function order(list, cases, values, query) {
    const [key, way] = (query.get("sort") || "case.1").split(".");
    const sign = Number(way);
    if (key === "case") return sign > 0 ? list : list.reverse();
    const of = key === "spread"
      ? (i) => { const v = values.values.map((m) => m[i]).filter((x) => x !== null); return v.length > 1 ? Math.max(...v) - Math.min(...v) : null; }
      : (i) => values.values[Number(key)][i];
    const keyed = list.map((i) => [of(i), i]);
    keyed.sort((a, b) => (a[0] === null) - (b[0] === null) || sign * (a[0] - b[0]) || a[1] - b[1]);
    return keyed.map(([, i]) => i);
  }

  wg.view("cases", async (root, _parts, query, index) => {
    const metrics = wg.metricsOf(index);
    if (!metrics.length) throw new Error("the runs have no metric");
    const cases = await wg.load("cases");
    const place = el("div"), count = el("span", { class: "note", role: "status" });
    let values = null;

    const set = (key, value) => {
      value === "" || value === null ? query.delete(key) : query.set(key, value);
      query.delete("page");
      wg.remember(query);
      return draw();
    };

    async function draw() {
      const metric = metrics.find((m) => m.id === query.get("metric")) || metrics[0];
      values = await wg.load(`values-${metric.i}`);
      // Every answer about every case: fetched when somebody filters by it.
      const judged = index.judged && query.get("judge") ? await wg.load("judged") : null;
      const list = order(chosen(cases, values, judged, query), cases, values, query);
      wg.caseList = list;
      const [sorted, way] = (query.get("sort") || "case.1").split(".");
      const head = (key, label, first) => el("th", { scope: "col", "aria-sort": sorted === key ? (way === "1" ? "ascending" : "descending") : null },
        el("button", { type: "button", class: "sort", onclick: () => set("sort", `${key}.${sorted === key ? -Number(way) : first}`) }, label));
      const row = (i) => el("tr", null,
        el("th", { scope: "row" }, el("a", { href: `#/case/${i}`, class: "row-link" }, text(cases.ids[i])), cases.clusters[cases.cluster[i]] !== cases.ids[i] && el("span", { class: "note" }, text(cases.clusters[cases.cluster[i]]))),
        index.models.map((_, k) => {
          const v = values.values[k][i], s = STATUS[values.statuses[k][i]];
          return el("td", null, s === "ok" ? ofCase(metric, v) : [el("span", { class: `status ${s.replace(" ", "-")}` }, s), v !== null ? ` ${ofCase(metric, v)}` : ""]);
        }),
        el("td", null, Object.entries(cases.tags).map(([name, t]) => t.codes[i] >= 0 && el("span", { class: "chip small", title: name }, text(t.values[t.codes[i]])))));
      const first = metric.case_better < 0 ? -1 : 1;
      const headings = [head("case", "Case", 1), index.models.map((m, k) => head(String(k), [el("span", { class: `dot m${k % 10}` }), text(m.name)], first)), el("th", { scope: "col" }, "Tags")];
      const label = el("span"), back = el("button", { type: "button", onclick: () => rows.to(now - 1) }, "← Previous"), on = el("button", { type: "button", onclick: () => rows.to(now + 1) }, "Next →");
      let now = 0;
      const rows = wg.longTable(headings, list, row, Number(query.get("page") || 0), (portion, portions) => {
        now = portion;
        label.textContent = `Page ${portion + 1} of ${portions}`;
        back.disabled = portion === 0;
        on.disabled = portion >= portions - 1;
        // Coming back from a case, the list stands where it was left; a list that is not on the page yet says nothing.
        if (!place.isConnected) return;
        portion ? query.set("page", portion) : query.delete("page");
        wg.remember(query);
      });
      place.replaceChildren(rows.node, el("div", { class: "pager" }, back, label, on));
      count.textContent = `${list.length} of ${cases.ids.length} cases`;
    }

    const search = el("input", { type: "search", id: "search", placeholder: "Case or scene", value: query.get("q") || "", oninput: (event) => set("q", event.target.value) });
    root.append(el("h2", { class: "title" }, "Cases"), el("div", { class: "filters" },
      wg.select("Metric", metrics.map((m) => [m.id, m.title]), query.get("metric") || metrics[0].id, (v) => set("metric", v)),
      el("label", { class: "field" }, el("span", null, "Search"), search),
      wg.select("Status", [["", "any"], ...Object.entries(STATUS)], query.get("status") || "", (v) => set("status", v)),
      index.judged && wg.select("Judge", wg.judge.KINDS, query.get("judge") || "", (v) => set("judge", v)),
      index.models.length > 1 && wg.select("Order", [["case.1", "by name"], ["spread.-1", "models disagree most"]], query.get("sort") || "case.1", (v) => set("sort", v)),
      Object.entries(cases.tags).filter(([, t]) => t.values.length <= 40).map(([name, t]) => wg.select(name, [["", "any"], ...t.values.map((v) => [v, v.length > 40 ? v.slice(0, 39) + "…" : v])], query.get(`tag.${name}`) || "", (v) => set(`tag.${name}`, v))),
      count), place);
    await draw();
  });
})();
