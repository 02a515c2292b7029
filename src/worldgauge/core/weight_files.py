"""Where files of weights lie on this machine: a path somebody gave, our own folder, the hub client's cache.

    located = locate("raft_large")
    located.path or located.reason

A file in a folder or in a cache must be the published one, or another that the table accepts in its place. A file that
the user names may be any (his own training, another format): the digest of the very file goes into every key, and
`located.other` reports that it is another.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from worldgauge.core.canonical import digest_of
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.weight_records import digest_of_weights, first_seen, weights_folder
from worldgauge.core.weights import UNKNOWN, Weights, find_weights, megabytes_in_words

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
    damaged: bool = False
    """Whether a file is there and cannot be used: cut short, another file, not readable."""
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
        return _own(entry, _in_folder(entry, given[name]) if given[name].is_dir() else given[name])
    problem, damaged = "", False
    folders = [place for key, place in reversed(given.items()) if key == str(place)]
    for edition in entry.editions:
        for path in _kept(edition, folders):
            if path.is_file():
                found = _published(entry, edition, path)
                if found.path is not None:
                    return found
                problem, damaged = problem or found.reason, damaged or found.damaged
    reason = problem or f"weights '{name}' ({entry.size_in_words}) are not on this machine; {entry.command}"
    published = _digest_together(entry) if entry.fully_known else UNKNOWN
    return Located(entry, digest=published, reason=reason, damaged=damaged)


def _given() -> dict[str, Path]:
    """Id to path, and folder to itself: what was given to this process, then what the environment names."""
    places = dict(_places)
    for item in os.environ.get(_VARIABLE, "").split():
        key, equals, text = item.partition("=")
        path = Path(text if equals else item).expanduser().absolute()
        places.setdefault(key if equals else str(path), path)
    return places


def _in_folder(entry: Weights, folder: Path) -> Path:
    """The file of an entry in a folder that was given for it, under any of its names."""
    paths = [folder / Path(edition.file).name for edition in entry.editions]
    return next((path for path in paths if path.is_file()), paths[0])


def _kept(entry: Weights, folders: Iterable[Path]) -> Iterator[Path]:
    """In a folder somebody gave, where `fetch` puts it, then where the hub's client keeps it."""
    for folder in folders:
        yield folder / Path(entry.file).name
        yield folder / entry.id / entry.file
    yield weights_folder() / entry.id / entry.file
    if entry.repository:
        yield from _in_hub_cache(entry)


def _in_hub_cache(entry: Weights) -> Iterator[Path]:
    """The commit that the table names, else the branch `main`; by a known digest any other commit serves as well."""
    folder = hub_cache() / f"models--{entry.repository.replace('/', '--')}"
    commit = entry.revision
    with suppress(OSError):
        commit = commit or (folder / "refs" / "main").read_text("utf-8").strip()
    if commit:
        yield folder / "snapshots" / commit / entry.file
    if entry.sha256:
        others = (path for path in (folder / "snapshots").glob("*") if path.name != commit)
        yield from (path / entry.file for path in sorted(others))


