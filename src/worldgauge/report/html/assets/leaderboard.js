// The first page: sorting and tie letters of the table, bars, radar and heat map under it.
"use strict";

(() => {
  const { el, score } = wg;
  const LETTERS = "abcdefghijklmnopqrstuvwxyz";

  function sortBoard(index, button, state) {
    const board = document.getElementById("board");
    const column = Number(button.dataset.column);
    const better = Number(button.dataset.better || 1);
    // The first click puts the best on top, the second the worst.
    const again = state.column === column && !state.reverse;
    Object.assign(state, { column, reverse: again });
    const rows = [...board.tBodies[0].rows];
    const key = (row) => (column < 0 ? row.querySelector(".name").textContent : row.cells[column + 1].dataset.sort);
    rows.sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      if (column < 0) return (again ? -1 : 1) * x.localeCompare(y);
      if (x === "" || y === "") return (x === "") - (y === "");
      return (again ? 1 : -1) * (better < 0 ? -1 : 1) * (Number(x) - Number(y));
    });
    board.tBodies[0].append(...rows);
    for (const th of board.tHead.rows[0].cells) th.removeAttribute("aria-sort");
    const descending = column < 0 ? again : (better < 0) === again;
    button.closest("th").setAttribute("aria-sort", descending ? "descending" : "ascending");
    letters(index, column < 0 ? null : button.dataset.id);
  }

  function letters(index, id) {
    const column = index.columns.findIndex((c) => c.id === id);
    for (const row of document.getElementById("board").tBodies[0].rows) {
      const k = Number(row.dataset.model);
      const groups = column < 0 || index.models.length < 2 ? [] : index.ties[column];
      row.querySelector(".letters").textContent = groups.map((g, i) => (g.includes(k) ? LETTERS[i % 26] : "")).join("");
    }
  }

  // A thin bar under each score: the interval and the score on the column's range.
  function ranges(board) {
    for (const cell of board.querySelectorAll("td[data-range]")) {
      const [start, end, point] = cell.dataset.range.split(" ");
      cell.style.setProperty("--start", `${start}%`);
      cell.style.setProperty("--end", `${Math.max(end, Number(start) + 0.8)}%`);
      cell.style.setProperty("--point", `${point}%`);
    }
  }

  function heat(index, columns) {
    const head = el("tr", null, el("th", { scope: "col" }, "Metric"), index.models.map((m) => el("th", { scope: "col" }, wg.text(m.name))));
    const rows = columns.map((column) => el("tr", null,
      el("th", { scope: "row" }, el("a", { href: `#/metric/${encodeURIComponent(column.id)}` }, wg.text(column.title))),
      index.models.map((model, k) => {
        const { value } = index.scores[k][column.i];
        const cell = el("td", { title: `${model.name}: ${score(column, value)}` }, score(column, value));
        if (value !== null && column.better) cell.style.setProperty("--heat", Math.round(100 * wg.charts.clamp(wg.charts.share(column, value))));
        else cell.classList.add("blank");
        return cell;
      })));
    return el("div", { class: "scroll" }, el("table", { class: "heat" }, el("thead", null, head), el("tbody", null, rows)));
  }

  function barsOf(index, id) {
    const column = index.columns.findIndex((c) => c.id === id);
    const info = index.columns[column];
    const order = index.models.map((_, k) => k).sort((a, b) => {
      const [x, y] = [index.scores[a][column].value, index.scores[b][column].value];
      return (x === null) - (y === null) || -(info.better || 1) * (x - y);
    });
    const rows = order.map((k) => {
      const { value, interval } = index.scores[k][column];
      return { label: index.models[k].name, k, value, low: interval?.[0] ?? null, high: interval?.[1] ?? null, muted: Boolean(index.models[k].baseline) };
    });
    return wg.bars.intervals(rows, [Math.min(info.worst, info.best), Math.max(info.worst, info.best)], { bar: true, format: (v) => score(info, v), label: `${info.title} per model` });
  }

  const state = {};
  wg.view("", (root, _parts, _query, index) => {
    const board = document.getElementById("board");
    const buttons = [...board.querySelectorAll(".sort")];
    if (!board.dataset.live) {
      board.dataset.live = "yes";
      ranges(board);
      for (const button of buttons) button.addEventListener("click", () => sortBoard(index, button, state));
      if (buttons.length > 1) sortBoard(index, buttons[1], state);
    }
    const columns = wg.columnsOf(index);
    const directed = columns.filter((c) => c.kind === "metric" && c.better);
    const hidden = new Set();
    const legend = el("div", { class: "legend" });
    const radarPlace = el("div");
    const drawRadar = () => {
      const shown = index.models.map((_, k) => k).filter((k) => !hidden.has(k));
      const gaps = wg.charts.unscored(index, directed, shown);
      radarPlace.replaceChildren(wg.charts.figure("Profile", wg.charts.radar(index, directed, shown), "radar",
        "Each spoke runs from the worst score in the middle to the best at the rim" + (directed.some((c) => c.observed) ? "; where a metric has no fixed range, from the worst to the best score observed." : ".")));
      if (gaps.length) radarPlace.append(el("p", { class: "note unscored-axes" }, "Not scored, so the outline has a gap. ", wg.text(gaps.join("; ")), "."));
    };
    index.models.forEach((model, k) => legend.append(el("button", { type: "button", class: "key", "aria-pressed": "true", onclick: (event) => {
      hidden.has(k) ? hidden.delete(k) : hidden.add(k);
      event.currentTarget.setAttribute("aria-pressed", String(!hidden.has(k)));
      drawRadar();
    } }, el("span", { class: `dot m${k % 10}` }), wg.text(model.name))));
    drawRadar();
    const first = buttons[1]?.dataset.id;
    const barPlace = el("div");
    const drawBars = (id) => {
      const info = index.columns.find((c) => c.id === id);
      barPlace.replaceChildren(wg.charts.figure(info.title, barsOf(index, id), `bars-${id}`, `95 % interval over ${index.clusters} scenes${info.score_unit ? `; unit ${info.score_unit}` : ""}.`));
    };
    if (first) drawBars(first);
    const heatCard = el("section", { class: "card" }, el("h2", null, "Metric by model"), heat(index, columns.filter((c) => c.kind === "metric")), el("p", { class: "note" }, "The stronger the colour, the better within the metric's range."));
    root.append(...[el("div", { class: "grid2" },
      el("div", null, el("section", { class: "card" }, first && wg.select("Column", columns.map((c) => [c.id, c.title]), first, drawBars), barPlace), index.models.length <= 5 && heatCard),
      directed.length > 2 && el("section", { class: "card" }, legend, radarPlace)), index.models.length > 5 && heatCard].filter(Boolean));
  });
})();
