"""How much memory a clip will take, told from its size and length before a frame is decoded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from worldgauge.core.clip import DEFAULT_MEMORY
from worldgauge.core.errors import Outcome, Unavailable, WorldGaugeError
from worldgauge.core.signal import SIGNALS, SignalUse, inherited
from worldgauge.engine.definitions import Seats
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.limits import Limits, gigabytes
from worldgauge.engine.scratch import IN_MEMORY

BASE = 0.15 * 2**30
"""Bytes of a worker before it has looked at anything."""
DECODING = 8.0
"""Bytes per pixel of one frame while a file is decoded: the decoder's own pictures and the RGB one."""


class TooLarge(Unavailable):
    """The clip would take more memory than a worker may. Status `unscored`; tried again on the next run."""


def memory_needed(uses: Iterable[SignalUse], inputs: CaseInputs, seats: Seats) -> float:
    """Bytes of a worker that computes these signals of a case: frames held, values held, the hungriest at work.

    Loaded instruments come on top: they are no fault of the clip, and may lie on a GPU. Raises where a clip cannot be
    read.
    """
    held: dict[tuple[str, int, int], float] = {}
    values = hungriest = 0.0
    listed = list(dict.fromkeys(uses))
    readers = Counter(need for use in listed for need in inherited(use, seats))
    for use in listed:
        signal = SIGNALS.get(use.signal)
        instrument = seats.instrument(use.signal)
        work = 0.0
        for part in signal.reads:
            source = use.of if part == "video" else part
            if source not in ("video", "reference"):
                continue
            info = inputs.clip(source).video.info
            size = use.frames.output_size(info.width, info.height)
            for width, height in ((info.width, info.height), size):
                # Longer clips lie in a file, which the system pages in and out.
                held[source, width, height] = min(info.frames * width * height * 3, DEFAULT_MEMORY)
            try:
                across, down = size if instrument is None else instrument.working_size(*size)
            except Outcome:
                continue
            pixels = across * down
            work += max(signal.memory * pixels, DECODING * info.width * info.height)
            frames = min(info.frames, signal.most_frames or info.frames)
            values += _held_bytes(use, signal.dense * pixels * frames, readers[use])
        hungriest = max(hungriest, work)
    return BASE + sum(held.values()) + values + hungriest


def _held_bytes(use: SignalUse, dense: float, readers: int) -> float:
    """Of a value while it waits for its readers. Rows with one reader pass by, and many rows lie in a file."""
    if not SIGNALS.get(use.signal).streams:
        return dense
    return min(dense, IN_MEMORY) if readers > 1 else 0.0


def refuse_too_large(
    use: SignalUse, done: Iterable[SignalUse], inputs: CaseInputs, seats: Seats, limits: Limits
) -> None:
    """Raise `TooLarge` where the signal, beside what is held of those done, would need more than a worker may take."""
    if limits.memory is None:
        return
    try:
        needed = memory_needed([*done, *inherited(use, seats), use], inputs, seats)
    except (WorldGaugeError, OSError):
        # Told better by the attempt to read the clip.
        return
    if needed > limits.memory:
        raise TooLarge(
            f"signal '{use.signal}' would need about {gigabytes(needed)} on this clip, the limit is "
            f"{gigabytes(limits.memory)}",
            "raise --max-memory, use fewer workers or a smaller clip",
        )
