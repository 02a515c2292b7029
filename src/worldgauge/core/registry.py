"""Registries: names to definitions. Code is imported when a name is asked for."""

from __future__ import annotations

import difflib
from typing import Any, Generic, TypeVar

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import Manifest, benchmarks, manifests

T = TypeVar("T")


class Registry(Generic[T]):
    """Definitions of one kind by full name: `psnr` is generic, `bench/psnr` belongs to the benchmark `bench`."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, T] = {}
        self._imported: dict[str, Manifest] = {}
        """Packages whose modules of this kind are imported; one that was loaded anew has another manifest."""

    def add(self, name: str, entry: T, where: str) -> None:
        """Register a definition; `where` is its `module:attribute`. A name belongs to one definition only."""
        if not any(manifest.owns(where.partition(":")[0]) for manifest in manifests()):
            # A plug-in must not take a generic name just because nobody has asked for that one yet.
            self._import_namespace("")
        current = self._entries.get(name)
        if current is not None and _home(current) != _home(entry):
            raise WorldGaugeError(
                f"{self.kind} '{name}' is defined twice, the second time by {where}", "choose another name"
            )
        self._entries[name] = entry

    def names(self) -> list[str]:
        """Every name, plug-ins included."""
        for manifest in manifests():
            self._import(manifest)
        return sorted(self._entries)

    def get(self, name: str) -> T:
        """The definition of that full name; a wrong name is answered with the nearest ones."""
        if name not in self._entries:
            self._import_namespace(name.rpartition("/")[0])
        if name not in self._entries:
            raise unknown_name(self.kind, name, self.names())
        return self._entries[name]

    def full_name(self, name: str, namespace: str = "") -> str:
        """The full name for what somebody wrote: inside the namespace, exact, or the only one that ends with it."""
        own = f"{namespace}/{name}"
        if namespace:
            self._import_namespace(namespace)
            if own in self._entries:
                return own
        known = self.names()
        if name in known:
            return name
        ending = [full for full in known if full.endswith(f"/{name}")]
        if len(ending) > 1:
            raise WorldGaugeError(f"{self.kind} '{name}' may mean {' or '.join(ending)}", "write the whole name")
        if not ending:
            raise unknown_name(self.kind, name, known)
        return ending[0]

    def _import_namespace(self, namespace: str) -> None:
        if namespace:
            if namespace in (known := benchmarks()):
                self._import(known[namespace])
            return
        for manifest in manifests():
            if not manifest.name:
                self._import(manifest)

    def _import(self, manifest: Manifest) -> None:
        if self._imported.get(manifest.package) is manifest:
            return
        # First, so that a module which asks the registry while it is imported does not begin anew.
        self._imported[manifest.package] = manifest
        for module in getattr(manifest, f"{self.kind}s"):
            manifest.resolve(module)


SHOWN = 20
"""Known names that an error lists at most."""


def unknown_name(kind: str, name: str, known: list[str]) -> WorldGaugeError:
    """The error for a wrong name, with up to three that look like it."""
    # A short name is like the last part of a full one.
    shorts = {full.rpartition("/")[2]: full for full in known} | {full: full for full in known}
    near = [shorts[hit] for hit in difflib.get_close_matches(name, list(shorts), n=3, cutoff=0.4)]
    if near:
        return WorldGaugeError(f"unknown {kind} '{name}'", "did you mean " + ", ".join(dict.fromkeys(near)) + "?")
    more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
    listing = (", ".join(sorted(known)[:SHOWN]) or "none") + more
    return WorldGaugeError(f"unknown {kind} '{name}'", f"known: {listing}")


def _home(entry: Any) -> tuple[str, str]:
    function = getattr(entry, "function", entry)
    return getattr(function, "__module__", ""), getattr(function, "__qualname__", "")
