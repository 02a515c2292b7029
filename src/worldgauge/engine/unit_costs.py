"""What runs on this store have taken beside their signals, whose rates have a file of their own: for simulations."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

FILE_NAME = "unit_costs.json"


@dataclass(frozen=True)
class UnitCosts:
    """Each as the last run that could tell has measured it; None: no run could."""

    start: float | None = None
    """Seconds until workers were at their first clip."""
    driver: float | None = None
    """Processor seconds of the main process for each clip: handing it out, taking its result."""
    beside: float | None = None
    """Seconds of a worker for each clip beside its signals: opening it, metrics, records."""
    stored: float | None = None
    """Bytes brought to the store for each clip."""
    answer: float | None = None
    """Seconds that one question was waited for."""

    @classmethod
    def read(cls, store: Path) -> UnitCosts:
        """Nothing is known before the first run; a damaged file is as good as none."""
        try:
            known = json.loads((store / FILE_NAME).read_text("utf-8"))
            return cls(**{name: float(value) for name, value in known.items() if value is not None})
        except (OSError, ValueError, TypeError, AttributeError):
            return cls()

    def remember(self, store: Path) -> None:
        """Beside what is known from before; losing it is harmless."""
        known = {**asdict(UnitCosts.read(store)), **{k: v for k, v in asdict(self).items() if v is not None}}
        if all(value is None for value in known.values()):
            return
        partial = store / f".{FILE_NAME}.{os.getpid()}"
        try:
            partial.write_text(json.dumps(known, indent=1) + "\n", "utf-8")
            partial.replace(store / FILE_NAME)
        except OSError:
            with suppress(OSError):
                partial.unlink()
