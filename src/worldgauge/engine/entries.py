"""An entry of a store as a file: arrays, what is said about them, and the digest of both."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np

from worldgauge.core.canonical import digest_of
from worldgauge.core.signal import Arrays
from worldgauge.core.undisturbed import undisturbed

_META = "__meta__"
_CONTENT = "content"
"""In an entry's meta: the digest of everything else in it. Entries of older versions have none."""

_SMALL, _GROWTH = 64 * 2**20, 16
"""Bytes, and times its own size, that an entry may take in memory."""

Verdict = Literal["verified", "unverified", "damaged"]

DAMAGED = (zipfile.BadZipFile, ValueError, KeyError, EOFError, OSError)
"""What reading a file raises that is no entry."""


@dataclass(frozen=True)
class Entry:
    """A stored value, or the reason why the instrument could not decide."""

    arrays: Arrays
    unscored: str | None
    code: str
    """Of that reason, where it has one."""
    meta: dict[str, Any]
    """`identity` (the key's content), `signal`, `seconds`, `device` (where it was computed; absent in those of older
    versions), `content` (digest of all the rest)."""


def write_entry(arrays: Arrays, meta: Mapping[str, Any], stream: BinaryIO) -> None:
    packed = np.frombuffer(json.dumps({**meta, _CONTENT: _digest(arrays, meta)}).encode(), np.uint8)
    np.savez(stream, **{**arrays, _META: packed})  # type: ignore[arg-type]


@undisturbed
def read_entry(file: Path | io.BytesIO) -> Entry:
    if isinstance(file, io.BytesIO):
        file.seek(0)
    with np.load(file, allow_pickle=False) as archive:
        _check_size(archive.zip, file)
        arrays = {name: archive[name] for name in archive.files}
    meta = json.loads(arrays.pop(_META).tobytes())
    return Entry(arrays, meta.get("unscored"), meta.get("code", ""), meta)


def _check_size(archive: zipfile.ZipFile, file: Path | io.BytesIO) -> None:
    """Entries are written as they are in memory. What unpacks to many times its size is none of ours."""
    packed = file.getbuffer().nbytes if isinstance(file, io.BytesIO) else file.stat().st_size
    if sum(member.file_size for member in archive.infolist()) > _SMALL + _GROWTH * packed:
        raise ValueError("unpacks to more than an entry can hold")


def whole_entry(key: str, data: bytes) -> Entry | None:
    """An entry that came from elsewhere; None where it is not what its digest says."""
    try:
        entry = read_entry(io.BytesIO(data))
    except DAMAGED:
        return None
    return entry if verdict(key, entry) == "verified" else None


def is_of(entry: Entry, device: str) -> bool:
    """Whether an entry was computed on that kind of device, where one is asked for."""
    return not device or entry.meta.get("device") == device


def verdict(key: str, entry: Entry) -> Verdict:
    """Whether an entry is what was stored under a key."""
    meta = dict(entry.meta)
    stated = meta.pop(_CONTENT, None)
    if "identity" in meta and digest_of(meta["identity"]) != key:
        return "damaged"
    if stated is None:
        return "unverified"
    return "verified" if stated == _digest(entry.arrays, meta) else "damaged"


def _digest(arrays: Arrays, meta: Mapping[str, Any]) -> str:
    """Digest of all that an entry holds: names, types, shapes and bytes of the arrays, and what is said about them."""
    content = hashlib.sha256(json.dumps(meta, sort_keys=True).encode())
    for name, array in sorted(arrays.items()):
        content.update(f"{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        content.update(np.ascontiguousarray(array).tobytes())
    return content.hexdigest()
