"""Videos and data sets by URL: copied to this machine before they are read, and kept there up to a size.

The decoder, the readers of data sets and the naming rules of benchmarks all see folders. A copy that is still what
lies there is used again; which of them was used longest ago goes first when room is needed.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from filelock import FileLock, Timeout

from worldgauge.core.canonical import digest_of
from worldgauge.core.errors import CannotWrite, WorldGaugeError
from worldgauge.core.file_digests import digest_file
from worldgauge.core.user_folders import user_folder
from worldgauge.engine.copy_readers import forget_reader, is_read, note_reader, reads
from worldgauge.engine.places import Place, is_url, telling

log = logging.getLogger(__name__)

LIMIT = "WORLDGAUGE_FILES_GB"
_DEFAULT_LIMIT = 100.0
_AT_ONCE = 8
_NOTE, _LOCK = "copy.json", ".lock"
_HTTP = ("http://", "https://")
_FIRST_LOOK = 10.0
"""Seconds for which a server that gave no file is asked whether it is there at all."""
_SEEN_USED = 3600.0
"""Seconds between two times that the use of a copy from which nothing was fetched is noted."""


@dataclass(frozen=True)
class Copy:
    """A folder of this machine with files of a URL."""

    folder: Path
    url: str


def local_files(place: str | Path) -> Path:
    """The path of files on this machine: a path itself, or a copy of what lies at a URL.

    A URL names a folder, a single file, or a `submission.json`, of which only the files it names are copied; of a card,
    which names no videos, the whole folder is.
    """
    url = str(place).rstrip("/")
    if not is_url(url):
        return Path(place)
    folder, _, last = url.rpartition("/")
    whole = Place(url)
    if PurePosixPath(last).suffix and (about := Place(folder).about(last)) is not None:
        return _copy_of(folder, _with_named(Place(folder), last, about), beside=last) / last
    listing = _in_full(whole, whole.listing())
    if not listing:
        if url.startswith(_HTTP):
            # A server that cannot be reached is listed as an empty folder; asked for one thing, it is told apart.
            Place(url, patience=_FIRST_LOOK).read("")
        raise WorldGaugeError(f"{url} holds no files", "name a folder of videos, a file or a submission.json")
    return _copy_of(url, listing)


def url_of(path: Path) -> str | None:
    """The URL that a path of this machine is a copy of; None for one that is no copy."""
    copy = copy_around(path)
    return None if copy is None else "/".join([copy.url, *path.absolute().relative_to(copy.folder).parts])


def copy_around(path: Path) -> Copy | None:
    """The copy that a path lies in; None for one that is no copy."""
    real = path.absolute()
    for folder in real.parents:
        if (note := _read_note(folder)).get("url"):
            name = real.relative_to(folder).parts[0]
            return Copy(folder / name, note["url"]) if note.get("name") == name else None
    return None


def holds(folder: Path, digests: Mapping[str, str]) -> bool:
    """Whether a folder has these files, each with that content."""
    return all((folder / name).is_file() and digest_file(folder / name) == digests[name] for name in digests)


def named_files(url: str, digests: Mapping[str, str]) -> Path:
    """The folder of a copy of a place that has these files of it, by name, each with that content.

    What else the copy holds stays; nobody is asked for a listing, since the content says which file it is.
    """
    own, name = _own(url), _last(url)
    try:
        own.mkdir(parents=True, exist_ok=True)
        if not reads(own):
            with FileLock(own / _LOCK):
                note_reader(own)
        missing = [file for file in digests if not holds(own / name, {file: digests[file]})]
        if missing:
            _bring(Place(url), own, name, missing)
        elif time.time() - _read_note(own).get("used", 0.0) > _SEEN_USED:
            with FileLock(own / _LOCK):
                _write_note(own, _read_note(own) | {"used": time.time()})
        changed = next((file for file in missing if digest_file(own / name / file) != digests[file]), None)
    except OSError as error:
        raise _cannot_copy(url, own, error) from error
    if changed is not None:
        raise WorldGaugeError(f"{url}/{changed} is not what it was when the run began", "run the same command again")
    return own / name


def _bring(place: Place, own: Path, name: str, missing: Sequence[str]) -> None:
    """Fetch files. Two processes may fetch the same one at once: each comes to be whole, so either will do."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        abouts = dict(zip(missing, pool.map(place.about, missing), strict=True))
        if gone := next((file for file, about in abouts.items() if about is None), None):
            raise WorldGaugeError(f"{place.url}/{gone} does not exist", "look whether it was moved or deleted")
        more = _bytes(about for about in abouts.values() if about is not None)
        with FileLock(own / _LOCK):
            note = _read_note(own)
            if note.get("url") != place.url:
                note = {"url": place.url, "name": name, "files": {}, "bytes": 0}
            replaced = sum((own / name / file).stat().st_size for file in missing if (own / name / file).is_file())
            bytes_then = max(0, note["bytes"] - replaced) + more
            # Whoever copies the whole place next looks at those again.
            files = {file: facts for file, facts in note["files"].items() if file not in abouts}
            _take_room(own, note | {"files": files, "bytes": bytes_then})
        list(pool.map(lambda file: place.fetch(file, own / name / file), missing))


