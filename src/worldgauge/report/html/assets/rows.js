// A table of any length: portions of rows are made as they come into sight, and dropped when they are far away.
"use strict";

(() => {
  const { el } = wg;
  const PORTION = 50, NEAR = 400, GUESS = 37;

  // `row(item)` makes a row; `seen(portion)` hears which portion is in the middle; `start` is the one to begin with.
  wg.longTable = (head, list, row, start, seen) => {
    const portions = Math.max(1, Math.ceil(list.length / PORTION));
    const above = el("div"), below = el("div");
    const table = el("table", { class: "plain cases" }, el("thead", null, el("tr", null, head)));
    const box = el("div", { class: portions > 1 ? "scroll long" : "scroll", tabindex: portions > 1 ? 0 : null }, above, table, below);
    const drawn = new Map();
    let tall = GUESS * PORTION, measured = false, told = -1;

    function portion(number) {
      return el("tbody", null, list.slice(number * PORTION, (number + 1) * PORTION).map(row));
    }

    function draw() {
      const view = box.clientHeight || 600;
      const top = box.scrollTop;
      const inside = (number) => Math.min(portions - 1, Math.max(0, number));
      const first = inside(Math.floor((top - NEAR) / tall)), last = inside(Math.floor((top + view + NEAR) / tall));
      for (const [number, body] of drawn)
        if (number < first || number > last) { body.remove(); drawn.delete(number); }
      for (let number = first; number <= last; number++) {
        if (drawn.has(number)) continue;
        const body = portion(number);
        const next = [...drawn.keys()].filter((other) => other > number).sort((a, b) => a - b)[0];
        table.insertBefore(body, next === undefined ? null : drawn.get(next));
        drawn.set(number, body);
      }
      above.style.height = `${first * tall}px`;
      below.style.height = `${(Math.max(0, list.length - (last + 1) * PORTION) * tall) / PORTION}px`;
      const now = inside(Math.floor((top + view / 2) / tall));
      if (now !== told) seen((told = now), portions);
    }

    const to = (number) => { box.scrollTop = number * tall; draw(); };
    box.addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
    // Only on the page it is known how tall rows are.
    new ResizeObserver(() => {
      if (!measured && drawn.size && box.clientHeight) {
        measured = true;
        const [number, body] = drawn.entries().next().value;
        const rows = Math.min(PORTION, list.length - number * PORTION);
        if (rows > 0) tall = Math.max(1, (body.offsetHeight / rows) * PORTION);
        if (start) to(Math.min(start, portions - 1));
      }
      draw();
    }).observe(box);
    draw();
    return { node: box, to };
  };
})();
