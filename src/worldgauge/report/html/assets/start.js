// Switching the theme, keys, and the first route.
"use strict";

(() => {
  wg.keys = {};
  const root = document.documentElement;

  function switchTheme() {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("worldgauge-theme", root.dataset.theme); } catch { /* pages from disk may have no storage */ }
  }
  const dialog = document.getElementById("keys");
  document.getElementById("theme").addEventListener("click", switchTheme);
  document.getElementById("help").addEventListener("click", () => dialog.showModal());
  dialog.querySelector("button").addEventListener("click", (event) => { event.preventDefault(); dialog.close(); });

  function moveRow(by) {
    const links = [...document.querySelectorAll(".row-link")];
    if (!links.length) return;
    const now = links.indexOf(document.activeElement);
    links[Math.min(links.length - 1, Math.max(0, now < 0 ? 0 : now + by))].focus();
  }
  const tab = (n) => { const link = document.querySelectorAll("nav a[data-view]")[n]; if (link) location.hash = link.getAttribute("href"); };
  const always = { t: switchTheme, "?": () => dialog.showModal(), j: () => moveRow(1), k: () => moveRow(-1),
    "/": () => { const search = document.getElementById("search"); if (search) search.focus(); else location.hash = "#/cases"; } };
  for (let n = 0; n < 5; n++) always[n + 1] = () => tab(n);

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    const inField = event.target.closest("input:not([type=range]), select, textarea");
    if (inField) { if (event.key === "Escape") event.target.blur(); return; }
    // A focused button or link keeps its own keys.
    if (event.key === " " && event.target.closest("button, summary, a")) return;
    const action = wg.keys[event.key] || always[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  addEventListener("hashchange", wg.route);
  wg.route();
})();
