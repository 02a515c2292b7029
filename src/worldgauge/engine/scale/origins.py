"""Files that this machine has copied from a URL, told to another machine, which then has copies of its own."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.file_digests import digest_file
from worldgauge.core.names import below
from worldgauge.core.video import Video
from worldgauge.engine.local_copies import Copy, copy_around, holds, named_files
from worldgauge.engine.work import WorkItem

_LONGEST_NAME = 1024
"""Characters of a text in a case that may be the name of a file; captions are longer."""


@dataclass(frozen=True)
class Origin:
    """Files of one place by URL."""

    folder: Path
    """Where the driver's copies of them lie."""
    url: str
    files: Mapping[str, str]
    """Name below both, to the digest of the content that the driver's plan is about."""


class Origins:
    """The driver's view: which files of an item came from a URL."""

    def __init__(self) -> None:
        self._copies: dict[Path, Copy | None] = {}
        """By folder: a run has many files in few."""

    def of(self, item: WorkItem) -> tuple[Origin, ...]:
        """Of the clips of an item, and of every file that its cases name."""
        found: dict[Copy, dict[str, str]] = {}
        for each in (item, *item.beside):
            paths = [*_of_video(each.video)]
            if any(map(self._copy, [*paths, each.case.path(".")])):
                paths += _of_case(each.case)
            for path in paths:
                if (copy := self._copy(path)) is not None:
                    found.setdefault(copy, {}).update(_digests(copy.folder, path))
        return tuple(Origin(copy.folder, copy.url, files) for copy, files in found.items())

    def _copy(self, path: Path) -> Copy | None:
        real = path.absolute()
        if real.parent not in self._copies:
            self._copies[real.parent] = copy_around(real)
        return self._copies[real.parent]


def brought(item: WorkItem, origins: tuple[Origin, ...]) -> WorkItem:
    """The item as it is on this machine, which has the files where the driver has them, or fetches its own copies."""
    moved = _places_here(origins)
    return relocated(item, moved) if moved else item


def brought_video(video: Video, origins: tuple[Origin, ...]) -> Video:
    """A clip as it is on this machine; nothing else is fetched."""
    paths = {path.absolute() for path in _of_video(video)}
    of_video = []
    for origin in origins:
        own = {name: digest for name, digest in origin.files.items() if _is_part(origin.folder / name, paths)}
        of_video.append(replace(origin, files=own))
    return _moved_video(video, _places_here(tuple(of_video)))


def _is_part(file: Path, paths: set[Path]) -> bool:
    return file in paths or not paths.isdisjoint(file.parents)


def _places_here(origins: tuple[Origin, ...]) -> dict[Path, Path]:
    """Folders of the driver's copies that are not to be seen here, and what stands for them."""
    return {origin.folder: _fetched(origin) for origin in origins if not holds(origin.folder, origin.files)}


def relocated(item: WorkItem, folders: Mapping[Path, Path]) -> WorkItem:
    """An item whose files lie in other folders."""
    return replace(
        item,
        case=item.case.moved(folders),
        video=None if item.video is None else _moved_video(item.video, folders),
        beside=tuple(relocated(other, folders) for other in item.beside),
    )


def _fetched(origin: Origin) -> Path:
    try:
        return named_files(origin.url, origin.files)
    except WorldGaugeError as error:
        machine = socket.gethostname()
        raise WorldGaugeError(
            f"{machine} does not see {origin.folder} and cannot copy {origin.url}: {error.message}", error.hint
        ) from error


def _moved_video(video: Video, folders: Mapping[Path, Path]) -> Video:
    if video.on_disk is None or not folders:
        return video
    beside = None if video.beside is None else below(folders, video.beside.absolute())
    return Video(below(folders, video.path.absolute()), video.stated_fps, video.expected_frames, beside)


def _of_video(video: Video | None) -> Iterator[Path]:
    if video is not None and video.on_disk is not None:
        yield video.on_disk
        if video.beside is not None:
            yield video.beside


def _of_case(case: Case) -> Iterator[Path]:
    """Whatever a text of the case names: who reads which of them is known to the signals alone."""
    known = (case.condition.model_dump(mode="json"), case.reference.model_dump(mode="json"), case.extras)
    for text in dict.fromkeys(_texts(known)):
        if 0 < len(text) <= _LONGEST_NAME and "\n" not in text:
            with suppress(OSError, ValueError):
                path = case.path(text)
                if os.path.lexists(path) and path != case.path("."):
                    yield path


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _texts(each)


def _digests(folder: Path, path: Path) -> dict[str, str]:
    """Of a file, or of every file of a folder of frames. What cannot be read is left out, and told by the record."""
    files = [file for file in sorted(path.rglob("*")) if file.is_file()] if path.is_dir() else [path]
    found = {}
    for file in files:
        with suppress(OSError, WorldGaugeError):
            found[file.absolute().relative_to(folder).as_posix()] = digest_file(file)
    return found
