"""Looking at a run folder by URL, also while another machine writes to it: what `status` needs, kept on this machine.

Nobody is held up by it: nothing is written there, the lease is left alone, and so is the folder that a run of this
machine works in. Segments never change, so only those that are new are fetched; videos and signals are never asked for.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from worldgauge.core.contents import FILE_NAME as CONTENTS_FILE
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_file import FILE_NAME as RUN_FILE
from worldgauge.engine.journal import FILE_NAME as PROGRESS_FILE
from worldgauge.engine.places import Place, is_url, telling
from worldgauge.engine.run_places import Home, folder_for
from worldgauge.engine.spent import LEDGER
from worldgauge.engine.writing import OWNER_FILE, owner_of, told, writes_here

PATIENCE = 20.0
"""Seconds in which a place must answer somebody who only looks."""
_NEEDED = {RUN_FILE, CONTENTS_FILE, LEDGER, OWNER_FILE, PROGRESS_FILE}
_NOTE = ".watched.json"
_ATTEMPTS = 3


def watched_folder(place: str | Path, old: float = 0.0) -> Path:
    """A folder of this machine that says where a run stands, wherever that is written.

    What was fetched less than `old` seconds ago is not asked for again.
    """
    url = _url_of(place)
    if not url:
        return Path(place)
    here = folder_for(url)
    if writes_here(here):
        # What lies here is the newer.
        return here
    mirror = here.with_name(f".watched-{here.name}")
    note = _read_note(mirror)
    if not 0 <= time.time() - note.get("time", 0.0) < old:
        _refresh(Place(url, PATIENCE), mirror, note.get("files", {}))
    return mirror


def is_written(folder: Path) -> bool:
    """Whether somebody writes to a run folder, or was killed while it did; quick, whatever the folder holds."""
    if owner_of(folder):
        return True
    home = Home.of(folder)
    try:
        return home is not None and Place(home.place.url, PATIENCE).read(OWNER_FILE) is not None
    except WorldGaugeError:
        return False


def _url_of(place: str | Path) -> str:
    text = str(place).rstrip("/")
    if is_url(text):
        return text
    home = Home.of(Path(place))
    return "" if home is None else home.place.url


def _refresh(place: Place, mirror: Path, before: dict[str, Any]) -> None:
    """Have the files of now, and none that are gone."""
    for attempt in range(_ATTEMPTS):
        listed, folders = place.entries()
        if not listed and not folders:
            raise WorldGaugeError(
                f"there is nothing at {place.url}", "name the folder of a run: 'worldgauge run --out'"
            )
        files = {name: telling(about) for name, about in listed.items() if _is_needed(name)}
        if RUN_FILE not in files:
            raise _no_run(place, mirror, folders, OWNER_FILE in files)
        changed = [name for name, facts in files.items() if _may_differ(mirror / name, facts, before.get(name))]
        try:
            mirror.mkdir(parents=True, exist_ok=True)
            place.fetch_all(changed, mirror)
        except FileNotFoundError:
            # Gone between the list and the file, as the writer's name is when it leaves.
            if attempt + 1 < _ATTEMPTS:
                continue
            raise WorldGaugeError(f"{place.url} changes too quickly to be read", "ask again") from None
        break
    for file in mirror.iterdir():
        if _is_needed(file.name) and file.name not in files:
            file.unlink(missing_ok=True)
    partial = mirror / f"{_NOTE}.partial"
    partial.write_text(json.dumps({"url": place.url, "time": time.time(), "files": files}), "utf-8")
    partial.replace(mirror / _NOTE)


def _is_needed(name: str) -> bool:
    return name in _NEEDED or (name.startswith("records-") and name.endswith(".jsonl"))


def _may_differ(here: Path, facts: dict[str, str], before: dict[str, str] | None) -> bool:
    """Whether a file must be fetched. Of small ones that change all the time, a place may not tell the difference."""
    return here.name.startswith(".") or not facts or facts != before or not here.exists()


def _no_run(place: Place, mirror: Path, folders: list[str], has_owner: bool) -> WorldGaugeError:
    if has_owner:
        with suppress(FileNotFoundError):
            mirror.mkdir(parents=True, exist_ok=True)
            place.fetch(OWNER_FILE, mirror / OWNER_FILE)
            return WorldGaugeError(f"{place.url} has no {RUN_FILE} yet ({told(owner_of(mirror))})", "ask again soon")
    found = f", but folders: {', '.join(folders[:5])}{', ...' if len(folders) > 5 else ''}" if folders else ""
    return WorldGaugeError(f"{place.url} is not a run: it has no {RUN_FILE}{found}", "name the folder of a run")


def _read_note(mirror: Path) -> dict[str, Any]:
    try:
        found = json.loads((mirror / _NOTE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
