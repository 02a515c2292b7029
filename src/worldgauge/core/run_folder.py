"""A run on disk: its description and `records-*.jsonl`, read back without an engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldgauge.core.column_file import is_large, load_columns, save_columns, stamp_of
from worldgauge.core.columns import Columns as Columns
from worldgauge.core.contents import FILE_NAME as CONTENTS_FILE
from worldgauge.core.contents import Contents, remember_files
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.gathering import Gathering
from worldgauge.core.given import given
from worldgauge.core.record_lines import LinesAt, RecordLines
from worldgauge.core.sources import Source, SourcesOnDemand, read_sources
from worldgauge.core.validity import Counting, LeftOut
from worldgauge.core.video import Video

if TYPE_CHECKING:
    import pandas

from worldgauge.core.run_file import DAMAGED_HINT, RunFile


class Run:
    """A run's definitions and records."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self.file = RunFile.read(self.folder)
        self.left_out = LeftOut()
        """What the latest reading of the records left out."""
        self._known: tuple[str, dict[str, Columns]] | None = None
        """Of a large run, its columns and the state of the folder they are of: reading them again takes seconds."""
        self._files: list[Path] = []
        """Record files, as the places in columns count them."""

    @property
    def name(self) -> str:
        return self.file.model.name

    @cached_property
    def contents(self) -> Contents | None:
        """What was there when the run last looked; None for folders of older versions."""
        found = Contents.read(self.folder)
        if found is None and self.file.invocations and not self.file.older:
            raise WorldGaugeError(
                f"{self.folder} has lost its {CONTENTS_FILE}, so nobody knows which records count", DAMAGED_HINT
            )
        return found

    def counting(self) -> Counting:
        """Every record that counts: of one video and metric the one of the last invocation is the current one."""
        return Counting(RecordLines(self.folder), self.file.definitions, self.contents)

    def records(self) -> list[dict[str, Any]]:
        """The current record of every metric, case and take, sorted; stale ones are left out."""
        current: dict[tuple[str, str, int], dict[str, Any]] = {}
        counting = self.counting()
        for record in counting:
            key = record["metric"], record["case"], record.get("take", 0)
            before = current.get(key)
            if before is None or record.get("invocation", 0) >= before.get("invocation", 0):
                current[key] = record
        self.left_out = counting.left_out(lambda metric, video: (metric, *video) in current)
        return [current[key] for key in sorted(current)]

    def columns(self) -> dict[str, Columns]:
        """Per metric id, in the order of the definitions, the current records as columns. Flat in memory per record.

        Of a large run they are kept beside the records, where pyarrow is installed.
        """
        stamp = stamp_of(self.folder)
        if not stamp:
            return self._read_columns()
        if self._known is None or self._known[0] != stamp:
            self._known = stamp, self._large_columns(stamp)
        return self._known[1]

    def _large_columns(self, stamp: str) -> dict[str, Columns]:
        known = load_columns(self.folder, stamp)
        if known is not None:
            found, left_out, self._files = known
            self.left_out = LeftOut(left_out["stale"], tuple(left_out["damaged"]))
            return found
        found = self._read_columns()
        # A run that is being written has another stamp by now: what was read is then of no single moment.
        if stamp_of(self.folder) == stamp:
            told = {"stale": dict(self.left_out.stale), "damaged": list(self.left_out.damaged)}
            save_columns(self.folder, stamp, found, told, self._files)
        return found

    def _read_columns(self) -> dict[str, Columns]:
        gathering = Gathering(d.id for d in self.file.definitions)
        counting = self.counting()
        lines, add = counting.lines, gathering.add
        for record in counting:
            add(record, lines.file, lines.offset)
        self.left_out, self._files = counting.left_out(gathering.has), lines.files
        found = gathering.columns()
        conditions = {d.id: d.given for d in self.file.definitions if d.given}
        return {
            name: given(column, found.get(conditions[name]), self.file.policy_of(conditions[name]))
            if name in conditions
            else column
            for name, column in found.items()
        }

    def lines(self) -> LinesAt:
        """The lines that the columns which were read last know the places of."""
        return LinesAt(self._files)

    def tags(self) -> dict[str, Mapping[str, str]]:
        """The tags of every case that has a record."""
        return tags_of(self.columns())

    def each_record(self) -> Iterator[dict[str, Any]]:
        """What `records` has, in the same order; of a large run one at a time, so memory stays flat."""
        if not is_large(self.folder):
            yield from self.records()
            return
        columns = self.columns()
        with self.lines() as lines:
            for metric in sorted(columns):
                places = columns[metric].places
                assert places is not None, "columns that were just read know where"
                yield from map(lines.record, places[:, 0].tolist(), places[:, 1].tolist())

    def sources(self) -> Mapping[str, Source]:
        """Every case with the videos that were measured; one that was replaced since then is not shown for it."""
        if self.contents is not None:
            remember_files(self.folder)
        if is_large(self.folder):
            return SourcesOnDemand(self.folder, self._seen)
        return {case: self._seen(source) for case, source in read_sources(self.folder).items()}

    def _seen(self, source: Source) -> Source:
        if self.contents is None:
            return source
        takes = tuple(self._measured(source.case.id, *take) for take in enumerate(source.takes))
        return replace(source, takes=takes)

    def _measured(self, case: str, take: int, video: Video | None) -> Video | None:
        parts = self.contents.videos.get((case, take), {}) if self.contents is not None else {}
        try:
            return video if video is not None and video.digest[:16] == parts.get("video", "")[:16] else None
        except (WorldGaugeError, OSError):
            return None

    def to_pandas(self) -> pandas.DataFrame:
        """One row per (case, metric): the record's fields, the model's name, and a `tag.<name>` column per tag."""
        import pandas

        rows = []
        for record in self.records():
            tags = {f"tag.{key}": value for key, value in record.pop("tags", {}).items()}
            rows.append({"model": self.name, **record, **tags})
        return pandas.DataFrame(rows)


def tags_of(columns: Mapping[str, Columns]) -> dict[str, Mapping[str, str]]:
    """The tags of every case in a run's columns."""
    found: dict[str, Mapping[str, str]] = {}
    for column in columns.values():
        for case, tags in zip(column.cases, column.tags, strict=True):
            if tags or case not in found:
                found[case] = tags
    return found