def hub_cache() -> Path:
    """The cache of the hub's client, by the variables that it obeys."""
    variables = os.environ
    home = Path(variables.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface"
    named = variables.get("HF_HUB_CACHE") or variables.get("HUGGINGFACE_HUB_CACHE")
    return Path(named or Path(variables.get("HF_HOME") or home) / "hub").expanduser()


def _published(entry: Weights, edition: Weights, path: Path) -> Located:
    """A file under a published name: it must be the published one."""
    again = f"delete it, then {entry.command}"
    if missing := _missing_beside(edition, path):
        return Located(entry, reason=missing)
    try:
        size = path.stat().st_size
        if edition.bytes is not None and size != edition.bytes:
            sizes = f"{megabytes_in_words(size / 1e6)} instead of {megabytes_in_words(edition.bytes / 1e6)}"
            kind = "truncated" if size < edition.bytes else "another file"
            return _unusable(entry, f"{path} is {kind}, {sizes}; {again}")
        digests = _digests(edition, path)
    except (OSError, WorldGaugeError) as error:
        return _unusable(entry, f"{path} cannot be read ({error})")
    if wrong := _differing(edition, digests):
        found, wanted = digests[wrong], edition.beside_sha256.get(wrong, edition.sha256)
        differing = path.with_name(Path(wrong).name)
        told = f"is not the published file, sha256 {found[:12]}... instead of {wanted[:12]}..."
        return _unusable(entry, f"{differing} {told}; {again}")
    digest = digests[edition.file] if len(digests) == 1 else digest_of(digests)
    remark = "" if edition.sha256 == entry.sha256 else edition.what
    if not edition.fully_known:
        known = first_seen(entry.id, digest)
        if known.digest != digest:
            told = f"it is not the file that was recorded on {known.date}; worldgauge fetch {entry.id} --again takes it"
            return _unusable(entry, f"{path}: {told}")
        remark = f"no whole digest is published; {digest[:12]}... was recorded here on {known.date}"
    return Located(entry, path, digest, remark=remark)


def _own(entry: Weights, path: Path) -> Located:
    """A file that the user names for an entry: the published one, or any other."""
    try:
        main = digest_of_weights(path)
        edition = next((one for one in entry.editions if one.sha256 and main.startswith(one.sha256)), entry)
        if missing := _missing_beside(edition, path):
            return Located(entry, reason=missing)
        digests = _digests(edition, path)
    except (OSError, WorldGaugeError) as error:
        return _unusable(entry, f"{path} cannot be read ({error})")
    digest = digests[edition.file] if len(digests) == 1 else digest_of(digests)
    wrong = _differing(edition, digests)
    if wrong == edition.file:
        remark = "your own file, not the published one"
    elif wrong:
        remark = f"your own {wrong}, not the published one"
    else:
        remark = "your own file" if not entry.sha256 else "" if edition.sha256 == entry.sha256 else edition.what
    return Located(entry, path, digest, other=bool(wrong), remark=remark)


def _digests(entry: Weights, path: Path) -> dict[str, str]:
    """File of an entry to its digest."""
    rest = {part: digest_of_weights(path.with_name(Path(part).name)) for part in entry.beside}
    return {entry.file: digest_of_weights(path)} | rest


def _differing(entry: Weights, digests: Mapping[str, str]) -> str:
    """The first file that is not the published one; empty where nothing speaks against them."""
    wanted = {entry.file: entry.sha256} | entry.beside_sha256
    return next((name for name, digest in wanted.items() if not digests[name].startswith(digest)), "")


def _digest_together(entry: Weights) -> str:
    """What stands in a key for the published files of an entry."""
    return digest_of({entry.file: entry.sha256} | entry.beside_sha256) if entry.beside else entry.sha256


def may_be_published(entry: Weights, digest: str) -> bool:
    """Whether a digest that a run keeps is that of the published files, or of files that nothing known speaks against.

    Where small files belong to an entry, it is the digest of all of them together: without the digest of each of them
    it cannot be compared.
    """
    return any(_fits(edition, digest) for edition in entry.editions)


def _fits(edition: Weights, digest: str) -> bool:
    if not edition.beside:
        return digest.startswith(edition.sha256)
    return not edition.fully_known or digest == _digest_together(edition)


def _missing_beside(entry: Weights, path: Path) -> str:
    """One line about a small file that is not next to the weights; empty where all are there."""
    for part in entry.beside:
        name = Path(part).name
        if path.is_file() and not path.with_name(name).is_file():
            needed = f"{name} is missing next to {path}, and without it the network is not known"
            return f"weights '{entry.id}': {needed}; copy it there from {entry.origin}, or {entry.command}"
    return ""


def _unusable(entry: Weights, why: str) -> Located:
    """A file that is there and is not what it should be."""
    return Located(entry, reason=f"weights '{entry.id}': {why}", damaged=True)
