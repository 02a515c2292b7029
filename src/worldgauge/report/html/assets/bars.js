// Rows with a point and an interval: the leaderboard's bar chart, breakdowns by tag, paired differences.
"use strict";

wg.bars = (() => {
  const { svg, number } = wg;
  const ROW = 26;

  // rows: [{label, k, value, low, high, muted}]; range: [from, to]; zero: draw a line at zero.
  function intervals(rows, range, { zero = false, bar = false, format = number, label = "Scores with intervals" } = {}) {
    const [LEFT, RIGHT, WIDTH] = wg.small() ? [120, 58, 360] : [190, 70, 640];
    const most = Math.floor(LEFT / 7);
    const [from, to] = range[0] === range[1] ? [range[0] - 1, range[1] + 1] : range;
    const x = (v) => LEFT + Math.min(1, Math.max(0, (v - from) / (to - from))) * (WIDTH - LEFT - RIGHT);
    const height = rows.length * ROW + 24;
    const parts = wg.charts.ticks(Math.min(from, to), Math.max(from, to), wg.small() ? 3 : 5).flatMap((t) => [
      svg("line", { class: "grid", x1: x(t), x2: x(t), y1: 0, y2: height - 20 }),
      svg("text", { class: "tick", x: x(t), y: height - 6, "text-anchor": "middle" }, number(t))]);
    if (zero) parts.push(svg("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: height - 20 }));
    rows.forEach((row, i) => {
      const y = i * ROW + ROW / 2;
      const short = row.label.length > most ? row.label.slice(0, most - 1) + "…" : row.label;
      const tone = `${row.k === undefined ? "plain" : `m${row.k % 10}`}${row.muted ? " muted" : ""}`;
      parts.push(svg("text", { class: "row", x: LEFT - 8, y: y + 4, "text-anchor": "end" }, svg("title", null, row.label), short));
      if (row.value === null) {
        parts.push(svg("text", { class: "tick", x: LEFT + 4, y: y + 4 }, "no score"));
        return;
      }
      const base = zero ? x(0) : x(from);
      if (bar) parts.push(svg("rect", { class: `bar soft ${tone}`, x: Math.min(base, x(row.value)), width: Math.abs(x(row.value) - base), y: y - 7, height: 14 }));
      if (row.low !== null && row.low !== undefined)
        parts.push(svg("line", { class: `whisker ${tone}`, x1: x(row.low), x2: x(row.high), y1: y, y2: y }),
          ...[row.low, row.high].map((v) => svg("line", { class: `whisker ${tone}`, x1: x(v), x2: x(v), y1: y - 4, y2: y + 4 })));
      parts.push(svg("circle", { class: `mark ${tone}`, cx: x(row.value), cy: y, r: 4 },
        svg("title", null, [row.low === null || row.low === undefined ? format(row.value) : `${format(row.value)} [${format(row.low)}, ${format(row.high)}]`, row.note].filter(Boolean).join(", "))),
        svg("text", { class: "tick", x: WIDTH - RIGHT + 8, y: y + 4 }, format(row.value)));
    });
    return svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "chart intervals", role: "img", "aria-label": label }, parts);
  }

  return { intervals };
})();
