"""How the columns are measured for which bounds are derived: protocol and instruments."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgauge.core.benchmark import BenchmarkFile, MetricUse, read_benchmark_file, resolved_uses
from worldgauge.core.metric import METRICS
from worldgauge.core.official import official_uses
from worldgauge.core.signal import SIGNALS
from worldgauge.engine.definitions import Definition, Seats, all_uses, choose_seats, resolve


@dataclass(frozen=True)
class Way:
    """How the columns are measured."""

    protocol: str = "paper"
    instrument_set: str = "pocket"
    overrides: tuple[str, ...] = ()
    device: str = "auto"

    @property
    def seats(self) -> Seats:
        file = _file()
        return choose_seats(self.instrument_set, self.overrides, official_uses(file, self.protocol), file.namespace)

    def uses(self) -> dict[str, MetricUse]:
        """The columns without their scales and on any case."""
        plain: dict[str, Any] = {"scale": None, "unscaled": "", "cases": {}, "reduce": "mean", "bounds": ()}
        return {use.id: use.model_copy(update=plain) for use in resolved_uses(_file(), self.protocol)}

    def definitions(self) -> dict[str, Definition]:
        return {definition.id: definition for definition in resolve(self.uses().values(), self.seats)}

    def instruments_of(self, column: str) -> tuple[str, ...]:
        """Names of the instruments below a column; `-` for an empty seat."""
        signals = [SIGNALS.get(use.signal) for use in all_uses(METRICS.get(self.uses()[column].use))]
        found = [self.seats.instrument(signal.name) for signal in signals if signal.seat is not None]
        return tuple(dict.fromkeys(instrument.name if instrument else "-" for instrument in found))


def _file() -> BenchmarkFile:
    return read_benchmark_file(str(Path(__file__).parents[1]))
