"""Which records count: those of the current definition whose inputs are still what the run folder says is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from worldgauge.core.contents import ABSENT, Contents, VideoKey
from worldgauge.core.record_lines import RecordLines

if TYPE_CHECKING:
    from worldgauge.core.run_file import DefinitionFile


CASE_GONE = "the case is gone"


@dataclass(frozen=True)
class LeftOut:
    """Lines of a run folder that are no part of its result."""

    stale: Mapping[str, int] = field(default_factory=dict)
    """Reason to how many scores have only a stale record."""
    damaged: tuple[str, ...] = ()
    """`file line number: what is wrong`."""

    def sentences(self) -> list[str]:
        """What to say about it; empty where nothing was left out."""
        told = []
        if self.stale:
            why = ", ".join(f"{reason} ({n})" for reason, n in sorted(self.stale.items()))
            renew = "" if set(self.stale) == {CASE_GONE} else " Run again to renew them."
            told.append(f"{sum(self.stale.values())} stale records do not count: {why}.{renew}")
        if self.damaged:
            more = f" and {len(self.damaged) - 1} more" if len(self.damaged) > 1 else ""
            told.append(
                f"Damaged record lines are left out: {self.damaged[0]}{more}. A run computes anew what they held."
            )
        return told


class Counting:
    """The records of a folder that count, in the order of writing; why others do not is known after reading them."""

    def __init__(self, lines: RecordLines, definitions: Iterable[DefinitionFile], contents: Contents | None) -> None:
        self.lines = lines
        self._contents = contents
        self._fingerprints = {d.id: d.fingerprint for d in definitions}
        of_reads: dict[tuple[str, ...], dict[VideoKey, str]] = {}
        self._expected: dict[str, Mapping[VideoKey, str]] = {}
        """Metric to the inputs that each video's record must have."""
        if contents is not None:
            for definition in definitions:
                if definition.reads not in of_reads:
                    of_reads[definition.reads] = contents.inputs(definition.reads)
                self._expected[definition.id] = of_reads[definition.reads]
        self._stale: dict[tuple[str, VideoKey], str] = {}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return filter(self._counts, self.lines)

    def left_out(self, has: Callable[[str, VideoKey], bool]) -> LeftOut:
        """What did not count, less what has a record that `has` found to count."""
        reasons = Counter(why for (metric, key), why in self._stale.items() if not has(metric, key))
        return LeftOut(dict(reasons), tuple(self.lines.damaged))

    def _counts(self, record: Mapping[str, Any]) -> bool:
        metric = record["metric"]
        fingerprint = self._fingerprints.get(metric)
        if fingerprint is None:
            return False
        key = record["case"], record.get("take", 0)
        if fingerprint != record["fingerprint"]:
            self._stale[metric, key] = "the definition changed"
            return False
        if self._contents is None or self._expected[metric].get(key) == record["inputs"]:
            return True
        self._stale[metric, key] = self._why(record, key)
        return False

    def _why(self, record: Mapping[str, Any], key: VideoKey) -> str:
        assert self._contents is not None
        parts = self._contents.videos.get(key)
        if parts is None:
            return CASE_GONE
        video = parts.get("video", ABSENT)
        if video == ABSENT:
            return "the video is gone"
        return "the case changed" if (record.get("video") or ABSENT)[:16] == video[:16] else "the video changed"
