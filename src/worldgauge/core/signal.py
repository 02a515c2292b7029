"""`Signal`: something read off a video, named and versioned, computed at most once.

    @signal(version=1, reads=("video",), seat="flow")
    def flow_pairs(clip: Clip, flow: FlowInstrument, *, stride: int = 1) -> Arrays: ...

The function gets what it reads, then the signals it needs, then the instrument, in that order; its keyword-only
arguments are its parameters. A function that yields, one `Arrays` of a few rows after the other, is for what is too
large to be held at once: who needs it goes through the rows in their order, once or several times. Calling the
decorated object, `flow_pairs(stride=2)`, does not compute: it says which variant a metric needs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from worldgauge.core.canonical import canonical_json
from worldgauge.core.case_parts import check_parts
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.frames import FrameSpec
from worldgauge.core.instrument import ASKED_SEATS, SEATS, Instrument
from worldgauge.core.manifest import namespace_of
from worldgauge.core.prompts import digest_of_prompt
from worldgauge.core.registry import Registry, unknown_name

Arrays = Mapping[str, np.ndarray]
"""A kept signal's value: named arrays, as they lie in the store."""

Source = Literal["video", "reference"]


@dataclass(frozen=True)
class SignalUse:
    """One variant of a signal: which parameters, which frames, of which clip."""

    signal: str
    parameters: tuple[tuple[str, Any], ...] = ()
    of: Source = "video"
    frames: FrameSpec = field(default_factory=FrameSpec)

    def describe(self) -> str:
        """A name with what differs from the default, for messages and plans."""
        parts = [f"{key}={value}" for key, value in self.parameters]
        if self.of != "video":
            parts.append(f"of={self.of}")
        return f"{self.signal}({', '.join(parts)})" if parts else self.signal


class ChosenInstruments(Protocol):
    """Which instrument perceives for a signal in a run."""

    def instrument(self, signal: str) -> Instrument | None:
        """The instrument by the full name of a signal; None where its seat is empty."""


NeedsByInstrument = Callable[[SignalUse, ChosenInstruments], tuple[SignalUse, ...]]
"""What a variant of a signal needs under the chosen instruments: as many signals as it needs by its declaration."""


@dataclass(frozen=True)
class Signal:
    """A definition; `function` computes, calling the object names a variant."""

    name: str
    version: int
    function: Callable[..., Any]
    reads: tuple[str, ...]
    """Parts of the case the function is handed, in order."""
    requires: tuple[str, ...]
    """Parts that must be there beside, because the function finds them in the whole case."""
    needs: tuple[SignalUse, ...]
    seat: str | None
    kept: bool
    """Whether the value is stored. Dense fields are not: they live while their case is in its stage."""
    frames: FrameSpec
    defaults: Mapping[str, Any]
    cost: float
    """Rough seconds per frame of one megapixel on one core, for plans before anything was measured here."""
    memory: float
    """Rough bytes per pixel of one frame, at the size it is looked at, while the function is at work."""
    dense: float
    """Rough bytes per pixel of all frames that it holds at once, in its value or on the way to it."""
    prompts: tuple[str, ...] = ()
    """Prompt files it asks with, as `package:name`; their digests are part of its key."""
    tolerant: bool = False
    """Whether it is handed None for a need that is unscored, in place of being unscored itself."""
    needs_by: NeedsByInstrument | None = None
    """What it needs where that depends on which instruments are chosen; None: always `needs`."""
    waits: bool = True
    """Whether a value that is not kept may wait in a scratch file for a later pass over the clips. Where it is too
    large for that, all its readers are computed in the last pass that reads it."""
    most_frames: int | None = None
    """Most frames of a clip that it holds at once, where that is not all that its frame spec chooses; for plans."""

    def __call__(self, *, of: Source = "video", frames: FrameSpec | None = None, **parameters: Any) -> SignalUse:
        chosen = merge_parameters(f"signal '{self.name}'", self.defaults, parameters)
        return SignalUse(self.name, tuple(sorted(chosen.items())), of, frames or self.frames)

    @property
    def summary(self) -> str:
        return first_sentence(self.function)

    @property
    def streams(self) -> bool:
        """Whether its value is gone through stack by stack."""
        return inspect.isgeneratorfunction(self.function)

    @property
    def is_asked(self) -> bool:
        """Whether somebody is asked and waited for, in place of a computation."""
        return self.seat in ASKED_SEATS

    def prompt_digests(self) -> dict[str, Any]:
        """For the key: the digest of each prompt file; empty where it has none."""
        return {"prompts": {name: digest_of_prompt(name) for name in self.prompts}} if self.prompts else {}


