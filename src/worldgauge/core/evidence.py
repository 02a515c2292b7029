"""What a report is handed beside its runs: evidence about clips for the case page, calibrations for the metric page.

The engine finds evidence and a report shows it; neither knows the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case
from worldgauge.core.clip import Clip
from worldgauge.core.run_file import DefinitionFile
from worldgauge.core.run_folder import Run
from worldgauge.core.signal import Arrays
from worldgauge.core.sources import Source
from worldgauge.core.video import Image, Video


@dataclass(frozen=True)
class Drawn:
    """A clip that is not on disk: made frame by frame when the report needs it."""

    frames: Callable[[], Iterator[Image]]
    fps: float
    opaque: bool = False
    """Laid over the model's video, which shines through; otherwise its light is added."""


@dataclass(frozen=True)
class Still:
    """One picture that is not on disk: made when the report needs it."""

    picture: Callable[[], Image]
    caption: str = ""


@dataclass(frozen=True)
class Told:
    """One question, and what was said to it."""

    question: str
    answer: str
    """Empty: none was given."""
    reason: str = ""
    wanted: str = ""
    """The answer that passes; empty where none is known, as on a scale."""
    about: str = ""
    """The dimension or group it belongs to."""


@dataclass(frozen=True)
class Interview:
    """One judge asked about one clip, once."""

    judge: str
    told: tuple[Told, ...]
    frames: tuple[int, ...] = ()
    """Numbers of the frames that were sent."""
    raw: tuple[str, ...] = ()
    """Every reply as it came; the last is the one that was read."""
    take: int = 0
    """Which time of asking."""
    problem: str = ""
    """Why no answer could be read; empty where one was."""


@dataclass(frozen=True)
class Curve:
    """A number of every frame of a clip, beside what was asked for."""

    title: str
    unit: str
    found: tuple[float, ...]
    """(N,) of the clip."""
    asked: tuple[float, ...] = ()
    """(N,) as it should have been; empty where nobody knows."""
    note: str = ""


@dataclass(frozen=True)
class FramePairs:
    """Frames of a clip that were compared, two by two, and why these."""

    title: str
    pairs: tuple[tuple[int, int], ...]
    """The earlier frame, the later one."""
    facts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """What is known of each pair, by a name with its unit."""
    marks: Mapping[str, int] = field(default_factory=dict)
    """Frames that the choice rests on, by what they are."""
    note: str = ""


@dataclass(frozen=True)
class Gallery:
    """Pictures beside each other with words about them: what a benchmark of its own shows of a case."""

    title: str
    stills: tuple[Still, ...] = ()
    lines: tuple[str, ...] = ()


Figure = Curve | FramePairs | Gallery
"""What a benchmark shows on the case page of what it perceived."""


@dataclass(frozen=True)
class Evidence:
    """All optional; a page shows what is there."""

    overlays: Mapping[str, Video | Drawn] = field(default_factory=dict)
    """Name, such as `flow` or `mask`, to a clip of the same length."""
    recovered: CameraPath | None = None
    """Camera path read off the clip, already aligned to the requested one."""
    interviews: tuple[Interview, ...] = ()
    """What judges were asked about the clip, and what they said."""
    paths: Mapping[str, CameraPath] = field(default_factory=dict)
    """Further camera paths in the same world, by name, such as that of the reference."""
    figures: tuple[Figure, ...] = ()
    """What the benchmark shows of its signals."""
    marks: tuple[str, ...] = ()
    """In a few words each what is wrong with the clip."""

    def joined(self, other: Evidence) -> Evidence:
        """Both; where only one can be, the other's."""
        return Evidence(
            {**self.overlays, **other.overlays},
            other.recovered or self.recovered,
            self.interviews + other.interviews,
            {**self.paths, **other.paths},
            self.figures + other.figures,
            self.marks + other.marks,
        )


class Stored(Protocol):
    """What a store knows of one clip of a run, for a benchmark that shows more of it."""

    @property
    def case(self) -> Case: ...

    def clip(self, of: str) -> Clip:
        """The model's clip (`video`) or that of the `reference`."""
        ...

    def arrays(self, signal: str, of: str = "video", **parameters: Any) -> Arrays | None:
        """What a signal of the run read off it; None where it is not stored or had no result."""
        ...


EvidenceOf = Callable[[Run, Source], Evidence]


def no_evidence(run: Run, source: Source) -> Evidence:
    """For runs whose store is not at hand."""
    return Evidence()


CalibrationOf = Callable[[DefinitionFile], Sequence[Mapping[str, Any]]]
"""What is known about a definition from clips with known faults, as `metric.js` shows it."""


def no_calibration(definition: DefinitionFile) -> Sequence[Mapping[str, Any]]:
    """For reports made without calibrations at hand."""
    return ()
