"""Tables that packages bring as files, named in their manifests, seen as one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from worldgauge.core.errors import WorldGaugeError

Entry = TypeVar("Entry")


def united(files: Iterable[Path], read: Callable[[Path, int], Mapping[str, Entry]], what: str) -> dict[str, Entry]:
    """Every entry of every file, by name; `read` also gets the time of the last change, so that it may keep a file.

    A name that two packages give is refused.
    """
    found: dict[str, Entry] = {}
    for file in files:
        for name, entry in read(file, file.stat().st_mtime_ns if file.is_file() else 0).items():
            if name in found:
                raise WorldGaugeError(f"{file}: {what} '{name}' stands in another package's table too", "rename one")
            found[name] = entry
    return found
