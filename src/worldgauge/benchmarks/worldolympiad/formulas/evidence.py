"""What a judge is shown at each level of the interaction track: which frames of the clip and of its reference.

Chunk: 4 frames and 4 of the whole reference. Transition: 3 frames of the last second of the left chunk, 3 of the first
second of the right one, 4 of the reference. Global: 12 frames of the whole clip and 4 of the reference.
"""

from __future__ import annotations

from dataclasses import dataclass

from worldgauge.benchmarks.worldolympiad.formulas.time_sampling import Film, Position, judge_positions

CHUNK_FRAMES, REFERENCE_FRAMES, SIDE_FRAMES, GLOBAL_FRAMES = 4, 4, 3, 12
SIDE_SECONDS = 1.0
"""How much of either chunk a transition is about."""


@dataclass(frozen=True)
class Span:
    """A stretch of the generated clip, seconds."""

    start: float
    end: float

    @property
    def last_second(self) -> Span:
        return Span(max(self.start, self.end - SIDE_SECONDS), self.end)

    @property
    def first_second(self) -> Span:
        return Span(self.start, min(self.end, self.start + SIDE_SECONDS))


def chunk_positions(film: Film, span: Span, half_open: bool = False) -> list[Position]:
    """The frames of one chunk. `half_open`: the last one lies before the next chunk begins, as the intervals say."""
    found = judge_positions(film, span.start, span.end, CHUNK_FRAMES)
    return _within(found, film, span) if half_open else found


def side_positions(film: Film, left: Span, right: Span, half_open: bool = False) -> tuple[list[Position], ...]:
    """The frames on both sides of a boundary."""
    before = judge_positions(film, left.last_second.start, left.last_second.end, SIDE_FRAMES)
    after = judge_positions(film, right.first_second.start, right.first_second.end, SIDE_FRAMES)
    return (_within(before, film, left) if half_open else before), after


def whole_positions(film: Film, count: int) -> list[Position]:
    """Frames of a whole video: the first alone where its length is not known."""
    return judge_positions(film, 0.0, film.seconds, count)


def _within(positions: list[Position], film: Film, span: Span) -> list[Position]:
    """Frames that begin before the span ends; the first one always."""
    if film.fps <= 0:
        return positions
    last = max(round(span.start * film.fps), round(span.end * film.fps) - 1)
    return [min(position, last) if isinstance(position, int) else position for position in positions]
