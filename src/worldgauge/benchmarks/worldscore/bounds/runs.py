"""Models for the z rule, taken from their runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from worldgauge.benchmarks.worldscore.bounds.values import OF_MODELS, Values
from worldgauge.benchmarks.worldscore.bounds.way import Way
from worldgauge.core.bounds import digest_of_way, way_of_measuring
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_file import DefinitionFile
from worldgauge.core.run_folder import Columns, Run


def models_of_runs(folders: Sequence[Path], way: Way) -> dict[str, dict[str, Values]]:
    """Run to the model's raw means under ''; a run that was measured in another way is refused."""
    wanted = {column: definition.measured for column, definition in way.definitions().items()}
    found: dict[str, dict[str, Values]] = {}
    for folder in folders:
        run = Run(folder)
        if run.name in found:
            raise WorldGaugeError(f"{folder}: model '{run.name}' is given twice", "name each model once")
        columns = run.columns()
        means: Values = {}
        for definition in run.file.definitions:
            if definition.id in OF_MODELS:
                if _measured(definition) != wanted[definition.id]:
                    raise WorldGaugeError(
                        f"{folder}: {definition.id} was measured with other instruments or under another protocol",
                        f"run it with --protocol {way.protocol} and the instruments the bounds are for",
                    )
                means[definition.id] = _raw_mean(columns[definition.id], definition.reduce == "frame_mean")
        found[run.name] = {"": means}
    return found


def _measured(definition: DefinitionFile) -> str:
    return digest_of_way(
        way_of_measuring(definition.metric, definition.version, definition.parameters, definition.signals)
    )


def _raw_mean(column: Columns, by_frames: bool) -> float | None:
    known = np.isfinite(column.raws)
    if not known.any():
        return None
    weights = np.where(np.isfinite(column.weights), column.weights, 1.0) if by_frames else np.ones(len(column.raws))
    return float(np.average(column.raws[known], weights=weights[known]))