def signal(
    *,
    version: int,
    reads: tuple[str, ...] = ("video",),
    requires: tuple[str, ...] = (),
    needs: tuple[SignalUse, ...] = (),
    seat: str | None = None,
    kept: bool = True,
    frames: FrameSpec | None = None,
    cost: float = 0.01,
    memory: float = 110.0,
    dense: float = 0.0,
    prompts: tuple[str, ...] = (),
    tolerant: bool = False,
    needs_by: NeedsByInstrument | None = None,
    waits: bool = True,
    most_frames: int | None = None,
    name: str | None = None,
) -> Callable[[Callable[..., Any]], Signal]:
    """Declare and register a signal."""
    check_parts((*reads, *requires))
    if seat is not None and seat not in SEATS:
        raise unknown_name("seat", seat, list(SEATS))
    if seat in ASKED_SEATS and not all(SIGNALS.get(need.signal).kept for need in needs):
        # Whoever asks reads them out of the store, beside the workers.
        raise WorldGaugeError(f"a signal of the seat '{seat}' can need only signals that are kept", "kept=True")

    def declare(function: Callable[..., Any]) -> Signal:
        if kept and inspect.isgeneratorfunction(function):
            raise WorldGaugeError(f"signal '{function.__name__}' yields its value, so it cannot be kept", "kept=False")
        declared = Signal(
            name=full_name(name or function.__name__, function),
            version=version,
            function=function,
            reads=reads,
            requires=requires,
            needs=needs,
            seat=seat,
            kept=kept,
            frames=frames or FrameSpec(),
            defaults=keyword_defaults(function),
            cost=cost,
            memory=memory,
            dense=dense,
            prompts=prompts,
            tolerant=tolerant,
            needs_by=needs_by,
            waits=waits,
            most_frames=most_frames,
        )
        SIGNALS.add(declared.name, declared, f"{function.__module__}:{function.__name__}")
        return declared

    return declare


def full_name(name: str, function: Callable[..., Any]) -> str:
    """The name inside the namespace of the benchmark whose package declares it."""
    namespace = namespace_of(function.__module__)
    return f"{namespace}/{name}" if namespace else name


def inherited(use: SignalUse, chosen: ChosenInstruments | None = None) -> tuple[SignalUse, ...]:
    """The signals a use needs, read from the same clip: the flow of the reference needs the poses of the reference.

    `chosen` are the instruments of a run, on which some needs depend; without them the needs are as declared.
    """
    signal = SIGNALS.get(use.signal)
    needs = signal.needs if signal.needs_by is None or chosen is None else signal.needs_by(use, chosen)
    if use.of == "video":
        return needs
    return tuple(SignalUse(need.signal, need.parameters, use.of, need.frames) for need in needs)


def keyword_defaults(function: Callable[..., Any]) -> dict[str, Any]:
    """Keyword-only arguments and their defaults: the parameters of a definition."""
    keywords = [p for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
    for parameter in keywords:
        if parameter.default is parameter.empty:
            raise WorldGaugeError(f"{function.__name__}: parameter '{parameter.name}' needs a default")
    return {p.name: p.default for p in keywords}


def merge_parameters(owner: str, defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Defaults overridden by what is given; unknown names and values that JSON cannot hold are refused."""
    for key, value in given.items():
        if key not in defaults:
            raise unknown_name(f"parameter of {owner}", key, list(defaults))
        try:
            canonical_json(value)
        except (TypeError, ValueError) as error:
            raise WorldGaugeError(f"{owner}: parameter '{key}' must be plain data, got {value!r}") from error
    return dict(defaults) | {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}


def first_sentence(function: Callable[..., Any]) -> str:
    """The first paragraph of a docstring on one line."""
    return " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())


SIGNALS: Registry[Signal] = Registry("signal")
