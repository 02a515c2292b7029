"""Many models by subdomain: Figure 7, small against large worlds, stylised worlds against their twins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldscore.official.aspects import ASPECTS
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.report.joint import Joint
from worldgauge.stats.bootstrap import percentile_interval

Chosen = NDArray[np.bool_]
FIGURE: Final = ("scene", "style", "world", "style x scene", "category")
"""Domains of the figure; two tags crossed have an x between them."""


class Domains:
    """Comparable runs and the tags of their cases."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self.joint = Joint(runs)
        self.tags: dict[str, Mapping[str, str]] = {
            case: of_case for run in runs for case, of_case in run.tags().items()
        }

    @cached_property
    def names(self) -> list[str]:
        """A name for each run; the folder where two models are called alike."""
        names = [run.name for run in self.joint.runs]
        runs = zip(names, self.joint.runs, strict=True)
        return [name if names.count(name) == 1 else f"{name} ({run.folder})" for name, run in runs]

    def value(self, case: str, domain: str) -> str:
        """`indoor`, or of crossed domains `stylized indoor`; empty where the case lacks a tag."""
        found = [self.tags.get(case, {}).get(tag, "") for tag in domain.split(" x ")]
        return " ".join(found) if all(found) else ""

    def parts(self, domain: str) -> Iterator[tuple[str, Chosen]]:
        """Every value of a domain and the cases that have it."""
        values = np.array([self.value(case, domain) for case in self.joint.cases])
        for value in sorted({*values.tolist()} - {""}):
            yield value, values == value


def static_by_subdomain(
    runs: Sequence[Run], domains: Sequence[str] = FIGURE, column: str = "static"
) -> list[dict[str, Any]]:
    """One row per subdomain: cases, and under each model's name its score there (Figure 7 shows WorldScore-Static).

    Raises:
        WorldGaugeError: for a column that is unknown, or that no model has a score in, with the columns that do.
    """
    found = Domains(runs)
    known = found.joint.ids
    if column not in known:
        raise WorldGaugeError(f"no column '{column}'", f"it has {', '.join(known)}")
    rows = []
    for domain in domains:
        for value, chosen in found.parts(domain):
            scores = found.joint.part(chosen).scores[:, known.index(column)]
            told = {name: _number(score) for name, score in zip(found.names, scores, strict=True)}
            if any(score is not None for score in told.values()):
                rows.append({"domain": domain, "value": value, "cases": int(chosen.sum()), **told})
    if not rows:
        raise WorldGaugeError(f"no model has a score in '{column}'", _columns_with_scores(found))
    return rows


def _columns_with_scores(found: Domains) -> str:
    """Which columns can be compared in their stead: those that every model has, else those that some model has."""
    models = np.isfinite(found.joint.scores).sum(axis=0)
    for least, whose in ((len(found.joint.runs), "every model has"), (1, "some model has")):
        names = [name for name, count in zip(found.joint.ids, models, strict=True) if count >= least]
        if names:
            return f"columns that {whose}: {', '.join(names)}; choose one with --column"
    return "no column of these runs has a score"


def small_against_large(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Per model and column: the score on small worlds, on large ones, and large minus small with its interval."""
    found = Domains(runs)
    parts = dict(found.parts("world"))
    if not {"small", "large"} <= {*parts}:
        return []
    return _compared(found, ("small", parts["small"]), ("large", parts["large"]), paired=False)


def twins(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Per model and column: photorealistic worlds, their stylised twins, and the difference over the same scenes."""
    found = Domains(runs)
    parts = dict(found.parts("style"))
    photo, stylised = (parts.get(name) for name in ("photorealistic", "stylized"))
    if photo is None or stylised is None:
        return []
    clusters = found.joint.clusters
    shared = np.intersect1d(clusters[photo], clusters[stylised])
    both = np.isin(clusters, shared)
    if not shared.size:
        return []
    rows = _compared(found, ("photorealistic", photo & both), ("stylized", stylised & both), paired=True)
    return [row | {"pairs": int(shared.size)} for row in rows]


def _compared(
    found: Domains, first: tuple[str, Chosen], second: tuple[str, Chosen], *, paired: bool
) -> list[dict[str, Any]]:
    """Two parts of the cases, column by column. `paired`: both have the same scenes, so resamples draw the same."""
    (name, cases), (other, others) = first, second
    parts = found.joint.part(cases), found.joint.part(others)
    drawn, more = (part.replicates for part in parts)
    # Scenes of different parts have nothing to do with each other, so their resamples must not go together.
    spread = more - drawn if paired else np.roll(more, 1, axis=-1) - drawn
    fewest = min(len(part.cluster_names) for part in parts)
    rows = []
    for k, model in enumerate(found.names):
        for column in (*ASPECTS, "static", "dynamic"):
            c = found.joint.ids.index(column)
            before, after = (_number(part.scores[k, c]) for part in parts)
            if before is None or after is None:
                continue
            interval = percentile_interval(spread[k, c], clusters=fewest)
            told = {name: before, other: after, "difference": after - before, "interval": interval}
            rows.append({"model": model, "column": column, **told})
    return rows


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
