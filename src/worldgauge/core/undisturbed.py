"""Guard against a fault of Python 3.11: where two threads parse at once, one may fail though nothing is wrong.

Its parser counts depth for all threads together and raises `SystemError` where another one got in between. Headers of
numpy's files are parsed as Python text, so reading arrays can fail that way too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
TIMES = 50
"""Attempts before it is an error after all."""


def undisturbed(function: Callable[P, T]) -> Callable[P, T]:
    """The same function, which parses and can be called again, called again where another thread disturbed it."""

    @functools.wraps(function)
    def again(*arguments: P.args, **named: P.kwargs) -> T:
        for _ in range(TIMES - 1):
            try:
                return function(*arguments, **named)
            except SystemError:
                continue
        return function(*arguments, **named)

    return again
