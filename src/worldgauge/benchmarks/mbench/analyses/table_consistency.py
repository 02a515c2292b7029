"""Do the paper's Tables 2 and 3 hold together with its formulas? What contradicts them, counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from worldgauge.benchmarks.mbench.analyses.totals import totals
from worldgauge.core.published import PublishedTable, published_tables

ROUNDING = 0.0101
"""What the mean of printed scores may be off a printed total: both are rounded to two decimals."""
CLIPS = 100
"""Causal clips of an action model."""
HUMAN_CLIPS, ALL_ITEMS, BASE_ITEMS = 120, 684, 493
MODELS = {"text": 8, "action": 6}
"""Whose win ratios Table 3 is about."""
ABOUT = ("state", "correctness")
"""Scores of which the text tells rho by a bound or a round number."""


@dataclass(frozen=True)
class ModelRow:
    """A model: its groups and its total worked out again, beside the printed total."""

    model: str
    setting: str
    entity: float
    environment: float
    causal: float
    total: float
    printed: float

    @property
    def holds(self) -> bool:
        return abs(self.total - self.printed) <= ROUNDING


@dataclass(frozen=True)
class Consistency:
    """What was found about the tables."""

    rows: tuple[ModelRow, ...]
    remarks: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {"rows": [asdict(row) | {"holds": row.holds} for row in self.rows], "remarks": list(self.remarks)}


def consistency() -> Consistency:
    """Work both tables out again."""
    tables = {table.id: table for table in published_tables("mbench")}
    rows = [
        _row(tables[f"paper-table-2-{name}"], tables[f"board-total-{name}"], model, setting)
        for setting, name in (("t", "text"), ("a", "action"))
        for model in tables[f"paper-table-2-{name}"].rows
    ]
    remarks = [*_remarks(tables["paper-table-2-text"], tables["paper-table-2-action"]), *_on_table_3(tables)]
    return Consistency(tuple(rows), tuple(remarks))


def _row(table: PublishedTable, board: PublishedTable, model: str, setting: str) -> ModelRow:
    found = totals(table.named(model), setting)
    numbers = {name: found[f"{setting}_{name}"] for name in ("entity", "environment", "causal", "total")}
    # Every column is printed, so every group has a number.
    known = {name: number for name, number in numbers.items() if number is not None}
    return ModelRow(model=model, setting=setting, printed=board.score(model, f"{setting}_total"), **known)


def _remarks(text: PublishedTable, action: PublishedTable) -> Iterator[str]:
    pairs = [(table.score(m, f"{s}_state_m"), table.score(m, f"{s}_correctness_m"))
             for table, s in ((text, "t"), (action, "a")) for m in table.rows]  # fmt: skip
    above = sum(correctness > state for state, correctness in pairs)
    yield f"correctness is above state in {above} of {len(pairs)} rows, which Eq. 14 does not allow: it is not gated"
    states, right = (_column(action, f"a_{name}_m") for name in ("state", "correctness"))
    fifths, quarters = steps_of(right, 100 / (5 * CLIPS)), steps_of(states, 100 / (4 * CLIPS))
    yield f"correctness of {fifths} of {len(right)} action models is a multiple of 0.2: c / 5, the mean over 100 clips"
    yield f"state of {quarters} of {len(states)} action models is a multiple of 0.25: the plain mean over 100 clips"
    parts = [(value, 4 * CLIPS) for value in states] + [(value, 5 * CLIPS) for value in right]
    reached = sum(under_eq_3(value, steps) for value, steps in parts)
    yield f"{reached} of {len(states) + len(right)} of these can be 2 S / (1 + S): action columns are not Eq. 3"
    highest = max(_column(text, "t_appearance_m"))
    rates = [HUMAN_CLIPS / items for items in (ALL_ITEMS, BASE_ITEMS)]
    most = [200 * rate / (1 + rate) for rate in rates]
    yield (
        f"appearance reaches {highest:.2f}: with all {ALL_ITEMS} items as N_total no {HUMAN_CLIPS} human clips could "
        f"exceed {most[0]:.1f}, with {BASE_ITEMS} none {most[1]:.1f}; N_total is that of the subset"
    )
    lowest = min((action.score(m, "a_identity_m"), m) for m in action.rows)
    yield (
        f"{lowest[1]} has identity {lowest[0]:.2f}, which no mean of cosines to one's own mean is: "
        "who does not come back counts as 0"
    )
    style = _column(text, "t_style_m")
    yield f"style of text models is {min(style):.2f} to {max(style):.2f}, too low for distances of adjacent frames"


def _on_table_3(tables: Mapping[str, PublishedTable]) -> Iterator[str]:
    """Of some models without ties only certain values of rho can be."""
    printed = [
        (table.score(metric, "rho"), models)
        for name, models in MODELS.items()
        for table in (tables[f"paper-table-3-{name}"],)
        for metric in table.rows
        if not any(part in metric for part in ABOUT)
    ]
    cut = {rho: _nearest_above(rho, models) for rho, models in printed if not attainable(rho, models)}
    told = " and ".join(f"{rho:.2f} (cut from {exact:.3f})" for rho, exact in sorted(cut.items()))
    yield (
        f"{len(cut)} of {len(printed)} rho of Table 3 round no rho that eight or six models without ties can have: "
        f"{told}; they are cut after two decimals, or win ratios tie"
    )


def attainable(printed: float, models: int) -> bool:
    """Whether Spearman's rho of so many models without ties can round to what is printed.

    >>> attainable(0.94, 6), attainable(0.97, 8)
    (True, False)
    """
    return any(round(rho, 2) == round(printed, 2) for rho in _rhos(models))


def _rhos(models: int) -> list[float]:
    """1 - 6 D / (n (n^2 - 1)); D, a sum of squared rank differences that add up to 0, is even."""
    whole = models * (models**2 - 1)
    return [1 - 6 * squares / whole for squares in range(0, whole // 3 + 1, 2)]


def _nearest_above(printed: float, models: int) -> float:
    return min(rho for rho in _rhos(models) if rho >= printed)


def steps_of(values: Iterable[float], step: float) -> int:
    """How many printed values are multiples of a step.

    >>> steps_of([10.0, 37.5, 97.9], 0.25)
    2
    """
    return sum(abs(value / step - round(value / step)) < 1e-6 for value in values)


def under_eq_3(printed: float, steps: int) -> bool:
    """Whether 2 S / (1 + S), for an S that is a whole number of `steps` parts of 1, is printed so.

    >>> under_eq_3(100.0, 400), under_eq_3(43.75, 100)
    (True, True)
    """
    score = printed / (200 - printed)
    nearest = [round(score * steps) + k for k in (-1, 0, 1)]
    return any(round(200 * (k / steps) / (1 + k / steps), 2) == round(printed, 2) for k in nearest if k >= 0)


def _column(table: PublishedTable, column: str) -> list[float]:
    return [table.score(model, column) for model in table.rows]
