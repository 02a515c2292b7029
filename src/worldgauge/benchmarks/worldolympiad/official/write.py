"""Official files of a run: judge JSON per case, the progress file, `score_summary.json` and `score_cases.csv`."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.worldolympiad.formulas.combination import combined_score
from worldgauge.benchmarks.worldolympiad.formulas.interaction import FULL, Levels, level_value, pooled_levels
from worldgauge.benchmarks.worldolympiad.official.described import described, settings_of
from worldgauge.benchmarks.worldolympiad.official.done_rules import Line, progress
from worldgauge.benchmarks.worldolympiad.official.geometry import PARTS, TOTAL, geometry_of_records, three_d
from worldgauge.benchmarks.worldolympiad.official.judge_files import ROUNDED, physical_summary
from worldgauge.benchmarks.worldolympiad.official.run_answers import stored_answers
from worldgauge.benchmarks.worldolympiad.official.summary import CASE_COLUMNS, CaseScores, summarise
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.report.summary import summarise as summarise_run
from worldgauge.report.unofficial import MARK, official_or_marked, seen_by_others, why_not_official

PROGRESS = "summary_from_outputs.jsonl"
SUMMARY = "score_summary.json"
CASES = "score_cases.csv"
CLIP = "ClipRaw"
"""Column of a run that is in a judge file and is no answer."""
COLUMNS = ("Physical", "Interact", CLIP, *PARTS)
"""Columns of a run that judge files rest on."""


def write_official(run: Run, out: Path, prefix: str, store: Path, *, allow_unofficial: bool = False) -> list[Path]:
    """Write the files of one model's run: `outputs_batch/<domain>/<case>/<prefix>_judge_<case>.json` and, per domain,
    its summary below `batch_logs/<domain>_<prefix>`. A case without any answer has no file and is pending, as in the
    original. Files are named relative to `out`: the official summary is to be run there.

    A run that is not official is refused with the reasons. Where `allow_unofficial` is set every file bears a marked
    prefix in its name and in what it says of files, judge files have an entry `unofficial`, and `UNOFFICIAL.txt` has
    the reasons.
    """
    zeros = set(PARTS) if geometry_is_theirs(run) else set()
    reasons = why_not_official(summarise_run(run), COLUMNS, zeros=zeros)
    mark = official_or_marked("WorldOlympiad's judge files", {run.name: reasons}, allow_unofficial)
    prefix = mark.file_name(run.name, prefix, between="_")
    marked = {MARK: mark.of(run.name)} if mark.needed else {}
    rows: dict[str, list[dict[str, Any]]] = {}
    written = []
    parts, sources, settings = parts_of_run(run, store), run.sources(), settings_of(run)
    similarities = {record["case"]: record.get("curve") for record in run.records() if record["metric"] == CLIP}
    for case, tags in sorted(run.tags().items()):
        domain, name = tags.get("domain", ""), case.rpartition("/")[2]
        folder = "embodied" if domain == "robotics" else str(domain)
        file = out / "outputs_batch" / folder / name / f"{prefix}_judge_{name}.json"
        rows.setdefault(folder, []).append({"id": name, "output": file.relative_to(out).as_posix()})
        if case not in parts:
            continue
        content = judge_json(**{key: value for key, value in parts[case].items() if key != "domain"})
        if case in sources:
            content = described(content, sources[case], settings, similarities.get(case))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({**content, **marked}, indent=2, ensure_ascii=False) + "\n", "utf-8")
        written.append(file)
    if not written:
        raise WorldGaugeError(f"{run.folder} has no answer of a judge and no CLIP score", "run it with --judge NAME")
    for folder, own in rows.items():
        lines = [Line({**row, "output": out / row["output"]}, number) for number, row in enumerate(own, start=1)]
        told = [state | {"output": row["output"]} for state, row in zip(progress(lines), own, strict=True)]
        written += write_summary(told, out, out / "batch_logs" / f"{folder}_{prefix}")
    return [*written, *mark.write_note(out)]


def geometry_is_theirs(run: Run) -> bool:
    """Whether the authors' own instruments measure the geometry: then a failure is 0, as their code has it."""
    return seen_by_others(run).isdisjoint(PARTS)


