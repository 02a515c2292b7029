// One sample at a time. A drawing is a draft until it is saved; what is saved lies on disk before the page says so.
"use strict";

const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const LEAST_BOX = 4; // screen pixels: less is a click, and means a point
let samples = [];
let at = 0;
let size = { w: 0, h: 0 };
let drawingFrom = null;
const drafts = new Map();

const current = () => samples[at];
const clip = (value, most) => Math.min(Math.max(value, 0), most);

function shapeOf(anchor) {
  if (!anchor) return null;
  const whole = Math.round(anchor.width) === size.w && Math.round(anchor.height) === size.h;
  const point = whole || anchor.width <= 0 || anchor.height <= 0;
  return { x: anchor.center_x, y: anchor.center_y, w: point ? 0 : anchor.width, h: point ? 0 : anchor.height };
}

function add(parent, tag, attributes) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  parent.append(node);
}

function drawShape(shape, kind) {
  if (!shape) return;
  const group = $("shapes");
  if (shape.w > 0 && shape.h > 0) {
    add(group, "rect", { class: kind, x: shape.x - shape.w / 2, y: shape.y - shape.h / 2, width: shape.w, height: shape.h });
    return;
  }
  const arm = Math.min(size.w, size.h) / 24;
  add(group, "circle", { class: kind, cx: shape.x, cy: shape.y, r: arm / 2 });
  add(group, "path", { class: kind, d: `M${shape.x - arm} ${shape.y}h${2 * arm}M${shape.x} ${shape.y - arm}v${2 * arm}` });
}

function words(shape) {
  const round = (value) => Math.round(value * 10) / 10;
  const where = `${round(shape.x)}, ${round(shape.y)}`;
  return shape.w > 0 ? `box of ${round(shape.w)} x ${round(shape.h)} around ${where}` : `point at ${where}`;
}

function redraw() {
  const one = current();
  $("shapes").replaceChildren();
  const draft = drafts.get(one.sample);
  const kept = shapeOf(one.anchor);
  // A light band below each line: it is seen on any picture.
  for (const [shape, kind] of [[kept, "kept"], [draft, "draft"]]) { drawShape(shape, "band"); drawShape(shape, kind); }
  $("save").disabled = !draft;
  $("drop").disabled = !draft;
  $("remove").disabled = !one.anchor;
  const told = kept ? `Saved: ${words(kept)}, source: ${one.anchor.source || "not said"}.` : "Nothing saved.";
  $("status").textContent = draft ? `Not saved: ${words(draft)}. ${told}` : told;
  const done = samples.filter((s) => s.anchor).length;
  $("progress").textContent = `${done} of ${samples.length} have an anchor`;
  document.querySelectorAll("#samples button").forEach((button, number) => {
    button.className = drafts.has(samples[number].sample) ? "draft" : samples[number].anchor ? "kept" : "";
    if (number === at) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  });
}

function show(number) {
  at = (number + samples.length) % samples.length;
  const one = current();
  delete document.body.dataset.ready;
  $("name").textContent = one.name || "The target has no name";
  $("sample").textContent = one.sample;
  $("caption").textContent = one.caption;
  const picture = $("picture");
  picture.onload = () => {
    size = { w: picture.naturalWidth, h: picture.naturalHeight };
    // As large as fits, whatever its shape.
    $("stage").style.width = `min(100%, ${(70 * size.w) / size.h}vh)`;
    $("drawing").setAttribute("viewBox", `0 0 ${size.w} ${size.h}`);
    redraw();
    document.body.dataset.ready = one.sample;
  };
  picture.onerror = () => { $("status").textContent = "The picture cannot be shown."; };
  picture.src = "picture/" + one.sample.split("/").map(encodeURIComponent).join("/");
  document.querySelectorAll("#samples button")[at].scrollIntoView({ block: "nearest" });
  $("drawing").focus({ preventScroll: true });
}

function nextOpen() {
  for (let step = 1; step <= samples.length; step++) {
    const number = (at + step) % samples.length;
    if (!samples[number].anchor) return number;
  }
  return at + 1;
}

async function send(name, content) {
  const reply = await fetch(name, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(content),
  });
  const told = await reply.json().catch(() => ({ problem: `the server answered ${reply.status}` }));
  if (!reply.ok) throw new Error(told.problem);
  return told;
}

