"""How much the ranking hangs on choices that nobody ablated: lambda, tau, pooling, the physical definition.

All from what a run has stored; nobody is asked again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from worldgauge.benchmarks.worldolympiad.formulas.interaction import (
    FULL,
    Levels,
    level_value,
    mean_of_levels,
    pooled_levels,
)
from worldgauge.benchmarks.worldolympiad.formulas.physical import (
    DIMENSIONS,
    Verdict,
    case_summary,
    pooled,
    subset_mean,
)
from worldgauge.benchmarks.worldolympiad.official.judge_files import released_verdict
from worldgauge.benchmarks.worldolympiad.official.write import parts_of_run
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.report.case_table import tabulate
from worldgauge.stats.correlation import kendall

GEOMETRY = "Geometry"
LAMBDAS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
TAUS = ((0.15, 0.35), (0.2, 0.35), (0.2, 0.4), (0.25, 0.4), (0.2, 0.5))


@dataclass(frozen=True)
class Setting:
    """One way to make a score out of answers; the defaults are those of the published tables."""

    physical: Literal["released", "published", "paper"] = "published"
    pooling: Literal["pooled", "thirds"] = "pooled"
    weight: float = 0.1
    """Lambda: what CLIP counts in the interaction score."""
    tau: tuple[float, float] = (0.2, 0.4)
    """Ends between which CLIP is scaled."""
    scaled: Literal["mean", "clip"] = "mean"
    """Whether the mean over cases, rounded to a thousandth, is scaled, or every clip."""

    def __str__(self) -> str:
        ends = f"{self.tau[0]:g}-{self.tau[1]:g}"
        return f"physical {self.physical}, {self.pooling}, lambda {self.weight:g}, tau {ends}, CLIP by {self.scaled}"


@dataclass(frozen=True)
class Parts:
    """What one model's cases are made of."""

    model: str
    verdicts: tuple[tuple[Verdict, ...], ...] = ()
    levels: tuple[Levels, ...] = ()
    clip: tuple[float, ...] = ()
    geometry: tuple[float, ...] = ()

    @classmethod
    def of_run(cls, run: Run, store: Path) -> Parts:
        found = list(parts_of_run(run, store).values())
        return cls(
            run.name,
            tuple(tuple(released_verdict(one) for one in part["verdicts"]) for part in found if part.get("verdicts")),
            tuple(_levels(part) for part in found if {"chunks", "transitions", "whole"} <= {*part}),
            tuple(part["clip"] for part in found if part.get("clip") is not None),
            _geometry(run),
        )


@dataclass(frozen=True)
class Scores:
    """Three columns and their mean; None where a model has nothing for one."""

    physical: float | None
    geometry: float | None
    interact: float | None

    @property
    def total(self) -> float | None:
        """Of the columns that are there: a run without reconstruction has two."""
        known = [value for value in vars(self).values() if value is not None]
        return sum(known) / len(known) if known else None


def scores(parts: Parts, setting: Setting) -> Scores:
    """The columns of one model under one setting."""
    judged = [pooled_levels(one) if setting.pooling == "pooled" else mean_of_levels(one) for one in parts.levels]
    mean = _mean([value / FULL for value in judged if value is not None])
    aux = _aux(parts.clip, setting)
    interact = mean if mean is None or aux is None else (1 - setting.weight) * mean + setting.weight * aux
    return Scores(_physical(parts.verdicts, setting.physical), _mean(parts.geometry), interact)


def settings() -> Iterator[tuple[str, Setting]]:
    """The published way, then every choice changed by itself."""
    base = Setting()
    yield "published", base
    for name in ("released", "paper"):
        yield "physical", replace(base, physical=name)
    yield "pooling", replace(base, pooling="thirds")
    for weight in LAMBDAS:
        if weight != base.weight:
            yield "lambda", replace(base, weight=weight)
    for tau in TAUS:
        if tau != base.tau:
            yield "tau", replace(base, tau=tau)
    yield "CLIP", replace(base, scaled="clip")


def sensitivity(models: Sequence[Parts]) -> list[dict[str, Any]]:
    """A row per setting: every model's total, the order, and how far it agrees with that of the published way."""
    if not models:
        raise WorldGaugeError("no run is named")
    rows: list[dict[str, Any]] = []
    base: list[float] = []
    for knob, setting in settings():
        found = {parts.model: scores(parts, setting) for parts in models}
        totals = {name: one.total for name, one in found.items()}
        numbers = [np.nan if total is None else total for total in totals.values()]
        base = base or numbers
        ranked = sorted((name for name in totals if totals[name] is not None), key=lambda name: -(totals[name] or 0.0))
        rows.append(
            {
                "knob": knob,
                "setting": str(setting),
                "totals": totals,
                "columns": {name: vars(one) for name, one in found.items()},
                "order": ranked,
                "kendall": kendall(base, numbers).coefficient if len(models) > 1 else None,
            }
        )
    return rows


def _physical(verdicts: Sequence[Sequence[Verdict]], definition: str) -> float | None:
    if not verdicts:
        return None
    if definition == "released":
        return _mean([case_summary(of_case).score for of_case in verdicts])
    flat = [verdict for of_case in verdicts for verdict in of_case]
    if definition == "published":
        return pooled(flat).rate
    return subset_mean(pooled(v for v in flat if v.dimension == name).rate for name in DIMENSIONS)


def _aux(raw: Sequence[float], setting: Setting) -> float | None:
    if not raw:
        return None
    low, high = setting.tau
    values = np.array([round(float(np.mean(raw)), 3)]) if setting.scaled == "mean" else np.asarray(raw)
    return float(np.clip((values - low) / (high - low), 0, 1).mean())


def _levels(part: Mapping[str, Any]) -> Levels:
    return Levels(
        tuple(level_value("chunk", one) for one in part["chunks"]),
        tuple(level_value("transition", one) for one in part["transitions"]),
        level_value("global", part["whole"][0]),
    )


def _geometry(run: Run) -> tuple[float, ...]:
    """The numbers that the run's own table has: a failure is 0 where its protocol says so."""
    definitions = [one for one in run.file.definitions if one.id == GEOMETRY]
    if not definitions:
        return ()
    values = tabulate(run.columns(), definitions, run.file.policy_of).values[0]
    return tuple(values[np.isfinite(values)].tolist())


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if len(values) else None
