"""Numbers that the paper and the repository both print: where they differ, and how models rank by either."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from worldgauge.benchmarks.worldolympiad.analyses.published_scores import (
    DOMAINS,
    coverage,
    repository_model_score,
    repository_score,
    table,
)
from worldgauge.benchmarks.worldolympiad.data.rules import rules
from worldgauge.benchmarks.worldolympiad.formulas.combination import interaction_score
from worldgauge.benchmarks.worldolympiad.formulas.physical import DIMENSIONS, subset_mean

GEOMETRY = {"GS": "GS", "Meta": "Meta", "Camera": "Camera Motion", "Geometry": "3D Cons."}
LEVELS = {"Chunk": "Chunk", "Transition": "Transition", "Global": "Global", "LongRange": "Long Range"}
LEVELS |= {"GlobalText": "Global Text", "ClipRaw": "CLIP Interact."}
BY_DOMAIN: dict[str, tuple[str, Mapping[str, str]]] = {
    "6": ("Scores By Domain", {"Physical": "Physical", "Geometry": "3D Cons.", "ClipRaw": "CLIP Interact."}),
    "7": ("Physical Dimension Pass Rates", {"Physical": "Overall", **{d.title(): d.title() for d in DIMENSIONS}}),
    "8": ("Physical Question Pass Rates", {rule.id: rule.id.replace("_", " ").title() for rule in rules()}),
    "9": ("Interaction Submetrics", LEVELS),
    "10": ("3D Consistency Submetrics", GEOMETRY),
}
"""Table of the paper to the sheet of the repository and the columns of both."""
BY_MODEL: dict[str, tuple[str, Mapping[str, str]]] = {
    "3": ("Summary By Model Category", {"Physical": "Physical", "Geometry": "3D Cons."}),
    "11": ("Model-Level 3D Submetrics", GEOMETRY),
    "12": ("Model-Level Interaction Submetrics", LEVELS),
}


@dataclass(frozen=True)
class Printed:
    """One number in both places; None for a dash."""

    table: str
    model: str
    column: str
    paper: float | None
    repository: float | None

    @property
    def differs(self) -> bool:
        known = self.paper is not None and self.repository is not None
        return self.paper != self.repository if not known else abs((self.paper or 0) - (self.repository or 0)) > 1e-9


def printed_twice() -> Iterator[Printed]:
    """Every number that is printed in both."""
    for number, (sheet, columns) in BY_DOMAIN.items():
        for domain in DOMAINS:
            one = table(f"{number}-{domain}")
            for model in one.rows:
                for ours, theirs in columns.items():
                    second = repository_score(sheet, domain, model, theirs)
                    yield Printed(f"{number}-{domain}", model, ours, _known(one.score(model, ours)), second)
    for number, (sheet, columns) in BY_MODEL.items():
        for model in table(number).rows:
            for ours, theirs in columns.items():
                second = repository_model_score(sheet, model, theirs)
                yield Printed(number, model, ours, _known(table(number).score(model, ours)), second)


def rankings() -> dict[str, list[str]]:
    """Models from best to worst by their total, made in four ways."""
    models = list(table("3").rows)
    totals = {
        "Table 3": {model: table("3").score(model, "All") for model in models},
        "every domain alike": {
            model: _mean([table(f"6-{d}").score(model, "All") for d in DOMAINS]) for model in models
        },
        "by the paper's text": {model: _by_text(model) for model in models},
        "per case, as the repository prints it": {
            model: repository_model_score("Summary By Model Category", model, "All") or 0.0 for model in models
        },
    }
    first = totals["Table 3"]
    # Ties of three printed decimals go by Table 3, which ranks by what was not rounded.
    return {name: sorted(models, key=lambda model: (-own[model], -first[model])) for name, own in totals.items()}


def _by_text(model: str) -> float:
    """Dimensions alike, levels alike; domains by judged cases."""
    physical = []
    for domain in DOMAINS:
        row = table(f"7-{domain}").named(model)
        physical.append(subset_mean(_known(row[name.title()]) for name in DIMENSIONS) or 0.0)
    cases = [coverage(domain, model).judged for domain in DOMAINS]
    pooled = sum(n * value for n, value in zip(cases, physical, strict=True)) / sum(cases)
    levels = table("12").named(model)
    thirds = _mean([levels[name] for name in ("Chunk", "Transition", "Global")])
    return _mean([pooled, table("11").score(model, "Geometry"), interaction_score(thirds, levels["ClipAux"])])


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
