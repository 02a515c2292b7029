"""Parity of files: prompts, timestamps, trees, judge files and what the driver makes of them."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
from collections.abc import Callable, Container, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from worldgauge.benchmarks.worldolympiad.data.chunk_prompts import ChunkPrompt, chunk_prompts
from worldgauge.benchmarks.worldolympiad.data.chunk_times import interval_seconds, joined_chunks, seconds_of
from worldgauge.benchmarks.worldolympiad.data.descriptions import description, description_file
from worldgauge.benchmarks.worldolympiad.formulas import evidence
from worldgauge.benchmarks.worldolympiad.formulas.adherence import FRAMES_PER_CHUNK
from worldgauge.benchmarks.worldolympiad.formulas.interaction import FULL, PARTS, Levels, level_value, pooled_levels
from worldgauge.benchmarks.worldolympiad.formulas.score_text import unfenced
from worldgauge.benchmarks.worldolympiad.formulas.time_sampling import Film, clip_positions, judge_positions
from worldgauge.benchmarks.worldolympiad.official import manifest, summary
from worldgauge.benchmarks.worldolympiad.official.judge_files import ROUNDED
from worldgauge.benchmarks.worldolympiad.parity.stand_ins import measured, stored

Answer = dict[str, Any]
Arrays = Mapping[str, Any]


def prompt_parsing(given: Answer, arrays: Arrays) -> Answer:
    return {"value": [one.to_json() for one in chunk_prompts(given["prompt_json"])]}


def chunk_parsing(given: Answer, arrays: Arrays) -> Answer:
    prompts = [ChunkPrompt(**one) for one in given["prompts"]]
    return {"value": joined_chunks(given["chunk_json"], prompts)}


def timestamps(given: Answer, arrays: Arrays) -> Answer:
    if "timestamp" in given:
        return {"value": seconds_of(given["timestamp"])}
    return {"value": list(interval_seconds(given["interval"]))}


def manifest_rows(given: Answer, arrays: Arrays) -> Answer:
    with TemporaryDirectory() as name:
        root = Path(name) / "root"
        root.mkdir()
        for file in given["files_under_root"]:
            path = root / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x", "utf-8")
        rows = manifest.released_rows(root, given["pipeline"])
        return {"rows": [{key: text.replace(f"{name}/", "") for key, text in row.items()} for row in rows]}


def time_sampling(given: Answer, arrays: Arrays) -> Answer:
    film = Film(given["fps"], given["total_frames"])
    span = given["start_sec"], given["end_sec"]
    judged = judge_positions(film, *span, given["count"])
    clip = clip_positions(film, *span, given["clip_frames_per_chunk"])
    return {
        "judge_positions": _listed(judged),
        "judge_n": {"value": len(judged)},
        "clip_positions": _listed(clip),
        "clip_n": {"value": len(clip)},
    }


def interaction_pooling(given: Answer, arrays: Arrays) -> Answer:
    """Evidence by what a run calls, the score through the registered metric where no level was left out."""
    ends = given["chunk_boundaries_sec"]
    spans = [evidence.Span(a, b) for a, b in itertools.pairwise(ends)]
    films = Film(given["gen_fps"], given["gen_frames"]), Film(given["ref_fps"], given["ref_frames"])
    kept = [level for level in PARTS if not given[f"skip_{level}"]]
    asked = {"chunk": len(spans), "transition": len(spans) - 1, "global": 1}
    levels = [level for level in kept for _ in range(asked[level])]
    answers: dict[str, list[Any]] = {level: [] for level in PARTS}
    for level, text in zip(levels, given["answers_in_call_order"], strict=True):
        content = json.loads(unfenced(text))
        if not isinstance(content, dict):
            raise ValueError("the answer is no object")
        answers[level].append(content)
    values = {level: tuple(level_value(level, one) for one in own) for level, own in answers.items()}
    found = Levels(values["chunk"], values["transition"], values["global"][0] if values["global"] else None)
    overall = pooled_levels(found)
    score = None if overall is None else overall / FULL
    if values["global"]:
        shown = [stored(_plain(answers[level])) for level in PARTS]
        score = measured("interaction_judged", *shown).value
    read, images = all_positions(*films, spans, kept)
    return {
        "raises": None,
        "images_per_call": images,
        "read_positions": [[name, _listed(frames)] for name, frames in read],
        "summary": {
            "chunk_mean": found.chunk_mean,
            "transition_mean": found.transition_mean,
            "global_score": found.whole,
            "overall": overall,
        },
        "overall_raw": overall,
        "score": None if score is None else round(score, ROUNDED),
        "chunk_values": list(found.chunks),
        "transition_values": list(found.transitions),
        "global_value": found.whole,
    }


def all_positions(
    generated: Film, reference: Film, spans: Sequence[evidence.Span], levels: Container[str] = PARTS
) -> tuple[list[tuple[str, list[Any]]], list[int]]:
    """Everything that is read for a case, in the order in which the original opens the files, and how many pictures
    each question shows."""
    context = evidence.whole_positions(reference, evidence.REFERENCE_FRAMES)
    asked: list[tuple[str, tuple[list[Any], ...]]] = [
        ("chunk", (evidence.chunk_positions(generated, s),)) for s in spans
    ]
    asked += [("transition", evidence.side_positions(generated, *pair)) for pair in itertools.pairwise(spans)]
    asked.append(("global", (evidence.whole_positions(generated, evidence.GLOBAL_FRAMES),)))
    shown = [parts for level, parts in asked if level in levels]
    read = [("ref", context), *(("gen", part) for parts in shown for part in parts)]
    return read, [len(context) + sum(len(part) for part in parts) for parts in shown]


def _plain(answers: list[Any]) -> list[Any]:
    """What JSON of the store cannot hold, as the number the original makes of it."""

    def number(value: Any) -> Any:
        if isinstance(value, float) and not math.isfinite(value):
            return 0.0 if math.isnan(value) else FULL if value > 0 else 0.0
        return value

    return [{key: number(value) for key, value in answer.items()} for answer in answers]


def clip_adherence(given: Answer, arrays: Arrays) -> Answer:
    film = Film(given["fps"], given["total_frames"])
    taken, counts = list[float](), list[int]()
    parts = zip(given["captions"], given["starts"], given["ends"], given["frame_similarities_per_chunk"], strict=True)
    numbers = []
    for caption, start, end, similarities in parts:
        shown = len(clip_positions(film, start, end, FRAMES_PER_CHUNK))
        numbers.append(shown)
        scored = similarities[:shown] if caption.strip() else []
        counts.append(len(scored))
        taken += scored
    tokens = np.zeros(len(counts))
    found = {"similarities": np.array(taken), "counts": np.array(counts), "tokens": tokens, "most": np.array(0)}
    value, scores = None, tuple[float | None, ...]([None] * len(counts))
    if taken:
        answer = measured("clip_adherence", found)
        value, scores = answer.value, answer.curve or ()
    return {
        "summary": {
            "semantic_adherence": value,
            "num_scored_chunks": sum(count > 0 for count in counts),
            "num_chunks": len(counts),
            "num_scored_frames": len(taken),
        },
        "chunk_scores": list(scores),
        "num_frames": numbers,
    }


def timestamp_totals(given: Answer, arrays: Arrays) -> Answer:
    generated, reference = (Film(given[n]["fps"], given[n]["frames"]) for n in ("generated_video", "reference_video"))
    prompts = [ChunkPrompt(k, "a caption") for k in range(len(given["chunks"]))]
    try:
        timed = joined_chunks({**given["declared"], "chunks": given["chunks"]}, prompts)
    except ValueError:
        return {"interaction": {"raises": "ValueError"}, "clip": {"raises": "ValueError"}}
    spans = [evidence.Span(one["generated_start_sec"], one["generated_end_sec"]) for one in timed]
    read, images = all_positions(generated, reference, spans)
    shown = [clip_positions(generated, span.start, span.end, FRAMES_PER_CHUNK) for span in spans]
    return {
        "interaction": {
            "raises": None,
            "read_positions": [[name, _listed(found)] for name, found in read],
            "n_judge_calls": len(images),
        },
        "clip": {
            "raises": None,
            "read_positions": [position for found in shown for position in _listed(found)],
            "video": {"fps": generated.fps, "total_frames": generated.frames, "duration_sec": generated.seconds},
            "frames_per_chunk_scored": [len(found) for found in shown],
            "num_scored_frames": sum(len(found) for found in shown),
        },
    }


def video_description(given: Answer, arrays: Arrays) -> Answer:
    with TemporaryDirectory() as name:
        root = Path(name).resolve()
        _write_tree(root, given)
        reference, generated = (
            None if given.get(key) is None else root / given[key] for key in ("reference_video", "generated_video")
        )
        text = description(given["explicit"], reference, generated, given["required"])
        file = None if given["explicit"] else description_file(reference, generated)
        return {
            "raises": None,
            "text": text,
            "source": None if file is None else file.relative_to(root).as_posix(),
        }


def _write_tree(root: Path, given: Answer) -> None:
    for name in ("ref", "gen", "store"):
        (root / name).mkdir()
    for file, content in given["files"].items():
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(content) if isinstance(content, list) else content.encode())
    for folder in given["directories"]:
        (root / folder).mkdir(parents=True)
    for link, target in given["symlinks"]:
        (root / link).symlink_to(root / target)


def pooled_summary(given: Answer, arrays: Arrays) -> Answer:
    with TemporaryDirectory() as name:
        root = Path(name)
        for file, text in given["files"].items():
            path = root / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        found = {}
        for key, every in (("default", False), ("include_non_ok", True)):
            total, cases = summary.summarise(given["summary_jsonl"], root, "summary.jsonl", every)
            total["error_counts"] = _short(total["error_counts"])
            found[key] = {"summary": total, "cases_csv": _as_text([case.to_row() for case in cases])}
    return found


def _short(errors: Mapping[str, int]) -> dict[str, int]:
    """Recorded with the messages cut off, so that of two the last is left."""
    return {error.partition(":")[0]: count for error, count in errors.items()}


def _as_text(rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Rows as they are read back from a CSV file."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, summary.CASE_COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    read = list(csv.DictReader(io.StringIO(stream.getvalue())))
    return [{**row, "error": row["error"].partition(":")[0]} for row in read]


def _listed(positions: Any) -> list[Any]:
    return [list(one) if isinstance(one, tuple) else one for one in positions]


ITEMS: dict[str, Callable[[Answer, Arrays], Answer]] = {
    "prompt_parsing": prompt_parsing,
    "chunk_parsing": chunk_parsing,
    "timestamps": timestamps,
    "manifest": manifest_rows,
    "time_sampling": time_sampling,
    "interaction_pooling": interaction_pooling,
    "clip_adherence": clip_adherence,
    "timestamp_totals": timestamp_totals,
    "video_description": video_description,
    "pooled_summary": pooled_summary,
}