async function change(name, content, then) {
  const number = at;
  try {
    samples[number] = await send(name, content);
    drafts.delete(samples[number].sample);
    then();
  } catch (problem) {
    $("status").textContent = `Not saved: ${problem.message}`;
  }
}

function save() {
  const draft = drafts.get(current().sample);
  if (!draft) return;
  const content = { sample: current().sample, center_x: draft.x, center_y: draft.y, width: draft.w, height: draft.h };
  change("anchor", content, () => show(nextOpen()));
}

function remove() {
  if (current().anchor) change("remove", { sample: current().sample }, redraw);
}

function drop() {
  drafts.delete(current().sample);
  redraw();
}

function put(shape) {
  const w = Math.min(shape.w, size.w);
  const h = Math.min(shape.h, size.h);
  const inside = (value, half, most) => Math.min(Math.max(value, half), most - half);
  drafts.set(current().sample, { x: inside(shape.x, w / 2, size.w), y: inside(shape.y, h / 2, size.h), w, h });
  redraw();
}

function nudge(dx, dy, dw, dh) {
  const known = drafts.get(current().sample) || shapeOf(current().anchor);
  if (!known) { put({ x: size.w / 2, y: size.h / 2, w: 0, h: 0 }); return; }
  let w = Math.max(0, known.w + dw);
  let h = Math.max(0, known.h + dh);
  if (dw > 0 && h === 0) h = dw;
  if (dh > 0 && w === 0) w = dh;
  if (w === 0 || h === 0) w = h = 0;
  put({ x: known.x + dx, y: known.y + dy, w, h });
}

function pixel(event) {
  const box = $("drawing").getBoundingClientRect();
  const scale = size.w / box.width;
  return { x: clip((event.clientX - box.left) * scale, size.w), y: clip((event.clientY - box.top) * scale, size.h), scale };
}

$("drawing").addEventListener("pointerdown", (event) => {
  if (event.button !== 0) return;
  drawingFrom = pixel(event);
  $("drawing").setPointerCapture(event.pointerId);
});
$("drawing").addEventListener("pointermove", (event) => { if (drawingFrom) follow(event); });
$("drawing").addEventListener("pointerup", (event) => { if (drawingFrom) { follow(event); drawingFrom = null; } });
$("drawing").addEventListener("pointercancel", () => { drawingFrom = null; });

function follow(event) {
  const to = pixel(event);
  const w = Math.abs(to.x - drawingFrom.x);
  const h = Math.abs(to.y - drawingFrom.y);
  const least = LEAST_BOX * to.scale;
  if (w < least || h < least) put({ x: drawingFrom.x, y: drawingFrom.y, w: 0, h: 0 });
  else put({ x: (to.x + drawingFrom.x) / 2, y: (to.y + drawingFrom.y) / 2, w, h });
}

const KEYS = {
  Enter: save, n: () => show(at + 1), p: () => show(at - 1), Escape: drop, Delete: remove,
  ArrowLeft: (d) => nudge(-d, 0, 0, 0), ArrowRight: (d) => nudge(d, 0, 0, 0),
  ArrowUp: (d) => nudge(0, -d, 0, 0), ArrowDown: (d) => nudge(0, d, 0, 0),
  l: (d) => nudge(0, 0, 2 * d, 0), j: (d) => nudge(0, 0, -2 * d, 0),
  k: (d) => nudge(0, 0, 0, 2 * d), i: (d) => nudge(0, 0, 0, -2 * d),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !document.body.dataset.ready) return;
  if (event.target.tagName === "BUTTON" && event.key === "Enter") return;
  const act = KEYS[event.key] || KEYS[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act(event.shiftKey ? 10 : 1);
});
for (const [id, act] of Object.entries({ save, drop, remove, next: KEYS.n, previous: KEYS.p })) {
  $(id).addEventListener("click", () => act());
}
window.addEventListener("beforeunload", (event) => { if (drafts.size) event.preventDefault(); });

fetch("samples.json").then((reply) => reply.json()).then((told) => {
  samples = told;
  $("samples").append(...samples.map((one, number) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = one.sample;
    button.addEventListener("click", () => show(number));
    item.append(button);
    return item;
  }));
  const open = samples.findIndex((one) => !one.anchor);
  show(open < 0 ? 0 : open);
}).catch(() => { $("status").textContent = "The list of samples could not be read; is the command still running?"; });
