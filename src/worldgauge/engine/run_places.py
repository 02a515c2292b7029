"""Run folders by URL: one works in a folder of this machine, and what is finished is brought to the place as it comes.

There records are segments that never change, `records-<writer>-<n>.jsonl`: the whole lines that a writer had more than
the last time. Whoever reads the folder has all segments; whoever writes to it holds the lease.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from filelock import FileLock, Timeout

from worldgauge.core.canonical import digest_of
from worldgauge.core.column_file import FILE_NAME as COLUMNS_FILE
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.record_lines import record_files
from worldgauge.core.run_file import FILE_NAME as RUN_FILE
from worldgauge.core.user_folders import user_folder
from worldgauge.engine.journal import FILE_NAME as PROGRESS_FILE
from worldgauge.engine.lease import Lease, LeaseLost
from worldgauge.engine.places import Place, is_url
from worldgauge.engine.spent import LEDGER
from worldgauge.engine.whole_lines import lines_of, next_lines
from worldgauge.engine.writing import LOCK_FILE

log = logging.getLogger(__name__)

HOME_FILE = ".home.json"
EVERY = 5.0
"""Seconds between two times of bringing: what a machine that burns down takes along."""
_RESTS = 20
"""For every second that a whole file took, so many before it is brought again."""
_LARGEST = 64 * 2**20
"""Bytes of a segment: memory holds one at a time, and a line that fails costs no more than that again."""
_SEGMENT = re.compile(r"records-[0-9a-f]{12}-\d{6}\.jsonl")


class Home:
    """The place that a folder of this machine is brought to."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.place = folder, Place(url)
        self._file = folder / HOME_FILE
        try:
            self._state: dict[str, Any] = json.loads(self._file.read_bytes())
        except (OSError, ValueError):
            self._state = {}
        if self._state.get("place") != url:
            self._state = {"place": url, "writer": uuid4().hex[:12], "next": 0, "lines": {}, "others": {}}
        self._bringing = threading.Lock()
        self._again: dict[str, float] = {}
        """When a file that changes may be brought again, at leisure."""

    @property
    def writer(self) -> str:
        return str(self._state["writer"])

    @property
    def _own(self) -> str:
        """How the names of our segments begin."""
        return f"records-{self.writer}-"

    @classmethod
    def of(cls, folder: Path) -> Home | None:
        """Where a folder is brought to; None for one that stays here."""
        try:
            url = str(json.loads((folder / HOME_FILE).read_bytes())["place"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return cls(folder, url)

    def fetch(self) -> None:
        """Have here what lies there: segments of other writers, and the files that describe the run."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._save()
        files, _ = self.place.entries()
        if self._state["next"] and not any(name.startswith(self._own) for name in files):
            # Somebody has cleared the place: what this machine has is brought once more.
            self._state |= {"next": 0, "lines": {}, "others": {}}
        for file in record_files(self.folder):
            if _SEGMENT.fullmatch(file.name) and file.name not in files:
                file.unlink()
        wanted = {name: about for name, about in files.items() if not name.startswith((".", self._own))}
        noted = lines_of(self.folder / LEDGER)
        self.place.fetch_all([name for name in wanted if not self._has(name, wanted[name])], self.folder)
        for name in wanted:
            if not name.startswith("records-"):
                self._state["others"][name] = _state_of(self.folder / name)
        self._keep_ledger(noted)
        self._save()

    def _keep_ledger(self, noted: list[bytes]) -> None:
        """What was paid for and not yet brought when this machine was killed stays in the ledger."""
        there = lines_of(self.folder / LEDGER)
        known = set(there)
        if missing := [line for line in noted if line not in known]:
            partial = self.folder / f".{LEDGER}.partial"
            partial.write_bytes(b"".join([*there, *missing]))
            partial.replace(self.folder / LEDGER)
            # It is not what lies there, so the next bringing takes it along.
            self._state["others"].pop(LEDGER, None)

    def _has(self, name: str, about: dict[str, Any]) -> bool:
        """Whether a file is here as it is there: of segments, which never change, that is seen by the size."""
        here = self.folder / name
        return name.startswith("records-") and here.exists() and here.stat().st_size == about.get("size")

    def bring(self, at_leisure: bool = False) -> None:
        """Bring there what is new here: whole lines as the next segment, other files as they are.

        What the run tells of itself comes last, so that it never tells more than the records. `at_leisure` a file that
        grows, such as a judge's ledger, waits the longer the longer it takes.
        """
        with self._bringing:
            for file in record_files(self.folder):
                if not _SEGMENT.fullmatch(file.name):
                    self._bring_lines(file)
            for file in sorted(self.folder.iterdir()):
                if file.is_file() and not file.name.startswith((".", "records-")) and file.name != COLUMNS_FILE:
                    self._bring_changed(file, at_leisure)
            self._bring_changed(self.folder / PROGRESS_FILE, at_leisure)

    def _bring_changed(self, file: Path, at_leisure: bool) -> None:
        started = time.monotonic()
        if at_leisure and started < self._again.get(file.name, started):
            return
        try:
            state = _state_of(file)
            if self._state["others"].get(file.name) == state:
                return
            data = file.read_bytes()
        except FileNotFoundError:
            return
        self.place.create(file.name, data, over=True)
        ended = time.monotonic()
        self._again[file.name] = ended + _RESTS * (ended - started)
        self._state["others"][file.name] = state
        self._save()

    def _bring_lines(self, file: Path) -> None:
        done: dict[str, int] = self._state["lines"]
        while data := next_lines(file, done.get(file.name, 0), _LARGEST):
            name = f"{self._own}{self._state['next']:06d}.jsonl"
            brought = len(data)
            if not self.place.create(name, data):
                # Brought before we were killed, and not noted: what is there is the beginning of what is here.
                there = self.place.read(name) or b""
                if there.endswith(b"\n"):
                    brought = len(there) if data.startswith(there) else 0
                else:
                    # Cut in the middle, by a server that shows half an upload.
                    self.place.create(name, data, over=True)
            done[file.name] = done.get(file.name, 0) + brought
            self._state["next"] += 1
            self._save()

    def _save(self) -> None:
        partial = self._file.with_name(f"{HOME_FILE}.partial")
        partial.write_text(json.dumps(self._state), "utf-8")
        partial.replace(self._file)


def run_at(place: str | Path) -> Path:
    """The folder of a run. For one by URL: a folder of this machine that holds what lies there now."""
    url = str(place).rstrip("/")
    if not is_url(url):
        return Path(place)
    root = folder_for(url)
    home = Home(root, url)
    root.mkdir(parents=True, exist_ok=True)
    lock = FileLock(root / LOCK_FILE, thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        # A run of this machine is at it: what lies here is the newer.
        return root
    try:
        home.fetch()
    finally:
        lock.release()
    return root


def known_run(place: str | Path) -> Path:
    """The folder of a run that is there to be read; what lies at a URL and is none is refused by that name."""
    folder = run_at(place)
    if is_url(str(place)) and not (folder / RUN_FILE).exists():
        raise WorldGaugeError(f"{place} is not a run: it has no {RUN_FILE}", "name a folder that 'worldgauge run' made")
    return folder


def folder_for(url: str) -> Path:
    """The folder of this machine that stands for a run folder by URL."""
    return user_folder("WORLDGAUGE_REMOTE_RUNS", "runs") / digest_of(url)[:16] / (url.rpartition("/")[2] or "run")


def folder_below(folder: Path, name: str) -> Path:
    """A run folder in another one, here or where that one is brought to."""
    home = Home.of(folder)
    return folder / name if home is None else run_at(f"{home.place.url}/{name}")


def told_place(folder: Path) -> str:
    """A run folder as people know it."""
    home = Home.of(folder)
    return str(folder) if home is None else home.place.url


@contextmanager
def bringing(folder: Path, break_lock: bool = False) -> Iterator[None]:
    """Hold the place of a folder, have here what lies there, and bring what is written as it comes.

    Nothing for a folder that stays here. A place that does not answer for a while only delays: what could not be
    brought lies here, and the same command brings it.
    """
    home = Home.of(folder)
    if home is None:
        yield
        return
    lease = Lease(home.place, home.writer)
    lease.take(break_lock)
    lost: list[LeaseLost] = []
    try:
        home.fetch()
        ended = threading.Event()
        thread = threading.Thread(target=_bring_as_it_comes, args=(home, lease, ended, lost), daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            _bring_the_rest(home, lease, lost)
    finally:
        if not lost:
            lease.release()
    if lost:
        raise lost[0]


def bring(folder: Path) -> None:
    """Bring what was derived after a run, such as its summary."""
    home = Home.of(folder)
    if home is not None:
        home.bring()


def _bring_as_it_comes(home: Home, lease: Lease, ended: threading.Event, lost: list[LeaseLost]) -> None:
    while not ended.wait(EVERY):
        try:
            lease.renew()
            home.bring(at_leisure=True)
        except LeaseLost as error:
            log.error("%s", error.message)
            lost.append(error)
            return
        except (WorldGaugeError, OSError) as error:
            # Tried again the next time, and at the end.
            log.warning("%s", error)


def _bring_the_rest(home: Home, lease: Lease, lost: list[LeaseLost]) -> None:
    """What is not there yet; nothing where somebody else writes there now, who describes the run anew."""
    on_its_way = sys.exception()
    try:
        if not lost:
            lease.renew()
            home.bring()
    except LeaseLost as error:
        log.error("%s", error.message)
        lost.append(error)
    except (WorldGaugeError, OSError) as error:
        if on_its_way is None:
            raise
        log.warning("not all was brought to %s: %s", home.place.url, error)


def _state_of(file: Path) -> list[int]:
    found = file.stat()
    return [found.st_size, found.st_mtime_ns]
