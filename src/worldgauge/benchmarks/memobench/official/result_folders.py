"""Folders of official result files, anybody's: what each model has there."""

from __future__ import annotations

import io
import logging
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldgauge.benchmarks.memobench.official.model_names import model_key
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import parse_json, read_bytes
from worldgauge.report.unofficial import MARK

if TYPE_CHECKING:
    import pandas

log = logging.getLogger(__name__)

STALE = "Lingbot"
"""A folder of answers that the released code passes over, as it does those that end in `_old`."""


@dataclass
class ModelResults:
    """The tables of one row."""

    clips: pandas.DataFrame | None = None
    ors: pandas.DataFrame | None = None
    answers: list[dict[str, float]] = field(default_factory=list)
    """Per clip, dimension to share of questions passed."""
    passed_over: list[Path] = field(default_factory=list)
    """Older tables of clips."""
    unofficial: list[str] = field(default_factory=list)
    """Why its numbers are not official, as its files say."""


def read_results(evals: Path | None, ors: Path | None = None, answers: Path | None = None) -> dict[str, ModelResults]:
    """Model key to its tables, in order of key.

    From `evals/<model>/eval_*.csv` (of several the newest only: the released code loses the split that was evaluated
    before), `ors/<model>/ors_scores.csv` and `answers/<model>/*.csv`.
    """
    found: dict[str, ModelResults] = {}
    for folder in _folders(evals):
        files = sorted(folder.glob("eval_*.csv"), key=lambda file: file.stat().st_mtime)
        if files:
            of_model = found.setdefault(model_key(folder.name), ModelResults())
            of_model.clips, of_model.passed_over = _table(files[-1]), [*of_model.passed_over, *files[:-1]]
    for folder in _folders(ors):
        if (folder / "ors_scores.csv").is_file():
            found.setdefault(model_key(folder.name), ModelResults()).ors = _table(folder / "ors_scores.csv")
    for folder in _folders(answers):
        if folder.name.endswith("_old") or folder.name == STALE:
            continue
        of_model = ModelResults()
        for file in sorted(folder.glob("*.csv")):
            _add_scores(file, of_model)
        if of_model.answers:
            known = found.setdefault(model_key(folder.name), ModelResults())
            known.answers, known.unofficial = of_model.answers, of_model.unofficial
    for of_model in found.values():
        tables = [table for table in (of_model.clips, of_model.ors) if table is not None and MARK in table]
        told = [str(reason) for table in tables for reason in table[MARK].dropna()]
        of_model.unofficial = list(dict.fromkeys([*told, *of_model.unofficial]))
    return dict(sorted(found.items()))


def _folders(root: Path | None) -> list[Path]:
    if root is None:
        return []
    if not root.is_dir():
        raise WorldGaugeError(f"{root} is not a folder", "name the folder that holds one folder per model")
    return [folder for folder in sorted(root.iterdir()) if folder.is_dir()]


def _table(file: Path) -> pandas.DataFrame:
    import pandas

    content = read_bytes(file)
    try:
        return pandas.read_csv(io.BytesIO(content))
    except (ValueError, OverflowError) as error:
        raise WorldGaugeError(f"{file} is not a readable table ({str(error).splitlines()[0]})") from error


def _add_scores(file: Path, of_model: ModelResults) -> None:
    """Scores of the answers in a file; a file or a cell that holds none is passed over, as by the released code."""
    try:
        table = _table(file)
    except WorldGaugeError as error:
        log.warning("%s", error)
        return
    scores = list(_stored_scores(table, file))
    of_model.answers += scores
    if scores and MARK in table:
        of_model.unofficial += [str(reason) for reason in table[MARK].dropna()]


def _stored_scores(table: pandas.DataFrame, file: Path) -> Iterator[dict[str, float]]:
    for text in table.get("score", []):
        try:
            score = parse_json(text, str(file)) if isinstance(text, str) else None
            numbers = {name: _number(value) for name, value in score.items()} if isinstance(score, dict) else None
        except WorldGaugeError:
            continue
        if numbers is not None:
            yield {name: number for name, number in numbers.items() if number is not None}


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return None if math.isnan(number) else number
