"""Official files of a run: judge JSON per case, the progress file, `score_summary.json` and `score_cases.csv`."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.worldolympiad.data.rules import rules
from worldgauge.benchmarks.worldolympiad.formulas.combination import combined_score
from worldgauge.benchmarks.worldolympiad.official.judge_files import ROUNDED
from worldgauge.benchmarks.worldolympiad.official.summary import CASE_COLUMNS, CaseScores, summarise
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run

PROGRESS = "summary_from_outputs.jsonl"
SUMMARY = "score_summary.json"
CASES = "score_cases.csv"
_COLUMNS = {"Physical": "physical", "InteractJudged": "interaction", "ClipRaw": "clip_interaction"}
"""Columns of a run under `released` that a judge file has."""


def write_official(run: Run, out: Path, prefix: str) -> list[Path]:
    """Write the files of one model's run under `released`: `outputs_batch/<domain>/<case>/<prefix>_judge_<case>.json`
    and, per domain, its summary below `batch_logs/<domain>_<prefix>`."""
    if run.file.protocol != "released":
        raise WorldGaugeError(
            f"{run.folder} was scored as '{run.file.protocol}'", "official files are those of 'released'"
        )
    rows: dict[str, list[dict[str, Any]]] = {}
    written = []
    for case, scores in scores_by_case(run).items():
        domain, name = scores.pop("domain"), case.rpartition("/")[2]
        folder = "embodied" if domain == "robotics" else str(domain)
        file = out / "outputs_batch" / folder / name / f"{prefix}_judge_{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(judge_json(scores), indent=2) + "\n", "utf-8")
        written.append(file)
        row = {"id": name, "status": "ok", "exit_code": 0, "output": file.relative_to(out).as_posix()}
        rows.setdefault(folder, []).append(row)
    for folder, own in rows.items():
        written += write_summary(own, out, out / "batch_logs" / f"{folder}_{prefix}")
    return written


def write_summary(rows: list[dict[str, Any]], root: Path, logs: Path) -> list[Path]:
    """The progress file, the summary and the table of judge files that lie below `root`."""
    logs.mkdir(parents=True, exist_ok=True)
    progress = logs / PROGRESS
    progress.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    total, cases = summarise(rows, root, str(progress))
    summary = logs / SUMMARY
    summary.write_text(json.dumps(total, indent=2) + "\n", "utf-8")
    return [progress, summary, write_cases(logs / CASES, cases)]


def write_cases(file: Path, cases: list[CaseScores]) -> Path:
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, CASE_COLUMNS)
        writer.writeheader()
        writer.writerows(case.to_row() for case in cases)
    return file


def scores_by_case(run: Run) -> dict[str, dict[str, Any]]:
    """Case to its scores, and its verdicts by rule as far as records tell them."""
    found: dict[str, dict[str, Any]] = {}
    dimensions = {rule.id: rule.dimension for rule in rules()}
    for record in run.records():
        name, raw = str(record["metric"]), record.get("raw")
        own = found.setdefault(str(record["case"]), {"domain": record["tags"].get("domain", ""), "rules": {}})
        if raw is None:
            continue
        if name in _COLUMNS:
            own[_COLUMNS[name]] = raw
        elif name in dimensions:
            own["rules"][name] = raw
    return {case: scores for case, scores in found.items() if len(scores) > 2 or scores["rules"]}


def judge_json(scores: Mapping[str, Any]) -> dict[str, Any]:
    """A judge file with what a run knows. A part that has no score is null; the geometry track is not part of it."""
    judged: Mapping[str, float] = scores.get("rules", {})
    results = [
        {
            "question_id": rule.id,
            "dimension": rule.dimension,
            "related": rule.id in judged,
            "compliant": bool(judged[rule.id]) if rule.id in judged else None,
            "confidence": 0.0,
        }
        for rule in rules()
    ]
    physical, interaction = _rounded(scores.get("physical")), _rounded(scores.get("interaction"))
    clip = scores.get("clip_interaction")
    combined = combined_score([physical, interaction])
    return {
        "physical": None if physical is None else {"score": physical, "score_scale": "0-1", "results": results},
        "interaction": None
        if interaction is None
        else {
            "score": interaction,
            "score_scale": "0-1",
            "overall_raw": interaction * 5,
            "overall_raw_scale": "0-5",
        },
        "clip_interaction": None if clip is None else {"summary": {"semantic_adherence": clip}},
        "three_d": None,
        "combined_score": _rounded(combined),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, ROUNDED)
