"""Object reappearance by how the segmenter's phrase is put (Table S4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.benchmarks.memobench.analyses.run_scores import in_split
from worldgauge.benchmarks.memobench.formulas.wordings import WORDINGS
from worldgauge.benchmarks.memobench.metrics.reappearance import reappearance
from worldgauge.benchmarks.memobench.signals.phrase_masks import phrase_masks
from worldgauge.benchmarks.memobench.splits import Split
from worldgauge.core.errors import InvalidVideo, NotApplicable, Unscored, WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.core.sources import read_sources
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.perception import Loaded, Perception
from worldgauge.engine.seats import Seats, seats_of_run
from worldgauge.engine.store import Store
from worldgauge.signals.phases import phase_lengths


def by_wording(
    runs: Iterable[Run],
    store: Path,
    device: str = "cpu",
    names: Sequence[str] = tuple(WORDINGS),
    split: Split = "all",
) -> list[dict[str, Any]]:
    """Per model and wording: clips, mean and deviation of the score. Wordings not asked before are asked now."""
    rows = []
    for run in runs:
        seats = seats_of_run(run.file)
        reason = seats.reason_empty(phrase_masks.name)
        if reason:
            raise WorldGaugeError(f"{run.folder}: {reason}", "run with --use segmenter=NAME")
        scores = _scores(run, seats, Store(store), Loaded(seats, device), names, split)
        for name in names:
            rows.append(
                {
                    "model": run.name,
                    "wording": name,
                    "text": WORDINGS[name].format(phrase="<subject>", first="<first word>"),
                    "n": len(scores[name]),
                    "mean": float(np.mean(scores[name])) if scores[name] else None,
                    "std": float(np.std(scores[name])) if scores[name] else None,
                }
            )
    return rows


def _scores(
    run: Run, seats: Seats, store: Store, loaded: Loaded, names: Sequence[str], split: Split
) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in names}
    for source in read_sources(run.folder).values():
        if source.video is None or not in_split(source.case, split):
            continue
        perception = Perception(CaseInputs(source.case, source.video), seats, store, loaded)
        for name in names:
            try:
                signals = [perception.value(use) for use in (phrase_masks(wording=name), phase_lengths())]
                outcome = reappearance.function(source.case, *signals, protocol=run.file.protocol)
            except (NotApplicable, InvalidVideo, Unscored):
                continue
            found[name].append(outcome.value)
    return found
