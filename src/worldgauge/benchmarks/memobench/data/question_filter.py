"""The failure filter of the question banks, in both of its meanings, from the answers that were released with them.

A.8 and the code keep a question whose verdict on the curated failure is the same with and without the hint: it is
stable. Section 3.5 says that questions which do not penalise known errors are removed: what is kept must fail there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from worldgauge.benchmarks.memobench.data.questions import DIMENSIONS, FINAL, KEYS, Bank, Items
from worldgauge.core.errors import WorldGaugeError

FEWEST = 2
"""Questions per dimension that the authors ask of a bank."""


@dataclass(frozen=True)
class Judged:
    """One question with the verdicts on the failure clip; None where that pass did not answer it."""

    question: dict[str, Any]
    """In the form of the final questions."""
    unaided: str | None
    hinted: str | None


RULES: dict[str, Callable[[Judged], bool]] = {
    "stable": lambda judged: judged.unaided is not None and judged.unaided == judged.hinted,
    "penalising": lambda judged: judged.hinted == "Fail",
    "penalising-unaided": lambda judged: judged.unaided == "Fail",
}
"""Name to what is kept: A.8 and the code; section 3.5 with the hint; section 3.5 without it."""


def judged_questions(bank: Bank) -> list[Judged]:
    """The questions put to the failure clip, paired by their number, in the order of the first pass."""
    unaided, hinted = _by_id(bank, bank.on_failure), _by_id(bank, bank.on_failure_with_hint)
    return [
        Judged(_bare(bank, item), item.get("Verdict"), hinted.get(number, {}).get("Verdict"))
        for number, item in unaided.items()
    ]


def filtered(bank: Bank, rule: str) -> Bank:
    """The bank with the questions that a rule keeps as its final ones."""
    kept = RULES[rule]
    return replace(bank, final=[judged.question for judged in judged_questions(bank) if kept(judged)])


def verdict_counts(banks: Iterable[Bank]) -> dict[tuple[str, str], int]:
    """Questions by their verdict without and with the hint; `-` where there is none."""
    return dict(
        Counter((judged.unaided or "-", judged.hinted or "-") for bank in banks for judged in judged_questions(bank))
    )


def gaps(banks: Iterable[Bank]) -> list[tuple[str, str, int]]:
    """Clip, dimension and number of questions, where there are fewer than two."""
    found = []
    for bank in banks:
        counts = Counter(item["Dimension"] for item in bank.final)
        found += [(bank.clip, name, counts[name]) for name in DIMENSIONS if counts[name] < FEWEST]
    return found


def _by_id(bank: Bank, items: Items) -> dict[Any, dict[str, Any]]:
    found: dict[Any, dict[str, Any]] = {}
    for item in items:
        if not isinstance(item.get("ID"), (str, int)) or item["ID"] in found:
            raise WorldGaugeError(
                f"bank of {bank.clip}: answers on the failure clip lack a number of their own", "restore the data set"
            )
        found[item["ID"]] = item
    return found


def _bare(bank: Bank, item: dict[str, Any]) -> dict[str, Any]:
    """A judged question without its answer, in the order of keys of the final ones."""
    lacking = next((key for key in KEYS[FINAL] if key not in item), None)
    if lacking is not None:
        raise WorldGaugeError(
            f"bank of {bank.clip}: answer {item.get('ID')} on the failure clip has no '{lacking}'",
            "restore the data set",
        )
    return {key: item[key] for key in ("ID", "Dimension", "Dimension Polarity", "Question")}
