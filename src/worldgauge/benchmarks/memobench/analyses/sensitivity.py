"""How much scores and rankings depend on a parameter: metrics evaluated again from stored signals (Tables S3, S7).

The sweep over coverage is one over the pool of masks of every back frame. `coverage` keeps the released second try, up
to 70 per cent of the image where a band holds no mask, so that an upper end below 70 hardly matters; `coverage-strict`
has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.benchmarks.memobench.formulas.reappearance import BANDS
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


@dataclass(frozen=True)
class Sweep:
    """One parameter of one metric, and the values to try; the default is among them."""

    id: str
    metric: str
    """Id in `benchmark.toml`."""
    parameter: str
    values: tuple[Any, ...]
    default: Any
    fixed: tuple[tuple[str, Any], ...] = ()
    """Other parameters, the same for every value; they stand in the rows."""


COVERAGES = ((0.01, 30), (0.03, 40), (0.05, 50), (0.05, 60), (0.05, 70), (0.10, 50), (0.10, 70), (0.20, 50))
"""Per cent of the image a mask may cover, as in Table S3."""
_BANDS = tuple((low / 100, high / 100) for low, high in COVERAGES)
SWEEPS = {
    "top-share": Sweep("top-share", "ObjIdentityMean", "top_share", (0.2, 0.3, 0.4, 0.5, 0.6, 0.8), 0.4),
    "coverage": Sweep("coverage", "ORS", "band", _BANDS, BANDS[0], (("fallback", BANDS[1][1]),)),
    "coverage-strict": Sweep("coverage-strict", "ORS", "band", _BANDS, BANDS[0], (("fallback", 0.0),)),
    "temperature": Sweep("temperature", "MotionSmoothness", "temperature", (0.05, 0.10, 0.15, 0.20, 0.30), 0.15),
}


def sweep(runs: Sequence[Run], store: Path, chosen: Sweep) -> list[dict[str, Any]]:
    """Per value: mean over all clips of all runs and Kendall's tau of the clip scores against the default's."""
    columns: dict[Any, dict[tuple[str, str], float]] = {value: {} for value in chosen.values}
    for run in runs:
        for value, of_run in _evaluate(run, Store(store), chosen).items():
            columns[value] |= {(run.name, case): number for case, number in of_run.items()}
    base = columns[chosen.default]
    rows = []
    for value, found in columns.items():
        clips = [clip for clip in base if clip in found]
        correlation = kendall([base[c] for c in clips], [found[c] for c in clips])
        rows.append(
            {
                chosen.parameter: value,
                **dict(chosen.fixed),
                "default": value == chosen.default,
                "n": len(found),
                "mean": float(np.mean(list(found.values()))) if found else None,
                "std": float(np.std(list(found.values()))) if found else None,
                "tau": correlation.coefficient,
            }
        )
    return rows


def _evaluate(run: Run, store: Store, chosen: Sweep) -> dict[Any, dict[str, float]]:
    uses = {use.id: use for use in run.file.benchmark.metrics}
    base = resolved_use(uses[chosen.metric], run.file.benchmark.namespace, run.file.protocol)
    variants = [
        MetricUse(
            id=f"{chosen.parameter}-{i}",
            use=base.use,
            parameters=base.parameters | dict(chosen.fixed) | {chosen.parameter: value},
        )
        for i, value in enumerate(chosen.values)
    ]
    seats = seats_of_run(run.file)
    definitions = resolve(variants, seats)
    if definitions[0].unavailable:
        raise WorldGaugeError(f"{run.folder}: {chosen.metric} was not scored: {definitions[0].unavailable}")
    found: dict[Any, dict[str, float]] = {value: {} for value in chosen.values}
    for case_id, source in read_sources(run.folder).items():
        if source.video is None:
            continue
        inputs = CaseInputs(source.case, source.video)
        # One perception for all variants: the signal is loaded from the store once.
        perception = Perception(inputs, seats, store, None)
        for value, definition in zip(chosen.values, definitions, strict=True):
            try:
                record = evaluate(definition, inputs, perception)
            except NotStored as missing:
                raise WorldGaugeError(
                    f"{run.folder}: the signals of {chosen.metric} are not in the store {store.root}",
                    "name the store of the run with --store, or run it again",
                ) from missing
            if record.status is Status.OK and record.raw is not None:
                found[value][case_id] = record.raw
    return found
