"""What somebody means by a name: a column of a benchmark, a metric, a signal or an instrument."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from worldgauge.core.benchmark import read_benchmark_file
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.core.manifest import benchmarks
from worldgauge.core.metric import METRICS
from worldgauge.core.registry import unknown_name
from worldgauge.core.signal import SIGNALS

Kind = Literal["column", "group", "metric", "signal", "instrument"]


@dataclass(frozen=True)
class Found:
    """One thing with its full name: `bench/PSNR` is a column of `bench`."""

    kind: Kind
    name: str

    @property
    def short(self) -> str:
        return self.name.rpartition("/")[2]


def find(name: str) -> Found:
    """What a full name or a unique short one means; a column is meant before the metric of the same full name."""
    definitions = _definitions()
    known = definitions if any(found.name == name for found in definitions) and "/" not in name else _everything()
    exact = [found for found in known if found.name == name]
    meant = {found.name: found for found in reversed(exact or [found for found in known if found.short == name])}
    if len(meant) > 1:
        *first, last = sorted(meant)
        raise WorldGaugeError(f"'{name}' may mean {', '.join(first)} or {last}", "write the whole name")
    if not meant:
        raise unknown_name("name", name, [*dict.fromkeys(found.name for found in known), *benchmarks()])
    return next(iter(meant.values()))


def _definitions() -> list[Found]:
    return [
        *(Found("metric", name) for name in METRICS.names()),
        *(Found("signal", name) for name in SIGNALS.names()),
        *(Found("instrument", name) for name in INSTRUMENTS.names()),
    ]


def _everything() -> list[Found]:
    """Columns first, because they say most."""
    files = [read_benchmark_file(name) for name in benchmarks()]
    columns = [Found("column", f"{file.name}/{use.id}") for file in files for use in file.metrics]
    groups = [Found("group", f"{file.name}/{group.id}") for file in files for group in file.groups]
    return [*columns, *groups, *_definitions()]
