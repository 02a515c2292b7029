"""The board's submission: a ZIP with `leaderboard_submission.json` and, beside it, what its numbers rest on."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final

from worldgauge.benchmarks.mbench.official.metric_ids import GROUPS, MODEL_TYPES, SCORES
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import parse_json
from worldgauge.core.reading_arrays import archive_members
from worldgauge.report.unofficial import NOTE_FILE

SUBMISSION: Final = "leaderboard_submission.json"
VERIFICATION: Final = "verification"
REQUIRED: Final = ("model_name", "model_link", "model_type", "total_m_score")
OPTIONAL: Final = (
    *(f"{group}_score" for group in GROUPS), "trigger_coverage", "memory_reliability", *(one.column for one in SCORES),
)  # fmt: skip
MEMBER_LIMIT: Final = 256 * 2**20
"""Bytes of one file in a ZIP that is read."""
DECIMALS: Final = 4


@dataclass(frozen=True)
class Board:
    """What a submission says."""

    submission: dict[str, Any]
    """Content of `leaderboard_submission.json`, keys in small letters."""
    files: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """`<group>/items.jsonl`, `<group>/units.jsonl` to their rows; `<group>/summary.json` to one row."""
    note: str = ""
    """Content of `UNOFFICIAL.txt`: why the numbers are not official. Empty: there is no such file."""


def check_submission(content: Any, where: str) -> dict[str, Any]:
    """A submission by the board's rules, its keys in small letters."""
    if not isinstance(content, Mapping):
        raise WorldGaugeError(f"{where} is not an object")
    found = {str(key).strip().lower(): value for key, value in content.items()}
    for key in REQUIRED:
        if found.get(key) in (None, ""):
            raise WorldGaugeError(f"{where} has no {key}", f"needed are {', '.join(REQUIRED)}")
    if str(found["model_type"]).lower() not in MODEL_TYPES.values():
        kinds = " or ".join(MODEL_TYPES.values())
        raise WorldGaugeError(f"{where}: model_type '{found['model_type']}'", f"use {kinds}")
    for key in ("total_m_score", *OPTIONAL):
        value = found.get(key)
        if value is None and key != "total_m_score":
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 100:
            raise WorldGaugeError(f"{where}: {key} is {value!r}", "scores are numbers from 0 to 100")
    return found


def write_board(file: Path, board: Board) -> None:
    """The ZIP, complete or not at all; refused where the board would refuse it."""
    check_submission(board.submission, SUBMISSION)
    partial = file.with_name(f".{file.name}.partial")
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, SUBMISSION, json.dumps(board.submission, indent=1, ensure_ascii=False) + "\n")
        for name, rows in sorted(board.files.items()):
            _add(archive, f"{VERIFICATION}/{name}", _text(name, rows))
        if board.note:
            _add(archive, NOTE_FILE, board.note)
    partial.replace(file)


def read_board(file: Path) -> Board:
    """A submission back from its ZIP: the JSON at the root, no path that leaves it."""
    members = archive_members(file, MEMBER_LIMIT)
    for member in members:
        path = PurePosixPath(member.filename)
        if path.is_absolute() or ".." in path.parts or "\\" in member.filename or ":" in path.parts[0]:
            raise WorldGaugeError(f"{file} holds the unsafe path '{member.filename}'", "pack it anew")
    names = [member.filename for member in members if not member.is_dir()]
    if SUBMISSION not in names:
        raise WorldGaugeError(f"{file} has no {SUBMISSION} at its root", "it must not lie in a folder")
    files: dict[str, list[dict[str, Any]]] = {}
    with zipfile.ZipFile(file) as archive:
        submission = check_submission(
            parse_json(archive.read(SUBMISSION), f"{file} {SUBMISSION}", unique=True), f"{file} {SUBMISSION}"
        )
        for name in names:
            if name.startswith(f"{VERIFICATION}/") and name.endswith((".json", ".jsonl")):
                files[name.removeprefix(f"{VERIFICATION}/")] = _rows(archive.read(name), f"{file} {name}", name)
        note = archive.read(NOTE_FILE).decode("utf-8", "replace") if NOTE_FILE in names else ""
    return Board(submission, files, note)


def _add(archive: zipfile.ZipFile, name: str, text: str) -> None:
    # A fixed time: the same run gives the same bytes.
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, text)


def _text(name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    if name.endswith(".jsonl"):
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return json.dumps(rows[0], indent=1, ensure_ascii=False) + "\n"


def _rows(content: bytes, where: str, name: str) -> list[dict[str, Any]]:
    lines = [line for line in content.splitlines() if line.strip()] if name.endswith(".jsonl") else [content]
    rows = [parse_json(line, f"{where} line {k}") for k, line in enumerate(lines, start=1)]
    if not all(isinstance(row, dict) for row in rows):
        raise WorldGaugeError(f"{where} holds something that is not an object")
    return rows
