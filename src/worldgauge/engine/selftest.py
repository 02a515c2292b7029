"""Does an instrument work here: each one perceives a made clip, on the GPU too where there is one, and both agree."""

from __future__ import annotations

import importlib.util
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.case import Case, Condition, Phases, Reference, Target
from worldgauge.core.case_parts import EXTRAS, offers
from worldgauge.core.errors import Outcome, Unscored
from worldgauge.core.instrument import INSTRUMENTS, Instrument
from worldgauge.core.signal import SIGNALS, Arrays, SignalUse, inherited
from worldgauge.core.video import Video
from worldgauge.engine.definitions import Seats, choose_seats
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.perception import Loaded, Perception
from worldgauge.engine.scratch import Held
from worldgauge.engine.store import Store
from worldgauge.engine.surroundings import as_found

FRAMES, HEIGHT, WIDTH = 8, 192, 256
"""Small, and large enough for the networks that refuse less than 128 pixels."""
TOLERANCE = 0.02
"""What a GPU may differ from the CPU, as a share of the largest number: other orders of summation, TF32."""


@dataclass(frozen=True)
class Tried:
    """How one instrument did."""

    instrument: str
    seat: str
    status: Literal["ok", "failed", "not tried"]
    signal: str = ""
    seconds: float = 0.0
    told: str = ""


def selftest(set_name: str = "pocket") -> Iterator[Tried]:
    """Every instrument that can run here, in turn; the seats beside it are taken by the named set."""
    beside = choose_seats(set_name).instruments
    with tempfile.TemporaryDirectory(prefix="worldgauge-selftest-") as folder:
        case, clip, reference = made_case(Path(folder))
        for name in INSTRUMENTS.names():
            kind = INSTRUMENTS.get(name)
            instrument = kind(**kind.tried_with)
            reason = instrument.unavailable()
            if reason:
                yield Tried(name, instrument.seat, "not tried", told=reason)
                continue
            seats = Seats({**beside, instrument.seat: instrument}, set_name)
            with as_found():
                yield _try(instrument, seats, lambda: CaseInputs(case, clip, reference))


