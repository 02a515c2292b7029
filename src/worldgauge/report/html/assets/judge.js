// Judges: what was asked about a case and what was said, and the page of all judged columns.
"use strict";

wg.judge = (() => {
  const { el, score, text } = wg;
  const THUMBS = 24, WIDTH = 120;
  const AGAINST = 1, DISAGREE = 2, UNANSWERED = 4;
  const KINDS = [["", "any"], [String(AGAINST), "not as wanted"], [String(DISAGREE), "takes or judges disagree"], [String(UNANSWERED), "without an answer"]];
  const percent = (share) => (share === null || share === undefined ? "–" : `${(100 * share).toFixed(1)} %`);
  const same = (a, b) => a.toLowerCase() === b.toLowerCase();

  // The frames that were sent, drawn from the clip itself; a click shows one in the players.
  function strip(frames, clip, player) {
    const step = Math.max(1, Math.ceil(frames.length / THUMBS));
    const shown = frames.filter((_, i) => i % step === 0);
    const pictures = shown.map(() => el("canvas", { width: 0, height: 0, "aria-hidden": "true" }));
    const node = el("div", { class: "strip" }, shown.map((frame, i) => el("button", { type: "button", title: `Show frame ${frame}`, onclick: () => player?.seek(frame) }, pictures[i], String(frame))));
    if (clip?.src && clip.info?.fps) {
      const video = el("video", { src: clip.src, preload: "auto" });
      video.muted = true;
      let at = 0;
      const next = () => { if (at < shown.length) video.currentTime = (shown[at] + 0.5) / clip.info.fps; };
      video.addEventListener("loadeddata", next, { once: true });
      video.addEventListener("seeked", () => {
        const canvas = pictures[at++];
        canvas.width = WIDTH;
        canvas.height = Math.round((WIDTH * video.videoHeight) / Math.max(1, video.videoWidth));
        canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
        next();
      });
    }
    return node;
  }

  // One entry per question, with what every judge and every time said.
  function byQuestion(interviews) {
    const found = new Map();
    interviews.forEach((interview, n) => interview.told.forEach((told) => {
      const entry = found.get(told.question) || { ...told, given: [] };
      entry.given[n] = told;
      found.set(told.question, entry);
    }));
    return [...found.values()].map((entry) => {
      const answers = interviews.map((_, n) => entry.given[n]?.answer || "");
      const given = answers.filter(Boolean);
      const flags = (entry.wanted && given.some((a) => !same(a, entry.wanted)) ? AGAINST : 0)
        + (given.some((a) => !same(a, given[0])) ? DISAGREE : 0) + (given.length < answers.length ? UNANSWERED : 0);
      return { ...entry, flags };
    });
  }

  const who = (one, all) => (one.judge || "judge") + (all.filter((other) => other.judge === one.judge).length > 1 ? `, take ${one.take + 1}` : "");

  function answers(interviews, wanted) {
    const questions = byQuestion(interviews).filter((q) => !wanted || q.flags & wanted);
    if (!questions.length) return el("p", { class: "note" }, "No question of this kind.");
    const head = el("tr", null, ["Question", "Wanted"].map((h) => el("th", { scope: "col" }, h)), interviews.map((one) => el("th", { scope: "col" }, text(who(one, interviews)))));
    const rows = questions.map((q) => el("tr", null, el("th", { scope: "row" }, text(q.question), q.about && el("span", { class: "chip small" }, text(q.about))), el("td", null, q.wanted ? text(q.wanted) : "–"),
      interviews.map((_, n) => {
        const told = q.given[n];
        if (!told?.answer) return el("td", null, el("span", { class: "status unscored" }, "no answer"));
        const kind = q.wanted ? (same(told.answer, q.wanted) ? "ok" : "error") : "";
        return el("td", null, el("span", { class: `status ${kind}` }, text(told.answer)), told.reason && el("div", { class: "note reason" }, text(told.reason)));
      })));
    return el("div", { class: "scroll" }, el("table", { class: "plain answers" }, el("thead", null, head), el("tbody", null, rows)));
  }

  // Interviews about the same questions stand beside each other; one about others has no answer to give to them.
  function alike(interviews) {
    const found = new Map();
    for (const one of interviews) {
      const key = JSON.stringify(one.told.map((told) => told.question).sort());
      found.set(key, [...(found.get(key) || []), one]);
    }
    return [...found.values()];
  }

  function ofModel(index, k, interviews, wanted, clips, player) {
    const clip = clips.find((c) => c.k === k);
    const read = interviews.filter((i) => !i.problem);
    return [el("h3", null, el("span", { class: `dot m${k % 10}` }), text(index.models[k].name)),
      interviews.filter((i) => i.problem).map((i) => el("p", { class: "note problem" }, text(i.problem))),
      alike(read).map((group) => answers(group, wanted)),
      interviews.filter((one) => one.raw.length).map((one) => el("details", null, el("summary", null, text(who(one, interviews)), `: ${one.frames.length} frames sent, ${one.raw.length} ${one.raw.length === 1 ? "reply" : "replies"}`),
        one.frames.length > 0 && strip(one.frames, clip, player), one.raw.map((reply) => el("pre", { class: "wrap" }, text(reply)))))];
  }

  // The section of a case's page.
  function section(index, detail, models, clips, player) {
    const shown = models.filter((k) => detail.interviews?.[k]?.length);
    if (!shown.length) return null;
    const place = el("div");
    const draw = (wanted) => place.replaceChildren(...shown.flatMap((k) => ofModel(index, k, detail.interviews[k], Number(wanted), clips, player)).flat(Infinity).filter(Boolean));
    draw("");
    return el("section", { class: "card judge" }, el("h2", null, "Judge"), wg.select("Questions", KINDS, "", draw), place);
  }

  function noiseTable(index, columns) {
    const known = columns.filter((c) => c.noise);
    if (!known.length) return el("p", { class: "note" }, "Every question was asked once, so nobody knows how much of the spread between models is the judge's own.");
    const rows = known.map(({ id, noise }) => { const column = index.columns.find((c) => c.id === id); return el("tr", null, el("th", { scope: "row" }, text(column.title)), [noise.spread, noise.noise, noise.noise_once].map((v) => el("td", null, score(column, v))), el("td", null, percent(noise.share)), el("td", null, percent(noise.share_once))); });
    return el("div", { class: "scroll" }, el("table", { class: "plain" }, el("thead", null, el("tr", null, ["Column", "Spread between models", "Judge's noise", "If asked once", "Its share of the variance", "If asked once"].map((h) => el("th", { scope: "col" }, h)))), el("tbody", null, rows)));
  }

  wg.view("judge", (root, _parts, _query, index) => {
    const judged = index.judged;
    if (!judged) throw new Error("no column rests on a judge's answers");
    const names = Object.keys(judged.constants);
    const head = el("tr", null, el("th", { scope: "col" }, "Column"), index.models.map((m, k) => el("th", { scope: "col" }, el("span", { class: `dot m${k % 10}` }), text(m.name))), names.map((n) => el("th", { scope: "col" }, n)));
    const rows = judged.columns.map((one) => {
      const at = index.columns.findIndex((c) => c.id === one.id), column = index.columns[at];
      return el("tr", null, el("th", { scope: "row" }, el("a", { href: `#/metric/${encodeURIComponent(one.id)}` }, text(column.title))),
        index.models.map((_, k) => el("td", null, el("b", null, score(column, index.scores[k][at].value)), el("span", { class: "note" }, `${index.scores[k][at].scored} of ${index.scores[k][at].expected}, ${percent(one.unscored[k])} unscored`))),
        names.map((n) => el("td", null, score(column, judged.constants[n][one.id]))));
    });
    const facts = (object) => Object.entries(object).map(([key, value]) => [el("dt", null, text(key)), el("dd", null, text(value))]);
    root.append(el("h2", { class: "title" }, "Judge"),
      el("section", { class: "card" }, el("h2", null, "Judged columns"), el("div", { class: "scroll" }, el("table", { class: "plain" }, el("thead", null, head), el("tbody", null, rows))),
        el("p", { class: "note" }, "Beside the models: what answers score that pay no heed to the clips. A score is worth what it has above them. ", el("a", { href: "#/cases?judge=1" }, "Cases with an answer that is not as wanted"), ", ", el("a", { href: "#/cases?judge=4" }, "cases without an answer"), ".")),
      el("section", { class: "card" }, el("h2", null, "Judge noise"), noiseTable(index, judged.columns)),
      el("div", { class: "grid2" }, index.models.map((model, k) => el("section", { class: "card" }, el("h2", null, el("span", { class: `dot m${k % 10}` }), text(model.name)), el("dl", { class: "pairs" }, facts(judged.judges[k].parameters), facts(judged.judges[k].counted))))));
  });

  return { section, KINDS };
})();
