"""Lazy registries: names are known at once, code is imported when a name is used."""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
import importlib.util
import logging
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from worldgauge.core.errors import WorldGaugeError

log = logging.getLogger(__name__)
T = TypeVar("T")

ENTRY_POINT_GROUP = "worldgauge"
"""Each entry point of this group names a module; importing it runs its `@metric`, `@signal` or `INSTRUMENTS.add`."""


class Registry(Generic[T]):
    """Names to objects of one kind. A built-in is a `module:attribute` string until someone asks for it."""

    def __init__(self, kind: str, builtin: Mapping[str, str] | None = None) -> None:
        self.kind = kind
        self._builtin = dict(builtin or {})
        self._entries: dict[str, T | str] = dict(self._builtin)

    def add(self, name: str, entry: T, where: str) -> None:
        """Register a definition; `where` is its `module:attribute`. A name belongs to one definition only."""
        current = self._entries.get(name)
        if self._builtin.get(name, where) != where:
            raise WorldGaugeError(
                f"{self.kind} '{name}' is built in and cannot be defined again by {where}", "choose another name"
            )
        if current is not None and not isinstance(current, str) and _home(current) != _home(entry):
            raise WorldGaugeError(
                f"{self.kind} '{name}' is defined twice, the second time by {where}", "choose another name"
            )
        self._entries[name] = entry

    def names(self) -> list[str]:
        """Every name, plug-ins included."""
        load_entry_points()
        return sorted(self._entries)

    def get(self, name: str) -> T:
        """The definition of that name; a wrong name is answered with the nearest ones."""
        if name not in self._entries:
            load_entry_points()
        entry = self._entries.get(name)
        if entry is None:
            raise unknown_name(self.kind, name, list(self._entries))
        if isinstance(entry, str):
            module, attribute = entry.split(":")
            entry = cast(T, getattr(importlib.import_module(module), attribute))
            self._entries[name] = entry
        return entry


def unknown_name(kind: str, name: str, known: list[str]) -> WorldGaugeError:
    """The error for a wrong name, with up to three that look like it."""
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    if near:
        return WorldGaugeError(f"unknown {kind} '{name}'", "did you mean " + ", ".join(near) + "?")
    listing = ", ".join(sorted(known)) or "none"
    return WorldGaugeError(f"unknown {kind} '{name}'", f"known: {listing}")


_loaded_entry_points = False


def load_entry_points() -> None:
    """Import the installed plug-ins, once. A broken one is reported and left out."""
    global _loaded_entry_points
    if _loaded_entry_points:
        return
    _loaded_entry_points = True
    for point in importlib.metadata.entry_points(group=ENTRY_POINT_GROUP):
        try:
            point.load()
        except (ImportError, AttributeError, SyntaxError, WorldGaugeError) as error:
            log.warning("plug-in '%s' (%s) could not be loaded: %s", point.name, point.value, error)


def include_file(path: Path) -> None:
    """Run a Python file whose decorators register definitions (`--include`)."""
    resolved = path.resolve()
    name = f"worldgauge_include_{resolved.stem}"
    loaded = sys.modules.get(name)
    if loaded is not None and getattr(loaded, "__file__", None) == str(resolved):
        return
    if not resolved.is_file():
        raise WorldGaugeError(f"--include {path}: no such file")
    spec = importlib.util.spec_from_file_location(name, resolved)
    if spec is None or spec.loader is None:
        raise WorldGaugeError(f"--include {path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except WorldGaugeError:
        raise
    except Exception as error:
        raise WorldGaugeError(f"--include {path}: {type(error).__name__}: {error}") from error


def _home(entry: Any) -> tuple[str, str]:
    function = getattr(entry, "function", entry)
    return getattr(function, "__module__", ""), getattr(function, "__qualname__", "")
