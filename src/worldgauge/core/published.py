"""Tables that a benchmark's authors printed, as data: `published.toml` beside `benchmark.toml`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import benchmarks
from worldgauge.core.reading import read_toml_as

FILE_NAME = "published.toml"


class PublishedTable(BaseModel):
    """One printed table."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    source: str
    """Where it is printed."""
    note: str = ""
    """What must be known before a number is compared with it."""
    protocol: str = ""
    """The protocol whose numbers these are; empty where nobody knows."""
    cases: int = 0
    """How many cases the numbers rest on; 0 where nobody says."""
    apart: str = ""
    """Why no run may stand beside it, for example because it is about some cases only."""
    columns: tuple[str, ...]
    """Ids of metrics or groups of the benchmark."""
    rows: dict[str, tuple[float, ...]]
    """Model name to its scores, in the order of the columns."""

    @model_validator(mode="after")
    def _rectangular(self) -> PublishedTable:
        for name, row in self.rows.items():
            if len(row) != len(self.columns):
                raise ValueError(f"row '{name}' has {len(row)} numbers for {len(self.columns)} columns")
        return self

    def named(self, model: str) -> dict[str, float]:
        """Column to score of one row."""
        return dict(zip(self.columns, self.rows[model], strict=True))

    def score(self, model: str, column: str) -> float:
        return self.rows[model][self.columns.index(column)]


class PublishedFile(BaseModel):
    """`published.toml`."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    schema_version: Literal[1] = Field(alias="schema")
    benchmark: str
    tables: tuple[PublishedTable, ...] = Field(alias="table")


def published_tables(benchmark: str) -> tuple[PublishedTable, ...]:
    """The tables that the package of a benchmark brings."""
    manifest = benchmarks().get(benchmark)
    if manifest is None or not (manifest.folder / FILE_NAME).is_file():
        raise WorldGaugeError(f"benchmark '{benchmark}' brings no published numbers")
    return read_published(manifest.folder).tables


def read_published(folder: Path) -> PublishedFile:
    """The published tables of the benchmark in `folder`."""
    return read_toml_as(PublishedFile, folder / FILE_NAME)
