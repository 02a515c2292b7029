"""What the paper observes over many models (4.1), from its Table 2 or from runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from worldgauge.benchmarks.worldscore.inputs.presets import preset
from worldgauge.benchmarks.worldscore.official.aspects import ASPECTS
from worldgauge.core.published import published_tables
from worldgauge.core.run_folder import Run
from worldgauge.report.joint import Joint
from worldgauge.stats.correlation import pearson

Kind = Literal["3D", "4D", "Video", ""]
COLUMNS: Final = (*ASPECTS, "static", "dynamic")
TRADE_OFFS: Final = (("motion_magnitude", "motion_smoothness"), ("motion_magnitude", "motion_accuracy"))


@dataclass(frozen=True)
class Model:
    """A model, its scores, and what is known of it; empty or None where nothing is."""

    name: str
    scores: Mapping[str, float | None]
    kind: Kind = ""
    ability: str = ""
    open: bool | None = None


def published_models() -> list[Model]:
    """The models of Table 2, with what Table S1 says of them."""
    table = published_tables("worldscore")[0]
    return [_printed(name, table.named(name)) for name in table.rows]


def _printed(name: str, scores: Mapping[str, float | None]) -> Model:
    known = preset(name)
    kinds: dict[str, Kind] = {"3d": "3D", "4d": "4D"}
    return Model(name, scores, kinds.get(known.kind, "Video"), known.ability, known.open)


def run_models(runs: Sequence[Run]) -> list[Model]:
    """The models of comparable runs; kind, ability and accessibility are fields of a model's card."""
    joint = Joint(runs)
    models = []
    for run, row in zip(joint.runs, joint.scores, strict=True):
        card = run.file.model.model_dump()
        scores = {
            name: float(value) if np.isfinite(value) else None for name, value in zip(joint.ids, row, strict=True)
        }
        kinds: dict[str, Kind] = {"3d": "3D", "4d": "4D", "video": "Video"}
        access = str(card.get("accessibility") or "").lower()
        is_open = None if not access else access.startswith("open")
        kind = kinds.get(str(card.get("type") or "").lower(), "")
        models.append(Model(run.name, scores, kind, str(card.get("ability") or "").upper(), is_open))
    return models


def correlations(models: Sequence[Model]) -> list[dict[str, Any]]:
    """Larger motion against smoothness and accuracy, Pearson's r: over all that make motion, and without 4D models.

    3D models make none; the zeros they are given are no measurements.
    """
    moving = [model for model in models if model.kind != "3D"]
    chosen = {"all with motion": moving, "without 4D": [model for model in moving if model.kind != "4D"]}
    rows = []
    for x, y in TRADE_OFFS:
        for name, some in chosen.items():
            found = pearson(_numbers(some, x), _numbers(some, y))
            row = {"x": x, "y": y, "of": name, "models": found.pairs, "r": found.coefficient, "p": found.p_value}
            rows.append(row)
    return rows


SPLITS: Final[dict[str, tuple[tuple[str, Callable[[Model], bool]], ...]]] = {
    "3D against video": (("3D", lambda m: m.kind == "3D"), ("video", lambda m: m.kind == "Video")),
    "T2V against I2V, video": (
        ("T2V", lambda m: m.kind == "Video" and m.ability == "T2V"),
        ("I2V", lambda m: m.kind == "Video" and m.ability == "I2V"),
    ),
    "open against closed, video": (
        ("open", lambda m: m.kind == "Video" and m.open is True),
        ("closed", lambda m: m.kind == "Video" and m.open is False),
    ),
}


def contrasts(models: Sequence[Model]) -> list[dict[str, Any]]:
    """Means of two kinds of models in every column, the better model of each, and the first kind minus the second.

    A split of which a kind has no model is left out. A mean is over the models that have a score.
    """
    rows = []
    for split, kinds in SPLITS.items():
        groups = {name: [model for model in models if belongs(model)] for name, belongs in kinds}
        if not all(groups.values()):
            continue
        means = []
        for name, members in groups.items():
            means.append({column: _mean(members, column) for column in COLUMNS})
            best = {f"best {total}": _best(members, total) for total in ("static", "dynamic")}
            rows.append({"split": split, "group": name, "models": len(members), **best, **means[-1]})
        first, second = means
        less = {column: _minus(first[column], second[column]) for column in COLUMNS}
        rows.append({"split": split, "group": "difference", **less})
    return rows


def _numbers(models: Sequence[Model], column: str) -> list[float]:
    found = [model.scores.get(column) for model in models]
    return [float("nan") if value is None else value for value in found]


def _mean(models: Sequence[Model], column: str) -> float | None:
    found = [value for value in _numbers(models, column) if np.isfinite(value)]
    return float(np.mean(found)) if found else None


def _best(models: Sequence[Model], column: str) -> str:
    scored = [model for model in models if model.scores.get(column) is not None]
    return max(scored, key=lambda model: model.scores[column] or 0.0).name if scored else ""


def _minus(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second
