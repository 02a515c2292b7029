"""The data set's parquet files. Their pictures are written out once, so that models and instruments can read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import LINES_LIMIT, check_file

PICTURES: Final = "pictures"
"""Folder beside the parquet files that the pictures are written to."""


def parquet_records(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Records of every parquet file below a folder, in order of name, with `image` a file below `folder`."""
    try:
        import pyarrow.parquet as pq
    except ImportError as error:
        raise WorldGaugeError("reading parquet files needs pyarrow", "pip install 'worldgauge[parquet]'") from error
    counted: Counter[str] = Counter()
    for file in sorted(folder.rglob("*.parquet")):
        check_file(file, LINES_LIMIT)
        for number, row in enumerate(_rows(pq, file)):
            record = {key: value for key, value in row.items() if value is not None}
            if isinstance(record.get("image"), dict):
                record["image"] = _write_picture(folder, record, counted)
            yield f"{file} row {number}", record


def _rows(pq: Any, file: Path) -> Iterator[dict[str, Any]]:
    """Rows of one file, read a few at a time."""
    try:
        for batch in pq.ParquetFile(file).iter_batches(batch_size=32):
            yield from batch.to_pylist()
    except (OSError, ValueError, KeyError, TypeError, NotImplementedError, MemoryError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise WorldGaugeError(f"{file} is not a readable parquet file ({reason})", "download it again") from error


def _write_picture(folder: Path, record: dict[str, Any], counted: Counter[str]) -> str:
    """Write the picture of a record unless it is there already; its path below `folder`."""
    stored = record["image"]
    movement, style = record.get("visual_movement", ""), record.get("visual_style", "")
    group = record.get("motion_type") if movement == "dynamic" else record.get("category")
    place = Path(PICTURES, str(movement), str(style), str(group or record.get("scene_type", "")))
    # Some exports keep only the file's name, some nothing: then rows are numbered in their order.
    name = Path(stored.get("path") or f"{counted[str(place)]:03d}.png").name
    counted[str(place)] += 1
    target = folder / place / name
    if {"..", ""} & {*place.parts, name} or place.parts[0] != PICTURES:
        raise WorldGaugeError(f"the parquet row of {place / name} names a place outside {folder}")
    if not target.exists():
        if not stored.get("bytes"):
            raise WorldGaugeError(f"the parquet row of {place / name} holds no picture")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            partial = target.with_name(f".{name}.partial")
            partial.write_bytes(stored["bytes"])
            partial.replace(target)
        except OSError as error:
            raise WorldGaugeError(
                f"{target} cannot be written ({error})", "copy the parquet files elsewhere"
            ) from error
    return (place / name).as_posix()
