"""The records of a large run for other programs, written as they are read: memory does not grow with the run.

Unlike for a small run the columns are those of the record's format, whether any record fills them or not.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from worldgauge.core.record import Record
from worldgauge.core.run_folder import Run
from worldgauge.report.plain import csv_text

_AT_ONCE = 20_000
_FIELDS = tuple(field.alias or name for name, field in Record.model_fields.items() if name != "tags")
_DEFAULTS = {
    field.alias or name: field.default
    for name, field in Record.model_fields.items()
    if name != "tags" and not field.is_required()
}
_INTEGERS = ("schema", "take", "invocation")
_NUMBERS = ("value", "raw", "weight", "left_out", "seconds", "time")
_LISTS = ("curve", "repeats")


def write_large_csv(run: Run, out: Path) -> None:
    """One row per record; lists are written as JSON, and no text can be a formula."""
    tags = _tag_names(run)
    with out.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["model", *_FIELDS, *(f"tag.{name}" for name in tags)])
        for row in _rows(run, tags):
            writer.writerow([_cell(value) for value in row.values()])


def write_large_parquet(run: Run, out: Path) -> None:
    """One row per record, in row groups; raises `ImportError` without pyarrow."""
    import pyarrow as pa
    from pyarrow import parquet

    tags = _tag_names(run)
    kinds: dict[str, Any] = {name: pa.string() for name in ("model", *_FIELDS, *(f"tag.{name}" for name in tags))}
    kinds |= dict.fromkeys(_INTEGERS, pa.int64()) | dict.fromkeys(_NUMBERS, pa.float64()) | {"again": pa.bool_()}
    kinds |= dict.fromkeys(_LISTS, pa.list_(pa.float64())) | {"constants": pa.map_(pa.string(), pa.float64())}
    schema = pa.schema(list(kinds.items()))
    rows = _rows(run, tags)
    with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        while batch := list(islice(rows, _AT_ONCE)):
            arrays = [
                pa.array([_entries(row[name]) if name == "constants" else row[name] for row in batch], kind)
                for name, kind in kinds.items()
            ]
            writer.write_table(pa.table(arrays, schema=schema))


def _rows(run: Run, tags: list[str]) -> Iterator[dict[str, Any]]:
    for record in run.each_record():
        own = record.get("tags", {})
        row = {"model": run.name} | {name: record.get(name, _DEFAULTS.get(name)) for name in _FIELDS}
        yield row | {f"tag.{name}": own.get(name) for name in tags}


def _tag_names(run: Run) -> list[str]:
    return sorted({name for tags in run.tags().values() for name in tags})


def _entries(constants: dict[str, float] | None) -> list[tuple[str, float]]:
    return list((constants or {}).items())


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return csv_text(value)
    return json.dumps(value) if isinstance(value, (list, dict)) else value
