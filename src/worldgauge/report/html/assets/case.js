// One case: players, curves with a moving cursor, camera from above, records with reasons, the condition.
"use strict";

(() => {
  const { el, svg, number, ofCase, text } = wg;

  function clipsOf(index, i, detail, models) {
    const media = detail.media || {};
    const clips = [];
    const reference = `media/${i}-reference.mp4`;
    if (media[reference]) clips.push({ name: "Reference", src: reference, info: media[reference] });
    for (const k of models) {
      const src = `media/${i}-${k}.mp4`;
      if (!media[src]) continue;
      const overlays = {};
      for (const name of Object.keys(media)) if (name.startsWith(`media/${i}-${k}-`)) overlays[name.slice(`media/${i}-${k}-`.length, -4).replaceAll("_", " ")] = { src: name, ...media[name] };
      clips.push({ name: index.models[k].name, src, info: media[src], k, overlays });
    }
    return clips;
  }

  // Phases in frames: from the first of one to the first of the next.
  function bandsOf(detail, frames) {
    if (!detail.phases || frames < 2) return [];
    const { gone, back } = detail.phases;
    const last = frames - 1;
    return [["visible", 0, gone], ["gone", gone, back], ["back", back, last]]
      .map(([name, from, to]) => ({ name, from: Math.min(last, from), to: Math.min(last, to) })).filter((b) => b.to > b.from);
  }

  // The frames a curve's numbers belong to: as recorded, or those of the clip, one for each frame or pair; else unknown.
  function framesOf(record, clip) {
    if (record.curve_frames) return record.curve_frames;
    const points = record.curve.length, frames = clip?.info?.frames;
    return !frames || frames - points === 0 || frames - points === 1 ? record.curve.map((_, i) => i) : null;
  }

  function whichFrames(frames, total) {
    if (frames[0] === 0 && total - frames.length <= 1) return null;
    const inARow = frames.every((f, i) => i === 0 || f === frames[i - 1] + 1);
    if (inARow) return `frames ${frames[0]} to ${frames.at(-1)}`;
    return frames.length > 4 ? `${frames.length} of ${total} frames: ${frames.slice(0, 3).join(", ")} … ${frames.at(-1)}` : `frames ${frames.join(", ")}`;
  }

  // One sentence for all models where they were looked at in the same frames.
  function whichOf(series, total) {
    const notes = series.map((s) => whichFrames(s.frames, total));
    if (notes.every((note) => note === notes[0])) return notes[0];
    return series.map((s, i) => `${s.name}: ${notes[i] ?? "every frame"}`).join("; ");
  }

  function curvesOf(index, detail, models, clips, bands, player, total) {
    const charts = [];
    for (const column of wg.metricsOf(index)) {
      const series = models.filter((k) => detail.records[k]?.[column.id]?.curve?.length > 1).map((k) => {
        const record = detail.records[k][column.id];
        return { k, name: index.models[k].name, values: record.curve, frames: framesOf(record, clips.find((c) => c.k === k)) };
      });
      if (!series.length) continue;
      const known = series.every((s) => s.frames);
      // Without their frames the numbers are only in order: they stand on an axis of their own, and no cursor moves over it.
      if (!known) for (const s of series) s.frames = s.values.map((_, i) => i);
      const points = Math.max(...series.map((s) => s.values.length));
      const note = known ? whichOf(series, total) : `${points} numbers in order; the run does not say to which frames they belong`;
      const chart = wg.charts.curves(series, { bands: known ? bands : [], total: known ? total : points, cursor: known });
      if (known) {
        chart.addEventListener("pointerdown", (event) => player?.seek(chart.pick(event)));
        player?.listen(chart.move);
      }
      const unit = [column.scale && "before the scale", column.unit].filter(Boolean).join(", ");
      charts.push(wg.charts.figure([el("a", { href: `#/metric/${encodeURIComponent(column.id)}` }, text(column.title)), unit && el("span", { class: "note" }, ` ${unit}`)], chart, `curve-${column.id}`, note));
    }
    return charts.length ? el("section", { class: "card" }, el("h2", null, "Per frame"), el("div", { class: "grid2 tight" }, charts)) : null;
  }

  // Positions on the ground, a stroke every few frames in the direction of view, a dot that follows the clock.
  function cameraFromAbove(detail, index, models, clips, player, total) {
    // The requested path comes last, dashed over the others, so that it shows where they agree.
    const shown = Object.entries(detail.camera || {}).filter(([name]) => !/^\d+$/.test(name) || models.includes(Number(name)));
    const paths = [...shown.filter(([name]) => name !== "requested"), ...shown.filter(([name]) => name === "requested")];
    if (!paths.length) return null;
    const size = 320, margin = 26;
    const toneOf = (name) => (/^\d+$/.test(name) ? `m${name % 10}` : name === "requested" ? name : "executed");
    const label = (name) => (/^\d+$/.test(name) ? `${index.models[name].name}, recovered` : name);
    const points = paths.flatMap(([, p]) => p);
    const [xs, ys] = [points.map((p) => p[0]), points.map((p) => p[1])];
    const span = Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys), 1e-6);
    const [cx, cy] = [(Math.max(...xs) + Math.min(...xs)) / 2, (Math.max(...ys) + Math.min(...ys)) / 2];
    const scale = (size - 2 * margin) / span;
    // A camera that only turns stands in the middle, and its strokes tell where it looks.
    const asked = detail.camera.requested || paths[0][1];
    const turning = Math.max(...asked.map((p) => Math.hypot(p[0] - asked[0][0], p[1] - asked[0][1]))) < 1e-6;
    const reach = turning ? size / 3 : 12;
    const at = ([x, y]) => turning ? [size / 2, size / 2] : [size / 2 + (x - cx) * scale, size / 2 - (y - cy) * scale];
    const parts = [], dots = [];
    paths.forEach(([name, path], n) => {
      // Paths that turn alike would hide each other; each is a little shorter.
      const length = turning ? reach * (1 - n / (paths.length + 3)) : reach;
      const tone = toneOf(name);
      parts.push(svg("polyline", { class: `path ${tone}`, points: path.map((p) => at(p).map((v) => v.toFixed(1)).join(",")).join(" ") }, svg("title", null, label(name))));
      for (let f = 0; f < path.length; f += Math.max(1, Math.floor(path.length / 12))) {
        const [x, y] = at(path[f]);
        parts.push(svg("line", { class: `look ${tone}`, x1: x, y1: y, x2: x + length * path[f][2], y2: y - length * path[f][3] }));
      }
      const [x, y] = at(path[0]);
      const dot = svg("circle", { class: `mark ${tone}`, cx: x, cy: y, r: 5 });
      const look = svg("line", { class: `look now ${tone}`, x1: x, y1: y, x2: x, y2: y });
      dots.push([dot, look, path, length]);
      parts.push(look, dot);
    });
    // A pose for each frame; a path of another length than any clip has its poses spread over the case.
    const framewise = (path) => clips.some((c) => c.info?.frames === path.length);
    const poseAt = (path, frame) => path[framewise(path) ? Math.min(frame, path.length - 1) : Math.round((frame / Math.max(1, total - 1)) * (path.length - 1))];
    const follow = (frame) => dots.forEach(([dot, look, path, length]) => {
      const pose = poseAt(path, frame);
      const [x, y] = at(pose);
      const place = { x1: x, y1: y, x2: x + length * pose[2], y2: y - length * pose[3] };
      for (const [key, value] of Object.entries(place)) look.setAttribute(key, value);
      dot.setAttribute("cx", x);
      dot.setAttribute("cy", y);
    });
    follow(0);
    player?.listen(follow);
    const unit = wg.charts.ticks(0, span, 4)[1] || span;
    if (!turning) parts.push(svg("line", { class: "axis", x1: 10, x2: 10 + unit * scale, y1: size - 8, y2: size - 8 }), svg("text", { class: "tick", x: 10, y: size - 13 }, `${number(unit)} ${unit === 1 ? "unit" : "units"}`));
    const legend = el("p", { class: "legend" }, paths.map(([name]) => el("span", { class: "key" }, el("span", { class: `dot ${toneOf(name)}` }), text(label(name)))));
    return el("section", { class: "card" }, wg.charts.figure("Camera from above", svg("svg", { viewBox: `0 0 ${size} ${size}`, class: "chart above", role: "img", "aria-label": "Camera path from above" }, parts), "camera-path"), legend);
  }

  function recordsTable(index, detail, models) {
    const row = (column) => el("tr", null, el("th", { scope: "row" }, el("a", { href: `#/metric/${encodeURIComponent(column.id)}` }, text(column.title))), models.map((k) => {
      const record = detail.records[k]?.[column.id];
      if (!record) return el("td", null, el("span", { class: "status no-record" }, "no record"));
      return el("td", null, record.status === "ok" ? [el("b", null, ofCase(column, record.value)), column.case_unit && ` ${column.case_unit}`] : el("span", { class: `status ${record.status}`, title: record.code }, record.code ? `${record.status}: ${record.code}` : record.status),
        record.raw !== undefined && record.raw !== record.value && el("span", { class: "note" }, ` raw ${number(record.raw)} ${column.unit}`),
        record.reason && el("div", { class: "note reason" }, text(record.reason)),
        record.traceback && el("details", null, el("summary", null, "Traceback"), el("pre", null, record.traceback)));
    }));
    // Columns that do not apply to this case stand folded below the others.
    const skipped = (column) => models.every((k) => detail.records[k]?.[column.id]?.status === "skipped");
    const all = wg.metricsOf(index), apart = all.filter(skipped), rows = all.filter((column) => !skipped(column)).map(row);
    const others = apart.length ? el("details", { class: "note" }, el("summary", null, apart.length === 1 ? "1 metric does not apply to this case" : `${apart.length} metrics do not apply to this case`), el("div", { class: "scroll" }, el("table", { class: "plain records" }, el("tbody", null, apart.map(row))))) : null;
    return el("section", { class: "card" }, el("h2", null, "Records"), el("div", { class: "scroll" }, el("table", { class: "plain records" }, el("thead", null, el("tr", null, el("th", { scope: "col" }, "Metric"), models.map((k) => el("th", { scope: "col" }, el("span", { class: `dot m${k % 10}` }), text(index.models[k].name))))), el("tbody", null, rows))), others);
  }

  function condition(detail) {
    const parts = [];
    const add = (title, ...content) => parts.push(el("h3", null, title), ...content);
    if (detail.prompt) add("Prompt", el("p", { class: "quote" }, text(detail.prompt)));
    for (const [name, caption] of Object.entries(detail.captions || {})) add(name, el("p", { class: "quote" }, text(caption)));
    if (detail.target) add("Target", el("p", null, text(detail.target)));
    if (detail.chunks) add("Chunks", el("ol", null, detail.chunks.map((c) => el("li", null, `${c.first}–${c.last}: `, text(c.caption), c.action && el("kbd", null, text(c.action))))));
    if (detail.rules) add("Rules", el("ul", null, detail.rules.map((r) => el("li", null, text(r)))));
    if (detail.questions) add("Questions", el("ul", null, detail.questions.map((q) => el("li", null, text(q.text), " ", el("b", null, q.answer)))));
    return parts.length ? el("section", { class: "card tall" }, el("h2", null, "Condition and truth"), parts) : null;
  }

  // Also used by the comparison, with two models.
  async function show(root, i, index, models) {
    const detail = (await wg.load(`details-${Math.floor(i / index.cases_per_file)}`))[i];
    const clips = clipsOf(index, i, detail, models);
    const longest = Math.max(0, ...clips.map((c) => c.info?.frames || 0), ...models.flatMap((k) => Object.values(detail.records[k] || {}).map((r) => Math.max(r.curve?.length || 0, ...(r.curve_frames || []).map((f) => f + 1)))));
    const bands = bandsOf(detail, longest);
    const player = clips.length ? wg.player.make(clips, bands) : null;
    root.append(...[player?.node ?? el("p", { class: "note card" }, "No videos in this report: the run does not say where they lie, or it was made without them."),
      curvesOf(index, detail, models, clips, bands, player, longest),
      wg.figures.section(index, detail, models, player, longest),
      el("div", { class: "grid2" }, cameraFromAbove(detail, index, models, clips, player, longest), condition(detail)),
      recordsTable(index, detail, models), wg.judge.section(index, detail, models, clips, player)].filter(Boolean));
    wg.keys = { ...wg.keys, ...player?.keys };
    return () => { player?.stop(); wg.keys = {}; };
  }

  wg.showCase = show;
  wg.view("case", async (root, [position], _query, index) => {
    const i = Number(position);
    const cases = await wg.load("cases");
    if (!(i >= 0 && i < cases.ids.length)) throw new Error(`there is no case number ${position}`);
    const list = wg.caseList?.includes(i) ? wg.caseList : null;
    const place = list ? list.indexOf(i) : i, total = list ? list.length : cases.ids.length;
    const other = (by) => { const next = place + by; return next >= 0 && next < total ? `#/case/${list ? list[next] : next}` : null; };
    const link = (by, label, title) => (other(by) ? el("a", { class: "button", href: other(by), title }, label) : el("span", { class: "button off" }, label));
    root.append(el("div", { class: "case-head" }, el("h2", { class: "title" }, text(cases.ids[i])),
      el("p", { class: "chips" }, el("span", { class: "chip small" }, "scene ", text(cases.clusters[cases.cluster[i]])), Object.entries(cases.tags).map(([name, t]) => t.codes[i] >= 0 && el("span", { class: "chip small" }, text(name), ": ", text(t.values[t.codes[i]])))),
      el("div", { class: "buttons" }, link(-1, "← Previous", "["), el("span", { class: "note" }, `${place + 1} of ${total}`), link(1, "Next →", "]"))));
    wg.keys = { "[": () => other(-1) && (location.hash = other(-1)), "]": () => other(1) && (location.hash = other(1)) };
    return show(root, i, index, index.models.map((_, k) => k));
  });
})();
