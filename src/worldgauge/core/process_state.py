"""What a process shares with the code of third parties that runs in it, and puts back after each of their calls.

The working directory, the umask and the environment belong to the whole process: a plug-in that changes one of them
would send the records of all others to another folder, or make their videos unreadable.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import ParamSpec, TypeVar

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")
_STATUS = Path("/proc/self/status")


class ProcessState:
    """The working directory, the umask and the environment as they are when it is made."""

    def __init__(self) -> None:
        self._folder = _folder()
        self._umask = _umask()
        self._mapping = os.environ
        self._names = frozenset(os.environ)
        self._environ = _environ()

    def restore(self) -> tuple[str, ...]:
        """Put back what differs by now; the names of what did."""
        changes = (
            ("working directory", self._restore_folder()),
            ("umask", os.umask(self._umask) != self._umask),
            ("environment", self._restore_environ()),
        )
        return tuple(name for name, changed in changes if changed)

    def _restore_folder(self) -> bool:
        if self._folder is None or _folder() == self._folder:
            return False
        # A folder that is no longer there cannot be entered; paths that were read before are absolute.
        with suppress(OSError):
            os.chdir(self._folder)
        return True

    def _restore_environ(self) -> bool:
        replaced = os.environ is not self._mapping
        os.environ = self._mapping  # noqa: B003  a plug-in may have put another object there
        now = _environ()
        if now == self._environ:
            return replaced
        for raw in {name for name in {*now, *self._environ} if now.get(name) != self._environ.get(name)}:
            with suppress(OSError, ValueError):
                self._put_back(os.fsdecode(raw), self._environ.get(raw))
        for name in self._mapping.keys() - self._names:
            del self._mapping[name]
        return True

    def _put_back(self, name: str, value: bytes | None) -> None:
        """Into both places: `os.environ` need not know what the C library has."""
        if value is None:
            self._mapping.pop(name, None)
            os.unsetenv(name)
        elif name in self._names:
            self._mapping[name] = os.fsdecode(value)
        else:
            os.putenv(name, os.fsdecode(value))


class _StateGuard:
    """Keeps the state while code of third parties runs, in several threads at once and one inside the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._state: ProcessState | None = None
        self._named: set[str] = set()

    @contextmanager
    def foreign(self, who: Callable[[], str]) -> Iterator[None]:
        with self._lock:
            state = self._state = self._state if self._inside and self._state is not None else ProcessState()
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                changed = state.restore()
            if changed and (name := who()) not in self._named:
                self._named.add(name)
                log.warning("%s changed the %s of the process: put back", name, ", ".join(changed))


_GUARD = _StateGuard()
"""One, since there is one process: where threads run foreign code at once, what counts is how it was when none did."""


def preserved_state(who: str | Callable[[], str]) -> AbstractContextManager[None]:
    """Run code of third parties inside: what it changes of the process is put back.

    `who` names it in a warning, once.
    """
    return _GUARD.foreign((lambda: who) if isinstance(who, str) else who)


def preserving_state(function: Callable[P, T], who: str) -> Callable[P, T]:
    """The same function of a third party; what it changes of the process is put back."""

    @functools.wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> T:
        with preserved_state(who):
            return function(*arguments, **named)

    return call


def preserve_in_methods(kind: type) -> None:
    """Let every method and property that a third party's class defines put back what it changes of the process."""
    who = f"{kind.__module__}.{kind.__qualname__}"
    for name, member in list(vars(kind).items()):
        if inspect.isfunction(member):
            setattr(kind, name, preserving_state(member, who))
        elif isinstance(member, property) and member.fget is not None:
            setattr(kind, name, property(preserving_state(member.fget, who), member.fset, member.fdel))


def _folder() -> str | None:
    """The working directory; None where it was removed."""
    try:
        return str(Path.cwd())
    except OSError:
        return None


def _umask() -> int:
    """The umask, without changing it where the system has it in a file: other threads may be writing."""
    try:
        content = _STATUS.read_bytes()
        return int(content.partition(b"\nUmask:")[2].split(None, 1)[0], 8)
    except (OSError, ValueError, IndexError):
        umask = os.umask(0o077)
        os.umask(umask)
        return umask


def _environ() -> dict[bytes, bytes]:
    """What child processes get: `os.putenv` and the C library change it without `os.environ` noticing."""
    variable = _native_environ()
    if variable is None:
        return {os.fsencode(name): os.fsencode(value) for name, value in os.environ.items()}
    entries: dict[bytes, bytes] = {}
    number = 0
    # The pointer itself is null after `clearenv`.
    while variable and (entry := variable[number]) is not None:
        name, _, value = entry.partition(b"=")
        entries[name] = value
        number += 1
    return entries


@functools.cache
def _native_environ() -> ctypes._Pointer[ctypes.c_char_p] | None:
    """The C library's own list; None on systems that do not show it."""
    try:
        return ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
    except (OSError, ValueError, TypeError):
        return None
