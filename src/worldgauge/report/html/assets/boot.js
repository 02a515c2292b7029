// In the head, before anything is painted: the remembered theme, and the other scripts once the table is on the screen.
"use strict";

(() => {
  const names = document.currentScript.dataset.scripts.split(" ");
  try {
    const theme = localStorage.getItem("worldgauge-theme");
    if (theme) document.documentElement.dataset.theme = theme;
  } catch { /* pages from disk may have no storage */ }

  let begun = false;
  function begin() {
    if (begun) return;
    begun = true;
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
