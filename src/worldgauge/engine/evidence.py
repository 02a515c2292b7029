"""What the store kept about a clip, for the case pages of a report: the recovered camera path, overlays."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from worldgauge.core.asking import BALLOTS, TRANSCRIPT
from worldgauge.core.cameras import CameraPath
from worldgauge.core.canonical import digest_of
from worldgauge.core.case import Case
from worldgauge.core.clip import Clip
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.evidence import Drawn, Evidence, EvidenceOf, Interview, Told
from worldgauge.core.manifest import benchmarks
from worldgauge.core.run_folder import Run
from worldgauge.core.signal import SIGNALS, Arrays
from worldgauge.core.sources import Source
from worldgauge.core.video import Image, VideoInfo
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.overlays import depth_maps, flow_arrows, masks, match_lines
from worldgauge.engine.store import Store

_LOG = logging.getLogger(__name__)
_OVERLAYS = {
    "object_track": "target mask",
    "flow_pairs": "flow",
    "neighbour_matches": "matches",
    "revisit_matches": "matches of revisits",
    "depth": "depth",
}
"""Signals that can be drawn, and what a report calls the pictures."""
_CAMERAS = ("poses", "poses_given_lens")


def stored_evidence(store: Store) -> EvidenceOf:
    """A finder of evidence in a store. What is not stored is not shown; nothing is perceived."""

    def find(run: Run, source: Source) -> Evidence:
        inputs = CaseInputs(source.case, source.video)
        described = {str(s): s for d in run.file.definitions for s in _all(d.signals) if s["of"] == "video"}
        overlays: dict[str, Drawn] = {}
        recovered: CameraPath | None = None
        interviews: list[Interview] = []
        for signal in described.values() if source.video is not None else ():
            asked = SIGNALS.get(signal["signal"]).is_asked if signal["signal"] in SIGNALS.names() else False
            if not asked and signal["signal"] not in (*_OVERLAYS, *_CAMERAS):
                continue
            try:
                entry = store.load(key_of(signal, inputs))
                if entry is None or entry.unscored is not None:
                    continue
                if asked:
                    interviews += _interviews(entry.arrays, source.case)
                    continue
                if signal["signal"] in _OVERLAYS:
                    overlays |= _overlay(signal["signal"], entry.arrays, inputs.clip("video").video.info)
                if signal["signal"] in _CAMERAS:
                    recovered = _aligned(entry.arrays, source.case.camera())
            except WorldGaugeError as problem:
                _LOG.debug("no %s to show for %s: %s", signal["signal"], source.case.id, problem)
        found = Evidence(overlays, recovered, tuple(interviews))
        manifest = benchmarks().get(run.file.benchmark.name)
        if manifest is None or not manifest.evidence or source.video is None:
            return found
        try:
            return found.joined(manifest.resolve(manifest.evidence)(_Stored(run, inputs, store)))
        except WorldGaugeError as problem:
            _LOG.debug("nothing more to show for %s: %s", source.case.id, problem)
            return found

    return find


class _Stored:
    """What the store kept about one clip of a run."""

    def __init__(self, run: Run, inputs: CaseInputs, store: Store) -> None:
        self._signals = [signal for definition in run.file.definitions for signal in _all(definition.signals)]
        self._inputs, self._store = inputs, store

    @property
    def case(self) -> Case:
        return self._inputs.case

    def clip(self, of: str) -> Clip:
        return self._inputs.clip(of)

    def arrays(self, signal: str, of: str = "video", **parameters: Any) -> Arrays | None:
        for described in self._signals:
            fits = all(described["parameters"].get(name) == value for name, value in parameters.items())
            if described["signal"] != signal or described["of"] != of or not fits:
                continue
            try:
                entry = self._store.load(key_of(described, self._inputs))
            except WorldGaugeError as problem:
                _LOG.debug("no %s to show for %s: %s", signal, self.case.id, problem)
                continue
            if entry is not None and entry.unscored is None:
                return entry.arrays
        return None


def _interviews(arrays: Arrays, case: Case) -> list[Interview]:
    """Each question with answer and reason, the frames that were sent, and the replies as they came; where several
    answers were put together, one interview for each time that each judge was asked.

    A row that does not say which answer passes is one of the case's own questions, where it has the same words.
    """
    known = {question.text: question for question in case.reference.questions}
    told: dict[str, Told] = {}
    for question, answer, reason, *more in json.loads(arrays[TRANSCRIPT].tobytes()):
        own = known.get(question)
        named = more or ((own.answer, own.dimension, own.id) if own is not None else ("", "", question))
        wanted, about, number = named
        told[number] = Told(question, answer, reason, wanted, about)
    frames = tuple(arrays["frames"].tolist())
    raw = tuple(json.loads(arrays["raw"].tobytes()))
    judge = arrays["model"].tobytes().decode("utf-8")
    together = Interview(judge, tuple(told.values()), frames, raw)
    ballots = json.loads(arrays[BALLOTS].tobytes()) if BALLOTS in arrays else []
    sittings: dict[tuple[str, int], list[Told]] = {}
    for ballot in ballots:
        asked = told.get(ballot["question"], Told(ballot["question"], ""))
        for name, answers in ballot["answers"].items():
            for take, answer in enumerate(answers):
                single = replace(asked, answer=str(answer), reason="")
                sittings.setdefault((name, take), []).append(single)
    alone = [Interview(name, tuple(rows), frames, take=take) for (name, take), rows in sittings.items()]
    return [*alone, replace(together, judge=f"together ({judge})")] if alone else [together]


def key_of(described: Mapping[str, Any], inputs: CaseInputs) -> str:
    """The store's key of a signal as `run.json` describes it; equals `Perception.key` of the same signal."""
    signal = SIGNALS.get(described["signal"])
    identity: dict[str, Any] = {
        "signal": described["signal"],
        "version": described["version"],
        "parameters": described["parameters"],
        "frames": described["frames"],
        "inputs": {part: inputs.digest(described["of"] if part == "video" else part) for part in signal.reads},
        "needs": [key_of(need, inputs) for need in described["needs"]],
    }
    if described["frames"].get("phase") is not None:
        identity["phases"] = inputs.digest("phases")
    if signal.seat is not None:
        identity["instrument"] = described["instrument"]
    return digest_of(identity | {key: described[key] for key in ("prompts", "code") if key in described})


def _all(signals: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for signal in signals:
        yield signal
        yield from _all(signal["needs"])


def _aligned(arrays: Arrays, requested: CameraPath) -> CameraPath | None:
    from worldgauge.functional.pose import align_scale

    frames = min(len(arrays["poses"]), len(requested))
    return CameraPath(align_scale(arrays["poses"][:frames], requested.poses[:frames]))


def _overlay(signal: str, arrays: Arrays, info: VideoInfo) -> dict[str, Drawn]:
    """The pictures of one signal; none of a signal that was stored before it kept what they show."""
    size, frames = (info.width, info.height), info.frames
    pictures: Callable[[], Iterator[Image]]
    match signal:
        case "object_track":
            pictures = partial(masks, arrays)
        case "flow_pairs" if "grid" in arrays:
            pictures = partial(flow_arrows, arrays, size)
        case "neighbour_matches" | "revisit_matches" if len(arrays["pairs"]):
            pictures = partial(match_lines, arrays, size, frames)
        case "depth":
            pictures = partial(depth_maps, arrays, frames)
        case _:
            return {}
    return {_OVERLAYS[signal]: Drawn(pictures, info.fps or 10.0, opaque=signal == "depth")}
