// Players in step: one clock that counts frames, any number of videos, and whoever wants to know where it stands.
"use strict";

wg.player = (() => {
  const { el, text, number } = wg;
  const USUAL_RATE = 10;

  // A video with the rate and the last frame of its clip. Frame k of one clip stands beside frame k of another, whatever
  // their rates: clips of one case are compared frame by frame.
  function tracked(attributes, info) {
    const video = el("video", { muted: true, playsinline: true, preload: "auto", tabindex: -1, ...attributes });
    video.muted = true;
    const track = { video, fps: info?.fps || USUAL_RATE, last: (info?.frames || 1) - 1, failed: false, shown: null };
    video.addEventListener("error", () => { track.failed = true; });
    // The time of the frame on the screen, where the browser tells it; currentTime runs ahead of it.
    const note = (_now, frame) => { track.shown = Math.round(frame.mediaTime * track.fps); video.requestVideoFrameCallback(note); };
    if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(note);
    // A new place is known before its frame is on the screen.
    video.addEventListener("seeking", () => { track.shown = null; });
    return track;
  }
  const frameOf = (track) => Math.min(track.last, track.shown ?? Math.floor(track.video.currentTime * track.fps + 1e-6));
  // The middle of a frame, because its edges belong to two. A shorter clip stays at its last frame.
  const put = (track, frame) => { track.video.currentTime = (Math.min(frame, track.last) + 0.5) / track.fps; };

  // clips: [{name, src, info, k, overlays: {name: {src, opaque, fps}}}]; bands: phases in frames; returns {node, keys, seek, listen, stop}.
  function make(clips, bands) {
    const listeners = [];
    const tracks = clips.map((clip) => tracked({ src: clip.src, "aria-label": clip.name }, clip.info));
    const overlays = new Map();
    const all = () => [...tracks, ...overlays.values()];
    // The clip with most frames leads, at its own rate.
    const lead = () => tracks.filter((t) => !t.failed).reduce((a, b) => (a && a.last >= b.last ? a : b), null);
    const last = Math.max(1, ...tracks.map((t) => t.last));
    const rates = [...new Set(clips.filter((c) => c.info?.fps).map((c) => c.info.fps))].sort((a, b) => a - b);
    let playing = false, timer = 0, overlay = "none", speed = 1, now = 0;

    const slider = el("input", { type: "range", min: 0, max: last, step: 1, value: 0, "aria-label": "Frame", oninput: () => seek(Number(slider.value)) });
    const clock = el("output", { class: "clock" }, "frame 0");
    const button = el("button", { type: "button", class: "primary", "aria-label": "Play", onclick: toggle }, "▶");

    // Whoever listens is told the number of the frame.
    function tell(frame) {
      now = frame;
      slider.value = frame;
      // Seconds are the same for all clips only where their rates are.
      clock.textContent = `frame ${frame}` + (rates.length === 1 ? ` · ${(frame / rates[0]).toFixed(2)} s` : "");
      for (const listener of listeners) listener(frame);
    }
    function seek(to) {
      const frame = Math.round(Math.min(last, Math.max(0, to)));
      for (const track of all()) put(track, frame);
      tell(frame);
    }
    function step(by) {
      pause();
      seek(now + by);
    }
    // Each video runs at as many frames a second as the leading one.
    function keepRates() {
      const first = lead();
      for (const track of all()) track.video.playbackRate = Math.min(16, Math.max(0.0625, (speed * (first?.fps || track.fps)) / track.fps));
    }
    function tick() {
      const first = lead();
      if (!playing || !first) return;
      const frame = frameOf(first);
      const slack = Math.max(1, Math.round(0.1 * speed * first.fps));
      for (const track of all()) {
        const wanted = Math.min(frame, track.last);
        if (track !== first && !track.video.seeking && Math.abs(frameOf(track) - wanted) > slack) put(track, wanted);
        // One that was put back after its end goes on.
        if (track.video.paused && !track.video.ended && !track.failed && frameOf(track) < track.last) track.video.play().catch(() => {});
      }
      tell(frame);
      if (first.video.ended) return pause();
      timer = requestAnimationFrame(tick);
    }
    function play() {
      const first = lead();
      if (!first) return;
      if (first.video.ended || now >= last) seek(0);
      playing = true;
      button.textContent = "❚❚";
      button.setAttribute("aria-label", "Pause");
      keepRates();
      for (const { video } of all()) video.play().catch(() => {});
      timer = requestAnimationFrame(tick);
    }
    function pause() {
      const was = playing;
      playing = false;
      cancelAnimationFrame(timer);
      button.textContent = "▶";
      button.setAttribute("aria-label", "Play");
      for (const { video } of all()) video.pause();
      // While playing, clips may be a frame apart; standing, they are not.
      const first = lead();
      if (was && first) seek(first.video.ended ? last : frameOf(first));
    }
    function toggle() { playing ? pause() : play(); }

    // Overlays: kept clips drawn over a model's video, or the reference subtracted by blending.
    const reference = clips.find((c) => c.k === undefined);
    const names = ["none", ...(reference && clips.length > 1 ? ["difference to reference"] : []), ...new Set(clips.flatMap((c) => Object.keys(c.overlays || {})))];
    const stages = clips.map((_clip, i) => el("div", { class: "stage" }, tracks[i].video));
    const picker = names.length > 1 ? wg.select("Overlay", names.map((n) => [n, n]), "none", show) : null;
    function show(name) {
      overlay = name;
      clips.forEach((clip, i) => {
        overlays.get(i)?.video.remove();
        overlays.delete(i);
        const difference = name === "difference to reference";
        const chosen = difference ? clip !== reference && { src: reference.src, ...reference.info } : clip.overlays?.[name];
        if (!chosen) return;
        // What was drawn for a clip has its length.
        const over = tracked({ src: chosen.src, class: `overlay ${difference ? "difference" : chosen.opaque ? "opaque" : "cover"}`, "aria-hidden": "true" }, { frames: clip.info?.frames, ...chosen });
        over.video.addEventListener("loadedmetadata", () => { put(over, now); keepRates(); if (playing) over.video.play().catch(() => {}); });
        overlays.set(i, over);
        stages[i].append(over.video);
      });
      if (picker) picker.querySelector("select").value = name;
    }
    const nextOverlay = () => show(names[(names.indexOf(overlay) + 1) % names.length]);

    tracks.forEach(({ video }, i) => video.addEventListener("error", () => stages[i].replaceChildren(el("p", { class: "note problem" }, clips[i].info?.problem || "This video cannot be played."))));
    const track = bands.length ? el("div", { class: "phases", "aria-hidden": "true" }, bands.map((b) => { const span = el("span", { class: b.name }, b.name); span.style.flexGrow = b.to - b.from; return span; })) : null;
    const speeds = wg.select("Speed", [[0.25, "¼×"], [0.5, "½×"], [1, "1×"], [2, "2×"]], 1, (v) => { speed = Number(v); keepRates(); });
    const unlike = rates.length > 1 && el("p", { class: "note rates" }, `Clips of ${rates.map(number).join(" and ")} frames a second, shown frame by frame at ${number(lead().fps)} a second.`);
    const node = el("section", { class: "card players" },
      el("div", { class: "stages" }, clips.map((clip, i) => el("figure", { class: "clip" }, stages[i],
        el("figcaption", null, el("span", { class: clip.k === undefined ? "dot reference" : `dot m${clip.k % 10}` }), text(clip.name), clip.info?.frames && el("span", { class: "note" }, `${clip.info.frames} frames · ${clip.info.width}×${clip.info.height} · ${number(clip.info.fps)} fps`))))),
      el("div", { class: "transport" }, button,
        el("button", { type: "button", "aria-label": "One frame back", onclick: () => step(-1) }, "‹"),
        el("button", { type: "button", "aria-label": "One frame on", onclick: () => step(1) }, "›"),
        el("div", { class: "track" }, track, slider), clock, speeds, picker), unlike);
    const keys = { " ": toggle, ArrowLeft: () => step(-1), ArrowRight: () => step(1), o: nextOverlay };
    return { node, keys, seek, listen: (f) => listeners.push(f), stop: pause };
  }

  return { make };
})();