def made_case(folder: Path) -> tuple[Case, Video, Video]:
    """A red patch on a texture that drifts to the left, and the same without its slight noise as the reference.

    The first image and the patch's mask are written into the folder. What signals call by names of their own is a list
    of two phrases, for the clip's beginning and its end: the place, then what is in it.
    """
    import cv2

    rng = np.random.default_rng(0)
    waves = rng.normal(scale=0.15, size=(24, 2))
    shifts, tints = rng.uniform(0, 2 * np.pi, 24), rng.normal(size=(24, 3))
    rows, columns = np.mgrid[:HEIGHT, : WIDTH + 2 * FRAMES]
    texture = np.sin(rows[..., None] * waves[:, 0] + columns[..., None] * waves[:, 1] + shifts) @ tints
    texture = 128 + texture * (55 / texture.std())
    frames = np.stack([texture[:, 2 * k : 2 * k + WIDTH] for k in range(FRAMES)])
    for k, frame in enumerate(frames):
        frame[70:120, 60 + 4 * k : 110 + 4 * k] = (220, 40, 30)
    clean = np.clip(frames, 0, 255).astype(np.uint8)
    noisy = np.clip(frames + rng.normal(scale=2, size=frames.shape), 0, 255).astype(np.uint8)
    image = folder / "first.png"
    cv2.imwrite(str(image), np.ascontiguousarray(clean[0, ..., ::-1]))
    mask = folder / "mask.png"
    cv2.imwrite(str(mask), np.pad(np.full((50, 50), 255, np.uint8), ((70, HEIGHT - 120), (60, WIDTH - 110))))
    required = {part for name in SIGNALS.names() for part in SIGNALS.get(name).requires if part.startswith(EXTRAS)}
    case = Case(
        id="selftest",
        condition=Condition(prompt="a red patch on a coloured texture", image=str(image)),
        extras={part.removeprefix(EXTRAS): ["a texture, red patch"] * 2 for part in required},
        reference=Reference(
            video="made",
            target=Target(name="red patch", box=(60, 70, 110, 120), mask=str(mask)),
            phases=Phases(gone=FRAMES // 3, back=2 * FRAMES // 3),
        ),
    )
    return case, Video.from_array(noisy, layout="THWC", fps=12), Video.from_array(clean, layout="THWC", fps=12)


def _try(instrument: Instrument, seats: Seats, inputs: Any) -> Tried:
    """The first signal that asks for its seat and can be computed from the clip."""
    last = Tried(instrument.name, instrument.seat, "not tried", told="no signal that asks for its seat can be computed")
    for use in _uses(instrument.seat):
        if not _possible(use, inputs().case, seats):
            continue
        started = time.perf_counter()
        try:
            values = {device: _perceived(use, seats, inputs(), device) for device in _devices(instrument)}
        except Unscored as answer:
            # It works and cannot decide; perhaps another signal tells more.
            last = Tried(instrument.name, instrument.seat, "ok", use.signal, _since(started), f"answers: {answer}")
            continue
        except Outcome as outcome:
            last = Tried(instrument.name, instrument.seat, "not tried", use.signal, told=str(outcome))
            continue
        except Exception as error:  # noqa: BLE001  whatever is wrong with it is what was asked for
            told = f"{type(error).__name__}: {error}"
            return Tried(instrument.name, instrument.seat, "failed", use.signal, _since(started), told)
        return _judged(instrument, use.signal, _since(started), values)
    return last


def _since(started: float) -> float:
    return round(time.perf_counter() - started, 3)


def _uses(seat: str) -> list[SignalUse]:
    """Signals that ask for a seat, generic ones first."""
    names = [name for name in SIGNALS.names() if SIGNALS.get(name).seat == seat]
    return [SIGNALS.get(name)() for name in sorted(names, key=lambda name: ("/" in name, name))]


def _possible(use: SignalUse, case: Case, seats: Seats) -> bool:
    signal = SIGNALS.get(use.signal)
    own = all(offers(case, part) for part in (*signal.reads, *signal.requires))
    seated = seats.reason_empty(use.signal) is None
    return own and seated and all(_possible(need, case, seats) for need in inherited(use, seats))


def _devices(instrument: Instrument) -> list[str]:
    if instrument.weights and importlib.util.find_spec("torch"):
        import torch

        return ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]
    return ["cpu"]


def _perceived(use: SignalUse, seats: Seats, inputs: CaseInputs, device: str) -> Arrays:
    with tempfile.TemporaryDirectory(prefix="worldgauge-selftest-") as folder:
        found = Perception(inputs, seats, Store(Path(folder)), Loaded(seats, device)).value(use)
        return found.arrays if isinstance(found, Held) else found


def _judged(instrument: Instrument, signal: str, seconds: float, values: Mapping[str, Arrays]) -> Tried:
    first = values["cpu"]
    odd = [name for name, array in first.items() if _is_float(array) and not np.isfinite(array).any() and array.size]
    if odd:
        return Tried(instrument.name, instrument.seat, "failed", signal, seconds, f"{odd[0]} holds no number at all")
    told = "on the CPU"
    if "cuda" in values:
        apart = max((relative_difference(first[name], values["cuda"][name]) for name in first), default=0.0)
        told = f"GPU and CPU differ by {apart:.1g} of the largest number"
        if not apart <= TOLERANCE:
            return Tried(instrument.name, instrument.seat, "failed", signal, seconds, told)
    return Tried(instrument.name, instrument.seat, "ok", signal, seconds, told)


def _is_float(array: NDArray[Any]) -> bool:
    return bool(np.issubdtype(np.asarray(array).dtype, np.floating))


def relative_difference(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Largest difference as a share of the largest number of the first; infinite where the shapes or the NaN differ.

    >>> relative_difference(np.array([0.0, 2.0]), np.array([0.5, 2.0]))
    0.25
    """
    one, other = np.asarray(first), np.asarray(second)
    if one.shape != other.shape:
        return float("inf")
    if not np.issubdtype(one.dtype, np.number):
        return 0.0 if (one == other).all() else float("inf")
    one, other = one.astype(np.float64), other.astype(np.float64)
    if not (np.isnan(one) == np.isnan(other)).all():
        return float("inf")
    apart = np.nanmax(np.abs(one - other), initial=0.0)
    return float(apart / max(np.nanmax(np.abs(one), initial=0.0), 1e-12)) if apart else 0.0
