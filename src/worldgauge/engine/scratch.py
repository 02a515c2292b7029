"""Large values while a case is worked on: in memory up to a size, else in files that go with the case."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.device_arrays import as_array
from worldgauge.core.errors import CannotWrite
from worldgauge.core.frozen import freeze
from worldgauge.core.signal import Arrays
from worldgauge.core.undisturbed import undisturbed

IN_MEMORY = 512 * 2**20
"""Bytes of one value that stay in memory."""
FOLDER = "scratch"
"""In the store's folder."""


class Held:
    """Stacks of rows, each under its names, that can be gone through again and again."""

    def __init__(
        self, stacks: Sequence[Arrays] | None = None, arrays: Mapping[str, NDArray[Any]] | None = None
    ) -> None:
        """The stacks as they came, or all of them joined; row k of all arrays belongs together."""
        self._stacks = stacks
        self._arrays = arrays

    def __iter__(self) -> Iterator[Arrays]:
        if self._stacks is not None:
            yield from self._stacks
        elif self._arrays:
            for k in range(len(next(iter(self._arrays.values())))):
                yield {name: array[k : k + 1] for name, array in self._arrays.items()}

    @property
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """All rows under each name."""
        if self._stacks is None:
            return self._arrays or {}
        names = self._stacks[0] if self._stacks else {}
        return {name: np.concatenate([as_array(stack[name]) for stack in self._stacks]) for name in names}


class Scratch:
    """A place for values that several signals read and nobody keeps, and for those that wait for a later pass."""

    def __init__(self, folder: Path, in_memory: int = IN_MEMORY) -> None:
        self._folder = folder
        self._in_memory = in_memory

    def hold(self, stacks: Iterable[Arrays]) -> Held:
        """All stacks. Beyond the limit they lie in unnamed files, which are gone with the value."""
        found: list[Arrays] = []
        columns: dict[str, _Column] | None = None
        size = 0
        for stack in stacks:
            size += sum(rows.nbytes for rows in stack.values())
            if columns is None and size > self._in_memory:
                columns = {name: _Column(self._folder, as_array(rows)) for name, rows in stack.items()}
                while found:
                    _append(columns, found.pop(0))
            if columns is None:
                found.append(freeze(dict(stack)))
            else:
                _append(columns, stack)
        if columns is None:
            return Held(found)
        return Held(arrays={name: column.mapped() for name, column in columns.items()})

    def has(self, key: str) -> bool:
        return (self._folder / key).is_dir()

    def save(self, key: str, arrays: Arrays) -> None:
        """Write a value down for a later pass, whole or not at all."""
        partial = self._folder / f".{key}.partial"
        try:
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir(parents=True)
            for name, array in arrays.items():
                np.save(partial / f"{name}.npy", array, allow_pickle=False)
            partial.replace(self._folder / key)
        except OSError as error:
            if self.has(key):
                return
            raise _cannot_write(self._folder, error) from error

    @undisturbed
    def load(self, key: str) -> dict[str, NDArray[Any]]:
        """The value, mapped from its files."""
        return {
            file.stem: np.load(file, mmap_mode="r", allow_pickle=False)
            for file in sorted((self._folder / key).glob("*.npy"))
        }

    def drop(self, keys: Iterable[str]) -> None:
        """Remove what no later pass needs."""
        for key in keys:
            shutil.rmtree(self._folder / key, ignore_errors=True)

    def clear(self) -> None:
        """Remove everything."""
        shutil.rmtree(self._folder, ignore_errors=True)


class _Column:
    """Rows under one name in an unnamed file."""

    def __init__(self, folder: Path, example: NDArray[Any]) -> None:
        self._folder, self._kind, self._shape = folder, example.dtype, example.shape[1:]
        self._rows = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file: IO[bytes] = tempfile.TemporaryFile(dir=folder, prefix="rows-")  # noqa: SIM115  see `mapped`
        except OSError as error:
            raise _cannot_write(folder, error) from error

    def append(self, stack: NDArray[Any]) -> None:
        try:
            self._file.write(np.ascontiguousarray(stack).data)
        except OSError as error:
            raise _cannot_write(self._folder, error) from error
        self._rows += len(stack)

    def mapped(self) -> NDArray[Any]:
        """All rows; the file goes with the array."""
        with self._file as file:
            file.flush()
            found: NDArray[Any] = np.memmap(file, self._kind, "r", shape=(self._rows, *self._shape))
        return found


def _append(columns: Mapping[str, _Column], stack: Arrays) -> None:
    for name, rows in stack.items():
        columns[name].append(as_array(rows))


def _cannot_write(folder: Path, error: OSError) -> CannotWrite:
    return CannotWrite(f"cannot write to {folder} ({error.strerror})", "free space, or choose another --store")
