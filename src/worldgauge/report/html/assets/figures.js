// What a benchmark shows of a clip: a curve beside what was asked for, frames that were compared two by two, pictures.
"use strict";

wg.figures = (() => {
  const { el, svg, number, text } = wg;
  const framesOf = (values) => values.map((_, i) => i);

  function curve(figure, k, name, player, total) {
    const series = [{ k, name, values: figure.found, frames: framesOf(figure.found) }];
    if (figure.asked.length) series.push({ k, tone: "asked", name: "asked for", values: figure.asked, frames: framesOf(figure.asked) });
    const chart = wg.charts.curves(series, { total, height: 170 });
    chart.addEventListener("pointerdown", (event) => player?.seek(chart.pick(event)));
    player?.listen(chart.move);
    const keys = series.map((s) => el("span", { class: "key" }, el("span", { class: `dot ${s.tone ?? `m${k % 10}`}` }), text(s.name)));
    return [chart, figure.asked.length && el("p", { class: "legend" }, keys)];
  }

  // An arc over the frames for each pair; a click shows its earlier frame, one on a number in the table that frame.
  function pairs(figure, k, name, player, total) {
    const width = wg.small() ? 340 : 600, height = 150, side = 16, base = height - 22;
    const last = Math.max(1, total - 1, ...figure.pairs.flat(), ...Object.values(figure.marks));
    const x = (frame) => side + (frame / last) * (width - 2 * side);
    const parts = [svg("line", { class: "axis", x1: side, x2: width - side, y1: base, y2: base })];
    for (const t of wg.charts.ticks(0, last, 8).filter(Number.isInteger)) parts.push(svg("text", { class: "tick", x: x(t), y: height - 6, "text-anchor": "middle" }, number(t)));
    for (const [what, frame] of Object.entries(figure.marks)) parts.push(svg("line", { class: "at", x1: x(frame), x2: x(frame), y1: 4, y2: base }), svg("text", { class: "tick", x: x(frame) + 4, y: 13 }, `${what} ${frame}`));
    const names = Object.keys(figure.facts);
    figure.pairs.forEach(([early, late], i) => {
      const told = names.map((fact) => `${fact} ${number(figure.facts[fact][i])}`).join(", ");
      const arc = svg("path", { class: `arc m${k % 10}`, d: `M${x(early).toFixed(1)} ${base}Q${x((early + late) / 2).toFixed(1)} ${(base - 1.6 * (base - 8) * ((late - early) / last)).toFixed(1)} ${x(late).toFixed(1)} ${base}` }, svg("title", null, `frames ${early} and ${late}${told && `: ${told}`}`));
      arc.addEventListener("click", () => player?.seek(early));
      parts.push(arc);
    });
    const seek = (frame) => el("td", null, el("button", { type: "button", class: "linklike", onclick: () => player?.seek(frame) }, String(frame)));
    const table = el("table", { class: "plain" }, el("thead", null, el("tr", null, ["Early frame", "Late frame", ...names].map((h) => el("th", { scope: "col" }, text(h))))),
      el("tbody", null, figure.pairs.map(([early, late], i) => el("tr", null, seek(early), seek(late), names.map((fact) => el("td", null, number(figure.facts[fact][i])))))));
    return [svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart pairing", role: "img", "aria-label": `${figure.title}: ${figure.pairs.length} pairs` }, parts),
      el("details", null, el("summary", null, `${figure.pairs.length} pairs`), el("div", { class: "scroll" }, table))];
  }

  // Pictures beside each other, with words about them.
  function gallery(figure) {
    return el("figure", { class: "stills" }, el("figcaption", null, el("h3", null, text(figure.title))), figure.lines.map((line) => el("p", { class: "note" }, text(line))),
      figure.stills.length > 0 && el("div", { class: "strip wide" }, figure.stills.map((s) => el("span", { class: "still" }, el("img", { src: s.src, alt: s.caption, loading: "lazy" }), el("span", { class: "note" }, text(s.caption))))));
  }

  const CHARTS = { curve, pairs };
  function drawn(figure, k, name, player, total, several) {
    const [chart, below] = CHARTS[figure.kind](figure, k, name, player, total);
    const title = [text(figure.title), figure.unit && el("span", { class: "note" }, " ", text(figure.unit)), several && el("span", { class: "note" }, " ", text(name))];
    return el("div", null, wg.charts.figure(title, chart, `figure-${figure.kind}-${k}`, figure.note && text(figure.note)), below);
  }

  // Charts of all models side by side, then what is wrong with each model's clip and its pictures.
  function section(index, detail, models, player, total) {
    const of = (k) => detail.figures?.[k] || [];
    const charts = models.flatMap((k) => of(k).filter((f) => f.kind in CHARTS).map((f) => drawn(f, k, index.models[k].name, player, total, models.length > 1)));
    const more = models.filter((k) => detail.marks?.[k]?.length || of(k).some((f) => f.kind === "gallery")).map((k) => [
      el("h3", null, el("span", { class: `dot m${k % 10}` }), text(index.models[k].name)),
      detail.marks?.[k]?.length > 0 && el("p", { class: "chips" }, detail.marks[k].map((mark) => el("span", { class: "chip small mark" }, text(mark)))),
      of(k).filter((f) => f.kind === "gallery").map(gallery)]);
    if (!charts.length && !more.length) return null;
    return el("section", { class: "card figures" }, el("h2", null, "Evidence"), charts.length > 0 && el("div", { class: "grid2 tight" }, charts), more);
  }

  return { section };
})();
