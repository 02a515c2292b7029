"""Existing official results scored again, without any video: the three physical definitions and what tables need."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.worldolympiad.data.tree import DOMAINS
from worldgauge.benchmarks.worldolympiad.formulas.combination import clip_aux, interaction_score
from worldgauge.benchmarks.worldolympiad.formulas.physical import DIMENSIONS, Counts, pooled, subset_mean
from worldgauge.benchmarks.worldolympiad.official.geometry import SCORES
from worldgauge.benchmarks.worldolympiad.official.judge_files import released_verdict
from worldgauge.benchmarks.worldolympiad.official.summary import number, scores_in
from worldgauge.core.errors import WorldGaugeError

MARK = "_judge_"


@dataclass
class Official:
    """What the judge files of one model and domain say together."""

    model: str
    domain: str
    cases: int = 0
    unreadable: int = 0
    physical_cases: list[float] = field(default_factory=list)
    rules: dict[str, Counts] = field(default_factory=dict)
    dimensions: dict[str, Counts] = field(default_factory=dict)
    interaction: list[float] = field(default_factory=list)
    clip: list[float] = field(default_factory=list)
    geometry: list[float] = field(default_factory=list)
    geometry_parts: dict[str, list[float]] = field(default_factory=dict)
    geometry_failed: int = 0
    """Files in which every 3D score is 0, which is how a failure is told."""
    combined: list[float] = field(default_factory=list)

    def add(self, content: Any) -> None:
        """Count one judge file."""
        self.cases += 1
        scores = scores_in(content, {}).scores
        for name, own in (
            ("interaction", self.interaction),
            ("clip_interaction", self.clip),
            ("three_d", self.geometry),
            ("combined", self.combined),
        ):
            value = scores.get(name)
            if value is not None:
                own.append(value)
        self._add_geometry(content.get("three_d") if isinstance(content, Mapping) else None)
        physical = content.get("physical") if isinstance(content, Mapping) else None
        if isinstance(physical, Mapping):
            if isinstance(physical.get("score"), (int, float)):
                self.physical_cases.append(float(physical["score"]))
            for item in physical.get("results") or ():
                if isinstance(item, Mapping):
                    verdict = released_verdict({**item, "confidence": item.get("confidence") or 0.0})
                    counts = pooled([verdict])
                    self.rules[verdict.rule] = self.rules.get(verdict.rule, Counts()) + counts
                    self.dimensions[verdict.dimension] = self.dimensions.get(verdict.dimension, Counts()) + counts

    def _add_geometry(self, content: Any) -> None:
        if not isinstance(content, Mapping):
            return
        parts = {column: number(content.get(name)) for column, name in SCORES.items()}
        for column, value in parts.items():
            if value is not None:
                self.geometry_parts.setdefault(column, []).append(value)
        self.geometry_failed += all(value == 0 for value in parts.values())

    def row(self) -> dict[str, Any]:
        """One line of a table: each definition with the number it rests on."""
        total = sum(self.rules.values(), Counts())
        raw = _mean(self.clip)
        judged = _mean(self.interaction)
        aux = None if raw is None else clip_aux(round(raw, 3))
        geometry = _mean(self.geometry)
        published = None if judged is None or aux is None else interaction_score(judged, aux)
        tracks = [total.rate, geometry, published]
        scored = len(self.geometry) - self.geometry_failed
        return {
            "model": self.model,
            "domain": self.domain,
            "cases": self.cases,
            "unreadable": self.unreadable,
            "physical_released": _mean(self.physical_cases),
            "physical_published": total.rate,
            "judgements": total.judged,
            "physical_paper": subset_mean(self.dimensions.get(name, Counts()).rate for name in DIMENSIONS),
            **{column: _mean(self.geometry_parts.get(column, [])) for column in SCORES},
            "geometry": geometry,
            "geometry_failed": self.geometry_failed,
            "geometry_without_failures": sum(self.geometry) / scored if scored > 0 else None,
            "interaction_released": judged,
            "clip_raw": raw,
            "clip_aux": aux,
            "interaction_published": published,
            "combined_released": _mean(self.combined),
            "all_published": _mean([part for part in tracks if part is not None]) if None not in tracks else None,
        }


def read_official(root: Path) -> list[Official]:
    """The judge files below a released tree, by model and domain. A file that cannot be read is counted, not scored."""
    found: dict[tuple[str, str], Official] = {}
    for domain, file in _judge_files(root):
        model = file.name.partition(MARK)[0]
        own = found.setdefault((model, domain), Official(model, domain))
        try:
            own.add(json.loads(file.read_text("utf-8")))
        except (ValueError, OSError):
            own.unreadable += 1
    if not found:
        raise WorldGaugeError(
            f"{root} holds no judge file", "a judge file is <domain>/<case>/<prefix>_judge_<case>.json"
        )
    return [found[key] for key in sorted(found)]


def _judge_files(root: Path) -> Iterator[tuple[str, Path]]:
    base = root / "outputs_batch" if (root / "outputs_batch").is_dir() else root
    for name, domain in DOMAINS.items():
        for file in sorted((base / name).glob(f"*/*{MARK}*.json")) if (base / name).is_dir() else ():
            yield domain, file


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None
