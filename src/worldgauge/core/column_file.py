"""The columns of a large run, kept beside its records: derived from them, and made again whenever they change.

Reading four million lines takes a minute, reading this file a second. It is never the truth: it carries a stamp of the
files it was made from, and one that does not fit is not looked at.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from worldgauge.core.canonical import digest_of
from worldgauge.core.status import Status

if TYPE_CHECKING:
    from worldgauge.core.run_folder import Columns

FILE_NAME = "columns.parquet"
LEAST_BYTES = 100 * 2**20
"""Of records, from which the file is worth its while."""
_VERSION = 1


def stamp_of(folder: Path) -> str:
    """Tells the files of a run folder that columns rest on from other states of them; empty for a small run."""
    records = sorted(folder.glob("records-*.jsonl"))
    files = [*records, folder / "run.json", folder / "contents.jsonl"]
    found = [(file.name, file.stat()) for file in files if file.exists()]
    if sum(status.st_size for name, status in found if name.startswith("records-")) < LEAST_BYTES:
        return ""
    return digest_of([_VERSION, [(name, status.st_size, status.st_mtime_ns) for name, status in found]])


def save_columns(folder: Path, stamp: str, columns: Mapping[str, Columns], left_out: Mapping[str, Any]) -> None:
    """Write the file, whole or not at all. Without pyarrow, or where nothing may be written, there is none."""
    with suppress(ImportError, OSError):
        import pyarrow
        from pyarrow import parquet

        kept = json.dumps({"stamp": stamp, "left_out": left_out, "metrics": list(columns)})
        schema = _schema().with_metadata({"worldgauge": kept})
        partial = folder / f".{FILE_NAME}.{uuid4().hex}"
        try:
            with parquet.ParquetWriter(partial, schema, compression="zstd") as writer:
                for column in columns.values():
                    # A row group each, so that one metric can be read alone.
                    writer.write_table(_table(column, pyarrow, schema), row_group_size=max(1, len(column.cases)))
            partial.replace(folder / FILE_NAME)
        finally:
            partial.unlink(missing_ok=True)


def load_columns(folder: Path, stamp: str) -> tuple[dict[str, Columns], dict[str, Any]] | None:
    """The columns and what was left out of them; None where no file fits."""
    file = folder / FILE_NAME
    if not file.is_file():
        return None
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        return None
    try:
        opened = parquet.ParquetFile(file)
        kept = json.loads(opened.schema_arrow.metadata[b"worldgauge"])
        if kept["stamp"] != stamp or len(kept["metrics"]) != opened.num_row_groups:
            return None
        groups = range(opened.num_row_groups)
        found = {name: _columns(opened.read_row_group(k)) for name, k in zip(kept["metrics"], groups, strict=True)}
    except (OSError, KeyError, TypeError, ValueError, pyarrow.ArrowException):
        return None
    return found, kept["left_out"]


def _schema() -> Any:
    import pyarrow as pa

    words = pa.dictionary(pa.int32(), pa.string())
    numbers = {name: pa.float64() for name in ("value", "raw", "weight")}
    beside = {"constants": pa.map_(pa.string(), pa.float64()), "repeats": pa.list_(pa.float64())}
    texts = {"case": pa.string(), "take": pa.int32(), "cluster": words, "status": words, "code": words}
    return pa.schema([*texts.items(), *numbers.items(), *beside.items()])


def _table(column: Columns, pa: Any, schema: Any) -> Any:
    count = len(column.cases)
    constants: list[Any] = [None] * count
    if column.constants:
        rows = zip(*column.constants.values(), strict=True)
        constants = [list(zip(column.constants, map(float, row), strict=True)) for row in rows]
    arrays = [
        column.cases, column.takes, column.clusters, [status.value for status in column.statuses], column.codes,
        column.values, column.raws, column.weights, constants,
        [None] * count if column.repeats is None else list(column.repeats),
    ]  # fmt: skip
    kinds = [field.type for field in schema]
    made = []
    for values, kind in zip(arrays, kinds, strict=True):
        if pa.types.is_dictionary(kind):
            made.append(pa.array(values, pa.string()).dictionary_encode().cast(kind))
        else:
            made.append(pa.array(values, kind))
    return pa.table(made, schema=schema)


def _columns(table: Any) -> Columns:
    from worldgauge.core.run_folder import Columns

    statuses = {status.value: status for status in Status}
    cells = {name: table.column(name) for name in table.column_names}

    def floats(name: str) -> np.ndarray:
        return np.asarray(cells[name].to_numpy(), np.float64)

    constants: dict[str, np.ndarray] = {}
    if cells["constants"].null_count < len(table):
        rows = [dict(row) for row in cells["constants"].to_pylist()]
        constants = {name: np.array([row[name] for row in rows], np.float64) for name in rows[0]}
    repeats = None
    if cells["repeats"].null_count < len(table):
        repeats = np.array(cells["repeats"].to_pylist(), np.float64)
    return Columns(
        cases=cells["case"].to_pylist(),
        takes=cells["take"].to_pylist(),
        clusters=cells["cluster"].to_pylist(),
        statuses=[statuses[text] for text in cells["status"].to_pylist()],
        values=floats("value"),
        raws=floats("raw"),
        weights=floats("weight"),
        codes=cells["code"].to_pylist(),
        constants=constants,
        repeats=repeats,
    )
