"""The store: signal values under the digest of what was measured and how. A directory; no lock, no database.

It may rest on others by URL (`layers.py`): what it lacks is fetched from there, checked and kept.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar
from uuid import uuid4

import numpy as np

from worldgauge.core.errors import CannotWrite
from worldgauge.core.signal import Arrays
from worldgauge.core.user_folders import user_folder
from worldgauge.engine.device_kind import device_kind
from worldgauge.engine.entries import DAMAGED, Entry, Verdict, is_of, read_entry, verdict, whole_entry, write_entry
from worldgauge.engine.layers import Below, Layer, read_layers, store_at
from worldgauge.engine.places import Damaged

if TYPE_CHECKING:
    from worldgauge.engine.job import Setup

T = TypeVar("T")
_AT_ONCE = 8


def default_store() -> Path:
    """The store that WORLDGAUGE_STORE names, else the one in the user's cache folder."""
    named = os.environ.get("WORLDGAUGE_STORE", "")
    return store_at(named) if named else user_folder("", "store")


class Store:
    """Signals on disk, two-level fan-out. Writers replace whole files, so readers never see half of one."""

    def __init__(self, root: Path, device: str = "", exact: bool = False) -> None:
        """`device` is the kind this process computes on; `exact`: what a network made elsewhere is not good enough."""
        self.root = root
        self.device = device
        self.exact = exact

    @classmethod
    def of(cls, setup: Setup) -> Store:
        """The store of a job."""
        return cls(setup.store, device_kind(setup.device), setup.own_device)

    def path(self, key: str) -> Path:
        return self.root / key[:2] / f"{key[2:]}.npz"

    @cached_property
    def below(self) -> tuple[Below, ...]:
        """The stores this one rests on, the nearest first."""
        return tuple(map(Below, read_layers(self.root)))

    def has(self, key: str, device: str = "") -> bool:
        if device:
            return self.load(key, device) is not None
        return self.path(key).is_file() or any(below.has(_name(key)) for below in self.below)

    def load(self, key: str, device: str = "") -> Entry | None:
        """The entry, or None when there is none. A damaged file is dropped, so that it is computed again.

        With a `device` only an entry that was computed on that kind.
        """
        found = self._load_here(key)
        if found is not None and is_of(found, device):
            return found
        return self._fetch(key, device) if self.below else None

    def _load_here(self, key: str) -> Entry | None:
        path = self.path(key)
        try:
            found = read_entry(path)
            if verdict(key, found) == "damaged":
                raise ValueError("not what was stored")
            return found
        except (FileNotFoundError, PermissionError):
            # What somebody else keeps to himself is not there for us; it is computed again.
            return None
        except DAMAGED:
            self._drop(path)
            return None

    def _fetch(self, key: str, device: str = "") -> Entry | None:
        """An entry of a store below, kept here; what is not what its digest says is left where it is."""
        for below in self.below:
            data = below.read(_name(key))
            if data is None:
                continue
            entry = whole_entry(key, data)
            if entry is None:
                below.spoilt(_name(key))
            elif is_of(entry, device):
                self._write(self.path(key), partial(_fill, data))
                return entry
        return None

    def verify(self, key: str) -> Verdict:
        """Whether an entry still is what was stored under that key; if not, it is dropped.

        This finds damage and carelessness: values saved anew, files copied to another key. It is no seal: who writes
        an entry can write its digest too. Reading checks the same.
        """
        entry = self._load_here(key)
        return "damaged" if entry is None else verdict(key, entry)

    def save(self, key: str, arrays: Arrays, meta: dict[str, Any]) -> None:
        """Write an entry, complete or not at all; stores below that allow it get it too.

        The first complete one stays, but for one of another device that was refused.
        """
        before = self._load_here(key)
        if before is not None and is_of(before, str(meta.get("device", "")) if self.exact else ""):
            return
        arrays = {name: np.asarray(array) for name, array in arrays.items()}
        self._write(self.path(key), partial(write_entry, arrays, meta), over=before is not None)
        for below in self.below:
            below.offer(_name(key), self.path(key).read_bytes())

    def push(self, layer: Layer) -> int:
        """Bring what lies here and not there to a store below; how many entries that was."""
        there = set(layer.files.names())
        # What nobody would take from there is not brought.
        missing = [key for key in self.keys() if _name(key) not in there and self.verify(key) == "verified"]
        return sum(self._at_once(lambda key: layer.files.create(_name(key), self.path(key).read_bytes()), missing))

    def pull(self, layer: Layer) -> tuple[int, int]:
        """Fetch what lies in a store below and not here; how many entries that was, and how many were damaged."""
        keys = [name[:2] + name[3:].removesuffix(".npz") for name in layer.files.names() if name.endswith(".npz")]
        found = Counter(self._at_once(partial(self._pull_one, layer), (k for k in keys if not self.path(k).is_file())))
        return found["fetched"], found["damaged"]

    def _pull_one(self, layer: Layer, key: str) -> str:
        try:
            data = layer.files.read(_name(key))
        except Damaged:
            return "damaged"
        if data is None:
            return "gone"
        if whole_entry(key, data) is None:
            return "damaged"
        self._write(self.path(key), partial(_fill, data))
        return "fetched"

    @staticmethod
    def _at_once(call: Callable[[str], T], keys: Iterable[str]) -> list[T]:
        """Servers answer many at a time; the first error ends it."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return list(pool.map(call, keys))

    def _write(self, path: Path, fill: Callable[[BinaryIO], object], over: bool = True) -> None:
        """Under a temporary name, then renamed; not `over` one that has come to be meanwhile."""
        try:
            self._make_folder(path.parent)
            temporary = path.parent / f".partial-{uuid4().hex}"
            try:
                with temporary.open("xb") as stream:
                    fill(stream)
                self._share(temporary)
                if over or not _linked(temporary, path):
                    temporary.replace(path)
            finally:
                temporary.unlink(missing_ok=True)
        except OSError as error:
            raise CannotWrite(
                f"cannot write to the store {self.root} ({error.strerror})",
                "free space or choose another one with --store, then run the same command again",
            ) from error

    def _make_folder(self, folder: Path) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        try:
            folder.mkdir()
        except FileExistsError:
            return
        self._share(folder)

    def _share(self, made: Path) -> None:
        """In a store that belongs to a group (setgid, writable for it), what is made is the group's, whatever the umask
        says: else the second user could neither read an entry nor put one beside it."""
        root = self.root.stat().st_mode
        if not (root & stat.S_ISGID and root & stat.S_IWGRP):
            return
        mode = made.stat().st_mode
        if stat.S_ISDIR(mode):
            made.chmod(stat.S_IMODE(mode) | stat.S_ISGID | stat.S_IRWXG)
        else:
            made.chmod(stat.S_IMODE(mode) | stat.S_IRGRP | stat.S_IWGRP)

    @staticmethod
    def _drop(path: Path) -> None:
        # A store one may only read keeps it; it is not used all the same.
        with suppress(OSError):
            path.unlink()

    def keys(self) -> Iterator[str]:
        """Every key in the store."""
        for path in sorted(self.root.glob("??/*.npz")):
            if not path.name.startswith("."):
                yield path.parent.name + path.stem

    def leftovers(self) -> list[Path]:
        """Temporary files of writers that were killed."""
        return sorted(self.root.glob("??/.partial-*"))


def _linked(temporary: Path, path: Path) -> bool:
    """Whether a file has its name, or another one that we may read had it first; false where a file system has no
    links."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        return os.access(path, os.R_OK)
    except OSError:
        return False
    return True


def _fill(data: bytes, stream: BinaryIO) -> None:
    stream.write(data)


def _name(key: str) -> str:
    """An entry's file, as every store has it."""
    return f"{key[:2]}/{key[2:]}.npz"
