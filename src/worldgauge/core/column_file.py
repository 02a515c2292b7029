"""The columns of a large run, kept beside its records: derived from them, and made again whenever they change.

Reading four million lines takes a minute, reading this file a second. It is never the truth: it carries a stamp of the
files it was made from, and one that does not fit is not looked at. Anything that reads Parquet can ask it, such as
`duckdb -c "select metric, avg(value) from 'columns.parquet' group by metric"`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from worldgauge.core.canonical import digest_of
from worldgauge.core.columns import Columns
from worldgauge.core.gathering import SharedLists
from worldgauge.core.record_lines import record_files
from worldgauge.core.status import Status

log = logging.getLogger(__name__)

FILE_NAME = "columns.parquet"
LEAST_BYTES = 100 * 2**20
"""Of records, from which the file is worth its while."""
_VERSION = 3


def stamp_of(folder: Path) -> str:
    """Tells the files of a run folder that columns rest on from other states of them; empty for a small run."""
    files = [*record_files(folder), folder / "run.json", folder / "contents.jsonl"]
    found = [(file.name, file.stat()) for file in files if file.exists()]
    if not is_large(folder):
        return ""
    return digest_of([_VERSION, [(name, status.st_size, status.st_mtime_ns) for name, status in found]])


def is_large(folder: Path) -> bool:
    """Whether a run has so many records that they are better not all in memory."""
    return sum(file.stat().st_size for file in record_files(folder)) >= LEAST_BYTES


def save_columns(
    folder: Path, stamp: str, columns: Mapping[str, Columns], left_out: Mapping[str, Any], files: Sequence[Path]
) -> None:
    """Write the file, whole or not at all. Without pyarrow, or where nothing may be written, there is none.

    `files` are those that the places in the columns are about.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        log.warning("the lines of %s are read anew every time: pip install 'worldgauge[parquet]' keeps columns", folder)
        return
    with suppress(OSError):
        kept = json.dumps(
            {"stamp": stamp, "left_out": left_out, "metrics": list(columns), "files": [file.name for file in files]}
        )
        schema = _schema().with_metadata({"worldgauge": kept})
        partial = folder / f".{FILE_NAME}.{uuid4().hex}"
        try:
            with parquet.ParquetWriter(partial, schema, compression="zstd") as writer:
                for metric, column in columns.items():
                    # A row group each, so that one metric can be read alone.
                    table = _table(metric, column, pyarrow, schema)
                    writer.write_table(table, row_group_size=max(1, len(column.cases)))
            partial.replace(folder / FILE_NAME)
        finally:
            partial.unlink(missing_ok=True)


def load_columns(folder: Path, stamp: str) -> tuple[dict[str, Columns], dict[str, Any], list[Path]] | None:
    """The columns, what was left out of them and the files of their lines; None where no file fits."""
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
        reader = _Reader()
        found = {name: reader.columns(opened.read_row_group(k)) for k, name in enumerate(kept["metrics"])}
        files = [folder / name for name in kept["files"]]
    except (OSError, KeyError, TypeError, ValueError, pyarrow.ArrowException):
        return None
    return found, kept["left_out"], files


def _schema() -> Any:
    import pyarrow as pa

    words = pa.dictionary(pa.int32(), pa.string())
    texts = dict.fromkeys(("metric", "case", "cluster", "status", "code", "tags"), words)
    numbers = dict.fromkeys(("value", "raw", "weight"), pa.float64())
    beside = {"constants": pa.map_(pa.string(), pa.float64()), "repeats": pa.list_(pa.float64())}
    place = {"file": pa.int32(), "offset": pa.int64()}
    return pa.schema([*texts.items(), ("take", pa.int32()), *numbers.items(), *beside.items(), *place.items()])


def _table(metric: str, column: Columns, pa: Any, schema: Any) -> Any:
    count = len(column.cases)
    constants: list[Any] = [None] * count
    if column.constants:
        rows = zip(*column.constants.values(), strict=True)
        constants = [list(zip(column.constants, map(float, row), strict=True)) for row in rows]
    # The same few sets of tags stand in all records, so each is written out once.
    told = {id(tags): json.dumps(tags) for tags in column.tags}
    places = np.full((count, 2), -1) if column.places is None else column.places
    cells = {
        "metric": [metric] * count,
        "case": column.cases,
        "cluster": column.clusters,
        "status": [status.value for status in column.statuses],
        "code": column.codes,
        "tags": [told[id(tags)] for tags in column.tags] if column.tags else ["{}"] * count,
        "take": column.takes,
        "value": column.values,
        "raw": column.raws,
        "weight": column.weights,
        "constants": constants,
        "repeats": [None] * count if column.repeats is None else list(column.repeats),
        "file": places[:, 0].astype(np.int32),
        "offset": places[:, 1],
    }
    made = []
    for field in schema:
        if pa.types.is_dictionary(field.type):
            made.append(pa.array(cells[field.name], pa.string()).dictionary_encode().cast(field.type))
        else:
            made.append(pa.array(cells[field.name], field.type))
    return pa.table(made, schema=schema)


class _Reader:
    """Turns row groups into columns; what two metrics have in common is in memory once."""

    def __init__(self) -> None:
        self._once = SharedLists()
        self._texts: dict[str, str] = {}
        self._tags: dict[str, Mapping[str, str]] = {}

    def columns(self, table: Any) -> Columns:
        cells = {name: table.column(name) for name in table.column_names}

        def numbers(name: str) -> np.ndarray:
            return np.asarray(cells[name].to_numpy())

        def words(name: str, meant: Callable[[str], Any]) -> list[Any]:
            encoded = cells[name].combine_chunks()
            return self._once.words(name, [meant(text) for text in encoded.dictionary.to_pylist()], encoded.indices)

        constants: dict[str, np.ndarray] = {}
        if cells["constants"].null_count < len(table):
            rows = [dict(row) for row in cells["constants"].to_pylist()]
            constants = {name: np.array([row[name] for row in rows], np.float64) for name in rows[0]}
        repeats = None
        if cells["repeats"].null_count < len(table):
            repeats = np.array(cells["repeats"].to_pylist(), np.float64)
        return Columns(
            cases=words("case", self._text),
            takes=self._once.rows("takes", numbers("take")),
            clusters=words("cluster", self._text),
            statuses=words("status", Status),
            values=numbers("value"),
            raws=numbers("raw"),
            weights=numbers("weight"),
            codes=words("code", self._text),
            constants=constants,
            repeats=repeats,
            tags=words("tags", self._tag_set),
            places=np.stack([numbers("file").astype(np.int64), numbers("offset")], axis=1),
        )

    def _text(self, text: str) -> str:
        return self._texts.setdefault(text, text)

    def _tag_set(self, text: str) -> Mapping[str, str]:
        if text not in self._tags:
            self._tags[text] = json.loads(text)
        return self._tags[text]
