"""What a store rests on: other stores by URL, read where it lacks something, written to where they allow it.

The folder says so itself, in `below.json`, so every command that opens it finds the same layers.
"""

from __future__ import annotations

import json
import logging
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from worldgauge.core.canonical import digest_of
from worldgauge.core.errors import CannotWrite
from worldgauge.core.reading import read_json
from worldgauge.core.user_folders import user_folder
from worldgauge.engine.places import Damaged, Place, Unreachable, is_url

log = logging.getLogger(__name__)

FILE_NAME = "below.json"
_KNOWN_FOR = 30.0
"""Seconds for which a listing is believed. What is missing from it is asked for by name before it is computed."""
_RESTS = 20
"""For every second that a listing took, so many for which it is believed: a store of millions takes minutes to list."""
_REST = 60.0
"""Seconds for which a place that did not answer is left alone."""


class Layer(BaseModel):
    """A store below, by URL."""

    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))

    place: str
    write: bool = False

    @cached_property
    def files(self) -> Place:
        return Place(self.place)


class Below:
    """A layer at work: what it was last seen to hold, and whether it answers at all."""

    def __init__(self, layer: Layer) -> None:
        self.layer = layer
        self._names: set[str] = set()
        self._stale = self._down = -math.inf
        self._spoilt: set[str] = set()

    def has(self, name: str) -> bool:
        if time.monotonic() >= self._stale and self._answers():
            with self._noticing():
                began = time.monotonic()
                self._names, ended = set(self.layer.files.names()), time.monotonic()
                self._stale = ended + max(_KNOWN_FOR, _RESTS * (ended - began))
        return name in self._names

    def read(self, name: str) -> bytes | None:
        """A file's bytes; None where there is none, or nobody answers."""
        data = None
        if self._answers():
            try:
                with self._noticing():
                    data = self.layer.files.read(name)
            except Damaged:
                self.spoilt(name)
        return data

    def spoilt(self, name: str) -> None:
        """Note that a file is not what it says: the next one of its name takes its place."""
        log.warning("%s/%s is damaged, so it is computed again", self.layer.place, name)
        self._spoilt.add(name)

    def offer(self, name: str, data: bytes) -> None:
        """Put a file there unless it has one; where nobody answers `cache push` does it later."""
        if self.layer.write and self._answers():
            with self._noticing():
                self.layer.files.create(name, data, over=name in self._spoilt)
                self._spoilt.discard(name)
                self._names.add(name)

    def _answers(self) -> bool:
        return time.monotonic() - self._down >= _REST

    @contextmanager
    def _noticing(self) -> Iterator[None]:
        """Nothing is lost when nobody answers: what cannot be fetched is computed, what cannot be brought lies here."""
        try:
            yield
        except Unreachable as error:
            self._down = time.monotonic()
            log.warning("%s; going on without it for %.0f s", error.message, _REST)


def read_layers(root: Path) -> tuple[Layer, ...]:
    """What a store rests on, the nearest first."""
    file = root / FILE_NAME
    return tuple(Layer.model_validate(each) for each in read_json(file)) if file.is_file() else ()


def write_layers(root: Path, layers: tuple[Layer, ...]) -> None:
    """Note in a store what it rests on."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        partial = root / f".{FILE_NAME}.partial"
        partial.write_text(json.dumps([layer.model_dump() for layer in layers], indent=1) + "\n", "utf-8")
        partial.replace(root / FILE_NAME)
    except OSError as error:
        raise CannotWrite(f"cannot write to the store {root} ({error.strerror})", "choose another --store") from error


def store_at(place: str | Path) -> Path:
    """The folder of a store. For one by URL: what was read or made on this machine, above the place itself."""
    url = str(place).rstrip("/")
    if not is_url(url):
        return Path(place)
    root = _copy_of(url)
    layers = (Layer(place=url, write=True),)
    if read_layers(root) != layers:
        write_layers(root, layers)
    return root


def bucket_of(root: Path) -> str:
    """The URL of a store whose folder `store_at` has made; empty for any other folder."""
    for layer in read_layers(root):
        if layer.write and _copy_of(layer.place).absolute() == root.absolute():
            return layer.place
    return ""


def _copy_of(url: str) -> Path:
    return user_folder("WORLDGAUGE_REMOTE_STORES", "stores") / digest_of(url)[:16]
