"""The store: signal values under the digest of what was measured and how. A directory; no lock, no database."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.core.errors import CannotWrite
from worldgauge.core.signal import Arrays

_META = "__meta__"


def default_store() -> Path:
    """The store that WORLDGAUGE_STORE names, else the one in the user's cache folder."""
    named = os.environ.get("WORLDGAUGE_STORE")
    if named:
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("worldgauge") / "store"


@dataclass(frozen=True)
class Entry:
    """A stored value, or the reason why the instrument could not decide."""

    arrays: Arrays
    unscored: str | None
    meta: dict[str, Any]
    """`identity` (the key's content), `signal`, `seconds`, `megapixels`."""


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
        except FileNotFoundError:
            return None
        except (zipfile.BadZipFile, ValueError, KeyError, EOFError, OSError):
            path.unlink(missing_ok=True)
            return None
        return Entry(arrays, meta.get("unscored"), meta)

    def save(self, key: str, arrays: Arrays, meta: dict[str, Any]) -> None:
        """Write under a temporary name, then rename: complete or not at all."""
        path = self.path(key)
        packed = np.frombuffer(json.dumps(meta).encode(), np.uint8)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".partial-")
            try:
                with os.fdopen(handle, "wb") as stream:
                    np.savez(stream, **{**arrays, _META: packed})  # type: ignore[arg-type]
                os.replace(temporary, path)  # noqa: PTH105  both names are strings here
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise CannotWrite(
                f"cannot write to the store {self.root} ({error.strerror})",
                "free space or choose another one with --store, then run the same command again",
            ) from error

    def keys(self) -> Iterator[str]:
        """Every key in the store."""
        for path in sorted(self.root.glob("??/*.npz")):
            if not path.name.startswith("."):
                yield path.parent.name + path.stem

    def leftovers(self) -> list[Path]:
        """Temporary files of writers that were killed."""
        return sorted(self.root.glob("??/.partial-*"))
