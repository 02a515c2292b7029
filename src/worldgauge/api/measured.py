"""What `measure` answers: numbers by name, each with its status, unit and curve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from worldgauge.api.show import TextTable, need_more, number
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.frame_list import unpack_frames
from worldgauge.core.status import Status
from worldgauge.report.unofficial import UNOFFICIAL, footnotes


@dataclass(frozen=True)
class Measured:
    """One metric on one video. `float()` gives the value, and raises where there is none."""

    name: str
    value: float | None
    """None unless the status is ok."""
    status: Status
    unit: str = ""
    higher_is_better: bool | None = None
    """None where neither direction is better by itself."""
    curve: tuple[float | None, ...] | None = None
    """One number per frame or pair, None where a frame has none."""
    curve_frames: tuple[int, ...] | None = None
    """Frame that each number of the curve belongs to; of a pair, the earlier. None: 0, 1, 2, ..."""
    frames: int = 0
    """Frames of the video; 0 where that is not known: it cannot be read, or a run was read back."""
    reason: str = ""
    """Why there is no value; for ok, a remark on the number."""
    code: str = ""
    """For unscored: the reason in a word, such as `too-few-frames`; empty where nobody gave one."""
    not_official: tuple[str, ...] = ()
    """For a benchmark's metric: what differs from its official instruments. Known right after `measure` only."""

    def __float__(self) -> float:
        if self.status is not Status.OK or self.value is None:
            raise WorldGaugeError(f"{self.name} has no value: {self.status}, {self.reason}")
        return self.value


def frames_of_curve(curve: Sequence[float | None] | None, recorded: str | None) -> tuple[int, ...] | None:
    """The frames of a record's curve, one for each of its numbers; None where they are simply the clip's."""
    frames = None if curve is None or recorded is None else unpack_frames(recorded, len(curve))
    return None if frames is None else tuple(frames)


@dataclass(frozen=True)
class Measurements(Mapping[str, Measured]):
    """Metric name to what was measured."""

    values_by_name: Mapping[str, Measured]
    excluded: Mapping[str, str] = field(default_factory=dict)
    """Metrics that were not tried, with the reason: what they need and there is not."""

    def __getitem__(self, name: str) -> Measured:
        if name not in self.values_by_name and name in self.excluded:
            raise KeyError(f"{name} was not measured: {self.excluded[name]}")
        return self.values_by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)

    @property
    def without_value(self) -> dict[str, str]:
        """Metrics that were tried and have no value: status and reason."""
        return {m.name: f"{m.status}: {m.reason}".removesuffix(": ") for m in self.values() if m.value is None}

    def table(self) -> TextTable:
        """A line per metric; one more says how many were not tried."""
        marks = {m.name: UNOFFICIAL if m.not_official else "" for m in self.values()}
        rows = [(m.name + marks[m.name], number(m.value), m.unit, m.status, m.reason) for m in self.values()]
        others = footnotes((m.name, line) for m in self.values() for line in m.not_official)
        notes = [*others, *need_more(self.excluded)]
        return TextTable.of(("metric", "value", "unit", "status", "remark"), rows, notes)

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()
