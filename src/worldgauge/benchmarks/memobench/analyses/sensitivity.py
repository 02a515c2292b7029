"""How much scores and rankings depend on a parameter: metrics evaluated again from stored signals (Tables S3, S7).

The sweep over coverage is one over the pool of masks of every back frame. `coverage` keeps the released second try, up
to 70 per cent of the image where a band holds no mask, so that an upper end below 70 hardly matters; `coverage-strict`
has none. The sweep over depth samples is in `depth_samples`: other frames have to be looked at.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.benchmarks.memobench.analyses.run_scores import in_split
from worldgauge.benchmarks.memobench.formulas.reappearance import BANDS
from worldgauge.benchmarks.memobench.splits import Split
from worldgauge.core.benchmark import MetricUse, resolved_use
from worldgauge.core.errors import WorldGaugeError
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

Clip = tuple[str, str]
"""Model and case."""
Columns = dict[Any, dict[Clip, float]]
"""Value of the parameter to the scores under it."""

SAMPLE = 200
"""Clips of all models together that the paper's Table S7 rests on (A.7.4)."""


@dataclass(frozen=True)
class Sweep:
    """One parameter of a metric or of a weighted sum of metrics, and the values to try; the default is among them."""

    id: str
    metrics: tuple[tuple[str, float], ...]
    """Ids in `benchmark.toml` and their weights."""
    parameter: str
    values: tuple[Any, ...]
    default: Any
    fixed: tuple[tuple[str, Any], ...] = ()
    """Other parameters, the same for every value; they stand in the rows."""


COVERAGES = ((0.01, 30), (0.03, 40), (0.05, 50), (0.05, 60), (0.05, 70), (0.10, 50), (0.10, 70), (0.20, 50))
"""Per cent of the image a mask may cover, as in Table S3."""
_BANDS = tuple((low / 100, high / 100) for low, high in COVERAGES)
_SHARES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
_MEAN, _IDENTITY = (("ObjIdentityMean", 1.0),), (("ObjIdentityMean", 0.7), ("ObjIdentityMin", 0.3))
_ORS = (("ORS", 1.0),)
SWEEPS = {
    "top-share": Sweep("top-share", _MEAN, "top_share", _SHARES, 0.4),
    "identity": Sweep("identity", _IDENTITY, "top_share", _SHARES, 0.4),
    "temperature": Sweep(
        "temperature", (("MotionSmoothness", 1.0),), "temperature", (0.05, 0.10, 0.15, 0.20, 0.30), 0.15
    ),
    "coverage": Sweep("coverage", _ORS, "band", _BANDS, BANDS[0], (("fallback", BANDS[1][1]),)),
    "coverage-strict": Sweep("coverage-strict", _ORS, "band", _BANDS, BANDS[0], (("fallback", 0.0),)),
}
"""`identity` and `temperature` are those of Table S7: the composite, not its mean part alone."""


def sweep(
    runs: Sequence[Run], store: Path, chosen: Sweep, sample: int | None = None, split: Split = "all"
) -> list[dict[str, Any]]:
    """Per value: mean over all clips of all runs and Kendall's tau of the clip scores against the default's."""
    columns: Columns = {value: {} for value in chosen.values}
    for run in runs:
        for value, of_run in _evaluate(run, Store(store), chosen, split).items():
            columns[value] |= {(run.name, case): number for case, number in of_run.items()}
    return correlated(columns, chosen.parameter, chosen.default, sample, dict(chosen.fixed))


def correlated(
    columns: Columns, parameter: str, default: Any, sample: int | None = None, fixed: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """A row per value: clips, mean, deviation, and the rank correlation of clips with the default, with its p-value."""
    # In order of name, so that sums do not depend on the order of the runs.
    base = {clip: columns[default][clip] for clip in sorted(fixed_sample(columns[default], sample))}
    rows = []
    for value, of_value in columns.items():
        found = {clip: of_value[clip] for clip in sorted(of_value) if sample is None or clip in base}
        clips = [clip for clip in base if clip in found]
        correlation = kendall([base[c] for c in clips], [found[c] for c in clips])
        rows.append(
            {
                parameter: value,
                **(fixed or {}),
                "default": value == default,
                "n": len(found),
                "mean": float(np.mean(list(found.values()))) if found else None,
                "std": float(np.std(list(found.values()))) if found else None,
                "tau": correlation.coefficient,
                "p": correlation.p_value,
            }
        )
    return rows


def fixed_sample(clips: Iterable[Clip], size: int | None) -> list[Clip]:
    """So many pairs of model and clip, always the same ones whatever the order; all of them where there are fewer.

    >>> fixed_sample([("a", "1"), ("b", "1"), ("c", "1")], 2) == fixed_sample([("c", "1"), ("b", "1"), ("a", "1")], 2)
    True
    """
    found = list(clips)
    if size is None or size >= len(found):
        return found
    return sorted(found, key=lambda clip: hashlib.sha256("\0".join(clip).encode()).digest())[:size]


def _evaluate(run: Run, store: Store, chosen: Sweep, split: Split) -> dict[Any, dict[str, float]]:
    uses = {use.id: use for use in run.file.benchmark.metrics}
    bases = [resolved_use(uses[id], run.file.benchmark.namespace, run.file.protocol) for id, _ in chosen.metrics]
    weights = [weight for _, weight in chosen.metrics]
    variants = [
        MetricUse(
            id=f"{chosen.parameter}-{part}-{i}",
            use=base.use,
            parameters=base.parameters | dict(chosen.fixed) | {chosen.parameter: value},
        )
        for i, value in enumerate(chosen.values)
        for part, base in enumerate(bases)
    ]
    seats = seats_of_run(run.file)
    definitions = resolve(variants, seats)
    if definitions[0].unavailable:
        name = chosen.metrics[0][0]
        raise WorldGaugeError(f"{run.folder}: {name} was not scored: {definitions[0].unavailable}")
    found: dict[Any, dict[str, float]] = {value: {} for value in chosen.values}
    for case_id, source in read_sources(run.folder).items():
        if source.video is None or not in_split(source.case, split):
            continue
        inputs = CaseInputs(source.case, source.video)
        # One perception for all variants: the signal is loaded from the store once.
        perception = Perception(inputs, seats, store, None)
        for i, value in enumerate(chosen.values):
            parts = []
            for definition in definitions[i * len(bases) : (i + 1) * len(bases)]:
                try:
                    record = evaluate(definition, inputs, perception)
                except NotStored as missing:
                    raise WorldGaugeError(
                        f"{run.folder}: the signals of {chosen.metrics[0][0]} are not in the store {store.root}",
                        "name the store of the run with --store, or run it again",
                    ) from missing
                parts.append(record.raw if record.status is Status.OK else None)
            numbers = [part for part in parts if part is not None]
            if len(numbers) == len(weights):
                found[value][case_id] = float(np.dot(weights, numbers))
    return found
