"""One child process and what passes between it and us, bounded in time, none of it believed without a look."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import signal
import subprocess
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, TypeVar

from numpy.typing import NDArray

from worldgauge.core.errors import Unscored, WorldGaugeError, one_line
from worldgauge.instruments.isolated import child

log = logging.getLogger(__name__)

START_SECONDS = 60.0
"""Until its greeting; it imports nothing heavy before."""
STOP_SECONDS = 3.0
"""It may take for its end, once asked."""
KEPT = 4096
"""Bytes of its error stream, the last ones."""
Expected = Mapping[str, tuple[str, tuple[int, ...]]]
"""Arrays of an answer: name to kind of number and shape."""
T = TypeVar("T")


class ChildFailed(WorldGaugeError):
    """A child gave no answer. Status `error`."""


class Refused(ChildFailed):
    """It lives, and said what went wrong."""


class Died(ChildFailed):
    """Its process ended."""


class Hung(ChildFailed):
    """It took too long, and was killed."""


class Lied(ChildFailed):
    """It sent what is not of the protocol, or not what was asked for, and was killed."""


@dataclass(frozen=True)
class Hello:
    """What a child says of itself before anything is loaded."""

    python: str
    packages: Mapping[str, str | None]
    """Distribution to version; None where it is not installed."""
    stands_in: str = ""
    """What it is, where it is not the authors' code that answers: `test double`."""
    optional: Mapping[str, str | None] = field(default_factory=dict)
    """The same for what only some settings need; a program of the user's own need not report it."""


class Child:
    """A process that speaks the protocol of `child.py`."""

    def __init__(self, command: Sequence[str], name: str) -> None:
        """Start it and hear its greeting. `name` is for error lines."""
        self.name = name
        try:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_surroundings(),
                start_new_session=os.name == "posix",
            )
        except OSError as error:
            raise Died(f"{name}: its process cannot be started ({error})") from error
        self._end = weakref.finalize(self, _kill, self._process)
        self._errors = _Errors(self._process)
        self._number = 0
        try:
            self.hello = self._within(START_SECONDS, self._greeted, "its greeting")
        except WorldGaugeError:
            self._end()
            raise

    def load(self, files: Mapping[str, str], settings: Mapping[str, Any], device: str, seconds: float) -> None:
        """Have it load its network; what it remarks about the files is logged."""
        header = {"kind": "load", "files": dict(files), "settings": dict(settings), "device": device}
        ready, _ = self._within(seconds, lambda: self._exchanged(header, {}, "ready", {}), "loading")
        remarks = ready.get("remarks", [])
        for remark in remarks if isinstance(remarks, list) else ():
            log.warning("%s: %s", self.name, one_line(str(remark)))

    def ask(
        self, arrays: Mapping[str, NDArray[Any]], options: Mapping[str, Any], expected: Expected, seconds: float
    ) -> dict[str, NDArray[Any]]:
        """Its answer, which has exactly the expected arrays; `Unscored` where it could not decide."""
        header = {"kind": "ask", "options": dict(options)}
        return self._within(seconds, lambda: self._exchanged(header, arrays, "answer", expected), "an answer")[1]

    def stop(self) -> None:
        """Ask it to end, and see to it that it does: its memory is free then."""
        with contextlib.suppress(OSError, ChildFailed):
            self._within(STOP_SECONDS, self._asked_to_end, "its end")
        self._end()

    def _asked_to_end(self) -> None:
        assert self._process.stdin is not None
        child.send(self._process.stdin, {"kind": "stop"})
        self._process.wait()

    @property
    def pid(self) -> int:
        return self._process.pid

    def _greeted(self) -> Hello:
        header = self._heard("hello", {})[0]
        if header.get("protocol") != child.PROTOCOL:
            raise Lied(f"{self.name}: its process speaks protocol {header.get('protocol')}, not {child.PROTOCOL}")
        packages, stands_in = header.get("packages"), header.get("stands_in", "")
        optional = header.get("optional", {})
        if not (isinstance(packages, dict) and isinstance(optional, dict) and isinstance(stands_in, str)):
            raise Lied(f"{self.name}: the greeting of its process does not tell its packages")
        return Hello(str(header.get("python", "")), packages, stands_in, optional)

    def _exchanged(
        self, header: dict[str, Any], arrays: Mapping[str, NDArray[Any]], answer: str, expected: Expected
    ) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        assert self._process.stdin is not None
        self._number += 1
        with contextlib.suppress(OSError):
            # Where it is gone, what it has said before tells more than the broken pipe.
            child.send(self._process.stdin, {**header, "number": self._number}, dict(arrays))
        told, found = self._heard(answer, expected)
        if told.get("number") != self._number:
            raise Lied(f"{self.name}: its process answers {told.get('number')}, asked was {self._number}")
        return told, found

    def _heard(self, wanted: str, expected: Expected) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        stream = self._process.stdout
        assert stream is not None
        try:
            header = child.receive_header(stream)
            if header is None:
                raise self._died()
            if header["kind"] == "failed":
                raise Refused(f"{self.name}: {header.get('message')}")
            if header["kind"] == "unscored":
                raise Unscored(f"{self.name}: {header.get('message')}")
            if header["kind"] != wanted:
                raise Lied(f"{self.name}: its process says '{header['kind']}' where '{wanted}' was due")
            # Before a byte of them is read: a shape may be any number.
            shapes = {name: (kind, tuple(shape)) for name, kind, shape in header["arrays"]}
            if shapes != dict(expected):
                raise Lied(f"{self.name}: its process sends {_in_words(shapes)}, not {_in_words(expected)}")
            return header, child.receive_arrays(stream, header)
        except child.Garbled as error:
            raise Lied(
                f"{self.name}: what its process sends is no message: {error}{self._errors.last_words()}"
            ) from error

    def _within(self, seconds: float, work: Callable[[], T], due: str) -> T:
        """What `work` gives, in time; else the child is killed. A pipe may be held open by anybody, so the waiting is
        done in a thread that can be left behind."""
        box: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()

        def run() -> None:
            try:
                box.put((True, work()))
            except Exception as error:  # noqa: BLE001  raised again in the thread that waits
                box.put((False, error))

        threading.Thread(target=run, daemon=True).start()
        try:
            done, found = box.get(timeout=seconds)
        except queue.Empty:
            self._end()
            raise Hung(f"{self.name}: {due} took longer than {seconds:g} s; its process was ended") from None
        if not done:
            if isinstance(found, (Died, Lied)):
                self._end()
            raise found
        answer: T = found
        return answer

    def _died(self) -> Died:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_SECONDS)
        self._errors.ended()
        return Died(f"{self.name}: its process ended{_how(self._process.returncode)}{self._errors.last_words()}")


