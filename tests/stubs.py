"""Little signals, metrics and networks that count what is done with them, in registries of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from worldgauge.core.benchmark import MetricUse
from worldgauge.core.instrument import Instrument
from worldgauge.core.metric import METRICS, Measurement, Metric, metric
from worldgauge.core.signal import SIGNALS, Arrays, Signal, SignalUse, signal
from worldgauge.engine.definitions import Definition, Seats, resolve

WEIGHTS = ("raft_large",)


@contextmanager
def own_registries() -> Iterator[None]:
    """What a test declares inside is forgotten afterwards; what the package registers meanwhile stays."""
    yield
    for registry in (SIGNALS, METRICS):
        for name, entry in list(registry._entries.items()):
            if not entry.function.__module__.startswith("worldgauge"):
                del registry._entries[name]


@dataclass(frozen=True)
class Ruler(Instrument):
    """An instrument without weights that writes down when it is loaded."""

    loads: ClassVar[list[str]] = []

    def load(self, device: str) -> None:
        self.loads.append(f"{self.name} on {device}")

    def release(self) -> None:
        self.loads.append(f"{self.name} released")


def instrument(seat: str, network: bool, gigabytes: float = 0.1, why_not: str | None = None) -> Instrument:
    """An instrument for the seat, named after it, with or without weights."""
    content: dict[str, Any] = {"seat": seat, "name": f"{seat}-stub", "loads": [], "memory": gigabytes}
    content |= {"weights": WEIGHTS if network else (), "unavailable": lambda self: why_not}
    made: Instrument = dataclass(frozen=True)(type(f"Stub{seat}", (Ruler,), content))()
    return made


def make_signal(name: str, **declaration: Any) -> Signal:
    """A signal whose value is one zero; called with whatever it reads and needs."""

    def compute(*arguments: object) -> Arrays:
        return {"zero": np.zeros(1)}

    compute.__qualname__ = compute.__name__ = name
    return signal(version=1, **declaration)(compute)


def make_metric(name: str, *needs: SignalUse, requires: tuple[str, ...] = ()) -> Metric:
    def compute(*arguments: object) -> Measurement:
        return Measurement(0.0)

    compute.__qualname__ = compute.__name__ = name
    declare = metric(unit="", higher_is_better=True, bounds=(0, 1), needs=needs, requires=requires)
    return declare(compute)


def definition(of: Metric, seats: Seats | None = None) -> Definition:
    """The metric as a column; without seats no instrument is in any of them."""
    return resolve([MetricUse(id=of.name)], seats or Seats({}, "stubs"))[0]
