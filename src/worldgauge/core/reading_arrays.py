"""npy and npz files, checked before memory is taken: no pickles, plain types, sizes as the header and the file agree.

A header may claim any number of elements and an archive any size; both are compared with a limit first.
"""

from __future__ import annotations

import lzma
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import check_file
from worldgauge.core.undisturbed import undisturbed

ARRAY_LIMIT = 256 * 2**20
"""Bytes of one array, unless the reader says otherwise."""
MEMBERS_LIMIT = 1000
"""Arrays in one archive."""
WHOLE = 4
"""Times the limit of one array that all of an archive may take, where a reader has no other limit."""
NUMBERS = "biuf"
"""Kinds of numpy types that are numbers: booleans, integers, floats."""
NUMBERS_AND_TEXT = "biufUS"

_DAMAGED = (
    ValueError, EOFError, OSError, KeyError, TypeError, SyntaxError, OverflowError, MemoryError, RecursionError,
    NotImplementedError, RuntimeError, AttributeError, IndexError, struct.error, tokenize.TokenError,
    zipfile.BadZipFile, zlib.error, lzma.LZMAError,
)  # fmt: skip
"""What numpy and zipfile raise over files that are not what they seem."""


class Archive(Mapping[str, NDArray[Any]]):
    """The arrays of an npz file by name; each is read when it is asked for."""

    def __init__(self, file: Path, limit: int = ARRAY_LIMIT, kinds: str = NUMBERS) -> None:
        """`limit` is bytes per array, `kinds` the numpy kinds allowed."""
        self._file, self._limit, self._kinds = file, limit, kinds
        self._members = {info.filename.removesuffix(".npy"): info for info in archive_members(file, limit)}

    @undisturbed
    def __getitem__(self, name: str) -> NDArray[Any]:
        info = self._members[name]
        where = f"{self._file} array '{name}'"
        try:
            with zipfile.ZipFile(self._file) as archive:
                with archive.open(info) as stream:
                    _check_header(stream, where, info.file_size, self._limit, self._kinds)
                with archive.open(info) as stream:
                    return np.asarray(np.lib.format.read_array(stream, allow_pickle=False))
        except _DAMAGED as error:
            raise _damaged(where, error) from error

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


@undisturbed
def read_arrays(file: Path, limit: int = ARRAY_LIMIT, kinds: str = NUMBERS) -> NDArray[Any] | Archive:
    """The array of an npy file, or the archive of an npz file, whatever its name ends with."""
    size = check_file(file, limit)
    try:
        with file.open("rb") as stream:
            if stream.read(2) == b"PK":
                return Archive(file, limit, kinds)
            stream.seek(0)
            _check_header(stream, str(file), size, limit, kinds)
            stream.seek(0)
            return np.asarray(np.lib.format.read_array(stream, allow_pickle=False))
    except _DAMAGED as error:
        raise _damaged(str(file), error) from error


def archive_members(file: Path, limit: int, whole: int | None = None) -> list[zipfile.ZipInfo]:
    """Members of a zip file, none of which unpacks to more than `limit` bytes, and all of them to `whole`."""
    whole = WHOLE * limit if whole is None else whole
    check_file(file, max(limit, MEMBERS_LIMIT * limit))
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
    except _DAMAGED as error:
        raise _damaged(str(file), error) from error
    if len(members) > MEMBERS_LIMIT:
        raise WorldGaugeError(f"{file} holds {len(members)} files, at most {MEMBERS_LIMIT} are read")
    for member in members:
        if member.file_size > limit:
            raise _too_large(f"{file} ('{member.filename}')", member.file_size, limit)
    # Members may share their compressed bytes, so a small file can hold a thousand large ones.
    if (size := sum(member.file_size for member in members)) > whole:
        raise _too_large(f"{file}, unpacked,", size, whole)
    return members


def _check_header(stream: IO[bytes], where: str, size: int, limit: int, kinds: str) -> None:
    """Refuse what the header claims before a byte of the array is read. `size` is that of header and array."""
    version = np.lib.format.read_magic(stream)
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in readers:
        raise WorldGaugeError(f"{where} is in a format of numpy for records ({version})", "save plain numbers")
    shape, _, dtype = readers[version](stream)
    if dtype.hasobject or dtype.kind not in kinds or dtype.itemsize == 0:
        raise WorldGaugeError(f"{where} holds {dtype}, not plain numbers", "save it with a numeric type")
    if any(extent < 0 for extent in shape):
        raise WorldGaugeError(f"{where} claims the shape {shape}")
    claimed = math.prod(shape) * dtype.itemsize
    if claimed > limit:
        raise _too_large(where, claimed, limit)
    if claimed > size:
        raise WorldGaugeError(f"{where} is truncated: its header promises {claimed} bytes", "copy the file again")


def _too_large(where: str, size: int, limit: int) -> WorldGaugeError:
    return WorldGaugeError(f"{where} is too large ({size:.3g} bytes, at most {limit:.3g})", "is it the right file?")


def _damaged(where: str, error: BaseException) -> WorldGaugeError:
    reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
    return WorldGaugeError(f"{where} is not a readable npz or npy file ({reason})")
