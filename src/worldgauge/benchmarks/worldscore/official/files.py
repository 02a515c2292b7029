"""A run as the official analysis expects it: evaluation.json per case, worldscore.json, the leaderboard's CSV row."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.worldscore.official.aspects import (
    ASPECTS,
    DYNAMIC_ASPECTS,
    PARTS,
    STATIC_ASPECTS,
    Raw,
    benchmark_file,
)
from worldgauge.benchmarks.worldscore.official.evaluation_files import (
    DYNAMIC,
    LEADERBOARD_COLUMNS,
    STATIC,
    Evaluation,
    Scores,
    evaluation,
    failed_entry,
    leaderboard_row,
    raw_means,
    worldscore,
)
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.core.status import Policy
from worldgauge.report.official_bounds import (
    FILE_NAME as BOUNDS_FILE,
)
from worldgauge.report.official_bounds import (
    Ends,
    OfficialScores,
    bounds_csv,
    bounds_of_run,
    bounds_remarks,
)
from worldgauge.report.summary import summarise
from worldgauge.report.unofficial import MARK, official_or_marked, seen_by_others, why_not_official

CARD_COLUMNS = {
    "type": "Model Type",
    "ability": "Ability",
    "sampled_by": "Sampled by",
    "evaluated_by": "Evaluated by",
    "accessibility": "Accessibility",
    "date": "Date",
}
"""Fields of the model card that fill leaderboard columns."""
OUR_COLUMNS = {name: (name, 1.0) for name in ASPECTS} | {STATIC: ("static", 1.0), DYNAMIC: ("dynamic", 1.0)}
"""Official score to the column of `benchmark.toml` that is the same, and what that is multiplied by."""
TOTALS = ("static", "dynamic")
"""The groups that all official scores are below."""


@dataclass(frozen=True)
class OfficialResult:
    """What the official analysis would make of a run."""

    evaluations: Mapping[str, Evaluation]
    """Case id to its evaluation.json."""
    scores: Scores
    """None where an aspect was not measured."""
    raw: dict[str, list[Any]]
    remarks: list[str]
    """What a reader must know before the scores are compared with anything."""
    bounds: Mapping[str, Ends]
    """Of scores that leave out clips for a reason that a model can cause: what they could be with these."""


def official_result(run: Run, *, failures_as_zero: bool = False, absent_as_zero: bool = False) -> OfficialResult:
    """The official files of a run under `released`.

    Cases without a number are left out, as the official mean leaves them out. `failures_as_zero` writes what the
    released code stores instead when a metric fails on a video that is there: a sentinel and the score 0. It does so
    for the authors' own instruments alone: what another could not measure is left out.
    `absent_as_zero` writes what it writes for aspects that nobody measured: 0, which counts in the totals. Without it
    only the dynamic aspects of a 3D model are 0.
    """
    if run.file.benchmark.name != "worldscore" or run.file.protocol != "released":
        raise WorldGaugeError(
            f"{run.folder} is a run of {run.file.benchmark.name} under '{run.file.protocol}'",
            "the official files need WorldScore under 'released'",
        )
    by_case: dict[str, dict[str, dict[str, Any]]] = {}
    for record in run.records():
        by_case.setdefault(record["case"], {})[record["metric"]] = record
    # A metric without an instrument fails nowhere: it was not tried.
    tried = can_be_zero(run) if failures_as_zero else set()
    evaluations = {case: _evaluation(records, tried) for case, records in by_case.items()}
    evaluations = {case: content for case, content in evaluations.items() if content}
    static = [content for case, content in evaluations.items() if case.startswith("static/")]
    dynamic = [content for case, content in evaluations.items() if case.startswith("dynamic/")]
    zeros = tuple(ASPECTS) if absent_as_zero else tuple(DYNAMIC_ASPECTS) if is_3d(run) else ()
    scores = worldscore(static, dynamic, zeros)
    bounds = bounds_of_run(run, OUR_COLUMNS)
    remarks = [
        *_remarks(run, evaluations, scores, zeros),
        *bounds_remarks(OfficialScores(run.name, scores, bounds)),
    ]
    return OfficialResult(evaluations, scores, raw_means(static, dynamic), remarks, bounds)


def is_3d(run: Run) -> bool:
    """Whether the model's card says that it makes still scenes: the motion of dynamic worlds is not asked of it."""
    use = next(use for use in benchmark_file().metrics if use.id == "motion_magnitude")
    return use.policy_for(Policy(), run.file.model.model_dump()).missing != "exclude"


