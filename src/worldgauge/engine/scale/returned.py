"""Records that came back from workers elsewhere, written by the machine that holds the run folder."""

from __future__ import annotations

from collections.abc import Iterable

from worldgauge.engine.job import Setup
from worldgauge.engine.records import RecordWriter
from worldgauge.engine.work import WorkResult


class ReturnedRecords:
    """One record file for each of the benchmarks that are scored together."""

    def __init__(self, setup: Setup) -> None:
        self._setups = (setup, *setup.beside)
        self._writers: dict[int, RecordWriter] = {}

    def write(self, results: Iterable[WorkResult]) -> None:
        """Write what results carry, in one go for each file, and take it out of them."""
        of_part: dict[int, list[WorkResult]] = {}
        for result in results:
            for each in result.all():
                of_part.setdefault(each.part, []).append(each)
        for part, found in of_part.items():
            if part not in self._writers:
                setup = self._setups[part]
                self._writers[part] = RecordWriter(setup.out, setup.record_prefix)
            self._writers[part].append(*(record for result in found for record in result.records))
            for result in found:
                result.records.clear()

    def close(self) -> None:
        for writer in self._writers.values():
            writer.close()
