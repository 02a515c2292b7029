// In the head, before anything is painted: the remembered theme; what is not a name or a score shows a frame later; and
// the other scripts come once the table is on the screen.
"use strict";

(() => {
  const names = document.currentScript.dataset.scripts.split(" ");
  const root = document.documentElement;
  root.classList.add("unpainted");
  try {
    const theme = localStorage.getItem("worldgauge-theme");
    if (theme) root.dataset.theme = theme;
  } catch { /* pages from disk may have no storage */ }

  let begun = false;
  function begin() {
    if (begun) return;
    begun = true;
    root.classList.remove("unpainted");
    for (const name of names) {
      const script = document.createElement("script");
      script.src = `assets/${name}`;
      // In the order of the list.
      script.async = false;
      document.head.append(script);
    }
  }
  // Fetching and running scripts competes with the first paint. A page in the background is never painted: do not wait long.
  new PerformanceObserver(begin).observe({ type: "paint", buffered: true });
  addEventListener("load", () => setTimeout(begin, 500));
})();