def write_files(
    run: Run,
    out: Path,
    *,
    failures_as_zero: bool = False,
    absent_as_zero: bool = False,
    allow_unofficial: bool = False,
) -> OfficialResult:
    """Write the official tree below `out`: evaluation.json per case, worldscore.json, worldscore_raw.json, a CSV.

    In addition `bounds.csv`: what the scores could be with the clips that have none. A run that is not official is
    refused with the reasons. Where `allow_unofficial` is set every file says that it is not: JSON by an entry
    `unofficial`, tables by the model's name; `UNOFFICIAL.txt` has the reasons.
    """
    result = official_result(run, failures_as_zero=failures_as_zero, absent_as_zero=absent_as_zero)
    zeros = can_be_zero(run) if failures_as_zero else set()
    reasons = why_not_official(summarise(run), TOTALS, zeros=zeros)
    mark = official_or_marked("WorldScore's result files", {run.name: reasons}, allow_unofficial)
    marked = {MARK: mark.of(run.name)} if mark.needed else {}
    # The released aggregation goes through the entries of every aspect: one without entries is no aspect to it.
    empty: dict[str, Any] = {key: {} for key in marked}
    for case, content in result.evaluations.items():
        folder = out / case
        folder.mkdir(parents=True, exist_ok=True)
        _write_json(folder / "evaluation.json", {**content, **empty})
    out.mkdir(parents=True, exist_ok=True)
    _write_json(out / "worldscore.json", {**result.scores, **marked})
    _write_json(out / "worldscore_raw.json", {**result.raw, **marked})
    mark.write_note(out)
    name = mark.shown(run.name)
    card = run.file.model.model_dump()
    columns = {column: str(card[field]) for field, column in CARD_COLUMNS.items() if field in card}
    with (out / "leaderboard.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, LEADERBOARD_COLUMNS)
        writer.writeheader()
        writer.writerow(leaderboard_row(result.scores, columns | {"Model Name": name}))
    bounds = bounds_csv([OfficialScores(name, result.scores, result.bounds)], dict.fromkeys(result.scores, True))
    (out / BOUNDS_FILE).write_text(bounds, "utf-8")
    remarks = [*(f"{MARK}: {reason}" for reason in mark.of(run.name)), *result.remarks]
    (out / "remarks.txt").write_text("".join(f"{line}\n" for line in remarks), "utf-8")
    return replace(result, remarks=remarks)


def can_be_zero(run: Run) -> set[str]:
    """Columns in which a failure is one of the authors' own instruments, for which the released code writes 0. What
    another instrument could not measure is no failure of theirs, and says nothing of the model."""
    others = seen_by_others(run)
    return {d.id for d in run.file.definitions if not d.unavailable and d.id not in others}


def _evaluation(records: Mapping[str, Mapping[str, Any]], tried: set[str]) -> dict[str, Any]:
    """evaluation.json of one case; failures of the metrics in `tried` become sentinels."""
    first = next(iter(records.values()))
    layouts = first["tags"].get("camera", "fixed").split("+")
    movement = first["tags"]["movement"]
    raws: dict[str, Raw] = {}
    for metric, parts in PARTS.items():
        found = [records[part].get("raw") for part in parts if part in records]
        numbers = [number for number in found if number is not None]
        if len(numbers) == len(parts):
            raws[metric] = numbers[0] if len(numbers) == 1 else numbers
    content = evaluation(raws, movement, layouts)
    for aspect, metrics in (STATIC_ASPECTS if movement == "static" else DYNAMIC_ASPECTS).items():
        for metric in metrics:
            # The two metrics with several numbers abort the official run instead.
            if len(PARTS[metric]) == 1 and _failed(records.get(PARTS[metric][0]), tried):
                content.setdefault(aspect, {})[metric] = failed_entry(metric)
    return content


def _failed(record: Mapping[str, Any] | None, tried: set[str]) -> bool:
    """Whether the authors' instrument could not tell. An error of our own program is none of theirs."""
    return record is not None and record["metric"] in tried and record["status"] in ("unscored", "invalid")


def _remarks(run: Run, evaluations: Mapping[str, Evaluation], scores: Scores, zeros: Sequence[str]) -> list[str]:
    remarks = []
    instruments = ", ".join(f"{seat}: {name}" for seat, name in sorted(run.file.instruments.items()))
    remarks.append(f"instruments: {instruments or 'none'}; the leaderboard uses the networks of the paper")
    remarks.append(f"{len(evaluations)} of {run.file.cases} cases have a score; the official mean is over these")
    present = {metric for content in evaluations.values() for entries in content.values() for metric in entries}
    empty = [aspect for aspect, metrics in ASPECTS.items() if not present & set(metrics)]
    written = [aspect for aspect in empty if aspect in zeros]
    if written:
        remarks.append(f"no data for {', '.join(written)}: written as 0, which counts in the total")
    unsaid = [aspect for aspect in ASPECTS if scores[aspect] is None]
    if unsaid:
        remarks.append(
            f"not measured: {', '.join(unsaid)}; they are null and so is every total of them. "
            "--absent-as-zero writes 0 for them, as the released code does"
        )
    return remarks


def _write_json(file: Path, content: Any) -> None:
    partial = file.with_name(f".{file.name}.partial")
    partial.write_text(json.dumps(content, indent=4, allow_nan=False) + "\n", "utf-8")
    partial.replace(file)
