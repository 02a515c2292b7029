"""Run folders that a verb is given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from worldgauge.core.run_folder import Run


def opened_run(folder: Path) -> Run:
    """A run of this benchmark; another's is refused."""
    from worldgauge.core.errors import WorldGaugeError
    from worldgauge.core.run_folder import Run

    run = Run(folder)
    if (name := run.file.benchmark.name) != "worldolympiad":
        raise WorldGaugeError(f"{folder} is a run of '{name}', not of worldolympiad", "name a run of this benchmark")
    return run
