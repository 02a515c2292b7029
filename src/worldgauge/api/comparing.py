"""`compare`: two runs on the same cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from worldgauge.api.show import TextTable
from worldgauge.core.run_folder import Run
from worldgauge.report.difference import Difference
from worldgauge.report.html.column import Column, columns_of
from worldgauge.report.joint import Joint
from worldgauge.report.summary import telling
from worldgauge.report.unofficial import UNOFFICIAL, unofficial_notes

DEPENDS = "*"
"""Stands behind a verdict that is another within the bounds."""


def compare(first: Run | str | Path, second: Run | str | Path) -> Comparison:
    """Paired differences of two runs, or run folders, of the same benchmark. Unlike definitions are refused."""
    return Comparison(*(run if isinstance(run, Run) else Run(Path(run)) for run in (first, second)))


class Comparison(Mapping[str, Difference]):
    """Metric or group to the difference, first minus second, with its interval and test."""

    def __init__(self, first: Run, second: Run) -> None:
        self.joint = Joint([first, second])

    @property
    def names(self) -> list[str]:
        """The two models; two runs of one model are told apart by their place."""
        names = [run.name for run in self.joint.runs]
        return names if names[0] != names[1] else [f"{names[0]} (first)", f"{names[1]} (second)"]

    @cached_property
    def differences(self) -> dict[str, Difference]:
        return self.joint.difference(0, 1)

    def __getitem__(self, name: str) -> Difference:
        return self.differences[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    def table(self) -> TextTable:
        """A line per metric and group: both scores, difference, interval, tests, who is better, cases won and lost."""
        names = self.names
        arrows = {True: " ↑", False: " ↓", None: ""}
        better = {"first": names[0], "second": names[1]}
        rows = []
        for i, column in enumerate(columns_of(self.joint)):
            d = self.differences[column.id]
            if column.id in self.unpaired:
                continue
            scores = [column.number(s) if s == s else "-" for s in self.joint.scores[:, i]]
            interval = f"[{column.number(d.interval[0])}, {column.number(d.interval[1])}]" if d.interval else ""
            value = "-" if d.value is None else f"{d.value:+.{column.digits}f}"
            detectable = "" if d.detectable is None else column.number(d.detectable)
            directed = d.higher_is_better is not None
            counts = f"{d.wins}/{d.losses} of {d.cases}" if directed and d.cases else f"{d.cases}" if d.cases else ""
            verdict = " ".join(filter(None, (better.get(d.verdict, d.verdict), DEPENDS if d.depends else "")))
            tests = (_p(d.p_value), _p(d.adjusted), verdict)
            shown = column.kind == "group" or column.definition["scale"] or telling(d.bounds, self.joint.values[:, i])
            bounds = (_bounds(d, column) if shown else "",) if self.open else ()
            title = column.id + (UNOFFICIAL if column.not_official else "") + arrows[d.higher_is_better]
            rows.append((title, *scores, value, interval, *bounds, *tests, counts, detectable))
        ends = ("95 % interval", "bounds") if self.open else ("95 % interval",)
        header = ("metric", *names, "difference", *ends, "p", "p (Holm)", "better", "won/lost", "detectable")
        notes = [f"difference: {names[0]} minus {names[1]}, paired over shared cases", *self.notes]
        return TextTable.of(header, rows, notes)

    @property
    def open(self) -> bool:
        """Whether a clip has no number for a reason that a model can cause."""
        return any(d.bounds is not None for d in self.differences.values())

    @cached_property
    def unpaired(self) -> list[str]:
        """Metrics and groups of which no case has a number in both runs: the table leaves them out and names them."""
        return [name for name, d in self.differences.items() if d.value is None and d.bounds is None]

    @property
    def notes(self) -> list[str]:
        """What is left out, and what to know of the bounds, where there are any."""
        told = [f"no case has a number in both: {', '.join(self.unpaired)}"] if self.unpaired else []
        told += unofficial_notes(self.joint.runs, self.differences.keys() - set(self.unpaired))
        if self.open:
            told.append(
                "bounds: of the difference, if clips without a score counted as worst for one model and best for the "
                "other"
            )
        if any(d.depends for d in self.differences.values()):
            told.append(
                f"{DEPENDS} depends on these clips: within the bounds the verdict, or of a group the sign, is another"
            )
        return told

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def _bounds(difference: Difference, column: Column) -> str:
    if difference.bounds is None:
        return ""
    return " to ".join("unbounded" if end is None else f"{end:+.{column.digits}f}" for end in difference.bounds)


def _p(value: float | None) -> str:
    return "" if value is None else "<0.001" if value < 0.001 else f"{value:.3f}"
