"""How far people agree with the judge on the true videos: majority, agreement, Cohen's kappa, scene by dimension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from worldgauge.benchmarks.memobench.data.questions import DIMENSIONS
from worldgauge.benchmarks.memobench.human.survey import Item
from worldgauge.stats.agreement import cohen_kappa
from worldgauge.stats.bootstrap import Floats, Interval, percentile_interval

REPLICATES = 2000
ALL = "all"
"""Margin of the table of scenes and dimensions."""


@dataclass(frozen=True)
class Voted:
    """One item with its votes."""

    item: Item
    yes: int
    no: int

    @property
    def majority(self) -> str | None:
        """What most respondents said; None for a tie or no vote."""
        return None if self.yes == self.no else "yes" if self.yes > self.no else "no"


@dataclass(frozen=True)
class Share:
    """Items whose majority is the judge's answer."""

    agree: int
    items: int

    @property
    def per_cent(self) -> float | None:
        return 100 * self.agree / self.items if self.items else None

    @property
    def interval(self) -> Interval | None:
        """Wilson's 95 per cent interval, in per cent: items of one cell are too few for resampling.

        >>> [round(end, 1) for end in Share(2, 2).interval]
        [34.2, 100.0]
        """
        if not self.items:
            return None
        n, p, z = self.items, self.agree / self.items, 1.959964
        centre, spread = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return 100 * (centre - spread) / (1 + z * z / n), 100 * (centre + spread) / (1 + z * z / n)


@dataclass(frozen=True)
class Agreement:
    """The outcome of a study."""

    respondents: int
    votes: int
    share: Share
    interval: Interval | None
    """Of the agreement in per cent: whole scenes drawn again."""
    kappa: float | None
    kappa_interval: Interval | None
    single: float | None
    """Per cent of single votes that are the judge's answer."""
    undecided: tuple[str, ...]
    """Items without a majority; they count nowhere."""
    cells: Mapping[tuple[str, str], Share]
    """Scene and dimension to agreement, Figure 4; `all` for all scenes or all dimensions."""


def votes(items: Sequence[Item], responses: Mapping[str, Mapping[str, bool]]) -> list[Voted]:
    """Every item with what the respondents said."""
    found = []
    for item in items:
        said = [answers[item.item] for answers in responses.values() if item.item in answers]
        found.append(Voted(item, sum(said), len(said) - sum(said)))
    return found


def agreement(items: Sequence[Item], responses: Mapping[str, Mapping[str, bool]], seed: int = 0) -> Agreement:
    """Majority answers against the judge's, with intervals from resampled scenes."""
    voted = votes(items, responses)
    decided = [vote for vote in voted if vote.majority is not None]
    scenes = sorted({vote.item.scene for vote in decided})
    tables = np.stack([_table([v for v in decided if v.item.scene == s]) for s in scenes]) if scenes else np.empty(0)
    share, kappa = _share(decided), _kappa(tables.sum(axis=0)) if scenes else None
    drawn_shares, drawn_kappas = _replicates(tables, seed) if len(scenes) > 1 else (np.empty(0), np.empty(0))
    total = sum(v.yes + v.no for v in voted)
    right = sum(v.yes if v.item.judge == "yes" else v.no for v in voted)
    cells = {
        (scene, dimension): _share(
            [v for v in decided if scene in (ALL, v.item.scene) and dimension in (ALL, v.item.dimension)]
        )
        for scene in (*scenes, ALL)
        for dimension in (*DIMENSIONS, ALL)
    }
    return Agreement(
        respondents=len(responses),
        votes=total,
        share=share,
        interval=percentile_interval(drawn_shares, clusters=len(scenes)),
        kappa=kappa,
        kappa_interval=percentile_interval(drawn_kappas, clusters=len(scenes)),
        single=100 * right / total if total else None,
        undecided=tuple(v.item.item for v in voted if v.majority is None),
        cells=cells,
    )


def _table(decided: Sequence[Voted]) -> Floats:
    """(2, 2) counts: majority yes and no by the judge's yes and no."""
    table = np.zeros((2, 2))
    for vote in decided:
        table[int(vote.majority == "no"), int(vote.item.judge == "no")] += 1
    return table


def _replicates(tables: Floats, seed: int) -> tuple[Floats, Floats]:
    """Agreement in per cent and kappa of resampled scenes."""
    random = np.random.default_rng(seed)
    drawn = tables[random.integers(0, len(tables), (REPLICATES, len(tables)))].sum(axis=1)
    shares = 100 * np.trace(drawn, axis1=1, axis2=2) / drawn.sum(axis=(1, 2))
    kappas = np.array([np.nan if (k := _kappa(table)) is None else k for table in drawn])
    return shares, kappas


def _kappa(table: Floats) -> float | None:
    return cohen_kappa(table) if table.sum() > 0 else None


def _share(decided: Sequence[Voted]) -> Share:
    return Share(sum(vote.majority == vote.item.judge for vote in decided), len(decided))