def write_summary(rows: list[dict[str, Any]], root: Path, logs: Path) -> list[Path]:
    """The progress file, the summary and the table of judge files that lie below `root`, as the released driver has
    them made: rows that are not done are looked for too."""
    logs.mkdir(parents=True, exist_ok=True)
    states = logs / PROGRESS
    states.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    total, cases = summarise(rows, root, states.relative_to(root).as_posix(), include_non_ok=True)
    summary = logs / SUMMARY
    summary.write_text(json.dumps(total, ensure_ascii=False, indent=2) + "\n", "utf-8")
    return [states, summary, write_cases(logs / CASES, cases)]


def write_cases(file: Path, cases: list[CaseScores]) -> Path:
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, CASE_COLUMNS)
        writer.writeheader()
        writer.writerows(case.to_row() for case in cases)
    return file


def parts_of_run(run: Run, store: Path) -> dict[str, dict[str, Any]]:
    """Case to its domain and what `judge_json` takes, for cases that have any of it."""
    from worldgauge.benchmarks.worldolympiad.signals import interaction, physics

    plain = {"half_open": False, "equal_spans": False}
    answers = {
        "verdicts": stored_answers(run, store, physics.rule_verdicts, mode="dimension"),
        "chunks": stored_answers(run, store, interaction.chunk_judgements, **plain),
        "transitions": stored_answers(run, store, interaction.transition_judgements, **plain),
        "whole": stored_answers(run, store, interaction.global_judgement, equal_spans=False),
    }
    found: dict[str, dict[str, Any]] = {}
    columns: dict[str, dict[str, Mapping[str, Any]]] = {}
    for record in run.records():
        case = str(record["case"])
        if record["metric"] in PARTS:
            columns.setdefault(case, {})[record["metric"]] = record
        own = found.setdefault(case, {"domain": record["tags"].get("domain", "")})
        if record["metric"] == CLIP and record.get("raw") is not None:
            own["clip"] = record["raw"]
        own |= {name: by_case[case] for name, by_case in answers.items() if case in by_case}
    policy = run.file.policy_of(TOTAL)
    for case, records in columns.items():
        if (geometry := geometry_of_records(records, policy)) is not None:
            found[case]["geometry"] = geometry
    return {case: parts for case, parts in found.items() if len(parts) > 1}


def judge_json(
    verdicts: Sequence[Mapping[str, Any]] | None = None,
    chunks: Sequence[Mapping[str, Any]] | None = None,
    transitions: Sequence[Mapping[str, Any]] | None = None,
    whole: Sequence[Mapping[str, Any]] | None = None,
    clip: float | None = None,
    geometry: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """A judge file with what a run knows. A part that has no answer is null. `geometry` are the three 3D scores."""
    physical = None if verdicts is None else {**physical_summary(verdicts), "results": [dict(one) for one in verdicts]}
    interaction = None
    if chunks is not None and transitions is not None and whole is not None:
        interaction = _interaction(chunks, transitions, whole)
    built = None if geometry is None else three_d(geometry)
    scores = [None if part is None else part["score"] for part in (physical, interaction)]
    combined = combined_score([*scores, None if built is None else built["final_score_normalized"]])
    return {
        "physical": physical,
        "interaction": interaction,
        "clip_interaction": None if clip is None else {"summary": {"semantic_adherence": clip}},
        "three_d": built,
        "combined_score": None if combined is None else round(combined, ROUNDED),
    }


def _interaction(
    chunks: Sequence[Mapping[str, Any]], transitions: Sequence[Mapping[str, Any]], whole: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    levels = Levels(
        tuple(level_value("chunk", one) for one in chunks),
        tuple(level_value("transition", one) for one in transitions),
        level_value("global", whole[0]),
    )
    overall = pooled_levels(levels)
    assert overall is not None
    return {
        "summary": {
            "chunk_mean": levels.chunk_mean,
            "transition_mean": levels.transition_mean,
            "global_score": levels.whole,
            "overall": overall,
        },
        "chunks": [dict(one) for one in chunks],
        "transitions": [dict(one) for one in transitions],
        "global": dict(whole[0]),
        "overall_raw": overall,
        "overall_raw_scale": "0-5",
        "score": round(overall / FULL, ROUNDED),
        "score_scale": "0-1",
    }
