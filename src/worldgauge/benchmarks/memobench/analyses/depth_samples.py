"""Geometric consistency by how many frames of a phase are looked at (Table S7); needs a depth instrument."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.benchmarks.memobench.analyses.run_scores import in_split
from worldgauge.benchmarks.memobench.analyses.sensitivity import Columns, correlated
from worldgauge.benchmarks.memobench.formulas.depth_consistency import released_geometry
from worldgauge.benchmarks.memobench.formulas.protocols import RULES, Protocol
from worldgauge.benchmarks.memobench.signals.phases import phase_depth_similarity
from worldgauge.benchmarks.memobench.splits import Split
from worldgauge.core.errors import InvalidVideo, NotApplicable, Unscored, WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.core.signal import Arrays
from worldgauge.core.sources import read_sources
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.perception import Loaded, Perception
from worldgauge.engine.seats import seats_of_run
from worldgauge.engine.store import Store
from worldgauge.functional.phase_values import phases_of, values_of_pairs
from worldgauge.functional.phases import spread_pairs

SAMPLES, DEFAULT = (2, 3, 5, 7), 3
WEIGHTS = (0.7, 0.3)
"""Of the mean and of the minimum in `Geo3DConsistency`."""


def by_depth_samples(
    runs: Sequence[Run], store: Path, device: str = "cpu", sample: int | None = None, split: Split = "all"
) -> list[dict[str, Any]]:
    """Per number of samples: the composite over all clips of all runs, and its rank correlation with the default.

    Frames that were not looked at before are looked at now.
    """
    columns: Columns = {samples: {} for samples in SAMPLES}
    for run in runs:
        seats = seats_of_run(run.file)
        reason = seats.reason_empty(phase_depth_similarity.name)
        if reason:
            raise WorldGaugeError(f"{run.folder}: {reason}", "run with --use image_depth=NAME")
        loaded = Loaded(seats, device)
        for case_id, source in read_sources(run.folder).items():
            if source.video is None or not in_split(source.case, split):
                continue
            perception = Perception(CaseInputs(source.case, source.video), seats, Store(store), loaded)
            for samples in SAMPLES:
                try:
                    depths = perception.value(phase_depth_similarity(samples=samples))
                    columns[samples][run.name, case_id] = geometric_consistency(depths, samples, run.file.protocol)
                except (NotApplicable, InvalidVideo, Unscored):
                    continue
    return correlated(columns, "samples", DEFAULT, sample)


def geometric_consistency(depths: Arrays, samples: int, protocol: str) -> float:
    """The composite, 0 to 1, from the similarities of so many samples per phase."""
    known: Protocol = "paper" if protocol == "paper" else "released"
    phases, frames = phases_of(depths, RULES[known]), int(depths["lengths"][0])
    pairs = [spread_pairs(phase, samples, frames) for phase in (phases.visible_frames, phases.back_frames)]
    visible, back = (values_of_pairs(depths, "similarity", of_phase) for of_phase in pairs)
    if known == "released":
        mean, least = released_geometry(visible, back)
    elif not visible or not back:
        raise InvalidVideo("a phase has fewer than two frames")
    else:
        mean, least = (float(np.mean(visible)) + float(np.mean(back))) / 2, min(*visible, *back)
    return WEIGHTS[0] * mean + WEIGHTS[1] * least
