"""Digests of files, taken anew only where a file may have changed: size, times and inode are looked at first."""

from __future__ import annotations

import hashlib
import stat
import time
from collections.abc import Mapping
from pathlib import Path

from worldgauge.core.errors import WorldGaugeError

Facts = tuple[int, int, int, int]
"""Size, time of the last change of content and of the entry (nanoseconds), inode."""

_SETTLED_NS = 2_000_000_000
"""A file may change twice within one tick of its clock, so what was read this soon after a change is read again."""

_SMALL = 16 * 2**20
"""Bytes that are read at once: a frame, say."""

_known: dict[str, tuple[Facts, str]] = {}


def digest_file(path: Path) -> str:
    """sha256 of a file's bytes, as hexadecimal. A pipe or a device is refused: reading one may never end."""
    facts = _facts(path)
    name = str(path.absolute())
    if name in _known and _known[name][0] == facts:
        return _known[name][1]
    if facts[0] <= _SMALL:
        # In one piece: where many threads read, each pause is a turn at the interpreter that others may take.
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    else:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if time.time_ns() - max(facts[1], facts[2]) > _SETTLED_NS:
        _known[name] = facts, digest
    else:
        _known.pop(name, None)
    return digest


def unchanged(path: Path) -> tuple[Facts, str] | None:
    """What this process knows of a file that is as it was then; the file is looked at once and not opened."""
    known = known_digest(path)
    try:
        return known if known is not None and _facts(path) == known[0] else None
    except (WorldGaugeError, OSError):
        return None


def known_digest(path: Path) -> tuple[Facts, str] | None:
    """What this process knows about one file."""
    return _known.get(str(path.absolute()))


def known_digests() -> dict[str, tuple[Facts, str]]:
    """What this process knows, by absolute path."""
    return dict(_known)


def remember_digests(known: Mapping[str, tuple[Facts, str]]) -> None:
    """Take over what an earlier process knew; a file whose facts differ by now is read again."""
    _known.update(known)


def _facts(path: Path) -> Facts:
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise WorldGaugeError(f"{path} is not a regular file", "replace it by a file")
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino
