"""Names of files as text. A file may be named by any bytes; a case id, a record and a page hold UTF-8."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path

_ESCAPED = re.compile(rb"\\x([0-9a-f]{2})")


def readable(name: str) -> str:
    r"""The name as UTF-8 text; bytes that are none stand there as `\xNN`.

    >>> readable("caf\udce9.mp4")
    'caf\\xe9.mp4'
    """
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def is_folder(path: Path) -> bool:
    """Whether it is a folder. `Path.is_dir` raises where a folder above may not be looked into; this says no."""
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def path_of(name: str | Path) -> Path:
    r"""The file a text names, `\xNN` read as a byte where no file has that very name."""
    path = Path(name)
    if "\\x" in str(path) and not os.path.lexists(path):
        unescaped = _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), os.fsencode(path))
        return Path(os.fsdecode(unescaped))
    return path


def below(folders: Mapping[Path, Path], path: Path) -> Path:
    """Where a path lies when these folders have moved.

    >>> below({Path("/a"): Path("/b")}, Path("/a/clip.mp4")).as_posix(), below({}, Path("c")).as_posix()
    ('/b/clip.mp4', 'c')
    """
    for folder, now in folders.items():
        if path == folder or folder in path.parents:
            return now / path.relative_to(folder)
    return path
