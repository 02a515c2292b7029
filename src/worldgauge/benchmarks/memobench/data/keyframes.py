"""The spreadsheets that say when a clip's target leaves and comes back."""

from __future__ import annotations

import logging
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgauge.core.case import Case, Phases
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading_arrays import archive_members
from worldgauge.core.video import Video
from worldgauge.functional.phases import linear_boundaries

log = logging.getLogger(__name__)

SHEET_LIMIT = 16 * 2**20
"""Bytes of an unpacked sheet."""
ROWS, COLUMNS = 10_000, 64
LEAST_FRAMES = 5
"""Below so many frames the released map puts the return behind the end of the clip."""
LONG_PHASE = 0.1
"""Of the reference: a shorter phase may have no frame of its own in a clip of an honest model, either."""
_DAMAGED = (
    OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, SyntaxError, OverflowError, RuntimeError,
    NotImplementedError, EOFError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""What openpyxl raises over files that are not what they seem."""


@dataclass(frozen=True)
class KeyframeRow:
    """One clip of a spreadsheet."""

    phases: Phases | None
    """None where the keyframes are not frame numbers."""
    prompt: str = ""
    skip: bool = False
    """The authors left the clip out."""


def read_synthetic(file: Path) -> dict[str, KeyframeRow]:
    """Clips of `Synthetic_ExitReenter.xlsx` by folder name."""
    rows = {}
    for row in sheet_rows(file, ("video_folder", "exits", "re-enter")):
        clip = str(row.get("video_folder") or "").strip()
        if clip:
            phases = _phases(clip, row.get("exits"), row.get("re-enter"))
            skip = any(_says_yes(value) for name, value in row.items() if name.lower() == "skip")
            rows[clip] = KeyframeRow(phases, str(row.get("prompt") or "").strip(), skip)
    return rows


def read_real(file: Path) -> dict[int, KeyframeRow]:
    """Clips of `Real_ExitReenter.xlsx` by number."""
    return {
        number: KeyframeRow(_phases(f"real {row['id']}", row.get("exit"), row.get("reenter")))
        for row in sheet_rows(file, ("id", "exit", "reenter"))
        if (number := _number(row.get("id"))) is not None
    }


def read_selection(file: Path) -> set[int]:
    """Numbers of the clips marked available in `Real_Selected.xlsx`."""
    rows = sheet_rows(file, ("ID", "Availability"))
    available = [row for row in rows if _says_yes(row.get("Availability"))]
    return {number for row in available if (number := _number(row.get("ID"))) is not None}


def sheet_rows(file: Path, required: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Rows of a workbook's first sheet by column name."""
    import openpyxl

    archive_members(file, SHEET_LIMIT)
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        # One cell far below or far to the right makes a sheet of any size.
        rows = list(book.worksheets[0].iter_rows(max_row=ROWS + 1, max_col=COLUMNS, values_only=True))
    except (*_DAMAGED, openpyxl.utils.exceptions.InvalidFileException) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise WorldGaugeError(f"{file} is not a readable xlsx workbook ({reason})") from error
    if len(rows) > ROWS:
        raise WorldGaugeError(f"{file} has more than {ROWS} rows", "delete what lies below the table")
    header = [str(cell or "").strip() for cell in rows[0]] if rows else []
    missing = [name for name in required if name not in header]
    if missing:
        raise WorldGaugeError(f"{file} has no column '{missing[0]}' (it has {', '.join(filter(None, header))[:200]})")
    for row in rows[1:]:
        yield dict(zip(header, row, strict=False))


def frames_needed(case: Case, video: Video) -> int:
    """So many frames that each phase which lasts a tenth of the reference holds one of a clip.

    >>> frames_needed(Case(id="a"), Video("a.mp4"))
    5
    """
    phases = case.reference.phases
    if phases is None or phases.back < phases.gone:
        return LEAST_FRAMES
    length = max(_reference_length(case), phases.back + 1)
    wanted = [part >= length * LONG_PHASE for part in (phases.gone, phases.back - phases.gone, length - phases.back)]
    for frames in range(LEAST_FRAMES, length):
        gone, back = linear_boundaries(phases.gone, phases.back, length, frames)
        held = (gone, back - gone, frames - back)
        if all(count > 0 for count, needed in zip(held, wanted, strict=True) if needed):
            return frames
    return LEAST_FRAMES


def _reference_length(case: Case) -> int:
    """Frames of the case's reference; 0 where it is not there."""
    if case.reference.video is None:
        return 0
    try:
        return Video(case.path(case.reference.video)).info.frames
    except (WorldGaugeError, OSError):
        return 0


def _phases(clip: str, gone: Any, back: Any) -> Phases | None:
    first, second = _number(gone), _number(back)
    if first is None or second is None or first < 0 or second < 0:
        log.warning("clip %s: keyframes %r and %r are no frame numbers; it has no phases", clip, gone, back)
        return None
    if second < first:
        log.warning("clip %s: exit %d lies after re-entry %d; only 'released' scores that", clip, first, second)
    return Phases(gone=first, back=second, unordered=second < first)


def _says_yes(value: Any) -> bool:
    return str(value or "").strip().lower() == "yes"


def _number(value: Any) -> int | None:
    try:
        return int(float(value))
    except (TypeError, ValueError, OverflowError):
        return None