def _with_named(place: Place, name: str, about: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """A file and, for a submission, the files it names below its folder; all of the folder where it names none."""
    if PurePosixPath(name).suffix != ".json":
        return {name: about}
    try:
        content = json.loads(place.read(name) or b"{}")
        if "model" in content and content.get("videos") is None:
            # A model's card: the videos are wherever the naming rule expects them.
            return _in_full(place, place.listing()) | {name: about}
        videos = content.get("videos", {})
        takes = [of_case if isinstance(of_case, list) else [of_case] for of_case in videos.values()]
        named = [str(each["path"] if isinstance(each, dict) else each) for of_case in takes for each in of_case]
    except (ValueError, AttributeError, TypeError, KeyError):
        # What is wrong with it is told by who reads it.
        return {name: about}
    inside = [path for path in named if not PurePosixPath(path).is_absolute() and ".." not in PurePosixPath(path).parts]
    if place.url.startswith(_HTTP):
        # Servers of plain files need not list folders.
        return {name: about, **_in_full(place, {path: {} for path in inside})}
    wanted = set(inside)
    return {
        path: facts
        for path, facts in place.listing().items()
        if path == name or path in wanted or any(str(above) in wanted for above in PurePosixPath(path).parents)
    }


def _in_full(place: Place, listing: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """A listing in which every file has its size: some servers tell it only when asked for the file."""
    asked = [name for name, about in listing.items() if about.get("size") is None]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = listing | dict(zip(asked, pool.map(place.about, asked), strict=True))
    return {name: about for name, about in found.items() if about is not None}


def _copy_of(url: str, listing: dict[str, dict[str, Any]], beside: str = "") -> Path:
    """A folder with these files of a place; what was copied before and is no longer there goes."""
    own, name = _own(url, beside), _last(url)
    try:
        own.mkdir(parents=True, exist_ok=True)
        with FileLock(own / _LOCK):
            note_reader(own)
            note = _read_note(own)
            before = note.get("files", {}) if note.get("url") == url else {}
            facts = {path: telling(about) for path, about in listing.items()}
            here = [path for path in facts if (own / name / path).is_file()]
            # Of what a place says nothing about, nobody knows whether it is the same.
            same = {path: facts[path] for path in here if facts[path] and before.get(path) == facts[path]}
            for gone in before.keys() - facts.keys():
                (own / name / gone).unlink(missing_ok=True)
            note = {"url": url, "name": name, "bytes": _bytes(listing.values())}
            # The others by name alone: killed while they come, the next one knows that they are ours, and fetches them.
            _take_room(own, note | {"files": dict.fromkeys(facts) | same})
            changed = [path for path in facts if path not in same]
            if changed:
                log.info("copying %d of %d files of %s", len(changed), len(facts), url)
            Place(url).fetch_all(changed, own / name)
            _write_note(own, note | {"files": facts, "used": time.time()})
    except OSError as error:
        raise _cannot_copy(url, own, error) from error
    return own / name


def _take_room(own: Path, note: Mapping[str, Any]) -> None:
    """Keep all copies together below the limit, and note at once what this one will take.

    The one that was used longest ago goes first; none that somebody reads goes. Two cannot take the same room.
    """
    url, needed, limit = note["url"], note["bytes"], _limit()
    if needed > limit:
        raise WorldGaugeError(
            f"{url} holds {needed / 1e9:.1f} GB, more than the {limit / 1e9:g} GB that may be kept here",
            f"set {LIMIT} higher, or run a part of it with --shard on each of several machines that mount it",
        )
    with FileLock(_root() / _LOCK):
        others = [(folder, _read_note(folder)) for folder in _root().iterdir() if folder.is_dir() and folder != own]
        kept = sum(other.get("bytes", 0) for _, other in others)
        for folder, other in sorted(others, key=lambda found: found[1].get("used", 0.0)):
            if needed + kept > limit and _cleared(folder):
                log.info("the copy of %s made room", other.get("url", folder))
                kept -= other.get("bytes", 0)
        if needed + kept > limit:
            raise WorldGaugeError(
                f"{url} holds {needed / 1e9:.1f} GB, and copies that are being read here take {kept / 1e9:.1f} GB of "
                f"the {limit / 1e9:g} GB that may be kept",
                f"set {LIMIT} higher, or wait until other runs on this machine have ended",
            )
        _write_note(own, {**note, "used": time.time()})


def _limit() -> float:
    """Bytes of all copies together."""
    try:
        return float(os.environ.get(LIMIT, "") or _DEFAULT_LIMIT) * 1e9
    except ValueError:
        raise WorldGaugeError(f"{LIMIT}={os.environ[LIMIT]} is no number", "give gigabytes, such as 200") from None


def _cleared(folder: Path) -> bool:
    """Whether a copy could be deleted: nobody reads it, and nobody has begun to."""
    lock = FileLock(folder / _LOCK)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return False
    try:
        if is_read(folder):
            return False
        # The note first: what is half deleted is nobody's copy. The lock's file stays, since others may wait for it.
        for found in sorted(folder.iterdir(), key=lambda path: path.name != _NOTE):
            if found.is_dir():
                shutil.rmtree(found, ignore_errors=True)
            elif found.name != _LOCK:
                found.unlink(missing_ok=True)
    finally:
        lock.release()
    return True


def give_up(path: Path) -> None:
    """This process reads a path no more: if it is a copy, it may make room for others."""
    copy = copy_around(path)
    if copy is not None:
        forget_reader(copy.folder.parent)


def _bytes(files: Iterable[dict[str, Any]]) -> int:
    return sum(int(about.get("size") or 0) for about in files)


def _own(url: str, beside: str = "") -> Path:
    """Where the copy of a place is kept."""
    return _root() / digest_of([url, beside])[:16]


def _last(url: str) -> str:
    return url.rpartition("/")[2] or "files"


def _root() -> Path:
    return user_folder("WORLDGAUGE_REMOTE_FILES", "files").absolute()


def _read_note(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / _NOTE).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write_note(folder: Path, note: Mapping[str, Any]) -> None:
    # Whole, since others read it without the lock.
    partial = folder / f".{_NOTE}.partial"
    partial.write_text(json.dumps(note), "utf-8")
    partial.replace(folder / _NOTE)


def _cannot_copy(url: str, own: Path, error: OSError) -> CannotWrite:
    return CannotWrite(f"cannot copy {url} to {own} ({error.strerror or error})", "free space, then run again")