class _Errors:
    """The end of a process's error stream. It does not know the child, which can go while the stream is open."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._tail = b""
        self._thread = threading.Thread(target=self._keep, args=(process.stderr,), daemon=True)
        self._thread.start()

    def _keep(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError), stream:
            while chunk := os.read(stream.fileno(), KEPT):
                self._tail = (self._tail + chunk)[-KEPT:]

    def ended(self) -> None:
        """Wait a moment for what a dead process has written."""
        self._thread.join(1.0)

    def last_words(self) -> str:
        lines = self._tail.decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"; it wrote last: {last[-300:]}" if last else ""


def _surroundings() -> dict[str, str]:
    """Ours, without what would lead another Python to our packages; no package of it goes to the network."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    return {**kept, "PYTHONNOUSERSITE": "1", "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        if os.name == "posix" and process.poll() is None:
            # With all that it has started.
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(STOP_SECONDS)


def _how(code: int | None) -> str:
    """
    >>> _how(3), _how(-9), _how(None)
    (' with code 3', ' by SIGKILL', '')
    """
    if code is None:
        return ""
    with contextlib.suppress(ValueError):
        return f" by {signal.Signals(-code).name}"
    return f" with code {code}"


def _in_words(arrays: Expected) -> str:
    """
    >>> _in_words({"poses": ("<f8", (3, 4, 4))})
    'poses <f8 3x4x4'
    """
    parts = (f"{name} {kind} {'x'.join(map(str, shape))}" for name, (kind, shape) in arrays.items())
    return ", ".join(parts) or "nothing"
