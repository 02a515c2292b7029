"""The store: signal values under the digest of what was measured and how. A directory; no lock, no database."""

from __future__ import annotations

import hashlib
import json
import stat
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import numpy as np

from worldgauge.core.canonical import digest_of
from worldgauge.core.errors import CannotWrite
from worldgauge.core.signal import Arrays
from worldgauge.core.user_folders import user_folder

_META = "__meta__"
_CONTENT = "content"
"""In an entry's meta: the digest of everything else in it. Entries of older versions have none."""

Verdict = Literal["verified", "unverified", "damaged"]


def default_store() -> Path:
    """The store that WORLDGAUGE_STORE names, else the one in the user's cache folder."""
    return user_folder("WORLDGAUGE_STORE", "store")


@dataclass(frozen=True)
class Entry:
    """A stored value, or the reason why the instrument could not decide."""

    arrays: Arrays
    unscored: str | None
    code: str
    """Of that reason, where it has one."""
    meta: dict[str, Any]
    """`identity` (the key's content), `signal`, `seconds`, `content` (digest of all the rest)."""


class Store:
    """Signals on disk, two-level fan-out. Writers replace whole files, so readers never see half of one."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, key: str) -> Path:
        return self.root / key[:2] / f"{key[2:]}.npz"

    def has(self, key: str) -> bool:
        return self.path(key).is_file()

    def load(self, key: str) -> Entry | None:
        """The entry, or None when there is none. A damaged file is dropped, so that it is computed again."""
        path = self.path(key)
        try:
            with np.load(path, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
            meta = json.loads(arrays.pop(_META).tobytes())
        except (FileNotFoundError, PermissionError):
            # What somebody else keeps to himself is not there for us; it is computed again.
            return None
        except (zipfile.BadZipFile, ValueError, KeyError, EOFError, OSError):
            self._drop(path)
            return None
        return Entry(arrays, meta.get("unscored"), meta.get("code", ""), meta)

    def verify(self, key: str) -> Verdict:
        """Whether an entry still is what was stored under that key; if not, it is dropped.

        This finds damage and carelessness: values saved anew, files copied to another key. It is no seal: who writes
        an entry can write its digest too. Reading alone does not check, the file format finds flipped bytes itself.
        """
        entry = self.load(key)
        if entry is None:
            return "damaged"
        stated = entry.meta.pop(_CONTENT, None)
        own_key = digest_of(entry.meta["identity"]) == key if "identity" in entry.meta else True
        if own_key and stated is None:
            return "unverified"
        if own_key and stated == _digest(entry.arrays, entry.meta):
            return "verified"
        self._drop(self.path(key))
        return "damaged"

    def save(self, key: str, arrays: Arrays, meta: dict[str, Any]) -> None:
        """Write under a temporary name, then rename: complete or not at all."""
        path = self.path(key)
        arrays = {name: np.asarray(array) for name, array in arrays.items()}
        packed = np.frombuffer(json.dumps({**meta, _CONTENT: _digest(arrays, meta)}).encode(), np.uint8)
        try:
            self._make_folder(path.parent)
            temporary = path.parent / f".partial-{uuid4().hex}"
            try:
                with temporary.open("xb") as stream:
                    np.savez(stream, **{**arrays, _META: packed})  # type: ignore[arg-type]
                self._share(temporary)
                temporary.replace(path)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
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


def _digest(arrays: Arrays, meta: Mapping[str, Any]) -> str:
    """Digest of all that an entry holds: names, types, shapes and bytes of the arrays, and what is said about them."""
    content = hashlib.sha256(json.dumps(meta, sort_keys=True).encode())
    for name, array in sorted(arrays.items()):
        content.update(f"{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        content.update(np.ascontiguousarray(array).tobytes())
    return content.hexdigest()
