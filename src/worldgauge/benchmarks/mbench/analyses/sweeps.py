"""How rankings of models depend on what the paper leaves open: scores computed again from stored signals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.core.benchmark import MetricUse, resolved_use
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.registry import unknown_name
from worldgauge.core.run_folder import Run
from worldgauge.core.sources import read_sources
from worldgauge.core.status import Status
from worldgauge.engine.definitions import resolve
from worldgauge.engine.evaluate import evaluate
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.perception import NotStored, Perception
from worldgauge.engine.seats import seats_of_run
from worldgauge.engine.store import Store
from worldgauge.stats.correlation import kendall

LEAST_MODELS = 5
"""Below so many a rank correlation says little, and the result says so."""


@dataclass(frozen=True)
class Sweep:
    """One open choice, the scores it is about, and the values to try."""

    id: str
    scores: tuple[str, ...]
    """Without the setting."""
    parameter: str
    """Of the metric; `use` stands for another metric."""
    values: tuple[Any, ...]


SWEEPS = {
    sweep.id: sweep
    for sweep in (
        Sweep("lighting.tau", ("lighting",), "tau", (2.0, 5.0, 10.0, 20.0, 40.0)),
        Sweep("lighting.alpha", ("lighting",), "alpha", (0.0, 0.25, 0.5, 0.75, 1.0)),
        Sweep("absent", ("texture", "identity", "appearance"), "absent", ("skip", "zero", "zero_frames")),
        Sweep("ssim.region", ("geometry",), "region", ("masked", "map", "whole")),
        Sweep("pixel.scale", ("epipolar", "reprojection"), "long_side", (0.0, 1280.0, 504.0)),
        Sweep("order", ("epipolar", "reprojection"), "order", ("exp_of_mean", "mean_of_exp")),
        Sweep("style.pairs", ("style",), "use", ("style", "style_over_time")),
        Sweep("correctness.gate", ("correctness",), "gate", ("gated", "plain_fifths")),
        Sweep("action.to_unit", ("action",), "to_unit", ("half", "positive")),
    )
}


@dataclass(frozen=True)
class Swept:
    """One column under one value."""

    column: str
    value: Any
    default: bool
    means: dict[str, float | None]
    """Model to its mean over the clips that count, 0 to 100."""
    tau: float | None
    """Kendall's, of the models' means with those of the default."""
    flips: tuple[tuple[str, str], ...]
    """Pairs of models that stand the other way round than by the default."""


def sweep(runs: Sequence[Run], store: Path, name: str) -> list[Swept]:
    """Every column of the choice, value by value."""
    if name not in SWEEPS:
        raise unknown_name("sweep", name, list(SWEEPS))
    chosen, kept = SWEEPS[name], Store(store)
    columns = [f"{setting}_{score}" for score in chosen.scores for setting in ("t", "a")]
    counted = {run: _counted(run) for run in runs}
    found: list[Swept] = []
    for column in columns:
        scored = {run: cases for run in runs if (cases := counted[run].get(column))}
        if not scored:
            continue
        usual = _usual(next(iter(scored)), column, chosen)
        means = {
            value: {run.name: _mean(run, cases, kept, column, chosen, value) for run, cases in scored.items()}
            for value in dict.fromkeys((*chosen.values, usual))
        }
        found += [_against(column, value, usual, means[usual], of_value) for value, of_value in means.items()]
    if not found:
        raise WorldGaugeError(f"no run has a score of {' or '.join(chosen.scores)}", "run that column first")
    return found


def flips_between(first: Mapping[str, float | None], second: Mapping[str, float | None]) -> list[tuple[str, str]]:
    """Pairs of models whose order differs, the one that is ahead by the first named first.

    >>> flips_between({"a": 3, "b": 2, "c": 1}, {"a": 2, "b": 3, "c": 1})
    [('a', 'b')]
    """
    known = sorted(name for name in first if first[name] is not None and second.get(name) is not None)
    pairs = [(a, b) if _of(first, a) >= _of(first, b) else (b, a) for a, b in combinations(known, 2)]
    return [(a, b) for a, b in pairs if _of(first, a) > _of(first, b) and _of(second, a) < _of(second, b)]


def _against(
    column: str, value: Any, usual: Any, base: dict[str, float | None], means: dict[str, float | None]
) -> Swept:
    known = [name for name in base if base[name] is not None and means[name] is not None]
    tau = kendall([_of(base, n) for n in known], [_of(means, n) for n in known]).coefficient if len(known) > 1 else None
    return Swept(column, value, value == usual, means, tau, tuple(flips_between(base, means)))


def _of(numbers: Mapping[str, float | None], name: str) -> float:
    number = numbers[name]
    assert number is not None
    return number


def _base(run: Run, column: str) -> MetricUse:
    use = next(use for use in run.file.benchmark.metrics if use.id == column)
    return resolved_use(use, run.file.benchmark.namespace, run.file.protocol)


def _usual(run: Run, column: str, chosen: Sweep) -> Any:
    """What the run itself was scored with."""
    definition = next(d for d in run.file.definitions if d.id == column)
    if chosen.parameter == "use":
        return definition.metric.rpartition("/")[2]
    return definition.parameters[chosen.parameter]


def _counted(run: Run) -> dict[str, set[str]]:
    """Column to the cases that count in it."""
    return {
        column: {case for case, status in zip(found.cases, found.statuses, strict=True) if status is Status.OK}
        for column, found in run.columns().items()
    }


def _mean(run: Run, counted: set[str], store: Store, column: str, chosen: Sweep, value: Any) -> float | None:
    base, seats = _base(run, column), seats_of_run(run.file)
    changed = {"use": f"{run.file.benchmark.name}/{value}", "parameters": {}} if chosen.parameter == "use" else {
        "parameters": base.parameters | {chosen.parameter: value}
    }  # fmt: skip
    variant = base.model_copy(update={**changed, "given": "", "id": f"{column}-{value}"})
    (definition,) = resolve([variant], seats)
    numbers = []
    for case, source in read_sources(run.folder).items():
        if source.video is None or case not in counted:
            continue
        inputs = CaseInputs(source.case, source.video)
        try:
            record = evaluate(definition, inputs, Perception(inputs, seats, store, None))
        except NotStored as missing:
            raise WorldGaugeError(
                f"{run.folder}: the signals of {column} are not in the store {store.root}",
                "name the store of the run with --store, or run the column again",
            ) from missing
        if record.status is Status.OK and record.value is not None:
            numbers.append(record.value)
    return float(np.mean(numbers)) if numbers else None
