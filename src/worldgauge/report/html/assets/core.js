// Loading data without a server, making elements from text only, and the router.
"use strict";

const wg = (() => {
  const stored = new Map();
  const waiting = new Map();
  const DETAILS_KEPT = 12;

  // Data files call this. Scripts, because a page opened from disk may not fetch.
  function put(name, value) {
    stored.set(name, value);
    const details = [...stored.keys()].filter((key) => key.startsWith("details-"));
    if (details.length > DETAILS_KEPT) stored.delete(details[0]);
    waiting.get(name)?.resolve(value);
    waiting.delete(name);
  }

  function load(name) {
    if (stored.has(name)) return Promise.resolve(stored.get(name));
    if (waiting.has(name)) return waiting.get(name).promise;
    const entry = {};
    entry.promise = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
    waiting.set(name, entry);
    const script = document.createElement("script");
    script.src = `data/${name}.js`;
    script.onload = () => script.remove();
    script.onerror = () => {
      waiting.delete(name);
      entry.reject(new Error(`data/${name}.js is not there`));
    };
    document.head.append(script);
    return entry.promise;
  }

  // Elements are made from text nodes only: whatever a user wrote is shown, never interpreted.
  function build(node, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (key === "class") node.setAttribute("class", value);
      else node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
    return node;
  }
  const el = (tag, attributes, ...children) => build(document.createElement(tag), attributes, children);
  const svg = (tag, attributes, ...children) =>
    build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  const text = (value) => el("bdi", null, String(value));

  function number(value) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    const size = Math.abs(value);
    if (value !== 0 && (size < 1e-4 || size >= 1e6)) return value.toPrecision(3);
    if (size >= 1e4) return value.toFixed(0);
    return String(Number(value.toPrecision(4)));
  }
  // A score with the decimals of its column.
  const score = (column, value) => (value === null || value === undefined ? "–" : value.toFixed(column.digits));
  // A case's value: another unit than the score where the scale is applied to the mean.
  const ofCase = (column, value) => (value === null || value === undefined ? "–" : value.toFixed(column.case_digits));
  const small = () => innerWidth < 640;
  const signed = (value) => (value > 0 ? "+" : "") + number(value);
  const pValue = (p) => (p === null || p === undefined ? "–" : p < 0.001 ? "< 0.001" : p.toFixed(3));

  const views = new Map();
  let leave = () => {};
  // A view is a function (root, parts, query) that fills root; it may return a function to call when it is left.
  const view = (name, make) => views.set(name, make);

  function address() {
    const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
    return { parts: path.split("/").map(decodeURIComponent), query: new URLSearchParams(query || "") };
  }

  let turn = 0;
  async function route() {
    const mine = ++turn;
    const { parts, query } = address();
    const name = views.has(parts[0]) ? parts[0] : "";
    const tab = { metric: "metrics", case: "cases" }[name] ?? name;
    for (const link of document.querySelectorAll("nav a"))
      link.dataset.view === tab ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
    const root = el("div", { class: `view view-${name || "home"}` });
    const index = await load("index");
    leave();
    leave = () => {};
    document.getElementById("leaderboard").hidden = name !== "";
    try {
      leave = (await views.get(name)(root, parts.slice(1), query, index)) || leave;
    } catch (error) {
      root.append(el("p", { class: "note problem" }, `This part cannot be shown: ${error.message}`));
    }
    if (mine !== turn) return;
    document.getElementById("view").replaceChildren(root);
    document.body.dataset.ready = location.hash || "#/";
    if (name) window.scrollTo(0, 0);
  }

  // Replace the query of the current address without a new entry in the history and without a new page.
  function remember(query) {
    const path = location.hash.split("?")[0];
    const rest = query.toString();
    history.replaceState(null, "", rest ? `${path}?${rest}` : path);
  }

  const options = (items, chosen) =>
    items.map(([value, label]) => el("option", { value, selected: String(value) === String(chosen) }, label));
  const select = (label, items, chosen, change) =>
    el("label", { class: "field" }, el("span", null, label),
      el("select", { onchange: (event) => change(event.target.value) }, options(items, chosen)));
  // Columns that are about any of the cases, each with its place among all; and the metrics of these.
  const columnsOf = (index) => index.columns.map((c, i) => ({ ...c, i })).filter((c) => !c.folded);
  const metricsOf = (index) => columnsOf(index).filter((c) => c.kind === "metric");

  return { put, load, el, svg, text, number, score, ofCase, small, signed, pValue, view, route, address, remember, select, columnsOf, metricsOf };
})();
