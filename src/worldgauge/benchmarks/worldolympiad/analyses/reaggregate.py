"""Existing official results scored again, without any video: the three physical definitions and what tables need."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.benchmarks.worldolympiad.data.rules import rules
from worldgauge.benchmarks.worldolympiad.data.tree import DOMAINS, cluster_of
from worldgauge.benchmarks.worldolympiad.formulas.combination import clip_aux, interaction_score
from worldgauge.benchmarks.worldolympiad.formulas.interaction import FULL
from worldgauge.benchmarks.worldolympiad.formulas.physical import DIMENSIONS, Counts, pooled, subset_mean
from worldgauge.benchmarks.worldolympiad.official.geometry import SCORES
from worldgauge.benchmarks.worldolympiad.official.judge_files import released_verdict
from worldgauge.benchmarks.worldolympiad.official.summary import number, scores_in
from worldgauge.core.errors import WorldGaugeError
from worldgauge.stats.bootstrap import Interval, cluster_replicates, percentile_interval

MARK = "_judge_"
ALL = "all"
LEVELS = {"Chunk": "chunk_mean", "Transition": "transition_mean", "Global": "global_score"}
"""Columns, and what the summary of a judge file calls them, from 0 to 5."""


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
    of_case: dict[str, list[tuple[str, Counts]]] = field(default_factory=dict)
    """Rule to the cluster and the verdict of every case that was asked about it."""
    interaction: list[float] = field(default_factory=list)
    levels: dict[str, list[float]] = field(default_factory=dict)
    thirds: list[float] = field(default_factory=list)
    """By the paper's text: every level of a case alike."""
    clip: list[float] = field(default_factory=list)
    geometry: list[float] = field(default_factory=list)
    geometry_parts: dict[str, list[float]] = field(default_factory=dict)
    geometry_failed: int = 0
    """Files in which every 3D score is 0, which is how a failure is told."""
    geometry_no_number: int = 0
    """Files with a 3D score that is no number. The released code makes 1 of their sum; here they have none."""
    combined: list[float] = field(default_factory=list)

    def add(self, content: Any, cluster: str = "") -> None:
        """Count one judge file of a case that belongs to a cluster."""
        self.cases += 1
        scores = scores_in(content, {}).scores
        for name, own in (
            ("interaction", self.interaction),
            ("clip_interaction", self.clip),
            ("combined", self.combined),
        ):
            value = _known(scores.get(name))
            if value is not None:
                own.append(value)
        self._add_geometry(content.get("three_d") if isinstance(content, Mapping) else None, scores["three_d"])
        self._add_levels(content.get("interaction") if isinstance(content, Mapping) else None)
        physical = content.get("physical") if isinstance(content, Mapping) else None
        if isinstance(physical, Mapping):
            if isinstance(physical.get("score"), (int, float)):
                self.physical_cases.append(float(physical["score"]))
            for item in physical.get("results") or ():
                if isinstance(item, Mapping):
                    # Counts do not rest on confidences, which may be no numbers here.
                    verdict = released_verdict({**item, "confidence": 0.0})
                    counts = pooled([verdict])
                    self.rules[verdict.rule] = self.rules.get(verdict.rule, Counts()) + counts
                    self.dimensions[verdict.dimension] = self.dimensions.get(verdict.dimension, Counts()) + counts
                    self.of_case.setdefault(verdict.rule, []).append((cluster, counts))

    def _add_geometry(self, content: Any, score: float | None) -> None:
        if not isinstance(content, Mapping):
            return
        parts = {column: number(content.get(name)) for column, name in SCORES.items()}
        for column, value in parts.items():
            if _known(value) is not None:
                self.geometry_parts.setdefault(column, []).append(float(value or 0.0))
        if any(
            math.isnan(value) for value in (*parts.values(), number(content.get("final_score_raw")), score) if value
        ):
            self.geometry_no_number += 1
            return
        if score is not None:
            self.geometry.append(score)
        self.geometry_failed += all(value == 0 for value in parts.values())

    def _add_levels(self, content: Any) -> None:
        summary = content.get("summary") if isinstance(content, Mapping) else None
        if not isinstance(summary, Mapping):
            return
        known = {column: _known(number(summary.get(name))) for column, name in LEVELS.items()}
        parts = {column: value / FULL for column, value in known.items() if value is not None}
        for column, value in parts.items():
            self.levels.setdefault(column, []).append(value)
        if parts:
            self.thirds.append(sum(parts.values()) / len(parts))

    def rule_rows(self) -> list[dict[str, Any]]:
        """One line per rule: its pooled rate, what it rests on, and an interval over clusters."""
        return [
            {
                "model": self.model,
                "domain": self.domain,
                "rule": rule.id,
                "rate": counts.rate,
                "interval": _rate_interval(self.of_case.get(rule.id, ())),
                "judged": counts.judged,
                "correct": counts.correct,
                "irrelevant": counts.irrelevant,
                "unknown": counts.unknown,
            }
            for rule in rules()
            for counts in [self.rules.get(rule.id, Counts())]
        ]

    def row(self) -> dict[str, Any]:
        """One line of a table: each definition with the number it rests on."""
        total = sum(self.rules.values(), Counts())
        raw = _mean(self.clip)
        judged = _mean(self.interaction)
        aux = None if raw is None else clip_aux(round(raw, 3))
        geometry = _mean(self.geometry)
        published = None if judged is None or aux is None else interaction_score(judged, aux)
        scored = len(self.geometry) - self.geometry_failed
        without = sum(self.geometry) / scored if scored > 0 else None
        subsets = subset_mean(self.dimensions.get(name, Counts()).rate for name in DIMENSIONS)
        by_clip = _mean([clip_aux(value) for value in self.clip])
        thirds = _mean(self.thirds)
        paper = None if thirds is None or by_clip is None else interaction_score(thirds, by_clip)
        return {
            "model": self.model,
            "domain": self.domain,
            "cases": self.cases,
            "unreadable": self.unreadable,
            "physical_released": _mean(self.physical_cases),
            "physical_published": total.rate,
            "judgements": total.judged,
            "physical_paper": subsets,
            **{column: _mean(self.geometry_parts.get(column, [])) for column in SCORES},
            "geometry": geometry,
            "geometry_failed": self.geometry_failed,
            "geometry_no_number": self.geometry_no_number,
            "geometry_without_failures": without,
            **{column: _mean(self.levels.get(column, [])) for column in LEVELS},
            "interaction_released": judged,
            "clip_raw": raw,
            "clip_aux": aux,
            "interaction_published": published,
            "interaction_paper": paper,
            "combined_released": _mean(self.combined),
            "all_published": _mean_of_all(total.rate, geometry, published),
            "all_paper": _mean_of_all(subsets, without, paper),
        }


