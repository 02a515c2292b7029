"""What is remembered about files of weights: digests, so that gigabytes are read once, and which file came first."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgauge.core.file_digests import digest_file, known_digest, remember_digests
from worldgauge.core.user_folders import user_folder

FILE_NAME = "known.json"
"""In the folder of weights: `files`, absolute path to facts and digest; `first`, id to the first digest and its day."""


def weights_folder() -> Path:
    """Where `fetch` puts files: what WORLDGAUGE_WEIGHTS_FOLDER names, else a folder in the user's cache."""
    return user_folder("WORLDGAUGE_WEIGHTS_FOLDER", "weights")


@dataclass(frozen=True)
class FirstSeen:
    """The file that was there first under an id whose digest nobody publishes."""

    digest: str
    date: str


def digest_of_weights(path: Path) -> str:
    """sha256 of a file, taken from memory where the file has not changed since another process read it."""
    name = str(path.absolute())
    if known_digest(path) is None:
        known = _read().get("files", {}).get(name)
        if known is not None:
            size, changed, entered, inode, digest = known
            remember_digests({name: ((size, changed, entered, inode), digest)})
    before = known_digest(path)
    digest = digest_file(path)
    after = known_digest(path)
    if after is not None and after != before:
        _write("files", name, [*after[0], after[1]])
    return digest


def first_seen(weights: str, digest: str) -> FirstSeen:
    """What was recorded under an id. Where nothing was, this digest is recorded now."""
    known = _read().get("first", {}).get(weights)
    if known is not None:
        return FirstSeen(known["digest"], known["date"])
    found = FirstSeen(digest, time.strftime("%Y-%m-%d", time.gmtime()))
    _write("first", weights, {"digest": found.digest, "date": found.date})
    return found


def forget_first(weights: str) -> None:
    """The next file that is seen under an id is its first."""
    _write("first", weights, None)


def _read() -> dict[str, Any]:
    try:
        found = json.loads((weights_folder() / FILE_NAME).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    parts = found.items() if isinstance(found, dict) else ()
    return {part: content for part, content in parts if isinstance(content, dict)}


def _write(part: str, key: str, value: Any) -> None:
    """A folder that cannot be written is no fault: then digests are taken anew by every process."""
    folder = weights_folder()
    content = _read()
    content[part] = {**content.get(part, {}), key: value}
    partial = folder / f".{FILE_NAME}.{os.getpid()}"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        partial.write_text(json.dumps(content, indent=1, sort_keys=True), "utf-8")
        partial.replace(folder / FILE_NAME)
