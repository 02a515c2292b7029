"""The records of a large run for other programs, written as they are read: memory does not grow with the run.

Unlike for a small run the columns are those of the record's format, whether any record fills them or not.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from itertools import chain, islice
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
    with out.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        for number, columns in enumerate(_portions(run)):
            if not number:
                writer.writerow(columns)
            writer.writerows(map(_cell, row) for row in zip(*columns.values(), strict=True))


def write_large_parquet(run: Run, out: Path) -> None:
    """One row per record, in row groups; raises `ImportError` without pyarrow."""
    import pyarrow as pa
    from pyarrow import parquet

    kinds: dict[str, Any] = dict.fromkeys(_INTEGERS, pa.int64()) | dict.fromkeys(_NUMBERS, pa.float64())
    kinds |= dict.fromkeys(_LISTS, pa.list_(pa.float64())) | {"again": pa.bool_()}
    kinds["constants"] = pa.map_(pa.string(), pa.float64())
    portions = _portions(run)
    first = next(portions)
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in first])
    with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        for columns in chain([first], portions):
            columns["constants"] = [list(constants.items()) for constants in columns["constants"]]
            arrays = [pa.array(columns[field.name], field.type) for field in schema]
            writer.write_table(pa.table(arrays, schema=schema))


def _portions(run: Run) -> Iterator[dict[str, list[Any]]]:
    """The records as columns, some thousands at a time; one portion at least."""
    tags = sorted({name for of_case in run.tags().values() for name in of_case})
    records = run.each_record()
    portion = list(islice(records, _AT_ONCE))
    while True:
        columns: dict[str, list[Any]] = {"model": [run.name] * len(portion)}
        for name in _FIELDS:
            default = _DEFAULTS.get(name)
            columns[name] = [record.get(name, default) for record in portion]
        for name in tags:
            columns[f"tag.{name}"] = [record.get("tags", {}).get(name) for record in portion]
        yield columns
        portion = list(islice(records, _AT_ONCE))
        if not portion:
            return


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return csv_text(value)
    return json.dumps(value) if isinstance(value, (list, dict)) else value