def read_official(root: Path) -> list[Official]:
    """The judge files below a released tree, by model and domain, and of each model over all of them.

    A file that cannot be read is counted, not scored.
    """
    found: dict[tuple[str, str], Official] = {}
    for domain, file in _judge_files(root):
        model = file.name.partition(MARK)[0]
        both = [found.setdefault((model, name), Official(model, name)) for name in (domain, ALL)]
        try:
            content = json.loads(file.read_text("utf-8"))
        except (ValueError, OSError):
            content = None
        for own in both:
            if content is None:
                own.unreadable += 1
            else:
                own.add(content, f"{domain}/{cluster_of(file.parent.name, domain)}")
    if not found:
        raise WorldGaugeError(
            f"{root} holds no judge file", "a judge file is <domain>/<case>/<prefix>_judge_<case>.json"
        )
    return [found[key] for key in sorted(found, key=lambda key: (key[0], key[1] == ALL, key[1]))]


def _judge_files(root: Path) -> Iterator[tuple[str, Path]]:
    base = root / "outputs_batch" if (root / "outputs_batch").is_dir() else root
    for name, domain in DOMAINS.items():
        for file in sorted((base / name).glob(f"*/*{MARK}*.json")) if (base / name).is_dir() else ():
            yield domain, file


def _rate_interval(verdicts: Sequence[tuple[str, Counts]]) -> Interval | None:
    """95 %, drawing clusters again: parts of one film, or of one robot in one scene, go together."""
    judged = [(cluster, counts) for cluster, counts in verdicts if counts.judged]
    names, clusters = np.unique([cluster for cluster, _ in judged], return_inverse=True)
    if len(names) < 2:
        return None
    drawn = cluster_replicates(np.array([[float(counts.correct) for _, counts in judged]]), clusters)
    return percentile_interval(drawn[0], clusters=len(names))


def _known(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def _mean_of_all(*tracks: float | None) -> float | None:
    known = [value for value in tracks if value is not None]
    return _mean(known) if len(known) == len(tracks) else None


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None
