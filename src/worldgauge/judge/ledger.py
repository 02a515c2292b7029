"""The ledger of a run: one line for every attempt, with its usage, its price and what came back."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from worldgauge.core.errors import CannotWrite
from worldgauge.core.reading import read_lines

FILE_NAME = "judge.jsonl"


class Attempt(BaseModel):
    """One call, as it is written down."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    schema_version: Literal[1] = 1
    time: float
    """Unix time when the call began."""
    seconds: float
    about: str
    """What was asked about: the case, and the names of the questions."""
    question: str
    """Digest of everything that was asked."""
    repair: int = 0
    """How many replies to it could not be used before."""
    outcome: str
    """`replied`, `refused`, `cut off` (by the limit of tokens), or what went wrong: 429, 500, cut, ..."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    thoughts: int | None = None
    """Of `tokens_out`, where the provider reports them."""
    cost: float | None = None
    """Null where nobody told: then at most `reserved`."""
    reserved: float = 0.0
    model: str = ""
    """Who answered, as the provider tells it."""
    raw: str = ""
    """The reply, or the reason why there is none."""


class SentBatch(BaseModel):
    """A batch of questions that a provider was sent, or that is done with, as it is written down."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    schema_version: Literal[1] = 1
    time: float
    batch: str
    """As the provider calls it."""
    state: Literal["sent", "done"]
    """Done: its lines were handed over, and are stored as answers or were asked without a batch."""
    lines: tuple[str, ...] = ()
    """Names of the questions that this is about."""


class Ledger:
    """Appends attempts to the run folder; whole lines, from many threads."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self._lock = threading.Lock()
        try:
            self._file = self.path.open("a+b", buffering=0)
            size = self._file.seek(0, os.SEEK_END)
            if size:
                self._file.seek(size - 1)
                # A line that was torn by a kill ends here; readers leave it out.
                if self._file.read(1) != b"\n":
                    self._file.write(b"\n")
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def note(self, attempt: Attempt | SentBatch) -> None:
        line = attempt.model_dump_json(exclude_defaults=True).encode("utf-8", "backslashreplace") + b"\n"
        with self._lock:
            if self._file.closed:
                # A call that outlived its run.
                return
            try:
                self._file.write(line)
            except OSError as error:
                raise _unwritable(self.path, error) from error

    def close(self) -> None:
        with self._lock:
            self._file.close()


def read_ledger(folder: Path) -> Iterator[Attempt]:
    """The attempts of a run, torn lines left out; none where no judge was asked."""
    file = folder / FILE_NAME
    if not file.is_file():
        return
    for _, line in read_lines(file):
        try:
            content: Any = json.loads(line)
            yield Attempt.model_validate(content)
        except ValueError:
            continue


def join_ledgers(folders: Iterable[Path], out: Path) -> None:
    """The lines of several ledgers in one, folder after folder; no file where no judge was asked."""
    lines = [
        line.rstrip(b"\n") + b"\n"
        for folder in folders
        for file in (folder / FILE_NAME,)
        for _, line in (read_lines(file) if file.is_file() else ())
    ]
    if lines:
        (out / FILE_NAME).write_bytes(b"".join(lines))


def open_batches(folder: Path) -> list[SentBatch]:
    """Batches that were sent, with the lines that are not done with."""
    found: dict[str, SentBatch] = {}
    file = folder / FILE_NAME
    for _, line in read_lines(file) if file.is_file() else ():
        try:
            batch = SentBatch.model_validate(json.loads(line))
        except ValueError:
            continue
        if batch.state == "sent":
            found[batch.batch] = batch
        elif before := found.get(batch.batch):
            left = tuple(name for name in before.lines if name not in set(batch.lines))
            found[batch.batch] = before.model_copy(update={"lines": left})
    return [batch for batch in found.values() if batch.lines]


def _unwritable(path: Path, error: OSError) -> CannotWrite:
    return CannotWrite(f"cannot write {path} ({error.strerror})", "free space, then run the same command again")
