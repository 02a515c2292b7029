// Charts as inline SVG: axes, radar, histograms, line charts, and saving them as SVG or PNG.
"use strict";

wg.charts = (() => {
  const { el, svg, number } = wg;

  // Round numbers that cover a range, about `count` of them.
  function ticks(low, high, count = 5) {
    const span = high - low || 1;
    const raw = span / count;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((s) => s * power).find((s) => s >= raw);
    const found = [];
    for (let t = Math.ceil(low / step) * step; t <= high + step * 1e-9; t += step) found.push(Number(t.toPrecision(12)));
    return found;
  }

  const share = (column, value) => (value - column.worst) / (column.best - column.worst || 1);
  const clamp = (x) => Math.min(1, Math.max(0, x));

  // One shape per model over columns, each spoke from the column's worst score to its best.
  function radar(index, columns, models) {
    const size = 420, middle = size / 2, radius = 140;
    const at = (i, r) => {
      const angle = (i / columns.length) * 2 * Math.PI - Math.PI / 2;
      return [middle + r * Math.cos(angle), middle + r * Math.sin(angle)];
    };
    const ring = (r) => columns.map((_, i) => at(i, r).map((x) => x.toFixed(1)).join(",")).join(" ");
    const parts = [0.25, 0.5, 0.75, 1].map((f) => svg("polygon", { class: "grid", points: ring(f * radius) }));
    columns.forEach((column, i) => {
      const [x, y] = at(i, radius), [lx, ly] = at(i, radius + 14);
      const anchor = Math.abs(lx - middle) < 12 ? "middle" : lx > middle ? "start" : "end";
      // A long title does not fit beside a spoke; the id is made to be short.
      const name = column.title.length > 18 ? column.id : column.title;
      const label = name.length > 18 ? name.slice(0, 17) + "…" : name;
      parts.push(svg("line", { class: "grid", x1: middle, y1: middle, x2: x, y2: y }),
        svg("text", { x: lx, y: ly + 4, "text-anchor": anchor }, svg("title", null, column.title), label));
    });
    for (const k of models) {
      const points = columns.map((column, i) => {
        const score = index.scores[k][column.i].value;
        return score === null ? null : at(i, clamp(share(column, score)) * radius);
      });
      parts.push(...shape(points, [middle, middle], `m${k % 10}`, index.models[k].name));
    }
    return svg("svg", { viewBox: wg.small() ? `-60 40 ${size + 120} ${size - 80}` : `-70 30 ${size + 140} ${size - 60}`, class: "chart radar", role: "img", "aria-label": "Radar chart of all models" }, parts);
  }

  // A closed polygon, or what there is of it: an axis without a score is no zero, so the outline leaves it out on both sides.
  function shape(points, middle, tone, name) {
    const text = (list) => list.map((p) => p.map((v) => v.toFixed(1)).join(",")).join(" ");
    const known = points.filter(Boolean);
    const marks = known.map(([x, y]) => svg("circle", { class: `mark ${tone}`, cx: x, cy: y, r: 3 }, svg("title", null, name)));
    if (known.length === points.length) return [svg("polygon", { class: `shape ${tone}`, points: text(points) }, svg("title", null, name)), ...marks];
    const sides = points.map((p, i) => [p, points[(i + 1) % points.length]]).filter(([a, b]) => a && b);
    return [...sides.map((side) => svg("polygon", { class: `shape wedge ${tone}`, points: text([middle, ...side]) })),
      ...sides.map((side) => svg("polyline", { class: `shape side ${tone}`, points: text(side) }, svg("title", null, name))), ...marks];
  }

  // Which models have no score on which axes, in words.
  const unscored = (index, columns, models) => models.map((k) => [index.models[k].name, columns.filter((c) => index.scores[k][c.i].value === null).map((c) => c.title)])
    .filter(([, titles]) => titles.length).map(([name, titles]) => `${name}: ${titles.join(", ")}`);

  // Bars of one model's distribution, with the quartiles under them.
  function histogram(data, k, unit, shared) {
    const width = 260, height = 74, base = height - 16;
    const counts = data.counts[k], step = width / counts.length;
    const x = (v) => ((v - data.low) / (data.high - data.low)) * width;
    const parts = counts.map((c, i) => svg("rect", { class: `bar m${k % 10}`, x: i * step + 0.5, width: step - 1, y: base - (c / shared) * (base - 4), height: (c / shared) * (base - 4) },
      svg("title", null, `${c} cases from ${number(data.low + (i * (data.high - data.low)) / counts.length)}`)));
    const q = data.quartiles[k];
    if (q) parts.push(svg("line", { class: "whisker", x1: x(q[1]), x2: x(q[3]), y1: base + 4, y2: base + 4 }),
      svg("circle", { class: "median", cx: x(q[2]), cy: base + 4, r: 3 }, svg("title", null, `median ${number(q[2])}`)));
    parts.push(svg("line", { class: "axis", x1: 0, x2: width, y1: base, y2: base }),
      svg("text", { x: 0, y: height - 1, class: "tick" }, number(data.low)),
      svg("text", { x: width, y: height - 1, class: "tick", "text-anchor": "end" }, `${number(data.high)} ${unit}`));
    return svg("svg", { viewBox: `-2 0 ${width + 4} ${height}`, class: "chart histogram", role: "img", "aria-label": "Distribution over cases" }, parts);
  }

  // Lines over a clip's frames, one per model, with bands behind and a cursor that `move(frame)` puts somewhere.
  // series: [{k, name, values, frames, tone}], frames[i] being the number of the frame that values[i] belongs to; a tone,
  // such as `asked`, takes the place of the model's colour.
  function curves(series, { bands = [], total = 0, cursor: movable = true, height = 110 } = {}) {
    const width = wg.small() ? 340 : 600, left = 52, right = 8, top = 8, bottom = 18;
    const all = series.flatMap((s) => s.values).filter((v) => v !== null);
    let low = Math.min(...all), high = Math.max(...all);
    if (!all.length) [low, high] = [0, 1];
    if (low === high) [low, high] = [low - Math.abs(low || 1) * 0.05, high + Math.abs(high || 1) * 0.05];
    const last = Math.max(1, total - 1, ...series.flatMap((s) => s.frames));
    const x = (frame) => left + (frame / last) * (width - left - right);
    const y = (v) => top + (1 - (v - low) / (high - low)) * (height - top - bottom);
    const parts = bands.map((b) => svg("rect", { class: `band ${b.name}`, x: x(b.from), width: Math.max(0, x(b.to) - x(b.from)), y: top, height: height - top - bottom }, svg("title", null, b.name)));
    for (const t of ticks(low, high, 3)) parts.push(svg("line", { class: "grid", x1: left, x2: width - right, y1: y(t), y2: y(t) }), svg("text", { class: "tick", x: left - 6, y: y(t) + 3, "text-anchor": "end" }, number(t)));
    for (const t of ticks(0, last, 8).filter(Number.isInteger)) parts.push(svg("text", { class: "tick", x: x(t), y: height - 4, "text-anchor": "middle" }, number(t)));
    for (const s of series) parts.push(...line(s, x, y));
    const cursor = svg("line", { class: "cursor", x1: left, x2: left, y1: top, y2: height - bottom });
    const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart curves", role: "img", "aria-label": "Curve per frame" }, parts, movable && cursor);
    chart.move = (frame) => { const at = x(Math.min(last, Math.max(0, frame))).toFixed(1); cursor.setAttribute("x1", at); cursor.setAttribute("x2", at); };
    chart.pick = (event) => {
      const box = chart.getBoundingClientRect();
      return Math.round(last * clamp((((event.clientX - box.left) / box.width) * width - left) / (width - left - right)));
    };
    return chart;
  }

  // One model's curve. It breaks where a number is absent, and where the next frame is much farther than usual, as over a
  // phase that was not looked at; numbers of sampled frames, and those that stand alone, are dots as well.
  function line(s, x, y) {
    const points = s.values.map((v, i) => [s.frames[i], v]).sort((a, b) => a[0] - b[0]);
    const steps = points.slice(1).map((p, i) => p[0] - points[i][0]).sort((a, b) => a - b);
    const usual = Math.max(1, steps[Math.floor(steps.length / 2)] ?? 1);
    const joined = points.map((p, i) => i > 0 && p[1] !== null && points[i - 1][1] !== null && p[0] - points[i - 1][0] <= 2 * usual);
    const path = points.map(([f, v], i) => (v === null ? "" : `${joined[i] ? "L" : "M"}${x(f).toFixed(1)} ${y(v).toFixed(1)}`)).join("");
    const dots = points.filter(([, v], i) => v !== null && (usual > 1 || !(joined[i] || joined[i + 1])));
    return [svg("path", { class: `line ${s.tone ?? `m${s.k % 10}`}`, d: path }, svg("title", null, s.name)),
      ...dots.map(([f, v]) => svg("circle", { class: `mark ${s.tone ?? `m${s.k % 10}`}`, cx: x(f).toFixed(1), cy: y(v).toFixed(1), r: 3, "data-frame": f }, svg("title", null, `${s.name}, frame ${f}: ${number(v)}`)))];
  }

  // Styles come from the sheet; a saved file must carry them itself.
  function standalone(chart) {
    const copy = chart.cloneNode(true);
    const originals = [chart, ...chart.querySelectorAll("*")], copies = [copy, ...copy.querySelectorAll("*")];
    originals.forEach((node, i) => {
      const style = getComputedStyle(node);
      for (const key of ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family", "font-weight", "opacity"])
        copies[i].setAttribute(key, style.getPropertyValue(key));
    });
    const [, , w, h] = chart.getAttribute("viewBox").split(" ").map(Number);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", w);
    copy.setAttribute("height", h);
    return { markup: new XMLSerializer().serializeToString(copy), w, h };
  }
  function download(href, name) {
    el("a", { href, download: name }).click();
  }
  function save(chart, name, kind) {
    const { markup, w, h } = standalone(chart);
    const source = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(markup)}`;
    if (kind === "svg") return download(source, `${name}.svg`);
    const image = new Image();
    image.onload = () => {
      const canvas = el("canvas", { width: w * 3, height: h * 3 });
      const pen = canvas.getContext("2d");
      pen.fillStyle = getComputedStyle(document.body).backgroundColor;
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(image, 0, 0, canvas.width, canvas.height);
      download(canvas.toDataURL("image/png"), `${name}.png`);
    };
    image.src = source;
    return undefined;
  }
  // A chart with a heading and buttons that save it.
  function figure(title, chart, name, note) {
    const buttons = ["svg", "png"].map((kind) => el("button", { type: "button", class: "quiet", onclick: () => save(chart, name, kind) }, kind.toUpperCase()));
    return el("figure", null, el("figcaption", null, el("h3", null, title), el("span", { class: "save" }, buttons)), chart, note && el("p", { class: "note" }, note));
  }

  return { ticks, share, clamp, radar, unscored, histogram, curves, figure };
})();
