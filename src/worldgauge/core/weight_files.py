"""Where files of weights lie on this machine: a path somebody gave, our own folder, the hub client's cache.

    located = locate("raft_large")
    located.path or located.reason

A file in a folder or in a cache must be the published one. A file somebody names himself may be another (his own
training, another format): the digest of the very file goes into every key, and `located.other` says that it is another.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from worldgauge.core.canonical import digest_of
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.weight_records import digest_of_weights, first_seen, weights_folder
from worldgauge.core.weights import DIGEST_LENGTH, UNKNOWN, Weights, find_weights, megabytes_in_words

_VARIABLE = "WORLDGAUGE_WEIGHTS"
_places: dict[str, Path] = {}
"""Id to the file or folder that was given for it; a folder for all of them is its own key. Later ones first."""


@dataclass(frozen=True)
class Located:
    """One entry of the table on this machine."""

    weights: Weights
    path: Path | None = None
    digest: str = UNKNOWN
    """Of the file that is used; without a file the published one, where that is known."""
    reason: str = ""
    """Why there is no file to use, and the command that brings it."""
    other: bool = False
    """Whether it is a user's own file and not the published one."""
    remark: str = ""
    """What is not sure about it."""


def place_weights(items: Iterable[str], where: str = "--weights ") -> None:
    """Make paths known for the rest of this process: `ID=PATH`, or a folder in which files are looked for by name."""
    for item in items:
        name, equals, text = item.partition("=")
        path = Path(text if equals else item).expanduser().absolute()
        if equals:
            find_weights(name)
        if not path.exists():
            raise WorldGaugeError(f"{where}{item}: {path} does not exist", "name a file, or a folder with files")
        if not equals and not path.is_dir():
            raise WorldGaugeError(f"{where}{item}: expected ID=PATH or a folder")
        key = name if equals else str(path)
        _places.pop(key, None)
        _places[key] = path


def placed() -> tuple[str, ...]:
    """What `place_weights` was given: what a worker must be given too."""
    return tuple(str(path) if key == str(path) else f"{key}={path}" for key, path in _places.items())


def locate(name: str) -> Located:
    """Find an entry's file and check that it is what it should be."""
    entry = find_weights(name)
    given = _given()
    if name in given:
        path = given[name]
        return _examined(entry, path / Path(entry.file).name if path.is_dir() else path, own=True)
    problem = ""
    for path in _kept(entry, [place for key, place in reversed(given.items()) if key == str(place)]):
        if all((path.parent / Path(part).name).is_file() for part in entry.files):
            found = _examined(entry, path, own=False)
            if found.path is not None:
                return found
            problem = problem or found.reason
    published = entry.sha256 if len(entry.sha256) == DIGEST_LENGTH and not entry.beside else UNKNOWN
    reason = problem or f"weights '{name}' ({entry.size_in_words}) are not on this machine; {entry.command}"
    return Located(entry, digest=published, reason=reason)


def _given() -> dict[str, Path]:
    """Id to path, and folder to itself: what was given to this process, then what the environment names."""
    places = dict(_places)
    for item in os.environ.get(_VARIABLE, "").split():
        key, equals, text = item.partition("=")
        path = Path(text if equals else item).expanduser().absolute()
        places.setdefault(key if equals else str(path), path)
    return places


def _kept(entry: Weights, folders: Iterable[Path]) -> Iterator[Path]:
    """In a folder somebody gave, where `fetch` puts it, then where the hub's client keeps it."""
    for folder in folders:
        yield folder / Path(entry.file).name
        yield folder / entry.id / entry.file
    yield weights_folder() / entry.id / entry.file
    if entry.repository:
        folder = hub_cache() / f"models--{entry.repository.replace('/', '--')}"
        try:
            commit = entry.revision or (folder / "refs" / "main").read_text("utf-8").strip()
        except OSError:
            return
        yield folder / "snapshots" / commit / entry.file


def hub_cache() -> Path:
    """The cache of the hub's client, by the variables that it obeys."""
    variables = os.environ
    home = Path(variables.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface"
    named = variables.get("HF_HUB_CACHE") or variables.get("HUGGINGFACE_HUB_CACHE")
    return Path(named or Path(variables.get("HF_HOME") or home) / "hub").expanduser()


def _examined(entry: Weights, path: Path, *, own: bool) -> Located:
    again = f"delete it, then {entry.command}"
    try:
        size = path.stat().st_size
        if not own and entry.bytes is not None and size != entry.bytes:
            sizes = f"{megabytes_in_words(size / 1e6)} instead of {megabytes_in_words(entry.bytes / 1e6)}"
            kind = "truncated" if size < entry.bytes else "another file"
            return Located(entry, reason=f"weights '{entry.id}': {path} is {kind}, {sizes}; {again}")
        main = digest_of_weights(path)
        rest = {part: digest_of_weights(path.parent / Path(part).name) for part in entry.beside}
    except (OSError, WorldGaugeError) as error:
        return Located(entry, reason=f"weights '{entry.id}': {path} cannot be read ({error})")
    fits = main.startswith(entry.sha256)
    if not own and not fits:
        wrong = f"sha256 {main[:12]}... instead of {entry.sha256[:12]}..."
        return Located(entry, reason=f"weights '{entry.id}': {path} is not the published file, {wrong}; {again}")
    digest = digest_of({entry.file: main, **rest}) if rest else main
    if own:
        remark = "your own file, not the published one" if not fits else "your own file" if not entry.sha256 else ""
        return Located(entry, path, digest, other=not fits, remark=remark)
    remark = ""
    if rest or len(entry.sha256) < DIGEST_LENGTH:
        known = first_seen(entry.id, digest)
        if known.digest != digest:
            told = f"it is not the file that was recorded on {known.date}; worldgauge fetch {entry.id} --again takes it"
            return Located(entry, reason=f"weights '{entry.id}': {path}: {told}")
        remark = f"no whole digest is published; {digest[:12]}... was recorded here on {known.date}"
    return Located(entry, path, digest, remark=remark)
