"""Where a part can run: in an environment of its own, or here where the authors' package is installed."""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass
from pathlib import Path

from worldgauge.core.environments import Place, how_to_make, place_of
from worldgauge.core.errors import WorldGaugeError
from worldgauge.instruments.isolated import child
from worldgauge.instruments.isolated.process import Child, Hello

PARTS = Path(__file__).parent / "parts"


@dataclass(frozen=True)
class Home:
    """Where the authors' code of an instrument is."""

    command: tuple[str, ...] | None = None
    """What starts its process; None: it is in this one, or nowhere."""
    hello: Hello | None = None
    """What its child says of itself, or would say if this process were one."""
    reason: str = ""
    """Why it can run nowhere, and what would help."""
    stands_in: str = ""
    """What answers, where it is not the authors' code."""


def home_of(environment: str, part: str, needs: tuple[str, ...] = ()) -> Home:
    """The environment that was named or made, else this process, else why neither.

    `needs` are optional packages of the part that this instrument uses.
    """
    try:
        place = place_of(environment)
    except WorldGaugeError as error:
        return Home(reason=str(error))
    if place is None:
        hello = _here(part)
        missing = _missing(hello, needs)
        return Home(None, hello, f"{missing} is not installed; {how_to_make(environment)}" if missing else "")
    command = _command(place, PARTS / part)
    try:
        hello = _asked(command, environment, place.changed)
    except WorldGaugeError as error:
        return Home(command, reason=str(error))
    stands_in = hello.stands_in or (f"child of your own, {place.own_child.name}" if place.own_child else "")
    missing = _missing(hello, needs)
    where = f"{missing} is not in the environment of {place.python}; {how_to_make(environment)}"
    return Home(command, hello, where if missing else "", stands_in)


def _command(place: Place, part: Path) -> tuple[str, ...]:
    if place.own_child is not None:
        return str(place.python), str(place.own_child)
    # Isolated from our own packages too: no folder of ours is on its path.
    return str(place.python), "-I", str(child.__file__), str(part)


def _missing(hello: Hello, needs: tuple[str, ...]) -> str:
    """The first package that is not there; what a child does not report, it answers for itself."""
    wanted = {**hello.packages, **{name: hello.optional[name] for name in needs if name in hello.optional}}
    return next((name for name, version in wanted.items() if version is None), "")


@functools.lru_cache(maxsize=32)
def _asked(command: tuple[str, ...], name: str, changed: int) -> Hello:
    """What an environment holds, by its child's greeting; it is asked once in a process."""
    started = Child(command, name)
    started.stop()
    return started.hello


@functools.lru_cache(maxsize=32)
def _here(part: str) -> Hello:
    read = child.read_part(str(PARTS / part))
    packages, optional = child.packages_of(read), child.packages_of(read, "OPTIONAL")
    return Hello(".".join(map(str, sys.version_info[:3])), packages, optional=optional)
