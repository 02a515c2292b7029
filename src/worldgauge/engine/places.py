"""Folders by URL: object stores and whatever else fsspec reaches, with patience for servers that stumble.

A file comes to be whole or not at all: by one upload on object stores, by a temporary name and a rename elsewhere. The
first one of a name stays.
"""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from worldgauge.core.errors import StopsRun, WorldGaugeError
from worldgauge.engine.server_answers import is_refusal, is_torn, status_of, within

log = logging.getLogger(__name__)
T = TypeVar("T")

_OBJECT_STORES = {"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss", "memory"}
_CONDITIONAL = {"s3", "s3a", "gs", "gcs"}
"""Protocols whose packages can ask not to write over what is there."""
_AMAZON = {"s3", "s3a"}
_EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs", "http": "http", "https": "http"}
_PARTIAL = ".partial-"
PATIENCE = 120.0
"""Seconds for which a failing request is tried again."""
_MISTAKES = (TypeError, AttributeError)
"""Of a program, which asking again does not mend."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 10.0
_TORN = 3
"""Times that a file comes torn before it lies there so."""
_AT_ONCE = 8
_TELLING = ("size", "ETag", "etag", "LastModified", "Last-Modified", "mtime", "md5Hash", "generation", "updated")
"""Of what places say about a file: whatever changes with its content."""


def is_url(text: str) -> bool:
    """
    >>> is_url("s3://bucket/store"), is_url("/data/store"), is_url("C:/store")
    (True, False, False)
    """
    scheme, found, _ = text.partition("://")
    return bool(found) and scheme.isalnum()


def telling(about: dict[str, Any]) -> dict[str, str]:
    """Of what a place says of a file, what tells one state of it from another; nothing where it is silent."""
    return {key: str(about[key]) for key in _TELLING if about.get(key) is not None}


def _without_patience(configured: Mapping[str, Any]) -> dict[str, Any]:
    """Options for Amazon's client: it tries once, beside what the user's own configuration of fsspec says.

    Left to itself it takes most of a minute for each request that fails, of which nobody hears: a writer would be taken
    for gone before it had said twice that it lives.
    """
    own = configured.get("s3", {}).get("config_kwargs", {})
    return {"config_kwargs": {"retries": {"total_max_attempts": 1}, **own}}


def _lying(files: Any, path: str) -> bytes | None:
    """What is at a path; nothing of it where the server says that it is torn, None where there is no such file."""
    try:
        found: bytes = files.cat_file(path)
    except FileNotFoundError:
        return None
    except Exception as error:
        if is_torn(error):
            return b""
        raise
    return found


class Unreachable(WorldGaugeError):
    """A place did not answer for as long as it was waited for."""


class Damaged(WorldGaugeError):
    """A file there is not what the place says of it, however often it is asked for."""


@dataclass(frozen=True)
class Place:
    """A folder by URL. Credentials and endpoints come from where its protocol's own tools find them."""

    url: str
    patience: float | None = None
    """Seconds for a failing request, without a word meanwhile; None: as long as a run waits, which says so."""

    def read(self, name: str) -> bytes | None:
        """A file's bytes; None where there is none."""
        try:
            data: bytes = self._patiently(lambda files: files.cat_file(self._path(name)))
        except FileNotFoundError:
            return None
        return data

    def create(self, name: str, data: bytes, over: bool = False) -> bool:
        """Put a file there, whole; false where there is one already, which stays unless it may be written `over`."""
        if not over and self._patiently(lambda files: files.exists(self._path(name))):
            return False
        tries = itertools.count()

        def put(files: Any) -> None:
            replaces = over
            if next(tries) and not over:
                # After an upload of which nobody knows what became of it. A part of our own is replaced, what somebody
                # else has put there meanwhile is not.
                there = _lying(files, self._path(name))
                if there == data:
                    return
                replaces = there is not None
                if there is not None and not data.startswith(there):
                    raise FileExistsError(name)
            self._write(files, self._path(name), data, replaces)

        return self._is_put(put)

    def names(self) -> Iterator[str]:
        """The files in it and in its folders, those of half-done writers left out."""
        yield from self.listing()

    def listing(self) -> dict[str, dict[str, Any]]:
        """Name to what the place says of a file: its size, and whatever tells one state of it from another."""
        try:
            found = self._patiently(lambda files: files.find(self._opened[1], withdirs=False, detail=True))
        except FileNotFoundError:
            return {}
        return {name: dict(about) for path, about in found.items() for name in self._found([path])}

    def entries(self) -> tuple[dict[str, dict[str, Any]], list[str]]:
        """The files right in it, with what the place says of each, and the folders. What lies below is not asked."""
        try:
            found = self._patiently(lambda files: files.ls(self._opened[1], detail=True))
        except (FileNotFoundError, NotADirectoryError):
            return {}, []
        files: dict[str, dict[str, Any]] = {}
        folders = []
        for about in found:
            for name in self._found([str(about["name"]).rstrip("/")]):
                if "/" in name:
                    continue
                if about.get("type") == "directory":
                    folders.append(name)
                else:
                    files[name] = dict(about)
        return files, sorted(folders)

    def about(self, name: str) -> dict[str, Any] | None:
        """What the place says of one file; None where there is none."""
        try:
            found: dict[str, Any] = self._patiently(lambda files: files.info(self._path(name)))
        except FileNotFoundError:
            return None
        return found if found.get("type", "file") == "file" else None

    def fetch(self, name: str, target: Path) -> None:
        """Copy a file to a path of this machine, whole or not at all."""
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f"{_PARTIAL}{uuid4().hex}")
        try:
            self._patiently(lambda files: files.get_file(self._path(name), str(partial)), large=True)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)

    def fetch_all(self, names: Iterable[str], folder: Path) -> None:
        """Copy files into a folder of this machine, several at a time."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(lambda name: self.fetch(name, folder / name), names))

    def remove(self, name: str) -> None:
        """Take a file away; one that is not there is no news."""
        with suppress(FileNotFoundError):
            self._patiently(lambda files: files.rm_file(self._path(name)))

    @property
    def conditional(self) -> bool:
        """Whether one may ask not to write over what is there. That a server pays heed to it is another matter."""
        return self._protocol in _CONDITIONAL

    def put_if_absent(self, name: str, data: bytes) -> bool:
        """Put a file there without looking first; false where the server says that there is one."""
        return self._is_put(lambda files: self._write(files, self._path(name), data, over=False))

    def _is_put(self, put: Callable[[Any], None]) -> bool:
        try:
            self._patiently(put)
        except FileExistsError:
            return False
        except FileNotFoundError as error:
            # Folders come to be with their files; what is not there is the bucket itself.
            raise StopsRun(f"{self.url} does not exist ({error})", "make the bucket first") from error
        return True

    def _found(self, paths: Iterable[str]) -> Iterator[str]:
        root = f"{self._opened[1]}/"
        for path in paths:
            name = str(path).removeprefix(root)
            if not name.rpartition("/")[2].startswith(_PARTIAL):
                yield name

    def _write(self, files: Any, path: str, data: bytes, over: bool) -> None:
        if self._protocol in _OBJECT_STORES:
            if not over and self.conditional:
                # Where the server offers it, nothing that came in between is written over.
                try:
                    files.pipe_file(path, data, mode="create")
                    return
                except Exception as error:
                    if status_of(error) != HTTPStatus.NOT_IMPLEMENTED:
                        raise
            files.pipe_file(path, data)
            return
        folder = path.rpartition("/")[0]
        files.makedirs(folder, exist_ok=True)
        partial = f"{folder}/{_PARTIAL}{uuid4().hex}"
        try:
            files.pipe_file(partial, data)
            files.mv(partial, path)
        except BaseException:
            if files.exists(partial):
                files.rm_file(partial)
            raise

    @property
    def _protocol(self) -> str:
        return self.url.partition("://")[0]

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        """The file system and the path in it."""
        extra = _EXTRAS.get(self._protocol, "urls")
        try:
            import fsspec

            # Others write too, so nothing is remembered of what a folder held.
            options = _without_patience(fsspec.config.conf) if self._protocol in _AMAZON else {}
            files, root = fsspec.url_to_fs(self.url, use_listings_cache=False, **options)
        except ImportError as error:
            raise WorldGaugeError(
                f"what reads {self.url} is not installed ({error})", f"pip install 'worldgauge[{extra}]'"
            ) from error
        except ValueError as error:
            raise WorldGaugeError(f"{self.url}: {error}", "give a URL such as s3://bucket/folder") from error
        return files, str(root).rstrip("/")

    def _path(self, name: str) -> str:
        return f"{self._opened[1]}/{name}"

    def _patiently(self, call: Callable[[Any], T], large: bool = False) -> T:
        """The answer, asked for again while the server stumbles. That a file is there or not is an answer.

        Whoever waits for so long and no longer is not kept by a server that says nothing at all; what is `large` may
        take its time.
        """
        files = self._opened[0]
        until = time.monotonic() + (PATIENCE if self.patience is None else self.patience)
        pause, torn, level = _FIRST_PAUSE, 0, logging.WARNING if self.patience is None else logging.DEBUG
        while True:
            try:
                return call(files) if self.patience is None or large else within(self.patience, lambda: call(files))
            except (FileNotFoundError, FileExistsError):
                raise
            except NotImplementedError as error:
                raise StopsRun(f"{self.url} cannot be written", "choose a place that can, or only read it") from error
            except Exception as error:  # Each protocol has errors of its own.
                if status_of(error) == HTTPStatus.PRECONDITION_FAILED:
                    raise FileExistsError(str(error)) from error
                if is_refusal(error):
                    raise StopsRun(f"{self.url} refuses: {error}", "look at the credentials") from error
                if isinstance(error, _MISTAKES):
                    raise
                if is_torn(error) and (torn := torn + 1) == _TORN:
                    raise Damaged(f"{self.url} has a damaged file ({error})", "delete it there") from error
                if time.monotonic() + pause > until:
                    raise Unreachable(
                        f"{self.url} does not answer ({type(error).__name__}: {error})",
                        "look whether the server runs, then run the same command again",
                    ) from error
                log.log(level, "%s: %s; trying again in %.1f s", self.url, error, pause)
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
