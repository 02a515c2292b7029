"""One file from an address: goes on where it was cut, also after the program was stopped, and is there whole or not."""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.version import __version__

PAUSE = 1.0
"""Seconds before the second attempt; each further one waits longer."""
_ATTEMPTS = 5
"""That bring nothing, one after the other, before giving up."""
_BLOCK = 1 << 20
_SILENCE = 60.0
"""Seconds without a byte after which a connection counts as cut."""
_CUT = (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError)
_LATER = (408, 429, 500, 502, 503, 504)
"""Answers of a server that may be another one in a moment."""
_PART = ".part"

Progress = Callable[[int, int], None]
"""Called with megabytes done and megabytes in all."""


@dataclass(frozen=True)
class Remote:
    """A file somewhere else."""

    url: str
    authorization: str = field(default="", repr=False)
    """Sent to that host alone, not to where it sends us on."""
    tag: str = ""
    """Tells versions of the file apart: a part of one must not be completed by another."""


def download(remote: Remote, path: Path, progress: Progress) -> None:
    """Write a remote file to `path`. A part that an earlier attempt left beside it is completed.

    Proxies are taken from the environment, as every program does.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}{remote.tag and '.'}{remote.tag}{_PART}")
    idle, problem = 0, ""
    while idle < _ATTEMPTS:
        if idle:
            time.sleep(PAUSE * idle)
        before = _size(part)
        try:
            if _take(remote, part, progress):
                part.replace(path)
                _drop_parts(path)
                return
            problem = "the connection was cut"
        except urllib.error.HTTPError as error:
            problem = f"the server answers {error.code} {error.reason}"
            if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
                # The part is longer than the file: it is of another one.
                part.unlink(missing_ok=True)
            elif error.code not in _LATER:
                break
        except _CUT as error:
            problem = str(getattr(error, "reason", error)) or type(error).__name__
        idle = 1 if _size(part) > before else idle + 1
    raise WorldGaugeError(
        f"{remote.url} cannot be fetched: {problem}",
        "check the network and proxies; what came is kept, and the same command goes on from there",
    )


def _take(remote: Remote, part: Path, progress: Progress) -> bool:
    """Append what is missing; whether the file is complete now."""
    offset = _size(part)
    request = urllib.request.Request(remote.url, headers={"User-Agent": f"worldgauge/{__version__}"})
    if offset:
        request.add_header("Range", f"bytes={offset}-")
    if remote.authorization:
        request.add_unredirected_header("Authorization", remote.authorization)
    with urllib.request.urlopen(request, timeout=_SILENCE) as answer:
        if answer.status != http.client.PARTIAL_CONTENT:
            offset = 0
        length = answer.headers.get("Content-Length")
        total = offset + int(length) if length else None
        done = offset
        with part.open("ab" if offset else "wb") as stream:
            while block := answer.read(_BLOCK):
                stream.write(block)
                done += len(block)
                progress(round(done / 1e6), round((total or done) / 1e6))
    return total is None or done == total


def _size(part: Path) -> int:
    return part.stat().st_size if part.is_file() else 0


def _drop_parts(path: Path) -> None:
    """What earlier attempts left of other versions."""
    for other in path.parent.glob(f"*{_PART}"):
        if other.name.startswith(path.name):
            other.unlink(missing_ok=True)
