"""`Gauge`: metrics in a training loop, batch after batch."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from worldgauge.api.building import Names, as_video, names_in
from worldgauge.api.measured import Measurements
from worldgauge.api.one_video import Measurer
from worldgauge.core.case import Case, Condition, Reference
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.frame_arrays import Range, check_layout, split_batch
from worldgauge.core.registry import unknown_name
from worldgauge.core.status import Status
from worldgauge.engine.job import choose_metrics

REDUCTIONS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "min": min,
    "max": max,
}
"""How the values of many clips become one number. None depends on the order of the clips."""


@dataclass
class _Tally:
    """What one metric said of the clips so far."""

    values: list[float] = field(default_factory=list)
    clips: int = 0

    def add(self, other: _Tally) -> None:
        self.values += other.values
        self.clips += other.clips


class Gauge:
    """Measures batches of generated clips: a call tells about this batch, `compute` about all since `reset`.

    >>> import numpy as np
    >>> gauge = Gauge(["flow_magnitude"], layout="BTHWC")
    >>> still = np.broadcast_to(np.arange(0, 256, 8, dtype=np.uint8)[:, None], (1, 3, 32, 32, 3))
    >>> gauge(still)
    {'flow_magnitude': 0.0, 'flow_magnitude/coverage': 1.0}
    """

    def __init__(
        self,
        metrics: Names,
        *,
        layout: str = "BTCHW",
        value_range: Range = (0, 1),
        fps: float | None = None,
        instruments: str = "auto",
        device: str | None = None,
        prefix: str = "",
        reduce: str = "mean",
    ) -> None:
        """`value_range` is what black and white are in batches of floats; uint8 has its own."""
        self.layout = check_layout(layout, "BTCHW" if "B" in layout else "TCHW")
        self.metrics = names_in(metrics)
        if not self.metrics:
            raise WorldGaugeError("a Gauge needs the names of metrics", "'worldgauge list metrics' lists them")
        if reduce not in REDUCTIONS:
            raise unknown_name("reduction", reduce, list(REDUCTIONS))
        self.value_range, self.fps = value_range, fps
        self.prefix, self.reduce = prefix, reduce
        self.reasons: dict[str, str] = {}
        """Why a metric had no value, the latest time it had none."""
        self._instruments, self._device = instruments, device
        self._measurer: Measurer | None = None
        self._ready()
        self.reset()

    def __call__(self, batch: Any, **beside: Any) -> dict[str, float]:
        """Measure this batch, add it to what `compute` tells, and return this batch's numbers.

        The flat dictionary has `<name>` (nan where nothing could be scored) and `<name>/coverage`, scored over all
        clips. `beside` may be `reference` (a batch like the first), `prompt` and `camera` (one for all, or a list with
        one per clip).
        """
        tallies = self._tallies(batch, **beside)
        self._add(tallies)
        return self._flat(tallies)

    def update(self, batch: Any, **beside: Any) -> None:
        """Measure this batch and add it to what `compute` tells."""
        self._add(self._tallies(batch, **beside))

    def compute(self) -> dict[str, float]:
        """The numbers over all clips since the last `reset`."""
        return self._flat(self._state)

    def reset(self) -> None:
        """Forget all clips."""
        self._state = {name: _Tally() for name in self.metrics}
        self.reasons.clear()

    def merge(self, other: Gauge | Iterable[Gauge]) -> None:
        """Add the clips that other gauges saw, for example those of other ranks. Gauges can be pickled to get here."""
        for one in [other] if isinstance(other, Gauge) else list(other):
            if one._definitions() != self._definitions():
                raise WorldGaugeError("gauges of different metrics or instruments cannot be merged")
            self._add(one._state)

    def close(self) -> None:
        """Let go of the instruments; the numbers stay."""
        self._measurer = None

    def __enter__(self) -> Gauge:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_measurer": None}

    def _tallies(
        self, batch: Any, *, reference: Any = None, prompt: Any = None, camera: Any = None
    ) -> dict[str, _Tally]:
        clips = self._clips(batch)
        references = [None] * len(clips) if reference is None else self._clips(reference)
        prompts, cameras = _each(prompt, len(clips), "prompt"), _each(camera, len(clips), "camera")
        if len(references) != len(clips):
            raise WorldGaugeError(f"{len(clips)} clips and {len(references)} references do not go together")
        tallies = {name: _Tally() for name in self.metrics}
        for clip, truth, text, path in zip(clips, references, prompts, cameras, strict=True):
            case = Case(
                id="clip",
                condition=Condition(prompt=text or "", camera=None if path is None else "given"),
                reference=Reference(video=None if truth is None else "given"),
            )
            self._count(self._ready().measure(case, clip, truth, path), tallies)
        return tallies

    def _clips(self, batch: Any) -> list[Any]:
        layout = self.layout.replace("B", "")
        return [as_video(clip, layout, self.value_range, self.fps) for clip in split_batch(batch, self.layout)]

    def _count(self, found: Measurements, tallies: dict[str, _Tally]) -> None:
        for name, measured in found.items():
            # Somebody asked for this metric by name, so every clip is expected to have it.
            tallies[name].clips += 1
            if measured.status is Status.OK and measured.value is not None:
                tallies[name].values.append(measured.value)
            else:
                self.reasons[name] = measured.reason

    def _add(self, tallies: Mapping[str, _Tally]) -> None:
        for name, tally in tallies.items():
            self._state[name].add(tally)

    def _flat(self, tallies: Mapping[str, _Tally]) -> dict[str, float]:
        flat: dict[str, float] = {}
        for name, tally in tallies.items():
            values = tally.values
            flat[f"{self.prefix}{name}"] = float(REDUCTIONS[self.reduce](values)) if values else math.nan
            flat[f"{self.prefix}{name}/coverage"] = len(values) / tally.clips if tally.clips else 0.0
        return flat

    def _definitions(self) -> dict[str, str]:
        return self._ready().fingerprints

    def _ready(self) -> Measurer:
        if self._measurer is None:
            self._measurer = Measurer(choose_metrics((), self.metrics), self._instruments, device=self._device)
        return self._measurer


def _each(value: Any, count: int, what: str) -> list[Any]:
    """One value per clip: a list is taken clip by clip, anything else holds for all."""
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise WorldGaugeError(f"{count} clips and {len(value)} of {what} do not go together")
    return list(value)
