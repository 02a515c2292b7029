"""A network that lives in a child process: started when it is needed, started again after a crash, not for ever."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from worldgauge.instruments.isolated.process import (
    Child,
    ChildFailed,
    Died,
    Expected,
    Hello,
    Hung,
    Lied,
    Refused,
)

ATTEMPTS = 2
"""At one clip, where the process ends while it is at it. What hangs or lies is not asked the same again."""
GIVE_UP = 3
"""Clips in a row without an answer, after which no process is started any more."""


class NotLoaded(ChildFailed):
    """A child lives and cannot load its network."""


class IsolatedNetwork:
    """Asked like a network of this process. One child at a time; threads wait for one another."""

    def __init__(
        self,
        command: Sequence[str],
        name: str,
        hello: Hello,
        load: tuple[Mapping[str, str], Mapping[str, Any], str],
        seconds: float,
    ) -> None:
        """`hello` is what stands in the keys; `load`: files, settings and device; `seconds` for loading or a clip."""
        self._command, self._name, self._hello = tuple(command), name, hello
        self._load, self._seconds = load, seconds
        self._child: Child | None = None
        self._failed = 0
        self._why = ""
        self._lock = threading.Lock()
        self.starts = 0

    def answer(
        self, arrays: Mapping[str, NDArray[Any]], options: Mapping[str, Any], expected: Expected
    ) -> dict[str, NDArray[Any]]:
        """The child's answer. `ChildFailed` says in one line what happened to it."""
        with self._lock:
            if self._failed >= GIVE_UP:
                raise ChildFailed(f"{self._name}: given up after {GIVE_UP} clips without an answer; last {self._why}")
            try:
                found = self._asked(arrays, options, expected)
            except Refused:
                # It lives and may do better at the next clip.
                raise
            except ChildFailed as error:
                self._failed += 1
                self._why = error.message
                raise
            self._failed = 0
            return found

    def _asked(
        self, arrays: Mapping[str, NDArray[Any]], options: Mapping[str, Any], expected: Expected
    ) -> dict[str, NDArray[Any]]:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._ready().ask(arrays, options, expected, self._seconds)
            except Died:
                self._drop()
                if attempt == ATTEMPTS:
                    raise
            except (Hung, Lied):
                self._drop()
                raise
        raise AssertionError("a clip has at least one attempt")

    def _ready(self) -> Child:
        if self._child is None:
            self.starts += 1
            child = Child(self._command, self._name)
            if child.hello != self._hello:
                child.stop()
                raise Lied(f"{self._name}: the packages of its environment changed during the run")
            self._child = child
            try:
                child.load(*self._load, self._seconds)
            except Refused as error:
                self._drop()
                raise NotLoaded(error.message) from error
        return self._child

    def _drop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.stop()

    def stop(self) -> None:
        """End the process; its memory, on a GPU too, is free then."""
        with self._lock:
            self._drop()
