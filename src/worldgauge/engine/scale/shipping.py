"""Our package and the user's `--include` files on their way to other machines, and how they are found there."""

from __future__ import annotations

import importlib
import importlib.metadata
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import worldgauge
from worldgauge.core.manifest import code_of_included
from worldgauge.engine.job import Setup

INCLUDED = "worldgauge_included"
"""The package that carries the user's files; below it they lie as on the machine they came from."""
_LEFT_OUT = ("__pycache__", "*.pyc", ".git")


@dataclass(frozen=True)
class Shipment:
    """Folders to be put on the path of another machine, each inside its parent."""

    modules: tuple[Path, ...]
    includes: tuple[str, ...] = ()
    """The included files and folders, as paths below `INCLUDED`."""
    search: tuple[str, ...] = ()
    """Folders on the path here from which an included file imports, likewise."""

    def unpacked(self, setup: Setup) -> Setup:
        """The setup as it is where the shipment has arrived."""
        if not self.includes:
            return setup
        base = Path(next(iter(importlib.import_module(INCLUDED).__path__)))
        sys.path += [place for each in self.search if (place := str(base / each)) not in sys.path]
        includes = tuple(base / each for each in self.includes)
        beside = tuple(replace(other, includes=includes) for other in setup.beside)
        return replace(setup, includes=includes, beside=beside)


def pack(includes: Iterable[Path], folder: Path) -> Shipment:
    """Lay out what travels in an empty folder. Our own package is sent from where it lies."""
    home = Path(next(iter(worldgauge.__path__)))
    modules = [home, *_entry_points(folder)]
    paths, search = [path.resolve() for path in includes], set[str]()
    for path in paths:
        for file in code_of_included(path):
            _copy(Path(file), folder)
            search |= {_below(place) for place in _imported_from(Path(file), path)}
        if path.is_dir():
            shutil.copytree(path, _place(path, folder), dirs_exist_ok=True, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    if paths:
        (folder / INCLUDED / "__init__.py").touch()
        modules.append(folder / INCLUDED)
    return Shipment(tuple(modules), tuple(map(_below, paths)), tuple(sorted(search)))


def _entry_points(folder: Path) -> list[Path]:
    """What makes our own benchmarks and definitions known there: the notes of our distribution."""
    try:
        known = importlib.metadata.distribution("worldgauge")
    except importlib.metadata.PackageNotFoundError:
        return []
    notes = folder / f"worldgauge-{known.version}.dist-info"
    notes.mkdir()
    for name in ("METADATA", "entry_points.txt"):
        (notes / name).write_text(known.read_text(name) or "", "utf-8")
    return [notes]


def _below(path: Path) -> str:
    """A whole path as one below another folder. The order of two stays, so that digests over several files do."""
    return path.relative_to(path.anchor).as_posix()


def _place(path: Path, folder: Path) -> Path:
    return folder / INCLUDED / _below(path)


def _copy(file: Path, folder: Path) -> None:
    place = _place(file, folder)
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, place)


def _imported_from(file: Path, included: Path) -> list[Path]:
    """The folder of the search path that a file is imported from, unless it is the included one itself."""
    if file == included or included in file.parents:
        return []
    return [place for entry in sys.path if (place := Path(entry).resolve()) in file.parents]
