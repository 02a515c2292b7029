"""A run as the official files have it: scores for the board, `items.jsonl`, `units.jsonl` and summaries per group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.benchmarks.mbench.official.board import DECIMALS, Board, write_board
from worldgauge.benchmarks.mbench.official.metric_ids import (
    DATASETS,
    GROUPS,
    MODEL_TYPES,
    SUBSETS,
    Official,
    scores_of,
    trigger_of,
)
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.frame_list import unpack_frames
from worldgauge.core.run_folder import Run
from worldgauge.core.status import Status
from worldgauge.report.summary import Score, Summary, summarise
from worldgauge.report.unofficial import MARK, OfficialMark, official_or_marked, why_not_official

Row = dict[str, Any]
Records = Sequence[Mapping[str, Any]]


def write_submission(run: Run, out: Path, link: str, setting: str = "", *, allow_unofficial: bool = False) -> Board:
    """Write the board's ZIP of a run, and return what it contains.

    A run that is not official is refused with the reasons. Where `allow_unofficial` is set it is written under a marked
    name, with the reasons in `UNOFFICIAL.txt` and in the summaries of its groups.
    """
    summary = summarise(run)
    chosen = setting or _setting(summary)
    reasons = why_not_official(summary, [f"{chosen}_total"], {"setting": chosen.upper()})
    mark = official_or_marked("the files of MBench's board", {run.name: reasons}, allow_unofficial)
    board = _marked(board_from(summary, link, chosen), run.name, mark)
    write_board(out, board)
    return board


def _marked(board: Board, run: str, mark: OfficialMark) -> Board:
    """The submission with the mark where its form allows one: the board knows no field for it but the model's name."""
    if not mark.needed:
        return board
    files = {
        name: [{**row, MARK: mark.of(run)} for row in rows] if name.endswith("summary.json") else rows
        for name, rows in board.files.items()
    }
    return Board({**board.submission, "model_name": mark.shown(run)}, files, mark.text)


def board_of(run: Run, link: str, setting: str = "") -> Board:
    """The submission of a run. Refused without a total: the board would refuse it, too."""
    return board_from(summarise(run), link, setting)


def board_from(summary: Summary, link: str, setting: str = "") -> Board:
    """The same out of a summary."""
    run = summary.run
    chosen = setting or _setting(summary)
    total = summary.scores.get(f"{chosen}_total")
    if total is None or total.value is None:
        reason = f": {total.reason}" if total is not None and total.reason else ""
        raise WorldGaugeError(f"{run.folder} has no total{reason}", "the board takes none without; run all columns")
    submission: Row = {
        "model_name": run.name,
        "model_link": link,
        "model_type": MODEL_TYPES[chosen],
        "total_m_score": round(total.value, DECIMALS),
    }
    submission |= {f"{group}_score": _number(summary.scores[f"{chosen}_{group}"]) for group in GROUPS}
    submission |= {
        "trigger_coverage": _mean([_rate(summary, chosen, one) for one in scores_of(chosen)]),
        "memory_reliability": _mean([_number(summary.scores[f"{chosen}_{one.score}"]) for one in scores_of(chosen)]),
    }
    submission |= {one.column: _number(summary.scores[f"{chosen}_{one.score}_m"]) for one in scores_of(chosen)}
    return Board(submission, verification(run, summary, chosen))


def verification(run: Run, summary: Summary, setting: str) -> dict[str, list[Row]]:
    """What the numbers rest on, group by group."""
    records = run.records()
    files: dict[str, list[Row]] = {}
    for group in GROUPS:
        scores = scores_of(setting, group)
        files[f"{group}/summary.json"] = [_summary(summary, setting, group, scores)]
        files[f"{group}/items.jsonl"] = list(item_rows(run, records, setting, scores))
        files[f"{group}/units.jsonl"] = list(unit_rows(run, records, setting, scores))
    return files


def item_rows(run: Run, records: Records, setting: str, scores: Sequence[Official]) -> Iterator[Row]:
    """One row for each item and metric: its score, whether the challenge was there, and why a score is absent."""
    columns = {f"{setting}_{one.score}": one for one in scores}
    triggers = {(record["metric"], record["case"]): record for record in records if "_trigger" in str(record["metric"])}
    for record in records:
        one = columns.get(record["metric"])
        if one is None or record["status"] == Status.SKIPPED:
            continue
        condition = triggers.get((trigger_of(setting, one.score, record["tags"].get("subset", "")), record["case"]))
        yield {
            **_item(run, record, setting, one),
            "status": record["status"],
            "score": record.get("raw"),
            "triggered": None if condition is None or condition.get("raw") is None else bool(condition["raw"] > 0.5),
            "reason": record.get("reason", ""),
        }


def unit_rows(run: Run, records: Records, setting: str, scores: Sequence[Official]) -> Iterator[Row]:
    """One row for each pair, track, frame or segment that an item's score rests on."""
    columns = {f"{setting}_{one.score}": one for one in scores}
    for record in records:
        one, curve = columns.get(record["metric"]), record.get("curve")
        if one is None or not curve:
            continue
        frames = unpack_frames(record.get("curve_frames"), len(curve)) or list(range(len(curve)))
        for number, (frame, value) in enumerate(zip(frames, curve, strict=True)):
            yield {**_item(run, record, setting, one), "unit": number, "frame": frame, "value": value}


def _item(run: Run, record: Mapping[str, Any], setting: str, one: Official) -> Row:
    subset, _, rest = str(record["case"]).partition("/")
    sample, _, condition = rest.partition("/")
    return {
        "item_id": f"{subset}:{sample}:{condition}",
        "dataset_id": DATASETS[setting],
        "model_id": run.name,
        "metric_id": one.metric_id(DATASETS[setting]),
    }


def _summary(summary: Summary, setting: str, group: str, scores: Sequence[Official]) -> Row:
    metrics = {
        one.metric_id(DATASETS[setting]): {
            "m_score": _number(summary.scores[f"{setting}_{one.score}_m"]),
            "reliability": _number(summary.scores[f"{setting}_{one.score}"]),
            "trigger_rate": _rate(summary, setting, one),
            "counts": dict(summary.scores[f"{setting}_{one.score}"].statuses),
        }
        for one in scores
    }
    return {"group": group, "score": _number(summary.scores[f"{setting}_{group}"]), "metrics": metrics}


def _rate(summary: Summary, setting: str, one: Official) -> float | None:
    return _number(summary.scores[trigger_of(setting, one.score, SUBSETS[one.score])])


def _setting(summary: Summary) -> str:
    there = [s for s in ("t", "a") if (score := summary.scores.get(f"{s}_total")) and score.value is not None]
    if len(there) == 2:
        raise WorldGaugeError("the run has totals of both settings", "choose one with --setting t or a")
    return there[0] if there else "t" if any(case.endswith("/text") for case in summary.run.sources()) else "a"


def _number(score: Score) -> float | None:
    return None if score.value is None else round(score.value, DECIMALS)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(float(np.mean(known)), DECIMALS) if len(known) == len(values) else None
