"""Which videos lie below a folder: files by their suffix, folders of frames, and what only claims to be one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.names import is_folder, readable
from worldgauge.core.user_folders import own_kind
from worldgauge.media import decoder, frame_folder

_Identity = tuple[int, int]
LeftOut = Callable[[Path, str], object]
"""Called with a folder that is not looked into, and what it is."""
HIDDEN = "hidden folder"


def find_videos(folder: Path, left_out: LeftOut = lambda path, kind: None) -> Iterator[Path]:
    """Video files and frame folders below a folder, in order of name; hidden ones left out.

    Folders that this package made (reports, run folders, a store) and those that stand for themselves (cases, other
    submissions) are left out as well, wherever they are below the folder that was named; `left_out` learns of each.

    An entry that is named like a video and is none (a pipe, an empty folder), a folder that may not be read and a link
    that leads back are handed out as well, so that each gets a row that says why it has no score.
    """
    try:
        entries = _entries(folder)
    except OSError as error:
        raise WorldGaugeError(f"{readable(str(folder))} cannot be read ({error.strerror})") from error
    yield from _Walk(left_out).below(_shown(entries, left_out), (_identity(folder),), by_link=False)


class _Walk:
    """One walk over a tree. Links to folders are followed, but never into a folder that one is already in."""

    def __init__(self, left_out: LeftOut) -> None:
        self._entered: set[_Identity] = set()
        self._left_out = left_out

    def below(self, entries: list[Path], above: tuple[_Identity, ...], by_link: bool) -> Iterator[Path]:
        """`above` are the folders one is in; `by_link`: one of them was entered through a link."""
        for path in entries:
            if is_folder(path):
                yield from self._folder(path, above, by_link)
            elif path.suffix.lower() in decoder.SUFFIXES:
                yield path

    def _folder(self, path: Path, above: tuple[_Identity, ...], by_link: bool) -> Iterator[Path]:
        link, here = path.is_symlink(), _identity(path)
        # Two links inside linked folders could lead to each other in ever new orders: the second visit is the last.
        if here in above or (link and by_link and here in self._entered):
            yield path
            return
        self._entered.add(here)
        try:
            entries = _entries(path)
        except OSError:
            yield path
            return
        if kind := own_kind(path, {entry.name for entry in entries}):
            self._left_out(path, kind)
            return
        entries = _shown(entries, self._left_out)
        if any(p.suffix.lower() in frame_folder.SUFFIXES for p in entries):
            yield path
            return
        found = False
        for video in self.below(entries, (*above, here), by_link or link):
            found = True
            yield video
        if not found and path.suffix.lower() in decoder.SUFFIXES:
            yield path


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir(), key=lambda p: frame_folder.natural_key(p.name))


def _shown(entries: list[Path], left_out: LeftOut) -> list[Path]:
    """The entries that are not hidden."""
    for path in entries:
        if path.name.startswith(".") and is_folder(path):
            left_out(path, HIDDEN)
    return [path for path in entries if not path.name.startswith(".")]


def _identity(folder: Path) -> _Identity:
    found = folder.stat()
    return found.st_dev, found.st_ino
