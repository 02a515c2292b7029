// Players in sync: one clock, any number of videos, and whoever wants to know where it stands.
"use strict";

wg.player = (() => {
  const { el, text, number } = wg;

  // clips: [{name, src, info, k, overlays: {name: {src, opaque}}}]; bands: phases as shares; returns {node, listen, keys, stop}.
  function make(clips, bands) {
    const listeners = [];
    const videos = clips.map((clip) => {
      const video = el("video", { src: clip.src, muted: true, playsinline: true, preload: "auto", loop: false, tabindex: -1, "aria-label": clip.name });
      video.muted = true;
      return video;
    });
    const longest = () => Math.max(0.001, ...videos.map((v) => v.duration || 0));
    const lead = () => videos.reduce((a, b) => ((b.duration || 0) > (a.duration || 0) ? b : a), videos[0]);
    const most = Math.max(2, ...clips.map((c) => c.info?.frames || 0));
    let playing = false, timer = 0, overlay = "none";

    const slider = el("input", { type: "range", min: 0, max: most - 1, step: 1, value: 0, "aria-label": "Frame", oninput: () => seek(Number(slider.value) / (most - 1)) });
    const clock = el("output", { class: "clock" }, "frame 0");
    const button = el("button", { type: "button", class: "primary", "aria-label": "Play", onclick: toggle }, "▶");

    // Whoever listens is told the frame as a share of the clip: 0 is the first frame, 1 the last.
    function tell(frame) {
      slider.value = frame;
      clock.textContent = `frame ${frame} · ${((frame / most) * longest()).toFixed(2)} s`;
      for (const listener of listeners) listener(frame / (most - 1));
    }
    function seek(share) {
      const frame = Math.round(Math.min(1, Math.max(0, share)) * (most - 1));
      // The middle of the frame, because the edges belong to two.
      const time = ((frame + 0.5) / most) * longest();
      for (const v of [...videos, ...upper()]) v.currentTime = Math.min(time, Math.max(0, (v.duration || 0) - 0.001));
      tell(frame);
    }
    function step(by) {
      pause();
      seek((Number(slider.value) + by) / (most - 1));
    }
    function tick() {
      if (!playing) return;
      const first = lead();
      for (const v of [...videos, ...upper()]) if (Math.abs(v.currentTime - Math.min(first.currentTime, v.duration)) > 0.12) v.currentTime = Math.min(first.currentTime, v.duration || 0);
      tell(Math.min(most - 1, Math.floor((first.currentTime / longest()) * most)));
      if (first.ended) return pause();
      timer = requestAnimationFrame(tick);
    }
    function play() {
      if (lead().ended || lead().currentTime >= longest() - 0.05) seek(0);
      playing = true;
      button.textContent = "❚❚";
      button.setAttribute("aria-label", "Pause");
      for (const v of [...videos, ...upper()]) v.play().catch(() => {});
      timer = requestAnimationFrame(tick);
    }
    function pause() {
      playing = false;
      cancelAnimationFrame(timer);
      button.textContent = "▶";
      button.setAttribute("aria-label", "Play");
      for (const v of [...videos, ...upper()]) v.pause();
    }
    function toggle() { playing ? pause() : play(); }

    // Overlays: kept clips drawn over a model's video, or the reference subtracted by blending.
    const reference = clips.find((c) => c.k === undefined);
    const names = ["none", ...(reference && clips.length > 1 ? ["difference to reference"] : []), ...new Set(clips.flatMap((c) => Object.keys(c.overlays || {})))];
    const stages = clips.map((clip, i) => el("div", { class: "stage" }, videos[i]));
    const upper = () => stages.map((s) => s.querySelector("video.overlay")).filter(Boolean);
    const picker = names.length > 1 ? wg.select("Overlay", names.map((n) => [n, n]), "none", show) : null;
    function show(name) {
      overlay = name;
      clips.forEach((clip, i) => {
        stages[i].querySelector("video.overlay")?.remove();
        const difference = name === "difference to reference";
        const chosen = difference ? clip !== reference && { src: reference.src } : clip.overlays?.[name];
        if (!chosen) return;
        const over = el("video", { src: chosen.src, muted: true, playsinline: true, preload: "auto", class: `overlay ${difference ? "difference" : chosen.opaque ? "opaque" : "cover"}`, tabindex: -1, "aria-hidden": "true" });
        over.muted = true;
        over.addEventListener("loadedmetadata", () => { over.currentTime = Math.min(videos[i].currentTime, over.duration || 0); if (playing) over.play().catch(() => {}); });
        stages[i].append(over);
      });
      if (picker) picker.querySelector("select").value = name;
    }
    const nextOverlay = () => show(names[(names.indexOf(overlay) + 1) % names.length]);

    videos.forEach((video, i) => video.addEventListener("error", () => stages[i].replaceChildren(el("p", { class: "note problem" }, clips[i].info?.problem || "This video cannot be played."))));
    const track = bands.length ? el("div", { class: "phases", "aria-hidden": "true" }, bands.map((b) => { const span = el("span", { class: b.name }, b.name); span.style.flexGrow = b.to - b.from; return span; })) : null;
    const speeds = wg.select("Speed", [[0.25, "¼×"], [0.5, "½×"], [1, "1×"], [2, "2×"]], 1, (v) => [...videos, ...upper()].forEach((x) => { x.playbackRate = Number(v); }));
    const node = el("section", { class: "card players" },
      el("div", { class: "stages" }, clips.map((clip, i) => el("figure", { class: "clip" }, stages[i],
        el("figcaption", null, el("span", { class: clip.k === undefined ? "dot reference" : `dot m${clip.k % 10}` }), text(clip.name), clip.info?.frames && el("span", { class: "note" }, `${clip.info.frames} frames · ${clip.info.width}×${clip.info.height} · ${number(clip.info.fps)} fps`))))),
      el("div", { class: "transport" }, button,
        el("button", { type: "button", "aria-label": "One frame back", onclick: () => step(-1) }, "‹"),
        el("button", { type: "button", "aria-label": "One frame on", onclick: () => step(1) }, "›"),
        el("div", { class: "track" }, track, slider), clock, speeds, picker));
    const keys = { " ": toggle, ArrowLeft: () => step(-1), ArrowRight: () => step(1), o: nextOverlay };
    return { node, keys, seek, listen: (f) => listeners.push(f), stop: pause };
  }

  return { make };
})();
