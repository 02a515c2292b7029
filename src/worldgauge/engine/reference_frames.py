"""Resized frames of reference videos, kept in the store: the next model's clips are compared with the same ones.

A reference in full HD costs more to decode and shrink than everything else that is done with it. A segment is a folder
with the numbers of some frames and their pixels; it is written whole under another name and renamed, and never changed.
"""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.undisturbed import undisturbed

FOLDER = "frames"
"""In the store's folder."""
_Size = tuple[int, int]
_Key = tuple[_Size, str]


class ReferenceFrames:
    """The kept frames of one video."""

    def __init__(self, store: Path, digest: str) -> None:
        self._folder = store / FOLDER / digest[:2] / digest[2:34]
        self._known: dict[_Key, dict[int, NDArray[np.uint8]]] = {}
        self._new: dict[_Key, dict[int, NDArray[np.uint8]]] = {}

    def frame(self, index: int, size: _Size, interpolation: str) -> NDArray[np.uint8] | None:
        """The frame at a size, if it was kept."""
        key = (size, interpolation)
        if key not in self._known:
            self._known[key] = self._read(key)
        return self._known[key].get(index)

    def note(self, index: int, size: _Size, interpolation: str, frame: NDArray[np.uint8]) -> None:
        """A frame that `save` will keep."""
        self._new.setdefault((size, interpolation), {})[index] = frame

    def save(self) -> None:
        """Keep what was noted. A full disk costs nothing but time: then they are made again."""
        for key, frames in self._new.items():
            partial = self._folder / f".partial-{uuid4().hex}"
            try:
                partial.mkdir(parents=True)
                np.save(partial / "numbers.npy", np.array(sorted(frames)))
                with (partial / "frames.npy").open("wb") as stream:
                    shape = (len(frames), *next(iter(frames.values())).shape)
                    header = {"descr": "|u1", "fortran_order": False, "shape": shape}
                    np.lib.format.write_array_header_1_0(stream, header)
                    for number in sorted(frames):
                        stream.write(np.ascontiguousarray(frames[number]).data)
                partial.replace(self._folder / f"{_name(key)}-{uuid4().hex[:12]}")
            except OSError:
                shutil.rmtree(partial, ignore_errors=True)
        self._new.clear()

    @undisturbed
    def _read(self, key: _Key) -> dict[int, NDArray[np.uint8]]:
        found: dict[int, NDArray[np.uint8]] = {}
        for segment in sorted(self._folder.glob(f"{_name(key)}-*")):
            with contextlib.suppress(OSError, ValueError):
                numbers = np.load(segment / "numbers.npy")
                rows = np.load(segment / "frames.npy", mmap_mode="r")
                if rows.shape[1:] == (key[0][1], key[0][0], 3) and rows.dtype == np.uint8:
                    found.update(zip(numbers.tolist(), rows, strict=True))
        return found


def segments(store: Path) -> list[Path]:
    """Every segment in a store, and what killed writers left."""
    return sorted((store / FOLDER).glob("??/*/*"))


def _name(key: _Key) -> str:
    (width, height), interpolation = key
    return f"{width}x{height}-{interpolation}"
