"""Metrics and signals that do what takes a process down, each in its own way, on one case of several."""

from __future__ import annotations

import ctypes
import os
import time

import numpy as np

from worldgauge import Case, Clip, Measurement, metric, signal

VICTIM = "case-01"


@signal(version=1)
def hostile_levels(clip: Clip) -> dict[str, np.ndarray]:
    """Mean brightness of each frame."""
    return {"mean": np.array([frame.mean() for frame in clip.frames()])}


@signal(version=1)
def hostile_frames(clip: Clip) -> dict[str, np.ndarray]:
    """Paints the clip black before it looks."""
    clip.frames()[0][:] = 0
    return {"mean": np.zeros(1)}


@signal(version=1, reads=("case", "video"))
def hostile_exit(case: Case, clip: Clip) -> dict[str, np.ndarray]:
    """Ends its process."""
    if case.id == VICTIM:
        os._exit(3)
    return {"one": np.ones(1)}


def _declare(name: str, *needs: object):  # type: ignore[no-untyped-def]
    return metric(unit="", higher_is_better=True, bounds=(0, 255), needs=needs, name=name)  # type: ignore[arg-type]


@_declare("writes", hostile_levels())
def writes(case: Case, levels: dict[str, np.ndarray]) -> Measurement:
    """Halves the signal that others read."""
    levels["mean"] *= 0.5
    return Measurement(float(levels["mean"].mean()))


@_declare("replaces", hostile_levels())
def replaces(case: Case, levels: dict[str, np.ndarray]) -> Measurement:
    """Puts another array in its place, and changes the case."""
    levels["mean"] = np.full(3, 7.0)
    case.tags["scene"] = "changed"
    return Measurement(7.0)


@_declare("reads", hostile_levels())
def reads(case: Case, levels: dict[str, np.ndarray]) -> Measurement:
    """An innocent neighbour."""
    return Measurement(float(levels["mean"].mean()))


@_declare("paints", hostile_frames())
def paints(case: Case, levels: dict[str, np.ndarray]) -> Measurement:
    """Needs the signal that paints."""
    return Measurement(0.0)


@_declare("needs_exit", hostile_exit())
def needs_exit(case: Case, one: dict[str, np.ndarray]) -> Measurement:
    """Needs the signal that ends its process."""
    return Measurement(1.0)


@_declare("exits")
def exits(case: Case) -> Measurement:
    """Leaves as a script would."""
    raise SystemExit(3)


@_declare("interrupts")
def interrupts(case: Case) -> Measurement:
    """Raises what Ctrl-C raises."""
    raise KeyboardInterrupt


@_declare("recurses")
def recurses(case: Case) -> Measurement:
    """Never comes back."""
    return recurses.function(case)  # type: ignore[no-any-return]


@_declare("too_much")
def too_much(case: Case) -> Measurement:
    """Asks for more memory than there is."""
    return Measurement(float(np.ones((2**40, 2**10)).sum()))


@_declare("crashes")
def crashes(case: Case) -> Measurement:
    """Reads address 0."""
    if case.id == VICTIM:
        ctypes.string_at(0)
    return Measurement(1.0)


@_declare("hangs")
def hangs(case: Case) -> Measurement:
    """Waits for what never comes."""
    while case.id == VICTIM:
        time.sleep(1)
    return Measurement(1.0)


@_declare("swells")
def swells(case: Case) -> Measurement:
    """Takes more and more memory, but no more than a test machine can bear."""
    held = []
    while case.id == VICTIM:
        held += [np.ones(2**21)] if len(held) < 16 else []
        time.sleep(0.02)
    return Measurement(1.0)


@_declare("odd_answer")
def odd_answer(case: Case) -> Measurement:
    """A number with a curve of words."""
    return Measurement(1.0, ("high", "low"))  # type: ignore[arg-type]
