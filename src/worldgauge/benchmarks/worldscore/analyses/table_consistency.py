"""Does the paper's Table 2 hold together? Totals from aspects, and what its scaled columns invert to."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from worldgauge.benchmarks.worldscore.official.aspects import ASPECTS, scales
from worldgauge.benchmarks.worldscore.official.evaluation_files import DYNAMIC, STATIC, totals
from worldgauge.core.published import PublishedTable, published_tables

ROUNDING: Final = 0.0101
"""What the mean of printed aspects may be off a printed total: both are rounded to two decimals."""

CONSTANTS: Final = {
    "content_alignment": ("clip_score", 26.67, 0.8875),
    "motion_accuracy": ("motion_accuracy", -0.1965, 2.3687),
    "motion_magnitude": ("optical_flow", 3.2425, 3.4505),
}
"""Column to the official metric behind it, and the mean and standard deviation that the released code scales it by."""
AGREES: Final = 0.01
"""How near mean and standard deviation of an inverted column are to these where it was scaled once per model."""
OUTSIDE: Final = ("4D-fy",)
"""Models that the constants were not taken over."""


@dataclass(frozen=True)
class ModelRow:
    """A model of the table: both totals printed and worked out again, and the raw numbers its columns invert to."""

    model: str
    static: float
    static_again: float
    dynamic: float
    dynamic_again: float
    raw: dict[str, float | None]
    """Column to the raw number; None where the model makes no dynamic world and was given 0."""

    @property
    def holds(self) -> bool:
        """Whether both totals follow from the aspects."""
        off = abs(self.static - self.static_again), abs(self.dynamic - self.dynamic_again)
        return max(off) <= ROUNDING


@dataclass(frozen=True)
class ColumnRow:
    """A scaled column over its models: mean and standard deviation (ddof 1), found and in the released code."""

    column: str
    models: int
    mean: float
    deviation: float
    code_mean: float
    code_deviation: float

    @property
    def holds(self) -> bool:
        off = abs(self.mean - self.code_mean), abs(self.deviation - self.code_deviation)
        return max(off) <= AGREES


@dataclass(frozen=True)
class Consistency:
    """What was found about a table."""

    rows: tuple[ModelRow, ...]
    columns: tuple[ColumnRow, ...]
    remarks: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "rows": [asdict(row) | {"holds": row.holds} for row in self.rows],
            "columns": [asdict(column) | {"holds": column.holds} for column in self.columns],
            "remarks": list(self.remarks),
        }


def consistency(table: PublishedTable | None = None) -> Consistency:
    """Work Table 2 out again."""
    printed = table or published_tables("worldscore")[0]
    rows = tuple(_row(printed, model) for model in printed.rows)
    columns = tuple(_column(rows, column) for column in CONSTANTS)
    return Consistency(rows, columns, tuple(_remarks(printed, rows, columns)))


def _row(table: PublishedTable, model: str) -> ModelRow:
    scores = table.named(model)
    again = totals({aspect: scores[aspect] for aspect in ASPECTS})
    raw = {
        column: None if scores[column] == 0 else scales(metric)[0].inverse(scores[column])
        for column, (metric, _, _) in CONSTANTS.items()
    }
    static, dynamic = again[STATIC], again[DYNAMIC]
    assert static is not None and dynamic is not None, "every aspect is printed"
    return ModelRow(model, scores["static"], static, scores["dynamic"], dynamic, raw)


def _column(rows: tuple[ModelRow, ...], column: str) -> ColumnRow:
    inside = [row.raw[column] for row in rows if row.model not in OUTSIDE]
    raw = np.array([value for value in inside if value is not None])
    _, mean, deviation = CONSTANTS[column]
    return ColumnRow(column, len(raw), float(raw.mean()), float(raw.std(ddof=1)), mean, deviation)


def _remarks(table: PublishedTable, rows: tuple[ModelRow, ...], columns: tuple[ColumnRow, ...]) -> list[str]:
    remarks = [
        f"{row.model}: the totals {row.static:g} and {row.dynamic:g} do not follow from its aspects "
        f"({row.static_again:g}, {row.dynamic_again:g})"
        for row in rows
        if not row.holds
    ]
    still = scales("optical_flow")[0](0.0)
    for row in rows:
        pixels = row.raw["motion_magnitude"]
        if pixels is not None and pixels < 0:
            printed = table.score(row.model, "motion_magnitude")
            remarks.append(
                f"{row.model}: motion magnitude {printed:g} inverts to {pixels:.2f} px, which no flow has; "
                f"no motion at all scores {still:.2f}"
            )
    for column in columns:
        if not column.holds:
            remarks.append(
                f"{column.column}: its {column.models} models invert to {column.mean:.4f} +- {column.deviation:.4f}, "
                f"the code has {column.code_mean:g} +- {column.code_deviation:g}: it was scaled otherwise"
            )
    return remarks
