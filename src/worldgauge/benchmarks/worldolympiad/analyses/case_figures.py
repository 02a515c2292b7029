"""What a case page shows of this benchmark: overlays that were judged, rules, views, camera paths, chunks, tags."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from worldgauge.benchmarks.worldolympiad.formulas.alignment import aligned_scale
from worldgauge.benchmarks.worldolympiad.formulas.evidence import (
    GLOBAL_FRAMES,
    REFERENCE_FRAMES,
    chunk_positions,
    side_positions,
    whole_positions,
)
from worldgauge.benchmarks.worldolympiad.formulas.failure_tags import Judged, failure_tags
from worldgauge.benchmarks.worldolympiad.formulas.interaction import FULL
from worldgauge.benchmarks.worldolympiad.formulas.trajectory import compare_profiles
from worldgauge.benchmarks.worldolympiad.metrics.camera import paths_of
from worldgauge.benchmarks.worldolympiad.signals.chunks import TimedChunk, film_of, frame_numbers, timed_chunks
from worldgauge.benchmarks.worldolympiad.signals.objects import judged_frames, with_overlay
from worldgauge.benchmarks.worldolympiad.signals.views import unpacked_views
from worldgauge.core.cameras import CameraPath
from worldgauge.core.clip import Clip
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.evidence import Evidence, Gallery, Still, Stored
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import Arrays
from worldgauge.core.video import Image
from worldgauge.functional.pose import align_first_frame
from worldgauge.judge.session import answer_in

NAME = "worldolympiad/"
PLAIN = {"half_open": False, "equal_spans": False}
META = "meta-view"
SCENES = {
    "": ("Views of the rebuilt scene", "scene_views", {"dynamic": "fill"}),
    "dropped_": ("Views of the scene without what moves", "scene_views", {"dynamic": "drop"}),
    "house_": ("Views of the scene filled by the camera's motion", "house_scene_views", {}),
}
"""How the judgements of a rebuilt scene begin, to the title of its pictures and the signal that has them."""


def evidence(stored: Stored) -> Evidence:
    """Everything the store has of one clip; what was not asked or measured is not shown."""
    verdicts = _answer(stored, "rule_verdicts", mode="dimension")
    levels = {name: _answer(stored, f"{name}_judgements", **PLAIN) or [] for name in ("chunk", "transition")} | {
        "global": _answer(stored, "global_judgement", equal_spans=False) or []
    }
    ours, wanted, score = _paths(stored)
    views = {kind: {name: _answer(stored, f"{kind}{name}_judgement") for name in ("splat", "meta")} for kind in SCENES}
    judged = Judged(
        verdicts or (),
        levels["chunk"],
        levels["transition"],
        levels["global"][0] if levels["global"] else {},
        _first_score(views, "splat"),
        _first_score(views, "meta"),
        score,
    )
    figures = [*_rules(stored, verdicts), *_views(stored, views), *_timeline(stored, levels)]
    return Evidence(
        recovered=ours,
        paths={} if wanted is None else {"reference": wanted},
        figures=tuple(figures),
        marks=tuple(failure_tags(judged)),
    )


def _rules(stored: Stored, verdicts: Any) -> list[Gallery]:
    """The frames with boxes that the rules were judged by, and what was said of each rule."""
    if verdicts is None:
        return []
    lines = [
        f"{one['question_id']} ({one['dimension']}): {_in_words(one)}, {one.get('explanation') or one.get('error', '')}"
        for one in verdicts
        if one["related"]
    ]
    asked = [one["question_id"] for one in verdicts if not one["related"]]
    if asked:
        lines.append(f"do not apply: {', '.join(asked)}")
    found = [Gallery("Rules of physics", (), tuple(lines))]
    for of, label in (("video", "Frames with boxes"), ("reference", "Reference with boxes")):
        boxes = stored.arrays(f"{NAME}moving_boxes", of)
        clip = stored.clip(of)
        draw = with_overlay(label, clip, boxes).draw
        found.append(Gallery(label, tuple(_still(clip, index, draw) for index in judged_frames(clip))))
    return found


def _views(stored: Stored, answers: dict[str, dict[str, Any]]) -> list[Gallery]:
    """The nine pictures of every scene that was rebuilt, and what was said of them."""
    found = []
    for kind, (title, signal, parameters) in SCENES.items():
        arrays = stored.arrays(NAME + signal, **parameters)
        if arrays is None:
            continue
        names = [f"view {number} of {int(arrays['views'])}" for number in arrays["shown"].tolist()]
        names.append(f"{META}, frame {int(arrays['meta_frame'])}")
        stills = [Still(partial(_view, arrays, number), caption) for number, caption in enumerate(names)]
        said = {"views": answers[kind]["splat"], META: answers[kind]["meta"]}
        told = [f"{name} {one['score']:.2f}: {one['reason']}" for name, one in said.items() if one is not None]
        found.append(Gallery(title, tuple(stills), tuple(told)))
    return found


def _first_score(answers: dict[str, dict[str, Any]], name: str) -> float | None:
    """The score of the first kind of scene that was judged."""
    known = [own[name] for own in answers.values() if own[name] is not None]
    return float(known[0]["score"]) if known else None


def _view(arrays: Arrays, number: int) -> Image:
    return np.asarray(unpacked_views(arrays)[number], np.uint8)


def _timeline(stored: Stored, levels: dict[str, Any]) -> list[Gallery]:
    """Chunk after chunk the frames that were sent, with what was asked for and what was said."""
    clip = stored.clip("video")
    try:
        chunks = timed_chunks(clip, stored.case.extras.get("chunks") or [])
        reference = stored.clip("reference")
    except WorldGaugeError:
        return []
    found = []
    film = film_of(clip)
    for number, one in enumerate(chunks):
        frames = frame_numbers(chunk_positions(film, one.span), clip)
        found.append(_level(f"Chunk {one.index}, {_times(one)}", clip, frames, _said(levels["chunk"], number), one))
        if number + 1 < len(chunks):
            right = chunks[number + 1]
            before, after = side_positions(film, one.span, right.span)
            frames = (*frame_numbers(before, clip), *frame_numbers(after, clip))
            title = f"From chunk {one.index} to {right.index}"
            found.append(_level(title, clip, frames, _said(levels["transition"], number)))
    whole = frame_numbers(whole_positions(film, GLOBAL_FRAMES), clip)
    found.append(_level("The whole clip", clip, whole, _said(levels["global"], 0)))
    shown = frame_numbers(whole_positions(film_of(reference), REFERENCE_FRAMES), reference)
    found.append(_level("Reference, sent with each of them", reference, shown, ()))
    return found


def _level(
    title: str, clip: Clip, frames: Sequence[int], said: Sequence[str], chunk: TimedChunk | None = None
) -> Gallery:
    asked = () if chunk is None else (f"action {chunk.action or 'None'}: {chunk.caption}",)
    return Gallery(title, tuple(_still(clip, index) for index in frames), (*asked, *said))


def _said(answers: Sequence[Any], number: int) -> tuple[str, ...]:
    if number >= len(answers):
        return ()
    one = answers[number]
    parts = ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in one.items() if name != "reason")
    return (f"{parts} (of {FULL:g})", one["reason"])


def _paths(stored: Stored) -> tuple[CameraPath | None, CameraPath | None, float | None]:
    """The recovered path, scaled as the released score scales it, that of the reference, and the score."""
    kinds = (stored.arrays(f"{NAME}compared_cameras", material=material) for material in ("filled", "plain", "house"))
    ours, wanted = next(filter(None, kinds), None), stored.arrays(f"{NAME}compared_cameras", "reference")
    if ours is None or wanted is None or len(ours["poses"]) < 2:
        return None, None, None
    paths = paths_of(ours, wanted)
    predicted, target = paths.predicted, paths.target
    scale = aligned_scale(predicted, target)
    score = compare_profiles(predicted, target, scale).score
    shown = align_first_frame(np.array(predicted, np.float64))
    shown[:, :3, 3] *= scale
    return CameraPath(shown), CameraPath(align_first_frame(np.array(target, np.float64))), score


def _still(clip: Clip, index: int, draw: Callable[[int, Image], Image] | None = None) -> Still:
    at = f", {index / clip.fps:.2f} s" if clip.fps else ""
    return Still(partial(_frame, clip, index, draw), f"frame {index}{at}")


def _frame(clip: Clip, index: int, draw: Callable[[int, Image], Image] | None) -> Image:
    frame = np.asarray(next(iter(clip.video.frames(FrameSpec.at(index)))))
    return frame if draw is None else draw(index, frame)


def _answer(stored: Stored, signal: str, **parameters: Any) -> Any:
    arrays = stored.arrays(NAME + signal, **parameters)
    return None if arrays is None else answer_in(arrays)


def _times(chunk: TimedChunk) -> str:
    return f"{chunk.span.start:.2f} to {chunk.span.end:.2f} s"


def _in_words(verdict: Any) -> str:
    if verdict.get("error"):
        return "no answer"
    return f"{'complies' if verdict['compliant'] else 'breaks the rule'} (confidence {verdict['confidence']:g})"
