"""Folders of ours on the user's machine: where they are, and how to recognise one among the user's own."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Final

RUN, REPORT, STORE, CASES, SUBMISSION = "run folder", "report", "store", "case folder", "submission"
"""Kinds of folders whose videos are not the user's to be scored."""
RUN_FILE: Final = "run.json"
REPORT_MARK: Final = "data/index.js"
"""Every HTML report has this file, which begins with the text below."""
REPORT_BEGINS: Final = b'wg.put("index",'
_HEX = re.compile(r"[0-9a-f]{2}")
_ENTRY = re.compile(r"[0-9a-f]{62}\.npz")
_LARGEST = 64 << 20
"""Bytes of a run.json; a longer one is not ours."""


def user_folder(variable: str, name: str) -> Path:
    """The folder that an environment variable names, else `name` in the user's cache."""
    named = os.environ.get(variable)
    if named:
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("worldgauge") / name


def own_kind(folder: Path, names: Collection[str]) -> str:
    """What a folder with these entries is, where this package made it or reads it as a whole; empty for any other.

    A report has copies of videos that were scored elsewhere; a run folder and the store have no videos of the user's.
    A folder of cases has a data set's own files, and one with a submission.json says itself whose its videos are.
    """
    if RUN_FILE in names and _is_run(folder):
        return RUN
    if "index.html" in names and "data" in names and _begins(folder / REPORT_MARK, REPORT_BEGINS):
        return REPORT
    if "cases.jsonl" in names:
        return CASES
    if "submission.json" in names:
        return SUBMISSION
    return STORE if any(_HEX.fullmatch(name) and _has_entries(folder / name) for name in names) else ""


def _is_run(folder: Path) -> bool:
    """Other programs write a run.json too: ours says what was measured, or has records next to it."""
    try:
        if any(folder.glob("records-*.jsonl")):
            return True
        file = folder / RUN_FILE
        content = json.loads(file.read_bytes()) if file.is_file() and file.stat().st_size <= _LARGEST else None
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and {"schema", "benchmark", "definitions"} <= content.keys()


def _begins(file: Path, text: bytes) -> bool:
    try:
        with file.open("rb") as stream:
            return file.is_file() and stream.read(len(text)) == text
    except OSError:
        return False


def _has_entries(folder: Path) -> bool:
    try:
        return any(_ENTRY.fullmatch(path.name) for path in folder.iterdir())
    except OSError:
        return False
