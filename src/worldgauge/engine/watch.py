"""Running code that may misbehave: what is at work is told, what was given up is refused, what escapes is caught."""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import nullcontext
from copy import copy
from types import FrameType, TracebackType
from typing import Any

from worldgauge.core.process_state import preserved_state
from worldgauge.engine.limits import SETTING_UP, Limits

NOTHING = -1
"""The step of a worker that runs no metric or signal."""
IMPORTING = -2
"""The step of one that imports the first file of third parties; of the next files the numbers below."""


class Misbehaved(Exception):
    """A metric or signal did what costs more than a number; the message names it."""


class Slot(ctypes.Structure):
    """What a worker process is at. It lies in memory that the main process sees, however the worker ends."""

    _fields_ = (
        ("step", ctypes.c_int64),
        ("changes", ctypes.c_uint64),
        ("allowed", ctypes.c_double),
        ("item", ctypes.c_uint64),
    )


class Watch:
    """The steps of a worker: each metric and each signal has a number, the same in every worker of a run."""

    def __init__(
        self, steps: Iterable[Hashable], limits: Limits, slot: Slot | None = None, foreign: bool = False
    ) -> None:
        """`slot` is where a worker process tells its step; `foreign` says that some steps are not our own code."""
        self.limits = limits
        self._numbers = {step: number for number, step in enumerate(dict.fromkeys(steps))}
        self._slot = Slot() if slot is None else slot
        # In a worker process Ctrl-C is ignored: what looks like one there was raised by the code itself.
        self._interrupts = _Interrupts() if foreign and slot is None else None
        self._trust_interrupts = not foreign
        self._foreign = foreign
        self.given_up: Mapping[int, str] = {}
        """Steps not to be tried again on the case at hand, with what they did to their worker."""
        self.seconds = SETTING_UP
        """What a step may take on the case at hand."""
        self.item = 0
        """The number of the item at hand, as the main process counts them."""
        self.on_step: Callable[[Hashable, bool], object] | None = None
        """Called when a step begins, and with True when it is done."""
        self._part: int | None = None

    def of_part(self, part: int) -> Watch:
        """The same for the steps of one of several benchmarks, which stand as (number, step) among all."""
        own = copy(self)
        own._part = part
        return own

    def __enter__(self) -> Watch:
        self._tell(NOTHING, SETTING_UP)
        if self._interrupts is not None:
            self._interrupts.listen()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._interrupts is not None:
            self._interrupts.leave()

    def call(self, step: Hashable, who: Callable[[], str], function: Callable[[], Any], loading: bool = False) -> Any:
        """The function's answer. What ends a process, or may leave it unsound, becomes `Misbehaved` with a name."""
        number = self._numbers[step if self._part is None else (self._part, step)]
        if number in self.given_up:
            raise Misbehaved(f"{who()} {self.given_up[number]}")
        self._tell(number, SETTING_UP if loading else self.seconds)
        if self.on_step is not None:
            self.on_step(step, False)
        try:
            # A step of ours may ask an instrument of theirs.
            with preserved_state(who) if self._foreign else nullcontext():
                answer = function()
        except (RecursionError, MemoryError) as error:
            raise Misbehaved(f"{who()} raised {told(error)}") from error
        except Exception:
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and self._is_real():
                raise
            raise Misbehaved(f"{who()} raised {told(error)}") from error
        finally:
            self._tell(NOTHING, SETTING_UP)
            if self.on_step is not None and not loading:
                self.on_step(step, True)
        if self._interrupts is not None and self._interrupts.seen:
            # It was swallowed on the way.
            raise KeyboardInterrupt
        return answer

    def _tell(self, number: int, allowed: float) -> None:
        # In this order: who sees the new limit must not think that the old step is still running.
        self._slot.changes += 1
        self._slot.item = self.item
        self._slot.step = number
        self._slot.allowed = allowed

    def _is_real(self) -> bool:
        return self._trust_interrupts or (self._interrupts is not None and self._interrupts.seen)


class _Interrupts:
    """Notes that Ctrl-C was pressed, so that it can be told from an exception raised by hand."""

    def __init__(self) -> None:
        self.seen = False
        self._before: Any = None

    def listen(self) -> None:
        self.seen = False
        before = signal.getsignal(signal.SIGINT)
        # Only the main thread gets signals, and only there a handler may be set.
        if callable(before) and threading.current_thread() is threading.main_thread():
            self._before = before
            signal.signal(signal.SIGINT, self._note)

    def leave(self) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.seen = True
        self._before(number, frame)


def told(error: BaseException) -> str:
    """The exception as text that can be written down, whatever its author made of it."""
    # NumPy has a MemoryError of its own with a private name.
    name = next(kind.__name__ for kind in type(error).__mro__ if not kind.__name__.startswith("_"))
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  even the message is somebody else's code
        text = ""
    return writable(f"{name}: {text}" if text else name)


def writable(text: str) -> str:
    """The same text without what UTF-8 cannot hold."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
