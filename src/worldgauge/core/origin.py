"""Where the code of a definition came from: this package, `--include`, or another installed distribution."""

from __future__ import annotations

import functools
import importlib.metadata
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import ParamSpec, TypeVar

from worldgauge.core.manifest import ENTRY_POINT_GROUP, INCLUDED_PREFIX
from worldgauge.core.process_state import preserved_state

P = ParamSpec("P")
T = TypeVar("T")

_OWN = __name__.partition(".")[0]


def is_foreign(code: object) -> bool:
    """Whether a function or class was brought by `--include` or by another distribution's entry point.

    What a notebook or a script declares for itself is its own affair: it cannot be told apart from the caller.
    """
    package = _package(code)
    return package.startswith(INCLUDED_PREFIX) or package in _plug_in_packages()


def call_preserving(function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Call a function that may be a third party's; what such a one changes of the process is put back."""
    with preserved_state(lambda: origin_of(function)) if is_foreign(function) else nullcontext():
        return function(*arguments, **named)


def origin_of(code: object) -> str:
    """The file of code brought by `--include`, the package of a plug-in; empty for code of our own.

    >>> origin_of(is_foreign)
    ''
    """
    if not is_foreign(code):
        return ""
    package = _package(code)
    if not package.startswith(INCLUDED_PREFIX):
        return package
    file = Path(getattr(sys.modules.get(package), "__file__", None) or package)
    return file.parent.name if file.name == "__init__.py" else file.name


def _package(code: object) -> str:
    return str(getattr(code, "__module__", "")).partition(".")[0]


@functools.cache
def _plug_in_packages() -> frozenset[str]:
    points = importlib.metadata.entry_points(group=ENTRY_POINT_GROUP)
    return frozenset(point.module.partition(".")[0] for point in points) - {_OWN}
