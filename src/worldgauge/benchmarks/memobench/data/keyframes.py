"""The spreadsheets that say when a clip's target leaves and comes back."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgauge.core.case import Phases
from worldgauge.core.errors import WorldGaugeError

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class KeyframeRow:
    """One clip of a spreadsheet."""

    phases: Phases | None
    """None where the keyframes are not numbers or out of order."""
    prompt: str = ""
    skip: bool = False
    """The authors left the clip out."""


def read_synthetic(file: Path) -> dict[str, KeyframeRow]:
    """Clips of `Synthetic_ExitReenter.xlsx` by folder name."""
    rows = {}
    for row in sheet_rows(file, ("video_folder", "exits", "re-enter")):
        clip = str(row["video_folder"] or "").strip()
        if clip:
            phases = _phases(clip, row["exits"], row["re-enter"])
            skip = str(row.get("skip") or "").strip().lower() == "yes"
            rows[clip] = KeyframeRow(phases, str(row.get("prompt") or ""), skip)
    return rows


def read_real(file: Path) -> dict[int, KeyframeRow]:
    """Clips of `Real_ExitReenter.xlsx` by number."""
    return {
        int(float(row["id"])): KeyframeRow(_phases(f"real {row['id']}", row["exit"], row["reenter"]))
        for row in sheet_rows(file, ("id", "exit", "reenter"))
        if _number(row["id"]) is not None
    }


def read_selection(file: Path) -> set[int]:
    """Numbers of the clips marked available in `Real_Selected.xlsx`."""
    rows = sheet_rows(file, ("ID", "Availability"))
    return {int(float(r["ID"])) for r in rows if str(r["Availability"] or "").strip().lower() == "yes"}


def sheet_rows(file: Path, required: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Rows of a workbook's first sheet by column name."""
    import openpyxl

    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    except (OSError, ValueError, KeyError, openpyxl.utils.exceptions.InvalidFileException) as error:
        raise WorldGaugeError(f"{file} is not a readable xlsx workbook ({error})") from error
    rows = book.worksheets[0].iter_rows(values_only=True)
    header = [str(cell or "").strip() for cell in next(rows, ())]
    missing = [name for name in required if name not in header]
    if missing:
        raise WorldGaugeError(f"{file} has no column '{missing[0]}' (it has {', '.join(filter(None, header))})")
    for row in rows:
        yield dict(zip(header, row, strict=False))


def _phases(clip: str, gone: Any, back: Any) -> Phases | None:
    first, second = _number(gone), _number(back)
    if first is None or second is None or not 0 <= first <= second:
        log.warning("clip %s: keyframes %r and %r are no frame numbers; it has no phases", clip, gone, back)
        return None
    return Phases(gone=first, back=second)


def _number(value: Any) -> int | None:
    try:
        return int(float(value))
    except (TypeError, ValueError, OverflowError):
        return None
